/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing a predicted run for Paraver. What the run tells comes in the order of each thread; a file is in the order of time, so all of it
 * becomes rows of six words that are sorted (out of memory where there are many), then text. Rows of one time, thread and class stay as they came.
 *
 *     time | class, thread | …      class: 0 states, 1 events, 2 messages
 */
#include "dim_prv.h"
#include "base/fs.h"
#include "base/str.h"
#include "dim.h"
#include "trace/store/spill.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROW_WORDS = 6, KEYS = 2, BUFFER = 1 << 16 };
enum { CLASS_STATE, CLASS_EVENT, CLASS_MESSAGE };

struct weft_replay_prv {
	const struct weft_replay_program *p;
	const struct weft_replay_machine *m;
	struct weft_replay_sink sink;
	struct spill_sort rows;
	uint32_t *node, *cpu; /* by rank; by thread, from 1 */
	uint32_t n_nodes, *cpus;
	uint8_t *tool, *parallel;           /* by thread: what its running is called */
	const struct weft_replay_op **last; /* by thread: the event before; NULL: none yet */
	double from, to;
	bool has_rows;
	struct object *object; /* by thread */
};
struct object { /* a thread, as text: ":1:RANK:NUMBER" */
	char at[39];
	uint8_t n;
};

/* No time is negative. */
static uint64_t rounded(double ns)
{
	return (uint64_t)(ns + 0.5);
}

/* ---- what a run tells ---- */

static int add(struct weft_replay_prv *w, const uint64_t row[ROW_WORDS])
{
	return spill_sort_add(&w->rows, row);
}

static bool is_outside(const struct weft_replay_prv *w, double at)
{
	return at < w->from || (w->to > 0 && at >= w->to);
}

static const uint8_t state_numbers[WEFT_REPLAY_STATES] = {
	[WEFT_REPLAY_RUNNING] = 1,           [WEFT_REPLAY_WAITS_MESSAGE] = 3,  [WEFT_REPLAY_WAITS_RECEIVER] = 4,
	[WEFT_REPLAY_WAITS_COLLECTIVE] = 13, [WEFT_REPLAY_IN_COLLECTIVE] = 13, [WEFT_REPLAY_LATENCY] = 26,
	[WEFT_REPLAY_WAITS_CPU] = 5,         [WEFT_REPLAY_WAITS_THREADS] = 9,  [WEFT_REPLAY_ON_DEVICE] = 1,
};

static bool has_cpu(enum weft_replay_state s)
{
	return s == WEFT_REPLAY_RUNNING || s == WEFT_REPLAY_LATENCY || s == WEFT_REPLAY_ON_DEVICE;
}

static int on_state(void *arg, uint32_t thread, enum weft_replay_state state, double begin, double end)
{
	struct weft_replay_prv *w = arg;
	const uint64_t from = rounded(begin), to = rounded(end);
	if (from == to || is_outside(w, begin))
		return 0;
	uint64_t number = state_numbers[state];
	if (state == WEFT_REPLAY_RUNNING && !w->last[thread])
		return 0; /* before all that is known of it */
	if (state == WEFT_REPLAY_RUNNING && w->parallel[thread])
		number = 7;
	uint64_t row[ROW_WORDS] = {from, (uint64_t)thread << 2 | CLASS_STATE, to, number, has_cpu(state) ? w->cpu[thread] : 0};
	int rc = add(w, row);
	if (rc || state != WEFT_REPLAY_RUNNING || !w->tool[thread])
		return rc;
	row[3] = w->tool[thread]; /* also by its other name */
	return add(w, row);
}

/* Extrae's own work, and regions of OpenMP, give running another name. */
static void turn_name(struct weft_replay_prv *w, uint32_t thread, uint32_t type, int64_t value)
{
	if (type == 40000002 || type == 40000003)
		w->tool[thread] = value ? (type == 40000002 ? 15 : 12) : 0;
	else if (type == DIM_OMP_PARALLEL)
		w->parallel[thread] = value != 0;
	else if (type == DIM_OMP_FUNCTION && w->p->thread[thread].number == 0)
		w->parallel[thread] = value == 0;
}

