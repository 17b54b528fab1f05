/* SPDX-License-Identifier: Apache-2.0 */
/* Specifications of tunlets: what is accepted, and what is said, where, of the rest. */
#include "tune/derive/derive.h"
#include "harness.h"
#include "base/fs.h"
#include "tune/lang/spec.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Line 9 is the value of an iteration attribute on event E; line 15 the value of the parameter; 17 the function. */
static const char frame[] =
	"TUNLET\nid: t\nunit: ms\nMEASURE POINTS\nVARIABLES AND VALUES\n"
	"variable id: it\nsource: asVarValue\ntype: int\nactorId: w\nendvariable\n"
	"EVENTS\nevent\nid: B\nactorId: w\ncontroliter: begin\nutility: always\nmethod: b\nplace: entry\nATTRS\nid: it\nendevent\n"
	"event\nid: E\nactorId: w\ncontroliter: end\nutility: always\nmethod: b\nplace: exit\nATTRS\nid: it\nendevent\n"
	"ACTORS\nactor\nid: w\nmin: 1\nmax: 4\ncompletion: /# c == 1 #/\nexe: p\nATTRS\n"
	"id: c\ntype: int\ninic: /# c = 0; #/\nvalue: /# w[E.id].c = 1; #/\ndependency: E\n"
	"id: t\ntype: double\ninic: /# t = 0; #/\nvalue: /# w[E.id].t = E.timestamp; #/\ndependency: E\nendactor\n"
	"ITERATION INFORMATION\n"
	"id: k\ntype: int\ninic: /# k = 0; #/\nvalue: /# %s #/\ndependency: E\n"
	"MODEL PARAMETERS\n"
	"id: p\ntype: double\ninic: /# p = 0; #/\nvalue: /# %s #/\ndependency: %s\n"
	"id: q\ntype: double\ninic: /# q = 1; #/\nvalue: /# q = p; #/\ndependency: p\n"
	"PERFORMANCE FUNCTIONS\nfunc def: /# %s #/\nendfunc\nTUNING POINTS\nENDTUNLET\n";

/* The rules of all warnings and errors, each with E or W before it, in the order of the text. */
static char *rules_of(const char *text)
{
	struct weft_spec *s;
	struct weft_buf b = {0};
	REQUIRE(weft_spec_new(&s, "test.txt", text, strlen(text), NULL) == 0);
	for (unsigned i = 0; weft_spec_diag(s, i); i++) {
		const struct weft_diag *d = weft_spec_diag(s, i);
		if (d->severity > WEFT_NOTE)
			weft_buf_printf(&b, "%s%c:%s", b.n ? " " : "", d->severity == WEFT_ERROR ? 'E' : 'W', d->rule);
	}
	weft_spec_free(s);
	weft_buf_puts(&b, "");
	return b.at ? b.at : strdup("");
}

static char *framed(const char *iteration, const char *parameter, const char *dependency, const char *function)
{
	struct weft_buf b = {0};
	/* A value that E carries, and that no variable describes. */
	static char carries[2 * sizeof frame];
	const char *at = iteration && strstr(iteration, "extra") ? strstr(frame, "id: it\nendevent\nACTORS") : NULL;
	snprintf(carries, sizeof carries, "%.*s%s%s", at ? (int)(at - frame) : 0, frame, at ? "id: extra\n" : "",
	         at ? at : frame);
	weft_buf_printf(&b, carries, iteration ? iteration : "iter.k = E.it;", parameter ? parameter : "p = 1;",
	                dependency ? dependency : "none", function ? function : "int f(int a) { return a; }");
	char *got = rules_of(b.at);
	weft_buf_fini(&b);
	return got;
}

