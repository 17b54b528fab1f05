/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stream that `weft tune -o` writes beside those of libweft: processes from outside, as the launcher of `weft record` does it, so that a reader
 * unites them with what they record by themselves; and points (analyze_sink.c). The analyzer is a process of it, each tunlet a thread of that.
 */
#include "tune_trace.h"
#include "base/clock.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

enum { PROCESS_ANALYZER = 1 };

static void define(struct tune_trace *t, unsigned kind, uint32_t id, const uint64_t *word, unsigned n, const char *text)
{
	record_stream_meta(&t->stream, &(struct weft_record){weft_monotonic_ns(), kind, id, n, word}, text, strlen(text));
}

static void define_process(struct tune_trace *t, uint32_t id, uint32_t pid, int64_t rank, uint64_t time, const char *exe,
                           const char *host)
{
	const char *slash = strrchr(exe, '/');
	uint64_t word[3] = {pid, (uint32_t)(rank >= 0 ? rank : -1) | UINT64_C(1) << 32, time};
	const struct {
		uint64_t which;
		const char *text;
	} texts[] = {{WEFT_TEXT_HOST, host}, {WEFT_TEXT_BOOT_ID, t->boot_id}, {WEFT_TEXT_EXE, exe}};
	define(t, WEFT_EV_PROCESS, id, word, 3, slash ? slash + 1 : exe);
	for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
		if (texts[k].text[0])
			define(t, WEFT_EV_PROCESS_TEXT, id, (uint64_t[]){texts[k].which, UINT64_C(1) << 32}, 2, texts[k].text);
}

int tune_trace_open(struct tune_trace *t, const char *dir, const uint8_t *run_id, struct weft_err *err)
{
	char name[160];
	if (gethostname(t->host, sizeof t->host - 1))
		snprintf(t->host, sizeof t->host, "localhost");
	for (char *c = t->host; *c; c++)
		*c = *c == '/' ? '_' : *c;
	record_boot_id(t->boot_id, sizeof t->boot_id);
	snprintf(name, sizeof name, "%s-%d-tune.stream", t->host, (int)getpid());
	int rc = record_stream_open(&t->stream, dir, name, run_id, 0, err);
	if (rc)
		return rc;
	t->open = true;
	define_process(t, PROCESS_ANALYZER, (uint32_t)getpid(), -1, weft_monotonic_ns(), "weft tune", t->host);
	return 0;
}

void tune_trace_process(void *ctx, uint32_t number, const struct message_process *m, uint64_t time)
{
	define_process(ctx, number + PROCESS_ANALYZER, m->pid, m->rank, time, m->exe, m->host);
}

static struct tune_lane *lane_of(struct tune_trace *t, const struct analyze_point *p)
{
	for (size_t i = t->lane.n; i-- > 0;)
		if (t->lane.at[i]->process == p->process && t->lane.at[i]->thread == p->thread)
			return t->lane.at[i];
	struct tune_lane *l = calloc(1, sizeof *l);
	if (!l || weft_vec_push(&t->lane, l)) {
		free(l);
		return NULL;
	}
	*l = (struct tune_lane){.process = p->process, .thread = p->thread, .lane.thread = (uint32_t)t->lane.n};
	bool tuning = p->process && p->thread == ANALYZE_TUNING;
	uint64_t tid = tuning ? 0 : p->process ? p->thread : (uint64_t)getpid() + p->thread;
	define(t, WEFT_EV_THREAD, l->lane.thread, (uint64_t[]){tid, p->process + PROCESS_ANALYZER, p->time}, 3,
	       tuning ? "tuning" : "");
	return l;
}

/* The id of a type or a string, made when it is new; 0: there is no room. */
static uint32_t id_of(struct tune_trace *t, struct weft_intern *names, const char *name, bool type)
{
	uint32_t id;
	if (weft_intern_find(names, weft_str(name), &id))
		return id + 1;
	if (names->n >= WEFT_ID_MAX || weft_intern_add(names, weft_str(name), &id))
		return 0;
	if (type)
		define(t, WEFT_EV_DEF_TYPE, id + 1, (uint64_t[]){0, 0}, 2, name);
	else
		define(t, WEFT_EV_DEF_STRING, id + 1, NULL, 0, name);
	return id + 1;
}

void tune_trace_point(void *ctx, const struct analyze_point *p)
{
	struct tune_trace *t = ctx;
	struct tune_lane *l = lane_of(t, p);
	uint32_t type = id_of(t, &t->types, p->name, true);
	uint64_t word = (uint64_t)p->value.i;
	unsigned kind = WEFT_EV_POINT;
	if (!l || !type)
		return;
	if (p->value.kind == MESSAGE_REAL) {
		kind = WEFT_EV_POINT_F;
		memcpy(&word, &p->value.d, sizeof word);
	} else if (p->value.kind == MESSAGE_TEXT) {
		kind = WEFT_EV_POINT_S;
		word = id_of(t, &t->strings, p->value.s, false);
	}
	/* Events that came late are out of order: a thread's times do not go back. */
	l->last = p->time > l->last ? p->time : l->last;
	record_stream_event(&t->stream, &l->lane, &(struct weft_record){l->last, kind, type, 1, &word});
}

void tune_trace_close(struct tune_trace *t)
{
	for (size_t i = 0; i < t->lane.n; i++) {
		record_stream_end_lane(&t->lane.at[i]->lane);
		free(t->lane.at[i]);
	}
	free(t->lane.at);
	weft_intern_fini(&t->types);
	weft_intern_fini(&t->strings);
	if (t->open)
		record_stream_close(&t->stream);
	*t = (struct tune_trace){0};
}

int tune_trace_prepare(struct record_dir *dir, const char *output, bool force, const char *program, uint8_t run_id[16],
                       struct weft_err *err)
{
	struct record_args args = {0};
	if (getrandom(run_id, 16, 0) != 16) {
		uint64_t now[2] = {weft_realtime_ns(), (uint64_t)getpid()};
		memcpy(run_id, now, 16);
	}
	int rc = record_dir_make(dir, output, program, force, err);
	return rc ? rc : record_set_environment(&args, dir->path, run_id, 0, err);
}
