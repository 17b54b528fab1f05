/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contexts by a switch of our own (callee-saved registers and the two control words of floating point; ucontext would make two
 * system calls for signal masks, which are the thread's here). Each worker has a list of parked loops and makes a stack more
 * when a job waits and no loop is parked. Stacks are mapped with a guard page below, and touched only as far as they are used.
 *
 * When the runtime ends, the loop that notices runs on any of the stacks; it switches to the loop of the thread's own.
 */
#include "fiber.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#if defined __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

struct rt_stack {
	char *low; /* above the guard page */
	size_t bytes;
	void *tsan; /* as what ThreadSanitizer knows it */
	bool of_thread;
	struct rt_stack *next; /* of all of this worker */
};
struct rt_context {
	void *sp; /* while it does not run */
	struct rt_stack *stack;
	void *asan;
	struct rt_context *next; /* parked ones */
};

/* A worker's. */
static _Thread_local struct {
	struct rt_stack own;
	struct rt_stack *here; /* NULL: nobody has waited on this thread yet */
	struct rt_stack *all;
	struct rt_context *parked; /* loops */
	struct rt_worker *worker;
} fibers;
static size_t stack_bytes = 8u << 20;

#if defined __x86_64__
__asm__(".text\n"
        ".globl rt_switch\n"
        ".hidden rt_switch\n"
        ".type rt_switch, @function\n"
        "rt_switch:\n"
        "	pushq %rbp\n"
        "	pushq %rbx\n"
        "	pushq %r12\n"
        "	pushq %r13\n"
        "	pushq %r14\n"
        "	pushq %r15\n"
        "	subq $8, %rsp\n"
        "	stmxcsr (%rsp)\n"
        "	fnstcw 4(%rsp)\n"
        "	movq %rsp, (%rdi)\n"
        "	movq %rsi, %rsp\n"
        "	ldmxcsr (%rsp)\n"
        "	fldcw 4(%rsp)\n"
        "	addq $8, %rsp\n"
        "	popq %r15\n"
        "	popq %r14\n"
        "	popq %r13\n"
        "	popq %r12\n"
        "	popq %rbx\n"
        "	popq %rbp\n"
        "	ret\n"
        ".size rt_switch, .-rt_switch\n");
#else
#error "this processor wants its switch of stacks"
#endif

void rt_stack_set_size(size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	bytes = (bytes + page - 1) / page * page;
	stack_bytes = bytes < 16 * page ? 16 * page : bytes;
}

/* What the sanitizers want to know of a switch. */
static void fiber_leaves(struct rt_context *from, const struct rt_stack *to)
{
#if defined __SANITIZE_ADDRESS__
	__sanitizer_start_switch_fiber(&from->asan, to->low, to->bytes);
#elif defined __SANITIZE_THREAD__
	__tsan_switch_to_fiber(to->tsan, 0);
#endif
	(void)from, (void)to;
}

static void fiber_arrives(const struct rt_context *at)
{
#if defined __SANITIZE_ADDRESS__
	__sanitizer_finish_switch_fiber(at ? at->asan : NULL, NULL, NULL);
#endif
	(void)at;
}

/* The calling context stops, saved in `from`. */
static void fiber_go(struct rt_context *from, struct rt_stack *stack, void *sp)
{
	from->stack = fibers.here;
	fibers.here = stack;
	fiber_leaves(from, stack);
	rt_switch(&from->sp, sp);
	fiber_arrives(from);
}

static _Noreturn void give_up(void)
{
	static const char text[] = "weft: no memory for another stack\n";
	ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
	(void)written;
	abort();
}

/* A new stack begins here: a loop of this worker, until the runtime ends. */
static void stack_main(void)
{
	fiber_arrives(NULL);
	rt_worker_main(fibers.worker);
	struct rt_context **at = &fibers.parked;
	while (!(*at)->stack->of_thread)
		at = &(*at)->next;
	struct rt_context *first = *at, gone;
	*at = first->next;
	fiber_go(&gone, first->stack, first->sp);
	WEFT_BUG("a stack went on after its end");
}

static struct rt_stack *stack_new(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct rt_stack *s = calloc(1, sizeof *s);
	char *at = s ? mmap(NULL, stack_bytes + page, PROT_READ | PROT_WRITE,
	                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0)
	             : MAP_FAILED;
	if (at == MAP_FAILED || mprotect(at, page, PROT_NONE))
		give_up();
	s->low = at + page;
	s->bytes = stack_bytes;
#if defined __SANITIZE_THREAD__
	s->tsan = __tsan_create_fiber(0);
#endif
	s->next = fibers.all;
	return fibers.all = s;
}

/* Registers of no meaning, the control words of now, and `begin` to return to. */
void *rt_stack_begin(char *top, void (*begin)(void))
{
	void **at = (void **)(void *)top;
	*--at = NULL; /* keeps the stack aligned as behind a call */
	*--at = (void *)(uintptr_t)begin;
	for (unsigned i = 0; i < 6; i++)
		*--at = NULL;
	uint32_t *words = (uint32_t *)(void *)--at;
	__asm__ volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(words[0]), "=m"(words[1]));
	return at;
}

