/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command's process: forked first, so that a watch can be set on its pid, and let go by a byte in a pipe, which says whether it is. If exec fails, its
 * errno comes back through a second pipe; on success the pipe closes by itself.
 */
#include "base/str.h"
#include "record_run.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static int join_list(const struct weft_opt_list *list, struct weft_buf *out)
{
	for (unsigned i = 0; i < list->n; i++) {
		if (i)
			weft_buf_putc(out, ',');
		weft_buf_puts(out, list->at[i]);
	}
	return out->failed ? -ENOMEM : 0;
}

static bool is_rank(void)
{
	static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		if (getenv(names[i]))
			return true;
	return false;
}

int record_set_environment(const struct record_args *a, const char *dir, const uint8_t *run_id, int save_signal,
                           struct weft_err *err)
{
	char id[33], size[24], sig[16];
	struct weft_buf off = {0}, on = {0};
	for (unsigned i = 0; i < 16; i++)
		snprintf(id + 2 * i, 3, "%02x", run_id[i]);
	snprintf(size, sizeof size, "%llu", (unsigned long long)(a->ring ? a->ring : a->stop_at));
	snprintf(sig, sizeof sig, "%d", save_signal);
	int rc = join_list(&a->off, &off) || join_list(&a->on, &on) ? -ENOMEM : 0;
	/* Ranks may ask each other for the time where all of them are recorded: not where we are within one. */
	const char *clocks = getenv("WEFT_CLOCKS") ? getenv("WEFT_CLOCKS") : is_rank() ? "off" : "meet";
	/* A NULL value takes the name out: what an outer `weft record` has set is not for this command. */
	const struct {
		const char *name, *value;
	} env[] = {
		{"WEFT_DIR", dir},
		{"WEFT_RUN_ID", id},
		{"WEFT_MODE", a->ring      ? "ring"
	                      : a->stop_at ? "stop"
	                                   : "keep"},
		{"WEFT_SIZE", a->ring || a->stop_at ? size : NULL},
		{"WEFT_OFF", off.n ? off.at : NULL},
		{"WEFT_ON", on.n ? on.at : NULL},
		{"WEFT_CLOCKS", clocks},
		{"WEFT_SAVE_SIGNAL", save_signal ? sig : NULL},
	};
	for (unsigned i = 0; rc == 0 && i < sizeof env / sizeof *env; i++)
		if (env[i].value ? setenv(env[i].name, env[i].value, 1) : unsetenv(env[i].name))
			rc = -errno;
	weft_buf_fini(&off);
	weft_buf_fini(&on);
	return rc ? weft_err_sys(err, -rc, "cannot set the environment") : 0;
}

/* Only on this host: ranks on others inherit the environment, and nobody sees them. */
static void set_watched(bool watched)
{
	char host[65] = "";
	unsetenv("WEFT_WATCHED");
	if (watched && gethostname(host, sizeof host - 1) == 0)
		setenv("WEFT_WATCHED", host, 1);
}

static _Noreturn void child_main(const struct record_child *c, char **argv, const sigset_t *mask, int go, int result)
{
	bool watched;
	if (read(go, &watched, sizeof watched) == (ssize_t)sizeof watched) {
		set_watched(watched);
		if (c->size_signal)
			signal(SIGXFSZ, SIG_DFL);
		sigprocmask(SIG_SETMASK, mask, NULL);
		execvp(argv[0], argv);
		int error = errno;
		if (write(result, &error, sizeof error) != sizeof error)
			_exit(126);
	}
	_exit(127);
}

int record_fork(struct record_child *c, char **argv, const void *mask, struct weft_err *err)
{
	int go[2], result[2];
	c->pid = -1, c->go = -1, c->result = -1;
	if (pipe2(go, O_CLOEXEC))
		return weft_err_sys(err, errno, "cannot make a pipe");
	if (pipe2(result, O_CLOEXEC)) {
		int rc = weft_err_sys(err, errno, "cannot make a pipe");
		close(go[0]);
		close(go[1]);
		return rc;
	}
	c->pid = fork();
	if (c->pid == 0) {
		close(go[1]);
		child_main(c, argv, mask, go[0], result[1]);
	}
	int error = errno;
	close(go[0]);
	close(result[1]);
	c->go = go[1];
	c->result = result[0];
	if (c->pid < 0) {
		close(go[1]);
		close(result[0]);
		return weft_err_sys(err, error, "cannot start a process");
	}
	return 0;
}

int record_go(struct record_child *c, bool watched)
{
	int rc = write(c->go, &watched, sizeof watched) == (ssize_t)sizeof watched ? 0 : -errno;
	close(c->go);
	c->go = -1;
	return rc;
}

int record_parse_signal(const char *text)
{
	uint64_t number;
	if (weft_parse_u64(weft_str(text), &number) == 0)
		return number > 0 && number < (uint64_t)SIGRTMAX + 1 ? (int)number : -EINVAL;
	const char *name = strncasecmp(text, "SIG", 3) == 0 ? text + 3 : text;
	for (int sig = 1; sig <= SIGRTMAX; sig++) {
		const char *known = sigabbrev_np(sig);
		if (known && strcasecmp(known, name) == 0)
			return sig;
	}
	return -EINVAL;
}
