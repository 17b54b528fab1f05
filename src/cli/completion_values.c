/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stands behind options and as operands: a row each, and the words from the tables that the commands read where those are
 * known outside of their file. Where a row has the words itself, tests/cli/completion.t holds them against what the command takes.
 */
#include "completion.h"
#include "cli/data/data_tables.h"
#include "cli/doctor/doctor.h"
#include "charts/graph_view.h"
#include "cli/graph/task_groups.h"
#include "cli/look/info_list.h"
#include "metric/library/library.h"
#include "cli/panels/panels.h"
#include "cli/simulate/simulate_machine.h"
#include "cli/tune/tune_run.h"
#include "metric/text/text_view.h"
#include "render/cells/draw_mode.h"
#include "trace/write/export.h"
#include <stdlib.h>
#include <string.h>

/* ---- words from other tables ---- */

static void each_format(struct completion *c)
{
	for (const struct weft_exporter *e = weft_exporters; e->name; e++)
		completion_offer(c, e->name, NULL);
}

static void each_list(struct completion *c)
{
	for (const struct info_list *l = info_lists; l->name; l++)
		completion_offer(c, l->name, NULL);
}

static void each_draw_mode(struct completion *c)
{
	for (unsigned i = 0; i < WEFT_DRAWS; i++)
		completion_offer(c, draw_mode_names[i], NULL);
}

static void each_statistic(struct completion *c)
{
	char name[64], before[64];
	for (unsigned i = 0, k; weft_stat_known(i, name); i++) {
		for (k = 0; k < i && weft_stat_known(k, before) && strcmp(before, name) != 0; k++)
			;
		if (k == i) /* several of Paraver's are called alike */
			completion_offer(c, name, NULL);
	}
}

static void each_task_field(struct completion *c)
{
	for (unsigned i = 0; i < n_task_fields; i++)
		if (task_fields[i].needs != TASK_SPAN)
			completion_offer(c, task_fields[i].name, task_fields[i].help);
}

static void each_task_sort(struct completion *c)
{
	each_task_field(c);
	for (unsigned i = 0; i < n_task_sums; i++)
		completion_offer(c, task_sums[i].name, NULL);
}

static void each_data_table(struct completion *c)
{
	for (unsigned i = 0; i < n_data_tables; i++)
		completion_offer(c, data_tables[i].by, data_tables[i].help);
}

static void each_folding(struct completion *c)
{
	for (unsigned i = 0; i < GRAPH_FOLDINGS; i++)
		completion_offer(c, graph_by_names[i], NULL);
}

static void each_panel(struct completion *c)
{
	for (unsigned i = 0; i < PANELS_MOST; i++)
		completion_offer(c, panels_list[i].name, panels_list[i].about);
}

static void each_panels_table(struct completion *c)
{
	for (unsigned i = 0; i < n_panels_tables; i++)
		completion_offer(c, panels_tables[i], NULL);
}

static void each_editor(struct completion *c)
{
	for (unsigned i = 0; graph_editors[i]; i++)
		completion_offer(c, graph_editors[i], NULL);
}

static void each_check(struct completion *c)
{
	const struct doctor_check *check;
	for (unsigned i = 0; (check = doctor_check_at(i)); i++)
		completion_offer(c, check->name, check->what);
}

static int offer_view(void *arg, const char *name, const char *path)
{
	(void)path;
	completion_offer(arg, name, NULL);
	return 0;
}

static void each_view(struct completion *c)
{
	(void)weft_views_each(offer_view, c); /* without memory fewer are offered */
}

static void each_tunlet(struct completion *c)
{
	char **name;
	char folder[4096];
	int n = tune_shipped_folder(folder, sizeof folder) ? 0 : weft_list_dir(folder, &name, NULL);
	for (int i = 0; i < n; i++) {
		char *dot = strrchr(name[i], '.');
		if (!dot || strcmp(dot, ".tsl") != 0)
			continue;
		*dot = '\0';
		completion_offer(c, name[i], NULL);
	}
	if (n > 0)
		weft_list_free(name, n);
}

static int offer_machine(void *c, const struct simulate_machine *m)
{
	completion_offer(c, m->name, m->about);
	return 0;
}

static void each_machine(struct completion *c)
{
	(void)simulate_each_machine(offer_machine, c);
}

static void each_command(struct completion *c)
{
	const struct weft_command *cmd;
	for (unsigned i = 0; (cmd = cli_command(i)); i++)
		completion_offer(c, cmd->name, cmd->summary);
}

static void each_benchmark(struct completion *c)
{
	for (unsigned i = 0; machine_benchmark(i); i++)
		completion_offer(c, machine_benchmark(i), NULL);
}

