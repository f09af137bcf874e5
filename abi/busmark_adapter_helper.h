/* SPDX-License-Identifier: Apache-2.0
 *
 * busmark_adapter_helper.h: what an adapter in C needs besides its middleware, as static inlines. It is optional:
 * the contract is busmark_adapter.h. For C++ there is busmark_adapter.hpp, which does the same with classes.
 *
 * An adapter is what stands between two includes of it:
 *
 *     #define _POSIX_C_SOURCE 200809L
 *     #define BUSMARK_PLAIN_PARTICIPANT  the middleware has nothing of its own for a participant
 *     #define BUSMARK_PLAIN_SAMPLES      it copies what is written: a sample is body_bytes and body
 *     #include "busmark_adapter_helper.h"
 *
 *     static const busmark_capabilities_t capabilities = {…};
 *     struct busmark_writer_s { busmark_endpoint_base_t base; … what the middleware needs … };
 *     struct busmark_reader_s { busmark_endpoint_base_t base; … };
 *     struct busmark_participant_s { busmark_participant_base_t base; … };                        (*)
 *
 *     busmark_status_t participant_open(participant, config, error);                              (*)
 *     busmark_status_t writer_open(writer, error);            what the middleware does to make one;
 *     busmark_status_t reader_open(reader, error);            the handle is all zeros behind its base
 *     void participant_close(participant);                                                        (*)
 *     void writer_close(writer);                              is called too for what an …_open
 *     void reader_close(reader);                              that failed has left in the handle
 *     write_sample, take                                      entries of these names
 *     sample_create, sample_destroy                           unless BUSMARK_PLAIN_SAMPLES is defined
 *
 *     #define BUSMARK_SERVICES     where it has services (C39): struct busmark_service_s, which begins as a writer
 *                                  does, service_open, service_close, and the entries service_send, service_take
 *                                  and service_drop. Samples are of BUSMARK_PLAIN_SAMPLES, or service_sample_create
 *                                  and service_sample_destroy are there too
 *     #define BUSMARK_SERVICE_LOCATOR  the entries service_locator and service_connect; without them clients find
 *     #define BUSMARK_SERVICE_CONNECT  their server by themselves
 *     #define BUSMARK_ENTRIES      further entries, such as BUSMARK_MATCH_ENTRIES, .wait = busmark_reader_wait;
 *                                  or nothing. It has the second include make the table
 *     #define BUSMARK_PROBE        the entry `probe`; without it a library that was linked is taken to be there
 *     #define BUSMARK_RUNTIME_END  a function that ends what the middleware has once per process
 *     #include "busmark_adapter_helper.h"
 *
 * (*) unless BUSMARK_PLAIN_PARTICIPANT is defined.
 *
 * The second include makes the table and busmark_adapter(). It refuses what `capabilities` do not list (C4) with
 * a message (C3), copies configurations of any size (C2, C14), allocates and frees the handles, and ends the
 * middleware's runtime with the last participant (C15). Entries for what is not declared stay NULL. Link with
 * -lpthread.
 *
 * An adapter that makes its own table leaves the second include out and makes the checks first in its …_create:
 *
 *     busmark_endpoint_config_t own = busmark_endpoint(config);
 *     busmark_status_t status = busmark_check_endpoint(&capabilities, &own, NULL, error);
 *     if (status != BUSMARK_OK) return status;
 *
 * Without POSIX (CLOCK_MONOTONIC is not defined) there are errors, options, checks and locators, and no more.
 */
#ifndef BUSMARK_ADAPTER_HELPER_H
#define BUSMARK_ADAPTER_HELPER_H

#include "busmark_adapter.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef __GNUC__
#define BUSMARK_PRINTF(text, first) __attribute__((format(printf, text, first), unused))
#define BUSMARK_UNUSED __attribute__((unused))
#else
#define BUSMARK_PRINTF(text, first)
#define BUSMARK_UNUSED
#endif

/* ------------------------------------------------------------------ errors (C3) --------------- */

/* Fills the error in and gives its status: `return busmark_refuse(error, BUSMARK_INVALID, "…");` */
BUSMARK_PRINTF(3, 4)
static busmark_status_t busmark_refuse(busmark_error_t *error, busmark_status_t status,
                                       const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    error->status = status;
    return status;
}

/* Memory that is all zeros; NULL with the error filled in where there is none. */
BUSMARK_UNUSED static void *busmark_new(size_t bytes, busmark_error_t *error) {
    void *made = calloc(1, bytes);
    if (made == NULL) busmark_refuse(error, BUSMARK_RESOURCES, "out of memory");
    return made;
}

/* ------------------------------------------------------------------ structures (C2) ----------- */

/* Copies what of a structure the other side has; the rest is 0. */
BUSMARK_UNUSED static void busmark_read(void *to, size_t bytes, const void *from) {
    uint32_t given;
    memcpy(&given, from, sizeof given);
    memset(to, 0, bytes);
    memcpy(to, from, given < bytes ? given : bytes);
}

BUSMARK_UNUSED static busmark_qos_t busmark_qos(const busmark_qos_t *from) {
    busmark_qos_t own;
    memset(&own, 0, sizeof own);
    if (from != NULL) busmark_read(&own, sizeof own, from);
    return own;
}

/* Its `qos` still points to the caller's structure: `busmark_qos(own.qos)`. */
BUSMARK_UNUSED static busmark_endpoint_config_t
busmark_endpoint(const busmark_endpoint_config_t *from) {
    busmark_endpoint_config_t own;
    busmark_read(&own, sizeof own, from);
    return own;
}

