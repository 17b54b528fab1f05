/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace.rec: events of states, in the order of each program's times. W is the worker, or -1 for threads of the program; T the thread, or -1
 * where another thread has set a worker's state: then it is the thread that the worker was on before. Several programs stand behind each
 * other, with the same numbers of workers, but other threads.
 *
 *     SetState   ends the state that was set before
 *     PushState  begins one within; PopState ends it
 */
#include "state_sums_priv.h"
#include "paje_states.h"
#include "rec_file.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MOST = 4096 };

struct open_state {
	uint32_t name;        /* a word of `name` */
	const char *category; /* stays */
	int64_t begin;
	bool counts;
};
struct track {
	struct open_state set;
	bool is_set, is_worker;
	WEFT_VEC(struct open_state) pushed;
	int64_t last; /* up to where its time has been given to a state */
};
struct walk {
	struct state_sums *sums;
	struct text_lines *from;
	struct record r;
	struct weft_map thread_of, track_of; /* worker -> its thread; worker, thread -> index */
	struct weft_intern word;
	WEFT_VEC(struct track) track;
	bool asked, on; /* profiling was started in the program; and is on */
	struct weft_err *err;
};

static int out_of_memory(struct walk *w)
{
	return weft_err_set(w->err, -ENOMEM, "out of memory");
}

/* The part that the time of a state belongs to. */
static double *part_of(struct walk *w, const struct open_state *o)
{
	struct state_parts *p = &w->sums->parts;
	const char *name = w->word.name[o->name];
	if (!strcmp(name, "Scheduling"))
		return &p->scheduling;
	if (!strcmp(name, "Sleeping") || !strcmp(name, "Idle"))
		return &p->idle;
	return strcmp(o->category, "Task") ? &p->runtime : &p->task;
}

/* The time since the last event of a worker was its innermost state's. */
static void give_time(struct walk *w, struct track *t, int64_t time)
{
	const struct open_state *o = t->pushed.n ? &t->pushed.at[t->pushed.n - 1] : t->is_set ? &t->set : NULL;
	if (o && t->is_worker && (!w->asked || w->on) && time > t->last)
		*part_of(w, o) += (double)(time - t->last) / STATE_UNIT;
	t->last = time;
}

/* One that would end before it began belongs to a program that stands before this one in the file: when it ended is not known. */
static int end_state(struct walk *w, const struct open_state *o, int64_t time)
{
	if (!o->counts || time < o->begin)
		return 0;
	return state_sums_add(w->sums, weft_str(w->word.name[o->name]), o->category, o->begin, time) ? out_of_memory(w) : 0;
}

static int find_track(struct walk *w, int64_t worker, int64_t thread, struct track **out)
{
	uint64_t at = 0, key;
	if (worker >= 0 && thread < 0)
		thread = weft_map_get(&w->thread_of, (uint64_t)worker, &at) ? (int64_t)at : 0;
	else if (worker >= 0 && weft_map_put(&w->thread_of, (uint64_t)worker, (uint64_t)thread))
		return out_of_memory(w);
	key = (uint64_t)(worker + 1) << 40 ^ (uint64_t)(thread + 1);
	if (!weft_map_get(&w->track_of, key, &at)) {
		at = w->track.n;
		if (weft_vec_push(&w->track, (struct track){.is_worker = worker >= 0}) || weft_map_put(&w->track_of, key, at))
			return out_of_memory(w);
	}
	*out = &w->track.at[at];
	return 0;
}

static int begin_state(struct walk *w, int64_t time, struct open_state *o)
{
	struct weft_str name, category = record_get(&w->r, "C");
	uint32_t id;
	int rc = record_text(&w->r, w->from, "N", &name, w->err);
	*o = (struct open_state){.begin = time, .counts = !w->asked || w->on};
	if (rc)
		return rc;
	if (weft_intern_add(&w->word, name, &o->name) || weft_intern_add(&w->word, category, &id))
		return out_of_memory(w);
	o->category = w->word.name[id];
	return 0;
}

static int set_state(struct walk *w, struct track *t, int64_t time)
{
	int rc = t->is_set ? end_state(w, &t->set, time) : 0;
	t->is_set = false;
	if (rc || weft_str_eq(record_get(&w->r, "N"), "End"))
		return rc;
	rc = begin_state(w, time, &t->set);
	t->is_set = !rc;
	return rc;
}

