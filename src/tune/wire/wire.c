/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One connection: messages into frames into bytes, and back; the steps of the handshake between
 * them. The layouts are in wire_priv.h.
 *
 * Nothing that came from the other side is believed: before the handshake is over only as many
 * bytes are kept as its next step has; a frame's length is limited before it is waited for; a frame
 * is opened only when all of it is there, and its messages must fill it exactly.
 */
#include "wire_priv.h"
#include "base/clock.h"
#include "base/vec.h"
#include <errno.h>
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { READ_BYTES = 256 << 10 };

/* -- bytes -- */

unsigned char *wire_bytes_more(struct wire_bytes *b, size_t n)
{
	if (b->from == b->n)
		b->from = b->n = 0;
	if (b->n + n > b->cap && b->from > 0) {
		memmove(b->at, b->at + b->from, b->n - b->from);
		b->n -= b->from;
		b->from = 0;
	}
	if (b->n + n > b->cap && weft_vec_grow(&b->at, &b->cap, b->n + n, 1))
		return NULL;
	return b->at + b->n;
}

static size_t wire_held(const struct wire_bytes *b)
{
	return b->n - b->from;
}

static uint32_t get_u32(const unsigned char *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void put_u32(unsigned char *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = (unsigned char)(v >> 8 * i);
}

/* -- life -- */

int wire_end(struct weft_wire *w, int code, const char *fmt, ...)
{
	char text[300];
	va_list args;
	if (w->state == WIRE_ENDED)
		return w->why.code;
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	w->state = WIRE_ENDED;
	return weft_err_set(&w->why, code, "%s: %s", w->peer, text);
}

static int end_sys(struct weft_wire *w, int no, const char *what)
{
	return wire_end(w, -no, "%s: %s", what, weft_err_name(-no));
}

void wire_peer_name(int fd, bool other_side, char *out, size_t size)
{
	struct sockaddr_storage a = {0};
	socklen_t n = sizeof a;
	char host[INET6_ADDRSTRLEN] = "?";
	int rc = other_side ? getpeername(fd, (struct sockaddr *)&a, &n) : getsockname(fd, (struct sockaddr *)&a, &n);
	const struct sockaddr_in *four = (const struct sockaddr_in *)&a;
	const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)&a;
	if (rc == 0 && a.ss_family == AF_INET && inet_ntop(AF_INET, &four->sin_addr, host, sizeof host))
		snprintf(out, size, "%s:%u", host, ntohs(four->sin_port));
	else if (rc == 0 && a.ss_family == AF_INET6 && inet_ntop(AF_INET6, &six->sin6_addr, host, sizeof host))
		snprintf(out, size, "[%s]:%u", host, ntohs(six->sin6_port));
	else
		snprintf(out, size, "%s", rc == 0 && a.ss_family == AF_UNIX ? "this machine" : "?");
}

/*
 * Frames are gathered here: another delay would only add to ours. A host that is gone without a
 * word is noticed after 15 s. All of it fails on sockets that are not TCP, which have neither
 * fault.
 */
static void set_tcp(int fd)
{
	static const struct {
		int level, name, value;
	} option[] = {{IPPROTO_TCP, TCP_NODELAY, 1},   {SOL_SOCKET, SO_KEEPALIVE, 1}, {IPPROTO_TCP, TCP_KEEPIDLE, 5},
	              {IPPROTO_TCP, TCP_KEEPINTVL, 5}, {IPPROTO_TCP, TCP_KEEPCNT, 2}, {IPPROTO_TCP, TCP_USER_TIMEOUT, 15000}};
	for (size_t i = 0; i < sizeof option / sizeof option[0]; i++)
		(void)setsockopt(fd, option[i].level, option[i].name, &option[i].value, sizeof option[i].value);
}

int wire_new(struct weft_wire **out, int fd, enum wire_state state, struct weft_err *err)
{
	*out = NULL;
	struct weft_wire *w = calloc(1, sizeof *w);
	if (!w) {
		close(fd);
		return weft_err_set(err, -ENOMEM, "out of memory");
	}
	*w = (struct weft_wire){.fd = fd, .state = state, .room = WIRE_ROOM_BYTES};
	wire_peer_name(fd, true, w->peer, sizeof w->peer);
	int flags = fcntl(fd, F_GETFL);
	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0 || fcntl(fd, F_SETFD, FD_CLOEXEC) < 0) {
		int rc = weft_err_sys(err, errno, "cannot use a connection");
		weft_wire_free(w);
		return rc;
	}
	set_tcp(fd);
	*out = w;
	return 0;
}