/* ------------------------------------------------------------------ the log (C31) ------------- */
static busmark_host_t busmark_host;

/* The table's entry `attach`. */
BUSMARK_UNUSED static void busmark_attach(const busmark_host_t *host) {
    busmark_read(&busmark_host, sizeof busmark_host, host);
}

/* A line for the round's log; to standard error where the host takes none. Not for the hot path. */
BUSMARK_PRINTF(2, 3)
static void busmark_log(busmark_log_level_e level, const char *format, ...) {
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (busmark_host.log != NULL)
        busmark_host.log(busmark_host.context, (uint32_t)level, line);
    else
        fprintf(stderr, "%s\n", line);
}

/* ------------------------------------------------------------------ options ------------------- */

/* For capabilities without any. */
BUSMARK_UNUSED static const busmark_option_t busmark_no_options[] = {{NULL, NULL, NULL}};

/* The value of an option: as set, else its default. Call busmark_check_participant first. */
BUSMARK_UNUSED static const char *busmark_option(const busmark_capabilities_t *capabilities,
                                                 const busmark_participant_config_t *config,
                                                 const char *key) {
    const busmark_setting_t *s = config->settings;
    const busmark_option_t *o = capabilities->options;
    for (; s != NULL && s->key != NULL; s++)
        if (strcmp(s->key, key) == 0) return s->value;
    for (; o != NULL && o->key != NULL; o++)
        if (strcmp(o->key, key) == 0) return o->value;
    return "";
}

/* An option that is a whole number from `least` to `most`. */
BUSMARK_UNUSED static busmark_status_t
busmark_option_number(const busmark_capabilities_t *capabilities,
                      const busmark_participant_config_t *config, const char *key, int64_t least,
                      int64_t most, int64_t *out, busmark_error_t *error) {
    const char *text = busmark_option(capabilities, config, key);
    char *end;
    *out = strtoll(text, &end, 10);
    if (end != text && *end == '\0' && *out >= least && *out <= most) return BUSMARK_OK;
    return busmark_refuse(error, BUSMARK_INVALID,
                          "option %s: \"%s\" is not a whole number from %" PRId64 " to %" PRId64, key,
                          text, least, most);
}

/* An option with the values "true" and "false". */
BUSMARK_UNUSED static busmark_status_t
busmark_option_flag(const busmark_capabilities_t *capabilities,
                    const busmark_participant_config_t *config, const char *key, int *out,
                    busmark_error_t *error) {
    const char *text = busmark_option(capabilities, config, key);
    *out = strcmp(text, "true") == 0;
    if (*out || strcmp(text, "false") == 0) return BUSMARK_OK;
    return busmark_refuse(error, BUSMARK_INVALID, "option %s: \"%s\" is neither true nor false", key,
                          text);
}

/* ------------------------------------------------------------------ refusing (C4) ------------- */

/* Refuses a security profile that the capabilities do not list (C38). */
BUSMARK_UNUSED static busmark_status_t
busmark_check_security(const busmark_capabilities_t *capabilities,
                       const busmark_participant_config_t *config, busmark_error_t *error) {
    const char *const *name = capabilities->security;
    if (!BUSMARK_HAS(config, security) || config->security == NULL) return BUSMARK_OK;
    for (; name != NULL && *name != NULL; name++)
        if (strcmp(*name, config->security->profile) == 0) return BUSMARK_OK;
    return busmark_refuse(error, BUSMARK_UNSUPPORTED, "%s has no security profile \"%s\"",
                          capabilities->name, config->security->profile);
}

/* Transport, profile, the names of options, and security. */
BUSMARK_UNUSED static busmark_status_t
busmark_check_participant(const busmark_capabilities_t *capabilities,
                          const busmark_participant_config_t *config, busmark_error_t *error) {
    const char *const *t = capabilities->transports;
    const busmark_setting_t *s = config->settings;
    while (*t != NULL && strcmp(*t, config->transport) != 0) t++;
    if (*t == NULL)
        return busmark_refuse(error, BUSMARK_UNSUPPORTED, "%s has no transport \"%s\"",
                              capabilities->name, config->transport);
    if (strcmp(config->profile, "default") != 0 && strcmp(config->profile, "tuned") != 0)
        return busmark_refuse(error, BUSMARK_INVALID,
                              "no profile \"%s\"; there are default and tuned", config->profile);
    for (; s != NULL && s->key != NULL; s++) {
        const busmark_option_t *o = capabilities->options;
        while (o != NULL && o->key != NULL && strcmp(o->key, s->key) != 0) o++;
        if (o == NULL || o->key == NULL)
            return busmark_refuse(error, BUSMARK_INVALID, "%s has no option \"%s\"",
                                  capabilities->name, s->key);
    }
    return busmark_check_security(capabilities, config, error);
}

