/* SPDX-License-Identifier: Apache-2.0 */
/* Reading Paje: small files, each for something that the format can say or for a way to break it, against the events that come of it. */
#include "trace/open.h"
#include "harness.h"
#include "base/str.h"
#include "trace/store/cursor.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD \
	"%EventDef PajeDefineContainerType 0\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n" \
	"%EventDef PajeDefineStateType 1\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n" \
	"%EventDef PajeDefineEventType 2\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n" \
	"%EventDef PajeDefineVariableType 3\n% Alias string\n% Type string\n% Name string\n% Color color\n%EndEventDef\n" \
	"%EventDef PajeDefineLinkType 4\n% Alias string\n% Type string\n% StartContainerType string\n% EndContainerType string\n" \
	"% Name string\n%EndEventDef\n" \
	"%EventDef PajeDefineEntityValue 5\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n" \
	"%EventDef PajeCreateContainer 6\n% Time date\n% Alias string\n% Type string\n% Container string\n% Name string\n%EndEventDef\n" \
	"%EventDef PajeDestroyContainer 7\n% Time date\n% Name string\n% Type string\n%EndEventDef\n" \
	"%EventDef PajeSetState 8\n% Time date\n% Type string\n% Container string\n% Value string\n%EndEventDef\n" \
	"%EventDef PajePushState 9\n% Time date\n% Type string\n% Container string\n% Value string\n%EndEventDef\n" \
	"%EventDef PajePopState 10\n% Time date\n% Type string\n% Container string\n%EndEventDef\n" \
	"%EventDef PajeResetState 11\n% Time date\n% Type string\n% Container string\n%EndEventDef\n" \
	"%EventDef PajeNewEvent 12\n% Time date\n% Type string\n% Container string\n% Value string\n%EndEventDef\n" \
	"%EventDef PajeSetVariable 13\n% Time date\n% Type string\n% Container string\n% Value double\n%EndEventDef\n" \
	"%EventDef PajeAddVariable 14\n% Time date\n% Type string\n% Container string\n% Value double\n%EndEventDef\n" \
	"%EventDef PajeSubVariable 15\n% Time date\n% Type string\n% Container string\n% Value double\n%EndEventDef\n" \
	"%EventDef PajeStartLink 16\n% Time date\n% Type string\n% Container string\n% Value string\n% StartContainer string\n" \
	"% Key string\n%EndEventDef\n" \
	"%EventDef PajeEndLink 17\n% Time date\n% Type string\n% Container string\n% Value string\n% EndContainer string\n" \
	"% Key string\n%EndEventDef\n" \
	"%EventDef PajeStartLink 18\n% Time date\n% Type string\n% Container string\n% Value string\n% StartContainer string\n" \
	"% Key string\n% Size int\n% Tag int\n%EndEventDef\n"
#define TYPES \
	"0 P 0 Program\n0 T P Thread\n1 S T State\n2 E T Event\n3 V T Variable \"1 0 0\"\n4 L P T T Link\n" \
	"5 a S busy\n5 b S \"waiting long\"\n5 x E first\n5 y E second\n"
#define OBJECTS "6 0 p P 0 prog\n6 0 t1 T p one\n6 0.5 t2 T p two\n"

/* ---- an opened text, and what it says ---- */

static struct weft_trace *open_text(const char *text)
{
	struct weft_trace *t;
	struct weft_err err = {0};
	struct weft_open_how how = {.no_index = true};
	char path[4096];
	snprintf(path, sizeof path, "%s/t.trace", test_dir());
	FILE *f = fopen(path, "w");
	REQUIRE(f && fputs(text, f) >= 0 && fclose(f) == 0);
	int rc = weft_trace_open(&t, path, &how, &err);
	CHECK_STR(err.text, "");
	REQUIRE(rc == 0);
	return t;
}

