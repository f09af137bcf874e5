/* SPDX-License-Identifier: Apache-2.0
 *
 * memory_adapter.c: a whole Busmark adapter. Its "middleware" is a list of readers in this process.
 *
 *   cc -std=c11 -shared -fPIC -O2 -Wall -Wextra -I abi abi/examples/memory_adapter.c \
 *      -o libbusmark_memory.so -lpthread
 *   busmark adapter check ./libbusmark_memory.so
 *
 * It shows what every adapter must do: declare what it can do and nothing more, refuse the rest
 * with a reason (C3, C4), copy what it keeps (C14), and leave nothing behind (C15).
 */
#define _POSIX_C_SOURCE 200809L
#include "busmark_adapter.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PAYLOADS ((1u << BUSMARK_PAYLOAD_ANY) - 1) /* all kinds before ANY */
#define QOS                                                                                       \
    (BUSMARK_QOS_RELIABLE | BUSMARK_QOS_KEEP_LAST | BUSMARK_QOS_KEEP_ALL | BUSMARK_QOS_VOLATILE)
#define LARGEST_BODY (16u << 20)

static const char *const transports[] = {"memory", NULL};
static const busmark_option_t options[] = {{NULL, NULL, NULL}};
static const busmark_capabilities_t capabilities = {
    .struct_size = sizeof(busmark_capabilities_t),
    .waits = BUSMARK_WAIT_WAITSET | BUSMARK_WAIT_POLL,
    .reach = BUSMARK_REACH_PROCESS,
    .payloads = PAYLOADS,
    .qos = QOS,
    .features = BUSMARK_FEATURE_MATCHED,
    .max_body_bytes = LARGEST_BODY,
    .name = "memory",
    .title = "Memory of one process (example)",
    .version = "1.0",
    .middleware_version = "none",
    .licence = "Apache-2.0",
    .cost = "one allocation and one copy of header and body per sample and reader",
    .install = "",
    .transports = transports,
    .options = options,
};

/* ------------------------------------------------------------------ the middleware ------------ */
typedef struct node { /* a sample that waits to be taken */
    struct node *next;
    busmark_header_t header;
    uint64_t body_bytes;
    unsigned char body[];
} node;

typedef struct endpoint { /* what writers and readers have in common */
    struct endpoint *next;
    uint32_t domain, payload;
    uint64_t max_body_bytes;
    char *topic;
} endpoint;

