/* SPDX-License-Identifier: Apache-2.0 */
/* A tree by function: how much was spent in each, in all and by itself; and what can be said of that from samples. */
#include "profile_priv.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>

struct summing {
	const struct weft_profile *p;
	struct weft_map row_of; /* function, file, line, hashed -> row */
	WEFT_VEC(struct weft_profile_row) row;
	WEFT_VEC(uint32_t) on_way; /* by row: how often it is on the way from the root to where the walk is */
};

static int row_of(struct summing *s, const struct weft_profile_node *n, uint32_t *row)
{
	uint64_t at, key = weft_hash_u64(weft_hash_u64(n->function + 1) ^ ((uint64_t)n->file << 32 | n->line));
	for (; weft_map_get(&s->row_of, key, &at); key++) {
		const struct weft_profile_row *r = &s->row.at[at];
		if (r->function == n->function && r->file == n->file && r->line == n->line) {
			*row = (uint32_t)at;
			return 0;
		}
	}
	*row = (uint32_t)s->row.n;
	if (weft_map_put(&s->row_of, key, *row) || weft_vec_push(&s->on_way, 0))
		return -ENOMEM;
	return weft_vec_push(&s->row, (struct weft_profile_row){n->function, n->file, n->line, 0, 0, 0});
}

/* The next node before all that is behind it, without recursion: ways may be as deep as stacks are. */
static int sum_up(struct summing *s)
{
	const struct weft_profile_node *node = s->p->node;
	uint32_t *of = calloc(s->p->n_nodes, sizeof *of), at = node[0].child, row;
	int rc = of ? 0 : -ENOMEM;
	while (!rc && at != WEFT_NONE) {
		if ((rc = row_of(s, &node[at], &row)))
			break;
		of[at] = row;
		s->row.at[row].self += node[at].self;
		s->row.at[row].calls += node[at].calls;
		if (s->on_way.at[row]++ == 0)
			s->row.at[row].total += node[at].total;
		if (node[at].child != WEFT_NONE) {
			at = node[at].child;
			continue;
		}
		while (at != 0 && node[at].next == WEFT_NONE) {
			s->on_way.at[of[at]]--;
			at = node[at].parent;
		}
		if (at == 0)
			break;
		s->on_way.at[of[at]]--;
		at = node[at].next;
	}
	free(of);
	return rc;
}

static int order_rows(const void *a, const void *b)
{
	const struct weft_profile_row *x = a, *y = b;
	if (x->self != y->self)
		return x->self > y->self ? -1 : 1;
	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return x->function != y->function ? (x->function < y->function ? -1 : 1) : x->line < y->line ? -1 : x->line > y->line;
}

int weft_profile_rows(const struct weft_profile *p, struct weft_profile_row **out, size_t *n)
{
	struct summing s = {.p = p};
	int rc = sum_up(&s);
	weft_map_fini(&s.row_of);
	free(s.on_way.at);
	*out = NULL;
	*n = 0;
	if (rc) {
		free(s.row.at);
		return rc;
	}
	if (s.row.n)
		qsort(s.row.at, s.row.n, sizeof *s.row.at, order_rows);
	*out = s.row.at;
	*n = s.row.n;
	return 0;
}

void weft_profile_interval(uint64_t k, uint64_t n, double *low, double *high)
{
	const double z = 1.959963984540054; /* 97.5 % of a normal distribution lie below */
	double count = (double)n, p = n ? (double)k / count : 0;
	if (!n) {
		*low = 0;
		*high = 1;
		return;
	}
	double scale = 1 + z * z / count, middle = (p + z * z / (2 * count)) / scale;
	double half = z / scale * sqrt(p * (1 - p) / count + z * z / (4 * count * count));
	*low = k == 0 || middle < half ? 0 : middle - half;
	*high = k == n || middle + half > 1 ? 1 : middle + half;
}
