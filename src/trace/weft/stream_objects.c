/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who is who. A process may be described by several streams: by its own, by another one after an exec, and by that of the
 * launcher which watched it from outside. Descriptions are sorted by (host, pid, begin): one from outside begins a person, those
 * that follow with the same pid join it; a description of a process by itself that no one from outside precedes is a person of
 * its own (a pid may come back). Threads of one person are united by tid in the same way, across streams only. Then the rows go
 * to the builder: applications, processes by rank, threads by begin, nodes with their cpus.
 */
#include "base/str.h"
#include "stream.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SLACK_NS 500000000u /* from outside a process may be seen a little later than it sees itself */

struct description { /* of a process, by a stream */
	struct stream *s;
	struct stream_process *p;
	uint32_t stream, person;
	uint64_t key;   /* of host and pid */
	uint64_t begin; /* ns on the axis; 0: unknown */
	bool outside;
};
struct person {
	uint32_t app, order; /* order: of the streams */
	int32_t rank;
	int64_t pid;
	uint64_t begin;
	uint32_t first, n; /* descriptions */
	bool offline;
};
struct member { /* a thread, by a stream */
	struct stream *s;
	struct stream_thread *t;
	uint32_t stream, person, thread; /* thread: which of the person's it is; in order of begin */
	uint64_t begin;
	bool outside, offline;
};
struct lane {              /* a thread of the trace */
	uint32_t first, n; /* members */
	uint64_t begin;
	bool main;
};

struct census {
	struct weft_builder *b;
	WEFT_VEC(struct description) description;
	WEFT_VEC(struct person) person;
	WEFT_VEC(struct member) member;
	uint32_t *rank_of; /* owned: persons in order of their rows */
};

static uint64_t axis_time(const struct stream *s, uint64_t ticks)
{
	uint32_t hint = 0;
	int64_t ns = ticks || s->clock.offline ? clock_ns(&s->clock.line, ticks, &hint) : 0;
	return ns > 0 ? (uint64_t)ns : 0;
}

static const char *text_of(const struct stream_process *p, enum weft_text which)
{
	return p->text[which].n ? p->text[which].at : "";
}

/* ---- persons ---- */

static int objects_collect(struct census *c, struct stream *const *streams, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct stream *s = streams[i];
		for (size_t k = 0; k < s->process.n; k++) {
			struct stream_process *p = &s->process.at[k];
			const char *host = text_of(p, WEFT_TEXT_HOST);
			bool own = k == s->own_process;
			struct description d = {.s = s,
			                        .p = p,
			                        .stream = i,
			                        .key = weft_hash_u64(weft_hash(host, strlen(host)) ^ (uint64_t)p->pid),
			                        .begin = axis_time(s, p->begin),
			                        .outside = !own};
			if (s->clock.offline)
				d.key = weft_hash_u64((uint64_t)i << 32 | k);
			p->begin_ns = d.begin ? d.begin : WEFT_NEVER;
			if (own && s->head.state == WEFT_STREAM_CLOSED && s->head.end_ticks && !s->clock.offline)
				p->end_ns = axis_time(s, s->head.end_ticks);
			if (weft_vec_push(&c->description, d))
				return -ENOMEM;
		}
	}
	return 0;
}

static uint64_t sort_begin(const struct description *d)
{
	return d->outside && d->begin > SLACK_NS ? d->begin - SLACK_NS : d->begin;
}

static int by_key_and_begin(const void *x, const void *y)
{
	const struct description *a = x, *b = y;
	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	if (sort_begin(a) != sort_begin(b))
		return sort_begin(a) < sort_begin(b) ? -1 : 1;
	return a->stream < b->stream ? -1 : a->stream > b->stream;
}

static bool objects_joins(const struct census *c, const struct person *p, const struct description *d)
{
	const struct description *first = &c->description.at[p->first];
	if (first->key != d->key || !first->outside || d->s->clock.offline || first->stream == d->stream)
		return false;
	return !d->outside || d->begin - first->begin < SLACK_NS;
}

static int find_persons(struct census *c)
{
	if (c->description.n)
		qsort(c->description.at, c->description.n, sizeof *c->description.at, by_key_and_begin);
	for (size_t i = 0; i < c->description.n; i++) {
		struct description *d = &c->description.at[i];
		struct person *p = c->person.n ? &c->person.at[c->person.n - 1] : NULL;
		if (!p || !objects_joins(c, p, d)) {
			struct person made = {.app = d->p->app,
			                      .order = d->stream,
			                      .rank = -1,
			                      .first = (uint32_t)i,
			                      .offline = d->s->clock.offline};
			if (weft_vec_push(&c->person, made))
				return -ENOMEM;
			p = &c->person.at[c->person.n - 1];
		}
		d->person = (uint32_t)c->person.n - 1;
		p->n++;
		p->pid = d->p->pid;
		p->rank = d->p->rank >= 0 ? d->p->rank : p->rank;
		if (!d->outside) { /* it knows best */
			p->app = d->p->app;
			p->order = d->stream;
		}
		if (d->begin && (!p->begin || d->begin < p->begin))
			p->begin = d->begin;
	}
	return 0;
}

