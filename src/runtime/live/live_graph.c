/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A ring of rows, one a task, in the order of submission; each has the number of its last change, so that who has seen everything up to a number
 * asks for what came later, and misses nothing if an answer is late:
 *
 *     row   0  task 71  done     changed 310          graph 300  ->  rows 0 and 2
 *           1  task 72  done     changed 298
 *           2  task 73  running  changed 311
 *
 * Dependencies come from the core as it hangs a job behind others (rt_told): relays are replaced by what they stand for. One lock for all; it is
 * taken at stations only while somebody asks for the graph.
 */
#include "live_graph.h"
#include "live_runtime.h"
#include "base/map.h"
#include "runtime/core/core.h"
#include "runtime/task/task.h"
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 2048, RELAYS = 512, BEFORE = 16, RELAYED = 32, BREAKS = 16, NAME = 48 };
enum row_state { ROW_SUBMITTED, ROW_READY, ROW_TAKEN, ROW_HELD, ROW_RUNNING, ROW_DONE, ROW_STATES };
static const char *const state_names[ROW_STATES] = {"submitted", "ready", "taken", "held", "running", "done"};

struct row {
	rt_ref ref; /* 0: none */
	uint64_t made, changed;
	rt_ref before[BEFORE];
	uint16_t n_before, more; /* more: predecessors that had no room */
	uint16_t worker;         /* RT_NO_WORKER: none yet */
	uint8_t state;
	int32_t iteration, line;
	char codelet[NAME], name[NAME];
	const char *file; /* a literal of the program's */
};
struct relayed {
	rt_ref ref, before[RELAYED];
	unsigned n;
};
struct stop {
	rt_ref ref; /* 0: by codelet */
	char codelet[NAME];
};

static struct {
	pthread_mutex_t lock;
	pthread_cond_t let_go;
	bool watched, is_on, pauses; /* watched: somebody looks; is_on: and has asked for the graph */
	uint64_t seq;
	struct row *row; /* ROWS of them, while it is on */
	struct relayed *relay;
	uint32_t next, next_relay;
	struct weft_map of, of_relay; /* reference -> place */
	struct stop stop[BREAKS];
	unsigned n_stops;
	rt_ref held[STARPU_NMAXWORKERS]; /* before which the worker stands; 0: it does not */
} graph = {.lock = PTHREAD_MUTEX_INITIALIZER, .let_go = PTHREAD_COND_INITIALIZER};
static struct weft_atomic_bool on; /* graph.is_on, for stations */

/* ---- rows ---- */

static struct row *row_find(rt_ref ref)
{
	uint64_t at;
	return weft_map_get(&graph.of, ref, &at) && graph.row[at].ref == ref ? &graph.row[at] : NULL;
}

static void row_change(struct row *r, enum row_state state, unsigned worker)
{
	r->state = (uint8_t)state;
	r->worker = worker < STARPU_NMAXWORKERS ? (uint16_t)worker : r->worker;
	r->changed = ++graph.seq;
}

static void copy_name(char *to, const char *from)
{
	snprintf(to, NAME, "%s", from ? from : "");
}

/* The row of the task's turn, made where there is none; NULL without memory. */
static struct row *row_of(const struct starpu_task *t)
{
	struct rt_task *own = t->starpu_private;
	if (!own || !own->job)
		return NULL;
	rt_ref ref = rt_job_ref(own->job);
	struct row *r = row_find(ref);
	if (r)
		return r;
	uint32_t at = graph.next;
	r = &graph.row[at];
	if (r->ref)
		weft_map_del(&graph.of, r->ref);
	r->ref = 0;
	if (weft_map_put(&graph.of, ref, at))
		return NULL;
	graph.next = (at + 1) % ROWS;
	*r = (struct row){.ref = ref, .worker = RT_NO_WORKER, .made = ++graph.seq, .changed = graph.seq};
	const struct starpu_codelet *cl = t->cl;
	copy_name(r->codelet, !cl                              ? "no codelet"
	                      : cl->name                       ? cl->name
	                      : cl->model && cl->model->symbol ? cl->model->symbol
	                                                       : "unnamed");
	copy_name(r->name, t->name);
	r->iteration = t->iterations[0] > 0 ? t->iterations[0] : 0;
	r->file = t->file;
	r->line = t->line;
	return r;
}

/* ---- dependencies ---- */

static unsigned add_ref(rt_ref *list, unsigned n, unsigned room, rt_ref ref)
{
	for (unsigned i = 0; i < n && i < room; i++)
		if (list[i] == ref)
			return n;
	if (n < room)
		list[n] = ref;
	return n + 1;
}

/* What the references stand for: tasks themselves, relays for those that they have collected. The count may be more than the room. */
static unsigned resolve(const struct rt_refs *before, rt_ref *list, unsigned room)
{
	unsigned n = 0;
	for (uint32_t i = 0; i < before->n; i++) {
		uint64_t at;
		if (!weft_map_get(&graph.of_relay, before->at[i], &at) || graph.relay[at].ref != before->at[i]) {
			n = add_ref(list, n, room, before->at[i]);
			continue;
		}
		for (unsigned k = 0; k < graph.relay[at].n; k++)
			n = add_ref(list, n, room, graph.relay[at].before[k]);
	}
	return n;
}