/* Whether nothing that takes time stands between it and the event before, so that both are one line. */
static bool goes_on(const struct weft_replay_prv *w, uint32_t thread, const struct weft_replay_op *op)
{
	const struct weft_replay_op *at = w->last[thread];
	if (!at)
		return false;
	for (at++; at < op; at++)
		if (at->kind != WEFT_REPLAY_SYNC && (at->kind != WEFT_REPLAY_BURST || at->ns > 0))
			return false;
	return true;
}

static int on_op(void *arg, uint32_t thread, const struct weft_replay_op *op, double at)
{
	struct weft_replay_prv *w = arg;
	if (op->kind != WEFT_REPLAY_EVENT)
		return 0;
	turn_name(w, thread, op->what, op->value);
	if (op->what == 0 || is_outside(w, at))
		return 0;
	const uint64_t row[ROW_WORDS] = {rounded(at), (uint64_t)thread << 2 | CLASS_EVENT, op->what, (uint64_t)op->value,
	                                 goes_on(w, thread, op)};
	w->last[thread] = op;
	return add(w, row);
}

static int on_message(void *arg, const struct weft_replay_transfer *x)
{
	struct weft_replay_prv *w = arg;
	const struct weft_replay_message *m = &w->p->message[x->message];
	if (is_outside(w, x->send_ns))
		return 0;
	const uint64_t row[ROW_WORDS] = {rounded(x->send_ns), (uint64_t)m->from << 2 | CLASS_MESSAGE,
	                                 x->message,          rounded(x->begin_ns),
	                                 rounded(x->post_ns), rounded(x->end_ns)};
	return add(w, row);
}

/* ---- text ---- */

struct text {
	FILE *to;
	char at[BUFFER];
	size_t n;
};

static void flush(struct text *t)
{
	fwrite(t->at, 1, t->n, t->to);
	t->n = 0;
}

static void put_number(struct text *t, uint64_t v)
{
	t->n += weft_fmt_u64(t->at + t->n, v);
}

static void put_field(struct text *t, uint64_t v)
{
	t->at[t->n++] = ':';
	put_number(t, v);
}

static void put_object(const struct weft_replay_prv *w, struct text *t, uint64_t cpu, uint32_t thread)
{
	const struct object *o = &w->object[thread];
	put_field(t, cpu);
	memcpy(t->at + t->n, o->at, sizeof o->at); /* a fixed length is quicker; what is too much is overwritten */
	t->n += o->n;
}

static void put_state(const struct weft_replay_prv *w, struct text *t, const uint64_t *row)
{
	t->at[t->n++] = '1';
	put_object(w, t, row[4], (uint32_t)(row[1] >> 2));
	put_field(t, row[0]);
	put_field(t, row[2]);
	put_field(t, row[3]);
}

static void put_pair(struct text *t, const uint64_t *row)
{
	put_field(t, row[2]);
	t->at[t->n++] = ':';
	t->n += weft_fmt_i64(t->at + t->n, (int64_t)row[3]);
}

static void put_event(const struct weft_replay_prv *w, struct text *t, const uint64_t *row)
{
	const uint32_t thread = (uint32_t)(row[1] >> 2);
	t->at[t->n++] = '2';
	put_object(w, t, w->cpu[thread], thread);
	put_field(t, row[0]);
	put_pair(t, row);
}

static void put_message(const struct weft_replay_prv *w, struct text *t, const uint64_t *row)
{
	const struct weft_replay_message *m = &w->p->message[row[2]];
	t->at[t->n++] = '3';
	put_object(w, t, w->cpu[m->from], m->from);
	put_field(t, row[0]);
	put_field(t, row[3]);
	put_object(w, t, w->cpu[m->to], m->to);
	put_field(t, row[4]);
	put_field(t, row[5]);
	put_field(t, m->bytes);
	t->at[t->n++] = ':';
	t->n += weft_fmt_i64(t->at + t->n, m->tag);
}