/* The order of processes; qsort_r gets the persons. */
static int by_rank(const void *x, const void *y, void *persons)
{
	const struct person *a = (struct person *)persons + *(const uint32_t *)x,
			    *b = (struct person *)persons + *(const uint32_t *)y;
	if (a->app != b->app)
		return a->app < b->app ? -1 : 1;
	if (a->offline && b->offline && a->order != b->order)
		return a->order < b->order ? -1 : 1;
	if (a->rank != b->rank)
		return (uint32_t)a->rank < (uint32_t)b->rank ? -1 : 1; /* without a rank: last */
	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/* ---- machine ---- */

static int64_t node_of(struct census *c, const char *host, const char *node)
{
	const char *name = *node ? node : host;
	if (!*name)
		return WEFT_NONE;
	for (size_t i = 0; i < c->b->node.n; i++)
		if (strcmp(c->b->node.at[i].name, name) == 0)
			return (int64_t)i;
	return weft_build_node(c->b, name);
}

static int by_os(const void *x, const void *y)
{
	const struct weft_cpu *a = x, *b = y;
	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	return a->os < b->os ? -1 : a->os > b->os;
}

struct cpu_list {
	struct weft_cpu *at;
	size_t n, cap;
};

/* The cpus of all nodes, each once. */
static int make_cpus(struct census *c, struct stream *const *streams, uint32_t n)
{
	struct cpu_list all = {0};
	int rc = 0;
	for (uint32_t i = 0; !rc && i < n; i++)
		for (size_t k = 0; !rc && k < streams[i]->cpu.n && streams[i]->node != WEFT_NONE; k++) {
			struct weft_cpu cpu = streams[i]->cpu.at[k];
			cpu.node = streams[i]->node;
			rc = weft_vec_push(&all, cpu);
		}
	if (all.n)
		qsort(all.at, all.n, sizeof *all.at, by_os);
	for (size_t i = 0; !rc && i < all.n; i++)
		if (!i || by_os(&all.at[i - 1], &all.at[i]) != 0) {
			int64_t made = weft_build_cpu(c->b, &all.at[i]);
			rc = made < 0 ? (int)made : 0;
		}
	free(all.at);
	return rc;
}

/* From the kernel's numbers to rows, for each stream. */
static int map_cpus(struct census *c, struct stream *s)
{
	uint32_t most = 0;
	for (size_t i = 0; i < c->b->cpu.n; i++)
		if (c->b->cpu.at[i].node == s->node && c->b->cpu.at[i].os < 65536 && c->b->cpu.at[i].os >= most)
			most = c->b->cpu.at[i].os + 1;
	uint32_t *map = weft_arena_alloc(&s->arena, (most + 1u) * sizeof *map);
	if (!map)
		return -ENOMEM;
	memset(map, 0xff, most * sizeof *map);
	for (size_t i = 0; i < c->b->cpu.n; i++)
		if (c->b->cpu.at[i].node == s->node && c->b->cpu.at[i].os < most)
			map[c->b->cpu.at[i].os] = (uint32_t)i;
	s->cpu_of = map;
	s->n_cpu_of = most;
	return 0;
}

/* ---- rows of processes ---- */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash && slash[1] ? slash + 1 : path;
}

/* Arguments, each ended by a zero byte, as one line. */
static const char *command_line(struct census *c, const struct stream_process *p)
{
	const struct weft_buf *t = &p->text[WEFT_TEXT_COMMAND];
	size_t n = t->n;
	while (n && t->at[n - 1] == 0)
		n--;
	char *line = weft_arena_strndup(&c->b->arena, "", 0);
	if (n && (line = weft_arena_alloc(&c->b->arena, n + 1)))
		for (size_t i = 0; i < n; i++)
			line[i] = t->at[i] ? t->at[i] : ' ';
	return line;
}