static void note_relay(rt_ref ref, const struct rt_refs *before)
{
	struct relayed *y = &graph.relay[graph.next_relay];
	if (y->ref)
		weft_map_del(&graph.of_relay, y->ref);
	y->ref = 0;
	if (weft_map_put(&graph.of_relay, ref, graph.next_relay))
		return;
	graph.next_relay = (graph.next_relay + 1) % RELAYS;
	unsigned n = resolve(before, y->before, RELAYED);
	y->n = n < RELAYED ? n : RELAYED;
	y->ref = ref;
}

/* By the submitter, before anybody else knows the job. */
static void graph_told(struct rt_job *j, const struct rt_refs *before)
{
	pthread_mutex_lock(&graph.lock);
	if (graph.is_on && !j->body) {
		note_relay(rt_job_ref(j), before);
	} else if (graph.is_on) {
		struct row *r = row_find(rt_job_ref(j));
		if (r) {
			unsigned n = resolve(before, r->before, BEFORE);
			r->n_before = (uint16_t)(n < BEFORE ? n : BEFORE);
			r->more = (uint16_t)(n - r->n_before);
			r->made = r->changed = ++graph.seq;
		}
	}
	pthread_mutex_unlock(&graph.lock);
}

/* ---- standing still ---- */

static bool stops_before(const struct row *r)
{
	for (unsigned i = 0; i < graph.n_stops; i++)
		if (graph.stop[i].ref ? graph.stop[i].ref == r->ref : !strcmp(graph.stop[i].codelet, r->codelet))
			return true;
	return graph.pauses;
}

/* The row may be another task's when the wait is over: its place is looked up again. */
static void stand_before(struct row *r, unsigned worker)
{
	rt_ref ref = r->ref;
	graph.held[worker] = ref;
	row_change(r, ROW_HELD, worker);
	while (graph.held[worker] == ref && graph.is_on)
		pthread_cond_wait(&graph.let_go, &graph.lock);
	graph.held[worker] = 0;
	r = graph.is_on ? row_find(ref) : NULL;
	if (r)
		row_change(r, ROW_TAKEN, worker);
}

void live_graph_pass(enum rt_station at, struct starpu_task *t, unsigned worker)
{
	static const enum row_state states[RT_STATIONS] = {
		[RT_AT_READY] = ROW_READY,
		[RT_AT_POP] = ROW_TAKEN,
		[RT_AT_START] = ROW_RUNNING,
		[RT_AT_END] = ROW_DONE,
	};
	if (!t || !weft_load_bool(&on) || at > RT_AT_END)
		return;
	pthread_mutex_lock(&graph.lock);
	struct row *r = graph.is_on ? row_of(t) : NULL;
	if (r && at != RT_AT_SUBMIT)
		row_change(r, states[at], worker);
	if (r && at == RT_AT_POP && worker < STARPU_NMAXWORKERS && stops_before(r))
		stand_before(r, worker);
	pthread_mutex_unlock(&graph.lock);
}

/* ---- on and off; under the lock ---- */

static int graph_begin(struct weft_err *err)
{
	graph.row = calloc(ROWS, sizeof *graph.row);
	graph.relay = calloc(RELAYS, sizeof *graph.relay);
	if (!graph.row || !graph.relay) {
		free(graph.row);
		free(graph.relay);
		graph.row = NULL;
		graph.relay = NULL;
		return weft_err_set(err, -ENOMEM, "out of memory");
	}
	graph.next = graph.next_relay = 0;
	graph.is_on = true;
	weft_store_bool(&on, true);
	weft_store_ptr(&rt_told, (void *)graph_told);
	return 0;
}

static void graph_end(void)
{
	weft_store_ptr(&rt_told, NULL);
	weft_store_bool(&on, false);
	graph.is_on = graph.pauses = false;
	graph.n_stops = 0;
	weft_map_fini(&graph.of);
	weft_map_fini(&graph.of_relay);
	free(graph.row);
	free(graph.relay);
	graph.row = NULL;
	graph.relay = NULL;
	pthread_cond_broadcast(&graph.let_go);
}

void live_graph_watch(bool is_watched)
{
	pthread_mutex_lock(&graph.lock);
	graph.watched = is_watched;
	if (!is_watched && graph.is_on)
		graph_end();
	pthread_mutex_unlock(&graph.lock);
}

/* ---- telling ---- */

static void tell_ref(struct weft_json *j, rt_ref ref)
{
	char text[24]; /* numbers of JSON end at 2^53 */
	snprintf(text, sizeof text, "%" PRIu64, ref);
	weft_json_string(j, text);
}