static void tell_value(const struct weft_trace *t, struct weft_buf *out, unsigned kind, unsigned id, uint64_t v)
{
	double d;
	memcpy(&d, &v, sizeof d);
	const char *label = kind == WEFT_EV_POINT ? weft_value_label(&t->def[WEFT_CLASS_TYPE].at[id], (int64_t)v) : NULL;
	switch (kind) {
	case WEFT_EV_POINT_F:
	case WEFT_EV_COUNTER_F:
	case WEFT_EV_ATTR_F:
		weft_buf_printf(out, " %g", d);
		break;
	case WEFT_EV_POINT_S:
	case WEFT_EV_ATTR_S:
		weft_buf_printf(out, " '%s'", t->def[WEFT_CLASS_STRING].at[v].name);
		break;
	case WEFT_EV_ENTER:
	case WEFT_EV_LEAVE:
		break;
	default:
		weft_buf_printf(out, " %" PRId64 "%s%s", (int64_t)v, label ? "=" : "", label ? label : "");
	}
}

/* "one: 1000 enter busy; …" of each thread. */
static char *told(const struct weft_trace *t)
{
	struct weft_buf out = {0};
	for (uint32_t i = 0; i < t->n_threads; i++) {
		struct weft_cursor c;
		struct weft_block b;
		weft_buf_printf(&out, "%s%s:", i ? "\n" : "", t->thread[i].name);
		REQUIRE(weft_cursor_begin(&c, t, i, 0, WEFT_NEVER) == 0);
		while (weft_cursor_next(&c, &b) > 0)
			for (uint32_t k = 0; k < b.n; k++) {
				unsigned kind = weft_what_kind(b.what[k]), id = weft_what_id(b.what[k]);
				weft_buf_printf(&out, " %" PRIu64 " %s %s", b.time[k] / 1000000, weft_kind_info[kind].name,
				                t->def[weft_kind_info[kind].of].at[id].name);
				tell_value(t, &out, kind, id, b.value[k]);
				weft_buf_putc(&out, ';');
			}
		weft_cursor_end(&c);
	}
	REQUIRE(!out.failed);
	return out.at;
}

static void check_told(const char *text, const char *want)
{
	struct weft_trace *t = open_text(text);
	char *got = told(t);
	CHECK_STR(got, want);
	CHECK_U64(t->n_problems, 0);
	free(got);
	weft_trace_close(t);
}

/* ---- what the format can say ---- */

TEST(states_are_set_pushed_popped_and_reset)
{
	check_told(
		HEAD TYPES OBJECTS
		"8 1 S t1 a\n8 2 S t1 b\n9 3 S t1 a\n9 3.5 S t1 other\n10 4 S t1\n11 5 S t1\n9 6 S t1 b\n7 7 t1 T\n"
		"9 8 S t2 a\n",
		"one: 1000 enter busy; 2000 leave busy; 2000 enter waiting long; 3000 enter busy; 3500 enter other; 4000 leave other;"
		" 5000 leave busy; 5000 leave waiting long; 6000 enter waiting long; 7000 leave waiting long;\n"
		"two: 8000 enter busy; 8000 leave busy;");
}

TEST(types_of_states_have_stacks_of_their_own)
{
	check_told(
		HEAD TYPES "1 Q T Other\n5 a Q task\n" OBJECTS
			   "9 1 S t1 a\n9 2 Q t1 a\n10 3 S t1\n9 4 S t1 b\n10 5 Q t1\n10 6 S t1\n",
		"one: 1000 enter busy; 2000 enter task; 3000 leave task; 3000 leave busy; 3000 enter task; 4000 enter waiting long;"
		" 5000 leave waiting long; 5000 leave task; 5000 enter waiting long; 6000 leave waiting long;\n"
		"two:");
}

TEST(events_have_values_numbers_or_texts)
{
	check_told(HEAD TYPES OBJECTS
	           "12 1 E t1 x\n12 2 E t1 second\n12 3 Event t1 -17\n12 4 E t1 2.5\n12 5 E t1 \"some text\"\n",
	           "one: 1000 point Event 1=first; 2000 point Event 2=second; 3000 point Event -17; 4000 point_f Event 2.5;"
	           " 5000 point_s Event 'some text';\ntwo:");
}

