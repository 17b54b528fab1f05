/* SPDX-License-Identifier: Apache-2.0 */
/* `weft convert`: a trace in another format, picked by --to or by the output's name. */
#include "convert_like.h"
#include "base/log.h"
#include "symbols/symbols.h"
#include "trace/write/export.h"
#include "trace/store/cursor.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct args {
	struct cli_common common;
	const char *output, *format, *like, *openmp, *symbols;
	bool force, list;
};

static const struct weft_opt options[] = {
	{'o', "output", "OUT", WEFT_OPT_STRING, offsetof(struct args, output),
         "write OUT; '-' is stdout, for formats that are one text"},
	{0, "to", "FORMAT", WEFT_OPT_STRING, offsetof(struct args, format), "the format of OUT (default: by its name)"},
	{0, "like", "TOOL", WEFT_OPT_STRING, offsetof(struct args, like),
         "as TOOL would have recorded it: extrae, in its types, values and states (.prv)"},
	{0, "openmp", "WORDS", WEFT_OPT_STRING, offsetof(struct args, openmp),
         "with --like extrae: classic (default) or new, in these event types; dependencies, of tasks, as communications; with commas between"},
	{0, "symbols", "DIR", WEFT_OPT_STRING, offsetof(struct args, symbols),
         "look for executables and libraries below DIR first, for names in stacks"},
	{0, "list-formats", NULL, WEFT_OPT_FLAG, offsetof(struct args, list), "print the formats, and do nothing"},
	{0, "json", NULL, WEFT_OPT_FLAG, offsetof(struct cli_common, json), "print that list as JSON"},
	{0, "force", NULL, WEFT_OPT_FLAG, offsetof(struct args, force), "replace OUT if it is there"},
	CLI_FILTER_OPTION,
	CLI_READ_OPTIONS,
	{0},
};

static int list_formats(const struct cli_common *c)
{
	static const struct weft_column columns[] = {{"format", "format", WEFT_CELL_TEXT},
	                                             {"suffix", "suffix", WEFT_CELL_TEXT},
	                                             {"text", "what it is", WEFT_CELL_TEXT}};
	struct weft_table t;
	int rc = 0;
	weft_table_init(&t, columns, 3);
	for (const struct weft_exporter *e = weft_exporters; e->name && !rc; e++) {
		struct weft_cell row[3] = {{WEFT_CELL_TEXT, {.text = e->name}},
		                           {WEFT_CELL_TEXT, {.text = e->suffix}},
		                           {WEFT_CELL_TEXT, {.text = e->text}}};
		rc = weft_table_row(&t, row);
	}
	if (rc) {
		weft_table_fini(&t);
		return cli_fail_code(rc);
	}
	return cli_table(&t, c);
}

/* All endings, as the exporters have them. */
static int unknown_ending(const char *output)
{
	char known[200] = "";
	for (const struct weft_exporter *e = weft_exporters; e->name; e++)
		snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", *known ? " " : "", e->suffix);
	return cli_usage(&weft_command_convert,
	                 "cannot tell the format from the name '%s': known endings are %s; or say it with --to", output, known);
}

static int unknown_format(const char *format)
{
	const char *known[32];
	size_t n = 0;
	for (const struct weft_exporter *e = weft_exporters; e->name && n < 32; e++)
		known[n++] = e->name;
	return cli_unknown(&weft_command_convert, "unknown format", format, known, n);
}

/* 0 and the exporter, or the exit status. */
static int choose(const struct args *a, const struct weft_exporter **out)
{
	*out = weft_exporter_find(a->format, a->output);
	if (!*out && a->format)
		return unknown_format(a->format);
	if (!*out)
		return unknown_ending(a->output);
	if (strcmp(a->output, "-") == 0 && !(*out)->to_stdout)
		return cli_usage(&weft_command_convert, "the format '%s' is more than one file, and cannot go to stdout",
		                 (*out)->name);
	if (strcmp(a->output, "-") == 0 || a->force || access(a->output, F_OK) != 0)
		return 0;
	weft_log(WEFT_LOG_ERROR, "'%s' is there already (--force replaces it)", a->output);
	return CLI_USAGE;
}

/* "norm < solve < main", as far as there is room. */
static bool name_stack(void *arg, const struct weft_trace *t, const struct weft_event *e, char *room, size_t n)
{
	uint32_t words = 0, frames;
	const uint64_t *address = weft_extra(t, e->thread, e->value, &words);
	size_t at = 0;
	*room = '\0';
	for (uint32_t i = 0; i < words; i++) {
		bool returns = i || e->kind == WEFT_EV_CALLSTACK;
		const struct weft_frame *f = weft_symbols_find(arg, t->thread[e->thread].process, address[i], returns, &frames);
		for (uint32_t k = 0; f && k < frames; k++) {
			const char *name = weft_symbols_function(arg, f[k].function)->name;
			size_t length = strlen(name) + 3;
			if (at + length + sizeof " ..." > n) {
				strcpy(room + at, " ...");
				return true;
			}
			at += (size_t)snprintf(room + at, n - at, "%s%s", at ? " < " : "", name);
		}
	}
	return true;
}

