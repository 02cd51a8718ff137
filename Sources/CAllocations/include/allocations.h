#pragma once

/// How often this process has asked the C library for memory.
unsigned long allocation_count(void);
