/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preloaded under one of the names of Extrae's libraries (links to this one), where its settings are there: the first process of a run has
 * `weft record --environment` make the trace, and its children inherit what that printed. At its end it has the .prv made that the settings
 * ask for. Ranks that a launcher starts side by side are told by the launcher's name of the job that they are one run.
 */
#include "link/link_job.h"
#include "preload_calls.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static char weft_path[PATH_MAX], merge_into[PATH_MAX]; /* empty: nothing is to be done at the end */
static pid_t first_process;

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* Where the command lies, beside us or in ../bin; false: we bear our own name. */
static bool under_their_name(void)
{
	Dl_info me;
	char real[PATH_MAX];
	if (!dladdr((void *)under_their_name, &me) || strncmp(base_name(me.dli_fname), "lib", 3) != 0 ||
	    !strstr(base_name(me.dli_fname), "trace") || !realpath(me.dli_fname, real))
		return false;
	*strrchr(real, '/') = '\0';
	static const char *const places[] = {"weft", "../bin/weft"};
	for (unsigned i = 0; i < sizeof places / sizeof *places; i++)
		if (snprintf(weft_path, sizeof weft_path, "%s/%s", real, places[i]) < (int)sizeof weft_path &&
		    access(weft_path, X_OK) == 0)
			return true;
	return false;
}

static void job_key(char *out, size_t room)
{
	struct timespec now;
	if (link_job_name(out, room))
		return;
	clock_gettime(CLOCK_REALTIME, &now);
	snprintf(out, room, "%d-%lld.%ld", (int)getpid(), (long long)now.tv_sec, now.tv_nsec);
}

/* The environment without what would preload us there. */
static char **plain_environment(void)
{
	size_t n = 0, kept = 0;
	while (environ[n])
		n++;
	char **e = malloc((n + 1) * sizeof *e);
	for (size_t i = 0; e && i < n; i++)
		if (strncmp(environ[i], "LD_PRELOAD=", 11) != 0)
			e[kept++] = environ[i];
	if (e)
		e[kept] = NULL;
	return e;
}

/* The command's process; its output goes to `to` when that is not negative. -1: there is none. */
static pid_t start_weft(char **argv, int to)
{
	posix_spawn_file_actions_t files;
	char **plain = plain_environment();
	pid_t pid = -1;
	if (plain && posix_spawn_file_actions_init(&files) == 0) {
		if (to >= 0)
			posix_spawn_file_actions_adddup2(&files, to, STDOUT_FILENO);
		if (posix_spawn(&pid, weft_path, &files, NULL, argv, plain))
			pid = -1;
		posix_spawn_file_actions_destroy(&files);
	}
	free(plain);
	return pid;
}

static void wait_for(pid_t pid)
{
	while (pid > 0 && waitpid(pid, NULL, 0) < 0)
		if (errno != EINTR)
			return;
}

static void take_line(char *line)
{
	char *value = strchr(line, '=');
	if (!value || strncmp(line, "WEFT_", 5) != 0)
		return;
	*value++ = '\0';
	if (strcmp(line, "WEFT_MERGED") != 0) {
		setenv(line, value, 1);
		return;
	}
	char folder[PATH_MAX], program[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
	program[n > 0 ? n : 0] = '\0';
	if (!getcwd(folder, sizeof folder))
		return;
	const char *name = *value ? value : base_name(program), *dot = strrchr(name, '.');
	const char *ending = dot && !strcmp(dot, ".prv") ? "" : ".prv";
	int length = *name == '/' ? snprintf(merge_into, sizeof merge_into, "%s%s", name, ending)
	                          : snprintf(merge_into, sizeof merge_into, "%s/%s%s", folder, name, ending);
	if (length >= (int)sizeof merge_into)
		merge_into[0] = '\0';
}

static void take_environment(int fd)
{
	FILE *f = fdopen(fd, "r");
	char *line = NULL;
	size_t room = 0;
	ssize_t n;
	if (!f) {
		close(fd);
		return;
	}
	while ((n = getline(&line, &room, f)) > 0) {
		if (line[n - 1] == '\n')
			line[n - 1] = '\0';
		take_line(line);
	}
	free(line);
	fclose(f);
}

static bool is_other_rank(void)
{
	static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"};
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		if (getenv(names[i]))
			return atoi(getenv(names[i])) != 0;
	return false;
}

static void make_trace(void)
{
	char key[300];
	int ends[2];
	job_key(key, sizeof key);
	char *argv[] = {"weft", "record", "--environment", "--join", key, is_other_rank() ? "-q" : NULL, NULL};
	if (pipe2(ends, O_CLOEXEC))
		return;
	pid_t pid = start_weft(argv, ends[1]);
	close(ends[1]);
	take_environment(ends[0]);
	wait_for(pid);
}

__attribute__((constructor)) static void start(void)
{
	int error = errno;
	const char *on = secure_getenv("EXTRAE_ON");
	bool settings = secure_getenv("EXTRAE_CONFIG_FILE") || secure_getenv("MPTRACE_CONFIG_FILE") || (on && !strcmp(on, "1"));
	if (settings && !getenv("WEFT_DIR") && under_their_name()) {
		make_trace();
		first_process = getpid();
	}
	errno = error;
}

__attribute__((destructor)) static void finish(void)
{
	if (!first_process || !*merge_into || getpid() != first_process || is_other_rank())
		return;
	char *trace = getenv("WEFT_DIR");
	if (!trace)
		return;
	char *argv[] = {"weft", "convert", "--like", "extrae", "--force", "-o", merge_into, trace, NULL};
	wait_for(start_weft(argv, -1));
}
