/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing a trace as .prv, .pcf and .row. One look at all events comes first: where each thread's states come from, on which
 * cpu messages were received, whether times fit the unit. Then the threads' lines are merged by time, from a heap of lanes;
 * a lane is made when its thread begins and freed when it ends, so that ten thousand short threads cost what lives at once.
 * Of what has no place in Paraver's format, flows, samples and call stacks are left out.
 */
#include "base/pool.h"
#include "origin.h"
#include "trace/paraver/prv_header.h"
#include "prv_out.h"
#include "trace/paraver/prv_counters.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* -- the look ahead -- */

static int scan_thread(void *arg, size_t i, unsigned worker)
{
	struct prv_out *o = arg;
	uint32_t thread = (uint32_t)i, cpu = 0;
	bool states = false, regions = false, odd = false;
	struct weft_cursor c;
	struct weft_block b;
	(void)worker;
	int rc = weft_cursor_begin(&c, o->t, thread, 0, WEFT_NEVER);
	while (!rc && (rc = weft_cursor_next(&c, &b)) > 0) {
		rc = 0;
		for (uint32_t k = 0; k < b.n; k++) {
			unsigned kind = weft_what_kind(b.what[k]);
			odd |= b.time[k] % o->unit_ns != 0;
			states |= kind == WEFT_EV_STATE;
			regions |= kind == WEFT_EV_ENTER;
			if (kind == WEFT_EV_CPU)
				cpu = prv_out_cpu(o, thread, b.value[k]);
			else if (kind == WEFT_EV_RECV && o->recv_cpu && b.value[k] < o->t->message.n)
				o->recv_cpu[b.value[k]] = cpu;
		}
	}
	weft_cursor_end(&c);
	o->states_from[thread] = states ? PRV_FROM_STATES : regions || !o->from_prv ? PRV_FROM_REGIONS : PRV_FROM_NOTHING;
	if (odd)
		weft_store_bool(&o->odd, true);
	return rc;
}

/* Times that are no multiples of the unit that the trace once had (it was cut, or merged with another) are written in ns. */
static bool unit_fits(const struct prv_out *o)
{
	const struct weft_messages *m = &o->t->message;
	const uint64_t *column[] = {m->send_began, m->send_done, m->recv_began, m->recv_done};
	if (o->t->end % o->unit_ns)
		return false;
	for (uint64_t i = 0; i < m->n; i++)
		for (unsigned k = 0; k < 4; k++)
			if (column[k][i] != WEFT_NEVER && column[k][i] % o->unit_ns)
				return false;
	return true;
}

static int look_ahead(struct prv_out *o)
{
	int rc = weft_parallel(0, o->t->n_threads, scan_thread, o);
	if (o->unit_ns > 1 && (weft_load_bool(&o->odd) || !unit_fits(o)))
		o->unit_ns = 1;
	for (uint32_t i = 0; i < o->t->n_threads; i++)
		o->derived |= o->states_from[i] == PRV_FROM_REGIONS;
	return rc;
}

/* -- making ready -- */

static int count_cpus(struct prv_out *o)
{
	const struct weft_trace *t = o->t;
	o->node_first_cpu = calloc((size_t)t->n_nodes + 1, sizeof *o->node_first_cpu);
	if (!o->node_first_cpu)
		return -ENOMEM;
	uint32_t next = 1;
	for (uint32_t i = 0; i < t->n_nodes; i++) {
		o->node_first_cpu[i] = next;
		next += t->node[i].n_cpus || o->from_prv ? t->node[i].n_cpus : 1;
	}
	o->node_first_cpu[t->n_nodes] = next;
	return 0;
}

