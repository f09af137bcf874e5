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
 *   locator      a text by which a writer finds a reader, or a reader a writer, where the middleware
 *                has no discovery
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
 *       a table of another abi_version, or one smaller than BUSMARK_ADAPTER_MIN_SIZE. Within a version
 *       entries and fields are only ever added, at the end; a changed meaning changes the version. So
 *       an adapter and a worker of one version go together without a rebuild, whichever is older:
 *       the worker takes entries beyond the table's struct_size as NULL.
 *   C2  Every structure that crosses the border begins with struct_size, except the sample's own
 *       header and body (busmark_header_t, busmark_struct_t), whose layout never changes within a
 *       version, and busmark_option_t and busmark_setting_t, which are elements of lists.
 *       Where the caller passes data in, the caller sets struct_size; the callee must ignore bytes
 *       past the size that it knows, and must not read a field beyond struct_size: it takes such a
 *       field as 0 or NULL (BUSMARK_HAS). Where the callee fills in a structure of the caller's
 *       (error, counters, match), struct_size is the room, set by the caller and left alone by the
 *       callee, who must write no byte past it and no byte past the size that it knows. A structure
 *       smaller than in the first release of a version never comes.
 *
 * What may be NULL
 *   Entries for what the capabilities do not declare: flush (BATCHING), wait (WAITSET), the matched,
 *   locator, connect, server, match and entities entries (their features), set_qos (qos_mutable), and
 *   counters, last_error and attach, of which every adapter may have none. The worker takes NULL as
 *   BUSMARK_UNSUPPORTED. `body` of sample_create where body_bytes is 0, `settings`, `security` and `qos` of a
 *   configuration (none), `qos` of an entity that is a participant, `partition` without its bit. No other
 *   pointer is NULL.
 *
 * Limits, which the worker keeps, and asks of capabilities
 *   topic       1 to BUSMARK_TOPIC_BYTES of A-Z a-z 0-9 _ (the writer's and reader's are equal)
 *   run_dir     absolute, at most BUSMARK_RUN_DIR_BYTES, so that a socket's path (107) has room for 26
 *               more
 *   lists       at most BUSMARK_MOST_TRANSPORTS transports, BUSMARK_MOST_OPTIONS options and
 *               BUSMARK_MOST_PROFILES security profiles
 *   texts       of capabilities at most BUSMARK_TEXT_BYTES, messages BUSMARK_MESSAGE_BYTES, locators and
 *               addresses BUSMARK_LOCATOR_BYTES, each with the final zero
 *   address     interface_address is IPv4, or IPv6 without brackets and without a zone; the worker passes
 *               what the user named, and an adapter that cannot use IPv6 refuses it (C4)
 *   times       from 0 to 2^62 ns; timeout_ns of 0 asks once and does not sleep, and below 0 does not
 *               come. A middleware that counts coarser rounds a timeout up, never down to 0.
 */
#ifndef BUSMARK_ADAPTER_H
#define BUSMARK_ADAPTER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BUSMARK_ABI_VERSION 1u

#define BUSMARK_TOPIC_BYTES 200
#define BUSMARK_RUN_DIR_BYTES 80
#define BUSMARK_TEXT_BYTES 4096
#define BUSMARK_MOST_TRANSPORTS 64
#define BUSMARK_MOST_OPTIONS 256
#define BUSMARK_MOST_PROFILES 32
#define BUSMARK_LOCATOR_BYTES 1024

/* Whether a structure, by its struct_size, has this field (C2). */
#define BUSMARK_HAS(structure, field)                                                             \
    ((size_t)((const char *)&(structure)->field - (const char *)(structure)) +                    \
         sizeof((structure)->field) <=                                                            \
     (structure)->struct_size)

#if defined(__cplusplus) && __cplusplus >= 201103L
#define BUSMARK_ASSERT(what, text) static_assert(what, text)
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define BUSMARK_ASSERT(what, text) _Static_assert(what, text)
#else
#define BUSMARK_ASSERT(what, text) struct busmark_assert_s
#endif

/* ------------------------------------------------------------------ states and errors ---------
 *   C3  A function that can fail returns busmark_status_e. Where it takes a busmark_error_t and
 *       fails, it must fill in `message` with what failed, the middleware's own words if it has any,
 *       and, where the user can do something, what to do. `error` is never NULL.
 *   C4  Misuse (a kind, transport, option, QoS value or wait strategy that the capabilities do not
 *       list, a body larger than the endpoint was made for) must return BUSMARK_INVALID or
 *       BUSMARK_UNSUPPORTED. It must never abort the process, and must never be ignored silently.
 *   C5  The middleware must not end the process, print to standard output or install signal
 *       handlers; the adapter must switch such habits off. Standard output is the control channel.
 *       A habit that cannot be switched off (a library that aborts where it finds itself in a state
 *       that it did not expect) is the middleware's fault and shown as such: the worker dies, and the
 *       round is marked. The adapter must not catch signals to hide it.
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

/* A busmark_status_e of fixed width, as it crosses the border. */
typedef uint32_t busmark_status_t;

