/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Regions as intervals. Each row of the table is a thread's life in letters, and the spans that must come out of it, in the order
 * of their closes; a second, much slower model checks the same on random lives.
 */
#include "sample_trace.h"
#include "trace/filter/spans.h"
#include <errno.h>

/* Regions A… are 1…; A to M have category 1, N to Z category 2. Times count letters. */
static struct weft_def_row region_rows[27];
static struct weft_trace sample;

static const struct weft_trace *trace_of_letters(void)
{
	for (unsigned i = 1; i < 27; i++)
		region_rows[i] = (struct weft_def_row){.name = "r", .category = i <= 13 ? 1 : 2};
	sample.def[WEFT_CLASS_REGION] = (struct weft_def_table){region_rows, 27};
	return &sample;
}

/*
 * A letter enters its region, the same in lower case leaves it; '!' stops recording, '1' and '2' switch a category off, '.' is the
 * thread's end, '-' another event.
 */
static uint32_t letter_what(char c)
{
	if (c >= 'A' && c <= 'Z')
		return weft_what(WEFT_EV_ENTER, (unsigned)(c - 'A' + 1));
	if (c >= 'a' && c <= 'z')
		return weft_what(WEFT_EV_LEAVE, (unsigned)(c - 'a' + 1));
	switch (c) {
	case '!':
		return weft_what(WEFT_EV_OFF, 0);
	case '1':
		return weft_what(WEFT_EV_OFF, 1);
	case '2':
		return weft_what(WEFT_EV_OFF, 2);
	case '.':
		return weft_what(WEFT_EV_THREAD_END, 0);
	default:
		return weft_what(WEFT_EV_POINT, 1);
	}
}

struct said {
	struct weft_buf text;
	unsigned n, stop_after;
	int stop_with;
};

static int say_span(void *arg, const struct weft_span *s)
{
	struct said *out = arg;
	weft_buf_printf(&out->text, "%s%c%u[%llu,%llu)", out->text.n ? " " : "", (char)('A' + s->region - 1), s->depth,
	                (unsigned long long)s->begin, (unsigned long long)s->end);
	if (s->inner)
		weft_buf_printf(&out->text, "-%llu", (unsigned long long)s->inner);
	weft_buf_printf(&out->text, "#%llu%s", (unsigned long long)s->sequence, s->closed_early ? "!" : "");
	return ++out->n == out->stop_after ? out->stop_with : 0;
}

static void feed_letters(struct weft_span_walk *w, const char *life)
{
	for (uint64_t at = 0; life[at]; at++) {
		uint32_t what = letter_what(life[at]);
		uint64_t value = 0;
		struct weft_block b = {1, &at, &what, &value};
		CHECK_I64(weft_span_feed(w, &b), 0);
	}
}

