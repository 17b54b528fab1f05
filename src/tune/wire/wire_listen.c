/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Listening and connecting. A listener has one epoll descriptor for its socket, for the handshakes
 * that are under way, and for a timer that ticks while there are some; the acceptor has to poll
 * that one. Handshakes are few at a time and short: one that does nothing is ended by the time
 * limit, and one too many ends the oldest, so that a crowd of silent peers keeps nobody out for
 * longer than they keep coming. What is said of the refused is limited to a few lines a second.
 */
#include "wire_priv.h"
#include "base/clock.h"
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum { PENDING = 64, LINES_A_SECOND = 20 };

struct weft_wire_listener {
	int fd, epoll, timer;
	struct weft_wire_listen_how how;
	struct weft_wire **pending; /* oldest first */
	unsigned n;
	uint64_t refused, quiet, second; /* quiet: lines that were not said in this second */
	unsigned lines;
	char address[WIRE_PEER_BYTES];
};

/* "HOST:PORT", "[HOST]:PORT", "HOST" -> what getaddrinfo takes. */
static int split_address(const char *address, char *host, size_t size, char port[8], struct weft_err *err)
{
	const char *end, *colon;
	bool bracket = address[0] == '[';
	address += bracket;
	end = bracket ? strchr(address, ']') : strrchr(address, ':');
	colon = bracket && end ? (end[1] == ':' ? end + 1 : NULL) : end;
	size_t n = end ? (size_t)(end - address) : strlen(address);
	if ((bracket && !end) || n == 0 || n >= size || (colon && (strlen(colon + 1) == 0 || strlen(colon + 1) > 5)))
		return weft_err_set(err, WEFT_E_SYNTAX, "'%s' is no address (HOST:PORT)", address);
	memcpy(host, address, n);
	host[n] = '\0';
	snprintf(port, 8, "%s", colon ? colon + 1 : "0");
	return 0;
}

static int resolve(const char *address, bool listens, struct addrinfo **out, struct weft_err *err)
{
	char host[256], port[8];
	struct addrinfo want = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV | (listens ? AI_PASSIVE : 0)};
	int rc = split_address(address, host, sizeof host, port, err);
	if (rc)
		return rc;
	rc = getaddrinfo(host, port, &want, out);
	return rc ? weft_err_set(err, -EINVAL, "'%s' is no address: %s", address, gai_strerror(rc)) : 0;
}

static int no_seal(struct weft_err *err, int code)
{
	return code == -ENOTSUP ? weft_err_set(err, code, "this build is without libsodium, which connections between hosts need")
	                        : weft_err_set(err, code, "out of memory");
}

int weft_wire_connect(struct weft_wire **out, const char *address, const struct weft_secret *s, uint64_t limit_ns,
                      struct weft_err *err)
{
	struct addrinfo *a = NULL;
	struct wire_seal *seal;
	*out = NULL;
	int rc = wire_seal_new(&seal, s);
	if (rc)
		return no_seal(err, rc);
	rc = resolve(address, false, &a, err);
	int fd = -1;
	if (!rc && (fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) < 0)
		rc = weft_err_sys(err, errno, "cannot connect to '%s'", address);
	else if (!rc && connect(fd, a->ai_addr, a->ai_addrlen) && errno != EINPROGRESS) {
		rc = weft_err_sys(err, errno, "cannot connect to '%s'", address);
		close(fd);
	}
	if (!rc)
		rc = wire_new(out, fd, WIRE_CONNECTING, err);
	if (a)
		freeaddrinfo(a);
	if (rc) {
		wire_seal_free(seal);
		return rc;
	}
	(*out)->seal = seal;
	(*out)->until_ns = weft_monotonic_ns() + (limit_ns ? limit_ns : WIRE_LIMIT_NS);
	snprintf((*out)->peer, sizeof(*out)->peer, "%s", address);
	return 0;
}

/* -- listener -- */

static int watch(struct weft_wire_listener *l, int fd, struct weft_err *err)
{
	struct epoll_event e = {.events = EPOLLIN, .data.fd = fd};
	return epoll_ctl(l->epoll, EPOLL_CTL_ADD, fd, &e) ? weft_err_sys(err, errno, "cannot listen") : 0;
}

static int bind_to(struct weft_wire_listener *l, const char *address, struct weft_err *err)
{
	struct addrinfo *a;
	int one = 1, rc = resolve(address, true, &a, err);
	if (rc)
		return rc;
	l->fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (l->fd < 0 || setsockopt(l->fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) ||
	    bind(l->fd, a->ai_addr, a->ai_addrlen) || listen(l->fd, 128))
		rc = weft_err_sys(err, errno, "cannot listen at '%s'", address);
	freeaddrinfo(a);
	if (!rc)
		wire_peer_name(l->fd, false, l->address, sizeof l->address);
	return rc;
}

