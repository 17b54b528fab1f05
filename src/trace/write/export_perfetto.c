/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Perfetto's protobuf format. A file is a row of packets; a thread is a packet sequence of its own, with its own interned names, and
 * a track; its counters and the states of a foreign trace are tracks below it. Messages and flows are instants with a flow id.
 *
 *   packet = 0x0a, length, { 8: time, 10: sequence, 13: flags, 11: track event { 9: type, 11: track, 10: name… } }
 *
 * Samples whose functions are known are samples of a profiler (PerfSample) with a call stack, whose frames are names; one for each period that it stands
 * for, since there is no weight. Others are instants with addresses.
 *
 * A packet is put together from its inside to its outside in a small buffer (export_proto.h), so that lengths are known when they
 * are written.
 */
#include "export_proto.h"
#include <errno.h>
#include <stdlib.h>

/* Fields, by message. */
enum {
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_FLAGS = 13,
	PACKET_TRACK = 60,
	PACKET_SAMPLE = 66,
	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_PROCESS = 3,
	TRACK_THREAD = 4,
	TRACK_PARENT = 5,
	TRACK_COUNTER = 8,
	PROCESS_PID = 1,
	PROCESS_NAME = 6,
	THREAD_PID = 1,
	THREAD_TID = 2,
	THREAD_NAME = 5,
	COUNTER_UNIT = 6,
	EVENT_CATEGORY = 3,
	EVENT_ANNOTATION = 4,
	EVENT_TYPE = 9,
	EVENT_NAME = 10,
	EVENT_TRACK = 11,
	EVENT_COUNTER = 30,
	EVENT_COUNTER_F = 44,
	EVENT_FLOW = 47,
	EVENT_FLOW_ENDS = 48,
	ANNOTATION_NAME_ID = 1,
	ANNOTATION_UINT = 3,
	ANNOTATION_INT = 4,
	ANNOTATION_DOUBLE = 5,
	ANNOTATION_TEXT = 6,
	ANNOTATION_NAME = 10,
	INTERNED_CATEGORIES = 1,
	INTERNED_EVENTS = 2,
	INTERNED_ANNOTATIONS = 3,
	INTERNED_TABLES = 4,
	INTERNED_FUNCTIONS = 5, /* from here on not by definition: see struct stacks */
	INTERNED_FRAMES = 6,
	INTERNED_STACKS = 7,
	INTERNED_ID = 1,
	INTERNED_NAME = 2,
	FRAME_FUNCTION = 2,
	STACK_FRAMES = 2,
	SAMPLE_CPU = 1,
	SAMPLE_PID = 2,
	SAMPLE_TID = 3,
	SAMPLE_STACK = 4,
	SAMPLE_MODE = 5,
};
enum { TYPE_BEGIN = 1, TYPE_END, TYPE_INSTANT, TYPE_COUNTER };
enum { MODE_USER = 3, SAMPLE_MORE_SHIFT = 4, STACK_TEXT = 16384 };
enum { FLAG_CLEARED = 1, FLAG_NEEDED = 2 };
#define TEXT_MOST 3000u /* of an annotation or name: what is longer is cut, so that a packet has a bound */

#define KEYS 32u

/* Functions and stacks of the whole trace by what they are; a place's number + 1 is its id. A frame has its function's. */
struct stacks {
	struct weft_map function, stack;              /* by hash of the name; of the functions' ids, outermost first */
	WEFT_VEC(uint32_t) function_seen, stack_seen; /* by place: the sequence that it was last interned in */
	WEFT_VEC(uint64_t) frames;                    /* of the stack at hand */
};

