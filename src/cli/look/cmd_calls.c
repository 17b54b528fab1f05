/* SPDX-License-Identifier: Apache-2.0 */
/* `weft calls`: who called whom, as a table or as a file that other programs show. */
#include "base/log.h"
#include "calls_report.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct args {
	struct cli_common common;
	const char *output, *format, *of, *per, *time, *focus, *title, *symbols, *debug;
	bool force, lines, callers, no_inlined, by_function;
	uint64_t depth, top;
	double least;
};

static const struct weft_opt options[] = {
	{'o', "output", "OUT", WEFT_OPT_STRING, offsetof(struct args, output),
         "write OUT, an .svg, .folded, .pb.gz or .json (speedscope) file; '-' is stdout"},
	{0, "to", "FORMAT", WEFT_OPT_STRING, offsetof(struct args, format), "the format of OUT: svg, folded, pprof, speedscope"},
	{0, "force", NULL, WEFT_OPT_FLAG, offsetof(struct args, force), "replace OUT if it is there"},
	{0, "title", "TEXT", WEFT_OPT_STRING, offsetof(struct args, title), "what OUT is called (default: TRACE)"},
	{0, "of", "WHAT", WEFT_OPT_STRING, offsetof(struct args, of),
         "samples or regions (default: samples where there are some)"},
	{0, "per", "WHAT", WEFT_OPT_STRING, offsetof(struct args, per),
         "a tree for each process or thread (default: one of all)"},
	{0, "by-function", NULL, WEFT_OPT_FLAG, offsetof(struct args, by_function), "a row for each function, and no tree"},
	{0, "lines", NULL, WEFT_OPT_FLAG, offsetof(struct args, lines), "a function once for each of its lines"},
	{0, "callers", NULL, WEFT_OPT_FLAG, offsetof(struct args, callers), "from what ran to who called it"},
	{0, "no-inlined", NULL, WEFT_OPT_FLAG, offsetof(struct args, no_inlined),
         "what the compiler put into a function counts as that function"},
	{0, "focus", "FUNCTION", WEFT_OPT_STRING, offsetof(struct args, focus),
         "only stacks with a function that matches; * and ? stand for others"},
	{0, "depth", "N", WEFT_OPT_U64, offsetof(struct args, depth), "print N levels of the tree only"},
	{0, "least", "PERCENT", WEFT_OPT_DOUBLE, offsetof(struct args, least), "print what has at least PERCENT (default: 0.5)"},
	{'n', "top", "N", WEFT_OPT_U64, offsetof(struct args, top), "print the first N rows only"},
	{0, "symbols", "DIR", WEFT_OPT_STRING, offsetof(struct args, symbols),
         "look for executables and libraries below DIR first, by the paths that they had"},
	{0, "debug", "DIR", WEFT_OPT_STRING, offsetof(struct args, debug),
         "where separate debug files lie (default: /usr/lib/debug)"},
	{'t', "time", "A..B", WEFT_OPT_STRING, offsetof(struct args, time), "from A up to B only"},
	CLI_FILTER_OPTION,
	CLI_TABLE_OPTIONS,
	CLI_OWN_THREADS_OPTION,
	CLI_READ_OPTIONS,
	{0},
};

void cli_say_symbols(const struct weft_symbols *s)
{
	for (uint32_t i = 0; i < weft_symbols_n_problems(s); i++)
		weft_log(WEFT_LOG_WARN, "%s", weft_symbols_problem(s, i));
}

/* ---- what the options mean ---- */

static const char *const of_names[] = {[WEFT_PROFILE_SAMPLES] = "samples", [WEFT_PROFILE_REGIONS] = "regions"};
static const char *const per_names[] = {[WEFT_PER_ALL] = "all", [WEFT_PER_PROCESS] = "process", [WEFT_PER_THREAD] = "thread"};

static int read_names(const struct args *a, struct weft_profile_how *how)
{
	for (unsigned i = 1; a->of && i <= WEFT_PROFILE_REGIONS; i++)
		if (!strcmp(a->of, of_names[i]))
			how->of = (enum weft_profile_of)i;
	if (a->of && how->of == WEFT_PROFILE_ANY)
		return cli_unknown(&weft_command_calls, "option '--of': unknown", a->of, of_names + 1, 2);
	bool known = !a->per;
	for (unsigned i = 0; a->per && i <= WEFT_PER_THREAD; i++)
		if (!strcmp(a->per, per_names[i])) {
			how->per = (enum weft_profile_per)i;
			known = true;
		}
	return known ? CLI_OK : cli_unknown(&weft_command_calls, "option '--per': unknown", a->per, per_names, 3);
}

