/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changing code while threads run in it.
 *
 * Each step ends with a barrier that makes every processor that runs a thread of ours serialise its instruction stream:
 *     1. 0xCC on all boundaries: who comes there is sent to the copy of the instruction, in the stub
 *     2. all other bytes
 *     3. the boundaries' own bytes, which are 0xCC again inside a jump
 * A batch of patches goes through the steps together. The table of boundaries is read by the SIGTRAP handler without a lock; entries
 * are never removed, since a thread may have trapped just before a patch went, and their stubs never are either.
 *
 * Bytes are written through /proc/self/mem, which does not ask for a page's protection: no moment in which code is writable, and no
 * mprotect to interrupt all processors.
 */
#include "agent_priv.h"
#include <errno.h>
#include <fcntl.h>
#include <dirent.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SLOTS 8192u /* twice the most patches that there can be, and a power of two */

struct slot {
	struct weft_atomic_u64 addr; /* 0: free. Stored last */
	struct weft_atomic_u64 target[LINK_PATCH_BYTES];
	struct link_patch patch; /* as it was last put in */
	bool in;
};

static struct slot table[SLOTS];
static uint32_t n_slots, n_in;
static int memory = -1;

int agent_patch_init(void)
{
	memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	if (memory < 0)
		return -errno;
	return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0) ? -errno : 0;
}

int agent_memory_write(uint64_t addr, const void *from, size_t n)
{
	if (pwrite(memory, from, n, (off_t)addr) == (ssize_t)n)
		return 0;
	return -EFAULT;
}

int agent_memory_read(uint64_t addr, void *to, size_t n)
{
	return pread(memory, to, n, (off_t)addr) == (ssize_t)n ? 0 : -EFAULT;
}

static int barrier(void)
{
	return syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0) ? -errno : 0;
}

/* The entry of an address; NULL: none (add: no room). Only the command thread adds. */
static struct slot *find(uint64_t addr, bool add)
{
	for (uint64_t k = addr * 0x9e3779b97f4a7c15ull >> 40;; k++) {
		struct slot *s = &table[k % SLOTS];
		uint64_t have = weft_load_u64(&s->addr);
		if (have == addr)
			return s;
		if (have == 0) {
			if (!add || n_slots == SLOTS / 2)
				return NULL;
			n_slots++;
			return s;
		}
	}
}

bool agent_patch_target(uint64_t addr, uint64_t *target)
{
	for (unsigned k = 0; k < LINK_PATCH_BYTES; k++) {
		struct slot *s = find(addr - k, false);
		uint64_t to = s ? weft_load_u64(&s->target[k]) : 0;
		if (to) {
			*target = to;
			return true;
		}
	}
	return false;
}

static int prepare(const struct link_patch *p)
{
	uint8_t now[LINK_PATCH_BYTES];
	if (p->n == 0 || p->n > LINK_PATCH_BYTES || !(p->boundary & 1))
		return -EINVAL;
	for (unsigned k = 0; k < p->n; k++)
		if (p->boundary >> k & 1 && p->target[k] == 0)
			return -EINVAL;
	if (agent_memory_read(p->addr, now, p->n))
		return -EFAULT;
	if (memcmp(now, p->before, p->n))
		return -ESTALE;
	struct slot *s = find(p->addr, true);
	if (!s)
		return -ENOSPC;
	for (unsigned k = 0; k < p->n; k++)
		if (p->boundary >> k & 1)
			weft_store_u64(&s->target[k], p->target[k]);
	weft_store_u64(&s->addr, p->addr);
	return 0;
}

static void write_boundaries(const struct link_patch *p, bool trap)
{
	static const uint8_t cc = 0xcc;
	/* From behind: a thread that comes through the first byte finds the rest as it will be. */
	for (unsigned k = p->n; k-- > 0;)
		if (p->boundary >> k & 1)
			agent_memory_write(p->addr + k, trap ? &cc : &p->after[k], 1);
}

static void write_others(const struct link_patch *p)
{
	for (unsigned k = 0, to; k < p->n; k = to) {
		for (to = k; to < p->n && !(p->boundary >> to & 1); to++)
			;
		if (to > k)
			agent_memory_write(p->addr + k, p->after + k, to - k);
		else
			to++;
	}
}

/* What the table says of it, for the end: the bytes from before its first insertion are kept over later changes. */
static void note(const struct link_patch *p)
{
	struct slot *s = find(p->addr, false);
	if (!s)
		return;
	uint8_t first[LINK_PATCH_BYTES];
	memcpy(first, s->in ? s->patch.before : p->before, sizeof first);
	n_in += (p->lasts && !s->in) - (!p->lasts && s->in);
	s->in = p->lasts;
	s->patch = *p;
	memcpy(s->patch.before, first, sizeof first);
}

void agent_patch(const struct link_patch *p, unsigned n, int *rc)
{
	int failed = agent_signal_ensure(false);
	for (unsigned k = 0; k < n; k++)
		rc[k] = failed ? failed : prepare(&p[k]);
	for (int step = 0; step < 3; step++) {
		for (unsigned k = 0; k < n; k++) {
			if (rc[k])
				continue;
			if (step == 1)
				write_others(&p[k]);
			else
				write_boundaries(&p[k], step == 0);
		}
		failed = barrier();
	}
	for (unsigned k = 0; k < n; k++) {
		rc[k] = rc[k] ? rc[k] : failed;
		if (rc[k] == 0)
			note(&p[k]);
	}
}

void agent_patch_undo(bool alone)
{
	for (unsigned rank = 0; rank < 256 && n_in; rank++) {
		if (rank == LINK_RANK_LAST && !alone)
			agent_frames_end();
		for (uint32_t k = 0; k < SLOTS; k++) {
			struct slot *s = &table[k];
			if (!s->in || s->patch.rank != rank)
				continue;
			struct link_patch p = s->patch;
			memcpy(p.before, s->patch.after, sizeof p.before);
			memcpy(p.after, s->patch.before, sizeof p.after);
			p.lasts = 0;
			int rc = 0;
			if (alone) {
				uint8_t now[LINK_PATCH_BYTES];
				if (agent_memory_read(p.addr, now, p.n) == 0 && !memcmp(now, p.before, p.n))
					agent_memory_write(p.addr, p.after, p.n);
			} else {
				agent_patch(&p, 1, &rc);
			}
			/* What cannot be undone is not there any more. */
			if (s->in) {
				s->in = false;
				n_in--;
			}
		}
	}
}

uint32_t agent_patches(void)
{
	return n_in;
}

unsigned agent_traps_blocked(void)
{
	unsigned n = 0;
	DIR *tasks = opendir("/proc/self/task");
	for (struct dirent *e; tasks && (e = readdir(tasks));) {
		char path[300], text[4096];
		snprintf(path, sizeof path, "/proc/self/task/%s/status", e->d_name);
		int fd = e->d_name[0] == '.' ? -1 : open(path, O_RDONLY | O_CLOEXEC);
		ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
		if (fd >= 0)
			close(fd);
		text[got > 0 ? got : 0] = '\0';
		const char *line = strstr(text, "\nSigBlk:");
		unsigned long long blocked = 0;
		n += line && sscanf(line + 8, "%llx", &blocked) == 1 && blocked >> (SIGTRAP - 1) & 1;
	}
	if (tasks)
		closedir(tasks);
	return n;
}
