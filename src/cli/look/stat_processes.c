/* SPDX-License-Identifier: Apache-2.0 */
/* `weft stat` of a trace that has neither regions nor states: which processes there were, and how they ended. */
#include "stat_processes.h"
#include "base/exit.h"
#include "base/log.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define TEXT(z) ((struct weft_cell){WEFT_CELL_TEXT, {.text = (z)}})
#define NS(known, v) ((struct weft_cell){(known) ? WEFT_CELL_NS : WEFT_CELL_NONE, {.u64 = (known) ? (v) : 0}})

enum { NAMES_MOST = 8 };

static const struct weft_column columns[] = {
	{"process", "process", WEFT_CELL_TEXT}, {"name", "name", WEFT_CELL_TEXT},
	{"threads", "threads", WEFT_CELL_U64},  {"thread_names", "names of threads", WEFT_CELL_TEXT},
	{"begin_ns", "begin", WEFT_CELL_NS},    {"lasted_ns", "lasted", WEFT_CELL_NS},
	{"cpu_ns", "cpu", WEFT_CELL_NS},        {"user_ns", "user", WEFT_CELL_NS},
	{"system_ns", "system", WEFT_CELL_NS},  {"status", "status", WEFT_CELL_I64},
	{"command", "command", WEFT_CELL_TEXT},
};

static bool is_named_before(const struct weft_trace *t, const struct weft_process *p, uint32_t i)
{
	for (uint32_t k = p->first_thread; k < i; k++)
		if (strcmp(t->thread[k].name, t->thread[i].name) == 0)
			return true;
	return false;
}

/* Each name once, in the order of threads, and how many are left when there are many. */
static void add_names(const struct weft_trace *t, const struct weft_process *p, struct weft_buf *out)
{
	uint32_t shown = 0, i = p->first_thread;
	for (; i < p->first_thread + p->n_threads && shown < NAMES_MOST; i++) {
		if (!*t->thread[i].name || is_named_before(t, p, i))
			continue;
		weft_buf_printf(out, "%s%s", shown++ ? ", " : "", t->thread[i].name);
	}
	if (i < p->first_thread + p->n_threads)
		weft_buf_puts(out, ", ...");
}

static int add_process(struct weft_table *table, const struct weft_trace *t, const struct weft_process *p)
{
	struct weft_buf names = {0};
	char label[48] = "";
	if (p->n_threads)
		weft_thread_label(t, p->first_thread, label);
	char *last = strrchr(label, '.');
	if (last)
		*last = '\0';
	add_names(t, p, &names);
	weft_buf_putc(&names, '\0');
	bool ended = p->begin != WEFT_NEVER && p->end != WEFT_NEVER && p->end >= p->begin;
	struct weft_cell row[] = {
		TEXT(label),
		TEXT(p->name),
		{WEFT_CELL_U64, {.u64 = p->n_threads}},
		TEXT(names.failed ? "" : names.at),
		NS(p->begin != WEFT_NEVER, p->begin),
		NS(ended, p->end - p->begin),
		NS(p->has_cpu, p->cpu_ns),
		NS(p->has_user, p->user_ns),
		NS(p->has_user, p->cpu_ns - p->user_ns),
		{p->status >= 0 ? WEFT_CELL_I64 : WEFT_CELL_NONE, {.i64 = p->status >= 0 ? weft_exit_code((int)p->status) : 0}},
		TEXT(p->command),
	};
	int rc = names.failed ? -ENOMEM : weft_table_row(table, row);
	weft_buf_fini(&names);
	return rc;
}

bool cli_stat_has_processes_only(const struct weft_trace *t)
{
	return t->n_processes && t->def[WEFT_CLASS_REGION].n <= 1 && t->def[WEFT_CLASS_STATE].n <= 1;
}

/* Such as still ran when recording ended, or were not watched, or not in a way that tells. */
static void say_without_cpu(const struct weft_trace *t)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < t->n_processes; i++)
		n += !t->process[i].has_cpu;
	if (n)
		printf("Nobody told the CPU time of %u of %u process%s (weft-record(1), --watch).\n", n, t->n_processes,
		       t->n_processes == 1 ? "" : "es");
}

int cli_stat_processes(const struct weft_trace *t, const struct cli_common *c, uint64_t top)
{
	struct weft_table table;
	int rc = 0;
	uint32_t n = top && top < t->n_processes ? (uint32_t)top : t->n_processes;
	weft_table_init(&table, columns, sizeof columns / sizeof *columns);
	for (uint32_t i = 0; i < n && !rc; i++)
		rc = add_process(&table, t, &t->process[i]);
	if (rc) {
		weft_table_fini(&table);
		return cli_fail_code(rc);
	}
	int status = cli_table(&table, c);
	if (status || cli_form(c) != WEFT_TABLE_TEXT)
		return status;
	if (n < t->n_processes)
		printf("\n%u of %u processes are shown.", n, t->n_processes);
	printf("\nNo regions were recorded, so nothing is known of what threads did.\n");
	say_without_cpu(t);
	return status;
}