static void each_shell(struct completion *c)
{
	for (const struct completion_shell *s = completion_shells; s->name; s++)
		completion_offer(c, s->name, NULL);
}

/* ---- options ---- */

/* Rows with a command come first; the others are of every option whose argument is called so. */
static const struct value_row {
	const char *command, *option, *arg;
	const char *words; /* with blanks between, or NULL */
	void (*each)(struct completion *c);
	enum completion_rest rest;
	bool list; /* several, with commas between */
} value_rows[] = {
	{"calls", "to", NULL, "svg folded pprof speedscope", NULL, REST_NOTHING, false},
	{"calls", "of", NULL, "samples regions", NULL, REST_NOTHING, false},
	{"critical", "by", NULL, "region path thread step burst", NULL, REST_NOTHING, false},
	{"waits", "by", NULL, "class cause place thread wait", NULL, REST_NOTHING, false},
	{"calls", "per", NULL, "all process thread", NULL, REST_NOTHING, false},
	{"convert", "like", NULL, "extrae", NULL, REST_NOTHING, false},
	{"convert", "openmp", NULL, "classic new dependencies", NULL, REST_NOTHING, true},
	{"convert", "to", NULL, NULL, each_format, REST_NOTHING, false},
	{"info", "list", NULL, NULL, each_list, REST_NOTHING, false},
	{"stat", "by", NULL, "region thread process state all function counter", NULL, REST_NOTHING, true},
	{"stat", "sort", NULL, "self total calls threads min mean p50 p99 max balance share name", NULL, REST_NOTHING, false},
	{"timeline", "format", NULL, "svg png csv", NULL, REST_NOTHING, false},
	{"timeline", "draw-mode", NULL, NULL, each_draw_mode, REST_NOTHING, false},
	{"timeline", "draw-mode-rows", NULL, NULL, each_draw_mode, REST_NOTHING, false},
	{"timeline", "color", NULL, "code gradient null-gradient alternative-gradient punctual fused line", NULL, REST_NOTHING,
         false},
	{"table", "statistic", NULL, NULL, each_statistic, REST_NOTHING, false},
	{"diff", "statistic", NULL, NULL, each_statistic, REST_NOTHING, false},
	{"diff", "by", NULL, "column row cell", NULL, REST_NOTHING, false},
	{"record", "watch", NULL, "perf ptrace none", NULL, REST_NOTHING, false},
	{"record", "save-on", NULL, "USR1 USR2 HUP ALRM CONT WINCH", NULL, REST_NOTHING, false},
	{"shift", "by", NULL, "thread process application all", NULL, REST_NOTHING, false},
	{"filter", "discard", NULL, "states events messages", NULL, REST_NOTHING, true},
	{"simulate", "machine", NULL, NULL, each_machine, REST_NOTHING, false},
	{"machine", "worker", NULL, "cpu opencl", NULL, REST_NOTHING, false},
	{"data", "by", NULL, NULL, each_data_table, REST_NOTHING, false},
	{"tasks", "columns", NULL, NULL, each_task_field, REST_NOTHING, true},
	{"tasks", "by", NULL, NULL, each_task_field, REST_NOTHING, true},
	{"tasks", "sort", NULL, NULL, each_task_sort, REST_NOTHING, false},
	{"graph", "by", NULL, NULL, each_folding, REST_NOTHING, false},
	{"graph", "to", NULL, "svg png html dot", NULL, REST_NOTHING, false},
	{"graph", "editor", NULL, NULL, each_editor, REST_NOTHING, false},
	{"gantt", "show", NULL, "curves nodes events push pop transfers dependencies", NULL, REST_NOTHING, true},
	{"panels", "panel", NULL, NULL, each_panel, REST_NOTHING, true},
	{"panels", "table", NULL, NULL, each_panels_table, REST_NOTHING, false},
	{"panels", "outliers", NULL, "footprint flops none", NULL, REST_NOTHING, false},
	{"panels", "chain", NULL, "last none", NULL, REST_NOTHING, false},
	{"panels", "by", NULL, NULL, each_task_field, REST_NOTHING, false},
	{"tune", "collectors", NULL, "auto", NULL, REST_NOTHING, false},
	{"tune", "tunlet", NULL, NULL, each_tunlet, REST_FILES, false},
	{NULL, NULL, "FILE", NULL, NULL, REST_FILES, false},
	{NULL, NULL, "OUT", NULL, NULL, REST_FILES, false},
	{NULL, NULL, "SEEN", NULL, NULL, REST_FILES, false},
	{NULL, NULL, "TRACE", NULL, NULL, REST_FILES, false},
	{NULL, NULL, "TRACE2", NULL, NULL, REST_FILES, false},
	{NULL, NULL, "VIEW", NULL, NULL, REST_FILES, false},
	{NULL, NULL, "[TUNLET=]FILE", NULL, NULL, REST_FILES, false},
	{NULL, NULL, "[ACTOR=]PATH", NULL, NULL, REST_FILES, false},
	{NULL, NULL, "DIR", NULL, NULL, REST_FOLDERS, false},
};

