/* SPDX-License-Identifier: Apache-2.0
 *
 * busmark_adapter_helper.h: what every adapter in C needs beside the table, as static inlines.
 *
 * It refuses what the capabilities do not list (C4) with a message (C3), reads structures of any size
 * (C2), finds and parses options, and reaches the host's log (C31). An adapter calls the checks first in
 * its …_create and continues with values that are known to fit. What the capabilities do not declare needs
 * no function: those entries of the table are NULL.
 *
 *     static busmark_status_t writer_create(…) {
 *         busmark_endpoint_config_t own = busmark_endpoint(config);
 *         busmark_status_t status = busmark_check_endpoint(&capabilities, &own, NULL, error);
 *         if (status != BUSMARK_OK) return status;
 *         …
 *
 * Where the adapter is on POSIX, busmark_adapter_table.h makes these calls too and fills in the table; see
 * there. For C++ there is busmark_adapter.hpp, which does the same with classes.
 */
#ifndef BUSMARK_ADAPTER_HELPER_H
#define BUSMARK_ADAPTER_HELPER_H

#include "busmark_adapter.h"

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
                              "the writer was made for bodies of at most %" PRIu64 " bytes",
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

/* Gives one sample to the sink of take(), without the middleware's stamps. */
BUSMARK_UNUSED static inline void busmark_deliver(busmark_sink_fn sink, void *context,
                                                  const busmark_header_t *header, const void *body,
                                                  uint64_t body_bytes) {
    busmark_received_t received;
    memset(&received, 0, sizeof received);
    received.struct_size = sizeof received;
    received.header = header;
    received.body = body_bytes > 0 ? body : NULL;
    received.body_bytes = body_bytes;
    sink(context, &received);
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

/* The moment of CLOCK_MONOTONIC at which a wait() that begins now has timed out. */
#ifdef CLOCK_MONOTONIC
BUSMARK_UNUSED static struct timespec busmark_until(int64_t timeout_ns) {
    struct timespec until;
    int64_t ns;
    clock_gettime(CLOCK_MONOTONIC, &until);
    ns = until.tv_nsec + timeout_ns % 1000000000;
    until.tv_sec += (time_t)(timeout_ns / 1000000000 + ns / 1000000000);
    until.tv_nsec = (long)(ns % 1000000000);
    return until;
}
#endif

#endif /* BUSMARK_ADAPTER_HELPER_H */
