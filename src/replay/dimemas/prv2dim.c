/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading for prv2dim: each line becomes rows, a communication one for each end that matters (logical send, logical and physical
 * receive), and rows are sorted by thread, time, kind, and the line that they came from. Their numbers are those of their lines among
 * events and communications: what Dimemas later tells one message of a pair of tasks from another by.
 */
#include "prv2dim_priv.h"
#include "base/fs.h"
#include "dim_read_priv.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int wrong(struct p2d *d, const char *what)
{
	return weft_err_set(d->err, WEFT_E_SYNTAX, "'%s', line 1: %s", d->prv, what);
}

/* ---- header ---- */

/* Behind the n-th colon that stands outside of parentheses. */
static const char *field_at(const char *at, const char *end, unsigned n)
{
	unsigned depth = 0;
	for (; at < end && n; at++) {
		if (*at == '(')
			depth++;
		else if (*at == ')')
			depth -= depth > 0;
		else if (*at == ':' && !depth)
			n--;
	}
	return n ? NULL : at;
}

static int read_tasks(struct p2d *d, const char *at, const char *end)
{
	uint64_t n, threads, node;
	if (!dim_number(&at, end, &n) || !n || n > 1 << 24 || at == end || *at != '(')
		return wrong(d, "no number of tasks");
	for (uint64_t i = 0; i < n; i++) {
		at++;
		if (!dim_number(&at, end, &threads) || threads > 1 << 20 || at == end || *at++ != ':' ||
		    !dim_number(&at, end, &node) || at == end)
			return wrong(d, "the list of tasks is not <threads>:<node>,…");
		if (weft_vec_push(&d->task, (struct p2d_task){.first = (uint32_t)d->task_of.n, .n = (uint32_t)threads}))
			return -ENOMEM;
		for (uint64_t k = 0; k < threads; k++)
			if (weft_vec_push(&d->task_of, (uint32_t)i))
				return -ENOMEM;
	}
	return 0;
}

/* "#Paraver (date at hh:mm):<time>[_ns]:<nodes>(…):<apps>:<tasks>(<threads>:<node>,…),<communicators>" */
static int read_head(struct p2d *d, const char *at, const char *end)
{
	static const char mark[] = "#Paraver ";
	uint64_t time;
	const char *apps, *tasks;
	if ((size_t)(end - at) < sizeof mark || memcmp(at, mark, sizeof mark - 1) != 0 || !(at = field_at(at, end, 1)) ||
	    !dim_number(&at, end, &time))
		return wrong(d, "this is no trace of Paraver");
	d->to_seconds = end - at > 3 && memcmp(at, "_ns", 3) == 0 ? 1e-9 : 1e-6;
	apps = field_at(at, end, 2);
	tasks = apps ? field_at(apps, end, 1) : NULL;
	if (!tasks)
		return wrong(d, "the header has no applications");
	return read_tasks(d, tasks, end);
}

/* "c:<app>:<communicator>:<n>:<task>…" becomes "d:1:<communicator>:<n>:<task - 1>…" */
static int read_comm(struct p2d *d, const char *at, const char *end)
{
	uint64_t app, id, n, task;
	at += 2;
	if (!dim_number(&at, end, &app) || at == end || *at++ != ':' || !dim_number(&at, end, &id) || at == end || *at++ != ':' ||
	    !dim_number(&at, end, &n))
		return 0;
	weft_buf_printf(&d->comms, "d:1:%llu:%llu", (unsigned long long)id, (unsigned long long)n);
	while (at < end && *at == ':' && (at++, dim_number(&at, end, &task)))
		weft_buf_printf(&d->comms, ":%llu", (unsigned long long)(task - 1));
	weft_buf_putc(&d->comms, '\n');
	d->n_comms++;
	return d->comms.failed ? -ENOMEM : 0;
}

/* ---- lines ---- */

enum { FIELDS_MOST = 4096 };
struct line {
	uint64_t number, among; /* among events and communications */
	int64_t field[FIELDS_MOST];
	unsigned n;
};

/* Thread of the fields task and thread at `at`; negative: none. */
static int64_t thread_of(const struct p2d *d, const struct line *l, unsigned at)
{
	const int64_t app = l->field[at], task = l->field[at + 1] - 1, thread = l->field[at + 2] - 1;
	if (app != 1 || task < 0 || task >= (int64_t)d->task.n || thread < 0 || thread >= d->task.at[task].n)
		return -1;
	return d->task.at[task].first + thread;
}

static int add(struct p2d *d, const struct line *l, uint64_t thread, int64_t time, unsigned place, const uint64_t *rest)
{
	/* Of one instant: states, then communications, then events. */
	const uint64_t class = rest[0] == P2D_STATE ? 0 : rest[0] == P2D_EVENT ? 2 : 1;
	const uint64_t row[P2D_ROW_WORDS] = {thread,  (uint64_t)time, class << 62 | l->number << 16 | place, rest[0], rest[1],
	                                     rest[2], rest[3]};
	return spill_sort_add(&d->rows, row);
}

