/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What happened, as a Paraver trace with the times of the simulation: STARPU_SIMULATED_TRACE=FILE.prv, and .pcf and .row beside it. A
 * thread for each worker (tasks, by name) and, where there are several, for each memory node (what travels to it, its bytes and where
 * it came from). The same run is the same bytes. Without it nothing is kept.
 */
#include "sim.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNNING = 1, MOVING = 12, NAMES = 512 };
enum { TYPE_TASK = 60000019, TYPE_BYTES = 60000101, TYPE_FROM = 60000102 };

struct stretch {
	uint64_t from_ns, until_ns, bytes;
	uint16_t row, name; /* of a transfer: 0, and where it is from */
	uint16_t from;
};
static struct {
	bool on, failed;
	const char *path;
	struct stretch *at;
	size_t n, room;
	unsigned n_names;
	char *name[NAMES]; /* a value is one more than its place */
} trace;

void sim_trace_begin(void)
{
	trace.path = getenv("STARPU_SIMULATED_TRACE");
	trace.on = trace.path && *trace.path;
}

static void add(const struct stretch *s)
{
	if (trace.n == trace.room) {
		size_t room = trace.room ? 2 * trace.room : 1024;
		struct stretch *more = realloc(trace.at, room * sizeof *more);
		trace.failed = trace.failed || !more;
		if (!more)
			return;
		trace.at = more;
		trace.room = room;
	}
	trace.at[trace.n++] = *s;
}

static uint16_t name_of(const char *name)
{
	unsigned i = 0;
	while (i < trace.n_names && strcmp(trace.name[i], name))
		i++;
	if (i == trace.n_names && i < NAMES && (trace.name[i] = strdup(name)))
		trace.n_names++;
	return (uint16_t)(i < trace.n_names ? i + 1 : 1);
}

void sim_trace_task(unsigned worker, const char *name, uint64_t from_ns, uint64_t until_ns)
{
	if (trace.on)
		add(&(struct stretch){from_ns, until_ns, 0, (uint16_t)worker, name_of(name ? name : "unnamed"), 0});
}

void sim_trace_copy(unsigned from, unsigned to, size_t bytes, uint64_t from_ns, uint64_t until_ns)
{
	if (trace.on)
		add(&(struct stretch){from_ns, until_ns, bytes, (uint16_t)(rt_machine.n_workers + to), 0, (uint16_t)from});
}

/* ---- writing ---- */

static int by_begin(const void *a, const void *b)
{
	const struct stretch *s = a, *t = b;
	if (s->from_ns != t->from_ns)
		return s->from_ns < t->from_ns ? -1 : 1;
	if (s->row != t->row)
		return s->row < t->row ? -1 : 1;
	return s->until_ns < t->until_ns ? -1 : s->until_ns > t->until_ns;
}

/* Ends are events of their own, which come in their order in time: those that are to come, by when. */
static int by_end(const void *a, const void *b)
{
	const struct stretch *const *s = a, *const *t = b;
	if ((*s)->until_ns != (*t)->until_ns)
		return (*s)->until_ns < (*t)->until_ns ? -1 : 1;
	return (*s)->row < (*t)->row ? -1 : (*s)->row > (*t)->row;
}

static void write_end(FILE *f, const struct stretch *s)
{
	unsigned row = s->row + 1U;
	if (s->name)
		fprintf(f, "2:%u:1:1:%u:%" PRIu64 ":%d:0\n", row, row, s->until_ns, TYPE_TASK);
	else
		fprintf(f, "2:%u:1:1:%u:%" PRIu64 ":%d:0:%d:0\n", row, row, s->until_ns, TYPE_BYTES, TYPE_FROM);
}

static void write_begin(FILE *f, const struct stretch *s)
{
	unsigned row = s->row + 1U;
	fprintf(f, "1:%u:1:1:%u:%" PRIu64 ":%" PRIu64 ":%d\n", row, row, s->from_ns, s->until_ns, s->name ? RUNNING : MOVING);
	if (s->name)
		fprintf(f, "2:%u:1:1:%u:%" PRIu64 ":%d:%u\n", row, row, s->from_ns, TYPE_TASK, s->name);
	else
		fprintf(f, "2:%u:1:1:%u:%" PRIu64 ":%d:%" PRIu64 ":%d:%u\n", row, row, s->from_ns, TYPE_BYTES, s->bytes,
		        TYPE_FROM, s->from + 1U);
}

