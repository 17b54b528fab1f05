/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program's side: one thread over poll().
 *
 *     listen ── accept ─> client: line ─> watch, or the source's command ─> answer
 *     when the next sample of a client is due ─> sample of the source ─> client (what does not fit into its socket waits; samples
 *                                               that become due meanwhile are left out)
 *
 * The thread has all signals blocked and its descriptors out of the program's way. A child of fork has no such thread, and knows it
 * by the process id.
 */
#include "pulse.h"
#include "base/clock.h"
#include "base/fs.h"
#include "link/link_folder.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

struct client {
	int fd;                 /* -1: none */
	bool is_watching, each; /* each: also when the source says that it is worth a look */
	double hz;
	uint64_t due_ns, last_ns; /* due: the next sample; UINT64_MAX: none */
	uint64_t sample, left_out;
	char line[PULSE_LINE];
	size_t n_line;
	char *waiting; /* what its socket did not take; malloc'd */
	size_t n_waiting, at;
};

static struct {
	pid_t pid; /* whose thread it is; 0: none */
	const struct pulse_source *source;
	pthread_t thread;
	int folder, listener, wake;
	bool is_ending; /* under wake's event */
	char name[PULSE_KIND + 24];
	struct client client[PULSE_CLIENTS];
	unsigned n_watching;
	uint64_t began_ns;
} pulse;

bool pulse_is_served(void)
{
	pid_t pid = __atomic_load_n(&pulse.pid, __ATOMIC_ACQUIRE);
	return pid && pid == getpid();
}

/* ---- clients ---- */

static void client_update_watching(struct client *c, bool watches)
{
	if (c->is_watching == watches)
		return;
	c->is_watching = watches;
	pulse.n_watching = watches ? pulse.n_watching + 1 : pulse.n_watching - 1;
	if (pulse.source->watched && pulse.n_watching == (watches ? 1 : 0))
		pulse.source->watched(watches);
}

static void client_close(struct client *c)
{
	client_update_watching(c, false);
	close(c->fd);
	free(c->waiting);
	*c = (struct client){.fd = -1, .due_ns = UINT64_MAX};
}

/* Takes over the text (malloc'd). */
static void client_send(struct client *c, char *text, size_t n)
{
	if (!text || c->waiting) { /* it has not read what came before */
		c->left_out++;
		free(text);
		return;
	}
	c->waiting = text;
	c->n_waiting = n;
	c->at = 0;
}

static void client_flush(struct client *c)
{
	while (c->waiting && c->at < c->n_waiting) {
		ssize_t n = send(c->fd, c->waiting + c->at, c->n_waiting - c->at, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n <= 0) {
			client_close(c);
			return;
		}
		c->at += (size_t)n;
	}
	free(c->waiting);
	c->waiting = NULL;
}

static void client_sample(struct client *c, uint64_t now)
{
	char *text = NULL;
	size_t n = 0;
	struct weft_json j;
	FILE *to = c->waiting ? NULL : open_memstream(&text, &n);
	if (to) {
		weft_json_init(&j, to, false);
		weft_json_object(&j);
		weft_json_key(&j, "sample");
		weft_json_u64(&j, c->sample++);
		weft_json_key(&j, "time_s");
		weft_json_double(&j, (double)(now - pulse.began_ns) / 1e9);
		weft_json_key(&j, "at_ns");
		weft_json_u64(&j, now);
		weft_json_key(&j, "left_out");
		weft_json_u64(&j, c->left_out);
		weft_json_key(&j, "pid");
		weft_json_i64(&j, getpid());
		weft_json_key(&j, "program");
		weft_json_string(&j, program_invocation_short_name);
		pulse.source->sample(&j);
		weft_json_end(&j);
		fclose(to);
	}
	client_send(c, text, n);
	c->last_ns = now;
	if (c->hz > 0) {
		uint64_t period = (uint64_t)(1e9 / c->hz);
		c->due_ns = c->due_ns + period > now ? c->due_ns + period : now + period;
	} else {
		c->due_ns = UINT64_MAX;
	}
}

static int client_watch(struct client *c, const char *argument, struct weft_err *err)
{
	char *end;
	double hz = strtod(argument, &end);
	bool each = end != argument && strcmp(end, " each") == 0;
	if (end == argument || (*end && !each) || !(hz >= 0 && hz <= PULSE_HZ_MOST))
		return weft_err_set(err, -EINVAL, "watch wants a number of samples a second, 0 to %d", PULSE_HZ_MOST);
	client_update_watching(c, hz > 0);
	c->each = each && hz > 0;
	c->hz = hz;
	c->due_ns = hz > 0 ? weft_monotonic_ns() : UINT64_MAX;
	return 0;
}

