/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `weft tunlet`: specifications of tunlets, before any program runs under them. The first operand says what to do; each of
 * those is a row of a table.
 */
#include "tune/derive/derive.h"
#include "tune_run.h"
#include "base/log.h"
#include "tune/eval/eval.h"
#include "tune/gen/gen.h"
#include "tune/lang/spec.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct args {
	struct cli_common common;
	bool notes, xml, c;
	const char *output, *handlers;
	uint64_t limit_ns;
};

static const struct weft_opt options[] = {
	{'a', "all", NULL, WEFT_OPT_FLAG, offsetof(struct args, notes),
         "check: print notes, too: variants that are accepted silently"},
	{0, "json", NULL, WEFT_OPT_FLAG, offsetof(struct cli_common, json), "check, explain: print JSON"},
	{0, "xml", NULL, WEFT_OPT_FLAG, offsetof(struct args, xml), "compile: write the intermediate form in XML"},
	{0, "c", NULL, WEFT_OPT_FLAG, offsetof(struct args, c), "compile: write the translation to C"},
	{'o', "output", "FILE", WEFT_OPT_STRING, offsetof(struct args, output),
         "compile: write to FILE (default: stdout, NAME.so)"},
	{0, "handlers", "FILE", WEFT_OPT_STRING, offsetof(struct args, handlers),
         "try: the handlers of a tunlet written by hand (a shared object)"},
	{0, "limit", "TIME", WEFT_OPT_NS, offsetof(struct args, limit_ns),
         "try: end a computation that takes longer (default: 1s)"},
	{'q', "quiet", NULL, WEFT_OPT_FLAG, offsetof(struct cli_common, quiet), "print errors only"},
	{0},
};

/* The specification; its warnings and errors go to stderr. NULL after a message. */
static struct weft_spec *open_spec(const struct args *a, const char *given, int *status)
{
	char path[PATH_MAX];
	struct weft_err err = {0};
	struct weft_spec *s;
	*status = CLI_OK;
	tune_find_tunlet(given, path, sizeof path);
	if (cli_check_input(path) || weft_spec_open(&s, path, &err)) {
		*status = err.code ? cli_fail(&err) : CLI_USAGE;
		return NULL;
	}
	if (weft_spec_count(s, WEFT_ERROR)) {
		weft_spec_report(s, a->common.quiet ? WEFT_ERROR : WEFT_WARNING, stderr);
		*status = CLI_USAGE;
	}
	return s;
}

static int run_check(const struct args *a, char **operand)
{
	char path[PATH_MAX];
	struct weft_err err = {0};
	struct weft_spec *s;
	tune_find_tunlet(operand[0], path, sizeof path);
	enum weft_severity least = a->common.quiet ? WEFT_ERROR : a->notes ? WEFT_NOTE : WEFT_WARNING;
	if (cli_check_input(path))
		return CLI_USAGE;
	if (weft_spec_open(&s, path, &err))
		return cli_fail(&err);
	unsigned n[] = {weft_spec_count(s, WEFT_NOTE), weft_spec_count(s, WEFT_WARNING), weft_spec_count(s, WEFT_ERROR)};
	if (a->common.json) {
		weft_spec_report_json(s, a->notes ? WEFT_NOTE : least, stdout);
	} else {
		weft_spec_report(s, least, stdout);
		if (!a->common.quiet)
			printf("%s: tunlet '%s': %u error%s, %u warning%s, %u note%s%s\n", path, weft_spec_name(s), n[2],
			       n[2] == 1 ? "" : "s", n[1], n[1] == 1 ? "" : "s", n[0], n[0] == 1 ? "" : "s",
			       n[0] && !a->notes ? " (shown with --all)" : "");
	}
	weft_spec_free(s);
	return n[2] ? CLI_USAGE : CLI_OK;
}

static int run_explain(const struct args *a, char **operand)
{
	int status;
	struct weft_spec *s = open_spec(a, operand[0], &status);
	if (!s)
		return status;
	if (a->common.json)
		weft_spec_explain_json(s, stdout);
	else
		weft_spec_explain(s, stdout);
	weft_spec_free(s);
	return status;
}

static int run_new(const struct args *a, char **operand)
{
	(void)a;
	weft_spec_template(operand[0], stdout);
	return CLI_OK;
}

/* -- compile -- */

static int write_text(const char *path, const struct weft_buf *text)
{
	struct weft_err err = {0};
	struct weft_out o;
	if (weft_out_open(&o, path, &err))
		return cli_fail(&err);
	fwrite(text->at, 1, text->n, o.to);
	return weft_out_commit(&o, &err) ? cli_fail(&err) : CLI_OK;
}

