/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `weft record`: runs a command with recording set up through the environment, and writes beside the streams of libweft one of
 * its own: the processes and threads that it saw, the machine.
 *
 *     directory -> launcher's stream, topology -> fork -> watch its pid -> let it exec -> loop -> count, one line, its status
 *
 * One thread, one loop around poll: signals (signalfd), the result of exec, the rings of the watch. Nothing of it is needed by
 * the command: when `weft record` is killed, the command runs on, libweft records on, and the trace stays readable.
 */
#include "base/clock.h"
#include "base/exit.h"
#include "base/log.h"
#include "cli/common/cli.h"
#include "record_control.h"
#include "record_extrae.h"
#include "record_run.h"
#include "record_probe.h"
#include "record_represent.h"
#include "record_tree.h"
#include "record_watch.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOOK_LEAST_MS 2
#define LOOK_MOST_MS 32
#define DESCRIPTORS_MOST 1026
#define DISK_LEAST_BYTES (1u << 20)      /* with less, the next process may have had no space for its stream */
#define FIRST_TIME_NAMESPACE 0xeffffffau /* PROC_TIME_INIT_INO of the kernel */

struct record_run {
	struct record_args args;
	struct record_extrae extrae;
	struct record_dir dir;
	struct record_stream stream;
	struct record_child child;
	struct record_watch watch;
	struct record_tree tree;
	struct record_packer *packer;
	struct record_prober *prober;
	struct record_control control;
	struct record_represent *representer;
	struct record_represented represented;
	struct record_probed probed;
	struct record_totals totals;
	char host[65], boot_id[96], stream_name[96], not_watched[400];
	uint8_t run_id[16];
	sigset_t signals, old_mask;
	int signal_fd, save_signal;
	int exec_error; /* errno value, or 0 */
	bool ended;
	int status; /* wait status */
	uint64_t began_ns, lost;
};