static const struct {
	const char *iteration, *parameter, *dependency, *function, *want;
} expressions[] = {
	{0, 0, 0, 0, ""},
	{"iter.k = E.it", 0, 0, 0, "W:semicolon"},
	{"iter.k = (E.it;", 0, 0, 0, "E:unbalanced"},
	{"iter.k = E.it);", 0, 0, 0, "E:unbalanced"},
	{"{ iter.k = E.it;", 0, 0, 0, "E:unbalanced"},
	{"iter.k = E.it; }", 0, 0, 0, "E:unbalanced"},
	{"iter.k = E.nothing;", 0, 0, 0, "E:undeclared"},
	{"iter.kk = E.it;", 0, 0, 0, "E:undeclared"},
	{"iter.k = E.extra;", 0, 0, 0, "W:undeclared-variable E:undeclared-variable"},
	{"iter.k = B.it;", 0, 0, 0, "E:event-data"},
	{"iter.k = E.id % 2;", 0, 0, 0, ""},
	{"iter.k = E.timestamp % 2;", 0, 0, 0, "E:type"},
	{"E.it = 1;", 0, 0, 0, "E:assignment"},
	{"iter.k = w[0].c;", 0, 0, 0, ""},
	{"iter.k = w.c;", 0, 0, 0, "E:no-index"},
	{"k = E.it;", 0, 0, 0, "W:unqualified"},
	{"iter.k = E.it + q;", 0, 0, 0, "W:fraction-lost W:forward"},
	{"for (int i = 0; i < 3; i++) { iter.k = E.it; }", 0, 0, 0, "W:idle-loop"},
	{"int i = 0; do { i++; iter.k = i; } while (i < E.it);", 0, 0, 0, ""},
	{"int a[3]; for (int i = 0; i < 3; i++) a[i] = i; iter.k = a[E.it];", 0, 0, 0, ""},
	{"iter.k = E.it[1];", 0, 0, 0, "E:no-array"},
	{"rem_event(E); iter.k = E.it;", 0, 0, 0, "W:utility"},
	{"add_event(X); iter.k = E.it;", 0, 0, 0, "E:undeclared"},
	{"iter.k = 99999999999999999999;", 0, 0, 0, "E:number"},
	{"iter.k = E.it ? 1 : 2;", 0, 0, 0, ""},
	{0, "p = 1 / count(w);", 0, 0, "E:integer-division"},
	{0, "p = 1.0 / count(w);", 0, 0, ""},
	{0, "p = iter.k / count(w);", 0, 0, "W:integer-division"},
	{0, "p = iter.k / q * q;", "q", 0, "E:cycle W:precedence"},
	{0, "p = sqrt(iter.k) + pow(2, 3);", 0, 0, ""},
	{0, "p = sqrt(iter.k, 2);", 0, 0, "E:arguments"},
	{0, "p = sqroot(iter.k);", 0, 0, "E:undeclared"},
	{0, "for (int i = 0; i < count(w); i++) p += w[i].t;", 0, 0, "W:never-reset"},
	{0, "p = 0; for (int i = 0; i < count(w); i++) p += w[i].t;", 0, 0, ""},
	{0, "q = 2;", 0, 0, "E:wrong-target"},
	{0, "p = E.it;", 0, 0, "E:event-data"},
	{0, "p = f(1);", 0, 0, ""},
	{0, "p = f();", 0, 0, "E:arguments"},
	{0, "p = iter.GetNum_w();", 0, 0, "W:internal-method"},
	{0, 0, 0, "int f(int a) { std::cout << a; }", "E:cpp"},
	{0, 0, 0, "int f(int a) { }", "W:no-return"},
	{0, 0, 0, "int f(int a) { return (a; }", "E:unbalanced"},
	{0, 0, 0, "int f(int a) { struct { int b; } x = {a}; return x.b; }", ""},
	{0, 0, 0, "42", "E:function"},
	{0, 0, 0, "int f(int a) { iter.k = a; return a; }", "W:side-effect"},
};

