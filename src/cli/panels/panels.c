/* SPDX-License-Identifier: Apache-2.0 */
/* What panels show, computed in one call; bounds and outliers have files of their own. */
#include "panels.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

double panels_idle(const struct panels *p, const struct gantt_row *row)
{
	uint64_t all = p->g.to - p->g.from;
	return all ? 100 * (double)(all - row->task_ns) / (double)all : 0;
}

/* ---- iterations ---- */

struct valued {
	int64_t value;
	uint32_t task;
};

static int by_value(const void *a, const void *b)
{
	const struct valued *x = a, *y = b;
	return x->value != y->value ? (x->value < y->value ? -1 : 1) : x->task < y->task ? -1 : x->task > y->task;
}

static void count_in(struct panels *p, struct panels_iteration *of, uint32_t task)
{
	const struct weft_tasks_task *t = &p->view.tasks.task[task];
	of->n++;
	of->submit = t->submit < of->submit ? t->submit : of->submit;
	if (!panels_done(p, task))
		return;
	of->start = t->start < of->start ? t->start : of->start;
	of->end = t->end > of->end ? t->end : of->end;
	of->work += t->end - t->start;
}

int panels_iterations(struct panels *p)
{
	uint32_t n = p->view.tasks.n;
	struct valued *v = malloc(((size_t)n + 1) * sizeof *v);
	size_t used = 0;
	int rc = v ? 0 : -ENOMEM;
	p->iteration_of = malloc(((size_t)n + 1) * sizeof *p->iteration_of);
	rc = p->iteration_of ? rc : -ENOMEM;
	for (uint32_t i = 0; i < n && !rc; i++) {
		struct weft_row_value value = task_value(p->how->by, &p->view, i);
		p->iteration_of[i] = PANELS_NO_TYPE;
		if (value.has & WEFT_ROW_HAS_WHOLE)
			v[used++] = (struct valued){value.whole, i};
	}
	if (!rc && used)
		qsort(v, used, sizeof *v, by_value);
	for (size_t i = 0; i < used && !rc; i++) {
		if (i == 0 || v[i].value != v[i - 1].value)
			rc = weft_vec_push(&p->iteration, ((struct panels_iteration){.value = v[i].value,
			                                                             .submit = WEFT_NEVER,
			                                                             .start = WEFT_NEVER}));
		if (rc)
			break;
		p->iteration_of[v[i].task] = (uint32_t)p->iteration.n - 1;
		count_in(p, &p->iteration.at[p->iteration.n - 1], v[i].task);
	}
	free(v);
	return rc;
}

/* ---- codelets ---- */

static struct panels_codelet *find_codelet(struct panels *p, uint32_t region, unsigned kind)
{
	for (size_t k = 0; k < p->codelet.n; k++)
		if (p->codelet.at[k].region == region && p->codelet.at[k].kind == kind)
			return &p->codelet.at[k];
	return NULL;
}

static int more_time(const void *a, const void *b)
{
	const struct panels_codelet *x = a, *y = b;
	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return x->region != y->region ? (x->region < y->region ? -1 : 1) : x->kind < y->kind ? -1 : x->kind > y->kind;
}

int panels_codelets(struct panels *p)
{
	const struct weft_tasks *t = &p->view.tasks;
	uint32_t *at = calloc((size_t)t->trace->def[WEFT_CLASS_REGION].n * PANELS_KINDS + 1, sizeof *at); /* + 1 */
	int rc = at ? 0 : -ENOMEM;
	for (uint32_t i = 0; i < t->n && !rc; i++) {
		if (!panels_done(p, i))
			continue;
		uint32_t region = t->task[i].region;
		unsigned kind = p->kind_of[t->task[i].worker];
		uint32_t *place = &at[(size_t)region * PANELS_KINDS + kind];
		if (!*place) {
			rc = weft_vec_push(&p->codelet, ((struct panels_codelet){.name = weft_tasks_codelet(t, &t->task[i]),
			                                                         .region = region,
			                                                         .kind = kind,
			                                                         .least = UINT64_MAX}));
			*place = (uint32_t)p->codelet.n;
		}
		if (rc)
			break;
		struct panels_codelet *c = &p->codelet.at[*place - 1];
		uint64_t ns = panels_duration(p, i);
		c->n++;
		c->total += ns;
		c->least = ns < c->least ? ns : c->least;
		c->most = ns > c->most ? ns : c->most;
	}
	for (size_t k = 0; k < p->outlier.n && !rc; k++) {
		const struct weft_tasks_task *task = &t->task[p->outlier.at[k].task];
		find_codelet(p, task->region, p->kind_of[task->worker])->outliers++;
	}
	if (!rc && p->codelet.n)
		qsort(p->codelet.at, p->codelet.n, sizeof *p->codelet.at, more_time);
	free(at);
	return rc;
}

/* ---- links ---- */

static int find_link(struct panels *p, const struct weft_tasks_copy *c, struct panels_curve **out)
{
	const struct weft_tasks *t = &p->view.tasks;
	char label[sizeof p->link.at->label];
	if (t->n_workers && t->worker[0].process != t->worker[t->n_workers - 1].process)
		snprintf(label, sizeof label, "%u: %u to %u", c->process, c->from, c->to);
	else
		snprintf(label, sizeof label, "%u to %u", c->from, c->to);
	for (size_t k = 0; k < p->link.n; k++)
		if (strcmp(p->link.at[k].label, label) == 0) {
			*out = &p->link.at[k];
			return 0;
		}
	struct panels_curve made = {.value = calloc(p->g.width, sizeof *made.value)};
	strcpy(made.label, label);
	if (!made.value || weft_vec_push(&p->link, made)) {
		free(made.value);
		return -ENOMEM;
	}
	*out = &p->link.at[p->link.n - 1];
	return 0;
}

