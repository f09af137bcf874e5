/* SPDX-License-Identifier: Apache-2.0
 *
 * memory_adapter.c: a whole Busmark adapter. Its "middleware" is lists of readers, and of servers
 * and their clients, in this process.
 *
 *   cc -std=c11 -shared -fPIC -O2 -Wall -Wextra -I abi abi/examples/memory_adapter.c \
 *      -o libbusmark_memory.so -lpthread
 *   busmark adapter check ./libbusmark_memory.so
 *
 * It shows what every adapter must do: declare what it can do and nothing more, open and close what
 * the middleware has for writers, readers and services, send and take, and leave nothing behind
 * (C15). The helper refuses the rest with a reason (C3, C4) and copies configurations (C14). What
 * is not declared has no entry in the table. nng_adapter.c does the same for a middleware with a
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
    .features = BUSMARK_FEATURE_MATCHED | BUSMARK_FEATURE_MATCH_EVENTS | BUSMARK_FEATURE_SERVICES,
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
    .service_waits = BUSMARK_WAIT_WAITSET | BUSMARK_WAIT_POLL,
    .service_qos = BUSMARK_QOS_RELIABLE | BUSMARK_QOS_KEEP_ALL | BUSMARK_QOS_VOLATILE,
};

/* ------------------------------------------------------------------ the middleware ------------ */
typedef struct endpoint { /* what writers, readers and ends of services have in common */
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
struct busmark_service_s {
    endpoint common;
    busmark_queue_t queue; /* of requests, or a client's of responses */
    busmark_calls_t calls; /* server: what it has not answered */
    uint64_t name, last;   /* client: no other one has or had it; number of the last request */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the lists */
static endpoint *writers, *readers, *ends[3];            /* of services: by side */
static uint64_t last_name;

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

/* ------------------------------------------------------------------ services ------------------ */
static busmark_status_t service_open(busmark_service_h service, busmark_error_t *error) {
    uint32_t side = service->common.base.side;
    (void)error;
    busmark_queue_init(&service->queue, 0);
    busmark_calls_init(&service->calls);
    pthread_mutex_lock(&lock);
    service->name = ++last_name;
    pthread_mutex_unlock(&lock);
    join(&service->common, &ends[side], &ends[3 - side]);
    return BUSMARK_OK;
}

static void service_close(busmark_service_h service) {
    uint32_t side = service->common.base.side;
    leave(&service->common, &ends[side], &ends[3 - side]);
    busmark_calls_done(&service->calls);
    busmark_queue_done(&service->queue);
}

/* Queues a request at each server; where there is none it stays without a response. */
static busmark_status_t ask(busmark_service_h client, busmark_sample_h sample,
                            const busmark_header_t *header, uint64_t *number) {
    const busmark_call_t call = {client->name, *number = ++client->last};
    busmark_status_t status = BUSMARK_OK;
    for (endpoint *e = ends[BUSMARK_SIDE_SERVER]; e != NULL && status == BUSMARK_OK; e = e->next) {
        busmark_service_h server = (busmark_service_h)e; /* `common` is its first member */
        uint64_t handle;
        if (!match(&client->common, e)) continue;
        status = busmark_calls_open(&server->calls, call, &handle);
        if (status == BUSMARK_OK)
            status = busmark_queue_push_request(&server->queue, handle, header, sample->body,
                                                sample->body_bytes);
    }
    return status;
}

/* Queues a response at the client that asked, unless it has gone. */
static busmark_status_t answer(busmark_service_h server, busmark_sample_h sample,
                               const busmark_header_t *header, uint64_t handle) {
    busmark_call_t call;
    busmark_status_t status = busmark_calls_get(&server->calls, handle, 1, &call);
    if (status != BUSMARK_OK) return busmark_fail(server, status, "no such request is open");
    for (endpoint *e = ends[BUSMARK_SIDE_CLIENT]; e != NULL; e = e->next) {
        busmark_service_h client = (busmark_service_h)e;
        if (client->name == call.client)
            return busmark_queue_push_request(&client->queue, call.number, header, sample->body,
                                              sample->body_bytes);
    }
    return BUSMARK_OK;
}

static busmark_status_t service_send(busmark_service_h service, busmark_sample_h sample,
                                     const busmark_header_t *header, uint64_t *request) {
    pthread_mutex_lock(&lock);
    busmark_status_t status = service->common.base.side == BUSMARK_SIDE_CLIENT
                                  ? ask(service, sample, header, request)
                                  : answer(service, sample, header, *request);
    pthread_mutex_unlock(&lock);
    return status;
}

static busmark_status_t service_take(busmark_service_h service, uint32_t max, busmark_sink_fn sink,
                                     void *context, uint32_t *taken) {
    return busmark_queue_take(&service->queue, max, sink, context, taken);
}

static busmark_status_t service_wait(busmark_service_h service, int64_t timeout_ns) {
    return busmark_queue_wait(&service->queue, timeout_ns);
}

static busmark_status_t service_drop(busmark_service_h service, uint64_t request) {
    busmark_call_t call;
    if (service->common.base.side == BUSMARK_SIDE_CLIENT) return BUSMARK_OK; /* nothing is kept */
    return busmark_calls_get(&service->calls, request, 1, &call);
}

#define BUSMARK_SERVICES
#define BUSMARK_ENTRIES                                                                           \
    BUSMARK_MATCH_ENTRIES, .wait = wait_for_samples, .service_wait = service_wait,                \
                           .service_match = busmark_service_match
#include "busmark_adapter_helper.h"
