/* SPDX-License-Identifier: Apache-2.0 */
/* tasks.rec and distrib.data: a record, and a line, for each task, in the order of submission. */
#include "products_priv.h"
#include <errno.h>
#include <stdlib.h>

struct rec {
	struct prod_set *set;
	struct prod_trace *t;
	struct export_out *o, *distrib;
};

static void put_text_field(struct export_out *o, const char *name, struct weft_str text)
{
	if (!text.n)
		return;
	export_text(o, name);
	put_str(o, text);
	export_char(o, '\n');
}

static void put_time_field(struct rec *r, const char *name, size_t n, uint64_t time)
{
	if (time == WEFT_NEVER)
		return;
	char *at = export_room(r->o, 64), *end = at;
	memcpy(end, name, n);
	end = prod_ms_at(end + n, prod_time(r->t, time));
	*end++ = '\n';
	r->o->n += (size_t)(end - at);
}
#define TIME_FIELD(r, name, time) put_time_field((r), "" name ": ", sizeof(name ": ") - 1, (time))

/* Done before the other was even submitted: nobody waited. */
static bool is_ghost(const struct weft_tasks *k, uint32_t from, const struct weft_tasks_task *to)
{
	return k->task[from].end <= to->submit && to->submit != WEFT_NEVER;
}

static void put_dependencies(struct rec *r, const struct prod_program *p, const struct weft_tasks_task *t)
{
	const struct weft_tasks *k = &r->t->tasks;
	if (!t->n_before)
		return;
	PUT(r->o, "DependsOn:");
	for (uint32_t i = 0; i < t->n_before; i++) {
		export_char(r->o, ' ');
		put_job(r->o, p, k->task[k->edge[t->before + i]].number);
	}
	export_char(r->o, '\n');
	if (!r->set->how->label_dependencies)
		return;
	PUT(r->o, "DepLabels:");
	for (uint32_t i = 0; i < t->n_before; i++)
		export_text(r->o, is_ghost(k, k->edge[t->before + i], t) ? " ghost" : " task");
	export_char(r->o, '\n');
}

static void put_head(struct rec *r, const struct prod_program *p, const struct weft_tasks_task *t)
{
	struct export_out *o = r->o;
	put_text_field(o, "Name: ", prod_called(r->t, t));
	put_text_field(o, "Model: ", prod_string(r->t, t->model));
	if (t->file) {
		put_text_field(o, "File: ", prod_string(r->t, t->file));
		PUT(o, "Line: ");
		export_u64(o, t->line);
		export_char(o, '\n');
	}
	PUT(o, "JobId: ");
	put_job(o, p, t->number);
	PUT(o, "\nSubmitOrder: ");
	put_job(o, p, t->order + 1);
	PUT(o, "\nPriority: ");
	export_i64(o, t->priority);
	export_char(o, '\n');
	put_dependencies(r, p, t);
	if (t->has_tag) {
		PUT(o, "Tag: ");
		put_hex_digits(o, t->tag, 1);
		export_char(o, '\n');
	}
	if (t->worker != WEFT_TASKS_NO_ONE) {
		PUT(o, "WorkerId: ");
		export_u64(o, r->t->tasks.worker[t->worker].number);
		PUT(o, "\nMemoryNode: ");
		export_u64(o, r->t->tasks.worker[t->worker].node);
		export_char(o, '\n');
	}
	TIME_FIELD(r, "SubmitTime", t->submit);
	TIME_FIELD(r, "ReadyTime", t->ready);
	TIME_FIELD(r, "StartTime", t->start);
	TIME_FIELD(r, "EndTime", t->end);
}

/* ---- its data: words in the order of accesses ---- */

static int64_t numa_of(uint32_t set)
{
	return set ? __builtin_ctz(set) : -1;
}

