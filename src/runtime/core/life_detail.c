/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The definitions of starpu_detail, and the counts of tasks. A job that was counted as ready says so in a bit of its own, so that
 * the count is right however often its body is called, and whenever recording was switched on or off.
 */
#include "life_detail.h"
#include <stdio.h>

#define OFF(group, kind, member, name, unit) .member = WEFT_OFF,
struct rt_detail rt_detail = {RT_DETAILS(OFF)};
#undef OFF

static weft_category category(enum rt_trace_group group)
{
	return group == RT_GROUP_ALWAYS ? weft_define_category("starpu_meta", 1) : weft_define_category("starpu_detail", 0);
}

static weft_def define_type(const char *name, const char *unit, enum rt_trace_group group)
{
	return weft_define_type(name, unit, category(group));
}
static weft_def define_counter(const char *name, const char *unit, enum rt_trace_group group)
{
	return weft_define_counter(name, unit, category(group));
}
static weft_def define_attr(const char *name, const char *unit, enum rt_trace_group group)
{
	return weft_define_attr(name, unit, category(group));
}
static weft_def define_flow(const char *name, const char *unit, enum rt_trace_group group)
{
	(void)unit;
	return weft_define_own_flow(name, category(group));
}
static weft_def define_region(const char *name, enum weft_state_class state, enum rt_trace_group group)
{
	return weft_define_region(name, state, category(group));
}

void rt_detail_begin(void)
{
#define DEFINE(group, kind, member, name, unit) \
	.member = rt_trace_has(RT_GROUP_##group) ? define_##kind(name, unit, RT_GROUP_##group) : WEFT_OFF,
	rt_detail = (struct rt_detail){RT_DETAILS(DEFINE)};
#undef DEFINE
}

weft_counter rt_detail_of_node(const char *what, unsigned node)
{
	char name[48];
	snprintf(name, sizeof name, "%s, node %u", what, node);
	return rt_trace_has(RT_GROUP_DSM) ? weft_define_counter(name, "bytes", category(RT_GROUP_DSM)) : WEFT_OFF;
}

weft_attr rt_detail_attr(const char *name)
{
	return define_attr(name, "", RT_GROUP_ALWAYS);
}

/* ---- counts ---- */

enum { SHARE = 8, SKIP_MOST = 32 };

/* True: this change is recorded; `value` is asked for only then. */
static bool is_due(struct rt_trace_count *c)
{
	if (c->skip) {
		c->skip--;
		return false;
	}
	return true;
}

static void add_count(struct weft_bundle *b, weft_counter counter, struct rt_trace_count *c, uint64_t value)
{
	c->skip = (uint32_t)(value / SHARE < SKIP_MOST ? value / SHARE : SKIP_MOST);
	c->owes = false;
	weft_bundle_add(b, counter, WEFT_HEAD_COUNTER, value);
}

/* Of all threads; what began is counted first, so that it is never below 0 by that. */
static uint64_t count_ready(const struct rt_runtime *r)
{
	uint64_t began = 0, ready = 0;
	for (unsigned i = 0; i < r->n_workers; i++)
		began += weft_load_u64(&r->worker[i].began);
	for (const struct rt_submitter *s = weft_load_ptr(&r->submitters); s; s = s->next)
		ready += weft_load_u64(&s->readied);
	return ready > began ? ready - began : 0;
}

static void change_ready(struct weft_bundle *b, struct rt_submitter *s)
{
	if (is_due(&s->ready_count))
		add_count(b, rt_detail.n_ready, &s->ready_count, count_ready(s->runtime));
	else
		s->ready_count.owes = true;
}

void rt_detail_unfinished(struct weft_bundle *b, struct rt_submitter *s, uint64_t more)
{
	if (is_due(&s->unfinished_count))
		add_count(b, rt_detail.n_submitted, &s->unfinished_count, rt_unfinished(s->runtime) + more);
	else
		s->unfinished_count.owes = true;
}

void rt_detail_settled(struct rt_submitter *s)
{
	struct weft_bundle b;
	if (!rt_traced_in_detail() || !(s->ready_count.owes || s->unfinished_count.owes))
		return;
	weft_bundle_begin(&b);
	if (s->ready_count.owes)
		add_count(&b, rt_detail.n_ready, &s->ready_count, count_ready(s->runtime));
	if (s->unfinished_count.owes)
		add_count(&b, rt_detail.n_submitted, &s->unfinished_count, rt_unfinished(s->runtime));
	weft_bundle_record(&b);
}

static void count_one(struct weft_atomic_u64 *own)
{
	weft_store_u64(own, weft_load_relaxed_u64(own) + 1); /* relaxed: only this thread stores it */
}

void rt_detail_ready(struct weft_bundle *b, struct rt_submitter *s, struct rt_job *j)
{
	j->bits |= RT_J_READY;
	count_one(&s->readied);
	weft_bundle_add(b, rt_detail.ready, WEFT_HEAD_POINT, rt_job_ref(j));
	change_ready(b, s);
}

void rt_detail_is_ready(struct rt_submitter *s, struct rt_job *j)
{
	struct weft_bundle b;
	weft_bundle_begin(&b);
	rt_detail_ready(&b, s, j);
	weft_bundle_record(&b);
}

void rt_detail_began(struct rt_worker *w, struct rt_job *j)
{
	struct weft_bundle b;
	if (!(j->bits & RT_J_READY))
		return;
	j->bits &= (uint16_t)~RT_J_READY & 63;
	count_one(&w->began);
	weft_bundle_begin(&b);
	change_ready(&b, &w->self);
	weft_bundle_record(&b);
}

void rt_detail_ended(struct rt_worker *w, bool overhead)
{
	struct weft_bundle b;
	weft_bundle_begin(&b);
	if (overhead)
		weft_bundle_add(&b, rt_detail.overhead, WEFT_HEAD_LEAVE, 0);
	rt_detail_unfinished(&b, &w->self, 0);
	weft_bundle_record(&b);
}

void rt_detail_counts(struct rt_submitter *s)
{
	struct weft_bundle b;
	weft_bundle_begin(&b);
	rt_detail_unfinished(&b, s, 0);
	weft_bundle_record(&b);
}

void rt_detail_locking(const char *which)
{
	struct weft_bundle b;
	if (!rt_traced_in_detail() || !*rt_detail.locking)
		return;
	weft_bundle_begin(&b);
	weft_bundle_add(&b, rt_detail.locking, WEFT_HEAD_ENTER, 0);
	rt_detail_add_text(&b, rt_detail.lock, which);
	weft_bundle_record(&b);
}

void rt_detail_text(weft_attr a, const char *text)
{
	if (text && *a)
		weft_attr_string(a, weft_define_string(text));
}
