/* SPDX-License-Identifier: Apache-2.0
 *
 * busmark_adapter.h: the contract between Busmark and a middleware adapter.
 *
 * An adapter is a shared library, libbusmark_<name>.so, that exports one function:
 *
 *     const busmark_adapter_t *busmark_adapter(void);
 *
 * The worker opens the library with RTLD_NOW | RTLD_LOCAL, calls that function once and drives the
 * middleware through the table it returns. This header is the specification. Its clauses are
 * numbered C1, C2, …; every clause has a conformance test that carries its number
 * (`busmark adapter check NAME`). "Must" binds the adapter unless the sentence names the worker.
 *
 * Words
 *   participant  one attachment to the middleware (DDS: DomainParticipant)
 *   writer       sends samples of one topic     (DDS: DataWriter)
 *   reader       receives samples of one topic  (DDS: DataReader)
 *   sample       a fixed header (busmark_header_t) and a body of one payload kind
 *   locator      a text by which a writer finds a reader where the middleware has no discovery
 *
 * Naming: busmark_…_t is a type, _h an owning handle, _e an enumeration, _fn a function type.
 * Every enumeration of states has OK == 0. Times are int64 nanoseconds of CLOCK_MONOTONIC unless
 * the name says otherwise; sizes are bytes; texts are UTF-8, zero-terminated, never NULL unless
 * said so.
 *
 * Versions
 *   C1  busmark_adapter() must return a table whose abi_version is BUSMARK_ABI_VERSION of the header
 *       it was compiled with and whose struct_size is sizeof(busmark_adapter_t) there. It must return
 *       the same pointer each time; the table lives until the library is closed. The worker refuses
 *       a table of another abi_version or a smaller struct_size. New entries are only ever added at
 *       the end of a table; a changed meaning changes the version.
 *   C2  Every structure that crosses the border begins with struct_size, set by whoever fills it.
 *       A reader of a structure must ignore bytes past the size that it knows.
 */
#ifndef BUSMARK_ADAPTER_H
#define BUSMARK_ADAPTER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BUSMARK_ABI_VERSION 1u

/* ------------------------------------------------------------------ states and errors ---------
 *   C3  A function that can fail returns busmark_status_e. Where it takes a busmark_error_t and
 *       fails, it must fill in `message` with what failed, the middleware's own words if it has any,
 *       and, where the user can do something, what to do. `error` is never NULL.
 *   C4  Misuse (a kind, transport, option, QoS value or wait strategy that the capabilities do not
 *       list, a body larger than the endpoint was made for) must return BUSMARK_INVALID or
 *       BUSMARK_UNSUPPORTED. It must never abort the process, and must never be ignored silently.
 *   C5  The middleware must not end the process, print to standard output or install signal
 *       handlers; the adapter must switch such habits off. Standard output is the control channel.
 */
typedef enum busmark_status_e {
    BUSMARK_OK = 0,
    BUSMARK_TIMEOUT = 1,     /* the time allowed has passed; try again or give up              */
    BUSMARK_NO_DATA = 2,     /* nothing to take                                                */
    BUSMARK_UNSUPPORTED = 3, /* the adapter cannot do this; capabilities say so too            */
    BUSMARK_INVALID = 4,     /* the caller's mistake                                           */
    BUSMARK_RESOURCES = 5,   /* out of memory, queue or handles                                */
    BUSMARK_UNAVAILABLE = 6, /* the middleware, a server or a licence is missing on this host  */
    BUSMARK_FAILED = 7       /* anything else that the middleware reports                      */
} busmark_status_e;

#define BUSMARK_MESSAGE_BYTES 512
typedef struct busmark_error_t {
    uint32_t struct_size;
    uint32_t status; /* busmark_status_e */
    char message[BUSMARK_MESSAGE_BYTES];
} busmark_error_t;

/* ------------------------------------------------------------------ the sample ----------------
 *   C6  A sample travels as the middleware's own typed data. For DDS the type is
 *       busmark::<Kind>Sample { Header header; sequence<ELEMENT> body; } of idl/busmark.idl, with the
 *       same type names for every vendor. A middleware without types may send header and body as
 *       they lie in memory.
 *   C7  Header and body must arrive as they were written, bit for bit.
 */
