/* SPDX-License-Identifier: Apache-2.0 */
/* One table for each kind of object, and one form of table for all classes of definitions. */
#include "info_list.h"
#include "base/exit.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT(z) ((struct weft_cell){WEFT_CELL_TEXT, {.text = (z)}})
#define U64(v) ((struct weft_cell){WEFT_CELL_U64, {.u64 = (v)}})
#define I64(v) ((struct weft_cell){WEFT_CELL_I64, {.i64 = (v)}})
#define NS(v) ((struct weft_cell){(v) == WEFT_NEVER ? WEFT_CELL_NONE : WEFT_CELL_NS, {.u64 = (v)}})
#define SOME(condition, cell) ((condition) ? (cell) : (struct weft_cell){WEFT_CELL_NONE, {.u64 = 0}})

static void process_label(const struct weft_trace *t, uint32_t process, char *out)
{
	const struct weft_process *p = &t->process[process];
	out[0] = '\0';
	if (p->first_thread >= t->n_threads || p->n_threads == 0)
		return;
	weft_thread_label(t, p->first_thread, out);
	char *last = strrchr(out, '.');
	if (last)
		*last = '\0';
}

static const char *node_name(const struct weft_trace *t, uint32_t node)
{
	return node < t->n_nodes ? t->node[node].name : "";
}

static const struct weft_column process_columns[] = {
	{"process", "process", WEFT_CELL_TEXT}, {"name", "name", WEFT_CELL_TEXT},      {"pid", "pid", WEFT_CELL_I64},
	{"parent", "parent", WEFT_CELL_I64},    {"rank", "rank", WEFT_CELL_I64},       {"host", "host", WEFT_CELL_TEXT},
	{"node", "node", WEFT_CELL_TEXT},       {"threads", "threads", WEFT_CELL_U64}, {"begin_ns", "begin", WEFT_CELL_NS},
	{"end_ns", "end", WEFT_CELL_NS},        {"cpu_ns", "cpu", WEFT_CELL_NS},       {"user_ns", "user", WEFT_CELL_NS},
	{"system_ns", "system", WEFT_CELL_NS},  {"status", "status", WEFT_CELL_I64},   {"command", "command", WEFT_CELL_TEXT},
};

static int fill_processes(struct weft_table *table, const struct weft_trace *t, const struct info_list *l)
{
	(void)l;
	int rc = 0;
	for (uint32_t i = 0; i < t->n_processes && !rc; i++) {
		const struct weft_process *p = &t->process[i];
		char label[48];
		process_label(t, i, label);
		struct weft_cell row[] = {
			TEXT(label),
			TEXT(p->name),
			SOME(p->pid > 0, I64(p->pid)),
			SOME(p->parent_pid > 0, I64(p->parent_pid)),
			SOME(p->rank >= 0, I64(p->rank)),
			TEXT(p->host),
			TEXT(node_name(t, p->node)),
			U64(p->n_threads),
			NS(p->begin),
			NS(p->end),
			SOME(p->has_cpu, NS(p->cpu_ns)),
			SOME(p->has_user, NS(p->user_ns)),
			SOME(p->has_user, NS(p->cpu_ns - p->user_ns)),
			SOME(p->status >= 0, I64(weft_exit_code(p->status))),
			TEXT(p->command),
		};
		rc = weft_table_row(table, row);
	}
	return rc;
}

static const struct weft_column thread_columns[] = {
	{"thread", "thread", WEFT_CELL_TEXT}, {"name", "name", WEFT_CELL_TEXT},      {"tid", "tid", WEFT_CELL_I64},
	{"events", "events", WEFT_CELL_U64},  {"dropped", "dropped", WEFT_CELL_U64}, {"begin_ns", "begin", WEFT_CELL_NS},
	{"end_ns", "end", WEFT_CELL_NS},
};

static int fill_threads(struct weft_table *table, const struct weft_trace *t, const struct info_list *l)
{
	(void)l;
	int rc = 0;
	for (uint32_t i = 0; i < t->n_threads && !rc; i++) {
		const struct weft_thread_row *r = &t->thread[i];
		char label[48];
		struct weft_cell row[] = {
			TEXT(weft_thread_label(t, i, label)),
			TEXT(r->name),
			SOME(r->tid > 0, I64(r->tid)),
			U64(r->n_events),
			U64(r->dropped),
			NS(r->begin),
			NS(r->end),
		};
		rc = weft_table_row(table, row);
	}
	return rc;
}

static const struct weft_column node_columns[] = {{"node", "node", WEFT_CELL_U64},
                                                  {"name", "name", WEFT_CELL_TEXT},
                                                  {"cpus", "cpus", WEFT_CELL_U64}};

static int fill_nodes(struct weft_table *table, const struct weft_trace *t, const struct info_list *l)
{
	(void)l;
	int rc = 0;
	for (uint32_t i = 0; i < t->n_nodes && !rc; i++)
		rc = weft_table_row(table, (const struct weft_cell[]){U64((uint64_t)i + 1), TEXT(t->node[i].name),
		                                                      U64(t->node[i].n_cpus)});
	return rc;
}

