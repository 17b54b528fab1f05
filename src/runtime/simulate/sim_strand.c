/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strands: stacks with a guard page below, switched by core/fiber.c's switch. A strand and what called it run on the same thread, one
 * at a time; variables of the thread that each strand has its own of are exchanged with each switch.
 */
#include "sim.h"
#include "runtime/core/fiber.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#if defined __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

enum { STACK_BYTES = 8 << 20 };

/* Who runs a strand: the stack to come back to. */
static _Thread_local struct {
	struct rt_strand *runs;
	void *sp;
	void *sanitizer;
	const void *low;
	size_t bytes;
	unsigned char own[RT_SIM_OWN_BYTES];
} caller;

struct rt_strand *sim_strand_self(void)
{
	return caller.runs;
}

/* What the sanitizers want to know of a switch. */
static void leave_caller(const struct rt_strand *to)
{
#if defined __SANITIZE_ADDRESS__
	__sanitizer_start_switch_fiber(&caller.sanitizer, to->low, to->bytes);
#elif defined __SANITIZE_THREAD__
	caller.sanitizer = __tsan_get_current_fiber();
	__tsan_switch_to_fiber(to->sanitizer, 0);
#endif
	(void)to;
}

static void arrive_at_caller(void)
{
#if defined __SANITIZE_ADDRESS__
	__sanitizer_finish_switch_fiber(caller.sanitizer, NULL, NULL);
#endif
}

static void leave_strand(struct rt_strand *s)
{
#if defined __SANITIZE_ADDRESS__
	__sanitizer_start_switch_fiber(s->state == SIM_ENDED ? NULL : &s->sanitizer, caller.low, caller.bytes);
#elif defined __SANITIZE_THREAD__
	__tsan_switch_to_fiber(caller.sanitizer, 0);
#endif
	(void)s;
}

static void arrive_at_strand(struct rt_strand *s)
{
#if defined __SANITIZE_ADDRESS__
	__sanitizer_finish_switch_fiber(s->sanitizer, &caller.low, &caller.bytes);
#endif
	(void)s;
}

static void own_save(unsigned char *to)
{
	for (const struct rt_sim_own *o = rt_sim_own; o->at; o++)
		memcpy(to + o->offset, o->at(), o->bytes);
}

static void own_load(const unsigned char *from)
{
	for (const struct rt_sim_own *o = rt_sim_own; o->at; o++)
		memcpy(o->at(), from + o->offset, o->bytes);
}

static void strand_main(void)
{
	struct rt_strand *s = sim_strand_self();
	arrive_at_strand(s);
	s->main(s->arg);
	s->state = SIM_ENDED;
	sim_strand_stop();
	WEFT_BUG("a strand went on after its end");
}

struct rt_strand *sim_strand_new(void *(*main)(void *), void *arg)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct rt_strand *s = calloc(1, sizeof *s);
	char *at = s ? mmap(NULL, STACK_BYTES + page, PROT_READ | PROT_WRITE,
	                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0)
	             : MAP_FAILED;
	if (at == MAP_FAILED || mprotect(at, page, PROT_NONE)) {
		free(s);
		return NULL;
	}
	s->low = at + page;
	s->bytes = STACK_BYTES;
	s->main = main;
	s->arg = arg;
	memcpy(s->own, rt_sim_initial, sizeof s->own);
#if defined __SANITIZE_THREAD__
	s->sanitizer = __tsan_create_fiber(0);
#endif
	s->sp = rt_stack_begin(s->low + s->bytes, strand_main);
	return s;
}

void sim_strand_free(struct rt_strand *s)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
#if defined __SANITIZE_THREAD__
	__tsan_destroy_fiber(s->sanitizer);
#elif defined __SANITIZE_ADDRESS__
	__asan_unpoison_memory_region(s->low, s->bytes);
#endif
	munmap(s->low - page, s->bytes + page);
	free(s);
}

void sim_strand_run(struct rt_strand *s)
{
	own_save(caller.own);
	own_load(s->own);
	caller.runs = s;
	s->state = SIM_RUNS;
	leave_caller(s);
	rt_switch(&caller.sp, s->sp);
	arrive_at_caller();
	caller.runs = NULL;
	own_save(s->own);
	own_load(caller.own);
}

void sim_strand_stop(void)
{
	struct rt_strand *s = caller.runs;
	leave_strand(s);
	rt_switch(&s->sp, caller.sp);
	arrive_at_strand(s);
}