/* Events of one thread and instant that stand together are one line. */
static int put_rows(struct weft_replay_prv *w, struct text *t)
{
	const uint64_t *row;
	uint64_t time = UINT64_MAX, who = UINT64_MAX;
	int rc;
	while ((rc = spill_sort_next(&w->rows, (const void **)&row)) > 0) {
		const unsigned class = row[1] & 3;
		const bool same_line = class == CLASS_EVENT && row[4] && row[0] == time && row[1] == who;
		if (who != UINT64_MAX && !same_line)
			t->at[t->n++] = '\n';
		if (same_line)
			put_pair(t, row);
		else if (class == CLASS_STATE)
			put_state(w, t, row);
		else if (class == CLASS_EVENT)
			put_event(w, t, row);
		else
			put_message(w, t, row);
		time = row[0];
		who = row[1];
		if (t->n > BUFFER - 1024)
			flush(t);
	}
	if (who != UINT64_MAX)
		t->at[t->n++] = '\n';
	flush(t);
	return rc;
}

static void put_head(const struct weft_replay_prv *w, double time_ns, FILE *to)
{
	const time_t now = time(NULL);
	struct tm at;
	localtime_r(&now, &at);
	fprintf(to, "#Paraver (%02d/%02d/%02d at %02d:%02d):%llu_ns:%u(", at.tm_mday, at.tm_mon + 1, at.tm_year % 100, at.tm_hour,
	        at.tm_min, (unsigned long long)rounded(time_ns), w->n_nodes);
	for (uint32_t i = 0; i < w->n_nodes; i++)
		fprintf(to, "%s%u", i ? "," : "", w->cpus[i]);
	fprintf(to, "):1:%u(", w->p->n_ranks);
	for (uint32_t r = 0; r < w->p->n_ranks; r++)
		fprintf(to, "%s%u:%u", r ? "," : "", w->p->rank[r].n_threads, w->node[r] + 1);
	fprintf(to, "),%u\n", w->p->n_comms - 1);
	for (uint32_t i = 1; i < w->p->n_comms; i++) {
		fprintf(to, "c:1:%u:%u", w->p->comm[i].id, w->p->comm[i].n);
		for (uint32_t k = 0; k < w->p->comm[i].n; k++)
			fprintf(to, ":%u", w->p->member[w->p->comm[i].first + k] + 1);
		putc('\n', to);
	}
}

static int write_prv(struct weft_replay_prv *w, double time_ns, const char *path, struct weft_err *err)
{
	struct weft_out out;
	struct text *t = malloc(sizeof *t);
	if (!t)
		return -ENOMEM;
	int rc = weft_out_open(&out, path, err);
	if (!rc) {
		t->to = out.to;
		t->n = 0;
		put_head(w, time_ns, out.to);
		rc = spill_sort_finish(&w->rows);
		if (!rc)
			rc = put_rows(w, t);
		if (rc)
			weft_out_abandon(&out);
		else
			rc = weft_out_commit(&out, err);
	}
	free(t);
	return rc;
}

/* ---- the files beside it ---- */

static char *beside(const char *path, const char *suffix)
{
	const size_t n = strlen(path), cut = n > 4 && strcmp(path + n - 4, ".prv") == 0 ? n - 4 : n;
	char *out = malloc(n + 8);
	if (out)
		snprintf(out, n + 8, "%.*s%s", (int)cut, path, suffix);
	return out;
}

static void put_level(FILE *to, const char *level, unsigned long long n)
{
	fprintf(to, "LEVEL %s SIZE %llu\n", level, n);
}

