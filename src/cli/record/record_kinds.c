/* SPDX-License-Identifier: Apache-2.0 */
#include "record_kinds.h"
#include <math.h>
#include <stdlib.h>

uint32_t record_kinds_region(struct record_kinds *k, struct weft_str name)
{
	uint32_t id;
	if (weft_intern_add(&k->region, name, &id)) {
		k->failed = true;
		return 0;
	}
	return id + 1;
}

uint64_t record_kinds_at(const struct record_kinds *k, uint64_t ns)
{
	return ns > k->origin_ns ? (ns - k->origin_ns) / k->stretch_ns : 0;
}

/* NULL: it is decided already, or there is no memory. */
static struct record_kinds_part *part_of(struct record_kinds *k, uint64_t stretch, uint32_t region)
{
	if (stretch < k->decided.n)
		return NULL;
	while (k->open.n <= stretch - k->decided.n)
		if (weft_vec_push(&k->open, (struct record_kinds_shape){.part = {0}})) {
			k->failed = true;
			return NULL;
		}
	struct record_kinds_shape *s = &k->open.at[stretch - k->decided.n];
	while (s->part.n <= region)
		if (weft_vec_push(&s->part, (struct record_kinds_part){0})) {
			k->failed = true;
			return NULL;
		}
	return &s->part.at[region];
}

void record_kinds_spend(struct record_kinds *k, uint32_t region, uint64_t from_ns, uint64_t to_ns)
{
	const uint64_t first = k->origin_ns + k->decided.n * k->stretch_ns;
	uint64_t at = from_ns > first ? from_ns : first;
	while (at < to_ns && !k->failed) {
		const uint64_t stretch = record_kinds_at(k, at), end = k->origin_ns + (stretch + 1) * k->stretch_ns;
		const uint64_t to = end < to_ns ? end : to_ns;
		struct record_kinds_part *p = part_of(k, stretch, region);
		if (p)
			p->ns += (double)(to - at);
		at = to;
	}
}

void record_kinds_enter(struct record_kinds *k, uint32_t region, uint64_t at_ns)
{
	struct record_kinds_part *p = part_of(k, record_kinds_at(k, at_ns), region);
	if (p)
		p->calls++;
}

static double apart(double differ, double most)
{
	return most > 0 ? differ / most : 0;
}

double record_kinds_distance(const struct record_kinds_shape *a, const struct record_kinds_shape *b)
{
	const size_t n = a->part.n > b->part.n ? a->part.n : b->part.n;
	double differ[2] = {0, 0}, most[2] = {0, 0};
	for (size_t i = 0; i < n; i++) {
		const struct record_kinds_part x = i < a->part.n ? a->part.at[i] : (struct record_kinds_part){0};
		const struct record_kinds_part y = i < b->part.n ? b->part.at[i] : (struct record_kinds_part){0};
		differ[0] += fabs(x.ns - y.ns);
		most[0] += fmax(x.ns, y.ns);
		differ[1] += fabs(x.calls - y.calls);
		most[1] += fmax(x.calls, y.calls);
	}
	return fmax(apart(differ[0], most[0]), apart(differ[1], most[1]));
}

/* The kind of a shape, which is taken over where it begins one; 0: there are too many. */
static uint32_t kind_of(struct record_kinds *k, struct record_kinds_shape *s)
{
	double best = INFINITY;
	uint32_t at = 0;
	for (uint32_t i = 0; i < k->kind.shape.n; i++) {
		const double d = record_kinds_distance(&k->kind.shape.at[i], s);
		if (d < best) {
			best = d;
			at = i + 1;
		}
	}
	if (at && best <= k->tolerance)
		return at;
	if (k->kind.shape.n >= RECORD_KINDS_MOST)
		return 0;
	if (weft_vec_push(&k->kind.kept, 0) || weft_vec_push(&k->kind.shape, *s)) {
		k->failed = true;
		return 0;
	}
	*s = (struct record_kinds_shape){.part = {0}};
	return (uint32_t)k->kind.shape.n;
}

static bool decide_one(struct record_kinds *k, struct record_kinds_shape *s)
{
	struct record_kinds_of of = {.kind = kind_of(k, s)};
	if (of.kind && k->kind.kept.at[of.kind - 1] >= RECORD_KINDS_KEPT)
		of.left_out = true;
	else if (of.kind)
		k->kind.kept.at[of.kind - 1]++;
	free(s->part.at);
	s->part.at = NULL;
	if (weft_vec_push(&k->decided, of))
		k->failed = true;
	return !k->failed;
}

void record_kinds_decide(struct record_kinds *k, uint64_t until_ns)
{
	const uint64_t ended = record_kinds_at(k, until_ns);
	size_t n = 0;
	if (ended <= k->decided.n || k->failed || !part_of(k, ended - 1, 0))
		return;
	const size_t count = ended - k->decided.n;
	while (n < count && decide_one(k, &k->open.at[n]))
		n++;
	for (size_t i = n; i < k->open.n; i++)
		k->open.at[i - n] = k->open.at[i];
	k->open.n -= n;
}

void record_kinds_fini(struct record_kinds *k)
{
	for (size_t i = 0; i < k->open.n; i++)
		free(k->open.at[i].part.at);
	for (size_t i = 0; i < k->kind.shape.n; i++)
		free(k->kind.shape.at[i].part.at);
	free(k->open.at);
	free(k->kind.shape.at);
	free(k->kind.kept.at);
	free(k->decided.at);
	weft_intern_fini(&k->region);
	*k = (struct record_kinds){0};
}
