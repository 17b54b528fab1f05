/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing for prv2dim: one thread after the other, its rows in order. A burst ends at each event outside of a call; in a call, what it
 * carries stands between its two events, and a call that carries no message has a 0: instead (collective operations, too, as prv2dim has
 * it). Where no state says what a thread does while it is in a call, it is idle: events of type 0 are around what the call does.
 */
#include "prv2dim_priv.h"
#include "base/fs.h"
#include "base/map.h"
#include "dim.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum p2d_call {
	CALL_OTHER,
	CALL_SENDS,
	CALL_POSTS_SEND,
	CALL_READY_SEND,
	CALL_RECEIVES,
	CALL_POSTS,
	CALL_WAITS,
	CALL_EXCHANGES,
	CALL_STARTS
};
enum { MPI_INIT = 31, SAID_MOST = 5 };

static const struct {
	uint8_t value, call;
} point_to_point[] = {
	{1, CALL_SENDS},       {34, CALL_SENDS},      {35, CALL_SENDS},      {61, CALL_SENDS},      {190, CALL_SENDS},
	{3, CALL_POSTS_SEND},  {33, CALL_POSTS_SEND}, {36, CALL_POSTS_SEND}, {37, CALL_POSTS_SEND}, {62, CALL_POSTS_SEND},
	{38, CALL_READY_SEND}, {2, CALL_RECEIVES},    {192, CALL_RECEIVES},  {4, CALL_POSTS},       {193, CALL_POSTS},
	{5, CALL_WAITS},       {6, CALL_WAITS},       {39, CALL_WAITS},      {59, CALL_WAITS},      {60, CALL_WAITS},
	{113, CALL_WAITS},     {114, CALL_WAITS},     {115, CALL_WAITS},     {41, CALL_EXCHANGES},  {42, CALL_EXCHANGES},
	{110, CALL_STARTS},    {111, CALL_STARTS},
};
/* Numbers of Dimemas by those of MPI's collective operations in a trace. */
static const struct {
	uint8_t value, operation;
} collectives[] = {
	{8, 0},    {7, 1},    {13, 2},   {14, 3},   {15, 4},   {16, 5},   {17, 6},   {18, 7},   {11, 8},   {12, 9},
	{9, 10},   {10, 11},  {80, 12},  {168, 13}, {30, 14},  {170, 15}, {156, 16}, {157, 17}, {162, 18}, {163, 19},
	{164, 20}, {165, 21}, {160, 22}, {161, 23}, {158, 24}, {159, 25}, {154, 26}, {155, 27}, {166, 28}, {167, 30},
};
#define LENGTH(a) (sizeof(a) / sizeof(a)[0])

struct writer {
	struct p2d *d;
	struct weft_out out;
	uint64_t offset;
	char at[1 << 16];
	size_t n;
	uint32_t task, thread; /* of the rows that are written */
	uint64_t last, state_end;
	bool in_call, carries, idle, in_function, began, any, said_comm;
	enum p2d_call call;
	int operation; /* of the collective call; -1: none */
	unsigned n_said;
	uint64_t said[4]; /* sent, received, root, communicator */
	uint64_t counter;
	WEFT_VEC(uint64_t) pending;      /* rows of communications that came at the instant at which their call begins */
	struct weft_map reduction, root; /* communicator -> how many of this task; (communicator, k) -> root + 1 */
};

/* ---- text ---- */

static void flush(struct writer *w)
{
	fwrite(w->at, 1, w->n, w->out.to);
	w->offset += w->n;
	w->n = 0;
}

static void put_char(struct writer *w, char c)
{
	w->at[w->n++] = c;
}

static void put_number(struct writer *w, int64_t v)
{
	put_char(w, ':');
	w->n += weft_fmt_i64(w->at + w->n, v);
}

static void begin_line(struct writer *w, unsigned kind)
{
	if (w->n > sizeof w->at - 512)
		flush(w);
	w->n += weft_fmt_u64(w->at + w->n, kind);
	put_number(w, w->task);
	put_number(w, w->thread);
}

static void put_event(struct writer *w, uint64_t type, int64_t value)
{
	begin_line(w, 20);
	put_number(w, (int64_t)type);
	put_number(w, value);
	put_char(w, '\n');
}

static void put_nothing(struct writer *w)
{
	begin_line(w, 0);
	put_char(w, '\n');
}

static void put_burst(struct writer *w, double seconds)
{
	begin_line(w, 1);
	w->n += (size_t)snprintf(w->at + w->n, 64, ":%.9f\n", seconds);
}