#define BUSMARK_MESSAGE_BYTES 512
typedef struct busmark_error_t {
    uint32_t struct_size;
    busmark_status_t status;
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
    int64_t echo_delivered_ns; /* in a pong: T3 of its ping at the responder; else 0            */
    int64_t echo_read_ns;      /* in a pong: T4 of its ping at the responder; else 0            */
    uint32_t writer_id;        /* unique within the run                                         */
    uint32_t flags;            /* busmark_flag_e; in a pong above them, << 16, its ping's writer */
} busmark_header_t;            /* 64 bytes, no padding */

typedef enum busmark_flag_e {
    BUSMARK_FLAG_WARMUP = 1,  /* sent before the measurement began                              */
    BUSMARK_FLAG_PROBE = 2,   /* a latency probe within a throughput stream; is echoed          */
    BUSMARK_FLAG_LAST = 4,    /* the writer's last sample                                       */
    BUSMARK_FLAG_CHECKED = 8, /* the body follows the content pattern and may be verified       */
    BUSMARK_FLAG_CONTROL = 16, /* announces a batch, or with LAST its end; is answered           */
    BUSMARK_FLAG_START = 32,  /* with CONTROL: the batch begins                                 */
    BUSMARK_FLAG_RESENT = 64, /* with CONTROL: sent before, and not acknowledged in time        */
    BUSMARK_FLAG_ANSWER = 128 /* a sample of a batch that is acknowledged by itself             */
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

BUSMARK_ASSERT(sizeof(busmark_header_t) == 64, "the header is 64 bytes");
BUSMARK_ASSERT(offsetof(busmark_header_t, writer_id) == 56, "the header has no padding");
BUSMARK_ASSERT(sizeof(busmark_struct_t) == 16, "the struct is 16 bytes");
BUSMARK_ASSERT(offsetof(busmark_struct_t, real) == 12, "the struct has no padding");

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
    BUSMARK_QOS_TIME_BASED_FILTER = 1u << 14,
    BUSMARK_QOS_LIVELINESS_LEASE = 1u << 15
} busmark_qos_value_e;

/*   C8  A QoS whose bit is not in `present` is left at the middleware's own default. A bit that is in
 *       `present` must be honoured, with effect on the traffic, or the call must fail (C4).
 *
 *       RELIABLE     After both sides count each other (C24) or are connected (C25), each sample whose
 *                    write returned BUSMARK_OK reaches each reader that stays, once, unaltered, each
 *                    writer's in order, whatever the network loses; a full queue makes write() block,
 *                    and then return BUSMARK_TIMEOUT (C18), never drop. What else may be lost: what
 *                    KEEP_LAST overwrites, LIFESPAN or a filter takes out, and what a reader or its host
 *                    that goes had not taken. A reader that goes stops nobody for longer than the
 *                    middleware needs to notice.
 *                    A middleware that drops at a high-water mark is BEST_EFFORT, over TCP too.
 *       BEST_EFFORT  Samples may be lost by the network and where a queue between writer and take() is
 *                    full; write() does not wait for readers. None is altered or comes twice. A
 *                    reader that keeps up, on a network that loses nothing, gets them all.
 *       KEEP_LAST    take() finds at most the newest `depth` samples (per instance, C27) that arrived
 *                    since the last take(); what wait() or the listener's thread has fetched from the
 *                    middleware counts among them until the sink has had it. The reader holds them. A
 *                    writer may hold `depth` too and overwrite what it has not sent, under RELIABLE as
 *                    well: nothing waits then, and what is overwritten is lost without being an error.
 *       KEEP_ALL     Nothing is overwritten on either side; memory or RESOURCE_LIMITS end it, under
 *                    RELIABLE by making write() block.
 *       LIVELINESS_LEASE  A writer shows within each lease that it lives, by itself (DDS: liveliness
 *                    AUTOMATIC), and a reader takes one that does not for gone. A reader hears only
 *                    writers whose lease is at most its own.
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
    int64_t liveliness_lease_ns;    /* above 0                                                    */
} busmark_qos_t;

/* ------------------------------------------------------------------ capabilities --------------
 *   C9  What the capabilities declare must be true on this host: conformance tests every bit. What
 *       they do not declare is "unsupported" in the plan before anything runs. What is done against
 *       a clause must be among the disclosures; `cost` is a text for people and excuses nothing.
 *   C10 The capabilities must be constant data: the same on every call, no middleware started to
 *       find them out. probe() reports whether the middleware can be used here.
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
    BUSMARK_FEATURE_LOANS = 1u << 8,             /* lends memory for bodies: C35                  */
    BUSMARK_FEATURE_KEYS = 1u << 9,              /* keyed topics: C27                             */
    BUSMARK_FEATURE_CONTENT_FILTER = 1u << 10,   /* readers may ask for some instances only: C28  */
    BUSMARK_FEATURE_SECURITY = 1u << 11,         /* secured by documents of its owner: C38        */
    BUSMARK_FEATURE_FAULTS = 1u << 12,           /* injects faults on purpose (reference adapter) */
    BUSMARK_FEATURE_SERVER = 1u << 13,           /* participants meet at a server: C29            */
    BUSMARK_FEATURE_MATCH_EVENTS = 1u << 14,     /* the time of a match is known: C33             */
    BUSMARK_FEATURE_WRITE_MANY = 1u << 15,       /* several samples in one call: C34              */
    BUSMARK_FEATURE_WRITER_LOCATORS = 1u << 16,  /* no discovery: see writer_locator (C36)        */
    BUSMARK_FEATURE_ENTITIES = 1u << 17,         /* lists what is found on the bus: C37           */
    BUSMARK_FEATURE_SERVICES = 1u << 18          /* requests and responses of its own: C39 … C44  */
} busmark_feature_e;                             /* features are 64 bits wide                     */

