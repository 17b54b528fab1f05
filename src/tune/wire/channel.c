/* SPDX-License-Identifier: Apache-2.0 */
/* See channel.h. One writer at a time; reading and writing may be two threads. */
#include "channel.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { HEAD_BYTES = 5, FLUSH_BYTES = 32 * 1024, READ_BYTES = 64 * 1024, SPARE_BYTES = 1 << 20 };

int channel_pair(int pair[2], struct weft_err *err)
{
	return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) ? weft_err_sys(err, errno, "cannot make a socket") : 0;
}

void channel_init(struct channel *c, int fd, size_t keeps)
{
	*c = (struct channel){.fd = fd, .keeps = keeps, .fd_out = -1};
}

void channel_fini(struct channel *c)
{
	if (c->fd >= 0)
		close(c->fd);
	if (c->fd >= 0 && c->fd_out >= 0)
		close(c->fd_out);
	while (c->n_fd_in)
		close(c->fd_in[--c->n_fd_in]);
	weft_buf_fini(&c->in);
	weft_buf_fini(&c->out);
	*c = (struct channel){.fd = -1, .fd_out = -1};
}

bool channel_pending(const struct channel *c)
{
	return channel_kept(c) > 0;
}

size_t channel_kept(const struct channel *c)
{
	return c->out.n - c->sent;
}

union fd_room {
	char bytes[CMSG_SPACE(CHANNEL_FDS * sizeof(int))];
	struct cmsghdr align;
};

/*
 * A descriptor goes with the first byte of its message: what is before that goes alone. It waits
 * for what is too much to be kept.
 */
static ssize_t send_some(struct channel *c)
{
	union fd_room room = {{0}};
	bool with = c->fd_out >= 0 && c->fd_at == c->sent, waits = channel_kept(c) > c->keeps;
	size_t most = waits ? c->out.n - c->keeps : c->out.n;
	struct iovec at = {c->out.at + c->sent, (c->fd_out >= 0 && !with && c->fd_at < most ? c->fd_at : most) - c->sent};
	struct msghdr h = {.msg_iov = &at, .msg_iovlen = 1};
	if (with) {
		h.msg_control = room.bytes;
		h.msg_controllen = CMSG_SPACE(sizeof(int));
		struct cmsghdr *k = CMSG_FIRSTHDR(&h);
		*k = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
		memcpy(CMSG_DATA(k), &c->fd_out, sizeof(int));
	}
	ssize_t n = sendmsg(c->fd, &h, MSG_NOSIGNAL | (waits ? 0 : MSG_DONTWAIT));
	if (n > 0 && with) {
		close(c->fd_out);
		c->fd_out = -1;
	}
	return n;
}

/* All of it, or when it is more than what is left: so each byte is moved once at most. */
static void drop_sent(struct channel *c, size_t sent)
{
	size_t left = c->out.n - sent;
	c->sent = sent;
	if (left > sent)
		return;
	if (left)
		memmove(c->out.at, c->out.at + sent, left);
	c->out.n = left;
	c->fd_at -= c->fd_out >= 0 ? sent : 0;
	c->sent = 0;
	if (!left && c->out.cap > SPARE_BYTES)
		weft_buf_fini(&c->out);
}

int channel_flush(struct channel *c)
{
	int rc = c->fd < 0 ? -EPIPE : 0;
	while (rc == 0 && c->sent < c->out.n) {
		ssize_t n = send_some(c);
		if (n > 0)
			c->sent += (size_t)n;
		else if (errno == EAGAIN || errno == EWOULDBLOCK)
			break;
		else if (errno != EINTR)
			rc = -EPIPE;
	}
	drop_sent(c, rc ? c->out.n : c->sent);
	c->tried = c->out.n;
	return rc;
}

int channel_send_fd(struct channel *c, const struct message *m, int fd)
{
	if (c->fd_out >= 0)
		return -EBUSY;
	c->fd_out = fd;
	c->fd_at = c->out.n;
	int rc = channel_send(c, m);
	if (rc && c->fd_out >= 0) {
		close(c->fd_out);
		c->fd_out = -1;
	}
	return rc;
}

int channel_take_fd(struct channel *c)
{
	int fd = c->n_fd_in ? c->fd_in[0] : -1;
	for (unsigned i = 1; i < c->n_fd_in; i++)
		c->fd_in[i - 1] = c->fd_in[i];
	c->n_fd_in -= c->n_fd_in > 0;
	return fd;
}

static void keep_fds(struct channel *c, struct msghdr *h)
{
	for (struct cmsghdr *k = CMSG_FIRSTHDR(h); k; k = CMSG_NXTHDR(h, k)) {
		size_t n = k->cmsg_level == SOL_SOCKET && k->cmsg_type == SCM_RIGHTS ? (k->cmsg_len - CMSG_LEN(0)) / sizeof(int)
		                                                                     : 0;
		for (size_t i = 0; i < n; i++) {
			int fd;
			memcpy(&fd, CMSG_DATA(k) + i * sizeof fd, sizeof fd);
			if (c->n_fd_in < CHANNEL_FDS)
				c->fd_in[c->n_fd_in++] = fd;
			else
				close(fd);
		}
	}
}

int channel_send(struct channel *c, const struct message *m)
{
	size_t at = c->out.n;
	unsigned char head[HEAD_BYTES] = {0};
	weft_buf_add(&c->out, (const char *)head, sizeof head);
	int rc = c->out.failed ? -ENOMEM : message_encode(m, &c->out);
	if (rc) {
		c->out.n = at;
		return rc;
	}
	uint32_t n = (uint32_t)(c->out.n - at - HEAD_BYTES);
	memcpy(c->out.at + at, &n, sizeof n);
	c->out.at[at + 4] = (char)m->kind;
	return c->out.n - c->tried >= FLUSH_BYTES ? channel_flush(c) : 0;
}

int channel_fill(struct channel *c)
{
	char bytes[READ_BYTES];
	if (c->taken) {
		memmove(c->in.at, c->in.at + c->taken, c->in.n - c->taken);
		c->in.n -= c->taken;
		c->taken = 0;
	}
	union fd_room room;
	struct iovec to = {bytes, sizeof bytes};
	struct msghdr h = {.msg_iov = &to, .msg_iovlen = 1, .msg_control = room.bytes, .msg_controllen = sizeof room.bytes};
	ssize_t n = recvmsg(c->fd, &h, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	if (n < 0)
		return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? 0 : -EPIPE;
	keep_fds(c, &h);
	weft_buf_add(&c->in, bytes, (size_t)n);
	return c->in.failed ? -ENOMEM : n == 0 ? -EPIPE : 0;
}

int channel_next(struct channel *c, struct message *out)
{
	uint32_t n;
	size_t left = c->in.n - c->taken;
	if (left < HEAD_BYTES)
		return 0;
	const char *at = c->in.at + c->taken;
	memcpy(&n, at, sizeof n);
	if (n > MESSAGE_BYTES_MAX)
		return WEFT_E_SYNTAX;
	if (left - HEAD_BYTES < n)
		return 0;
	c->taken += HEAD_BYTES + n;
	int rc = message_decode((unsigned char)at[4], at + HEAD_BYTES, n, out);
	return rc ? rc : 1;
}
