/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mappings of files that may be cut off by others while we write to them. A store behind the end of a file is SIGBUS, and would end
 * the process; under a guard, what is lost of the mapping becomes memory of the process's own, and whoever made the mapping learns it.
 */
#ifndef WEFT_RECORD_GUARD_H
#define WEFT_RECORD_GUARD_H

#include "base/atomic.h"
#include <stdbool.h>
#include <stddef.h>

/*
 * Guards [at, at + bytes), until it is removed; *cut, which must live as long, becomes EIO when a part of it is lost. The first call
 * sets a handler of SIGBUS, which passes on to the one that was there before all that is none of ours. False: there are too many
 * guards. Thread-safe and async-signal-safe, both.
 */
bool weft_guard_add(void *at, size_t bytes, struct weft_atomic_u32 *cut);
void weft_guard_remove(const void *at);

#endif
