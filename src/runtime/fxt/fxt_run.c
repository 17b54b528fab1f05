/* SPDX-License-Identifier: Apache-2.0 */
/* Weft's commands on a trace, as children of the program. They are no part of what is recorded. */
#include "fxt.h"
#include "runtime/task/complain.h"
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Beside the library (a build folder), or in the folder bin beside the library's. */
static bool find_beside(const char *name, char out[PATH_MAX])
{
	static const char *const places[] = {"", "../bin/", "../../bin/"};
	Dl_info in;
	if (!dladdr(__builtin_return_address(0), &in) || !in.dli_fname)
		return false;
	const char *slash = strrchr(in.dli_fname, '/');
	int n = slash ? (int)(slash - in.dli_fname) + 1 : 0;
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		int got = snprintf(out, PATH_MAX, "%.*s%s%s%s", n, in.dli_fname, n ? "" : "./", places[i], name);
		if (got > 0 && got < PATH_MAX && access(out, X_OK) == 0)
			return true;
	}
	return false;
}

/* The program's, without what would record the child, or make it record. Its strings are the program's. */
static char **environment(void)
{
	static const char *const without[] = {"WEFT_", "STARPU_FXT_TRACE=", "STARPU_GENERATE_TRACE=", "LD_PRELOAD="};
	size_t n = 0, kept = 0;
	while (environ[n])
		n++;
	char **out = calloc(n + 1, sizeof *out);
	for (size_t i = 0; out && i < n; i++) {
		bool keep = true;
		for (size_t k = 0; k < sizeof without / sizeof *without; k++)
			keep = keep && strncmp(environ[i], without[k], strlen(without[k])) != 0;
		if (keep)
			out[kept++] = environ[i];
	}
	return out;
}

static int spawn_it(pid_t *child, const char *path, bool found, char *const *argv)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t how;
	sigset_t none;
	char **env = environment();
	if (!env)
		return ENOMEM;
	sigemptyset(&none);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO); /* the program's output is its own */
	posix_spawnattr_init(&how);
	posix_spawnattr_setsigmask(&how, &none);
	posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK);
	int rc = found ? posix_spawn(child, path, &files, &how, argv, env) : posix_spawnp(child, path, &files, &how, argv, env);
	posix_spawnattr_destroy(&how);
	posix_spawn_file_actions_destroy(&files);
	free(env);
	return rc;
}

int rt_fxt_run(const char *name, const char *const *arguments)
{
	char path[PATH_MAX];
	size_t n = 0;
	while (arguments[n])
		n++;
	char **argv = calloc(n + 2, sizeof *argv);
	if (!argv)
		return -ENOMEM;
	argv[0] = (char *)(uintptr_t)name;
	memcpy(argv + 1, arguments, n * sizeof *argv);
	bool found = find_beside(name, path);
	pid_t child;
	int status = 0, rc = spawn_it(&child, found ? path : name, found, argv), waited = 0;
	free(argv);
	if (rc) {
		rt_say("cannot run '%s': %s", name, rc == ENOENT ? "it is not there; install Weft's commands" : strerror(rc));
		return -rc;
	}
	while ((waited = waitpid(child, &status, 0)) < 0 && errno == EINTR)
		;
	if (waited < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 0))
		return 0; /* a program that ignores its children is not told how they end */
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		rt_say("cannot run '%s'", name);
	else if (WIFEXITED(status))
		rt_say("'%s' ended with status %d", name, WEXITSTATUS(status));
	else
		rt_say("'%s' was ended by signal %d", name, WTERMSIG(status));
	return -EIO;
}

enum { OPTIONS_MOST = 64 };

void rt_fxt_generate(const char *file)
{
	const char *argv[OPTIONS_MOST + 8], *folder = getenv("STARPU_FXT_PREFIX"),
					    *words = getenv("STARPU_GENERATE_TRACE_OPTIONS");
	int ranks, n = 0;
	char *rest = NULL;
	if (!file || starpu_get_env_number_default("STARPU_GENERATE_TRACE", 0) <= 0)
		return;
	if (rt_fxt_rank(&ranks) >= 0 && ranks > 1) {
		rt_say("STARPU_GENERATE_TRACE: of %d processes: starpu_fxt_tool -i, with all their files, makes the traces",
		       ranks);
		return;
	}
	argv[n++] = "-i";
	argv[n++] = file;
	if (folder && *folder) {
		argv[n++] = "-d";
		argv[n++] = folder;
	}
	char *copy = words ? strdup(words) : NULL;
	for (char *one = copy ? strtok_r(copy, " \t", &rest) : NULL; one; one = strtok_r(NULL, " \t", &rest)) {
		if (n == OPTIONS_MOST) {
			rt_say("STARPU_GENERATE_TRACE_OPTIONS: more than %d words", OPTIONS_MOST);
			break;
		}
		argv[n++] = one;
	}
	argv[n] = NULL;
	if (rt_fxt_run("starpu_fxt_tool", argv))
		rt_say("STARPU_GENERATE_TRACE: the trace itself is '%s'", file);
	free(copy);
}
