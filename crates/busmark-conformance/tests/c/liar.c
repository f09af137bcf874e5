/* The example adapter with one lie, chosen by -DLIE_… at compile time: it declares or does something
 * that is not so. Each lie must be caught under its clause (tests/lies.rs). */
#define _GNU_SOURCE
#define busmark_adapter honest_adapter
#include "../../../../abi/examples/memory_adapter.c"
#undef busmark_adapter
#define refuse busmark_refuse

#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/stat.h>
#include <unistd.h>

/* What the example does not declare, and so does without. */
static busmark_status_t reader_locator(busmark_reader_h reader, char *text, size_t bytes) {
    return (void)reader, (void)text, (void)bytes, BUSMARK_UNSUPPORTED;
}

static busmark_status_t writer_connect(busmark_writer_h writer, const char *locator,
                                       busmark_error_t *error) {
    (void)writer;
    return refuse(error, BUSMARK_UNSUPPORTED, "readers are found without \"%s\"", locator);
}

static busmark_status_t writer_set_qos(busmark_writer_h writer, const busmark_qos_t *qos,
                                       busmark_error_t *error) {
    (void)writer, (void)qos;
    return refuse(error, BUSMARK_UNSUPPORTED, "no QoS can change at run time");
}

static busmark_status_t writer_counters(busmark_writer_h writer, busmark_counters_t *counters) {
    return (void)writer, (void)counters, BUSMARK_OK;
}

#ifdef WIRED
#include "wired.h"
#endif
#ifdef LISTED
#include "listed.h"
#endif
#include "served.h"

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
#elif defined(LIE_LIVELINESS_LEASE)
    claimed_qos = BUSMARK_QOS_LIVELINESS_LEASE;
#elif defined(LIE_MUTABLE) || defined(LIE_MUTABLE_REFUSED)
    claimed_qos = claimed_mutable = BUSMARK_QOS_PARTITION;
#elif defined(LIE_MUTABLE_FILTER)
    claimed_qos = claimed_mutable = BUSMARK_QOS_TIME_BASED_FILTER;
#elif defined(LIE_MUTABLE_PRIORITY)
    claimed_qos = claimed_mutable = BUSMARK_QOS_TRANSPORT_PRIORITY;
#elif defined(LIE_MUTABLE_BUDGET)
    claimed_qos = claimed_mutable = BUSMARK_QOS_LATENCY_BUDGET;
#elif defined(LIE_LATENCY_BUDGET)
    claimed_qos = BUSMARK_QOS_LATENCY_BUDGET;
#elif defined(LIE_LOSES)
    claimed_qos = BUSMARK_QOS_BEST_EFFORT;
#elif defined(LIE_LOANS)
    claimed_features = BUSMARK_FEATURE_LOANS;
#elif defined(LIE_BATCHING)
    claimed_features = BUSMARK_FEATURE_BATCHING;
#elif defined(LIE_SECURITY) || defined(LIE_ANYBODY)
    claimed_features = BUSMARK_FEATURE_SECURITY;
#elif defined(LIE_SOURCE_TIME) || defined(LIE_STAMPED_IN_TAKE)
    claimed_features = BUSMARK_FEATURE_SOURCE_TIME;
#elif defined(LIE_MATCH_EVENTS)
    claimed_features = BUSMARK_FEATURE_MATCH_EVENTS;
#elif defined(LIE_LOCATORS)
    claimed_features = BUSMARK_FEATURE_LOCATORS;
#elif defined(LIE_WRITER_LOCATORS) || (defined(WIRED) && !defined(LIE_UNDECLARED))
    claimed_features = BUSMARK_FEATURE_WRITER_LOCATORS;
#ifdef LIE_BOTH_BIND
    claimed_features |= BUSMARK_FEATURE_LOCATORS;
#endif
#elif defined(LIE_ENTITIES) || defined(LISTED)
    claimed_features = BUSMARK_FEATURE_ENTITIES;
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
#ifdef LIE_DEPTH
    if (qos->depth > 16) qos->depth = 16;
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

#ifdef LIE_LISTENS_ON_ALL
static int listening = -1;
static void listen_on_all(void) {
    struct sockaddr_in any = {.sin_family = AF_INET};
    if (listening >= 0) return;
    listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bind(listening, (struct sockaddr *)&any, sizeof any);
    listen(listening, 1);
}
#endif

#ifdef LIE_LEAVES_THREAD
static void *stay(void *nothing) {
    for (;;) pause();
    return nothing;
}
#endif

#if defined(LIE_LOGS_ELSEWHERE) || defined(LIE_LOGS_AT_HOME)
static void log_to(const char *folder, int stays) {
    char path[512];
    snprintf(path, sizeof path, "%s/liar-%d.log", folder, (int)getpid());
    FILE *file = fopen(path, "w");
    if (file == NULL) return;
    fputs("hello\n", file);
    fclose(file);
    if (!stays) unlink(path);
}
#endif

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
#ifdef LIE_LEAVES_THREAD
    static pthread_t thread;
    if (thread == 0) pthread_create(&thread, NULL, stay, NULL);
