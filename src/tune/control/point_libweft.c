/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measure points that a program emits through libweft: events of the class "libweft" whose method
 * is a region (its begin or end), a type of point or a counter (each value). Nothing is put into
 * the process: it records into a stream file, whose pages are readable at any instant, and this
 * reads them as they fill.
 *
 *     poll: new pages of definitions, then of events; a page is walked again from where it was left, until it is sealed
 *
 * An attribute is what was said last under its name on that thread: an attribute of the region, a
 * point, a counter; "value" is the event's own. Attributes of a begin follow it, and the end of an
 * arrow that leads there may come before them: so it waits for the thread's next record of other
 * kinds, or for one more look.
 */
#include "control_priv.h"
#include "format/format.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES_MOST = 1000 };

struct live_page {
	uint32_t seen; /* records */
	bool done;
};

struct live_value { /* the last of its name on a thread */
	uint32_t class, id, kind;
	uint64_t word;
};

struct live_lane {
	uint32_t thread, tid;
	WEFT_VEC(struct live_value) value;
	struct weft_record begin; /* the queued event; kind 0: none */
	bool waited;              /* it has waited for one poll already */
};

struct live {
	char dir[600];
	int fd;
	const struct weft_stream_head *head; /* the mapping */
	size_t bytes;
	WEFT_VEC(struct live_page) page;
	WEFT_VEC(struct live_lane) lane;
	struct {
		char **at; /* name of each id; owned */
		size_t n, cap;
	} name[WEFT_CLASSES];
};

/* -- the file -- */

static bool open_newest(struct control_process *t, struct live *l)
{
	char path[800];
	for (unsigned n = 0; n < FILES_MOST; n++) {
		snprintf(path, sizeof path, "%s/%s-%d-%u.stream", l->dir, t->c->host, (int)t->pid, n);
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			break;
		/* The last one is the present program's. */
		if (l->fd >= 0)
			close(l->fd);
		l->fd = fd;
	}
	return l->fd >= 0;
}

static bool map_all(struct live *l)
{
	struct stat st;
	if (fstat(l->fd, &st) || (size_t)st.st_size < WEFT_PAGE_BYTES)
		return false;
	size_t bytes = (size_t)st.st_size / WEFT_PAGE_BYTES * WEFT_PAGE_BYTES;
	if (bytes == l->bytes)
		return true;
	if (l->head)
		munmap((void *)l->head, l->bytes);
	void *at = mmap(NULL, bytes, PROT_READ, MAP_SHARED, l->fd, 0);
	l->head = at == MAP_FAILED ? NULL : at;
	l->bytes = l->head ? bytes : 0;
	while (l->head && l->page.n < bytes / WEFT_PAGE_BYTES)
		if (weft_vec_push(&l->page, (struct live_page){0}))
			return false;
	return l->head && memcmp(l->head->magic, WEFT_STREAM_MAGIC, sizeof l->head->magic) == 0;
}

static const struct weft_page *page_at(const struct live *l, size_t i)
{
	return (const struct weft_page *)((const char *)l->head + i * WEFT_PAGE_BYTES);
}

/* -- definitions -- */

static const char *name_of(const struct live *l, uint32_t class, uint32_t id)
{
	return id < l->name[class].n && l->name[class].at[id] ? l->name[class].at[id] : NULL;
}

static void set_name(struct live *l, uint32_t class, uint32_t id, const char *at, uint32_t n)
{
	while (l->name[class].n <= id)
		if (weft_vec_push(&l->name[class], NULL))
			return;
	free(l->name[class].at[id]);
	l->name[class].at[id] = strndup(at, n);
	if (l->name[class].at[id])
		weft_one_line(l->name[class].at[id]);
}

static void libweft_define(struct live *l, const struct weft_record *r)
{
	static const struct {
		uint32_t kind, class, first;
	} rows[] = {{WEFT_EV_DEF_STRING, WEFT_CLASS_STRING, 0},
	            {WEFT_EV_DEF_REGION, WEFT_CLASS_REGION, 2},
	            {WEFT_EV_DEF_TYPE, WEFT_CLASS_TYPE, 2},
	            {WEFT_EV_DEF_COUNTER, WEFT_CLASS_COUNTER, 2},
	            {WEFT_EV_DEF_ATTR, WEFT_CLASS_ATTR, 1}};
	const char *at;
	uint32_t n;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (r->kind == rows[i].kind && weft_record_bytes(r, rows[i].first, &at, &n))
			set_name(l, rows[i].class, r->id, at, n);
}

/* -- events -- */

static struct live_lane *lane_of(struct live *l, uint32_t thread)
{
	for (size_t i = l->lane.n; i-- > 0;)
		if (l->lane.at[i].thread == thread)
			return &l->lane.at[i];
	return weft_vec_push(&l->lane, (struct live_lane){.thread = thread}) ? NULL : &l->lane.at[l->lane.n - 1];
}