/* What does not change comes once: [ref, state, worker], and behind it codelet, name, iteration, file, line, [refs], more. */
static void tell_row(struct weft_json *j, const struct row *r, bool is_new)
{
	weft_json_array(j);
	tell_ref(j, r->ref);
	weft_json_string(j, state_names[r->state]);
	weft_json_i64(j, r->worker == RT_NO_WORKER ? -1 : r->worker);
	if (is_new) {
		weft_json_string(j, r->codelet);
		weft_json_string(j, r->name);
		weft_json_i64(j, r->iteration);
		weft_json_string(j, r->file ? r->file : "");
		weft_json_i64(j, r->line);
		weft_json_array(j);
		for (unsigned k = 0; k < r->n_before; k++)
			tell_ref(j, r->before[k]);
		weft_json_end(j);
		weft_json_u64(j, r->more);
	}
	weft_json_end(j);
}

static void tell_stops(struct weft_json *j)
{
	weft_json_key(j, "paused");
	weft_json_bool(j, graph.pauses);
	weft_json_key(j, "breaks");
	weft_json_array(j);
	for (unsigned i = 0; i < graph.n_stops; i++) {
		weft_json_object(j);
		weft_json_key(j, graph.stop[i].ref ? "task" : "codelet");
		if (graph.stop[i].ref)
			tell_ref(j, graph.stop[i].ref);
		else
			weft_json_string(j, graph.stop[i].codelet);
		weft_json_end(j);
	}
	weft_json_end(j);
	weft_json_key(j, "held");
	weft_json_array(j);
	for (unsigned w = 0; w < rt_machine.n_workers; w++) {
		if (!graph.held[w])
			continue;
		weft_json_array(j);
		weft_json_u64(j, w);
		tell_ref(j, graph.held[w]);
		weft_json_end(j);
	}
	weft_json_end(j);
}

int live_graph_tell(const char *seq, struct weft_json *j, struct weft_err *err)
{
	char *end;
	uint64_t since = strtoull(seq, &end, 10);
	if (*end || *seq == '-')
		return weft_err_set(err, -EINVAL, "graph wants the number of the last answer, or 0");
	pthread_mutex_lock(&graph.lock);
	int rc = graph.watched ? 0 : weft_err_set(err, -EINVAL, "the graph is there while somebody watches");
	if (!rc && !graph.is_on)
		rc = graph_begin(err);
	if (!rc) {
		live_add_count(j, "seq", graph.seq);
		tell_stops(j);
		weft_json_key(j, "tasks");
		weft_json_array(j);
		for (uint32_t i = 0; i < ROWS; i++) {
			const struct row *r = &graph.row[(graph.next + i) % ROWS]; /* as they were submitted */
			if (r->ref && r->changed > since)
				tell_row(j, r, r->made > since);
		}
		weft_json_end(j);
	}
	pthread_mutex_unlock(&graph.lock);
	return rc;
}

/* ---- commands ---- */

static int stop_add(const char *what, struct stop *s, struct weft_err *err)
{
	char *end;
	*s = (struct stop){0};
	if (!strncmp(what, "codelet ", 8) && what[8]) {
		copy_name(s->codelet, what + 8);
		return 0;
	}
	s->ref = strncmp(what, "task ", 5) ? 0 : strtoull(what + 5, &end, 10);
	if (!s->ref || *end)
		return weft_err_set(err, -EINVAL, "usage: break codelet NAME, break task REF, or break none");
	return 0;
}

int live_graph_break(const char *what, struct weft_err *err)
{
	struct stop s;
	bool none = !strcmp(what, "none");
	int rc = none ? 0 : stop_add(what, &s, err);
	pthread_mutex_lock(&graph.lock);
	if (none)
		graph.n_stops = 0;
	else if (!rc && !graph.is_on)
		rc = weft_err_set(err, -EINVAL, "somebody must look at the graph first");
	else if (!rc && graph.n_stops == BREAKS)
		rc = weft_err_set(err, -ENOSPC, "there are %d breaks already", BREAKS);
	else if (!rc)
		graph.stop[graph.n_stops++] = s;
	pthread_mutex_unlock(&graph.lock);
	return rc;
}

void live_graph_pause(void)
{
	pthread_mutex_lock(&graph.lock);
	graph.pauses = graph.is_on;
	pthread_mutex_unlock(&graph.lock);
}

int live_graph_step(const char *worker, struct weft_err *err)
{
	unsigned least = worker ? (unsigned)strtoul(worker, NULL, 10) : 0, w = least;
	pthread_mutex_lock(&graph.lock);
	while (!worker && w < rt_machine.n_workers && !graph.held[w])
		w++;
	bool stands = w < rt_machine.n_workers && graph.held[w];
	if (stands) {
		graph.pauses = true;
		graph.held[w] = 0;
		pthread_cond_broadcast(&graph.let_go);
	}
	pthread_mutex_unlock(&graph.lock);
	if (stands)
		return 0;
	return worker ? weft_err_set(err, -ESRCH, "worker %s does not stand before a task", worker)
	              : weft_err_set(err, -ESRCH, "no worker stands before a task");
}

void live_graph_go(void)
{
	pthread_mutex_lock(&graph.lock);
	graph.pauses = false;
	memset(graph.held, 0, sizeof graph.held);
	pthread_cond_broadcast(&graph.let_go);
	pthread_mutex_unlock(&graph.lock);
}