static void put_rows_file(const struct weft_replay_prv *w, FILE *to)
{
	unsigned long long n_cpus = 0;
	for (uint32_t i = 0; i < w->n_nodes; i++)
		n_cpus += w->cpus[i];
	fprintf(to, "LEVEL SYSTEM SIZE 1\nunnamed_1 ()\n\n\n");
	put_level(to, "NODE", w->n_nodes);
	for (uint32_t i = 0; i < w->n_nodes; i++)
		fprintf(to, "unnamed_1.%u ()\n", i + 1);
	putc('\n', to);
	put_level(to, "CPU", n_cpus);
	for (uint32_t i = 0; i < w->n_nodes; i++)
		for (uint32_t k = 0; k < w->cpus[i]; k++)
			fprintf(to, "CPU unnamed_1.%u.%u\n", i + 1, k + 1);
	fprintf(to, "\nLEVEL APPL SIZE 1\nAPPL 1\n\n");
	put_level(to, "TASK", w->p->n_ranks);
	for (uint32_t r = 0; r < w->p->n_ranks; r++)
		fprintf(to, "TASK 1.%u\n", r + 1);
	putc('\n', to);
	put_level(to, "THREAD", w->p->n_threads);
	for (uint32_t i = 0; i < w->p->n_threads; i++)
		fprintf(to, "THREAD 1.%u.%u\n", w->p->thread[i].rank + 1, w->p->thread[i].number + 1);
}

static const struct {
	uint8_t number;
	const char *name;
	uint8_t color[3];
} states[] = {
	{0, "Idle", {117, 195, 255}},
	{1, "Running", {0, 0, 255}},
	{3, "Waiting a message", {255, 0, 0}},
	{4, "Blocking send", {255, 0, 174}},
	{5, "Synchronization", {179, 0, 0}},
	{7, "Sched. and Fork/Join", {255, 255, 0}},
	{9, "Blocked", {0, 162, 0}},
	{12, "I/O", {189, 168, 100}},
	{13, "Group Communication", {255, 144, 26}},
	{15, "Others", {66, 0, 66}},
	{26, "Startup Latency", {230, 150, 0}},
};

/* What stands in the input's file behind its states. */
static const char *rest_of_pcf(const char *at)
{
	const char *colors = strstr(at, "STATES_COLOR");
	for (const char *line = colors ? strchr(colors, '\n') : NULL; line; line = strchr(line + 1, '\n'))
		if (line[1] >= 'A' && line[1] <= 'Z')
			return line + 1;
	return "";
}

static void put_pcf(FILE *to, const char *pcf_from)
{
	char *at = NULL;
	size_t n;
	struct weft_err ignored = {0};
	fputs("DEFAULT_OPTIONS\n\nLEVEL               TASK\nUNITS               NANOSEC\nLOOK_BACK           100\nSPEED               1\n"
	      "FLAG_ICONS          ENABLED\nNUM_OF_STATE_COLORS 31\nYMAX_SCALE          20\n\n\nDEFAULT_SEMANTIC\n\n"
	      "THREAD_FUNC         State As Is\n\n\nSTATES\n",
	      to);
	for (size_t i = 0; i < sizeof states / sizeof states[0]; i++)
		fprintf(to, "%u\t%s\n", states[i].number, states[i].name);
	fputs("\nSTATES_COLOR\n", to);
	for (size_t i = 0; i < sizeof states / sizeof states[0]; i++)
		fprintf(to, "%u\t{%u,%u,%u}\n", states[i].number, states[i].color[0], states[i].color[1], states[i].color[2]);
	fputs("\n\n", to);
	if (pcf_from && !weft_read_file(pcf_from, &at, &n, &ignored)) {
		fputs(rest_of_pcf(at), to);
		free(at);
	}
}

static int write_beside(const struct weft_replay_prv *w, const char *path, const char *suffix, const char *pcf_from,
                        struct weft_err *err)
{
	struct weft_out out;
	char *name = beside(path, suffix);
	int rc = name ? weft_out_open(&out, name, err) : -ENOMEM;
	if (!rc) {
		if (strcmp(suffix, ".row") == 0)
			put_rows_file(w, out.to);
		else
			put_pcf(out.to, pcf_from);
		rc = weft_out_commit(&out, err);
	}
	free(name);
	return rc;
}

int weft_replay_prv_write(struct weft_replay_prv *w, double time_ns, const char *path, const char *pcf_from, struct weft_err *err)
{
	int rc = write_prv(w, time_ns, path, err);
	if (!rc)
		rc = write_beside(w, path, ".row", NULL, err);
	if (!rc)
		rc = write_beside(w, path, ".pcf", pcf_from, err);
	if (rc == -ENOMEM)
		rc = weft_err_set(err, rc, "'%s': out of memory", path);
	return rc;
}

