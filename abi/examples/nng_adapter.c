/* SPDX-License-Identifier: Apache-2.0
 *
 * nng_adapter.c: a Busmark adapter for a real middleware, nng (nanomsg next generation), and its
 * protocol pub/sub.
 *
 *   apt-get install libnng-dev
 *   cc -std=c11 -shared -fPIC -O2 -Wall -Wextra -I abi abi/examples/nng_adapter.c \
 *      -o libbusmark_nng.so -lnng -lpthread
 *   busmark adapter check ./libbusmark_nng.so
 *
 * Readers listen and writers dial (C25). On either side a full queue drops its oldest sample, over
 * every transport: so nng is best effort and keeps the last samples, and declares nothing else.
 */
#define _POSIX_C_SOURCE 200809L
#define BUSMARK_PLAIN_PARTICIPANT
#define BUSMARK_PLAIN_SAMPLES
#include "busmark_adapter_helper.h"

#include <nng/nng.h>
#include <nng/protocol/pubsub0/pub.h>
#include <nng/protocol/pubsub0/sub.h>

#define DEEPEST 8192 /* queue of pub/sub */
#define QUIET_MS 50  /* so long, and so many times, a connection is quiet that sends no more: */
#define QUIETS 10    /* see hang_up */
#define TEXT(number) #number
#define NNG(major, minor, patch) "nng " TEXT(major) "." TEXT(minor) "." TEXT(patch)

static const char *const transports[] = {"tcp", "ipc", "inproc", NULL};
static const uint32_t carriers[] = {BUSMARK_CARRIER_TCP, BUSMARK_CARRIER_LOCAL,
                                    BUSMARK_CARRIER_MEMORY};
static const busmark_capabilities_t capabilities = {
    .struct_size = sizeof(busmark_capabilities_t),
    .waits = BUSMARK_WAIT_LISTENER | BUSMARK_WAIT_WAITSET | BUSMARK_WAIT_POLL,
    .reach = BUSMARK_REACH_PROCESS | BUSMARK_REACH_HOST | BUSMARK_REACH_NETWORK,
    .payloads = (1u << BUSMARK_PAYLOAD_ANY) - 1, /* all kinds before ANY */
    .qos = BUSMARK_QOS_BEST_EFFORT | BUSMARK_QOS_KEEP_LAST | BUSMARK_QOS_VOLATILE,
    .features = BUSMARK_FEATURE_MATCHED | BUSMARK_FEATURE_MATCH_EVENTS |
                BUSMARK_FEATURE_LOCATORS | BUSMARK_FEATURE_WRITE_IN_LISTENER,
    .max_body_bytes = 16u << 20,
    .name = "nng", .title = "nng pub/sub (example)", .version = "1.0",
    .middleware_version = NNG(NNG_MAJOR_VERSION, NNG_MINOR_VERSION, NNG_PATCH_VERSION),
    .licence = "MIT",
    .cost = "allocations, and one copy of header and body per sample",
    .install = "apt-get install libnng1",
    .transports = transports,
    .carriers = carriers,
    .options = busmark_no_options,
    .disclosures = BUSMARK_DISCLOSE_ALLOCATES,
};

/* ------------------------------------------------------------------ the middleware ------------ */
struct busmark_writer_s {
    busmark_endpoint_base_t base;
    nng_socket socket;
};
struct busmark_reader_s {
    busmark_endpoint_base_t base;
    nng_socket socket;
    nng_aio *receiving; /* listener: the pending reception, and what it has received, */
    nng_msg *received;  /* which take() gives first */
};

static busmark_status_t failure(busmark_error_t *error, const char *what, int code) {
    return busmark_refuse(error, BUSMARK_FAILED, "%s: %s", what, nng_strerror(code));
}

static void on_pipe(nng_pipe pipe, nng_pipe_ev event, void *endpoint) {
    busmark_matches_add(&busmark_base(endpoint)->matches, event == NNG_PIPE_EV_ADD_POST ? 1 : -1);
    /* Where a reader listened another one may by now: a writer must not dial there again. */
    if (event == NNG_PIPE_EV_REM_POST) nng_dialer_close(nng_pipe_dialer(pipe));
}

