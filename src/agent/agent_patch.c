/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changing code while threads run in it.
 *
 * Each step ends with a barrier that makes every processor that runs a thread of ours serialise its
 * instruction stream:
 *     1. 0xCC on all boundaries: who comes there is sent to the copy of the instruction, in the stub
 *     2. all other bytes
 *     3. the boundaries' own bytes, which are 0xCC again inside a jump
 * Of a patch all bytes are written in each step: those that do not change in it as they are. So are
 * those between patches that lie near each other, which are one write. (A write is a microsecond,
 * whatever its length: they were most of the time that a batch takes.) A batch of patches goes
 * through the steps together. The table of boundaries is read by the SIGTRAP handler without a
 * lock; entries are never removed, since a thread may have trapped just before a patch went, and
 * their stubs never are either.
 *
 * Bytes are written through /proc/self/mem, which does not ask for a page's protection: no moment
 * in which code is writable, and no mprotect to interrupt all processors.
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
#include <time.h>
#include <unistd.h>

#define SLOTS 4096u /* patches that there can ever be */
#define PLACES (2 * SLOTS)
#define PAGE 4096u

struct slot {
	struct weft_atomic_u64 addr;
	struct weft_atomic_u64 target[LINK_PATCH_BYTES];
	struct link_patch patch; /* as it was last put in */
	bool in;
};

/*
 * One after the other, so that a batch touches few pages; found through places: 1 + number, or 0.
 */
static struct slot table[SLOTS];
static struct weft_atomic_u32 place[PLACES];
static uint32_t n_slots, n_in;
static int memory = -1;

int agent_patch_init(void)
{
	if (memory >= 0) /* of a process that forked */
		close(memory);
	memory = weft_fd_high(open("/proc/self/mem", O_RDWR | O_CLOEXEC));
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

static int patch_barrier(void)
{
	return syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0) ? -errno : 0;
}

/* The entry of an address; NULL: none (add: no room). Only the command thread adds. */
static struct slot *patch_find(uint64_t addr, bool add)
{
	for (uint64_t k = addr * 0x9e3779b97f4a7c15ull >> 40;; k++) {
		struct weft_atomic_u32 *at = &place[k % PLACES];
		uint32_t number = weft_load_u32(at);
		if (number && weft_load_u64(&table[number - 1].addr) == addr)
			return &table[number - 1];
		if (number)
			continue;
		if (!add || n_slots == SLOTS)
			return NULL;
		/* Its targets are 0 until they are known: a handler that finds it finds none. */
		weft_store_u64(&table[n_slots++].addr, addr);
		weft_store_u32(at, n_slots);
		return &table[n_slots - 1];
	}
}

bool agent_patch_target(uint64_t addr, uint64_t *target)
{
	for (unsigned k = 0; k < LINK_PATCH_BYTES; k++) {
		struct slot *s = patch_find(addr - k, false);
		uint64_t to = s ? weft_load_u64(&s->target[k]) : 0;
		if (to) {
			*target = to;
			return true;
		}
	}
	return false;
}

/* ---- first writes ---- */

static struct link_range texts[8];
static unsigned n_texts;

void agent_patch_text(struct link_range pages)
{
	if (n_texts < sizeof texts / sizeof *texts)
		texts[n_texts++] = pages;
}

/* An entry of /proc/self/pagemap: the page is the file's, or nothing is there. */
static bool patch_unwritten(uint64_t entry)
{
	enum { OF_FILE = 61, SWAPPED, PRESENT };
	return !(entry >> SWAPPED & 1) && (!(entry >> PRESENT & 1) || entry >> OF_FILE & 1);
}

static void patch_forget(int pagemap, uint64_t addr, uint64_t n)
{
	static uint64_t entry[512];
	for (uint64_t k = 0, some; n > 0; addr += some * PAGE, n -= some) {
		some = n < 512 ? n : 512;
		if (pread(pagemap, entry, some * 8, (off_t)(addr / PAGE * 8)) != (ssize_t)(some * 8))
			return;
		for (uint64_t first = k = 0; k < some; first = ++k) {
			while (k < some && patch_unwritten(entry[k]))
				k++;
			if (k > first)
				madvise((void *)(addr + first * PAGE), (k - first) * PAGE, MADV_DONTNEED);
		}
	}
}

/*
 * The first write to a page of code gives us our own copy of it, and takes the file's from all
 * processors that run threads: an interrupt of each of them for each page, some 12 us. So the
 * file's pages are given back all at once before, to be found again by whoever needs them next;
 * what was written, by whomever, stays. False: nothing was done.
 */
