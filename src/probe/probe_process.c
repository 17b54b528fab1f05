/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a process has in its memory: its modules, from /proc/PID/maps, with what they are called and
 * how far they were moved; and the ranges that are taken, for those who look for a place.
 */
#include "probe_priv.h"
#include "base/vec.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEAP_ROOM (1ull << 30) /* behind the heap: brk wants to grow */
#define STACK_ROOM (1ull << 28)

int process_read(const struct probe_session *s, uint64_t addr, void *to, size_t n)
{
	if (!s->peer || s->peer->memory < 0)
		return -EPERM;
	ssize_t got = pread(s->peer->memory, to, n, (off_t)addr);
	return got == (ssize_t)n ? 0 : -EFAULT;
}

/*
 * What was read counts if the number was still that of the process, and it no other program, when
 * all had been read.
 */
ssize_t process_read_ranges(const struct probe_session *s, const struct iovec *from, size_t n, void *to, size_t bytes)
{
	struct iovec here = {to, bytes};
	ssize_t got = process_vm_readv(probe_pid(s), &here, 1, from, n, 0);
	int rc = got < 0 ? -errno : peer_check(s->peer);
	return rc ? rc : got;
}

static int add_module(struct probe_session *s, const char *path, uint64_t from)
{
	for (size_t k = 0; k < s->modules.n; k++)
		if (s->modules.at[k].from == from && !strcmp(s->modules.at[k].path, path)) {
			s->modules.at[k].here = true;
			return 0;
		}
	struct probe_module m = {.path = strdup(path), .from = from, .here = true};
	if (!m.path || weft_vec_push(&s->modules, m)) {
		free(m.path);
		return -ENOMEM;
	}
	/* The executable first: most questions are about it. */
	size_t last = s->modules.n - 1;
	if (!strcmp(path, s->agent.exe) && last > 0) {
		struct probe_module first = s->modules.at[0];
		s->modules.at[0] = s->modules.at[last];
		s->modules.at[last] = first;
	}
	return 0;
}

static int read_line(struct probe_session *s, const char *line)
{
	unsigned long long from, to, offset;
	char protection[8];
	int at = 0;
	if (sscanf(line, "%llx-%llx %7s %llx %*s %*s %n", &from, &to, protection, &offset, &at) < 4)
		return 0;
	const char *name = at ? line + at : "";
	struct probe_range taken = {from, to};
	if (!strcmp(name, "[heap]"))
		taken.to += HEAP_ROOM;
	if (!strcmp(name, "[stack]"))
		taken.from -= STACK_ROOM;
	int rc = probe_ranges_add(&s->place.taken, taken);
	if (rc == 0 && name[0] == '/' && offset == 0)
		rc = add_module(s, name, from);
	return rc;
}

int process_read_map(struct probe_session *s)
{
	char path[64], line[4200];
	snprintf(path, sizeof path, "/proc/%d/maps", (int)s->agent.pid);
	int fd = s->peer ? openat(s->peer->dir, "maps", O_RDONLY | O_CLOEXEC) : open(path, O_RDONLY | O_CLOEXEC);
	int rc = fd < 0 ? -errno : peer_check(s->peer);
	FILE *f = rc ? NULL : fdopen(fd, "r");
	if (!f) {
		rc = rc ? rc : -errno;
		if (fd >= 0)
			close(fd);
		return rc;
	}
	s->place.taken.n = 0;
	for (size_t k = 0; k < s->modules.n; k++)
		s->modules.at[k].here = false;
	while (rc == 0 && fgets(line, sizeof line, f)) {
		line[strcspn(line, "\n")] = '\0';
		rc = read_line(s, line);
	}
	fclose(f);
	for (size_t k = 0; rc == 0 && k < s->place.pages.n; k++)
		rc = probe_ranges_add(&s->place.taken, s->place.pages.at[k]);
	return rc;
}

struct probe_image *process_image(struct probe_session *s, struct probe_module *m)
{
	(void)s;
	if (!m->tried) {
		m->tried = true;
		if (probe_image_open(m->path, NULL, &m->image, NULL) == 0)
			m->bias = probe_image_moves(m->image) ? m->from - probe_image_base(m->image) : 0;
	}
	return m->image;
}

bool process_has(struct probe_session *s, const struct probe_image *image, uint64_t bias)
{
	if (process_read_map(s))
		return false;
	for (size_t k = 0; k < s->modules.n; k++)
		if (s->modules.at[k].image == image && s->modules.at[k].bias == bias)
			return s->modules.at[k].here;
	return false;
}
