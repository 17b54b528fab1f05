/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tuned run: controller, analyzer and the command are processes of their own, so that each may die alone. This one starts them, waits for the
 * command, passes signals on to it, and ends with its status. Descriptors between them:
 *
 *     life of both   they end when this process does: closed, or (to the analyzer) with the command's status
 *     ready          the analyzer has prepared its tunlets; without that, nothing is run
 *     up             controller <-> analyzer
 *     listener       of the controller, for agents
 */
#include "tune_run.h"
#include "tune_trace.h"
#include "tune_tree.h"
#include "base/exit.h"
#include "base/fs.h"
#include "base/log.h"
#include "link/link_proto.h"
#include "probe/probe.h"
#include "probe/probe_watch.h"
#include "tune/wire/channel.h"
#include "tune/control/control.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PARTY_END_MS = 20000, LOOK_MS = 50 };

struct party {
	const char *name;
	pid_t pid; /* 0: it has ended */
	int life;  /* our end */
	int status;
};

struct run {
	const struct tune_args *args;
	struct analyze_how *how;
	struct party controller, analyzer;
	struct tune_tree tree;
	struct record_child child;
	struct record_dir dir;
	char *live; /* folder for what libweft records while nobody wants a trace, or NULL; owned */
	uint8_t run_id[16];
	struct probe_listener *listener; /* owned; the controller has a copy, and listens */
	int up[2], ready[2], signal_fd;
	char agent[PATH_MAX];
	uid_t uid; /* of the processes */
	pid_t attach[TUNE_ATTACH_MAX];
	unsigned n_attach;
	sigset_t signals, old_mask;
	bool began, ended, interrupted;
	int status;
};

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* ---- controller and analyzer ---- */

/* What all of them have open is the others' business. */
static void in_party(struct run *r, int *life, const char *name)
{
	prctl(PR_SET_NAME, name);
	sigprocmask(SIG_SETMASK, &r->old_mask, NULL);
	close_fd(&r->controller.life);
	close_fd(&r->analyzer.life);
	close_fd(&r->signal_fd);
	close_fd(&r->tree.life);
	fcntl(life[0], F_SETFD, FD_CLOEXEC);
	close(life[1]);
}

/* A run that has tuned nothing must not look like one that had nothing to tune. */
static void say_unwatched(const struct control_end *end)
{
	if (end->unwatched)
		weft_log(WEFT_LOG_WARN, "%u process%s not be taken on in time, and ran on without being tuned", end->unwatched,
		         end->unwatched == 1 ? " could" : "es could");
	if (end->silent)
		weft_log(WEFT_LOG_WARN, "%u connection%s no agent's and closed", end->silent,
		         end->silent == 1 ? " was" : "s were");
	if (end->processes == 0)
		weft_log(WEFT_LOG_WARN, "nothing was tuned: no process of the command had the agent%s",
		         end->unwatched ? "" : " (is it statically linked, or another user's?)");
}

static void controller_main(struct run *r, int *life)
{
	struct weft_err err = {0};
	struct control_end end = {0};
	in_party(r, life, "weft-controller");
	close_fd(&r->up[1]);
	close_fd(&r->ready[0]);
	close_fd(&r->ready[1]);
	struct control_how how = {.listener = r->listener,
	                          .up = r->up[0],
	                          .life = life[0],
	                          .number = 1,
	                          .waits = r->args->waits,
	                          .attach = r->attach,
	                          .n_attach = r->n_attach,
	                          .agent = r->agent,
	                          .end = &end};
	int rc = control_run(&how, &err);
	if (!rc && !r->args->place.n)
		say_unwatched(&end);
	exit(rc ? cli_fail(&err) : CLI_OK);
}

static void analyzer_main(struct run *r, int *life)
{
	struct weft_err err = {0};
	struct tune_trace trace = {0};
	in_party(r, life, "weft-analyzer");
	/* Collectors have it. This process begins others that run what a specification says, in a copy of its memory. */
	weft_secret_wipe(&r->tree.secret);
	close_fd(&r->up[0]);
	close_fd(&r->ready[0]);
	probe_listener_leave(r->listener);
	r->how->controller = &r->up[1];
	r->how->n_controllers = 1;
	r->how->collectors = r->tree.n;
	r->how->hosts = 1 + (unsigned)r->args->place.n;
	r->how->adapts &= r->tree.n > 0;
	r->how->life = life[0];
	r->how->ready = r->ready[1];
	if (r->dir.path) {
		if (tune_trace_open(&trace, r->dir.path, r->run_id, &err))
			exit(cli_fail(&err));
		r->how->sink = (struct analyze_sink){&trace, tune_trace_process, tune_trace_point};
	}
	int rc = analyze_run(r->how, &err);
	tune_trace_close(&trace);
	exit(rc ? cli_fail(&err) : CLI_OK);
}

