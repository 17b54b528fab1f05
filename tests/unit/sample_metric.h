/* SPDX-License-Identifier: Apache-2.0 */
/* Small traces for tests of pictures of metrics: from a text, or random ones whose times are multiples of one. */
#ifndef WEFT_TESTS_SAMPLE_METRIC_H
#define WEFT_TESTS_SAMPLE_METRIC_H

#include "trace/open.h"
#include "base/str.h"
#include "harness.h"
#include "metric/func/metric.h"
#include <stdio.h>
#include <string.h>

struct sample_metric {
	struct weft_trace *t;
	struct weft_space s;
};

static inline void sample_metric_open_how(struct sample_metric *f, const char *prv, bool with_index)
{
	char path[4096];
	struct weft_err err = {0};
	snprintf(path, sizeof path, "%s/t.prv", test_dir());
	FILE *to = fopen(path, "w");
	REQUIRE(to && fputs(prv, to) >= 0 && fclose(to) == 0);
	int rc = weft_trace_open(&f->t, path, &(struct weft_open_how){.no_index = !with_index, .rebuild = with_index}, &err);
	CHECK_STR(err.text, "");
	REQUIRE(rc == 0);
	REQUIRE(weft_space_init(&f->s, f->t) == 0);
}

static inline void sample_metric_open(struct sample_metric *f, const char *prv)
{
	sample_metric_open_how(f, prv, false);
}

static inline void sample_metric_close(struct sample_metric *f)
{
	weft_space_fini(&f->s);
	weft_trace_close(f->t);
}

/* `threads` tasks with n records each before `end` ns: states that touch, leave gaps or have no length, and events of type 50. */
static inline struct weft_buf sample_metric_text(unsigned threads, unsigned n, uint64_t end)
{
	struct weft_buf b = {0};
	weft_buf_printf(&b, "#Paraver (01/01/2024 at 10:00):%llu_ns:1(%u):1:%u(", (unsigned long long)end, threads, threads);
	for (unsigned i = 0; i < threads; i++)
		weft_buf_printf(&b, "%s1:1", i ? "," : "");
	weft_buf_puts(&b, ")\n");
	for (unsigned i = 1; i <= threads; i++) {
		uint64_t state = 0;
		for (unsigned k = 0; k < n; k++) {
			unsigned long long begin = state + (test_random() % 3 ? 0 : test_random() % 20);
			unsigned long long stop = begin + test_random() % (2 * end / n + 1), at = test_random() % end;
			if (stop < end && test_random() % 2) {
				weft_buf_printf(&b, "1:%u:1:%u:1:%llu:%llu:%u\n", i, i, begin, stop,
				                (unsigned)(test_random() % 5));
				state = stop;
			} else {
				weft_buf_printf(&b, "2:%u:1:%u:1:%llu:50:%d\n", i, i, at, (int)(test_random() % 9) - 3);
			}
		}
	}
	REQUIRE(!b.failed);
	return b;
}

static inline void sample_metric_open_random(struct sample_metric *f, unsigned threads, unsigned n, uint64_t end)
{
	struct weft_buf text = sample_metric_text(threads, n, end);
	sample_metric_open(f, text.at);
	weft_buf_fini(&text);
}

/* A metric of a thread function in ns that sees events of one type. */
static inline void sample_metric_of(struct weft_metric *m, const char *function, double type)
{
	static double types[8];
	static unsigned n;
	types[n % 8] = type;
	weft_metric_init(m);
	m->unit = WEFT_NS;
	m->of_level[WEFT_THREAD].func = weft_func_find(WEFT_FUNC_THREAD, function);
	REQUIRE(m->of_level[WEFT_THREAD].func);
	m->filter.test[WEFT_OF_TYPE] = (struct weft_test){WEFT_TEST_EQ, {&types[n++ % 8], 1}};
}

#endif
