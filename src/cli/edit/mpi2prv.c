/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mpi2prv, the name of Extrae's own merger, with its options. Several traces stand side by side, each an application of its own: they are put
 * into one, beside the output, which goes again.
 */
#include "convert_like.h"
#include "base/fs.h"
#include "base/log.h"
#include "trace/write/write.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Options of Extrae's merger: how many arguments, and what of it is so here. */
enum merge_option {
	MERGE_INPUT,
	MERGE_OUTPUT,
	MERGE_HELP,
	MERGE_VERBOSE,
	MERGE_SPLIT,
	MERGE_ADDRESSES,
	MERGE_ABSOLUTE,
	MERGE_PERCENT,
	MERGE_KEEP,
	MERGE_ALIGN,
	MERGE_ALWAYS,
	MERGE_NOTHING,
	MERGE_NONE
};
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
	{"-syn-apps", 0, MERGE_ALIGN},
	{"-no-syn", 0, MERGE_NONE},
	{"-maxmem", 1, MERGE_NOTHING},
	{"-paraver", 0, MERGE_ALWAYS},
	{"-dimemas", 0, MERGE_NONE},
	{"-keep-mpits", 0, MERGE_ALWAYS},
	{"-no-keep-mpits", 0, MERGE_NONE},
	{"-trace-overwrite", 0, MERGE_ALWAYS},
	{"-no-trace-overwrite", 0, MERGE_KEEP},
	{"-stop-at-percentage", 1, MERGE_PERCENT},
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
	{"-split-states", 0, MERGE_SPLIT},
	{"-no-split-states", 0, MERGE_ALWAYS},
	{"-skip-sendrecv", 0, MERGE_NONE},
	{"-no-skip-sendrecv", 0, MERGE_ALWAYS},
	{"-unique-caller-id", 0, MERGE_ALWAYS},
	{"-no-unique-caller-id", 0, MERGE_NONE},
	{"-translate-addresses", 0, MERGE_ALWAYS},
	{"-no-translate-addresses", 0, MERGE_ADDRESSES},
	{"-translate-data-addresses", 0, MERGE_NOTHING},
	{"-no-translate-data-addresses", 0, MERGE_NOTHING},
	{"-emit-library-events", 0, MERGE_NONE},
	{"-sort-addresses", 0, MERGE_NOTHING},
	{"-no-sort-addresses", 0, MERGE_NOTHING},
	{"-sort-trace", 0, MERGE_ALWAYS},
	{"-no-sort-trace", 0, MERGE_NOTHING},
	{"-task-view", 0, MERGE_NONE},
	{"-no-task-view", 0, MERGE_ALWAYS},
	{"-absolute-counters", 0, MERGE_ABSOLUTE},
	{"-evtnum", 1, MERGE_NOTHING},
	{"--", 0, MERGE_ALWAYS}, /* each trace is an application */
};
enum { MERGE_OPTIONS = sizeof merge_options / sizeof *merge_options };

static int merge_usage(FILE *to, int status)
{
	fputs("usage: mpi2prv -f TRACE.weft [-f TRACE.weft...] -o OUT.prv [OPTION...]\n"
	      "Writes a trace as Extrae's merger would: .prv, .pcf and .row; several as one, each an application.\n"
	      "Options are those of that program;\n"
	      "each that has no counterpart here is said and left alone. See weft-convert(1).\n",
	      to);
	return status;
}

enum { INPUTS_MOST = 256 };
struct merge_args {
	const char *input[INPUTS_MOST], *output;
	unsigned n_inputs;
	bool verbose, help, keep, align;
	struct weft_extrae_how words;
};

static int take_percent(struct merge_args *m, const char *text)
{
	uint64_t n;
	if (weft_parse_u64(weft_str(text), &n) || n < 1 || n > 99)
		return cli_fail_text("option '-stop-at-percentage': expected 1 to 99, found '%s'", text);
	m->words.percent = (double)n;
	return CLI_OK;
}

