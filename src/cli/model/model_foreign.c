/* SPDX-License-Identifier: Apache-2.0 */
/*
 * StarPU's commands, under their names and with their options: starpu_perfmodel_display, starpu_perfmodel_plot,
 * starpu_perfmodel_recdump, starpu_mlr_analysis. Their options are words behind one or two dashes, of one letter or two; each command
 * has a table of them. They end with 0, or with 1 where anything fails, as theirs do.
 */
#include "model_cli.h"
#include "model_plot.h"
#include "models/model_show.h"
#include "base/log.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum what {
	LIST,
	SYMBOL,
	PARAMETER,
	ARCH,
	FOOTPRINT,
	DIRECTORY,
	XML,
	FLOPS,
	ENERGY,
	BOTH,
	TRACE,
	OUTPUT,
	ARCHS,
	COMBS,
	COMB,
	HELP,
	VERSION
};
struct option {
	const char *word, *long_word, *argument, *help; /* argument: NULL: none */
	enum what what;
};
struct tool {
	const char *name, *operands, *about;
	const struct option *option;
	int (*run)(const struct tool *t, struct model_args *a, char **operand, int n);
};

/* What an option says; operands are moved to the front. */
struct asked {
	bool list, directory, archs, combs;
	const char *symbol;
};
static struct asked asked;

static void print_usage(const struct tool *t, FILE *to)
{
	fprintf(to, "usage: %s [options]%s\n%s\n", t->name, t->operands, t->about);
	for (const struct option *o = t->option; o->word; o++) {
		char left[80];
		snprintf(left, sizeof left, "%s%s%s%s%s", o->word, o->long_word ? ", " : "", o->long_word ? o->long_word : "",
		         o->argument ? " " : "", o->argument ? o->argument : "");
		fprintf(to, "  %-36s%s\n", left, o->help);
	}
}

/* Two operands of -se are the only option with more than one. */
static int foreign_take(struct model_args *a, const struct option *o, char **argument)
{
	const struct {
		enum what what;
		const char **text;
		bool *flag;
	} places[] = {
		{LIST, NULL, &asked.list},
		{DIRECTORY, NULL, &asked.directory},
		{ARCHS, NULL, &asked.archs},
		{COMBS, NULL, &asked.combs},
		{XML, NULL, &a->xml},
		{FLOPS, NULL, &a->gflops},
		{ENERGY, NULL, &a->energy},
		{SYMBOL, &asked.symbol, NULL},
		{PARAMETER, &a->parameter, NULL},
		{ARCH, &a->arch, NULL},
		{FOOTPRINT, &a->footprint, NULL},
		{TRACE, &a->trace, NULL},
		{COMB, &a->combination, NULL},
	};
	if (o->what == BOTH) {
		asked.symbol = argument[0];
		a->power = argument[1];
		return 2;
	}
	if (o->what == OUTPUT)
		a->output = argument[0];
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		if (places[i].what != o->what)
			continue;
		if (places[i].flag)
			*places[i].flag = true;
		else
			*places[i].text = argument[0];
	}
	return o->argument ? 1 : 0;
}

static const struct option *find_option(const struct tool *t, const char *word)
{
	for (const struct option *o = t->option; o->word; o++)
		if (!strcmp(o->word, word) || (o->long_word && !strcmp(o->long_word, word)))
			return o;
	return NULL;
}

/* -1: go on; else the exit status. */
static int read_arguments(const struct tool *t, struct model_args *a, int argc, char **argv, int *n)
{
	*n = 0;
	for (int i = 1; i < argc; i++) {
		const struct option *o = find_option(t, argv[i]);
		int wanted = !o || !o->argument ? 0 : o->what == BOTH ? 2 : 1;
		if (!o && argv[i][0] != '-') {
			argv[(*n)++] = argv[i];
			continue;
		}
		if (!o || i + wanted >= argc) {
			weft_log(WEFT_LOG_ERROR, o ? "option '%s' wants %s" : "unknown option '%s'", argv[i],
			         o ? o->argument : "");
			print_usage(t, stderr);
			return EXIT_FAILURE;
		}
		if (o->what == HELP || o->what == VERSION) {
			if (o->what == HELP)
				print_usage(t, stdout);
			else
				printf("%s (StarPU 1.4 by Weft " WEFT_VERSION ")\n", t->name);
			return EXIT_SUCCESS;
		}
		i += foreign_take(a, o, argv + i + 1);
	}
	if (!*t->operands && *n) {
		weft_log(WEFT_LOG_ERROR, "unexpected '%s'", argv[0]);
		print_usage(t, stderr);
		return EXIT_FAILURE;
	}
	return -1;
}

/* -- what several do -- */

