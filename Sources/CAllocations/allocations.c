// Counts calls of malloc, for the benchmark. In C because the Swift compiler keeps the symbol to itself.
#include "allocations.h"

#include <stdatomic.h>
#include <stddef.h>

extern void *__libc_malloc(size_t size);

static atomic_ulong count;

// Found before the C library's own by every library of the process, the Swift runtime and libcrypto among them.
void *malloc(size_t size) {
    atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
    return __libc_malloc(size);
}

unsigned long allocation_count(void) { return atomic_load_explicit(&count, memory_order_relaxed); }