TEST(variables_are_set_added_to_and_subtracted_from)
{
	check_told(HEAD TYPES OBJECTS "13 1 V t1 10\n14 2 V t1 5\n15 3 V t1 30\n14 4 V t2 1\n",
	           "one: 1000 counter Variable 10; 2000 counter Variable 15; 3000 counter Variable -15;\n"
	           "two: 4000 counter Variable 1;");
	check_told(HEAD TYPES OBJECTS "13 1 V t1 10\n14 2 V t1 0.5\n",
	           "one: 1000 counter_f Variable 10; 2000 counter_f Variable 10.5;\ntwo:");
}

TEST(links_are_flows_and_with_a_size_messages)
{
	struct weft_trace *t = open_text(HEAD TYPES OBJECTS "16 1 L p any t1 k1\n16 1.5 L p any t1 k2\n17 2 L p any t2 k2\n"
	                                                    "17 3 L p any t2 k1\n17 4 L p any t2 lost\n");
	CHECK_U64(t->message.n, 0);
	REQUIRE(t->flow.n == 3);
	CHECK_STR(t->def[WEFT_CLASS_FLOW].at[t->flow.flow[0]].name, "Link");
	CHECK_U64(t->flow.from_time[0], 1000000000);
	CHECK_U64(t->flow.to_time[0], 3000000000);
	CHECK_U64(t->flow.to_time[1], 2000000000);
	CHECK_U64(t->flow.from_thread[2], WEFT_NONE);
	weft_trace_close(t);
	t = open_text(HEAD TYPES OBJECTS
	              "18 1 L p world t1 k 4096 -7\n17 2 L p world t2 k\n18 3 L p world t2 k 1 2\n17 4 L p world t1 k\n");
	CHECK_U64(t->flow.n, 0);
	REQUIRE(t->message.n == 2);
	CHECK_U64(t->message.size[0], 4096);
	CHECK_I64(t->message.tag[0], -7);
	CHECK_U64(t->message.recv_thread[0], 1);
	CHECK_U64(t->message.recv_done[0], 2000000000);
	CHECK_U64(t->message.send_thread[1], 1);
	CHECK_STR(t->def[WEFT_CLASS_COMM].at[t->message.comm[0]].name, "world");
	weft_trace_close(t);
}

TEST(fields_stand_in_any_order_and_further_ones_go_with_the_state)
{
	check_told(
		"# a comment\n\n%EventDef\tPajeDefineContainerType\tctype\n%\tName string\n%  Type string\n% EndEventDef\n"
		"%EventDef PajeDefineStateType 2\n% Name string\n% ContainerType string\n%EndEventDef\n"
		"%EventDef PajeCreateContainer 3\n% Name string\n% Container string\n% Type string\n% Time date\n%EndEventDef\n"
		"%EventDef PajePushState 4\n% File string\n% Value string\n% Line int\n% Container string\n% Type string\n"
		"% Time date\n% Share double\n%EndEventDef\n%EventDef SomethingElse 5\n% What string\n%EndEventDef\n"
		"ctype  Thing 0\n2\tState Thing\n3 \"a thing\" 0 Thing 0\n5 \"no one knows\"\n"
		"4 \"a file.c\" run 17 \"a thing\" State 1.5 0.25\r\n",
		"a thing: 1500 enter run; 1500 attr_s File 'a file.c'; 1500 attr Line 17; 1500 attr_f Share 0.25; 1500 leave run;");
}

TEST(an_alias_comes_before_a_name_and_both_may_come_again)
{
	check_told(HEAD TYPES "6 0 p P 0 t1\n6 0 t1 T p one\n9 1 S t1 busy\n10 2 S one\n7 3 t1 T\n6 4 t1 T p again\n9 5 S t1 a\n",
	           "one: 1000 enter busy; 2000 leave busy;\nagain: 5000 enter busy; 5000 leave busy;");
}