static const struct {
	const char *life, *spans;
	uint64_t unmatched, early;
} lives[] = {
	{"", "", 0, 0},
	{"--", "", 0, 0},
	{"Aa", "A0[0,1)#0", 0, 0},
	{"A-a", "A0[0,2)#0", 0, 0},
	{"ABba", "B1[1,2)#1 A0[0,3)-1#0", 0, 0},
	{"AaBb", "A0[0,1)#0 B0[2,3)#1", 0, 0},
	{"AAaa", "A1[1,2)#1 A0[0,3)-1#0", 0, 0}, /* recursion: a leave is of the innermost */
	{"ABCcBbba", "C2[2,3)#2 B2[4,5)#3 B1[1,6)-2#1 A0[0,7)-5#0", 0, 0},
	/* leaves without an enter */
	{"a", "", 1, 0},
	{"aAa", "A0[1,2)#0", 1, 0},
	{"Aba", "A0[0,2)#0", 1, 0},
	{"Aaa", "A0[0,1)#0", 1, 0},
	{"ABcbca", "B1[1,3)#1 A0[0,5)-2#0", 2, 0},
	/* a leave of an outer region */
	{"ABa", "B1[1,2)#1! A0[0,2)-1#0", 0, 1},
	{"ABCa", "C2[2,3)#2! B1[1,3)-1#1! A0[0,3)-2#0", 0, 2},
	{"ABAb", "A2[2,3)#2! B1[1,3)-1#1 A0[0,4)-2#0!", 0, 2},
	{"ABab", "B1[1,2)#1! A0[0,2)-1#0", 1, 1},
	{"ABaCc", "B1[1,2)#1! A0[0,2)-1#0 C0[3,4)#2", 0, 1},
	/* recording stops */
	{"A!a", "A0[0,1)#0!", 1, 1},
	{"AB!", "B1[1,2)#1! A0[0,2)-1#0!", 0, 2},
	{"!", "", 0, 0},
	{"A!Bb", "A0[0,1)#0! B0[2,3)#1", 0, 1},
	/* one category goes off: A is of the first, N and O of the second */
	{"A1", "A0[0,1)#0!", 0, 1},
	{"A2a", "A0[0,2)#0", 0, 0},
	{"AN2a", "N1[1,2)#1! A0[0,3)-1#0", 0, 1},
	{"AN1n", "A0[0,2)-1#0! N1[1,3)#1", 0, 1},
	{"NA2a", "N0[0,2)-1#0! A1[1,3)#1", 0, 1},
	{"ANB2ba", "N1[1,3)-1#1! B2[2,4)#2 A0[0,5)-3#0", 0, 1},
	{"ANBO2ba", "O3[3,4)#3! N1[1,4)-2#1! B2[2,5)-1#2 A0[0,6)-4#0", 0, 2},
	{"NA2BbaCc", "N0[0,2)-1#0! B2[3,4)#2 A1[1,5)-1#1 C0[6,7)#3", 0, 1},
	{"NA2na", "N0[0,2)-1#0! A1[1,4)#1", 1, 1},
	{"NOA2", "O1[1,3)-1#1! N0[0,3)-2#0! A2[2,4)#2!", 0, 3},
	/* the thread ends; the trace ends (at the number of letters) */
	{"AB.", "B1[1,2)#1! A0[0,2)-1#0!", 0, 2},
	{"A.--", "A0[0,1)#0!", 0, 1},
	{"AB-", "B1[1,3)#1! A0[0,3)-2#0!", 0, 2},
	{"A", "A0[0,1)#0!", 0, 1},
};

TEST(lives_become_spans)
{
	for (size_t i = 0; i < sizeof lives / sizeof *lives; i++) {
		struct said out = {0};
		struct weft_span_walk w;
		weft_span_begin(&w, trace_of_letters(), 3, say_span, &out);
		feed_letters(&w, lives[i].life);
		CHECK_I64(weft_span_end(&w, strlen(lives[i].life)), 0);
		CHECK_STR(out.text.at ? out.text.at : "", lives[i].spans);
		CHECK_U64(w.unmatched_leaves, lives[i].unmatched);
		CHECK_U64(w.closed_early, lives[i].early);
		weft_buf_fini(&out.text);
	}
}

TEST(a_block_is_fed_whole)
{
	uint64_t time[4] = {5, 6, 7, 9}, value[4] = {0};
	uint32_t what[4] = {letter_what('A'), letter_what('B'), letter_what('b'), letter_what('a')};
	struct weft_block b = {4, time, what, value};
	struct said out = {0};
	struct weft_span_walk w;
	weft_span_begin(&w, NULL, 7, say_span, &out);
	CHECK_I64(weft_span_feed(&w, &b), 0);
	CHECK_I64(weft_span_end(&w, 9), 0);
	CHECK_STR(out.text.at, "B1[6,7)#1 A0[5,9)-1#0");
	weft_buf_fini(&out.text);
}

TEST(an_end_before_the_begin_gives_an_empty_span)
{
	struct said out = {0};
	struct weft_span_walk w;
	weft_span_begin(&w, NULL, 0, say_span, &out);
	feed_letters(&w, "--A");
	CHECK_I64(weft_span_end(&w, 1), 0);
	CHECK_STR(out.text.at, "A0[2,2)#0!");
	weft_buf_fini(&out.text);
}

TEST(without_a_trace_marks_of_categories_close_nothing)
{
	struct said out = {0};
	struct weft_span_walk w;
	weft_span_begin(&w, NULL, 0, say_span, &out);
	feed_letters(&w, "A12a");
	CHECK_I64(weft_span_end(&w, 4), 0);
	CHECK_STR(out.text.at, "A0[0,3)#0");
	weft_buf_fini(&out.text);
}

