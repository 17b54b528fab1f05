/* SPDX-License-Identifier: Apache-2.0 */
/* paje_order.c: against the plainest sort that there is, on traces of chance; what stays where it was. */
#include "harness.h"
#include "taskfiles/paje_order.h"
#include "base/str.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD \
	"%EventDef PajeDefineContainerType 1\n%\tAlias string\n% Type string\n% Name string\n%EndEventDef\n" \
	"%EventDef PajeSetState 10\n% Time date\n% Value string\n%EndEventDef\n" \
	"%EventDef\tPajeSetVariable 13\n% Value string\n% Time date\n%EndEventDef\n"

static char *sorted(const char *text, struct paje_order *o)
{
	char *out = NULL;
	size_t n;
	FILE *to = open_memstream(&out, &n);
	struct weft_err err = {0};
	REQUIRE(to);
	CHECK_I64(paje_order_write(text, strlen(text), "p.trace", to, o, &err), 0);
	CHECK_STR(err.text, "");
	fclose(to);
	return out;
}

static void check(const char *text, const char *want, uint64_t stretches)
{
	struct paje_order o;
	char *got = sorted(text, &o);
	CHECK_STR(got, want);
	CHECK_U64(o.stretches, stretches);
	free(got);
}

TEST(lines_come_by_time_and_definitions_first)
{
	check(HEAD "1 W 0 x\n10 3 c\n10 5.5 e\n13 \"a b\" 4\n1 V 0 y\n10 -1 a\n# of a\n10 3.0 d\n10 12 f",
	      HEAD "1 W 0 x\n1 V 0 y\n10 -1 a\n# of a\n10 3 c\n10 3.0 d\n13 \"a b\" 4\n10 5.5 e\n10 12 f\n", 3);
}

TEST(what_is_in_order_stays)
{
	check(HEAD "1 W 0 x\n10 1 a\n10 1 b\n\n10 2 c\n", HEAD "1 W 0 x\n10 1 a\n10 1 b\n\n10 2 c\n", 1);
}

TEST(many_stretches_become_one)
{
	enum { LINES = 3000, TIMES = 200 };
	static unsigned time[LINES];
	uint32_t seed = 7;
	struct weft_buf text = {0}, want = {0};
	struct paje_order o;
	weft_buf_puts(&text, HEAD);
	weft_buf_puts(&want, HEAD);
	for (unsigned i = 0; i < LINES; i++) {
		seed = seed * 1664525 + 1013904223;
		time[i] = (seed >> 16) % TIMES;
		weft_buf_printf(&text, "10 %u.%u v%u\n", time[i] / 10, time[i] % 10, i);
	}
	for (unsigned t = 0; t < TIMES; t++)
		for (unsigned i = 0; i < LINES; i++)
			if (time[i] == t)
				weft_buf_printf(&want, "10 %u.%u v%u\n", t / 10, t % 10, i);
	char *got = sorted(text.at, &o);
	CHECK(!strcmp(got, want.at));
	CHECK(o.stretches > LINES / 3);
	free(got);
	weft_buf_fini(&text);
	weft_buf_fini(&want);
}

TEST(what_is_wrong_is_said_with_its_line)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{"", "p.trace: no Paje trace: it has no %EventDef"},
		{HEAD "99 1\n", "p.trace:14: expected the number of an event"},
		{HEAD "10x 1\n", "p.trace:14: expected the number of an event"},
		{HEAD "10 1 a\n10 later b\n", "p.trace:15: expected a time"},
		{HEAD "13 \"no end\n", "p.trace:14: expected a time"},
		{"%EventDef PajeSetState 1000\n", "p.trace:1: the number of an event must be less than 1000"},
		{HEAD "10 1 a\n%EventDef PajeSetState 11\n", "p.trace:15: a definition behind the first event"},
		{"% Time date\n", "p.trace:1: expected 'EventDef NAME NUMBER', a field or 'EndEventDef'"},
	};
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct weft_err err = {0};
		struct paje_order o;
		CHECK_I64(paje_order_write(cases[i].text, strlen(cases[i].text), "p.trace", NULL, &o, &err), WEFT_E_SYNTAX);
		CHECK_STR(err.text, cases[i].want);
	}
}
