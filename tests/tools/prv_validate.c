/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is this a .prv as the format's description has it? Strict, and on purpose without a line of what reads and writes .prv in
 * src/trace: what it accepts was judged by somebody else.
 *
 *     prv_validate [--foreign | --labels] FILE.prv     (with FILE.pcf and FILE.row beside it)
 *
 * Exit status 0: valid; 1: not, and the first fault on stdout as FILE:LINE: REASON; 2: usage, or a file that cannot be read.
 * --foreign: for traces of other tools: states may have gaps, overlap and lack an end, lines may come in any order, and event
 * types, values and states need no labels. --labels: a value without a label, of a type that has some, makes it invalid.
 * Warnings (such a value without --labels; a message that is received before it was sent) do not.
 */
#include "base/fs.h"
#include "base/str.h"
#include "base/vec.h"
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct thread {
	uint32_t node;
	uint64_t states, last_end; /* how many states it has had, and where the last one ended */
};
struct task {
	uint32_t first_thread, n_threads;
};
struct app {
	uint32_t first_task, n_tasks;
};
struct label {
	uint64_t type;
	int64_t value;
};

struct check {
	bool foreign, labels;
	char *file; /* that is being read; owned */
	uint64_t line;
	bool failed;
	uint64_t warnings, records[4];

	uint64_t end, n_comms;
	bool resources;
	WEFT_VEC(uint32_t) cpu_node; /* by cpu, from 0; nodes from 1 */
	uint32_t n_nodes;
	WEFT_VEC(struct app) app;
	WEFT_VEC(struct task) task;
	WEFT_VEC(struct thread) thread;
	uint64_t last_time;

	WEFT_VEC(uint64_t) state;       /* labelled numbers */
	WEFT_VEC(uint64_t) type;        /* labelled */
	WEFT_VEC(uint64_t) with_values; /* types that have VALUES */
	WEFT_VEC(struct label) value;
};

/* Says what is wrong, once. Returns false. */
static bool fail(struct check *c, const char *fmt, ...) WEFT_PRINTF(2, 3);
static bool fail(struct check *c, const char *fmt, ...)
{
	va_list ap;
	if (c->failed)
		return false;
	c->failed = true;
	printf("%s:%" PRIu64 ": ", c->file, c->line);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	return false;
}

static void warn(struct check *c, const char *text)
{
	if (c->warnings++ < 3)
		printf("%s:%" PRIu64 ": warning: %s\n", c->file, c->line, text);
}

static void need_memory(int rc)
{
	if (rc) {
		fputs("prv_validate: no memory\n", stderr);
		exit(2);
	}
}

static int order_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

static int order_label(const void *a, const void *b)
{
	const struct label *x = a, *y = b;
	if (x->type != y->type)
		return x->type < y->type ? -1 : 1;
	return x->value < y->value ? -1 : x->value > y->value;
}

static bool has_u64(const uint64_t *at, size_t n, uint64_t v)
{
	return n && bsearch(&v, at, n, sizeof v, order_u64);
}

/* -- the header -- */

/* A number and the character behind it; digits only. */
static bool number(struct check *c, struct weft_str *s, const char *what, char then, uint64_t *out)
{
	struct weft_str part = {s->at, 0};
	while (part.n < s->n && s->at[part.n] >= '0' && s->at[part.n] <= '9')
		part.n++;
	if (weft_parse_u64(part, out))
		return fail(c, "header: expected %s, found '%.*s'", what, s->n < 20 ? (int)s->n : 20, s->at);
	if (then && (part.n == s->n || s->at[part.n] != then))
		return fail(c, "header: expected '%c' behind %s", then, what);
	s->at += part.n + (then != 0);
	s->n -= part.n + (then != 0);
	return true;
}

static bool header_date(struct check *c, struct weft_str *s)
{
	static const char begin[] = "#Paraver (";
	const char *close = memchr(s->at, ')', s->n);
	if (s->n < sizeof begin || memcmp(s->at, begin, sizeof begin - 1) != 0 || !close)
		return fail(c, "header: expected '#Paraver (date)'");
	if (close == s->at + sizeof begin - 1)
		return fail(c, "header: the date is empty");
	s->n -= (size_t)(close + 1 - s->at);
	s->at = close + 1;
	if (!s->n || *s->at != ':')
		return fail(c, "header: expected ':' behind the date");
	s->at++;
	s->n--;
	return true;
}