TEST(expressions_are_diagnosed)
{
	for (size_t i = 0; i < sizeof expressions / sizeof expressions[0]; i++) {
		char *got = framed(expressions[i].iteration, expressions[i].parameter, expressions[i].dependency,
		                   expressions[i].function);
		if (!CHECK_STR(got, expressions[i].want))
			printf("# row %zu: %s %s %s\n", i, expressions[i].iteration ? expressions[i].iteration : "",
			       expressions[i].parameter ? expressions[i].parameter : "",
			       expressions[i].function ? expressions[i].function : "");
		free(got);
	}
}

static const struct {
	const char *text, *want;
} texts[] = {
	{"", "E:empty"},
	{"TUNLET id: t ENDTUNLET", "W:joined-line"},
	{"TUNLET\nid: t\nENDTUNLET\n", ""},
	{"TUNLET\nname: t\nENDTUNLET\nmore", "E:syntax"},
	{"id: t\n", "W:delimiters W:delimiters"},
	{"TUNLET\nid: t\nidd: x\nENDTUNLET\n", "E:unknown-property"},
	{"TUNLET\nid: t\nid: x\nENDTUNLET\n", "W:given-twice"},
	{"TUNLET\nid: t\nVARIABLES AND VALUES\nvariable\nid: v\ntype: quad\nactorId: a\nendvariable\nENDTUNLET\n",
         "W:missing-source E:unknown-word E:undeclared-actor"},
	{"TUNLET\nid: t\nACTORS\nactor\nid: a\nmin: 3\nmax: 2\nexe: x\ncompletion: /# 1 #/\nENDTUNLET\n", "E:unclosed E:number"},
	{"TUNLET\nid: t\nMODEL PARAMETERS\nid: 7up\ntype: int\ninic: /# 0 #/\nvalue: /# 1\nENDTUNLET\n", "E:name E:unclosed"},
	{"TUNLET\nid: t\nEVENTS\nevent\nid: e\nendactor\nendevent\nENDTUNLET\n",
         "E:controliter E:missing-actorId E:missing-method E:missing-place W:missing-controliter W:missing-utility E:misplaced"},
	{"TUNLET\nid: t\nTUNING POINTS\npoint\nid: v\nvalue: /# 1 #/\nendpoint\nENDTUNLET\n",
         "E:undeclared-variable W:missing-kind"},
};

TEST(structure_is_diagnosed)
{
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		char *got = rules_of(texts[i].text);
		if (!CHECK_STR(got, texts[i].want))
			printf("# row %zu\n", i);
		free(got);
	}
}

TEST(a_diagnosis_has_its_place)
{
	static const char text[] = "TUNLET\nid: t\n  idd: x\nENDTUNLET\n";
	struct weft_spec *s;
	REQUIRE(weft_spec_new(&s, "a.tsl", text, sizeof text - 1, NULL) == 0);
	const struct weft_diag *d = weft_spec_diag(s, 1); /* behind the one about the file's name */
	REQUIRE(d != NULL);
	CHECK_U64(d->line, 3);
	CHECK_U64(d->col, 3);
	CHECK_U64(d->n, 3);
	CHECK_STR(d->rule, "unknown-property");
	weft_spec_free(s);
}

/* The first diagnosis by that rule. */
static const struct weft_diag *diag_by(const struct weft_spec *s, const char *rule)
{
	const struct weft_diag *d;
	for (unsigned i = 0; (d = weft_spec_diag(s, i)); i++)
		if (strcmp(d->rule, rule) == 0)
			return d;
	return NULL;
}

