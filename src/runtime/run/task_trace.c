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

static const struct {
	uint32_t bit;
	const char *name;
} modes[] = {
	{STARPU_R, "R"}, {STARPU_W, "W"}, {STARPU_SCRATCH, "SCRATCH"}, {STARPU_REDUX, "REDUX"}, {STARPU_COMMUTE, "-C"},
};

const char *rt_mode_name(uint32_t mode, char *text, size_t size)
{
	char *at = text;
	*at = '\0';
	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
		if (mode & modes[i].bit && strlen(modes[i].name) < (size_t)(text + size - at))
			at = stpcpy(at, modes[i].name);
	return text;
}

/* As the interfaces describe themselves; as many as there is room for. */
static void parameters(struct rt_job *j)
{
	char text[512];
	size_t at = 0;
	for (unsigned i = 0; i < j->n_accesses; i++) {
		starpu_data_handle_t h = handle_at(j, i);
		char one[64] = "";
		if (h->ops->describe)
			h->ops->describe(h->replica[STARPU_MAIN_RAM].interface, one, sizeof one);
		size_t n = strlen(one);
		if (at + n + 2 > sizeof text)
			break;
		if (at)
			text[at++] = ' ';
		memcpy(text + at, one, n + 1);
		at += n;
	}
	if (at)
		rt_detail_text(rt_detail.parameters, text);
}

/* Where the pages lie, as a set of memory nodes; where that cannot be known, the worker's, which has them. */
static void numa_nodes(starpu_data_handle_t h, unsigned node)
{
	void *at = starpu_node_get_kind(node) == STARPU_CPU_RAM ? starpu_data_handle_to_pointer(h, node) : NULL;
	if (!at)
		return;
	long nodes = starpu_get_memory_location_bitmap(at, rt_data_size(h));
	weft_attr_int(rt_detail.numa, nodes > 0 ? nodes : INT64_C(1) << node);
}

static void data(struct rt_job *j, unsigned node)
{
	bool is_numa = starpu_memory_nodes_get_numa_count() > 1;
	size_t size = 0;
	for (unsigned i = 0; i < j->n_accesses; i++) {
		char mode[32];
		rt_detail_pointer(rt_detail.handle, handle_at(j, i));
		rt_detail_text(rt_detail.mode, rt_mode_name(rt_job_modes(j)[i], mode, sizeof mode));
		rt_data_trace_coordinates(handle_at(j, i));
		if (is_numa)
			numa_nodes(handle_at(j, i), node);
		size += rt_data_size(handle_at(j, i));
	}
	weft_attr_int(rt_detail.size, (int64_t)size);
	parameters(j);
}

/* A model's own functions want a struct starpu_task, which then is made. */
static uint32_t footprint(struct rt_job *j, unsigned worker)
{
	const struct rt_upper *p = rt_upper(j);
	struct starpu_perfmodel *model = p->cl->model;
	bool asks = model && (model->size_base || model->footprint);
	struct starpu_task *t = p->task || asks ? rt_job_task(j) : NULL;
	uint32_t sum = 0;
	if (t)
		return starpu_task_footprint(model, t, starpu_worker_get_perf_archtype((int)worker, p->ctx), p->impl);
	for (unsigned i = 0; i < j->n_accesses; i++) {
		starpu_data_handle_t h = handle_at(j, i);
		if (!(rt_job_modes(j)[i] & STARPU_NOFOOTPRINT))
			sum = starpu_hash_crc32c_be(starpu_hash_crc32c_be(rt_data_footprint(h), (uint32_t)h->ops->interfaceid),
			                            sum);
	}
	return sum;
}

void rt_task_trace(struct rt_job *j, unsigned worker)
{
	weft_attr_int(rt_detail.footprint, footprint(j, worker));
	const struct rt_upper *p = rt_upper(j);
	const struct starpu_task *t = p->task;
	unsigned color = t && t->color ? t->color : p->cl->color;
	weft_attr_int(rt_detail.job_id, (int64_t)rt_job_ref(j));
	weft_attr_int(rt_detail.submit_order, j->order);
	rt_detail_text(rt_detail.name, t && t->name ? t->name : p->name);
	rt_detail_text(rt_detail.model, p->cl->model ? p->cl->model->symbol : NULL);
	data(j, rt_machine.worker[worker].node);
	if (t && t->flops > 0)
		weft_attr_double(rt_detail.flops, t->flops);
	if (t && t->iterations[1] >= 0)
		weft_attr_int(rt_detail.sub_iteration, t->iterations[1]);
	if (color)
		weft_attr_int(rt_detail.color, color);
	if (p->file) {
		rt_detail_text(rt_detail.file, p->file);
		weft_attr_int(rt_detail.line, p->line);
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