static bool forget_texts(void)
{
	int pagemap = n_texts ? open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC) : -1;
	for (unsigned k = 0; k < n_texts && pagemap >= 0; k++)
		patch_forget(pagemap, texts[k].addr, texts[k].n / PAGE);
	if (pagemap >= 0)
		close(pagemap);
	n_texts = 0;
	return pagemap >= 0;
}

/* ---- steps ---- */

static int patch_prepare(const struct link_patch *p)
{
	uint8_t now[LINK_PATCH_BYTES];
	if (p->n == 0 || p->n > LINK_PATCH_BYTES || !(p->boundary & 1))
		return -EINVAL;
	for (unsigned k = 0; k < p->n; k++)
		if (p->boundary >> k & 1 && p->target[k] == 0)
			return -EINVAL;
	if (agent_copy(p->addr, p->n, now).bad && agent_memory_read(p->addr, now, p->n))
		return -EFAULT;
	if (memcmp(now, p->before, p->n))
		return -ESTALE;
	struct slot *s = patch_find(p->addr, true);
	if (!s)
		return -ENOSPC;
	for (unsigned k = 0; k < p->n; k++)
		if (p->boundary >> k & 1)
			weft_store_u64(&s->target[k], p->target[k]);
	return 0;
}

enum step { TRAPS, OTHERS, BOUNDARIES, STEPS };

/* Patches first..last - 1, and what is between them. False: that cannot be read. */
static bool read_run(const struct link_patch *first, const struct link_patch *last, uint8_t *bytes)
{
	return !agent_copy(first->addr, last[-1].addr + last[-1].n - first->addr, bytes).bad;
}

static void put_step(const struct link_patch *p, enum step step, uint8_t *bytes)
{
	for (unsigned k = 0; k < p->n; k++) {
		bool boundary = p->boundary >> k & 1;
		bytes[k] = boundary && step != BOUNDARIES ? 0xcc : step == TRAPS ? p->before[k] : p->after[k];
	}
}

/* No page lies between two patches of a run: none is touched that would not be. */
enum { GAP = PAGE, RUN_BYTES = 8 * PAGE };

/* It can be written with the one before it, and all from `first` on. */
static bool is_near(const struct link_patch *first, const struct link_patch *p)
{
	uint64_t end = p[-1].addr + p[-1].n;
	return p->addr >= end && p->addr - end <= GAP && p->addr + p->n - first->addr <= RUN_BYTES;
}

static bool begins_page(const struct link_patch *p, unsigned k)
{
	return k == 0 || p[k].addr / PAGE != p[k - 1].addr / PAGE;
}

/*
 * One step of those patches whose rc is 0. forgotten: nobody has their pages, which a read would
 * change, so each is written first.
 */
static void write_step(const struct link_patch *p, const int *rc, unsigned n, enum step step, bool forgotten)
{
	static uint8_t bytes[RUN_BYTES]; /* static: the thread's stack is small, and only it patches */
	for (unsigned k = 0, last; k < n; k = last) {
		last = k + 1;
		if (rc[k])
			continue;
		bool alone = forgotten && begins_page(p, k);
		while (!alone && last < n && rc[last] == 0 && is_near(p + k, p + last) && !(forgotten && begins_page(p, last)))
			last++;
		if (last > k + 1 && !read_run(p + k, p + last, bytes))
			last = k + 1;
		for (unsigned i = k; i < last; i++)
			put_step(p + i, step, bytes + (p[i].addr - p[k].addr));
		agent_memory_write(p[k].addr, bytes, p[last - 1].addr + p[last - 1].n - p[k].addr);
	}
}

/*
 * What the table says of it, for the end: the bytes from before its first insertion are kept over
 * later changes.
 */
static void patch_note(const struct link_patch *p)
{
	struct slot *s = patch_find(p->addr, false);
	if (!s)
		return;
	uint8_t first[LINK_PATCH_BYTES];
	/* A library that was unloaded and loaded again has its own bytes there, not ours. */
	bool still = s->in && !memcmp(s->patch.after, p->before, p->n);
	memcpy(first, still ? s->patch.before : p->before, sizeof first);
	n_in += (p->lasts && !s->in) - (!p->lasts && s->in);
	s->in = p->lasts;
	s->patch = *p;
	memcpy(s->patch.before, first, sizeof first);
}

/*
 * Partner of the fence in agent_signal.c: either it sees that we patch, or we see that it has
 * begun.
 */