TEST(a_result_ends_the_walk_and_is_said_again)
{
	struct said out = {.stop_after = 2, .stop_with = 17};
	struct weft_span_walk w;
	weft_span_begin(&w, NULL, 0, say_span, &out);
	uint64_t time[5] = {0, 1, 2, 3, 4}, value[5] = {0};
	uint32_t what[5];
	for (unsigned i = 0; i < 5; i++)
		what[i] = letter_what("ABCcb"[i]);
	struct weft_block b = {5, time, what, value};
	CHECK_I64(weft_span_feed(&w, &b), 17);
	CHECK_I64(weft_span_feed(&w, &b), 17);
	CHECK_I64(weft_span_end(&w, 9), 17);
	CHECK_U64(out.n, 2);
	weft_buf_fini(&out.text);
}

TEST(counting_alone_needs_no_callback)
{
	struct weft_span_walk w;
	weft_span_begin(&w, NULL, 0, NULL, NULL);
	feed_letters(&w, "ABaxA");
	CHECK_I64(weft_span_end(&w, 5), 0);
	CHECK_U64(w.unmatched_leaves, 1);
	CHECK_U64(w.closed_early, 2);
	CHECK_U64(w.sequence, 3);
}

/* ---- a model: the rules of spans.h, word by word, on a list ---- */

struct model_span {
	char region;
	uint64_t begin, sequence;
	unsigned depth;
};

static void model_close(struct weft_buf *out, struct model_span *open, size_t *n, size_t at, uint64_t time, bool early)
{
	weft_buf_printf(out, "%s%c%u[%llu,%llu)#%llu%s", out->n ? " " : "", open[at].region, open[at].depth,
	                (unsigned long long)open[at].begin, (unsigned long long)time, (unsigned long long)open[at].sequence,
	                early ? "!" : "");
	memmove(open + at, open + at + 1, (*n - at - 1) * sizeof *open);
	--*n;
}

static void model_life(const char *life, struct weft_buf *out)
{
	struct model_span open[256];
	size_t n = 0;
	uint64_t sequence = 0;
	for (uint64_t at = 0; life[at]; at++) {
		char c = life[at];
		if (c >= 'A' && c <= 'Z') {
			unsigned depth = 0;
			for (size_t i = 0; i < n; i++)
				depth = open[i].depth >= depth ? open[i].depth + 1 : depth;
			open[n++] = (struct model_span){c, at, sequence++, depth};
		} else if (c >= 'a' && c <= 'z') {
			size_t i = n;
			while (i > 0 && open[i - 1].region != c - 'a' + 'A')
				i--;
			while (i > 0 && n > i)
				model_close(out, open, &n, n - 1, at, true);
			if (i > 0)
				model_close(out, open, &n, i - 1, at, false);
		} else {
			for (size_t i = n; i-- > 0;)
				if (c == '!' || c == '.' || (c == '1' && open[i].region <= 'M') ||
				    (c == '2' && open[i].region > 'M'))
					model_close(out, open, &n, i, at, true);
		}
	}
	while (n)
		model_close(out, open, &n, n - 1, strlen(life), true);
}

/* Self times: what the spans of a life have for themselves is all the time in which any is open. */
struct selves {
	struct weft_buf text;
	uint64_t self;
};

static int say_without_inner(void *arg, const struct weft_span *s)
{
	struct selves *out = arg;
	out->self += s->end - s->begin - s->inner;
	weft_buf_printf(&out->text, "%s%c%u[%llu,%llu)#%llu%s", out->text.n ? " " : "", (char)('A' + s->region - 1), s->depth,
	                (unsigned long long)s->begin, (unsigned long long)s->end, (unsigned long long)s->sequence,
	                s->closed_early ? "!" : "");
	return 0;
}

static uint64_t time_with_any_open(const char *life)
{
	uint64_t covered = 0;
	for (size_t n = 1; life[n - 1]; n++) { /* is anything open between letter n - 1 and the next? */
		char *head = strndup(life, n);
		struct said open = {0};
		struct weft_span_walk w;
		weft_span_begin(&w, trace_of_letters(), 0, say_span, &open);
		feed_letters(&w, head);
		covered += w.open.n > 0;
		CHECK_I64(weft_span_end(&w, n), 0);
		weft_buf_fini(&open.text);
		free(head);
	}
	return covered;
}