static uint32_t class_of(uint32_t kind)
{
	return kind < 256 ? (uint32_t)weft_kind_info[kind].of : WEFT_CLASS_NONE;
}

static bool is_attr(uint32_t kind)
{
	return kind == WEFT_EV_ATTR || kind == WEFT_EV_ATTR_F || kind == WEFT_EV_ATTR_S;
}

static bool has_value(uint32_t kind)
{
	return is_attr(kind) || kind == WEFT_EV_POINT || kind == WEFT_EV_POINT_F || kind == WEFT_EV_POINT_S ||
	       kind == WEFT_EV_COUNTER || kind == WEFT_EV_COUNTER_F;
}

static void libweft_remember(struct live_lane *lane, const struct weft_record *r)
{
	struct live_value v = {class_of(r->kind), r->id, r->kind, r->n ? r->payload[0] : 0};
	for (size_t i = 0; i < lane->value.n; i++)
		if (lane->value.at[i].class == v.class && lane->value.at[i].id == v.id) {
			lane->value.at[i] = v;
			return;
		}
	if (weft_vec_push(&lane->value, v))
		return; /* it is absent then */
}

static struct message_value value_of(const struct live *l, uint32_t kind, uint64_t word)
{
	struct message_value v = {.kind = MESSAGE_INT, .i = (int64_t)word, .s = ""};
	if (kind == WEFT_EV_POINT_F || kind == WEFT_EV_ATTR_F || kind == WEFT_EV_COUNTER_F) {
		v.kind = MESSAGE_REAL;
		memcpy(&v.d, &word, sizeof v.d);
	} else if (kind == WEFT_EV_POINT_S || kind == WEFT_EV_ATTR_S) {
		const char *text = word <= UINT32_MAX ? name_of(l, WEFT_CLASS_STRING, (uint32_t)word) : NULL;
		v = (struct message_value){.kind = MESSAGE_TEXT, .s = text ? text : ""};
	}
	return v;
}

static bool field_of(const struct live *l, const struct live_lane *lane, const struct weft_record *r, const char *name,
                     struct message_value *out)
{
	const char *own = name_of(l, class_of(r->kind), r->id);
	if (has_value(r->kind) && (strcmp(name, "value") == 0 || (own && strcmp(name, own) == 0))) {
		*out = value_of(l, r->kind, r->n ? r->payload[0] : 0);
		return true;
	}
	for (size_t i = 0; i < lane->value.n; i++) {
		const struct live_value *v = &lane->value.at[i];
		const char *called = name_of(l, v->class, v->id);
		if (called && strcmp(called, name) == 0) {
			*out = value_of(l, v->kind, v->word);
			return true;
		}
	}
	*out = (struct message_value){.s = ""};
	return false;
}

static bool is_wanted(const struct point_want *w, const struct weft_record *r, const char *name)
{
	if (!w->on || w->kind != &point_libweft || !name || strcmp(w->function, name) != 0)
		return false;
	if (r->kind == WEFT_EV_ENTER || r->kind == WEFT_EV_LEAVE)
		return w->at_exit == (r->kind == WEFT_EV_LEAVE);
	return has_value(r->kind) && !is_attr(r->kind);
}

static uint64_t time_of(struct control_process *t, const struct live *l, uint64_t ticks)
{
	if (l->head->clock == WEFT_CLOCK_MONOTONIC)
		return t->c->real_0 + (ticks - t->c->began.ns);
	return control_time(t->c, &t->at, ticks);
}

static void libweft_fire(struct control_process *t, struct live *l, struct live_lane *lane, const struct weft_record *r,
                         struct message *m)
{
	const char *name = name_of(l, class_of(r->kind), r->id);
	for (size_t i = 0; i < t->want.n; i++) {
		const struct point_want *w = t->want.at[i];
		if (!is_wanted(w, r, name))
			continue;
		m->event.incomplete = false;
		for (uint32_t f = 0; f < w->n; f++) {
			if (w->field[f].source == MESSAGE_CONSTANT)
				m->event.value[f] = (struct message_value){.kind = MESSAGE_TEXT, .s = w->field[f].name};
			else
				m->event.incomplete |= !field_of(l, lane, r, w->field[f].name, &m->event.value[f]);
		}
		m->event.n = w->n;
		m->event.time = time_of(t, l, r->ticks);
		m->event.tid = lane->tid;
		control_event(t, w, m);
	}
}

static void fire_begin(struct control_process *t, struct live *l, struct live_lane *lane, struct message *m)
{
	if (lane->begin.kind)
		libweft_fire(t, l, lane, &lane->begin, m);
	lane->begin.kind = 0;
}

