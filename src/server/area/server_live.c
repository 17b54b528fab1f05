/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live/…: programs that run. What is shown comes as it is: a sample is one line of JSON that the program has said, checked to be that. What changes
 * a program is a POST whose body is an object of texts; each is a row of `changes`.
 */
#include "server/core/server_live.h"
#include "base/map.h"
#include "pulse/pulse_read.h"
#include "peer/peer.h"
#include "server/core/server_session.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { ANSWER_MS = 3000, GRAPH_MS = 200 };

static int live_of(const struct server_request *r, struct server_live **out)
{
	uint64_t i;
	unsigned n = r->session->n_lives;
	*out = NULL;
	if (!n)
		return weft_err_set(r->err, -ENOENT, "no program is looked at (weft open PID, or its name)");
	int rc = server_arg_u64(r, "source", 0, n - 1, 0, &i);
	if (!rc)
		*out = r->session->live[i];
	return rc;
}

/* ---- state ---- */

static void put_now(struct weft_json *j, const struct server_live_now *now)
{
	server_put_bool(j, "connected", now->connected);
	server_put_bool(j, "ended", now->ended);
	server_put_u64(j, "pid", (uint64_t)now->pid);
	server_put_string(j, "program", now->program);
	server_put_string(j, "kind", now->kind);
	server_put_string(j, "why", now->why);
}

static int live_state(const struct server_request *r, struct server_answer *a)
{
	struct server_json j;
	struct weft_json *w = server_json_begin(&j);
	weft_json_object(w);
	server_put_bool(w, "control", r->session->control);
	weft_json_key(w, "sources");
	weft_json_array(w);
	for (unsigned i = 0; i < r->session->n_lives; i++) {
		struct server_live_now now;
		server_live_now(r->session->live[i], &now);
		weft_json_object(w);
		server_put_u64(w, "id", i);
		put_now(w, &now);
		weft_json_end(w);
	}
	weft_json_end(w);
	weft_json_end(w);
	return server_json_end(&j, a);
}

static int live_peers(const struct server_request *r, struct server_answer *a)
{
	struct pulse_peer *peers = NULL;
	struct server_json j;
	int n = weft_peer_list(&peers, r->err);
	if (n < 0)
		return n;
	struct weft_json *w = server_json_begin(&j);
	weft_json_array(w);
	for (int i = 0; i < n; i++) {
		weft_json_object(w);
		server_put_u64(w, "pid", (uint64_t)peers[i].pid);
		server_put_string(w, "program", peers[i].program);
		server_put_string(w, "kind", peers[i].kind);
		weft_json_end(w);
	}
	weft_json_end(w);
	free(peers);
	return server_json_end(&j, a);
}

/* ---- events ---- */

struct watcher {
	struct server_live *live;
	uint64_t changes, samples;
	bool told;
	struct server_live_ask *ask; /* of a graph: on its way */
	uint64_t seq;                /* up to which tasks have been told */
	uint64_t stands;             /* hash of what was told beside tasks; 0: nothing yet */
};

static int watcher_begin(const struct server_request *r, void **state)
{
	struct server_live *l;
	int rc = live_of(r, &l);
	if (rc)
		return rc;
	struct watcher *w = calloc(1, sizeof *w);
	if (!w)
		return -ENOMEM;
	w->live = l;
	server_live_look(l, true);
	*state = w;
	return 0;
}

static void watcher_end(void *state)
{
	struct watcher *w = state;
	if (w->ask)
		server_live_drop(w->live, w->ask);
	server_live_look(w->live, false);
	free(w);
}

/* A line of JSON as an event; one that is none is left out. */
static void put_line(struct weft_buf *out, const char *name, const char *line, size_t n)
{
	if (n && !weft_json_check(line, n, NULL))
		server_event(out, name, line, n);
}