static int take_option(struct merge_args *m, enum merge_option what, const char *name, const char *value)
{
	switch (what) {
	case MERGE_INPUT:
		if (m->n_inputs == INPUTS_MOST)
			return cli_fail_text("more than %d traces", INPUTS_MOST);
		m->input[m->n_inputs++] = value;
		break;
	case MERGE_OUTPUT:
		m->output = value;
		break;
	case MERGE_PERCENT:
		return take_percent(m, value);
	case MERGE_NONE:
		weft_log(WEFT_LOG_WARN, "option '%s' has no counterpart here, and is left alone", name);
		break;
	default:
		break;
	}
	m->help |= what == MERGE_HELP;
	m->verbose |= what == MERGE_VERBOSE;
	m->keep |= what == MERGE_KEEP;
	m->align |= what == MERGE_ALIGN;
	m->words.split_states |= what == MERGE_SPLIT;
	m->words.addresses |= what == MERGE_ADDRESSES;
	m->words.absolute |= what == MERGE_ABSOLUTE;
	return CLI_OK;
}

static int read_merge(struct merge_args *m, int argc, char **argv)
{
	int status = CLI_OK;
	for (int i = 1; i < argc && !status; i++) {
		unsigned k = 0;
		while (k < MERGE_OPTIONS && strcmp(argv[i], merge_options[k].name) != 0)
			k++;
		if (k == MERGE_OPTIONS && *argv[i] == '-')
			return cli_fail_text("unknown option '%s' (-h prints help)", argv[i]);
		int n = k < MERGE_OPTIONS ? (int)merge_options[k].arguments : 0;
		if (i + n >= argc)
			return cli_fail_text("option '%s' wants an argument", argv[i]);
		status = take_option(m, k < MERGE_OPTIONS ? merge_options[k].what : MERGE_INPUT, argv[i], argv[i + n]);
		i += n;
	}
	return status;
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

/* All into the folder `whole`, side by side. */
static int put_together(const struct merge_args *m, const struct cli_common *c, const char *whole)
{
	struct weft_trace *t[INPUTS_MOST] = {NULL};
	struct weft_write_how how = {.to = WEFT_NEVER, .memory = c->memory};
	struct weft_err err = {0};
	int status = CLI_OK;
	for (unsigned i = 0; i < m->n_inputs && !status; i++)
		status = cli_open(c, m->input[i], &t[i], NULL);
	if (!status && weft_trace_write((const struct weft_trace *const *)t, m->n_inputs, whole, &how, m->align, true, &err))
		status = cli_fail(&err);
	for (unsigned i = 0; i < m->n_inputs; i++)
		weft_trace_close(t[i]);
	return status;
}

static int merge_several(struct merge_args *m, const struct cli_common *c, const char *output)
{
	char *whole = NULL;
	struct weft_err err = {0};
	if (asprintf(&whole, "%s.%ld.weft", output, (long)getpid()) < 0)
		return cli_fail_code(-ENOMEM);
	m->words.apps = true;
	int status = put_together(m, c, whole);
	status = status ? status : cli_write_extrae(c, whole, output, NULL, &m->words);
	if (weft_remove_tree(whole, &err) && !status)
		status = cli_fail(&err);
	free(whole);
	return status;
}

static int merge(struct merge_args *m, const struct cli_common *c, const char *output)
{
	if (m->keep && access(output, F_OK) == 0)
		return cli_fail_text("'%s' is there already, and is not to be overwritten", output);
	int status = m->n_inputs > 1 ? merge_several(m, c, output) : cli_write_extrae(c, m->input[0], output, NULL, &m->words);
	if (!status && m->verbose)
		printf("mpi2prv: %s was written\n", output);
	return status;
}

int cli_mpi2prv(int argc, char **argv)
{
	struct merge_args m = {.n_inputs = 0};
	struct cli_common c = {.quiet = true};
	weft_log_set(WEFT_LOG_WARN, "mpi2prv");
	int status = read_merge(&m, argc, argv);
	if (status)
		return status;
	if (m.help)
		return merge_usage(stdout, CLI_OK);
	if (!m.n_inputs)
		return merge_usage(stderr, CLI_USAGE);
	char *made = m.output ? NULL : default_output(m.input[0]);
	if (!m.output && !made)
		return cli_fail_code(-ENOMEM);
	status = merge(&m, &c, m.output ? m.output : made);
	free(made);
	return status;
}