static int list_files(void)
{
	struct model_names names;
	const char *folder = NULL;
	if (model_names(NULL, &names))
		return EXIT_FAILURE;
	for (size_t i = 0; i < names.of.n; i++) {
		if (!folder || strcmp(folder, names.of.at[i].folder) != 0)
			printf("codelet directory: <%s/>\n", names.of.at[i].folder);
		folder = names.of.at[i].folder;
		printf("file: <%s>\n", names.of.at[i].name);
	}
	if (!names.of.n) {
		char at[WEFT_MODEL_PATH];
		weft_model_folder_of(at, sizeof at, "codelets/45");
		weft_log(WEFT_LOG_ERROR, "there are no performance models in '%s'", at);
	}
	int rc = names.of.n ? EXIT_SUCCESS : EXIT_FAILURE;
	model_names_fini(&names);
	return rc;
}

static bool check_arch(const struct model_args *a)
{
	if (!a->arch || weft_model_is_arch(a->arch))
		return true;
	weft_log(WEFT_LOG_ERROR, "'%s' is no kind of worker: cpu, cpu:3 (three cores), cuda, cuda0, opencl and the like are",
	         a->arch);
	return false;
}

/* -- starpu_perfmodel_display -- */

static int display_symbol(struct model_args *a)
{
	struct model_file f;
	char folder[WEFT_MODEL_PATH - 600], debug[WEFT_MODEL_PATH];
	uint32_t room;
	struct weft_model_show how = {.arch = a->arch, .parameter = a->parameter, .debug = debug};
	if (!check_arch(a) || !model_footprint(a, &room, &how.footprint))
		return EXIT_FAILURE;
	if (a->parameter && !weft_model_has_parameter(a->parameter)) {
		weft_log(WEFT_LOG_ERROR, "a performance model has no parameter '%s', but: %s", a->parameter,
		         weft_model_parameters);
		return EXIT_FAILURE;
	}
	if (model_open(a, asked.symbol, &f))
		return EXIT_FAILURE;
	weft_model_folder_of(folder, sizeof folder, "debug");
	snprintf(debug, sizeof debug, "%s/%s.%s", folder, f.symbol, f.host);
	if (a->xml)
		weft_model_xml(&f.m, f.symbol, NULL, stdout);
	else
		weft_model_show(&f.m, &how, stdout);
	model_close(&f);
	return EXIT_SUCCESS;
}

static int run_display(const struct tool *t, struct model_args *a, char **operand, int n)
{
	char folder[WEFT_MODEL_PATH];
	(void)operand, (void)n;
	if (!asked.list && !asked.directory && !asked.symbol) {
		print_usage(t, stderr);
		return EXIT_FAILURE;
	}
	int rc = asked.list ? list_files() : EXIT_SUCCESS;
	for (unsigned i = 0; asked.directory && weft_model_folder(i, folder, sizeof folder); i++)
		printf("directory: <%s/codelets/%d/>\n", folder, WEFT_MODEL_VERSION);
	return rc || !asked.symbol ? rc : display_symbol(a);
}

/* -- starpu_perfmodel_plot -- */

static int list_combs(const struct model_args *a)
{
	struct model_file f;
	if (model_open(a, asked.symbol, &f))
		return EXIT_FAILURE;
	printf("Model <%s>\n", f.symbol);
	for (uint32_t i = 0; i < f.m.n_combs; i++) {
		const struct weft_model_comb *c = &f.m.comb[i];
		char name[512];
		weft_model_impl_name(name, sizeof name, c->device, c->n_devices, 0, c->number);
		*strstr(name, "_impl") = 0;
		printf("\tComb %u: %s, %u device%s\n", i, name, c->n_devices, c->n_devices == 1 ? "" : "s");
		for (uint32_t k = 0; k < c->n_devices; k++)
			printf("\t\tDevice %u: type: %s - devid: %d - ncores: %d\n", k, weft_model_type_name(c->device[k].type),
			       c->device[k].id, c->device[k].cores);
	}
	model_close(&f);
	return EXIT_SUCCESS;
}

static int list_archs(void)
{
	for (int type = 0; strcmp(weft_model_type_name(type), "unknown") != 0; type++)
		printf("%s\n", weft_model_type_name(type));
	return EXIT_SUCCESS;
}

static int write_script(const struct model_args *a, const struct model_drawing *d, const char *symbol)
{
	const char *what = a->power ? "power_" : a->gflops ? "gflops_" : "";
	char base[WEFT_MODEL_PATH], script[WEFT_MODEL_PATH + 8], picture[WEFT_MODEL_PATH + 8];
	struct weft_err err = {0};
	struct weft_out out;
	int n = snprintf(base, sizeof base, "%s%sstarpu_%s%s", a->output ? a->output : "", a->output ? "/" : "", what, symbol);
	if (n < 0 || (size_t)n >= sizeof base || (a->output && weft_make_dirs(a->output, &err))) {
		weft_log(WEFT_LOG_ERROR, "%s", err.code ? err.text : "the name of the output is too long");
		return EXIT_FAILURE;
	}
	snprintf(script, sizeof script, "%s.gp", base);
	snprintf(picture, sizeof picture, "%s.%s", base, a->power ? "eps" : "png");
	if (weft_out_open(&out, script, &err) == 0) {
		model_gnuplot(d, picture, out.to);
		if (!weft_out_commit(&out, &err))
			return EXIT_SUCCESS;
	}
	weft_log(WEFT_LOG_ERROR, "%s", err.text);
	return EXIT_FAILURE;
}

