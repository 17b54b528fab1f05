/* SPDX-License-Identifier: Apache-2.0 */
/* The text of views: what expressions become, what is said of a text that is wrong, and that printing and reading agree. */
#include "base/fs.h"
#include "harness.h"
#include "metric/hist/hist.h"
#include "metric/text/text_priv.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int parse(struct weft_view *v, const char *text, struct weft_err *err)
{
	*err = (struct weft_err){0};
	return weft_view_parse(v, text, strlen(text), "v.view", err);
}

static char *print(const struct weft_view *v, bool plain)
{
	struct weft_buf b = {0};
	weft_view_print(v, &(struct weft_print_how){.plain = plain}, &b);
	REQUIRE(!b.failed);
	return b.at;
}

TEST(expressions_become_chains_of_functions)
{
	static const struct {
		const char *text, *printed;
	} cases[] = {
		{"a = state", "a = state\n"},
		{"a = useful()", "a = useful\n"},
		{"a = state == Running", "a = in_state(Running)\n"},
		{"a = state != \"Wait/WaitAll\"", "a = not_in_state(8)\n"},
		{"a = state in (Idle, 4)", "a = in_state(Idle, 4)\n"},
		{"a = state in 2..5", "a = state | in_range(2..5)\n"},
		{"a = value(7) > 2", "a = value(7) | in_range(2.0000000000000004..1.7976931348623157e+308)\n"},
		{"a = value(7) <= 2", "a = value(7) | in_range(-1.7976931348623157e+308..2)\n"},
		{"a = 3 < value(7)", "a = value(7) | in_range(3.0000000000000004..1.7976931348623157e+308)\n"},
		{"a = value(7) != 0", "a = value(7) | sign\n"},
		{"a = value(7) == 0", "a = value(7) | is_zero\n"},
		{"a = value(7) == 3", "a = value(7) | is_equal(3)\n"},
		{"a = value(7) in (1, 2)", "a = value(7) | is_equal(1, 2)\n"},
		{"a = not value(7)", "a = value(7) | is_zero\n"},
		{"a = 2 * value(7) + 1", "a = value(7) | prod(2) | add(1)\n"},
		{"a = 5 - value(7) - 1", "a = value(7) | complement(5) | subtract(1)\n"},
		{"a = 5 / value(7) / 4 % 3", "a = value(7) | inverse_div(5) | div(4) | mod(3)\n"},
		{"a = (1 + 2) * value(7)", "a = value(7) | prod(3)\n"},
		{"a = -value(7)", "a = value(7) | prod(-1)\n"},
		{"a = value(1..5 \"x\")", "a = value(1 .. 5 \"x\")\n"},
		{"a = rate(factor = 1000, PAPI_TOT_INS)", "a = rate(factor = 1000, PAPI_TOT_INS)\n"},
		{"a = value(\"MPI_Send\", 3)", "a = value(\"MPI_Send\", 3)\n"},
		{"a = value(5)[value == \"x\"]", "a = value(5)[value == \"x\"]\n"},
		{"a = value[type > 3, value in 1..2]", "a = value[type > 3, value in 1 .. 2]\n"},
		{"a = value[type == 3 or value none]", "a = value[type == 3 or value none]\n"},
		{"a = comm_size[no logical, physical, no intra, from == (1, 2) or to any, size > 10]",
	         "a = comm_size[no logical, physical, no intra, from == (1, 2) or to any, size > 10]\n"},
		{"a = state | task: max | appl: sum | workload: sum", "a = state | task: max | workload: sum\n"},
		{"a = useful | abs | cpu: active | node: sum", "a = useful | abs | node: sum\n"},
		{"a = useful | node: max | sign", "a = useful | node: max | sign\n"},
		{"a = value | translate(from = (1, 2), to = (3, 4))", "a = value | translate(from = (1, 2), to = (3, 4))\n"},
		{"a = value | select(0..5, 8..9)\n  | floor\n  | sqrt | abs | delta | ceil",
	         "a = value | select(0..5, 8..9) | floor | sqrt | abs | delta | ceil\n"},
		{"a = value {unit ms; y 0..70; colour gradient; draw last average; begin 25%; end 300; zoom 0..3}",
	         "a = value {\n\tunit ms\n\tcolour gradient\n\tdraw last average\n\ty 0..70\n\tbegin part 0.25\n\tend 300\n\tzoom "
	         "0..3\n}\n"},
		{"a = value {rows appl: all; rows thread of 0 1: 1, 0 * 3; at task: child(0) | sign}",
	         "a = value {\n\trows appl: all\n\trows thread of 0 1: 1, 0 * 3\n\tat task: child(0) | sign\n}\n"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct weft_view v;
		struct weft_err err;
		CHECK_I64(parse(&v, cases[i].text, &err), 0);
		CHECK_STR(err.text, "");
		char *text = err.code ? NULL : print(&v, false);
		CHECK_STR(text ? text : "", cases[i].printed);
		free(text);
		weft_view_fini(&v);
	}
}

TEST(operators_on_two_metrics_make_derived_windows)
{
	static const struct {
		const char *text, *operation;
		double factor[2];
		int shift[2];
	} cases[] = {
		{"a = state; b = useful; c = a + b", "add", {1, 1}, {0, 0}},
		{"a = state; b = useful; c = 2 * a - 3 * b", "substract", {2, 3}, {0, 0}},
		{"a = state; b = useful; c = a * 4 * b", "product", {4, 1}, {0, 0}},
		{"a = state; b = useful; c = shift(a, -1) / (2 * shift(b, 3))", "divide", {1, 2}, {-1, 3}},
		{"a = state; b = useful; c = max(a, b)", "maximum", {1, 1}, {0, 0}},
		{"a = state; b = useful; c = sum_per(a, b)", "controlled: add", {1, 1}, {0, 0}},
		{"a = state; b = useful; c = a != b", "different", {1, 1}, {0, 0}},
		{"a = state; b = useful; c = a where b", "product", {1, 1}, {0, 0}},
		{"a = value; b = useful; c = a or b", "maximum", {1, 1}, {0, 0}},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct weft_view v;
		struct weft_err err;
		CHECK_I64(parse(&v, cases[i].text, &err), 0);
		REQUIRE(!err.code && v.n_windows >= 3);
		const struct weft_window *w = &v.window[v.n_windows - 1];
		CHECK(w->derived);
		CHECK_STR(w->metric.operation.func->name, cases[i].operation);
		for (int k = 0; k < 2; k++) {
			CHECK(w->metric.factor[k] == cases[i].factor[k]);
			CHECK_I64(w->metric.shift[k], cases[i].shift[k]);
			CHECK(w->metric.parent[k] == &v.window[w->parents[k]].metric);
		}
		weft_view_fini(&v);
	}
}

/* Of what is 0 or 1 already no sign is taken, however deep it lies under and, or; of all else it is. */
TEST(truths_of_truths_are_taken_as_they_are)
{
	static const struct {
		const char *text;
		unsigned signs;
	} cases[] = {
		{"u = useful; r = state == Running; s = cpu_id == 2; a = (u and r) and s", 0},
		{"u = useful; r = state == Running; s = cpu_id == 2; a = (u or r) and (s or u)", 0},
		{"u = state; r = state == Running; a = u and r", 1},
		{"u = state; r = useful; s = useful; a = (u + r) and s", 1},
		{"u = useful; r = useful; s = useful; a = (2 * u * r) and s", 1},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct weft_view v;
		struct weft_err err;
		unsigned signs = 0;
		CHECK_I64(parse(&v, cases[i].text, &err), 0);
		CHECK_STR(err.code ? err.text : "", "");
		char *text = print(&v, true);
		for (const char *at = text; (at = strstr(at, "| sign")); at++)
			signs++;
		if (!CHECK_U64(signs, cases[i].signs))
			printf("# %s\n%s\n", cases[i].text, text);
		free(text);
		weft_view_fini(&v);
	}
}

TEST(parts_of_an_expression_are_windows_of_their_own)
{
	struct weft_view v;
	struct weft_err err;
	REQUIRE(!parse(&v, "u = state == Running\nipc = rate(PAPI_TOT_INS) / rate(PAPI_TOT_CYC) where u {unit ms}", &err));
	char *text = print(&v, false);
	CHECK_STR(text, "u = in_state(Running)\nipc.1 = rate(PAPI_TOT_INS) {\n\tunit ms\n}\nipc.2 = rate(PAPI_TOT_CYC) {\n\tunit "
	                "ms\n}\nipc.3 = ipc.1 / ipc.2\nipc = ipc.3 * u\n");
	free(text);
	weft_view_fini(&v);
}

TEST(tables_have_statistics_scales_and_planes)
{
	static const char text[] =
		"a = state\nb = value\n\ntable \"t\" = average of b by a planes b {\n"
		"\tscale 0..200 step 1\n\tplane_scale -1..5 step 3\n\tplane 2\n\tsort maximum ascending\n\ttime "
		"window\n\tvertical\n\tshow_empty\n\tlong_labels\n\tonly_totals\n}\n\ntable \"u\" = time_share by a\n";
	struct weft_view v;
	struct weft_err err;
	REQUIRE(!parse(&v, text, &err));
	REQUIRE(v.n_hists == 2);
	const struct weft_hist *h = &v.hist[0];
	CHECK_STR(weft_stat_name(h->stat), "Average value");
	CHECK_U64(h->control, 0);
	CHECK_U64(h->data, 1);
	CHECK_U64(h->extra, 1);
	CHECK(!h->scale.compute && h->scale.max == 200 && h->scale.delta == 1 && h->scale.fixed_delta);
	CHECK(!h->planes.compute && h->planes.min == -1 && h->planes.delta == 3);
	CHECK(h->has_plane && h->plane == 2 && h->sorted && h->reverse && h->sort == WEFT_SORT_MAXIMUM);
	CHECK(h->limits == WEFT_ALL_WINDOW && h->vertical && !h->hide_empty && !h->short_labels && h->only_totals);
	CHECK(v.hist[1].scale.compute && v.hist[1].hide_empty && v.hist[1].data == v.hist[1].control);
	char *again = print(&v, false);
	CHECK_STR(again, text);
	free(again);
	weft_view_fini(&v);
}

TEST(what_is_wrong_is_said_with_its_place_and_the_nearest_name)
{
	static const struct {
		const char *text, *says, *caret;
	} cases[] = {
		{"", "v.view:1:1: no metric in it", ""},
		{"a = ratee(5)", "v.view:1:5: unknown metric or function 'ratee' (did you mean 'rate'?)", "a = ratee(5)\n    ^"},
		{"a = state\n\tb = aa + 1", "v.view:2:6: unknown metric or function 'aa'", "\tb = aa + 1\n\t    ^"},
		{"a = state == Runing", "v.view:1:14: unknown state 'Runing' (did you mean 'Running'?)",
	         "a = state == Runing\n             ^"},
		{"a = state | sing", "v.view:1:13: unknown compose function 'sing' (did you mean 'sign'?)", NULL},
		{"a = state | task: summ", "v.view:1:19: unknown level function 'summ' (did you mean 'sum'?)", NULL},
		{"a = state | thread: sum", "v.view:1:13: expected one of the levels task, appl, workload, cpu, node, system",
	         NULL},
		{"a = state | task: sum | cpu: active", "v.view:1:25: a metric of level 'task' cannot go to level 'cpu'", NULL},
		{"a = PAPI_TOT_INS",
	         "v.view:1:5: 'PAPI_TOT_INS' is a type of events: say value(...), next_value(...) or rate(...) of it", NULL},
		{"a = value(5)[vale == 3]", "v.view:1:14: unknown field of a filter 'vale' (did you mean 'value'?)", NULL},
		{"a = value(5)[from == 1 or size == 3]", "v.view:1:27: expected 'to' behind this 'or'", NULL},
		{"a = value | prod(factr = 3)", "v.view:1:18: unknown parameter 'factr' (did you mean 'factor'?)", NULL},
		{"a = value | select(5)", "v.view:1:19: expected ranges, as in 0..10", NULL},
		{"a = value | abs(5)", "v.view:1:16: 'abs' has no parameters", NULL},
		{"a = value { units ms }", "v.view:1:13: unknown key 'units' (did you mean 'unit'?)", NULL},
		{"a = value { unit mss }", "v.view:1:18: unknown unit 'mss' (did you mean 'ms'?)", NULL},
		{"a = value { unit ms", "v.view:1:20: expected '}', found the end", NULL},
		{"a = 5", "v.view:1:1: 'a' is a number, not a metric", NULL},
		{"a = 5 == 3", "v.view:1:11: two numbers are no metric", NULL},
		{"a = (value", "v.view:1:11: expected ')', found the end", NULL},
		{"a = \"x", "v.view:1:5: the string has no end", NULL},
		{"a = value(\"x\\q\")", "v.view:1:11: an escape is one of \\n \\t \\\\ \\\" \\xHH", NULL},
		{"a = value ! 3", "v.view:1:11: what is '!' here?", NULL},
		{"where = value", "v.view:1:1: 'where' is a word of the language, no name", NULL},
		{"and = value", "v.view:1:1: 'and' is a word of the language, no name", NULL},
		{"or = value", "v.view:1:1: 'or' is a word of the language, no name", NULL},
		{"not = value", "v.view:1:1: 'not' is a word of the language, no name", NULL},
		{"in = value", "v.view:1:1: 'in' is a word of the language, no name", NULL},
		{"shift = value", "v.view:1:1: 'shift' is a word of the language, no name", NULL},
		{"5 = value", "v.view:1:1: expected a metric's name, or table, about, paraver", NULL},
		{"value(5) = state", "v.view:1:1: expected 'name = expression'", "value(5) = state\n^"},
		{"a \"two\\nlines\" = state", "v.view:1:3: a title stands on one line", NULL},
		{"about 5\na = state", "v.view:1:7: expected a text in quotes", NULL},
		{"about \"a\\x0db\"\na = state", "v.view:1:7: a description has neither this in it nor carriage returns", NULL},
		{"about \"x ConfigFile.EndDescription\"\na = state",
	         "v.view:1:7: a description has neither this in it nor carriage returns", NULL},
		{"a = state\nb = state state", "v.view:2:11: expected the end of the statement", NULL},
		{"about \"nothing else\"", "v.view:1:21: no metric in it", NULL},
		{"a234567890123456789012345678901234567890123456789012345678901234 = 5",
	         "v.view:1:1: 'a23456789012345678901234567890123456789012345678901234567890' is a number, not a metric", NULL},
		{"a = value\ntable t = tim by a", "v.view:2:11: unknown statistic 'tim' (did you mean 'time'?)", NULL},
		{"a = value\ntable t = time a", "v.view:2:16: expected 'by', found 'a'", NULL},
		{"a = value { paraver \"window_level task\" }", "v.view:1:21: 'window_level' is said in words of its own", NULL},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct weft_view v;
		struct weft_err err;
		CHECK_I64(parse(&v, cases[i].text, &err), WEFT_E_SYNTAX);
		CHECK_STR(err.text, cases[i].says);
		if (cases[i].caret && *cases[i].caret)
			CHECK_STR(v.caret ? v.caret : "", cases[i].caret);
		weft_view_fini(&v);
	}
}

TEST(a_description_has_any_text_but_its_end)
{
	struct weft_view v;
	struct weft_err err;
	CHECK_I64(
		parse(&v,
	              "about \"ConfigFile.EndDescriptio\" \"two\"\nparaver \"ConfigFile.Version: 3.5\"\nparaver \"Some.Key: of Paraver's\"\na = state\n",
	              &err),
		0);
	CHECK_STR(v.description, "ConfigFile.EndDescriptio\ntwo\n");
	CHECK_STR(v.version, "3.5");
	REQUIRE(v.other.n == 1);
	CHECK_STR(v.other.at[0].key, "Some.Key:");
	CHECK_STR(v.other.at[0].text, "of Paraver's");
	CHECK_U64(v.n_windows, 1);
	CHECK_U64(v.window[0].id, 1);
	weft_view_fini(&v);
}

TEST(deep_nesting_is_refused)
{
	char text[2100] = "a = ";
	struct weft_view v;
	struct weft_err err;
	memset(text + 4, '(', 2000);
	CHECK_I64(parse(&v, text, &err), WEFT_E_SYNTAX);
	CHECK(strstr(err.text, "too deeply nested") != NULL);
	weft_view_fini(&v);
}

static const char everything[] =
	"about \"one\" \"two\"\n\nparaver \"window_x 5\"\n"
	"a \"A title\" = value(5 \"five\", 6)[value > 2] | sign | task: max | abs {\n\tunit s\n\trows task of 0: 1, 0\n"
	"\tparaver \"window_width 600\"\n}\n"
	"b = rate(factor = 2, 7)\nc = (2 * shift(a, 1)) / b | sign | floor | ceil | round | abs\n"
	"\ntable \"t\" = sum_bursts of b by a planes c {\n\tscale auto step 2 zero\n\tparaver \"Analyzer2D.X: 4\"\n}\n";

TEST(printing_and_reading_agree_in_both_formats)
{
	struct weft_view v, again;
	struct weft_err err;
	REQUIRE(!parse(&v, everything, &err));
	char *text = print(&v, false);
	REQUIRE(!parse(&again, text, &err));
	char *twice = print(&again, false);
	CHECK_STR(twice, text);
	weft_view_fini(&again);
	free(twice);
	struct weft_buf cfg = {0};
	weft_view_write(&v, &cfg);
	REQUIRE(!weft_view_read(&again, cfg.at, cfg.n, "v.cfg", &err));
	twice = print(&again, false);
	CHECK_STR(twice, text);
	weft_view_fini(&again);
	weft_buf_fini(&cfg);
	free(twice);
	free(text);
	weft_view_fini(&v);
}

TEST(every_name_is_in_the_documentation)
{
	char *text, z[TEXT_NAME], quoted[TEXT_NAME + 2];
	size_t n;
	struct weft_err err = {0};
	const struct weft_func *f;
	const struct weft_stat *s;
	REQUIRE(!weft_read_file(test_source("docs/views.md"), &text, &n, &err));
	for (unsigned k = 0; k < WEFT_FUNC_KINDS; k++)
		for (unsigned i = 0; (f = weft_func_at(k, i)); i++) {
			const char *name = text_func_name(k, f, z);
			snprintf(quoted, sizeof quoted, "`%s", name);
			if (!strstr(text, quoted))
				CHECK_STR("is not in docs/views.md", name);
			CHECK(text_func_find(k, weft_str(name), quoted) == f);
			CHECK(text_func_find(k, weft_str(f->name), quoted) == f);
		}
	for (unsigned i = 0; (s = weft_stat_at(i)); i++) {
		const char *name = text_stat_name(s, z);
		snprintf(quoted, sizeof quoted, "`%s`", name);
		if (!strstr(text, quoted))
			CHECK_STR("is not in docs/views.md", name);
		CHECK(text_stat_find(weft_str(name), quoted) == s);
	}
	free(text);
}

TEST(memory_that_runs_out_is_said)
{
	TEST_EACH_ALLOCATION_FAILS {
		struct weft_view v;
		struct weft_err err;
		int rc = parse(&v, everything, &err);
		CHECK_I64(rc, test_alloc_failed() ? -12 : 0);
		CHECK_I64(err.code, rc);
		weft_view_fini(&v);
	}
}