int weft_wire_adopt(struct weft_wire **out, int fd, struct weft_err *err)
{
	return wire_new(out, fd, WIRE_OPEN, err);
}

void weft_wire_free(struct weft_wire *w)
{
	if (!w)
		return;
	close(w->fd);
	wire_seal_free(w->seal);
	free(w->in.at);
	free(w->out.at);
	free(w->batch.at);
	free(w->open.at);
	free(w);
}

int weft_wire_fd(const struct weft_wire *w)
{
	return w->fd;
}

short weft_wire_events(const struct weft_wire *w)
{
	bool writes = w->state == WIRE_CONNECTING || wire_held(&w->out) > 0 ||
	              (w->state == WIRE_OPEN && wire_held(&w->batch) > 0);
	return (short)(POLLIN | (writes ? POLLOUT : 0));
}

bool weft_wire_ready(const struct weft_wire *w)
{
	return w->state == WIRE_OPEN;
}

const char *weft_wire_peer(const struct weft_wire *w)
{
	return w->peer;
}

struct weft_wire_count weft_wire_counted(const struct weft_wire *w)
{
	return w->count;
}

void weft_wire_room(struct weft_wire *w, size_t bytes)
{
	w->room = bytes;
}

/* -- out -- */

int wire_write(struct weft_wire *w)
{
	while (wire_held(&w->out) > 0 && w->state != WIRE_CONNECTING) {
		ssize_t n = send(w->fd, w->out.at + w->out.from, wire_held(&w->out), MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return 0;
		if (n < 0)
			return end_sys(w, errno, "cannot write");
		w->out.from += (size_t)n;
		w->count.bytes_out += (uint64_t)n;
	}
	return 0;
}

/* Seals the pending messages as a frame. */
static int close_frame(struct weft_wire *w)
{
	size_t n = wire_held(&w->batch), body = n + (w->seal ? WIRE_SEAL_BYTES : 0);
	if (n == 0)
		return 0;
	unsigned char *to = wire_bytes_more(&w->out, 4 + body);
	if (!to)
		return wire_end(w, -ENOMEM, "out of memory");
	put_u32(to, (uint32_t)body);
	if (!w->seal)
		memcpy(to + 4, w->batch.at, n);
	else if (wire_seal_close(w->seal, to + 4, w->batch.at, n, to))
		return wire_end(w, -EBADMSG, "cannot seal a frame");
	w->out.n += 4 + body;
	w->batch.n = w->batch.from = 0;
	w->count.frames_out++;
	return 0;
}

int weft_wire_send(struct weft_wire *w, uint16_t kind, const void *at, size_t n)
{
	size_t padded = (n + 7) / 8 * 8, bytes = WIRE_HEAD_BYTES + padded;
	if (w->state == WIRE_ENDED)
		return w->why.code;
	if (n > WIRE_MESSAGE_BYTES)
		return -EMSGSIZE;
	if (wire_held(&w->out) + wire_held(&w->batch) + bytes > w->room + WIRE_FRAME_AIM) {
		int64_t rc = weft_wire_flush(w);
		if (rc < 0)
			return (int)rc;
		if (wire_held(&w->out) + wire_held(&w->batch) + bytes > w->room + WIRE_FRAME_AIM)
			return -EAGAIN;
	}
	if (w->state == WIRE_OPEN && wire_held(&w->batch) > 0 && wire_held(&w->batch) + bytes > WIRE_FRAME_AIM) {
		int rc = close_frame(w);
		rc = rc ? rc : wire_write(w);
		if (rc)
			return rc;
	}
	unsigned char *to = wire_bytes_more(&w->batch, bytes);
	if (!to)
		return wire_end(w, -ENOMEM, "out of memory");
	put_u32(to, (uint32_t)n);
	to[4] = (unsigned char)kind;
	to[5] = (unsigned char)(kind >> 8);
	to[6] = to[7] = 0;
	if (n)
		memcpy(to + WIRE_HEAD_BYTES, at, n);
	memset(to + WIRE_HEAD_BYTES + n, 0, padded - n);
	w->batch.n += bytes;
	w->count.messages_out++;
	return 0;
}

/* Messages that were queued during the handshake may fill more than one frame. */
static int close_frames(struct weft_wire *w)
{
	struct wire_bytes all = w->batch;
	if (wire_held(&all) <= WIRE_FRAME_BYTES)
		return close_frame(w);
	w->batch = (struct wire_bytes){0};
	int rc = 0;
	for (size_t at = all.from; !rc && at < all.n;) {
		size_t bytes = WIRE_HEAD_BYTES + (get_u32(all.at + at) + (size_t)7) / 8 * 8;
		if (wire_held(&w->batch) > 0 && wire_held(&w->batch) + bytes > WIRE_FRAME_AIM)
			rc = close_frame(w);
		unsigned char *to = rc ? NULL : wire_bytes_more(&w->batch, bytes);
		if (!to) {
			rc = rc ? rc : wire_end(w, -ENOMEM, "out of memory");
			break;
		}
		memcpy(to, all.at + at, bytes);
		w->batch.n += bytes;
		at += bytes;
	}
	free(all.at);
	return rc ? rc : close_frame(w);
}

int64_t weft_wire_flush(struct weft_wire *w)
{
	/* Whoever only writes must get through the handshake, too. */
	int rc = w->state == WIRE_ENDED ? w->why.code : w->state < WIRE_OPEN ? wire_drive(w) : 0;
	if (!rc && w->state == WIRE_OPEN)
		rc = close_frames(w);
	rc = rc ? rc : wire_write(w);
	return rc ? rc : (int64_t)(wire_held(&w->out) + wire_held(&w->batch));
}

/* -- in -- */

/* Reads at most `most` bytes. 1: some; 0: none now. */
static int read_some(struct weft_wire *w, size_t most)
{
	for (;;) {
		unsigned char *to = wire_bytes_more(&w->in, most);
		if (!to)
			return wire_end(w, -ENOMEM, "out of memory");
		ssize_t n = recv(w->fd, to, most, 0);
		if (n > 0) {
			w->in.n += (size_t)n;
			w->count.bytes_in += (uint64_t)n;
			return 1;
		}
		if (n == 0)
			return wire_end(w, -ECONNRESET,
			                w->state == WIRE_OPEN ? "the connection ended" : "it hung up in the handshake");
		if (errno == EAGAIN || errno == EWOULDBLOCK)
			return 0;
		if (errno != EINTR)
			return end_sys(w, errno, "cannot read");
	}
}

static int finish_connect(struct weft_wire *w)
{
	struct pollfd p = {.fd = w->fd, .events = POLLOUT};
	int no = 0;
	socklen_t n = sizeof no;
	if (poll(&p, 1, 0) <= 0)
		return 0;
	if (getsockopt(w->fd, SOL_SOCKET, SO_ERROR, &no, &n) || no)
		return end_sys(w, no ? no : errno, "cannot connect");
	unsigned char hello[WIRE_HELLO_BYTES], *to;
	if (wire_seal_hello(w->seal, hello) || !(to = wire_bytes_more(&w->out, sizeof hello)))
		return wire_end(w, -ENOMEM, "cannot greet");
	memcpy(to, hello, sizeof hello);
	w->out.n += sizeof hello;
	w->state = WIRE_WANTS_REPLY;
	return wire_write(w);
}

static int wire_say(struct weft_wire *w, const unsigned char *at, size_t n, enum wire_state then)
{
	unsigned char *to = wire_bytes_more(&w->out, n);
	if (!to)
		return wire_end(w, -ENOMEM, "out of memory");
	memcpy(to, at, n);
	w->out.n += n;
	w->state = then;
	return wire_write(w);
}

static int heard_hello(struct weft_wire *w)
{
	unsigned char reply[WIRE_REPLY_BYTES];
	if (wire_seal_reply(w->seal, w->in.at + w->in.from, reply))
		return wire_end(w, -EBADMSG, "it knows another secret");
	return wire_say(w, reply, sizeof reply, WIRE_WANTS_CONFIRM);
}

static int heard_reply(struct weft_wire *w)
{
	unsigned char confirm[WIRE_CONFIRM_BYTES];
	if (wire_seal_confirm(w->seal, w->in.at + w->in.from, confirm))
		return wire_end(w, -EBADMSG, "it knows another secret");
	return wire_say(w, confirm, sizeof confirm, WIRE_OPEN);
}

static int heard_confirm(struct weft_wire *w)
{
	if (wire_seal_confirmed(w->seal, w->in.at + w->in.from))
		return wire_end(w, -EBADMSG, "it repeats somebody's greeting");
	w->state = WIRE_OPEN;
	return 0;
}

static const struct {
	size_t bytes;
	int (*heard)(struct weft_wire *w);
} steps[] = {
	[WIRE_WANTS_REPLY] = {WIRE_REPLY_BYTES, heard_reply},
	[WIRE_WANTS_HELLO] = {WIRE_HELLO_BYTES, heard_hello},
	[WIRE_WANTS_CONFIRM] = {WIRE_CONFIRM_BYTES, heard_confirm},
};

int wire_drive(struct weft_wire *w)
{
	int rc = w->state == WIRE_CONNECTING ? finish_connect(w) : 0;
	while (!rc && w->state != WIRE_CONNECTING && w->state < WIRE_OPEN) {
		size_t want = steps[w->state].bytes;
		size_t have = wire_held(&w->in);
		/* No more bytes than this step has: what comes behind belongs to the next. */
		int got = have < want ? read_some(w, want - have) : 1;
		if (got < 0)
			return got;
		have = wire_held(&w->in);
		size_t known = have < sizeof wire_magic ? have : sizeof wire_magic;
		if (w->state == WIRE_WANTS_HELLO && known && memcmp(w->in.at + w->in.from, wire_magic, known) != 0)
			return wire_end(w, -EBADMSG, "what it says is no greeting");
		if (got == 0)
			break;
		if (have < want)
			continue;
		rc = steps[w->state].heard(w);
		w->in.from += want;
	}
	if (!rc && w->state < WIRE_OPEN && weft_monotonic_ns() > w->until_ns)
		rc = wire_end(w, -ETIMEDOUT, "no handshake in time");
	return rc;
}

/* The next frame, when all of it is there: 1; 0: not yet. */
static int open_frame(struct weft_wire *w)
{
	size_t seal = w->seal ? WIRE_SEAL_BYTES : 0;
	if (wire_held(&w->in) < 4)
		return 0;
	const unsigned char *at = w->in.at + w->in.from;
	size_t n = get_u32(at);
	if (n <= seal || n > WIRE_FRAME_BYTES + seal)
		return wire_end(w, -EMSGSIZE, "a frame of %zu bytes; %d is the most", n, WIRE_FRAME_BYTES);
	if (wire_held(&w->in) < 4 + n)
		return 0;
	w->open.from = w->open.n = 0;
	unsigned char *to = wire_bytes_more(&w->open, n - seal);
	if (!to)
		return wire_end(w, -ENOMEM, "out of memory");
	if (!w->seal)
		memcpy(to, at + 4, n);
	else if (wire_seal_open(w->seal, to, at + 4, n, at))
		return wire_end(w, -EBADMSG, "a frame that was changed, repeated or moved");
	w->open.n = n - seal;
	w->in.from += 4 + n;
	w->count.frames_in++;
	return 1;
}

static int next_message(struct weft_wire *w, struct weft_wire_message *out)
{
	size_t left = wire_held(&w->open); /* some: the caller has looked */
	const unsigned char *at = w->open.at + w->open.from;
	uint32_t n = left >= WIRE_HEAD_BYTES ? get_u32(at) : 0;
	size_t padded = ((size_t)n + 7) / 8 * 8;
	if (left < WIRE_HEAD_BYTES || n > WIRE_MESSAGE_BYTES || left - WIRE_HEAD_BYTES < padded || at[6] || at[7])
		return wire_end(w, -EBADMSG, "a frame that is not made of messages");
	*out = (struct weft_wire_message){.kind = (uint16_t)(at[4] | at[5] << 8), .n = n, .at = at + WIRE_HEAD_BYTES};
	w->open.from += WIRE_HEAD_BYTES + padded;
	w->count.messages_in++;
	return 1;
}

static int wire_next(struct weft_wire *w, struct weft_wire_message *out)
{
	int rc = w->state == WIRE_ENDED ? w->why.code : w->state < WIRE_OPEN ? wire_drive(w) : 0;
	while (!rc && w->state == WIRE_OPEN) {
		if (wire_held(&w->open) > 0)
			return next_message(w, out);
		rc = open_frame(w);
		if (rc)
			rc = rc > 0 ? 0 : rc;
		else if ((rc = read_some(w, READ_BYTES)) == 0)
			return 0;
		else
			rc = rc > 0 ? 0 : rc;
	}
	return rc;
}

int weft_wire_next(struct weft_wire *w, struct weft_wire_message *out, struct weft_err *err)
{
	*out = (struct weft_wire_message){0};
	int rc = wire_next(w, out);
	if (rc < 0)
		weft_err_set(err, w->why.code, "%s", w->why.text);
	return rc;
}

int weft_wire_wait(struct weft_wire *w, struct weft_wire_message *out, uint64_t limit_ns, struct weft_err *err)
{
	uint64_t until = weft_monotonic_ns() + limit_ns;
	for (;;) {
		int64_t left = w->state < WIRE_OPEN ? 1 : weft_wire_flush(w);
		int rc = left < 0 ? (int)left : 0;
		if (!rc && (out || w->state < WIRE_OPEN))
			rc = out ? weft_wire_next(w, out, NULL) : wire_drive(w);
		if (rc < 0)
			return weft_err_set(err, w->why.code, "%s", w->why.text);
		if (rc > 0)
			return 1;
		if (!out && w->state == WIRE_OPEN && (left = weft_wire_flush(w)) == 0)
			return 0;
		uint64_t now = weft_monotonic_ns();
		if (now >= until)
			return weft_err_set(err, -ETIMEDOUT, "%s: no answer in time", w->peer);
		struct pollfd p = {.fd = w->fd, .events = weft_wire_events(w)};
		/*
		 * A handshake that waits only to write must not wake for bytes that it does not
		 * read.
		 */
		if (!out && w->state == WIRE_OPEN)
			p.events = POLLOUT;
		uint64_t ms = (until - now) / 1000000 + 1;
		(void)poll(&p, 1, ms > 100 ? 100 : (int)ms);
	}
}

/*
 * -- from process to process: whether it is sealed (1), the seals, what was read of the next frame
 * --
 */

enum { GIVE_MOST = 32 << 10 };

int weft_wire_give(struct weft_wire *w, struct weft_buf *state)
{
	unsigned char seal[1 + WIRE_SEAL_STATE_BYTES] = {w->seal != NULL};
	if (w->state != WIRE_OPEN || wire_held(&w->open) || wire_held(&w->batch) || wire_held(&w->out) ||
	    wire_held(&w->in) > GIVE_MOST)
		return -EAGAIN;
	int fd = fcntl(w->fd, F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		return -EAGAIN;
	if (w->seal)
		wire_seal_give(w->seal, seal + 1);
	weft_buf_add(state, (const char *)seal, sizeof seal);
	weft_buf_add(state, (const char *)w->in.at + w->in.from, wire_held(&w->in));
	if (state->failed) {
		close(fd);
		return -EAGAIN;
	}
	weft_wire_free(w);
	return fd;
}

int weft_wire_take(struct weft_wire **out, int fd, const void *state, size_t n, struct weft_err *err)
{
	const unsigned char *at = state;
	size_t left = n - (1 + WIRE_SEAL_STATE_BYTES);
	int rc = wire_new(out, fd, WIRE_OPEN, err);
	if (rc)
		return rc;
	struct weft_wire *w = *out;
	rc = n < 1 + WIRE_SEAL_STATE_BYTES ? -EINVAL : at[0] ? wire_seal_take(&w->seal, at + 1) : 0;
	unsigned char *in = !rc && left ? wire_bytes_more(&w->in, left) : NULL;
	if (in) {
		memcpy(in, at + 1 + WIRE_SEAL_STATE_BYTES, left);
		w->in.n += left;
	} else if (!rc && left) {
		rc = -ENOMEM;
	}
	if (!rc)
		return 0;
	weft_wire_free(w);
	*out = NULL;
	return weft_err_set(err, rc, "cannot take a connection over: %s", weft_err_name(rc));
}