static const struct weft_opt record_options[] = {
	{'o', "output", "DIR", WEFT_OPT_STRING, offsetof(struct record_args, output),
         "record into DIR (default: NAME.weft after the command, or NAME-2.weft...)"},
	{0, "force", NULL, WEFT_OPT_FLAG, offsetof(struct record_args, force), "replace the trace that is in DIR"},
	{0, "ring", "SIZE", WEFT_OPT_BYTES, offsetof(struct record_args, ring),
         "flight recorder: keep only the last SIZE of events of each process"},
	{0, "stop-at", "SIZE", WEFT_OPT_BYTES, offsetof(struct record_args, stop_at),
         "end recording in a process when it has written SIZE"},
	{0, "save-on", "SIGNAL", WEFT_OPT_STRING, offsetof(struct record_args, save_on),
         "with --ring: save what the ring holds at this signal (USR1, 10...)"},
	{0, "off", "CATEGORY", WEFT_OPT_LIST, offsetof(struct record_args, off),
         "begin with this category of events switched off; may be repeated"},
	{0, "on", "CATEGORY", WEFT_OPT_LIST, offsetof(struct record_args, on),
         "begin with this category switched on; may be repeated"},
	{0, "probe", "FUNCTION", WEFT_OPT_LIST, offsetof(struct record_args, probe),
         "watch a function of programs as they are: 'NAME', 'NAME(x, p->n; return)'; may be repeated"},
	{0, "sample", "HZ", WEFT_OPT_STRING, offsetof(struct record_args, sample),
         "samples a second of CPU time of each thread (default: 100), or HZ:wall, of waiting threads, too; --off samples: none"},
	{0, "sample-period", "TIME", WEFT_OPT_NS, offsetof(struct record_args, sample_period),
         "in place of --sample: CPU time from one sample to the next, 100us to 1s"},
	{0, "bursts", "TIME", WEFT_OPT_NS, offsetof(struct record_args, bursts),
         "of MPI and OpenMP only what lies between computation of at least TIME: calls, times, bytes"},
	{0, "callers", "N", WEFT_OPT_STRING, offsetof(struct record_args, callers),
         "record the N callers of calls of MPI, OpenMP, with files, for memory, and of waits; N:TIME, of those that last as long"},
	{0, "counters", "NAMES", WEFT_OPT_LIST, offsetof(struct record_args, counters),
         "read these counters with each sample: NAME,NAME...; NAMES@regions, @CATEGORY, @TIME: elsewhere; list: say which there are; "
         "may be repeated"},
	{0, "ranks", "LIST", WEFT_OPT_STRING, offsetof(struct record_args, ranks),
         "only these ranks of a parallel program record: 0-3,7"},
	{0, "while", "FILE", WEFT_OPT_STRING, offsetof(struct record_args, while_file), "record while FILE exists"},
	{0, "paused", NULL, WEFT_OPT_FLAG, offsetof(struct record_args, paused),
         "record nothing until 'weft ctl TRACE start', or the signal of --toggle-on"},
	{0, "toggle-on", "SIGNAL", WEFT_OPT_STRING, offsetof(struct record_args, toggle_on),
         "this signal to weft record switches recording off, and on again"},
	{0, "after", "TIME", WEFT_OPT_NS, offsetof(struct record_args, after), "record from TIME after the begin on"},
	{0, "for", "TIME", WEFT_OPT_NS, offsetof(struct record_args, only_for),
         "record for so long, and nothing of what comes then"},
	{0, "first", "REGION=N", WEFT_OPT_STRING, offsetof(struct record_args, first),
         "each process ends recording behind its first N calls of this region: MPI_Allreduce=100, a pattern as 'MPI_*=1000'"},
	{0, "representative", NULL, WEFT_OPT_FLAG, offsetof(struct record_args, representative),
         "keep only what is new: stretches that resemble earlier ones are left out, and counted"},
	{0, "stretch", "TIME", WEFT_OPT_NS, offsetof(struct record_args, stretch),
         "with --representative: decide for so long at a time (default: 100ms)"},
	{0, "tolerance", "PART", WEFT_OPT_DOUBLE, offsetof(struct record_args, tolerance),
         "with --representative: stretches resemble each other that differ by no more (default: 0.2)"},
	{0, "attach", "PID", WEFT_OPT_STRING, offsetof(struct record_args, attach),
         "record a process that runs already: samples, and functions that --probe names, until it ends or Ctrl-C"},
	{0, "watch", "HOW", WEFT_OPT_STRING, offsetof(struct record_args, watch),
         "how processes and threads are seen: perf, ptrace or none (default: the first that works)"},
	{0, "extrae", "FILE", WEFT_OPT_STRING, offsetof(struct record_args, extrae),
         "record as Extrae's XML FILE says (default: $EXTRAE_CONFIG_FILE, where that is set)"},
	{0, "environment", NULL, WEFT_OPT_FLAG, offsetof(struct record_args, environment),
         "run nothing: make the trace, and print the variables that a process needs to record into it"},
	{0, "join", "KEY", WEFT_OPT_STRING, offsetof(struct record_args, join),
         "with --environment: the trace that others made with the same KEY, where there is one"},
	{0, "pack", NULL, WEFT_OPT_FLAG, offsetof(struct record_args, pack), "compress finished streams in the background"},
	{'q', "quiet", NULL, WEFT_OPT_FLAG, offsetof(struct record_args, quiet), "do not say at the end what was recorded"},
	{0},
};

/* ---- before ---- */

void record_boot_id(char *out, size_t n)
{
	char text[64] = "";
	struct stat st;
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");
	if (f && fscanf(f, "%60s", text) != 1)
		text[0] = '\0';
	if (f)
		fclose(f);
	if (stat("/proc/self/ns/time", &st) == 0 && st.st_ino != FIRST_TIME_NAMESPACE)
		snprintf(out, n, "%s/time-%lu", text, (unsigned long)st.st_ino);
	else
		snprintf(out, n, "%s", text);
}

static void read_machine(struct record_run *r)
{
	if (gethostname(r->host, sizeof r->host - 1))
		snprintf(r->host, sizeof r->host, "localhost");
	for (char *c = r->host; *c; c++)
		if (*c == '/')
			*c = '_';
	record_boot_id(r->boot_id, sizeof r->boot_id);
	if (getrandom(r->run_id, sizeof r->run_id, 0) != (ssize_t)sizeof r->run_id) {
		uint64_t now[2] = {weft_realtime_ns(), (uint64_t)getpid()};
		memcpy(r->run_id, now, sizeof now);
	}
	snprintf(r->stream_name, sizeof r->stream_name, "%s-%d-launcher.stream", r->host, (int)getpid());
}

