/* SPDX-License-Identifier: Apache-2.0 */
/* Trees of calls of traces of known shape; formats are read back by readers of our own. */
#include "build_maker.h"
#include "base/json.h"
#include "base/str.h"
#include "profile/call_tree.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <zlib.h>

/* ---- making ---- */

struct world {
	struct weft_trace *t;
	struct weft_symbols *s;
	struct weft_profile p;
};

static void sample(struct weft_builder *b, uint32_t thread, uint64_t time, const uint64_t *stack, uint32_t n)
{
	struct weft_appender *a = weft_builder_appender(b, thread);
	REQUIRE(a && weft_append_extra(a, time, weft_what(WEFT_EV_SAMPLE, 0), stack, n) == 0);
}

static void event(struct weft_builder *b, uint64_t time, unsigned kind, unsigned id)
{
	REQUIRE(weft_append(weft_builder_appender(b, 0), time, weft_what(kind, id), 0) == 0);
}

static void world_make(struct world *w, struct weft_builder *b, struct weft_profile_how how)
{
	struct weft_err err = {0};
	w->t = made_trace(b);
	if (!how.to)
		how.to = WEFT_NEVER;
	REQUIRE(weft_symbols_new(&w->s, w->t, NULL) == 0);
	CHECK(weft_profile_make(&w->p, w->t, w->s, &how, &err) == 0);
	CHECK_STR(err.text, "");
}

static void world_free(struct world *w)
{
	weft_profile_fini(&w->p);
	weft_symbols_free(w->s);
	weft_trace_close(w->t);
}

/* All ways as lines, "0x1;0x2 self total calls", depth first. */
static void ways(const struct weft_profile *p, uint32_t at, const char *prefix, struct weft_buf *out)
{
	for (uint32_t k = p->node[at].child; k != WEFT_NONE; k = p->node[k].next) {
		char here[500];
		snprintf(here, sizeof here, "%s%s%s", prefix, *prefix ? ";" : "", weft_profile_name(p, k));
		weft_buf_printf(out, "%s %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", here, p->node[k].self, p->node[k].total,
		                p->node[k].calls);
		ways(p, k, here, out);
	}
}

static void check_ways(const struct world *w, const char *expected)
{
	struct weft_buf z = {0};
	ways(&w->p, 0, "", &z);
	CHECK_STR(z.at ? z.at : "", expected);
	weft_buf_fini(&z);
}

/* main (0x100) calls solve (0x200), which calls norm (0x300): addresses of callers are behind their calls. */
static struct weft_builder *sampled(void)
{
	struct weft_builder *b = made_builder(2);
	const uint64_t norm[] = {0x300, 0x201, 0x101}, solve[] = {0x200, 0x101}, main_[] = {0x100},
		       twice[] = {0x200, 0x201, 0x101};
	for (unsigned i = 0; i < 5; i++)
		sample(b, 0, 10 * i, norm, 3);
	sample(b, 0, 60, solve, 2);
	sample(b, 0, 70, main_, 1);
	sample(b, 0, 80, twice, 3);
	sample(b, 1, 5, norm, 3);
	sample(b, 1, 6, NULL, 0);
	return b;
}

TEST(profile_of_samples)
{
	struct world w;
	world_make(&w, sampled(), (struct weft_profile_how){0});
	CHECK(w.p.of == WEFT_PROFILE_SAMPLES);
	CHECK_U64(w.p.samples, 10);
	CHECK_U64(w.p.cut, 1);
	CHECK_U64(w.p.node[0].total, 9);
	check_ways(&w, "0x100 1 9 1\n"
	               "0x100;0x200 1 8 1\n"
	               "0x100;0x200;0x300 6 6 6\n"
	               "0x100;0x200;0x200 1 1 1\n");
	world_free(&w);
}

/* Whose signals came late stands for all of them. */
TEST(profile_of_samples_that_stand_for_several_periods)
{
	struct world w;
	struct weft_builder *b = made_builder(1);
	const uint64_t stack[] = {0x300, 0x101};
	sample(b, 0, 1, stack, 2);
	REQUIRE(weft_append_extra(weft_builder_appender(b, 0), 2, weft_what(WEFT_EV_SAMPLE, 3 << 4 | 1), stack, 2) == 0);
	world_make(&w, b, (struct weft_profile_how){0});
	CHECK_U64(w.p.samples, 5);
	check_ways(&w, "0x100 0 5 0\n0x100;0x300 5 5 5\n");
	world_free(&w);
}

