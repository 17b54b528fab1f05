/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a thread of a running process is made to run so that the agent gets loaded. The machine code
 * and its arguments are complete before the thread's program counter is moved to it, and it needs
 * nobody afterwards: whenever the controller is killed, it runs to its end and puts the thread back
 * to where it was.
 *
 *     block signals (but those of faults), map a stack of its own
 *     put all vector and x87 state aside, call dlopen, dlsym, the agent; errno and that state are as before
 *     done = 1, wait half a second: here the controller stops it, sets its registers and mask, and detaches. What becomes of an
 *         interrupted system call is then the kernel's decision
 *     nobody came: what the kernel would do for that call with the signals that came meanwhile; mask, registers, back
 *
 *     program's stack   | ... | its red zone, 128 bytes | rip, flags, 15 registers | arguments, texts | our rsp
 *
 * The last instruction, `ret $128`, takes rip from below the red zone and gives the stack pointer
 * back at once: a signal may come between any two instructions. No vector register is touched
 * outside of xsave and xrstor; no system call is made whose interruption would overwrite what the
 * kernel knows of the one to be restarted (rt_sigreturn, nanosleep, poll and futex are such).
 */
#include "probe_priv.h"
#include <stddef.h>

extern const uint8_t trampoline_begin[], trampoline_masked[], trampoline_wait[], trampoline_wait_end[], trampoline_end[];

/* rbx and rsp: struct trampoline_args. r12: the stack's mapping, r13: &errno, r14: errno. */
__asm__(".pushsection .text\n"
        "trampoline_begin:\n"
        "	movl $14, %eax\n	xorl %edi, %edi\n	leaq 72(%rbx), %rsi\n	leaq 64(%rbx), %rdx\n	movl $8, %r10d\n	syscall\n"
        "trampoline_masked:\n"
        "	movl $9, %eax\n	xorl %edi, %edi\n	movl $0x80000, %esi\n	movl $3, %edx\n	movl $0x20022, %r10d\n"
        "	movq $-1, %r8\n	xorl %r9d, %r9d\n	syscall\n"
        "	movq %rax, 112(%rbx)\n	movq %rax, %r12\n	testq %rax, %rax\n	js 2f\n"
        /* The upper 64 KB are for the state, and zero. */
        "	leaq 0x70000(%r12), %rsp\n"
        "	movl $-1, %eax\n	movl %eax, %edx\n	xsave64 (%rsp)\n	fninit\n	ldmxcsr 184(%rbx)\n"
        "	movq 16(%rbx), %rax\n	testq %rax, %rax\n	jne 5f\n"
        "	xorl %edi, %edi\n	movq 192(%rbx), %rsi\n	call *8(%rbx)\n"
        "5:	call *%rax\n	movq %rax, %r13\n	movl (%rax), %r14d\n"
        "	movq 24(%rbx), %rdi\n	movl $2, %esi\n	call *(%rbx)\n	movq %rax, 120(%rbx)\n	testq %rax, %rax\n	je 1f\n"
        "	movq %rax, %rdi\n	movq 32(%rbx), %rsi\n	call *8(%rbx)\n	movq %rax, 128(%rbx)\n"
        "	testq %rax, %rax\n	je 1f\n"
        "	movq 40(%rbx), %rdi\n	call *%rax\n	movslq %eax, %rax\n	movq %rax, 136(%rbx)\n"
        "1:	movl %r14d, (%r13)\n"
        "	movl $-1, %eax\n	movl %eax, %edx\n	xrstor64 (%rsp)\n"
        "	movq %rbx, %rsp\n"
        "	movl $11, %eax\n	movq %r12, %rdi\n	movl $0x80000, %esi\n	syscall\n"
        "2:	movq $1, 104(%rbx)\n"
        "	movl $5, %r12d\n"
        "trampoline_wait:\n"
        "	movl $128, %eax\n	leaq 96(%rbx), %rdi\n	xorl %esi, %esi\n	leaq 80(%rbx), %rdx\n	movl $8, %r10d\n	syscall\n"
        "	decl %r12d\n	jne trampoline_wait\n"
        "trampoline_wait_end:\n"
        /*
         * With a handler to be run, an interrupted call fails with EINTR, but where that has
         * SA_RESTART and the call allows it.
         */
        "	cmpq $2, 56(%rbx)\n	jb 4f\n"
        "	movl $127, %eax\n	leaq 144(%rbx), %rdi\n	movl $8, %esi\n	syscall\n"
        "	movq 64(%rbx), %rcx\n	notq %rcx\n	andq 144(%rbx), %rcx\n	je 4f\n"
        "	bsfq %rcx, %rdi\n	incq %rdi\n"
        "	movl $13, %eax\n	xorl %esi, %esi\n	leaq 152(%rbx), %rdx\n	movl $8, %r10d\n	syscall\n"
        "	cmpq $1, 152(%rbx)\n	jbe 4f\n"
        "	cmpq $2, 56(%rbx)\n	jne 3f\n	testl $0x10000000, 160(%rbx)\n	jne 4f\n"
        "3:	movq 48(%rbx), %rcx\n	movq $-4, 80(%rcx)\n	addq $2, 128(%rcx)\n"
        "4:	movl $14, %eax\n	movl $2, %edi\n	leaq 64(%rbx), %rsi\n	xorl %edx, %edx\n	movl $8, %r10d\n	syscall\n"
        "	movq 48(%rbx), %rsp\n"
        "	popq %r15\n	popq %r14\n	popq %r13\n	popq %r12\n	popq %rbp\n	popq %rbx\n	popq %r11\n	popq %r10\n"
        "	popq %r9\n	popq %r8\n	popq %rax\n	popq %rcx\n	popq %rdx\n	popq %rsi\n	popq %rdi\n"
        "	popfq\n	ret $128\n"
        "trampoline_end:\n"
        ".popsection\n");

#define AT(member, offset) \
	_Static_assert(offsetof(struct trampoline_args, member) == (offset), "the assembly knows where '" #member "' is")
AT(dlopen, 0);
AT(dlsym, 8);
AT(errno_location, 16);
AT(path, 24);
AT(symbol, 32);
AT(name, 40);
AT(frame, 48);
AT(restart, 56);
AT(mask, 64);
AT(all, 72);
AT(wait_s, 80);
AT(none, 96);
AT(done, 104);
AT(stack, 112);
AT(handle, 120);
AT(function, 128);
AT(result, 136);
AT(pending, 144);
AT(action, 152);
AT(mxcsr, 184);
AT(errno_name, 192);
_Static_assert(offsetof(struct trampoline_frame, rax) == 80 && offsetof(struct trampoline_frame, rip) == 128, "as above");
_Static_assert(TRAMPOLINE_STACK_BYTES == 0x80000, "as above");

struct trampoline_code trampoline_code(void)
{
	return (struct trampoline_code){.bytes = trampoline_begin,
	                                .n = (size_t)(trampoline_end - trampoline_begin),
	                                .masked = (size_t)(trampoline_masked - trampoline_begin),
	                                .wait = (size_t)(trampoline_wait - trampoline_begin),
	                                .wait_end = (size_t)(trampoline_wait_end - trampoline_begin)};
}
