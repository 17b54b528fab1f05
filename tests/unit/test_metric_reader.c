/* SPDX-License-Identifier: Apache-2.0 */
/* Where rows begin: at the record that holds at the window's begin, which is looked for backwards. */
#include "metric_maker.h"

/* A window's part of a row is the same whatever is before it, also when its records lie far back. */
TEST(rows_that_begin_late_are_parts_of_whole_rows)
{
	static const char *const functions[] = {"State As Is",      "Useful",           "State Record Dur.",
	                                        "Last Evt Val",     "Next Evt Val",     "Avg Next Evt Val",
	                                        "Avg Last Evt Val", "Int. Between Evt", "Thread ID"};
	struct made f;
	struct weft_buf prv = {0}, got = {0}, want = {0};
	weft_buf_puts(&prv, "#Paraver (01/01/2024 at 10:00):1000000_ns:1(1):1:1(1:1)\n");
	for (uint64_t at = 0; at < 900000;) {
		uint64_t next = at + 1 + test_random() % (test_random() % 50 ? 200 : 60000);
		weft_buf_printf(&prv, "1:1:1:1:1:%llu:%llu:%u\n2:1:1:1:1:%llu:50:%u\n", (unsigned long long)at,
		                (unsigned long long)(next - test_random() % 2), (unsigned)(test_random() % 4),
		                (unsigned long long)at, (unsigned)(test_random() % 3));
		at = next;
	}
	make_trace(&f, prv.at, NULL, NULL);
	for (unsigned i = 0; i < 20 * sizeof functions / sizeof *functions; i++) {
		struct weft_metric m;
		weft_metric_init(&m);
		m.unit = WEFT_NS;
		m.of_level[WEFT_THREAD].func = weft_func_find(WEFT_FUNC_THREAD, functions[i / 20]);
		double from = (double)(test_random() % 1000000), to = from + (double)(test_random() % 3000);
		row_text(&f, &m, 0, from, to, &got);
		/* A function that remembers, and has nothing to do: with it the same row begins at 0. */
		static const double for_ever = 1e18;
		m.top[0] = (struct weft_call){weft_func_find(WEFT_FUNC_COMPOSE, "Timer"), {{&for_ever, 1}}};
		row_text(&f, &m, 0, from, to, &want);
		CHECK_STR(got.at, want.at);
	}
	weft_buf_fini(&prv);
	weft_buf_fini(&got);
	weft_buf_fini(&want);
	unmake_trace(&f);
}

TEST(a_held_value_is_not_held_across_the_begin)
{
	struct made f;
	struct weft_metric m;
	struct weft_buf got = {0};
	make_trace(&f,
	           "#Paraver (01/01/2024 at 10:00):1000_ns:1(1):1:1(1:1)\n2:1:1:1:1:100:50:5\n2:1:1:1:1:200:50:0\n"
	           "2:1:1:1:1:300:50:7\n2:1:1:1:1:400:50:0\n",
	           NULL, NULL);
	weft_metric_init(&m);
	m.of_level[WEFT_THREAD].func = weft_func_find(WEFT_FUNC_THREAD, "Last Evt Val w/o Bursts");
	row_text(&f, &m, 0, 0, INFINITY, &got);
	CHECK_STR(got.at, "0| 0 100| 5 200| 5 300| 7 400| 7 1000|");
	row_text(&f, &m, 0, 250, INFINITY, &got);
	CHECK_STR(got.at, "200| 0 300| 7 400| 7 1000|");
	weft_buf_fini(&got);
	unmake_trace(&f);
}