TEST(profile_by_thread_in_a_range_of_time)
{
	struct world w;
	world_make(&w, sampled(), (struct weft_profile_how){.per = WEFT_PER_THREAD, .from = 5, .to = 61});
	check_ways(&w, "thread 1.1.1 0 5 0\n"
	               "thread 1.1.1;0x100 0 5 0\n"
	               "thread 1.1.1;0x100;0x200 1 5 1\n"
	               "thread 1.1.1;0x100;0x200;0x300 4 4 4\n"
	               "thread 1.1.2 0 1 0\n"
	               "thread 1.1.2;0x100 0 1 0\n"
	               "thread 1.1.2;0x100;0x200 0 1 0\n"
	               "thread 1.1.2;0x100;0x200;0x300 1 1 1\n");
	world_free(&w);
}

TEST(profile_of_callers_and_with_focus)
{
	struct world w;
	world_make(&w, sampled(), (struct weft_profile_how){.callers = true});
	check_ways(&w, "0x300 0 6 0\n"
	               "0x300;0x200 0 6 0\n"
	               "0x300;0x200;0x100 6 6 6\n"
	               "0x200 0 2 0\n"
	               "0x200;0x100 1 1 1\n"
	               "0x200;0x200 0 1 0\n"
	               "0x200;0x200;0x100 1 1 1\n"
	               "0x100 1 1 1\n");
	world_free(&w);
	world_make(&w, sampled(), (struct weft_profile_how){.focus = "0x3*"});
	CHECK_U64(w.p.node[0].total, 6);
	world_free(&w);
}

/* A function that comes twice in a stack counts once. */
TEST(profile_by_function)
{
	struct world w;
	struct weft_profile_row *row;
	size_t n;
	world_make(&w, sampled(), (struct weft_profile_how){0});
	REQUIRE(weft_profile_rows(&w.p, &row, &n) == 0);
	REQUIRE(n == 3);
	static const struct {
		const char *name;
		uint64_t self, total;
	} expected[] = {{"0x300", 6, 6}, {"0x200", 2, 8}, {"0x100", 1, 9}};
	for (unsigned i = 0; i < 3; i++) {
		CHECK_STR(weft_symbols_function(w.s, row[i].function)->name, expected[i].name);
		CHECK_U64(row[i].self, expected[i].self);
		CHECK_U64(row[i].total, expected[i].total);
	}
	free(row);
	world_free(&w);
}

/* By the formula, computed with another program: 8 of 40, none of 10, all of 10, one of 1e6. */
TEST(profile_intervals)
{
	static const struct {
		uint64_t k, n;
		double low, high;
	} known[] = {{8, 40, 0.105000, 0.347573},
	             {0, 10, 0, 0.277533},
	             {10, 10, 0.722467, 1},
	             {1, 1000000, 1.765e-7, 5.665e-6},
	             {0, 0, 0, 1}};
	for (unsigned i = 0; i < sizeof known / sizeof *known; i++) {
		double low, high;
		weft_profile_interval(known[i].k, known[i].n, &low, &high);
		CHECK(fabs(low - known[i].low) < 1e-6 && fabs(high - known[i].high) < 1e-6);
	}
}

/* ---- regions ---- */

static struct weft_builder *nested(void)
{
	struct weft_builder *b = made_builder(1);
	REQUIRE(weft_build_def(b, WEFT_CLASS_REGION, &(struct weft_def_row){.name = "step"}) == 2);
	event(b, 0, WEFT_EV_ENTER, 1);
	event(b, 10, WEFT_EV_ENTER, 2);
	event(b, 30, WEFT_EV_LEAVE, 2);
	event(b, 40, WEFT_EV_ENTER, 2);
	event(b, 45, WEFT_EV_ENTER, 2);
	event(b, 50, WEFT_EV_LEAVE, 2);
	event(b, 60, WEFT_EV_LEAVE, 2);
	event(b, 100, WEFT_EV_LEAVE, 1);
	event(b, 120, WEFT_EV_ENTER, 2);
	event(b, 130, WEFT_EV_LEAVE, 2);
	return b;
}

TEST(profile_of_regions)
{
	struct world w;
	world_make(&w, nested(), (struct weft_profile_how){0});
	CHECK(w.p.of == WEFT_PROFILE_REGIONS);
	check_ways(&w, "region 60 100 1\n"
	               "region;step 35 40 2\n"
	               "region;step;step 5 5 1\n"
	               "step 10 10 1\n");
	world_free(&w);
	world_make(&w, nested(), (struct weft_profile_how){.from = 20, .to = 47});
	check_ways(&w, "region 10 27 0\n"
	               "region;step 15 17 1\n"
	               "region;step;step 2 2 1\n");
	world_free(&w);
	world_make(&w, nested(), (struct weft_profile_how){.callers = true});
	check_ways(&w, "region 60 60 1\n"
	               "step 10 50 1\n"
	               "step;region 35 35 2\n"
	               "step;step 0 5 0\n"
	               "step;step;region 5 5 1\n");
	world_free(&w);
}

