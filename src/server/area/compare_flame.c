/* SPDX-License-Identifier: Apache-2.0 */
/* compare/flame: the trees of calls of both traces laid over each other: a way of calls is one node, with what it took in each. */
#include "base/map.h"
#include "server_compare.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SHARE = 2000 }; /* nodes with less than a part of that many of the larger tree are left out */

struct both {
	uint32_t parent, name;
	double self[2], total[2];
};
struct merging {
	WEFT_VEC(struct both) node; /* [0] the root; parents before their children */
	struct weft_map child;      /* parent << 32 | name -> node */
	struct weft_intern names;
};

static int child_of(struct merging *m, uint32_t parent, const char *name, uint32_t *out)
{
	uint32_t id;
	uint64_t at;
	int rc = weft_intern_add(&m->names, weft_str(name), &id);
	uint64_t key = (uint64_t)parent << 32 | id;
	if (!rc && weft_map_get(&m->child, key, &at)) {
		*out = (uint32_t)at;
		return 0;
	}
	*out = (uint32_t)m->node.n;
	rc = rc ? rc : weft_map_put(&m->child, key, *out);
	return rc ? rc : weft_vec_push(&m->node, ((struct both){.parent = parent, .name = id}));
}

static int merge_tree(struct merging *m, const struct weft_profile *p, unsigned which)
{
	uint32_t *at = calloc((size_t)p->n_nodes + 1, sizeof *at);
	double unit = p->of == WEFT_PROFILE_SAMPLES && p->period_ns ? (double)p->period_ns : 1;
	int rc = at ? 0 : -ENOMEM;
	for (uint32_t i = 0; i < p->n_nodes && !rc; i++) {
		const struct weft_profile_node *n = &p->node[i];
		rc = i ? child_of(m, at[n->parent], weft_profile_name(p, i), &at[i]) : 0;
		if (rc)
			break;
		m->node.at[at[i]].self[which] += (double)n->self * unit;
		m->node.at[at[i]].total[which] += (double)n->total * unit;
	}
	free(at);
	return rc;
}

static int put_merged(const struct merging *m, bool samples, struct server_answer *a)
{
	const struct both *root = &m->node.at[0];
	double most = root->total[0] > root->total[1] ? root->total[0] : root->total[1];
	uint32_t *place = calloc(m->node.n + 1, sizeof *place), n = 0;
	struct server_json j;
	if (!place)
		return -ENOMEM;
	struct weft_json *w = server_json_begin(&j);
	weft_json_object(w);
	server_put_string(w, "of", samples ? "samples" : "regions");
	weft_json_key(w, "names");
	weft_json_array(w);
	for (size_t i = 0; i < m->names.n; i++)
		weft_json_string(w, m->names.name[i]);
	weft_json_end(w);
	weft_json_key(w, "nodes"); /* [parent, name, total in a, in b, self in a, in b]; ns */
	weft_json_array(w);
	for (size_t i = 0; i < m->node.n; i++) {
		const struct both *b = &m->node.at[i];
		bool shown = !i || ((b->total[0] > most / SHARE || b->total[1] > most / SHARE) && place[b->parent] != UINT32_MAX);
		place[i] = shown ? n++ : UINT32_MAX;
		if (!shown)
			continue;
		weft_json_array(w);
		weft_json_i64(w, i ? (int64_t)place[b->parent] : -1);
		weft_json_i64(w, i ? (int64_t)b->name : -1);
		weft_json_double(w, b->total[0]);
		weft_json_double(w, b->total[1]);
		weft_json_double(w, b->self[0]);
		weft_json_double(w, b->self[1]);
		weft_json_end(w);
	}
	weft_json_end(w);
	weft_json_end(w);
	free(place);
	return server_json_end(&j, a);
}

int server_compare_flame(const struct server_request *r, struct server_answer *a)
{
	struct compare_pair pair;
	struct compare_profiles p = {0};
	struct merging m = {0};
	int rc = compare_pair(r, &pair);
	if (rc)
		return rc;
	rc = compare_profiles_make(r, &pair, &p);
	rc = rc ? rc : weft_vec_push(&m.node, ((struct both){0}));
	for (unsigned k = 0; k < 2 && !rc; k++)
		rc = merge_tree(&m, &p.p[k], k);
	if (!rc)
		rc = put_merged(&m, p.p[0].of == WEFT_PROFILE_SAMPLES, a);
	compare_profiles_fini(&p);
	free(m.node.at);
	weft_map_fini(&m.child);
	weft_intern_fini(&m.names);
	return rc;
}
