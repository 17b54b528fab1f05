/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shifter: each object's records move by the object's time. A communication is a record of its sender, and moves with it
 * as a whole. The new end is the old one and the largest time of the file. Comments, and records of threads and cpus that the
 * header does not have, are left out.
 */
#include "tool_priv.h"
#include <errno.h>
#include <stdlib.h>

struct shift {
	const struct prv_header *h;
	const int64_t *by; /* of each thread. Borrowed */
	uint64_t *odd;     /* by worker. Borrowed */
};

/* -- lines -- */

struct record { /* by kind: how many fields, and which are times */
	unsigned n, n_times;
	unsigned char time[4];
};
static const struct record records[] = {
	{TOOL_STATE_FIELDS, 2, {TOOL_TIME, TOOL_END}},
	{TOOL_EVENT_FIELDS, 1, {TOOL_TIME}},
	{TOOL_COMM_FIELDS, 4, {TOOL_LOG_SEND, TOOL_PHY_SEND, TOOL_LOG_RECV, TOOL_PHY_RECV}},
};

static bool shift_record(const struct shift *s, const char *line, const char *end, struct tool_text *out)
{
	const struct record *r = &records[line[0] - '1'];
	int64_t v[TOOL_COMM_FIELDS];
	uint32_t row;
	const char *at = line + 2;
	if (tool_numbers(&at, end, v, r->n) < r->n ||
	    !tool_head_thread(s->h, (uint64_t)v[TOOL_APP], (uint64_t)v[TOOL_TASK], (uint64_t)v[TOOL_THREAD], &row) ||
	    !tool_head_cpu(s->h, (uint64_t)v[TOOL_CPU]))
		return false;
	for (unsigned i = 0; i < r->n_times; i++)
		if (r->time[i] != TOOL_END || r->n != TOOL_STATE_FIELDS || v[TOOL_END] >= 0)
			v[r->time[i]] = (int64_t)((uint64_t)v[r->time[i]] + (uint64_t)s->by[row]);
	tool_text_add(out, line, 2);
	tool_text_fields(out, v, r->n, line[0] == '2' ? ':' : '\n');
	if (line[0] == '2') {
		tool_text_add(out, at, (size_t)(end - at));
		tool_text_char(out, '\n');
	}
	return true;
}

static int shift_block(void *arg, unsigned worker, const char *at, size_t n, struct tool_text *out)
{
	const struct shift *s = arg;
	const char *end = at + n;
	while (at < end) {
		const char *stop = memchr(at, '\n', (size_t)(end - at)), *line_end = stop ? stop : end;
		while (line_end > at && line_end[-1] == '\r')
			line_end--;
		if (line_end - at > 1 && at[0] >= '1' && at[0] <= '3' && at[1] == ':') {
			s->odd[worker] += !shift_record(s, at, line_end, out);
		}
		at = (stop ? stop : end) + 1;
	}
	return 0;
}

/* -- the times -- */

struct times {
	WEFT_VEC(int64_t) at;
};

static int read_times(struct times *t, const char *path, struct weft_err *err)
{
	char *text;
	size_t n;
	int64_t v;
	int rc = weft_read_input(path, &text, &n, err);
	if (rc)
		return rc;
	struct weft_str rest = weft_str_n(text, n), line;
	for (unsigned number = 1; !rc && weft_str_cut(&rest, '\n', &line); number++) {
		line = weft_str_trim(line);
		if (!line.n || line.at[0] == '#')
			continue;
		if (weft_parse_i64(line, &v))
			rc = weft_err_set(err, WEFT_E_SYNTAX, "%s:%u: expected a time, found '%.*s'", path, number,
			                  (int)(line.n < 40 ? line.n : 40), line.at);
		else if (weft_vec_push(&t->at, v))
			rc = weft_err_set(err, -ENOMEM, "cannot read '%s': no memory", path);
	}
	free(text);
	return rc;
}

