/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The call: loads the tasks of all traces, finds the programs, opens the files, has them written, and lets them appear together. Nothing
 * appears where anything fails.
 */
#include "products_priv.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const file_names[PROD_FILES] = {
	[PROD_PAJE] = "paje.trace",        [PROD_DAG] = "dag.dot",          [PROD_TASKS] = "tasks.rec",
	[PROD_SCHED] = "sched_tasks.rec",  [PROD_DATA] = "data.rec",        [PROD_COMMS] = "comms.rec",
	[PROD_PAPI] = "papi.rec",          [PROD_STATES] = "trace.rec",     [PROD_HTML] = "trace.html",
	[PROD_ACTIVITY] = "activity.data", [PROD_DISTRIB] = "distrib.data", [PROD_NUMBERS] = "number_events.data",
};

/* ---- pieces of lines ---- */

void put_fixed6(struct export_out *o, double v)
{
	char *at = export_room(o, 48);
	if (!(fabs(v) < 1e12))
		v = 0;
	if (v < 0) {
		*at = '-';
		o->n++;
	}
	export_fixed(o, (uint64_t)(fabs(v) * 1e6 + 0.5), 6);
}

void put_hex_digits(struct export_out *o, uint64_t v, unsigned digits)
{
	char *at = export_room(o, 16);
	while (digits < 16 && v >> (4 * digits))
		digits++;
	for (unsigned i = 0; i < digits; i++)
		at[i] = "0123456789abcdef"[v >> (4 * (digits - 1 - i)) & 15];
	o->n += digits;
}

/* ---- names ---- */

/* Readers of Paje and DOT know no escapes: what would need one becomes something that looks like it. */
static struct weft_str harmless(struct weft_arena *a, const char *z)
{
	size_t n = strlen(z), at = 0;
	bool is_plain = n > 0;
	for (size_t i = 0; i < n && is_plain; i++)
		is_plain = z[i] >= 0x20 && z[i] < 0x7f && z[i] != '"' && z[i] != '\\';
	if (is_plain)
		return weft_str_n(z, n);
	char *made = weft_arena_alloc(a, n + 2);
	if (!made)
		return weft_str_n(NULL, 0);
	for (size_t i = 0; i < n;) {
		unsigned len = weft_utf8_len(z + i, n - i);
		unsigned char c = (unsigned char)z[i];
		if (len > 1)
			memcpy(made + at, z + i, len);
		else
			made[at] = len == 0 ? '?' : c == '"' ? '\'' : c == '\\' ? '/' : c < 0x20 || c == 0x7f ? ' ' : z[i];
		at += len ? len : 1;
		i += len ? len : 1;
	}
	return weft_str_n(made, at);
}

static struct weft_str *harmless_names(struct weft_arena *a, const struct weft_def_table *d)
{
	struct weft_str *to = weft_arena_alloc(a, (d->n + 1u) * sizeof *to);
	for (uint32_t i = 1; to && i < d->n; i++) {
		to[i] = harmless(a, d->at[i].name);
		if (!to[i].at)
			return NULL;
	}
	return to;
}

struct weft_str prod_called(const struct prod_trace *t, const struct weft_tasks_task *task)
{
	struct weft_str s = t->string[task->name ? task->name : task->model];
	s = s.n ? s : t->region[task->region];
	return s.n ? s : weft_str_n("unknown", 7);
}

/* ---- loading ---- */

static int find_counters(struct prod_set *s, struct prod_trace *t)
{
	const struct weft_def_table *d = &t->trace->def[WEFT_CLASS_COUNTER];
	t->counter_node = weft_arena_alloc(&s->arena, (d->n + 1u) * sizeof *t->counter_node);
	if (!t->counter_node)
		return -ENOMEM;
	for (uint32_t i = 0; i < d->n; i++) {
		int node = -1, end = 0;
		const char *name = i ? d->at[i].name : "";
		bool is = sscanf(name, "memory in use, node %d%n", &node, &end) == 1 && !name[end] && node >= 0 && node < 4096;
		t->counter_node[i] = is ? node : -1;
	}
	return 0;
}

