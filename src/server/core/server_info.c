/* SPDX-License-Identifier: Apache-2.0 */
/* Area session: what is open, how far reading is, and whether files are still what they were. */
#include "base/map.h"
#include "server_session.h"
#include <errno.h>
#include <stdlib.h>

static const char *const state_names[] =
	{[SERVER_WAITING] = "waiting", [SERVER_READING] = "reading", [SERVER_READY] = "ready", [SERVER_FAILED] = "failed"};

/* ---- info ---- */

static bool class_is_used(const struct weft_trace *t, enum weft_class class)
{
	for (uint32_t i = 1; i < t->def[class].n; i++)
		if (t->def[class].at[i].n_events)
			return true;
	return false;
}

static void put_has(struct weft_json *w, const struct server_trace *s, bool saved)
{
	const struct weft_trace *t = s->trace;
	weft_json_key(w, "has");
	weft_json_object(w);
	server_put_bool(w, "regions", class_is_used(t, WEFT_CLASS_REGION));
	server_put_bool(w, "states", class_is_used(t, WEFT_CLASS_STATE));
	server_put_bool(w, "events", class_is_used(t, WEFT_CLASS_TYPE));
	server_put_bool(w, "counters", class_is_used(t, WEFT_CLASS_COUNTER) || class_is_used(t, WEFT_CLASS_SET));
	server_put_bool(w, "messages", t->message.n);
	server_put_bool(w, "flows", t->flow.n);
	server_put_bool(w, "tasks", s->has_tasks);
	server_put_bool(w, "samples", s->has_samples);
	server_put_bool(w, "replay", !saved); /* whether it can be is known when it was tried */
	server_put_bool(w, "live", !saved && s->live);
	weft_json_end(w);
}

static void put_levels(struct weft_json *w, const struct server_trace *s)
{
	weft_json_key(w, "levels");
	weft_json_array(w);
	for (unsigned l = 0; l < WEFT_LEVELS; l++) {
		uint32_t n = weft_level_size(&s->space, (enum weft_level)l);
		if (!n)
			continue;
		weft_json_object(w);
		server_put_string(w, "name", server_level_names[l]);
		server_put_u64(w, "n", n);
		weft_json_end(w);
	}
	weft_json_end(w);
}

static void put_problems(struct weft_json *w, const struct weft_trace *t)
{
	uint64_t n = t->n_problems < 100 ? t->n_problems : 100;
	weft_json_key(w, "problems");
	weft_json_array(w);
	for (uint64_t i = 0; i < n; i++)
		weft_json_string(w, t->problem[i].text);
	weft_json_end(w);
	server_put_u64(w, "n_problems", t->n_problems);
}

/* Times in JSON are ns from the trace's begin; begin itself is since 1970, as a decimal text, as it is more than a double holds. */
static void put_trace(struct weft_json *w, const struct server_trace *s, bool saved)
{
	uint32_t state = weft_load_u32(&s->state);
	weft_json_object(w);
	server_put_u64(w, "id", s->id);
	server_put_string(w, "name", s->name);
	server_put_string(w, "path", s->path);
	server_put_string(w, "state", state_names[state]);
	if (state == SERVER_FAILED)
		server_put_string(w, "error", s->err.text);
	if (state == SERVER_READY) {
		const struct weft_trace *t = s->trace;
		char begin[24];
		begin[weft_fmt_u64(begin, t->begin_realtime)] = 0;
		server_put_string(w, "format", t->format);
		server_put_string(w, "begin", begin);
		server_put_u64(w, "end", t->end);
		server_put_u64(w, "unit_ns", s->space.unit_ns);
		server_put_u64(w, "events", t->n_events);
		server_put_u64(w, "dropped", t->dropped);
		server_put_u64(w, "messages", t->message.n);
		server_put_u64(w, "opened_ns", s->opened_ns);
		put_levels(w, s);
		put_has(w, s, saved);
		put_problems(w, t);
	}
	weft_json_end(w);
}

/* only=N: as if that trace were all that there is, with what a saved page can show of it. */
static int session_info(const struct server_request *r, struct server_answer *a)
{
	const struct server_session *s = r->session;
	struct server_json j;
	uint64_t only;
	int rc = server_arg_u64(r, "only", 0, SERVER_TRACES_MOST, SERVER_TRACES_MOST, &only);
	if (rc)
		return rc;
	bool all = only == SERVER_TRACES_MOST;
	struct weft_json *w = server_json_begin(&j);
	weft_json_object(w);
	server_put_string(w, "version", s->version);
	server_put_bool(w, "control", all && s->control);
	server_put_u64(w, "live", all ? s->n_lives : 0);
	server_put_bool(w, "page", all && s->page);
	server_put_bool(w, "learn", all && s->learn);
	server_put_string(w, "view", all && s->first_view ? s->first_view : "");
	weft_json_key(w, "traces");
	weft_json_array(w);
	for (uint32_t i = 0; i < s->n_traces; i++)
		if (all || i == only)
			put_trace(w, &s->trace[i], !all);
	weft_json_end(w);
	weft_json_end(w);
	return server_json_end(&j, a);
}

