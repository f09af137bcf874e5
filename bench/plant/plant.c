/* Slows what is sent, for bench/ab.py: preloaded into the participants of one side.
 *
 * PLANT_DELAY_NS: every call that sends takes this much longer. PLANT_STALL_NS: one in PLANT_EVERY
 * calls, at random, takes this much longer. The time is spent on the CPU, as a slower library would.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

typedef ssize_t (*sendmsg_fn)(int, const struct msghdr *, int);

static sendmsg_fn next_sendmsg;
static uint64_t delay_ns, stall_ns, every, state;

static uint64_t number(const char *name)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : 0;
}

static uint64_t now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

__attribute__((constructor)) static void begin(void)
{
    next_sendmsg = (sendmsg_fn)dlsym(RTLD_NEXT, "sendmsg");
    delay_ns = number("PLANT_DELAY_NS");
    stall_ns = number("PLANT_STALL_NS");
    every = number("PLANT_EVERY");
    state = now_ns() | 1;
}

ssize_t sendmsg(int socket, const struct msghdr *message, int flags)
{
    /* xorshift64: a stall at equal distances would meet the same phase of something else again. */
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    uint64_t wait = delay_ns + (every && state % every == 0 ? stall_ns : 0);
    for (uint64_t until = now_ns() + wait; wait && now_ns() < until;) {
    }
    return next_sendmsg(socket, message, flags);
}