static int start_party(struct run *r, struct party *p, const char *name, void (*main_of)(struct run *r, int *life),
                       struct weft_err *err)
{
	int life[2];
	if (pipe2(life, O_CLOEXEC))
		return weft_err_sys(err, errno, "cannot make a pipe");
	fflush(NULL);
	p->name = name;
	p->pid = fork();
	if (p->pid == 0) {
		main_of(r, life);
		_exit(CLI_USAGE);
	}
	close(life[0]);
	p->life = life[1];
	if (p->pid > 0)
		return 0;
	p->pid = 0;
	return weft_err_sys(err, errno, "cannot start a process");
}

/* The command of a --place was to run as long as we do. */
static bool place_ended(struct run *r, pid_t pid, int status)
{
	const char *place = tune_tree_ended(&r->tree, pid);
	if (place && !r->ended)
		weft_log(r->began ? WEFT_LOG_WARN : WEFT_LOG_ERROR, "--place '%s': the command has ended %s %d", place,
		         WIFSIGNALED(status) ? "by signal" : "with status",
		         WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	return place;
}

/* Commands of places that have ended before the run has begun. */
static bool places_lost(struct run *r)
{
	bool lost = false;
	int status;
	for (unsigned k = r->tree.n; k-- > 0;)
		if (r->tree.place[k] && waitpid(r->tree.pid[k], &status, WNOHANG) == r->tree.pid[k])
			lost |= place_ended(r, r->tree.pid[k], status);
	return lost;
}

/* The analyzer has said that it can begin; else its exit status. */
static int wait_ready(struct run *r)
{
	char byte;
	ssize_t n = -1;
	struct pollfd at = {r->ready[0], POLLIN, 0};
	close_fd(&r->ready[1]);
	while (poll(&at, 1, r->args->place.n ? LOOK_MS : -1) <= 0)
		if (places_lost(r))
			return CLI_USAGE;
	while ((n = read(r->ready[0], &byte, 1)) < 0 && errno == EINTR)
		;
	close_fd(&r->ready[0]);
	r->began = n == 1;
	if (r->began)
		return CLI_OK;
	int status = 0;
	while (waitpid(r->analyzer.pid, &status, 0) < 0 && errno == EINTR)
		;
	r->analyzer.pid = 0;
	if (WIFSIGNALED(status))
		weft_log(WEFT_LOG_ERROR, "the analyzer has ended by a signal (%s)", strsignal(WTERMSIG(status)));
	return WIFEXITED(status) && WEXITSTATUS(status) ? WEXITSTATUS(status) : CLI_USAGE;
}

/* ---- the command ---- */

static int open_signals(struct run *r, struct weft_err *err)
{
	static const int forwarded[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGCHLD};
	sigemptyset(&r->signals);
	for (unsigned i = 0; i < sizeof forwarded / sizeof *forwarded; i++)
		sigaddset(&r->signals, forwarded[i]);
	signal(SIGCHLD, SIG_DFL);
	sigprocmask(SIG_BLOCK, &r->signals, &r->old_mask);
	r->signal_fd = signalfd(-1, &r->signals, SFD_CLOEXEC | SFD_NONBLOCK);
	return r->signal_fd < 0 ? weft_err_sys(err, errno, "cannot wait for signals") : 0;
}

static int start_command(struct run *r, char **argv, struct weft_err *err)
{
	int rc = probe_set_environment(r->agent, probe_listener_name(r->listener), err);
	rc = rc ? rc : record_fork(&r->child, argv, &r->old_mask, err);
	if (rc == 0 && (rc = record_go(&r->child, false)))
		weft_err_sys(err, -rc, "cannot start the command");
	if (rc)
		return rc;
	int error;
	if (read(r->child.result, &error, sizeof error) != (ssize_t)sizeof error)
		return 0;
	weft_log(WEFT_LOG_ERROR, "cannot run '%s': %s", argv[0], weft_err_name(-error));
	r->status = (error == ENOENT ? 127 : 126) << 8;
	while (waitpid(r->child.pid, NULL, 0) < 0 && errno == EINTR)
		;
	r->child.pid = -1;
	return 0;
}

/* ---- while it runs ---- */

static void party_ended(struct run *r, struct party *p, int status)
{
	p->pid = 0;
	p->status = status;
	bool explained = r->n_attach && p == &r->controller && WIFEXITED(status) && WEXITSTATUS(status);
	if (!r->ended && !explained)
		weft_log(WEFT_LOG_WARN, "the %s has ended%s: the program runs on without being tuned", p->name,
		         WIFSIGNALED(status) ? " by a signal" : "");
}

static void tune_reap(struct run *r)
{
	int status;
	for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
		if (pid == r->controller.pid)
			party_ended(r, &r->controller, status);
		else if (pid == r->analyzer.pid)
			party_ended(r, &r->analyzer, status);
		else if (pid == r->child.pid) {
			r->ended = true;
			r->status = status;
		} else {
			place_ended(r, pid, status);
		}
	}
}

