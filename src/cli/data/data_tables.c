/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of `weft data`. A row is made with all cells of its table; people are not shown the columns that only files have, and
 * processes only where there are several.
 */
#include "data_tables.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- cells ---- */

#define TEXT(z) \
	(struct weft_cell) \
	{ \
		WEFT_CELL_TEXT, \
		{ \
			.text = (z) \
		} \
	}
static struct weft_cell number(enum weft_cell_kind kind, uint64_t v)
{
	return (struct weft_cell){kind, {.u64 = v}};
}
static struct weft_cell count(uint64_t v)
{
	return number(WEFT_CELL_U64, v);
}
static struct weft_cell bytes(uint64_t v)
{
	return number(WEFT_CELL_BYTES, v);
}
static struct weft_cell ns(uint64_t v)
{
	return number(WEFT_CELL_NS, v);
}
static struct weft_cell when(uint64_t at, bool known)
{
	return known ? ns(at) : (struct weft_cell){WEFT_CELL_NONE, {0}};
}
/* Bytes a microsecond are MB/s. */
static struct weft_cell bandwidth(const struct weft_use_copies *c)
{
	return c->ns ? (struct weft_cell){WEFT_CELL_DOUBLE, {.f64 = (double)c->bytes * 1e3 / (double)c->ns}}
	             : (struct weft_cell){WEFT_CELL_NONE, {0}};
}

void data_handle(const struct data_view *v, uint32_t data, char out[DATA_TEXT])
{
	snprintf(out, DATA_TEXT, "0x%" PRIx64, v->tasks.data[data].handle);
}

static void put_coordinates(const struct data_view *v, uint32_t data, char out[DATA_TEXT])
{
	const struct weft_tasks_data *d = &v->tasks.data[data];
	size_t n = 0;
	out[0] = '\0';
	for (uint32_t i = 0; i < d->n_coordinates && n + 24 < DATA_TEXT; i++)
		n += (size_t)snprintf(out + n, DATA_TEXT - n, "%s%" PRId64, i ? " " : "",
		                      v->tasks.coordinate[d->coordinates + i]);
}

void data_name(const struct data_view *v, uint32_t data, char out[DATA_TEXT])
{
	const char *name = weft_tasks_text(&v->tasks, v->tasks.data[data].name);
	char at[DATA_TEXT];
	put_coordinates(v, data, at);
	if (*name)
		snprintf(out, DATA_TEXT, "%.70s", name);
	else
		data_handle(v, data, out);
	size_t n = strlen(out);
	if (*at)
		snprintf(out + n, DATA_TEXT - n, " (%.40s)", at);
}

bool data_matches(const struct data_view *v, uint32_t data)
{
	char handle[DATA_TEXT];
	data_handle(v, data, handle);
	return !v->pattern || weft_glob(v->pattern, weft_tasks_text(&v->tasks, v->tasks.data[data].name)) ||
	       weft_glob(v->pattern, handle);
}

bool data_shows(struct data_view *v)
{
	v->n++;
	if (v->most && v->shown >= v->most)
		return false;
	v->shown++;
	return true;
}

static bool is_kept(const struct data_view *v, const struct data_column *c)
{
	return !v->people || c->where == DATA_ALWAYS || (c->where == DATA_OF_SEVERAL && v->several);
}

int data_row(struct data_view *v, struct weft_table *t, const struct data_table *self, const struct weft_cell *cell)
{
	struct weft_cell kept[DATA_COLUMNS_MOST];
	unsigned n = 0;
	for (unsigned i = 0; i < self->n_columns; i++)
		if (is_kept(v, &self->column[i]))
			kept[n++] = cell[i];
	return weft_table_row(t, kept);
}

#define PROCESS \
	{ \
		{"process", "process", WEFT_CELL_U64}, DATA_OF_SEVERAL \
	}