static void put_numbers(struct writer *w, unsigned kind, const int64_t *v, unsigned n)
{
	begin_line(w, kind);
	for (unsigned i = 0; i < n; i++)
		put_number(w, v[i]);
	put_char(w, '\n');
}

/* ---- bursts and calls ---- */

/* Computing until then. The very first instants are all said, as bursts of no length. */
static void end_burst(struct writer *w, uint64_t time)
{
	if (time == w->last && w->last != 0)
		return;
	if (w->thread && !w->in_function && !w->d->how->burst_type) { /* a thread of OpenMP between its functions */
		w->last = time;
		return;
	}
	if (w->d->how->burst_type)
		put_burst(w, (double)w->counter * w->d->how->factor);
	else
		put_burst(w, w->d->how->no_initial && !w->began ? 0 : (double)(time - w->last) * w->d->to_seconds);
	w->counter = 0;
	w->last = time;
}

static void put_collective(struct writer *w)
{
	if (w->operation < 0 || w->n_said < 2) {
		w->operation = -1;
		return;
	}
	const bool reduces = w->operation == 10;
	int64_t root = w->said[2] == 1;
	if (reduces) {
		uint64_t k = 0, of;
		weft_map_get(&w->reduction, w->said[3], &k);
		root = weft_map_get(&w->root, w->said[3] << 32 | k, &of) ? (int64_t)of - 1 : 0;
		if (weft_map_put(&w->reduction, w->said[3], k + 1))
			w->d->count->wrong++;
	}
	const int64_t v[] = {w->operation,
	                     (int64_t)w->said[3],
	                     root,
	                     0,
	                     (int64_t)w->said[0],
	                     (int64_t)w->said[1],
	                     reduces ? 3 : w->operation >= 16 ? 0 : 1};
	put_numbers(w, 10, v, LENGTH(v));
	w->operation = -1;
}

/* What stands between the events of a call and what it carries. */
static void open_call(struct writer *w)
{
	if (!w->in_call || w->said_comm)
		return;
	w->said_comm = true;
	if (w->idle)
		put_event(w, 0, 1);
	put_collective(w);
}

static void begin_call(struct writer *w, uint64_t type, uint64_t value, uint64_t time)
{
	end_burst(w, time);
	put_event(w, type, (int64_t)value);
	w->in_call = true;
	w->carries = w->said_comm = false;
	w->idle = w->state_end <= time && w->state_end;
	w->call = CALL_OTHER;
	w->operation = -1;
	w->n_said = 0;
	memset(w->said, 0, sizeof w->said);
	for (size_t i = 0; i < LENGTH(point_to_point) && type == 50000001; i++)
		if (point_to_point[i].value == value)
			w->call = (enum p2d_call)point_to_point[i].call;
	for (size_t i = 0; i < LENGTH(collectives) && type == 50000002; i++)
		if (collectives[i].value == value)
			w->operation = collectives[i].operation;
	w->any |= w->call == CALL_WAITS && value != 5;
	if (type == 50000003 && value == MPI_INIT && !w->d->how->no_init) {
		w->operation = 0;
		w->n_said = SAID_MOST;
		w->said[3] = 1;
		w->carries = true;
	}
}

static void put_pending(struct writer *w);

static void end_call(struct writer *w, uint64_t type, uint64_t time)
{
	put_pending(w);
	open_call(w);
	if (!w->carries)
		put_nothing(w);
	put_event(w, type, 0);
	if (w->idle)
		put_event(w, 0, 0);
	w->in_call = w->idle = false;
	w->last = time;
}

static void take_event(struct writer *w, const uint64_t *row)
{
	const uint64_t type = row[4], value = row[5], time = row[1];
	if (w->pending.n && time != w->pending.at[1])
		put_pending(w);
	if (type == w->d->how->burst_type && type)
		w->counter = value;
	if (dim_is_call_type((int64_t)type)) {
		if (value)
			begin_call(w, type, value, time);
		else if (w->in_call)
			end_call(w, type, time);
		w->began = true;
		return;
	}
	if (type >= 50100001 && type <= 50100004 && w->in_call) {
		w->said[type - 50100001] = value;
		w->n_said++;
	}
	if (!w->in_call)
		end_burst(w, time);
	w->began = true;
	if (type == DIM_OMP_FUNCTION)
		w->in_function = value != 0;
	put_event(w, type, (int64_t)value);
}

/* ---- messages ---- */

