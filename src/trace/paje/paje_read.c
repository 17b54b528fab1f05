/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading a Paje file, in two turns over its lines: the first learns types and containers, the second makes events of the rest.
 *
 *     push, set, pop, reset    enter and leave of a region; each type of state has a stack of its own, and the thread one of them all
 *     new event                a point: of the number of a defined value, else of the number or text that stands there
 *     set, add, sub            a counter, at its new value
 *     start and end of a link  a flow; a message, where links of that type have a size
 *
 * A damaged line is listed with its number and offset, and left out.
 */
#include "base/progress.h"
#include "trace/store/cursor.h"
#include "trace/store/builder.h"
#include "paje_priv.h"
#include "trace/text/text_input.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEP_BYTES = 1 << 20 };

struct level {
	uint32_t type, region;
};
struct lane { /* of a thread */
	struct weft_appender *to;
	WEFT_VEC(struct level) open;
	struct weft_map variable; /* type -> its value's bits */
	uint64_t last;
};

struct paje {
	struct weft_builder *b;  /* borrowed, as path, how and err */
	const char *path, *name; /* to open it by; to call it by */
	const struct weft_open_how *how;
	struct weft_err *err;
	struct paje_defs defs;
	struct paje_model model;
	struct lane *lane; /* by thread; owned. NULL in the first turn */
	uint32_t n_lanes;
	uint64_t line, offset, end; /* end: the last time so far */
	struct paje_line now;       /* what is being taken */
	const char *why;            /* what is wrong with it */
};

/* ---- regions ---- */

static int paje_put(struct lane *l, unsigned kind, unsigned id, uint64_t value)
{
	return weft_append(l->to, l->last, weft_what(kind, id), value);
}

/* Leaves the innermost region of a type. Those of other types that lie in it are left, and entered again. 1: there is none. */
static int leave_one(struct lane *l, uint32_t type)
{
	size_t i = l->open.n;
	while (i > 0 && l->open.at[i - 1].type != type)
		i--;
	if (i == 0)
		return 1;
	int rc = 0;
	for (size_t k = l->open.n; k >= i && !rc; k--)
		rc = paje_put(l, WEFT_EV_LEAVE, l->open.at[k - 1].region, 0);
	memmove(l->open.at + i - 1, l->open.at + i, (l->open.n - i) * sizeof *l->open.at);
	l->open.n--;
	for (size_t k = i - 1; k < l->open.n && !rc; k++)
		rc = paje_put(l, WEFT_EV_ENTER, l->open.at[k].region, 0);
	return rc;
}

static int leave_all(struct lane *l)
{
	int rc = 0;
	while (l->open.n && !rc)
		rc = paje_put(l, WEFT_EV_LEAVE, l->open.at[--l->open.n].region, 0);
	return rc;
}

/* Fields that the standard does not know go with the region. */
static int put_extra(struct paje *p, struct lane *l)
{
	int rc = 0;
	for (unsigned i = 0; i < p->now.n_extra && !rc; i++) {
		struct weft_str text = p->now.extra[i].text;
		int64_t id = weft_build_def(p->b, WEFT_CLASS_ATTR, &(struct weft_def_row){.name = p->now.extra[i].name}), v;
		double d;
		uint64_t bits;
		if (id < 0)
			return (int)id;
		if (!weft_parse_i64(text, &v)) {
			rc = paje_put(l, WEFT_EV_ATTR, (unsigned)id, (uint64_t)v);
		} else if (!weft_parse_double(text, &d)) {
			memcpy(&bits, &d, sizeof bits);
			rc = paje_put(l, WEFT_EV_ATTR_F, (unsigned)id, bits);
		} else {
			v = weft_build_string(p->b, text.at, text.n);
			rc = v < 0 ? (int)v : paje_put(l, WEFT_EV_ATTR_S, (unsigned)id, (uint64_t)v);
		}
	}
	return rc;
}

static int paje_enter(struct paje *p, struct lane *l, uint32_t type)
{
	struct paje_value *value;
	int rc = paje_find_value(&p->model, p->b, type, p->now.slot[PAJE_VALUE], &value);
	if (!rc)
		rc = weft_vec_push(&l->open, (struct level){type, value->def});
	if (!rc)
		rc = paje_put(l, WEFT_EV_ENTER, value->def, 0);
	return rc ? rc : put_extra(p, l);
}

/* ---- a line's place: its time, its container's lane, its type ---- */