static bool has_empty(const struct weft_opt_list *list)
{
	for (unsigned i = 0; i < list->n; i++)
		if (!*list->at[i])
			return true;
	return false;
}

static int check_args(struct record_run *r, struct weft_err *err)
{
	struct record_args *a = &r->args;
	if (!a->ring || !a->stop_at)
		return weft_err_set(err, -EINVAL, "option '--%s': expected a size greater than 0", a->ring ? "stop-at" : "ring");
	a->ring = a->ring == RECORD_NOT_GIVEN ? 0 : a->ring;
	a->stop_at = a->stop_at == RECORD_NOT_GIVEN ? 0 : a->stop_at;
	if (has_empty(&a->on) || has_empty(&a->off))
		return weft_err_set(err, -EINVAL, "option '--%s': expected a category, found ''",
		                    has_empty(&a->on) ? "on" : "off");
	if (a->ring && a->stop_at)
		return weft_err_set(err, -EINVAL, "--ring and --stop-at exclude each other");
	if (a->environment && (a->probe.n || a->pack))
		return weft_err_set(err, -EINVAL, "--environment runs nothing that --%s could watch", a->pack ? "pack" : "probe");
	if (a->attach && (a->environment || a->pack || a->ring || a->stop_at || a->ranks || a->while_file || a->first ||
	                  a->callers || a->counters.n))
		return weft_err_set(err, -EINVAL,
		                    "--attach goes with --output, --force, --quiet, --probe, --sample and --off samples alone");
	if (a->join && !(a->environment && a->output))
		return weft_err_set(err, -EINVAL, "--join needs --environment and --output");
	if (a->save_on && !a->ring)
		return weft_err_set(err, -EINVAL, "--save-on needs --ring SIZE");
	if (a->save_on) {
		r->save_signal = record_parse_signal(a->save_on);
		if (r->save_signal < 0 || r->save_signal == SIGKILL || r->save_signal == SIGSTOP || r->save_signal == SIGCHLD)
			return weft_err_set(err, -EINVAL, "'%s' is no signal that a program can wait for", a->save_on);
	}
	int rc = record_control_check(&r->control, a, err);
	rc = rc ? rc : record_represent_check(a, err);
	return rc ? rc : record_sample(a, err);
}

