/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Columns are rows of a table here; for people names are indented by their depth, for programs each row says its depth. Percentages are
 * of all that was found.
 */
#include "calls_report.h"
#include "base/log.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum when {
	ALWAYS = 1,
	OF_SAMPLES = 2,
	OF_REGIONS = 4,
	IN_TREE = 8,
	BY_FUNCTION = 16,
	FOR_PEOPLE = 32,
	FOR_PROGRAMS = 64,
	WITH_TIME = 128
};

struct line { /* what a row is about */
	const struct weft_profile *p;
	const char *name, *module, *file;
	uint32_t line;
	unsigned depth;
	uint64_t self, total, calls;
	bool indent;
	char text[600];
};

typedef struct weft_cell cell_fn(struct line *l);

static struct weft_cell text_cell(const char *text)
{
	return (struct weft_cell){WEFT_CELL_TEXT, {.text = text}};
}

static struct weft_cell share_of(const struct line *l, uint64_t part)
{
	uint64_t all = l->p->node[0].total;
	return (struct weft_cell){all ? WEFT_CELL_PERCENT : WEFT_CELL_NONE, {.f64 = all ? 100 * (double)part / (double)all : 0}};
}

static struct weft_cell cell_depth(struct line *l)
{
	return (struct weft_cell){WEFT_CELL_U64, {.u64 = l->depth}};
}
static struct weft_cell cell_total_share(struct line *l)
{
	return share_of(l, l->total);
}
static struct weft_cell cell_self_share(struct line *l)
{
	return share_of(l, l->self);
}
static struct weft_cell cell_total(struct line *l)
{
	return (struct weft_cell){WEFT_CELL_U64, {.u64 = l->total}};
}
static struct weft_cell cell_self(struct line *l)
{
	return (struct weft_cell){WEFT_CELL_U64, {.u64 = l->self}};
}
static struct weft_cell cell_total_ns(struct line *l)
{
	return (struct weft_cell){WEFT_CELL_NS, {.u64 = l->total}};
}
static struct weft_cell cell_self_ns(struct line *l)
{
	return (struct weft_cell){WEFT_CELL_NS, {.u64 = l->self}};
}
static struct weft_cell cell_calls(struct line *l)
{
	return (struct weft_cell){WEFT_CELL_U64, {.u64 = l->calls}};
}
static struct weft_cell cell_name(struct line *l)
{
	if (!l->indent)
		return text_cell(l->name);
	snprintf(l->text, sizeof l->text, "%*s%.500s", l->depth < 40 ? 2 * (int)l->depth : 80, "", l->name);
	return text_cell(l->text);
}
static struct weft_cell cell_module(struct line *l)
{
	return text_cell(l->module);
}
static struct weft_cell cell_file(struct line *l)
{
	return text_cell(l->file);
}
static struct weft_cell cell_line(struct line *l)
{
	return (struct weft_cell){l->line ? WEFT_CELL_U64 : WEFT_CELL_NONE, {.u64 = l->line}};
}
static struct weft_cell cell_where(struct line *l)
{
	const char *slash = strrchr(l->file, '/');
	if (!*l->file)
		return text_cell("");
	snprintf(l->text, sizeof l->text, l->line ? "%.400s:%u" : "%.400s", slash && slash[1] ? slash + 1 : l->file, l->line);
	return text_cell(l->text);
}

static const struct calls_column {
	struct weft_column column;
	unsigned needs, hidden; /* all of `needs`; none of `hidden` */
	cell_fn *cell;
} calls_columns[] = {
	{{"depth", "depth", WEFT_CELL_U64}, IN_TREE, FOR_PEOPLE, cell_depth},
	{{"total_percent", "total", WEFT_CELL_PERCENT}, 0, 0, cell_total_share},
	{{"self_percent", "self", WEFT_CELL_PERCENT}, 0, 0, cell_self_share},
	{{"total_samples", "samples", WEFT_CELL_U64}, OF_SAMPLES, 0, cell_total},
	{{"self_samples", "own", WEFT_CELL_U64}, OF_SAMPLES, 0, cell_self},
	{{"total_ns", "time", WEFT_CELL_NS}, OF_REGIONS, 0, cell_total_ns},
	{{"self_ns", "own", WEFT_CELL_NS}, OF_REGIONS, 0, cell_self_ns},
	{{"calls", "calls", WEFT_CELL_U64}, OF_REGIONS, 0, cell_calls},
	{{"function", "function", WEFT_CELL_TEXT}, 0, 0, cell_name},
	{{"module", "module", WEFT_CELL_TEXT}, 0, FOR_PEOPLE, cell_module},
	{{"file", "file", WEFT_CELL_TEXT}, 0, FOR_PEOPLE, cell_file},
	{{"line", "line", WEFT_CELL_U64}, 0, FOR_PEOPLE, cell_line},
	{{"where", "where", WEFT_CELL_TEXT}, WITH_TIME, FOR_PROGRAMS, cell_where},
};
enum { COLUMNS = sizeof calls_columns / sizeof calls_columns[0] };