int panels_links(struct panels *p)
{
	const struct weft_tasks *t = &p->view.tasks;
	int rc = 0;
	for (uint32_t i = 0; i < t->n_copies && !rc; i++) {
		const struct weft_tasks_copy *c = &t->copy[i];
		struct panels_curve *link;
		if (c->start == WEFT_NEVER || c->end == WEFT_NEVER)
			continue;
		rc = find_link(p, c, &link);
		if (rc)
			break;
		link->bytes += c->bytes;
		link->copies++;
		link->ns += c->end > c->start ? c->end - c->start : 0;
		gantt_spread(&p->g, link->value, c->start, c->end, (double)c->bytes * 1e3); /* bytes a ns are GB/s */
	}
	for (size_t k = 0; k < p->link.n; k++)
		for (unsigned x = 0; x < p->g.width; x++)
			p->link.at[k].most = p->link.at[k].value[x] > p->link.at[k].most ? p->link.at[k].value[x]
			                                                                 : p->link.at[k].most;
	return rc;
}

/* ---- the chain ---- */

static uint32_t last_task(const struct panels *p)
{
	uint32_t last = WEFT_TASKS_NO_ONE;
	for (uint32_t i = 0; i < p->view.tasks.n; i++)
		if (panels_done(p, i) && (last == WEFT_TASKS_NO_ONE || p->view.tasks.task[i].end > p->view.tasks.task[last].end))
			last = i;
	return last;
}

/* From the task back, each time to the one that it waited for longest. */
static int walk_chain(struct panels *p, uint32_t task)
{
	const struct weft_tasks *t = &p->view.tasks;
	int rc = 0;
	while (task != WEFT_TASKS_NO_ONE && panels_done(p, task) && p->chain.n <= t->n && !rc) {
		const struct weft_tasks_task *at = &t->task[task];
		rc = weft_vec_push(&p->chain, task);
		task = WEFT_TASKS_NO_ONE;
		for (uint32_t k = 0; k < at->n_before; k++) {
			uint32_t before = t->edge[at->before + k];
			if (panels_done(p, before) && (task == WEFT_TASKS_NO_ONE || t->task[before].end > t->task[task].end))
				task = before;
		}
	}
	for (size_t i = 0; i < p->chain.n / 2; i++) {
		uint32_t kept = p->chain.at[i];
		p->chain.at[i] = p->chain.at[p->chain.n - 1 - i];
		p->chain.at[p->chain.n - 1 - i] = kept;
	}
	return rc;
}

static int find_chain(struct panels *p, const struct weft_command *cmd)
{
	uint64_t number;
	uint32_t task = WEFT_TASKS_NO_ONE;
	if (strcmp(p->how->chain, "none") == 0)
		return CLI_OK;
	if (strcmp(p->how->chain, "last") == 0) {
		task = last_task(p);
	} else {
		if (weft_parse_u64(weft_str(p->how->chain), &number))
			return cli_usage(cmd, "option '--chain': '%s' is neither 'last', 'none' nor a task's number",
			                 p->how->chain);
		for (uint32_t i = 0; i < p->view.tasks.n && task == WEFT_TASKS_NO_ONE; i++)
			task = p->view.tasks.task[i].number == number ? i : task;
		if (task == WEFT_TASKS_NO_ONE)
			return cli_usage(cmd, "option '--chain': there is no task %" PRIu64, number);
	}
	int rc = walk_chain(p, task);
	return rc ? cli_fail_code(rc) : CLI_OK;
}

/* ---- all of it ---- */

static int compute(struct panels *p)
{
	int rc = panels_types(p);
	rc = rc ? rc : panels_area(p);
	rc = rc ? rc : p->has_path ? panels_path(p) : 0;
	rc = rc ? rc : panels_outliers(p);
	rc = rc ? rc : panels_iterations(p);
	rc = rc ? rc : panels_codelets(p);
	rc = rc ? rc : gantt_compute(&p->g);
	return rc ? rc : panels_links(p);
}

int panels_init(struct panels *p, const struct weft_trace *t, const struct panels_how *how, const struct weft_command *cmd)
{
	*p = (struct panels){.how = how};
	p->g = (struct gantt){.tasks = &p->view, .by_codelet = true, .show = GANTT_CURVES, .width = how->width};
	struct weft_err err = {0};
	int rc = task_view_load(&p->view, t, &err);
	if (!rc)
		rc = gantt_range(&p->g, NULL, &err);
	p->first = p->g.from;
	p->last = p->g.to;
	if (!rc && how->range) {
		p->g.from = p->g.to = 0;
		rc = gantt_range(&p->g, how->range, &err);
	}
	p->has_path = p->view.tasks.has & WEFT_TASKS_HAS_EDGES;
	if (!rc && p->has_path)
		rc = task_view_paths(&p->view, &err);
	int status = rc ? cli_fail(&err) : find_chain(p, cmd);
	if (status)
		return status;
	rc = compute(p);
	return rc ? cli_fail_code(rc) : CLI_OK;
}

void panels_fini(struct panels *p)
{
	gantt_fini(&p->g);
	task_view_fini(&p->view);
	for (size_t k = 0; k < p->link.n; k++)
		free(p->link.at[k].value);
	free(p->link.at);
	free(p->kind_of);
	free(p->type.at);
	free(p->type_of);
	free(p->outlier.at);
	free(p->chain.at);
	free(p->iteration.at);
	free(p->iteration_of);
	free(p->codelet.at);
}