/* ---- making it ---- */

const struct weft_replay_sink *weft_replay_prv_sink(struct weft_replay_prv *w)
{
	return &w->sink;
}

void weft_replay_prv_window(struct weft_replay_prv *w, double from_ns, double to_ns)
{
	w->from = from_ns;
	w->to = to_ns;
}

/* Processors in the order of nodes; of a node that has no number of them, as many as threads run there. */
static int number_cpus(struct weft_replay_prv *w)
{
	const struct weft_replay_program *p = w->p;
	w->cpus = calloc(w->n_nodes, sizeof *w->cpus);
	uint32_t *threads = calloc(w->n_nodes, sizeof *threads), *first = calloc(w->n_nodes + 1, sizeof *first);
	int rc = w->cpus && threads && first ? 0 : -ENOMEM;
	for (uint32_t i = 0; !rc && i < p->n_threads; i++)
		threads[w->node[p->thread[i].rank]]++;
	for (uint32_t i = 0; !rc && i < w->n_nodes; i++) {
		const uint32_t cpus = weft_replay_node_kind(w->m, i)->cpus;
		w->cpus[i] = cpus ? cpus : threads[i] ? threads[i] : 1;
		first[i + 1] = first[i] + w->cpus[i];
		threads[i] = 0;
	}
	for (uint32_t i = 0; !rc && i < p->n_threads; i++) {
		const uint32_t node = w->node[p->thread[i].rank];
		w->cpu[i] = first[node] + threads[node]++ % w->cpus[node] + 1;
	}
	free(threads);
	free(first);
	return rc;
}

static int prepare(struct weft_replay_prv *w, uint64_t memory, struct weft_err *err)
{
	const struct weft_replay_program *p = w->p;
	w->node = calloc(p->n_ranks + 1, sizeof *w->node);
	w->cpu = calloc(p->n_threads + 1, sizeof *w->cpu);
	w->tool = calloc(p->n_threads + 1, 1);
	w->parallel = calloc(p->n_threads + 1, 1);
	w->last = calloc(p->n_threads + 1, sizeof *w->last);
	w->object = calloc(p->n_threads + 1, sizeof *w->object);
	if (!w->node || !w->cpu || !w->tool || !w->parallel || !w->last || !w->object)
		return -ENOMEM;
	int rc = weft_replay_map_ranks(w->m, p->n_ranks, w->node, err);
	for (uint32_t r = 0; !rc && r < p->n_ranks; r++)
		if (w->node[r] >= w->n_nodes)
			w->n_nodes = w->node[r] + 1;
	if (!rc)
		rc = number_cpus(w);
	for (uint32_t i = 0; i < p->n_threads; i++)
		w->object[i].n = (uint8_t)snprintf(w->object[i].at, sizeof w->object[i].at, ":1:%u:%u", p->thread[i].rank + 1,
		                                   p->thread[i].number + 1);
	spill_sort_init(&w->rows, ROW_WORDS * sizeof(uint64_t), memory ? memory : UINT64_MAX);
	w->rows.keys = KEYS;
	w->has_rows = true;
	return rc;
}

int weft_replay_prv_new(struct weft_replay_prv **out, const struct weft_replay_program *p, const struct weft_replay_machine *m,
                        uint64_t memory, struct weft_err *err)
{
	struct weft_replay_prv *w = calloc(1, sizeof *w);
	*out = NULL;
	if (!w)
		return -ENOMEM;
	w->p = p;
	w->m = m;
	w->sink = (struct weft_replay_sink){w, on_state, on_op, on_message};
	int rc = prepare(w, memory, err);
	if (rc)
		weft_replay_prv_free(w);
	else
		*out = w;
	return rc;
}

void weft_replay_prv_free(struct weft_replay_prv *w)
{
	if (!w)
		return;
	if (w->has_rows)
		spill_sort_fini(&w->rows);
	free(w->node);
	free(w->cpu);
	free(w->cpus);
	free(w->tool);
	free(w->parallel);
	free(w->last);
	free(w->object);
	free(w);
}
