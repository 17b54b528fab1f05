/* SPDX-License-Identifier: Apache-2.0 */
/* The tree of calls: its making, sums, order. What fills it is in profile_sampled.c and profile_spans.c. */
#include "profile_priv.h"
#include "trace/store/cursor.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- in the making ---- */

static bool same_place(const struct profile_tree *t, const struct weft_profile_node *n, uint32_t parent,
                       const struct weft_frame *f)
{
	return n->parent == parent && n->function == f->function && n->file == f->file && n->line == f->line &&
	       n->address == t->address && n->module == t->module;
}

uint32_t profile_child(struct profile_tree *t, uint32_t parent, const struct weft_frame *frame)
{
	struct weft_frame f = *frame;
	uint64_t at;
	if (!t->how->lines && !t->how->addresses)
		f.file = f.line = 0;
	uint64_t key = weft_hash_u64((uint64_t)parent << 32 | f.function);
	if (f.file || f.line)
		key = weft_hash_u64(key ^ ((uint64_t)f.file << 32 | f.line));
	if (t->address)
		key = weft_hash_u64(key ^ t->address ^ (uint64_t)t->module << 48);
	while (weft_map_get(&t->child, key, &at)) {
		if (same_place(t, &t->node.at[at], parent, &f))
			return (uint32_t)at;
		key++;
	}
	at = t->node.n;
	struct weft_profile_node n = {.parent = parent,
	                              .child = WEFT_NONE,
	                              .next = WEFT_NONE,
	                              .function = f.function,
	                              .file = f.file,
	                              .line = f.line,
	                              .inlined = f.inlined,
	                              .address = t->address,
	                              .module = t->module};
	if (at >= WEFT_NONE - 1 || weft_vec_push(&t->node, n) || weft_map_put(&t->child, key, at))
		return WEFT_NONE;
	return (uint32_t)at;
}

static uint32_t child_called(struct profile_tree *t, const char *name)
{
	int64_t function = weft_symbols_add(t->symbols, name, "");
	t->address = t->module = 0;
	if (function < 0)
		return WEFT_NONE;
	return profile_child(t, 0, &(struct weft_frame){.function = (uint32_t)function});
}

uint32_t profile_root_of(struct profile_tree *t, uint32_t thread)
{
	char label[40], name[256];
	const struct weft_trace *trace = t->trace;
	if (t->root_of[thread] != WEFT_NONE)
		return t->root_of[thread];
	weft_thread_label(trace, thread, label);
	if (t->how->per == WEFT_PER_THREAD) {
		const char *called = trace->thread[thread].name;
		snprintf(name, sizeof name, "thread %s%s%.200s", label, *called ? " " : "", called);
		t->root_of[thread] = child_called(t, name);
	} else if (t->how->per == WEFT_PER_PROCESS) {
		*strrchr(label, '.') = '\0';
		const char *called = trace->process[trace->thread[thread].process].name;
		snprintf(name, sizeof name, "process %s%s%.200s", label, *called ? " " : "", called);
		t->root_of[thread] = child_called(t, name);
	} else {
		t->root_of[thread] = 0;
	}
	return t->root_of[thread];
}

bool profile_has_thread(const struct profile_tree *t, uint32_t thread)
{
	if (t->trace->thread[thread].own && !t->how->own_threads)
		return false;
	return !t->how->filter || weft_filter_thread(t->how->filter, thread);
}

int64_t profile_add_address(struct profile_tree *t, uint32_t at, const struct weft_frame *frame, uint32_t n)
{
	for (uint32_t i = 0; i < n && at != WEFT_NONE; i++) {
		const struct weft_frame *f = &frame[t->how->callers ? i : n - 1 - i];
		if (!f->inlined || !t->how->no_inlined)
			at = profile_child(t, at, f);
	}
	return at == WEFT_NONE ? -ENOMEM : (int64_t)at;
}

/* ---- addresses ---- */

/* The last module that begins at the address or before; modules are sorted by process and begin. */
static uint32_t module_at(const struct weft_trace *t, uint32_t process, uint64_t address)
{
	uint32_t low = 0, high = t->n_modules;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct weft_module *m = &t->module[middle];
		if (m->process < process || (m->process == process && m->first <= address))
			low = middle + 1;
		else
			high = middle;
	}
	const struct weft_module *m = low ? &t->module[low - 1] : NULL;
	return m && m->process == process && address < m->end ? low - 1 : WEFT_NONE;
}

static bool same_file(const struct weft_module *a, const struct weft_module *b)
{
	return a->offset == b->offset && a->end - a->first == b->end - b->first && !strcmp(a->build_id, b->build_id) &&
	       !strcmp(a->path, b->path);
}

int profile_set_address(struct profile_tree *t, uint32_t process, uint64_t address)
{
	const struct weft_module *all = t->trace->module;
	uint64_t first;
	t->address = t->module = 0;
	if (!t->how->addresses)
		return 0;
	t->address = address;
	uint32_t at = module_at(t->trace, process, address);
	if (at == WEFT_NONE)
		return 0;
	uint64_t key = weft_hash(all[at].path, strlen(all[at].path)) ^ weft_hash_u64(all[at].offset + 1);
	while (weft_map_get(&t->same_file, key, &first) && !same_file(&all[first], &all[at]))
		key++;
	if (!weft_map_get(&t->same_file, key, &first)) {
		first = at;
		if (weft_map_put(&t->same_file, key, at))
			return -ENOMEM;
	}
	t->module = (uint32_t)first + 1;
	t->address = address - all[at].first + all[first].first;
	return 0;
}