/* Where each is said, and with which correction. */
TEST(places_and_corrections)
{
	static const struct {
		const char *parameter, *rule, *text, *fix;
		uint32_t line;
	} rows[] = {
		{"p = 100/(q-q);", "integer-division", "divides whole numbers", "100.0/(q-q)", 61},
		{"p = (q+1)*100/(q-q);", "integer-division", "its fraction is lost", "(q+1)*100/(double)(q-q)", 61},
		{"p = q/(q+1)*(q+2);", "precedence", "multiplies by '(q+2)'", "q/((q+1)*(q+2))", 61},
		{"p = q;", "cycle", "p needs q needs p", NULL, 58},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct weft_buf b = {0};
		struct weft_spec *s;
		char text[sizeof frame];
		snprintf(text, sizeof text, "%s", frame);
		/* q is a whole number; and in the last row it depends on p. */
		if (i < 3)
			memcpy(strstr(text, "id: q\ntype: double"), "id: q\ntype:    int", strlen("id: q\ntype: double"));
		if (i < 3)
			memcpy(strstr(text, "value: /# q = p; #/\ndependency: p"), "value: /# q = 1; #/\ndependency: k",
			       strlen("value: /# q = p; #/\ndependency: p"));
		weft_buf_printf(&b, text, "iter.k = E.it;", rows[i].parameter, "none", "int f(int a) { return a; }");
		REQUIRE(weft_spec_new(&s, "t.tsl", b.at, b.n, NULL) == 0);
		const struct weft_diag *d = diag_by(s, rows[i].rule);
		if (!CHECK(d != NULL))
			weft_spec_report(s, WEFT_NOTE, stdout);
		if (d) {
			CHECK_U64(d->line, rows[i].line);
			CHECK(strstr(d->text, rows[i].text) != NULL || !printf("# %s\n", d->text));
			CHECK(!rows[i].fix || (d->fix && !strcmp(d->fix, rows[i].fix)) || !printf("# %s\n", d->fix));
		}
		weft_spec_free(s);
		weft_buf_fini(&b);
	}
	/* What is missing at the end is missing in the last line that there is. */
	static const char open[] = "TUNLET\nid: t\nTUNING POINTS\n\n";
	struct weft_spec *s;
	REQUIRE(weft_spec_new(&s, "t.tsl", open, sizeof open - 1, NULL) == 0);
	const struct weft_diag *d = diag_by(s, "delimiters");
	CHECK(d && d->line == 3);
	weft_spec_free(s);
}

/* -- depth and length have limits, never the stack -- */

/* What costs too much is said once, in few words, however long it is. */
TEST(a_kilobyte_costs_little)
{
	static const char *const forms[][2] = {{"(", ")"}, {"1+", ""}, {"1?2:", ""}, {"{", "}"}, {"if(1)", ""}, {"for(;;)", ""}};
	for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
		struct weft_buf b = {0}, text = {0};
		struct weft_spec *s;
		char *said = NULL;
		size_t n = 0;
		for (int k = 0; k < 100000; k++)
			weft_buf_puts(&b, forms[i][0]);
		weft_buf_puts(&b, "1");
		for (int k = 0; k < 100000; k++)
			weft_buf_puts(&b, forms[i][1]);
		weft_buf_printf(&text, frame, b.at, "p = 1;", "none", "int f(int a) { return a; }");
		REQUIRE(weft_spec_new(&s, "t.tsl", text.at, text.n, NULL) == 0);
		if (!CHECK_U64(weft_spec_count(s, WEFT_ERROR), 1))
			printf("# %s\n", forms[i][0]);
		FILE *to = open_memstream(&said, &n);
		weft_spec_report(s, WEFT_WARNING, to);
		fclose(to);
		CHECK(n < 4000);
		free(said);
		weft_spec_free(s);
		weft_buf_fini(&text);
		weft_buf_fini(&b);
	}
}

TEST(nesting_is_limited)
{
	static const char *const forms[][2] = {{"(", ")"}, {"-", ""},  {"1+", ""},   {"q.", ""},
	                                       {"1,", ""}, {"{", "}"}, {"if(1)", ""}};
	for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
		struct weft_buf b = {0};
		for (int k = 0; k < 20000; k++)
			weft_buf_puts(&b, forms[i][0]);
		weft_buf_puts(&b, "1;");
		for (int k = 0; k < 20000; k++)
			weft_buf_puts(&b, forms[i][1]);
		char *got = framed(b.at, 0, 0, 0);
		CHECK(strstr(got, "E:depth") != NULL);
		free(got);
		weft_buf_fini(&b);
	}
}

