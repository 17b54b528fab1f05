/* SPDX-License-Identifier: Apache-2.0 */
/* Rings: every record once and in order, drops when full, two threads at once, and rings full of garbage. */
#include "harness.h"
#include "link/link_ring.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 4096 };

static struct link_ring *ring_new(struct link_producer *p)
{
	*p = (struct link_producer){0};
	struct link_ring *r = aligned_alloc(64, BYTES);
	REQUIRE(r);
	memset(r, 0, BYTES);
	link_producer_begin(p, r, BYTES);
	return r;
}

static bool put(struct link_producer *p, unsigned words, uint64_t value)
{
	uint64_t *to = link_ring_reserve(p, words);
	if (!to)
		return false;
	to[0] = link_rec_head(words, LINK_REC_ENTER, 0, 5);
	for (unsigned i = 1; i < words; i++)
		to[i] = value + i;
	link_ring_publish(p, words);
	return true;
}

TEST(link_ring_gives_records_in_order_and_drops_when_full)
{
	struct link_producer p;
	struct link_ring *r = ring_new(&p);
	uint64_t out[LINK_REC_WORDS], lost = 0, next = 0, sent = 0, full = 0;
	for (int round = 0; round < 20000; round++) {
		for (uint64_t n = test_random() % 60; n; n--) {
			if (put(&p, 2 + (unsigned)(sent % 63), sent))
				sent++;
			else
				full++;
		}
		for (uint64_t n = test_random() % 60; n && link_ring_take(r, BYTES, out, &lost); n--, next++) {
			REQUIRE(link_rec_words(out[0]) == 2 + next % 63);
			REQUIRE(link_rec_site(out[0]) == 5);
			REQUIRE(out[1] == next + 1 && out[link_rec_words(out[0]) - 1] == next + link_rec_words(out[0]) - 1);
		}
	}
	CHECK(full > 0 && next > 100000);
	CHECK_U64(lost, 0);
	free(r);
}

enum { LARGE = 4 << 20 }; /* six levels, of 8,192 words to 262,144 */

/* Nobody reads: it grows to its last level, all of that is in order, and what was lost stands at its place, once. */
TEST(link_ring_grows_and_says_where_it_lost)
{
	struct link_producer p = {0};
	struct link_ring *r = aligned_alloc(64, LARGE);
	REQUIRE(r);
	memset(r, 0, LARGE);
	link_producer_begin(&p, r, LARGE);
	CHECK_U64(p.levels.n, 6);
	uint64_t out[LINK_REC_WORDS], lost = 0, sent = 0, took = 0, told = 0, until[3], gaps = 0;
	for (int round = 0; round < 3; round++) {
		for (int k = 0; k < 400000; k++) {
			uint64_t *to = link_ring_has_lost(&p) && !link_ring_tell_lost(&p) ? NULL : link_ring_reserve(&p, 3);
			if (!to) {
				link_ring_drop(&p, sent++);
				continue;
			}
			to[0] = link_rec_head(3, LINK_REC_ENTER, 0, 5);
			to[1] = to[2] = sent++;
			link_ring_publish(&p, 3);
		}
		until[round] = weft_load_u64(&r->dropped);
		for (uint64_t last = took; link_ring_take(r, LARGE, out, &lost); last = out[1]) {
			if (link_rec_kind(out[0]) == LINK_REC_LOST) {
				gaps++;
				REQUIRE(out[1] == took && out[3] == took + (out[2] - told) - 1);
				took += out[2] - told;
				told = out[2];
				continue;
			}
			REQUIRE(out[1] == took && out[2] == took && out[1] >= last);
			took++;
		}
	}
	CHECK(until[0] > 100000 && until[1] > until[0] && until[2] > until[1]);
	CHECK_U64(p.level, 5);
	CHECK_U64(gaps, 2);
	CHECK_U64(told, until[1]);
	CHECK_U64(took, sent - (until[2] - until[1]));
	CHECK_U64(lost, 0);
	/* Whoever writes there next goes on in that level; a consumer that comes later begins with what comes then. */
	link_ring_forget(r, LARGE);
	struct link_producer next = {0};
	link_producer_begin(&next, r, LARGE);
	CHECK_U64(next.level, 5);
	REQUIRE(put(&next, 4, 77));
	CHECK(link_ring_take(r, LARGE, out, &lost) && out[1] == 78);
	free(r);
}

