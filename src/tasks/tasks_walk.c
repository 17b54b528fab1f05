/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One thread's events. Attributes belong to the innermost open region, so the open ones are kept on a stack; a region is a task when
 * an arrow "task" ends at its begin.
 */
#include "tasks_priv.h"
#include "trace/store/cursor.h"
#include <stdlib.h>
#include <string.h>

struct open_region {
	uint64_t begin, submitted; /* submitted: of a copy, where it goes on by itself */
	uint32_t region, task;
	uint16_t role;
	uint16_t said; /* where its attributes are, 0: nobody asks for them */
};
enum { SAID_MOST = 8 }; /* regions with attributes in each other */
struct walk {
	struct tasks_load *load;
	uint32_t thread, process;
	uint32_t submitted; /* the task whose submission was the last here */
	uint64_t asked;     /* of the copy that comes next */
	uint32_t asker;
	uint32_t n_said;
	struct tasks_said said[SAID_MOST + 1];
	WEFT_VEC(struct open_region) open;
};

/* ---- attributes of tasks ---- */

#define FIELD(role, member, kind) [TASKS_##role] = {offsetof(struct weft_tasks_task, member), kind, 0}
#define MARKED(role, member, kind, mark) \
	[TASKS_##role] = {offsetof(struct weft_tasks_task, member), kind, offsetof(struct weft_tasks_task, mark)}
#define IN_4(kind) ((kind) | 0x80)
#define IN_1(kind) ((kind) | 0x40)
static const struct {
	uint8_t at, kind; /* kind: of the event; with the highest bits: kept in four bytes, in one */
	uint8_t mark;     /* offset of a flag to set, 0: none */
} fields[TASKS_N_ROLES] = {
	FIELD(A_PRIORITY, priority, IN_4(WEFT_EV_ATTR)),
	MARKED(A_TAG, tag, WEFT_EV_ATTR, has_tag),
	FIELD(A_ITERATION, iteration, IN_4(WEFT_EV_ATTR)),
	FIELD(A_SUB_ITERATION, sub_iteration, IN_4(WEFT_EV_ATTR)),
	FIELD(A_NAME, name, IN_4(WEFT_EV_ATTR_S)),
	FIELD(A_MODEL, model, IN_4(WEFT_EV_ATTR_S)),
	MARKED(A_FOOTPRINT, footprint, IN_4(WEFT_EV_ATTR), has_footprint),
	FIELD(A_SIZE, bytes, WEFT_EV_ATTR),
	FIELD(A_FLOPS, flops, WEFT_EV_ATTR_F),
	FIELD(A_NUMBER, number, IN_4(WEFT_EV_ATTR)),
	FIELD(A_ORDER, order, IN_4(WEFT_EV_ATTR)),
	FIELD(A_PARAMETERS, parameters, IN_4(WEFT_EV_ATTR_S)),
	FIELD(A_FILE, file, IN_4(WEFT_EV_ATTR_S)),
	FIELD(A_LINE, line, IN_4(WEFT_EV_ATTR)),
	MARKED(A_COLOR, color, IN_4(WEFT_EV_ATTR), has_color),
	FIELD(A_CONTEXT, context, IN_4(WEFT_EV_ATTR)),
	FIELD(A_INTERNAL, internal, IN_1(WEFT_EV_ATTR)),
};

static const struct {
	const char *word;
	uint8_t does;
} mode_words[] = {
	{"SCRATCH", WEFT_TASKS_SCRATCH},
	{"REDUX", WEFT_TASKS_REDUX},
	{"-C", WEFT_TASKS_COMMUTE},
	{"R", WEFT_TASKS_R},
	{"W", WEFT_TASKS_W},
};

static uint8_t mode_of(struct tasks_load *l, uint32_t string)
{
	if (l->mode[string] != 0xff)
		return l->mode[string];
	uint8_t does = 0;
	for (const char *at = l->trace->def[WEFT_CLASS_STRING].at[string].name; *at;) {
		size_t i = 0, n = 0;
		while (i < sizeof mode_words / sizeof *mode_words && strncmp(at, mode_words[i].word, strlen(mode_words[i].word)))
			i++;
		if (i < sizeof mode_words / sizeof *mode_words) {
			does |= mode_words[i].does;
			n = strlen(mode_words[i].word);
		}
		at += n ? n : 1;
	}
	return l->mode[string] = does;
}

static int take_access(struct tasks_load *l, uint32_t task, uint64_t handle)
{
	struct weft_tasks_task *t = &l->out->task[task];
	if (!t->n_accesses)
		t->accesses = (uint32_t)l->access.n;
	if (t->accesses + (size_t)t->n_accesses != l->access.n || l->access.n >= UINT32_MAX - 1)
		return 0; /* its region came twice */
	t->n_accesses++;
	if (weft_vec_push(&l->handle, handle))
		return -12;
	return weft_vec_push(&l->access, (struct weft_tasks_access){.data = 0});
}

static int take_of_task(struct walk *w, uint32_t task, enum tasks_role role, unsigned kind, uint64_t value)
{
	struct tasks_load *l = w->load;
	struct weft_tasks_task *t = &l->out->task[task];
	if (fields[role].kind) {
		if (kind != (fields[role].kind & 0x3f))
			return 0;
		uint8_t *at = (uint8_t *)t + fields[role].at;
		uint32_t low = (uint32_t)value;
		if (fields[role].kind & 0x80)
			memcpy(at, &low, sizeof low);
		else if (fields[role].kind & 0x40)
			*at = value != 0;
		else
			memcpy(at, &value, sizeof value);
		if (fields[role].mark)
			((uint8_t *)t)[fields[role].mark] = 1;
		return 0;
	}
	if (role == TASKS_A_HANDLE)
		return take_access(l, task, value);
	if (!t->n_accesses || t->accesses + (size_t)t->n_accesses != l->access.n)
		return 0;
	struct weft_tasks_access *a = &l->access.at[l->access.n - 1];
	if (role == TASKS_A_MODE && kind == WEFT_EV_ATTR_S) {
		a->mode = (uint32_t)value;
		a->does = mode_of(l, a->mode);
	} else if (role == TASKS_A_NUMA) {
		a->numa = (uint32_t)value;
	}
	return 0;
}

/* ---- attributes of other regions ---- */

#define SAID(role, member) [TASKS_##role] = {offsetof(struct tasks_said, member), 8, WEFT_EV_ATTR}
#define SAID_TEXT(role, member) [TASKS_##role] = {offsetof(struct tasks_said, member), 4, WEFT_EV_ATTR_S}
static const struct {
	uint8_t at, width, kind;
} said_fields[TASKS_N_ROLES] = {
	SAID(A_HANDLE, handle),
	SAID(A_PARENT, parent),
	SAID(A_BYTES, bytes),
	SAID(A_HOME, home),
	SAID(A_NODE, node),
	SAID(A_FROM, from),
	SAID(A_TO, to),
	SAID(A_WORKER, number),
	SAID_TEXT(A_NAME, name),
	SAID_TEXT(A_DESCRIPTION, description),
	SAID_TEXT(A_KIND, kind),
	SAID_TEXT(A_CAUSE, cause),
	SAID_TEXT(A_STATE, state),
	SAID(A_CACHED, cached),
	SAID(A_TASK, task),
	SAID(A_COMPONENT, component),
	SAID(A_COMPONENT_FROM, component_from),
	SAID(A_COMPONENT_TO, component_to),
};

static int take_said(struct walk *w, struct tasks_said *said, enum tasks_role role, unsigned kind, uint64_t value)
{
	if (role == TASKS_A_COORDINATE)
		return weft_vec_push(&w->load->coordinate, (int64_t)value);
	if (said_fields[role].width && said_fields[role].kind == kind) {
		uint32_t low = (uint32_t)value;
		uint8_t *at = (uint8_t *)said + said_fields[role].at;
		memcpy(at, said_fields[role].width == 8 ? (void *)&value : (void *)&low, said_fields[role].width);
	}
	return 0;
}

static int take_attribute(struct walk *w, uint32_t what, uint64_t value)
{
	enum tasks_role role = tasks_role(&w->load->roles, WEFT_CLASS_ATTR, weft_what_id(what));
	if (role == TASKS_NONE || !w->open.n)
		return 0;
	const struct open_region *top = &w->open.at[w->open.n - 1];
	if (role == TASKS_A_COUNTED)
		return top->task == WEFT_TASKS_NO_ONE || weft_what_kind(what) != WEFT_EV_ATTR
		               ? 0
		               : weft_vec_push(&w->load->count, (struct weft_tasks_count){.task = top->task,
		                                                                          .attr = weft_what_id(what),
		                                                                          .value = (int64_t)value});
	if (top->task != WEFT_TASKS_NO_ONE)
		return take_of_task(w, top->task, role, weft_what_kind(what), value);
	return top->said ? take_said(w, &w->said[top->said], role, weft_what_kind(what), value) : 0;
}

/* ---- regions ---- */

static int enter(struct walk *w, uint64_t time, uint32_t region)
{
	enum tasks_role role = tasks_role(&w->load->roles, WEFT_CLASS_REGION, region);
	uint16_t said = 0;
	if (role >= TASKS_REGISTERING && role <= TASKS_DATA_STATE && w->n_said < SAID_MOST) {
		said = (uint16_t)++w->n_said;
		w->said[said] =
			(struct tasks_said){.home = -1, .number = -1, .node = -1, .coordinates = (uint32_t)w->load->coordinate.n};
	}
	return weft_vec_push(&w->open, (struct open_region){.begin = time,
	                                                    .submitted = WEFT_NEVER,
	                                                    .region = region,
	                                                    .task = WEFT_TASKS_NO_ONE,
	                                                    .role = (uint16_t)role,
	                                                    .said = said});
}

static int close_region(struct walk *w, uint64_t time, const struct open_region *r)
{
	struct tasks_load *l = w->load;
	if (r->task != WEFT_TASKS_NO_ONE) {
		l->out->task[r->task].end = time;
		return 0;
	}
	if (!r->said)
		return 0;
	size_t copies = l->copy.n;
	int rc = tasks_data_said(l, w->thread, r->role, r->begin, time, &w->said[r->said]);
	if (l->copy.n > copies) {
		struct weft_tasks_copy *c = &l->copy.at[copies];
		c->start = r->submitted == WEFT_NEVER ? r->begin : r->submitted;
		c->asked = w->asked;
		c->asker = w->asker;
		w->asked = WEFT_NEVER;
		w->asker = WEFT_TASKS_NO_ONE;
	}
	return rc;
}

/* Leaves the innermost region of that name; what is open in it was switched off on its way. */
static int leave(struct walk *w, uint64_t time, uint32_t region)
{
	const size_t was = w->open.n;
	size_t at = was;
	while (at > 0 && w->open.at[at - 1].region != region)
		at--;
	if (!at)
		return 0;
	w->open.n = at - 1;
	for (size_t i = at - 1; i < was; i++)
		w->n_said -= w->open.at[i].said != 0;
	return close_region(w, time, &w->open.at[at - 1]);
}

/* The runtime's own category goes off: what is open there ends without a word. */
static void switch_off(struct walk *w, uint32_t category)
{
	const struct weft_def_table *c = &w->load->trace->def[WEFT_CLASS_CATEGORY];
	if (category && (category >= c->n || strcmp(c->at[category].name, "starpu") != 0))
		return;
	w->open.n = 0;
	w->n_said = 0;
}

/* ---- arrows, points ---- */

static void arrow_ends(struct walk *w, uint32_t id, uint64_t time, uint64_t flow)
{
	struct tasks_load *l = w->load;
	enum tasks_role role = tasks_role(&l->roles, WEFT_CLASS_FLOW, id);
	if (role == TASKS_TRANSFER) {
		w->asked = l->trace->flow.from_time[flow];
		w->asker = l->trace->flow.from_thread[flow];
	}
	uint32_t task = l->out->of_flow[flow];
	if (role != TASKS_TASK || task == WEFT_TASKS_NO_ONE || !w->open.n)
		return;
	struct open_region *top = &w->open.at[w->open.n - 1];
	if (top->begin != time || top->task != WEFT_TASKS_NO_ONE)
		return;
	top->task = task;
	top->role = TASKS_NONE;
	w->n_said -= top->said != 0;
	top->said = 0;
	l->out->task[task].start = time;
	l->out->task[task].region = top->region;
	l->out->task[task].worker = w->thread; /* becomes a worker's number when all are known */
}

static void arrow_begins(struct walk *w, uint32_t id, uint64_t flow)
{
	if (tasks_role(&w->load->roles, WEFT_CLASS_FLOW, id) == TASKS_TASK)
		w->submitted = w->load->out->of_flow[flow];
}

/* Behind a task's submission, on its thread: so a task's edges come together. */
static int take_edge(struct walk *w, uint32_t id, uint64_t value)
{
	struct tasks_load *l = w->load;
	uint32_t n;
	const uint64_t *pair = weft_extra(l->trace, w->thread, value, &n);
	if (tasks_role(&l->roles, WEFT_CLASS_FLOW, id) != TASKS_DEPENDS || n != 2)
		return 0;
	uint32_t to = w->submitted;
	if (to == WEFT_TASKS_NO_ONE || l->out->task[to].job != pair[1])
		to = weft_tasks_find(l->out, w->process, pair[1]);
	uint32_t from = weft_tasks_find(l->out, w->process, pair[0]);
	if (from == WEFT_TASKS_NO_ONE || to == WEFT_TASKS_NO_ONE || from == to) {
		l->out->n_foreign_edges++;
		return 0;
	}
	struct weft_tasks_task *t = &l->out->task[to];
	if (!t->n_before)
		t->before = (uint32_t)l->edge.n;
	else if (t->before + (size_t)t->n_before != l->edge.n) { /* others came between: its edges move to the end */
		uint32_t begin = (uint32_t)l->edge.n;
		for (uint32_t i = 0; i < t->n_before; i++)
			if (weft_vec_push(&l->edge, l->edge.at[t->before + i]))
				return -12;
		t->before = begin;
	}
	t->n_before++;
	return weft_vec_push(&l->edge, from);
}

static int take_point(struct walk *w, uint32_t id, uint64_t time, uint64_t value)
{
	struct tasks_load *l = w->load;
	enum tasks_role role = tasks_role(&l->roles, WEFT_CLASS_TYPE, id);
	if (role == TASKS_COPY_SUBMITTED && w->open.n)
		w->open.at[w->open.n - 1].submitted = time;
	if (role == TASKS_WONT_USE)
		return weft_vec_push(&l->event, (struct weft_tasks_event){.time = time,
		                                                          .handle = value,
		                                                          .process = w->process,
		                                                          .thread = w->thread,
		                                                          .node = WEFT_TASKS_NO_ONE,
		                                                          .fate = WEFT_TASKS_WONT_USE});
	if (role == TASKS_RELEASED)
		return weft_vec_push(&l->release,
		                     (struct tasks_note){.time = time, .handle = value, .process = w->process, .role = role});
	if (role == TASKS_UNREGISTERED)
		return weft_vec_push(&l->note,
		                     (struct tasks_note){.time = time, .handle = value, .process = w->process, .role = role});
	if (role != TASKS_READY && role != TASKS_PUSH && role != TASKS_POP)
		return 0;
	uint32_t row = weft_tasks_find(l->out, w->process, value);
	if (row == WEFT_TASKS_NO_ONE)
		return 0;
	struct weft_tasks_task *t = &l->out->task[row];
	if (role == TASKS_POP)
		t->pop = t->pop == WEFT_NEVER || time > t->pop ? time : t->pop;
	else if (role == TASKS_PUSH)
		t->push = time < t->push ? time : t->push;
	else
		t->ready = time < t->ready ? time : t->ready;
	return 0;
}

static int take(struct walk *w, uint64_t time, uint32_t what, uint64_t value)
{
	uint32_t id = weft_what_id(what);
	switch (weft_what_kind(what)) {
	case WEFT_EV_ATTR:
	case WEFT_EV_ATTR_S:
	case WEFT_EV_ATTR_F:
		return take_attribute(w, what, value);
	case WEFT_EV_ENTER:
		return enter(w, time, id);
	case WEFT_EV_LEAVE:
		return leave(w, time, id);
	case WEFT_EV_FLOW_OUT:
		arrow_begins(w, id, value);
		return 0;
	case WEFT_EV_FLOW_IN:
		arrow_ends(w, id, time, value);
		return 0;
	case WEFT_EV_POINT:
		return take_point(w, id, time, value);
	case WEFT_EV_DEPENDENCY:
		return take_edge(w, id, value);
	case WEFT_EV_OFF:
		switch_off(w, id);
		return 0;
	default:
		return 0;
	}
}

int tasks_walk_thread(struct tasks_load *l, uint32_t thread)
{
	struct walk w = {.load = l,
	                 .thread = thread,
	                 .process = l->trace->thread[thread].process,
	                 .submitted = WEFT_TASKS_NO_ONE,
	                 .asked = WEFT_NEVER,
	                 .asker = WEFT_TASKS_NO_ONE};
	struct weft_cursor c;
	struct weft_block b;
	int rc = weft_cursor_begin(&c, l->trace, thread, 0, WEFT_NEVER);
	if (rc)
		return rc;
	while (rc >= 0 && (rc = weft_cursor_next(&c, &b)) > 0)
		for (uint32_t i = 0; i < b.n && rc >= 0; i++)
			rc = take(&w, b.time[i], b.what[i], b.value[i]);
	weft_cursor_end(&c);
	free(w.open.at);
	return rc < 0 ? rc : 0;
}
