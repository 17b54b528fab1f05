/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The labels of event types: the values of a section EVENT_TYPE belong to all types that it lists. A list is kept once for all types
 * that stand in the same sections: multiplied out, a .pcf of 46 KB whose types share their values made a gigabyte.
 */
#include "base/map.h"
#include "pcf.h"
#include "prv_load.h"
#include <errno.h>
#include <stdlib.h>

struct label_use { /* a type stands in a section */
	uint32_t id, group;
	size_t order;
};
struct label_lists {
	struct prv_load *l;
	struct label_use *use; /* owned; by type, in the order of the file */
	struct weft_map of;    /* hash of a type's sections -> the first use of the type that has them, plus 1 */
	uint64_t merged, most; /* labels that stand in more than one list, as types stand in several sections; and how many may */
	bool said;
};
struct label_run { /* the sections of one type: use[first … first + n) */
	size_t first, n;
};

static int by_type_and_order(const void *x, const void *y)
{
	const struct label_use *a = x, *b = y;
	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	return a->order < b->order ? -1 : 1;
}

static bool same_sections(const struct label_lists *s, size_t a, struct label_run r)
{
	size_t k = 0;
	for (; k < r.n && s->use[a + k].id == s->use[a].id; k++)
		if (s->use[a + k].group != s->use[r.first + k].group)
			return false;
	return k == r.n;
}

static uint64_t hash_of_sections(const struct label_lists *s, struct label_run r)
{
	uint64_t h = r.n;
	for (size_t k = 0; k < r.n; k++)
		h = weft_hash_u64(h ^ s->use[r.first + k].group);
	return h;
}

/* The type that has the same sections, or 0. */
static uint32_t find_same(const struct label_lists *s, struct label_run r)
{
	uint64_t at;
	return weft_map_get(&s->of, hash_of_sections(s, r), &at) && same_sections(s, at - 1, r) ? s->use[at - 1].id : 0;
}

static uint64_t labels_of_run(const struct label_lists *s, struct label_run r)
{
	uint64_t n = 0;
	for (size_t k = 0; k < r.n; k++)
		n += s->l->pcf.group.at[s->use[r.first + k].group].value.n;
	return n;
}

static int say_too_many(struct label_lists *s)
{
	if (s->said)
		return 0;
	s->said = true;
	return prv_load_problem(
		s->l, s->l->path, 0, 0, 0,
		"event types of the .pcf have values of several sections, too many to keep: only those of the last");
}

static int put_labels(struct label_lists *s, struct label_run r)
{
	int rc = 0;
	for (size_t k = 0; k < r.n && !rc; k++) {
		const struct pcf_group *g = &s->l->pcf.group.at[s->use[r.first + k].group];
		for (size_t i = 0; i < g->value.n && !rc; i++)
			rc = weft_build_label(s->l->b, s->use[r.first].id, g->value.at[i].value, g->value.at[i].text);
	}
	return rc;
}

static int make_list(struct label_lists *s, struct label_run r)
{
	int rc = 0;
	uint32_t as = find_same(s, r);
	if (!as && r.n > 1 && s->merged + labels_of_run(s, r) > s->most) {
		rc = say_too_many(s);
		r = (struct label_run){r.first + r.n - 1, 1};
		as = find_same(s, r);
	}
	if (rc)
		return rc;
	if (as) {
		weft_build_same_labels(s->l->b, s->use[r.first].id, as);
		return 0;
	}
	if (r.n > 1)
		s->merged += labels_of_run(s, r);
	rc = weft_map_put(&s->of, hash_of_sections(s, r), r.first + 1);
	return rc ? rc : put_labels(s, r);
}

int prv_load_labels(struct prv_load *l, const struct prv_ids *types)
{
	const struct pcf *p = &l->pcf;
	struct label_lists s = {.l = l, .most = 65536, .use = calloc(p->type.n + 1, sizeof *s.use)};
	int rc = s.use ? 0 : -ENOMEM;
	size_t n = 0;
	for (size_t i = 0; i < p->group.n; i++)
		s.most += 4 * p->group.at[i].value.n;
	for (size_t i = 0; i < p->type.n && !rc; i++)
		s.use[i] = (struct label_use){prv_ids_get(types, p->type.at[i].number), p->type.at[i].group, i};
	if (!rc && p->type.n)
		qsort(s.use, p->type.n, sizeof *s.use, by_type_and_order);
	for (size_t i = 0; i < p->type.n && !rc; i++) /* a type that stands in a section twice over */
		if (!n || s.use[i].id != s.use[n - 1].id || s.use[i].group != s.use[n - 1].group)
			s.use[n++] = s.use[i];
	for (size_t i = 0, end; i < n && !rc; i = end) {
		for (end = i + 1; end < n && s.use[end].id == s.use[i].id; end++)
			;
		rc = make_list(&s, (struct label_run){i, end - i});
	}
	weft_map_fini(&s.of);
	free(s.use);
	return rc;
}