static bool header_end(struct check *c, struct weft_str *s)
{
	static const char *const units[] = {"", "_ns", "_us", "_ms"};
	struct weft_str unit;
	if (!number(c, s, "the end time", 0, &c->end))
		return false;
	if (!weft_str_cut(s, ':', &unit) || !s->at)
		return fail(c, "header: expected ':' behind the end time");
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (weft_str_eq(unit, units[i]))
			return true;
	return fail(c, "header: unknown unit '%.*s'", (int)unit.n, unit.at);
}

static bool header_nodes(struct check *c, struct weft_str *s)
{
	uint64_t n, cpus;
	if (s->n && *s->at == '0')
		return number(c, s, "the number of nodes", ':', &n);
	if (!number(c, s, "the number of nodes", '(', &n))
		return false;
	c->resources = true;
	for (c->n_nodes = 0; c->n_nodes < n;) {
		c->n_nodes++;
		if (!number(c, s, "the cpus of a node", c->n_nodes < n ? ',' : ')', &cpus))
			return false;
		if (!cpus && !c->foreign)
			return fail(c, "header: node %u has no cpu", c->n_nodes);
		while (cpus--)
			need_memory(weft_vec_push(&c->cpu_node, c->n_nodes));
	}
	if (!s->n || *s->at != ':')
		return fail(c, "header: expected ':' behind the nodes");
	s->at++;
	s->n--;
	return true;
}

static bool header_task(struct check *c, struct weft_str *s, char then)
{
	uint64_t threads, node;
	if (!number(c, s, "the threads of a task", ':', &threads) || !number(c, s, "the node of a task", then, &node))
		return false;
	if (!threads)
		return fail(c, "header: a task has no thread");
	if (c->resources && (node < 1 || node > c->n_nodes))
		return fail(c, "header: a task is on node %" PRIu64 ", but there are %u", node, c->n_nodes);
	need_memory(weft_vec_push(&c->task, (struct task){(uint32_t)c->thread.n, (uint32_t)threads}));
	while (threads--)
		need_memory(weft_vec_push(&c->thread, (struct thread){.node = c->resources ? (uint32_t)node : 0}));
	return true;
}

static bool header_apps(struct check *c, struct weft_str *s)
{
	uint64_t n, tasks;
	if (!number(c, s, "the number of applications", ':', &n))
		return false;
	if (!n)
		return fail(c, "header: there is no application");
	for (uint64_t i = 0; i < n; i++) {
		if (i && (!s->n || *s->at != ','))
			return fail(c, "header: expected ',' and application %" PRIu64, i + 1);
		s->at += i > 0;
		s->n -= i > 0;
		if (!number(c, s, "the number of tasks", '(', &tasks))
			return false;
		if (!tasks)
			return fail(c, "header: application %" PRIu64 " has no task", i + 1);
		need_memory(weft_vec_push(&c->app, (struct app){(uint32_t)c->task.n, (uint32_t)tasks}));
		for (uint64_t k = 0; k < tasks; k++)
			if (!header_task(c, s, k + 1 < tasks ? ',' : ')'))
				return false;
	}
	if (!s->n)
		return true;
	if (*s->at != ',')
		return fail(c, "header: expected ',' and the number of communicators");
	s->at++;
	s->n--;
	return number(c, s, "the number of communicators", 0, &c->n_comms) &&
	       (!s->n || fail(c, "header: something follows its last field"));
}

static bool check_header(struct check *c, struct weft_str s)
{
	return header_date(c, &s) && header_end(c, &s) && header_nodes(c, &s) && header_apps(c, &s);
}

/* -- records -- */

enum { MOST_FIELDS = 4096 };
struct record {
	struct weft_str field[MOST_FIELDS];
	unsigned n;
};

static bool split(struct check *c, struct weft_str line, struct record *r)
{
	r->n = 0;
	struct weft_str part;
	while (weft_str_cut(&line, ':', &part)) {
		if (r->n == MOST_FIELDS)
			return fail(c, "more than %d fields", MOST_FIELDS);
		r->field[r->n++] = part;
	}
	return true;
}

static bool field_u64(struct check *c, const struct record *r, unsigned i, const char *what, uint64_t *out)
{
	if (weft_parse_u64(r->field[i], out))
		return fail(c, "field %u: expected %s, found '%.*s'", i + 1, what, (int)r->field[i].n, r->field[i].at);
	return true;
}