struct perfetto {
	struct export_sink sink; /* first: callbacks get it */
	uint32_t sequence;       /* of the thread that is written; from 1 */
	uint64_t tracks;         /* uuids given so far */
	uint64_t track, state_track;
	/*
	 * By table, class and id (of no class: the kinds), the sequence that a name was last interned in; each list is owned, and
	 * made when first needed. One name may stand in two tables: an attribute of a region, or of none.
	 */
	uint32_t *interned[INTERNED_TABLES][WEFT_CLASSES];
	uint64_t base[WEFT_CLASSES + 1]; /* interned id of a class's id 0; the last: of keys */
	/* Of the thread's counters: the sequence that they were last given a track in, and which; owned. */
	uint32_t *counter_seen;
	uint64_t *counter_track;
	uint64_t cpu_track, cpu; /* cpu: the thread is on, or 0 */
	struct stacks stacks;
	/* Names of arguments, which are few: by their address, the sequence that they were last interned in. */
	struct {
		const char *key;
		uint32_t seen;
	} key[KEYS];
};

static void put_packet(struct perfetto *p, struct proto *packet)
{
	proto_u64(packet, PACKET_SEQUENCE, p->sequence);
	proto_write(p->sink.out, 1, packet);
}

/* ---- interned names ---- */

static void put_interned(struct perfetto *p, unsigned table, const struct proto *entry)
{
	struct proto packet, data;
	proto_begin(&data);
	proto_nested(&data, table, entry);
	proto_begin(&packet);
	proto_u64(&packet, PACKET_FLAGS, FLAG_NEEDED);
	proto_nested(&packet, PACKET_INTERNED, &data);
	put_packet(p, &packet);
}

static void intern_put(struct perfetto *p, unsigned table, uint64_t iid, const char *name)
{
	struct proto entry;
	proto_begin(&entry);
	proto_u64(&entry, INTERNED_ID, iid);
	proto_text(&entry, INTERNED_NAME, name, TEXT_MOST);
	put_interned(p, table, &entry);
}

static uint64_t perfetto_intern(struct perfetto *p, unsigned table, enum weft_class c, uint32_t id, const char *name)
{
	uint32_t **seen = &p->interned[table][c];
	if (!*seen && !(*seen = calloc(p->base[c + 1] - p->base[c], sizeof **seen))) {
		export_fail(p->sink.out, -ENOMEM);
		return 0;
	}
	if ((*seen)[id] != p->sequence) {
		(*seen)[id] = p->sequence;
		intern_put(p, table, p->base[c] + id, name);
	}
	return p->base[c] + id;
}

static uint64_t intern_def(struct perfetto *p, unsigned table, enum weft_class c, uint32_t id)
{
	uint32_t known = id < p->sink.t->def[c].n ? id : 0;
	return perfetto_intern(p, table, c, known, export_def_name(p->sink.t, c, known));
}

/* The name of an instant: its definition's, or its kind's. */
static uint64_t intern_event(struct perfetto *p, const struct weft_event *e)
{
	enum weft_class of = weft_kind_info[e->kind].of;
	bool by_kind = e->kind == WEFT_EV_SEND || e->kind == WEFT_EV_RECV || of == WEFT_CLASS_NONE || of == WEFT_CLASS_CATEGORY;
	if (e->id && !by_kind)
		return intern_def(p, INTERNED_EVENTS, of, e->id);
	return perfetto_intern(p, INTERNED_EVENTS, WEFT_CLASS_NONE, e->kind, weft_kind_info[e->kind].name);
}

/* 0 when the table is full: then the name stands with the value. */
static uint64_t intern_key(struct perfetto *p, const char *key)
{
	unsigned i = 0;
	while (i < KEYS && p->key[i].key && p->key[i].key != key)
		i++;
	if (i == KEYS)
		return 0;
	p->key[i].key = key;
	if (p->key[i].seen != p->sequence) {
		p->key[i].seen = p->sequence;
		intern_put(p, INTERNED_ANNOTATIONS, p->base[WEFT_CLASSES] + i, key);
	}
	return p->base[WEFT_CLASSES] + i;
}

/* ---- tracks ---- */

static void put_track(struct perfetto *p, struct proto *track, unsigned flags)
{
	struct proto packet;
	proto_begin(&packet);
	proto_nested(&packet, PACKET_TRACK, track);
	if (flags)
		proto_u64(&packet, PACKET_FLAGS, flags);
	put_packet(p, &packet);
}

static uint64_t process_track(uint32_t process)
{
	return process + 1u;
}

