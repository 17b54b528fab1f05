/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests that somebody will complete: receives, and persistent ones of both kinds. Keyed by handle. A handle may be given to another
 * request the moment it is complete, on any thread: so an entry is taken out before the library is asked to complete it, and put
 * back when it was not.
 */
#include "mpi_priv.h"
#include <pthread.h>
#include <stdlib.h>

enum { REQUEST_SHARDS = 64, REQUEST_FIRST = 64 };
static struct shard {
	_Alignas(WEFT_CACHE_LINE) pthread_mutex_t lock;
	struct mpi_request *row; /* open addressing; handle 0: free */
	size_t n, room;
} shard[REQUEST_SHARDS];
static pthread_once_t shards_once = PTHREAD_ONCE_INIT;

static void shards_begin(void)
{
	for (unsigned i = 0; i < REQUEST_SHARDS; i++)
		pthread_mutex_init(&shard[i].lock, NULL);
}

static uint64_t request_hash(mpi_word handle)
{
	return (uint64_t)handle * 0x9e3779b97f4a7c15u;
}

static struct shard *shard_of(mpi_word handle)
{
	pthread_once(&shards_once, shards_begin);
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
	pthread_mutex_lock(&s->lock);
	if (2 * (s->n + 1) <= s->room || shard_grow(s)) {
		struct mpi_request *at = request_at(s, r->handle);
		s->n += !at->handle;
		*at = *r;
	}
	pthread_mutex_unlock(&s->lock);
}

/* Those behind it in one run may have to move up. */
static void request_remove(struct shard *s, struct mpi_request *at)
{
	size_t hole = (size_t)(at - s->row), mask = s->room - 1;
	s->n--;
	for (size_t i = (hole + 1) & mask; s->row[i].handle; i = (i + 1) & mask) {
		size_t home = request_hash(s->row[i].handle) >> 16 & mask;
		if (((i - home) & mask) >= ((i - hole) & mask)) {
			s->row[hole] = s->row[i];
			hole = i;
		}
	}
	s->row[hole].handle = 0;
}

static bool request_get(mpi_word handle, struct mpi_request *out, bool remove)
{
	struct shard *s = shard_of(handle);
	bool found = false;
	pthread_mutex_lock(&s->lock);
	if (s->n) {
		struct mpi_request *at = request_at(s, handle);
		found = at->handle != 0;
		*out = *at;
		if (found && remove)
			request_remove(s, at);
	}
	pthread_mutex_unlock(&s->lock);
	return found;
}

bool mpi_request_take(mpi_word handle, struct mpi_request *out)
{
	return request_get(handle, out, true);
}

bool mpi_request_copy(mpi_word handle, struct mpi_request *out)
{
	return request_get(handle, out, false);
}
