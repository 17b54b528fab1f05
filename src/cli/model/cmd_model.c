/* SPDX-License-Identifier: Apache-2.0 */
/* `weft model`: performance models. The first operand says what to do; each of those is a row of a table. */
#include "model_cli.h"
#include "models/fit_search.h"
#include "models/model_show.h"
#include <inttypes.h>
#include <string.h>

static const struct weft_opt options[] = {
	{0, "host", "HOST", WEFT_OPT_STRING, offsetof(struct model_args, host),
         "models of the machine HOST (default: this one, or STARPU_HOSTNAME; list: all)"},
	{'a', "arch", "ARCH", WEFT_OPT_STRING, offsetof(struct model_args, arch),
         "all but list and rec: only of ARCH: cpu, cpu:3 (three cores), cuda, cuda0, opencl..."},
	{'f', "footprint", "HASH", WEFT_OPT_STRING, offsetof(struct model_args, footprint), "show: only this size of data"},
	{0, "xml", NULL, WEFT_OPT_FLAG, offsetof(struct model_args, xml), "show: print XML (starpu-perfmodel.dtd)"},
	{'o', "output", "FILE", WEFT_OPT_STRING, offsetof(struct model_args, output),
         "plot: write FILE, an .svg, .png or .gp (for gnuplot); rec: write FILE instead of stdout"},
	{0, "force", NULL, WEFT_OPT_FLAG, offsetof(struct model_args, force), "plot: replace FILE if it is there"},
	{0, "gflops", NULL, WEFT_OPT_FLAG, offsetof(struct model_args, gflops),
         "plot: GFlop/s instead of times, of tasks that said their flops; with --energy GFlop/s/W"},
	{0, "energy", NULL, WEFT_OPT_FLAG, offsetof(struct model_args, energy), "plot: the model is of joules"},
	{0, "power", "SYMBOL", WEFT_OPT_STRING, offsetof(struct model_args, power),
         "plot: watts, of the time model and the energy model SYMBOL"},
	{'i', "trace", "TRACE", WEFT_OPT_STRING, offsetof(struct model_args, trace),
         "plot, check: also what the tasks of TRACE took, one by one"},
	{0, "min-samples", "N", WEFT_OPT_U64, offsetof(struct model_args, min_samples),
         "check: fewer samples are doubtful (default: STARPU_CALIBRATE_MINIMUM, 10)"},
	{0, "max-deviation", "PERCENT", WEFT_OPT_STRING, offsetof(struct model_args, max_deviation),
         "check: a larger standard deviation is doubtful (default: 20)"},
	{0, "degree", "N", WEFT_OPT_U64, offsetof(struct model_args, degree),
         "fit: products of parameters of up to this degree (1 to 6; default: 3)"},
	{0, "terms", "N", WEFT_OPT_U64, offsetof(struct model_args, terms),
         "fit: equations of up to N terms (1 to 6; default: 4)"},
	CLI_TABLE_OPTIONS,
	CLI_READ_OPTIONS,
	{0},
};

static const struct {
	const char *name;
	int least, most;
	int (*run)(const struct model_args *a, char **operand, int n);
} actions[] = {
	{"list", 0, 0, model_list},    {"show", 1, 1, model_show}, {"plot", 1, 1, model_plot},
	{"check", 0, -1, model_check}, {"fit", 1, 1, model_fit},   {"rec", 0, -1, model_rec},
};
enum { ACTIONS = sizeof actions / sizeof *actions };

static int check_args(struct model_args *a)
{
	a->degree = a->degree ? a->degree : 3;
	a->terms = a->terms ? a->terms : 4;
	if (a->degree > 6)
		return cli_usage(&weft_command_model, "option '--degree': expected 1 to 6, found '%" PRIu64 "'", a->degree);
	if (a->terms > WEFT_SEARCH_TERMS)
		return cli_usage(&weft_command_model, "option '--terms': expected 1 to %d, found '%" PRIu64 "'",
		                 WEFT_SEARCH_TERMS, a->terms);
	if (a->arch && !weft_model_is_arch(a->arch))
		return cli_usage(
			&weft_command_model,
			"option '--arch': expected cpu, cpu:3 (three cores), cuda, cuda0, opencl and the like, found '%s'",
			a->arch);
	return CLI_OK;
}

static int run(int argc, char **argv)
{
	struct model_args a = {.common = {0}};
	const char *known[ACTIONS];
	int n;
	if (!cli_parse(&weft_command_model, &a, argc, argv, &n))
		return CLI_USAGE;
	cli_talk(&a.common, argv[0]);
	model_check_host();
	if (!cli_operands(&weft_command_model, argv, n, 1, -1) || check_args(&a))
		return CLI_USAGE;
	for (int i = 0; i < ACTIONS; i++) {
		known[i] = actions[i].name;
		if (strcmp(argv[1], actions[i].name) != 0)
			continue;
		if (n - 1 < actions[i].least || (actions[i].most >= 0 && n - 1 > actions[i].most))
			return cli_usage(&weft_command_model, "'%s' takes %s", argv[1],
			                 actions[i].most ? "one model" : "no operand");
		return actions[i].run(&a, argv + 2, n - 1);
	}
	return cli_unknown(&weft_command_model, "action", argv[1], known, ACTIONS);
}

const struct weft_command weft_command_model = {
	.name = "model",
	.operands = "ACTION [MODEL...]",
	.summary = "performance models of codelets: list, show, plot, check, fit",
	.about = "Looks at the performance models that StarPU programs have measured: how long a\n"
		 "codelet takes, by size of data, on each kind of worker. ACTION is\n"
		 "    list           which models there are\n"
		 "    show MODEL     what one says\n"
		 "    plot MODEL     a picture of it, or a script for gnuplot\n"
		 "    check [MODEL]  which are doubtful, and why; exit status 1 when some are\n"
		 "    fit MODEL      equations: of a multiple regression's parameters, of sizes\n"
		 "    rec [MODEL]    the machine and its models as records for recutils\n"
		 "MODEL is a symbol, as the program calls it, or a file.\n"
		 "\n"
		 "Examples:\n"
		 "    weft model list\n"
		 "    weft model show potrf\n"
		 "    weft model plot potrf --gflops -o potrf.svg\n"
		 "    weft model check potrf",
	.options = options,
	.run = run,
};