static void write_events(FILE *f, unsigned rows, const struct stretch **ends)
{
	uint64_t last = 0;
	for (size_t i = 0; i < trace.n; i++) {
		ends[i] = &trace.at[i];
		last = trace.at[i].until_ns > last ? trace.at[i].until_ns : last;
	}
	qsort(ends, trace.n, sizeof *ends, by_end);
	/* No date: the same run is the same file. */
	fprintf(f, "#Paraver (01/01/1970 at 00:00):%" PRIu64 "_ns:1(%u):1:1(%u:1)\n", last, rows, rows);
	size_t ended = 0;
	for (size_t i = 0; i < trace.n; i++) {
		while (ended < trace.n && ends[ended]->until_ns <= trace.at[i].from_ns && ends[ended]->from_ns < ends[ended]->until_ns)
			write_end(f, ends[ended++]);
		write_begin(f, &trace.at[i]);
	}
	while (ended < trace.n)
		write_end(f, ends[ended++]);
}

static void write_names(FILE *f, const struct rt_machine *m)
{
	fprintf(f, "DEFAULT_OPTIONS\n\nLEVEL               THREAD\nUNITS               NANOSEC\n\n"
	           "STATES\n0    Idle\n%d    Running\n%d    Transfer\n\nEVENT_TYPE\n0    %d    Task\nVALUES\n0      End\n",
	        RUNNING, MOVING, TYPE_TASK);
	for (unsigned i = 0; i < trace.n_names; i++)
		fprintf(f, "%u      %s\n", i + 1, trace.name[i]);
	fprintf(f, "\nEVENT_TYPE\n0    %d    Bytes under way\n\nEVENT_TYPE\n0    %d    From memory node\nVALUES\n0      End\n", TYPE_BYTES,
	        TYPE_FROM);
	for (unsigned i = 0; i < m->n_nodes; i++)
		fprintf(f, "%u      %s\n", i + 1, m->node[i].name);
}

static void write_rows(FILE *f, const struct rt_machine *m, unsigned rows)
{
	fprintf(f, "LEVEL THREAD SIZE %u\n", rows);
	for (unsigned i = 0; i < m->n_workers; i++)
		fprintf(f, "%s\n", m->worker[i].name);
	for (unsigned i = 0; m->n_workers + i < rows; i++)
		fprintf(f, "to %s\n", m->node[i].name);
}

/* FILE with another suffix; NULL: it cannot be written. */
static FILE *open_beside(const char *suffix)
{
	char path[4096];
	size_t n = strlen(trace.path);
	n -= n > 4 && !strcmp(trace.path + n - 4, ".prv") ? 4 : 0;
	if (snprintf(path, sizeof path, "%.*s%s", (int)n, trace.path, suffix) >= (int)sizeof path)
		return NULL;
	return fopen(path, "we");
}

void sim_trace_end(const struct rt_machine *m)
{
	unsigned rows = m->n_workers + (m->n_nodes > 1 ? m->n_nodes : 0);
	if (!trace.on)
		return;
	const struct stretch **ends = malloc((trace.n ? trace.n : 1) * sizeof *ends);
	FILE *prv = open_beside(".prv"), *pcf = open_beside(".pcf"), *row = open_beside(".row");
	if (ends && prv && pcf && row && !trace.failed) {
		qsort(trace.at, trace.n, sizeof *trace.at, by_begin);
		write_events(prv, rows, ends);
		write_names(pcf, m);
		write_rows(row, m, rows);
	}
	bool written = ends && prv && pcf && row && !trace.failed && !ferror(prv) && !ferror(pcf) && !ferror(row);
	FILE *const files[] = {prv, pcf, row};
	for (unsigned i = 0; i < 3; i++)
		written = files[i] && !fclose(files[i]) && written;
	if (!written)
		fprintf(stderr, "starpu: STARPU_SIMULATED_TRACE: '%s' cannot be written\n", trace.path);
	free(ends);
	free(trace.at);
	for (unsigned i = 0; i < trace.n_names; i++)
		free(trace.name[i]);
	memset(&trace, 0, sizeof trace);
}