static bool field_i64(struct check *c, const struct record *r, unsigned i, const char *what, int64_t *out)
{
	if (weft_parse_i64(r->field[i], out))
		return fail(c, "field %u: expected %s, found '%.*s'", i + 1, what, (int)r->field[i].n, r->field[i].at);
	return true;
}

/* Fields i to i+3: cpu, application, task, thread. */
static struct thread *field_thread(struct check *c, const struct record *r, unsigned i)
{
	uint64_t cpu, app, task, thread;
	if (!field_u64(c, r, i, "a cpu", &cpu) || !field_u64(c, r, i + 1, "an application", &app) ||
	    !field_u64(c, r, i + 2, "a task", &task) || !field_u64(c, r, i + 3, "a thread", &thread))
		return NULL;
	if (app < 1 || app > c->app.n || task < 1 || task > c->app.at[app - 1].n_tasks) {
		fail(c, "there is no task %" PRIu64 ".%" PRIu64, app, task);
		return NULL;
	}
	const struct task *t = &c->task.at[c->app.at[app - 1].first_task + task - 1];
	if (thread < 1 || thread > t->n_threads) {
		fail(c, "there is no thread %" PRIu64 ".%" PRIu64 ".%" PRIu64, app, task, thread);
		return NULL;
	}
	struct thread *found = &c->thread.at[t->first_thread + thread - 1];
	if (cpu > c->cpu_node.n) {
		fail(c, "there is no cpu %" PRIu64, cpu);
		return NULL;
	}
	if (cpu && c->cpu_node.at[cpu - 1] != found->node) {
		fail(c, "cpu %" PRIu64 " is on node %u, but the thread on node %u", cpu, c->cpu_node.at[cpu - 1], found->node);
		return NULL;
	}
	return found;
}

static bool field_time(struct check *c, const struct record *r, unsigned i, const char *what, uint64_t *out)
{
	if (!field_u64(c, r, i, what, out))
		return false;
	return *out <= c->end || fail(c, "%s %" PRIu64 " is behind the end of the trace", what, *out);
}

static bool in_order(struct check *c, uint64_t time)
{
	if (time < c->last_time && !c->foreign)
		return fail(c, "time %" PRIu64 " comes after %" PRIu64, time, c->last_time);
	c->last_time = time;
	return true;
}

static bool check_state(struct check *c, const struct record *r)
{
	uint64_t begin, end = 0, state;
	if (r->n != 8)
		return fail(c, "a state has 8 fields, not %u", r->n);
	struct thread *t = field_thread(c, r, 1);
	bool open = c->foreign && weft_str_eq(r->field[6], "-1");
	if (!t || !field_time(c, r, 5, "begin", &begin) || (!open && !field_time(c, r, 6, "end", &end)) ||
	    !field_u64(c, r, 7, "a state", &state))
		return false;
	if (!open && end < begin)
		return fail(c, "the state ends before it begins");
	if (!in_order(c, begin))
		return false;
	if (c->foreign)
		return true;
	if (begin == end)
		return fail(c, "the state is empty");
	if (begin != t->last_end)
		return fail(c, "the state begins at %" PRIu64 ", but the thread's last one ended at %" PRIu64, begin,
		            t->last_end);
	if (!has_u64(c->state.at, c->state.n, state))
		return fail(c, "state %" PRIu64 " has no label", state);
	t->last_end = end;
	t->states++;
	return true;
}

static bool check_event(struct check *c, const struct record *r)
{
	uint64_t time, type;
	if (r->n < 8 || r->n % 2 != 0)
		return fail(c, "an event has 8, 10, 12… fields, not %u", r->n);
	if (!field_thread(c, r, 1) || !field_time(c, r, 5, "time", &time) || !in_order(c, time))
		return false;
	for (unsigned i = 6; i < r->n; i += 2) {
		struct label l;
		if (!field_u64(c, r, i, "an event type", &type) || !field_i64(c, r, i + 1, "a value", &l.value))
			return false;
		if (type > UINT32_MAX)
			return fail(c, "event type %" PRIu64 " does not fit in 32 bits", type);
		if (c->foreign)
			continue;
		l.type = type;
		if (!has_u64(c->type.at, c->type.n, type))
			return fail(c, "event type %" PRIu64 " has no label", type);
		bool unlabelled = has_u64(c->with_values.at, c->with_values.n, type) &&
		                  !bsearch(&l, c->value.at, c->value.n, sizeof l, order_label);
		if (unlabelled && c->labels)
			return fail(c, "value %" PRId64 " of event type %" PRIu64 " has no label", l.value, type);
		if (unlabelled)
			warn(c, "a value without a label");
	}
	return true;
}