typedef struct busmark_header_t {
    uint64_t cookie;           /* of the run; a sample with another cookie is foreign traffic   */
    uint64_t seq;              /* per writer, from 0, without gaps                              */
    int64_t intended_ns;       /* when the sample should have been sent (open loop)             */
    int64_t sent_ns;           /* T1: just before write                                         */
    int64_t echo_sent_ns;      /* in a pong: T1 of its ping; else 0                             */
    int64_t echo_delivered_ns; /* in a pong: T3 of its ping at the ponger; else 0               */
    int64_t echo_read_ns;      /* in a pong: T4 of its ping at the ponger; else 0               */
    uint32_t writer_id;        /* unique within the run                                         */
    uint32_t flags;            /* busmark_flag_e; in a pong above them, << 16, its ping's writer */
} busmark_header_t;            /* 64 bytes, no padding */

typedef enum busmark_flag_e {
    BUSMARK_FLAG_WARMUP = 1,  /* sent before the measurement began                              */
    BUSMARK_FLAG_PROBE = 2,   /* a latency probe within a throughput stream; is echoed          */
    BUSMARK_FLAG_LAST = 4,    /* the writer's last sample                                       */
    BUSMARK_FLAG_CHECKED = 8, /* the body follows the content pattern and may be verified       */
    BUSMARK_FLAG_CONTROL = 16, /* announces a batch, or with LAST its end; is answered           */
    BUSMARK_FLAG_START = 32   /* with CONTROL: the batch begins                                 */
} busmark_flag_e;

/* A body is `count` elements, contiguous, in the host's byte order and natural layout. */
typedef enum busmark_payload_e {
    BUSMARK_PAYLOAD_EMPTY = 0,  /* no body                                                      */
    BUSMARK_PAYLOAD_OCTET = 1,  /* uint8_t                                                      */
    BUSMARK_PAYLOAD_CHAR = 2,   /* char, 7-bit                                                  */
    BUSMARK_PAYLOAD_SHORT = 3,  /* int16_t                                                      */
    BUSMARK_PAYLOAD_FLOAT = 4,  /* IEEE 754 binary32                                            */
    BUSMARK_PAYLOAD_LONG = 5,   /* int32_t                                                      */
    BUSMARK_PAYLOAD_STRUCT = 6, /* busmark_struct_t                                             */
    BUSMARK_PAYLOAD_ANY = 7,    /* the middleware's self-describing type, holding uint8_t       */
    BUSMARK_PAYLOAD_TYPE = 8    /* one value of the user's type, as CDR: C30                    */
} busmark_payload_e;

typedef struct busmark_struct_t {
    int32_t number;
    char text[8];
    float real;
} busmark_struct_t; /* 16 bytes, no padding */

/* ------------------------------------------------------------------ quality of service -------- */
typedef enum busmark_qos_value_e { /* one bit for each value that a scenario can ask for */
    BUSMARK_QOS_BEST_EFFORT = 1u << 0,
    BUSMARK_QOS_RELIABLE = 1u << 1,
    BUSMARK_QOS_KEEP_LAST = 1u << 2,
    BUSMARK_QOS_KEEP_ALL = 1u << 3,
    BUSMARK_QOS_VOLATILE = 1u << 4,
    BUSMARK_QOS_TRANSIENT_LOCAL = 1u << 5,
    BUSMARK_QOS_LIFESPAN = 1u << 6,
    BUSMARK_QOS_DEADLINE = 1u << 7,
    BUSMARK_QOS_LATENCY_BUDGET = 1u << 8,
    BUSMARK_QOS_TRANSPORT_PRIORITY = 1u << 9,
    BUSMARK_QOS_PARTITION = 1u << 10,
    BUSMARK_QOS_OWNERSHIP_STRENGTH = 1u << 11,
    BUSMARK_QOS_ORDER_BY_SOURCE = 1u << 12, /* destination order; without it: by reception */
    BUSMARK_QOS_RESOURCE_LIMITS = 1u << 13,
    BUSMARK_QOS_TIME_BASED_FILTER = 1u << 14
} busmark_qos_value_e;

/*   C8  A QoS whose bit is not in `present` is left at the middleware's own default. A bit that is in
 *       `present` must be honoured, with effect on the traffic, or the call must fail (C4).
 */