/* Takes from a description what the row has not; the process's own descriptions come after those from outside, and win. */
static int fill_process(struct census *c, struct weft_process *row, const struct description *d)
{
	const struct stream_process *p = d->p;
	const char *host = text_of(p, WEFT_TEXT_HOST), *command = command_line(c, p);
	if (!command)
		return -ENOMEM;
	row->pid = p->pid;
	if (p->parent_pid > 0)
		row->parent_pid = p->parent_pid;
	if (p->rank >= 0)
		row->rank = p->rank;
	if (p->name && *p->name)
		row->name = p->name;
	else if (!*row->name && *text_of(p, WEFT_TEXT_EXE))
		row->name = base_name(text_of(p, WEFT_TEXT_EXE));
	if (*command)
		row->command = command;
	if (*host)
		row->host = host;
	int64_t node = node_of(c, host, text_of(p, WEFT_TEXT_NODE));
	if (node < 0)
		return (int)node;
	if ((uint32_t)node != WEFT_NONE && (row->node == WEFT_NONE || *text_of(p, WEFT_TEXT_NODE)))
		row->node = (uint32_t)node;
	return 0;
}

static int make_app(struct census *c, const struct person *p)
{
	const char *name = "";
	for (uint32_t i = p->first; i < p->first + p->n; i++) {
		const struct stream_process *d = c->description.at[i].p;
		if (*text_of(d, WEFT_TEXT_APP))
			name = text_of(d, WEFT_TEXT_APP);
		else if (!*name && d->name && !p->offline)
			name = d->name;
	}
	int64_t app = weft_build_app(c->b, name);
	return app < 0 ? (int)app : 0;
}

static int make_processes(struct census *c)
{
	c->rank_of = malloc((c->person.n + 1) * sizeof *c->rank_of);
	if (!c->rank_of)
		return -ENOMEM;
	for (uint32_t i = 0; i < c->person.n; i++)
		c->rank_of[i] = i;
	qsort_r(c->rank_of, c->person.n, sizeof *c->rank_of, by_rank, c->person.at);
	int rc = 0;
	for (size_t i = 0; !rc && i < c->person.n; i++) {
		struct person *p = &c->person.at[c->rank_of[i]];
		if (!i || c->person.at[c->rank_of[i - 1]].app != p->app)
			rc = make_app(c, p);
		struct weft_process row = {.app = (uint32_t)c->b->app.n - 1,
		                           .node = WEFT_NONE,
		                           .parent_pid = -1,
		                           .rank = -1,
		                           .name = "",
		                           .command = "",
		                           .host = "",
		                           .begin = p->begin ? p->begin : WEFT_NEVER,
		                           .end = WEFT_NEVER,
		                           .status = -1};
		for (unsigned own = 0; own < 2; own++)
			for (uint32_t k = p->first; !rc && k < p->first + p->n; k++)
				if (c->description.at[k].outside != own)
					rc = fill_process(c, &row, &c->description.at[k]);
		int64_t made = rc ? rc : weft_build_process(c->b, &row);
		rc = made < 0 ? (int)made : 0;
		for (uint32_t k = p->first; !rc && k < p->first + p->n; k++)
			c->description.at[k].p->row = (uint32_t)made;
	}
	return rc;
}

/* ---- threads ---- */

static const struct stream_process *process_of_thread(const struct stream *s, const struct stream_thread *t)
{
	for (size_t i = 0; i < s->process.n; i++)
		if (s->process.at[i].number == t->process)
			return &s->process.at[i];
	return &s->process.at[s->own_process < s->process.n ? s->own_process : 0];
}

static int collect_members(struct census *c, struct stream *const *streams, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct stream *s = streams[i];
		const struct stream_process *p = NULL;
		for (size_t k = 0; k < s->thread.n; k++) {
			struct stream_thread *t = &s->thread.at[k];
			if (!p || p->number != t->process)
				p = process_of_thread(s, t);
			struct member m = {.s = s,
			                   .t = t,
			                   .stream = i,
			                   .person = p->row,
			                   .begin = axis_time(s, t->begin),
			                   .outside = s->own_process == WEFT_NONE || p != &s->process.at[s->own_process],
			                   .offline = s->clock.offline};
			if (weft_vec_push(&c->member, m))
				return -ENOMEM;
		}
	}
	return 0;
}

static uint64_t member_begin(const struct member *m)
{
	return m->outside && m->begin > SLACK_NS ? m->begin - SLACK_NS : m->begin;
}

static int by_process_and_tid(const void *x, const void *y)
{
	const struct member *a = x, *b = y;
	if (a->person != b->person)
		return a->person < b->person ? -1 : 1;
	if (a->t->tid != b->t->tid)
		return a->t->tid < b->t->tid ? -1 : 1;
	if (member_begin(a) != member_begin(b))
		return member_begin(a) < member_begin(b) ? -1 : 1;
	if (a->stream != b->stream)
		return a->stream < b->stream ? -1 : 1;
	return a->t->number < b->t->number ? -1 : a->t->number > b->t->number;
}