struct printing {
	const struct weft_profile *p;
	const struct cli_calls_report *how;
	struct weft_table table;
	const struct calls_column *chosen[COLUMNS];
	struct weft_column column[COLUMNS];
	unsigned n;
	bool people;
	uint64_t left_out;
};

static void choose_columns(struct printing *o)
{
	unsigned is = (o->p->of == WEFT_PROFILE_SAMPLES ? OF_SAMPLES : OF_REGIONS) |
	              (o->how->by_function ? BY_FUNCTION : IN_TREE) | (o->people ? FOR_PEOPLE : FOR_PROGRAMS) |
	              (o->how->lines ? WITH_TIME : 0);
	for (unsigned i = 0; i < COLUMNS; i++) {
		const struct calls_column *c = &calls_columns[i];
		if ((c->needs & ~is) || (c->hidden & is))
			continue;
		o->chosen[o->n] = c;
		o->column[o->n++] = c->column;
	}
	weft_table_init(&o->table, o->column, o->n);
}

static int put_line(struct printing *o, struct line *l)
{
	struct weft_cell row[COLUMNS];
	char kept[COLUMNS][sizeof l->text];
	for (unsigned k = 0; k < o->n; k++) {
		row[k] = o->chosen[k]->cell(l);
		if (row[k].kind == WEFT_CELL_TEXT && row[k].text == l->text)
			row[k].text = strcpy(kept[k], l->text);
	}
	return weft_table_row(&o->table, row);
}

static bool is_shown(const struct printing *o, uint64_t total)
{
	return total > 0 && 100 * (double)total >= o->how->least * (double)o->p->node[0].total;
}

static int put_node(struct printing *o, uint32_t at, unsigned depth)
{
	const struct weft_profile_node *n = &o->p->node[at];
	struct line l = {.p = o->p,
	                 .name = weft_profile_name(o->p, at),
	                 .module = weft_symbols_function(o->p->symbols, n->function)->module,
	                 .file = weft_symbols_text(o->p->symbols, n->file),
	                 .line = n->line,
	                 .depth = depth,
	                 .self = n->self,
	                 .total = n->total,
	                 .calls = n->calls,
	                 .indent = o->people};
	return put_line(o, &l);
}

static int put_tree(struct printing *o)
{
	const struct weft_profile_node *node = o->p->node;
	uint32_t at = node[0].child;
	unsigned depth = 0;
	uint64_t lines = 0;
	int rc = 0;
	while (at != WEFT_NONE && at != 0 && !rc && !(o->how->top && lines >= o->how->top)) {
		bool shown = is_shown(o, node[at].total);
		if (shown) {
			rc = put_node(o, at, depth);
			lines++;
		} else {
			o->left_out += node[at].total > 0;
		}
		if (shown && node[at].child != WEFT_NONE && (!o->how->depth || depth + 1 < o->how->depth)) {
			at = node[at].child;
			depth++;
			continue;
		}
		while (at != 0 && node[at].next == WEFT_NONE) {
			at = node[at].parent;
			depth--;
		}
		at = at ? node[at].next : 0;
	}
	return rc;
}

static int put_rows(struct printing *o)
{
	struct weft_profile_row *row;
	size_t n, shown = 0;
	int rc = weft_profile_rows(o->p, &row, &n);
	for (size_t i = 0; i < n && !rc; i++) {
		if (!is_shown(o, row[i].total) || (o->how->top && shown >= o->how->top)) {
			o->left_out += row[i].total > 0;
			continue;
		}
		const struct weft_function *f = weft_symbols_function(o->p->symbols, row[i].function);
		struct line l = {.p = o->p,
		                 .name = f->name,
		                 .module = f->module,
		                 .file = weft_symbols_text(o->p->symbols, row[i].file),
		                 .line = row[i].line,
		                 .self = row[i].self,
		                 .total = row[i].total,
		                 .calls = row[i].calls};
		rc = put_line(o, &l);
		shown++;
	}
	free(row);
	return rc;
}

static void put_summary(const struct printing *o)
{
	const struct weft_profile *p = o->p;
	char z[32];
	if (p->of == WEFT_PROFILE_SAMPLES)
		printf("\n%" PRIu64 " sample%s", p->samples, p->samples == 1 ? "" : "s");
	else
		printf("\n%s in regions", weft_human_ns(z, p->node[0].total));
	if (p->of == WEFT_PROFILE_SAMPLES && p->period_ns)
		printf(", one each %s of CPU time", weft_human_ns(z, p->period_ns));
	if (p->cut)
		printf("; %" PRIu64 " without a stack", p->cut);
	printf(".");
	if (o->left_out)
		printf(" %" PRIu64 " more rows are below %g %% or not asked for.", o->left_out, o->how->least);
	printf("\n");
}

int cli_calls_report(const struct weft_profile *p, const struct cli_calls_report *how, const struct cli_common *c)
{
	struct printing o = {.p = p, .how = how, .people = cli_form(c) == WEFT_TABLE_TEXT};
	choose_columns(&o);
	int rc = how->by_function ? put_rows(&o) : put_tree(&o);
	if (rc) {
		weft_table_fini(&o.table);
		return cli_fail_code(rc);
	}
	int status = cli_table(&o.table, c);
	if (!status && o.people)
		put_summary(&o);
	return status;
}