static void on_signal(struct run *r, const struct signalfd_siginfo *s)
{
	int sig = (int)s->ssi_signo;
	if (sig == SIGCHLD)
		return;
	if (r->child.pid <= 0)
		r->interrupted = true;
	else if (s->ssi_code != SI_KERNEL && !r->ended) /* the terminal has sent Ctrl-C to the command, too */
		kill(r->child.pid, sig);
}

/* Processes that we have attached to are not our children. */
static bool attached_left(const struct run *r)
{
	for (unsigned i = 0; i < r->n_attach; i++)
		if (kill(r->attach[i], 0) == 0 || errno == EPERM)
			return true;
	return false;
}

static void tune_loop(struct run *r)
{
	struct pollfd at = {r->signal_fd, POLLIN, 0};
	bool attach = r->n_attach > 0;
	while (!r->ended) {
		struct signalfd_siginfo s;
		(void)!poll(&at, 1, attach ? LOOK_MS : -1);
		while (read(r->signal_fd, &s, sizeof s) == (ssize_t)sizeof s)
			on_signal(r, &s);
		tune_reap(r);
		if (attach)
			r->ended = r->interrupted || !attached_left(r) || !r->controller.pid;
	}
}

/* ---- after ---- */

static void end_party(struct run *r, struct party *p)
{
	int waited = 0;
	close_fd(&p->life);
	while (p->pid && waited < PARTY_END_MS) {
		tune_reap(r);
		if (p->pid)
			(void)!poll(NULL, 0, LOOK_MS / 10);
		waited += LOOK_MS / 10;
	}
	if (!p->pid)
		return;
	weft_log(WEFT_LOG_WARN, "the %s does not end, and is killed", p->name);
	kill(p->pid, SIGKILL);
	while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
		;
	p->pid = 0;
}

static int tune_finish(struct run *r)
{
	struct rusage kids;
	struct analyze_end end = {.status = r->status};
	getrusage(RUSAGE_CHILDREN, &kids);
	end.cpu_ns = (uint64_t)(kids.ru_utime.tv_sec + kids.ru_stime.tv_sec) * 1000000000u +
	             (uint64_t)(kids.ru_utime.tv_usec + kids.ru_stime.tv_usec) * 1000u;
	r->ended = true;
	signal(SIGPIPE, SIG_IGN);
	/* A command that never ran has no report. */
	bool ran = r->n_attach || r->child.pid > 0;
	if (ran && r->analyzer.pid && write(r->analyzer.life, &end, sizeof end) != (ssize_t)sizeof end)
		weft_log(WEFT_LOG_WARN, "the analyzer does not hear: there is no report");
	end_party(r, &r->analyzer);
	end_party(r, &r->controller);
	/* It has said why. */
	if (r->n_attach && WIFEXITED(r->controller.status) && WEXITSTATUS(r->controller.status))
		return WEXITSTATUS(r->controller.status);
	if (r->n_attach)
		return WIFEXITED(r->analyzer.status) ? WEXITSTATUS(r->analyzer.status) : CLI_USAGE;
	return weft_exit_code(r->status);
}

/*
 * Whose it is, when we may change it; else a line. A process of two users (a setuid program) is nobody's to change.
 */
static int look_at_process(struct run *r, pid_t pid)
{
	uid_t uid = 0;
	struct weft_err err = {0};
	if (probe_may_attach(pid, &uid, &err))
		return cli_fail(&err);
	if (r->n_attach && uid != r->uid) {
		weft_log(WEFT_LOG_ERROR, "processes %d and %d belong to different users", (int)r->attach[0], (int)pid);
		return CLI_USAGE;
	}
	r->uid = uid;
	return CLI_OK;
}