/* Tasks that wait for each, which the rows have the other way round. */
static int turn_edges(struct prod_trace *t)
{
	const struct weft_tasks *k = &t->tasks;
	t->after = calloc(k->n + 2u, sizeof *t->after);
	t->succ = malloc((k->n_edges + 1u) * sizeof *t->succ);
	if (!t->after || !t->succ)
		return -ENOMEM;
	for (uint32_t i = 0; i < k->n; i++)
		for (uint32_t e = 0; e < k->task[i].n_before; e++)
			t->after[k->edge[k->task[i].before + e] + 2]++;
	for (uint32_t i = 2; i < k->n + 2; i++)
		t->after[i] += t->after[i - 1];
	for (uint32_t i = 0; i < k->n; i++)
		for (uint32_t e = 0; e < k->task[i].n_before; e++)
			t->succ[t->after[k->edge[k->task[i].before + e] + 1]++] = i;
	return 0;
}

static int load_trace(struct prod_set *s, struct prod_trace *t)
{
	int rc = weft_tasks_load(t->trace, &t->tasks);
	if (!rc)
		rc = tasks_roles_init(&t->roles, t->trace);
	if (rc)
		return rc;
	t->string = harmless_names(&s->arena, &t->trace->def[WEFT_CLASS_STRING]);
	t->region = harmless_names(&s->arena, &t->trace->def[WEFT_CLASS_REGION]);
	t->program = weft_arena_alloc(&s->arena, (t->trace->n_processes + 1u) * sizeof *t->program);
	t->codelet = weft_arena_alloc(&s->arena, t->trace->def[WEFT_CLASS_REGION].n + 1u);
	if (!t->string || !t->region || !t->program || !t->codelet)
		return -ENOMEM;
	memset(t->program, 0xff, t->trace->n_processes * sizeof *t->program);
	for (uint32_t i = 0; i < t->tasks.n; i++) {
		t->codelet[t->tasks.task[i].region] = 1;
		t->program[t->tasks.task[i].process] = 0;
	}
	t->codelet[0] = 0;
	for (uint32_t i = 0; i < t->tasks.n_workers; i++)
		t->program[t->tasks.worker[i].process] = 0;
	rc = find_counters(s, t);
	return rc || s->how->no_dependencies ? rc : turn_edges(t);
}

/* What was recorded at the same time of day stands at the same place. */
static void shift_traces(struct prod_set *s)
{
	uint64_t first = UINT64_MAX;
	for (uint32_t i = 0; i < s->n_traces; i++)
		if (s->trace[i].trace->begin_realtime && s->trace[i].trace->begin_realtime < first)
			first = s->trace[i].trace->begin_realtime;
	for (uint32_t i = 0; i < s->n_traces; i++) {
		struct prod_trace *t = &s->trace[i];
		t->first_worker = i ? t[-1].first_worker + t[-1].tasks.n_workers : 0;
		t->shift = t->trace->begin_realtime ? t->trace->begin_realtime - first : 0;
		s->end = prod_time(t, t->trace->end) > s->end ? prod_time(t, t->trace->end) : s->end;
	}
}

/* ---- programs ---- */

static void count_nodes(struct prod_program *p)
{
	const struct weft_tasks *k = &p->of->tasks;
	uint32_t most = 0;
	for (uint32_t i = 0; i < k->n_workers; i++)
		if (k->worker[i].process == p->process && k->worker[i].node < 4096)
			most = k->worker[i].node > most ? k->worker[i].node : most;
	for (uint32_t i = 0; i < k->n_nodes; i++)
		if (k->node[i].process == p->process && k->node[i].number < 4096)
			most = k->node[i].number > most ? k->node[i].number : most;
	for (uint32_t i = 0; i < k->n_copies; i++)
		if (k->copy[i].process == p->process && k->copy[i].from < 4096 && k->copy[i].to < 4096) {
			most = k->copy[i].from > most ? k->copy[i].from : most;
			most = k->copy[i].to > most ? k->copy[i].to : most;
		}
	for (uint32_t i = 0; i < k->n_memory; i++)
		if (k->memory[i].process == p->process && k->memory[i].node < 4096)
			most = k->memory[i].node > most ? k->memory[i].node : most;
	p->n_nodes = most + 1;
}

