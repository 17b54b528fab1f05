/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that a child finds zeroed, however it was made (MADV_WIPEONFORK works on the address space, below fork, clone and
 * vfork), and what must be zero there: the switches of all definitions, the lock, and the state of the background thread.
 *
 * The lock is a futex with the owner's thread id in it: so that a signal handler can see that it interrupted the owner, and a
 * child cannot inherit it locked by a thread that it does not have.
 */
#include "rec_priv.h"
#include <errno.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define REC_LOCK_WAITED 0x80000000u
#define RESERVE_SHARE 64u /* of a limit of the address space (ulimit -v) */

void *rec_mmap(size_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return at == MAP_FAILED ? NULL : at;
}

void rec_munmap(void *at, size_t bytes)
{
	if (at)
		munmap(at, bytes);
}

size_t rec_reserve_most(size_t wanted)
{
	struct rlimit most;
	if (getrlimit(RLIMIT_AS, &most) || most.rlim_cur == RLIM_INFINITY || most.rlim_cur / RESERVE_SHARE > wanted)
		return wanted;
	return (size_t)(most.rlim_cur / RESERVE_SHARE);
}

int rec_wiped_init(void)
{
	size_t most = rec_reserve_most(sizeof(struct rec_wiped) + REC_LIVE_MAX * sizeof(uint32_t));
	for (uint32_t n = REC_LIVE_MAX; n >= 1u << 10; n /= 4) {
		size_t bytes = sizeof(struct rec_wiped) + (size_t)n * sizeof(uint32_t);
		if (bytes > most && n > 1u << 10)
			continue;
		rec.wiped = rec_mmap(bytes);
		if (!rec.wiped)
			continue;
		/* Kernels before 4.14 lack it; there the handler of pthread_atfork does the work, and raw clones are on their own. */
		(void)madvise(rec.wiped, bytes, MADV_WIPEONFORK);
		rec.live_max = n;
		weft_store_u32(&rec.wiped->owner, rec.owner = 1);
		return 0;
	}
	return -ENOMEM;
}

void rec_futex_wait(struct weft_atomic_u32 *at, uint32_t value, uint64_t timeout_ns)
{
	struct timespec t = {(time_t)(timeout_ns / 1000000000u), (long)(timeout_ns % 1000000000u)};
	syscall(SYS_futex, &at->v, FUTEX_WAIT_PRIVATE, value, timeout_ns == UINT64_MAX ? NULL : &t, NULL, 0);
}

void rec_futex_wake(struct weft_atomic_u32 *at)
{
	syscall(SYS_futex, &at->v, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

bool rec_lock_mine(void)
{
	return (weft_load_u32(&rec.wiped->lock) & ~REC_LOCK_WAITED) == (uint32_t)syscall(SYS_gettid);
}

static bool lock_take(void)
{
	struct weft_atomic_u32 *lock = &rec.wiped->lock;
	uint32_t me = (uint32_t)syscall(SYS_gettid), found = 0;
	if (weft_cas_u32(lock, &found, me))
		return true;
	for (;;) {
		found = weft_load_u32(lock);
		if ((found & ~REC_LOCK_WAITED) == me)
			return false;
		if (found == 0) {
			/* Others may wait as well: who waited once says so for all, at the price of one wake-up too many. */
			if (weft_cas_u32(lock, &found, me | REC_LOCK_WAITED))
				return true;
		} else if ((found & REC_LOCK_WAITED) || weft_cas_u32(lock, &found, found | REC_LOCK_WAITED)) {
			rec_futex_wait(lock, found | REC_LOCK_WAITED, UINT64_MAX);
		}
	}
}

bool rec_lock(void)
{
	if (rec_self.locked || !lock_take())
		return false;
	rec_self.locked = 1;
	rec_unseen_begin();
	return true;
}

void rec_unlock(void)
{
	rec_unseen_end();
	rec_self.locked = 0;
	if (weft_swap_u32(&rec.wiped->lock, 0) & REC_LOCK_WAITED)
		rec_futex_wake(&rec.wiped->lock);
}

/* The inline fast path reads switches without synchronisation, and by design: late by a moment is early enough. */
REC_RACY void rec_live_store(uint32_t index, uint32_t value)
{
	*(volatile uint32_t *)&rec.wiped->live[index] = value;
}
