/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fork() and vfork(). A child of vfork() has its parent's memory, thread block and events included: until it execs or ends, what it calls
 * goes through as if we were not there. The mark is set before the call and taken back by the parent behind it, in registers, since the
 * child has used the stack by then.
 */
#include "calls_priv.h"
#include <unistd.h>

static pid_t wrap_fork(void)
{
	if (calls_passes(CALLS_CALLER))
		return CALLS_REAL(fork)();
	struct calls_open o;
	calls_enter_bare(&o, CALLS_REGION(fork));
	pid_t pid = CALLS_REAL(fork)();
	if (pid) /* the child has a stream of its own, in which this call did not begin */
		calls_leave(&o, calls_def.pid, pid);
	return pid;
}

__attribute__((visibility("hidden"))) pid_t calls_vfork(void);
__attribute__((visibility("hidden"), used)) int calls_vfork_failed(int error);
int calls_vfork_failed(int error)
{
	errno = error;
	return -1;
}

/* The return address is on the stack that the child uses, too: kept in a register, as the C library does. 58: vfork. */
__asm__(".text\n"
        ".globl calls_vfork\n"
        ".hidden calls_vfork\n"
        ".type calls_vfork, @function\n"
        "calls_vfork:\n"
        ".cfi_startproc\n"
        "	pop %rdi\n"
        ".cfi_adjust_cfa_offset -8\n"
        ".cfi_register %rip, %rdi\n"
        "	mov calls_self@gottpoff(%rip), %rdx\n"
        "	mov %fs:(%rdx), %esi\n"
        "	movl $1, %fs:(%rdx)\n"
        "	mov $58, %eax\n"
        "	syscall\n"
        "	push %rdi\n"
        ".cfi_adjust_cfa_offset 8\n"
        "	test %eax, %eax\n"
        "	jz 1f\n"
        "	mov %esi, %fs:(%rdx)\n"
        "	cmp $-4095, %rax\n"
        "	jae 2f\n"
        "1:	ret\n"
        "2:	mov %eax, %edi\n"
        "	neg %edi\n"
        "	jmp calls_vfork_failed\n"
        ".cfi_endproc\n"
        ".size calls_vfork, . - calls_vfork\n");

_Static_assert(offsetof(struct calls_self, quiet) == 0 && CALLS_VFORKED == 1, "as above");

void calls_process_put(void **slot)
{
	calls_put(slot, LINK_LIBC_fork, (void *)wrap_fork);
	/* Whatever is recorded: for that mark. */
	if (calls_link->calls.real[LINK_LIBC_vfork])
		__atomic_store_n(&slot[LINK_LIBC_vfork], (void *)calls_vfork, __ATOMIC_RELEASE);
}
