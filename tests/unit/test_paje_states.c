/* SPDX-License-Identifier: Apache-2.0 */
/* paje_states.c: which states there are, from when to when, by hand; what a trace may get wrong. */
#include "harness.h"
#include "taskfiles/paje_states.h"
#include "base/str.h"
#include <stdlib.h>
#include <string.h>

#define HEAD \
	"%EventDef PajeDefineContainerType 1\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n" \
	"%EventDef PajeDefineStateType 3\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n" \
	"%EventDef PajeDefineEntityValue 6\n% Alias string\n% Type string\n% Name string\n% Color color\n%EndEventDef\n" \
	"%EventDef PajeCreateContainer 7\n% Time date\n% Alias string\n% Type string\n% Container string\n% Name string\n%EndEventDef\n" \
	"%EventDef PajeDestroyContainer 8\n% Time date\n% Name string\n% Type string\n%EndEventDef\n" \
	"%EventDef PajeSetState 10\n% Time date\n% Container string\n% Type string\n% Value string\n%EndEventDef\n" \
	"%EventDef PajePushState 11\n% Time date\n% Container string\n% Type string\n% Value string\n%EndEventDef\n" \
	"%EventDef PajePopState 12\n% Time date\n% Container string\n% Type string\n%EndEventDef\n" \
	"1 W 0 \"Worker\"\n3 WS W \"Worker State\"\n6 B WS Overhead \"1.0 .5 .0\"\n6 Sc WS Scheduling \".7 .36 .0\"\n" \
	"7 0.0 w0 W 0 CPU0\n7 0.0 w1 W 0 CPU1\n"

static int note(void *arg, const struct paje_state *s)
{
	char from[32], to[32];
	weft_buf_printf(arg, "%s %s %s %s..%s %u;", s->container, s->type, s->value, paje_time_text(from, s->begin),
	                paje_time_text(to, s->end), s->depth);
	return 0;
}

static int read_text(const char *text, struct weft_buf *out, struct weft_err *err)
{
	struct text_lines *t;
	REQUIRE(text_lines_open_memory(&t, text, strlen(text), "p.trace", NULL) == 0);
	int rc = paje_states_read(t, note, out, err);
	text_lines_close(t);
	return rc;
}

static void check(const char *text, const char *want)
{
	struct weft_buf out = {0};
	struct weft_err err = {0};
	CHECK_I64(read_text(text, &out, &err), 0);
	CHECK_STR(err.text, "");
	CHECK_STR(out.at ? out.at : "", want);
	weft_buf_fini(&out);
}

TEST(a_state_ends_where_the_next_is_set)
{
	check(HEAD "10 1.5 w0 WS \"B\"\n10 2.25 w0 WS gemm\n10 4 w0 WS B\n8 5 w0 W\n",
	      "CPU0 Worker State Overhead 1.5..2.25 0;CPU0 Worker State gemm 2.25..4 0;CPU0 Worker State Overhead 4..5 0;");
}

TEST(a_state_that_is_said_twice_is_one)
{
	check(HEAD "10 1 w0 WS gemm\n10 1 w0 WS gemm\n10 2 w0 WS gemm\n10 4 w0 WS B\n8 4 w0 W\n",
	      "CPU0 Worker State gemm 1..2 0;CPU0 Worker State gemm 2..4 0;CPU0 Worker State Overhead 4..4 0;");
}

TEST(a_container_ends_what_lies_in_it)
{
	check(HEAD "7 0 t w0 w0 inner\n10 1 t WS B\n10 1 w1 WS B\n8 3 w0 W\n8 5 w1 W\n",
	      "inner Worker State Overhead 1..3 0;CPU1 Worker State Overhead 1..5 0;");
}

TEST(states_are_pushed_within_others)
{
	check(HEAD "10 1 w0 WS B\n11 2 w0 WS Sc\n12 3.000000001 w0 WS # why\n10 4 w0 WS gemm\n12 6 w0 WS\n12 7 w0 WS\n",
	      "CPU0 Worker State Scheduling 2..3.000000001 1;CPU0 Worker State Overhead 1..4 0;CPU0 Worker State gemm 4..6 0;");
}

TEST(what_is_open_ends_with_the_trace)
{
	check(HEAD "10 1 w1 WS B\n10 2 w0 WS Sc\n10 9 w0 WS gemm\n",
	      "CPU0 Worker State Scheduling 2..9 0;CPU1 Worker State Overhead 1..9 0;CPU0 Worker State gemm 9..9 0;");
}

static int note_color(void *arg, const struct paje_state *s)
{
	*(uint32_t *)arg = s->color;
	return 0;
}

TEST(values_have_colors)
{
	static const char text[] = HEAD "10 1 w0 WS B\n10 2 w0 WS B\n";
	uint32_t color = 0;
	struct text_lines *t;
	REQUIRE(text_lines_open_memory(&t, text, strlen(text), "p.trace", NULL) == 0);
	CHECK_I64(paje_states_read(t, note_color, &color, NULL), 0);
	CHECK_U64(color, 0xff8000);
	text_lines_close(t);
}

TEST(times_are_exact)
{
	int64_t v;
	char text[32];
	CHECK(paje_time_parse(weft_str("653.669482001"), &v));
	CHECK_I64(v, 653669482001);
	CHECK(paje_time_parse(weft_str("-0.25"), &v));
	CHECK_I64(v, -250000000);
	CHECK_STR(paje_time_text(text, v), "-0.25");
	CHECK(paje_time_parse(weft_str("1.5e2"), &v));
	CHECK_STR(paje_time_text(text, v), "150");
	CHECK(!paje_time_parse(weft_str("1x"), &v) && !paje_time_parse(weft_str(""), &v) &&
	      !paje_time_parse(weft_str("--1"), &v));
	CHECK(!paje_time_parse(weft_str("1e300"), &v));
}

TEST(what_is_wrong_is_said_with_its_line)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{"", "p.trace: no Paje trace: it has no %EventDef"},
		{"1 2 3\n", "p.trace:1: expected the number of an event"},
		{HEAD "10 1 w0 WS\n", "p.trace:52: fewer fields than its event has"},
		{HEAD "10 1 w9 WS B\n", "p.trace:52: no container 'w9', or no type of state 'WS', is known"},
		{HEAD "10 one w0 WS B\n", "p.trace:52: expected a time, found 'one'"},
		{HEAD "10 2 w0 WS B\n10 1 w0 WS B\n",
	         "p.trace:53: the time goes back on 'CPU0': starpu_paje_sort puts a trace in order"},
	};
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct weft_buf out = {0};
		struct weft_err err = {0};
		CHECK_I64(read_text(cases[i].text, &out, &err), WEFT_E_SYNTAX);
		CHECK_STR(err.text, cases[i].want);
		weft_buf_fini(&out);
	}
}
