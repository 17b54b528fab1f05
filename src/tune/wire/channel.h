/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages between two processes of one machine, over a pair of sockets: each is its length (4
 * bytes), its kind (1) and its bytes. For what goes to other machines see wire.h. A descriptor can
 * travel with a message.
 */
#ifndef WEFT_TUNE_CHANNEL_H
#define WEFT_TUNE_CHANNEL_H

#include "message.h"

enum { CHANNEL_FDS = 4 };
#define CHANNEL_ALL SIZE_MAX

struct channel {
	int fd;       /* -1: closed */
	size_t keeps; /* bytes that are kept while the other side does not read; beyond that channel_send waits */
	struct weft_buf in, out;
	size_t taken, sent, tried; /* of `in`; of `out`, and up to where it was tried to send that */
	int fd_out;                /* with the message at fd_at of `out`; -1: none */
	size_t fd_at;
	int fd_in[CHANNEL_FDS]; /* that came, the first first */
	unsigned n_fd_in;
};

int channel_pair(int pair[2], struct weft_err *err) WEFT_MUST_CHECK;
void channel_init(struct channel *c, int fd, size_t keeps);
void channel_fini(struct channel *c);
/* Queues it to be sent. 0 or a negative errno value; -EPIPE: the other side is gone. */
int channel_send(struct channel *c, const struct message *m) WEFT_MUST_CHECK;
/* With a descriptor, which is taken over, unless -EBUSY: the last one has not left yet. */
int channel_send_fd(struct channel *c, const struct message *m, int fd) WEFT_MUST_CHECK;
/* The descriptor that came with the last message: the caller's; -1: none did. */
int channel_take_fd(struct channel *c);
int channel_flush(struct channel *c) WEFT_MUST_CHECK;
size_t channel_kept(const struct channel *c);  /* bytes that are still to be sent */
bool channel_pending(const struct channel *c); /* something was kept: wait for POLLOUT, then flush */
/* Reads what is there. 0; -EPIPE at the end. */
int channel_fill(struct channel *c) WEFT_MUST_CHECK;
/*
 * The next message that was read: 1, or 0: none. WEFT_E_SYNTAX: the other side is out of its mind.
 * Valid until the next fill.
 */
int channel_next(struct channel *c, struct message *out) WEFT_MUST_CHECK;

#endif
