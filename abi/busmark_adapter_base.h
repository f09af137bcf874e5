/* SPDX-License-Identifier: Apache-2.0
 *
 * busmark_adapter_base.h: what handles of every adapter in C begin with, so that busmark_adapter_table.h can
 * make, check and release them. Include it first; the adapter then writes
 *
 *     struct busmark_writer_s { busmark_endpoint_base_t base; … what the middleware needs … };
 *     struct busmark_reader_s { busmark_endpoint_base_t base; … };
 *
 * Before the include it may define
 *
 *     BUSMARK_PLAIN_PARTICIPANT  the middleware has nothing of its own for a participant
 *     BUSMARK_PLAIN_SAMPLES      the middleware copies what is written: a sample is body_bytes and body
 */
#ifndef BUSMARK_ADAPTER_BASE_H
#define BUSMARK_ADAPTER_BASE_H

#include "busmark_adapter_posix.h"

#include <unistd.h>

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

/* The base of a writer or reader. */
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
    base->failed = status;
    snprintf(base->words, sizeof base->words, "%s", words);
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

#endif /* BUSMARK_ADAPTER_BASE_H */
