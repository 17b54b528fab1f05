/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OTF2's events of threading models, from regions, attributes, points and flows by their names (docs/recording-programs.md):
 *
 *     omp parallel in f, omp team      ThreadFork … ThreadJoin
 *     f [omp parallel], omp team       ThreadTeamBegin … ThreadTeamEnd; teams of the same threads are one
 *     omp task create ──> f [omp task] ThreadTaskCreate ──> ThreadTaskSwitch … ThreadTaskComplete, and a switch back
 *     omp lock N, omp critical NAME    ThreadAcquireLock … ThreadReleaseLock
 *     lock taken, lock released        the same of pthreads
 *     thread started, thread ended     ThreadCreate ──> ThreadBegin, ThreadEnd ──> ThreadWait
 *
 * A task's switch stands in front of its enter, and is known behind it; and of locks that are left at one instant the lowest is
 * released, while those that are entered again as "still held" are not: so both wait for what comes next (struct otf2_late).
 */
#include "export_otf2_priv.h"
#include <errno.h>
#include <stdlib.h>

/* ---- names ---- */

static enum otf2_construct construct_of(const struct weft_trace *t, const struct weft_def_row *r)
{
	static const struct {
		const char *name;
		enum otf2_construct construct;
	} known[] = {{"omp parallel in *", OTF2_FORKS}, {"omp teams in *", OTF2_FORKS}, {"* [omp parallel]", OTF2_BODY},
	             {"* [omp teams]", OTF2_BODY},      {"* [omp task]", OTF2_TASK},    {"omp lock, still held", OTF2_KEEPS},
	             {"omp lock *", OTF2_HOLDS},        {"omp critical*", OTF2_HOLDS}};
	if (strcmp(export_def_name(t, WEFT_CLASS_CATEGORY, r->category), "openmp") != 0)
		return OTF2_PLAIN;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (weft_glob(known[i].name, r->name))
			return known[i].construct == OTF2_HOLDS && r->state == WEFT_STATE_SYNCHRONIZING ? OTF2_PLAIN
			                                                                                : known[i].construct;
	return OTF2_PLAIN;
}

static uint32_t id_of(const struct weft_trace *t, enum weft_class c, const char *category, const char *name)
{
	const struct weft_def_table *defs = &t->def[c];
	for (uint32_t i = 1; i < defs->n; i++)
		if (!strcmp(defs->at[i].name, name) &&
		    !strcmp(export_def_name(t, WEFT_CLASS_CATEGORY, defs->at[i].category), category))
			return i;
	return 0;
}

static int find_names(struct otf2 *w)
{
	const struct weft_trace *t = w->sink.t;
	const struct weft_def_table *regions = &t->def[WEFT_CLASS_REGION];
	w->construct = calloc((size_t)regions->n + 1, 1);
	w->before.maker = calloc((size_t)t->n_processes + 1, sizeof *w->before.maker);
	if (!w->construct || !w->before.maker)
		return -ENOMEM;
	for (uint32_t i = 1; i < regions->n; i++)
		w->construct[i] = (uint8_t)construct_of(t, &regions->at[i]);
	w->attr_team = id_of(t, WEFT_CLASS_ATTR, "openmp", "omp team");
	w->attr_asked = id_of(t, WEFT_CLASS_ATTR, "openmp", "omp threads asked");
	w->type_taken = id_of(t, WEFT_CLASS_TYPE, "threads", "lock taken");
	w->type_released = id_of(t, WEFT_CLASS_TYPE, "threads", "lock released");
	w->type_period = id_of(t, WEFT_CLASS_TYPE, "samples", "sample period");
	w->flow_started = id_of(t, WEFT_CLASS_FLOW, "threads", "thread started");
	w->flow_ended = id_of(t, WEFT_CLASS_FLOW, "threads", "thread ended");
	w->flow_task = id_of(t, WEFT_CLASS_FLOW, "openmp", "omp task");
	return 0;
}

/* ---- the first walk ---- */

static uint32_t process_of(const struct otf2 *w, uint32_t thread)
{
	return w->sink.t->thread[thread].process;
}

static uint64_t key_of(uint32_t process, uint32_t what, uint64_t number)
{
	uint64_t key[] = {process, what, number};
	return weft_hash(key, sizeof key);
}

/* A lock: a region's number, or an address. */
static uint32_t lock_of(struct otf2 *w, uint32_t thread, bool is_point, uint64_t which)
{
	uint64_t key = key_of(process_of(w, thread), is_point, which), number = w->before.n_locks;
	if (weft_map_get(&w->before.locks, key, &number))
		return (uint32_t)number;
	if (weft_map_put(&w->before.locks, key, w->before.n_locks++))
		export_fail(&w->failed, -ENOMEM);
	return (uint32_t)number;
}

