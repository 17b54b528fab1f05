/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an event of a thread means. A worker is shown in the state of its innermost region that has one, and idle outside of all; what
 * lies in a task is the task. Other threads push and pop theirs.
 */
#include "prod_walk.h"

const struct prod_state prod_idle = {"I", "Idle", "Other", false};
const struct prod_state prod_waits_for_all = {"WA", "Waiting all tasks", "User", false};
const struct prod_state prod_worker_state[TASKS_N_ROLES] = {
	[TASKS_SLEEPING] = {"Sl", "Sleeping", "Other", true},
	[TASKS_FETCHING] = {"Fi", "FetchingInput", "Runtime", false},
	[TASKS_CALLBACK] = {"C", "Callback", "Runtime", false},
	[TASKS_SCHEDULING] = {"Sc", "Scheduling", "Runtime", false},
	[TASKS_PROGRESSING] = {"P", "Progressing", "Runtime", false},
	[TASKS_OVERHEAD] = {"B", "Overhead", "Runtime", false},
	[TASKS_PUSHING_OUTPUT] = {"Po", "PushingOutput", "Runtime", false},
	[TASKS_BUILDING] = {"Bu", "Building task", "User", false},
	[TASKS_SUBMITTING] = {"Su", "Submitting task", "User", false},
	[TASKS_THROTTLING] = {"Th", "Throttling task submission", "User", false},
	[TASKS_INITIALISING] = {"In", "Initializing", "Runtime", false},
	[TASKS_DEINITIALISING] = {"D", "Deinitializing", "Runtime", false},
};
const struct prod_state prod_thread_state[TASKS_N_ROLES] = {
	[TASKS_WAITING] = {"W", "Waiting task", "User", false},
	[TASKS_ACQUIRING] = {"W", "Waiting task", "User", false},
	[TASKS_CALLBACK] = {"C", "Callback", "User", false},
	[TASKS_SCHEDULING] = {"Sc", "Scheduling", "User", false},
	[TASKS_SUBMITTING] = {"Su", "Submitting task", "User", false},
	[TASKS_BUILDING] = {"Bu", "Building task", "User", false},
	[TASKS_THROTTLING] = {"Th", "Throttling task submission", "User", false},
};

/* ---- trace.rec ---- */

static void put_record(struct prod_walk *w, const struct prod_lane *l, uint64_t time, const char *event, struct weft_str name,
                       const char *category)
{
	struct export_out *o = prod_out(w->set, PROD_STATES);
	PUT(o, "E: ");
	export_text(o, event);
	if (name.n) {
		PUT(o, "\nN: ");
		put_str(o, name);
	}
	if (category) {
		PUT(o, "\nC: ");
		export_text(o, category);
	}
	PUT(o, "\nW: ");
	if (l->worker == WEFT_TASKS_NO_ONE)
		PUT(o, "-1");
	else
		export_u64(o, l->t->tasks.worker[l->worker].number);
	PUT(o, "\nT: ");
	export_i64(o, l->t->trace->thread[l->thread].tid);
	PUT(o, "\nS: ");
	put_ms(o, time);
	PUT(o, "\n\n");
}

/* ---- activity.data ---- */

static void put_activity(struct prod_walk *w, struct prod_lane *l, uint64_t time)
{
	struct export_out *o = prod_out(w->set, PROD_ACTIVITY);
	export_u64(o, l->t->first_worker + l->worker);
	export_char(o, '\t');
	put_ms9(o, time);
	export_char(o, '\t');
	put_ms9(o, time - l->since);
	export_char(o, '\t');
	put_ms9(o, l->executing);
	export_char(o, '\t');
	put_ms9(o, l->sleeping);
	export_char(o, '\n');
	l->since = time;
	l->executing = l->sleeping = 0;
}

static void count_activity(struct prod_walk *w, struct prod_lane *l, uint64_t time)
{
	uint64_t took = time - l->changed;
	l->executing += l->shown_task != WEFT_TASKS_NO_ONE ? took : 0;
	l->sleeping += l->shown && l->shown->sleeps ? took : 0;
	l->changed = time;
	if (time - l->since >= w->period)
		put_activity(w, l, time);
}

