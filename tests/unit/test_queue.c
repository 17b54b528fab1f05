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
		REQUIRE(weft_queue_push(&q, i) && weft_queue_push(&q, WEFT_QUEUE_VALUE_MAX - i));
		REQUIRE(!weft_queue_push(&q, 0));
		REQUIRE(weft_queue_pop(&q, &v) && v == i);
		REQUIRE(weft_queue_pop(&q, &v) && v == WEFT_QUEUE_VALUE_MAX - i);
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
			REQUIRE(weft_queue_push(&q, r & WEFT_QUEUE_VALUE_MAX) == room);
			if (room)
				model[tail++ % CELLS] = r & WEFT_QUEUE_VALUE_MAX;
		} else {
			bool some = tail > head;
			REQUIRE(weft_queue_pop(&q, &v) == some);
			if (some)
				REQUIRE(v == model[head++ % CELLS]);
		}
	}
}

TEST(queue_positions_and_rounds_may_wrap)
{
	enum { CELLS = 4 };
	static const uint64_t starts[] = {UINT64_MAX - 5, (CELLS << 19) - 5}; /* rounds have 19 bits */
	struct weft_queue_cell cells[CELLS];
	struct weft_queue q;
	uint64_t v;
	for (size_t k = 0; k < sizeof starts / sizeof *starts; k++) {
		weft_queue_init(&q, cells, CELLS);
		/* As if so many values had passed already. */
		weft_store_u64(&q.head, starts[k]);
		weft_store_u64(&q.tail, starts[k]);
		for (uint64_t p = starts[k]; p - starts[k] < CELLS; p++)
			weft_store_u64(&cells[p % CELLS].word, p / CELLS << 45);
		for (uint64_t i = 0; i < 100; i++) {
			REQUIRE(weft_queue_push(&q, i) && weft_queue_push(&q, i + 1));
			REQUIRE(weft_queue_pop(&q, &v) && v == i);
			REQUIRE(weft_queue_pop(&q, &v) && v == i + 1);
			REQUIRE(!weft_queue_pop(&q, &v));
		}
	}
}

TEST(queue_gives_its_front_to_one_only)
{
	struct weft_queue_cell cells[4];
	struct weft_queue q;
	struct weft_queue_front a, b;
	uint64_t v;
	weft_queue_init(&q, cells, 4);
	CHECK(!weft_queue_look(&q, &a));
	CHECK(weft_queue_push(&q, 7) && weft_queue_push(&q, 7));
	CHECK(weft_queue_look(&q, &a) && weft_queue_look(&q, &b));
	CHECK_U64(a.value, 7);
	CHECK(weft_queue_still(&q, &a));
	CHECK(weft_queue_take(&q, &b));
	CHECK(!weft_queue_still(&q, &a));
	CHECK(!weft_queue_take(&q, &a)); /* though the same value stands in front */
	/* Nor when the same value comes to the same cell again. */
	for (int i = 0; i < 4; i++)
		CHECK(weft_queue_pop(&q, &v) && weft_queue_push(&q, 7) && weft_queue_push(&q, 7) && weft_queue_pop(&q, &v));
	CHECK(!weft_queue_take(&q, &a));
}