#endif
#ifdef LIE_LISTENS_ON_ALL
    listen_on_all();
#endif
#ifdef LIE_LOGS_ELSEWHERE
    log_to("/var/tmp", 0);
#endif
#ifdef LIE_LOGS_AT_HOME
    log_to(getenv("HOME"), 1);
#endif
#ifdef LIE_SOCKET_ELSEWHERE
    static int listening = -1;
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    snprintf(at.sun_path, sizeof at.sun_path, "/var/tmp/liar-%d.sock", (int)getpid());
    if (listening < 0) {
        listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        bind(listening, (struct sockaddr *)&at, sizeof at);
        unlink(at.sun_path);
    }
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
#ifdef LIE_ANYBODY
    if (c.security != NULL && strcmp(c.security->profile, "tls") == 0) c.security = NULL;
#endif
#ifdef LIE_ANY_PROFILE
    c.security = NULL;
#endif
    return busmark_participant_create(&c, out, error);
}

#ifdef LIE_READS_HOST
/* Takes the host to be as long as it knows it. */
static void lying_attach(const busmark_host_t *host) {
    host->log(host->context, BUSMARK_LOG_INFO, "hello");
}
#endif

static void lying_participant_destroy(busmark_participant_h participant) {
#ifdef LIE_HANGS
    for (;;) pause();
#endif
    busmark_participant_destroy(participant);
}

static const char *kept_topic;
static uint32_t kept_payload, live_writers;

static busmark_status_e lying_writer(busmark_participant_h participant,
                                     const busmark_endpoint_config_t *config,
                                     busmark_writer_h *out, busmark_error_t *error) {
    busmark_qos_t qos;
    busmark_endpoint_config_t c = stripped(config, &qos);
    kept_topic = config->topic;
#ifdef LIE_SLOW_ENDPOINTS
    usleep(500000);
#endif
#ifdef LIE_LEAKS_BY_ENDPOINT
    static void *volatile leaked;
    leaked = malloc(4096);
    memset(leaked, 1, 4096);
#endif
#ifdef LIE_ONE_TYPE
    if (live_writers > 0 && kept_payload != c.payload)
        return refuse(error, BUSMARK_FAILED, "one type at a time");
#endif
    kept_payload = c.payload;
    busmark_status_e status = busmark_writer_create(participant, &c, out, error);
    live_writers += status == BUSMARK_OK;
#ifdef LIE_SAYS_NOTHING
    error->message[0] = '\0';
#endif
    return status;
}

static void lying_writer_destroy(busmark_writer_h writer) {
    live_writers--;
    busmark_writer_destroy(writer);
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
    return busmark_reader_create(participant, &c, claimed_waits ? NULL : listener, out, error);
}

static busmark_status_e lying_sample(busmark_writer_h writer, const void *body,
                                     uint64_t body_bytes, busmark_sample_h *out,
                                     busmark_error_t *error) {
#ifdef LIE_TRUNCATES
    uint64_t room = busmark_base(writer)->max_body_bytes;
    if (body_bytes > room) body_bytes = room;
#endif
    busmark_status_e status = sample_create(writer, body, body_bytes, out, error);
#ifdef LIE_CORRUPTS_STRUCTS
    if (busmark_base(writer)->payload == BUSMARK_PAYLOAD_STRUCT && body_bytes > 64)
        (*out)->body[64] ^= 1;
#endif
#ifdef LIE_CORRUPTS_BETWEEN
    if (body_bytes > 20000 && body_bytes < 60000) (*out)->body[100] ^= 1;
#endif
    return status;
}

static busmark_header_t latest;

