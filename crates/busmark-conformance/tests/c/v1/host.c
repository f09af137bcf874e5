/* A host of version 1: opens an adapter, sends samples from a writer to a reader, and takes them. It
 * knows the header beside it and nothing that came later. `host LIBRARY TRANSPORT RUN_DIR`. */
#define _POSIX_C_SOURCE 200809L
#include "busmark_adapter.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static busmark_error_t error = {.struct_size = sizeof error};
static uint64_t next;

static int failed(const char *what) {
    fprintf(stderr, "%s: %s\n", what, error.message);
    return 1;
}

static void sink(void *context, const busmark_received_t *received) {
    const unsigned char *body = received->body;
    int whole = received->body_bytes == 8 && memcmp(body, "busmark!", 8) == 0;
    if (whole && received->header->seq == next) next++;
    (void)context;
}

static int exchange(const busmark_adapter_t *a, busmark_participant_h participant) {
    busmark_qos_t qos = {.struct_size = sizeof qos, .present = BUSMARK_QOS_RELIABLE};
    busmark_endpoint_config_t config = {
        .struct_size = sizeof config,
        .payload = BUSMARK_PAYLOAD_OCTET,
        .wait = BUSMARK_WAIT_POLL,
        .max_body_bytes = 8,
        .topic = "busmark_host",
        .qos = &qos,
    };
    busmark_reader_h reader;
    busmark_writer_h writer;
    busmark_sample_h sample;
    char locator[1024];
    if (a->reader_create(participant, &config, NULL, &reader, &error) != BUSMARK_OK)
        return failed("reader");
    if (a->writer_create(participant, &config, &writer, &error) != BUSMARK_OK)
        return failed("writer");
    if (a->capabilities->features & BUSMARK_FEATURE_LOCATORS)
        if (a->reader_locator(reader, locator, sizeof locator) != BUSMARK_OK ||
            a->writer_connect(writer, locator, &error) != BUSMARK_OK)
            return failed("locator");
    if (a->sample_create(writer, "busmark!", 8, &sample, &error) != BUSMARK_OK)
        return failed("sample");
    for (uint64_t seq = 0; seq < 5; seq++) {
        busmark_header_t header = {.cookie = 1, .seq = seq};
        if (a->write(writer, sample, &header) != BUSMARK_OK) return failed("write");
    }
    for (int tries = 0; tries < 5000 && next < 5; tries++) {
        uint32_t taken = 0;
        struct timespec pause = {0, 1000000};
        a->take(reader, 16, sink, NULL, &taken);
        if (next < 5) nanosleep(&pause, NULL);
    }
    a->sample_destroy(writer, sample);
    a->writer_destroy(writer);
    a->reader_destroy(reader);
    return next == 5 ? 0 : failed("not all samples arrived");
}

int main(int count, char **words) {
    if (count != 4) return failed("usage");
    void *library = dlopen(words[1], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return failed(dlerror());
    busmark_adapter_fn entry;
    *(void **)&entry = dlsym(library, BUSMARK_ADAPTER_SYMBOL);
    const busmark_adapter_t *a = entry();
    if (a->abi_version != BUSMARK_ABI_VERSION || a->struct_size < sizeof *a)
        return failed("not this version");
    if (a->probe(&error) != BUSMARK_OK) return failed("probe");
    busmark_participant_config_t config = {
        .struct_size = sizeof config,
        .interface_name = "lo",
        .interface_address = "127.0.0.1",
        .transport = words[2],
        .profile = "default",
        .run_dir = words[3],
    };
    busmark_participant_h participant;
    if (a->participant_create(&config, &participant, &error) != BUSMARK_OK)
        return failed("participant");
    int status = exchange(a, participant);
    a->participant_destroy(participant);
    if (status == 0) printf("5 samples\n");
    return status;
}
