/* SPDX-License-Identifier: Apache-2.0 */
/* `weft convert --like extrae`, and mpi2prv, the name of Extrae's own merger, with its options. */
#include "convert_like.h"
#include "base/log.h"
#include "likeextrae/like.h"
#include "trace/write/export.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int write_like(const struct cli_common *c, const struct weft_trace *t, const char *output, const char *symbols)
{
	struct weft_symbols_how where = {.root = symbols};
	struct weft_extrae_how how = {.memory = c->memory, .own_threads = c->own_threads};
	struct weft_export_how export = {.progress = !c->quiet, .force = true, .memory = c->memory};
	struct weft_symbols *s;
	struct weft_trace *like = NULL;
	struct weft_err err = {0};
	if (weft_symbols_new(&s, t, &where))
		return cli_fail_code(-ENOMEM);
	int rc = weft_extrae_make(&like, t, s, &how, &err);
	for (uint32_t i = 0; !rc && i < weft_symbols_n_problems(s); i++)
		weft_log(WEFT_LOG_WARN, "%s", weft_symbols_problem(s, i));
	weft_symbols_free(s);
	if (!rc)
		rc = weft_export_prv(like, output, &export, &err);
	weft_trace_close(like);
	return rc ? cli_fail(&err) : CLI_OK;
}

int cli_write_extrae(const struct cli_common *c, const char *path, const char *output, const char *symbols)
{
	struct weft_trace *t;
	int status = cli_open(c, path, &t, NULL);
	if (status)
		return status;
	if (t->def[WEFT_CLASS_STATE].n > 1 && !strcmp(t->format, "prv"))
		status = cli_fail_text("'%s' is a trace of Paraver already", path);
	else
		status = write_like(c, t, output, symbols);
	weft_trace_close(t);
	return status;
}

/* ---- mpi2prv ---- */

/* Options of Extrae's merger: how many arguments, and what of it is so here. */
enum merge_option { MERGE_INPUT, MERGE_OUTPUT, MERGE_HELP, MERGE_VERBOSE, MERGE_ALWAYS, MERGE_NOTHING, MERGE_NONE };
static const struct {
	const char *name;
	unsigned arguments;
	enum merge_option what; /* ALWAYS: so it is; NOTHING: there is nothing to do; NONE: has no counterpart, which is said */
} merge_options[] = {
	{"-f", 1, MERGE_INPUT},
	{"-f-relative", 1, MERGE_INPUT},
	{"-f-absolute", 1, MERGE_INPUT},
	{"-o", 1, MERGE_OUTPUT},
	{"-h", 0, MERGE_HELP},
	{"--help", 0, MERGE_HELP},
	{"-v", 0, MERGE_VERBOSE},
	{"-e", 1, MERGE_NOTHING},
	{"-c", 1, MERGE_NOTHING},
	{"-s", 1, MERGE_NONE},
	{"-syn-by-node", 0, MERGE_ALWAYS},
	{"-syn", 0, MERGE_ALWAYS},
	{"-syn-by-task", 0, MERGE_NONE},
	{"-syn-apps", 0, MERGE_NONE},
	{"-no-syn", 0, MERGE_NONE},
	{"-maxmem", 1, MERGE_NOTHING},
	{"-paraver", 0, MERGE_ALWAYS},
	{"-dimemas", 0, MERGE_NONE},
	{"-keep-mpits", 0, MERGE_ALWAYS},
	{"-no-keep-mpits", 0, MERGE_NONE},
	{"-trace-overwrite", 0, MERGE_ALWAYS},
	{"-no-trace-overwrite", 0, MERGE_NONE},
	{"-stop-at-percentage", 1, MERGE_NONE},
	{"-xyzt", 0, MERGE_NONE},
	{"-no-xyzt", 0, MERGE_ALWAYS},
	{"-tree-fan-out", 1, MERGE_NOTHING},
	{"-cyclic", 0, MERGE_NOTHING},
	{"-block", 0, MERGE_NOTHING},
	{"-size", 0, MERGE_NOTHING},
	{"-consecutive-size", 0, MERGE_NOTHING},
	{"-use-disk-for-comms", 0, MERGE_NOTHING},
	{"-no-use-disk-for-comms", 0, MERGE_NOTHING},
	{"-d", 0, MERGE_NONE},
	{"-dump", 0, MERGE_NONE},
	{"-no-dump", 0, MERGE_ALWAYS},
	{"-dump-time", 0, MERGE_NONE},
	{"-no-dump-time", 0, MERGE_ALWAYS},
	{"-dump-symtab", 0, MERGE_NONE},
	{"-no-dump-symtab", 0, MERGE_ALWAYS},
	{"-remove-files", 0, MERGE_NONE},
	{"-no-remove-files", 0, MERGE_ALWAYS},
	{"-split-states", 0, MERGE_NONE},
	{"-no-split-states", 0, MERGE_ALWAYS},
	{"-skip-sendrecv", 0, MERGE_NONE},
	{"-no-skip-sendrecv", 0, MERGE_ALWAYS},
	{"-unique-caller-id", 0, MERGE_ALWAYS},
	{"-no-unique-caller-id", 0, MERGE_NONE},
	{"-translate-addresses", 0, MERGE_ALWAYS},
	{"-no-translate-addresses", 0, MERGE_NONE},
	{"-translate-data-addresses", 0, MERGE_NOTHING},
	{"-no-translate-data-addresses", 0, MERGE_NOTHING},
	{"-emit-library-events", 0, MERGE_NONE},
	{"-sort-addresses", 0, MERGE_NOTHING},
	{"-no-sort-addresses", 0, MERGE_NOTHING},
	{"-sort-trace", 0, MERGE_ALWAYS},
	{"-no-sort-trace", 0, MERGE_NONE},
	{"-task-view", 0, MERGE_NONE},
	{"-no-task-view", 0, MERGE_ALWAYS},
	{"-absolute-counters", 0, MERGE_NONE},
	{"-evtnum", 1, MERGE_NOTHING},
};
enum { MERGE_OPTIONS = sizeof merge_options / sizeof *merge_options };

