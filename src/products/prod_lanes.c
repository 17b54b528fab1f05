/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All lanes in order of time: a heap of them, and as long as the first one's next event comes before the others' it goes on without
 * looking. Events that no file shows are not even decoded: attributes, most of all.
 */
#include "prod_walk.h"
#include <errno.h>
#include <stdlib.h>

/* ---- which events ---- */

static bool is_chosen(const void *arg, uint32_t what)
{
	const struct prod_trace *t = arg;
	uint32_t id = weft_what_id(what);
	switch (weft_what_kind(what)) {
	case WEFT_EV_ENTER:
	case WEFT_EV_LEAVE:
		return t->codelet[id] || prod_worker_state[tasks_role(&t->roles, WEFT_CLASS_REGION, id)].alias ||
		       prod_thread_state[tasks_role(&t->roles, WEFT_CLASS_REGION, id)].alias;
	case WEFT_EV_FLOW_IN:
	case WEFT_EV_FLOW_OUT:
		return tasks_role(&t->roles, WEFT_CLASS_FLOW, id) == TASKS_TASK;
	case WEFT_EV_POINT:
	case WEFT_EV_POINT_S: {
		enum tasks_role role = tasks_role(&t->roles, WEFT_CLASS_TYPE, id);
		return role == TASKS_PUSH || role == TASKS_POP || role == TASKS_USER_EVENT || role == TASKS_USER_MESSAGE ||
		       role == TASKS_USER_META || role == TASKS_WAIT_FOR_ALL || role == TASKS_STOLEN;
	}
	case WEFT_EV_COUNTER:
		return tasks_role(&t->roles, WEFT_CLASS_COUNTER, id) != TASKS_NONE || t->counter_node[id] >= 0;
	case WEFT_EV_ON:
	case WEFT_EV_OFF:
	case WEFT_EV_THREAD_BEGIN:
		return true;
	default:
		return false;
	}
}

/* ---- lanes ---- */

static int lane_next_block(struct prod_lane *l)
{
	struct weft_choice choice = {is_chosen, l->t};
	int rc = weft_cursor_next_of(&l->cursor, &choice, &l->block);
	l->at = 0;
	l->time = rc > 0 ? prod_time(l->t, l->block.time[0]) : UINT64_MAX;
	return rc < 0 ? rc : 0;
}

static int lane_step(struct prod_walk *w, struct prod_lane *l)
{
	if (!l->p) {
		const struct prod_happening *h = &l->happening[l->next++];
		prod_happened(w, l, h);
		l->time = l->next < l->n_happenings ? prod_time(l->t, l->happening[l->next].time) : UINT64_MAX;
		return w->failed;
	}
	prod_event(w, l, l->time, l->block.what[l->at], l->block.value[l->at]);
	if (++l->at < l->block.n) {
		l->time = prod_time(l->t, l->block.time[l->at]);
		return w->failed;
	}
	int rc = lane_next_block(l);
	return rc ? rc : w->failed;
}

static int begin_thread(struct prod_walk *w, struct prod_lane *l, struct prod_trace *t, uint32_t thread)
{
	uint32_t process = t->trace->thread[thread].process;
	*l = (struct prod_lane){.t = t,
	                        .p = &w->set->program[t->program[process]],
	                        .thread = thread,
	                        .worker = t->tasks.of_thread[thread],
	                        .shown_task = WEFT_TASKS_NO_ONE};
	int rc = weft_cursor_begin(&l->cursor, t->trace, thread, 0, WEFT_NEVER);
	return rc ? rc : lane_next_block(l);
}

static int make_lanes(struct prod_walk *w)
{
	struct prod_set *s = w->set;
	size_t most = s->n_traces;
	for (uint32_t i = 0; i < s->n_traces; i++)
		most += s->trace[i].trace->n_threads;
	w->lane = calloc(most, sizeof *w->lane);
	w->heap = calloc(most, sizeof *w->heap);
	int rc = w->lane && w->heap ? 0 : -ENOMEM;
	for (uint32_t i = 0; i < s->n_traces && !rc; i++) {
		struct prod_trace *t = &s->trace[i];
		w->lane[w->n_lanes].t = t;
		rc = prod_data_lane(w, &w->lane[w->n_lanes]);
		w->n_lanes++;
		for (uint32_t k = 0; k < t->trace->n_threads && !rc; k++)
			if (t->program[t->trace->thread[k].process] != WEFT_NONE && !t->trace->thread[k].own)
				rc = begin_thread(w, &w->lane[w->n_lanes++], t, k);
	}
	for (uint32_t i = 0; i < w->n_lanes; i++)
		w->lane[i].order = i;
	return rc;
}

