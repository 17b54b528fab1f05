/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A million tasks, each with one datum of 1024 and one dependency, as the runtime records them in detail (20 events a task), on two
 * workers:
 *
 *   products_cpu   all files of weft products but number_events.data, into /dev/shm where it is there: seconds of CPU time.
 *                  `null`: the same bytes as one writes them, a buffer after the other, without making them
 *   tasks_load     the rows of all tasks: seconds of CPU time
 */
#include "bench.h"
#include "base/fs.h"
#include "products/products.h"
#include "tasks/task_table.h"
#include "trace/store/build.h"
#include "trace/store/cursor.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TASKS = 1000000, DATA = 1024, WORKERS = 2, STEP_NS = 500 };

static struct {
	struct weft_trace *trace;
	char folder[64];
	uint64_t bytes;
} given;

static double cpu_s(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- the trace ---- */

enum {
	SUBMITTED,
	READY,
	TASK,
	DEPENDS,
	IS_READY,
	CODELET,
	OVERHEAD,
	REGISTERED,
	FOOTPRINT,
	ORDER,
	HANDLE,
	MODE,
	SIZE,
	FILE_NAME,
	LINE,
	BYTES,
	DEFS
};
static const struct {
	enum weft_class of;
	const char *name;
} names[DEFS] = {
	[SUBMITTED] = {WEFT_CLASS_COUNTER, "submitted tasks"},
	[READY] = {WEFT_CLASS_COUNTER, "ready tasks"},
	[TASK] = {WEFT_CLASS_FLOW, "task"},
	[DEPENDS] = {WEFT_CLASS_FLOW, "depends"},
	[IS_READY] = {WEFT_CLASS_TYPE, "ready"},
	[CODELET] = {WEFT_CLASS_REGION, "step"},
	[OVERHEAD] = {WEFT_CLASS_REGION, "overhead"},
	[REGISTERED] = {WEFT_CLASS_REGION, "data registered"},
	[FOOTPRINT] = {WEFT_CLASS_ATTR, "footprint"},
	[ORDER] = {WEFT_CLASS_ATTR, "submit order"},
	[HANDLE] = {WEFT_CLASS_ATTR, "handle"},
	[MODE] = {WEFT_CLASS_ATTR, "mode"},
	[SIZE] = {WEFT_CLASS_ATTR, "size"},
	[FILE_NAME] = {WEFT_CLASS_ATTR, "file"},
	[LINE] = {WEFT_CLASS_ATTR, "line"},
	[BYTES] = {WEFT_CLASS_ATTR, "bytes"},
};

struct making {
	struct weft_builder *b;
	struct weft_appender *at[1 + WORKERS];
	uint32_t id[DEFS], mode, file;
	bool failed;
};

static void add(struct making *m, unsigned thread, uint64_t time, unsigned kind, unsigned def, uint64_t value)
{
	m->failed |= weft_append(m->at[thread], time, weft_what(kind, m->id[def]), value) != 0;
}

static uint64_t job_of(uint64_t i)
{
	return (1 + i / 4096) << 32 | (1 + i % 4096);
}

static void submit(struct making *m, uint64_t i)
{
	uint64_t time = 10000 + i * STEP_NS, pair[2] = {job_of(i - DATA), job_of(i)};
	m->failed |= weft_append_flow(m->at[0], time, m->id[TASK], job_of(i), true) != 0;
	add(m, 0, time + 10, WEFT_EV_COUNTER, SUBMITTED, 1 + i % 7);
	if (i >= DATA)
		m->failed |= weft_append_extra(m->at[0], time + 20, weft_what(WEFT_EV_DEPENDENCY, m->id[DEPENDS]), pair, 2) != 0;
	add(m, 0, time + 30, WEFT_EV_POINT, IS_READY, job_of(i));
	add(m, 0, time + 40, WEFT_EV_COUNTER, READY, 1 + i % 3);
}

static void execute(struct making *m, uint64_t i)
{
	unsigned thread = 1 + (unsigned)(i % WORKERS);
	uint64_t time = 11000 + i * STEP_NS;
	add(m, thread, time, WEFT_EV_COUNTER, READY, i % 3);
	add(m, thread, time + 50, WEFT_EV_ENTER, CODELET, 0);
	m->failed |= weft_append_flow(m->at[thread], time + 50, m->id[TASK], job_of(i), false) != 0;
	add(m, thread, time + 50, WEFT_EV_ATTR, FOOTPRINT, 0xabcdef01);
	add(m, thread, time + 50, WEFT_EV_ATTR, ORDER, i);
	add(m, thread, time + 50, WEFT_EV_ATTR, HANDLE, 0x55aa00000000 + 4096 * (i % DATA));
	add(m, thread, time + 50, WEFT_EV_ATTR_S, MODE, m->mode);
	add(m, thread, time + 50, WEFT_EV_ATTR, SIZE, 64);
	add(m, thread, time + 50, WEFT_EV_ATTR_S, FILE_NAME, m->file);
	add(m, thread, time + 50, WEFT_EV_ATTR, LINE, 17);
	add(m, thread, time + 400, WEFT_EV_LEAVE, CODELET, 0);
	add(m, thread, time + 410, WEFT_EV_ENTER, OVERHEAD, 0);
	add(m, thread, time + 490, WEFT_EV_LEAVE, OVERHEAD, 0);
	add(m, thread, time + 495, WEFT_EV_COUNTER, SUBMITTED, i % 7);
}

static void define(struct making *m)
{
	static const char *const threads[] = {"bench", "CPU 0", "CPU 1"};
	int64_t category = weft_build_def(m->b, WEFT_CLASS_CATEGORY, &(struct weft_def_row){.name = "starpu_detail"});
	for (unsigned i = 0; i < DEFS; i++) {
		int64_t id = weft_build_def(m->b, names[i].of,
		                            &(struct weft_def_row){.name = names[i].name, .category = (uint32_t)category});
		m->failed |= id < 0;
		m->id[i] = (uint32_t)id;
	}
	m->mode = (uint32_t)weft_build_string(m->b, "RW", 2);
	m->file = (uint32_t)weft_build_string(m->b, "bench.c", 7);
	m->failed |= weft_build_app(m->b, "bench") < 0;
	m->failed |= weft_build_process(m->b, &(struct weft_process){.node = WEFT_NONE,
	                                                             .rank = -1,
	                                                             .name = "bench",
	                                                             .command = "",
	                                                             .host = "",
	                                                             .end = WEFT_NEVER}) < 0;
	for (uint32_t i = 0; i < 1 + WORKERS; i++) {
		m->failed |= weft_build_thread(m->b, &(struct weft_thread_row){.number = i + 1,
		                                                               .tid = 100 + i,
		                                                               .name = threads[i],
		                                                               .end = WEFT_NEVER}) < 0;
		m->at[i] = weft_builder_appender(m->b, i);
		m->failed |= !m->at[i];
	}
}

static struct weft_trace *make_trace(void)
{
	struct making m = {0};
	struct weft_trace *t = NULL;
	struct weft_err err = {0};
	if (weft_builder_new(&m.b, "bench", "test", &(struct weft_open_how){.no_index = true}, &err))
		return NULL;
	define(&m);
	for (uint64_t i = 0; i < DATA && !m.failed; i++) {
		add(&m, 0, i, WEFT_EV_ENTER, REGISTERED, 0);
		add(&m, 0, i, WEFT_EV_ATTR, HANDLE, 0x55aa00000000 + 4096 * i);
		add(&m, 0, i, WEFT_EV_ATTR, BYTES, 64);
		add(&m, 0, i, WEFT_EV_LEAVE, REGISTERED, 0);
	}
	for (uint64_t i = 0; i < TASKS && !m.failed; i++) {
		submit(&m, i);
		execute(&m, i);
	}
	if (m.failed || weft_build_finish(m.b, NULL, &t, &err))
		return NULL;
	return t;
}

/* ---- rounds ---- */

static double products_round(void *arg)
{
	struct weft_products_made made;
	struct weft_err err = {0};
	(void)arg;
	double from = cpu_s();
	if (weft_products_write(&given.trace, 1, &(struct weft_products_how){.folder = given.folder}, &made, &err) ||
	    made.n_tasks != TASKS)
		return bench_skip("cannot write");
	given.bytes = made.n_bytes;
	return cpu_s() - from;
}

static double null_round(void *arg)
{
	static char buffer[1 << 18];
	char path[80];
	(void)arg;
	snprintf(path, sizeof path, "%s/null", given.folder);
	double from = cpu_s();
	FILE *to = fopen(path, "w");
	if (!to)
		return bench_skip("cannot write");
	setvbuf(to, NULL, _IONBF, 0);
	for (uint64_t i = 0; i < given.bytes; i += sizeof buffer) {
		memset(buffer, (int)i, sizeof buffer);
		if (fwrite(buffer, 1, sizeof buffer, to) != sizeof buffer)
			break;
	}
	fclose(to);
	double took = cpu_s() - from;
	unlink(path);
	return took;
}

static double load_round(void *arg)
{
	struct weft_tasks tasks;
	(void)arg;
	double from = cpu_s();
	if (weft_tasks_load(given.trace, &tasks))
		return bench_skip("cannot load");
	double took = cpu_s() - from;
	weft_tasks_free(&tasks);
	return took;
}

static const struct bench_variant products[] = {{"weft", products_round, NULL}, {"null", null_round, NULL}, {0}};
static const struct bench_variant loads[] = {{"weft", load_round, NULL}, {0}};
static const struct bench benches[] = {{"products_cpu", "s", 5, products}, {"tasks_load", "s", 7, loads}, {0}};

int main(int argc, char **argv)
{
	const char *shm = access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm";
	snprintf(given.folder, sizeof given.folder, "%s/bench-products-XXXXXX", shm);
	given.trace = make_trace();
	if (!given.trace || !mkdtemp(given.folder)) {
		printf("skip products cannot make a trace\n");
		return 1;
	}
	int status = bench_main(argc, argv, benches);
	weft_trace_close(given.trace);
	if (weft_remove_tree(given.folder, NULL))
		status = status ? status : 1;
	return status;
}
