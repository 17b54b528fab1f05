/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stream of a process that is seen from outside: its program, its threads as they are met, samples with their stacks, and a region for each
 * function that is watched. Times are CLOCK_MONOTONIC's.
 */
#include "record_probe.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/map.h"
#include "base/vec.h"
#include "probe/probe_outside.h"
#include "probe/probe_watch.h"
#include "record_stream.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>
#include <weft/record.h>

enum { SECOND_NS = 1000000000, CATEGORY_SAMPLES = 1, CATEGORY_USER = 2, STRING_NS = 1, TYPE_PERIOD = 1 };

struct lane {
	pid_t tid;
	bool told, ended;
	struct record_lane lane;
	WEFT_VEC(uint32_t) open; /* functions */
};
struct record_outside {
	pid_t pid;
	uint64_t period_ns;
	struct probe_outside *seen;
	struct record_stream stream;
	WEFT_VEC(struct lane) lane;
	struct weft_map lane_of; /* by thread id */
	struct weft_buf remarks;
};

/* ---- definitions ---- */

static void define(struct record_outside *o, unsigned kind, uint32_t id, uint32_t n, const uint64_t *word, const void *text,
                   size_t bytes)
{
	record_stream_meta(&o->stream, &(struct weft_record){record_stream_ticks(&o->stream), kind, id, n, word}, text, bytes);
}

static uint64_t pair(uint32_t low, uint32_t high)
{
	return low | (uint64_t)high << 32;
}

static void define_named(struct record_outside *o, unsigned kind, uint32_t id, uint32_t n, const uint64_t *word, const char *name)
{
	define(o, kind, id, n, word, name, strlen(name));
}

static void define_process(struct record_outside *o, const char *name)
{
	const struct probe_outside_module *m = probe_outside_module(o->seen);
	const uint64_t process[] = {pair((uint32_t)o->pid, 0), pair(UINT32_MAX, 1), record_stream_ticks(&o->stream)};
	const uint64_t module[] = {m->first, m->end, 0};
	char host[65] = "localhost";
	(void)gethostname(host, sizeof host - 1);
	define_named(o, WEFT_EV_PROCESS, 1, 3, process, name);
	define_named(o, WEFT_EV_PROCESS_TEXT, 1, 2, (const uint64_t[]){WEFT_TEXT_HOST, pair(0, 1)}, host);
	define_named(o, WEFT_EV_PROCESS_TEXT, 1, 2, (const uint64_t[]){WEFT_TEXT_EXE, pair(0, 1)}, m->path);
	define_named(o, WEFT_EV_MODULE, 0, 3, module, m->path);
	if (m->build_id_bytes)
		define(o, WEFT_EV_BUILD_ID, 0, 1, module, m->build_id, m->build_id_bytes);
	define_named(o, WEFT_EV_DEF_CATEGORY, CATEGORY_SAMPLES, 0, NULL, "samples");
	define_named(o, WEFT_EV_DEF_CATEGORY, CATEGORY_USER, 0, NULL, "user");
	define_named(o, WEFT_EV_DEF_STRING, STRING_NS, 0, NULL, "ns");
	define_named(o, WEFT_EV_DEF_TYPE, TYPE_PERIOD, 2, (const uint64_t[]){pair(CATEGORY_SAMPLES, STRING_NS), 0},
	             "sample period");
}

static void define_function(void *arg, uint32_t function, const char *name)
{
	struct record_outside *o = arg;
	const uint64_t word[] = {pair(CATEGORY_USER, WEFT_STATE_RUNNING), 0};
	define_named(o, WEFT_EV_DEF_REGION, function + 1, 2, word, name);
}

/* ---- events ---- */

static void put(struct record_outside *o, struct lane *l, const struct probe_outside_event *e, unsigned kind, uint32_t id,
                uint32_t n, const uint64_t *word)
{
	record_stream_event(&o->stream, &l->lane, &(struct weft_record){e->time_ns, kind, id, n, word});
}

static void name_thread(const struct record_outside *o, pid_t tid, char *out, size_t room)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/task/%d/comm", (int)o->pid, (int)tid);
	FILE *f = tid == o->pid ? NULL : fopen(path, "re");
	if (!f || !fgets(out, (int)room, f))
		*out = 0;
	out[strcspn(out, "\n")] = 0;
	if (f)
		fclose(f);
}

static struct lane *lane_of(struct record_outside *o, const struct probe_outside_event *e)
{
	uint64_t at;
	char name[32];
	if (weft_map_get(&o->lane_of, (uint64_t)e->tid, &at))
		return &o->lane.at[at];
	struct lane l = {.tid = e->tid, .lane = {.thread = (uint32_t)o->lane.n + 1}};
	if (weft_map_put(&o->lane_of, (uint64_t)e->tid, o->lane.n) || weft_vec_push(&o->lane, l))
		return NULL;
	const uint64_t word[] = {(uint64_t)e->tid, pair(1, WEFT_THREAD_OF_PROGRAM), e->time_ns};
	name_thread(o, e->tid, name, sizeof name);
	define_named(o, WEFT_EV_THREAD, l.lane.thread, 3, word, name);
	struct lane *made = &o->lane.at[o->lane.n - 1];
	put(o, made, e, WEFT_EV_THREAD_BEGIN, 0, 0, NULL);
	return made;
}

static void put_sample(struct record_outside *o, struct lane *l, const struct probe_outside_event *e)
{
	if (!l->told)
		put(o, l, e, WEFT_EV_POINT, TYPE_PERIOD, 1, &o->period_ns);
	l->told = true;
	put(o, l, e, WEFT_EV_SAMPLE, (e->cut ? WEFT_STACK_CUT : 0) | (e->lost ? WEFT_STACK_LOST : 0), e->n, e->address);
}

