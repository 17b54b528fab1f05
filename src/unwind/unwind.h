/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Call stacks of the calling thread, of code as compilers emit it: by the tables that every object has for exceptions (.eh_frame),
 * with or without frame pointers. For signal handlers: takes no lock, allocates nothing, calls nothing of the C library but
 * _dl_find_object; and follows no address before it is known to be readable.
 *
 *     registers --- address --- rule of that address --- registers of the caller --- ...
 *                                  |
 *              table of rules that were needed before (unwind_cache.c)
 *                                  | else
 *              object (unwind_find.c) - .eh_frame_hdr - FDE (unwind_table.c) - its program, run up to the address (unwind_rule.c)
 *
 * x86-64 only; elsewhere there are no frames, and the end is UNWIND_LOST.
 */
#ifndef WEFT_UNWIND_UNWIND_H
#define WEFT_UNWIND_UNWIND_H

#include <stdbool.h>
#include <stdint.h>

/* DWARF's numbers of registers. */
enum { UNWIND_BX = 3, UNWIND_BP = 6, UNWIND_SP = 7, UNWIND_R10 = 10, UNWIND_R12 = 12, UNWIND_IP = 16, UNWIND_REGS = 17 };

struct unwind_regs {
	uint64_t r[UNWIND_REGS];
};

enum unwind_end {
	UNWIND_WHOLE, /* up to the thread's first function */
	UNWIND_CUT,   /* there is more than was asked for */
	UNWIND_LOST,  /* from here on nothing is known: code without tables, memory that cannot be read */
};

/* Memory that can be read without asking: the thread's own stack. Zeros: none is known. */
struct unwind_stack {
	uint64_t from, to;
};

/*
 * Addresses, innermost first: regs->r[UNWIND_IP] itself, then return addresses. A return address less 1 lies in the instruction of the
 * call; so it is of frames that a signal interrupted, whose addresses are given 1 higher. `regs` is used up. How many, `most` at most.
 */
unsigned unwind_walk(struct unwind_regs *regs, const struct unwind_stack *stack, uint64_t *out, unsigned most,
                     enum unwind_end *end);
/* One frame outwards: 1; 0: this was the outermost; -1: lost. *exact: the address is an instruction, no return address; set anew. */
int unwind_step(struct unwind_regs *regs, const struct unwind_stack *stack, bool *exact);

/*
 * Outwards from one's own functions, to the first frame that lies in none of these objects, which stay loaded: as if by unwind_step, but where
 * it has come the same way before, at once. via: an address that tells ways apart, of whoever was called from outside; NULL is fine.
 */
enum { UNWIND_OWN = 3 };
struct unwind_own {
	const void *object[UNWIND_OWN]; /* an address in each; NULL: none */
	const void *via;
};
int unwind_step_out(struct unwind_regs *regs, const struct unwind_stack *stack, const struct unwind_own *own, bool *exact);

/* Those of the interrupted code, from the third argument of a signal handler (ucontext_t). */
void unwind_from_signal(struct unwind_regs *regs, const void *context);

/* Those of the function that calls it, as they are there: what it calls for this must not return first. */
#if defined __x86_64__
static inline __attribute__((always_inline)) void unwind_here(struct unwind_regs *regs)
{
	uint64_t *r = regs->r;
	__asm__ volatile("mov %%rbx, 24(%0)\n"
	                 "mov %%rbp, 48(%0)\n"
	                 "mov %%rsp, 56(%0)\n"
	                 "mov %%r12, 96(%0)\n"
	                 "mov %%r13, 104(%0)\n"
	                 "mov %%r14, 112(%0)\n"
	                 "mov %%r15, 120(%0)\n"
	                 "lea 0(%%rip), %%rax\n"
	                 "mov %%rax, 128(%0)\n"
	                 :
	                 : "r"(r)
	                 : "rax", "memory");
}
#else
static inline void unwind_here(struct unwind_regs *regs)
{
	*regs = (struct unwind_regs){{0}};
}
#endif

/* The stack of this thread, where that can be said without a system call or memory; not for signal handlers of threads but main's. */
bool unwind_main_stack(uint64_t sp, struct unwind_stack *out);
/* Addresses of the loaded object that `at` lies in; false: none. */
bool unwind_object(const void *at, uint64_t *from, uint64_t *to);

#endif
