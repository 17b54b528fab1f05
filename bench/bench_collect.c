/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What collectors cost and save.
 *
 *     wire       ns for an event of 64 bytes over loopback TCP, from one process to another: sealed, and not
 *     event      ns for an event: folded in a collector; evaluated by the analyzer, in batches and one by one
 *     N_collect  us of an iteration of N processes, two events each, until all are collected: the busiest of 16 collectors against
 *                the analyzer alone
 *     N_end      us from the event that ends it to what was decided: asking 16 collectors, their folds, updating, evaluating
 *                and deciding, against updating, evaluating and deciding alone
 *     N_named    likewise, when the model needs a value of each process by itself
 *
 * Processes are simulated: their events are there, and nothing is measured but what becomes of them. Collectors, which work at the same
 * time, are run one after the other, and the slowest counts; the ways between them are not in it (a round trip by a wire is some 100 us).
 */
#include "tune/derive/derive.h"
#include "bench.h"
#include "tune/collect/collect_fold.h"
#include "tune/eval/eval.h"
#include "tune/wire/wire.h"
#include "tunlet_text.h"
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COLLECTORS = 16, EVENTS = 400000, EVENT_BYTES = 64, BATCH = 256 };

static void must(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "bench_collect: %s\n", what);
	exit(2);
}

/* ---- the wire ---- */

static void send_events(struct weft_wire *w)
{
	char event[EVENT_BYTES - 8] = {0};
	for (unsigned i = 0; i < EVENTS; i++)
		while (weft_wire_send(w, 5, event, sizeof event)) {
			struct pollfd p = {weft_wire_fd(w), POLLOUT, 0};
			poll(&p, 1, 10);
			must(weft_wire_flush(w) >= 0, "the wire ended");
		}
	must(weft_wire_wait(w, NULL, 10000000000, NULL) == 0, "the wire ended");
}

static double receive_events(struct weft_wire *w)
{
	struct weft_wire_message m;
	uint64_t from = 0;
	for (unsigned n = 0; n < EVENTS; n++) {
		must(weft_wire_wait(w, &m, 10000000000, NULL) == 1, "the wire ended");
		from = from ? from : bench_now_ns();
		bench_keep(m.n);
	}
	return (double)(bench_now_ns() - from) / EVENTS;
}

static double sealed_wire(void *arg)
{
	struct weft_wire_listener *l;
	struct weft_wire_listen_how how = {0};
	struct weft_wire *w = NULL;
	(void)arg;
	if (!weft_wire_can_seal())
		return bench_skip("this build is without libsodium");
	must(weft_secret_new(&how.secret, NULL) == 0 && weft_wire_listen(&l, &how, NULL) == 0, "cannot listen");
	pid_t pid = fork();
	if (pid == 0) {
		must(weft_wire_connect(&w, weft_wire_listener_address(l), &how.secret, 0, NULL) == 0, "cannot connect");
		send_events(w);
		_exit(0);
	}
	while (!w)
		must(weft_wire_accept(l, &w, NULL) >= 0, "cannot accept");
	double ns = receive_events(w);
	weft_wire_free(w);
	weft_wire_listener_free(l);
	waitpid(pid, NULL, 0);
	return ns;
}

/* A connection to itself: [0] has connected, [1] was accepted. */
static void tcp_pair(int fd[2])
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t n = sizeof at;
	int l = socket(AF_INET, SOCK_STREAM, 0);
	fd[0] = socket(AF_INET, SOCK_STREAM, 0);
	must(bind(l, (struct sockaddr *)&at, sizeof at) == 0 && listen(l, 1) == 0, "cannot listen");
	must(getsockname(l, (struct sockaddr *)&at, &n) == 0 && connect(fd[0], (struct sockaddr *)&at, n) == 0, "cannot connect");
	fd[1] = accept(l, NULL, NULL);
	close(l);
}

/* The same frames, not sealed. */
static double plain_wire(void *arg)
{
	struct weft_wire *w;
	int fd[2];
	(void)arg;
	tcp_pair(fd);
	pid_t pid = fork();
	if (pid == 0) {
		close(fd[1]);
		must(weft_wire_adopt(&w, fd[0], NULL) == 0, "cannot adopt");
		send_events(w);
		_exit(0);
	}
	close(fd[0]);
	must(weft_wire_adopt(&w, fd[1], NULL) == 0, "cannot adopt");
	double ns = receive_events(w);
	weft_wire_free(w);
	waitpid(pid, NULL, 0);
	return ns;
}

/* ---- tunlets ---- */