static void put_count(struct prod_walk *w, const char *name, uint64_t time, uint64_t value)
{
	struct export_out *o = prod_out(w->set, PROD_ACTIVITY);
	export_text(o, name);
	export_char(o, '\t');
	put_ms9(o, time);
	export_char(o, '\t');
	export_u64(o, value);
	export_char(o, '\n');
}

/* ---- GFlop/s ---- */

static double gflops_of(const struct weft_tasks_task *t)
{
	return t->flops > 0 && t->end != WEFT_NEVER && t->end > t->start ? t->flops / (double)(t->end - t->start) : 0;
}

static void change_gflops(struct prod_walk *w, struct prod_lane *l, uint64_t time, double by)
{
	if (by == 0 || w->set->how->no_flops)
		return;
	l->p->gflops += by;
	if (l->p->gflops < 1e-9)
		l->p->gflops = 0;
	paje_set(w, time, l->p->prefix, "w", (int)(l->worker - l->p->first_worker), "gf", by > 0 ? by : 0);
	paje_set(w, time, l->p->prefix, "sched", -1, "gft", l->p->gflops);
}

/* ---- arrows of dependencies ---- */

static void put_arrow(struct prod_walk *w, const struct prod_lane *l, uint64_t time, bool begins, uint32_t from, uint32_t to)
{
	struct export_out *o = prod_out(w->set, PROD_PAJE);
	const struct weft_tasks_task *task = l->t->tasks.task;
	paje_begin(o, begins ? "18" : "19", time);
	PUT(o, "Dep\t");
	export_text(o, l->p->prefix);
	PUT(o, "p\t0\t");
	export_text(o, l->alias);
	PUT(o, "\tdep_");
	put_job(o, l->p, task[from].number);
	export_char(o, '_');
	export_u64(o, task[to].number);
	export_char(o, '\n');
}

static void put_arrows(struct prod_walk *w, const struct prod_lane *l, uint64_t time, uint32_t task, bool ends)
{
	const struct weft_tasks *k = &l->t->tasks;
	const struct weft_tasks_task *t = &k->task[task];
	if (!l->t->after)
		return;
	for (uint32_t i = l->t->after[task]; ends && i < l->t->after[task + 1]; i++) {
		const struct weft_tasks_task *to = &k->task[l->t->succ[i]];
		if (to->start != WEFT_NEVER && to->start >= t->end)
			put_arrow(w, l, time, true, task, l->t->succ[i]);
	}
	for (uint32_t i = 0; !ends && i < t->n_before; i++) {
		uint32_t from = k->edge[t->before + i];
		if (k->task[from].end <= t->start && k->task[from].worker != WEFT_TASKS_NO_ONE)
			put_arrow(w, l, time, false, from, task);
	}
}

/* ---- states ---- */

static void show_task(struct prod_walk *w, struct prod_lane *l, uint64_t time, uint32_t task)
{
	const struct weft_tasks_task *t = &l->t->tasks.task[task];
	l->shown = NULL;
	l->shown_task = task;
	paje_task(w, l, time, t);
	put_record(w, l, time, "SetState", prod_called(l->t, t), "Task");
}

static void show_state(struct prod_walk *w, struct prod_lane *l, uint64_t time, const struct prod_state *s)
{
	l->shown = s;
	l->shown_task = WEFT_TASKS_NO_ONE;
	paje_state(w, l, time, s->alias);
	put_record(w, l, time, "SetState", weft_str(s->name), s->category);
}

/*
 * Outside of all regions: idle; but where the next begins within a microsecond, the runtime is on its way there, and that is shown as
 * what follows, or goes on as what it was.
 */
static const struct prod_state *between(const struct prod_walk *w, const struct prod_lane *l, uint64_t time)
{
	enum { SHORT = 1000 };
	if (w->set->how->no_smooth || l->at + 1 >= l->block.n || weft_what_kind(l->block.what[l->at + 1]) != WEFT_EV_ENTER ||
	    prod_time(l->t, l->block.time[l->at + 1]) - time >= SHORT)
		return &prod_idle;
	uint32_t role = tasks_role(&l->t->roles, WEFT_CLASS_REGION, weft_what_id(l->block.what[l->at + 1]));
	if (prod_worker_state[role].alias)
		return &prod_worker_state[role];
	return l->shown ? l->shown : &prod_worker_state[TASKS_OVERHEAD];
}