/* A function that was jumped out of has no end of its own: that of one below it is. */
static int put_leave(struct record_outside *o, struct lane *l, const struct probe_outside_event *e)
{
	size_t at = l->open.n;
	while (at && l->open.at[at - 1] != e->function)
		at--;
	while (at && l->open.n >= at)
		put(o, l, e, WEFT_EV_LEAVE, l->open.at[--l->open.n] + 1, 0, NULL);
	return 0;
}

static int see(void *arg, const struct probe_outside_event *e)
{
	struct record_outside *o = arg;
	struct lane *l = lane_of(o, e);
	if (!l)
		return -ENOMEM;
	if (e->what == PROBE_OUTSIDE_SAMPLE) {
		put_sample(o, l, e);
	} else if (e->what == PROBE_OUTSIDE_ENTER) {
		if (weft_vec_push(&l->open, e->function))
			return -ENOMEM;
		put(o, l, e, WEFT_EV_ENTER, e->function + 1, 0, NULL);
	} else if (e->what == PROBE_OUTSIDE_LEAVE) {
		return put_leave(o, l, e);
	} else {
		put(o, l, e, WEFT_EV_THREAD_END, 0, 0, NULL);
		record_stream_end_lane(&l->lane);
		l->ended = true;
		weft_map_del(&o->lane_of, (uint64_t)e->tid); /* its number may come again */
	}
	return 0;
}

/* ---- begin and end ---- */

static void watch_all(struct record_outside *o, const struct weft_opt_list *probes)
{
	for (unsigned i = 0; i < probes->n; i++) {
		struct probe_watch w;
		struct weft_err err = {0};
		int rc = probe_watch_parse(probes->at[i], &w, &err);
		if (rc == 0 && w.n)
			weft_buf_printf(&o->remarks,
			                "values of --probe '%s' are not recorded: the process has no dynamic linker\n",
			                probes->at[i]);
		if (rc == 0)
			rc = probe_outside_watch(o->seen, w.function, define_function, o, &err);
		if (rc < 0)
			weft_buf_printf(&o->remarks, "nothing was watched by --probe '%s': %s\n", probes->at[i], err.text);
	}
}

static int begin_stream(struct record_outside *o, const struct record_outside_how *how, struct weft_err *err)
{
	char name[120], host[65] = "localhost";
	uint8_t run[16] = {0};
	(void)gethostname(host, sizeof host - 1);
	(void)!getrandom(run, sizeof run, 0);
	snprintf(name, sizeof name, "%s-%d-outside.stream", host, (int)o->pid);
	return record_stream_open(&o->stream, how->dir, name, run, 0, err);
}

int record_outside_begin(struct record_outside **out, pid_t pid, const struct record_outside_how *how, struct weft_err *err)
{
	uint64_t hz = 0;
	struct record_outside *o = calloc(1, sizeof *o);
	struct weft_str rest = weft_str(how->samples), part;
	*out = NULL;
	if (!o)
		return weft_err_set(err, -ENOMEM, "out of memory");
	if (rest.n && weft_str_cut(&rest, ':', &part) && weft_parse_u64(part, &hz))
		hz = 0;
	o->pid = pid;
	o->period_ns = hz ? SECOND_NS / hz : 0;
	int rc = probe_outside_open(&o->seen, pid, o->period_ns, err);
	rc = rc ? rc : begin_stream(o, how, err);
	if (rc == 0) {
		define_process(o, how->name);
		watch_all(o, how->probes);
		rc = probe_outside_go(o->seen, err);
		if (rc)
			record_stream_close(&o->stream);
	}
	if (rc) {
		probe_outside_close(o->seen);
		weft_buf_fini(&o->remarks);
		free(o);
		return rc;
	}
	*out = o;
	return 0;
}

void record_outside_look(struct record_outside *o)
{
	if (o && probe_outside_look(o->seen, false, see, o))
		weft_log(WEFT_LOG_WARN, "out of memory: events of process %d are lost", (int)o->pid);
}

void record_outside_finish(struct record_outside *o, bool ended, struct weft_buf *remarks)
{
	if (!o)
		return;
	if (probe_outside_look(o->seen, true, see, o))
		weft_buf_puts(&o->remarks, "out of memory: events are lost\n");
	const struct probe_outside_event now = {.time_ns = record_stream_ticks(&o->stream)};
	const uint64_t lost = probe_outside_lost(o->seen);
	if (lost)
		weft_buf_printf(&o->remarks, "%llu events came faster than they could be fetched, and are lost\n",
		                (unsigned long long)lost);
	if (lost && o->lane.n && !o->lane.at[0].ended)
		put(o, &o->lane.at[0], &now, WEFT_EV_DROPPED, 0, 1, &lost);
	for (size_t i = 0; i < o->lane.n; i++) {
		struct lane *l = &o->lane.at[i];
		if (!l->ended && ended)
			put(o, l, &now, WEFT_EV_THREAD_END, 0, 0, NULL);
		if (!l->ended)
			record_stream_end_lane(&l->lane);
		free(l->open.at);
	}
	record_stream_clock(&o->stream);
	record_stream_close(&o->stream);
	if (o->remarks.n)
		weft_buf_puts(remarks, o->remarks.at);
	probe_outside_close(o->seen);
	weft_map_fini(&o->lane_of);
	weft_buf_fini(&o->remarks);
	free(o->lane.at);
	free(o);
}
