/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs as Extrae's settings want them: their options stand in front of those of the command line, which so count more; at the end there is a
 * .prv where they ask for one.
 */
#include "base/log.h"
#include "cli/common/cli.h"
#include "record_extrae.h"
#include "record_run.h"
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* The file that is asked for; NULL: none. Their old name of the variable counts, too. */
static const char *settings_file(const struct record_args *a)
{
	const char *file = a->extrae ? a->extrae : getenv("EXTRAE_CONFIG_FILE");
	return file && *file ? file : getenv("MPTRACE_CONFIG_FILE");
}

static int read_settings(struct record_extrae *e, const char *file, bool quiet)
{
	struct weft_err err = {0};
	int rc = file ? record_extrae_xml(e, file, &err) : record_extrae_environment(e, &err);
	if (rc)
		return cli_fail(&err);
	for (size_t i = 0; i < e->remark.n && !quiet; i++)
		weft_log(WEFT_LOG_WARN, "%s", e->remark.at[i]);
	return CLI_OK;
}

/* argv with the settings' options in front; its texts are the arena's and the caller's. */
static char **join(const struct record_extrae *e, int argc, char **argv, int *n)
{
	char **all = malloc(((size_t)argc + e->option.n + 1) * sizeof *all);
	if (!all)
		return NULL;
	*n = 0;
	all[(*n)++] = argv[0];
	for (size_t i = 0; i < e->option.n; i++)
		all[(*n)++] = e->option.at[i];
	for (int i = 1; i < argc; i++)
		all[(*n)++] = argv[i];
	all[*n] = NULL;
	return all;
}

int record_extrae_apply(struct record_args *a, int argc, char **argv, struct record_extrae *e, char ***joined)
{
	const char *file = settings_file(a);
	struct record_args fresh = RECORD_ARGS_NONE;
	int n, operands;
	*joined = NULL;
	if (!file && !extrae_yes(getenv("EXTRAE_ON")))
		return CLI_OK;
	e->known = weft_command_record.options;
	int status = read_settings(e, file, a->quiet);
	if (status)
		return status;
	*joined = join(e, argc, argv, &n);
	if (!*joined)
		return cli_fail_code(-ENOMEM);
	if (!cli_parse(&weft_command_record, &fresh, n, *joined, &operands))
		return CLI_USAGE;
	*a = fresh;
	return CLI_OK;
}

static int run_convert(const char *trace, const char *output)
{
	char *argv[] = {"weft", "convert", "--like", "extrae", "--force", "-o", (char *)output, (char *)trace, NULL};
	pid_t pid;
	int status;
	int rc = posix_spawn(&pid, "/proc/self/exe", NULL, NULL, argv, environ);
	if (rc)
		return -rc;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -EIO;
}

void record_extrae_merge(const struct record_extrae *e, const char *trace, const char *command, bool quiet)
{
	char name[4096];
	const char *slash = strrchr(command, '/'), *dot;
	snprintf(name, sizeof name, "%s", *e->merged ? e->merged : slash ? slash + 1 : command);
	dot = strrchr(name, '.');
	if (!dot || strcmp(dot, ".prv") != 0)
		snprintf(name + strlen(name), sizeof name - strlen(name), ".prv");
	int rc = run_convert(trace, name);
	if (rc)
		weft_log(WEFT_LOG_WARN, "cannot write '%s': %s", name, weft_err_name(rc));
	else if (!quiet)
		fprintf(stderr, "weft record: wrote %s\n", name);
}
