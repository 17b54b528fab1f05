/* SPDX-License-Identifier: Apache-2.0 */
/* Topologies by their words: which kind, of what size; and the ways through any of them. */
#include "base/fs.h"
#include "replay_settings.h"
#include "topology_priv.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name, *example;
	int (*make)(struct weft_topology *t, const struct topology_links *l);
	int (*route)(const struct weft_topology *t, uint32_t from, uint32_t to, struct weft_route *r);
} kinds[] = {
	[WEFT_TOPOLOGY_FAT_TREE] = {"fat-tree", "fat-tree:k=4", topology_fat_tree, topology_route_fat_tree},
	[WEFT_TOPOLOGY_TORUS] = {"torus", "torus:4x4x2", topology_torus, topology_route_torus},
	[WEFT_TOPOLOGY_DRAGONFLY] = {"dragonfly", "dragonfly:a=4,p=2,h=2", topology_dragonfly, topology_route_dragonfly},
	[WEFT_TOPOLOGY_FILE] = {"", "", NULL, topology_route_file},
};

void weft_topology_free(struct weft_topology *t)
{
	if (!t)
		return;
	free(t->link.at);
	free(t->name);
	free(t->first_out);
	free(t->out);
	weft_arena_fini(&t->arena);
	free(t);
}

/* ---- words ---- */

/* "4x4x2" */
static int read_sizes(struct weft_topology *t, struct weft_str text)
{
	struct weft_str part;
	uint64_t n;
	while (weft_str_cut(&text, 'x', &part)) {
		if (t->n_dims == WEFT_TOPOLOGY_DIMENSIONS || weft_parse_u64(part, &n) || !n || n > TOPOLOGY_NODES_MOST)
			return WEFT_E_SYNTAX;
		t->size[t->n_dims++] = (uint32_t)n;
	}
	return 0;
}

/* Which count a letter names, or NULL. */
static uint32_t *count_of(struct weft_topology *t, struct weft_str key)
{
	const struct {
		const char *key;
		enum weft_topology_kind kind;
		uint32_t *at;
	} rows[] = {{"k", WEFT_TOPOLOGY_FAT_TREE, &t->k},
	            {"a", WEFT_TOPOLOGY_DRAGONFLY, &t->routers},
	            {"p", WEFT_TOPOLOGY_DRAGONFLY, &t->hosts},
	            {"h", WEFT_TOPOLOGY_DRAGONFLY, &t->global},
	            {"g", WEFT_TOPOLOGY_DRAGONFLY, &t->groups}};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (rows[i].kind == t->kind && weft_str_eq(key, rows[i].key))
			return rows[i].at;
	return NULL;
}

static int read_part(struct weft_topology *t, struct topology_links *l, struct weft_str part, struct weft_err *err)
{
	struct weft_str key, whole = part;
	uint64_t n;
	if (!part.n || !memchr(part.at, '=', part.n))
		return t->kind == WEFT_TOPOLOGY_TORUS && !t->n_dims ? read_sizes(t, part) : WEFT_E_SYNTAX;
	weft_str_cut(&part, '=', &key);
	uint32_t *count = count_of(t, key);
	if (weft_str_eq(key, "bandwidth"))
		return weft_replay_setting_parse(WEFT_SET_BANDWIDTH, part, &l->bytes_per_ns, err);
	if (weft_str_eq(key, "latency"))
		return weft_replay_setting_parse(WEFT_SET_LATENCY, part, &l->latency_ns, err);
	if (weft_str_eq(key, "taper") && t->kind != WEFT_TOPOLOGY_TORUS)
		return weft_parse_double(part, &l->taper) || !(l->taper >= 1e-6 && l->taper <= 1e6) ? WEFT_E_SYNTAX : 0;
	if (!count || weft_parse_u64(part, &n) || !n || n > TOPOLOGY_NODES_MOST)
		return weft_err_set(err, WEFT_E_SYNTAX, "'%.*s' is not one of its sizes", (int)whole.n, whole.at);
	*count = (uint32_t)n;
	return 0;
}

