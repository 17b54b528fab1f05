/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replaying message-passing programs: 8 ranks, each in turn computing and exchanging 1000 bytes with its neighbours by MPI_Send and
 * MPI_Recv; six records a message (enter, send, leave; enter, receive, leave), three of them in a .dim (burst, send; receive).
 *
 *   replay_columns      a trace's columns to a program, and that on a network without limits: M records of the trace a second
 *   replay_run          the program alone, there, and with one link in and out of each node
 *   replay_dim          from the text of a .dim, to the result: M records of the text a second
 *   replay_output       a .dim's program to a predicted .prv (in /dev/shm): M records of the .dim a second
 *   replay_sweep        64 points over 25 million records: seconds, on all processors
 *   replay_ranks        100,000 ranks that exchange with both neighbours: seconds, and MiB resident beside it
 *
 * All but the sweep are CPU time of one thread. The real Dimemas 5.5.0 read 1.95 M records a second of .dim text, 0.47 M with output (said by who measured it; it is no variant here).
 */
#include "bench.h"

#include "base/fs.h"
#include "base/str.h"
#include "replay/dimemas/dim.h"
#include "replay/dimemas/dim_prv.h"
#include "replay/sim/replay.h"
#include "replay/sweep/replay_sweep.h"
#include "trace/store/build.h"
#include "trace/store/cursor.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { RANKS = 8, ROUNDS = 100000, MANY = 100000 };

static struct {
	struct weft_trace *trace;
	struct weft_replay_program *program, *dim;
	struct weft_buf text;
	uint64_t dim_records;
} given;

/* Of this thread: what else the machine does is not counted. */
static uint64_t cpu_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- the trace ---- */

static int64_t region(struct weft_builder *b, const char *name)
{
	return weft_build_def(b, WEFT_CLASS_REGION, &(struct weft_def_row){.name = name, .unit = "", .file = ""});
}

static void put(struct weft_appender *a, uint64_t time, unsigned kind, int64_t id)
{
	if (weft_append(a, time, weft_what(kind, (unsigned)id), 0))
		abort();
}

static void put_half(struct weft_appender *a, uint64_t time, uint64_t began, int32_t peer, uint64_t key, bool is_send,
                     int64_t comm)
{
	const struct weft_half_row h = {.time = time,
	                                .began = began,
	                                .size = 1000,
	                                .comm = (uint32_t)comm,
	                                .peer = peer,
	                                .key = key,
	                                .is_send = is_send};
	if (weft_append_half(a, &h))
		abort();
}

static void fill_rank(struct weft_builder *b, uint32_t r, int64_t send, int64_t receive, int64_t comm)
{
	struct weft_appender *a = weft_builder_appender(b, r);
	const uint32_t to = (r + 1) % RANKS, from = (r + RANKS - 1) % RANKS;
	uint64_t t = 1;
	for (uint64_t i = 0; i < ROUNDS; i++, t += 5000 + r) {
		put(a, t, WEFT_EV_ENTER, send);
		put_half(a, t + 10, t, (int32_t)to, i * RANKS + r + 1, true, comm);
		put(a, t + 20, WEFT_EV_LEAVE, send);
		put(a, t + 1000, WEFT_EV_ENTER, receive);
		put_half(a, t + 1500, t + 1000, (int32_t)from, i * RANKS + from + 1, false, comm);
		put(a, t + 1500, WEFT_EV_LEAVE, receive);
	}
}

static struct weft_trace *make_trace(void)
{
	struct weft_builder *b;
	struct weft_trace *t;
	if (weft_builder_new(&b, "bench", "weft", NULL, NULL))
		abort();
	weft_build_node(b, "node");
	weft_build_app(b, "bench");
	for (int32_t r = 0; r < RANKS; r++) {
		const struct weft_process p = {.rank = r, .name = "p", .command = "", .host = "", .begin = 0, .end = WEFT_NEVER};
		weft_build_process(b, &p);
		const struct weft_thread_row row = {.process = (uint32_t)r,
		                                    .number = 1,
		                                    .name = "",
		                                    .begin = 0,
		                                    .end = WEFT_NEVER};
		weft_build_thread(b, &row);
	}
	const int64_t send = region(b, "MPI_Send"), receive = region(b, "MPI_Recv");
	const int64_t comm =
		weft_build_def(b, WEFT_CLASS_COMM,
	                       &(struct weft_def_row){.name = "world", .unit = "", .file = "", .code = RANKS, .key = 7});
	for (uint32_t r = 0; r < RANKS; r++)
		fill_rank(b, r, send, receive, comm);
	return weft_build_finish(b, NULL, &t, NULL) ? NULL : t;
}