/* ---- the whole ---- */

/* Parents stand before their children, so one pass from the end adds up. */
static void add_up(struct profile_tree *t)
{
	for (size_t i = t->node.n; i-- > 0;) {
		struct weft_profile_node *n = &t->node.at[i];
		n->total += n->self;
		if (i)
			t->node.at[n->parent].total += n->total;
	}
}

struct heavy {
	const struct weft_profile *p;
	uint32_t node;
};

static int order_heavy(const void *a, const void *b)
{
	const struct heavy *x = a, *y = b;
	const struct weft_profile_node *m = &x->p->node[x->node], *n = &y->p->node[y->node];
	if (m->parent != n->parent)
		return m->parent < n->parent ? -1 : 1;
	if (m->total != n->total)
		return m->total > n->total ? -1 : 1;
	int by_name = strcmp(weft_profile_name(x->p, x->node), weft_profile_name(y->p, y->node));
	return by_name ? by_name : x->node < y->node ? -1 : 1;
}

/* Nodes in which nothing is, and nothing below, are left alone. */
static int link_children(struct weft_profile *p)
{
	struct heavy *order = calloc(p->n_nodes, sizeof *order);
	uint8_t *used = calloc(p->n_nodes, 1);
	uint32_t n_used = 0;
	if (!order || !used) {
		free(order);
		free(used);
		return -ENOMEM;
	}
	for (uint32_t i = p->n_nodes; i-- > 1;) {
		used[i] |= p->node[i].total || p->node[i].calls;
		used[p->node[i].parent] |= used[i];
		if (used[i])
			order[n_used++] = (struct heavy){p, i};
	}
	free(used);
	qsort(order, n_used, sizeof *order, order_heavy);
	for (uint32_t i = n_used; i-- > 0;) {
		struct weft_profile_node *n = &p->node[order[i].node];
		n->next = p->node[n->parent].child;
		p->node[n->parent].child = order[i].node;
	}
	free(order);
	return 0;
}

static enum weft_profile_of choose(const struct weft_trace *t, enum weft_profile_of of)
{
	struct weft_cursor c;
	struct weft_block b;
	if (of != WEFT_PROFILE_ANY)
		return of;
	for (uint32_t i = 0; i < t->n_threads; i++) {
		bool any = false;
		if (weft_cursor_begin(&c, t, i, 0, WEFT_NEVER))
			continue;
		weft_cursor_want(&c, (struct weft_wanted){.kinds = UINT64_C(1) << WEFT_EV_SAMPLE});
		while (!any && weft_cursor_next(&c, &b) > 0)
			for (uint32_t k = 0; k < b.n && !any; k++)
				any = weft_what_kind(b.what[k]) == WEFT_EV_SAMPLE;
		weft_cursor_end(&c);
		if (any)
			return WEFT_PROFILE_SAMPLES;
	}
	return WEFT_PROFILE_REGIONS;
}

int weft_profile_make(struct weft_profile *out, const struct weft_trace *t, struct weft_symbols *s,
                      const struct weft_profile_how *how, struct weft_err *err)
{
	struct profile_tree tree = {.trace = t, .symbols = s, .how = how};
	struct weft_profile_node root = {WEFT_NONE, WEFT_NONE, WEFT_NONE, WEFT_NONE, 0, 0, 0, 0, 0, false, 0, 0};
	*out = (struct weft_profile){.symbols = s, .of = choose(t, how->of), .trace = t};
	tree.root_of = malloc(((size_t)t->n_threads + 1) * sizeof *tree.root_of);
	int rc = tree.root_of ? weft_vec_push(&tree.node, root) : -ENOMEM;
	for (uint32_t i = 0; i < t->n_threads && !rc; i++)
		tree.root_of[i] = WEFT_NONE;
	if (!rc)
		rc = out->of == WEFT_PROFILE_SAMPLES ? profile_from_samples(&tree) : profile_from_regions(&tree);
	free(tree.root_of);
	weft_map_fini(&tree.child);
	weft_map_fini(&tree.same_file);
	out->node = tree.node.at;
	if (!rc) {
		add_up(&tree);
		out->n_nodes = (uint32_t)tree.node.n;
		out->samples = tree.samples;
		out->cut = tree.cut;
		out->period_ns = tree.period_ns;
		rc = link_children(out);
	}
	if (rc) {
		weft_profile_fini(out);
		return weft_err_set(err, rc, "cannot make the profile: %s", weft_err_name(rc));
	}
	return 0;
}

void weft_profile_fini(struct weft_profile *p)
{
	free(p->node);
	p->node = NULL;
	p->n_nodes = 0;
}

const char *weft_profile_name(const struct weft_profile *p, uint32_t node)
{
	return node ? weft_symbols_function(p->symbols, p->node[node].function)->name : "all";
}
