/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Topologies from files: three passes over the text (nodes, switches, links, so that nodes have the first numbers), and shortest ways by a
 * breadth-first search back from each receiver that is asked for. Nodes do not pass on what is not theirs.
 */
#include "base/map.h"
#include "replay_settings.h"
#include "topology_priv.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct file {
	struct weft_topology *t;
	struct weft_intern names;
	const char *name;
	unsigned line;
	struct weft_err *err;
};

#define WRONG(f, ...) \
	(weft_err_set((f)->err, WEFT_E_SYNTAX, __VA_ARGS__), weft_err_prefix((f)->err, "'%s', line %u", (f)->name, (f)->line))

static int read_names(struct file *f, struct weft_str rest)
{
	if (!rest.n)
		return WRONG(f, "a name is missing");
	while (rest.n) {
		const struct weft_str word = weft_str_word(&rest);
		uint32_t id;
		if (weft_intern_find(&f->names, word, &id))
			return WRONG(f, "'%.*s' is there already", (int)word.n, word.at);
		if (f->names.n == TOPOLOGY_VERTICES_MOST)
			return WRONG(f, "more than %u nodes and switches", (unsigned)TOPOLOGY_VERTICES_MOST);
		if (weft_intern_add(&f->names, word, &id))
			return -ENOMEM;
	}
	return 0;
}

static int read_end(struct file *f, struct weft_str *rest, uint32_t *out)
{
	const struct weft_str word = weft_str_word(rest);
	if (!word.n)
		return WRONG(f, "a link has two ends");
	return weft_intern_find(&f->names, word, out) ? 0 : WRONG(f, "no node or switch '%.*s'", (int)word.n, word.at);
}

static int read_link(struct file *f, struct weft_str rest)
{
	struct weft_topology_link l = {.bytes_per_ns = -1};
	int rc = read_end(f, &rest, &l.from);
	if (!rc)
		rc = read_end(f, &rest, &l.to);
	while (rest.n && !rc) {
		struct weft_str word = weft_str_word(&rest), key;
		weft_str_cut(&word, '=', &key);
		const bool rate = weft_str_eq(key, "bandwidth");
		if (!rate && !weft_str_eq(key, "latency"))
			return WRONG(f, "a link has bandwidth=RATE and latency=TIME, not '%.*s'", (int)key.n, key.at);
		rc = weft_replay_setting_parse(rate ? WEFT_SET_BANDWIDTH : WEFT_SET_LATENCY, word,
		                               rate ? &l.bytes_per_ns : &l.latency_ns, f->err);
		if (rc)
			return weft_err_prefix(f->err, "'%s', line %u", f->name, f->line);
	}
	if (rc)
		return rc;
	if (l.from == l.to)
		return WRONG(f, "a link from '%s' to itself", f->names.name[l.from]);
	if (weft_vec_push(&f->t->link, l))
		return -ENOMEM;
	const uint32_t from = l.from;
	l.from = l.to;
	l.to = from;
	return weft_vec_push(&f->t->link, l);
}

enum { KEYWORDS = 3 };
static const char *const keyword[KEYWORDS] = {"node", "switch", "link"};

/* Lines that begin with keyword `pass`; the first pass also looks at what others begin with. */
static int read_pass(struct file *f, struct weft_str all, unsigned pass)
{
	struct weft_str line;
	int rc = 0;
	for (f->line = 1; !rc && weft_str_cut(&all, '\n', &line); f->line++) {
		const char *mark = memchr(line.at, '#', line.n);
		line = weft_str_trim(weft_str_n(line.at, mark ? (size_t)(mark - line.at) : line.n));
		if (!line.n)
			continue;
		const struct weft_str word = weft_str_word(&line);
		unsigned k = 0;
		while (k < KEYWORDS && !weft_str_eq(word, keyword[k]))
			k++;
		if (k == KEYWORDS)
			return WRONG(f, "not node, switch or link: '%.*s'", (int)word.n, word.at);
		if (k == pass)
			rc = pass == 2 ? read_link(f, line) : read_names(f, line);
	}
	return rc;
}

/* The links out of each vertex, in the order of the file. */
static int make_out(struct weft_topology *t)
{
	t->first_out = calloc((size_t)t->n_vertices + 2, sizeof *t->first_out);
	t->out = calloc(t->link.n + 1, sizeof *t->out);
	if (!t->first_out || !t->out)
		return -ENOMEM;
	for (size_t i = 0; i < t->link.n; i++)
		t->first_out[t->link.at[i].from + 2]++;
	for (uint32_t v = 2; v < t->n_vertices + 2; v++)
		t->first_out[v] += t->first_out[v - 1];
	for (size_t i = 0; i < t->link.n; i++)
		t->out[t->first_out[t->link.at[i].from + 1]++] = (uint32_t)i;
	return 0;
}