struct busmark_participant_s {
    uint32_t domain;
};
struct busmark_writer_s {
    endpoint common;
};
struct busmark_reader_s {
    endpoint common;
    uint64_t depth, count; /* depth 0: keep all */
    node *first, **end;
    pthread_cond_t arrived;
};
struct busmark_sample_s {
    uint64_t body_bytes;
    unsigned char body[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards all of it */
static endpoint *writers, *readers;

static int match(const endpoint *a, const endpoint *b) {
    return a->domain == b->domain && a->payload == b->payload && strcmp(a->topic, b->topic) == 0;
}

static uint32_t count_matches(const endpoint *self, endpoint *const *list) {
    uint32_t count = 0;
    pthread_mutex_lock(&lock);
    for (const endpoint *e = *list; e != NULL; e = e->next) count += match(self, e);
    pthread_mutex_unlock(&lock);
    return count;
}

static void enlist(endpoint **list, endpoint *self) {
    pthread_mutex_lock(&lock);
    self->next = *list;
    *list = self;
    pthread_mutex_unlock(&lock);
}

static void leave(endpoint **list, endpoint *self) {
    pthread_mutex_lock(&lock);
    while (*list != self) list = &(*list)->next;
    *list = self->next;
    pthread_mutex_unlock(&lock);
    free(self->topic);
}

static node *pop(busmark_reader_h reader) {
    node *n = reader->first;
    if (n == NULL) return NULL;
    reader->first = n->next;
    if (reader->first == NULL) reader->end = &reader->first;
    reader->count--;
    return n;
}

static void push(busmark_reader_h reader, node *n) {
    n->next = NULL;
    *reader->end = n;
    reader->end = &n->next;
    reader->count++;
    if (reader->depth != 0 && reader->count > reader->depth) free(pop(reader));
    pthread_cond_signal(&reader->arrived);
}

/* ------------------------------------------------------------------ refusing (C3, C4) --------- */
static busmark_status_e refuse(busmark_error_t *error, busmark_status_e status, const char *format,
                               ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    error->status = status;
    return status;
}

static int both(uint32_t present, uint32_t values) { return (present & values) == values; }

static busmark_status_e endpoint_init(endpoint *self, busmark_participant_h participant,
                                      const busmark_endpoint_config_t *config,
                                      busmark_error_t *error) {
    uint32_t present = config->qos != NULL ? config->qos->present : 0;
    if (config->payload >= 32 || (PAYLOADS & 1u << config->payload) == 0)
        return refuse(error, BUSMARK_UNSUPPORTED, "no payload kind %u", config->payload);
    if (present & ~(uint32_t)QOS)
        return refuse(error, BUSMARK_UNSUPPORTED, "no QoS 0x%x", present & ~(uint32_t)QOS);
    if (both(present, BUSMARK_QOS_KEEP_ALL | BUSMARK_QOS_KEEP_LAST))
        return refuse(error, BUSMARK_INVALID, "keep all or keep last, not both");
    if ((present & BUSMARK_QOS_KEEP_LAST) && config->qos->depth < 1)
        return refuse(error, BUSMARK_INVALID, "keep last needs a depth from 1");
    if (config->instances != 0 || config->filter_below != 0)
        return refuse(error, BUSMARK_UNSUPPORTED, "no keyed topics");
    if (config->topic[0] == '\0') return refuse(error, BUSMARK_INVALID, "the topic has no name");
    if (config->max_body_bytes > LARGEST_BODY)
        return refuse(error, BUSMARK_INVALID, "at most %u bytes of body", LARGEST_BODY);
    self->domain = participant->domain;
    self->payload = config->payload;
    self->max_body_bytes = config->max_body_bytes;
    self->topic = strdup(config->topic);
    if (self->topic == NULL) return refuse(error, BUSMARK_RESOURCES, "out of memory");
    return BUSMARK_OK;
}

/* ------------------------------------------------------------------ the table ----------------- */
static busmark_status_e probe(busmark_error_t *error) { return (void)error, BUSMARK_OK; }

static busmark_status_e participant_create(const busmark_participant_config_t *config,
                                           busmark_participant_h *out, busmark_error_t *error) {
    if (strcmp(config->transport, "memory") != 0)
        return refuse(error, BUSMARK_UNSUPPORTED, "no transport \"%s\"", config->transport);
    if (config->settings != NULL && config->settings[0].key != NULL)
        return refuse(error, BUSMARK_INVALID, "no option \"%s\"", config->settings[0].key);
    *out = malloc(sizeof **out);
    if (*out == NULL) return refuse(error, BUSMARK_RESOURCES, "out of memory");
    (*out)->domain = config->domain;
    return BUSMARK_OK;
}

static void participant_destroy(busmark_participant_h participant) { free(participant); }

static busmark_status_e writer_create(busmark_participant_h participant,
                                      const busmark_endpoint_config_t *config,
                                      busmark_writer_h *out, busmark_error_t *error) {
    busmark_writer_h writer = calloc(1, sizeof *writer);
    if (writer == NULL) return refuse(error, BUSMARK_RESOURCES, "out of memory");
    busmark_status_e status = endpoint_init(&writer->common, participant, config, error);
    if (status != BUSMARK_OK) return free(writer), status;
    enlist(&writers, &writer->common);
    *out = writer;
    return BUSMARK_OK;
}

static void writer_destroy(busmark_writer_h writer) {
    leave(&writers, &writer->common);
    free(writer);
}

static busmark_status_e reader_create(busmark_participant_h participant,
                                      const busmark_endpoint_config_t *config,
                                      const busmark_listener_t *listener, busmark_reader_h *out,
                                      busmark_error_t *error) {
    if (listener != NULL ||
        (config->wait != BUSMARK_WAIT_WAITSET && config->wait != BUSMARK_WAIT_POLL))
        return refuse(error, BUSMARK_UNSUPPORTED, "no wait strategy %u", config->wait);
    busmark_reader_h reader = calloc(1, sizeof *reader);
    if (reader == NULL) return refuse(error, BUSMARK_RESOURCES, "out of memory");
    busmark_status_e status = endpoint_init(&reader->common, participant, config, error);
    if (status != BUSMARK_OK) return free(reader), status;
    if (config->qos != NULL && (config->qos->present & BUSMARK_QOS_KEEP_LAST))
        reader->depth = (uint64_t)config->qos->depth;
    reader->end = &reader->first;
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&reader->arrived, &clock);
    pthread_condattr_destroy(&clock);
    enlist(&readers, &reader->common);
    *out = reader;
    return BUSMARK_OK;
}

static void reader_destroy(busmark_reader_h reader) {
    leave(&readers, &reader->common);
    for (node *n; (n = pop(reader)) != NULL;) free(n);
    pthread_cond_destroy(&reader->arrived);
    free(reader);
}

static busmark_status_e sample_create(busmark_writer_h writer, const void *body,
                                      uint64_t body_bytes, busmark_sample_h *out,
                                      busmark_error_t *error) {
    if (body_bytes > writer->common.max_body_bytes)
        return refuse(error, BUSMARK_INVALID, "the writer was made for smaller bodies");
    busmark_sample_h sample = malloc(sizeof *sample + body_bytes);
    if (sample == NULL) return refuse(error, BUSMARK_RESOURCES, "out of memory");
    sample->body_bytes = body_bytes;
    if (body_bytes > 0) memcpy(sample->body, body, body_bytes);
    *out = sample;
    return BUSMARK_OK;
}

static void sample_destroy(busmark_writer_h writer, busmark_sample_h sample) {
    (void)writer;
    free(sample);
}

static busmark_status_e write_sample(busmark_writer_h writer, busmark_sample_h sample,
                                     const busmark_header_t *header) {
    busmark_status_e status = BUSMARK_OK;
    pthread_mutex_lock(&lock);
    for (endpoint *r = readers; r != NULL && status == BUSMARK_OK; r = r->next) {
        if (!match(&writer->common, r)) continue;
        node *n = malloc(sizeof *n + sample->body_bytes);
        if (n == NULL) {
            status = BUSMARK_RESOURCES;
            break;
        }
        n->header = *header;
        n->body_bytes = sample->body_bytes;
        memcpy(n->body, sample->body, sample->body_bytes);
        push((busmark_reader_h)r, n); /* `common` is its first member */
    }
    pthread_mutex_unlock(&lock);
    return status;
}

static busmark_status_e flush(busmark_writer_h writer) { return (void)writer, BUSMARK_OK; }

static busmark_status_e take(busmark_reader_h reader, uint32_t max, busmark_sink_fn sink,
                             void *context, uint32_t *taken) {
    for (*taken = 0; *taken < max; ++*taken) {
        pthread_mutex_lock(&lock);
        node *n = pop(reader);
        pthread_mutex_unlock(&lock);
        if (n == NULL) break;
        busmark_received_t received = {
            .struct_size = sizeof received,
            .header = &n->header,
            .body = n->body_bytes > 0 ? n->body : NULL,
            .body_bytes = n->body_bytes,
        };
        sink(context, &received);
        free(n);
    }
    return *taken > 0 ? BUSMARK_OK : BUSMARK_NO_DATA;
}

static busmark_status_e wait_for_samples(busmark_reader_h reader, int64_t timeout_ns) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    int64_t ns = until.tv_nsec + timeout_ns % 1000000000;
    until.tv_sec += timeout_ns / 1000000000 + ns / 1000000000;
    until.tv_nsec = ns % 1000000000;
    int late = 0;
    pthread_mutex_lock(&lock);
    while (reader->first == NULL && !late)
        late = pthread_cond_timedwait(&reader->arrived, &lock, &until) != 0;
    busmark_status_e status = reader->first != NULL ? BUSMARK_OK : BUSMARK_TIMEOUT;
    pthread_mutex_unlock(&lock);
    return status;
}