static void count_workers(struct prod_program *p)
{
	const struct weft_tasks *k = &p->of->tasks;
	for (uint32_t i = k->n_workers; i-- > 0;)
		if (k->worker[i].process == p->process) {
			p->first_worker = i;
			p->n_workers++;
		}
}

/* Ranks as recorded when all programs have one and no two the same; else numbers in the order given. */
static void name_programs(struct prod_set *s)
{
	bool known = true;
	for (uint32_t i = 0; i < s->n_programs; i++) {
		int32_t rank = s->program[i].of->trace->process[s->program[i].process].rank;
		known &= rank >= 0;
		for (uint32_t k = 0; k < i && known; k++)
			known &= s->program[k].rank != rank;
		s->program[i].rank = rank;
	}
	for (uint32_t i = 0; i < s->n_programs; i++) {
		struct prod_program *p = &s->program[i];
		p->rank = s->n_programs == 1 ? -1 : known ? p->rank : (int32_t)i;
		if (s->n_programs > 1)
			snprintf(p->prefix, sizeof p->prefix, "%" PRId32 "_", p->rank);
	}
}

static int find_programs(struct prod_set *s)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < s->n_traces; i++)
		for (uint32_t p = 0; p < s->trace[i].trace->n_processes; p++)
			n += s->trace[i].program[p] != WEFT_NONE;
	s->program = weft_arena_alloc(&s->arena, (n + 1u) * sizeof *s->program);
	if (!s->program)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->n_traces; i++)
		for (uint32_t p = 0; p < s->trace[i].trace->n_processes; p++) {
			struct prod_trace *t = &s->trace[i];
			if (t->program[p] == WEFT_NONE)
				continue;
			t->program[p] = s->n_programs;
			struct prod_program *of = &s->program[s->n_programs++];
			*of = (struct prod_program){.of = t, .process = p};
			count_workers(of);
			count_nodes(of);
		}
	name_programs(s);
	return 0;
}

static int load_all(struct prod_set *s, struct weft_trace *const *trace, struct weft_err *err)
{
	s->trace = weft_arena_alloc(&s->arena, s->n_traces * sizeof *s->trace);
	int rc = s->trace ? 0 : -ENOMEM;
	for (uint32_t i = 0; i < s->n_traces && !rc; i++)
		s->trace[i].trace = trace[i];
	for (uint32_t i = 0; i < s->n_traces && !rc; i++)
		rc = load_trace(s, &s->trace[i]);
	if (rc)
		return weft_err_set(err, rc, "cannot read the tasks: %s", weft_err_name(rc));
	shift_traces(s);
	for (uint32_t i = 0; i < s->n_traces; i++) {
		bool has = false;
		for (uint32_t p = 0; p < trace[i]->n_processes; p++)
			has |= s->trace[i].program[p] != WEFT_NONE;
		if (!has)
			return weft_err_set(err, -ENODATA, "'%s' has no tasks of the runtime: was the program a StarPU program?",
			                    trace[i]->path);
	}
	rc = find_programs(s);
	return rc ? weft_err_set(err, rc, "out of memory") : 0;
}

/* ---- files ---- */

static bool is_wanted(const struct prod_set *s, enum prod_file f)
{
	return f != PROD_NUMBERS || s->how->number_events;
}

