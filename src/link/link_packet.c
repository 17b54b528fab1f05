/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets of messages on a seqpacket socket. Used on both sides, so nothing here allocates, and what comes in is not believed: a
 * message that does not fit into its packet ends it.
 */
#include "link_proto.h"
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static uint32_t padded(uint32_t bytes)
{
	return (bytes + 7u) & ~7u;
}

void *link_packet_add(struct link_packet *p, enum link_kind kind, uint32_t tag, uint32_t bytes)
{
	if (bytes > LINK_PACKET_BYTES || p->n + sizeof(struct link_head) + padded(bytes) > LINK_PACKET_BYTES) {
		p->full = true;
		return NULL;
	}
	struct link_head *h = (void *)(p->at + p->n);
	*h = (struct link_head){.kind = kind, .bytes = bytes, .tag = tag};
	memset(h + 1, 0, padded(bytes));
	p->n += (uint32_t)sizeof *h + padded(bytes);
	return h + 1;
}

struct link_head *link_packet_next(struct link_packet *p, uint32_t *pos)
{
	if (*pos > p->n || p->n - *pos < sizeof(struct link_head))
		return NULL;
	struct link_head *h = (void *)(p->at + *pos);
	uint32_t room = p->n - *pos - (uint32_t)sizeof *h;
	if (h->bytes > room || padded(h->bytes) > room || h->kind == 0 || h->kind >= LINK_KINDS)
		return NULL;
	*pos += (uint32_t)sizeof *h + padded(h->bytes);
	return h;
}

void *link_payload_of(struct link_head *h, uint32_t bytes)
{
	return h->bytes >= bytes ? h + 1 : NULL;
}

int link_packet_send(int socket, const struct link_packet *p, int fd)
{
	if (p->full)
		return -EMSGSIZE;
	struct iovec part = {(void *)p->at, p->n};
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control = {0};
	struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1};
	if (fd >= 0) {
		m.msg_control = &control;
		m.msg_controllen = sizeof control.room;
		struct cmsghdr *c = CMSG_FIRSTHDR(&m);
		*c = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof fd), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
		memcpy(CMSG_DATA(c), &fd, sizeof fd);
	}
	for (;;) {
		ssize_t n = sendmsg(socket, &m, MSG_NOSIGNAL);
		if (n >= 0)
			return (size_t)n == p->n ? 0 : -EMSGSIZE;
		if (errno != EINTR)
			return -errno;
	}
}

static void take_descriptors(struct msghdr *m, int *fd)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (size_t i = 0; i < n; i++) {
			int one;
			memcpy(&one, CMSG_DATA(c) + i * sizeof one, sizeof one);
			if (fd && *fd < 0)
				*fd = one;
			else
				close(one);
		}
	}
}

int link_packet_receive(int socket, struct link_packet *p, int timeout_ms, int *fd)
{
	p->n = 0;
	p->full = false;
	if (fd)
		*fd = -1;
	if (timeout_ms >= 0) {
		struct pollfd wait = {.fd = socket, .events = POLLIN};
		int n;
		while ((n = poll(&wait, 1, timeout_ms)) < 0 && errno == EINTR)
			;
		if (n <= 0)
			return n < 0 ? -errno : -ETIMEDOUT;
	}
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(4 * sizeof(int))];
	} control;
	struct iovec part = {p->at, sizeof p->at};
	struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control.room};
	ssize_t n;
	while ((n = recvmsg(socket, &m, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR)
		;
	if (n < 0)
		return errno == ECONNRESET ? 0 : -errno;
	take_descriptors(&m, fd);
	if (m.msg_flags & MSG_TRUNC)
		return -EMSGSIZE;
	p->n = (uint32_t)n;
	return n > 0;
}
