/* SPDX-License-Identifier: Apache-2.0 */
/* Derived metrics whose parents begin with the same thread function: they give what they would if each walked on its own. */
#include "metric_maker.h"

/* Two threads of a task, many states each, some of them with gaps, some without length. */
static void make_states(struct made *f)
{
	struct weft_buf prv = {0};
	weft_buf_puts(&prv, "#Paraver (01/01/2024 at 10:00):100000000_ns:1(2):1:1(2:1)\n");
	for (unsigned thread = 1; thread <= 2; thread++) {
		uint64_t at = 0;
		for (unsigned i = 0; i < 9000; i++) {
			uint64_t gap = test_random() % 3 ? 0 : test_random() % 100, length = test_random() % 50;
			weft_buf_printf(&prv, "1:%u:1:1:%u:%llu:%llu:%u\n", thread, thread, (unsigned long long)(at + gap),
			                (unsigned long long)(at + gap + length), (unsigned)(test_random() % 3));
			at += gap + length;
		}
	}
	make_trace(f, prv.at, NULL, NULL);
	weft_buf_fini(&prv);
}

static void parent(struct weft_metric *m, enum weft_level level, const char *top)
{
	weft_metric_init(m);
	m->unit = WEFT_NS;
	m->level = level;
	m->of_level[WEFT_THREAD].func = weft_func_find(WEFT_FUNC_THREAD, "Useful");
	m->top[0].func = weft_func_find(WEFT_FUNC_COMPOSE, top);
	REQUIRE(m->of_level[WEFT_THREAD].func && m->top[0].func);
}

static void compare(const struct made *f, enum weft_level level, const char *top, const char *operation)
{
	static const double any = 5;
	struct weft_metric a, b, d;
	struct weft_buf shared = {0}, alone = {0};
	parent(&a, level, top);
	parent(&b, level, "As Is");
	weft_metric_init(&d);
	d.level = level;
	d.parent[0] = &a;
	d.parent[1] = &b;
	d.operation.func = weft_func_find(WEFT_FUNC_DERIVED, operation);
	REQUIRE(d.operation.func);
	for (uint32_t row = 0; row < weft_level_size(&f->s, level); row++) {
		b.filter = a.filter;
		row_text(f, &d, row, 20000, 300000, &shared);
		/* Nothing about states, but no longer the same. */
		b.filter.test[WEFT_OF_TYPE] = (struct weft_test){WEFT_TEST_EQ, {&any, 1}};
		row_text(f, &d, row, 20000, 300000, &alone);
		CHECK(alone.n > 1000 && alone.n == shared.n && !memcmp(alone.at, shared.at, alone.n));
	}
	weft_buf_fini(&shared);
	weft_buf_fini(&alone);
}

TEST(parents_that_share_a_walk_give_the_same)
{
	static const char *const tops[] = {"As Is", "Burst Time", "Timer", "Join Bursts", "Enumerate"};
	static const char *const operations[] = {"product", "different", "controlled: clear by", "controlled: maximum"};
	struct made f;
	make_states(&f);
	for (unsigned i = 0; i < sizeof tops / sizeof *tops; i++)
		for (unsigned k = 0; k < sizeof operations / sizeof *operations; k++) {
			compare(&f, WEFT_THREAD, tops[i], operations[k]);
			compare(&f, WEFT_TASK, tops[i], operations[k]);
		}
	unmake_trace(&f);
}