/* The socket of an endpoint, with its queue and events. */
static busmark_status_t open_socket(void *endpoint, int (*open)(nng_socket *), nng_socket *socket,
                                    const char *queue, busmark_error_t *error) {
    int32_t depth;
    busmark_status_t status = busmark_depth(endpoint, DEEPEST, &depth, error);
    if (status != BUSMARK_OK) return status;
    int code = open(socket);
    if (code == 0 && depth > 0) code = nng_socket_set_int(*socket, queue, depth);
    if (code == 0) code = nng_pipe_notify(*socket, NNG_PIPE_EV_ADD_POST, on_pipe, endpoint);
    if (code == 0) code = nng_pipe_notify(*socket, NNG_PIPE_EV_REM_POST, on_pipe, endpoint);
    return code == 0 ? BUSMARK_OK : failure(error, "a socket cannot be made", code);
}

/* ------------------------------------------------------------------ writers ------------------- */
static busmark_status_t writer_open(busmark_writer_h writer, busmark_error_t *error) {
    return open_socket(writer, nng_pub0_open, &writer->socket, NNG_OPT_SENDBUF, error);
}

static void writer_close(busmark_writer_h writer) { nng_close(writer->socket); }

static busmark_status_t writer_connect(busmark_writer_h writer, const char *locator,
                                       busmark_error_t *error) {
    const char *url = busmark_locator_address(locator, busmark_place(writer)->domain, error);
    if (url == NULL) return BUSMARK_INVALID;
    int code = nng_dial(writer->socket, url, NULL, 0);
    return code == 0 ? BUSMARK_OK : failure(error, url, code);
}

static busmark_status_t write_sample(busmark_writer_h writer, busmark_sample_h sample,
                                     const busmark_header_t *header) {
    nng_msg *message;
    int code = nng_msg_alloc(&message, sizeof *header + sample->body_bytes);
    if (code != 0) return busmark_fail(writer, BUSMARK_RESOURCES, nng_strerror(code));
    busmark_copy(nng_msg_body(message), header, sample);
    code = nng_sendmsg(writer->socket, message, NNG_FLAG_NONBLOCK);
    if (code == 0) return BUSMARK_OK;
    nng_msg_free(message);
    return busmark_fail(writer, BUSMARK_FAILED, nng_strerror(code));
}

/* ------------------------------------------------------------------ readers ------------------- */
static void on_sample(void *context) { /* on a thread of nng's */
    busmark_reader_h reader = context;
    if (nng_aio_result(reader->receiving) != 0) return; /* stopped */
    reader->received = nng_aio_get_msg(reader->receiving);
    reader->base.listener.on_data(reader->base.listener.context);
    nng_recv_aio(reader->socket, reader->receiving);
}

/* Listens at an address of its own; nng tells the port. */
static int listen_for_writers(busmark_reader_h reader) {
    const char *transport = busmark_place(reader)->transport;
    char own[BUSMARK_LOCATOR_BYTES / 2], *url;
    nng_listener listener;
    if (strcmp(transport, "tcp") == 0)
        busmark_host_port(own, sizeof own, reader, 0);
    else
        busmark_own_path(own, sizeof own, reader);
    snprintf(reader->base.address, sizeof reader->base.address, "%s://%s", transport, own);
    int code = nng_listen(reader->socket, reader->base.address, &listener, 0);
    if (code == 0) code = nng_listener_get_string(listener, NNG_OPT_URL, &url);
    if (code != 0) return code;
    snprintf(reader->base.address, sizeof reader->base.address, "%s", url);
    nng_strfree(url);
    return 0;
}