static const struct value_row *find_values(const char *command, const struct weft_opt *o)
{
	for (size_t i = 0; i < sizeof value_rows / sizeof *value_rows; i++) {
		const struct value_row *r = &value_rows[i];
		if (r->command ? !strcmp(r->command, command) && o->name && !strcmp(r->option, o->name) : !strcmp(r->arg, o->arg))
			return r;
	}
	return NULL;
}

/* What stands before the last comma stays. */
static void cut_list(struct completion *c, char *kept, size_t room)
{
	size_t n = c->typed.n;
	while (n && c->typed.at[n - 1] != ',')
		n--;
	if (!n || c->kept.n + n >= room)
		return;
	snprintf(kept, room, "%.*s%.*s", (int)c->kept.n, c->kept.at, (int)n, c->typed.at);
	c->kept = weft_str(kept);
	c->typed = weft_str_n(c->typed.at + n, c->typed.n - n);
}

enum completion_rest completion_values(struct completion *c, const char *command, const struct weft_opt *o)
{
	char kept[400];
	const struct value_row *r = find_values(command, o);
	if (!r)
		return REST_NOTHING;
	if (r->list)
		cut_list(c, kept, sizeof kept);
	if (r->words)
		completion_offer_all(c, r->words);
	if (r->each)
		r->each(c);
	return r->rest;
}

/* ---- operands ---- */

enum { ANY = 1000 };
/* The first row that fits; where none does, files. */
static const struct operand_row {
	const char *command;
	unsigned from, to; /* of these operands */
	const char *first; /* behind these first operands only, with blanks between; NULL: any */
	const char *words;
	void (*each)(struct completion *c);
	enum completion_rest rest;
} operand_rows[] = {
	{"view", 0, 0, NULL, "list show convert", NULL, REST_NOTHING},
	{"view", 1, 1, "show convert", NULL, each_view, REST_FILES},
	{"view", 1, ANY, NULL, NULL, NULL, REST_NOTHING},
	{"tunlet", 0, 0, NULL, "check explain new compile try", NULL, REST_NOTHING},
	{"tunlet", 1, 1, "check explain compile try", NULL, each_tunlet, REST_FILES},
	{"tunlet", 1, ANY, "new", NULL, NULL, REST_NOTHING},
	{"completion", 0, 0, NULL, NULL, each_shell, REST_NOTHING},
	{"completion", 1, ANY, NULL, NULL, NULL, REST_NOTHING},
	{"machine", 0, ANY, NULL, NULL, NULL, REST_NOTHING},
	{"bus", 0, ANY, NULL, NULL, NULL, REST_NOTHING},
	{"sched", 0, ANY, NULL, NULL, NULL, REST_NOTHING},
	{"bench", 0, 0, NULL, NULL, each_benchmark, REST_NOTHING},
	{"help", 0, 0, NULL, NULL, each_command, REST_NOTHING},
	{"doctor", 0, ANY, NULL, NULL, each_check, REST_NOTHING},
	{"timeline", 0, 0, NULL, NULL, each_view, REST_FILES},
	{"table", 0, 0, NULL, NULL, each_view, REST_FILES},
	{"diff", 2, ANY, NULL, NULL, each_view, REST_FILES},
	{"files", 0, 0, NULL,
         "sort states histogram summary efficiency activity profile distribution sizes estimate events count use matrix", NULL,
         REST_NOTHING},
	{"record", 0, 0, NULL, NULL, NULL, REST_COMMANDS},
	{"tune", 0, 0, NULL, NULL, NULL, REST_COMMANDS},
	{"simulate", 0, 0, NULL, NULL, NULL, REST_COMMANDS},
};

static bool is_among(const char *words, const char *word)
{
	struct weft_str rest = weft_str(words), part;
	while (weft_str_cut(&rest, ' ', &part))
		if (word && weft_str_eq(part, word))
			return true;
	return false;
}

enum completion_rest completion_operands(struct completion *c, const char *command, unsigned index, const char *first)
{
	for (size_t i = 0; i < sizeof operand_rows / sizeof *operand_rows; i++) {
		const struct operand_row *r = &operand_rows[i];
		if (strcmp(r->command, command) != 0 || index < r->from || index > r->to ||
		    (r->first && !is_among(r->first, first)))
			continue;
		if (r->words)
			completion_offer_all(c, r->words);
		if (r->each)
			r->each(c);
		return r->rest;
	}
	return REST_FILES;
}
