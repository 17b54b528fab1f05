/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The area `replay`: what the trace's program would take on another machine, as `weft replay` predicts it.
 *
 *     replay/run?latency_ns=2000&bandwidth=1e10&cpu=1.5     a row for each rank, predicted and measured time
 *     replay/lines?…&from=0&to=5000000&width=800            what each of some lines of ranks does there, pixel by pixel (server_replay_lines.c)
 *     replay/hints?…                                        what half the latency, twice the bandwidth, faster processors would bring
 *
 * The program is made from the trace once and kept with it, so that a slider that moves only costs simulations; those are given up when
 * their client has left. Topologies are words with sizes that fit the ranks: a text from a page could name a file.
 */
#include "base/pool.h"
#include "replay/out/replay_rows.h"
#include "server_replay.h"
#include "server_table.h"
#include "trace/open.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RANKS_MOST = 10000, LINES_MOST = 10, LOOK_MS = 50 };

static int answer_run(const struct server_request *r, struct server_answer *a);
static int answer_hints(const struct server_request *r, struct server_answer *a);

const struct server_route server_replay_routes[] = {
	{"replay/run", SERVER_FIXED | SERVER_STOPS, answer_run, NULL},
	{"replay/lines", SERVER_FIXED | SERVER_STOPS, replay_answer_lines, NULL},
	{"replay/hints", SERVER_FIXED | SERVER_STOPS, answer_hints, NULL},
	{NULL, 0, NULL, NULL},
};

/* ---- the program ---- */

/* Who waits here for another request's making of it still sees that its client leaves. */
static int take_lock(pthread_mutex_t *lock)
{
	struct timespec until;
	for (;;) {
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += LOOK_MS * 1000000L;
		until.tv_sec += until.tv_nsec / 1000000000L;
		until.tv_nsec %= 1000000000L;
		int rc = pthread_mutex_timedlock(lock, &until);
		if (rc != ETIMEDOUT)
			return -rc;
		if (weft_stop_now())
			return -ECANCELED;
	}
}

/* Made to its end, whoever leaves, as it is kept; so is that there is none. */
static int make_program(const struct server_session *s, struct server_trace *t, struct weft_err *err)
{
	const struct weft_open_how open_how = {.memory = s->memory};
	const struct weft_replay_from from = {.memory = weft_open_memory(&open_how), .threads = server_session_threads(s)};
	const struct weft_stop *was = weft_stop_set(NULL);
	int rc = weft_replay_program_trace(&t->program, t->trace, &from, err);
	weft_stop_set(was);
	t->no_program = rc == -ENODATA;
	if (t->no_program)
		*err = (struct weft_err){0}; /* it names the path; pages say the name */
	return rc;
}

static int take_program(const struct server_request *r, struct weft_replay_program **out)
{
	struct server_trace *t;
	int rc = server_arg_trace(r, &t);
	if (!rc)
		rc = take_lock(&t->program_lock);
	if (rc)
		return rc;
	if (!t->program && !t->no_program)
		rc = make_program(r->session, t, r->err);
	*out = t->program;
	bool none = t->no_program;
	pthread_mutex_unlock(&t->program_lock);
	return none ? weft_err_set(r->err, -ENODATA, "'%s' has neither messages nor collective operations: nothing to replay",
	                           t->name)
	            : rc;
}

/* ---- the machine ---- */

static int read_setting(const struct server_request *r, const char *name, double least, double most, double unit, double *out)
{
	double v;
	int rc = server_arg_double(r, name, NAN, &v);
	if (rc || isnan(v))
		return rc;
	if (v < least || v > most)
		return weft_err_set(r->err, -EINVAL, "'%s': expected a number from %g to %g", name, least, most);
	*out = v * unit;
	return 0;
}

/* The smallest of a kind that has a node for each rank. */
static void fat_tree(uint64_t n, char *out, size_t room)
{
	uint64_t k = 2;
	while (k * k * k / 4 < n)
		k += 2;
	snprintf(out, room, "fat-tree:k=%llu", (unsigned long long)k);
}

static void torus(uint64_t n, char *out, size_t room)
{
	uint64_t x = 2, y = 2;
	while (x * y < n)
		*(x > y ? &y : &x) += 1;
	snprintf(out, room, "torus:%llux%llu", (unsigned long long)x, (unsigned long long)y);
}