typedef struct busmark_qos_t {
    uint32_t struct_size;
    uint32_t present;               /* bits of busmark_qos_value_e; at most one of each policy    */
    int64_t max_blocking_ns;        /* of a reliable write; 0: the middleware's default           */
    int64_t lifespan_ns;
    int64_t deadline_ns;
    int64_t latency_budget_ns;
    int64_t time_based_filter_ns;
    int32_t depth;                  /* of KEEP_LAST, from 1                                       */
    int32_t transport_priority;
    int32_t ownership_strength;     /* exclusive ownership with this strength                     */
    int32_t max_samples;            /* RESOURCE_LIMITS                                            */
    const char *partition;          /* NULL unless its bit is present                             */
} busmark_qos_t;

/* ------------------------------------------------------------------ capabilities --------------
 *   C9  What the capabilities declare must be true on this host: conformance tests every bit. What
 *       they do not declare is "unsupported" in the plan before anything runs.
 *   C10 The capabilities must be constant data: the same on every call, no middleware started to
 *       find them out. Whether the middleware can be used here is told by probe().
 */
typedef enum busmark_wait_e {
    BUSMARK_WAIT_LISTENER = 1, /* the middleware calls back from a thread of its own              */
    BUSMARK_WAIT_WAITSET = 2,  /* a thread of the worker sleeps in wait()                         */
    BUSMARK_WAIT_POLL = 4      /* a thread of the worker calls take() in a loop                   */
} busmark_wait_e;

typedef enum busmark_reach_e {
    BUSMARK_REACH_PROCESS = 1, /* writer and reader in one process                                */
    BUSMARK_REACH_HOST = 2,    /* between processes of one host                                   */
    BUSMARK_REACH_NETWORK = 4  /* between hosts                                                   */
} busmark_reach_e;

typedef enum busmark_feature_e {
    BUSMARK_FEATURE_LOCATORS = 1u << 0,          /* no discovery: see reader_locator (C25)        */
    BUSMARK_FEATURE_MATCHED = 1u << 1,           /* writer_matched and reader_matched are known   */
    BUSMARK_FEATURE_WRITE_IN_LISTENER = 1u << 2, /* write() may be called from on_data            */
    BUSMARK_FEATURE_KEEP_ALL_IN_LISTENER = 1u << 3, /* … also with reliable keep-all              */
    BUSMARK_FEATURE_SYNCHRONOUS = 1u << 4,       /* on_data may be called from within write()     */
    BUSMARK_FEATURE_SOURCE_TIME = 1u << 5,       /* received samples carry source_ns              */
    BUSMARK_FEATURE_RECEPTION_TIME = 1u << 6,    /* received samples carry reception_ns           */
    BUSMARK_FEATURE_BATCHING = 1u << 7,          /* flush() matters                               */
    BUSMARK_FEATURE_LOANS = 1u << 8,             /* write() does not copy the body                */
    BUSMARK_FEATURE_KEYS = 1u << 9,              /* keyed topics: C27                             */
    BUSMARK_FEATURE_CONTENT_FILTER = 1u << 10,   /* readers may ask for some instances only: C28  */
    BUSMARK_FEATURE_SECURITY = 1u << 11,
    BUSMARK_FEATURE_FAULTS = 1u << 12,           /* injects faults on purpose (reference adapter) */
    BUSMARK_FEATURE_SERVER = 1u << 13            /* participants meet at a server: C29            */
} busmark_feature_e;

typedef struct busmark_option_t { /* one adapter option: `matrix.option.ADAPTER.KEY` in a scenario */
    const char *key;
    const char *value; /* the default */
    const char *doc;   /* one sentence: meaning, unit, allowed values */
} busmark_option_t;