static int events_next(void *state, struct weft_buf *out)
{
	struct watcher *w = state;
	struct server_live_now now;
	struct weft_buf sample = {0};
	int rc = 0;
	server_live_now(w->live, &now);
	if (!w->told || now.changes != w->changes) {
		struct server_json j;
		struct weft_json *to = server_json_begin(&j);
		weft_json_object(to);
		put_now(to, &now);
		weft_json_end(to);
		rc = server_json_event(&j, out, "state");
		w->told = true;
		w->changes = now.changes;
		w->seq = 0; /* another run has other tasks */
	}
	w->samples = server_live_sample(w->live, w->samples, &sample);
	put_line(out, "sample", sample.at, sample.n);
	weft_buf_fini(&sample);
	return rc;
}

/* What the answer says that it is up to; false: it is a refusal. */
static bool graph_seq(const char *line, size_t n, uint64_t *seq)
{
	static const char head[] = "{\"seq\":";
	if (n < sizeof head || memcmp(line, head, sizeof head - 1) != 0)
		return false;
	*seq = strtoull(line + sizeof head - 1, NULL, 10);
	return true;
}

/* What stands before the tasks: the number, whether the program is paused, breaks, who is held. Of a program that stands only these change. */
static uint64_t graph_stands(const char *line, size_t n)
{
	static const char tasks[] = ",\"tasks\":[";
	const char *end = memmem(line, n, tasks, sizeof tasks - 1);
	uint64_t hash = weft_hash(line, end ? (size_t)(end - line) : n);
	return hash ? hash : 1;
}

/* One ask is on its way at a time: the page is told what has changed since the last, however long that was. */
static int graph_next(void *state, struct weft_buf *out)
{
	struct watcher *w = state;
	if (w->ask && server_live_wait(w->live, w->ask, 0)) {
		size_t n;
		const char *line = server_live_answer(w->ask, &n);
		uint64_t seq = w->seq;
		if (line && graph_seq(line, n, &seq)) {
			uint64_t stands = graph_stands(line, n);
			if (stands != w->stands)
				put_line(out, "graph", line, n);
			w->stands = stands;
			w->seq = seq;
		} else {
			put_line(out, "refused", line, n);
			w->seq = w->stands = 0;
		}
		server_live_drop(w->live, w->ask);
		w->ask = NULL;
	}
	if (!w->ask) {
		char line[40];
		snprintf(line, sizeof line, "graph %" PRIu64, w->seq);
		w->ask = server_live_say(w->live, line);
	}
	return 0;
}

static const struct server_stream events = {watcher_begin, events_next, watcher_end, 50};
static const struct server_stream graph = {watcher_begin, graph_next, watcher_end, GRAPH_MS};

/* ---- changes ---- */

/* Words of a line, from members of the body; a member without a name is a word itself. */
enum { WORDS = 4 };
static const struct change {
	const char *path, *word[WORDS];
	unsigned least; /* words that must be there */
} changes[] = {
	{"start", {"start"}, 1},
	{"set", {"set", ".name", ".value"}, 3},
	{"knob", {"knob", ".name", ".value", ".of"}, 3},
	{"count", {"count", ".name"}, 2},
	{"pause", {"pause"}, 1},
	{"step", {"step", ".worker"}, 1},
	{"go", {"go"}, 1},
};

static const char *text_of(const struct pulse_value *v, const char *key, char room[32])
{
	const struct pulse_value *m = pulse_get(v, key);
	if (!m || m->kind == PULSE_NULL)
		return NULL;
	if (m->kind == PULSE_BOOL)
		return m->truth ? "1" : "0";
	if (m->kind == PULSE_NUMBER) {
		snprintf(room, 32, "%.17g", m->number);
		return room;
	}
	return m->kind == PULSE_TEXT ? m->text : NULL;
}

static int change_line(const struct server_request *r, const struct change *c, const struct pulse_value *body,
                       struct weft_buf *line)
{
	for (unsigned k = 0; k < WORDS && c->word[k]; k++) {
		char room[32];
		const char *word = c->word[k][0] == '.' ? text_of(body, c->word[k] + 1, room) : c->word[k];
		if (!word && k < c->least)
			return weft_err_set(r->err, -EINVAL, "'%s' is not given", c->word[k] + 1);
		if (!word)
			break;
		if (!*word || strpbrk(word, " \t\r\n"))
			return weft_err_set(r->err, -EINVAL, "'%.60s' cannot be said to a program: it is empty or has blanks",
			                    word);
		weft_buf_printf(line, "%s%s", k ? " " : "", word);
	}
	return line->failed ? -ENOMEM : 0;
}

