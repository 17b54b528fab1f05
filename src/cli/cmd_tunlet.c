/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `weft tunlet`: specifications of tunlets, before any program runs under them. The first operand says what to do; each of
 * those is a row of a table.
 */
#include "cli.h"
#include "base/log.h"
#include "tune/spec.h"
#include <stdlib.h>
#include <string.h>

struct args {
	struct cli_common common;
	bool notes;
};

static const struct weft_opt options[] = {
	{'a', "all", NULL, WEFT_OPT_FLAG, offsetof(struct args, notes),
         "check: print notes, too: variants that are accepted silently"},
	{0, "json", NULL, WEFT_OPT_FLAG, offsetof(struct cli_common, json), "check, explain: print JSON"},
	{'q', "quiet", NULL, WEFT_OPT_FLAG, offsetof(struct cli_common, quiet), "print errors only"},
	{0},
};

/* The specification; its warnings and errors go to stderr. NULL after a message. */
static struct weft_spec *open_spec(const struct args *a, const char *path, int *status)
{
	struct weft_err err = {0};
	struct weft_spec *s;
	*status = CLI_OK;
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

static int run_check(const struct args *a, const char *path)
{
	struct weft_err err = {0};
	struct weft_spec *s;
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

static int run_explain(const struct args *a, const char *path)
{
	int status;
	struct weft_spec *s = open_spec(a, path, &status);
	if (!s)
		return status;
	if (a->common.json)
		weft_spec_explain_json(s, stdout);
	else
		weft_spec_explain(s, stdout);
	weft_spec_free(s);
	return status;
}

static int run_new(const struct args *a, const char *name)
{
	(void)a;
	weft_spec_template(name, stdout);
	return CLI_OK;
}

static const struct {
	const char *name;
	int (*run)(const struct args *a, const char *operand);
} verbs[] = {{"check", run_check}, {"explain", run_explain}, {"new", run_new}};
enum { VERBS = sizeof verbs / sizeof verbs[0] };

static int run(int argc, char **argv)
{
	struct args a = {0};
	const char *known[VERBS];
	int n;
	if (!cli_parse(&weft_command_tunlet, &a, argc, argv, &n))
		return CLI_USAGE;
	cli_talk(&a.common, argv[0]);
	if (!cli_operands(&weft_command_tunlet, argv, n, 2, 2))
		return CLI_USAGE;
	for (int i = 0; i < VERBS; i++) {
		known[i] = verbs[i].name;
		if (strcmp(argv[1], verbs[i].name) == 0)
			return verbs[i].run(&a, argv[2]);
	}
	const char *near = weft_nearest(argv[1], known, VERBS);
	if (near)
		return cli_usage(&weft_command_tunlet, "cannot '%s' a tunlet (did you mean '%s'?)", argv[1], near);
	return cli_usage(&weft_command_tunlet, "cannot '%s' a tunlet", argv[1]);
}

const struct weft_command weft_command_tunlet = {
	.name = "tunlet",
	.operands = "ACTION SPEC",
	.summary = "check, explain and translate tunlet specifications",
	.about = "Works on specifications of tunlets: what to measure in a running program, a model\n"
		 "of its performance, and what to change (see weft-tunlet-language(7)).\n"
		 "\n"
		 "  check SPEC    say what is wrong, unclear or unusual in it, with corrections\n"
		 "  explain SPEC  say when and where each value is computed, and what travels\n"
		 "  new NAME      print a specification to start from\n"
		 "\n"
		 "The exit status is 2 when the specification has errors.\n"
		 "\n"
		 "Examples:\n"
		 "    weft tunlet new mine >mine.tsl\n"
		 "    weft tunlet check mine.tsl\n"
		 "    weft tunlet explain mine.tsl",
	.options = options,
	.run = run,
};