static void put_processes(struct perfetto *p)
{
	const struct weft_trace *t = p->sink.t;
	struct weft_buf name = {0};
	p->sequence = 1;
	for (uint32_t i = 0; i < t->n_processes; i++) {
		struct proto process, track;
		name.n = 0;
		export_process_name(t, i, &name);
		proto_begin(&process);
		proto_u64(&process, PROCESS_PID, export_pid(t, i));
		proto_text(&process, PROCESS_NAME, name.at ? name.at : "", TEXT_MOST);
		proto_begin(&track);
		proto_u64(&track, TRACK_UUID, process_track(i));
		proto_nested(&track, TRACK_PROCESS, &process);
		put_track(p, &track, i ? 0 : FLAG_CLEARED);
	}
	if (name.failed)
		export_fail(p->sink.out, -ENOMEM);
	p->tracks = t->n_processes;
	weft_buf_fini(&name);
}

static uint64_t put_child_track(struct perfetto *p, const char *name, bool counter, const char *unit)
{
	struct proto track, about;
	uint64_t uuid = ++p->tracks;
	proto_begin(&track);
	proto_u64(&track, TRACK_UUID, uuid);
	proto_text(&track, TRACK_NAME, name, TEXT_MOST);
	proto_u64(&track, TRACK_PARENT, p->track);
	proto_begin(&about);
	if (unit && *unit)
		proto_text(&about, COUNTER_UNIT, unit, TEXT_MOST);
	if (counter)
		proto_nested(&track, TRACK_COUNTER, &about);
	put_track(p, &track, 0);
	return uuid;
}

static void perfetto_begin(struct export_sink *s, struct export_lane *l, uint64_t time)
{
	struct perfetto *p = (struct perfetto *)s;
	uint32_t process = s->t->thread[l->thread].process;
	struct weft_buf name = {0};
	struct proto thread, track;
	(void)time;
	p->sequence++;
	p->track = ++p->tracks;
	p->state_track = p->cpu_track = p->cpu = 0;
	export_thread_name(s->t, l->thread, &name);
	proto_begin(&thread);
	proto_u64(&thread, THREAD_PID, export_pid(s->t, process));
	proto_u64(&thread, THREAD_TID, export_tid(l->thread));
	proto_text(&thread, THREAD_NAME, name.at ? name.at : "", TEXT_MOST);
	proto_begin(&track);
	proto_u64(&track, TRACK_UUID, p->track);
	proto_u64(&track, TRACK_PARENT, process_track(process));
	proto_nested(&track, TRACK_THREAD, &thread);
	put_track(p, &track, FLAG_CLEARED);
	if (name.failed)
		export_fail(s->out, -ENOMEM);
	weft_buf_fini(&name);
}

/* ---- events ---- */

static void put_event(struct perfetto *p, uint64_t time, struct proto *event)
{
	struct proto packet;
	proto_begin(&packet);
	proto_nested(&packet, PACKET_TRACK_EVENT, event);
	proto_u64(&packet, PACKET_FLAGS, FLAG_NEEDED);
	proto_u64(&packet, PACKET_TIMESTAMP, time);
	put_packet(p, &packet);
}

static void event_begin(struct proto *event, unsigned type, uint64_t track)
{
	proto_begin(event);
	proto_u64(event, EVENT_TRACK, track);
	proto_u64(event, EVENT_TYPE, type);
}

static void put_annotation(struct proto *event, uint64_t name_id, const struct export_arg *a)
{
	struct proto note;
	proto_begin(&note);
	switch (a->kind) {
	case EXPORT_I64:
		proto_u64(&note, ANNOTATION_INT, (uint64_t)a->i);
		break;
	case EXPORT_U64:
	case EXPORT_HEX:
		proto_u64(&note, ANNOTATION_UINT, a->u);
		break;
	case EXPORT_DOUBLE:
		proto_double(&note, ANNOTATION_DOUBLE, a->d);
		break;
	case EXPORT_TEXT:
		proto_text(&note, ANNOTATION_TEXT, a->text, TEXT_MOST);
		break;
	}
	if (name_id)
		proto_u64(&note, ANNOTATION_NAME_ID, name_id);
	else
		proto_text(&note, ANNOTATION_NAME, a->key, TEXT_MOST);
	proto_nested(event, EVENT_ANNOTATION, &note);
}

