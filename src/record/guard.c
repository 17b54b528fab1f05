/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table of ranges that the handler of SIGBUS looks through. A row is taken by whoever changes its `at` from 0 to TAKEN, and
 * published by the address, last.
 *
 * A program that sets its own handler later gets the signal instead of us; one that had its own before gets all that is not in the
 * table, by the same mask and on the same stack as before. The kernel ends a thread that blocks SIGBUS and faults, whatever we do.
 */
#include "guard.h"
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ROWS 256u
#define TAKEN 1u
#define PAGE_MASK ((uintptr_t)4095)

enum guard_state { GUARD_NONE, GUARD_SETTING, GUARD_SET };

struct guard_row {
	struct weft_atomic_u64 at, end;
	struct weft_atomic_ptr cut;
};

static struct {
	struct weft_atomic_u32 state;
	struct guard_row row[ROWS];
	struct sigaction before; /* valid once the state is GUARD_SET */
} guard;

/* From the address to the end of the mapping: all of it lies behind the end of the file. */
static bool guard_mend(uintptr_t fault)
{
	for (unsigned i = 0; i < ROWS; i++) {
		uint64_t at = weft_load_u64(&guard.row[i].at), end = weft_load_u64(&guard.row[i].end);
		if (at <= TAKEN || fault < at || fault >= end)
			continue;
		uintptr_t from = fault & ~PAGE_MASK;
		/* Not by libc: ThreadSanitizer would take it for a write of all that other threads use there. */
		void *got = (void *)syscall(SYS_mmap, from, end - from, PROT_READ | PROT_WRITE,
		                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
		struct weft_atomic_u32 *cut = weft_load_ptr(&guard.row[i].cut);
		if (got == MAP_FAILED)
			return false;
		weft_store_u32(cut, EIO);
		return true;
	}
	return false;
}

/* To whom it would have gone. A fault comes again when we return, and is fatal then; a signal that was sent must be sent again. */
static void guard_pass_on(int sig, siginfo_t *info, void *context)
{
	const struct sigaction *before = &guard.before;
	bool sent = info->si_code <= 0;
	if (before->sa_flags & SA_SIGINFO) {
		before->sa_sigaction(sig, info, context);
	} else if (before->sa_handler != SIG_DFL && before->sa_handler != SIG_IGN) {
		before->sa_handler(sig);
	} else if (before->sa_handler == SIG_DFL || !sent) {
		(void)sigaction(sig, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
		if (sent)
			syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), sig);
	}
}

static void guard_on_bus(int sig, siginfo_t *info, void *context)
{
	int saved = errno;
	if (info->si_code <= 0 || !guard_mend((uintptr_t)info->si_addr))
		guard_pass_on(sig, info, context);
	errno = saved;
}

static void guard_set(void)
{
	uint32_t none = GUARD_NONE;
	if (!weft_cas_u32(&guard.state, &none, GUARD_SETTING))
		return;
	struct sigaction mine = {.sa_sigaction = guard_on_bus};
	if (sigaction(SIGBUS, NULL, &guard.before))
		return;
	mine.sa_mask = guard.before.sa_mask;
	mine.sa_flags = SA_SIGINFO | SA_ONSTACK | (guard.before.sa_flags & (SA_NODEFER | SA_RESTART));
	if (sigaction(SIGBUS, &mine, NULL) == 0)
		weft_store_u32(&guard.state, GUARD_SET);
}

bool weft_guard_add(void *at, size_t bytes, struct weft_atomic_u32 *cut)
{
	guard_set();
	for (unsigned i = 0; i < ROWS; i++) {
		struct guard_row *r = &guard.row[i];
		uint64_t none = 0;
		if (!weft_cas_u64(&r->at, &none, TAKEN))
			continue;
		weft_store_u64(&r->end, (uintptr_t)at + bytes);
		weft_store_ptr(&r->cut, cut);
		weft_store_u64(&r->at, (uintptr_t)at);
		return true;
	}
	return false;
}

void weft_guard_remove(const void *at)
{
	for (unsigned i = 0; i < ROWS; i++) {
		uint64_t mine = (uintptr_t)at;
		if (weft_cas_u64(&guard.row[i].at, &mine, 0))
			return;
	}
}