typedef struct busmark_capabilities_t {
    uint32_t struct_size;
    uint32_t waits;       /* bits of busmark_wait_e                                               */
    uint32_t reach;       /* bits of busmark_reach_e                                              */
    uint32_t payloads;    /* bit 1 << busmark_payload_e for each kind                             */
    uint32_t qos;         /* bits of busmark_qos_value_e that are honoured                        */
    uint32_t qos_mutable; /* those that writer_set_qos / reader_set_qos can change                */
    uint32_t features;    /* bits of busmark_feature_e                                            */
    uint32_t reserved;
    uint64_t max_body_bytes;
    const char *name;               /* "udp": as in the library's file name                       */
    const char *title;              /* "UDP sockets"                                              */
    const char *version;            /* of the adapter                                             */
    const char *middleware_version; /* "Eclipse Cyclone DDS 11.0.1", "Linux sockets"              */
    const char *licence;            /* SPDX expression of the middleware                          */
    const char *cost;               /* what the adapter must convert per sample; "" if nothing    */
    const char *install;            /* the command that installs the middleware; "" if built in   */
    const char *const *transports;  /* names, default first, ends with NULL                       */
    const busmark_option_t *options; /* ends with key == NULL                                     */
    const char *user_type; /* PAYLOAD_TYPE: "sensors::PointCloud"; else NULL (C30)                */
} busmark_capabilities_t;

/* ------------------------------------------------------------------ configuration --------------
 *   C11 All traffic, discovery included, must stay on the interface named here.
 *   C12 Files, sockets and pipes must be made inside run_dir only, and removed on destroy.
 *   C13 Two domains must not hear each other.
 *   C14 The callee copies what it keeps: pointers in a configuration are valid during the call only.
 */
typedef struct busmark_setting_t {
    const char *key;
    const char *value;
} busmark_setting_t;

typedef struct busmark_participant_config_t {
    uint32_t struct_size;
    uint32_t domain;
    const char *interface_name;    /* "lo"                                                        */
    const char *interface_address; /* "127.0.0.1"                                                 */
    const char *transport;         /* one of the capabilities' transports                         */
    const char *profile;           /* "default": as shipped; "tuned": the vendor's own advice     */
    const char *run_dir;           /* a directory shared by all participants on this host         */
    const busmark_setting_t *settings; /* options that differ from their default; ends key NULL   */
} busmark_participant_config_t;

typedef struct busmark_endpoint_config_t {
    uint32_t struct_size;
    uint32_t payload; /* busmark_payload_e                                                        */
    uint32_t wait;    /* one busmark_wait_e; readers only, writers ignore it                      */
    uint32_t reserved;
    uint64_t max_body_bytes; /* no sample of this endpoint is larger                              */
    const char *topic;
    const busmark_qos_t *qos;
    uint32_t instances;    /* KEYS: the topic is keyed and has so many instances; 0: no key (C27) */
    uint32_t filter_below; /* CONTENT_FILTER, readers: instances below this only; 0: all (C28)    */
} busmark_endpoint_config_t;

typedef struct busmark_participant_s *busmark_participant_h;
typedef struct busmark_writer_s *busmark_writer_h;
typedef struct busmark_reader_s *busmark_reader_h;
typedef struct busmark_server_s *busmark_server_h;
typedef struct busmark_sample_s *busmark_sample_h;

/* ------------------------------------------------------------------ reception ------------------ */
typedef struct busmark_received_t {
    uint32_t struct_size;
    uint32_t reserved;
    const busmark_header_t *header; /* both valid during the call of the sink only                */
    const void *body;               /* NULL when body_bytes is 0                                  */
    uint64_t body_bytes;
    int64_t source_ns;    /* writer's stamp by the middleware, CLOCK_REALTIME; 0: absent          */
    int64_t reception_ns; /* reader's stamp by the middleware, CLOCK_REALTIME; 0: absent          */
} busmark_received_t;

typedef void (*busmark_sink_fn)(void *context, const busmark_received_t *received);
typedef void (*busmark_on_data_fn)(void *context);

typedef struct busmark_listener_t {
    uint32_t struct_size;
    uint32_t reserved;
    busmark_on_data_fn on_data; /* C20 … C22 */
    void *context;
} busmark_listener_t;

/* The middleware's own counters; a figure that it does not keep is BUSMARK_ABSENT. */
#define BUSMARK_ABSENT UINT64_MAX
typedef struct busmark_counters_t {
    uint32_t struct_size;
    uint32_t reserved;
    uint64_t lost;            /* samples the middleware knows to be lost                          */
    uint64_t rejected;        /* refused for resource limits                                      */
    uint64_t deadline_missed;
    uint64_t retransmitted;
    uint64_t injected_drops;  /* FAULTS only: what was done on purpose, exact                     */
    uint64_t injected_duplicates;
    uint64_t injected_reorders;
    uint64_t injected_corruptions;
    uint64_t injected_delays;
} busmark_counters_t;

