/* The example adapter with a list of what is on its bus (C37), and the lies about it. */
#define MOST_LISTED 64

static busmark_participant_h listed_participants[MOST_LISTED];

static busmark_status_t listed_participant(const busmark_participant_config_t *config,
                                           busmark_participant_h *out, busmark_error_t *error) {
    busmark_status_t status = busmark_participant_create(config, out, error);
    int i = 0;
    if (status != BUSMARK_OK) return status;
    pthread_mutex_lock(&lock);
    while (i < MOST_LISTED - 1 && listed_participants[i] != NULL) i++;
    listed_participants[i] = *out;
    pthread_mutex_unlock(&lock);
    return status;
}

static void listed_participant_destroy(busmark_participant_h participant) {
#ifdef LIE_LISTS_GONE /* the memory is not given back either: it is looked at again */
    (void)participant;
#else
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MOST_LISTED; i++)
        if (listed_participants[i] == participant) listed_participants[i] = NULL;
    pthread_mutex_unlock(&lock);
    busmark_participant_destroy(participant);
#endif
}

static void list_endpoints(busmark_participant_h asked, endpoint *first, uint32_t kind,
                           busmark_entity_fn sink, void *context) {
    for (endpoint *e = first; e != NULL; e = e->next) {
        if (busmark_place(e)->domain != asked->base.domain) continue;
        char key[32], participant[32], type[32];
        snprintf(key, sizeof key, "%p", (void *)e);
        snprintf(participant, sizeof participant, "%p", (void *)e->base.participant);
        snprintf(type, sizeof type, "payload kind %u", (unsigned)e->base.payload);
        busmark_qos_t qos = e->base.qos;
#ifdef LIE_LISTS_OTHER_QOS
        qos.present &= ~(uint32_t)BUSMARK_QOS_RELIABLE;
        qos.present |= BUSMARK_QOS_BEST_EFFORT;
#endif
#ifdef LIE_LOOKING_MATCHES
        busmark_matches_add(&e->base.matches, 1);
#endif
        const busmark_entity_t entity = {
            .struct_size = sizeof entity,
            .kind = kind,
#ifndef LIE_LISTS_ALL_AS_FOREIGN
            .own = e->base.participant == asked,
#endif
            .key = key, .participant = participant, .name = "", .host = "", .process = "",
            .topic = e->base.topic, .type_name = type, .qos = &qos, .more = "",
        };
        sink(context, &entity);
    }
}

static busmark_status_t listed_entities(busmark_participant_h asked, busmark_entity_fn sink,
                                        void *context, busmark_error_t *error) {
    (void)error;
#ifdef STRANGERS_COME_AND_GO /* another program's participant, each time another one */
    static int strangers;
    char stranger[32];
    snprintf(stranger, sizeof stranger, "stranger %d", __sync_fetch_and_add(&strangers, 1));
    const busmark_entity_t other = {
        .struct_size = sizeof other, .kind = BUSMARK_ENTITY_PARTICIPANT, .key = stranger,
        .participant = stranger, .name = "", .host = "", .process = "", .topic = "",
        .type_name = "", .qos = NULL, .more = "",
    };
    sink(context, &other);
#endif
#ifdef LIE_LOOKING_ADDS /* an endpoint of the one that looks, each time another one */
    static int looks;
    char look[32], looker[32];
    snprintf(look, sizeof look, "look %d", __sync_fetch_and_add(&looks, 1));
    snprintf(looker, sizeof looker, "%p", (void *)asked);
    const busmark_qos_t plain = {.struct_size = sizeof plain};
    const busmark_entity_t added = {
        .struct_size = sizeof added, .kind = BUSMARK_ENTITY_READER, .own = 1, .key = look,
        .participant = looker, .name = "", .host = "", .process = "", .topic = "built_in",
        .type_name = "built_in", .qos = &plain, .more = "",
    };
    sink(context, &added);
#endif
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MOST_LISTED; i++) {
        busmark_participant_h one = listed_participants[i];
        if (one == NULL || one->base.domain != asked->base.domain) continue;
        char key[32];
        snprintf(key, sizeof key, "%p", (void *)one);
        const busmark_entity_t entity = {
            .struct_size = sizeof entity, .kind = BUSMARK_ENTITY_PARTICIPANT, .own = one == asked,
            .key = key, .participant = key, .name = "", .host = "", .process = "", .topic = "",
            .type_name = "", .qos = NULL, .more = "",
        };
        sink(context, &entity);
    }
    list_endpoints(asked, writers, BUSMARK_ENTITY_WRITER, sink, context);
    list_endpoints(asked, readers, BUSMARK_ENTITY_READER, sink, context);
    pthread_mutex_unlock(&lock);
    return BUSMARK_OK;
}
