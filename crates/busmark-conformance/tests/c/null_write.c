/* The example without an entry that every adapter must have. */
#define busmark_adapter honest_adapter
#include "../../../../abi/examples/memory_adapter.c"
#undef busmark_adapter

const busmark_adapter_t *busmark_adapter(void);
const busmark_adapter_t *busmark_adapter(void) {
    static busmark_adapter_t lacking;
    lacking = busmark_table;
    lacking.write = NULL;
    return &lacking;
}
