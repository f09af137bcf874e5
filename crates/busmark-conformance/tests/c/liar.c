/* The example adapter with one lie, chosen by -DLIE_… at compile time: it declares or does something
 * that is not so. Each lie must be caught under its clause (tests/lies.rs). */
#define _GNU_SOURCE
#define busmark_adapter honest_adapter
#include "../../../../abi/examples/memory_adapter.c"
#undef busmark_adapter

#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

/* Bits that the lie adds to the capabilities and hides from the honest part. */
static uint32_t claimed_qos, claimed_mutable, claimed_features, claimed_waits;

static void claim(void) {
#if defined(LIE_LIFESPAN)
    claimed_qos = BUSMARK_QOS_LIFESPAN;
#elif defined(LIE_TRANSIENT_LOCAL)
    claimed_qos = BUSMARK_QOS_TRANSIENT_LOCAL;
#elif defined(LIE_DEADLINE)
    claimed_qos = BUSMARK_QOS_DEADLINE;
#elif defined(LIE_PARTITION)
    claimed_qos = BUSMARK_QOS_PARTITION;
#elif defined(LIE_OWNERSHIP)
    claimed_qos = BUSMARK_QOS_OWNERSHIP_STRENGTH;
#elif defined(LIE_RESOURCE_LIMITS)
    claimed_qos = BUSMARK_QOS_RESOURCE_LIMITS;
#elif defined(LIE_TIME_BASED_FILTER)
    claimed_qos = BUSMARK_QOS_TIME_BASED_FILTER;
#elif defined(LIE_MUTABLE)
    claimed_qos = claimed_mutable = BUSMARK_QOS_PARTITION;
#elif defined(LIE_MUTABLE_REFUSED)
    claimed_qos = claimed_mutable = BUSMARK_QOS_LATENCY_BUDGET;
#elif defined(LIE_SOURCE_TIME)
    claimed_features = BUSMARK_FEATURE_SOURCE_TIME;
#elif defined(LIE_LOCATORS)
    claimed_features = BUSMARK_FEATURE_LOCATORS;
#elif defined(LIE_KEYS)
    claimed_features = BUSMARK_FEATURE_KEYS;
#elif defined(LIE_FILTER)
    claimed_features = BUSMARK_FEATURE_KEYS | BUSMARK_FEATURE_CONTENT_FILTER;
#elif defined(LIE_SERVER)
    claimed_features = BUSMARK_FEATURE_SERVER;
#elif defined(LIE_NEVER_CALLS) || defined(LIE_CALLS_IN_CREATE) || defined(LIE_CALLS_FOR_EVER)
    claimed_waits = BUSMARK_WAIT_LISTENER;
#endif
}

static busmark_endpoint_config_t stripped(const busmark_endpoint_config_t *config,
                                          busmark_qos_t *qos) {
    busmark_endpoint_config_t c = *config;
    *qos = *config->qos;
    c.qos = qos;
    qos->present &= ~claimed_qos;
    if (claimed_features & BUSMARK_FEATURE_KEYS) c.instances = c.filter_below = 0;
    if (c.wait & claimed_waits) c.wait = BUSMARK_WAIT_POLL;
#ifdef LIE_KEEP_LAST
    if (!(qos->present & BUSMARK_QOS_KEEP_ALL)) qos->present &= ~(uint32_t)BUSMARK_QOS_KEEP_LAST;
#endif
#ifdef LIE_KEEP_ALL
    if (qos->present & BUSMARK_QOS_KEEP_ALL) {
        qos->present ^= BUSMARK_QOS_KEEP_ALL | BUSMARK_QOS_KEEP_LAST;
        qos->depth = 64;
    }
#endif
#ifdef LIE_IGNORES_QOS
    qos->present &= QOS;
#endif
#ifdef LIE_IGNORES_PAYLOAD
    if (c.payload > BUSMARK_PAYLOAD_STRUCT) c.payload = BUSMARK_PAYLOAD_OCTET;
#endif
#ifdef LIE_IGNORES_WAIT
    c.wait = BUSMARK_WAIT_POLL;
#endif
    return c;
}