static int find_lane(struct paje *p, enum paje_slot where, struct lane **out)
{
	struct paje_container *c = paje_find_container(&p->model, p->now.slot[where]);
	uint64_t time;
	*out = NULL;
	p->why = "names a container that is not there";
	if (!c || c->thread == WEFT_NONE)
		return 1;
	p->why = "expected a time in seconds";
	if (!paje_time(p->now.slot[PAJE_TIME], &time))
		return 1;
	struct lane *l = &p->lane[c->thread];
	p->why = "its time is before that of the line before it, in this container";
	if (time < l->last)
		return 1;
	if (!l->to && !(l->to = weft_builder_appender(p->b, c->thread)))
		return -ENOMEM;
	l->last = time;
	p->end = time > p->end ? time : p->end;
	*out = l;
	return 0;
}

static int find_place(struct paje *p, enum paje_kind kind, enum paje_slot where, struct lane **l, struct paje_type **type)
{
	*type = paje_find_type(&p->model, p->now.slot[PAJE_TYPE], kind);
	p->why = "names a type that is not defined, or is of another kind";
	return *type ? find_lane(p, where, l) : 1;
}

/* ---- what each line does ---- */

static int take_created(struct paje *p)
{
	uint64_t time;
	if (paje_time(p->now.slot[PAJE_TIME], &time) && time > p->end)
		p->end = time;
	return paje_created(&p->model, &p->now);
}

static int take_destroyed(struct paje *p)
{
	struct paje_container *c = paje_find_container(&p->model, p->now.slot[PAJE_NAME]);
	uint64_t time;
	if (!paje_time(p->now.slot[PAJE_TIME], &time))
		return 0; /* said in the first turn */
	p->end = time > p->end ? time : p->end;
	if (!c || c->thread == WEFT_NONE)
		return 0;
	struct lane *l = &p->lane[c->thread];
	l->last = time > l->last ? time : l->last;
	return leave_all(l);
}

static int take_state(struct paje *p)
{
	struct paje_type *type;
	struct lane *l;
	enum paje_event e = p->now.def->event;
	int rc = find_place(p, PAJE_K_STATE, PAJE_CONTAINER, &l, &type);
	if (rc)
		return rc;
	uint32_t number = (uint32_t)(type - p->model.type.at);
	if (e == PAJE_SET_STATE || e == PAJE_POP)
		rc = leave_one(l, number);
	while (e == PAJE_RESET && !rc)
		rc = leave_one(l, number);
	p->why = "no state of this type is there to be left";
	if (rc < 0 || (rc > 0 && e == PAJE_POP))
		return rc;
	return e == PAJE_SET_STATE || e == PAJE_PUSH ? paje_enter(p, l, number) : 0;
}

static int take_event(struct paje *p)
{
	struct paje_type *type;
	struct lane *l;
	struct weft_str text = p->now.slot[PAJE_VALUE];
	int64_t v;
	double d;
	int rc = find_place(p, PAJE_K_EVENT, PAJE_CONTAINER, &l, &type);
	if (rc)
		return rc;
	uint32_t number = (uint32_t)(type - p->model.type.at);
	if (paje_knows_value(&p->model, number, text)) {
		struct paje_value *value;
		rc = paje_find_value(&p->model, p->b, number, text, &value);
		return rc ? rc : paje_put(l, WEFT_EV_POINT, type->def, value->number);
	}
	if (!weft_parse_i64(text, &v))
		return paje_put(l, WEFT_EV_POINT, type->def, (uint64_t)v);
	if (!weft_parse_double(text, &d)) {
		uint64_t bits;
		memcpy(&bits, &d, sizeof bits);
		return paje_put(l, WEFT_EV_POINT_F, type->def, bits);
	}
	v = weft_build_string(p->b, text.at, text.n);
	return v < 0 ? (int)v : paje_put(l, WEFT_EV_POINT_S, type->def, (uint64_t)v);
}

/* What a variable becomes: set to the line's number, or changed by it. Both kinds of number, as bits. */
static bool new_value(const struct paje_line *line, bool floating, uint64_t *bits)
{
	enum paje_event e = line->def->event;
	struct weft_str text = line->slot[PAJE_VALUE];
	if (!floating) {
		int64_t v;
		if (weft_parse_i64(text, &v))
			return false;
		*bits = e == PAJE_SET ? (uint64_t)v : e == PAJE_ADD ? *bits + (uint64_t)v : *bits - (uint64_t)v;
		return true;
	}
	double v, now;
	if (weft_parse_double(text, &v))
		return false;
	memcpy(&now, bits, sizeof now);
	now = e == PAJE_SET ? v : e == PAJE_ADD ? now + v : now - v;
	memcpy(bits, &now, sizeof now);
	return true;
}

