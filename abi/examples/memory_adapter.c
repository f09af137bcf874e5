/* SPDX-License-Identifier: Apache-2.0
 *
 * memory_adapter.c: a whole Busmark adapter. Its "middleware" is a list of readers in this process.
 *
 *   cc -std=c11 -shared -fPIC -O2 -Wall -Wextra -I abi abi/examples/memory_adapter.c \
 *      -o libbusmark_memory.so -lpthread
 *   busmark adapter check ./libbusmark_memory.so
 *
 * It shows what every adapter must do: declare what it can do and nothing more, open and close what
 * the middleware has for writers and readers, send and take, and leave nothing behind (C15). The
 * helper refuses the rest with a reason (C3, C4) and copies configurations (C14). What is
 * not declared has no entry in the table. nng_adapter.c does the same for a middleware with a
 * network.
 */
#define _POSIX_C_SOURCE 200809L
#define BUSMARK_PLAIN_PARTICIPANT
#define BUSMARK_PLAIN_SAMPLES
#include "busmark_adapter_helper.h"

#define PAYLOADS ((1u << BUSMARK_PAYLOAD_ANY) - 1) /* all kinds before ANY */
#define QOS                                                                                       \
    (BUSMARK_QOS_RELIABLE | BUSMARK_QOS_KEEP_LAST | BUSMARK_QOS_KEEP_ALL | BUSMARK_QOS_VOLATILE)
#define LARGEST_BODY (16u << 20)

static const char *const transports[] = {"memory", NULL};
static const uint32_t carriers[] = {BUSMARK_CARRIER_MEMORY};
static const busmark_capabilities_t capabilities = {
    .struct_size = sizeof(busmark_capabilities_t),
    .waits = BUSMARK_WAIT_WAITSET | BUSMARK_WAIT_POLL,
    .reach = BUSMARK_REACH_PROCESS,
    .payloads = PAYLOADS,
    .qos = QOS,
    .features = BUSMARK_FEATURE_MATCHED | BUSMARK_FEATURE_MATCH_EVENTS,
    .max_body_bytes = LARGEST_BODY,
    .name = "memory",
    .title = "Memory of one process (example)",
    .version = "1.0",
    .middleware_version = "none",
    .licence = "Apache-2.0",
    .cost = "one allocation and one copy of header and body per sample and reader",
    .install = "",
    .transports = transports,
    .carriers = carriers,
    .options = busmark_no_options,
    .disclosures = BUSMARK_DISCLOSE_ALLOCATES,
};

/* ------------------------------------------------------------------ the middleware ------------ */
typedef struct endpoint { /* what writers and readers have in common */
    busmark_endpoint_base_t base;
    struct endpoint *next;
} endpoint;

struct busmark_writer_s {
    endpoint common;
};
struct busmark_reader_s {
    endpoint common;
    busmark_queue_t queue;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards both lists */
static endpoint *writers, *readers;

static int match(const endpoint *a, const endpoint *b) {
    return busmark_place(a)->domain == busmark_place(b)->domain &&
           a->base.payload == b->base.payload && strcmp(a->base.topic, b->base.topic) == 0;
}

/* Counts an endpoint that comes (1) or goes (-1) with all of the other side that it matches. */
static void count_matches(endpoint *self, endpoint *others, int change) {
    for (endpoint *other = others; other != NULL; other = other->next) {
        if (!match(self, other)) continue;
        busmark_matches_add(&self->base.matches, change);
        busmark_matches_add(&other->base.matches, change);
    }
}

static void join(endpoint *self, endpoint **list, endpoint **others) {
    pthread_mutex_lock(&lock);
    self->next = *list;
    *list = self;
    count_matches(self, *others, 1);
    pthread_mutex_unlock(&lock);
}

static void leave(endpoint *self, endpoint **list, endpoint **others) {
    pthread_mutex_lock(&lock);
    while (*list != self) list = &(*list)->next;
    *list = self->next;
    count_matches(self, *others, -1);
    pthread_mutex_unlock(&lock);
}

/* ------------------------------------------------------------------ writers ------------------- */
static busmark_status_t writer_open(busmark_writer_h writer, busmark_error_t *error) {
    (void)error;
    join(&writer->common, &writers, &readers);
    return BUSMARK_OK;
}

static void writer_close(busmark_writer_h writer) { leave(&writer->common, &writers, &readers); }

static busmark_status_t write_sample(busmark_writer_h writer, busmark_sample_h sample,
                                     const busmark_header_t *header) {
    busmark_status_t status = BUSMARK_OK;
    pthread_mutex_lock(&lock);
    for (endpoint *e = readers; e != NULL && status == BUSMARK_OK; e = e->next) {
        busmark_reader_h reader = (busmark_reader_h)e; /* `common` is its first member */
        if (match(&writer->common, e))
            status = busmark_queue_push(&reader->queue, header, sample->body, sample->body_bytes);
    }
    pthread_mutex_unlock(&lock);
    return status;
}

/* ------------------------------------------------------------------ readers ------------------- */
static busmark_status_t reader_open(busmark_reader_h reader, busmark_error_t *error) {
    int32_t depth;
    busmark_status_t status = busmark_depth(reader, INT32_MAX, &depth, error);
    busmark_queue_init(&reader->queue, (uint64_t)depth);
    join(&reader->common, &readers, &writers);
    return status;
}

static void reader_close(busmark_reader_h reader) {
    leave(&reader->common, &readers, &writers);
    busmark_queue_done(&reader->queue);
}

static busmark_status_t take(busmark_reader_h reader, uint32_t max, busmark_sink_fn sink,
                             void *context, uint32_t *taken) {
    return busmark_queue_take(&reader->queue, max, sink, context, taken);
}

static busmark_status_t wait_for_samples(busmark_reader_h reader, int64_t timeout_ns) {
    return busmark_queue_wait(&reader->queue, timeout_ns);
}

#define BUSMARK_ENTRIES BUSMARK_MATCH_ENTRIES, .wait = wait_for_samples
#include "busmark_adapter_helper.h"
