/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which symbols a name may mean, without looking at all of them. A symbol is kept under each text
 * by which people may ask for it: its name without what follows a dot or @, the whole of it, and
 * for C++ the last part of its qualified name. What is found is to be compared still
 * (probe_name_match): texts share chains.
 */
#ifndef WEFT_PROBE_INDEX_H
#define WEFT_PROBE_INDEX_H

#include "base/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct probe_index_entry {
	uint32_t symbol, next;
};
struct probe_index {
	uint32_t *head; /* owned; a power of two of chains; NULL: nothing is in it */
	uint32_t mask;
	struct {
		struct probe_index_entry *at; /* owned */
		size_t n, cap;
	} entries;
};
/* Room for about so many symbols. 0 or -ENOMEM. */
int probe_index_init(struct probe_index *x, size_t symbols) WEFT_MUST_CHECK;
void probe_index_fini(struct probe_index *x);
/* symbol: the caller's number for it. Those that are added last are found first. 0 or -ENOMEM. */
int probe_index_add(struct probe_index *x, const char *name, uint32_t symbol) WEFT_MUST_CHECK;
/*
 * The symbols that may be called `asked`, one after the other; false: no more. One may come twice.
 */
struct probe_index_walk {
	const char *asked; /* the rest is 0 at the begin */
	uint32_t at;
	unsigned chains; /* that were begun */
};
bool probe_index_next(const struct probe_index *x, struct probe_index_walk *w, uint32_t *symbol);

#endif