static int run_plot(const struct tool *t, struct model_args *a, char **operand, int n)
{
	struct model_file f;
	struct model_drawing d = {.log_y = false};
	(void)operand, (void)n;
	if (asked.archs)
		return list_archs();
	if (asked.list)
		return list_files();
	if (!asked.symbol) {
		print_usage(t, stderr);
		return EXIT_FAILURE;
	}
	if (asked.combs)
		return list_combs(a);
	if (!check_arch(a) || model_open(a, asked.symbol, &f))
		return EXIT_FAILURE;
	int rc = model_drawing(a, &f, &d) ? EXIT_FAILURE : write_script(a, &d, f.symbol);
	model_drawing_fini(&d);
	model_close(&f);
	return rc;
}

/* -- the two that are a verb's action -- */

static int run_rec(const struct tool *t, struct model_args *a, char **operand, int n)
{
	(void)t;
	return model_rec(a, operand, n) ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int run_mlr(const struct tool *t, struct model_args *a, char **operand, int n)
{
	a->degree = 3;
	a->terms = 4;
	if (n == 1)
		return model_fit(a, operand, n) ? EXIT_FAILURE : EXIT_SUCCESS;
	print_usage(t, stderr);
	return EXIT_FAILURE;
}

/* -- tables -- */

#define USUAL \
	{"-h", "--help", NULL, "this text", HELP}, {"-v", "--version", NULL, "the version", VERSION}, \
	{ \
		NULL, NULL, NULL, NULL, HELP \
	}
static const struct option display_options[] = {
	{"-l", "--list", NULL, "the models that there are", LIST},
	{"-d", "--directory", NULL, "the folders that they are looked for in", DIRECTORY},
	{"-s", "--symbol", "SYMBOL", "this model", SYMBOL},
	{"-p", "--parameter", "PARAMETER", "of it, one thing: a, b, c, alpha, beta, mean, stddev, path-file-debug", PARAMETER},
	{"-a", "--arch", "ARCH", "for this kind of worker only: cpu, cpu:3 (three cores), cuda, cuda0...", ARCH},
	{"-f", "--footprint", "FOOTPRINT", "for this size of data only", FOOTPRINT},
	{"-x", "--xml", NULL, "as XML", XML},
	USUAL,
};
static const struct option plot_options[] = {
	{"-l", "--list", NULL, "the models that there are", LIST},
	{"-al", NULL, NULL, "the kinds of workers that there can be", ARCHS},
	{"-s", "--symbol", "SYMBOL", "draw this model", SYMBOL},
	{"-f", "--flops", NULL, "GFlop/s, of tasks that said their flops; with -e GFlop/s/W", FLOPS},
	{"-e", "--energy", NULL, "the model is of joules", ENERGY},
	{"-se", "--power", "SYMBOL SYMBOL_ENERGY", "watts, of a model of times and one of joules", BOTH},
	{"-i", "--trace", "TRACE", "also what the tasks of TRACE took, one by one", TRACE},
	{"-lc", NULL, NULL, "the combinations of devices that the model knows", COMBS},
	{"-c", "--combination", "COMBINATION", "for this one only, as -lc calls it", COMB},
	{"-a", "--arch", "ARCH", "for this kind of worker only: cpu, cpu:3 (three cores), cuda, cuda0...", ARCH},
	{"-o", "--output", "FOLDER", "write there (default: the current folder)", OUTPUT},
	USUAL,
};
static const struct option rec_options[] = {{"-o", "--output", "FILE", "write to FILE instead of stdout", OUTPUT}, USUAL};
static const struct option mlr_options[] = {USUAL};

static const struct tool tools[] = {
	{"starpu_perfmodel_display", "", "Shows performance models.", display_options, run_display},
	{"starpu_perfmodel_plot", "", "Writes starpu_SYMBOL.gp, which gnuplot makes a picture of.", plot_options, run_plot},
	{"starpu_perfmodel_recdump", " [SYMBOL...]", "Writes the machine and its performance models as records for recutils.",
         rec_options, run_rec},
	{"starpu_mlr_analysis", " SYMBOL|FILE",
         "Finds the equation that the measurements of a multiple linear regression follow.", mlr_options, run_mlr},
};

static int run_tool(const struct tool *t, int argc, char **argv)
{
	struct model_args a = {.common = {0}};
	int n, rc;
	asked = (struct asked){0};
	weft_log_set(WEFT_LOG_WARN, t->name);
	model_check_host();
	rc = read_arguments(t, &a, argc, argv, &n);
	return rc >= 0 ? rc : t->run(t, &a, argv, n);
}

int cli_perfmodel_display(int argc, char **argv)
{
	return run_tool(&tools[0], argc, argv);
}
int cli_perfmodel_plot(int argc, char **argv)
{
	return run_tool(&tools[1], argc, argv);
}
int cli_perfmodel_recdump(int argc, char **argv)
{
	return run_tool(&tools[2], argc, argv);
}
int cli_mlr_analysis(int argc, char **argv)
{
	return run_tool(&tools[3], argc, argv);
}
