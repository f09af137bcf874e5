/* An adapter whose middleware is not on this host. */
#define busmark_adapter honest_adapter
#include "../../../../abi/examples/memory_adapter.c"
#undef busmark_adapter

static busmark_status_e missing(busmark_error_t *error) {
    return busmark_refuse(error, BUSMARK_UNAVAILABLE, "libexample is missing: apt-get install libexample");
}

const busmark_adapter_t *busmark_adapter(void);
const busmark_adapter_t *busmark_adapter(void) {
    static busmark_adapter_t lying;
    lying = busmark_table;
    lying.probe = missing;
    return &lying;
}
