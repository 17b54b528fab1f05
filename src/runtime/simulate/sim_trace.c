/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What happened, as a Paje trace with the times of the simulation: STARPU_SIMULATED_TRACE=FILE. A container for each worker (tasks, by
 * name) and, where there are several, for each memory node (what travels to it, and how many bytes). The same run is the same bytes.
 * Without it nothing is kept.
 */
#include "sim.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES = 512 };

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

bool sim_traces(void)
{
	return trace.on;
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

/* Both are of one time in their order: what ends does so before something begins, unless it takes no time at all. */
struct edge {
	const struct stretch *of;
	bool ends;
};

static uint64_t time_of(const struct edge *e)
{
	return e->ends ? e->of->until_ns : e->of->from_ns;
}

static int rank_of(const struct edge *e)
{
	bool is_empty = e->of->from_ns == e->of->until_ns;
	return !e->ends ? 1 : is_empty ? 2 : 0;
}

static int by_time(const void *a, const void *b)
{
	const struct edge *e = a, *f = b;
	if (time_of(e) != time_of(f))
		return time_of(e) < time_of(f) ? -1 : 1;
	if (e->of->row != f->of->row)
		return e->of->row < f->of->row ? -1 : 1;
	/* What takes no time stays one piece. */
	if (e->of != f->of && rank_of(e) && rank_of(f))
		return e->of < f->of ? -1 : 1;
	return rank_of(e) - rank_of(f);
}

static void write_head(FILE *f)
{
	static const struct {
		const char *name, *fields;
	} kinds[] = {{"DefineContainerType", "Alias string\n%\tType string\n%\tName string"},
	             {"DefineStateType", "Alias string\n%\tType string\n%\tName string"},
	             {"DefineVariableType", "Alias string\n%\tType string\n%\tName string\n%\tColor color"},
	             {"DefineEntityValue", "Alias string\n%\tType string\n%\tName string\n%\tColor color"},
	             {"CreateContainer", "Time date\n%\tAlias string\n%\tType string\n%\tContainer string\n%\tName string"},
	             {"DestroyContainer", "Time date\n%\tType string\n%\tName string"},
	             {"PushState", "Time date\n%\tContainer string\n%\tType string\n%\tValue string"},
	             {"PopState", "Time date\n%\tContainer string\n%\tType string"},
	             {"SetVariable", "Time date\n%\tContainer string\n%\tType string\n%\tValue double"}};
	for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		fprintf(f, "%%EventDef Paje%s %u\n%%\t%s\n%%EndEventDef\n", kinds[i].name, i, kinds[i].fields);
	fputs("0 M 0 Machine\n0 R M Worker\n1 S R Task\n2 B R \"bytes under way\" \"0.5 0.5 0.5\"\n", f);
}

/* Of states: tasks by their names, then ways by where they come from and go to. */
static void write_names(FILE *f, const struct rt_machine *m)
{
	for (unsigned i = 0; i < trace.n_names; i++) {
		fprintf(f, "3 t%u S \"", i + 1);
		for (const char *c = trace.name[i]; *c; c++)
			fputc(*c == '"' || (unsigned char)*c < ' ' ? '_' : *c, f);
		fprintf(f, "\" \"%.2f %.2f %.2f\"\n", 0.2 + 0.15 * (i % 5), 0.8 - 0.1 * (i % 6), 0.3 + 0.2 * (i % 4));
	}
	for (unsigned i = 0; i < m->n_nodes; i++)
		for (unsigned k = 0; k < m->n_nodes; k++)
			if (i != k)
				fprintf(f, "3 w%u_%u S \"%s -> %s\" \"0.5 0.5 0.5\"\n", i, k, m->node[i].name, m->node[k].name);
}

static void write_containers(FILE *f, const struct rt_machine *m, unsigned rows)
{
	fprintf(f, "4 0.000000000 m M 0 \"%s\"\n", sim_machine.host);
	for (unsigned i = 0; i < rows; i++)
		if (i < m->n_workers)
			fprintf(f, "4 0.000000000 r%u R m \"%s\"\n", i, m->worker[i].name);
		else
			fprintf(f, "4 0.000000000 r%u R m \"to %s\"\n", i, m->node[i - m->n_workers].name);
}

static void write_time(FILE *f, char kind, uint64_t ns)
{
	fprintf(f, "%c %" PRIu64 ".%09" PRIu64, kind, ns / 1000000000, ns % 1000000000);
}

static void write_edge(FILE *f, const struct edge *e, unsigned workers)
{
	const struct stretch *s = e->of;
	write_time(f, e->ends ? '7' : '6', time_of(e));
	if (e->ends)
		fprintf(f, " r%u S\n", s->row);
	else if (s->name)
		fprintf(f, " r%u S t%u\n", s->row, s->name);
	else
		fprintf(f, " r%u S w%u_%u\n", s->row, s->from, s->row - workers);
	if (s->name)
		return;
	write_time(f, '8', time_of(e));
	fprintf(f, " r%u B %" PRIu64 "\n", s->row, e->ends ? 0 : s->bytes);
}

static void write_events(FILE *f, const struct rt_machine *m, unsigned rows, struct edge *edges)
{
	for (size_t i = 0; i < trace.n; i++) {
		edges[2 * i] = (struct edge){&trace.at[i], false};
		edges[2 * i + 1] = (struct edge){&trace.at[i], true};
	}
	qsort(edges, 2 * trace.n, sizeof *edges, by_time);
	for (size_t i = 0; i < 2 * trace.n; i++)
		write_edge(f, &edges[i], m->n_workers);
	uint64_t last = trace.n ? time_of(&edges[2 * trace.n - 1]) : 0;
	for (unsigned i = 0; i < rows; i++) {
		write_time(f, '5', last);
		fprintf(f, " R r%u\n", i);
	}
	write_time(f, '5', last);
	fputs(" M m\n", f);
}

void sim_trace_end(const struct rt_machine *m)
{
	unsigned rows = m->n_workers + (m->n_nodes > 1 ? m->n_nodes : 0);
	if (!trace.on)
		return;
	struct edge *edges = malloc((trace.n ? 2 * trace.n : 1) * sizeof *edges);
	FILE *f = edges && !trace.failed ? fopen(trace.path, "we") : NULL;
	if (f) {
		write_head(f);
		write_names(f, m);
		write_containers(f, m, rows);
		write_events(f, m, rows, edges);
	}
	bool written = f && !ferror(f);
	if (f && fclose(f))
		written = false;
	if (!written)
		fprintf(stderr, "starpu: STARPU_SIMULATED_TRACE: '%s' cannot be written\n", trace.path);
	free(edges);
	free(trace.at);
	for (unsigned i = 0; i < trace.n_names; i++)
		free(trace.name[i]);
	memset(&trace, 0, sizeof trace);
}