static int by_thread_and_time(const void *a, const void *b)
{
	const struct prv_out_send *x = a, *y = b;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* Of ours a message has left when its send begins, or it could come before that; a .prv's own times are kept, and their places. */
static int list_sends(struct prv_out *o)
{
	const struct weft_messages *m = &o->t->message;
	if (o->from_prv || !m->n)
		return 0;
	o->send = calloc(m->n, sizeof *o->send);
	for (uint64_t i = 0; o->send && i < m->n; i++)
		if (m->send_thread[i] != WEFT_NONE && m->recv_thread[i] != WEFT_NONE)
			o->send[o->n_sends++] = (struct prv_out_send){m->send_began[i] == WEFT_NEVER ? m->send_done[i]
			                                                                             : m->send_began[i],
			                                              i, m->send_thread[i]};
	if (o->send)
		qsort(o->send, o->n_sends, sizeof *o->send, by_thread_and_time);
	return o->send ? 0 : -ENOMEM;
}

static int out_begin(struct prv_out *o)
{
	const struct weft_trace *t = o->t;
	const char *unit = weft_trace_note(t, PRV_NOTE_UNIT);
	o->unit_ns = 1;
	for (int u = 0; unit && weft_trace_note(t, PRV_NOTE_DATE) && u < PRV_UNITS; u++)
		if (!strcmp(unit, prv_unit_suffix[u])) {
			o->unit_ns = prv_unit_ns[u];
			o->from_prv = true;
		}
	static const enum weft_class classes[] = {WEFT_CLASS_REGION, WEFT_CLASS_TYPE, WEFT_CLASS_COUNTER, WEFT_CLASS_ATTR};
	for (unsigned i = 0; i < sizeof classes / sizeof *classes; i++)
		if (!(o->used[classes[i]] = calloc((size_t)t->def[classes[i]].n + 1, 1)))
			return -ENOMEM;
	const struct weft_def_table *regions = &t->def[WEFT_CLASS_REGION];
	o->states_from = calloc((size_t)t->n_threads + 1, 1);
	o->region_state = calloc((size_t)regions->n + 1, sizeof *o->region_state);
	if (!o->states_from || !o->region_state)
		return -ENOMEM;
	for (uint32_t i = 1; i < regions->n; i++)
		o->region_state[i] = prv_state_of_region(&regions->at[i]);
	const struct weft_def_table *counters = &t->def[WEFT_CLASS_COUNTER], *comms = &t->def[WEFT_CLASS_COMM];
	o->counter_number = calloc((size_t)counters->n + 1, sizeof *o->counter_number);
	o->comm_number = calloc((size_t)comms->n + 1, sizeof *o->comm_number);
	if (!o->counter_number || !o->comm_number)
		return -ENOMEM;
	for (uint32_t i = 0; i < counters->n; i++)
		o->counter_number[i] = prv_counter_number(counters, i);
	for (uint32_t i = 0, n = 0; i < comms->n; i++)
		o->comm_number[i] = comms->at[i].n_members ? ++n : 0;
	if (t->message.n && t->n_cpus && !(o->recv_cpu = calloc(t->message.n, sizeof *o->recv_cpu)))
		return -ENOMEM;
	int rc = list_sends(o);
	rc = rc ? rc : count_cpus(o);
	return rc ? rc : look_ahead(o);
}

static void out_end(struct prv_out *o)
{
	for (unsigned i = 0; i < WEFT_CLASSES; i++)
		free(o->used[i]);
	free(o->node_first_cpu);
	free(o->recv_cpu);
	free(o->send);
	free(o->states_from);
	free(o->region_state);
	free(o->counter_number);
	free(o->comm_number);
	weft_map_fini(&o->text);
}

/* -- header -- */

static void put_date(struct prv_out *o)
{
	const char *date = weft_trace_note(o->t, PRV_NOTE_DATE);
	char z[40];
	if (!date) {
		time_t s = (time_t)(o->t->begin_realtime / 1000000000u);
		struct tm tm = {.tm_mday = 1, .tm_year = 70};
		gmtime_r(&s, &tm);
		snprintf(z, sizeof z, "%02d/%02d/%04d at %02d:%02d", tm.tm_mday, tm.tm_mon + 1, tm.tm_year + 1900, tm.tm_hour,
		         tm.tm_min);
		date = z;
	}
	export_text(&o->body, "#Paraver (");
	export_text(&o->body, date);
	export_text(&o->body, "):");
}

static uint64_t count_communicators(const struct weft_trace *t)
{
	uint64_t n = 0;
	for (uint32_t i = 1; i < t->def[WEFT_CLASS_COMM].n; i++)
		n += t->def[WEFT_CLASS_COMM].at[i].n_members > 0;
	for (uint32_t i = 0; i < t->n_notes; i++)
		n += !strcmp(t->note[i].key, PRV_NOTE_COMMUNICATOR);
	return n;
}

/* The line of Paraver's cutter: where the trace was cut from. */
static void put_origin(struct prv_out *o)
{
	struct weft_origin from;
	time_t now = time(NULL);
	struct tm tm;
	char line[80];
	if (!weft_trace_origin(o->t, &from) || !gmtime_r(&now, &tm))
		return;
	strftime(line, sizeof line, "#%Y%m%d%H%M%S" PRV_CUTTER "\"", &tm);
	export_text(&o->body, line);
	export_bytes(&o->body, from.path.at, from.path.n);
	snprintf(line, sizeof line, "\":%llu:%llu:%llu\n", (unsigned long long)(from.offset / o->unit_ns),
	         (unsigned long long)(from.begin / o->unit_ns), (unsigned long long)(from.end / o->unit_ns));
	export_text(&o->body, line);
}

static void put_number(struct prv_out *o, uint64_t v, char end)
{
	export_u64(&o->body, v);
	export_char(&o->body, end);
}

static void put_nodes(struct prv_out *o)
{
	const struct weft_trace *t = o->t;
	const char *resources = weft_trace_note(t, PRV_NOTE_RESOURCES);
	if (!t->n_nodes || (resources && !strcmp(resources, "no"))) {
		export_text(&o->body, "0:");
		return;
	}
	put_number(o, t->n_nodes, '(');
	for (uint32_t i = 0; i < t->n_nodes; i++)
		put_number(o, o->node_first_cpu[i + 1] - o->node_first_cpu[i], i + 1 < t->n_nodes ? ',' : ')');
	export_char(&o->body, ':');
}

static void put_header(struct prv_out *o)
{
	const struct weft_trace *t = o->t;
	put_date(o);
	export_u64(&o->body, t->end / o->unit_ns);
	for (int u = 0; u < PRV_UNITS; u++)
		if (prv_unit_ns[u] == o->unit_ns)
			export_text(&o->body, prv_unit_suffix[u]);
	export_char(&o->body, ':');
	put_nodes(o);
	put_number(o, t->n_apps, ':');
	for (uint32_t a = 0; a < t->n_apps; a++) {
		const struct weft_app *app = &t->app[a];
		put_number(o, app->n_processes, '(');
		for (uint32_t p = app->first_process; p < app->first_process + app->n_processes; p++) {
			const struct weft_process *process = &t->process[p];
			put_number(o, process->n_threads ? process->n_threads : 1, ':');
			put_number(o, process->node == WEFT_NONE ? 0 : process->node + 1,
			           p + 1 < app->first_process + app->n_processes ? ',' : ')');
		}
		export_char(&o->body, ',');
	}
	put_number(o, count_communicators(t), '\n');
}

/* A communicator of a .prv has application and number in its key; others are numbered after them. */
static void put_communicators(struct prv_out *o)
{
	const struct weft_trace *t = o->t;
	const struct weft_def_table *comms = &t->def[WEFT_CLASS_COMM];
	uint64_t next = 1;
	for (uint32_t i = 1; i < comms->n; i++)
		if (!strncmp(comms->at[i].name, PRV_COMM_NAME, sizeof PRV_COMM_NAME - 1) && (uint32_t)comms->at[i].key >= next)
			next = (uint32_t)comms->at[i].key + 1ull;
	for (uint32_t i = 1; i < comms->n; i++) {
		const struct weft_def_row *c = &comms->at[i];
		bool numbered = !strncmp(c->name, PRV_COMM_NAME, sizeof PRV_COMM_NAME - 1);
		if (!c->n_members)
			continue;
		export_text(&o->body, "c:");
		put_number(o, numbered ? c->key >> 32 : 1, ':');
		put_number(o, numbered ? (uint32_t)c->key : next++, ':');
		export_u64(&o->body, c->n_members);
		for (uint32_t k = 0; k < c->n_members; k++) {
			export_char(&o->body, ':');
			export_u64(&o->body, c->member[k] + 1);
		}
		export_char(&o->body, '\n');
	}
	static const char *const keys[] = {PRV_NOTE_COMMUNICATOR, PRV_NOTE_COMMENT};
	bool ours = weft_trace_note(t, WEFT_NOTE_ORIGIN);
	for (unsigned k = 0; k < 2; k++)
		for (uint32_t i = 0; i < t->n_notes; i++)
			if (!strcmp(t->note[i].key, keys[k]) && !(ours && strstr(t->note[i].text, PRV_CUTTER))) {
				export_text(&o->body, t->note[i].text);
				export_char(&o->body, '\n');
			}
	if (ours)
		put_origin(o);
}

/* -- body -- */

struct merge_edge {
	uint64_t begin;
	uint32_t thread;
};
struct merge_item {
	uint64_t time;
	struct prv_out_lane *lane;
};
struct merge {
	struct prv_out *o;
	struct merge_edge *edge; /* threads with lines, by begin; owned */
	uint32_t n_edges, next;
	struct merge_item *heap; /* owned */
	uint32_t n;
};

static bool goes_before(const struct merge_item *a, const struct merge_item *b)
{
	return a->time != b->time ? a->time < b->time : a->lane->thread < b->lane->thread;
}

static void sift_down(struct merge *m)
{
	struct merge_item top = m->heap[0];
	uint32_t at = 0;
	for (;;) {
		uint32_t child = 2 * at + 1;
		if (child >= m->n)
			break;
		if (child + 1 < m->n && goes_before(&m->heap[child + 1], &m->heap[child]))
			child++;
		if (!goes_before(&m->heap[child], &top))
			break;
		m->heap[at] = m->heap[child];
		at = child;
	}
	m->heap[at] = top;
}

static void sift_up(struct merge *m, uint32_t at)
{
	struct merge_item item = m->heap[at];
	while (at && goes_before(&item, &m->heap[(at - 1) / 2])) {
		m->heap[at] = m->heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	m->heap[at] = item;
}

static void lane_free(struct prv_out_lane *l)
{
	prv_out_lane_end(l);
	free(l);
}

static int merge_add(struct merge *m, uint32_t thread)
{
	struct prv_out_lane *l = calloc(1, sizeof *l);
	if (!l)
		return -ENOMEM;
	int rc = prv_out_lane_begin(l, m->o, thread);
	uint64_t time;
	if (rc || !prv_out_lane_time(l, &time)) {
		lane_free(l);
		return rc;
	}
	m->heap[m->n] = (struct merge_item){time, l};
	sift_up(m, m->n++);
	return 0;
}

static int merge_step(struct merge *m)
{
	struct prv_out_lane *l = m->heap[0].lane;
	int rc = prv_out_lane_step(l);
	if (rc)
		return rc;
	if (!prv_out_lane_time(l, &m->heap[0].time)) {
		lane_free(l);
		m->heap[0] = m->heap[--m->n];
	}
	if (m->n)
		sift_down(m);
	return 0;
}

static int edge_order(const void *a, const void *b)
{
	const struct merge_edge *x = a, *y = b;
	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return x->thread < y->thread ? -1 : x->thread > y->thread;
}

/* When the first line of the thread comes, or earlier: a send may have begun before the thread was seen. */
static uint64_t lane_begins(const struct prv_out *o, uint32_t thread, uint64_t begin)
{
	const struct prv_out_send *s = o->send ? prv_out_first_send(o, thread) : NULL;
	if (o->states_from[thread] != PRV_FROM_REGIONS)
		return 0;
	return s && s < o->send + o->n_sends && s->thread == thread && s->time < begin ? s->time : begin;
}

/* What is not created from the beginning on; also a whole thread that the filter leaves out, and the one of a process without any. */
static void put_not_created(struct merge *m)
{
	struct prv_out *o = m->o;
	const struct weft_trace *t = o->t;
	for (uint32_t i = 0; i < t->n_threads; i++) {
		char object[48];
		uint64_t begin, end;
		bool out = !pick_thread(o->how->filter, i);
		prv_out_life(t, i, &begin, &end);
		if (!out)
			m->edge[m->n_edges++] = (struct merge_edge){lane_begins(o, i, begin), i};
		struct prv_segment s = {0, out ? t->end : begin, PRV_STATE_NOT_CREATED, 0};
		if (o->states_from[i] == PRV_FROM_REGIONS && s.end > 0)
			prv_out_state(o, object, prv_out_object(t, i, object), &s);
	}
	for (uint32_t p = 0; p < t->n_processes && o->derived && t->end; p++) {
		char object[48];
		const struct weft_process *process = &t->process[p];
		if (process->n_threads)
			continue;
		int n = snprintf(object, sizeof object, "%u:%u:1:", process->app + 1, p - t->app[process->app].first_process + 1);
		prv_out_state(o, object, (unsigned)n, &(struct prv_segment){0, t->end, PRV_STATE_NOT_CREATED, 0});
	}
}

static int put_body(struct prv_out *o)
{
	struct merge m = {.o = o};
	m.edge = calloc((size_t)o->t->n_threads + 1, sizeof *m.edge);
	m.heap = calloc((size_t)o->t->n_threads + 1, sizeof *m.heap);
	int rc = m.edge && m.heap ? 0 : -ENOMEM;
	if (!rc) {
		put_not_created(&m);
		qsort(m.edge, m.n_edges, sizeof *m.edge, edge_order);
	}
	while (!rc && (m.n || m.next < m.n_edges)) {
		if (m.next < m.n_edges && (!m.n || m.edge[m.next].begin <= m.heap[0].time))
			rc = merge_add(&m, m.edge[m.next++].thread);
		else
			rc = merge_step(&m);
	}
	while (m.n)
		lane_free(m.heap[--m.n].lane);
	free(m.heap);
	free(m.edge);
	return rc;
}

/* -- the files -- */

/* With packing, the file's stream is one that packs, as long as the body is written. */
static int put_prv(struct prv_out *o, const char *path)
{
	FILE *plain = o->body.file.to, *packed = NULL;
	int rc = prv_pack_open(&packed, plain, path);
	if (rc)
		return rc;
	if (packed) {
		setvbuf(packed, NULL, _IONBF, 0);
		o->body.file.to = packed;
	}
	put_header(o);
	put_communicators(o);
	rc = put_body(o);
	export_flush(&o->body);
	if (packed && fclose(packed))
		export_fail(&o->body, errno ? -errno : -EIO);
	o->body.file.to = plain;
	return rc;
}

struct beside {
	char *path; /* owned */
	struct export_out out;
	bool open;
};

static int beside_open(struct beside *b, const char *path, const char *suffix, struct weft_err *err)
{
	b->path = prv_beside(path, suffix);
	int rc = b->path ? export_open(&b->out, b->path, err) : weft_err_set(err, -ENOMEM, "cannot write '%s': no memory", path);
	b->open = !rc;
	return rc;
}

static int beside_close(struct beside *b, int rc, struct weft_err *err)
{
	if (b->open)
		rc = export_close(&b->out, rc, err);
	free(b->path);
	return rc;
}

/* All three are written before the first appears, the .prv last. */
static int put_files(struct prv_out *o, const char *path, struct weft_err *err)
{
	struct beside pcf = {0}, row = {0};
	int rc = export_open(&o->body, path, err);
	if (rc)
		return rc;
	rc = beside_open(&pcf, path, ".pcf", err);
	if (!rc)
		rc = beside_open(&row, path, ".row", err);
	if (!rc)
		rc = put_prv(o, path);
	if (!rc)
		rc = prv_out_pcf(o, &pcf.out);
	if (!rc)
		prv_out_row(o, &row.out);
	rc = beside_close(&row, rc, err);
	rc = beside_close(&pcf, rc, err);
	return export_close(&o->body, rc, err);
}

int weft_export_prv(const struct weft_trace *t, const char *path, const struct weft_export_how *how, struct weft_err *err)
{
	struct prv_out o = {.t = t, .how = how};
	if (!t->n_threads)
		return weft_err_set(err, -EINVAL, "cannot write '%s': the format needs a thread, and the trace has none", path);
	int rc = out_begin(&o);
	if (rc)
		weft_err_set(err, rc, "cannot write '%s': %s", path, weft_err_name(rc));
	if (how->progress)
		weft_progress_begin(&o.progress, "converting", t->n_events);
	if (!rc)
		rc = put_files(&o, path, err);
	if (how->progress)
		weft_progress_end(&o.progress);
	out_end(&o);
	return rc;
}