#define COLUMN(key, title, kind) \
	{ \
		{key, title, WEFT_CELL_##kind}, DATA_ALWAYS \
	}
#define FILES(key, kind) \
	{ \
		{key, key, WEFT_CELL_##kind}, DATA_IN_FILES \
	}

/* ---- nodes ---- */

static const struct data_column node_columns[] = {
	PROCESS,
	COLUMN("node", "node", U64),
	COLUMN("name", "name", TEXT),
	FILES("kind", TEXT),
	COLUMN("allocated_peak_bytes", "allocated", BYTES),
	COLUMN("allocated_peak_at_ns", "at", NS),
	FILES("allocated_mean_bytes", BYTES),
	COLUMN("managed_peak_bytes", "managed", BYTES),
	COLUMN("managed_peak_at_ns", "at", NS),
	COLUMN("home_peak_bytes", "home", BYTES),
	COLUMN("allocations", "allocations", U64),
	COLUMN("reused", "reused", U64),
	COLUMN("refused", "refused", U64),
	FILES("frees", U64),
	FILES("kept", U64),
	COLUMN("evicted", "evicted", U64),
	FILES("copies_in", U64),
	COLUMN("bytes_in", "in", BYTES),
	FILES("time_in_ns", NS),
	FILES("copies_out", U64),
	COLUMN("bytes_out", "out", BYTES),
	FILES("time_out_ns", NS),
};

static int make_nodes(struct data_view *v, struct weft_table *t, const struct data_table *self)
{
	int rc = 0;
	for (uint32_t i = 0; i < v->use.n_nodes && !rc; i++) {
		const struct weft_use_node *n = &v->use.node[i];
		struct weft_cell cell[] = {
			count(n->process + 1u),
			count(n->number),
			TEXT(n->name),
			TEXT(n->kind),
			bytes(n->most_allocated),
			when(n->allocated_at, n->most_allocated),
			bytes(n->mean_allocated),
			bytes(n->most_managed),
			when(n->managed_at, n->most_managed),
			bytes(n->most_home),
			count(n->allocations),
			count(n->reused),
			count(n->refused),
			count(n->frees),
			count(n->kept),
			count(n->evicted),
			count(n->in.n),
			bytes(n->in.bytes),
			ns(n->in.ns),
			count(n->out.n),
			bytes(n->out.bytes),
			ns(n->out.ns),
		};
		_Static_assert(sizeof cell / sizeof *cell == sizeof node_columns / sizeof *node_columns,
		               "a cell for each column");
		rc = data_shows(v) ? data_row(v, t, self, cell) : 0;
	}
	return rc;
}

/* ---- data ---- */

static const struct data_column handle_columns[] = {
	PROCESS,
	FILES("handle", TEXT),
	COLUMN("name", "data", TEXT),
	FILES("coordinates", TEXT),
	COLUMN("bytes", "size", BYTES),
	FILES("description", TEXT),
	FILES("home", I64),
	FILES("parent", TEXT),
	FILES("registered_ns", NS),
	FILES("unregistered_ns", NS),
	COLUMN("reads", "R", U64),
	COLUMN("writes", "W", U64),
	COLUMN("updates", "RW", U64),
	FILES("scratches", U64),
	FILES("reductions", U64),
	COLUMN("allocations", "allocations", U64),
	COLUMN("reused", "reused", U64),
	COLUMN("copies", "copies", U64),
	COLUMN("copied_bytes", "copied", BYTES),
	COLUMN("copied_ns", "time", NS),
	COLUMN("returned", "returned", U64),
	FILES("returned_bytes", BYTES),
	FILES("returned_ns", NS),
};

static int compare_data(const void *a, const void *b, void *arg)
{
	const struct data_view *v = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct weft_use_data *p = &v->use.data[x], *q = &v->use.data[y];
	if (p->copies.bytes != q->copies.bytes)
		return p->copies.bytes < q->copies.bytes ? 1 : -1;
	if (v->tasks.data[x].from != v->tasks.data[y].from)
		return v->tasks.data[x].from > v->tasks.data[y].from ? 1 : -1;
	return (x > y) - (x < y);
}

static int handle_row(struct data_view *v, struct weft_table *t, const struct data_table *self, uint32_t at)
{
	const struct weft_tasks_data *d = &v->tasks.data[at];
	const struct weft_use_data *u = &v->use.data[at];
	char handle[DATA_TEXT], name[DATA_TEXT], coordinates[DATA_TEXT], parent[32];
	data_handle(v, at, handle);
	data_name(v, at, name);
	put_coordinates(v, at, coordinates);
	snprintf(parent, sizeof parent, "0x%" PRIx64, d->parent);
	struct weft_cell cell[] = {
		count(d->process + 1u),
		TEXT(handle),
		TEXT(v->people ? name : weft_tasks_text(&v->tasks, d->name)),
		TEXT(coordinates),
		bytes(d->bytes),
		TEXT(weft_tasks_text(&v->tasks, d->description)),
		{WEFT_CELL_I64, {.i64 = d->home}},
		TEXT(d->parent ? parent : ""),
		ns(d->from),
		when(d->until, d->until != WEFT_NEVER),
		count(u->reads),
		count(u->writes),
		count(u->updates),
		count(u->scratches),
		count(u->reductions),
		count(u->allocations),
		count(u->reused),
		count(u->copies.n),
		bytes(u->copies.bytes),
		ns(u->copies.ns),
		count(u->returned.n),
		bytes(u->returned.bytes),
		ns(u->returned.ns),
	};
	_Static_assert(sizeof cell / sizeof *cell == sizeof handle_columns / sizeof *handle_columns, "a cell for each column");
	return data_row(v, t, self, cell);
}

static int make_handles(struct data_view *v, struct weft_table *t, const struct data_table *self)
{
	uint32_t *at = malloc((v->tasks.n_data + 1u) * sizeof *at), n = 0;
	int rc = at ? 0 : -ENOMEM;
	for (uint32_t i = 0; i < v->tasks.n_data && !rc; i++)
		if (data_matches(v, i))
			at[n++] = i;
	if (n)
		qsort_r(at, n, sizeof *at, compare_data, v);
	for (uint32_t i = 0; i < n && !rc; i++)
		rc = data_shows(v) ? handle_row(v, t, self, at[i]) : 0;
	free(at);
	return rc;
}

/* ---- places ---- */

static const struct data_column place_columns[] = {
	PROCESS,
	FILES("handle", TEXT),
	COLUMN("name", "data", TEXT),
	COLUMN("node", "node", U64),
	COLUMN("node_name", "name", TEXT),
	COLUMN("allocated_ns", "allocated", NS),
	COLUMN("valid_ns", "valid", NS),
	COLUMN("allocations", "allocations", U64),
	COLUMN("reused", "reused", U64),
	COLUMN("copies_in", "copies in", U64),
	COLUMN("bytes_in", "in", BYTES),
	COLUMN("time_in_ns", "time", NS),
};

static int make_places(struct data_view *v, struct weft_table *t, const struct data_table *self)
{
	int rc = 0;
	for (uint32_t i = 0; i < v->use.n_places && !rc; i++) {
		const struct weft_use_place *p = &v->use.place[i];
		const struct weft_use_node *n = &v->use.node[p->node];
		char handle[DATA_TEXT], name[DATA_TEXT];
		if (!data_matches(v, p->data) || !data_shows(v))
			continue;
		data_handle(v, p->data, handle);
		data_name(v, p->data, name);
		struct weft_cell cell[] = {
			count(n->process + 1u),
			TEXT(handle),
			TEXT(v->people ? name : weft_tasks_text(&v->tasks, v->tasks.data[p->data].name)),
			count(n->number),
			TEXT(n->name),
			ns(p->allocated_ns),
			ns(p->valid_ns),
			count(p->allocations),
			count(p->reused),
			count(p->in.n),
			bytes(p->in.bytes),
			ns(p->in.ns),
		};
		_Static_assert(sizeof cell / sizeof *cell == sizeof place_columns / sizeof *place_columns,
		               "a cell for each column");
		rc = data_row(v, t, self, cell);
	}
	return rc;
}

/* ---- causes, ways ---- */

static const struct data_column cause_columns[] = {
	COLUMN("cause", "cause", TEXT),  COLUMN("copies", "copies", U64),
	COLUMN("bytes", "bytes", BYTES), COLUMN("share_percent", "share", PERCENT),
	COLUMN("time_ns", "time", NS),   COLUMN("mb_per_s", "MB/s", DOUBLE),
	COLUMN("wait_ns", "wait", NS),
};

static int make_causes(struct data_view *v, struct weft_table *t, const struct data_table *self)
{
	uint64_t all = 0;
	int rc = 0;
	for (uint32_t i = 0; i < v->use.n_causes; i++)
		all += v->use.cause[i].copies.bytes;
	for (uint32_t i = 0; i < v->use.n_causes && !rc; i++) {
		const struct weft_use_cause *c = &v->use.cause[i];
		const char *name = weft_tasks_text(&v->tasks, c->cause);
		struct weft_cell cell[] = {
			TEXT(*name ? name : "not said"),
			count(c->copies.n),
			bytes(c->copies.bytes),
			{WEFT_CELL_PERCENT, {.f64 = all ? 100 * (double)c->copies.bytes / (double)all : 0}},
			ns(c->copies.ns),
			bandwidth(&c->copies),
			when(c->n_waited ? c->waited_ns / c->n_waited : 0, c->n_waited),
		};
		_Static_assert(sizeof cell / sizeof *cell == sizeof cause_columns / sizeof *cause_columns,
		               "a cell for each column");
		rc = data_shows(v) ? data_row(v, t, self, cell) : 0;
	}
	return rc;
}

static const struct data_column way_columns[] = {
	PROCESS,
	COLUMN("from", "from", U64),
	COLUMN("from_name", "name", TEXT),
	COLUMN("to", "to", U64),
	COLUMN("to_name", "name", TEXT),
	COLUMN("copies", "copies", U64),
	COLUMN("bytes", "bytes", BYTES),
	COLUMN("time_ns", "time", NS),
	COLUMN("mb_per_s", "MB/s", DOUBLE),
};

static const char *node_name(const struct data_view *v, uint32_t process, uint32_t number)
{
	for (uint32_t i = 0; i < v->use.n_nodes; i++)
		if (v->use.node[i].process == process && v->use.node[i].number == number)
			return v->use.node[i].name;
	return "";
}

static int make_ways(struct data_view *v, struct weft_table *t, const struct data_table *self)
{
	int rc = 0;
	for (uint32_t i = 0; i < v->use.n_ways && !rc; i++) {
		const struct weft_use_way *w = &v->use.way[i];
		struct weft_cell cell[] = {
			count(w->process + 1u),
			count(w->from),
			TEXT(node_name(v, w->process, w->from)),
			count(w->to),
			TEXT(node_name(v, w->process, w->to)),
			count(w->copies.n),
			bytes(w->copies.bytes),
			ns(w->copies.ns),
			bandwidth(&w->copies),
		};
		_Static_assert(sizeof cell / sizeof *cell == sizeof way_columns / sizeof *way_columns, "a cell for each column");
		rc = data_shows(v) ? data_row(v, t, self, cell) : 0;
	}
	return rc;
}

/* ---- back and forth: data_returns.c ---- */

static const struct data_column return_columns[] = {
	PROCESS,
	FILES("handle", TEXT),
	COLUMN("name", "data", TEXT),
	COLUMN("node", "between", U64),
	COLUMN("other_node", "and", U64),
	COLUMN("returned", "returned", U64),
	COLUMN("bytes", "bytes", BYTES),
	COLUMN("time_ns", "time", NS),
	COLUMN("first_ns", "first", NS),
	COLUMN("last_ns", "last", NS),
	COLUMN("there_for", "there for", TEXT),
	COLUMN("back_for", "back for", TEXT),
};

static const struct data_column trip_columns[] = {
	PROCESS,
	FILES("handle", TEXT),
	COLUMN("name", "data", TEXT),
	COLUMN("time_ns", "back at", NS),
	COLUMN("node", "at", U64),
	COLUMN("other_node", "from", U64),
	COLUMN("away_ns", "away", NS),
	COLUMN("bytes", "bytes", BYTES),
	COLUMN("took_ns", "took", NS),
	COLUMN("there_cause", "there by", TEXT),
	COLUMN("there_task", "for task", U64),
	COLUMN("there_for", "called", TEXT),
	COLUMN("back_cause", "back by", TEXT),
	COLUMN("back_task", "for task", U64),
	COLUMN("back_for", "called", TEXT),
};

#define TABLE(by, help, columns, make) \
	{ \
		by, help, columns, sizeof(columns) / sizeof *(columns), make \
	}
const struct data_table data_tables[] = {
	TABLE("node", "memory nodes", node_columns, make_nodes),
	TABLE("handle", "data", handle_columns, make_handles),
	TABLE("place", "data on each node", place_columns, make_places),
	TABLE("cause", "causes of copies", cause_columns, make_causes),
	TABLE("way", "ways from node to node", way_columns, make_ways),
	TABLE("return", "data that came back", return_columns, data_make_returns),
	TABLE("trip", "copies that brought data back", trip_columns, data_make_trips),
};
const unsigned n_data_tables = sizeof data_tables / sizeof *data_tables;

int data_print(struct data_view *v, const struct data_table *table, enum weft_table_form form)
{
	struct weft_column column[DATA_COLUMNS_MOST];
	struct weft_table t;
	unsigned n = 0;
	for (unsigned i = 0; i < table->n_columns; i++)
		if (is_kept(v, &table->column[i]))
			column[n++] = table->column[i].column;
	weft_table_init(&t, column, n);
	v->shown = v->n = 0;
	int rc = table->make(v, &t, table);
	rc = rc ? rc : weft_table_print(&t, form, stdout);
	weft_table_fini(&t);
	return rc;
}