static int take_variable(struct paje *p)
{
	struct paje_type *type;
	struct lane *l;
	uint64_t bits = 0;
	int rc = find_place(p, PAJE_K_VARIABLE, PAJE_CONTAINER, &l, &type);
	if (rc)
		return rc;
	uint64_t number = (uint64_t)(type - p->model.type.at);
	weft_map_get(&l->variable, number, &bits);
	p->why = "expected a number";
	if (!new_value(&p->now, type->floating, &bits))
		return 1;
	rc = weft_map_put(&l->variable, number, bits);
	return rc ? rc : paje_put(l, type->floating ? WEFT_EV_COUNTER_F : WEFT_EV_COUNTER, type->def, bits);
}

static int take_link(struct paje *p)
{
	struct paje_type *type;
	struct lane *l;
	bool out = p->now.def->event == PAJE_START_LINK;
	struct weft_str key = p->now.slot[PAJE_KEY], name = p->now.slot[PAJE_VALUE];
	int64_t tag = 0;
	int rc = find_place(p, PAJE_K_LINK, out ? PAJE_START : PAJE_END, &l, &type);
	if (rc)
		return rc;
	uint32_t number = (uint32_t)(type - p->model.type.at);
	uint64_t hash = weft_hash_u64(weft_hash(key.at, key.n) ^ number) | 1; /* 0 would mean that it has none */
	if (!type->sized)
		return weft_append_flow(l->to, l->last, type->def, hash, out);
	struct paje_value *value;
	rc = paje_find_value(&p->model, p->b, number, name.at ? name : weft_str(type->name), &value);
	if (rc)
		return rc;
	struct weft_half_row h = {.time = l->last, .began = l->last, .comm = value->def, .peer = -1, .key = hash, .is_send = out};
	p->why = "expected a size in bytes and a tag";
	if (p->now.slot[PAJE_SIZE].at && weft_parse_u64(p->now.slot[PAJE_SIZE], &h.size))
		return 1;
	if (p->now.slot[PAJE_TAG].at && (weft_parse_i64(p->now.slot[PAJE_TAG], &tag) || tag != (int32_t)tag))
		return 1;
	h.tag = (int32_t)tag;
	return weft_append_half(l->to, &h);
}

static int take_nothing(struct paje *p)
{
	(void)p; /* done in the first turn */
	return 0;
}

static int (*const takers[PAJE_EVENTS])(struct paje *) = {
	[PAJE_DEF_CONTAINER] = take_nothing,
	[PAJE_DEF_STATE] = take_nothing,
	[PAJE_DEF_EVENT] = take_nothing,
	[PAJE_DEF_VARIABLE] = take_nothing,
	[PAJE_DEF_LINK] = take_nothing,
	[PAJE_DEF_VALUE] = take_nothing,
	[PAJE_CREATE] = take_created,
	[PAJE_DESTROY] = take_destroyed,
	[PAJE_SET_STATE] = take_state,
	[PAJE_PUSH] = take_state,
	[PAJE_POP] = take_state,
	[PAJE_RESET] = take_state,
	[PAJE_NEW_EVENT] = take_event,
	[PAJE_SET] = take_variable,
	[PAJE_ADD] = take_variable,
	[PAJE_SUB] = take_variable,
	[PAJE_START_LINK] = take_link,
	[PAJE_END_LINK] = take_link,
	[PAJE_OTHER] = take_nothing,
};

/* ---- lines ---- */

static int paje_problem(struct paje *p, size_t bytes, bool named)
{
	char text[200];
	const char *event = named ? paje_event_name(p->now.def->event) : "";
	snprintf(text, sizeof text, "%s%s%s", event, *event ? ": " : "", p->why);
	struct weft_problem row = {.file = p->name, .line = p->line, .offset = p->offset, .lost_bytes = bytes, .text = text};
	return weft_build_problem(p->b, &row);
}

/* Of one turn only: what is wrong with a line's form is said in the second. */
static int take_line(struct paje *p, struct weft_str line)
{
	bool second = p->lane != NULL;
	size_t n = line.n;
	if (n && line.at[n - 1] == '\r')
		line.n--;
	line = weft_str_trim(line);
	if (line.n == 0 || *line.at == '#')
		return 0;
	int rc = 0;
	if (*line.at == '%') {
		rc = second ? 0 : paje_defs_line(&p->defs, line, &p->why);
		return rc > 0 ? paje_problem(p, n, false) : rc;
	}
	rc = paje_split(&p->defs, line, &p->now, &p->why);
	if (rc)
		return second ? paje_problem(p, n, false) : 0;
	rc = second ? takers[p->now.def->event](p) : paje_learn(&p->model, &p->now, &p->why);
	if (rc > 0)
		return paje_problem(p, n, true);
	return rc;
}