static int write_form(const struct args *a, struct weft_spec *s)
{
	struct tune_source t = {0};
	int rc = a->xml ? weft_spec_xml(s, &t.text) : tune_translate(s, TUNE_WHOLE, &t);
	int status = rc ? cli_fail_code(rc) : write_text(a->output ? a->output : "-", &t.text);
	tune_source_fini(&t);
	return status;
}

static int run_compile(const struct args *a, char **operand)
{
	struct weft_err err = {0};
	int status;
	struct weft_spec *s = open_spec(a, operand[0], &status);
	if (!s)
		return status;
	if (status == CLI_OK && (a->xml || a->c)) {
		status = write_form(a, s);
	} else if (status == CLI_OK) {
		char path[300];
		snprintf(path, sizeof path, "%.290s.so", weft_spec_name(s));
		if (tune_compile(s, TUNE_WHOLE, a->output ? a->output : path, &err))
			status = cli_fail(&err);
	}
	weft_spec_free(s);
	return status;
}

int cli_tg(int argc, char **argv)
{
	struct args a = {0};
	if (argc == 2 && argv[1][0] != '-')
		return run_compile(&a, argv + 1);
	weft_log(WEFT_LOG_ERROR, "expected a specification: TG SPEC");
	return CLI_USAGE;
}

/* -- try -- */

struct trial {
	struct weft_spec *s;
	struct weft_eval *e;
};

static void print_said(void *ctx, const struct weft_eval_result *what)
{
	struct trial *t = ctx;
	weft_eval_result_print(t->s, t->e, what, stdout);
	fflush(stdout);
}

static int run_try(const struct args *a, char **operand)
{
	struct weft_err err = {0};
	struct trial t = {0};
	struct weft_eval_how how = {.result = print_said, .ctx = &t, .limit_ns = a->limit_ns, .handlers = a->handlers};
	int status;
	t.s = open_spec(a, operand[0], &status);
	if (!t.s)
		return status;
	if (status == CLI_OK && (weft_eval_new(&t.e, t.s, &how, &err) || weft_eval_script(t.e, t.s, operand[1], &err)))
		status = cli_fail(&err);
	weft_eval_free(t.e);
	weft_spec_free(t.s);
	return status;
}

static const struct {
	const char *name;
	int operands;
	int (*run)(const struct args *a, char **operand);
} verbs[] = {{"check", 1, run_check},
             {"explain", 1, run_explain},
             {"new", 1, run_new},
             {"compile", 1, run_compile},
             {"try", 2, run_try}};
enum { VERBS = sizeof verbs / sizeof verbs[0] };

static int run(int argc, char **argv)
{
	struct args a = {0};
	const char *known[VERBS];
	int n;
	if (!cli_parse(&weft_command_tunlet, &a, argc, argv, &n))
		return CLI_USAGE;
	cli_talk(&a.common, argv[0]);
	if (!cli_operands(&weft_command_tunlet, argv, n, 2, 3))
		return CLI_USAGE;
	for (int i = 0; i < VERBS; i++) {
		known[i] = verbs[i].name;
		if (strcmp(argv[1], verbs[i].name) != 0)
			continue;
		if (n != 1 + verbs[i].operands)
			return cli_usage(&weft_command_tunlet, "'%s' takes %d operand%s", argv[1], verbs[i].operands,
			                 verbs[i].operands == 1 ? "" : "s");
		return verbs[i].run(&a, argv + 2);
	}
	const char *near = weft_nearest(argv[1], known, VERBS);
	if (near)
		return cli_usage(&weft_command_tunlet, "cannot '%s' a tunlet (did you mean '%s'?)", argv[1], near);
	return cli_usage(&weft_command_tunlet, "cannot '%s' a tunlet", argv[1]);
}

const struct weft_command weft_command_tunlet = {
	.name = "tunlet",
	.operands = "ACTION OPERAND...",
	.summary = "check, explain and translate tunlet specifications",
	.about = "Works on specifications of tunlets: what to measure in a running program, a model\n"
		 "of its performance, and what to change (see weft-tunlet-language(7)).\n"
		 "\n"
		 "  check SPEC       say what is wrong, unclear or unusual in it, with corrections\n"
		 "  explain SPEC     say when and where each value is computed, and what travels\n"
		 "  new NAME         print a specification to start from\n"
		 "  compile SPEC     translate it: to a shared object, to C (--c) or XML (--xml)\n"
		 "  try SPEC EVENTS  feed it events from a text, and print what it decides\n"
		 "\n"
		 "The exit status is 2 when the specification has errors.\n"
		 "\n"
		 "Examples:\n"
		 "    weft tunlet new mine >mine.tsl\n"
		 "    weft tunlet check mine.tsl\n"
		 "    weft tunlet explain mine.tsl\n"
		 "    weft tunlet try mine.tsl events.txt",
	.options = options,
	.run = run,
};
