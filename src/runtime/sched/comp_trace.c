/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Components of modular schedulers for the trace: named by their addresses, told with their tree; each step of a task from one to
 * another. Under the lock of the tree, so that steps of a task are in order.
 */
#include "comp.h"
#include "runtime/task/task.h"

static int64_t name_of(const struct starpu_sched_component *c)
{
	return (int64_t)(uintptr_t)c;
}

static void tell(const struct starpu_sched_component *c)
{
	struct weft_bundle b;
	weft_bundle_begin(&b);
	weft_bundle_add(&b, rt_detail.component, WEFT_HEAD_ENTER, 0);
	rt_detail_add(&b, rt_detail.component_id, name_of(c));
	rt_detail_add_text(&b, rt_detail.name, c->name ? c->name : "component");
	for (unsigned i = 0; i < c->nparents && i < 1; i++)
		rt_detail_add(&b, rt_detail.parent, name_of(c->parents[i]));
	weft_bundle_add(&b, rt_detail.component, WEFT_HEAD_LEAVE, 0);
	weft_bundle_record(&b);
}

/* From above; one with several parents comes with the first of them. */
static void tell_below(const struct starpu_sched_component *c)
{
	tell(c);
	for (unsigned i = 0; i < c->nchildren; i++)
		if (c->children[i]->nparents && c->children[i]->parents[0] == c)
			tell_below(c->children[i]);
}

void comp_trace_tree(const struct starpu_sched_component *root)
{
	if (root && rt_traced_meta())
		tell_below(root);
}

void comp_trace_move(weft_region how, const struct starpu_sched_component *from, const struct starpu_sched_component *to,
                     struct starpu_task *t)
{
	struct weft_bundle b;
	if (!rt_traced_in_detail() || !*how)
		return;
	weft_bundle_begin(&b);
	weft_bundle_add(&b, how, WEFT_HEAD_ENTER, 0);
	rt_detail_add(&b, rt_detail.task, (int64_t)rt_job_ref(rt_task_job(t)));
	if (from)
		rt_detail_add(&b, rt_detail.component_from, name_of(from));
	rt_detail_add(&b, rt_detail.component_to, name_of(to));
	weft_bundle_add(&b, how, WEFT_HEAD_LEAVE, 0);
	weft_bundle_record(&b);
}
