/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare/marks, compare/align: what happens again and again in several traces, so that the n-th time in one can be laid beside the n-th in another.
 * A region counts on the first thread that enters it; tasks' iterations by their first submission or begin.
 */
#include "server_compare.h"
#include "server/core/server_tasks.h"
#include "trace/store/cursor.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST = 2, MOST = 5000, SHOWN_MOST = 60 };

void compare_marks_fini(struct compare_marks *m)
{
	for (size_t i = 0; i < m->mark.n; i++)
		free(m->mark.at[i].at.at);
	free(m->mark.at);
	*m = (struct compare_marks){0};
}

/* ---- iterations ---- */

static int by_time(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

static int find_iterations(const struct server_request *r, struct server_trace *t, struct compare_marks *out)
{
	struct task_view v;
	struct server_trace *same;
	struct compare_mark m = {.name = "iteration", .iteration = true};
	struct weft_map first = {0};
	char number[16];
	snprintf(number, sizeof number, "%u", t->id);
	const struct server_arg arg = {"trace", number};
	struct server_request asked = *r;
	asked.arg = &arg;
	asked.n_args = 1;
	int rc = server_tasks_get(&asked, &v, &same);
	for (uint32_t i = 0; i < v.tasks.n && !rc; i++) {
		const struct weft_tasks_task *k = &v.tasks.task[i];
		uint64_t at = k->submit != WEFT_NEVER ? k->submit : k->start, known;
		if (k->iteration == WEFT_TASKS_NO_ITERATION || at == WEFT_NEVER)
			continue;
		if (!weft_map_get(&first, (uint64_t)(uint32_t)k->iteration, &known) || at < known)
			rc = weft_map_put(&first, (uint64_t)(uint32_t)k->iteration, at);
	}
	uint64_t key, value;
	for (size_t pos = 0; !rc && weft_map_next(&first, &pos, &key, &value);)
		rc = weft_vec_push(&m.at, value);
	weft_map_fini(&first);
	if (!rc && m.at.n >= LEAST && m.at.n <= MOST) {
		qsort(m.at.at, m.at.n, sizeof *m.at.at, by_time);
		rc = weft_vec_push(&out->mark, m);
		if (!rc)
			return 0;
	}
	free(m.at.at);
	return rc;
}

/* ---- regions ---- */

struct region_seen {
	uint32_t thread; /* WEFT_NONE: not met yet */
	size_t mark;     /* its place; SIZE_MAX: it comes too often */
};

static int see_enter(struct compare_marks *out, struct region_seen *seen, const struct weft_trace *t, uint32_t region,
                     uint32_t thread, uint64_t time)
{
	struct region_seen *s = &seen[region];
	if (s->thread == WEFT_NONE) {
		struct compare_mark m = {.name = t->def[WEFT_CLASS_REGION].at[region].name, .thread = thread};
		*s = (struct region_seen){thread, out->mark.n};
		int rc = weft_vec_push(&out->mark, m);
		if (rc)
			return rc;
	}
	if (s->thread != thread || s->mark == SIZE_MAX)
		return 0;
	struct compare_mark *m = &out->mark.at[s->mark];
	if (m->at.n > MOST) { /* kept, so that places stay; it has too many to be one */
		s->mark = SIZE_MAX;
		return 0;
	}
	return weft_vec_push(&m->at, time);
}

static int walk_thread(const struct server_request *r, const struct weft_trace *t, uint32_t thread, struct compare_marks *out,
                       struct region_seen *seen)
{
	struct weft_cursor c;
	struct weft_block b;
	int failed = 0, rc = weft_cursor_begin(&c, t, thread, 0, WEFT_NEVER);
	if (rc)
		return rc;
	weft_cursor_want(&c, (struct weft_wanted){.kinds = UINT64_C(1) << WEFT_EV_ENTER});
	while (!failed && (rc = weft_cursor_next(&c, &b)) > 0) {
		if (r->gone && r->gone(r))
			failed = -ECANCELED;
		for (uint32_t i = 0; i < b.n && !failed; i++) {
			uint32_t region = weft_what_id(b.what[i]);
			if (weft_what_kind(b.what[i]) == WEFT_EV_ENTER && region < t->def[WEFT_CLASS_REGION].n)
				failed = see_enter(out, seen, t, region, thread, b.time[i]);
		}
	}
	weft_cursor_end(&c);
	return failed ? failed : rc;
}

static int find_regions(const struct server_request *r, const struct weft_trace *t, struct compare_marks *out)
{
	uint32_t n = t->def[WEFT_CLASS_REGION].n;
	struct region_seen *seen = malloc(((size_t)n + 1) * sizeof *seen);
	if (!seen)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		seen[i] = (struct region_seen){WEFT_NONE, 0};
	int rc = 0;
	uint32_t left = 0;
	for (uint32_t i = 1; i < n; i++)
		left += t->def[WEFT_CLASS_REGION].at[i].n_events > 0;
	for (uint32_t thread = 0; thread < t->n_threads && !rc; thread++) {
		rc = walk_thread(r, t, thread, out, seen);
		uint32_t met = 0;
		for (uint32_t i = 1; i < n; i++)
			met += seen[i].thread != WEFT_NONE;
		if (met >= left)
			break; /* each has its thread */
	}
	free(seen);
	return rc;
}

int compare_marks_find(const struct server_request *r, struct server_trace *t, struct compare_marks *out)
{
	*out = (struct compare_marks){0};
	int rc = t->has_tasks ? find_iterations(r, t, out) : 0;
	rc = rc ? rc : find_regions(r, t->trace, out);
	size_t kept = 0;
	for (size_t i = 0; i < out->mark.n; i++)
		if (out->mark.at[i].at.n >= LEAST && out->mark.at[i].at.n <= MOST)
			out->mark.at[kept++] = out->mark.at[i];
		else
			free(out->mark.at[i].at.at);
	out->mark.n = kept;
	return rc;
}

const struct compare_mark *compare_mark_named(const struct compare_marks *m, const char *name, bool iteration)
{
	for (size_t i = 0; i < m->mark.n; i++)
		if (m->mark.at[i].iteration == iteration && !strcmp(m->mark.at[i].name, name))
			return &m->mark.at[i];
	return NULL;
}

/* ---- answers ---- */

struct shared_mark {
	const struct compare_mark *a, *b;
	double worth; /* what is as often in both, and spread over all of the time, tells most */
};

static int by_worth(const void *a, const void *b)
{
	const struct shared_mark *x = a, *y = b;
	if (x->worth != y->worth)
		return x->worth > y->worth ? -1 : 1;
	return strcmp(x->a->name, y->a->name);
}

static double worth_of(const struct compare_pair *p, const struct compare_mark *a, const struct compare_mark *b)
{
	double spread = (double)(a->at.at[a->at.n - 1] - a->at.at[0]) / (double)server_trace_end_ns(p->trace[0]);
	double alike = (double)(a->at.n < b->at.n ? a->at.n : b->at.n) / (double)(a->at.n > b->at.n ? a->at.n : b->at.n);
	double few = a->at.n <= 200 ? 1 : 200.0 / (double)a->at.n;
	return (a->iteration ? 10 : 0) + spread * alike * (0.5 + 0.5 * few);
}

static void put_mark(struct weft_json *w, const struct shared_mark *s)
{
	weft_json_object(w);
	server_put_string(w, "name", s->a->name);
	server_put_bool(w, "iteration", s->a->iteration);
	weft_json_key(w, "times");
	weft_json_array(w);
	weft_json_u64(w, s->a->at.n);
	weft_json_u64(w, s->b->at.n);
	weft_json_end(w);
	weft_json_end(w);
}

int server_compare_marks(const struct server_request *r, struct server_answer *a)
{
	struct compare_pair pair;
	struct compare_marks m[2] = {{{0}}, {{0}}};
	WEFT_VEC(struct shared_mark) list = {0};
	struct server_json j;
	int rc = compare_pair(r, &pair);
	for (unsigned k = 0; k < 2 && !rc; k++)
		rc = compare_marks_find(r, pair.trace[k], &m[k]);
	for (size_t i = 0; i < m[0].mark.n && !rc; i++) {
		const struct compare_mark *x = &m[0].mark.at[i], *y = compare_mark_named(&m[1], x->name, x->iteration);
		rc = y ? weft_vec_push(&list, ((struct shared_mark){x, y, worth_of(&pair, x, y)})) : 0;
	}
	if (!rc) {
		if (list.n)
			qsort(list.at, list.n, sizeof *list.at, by_worth);
		struct weft_json *w = server_json_begin(&j);
		weft_json_array(w);
		for (size_t i = 0; i < list.n && i < SHOWN_MOST; i++)
			put_mark(w, &list.at[i]);
		weft_json_end(w);
		rc = server_json_end(&j, a);
	}
	free(list.at);
	compare_marks_fini(&m[0]);
	compare_marks_fini(&m[1]);
	return rc;
}

/* mark=NAME, iteration=1: the instants in each of the traces a and b. */
int server_compare_align(const struct server_request *r, struct server_answer *a)
{
	struct compare_pair pair;
	struct server_json j;
	uint64_t iteration = 0;
	const char *name = server_arg(r, "mark");
	int rc = compare_pair(r, &pair);
	if (!rc)
		rc = server_arg_u64(r, "iteration", 0, 1, 0, &iteration);
	if (!rc && !name)
		rc = weft_err_set(r->err, -EINVAL, "'mark': expected the name of something that happens several times");
	if (rc)
		return rc;
	struct weft_json *w = server_json_begin(&j);
	weft_json_object(w);
	weft_json_key(w, "times");
	weft_json_array(w);
	for (unsigned k = 0; k < 2 && !rc; k++) {
		struct compare_marks m;
		rc = compare_marks_find(r, pair.trace[k], &m);
		const struct compare_mark *x = rc ? NULL : compare_mark_named(&m, name, iteration);
		weft_json_array(w);
		for (size_t i = 0; x && i < x->at.n; i++)
			weft_json_u64(w, x->at.at[i]);
		weft_json_end(w);
		compare_marks_fini(&m);
	}
	weft_json_end(w);
	weft_json_end(w);
	int end = server_json_end(&j, a);
	return rc ? rc : end;
}