static void perfetto_push(struct export_sink *s, struct export_lane *l, uint64_t time, uint32_t region)
{
	struct perfetto *p = (struct perfetto *)s;
	const struct weft_def_table *regions = &s->t->def[WEFT_CLASS_REGION];
	uint32_t category = region < regions->n ? regions->at[region].category : 0;
	uint64_t name = intern_def(p, INTERNED_EVENTS, WEFT_CLASS_REGION, region);
	uint64_t in = category ? intern_def(p, INTERNED_CATEGORIES, WEFT_CLASS_CATEGORY, category) : 0;
	struct proto event;
	(void)l;
	event_begin(&event, TYPE_BEGIN, p->track);
	proto_u64(&event, EVENT_NAME, name);
	if (in)
		proto_u64(&event, EVENT_CATEGORY, in);
	put_event(p, time, &event);
}

static void perfetto_pop(struct export_sink *s, struct export_lane *l, uint64_t time, uint32_t region,
                         const struct export_attr *attr, size_t n_attrs)
{
	struct perfetto *p = (struct perfetto *)s;
	struct proto event;
	(void)l, (void)region;
	event_begin(&event, TYPE_END, p->track);
	for (size_t i = n_attrs; i-- > 0 && proto_room(&event) > 2 * TEXT_MOST;) {
		struct export_detail d;
		const struct weft_event *e = &attr[i].event;
		export_describe(s, e, &d);
		uint64_t name = e->kind == WEFT_EV_CALLSTACK ? intern_key(p, d.arg[0].key)
		                                             : intern_def(p, INTERNED_ANNOTATIONS, WEFT_CLASS_ATTR, e->id);
		put_annotation(&event, name, &d.arg[0]);
	}
	put_event(p, time, &event);
}

static void perfetto_state(struct export_sink *s, struct export_lane *l, uint64_t time, uint32_t state, bool begins)
{
	struct perfetto *p = (struct perfetto *)s;
	struct proto event;
	(void)l;
	if (!p->state_track)
		p->state_track = put_child_track(p, "state", false, NULL);
	uint64_t name = begins ? intern_def(p, INTERNED_EVENTS, WEFT_CLASS_STATE, state) : 0;
	event_begin(&event, begins ? TYPE_BEGIN : TYPE_END, p->state_track);
	if (begins)
		proto_u64(&event, EVENT_NAME, name);
	put_event(p, time, &event);
}

static uint64_t counter_track(struct perfetto *p, const struct weft_event *e)
{
	const struct weft_def_table *defs = &p->sink.t->def[WEFT_CLASS_COUNTER];
	if (e->kind == WEFT_EV_CPU) {
		if (!p->cpu_track)
			p->cpu_track = put_child_track(p, "cpu", true, NULL);
		return p->cpu_track;
	}
	uint32_t id = e->id < defs->n ? e->id : 0;
	if (p->counter_seen[id] != p->sequence) {
		p->counter_seen[id] = p->sequence;
		p->counter_track[id] = put_child_track(p, export_def_name(p->sink.t, WEFT_CLASS_COUNTER, id), true,
		                                       id ? defs->at[id].unit : NULL);
	}
	return p->counter_track[id];
}

static void put_counter(struct perfetto *p, const struct weft_event *e)
{
	struct export_detail d;
	struct proto event;
	export_describe(&p->sink, e, &d);
	if (e->kind == WEFT_EV_CPU)
		p->cpu = d.arg[0].u;
	event_begin(&event, TYPE_COUNTER, counter_track(p, e));
	if (d.arg[0].kind == EXPORT_DOUBLE)
		proto_double(&event, EVENT_COUNTER_F, d.arg[0].d);
	else
		proto_u64(&event, EVENT_COUNTER, d.arg[0].u);
	put_event(p, e->time, &event);
}

/* ---- samples ---- */

