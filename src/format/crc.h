/* SPDX-License-Identifier: Apache-2.0 */
/* CRC-32C (Castagnoli), as in iSCSI and ext4: polynomial 0x1EDC6F41 reflected, start and end inverted. */
#ifndef WEFT_BASE_CRC_H
#define WEFT_BASE_CRC_H

#include <stddef.h>
#include <stdint.h>

/* Of at[0..n), going on from `crc` (0 at the start). Uses SSE4.2, three ways interleaved, where the CPU has it. */
uint32_t weft_crc32c(uint32_t crc, const void *at, size_t n);
/* The same on any CPU: what weft_crc32c falls back to, and is tested against. */
uint32_t weft_crc32c_portable(uint32_t crc, const void *at, size_t n);
/* Of two pieces of bytes, one behind the other, from the CRC of each; n: how many bytes the second has. O(log n). */
uint32_t weft_crc32c_join(uint32_t first, uint32_t second, uint64_t n);

#endif