static void put_accesses(struct rec *r, const struct weft_tasks_task *t)
{
	const struct weft_tasks *k = &r->t->tasks;
	const struct weft_tasks_access *a = k->access + t->accesses;
	struct export_out *o = r->o;
	PUT(o, "Parameters:");
	for (uint32_t i = 0; i < t->n_accesses && !t->parameters; i++) {
		export_char(o, ' ');
		put_str(o, prod_string(r->t, k->data[a[i].data].description));
	}
	if (t->parameters) {
		export_char(o, ' ');
		put_str(o, prod_string(r->t, t->parameters));
	}
	PUT(o, "\nHandles:");
	for (uint32_t i = 0; i < t->n_accesses; i++) {
		export_char(o, ' ');
		put_hex_digits(o, k->data[a[i].data].handle, 1);
	}
	PUT(o, "\nModes:");
	for (uint32_t i = 0; i < t->n_accesses; i++) {
		export_char(o, ' ');
		put_str(o, prod_string(r->t, a[i].mode));
	}
	PUT(o, "\nSizes:");
	for (uint32_t i = 0; i < t->n_accesses; i++) {
		export_char(o, ' ');
		export_u64(o, k->data[a[i].data].bytes);
	}
	PUT(o, "\nNumaNodes:");
	for (uint32_t i = 0; i < t->n_accesses; i++) {
		export_char(o, ' ');
		export_i64(o, numa_of(a[i].numa));
	}
	export_char(o, '\n');
}

static void put_rest(struct rec *r, const struct prod_program *p, const struct weft_tasks_task *t)
{
	struct export_out *o = r->o;
	if (t->has_footprint) {
		PUT(o, "Footprint: ");
		put_hex_digits(o, t->footprint, 8);
		export_char(o, '\n');
	}
	if (t->flops >= 0) {
		PUT(o, "GFlop: ");
		put_fixed6(o, t->flops / 1e9);
		export_char(o, '\n');
	}
	if (t->iteration >= 0 || t->sub_iteration >= 0) {
		PUT(o, "Iteration: ");
		export_i64(o, t->iteration < 0 ? 0 : t->iteration);
		if (t->sub_iteration >= 0) {
			export_char(o, ' ');
			export_i64(o, t->sub_iteration);
		}
		export_char(o, '\n');
	}
	if (t->n_accesses)
		put_accesses(r, t);
	PUT(o, "MPIRank: ");
	export_i64(o, p->rank);
	PUT(o, "\n\n");
}

static void put_distribution(struct rec *r, const struct weft_tasks_task *t)
{
	struct export_out *o = r->distrib;
	const struct prod_program *p = prod_program_of(r->set, r->t, t->process);
	if (t->worker == WEFT_TASKS_NO_ONE || t->end == WEFT_NEVER)
		return;
	put_str(o, prod_called(r->t, t));
	export_char(o, '\t');
	put_job(o, p, r->t->tasks.worker[t->worker].number);
	export_char(o, '\t');
	export_u64(o, t->bytes);
	export_char(o, '\t');
	put_hex_digits(o, t->footprint, 8);
	export_char(o, '\t');
	put_ms9(o, t->end - t->start);
	export_char(o, '\n');
}

/* Between the tasks, where their time comes: what will not be used any more. */
static uint32_t put_wont_use(struct rec *r, uint32_t next, uint64_t until)
{
	const struct weft_tasks *k = &r->t->tasks;
	for (; next < k->n_events && k->event[next].time < until; next++) {
		const struct weft_tasks_event *e = &k->event[next];
		const struct prod_program *p = prod_program_of(r->set, r->t, e->process);
		if (e->fate != WEFT_TASKS_WONT_USE || !p)
			continue;
		PUT(r->o, "Control: WontUse\n");
		TIME_FIELD(r, "SubmitTime", e->time);
		PUT(r->o, "Handles: ");
		put_hex_digits(r->o, e->handle, 1);
		PUT(r->o, "\nMPIRank: ");
		export_i64(r->o, p->rank);
		PUT(r->o, "\n\n");
	}
	return next;
}

int prod_tables_write(struct prod_set *s)
{
	struct rec r = {.set = s, .o = prod_out(s, PROD_TASKS), .distrib = prod_out(s, PROD_DISTRIB)};
	for (uint32_t i = 0; i < s->n_traces; i++) {
		r.t = &s->trace[i];
		uint32_t next = 0;
		for (uint32_t k = 0; k < r.t->tasks.n; k++) {
			const struct weft_tasks_task *t = &r.t->tasks.task[k];
			const struct prod_program *p = prod_program_of(s, r.t, t->process);
			next = put_wont_use(&r, next, t->submit);
			put_head(&r, p, t);
			put_rest(&r, p, t);
			put_distribution(&r, t);
		}
		put_wont_use(&r, next, WEFT_NEVER);
	}
	return 0;
}
