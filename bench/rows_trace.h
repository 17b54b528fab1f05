/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trace of many rows and any number of events, with an index beside the name of a .prv that is none: half of the events are states that touch, the
 * other half values of one type (50). The same at each run.
 */
#ifndef WEFT_BENCH_ROWS_TRACE_H
#define WEFT_BENCH_ROWS_TRACE_H

#include "base/pool.h"
#include "metric/func/metric.h"
#include "trace/store/build.h"
#include "trace/store/cursor.h"

#include <stdlib.h>
#include <sys/stat.h>

enum { ROWS_TRACE_MOST = 10000, ROWS_TRACE_STATES = 6 };
struct sized {
	uint64_t events;
	uint32_t rows;
	struct weft_trace *trace;
	struct weft_space space;
};

struct filling {
	struct weft_builder *b;
	uint64_t events; /* of a thread */
	uint32_t rows;
	uint32_t state[ROWS_TRACE_STATES], type;
	struct weft_appender *appender[ROWS_TRACE_MOST];
};

static inline int fill_thread(void *arg, size_t i, unsigned worker)
{
	struct filling *f = arg;
	uint64_t time = 0, random = i + 1, at[256], value[256];
	uint32_t what[256], n = 0;
	(void)worker;
	for (uint64_t k = 0; k < f->events / 2; k++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		uint64_t lasts = 100 + (random >> 40) % (2 * (UINT64_C(10000000000) / f->events));
		at[n] = time;
		what[n] = weft_what(WEFT_EV_STATE, f->state[(random >> 33) % ROWS_TRACE_STATES]);
		value[n++] = lasts;
		at[n] = time + lasts / 3;
		what[n] = weft_what(WEFT_EV_POINT, f->type);
		value[n++] = (random >> 20) % 1000;
		time += lasts;
		if (n == 256 || k + 1 == f->events / 2) {
			int rc = weft_append_block(f->appender[i], n, at, what, value);
			if (rc)
				return rc;
			n = 0;
		}
	}
	return 0;
}

static inline bool rows_trace_define(struct filling *f)
{
	int64_t app = weft_build_app(f->b, "bench"), process = app < 0 ? app : 0, id = 0;
	struct weft_process p = {.app = (uint32_t)app, .node = WEFT_NONE, .rank = -1, .name = "", .command = "", .host = ""};
	if (process >= 0)
		process = weft_build_process(f->b, &p);
	for (uint32_t i = 0; i < f->rows && process >= 0 && id >= 0; i++) {
		struct weft_thread_row row = {.process = (uint32_t)process, .number = i + 1, .name = "", .end = WEFT_NEVER};
		id = weft_build_thread(f->b, &row);
		f->appender[i] = id < 0 ? NULL : weft_builder_appender(f->b, (uint32_t)id);
	}
	for (uint32_t i = 0; i < ROWS_TRACE_STATES && id >= 0; i++) {
		char name[16];
		snprintf(name, sizeof name, "state %u", i);
		struct weft_def_row d = {.name = name, .unit = "", .file = "", .code = i};
		id = weft_build_def(f->b, WEFT_CLASS_STATE, &d);
		f->state[i] = (uint32_t)id;
	}
	struct weft_def_row type = {.name = "value", .unit = "", .file = "", .code = 50};
	if (id >= 0)
		id = weft_build_def(f->b, WEFT_CLASS_TYPE, &type);
	f->type = (uint32_t)id;
	return process >= 0 && id >= 0;
}

static inline void rows_trace_path(const struct sized *s, const char *dir, char *path, size_t room)
{
	snprintf(path, room, "%s/%llu-%u.prv", dir, (unsigned long long)s->events, s->rows);
}

static inline bool rows_trace_make(struct sized *s, const char *dir)
{
	struct filling *f = calloc(1, sizeof *f);
	struct weft_err err = {0};
	char path[100], index[110];
	rows_trace_path(s, dir, path, sizeof path);
	snprintf(index, sizeof index, "%s.index", path);
	bool good = f && mkdir(index, 0777) == 0 && weft_builder_new(&f->b, path, "prv", NULL, &err) == 0;
	if (good) {
		f->events = s->events / s->rows;
		f->rows = s->rows;
		weft_build_keep_zero(f->b, 0);
		good = rows_trace_define(f) && weft_parallel(0, f->rows, fill_thread, f) == 0;
		good = weft_build_finish(f->b, index, &s->trace, &err) == 0 && good && weft_space_init(&s->space, s->trace) == 0;
	}
	if (err.text[0])
		fprintf(stderr, "%s\n", err.text);
	free(f);
	return good;
}

#endif