static void dragonfly(uint64_t n, char *out, size_t room)
{
	uint64_t h = 1;
	while (2 * h * h * (2 * h * h + 1) < n)
		h++;
	snprintf(out, room, "dragonfly:a=%llu,p=%llu,h=%llu", (unsigned long long)(2 * h), (unsigned long long)h,
	         (unsigned long long)h);
}

static int read_topology(const struct server_request *r, struct replay_asked *ask)
{
	static const char *const names[] = {"none", "fat-tree", "torus", "dragonfly"};
	static void (*const words[])(uint64_t n, char *out, size_t room) = {NULL, fat_tree, torus, dragonfly};
	char text[64];
	unsigned which = 0;
	int rc = server_arg_choice(r, "topology", names, sizeof names / sizeof *names, 0, &which);
	if (rc || !which)
		return rc;
	words[which](ask->program->n_ranks, text, sizeof text);
	return weft_topology_make(&ask->topology, text, NULL, r->err);
}

int replay_ask(const struct server_request *r, struct replay_asked *ask)
{
	uint64_t ideal;
	*ask = (struct replay_asked){.program = NULL};
	weft_replay_settings_init(&ask->settings);
	double *v = ask->settings.value;
	int rc = server_arg_u64(r, "ideal", 0, 1, 0, &ideal);
	ask->ideal = ideal != 0;
	if (!rc)
		rc = read_setting(r, "latency_ns", 0, 1e12, 1, &v[WEFT_SET_LATENCY]);
	if (!rc)
		rc = read_setting(r, "bandwidth", 0, 1e18, 1e-9, &v[WEFT_SET_BANDWIDTH]);
	if (!rc)
		rc = read_setting(r, "cpu", 1e-3, 1e6, 1, &v[WEFT_SET_CPU]);
	if (!rc)
		rc = take_program(r, &ask->program);
	return rc ? rc : read_topology(r, ask);
}

static int make_machine(const struct replay_asked *ask, struct weft_replay_machine *m)
{
	int rc = ask->ideal ? weft_replay_machine_ideal(m) : weft_replay_machine_usual(m);
	if (!rc) {
		weft_replay_settings_apply(&ask->settings, m);
		if (ask->topology)
			weft_replay_machine_connect(m, ask->topology);
	} else
		weft_replay_machine_fini(m);
	return rc;
}

int replay_simulate(const struct replay_asked *ask, const struct weft_replay_how *how, struct weft_replay_result *out,
                    struct weft_err *err)
{
	struct weft_replay_machine m;
	int rc = make_machine(ask, &m);
	if (rc)
		return rc;
	rc = weft_replay_run(ask->program, &m, how, out, err);
	weft_replay_machine_fini(&m);
	return rc;
}

/* ---- replay/run ---- */

static uint64_t whole(double ns)
{
	return (uint64_t)floor(ns + 0.5);
}

static int put_ranks(struct weft_json *j, const struct weft_replay_program *p, const struct weft_replay_result *res)
{
	struct weft_table t;
	int rc = 0;
	weft_table_init(&t, weft_replay_columns, WEFT_REPLAY_ALWAYS);
	for (uint32_t i = 0; i < res->n_ranks && i < RANKS_MOST && !rc; i++)
		rc = weft_replay_row(&t, i, &p->rank[i], &res->rank[i]);
	if (!rc)
		table_put(j, &t);
	weft_table_fini(&t);
	return rc ? -ENOMEM : 0;
}

/* Why it does not go on, in lines. */
static int put_stuck(struct weft_json *j, const struct weft_replay_program *p, const struct weft_replay_result *res)
{
	char *text = NULL;
	size_t n = 0;
	FILE *to = res->n_stuck ? open_memstream(&text, &n) : NULL;
	if (res->n_stuck && !to)
		return -ENOMEM;
	if (to) {
		weft_replay_explain(p, res, LINES_MOST, to);
		if (fclose(to)) {
			free(text);
			return -ENOMEM;
		}
	}
	struct weft_str all = weft_str_n(text, n), line;
	server_put_u64(j, "stuck", res->n_stuck);
	weft_json_key(j, "why");
	weft_json_array(j);
	while (text && weft_str_cut(&all, '\n', &line))
		if (line.n) {
			char words[400];
			snprintf(words, sizeof words, "%.*s", (int)line.n, line.at);
			weft_json_string(j, words);
		}
	weft_json_end(j);
	free(text);
	return 0;
}

static double or_nan(double v)
{
	return v > 0 ? v : NAN;
}

