/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `weft completion bash`: a script made from the tables of commands and options, so that it cannot fall behind them.
 * What an option's argument may be is told by what --help calls it.
 */
#include "cli/common/cli.h"
#include "trace/write/export.h"
#include <string.h>

static const struct weft_opt options[] = {{0}};

/* What completes an argument of this name: words, or bash's own files. */
static const struct {
	const char *arg, *reply;
} arguments[] = {
	{"FORMAT", "$(compgen -W \"$formats\" -- \"$cur\")"},
	{"WHAT",
         "$(compgen -W 'processes threads nodes cpus regions types counters attributes categories communicators flows sets data states "
         "notes' -- \"$cur\")"},
	{"GROUPS", "$(compgen -W 'region thread process state all' -- \"$cur\")"},
	{"COLUMN", "$(compgen -W 'self total calls mean max p99 name' -- \"$cur\")"},
	{"FILE", "$(compgen -f -- \"$cur\")"},
	{"DIR", "$(compgen -d -- \"$cur\")"},
	{"OUT", "$(compgen -f -- \"$cur\")"},
};

static void print_flags(const struct weft_opt *o)
{
	for (; o->kind; o++) {
		if (o->kind == WEFT_OPT_GROUP)
			continue;
		if (o->letter)
			printf("-%c ", o->letter);
		if (o->name)
			printf("--%s ", o->name);
	}
	printf("--help");
}

/* A case of `COMMAND:OPTION` for each option whose argument we can complete; of the others nothing is offered. */
static void print_arguments(const struct weft_command *c)
{
	for (const struct weft_opt *o = c->options; o->kind; o++) {
		if (o->kind == WEFT_OPT_GROUP || !o->arg)
			continue;
		const char *reply = "";
		for (size_t i = 0; i < sizeof arguments / sizeof arguments[0]; i++)
			if (strcmp(arguments[i].arg, o->arg) == 0)
				reply = arguments[i].reply;
		printf("\t");
		if (o->letter)
			printf("%s:-%c%s", c->name, o->letter, o->name ? "|" : "");
		if (o->name)
			printf("%s:--%s", c->name, o->name);
		printf(") COMPREPLY=(%s); return;;\n", reply);
	}
}

static void print_bash(void)
{
	const struct weft_command *c;
	printf("# bash completion of weft: made by 'weft completion bash'\n_weft()\n{\n"
	       "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} verb=${COMP_WORDS[1]} words= formats=\n"
	       "\tCOMPREPLY=()\n");
	printf("\tformats='");
	for (const struct weft_exporter *e = weft_exporters; e->name; e++)
		printf("%s%s", e == weft_exporters ? "" : " ", e->name);
	printf("'\n\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n\t\tCOMPREPLY=($(compgen -W 'help");
	for (unsigned i = 0; (c = cli_command(i)); i++)
		printf(" %s", c->name);
	printf(" --help --version' -- \"$cur\"))\n\t\treturn\n\tfi\n\tcase $verb:$prev in\n");
	for (unsigned i = 0; (c = cli_command(i)); i++)
		print_arguments(c);
	printf("\tesac\n\tcase $verb in\n\thelp) words='");
	for (unsigned i = 0; (c = cli_command(i)); i++)
		printf("%s%s", i ? " " : "", c->name);
	printf("';;\n\tcompletion) words='bash --help';;\n");
	for (unsigned i = 0; (c = cli_command(i)); i++) {
		if (c->options == options)
			continue;
		printf("\t%s) words='", c->name);
		print_flags(c->options);
		printf("';;\n");
	}
	printf("\tesac\n\tcase $verb:$cur in\n\t*:-*|help:*|completion:*) COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"));;\n"
	       "\t*) COMPREPLY=($(compgen -f -- \"$cur\"));;\n\tesac\n}\ncomplete -o filenames -F _weft weft\n");
}

static int run(int argc, char **argv)
{
	char nothing;
	int n;
	if (!cli_parse(&weft_command_completion, &nothing, argc, argv, &n) ||
	    !cli_operands(&weft_command_completion, argv, n, 1, 1))
		return CLI_USAGE;
	if (strcmp(argv[1], "bash") != 0)
		return cli_usage(&weft_command_completion, "completion is made for bash only, not for '%s'", argv[1]);
	print_bash();
	return CLI_OK;
}

const struct weft_command weft_command_completion = {
	.name = "completion",
	.operands = "bash",
	.summary = "print the completion script of a shell",
	.about = "Prints a script that makes bash complete commands, options and their arguments.\n"
		 "\n"
		 "Examples:\n"
		 "    weft completion bash >weft-completion.bash\n"
		 "    source weft-completion.bash",
	.options = options,
	.run = run,
};