/* What the middleware does against a clause, and the adapter cannot mend. A test that sees it fails where
 * the bit is not set, and is skipped with what it saw where it is. */
typedef enum busmark_disclosure_e {
    BUSMARK_DISCLOSE_ALL_INTERFACES = 1u << 0,    /* sockets receive on all interfaces: C11       */
    BUSMARK_DISCLOSE_RUNTIME_STAYS = 1u << 1,     /* threads outlive the last destroy: C15        */
    BUSMARK_DISCLOSE_GROWS_BY_ENDPOINT = 1u << 2, /* memory grows with endpoints made: C15        */
    BUSMARK_DISCLOSE_GROWS_BY_SAMPLE = 1u << 3,   /* memory grows with samples sent: C15          */
    BUSMARK_DISCLOSE_ALLOCATES = 1u << 4,         /* write() allocates memory: C18                */
    BUSMARK_DISCLOSE_LOSES = 1u << 5,             /* loses samples that must not be lost: C8, C18 */
    BUSMARK_DISCLOSE_SLOW = 1u << 6               /* some tens of reliable samples a second: C8   */
} busmark_disclosure_e;                           /* disclosures are 64 bits wide                 */

/* What carries the samples of a transport. It decides how far the transport reaches and which of the
 * system's counters are about it. */
typedef enum busmark_carrier_e {
    BUSMARK_CARRIER_MEMORY = 1,        /* memory of one process: reaches nobody outside it        */
    BUSMARK_CARRIER_SHARED_MEMORY = 2, /* memory that processes of one host share                 */
    BUSMARK_CARRIER_LOCAL = 4,         /* pipes, Unix-domain sockets: one host                    */
    BUSMARK_CARRIER_UDP = 8,
    BUSMARK_CARRIER_TCP = 16,
    BUSMARK_CARRIER_MIXED = 32         /* what the middleware chooses: one within a host, one beyond */
} busmark_carrier_e;

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
    uint64_t features;    /* bits of busmark_feature_e                                            */
    uint64_t max_body_bytes;
    const char *name;               /* "udp": as in the library's file name, or "-" for its "_"   */
    const char *title;              /* "UDP sockets"                                              */
    const char *version;            /* of the adapter                                             */
    const char *middleware_version; /* "Eclipse Cyclone DDS 11.0.1", "Linux sockets"              */
    const char *licence;            /* SPDX expression of the middleware                          */
    const char *cost;               /* for people: what a sample costs beside the middleware; "" */
    const char *install;            /* the command that installs the middleware; "" if built in   */
    const char *const *transports;  /* names, default first, ends with NULL                       */
    const busmark_option_t *options; /* ends with key == NULL                                     */
    const char *user_type; /* PAYLOAD_TYPE: "sensors::PointCloud"; else NULL (C30)                */
    uint64_t disclosures;  /* bits of busmark_disclosure_e; 0 where struct_size ends before       */
    const uint32_t *carriers; /* one busmark_carrier_e for each of transports, in their order; NULL: the adapter does not say, as where struct_size ends before          */
    const char *const *security; /* SECURITY: names of profiles, ends with NULL; else NULL (C38)   */
    const char *tuned; /* what the profile "tuned" sets: "key value unit", separated by commas; "": the same as "default"; NULL: the adapter does not say, as where struct_size ends before             */
    uint64_t stored_samples; /* SHARED_MEMORY, as shipped: a writer's memory holds at most so many samples for a keep-all reader; 0: the size of the memory is the same whatever the samples, or where struct_size ends before */
    uint64_t stored_bytes;   /* and at most so many bytes of bodies, but two samples at least         */
    uint32_t service_waits;  /* SERVICES: bits WAITSET and POLL of busmark_wait_e; 0 where struct_size ends before (C39) */
    uint32_t service_qos;    /* SERVICES: bits of busmark_qos_value_e that a service honours (C39)    */
    uint32_t service_requests; /* SERVICES: requests of one client that may wait for a response at a time; 0: no limit but memory */
    uint32_t service_clients;  /* SERVICES: clients of one service; 0: no limit but memory            */
} busmark_capabilities_t;

/* ------------------------------------------------------------------ configuration --------------
 *   C11 All traffic, discovery included, must stay on the interface named here. A middleware whose
 *       sockets can only receive on all interfaces discloses ALL_INTERFACES.
 *   C12 Files, sockets and pipes must be made inside run_dir only, and removed on destroy.
 *   C13 Two domains must not hear each other.
 *   C14 The callee copies what it keeps: pointers in a configuration are valid during the call only.
 */