static uint32_t name_frames(void *arg, const struct weft_trace *t, const struct weft_event *e, struct weft_export_frame *out,
                            uint32_t most)
{
	uint32_t words = 0, frames, n = 0;
	const uint64_t *address = weft_extra(t, e->thread, e->value, &words);
	for (uint32_t i = 0; i < words; i++) {
		bool returns = i || e->kind == WEFT_EV_CALLSTACK;
		const struct weft_frame *f = weft_symbols_find(arg, t->thread[e->thread].process, address[i], returns, &frames);
		for (uint32_t k = 0; f && k < frames && n < most; k++)
			out[n++] = (struct weft_export_frame){weft_symbols_function(arg, f[k].function)->name,
			                                      f[k].file ? weft_symbols_text(arg, f[k].file) : "", f[k].line};
	}
	return n;
}

static int convert(const struct args *a, const char *path, const struct weft_exporter *e)
{
	struct weft_trace *t;
	struct weft_filter *f;
	struct weft_err err = {0};
	int status = cli_open(&a->common, path, &t, &f);
	if (status)
		return status;
	struct weft_symbols *symbols = NULL;
	if (weft_symbols_new(&symbols, t, &(struct weft_symbols_how){.root = a->symbols}))
		symbols = NULL; /* addresses do, too */
	struct weft_export_how how = {.stack = symbols && t->n_modules ? name_stack : NULL,
	                              .frames = symbols ? name_frames : NULL,
	                              .stack_arg = symbols,
	                              .filter = f,
	                              .progress = !a->common.quiet,
	                              .force = a->force,
	                              .memory = a->common.memory};
	weft_log(WEFT_LOG_INFO, "writing '%s' as %s", a->output, e->name);
	int rc = e->write(t, a->output, &how, &err);
	weft_symbols_free(symbols);
	weft_filter_free(f);
	weft_trace_close(t);
	return rc ? cli_fail(&err) : CLI_OK;
}

static int read_openmp(const char *text, struct weft_extrae_how *words)
{
	static const char *const known[] = {"classic", "new", "dependencies"};
	struct weft_str rest = weft_str(text), part;
	while (rest.at && weft_str_cut(&rest, ',', &part)) {
		unsigned i = 0;
		char typed[32];
		while (i < 3 && !weft_str_eq(part, known[i]))
			i++;
		snprintf(typed, sizeof typed, "%.*s", (int)part.n, part.at);
		if (i == 3)
			return cli_unknown(&weft_command_convert, "option '--openmp': unknown word", typed, known, 3);
		words->other_openmp |= i == 1;
		words->dependencies |= i == 2;
	}
	return CLI_OK;
}

static int convert_like(const struct args *a, const char *path, const struct weft_exporter *e)
{
	static const char *const known[] = {"extrae"};
	if (strcmp(a->like, known[0]) != 0)
		return cli_unknown(&weft_command_convert, "option '--like': unknown tool", a->like, known, 1);
	if (e->write != weft_export_prv)
		return cli_usage(&weft_command_convert, "option '--like': extrae writes .prv, not %s", e->name);
	if (a->common.filter)
		return cli_usage(&weft_command_convert, "option '--like': filter the trace first, with weft filter");
	struct weft_extrae_how words = {0};
	int status = read_openmp(a->openmp, &words);
	return status ? status : cli_write_extrae(&a->common, path, a->output, a->symbols, &words);
}

static int run(int argc, char **argv)
{
	struct args a = {0};
	const struct weft_exporter *e;
	int n;
	if (!cli_parse(&weft_command_convert, &a, argc, argv, &n))
		return CLI_USAGE;
	cli_talk(&a.common, argv[0]);
	if (a.list)
		return list_formats(&a.common);
	if (!cli_operands(&weft_command_convert, argv, n, 1, a.like && !a.output ? 2 : 1))
		return CLI_USAGE;
	a.output = a.output ? a.output : argv[2];
	if (!a.output)
		return cli_usage(&weft_command_convert, "say where to write, with -o OUT");
	int status = choose(&a, &e);
	if (!status && a.openmp && !a.like)
		status = cli_usage(&weft_command_convert, "option '--openmp' goes with --like extrae");
	if (!status && a.like)
		return convert_like(&a, argv[1], e);
	return status ? status : convert(&a, argv[1], e);
}

const struct weft_command weft_command_convert = {
	.name = "convert",
	.operands = "TRACE",
	.summary = "write a trace in another format, or read one",
	.about = "Writes TRACE in the format that the name of OUT ends with, or that --to says:\n"
		 "Paraver, Paje, Chrome and Perfetto, CSV, or our own. TRACE may be a .weft trace,\n"
		 "a Paraver .prv or a Paje file (both also packed by gzip or zstd). What the other\n"
		 "format cannot hold is left out. OUT appears when it is complete, and not\n"
		 "at all when something fails.\n"
		 "\n"
		 "Examples:\n"
		 "    weft convert run.weft -o run.prv\n"
		 "    weft convert run.weft -o run.json -f 'time=0%..50% and not kind=counter'\n"
		 "    weft convert run.weft -o - --to csv\n"
		 "    weft convert run.prv -o again.weft\n"
		 "    weft convert --like extrae run.weft like.prv\n"
		 "    weft convert --list-formats",
	.options = options,
	.run = run,
};