static busmark_status_t reader_open(busmark_reader_h reader, busmark_error_t *error) {
    busmark_status_t status =
        open_socket(reader, nng_sub0_open, &reader->socket, NNG_OPT_RECVBUF, error);
    if (status != BUSMARK_OK) return status;
    int code = nng_socket_set_size(reader->socket, NNG_OPT_RECVMAXSZ, 0); /* no limit */
    if (code == 0) code = nng_socket_set(reader->socket, NNG_OPT_SUB_SUBSCRIBE, "", 0);
    if (code == 0) code = listen_for_writers(reader);
    if (code == 0 && reader->base.wait == BUSMARK_WAIT_WAITSET)
        code = nng_socket_get_int(reader->socket, NNG_OPT_RECVFD, &reader->base.descriptor);
    if (code == 0 && reader->base.wait == BUSMARK_WAIT_LISTENER)
        code = nng_aio_alloc(&reader->receiving, on_sample, reader);
    if (code != 0) return failure(error, reader->base.address, code);
    if (reader->receiving != NULL) nng_recv_aio(reader->socket, reader->receiving);
    return BUSMARK_OK;
}

static void refuse(nng_pipe pipe, nng_pipe_ev event, void *reader) {
    (void)event, (void)reader;
    nng_pipe_close(pipe);
}

static void close_sender(void *aio) { /* within nng's delivery of a sample */
    nng_msg *message = nng_aio_get_msg(*(nng_aio **)aio);
    if (nng_aio_result(*(nng_aio **)aio) != 0) return;
    nng_pipe_close(nng_msg_get_pipe(message));
    nng_msg_free(message);
}

/* nng 1.5 never finishes with a connection that is closed after its read of a message's length and
 * before reading the body, and nng_close waits for it. No read is under way before a connection has
 * begun, when new ones are refused, and within a delivery, when those are closed that still send. A
 * context that subscribes after it began to receive has no queue, so what it receives first comes
 * by a delivery. That leaves quiet connections to nng_close. */
static void hang_up(busmark_reader_h reader) {
    nng_aio *aio;
    nng_ctx context;
    int quiet = 0;
    nng_pipe_notify(reader->socket, NNG_PIPE_EV_ADD_PRE, refuse, reader);
    if (nng_aio_alloc(&aio, close_sender, &aio) != 0) return;
    nng_aio_set_timeout(aio, QUIET_MS);
    do {
        if (nng_ctx_open(&context, reader->socket) != 0) break;
        nng_ctx_recv(context, aio);
        nng_ctx_set(context, NNG_OPT_SUB_SUBSCRIBE, "", 0);
        nng_aio_wait(aio);
        nng_ctx_close(context);
        if (nng_aio_result(aio) != 0) quiet++;
    } while (quiet == 0 || (quiet < QUIETS && busmark_matches_now(&reader->base.matches) > 0));
    nng_aio_free(aio);
}

static void reader_close(busmark_reader_h reader) {
    hang_up(reader);
    nng_aio_stop(reader->receiving); /* returns when on_sample has (C22) */
    nng_aio_free(reader->receiving);
    nng_close(reader->socket);
}

static busmark_status_t take(busmark_reader_h reader, uint32_t max, busmark_sink_fn sink,
                             void *context, uint32_t *taken) {
    int code = 0;
    for (*taken = 0; *taken < max;) {
        nng_msg *message = reader->received;
        reader->received = NULL;
        if (message == NULL) code = nng_recvmsg(reader->socket, &message, NNG_FLAG_NONBLOCK);
        if (code != 0) break;
        *taken +=
            busmark_deliver_message(sink, context, nng_msg_body(message), nng_msg_len(message));
        nng_msg_free(message);
    }
    if (*taken > 0) return BUSMARK_OK;
    return code == NNG_EAGAIN ? BUSMARK_NO_DATA
                              : busmark_fail(reader, BUSMARK_FAILED, nng_strerror(code));
}

#define BUSMARK_RUNTIME_END nng_fini
#define BUSMARK_ENTRIES                                                                           \
    BUSMARK_MATCH_ENTRIES, .wait = busmark_reader_wait, .writer_connect = writer_connect,         \
                           .reader_locator = busmark_reader_locator
#include "busmark_adapter_helper.h"