static busmark_status_e lying_participant(const busmark_participant_config_t *config,
                                          busmark_participant_h *out, busmark_error_t *error) {
    busmark_participant_config_t c = *config;
#ifdef LIE_EXACT_SIZES
    if (c.struct_size != sizeof c) return refuse(error, BUSMARK_INVALID, "unknown structure");
#endif
#ifdef LIE_ACCEPTS_TRANSPORT
    c.transport = "memory";
#endif
#ifdef LIE_ACCEPTS_OPTION
    c.settings = NULL;
#endif
#ifdef LIE_ONE_DOMAIN
    c.domain = 0;
#endif
#ifdef LIE_PRINTS
    printf("welcome to the middleware\n");
#endif
#ifdef LIE_HANDLES_SIGNALS
    signal(SIGTERM, (void (*)(int))abort);
#endif
#ifdef LIE_LEAKS_DESCRIPTORS
    if (open("/dev/null", O_RDONLY | O_CLOEXEC) < 0) return BUSMARK_FAILED;
#endif
#ifdef LIE_LEAKS_MEMORY
    static void *volatile leaked; /* volatile, or the compiler leaks nothing */
    leaked = malloc(1 << 20);
    memset(leaked, 1, 1 << 20);
#endif
#ifdef LIE_LEAVES_FILES
    char path[512];
    snprintf(path, sizeof path, "%s/left", config->run_dir);
    close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
#endif
#ifdef LIE_OTHER_INTERFACE
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(9)};
    inet_pton(AF_INET, "10.254.77.9", &to.sin_addr);
    int s = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    sendto(s, "", 0, 0, (struct sockaddr *)&to, sizeof to);
    close(s);
#endif
    return participant_create(&c, out, error);
}

static void lying_participant_destroy(busmark_participant_h participant) {
#ifdef LIE_HANGS
    for (;;) pause();
#endif
    participant_destroy(participant);
}

static const char *kept_topic;
static uint32_t kept_payload, live_writers;

static busmark_status_e lying_writer(busmark_participant_h participant,
                                     const busmark_endpoint_config_t *config,
                                     busmark_writer_h *out, busmark_error_t *error) {
    busmark_qos_t qos;
    busmark_endpoint_config_t c = stripped(config, &qos);
    kept_topic = config->topic;
#ifdef LIE_ONE_TYPE
    if (live_writers > 0 && kept_payload != c.payload)
        return refuse(error, BUSMARK_FAILED, "one type at a time");
#endif
    kept_payload = c.payload;
    busmark_status_e status = writer_create(participant, &c, out, error);
    live_writers += status == BUSMARK_OK;
#ifdef LIE_SAYS_NOTHING
    error->message[0] = '\0';
#endif
    return status;
}

static void lying_writer_destroy(busmark_writer_h writer) {
    live_writers--;
    writer_destroy(writer);
}

#ifdef LIE_CALLS_FOR_EVER
static void *call_for_ever(void *listener) {
    busmark_listener_t l = *(busmark_listener_t *)listener;
    free(listener);
    for (int i = 0; i < 100; i++) {
        usleep(1000);
        l.on_data(l.context);
    }
    return NULL;
}
#endif

static busmark_status_e lying_reader(busmark_participant_h participant,
                                     const busmark_endpoint_config_t *config,
                                     const busmark_listener_t *listener, busmark_reader_h *out,
                                     busmark_error_t *error) {
    busmark_qos_t qos;
    busmark_endpoint_config_t c = stripped(config, &qos);
#ifdef LIE_CALLS_IN_CREATE
    if (listener != NULL) listener->on_data(listener->context);
#endif
#ifdef LIE_CALLS_FOR_EVER
    busmark_listener_t *copy = malloc(sizeof *copy);
    *copy = *listener;
    pthread_t thread;
    pthread_create(&thread, NULL, call_for_ever, copy);
    pthread_detach(thread);
#endif
    return reader_create(participant, &c, claimed_waits ? NULL : listener, out, error);
}

static busmark_status_e lying_sample(busmark_writer_h writer, const void *body,
                                     uint64_t body_bytes, busmark_sample_h *out,
                                     busmark_error_t *error) {
#ifdef LIE_TRUNCATES
    if (body_bytes > writer->common.max_body_bytes) body_bytes = writer->common.max_body_bytes;
#endif
    busmark_status_e status = sample_create(writer, body, body_bytes, out, error);
#ifdef LIE_CORRUPTS_STRUCTS
    if (writer->common.payload == BUSMARK_PAYLOAD_STRUCT && body_bytes > 64)
        (*out)->body[64] ^= 1;
#endif
    return status;
}

