/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading a .dim. A line is a record; all records of a thread stand together. First it is found where each thread begins (by the
 * index at the end, or where there is none by going through the lines), then threads are read in the order of their tasks.
 *
 *     #DIMEMAS:"name":1,<offset of the index>:<tasks>(<threads>,…),<communicators>,…
 *     d:1:<communicator>:<n>:<task>…
 *     <kind>:<task>:<thread>:…                        dim_record.c
 *     s:<task>:<offset of thread 0>:…
 */
#include "dim_read_priv.h"
#include "base/fs.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char mark[] = "#DIMEMAS:";
enum { TASKS_MOST = 1 << 24 };

bool weft_replay_is_dim(const char *first, size_t n)
{
	return n >= sizeof mark - 1 && memcmp(first, mark, sizeof mark - 1) == 0;
}

/* ---- head ---- */

static int wrong_head(struct dim_reader *r, const char *what)
{
	return weft_err_set(r->err, WEFT_E_SYNTAX, "'%s', line 1: %s", r->name, what);
}

/* A list "(1,2,…)" behind a count, or nothing. */
static int read_threads(struct dim_reader *r, const char **at, const char *end, uint64_t n_tasks)
{
	if (*at == end || **at != '(')
		return wrong_head(r, "no numbers of threads behind the number of tasks");
	for (uint64_t i = 0; i < n_tasks; i++) {
		uint64_t n;
		++*at;
		if (!dim_number(at, end, &n) || n > UINT32_MAX || r->n_threads + n > UINT32_MAX ||
		    (*at == end || **at != (i + 1 == n_tasks ? ')' : ',')))
			return wrong_head(r, "the numbers of threads do not go with the number of tasks");
		if (weft_vec_push(&r->task, (struct dim_task){.first = (uint32_t)r->n_threads, .n = (uint32_t)n}))
			return -ENOMEM;
		r->n_threads += n;
	}
	++*at;
	return 0;
}

/* The tasks in parentheses of the last but `skip` lists: which stand for accelerators. */
static void read_devices(struct dim_reader *r, const char *at, const char *end)
{
	uint64_t n;
	if (at == end || *at++ != ',' || !dim_number(&at, end, &n) || at == end || *at++ != ',' || !dim_number(&at, end, &n) ||
	    at == end || *at != '(')
		return;
	for (at++; at < end && dim_number(&at, end, &n); at++) {
		if (n < r->task.n)
			r->task.at[n].is_device = true;
		if (at == end || *at != ',')
			break;
	}
}

static int read_head(struct dim_reader *r)
{
	const char *line_end = memchr(r->at, '\n', r->n);
	const char *at = r->at + sizeof mark - 1, *end = line_end ? line_end : r->at + r->n;
	uint64_t n, flag;
	const char *quote = at < end && *at == '"' ? memchr(at + 1, '"', (size_t)(end - at - 1)) : NULL;
	if (!weft_replay_is_dim(r->at, r->n) || !quote)
		return wrong_head(r, "this is no program for Dimemas, which begins with #DIMEMAS:\"name\":");
	at = quote + 1;
	if (at == end || *at++ != ':' || !dim_number(&at, end, &flag))
		return wrong_head(r, "no place of an index behind the name");
	if (at < end && *at == ',' && (at++, !dim_number(&at, end, &r->index)))
		return wrong_head(r, "no place of an index behind the name");
	if (!flag)
		r->index = 0;
	if (at == end || *at++ != ':' || !dim_number(&at, end, &n) || !n || n > TASKS_MOST)
		return wrong_head(r, "no number of tasks");
	int rc = read_threads(r, &at, end, n);
	if (rc)
		return rc;
	read_devices(r, at, end);
	r->body = line_end ? line_end + 1 : end;
	return 0;
}

/* ---- where threads begin ---- */

/* "s:<task>:<offset>…" from the index on. Whether all are sensible. */
static bool read_index(struct dim_reader *r)
{
	const char *at = r->at + r->index, *end = r->at + r->n;
	if (!r->index || r->index >= r->n || at[-1] != '\n')
		return false;
	for (size_t i = 0; i < r->task.n; i++) {
		uint64_t task, offset;
		if (end - at < 2 || at[0] != 's' || at[1] != ':')
			return false;
		at += 2;
		if (!dim_number(&at, end, &task) || task >= r->task.n)
			return false;
		for (uint32_t k = 0; k < r->task.at[task].n; k++) {
			if (at == end || *at++ != ':' || !dim_number(&at, end, &offset) || offset >= r->index || !offset ||
			    r->at[offset - 1] != '\n')
				return false;
			r->begin[r->task.at[task].first + k] = r->at + offset;
		}
		while (at < end && *at == ' ')
			at++;
		if (at < end && *at++ != '\n')
			return false;
	}
	r->end = r->at + r->index;
	return true;
}

/* Of a record: its thread among all; UINT64_MAX: it is none, or of no thread that the head names. */
static uint64_t thread_of(const struct dim_reader *r, const char *at, const char *end)
{
	uint64_t kind, task, thread;
	if (!dim_number(&at, end, &kind) || at == end || *at++ != ':' || !dim_number(&at, end, &task) || at == end ||
	    *at++ != ':' || !dim_number(&at, end, &thread) || task >= r->task.n || thread >= r->task.at[task].n)
		return UINT64_MAX;
	return r->task.at[task].first + thread;
}