static int put_run(const struct replay_asked *ask, const struct weft_replay_machine *m, const struct weft_replay_result *res,
                   struct server_answer *a)
{
	const struct weft_replay_program *p = ask->program;
	struct server_json out;
	struct weft_json *j = server_json_begin(&out);
	weft_json_object(j);
	server_put_u64(j, "time_ns", whole(res->time_ns));
	server_put_double(j, "measured_ns", or_nan(floor(p->measured_ns + 0.5)));
	server_put_double(j, "latency_ns", m->kind.at[0].inter_latency_ns);
	server_put_double(j, "bandwidth", m->site.at[0].bytes_per_ns * 1e9);
	server_put_double(j, "cpu", m->kind.at[0].ratio);
	server_put_bool(j, "ideal", ask->ideal);
	server_put_string(j, "topology", ask->topology ? ask->topology->text : "");
	server_put_u64(j, "messages", p->n_messages);
	server_put_u64(j, "ranks", res->n_ranks);
	int rc = put_stuck(j, p, res);
	if (!rc)
		rc = put_ranks(j, p, res);
	weft_json_end(j);
	int ended = server_json_end(&out, a);
	return rc ? rc : ended;
}

static int answer_run(const struct server_request *r, struct server_answer *a)
{
	struct replay_asked ask;
	struct weft_replay_machine m;
	struct weft_replay_result res;
	int rc = replay_ask(r, &ask);
	if (!rc)
		rc = replay_simulate(&ask, NULL, &res, r->err);
	if (!rc) {
		rc = make_machine(&ask, &m);
		if (!rc) {
			rc = put_run(&ask, &m, &res, a);
			weft_replay_machine_fini(&m);
		}
		weft_replay_result_fini(&res);
	}
	weft_topology_free(ask.topology);
	return rc;
}

/* ---- replay/hints: a simulation each, side by side ---- */

enum { HINTS = 3 };
static const struct hint {
	const char *name;
	enum weft_setting what;
	double times;
} hints[HINTS] = {{"half the latency", WEFT_SET_LATENCY, 0.5},
                  {"twice the bandwidth", WEFT_SET_BANDWIDTH, 2},
                  {"processors twice as fast", WEFT_SET_CPU, 2}};

struct hinting {
	const struct replay_asked *ask;
	double now[HINTS];     /* the settings that hints change; 0: there is nothing to change */
	double time_ns[HINTS]; /* NAN: none */
};

static int try_hint(void *arg, size_t i, unsigned worker)
{
	struct hinting *h = arg;
	struct replay_asked ask = *h->ask;
	struct weft_replay_result res;
	struct weft_err err = {0};
	(void)worker;
	h->time_ns[i] = NAN;
	if (!(h->now[i] > 0))
		return 0;
	ask.settings.value[hints[i].what] = h->now[i] * hints[i].times;
	int rc = replay_simulate(&ask, NULL, &res, &err);
	if (rc)
		return rc;
	if (!res.n_stuck)
		h->time_ns[i] = res.time_ns;
	weft_replay_result_fini(&res);
	return 0;
}

static int put_hints(const struct hinting *h, struct server_answer *a)
{
	struct server_json out;
	struct weft_json *j = server_json_begin(&out);
	weft_json_object(j);
	weft_json_key(j, "hints");
	weft_json_array(j);
	for (unsigned i = 0; i < HINTS; i++) {
		if (isnan(h->time_ns[i]))
			continue;
		weft_json_object(j);
		server_put_string(j, "name", hints[i].name);
		server_put_u64(j, "time_ns", whole(h->time_ns[i]));
		weft_json_end(j);
	}
	weft_json_end(j);
	weft_json_end(j);
	return server_json_end(&out, a);
}

static int answer_hints(const struct server_request *r, struct server_answer *a)
{
	struct replay_asked ask;
	struct weft_replay_machine m;
	int rc = replay_ask(r, &ask);
	if (!rc)
		rc = make_machine(&ask, &m);
	if (!rc) {
		struct hinting h = {.ask = &ask,
		                    .now = {m.kind.at[0].inter_latency_ns, m.site.at[0].bytes_per_ns, m.kind.at[0].ratio}};
		weft_replay_machine_fini(&m);
		rc = weft_parallel(server_session_threads(r->session), HINTS, try_hint, &h);
		if (!rc)
			rc = put_hints(&h, a);
	}
	weft_topology_free(ask.topology);
	return rc;
}