static int64_t send_flags(enum p2d_call call)
{
	return call == CALL_SENDS || call == CALL_STARTS ? 1 : call == CALL_POSTS_SEND ? 2 : call == CALL_READY_SEND ? 3 : 0;
}

/* In a call, or outside of all. */
static void put_message(struct writer *w, const uint64_t *row)
{
	const int64_t tag = (int32_t)(row[6] >> 32), number = (int64_t)(row[6] & UINT32_MAX);
	const bool sends = row[3] == P2D_SEND, received = row[3] == P2D_RECEIVED;
	const enum p2d_call c = w->call;
	const bool fits = sends      ? c >= CALL_SENDS && c <= CALL_READY_SEND
	                  : received ? c == CALL_WAITS
	                             : c == CALL_RECEIVES || c == CALL_POSTS;
	const bool both = c == CALL_EXCHANGES || (c == CALL_STARTS && !received);
	if (!w->in_call) {
		w->d->count->outside += !received;
		if (received)
			return;
	} else if (!fits && !both) {
		w->d->count->misfits += !received;
		return;
	}
	open_call(w);
	const int64_t kind = sends ? send_flags(c) : received ? 2 : c == CALL_POSTS || both ? 1 : 0;
	const int64_t v[] = {(int64_t)row[4], -1, (int64_t)row[5], tag, number, kind};
	put_numbers(w, sends ? 2 : 3, v, LENGTH(v));
	if (w->carries && c == CALL_RECEIVES && w->idle) { /* a second receive in one call */
		put_event(w, 0, 0);
		w->idle = false;
	}
	w->carries = true;
}

static void put_pending(struct writer *w)
{
	const size_t n = w->pending.n;
	w->pending.n = 0;
	for (unsigned sends = 0; sends < 2; sends++) /* what an exchange receives is posted first */
		for (size_t i = 0; i < n; i += P2D_ROW_WORDS)
			if ((w->pending.at[i + 3] == P2D_SEND) == sends)
				put_message(w, w->pending.at + i);
}

static int take_message(struct writer *w, const uint64_t *row)
{
	if (w->pending.n && row[1] != w->pending.at[1])
		put_pending(w);
	if (w->in_call && !w->pending.n) {
		put_message(w, row);
		return 0;
	}
	for (unsigned i = 0; i < P2D_ROW_WORDS; i++)
		if (weft_vec_push(&w->pending, row[i]))
			return -ENOMEM;
	return 0;
}

/* ---- threads ---- */

static void begin_thread(struct writer *w)
{
	put_burst(w, 0);
	if (!w->thread)
		put_event(w, 0, 1);
	put_burst(w, 0);
	if (!w->thread)
		put_event(w, 0, 0);
	w->last = w->state_end = w->counter = 0;
	w->in_call = w->carries = w->idle = w->in_function = w->began = w->said_comm = false;
	w->operation = -1;
	w->call = CALL_OTHER;
}

static int enter_thread(struct writer *w, uint64_t number)
{
	struct p2d_task *task = &w->d->task.at[w->d->task_of.at[number]];
	put_pending(w);
	if (w->d->task_of.at[number] != w->task || number == task->first) {
		w->d->count->tasks_any += w->any;
		w->any = false;
		weft_map_clear(&w->reduction);
	}
	w->task = w->d->task_of.at[number];
	w->thread = (uint32_t)number - task->first;
	if (weft_vec_push(&task->offset, w->offset + w->n))
		return -ENOMEM;
	begin_thread(w);
	return 0;
}

/* Which task is the root of each reduction: the one that says so, its k-th of that communicator. */
static int find_roots(struct writer *w)
{
	uint64_t thread = UINT64_MAX, said[2] = {0, 0};
	bool reduces = false;
	int rc = 0;
	for (uint64_t i = 0; i < w->d->rows.n_rows && !rc && spill_sort_in_memory(&w->d->rows); i++) {
		const uint64_t *row = spill_sort_at(&w->d->rows, i);
		if (row[0] != thread) {
			thread = row[0];
			weft_map_clear(&w->reduction);
		}
		if (row[3] != P2D_EVENT)
			continue;
		if (row[4] == 50000002 && row[5])
			reduces = row[5] == 9;
		else if (row[4] == 50100003)
			said[0] = row[5];
		else if (row[4] == 50100004)
			said[1] = row[5];
		else if (row[4] == 50000002 && reduces) {
			uint64_t k = 0;
			weft_map_get(&w->reduction, said[1], &k);
			if (said[0] == 1)
				rc = weft_map_put(&w->root, said[1] << 32 | k, (uint64_t)w->d->task_of.at[thread] + 1);
			if (!rc)
				rc = weft_map_put(&w->reduction, said[1], k + 1);
			reduces = false;
			said[0] = said[1] = 0;
		}
	}
	weft_map_clear(&w->reduction);
	return rc;
}

