/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Containers become our objects. Any container that something happens in, or could by its type, is a thread; so is a leaf.
 *
 *     platform ─ host ─ rank       application ─ process ─ thread
 *
 * The process of a thread is the container above it, or the container itself where others lie in it; the application is the one
 * below the root that holds the process (the root, when the process lies right in it). Containers whose type is called node,
 * host or machine are nodes as well. Names that begin with the numbers that an object has anyway ("1.2.1 worker"), as our own
 * export writes them, lose these.
 */
#include "paje_priv.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct place {                         /* of a thread */
	uint32_t app, process, thread; /* containers */
};
struct placing {
	struct paje_model *m;
	struct weft_builder *b;
	WEFT_VEC(struct place) at;
	struct weft_intern node; /* by name; numbered as our nodes are */
};

static struct paje_container *container(const struct placing *p, uint32_t i)
{
	return &p->m->container.at[i];
}

static bool is_thread(const struct placing *p, uint32_t i)
{
	const struct paje_container *c = container(p, i);
	const struct paje_type *t = &p->m->type.at[c->type];
	return c->used || t->has_things || (!t->has_parts && !c->has_children);
}

static struct place place_of(const struct placing *p, uint32_t i)
{
	struct place at = {.thread = i, .process = i};
	const struct paje_container *c = container(p, i);
	if (!c->has_children && c->parent != WEFT_NONE)
		at.process = c->parent;
	at.app = at.process;
	while (container(p, at.app)->depth > 1)
		at.app = container(p, at.app)->parent;
	if (container(p, at.process)->depth == 1)
		at.app = container(p, at.process)->parent;
	return at;
}

