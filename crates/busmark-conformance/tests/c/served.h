/* Services of the example adapter, with the lies about them. */

/* Bits that the lie adds to what is declared of services. */
static uint32_t claimed_service_waits, claimed_requests;

static void claim_services(void) {
#if defined(LIE_SERVICE_LISTENER)
    claimed_service_waits = BUSMARK_WAIT_LISTENER;
#elif defined(LIE_FORGETS_NOTHING) || defined(LIE_NO_LIMIT)
    claimed_requests = 16;
#endif
}

static busmark_status_t lying_service(busmark_participant_h participant,
                                      const busmark_endpoint_config_t *config, uint32_t side,
                                      busmark_service_h *out, busmark_error_t *error) {
    busmark_endpoint_config_t c = *config;
    busmark_qos_t qos = *config->qos;
    c.qos = &qos;
#ifdef LIE_IGNORES_SERVICE_QOS
    qos.present &= QOS;
#endif
#ifdef LIE_IGNORES_SIDE
    if (side != BUSMARK_SIDE_CLIENT) side = BUSMARK_SIDE_SERVER;
#endif
#ifdef LIE_ONE_SERVICE
    if (config->topic[0] != '\0') c.topic = "one";
#endif
#ifdef LIE_SERVICE_LEAKS_DESCRIPTORS
    if (open("/dev/null", O_RDONLY | O_CLOEXEC) < 0) return BUSMARK_FAILED;
#endif
    busmark_status_t status = busmark_table.service_create(participant, &c, side, out, error);
#ifdef LIE_SHORT_QUEUE
    if (status == BUSMARK_OK) (*out)->queue.depth = 64;
#endif
    return status;
}

static int servers_gone;

static void lying_service_destroy(busmark_service_h service) {
    servers_gone += busmark_base(service)->side == BUSMARK_SIDE_SERVER;
    busmark_table.service_destroy(service);
}

#ifdef LIE_ALL_HEAR_ALL
static uint32_t numbers_of_clients[4096]; /* by their name */

/* Every client gets every response, and keeps those that answer its number in the header. */
static busmark_status_t answer_all(busmark_service_h server, busmark_sample_h sample,
                                   const busmark_header_t *header, uint64_t handle) {
    busmark_call_t call;
    pthread_mutex_lock(&lock);
    busmark_status_t status = busmark_calls_get(&server->calls, handle, 1, &call);
    for (endpoint *e = ends[BUSMARK_SIDE_CLIENT]; e != NULL && status == BUSMARK_OK; e = e->next) {
        busmark_service_h client = (busmark_service_h)e;
        if (match(&server->common, e) && numbers_of_clients[client->name % 4096] == header->flags >> 16)
            busmark_queue_push_request(&client->queue, call.number, header, sample->body,
                                       sample->body_bytes);
    }
    pthread_mutex_unlock(&lock);
    return status;
}
#endif

static busmark_status_t lying_send(busmark_service_h service, busmark_sample_h sample,
                                   const busmark_header_t *header, uint64_t *request) {
    int client = busmark_base(service)->side == BUSMARK_SIDE_CLIENT;
#ifdef LIE_LEAKS_BY_REQUEST
    static void *volatile leaked;
    leaked = malloc(200);
    memset(leaked, 1, 200);
#endif
#ifdef LIE_CORRUPTS_RESPONSES
    if (!client && sample->body_bytes > 20000) sample->body[100] ^= 1;
#endif
#ifdef LIE_ONE_NUMBER
    busmark_status_t sent = service_send(service, sample, header, request);
    if (client) *request = 1;
    return sent;
#endif
#ifdef LIE_ANY_HANDLE
    busmark_status_t answered = service_send(service, sample, header, request);
    return answered == BUSMARK_INVALID ? BUSMARK_OK : answered;
#endif
#if defined(LIE_FORGETS_NOTHING) || defined(LIE_NO_LIMIT)
    static uint32_t under_way;
    if (client) under_way++;
    else if (under_way > 0) under_way--; /* what is answered is under way no more; what is dropped stays */
#ifdef LIE_FORGETS_NOTHING
    if (client && under_way > claimed_requests) return under_way--, BUSMARK_RESOURCES;
#endif
#endif
#ifdef LIE_FIRST_SERVER
    if (client && servers_gone > 0) return BUSMARK_OK;
#endif
#ifdef LIE_GONE_CLIENT /* an answer to one that has gone fails the server for good */
    static int failed;
    if (!client && !failed) {
        busmark_call_t call;
        failed = busmark_calls_get(&service->calls, *request, 0, &call) == BUSMARK_OK;
        for (endpoint *e = ends[BUSMARK_SIDE_CLIENT]; e != NULL; e = e->next)
            if (((busmark_service_h)e)->name == call.client) failed = 0;
    }
    if (failed) return BUSMARK_FAILED;
#endif
#ifdef LIE_LATE_SERVER
    static __thread int64_t first;
    if (first == 0) first = busmark_now();
    if (client && busmark_now() - first < 200000000) return BUSMARK_OK;
#endif
#ifdef LIE_ONE_RESPONDER
    static int inside;
    if (client) return service_send(service, sample, header, request);
    if (__sync_lock_test_and_set(&inside, 1)) return BUSMARK_INVALID;
    usleep(1000);
    busmark_status_t alone = service_send(service, sample, header, request);
    __sync_lock_release(&inside);
    return alone;
#endif
#ifdef LIE_ALL_HEAR_ALL
    if (client) numbers_of_clients[service->name % 4096] = header->writer_id;
    else return answer_all(service, sample, header, *request);
#endif
    (void)client;
    return service_send(service, sample, header, request);
}

