/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The definitions of starpu_detail, and the counts of tasks. A job that was counted as ready says so in a bit of its own, so that
 * the count is right however often its body is called, and whenever recording was switched on or off.
 */
#include "life_detail.h"
#include <stdio.h>

#define OFF(kind, member, name, unit) .member = WEFT_OFF,
struct rt_detail rt_detail = {RT_DETAILS(OFF)};
#undef OFF

static struct weft_atomic_i32 n_ready;

static weft_category category(void)
{
	return weft_define_category("starpu_detail", 0);
}

static weft_def define_type(const char *name, const char *unit)
{
	return weft_define_type(name, unit, category());
}
static weft_def define_counter(const char *name, const char *unit)
{
	return weft_define_counter(name, unit, category());
}
static weft_def define_attr(const char *name, const char *unit)
{
	return weft_define_attr(name, unit, category());
}
static weft_def define_flow(const char *name, const char *unit)
{
	(void)unit;
	return weft_define_own_flow(name, category());
}
static weft_def define_region(const char *name, enum weft_state_class state)
{
	return weft_define_region(name, state, category());
}

void rt_detail_begin(void)
{
#define DEFINE(kind, member, name, unit) .member = define_##kind(name, unit),
	rt_detail = (struct rt_detail){RT_DETAILS(DEFINE)};
#undef DEFINE
}

weft_counter rt_detail_of_node(const char *what, unsigned node)
{
	char name[48];
	snprintf(name, sizeof name, "%s, node %u", what, node);
	return weft_define_counter(name, "bytes", category());
}

weft_attr rt_detail_attr(const char *name)
{
	return define_attr(name, "");
}

void rt_detail_ready(struct rt_job *j)
{
	j->bits |= RT_J_READY;
	weft_point(rt_detail.ready, (int64_t)rt_job_ref(j));
	weft_count(rt_detail.n_ready, weft_add_i32(&n_ready, 1) + 1);
}

void rt_detail_began(struct rt_job *j)
{
	if (!(j->bits & RT_J_READY))
		return;
	j->bits &= (uint16_t)~RT_J_READY & 63;
	weft_count(rt_detail.n_ready, weft_add_i32(&n_ready, -1) - 1);
}

void rt_detail_unfinished(const struct rt_runtime *r, uint64_t more)
{
	weft_count(rt_detail.n_submitted, (int64_t)(rt_unfinished(r) + more));
}

void rt_detail_text(weft_attr a, const char *text)
{
	if (text)
		weft_attr_string(a, weft_define_string(text));
}