/* Names of codelets may have blanks: they are the rest of the line. */
static int break_line(const struct server_request *r, const struct pulse_value *body, struct weft_buf *line)
{
	char room[32];
	const char *codelet = text_of(body, "codelet", room), *task = codelet ? NULL : text_of(body, "task", room);
	if (codelet ? !*codelet || strpbrk(codelet, "\r\n") : task && (!*task || task[strspn(task, "0123456789")]))
		return weft_err_set(r->err, -EINVAL, "expected a codelet's name, or a task's number");
	if (codelet || task)
		weft_buf_printf(line, "break %s %s", codelet ? "codelet" : "task", codelet ? codelet : task);
	else
		weft_buf_puts(line, "break none");
	return line->failed ? -ENOMEM : 0;
}

/* What the program has answered is the answer: {"done": true}, or a refusal with its words. */
static int live_tell(const struct server_request *r, struct server_answer *a, const char *line)
{
	struct server_live *l;
	int rc = live_of(r, &l);
	if (rc)
		return rc;
	struct server_live_ask *ask = server_live_say(l, line);
	if (!ask)
		return weft_err_set(r->err, -EINVAL, "what is to be said is too long, or too much is on its way already");
	size_t n = 0;
	const char *answer = server_live_wait(l, ask, ANSWER_MS) ? server_live_answer(ask, &n) : NULL;
	struct weft_arena arena = {0};
	struct pulse_value *v = NULL;
	if (!answer)
		rc = weft_err_set(r->err, -EAGAIN, "the program does not answer");
	else if (pulse_read(answer, n, &arena, &v, NULL))
		rc = weft_err_set(r->err, -EINVAL, "the program's answer is no JSON");
	else if (!pulse_get(v, "done") || !pulse_get(v, "done")->truth)
		rc = weft_err_set(r->err, -EINVAL, "%s", pulse_text(v, "error", "refused"));
	else
		weft_buf_add(&a->body, answer, n);
	weft_arena_fini(&arena);
	server_live_drop(l, ask);
	return rc ? rc : a->body.failed ? -ENOMEM : 0;
}

static int live_change(const struct server_request *r, struct server_answer *a, const struct change *c)
{
	struct weft_arena arena = {0};
	struct pulse_value *body = NULL;
	struct weft_buf line = {0};
	int rc = r->n_body ? pulse_read(r->body, r->n_body, &arena, &body, r->err) : 0;
	if (!rc)
		rc = c ? change_line(r, c, body, &line) : break_line(r, body, &line);
	if (!rc)
		rc = live_tell(r, a, line.at);
	weft_buf_fini(&line);
	weft_arena_fini(&arena);
	return rc;
}

#define CHANGE(name, number) \
	static int live_##name(const struct server_request *r, struct server_answer *a) \
	{ \
		return live_change(r, a, number < 0 ? NULL : &changes[number < 0 ? 0 : number]); \
	}
CHANGE(start, 0)
CHANGE(set, 1)
CHANGE(knob, 2)
CHANGE(count, 3)
CHANGE(pause, 4)
CHANGE(step, 5)
CHANGE(go, 6)
CHANGE(break, -1)

const struct server_route server_live_routes[] = {
	{.path = "live/state", .answer = live_state},
	{.path = "live/peers", .answer = live_peers},
	{.path = "live/events", .stream = &events},
	{.path = "live/graph", .stream = &graph},
	{.path = "live/start", .flags = SERVER_CHANGES, .answer = live_start},
	{.path = "live/set", .flags = SERVER_CHANGES, .answer = live_set},
	{.path = "live/knob", .flags = SERVER_CHANGES, .answer = live_knob},
	{.path = "live/count", .flags = SERVER_CHANGES, .answer = live_count},
	{.path = "live/break", .flags = SERVER_CHANGES, .answer = live_break},
	{.path = "live/pause", .flags = SERVER_CHANGES, .answer = live_pause},
	{.path = "live/step", .flags = SERVER_CHANGES, .answer = live_step},
	{.path = "live/go", .flags = SERVER_CHANGES, .answer = live_go},
	{0},
};