static bool check_comm(struct check *c, const struct record *r)
{
	uint64_t log_send, send, log_recv, recv;
	int64_t size, tag;
	if (r->n != 15)
		return fail(c, "a communication has 15 fields, not %u", r->n);
	if (!field_thread(c, r, 1) || !field_thread(c, r, 7))
		return false;
	if (!field_time(c, r, 5, "logical send", &log_send) || !field_time(c, r, 6, "physical send", &send) ||
	    !field_time(c, r, 11, "logical receive", &log_recv) || !field_time(c, r, 12, "physical receive", &recv) ||
	    !field_i64(c, r, 13, "a size", &size) || !field_i64(c, r, 14, "a tag", &tag))
		return false;
	if (size < 0)
		return fail(c, "the size is negative");
	if (log_send > send && !c->foreign)
		return fail(c, "the physical send comes before the logical one");
	if (recv < send)
		warn(c, "received before it was sent");
	return in_order(c, send);
}

/* "c:1:2:3:1:2:4": application, number, how many, tasks. */
static bool check_communicator(struct check *c, const struct record *r)
{
	uint64_t app, id, n, task;
	if (r->n < 4 || r->field[0].n != 1 || !strchr("cCiI", *r->field[0].at))
		return fail(c, "expected the line of a communicator");
	if (*r->field[0].at != 'c')
		return true;
	if (!field_u64(c, r, 1, "an application", &app) || !field_u64(c, r, 2, "a number", &id) ||
	    !field_u64(c, r, 3, "how many tasks", &n))
		return false;
	if (app < 1 || app > c->app.n)
		return fail(c, "there is no application %" PRIu64, app);
	if (n != r->n - 4u)
		return fail(c, "the communicator has %u tasks, and says %" PRIu64, r->n - 4, n);
	for (unsigned i = 4; i < r->n; i++) {
		if (!field_u64(c, r, i, "a task", &task))
			return false;
		if (task < 1 || task > c->app.at[app - 1].n_tasks)
			return fail(c, "there is no task %" PRIu64 ".%" PRIu64, app, task);
	}
	return true;
}

static bool check_record(struct check *c, struct weft_str line, struct record *r)
{
	static bool (*const checks[4])(struct check *, const struct record *) = {NULL, check_state, check_event, check_comm};
	if (!line.n)
		return fail(c, "an empty line");
	if (*line.at == '#')
		return true;
	if (!split(c, line, r))
		return false;
	unsigned kind = r->field[0].n == 1 ? (unsigned)(*r->field[0].at - '0') : 0;
	if (kind < 1 || kind > 3)
		return fail(c, "unknown kind of record '%.*s'", (int)r->field[0].n, r->field[0].at);
	c->records[kind]++;
	return checks[kind](c, r);
}

static bool check_ends(struct check *c)
{
	for (size_t i = 0; i < c->thread.n && !c->foreign; i++) {
		const struct thread *t = &c->thread.at[i];
		if (t->last_end != c->end && c->end)
			return fail(c, "the states of thread %zu (of all) end at %" PRIu64 ", the trace at %" PRIu64, i + 1,
			            t->last_end, c->end);
	}
	return true;
}

static bool check_prv(struct check *c, const char *text, size_t n)
{
	struct weft_str rest = weft_str_n(text, n), line;
	static struct record r;
	uint64_t comms = 0;
	c->line = 1;
	if (!n || text[n - 1] != '\n')
		return fail(c, "the last line has no end");
	rest.n--;
	if (!weft_str_cut(&rest, '\n', &line) || !check_header(c, line))
		return false;
	while (weft_str_cut(&rest, '\n', &line)) {
		c->line++;
		if (comms < c->n_comms) {
			comms++;
			if (!split(c, line, &r) || !check_communicator(c, &r))
				return false;
		} else if (!check_record(c, line, &r)) {
			return false;
		}
	}
	if (comms < c->n_comms)
		return fail(c, "%" PRIu64 " communicators, of %" PRIu64, comms, c->n_comms);
	return check_ends(c);
}