int weft_wire_listen(struct weft_wire_listener **out, const struct weft_wire_listen_how *how, struct weft_err *err)
{
	*out = NULL;
	if (!weft_wire_can_seal())
		return no_seal(err, -ENOTSUP);
	struct weft_wire_listener *l = calloc(1, sizeof *l);
	if (!l)
		return weft_err_set(err, -ENOMEM, "out of memory");
	l->how = *how;
	l->how.address = NULL;
	l->how.pending = how->pending ? how->pending : PENDING;
	l->how.limit_ns = how->limit_ns ? how->limit_ns : WIRE_LIMIT_NS;
	l->fd = l->timer = -1;
	l->pending = calloc(l->how.pending + 1, sizeof(*l->pending));
	l->epoll = epoll_create1(EPOLL_CLOEXEC);
	int rc = !l->pending ? weft_err_set(err, -ENOMEM, "out of memory") : 0;
	if (!rc && l->epoll < 0)
		rc = weft_err_sys(err, errno, "cannot listen");
	rc = rc ? rc : bind_to(l, how->address ? how->address : "127.0.0.1", err);
	if (!rc && (l->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)) < 0)
		rc = weft_err_sys(err, errno, "cannot listen");
	rc = rc ? rc : watch(l, l->fd, err);
	rc = rc ? rc : watch(l, l->timer, err);
	if (rc)
		weft_wire_listener_free(l);
	else
		*out = l;
	return rc;
}

void weft_wire_listener_free(struct weft_wire_listener *l)
{
	if (!l)
		return;
	for (unsigned i = 0; i < l->n; i++)
		weft_wire_free(l->pending[i]);
	free(l->pending);
	int fds[] = {l->fd, l->timer, l->epoll};
	for (int i = 0; i < 3; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	weft_secret_wipe(&l->how.secret);
	free(l);
}

int weft_wire_listener_fd(const struct weft_wire_listener *l)
{
	return l->epoll;
}

const char *weft_wire_listener_address(const struct weft_wire_listener *l)
{
	return l->address;
}

uint64_t weft_wire_refusals(const struct weft_wire_listener *l)
{
	return l->refused;
}

static void say_refused(struct weft_wire_listener *l, const struct weft_wire *w)
{
	char line[520];
	uint64_t second = weft_monotonic_ns() / 1000000000;
	l->refused++;
	if (!l->how.refused)
		return;
	if (second != l->second) {
		if (l->quiet) {
			snprintf(line, sizeof line, "refused %llu more", (unsigned long long)l->quiet);
			l->how.refused(l->how.ctx, line);
		}
		l->second = second;
		l->quiet = l->lines = 0;
	}
	if (l->lines++ >= LINES_A_SECOND) {
		l->quiet++;
		return;
	}
	snprintf(line, sizeof line, "refused %s", w->why.text);
	l->how.refused(l->how.ctx, line);
}

static struct weft_wire *take(struct weft_wire_listener *l, unsigned i)
{
	struct weft_wire *w = l->pending[i];
	(void)epoll_ctl(l->epoll, EPOLL_CTL_DEL, w->fd, NULL);
	memmove(l->pending + i, l->pending + i + 1, (l->n - i - 1) * sizeof *l->pending);
	l->n--;
	return w;
}

static void refuse(struct weft_wire_listener *l, unsigned i)
{
	struct weft_wire *w = take(l, i);
	say_refused(l, w);
	weft_wire_free(w);
}

/* Ticks while there are handshakes: ten times in the time that one may take. */
static void set_timer(struct weft_wire_listener *l)
{
	uint64_t ns = l->n ? l->how.limit_ns / 10 + 1 : 0;
	struct timespec every = {.tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000)};
	struct itimerspec t = {.it_interval = every, .it_value = every};
	(void)timerfd_settime(l->timer, 0, &t, NULL);
}

static int admit(struct weft_wire_listener *l, int fd, struct weft_err *err)
{
	struct weft_wire *w;
	int rc = wire_new(&w, fd, WIRE_WANTS_HELLO, err);
	if (rc)
		return rc;
	w->until_ns = weft_monotonic_ns() + l->how.limit_ns;
	rc = wire_seal_new(&w->seal, &l->how.secret);
	rc = rc ? no_seal(err, rc) : watch(l, fd, err);
	if (rc) {
		weft_wire_free(w);
		return rc;
	}
	l->pending[l->n++] = w;
	if (l->n > l->how.pending) {
		wire_end(l->pending[0], -ETIMEDOUT, "too many handshakes at once, and it was the slowest");
		refuse(l, 0);
	}
	return 0;
}

/*
 * New connections. Errors of one of them (it is gone already, no descriptor is left) are not the
 * listener's.
 */
static int accept_all(struct weft_wire_listener *l, struct weft_err *err)
{
	for (;;) {
		int fd = accept4(l->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd < 0 && errno == EINTR)
			continue;
		if (fd < 0)
			return 0;
		int rc = admit(l, fd, err);
		if (rc == -ENOMEM)
			return rc;
	}
}

int weft_wire_accept(struct weft_wire_listener *l, struct weft_wire **out, struct weft_err *err)
{
	uint64_t ticks;
	unsigned before = l->n;
	*out = NULL;
	while (read(l->timer, &ticks, sizeof ticks) > 0)
		;
	int rc = accept_all(l, err);
	for (unsigned i = 0; !rc && i < l->n;) {
		if (wire_drive(l->pending[i])) {
			refuse(l, i);
		} else if (l->pending[i]->state == WIRE_OPEN) {
			*out = take(l, i);
			rc = 1;
		} else {
			i++;
		}
	}
	if ((before > 0) != (l->n > 0))
		set_timer(l);
	return rc;
}
