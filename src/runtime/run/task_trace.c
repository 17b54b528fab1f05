/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a task is, as attributes of its region, when details are recorded: looked up at its begin, on its worker, so that a plain
 * task keeps nothing for it. Words are strings, everything else integers; what says nothing is left out.
 */
#include "task_trace.h"
#include "runtime/data/data_trace.h"
#include "runtime/data/data.h"
#include "runtime/core/life_detail.h"
#include <string.h>

static starpu_data_handle_t handle_at(struct rt_job *j, unsigned i)
{
	return rt_handle_of(rt_job_handles(j)[i]);
}

void rt_task_tell_data(struct rt_job *j)
{
	for (unsigned i = 0; i < j->n_accesses; i++)
		rt_data_trace_known(handle_at(j, i));
}

/* Where the pages lie, as a set of memory nodes; where that cannot be known, the worker's, which has them. */
static void numa_nodes(struct weft_bundle *b, starpu_data_handle_t h, unsigned node)
{
	void *at = starpu_node_get_kind(node) == STARPU_CPU_RAM ? starpu_data_handle_to_pointer(h, node) : NULL;
	if (!at)
		return;
	long nodes = starpu_get_memory_location_bitmap(at, rt_data_size(h));
	rt_detail_add(b, rt_detail.numa, nodes > 0 ? nodes : INT64_C(1) << node);
}

static void add_data(struct weft_bundle *b, struct rt_job *j, unsigned node)
{
	bool is_numa = rt_trace_has(RT_GROUP_TASK_EXTRA) && starpu_memory_nodes_get_numa_count() > 1;
	for (unsigned i = 0; i < j->n_accesses; i++) {
		starpu_data_handle_t h = handle_at(j, i);
		weft_bundle_add_two(b, rt_detail.handle, WEFT_HEAD_ATTR, (uint64_t)(uintptr_t)h, rt_detail.mode, WEFT_HEAD_ATTR_S,
		                    rt_mode_string(rt_job_modes(j)[i]));
		if (is_numa)
			numa_nodes(b, h, node);
	}
}

/* A model's own functions want a struct starpu_task, which then is made. */
static uint32_t footprint_by_model(struct rt_job *j, unsigned worker, uint32_t plain)
{
	const struct rt_upper *p = rt_upper(j);
	struct starpu_perfmodel *model = p->cl->model;
	bool asks = model && (model->size_base || model->footprint);
	struct starpu_task *t = p->task || asks ? rt_job_task(j) : NULL;
	return t ? starpu_task_footprint(model, t, starpu_worker_get_perf_archtype((int)worker, p->ctx), p->impl) : plain;
}

static void add_sizes(struct weft_bundle *b, struct rt_job *j, unsigned worker)
{
	size_t size = 0;
	uint32_t sum = 0, one;
	for (unsigned i = 0; i < j->n_accesses; i++) {
		size += rt_data_measure(handle_at(j, i), &one);
		if (!(rt_job_modes(j)[i] & STARPU_NOFOOTPRINT))
			sum = starpu_hash_crc32c_be(one, sum);
	}
	sum = footprint_by_model(j, worker, sum);
	if (j->n_accesses || sum)
		weft_bundle_add_two(b, rt_detail.footprint, WEFT_HEAD_ATTR, sum, rt_detail.size, WEFT_HEAD_ATTR, size);
}

/* Strings that are the program's constants nearly always: by their addresses, looked at. */
static void add_constant_text(struct weft_bundle *b, weft_attr a, const char *text)
{
	enum { KNOWN = 64, BYTES = 112 };
	static _Thread_local struct {
		const char *at;
		uint32_t id;
		char text[BYTES];
	} known[KNOWN];
	if (!text || !*a)
		return;
	size_t i = ((uintptr_t)text >> 3 ^ (uintptr_t)text >> 9) % KNOWN;
	if (known[i].at != text || strcmp(known[i].text, text) != 0) {
		known[i].id = weft_define_string(text);
		size_t n = strnlen(text, BYTES);
		known[i].at = n < BYTES && known[i].id ? text : NULL;
		memcpy(known[i].text, text, n < BYTES ? n + 1 : 0);
	}
	weft_bundle_add(b, a, WEFT_HEAD_ATTR_S, known[i].id);
}

void rt_task_trace(struct weft_bundle *b, struct rt_job *j, unsigned worker)
{
	const struct rt_upper *p = rt_upper(j);
	const struct starpu_task *t = p->task;
	unsigned color = t && t->color ? t->color : p->cl->color;
	add_sizes(b, j, worker);
	weft_bundle_add_two(b, rt_detail.job_id, WEFT_HEAD_ATTR, rt_job_ref(j), rt_detail.submit_order, WEFT_HEAD_ATTR, j->order);
	rt_detail_add_text(b, rt_detail.name, t && t->name ? t->name : p->name);
	add_constant_text(b, rt_detail.model, p->cl->model ? p->cl->model->symbol : NULL);
	add_data(b, j, rt_machine.worker[worker].node);
	if (t && t->flops > 0)
		weft_bundle_add(b, rt_detail.flops, WEFT_HEAD_ATTR_F, weft_double_word(t->flops));
	if (t && t->iterations[1] >= 0)
		rt_detail_add(b, rt_detail.sub_iteration, t->iterations[1]);
	if (p->ctx)
		rt_detail_add(b, rt_detail.context, p->ctx);
	if (color)
		rt_detail_add(b, rt_detail.color, color);
	if (p->file) {
		add_constant_text(b, rt_detail.file, p->file);
		rt_detail_add(b, rt_detail.line, p->line);
	}
}

/* ---- what the program says ---- */

void starpu_fxt_trace_user_event(unsigned long code)
{
	weft_point(rt_detail.user_event, (int64_t)code);
}

void starpu_fxt_trace_user_event_string(const char *s)
{
	if (*rt_detail.user_message && s)
		weft_point_string(rt_detail.user_message, weft_define_string(s));
}

void starpu_fxt_trace_user_meta_string(const char *s)
{
	if (rt_traced_meta() && s)
		weft_point_string(rt_detail.user_meta, weft_define_string(s));
}