static const char counted[] = TUNLET_OF_WORKERS(
	"counted",
	"1") "ITERATION INFORMATION\nMODEL PARAMETERS\n" TUNLET_SUMS
	     "id: M\ntype: double\ninic: /# M = 0; #/\nvalue: /# M = 0; for (int i = 0; i < count(w); i++) if (w[i].c > M) M = w[i].c; #/\n"
	     "dependency: none\n%s"
	     "PERFORMANCE FUNCTIONS\nTUNING POINTS\npoint\nid: knob\nkind: SetVariableValue\nvalue: /# C / count(w) #/\ncond: /# M > 0 #/\n"
	     "endpoint\nENDTUNLET\n";
static const char named[] =
	"id: L\ntype: double\ninic: /# L = 0; #/\nvalue: /# L = w[0].c + w[count(w) - 1].c; #/\ndependency: none\n";

struct scene {
	struct weft_spec *s;
	struct weft_eval *e;
	struct folder *folder[COLLECTORS];
	struct weft_buf up[COLLECTORS];
	int64_t number;
	unsigned decided;
	bool asked, closed;
	double time;
};

static void hear(void *ctx, const struct weft_eval_result *w)
{
	struct scene *c = ctx;
	c->decided += w->kind == WEFT_RESULT_TUNE;
	c->asked |= w->kind == WEFT_RESULT_CLOSE;
	c->closed |= w->kind == WEFT_RESULT_CLOSED;
}

static void keep_up(void *ctx, const void *at, size_t n)
{
	struct weft_buf *b = ctx;
	b->n = 0;
	weft_buf_add(b, at, n);
}

static struct scene *scene_of(bool tree, bool names)
{
	static struct scene made[2][2];
	struct scene *c = &made[tree][names];
	char text[8192];
	if (c->s)
		return c;
	int n = snprintf(text, sizeof text, counted, names ? named : "");
	struct weft_eval_how how = {.result = hear, .ctx = c, .limit_ns = 60000000000, .memory = UINT64_C(1) << 30};
	must(weft_spec_new(&c->s, "bench.tsl", text, (size_t)n, NULL) == 0 && weft_eval_new(&c->e, c->s, &how, NULL) == 0,
	     "cannot begin a tunlet");
	for (unsigned i = 0; tree && i < COLLECTORS; i++) {
		struct folder_how fh = {.up = keep_up, .ctx = &c->up[i]};
		must(folder_new(&c->folder[i], c->s, &fh, NULL) == 0 && weft_eval_child(c->e, i, true, NULL) == 0,
		     "cannot begin a collector");
	}
	return c;
}

static double us_since(uint64_t from)
{
	return (double)(bench_now_ns() - from) / 1000;
}

static void master_event(struct scene *c, uint32_t event)
{
	struct tune_value v = {.d = (double)c->number, .i = c->number};
	must(weft_eval_event(c->e,
	                     &(struct weft_eval_record){.event = event, .id = 1, .time = c->time += 0.01, .value = &v, .n = 1},
	                     NULL) == 0,
	     "cannot evaluate");
}

/* The events of all processes, to the analyzer; us. */
static double central_events(struct scene *c, unsigned n)
{
	static struct weft_eval_record r[BATCH];
	struct tune_value v = {.d = (double)c->number, .i = c->number};
	uint64_t from = bench_now_ns();
	for (unsigned k = 0; k < 2 * n; k += BATCH) {
		unsigned m = 2 * n - k < BATCH ? 2 * n - k : BATCH;
		for (unsigned i = 0; i < m; i++)
			r[i] = (struct weft_eval_record){.event = k + i < n ? 2 : 3,
			                                 .n = 1,
			                                 .id = 10 + (k + i) % n,
			                                 .time = c->time += 0.01,
			                                 .value = &v};
		must(weft_eval_events(c->e, r, m, NULL) == 0, "cannot evaluate");
	}
	return us_since(from);
}

/* Those of the busiest of the collectors; us. */
static double collector_events(struct scene *c, unsigned n)
{
	struct tune_value v = {.d = (double)c->number, .i = c->number};
	double most = 0;
	for (unsigned f = 0; f < COLLECTORS; f++) {
		uint64_t from = bench_now_ns();
		for (unsigned k = 0; k < 2; k++)
			for (unsigned i = f; i < n; i += COLLECTORS) {
				struct folder_event e = {2 + k, 10 + i, c->time += 0.01, &v, 1};
				must(folder_event(c->folder[f], &e) == FOLDER_FOLDED, "not folded");
			}
		double us = us_since(from);
		most = us > most ? us : most;
	}
	return most;
}