TEST(profile_of_regions_that_a_filter_leaves)
{
	struct world w;
	struct weft_err err = {0};
	struct weft_filter *f;
	struct weft_builder *b = nested();
	w.t = made_trace(b);
	REQUIRE(weft_filter_new(&f, "region=step", &err) == 0 && weft_filter_bind(f, w.t, &err) == 0);
	REQUIRE(weft_symbols_new(&w.s, w.t, NULL) == 0);
	struct weft_profile_how how = {.filter = f, .to = WEFT_NEVER};
	REQUIRE(weft_profile_make(&w.p, w.t, w.s, &how, &err) == 0);
	check_ways(&w, "step 45 50 3\n"
	               "step;step 5 5 1\n");
	weft_filter_free(f);
	world_free(&w);
}

/* The region stands below who called it, by its call stack; what lies in it is not said again. */
TEST(profile_of_regions_with_call_stacks)
{
	struct world w;
	struct weft_builder *b = made_builder(1);
	const uint64_t outer[] = {0x201, 0x101}, inner[] = {0x999, 0x201, 0x101};
	REQUIRE(weft_build_def(b, WEFT_CLASS_REGION, &(struct weft_def_row){.name = "write"}) == 2);
	event(b, 0, WEFT_EV_ENTER, 1);
	REQUIRE(weft_append_extra(weft_builder_appender(b, 0), 0, weft_what(WEFT_EV_CALLSTACK, 0), outer, 2) == 0);
	event(b, 10, WEFT_EV_ENTER, 2);
	REQUIRE(weft_append_extra(weft_builder_appender(b, 0), 10, weft_what(WEFT_EV_CALLSTACK, 0), inner, 3) == 0);
	event(b, 15, WEFT_EV_LEAVE, 2);
	event(b, 30, WEFT_EV_LEAVE, 1);
	world_make(&w, b, (struct weft_profile_how){0});
	check_ways(&w, "0x100 0 30 0\n"
	               "0x100;0x200 0 30 0\n"
	               "0x100;0x200;region 25 30 1\n"
	               "0x100;0x200;region;write 5 5 1\n");
	world_free(&w);
}

/* ---- formats ---- */

static char *written(const struct weft_profile *p, const char *format, size_t *n)
{
	char *text = NULL;
	FILE *to = open_memstream(&text, n);
	REQUIRE(to && weft_profile_format_find(format, NULL)->write(p, "a <title>", to) == 0);
	fclose(to);
	return text;
}

TEST(profile_folded)
{
	struct world w;
	size_t n;
	world_make(&w, sampled(), (struct weft_profile_how){0});
	char *text = written(&w.p, "folded", &n);
	CHECK_STR(text, "0x100 1\n0x100;0x200 1\n0x100;0x200;0x300 6\n0x100;0x200;0x200 1\n");
	free(text);
	world_free(&w);
}

TEST(profile_speedscope_is_json_of_the_right_sums)
{
	struct world w;
	size_t n;
	struct weft_err err = {0};
	world_make(&w, sampled(), (struct weft_profile_how){0});
	char *text = written(&w.p, "speedscope", &n);
	CHECK(weft_json_check(text, n, &err) == 0);
	CHECK(strstr(text, "\"frames\":[{\"name\":\"0x100\"},{\"name\":\"0x200\"},{\"name\":\"0x300\"}]"));
	CHECK(strstr(text, "\"endValue\":9"));
	CHECK(strstr(text, "\"samples\":[[0],[0,1],[0,1,2],[0,1,1]],\"weights\":[1,1,6,1]"));
	free(text);
	world_free(&w);
}

/* A reader of protobuf as small as it can be: the fields of a message, one after the other. */
struct field {
	unsigned number;
	uint64_t value; /* or length */
	const uint8_t *at;
};

static uint64_t varint(const uint8_t **at, const uint8_t *end)
{
	uint64_t v = 0;
	for (unsigned shift = 0; *at < end; shift += 7) {
		uint8_t one = *(*at)++;
		v |= (uint64_t)(one & 127) << shift;
		if (!(one & 128))
			return v;
	}
	CHECK(!"a number that ends");
	return v;
}

