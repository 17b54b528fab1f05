/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which earlier children of the same task a child waits for, by the addresses that they name: a writer for the readers since the last
 * writer, or for it; a reader for the last writer. GCC's runtime tells nobody. A hash table by address; readers in a list that the next
 * writer empties. O(1) an address and O(readers) a writer.
 */
#include "openmp_priv.h"
#include <stdlib.h>

struct address {
	const void *at;
	uint64_t writer;
	uint64_t *reader;
	uint32_t n, room;
};
struct openmp_depends {
	struct address *row;
	uint32_t n, room; /* room: a power of two */
};

static struct address *place_of(const struct openmp_depends *d, const void *at)
{
	uint32_t i = (uint32_t)((uint64_t)(uintptr_t)at * 0x9e3779b97f4a7c15u >> 32) & (d->room - 1);
	while (d->row[i].at && d->row[i].at != at)
		i = (i + 1) & (d->room - 1);
	return &d->row[i];
}

static bool grow(struct openmp_depends *d)
{
	struct openmp_depends more = {calloc(d->room ? 2 * (size_t)d->room : 32, sizeof *d->row), d->n,
	                              d->room ? 2 * d->room : 32};
	if (!more.row)
		return false;
	for (uint32_t i = 0; i < d->room; i++)
		if (d->row[i].at)
			*place_of(&more, d->row[i].at) = d->row[i];
	free(d->row);
	*d = more;
	return true;
}

static void wait_for(uint64_t earlier, uint64_t child)
{
	const uint64_t w[2] = {earlier, child};
	if (earlier && earlier != child)
		weft_record(openmp.depends, WEFT_HEAD_DEPENDENCY, 2, w);
}

static void add_reader(struct address *a, uint64_t child)
{
	if (a->n == a->room) {
		uint64_t *more = realloc(a->reader, (a->room ? 2 * (size_t)a->room : 4) * sizeof *more);
		if (!more)
			return;
		a->reader = more;
		a->room = a->room ? 2 * a->room : 4;
	}
	a->reader[a->n++] = child;
}

void openmp_depend(struct openmp_depends **d, uint64_t child, const void *address, bool writes)
{
	if (!*d && !(*d = calloc(1, sizeof **d)))
		return;
	if ((*d)->n + 1 > (*d)->room / 2 && !grow(*d))
		return;
	struct address *a = place_of(*d, address);
	if (!a->at) {
		a->at = address;
		(*d)->n++;
	}
	if (!writes) {
		wait_for(a->writer, child);
		add_reader(a, child);
		return;
	}
	if (!a->n)
		wait_for(a->writer, child);
	for (uint32_t i = 0; i < a->n; i++)
		wait_for(a->reader[i], child);
	a->n = 0;
	a->writer = child;
}

void openmp_depends_free(struct openmp_depends *d)
{
	for (uint32_t i = 0; i < d->room; i++)
		free(d->row[i].reader);
	free(d->row);
	free(d);
}