/* The place of what has this hash, and whether it is new to the thread's sequence. */
static uint64_t place_of(struct perfetto *p, struct weft_map *by, uint64_t hash, uint32_t **seen, size_t n, bool *fresh)
{
	uint64_t at = n;
	if (!weft_map_get(by, hash, &at)) {
		*fresh = true;
		if (weft_map_put(by, hash, at))
			export_fail(p->sink.out, -ENOMEM);
		return n;
	}
	*fresh = (*seen)[at] != p->sequence;
	(*seen)[at] = p->sequence;
	return at;
}

static uint64_t frame_id(struct perfetto *p, const char *name, size_t n)
{
	struct stacks *s = &p->stacks;
	bool fresh;
	uint64_t at = place_of(p, &s->function, weft_hash(name, n), &s->function_seen.at, s->function_seen.n, &fresh);
	if (at == s->function_seen.n && weft_vec_push(&s->function_seen, p->sequence))
		export_fail(p->sink.out, -ENOMEM);
	if (fresh) {
		char text[TEXT_MOST + 1];
		struct proto entry;
		snprintf(text, sizeof text, "%.*s", (int)(n < TEXT_MOST ? n : TEXT_MOST), name);
		intern_put(p, INTERNED_FUNCTIONS, at + 1, text);
		proto_begin(&entry);
		proto_u64(&entry, FRAME_FUNCTION, at + 1);
		proto_u64(&entry, INTERNED_ID, at + 1);
		put_interned(p, INTERNED_FRAMES, &entry);
	}
	return at + 1;
}

static uint64_t stack_id(struct perfetto *p)
{
	struct stacks *s = &p->stacks;
	bool fresh;
	uint64_t hash = weft_hash((const char *)s->frames.at, s->frames.n * sizeof *s->frames.at);
	uint64_t at = place_of(p, &s->stack, hash, &s->stack_seen.at, s->stack_seen.n, &fresh);
	if (at == s->stack_seen.n && weft_vec_push(&s->stack_seen, p->sequence))
		export_fail(p->sink.out, -ENOMEM);
	if (fresh) {
		struct proto entry;
		proto_begin(&entry);
		for (size_t i = s->frames.n; i-- > 0;)
			proto_u64(&entry, STACK_FRAMES, s->frames.at[i]);
		proto_u64(&entry, INTERNED_ID, at + 1);
		put_interned(p, INTERNED_STACKS, &entry);
	}
	return at + 1;
}

/* The text has the innermost first; a stack the outermost. */
static bool take_frames(struct perfetto *p, char *text)
{
	struct stacks *s = &p->stacks;
	s->frames.n = 0;
	for (char *end = text + strlen(text), *at; end > text; end = at) {
		for (at = end - 1; at > text && strncmp(at, " < ", 3) != 0; at--)
			;
		char *name = at > text ? at + 3 : text;
		if (weft_vec_push(&s->frames, frame_id(p, name, (size_t)(end - name))))
			export_fail(p->sink.out, -ENOMEM);
	}
	return s->frames.n > 0;
}

static bool put_sample(struct perfetto *p, const struct weft_event *e)
{
	const struct export_sink *s = &p->sink;
	struct proto sample, packet;
	char text[STACK_TEXT];
	if (!s->how->stack || !s->how->stack(s->how->stack_arg, s->t, e, text, sizeof text) || !take_frames(p, text))
		return false;
	uint64_t stack = stack_id(p);
	for (uint32_t k = 0; k <= e->id >> SAMPLE_MORE_SHIFT; k++) {
		proto_begin(&sample);
		proto_u64(&sample, SAMPLE_MODE, MODE_USER);
		proto_u64(&sample, SAMPLE_STACK, stack);
		proto_u64(&sample, SAMPLE_TID, export_tid(e->thread));
		proto_u64(&sample, SAMPLE_PID, export_pid(s->t, s->t->thread[e->thread].process));
		proto_u64(&sample, SAMPLE_CPU, p->cpu);
		proto_begin(&packet);
		proto_nested(&packet, PACKET_SAMPLE, &sample);
		proto_u64(&packet, PACKET_FLAGS, FLAG_NEEDED);
		proto_u64(&packet, PACKET_TIMESTAMP, e->time);
		put_packet(p, &packet);
	}
	return true;
}