/* -- .pcf -- */

struct pcf_state {
	enum { PCF_OUTSIDE, PCF_ANY, PCF_STATES, PCF_COLORS, PCF_TYPES, PCF_VALUES } in;
	size_t first_type; /* of the group */
};

static struct weft_str word(struct weft_str *s)
{
	size_t n = 0;
	*s = weft_str_trim(*s);
	while (n < s->n && s->at[n] != ' ' && s->at[n] != '\t')
		n++;
	struct weft_str w = {s->at, n};
	s->at += n;
	s->n -= n;
	*s = weft_str_trim(*s);
	return w;
}

static bool pcf_keyword(struct check *c, struct pcf_state *p, struct weft_str line, bool *found)
{
	static const struct {
		const char *word;
		int in;
	} keywords[] = {
		{"DEFAULT_OPTIONS", PCF_ANY}, {"DEFAULT_SEMANTIC", PCF_ANY}, {"GRADIENT_COLOR", PCF_ANY},
		{"GRADIENT_NAMES", PCF_ANY},  {"STATES", PCF_STATES},        {"STATES_COLOR", PCF_COLORS},
		{"EVENT_TYPE", PCF_TYPES},    {"VALUES", PCF_VALUES},
	};
	*found = false;
	for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
		if (!weft_str_eq(line, keywords[i].word))
			continue;
		*found = true;
		if (keywords[i].in == PCF_VALUES && p->in != PCF_TYPES)
			return fail(c, "VALUES without an EVENT_TYPE");
		if (keywords[i].in == PCF_TYPES)
			p->first_type = c->type.n;
		if (keywords[i].in == PCF_VALUES)
			for (size_t k = p->first_type; k < c->type.n; k++)
				need_memory(weft_vec_push(&c->with_values, c->type.at[k]));
		p->in = keywords[i].in;
	}
	return true;
}

static bool pcf_line(struct check *c, struct pcf_state *p, struct weft_str line)
{
	struct weft_str rest = line, first = word(&rest);
	uint64_t a, b;
	int64_t v;
	if (p->in == PCF_ANY)
		return true;
	if (p->in == PCF_OUTSIDE)
		return fail(c, "a line before the first section");
	if ((p->in == PCF_TYPES || p->in == PCF_VALUES) && weft_str_eq(first, "PRECISION"))
		return !weft_parse_u64(rest, &a) || fail(c, "expected PRECISION and a number");
	if (p->in == PCF_VALUES) {
		if (weft_parse_i64(first, &v))
			return fail(c, "expected a value and its label");
		for (size_t k = p->first_type; k < c->type.n; k++)
			need_memory(weft_vec_push(&c->value, (struct label){c->type.at[k], v}));
		return true;
	}
	if (weft_parse_u64(first, &a))
		return fail(c, "expected a number");
	if (p->in == PCF_COLORS)
		return (rest.n > 2 && rest.at[0] == '{' && rest.at[rest.n - 1] == '}') || fail(c, "expected {red,green,blue}");
	if (p->in == PCF_STATES) {
		need_memory(weft_vec_push(&c->state, a));
		return rest.n || fail(c, "state %" PRIu64 " has an empty label", a);
	}
	if (weft_parse_u64(word(&rest), &b))
		return fail(c, "expected a gradient, an event type and its label");
	need_memory(weft_vec_push(&c->type, b));
	return rest.n || fail(c, "event type %" PRIu64 " has an empty label", b);
}

static bool check_pcf(struct check *c, const char *text, size_t n)
{
	struct weft_str rest = weft_str_n(text, n), raw;
	struct pcf_state p = {PCF_OUTSIDE, 0};
	c->line = 0;
	while (weft_str_cut(&rest, '\n', &raw)) {
		struct weft_str line = weft_str_trim(raw);
		bool keyword;
		c->line++;
		if (!line.n || *line.at == '#')
			continue;
		if (!pcf_keyword(c, &p, line, &keyword) || (!keyword && !pcf_line(c, &p, line)))
			return false;
	}
	if (c->state.n)
		qsort(c->state.at, c->state.n, sizeof *c->state.at, order_u64);
	if (c->type.n)
		qsort(c->type.at, c->type.n, sizeof *c->type.at, order_u64);
	if (c->with_values.n)
		qsort(c->with_values.at, c->with_values.n, sizeof *c->with_values.at, order_u64);
	if (c->value.n)
		qsort(c->value.at, c->value.n, sizeof *c->value.at, order_label);
	for (size_t i = 1; i < c->type.n; i++)
		if (c->type.at[i] == c->type.at[i - 1] && !c->foreign)
			return fail(c, "event type %" PRIu64 " is there twice", c->type.at[i]);
	return true;
}