TEST(times_are_exact_and_may_have_exponents)
{
	struct weft_trace *t = open_text(HEAD TYPES "6 0.000000001 p P 0 p\n6 1e-3 t T p t\n12 123456789.123456789 E t x\n");
	CHECK_U64(t->thread[0].begin, 1000000);
	CHECK_U64(t->process[0].begin, 1);
	CHECK_U64(t->end, UINT64_C(123456789123456789));
	weft_trace_close(t);
}

TEST(containers_become_applications_processes_and_threads)
{
	struct weft_trace *t = open_text(
		HEAD "0 R 0 Root\n0 H R Host\n0 K H Rank\n1 S K s\n3 V H power 0\n6 0 r R 0 site\n6 0 h1 H r alpha\n"
		     "6 0 h2 H r beta\n6 0 k1 K h1 rank1\n6 0 k2 K h2 rank2\n6 0 k3 K h1 rank3\n13 1 V h2 5\n");
	CHECK_U64(t->n_apps, 1);
	CHECK_STR(t->app[0].name, "site");
	REQUIRE(t->n_processes == 2 && t->n_threads == 5 && t->n_nodes == 2);
	CHECK_STR(t->process[0].name, "alpha");
	CHECK_U64(t->process[0].n_threads, 3); /* the host has a variable, so it is one of them */
	CHECK_STR(t->thread[0].name, "alpha");
	CHECK_STR(t->thread[2].name, "rank3");
	CHECK_STR(t->node[t->process[1].node].name, "beta");
	CHECK_STR(t->thread[4].name, "rank2");
	weft_trace_close(t);
	t = open_text(HEAD "0 T 0 Thing\n6 0 a T 0 alone\n6 0 b T 0 other\n");
	CHECK_U64(t->n_apps, 2);
	CHECK_U64(t->n_threads, 2);
	CHECK_STR(t->process[1].name, "other");
	weft_trace_close(t);
}

TEST(names_that_begin_with_their_numbers_lose_them)
{
	struct weft_trace *t = open_text(HEAD "0 A 0 App\n0 P A Proc\n0 T P Thread\n6 0 r A 0 trace\n6 0 a A r \"1 heat\"\n"
	                                      "6 0 p P a \"1.1 heat [pid 4711]\"\n6 0 t T p \"1.1.1 main\"\n6 0 u T p 1.1.2\n");
	CHECK_STR(t->app[0].name, "heat");
	CHECK_STR(t->process[0].name, "heat");
	CHECK_I64(t->process[0].pid, 4711);
	CHECK_STR(t->thread[0].name, "main");
	CHECK_STR(t->thread[1].name, "");
	weft_trace_close(t);
}

/* ---- what is wrong ---- */

static const struct {
	const char *line, *why;
} damaged[] = {
	{"99 1 S t1 a", "expected the number of an event"},
	{"garbage", "expected the number of an event"},
	{"9 1 S t1", "fewer fields than its event has"},
	{"9 1 S t1 \"open", "a quote is not closed"},
	{"9 1 S nobody a", "PajePushState: names a container that is not there"},
	{"9 1 Z t1 a", "PajePushState: names a type that is not defined, or is of another kind"},
	{"9 1 V t1 a", "PajePushState: names a type that is not defined, or is of another kind"},
	{"9 x S t1 a", "PajePushState: expected a time in seconds"},
	{"9 -1 S t1 a", "PajePushState: expected a time in seconds"},
	{"10 1 S t1", "PajePopState: no state of this type is there to be left"},
	{"13 1 V t1 much", "PajeSetVariable: expected a number"},
	{"18 1 L p v t1 k big 0", "PajeStartLink: expected a size in bytes and a tag"},
	{"6 1 t3 Z p three", "PajeCreateContainer: names a type of container that is not defined"},
	{"6 1 t3 T q three", "PajeCreateContainer: names a container that was not created"},
	{"7 1 nobody T", "PajeDestroyContainer: names a container that was not created"},
	{"1 N Z new", "PajeDefineStateType: names a type of container that is not defined"},
	{"5 v Z new", "PajeDefineEntityValue: names a type that is not defined"},
	{"% Time date", "expected 'EventDef NAME NUMBER', a field or 'EndEventDef'"},
	{"%EventDef PajePushState 9", "this number is defined already"},
};

