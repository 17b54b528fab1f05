/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collectors here are children that share the run's secret by having been forked; the first has a stream to the analyzer, the others
 * connect to those before them, and the last has the controller of this host below it. On another host the command of its
 * --place runs `weft tune-collector`, which reads the secret from its standard input.
 *
 *     analyzer --- 0 --+-- 1 --- 3 --- controller of this host
 *                      +-- 2
 *                      +-- weft tune-collector at NAME --- controller of that host
 */
#include "tune_tree.h"
#include "base/log.h"
#include "tune/wire/channel.h"
#include "tune/collect/tree.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { END_MS = 6000 };

static void say(void *ctx, const char *line)
{
	(void)ctx;
	weft_log(WEFT_LOG_WARN, "collector: %s", line);
}

static void tell(void *ctx, const char *address)
{
	(void)!write(*(int *)ctx, address, strlen(address) + 1);
}

/* All but the standard three and these is others' business. */
static void keep_only(const int *fd, unsigned n)
{
	for (int i = 3; i < 1024; i++) {
		bool kept = false;
		for (unsigned k = 0; k < n; k++)
			kept |= fd[k] == i;
		if (!kept)
			close(i);
	}
}

struct birth {
	int up, below, life, told; /* -1: none */
	const char *parent, *listen;
	uint32_t number;
};

static _Noreturn void collector_main(const struct tune_tree *t, const struct birth *b)
{
	struct weft_err err = {0};
	int told = b->told;
	sigset_t none;
	prctl(PR_SET_NAME, "weft-collector");
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGINT, SIG_IGN); /* of the terminal: it is the program's */
	signal(SIGQUIT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	keep_only((int[]){b->up, b->below, b->life, b->told}, 4);
	struct collect_how how = {.up = b->up,
	                          .parent = b->parent,
	                          .listen = b->listen,
	                          .below = &b->below,
	                          .n_below = b->below >= 0,
	                          .secret = t->secret,
	                          .number = b->number,
	                          .life = b->life,
	                          .listening = tell,
	                          .log = say,
	                          .ctx = &told};
	int rc = collect_run(&how, &err);
	if (rc)
		weft_log(WEFT_LOG_ERROR, "collector: %s", err.text);
	_exit(rc ? 2 : 0);
}

/* Begins one here, and hears where it listens. */
static int begin_here(struct tune_tree *t, struct birth *b, struct weft_err *err)
{
	int told[2];
	char *address = t->address[t->n];
	if (pipe2(told, O_CLOEXEC))
		return weft_err_sys(err, errno, "cannot make a pipe");
	b->told = told[1];
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0)
		collector_main(t, b);
	close(told[1]);
	size_t n = 0;
	while (pid > 0 && n < WIRE_PEER_BYTES - 1 && read(told[0], address + n, 1) == 1 && address[n])
		n++;
	address[n] = '\0';
	close(told[0]);
	if (pid < 0)
		return weft_err_sys(err, errno, "cannot start a process");
	t->pid[t->n++] = pid;
	t->n_here = t->n;
	return n ? 0 : weft_err_set(err, -EIO, "a collector did not begin");
}

/* COMMAND of NAME=COMMAND, with ours behind it; the secret is its input. */
static int begin_there(struct tune_tree *t, const char *place, const struct tune_tree_how *how, struct weft_err *err)
{
	char exe[PATH_MAX], *line = NULL;
	const char *command = strchr(place, '=');
	ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
	if (!command || command == place || !command[1])
		return weft_err_set(err, WEFT_E_SYNTAX, "--place: expected NAME=COMMAND, found '%s'", place);
	if (n <= 0)
		return weft_err_sys(err, errno, "cannot find this program");
	exe[n] = '\0';
	if (t->n == TUNE_COLLECTORS_MAX)
		return weft_err_set(err, -E2BIG, "more than %d collectors", TUNE_COLLECTORS_MAX);
	if (asprintf(&line, "exec %s '%s' tune-collector --parent '%s' --secret-fd 0 --agents '%s' --number %u%s", command + 1,
	             exe, t->address[0], how->agents, t->n + 1, how->waits ? " --when-full wait" : "") < 0)
		return weft_err_set(err, -ENOMEM, "out of memory");
	int secret = weft_secret_to_fd(&t->secret, err), rc = secret < 0 ? secret : 0;
	fflush(NULL);
	pid_t pid = rc ? -1 : fork();
	if (pid == 0) {
		dup2(secret, 0);
		keep_only(NULL, 0);
		execl("/bin/sh", "sh", "-c", line, (char *)NULL);
		_exit(127);
	}
	if (!rc && pid < 0)
		rc = weft_err_sys(err, errno, "cannot start a process");
	if (secret >= 0)
		close(secret);
	free(line);
	if (!rc) {
		t->place[t->n] = place;
		t->pid[t->n++] = pid;
	}
	return rc;
}