static const struct weft_column cpu_columns[] = {
	{"node", "node", WEFT_CELL_TEXT}, {"cpu", "cpu", WEFT_CELL_U64},         {"name", "name", WEFT_CELL_TEXT},
	{"core", "core", WEFT_CELL_U64},  {"package", "package", WEFT_CELL_U64}, {"numa", "memory node", WEFT_CELL_U64},
};

static int fill_cpus(struct weft_table *table, const struct weft_trace *t, const struct info_list *l)
{
	(void)l;
	int rc = 0;
	for (uint32_t i = 0; i < t->n_cpus && !rc; i++) {
		const struct weft_cpu *p = &t->cpu[i];
		struct weft_cell row[] = {
			TEXT(node_name(t, p->node)),
			U64(p->os),
			TEXT(p->name ? p->name : ""),
			SOME(p->core != WEFT_NONE, U64(p->core)),
			SOME(p->package != WEFT_NONE, U64(p->package)),
			SOME(p->numa != WEFT_NONE, U64(p->numa)),
		};
		rc = weft_table_row(table, row);
	}
	return rc;
}

/* -- definitions: each class shows those of these columns that it has a use for -- */

#define COLUMN_ID \
	{ \
		"id", "id", WEFT_CELL_U64 \
	}
#define COLUMN_NAME \
	{ \
		"name", "name", WEFT_CELL_TEXT \
	}
#define COLUMN_CATEGORY \
	{ \
		"category", "category", WEFT_CELL_TEXT \
	}
#define COLUMN_STATE \
	{ \
		"state", "state", WEFT_CELL_TEXT \
	}
#define COLUMN_UNIT \
	{ \
		"unit", "unit", WEFT_CELL_TEXT \
	}
#define COLUMN_CODE \
	{ \
		"code", "code", WEFT_CELL_I64 \
	}
#define COLUMN_RANKS \
	{ \
		"ranks", "ranks", WEFT_CELL_I64 \
	}
#define COLUMN_KEY \
	{ \
		"key", "key", WEFT_CELL_U64 \
	}
#define COLUMN_LABELS \
	{ \
		"labels", "labels", WEFT_CELL_U64 \
	}
#define COLUMN_EVENTS \
	{ \
		"events", "events", WEFT_CELL_U64 \
	}
#define COLUMN_FILE \
	{ \
		"file", "file", WEFT_CELL_TEXT \
	}
#define COLUMN_LINE \
	{ \
		"line", "line", WEFT_CELL_U64 \
	}

static const struct weft_column region_columns[] = {COLUMN_ID,     COLUMN_NAME, COLUMN_CATEGORY, COLUMN_STATE,
                                                    COLUMN_EVENTS, COLUMN_FILE, COLUMN_LINE};
static const struct weft_column type_columns[] = {COLUMN_ID,   COLUMN_NAME,   COLUMN_CATEGORY, COLUMN_UNIT,
                                                  COLUMN_CODE, COLUMN_LABELS, COLUMN_EVENTS};
static const struct weft_column unit_columns[] = {COLUMN_ID, COLUMN_NAME, COLUMN_CATEGORY, COLUMN_UNIT, COLUMN_EVENTS};
static const struct weft_column category_columns[] = {COLUMN_ID, COLUMN_NAME, COLUMN_EVENTS};
static const struct weft_column comm_columns[] = {COLUMN_ID, COLUMN_NAME, COLUMN_RANKS, COLUMN_KEY, COLUMN_EVENTS};
static const struct weft_column named_columns[] = {COLUMN_ID, COLUMN_NAME, COLUMN_CATEGORY, COLUMN_EVENTS};
static const struct weft_column state_columns[] = {COLUMN_ID, COLUMN_NAME, COLUMN_CODE, COLUMN_EVENTS};
enum { DEF_COLUMNS_MAX = 8 };

static struct weft_cell def_cell(const char *key, const struct weft_trace *t, const struct weft_def_row *d, uint32_t id)
{
	const struct weft_def_table *categories = &t->def[WEFT_CLASS_CATEGORY];
	const struct {
		const char *key;
		struct weft_cell cell;
	} cells[] = {
		{"id", U64(id)},
		{"name", TEXT(d->name)},
		{"category", TEXT(d->category && d->category < categories->n ? categories->at[d->category].name : "")},
		{"state", TEXT(d->state < WEFT_STATE_CLASSES ? weft_state_name[d->state] : "")},
		{"unit", TEXT(d->unit ? d->unit : "")},
		{"code", SOME(d->code, I64(d->code))},
		{"ranks", SOME(d->code, I64(d->code))},
		{"key", U64(d->key)},
		{"labels", U64(d->n_labels)},
		{"events", U64(d->n_events)},
		{"file", TEXT(d->file ? d->file : "")},
		{"line", SOME(d->line, U64(d->line))},
	};
	for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++)
		if (strcmp(cells[i].key, key) == 0)
			return cells[i].cell;
	WEFT_BUG("no column '%s'", key);
}