TEST(damaged_lines_are_listed_with_their_places_and_left_out)
{
	for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
		struct weft_buf text = {0};
		weft_buf_printf(&text, "%s%s\n12 2 E t1 x\n", HEAD TYPES OBJECTS, damaged[i].line);
		struct weft_trace *t = open_text(text.at);
		char *got = told(t);
		CHECK_STR(got, "one: 2000 point Event 1=first;\ntwo:");
		if (CHECK_U64(t->n_problems, 1)) {
			uint64_t line = 1;
			for (const char *at = text.at; at < text.at + t->problem[0].offset; at++)
				line += *at == '\n';
			CHECK_STR(t->problem[0].text, damaged[i].why);
			CHECK_U64(t->problem[0].offset, strlen(HEAD TYPES OBJECTS));
			CHECK_U64(t->problem[0].line, line);
			CHECK_U64(t->problem[0].lost_bytes, strlen(damaged[i].line));
		}
		free(got);
		weft_trace_close(t);
		weft_buf_fini(&text);
	}
}

TEST(a_file_that_was_cut_off_is_said_to_be)
{
	struct weft_trace *t = open_text(HEAD TYPES OBJECTS "12 1 E t1 x\n12 2 E t1 1");
	CHECK_U64(t->n_events, 2);
	REQUIRE(t->n_problems == 1);
	CHECK_STR(t->problem[0].text, "the last line has no end: the file was cut off");
	weft_trace_close(t);
}

TEST(time_that_goes_back_is_left_out)
{
	struct weft_trace *t = open_text(HEAD TYPES OBJECTS "12 2 E t1 1\n12 1 E t1 2\n12 1 E t2 3\n");
	CHECK_U64(t->n_events, 2);
	CHECK_U64(t->n_problems, 1);
	weft_trace_close(t);
}

TEST(what_is_no_paje_is_refused)
{
	struct weft_trace *t;
	struct weft_err err = {0};
	char path[4096];
	snprintf(path, sizeof path, "%s/t.paje", test_dir());
	FILE *f = fopen(path, "w");
	REQUIRE(f && fputs("nothing of that kind\n", f) >= 0 && fclose(f) == 0);
	CHECK_I64(weft_trace_open(&t, path, &(struct weft_open_how){.no_index = true}, &err), WEFT_E_SYNTAX);
	CHECK(strstr(err.text, "it defines no events") != NULL);
}

TEST(reading_says_when_memory_is_out)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/t.trace", test_dir());
	FILE *f = fopen(path, "w");
	REQUIRE(f && fputs(HEAD TYPES OBJECTS "8 1 S t1 a\n9 2 S t1 new\n12 3 E t1 text\n13 4 V t1 1.5\n18 5 L p w t1 k 1 2\n",
	                   f) >= 0);
	REQUIRE(fclose(f) == 0);
	struct weft_trace *whole;
	REQUIRE(weft_trace_open(&whole, path, &(struct weft_open_how){.no_index = true, .threads = 1}, NULL) == 0);
	uint64_t n_events = whole->n_events;
	uint32_t n_threads = whole->n_threads, n_problems = whole->n_problems;
	weft_trace_close(whole);
	CHECK(n_events > 3 && n_threads > 0);
	TEST_EACH_ALLOCATION_FAILS {
		struct weft_trace *t = NULL;
		struct weft_err err = {0};
		int rc = weft_trace_open(&t, path, &(struct weft_open_how){.no_index = true, .threads = 1}, &err);
		CHECK((rc == 0) == (t != NULL));
		if (rc)
			CHECK(test_alloc_failed());
		else
			CHECK(t->n_events == n_events && t->n_threads == n_threads && t->n_problems == n_problems);
		weft_trace_close(t);
	}
}