static int how_many(const struct tune_tree_how *how, unsigned *n, struct weft_err *err)
{
	uint64_t given;
	bool automatic = !how->collectors || strcmp(how->collectors, "auto") == 0;
	if (!automatic && (weft_parse_u64(weft_str(how->collectors), &given) || given >= TUNE_COLLECTORS_MAX))
		return weft_err_set(err, WEFT_E_SYNTAX, "--collectors: expected 'auto' or a number below %d, found '%s'",
		                    TUNE_COLLECTORS_MAX, how->collectors);
	/* One controller a host; what its processes will say is not known yet. Other hosts need one that listens; one that may grow must be there. */
	unsigned hosts = 1 + how->places->n;
	*n = automatic ? (hosts > 1 ? tree_plan(&(struct tree_load){.controllers = hosts}).collectors : 0) : (unsigned)given;
	*n = *n == 0 && (how->places->n || (how->collectors && automatic)) ? 1 : *n;
	return 0;
}

static int begin_all(struct tune_tree *t, const struct tune_tree_how *how, unsigned n, int up[2], int life, struct weft_err *err)
{
	int above[2] = {-1, -1}, below[2] = {-1, -1};
	int rc = weft_secret_new(&t->secret, err);
	rc = rc ? rc : channel_pair(above, err);
	rc = rc ? rc : channel_pair(below, err);
	for (unsigned i = 0; !rc && i < n; i++) {
		struct birth b = {.up = i ? -1 : above[0],
		                  .below = i == n - 1 ? below[1] : -1,
		                  .life = life,
		                  .parent = i ? t->address[tree_parent(i, TREE_WIDTH)] : NULL,
		                  .listen = how->listen ? how->listen : "127.0.0.1",
		                  .number = i + 1};
		rc = begin_here(t, &b, err);
	}
	for (unsigned i = 0; !rc && i < how->places->n; i++)
		rc = begin_there(t, how->places->at[i], how, err);
	if (!rc) {
		close(up[0]);
		close(up[1]);
		up[0] = below[0];
		up[1] = above[1];
	}
	int ours[] = {above[0], below[1], rc ? above[1] : -1, rc ? below[0] : -1};
	for (int i = 0; i < 4; i++)
		if (ours[i] >= 0)
			close(ours[i]);
	return rc;
}

int tune_tree_begin(struct tune_tree *t, const struct tune_tree_how *how, int up[2], struct weft_err *err)
{
	unsigned n = 0;
	int life[2], rc = how_many(how, &n, err);
	*t = (struct tune_tree){.life = -1};
	if (rc || n == 0)
		return rc;
	if (pipe2(life, O_CLOEXEC))
		return weft_err_sys(err, errno, "cannot make a pipe");
	t->life = life[1];
	rc = begin_all(t, how, n, up, life[0], err);
	close(life[0]);
	return rc;
}

const char *tune_tree_ended(struct tune_tree *t, pid_t pid)
{
	unsigned k = 0;
	while (k < t->n && t->pid[k] != pid)
		k++;
	if (k == t->n)
		return NULL;
	const char *place = t->place[k];
	t->n--;
	t->pid[k] = t->pid[t->n];
	t->place[k] = t->place[t->n];
	return place;
}

void tune_tree_end(struct tune_tree *t)
{
	if (t->life >= 0)
		close(t->life);
	t->life = -1;
	for (int waited = 0; t->n && waited < END_MS; waited += 10) {
		for (unsigned i = 0; i < t->n; i++)
			if (waitpid(t->pid[i], NULL, WNOHANG) != 0)
				t->pid[i--] = t->pid[--t->n];
		if (t->n)
			usleep(10000);
	}
	for (; t->n; t->n--) {
		kill(t->pid[t->n - 1], SIGKILL);
		waitpid(t->pid[t->n - 1], NULL, 0);
	}
	weft_secret_wipe(&t->secret);
}