static int read_lines(struct paje *p, struct text_input *in, struct weft_progress *progress)
{
	struct weft_str line;
	uint64_t shown = 0;
	int more, rc = 0;
	p->line = 0;
	while (!rc && (p->offset = text_input_offset(in), more = text_input_line(in, &line, p->err)) != 0) {
		if (more < 0)
			return more;
		p->line++;
		bool whole = text_input_offset(in) - p->offset > line.n;
		rc = take_line(p, line);
		p->why = "the last line has no end: the file was cut off";
		if (!rc && !whole && p->lane)
			rc = paje_problem(p, 0, false);
		if (text_input_offset(in) - shown < STEP_BYTES)
			continue;
		weft_progress_step(progress, text_input_offset(in) - shown);
		shown = text_input_offset(in);
	}
	p->why = text_input_damage(in);
	if (!rc && p->why && p->lane)
		rc = paje_problem(p, 0, false);
	return rc;
}

/* The whole file, once. */
static int paje_turn(struct paje *p, const char *name)
{
	struct text_input *in;
	struct weft_progress progress;
	bool shown = p->how && p->how->progress;
	int rc = text_input_open(&in, p->path, STEP_BYTES, p->err);
	if (rc)
		return rc;
	if (shown)
		weft_progress_begin(&progress, name, text_input_packed(in) ? 0 : text_input_bytes(in));
	rc = read_lines(p, in, shown ? &progress : NULL);
	if (shown)
		weft_progress_end(&progress);
	text_input_close(in);
	return rc;
}

/* Whatever is open ends with its container, or with the trace. */
static int paje_finish(struct paje *p)
{
	int rc = 0;
	for (size_t i = 0; i < p->model.container.n && !rc; i++) {
		const struct paje_container *c = &p->model.container.at[i];
		uint64_t end = c->end == WEFT_NEVER ? p->end : c->end;
		if (c->thread == WEFT_NONE)
			continue;
		struct lane *l = &p->lane[c->thread];
		l->last = end > l->last ? end : l->last;
		rc = leave_all(l);
		weft_built_thread(p->b, c->thread)->end = l->last;
	}
	weft_build_keep_zero(p->b, p->end);
	return rc;
}

static int paje_load(struct weft_builder *b, const char *path, const struct weft_open_how *how, struct weft_err *err)
{
	struct paje p = {.b = b, .path = path, .name = b->path, .how = how, .err = err};
	int rc = paje_turn(&p, "looking through");
	if (!rc && p.defs.at.n == 0)
		rc = weft_err_set(err, WEFT_E_SYNTAX, "cannot read '%s': it defines no events ('%%EventDef …')", b->path);
	if (!rc)
		rc = paje_make(&p.model, b);
	for (size_t i = 0; i < p.model.container.n && !rc; i++)
		p.n_lanes += p.model.container.at[i].thread != WEFT_NONE;
	if (!rc && !(p.lane = calloc(p.n_lanes + 1, sizeof *p.lane)))
		rc = -ENOMEM;
	if (!rc)
		rc = paje_turn(&p, "reading");
	if (!rc)
		rc = paje_finish(&p);
	for (uint32_t i = 0; p.lane && i < p.n_lanes; i++) {
		free(p.lane[i].open.at);
		weft_map_fini(&p.lane[i].variable);
	}
	free(p.lane);
	paje_model_fini(&p.model);
	paje_defs_fini(&p.defs);
	return rc;
}

/* By what stands in it: comments, and then the definition of an event. */
static bool paje_claims(const char *path, const char *first, size_t n)
{
	static const char *const packed[] = {".paje.gz", ".paje.zst", ".trace.gz", ".trace.zst", ".paje"};
	size_t length = strlen(path);
	for (size_t i = 0; i < sizeof packed / sizeof *packed; i++)
		if (length > strlen(packed[i]) && !strcmp(path + length - strlen(packed[i]), packed[i]))
			return true;
	struct weft_str rest = weft_str_n(first, n), line;
	while (weft_str_cut(&rest, '\n', &line)) {
		line = weft_str_trim(line);
		if (line.n == 0 || *line.at == '#')
			continue;
		line = weft_str_trim(weft_str_n(line.at + 1, *line.at == '%' ? line.n - 1 : 0));
		return line.n > 8 && strncmp(line.at, "EventDef", 8) == 0;
	}
	return false;
}

const struct weft_reader weft_paje_reader = {"paje", paje_claims, paje_load, .once = false};