static int find_begins(struct dim_reader *r)
{
	uint64_t last = UINT64_MAX, line = 2;
	memset(r->begin, 0, r->n_threads * sizeof *r->begin);
	r->end = r->at + r->n;
	for (const char *at = r->body; at < r->end; line++) {
		const char *next = memchr(at, '\n', (size_t)(r->end - at));
		const char *end = next ? next : r->end;
		const uint64_t t = *at >= '0' && *at <= '9' ? thread_of(r, at, end) : last;
		if (t == UINT64_MAX && *at >= '0' && *at <= '9' && next)
			return weft_err_set(r->err, WEFT_E_SYNTAX,
			                    "'%s', line %llu: a record of no task or thread of this program", r->name,
			                    (unsigned long long)line);
		if (t != last && t != UINT64_MAX) {
			if (r->begin[t])
				return weft_err_set(r->err, WEFT_E_SYNTAX,
				                    "'%s', line %llu: the records of a thread do not stand together", r->name,
				                    (unsigned long long)line);
			r->begin[t] = at;
			last = t;
		}
		at = next ? next + 1 : r->end;
	}
	return 0;
}

/* ---- the whole ---- */

static uint64_t line_of(const struct dim_reader *r, const char *at)
{
	uint64_t line = 1;
	for (const char *p = r->at; p < at && (p = memchr(p, '\n', (size_t)(at - p))); p++)
		line++;
	return line;
}

int dim_wrong(struct dim_reader *r, const char *at, const char *what)
{
	return weft_err_set(r->err, WEFT_E_SYNTAX, "'%s', line %llu: %s", r->name, (unsigned long long)line_of(r, at), what);
}

static int read_comm(struct dim_reader *r, const char *at, const char *end)
{
	uint64_t flag, id, n, member;
	const char *line = at;
	at += 2;
	r->members.n = 0;
	if (!dim_number(&at, end, &flag) || at == end || *at++ != ':' || !dim_number(&at, end, &id) || at == end ||
	    *at++ != ':' || !dim_number(&at, end, &n) || id > UINT32_MAX)
		return dim_wrong(r, line, "not a communicator as d:1:<number>:<n>:<task>…");
	for (uint64_t i = 0; i < n; i++) {
		if (at == end || *at++ != ':' || !dim_number(&at, end, &member) || member >= r->task.n)
			return dim_wrong(r, line, "the members of the communicator are not as many tasks as it says");
		if (weft_vec_push(&r->members, (uint32_t)member))
			return -ENOMEM;
	}
	int64_t rc = weft_replay_build_comm(r->b, (uint32_t)id, r->members.at, (uint32_t)r->members.n);
	return rc < 0 ? (int)rc : 0;
}

static int read_comms(struct dim_reader *r)
{
	const char *end = r->at + r->n;
	for (const char *at = r->body; end - at >= 2 && at[0] == 'd' && at[1] == ':';) {
		const char *next = memchr(at, '\n', (size_t)(end - at));
		int rc = read_comm(r, at, next ? next : end);
		if (rc)
			return rc;
		at = r->body = next ? next + 1 : end;
	}
	return 0;
}

static int read_tasks(struct dim_reader *r)
{
	int rc = 0;
	for (uint32_t t = 0; t < r->task.n && rc >= 0; t++) {
		const struct weft_replay_rank rank = {.node = WEFT_NONE, .is_device = r->task.at[t].is_device};
		rc = weft_replay_build_rank(r->b, &rank) < 0 ? -ENOMEM : 0;
		for (uint32_t k = 0; k < r->task.at[t].n && rc >= 0; k++) {
			const struct weft_replay_thread thread = {.trace_thread = WEFT_NONE};
			if (weft_replay_build_thread(r->b, &thread) < 0)
				return -ENOMEM;
			const char *begin = r->begin[r->task.at[t].first + k];
			if (begin)
				rc = dim_read_thread(r, begin, t, k);
		}
		if (rc >= 0)
			rc = dim_join_threads(r);
	}
	return rc;
}

static int read_all(struct dim_reader *r)
{
	int rc = read_head(r);
	if (rc)
		return rc;
	r->begin = calloc(r->n_threads + 1, sizeof *r->begin);
	if (!r->begin)
		return -ENOMEM;
	rc = read_comms(r);
	if (!rc && !read_index(r))
		rc = find_begins(r);
	if (!rc)
		rc = read_tasks(r);
	weft_replay_built(r->b)->n_records = r->n_records;
	return rc;
}

int weft_replay_dim_parse(struct weft_replay_program **out, const char *at, size_t n, const char *name, uint64_t memory,
                          struct weft_err *err)
{
	struct dim_reader r = {.at = at, .n = n, .name = name, .err = err};
	*out = NULL;
	int rc = weft_replay_builder_new(&r.b, name, memory);
	if (!rc)
		rc = read_all(&r);
	if (rc < 0)
		weft_replay_builder_free(r.b);
	else
		rc = weft_replay_build_finish(r.b, out, err);
	if (rc == -ENOMEM)
		rc = weft_err_set(err, -ENOMEM, "'%s': out of memory", name);
	else if (rc == -E2BIG)
		rc = weft_err_set(err, -E2BIG, "'%s': too many messages", name);
	dim_match_fini(&r.match);
	free(r.task.at);
	free(r.members.at);
	free(r.sync.at);
	free(r.begun.at);
	free(r.begin);
	weft_map_fini(&r.sync_count);
	return rc;
}

int weft_replay_dim_read(struct weft_replay_program **out, const char *path, uint64_t memory, struct weft_err *err)
{
	struct weft_map_file f;
	*out = NULL;
	int rc = weft_map_file_open(&f, path, err);
	if (rc)
		return rc;
	rc = weft_replay_dim_parse(out, (const char *)f.at, f.n, path, memory, err);
	weft_map_file_close(&f);
	return rc;
}