struct waiter {
	struct link_producer p;
	struct link_ring *first;
	uint64_t gave_up, refused;
};

static void *produce_waiting(void *arg)
{
	struct waiter *w = arg;
	for (uint64_t i = 0; i < 40000; i++)
		while (!put(&w->p, 2 + (unsigned)(i % 30), i))
			w->refused += !link_ring_wait(&w->p, w->first, &w->gave_up);
	return NULL;
}

TEST(link_ring_waits_for_room)
{
	struct waiter w = {0};
	struct link_ring *r = ring_new(&w.p);
	pthread_t thread;
	w.first = r;
	uint64_t out[LINK_REC_WORDS], lost = 0, next = 0;
	weft_store_u32(&r->when_full, LINK_FULL_WAIT);
	REQUIRE(pthread_create(&thread, NULL, produce_waiting, &w) == 0);
	while (next < 40000)
		while (link_ring_take(r, BYTES, out, &lost)) {
			REQUIRE(out[1] == next + 1);
			next++;
		}
	pthread_join(thread, NULL);
	CHECK_U64(lost, 0);
	CHECK_U64(w.refused, 0);
	/* Nobody reads: it gives up, and does not wait a second time before somebody has. */
	while (put(&w.p, 8, 0))
		;
	CHECK(!link_ring_wait(&w.p, r, &w.gave_up) && w.gave_up != 0);
	CHECK(!link_ring_wait(&w.p, r, &w.gave_up));
	while (link_ring_take(r, BYTES, out, &lost))
		;
	CHECK(link_ring_wait(&w.p, r, &w.gave_up) && w.gave_up == 0);
	free(r);
}

static struct weft_atomic_bool ended;

static void *produce(void *arg)
{
	struct link_producer *p = arg;
	for (uint64_t i = 0; i < 300000;)
		if (put(p, 2 + (unsigned)(i % 30), i))
			i++;
	weft_store_bool(&ended, true);
	return NULL;
}

TEST(link_ring_between_two_threads)
{
	struct link_producer p;
	struct link_ring *r = ring_new(&p);
	pthread_t thread;
	weft_store_bool(&ended, false);
	REQUIRE(pthread_create(&thread, NULL, produce, &p) == 0);
	uint64_t out[LINK_REC_WORDS], lost = 0, next = 0;
	for (;;) {
		bool last = weft_load_bool(&ended);
		while (link_ring_take(r, BYTES, out, &lost)) {
			REQUIRE(out[1] == next + 1 && link_rec_words(out[0]) == 2 + next % 30);
			next++;
		}
		if (last)
			break;
	}
	CHECK_U64(next, 300000);
	CHECK_U64(lost, 0);
	pthread_join(thread, NULL);
	free(r);
}

TEST(link_ring_of_garbage_ends)
{
	struct link_producer p;
	struct link_ring *r = ring_new(&p);
	uint64_t out[LINK_REC_WORDS], lost = 0;
	for (int round = 0; round < 3000; round++) {
		for (unsigned i = 0; i < (BYTES - sizeof *r) / 8; i++)
			r->word[i] = test_random() % 3
			                     ? link_rec_head((unsigned)test_random() % 70, (unsigned)test_random() % 6, 0, 1)
			                     : test_random();
		for (unsigned k = 0; k < LINK_RING_LEVELS; k++)
			weft_store_u64(&r->from[k], test_random() % 2   ? 0
			                            : test_random() % 2 ? weft_load_u64(&r->read) + test_random() % 600
			                                                : test_random());
		weft_store_u32(&r->level, (uint32_t)(test_random() % 3 ? 0 : test_random()));
		weft_store_u64(&r->written, test_random() % 5 ? weft_load_u64(&r->read) + test_random() % 600 : test_random());
		unsigned taken = 0;
		while (link_ring_take(r, BYTES, out, &lost))
			REQUIRE(++taken <= 600);
		CHECK_U64(weft_load_u64(&r->read), weft_load_u64(&r->written));
	}
	CHECK(lost > 0);
	free(r);
}