static void note_taken(struct otf2 *w, uint32_t thread, uint64_t time, bool is_point, uint64_t which)
{
	struct otf2_before *b = &w->before;
	struct otf2_taken taken = {time, lock_of(w, thread, is_point, which), (uint32_t)b->taken.n};
	if (b->taken.n == UINT32_MAX || weft_vec_push(&b->taken, taken))
		export_fail(&w->failed, -ENOMEM);
}

/* Its index, or WEFT_NONE. */
static uint32_t team_of(struct otf2 *w, uint32_t thread, uint64_t team)
{
	struct otf2_before *b = &w->before;
	uint64_t key = key_of(process_of(w, thread), 0, team), at = b->team.n;
	if (weft_map_get(&b->teams, key, &at))
		return (uint32_t)at;
	if (weft_map_put(&b->teams, key, at) || weft_vec_push(&b->team, (struct otf2_team){.comm = WEFT_NONE})) {
		export_fail(&w->failed, -ENOMEM);
		return WEFT_NONE;
	}
	return (uint32_t)at;
}

static void look_push(struct export_sink *s, struct export_lane *l, uint64_t time, uint32_t region)
{
	struct otf2 *w = otf2_of(s);
	struct otf2_level level = {.construct = w->construct[region], .comm = WEFT_NONE};
	if (weft_vec_push(&w->level, level))
		export_fail(s->out, -ENOMEM);
	if (level.construct == OTF2_HOLDS)
		note_taken(w, l->thread, time, false, region);
}

static void look_pop(struct export_sink *s, struct export_lane *l, uint64_t time, uint32_t region, const struct export_attr *attr,
                     size_t n_attrs)
{
	(void)l, (void)time, (void)region, (void)attr, (void)n_attrs;
	otf2_of(s)->level.n--;
}

static void look_attr(struct otf2 *w, const struct weft_event *e)
{
	struct otf2_level *top = w->level.n ? &w->level.at[w->level.n - 1] : NULL;
	if (!top || (top->construct != OTF2_FORKS && top->construct != OTF2_BODY) || !e->id)
		return;
	if (e->id == w->attr_team)
		top->comm = team_of(w, e->thread, e->value); /* here: the team */
	if (e->id == w->attr_team && top->construct == OTF2_BODY && top->comm != WEFT_NONE &&
	    weft_vec_push(&w->before.member, (struct otf2_member){top->comm, e->thread}))
		export_fail(&w->failed, -ENOMEM);
	if (e->id == w->attr_asked && top->comm != WEFT_NONE)
		w->before.team.at[top->comm].asked = (uint32_t)e->value;
}

static void look_event(struct export_sink *s, struct export_lane *l, const struct weft_event *e)
{
	struct otf2 *w = otf2_of(s);
	(void)l;
	if (e->kind == WEFT_EV_ATTR)
		look_attr(w, e);
	else if (e->kind == WEFT_EV_POINT && e->id && e->id == w->type_taken)
		note_taken(w, e->thread, e->time, true, e->value);
	else if ((e->kind == WEFT_EV_FLOW_OUT || e->kind == WEFT_EV_FLOW_IN) && e->id &&
	         (e->id == w->flow_started || e->id == w->flow_ended))
		w->before.maker[process_of(w, e->thread)] = 1;
	else if (e->kind == WEFT_EV_SAMPLE)
		w->contexts.wanted = s->how->frames != NULL;
}

static void look_begin(struct export_sink *s, struct export_lane *l, uint64_t time)
{
	(void)l, (void)time;
	otf2_of(s)->level.n = 0;
}

