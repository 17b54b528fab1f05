/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue.c under threads, checked against what any queue must do: each value that was pushed is popped exactly once, a
 * consumer sees the values of one producer in the order of their pushes, and what a producer wrote before a push its
 * consumer reads after the pop. Consumers keep all they got in arrays of their own, to be compared when all is over, and
 * what they share while they run is relaxed, so that the check does not synchronise what the queue fails to.
 */
#include "harness.h"
#include "base/clock.h"
#include "base/queue.h"
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS_MAX = 8 };

struct shape {
	unsigned producers, consumers;
	size_t cells;
	uint64_t each; /* values of a producer; value v is serial v % each of producer v / each */
};

struct stress {
	struct weft_queue queue;
	struct shape shape;
	uint64_t all;
	uint64_t *payload;             /* by value; plain memory that the queue hands over */
	struct weft_atomic_u64 popped; /* by all consumers */
	struct weft_atomic_bool go;
};

struct party {
	struct stress *stress;
	unsigned number;
	pthread_t thread;
	uint64_t *got; /* consumer: room for all values */
	size_t n;
	bool foreign, stale;
};

static void wait_for_start(struct stress *s)
{
	while (!weft_load_bool(&s->go))
		sched_yield();
}

static void *produce(void *arg)
{
	struct party *p = arg;
	struct stress *s = p->stress;
	wait_for_start(s);
	for (uint64_t i = 0; i < s->shape.each; i++) {
		uint64_t v = p->number * s->shape.each + i;
		s->payload[v] = ~v;
		while (!weft_queue_push(&s->queue, v))
			sched_yield();
	}
	return NULL;
}

static void *consume(void *arg)
{
	struct party *p = arg;
	struct stress *s = p->stress;
	wait_for_start(s);
	while (weft_load_relaxed_u64(&s->popped) < s->all) {
		uint64_t v;
		if (!weft_queue_pop(&s->queue, &v)) {
			sched_yield();
			continue;
		}
		weft_add_relaxed_u64(&s->popped, 1);
		if (v >= s->all || p->n == s->all) {
			p->foreign = true;
			break;
		}
		p->stale = p->stale || s->payload[v] != ~v;
		p->got[p->n++] = v;
	}
	return NULL;
}

static void start_all(struct stress *s, struct party *p, unsigned n, void *(*run)(void *))
{
	for (unsigned i = 0; i < n; i++) {
		p[i].stress = s;
		p[i].number = i;
		if (pthread_create(&p[i].thread, NULL, run, &p[i]))
			abort(); /* the others would wait for ever */
	}
}

static void join_all(struct party *p, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		pthread_join(p[i].thread, NULL);
}

/* What one consumer got: in order for each producer. Counts it in `times`. */
static void check_consumer(const struct shape *shape, const struct party *c, uint8_t *times)
{
	uint64_t next[THREADS_MAX] = {0};
	bool disorder = false;
	for (size_t i = 0; i < c->n; i++) {
		uint64_t producer = c->got[i] / shape->each, serial = c->got[i] % shape->each;
		disorder = disorder || serial < next[producer];
		next[producer] = serial + 1;
		times[c->got[i]]++;
	}
	CHECK(!disorder);
	CHECK(!c->foreign);
	CHECK(!c->stale);
}

static void run_shape(struct shape shape)
{
	struct stress s = {.shape = shape, .all = shape.producers * shape.each};
	struct party producers[THREADS_MAX] = {0}, consumers[THREADS_MAX] = {0};
	struct weft_queue_cell *cells = calloc(shape.cells, sizeof *cells);
	uint8_t *times = calloc(s.all, 1);
	s.payload = calloc(s.all, sizeof *s.payload);
	REQUIRE(cells && times && s.payload);
	for (unsigned i = 0; i < shape.consumers; i++) {
		consumers[i].got = malloc(s.all * sizeof(uint64_t));
		REQUIRE(consumers[i].got);
	}
	weft_queue_init(&s.queue, cells, shape.cells);

	start_all(&s, consumers, shape.consumers, consume);
	start_all(&s, producers, shape.producers, produce);
	weft_store_bool(&s.go, true);
	join_all(producers, shape.producers);
	join_all(consumers, shape.consumers);

	uint64_t wrong = 0;
	for (unsigned i = 0; i < shape.consumers; i++) {
		check_consumer(&shape, &consumers[i], times);
		free(consumers[i].got);
	}
	for (uint64_t v = 0; v < s.all; v++)
		wrong += times[v] != 1;
	CHECK_U64(wrong, 0);
	uint64_t v;
	CHECK(!weft_queue_pop(&s.queue, &v));
	free(times);
	free(s.payload);
	free(cells);
}

static void run_shapes(uint64_t each)
{
	static const struct shape shapes[] = {
		{1, 1, 2, 0}, {1, 1, 1024, 0}, {2, 2, 2, 0}, {4, 1, 64, 0}, {1, 4, 64, 0}, {4, 4, 8, 0}, {8, 8, 4096, 0},
	};
	for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
		struct shape shape = shapes[i];
		shape.each = each / shape.producers;
		run_shape(shape);
	}
}

TEST(queue_hands_each_value_over_once_and_in_order)
{
	run_shapes(20000);
}

TEST_IN(TIER_FULL, queue_hands_over_many_values)
{
	run_shapes(1000000);
}

TEST_IN(TIER_LONG, queue_hands_over_for_a_minute)
{
	uint64_t from = weft_monotonic_ns();
	while (weft_monotonic_ns() - from < 60000000000u)
		run_shapes(1000000);
}