static int carry_out(struct client *c, char *line, struct weft_json *answer, struct weft_err *err)
{
	if (strncmp(line, "watch ", 6) == 0)
		return client_watch(c, line + 6, err);
	if (pulse.source->command)
		return pulse.source->command(line, answer, err);
	return weft_err_set(err, -ENOSYS, "there is nothing to command");
}

static void client_command(struct client *c, char *line)
{
	struct weft_err err = {0};
	char *text = NULL;
	size_t n = 0;
	struct weft_json j;
	FILE *to = open_memstream(&text, &n);
	if (!to)
		return;
	weft_json_init(&j, to, false);
	weft_json_object(&j);
	int rc = carry_out(c, line, &j, &err);
	weft_json_key(&j, "done");
	weft_json_bool(&j, rc == 0);
	if (rc) {
		weft_json_key(&j, "error");
		weft_json_string(&j, err.text);
	}
	weft_json_end(&j);
	fclose(to);
	client_send(c, text, n);
}

/* One line after the other, once the answer to the one before is on its way. */
static void client_lines(struct client *c)
{
	char *end;
	while (c->fd >= 0 && !c->waiting && (end = memchr(c->line, '\n', c->n_line))) {
		*end = '\0';
		client_command(c, c->line);
		c->n_line -= (size_t)(end + 1 - c->line);
		memmove(c->line, end + 1, c->n_line);
		client_flush(c);
	}
}

static void client_read(struct client *c)
{
	ssize_t n = recv(c->fd, c->line + c->n_line, sizeof c->line - c->n_line, MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		client_close(c);
		return;
	}
	c->n_line += (size_t)n;
	client_lines(c);
	if (c->fd >= 0 && c->n_line == sizeof c->line && !c->waiting) /* no line is as long as that */
		client_close(c);
}

static void client_accept(void)
{
	pid_t pid;
	uid_t uid;
	int fd = weft_fd_high(accept4(pulse.listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK));
	if (fd < 0)
		return;
	for (struct client *c = pulse.client; c < pulse.client + PULSE_CLIENTS; c++) {
		if (c->fd >= 0 || link_peer(fd, &pid, &uid) || (uid != geteuid() && uid != 0))
			continue;
		*c = (struct client){.fd = fd, .due_ns = UINT64_MAX};
		return;
	}
	close(fd);
}

/* ---- the thread ---- */

static int time_left_ms(void)
{
	uint64_t first = UINT64_MAX, now = weft_monotonic_ns();
	for (const struct client *c = pulse.client; c < pulse.client + PULSE_CLIENTS; c++)
		if (c->fd >= 0 && c->due_ns < first)
			first = c->due_ns;
	if (first == UINT64_MAX)
		return -1;
	return first <= now ? 0 : (int)((first - now + 999999) / 1000000);
}

/* The source was poked: who wants to know of that gets a sample, but not more of them than anybody could ask for. */
static void client_hurry(struct client *c, uint64_t now)
{
	const uint64_t least = 1000000000 / PULSE_HZ_MOST;
	uint64_t soonest = c->last_ns + least > now ? c->last_ns + least : now;
	if (c->fd >= 0 && c->each && soonest < c->due_ns)
		c->due_ns = soonest;
}

static void serve_clients(const struct pollfd *ready, bool poked)
{
	uint64_t now = weft_monotonic_ns();
	for (unsigned i = 0; i < PULSE_CLIENTS && poked; i++)
		client_hurry(&pulse.client[i], now);
	for (unsigned i = 0; i < PULSE_CLIENTS; i++) {
		struct client *c = &pulse.client[i];
		if (c->fd >= 0 && ready[i].fd == c->fd && ready[i].revents & (POLLIN | POLLHUP | POLLERR))
			client_read(c);
		if (c->fd >= 0 && c->due_ns <= now)
			client_sample(c, now);
		if (c->fd >= 0)
			client_flush(c);
		client_lines(c);
	}
}

