/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Call stacks at calls: who called the function that a recording library stands in for. Frames of that library and ours are left
 * out by the objects that their code lies in, as the compiler may have put them into each other.
 */
#include "rec_priv.h"
#include "unwind/unwind.h"
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

enum { CALLERS_MOST = 250 };

static weft_category category = WEFT_OFF;
static unsigned callers_most;
static uint64_t callers_least_ns;
static struct weft_atomic_u32 callers_read;

/* This thread's own, found once: what lies in it needs no asking. */
static struct unwind_stack thread_stack(uint64_t sp, bool may_ask)
{
	static __thread struct unwind_stack kept __attribute__((tls_model("initial-exec")));
	static __thread bool asked __attribute__((tls_model("initial-exec")));
	struct unwind_stack main;
	if (unwind_main_stack(sp, &main))
		return main;
	if (!asked && may_ask) {
		pthread_attr_t attr;
		void *at;
		size_t bytes;
		asked = true; /* first: asking may call what is recorded */
		if (pthread_getattr_np(pthread_self(), &attr) == 0) {
			if (pthread_attr_getstack(&attr, &at, &bytes) == 0)
				kept = (struct unwind_stack){(uint64_t)(uintptr_t)at, (uint64_t)(uintptr_t)at + bytes};
			pthread_attr_destroy(&attr);
		}
	}
	/* On another stack (of a coroutine), each page is asked for; on ours, what lies above is there. */
	bool on_it = sp >= kept.from && sp < kept.to;
	return (struct unwind_stack){on_it ? sp : 0, on_it ? kept.to : 0};
}

static __attribute__((noinline)) unsigned callers_find(const struct rec_between *between, bool may_ask, uint64_t *out,
                                                       unsigned most, unsigned *flags)
{
	const struct unwind_own own = {{&callers_read, between->own, between->runtime}, between->via};
	struct unwind_regs regs;
	bool exact = true;
	unwind_here(&regs);
	struct unwind_stack stack = thread_stack(regs.r[UNWIND_SP], may_ask);
	int rc = unwind_step_out(&regs, &stack, &own, &exact);
	for (unsigned n = 0;; n++) {
		*flags = rc < 0 ? WEFT_STACK_LOST : 0;
		if (rc <= 0)
			return n;
		if (n == most) {
			*flags = WEFT_STACK_CUT;
			return n;
		}
		out[n] = regs.r[UNWIND_IP] + exact;
		rc = unwind_step(&regs, &stack, &exact);
	}
}

static void callers_define(void)
{
	weft_category c = weft_define_category("callers", 1);
	__atomic_store_n(&category, c, __ATOMIC_RELEASE);
}

static void callstack_record(const struct rec_between *between, bool may_ask, unsigned most)
{
	uint64_t word[CALLERS_MOST + 1];
	unsigned flags = 0;
	int saved = errno;
	if (most == 0)
		return;
	if (WEFT_UNLIKELY(__atomic_load_n(&category, __ATOMIC_ACQUIRE) == WEFT_OFF))
		callers_define();
	uint32_t on = *category;
	if (on) {
		unsigned n = callers_find(between, may_ask, word + 1, most < CALLERS_MOST ? most : CALLERS_MOST, &flags);
		uint32_t head = WEFT_HEAD_CALLSTACK | flags << 12;
		word[0] = n;
		if (n < WEFT_WORDS_LONG)
			weft_record_head(category, on, head | n << 8, n, word + 1, 0);
		else
			weft_record_head(category, on, head | WEFT_WORDS_LONG << 8, n + 1, word, 0);
	}
	errno = saved;
}

void weft_callstack(const void *own, unsigned most)
{
	callstack_record(&(struct rec_between){own, NULL, __builtin_return_address(0)}, true, most);
}

/* "3", or "3:100us": of calls that last as long. What cannot be read is nothing. */
static void callers_read_environment(void)
{
	const char *text = secure_getenv("WEFT_CALLERS");
	struct weft_str rest = weft_str(text ? text : ""), part;
	uint64_t most = 0, least = 0;
	if (weft_str_cut(&rest, ':', &part) && weft_parse_u64(part, &most) == 0 &&
	    (!rest.n || weft_parse_ns(rest, &least) == 0)) {
		callers_least_ns = least;
		callers_most = most < CALLERS_MOST ? (unsigned)most : CALLERS_MOST;
	}
	weft_store_u32(&callers_read, 1);
}

static bool callers_wanted(void)
{
	if (WEFT_UNLIKELY(!weft_load_u32(&callers_read)))
		callers_read_environment();
	return callers_most != 0;
}

static bool callers_lasted(uint64_t began)
{
	return !callers_least_ns || (double)(weft_ticks() - began) >= (double)callers_least_ns * rec.ticks_per_ns;
}

void weft_callers(const void *own, uint64_t began)
{
	if (callers_wanted() && callers_lasted(began))
		callstack_record(&(struct rec_between){own, NULL, __builtin_return_address(0)}, true, callers_most);
}

bool rec_callers_timed(void)
{
	return callers_least_ns != 0;
}

void rec_callers_record(const struct rec_between *between, uint64_t began)
{
	if (callers_wanted() && callers_lasted(began))
		callstack_record(between, true, callers_most);
}

int weft_callers_anywhere(const void *own, uint64_t began)
{
	if (!callers_wanted())
		return 0;
	if (!began && __atomic_load_n(&category, __ATOMIC_ACQUIRE) == WEFT_OFF)
		callers_define();
	if (!began)
		(void)thread_stack((uint64_t)(uintptr_t)__builtin_frame_address(0), true);
	if (began && callers_lasted(began))
		callstack_record(&(struct rec_between){own, NULL, __builtin_return_address(0)}, false, callers_most);
	return 1;
}
