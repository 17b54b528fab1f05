/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A link of forked processes (weft/frame.h), for tests of the frameworks that need no MPI: a pair of packet sockets between any two.
 * The test itself is process 0.
 */
#ifndef WEFT_TESTS_FRAME_FORK_H
#define WEFT_TESTS_FRAME_FORK_H

#include "weft/frame.h"
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define FORK_MOST 8

struct fork_link {
	struct weft_frame_link link;
	int fd[FORK_MOST]; /* to each */
	pid_t child[FORK_MOST];
};

static int fork_send(struct weft_frame_link *l, int to, const void *data, size_t bytes)
{
	return send(((struct fork_link *)l)->fd[to], data, bytes, MSG_NOSIGNAL) == (ssize_t)bytes ? 0 : -EIO;
}

static int fork_wait(struct weft_frame_link *l, int from, int *sender, size_t *bytes)
{
	struct pollfd p[FORK_MOST];
	for (int i = 0; i < l->size; i++)
		p[i] = (struct pollfd){.fd = i != l->rank && (from < 0 || from == i) ? ((struct fork_link *)l)->fd[i] : -1,
		                       .events = POLLIN};
	if (poll(p, (nfds_t)l->size, 20000) <= 0)
		return -ETIMEDOUT;
	for (int i = 0; i < l->size; i++)
		if (p[i].revents & POLLIN) {
			char none;
			ssize_t n = recv(p[i].fd, &none, 0, MSG_PEEK | MSG_TRUNC);
			*sender = i;
			*bytes = n > 0 ? (size_t)n : 0;
			return n > 0 ? 0 : -EIO;
		}
	return -EIO;
}

static int fork_receive(struct weft_frame_link *l, int sender, void *data, size_t bytes)
{
	return recv(((struct fork_link *)l)->fd[sender], data, bytes, 0) == (ssize_t)bytes ? 0 : -EIO;
}

/* Runs `body` in size − 1 processes beside this one; what it returns, negated, is their status (at most 255). */
static inline void fork_begin(struct fork_link *f, int size, int (*body)(struct weft_frame_link *l, void *data), void *data)
{
	int fd[FORK_MOST][FORK_MOST];
	for (int a = 0; a < size; a++)
		for (int b = 0; b < a; b++) {
			int pair[2];
			if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
				_exit(70);
			fd[a][b] = pair[0];
			fd[b][a] = pair[1];
		}
	*f = (struct fork_link){.link = {.size = size, .send = fork_send, .wait = fork_wait, .receive = fork_receive}};
	for (int rank = size - 1; rank >= 0; rank--) {
		pid_t pid = rank ? fork() : 0;
		f->child[rank] = pid;
		if (pid)
			continue;
		f->link.rank = rank;
		for (int a = 0; a < size; a++)
			for (int b = 0; b < size; b++)
				if (a == rank && b != rank)
					f->fd[b] = fd[a][b];
				else if (a != b)
					close(fd[a][b]);
		if (rank)
			_exit(-body(&f->link, data) & 0xff);
	}
}

/* 0 when all of them ended with `status`. */
static inline int fork_end(struct fork_link *f, int status)
{
	int wrong = 0;
	for (int i = 1; i < f->link.size; i++) {
		int got = 0;
		close(f->fd[i]);
		waitpid(f->child[i], &got, 0);
		wrong += !WIFEXITED(got) || WEXITSTATUS(got) != status;
	}
	return wrong;
}

#endif