static int by_object(const void *x, const void *y)
{
	const uint32_t *a = x, *b = y; /* three numbers each, in the order of struct place */
	for (int i = 0; i < 3; i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

/* "1.2 name", label "1.2": "name". */
static const char *without_label(const char *name, const char *label)
{
	size_t n = strlen(label);
	if (strncmp(name, label, n) != 0 || (name[n] && name[n] != ' '))
		return name;
	return name[n] ? name + n + 1 : name + n;
}

static bool is_node(const struct placing *p, uint32_t i)
{
	static const char *const names[] = {"node", "host", "machine"};
	const char *type = p->m->type.at[container(p, i)->type].name;
	for (size_t k = 0; k < sizeof names / sizeof *names; k++)
		if (strcasecmp(type, names[k]) == 0)
			return true;
	return false;
}

/* The node of a process, made when it is new: two containers of one name are one node. */
static int find_node(struct placing *p, uint32_t process, const char *label, uint32_t *node)
{
	uint32_t i = process;
	*node = WEFT_NONE;
	while (i != WEFT_NONE && !is_node(p, i))
		i = container(p, i)->parent;
	if (i == WEFT_NONE)
		return 0;
	struct weft_str name = weft_str(without_label(container(p, i)->name, label));
	size_t known = p->node.n;
	int rc = weft_intern_add(&p->node, name, node);
	if (rc || p->node.n == known)
		return rc;
	int64_t made = weft_build_node(p->b, p->node.name[*node]);
	return made < 0 ? (int)made : 0;
}

struct counting { /* where we are in the sorted list */
	int64_t app, process;
	uint32_t n_processes, n_threads; /* in this app, in this process */
	char label[48];
};

static int make_app(struct placing *p, const struct place *at, struct counting *c)
{
	snprintf(c->label, sizeof c->label, "%lld", (long long)c->app + 2);
	c->app = weft_build_app(p->b, without_label(container(p, at->app)->name, c->label));
	c->n_processes = 0;
	return c->app < 0 ? (int)c->app : 0;
}

/* "1.2 heat [pid 4711]": the pid is cut off and kept. */
static void take_pid(struct weft_process *row, char *name)
{
	char *at = strstr(name, "[pid "), *end = at ? at + strlen(at) - 1 : NULL;
	int64_t pid;
	if (!at || *end != ']' || weft_parse_i64(weft_str_n(at + 5, (size_t)(end - at - 5)), &pid))
		return;
	row->pid = pid;
	*at = 0;
	if (at > name && at[-1] == ' ')
		at[-1] = 0;
}

static int make_process(struct placing *p, const struct place *at, struct counting *c)
{
	const struct paje_container *from = container(p, at->process);
	struct weft_process row = {.app = (uint32_t)c->app, .rank = -1, .status = -1, .begin = from->begin, .end = from->end};
	snprintf(c->label, sizeof c->label, "%lld", (long long)c->app + 1);
	int rc = find_node(p, at->process, c->label, &row.node);
	if (rc)
		return rc;
	snprintf(c->label, sizeof c->label, "%lld.%u", (long long)c->app + 1, ++c->n_processes);
	const char *without = without_label(from->name, c->label);
	char *name = strdup(without);
	if (!name)
		return -ENOMEM;
	if (without != from->name)
		take_pid(&row, name);
	row.name = name;
	c->process = weft_build_process(p->b, &row);
	c->n_threads = 0;
	free(name);
	return c->process < 0 ? (int)c->process : 0;
}

static int make_thread(struct placing *p, const struct place *at, struct counting *c)
{
	struct paje_container *from = container(p, at->thread);
	struct weft_thread_row row = {.process = (uint32_t)c->process,
	                              .number = ++c->n_threads,
	                              .begin = from->begin,
	                              .end = from->end};
	snprintf(c->label, sizeof c->label, "%lld.%u.%u", (long long)c->app + 1, c->n_processes, c->n_threads);
	row.name = without_label(from->name, c->label);
	int64_t made = weft_build_thread(p->b, &row);
	if (made >= 0)
		from->thread = (uint32_t)made;
	return made < 0 ? (int)made : 0;
}

static int make_objects(struct placing *p)
{
	struct counting c = {.app = -1, .process = -1};
	int rc = 0;
	for (uint32_t i = 0; i < p->m->container.n && !rc; i++)
		if (is_thread(p, i))
			rc = weft_vec_push(&p->at, place_of(p, i));
	if (p->at.n)
		qsort(p->at.at, p->at.n, sizeof *p->at.at, by_object);
	for (size_t i = 0; i < p->at.n && !rc; i++) {
		const struct place *at = &p->at.at[i], *before = i ? at - 1 : NULL;
		bool new_app = !before || before->app != at->app;
		if (new_app)
			rc = make_app(p, at, &c);
		if (!rc && (new_app || before->process != at->process))
			rc = make_process(p, at, &c);
		if (!rc)
			rc = make_thread(p, at, &c);
	}
	return rc;
}

/* ---- definitions ---- */

static int make_type(struct paje_model *m, struct weft_builder *b, struct paje_type *t)
{
	static const enum weft_class classes[] = {[PAJE_K_STATE] = WEFT_CLASS_CATEGORY,
	                                          [PAJE_K_EVENT] = WEFT_CLASS_TYPE,
	                                          [PAJE_K_VARIABLE] = WEFT_CLASS_COUNTER,
	                                          [PAJE_K_LINK] = WEFT_CLASS_FLOW};
	/* One type of states tells nothing apart; messages are told apart by their values. */
	if (t->kind == PAJE_K_CONTAINER || !t->used || (t->kind == PAJE_K_STATE && m->n_state_types == 1) ||
	    (t->kind == PAJE_K_LINK && t->sized))
		return 0;
	int64_t id = weft_build_def(b, classes[t->kind], &(struct weft_def_row){.name = t->name});
	t->def = id > 0 ? (uint32_t)id : 0;
	return id < 0 ? (int)id : 0;
}

static int make_value(struct paje_model *m, struct weft_builder *b, const struct paje_value *v)
{
	const struct paje_type *t = &m->type.at[v->type];
	if (!t->used)
		return 0;
	if (t->kind == PAJE_K_EVENT)
		return weft_build_label(b, t->def, v->number, v->name);
	if (t->kind != PAJE_K_STATE)
		return 0;
	struct weft_def_row row = {.name = v->name, .category = t->def};
	int64_t id = weft_build_def(b, WEFT_CLASS_REGION, &row);
	m->value.at[v - m->value.at].def = id > 0 ? (uint32_t)id : 0;
	return id < 0 ? (int)id : 0;
}

int paje_make(struct paje_model *m, struct weft_builder *b)
{
	struct placing p = {.m = m, .b = b};
	int rc = make_objects(&p);
	for (size_t i = 0; i < m->type.n && !rc; i++)
		rc = make_type(m, b, &m->type.at[i]);
	for (size_t i = 0; i < m->value.n && !rc; i++)
		rc = make_value(m, b, &m->value.at[i]);
	weft_intern_fini(&p.node);
	free(p.at.at);
	/* The second time through the file, names stand for what was created so far. */
	weft_map_fini(&m->container_of);
	m->container_of = (struct weft_map){0};
	return rc;
}
