/* The example of version 1 with the table of its first release, before servers (C1): 184 bytes, and
 * behind them what must not be read. */
#define busmark_adapter honest_adapter
#include "memory_adapter.c"
#undef busmark_adapter

const busmark_adapter_t *busmark_adapter(void);
const busmark_adapter_t *busmark_adapter(void) {
    static busmark_adapter_t first;
    first = table;
    first.struct_size = offsetof(busmark_adapter_t, server_create);
    memset(&first.server_create, 0xA5, sizeof first - first.struct_size);
    return &first;
}
