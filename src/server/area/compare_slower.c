/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare/slower: what got slower first. A mark that both traces have cuts them into steps; the first step from which on b takes longer, and what
 * in it takes most of that.
 */
#include "base/map.h"
#include "server_compare.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LOOK = 3, CULPRITS = 12 };
static const double SLOWER = 1.1;

struct culprit {
	const char *name;
	double self[2];
};

static double step_ns(const struct compare_mark *m, size_t i)
{
	return (double)(m->at.at[i + 1] - m->at.at[i]);
}

/* The first step that takes longer in b by more than a tenth, and most of the next ones, too; SIZE_MAX: none does. */
static size_t first_slower(const struct compare_mark *a, const struct compare_mark *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned slower = 0, seen = 0;
		for (size_t k = i; k < n && k < i + LOOK; k++) {
			seen++;
			slower += step_ns(b, k) > SLOWER * step_ns(a, k);
		}
		if (step_ns(b, i) > SLOWER * step_ns(a, i) && 2 * slower > seen)
			return i;
	}
	return SIZE_MAX;
}

static int by_growth(const void *a, const void *b)
{
	const struct culprit *x = a, *y = b;
	double dx = x->self[1] - x->self[0], dy = y->self[1] - y->self[0];
	if (dx != dy)
		return dx > dy ? -1 : 1;
	return strcmp(x->name, y->name);
}

static void put_culprits(struct weft_json *w, const struct culprit *c, size_t n)
{
	weft_json_key(w, "culprits"); /* [name, self in a, in b], ns */
	weft_json_array(w);
	for (size_t i = 0; i < n && i < CULPRITS && c[i].self[1] > c[i].self[0]; i++) {
		weft_json_array(w);
		weft_json_string(w, c[i].name);
		weft_json_double(w, c[i].self[0]);
		weft_json_double(w, c[i].self[1]);
		weft_json_end(w);
	}
	weft_json_end(w);
}

/* Own time by name in both, of the step. */
static int find_culprits(const struct server_request *r, const struct compare_pair *pair, struct weft_json *w)
{
	struct compare_profiles p = {0};
	struct weft_intern names = {0};
	WEFT_VEC(struct culprit) list = {0};
	int rc = compare_profiles_make(r, pair, &p);
	for (unsigned k = 0; k < 2 && !rc; k++) {
		const struct weft_profile *of = &p.p[k];
		double unit = of->of == WEFT_PROFILE_SAMPLES && of->period_ns ? (double)of->period_ns : 1;
		for (uint32_t i = 1; i < of->n_nodes && !rc; i++) {
			uint32_t id;
			rc = weft_intern_add(&names, weft_str(weft_profile_name(of, i)), &id);
			if (!rc && id == list.n)
				rc = weft_vec_push(&list, ((struct culprit){0}));
			if (!rc)
				list.at[id].self[k] += (double)of->node[i].self * unit;
		}
	}
	for (size_t i = 0; i < list.n; i++)
		list.at[i].name = names.name[i];
	if (!rc && list.n)
		qsort(list.at, list.n, sizeof *list.at, by_growth);
	if (!rc)
		put_culprits(w, list.at, list.n);
	compare_profiles_fini(&p);
	free(list.at);
	weft_intern_fini(&names);
	return rc;
}

static void put_steps(struct weft_json *w, const struct compare_mark *a, const struct compare_mark *b, size_t n)
{
	weft_json_key(w, "steps"); /* [begin in a, length in a, begin in b, length in b] */
	weft_json_array(w);
	for (size_t i = 0; i < n; i++) {
		weft_json_array(w);
		weft_json_u64(w, a->at.at[i]);
		weft_json_double(w, step_ns(a, i));
		weft_json_u64(w, b->at.at[i]);
		weft_json_double(w, step_ns(b, i));
		weft_json_end(w);
	}
	weft_json_end(w);
}

int server_compare_slower(const struct server_request *r, struct server_answer *a)
{
	struct compare_pair pair;
	struct compare_marks m[2] = {{{0}}, {{0}}};
	struct server_json j;
	uint64_t iteration = 0;
	const char *name = server_arg(r, "mark");
	int rc = compare_pair(r, &pair);
	if (!rc)
		rc = server_arg_u64(r, "iteration", 0, 1, 0, &iteration);
	for (unsigned k = 0; k < 2 && !rc; k++)
		rc = compare_marks_find(r, pair.trace[k], &m[k]);
	const struct compare_mark *x = rc ? NULL : compare_mark_named(&m[0], name ? name : "", iteration);
	const struct compare_mark *y = rc ? NULL : compare_mark_named(&m[1], name ? name : "", iteration);
	if (!rc && (!x || !y))
		rc = weft_err_set(r->err, -EINVAL, "'mark': expected something that happens several times in both traces");
	if (!rc) {
		size_t n = (x->at.n < y->at.n ? x->at.n : y->at.n) - 1, first = first_slower(x, y, n);
		struct weft_json *w = server_json_begin(&j);
		weft_json_object(w);
		put_steps(w, x, y, n);
		weft_json_key(w, "first");
		weft_json_i64(w, first == SIZE_MAX ? -1 : (int64_t)first);
		if (first != SIZE_MAX) {
			struct compare_pair step = {.trace = {pair.trace[0], pair.trace[1]},
			                            .from = {x->at.at[first], y->at.at[first]},
			                            .to = {x->at.at[first + 1], y->at.at[first + 1]}};
			rc = find_culprits(r, &step, w);
		}
		weft_json_end(w);
		int end = server_json_end(&j, a);
		rc = rc ? rc : end;
	}
	compare_marks_fini(&m[0]);
	compare_marks_fini(&m[1]);
	return rc;
}
