/* SPDX-License-Identifier: Apache-2.0 */
/* The table of requests: against a plain array, and between threads that hand requests to each other. */
#include "harness.h"
#include "mpi/mpi_priv.h"
#include <pthread.h>
#include <sched.h>

enum { HANDLES = 3000, STEPS = 200000 };

static mpi_word handle_of(unsigned i)
{
	return 0x55550000 + 64 * (mpi_word)i; /* as addresses of a pool lie */
}

static uint32_t next(uint32_t *seed)
{
	return (*seed = *seed * 1664525u + 1013904223u) >> 8;
}

TEST(entries_are_there_until_they_are_taken)
{
	static uint64_t want[HANDLES];
	static bool active[HANDLES];
	uint32_t seed = 7;
	for (unsigned step = 1; step <= STEPS; step++) {
		unsigned i = next(&seed) % HANDLES;
		struct mpi_request r = {.handle = handle_of(i), .posted = step, .bytes = step, .kind = MPI_REQ_SEND_PERSISTENT};
		switch (next(&seed) % 4) {
		case 0:
			mpi_request_put(&r);
			want[i] = step;
			active[i] = false;
			break;
		case 1:
			REQUIRE(mpi_request_take(handle_of(i), &r) == (want[i] != 0));
			REQUIRE(!want[i] || (r.bytes == want[i] && r.active == active[i]));
			want[i] = 0;
			break;
		case 2:
			REQUIRE(mpi_request_start(handle_of(i), step, &r) == (want[i] != 0));
			REQUIRE(!want[i] || (r.bytes == want[i] && r.active && r.posted == step));
			active[i] = true;
			break;
		default:
			REQUIRE(mpi_request_copy(handle_of(i), &r) == (want[i] != 0));
			REQUIRE(!want[i] || r.bytes == want[i]);
		}
	}
	for (unsigned i = 0; i < HANDLES; i++)
		mpi_request_forget(handle_of(i));
	for (unsigned i = 0; i < HANDLES; i++)
		CHECK(!mpi_request_copy(handle_of(i), &(struct mpi_request){0}));
}

enum { PAIRS = 4, HANDED = 5000, SLOTS = 8 };
static struct pair {
	struct weft_atomic_u64 slot[SLOTS]; /* number of the request that was put and not taken; 0: none */
	unsigned number;
	uint64_t wrong;
} pair[PAIRS];

static void *posts(void *arg)
{
	struct pair *p = arg;
	for (uint64_t i = 1; i <= HANDED; i++) {
		struct weft_atomic_u64 *slot = &p->slot[i % SLOTS];
		while (weft_load_u64(slot))
			sched_yield();
		/* The handle is used again as soon as it is free. */
		mpi_request_put(&(struct mpi_request){.handle = handle_of(p->number * SLOTS + (unsigned)(i % SLOTS)),
		                                      .bytes = i,
		                                      .kind = MPI_REQ_RECV,
		                                      .active = true});
		weft_store_u64(slot, i);
	}
	return NULL;
}

static void *completes(void *arg)
{
	struct pair *p = arg;
	for (uint64_t i = 1; i <= HANDED; i++) {
		struct weft_atomic_u64 *slot = &p->slot[i % SLOTS];
		struct mpi_request r;
		while (!weft_load_u64(slot))
			sched_yield();
		mpi_word handle = handle_of(p->number * SLOTS + (unsigned)(i % SLOTS));
		p->wrong += !mpi_request_take(handle, &r) || r.bytes != i || r.handle != handle;
		weft_store_u64(slot, 0);
	}
	return NULL;
}

TEST(another_thread_finds_what_it_was_handed)
{
	pthread_t t[2 * PAIRS];
	for (unsigned i = 0; i < PAIRS; i++) {
		pair[i].number = i;
		REQUIRE(pthread_create(&t[2 * i], NULL, posts, &pair[i]) == 0);
		REQUIRE(pthread_create(&t[2 * i + 1], NULL, completes, &pair[i]) == 0);
	}
	for (unsigned i = 0; i < 2 * PAIRS; i++)
		pthread_join(t[i], NULL);
	for (unsigned i = 0; i < PAIRS; i++)
		CHECK_U64(pair[i].wrong, 0);
}
