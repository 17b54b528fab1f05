/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics: by hand on the fixed sample, and on random traces against sums over a list of all spans. */
#include "harness.h"
#include "sample_trace.h"
#include "metric/hist/call_table.h"
#include "trace/filter/spans.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>

/* The table of a trace, whose space lasts no longer. */
static int table_of(struct weft_call_table *s, const struct weft_trace *t, const struct weft_call_how *how, struct weft_err *err)
{
	struct weft_space space;
	int rc = weft_space_init(&space, t);
	*s = (struct weft_call_table){0};
	rc = rc ? weft_err_set(err, rc, "no space") : weft_call_table_compute(s, &space, how, err);
	weft_space_fini(&space);
	return rc;
}

static struct weft_call_table compute(const struct weft_trace *t, struct weft_call_how how)
{
	struct weft_call_table s;
	struct weft_err err = {0};
	if (how.to == 0)
		how.to = WEFT_NEVER;
	if (table_of(&s, t, &how, &err)) {
		CHECK_STR(err.text, "");
		test_abandon();
	}
	return s;
}

static void say_rows(const struct weft_trace *t, const struct weft_call_table *s, enum weft_class c, struct weft_buf *out)
{
	for (size_t i = 0; i < s->n_rows; i++) {
		const struct weft_call_row *r = &s->row[i];
		if (r->region != WEFT_NONE)
			weft_buf_printf(out, "%.4s ", t->def[c].at[r->region].name);
		if (r->thread != WEFT_NONE)
			weft_buf_printf(out, "t%u ", r->thread);
		if (r->process != WEFT_NONE)
			weft_buf_printf(out, "p%u ", r->process);
		weft_buf_printf(out,
		                "calls %" PRIu64 " total %" PRIu64 " self %" PRIu64 " min %" PRIu64 " max %" PRIu64
		                " threads %u\n",
		                r->calls, r->total, r->self, r->min, r->max, r->n_threads);
	}
}

static void check_rows(struct weft_call_how how, const char *filter, const char *want)
{
	struct weft_trace *t = sample_fixed();
	struct weft_filter *f = NULL;
	struct weft_err err = {0};
	struct weft_buf out = {0};
	if (filter) {
		MUST(weft_filter_new(&f, filter, &err));
		MUST(weft_filter_bind(f, t, &err));
	}
	how.filter = f;
	struct weft_call_table s = compute(t, how);
	say_rows(t, &s, how.states ? WEFT_CLASS_STATE : WEFT_CLASS_REGION, &out);
	CHECK_STR(out.at ? out.at : "", want);
	weft_buf_fini(&out);
	weft_call_table_fini(&s);
	weft_filter_free(f);
	weft_trace_close(t);
}

/* solve 100..1000 with halo 200..900; recv 2000000..2000100 with odd 2000001..2000200; solve 3000000..+500 with halo from +10. */
TEST(by_region)
{
	check_rows((struct weft_call_how){.by = WEFT_BY_REGION}, NULL,
	           "solv calls 4 total 12300 self 11110 min 500 max 6000 threads 3\n"
	           "halo calls 2 total 1190 self 1190 min 490 max 700 threads 1\n"
	           "MPI_ calls 2 total 2000 self 1901 min 100 max 1900 threads 2\n"
	           "a\\b\t calls 1 total 199 self 199 min 199 max 199 threads 1\n");
}

TEST(by_thread_and_process)
{
	check_rows((struct weft_call_how){.by = WEFT_BY_THREAD}, NULL,
	           "t0 p0 calls 6 total 1600 self 1600 min 100 max 900 threads 1\n"
	           "t1 p0 calls 1 total 4900 self 4900 min 4900 max 4900 threads 1\n"
	           "t2 p1 calls 2 total 7900 self 7900 min 1900 max 6000 threads 1\n");
	check_rows((struct weft_call_how){.by = WEFT_BY_PROCESS}, NULL,
	           "p0 calls 7 total 6500 self 6500 min 100 max 4900 threads 2\n"
	           "p1 calls 2 total 7900 self 7900 min 1900 max 6000 threads 1\n");
	check_rows((struct weft_call_how){.by = 0}, NULL, "calls 9 total 14400 self 14400 min 100 max 6000 threads 3\n");
}

