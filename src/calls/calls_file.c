/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What descriptors are called: an array of ids of strings. What was open before us, sockets and copies are asked of /proc when they are
 * first used. Async-signal-safe: weft_define_string() refuses where its lock is this thread's.
 */
#include "calls_priv.h"
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FDS = 1 << 16, NAMES_MOST = 50000 };
#define NAMELESS UINT32_MAX
static struct weft_atomic_u32 name[FDS];      /* 0: not known yet */
static struct weft_atomic_u32 n_names, n_fds; /* fds: those that are known lie below */

static uint32_t define(const char *text)
{
	uint32_t id = weft_load_relaxed_u32(&n_names) < NAMES_MOST ? weft_define_string(text) : 0;
	if (id)
		weft_add_relaxed_u32(&n_names, 1); /* a limit, to be held about */
	return id;
}

static uint32_t ask(int fd)
{
	char link[32], path[PATH_MAX];
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	ssize_t n = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
	if (n <= 0)
		return 0;
	path[n] = 0;
	return define(path);
}

static void keep(int fd, uint32_t id)
{
	uint32_t n = weft_load_relaxed_u32(&n_fds); /* grows: who comes late sets it again */
	while ((uint32_t)fd >= n && !weft_cas_u32(&n_fds, &n, (uint32_t)fd + 1))
		;
	weft_store_relaxed_u32(&name[fd], id); /* a number that stands for itself */
}

uint32_t calls_file_of(int fd)
{
	if (fd < 0 || fd >= FDS)
		return 0;
	uint32_t id = weft_load_relaxed_u32(&name[fd]); /* as it was stored */
	if (CALLS_LIKELY(id && id != NAMELESS))
		return id;
	if (id == NAMELESS)
		return 0;
	int error = errno;
	id = ask(fd);
	keep(fd, id ? id : NAMELESS);
	errno = error;
	return id;
}

void calls_file_set(int fd, const char *path)
{
	int error = errno;
	if (fd >= 0 && fd < FDS)
		keep(fd, path ? define(path) : 0);
	errno = error;
}

void calls_file_forget(void)
{
	for (uint32_t i = weft_load_u32(&n_fds); i-- > 0;)
		weft_store_relaxed_u32(&name[i], 0); /* asked for again */
}
