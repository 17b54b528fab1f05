/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks of threads, and their rings. A block is taken at a thread's first hit and found free again
 * when its thread does not exist any more: no destructor has to run, and threads that were made
 * with clone have blocks, too. Looking costs a system call a block, so it is done when the number
 * of blocks would double.
 */
#if defined __GNUC__ && !defined __clang__
#pragma GCC target("general-regs-only")
#endif
#include "agent_priv.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <time.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static long thread_call3(long number, long a, long b, long c)
{
	return agent_syscall(number, (long[6]){a, b, c});
}

static struct agent_thread *block_at(uint32_t index)
{
	return (struct agent_thread *)(agent.blocks + (size_t)index * AGENT_BLOCK_BYTES);
}

/* As large as the address space allows: what is not used of a ring is no memory. */
static int map_rings(void)
{
	size_t bytes = (size_t)agent.ring_bytes * agent.n_most;
	agent.memory = weft_fd_high(memfd_create("weft-rings", MFD_CLOEXEC | MFD_ALLOW_SEALING));
	/* Sealed: a controller could not touch what is cut off later. */
	if (agent.memory < 0 || ftruncate(agent.memory, (off_t)bytes) ||
	    fcntl(agent.memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		return -errno;
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, agent.memory, 0);
	if (at == MAP_FAILED) {
		int rc = -errno;
		close(agent.memory);
		agent.memory = -1;
		return rc;
	}
	agent.rings = at;
	return 0;
}

/* Blocks and their wiped halves, as many as the address space has room for. */
static int reserve_blocks(void)
{
	for (uint32_t most = AGENT_BLOCKS; most >= 64; most /= 4) {
		size_t bytes = (size_t)most * AGENT_BLOCK_BYTES;
		char *at = mmap(NULL, 2 * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (at == MAP_FAILED)
			continue;
		if (madvise(at + bytes, bytes, MADV_WIPEONFORK))
			return -errno;
		madvise(at, 2 * bytes, MADV_DONTDUMP);
		agent_distance = bytes;
		agent.n_most = most;
		agent.blocks = at;
		return 0;
	}
	return -ENOMEM;
}

/*
 * For another controller, which gets the same rings: what is left in them is nobody's, and it is to
 * be told anew whose they are. A thread may still be in a stub of the former one, so nothing is
 * unmapped.
 */
static void rings_begin_anew(void)
{
	for (uint32_t k = 0, n = weft_load_u32(&agent.n_blocks); k < n; k++) {
		struct link_ring *ring = (struct link_ring *)((char *)agent.rings + (size_t)k * agent.ring_bytes);
		link_ring_forget(ring, agent.ring_bytes);
		__atomic_store_n(&agent_wiped_of(block_at(k))->told, 0, __ATOMIC_RELEASE);
	}
}

int agent_thread_init(void)
{
	int rc = agent.blocks ? 0 : reserve_blocks();
	weft_store_u32(&agent.ending, 0);
	if (agent.maps < 0)
		agent.maps = weft_fd_high(open("/proc/self/maps", O_RDONLY | O_CLOEXEC));
	if (rc == 0 && agent.rings)
		rings_begin_anew();
	else if (rc == 0)
		while ((rc = map_rings()) == -ENOMEM && agent.ring_bytes > AGENT_RING_LEAST)
			agent.ring_bytes /= 4;
	return rc;
}

static void thread_lock(void)
{
	uint32_t free = 0;
	while (!weft_cas_u32(&agent.lock, &free, 1)) {
		free = 0;
		thread_call3(SYS_sched_yield, 0, 0, 0);
	}
}

static void thread_unlock(void)
{
	weft_store_u32(&agent.lock, 0);
}

static bool thread_alive(uint32_t tid)
{
	return thread_call3(SYS_tgkill, agent.pid, tid, 0) != -ESRCH;
}

bool agent_lives(const struct agent_thread *t)
{
	return t->tid && thread_alive(t->tid);
}

struct agent_thread *agent_block(uint32_t index)
{
	return index < weft_load_u32(&agent.n_blocks) ? block_at(index) : NULL;
}

/* ---- signals, and words that may not be there ---- */

static long change_mask(long how, const uint64_t *set, uint64_t *before)
{
	return agent_syscall(SYS_rt_sigprocmask, (long[6]){how, (long)set, (long)before, 8});
}

long agent_signals_block(uint64_t *before)
{
	const uint64_t all = ~0ull;
	*before = 0;
	return change_mask(SIG_BLOCK, &all, before);
}

void agent_signals_unblock(const uint64_t *before)
{
	change_mask(SIG_SETMASK, before, NULL);
}

bool agent_word_is(uint64_t addr, uint64_t value)
{
	uint64_t found = 0;
	struct iovec to = {&found, 8}, from = {(void *)addr, 8};
	long a[6] = {(long)agent.pid, (long)&to, 1, (long)&from, 1};
	return agent_syscall(SYS_process_vm_readv, a) == 8 && found == value;
}

static struct agent_thread *take_block(uint32_t tid)
{
	/* Relaxed: under the lock. */
	uint32_t n = weft_load_relaxed_u32(&agent.n_blocks);
	if (n >= 16 && ((n & (n - 1)) == 0 || n == agent.n_most))
		for (uint32_t k = 0; k < n; k++)
			if (block_at(k)->tid && !block_at(k)->ours && !thread_alive(block_at(k)->tid))
				block_at(k)->tid = 0;
	for (uint32_t k = 0; k < n; k++) {
		struct agent_thread *t = block_at(k);
		if (t->tid)
			continue;
		t->busy = t->calling = 0;
		agent_frames_begin(t);
		t->tid = tid;
		return t;
	}
	if (n == agent.n_most)
		return NULL;
	agent_frames_begin(block_at(n));
	block_at(n)->tid = tid;
	weft_store_u32(&agent.n_blocks, n + 1);
	return block_at(n);
}

/*
 * Threads of the agent and of libweft call themselves weft-…: what they do is none of the program's
 * doing.
 */
static bool is_ours(void)
{
	char name[16] = "";
	thread_call3(SYS_prctl, PR_GET_NAME, (long)name, 0);
	return name[0] == 'w' && name[1] == 'e' && name[2] == 'f' && name[3] == 't' && name[4] == '-';
}

static void count_unblocked(void)
{
	weft_add_u64(&agent.unblocked, 1);
	if (agent.rings)
		weft_add_u64(&agent.rings->elsewhere, 1);
}

struct agent_thread *agent_first(void)
{
	if (agent_self || !agent.blocks)
		return agent_self;
	/* No handler of this thread may come while it holds the lock, and want it. */
	uint64_t before;
	agent_signals_block(&before);
	uint32_t tid = (uint32_t)thread_call3(SYS_gettid, 0, 0, 0);
	struct agent_thread *t = NULL;
	/*
	 * A child of vfork lives in its parent's memory, thread-local words included: the block
	 * would be of a thread that is soon gone.
	 */
	bool ours = (uint32_t)thread_call3(SYS_getpid, 0, 0, 0) == agent.pid;
	if (ours) {
		thread_lock();
		t = agent_self ? agent_self : take_block(tid);
		thread_unlock();
	}
	if (t)
		t->ours = is_ours();
	if (t)
		agent_self = t;
	else if (ours)
		count_unblocked();
	agent_signals_unblock(&before);
	if (ours && !t)
		agent_record_lost();
	return t;
}

bool agent_on_other_stack(void)
{
	stack_t now = {.ss_flags = 0};
	return thread_call3(SYS_sigaltstack, 0, (long)&now, 0) == 0 && now.ss_flags & SS_ONSTACK;
}

bool agent_ring_open(struct agent_thread *t)
{
	struct agent_wiped *w = agent_wiped_of(t);
	if (!agent.rings || (uint32_t)thread_call3(SYS_getpid, 0, 0, 0) != agent.pid)
		return false;
	size_t index = (size_t)((char *)t - agent.blocks) / AGENT_BLOCK_BYTES;
	struct link_ring *ring = (struct link_ring *)((char *)agent.rings + index * agent.ring_bytes);
	for (uint32_t most = weft_load_u32(&agent.rings->n_rings); most <= index;)
		if (weft_cas_u32(&agent.rings->n_rings, &most, (uint32_t)index + 1))
			break;
	/* Of an earlier thread: its records stay, ours follow. */
	link_producer_begin(&w->ring, ring, agent.ring_bytes);
	uint64_t *to = link_ring_reserve(&w->ring, 3);
	if (!to) {
		link_ring_drop(&w->ring, __builtin_ia32_rdtsc());
		w->ring.ring = NULL;
		return false;
	}
	to[0] = link_rec_head(3, LINK_REC_THREAD, 0, 0);
	to[1] = __builtin_ia32_rdtsc();
	to[2] = t->tid;
	link_ring_publish(&w->ring, 3);
	w->told = t->tid;
	return true;
}

uint64_t agent_count(uint32_t site)
{
	uint64_t sum = 0;
	for (uint32_t k = 0, n = weft_load_u32(&agent.n_blocks); k < n; k++)
		if (!block_at(k)->ours)
			sum += __atomic_load_n(&agent_wiped_of(block_at(k))->count[site % LINK_SITES], __ATOMIC_RELAXED);
	return sum;
}

void agent_status(struct link_status *out)
{
	out->dropped = weft_load_u64(&agent.unblocked);
	out->traps = weft_load_u64(&agent.traps);
	out->blocks = weft_load_u32(&agent.n_blocks);
	for (uint32_t k = 0; k < out->blocks; k++) {
		struct agent_wiped *w = agent_wiped_of(block_at(k));
		struct link_ring *ring = __atomic_load_n(&w->ring.ring, __ATOMIC_RELAXED);
		out->dropped += ring ? weft_load_u64(&ring->dropped) : 0;
		out->unwound += w->unwound;
		out->full += w->full;
		out->faults += w->faults;
	}
}

void agent_thread_forked(void)
{
	struct agent_thread *mine = agent_self;
	for (uint32_t k = 0, n = weft_load_u32(&agent.n_blocks); k < n; k++)
		if (block_at(k) != mine)
			block_at(k)->tid = block_at(k)->ours = 0;
	agent.pid = (uint32_t)thread_call3(SYS_getpid, 0, 0, 0);
	if (mine) {
		mine->tid = (uint32_t)thread_call3(SYS_gettid, 0, 0, 0);
		mine->busy = 0;
	}
	weft_store_u32(&agent.lock, 0);
	agent_foreign_forked();
	/* The parent's. */
	if (agent.maps >= 0)
		close(agent.maps);
	agent.maps = weft_fd_high(open("/proc/self/maps", O_RDONLY | O_CLOEXEC));
	/* A child that records has none, nor have its children. */
	if (agent.rings)
		munmap(agent.rings, (size_t)agent.ring_bytes * agent.n_most);
	if (agent.memory >= 0)
		close(agent.memory);
	agent.rings = NULL;
	agent.memory = -1;
}

/* ---- waiting, and waking ---- */

void agent_wake_command(void)
{
	thread_call3(SYS_write, agent.wake[1], (long)"a", 1);
}

void agent_hold(uint32_t released)
{
	struct timespec most = {2, 0};
	register struct timespec *timeout __asm__("r10") = &most;
	long result;
	/*
	 * A controller that is gone has released everybody; one that hangs does not stop the
	 * program.
	 */
	do
		__asm__ volatile("syscall"
		                 : "=a"(result)
		                 : "0"((long)SYS_futex), "D"(&agent.released), "S"((long)FUTEX_WAIT_PRIVATE), "d"((long)released),
		                   "r"(timeout)
		                 : "rcx", "r11", "memory");
	while (result == 0 && weft_load_u32(&agent.released) == released);
}
