#pragma once
#include <stddef.h>
#include <stdint.h>
#include <uninorm.h>

// The normalization forms are macros for the addresses of incomplete types, which Swift can't import.
static inline uint8_t *gatehouse_nfc(const uint8_t *text, size_t count, size_t *normalized) {
    return u8_normalize(UNINORM_NFC, text, count, NULL, normalized);
}
static inline uint8_t *gatehouse_nfkc(const uint8_t *text, size_t count, size_t *normalized) {
    return u8_normalize(UNINORM_NFKC, text, count, NULL, normalized);
}