static void make_text(void)
{
	weft_buf_puts(&given.text, "#DIMEMAS:\"bench\":0:8(1,1,1,1,1,1,1,1),0,0,0\n");
	for (unsigned r = 0; r < RANKS; r++)
		for (unsigned i = 0; i < ROUNDS; i++)
			weft_buf_printf(
				&given.text,
				"1:%u:0:0.000001000\n2:%u:0:%u:-1:1000:1:1:0\n1:%u:0:0.000004000\n3:%u:0:%u:-1:1000:1:1:0\n", r,
				r, (r + 1) % RANKS, r, r, (r + RANKS - 1) % RANKS);
	given.dim_records = 4ull * RANKS * ROUNDS;
}

static void prepare(void)
{
	if (given.trace)
		return;
	given.trace = make_trace();
	make_text();
	if (!given.trace || weft_replay_program_trace(&given.program, given.trace, NULL, NULL) ||
	    weft_replay_dim_parse(&given.dim, given.text.at, given.text.n, "bench", 0, NULL))
		abort();
}

/* ---- rounds ---- */

static double run_ns(const struct weft_replay_program *p, bool links, uint64_t from)
{
	struct weft_replay_machine m;
	struct weft_replay_result r;
	const struct weft_replay_how how = {.eager = WEFT_REPLAY_EAGER_ALL};
	if (weft_replay_machine_plain(&m, 1000, 1))
		abort();
	if (!links)
		m.kind.at[0].links_in = m.kind.at[0].links_out = 0;
	if (weft_replay_run(p, &m, &how, &r, NULL) || r.n_stuck)
		abort();
	const double ns = (double)(cpu_ns() - from);
	bench_keep((uint64_t)r.time_ns);
	weft_replay_result_fini(&r);
	weft_replay_machine_fini(&m);
	return ns;
}

static double columns(void *arg)
{
	(void)arg;
	prepare();
	struct weft_replay_program *p;
	const uint64_t from = cpu_ns();
	if (weft_replay_program_trace(&p, given.trace, NULL, NULL))
		abort();
	const double ns = run_ns(p, false, from);
	weft_replay_program_free(p);
	return (double)given.trace->n_events * 1e3 / ns;
}

static double only_columns(void *arg)
{
	(void)arg;
	prepare();
	struct weft_replay_program *p;
	const uint64_t from = cpu_ns();
	if (weft_replay_program_trace(&p, given.trace, NULL, NULL))
		abort();
	const double ns = (double)(cpu_ns() - from);
	weft_replay_program_free(p);
	return (double)given.trace->n_events * 1e3 / ns;
}

static double run_free(void *arg)
{
	(void)arg;
	prepare();
	return (double)given.trace->n_events * 1e3 / run_ns(given.program, false, cpu_ns());
}

static double run_links(void *arg)
{
	(void)arg;
	prepare();
	return (double)given.trace->n_events * 1e3 / run_ns(given.program, true, cpu_ns());
}

static double from_text(void *arg)
{
	prepare();
	struct weft_replay_program *p;
	const uint64_t from = cpu_ns();
	if (weft_replay_dim_parse(&p, given.text.at, given.text.n, "bench", 0, NULL))
		abort();
	const double ns = arg ? (double)(cpu_ns() - from) : run_ns(p, false, from);
	weft_replay_program_free(p);
	return (double)given.dim_records * 1e3 / ns;
}

static double with_output(void *arg)
{
	(void)arg;
	prepare();
	char path[64];
	struct weft_replay_machine m;
	struct weft_replay_result r;
	struct weft_replay_prv *w;
	struct weft_replay_how how = {.eager = WEFT_REPLAY_EAGER_ALL};
	snprintf(path, sizeof path, "/dev/shm/weft-bench-replay-%ld.prv", (long)getpid());
	const uint64_t from = cpu_ns();
	if (weft_replay_machine_plain(&m, 1000, 1) || weft_replay_prv_new(&w, given.dim, &m, 0, NULL))
		return bench_skip("no memory");
	m.kind.at[0].links_in = m.kind.at[0].links_out = 0;
	how.sink = weft_replay_prv_sink(w);
	if (weft_replay_run(given.dim, &m, &how, &r, NULL) || weft_replay_prv_write(w, r.time_ns, path, NULL, NULL))
		return bench_skip("no /dev/shm");
	const double ns = (double)(cpu_ns() - from);
	bench_command("rm -f /dev/shm/weft-bench-replay-%ld.*", (long)getpid());
	weft_replay_prv_free(w);
	weft_replay_result_fini(&r);
	weft_replay_machine_fini(&m);
	return (double)given.dim_records * 1e3 / ns;
}

