/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Perfetto's protobuf format. A file is a row of packets; a thread is a packet sequence of its own, with its own interned names, and
 * a track; its counters and the states of a foreign trace are tracks below it. Messages and flows are instants with a flow id.
 *
 *   packet = 0x0a, length, { 8: time, 10: sequence, 13: flags, 11: track event { 9: type, 11: track, 10: name… } }
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
	INTERNED_ID = 1,
	INTERNED_NAME = 2,
};
enum { TYPE_BEGIN = 1, TYPE_END, TYPE_INSTANT, TYPE_COUNTER };
enum { FLAG_CLEARED = 1, FLAG_NEEDED = 2 };
#define TEXT_MOST 3000u /* of an annotation or name: what is longer is cut, so that a packet has a bound */

#define KEYS 32u

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
	uint64_t cpu_track;
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

static void intern_put(struct perfetto *p, unsigned table, uint64_t iid, const char *name)
{
	struct proto packet, data, entry;
	proto_begin(&entry);
	proto_u64(&entry, INTERNED_ID, iid);
	proto_text(&entry, INTERNED_NAME, name, TEXT_MOST);
	proto_begin(&data);
	proto_nested(&data, table, &entry);
	proto_begin(&packet);
	proto_u64(&packet, PACKET_FLAGS, FLAG_NEEDED);
	proto_nested(&packet, PACKET_INTERNED, &data);
	put_packet(p, &packet);
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
	p->state_track = p->cpu_track = 0;
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
	event_begin(&event, TYPE_COUNTER, counter_track(p, e));
	if (d.arg[0].kind == EXPORT_DOUBLE)
		proto_double(&event, EVENT_COUNTER_F, d.arg[0].d);
	else
		proto_u64(&event, EVENT_COUNTER, d.arg[0].u);
	put_event(p, e->time, &event);
}

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