static int choose_format(const struct args *a, const struct weft_profile_format **format)
{
	const char *known[16];
	unsigned n = 0;
	*format = NULL;
	if (!a->output)
		return a->format ? cli_usage(&weft_command_calls, "option '--to' wants -o OUT") : CLI_OK;
	*format = weft_profile_format_find(a->format, a->output);
	for (const struct weft_profile_format *f = weft_profile_formats; f->name; f++)
		known[n++] = f->name;
	if (!*format && a->format)
		return cli_unknown(&weft_command_calls, "unknown format", a->format, known, n);
	if (!*format)
		return cli_usage(
			&weft_command_calls,
			"cannot tell the format from the name '%s': known endings are .svg .folded .txt .pb.gz .pprof .json; or "
			"say it with --to",
			a->output);
	if (a->callers && strcmp((*format)->name, "svg") != 0 && strcmp((*format)->name, "folded") != 0)
		return cli_usage(&weft_command_calls, "option '--callers': %s shows callers by itself", (*format)->name);
	if (strcmp(a->output, "-") != 0 && !a->force && access(a->output, F_OK) == 0)
		return cli_usage(&weft_command_calls, "'%s' is there already (--force replaces it)", a->output);
	return CLI_OK;
}

/* ---- output ---- */

static int write_format(const struct args *a, const struct weft_profile *p, const struct weft_profile_format *f, const char *path)
{
	struct weft_out out;
	struct weft_err err = {0};
	const char *slash = strrchr(path, '/');
	const char *title = a->title ? a->title : slash && slash[1] ? slash + 1 : path;
	if (weft_out_open(&out, a->output, &err))
		return cli_fail(&err);
	int rc = f->write(p, title, out.to);
	if (rc) {
		weft_out_abandon(&out);
		return cli_fail_code(rc);
	}
	return weft_out_commit(&out, &err) ? cli_fail(&err) : CLI_OK;
}

static int say_nothing(const struct weft_profile *p, const char *path)
{
	return cli_fail_text("'%s' has no %s here%s", path, p->of == WEFT_PROFILE_SAMPLES ? "samples" : "samples and no regions",
	                     p->of == WEFT_PROFILE_SAMPLES ? " (record them with weft record --on samples)" : "");
}

static int show(const struct args *a, const struct weft_profile *p, const struct weft_profile_format *format, const char *path)
{
	struct cli_calls_report how = {.by_function = a->by_function,
	                               .lines = a->lines,
	                               .depth = a->depth,
	                               .top = a->top,
	                               .least = a->least};
	if (!p->node[0].total)
		return say_nothing(p, path);
	return format ? write_format(a, p, format, path) : cli_calls_report(p, &how, &a->common);
}

static int calls_of(const struct args *a, const char *path, struct weft_profile_how *how,
                    const struct weft_profile_format *format)
{
	struct weft_symbols_how where = {.root = a->symbols, .debug_root = a->debug};
	struct weft_trace *t;
	struct weft_filter *f;
	struct weft_symbols *s = NULL;
	struct weft_profile p;
	struct weft_err err = {0};
	int status = cli_open(&a->common, path, &t, &f);
	if (status)
		return status;
	how->filter = f;
	if (a->time && weft_time_range(a->time, t->end, &how->from, &how->to, &err))
		status = cli_fail(&err);
	if (!status && weft_symbols_new(&s, t, &where))
		status = cli_fail_code(-ENOMEM);
	if (!status && weft_profile_make(&p, t, s, how, &err))
		status = cli_fail(&err);
	else if (!status) {
		cli_say_symbols(s);
		status = show(a, &p, format, path);
		weft_profile_fini(&p);
	}
	weft_symbols_free(s);
	weft_filter_free(f);
	weft_trace_close(t);
	return status;
}

static int run(int argc, char **argv)
{
	struct args a = {.least = 0.5};
	const struct weft_profile_format *format;
	int n;
	if (!cli_parse(&weft_command_calls, &a, argc, argv, &n))
		return CLI_USAGE;
	cli_talk(&a.common, argv[0]);
	if (!cli_operands(&weft_command_calls, argv, n, 1, 1))
		return CLI_USAGE;
	if (!(a.least >= 0 && a.least <= 100))
		return cli_usage(&weft_command_calls, "option '--least': from 0 to 100 percent");
	struct weft_profile_how how = {.to = WEFT_NEVER,
	                               .lines = a.lines,
	                               .callers = a.callers,
	                               .no_inlined = a.no_inlined,
	                               .focus = a.focus,
	                               .own_threads = a.common.own_threads};
	int status = read_names(&a, &how);
	if (!status)
		status = choose_format(&a, &format);
	how.addresses = !status && format && format->addresses;
	return status ? status : calls_of(&a, argv[1], &how, format);
}

const struct weft_command weft_command_calls = {
	.name = "calls",
	.operands = "TRACE",
	.summary = "who called whom, and what it took: profiles and flame graphs",
	.about = "Prints the tree of calls: from the call stacks of samples, or where there are\n"
		 "none from regions that lie in each other; each function with what it took itself\n"
		 "(self, own) and with all that it called (total). With -o it writes a flame graph\n"
		 "(SVG: a click makes a bar as wide as the picture), folded stacks, pprof's protobuf\n"
		 "or speedscope's JSON. Functions, files and lines are looked up now, in the files\n"
		 "that ran; files of another build are not used.\n"
		 "\n"
		 "Examples:\n"
		 "    weft calls run.weft\n"
		 "    weft calls run.weft --by-function --top 20\n"
		 "    weft calls run.weft -o flames.svg --per process\n"
		 "    weft calls run.weft --of regions --focus 'MPI_*' --callers",
	.options = options,
	.run = run,
};