/* -- .row -- */

static bool check_row(struct check *c, const char *text, size_t n)
{
	const struct {
		const char *level;
		uint64_t size;
	} levels[] = {{"WORKLOAD", 1}, {"APPL", c->app.n},   {"TASK", c->task.n},   {"THREAD", c->thread.n},
	              {"SYSTEM", 1},   {"NODE", c->n_nodes}, {"CPU", c->cpu_node.n}};
	struct weft_str rest = weft_str_n(text, n), line;
	c->line = 0;
	while (weft_str_cut(&rest, '\n', &line)) {
		c->line++;
		if (!weft_str_trim(line).n)
			continue;
		struct weft_str s = line, level;
		uint64_t size, i = 0;
		if (!weft_str_eq(word(&s), "LEVEL") || !(level = word(&s)).n || !weft_str_eq(word(&s), "SIZE") ||
		    weft_parse_u64(s, &size))
			return fail(c, "expected LEVEL <level> SIZE <n>");
		while (i < sizeof levels / sizeof *levels && !weft_str_eq(level, levels[i].level))
			i++;
		if (i == sizeof levels / sizeof *levels)
			return fail(c, "unknown level '%.*s'", (int)level.n, level.at);
		if (size != levels[i].size)
			return fail(c, "%" PRIu64 " names of level %s, of %" PRIu64, size, levels[i].level, levels[i].size);
		for (uint64_t k = 0; k < size; k++) {
			c->line++;
			if (!weft_str_cut(&rest, '\n', &line) || !rest.at)
				return fail(c, "the block of level %s ends after %" PRIu64 " names", levels[i].level, k);
		}
	}
	return true;
}

/* -- all three -- */

/* Reads FILE with another suffix; 0, or 2 when it cannot be read. */
static int read_as(struct check *c, const char *path, const char *suffix, char **text, size_t *n)
{
	struct weft_err err = {0};
	size_t stem = strlen(path) - strlen(".prv");
	free(c->file);
	need_memory(asprintf(&c->file, "%.*s%s", (int)stem, path, suffix) < 0);
	if (weft_read_file(c->file, text, n, &err)) {
		printf("%s\n", err.text);
		return 2;
	}
	return 0;
}

static int check_all(struct check *c, const char *path)
{
	char *prv = NULL, *pcf = NULL, *row = NULL;
	size_t n_prv = 0, n_pcf = 0, n_row = 0;
	int status = read_as(c, path, ".pcf", &pcf, &n_pcf);
	bool good = !status && check_pcf(c, pcf, n_pcf);
	if (good)
		status = read_as(c, path, ".prv", &prv, &n_prv);
	good = good && !status && check_prv(c, prv, n_prv);
	if (good)
		status = read_as(c, path, ".row", &row, &n_row);
	good = good && !status && check_row(c, row, n_row);
	free(prv);
	free(pcf);
	free(row);
	return status ? status : !good;
}

int main(int argc, char **argv)
{
	static struct check c;
	const char *path = argc > 1 ? argv[argc - 1] : "";
	c.foreign = argc == 3 && !strcmp(argv[1], "--foreign");
	c.labels = argc == 3 && !strcmp(argv[1], "--labels");
	size_t n = strlen(path);
	if (argc < 2 || argc > 3 || (argc == 3 && !c.foreign && !c.labels) || n < 5 || strcmp(path + n - 4, ".prv") != 0) {
		fputs("usage: prv_validate [--foreign | --labels] FILE.prv\n", stderr);
		return 2;
	}
	int status = check_all(&c, path);
	if (!status)
		printf("%s: %" PRIu64 " states, %" PRIu64 " events, %" PRIu64 " communications, %" PRIu64 " warnings\n", path,
		       c.records[1], c.records[2], c.records[3], c.warnings);
	free(c.file);
	free(c.cpu_node.at);
	free(c.app.at);
	free(c.task.at);
	free(c.thread.at);
	free(c.state.at);
	free(c.type.at);
	free(c.with_values.at);
	free(c.value.at);
	return status;
}
