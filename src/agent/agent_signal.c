/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signals that the agent makes itself: traps of threads that are in the way of a patch, and faults of loads that a program asked for.
 * Everything else goes to the handler that was there before.
 *
 * The handlers are looked at whenever the controller asks for something: a program that has set its own meanwhile has it called
 * behind ours from then on.
 */
#include "agent_priv.h"
#include <errno.h>
#include <ucontext.h>

extern AGENT_HIDDEN char agent_faulting_begin[], agent_faulting_end[], agent_faulted[];

/*
 * agent_peek and agent_poke: rdi address, rsi size, rdx value; what was there in rax, and in rdx whether it failed.
 * agent_exchange: rdi address, rsi what must be there, rdx value; in rax whether it was.
 */
__asm__(".pushsection .text\n"
        ".hidden agent_peek, agent_poke, agent_exchange, agent_faulting_begin, agent_faulting_end, agent_faulted\n"
        ".globl agent_peek, agent_poke, agent_exchange, agent_faulting_begin, agent_faulting_end, agent_faulted\n"
        "agent_faulting_begin:\n"
        "agent_peek:\n"
        "	xorl %edx, %edx\n"
        "	cmpq $8, %rsi\n	je 8f\n	cmpq $4, %rsi\n	je 4f\n	cmpq $2, %rsi\n	je 2f\n"
        "	movzbl (%rdi), %eax\n	ret\n"
        "2:	movzwl (%rdi), %eax\n	ret\n"
        "4:	movl (%rdi), %eax\n	ret\n"
        "8:	movq (%rdi), %rax\n	ret\n"
        "agent_poke:\n"
        "	movq %rdx, %rcx\n	xorl %edx, %edx\n"
        "	cmpq $8, %rsi\n	je 8f\n	cmpq $4, %rsi\n	je 4f\n	cmpq $2, %rsi\n	je 2f\n"
        "	movzbl (%rdi), %eax\n	movb %cl, (%rdi)\n	ret\n"
        "2:	movzwl (%rdi), %eax\n	movw %cx, (%rdi)\n	ret\n"
        "4:	movl (%rdi), %eax\n	movl %ecx, (%rdi)\n	ret\n"
        "8:	movq (%rdi), %rax\n	movq %rcx, (%rdi)\n	ret\n"
        "agent_exchange:\n"
        "	movq %rsi, %rax\n	lock cmpxchgq %rdx, (%rdi)\n	sete %al\n	movzbl %al, %eax\n	ret\n"
        "agent_faulting_end:\n"
        "agent_faulted:\n"
        "	xorl %eax, %eax\n	movl $1, %edx\n	ret\n"
        ".popsection\n");

/*
 * agent_call(rdi function, rsi arg[6], rdx xmm[2], rcx where xmm0 goes): with all vector state (x87, SSE, AVX, AVX-512) put aside.
 * 2688 bytes are what these take.
 */
__asm__(".pushsection .text\n"
        ".hidden agent_call\n.globl agent_call\n"
        "agent_call:\n"
        "	pushq %rbp\n	movq %rsp, %rbp\n	pushq %rbx\n	pushq %r12\n	pushq %r13\n	pushq %r14\n"
        "	subq $2816, %rsp\n	andq $-64, %rsp\n"
        "	movq %rdi, %rbx\n	movq %rsi, %r12\n	movq %rdx, %r13\n	movq %rcx, %r14\n"
        "	xorl %eax, %eax\n"
        "	movq %rax, 512(%rsp)\n	movq %rax, 520(%rsp)\n	movq %rax, 528(%rsp)\n	movq %rax, 536(%rsp)\n"
        "	movq %rax, 544(%rsp)\n	movq %rax, 552(%rsp)\n	movq %rax, 560(%rsp)\n	movq %rax, 568(%rsp)\n"
        "	movl $0xe7, %eax\n	xorl %edx, %edx\n	xsave64 (%rsp)\n"
        "	movsd (%r13), %xmm0\n	movsd 8(%r13), %xmm1\n"
        "	movq (%r12), %rdi\n	movq 8(%r12), %rsi\n	movq 16(%r12), %rdx\n	movq 24(%r12), %rcx\n"
        "	movq 32(%r12), %r8\n	movq 40(%r12), %r9\n"
        "	movl $2, %eax\n	call *%rbx\n"
        "	testq %r14, %r14\n	je 1f\n	movsd %xmm0, (%r14)\n"
        "1:	movq %rax, %rbx\n"
        "	movl $0xe7, %eax\n	xorl %edx, %edx\n	xrstor64 (%rsp)\n"
        "	movq %rbx, %rax\n"
        "	leaq -32(%rbp), %rsp\n	popq %r14\n	popq %r13\n	popq %r12\n	popq %rbx\n	popq %rbp\n	ret\n"
        ".popsection\n");

enum { SIGNALS = 3 };
static const int numbers[SIGNALS] = {SIGTRAP, SIGSEGV, SIGBUS};
static struct sigaction before[SIGNALS];

static struct sigaction *before_of(int sig)
{
	return &before[sig == SIGTRAP ? 0 : sig == SIGSEGV ? 1 : 2];
}

static void pass_on(int sig, siginfo_t *info, void *context)
{
	struct sigaction *old = before_of(sig);
	if (old->sa_flags & SA_SIGINFO && old->sa_sigaction) {
		old->sa_sigaction(sig, info, context);
	} else if (old->sa_handler != SIG_DFL && old->sa_handler != SIG_IGN) {
		old->sa_handler(sig);
	} else if (info->si_code > 0 || old->sa_handler == SIG_DFL) {
		/* As if we were not there: the instruction is done again, and now ends the process. A trap's is behind it: raise. */
		sigaction(sig, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
		if (sig == SIGTRAP || info->si_code <= 0)
			raise(sig);
	}
}

static void on_trap(int sig, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;
	uint64_t target;
	if (info->si_code > 0 && agent_patch_target((uint64_t)regs[REG_RIP] - 1, &target)) {
		regs[REG_RIP] = (greg_t)target;
		weft_add_relaxed_u64(&agent.traps, 1); /* relaxed: only a sum */
		return;
	}
	pass_on(sig, info, context);
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;
	char *at = (char *)regs[REG_RIP];
	if (info->si_code > 0 && at >= agent_faulting_begin && at < agent_faulting_end) {
		regs[REG_RIP] = (greg_t)agent_faulted;
		return;
	}
	pass_on(sig, info, context);
}

int agent_signal_ensure(bool faults)
{
	for (int k = 0; k < (faults ? SIGNALS : 1); k++) {
		void (*mine)(int, siginfo_t *, void *) = k == 0 ? on_trap : on_fault;
		struct sigaction now, want = {.sa_sigaction = mine, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
		if (sigaction(numbers[k], NULL, &now))
			return -errno;
		if (now.sa_flags & SA_SIGINFO && now.sa_sigaction == mine)
			continue;
		before[k] = now;
		if (sigaction(numbers[k], &want, NULL))
			return -errno;
	}
	return 0;
}
