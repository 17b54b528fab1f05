/* SPDX-License-Identifier: Apache-2.0 */
/* queue.c by one thread: bounds, order, wrap-around, against a model. tests/stress/stress_queue.c brings the threads. */
#include "harness.h"
#include "base/queue.h"

TEST(queue_takes_its_capacity_and_gives_it_back_in_order)
{
	struct weft_queue_cell cells[8];
	struct weft_queue q;
	uint64_t v = 99;
	weft_queue_init(&q, cells, 8);
	CHECK(!weft_queue_pop(&q, &v));
	CHECK_U64(v, 99);
	for (uint64_t i = 0; i < 8; i++)
		CHECK(weft_queue_push(&q, i));
	CHECK(!weft_queue_push(&q, 8));
	for (uint64_t i = 0; i < 8; i++) {
		CHECK(weft_queue_pop(&q, &v));
		CHECK_U64(v, i);
	}
	CHECK(!weft_queue_pop(&q, &v));
}

TEST(queue_of_two_cells_goes_round)
{
	struct weft_queue_cell cells[2];
	struct weft_queue q;
	uint64_t v;
	weft_queue_init(&q, cells, 2);
	for (uint64_t i = 0; i < 1000; i++) {
		REQUIRE(weft_queue_push(&q, i) && weft_queue_push(&q, ~i));
		REQUIRE(!weft_queue_push(&q, 0));
		REQUIRE(weft_queue_pop(&q, &v) && v == i);
		REQUIRE(weft_queue_pop(&q, &v) && v == ~i);
		REQUIRE(!weft_queue_pop(&q, &v));
	}
}

TEST(queue_does_what_a_plain_ring_does)
{
	enum { CELLS = 16 };
	struct weft_queue_cell cells[CELLS];
	struct weft_queue q;
	uint64_t model[CELLS], head = 0, tail = 0;
	weft_queue_init(&q, cells, CELLS);
	for (int step = 0; step < 100000; step++) {
		uint64_t r = test_random(), v;
		/* Lean to one side for a while, so that both ends are met. */
		bool push = r % 16 < (step / 500 % 2 ? 10u : 6u);
		if (push) {
			bool room = tail - head < CELLS;
			REQUIRE(weft_queue_push(&q, r) == room);
			if (room)
				model[tail++ % CELLS] = r;
		} else {
			bool some = tail > head;
			REQUIRE(weft_queue_pop(&q, &v) == some);
			if (some)
				REQUIRE(v == model[head++ % CELLS]);
		}
	}
}

TEST(queue_positions_may_wrap)
{
	enum { CELLS = 4 };
	struct weft_queue_cell cells[CELLS];
	struct weft_queue q;
	uint64_t v, start = UINT64_MAX - 5;
	weft_queue_init(&q, cells, CELLS);
	/* As if 2^64 - 6 values had passed already. */
	weft_store_u64(&q.head, start);
	weft_store_u64(&q.tail, start);
	for (uint64_t p = start; p - start < CELLS; p++)
		weft_store_u64(&cells[p % CELLS].seq, p);
	for (uint64_t i = 0; i < 100; i++) {
		REQUIRE(weft_queue_push(&q, i) && weft_queue_push(&q, i + 1));
		REQUIRE(weft_queue_pop(&q, &v) && v == i);
		REQUIRE(weft_queue_pop(&q, &v) && v == i + 1);
		REQUIRE(!weft_queue_pop(&q, &v));
	}
}