/* 1:cpu:app:task:thread:begin:end:state */
static int add_state(struct p2d *d, const struct line *l)
{
	const int64_t thread = l->n == 8 ? thread_of(d, l, 2) : -1;
	if (thread < 0)
		return 1;
	return add(d, l, (uint64_t)thread, l->field[5], 0, (const uint64_t[4]){P2D_STATE, (uint64_t)l->field[6]});
}

/* 2:cpu:app:task:thread:time:type:value… */
static int add_events(struct p2d *d, const struct line *l)
{
	const int64_t thread = l->n >= 8 ? thread_of(d, l, 2) : -1;
	if (thread < 0)
		return 1;
	for (unsigned i = 6; i + 1 < l->n; i += 2) {
		const uint64_t rest[4] = {P2D_EVENT, (uint64_t)l->field[i], (uint64_t)l->field[i + 1]};
		int rc = add(d, l, (uint64_t)thread, l->field[5], i, rest);
		if (rc)
			return rc;
		if (l->field[i] == DIM_OMP_FUNCTION || l->field[i] == DIM_OMP_PARALLEL)
			d->task.at[d->task_of.at[thread]].omp = true;
	}
	return 0;
}

/* 3:cpu:app:task:thread:lsend:psend:cpu:app:task:thread:lrecv:precv:size:tag */
static int add_ends(struct p2d *d, const struct line *l)
{
	const int64_t from = l->n == 15 ? thread_of(d, l, 2) : -1, to = l->n == 15 ? thread_of(d, l, 8) : -1;
	if (from < 0 || to < 0)
		return 1;
	d->count->communications++;
	const uint64_t tag = (uint64_t)(uint32_t)l->field[14] << 32 | (uint32_t)l->among, bytes = (uint64_t)l->field[13];
	const uint64_t sender = d->task_of.at[from], receiver = d->task_of.at[to];
	int rc = add(d, l, (uint64_t)from, l->field[5], 0, (const uint64_t[4]){P2D_SEND, receiver, bytes, tag});
	if (!rc)
		rc = add(d, l, (uint64_t)to, l->field[11], 1, (const uint64_t[4]){P2D_RECEIVE, sender, bytes, tag});
	if (!rc)
		rc = add(d, l, (uint64_t)to, l->field[12], 2, (const uint64_t[4]){P2D_RECEIVED, sender, bytes, tag});
	return rc;
}

static void read_fields(struct line *l, const char *at, const char *end)
{
	l->n = 0;
	while (l->n < FIELDS_MOST && dim_signed(&at, end, &l->field[l->n])) {
		l->n++;
		if (at == end || *at != ':')
			break;
		at++;
	}
}

static int read_line(struct p2d *d, struct line *l, const char *at, const char *end)
{
	if (at == end || *at == '#')
		return 0;
	if (*at == 'c')
		return read_comm(d, at, end);
	read_fields(l, at, end);
	const int64_t kind = l->n ? l->field[0] : 0;
	if (kind == 2 || kind == 3) {
		l->among++;
		d->count->records++;
	}
	int rc = kind == 1 ? add_state(d, l) : kind == 2 ? add_events(d, l) : kind == 3 ? add_ends(d, l) : 1;
	if (rc == 1) { /* the line is wrong, or of another application */
		d->count->wrong++;
		return 0;
	}
	return rc;
}

static int read_lines(struct p2d *d, const char *at, size_t n)
{
	const char *end = at + n, *next = memchr(at, '\n', n);
	struct line *l = calloc(1, sizeof *l);
	if (!l)
		return -ENOMEM;
	int rc = read_head(d, at, next ? next : end);
	for (l->number = 2; !rc && next; l->number++) {
		at = next + 1;
		next = memchr(at, '\n', (size_t)(end - at));
		rc = read_line(d, l, at, next ? next : end);
	}
	free(l);
	return rc;
}

int weft_prv2dim(const char *prv, const char *dim, const struct weft_prv2dim_how *how, struct weft_prv2dim_count *count,
                 struct weft_err *err)
{
	struct p2d d = {.prv = prv, .dim = dim, .how = how, .count = count, .err = err};
	struct weft_map_file f;
	memset(count, 0, sizeof *count);
	int rc = weft_map_file_open(&f, prv, err);
	if (rc)
		return rc;
	spill_sort_init(&d.rows, P2D_ROW_WORDS * sizeof(uint64_t), how->memory ? how->memory : UINT64_MAX);
	rc = f.n ? read_lines(&d, (const char *)f.at, f.n) : wrong(&d, "this is no trace of Paraver");
	if (!rc)
		rc = spill_sort_finish(&d.rows);
	if (!rc)
		rc = p2d_write(&d);
	if (rc == -ENOMEM)
		rc = weft_err_set(err, rc, "'%s': out of memory", prv);
	spill_sort_fini(&d.rows);
	weft_map_file_close(&f);
	for (size_t i = 0; i < d.task.n; i++)
		free(d.task.at[i].offset.at);
	free(d.task.at);
	free(d.task_of.at);
	free(d.root.at);
	free(d.reductions.at);
	weft_buf_fini(&d.comms);
	return rc;
}
