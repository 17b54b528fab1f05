/* SPDX-License-Identifier: Apache-2.0 */
/* The trace of a tuned run: what the command records by libweft, and a stream of our own. */
#ifndef WEFT_CLI_TUNE_TRACE_H
#define WEFT_CLI_TUNE_TRACE_H

#include "base/map.h"
#include "base/vec.h"
#include "cli/record/record_run.h"
#include "tune/analyze/analyze.h"

struct tune_lane {
	uint32_t process, thread;
	uint64_t last;
	struct record_lane lane;
};

struct tune_trace {
	struct record_stream stream;
	bool open;
	char host[65], boot_id[96];
	WEFT_VEC(struct tune_lane *) lane; /* each owned */
	struct weft_intern types, strings;
};

/* The folder, and the environment that makes the command record into it. */
int tune_trace_prepare(struct record_dir *dir, const char *output, bool force, const char *program, uint8_t run_id[16],
                       struct weft_err *err) WEFT_MUST_CHECK;
int tune_trace_open(struct tune_trace *t, const char *dir, const uint8_t *run_id, struct weft_err *err) WEFT_MUST_CHECK;
void tune_trace_close(struct tune_trace *t);
/* Of struct analyze_sink. */
void tune_trace_process(void *ctx, uint32_t number, const struct message_process *m, uint64_t time);
void tune_trace_point(void *ctx, const struct analyze_point *p);

#endif