static busmark_status_e lying_write(busmark_writer_h writer, busmark_sample_h sample,
                                    const busmark_header_t *header) {
    busmark_header_t h = *header;
    latest = h;
#ifdef LIE_LEAKS_BY_WRITE
    static void *volatile leaked;
    leaked = malloc(100);
    memset(leaked, 1, 100);
#endif
#ifdef LIE_PRINTS_SOMETIMES
    if (h.seq % 64 == 63) printf("64 more\n");
#endif
#ifdef LIE_DROPS
    if (h.seq % 7 == 6) return BUSMARK_OK;
#endif
#ifdef LIE_LOSES
    if (h.seq % 4 != 3) return BUSMARK_OK;
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

static busmark_sink_fn told;

static void lying_sink(void *context, const busmark_received_t *received) {
    busmark_received_t r = *received;
#ifdef LIE_COPIES_LATE /* the header belongs to the native sample by now */
    r.header = &latest;
#endif
#ifdef LIE_STAMPED_IN_TAKE
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    r.source_ns = now.tv_sec * 1000000000LL + now.tv_nsec;
#endif
#ifdef LIE_CORRUPTS_SELDOM
    static unsigned count;
    if (++count % 1000 == 0 && r.body_bytes > 0) ((unsigned char *)r.body)[0] ^= 1;
#endif
#ifdef LIE_FILLS_IN /* the body of the first samples; of later ones only the header was sent */
    static unsigned char kept[64];
    static unsigned times;
    if (r.body_bytes == sizeof kept) {
        if (times++ < 20) memcpy(kept, r.body, sizeof kept);
        else r.body = kept;
    }
#endif
    told(context, &r);
}

static busmark_status_e lying_take(busmark_reader_h reader, uint32_t max, busmark_sink_fn sink,
                                   void *context, uint32_t *taken) {
#ifdef LIE_TAKES_MORE
    max += 5;
#endif
    told = sink;
    return take(reader, max, lying_sink, context, taken);
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
    return busmark_writer_matched(writer, count);
}

#ifdef LIE_MATCH_EVENTS
/* Stamps when it is asked. */
static busmark_status_t stamped_now(void *endpoint, busmark_match_t *match) {
    match->changed_ns = busmark_now();
    match->count = busmark_matches_now(&busmark_base(endpoint)->matches);
    return BUSMARK_OK;
}

static busmark_status_t lying_writer_match(busmark_writer_h writer, busmark_match_t *match) {
    return stamped_now(writer, match);
}

static busmark_status_t lying_reader_match(busmark_reader_h reader, busmark_match_t *match) {
    return stamped_now(reader, match);
}
#endif

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
#ifndef LIE_MUTABLE_REFUSED
    if (claimed_mutable && qos->present == claimed_mutable) return BUSMARK_OK;
#endif
    return writer_set_qos(writer, qos, error);
}

static busmark_status_e lying_counters(busmark_writer_h writer, busmark_counters_t *counters) {
#ifdef LIE_OVERRUNS
    memset(counters + 1, 0, 8);
#endif
#ifdef LIE_SETS_ROOM
    counters->struct_size = sizeof *counters;
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
#ifdef WIRED /* readers are counted whether they are connected or not */
    lies.features &= ~(uint64_t)(BUSMARK_FEATURE_MATCHED | BUSMARK_FEATURE_MATCH_EVENTS);
#endif
    lies.waits |= claimed_waits;
#ifdef LIE_USER_TYPE
    lies.payloads |= 1u << BUSMARK_PAYLOAD_TYPE;
#endif
#ifdef LIE_CARRIER
    static const uint32_t claimed_carriers[] = {BUSMARK_CARRIER_TCP};
    lies.carriers = claimed_carriers;
#endif
#ifdef LIE_UNKNOWN_CARRIER
    static const uint32_t unknown_carriers[] = {BUSMARK_CARRIER_UDP | BUSMARK_CARRIER_TCP};
    lies.carriers = unknown_carriers;
#endif
#ifdef LIE_ANYBODY
    static const char *const profiles[] = {"tls", NULL};
    lies.security = profiles;
#endif
#ifdef LIE_REACH
    lies.reach |= BUSMARK_REACH_HOST;
#endif
#ifdef LIE_NO_COST
    lies.disclosures = 0, lies.cost = "";
#endif
#ifdef LIE_IN_WORDS /* what is not among the disclosures is not excused by the text */
    lies.disclosures = 0;
    lies.cost = "one allocation per sample; memory grows with each sample and each pair of endpoints; "
                "threads stay until the process ends; its sockets receive on all interfaces";
#endif
#ifdef DISCLOSED
    lies.disclosures |= DISCLOSED;
#endif
#ifdef LIE_BEYOND_DISCLOSURES
    lies.disclosures |= UINT64_C(1) << 63;
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
    *t = busmark_table;
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
    lie_of_services(&lies, t);
#ifdef LIE_READS_HOST
    t->attach = lying_attach;
#endif
#ifdef WIRED
    t->writer_create = wired_writer;
    t->writer_destroy = wired_writer_destroy;
    t->reader_destroy = wired_reader_destroy;
    t->sample_create = wired_sample;
    t->take = wired_take;
    t->writer_matched = NULL;
    t->reader_matched = NULL;
    t->writer_match = NULL;
    t->reader_match = NULL;
    t->writer_locator = wired_locator;
    t->reader_connect = wired_connect;
#endif
#ifdef LISTED
    t->participant_create = listed_participant;
    t->participant_destroy = listed_participant_destroy;
    t->entities = listed_entities;
#endif
#ifdef LIE_MATCH_EVENTS
    t->writer_match = lying_writer_match;
    t->reader_match = lying_reader_match;
#endif
    return t;
}