static busmark_status_e lying_write(busmark_writer_h writer, busmark_sample_h sample,
                                    const busmark_header_t *header) {
    busmark_header_t h = *header;
#ifdef LIE_DROPS
    if (h.seq % 7 == 6) return BUSMARK_OK;
#endif
#ifdef LIE_DUPLICATES
    if (h.seq % 7 == 6) write_sample(writer, sample, &h);
#endif
#ifdef LIE_HEADER
    h.flags &= 0xff;
#endif
#ifdef LIE_KEEPS_POINTER
    if (kept_topic[0] == '#') return BUSMARK_OK;
#endif
    return write_sample(writer, sample, &h);
}

static busmark_status_e lying_take(busmark_reader_h reader, uint32_t max, busmark_sink_fn sink,
                                   void *context, uint32_t *taken) {
#ifdef LIE_TAKES_MORE
    max += 5;
#endif
    return take(reader, max, sink, context, taken);
}

static busmark_status_e lying_wait(busmark_reader_h reader, int64_t timeout_ns) {
#ifdef LIE_WAKES_ALWAYS
    return (void)reader, (void)timeout_ns, BUSMARK_OK;
#endif
#ifdef LIE_SPINS
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do {
        if (wait_for_samples(reader, 0) == BUSMARK_OK) return BUSMARK_OK;
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - begin.tv_sec) * 1000000000LL + now.tv_nsec - begin.tv_nsec < timeout_ns);
    return BUSMARK_TIMEOUT;
#endif
    return wait_for_samples(reader, timeout_ns);
}

static busmark_status_e lying_matched(busmark_writer_h writer, uint32_t *count) {
#ifdef LIE_MATCHED
    return (void)writer, *count = 1, BUSMARK_OK;
#endif
    return writer_matched(writer, count);
}

static busmark_status_e lying_locator(busmark_reader_h reader, char *text, size_t bytes) {
    if (!(claimed_features & BUSMARK_FEATURE_LOCATORS)) return reader_locator(reader, text, bytes);
    return bytes < 2 ? BUSMARK_RESOURCES : (memcpy(text, "x", 2), BUSMARK_OK);
}

static busmark_status_e lying_connect(busmark_writer_h writer, const char *locator,
                                      busmark_error_t *error) {
    if (claimed_features & BUSMARK_FEATURE_LOCATORS) return BUSMARK_OK;
    return writer_connect(writer, locator, error);
}

static busmark_status_e lying_set_qos(busmark_writer_h writer, const busmark_qos_t *qos,
                                      busmark_error_t *error) {
#ifdef LIE_MUTABLE
    if (qos->present == claimed_mutable) return BUSMARK_OK;
#endif
    return writer_set_qos(writer, qos, error);
}

static busmark_status_e lying_counters(busmark_writer_h writer, busmark_counters_t *counters) {
#ifdef LIE_OVERRUNS
    memset(counters + 1, 0, 8);
#endif
    return writer_counters(writer, counters);
}

const busmark_adapter_t *busmark_adapter(void);
const busmark_adapter_t *busmark_adapter(void) {
    static busmark_capabilities_t lies;
    static busmark_adapter_t tables[2];
    static int calls;
    claim();
    calls++;
    lies = capabilities;
    lies.qos |= claimed_qos;
    lies.qos_mutable |= claimed_mutable;
    lies.features |= claimed_features;
    lies.waits |= claimed_waits;
#ifdef LIE_USER_TYPE
    lies.payloads |= 1u << BUSMARK_PAYLOAD_TYPE;
#endif
#ifdef LIE_REACH
    lies.reach |= BUSMARK_REACH_HOST;
#endif
#ifdef LIE_NO_COST
    lies.cost = "";
#endif
#ifdef LIE_CHANGING_CAPABILITIES
    lies.max_body_bytes -= (uint64_t)calls;
#endif
#ifdef LIE_NO_LICENCE
    lies.licence = "";
#endif
#ifdef LIE_TWO_TABLES
    busmark_adapter_t *t = &tables[calls % 2];
#else
    busmark_adapter_t *t = &tables[0];
#endif
    *t = table;
    t->capabilities = &lies;
    t->participant_create = lying_participant;
    t->participant_destroy = lying_participant_destroy;
    t->writer_create = lying_writer;
    t->writer_destroy = lying_writer_destroy;
    t->reader_create = lying_reader;
    t->sample_create = lying_sample;
    t->write = lying_write;
    t->take = lying_take;
    t->wait = lying_wait;
    t->writer_matched = lying_matched;
    t->reader_locator = lying_locator;
    t->writer_connect = lying_connect;
    t->writer_set_qos = lying_set_qos;
    t->writer_counters = lying_counters;
    return t;
}
