/* SPDX-License-Identifier: Apache-2.0 */
#include "build_maker.h"
#include <errno.h>

enum { THREADS = 37 };

struct model {
	uint64_t time, value;
	uint32_t thread;
};

static int by_time_and_thread(const void *x, const void *y)
{
	const struct model *a = x, *b = y;
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	return a->value < b->value ? -1 : 1;
}

static struct model *model;
static size_t n_model;

/* Threads of very different lengths, with many equal times. */
static struct weft_trace *many(uint64_t memory)
{
	struct weft_builder *b = made_builder_in(THREADS, memory);
	weft_build_keep_zero(b, 0);
	model = malloc(THREADS * 12000 * sizeof *model);
	REQUIRE(model != NULL);
	n_model = 0;
	for (uint32_t t = 0; t < THREADS; t++) {
		uint64_t time = test_random() % 5000, n = t % 5 == 0 ? 11000 : t % 7 == 0 ? 0 : test_random() % 300;
		for (uint64_t i = 0; i < n; i++) {
			time += test_random() % 3;
			made_point(b, t, time, i);
			model[n_model++] = (struct model){time, i, t};
		}
	}
	qsort(model, n_model, sizeof *model, by_time_and_thread);
	return made_trace(b);
}

static void check_merge(const struct weft_trace *t, const bool *wanted, uint64_t from, uint64_t to)
{
	struct weft_merge *m;
	struct weft_event e;
	size_t at = 0;
	int more;
	REQUIRE(weft_merge_new(&m, t, wanted, from, to) == 0);
	while ((more = weft_merge_next(m, &e)) > 0) {
		while (at < n_model && (model[at].time < from || (wanted && !wanted[model[at].thread])))
			at++;
		REQUIRE(at < n_model);
		if (e.time != model[at].time || e.thread != model[at].thread || e.value != model[at].value)
			CHECK_U64(e.value, model[at].value);
		CHECK(e.kind == WEFT_EV_POINT && e.id == 1);
		at++;
	}
	CHECK_I64(more, 0);
	CHECK_I64(weft_merge_next(m, &e), 0);
	while (at < n_model && (model[at].time < from || (wanted && !wanted[model[at].thread])))
		at++;
	CHECK(at == n_model || model[at].time >= to);
	weft_merge_free(m);
}

static void check_all(uint64_t memory)
{
	struct weft_trace *t = many(memory);
	check_merge(t, NULL, 0, WEFT_NEVER);
	bool wanted[THREADS] = {false};
	check_merge(t, wanted, 0, WEFT_NEVER);
	for (unsigned i = 0; i < THREADS; i++)
		wanted[i] = i % 3 == 0;
	check_merge(t, wanted, 0, WEFT_NEVER);
	for (unsigned i = 0; i < 20; i++) {
		uint64_t from = test_random() % 20000;
		check_merge(t, i % 2 ? wanted : NULL, from, from + test_random() % 8000);
	}
	weft_trace_close(t);
	free(model);
}

TEST(events_of_all_threads_come_in_order_of_time_and_thread)
{
	check_all(0);
}

TEST(windows_give_the_same_when_memory_is_short)
{
	check_all(1 << 20);
	check_all(4 << 20); /* larger windows */
}

TEST(merge_says_when_memory_is_out)
{
	struct weft_trace *t = many(0);
	TEST_EACH_ALLOCATION_FAILS {
		struct weft_merge *m;
		struct weft_event e;
		int rc = weft_merge_new(&m, t, NULL, 0, WEFT_NEVER), more = 0;
		while (!rc && (more = weft_merge_next(m, &e)) > 0)
			;
		CHECK_I64(rc ? rc : more, test_alloc_failed() ? -ENOMEM : 0);
		weft_merge_free(m);
	}
	weft_trace_close(t);
	free(model);
}