TEST(filters_and_windows)
{
	check_rows((struct weft_call_how){.by = WEFT_BY_REGION}, "duration<600",
	           "solv calls 1 total 500 self 10 min 500 max 500 threads 1\n"
	           "halo calls 1 total 490 self 490 min 490 max 490 threads 1\n"
	           "MPI_ calls 1 total 100 self 1 min 100 max 100 threads 1\n"
	           "a\\b\t calls 1 total 199 self 199 min 199 max 199 threads 1\n");
	/* halo lies in solve: its time belongs to what passes around it. */
	check_rows((struct weft_call_how){.by = WEFT_BY_THREAD}, "region=solve thread=1.1.1",
	           "t0 p0 calls 2 total 1400 self 210 min 500 max 900 threads 1\n");
	check_rows((struct weft_call_how){.by = WEFT_BY_REGION, .from = 500, .to = 950}, "thread=1.1.1",
	           "solv calls 1 total 450 self 50 min 450 max 450 threads 1\n"
	           "halo calls 1 total 400 self 400 min 400 max 400 threads 1\n");
	check_rows((struct weft_call_how){.by = WEFT_BY_REGION, .from = 1000, .to = 1100}, NULL,
	           "MPI_ calls 1 total 100 self 100 min 100 max 100 threads 1\n");
	check_rows((struct weft_call_how){.by = WEFT_BY_REGION, .from = 4500000}, NULL, "");
}

TEST(states)
{
	check_rows((struct weft_call_how){.by = WEFT_BY_REGION, .states = true}, NULL,
	           "Runn calls 1 total 490 self 490 min 490 max 490 threads 1\n"
	           "Wait calls 1 total 1000 self 1000 min 1000 max 1000 threads 1\n");
	check_rows((struct weft_call_how){.by = WEFT_BY_REGION, .states = true, .from = 100, .to = 700}, "state=3",
	           "Wait calls 1 total 200 self 200 min 200 max 200 threads 1\n");
}

TEST(load_balance)
{
	struct weft_trace *t = sample_fixed();
	struct weft_call_table s = compute(t, (struct weft_call_how){.by = 0, .threads = 1});
	/* Busy: solve, and odd as soon as recv around it is closed; halo communicates, recv waits. 210 + 100 (odd), 4900, 6000. */
	CHECK_U64(s.busy, 210 + 100 + 4900 + 6000);
	CHECK_NEAR(s.load_balance, (210 + 100 + 4900 + 6000) / 3.0 / 6000, 1e-12);
	CHECK_NEAR(s.row[0].balance, s.load_balance, 1e-12);
	CHECK_U64(s.n_threads, 3);
	CHECK_U64(s.unmatched_leaves, 1);
	weft_call_table_fini(&s);
	weft_trace_close(t);
}

/* -- random traces, against sums over all spans -- */

struct list {
	WEFT_VEC(struct weft_span) span;
};

static int keep(void *arg, const struct weft_span *s)
{
	struct list *l = arg;
	return weft_vec_push(&l->span, *s);
}

static bool inside(const struct weft_span *in, const struct weft_span *out)
{
	return in->thread == out->thread && in->sequence > out->sequence && in->begin >= out->begin && in->end <= out->end &&
	       in->depth > out->depth;
}

static bool same_row(unsigned by, const struct weft_trace *t, const struct weft_span *s, const struct weft_call_row *r)
{
	return (!(by & WEFT_BY_REGION) || s->region == r->region) && (!(by & WEFT_BY_THREAD) || s->thread == r->thread) &&
	       (!(by & WEFT_BY_PROCESS) || t->thread[s->thread].process == r->process);
}

