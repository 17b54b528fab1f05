/* SPDX-License-Identifier: Apache-2.0 */
/* `weft completion`: a shell's script, and what that asks. */
#include "completion.h"
#include <string.h>

static const struct weft_opt options[] = {{0}};

static int unknown_shell(const char *name)
{
	const char *known[8];
	size_t n = 0;
	for (const struct completion_shell *s = completion_shells; s->name; s++)
		known[n++] = s->name;
	return cli_unknown(&weft_command_completion, "there is no completion for", name, known, n);
}

static int run(int argc, char **argv)
{
	char nothing;
	int n;
	if (!cli_parse(&weft_command_completion, &nothing, argc, argv, &n) ||
	    !cli_operands(&weft_command_completion, argv, n, 1, -1))
		return CLI_USAGE;
	if (strcmp(argv[1], "words") == 0) {
		completion_print(argv + 2, n - 1, stdout);
		return CLI_OK;
	}
	for (const struct completion_shell *s = completion_shells; s->name; s++) {
		if (strcmp(argv[1], s->name) != 0)
			continue;
		if (!cli_operands(&weft_command_completion, argv, n, 1, 1))
			return CLI_USAGE;
		fputs(s->script, stdout);
		return CLI_OK;
	}
	return unknown_shell(argv[1]);
}

const struct weft_command weft_command_completion = {
	.name = "completion",
	.operands = "bash | zsh | fish",
	.summary = "print the completion script of a shell",
	.about = "Prints a script that makes the shell complete commands, options and their values, names\n"
		 "of views and tunlets. 'make install' puts it where each shell looks for such.\n"
		 "\n"
		 "Examples:\n"
		 "    source <(weft completion bash)\n"
		 "    weft completion zsh >_weft\n"
		 "    weft completion fish >weft.fish",
	.options = options,
	.run = run,
};