/* ---- the heap ---- */

static bool is_before(const struct prod_lane *a, const struct prod_lane *b)
{
	return a->time != b->time ? a->time < b->time : a->order < b->order;
}

static void sift_down(struct prod_walk *w, uint32_t i)
{
	struct prod_lane *l = w->heap[i];
	for (uint32_t child; (child = 2 * i + 1) < w->n_heap; i = child) {
		child += child + 1 < w->n_heap && is_before(w->heap[child + 1], w->heap[child]);
		if (!is_before(w->heap[child], l))
			break;
		w->heap[i] = w->heap[child];
	}
	w->heap[i] = l;
}

static int merge(struct prod_walk *w)
{
	for (uint32_t i = 0; i < w->n_lanes; i++)
		if (w->lane[i].time != UINT64_MAX)
			w->heap[w->n_heap++] = &w->lane[i];
	for (uint32_t i = w->n_heap; i-- > 0;)
		sift_down(w, i);
	while (w->n_heap) {
		struct prod_lane *first = w->heap[0], *second = w->n_heap > 1 ? w->heap[1] : NULL;
		if (w->n_heap > 2 && is_before(w->heap[2], second))
			second = w->heap[2];
		do {
			int rc = lane_step(w, first);
			if (rc)
				return rc;
		} while (first->time != UINT64_MAX && (!second || is_before(first, second)));
		if (first->time == UINT64_MAX)
			w->heap[0] = w->heap[--w->n_heap];
		if (w->n_heap)
			sift_down(w, 0);
	}
	return 0;
}

/* ---- the walk ---- */

static int make_room(struct prod_walk *w)
{
	struct prod_set *s = w->set;
	w->names = weft_arena_alloc(&s->arena, s->n_traces * sizeof *w->names);
	w->node = weft_arena_alloc(&s->arena, (s->n_programs + 1u) * sizeof *w->node);
	w->last = weft_arena_alloc(&s->arena, (s->n_programs + 1u) * sizeof *w->last);
	if (!w->names || !w->node || !w->last)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->n_traces; i++) {
		const struct weft_trace *t = s->trace[i].trace;
		size_t n = (size_t)t->def[WEFT_CLASS_STRING].n + t->def[WEFT_CLASS_REGION].n + 1;
		w->names[i] = weft_arena_alloc(&s->arena, n * sizeof **w->names);
		if (!w->names[i])
			return -ENOMEM;
	}
	for (uint32_t i = 0; i < s->n_programs; i++) {
		w->node[i] = weft_arena_alloc(&s->arena, s->program[i].n_nodes * sizeof **w->node);
		if (!w->node[i])
			return -ENOMEM;
	}
	return 0;
}

/* activity.data has some hundred lines a worker, each at least a hundredth of a millisecond, at most as long as StarPU's. */
static uint64_t activity_period(const struct prod_set *s)
{
	uint64_t part = s->end / 500;
	return part < 10000 ? 10000 : part > 75000000 ? 75000000 : part;
}

static void states_head(struct prod_set *s)
{
	struct export_out *o = prod_out(s, PROD_STATES);
	PUT(o,
	    "#\n# E: Event type\n# N: Event name\n# C: Event category\n# W: Worker ID\n# T: Thread ID\n# S: Start time\n#\n\n");
}

int prod_walk(struct prod_set *s)
{
	struct prod_walk w = {.set = s, .period = activity_period(s)};
	int rc = make_room(&w);
	if (!rc)
		rc = make_lanes(&w);
	if (!rc) {
		states_head(s);
		prod_paje_types(&w);
		prod_paje_containers(&w);
		rc = merge(&w);
	}
	if (!rc) {
		for (uint32_t i = 0; i < w.n_lanes; i++)
			if (w.lane[i].p)
				prod_end_lane(&w, &w.lane[i]);
		prod_paje_end(&w);
		rc = w.failed;
	}
	for (uint32_t i = 0; i < w.n_lanes; i++) {
		if (w.lane[i].p)
			weft_cursor_end(&w.lane[i].cursor);
		free(w.lane[i].open.at);
		free(w.lane[i].happening);
	}
	free(w.lane);
	free(w.heap);
	free(w.extra.at);
	weft_map_fini(&w.colored);
	return rc;
}