static int read_pids(struct run *r)
{
	for (unsigned i = 0; i < r->args->attach.n; i++) {
		uint64_t pid;
		if (weft_parse_u64(weft_str(r->args->attach.at[i]), &pid) || pid == 0 || pid > INT_MAX || i == TUNE_ATTACH_MAX)
			return cli_usage(&weft_command_tune, "'%s' is no process", r->args->attach.at[i]);
		if (kill((pid_t)pid, 0) && errno == ESRCH) {
			weft_log(WEFT_LOG_ERROR, "there is no process %llu", (unsigned long long)pid);
			return CLI_USAGE;
		}
		int status = look_at_process(r, (pid_t)pid);
		if (status != CLI_OK)
			return status;
		r->attach[r->n_attach++] = (pid_t)pid;
	}
	return CLI_OK;
}

static int tune_begin(struct run *r, struct weft_err *err)
{
	int rc = tune_agent_path(r->agent, sizeof r->agent, err);
	if (rc)
		return rc;
	struct probe_listen_how listen = {.everywhere = r->args->place.n > 0, .other = r->uid != geteuid(), .uid = r->uid};
	rc = probe_listen(&r->listener, &listen, err);
	rc = rc ? rc : channel_pair(r->up, err);
	if (rc == 0 && pipe2(r->ready, O_CLOEXEC))
		rc = weft_err_sys(err, errno, "cannot make a pipe");
	struct tune_tree_how tree = {r->args->collectors, r->args->listen, &r->args->place,
	                             rc ? NULL : probe_listener_name(r->listener), r->args->waits};
	rc = rc ? rc : tune_tree_begin(&r->tree, &tree, r->up, err);
	rc = rc ? rc : open_signals(r, err);
	rc = rc ? rc : start_party(r, &r->analyzer, "analyzer", analyzer_main, err);
	rc = rc ? rc : start_party(r, &r->controller, "controller", controller_main, err);
	close_fd(&r->up[0]);
	close_fd(&r->up[1]);
	return rc;
}

/* Events of the program's own are read from what it records: into a folder that goes away. */
static int prepare_live(struct run *r, struct weft_err *err)
{
	struct record_args none = {0};
	const char *tmp = getenv("TMPDIR");
	bool wanted = false;
	for (unsigned k = 0; k < r->how->n_tunlets; k++)
		wanted |= weft_spec_emits(r->how->tunlet[k].spec);
	if (!wanted || r->dir.path)
		return 0;
	if (asprintf(&r->live, "%s/weft-live-XXXXXX", tmp && *tmp ? tmp : "/tmp") < 0) {
		r->live = NULL;
		return weft_err_set(err, -ENOMEM, "out of memory");
	}
	if (!mkdtemp(r->live))
		return weft_err_sys(err, errno, "cannot make a temporary folder");
	return record_set_environment(&none, r->live, r->run_id, 0, err);
}

static void remove_live(struct run *r)
{
	if (r->live)
		(void)!weft_remove_tree(r->live, NULL);
	free(r->live);
}

int tune_run(const struct tune_args *args, struct analyze_how *how, char **argv)
{
	struct run r = {.args = args,
	                .how = how,
	                .uid = geteuid(),
	                .up = {-1, -1},
	                .ready = {-1, -1},
	                .signal_fd = -1,
	                .controller.life = -1,
	                .analyzer.life = -1,
	                .tree.life = -1,
	                .child = {-1, -1, -1, false}};
	struct weft_err err = {0};
	int status = read_pids(&r);
	if (status != CLI_OK)
		return status;
	int rc = args->output
	                 ? tune_trace_prepare(&r.dir, args->output, args->force, argv[0] ? argv[0] : "attached", r.run_id, &err)
	                 : 0;
	rc = rc ? rc : prepare_live(&r, &err);
	rc = rc ? rc : tune_begin(&r, &err);
	status = rc ? cli_fail(&err) : wait_ready(&r);
	if (status == CLI_OK && !args->attach.n && start_command(&r, argv, &err))
		status = cli_fail(&err);
	if (r.listener)
		probe_listener_leave(r.listener);
	if (status == CLI_OK) {
		if (r.dir.path)
			record_dir_keep(&r.dir);
		if (r.status == 0)
			tune_loop(&r);
		status = tune_finish(&r);
	} else {
		r.ended = true;
		end_party(&r, &r.controller);
		end_party(&r, &r.analyzer);
		if (r.dir.path)
			record_dir_undo(&r.dir);
	}
	tune_tree_end(&r.tree);
	record_dir_fini(&r.dir);
	remove_live(&r);
	probe_listener_free(r.listener);
	close_fd(&r.signal_fd);
	return status;
}
