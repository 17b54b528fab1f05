/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests that somebody will complete: receives, collectives, and persistent ones; messages that were probed, and open files. Keyed by
 * handle. A handle may be given to another request the moment it is complete, on any thread: so an entry is taken out before the library
 * is asked to complete it, and put back when it was not.
 *
 * A lock each of 64 tables, held for some ten instructions: so it is spun for. Most handles that are asked about are sends', and their
 * table is often empty: that is seen without the lock. Who asks for a handle has it from who got it of MPI, and so sees the entry.
 */
#include "mpi_priv.h"
#include <sched.h>
#include <stdlib.h>

enum { REQUEST_SHARDS = 64, REQUEST_FIRST = 64, SPINS = 1000 };
static struct shard {
	_Alignas(WEFT_CACHE_LINE) uint32_t locked;
	uint32_t n;
	size_t room;
	struct mpi_request *row; /* open addressing; handle 0: free */
} shard[REQUEST_SHARDS];

static void shard_lock(struct shard *s)
{
	for (unsigned i = 1; __atomic_exchange_n(&s->locked, 1, __ATOMIC_ACQUIRE); i++)
		while (__atomic_load_n(&s->locked, __ATOMIC_RELAXED)) /* the exchange orders */
			if (i++ % SPINS == 0)
				sched_yield();
}

static void shard_unlock(struct shard *s)
{
	__atomic_store_n(&s->locked, 0, __ATOMIC_RELEASE);
}

static bool shard_is_empty(const struct shard *s)
{
	return __atomic_load_n(&s->n, __ATOMIC_RELAXED) == 0; /* see above: what counts happened before */
}

static uint64_t request_hash(mpi_word handle)
{
	return (uint64_t)handle * 0x9e3779b97f4a7c15u;
}

static struct shard *shard_of(mpi_word handle)
{
	return &shard[request_hash(handle) >> 58];
}

static struct mpi_request *request_at(const struct shard *s, mpi_word handle)
{
	size_t i = request_hash(handle) >> 16 & (s->room - 1);
	while (s->row[i].handle && s->row[i].handle != handle)
		i = (i + 1) & (s->room - 1);
	return &s->row[i];
}

static bool shard_grow(struct shard *s)
{
	struct shard more = {.room = s->room ? 2 * s->room : REQUEST_FIRST};
	more.row = calloc(more.room, sizeof *more.row);
	if (!more.row)
		return false;
	for (size_t i = 0; i < s->room; i++)
		if (s->row[i].handle)
			*request_at(&more, s->row[i].handle) = s->row[i];
	free(s->row);
	s->row = more.row;
	s->room = more.room;
	return true;
}

void mpi_request_put(const struct mpi_request *r)
{
	struct shard *s = shard_of(r->handle);
	shard_lock(s);
	bool fits = 2 * ((size_t)s->n + 1) <= s->room || shard_grow(s);
	if (fits) {
		struct mpi_request *at = request_at(s, r->handle);
		if (!at->handle)
			__atomic_store_n(&s->n, s->n + 1, __ATOMIC_RELAXED);
		*at = *r;
	}
	shard_unlock(s);
	if (!fits)
		mpi_lost(1);
}

/* Those behind it in one run may have to move up. */
static void request_remove(struct shard *s, struct mpi_request *at)
{
	size_t hole = (size_t)(at - s->row), mask = s->room - 1;
	__atomic_store_n(&s->n, s->n - 1, __ATOMIC_RELAXED);
	for (size_t i = (hole + 1) & mask; s->row[i].handle; i = (i + 1) & mask) {
		size_t home = request_hash(s->row[i].handle) >> 16 & mask;
		if (((i - home) & mask) >= ((i - hole) & mask)) {
			s->row[hole] = s->row[i];
			hole = i;
		}
	}
	s->row[hole].handle = 0;
}

bool mpi_request_take(mpi_word handle, struct mpi_request *out)
{
	struct shard *s = shard_of(handle);
	if (shard_is_empty(s))
		return false;
	shard_lock(s);
	struct mpi_request *at = s->n ? request_at(s, handle) : NULL;
	bool found = at && at->handle;
	if (found) {
		*out = *at;
		request_remove(s, at);
	}
	shard_unlock(s);
	return found;
}

/* `began`: not 0 when it starts. */
static bool request_look(mpi_word handle, uint64_t began, struct mpi_request *out)
{
	struct shard *s = shard_of(handle);
	if (shard_is_empty(s))
		return false;
	shard_lock(s);
	struct mpi_request *at = s->n ? request_at(s, handle) : NULL;
	bool found = at && at->handle;
	if (found && began) {
		at->active = true;
		at->posted = began;
	}
	if (found)
		*out = *at;
	shard_unlock(s);
	return found;
}

bool mpi_request_copy(mpi_word handle, struct mpi_request *out)
{
	return request_look(handle, 0, out);
}

bool mpi_request_start(mpi_word handle, uint64_t began, struct mpi_request *out)
{
	return request_look(handle, began, out);
}

void mpi_request_forget(mpi_word handle)
{
	struct mpi_request gone;
	mpi_request_take(handle, &gone);
}