/* Whether member i is the same thread as the lane that began at `first`: seen from outside there, from inside here. */
static bool same_thread(const struct census *c, uint32_t first, size_t i)
{
	const struct member *a = &c->member.at[first], *b = &c->member.at[i];
	if (a->person != b->person || a->t->tid != b->t->tid || a->t->tid < 0 || a->offline || !a->outside)
		return false;
	for (size_t k = first; k < i; k++)
		if (c->member.at[k].stream == b->stream)
			return false; /* a stream tells its own threads apart */
	return true;
}

struct lane_list {
	struct lane *at;
	size_t n, cap;
};

static int by_begin(const void *x, const void *y, void *census)
{
	const struct lane *a = x, *b = y;
	const struct member *m = ((struct census *)census)->member.at;
	const struct member *p = &m[a->first], *q = &m[b->first];
	if (p->person != q->person)
		return p->person < q->person ? -1 : 1;
	if (p->offline && q->offline)
		return p->t->number < q->t->number ? -1 : p->t->number > q->t->number;
	if (a->main != b->main)
		return a->main ? -1 : 1;
	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	return p->t->number < q->t->number ? -1 : p->t->number > q->t->number;
}

static int make_thread(struct census *c, const struct lane *l)
{
	const struct member *first = &c->member.at[l->first];
	struct weft_thread_row row = {.process = first->person,
	                              .number = first->offline ? first->t->number : 0,
	                              .tid = first->t->tid,
	                              .name = "",
	                              .begin = l->begin ? l->begin : WEFT_NEVER,
	                              .end = WEFT_NEVER};
	for (unsigned own = 0; own < 2; own++)
		for (uint32_t i = l->first; i < l->first + l->n; i++)
			if (c->member.at[i].outside != own && c->member.at[i].t->name && *c->member.at[i].t->name)
				row.name = c->member.at[i].t->name;
	for (uint32_t i = l->first; i < l->first + l->n; i++)
		row.own |= c->member.at[i].t->own;
	int64_t made = weft_build_thread(c->b, &row);
	for (uint32_t i = l->first; made >= 0 && i < l->first + l->n; i++)
		c->member.at[i].t->row = (uint32_t)made;
	return made < 0 ? (int)made : 0;
}

static int make_threads(struct census *c)
{
	struct lane_list lanes = {0};
	int rc = 0;
	if (c->member.n)
		qsort(c->member.at, c->member.n, sizeof *c->member.at, by_process_and_tid);
	for (size_t i = 0; !rc && i < c->member.n; i++) {
		const struct member *m = &c->member.at[i];
		struct lane *last = lanes.n ? &lanes.at[lanes.n - 1] : NULL;
		if (last && same_thread(c, last->first, i)) {
			last->n++;
			if (m->begin && m->begin < last->begin)
				last->begin = m->begin;
			continue;
		}
		struct lane made = {.first = (uint32_t)i,
		                    .n = 1,
		                    .begin = m->begin,
		                    .main = m->t->tid == c->b->process.at[m->person].pid};
		rc = weft_vec_push(&lanes, made);
	}
	if (!rc && lanes.n)
		qsort_r(lanes.at, lanes.n, sizeof *lanes.at, by_begin, c);
	for (size_t i = 0; !rc && i < lanes.n; i++)
		rc = make_thread(c, &lanes.at[i]);
	free(lanes.at);
	return rc;
}

/* Modules belong to the process that wrote the stream. */
static int make_modules(struct census *c, struct stream *s)
{
	int rc = 0;
	for (size_t i = 0; i < s->module.n && s->process.n && !rc; i++) {
		struct weft_module m = s->module.at[i];
		m.process = s->process.at[s->own_process < s->process.n ? s->own_process : 0].row;
		rc = weft_build_module(c->b, &m);
	}
	return rc;
}

int streams_make_objects(struct stream *const *streams, uint32_t n, struct weft_builder *b)
{
	struct census c = {.b = b};
	int rc = objects_collect(&c, streams, n);
	if (!rc)
		rc = find_persons(&c);
	if (!rc)
		rc = make_processes(&c);
	for (uint32_t i = 0; !rc && i < n; i++) {
		struct stream *s = streams[i];
		const struct stream_process *p = s->process.n ? &s->process.at[s->own_process < s->process.n ? s->own_process : 0]
		                                              : NULL;
		s->node = p ? b->process.at[p->row].node : WEFT_NONE;
	}
	if (!rc)
		rc = make_cpus(&c, streams, n);
	for (uint32_t i = 0; !rc && i < n; i++)
		rc = map_cpus(&c, streams[i]);
	for (uint32_t i = 0; !rc && i < n; i++)
		rc = make_modules(&c, streams[i]);
	if (!rc)
		rc = collect_members(&c, streams, n);
	if (!rc)
		rc = make_threads(&c);
	free(c.description.at);
	free(c.person.at);
	free(c.member.at);
	free(c.rank_of);
	return rc;
}