static busmark_status_t lying_service_take(busmark_service_h service, uint32_t max,
                                           busmark_sink_fn sink, void *context, uint32_t *taken) {
#ifdef LIE_SERVICE_TAKES_MORE
    max += 5;
#endif
    busmark_status_t status = service_take(service, max, sink, context, taken);
#ifdef LIE_SERVICE_EMPTY
    if (status == BUSMARK_NO_DATA) return BUSMARK_OK;
#endif
    return status;
}

static busmark_status_t lying_service_wait(busmark_service_h service, int64_t timeout_ns) {
#ifdef LIE_SERVICE_WAKES
    return (void)service, (void)timeout_ns, BUSMARK_OK;
#endif
#ifdef LIE_SERVICE_SPINS
    int64_t end = busmark_now() + timeout_ns;
    do {
        if (service_wait(service, 0) == BUSMARK_OK) return BUSMARK_OK;
    } while (busmark_now() < end);
    return BUSMARK_TIMEOUT;
#endif
#ifdef LIE_SERVICE_EARLY
    timeout_ns /= 2;
#endif
    return service_wait(service, timeout_ns);
}

static busmark_status_t lying_service_match(busmark_service_h service, busmark_match_t *found) {
    busmark_status_t status = busmark_service_match(service, found);
#ifdef LIE_SERVICE_MATCHED /* never falls */
    static uint32_t most[3];
    uint32_t side = busmark_base(service)->side;
    if (found->count > most[side]) most[side] = found->count;
    found->count = most[side];
#endif
#ifdef LIE_SERVICE_MATCH_TIME
    found->changed_ns += 3600000000000;
#endif
    return status;
}

static busmark_status_t lying_service_locator(busmark_service_h service, char *text, size_t bytes) {
#ifdef LIE_SERVICE_LOCATOR
    return (void)service, bytes < 2 ? BUSMARK_RESOURCES : (memcpy(text, "x", 2), BUSMARK_OK);
#endif
    return busmark_table.service_locator(service, text, bytes);
}

static busmark_status_t lying_service_sample(busmark_service_h service, const void *body,
                                             uint64_t body_bytes, busmark_sample_h *out,
                                             busmark_error_t *error) {
#ifdef LIE_SERVICE_TRUNCATES
    uint64_t room = busmark_base(service)->max_body_bytes;
    if (body_bytes > room) body_bytes = room;
#endif
    return service_sample_create(service, body, body_bytes, out, error);
}

static void lie_of_services(busmark_capabilities_t *lies, busmark_adapter_t *table) {
    claim_services();
    lies->service_waits |= claimed_service_waits;
    if (claimed_requests != 0) lies->service_requests = claimed_requests;
#ifdef LIE_UNDECLARED_SERVICES
    lies->features &= ~(uint64_t)BUSMARK_FEATURE_SERVICES;
#endif
    table->service_create = lying_service;
    table->service_destroy = lying_service_destroy;
    table->service_sample_create = lying_service_sample;
    table->service_send = lying_send;
    table->service_take = lying_service_take;
    table->service_wait = lying_service_wait;
    table->service_match = lying_service_match;
    table->service_locator = lying_service_locator;
#ifdef LIE_NO_SERVICE_ENTRIES
    table->service_create = NULL;
    table->service_send = NULL;
#endif
}