static bool somebody_blocks(const struct link_patch *p, unsigned n)
{
	weft_fence_seq_cst();
	return n && agent.rings && weft_load_u32(&agent.rings->entering) != p->entered;
}

void agent_patch(const struct link_patch *p, unsigned n, int *rc, bool looked)
{
	weft_store_u32(&agent.patching, 1);
	int failed = looked && somebody_blocks(p, n) ? -EAGAIN : agent_signal_ensure(false);
	/* To be read first would cost each of its pages twice. */
	if (n_slots == 0)
		memset((void *)place, 0, sizeof place);
	for (unsigned k = 0; k < n; k++)
		rc[k] = failed ? failed : patch_prepare(&p[k]);
	bool forgotten = forget_texts();
	for (int step = 0; step < STEPS && failed != -EAGAIN; step++) {
		write_step(p, rc, n, (enum step)step, forgotten && step == TRAPS);
		failed = patch_barrier();
	}
	weft_store_u32(&agent.patching, 0);
	for (unsigned k = 0; k < n; k++) {
		rc[k] = rc[k] ? rc[k] : failed;
		if (rc[k] == 0)
			patch_note(&p[k]);
	}
}

/* There is one thread, and it is here: nobody has to be led around. */
static void restore_alone(const struct link_patch *p, unsigned n)
{
	uint8_t now[LINK_PATCH_BYTES];
	for (unsigned k = 0; k < n; k++)
		if (agent_memory_read(p[k].addr, now, p[k].n) == 0 && !memcmp(now, p[k].before, p[k].n))
			agent_memory_write(p[k].addr, p[k].after, p[k].n);
}

static void undo_rank(unsigned rank, bool alone)
{
	enum { AT_ONCE = 64 };
	static struct link_patch batch[AT_ONCE]; /* static: the thread's stack is small, and only one undoes */
	int rc[AT_ONCE];
	for (uint32_t k = 0; k < n_slots;) {
		unsigned n = 0;
		uint32_t first = k;
		for (; k < n_slots && n < AT_ONCE; k++) {
			const struct slot *s = &table[k];
			if (!s->in || s->patch.rank != rank)
				continue;
			struct link_patch *p = &batch[n++];
			*p = s->patch;
			memcpy(p->before, s->patch.after, sizeof p->before);
			memcpy(p->after, s->patch.before, sizeof p->after);
			p->lasts = 0;
		}
		if (alone)
			restore_alone(batch, n);
		else if (n)
			agent_patch(batch, n, rc, false);
		/* What cannot be undone is not there any more. */
		for (; first < k; first++)
			if (table[first].in && table[first].patch.rank == rank) {
				table[first].in = false;
				n_in--;
			}
	}
}

void agent_patch_undo(bool alone)
{
	for (unsigned rank = 0; rank < 256 && n_in; rank++) {
		if (rank == LINK_RANK_LAST && !alone)
			agent_frames_end();
		undo_rank(rank, alone);
	}
}

uint32_t agent_patches(void)
{
	return n_in;
}

static bool blocks_traps(const char *tid)
{
	char path[300], text[4096];
	snprintf(path, sizeof path, "/proc/self/task/%s/status", tid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	text[got > 0 ? got : 0] = '\0';
	const char *line = strstr(text, "\nSigBlk:");
	unsigned long long blocked = 0;
	return line && sscanf(line + 8, "%llx", &blocked) == 1 && blocked >> (SIGTRAP - 1) & 1;
}

/*
 * libc blocks all signals in a thread that is being made, or makes one or a process: such a one is
 * looked at again, for 20 ms at most.
 */
unsigned agent_traps_blocked(void)
{
	enum { LOOKS = 40, LOOK_NS = 500000 };
	unsigned n = 0, looks = 0;
	DIR *tasks = opendir("/proc/self/task");
	for (struct dirent *e; tasks && (e = readdir(tasks));) {
		if (e->d_name[0] == '.')
			continue;
		bool blocks = blocks_traps(e->d_name);
		for (; blocks && looks < LOOKS; looks++) {
			/*
			 * Not nanosleep: this may be a thread whose own one was interrupted, which
			 * the kernel must not forget.
			 */
			syscall(SYS_pselect6, 0, NULL, NULL, NULL, &(struct timespec){0, LOOK_NS}, NULL);
			blocks = blocks_traps(e->d_name);
		}
		n += blocks;
	}
	if (tasks)
		closedir(tasks);
	return n;
}