static void begin_thread(void)
{
	pthread_attr_t attr;
	void *low = NULL;
	size_t bytes = 0;
	if (pthread_getattr_np(pthread_self(), &attr))
		give_up();
	pthread_attr_getstack(&attr, &low, &bytes);
	pthread_attr_destroy(&attr);
	fibers.own = (struct rt_stack){.low = low, .bytes = bytes, .of_thread = true};
#if defined __SANITIZE_THREAD__
	fibers.own.tsan = __tsan_get_current_fiber();
#endif
	fibers.here = &fibers.own;
}

bool rt_stack_has(size_t bytes)
{
	char here;
	if (!fibers.here)
		begin_thread();
	return (uintptr_t)&here - (uintptr_t)fibers.here->low > bytes;
}

/* The body of "go on": this loop is parked until another job waits. */
static enum rt_verdict body_back(struct rt_job *j, struct rt_worker *w)
{
	struct rt_context me, *to = j->arg;
	rt_job_free(&w->outbox, j);
	me.next = fibers.parked;
	fibers.parked = &me;
	fiber_go(&me, to->stack, to->sp);
	return RT_LATER;
}

void rt_waiter_init(struct rt_waiter *me, struct rt_runtime *r)
{
	struct rt_submitter *s = rt_self(r);
	*me = (struct rt_waiter){.runtime = r, .worker = s ? s->worker : NULL};
	if (!me->worker)
		return;
	me->back = rt_job_new(s->pool); /* not rt_prepare: its thread may be in the middle of another */
	if (!me->back)
		give_up();
	me->back->body = body_back;
	fibers.worker = me->worker;
	if (!fibers.here)
		begin_thread();
}

void rt_wait_for(struct rt_waiter *me)
{
	struct rt_context here;
	if (!me->worker) {
		uint32_t may = RT_MAY_NOT;
		if (weft_cas_u32(&me->may, &may, RT_MAY_SLEEP))
			while (weft_load_u32(&me->may) != RT_MAY)
				rt_submitter_waits(me->runtime, &me->may, RT_MAY_SLEEP);
		return;
	}
	struct rt_job *current = me->worker->current, *outer = rt_worker_set_idle_current(me->worker, current);
	me->back->arg = &here;
	struct rt_context *loop = fibers.parked;
	if (loop) {
		fibers.parked = loop->next;
		fiber_go(&here, loop->stack, loop->sp);
	} else {
		struct rt_stack *s = stack_new();
		fiber_go(&here, s, rt_stack_begin(s->low + s->bytes, stack_main));
	}
	__atomic_store_n(&me->worker->current, current, __ATOMIC_RELEASE);
	rt_worker_set_idle_current(me->worker, outer);
}

static const struct rt_waits *layer;

void rt_waits_are(const struct rt_waits *l)
{
	layer = l;
}

bool rt_may_wait(void)
{
	return !rt_worker_self() || (layer && layer->may());
}

void rt_wait_here(struct rt_waiter *me)
{
	if (me->worker)
		layer->waits(me);
	else
		rt_wait_for(me);
}

void rt_waiter_drop(struct rt_waiter *me)
{
	if (me->worker)
		rt_job_free(&me->worker->outbox, me->back);
}

void rt_go_on(struct rt_waiter *w)
{
	if (w->worker) {
		rt_again(w->worker, w->back);
		return;
	}
	/* Its thread may see it and be gone before the wake: which then wakes nobody, or somebody for nothing. */
	if (weft_swap_u32(&w->may, RT_MAY) == RT_MAY_SLEEP)
		rt_futex_wake(&w->may, 1);
}

void rt_stacks_free(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	for (struct rt_stack *s = fibers.all, *next; s; s = next) {
		next = s->next;
#if defined __SANITIZE_THREAD__
		__tsan_destroy_fiber(s->tsan);
#elif defined __SANITIZE_ADDRESS__
		__asan_unpoison_memory_region(s->low, s->bytes); /* it was left in the middle of a function */
#endif
		munmap(s->low - page, s->bytes + page);
		free(s);
	}
	fibers.all = NULL;
}