static void show_worker(struct prod_walk *w, struct prod_lane *l, uint64_t time)
{
	uint32_t task = WEFT_TASKS_NO_ONE;
	const struct prod_state *s = l->open.n ? &prod_idle : between(w, l, time);
	for (size_t i = l->open.n; i-- > 0;) {
		const struct prod_open *o = &l->open.at[i];
		if (o->task != WEFT_TASKS_NO_ONE) {
			task = o->task;
			break;
		}
		if (prod_worker_state[o->role].alias) {
			s = &prod_worker_state[o->role];
			break;
		}
	}
	if (task != WEFT_TASKS_NO_ONE ? task == l->shown_task : s == l->shown)
		return;
	count_activity(w, l, time);
	if (task != WEFT_TASKS_NO_ONE)
		show_task(w, l, time, task);
	else
		show_state(w, l, time, s);
}

static void create_thread(struct prod_walk *w, struct prod_lane *l, uint64_t time)
{
	struct export_out *o = prod_out(w->set, PROD_PAJE);
	l->created = true;
	paje_begin(o, "7", time);
	export_text(o, l->thread_alias);
	PUT(o, "\tUT\t");
	export_text(o, l->p->prefix);
	PUT(o, "p\t");
	export_text(o, l->p->prefix);
	PUT(o, "UserThread");
	export_i64(o, l->t->trace->thread[l->thread].tid);
	export_char(o, '\n');
}

static void push_or_pop(struct prod_walk *w, struct prod_lane *l, uint64_t time, const struct prod_state *s, bool pushes)
{
	struct export_out *o = prod_out(w->set, PROD_PAJE);
	if (!l->created)
		create_thread(w, l, time);
	paje_begin(o, pushes ? "11" : "12", time);
	export_text(o, l->thread_alias);
	PUT(o, "\tUS");
	if (pushes) {
		export_char(o, '\t');
		export_text(o, s->alias);
	}
	export_char(o, '\n');
	put_record(w, l, time, pushes ? "PushState" : "PopState", weft_str(pushes ? s->name : NULL), pushes ? s->category : NULL);
}

static const struct prod_state *thread_state(struct prod_walk *w, struct prod_lane *l, uint32_t role)
{
	if (role == TASKS_ACQUIRING && w->set->how->no_acquire)
		return NULL;
	if (role == TASKS_WAITING && l->waits_for_all)
		return &prod_waits_for_all;
	return prod_thread_state[role].alias ? &prod_thread_state[role] : NULL;
}

static void enter(struct prod_walk *w, struct prod_lane *l, uint64_t time, uint32_t region)
{
	uint32_t role = tasks_role(&l->t->roles, WEFT_CLASS_REGION, region);
	if (weft_vec_push(&l->open, (struct prod_open){region, WEFT_TASKS_NO_ONE, role})) {
		w->failed = -12;
		return;
	}
	if (l->worker != WEFT_TASKS_NO_ONE) {
		if (role)
			show_worker(w, l, time);
		return;
	}
	const struct prod_state *s = thread_state(w, l, role);
	if (s)
		push_or_pop(w, l, time, s, true);
}

static void leave(struct prod_walk *w, struct prod_lane *l, uint64_t time, uint32_t region)
{
	size_t at = l->open.n;
	while (at > 0 && l->open.at[at - 1].region != region)
		at--;
	if (!at)
		return;
	while (l->open.n >= at) {
		struct prod_open o = l->open.at[--l->open.n];
		if (l->worker == WEFT_TASKS_NO_ONE) {
			if (thread_state(w, l, o.role))
				push_or_pop(w, l, time, NULL, false);
			l->waits_for_all &= o.role != TASKS_WAITING;
		} else if (o.task != WEFT_TASKS_NO_ONE) {
			change_gflops(w, l, time, -gflops_of(&l->t->tasks.task[o.task]));
			paje_context(w, l, time, &l->t->tasks.task[o.task], false);
			put_arrows(w, l, time, o.task, true);
		}
	}
	if (l->worker != WEFT_TASKS_NO_ONE)
		show_worker(w, l, time);
}

