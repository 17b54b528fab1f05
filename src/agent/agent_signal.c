/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signals that the agent makes itself: traps of threads that are in the way of a patch, and faults
 * of loads that a program asked for. Everything else goes to the handler that was there before.
 *
 * A program that sets handlers of its own for these signals does so through our sigaction and
 * signal, where we were loaded before it: ours stay, its own are kept here, called behind, and
 * shown to whoever asks. What it sets past us (a system call of its own; or we came later) is found
 * whenever the controller asks for something, and called behind ours from then on.
 *
 * A trap that a thread blocks would end the program. So what it blocks is seen, too, and the
 * controller told in the head of the rings, which stops such threads while code changes; and nobody
 * begins to block it meanwhile. From the masks of handlers SIGTRAP is taken out, and shown to
 * whoever asks: a handler must be able to come to a function that is watched.
 */
#include "agent_priv.h"
#include <weft/record.h>
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

extern AGENT_HIDDEN char agent_faulting_begin[], agent_faulting_end[], agent_faulted[];

/*
 * agent_peek and agent_poke: rdi address, rsi size, rdx value; what was there in rax, and in rdx
 * whether it failed. agent_exchange: rdi address, rsi what must be there, rdx value; in rax whether
 * it was. agent_copy: rdi from, rsi bytes, rdx to; in rdx whether it failed.
 */
__asm__(".pushsection .text\n"
        ".hidden agent_peek, agent_poke, agent_exchange, agent_copy, agent_faulting_begin, agent_faulting_end, agent_faulted\n"
        ".globl agent_peek, agent_poke, agent_exchange, agent_copy, agent_faulting_begin, agent_faulting_end, agent_faulted\n"
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
        "agent_copy:\n"
        "	movq %rsi, %rcx\n	movq %rdi, %rsi\n	movq %rdx, %rdi\n	xorl %eax, %eax\n	xorl %edx, %edx\n"
        "	rep movsb\n	ret\n"
        "agent_faulting_end:\n"
        "agent_faulted:\n"
        "	xorl %eax, %eax\n	movl $1, %edx\n	ret\n"
        ".popsection\n");

/*
 * agent_call(rdi function, rsi arg[6], rdx xmm[2], rcx where xmm0 goes): with all vector state
 * (x87, SSE, AVX, AVX-512) put aside. 2688 bytes are what these take.
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

enum { SIGNALS = 3, KERNEL_SIGSET = 8 };
static const int numbers[SIGNALS] = {SIGTRAP, SIGSEGV, SIGBUS};

/* What the program has set: one of two, so that a handler never reads what is being written. */
static struct sigaction kept[SIGNALS][2];
static struct weft_atomic_u32 which[SIGNALS];
static struct weft_atomic_u32 setting, installed; /* setting: a lock; installed: bits of signals that are ours */

/* libc's, under names that we do not take. */
extern int __sigaction(int sig, const struct sigaction *act, struct sigaction *old);
extern void (*bsd_signal(int sig, void (*handler)(int)))(int);

static int index_of(int sig)
{
	return sig == SIGTRAP ? 0 : sig == SIGSEGV ? 1 : sig == SIGBUS ? 2 : -1;
}

static const struct sigaction *kept_of(int k)
{
	return &kept[k][weft_load_u32(&which[k]) & 1];
}

static void signal_keep(int k, const struct sigaction *act)
{
	uint32_t now = weft_load_u32(&which[k]);
	kept[k][(now + 1) & 1] = *act;
	weft_store_u32(&which[k], now + 1);
}

static long signal_mask(int how, const uint64_t *set, uint64_t *old)
{
	register long bytes __asm__("r10") = KERNEL_SIGSET;
	long result;
	__asm__ volatile("syscall"
	                 : "=a"(result)
	                 : "0"((long)SYS_rt_sigprocmask), "D"((long)how), "S"(set), "d"(old), "r"(bytes)
	                 : "rcx", "r11", "memory");
	return result;
}

static uint64_t bit_of(int sig)
{
	return 1ull << (sig - 1);
}

static uint64_t signal_bits(const sigset_t *set)
{
	uint64_t word;
	memcpy(&word, set, sizeof word);
	return word;
}

void agent_signal_blocks(uint32_t how)
{
	struct link_ring *r = agent.rings;
	uint32_t now = r ? weft_load_u32(&r->blocks) : how;
	while ((now & how) != how && !weft_cas_u32(&r->blocks, &now, now | how))
		;
}

