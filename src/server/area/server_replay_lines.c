/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay/lines: a run on another machine as a picture: some lines of ranks × pixels of a range of time, each pixel the letter of what takes most of it.
 *
 *     the simulator ─ state(thread, begin, end) ─> time by line, pixel, kind ─> "cccwwl..", a text for each line
 */
#include "server_replay.h"
#include "base/json.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_MOST = 256, WIDTH_MOST = 4096, KINDS = 5 };
static const char letters[] = "cwxld"; /* by kind: computes, waits, collective, latency, on a device */
static const uint8_t kind_of[WEFT_REPLAY_STATES] = {
	[WEFT_REPLAY_RUNNING] = 0,          [WEFT_REPLAY_WAITS_MESSAGE] = 1, [WEFT_REPLAY_WAITS_RECEIVER] = 1,
	[WEFT_REPLAY_WAITS_COLLECTIVE] = 1, [WEFT_REPLAY_WAITS_CPU] = 1,     [WEFT_REPLAY_WAITS_THREADS] = 1,
	[WEFT_REPLAY_IN_COLLECTIVE] = 2,    [WEFT_REPLAY_LATENCY] = 3,       [WEFT_REPLAY_ON_DEVICE] = 4,
};

struct painting {
	const struct weft_replay_program *program;
	double from, per_ns; /* pixels a ns */
	uint32_t width, n_lines;
	float *time; /* owned; pixels, by line, pixel, kind */
};

static int add_state(void *arg, uint32_t thread, enum weft_replay_state s, double begin, double end)
{
	const struct painting *p = arg;
	uint64_t rank = p->program->thread[thread].rank, line = rank * p->n_lines / p->program->n_ranks;
	double a = (begin - p->from) * p->per_ns, b = (end - p->from) * p->per_ns;
	a = a < 0 ? 0 : a;
	b = b > p->width ? p->width : b;
	for (uint32_t x = a < b ? (uint32_t)a : p->width; x < p->width && (double)x < b; x++) {
		double left = a > x ? a : x, right = b < x + 1. ? b : x + 1.;
		p->time[(line * p->width + x) * KINDS + kind_of[s]] += (float)(right - left);
	}
	return 0;
}

static char letter_of(const float *time)
{
	unsigned most = 0;
	for (unsigned k = 1; k < KINDS; k++)
		most = time[k] > time[most] ? k : most;
	return time[most] > 0 ? letters[most] : '.';
}

static int put_lines(const struct painting *p, double time_ns, struct server_answer *a)
{
	struct server_json out;
	char *text = malloc((size_t)p->width + 1);
	if (!text)
		return -ENOMEM;
	struct weft_json *j = server_json_begin(&out);
	weft_json_object(j);
	server_put_u64(j, "ranks", p->program->n_ranks);
	server_put_double(j, "time_ns", time_ns);
	weft_json_key(j, "lines");
	weft_json_array(j);
	for (uint32_t i = 0; i < p->n_lines; i++) {
		for (uint32_t x = 0; x < p->width; x++)
			text[x] = letter_of(&p->time[((size_t)i * p->width + x) * KINDS]);
		text[p->width] = 0;
		weft_json_string(j, text);
	}
	weft_json_end(j);
	weft_json_end(j);
	free(text);
	return server_json_end(&out, a);
}

/* The range may end behind the trace: on a slower machine the program does. */
static int read_picture(const struct server_request *r, const struct replay_asked *ask, struct painting *p)
{
	uint64_t from, to, width, lines, n = ask->program->n_ranks;
	int rc = server_arg_u64(r, "from", 0, UINT64_C(1) << 53, 0, &from);
	if (!rc)
		rc = server_arg_u64(r, "to", from + 1, UINT64_C(1) << 53, from + 1, &to);
	if (!rc)
		rc = server_arg_u64(r, "width", 1, WIDTH_MOST, 800, &width);
	if (!rc)
		rc = server_arg_u64(r, "lines", 1, LINES_MOST, 64, &lines);
	if (rc)
		return rc;
	*p = (struct painting){.program = ask->program,
	                       .from = (double)from,
	                       .per_ns = (double)width / (double)(to - from),
	                       .width = (uint32_t)width,
	                       .n_lines = (uint32_t)(lines < n ? lines : n)};
	p->time = calloc((size_t)p->n_lines * p->width * KINDS + 1, sizeof *p->time);
	return p->time ? 0 : -ENOMEM;
}

int replay_answer_lines(const struct server_request *r, struct server_answer *a)
{
	struct replay_asked ask;
	struct painting p = {.time = NULL};
	struct weft_replay_result res;
	int rc = replay_ask(r, &ask);
	if (!rc)
		rc = read_picture(r, &ask, &p);
	if (!rc) {
		struct weft_replay_sink sink = {.arg = &p, .state = add_state};
		struct weft_replay_how how = {.sink = &sink};
		rc = replay_simulate(&ask, &how, &res, r->err);
		if (!rc) {
			rc = put_lines(&p, res.time_ns, a);
			weft_replay_result_fini(&res);
		}
	}
	free(p.time);
	weft_topology_free(ask.topology);
	return rc;
}