static void begin_task(struct prod_walk *w, struct prod_lane *l, uint64_t time, uint64_t flow)
{
	uint32_t task = l->t->tasks.of_flow[flow];
	if (task == WEFT_TASKS_NO_ONE || !l->open.n || l->worker == WEFT_TASKS_NO_ONE ||
	    l->t->tasks.task[task].start + l->t->shift != time)
		return;
	struct prod_open *top = &l->open.at[l->open.n - 1];
	top->task = task;
	top->role = TASKS_NONE;
	show_worker(w, l, time);
	paje_context(w, l, time, &l->t->tasks.task[task], true);
	put_arrows(w, l, time, task, false);
	change_gflops(w, l, time, gflops_of(&l->t->tasks.task[task]));
}

/* ---- points and counters ---- */

static void policy_event(struct prod_walk *w, struct prod_lane *l, uint64_t time, bool pushes, uint64_t job)
{
	struct export_out *o = prod_out(w->set, PROD_SCHED), *paje = prod_out(w->set, PROD_PAJE);
	uint32_t row = weft_tasks_find(&l->t->tasks, l->p->process, job);
	if (row == WEFT_TASKS_NO_ONE)
		return;
	const struct weft_tasks_task *t = &l->t->tasks.task[row];
	export_text(o, pushes ? "Type: push\nTime: " : "Type: pop\nTime: ");
	put_ms9(o, time);
	PUT(o, "\nPriority: ");
	export_i64(o, t->priority);
	PUT(o, "\nJobId: ");
	put_job(o, l->p, t->number);
	PUT(o, "\n\n");
	if (w->set->how->no_events)
		return;
	paje_begin(paje, "9", time);
	export_text(paje, pushes ? "pu\t" : "po\t");
	export_text(paje, l->p->prefix);
	PUT(paje, "p\t");
	export_u64(paje, t->number);
	export_char(paje, '\n');
}

/* Of the thread, and what the program says itself of the program, too. */
static void user_event(struct prod_walk *w, struct prod_lane *l, uint64_t time, struct weft_str text, bool of_program)
{
	struct export_out *o = prod_out(w->set, PROD_PAJE);
	bool is_worker = l->worker != WEFT_TASKS_NO_ONE;
	if (w->set->how->no_events || !text.n)
		return;
	if (!is_worker && !l->created)
		create_thread(w, l, time);
	for (unsigned i = !of_program; i < 2; i++) {
		paje_begin(o, "9", time);
		export_text(o, i == 0 ? "user_event\t" : is_worker ? "thread_event\t" : "user_thread_event\t");
		export_text(o, i == 0 ? l->p->prefix : l->thread_alias);
		export_text(o, i == 0 ? "p\t\"" : "\t\"");
		put_str(o, text);
		PUT(o, "\"\n");
	}
	put_record(w, l, time, "ProgEvent", text, "Program");
}

/* The task that comes next was another worker's. */
static void steal_event(struct prod_walk *w, struct prod_lane *l, uint64_t time, uint64_t victim)
{
	struct export_out *o = prod_out(w->set, PROD_PAJE);
	if (w->set->how->no_events || l->worker == WEFT_TASKS_NO_ONE)
		return;
	paje_begin(o, "9", time);
	PUT(o, "thread_event\t");
	export_text(o, l->thread_alias);
	PUT(o, "\t\"stolen from worker ");
	export_u64(o, victim);
	PUT(o, "\"\n");
}

static void take_point(struct prod_walk *w, struct prod_lane *l, uint64_t time, uint32_t id, bool is_text, uint64_t value)
{
	char number[24];
	switch (tasks_role(&l->t->roles, WEFT_CLASS_TYPE, id)) {
	case TASKS_PUSH:
	case TASKS_POP:
		policy_event(w, l, time, tasks_role(&l->t->roles, WEFT_CLASS_TYPE, id) == TASKS_PUSH, value);
		break;
	case TASKS_STOLEN:
		steal_event(w, l, time, value);
		break;
	case TASKS_WAIT_FOR_ALL:
		l->waits_for_all = true;
		user_event(w, l, time, weft_str("task_wait_for_all"), false);
		break;
	case TASKS_USER_EVENT:
		user_event(w, l, time, weft_str_n(number, weft_fmt_u64(number, value)), true);
		break;
	case TASKS_USER_MESSAGE:
	case TASKS_USER_META:
		if (is_text)
			user_event(w, l, time, prod_string(l->t, (uint32_t)value), true);
		break;
	default:
		break;
	}
}

