/* SPDX-License-Identifier: Apache-2.0
 *
 * busmark_adapter_table.h: the last include of an adapter in C. It makes the table from what stands above it,
 * and busmark_adapter(). It refuses what `capabilities` do not list (C4), copies configurations (C2, C14),
 * allocates and frees the handles, and ends the middleware's runtime with the last participant (C15).
 *
 * Above it stand
 *
 *     static const busmark_capabilities_t capabilities;
 *     struct busmark_writer_s, busmark_reader_s               each begins with busmark_endpoint_base_t
 *     struct busmark_participant_s                            begins with busmark_participant_base_t (*)
 *
 *     busmark_status_t participant_open(participant, config, error);                              (*)
 *     busmark_status_t writer_open(writer, error);            what the middleware does to make one;
 *     busmark_status_t reader_open(reader, error);            the handle is all zeros behind its base
 *     void participant_close(participant);                                                        (*)
 *     void writer_close(writer);                              is called too for what an …_open
 *     void reader_close(reader);                              that failed has left in the handle
 *
 *     write_sample, take                                      entries of these names
 *     sample_create, sample_destroy                           unless BUSMARK_PLAIN_SAMPLES is defined
 *
 * (*) unless BUSMARK_PLAIN_PARTICIPANT is defined.
 *
 * It may define before
 *
 *     BUSMARK_ENTRIES      further entries, such as .wait = busmark_reader_wait, BUSMARK_MATCH_ENTRIES
 *     BUSMARK_PROBE        the entry `probe`; without it a library that was linked is taken to be there
 *     BUSMARK_RUNTIME_END  a function that ends what the middleware has once per process
 */
#ifndef BUSMARK_ADAPTER_TABLE_H
#define BUSMARK_ADAPTER_TABLE_H

#include "busmark_adapter_base.h"

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

/* A handle with its base filled in; NULL with the error where it is refused. `has_listener` is NULL for a
 * writer. */
static void *busmark_endpoint_new(size_t bytes, busmark_participant_h participant,
                                  const busmark_endpoint_config_t *config, const int *has_listener,
                                  busmark_error_t *error) {
    busmark_endpoint_config_t own = busmark_endpoint(config);
    if (busmark_check_endpoint(&capabilities, &own, has_listener, error) != BUSMARK_OK)
        return NULL;
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

/* ------------------------------------------------------------------ samples ------------------- */
#ifdef BUSMARK_PLAIN_SAMPLES
static busmark_status_t sample_create(busmark_writer_h writer, const void *body,
                                      uint64_t body_bytes, busmark_sample_h *out,
                                      busmark_error_t *error) {
    const busmark_endpoint_base_t *base = busmark_base(writer);
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

static void sample_destroy(busmark_writer_h writer, busmark_sample_h sample) {
    (void)writer;
    free(sample);
}
#endif

/* ------------------------------------------------------------------ words (C32) --------------- */
static busmark_status_t busmark_last_error(const busmark_endpoint_base_t *base,
                                           busmark_error_t *error) {
    if (base->failed == BUSMARK_OK) return BUSMARK_NO_DATA;
    busmark_refuse(error, base->failed, "%s", base->words);
    return BUSMARK_OK;
}

static busmark_status_t busmark_writer_last_error(busmark_writer_h writer, busmark_error_t *error) {
    return busmark_last_error(busmark_base(writer), error);
}

static busmark_status_t busmark_reader_last_error(busmark_reader_h reader, busmark_error_t *error) {
    return busmark_last_error(busmark_base(reader), error);
}

/* ------------------------------------------------------------------ the table ----------------- */
#ifndef BUSMARK_PROBE
#define BUSMARK_PROBE busmark_linked
static busmark_status_t busmark_linked(busmark_error_t *error) { return (void)error, BUSMARK_OK; }
#endif

#ifndef BUSMARK_ENTRIES
#define BUSMARK_ENTRIES .flush = NULL
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
    BUSMARK_ENTRIES,
};

const busmark_adapter_t *busmark_adapter(void) { return &busmark_table; }

#endif /* BUSMARK_ADAPTER_TABLE_H */