static int keep_names(struct file *f)
{
	struct weft_topology *t = f->t;
	t->n_vertices = (uint32_t)f->names.n;
	t->name = calloc(f->names.n + 1, sizeof *t->name);
	for (uint32_t i = 0; t->name && i < t->n_vertices; i++) {
		t->name[i] = weft_arena_strdup(&t->arena, f->names.name[i]);
		if (!t->name[i])
			return -ENOMEM;
	}
	return t->name ? make_out(t) : -ENOMEM;
}

int weft_topology_parse(struct weft_topology **out, const char *at, size_t n, const char *name, struct weft_err *err)
{
	struct file f = {.t = calloc(1, sizeof *f.t), .name = name, .err = err};
	int rc = f.t ? 0 : -ENOMEM;
	*out = NULL;
	if (!rc) {
		f.t->kind = WEFT_TOPOLOGY_FILE;
		f.t->text = weft_arena_strdup(&f.t->arena, name);
		rc = f.t->text ? read_pass(&f, weft_str_n(at, n), 0) : -ENOMEM;
		f.t->n_nodes = (uint32_t)f.names.n;
	}
	if (!rc && !f.t->n_nodes)
		rc = weft_err_set(err, WEFT_E_SYNTAX, "'%s': it has no node", name);
	if (!rc)
		rc = read_pass(&f, weft_str_n(at, n), 1);
	if (!rc)
		rc = read_pass(&f, weft_str_n(at, n), 2);
	if (!rc)
		rc = keep_names(&f);
	weft_intern_fini(&f.names);
	if (rc) {
		weft_topology_free(f.t);
		return rc == -ENOMEM ? weft_err_set(err, rc, "'%s': out of memory", name) : rc;
	}
	*out = f.t;
	return 0;
}

/* ---- ways ---- */

static int search(const struct weft_topology *t, uint32_t to, uint16_t **out)
{
	uint16_t *d = malloc(t->n_vertices * sizeof *d);
	uint32_t *line = malloc(t->n_vertices * sizeof *line), n = 0;
	if (!d || !line) {
		free(d);
		free(line);
		return -ENOMEM;
	}
	for (uint32_t v = 0; v < t->n_vertices; v++)
		d[v] = UINT16_MAX;
	d[to] = 0;
	line[n++] = to;
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t v = line[i];
		if (v < t->n_nodes && v != to)
			continue;
		for (uint32_t k = t->first_out[v]; k < t->first_out[v + 1]; k++) { /* cables go both ways */
			const uint32_t w = t->link.at[t->out[k]].to;
			if (d[w] != UINT16_MAX)
				continue;
			d[w] = (uint16_t)(d[v] + 1);
			line[n++] = w;
		}
	}
	free(line);
	*out = d;
	return 0;
}

/* One step nearer: of several the one that the receiver's number says. */
static uint32_t choose(const struct weft_topology *t, const uint16_t *d, uint32_t at, uint32_t to)
{
	uint32_t n = 0, pick = 0;
	for (int pass = 0; pass < 2; pass++) {
		if (pass)
			pick = to % n;
		n = 0;
		for (uint32_t k = t->first_out[at]; k < t->first_out[at + 1]; k++) {
			const uint32_t w = t->link.at[t->out[k]].to;
			if (d[w] + 1 != d[at] || (w < t->n_nodes && w != to))
				continue;
			if (pass && n == pick)
				return t->out[k];
			n++;
		}
	}
	return UINT32_MAX;
}

int topology_route_file(const struct weft_topology *t, uint32_t from, uint32_t to, struct weft_route *r)
{
	if (!r->distance) {
		r->distance = calloc(t->n_nodes, sizeof *r->distance);
		r->n_distances = r->distance ? t->n_nodes : 0;
	}
	int rc = !r->distance ? -ENOMEM : r->distance[to] ? 0 : search(t, to, &r->distance[to]);
	if (rc)
		return rc;
	const uint16_t *d = r->distance[to];
	if (d[from] == UINT16_MAX)
		return -ENETUNREACH;
	for (uint32_t at = from; at != to && !rc;) {
		const uint32_t link = choose(t, d, at, to);
		rc = weft_vec_push(&r->link, link);
		at = t->link.at[link].to;
	}
	return rc;
}
