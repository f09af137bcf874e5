/* The right version, but a table that ends too early. */
#include "busmark_adapter.h"

const busmark_adapter_t *busmark_adapter(void) {
    static const busmark_adapter_t table = {.abi_version = BUSMARK_ABI_VERSION, .struct_size = 24};
    return &table;
}