static int compare_u64(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

static void check_row(const struct weft_trace *t, const struct list *l, unsigned by, const struct weft_call_row *r,
                      const struct weft_filter *f)
{
	uint64_t calls = 0, self = 0, total = 0, sum = 0, *times = calloc(l->span.n + 1, sizeof *times);
	REQUIRE(times != NULL);
	for (size_t i = 0; i < l->span.n; i++) {
		const struct weft_span *s = &l->span.at[i];
		if (!same_row(by, t, s, r) || (f && !weft_filter_span(f, s)))
			continue;
		uint64_t time = s->end - s->begin;
		bool nested = false;
		for (size_t k = 0; k < l->span.n && !nested; k++)
			nested = inside(s, &l->span.at[k]) && same_row(by, t, &l->span.at[k], r) &&
			         (!f || weft_filter_span(f, &l->span.at[k]));
		times[calls++] = time;
		self += time - s->inner;
		sum += time;
		total += nested ? 0 : time;
	}
	qsort(times, calls, sizeof *times, compare_u64);
	CHECK_U64(r->calls, calls);
	CHECK_U64(r->self, self);
	CHECK_U64(r->total, total);
	CHECK_U64(r->min, times[0]);
	CHECK_U64(r->max, times[calls - 1]);
	CHECK_NEAR(r->mean, (double)sum / (double)calls, 1e-12 * (double)sum / (double)calls);
	uint64_t p50 = times[(calls + 1) / 2 - 1], p99 = times[(uint64_t)ceil(0.99 * (double)calls) - 1];
	CHECK_NEAR((double)r->p50, (double)p50, (double)p50 / 128);
	CHECK_NEAR((double)r->p99, (double)p99, (double)p99 / 128);
	free(times);
}

static void check_trace(const struct weft_trace *t, unsigned by, const char *filter, unsigned threads)
{
	struct list l = {0};
	struct weft_filter *f = NULL;
	struct weft_err err = {0};
	uint64_t calls = 0, expected = 0;
	if (filter) {
		MUST(weft_filter_new(&f, filter, &err));
		MUST(weft_filter_bind(f, t, &err));
	}
	for (uint32_t i = 0; i < t->n_threads; i++)
		MUST(weft_spans(t, i, 0, WEFT_NEVER, NULL, keep, &l));
	for (size_t i = 0; i < l.span.n; i++)
		expected += !f || weft_filter_span(f, &l.span.at[i]);
	struct weft_call_table s = compute(t, (struct weft_call_how){.by = by, .filter = f, .threads = threads});
	for (size_t i = 0; i < s.n_rows; i++) {
		check_row(t, &l, by, &s.row[i], f);
		calls += s.row[i].calls;
	}
	CHECK_U64(calls, expected);
	weft_call_table_fini(&s);
	weft_filter_free(f);
	free(l.span.at);
}

TEST(random_traces_agree_with_sums_over_all_spans)
{
	static const unsigned by[] = {0,
	                              WEFT_BY_REGION,
	                              WEFT_BY_THREAD,
	                              WEFT_BY_PROCESS,
	                              WEFT_BY_REGION | WEFT_BY_THREAD,
	                              WEFT_BY_REGION | WEFT_BY_PROCESS};
	static const char *const filters[] = {NULL, "duration<2000", "region=solve,MPI*", "duration>500 region!=solve",
	                                      "thread=1.1.*"};
	for (unsigned round = 0; round < 3; round++) {
		/* Without marks: those of one category close spans from the middle, and nothing is nested then as the sums think. */
		struct weft_trace *t = sample_random(&(struct sample_random){8, 200, 1000, false});
		for (unsigned i = 0; i < 6; i++)
			for (unsigned k = 0; k < 5; k++)
				check_trace(t, by[i], filters[k], 1 + round);
		weft_trace_close(t);
	}
}

TEST(marks_lose_no_calls)
{
	for (unsigned round = 0; round < 5; round++) {
		struct weft_trace *t = sample_random(&(struct sample_random){6, 500, 100, true});
		struct weft_call_table all = compute(t, (struct weft_call_how){.by = 0, .threads = 2}), rows;
		rows = compute(t, (struct weft_call_how){.by = WEFT_BY_REGION, .threads = 1});
		uint64_t calls = 0, self = 0;
		for (size_t i = 0; i < rows.n_rows; i++) {
			calls += rows.row[i].calls;
			self += rows.row[i].self;
			CHECK(rows.row[i].total >= rows.row[i].self);
		}
		CHECK_U64(calls, all.row[0].calls);
		CHECK_U64(self, all.row[0].self);
		CHECK_U64(all.row[0].total, self);
		CHECK(self <= all.thread_time);
		weft_call_table_fini(&rows);
		weft_call_table_fini(&all);
		weft_trace_close(t);
	}
}

TEST(windows_add_up)
{
	struct weft_trace *t = sample_random(&(struct sample_random){5, 400, 100, false});
	struct weft_call_table all = compute(t, (struct weft_call_how){.by = 0});
	uint64_t self = 0, thread_time = 0;
	for (unsigned i = 0; i < 10; i++) {
		uint64_t from = t->end * i / 10, to = i == 9 ? WEFT_NEVER : t->end * (i + 1) / 10;
		struct weft_call_table s = compute(t, (struct weft_call_how){.by = 0, .from = from, .to = to});
		self += s.n_rows ? s.row[0].self : 0;
		thread_time += s.thread_time;
		weft_call_table_fini(&s);
	}
	CHECK_U64(self, all.row[0].self);
	CHECK_U64(thread_time, all.thread_time);
	weft_call_table_fini(&all);
	weft_trace_close(t);
}

TEST(memory_is_limited)
{
	struct weft_trace *t = sample_fixed();
	struct weft_call_table s;
	struct weft_err err = {0};
	int rc = table_of(&s, t, &(struct weft_call_how){.by = WEFT_BY_REGION, .to = WEFT_NEVER, .memory = 1000}, &err);
	CHECK_I64(rc, WEFT_E_LIMIT);
	CHECK_STR(err.text, "the rows of the statistics do not fit the memory: allow more, or group by fewer things");
	weft_trace_close(t);
}

TEST(failed_allocations_are_reported)
{
	struct weft_trace *t = sample_fixed();
	struct weft_space space;
	MUST(weft_space_init(&space, t));
	TEST_EACH_ALLOCATION_FAILS {
		struct weft_call_table s;
		struct weft_err err = {0};
		int rc = weft_call_table_compute(&s, &space,
		                                 &(struct weft_call_how){.by = WEFT_BY_REGION, .to = WEFT_NEVER, .threads = 1},
		                                 &err);
		CHECK_I64(rc, test_alloc_failed() ? -ENOMEM : 0);
		CHECK((rc == 0) == (err.text[0] == '\0'));
		if (!rc)
			weft_call_table_fini(&s);
	}
	weft_space_fini(&space);
	weft_trace_close(t);
}
