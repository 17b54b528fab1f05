/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The code that an attach makes a thread run, when nobody comes to take the thread back: as after a kill -9 of the controller. Here a
 * thread of the test runs it on itself, with functions of the test instead of dlopen, dlsym and the agent.
 */
#include "harness.h"
#include "probe/probe_priv.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/*
 * trampoline_enter(code, args, end): what is called keeps its registers in front of `end`, which the code's frame lies before, and comes back
 * to trampoline_resume with the rax that it was given, which is returned. An interrupted system call would be at trampoline_resume, and
 * its end two bytes behind.
 */
__asm__(".pushsection .text\n"
        ".globl trampoline_enter, trampoline_resume\n"
        "trampoline_enter:\n"
        "	pushq %rbx\n	pushq %rbp\n	pushq %r12\n	pushq %r13\n	pushq %r14\n	pushq %r15\n"
        "	movq %rsp, (%rdx)\n	movq %rsi, %rbx\n	movq %rsi, %rsp\n	jmp *%rdi\n"
        "trampoline_resume:\n"
        "	.byte 0x66, 0x90\n"
        "	movq %r8, 8(%rsp)\n	movq (%rsp), %rsp\n"
        "	popq %r15\n	popq %r14\n	popq %r13\n	popq %r12\n	popq %rbp\n	popq %rbx\n	ret\n"
        ".popsection\n");
long trampoline_enter(void *code, struct trampoline_args *args, uint64_t *end);
extern const char trampoline_resume[];

static int raises;
static volatile int handled, handled_inside;
static volatile bool inside;

static void on_signal(int sig)
{
	(void)sig;
	handled++;
	handled_inside += inside;
}

static void *fake_open(const char *path, int flags)
{
	errno = 99;
	inside = true;
	return flags == 2 && !strcmp(path, "the agent") ? (void *)path : NULL;
}

static int fake_agent(const char *name)
{
	double one = 1, three = 3; /* what a program has in these registers is not what they find */
	__asm__ volatile("divsd %1, %0\n	pcmpeqd %%xmm7, %%xmm7\n	fldpi\n	fstp %%st(0)\n"
	                 : "+x"(one)
	                 : "x"(three)
	                 : "xmm7");
	if (raises)
		raise(raises);
	inside = false;
	return strcmp(name, "@socket") ? -1 : -42;
}

static void *fake_symbol(void *handle, const char *name)
{
	if (!handle)
		return strcmp(name, "__errno_location") ? NULL : (void *)__errno_location;
	return strcmp(name, "weft_agent_attach") ? NULL : (void *)fake_agent;
}

static struct {
	char below[32 << 10];
	struct trampoline_frame frame;
	char red[TRAMPOLINE_RED_ZONE];
	uint64_t end[8];
} stack __attribute__((aligned(64)));

enum { GIVEN = 1234 };

static long run(enum trampoline_restart restart, struct trampoline_args *out)
{
	struct trampoline_code code = trampoline_code();
	static struct trampoline_args *args;
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	REQUIRE(page != MAP_FAILED);
	memcpy(page, code.bytes, code.n);
	memset(&stack, 0x5a, sizeof stack);
	stack.frame = (struct trampoline_frame){.rax = GIVEN, .r8 = 88, .eflags = 0x202, .rip = (uint64_t)trampoline_resume};
	args = (void *)(stack.below + (16 << 10));
	*args = (struct trampoline_args){.dlopen = (uint64_t)fake_open,
	                                 .dlsym = (uint64_t)fake_symbol,
	                                 .path = (uint64_t) "the agent",
	                                 .symbol = (uint64_t) "weft_agent_attach",
	                                 .name = (uint64_t) "@socket",
	                                 .errno_name = (uint64_t) "__errno_location",
	                                 .frame = (uint64_t)&stack.frame,
	                                 .restart = restart,
	                                 .all = ~0ull & ~(1ull << (SIGSEGV - 1)),
	                                 .wait_ns = 1000000,
	                                 .mxcsr = 0x1f80};
	long rax = trampoline_enter(page, args, stack.end);
	*out = *args;
	munmap(page, 4096);
	return rax;
}

TEST(a_thread_comes_back_without_anybody)
{
	struct trampoline_args got;
	sigset_t before, after;
	sigprocmask(SIG_SETMASK, NULL, &before);
	raises = 0;
	errno = 7;
	CHECK_I64(run(TRAMPOLINE_NO_CALL, &got), GIVEN);
	CHECK_I64(errno, 7);
	sigprocmask(SIG_SETMASK, NULL, &after);
	CHECK(!memcmp(&before, &after, sizeof before));
	CHECK_U64(got.done, 1);
	CHECK((int64_t)got.stack > 0);
	CHECK(got.handle != 0);
	CHECK_U64(got.function, (uint64_t)fake_agent);
	CHECK_I64((int64_t)got.result, -42);
	CHECK_U64(stack.end[1], 88);
	/* Nothing is written into the red zone, nor is the code's own stack left. */
	bool clean = true;
	for (size_t k = 0; k < sizeof stack.red; k++)
		clean &= stack.red[k] == 0x5a;
	CHECK(clean);
	CHECK(msync((void *)got.stack, 4096, MS_ASYNC) == -1 && errno == ENOMEM);
}

/* What an interrupted system call comes to when a signal has come meanwhile: as signal(7) says. */
static const struct {
	const char *name;
	enum trampoline_restart restart;
	int sig, flags;
	bool ignored;
	long rax;
} cases[] = {
	{"no signal", TRAMPOLINE_NO_HANDLER, 0, 0, false, GIVEN},
	{"no call", TRAMPOLINE_NO_CALL, SIGUSR1, 0, false, GIVEN},
	{"a handler ends pause", TRAMPOLINE_NO_HANDLER, SIGUSR1, SA_RESTART, false, -EINTR},
	{"a handler ends read", TRAMPOLINE_BY_HANDLER, SIGUSR1, 0, false, -EINTR},
	{"a handler does not end read", TRAMPOLINE_BY_HANDLER, SIGUSR2, SA_RESTART, false, GIVEN},
	{"nothing ends what always goes on", TRAMPOLINE_ALWAYS, SIGUSR1, 0, false, GIVEN},
	{"a signal without a handler", TRAMPOLINE_NO_HANDLER, SIGURG, 0, true, GIVEN},
};

TEST(an_interrupted_call_without_anybody)
{
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		struct sigaction act = {.sa_handler = cases[k].ignored ? SIG_DFL : on_signal, .sa_flags = cases[k].flags};
		struct trampoline_args got;
		if (cases[k].sig)
			REQUIRE(sigaction(cases[k].sig, &act, NULL) == 0);
		handled = handled_inside = 0;
		raises = cases[k].sig;
		long rax = run(cases[k].restart, &got);
		if (!CHECK_I64(rax, cases[k].rax))
			printf("# %s\n", cases[k].name);
		/* It has waited until the code was done, and was not forgotten. */
		CHECK_I64(handled, cases[k].sig && !cases[k].ignored);
		CHECK_I64(handled_inside, 0);
		uint64_t rip = stack.frame.rip - (uint64_t)trampoline_resume;
		CHECK_U64(rip, cases[k].rax == -EINTR ? 2 : 0);
	}
}