static void *serve(void *unused)
{
	(void)unused;
	struct pollfd ready[PULSE_CLIENTS + 2];
	pthread_setname_np(pthread_self(), "weft-live");
	for (;;) {
		for (unsigned i = 0; i < PULSE_CLIENTS; i++) {
			const struct client *c = &pulse.client[i];
			short events = c->waiting ? POLLOUT : POLLIN;
			ready[i] = (struct pollfd){.fd = c->fd, .events = events};
		}
		ready[PULSE_CLIENTS] = (struct pollfd){.fd = pulse.listener, .events = POLLIN};
		ready[PULSE_CLIENTS + 1] = (struct pollfd){.fd = pulse.wake, .events = POLLIN};
		int n = poll(ready, PULSE_CLIENTS + 2, time_left_ms());
		uint64_t pokes;
		if (ready[PULSE_CLIENTS + 1].revents && read(pulse.wake, &pokes, sizeof pokes) < 0 && errno != EAGAIN)
			break;
		if (__atomic_load_n(&pulse.is_ending, __ATOMIC_ACQUIRE))
			break;
		serve_clients(ready, ready[PULSE_CLIENTS + 1].revents);
		if (n > 0 && ready[PULSE_CLIENTS].revents)
			client_accept();
	}
	for (struct client *c = pulse.client; c < pulse.client + PULSE_CLIENTS; c++) {
		if (c->fd >= 0 && c->each) { /* who follows what happens also wants the last of it */
			client_sample(c, weft_monotonic_ns());
			client_flush(c);
		}
		if (c->fd >= 0)
			client_close(c);
	}
	return NULL;
}

static int start_thread(void)
{
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int rc = pthread_create(&pulse.thread, NULL, serve, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -rc;
}

/*
 * The name goes through the checked descriptor: whatever the folder's path has become. It is there once somebody listens: one at which
 * nobody does is taken for a dead process's.
 */
static int listen_in(int folder)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	char early[sizeof pulse.name + 1];
	snprintf(early, sizeof early, ".%s", pulse.name);
	snprintf(at.sun_path, sizeof at.sun_path, "/proc/self/fd/%d/%s", folder, early);
	int fd = weft_fd_high(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
	if (fd < 0)
		return -errno;
	unlinkat(folder, early, 0); /* of a dead process of the same number */
	if (bind(fd, (struct sockaddr *)&at, sizeof at) == 0 && fchmodat(folder, early, 0600, 0) == 0 &&
	    listen(fd, PULSE_CLIENTS) == 0 && renameat(folder, early, folder, pulse.name) == 0)
		return fd;
	int rc = -errno;
	close(fd);
	return rc;
}

static void close_all(void)
{
	const int fds[] = {pulse.listener, pulse.wake, pulse.folder};
	for (size_t i = 0; i < sizeof fds / sizeof fds[0]; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	__atomic_store_n(&pulse.pid, 0, __ATOMIC_RELEASE);
}

/* A child of fork has no such thread: what it holds of its parent's would only make the parent seem to be there when it is gone. */
static void after_fork(void)
{
	if (!pulse.pid)
		return;
	for (struct client *c = pulse.client; c < pulse.client + PULSE_CLIENTS; c++)
		if (c->fd >= 0)
			close(c->fd);
	close_all();
}

static void watch_forks(void)
{
	pthread_atfork(NULL, NULL, after_fork);
}

int pulse_serve(const struct pulse_source *source, struct weft_err *err)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	if (pulse_is_served())
		return -EALREADY;
	pthread_once(&once, watch_forks);
	for (struct client *c = pulse.client; c < pulse.client + PULSE_CLIENTS; c++)
		*c = (struct client){.fd = -1, .due_ns = UINT64_MAX};
	pulse.source = source;
	pulse.n_watching = 0;
	pulse.is_ending = false;
	pulse.began_ns = weft_monotonic_ns();
	pulse.listener = pulse.wake = -1;
	snprintf(pulse.name, sizeof pulse.name, "%ld-%s", (long)getpid(), source->kind);
	pulse.folder = pulse_folder(true, err);
	if (pulse.folder < 0)
		return pulse.folder;
	pulse.listener = listen_in(pulse.folder);
	pulse.wake = weft_fd_high(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
	int rc = pulse.listener < 0 ? pulse.listener : pulse.wake < 0 ? -errno : start_thread();
	if (rc) {
		unlinkat(pulse.folder, pulse.name, 0);
		close_all();
		return weft_err_sys(err, -rc, "cannot listen for those who want to look");
	}
	__atomic_store_n(&pulse.pid, getpid(), __ATOMIC_RELEASE); /* any thread may poke from now on */
	return 0;
}

void pulse_poke(void)
{
	uint64_t one = 1;
	if (pulse_is_served() && write(pulse.wake, &one, sizeof one) < 0)
		return; /* full: it is awake anyhow */
}

void pulse_end(void)
{
	if (!pulse_is_served())
		return;
	unlinkat(pulse.folder, pulse.name, 0);
	__atomic_store_n(&pulse.is_ending, true, __ATOMIC_RELEASE);
	pulse_poke();
	pthread_join(pulse.thread, NULL);
	close_all();
}
