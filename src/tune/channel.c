/* SPDX-License-Identifier: Apache-2.0 */
/* See channel.h. One writer at a time; reading and writing may be two threads. */
#include "channel.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { HEAD_BYTES = 5, FLUSH_BYTES = 32 * 1024, READ_BYTES = 64 * 1024 };

int channel_pair(int pair[2], struct weft_err *err)
{
	return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) ? weft_err_sys(err, errno, "cannot make a socket") : 0;
}

void channel_init(struct channel *c, int fd, bool waits)
{
	*c = (struct channel){.fd = fd, .waits = waits};
}

void channel_fini(struct channel *c)
{
	if (c->fd >= 0)
		close(c->fd);
	weft_buf_fini(&c->in);
	weft_buf_fini(&c->out);
	*c = (struct channel){.fd = -1};
}

bool channel_pending(const struct channel *c)
{
	return c->out.n > 0;
}

int channel_flush(struct channel *c)
{
	size_t sent = 0;
	int rc = c->fd < 0 ? -EPIPE : 0;
	while (rc == 0 && sent < c->out.n) {
		ssize_t n = send(c->fd, c->out.at + sent, c->out.n - sent, MSG_NOSIGNAL | (c->waits ? 0 : MSG_DONTWAIT));
		if (n > 0)
			sent += (size_t)n;
		else if (errno == EAGAIN || errno == EWOULDBLOCK)
			break;
		else if (errno != EINTR)
			rc = -EPIPE;
	}
	if (rc)
		sent = c->out.n;
	if (sent && sent < c->out.n)
		memmove(c->out.at, c->out.at + sent, c->out.n - sent);
	c->out.n -= sent;
	return rc;
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
	return c->out.n >= FLUSH_BYTES ? channel_flush(c) : 0;
}

int channel_fill(struct channel *c)
{
	char bytes[READ_BYTES];
	if (c->taken) {
		memmove(c->in.at, c->in.at + c->taken, c->in.n - c->taken);
		c->in.n -= c->taken;
		c->taken = 0;
	}
	ssize_t n = recv(c->fd, bytes, sizeof bytes, MSG_DONTWAIT);
	if (n < 0)
		return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? 0 : -EPIPE;
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
