/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several records of one instant: room for all of them is claimed at once, and the clock is read once, as weft_record does for
 * one; where something is unusual each goes its own way through weft_record_slow. Regions of codelets are kept by the codelet's
 * address and name in a table without locks for readers; a codelet whose memory has become another one is seen by its name.
 */
#include "life_detail.h"
#include <pthread.h>

struct rt_trace rt_trace = {WEFT_OFF, WEFT_OFF, WEFT_OFF, WEFT_OFF, WEFT_OFF, WEFT_OFF, WEFT_OFF};

static void define(void)
{
	weft_category basic = weft_define_category("starpu", 1), detail = weft_define_category("starpu_detail", 0);
	rt_trace = (struct rt_trace){
		.task = weft_define_flow("task", basic),
		.depends = weft_define_flow("depends", detail),
		.sleep = weft_define_region("sleeping", WEFT_STATE_IDLE, basic),
		.wait = weft_define_region("waiting for tasks", WEFT_STATE_WAITING, basic),
		.priority = weft_define_attr("priority", "", detail),
		.tag = weft_define_attr("tag", "", detail),
		.iteration = weft_define_attr("iteration", "", detail),
	};
	rt_detail_begin();
}

void rt_trace_begin(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, define);
}

/* ---- several records at once ---- */

enum { RECORDS_MOST = 6, WORDS_MOST = 2 };
struct records {
	unsigned n, words;
	struct {
		uint32_t head;
		unsigned n;
		uint64_t payload[WORDS_MOST];
	} at[RECORDS_MOST];
};

static void add(struct records *r, weft_def d, uint32_t kind, unsigned n, uint64_t first, uint64_t second)
{
	uint32_t on = *d;
	if (!on)
		return;
	r->at[r->n].head = on | kind;
	r->at[r->n].n = n;
	r->at[r->n].payload[0] = first;
	r->at[r->n].payload[1] = second;
	r->words += 1 + n;
	r->n++;
}

static void put_each(const struct records *r)
{
	for (unsigned i = 0; i < r->n; i++)
		weft_record_slow(r->at[i].head, r->at[i].n, r->at[i].payload);
}

static void put(const struct records *r)
{
	uintptr_t at = *(volatile uintptr_t *)&weft_thread_1.at, end = at + 8 * (uintptr_t)r->words;
	if (end > weft_thread_1.limit) {
		put_each(r);
		return;
	}
	uint64_t since = weft_ticks() - weft_thread_1.base;
	if (since >> 32 || *weft_thread_1.cpu != weft_thread_1.last_cpu || !*rt_trace.task ||
	    !weft_claim(&weft_thread_1.at, at, end)) {
		put_each(r);
		return;
	}
	/* Heads last, and the first of all at the very end: a page is readable at any instant. */
	uint64_t *word = (uint64_t *)at + r->words;
	for (unsigned i = r->n; i-- > 0;) {
		word -= 1 + r->at[i].n;
		for (unsigned k = 0; k < r->at[i].n; k++)
			word[1 + k] = r->at[i].payload[k];
		__atomic_store_n(word, since << 32 | r->at[i].head, __ATOMIC_RELEASE);
	}
}

/* ---- regions of codelets ---- */

enum { SLOTS = 1024, PROBES = 16 };
struct slot {
	struct weft_atomic_ptr codelet; /* stored last */
	const char *name;
	weft_region region;
};
static struct slot slots[SLOTS];
static pthread_mutex_t slots_lock = PTHREAD_MUTEX_INITIALIZER;

static size_t hash(const void *codelet, const char *name)
{
	uint64_t x = ((uintptr_t)codelet ^ (uintptr_t)name >> 3) * UINT64_C(0x9e3779b97f4a7c15);
	return (size_t)(x >> 54) % SLOTS;
}

static weft_region region_new(const void *codelet, const char *name)
{
	weft_region r = weft_define_region(name ? name : "unnamed", WEFT_STATE_RUNNING, weft_define_category("starpu", 1));
	pthread_mutex_lock(&slots_lock);
	for (size_t i = hash(codelet, name), k = 0; k < PROBES; i = (i + 1) % SLOTS, k++)
		if (!weft_load_ptr(&slots[i].codelet)) {
			slots[i].name = name;
			slots[i].region = r;
			weft_store_ptr(&slots[i].codelet, (void *)(uintptr_t)codelet);
			break;
		}
	pthread_mutex_unlock(&slots_lock);
	return r;
}

static weft_region region_of(const void *codelet, const char *name)
{
	for (size_t i = hash(codelet, name), k = 0; k < PROBES; i = (i + 1) % SLOTS, k++) {
		const void *found = weft_load_ptr(&slots[i].codelet);
		if (found == codelet && slots[i].name == name)
			return slots[i].region;
		if (!found)
			break;
	}
	return region_new(codelet, name);
}

/* ---- tasks ---- */

void rt_trace_submit(const struct rt_submitter *s, rt_ref job)
{
	weft_flow_out(rt_trace.task, job);
	if (!rt_traced_in_detail())
		return;
	rt_detail_unfinished(s->runtime, 1); /* it is counted in a moment */
	for (uint32_t i = 0; i < s->before.n; i++) {
		uint64_t pair[2] = {s->before.at[i], job};
		weft_record(rt_trace.depends, 20 | 2 << 8, 2, pair); /* DEPENDENCY */
	}
}

void rt_trace_start(rt_ref job, const struct rt_trace_task *t)
{
	struct records r = {.n = 0};
	add(&r, region_of(t->codelet, t->name), WEFT_HEAD_ENTER, 0, 0, 0);
	add(&r, rt_trace.task, WEFT_HEAD_FLOW_IN, 1, job, 0);
	if (rt_traced_in_detail()) {
		const int64_t value[] = {t->priority, t->tag, t->iteration};
		const weft_attr attr[] = {rt_trace.priority, rt_trace.tag, rt_trace.iteration};
		for (unsigned i = 0; i < 3; i++)
			if (value[i])
				add(&r, attr[i], WEFT_HEAD_ATTR, 1, (uint64_t)value[i], 0);
	}
	put(&r);
}

void rt_trace_end(const void *codelet, const char *name)
{
	weft_leave(region_of(codelet, name));
}

void rt_trace_resume(const void *codelet, const char *name)
{
	weft_enter(region_of(codelet, name));
}