static busmark_status_e writer_matched(busmark_writer_h writer, uint32_t *count) {
    return *count = count_matches(&writer->common, &readers), BUSMARK_OK;
}

static busmark_status_e reader_matched(busmark_reader_h reader, uint32_t *count) {
    return *count = count_matches(&reader->common, &writers), BUSMARK_OK;
}

static busmark_status_e reader_locator(busmark_reader_h reader, char *text, size_t bytes) {
    return (void)reader, (void)text, (void)bytes, BUSMARK_UNSUPPORTED;
}

static busmark_status_e writer_connect(busmark_writer_h writer, const char *locator,
                                       busmark_error_t *error) {
    (void)writer;
    return refuse(error, BUSMARK_UNSUPPORTED, "readers are found without \"%s\"", locator);
}

static busmark_status_e writer_set_qos(busmark_writer_h writer, const busmark_qos_t *qos,
                                       busmark_error_t *error) {
    (void)writer, (void)qos;
    return refuse(error, BUSMARK_UNSUPPORTED, "no QoS can change at run time");
}

static busmark_status_e reader_set_qos(busmark_reader_h reader, const busmark_qos_t *qos,
                                       busmark_error_t *error) {
    (void)reader, (void)qos;
    return refuse(error, BUSMARK_UNSUPPORTED, "no QoS can change at run time");
}