static int push_state(struct walk *w, struct track *t, int64_t time)
{
	struct open_state o;
	if (t->pushed.n == DEPTH_MOST)
		return text_lines_wrong(w->from, w->err, "more than %d states in each other", DEPTH_MOST);
	int rc = begin_state(w, time, &o);
	return rc ? rc : weft_vec_push(&t->pushed, o) ? out_of_memory(w) : 0;
}

static int pop_state(struct walk *w, struct track *t, int64_t time)
{
	return t->pushed.n ? end_state(w, &t->pushed.at[--t->pushed.n], time) : 0;
}

static int program_event(struct walk *w, struct track *t, int64_t time)
{
	(void)t;
	struct weft_str name = record_get(&w->r, "N");
	bool starts = weft_str_eq(name, "start_profiling"), stops = weft_str_eq(name, "stop_profiling");
	if (!starts && !stops)
		return 0;
	for (size_t i = 0; i < w->track.n; i++) {
		struct track *of = &w->track.at[i];
		give_time(w, of, time);
		for (size_t k = 0; starts && !w->asked && k < of->pushed.n; k++)
			of->pushed.at[k].counts = false;
		of->set.counts &= !starts || w->asked;
	}
	if (starts && !w->asked)
		state_sums_forget(w->sums); /* what was before does not count */
	w->asked |= starts;
	w->on = starts;
	return 0;
}

static int take(struct walk *w)
{
	static const struct {
		const char *name;
		int (*take)(struct walk *w, struct track *t, int64_t time);
	} events[] = {{"SetState", set_state}, {"PushState", push_state}, {"PopState", pop_state}, {"ProgEvent", program_event}};
	struct weft_str event, worker_text, thread_text, time_text;
	int64_t worker, thread, time;
	struct track *t = NULL;
	int rc = record_text(&w->r, w->from, "E", &event, w->err);
	rc = rc ? rc : record_text(&w->r, w->from, "W", &worker_text, w->err);
	rc = rc ? rc : record_text(&w->r, w->from, "T", &thread_text, w->err);
	rc = rc ? rc : record_text(&w->r, w->from, "S", &time_text, w->err);
	if (rc)
		return rc;
	if (weft_parse_i64(worker_text, &worker) || weft_parse_i64(thread_text, &thread) || !paje_time_parse(time_text, &time) ||
	    worker < -1 || thread < -1 || worker > 1 << 20)
		return weft_err_set(w->err, WEFT_E_SYNTAX, "%s:%llu: expected numbers as worker (W), thread (T) and time (S)",
		                    text_lines_name(w->from), (unsigned long long)w->r.line);
	rc = find_track(w, worker, thread, &t);
	if (rc)
		return rc;
	for (size_t i = 0; i < sizeof events / sizeof *events; i++)
		if (weft_str_eq(event, events[i].name)) {
			give_time(w, t, time);
			return events[i].take(w, t, time);
		}
	return weft_err_set(w->err, WEFT_E_SYNTAX, "%s:%llu: expected SetState, PushState, PopState or ProgEvent, found '%.*s'",
	                    text_lines_name(w->from), (unsigned long long)w->r.line, (int)(event.n < 60 ? event.n : 60),
	                    event.at);
}

static void walk_fini(struct walk *w)
{
	for (size_t i = 0; i < w->track.n; i++)
		free(w->track.at[i].pushed.at);
	free(w->track.at);
	weft_map_fini(&w->thread_of);
	weft_map_fini(&w->track_of);
	record_fini(&w->r);
}

int state_sums_read_rec(struct state_sums *s, struct text_lines *from, struct weft_err *err)
{
	struct walk w = {.sums = s, .from = from, .err = err};
	int rc;
	s->first = INT64_MAX;
	s->last = INT64_MIN;
	while ((rc = record_next(&w.r, from, err)) > 0 && !(rc = take(&w)))
		;
	/* Categories are words of the walk: they become the sums' own. */
	for (size_t i = 0; i < s->at.n && !rc; i++) {
		char *kept = weft_arena_strdup(&s->word.arena, s->at.at[i].category);
		rc = kept ? 0 : out_of_memory(&w);
		s->at.at[i].category = kept ? kept : "";
	}
	for (size_t i = 0; i < s->at.n && rc; i++)
		s->at.at[i].category = "";
	weft_intern_fini(&w.word);
	walk_fini(&w);
	return rc;
}