typedef struct busmark_setting_t {
    const char *key;
    const char *value;
} busmark_setting_t;

/* Who a participant is and what it may do (C38). Each path is absolute; the files are the user's. */
typedef struct busmark_security_t {
    uint32_t struct_size;
    uint32_t reserved;
    const char *profile;        /* one of the capabilities' `security`                            */
    const char *identity_ca;    /* who signs identities: X.509 as PEM; CURVE: public keys allowed */
    const char *certificate;    /* the participant's identity: X.509 as PEM; CURVE: public key    */
    const char *private_key;    /* of the certificate: PKCS #8 as PEM; CURVE: secret key          */
    const char *password;       /* of the private key; "": not encrypted                          */
    const char *permissions_ca; /* DDS Security: who signs the two below, X.509 as PEM; else ""   */
    const char *governance;     /* DDS Security: signed as S/MIME; else ""                        */
    const char *permissions;    /* DDS Security: signed as S/MIME; else ""                        */
} busmark_security_t;

typedef struct busmark_participant_config_t {
    uint32_t struct_size;
    uint32_t domain;
    const char *interface_name;    /* "lo"                                                        */
    const char *interface_address; /* "127.0.0.1"                                                 */
    const char *transport;         /* one of the capabilities' transports                         */
    const char *profile;           /* "default": as shipped; "tuned": the vendor's own advice     */
    const char *run_dir;           /* a directory shared by all participants on this host         */
    const busmark_setting_t *settings; /* options that differ from their default; ends key NULL   */
    const busmark_security_t *security; /* NULL: none (C38)                                        */
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
typedef struct busmark_service_s *busmark_service_h; /* one end of a service: its server, or a client */

typedef enum busmark_side_e {
    BUSMARK_SIDE_CLIENT = 1,
    BUSMARK_SIDE_SERVER = 2
} busmark_side_e;

/* ------------------------------------------------------------------ the host ------------------- */
typedef enum busmark_log_level_e {
    BUSMARK_LOG_ERROR = 0,
    BUSMARK_LOG_WARNING = 1,
    BUSMARK_LOG_INFO = 2
} busmark_log_level_e;

/*   C31 attach() is called before probe() and any other entry, with the host's structure, which lives as
 *       long as the process; it may be called again with another host, of which the last one holds. What
 *       the middleware and the adapter have to say goes to `log`, a line at a time without a line break,
 *       from any thread, never from within write, take or wait; where the host has no `log`, to standard
 *       error. What is logged is kept with the round.
 */
typedef void (*busmark_log_fn)(void *context, uint32_t level, const char *text);
typedef struct busmark_host_t {
    uint32_t struct_size;
    uint32_t abi_version; /* that the host speaks                                                  */
    uint64_t table_bytes; /* sizeof(busmark_adapter_t) in the host's header: entries past it are unused */
    const char *name;     /* "busmark 0.1.0"                                                       */
    busmark_log_fn log;
    void *context;        /* of log                                                                */
} busmark_host_t;

/* ------------------------------------------------------------------ reception ------------------ */
typedef struct busmark_received_t {
    uint32_t struct_size;
    uint32_t reserved;
    const busmark_header_t *header; /* both valid during the call of the sink only                */
    const void *body;               /* NULL when body_bytes is 0                                  */
    uint64_t body_bytes;
    int64_t source_ns;    /* writer's stamp by the middleware, CLOCK_REALTIME; 0: absent          */
    int64_t reception_ns; /* reader's stamp by the middleware, CLOCK_REALTIME; 0: absent          */
    uint64_t request;     /* service_take: which request it is, or answers (C40); else 0          */
} busmark_received_t;

typedef void (*busmark_sink_fn)(void *context, const busmark_received_t *received);
typedef void (*busmark_on_data_fn)(void *context);

typedef struct busmark_listener_t {
    uint32_t struct_size;
    uint32_t reserved;
    busmark_on_data_fn on_data; /* C20 … C22 */
    void *context;
} busmark_listener_t;

/* The middleware's own counters; a figure that it does not keep is BUSMARK_ABSENT. The caller fills all
 * of them with BUSMARK_ABSENT; the callee stores what the middleware keeps. */
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

/* What writer_match and reader_match give (C33). */
typedef struct busmark_match_t {
    uint32_t struct_size;
    uint32_t count;     /* as matched gives it                                                     */
    int64_t changed_ns; /* when it became that, CLOCK_MONOTONIC; 0: it has never changed from 0    */
} busmark_match_t;

/* What entities() lists (C37). Texts are valid during the call of the sink only; "" where the middleware does
 * not say. */
typedef enum busmark_entity_kind_e {
    BUSMARK_ENTITY_PARTICIPANT = 1,
    BUSMARK_ENTITY_WRITER = 2,
    BUSMARK_ENTITY_READER = 3
} busmark_entity_kind_e;

typedef struct busmark_entity_t {
    uint32_t struct_size;
    uint32_t kind;           /* one busmark_entity_kind_e                                          */
    uint32_t own;            /* 1: made through the participant that is asked; 0: any other        */
    uint32_t vendor;         /* RTPS vendor id, such as 0x0110; 0: unknown, or not RTPS            */
    const char *key;         /* nobody else on the bus has it; RTPS: the GUID, 32 hex digits       */
    const char *participant; /* key of the participant that it belongs to; its own where it is one */
    const char *name;        /* that its owner has given it                                        */
    const char *host;        /* participants: host name                                            */
    const char *process;     /* participants: number of the process on that host, and its name     */
    const char *topic;       /* writers and readers                                                */
    const char *type_name;   /* writers and readers: of the topic's type                           */
    const busmark_qos_t *qos; /* writers and readers: what is announced of it; NULL: participant   */
    const char *more;        /* what busmark_qos_t cannot say, such as "durability persistent; …"  */
} busmark_entity_t;

typedef void (*busmark_entity_fn)(void *context, const busmark_entity_t *entity);

/* ------------------------------------------------------------------ the table ------------------
 * Life cycle
 *   C15 participant_create … participant_destroy may be repeated, and several participants may live
 *       in one process. Endpoints are destroyed before their participant, samples before their
 *       writer; the worker keeps this order. After the last destroy no thread, descriptor, shared
 *       memory or file of the adapter may be left, and the library can be closed. A runtime that the
 *       middleware has once per process (an ORB, a pool of threads) is started by the first participant
 *       and ended with the last one. Where a middleware cannot do so, RUNTIME_STAYS discloses that
 *       its threads and descriptors stay until the process ends (shared memory and files never do).
 *       Memory must not grow with what was made and destroyed, nor with samples sent and taken;
 *       where the middleware's does, GROWS_BY_ENDPOINT or GROWS_BY_SAMPLE discloses it.
 *   C16 destroy must return within ten seconds even when peers are gone or samples unacknowledged.
 * Threading
 *   C17 Different endpoints may be used from different threads at once. One endpoint is used by one
 *       thread at a time, except that matched, match, counters and set_qos may be called from any
 *       thread at any time before destroy. destroy is never called from within on_data.
 * The hot path: write, take, wait
 *   C18 write() must hand a sample with the given header to the middleware. It may copy the header
 *       and whatever the middleware copies; it must not format, log or convert beyond what `cost`
 *       names. Where it allocates memory on the calling thread, the adapter itself or the middleware
 *       below it, ALLOCATES discloses it. The sample stays the caller's and may be written again at
 *       once. A reliable write that blocks longer than max_blocking_ns returns BUSMARK_TIMEOUT and
 *       the sample counts as not sent.
 *   C19 take() must call the sink once for every sample taken, in order, at most `max`, and store
 *       their number. It never waits. BUSMARK_NO_DATA when there is none. It may return fewer than
 *       are available only if wait() or on_data will signal the rest. No body is larger than
 *       max_body_bytes, but one of another run's sample: the adapter need not know runs, and the worker
 *       counts such a sample, by its cookie, as foreign.
 *   C20 Listener: on_data must be called, from a thread of the middleware or from within write()
 *       (SYNCHRONOUS), whenever there are samples to take that were not signalled; calls for one
 *       reader never overlap. It may come from another thread before reader_create has returned, never
 *       from within reader_create itself. The worker then blocks that thread within on_data until
 *       reader_create has returned, and takes: on_data never returns without having taken, and
 *       reader_create must not wait for a thread that may be within on_data, or for a lock that it
 *       holds. The worker calls take() from within on_data only, until it returns fewer than max.
 *   C21 on_data may call write() on another endpoint if WRITE_IN_LISTENER is declared.
 *   C22 After reader_destroy returned, on_data is not called any more.
 *   C23 wait() must return BUSMARK_OK as soon as a sample can be taken, at once if one is already
 *       there, and BUSMARK_TIMEOUT after timeout_ns otherwise, not before. It must sleep, not spin.
 * Matching
 *   C24 matched counts the endpoints of the other side that are ready to exchange samples: after both
 *       sides count each other, a reliable sample must not be lost, and the count falls when the
 *       other side closes. BUSMARK_UNSUPPORTED without the feature MATCHED.
 *   C25 LOCATORS: after reader_create, reader_locator() gives a text; the worker carries it to every
 *       writer of that topic and calls writer_connect(). After all have returned, samples must
 *       arrive. writer_connect() may block, at most ten seconds; a second call with the same locator
 *       comes never. A locator fits into BUSMARK_LOCATOR_BYTES. Without the feature both return
 *       BUSMARK_UNSUPPORTED and discovery, or C36, must do the same.
 *   C36 WRITER_LOCATORS: the same where writers bind and readers connect. After writer_create,
 *       writer_locator() gives a text; the worker carries it to every reader of that topic and calls
 *       reader_connect(). After all have returned, samples must arrive: a reader whose subscription
 *       is still on its way is not connected. A reader hears the writers that it was connected to and
 *       no others; what comes from them while it connects to more is kept for take(). What C25 says
 *       of size, blocking and repetition holds. Without the feature both return BUSMARK_UNSUPPORTED.
 *       An adapter may declare LOCATORS and WRITER_LOCATORS, where an option decides who binds: in a
 *       participant the side that connects returns BUSMARK_UNSUPPORTED from its locator entry, and
 *       the side that binds from its connect entry.
 * Changes
 *   C26 set_qos() changes the values in `present` while traffic flows, or returns
 *       BUSMARK_UNSUPPORTED and changes nothing.
 * Keys and filters
 *   C27 KEYS: where endpoints of a topic are made with `instances` above 0 (payload OCTET only) a
 *       sample belongs to instance header.seq % instances, and the middleware must receive the
 *       instance in its own form. For DDS the type is then busmark::KeyedSample of idl/busmark.idl;
 *       keep-last history holds `depth` samples of each instance. Whatever is dear (registration)
 *       belongs into writer_create. Without the feature `instances` above 0 is refused (C4).
 *   C28 CONTENT_FILTER: a reader with `filter_below` above 0 must be given the samples of instances
 *       below it and no others, by the middleware's own filter; `filter_below` without `instances` is
 *       BUSMARK_INVALID.
 * Servers
 *   C29 SERVER: participants of this middleware meet at a server (a broker). server_create() starts
 *       one, within the calling process or as a child process that ends with it, on a free port of
 *       interface_address, with its files inside run_dir; it returns when the server accepts
 *       connections. It gives the address, which the worker passes to every participant as the
 *       setting "server"; every such adapter has an option of that name. Where the user sets it, no
 *       server is started. An adapter that has the option "discovery" needs a server only where that is
 *       "server". After server_destroy no process, no file and no port of it is left. Both entries
 *       are NULL without the feature.
 * The user's own type
 *   C30 PAYLOAD_TYPE: the library was compiled with a type of the user's, which `user_type` names. For
 *       DDS the sample is then busmark::UserSample { Header header; <user_type> body; }, generated
 *       by the vendor's own compiler. The body of sample_create is the value as CDR (XCDR1, plain,
 *       little-endian, aligned from 0, without encapsulation header), which is read once;
 *       anything else is BUSMARK_INVALID. write() serialises and take() deserialises as for
 *       every type. A body is CDR again for the sink where header.flags has BUSMARK_FLAG_CHECKED
 *       only; else it is NULL with 0 bytes, so that nothing is measured but what a user pays.
 * Words for failures of the hot path
 *   C32 Where write, flush, take, wait, matched or locator fails, the worker may ask last_error() of that
 *       endpoint, on the same thread, before any other call to the endpoint. BUSMARK_OK: `message` says
 *       what failed last, in the middleware's words, and `status` its state; BUSMARK_NO_DATA: nothing
 *       has failed. Keeping the words must cost nothing as long as nothing fails (C18).
 * Events
 *   C33 MATCH_EVENTS: writer_match and reader_match give the count of C24 together with the time at which
 *       it became that, taken in the middleware's own event (DDS: publication matched, subscription
 *       matched), not when they are asked. Without the feature the worker asks for the count again and
 *       again, and tells discovery as an interval between two questions.
 * Several samples, and memory of the middleware
 *   C34 WRITE_MANY: write_many() does what `count` calls of write() do, sample and header one by one, in
 *       fewer steps if the middleware can. One sample may stand in the list more than once. `written` is
 *       the number that was sent; where it is below `count` the status says why.
 *   C35 LOANS: loan() gives memory of the middleware for one body of `body_bytes`, which the worker fills in,
 *       and publish() sends that body with a header, without a copy, and takes the memory back; with
 *       NULL for the header it is taken back unsent. A writer lends once at a time: a second loan() is
 *       BUSMARK_INVALID, and so is publish() without a loan, and a body larger than the endpoint was made
 *       for. What is lent when the writer is destroyed goes with it. Both are as hot as write() (C18).
 * What is on the bus
 *   C37 ENTITIES: entities() calls the sink once for each participant, writer and reader that the middleware
 *       knows of in the participant's domain at that moment: its own ones and others, also of programs that
 *       are no adapters (DDS: the built-in topics). What others make is listed within the time that
 *       discovery takes, and what has gone is not listed any more. Endpoints of the middleware's own
 *       discovery are left out. Looking changes nothing: entities() makes nothing that others could
 *       discover, and matches with nothing that it lists. `qos` has what is announced of an endpoint:
 *       a policy is in `present` where it is known and differs from having none (a time without end, a
 *       budget or priority of 0, no partition and shared ownership are left out; a reader of exclusive
 *       ownership has a strength of 0); several partitions are joined by commas. entities() may be called
 *       from any thread, by one at a time. It may allocate and wait, at most a second; the worker does not
 *       call it while it measures in that process.
 * Security
 *   C38 SECURITY: a participant that is created with `security` must use these files and must protect
 *       what its profile names: of DDS Security what its governance says, of TLS and CURVE every
 *       connection, with both sides authenticated. What it cannot use (a file that it cannot read, a
 *       certificate that is not valid now or that identity_ca has not signed, a key of another certificate,
 *       a document that permissions_ca has not signed or that is about another domain, a wrong password) must
 *       make participant_create fail with the reason. A participant without an identity that
 *       identity_ca has signed must exchange no samples with it, nor must one on a topic that its
 *       permissions do not allow. `profile` is for messages where governance decides. Nothing of a
 *       private key or password is logged or written. `security` with another profile, or without the
 *       feature, is refused (C4). server_create() gets the `security` of the server's own identity.
 * Services
 *   C39 SERVICES: service_create() makes one end of the service with the name `config->topic`: its server or
 *       a client. payload is OCTET or EMPTY, wait one of service_waits, qos of service_qos (C8 holds for
 *       requests and for responses; RELIABLE is what is meant where it says nothing), and max_body_bytes
 *       is the larger of request and response. A topic of the same name is something else. Ends are
 *       destroyed before their participant, samples before their end, and what C4, C11 … C16, C31 and
 *       C38 say of endpoints holds. A second server of one name is refused, or both answer: the worker
 *       counts. An adapter with LOCATORS gives the server's by service_locator(), and its clients get it
 *       by service_connect() (C25); where participants meet at a server (C29) or by discovery both return
 *       BUSMARK_UNSUPPORTED.
 *   C40 service_send() of a client hands a request to the middleware and stores in `*request` by what its
 *       response will be known: no other request of this client has the number within 2^31 requests.
 *       service_take() of the server gives each request once; `received->request` is a handle of the
 *       adapter's, by which service_send() of the server answers it: `*request` is read then, and not
 *       changed. The server answers each once, at any later time and in any order. service_take() of the
 *       client gives the response, with the number of its request. A response reaches the client that
 *       asked and no other, whatever other clients there are, in this participant or elsewhere, and one
 *       that has gone disturbs nobody. Header and body of request and response arrive bit for bit (C7);
 *       their sizes need not be equal. A handle that has been answered, and one that never was, is
 *       BUSMARK_INVALID.
 *   C41 service_drop(): the client awaits this response no more, or the server will not answer this request.
 *       What the middleware keeps for it is given back. A response that comes all the same may still be
 *       given, with its number. Destroying an end drops all. A client whose server has gone keeps working
 *       when one of that name is there again; what was asked in between may remain without a response.
 *   C42 The hot path: service_send, service_take, service_wait and service_drop are as hot as write and take
 *       (C18, C19, C23, of which each word holds; the sink of service_take is the one of take). A request that
 *       cannot be sent because service_requests of this client are under way, or since a queue is full, is
 *       BUSMARK_TIMEOUT after max_blocking_ns or BUSMARK_RESOURCES, and counts as not sent.
 *   C43 service_match() gives the number of the other side's ends that are ready, and the time of the
 *       middleware's own event (C33; changed_ns 0: there is no such event). A client's request that is sent
 *       after the client counts a server must reach it and be answered; the number falls when that end is
 *       destroyed. A server that cannot know its clients returns BUSMARK_UNSUPPORTED, a client that cannot
 *       know of a server, too: the worker then asks until an answer comes.
 *   C44 Of one end, service_take, service_wait and service_drop are used by one thread at a time, and
 *       service_send of a client by one thread, which may be another, at the same time. Responses are sent
 *       by several threads at once, each with a sample of its own. service_match may be called from any.
 */
typedef struct busmark_adapter_t {
    uint32_t abi_version;
    uint32_t struct_size;
    const busmark_capabilities_t *capabilities;

    /* BUSMARK_OK, or BUSMARK_UNAVAILABLE with the reason and the remedy. */
    busmark_status_t (*probe)(busmark_error_t *error);

    busmark_status_t (*participant_create)(const busmark_participant_config_t *config,
                                           busmark_participant_h *out, busmark_error_t *error);
    void (*participant_destroy)(busmark_participant_h participant);

    busmark_status_t (*writer_create)(busmark_participant_h participant,
                                      const busmark_endpoint_config_t *config,
                                      busmark_writer_h *out, busmark_error_t *error);
    void (*writer_destroy)(busmark_writer_h writer);

    /* `listener` is NULL unless config->wait is BUSMARK_WAIT_LISTENER. */
    busmark_status_t (*reader_create)(busmark_participant_h participant,
                                      const busmark_endpoint_config_t *config,
                                      const busmark_listener_t *listener, busmark_reader_h *out,
                                      busmark_error_t *error);
    void (*reader_destroy)(busmark_reader_h reader);

    /* Makes a native sample with this body once; write() then fills in the header only. */
    busmark_status_t (*sample_create)(busmark_writer_h writer, const void *body,
                                      uint64_t body_bytes, busmark_sample_h *out,
                                      busmark_error_t *error);
    void (*sample_destroy)(busmark_writer_h writer, busmark_sample_h sample);

    busmark_status_t (*write)(busmark_writer_h writer, busmark_sample_h sample,
                              const busmark_header_t *header);
    /* Sends what the middleware holds back in a batch. */
    busmark_status_t (*flush)(busmark_writer_h writer);

    busmark_status_t (*take)(busmark_reader_h reader, uint32_t max, busmark_sink_fn sink,
                             void *context, uint32_t *taken);
    busmark_status_t (*wait)(busmark_reader_h reader, int64_t timeout_ns);

    busmark_status_t (*writer_matched)(busmark_writer_h writer, uint32_t *count);
    busmark_status_t (*reader_matched)(busmark_reader_h reader, uint32_t *count);

    /* Writes at most `bytes` with the final zero; BUSMARK_RESOURCES if it does not fit. */
    busmark_status_t (*reader_locator)(busmark_reader_h reader, char *text, size_t bytes);
    busmark_status_t (*writer_connect)(busmark_writer_h writer, const char *locator,
                                       busmark_error_t *error);

    busmark_status_t (*writer_set_qos)(busmark_writer_h writer, const busmark_qos_t *qos,
                                       busmark_error_t *error);
    busmark_status_t (*reader_set_qos)(busmark_reader_h reader, const busmark_qos_t *qos,
                                       busmark_error_t *error);

    busmark_status_t (*writer_counters)(busmark_writer_h writer, busmark_counters_t *counters);
    busmark_status_t (*reader_counters)(busmark_reader_h reader, busmark_counters_t *counters);

    /* Writes the address, at most `bytes` with the final zero. */
    busmark_status_t (*server_create)(const busmark_participant_config_t *config,
                                      busmark_server_h *out, char *address, size_t bytes,
                                      busmark_error_t *error);
    void (*server_destroy)(busmark_server_h server);

    void (*attach)(const busmark_host_t *host);                                          /* C31 */

    busmark_status_t (*writer_last_error)(busmark_writer_h writer, busmark_error_t *error); /* C32 */
    busmark_status_t (*reader_last_error)(busmark_reader_h reader, busmark_error_t *error);

    busmark_status_t (*writer_match)(busmark_writer_h writer, busmark_match_t *match);   /* C33 */
    busmark_status_t (*reader_match)(busmark_reader_h reader, busmark_match_t *match);

    busmark_status_t (*write_many)(busmark_writer_h writer, const busmark_sample_h *samples, /* C34 */
                                   const busmark_header_t *headers, uint32_t count,
                                   uint32_t *written);

    busmark_status_t (*loan)(busmark_writer_h writer, uint64_t body_bytes, void **body); /* C35 */
    busmark_status_t (*publish)(busmark_writer_h writer, const busmark_header_t *header);

    /* As reader_locator and writer_connect, the other way round. */
    busmark_status_t (*writer_locator)(busmark_writer_h writer, char *text, size_t bytes); /* C36 */
    busmark_status_t (*reader_connect)(busmark_reader_h reader, const char *locator,
                                       busmark_error_t *error);

    busmark_status_t (*entities)(busmark_participant_h participant, busmark_entity_fn sink,  /* C37 */
                                 void *context, busmark_error_t *error);

    busmark_status_t (*service_create)(busmark_participant_h participant,                    /* C39 */
                                       const busmark_endpoint_config_t *config,
                                       uint32_t side, /* busmark_side_e */
                                       busmark_service_h *out, busmark_error_t *error);
    void (*service_destroy)(busmark_service_h service);
    /* As sample_create and sample_destroy, of a client's requests or a server's responses. */
    busmark_status_t (*service_sample_create)(busmark_service_h service, const void *body,
                                              uint64_t body_bytes, busmark_sample_h *out,
                                              busmark_error_t *error);
    void (*service_sample_destroy)(busmark_service_h service, busmark_sample_h sample);
    busmark_status_t (*service_send)(busmark_service_h service, busmark_sample_h sample,     /* C40 */
                                     const busmark_header_t *header, uint64_t *request);
    busmark_status_t (*service_take)(busmark_service_h service, uint32_t max, busmark_sink_fn sink,
                                     void *context, uint32_t *taken);
    busmark_status_t (*service_wait)(busmark_service_h service, int64_t timeout_ns);
    busmark_status_t (*service_drop)(busmark_service_h service, uint64_t request);           /* C41 */
    busmark_status_t (*service_match)(busmark_service_h service, busmark_match_t *match);    /* C43 */
    busmark_status_t (*service_last_error)(busmark_service_h service, busmark_error_t *error);
    busmark_status_t (*service_locator)(busmark_service_h service, char *text, size_t bytes);
    busmark_status_t (*service_connect)(busmark_service_h service, const char *locator,
                                        busmark_error_t *error);
} busmark_adapter_t;

/* The table of version 1's first release: what every table has (C1). */
#define BUSMARK_ADAPTER_MIN_SIZE offsetof(busmark_adapter_t, server_create)
BUSMARK_ASSERT(offsetof(busmark_adapter_t, probe) == 16, "the table's head");
BUSMARK_ASSERT(offsetof(busmark_capabilities_t, features) == 24, "the masks come first");

/* The one exported symbol. */
const busmark_adapter_t *busmark_adapter(void);
typedef const busmark_adapter_t *(*busmark_adapter_fn)(void);
#define BUSMARK_ADAPTER_SYMBOL "busmark_adapter"

#ifdef __cplusplus
}
#endif
#endif /* BUSMARK_ADAPTER_H */
