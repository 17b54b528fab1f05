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
	struct link_ring *r = aligned_alloc(64, BYTES);
	REQUIRE(r);
	memset(r, 0, BYTES);
	*p = (struct link_producer){.ring = r, .mask = link_ring_words(BYTES) - 1};
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
		for (unsigned i = 0; i < link_ring_words(BYTES); i++)
			r->word[i] = test_random() % 3
			                     ? link_rec_head((unsigned)test_random() % 70, (unsigned)test_random() % 6, 0, 1)
			                     : test_random();
		weft_store_u64(&r->written, test_random() % 5 ? weft_load_u64(&r->read) + test_random() % 600 : test_random());
		unsigned taken = 0;
		while (link_ring_take(r, BYTES, out, &lost))
			REQUIRE(++taken <= 600);
		CHECK_U64(weft_load_u64(&r->read), weft_load_u64(&r->written));
	}
	CHECK(lost > 0);
	free(r);
}
