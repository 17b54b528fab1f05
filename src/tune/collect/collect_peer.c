/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A neighbour of a collector: on this machine a stream from a common parent (channel.h), on another
 * one a wire (wire.h).
 */
#include "collect_priv.h"
#include <errno.h>
#include <poll.h>

static int wire_send(struct peer *p, const struct message *m)
{
	p->bytes.n = 0;
	int rc = message_encode(m, &p->bytes);
	rc = rc ? rc : weft_wire_send(p->w, (uint16_t)m->kind, p->bytes.at, p->bytes.n);
	if (rc == -EAGAIN && m->kind == MESSAGE_EVENT)
		p->dropped++;
	return rc == -EAGAIN ? 0 : rc;
}

int peer_send(struct peer *p, const struct message *m)
{
	if (!p->alive)
		return -EPIPE;
	if (p->rests || (p->between && p->leaving))
		return level_keep(p, m);
	int rc = p->w ? wire_send(p, m) : channel_send(&p->c, m);
	return rc == -EMSGSIZE ? 0 : rc;
}

int peer_flush(struct peer *p)
{
	if (!p->alive)
		return -EPIPE;
	if (!p->w)
		return channel_flush(&p->c);
	int64_t rc = weft_wire_flush(p->w);
	return rc < 0 ? (int)rc : 0;
}

int peer_fill(struct peer *p)
{
	return p->w ? 0 : channel_fill(&p->c);
}

int peer_next(struct peer *p, struct message *out)
{
	struct weft_wire_message m;
	if (!p->w)
		return channel_next(&p->c, out);
	int rc = weft_wire_next(p->w, &m, NULL);
	if (rc <= 0)
		return rc;
	rc = message_decode(m.kind, m.at, m.n, out);
	return rc ? rc : 1;
}

int peer_fd(const struct peer *p)
{
	return !p->alive ? -1 : p->w ? weft_wire_fd(p->w) : p->c.fd;
}

short peer_events(const struct peer *p)
{
	if (p->w)
		return weft_wire_events(p->w);
	return (short)(POLLIN | (channel_pending(&p->c) ? POLLOUT : 0));
}

void peer_end(struct peer *p)
{
	if (p->w)
		weft_wire_free(p->w);
	else if (p->alive)
		channel_fini(&p->c);
	weft_buf_fini(&p->bytes);
	weft_buf_fini(&p->kept);
	weft_buf_fini(&p->fold);
	p->w = NULL;
	p->alive = false;
}