static int make(void *arg, const struct weft_replay_settings *s, struct weft_replay_machine *m, struct weft_err *err)
{
	(void)arg, (void)err;
	int rc = weft_replay_machine_plain(m, 0, 1);
	if (!rc)
		weft_replay_settings_apply(s, m);
	return rc;
}

/* The trace has 4.8 million records; the time is scaled to 25 million. */
static double sweep(void *arg)
{
	(void)arg;
	prepare();
	struct weft_sweep s = {0};
	struct weft_replay_settings base;
	const struct weft_replay_how how = {.eager = WEFT_REPLAY_EAGER_ALL};
	const struct weft_sweep_run run = {.program = given.program, .how = &how, .make = make, .base = &base};
	weft_replay_settings_init(&base);
	base.value[WEFT_SET_LINKS_IN] = base.value[WEFT_SET_LINKS_OUT] = 0;
	if (weft_sweep_parse(&s, "latency=1us..100us/16", NULL) || weft_sweep_parse(&s, "cpu=1,2,3,4", NULL))
		abort();
	const uint64_t from = bench_now_ns();
	if (weft_sweep_run(&s, &run, NULL))
		abort();
	const double ns = (double)(bench_now_ns() - from);
	weft_sweep_fini(&s);
	return ns / 1e9 * 25e6 / (double)given.trace->n_events;
}

static double ranks(void *arg)
{
	struct weft_buf text = {0};
	struct weft_replay_program *p;
	const bool memory = arg != NULL;
	const uint64_t before = weft_rss_bytes();
	weft_buf_printf(&text, "#DIMEMAS:\"many\":0:%u(", MANY);
	for (unsigned r = 0; r < MANY; r++)
		weft_buf_puts(&text, r ? ",1" : "1");
	weft_buf_puts(&text, "),0,0,0\n");
	for (unsigned r = 0; r < MANY; r++)
		for (unsigned i = 0; i < 10; i++)
			weft_buf_printf(&text, "1:%u:0:0.000001000\n2:%u:0:%u:-1:1000:1:1:0\n3:%u:0:%u:-1:1000:1:1:0\n", r, r,
			                (r + 1) % MANY, r, (r + MANY - 1) % MANY);
	const uint64_t from = cpu_ns();
	if (weft_replay_dim_parse(&p, text.at, text.n, "many", 0, NULL))
		abort();
	const double ns = run_ns(p, true, from);
	const double mib = (double)(weft_rss_peak_bytes() - before) / 1048576;
	weft_replay_program_free(p);
	weft_buf_fini(&text);
	return memory ? mib : ns / 1e9;
}

int main(int argc, char **argv)
{
	static const struct bench_variant of_columns[] = {{"ours", columns, NULL}, {"program_only", only_columns, NULL}, {0}};
	static const struct bench_variant of_run[] = {{"no_limits", run_free, NULL}, {"links", run_links, NULL}, {0}};
	static const struct bench_variant of_dim[] = {{"ours", from_text, NULL}, {"reading_only", from_text, &given}, {0}};
	static const struct bench_variant of_output[] = {{"ours", with_output, NULL}, {0}};
	static const struct bench_variant of_sweep[] = {{"ours", sweep, NULL}, {0}};
	static const struct bench_variant of_ranks[] = {{"seconds", ranks, NULL}, {0}};
	static const struct bench_variant of_memory[] = {{"resident", ranks, &given}, {0}};
	static const struct bench benches[] = {
		{"replay_columns", "M/s", 5, of_columns},
		{"replay_run", "M/s", 5, of_run},
		{"replay_dim", "M/s", 5, of_dim},
		{"replay_output", "M/s", 5, of_output},
		{"replay_sweep", "s", 3, of_sweep},
		{"replay_ranks", "s", 3, of_ranks},
		{"replay_ranks_memory", "MiB", 1, of_memory},
		{0},
	};
	return bench_main(argc, argv, benches);
}