/* From the end to the decision; us. Collectors work at the same time: the slowest counts. */
static double end_it(struct scene *c, bool tree)
{
	c->asked = c->closed = false;
	unsigned before = c->decided;
	uint64_t from = bench_now_ns();
	master_event(c, 1);
	double us = us_since(from), most = 0;
	for (unsigned f = 0; tree && f < COLLECTORS; f++) {
		from = bench_now_ns();
		must(folder_close(c->folder[f], c->number, false) == 0 && folder_flush(c->folder[f]) == 0, "cannot fold");
		double one = us_since(from);
		most = one > most ? one : most;
	}
	from = bench_now_ns();
	for (unsigned f = 0; tree && f < COLLECTORS; f++)
		must(weft_eval_fold(c->e, f, c->up[f].at, c->up[f].n, NULL) == 0, "cannot evaluate");
	us += most + us_since(from);
	for (unsigned f = 0; tree && f < COLLECTORS; f++)
		folder_closed(c->folder[f], c->number);
	must(c->decided == before + 1, "nothing was decided");
	return us;
}

struct size {
	unsigned n;
	bool tree, names, end;
};

static double iteration(void *arg)
{
	const struct size *z = arg;
	struct scene *c = scene_of(z->tree, z->names);
	double collected = 0, ended = 0;
	unsigned rounds = z->n >= 10000 ? 2 : z->n >= 1000 ? 5 : 20;
	for (unsigned i = 0; i < rounds; i++) {
		c->number++;
		master_event(c, 0);
		collected += z->tree ? collector_events(c, z->n) : central_events(c, z->n);
		ended += end_it(c, z->tree);
	}
	return (z->end ? ended : collected) / rounds;
}

/* ---- one event ---- */

static double folded(void *arg)
{
	struct scene *c = scene_of(true, false);
	(void)arg;
	c->number++;
	master_event(c, 0);
	double us = collector_events(c, 1600) * COLLECTORS;
	end_it(c, true);
	return us * 1000 / 3200;
}

static double evaluated(void *arg)
{
	struct scene *c = scene_of(false, false);
	(void)arg;
	c->number++;
	master_event(c, 0);
	double us = central_events(c, 1600);
	end_it(c, false);
	return us * 1000 / 3200;
}

static double one_by_one(void *arg)
{
	struct scene *c = scene_of(false, false);
	(void)arg;
	c->number++;
	master_event(c, 0);
	struct tune_value v = {.d = (double)c->number, .i = c->number};
	uint64_t from = bench_now_ns();
	for (unsigned k = 0; k < 2; k++)
		for (unsigned i = 0; i < 200; i++)
			must(weft_eval_event(c->e,
			                     &(struct weft_eval_record){.event = 2 + k,
			                                                .id = 10 + i,
			                                                .time = c->time += 0.01,
			                                                .value = &v,
			                                                .n = 1},
			                     NULL) == 0,
			     "cannot evaluate");
	double us = us_since(from);
	end_it(c, false);
	return us * 1000 / 400;
}

#define SIZE(count, with, one, last) (&(struct size){count, with, one, last})
#define PAIR(count, one, last) \
	{ \
		{"tree", iteration, SIZE(count, true, one, last)}, {"central", iteration, SIZE(count, false, one, last)}, \
		{ \
			0 \
		} \
	}

int main(int argc, char **argv)
{
	const struct bench_variant wire[] = {{"sealed", sealed_wire, NULL}, {"plain", plain_wire, NULL}, {0}};
	const struct bench_variant event[] = {{"folded", folded, NULL},
	                                      {"evaluated", evaluated, NULL},
	                                      {"one-by-one", one_by_one, NULL},
	                                      {0}};
	const struct bench_variant collect_100[] = PAIR(100, false, false), end_100[] = PAIR(100, false, true),
				   named_100[] = PAIR(100, true, true), collect_1000[] = PAIR(1000, false, false),
				   end_1000[] = PAIR(1000, false, true), named_1000[] = PAIR(1000, true, true),
				   collect_10000[] = PAIR(10000, false, false), end_10000[] = PAIR(10000, false, true),
				   named_10000[] = PAIR(10000, true, true);
	const struct bench table[] = {
		{"wire", "ns", 7, wire},
		{"event", "ns", 0, event},
		{"100_collect", "us", 0, collect_100},
		{"100_end", "us", 0, end_100},
		{"100_named", "us", 0, named_100},
		{"1000_collect", "us", 0, collect_1000},
		{"1000_end", "us", 0, end_1000},
		{"1000_named", "us", 0, named_1000},
		{"10000_collect", "us", 5, collect_10000},
		{"10000_end", "us", 5, end_10000},
		{"10000_named", "us", 5, named_10000},
		{0},
	};
	signal(SIGPIPE, SIG_IGN);
	return bench_main(argc, argv, table);
}
