/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A runtime's functions in the preloaded library: each is one jump through a slot. At first all slots lead to a resolver, which finds
 * the runtime's own functions and, where the process is to be recorded, loads the library that records; that one puts its wrappers into
 * the slots. So a process that never calls the runtime pays for nothing: no stream, no libweft.
 * preload_mpi.c shows how a runtime is added.
 */
#ifndef WEFT_PRELOAD_CALLS_H
#define WEFT_PRELOAD_CALLS_H

#include "link/link_calls.h"
#include <pthread.h>
#include <stdbool.h>

#define PRELOAD_HIDDEN __attribute__((visibility("hidden")))

struct preload_runtime {
	const char *const *names; /* what WEFT_RECORD calls what is recorded of it, up to NULL: any of them loads the library */
	bool on;                  /* without WEFT_RECORD */
	const char *library, *begin; /* that records, beside this one; its function */
	void *(*find)(const char *); /* a function of the runtime by its name, not ours; or NULL */
	void (*fill)(void);          /* preload_fill of this one */
	unsigned n_calls;
	const char *call; /* the names, one behind the other with their zeros: pointers to them would be set in each process */
	void **slot, **real;
	pthread_once_t once;
};

/* Where the call goes; ends the process where there is no such function, as the dynamic linker would. */
PRELOAD_HIDDEN void *preload_resolve(struct preload_runtime *, unsigned call);
/* Loads the library that records, and begins it with this: 0 or -errno. Not for signal handlers. */
PRELOAD_HIDDEN int preload_load(const struct preload_runtime *, const struct link_calls *);
/* Counters that were asked for begin now, not only when the process has taken some CPU time. Not in a signal handler. */
PRELOAD_HIDDEN void preload_sample_now(void);
/* All slots filled: what cannot wait for the first call. Not for signal handlers. */
PRELOAD_HIDDEN void preload_fill(struct preload_runtime *);
/* The name behind us in the global order, else in a mapped library whose file's name begins so. */
PRELOAD_HIDDEN void *preload_find(const char *const *files, const char *name);
/* A function of a library that lies beside this one, which is loaded; or NULL. */
PRELOAD_HIDDEN void *preload_symbol(const char *file, const char *function);
/* WEFT_RECORD has one of the names, or is not there and `on`. */
PRELOAD_HIDDEN bool preload_asked(const char *const *names, bool on);
PRELOAD_HIDDEN link_thread_on preload_on_thread;

/*
 * r11 is nobody's at a call; al tells the number of vector registers of a call with "...", and all registers of arguments stay as they
 * are, as does the stack: so a stub suits a function of any type.
 */
#define PRELOAD_BEGIN(runtime) \
	__asm__(".set weft_" #runtime "_number, 0\n" \
	        ".text\n" \
	        ".type weft_preload_" #runtime "_first, @function\n" \
	        "weft_preload_" #runtime "_first:\n" \
	        ".cfi_startproc\n" \
	        ".cfi_def_cfa_offset 16\n" \
	        "	push %rax\n" \
	        "	push %rdi\n" \
	        "	push %rsi\n" \
	        "	push %rdx\n" \
	        "	push %rcx\n" \
	        "	push %r8\n" \
	        "	push %r9\n" \
	        "	sub $136, %rsp\n" \
	        ".cfi_adjust_cfa_offset 192\n" \
	        "	movups %xmm0, (%rsp)\n" \
	        "	movups %xmm1, 16(%rsp)\n" \
	        "	movups %xmm2, 32(%rsp)\n" \
	        "	movups %xmm3, 48(%rsp)\n" \
	        "	movups %xmm4, 64(%rsp)\n" \
	        "	movups %xmm5, 80(%rsp)\n" \
	        "	movups %xmm6, 96(%rsp)\n" \
	        "	movups %xmm7, 112(%rsp)\n" \
	        "	mov 192(%rsp), %rdi\n" \
	        "	mov 200(%rsp), %rsi\n" \
	        "	call weft_preload_" #runtime "_resolve\n" \
	        "	mov %rax, %r11\n" \
	        "	movups (%rsp), %xmm0\n" \
	        "	movups 16(%rsp), %xmm1\n" \
	        "	movups 32(%rsp), %xmm2\n" \
	        "	movups 48(%rsp), %xmm3\n" \
	        "	movups 64(%rsp), %xmm4\n" \
	        "	movups 80(%rsp), %xmm5\n" \
	        "	movups 96(%rsp), %xmm6\n" \
	        "	movups 112(%rsp), %xmm7\n" \
	        "	add $136, %rsp\n" \
	        "	pop %r9\n" \
	        "	pop %r8\n" \
	        "	pop %rcx\n" \
	        "	pop %rdx\n" \
	        "	pop %rsi\n" \
	        "	pop %rdi\n" \
	        "	pop %rax\n" \
	        "	add $8, %rsp\n" \
	        ".cfi_adjust_cfa_offset -200\n" \
	        "	jmp *%r11\n" \
	        ".cfi_endproc\n" \
	        ".size weft_preload_" #runtime "_first, . - weft_preload_" #runtime "_first\n");

#define PRELOAD_STUB(runtime, name) \
	__asm__(".set weft_" #runtime "_number_" #name ", weft_" #runtime "_number\n" \
	        ".set weft_" #runtime "_number, weft_" #runtime "_number + 1\n" \
	        ".text\n" \
	        ".globl " #name "\n" \
	        ".type " #name ", @function\n" #name ":\n" \
	        ".cfi_startproc\n" \
	        "	mov weft_preload_" #runtime "_slot+8*weft_" #runtime "_number_" #name "(%rip), %r11\n" \
	        "	test %r11, %r11\n" \
	        "	jz 1f\n" \
	        "	jmp *%r11\n" \
	        "1:	push $weft_" #runtime "_number_" #name "\n" \
	        ".cfi_adjust_cfa_offset 8\n" \
	        "	jmp weft_preload_" #runtime "_first\n" \
	        ".cfi_endproc\n" \
	        ".size " #name ", . - " #name "\n");

/* Its arrays have `n` entries. */
#define PRELOAD_ARRAYS(runtime, n) \
	PRELOAD_HIDDEN void *weft_preload_##runtime##_slot[n]; \
	static void *runtime##_real[n];

#define PRELOAD_RESOLVER(runtime, descriptor) \
	static void runtime##_fill(void) \
	{ \
		preload_fill(&(descriptor)); \
	} \
	PRELOAD_HIDDEN void *weft_preload_##runtime##_resolve(unsigned call, const void *caller); \
	void *weft_preload_##runtime##_resolve(unsigned call, const void *caller) \
	{ \
		(void)caller; \
		return preload_resolve(&(descriptor), call); \
	}

#endif
