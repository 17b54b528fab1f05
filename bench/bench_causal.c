/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ten million events of 64 ranks that work, exchange with their neighbours and reduce at times: reading who waited for whom, the critical path, slack, wait
 * states with their causes, a what-if run; against reading the columns once.
 */
#include "bench.h"
#include "analyze/waits/waits.h"
#include "replay/whatif/whatif.h"
#include "trace/store/build.h"
#include "trace/store/cursor.h"
#include <stdlib.h>

enum { RANKS = 64, REDUCE = 8, EVENTS = 10000000, EVENTS_A_STEP = 8 };

static struct weft_trace *trace;
static struct weft_causal model;
static uint64_t n_events;

static void must(int64_t rc)
{
	if (rc < 0)
		abort();
}

struct ids {
	uint32_t work, isend, recv, all, world;
};

static uint32_t region(struct weft_builder *b, const char *name, uint32_t state)
{
	int64_t id = weft_build_def(b, WEFT_CLASS_REGION, &(struct weft_def_row){.name = name, .state = state});
	must(id);
	return (uint32_t)id;
}

static void objects(struct weft_builder *b, struct ids *d)
{
	must(weft_build_app(b, "app"));
	for (int i = 0; i < RANKS; i++) {
		must(weft_build_process(b, &(struct weft_process){.node = WEFT_NONE,
		                                                  .rank = i,
		                                                  .begin = WEFT_NEVER,
		                                                  .end = WEFT_NEVER}));
		must(weft_build_thread(b, &(struct weft_thread_row){.process = (uint32_t)i,
		                                                    .number = 1,
		                                                    .begin = WEFT_NEVER,
		                                                    .end = WEFT_NEVER}));
	}
	d->work = region(b, "work", WEFT_STATE_RUNNING);
	d->isend = region(b, "MPI_Isend", WEFT_STATE_COMMUNICATING);
	d->recv = region(b, "MPI_Recv", WEFT_STATE_WAITING);
	d->all = region(b, "MPI_Allreduce", WEFT_STATE_SYNCHRONIZING);
	int64_t world = weft_build_def(b, WEFT_CLASS_COMM, &(struct weft_def_row){.name = "MPI_COMM_WORLD", .key = 1});
	must(world);
	d->world = (uint32_t)world;
}

static void call(struct weft_appender *a, uint32_t id, uint64_t begin, uint64_t end)
{
	must(weft_append(a, begin, weft_what(WEFT_EV_ENTER, id), 0));
	must(weft_append(a, end, weft_what(WEFT_EV_LEAVE, id), 0));
}

/* One step: work, a message to the right, one from the left; a reduction at times. */
static void step(struct weft_builder *b, const struct ids *d, uint64_t *at, unsigned number)
{
	uint64_t sent[RANKS], last = 0;
	struct weft_appender *a[RANKS];
	int64_t message[RANKS];
	for (unsigned i = 0; i < RANKS; i++) {
		a[i] = weft_builder_appender(b, i);
		uint64_t end = at[i] + 5000 + (number * 2654435761u + i * 40503u) % 5000;
		call(a[i], d->work, at[i], end);
		sent[i] = end + 500;
		at[i] = sent[i];
	}
	for (unsigned i = 0; i < RANKS; i++) {
		unsigned to = (i + 1) % RANKS;
		uint64_t got = (sent[i] > sent[to] ? sent[i] : sent[to]) + 1000;
		struct weft_message_row row = {i, to, d->world, 1, 4096, sent[i] - 500, sent[i], sent[to], got};
		message[i] = weft_build_message_row(b, &row);
		must(message[i]);
		must(weft_append(a[i], sent[i] - 500, weft_what(WEFT_EV_ENTER, d->isend), 0));
		must(weft_append_end(a[i], (uint64_t)message[i], true));
		must(weft_append(a[i], sent[i], weft_what(WEFT_EV_LEAVE, d->isend), 0));
	}
	for (unsigned i = 0; i < RANKS; i++) {
		unsigned from = (i + RANKS - 1) % RANKS;
		uint64_t got = (sent[from] > sent[i] ? sent[from] : sent[i]) + 1000;
		must(weft_append(a[i], sent[i], weft_what(WEFT_EV_ENTER, d->recv), 0));
		must(weft_append_end(a[i], (uint64_t)message[from], false));
		must(weft_append(a[i], got, weft_what(WEFT_EV_LEAVE, d->recv), 0));
		at[i] = got;
		last = got > last ? got : last;
	}
	const uint64_t payload[] = {10 | UINT64_C(0xffffffff) << 32, 8, 8};
	for (unsigned i = 0; number % REDUCE == 0 && i < RANKS; i++) {
		must(weft_append(a[i], at[i], weft_what(WEFT_EV_ENTER, d->all), 0));
		must(weft_append_extra(a[i], last + 2000, weft_what(WEFT_EV_COLLECTIVE, d->world), payload, 3));
		must(weft_append(a[i], last + 2000, weft_what(WEFT_EV_LEAVE, d->all), 0));
		at[i] = last + 2000;
	}
}