TEST(random_lives_agree_with_the_model)
{
	static const char letters[] = "AAABBNNOaaabbnnoAABNabn-z12!.";
	for (unsigned round = 0; round < 3000; round++) {
		char life[64];
		size_t n = test_random() % (sizeof life - 1);
		for (size_t i = 0; i < n; i++)
			life[i] = letters[test_random() % (sizeof letters - (round % 2 ? 1 : 5))];
		life[n] = 0;
		struct selves got = {0};
		struct weft_buf want = {0};
		struct weft_span_walk w;
		weft_span_begin(&w, trace_of_letters(), 0, say_without_inner, &got);
		feed_letters(&w, life);
		REQUIRE(weft_span_end(&w, n) == 0);
		model_life(life, &want);
		CHECK_STR(got.text.at ? got.text.at : "", want.at ? want.at : "");
		if (round % 16 == 0)
			CHECK_U64(got.self, time_with_any_open(life));
		weft_buf_fini(&got.text);
		weft_buf_fini(&want);
	}
}

TEST(a_million_leaves_of_nothing_cost_what_a_million_events_cost)
{
	enum { DEEP = 200000 };
	struct weft_span_walk w;
	weft_span_begin(&w, NULL, 0, NULL, NULL);
	uint64_t time = 0, value = 0;
	uint32_t enter = letter_what('A'), leave = letter_what('b');
	struct weft_block in = {1, &time, &enter, &value}, out = {1, &time, &leave, &value};
	for (time = 0; time < DEEP; time++)
		REQUIRE(weft_span_feed(&w, &in) == 0);
	for (; time < 5 * DEEP; time++) /* a search of the stack would take 10^11 steps */
		REQUIRE(weft_span_feed(&w, &out) == 0);
	CHECK_U64(w.unmatched_leaves, 4 * DEEP);
	CHECK_I64(weft_span_end(&w, time), 0);
	CHECK_U64(w.closed_early, DEEP);
}

/* ---- of a trace ---- */

static void check_range(const struct weft_trace *t, uint64_t from, uint64_t to, const char *want)
{
	struct said out = {0};
	MUST(weft_spans(t, 0, from, to, NULL, say_span, &out));
	CHECK_STR(out.text.at ? out.text.at : "", want);
	weft_buf_fini(&out.text);
}

TEST(a_range_gives_all_spans_that_touch_it)
{
	struct sample_ids d;
	struct weft_builder *b = sample_begin(1, &d); /* regions A to D in the order of their definition */
	SAMPLE_APPEND(b, 0,
	              {{10, WEFT_EV_ENTER, d.solve, 0},
	               {20, WEFT_EV_ENTER, d.halo, 0},
	               {30, WEFT_EV_LEAVE, d.halo, 0},
	               {30, WEFT_EV_ENTER, d.odd, 0},
	               {30, WEFT_EV_LEAVE, d.odd, 0},
	               {40, WEFT_EV_LEAVE, d.solve, 0},
	               {50, WEFT_EV_ENTER, d.halo, 0},
	               {60, WEFT_EV_POINT, d.phase, 1}});
	struct weft_trace *t = sample_finish(b, 100);
	check_range(t, 0, WEFT_NEVER, "B1[20,30)#1 D1[30,30)#2 A0[10,40)-10#0 B0[50,60)#3!");
	check_range(t, 25, 26, "B1[20,26)#1! A0[10,26)-6#0!");
	check_range(t, 30, 35, "D1[30,30)#2 A0[10,35)-10#0!"); /* B ends where the range begins */
	check_range(t, 31, 35, "A0[10,35)-10#0!");
	check_range(t, 40, 50, "");
	check_range(t, 45, WEFT_NEVER, "B0[50,60)#3!");
	check_range(t, 70, WEFT_NEVER, "");
	weft_trace_close(t);
}

TEST(no_memory_is_an_error_and_nothing_leaks)
{
	static const char life[] = "ABCDabcABxAB1a!";
	TEST_EACH_ALLOCATION_FAILS {
		struct weft_span_walk w;
		int rc = 0;
		weft_span_begin(&w, trace_of_letters(), 0, NULL, NULL);
		for (uint64_t at = 0; life[at] && rc == 0; at++) {
			uint32_t what = letter_what(life[at]);
			uint64_t value = 0;
			struct weft_block b = {1, &at, &what, &value};
			rc = weft_span_feed(&w, &b);
		}
		CHECK_I64(rc, test_alloc_failed() ? -ENOMEM : 0);
		CHECK_I64(weft_span_end(&w, sizeof life), rc);
	}
}