static void pass_on(int sig, siginfo_t *info, void *context)
{
	int k = index_of(sig);
	struct sigaction act = *kept_of(k);
	bool handler = act.sa_flags & SA_SIGINFO || (act.sa_handler != SIG_DFL && act.sa_handler != SIG_IGN);
	if (!handler) {
		if (info->si_code <= 0 && act.sa_handler == SIG_IGN)
			return;
		/*
		 * As if we were not there: the instruction is done again, and now ends the process.
		 * A trap's is behind it: raise.
		 */
		__sigaction(sig, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
		if (sig == SIGTRAP || info->si_code <= 0)
			raise(sig);
		return;
	}
	if (act.sa_flags & (int)SA_RESETHAND)
		signal_keep(k, &(struct sigaction){.sa_handler = SIG_DFL});
	/* The kernel puts the mask back when we return. */
	uint64_t blocked = signal_bits(&act.sa_mask) | (act.sa_flags & SA_NODEFER ? 0 : bit_of(sig));
	blocked &= ~bit_of(SIGTRAP);
	signal_mask(SIG_BLOCK, &blocked, NULL);
	if (act.sa_flags & SA_SIGINFO)
		act.sa_sigaction(sig, info, context);
	else
		act.sa_handler(sig);
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
		if (__sigaction(numbers[k], NULL, &now))
			return -errno;
		if (now.sa_flags & SA_SIGINFO && now.sa_sigaction == mine)
			continue;
		signal_keep(k, &now);
		if (__sigaction(numbers[k], &want, NULL))
			return -errno;
		weft_store_u32(&installed, weft_load_u32(&installed) | 1u << k);
	}
	return 0;
}

/* ---- what the program calls ---- */

/* All signals are blocked while it is held: no handler of this thread can want it. */
static uint64_t signal_lock(void)
{
	uint64_t all = ~0ull, before = 0;
	uint32_t free = 0;
	signal_mask(SIG_BLOCK, &all, &before);
	while (!weft_cas_u32(&setting, &free, 1))
		free = 0;
	return before;
}

static void signal_unlock(uint64_t before)
{
	weft_store_u32(&setting, 0);
	signal_mask(SIG_SETMASK, &before, NULL);
}

/* The signals whose handlers want SIGTRAP blocked. */
static struct weft_atomic_u64 masked;

static int set_open(int sig, const struct sigaction *act, struct sigaction *old)
{
	struct sigaction open;
	uint64_t before = signal_lock(), was = weft_load_u64(&masked);
	if (act) {
		open = *act;
		bool blocks = sigismember(&act->sa_mask, SIGTRAP) == 1;
		weft_store_u64(&masked, blocks ? was | bit_of(sig) : was & ~bit_of(sig));
		sigdelset(&open.sa_mask, SIGTRAP);
	}
	int rc = __sigaction(sig, act ? &open : NULL, old);
	if (rc)
		weft_store_u64(&masked, was);
	else if (old && was & bit_of(sig))
		sigaddset(&old->sa_mask, SIGTRAP);
	signal_unlock(before);
	return rc;
}

WEFT_PUBLIC int sigaction(int sig, const struct sigaction *restrict act, struct sigaction *restrict old);
int sigaction(int sig, const struct sigaction *restrict act, struct sigaction *restrict old)
{
	int k = index_of(sig);
	bool ours = weft_load_u32(&installed) >> (k < 0 ? 0 : k) & 1;
	/* A child of vfork has handlers of its own, but not a memory. */
	if (!ours || sig <= 0 || sig >= NSIG || (uint32_t)syscall(SYS_getpid) != agent.pid)
		return __sigaction(sig, act, old);
	if (k < 0)
		return set_open(sig, act, old);
	uint64_t before = signal_lock();
	struct sigaction was = *kept_of(k);
	if (act)
		signal_keep(k, act);
	signal_unlock(before);
	if (old)
		*old = was;
	return 0;
}

WEFT_PUBLIC void (*signal(int sig, void (*handler)(int)))(int);
void (*signal(int sig, void (*handler)(int)))(int)
{
	struct sigaction act = {.sa_handler = handler, .sa_flags = SA_RESTART}, old;
	if (index_of(sig) < 0 || handler == SIG_ERR)
		return bsd_signal(sig, handler);
	sigaddset(&act.sa_mask, sig);
	return sigaction(sig, &act, &old) ? SIG_ERR : old.sa_handler;
}

/* As libc does, whose own signals stay open. */
WEFT_PUBLIC int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict old);
int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
	enum { CANCEL = 32, SETXID = 33 };
	uint64_t word = set ? signal_bits(set) & ~(bit_of(CANCEL) | bit_of(SETXID)) : 0, before = 0;
	bool blocks = set && how != SIG_UNBLOCK && word & bit_of(SIGTRAP);
	struct link_ring *ring = blocks ? agent.rings : NULL;
	if (ring) {
		agent_signal_blocks(LINK_BLOCKS_THREADS);
		weft_add_u32(&ring->entering, 1);
		/*
		 * Partner of the fence in agent_patch.c: either we see that it patches, or it sees
		 * that we have begun.
		 */
		weft_fence_seq_cst();
		while (weft_load_u32(&agent.patching))
			sched_yield();
	}
	long rc = signal_mask(how, set ? &word : NULL, &before);
	if (ring)
		weft_add_u32(&ring->entered, 1);
	if (rc == 0 && old)
		memcpy(old, &before, sizeof before);
	return (int)-rc;
}

WEFT_PUBLIC int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict old);
int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
	int error = pthread_sigmask(how, set, old);
	if (error)
		errno = error;
	return error ? -1 : 0;
}