/* The QoS of an endpoint, or with `honoured` = qos_mutable the QoS of set_qos. */
BUSMARK_UNUSED static busmark_status_t busmark_check_qos(const busmark_capabilities_t *capabilities,
                                                         uint32_t honoured,
                                                         const busmark_qos_t *qos,
                                                         busmark_error_t *error) {
    static const uint32_t pairs[] = {BUSMARK_QOS_BEST_EFFORT | BUSMARK_QOS_RELIABLE,
                                     BUSMARK_QOS_KEEP_LAST | BUSMARK_QOS_KEEP_ALL,
                                     BUSMARK_QOS_VOLATILE | BUSMARK_QOS_TRANSIENT_LOCAL};
    size_t i;
    if (qos->present & ~honoured)
        return busmark_refuse(error, BUSMARK_UNSUPPORTED,
                              "%s does not have the QoS 0x%" PRIx32 " (busmark_qos_value_e)",
                              capabilities->name, qos->present & ~honoured);
    for (i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if ((qos->present & pairs[i]) == pairs[i])
            return busmark_refuse(error, BUSMARK_INVALID, "the QoS 0x%" PRIx32 " exclude each other",
                                  pairs[i]);
    if ((qos->present & BUSMARK_QOS_KEEP_LAST) && qos->depth < 1)
        return busmark_refuse(error, BUSMARK_INVALID, "keep last needs a depth from 1");
    return BUSMARK_OK;
}

/* Whether this is one wait strategy, and declared. */
BUSMARK_UNUSED static int busmark_has_wait(const busmark_capabilities_t *capabilities,
                                           uint32_t wait) {
    return (wait == BUSMARK_WAIT_LISTENER || wait == BUSMARK_WAIT_WAITSET ||
            wait == BUSMARK_WAIT_POLL) &&
           (capabilities->waits & wait) != 0;
}

/* Everything about an endpoint. `has_listener` is NULL for a writer; for a reader it points to whether
 * the caller gave a listener. */
BUSMARK_UNUSED static busmark_status_t
busmark_check_endpoint(const busmark_capabilities_t *capabilities,
                       const busmark_endpoint_config_t *config, const int *has_listener,
                       busmark_error_t *error) {
    const char *name = capabilities->name;
    busmark_qos_t qos = busmark_qos(config->qos);
    if (config->payload >= 32 || !(capabilities->payloads & 1u << config->payload))
        return busmark_refuse(error, BUSMARK_UNSUPPORTED, "%s has no payload kind %" PRIu32, name,
                              config->payload);
    if (config->max_body_bytes > capabilities->max_body_bytes)
        return busmark_refuse(error, BUSMARK_INVALID, "%s carries at most %" PRIu64 " bytes", name,
                              capabilities->max_body_bytes);
    if (config->topic[0] == '\0')
        return busmark_refuse(error, BUSMARK_INVALID, "the topic has no name");
    if (has_listener != NULL && !busmark_has_wait(capabilities, config->wait))
        return busmark_refuse(error, BUSMARK_UNSUPPORTED, "%s has no wait strategy %" PRIu32, name,
                              config->wait);
    if (has_listener != NULL && *has_listener != (config->wait == BUSMARK_WAIT_LISTENER))
        return busmark_refuse(error, BUSMARK_INVALID,
                              "a listener goes with the listener strategy and with no other");
    if (config->instances > 0 && !(capabilities->features & BUSMARK_FEATURE_KEYS))
        return busmark_refuse(error, BUSMARK_UNSUPPORTED, "%s has no keyed topics", name);
    if (config->instances > 0 && config->payload != BUSMARK_PAYLOAD_OCTET)
        return busmark_refuse(error, BUSMARK_UNSUPPORTED, "keyed topics carry octets only");
    if (has_listener != NULL && config->filter_below > 0) {
        if (!(capabilities->features & BUSMARK_FEATURE_CONTENT_FILTER))
            return busmark_refuse(error, BUSMARK_UNSUPPORTED, "%s has no content filter", name);
        if (config->instances == 0)
            return busmark_refuse(error, BUSMARK_INVALID, "a filter needs a keyed topic");
    }
    return busmark_check_qos(capabilities, capabilities->qos, &qos, error);
}

/* Everything about an end of a service (C39). */
BUSMARK_UNUSED static busmark_status_t
busmark_check_service(const busmark_capabilities_t *capabilities,
                      const busmark_endpoint_config_t *config, uint32_t side,
                      busmark_error_t *error) {
    busmark_capabilities_t of_services = *capabilities;
    of_services.waits = capabilities->service_waits;
    of_services.qos = capabilities->service_qos;
    if (side != BUSMARK_SIDE_CLIENT && side != BUSMARK_SIDE_SERVER)
        return busmark_refuse(error, BUSMARK_INVALID, "a service has no side %" PRIu32, side);
    if (config->payload != BUSMARK_PAYLOAD_OCTET && config->payload != BUSMARK_PAYLOAD_EMPTY)
        return busmark_refuse(error, BUSMARK_UNSUPPORTED, "services carry octets, or nothing");
    if (!busmark_has_wait(&of_services, config->wait))
        return busmark_refuse(error, BUSMARK_UNSUPPORTED,
                              "services of %s have no wait strategy %" PRIu32, capabilities->name,
                              config->wait);
    if (config->instances > 0 || config->filter_below > 0)
        return busmark_refuse(error, BUSMARK_UNSUPPORTED, "services have neither keys nor filters");
    return busmark_check_endpoint(&of_services, config, NULL, error);
}

/* Bytes of one element of a payload kind. */
BUSMARK_UNUSED static uint64_t busmark_element_bytes(uint32_t payload) {
    switch (payload) {
    case BUSMARK_PAYLOAD_SHORT: return 2;
    case BUSMARK_PAYLOAD_FLOAT:
    case BUSMARK_PAYLOAD_LONG: return 4;
    case BUSMARK_PAYLOAD_STRUCT: return sizeof(busmark_struct_t);
    default: return 1;
    }
}

/* A body for an endpoint that was made so. */
BUSMARK_UNUSED static busmark_status_t busmark_check_body(uint32_t payload, uint64_t max_body_bytes,
                                                          uint64_t body_bytes,
                                                          busmark_error_t *error) {
    if (body_bytes > max_body_bytes)
        return busmark_refuse(error, BUSMARK_INVALID,
                              "the endpoint was made for bodies of at most %" PRIu64 " bytes",
                              max_body_bytes);
    if (body_bytes % busmark_element_bytes(payload) != 0)
        return busmark_refuse(error, BUSMARK_INVALID, "a body is a whole number of elements");
    return BUSMARK_OK;
}

/* ------------------------------------------------------------------ locators (C25) ------------ */

/* For reader_locator: the domain, which keeps writers of another one away (C13), and an address. */
BUSMARK_UNUSED static busmark_status_t busmark_locator(char *text, size_t bytes, uint32_t domain,
                                                       const char *address) {
    int length = snprintf(text, bytes, "%" PRIu32 " %s", domain, address);
    return length >= 0 && (size_t)length < bytes ? BUSMARK_OK : BUSMARK_RESOURCES;
}

/* For writer_connect: the address in a locator of this domain; else NULL with the error filled in. */
BUSMARK_UNUSED static const char *busmark_locator_address(const char *locator, uint32_t domain,
                                                          busmark_error_t *error) {
    char *end;
    unsigned long given = strtoul(locator, &end, 10);
    if (end != locator && *end == ' ' && given == domain) return end + 1;
    busmark_refuse(error, BUSMARK_INVALID, "\"%s\" is no locator of domain %" PRIu32, locator, domain);
    return NULL;
}

/* ------------------------------------------------------------------ the hot path -------------- */

/* Gives one request or response to the sink of service_take() (C40), without the middleware's stamps. */
BUSMARK_UNUSED static inline void busmark_deliver_request(busmark_sink_fn sink, void *context,
                                                          uint64_t request,
                                                          const busmark_header_t *header,
                                                          const void *body, uint64_t body_bytes) {
    busmark_received_t received;
    memset(&received, 0, sizeof received);
    received.struct_size = sizeof received;
    received.header = header;
    received.body = body_bytes > 0 ? body : NULL;
    received.body_bytes = body_bytes;
    received.request = request;
    sink(context, &received);
}

/* Gives one sample to the sink of take(), without the middleware's stamps. */
BUSMARK_UNUSED static inline void busmark_deliver(busmark_sink_fn sink, void *context,
                                                  const busmark_header_t *header, const void *body,
                                                  uint64_t body_bytes) {
    busmark_deliver_request(sink, context, 0, header, body, body_bytes);
}

/* The same where the message holds the header and then the body. What is shorter is not of an adapter's
 * making and is passed over: 0. */
BUSMARK_UNUSED static inline uint32_t busmark_deliver_message(busmark_sink_fn sink, void *context,
                                                              const void *bytes, size_t size) {
    const busmark_header_t *header = (const busmark_header_t *)bytes;
    if (size < sizeof *header) return 0;
    busmark_deliver(sink, context, header, header + 1, size - sizeof *header);
    return 1;
}

/* ==================================================================================================
 * Parts for what the middleware lacks. Each stands for itself.
 *
 *   busmark_matches_t   counts of C24 with the time of the event (C33), for middleware with events
 *   busmark_queue_t     samples that wait to be taken, with depth (C8), take (C19) and wait (C23), for
 *                       middleware that calls back with a sample, or has no queue
 *   busmark_calls_t     requests that a server has taken and not answered (C40), by handles of which each is
 *                       good once
 *   busmark_readable    wait (C23) for middleware with a descriptor that is readable when samples are there
 * ================================================================================================== */
#ifdef CLOCK_MONOTONIC
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

/* The moment of CLOCK_MONOTONIC at which a wait() that begins now has timed out. */
BUSMARK_UNUSED static struct timespec busmark_until(int64_t timeout_ns) {
    struct timespec until;
    int64_t ns;
    clock_gettime(CLOCK_MONOTONIC, &until);
    ns = until.tv_nsec + timeout_ns % 1000000000;
    until.tv_sec += (time_t)(timeout_ns / 1000000000 + ns / 1000000000);
    until.tv_nsec = (long)(ns % 1000000000);
    return until;
}

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
    uint64_t request, body_bytes;
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

/* Copies a request or response into the queue; where that is full, the oldest one goes. */
BUSMARK_UNUSED static busmark_status_t
busmark_queue_push_request(busmark_queue_t *self, uint64_t request, const busmark_header_t *header,
                           const void *body, uint64_t body_bytes) {
    busmark_node_t *old = NULL, *node = (busmark_node_t *)malloc(sizeof *node + body_bytes);
    if (node == NULL) return BUSMARK_RESOURCES;
    node->next = NULL;
    node->header = *header;
    node->request = request;
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

/* Copies a sample into the queue; where that is full, the oldest one goes. */
BUSMARK_UNUSED static busmark_status_t busmark_queue_push(busmark_queue_t *self,
                                                          const busmark_header_t *header,
                                                          const void *body, uint64_t body_bytes) {
    return busmark_queue_push_request(self, 0, header, body, body_bytes);
}

/* For take and service_take. */
BUSMARK_UNUSED static busmark_status_t busmark_queue_take(busmark_queue_t *self, uint32_t max,
                                                          busmark_sink_fn sink, void *context,
                                                          uint32_t *taken) {
    for (*taken = 0; *taken < max; ++*taken) {
        busmark_node_t *node;
        pthread_mutex_lock(&self->lock);
        node = busmark_queue_pop(self);
        pthread_mutex_unlock(&self->lock);
        if (node == NULL) break;
        busmark_deliver_request(sink, context, node->request, &node->header, node->body,
                                node->body_bytes);
        free(node);
    }
    return *taken > 0 ? BUSMARK_OK : BUSMARK_NO_DATA;
}

/* For wait and service_wait. */
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

/* ------------------------------------------------------------------ unanswered requests (C40) - */

/* What an adapter must know to answer a request: who asked, and by which number of its. */
typedef struct busmark_call_t {
    uint64_t client, number;
} busmark_call_t;

typedef struct busmark_slot_t {
    busmark_call_t call;
    uint32_t uses; /* odd while the call is open */
    uint32_t next; /* free slot after this one, counted from 1 */
} busmark_slot_t;

/* All zeros: there is none. */
typedef struct busmark_calls_t {
    pthread_mutex_t lock;
    uint32_t room, free; /* free: as `next` */
    busmark_slot_t *slots;
} busmark_calls_t;

BUSMARK_UNUSED static void busmark_calls_init(busmark_calls_t *self) {
    memset(self, 0, sizeof *self);
    pthread_mutex_init(&self->lock, NULL);
}

BUSMARK_UNUSED static void busmark_calls_done(busmark_calls_t *self) {
    free(self->slots);
    pthread_mutex_destroy(&self->lock);
}

/* Room for twice as many calls. Under the lock. */
BUSMARK_UNUSED static busmark_status_t busmark_calls_grow(busmark_calls_t *self) {
    uint32_t i, room = self->room > 0 ? 2 * self->room : 64;
    busmark_slot_t *slots = (busmark_slot_t *)realloc(self->slots, room * sizeof *slots);
    if (slots == NULL) return BUSMARK_RESOURCES;
    memset(slots + self->room, 0, (room - self->room) * sizeof *slots);
    for (i = self->room; i < room; i++) slots[i].next = i + 1 < room ? i + 2 : 0;
    self->free = self->room + 1;
    self->slots = slots;
    self->room = room;
    return BUSMARK_OK;
}

/* Stores the handle by which this call is answered. */
BUSMARK_UNUSED static busmark_status_t busmark_calls_open(busmark_calls_t *self,
                                                          busmark_call_t call, uint64_t *handle) {
    busmark_status_t status = BUSMARK_OK;
    pthread_mutex_lock(&self->lock);
    if (self->free == 0) status = busmark_calls_grow(self);
    if (status == BUSMARK_OK) {
        busmark_slot_t *slot = &self->slots[self->free - 1];
        *handle = (uint64_t)++slot->uses << 32 | self->free;
        slot->call = call;
        self->free = slot->next;
    }
    pthread_mutex_unlock(&self->lock);
    return status;
}

/* Stores the call of this handle and with `ends` closes it, after which the handle is BUSMARK_INVALID. */
BUSMARK_UNUSED static busmark_status_t busmark_calls_get(busmark_calls_t *self, uint64_t handle,
                                                         int ends, busmark_call_t *call) {
    uint32_t number = (uint32_t)handle, uses = (uint32_t)(handle >> 32);
    busmark_status_t status = BUSMARK_INVALID;
    pthread_mutex_lock(&self->lock);
    if (number > 0 && number <= self->room && uses % 2 == 1 &&
        self->slots[number - 1].uses == uses) {
        busmark_slot_t *slot = &self->slots[number - 1];
        *call = slot->call;
        status = BUSMARK_OK;
        if (ends) {
            slot->uses++;
            slot->next = self->free;
            self->free = number;
        }
    }
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

/* ==================================================================================================
 * What handles begin with, and entries that are made of it.
 * ================================================================================================== */

/* ------------------------------------------------------------------ participants -------------- */

/* What is kept of a participant's configuration (C14). Options are read in participant_open. */
typedef struct busmark_participant_base_t {
    uint32_t domain;
    int tuned; /* profile "tuned" */
    char transport[64], interface_name[64], interface_address[64];
    char run_dir[BUSMARK_RUN_DIR_BYTES + 1];
} busmark_participant_base_t;

#ifdef BUSMARK_PLAIN_PARTICIPANT
struct busmark_participant_s {
    busmark_participant_base_t base;
};
#endif

/* ------------------------------------------------------------------ endpoints ----------------- */

/* What is known of an endpoint. It has been checked when writer_open and reader_open are called. */
typedef struct busmark_endpoint_base_t {
    busmark_participant_h participant;
    uint32_t payload, wait, instances, filter_below;
    uint32_t side; /* of a service: busmark_side_e; else 0 */
    uint64_t max_body_bytes;
    busmark_qos_t qos;           /* partition: valid in …_open only */
    busmark_listener_t listener; /* on_data is NULL unless wait is BUSMARK_WAIT_LISTENER */
    char topic[BUSMARK_TOPIC_BYTES + 1];
    /* For the adapter to fill in, where it takes the entry that reads it. */
    busmark_matches_t matches;           /* BUSMARK_MATCH_ENTRIES */
    int descriptor;                      /* busmark_reader_wait */
    char address[BUSMARK_LOCATOR_BYTES]; /* busmark_reader_locator */
    busmark_status_t failed;             /* busmark_fail */
    char words[BUSMARK_MESSAGE_BYTES];
} busmark_endpoint_base_t;

/* The base of a writer, a reader, or an end of a service. */
BUSMARK_UNUSED static busmark_endpoint_base_t *busmark_base(void *endpoint) {
    return (busmark_endpoint_base_t *)endpoint;
}

BUSMARK_UNUSED static const busmark_participant_base_t *busmark_place(const void *endpoint) {
    const busmark_endpoint_base_t *base = (const busmark_endpoint_base_t *)endpoint;
    return (const busmark_participant_base_t *)(const void *)base->participant;
}

/* On the hot path: keeps the middleware's words for last_error (C32) and gives the status back. */
BUSMARK_UNUSED static busmark_status_t busmark_fail(void *endpoint, busmark_status_t status,
                                                    const char *words) {
    busmark_endpoint_base_t *base = busmark_base(endpoint);
    pthread_mutex_lock(&base->matches.lock); /* responses are sent by several threads (C44) */
    base->failed = status;
    snprintf(base->words, sizeof base->words, "%s", words);
    pthread_mutex_unlock(&base->matches.lock);
    return status;
}

/* The depth of keep last, at most `most`, which is what the middleware can hold; 0 where none is asked. */
BUSMARK_UNUSED static busmark_status_t busmark_depth(const void *endpoint, int32_t most,
                                                     int32_t *depth, busmark_error_t *error) {
    const busmark_qos_t *qos = &((const busmark_endpoint_base_t *)endpoint)->qos;
    *depth = qos->present & BUSMARK_QOS_KEEP_LAST ? qos->depth : 0;
    if (*depth <= most) return BUSMARK_OK;
    return busmark_refuse(error, BUSMARK_UNSUPPORTED,
                          "keep last with a depth of %" PRId32 "; at most %" PRId32 " can be held",
                          *depth, most);
}

/* ------------------------------------------------------------------ addresses ----------------- */

/* "ADDRESS:PORT" on the interface of the run (C11), with brackets where that is IPv6. */
BUSMARK_UNUSED static void busmark_host_port(char *text, size_t bytes, const void *endpoint,
                                             unsigned port) {
    const char *address = busmark_place(endpoint)->interface_address;
    snprintf(text, bytes, strchr(address, ':') != NULL ? "[%s]:%u" : "%s:%u", address, port);
}

/* A path in run_dir (C12) that no other endpoint has, short enough for a socket. */
BUSMARK_UNUSED static void busmark_own_path(char *text, size_t bytes, const void *endpoint) {
    snprintf(text, bytes, "%s/%x-%" PRIxPTR, busmark_place(endpoint)->run_dir, (unsigned)getpid(),
             (uintptr_t)endpoint);
}

/* ------------------------------------------------------------------ ready-made entries -------- */
BUSMARK_UNUSED static busmark_status_t busmark_writer_matched(busmark_writer_h writer,
                                                              uint32_t *count) {
    return *count = busmark_matches_now(&busmark_base(writer)->matches), BUSMARK_OK;
}

BUSMARK_UNUSED static busmark_status_t busmark_reader_matched(busmark_reader_h reader,
                                                              uint32_t *count) {
    return *count = busmark_matches_now(&busmark_base(reader)->matches), BUSMARK_OK;
}

BUSMARK_UNUSED static busmark_status_t busmark_writer_match(busmark_writer_h writer,
                                                            busmark_match_t *match) {
    return busmark_matches_get(&busmark_base(writer)->matches, match);
}

BUSMARK_UNUSED static busmark_status_t busmark_reader_match(busmark_reader_h reader,
                                                            busmark_match_t *match) {
    return busmark_matches_get(&busmark_base(reader)->matches, match);
}

/* For service_match (C43). */
BUSMARK_UNUSED static busmark_status_t busmark_service_match(busmark_service_h service,
                                                             busmark_match_t *match) {
    return busmark_matches_get(&busmark_base(service)->matches, match);
}

/* For BUSMARK_SERVICE_LOCATOR. */
BUSMARK_UNUSED static busmark_status_t busmark_service_locator(busmark_service_h service,
                                                               char *text, size_t bytes) {
    if (busmark_base(service)->side != BUSMARK_SIDE_SERVER) return BUSMARK_UNSUPPORTED;
    return busmark_locator(text, bytes, busmark_place(service)->domain,
                           busmark_base(service)->address);
}

/* For the features MATCHED and MATCH_EVENTS. */
#define BUSMARK_MATCH_ENTRIES                                                                      \
    .writer_matched = busmark_writer_matched, .reader_matched = busmark_reader_matched,            \
    .writer_match = busmark_writer_match, .reader_match = busmark_reader_match

BUSMARK_UNUSED static busmark_status_t busmark_reader_wait(busmark_reader_h reader,
                                                           int64_t timeout_ns) {
    return busmark_readable(busmark_base(reader)->descriptor, timeout_ns);
}

BUSMARK_UNUSED static busmark_status_t busmark_reader_locator(busmark_reader_h reader, char *text,
                                                              size_t bytes) {
    return busmark_locator(text, bytes, busmark_place(reader)->domain,
                           busmark_base(reader)->address);
}

#ifdef BUSMARK_PLAIN_SAMPLES
struct busmark_sample_s {
    uint64_t body_bytes;
    unsigned char body[];
};

/* Puts header and body into a message of sizeof(busmark_header_t) + sample->body_bytes. */
BUSMARK_UNUSED static void busmark_copy(void *message, const busmark_header_t *header,
                                        busmark_sample_h sample) {
    memcpy(message, header, sizeof *header);
    memcpy((char *)message + sizeof *header, sample->body, sample->body_bytes);
}
#endif
#endif /* CLOCK_MONOTONIC */

#endif /* BUSMARK_ADAPTER_HELPER_H */

/* ==================================================================================================
 * The second include: the table.
 * ================================================================================================== */
#ifdef BUSMARK_ENTRIES
#ifndef CLOCK_MONOTONIC
#error "define _POSIX_C_SOURCE as 200809L before the first header"
#endif

/* ------------------------------------------------------------------ participants -------------- */
#ifdef BUSMARK_RUNTIME_END
static pthread_mutex_t busmark_runtime = PTHREAD_MUTEX_INITIALIZER;
static uint32_t busmark_participants;

static void busmark_count_participant(int change) {
    pthread_mutex_lock(&busmark_runtime);
    busmark_participants += (uint32_t)change;
    if (busmark_participants == 0) BUSMARK_RUNTIME_END();
    pthread_mutex_unlock(&busmark_runtime);
}
#else
static void busmark_count_participant(int change) { (void)change; }
#endif

static void busmark_participant_destroy(busmark_participant_h participant) {
#ifndef BUSMARK_PLAIN_PARTICIPANT
    participant_close(participant);
#endif
    free(participant);
    busmark_count_participant(-1);
}

static busmark_status_t busmark_participant_create(const busmark_participant_config_t *config,
                                                   busmark_participant_h *out,
                                                   busmark_error_t *error) {
    busmark_status_t status = busmark_check_participant(&capabilities, config, error);
    if (status != BUSMARK_OK) return status;
    busmark_participant_h participant = busmark_new(sizeof *participant, error);
    if (participant == NULL) return BUSMARK_RESOURCES;
    busmark_participant_base_t *base = (busmark_participant_base_t *)participant;
    base->domain = config->domain;
    base->tuned = strcmp(config->profile, "tuned") == 0;
    snprintf(base->transport, sizeof base->transport, "%s", config->transport);
    snprintf(base->interface_name, sizeof base->interface_name, "%s", config->interface_name);
    snprintf(base->interface_address, sizeof base->interface_address, "%s",
             config->interface_address);
    snprintf(base->run_dir, sizeof base->run_dir, "%s", config->run_dir);
    busmark_count_participant(1);
#ifndef BUSMARK_PLAIN_PARTICIPANT
    status = participant_open(participant, config, error);
    if (status != BUSMARK_OK) return busmark_participant_destroy(participant), status;
#endif
    *out = participant;
    return BUSMARK_OK;
}

/* ------------------------------------------------------------------ endpoints ----------------- */

/* A handle with its base filled in; NULL with the error where there is no memory. */
static void *busmark_base_new(size_t bytes, busmark_participant_h participant,
                              const busmark_endpoint_config_t *config, busmark_error_t *error) {
    const busmark_endpoint_config_t own = busmark_endpoint(config);
    busmark_endpoint_base_t *base = busmark_new(bytes, error);
    if (base == NULL) return NULL;
    base->participant = participant;
    base->payload = own.payload;
    base->wait = own.wait;
    base->instances = own.instances;
    base->filter_below = own.filter_below;
    base->max_body_bytes = own.max_body_bytes;
    base->qos = busmark_qos(own.qos);
    snprintf(base->topic, sizeof base->topic, "%s", own.topic);
    busmark_matches_init(&base->matches);
    return base;
}

/* The same of a writer or reader; NULL with the error where it is refused, too. `has_listener` is NULL for a
 * writer. */
static void *busmark_endpoint_new(size_t bytes, busmark_participant_h participant,
                                  const busmark_endpoint_config_t *config, const int *has_listener,
                                  busmark_error_t *error) {
    const busmark_endpoint_config_t own = busmark_endpoint(config);
    if (busmark_check_endpoint(&capabilities, &own, has_listener, error) != BUSMARK_OK)
        return NULL;
    return busmark_base_new(bytes, participant, config, error);
}

static void busmark_endpoint_free(void *endpoint) {
    busmark_matches_done(&busmark_base(endpoint)->matches);
    free(endpoint);
}

static void busmark_writer_destroy(busmark_writer_h writer) {
    writer_close(writer);
    busmark_endpoint_free(writer);
}

static busmark_status_t busmark_writer_create(busmark_participant_h participant,
                                              const busmark_endpoint_config_t *config,
                                              busmark_writer_h *out, busmark_error_t *error) {
    busmark_writer_h writer =
        busmark_endpoint_new(sizeof *writer, participant, config, NULL, error);
    if (writer == NULL) return error->status;
    busmark_status_t status = writer_open(writer, error);
    if (status != BUSMARK_OK) return busmark_writer_destroy(writer), status;
    *out = writer;
    return BUSMARK_OK;
}

static void busmark_reader_destroy(busmark_reader_h reader) {
    reader_close(reader);
    busmark_endpoint_free(reader);
}

static busmark_status_t busmark_reader_create(busmark_participant_h participant,
                                              const busmark_endpoint_config_t *config,
                                              const busmark_listener_t *listener,
                                              busmark_reader_h *out, busmark_error_t *error) {
    int listens = listener != NULL;
    busmark_reader_h reader =
        busmark_endpoint_new(sizeof *reader, participant, config, &listens, error);
    if (reader == NULL) return error->status;
    busmark_endpoint_base_t *base = busmark_base(reader);
    if (listens) busmark_read(&base->listener, sizeof base->listener, listener);
    busmark_status_t status = reader_open(reader, error);
    if (status != BUSMARK_OK) return busmark_reader_destroy(reader), status;
    *out = reader;
    return BUSMARK_OK;
}

/* ------------------------------------------------------------------ services ------------------ */
#ifdef BUSMARK_SERVICES
static void busmark_service_destroy(busmark_service_h service) {
    service_close(service);
    busmark_endpoint_free(service);
}

#ifndef BUSMARK_SERVICE_LOCATOR
#define BUSMARK_SERVICE_LOCATOR busmark_no_service_locator
static busmark_status_t busmark_no_service_locator(busmark_service_h service, char *text,
                                                   size_t bytes) {
    return (void)service, (void)text, (void)bytes, BUSMARK_UNSUPPORTED;
}
#endif

#ifndef BUSMARK_SERVICE_CONNECT
#define BUSMARK_SERVICE_CONNECT busmark_no_service_connect
static busmark_status_t busmark_no_service_connect(busmark_service_h service, const char *locator,
                                                   busmark_error_t *error) {
    (void)service, (void)locator;
    return busmark_refuse(error, BUSMARK_UNSUPPORTED, "clients of %s find their server by themselves",
                          capabilities.name);
}
#endif

static busmark_status_t busmark_service_create(busmark_participant_h participant,
                                               const busmark_endpoint_config_t *config,
                                               uint32_t side, busmark_service_h *out,
                                               busmark_error_t *error) {
    const busmark_endpoint_config_t own = busmark_endpoint(config);
    busmark_status_t status = busmark_check_service(&capabilities, &own, side, error);
    if (status != BUSMARK_OK) return status;
    busmark_service_h service = busmark_base_new(sizeof *service, participant, config, error);
    if (service == NULL) return BUSMARK_RESOURCES;
    busmark_base(service)->side = side;
    status = service_open(service, error);
    if (status != BUSMARK_OK) return busmark_service_destroy(service), status;
    *out = service;
    return BUSMARK_OK;
}
#endif

/* ------------------------------------------------------------------ samples ------------------- */
#ifdef BUSMARK_PLAIN_SAMPLES
static busmark_status_t busmark_sample_new(const busmark_endpoint_base_t *base, const void *body,
                                           uint64_t body_bytes, busmark_sample_h *out,
                                           busmark_error_t *error) {
    busmark_status_t status =
        busmark_check_body(base->payload, base->max_body_bytes, body_bytes, error);
    if (status != BUSMARK_OK) return status;
    busmark_sample_h sample = busmark_new(sizeof *sample + body_bytes, error);
    if (sample == NULL) return BUSMARK_RESOURCES;
    sample->body_bytes = body_bytes;
    if (body_bytes > 0) memcpy(sample->body, body, body_bytes);
    *out = sample;
    return BUSMARK_OK;
}

static busmark_status_t sample_create(busmark_writer_h writer, const void *body,
                                      uint64_t body_bytes, busmark_sample_h *out,
                                      busmark_error_t *error) {
    return busmark_sample_new(busmark_base(writer), body, body_bytes, out, error);
}

static void sample_destroy(busmark_writer_h writer, busmark_sample_h sample) {
    (void)writer;
    free(sample);
}

#ifdef BUSMARK_SERVICES
static busmark_status_t service_sample_create(busmark_service_h service, const void *body,
                                              uint64_t body_bytes, busmark_sample_h *out,
                                              busmark_error_t *error) {
    return busmark_sample_new(busmark_base(service), body, body_bytes, out, error);
}

static void service_sample_destroy(busmark_service_h service, busmark_sample_h sample) {
    (void)service;
    free(sample);
}
#endif
#endif

/* ------------------------------------------------------------------ words (C32) --------------- */
static busmark_status_t busmark_last_error(busmark_endpoint_base_t *base, busmark_error_t *error) {
    busmark_status_t status = BUSMARK_NO_DATA;
    pthread_mutex_lock(&base->matches.lock);
    if (base->failed != BUSMARK_OK) {
        busmark_refuse(error, base->failed, "%s", base->words);
        status = BUSMARK_OK;
    }
    pthread_mutex_unlock(&base->matches.lock);
    return status;
}

static busmark_status_t busmark_writer_last_error(busmark_writer_h writer, busmark_error_t *error) {
    return busmark_last_error(busmark_base(writer), error);
}

static busmark_status_t busmark_reader_last_error(busmark_reader_h reader, busmark_error_t *error) {
    return busmark_last_error(busmark_base(reader), error);
}

#ifdef BUSMARK_SERVICES
static busmark_status_t busmark_service_last_error(busmark_service_h service,
                                                   busmark_error_t *error) {
    return busmark_last_error(busmark_base(service), error);
}
#endif

/* ------------------------------------------------------------------ the table ----------------- */
#ifndef BUSMARK_PROBE
#define BUSMARK_PROBE busmark_linked
static busmark_status_t busmark_linked(busmark_error_t *error) { return (void)error, BUSMARK_OK; }
#endif

static const busmark_adapter_t busmark_table = {
    .abi_version = BUSMARK_ABI_VERSION,
    .struct_size = sizeof(busmark_adapter_t),
    .capabilities = &capabilities,
    .probe = BUSMARK_PROBE,
    .participant_create = busmark_participant_create,
    .participant_destroy = busmark_participant_destroy,
    .writer_create = busmark_writer_create,
    .writer_destroy = busmark_writer_destroy,
    .reader_create = busmark_reader_create,
    .reader_destroy = busmark_reader_destroy,
    .sample_create = sample_create,
    .sample_destroy = sample_destroy,
    .write = write_sample,
    .take = take,
    .attach = busmark_attach,
    .writer_last_error = busmark_writer_last_error,
    .reader_last_error = busmark_reader_last_error,
#ifdef BUSMARK_SERVICES
    .service_create = busmark_service_create,
    .service_destroy = busmark_service_destroy,
    .service_sample_create = service_sample_create,
    .service_sample_destroy = service_sample_destroy,
    .service_send = service_send,
    .service_take = service_take,
    .service_drop = service_drop,
    .service_last_error = busmark_service_last_error,
    .service_locator = BUSMARK_SERVICE_LOCATOR,
    .service_connect = BUSMARK_SERVICE_CONNECT,
#endif
    BUSMARK_ENTRIES};

const busmark_adapter_t *busmark_adapter(void) { return &busmark_table; }
#endif /* BUSMARK_ENTRIES */