/* NULL, or what is wrong with its sizes. */
static const char *wrong_size(struct weft_topology *t)
{
	uint64_t nodes = 1;
	if (t->kind == WEFT_TOPOLOGY_FAT_TREE) {
		if (!t->k || t->k % 2)
			return "k, the ports of a switch, is even";
		nodes = (uint64_t)t->k * t->k / 4 > TOPOLOGY_NODES_MOST ? UINT32_MAX : (uint64_t)t->k * t->k / 4 * t->k;
	} else if (t->kind == WEFT_TOPOLOGY_DRAGONFLY) {
		if (!t->routers || !t->hosts || !t->global)
			return "it needs a (routers of a group), p (nodes of a router) and h (links of a router to other groups)";
		const uint64_t ports = (uint64_t)t->routers * t->global;
		if (!t->groups)
			t->groups = ports < TOPOLOGY_NODES_MOST ? (uint32_t)ports + 1 : UINT32_MAX;
		if (t->groups > ports + 1)
			return "there are more groups than a h + 1: some could not be reached";
		nodes = (uint64_t)t->routers * t->hosts > TOPOLOGY_NODES_MOST ? UINT32_MAX
		                                                              : (uint64_t)t->routers * t->hosts * t->groups;
		if ((uint64_t)t->groups * t->routers * t->routers > 64ull * TOPOLOGY_NODES_MOST ||
		    (uint64_t)t->groups * t->groups > 64ull * TOPOLOGY_NODES_MOST)
			nodes = UINT32_MAX;
	} else {
		if (!t->n_dims)
			return "it needs its sizes";
		for (uint32_t d = 0; d < t->n_dims && nodes <= TOPOLOGY_NODES_MOST; d++)
			nodes *= t->size[d];
	}
	return nodes > TOPOLOGY_NODES_MOST ? "it is too large" : NULL;
}

static int make_by_words(struct weft_topology *t, struct weft_str rest, struct weft_err *err)
{
	struct topology_links links = {.bytes_per_ns = -1, .taper = 1};
	struct weft_str part;
	while (weft_str_cut(&rest, ',', &part)) {
		struct weft_err why = {0};
		if (read_part(t, &links, weft_str_trim(part), &why))
			return weft_err_set(err, WEFT_E_SYNTAX, "topology '%s': %s%s", t->text, why.code ? why.text : "not like ",
			                    why.code ? "" : kinds[t->kind].example);
	}
	const char *wrong = wrong_size(t);
	if (wrong)
		return weft_err_set(err, -EINVAL, "topology '%s': %s (%s)", t->text, wrong, kinds[t->kind].example);
	return kinds[t->kind].make(t, &links) ? weft_err_set(err, -ENOMEM, "topology '%s': out of memory", t->text) : 0;
}

static int make_from_file(struct weft_topology **out, const char *text, const char *folder, struct weft_err *err)
{
	char path[4096], *at;
	size_t n;
	snprintf(path, sizeof path, "%s%s%s", folder && text[0] != '/' ? folder : "", folder && text[0] != '/' ? "/" : "", text);
	if (!strchr(text, '/') && !strchr(text, '.'))
		return weft_err_set(
			err, WEFT_E_SYNTAX,
			"unknown topology '%s': fat-tree:k=4, torus:4x4x2, dragonfly:a=4,p=2,h=2, or a file (its name has a dot or a slash)",
			text);
	int rc = weft_read_file(path, &at, &n, err);
	if (rc)
		return rc;
	rc = weft_topology_parse(out, at, n, path, err);
	free(at);
	return rc;
}

int weft_topology_make(struct weft_topology **out, const char *text, const char *folder, struct weft_err *err)
{
	struct weft_str rest = weft_str(text), name;
	*out = NULL;
	weft_str_cut(&rest, ':', &name);
	for (unsigned i = 0; i < WEFT_TOPOLOGY_FILE; i++) {
		if (!weft_str_eq(name, kinds[i].name))
			continue;
		struct weft_topology *t = calloc(1, sizeof *t);
		if (!t)
			return weft_err_set(err, -ENOMEM, "out of memory");
		t->kind = (enum weft_topology_kind)i;
		t->text = weft_arena_strdup(&t->arena, text);
		int rc = t->text ? make_by_words(t, rest.at ? rest : weft_str(""), err)
		                 : weft_err_set(err, -ENOMEM, "out of memory");
		if (rc)
			weft_topology_free(t);
		else
			*out = t;
		return rc;
	}
	return make_from_file(out, text, folder, err);
}

/* ---- ways ---- */

int weft_topology_route(const struct weft_topology *t, uint32_t from, uint32_t to, struct weft_route *r)
{
	r->link.n = 0;
	r->latency_ns = 0;
	if (from == to)
		return 0;
	int rc = kinds[t->kind].route(t, from, to, r);
	for (size_t i = 0; i < r->link.n && !rc; i++)
		r->latency_ns += t->link.at[r->link.at[i]].latency_ns;
	return rc;
}

void weft_route_fini(struct weft_route *r)
{
	for (uint32_t i = 0; i < r->n_distances; i++)
		free(r->distance[i]);
	free(r->distance);
	free(r->link.at);
	memset(r, 0, sizeof *r);
}

char *weft_topology_vertex(const struct weft_topology *t, uint32_t vertex, char *out, size_t room)
{
	if (t->name)
		snprintf(out, room, "%s", t->name[vertex]);
	else
		topology_name_made(t, vertex, out, room);
	return out;
}
