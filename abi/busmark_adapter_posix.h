/* SPDX-License-Identifier: Apache-2.0
 *
 * busmark_adapter_posix.h: parts that adapters in C on POSIX share, as static inlines. Take those that the
 * middleware lacks; each stands for itself.
 *
 *   busmark_matches_t   counts of C24 with the time of the event (C33), for middleware with events
 *   busmark_queue_t     samples that wait to be taken, with depth (C8), take (C19) and wait (C23), for
 *                       middleware that calls back with a sample, or has no queue
 *   busmark_readable    wait (C23) for middleware with a descriptor that is readable when samples are there
 *
 * Define _POSIX_C_SOURCE as 200809L before any header, and link with -lpthread.
 */
#ifndef BUSMARK_ADAPTER_POSIX_H
#define BUSMARK_ADAPTER_POSIX_H

#include "busmark_adapter_helper.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>

BUSMARK_UNUSED static int64_t busmark_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* ------------------------------------------------------------------ matching (C24, C33) ------- */
typedef struct busmark_matches_t {
    pthread_mutex_t lock;
    uint32_t count;
    int64_t changed_ns;
} busmark_matches_t;

BUSMARK_UNUSED static void busmark_matches_init(busmark_matches_t *self) {
    memset(self, 0, sizeof *self);
    pthread_mutex_init(&self->lock, NULL);
}

BUSMARK_UNUSED static void busmark_matches_done(busmark_matches_t *self) {
    pthread_mutex_destroy(&self->lock);
}

/* A counterpart came (1) or went (-1). Call it from within the middleware's event. */
BUSMARK_UNUSED static void busmark_matches_add(busmark_matches_t *self, int change) {
    int64_t now = busmark_now();
    pthread_mutex_lock(&self->lock);
    self->count += (uint32_t)change;
    self->changed_ns = now;
    pthread_mutex_unlock(&self->lock);
}

BUSMARK_UNUSED static uint32_t busmark_matches_now(busmark_matches_t *self) {
    uint32_t count;
    pthread_mutex_lock(&self->lock);
    count = self->count;
    pthread_mutex_unlock(&self->lock);
    return count;
}

/* For writer_match and reader_match. */
BUSMARK_UNUSED static busmark_status_t busmark_matches_get(busmark_matches_t *self,
                                                           busmark_match_t *match) {
    pthread_mutex_lock(&self->lock);
    match->count = self->count;
    if (BUSMARK_HAS(match, changed_ns)) match->changed_ns = self->changed_ns;
    pthread_mutex_unlock(&self->lock);
    return BUSMARK_OK;
}

/* ------------------------------------------------------------------ a queue of samples -------- */
typedef struct busmark_node_t {
    struct busmark_node_t *next;
    busmark_header_t header;
    uint64_t body_bytes;
    unsigned char body[];
} busmark_node_t;

typedef struct busmark_queue_t {
    pthread_mutex_t lock;
    pthread_cond_t arrived;
    uint64_t depth, count; /* depth 0: keep all */
    busmark_node_t *first, **end;
} busmark_queue_t;

/* Keeps the last `depth` samples, or all where it is 0. */
BUSMARK_UNUSED static void busmark_queue_init(busmark_queue_t *self, uint64_t depth) {
    pthread_condattr_t clock;
    memset(self, 0, sizeof *self);
    self->depth = depth;
    self->end = &self->first;
    pthread_mutex_init(&self->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&self->arrived, &clock);
    pthread_condattr_destroy(&clock);
}

/* The first sample, which is the caller's then, or NULL. Under the lock. */
BUSMARK_UNUSED static busmark_node_t *busmark_queue_pop(busmark_queue_t *self) {
    busmark_node_t *node = self->first;
    if (node == NULL) return NULL;
    self->first = node->next;
    if (self->first == NULL) self->end = &self->first;
    self->count--;
    return node;
}

BUSMARK_UNUSED static void busmark_queue_done(busmark_queue_t *self) {
    busmark_node_t *node;
    while ((node = busmark_queue_pop(self)) != NULL) free(node);
    pthread_cond_destroy(&self->arrived);
    pthread_mutex_destroy(&self->lock);
}

/* Copies a sample into the queue; where that is full, the oldest one goes. */
BUSMARK_UNUSED static busmark_status_t busmark_queue_push(busmark_queue_t *self,
                                                          const busmark_header_t *header,
                                                          const void *body, uint64_t body_bytes) {
    busmark_node_t *old = NULL, *node = (busmark_node_t *)malloc(sizeof *node + body_bytes);
    if (node == NULL) return BUSMARK_RESOURCES;
    node->next = NULL;
    node->header = *header;
    node->body_bytes = body_bytes;
    if (body_bytes > 0) memcpy(node->body, body, body_bytes);
    pthread_mutex_lock(&self->lock);
    *self->end = node;
    self->end = &node->next;
    self->count++;
    if (self->depth != 0 && self->count > self->depth) old = busmark_queue_pop(self);
    pthread_cond_signal(&self->arrived);
    pthread_mutex_unlock(&self->lock);
    free(old);
    return BUSMARK_OK;
}

/* For take. */
BUSMARK_UNUSED static busmark_status_t busmark_queue_take(busmark_queue_t *self, uint32_t max,
                                                          busmark_sink_fn sink, void *context,
                                                          uint32_t *taken) {
    for (*taken = 0; *taken < max; ++*taken) {
        busmark_node_t *node;
        pthread_mutex_lock(&self->lock);
        node = busmark_queue_pop(self);
        pthread_mutex_unlock(&self->lock);
        if (node == NULL) break;
        busmark_deliver(sink, context, &node->header, node->body, node->body_bytes);
        free(node);
    }
    return *taken > 0 ? BUSMARK_OK : BUSMARK_NO_DATA;
}

/* For wait. */
BUSMARK_UNUSED static busmark_status_t busmark_queue_wait(busmark_queue_t *self,
                                                          int64_t timeout_ns) {
    struct timespec until = busmark_until(timeout_ns);
    busmark_status_t status;
    int late = 0;
    pthread_mutex_lock(&self->lock);
    while (self->first == NULL && !late)
        late = pthread_cond_timedwait(&self->arrived, &self->lock, &until) != 0;
    status = self->first != NULL ? BUSMARK_OK : BUSMARK_TIMEOUT;
    pthread_mutex_unlock(&self->lock);
    return status;
}

/* ------------------------------------------------------------------ waiting for a descriptor -- */

/* For wait. poll(2) counts milliseconds, so what is asked is rounded up; signals do not end it early. */
BUSMARK_UNUSED static busmark_status_t busmark_readable(int descriptor, int64_t timeout_ns) {
    struct pollfd of = {descriptor, POLLIN, 0};
    int64_t until = busmark_now() + timeout_ns, left = timeout_ns;
    for (;;) {
        int64_t ms = left / 1000000 + (left % 1000000 != 0);
        int ready = poll(&of, 1, ms < INT32_MAX ? (int)ms : INT32_MAX);
        if (ready > 0) return of.revents & POLLIN ? BUSMARK_OK : BUSMARK_FAILED;
        if (ready < 0 && errno != EINTR) return BUSMARK_FAILED;
        left = until - busmark_now();
        if (left <= 0) return BUSMARK_TIMEOUT;
    }
}

#endif /* BUSMARK_ADAPTER_POSIX_H */