static void no_counters(busmark_counters_t *counters) {
    counters->lost = counters->rejected = BUSMARK_ABSENT;
    counters->deadline_missed = counters->retransmitted = BUSMARK_ABSENT;
    counters->injected_drops = counters->injected_duplicates = BUSMARK_ABSENT;
    counters->injected_reorders = counters->injected_corruptions = BUSMARK_ABSENT;
    counters->injected_delays = BUSMARK_ABSENT;
}

static busmark_status_e writer_counters(busmark_writer_h writer, busmark_counters_t *counters) {
    return (void)writer, no_counters(counters), BUSMARK_OK;
}

static busmark_status_e reader_counters(busmark_reader_h reader, busmark_counters_t *counters) {
    return (void)reader, no_counters(counters), BUSMARK_OK;
}

static const busmark_adapter_t table = {
    .abi_version = BUSMARK_ABI_VERSION,
    .struct_size = sizeof(busmark_adapter_t),
    .capabilities = &capabilities,
    .probe = probe,
    .participant_create = participant_create,
    .participant_destroy = participant_destroy,
    .writer_create = writer_create,
    .writer_destroy = writer_destroy,
    .reader_create = reader_create,
    .reader_destroy = reader_destroy,
    .sample_create = sample_create,
    .sample_destroy = sample_destroy,
    .write = write_sample,
    .flush = flush,
    .take = take,
    .wait = wait_for_samples,
    .writer_matched = writer_matched,
    .reader_matched = reader_matched,
    .reader_locator = reader_locator,
    .writer_connect = writer_connect,
    .writer_set_qos = writer_set_qos,
    .reader_set_qos = reader_set_qos,
    .writer_counters = writer_counters,
    .reader_counters = reader_counters,
};

const busmark_adapter_t *busmark_adapter(void) { return &table; }
