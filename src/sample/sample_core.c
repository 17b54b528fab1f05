/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The begin of libweft-sample, in a thread of its own, and what children need.
 *
 *     WEFT_SAMPLE   samples a second of CPU time, 0: none; behind a colon "wall": of time, of waiting threads as well ("200", "100:wall")
 *     WEFT_COUNTERS  counters, and where they are read: see link_counter.h
 */
#include "sample_priv.h"
#include "base/str.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <dirent.h>
#include <unistd.h>

__attribute__((visibility("default"))) link_sample_begin weft_sample_begin;
__attribute__((visibility("default"))) link_sample_look weft_sample_look;

struct sample_settings sample_settings;
weft_category sample_category = WEFT_OFF;
weft_type sample_period = WEFT_OFF;

static bool asked(const char *name)
{
	const char *list = secure_getenv("WEFT_RECORD");
	struct weft_str rest = weft_str(list ? list : ""), part;
	while (rest.n && weft_str_cut(&rest, ',', &part))
		if (weft_str_eq(part, name))
			return true;
	return false;
}

static void read_settings(const struct link_sample *with)
{
	struct sample_settings *s = &sample_settings;
	const char *text = with->settings ? with->settings : secure_getenv("WEFT_SAMPLE");
	struct weft_str rest = weft_str(text ? text : ""), part;
	uint64_t hz = SAMPLE_HZ;
	if (weft_str_cut(&rest, ':', &part) && (weft_parse_u64(part, &hz) || hz > SAMPLE_HZ_MOST))
		hz = SAMPLE_HZ;
	*s = (struct sample_settings){
		.signal = with->signal,
		.samples = hz && (with->settings || asked("samples")),
		.wall = weft_str_eq(rest, "wall"),
		.period_ns = 1000000000 / (hz ? hz : 1),
		.on_thread = with->on_thread,
		.foreign = with->foreign,
		.first_timer = with->first_timer,
	};
}

/* ---- the threads that there are ---- */

/* Of ours, and of programs that want to be left alone: threads that block the signal. */
static bool blocks_signal(pid_t tid)
{
	char path[64], text[4096];
	(void)snprintf(path, sizeof path, "/proc/self/task/%d/status", (int)tid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	const char *mask = strstr(text, "\nSigBlk:");
	return !mask || strtoull(mask + 8, NULL, 16) >> (sample_settings.signal - 1) & 1;
}

static void begin_all(bool here)
{
	DIR *dir = opendir("/proc/self/task");
	pid_t own = (pid_t)syscall(SYS_gettid);
	for (struct dirent *e; dir && (e = readdir(dir));) {
		pid_t tid = (pid_t)atoi(e->d_name);
		if (tid > 0 && tid != own && !blocks_signal(tid))
			(void)sample_thread_begin(tid);
	}
	if (dir)
		closedir(dir);
	if (here)
		(void)sample_thread_begin_own();
}

static void thread_begins(void *key)
{
	(void)key;
	(void)sample_thread_begin_own();
}

static void thread_ends(void *key)
{
	(void)key;
	sample_thread_end_own();
}

static void in_child(void)
{
	int error = errno;
	sample_thread_child();
	sample_each_child();
	errno = error;
}

void weft_sample_look(bool go_on)
{
	sample_thread_sweep(!go_on);
	if (go_on)
		begin_all(false);
}

int weft_sample_begin(const struct link_sample *with)
{
	const struct link_thread_watch watch = {NULL, NULL, thread_begins, thread_ends};
	struct sigaction tick = {.sa_sigaction = sample_tick, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
	if (with->version != LINK_SAMPLE_VERSION)
		return -EPROTO;
	read_settings(with);
	if (sample_settings.samples) {
		sample_category = weft_define_category("samples", 1);
		sample_period = weft_define_type("sample period", "ns", sample_category);
	}
	sample_count_define(asked("counters"));
	if (!sample_settings.samples && !sample_counts.plans.n)
		return 0;
	sigfillset(&tick.sa_mask);
	with->know_timers(sample_thread_is_slot);
	if (with->action(with->signal, &tick, NULL))
		return -errno;
	int rc = with->on_thread(&watch);
	if (rc == 0)
		rc = -pthread_atfork(NULL, NULL, in_child);
	begin_all(with->here);
	rc = rc ? rc : sample_count_meter();
	return rc ? rc : sample_each_begin();
}

/* Threads that end say what they counted at last; so does the one that ends the process. */
__attribute__((destructor)) static void at_end(void)
{
	sample_thread_last();
	sample_each_end();
}