static const char *path_of(struct prod_set *s, enum prod_file f)
{
	const char *name = f == PROD_PAJE && s->how->paje ? s->how->paje : file_names[f];
	s->name.n = 0;
	if (s->how->folder && name[0] != '/')
		weft_buf_printf(&s->name, "%s/", s->how->folder);
	weft_buf_puts(&s->name, name);
	return s->name.failed ? NULL : s->name.at;
}

static int open_files(struct prod_set *s, struct weft_err *err)
{
	if (s->how->folder) {
		int rc = weft_make_dirs(s->how->folder, err);
		if (rc)
			return rc;
	}
	for (enum prod_file f = 0; s->how->keep && f < PROD_FILES; f++) {
		const char *path = is_wanted(s, f) ? path_of(s, f) : NULL;
		if (path && access(path, F_OK) == 0)
			return weft_err_set(err, -EEXIST, "'%s' exists already (--force replaces it, -d takes another folder)",
			                    path);
	}
	for (enum prod_file f = 0; f < PROD_FILES; f++) {
		if (!is_wanted(s, f))
			continue;
		const char *path = path_of(s, f);
		int rc = path ? export_open(&s->out[f], path, err) : weft_err_set(err, -ENOMEM, "out of memory");
		if (rc)
			return rc;
		s->opened[f] = true;
	}
	return 0;
}

static int close_files(struct prod_set *s, int rc, struct weft_products_made *made, struct weft_err *err)
{
	for (enum prod_file f = 0; f < PROD_FILES && !rc; f++)
		if (s->opened[f]) {
			export_flush(&s->out[f]);
			rc = s->out[f].failed;
			made->n_bytes += rc ? 0 : (uint64_t)ftello(s->out[f].file.to);
		}
	for (enum prod_file f = 0; f < PROD_FILES; f++)
		if (s->opened[f]) {
			int one = export_close(&s->out[f], rc, err);
			rc = rc ? rc : one;
		}
	return rc;
}

static int write_all(struct prod_set *s)
{
	int rc = prod_tables_write(s);
	if (rc)
		return rc;
	prod_data_write(s);
	prod_dag_write(s);
	prod_html_write(s);
	if (s->how->number_events)
		prod_numbers_write(s);
	return prod_walk(s);
}

static void report(const struct prod_set *s, struct weft_products_made *made)
{
	for (uint32_t i = 0; s->trace && i < s->n_traces; i++) {
		const struct weft_tasks *k = &s->trace[i].tasks;
		made->n_tasks += k->n;
		made->has_detail |= (k->has & WEFT_TASKS_HAS_DETAIL) != 0;
		for (uint32_t t = 0; t < k->n; t++)
			made->n_unfinished += k->task[t].end == WEFT_NEVER;
	}
	for (uint32_t i = 0; i < s->n_programs; i++) {
		int64_t status = s->program[i].of->trace->process[s->program[i].process].status;
		if (status > 0 && WIFSIGNALED((int)status))
			made->signal = WTERMSIG((int)status);
	}
	made->n_programs = s->n_programs;
}

int weft_products_write(struct weft_trace *const *trace, uint32_t n, const struct weft_products_how *how,
                        struct weft_products_made *made, struct weft_err *err)
{
	struct prod_set s = {.how = how, .n_traces = n};
	*made = (struct weft_products_made){0};
	int rc = load_all(&s, trace, err);
	if (!rc)
		rc = open_files(&s, err);
	if (!rc) {
		rc = write_all(&s);
		if (rc)
			weft_err_set(err, rc, "cannot write the files: %s", weft_err_name(rc));
	}
	rc = close_files(&s, rc, made, err);
	report(&s, made);
	for (uint32_t i = 0; s.trace && i < n; i++) {
		weft_tasks_free(&s.trace[i].tasks);
		tasks_roles_fini(&s.trace[i].roles);
		free(s.trace[i].after);
		free(s.trace[i].succ);
	}
	weft_buf_fini(&s.name);
	weft_arena_fini(&s.arena);
	return rc;
}