/* ---- progress ---- */

struct progress {
	struct server_session *session;
	uint64_t last; /* of what was told: a sum that changes whenever something does */
	bool told;
};

static int progress_begin(const struct server_request *r, void **state)
{
	struct progress *p = calloc(1, sizeof *p);
	if (!p)
		return -ENOMEM;
	p->session = r->session;
	*state = p;
	return 0;
}

static void put_progress(struct weft_json *w, struct server_session *s)
{
	weft_json_object(w);
	weft_json_key(w, "traces");
	weft_json_array(w);
	for (uint32_t i = 0; i < s->n_traces; i++) {
		struct server_trace *t = &s->trace[i];
		const char *what = weft_load_ptr(&t->progress.what);
		uint64_t total = weft_load_u64(&t->progress.total), done = weft_load_u64(&t->progress.done);
		weft_json_object(w);
		server_put_u64(w, "id", i);
		server_put_string(w, "state", state_names[weft_load_u32(&t->state)]);
		if (what)
			server_put_string(w, "what", what);
		server_put_u64(w, "done", done < total || !total ? done : total);
		server_put_u64(w, "total", total);
		weft_json_end(w);
	}
	weft_json_end(w);
	weft_json_end(w);
}

/* Tells what has changed; ends when there is nothing more to read. */
static int progress_next(void *state, struct weft_buf *out)
{
	struct progress *p = state;
	uint64_t sum = 0;
	bool all = true;
	for (uint32_t i = 0; i < p->session->n_traces; i++) {
		struct server_trace *t = &p->session->trace[i];
		uint32_t at = weft_load_u32(&t->state);
		sum = weft_hash_u64(sum + at + 1) + weft_load_u64(&t->progress.done);
		all &= at == SERVER_READY || at == SERVER_FAILED;
	}
	if (p->told && sum == p->last && !all)
		return 0;
	p->told = true;
	p->last = sum;
	struct server_json j;
	put_progress(server_json_begin(&j), p->session);
	int rc = server_json_event(&j, out, all ? "done" : "progress");
	return rc ? rc : all;
}

static void progress_end(void *state)
{
	free(state);
}

static const struct server_stream progress_stream = {progress_begin, progress_next, progress_end, 100};

/* ---- changed ---- */

static const char *what_changed(const struct server_trace *t)
{
	struct stat now;
	if (!t->seen.st_ino)
		return "same"; /* a pipe, or nothing that can be looked at */
	if (stat(t->path, &now))
		return "gone";
	bool same = now.st_ino == t->seen.st_ino && now.st_dev == t->seen.st_dev && now.st_size == t->seen.st_size &&
	            now.st_mtim.tv_sec == t->seen.st_mtim.tv_sec && now.st_mtim.tv_nsec == t->seen.st_mtim.tv_nsec;
	/* An index is written into the folder of a trace of ours. */
	return same || S_ISDIR(now.st_mode) ? "same" : "changed";
}

static int session_changed(const struct server_request *r, struct server_answer *a)
{
	struct server_json j;
	struct weft_json *w = server_json_begin(&j);
	weft_json_object(w);
	weft_json_key(w, "traces");
	weft_json_array(w);
	for (uint32_t i = 0; i < r->session->n_traces; i++) {
		const struct server_trace *t = &r->session->trace[i];
		weft_json_string(w, weft_load_u32(&t->state) == SERVER_READY ? what_changed(t) : "same");
	}
	weft_json_end(w);
	weft_json_end(w);
	return server_json_end(&j, a);
}

/* ---- views ---- */

static int put_view(void *arg, const char *name, const char *path)
{
	struct weft_json *w = arg;
	weft_json_object(w);
	server_put_string(w, "name", name);
	server_put_bool(w, "own", path);
	weft_json_end(w);
	return 0;
}

/* By name: those of files and pages, then the library's. */
static int session_views(const struct server_request *r, struct server_answer *a)
{
	struct server_session *s = r->session;
	struct server_json j;
	struct weft_json *w = server_json_begin(&j);
	weft_json_object(w);
	weft_json_key(w, "views");
	weft_json_array(w);
	pthread_mutex_lock(&s->lock);
	uint32_t n = s->n_typed;
	pthread_mutex_unlock(&s->lock);
	for (uint32_t i = 0; i < n; i++) {
		char name[16];
		snprintf(name, sizeof name, "@%u", i + 1);
		weft_json_object(w);
		server_put_string(w, "name", name);
		server_put_string(w, "title", server_view_title(s, name));
		server_put_bool(w, "own", true);
		weft_json_end(w);
	}
	int rc = s->library ? s->library->each(put_view, w) : 0;
	weft_json_end(w);
	weft_json_end(w);
	int end_rc = server_json_end(&j, a);
	return rc < 0 ? rc : end_rc;
}

const struct server_route server_session_routes[] = {
	{.path = "session/info", .answer = session_info},
	{.path = "session/progress", .stream = &progress_stream},
	{.path = "session/changed", .answer = session_changed},
	{.path = "session/views", .answer = session_views},
	{0},
};