static void take_counter(struct prod_walk *w, struct prod_lane *l, uint64_t time, uint32_t id, uint64_t value)
{
	enum tasks_role role = tasks_role(&l->t->roles, WEFT_CLASS_COUNTER, id);
	int32_t node = l->t->counter_node[id];
	if (node >= 0 && (uint32_t)node < l->p->n_nodes)
		paje_set(w, time, l->p->prefix, "mm", node, "use", (double)(int64_t)value / 1048576);
	if (role != TASKS_N_SUBMITTED && role != TASKS_N_READY)
		return;
	int64_t *last = &w->last[l->p - w->set->program][role == TASKS_N_READY];
	if (*last == (int64_t)value)
		return;
	*last = (int64_t)value;
	put_count(w, role == TASKS_N_READY ? "cnt_ready" : "cnt_submitted", time, value);
	if (!w->set->how->no_counter)
		paje_set(w, time, l->p->prefix, "sched", -1, role == TASKS_N_READY ? "nready" : "nsubmitted",
		         (double)(int64_t)value);
}

/* Recording of what the runtime does, or of its details, goes on or stops: what is open has no end of its own then. */
static void take_switch(struct prod_walk *w, struct prod_lane *l, uint64_t time, uint32_t category, bool on)
{
	const struct weft_def_table *c = &l->t->trace->def[WEFT_CLASS_CATEGORY];
	if (category >= c->n || (category && strcmp(c->at[category].name, "starpu") != 0))
		return;
	while (!on && l->open.n)
		leave(w, l, time, l->open.at[0].region);
	put_count(w, "set_profiling", time, on);
}

/* At the first event of a worker: from its thread's begin on it is idle. */
static void begin_worker(struct prod_walk *w, struct prod_lane *l, uint64_t time)
{
	l->begun = true;
	if (l->worker == WEFT_TASKS_NO_ONE)
		return;
	l->since = l->changed = time;
	l->shown = &prod_idle;
	paje_state(w, l, time, prod_idle.alias);
	put_record(w, l, time, "SetState", weft_str(prod_idle.name), prod_idle.category);
}

static void submit(struct prod_walk *w, struct prod_lane *l, uint64_t time, uint64_t flow)
{
	struct export_out *o = prod_out(w->set, PROD_PAJE);
	uint32_t task = l->t->tasks.of_flow[flow];
	if (w->set->how->no_events || task == WEFT_TASKS_NO_ONE || l->worker != WEFT_TASKS_NO_ONE)
		return;
	if (!l->created)
		create_thread(w, l, time);
	paje_begin(o, "9", time);
	PUT(o, "su\t");
	export_text(o, l->thread_alias);
	export_char(o, '\t');
	put_job(o, l->p, l->t->tasks.task[task].number);
	export_char(o, '\n');
}

void prod_event(struct prod_walk *w, struct prod_lane *l, uint64_t time, uint32_t what, uint64_t value)
{
	if (!l->begun)
		begin_worker(w, l, time);
	uint32_t id = weft_what_id(what), kind = weft_what_kind(what);
	switch (kind) {
	case WEFT_EV_ENTER:
		enter(w, l, time, id);
		break;
	case WEFT_EV_LEAVE:
		leave(w, l, time, id);
		break;
	case WEFT_EV_FLOW_IN:
		begin_task(w, l, time, value);
		break;
	case WEFT_EV_FLOW_OUT:
		submit(w, l, time, value);
		break;
	case WEFT_EV_POINT:
	case WEFT_EV_POINT_S:
		take_point(w, l, time, id, kind == WEFT_EV_POINT_S, value);
		break;
	case WEFT_EV_COUNTER:
		take_counter(w, l, time, id, value);
		break;
	case WEFT_EV_ON:
	case WEFT_EV_OFF:
		take_switch(w, l, time, id, kind == WEFT_EV_ON);
		break;
	default:
		break;
	}
}

/* ---- a worker's end ---- */

void prod_end_lane(struct prod_walk *w, struct prod_lane *l)
{
	if (l->worker == WEFT_TASKS_NO_ONE || !l->begun)
		return;
	uint64_t end = l->t->trace->thread[l->thread].end;
	end = prod_time(l->t, end == WEFT_NEVER ? l->t->trace->end : end);
	end = end > l->changed ? end : l->changed;
	count_activity(w, l, end);
	if (end > l->since)
		put_activity(w, l, end);
	put_record(w, l, end, "SetState", weft_str("End"), NULL);
}