static void make(void)
{
	struct weft_builder *b;
	struct weft_err err = {0};
	struct weft_open_how how = {.no_index = true};
	struct ids d;
	uint64_t at[RANKS] = {0};
	must(weft_builder_new(&b, "made", "test", &how, &err));
	objects(b, &d);
	for (unsigned i = 0; i < EVENTS / EVENTS_A_STEP / RANKS; i++)
		step(b, &d, at, i);
	must(weft_build_finish(b, NULL, &trace, &err));
	n_events = trace->n_events;
	must(weft_causal_load(trace, NULL, &model, &err));
}

static double seconds(uint64_t from)
{
	return (double)(bench_now_ns() - from) / 1e9;
}

static double read_once(void *unused)
{
	uint64_t from = bench_now_ns(), sum = 0;
	(void)unused;
	for (uint32_t i = 0; i < trace->n_threads; i++) {
		struct weft_cursor c;
		struct weft_block b;
		must(weft_cursor_begin(&c, trace, i, 0, WEFT_NEVER));
		while (weft_cursor_next(&c, &b) > 0)
			for (uint32_t k = 0; k < b.n; k++)
				sum += b.time[k] ^ b.what[k] ^ b.value[k];
		weft_cursor_end(&c);
	}
	return sum ? seconds(from) : -1;
}

static double load(void *unused)
{
	uint64_t from = bench_now_ns();
	struct weft_causal c;
	(void)unused;
	must(weft_causal_load(trace, NULL, &c, NULL));
	double s = seconds(from);
	weft_causal_free(&c);
	return s;
}

static double critical(void *slack)
{
	uint64_t from = bench_now_ns();
	struct weft_causal_critical p;
	must(weft_causal_critical(&model, slack != NULL, &p));
	double s = seconds(from);
	weft_causal_critical_fini(&p);
	return s;
}

static double waits(void *unused)
{
	uint64_t from = bench_now_ns();
	struct weft_waits w;
	(void)unused;
	must(weft_waits_find(&model, &w));
	must(weft_waits_blame(&w));
	double s = seconds(from);
	weft_waits_fini(&w);
	return s;
}

static double what_if(void *unused)
{
	struct weft_whatif w;
	struct weft_whatif_result r;
	(void)unused;
	must(weft_whatif_init(&w, &model));
	uint64_t from = bench_now_ns();
	must(weft_whatif_run(&w, false, &r));
	double s = seconds(from);
	weft_whatif_result_fini(&r);
	weft_whatif_fini(&w);
	return s;
}

static int yes;
static const struct bench_variant variants[] = {
	{"load", load, NULL},
	{"path", critical, NULL},
	{"path_slack", critical, &yes},
	{"waits", waits, NULL},
	{"what_if_run", what_if, NULL},
	{"columns_once", read_once, NULL},
	{0},
};
static const struct bench benches[] = {{"causal", "s", 5, variants}, {0}};

int main(int argc, char **argv)
{
	make();
	printf("# %llu events, %u nodes\n", (unsigned long long)n_events, model.n_nodes);
	return bench_main(argc, argv, benches);
}