static int merge_usage(FILE *to, int status)
{
	fputs("usage: mpi2prv -f TRACE.weft -o OUT.prv [OPTION...]\n"
	      "Writes a trace as Extrae's merger would: .prv, .pcf and .row. Options are those of that program;\n"
	      "each that has no counterpart here is said and left alone. See weft-convert(1).\n",
	      to);
	return status;
}

struct merge_args {
	const char *input, *output;
	bool verbose, help;
};

static int read_merge(struct merge_args *m, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		unsigned k = 0;
		while (k < MERGE_OPTIONS && strcmp(argv[i], merge_options[k].name) != 0)
			k++;
		if (k == MERGE_OPTIONS && *argv[i] == '-')
			return cli_fail_text("unknown option '%s' (-h prints help)", argv[i]);
		if (k < MERGE_OPTIONS && i + (int)merge_options[k].arguments >= argc)
			return cli_fail_text("option '%s' wants an argument", argv[i]);
		enum merge_option what = k < MERGE_OPTIONS ? merge_options[k].what : MERGE_INPUT;
		const char *value = argv[i + (int)(k < MERGE_OPTIONS ? merge_options[k].arguments : 0)];
		if (what == MERGE_NONE)
			weft_log(WEFT_LOG_WARN, "option '%s' has no counterpart here, and is left alone", argv[i]);
		if (what == MERGE_INPUT && m->input)
			return cli_fail_text("'%s' and '%s': one trace at a time (weft merge puts several into one)", m->input,
			                     value);
		m->input = what == MERGE_INPUT ? value : m->input;
		m->output = what == MERGE_OUTPUT ? value : m->output;
		m->help |= what == MERGE_HELP;
		m->verbose |= what == MERGE_VERBOSE;
		i += k < MERGE_OPTIONS ? (int)merge_options[k].arguments : 0;
	}
	return CLI_OK;
}

/* The name that the trace has, with .prv behind it. */
static char *default_output(const char *input)
{
	size_t n = strlen(input);
	while (n > 1 && input[n - 1] == '/')
		n--;
	if (n > 5 && !strncmp(input + n - 5, ".weft", 5))
		n -= 5;
	char *out = malloc(n + 5);
	if (out) {
		memcpy(out, input, n);
		strcpy(out + n, ".prv");
	}
	return out;
}

int cli_mpi2prv(int argc, char **argv)
{
	struct merge_args m = {0};
	struct cli_common c = {.quiet = true};
	weft_log_set(WEFT_LOG_WARN, "mpi2prv");
	int status = read_merge(&m, argc, argv);
	if (status)
		return status;
	if (m.help)
		return merge_usage(stdout, CLI_OK);
	if (!m.input)
		return merge_usage(stderr, CLI_USAGE);
	char *made = m.output ? NULL : default_output(m.input);
	if (!m.output && !made)
		return cli_fail_code(-ENOMEM);
	const char *output = m.output ? m.output : made;
	status = cli_write_extrae(&c, m.input, output, NULL);
	if (!status && m.verbose)
		printf("mpi2prv: %s was written\n", output);
	free(made);
	return status;
}
