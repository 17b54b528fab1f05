/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs code instruction by instruction (the processor's trap flag) and at each compares the stack that src/unwind finds with that of
 * backtrace(): prologues, epilogues, entries of the PLT, the C library's insides, all of them.
 */
#ifndef WEFT_TESTS_UNWIND_STEPPER_H
#define WEFT_TESTS_UNWIND_STEPPER_H

#include "unwind/unwind.h"
#include <execinfo.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

enum { STEPPER_DEPTH = 200, STEPPER_TRAP_FLAG = 0x100 };
static volatile int stepper_on;
static volatile unsigned long stepper_steps, stepper_most;
static volatile unsigned stepper_bad, stepper_not_whole, stepper_told;

static void stepper_tell(const char *what, void *const *theirs, int n, const uint64_t *ours, unsigned m)
{
	if (stepper_told++ >= 3)
		return;
	printf("# %s at %p: theirs %d, ours %u\n", what, theirs[0], n, m);
	for (int i = 0; i < n || i < (int)m; i++)
		printf("#   %d %p %#lx\n", i, i < n ? theirs[i] : NULL, i < (int)m ? (unsigned long)ours[i] : 0);
}

static void stepper_compare(const ucontext_t *context)
{
	void *all[STEPPER_DEPTH];
	uint64_t ours[STEPPER_DEPTH];
	struct unwind_regs regs;
	struct unwind_stack none = {0, 0};
	enum unwind_end end;
	unwind_from_signal(&regs, context);
	void *ip = (void *)(uintptr_t)regs.r[UNWIND_IP];
	unsigned m = unwind_walk(&regs, &none, ours, STEPPER_DEPTH, &end);
	/* Where the tables themselves are wrong, backtrace() reads anywhere, and crashes. */
	if (end != UNWIND_WHOLE) {
		stepper_not_whole++;
		stepper_tell("an end", &ip, 1, ours, m);
		return;
	}
	int n = backtrace(all, STEPPER_DEPTH), from = 0;
	while (from < n && all[from] != ip)
		from++;
	bool same = n - from == (int)m;
	for (unsigned i = 0; same && i < m; i++)
		same = (uint64_t)(uintptr_t)all[from + (int)i] == ours[i];
	if (!same) {
		stepper_bad++;
		stepper_tell("another stack", all + from, n - from, ours, m);
	}
}

static void stepper_trap(int signal, siginfo_t *info, void *context)
{
	ucontext_t *c = (ucontext_t *)context;
	(void)signal;
	(void)info;
	if (!stepper_on || stepper_steps >= stepper_most) {
		c->uc_mcontext.gregs[REG_EFL] &= ~STEPPER_TRAP_FLAG;
		return;
	}
	stepper_steps++;
	stepper_compare(c);
	c->uc_mcontext.gregs[REG_EFL] |= STEPPER_TRAP_FLAG;
}

/* Of `run`, the first `most` instructions. */
static void stepper_run(void (*run)(void), unsigned long most)
{
	struct sigaction trap;
	void *warm[4];
	memset(&trap, 0, sizeof trap);
	trap.sa_sigaction = stepper_trap;
	trap.sa_flags = SA_SIGINFO;
	sigaction(SIGTRAP, &trap, NULL);
	(void)backtrace(warm, 4); /* loads what it needs */
	stepper_steps = stepper_bad = stepper_not_whole = stepper_told = 0;
	stepper_most = most;
	stepper_on = 1;
	__asm__ volatile("int3");
	run();
	stepper_on = 0;
	run(); /* at once */
}

#endif