TEST(a_specification_has_a_limit)
{
	struct weft_spec *s;
	struct weft_err err = {0};
	size_t n = (1 << 20) + 1;
	char *text = malloc(n);
	REQUIRE(text != NULL);
	memset(text, ' ', n);
	CHECK(weft_spec_new(&s, "big", text, n, &err) == WEFT_E_LIMIT);
	CHECK(s == NULL);
	CHECK(weft_spec_new(&s, "big", text, n - 1, NULL) == 0);
	weft_spec_free(s);
	free(text);
}

TEST(each_failed_allocation_is_reported)
{
	char *text;
	size_t n;
	REQUIRE(weft_read_file(test_source("tests/golden/tunlets/loadbalance.tsl"), &text, &n, NULL) == 0);
	TEST_EACH_ALLOCATION_FAILS {
		struct weft_spec *s;
		int rc = weft_spec_new(&s, "x", text, n, NULL);
		if (rc)
			CHECK(test_alloc_failed() && rc == -ENOMEM);
		else
			CHECK_STR(weft_spec_name(s), "nworkers");
		CHECK((rc == 0) == (s != NULL));
		weft_spec_free(s);
	}
	free(text);
}

/* The spellings of the thesis' text and figures, where they are not those of its grammar. */
TEST(variants_are_noted_and_accepted)
{
	static const char text[] =
		"TUNLET\nname: v\nunit: ms\nMEASURE POINTS\nVARIABLES AND VALUES\n"
		"variable\nid: x\nsource: asVarValue\ntype: int\nactorld: a\nendvariable\nEVENTS\n"
		"event\nid: B\nactorId: a\ncontroliter: begin\nutility: eval\nmethod: f\nclass:\nplace: entry\nendevent\n"
		"event\nid: E\nactorId: a\ncontroliter: end\nutility: always\nmethod: f\nclass: none\nplace: exit\nATTRS:\nid: x\nendevent\n"
		"ACTORS\nactor\nid: a\nmin: 1\nmax: 1\ncompletion: a.last > 0\nclass: C, D\nexe: a\nATTRS:\n"
		"name: last\ntype: double\ninit: last=0.0\nvalue: if(E.timestamp>a.last || a.last==0.0)\n  a.last= E.timestamp;\n"
		"cumm: true\ndependency: E\nendactor\n"
		"PERFORMANCE FUNCTION\nfunction\ndef: int pf()\n{ return 1; }\nendfunction\n"
		"TUNING POINTS\npoint\nid: g\nvalue: /# 1 #/\nkind: RemoveFunctionCall\nsyncfunction:0\nsyncplace:0\ncond:/#true#/\nendpoint\nENDTUNLET\n";
	static const char *const want[] = {"variant-label", "variant-word", "variant-keyword", "bare-code", "class-list",
	                                   "implied-index", "unqualified",  "no-sync",         "truth"};
	struct weft_spec *s;
	REQUIRE(weft_spec_new(&s, "v.txt", text, sizeof text - 1, NULL) == 0);
	for (unsigned i = 0; weft_spec_diag(s, i); i++)
		if (!CHECK(weft_spec_diag(s, i)->severity == WEFT_NOTE || strcmp(weft_spec_diag(s, i)->rule, "semicolon") == 0))
			printf("# %s: %s\n", weft_spec_diag(s, i)->rule, weft_spec_diag(s, i)->text);
	for (size_t k = 0; k < sizeof want / sizeof want[0]; k++) {
		bool found = false;
		for (unsigned i = 0; weft_spec_diag(s, i); i++)
			found |= strcmp(weft_spec_diag(s, i)->rule, want[k]) == 0;
		if (!CHECK(found))
			printf("# no %s\n", want[k]);
	}
	weft_spec_free(s);
}