/* ------------------------------------------------------------------ the table ------------------
 * Life cycle
 *   C15 participant_create … participant_destroy may be repeated, and several participants may live
 *       in one process. Endpoints are destroyed before their participant, samples before their
 *       writer; the worker keeps this order. After the last destroy no thread, descriptor, shared
 *       memory or file of the adapter may be left, and the library can be closed.
 *   C16 destroy must return within ten seconds even when peers are gone or samples unacknowledged.
 * Threading
 *   C17 Different endpoints may be used from different threads at once. One endpoint is used by one
 *       thread at a time, except that matched, counters and set_qos may be called from any thread at
 *       any time.
 * The hot path: write, take, wait
 *   C18 write() must hand a sample with the given header to the middleware. It may copy the header
 *       and whatever the middleware copies; it must not allocate, format, log or convert beyond what
 *       is declared in `cost`. The sample stays the caller's and may be written again at once. A
 *       reliable write that blocks longer than max_blocking_ns returns BUSMARK_TIMEOUT and the
 *       sample counts as not sent.
 *   C19 take() must call the sink once for every sample taken, in order, at most `max`, and store
 *       their number. It never waits. BUSMARK_NO_DATA when there is none. It may return fewer than
 *       are available only if wait() or on_data will signal the rest.
 *   C20 Listener: on_data must be called, from a thread of the middleware or from within write()
 *       (SYNCHRONOUS), whenever there are samples to take that were not signalled; calls for one
 *       reader never overlap. It may come from another thread before reader_create has returned (the
 *       worker then holds it back), never from within reader_create itself. The worker calls take()
 *       from within on_data only, until it returns fewer than max.
 *   C21 on_data may call write() on another endpoint if WRITE_IN_LISTENER is declared.
 *   C22 After reader_destroy returned, on_data is not called any more.
 *   C23 wait() must return BUSMARK_OK as soon as a sample can be taken, at once if one is already
 *       there, and BUSMARK_TIMEOUT after timeout_ns otherwise. It must sleep, not spin.
 * Matching
 *   C24 matched counts the endpoints of the other side that are ready to exchange samples: after both
 *       sides count each other, a reliable sample must not be lost, and the count falls when the
 *       other side closes. BUSMARK_UNSUPPORTED without the feature MATCHED.
 *   C25 LOCATORS: after reader_create, reader_locator() gives a text; the worker carries it to every
 *       writer of that topic and calls writer_connect(). After all have returned, samples must
 *       arrive. Without the feature both return BUSMARK_UNSUPPORTED and discovery must do the same
 *       by itself.
 * Changes
 *   C26 set_qos() changes the values in `present` while traffic flows, or returns
 *       BUSMARK_UNSUPPORTED and changes nothing.
 * Keys and filters
 *   C27 KEYS: where endpoints of a topic are made with `instances` above 0 (payload OCTET only) a
 *       sample belongs to instance header.seq % instances, and the middleware must be told so as it
 *       tells instances apart. For DDS the type is then busmark::KeyedSample of idl/busmark.idl;
 *       keep-last history holds `depth` samples of each instance. Whatever is dear (registration)
 *       belongs into writer_create. Without the feature `instances` above 0 is refused (C4).
 *   C28 CONTENT_FILTER: a reader with `filter_below` above 0 must be given the samples of instances
 *       below it and no others, by the middleware's own filter; `filter_below` without `instances` is
 *       BUSMARK_INVALID.
 * Servers
 *   C29 SERVER: participants of this middleware meet at a server (a broker). server_create() starts
 *       one as a child process that ends with the calling process, on a free port of
 *       interface_address, with its files inside run_dir; it returns when the server accepts
 *       connections. It gives the address, which the worker passes to every participant as the
 *       setting "server"; every such adapter has an option of that name. Where the user sets it, no
 *       server is started. After server_destroy no process and no file of it is left. Both entries
 *       are NULL without the feature.
 * The user's own type
 *   C30 PAYLOAD_TYPE: the library was compiled with a type of the user's, which `user_type` names. For
 *       DDS the sample is then busmark::UserSample { Header header; <user_type> body; }, generated
 *       by the vendor's own compiler. The body of sample_create is the value as CDR (XCDR1, plain,
 *       little-endian, aligned from 0, without encapsulation header), which is read once;
 *       anything else is BUSMARK_INVALID. write() serialises and take() deserialises as for
 *       every type. A body is CDR again for the sink where header.flags has BUSMARK_FLAG_CHECKED
 *       only; else it is NULL with 0 bytes, so that nothing is measured but what a user pays.
 */