static int put_rows(struct writer *w)
{
	const uint64_t *row;
	uint64_t next = 0;
	int rc;
	while ((rc = spill_sort_next(&w->d->rows, (const void **)&row)) > 0) {
		for (; next <= row[0]; next++)
			if ((rc = enter_thread(w, next)) < 0)
				return rc;
		if (row[3] == P2D_STATE)
			w->state_end = row[4] > w->state_end ? row[4] : w->state_end;
		else if (row[3] == P2D_EVENT)
			take_event(w, row);
		else if ((rc = take_message(w, row)) < 0)
			return rc;
	}
	put_pending(w);
	for (; !rc && next < w->d->task_of.n; next++)
		rc = enter_thread(w, next);
	w->d->count->tasks_any += w->any;
	return rc;
}

/* ---- the file ---- */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* The place of the index is filled in at the end: its digits and the blanks behind the header are fifteen. */
enum { INDEX_ROOM = 15 };

static void print_head(const struct p2d *d, uint64_t index, struct weft_buf *to)
{
	char digits[24];
	const unsigned n = index ? (unsigned)snprintf(digits, sizeof digits, "%llu", (unsigned long long)index) : 0;
	uint32_t omp = 0;
	weft_buf_printf(to, "#DIMEMAS:\"%s\":1,%.*s:%zu(", base_name(d->dim), (int)n, digits, d->task.n);
	for (size_t i = 0; i < d->task.n; i++) {
		weft_buf_printf(to, "%s%u", i ? "," : "", d->task.at[i].n);
		omp += d->task.at[i].omp && d->task.at[i].n > 1;
	}
	weft_buf_printf(to, "),%u,0,%u", d->n_comms, omp);
	for (size_t i = 0, k = 0; omp && i < d->task.n; i++)
		if (d->task.at[i].omp && d->task.at[i].n > 1)
			weft_buf_printf(to, "%s%zu", k++ ? "," : "(", i);
	weft_buf_printf(to, "%s%*s\n", omp ? ")" : "", (int)(INDEX_ROOM - n), "");
}

static int put_index(struct writer *w)
{
	const uint64_t index = w->offset + w->n;
	struct weft_buf head = {0};
	for (size_t i = 0; i < w->d->task.n; i++) {
		const struct p2d_task *t = &w->d->task.at[i];
		if (w->n > sizeof w->at - 4096)
			flush(w);
		w->n += (size_t)snprintf(w->at + w->n, 32, "s:%zu", i);
		for (size_t k = 0; k < t->offset.n; k++) {
			if (w->n > sizeof w->at - 64)
				flush(w);
			put_number(w, (int64_t)t->offset.at[k]);
		}
		put_char(w, '\n');
	}
	flush(w);
	print_head(w->d, index, &head);
	int rc = head.failed ? -ENOMEM : fseek(w->out.to, 0, SEEK_SET) ? -errno : 0;
	if (!rc)
		fwrite(head.at, 1, head.n, w->out.to);
	weft_buf_fini(&head);
	return rc;
}

int p2d_write(struct p2d *d)
{
	struct weft_buf head = {0};
	struct writer *w = calloc(1, sizeof *w);
	if (!w)
		return -ENOMEM;
	w->d = d;
	w->task = UINT32_MAX;
	int rc = weft_out_open(&w->out, d->dim, d->err);
	if (!rc) {
		print_head(d, 0, &head);
		fwrite(head.at, 1, head.n, w->out.to);
		fwrite(d->comms.at ? d->comms.at : "", 1, d->comms.n, w->out.to);
		w->offset = head.n + d->comms.n;
		rc = head.failed ? -ENOMEM : find_roots(w);
		if (!rc)
			rc = put_rows(w);
		if (!rc)
			rc = put_index(w);
		if (rc < 0)
			weft_out_abandon(&w->out);
		else
			rc = weft_out_commit(&w->out, d->err);
	}
	weft_buf_fini(&head);
	weft_map_fini(&w->reduction);
	weft_map_fini(&w->root);
	free(w->pending.at);
	free(w);
	return rc;
}