/* ---- all other events ---- */

/* The arrow that an event is an end of: even for messages, odd for flows; 0: none. */
static uint64_t arrow_id(const struct weft_trace *t, const struct weft_event *e, bool *ends)
{
	uint64_t i = e->value;
	*ends = e->kind == WEFT_EV_RECV || e->kind == WEFT_EV_FLOW_IN;
	if (e->kind == WEFT_EV_SEND || e->kind == WEFT_EV_RECV)
		return t->message.send_thread[i] != WEFT_NONE && t->message.recv_thread[i] != WEFT_NONE ? 2 * i + 2 : 0;
	if (e->kind == WEFT_EV_FLOW_OUT || e->kind == WEFT_EV_FLOW_IN)
		return t->flow.from_thread[i] != WEFT_NONE && t->flow.to_thread[i] != WEFT_NONE ? 2 * i + 1 : 0;
	return 0;
}

static void perfetto_event(struct export_sink *s, struct export_lane *l, const struct weft_event *e)
{
	struct perfetto *p = (struct perfetto *)s;
	struct export_detail d;
	struct proto event;
	bool ends;
	(void)l;
	if (e->kind == WEFT_EV_COUNTER || e->kind == WEFT_EV_COUNTER_F || e->kind == WEFT_EV_CPU) {
		put_counter(p, e);
		return;
	}
	if (e->kind == WEFT_EV_SAMPLE && put_sample(p, e))
		return;
	export_describe(s, e, &d);
	uint64_t name = intern_event(p, e);
	uint64_t arrow = arrow_id(s->t, e, &ends);
	event_begin(&event, TYPE_INSTANT, p->track);
	proto_u64(&event, EVENT_NAME, name);
	if (arrow)
		proto_fixed(&event, ends ? EVENT_FLOW_ENDS : EVENT_FLOW, arrow);
	for (unsigned i = d.n; i-- > 0;)
		put_annotation(&event, intern_key(p, d.arg[i].key), &d.arg[i]);
	put_event(p, export_end_time(s->t, e), &event);
}

/* ---- the file ---- */

static int perfetto_new(struct perfetto *p)
{
	const struct weft_trace *t = p->sink.t;
	uint64_t next = 1;
	for (unsigned c = 0; c < WEFT_CLASSES; c++) {
		p->base[c] = next;
		next += c == WEFT_CLASS_NONE ? 256 : t->def[c].n + 1u;
	}
	p->base[WEFT_CLASSES] = next;
	p->counter_seen = calloc(t->def[WEFT_CLASS_COUNTER].n + 1u, sizeof *p->counter_seen);
	p->counter_track = calloc(t->def[WEFT_CLASS_COUNTER].n + 1u, sizeof *p->counter_track);
	return p->counter_seen && p->counter_track ? 0 : -ENOMEM;
}

static void perfetto_free(struct perfetto *p)
{
	for (unsigned table = 0; table < INTERNED_TABLES; table++)
		for (unsigned c = 0; c < WEFT_CLASSES; c++)
			free(p->interned[table][c]);
	weft_map_fini(&p->stacks.function);
	weft_map_fini(&p->stacks.stack);
	free(p->stacks.function_seen.at);
	free(p->stacks.stack_seen.at);
	free(p->stacks.frames.at);
	free(p->counter_seen);
	free(p->counter_track);
}

int weft_export_perfetto(const struct weft_trace *t, const char *path, const struct weft_export_how *how, struct weft_err *err)
{
	struct export_out out;
	struct perfetto p = {.sink = {.t = t,
	                              .how = how,
	                              .out = &out,
	                              .keeps_attrs = true,
	                              .begin = perfetto_begin,
	                              .push = perfetto_push,
	                              .pop = perfetto_pop,
	                              .state = perfetto_state,
	                              .event = perfetto_event}};
	int rc = export_open(&out, path, err);
	if (rc)
		return rc;
	rc = perfetto_new(&p);
	if (rc == 0) {
		put_processes(&p);
		rc = export_threads(&p.sink);
	}
	perfetto_free(&p);
	return export_close(&out, rc, err);
}