typedef struct busmark_adapter_t {
    uint32_t abi_version;
    uint32_t struct_size;
    const busmark_capabilities_t *capabilities;

    /* BUSMARK_OK, or BUSMARK_UNAVAILABLE with the reason and the remedy. */
    busmark_status_e (*probe)(busmark_error_t *error);

    busmark_status_e (*participant_create)(const busmark_participant_config_t *config,
                                           busmark_participant_h *out, busmark_error_t *error);
    void (*participant_destroy)(busmark_participant_h participant);

    busmark_status_e (*writer_create)(busmark_participant_h participant,
                                      const busmark_endpoint_config_t *config,
                                      busmark_writer_h *out, busmark_error_t *error);
    void (*writer_destroy)(busmark_writer_h writer);

    /* `listener` is NULL unless config->wait is BUSMARK_WAIT_LISTENER. */
    busmark_status_e (*reader_create)(busmark_participant_h participant,
                                      const busmark_endpoint_config_t *config,
                                      const busmark_listener_t *listener, busmark_reader_h *out,
                                      busmark_error_t *error);
    void (*reader_destroy)(busmark_reader_h reader);

    /* Makes a native sample with this body once; write() then fills in the header only. */
    busmark_status_e (*sample_create)(busmark_writer_h writer, const void *body,
                                      uint64_t body_bytes, busmark_sample_h *out,
                                      busmark_error_t *error);
    void (*sample_destroy)(busmark_writer_h writer, busmark_sample_h sample);

    busmark_status_e (*write)(busmark_writer_h writer, busmark_sample_h sample,
                              const busmark_header_t *header);
    /* Sends what the middleware holds back in a batch. */
    busmark_status_e (*flush)(busmark_writer_h writer);

    busmark_status_e (*take)(busmark_reader_h reader, uint32_t max, busmark_sink_fn sink,
                             void *context, uint32_t *taken);
    busmark_status_e (*wait)(busmark_reader_h reader, int64_t timeout_ns);

    busmark_status_e (*writer_matched)(busmark_writer_h writer, uint32_t *count);
    busmark_status_e (*reader_matched)(busmark_reader_h reader, uint32_t *count);

    /* Writes at most `bytes` with the final zero; BUSMARK_RESOURCES if it does not fit. */
    busmark_status_e (*reader_locator)(busmark_reader_h reader, char *text, size_t bytes);
    busmark_status_e (*writer_connect)(busmark_writer_h writer, const char *locator,
                                       busmark_error_t *error);

    busmark_status_e (*writer_set_qos)(busmark_writer_h writer, const busmark_qos_t *qos,
                                       busmark_error_t *error);
    busmark_status_e (*reader_set_qos)(busmark_reader_h reader, const busmark_qos_t *qos,
                                       busmark_error_t *error);

    busmark_status_e (*writer_counters)(busmark_writer_h writer, busmark_counters_t *counters);
    busmark_status_e (*reader_counters)(busmark_reader_h reader, busmark_counters_t *counters);

    /* Writes the address, at most `bytes` with the final zero. */
    busmark_status_e (*server_create)(const busmark_participant_config_t *config,
                                      busmark_server_h *out, char *address, size_t bytes,
                                      busmark_error_t *error);
    void (*server_destroy)(busmark_server_h server);
} busmark_adapter_t;

/* The one exported symbol. */
const busmark_adapter_t *busmark_adapter(void);
typedef const busmark_adapter_t *(*busmark_adapter_fn)(void);
#define BUSMARK_ADAPTER_SYMBOL "busmark_adapter"

#ifdef __cplusplus
}
#endif
#endif /* BUSMARK_ADAPTER_H */