static bool next_field(const uint8_t **at, const uint8_t *end, struct field *f)
{
	if (*at >= end)
		return false;
	uint64_t key = varint(at, end);
	f->number = (unsigned)(key >> 3);
	f->value = varint(at, end);
	f->at = *at;
	if ((key & 7) == 2) {
		REQUIRE(f->value <= (uint64_t)(end - *at));
		*at += f->value;
	} else {
		CHECK_U64(key & 7, 0);
	}
	return true;
}

static unsigned count_fields(const uint8_t *at, const uint8_t *end, unsigned number)
{
	struct field f;
	unsigned n = 0;
	while (next_field(&at, end, &f))
		n += f.number == number;
	return n;
}

TEST(profile_pprof)
{
	struct world w;
	size_t n;
	uint8_t raw[1 << 16];
	world_make(&w, sampled(), (struct weft_profile_how){0});
	char *text = written(&w.p, "pprof", &n);
	z_stream z = {.next_in = (uint8_t *)text, .avail_in = (unsigned)n, .next_out = raw, .avail_out = sizeof raw};
	REQUIRE(inflateInit2(&z, 15 + 16) == Z_OK && inflate(&z, Z_FINISH) == Z_STREAM_END);
	const uint8_t *end = raw + z.total_out, *at = raw;
	inflateEnd(&z);
	CHECK_U64(count_fields(raw, end, 1), 2); /* types of values */
	CHECK_U64(count_fields(raw, end, 2), 4); /* stacks */
	CHECK_U64(count_fields(raw, end, 5), 3); /* functions */
	CHECK_U64(count_fields(raw, end, 4), 3); /* locations */
	struct field f, g;
	uint64_t samples = 0, longest = 0;
	while (next_field(&at, end, &f)) {
		const uint8_t *in = f.at, *stop = f.at + f.value;
		if (f.number == 6 && in == f.at && f.value == 5)
			CHECK(!memcmp(f.at, "0x", 2) || !memcmp(f.at, "count", 5));
		while (f.number == 2 && next_field(&in, stop, &g)) {
			const uint8_t *v = g.at;
			if (g.number == 2)
				samples += varint(&v, g.at + g.value);
			else
				longest = g.value > longest ? g.value : longest;
		}
	}
	CHECK_U64(samples, 9);
	CHECK_U64(longest, 3);
	free(text);
	world_free(&w);
}

static unsigned count_of(const char *text, const char *part)
{
	unsigned n = 0;
	for (; (text = strstr(text, part)); text += strlen(part))
		n++;
	return n;
}

TEST(profile_flame_graph_has_a_bar_for_each_way)
{
	struct world w;
	size_t n;
	world_make(&w, sampled(), (struct weft_profile_how){0});
	char *text = written(&w.p, "svg", &n);
	CHECK_U64(count_of(text, "<g class=\"f\""), 5);
	CHECK(strstr(text, "a &lt;title&gt;"));
	CHECK(strstr(text, "data-x=\"0\" data-w=\"0.888888889\" data-d=\"2\" data-n=\"0x200\""));
	CHECK(strstr(text, "<title>0x300 (6 samples, 66.67 %)</title>"));
	CHECK(strstr(text, "<title>0x200 (8 samples, 88.89 %; itself 1 sample)</title>"));
	CHECK_U64(count_of(text, "http"), 1); /* the name space: nothing is fetched */
	free(text);
	world_free(&w);
}

/* Nothing recurses: a nest as deep as this is a way like any other. */
TEST(profile_of_a_deep_nest)
{
	enum { DEEP = 300000 };
	struct world w;
	struct weft_builder *b = made_builder(1);
	struct weft_profile_row *row;
	size_t n;
	for (unsigned i = 0; i < DEEP; i++)
		event(b, i, WEFT_EV_ENTER, 1);
	for (unsigned i = 0; i < DEEP; i++)
		event(b, DEEP + i, WEFT_EV_LEAVE, 1);
	world_make(&w, b, (struct weft_profile_how){0});
	CHECK_U64(w.p.n_nodes, DEEP + 1);
	REQUIRE(weft_profile_rows(&w.p, &row, &n) == 0);
	CHECK_U64(n, 1);
	CHECK_U64(row[0].total, 2 * DEEP - 1);
	CHECK_U64(row[0].calls, DEEP);
	free(row);
	char *text = written(&w.p, "svg", &n);
	CHECK_U64(count_of(text, "<g class=\"f\""), 1000);
	free(text);
	world_free(&w);
}