static int open_signals(struct record_run *r, struct weft_err *err)
{
	static const int forwarded[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
	sigemptyset(&r->signals);
	for (unsigned i = 0; i < sizeof forwarded / sizeof *forwarded; i++)
		sigaddset(&r->signals, forwarded[i]);
	sigaddset(&r->signals, SIGCHLD);
	if (r->save_signal)
		sigaddset(&r->signals, r->save_signal);
	if (r->control.signal)
		sigaddset(&r->signals, r->control.signal);
	/* Our parent may ignore it; then nobody would tell us of the command's end. */
	signal(SIGCHLD, SIG_DFL);
	sigprocmask(SIG_BLOCK, &r->signals, &r->old_mask);
	r->signal_fd = signalfd(-1, &r->signals, SFD_CLOEXEC | SFD_NONBLOCK);
	return r->signal_fd < 0 ? weft_err_sys(err, errno, "cannot wait for signals") : 0;
}

static int set_environment(struct record_run *r, const char *dir, struct weft_err *err)
{
	int rc = record_set_environment(&r->args, dir, r->run_id, r->save_signal, err);
	if (!rc && (rc = record_preload(&r->args)))
		rc = weft_err_sys(err, -rc, "cannot set the environment");
	return rc;
}

/* The trace, with what is known of the machine. */
static int make_trace(struct record_run *r, const char *program, struct weft_err *err)
{
	int rc = record_dir_make(&r->dir, r->args.output, program, r->args.force, err);
	if (!rc)
		rc = record_stream_open(&r->stream, r->dir.path, r->stream_name, r->run_id, 0, err);
	if (!rc && record_topology(&r->stream, r->dir.path, r->host))
		weft_log(WEFT_LOG_INFO, "the machine's topology could not be read");
	return rc;
}

/* Everything up to the process that waits for its exec. */
static int record_prepare(struct record_run *r, char **argv, struct weft_err *err)
{
	int rc = make_trace(r, argv[0], err);
	if (rc || (rc = open_signals(r, err)))
		return rc;
	struct record_prober_how how = {.probes = &r->args.probe, .dir = r->dir.path};
	if (r->args.probe.n && (rc = record_prober_new(&r->prober, &how, err)))
		return rc;
	if ((rc = set_environment(r, r->dir.path, err)) || (rc = record_control_begin(&r->control, &r->args, r->dir.path, err)))
		return rc;
	if ((rc = record_fork(&r->child, argv, &r->old_mask, err)))
		return rc;
	/* Not earlier: it is the command's writes that must fail as they did. */
	signal(SIGPIPE, SIG_IGN);
	return 0;
}

static int record_begin(struct record_run *r, struct weft_err *err)
{
	int rc = record_watch_start(&r->watch, r->args.watch, r->child.pid, r->not_watched, sizeof r->not_watched, err);
	if (rc)
		return rc;
	r->began_ns = weft_monotonic_ns();
	if ((rc = record_tree_init(&r->tree, &r->stream, r->child.pid, r->host, r->boot_id)))
		return weft_err_sys(err, -rc, "cannot start the command");
	if (r->prober && (rc = record_prober_start(r->prober)))
		return weft_err_sys(err, -rc, "cannot watch functions");
	if ((rc = record_go(&r->child, r->watch.backend != &record_watch_none)))
		return weft_err_sys(err, -rc, "cannot start the command");
	if (r->args.representative && (rc = record_represent_start(&r->representer, &r->args, r->dir.path, r->stream_name)))
		return weft_err_sys(err, -rc, "cannot start the command");
	if (r->args.pack && !r->args.representative) /* what is packed cannot be left out any more */
		record_packer_start(&r->packer, r->dir.path, &r->totals);
	return 0;
}

/* ---- while it runs ---- */

static void on_signal(struct record_run *r, const struct signalfd_siginfo *s)
{
	int sig = (int)s->ssi_signo;
	if (sig == SIGCHLD)
		return; /* reap is called after every look at the signals */
	if (sig == r->save_signal && record_signal_recorders(r->dir.path, r->host, sig) > 0)
		return;
	if (sig == r->control.signal) {
		record_control_toggle(&r->control);
		return;
	}
	/* The terminal has sent Ctrl-C to the command, too. */
	if (s->ssi_code != SI_KERNEL && !r->ended)
		kill(r->child.pid, sig);
}

static void look_at_signals(struct record_run *r)
{
	struct signalfd_siginfo s;
	while (read(r->signal_fd, &s, sizeof s) == (ssize_t)sizeof s)
		on_signal(r, &s);
	r->ended = r->ended || r->watch.backend->reap(&r->watch, &r->status);
}

static void look_at_result(struct record_run *r)
{
	int error;
	if (read(r->child.result, &error, sizeof error) == (ssize_t)sizeof error) {
		r->exec_error = error;
	} else {
		record_dir_keep(&r->dir);
		if (r->watch.backend->execed)
			r->watch.backend->execed(&r->watch);
	}
	close(r->child.result);
	r->child.result = -1;
}

/* Rings are looked at often while there is something in them, and seldom when there is not. */
static int next_look_ms(const struct record_watch *w, int last_ms, bool seen)
{
	if (!w->backend->must_look)
		return w->queue.event.n ? LOOK_MOST_MS : -1;
	return seen ? LOOK_LEAST_MS : last_ms * 2 < LOOK_MOST_MS ? last_ms * 2 : LOOK_MOST_MS;
}

static void record_loop(struct record_run *r)
{
	struct pollfd at[DESCRIPTORS_MOST];
	int look_ms = LOOK_LEAST_MS;
	while (!r->ended) {
		unsigned n = 2;
		at[0] = (struct pollfd){r->signal_fd, POLLIN, 0};
		at[1] = (struct pollfd){r->child.result, POLLIN, 0};
		n += r->watch.backend->descriptors(&r->watch, at + n, DESCRIPTORS_MOST - n);
		if (poll(at, n, record_control_wait_ms(&r->control, look_ms)) < 0 && errno != EINTR)
			return;
		record_control_look(&r->control);
		if (at[1].revents)
			look_at_result(r);
		look_at_signals(r);
		bool seen = record_watch_take(&r->watch, false, record_tree_see, &r->tree);
		look_ms = next_look_ms(&r->watch, look_ms, seen);
	}
}

/* ---- after ---- */

static void record_end(struct record_run *r)
{
	r->tree.command_status = r->status;
	r->tree.command_cpu = r->watch.command_cpu;
	record_watch_take(&r->watch, true, record_tree_see, &r->tree);
	if (r->child.result >= 0)
		look_at_result(r);
	r->lost = r->watch.queue.lost + r->tree.unknown + record_stream_dropped(&r->stream);
}

static const char *why_dropped(const struct record_run *r)
{
	if (r->totals.reason)
		return weft_err_name(-r->totals.reason);
	return r->totals.limit ? "--stop-at was reached" : "recording went on";
}

static void say_recorded(const struct record_run *r, uint32_t processes, uint32_t threads, struct weft_buf *b)
{
	const struct record_totals *t = &r->totals;
	char text[32];
	if (t->streams) {
		weft_buf_printf(b, "%s%s events ", t->estimated ? "about " : "", weft_human_count(text, t->events));
		weft_buf_printf(b, "of %llu process%s and %u thread%s, ", (unsigned long long)t->streams,
		                t->streams == 1 ? "" : "es", t->threads, t->threads == 1 ? "" : "s");
		weft_buf_printf(b, "%s", weft_human_bytes(text, t->bytes));
	} else {
		weft_buf_printf(b, "no events of libweft: recorded %u process%s and %u thread%s, their execs and exits",
		                processes, processes == 1 ? "" : "es", threads, threads == 1 ? "" : "s");
	}
	if (r->args.probe.n)
		weft_buf_printf(b, ", probes put into %u process%s", r->probed.processes, r->probed.processes == 1 ? "" : "es");
	if (t->dropped)
		weft_buf_printf(b, ", %s dropped (%s)", weft_human_count(text, t->dropped), why_dropped(r));
	if (r->represented.stretches)
		weft_buf_printf(b, ", %llu of %llu stretches left out (%llu kinds)", (unsigned long long)r->represented.left_out,
		                (unsigned long long)r->represented.stretches, (unsigned long long)r->represented.kinds);
	if (r->represented.as_they_are)
		weft_buf_printf(b, ", %u stream%s whole (still open, or damaged)", r->represented.as_they_are,
		                r->represented.as_they_are == 1 ? "" : "s");
	if (r->represented.error)
		weft_buf_printf(b, ", not all left out (%s)", weft_err_name(r->represented.error));
	if (r->lost)
		weft_buf_printf(b, ", %s forks, execs or exits not recorded", weft_human_count(text, r->lost));
	if (t->pack_error)
		weft_buf_printf(b, ", not compressed (%s)", weft_err_name(t->pack_error));
}

/* Said where no process made libweft calls, and no function was watched. */
static const char not_recorded[] =
	"not recorded: calls (no process called MPI or OpenMP, made a thread or lasted a second): ask for files by --on io, record "
	"functions with --probe NAME, or build the program with libweft (man weft_record)";

static void say_missing(const struct record_run *r, struct weft_buf *b)
{
	char reason[64];
	unsigned n = record_count_missing(r->dir.path, reason, sizeof reason);
	if (n)
		weft_buf_printf(b, ", %u process%s not recorded (%s)", n, n == 1 ? "" : "es", reason);
}

static void record_say(const struct record_run *r, uint32_t processes, uint32_t threads, uint32_t live, uint64_t took_ns)
{
	struct weft_buf b = {0};
	char text[32];
	say_recorded(r, processes, threads, &b);
	say_missing(r, &b);
	if (live)
		weft_buf_printf(&b, ", %u process%s left running", live, live == 1 ? "" : "es");
	weft_buf_printf(&b, ", in %s; next: weft %s ", weft_human_ns(text, took_ns), r->totals.streams ? "stat" : "info");
	weft_buf_shell(&b, weft_str(r->dir.shown));
	weft_buf_putc(&b, '\n');
	if (!r->totals.streams && !r->args.probe.n)
		weft_buf_printf(&b, "weft record: %s\n", not_recorded);
	if (!b.failed)
		fprintf(stderr, "weft record: %s", b.at);
	weft_buf_fini(&b);
}

/* A process that finds no space for its stream leaves no trace of itself. */
static void warn_of_full_disk(const struct record_run *r)
{
	struct statvfs v;
	char left[32];
	uint64_t bytes = statvfs(r->dir.path, &v) ? DISK_LEAST_BYTES : (uint64_t)v.f_bavail * v.f_frsize;
	if (bytes < DISK_LEAST_BYTES)
		weft_log(WEFT_LOG_WARN, "%s left on the disk of '%s': events, and whole processes, may be missing",
		         weft_human_bytes(left, bytes), r->dir.shown);
}

/* The command never ran: leaves nothing behind; statuses as a shell's. */
static int give_up(struct record_run *r, const char *command)
{
	weft_log(WEFT_LOG_ERROR, "cannot run '%s': %s", command, weft_err_name(-r->exec_error));
	return r->exec_error == ENOENT ? 127 : 126;
}

static void finish_probes(struct record_run *r)
{
	struct weft_buf remarks = {0};
	record_prober_finish(r->prober, &r->probed, &remarks);
	r->prober = NULL;
	struct weft_str rest = weft_str_n(remarks.at, remarks.n), line;
	while (!r->exec_error && weft_str_cut(&rest, '\n', &line))
		if (line.n)
			weft_log(WEFT_LOG_WARN, "%.*s", (int)line.n, line.at);
	weft_buf_fini(&remarks);
}

static int record_finish(struct record_run *r, const char *command)
{
	uint64_t took = weft_monotonic_ns() - r->began_ns;
	record_control_end(&r->control);
	record_end(r);
	finish_probes(r);
	uint32_t processes = (uint32_t)r->tree.process.n, threads = (uint32_t)r->tree.thread.n;
	uint32_t live = record_tree_live(&r->tree);
	record_watch_stop(&r->watch);
	record_tree_fini(&r->tree);
	record_represent_finish(r->representer, &r->represented);
	r->representer = NULL;
	record_list_into(&r->stream, r->dir.path, r->stream_name);
	record_stream_close(&r->stream);
	record_packer_finish(r->packer, r->dir.path, r->stream_name, r->args.pack, &r->totals);
	r->packer = NULL;
	if (r->exec_error) {
		int status = give_up(r, command);
		record_dir_undo(&r->dir);
		return status;
	}
	warn_of_full_disk(r);
	if (r->totals.ask_categories)
		record_check_categories(&r->args, &r->totals.categories);
	if (!r->args.quiet)
		record_say(r, processes, threads, live, took);
	if (r->extrae.merged)
		record_extrae_merge(&r->extrae, r->dir.path, command, r->args.quiet);
	return weft_exit_code(r->status);
}

/* `weft record --environment`: nothing is run. */
static int give_environment(struct record_run *r, struct weft_err *err)
{
	int rc = 0, lock = -1;
	char *joined = NULL;
	if (r->args.join) {
		record_join_id(r->run_id, r->args.join);
		lock = record_join_lock(r->args.output);
		joined = record_join_find(r->args.output, r->run_id);
	}
	if (!joined) {
		rc = make_trace(r, "trace", err);
		if (!rc)
			record_dir_keep(&r->dir);
		record_stream_close(&r->stream);
	}
	if (!rc)
		rc = set_environment(r, joined ? joined : r->dir.path, err);
	if (!rc && !record_print_environment(r->extrae.merged))
		rc = weft_err_sys(err, EIO, "cannot write the environment");
	if (rc && r->dir.path)
		record_dir_undo(&r->dir);
	free(joined);
	if (lock >= 0)
		close(lock);
	return rc;
}

static int record_main(struct record_run *r, char **argv)
{
	struct weft_err err = {0};
	if (check_args(r, &err))
		return cli_usage(&weft_command_record, "%s", err.text);
	if (r->args.attach)
		return record_attach(&r->args);
	read_machine(r);
	/* A limit of files' sizes is an error like others. The command has what we had. */
	r->child.size_signal = signal(SIGXFSZ, SIG_IGN) == SIG_DFL;
	if (r->args.environment)
		return give_environment(r, &err) ? cli_fail(&err) : 0;
	r->totals.ask_categories = record_category_asked(&r->args);
	int rc = record_prepare(r, argv, &err);
	if (rc == 0)
		rc = record_begin(r, &err);
	if (rc == 0) {
		record_loop(r);
		return record_finish(r, argv[0]);
	}
	if (r->child.go > 0)
		close(r->child.go); /* the process that waits ends */
	record_represent_finish(r->representer, &r->represented);
	record_control_end(&r->control);
	finish_probes(r);
	record_watch_stop(&r->watch);
	record_tree_fini(&r->tree);
	record_stream_close(&r->stream);
	if (r->dir.path)
		record_dir_undo(&r->dir);
	return cli_fail(&err);
}

static int run_parsed(struct record_run *r, char **argv)
{
	if (r->extrae.off && r->args.environment)
		return 0;
	if (r->extrae.off) {
		weft_log(WEFT_LOG_WARN, "nothing is recorded: Extrae's settings are off");
		execvp(argv[1], argv + 1);
		return errno == ENOENT ? 127 : 126;
	}
	return record_main(r, argv + 1);
}

static int record_run_command(int argc, char **argv)
{
	struct record_run r = {.signal_fd = -1, .dir.lock = -1, .args = RECORD_ARGS_NONE};
	char **given = malloc(((size_t)argc + 1) * sizeof *given), **joined = NULL;
	int n;
	if (!given)
		return cli_fail_code(-ENOMEM);
	memcpy(given, argv, ((size_t)argc + 1) * sizeof *given);
	int status = cli_parse(&weft_command_record, &r.args, argc, argv, &n) ? CLI_OK : CLI_USAGE;
	bool list = !status && r.args.counters.n && strcmp(r.args.counters.at[0], "list") == 0;
	if (!status && !list && (n == 0) != (r.args.environment || r.args.attach))
		status = n ? cli_usage(&weft_command_record, "--%s takes no command", r.args.attach ? "attach" : "environment")
		           : cli_usage(&weft_command_record, "say which command to run");
	if (!status && !list && !r.args.attach)
		status = record_extrae_apply(&r.args, argc, given, &r.extrae, &joined);
	if (!status)
		status = list ? record_list_counters(stdout) : run_parsed(&r, argv);
	free(joined);
	free(given);
	record_extrae_fini(&r.extrae);
	record_dir_fini(&r.dir);
	weft_intern_fini(&r.totals.categories);
	if (r.signal_fd >= 0)
		close(r.signal_fd);
	return status;
}

const struct weft_command weft_command_record = {
	.name = "record",
	.operands = "-- COMMAND [ARGUMENT]...",
	.summary = "run a command and record it into a trace",
	.about = "Runs COMMAND with recording switched on in every process that uses libweft, children and\n"
		 "MPI ranks included, and ends with its status. Of a program that makes no libweft calls it\n"
		 "records processes, threads, exec and exit. The trace is a folder, COMMAND.weft.\n"
		 "\n"
		 "Examples:\n"
		 "    weft record -- ./solver input.dat\n"
		 "    weft record -o run1.weft -- mpirun -np 4 ./solver input.dat\n"
		 "    weft record --probe 'solve(n; return)' -- ./solver input.dat\n"
		 "    weft record --ring 64M --save-on USR1 -- ./server",
	.options = record_options,
	.option_flags = WEFT_OPT_STOP_AT_OPERAND,
	.run = record_run_command,
};