static int fill_defs(struct weft_table *table, const struct weft_trace *t, const struct info_list *l)
{
	int rc = 0;
	for (uint32_t i = 1; i < t->def[l->of].n && !rc; i++) {
		struct weft_cell row[DEF_COLUMNS_MAX];
		for (unsigned k = 0; k < l->n_columns; k++)
			row[k] = def_cell(l->columns[k].key, t, &t->def[l->of].at[i], i);
		rc = weft_table_row(table, row);
	}
	return rc;
}

static const struct weft_column label_columns[] = {{"type", "type", WEFT_CELL_TEXT},
                                                   {"code", "code", WEFT_CELL_I64},
                                                   {"value", "value", WEFT_CELL_I64},
                                                   {"label", "label", WEFT_CELL_TEXT}};

static int fill_labels(struct weft_table *table, const struct weft_trace *t, const struct info_list *l)
{
	const struct weft_def_table *all = &t->def[l->of];
	int rc = 0;
	for (uint32_t i = 1; i < all->n; i++)
		for (uint32_t k = 0; k < all->at[i].n_labels && !rc; k++)
			rc = weft_table_row(table, (const struct weft_cell[]){TEXT(all->at[i].name),
			                                                      SOME(all->at[i].code, I64(all->at[i].code)),
			                                                      I64(all->at[i].label[k].value),
			                                                      TEXT(all->at[i].label[k].text)});
	return rc;
}

static const struct weft_column module_columns[] = {{"process", "process", WEFT_CELL_TEXT},
                                                    {"first", "first", WEFT_CELL_TEXT},
                                                    {"end", "end", WEFT_CELL_TEXT},
                                                    {"offset", "offset", WEFT_CELL_U64},
                                                    {"path", "path", WEFT_CELL_TEXT},
                                                    {"build_id", "build id", WEFT_CELL_TEXT}};

static int fill_modules(struct weft_table *table, const struct weft_trace *t, const struct info_list *l)
{
	(void)l;
	int rc = 0;
	for (uint32_t i = 0; i < t->n_modules && !rc; i++) {
		const struct weft_module *m = &t->module[i];
		char label[48], first[24], end[24];
		process_label(t, m->process, label);
		snprintf(first, sizeof first, "0x%" PRIx64, m->first);
		snprintf(end, sizeof end, "0x%" PRIx64, m->end);
		rc = weft_table_row(table, (const struct weft_cell[]){TEXT(label), TEXT(first), TEXT(end), U64(m->offset),
		                                                      TEXT(m->path), TEXT(m->build_id)});
	}
	return rc;
}

static const struct weft_column note_columns[] = {{"key", "key", WEFT_CELL_TEXT}, {"text", "text", WEFT_CELL_TEXT}};

static int fill_notes(struct weft_table *table, const struct weft_trace *t, const struct info_list *l)
{
	(void)l;
	int rc = 0;
	for (uint32_t i = 0; i < t->n_notes && !rc; i++)
		rc = weft_table_row(table, (const struct weft_cell[]){TEXT(t->note[i].key), TEXT(t->note[i].text)});
	return rc;
}

#define COLUMNS(a) (a), sizeof(a) / sizeof(a)[0]
const struct info_list info_lists[] = {
	{"processes", COLUMNS(process_columns), fill_processes, WEFT_CLASS_NONE},
	{"threads", COLUMNS(thread_columns), fill_threads, WEFT_CLASS_NONE},
	{"nodes", COLUMNS(node_columns), fill_nodes, WEFT_CLASS_NONE},
	{"cpus", COLUMNS(cpu_columns), fill_cpus, WEFT_CLASS_NONE},
	{"regions", COLUMNS(region_columns), fill_defs, WEFT_CLASS_REGION},
	{"types", COLUMNS(type_columns), fill_defs, WEFT_CLASS_TYPE},
	{"labels", COLUMNS(label_columns), fill_labels, WEFT_CLASS_TYPE},
	{"counters", COLUMNS(unit_columns), fill_defs, WEFT_CLASS_COUNTER},
	{"attributes", COLUMNS(unit_columns), fill_defs, WEFT_CLASS_ATTR},
	{"categories", COLUMNS(category_columns), fill_defs, WEFT_CLASS_CATEGORY},
	{"communicators", COLUMNS(comm_columns), fill_defs, WEFT_CLASS_COMM},
	{"flows", COLUMNS(named_columns), fill_defs, WEFT_CLASS_FLOW},
	{"sets", COLUMNS(named_columns), fill_defs, WEFT_CLASS_SET},
	{"data", COLUMNS(named_columns), fill_defs, WEFT_CLASS_DATA},
	{"states", COLUMNS(state_columns), fill_defs, WEFT_CLASS_STATE},
	{"modules", COLUMNS(module_columns), fill_modules, WEFT_CLASS_NONE},
	{"notes", COLUMNS(note_columns), fill_notes, WEFT_CLASS_NONE},
	{0},
};
