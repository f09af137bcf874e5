/* The example adapter with wires instead of discovery: writers have locators, readers connect (C36). Each
 * body is preceded by its writer's number, and take() passes on what comes from writers that the reader
 * was connected to. With the lies about it. */
#include <inttypes.h>

#define TAG 16 /* a whole number of elements of every kind */
#define MOST 256

static struct {
    busmark_writer_h writer; /* NULL: unused, or gone */
    uint64_t number;
} numbers[MOST];
static struct {
    busmark_reader_h reader;
    uint64_t number;
    struct timespec since;
} wires[MOST];
static uint64_t made;

static uint64_t number_of(busmark_writer_h writer) {
    for (int i = 0; i < MOST; i++)
        if (numbers[i].writer == writer) return numbers[i].number;
    return 0;
}

static busmark_status_t wired_writer(busmark_participant_h participant,
                                     const busmark_endpoint_config_t *config, busmark_writer_h *out,
                                     busmark_error_t *error) {
    busmark_status_t status = busmark_writer_create(participant, config, out, error);
    if (status != BUSMARK_OK) return status;
    busmark_base(*out)->max_body_bytes += TAG;
    int i = 0;
    pthread_mutex_lock(&lock);
    while (numbers[i].writer != NULL) i++;
    numbers[i].writer = *out;
    numbers[i].number = ++made;
    pthread_mutex_unlock(&lock);
    return status;
}

static void wired_writer_destroy(busmark_writer_h writer) {
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MOST; i++)
        if (numbers[i].writer == writer) numbers[i].writer = NULL;
    pthread_mutex_unlock(&lock);
    busmark_writer_destroy(writer);
}

static void wired_reader_destroy(busmark_reader_h reader) {
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MOST; i++)
        if (wires[i].reader == reader) wires[i].reader = NULL;
    pthread_mutex_unlock(&lock);
    busmark_reader_destroy(reader);
}

static busmark_status_t wired_sample(busmark_writer_h writer, const void *body, uint64_t body_bytes,
                                     busmark_sample_h *out, busmark_error_t *error) {
    uint64_t number = number_of(writer);
    unsigned char *tagged = calloc(1, TAG + body_bytes);
    memcpy(tagged, &number, sizeof number);
    if (body_bytes > 0) memcpy(tagged + TAG, body, body_bytes);
    busmark_status_t status = sample_create(writer, tagged, TAG + body_bytes, out, error);
    free(tagged);
    return status;
}

static busmark_status_t wired_locator(busmark_writer_h writer, char *text, size_t bytes) {
    int length = snprintf(text, bytes, "wired %" PRIu32 " %" PRIu64, busmark_place(writer)->domain,
                          number_of(writer));
#ifdef LIE_LOCATOR_CUT
    return (void)length, BUSMARK_OK;
#endif
    return (size_t)length < bytes ? BUSMARK_OK : BUSMARK_RESOURCES;
}

static busmark_status_t wired_connect(busmark_reader_h reader, const char *locator,
                                      busmark_error_t *error) {
    uint32_t domain;
    uint64_t number;
    int i = 0;
#ifdef LIE_WIRES_NOTHING
    return (void)reader, (void)locator, (void)domain, (void)number, (void)i, (void)error, BUSMARK_OK;
#endif
    if (sscanf(locator, "wired %" SCNu32 " %" SCNu64, &domain, &number) != 2) {
#ifdef LIE_ANY_LOCATOR
        return BUSMARK_OK;
#endif
        busmark_refuse(error, BUSMARK_INVALID, "\"%s\" is no locator of a wired writer", locator);
#ifdef LIE_REFUSES_SILENTLY
        error->message[0] = '\0';
#endif
        return BUSMARK_INVALID;
    }
    if (domain != busmark_place(reader)->domain)
        return busmark_refuse(error, BUSMARK_INVALID, "the writer is of another domain");
    pthread_mutex_lock(&lock);
    while (i < MOST && (numbers[i].writer == NULL || numbers[i].number != number)) i++;
    int gone = i == MOST;
#ifdef LIE_GONE_LOCATOR
    gone = 0;
#endif
    i = 0;
#ifdef LIE_ONE_WRITER /* of several wires the last */
    while (i < MOST && wires[i].reader != reader) i++;
    if (i == MOST) i = 0;
    while (wires[i].reader != NULL && wires[i].reader != reader) i++;
#else
    while (wires[i].reader != NULL) i++;
#endif
    if (!gone) {
        wires[i].reader = reader;
        wires[i].number = number;
        clock_gettime(CLOCK_MONOTONIC, &wires[i].since);
    }
    pthread_mutex_unlock(&lock);
    if (gone) return busmark_refuse(error, BUSMARK_UNAVAILABLE, "the writer %s has gone", locator);
    return BUSMARK_OK;
}

static int is_wired(busmark_reader_h reader, uint64_t number) {
    int found = 0;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MOST && !found; i++) {
        found = wires[i].reader == reader && wires[i].number == number;
#ifdef LIE_CONNECTS_LATE
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (now.tv_sec - wires[i].since.tv_sec < 2) found = 0;
#endif
    }
    pthread_mutex_unlock(&lock);
#ifdef LIE_HEARS_ALL
    found = 1;
#endif
    return found;
}

struct taking {
    busmark_reader_h reader;
    busmark_sink_fn sink;
    void *context;
    uint32_t passed;
};

static void wired_sink(void *context, const busmark_received_t *received) {
    struct taking *taking = context;
    busmark_received_t r = *received;
    uint64_t number;
    memcpy(&number, r.body, sizeof number);
    if (!is_wired(taking->reader, number)) return;
    r.body_bytes -= TAG;
    r.body = r.body_bytes > 0 ? (const unsigned char *)r.body + TAG : NULL;
    taking->passed++;
    taking->sink(taking->context, &r);
}

static busmark_status_t wired_take(busmark_reader_h reader, uint32_t max, busmark_sink_fn sink,
                                   void *context, uint32_t *taken) {
    struct taking taking = {reader, sink, context, 0};
    uint32_t one;
    while (taking.passed < max && take(reader, 1, wired_sink, &taking, &one) == BUSMARK_OK) {}
    *taken = taking.passed;
    return *taken > 0 ? BUSMARK_OK : BUSMARK_NO_DATA;
}
