/* The example adapter with one hostile habit, chosen by -DHOSTILE_…: it dies, hangs, eats or tells what
 * cannot be. Each must be reported in words (tests/hostile.rs). */
#define _GNU_SOURCE
#define busmark_adapter honest_adapter
#include "../../../../abi/examples/memory_adapter.c"
#undef busmark_adapter

#include <signal.h>
#include <unistd.h>

__attribute__((unused)) static void for_ever(void) {
    for (;;) pause();
}

static busmark_status_e hostile_probe(busmark_error_t *error) {
#ifdef HOSTILE_PROBE_LOOPS
    for_ever();
#endif
#ifdef HOSTILE_PROBE_STATUS
    return (busmark_status_e)99;
#endif
    return busmark_linked(error);
}

static busmark_status_e hostile_participant(const busmark_participant_config_t *config,
                                            busmark_participant_h *out, busmark_error_t *error) {
#ifdef HOSTILE_EXITS
    exit(0);
#endif
#ifdef HOSTILE_EXITS_AT_ONCE
    _exit(0);
#endif
#ifdef HOSTILE_FORKS
    if (fork() == 0) for_ever();
#endif
#ifdef HOSTILE_EATS
    for (;;) {
        char *bytes = malloc(64 << 20);
        if (bytes == NULL) return busmark_refuse(error, BUSMARK_RESOURCES, "out of memory");
        memset(bytes, 1, 64 << 20);
    }
#endif
    return busmark_participant_create(config, out, error);
}

static busmark_status_e hostile_write(busmark_writer_h writer, busmark_sample_h sample,
                                      const busmark_header_t *header) {
#ifdef HOSTILE_CRASHES_IN_WRITE
    raise(SIGSEGV);
#endif
    return write_sample(writer, sample, header);
}

static void hostile_reader_destroy(busmark_reader_h reader) {
#ifdef HOSTILE_HANGS_IN_DESTROY
    for_ever();
#endif
    busmark_reader_destroy(reader);
}

#ifdef HOSTILE_BODY
static busmark_sink_fn told;
static void enlarge(void *context, const busmark_received_t *received) {
    busmark_received_t larger = *received;
    larger.body_bytes = 1ull << 60;
    told(context, &larger);
}
#endif

static busmark_status_e hostile_take(busmark_reader_h reader, uint32_t max, busmark_sink_fn sink,
                                     void *context, uint32_t *taken) {
#ifdef HOSTILE_BODY
    told = sink;
    return take(reader, max, enlarge, context, taken);
#endif
    busmark_status_e status = take(reader, max, sink, context, taken);
#ifdef HOSTILE_TAKEN
    if (status == BUSMARK_OK) *taken = 4000000000u;
#endif
    return status;
}

#ifdef HOSTILE_CRASHES_WHEN_CLOSED
__attribute__((destructor)) static void crash(void) { abort(); }
#endif

const busmark_adapter_t *busmark_adapter(void);
const busmark_adapter_t *busmark_adapter(void) {
    static busmark_capabilities_t lies;
    static busmark_adapter_t t;
    lies = capabilities;
    t = busmark_table;
    t.capabilities = &lies;
    t.probe = hostile_probe;
    t.participant_create = hostile_participant;
    t.write = hostile_write;
    t.take = hostile_take;
    t.reader_destroy = hostile_reader_destroy;
#ifdef HOSTILE_ENTRY_LOOPS
    for_ever();
#endif
#ifdef HOSTILE_ENTRY_EXITS
    exit(0);
#endif
#ifdef HOSTILE_ENTRY_PRINTS
    puts("{\"passed\": 99}");
#endif
#ifdef HOSTILE_TITLE
    static char title[100 << 20];
    memset(title, 'x', sizeof title - 1);
    lies.title = title;
#endif
#ifdef HOSTILE_OPTIONS
    static busmark_option_t many[1000001];
    for (int i = 0; i < 1000000; i++) many[i] = (busmark_option_t){"key", "value", "doc"};
    lies.options = many;
#endif
#ifdef HOSTILE_ESCAPE
    lies.title = "\x1b[2Jwiped";
#endif
#ifdef HOSTILE_TEXT
    lies.title = "\xff\xfe";
#endif
#ifdef HOSTILE_NO_CAPABILITIES
    t.capabilities = NULL;
#endif
#ifdef HOSTILE_NULL_ENTRY
    t.participant_create = NULL;
#endif
    return &t;
}