/* The time of each thread, by its object; *most is the largest of the file. */
static int spread(const struct times *t, const struct prv_header *h, enum weft_tool_level level, const char *path, int64_t *by,
                  int64_t *most, struct weft_err *err)
{
	static const char *const words[] = {"threads", "tasks", "applications", "workloads"};
	const uint32_t need[] = {h->n_threads, h->n_tasks, h->n_apps, 1};
	if (t->at.n < need[level])
		return weft_err_set(err, WEFT_E_SYNTAX, "'%s' has fewer times (%zu) than the trace has %s (%u)", path, t->at.n,
		                    words[level], need[level]);
	*most = t->at.at[0];
	for (size_t i = 1; i < t->at.n; i++)
		*most = t->at.at[i] > *most ? t->at.at[i] : *most;
	for (uint32_t app = 0; app < h->n_apps; app++)
		for (uint32_t i = 0; i < h->app[app].n_tasks; i++) {
			uint32_t task = h->app[app].first_task + i;
			for (uint32_t k = 0; k < h->task[task].n_threads; k++) {
				uint32_t row = h->task[task].first_thread + k;
				by[row] = t->at.at[level == WEFT_TOOL_THREAD ? row
				                   : level == WEFT_TOOL_TASK ? task
				                   : level == WEFT_TOOL_APP  ? app
				                                             : 0];
			}
		}
	return 0;
}

/* -- the whole -- */

static int shift_file(struct tool_input *input, const char *out, struct shift *s, int64_t most, unsigned threads, bool beside,
                      struct weft_err *err)
{
	struct tool_output output;
	int rc = tool_output_open(&output, out, err);
	if (rc)
		return rc;
	struct tool_map map = {.in = input, .out = &output, .threads = threads, .block = shift_block, .arg = s};
	tool_head_write(input, input->head.end + (uint64_t)most, true, &output.text);
	tool_output_flush(&output);
	rc = tool_map_run(&map, err);
	if (!rc && beside)
		rc = tool_copy_beside(input->path, out, true, err);
	return tool_output_close(&output, rc, err);
}

int weft_tool_shift(const char *in, const char *out, const char *times, enum weft_tool_level level, unsigned threads,
                    struct weft_tool_report *report, struct weft_err *err)
{
	struct tool_input input;
	struct times t = {.at = {0}};
	int64_t most = 0, *by = NULL;
	uint64_t *odd = NULL;
	threads = tool_map_threads(threads);
	int rc = tool_input_open(&input, in, err);
	if (rc)
		return rc;
	rc = read_times(&t, times, err);
	if (!rc) {
		by = calloc(input.head.n_threads + 1, sizeof *by);
		odd = calloc(tool_map_workers(threads), sizeof *odd);
		rc = by && odd ? 0 : weft_err_set(err, -ENOMEM, "cannot shift '%s': no memory", in);
	}
	if (!rc)
		rc = spread(&t, &input.head, level, times, by, &most, err);
	if (!rc) {
		struct shift s = {&input.head, by, odd};
		rc = shift_file(&input, out, &s, most, threads, true, err);
	}
	for (unsigned i = 0; !rc && report && i < tool_map_workers(threads); i++)
		report->odd_lines += odd[i];
	free(by);
	free(odd);
	free(t.at.at);
	tool_input_close(&input);
	return rc;
}

int weft_tool_dump(const char *in, const char *out, struct weft_err *err)
{
	struct tool_input input;
	uint64_t odd[TOOL_MAP_BLOCKS] = {0};
	int rc = tool_input_open(&input, in, err);
	if (rc)
		return rc;
	int64_t *by = calloc(input.head.n_threads + 1, sizeof *by);
	struct shift s = {&input.head, by, odd};
	rc = by ? shift_file(&input, out, &s, 0, 1, false, err) : weft_err_set(err, -ENOMEM, "cannot write '%s': no memory", out);
	free(by);
	tool_input_close(&input);
	return rc;
}