/* False: its name is not defined yet; it is read again later. */
static bool libweft_hear(struct control_process *t, struct live *l, struct live_lane *lane, const struct weft_record *r,
                         struct message *m)
{
	uint32_t class = class_of(r->kind);
	if (r->kind == WEFT_EV_THREAD && r->n) {
		lane->tid = (uint32_t)r->payload[0];
		return true;
	}
	bool known = has_value(r->kind) || r->kind == WEFT_EV_ENTER || r->kind == WEFT_EV_LEAVE;
	if (known && !name_of(l, class, r->id))
		return false;
	if (!is_attr(r->kind) && r->kind != WEFT_EV_FLOW_IN)
		fire_begin(t, l, lane, m);
	if (has_value(r->kind))
		libweft_remember(lane, r);
	if (r->kind == WEFT_EV_ENTER) {
		lane->begin = *r;
		lane->begin.payload = NULL;
		lane->begin.n = 0;
		lane->waited = false;
	} else if (known && !is_attr(r->kind)) {
		libweft_fire(t, l, lane, r, m);
	}
	return true;
}

/* -- looking -- */

static void walk_page(struct control_process *t, struct live *l, size_t i, bool meta, struct message *m)
{
	const struct weft_page *p = page_at(l, i);
	struct live_page *state = &l->page.at[i];
	struct weft_page_walk w;
	struct weft_record r;
	/* Before the walk: what is written behind this look is seen by the next. */
	bool sealed = __atomic_load_n(&p->flags, __ATOMIC_ACQUIRE) & WEFT_PAGE_SEALED;
	if (p->type != (meta ? WEFT_PAGE_META : WEFT_PAGE_EVENTS))
		return;
	enum weft_page_verdict verdict = weft_page_begin(&w, p, false);
	if (verdict != WEFT_PAGE_GOOD && verdict != WEFT_PAGE_OPEN)
		return;
	struct live_lane *lane = meta ? NULL : lane_of(l, p->thread);
	int rc = 0;
	for (uint32_t n = 0; (meta || lane) && (rc = weft_page_next(&w, &r)) > 0; n++) {
		if (n < state->seen)
			continue;
		if (meta)
			libweft_define(l, &r);
		else if (!libweft_hear(t, l, lane, &r, m))
			return;
		state->seen = n + 1;
	}
	state->done = sealed || rc < 0;
}

/*
 * Pages of a thread stand in the file in their order; those of several are put in order by the
 * analyzer.
 */
static void libweft_look(struct control_process *t, struct live *l, struct message *m)
{
	for (int meta = 1; meta >= 0; meta--)
		for (size_t i = 1; i < l->bytes / WEFT_PAGE_BYTES; i++)
			if (!l->page.at[i].done)
				walk_page(t, l, i, meta, m);
	for (size_t i = 0; i < l->lane.n; i++) {
		if (l->lane.at[i].begin.kind && l->lane.at[i].waited)
			fire_begin(t, l, &l->lane.at[i], m);
		l->lane.at[i].waited = true;
	}
}

static void libweft_drain(struct control_process *t, bool last)
{
	struct live *l = t->libweft;
	if (!l || (l->fd < 0 && !open_newest(t, l)) || !map_all(l))
		return;
	struct message *m = calloc(1, sizeof *m);
	if (!m)
		return;
	control_look(t->c, &t->at);
	libweft_look(t, l, m);
	if (last)
		libweft_look(t, l, m); /* begins that still wait */
	free(m);
}

/* -- wants -- */

static struct live *libweft_begin(struct control_process *t)
{
	struct live *l = calloc(1, sizeof *l);
	if (!l)
		return NULL;
	l->fd = -1;
	if (!control_environment(t->pid, "WEFT_DIR", l->dir, sizeof l->dir))
		l->dir[0] = '\0';
	t->libweft = l;
	return l;
}

static void libweft_insert(struct control_process *t, struct point_want **w, unsigned n)
{
	struct live *l = t->libweft ? t->libweft : libweft_begin(t);
	for (unsigned i = 0; i < n; i++)
		w[i]->rc = !l         ? weft_err_set(&w[i]->err, -ENOMEM, "out of memory")
		           : !*l->dir ? weft_err_set(&w[i]->err, -ENODATA,
		                                     "the process does not record: WEFT_DIR is not in its environment")
		                      : 0;
}

static void take_out(struct control_process *t, struct point_want *w)
{
	(void)t;
	w->rc = 0;
	w->err = (struct weft_err){0};
}

static void libweft_fini(struct control_process *t)
{
	struct live *l = t->libweft;
	if (!l)
		return;
	if (l->head)
		munmap((void *)l->head, l->bytes);
	if (l->fd >= 0)
		close(l->fd);
	for (unsigned c = 0; c < WEFT_CLASSES; c++) {
		for (size_t i = 0; i < l->name[c].n; i++)
			free(l->name[c].at[i]);
		free(l->name[c].at);
	}
	for (size_t i = 0; i < l->lane.n; i++)
		free(l->lane.at[i].value.at);
	free(l->lane.at);
	free(l->page.at);
	free(l);
	t->libweft = NULL;
}

const struct point_kind point_libweft = {.scheme = "libweft",
                                         .insert = libweft_insert,
                                         .remove = take_out,
                                         .drain = libweft_drain,
                                         .fini = libweft_fini};
