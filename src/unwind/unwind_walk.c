/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From frame to frame. What lies in the thread's own stack is read at once; other pages (stacks of coroutines, of signal handlers) are
 * asked for first: a system call that reads the address for the kernel, and fails for another reason where it could.
 */
#include "unwind_priv.h"
#include "base/atomic.h"
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES_KEPT = 8, MAIN_STACK_MOST = 64 << 20 };

/* Pages that were found readable during this walk. */
struct walk {
	const struct unwind_stack *stack;
	uint64_t page[PAGES_KEPT];
	unsigned n;
};

#if defined __x86_64__

extern void *__libc_stack_end __attribute__((weak));

static bool walk_asks(struct walk *w, uint64_t at)
{
	uint64_t page = at & ~(uint64_t)(PAGE - 1);
	for (unsigned i = 0; i < PAGES_KEPT; i++)
		if (w->page[i] == page)
			return true;
	/* No such way to change a mask: EINVAL, after the mask was read. */
	long rc, none = -1;
	register long r10 __asm__("r10") = 8;
	__asm__ volatile("syscall"
	                 : "=a"(rc)
	                 : "0"((long)SYS_rt_sigprocmask), "D"(none), "S"(at), "d"(0L), "r"(r10)
	                 : "rcx", "r11", "memory");
	if (rc != -EINVAL)
		return false;
	w->page[w->n++ % PAGES_KEPT] = page;
	return true;
}

/* A word of a stack; other functions' variables among them, so AddressSanitizer is not asked. */
__attribute__((no_sanitize("address", "thread", "undefined"))) static bool walk_read(struct walk *w, uint64_t at, uint64_t *out)
{
	if (WEFT_UNLIKELY(at & 7))
		return false;
	if (WEFT_UNLIKELY(!(at >= w->stack->from && at + 8 <= w->stack->to)) && (at < PAGE || at >> 47 || !walk_asks(w, at)))
		return false;
	*out = *(const volatile uint64_t *)(uintptr_t)at;
	return true;
}

/* ---- one frame ---- */

/* Where the kernel's struct ucontext has a register, in words from its begin; by DWARF's numbers. */
static const uint8_t context_word[UNWIND_REGS] = {18, 17, 19, 16, 14, 13, 15, 20, 5, 6, 7, 8, 9, 10, 11, 12, 21};

void unwind_from_signal(struct unwind_regs *regs, const void *context)
{
	for (unsigned i = 0; i < UNWIND_REGS; i++)
		memcpy(&regs->r[i], (const char *)context + (size_t)context_word[i] * 8, 8);
}

static int step_signal(struct walk *w, struct unwind_regs *regs)
{
	uint64_t context = regs->r[UNWIND_SP];
	struct unwind_regs found;
	for (unsigned i = 0; i < UNWIND_REGS; i++)
		if (!walk_read(w, context + (uint64_t)context_word[i] * 8, &found.r[i]))
			return -1;
	*regs = found;
	return found.r[UNWIND_IP] ? 1 : -1;
}

/* Where the frame is. 0: nowhere. */
static uint64_t step_frame(struct walk *w, const struct unwind_regs *regs, const struct unwind_rule *rule)
{
	uint64_t at = regs->r[rule->reg & 15] + (uint64_t)(int64_t)rule->offset;
	if (rule->kind == UNWIND_PLT)
		return at + (((regs->r[UNWIND_IP] & 15) >= (uint64_t)rule->add) << 3);
	if (rule->kind == UNWIND_DEREF)
		return walk_read(w, at, &at) ? at + (uint64_t)(int64_t)rule->add : 0;
	return at;
}

/* frame: the one in front of it; a caller's frame lies above it, or there would be no end. */
static int step(struct walk *w, struct unwind_regs *regs, bool *exact)
{
	struct unwind_rule rule;
	unwind_rule_at(regs->r[UNWIND_IP] - !*exact, &rule);
	*exact = false;
	if (WEFT_UNLIKELY(rule.kind == UNWIND_NONE))
		return -1;
	if (WEFT_UNLIKELY(rule.kind == UNWIND_OUTSIDE))
		return 0;
	if (WEFT_UNLIKELY(rule.kind == UNWIND_SIGNAL)) {
		*exact = true;
		return step_signal(w, regs);
	}
	uint64_t sp = regs->r[UNWIND_SP], bp = regs->r[UNWIND_BP], frame = step_frame(w, regs, &rule), ip;
	if (WEFT_UNLIKELY(frame <= sp || !walk_read(w, frame + (uint64_t)(int64_t)rule.ra, &ip)))
		return -1;
	for (unsigned i = 0; i < UNWIND_SAVED; i++) {
		if (rule.saved[i] == UNWIND_SAME)
			continue;
		uint64_t at = (rule.from_bp >> i & 1 ? bp : frame) + (uint64_t)(int64_t)rule.saved[i];
		if (!walk_read(w, at, &regs->r[unwind_saved[i]]))
			return -1;
	}
	regs->r[UNWIND_SP] = frame;
	regs->r[UNWIND_IP] = ip;
	return ip ? 1 : 0;
}

int unwind_step(struct unwind_regs *regs, const struct unwind_stack *stack, bool *exact)
{
	struct walk w = {.stack = stack};
	return step(&w, regs, exact);
}

unsigned unwind_walk(struct unwind_regs *regs, const struct unwind_stack *stack, uint64_t *out, unsigned most,
                     enum unwind_end *end)
{
	struct walk w = {.stack = stack};
	bool exact = true, first = true;
	unsigned n = 0;
	for (;;) {
		if (n == most) {
			*end = UNWIND_CUT;
			return n;
		}
		out[n++] = regs->r[UNWIND_IP] + (exact && !first);
		first = false;
		int rc = step(&w, regs, &exact);
		if (rc <= 0) {
			*end = rc ? UNWIND_LOST : UNWIND_WHOLE;
			return n;
		}
		/* The C library's return from a handler is no function of the program's. */
		if (WEFT_UNLIKELY(exact) && n > 1)
			n--;
	}
}

bool unwind_main_stack(uint64_t sp, struct unwind_stack *out)
{
	/* It grows downwards from there, and nothing else is mapped in the hundred megabytes below it. */
	uint64_t end = &__libc_stack_end ? (uint64_t)(uintptr_t)__libc_stack_end : 0;
	*out = (struct unwind_stack){0, 0};
	if (sp >= end || end - sp > MAIN_STACK_MOST)
		return false;
	*out = (struct unwind_stack){sp, end};
	return true;
}

#else

void unwind_from_signal(struct unwind_regs *regs, const void *context)
{
	(void)context;
	*regs = (struct unwind_regs){{0}};
}

int unwind_step(struct unwind_regs *regs, const struct unwind_stack *stack, bool *exact)
{
	(void)regs;
	(void)stack;
	*exact = false;
	return -1;
}

unsigned unwind_walk(struct unwind_regs *regs, const struct unwind_stack *stack, uint64_t *out, unsigned most,
                     enum unwind_end *end)
{
	(void)regs;
	(void)stack;
	(void)out;
	(void)most;
	*end = UNWIND_LOST;
	return 0;
}

bool unwind_main_stack(uint64_t sp, struct unwind_stack *out)
{
	(void)sp;
	*out = (struct unwind_stack){0, 0};
	return false;
}
#endif