static int taken_order(const void *a, const void *b)
{
	const struct otf2_taken *x = a, *y = b;
	if (x->lock != y->lock)
		return x->lock < y->lock ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static int number_taken(struct otf2_before *b)
{
	b->order = malloc((b->taken.n + 1) * sizeof *b->order);
	if (!b->order)
		return -ENOMEM;
	if (b->taken.n)
		qsort(b->taken.at, b->taken.n, sizeof *b->taken.at, taken_order);
	for (size_t i = 0; i < b->taken.n; i++) {
		bool same = i && b->taken.at[i].lock == b->taken.at[i - 1].lock;
		b->order[b->taken.at[i].index] = same ? b->order[b->taken.at[i - 1].index] + 1 : 1;
	}
	free(b->taken.at);
	b->taken.at = NULL;
	return 0;
}

static int member_order(const void *a, const void *b)
{
	const struct otf2_member *x = a, *y = b;
	if (x->team != y->team)
		return x->team < y->team ? -1 : 1;
	return x->thread < y->thread ? -1 : x->thread > y->thread;
}

/* Members of a team from..to, each once: which threads they are, as one of the sets that are known. */
static int number_team(struct otf2_before *b, struct weft_map *known, size_t from, size_t to)
{
	struct otf2_team *team = &b->team.at[b->member.at[from].team];
	uint64_t hash = 0, comm = b->comm.n;
	for (size_t i = from; i < to; i++)
		hash = weft_hash_u64(hash * 31 + b->member.at[i].thread + 1);
	team->size = (uint32_t)(to - from);
	if (!weft_map_get(known, hash, &comm) &&
	    (weft_map_put(known, hash, comm) || weft_vec_push(&b->comm, (struct otf2_comm){from, to})))
		return -ENOMEM;
	team->comm = (uint32_t)comm;
	return 0;
}

static int number_teams(struct otf2_before *b)
{
	struct weft_map known = {0};
	size_t n = 0;
	int rc = 0;
	if (b->member.n)
		qsort(b->member.at, b->member.n, sizeof *b->member.at, member_order);
	for (size_t i = 0; i < b->member.n; i++)
		if (!n || member_order(&b->member.at[i], &b->member.at[n - 1]) != 0)
			b->member.at[n++] = b->member.at[i];
	for (size_t from = 0, to; from < n && !rc; from = to) {
		for (to = from; to < n && b->member.at[to].team == b->member.at[from].team; to++)
			;
		rc = number_team(b, &known, from, to);
	}
	weft_map_fini(&known);
	return rc;
}

int otf2_look_before(struct otf2 *w)
{
	int rc = find_names(w);
	if (rc)
		return rc;
	struct export_sink sink = w->sink;
	w->sink = (struct export_sink){.t = sink.t,
	                               .how = sink.how,
	                               .out = sink.out,
	                               .begin = look_begin,
	                               .push = look_push,
	                               .pop = look_pop,
	                               .event = look_event};
	rc = export_threads(&w->sink);
	w->sink = sink;
	for (uint32_t i = 0; i < sink.t->n_processes; i++)
		if (w->before.maker[i])
			w->before.maker[i] = ++w->before.n_makers;
	rc = rc ? rc : number_taken(&w->before);
	return rc ? rc : number_teams(&w->before);
}

/* ---- locks ---- */

static OTF2_Paradigm paradigm_of(const struct otf2_lock *l)
{
	return l->is_point ? OTF2_PARADIGM_PTHREAD : OTF2_PARADIGM_OPENMP;
}

static bool take(struct otf2 *w, uint32_t thread, uint64_t time, bool is_point, uint64_t which)
{
	struct otf2_lock l = {lock_of(w, thread, is_point, which), w->before.order[w->n_taken++], is_point};
	if (weft_vec_push(&w->held, l)) {
		export_fail(&w->failed, -ENOMEM);
		return false;
	}
	otf2_check(w, OTF2_EvtWriter_ThreadAcquireLock(w->events, NULL, time, paradigm_of(&l), l.lock, l.order));
	return true;
}

static void release(struct otf2 *w, uint64_t time, const struct otf2_lock *l)
{
	otf2_check(w, OTF2_EvtWriter_ThreadReleaseLock(w->events, NULL, time, paradigm_of(l), l->lock, l->order));
}

/* The innermost held one of OpenMP, or of that number. False: there is none. */
static bool take_held(struct otf2 *w, bool is_point, uint32_t lock, struct otf2_lock *out)
{
	size_t at = w->held.n;
	while (at && (w->held.at[at - 1].is_point != is_point || (is_point && w->held.at[at - 1].lock != lock)))
		at--;
	if (!at)
		return false;
	*out = w->held.at[--at];
	memmove(w->held.at + at, w->held.at + at + 1, (--w->held.n - at) * sizeof *out);
	return true;
}

/* A region that goes on with a lock which was left at this instant, above one that is released. */
static bool keep(struct otf2 *w)
{
	struct otf2_late *late = &w->late;
	if (late->release.n && !late->lowest_gone)
		release(w, late->time, &late->release.at[--late->release.n]);
	late->lowest_gone = true;
	return late->release.n && weft_vec_push(&w->held, late->release.at[--late->release.n]) == 0;
}

void otf2_settle(struct otf2 *w)
{
	struct otf2_late *late = &w->late;
	for (size_t i = 0; i < late->release.n; i++)
		release(w, late->time, &late->release.at[i]);
	late->release.n = 0;
	late->lowest_gone = false;
	if (late->enters)
		otf2_enter(w, late->time, w->level.n - 1);
	late->enters = false;
}

static bool is_lock(enum otf2_construct c)
{
	return c == OTF2_HOLDS || c == OTF2_KEEPS;
}

void otf2_settle_at(struct otf2 *w, uint64_t time, enum otf2_construct left)
{
	if (!is_lock(left) || w->late.time != time || w->late.enters || w->late.lowest_gone)
		otf2_settle(w);
}

void otf2_team_point(struct otf2 *w, const struct weft_event *e)
{
	struct otf2_lock l;
	if (e->kind == WEFT_EV_POINT && e->id == w->type_taken)
		(void)take(w, e->thread, e->time, true, e->value);
	else if (e->kind == WEFT_EV_POINT && e->id == w->type_released &&
	         take_held(w, true, lock_of(w, e->thread, true, e->value), &l))
		release(w, e->time, &l);
	else if (e->kind == WEFT_EV_POINT && e->id == w->type_period)
		w->contexts.period_ns = e->value;
}

/* ---- teams ---- */

static const struct otf2_level *team_level(const struct otf2 *w)
{
	for (size_t i = w->level.n; i-- > 0;)
		if (w->level.at[i].construct == OTF2_BODY && w->level.at[i].comm != OTF2_UNDEFINED_COMM)
			return &w->level.at[i];
	return NULL;
}

/* A thread's place in a team, or WEFT_NONE. */
static uint32_t place_in(const struct otf2 *w, uint32_t comm, uint32_t thread)
{
	const struct otf2_comm *c = &w->before.comm.at[comm - otf2_team_comm(w, 0)];
	size_t from = c->from, to = c->to;
	while (from < to) {
		size_t mid = from + (to - from) / 2;
		if (w->before.member.at[mid].thread < thread)
			from = mid + 1;
		else
			to = mid;
	}
	return from < c->to && w->before.member.at[from].thread == thread ? (uint32_t)(from - c->from) : WEFT_NONE;
}

void otf2_team_attr(struct otf2 *w, const struct weft_event *e)
{
	struct otf2_level *top = w->level.n ? &w->level.at[w->level.n - 1] : NULL;
	if (!top || e->kind != WEFT_EV_ATTR || e->id != w->attr_team || top->comm != OTF2_UNDEFINED_COMM ||
	    (top->construct != OTF2_FORKS && top->construct != OTF2_BODY))
		return;
	uint32_t team = team_of(w, e->thread, e->value);
	if (team == WEFT_NONE || w->before.team.at[team].comm == WEFT_NONE)
		return;
	const struct otf2_team *t = &w->before.team.at[team];
	top->comm = otf2_team_comm(w, t->comm);
	if (top->construct == OTF2_FORKS)
		otf2_check(w, OTF2_EvtWriter_ThreadFork(w->events, NULL, e->time, OTF2_PARADIGM_OPENMP,
		                                        t->asked ? t->asked : t->size));
	else
		otf2_check(w, OTF2_EvtWriter_ThreadTeamBegin(w->events, NULL, e->time, top->comm));
}

void otf2_team_push(struct otf2 *w, uint32_t thread, uint64_t time, uint32_t region)
{
	struct otf2_level level = {.region = region - 1, .comm = OTF2_UNDEFINED_COMM, .construct = w->construct[region]};
	if (level.construct != OTF2_KEEPS || w->late.time != time || w->late.enters)
		otf2_settle(w);
	if (weft_vec_push(&w->level, level)) {
		export_fail(&w->failed, -ENOMEM);
		return;
	}
	size_t at = w->level.n - 1;
	if (level.construct == OTF2_TASK) {
		w->late.enters = true;
		w->late.time = time;
		return;
	}
	bool keeps = level.construct == OTF2_KEEPS && keep(w);
	otf2_enter(w, time, at);
	w->level.at[at].has_lock = keeps || (level.construct == OTF2_HOLDS && take(w, thread, time, false, region));
}

void otf2_team_leaves(struct otf2 *w, uint64_t time, const struct otf2_level *l)
{
	if (l->comm == OTF2_UNDEFINED_COMM)
		return;
	if (l->construct == OTF2_FORKS)
		otf2_check(w, OTF2_EvtWriter_ThreadJoin(w->events, NULL, time, OTF2_PARADIGM_OPENMP));
	else if (l->construct == OTF2_BODY)
		otf2_check(w, OTF2_EvtWriter_ThreadTeamEnd(w->events, NULL, time, l->comm));
}

/* From a task back to the one that it interrupted: another, or the thread's own part in the team, which has the number 0. */
static void task_ends(struct otf2 *w, uint32_t thread, uint64_t time, const struct otf2_level *l)
{
	uint32_t by = place_in(w, l->comm, thread), number = 0;
	otf2_check(w, OTF2_EvtWriter_ThreadTaskComplete(w->events, NULL, time, l->comm, l->task_thread, l->task_number));
	for (size_t i = w->level.n; i-- > 0;) {
		const struct otf2_level *below = &w->level.at[i];
		if (below->construct == OTF2_BODY)
			break;
		if (below->has_task) {
			by = below->task_thread;
			number = below->task_number;
			break;
		}
	}
	otf2_check(w, OTF2_EvtWriter_ThreadTaskSwitch(w->events, NULL, time, l->comm, by, number));
}

void otf2_team_left(struct otf2 *w, uint32_t thread, uint64_t time, const struct otf2_level *l)
{
	struct otf2_lock lock;
	if (l->has_task)
		task_ends(w, thread, time, l);
	if (!l->has_lock || !take_held(w, false, 0, &lock))
		return;
	if (weft_vec_push(&w->late.release, lock))
		export_fail(&w->failed, -ENOMEM);
	w->late.time = time;
}

/* ---- arrows ---- */

/* Tasks are numbered by their arrows: unique among those of a thread, as is asked for. */
static void put_task(struct otf2 *w, const struct weft_event *e, uint32_t from)
{
	const struct otf2_level *team = team_level(w);
	uint32_t number = (uint32_t)e->value + 1, by = team ? place_in(w, team->comm, from) : WEFT_NONE;
	struct otf2_level *top = w->level.n ? &w->level.at[w->level.n - 1] : NULL;
	if (by == WEFT_NONE)
		return;
	if (e->kind == WEFT_EV_FLOW_OUT) {
		otf2_check(w, OTF2_EvtWriter_ThreadTaskCreate(w->events, NULL, e->time, team->comm, by, number));
	} else if (w->late.enters && w->late.time == e->time) {
		top->comm = team->comm;
		top->has_task = true;
		top->task_thread = by;
		top->task_number = number;
		otf2_check(w, OTF2_EvtWriter_ThreadTaskSwitch(w->events, NULL, e->time, team->comm, by, number));
	}
}

static void put_thread(struct otf2 *w, const struct weft_event *e, uint32_t from, uint32_t to)
{
	uint32_t comm = otf2_thread_comm(w, process_of(w, e->thread));
	bool started = e->id == w->flow_started, out = e->kind == WEFT_EV_FLOW_OUT;
	if (started && out && to != WEFT_NONE)
		otf2_check(w, OTF2_EvtWriter_ThreadCreate(w->events, NULL, e->time, comm, to));
	else if (started && !out && from != WEFT_NONE)
		otf2_check(w, OTF2_EvtWriter_ThreadBegin(w->events, NULL, e->time, comm, to));
	else if (!started && out)
		otf2_check(w, OTF2_EvtWriter_ThreadEnd(w->events, NULL, e->time, comm,
		                                       to == WEFT_NONE ? OTF2_UNDEFINED_UINT64 : from));
	else if (!started && from != WEFT_NONE)
		otf2_check(w, OTF2_EvtWriter_ThreadWait(w->events, NULL, e->time, comm, from));
}

void otf2_team_flow(struct otf2 *w, const struct weft_event *e)
{
	const struct weft_flows *f = &w->sink.t->flow;
	bool known = e->value < f->n;
	uint32_t from = known ? f->from_thread[e->value] : WEFT_NONE, to = known ? f->to_thread[e->value] : WEFT_NONE;
	bool inside = from == WEFT_NONE || to == WEFT_NONE || process_of(w, from) == process_of(w, to);
	if (known && e->id == w->flow_task && from != WEFT_NONE)
		put_task(w, e, from);
	otf2_settle(w);
	if (known && inside && (e->id == w->flow_started || e->id == w->flow_ended))
		put_thread(w, e, from, to);
}

void otf2_before_fini(struct otf2 *w)
{
	struct otf2_before *b = &w->before;
	weft_map_fini(&b->teams);
	weft_map_fini(&b->locks);
	free(b->team.at);
	free(b->member.at);
	free(b->comm.at);
	free(b->taken.at);
	free(b->order);
	free(b->maker);
	free(w->late.release.at);
	free(w->construct);
}
