/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What happens to data, as a lane of its own: handles come and go, memory is allocated, copies are under way. Rows of the loader, turned
 * into one list by time. A copy's bandwidth is spread over it, and added to that of others at the same time.
 */
#include "prod_walk.h"
#include <errno.h>
#include <stdlib.h>

static int by_time(const void *a, const void *b)
{
	const struct prod_happening *x = a, *y = b;
	return x->time != y->time   ? (x->time > y->time) - (x->time < y->time)
	       : x->what != y->what ? (x->what > y->what) - (x->what < y->what)
	                            : (x->row > y->row) - (x->row < y->row);
}

static void add(struct prod_lane *l, uint64_t time, enum prod_what what, uint32_t row)
{
	if (time != WEFT_NEVER)
		l->happening[l->n_happenings++] = (struct prod_happening){time, row, what};
}

static void add_copies(struct prod_lane *l)
{
	const struct weft_tasks *k = &l->t->tasks;
	for (uint32_t i = 0; i < k->n_copies; i++) {
		const struct weft_tasks_copy *c = &k->copy[i];
		if (c->end == WEFT_NEVER)
			continue;
		if (c->start > c->submit)
			add(l, c->submit, PROD_COPY_SUBMIT, i);
		add(l, c->start, PROD_COPY_START, i);
		add(l, c->end, PROD_COPY_END, i);
	}
}

static void add_messages(struct prod_lane *l)
{
	const struct weft_messages *m = &l->t->trace->message;
	for (uint64_t i = 0; i < m->n && i < UINT32_MAX; i++)
		if (m->send_thread[i] != WEFT_NONE && m->recv_thread[i] != WEFT_NONE) {
			add(l, m->send_began[i], PROD_SENT, (uint32_t)i);
			add(l, m->recv_done[i], PROD_RECEIVED, (uint32_t)i);
		}
}

int prod_data_lane(struct prod_walk *w, struct prod_lane *l)
{
	const struct weft_tasks *k = &l->t->tasks;
	(void)w;
	size_t most = 2 * (size_t)k->n_data + 3 * (size_t)k->n_copies + 2 * (size_t)k->n_memory + k->n_events +
	              2 * l->t->trace->message.n + 1;
	l->happening = malloc(most * sizeof *l->happening);
	if (!l->happening)
		return -ENOMEM;
	for (uint32_t i = 0; i < k->n_data; i++) {
		if (k->data[i].from)
			add(l, k->data[i].from, PROD_REGISTERED, i);
		add(l, k->data[i].until, PROD_UNREGISTERED, i);
	}
	for (uint32_t i = 0; i < k->n_memory; i++) {
		add(l, k->memory[i].begin, PROD_MEMORY_BEGIN, i);
		add(l, k->memory[i].end, PROD_MEMORY_END, i);
	}
	for (uint32_t i = 0; i < k->n_events; i++)
		add(l, k->event[i].time, PROD_FATE, i);
	add_copies(l);
	add_messages(l);
	qsort(l->happening, l->n_happenings, sizeof *l->happening, by_time);
	l->time = l->n_happenings ? prod_time(l->t, l->happening[0].time) : UINT64_MAX;
	return 0;
}

/* ---- lines ---- */

static void put_handle(struct prod_walk *w, const struct prod_lane *l, uint64_t time, const char *type,
                       const struct weft_tasks_data *d)
{
	struct export_out *o = prod_out(w->set, PROD_PAJE);
	const struct prod_program *p = prod_program_of(w->set, l->t, d->process);
	if (!p || w->set->how->no_events)
		return;
	paje_begin(o, "9", time);
	export_text(o, type);
	export_char(o, '\t');
	export_text(o, p->prefix);
	PUT(o, "p\t");
	put_hex_digits(o, d->handle, 1);
	export_char(o, '\n');
}

static void put_manager(struct export_out *o, const struct prod_program *p, uint32_t node)
{
	export_text(o, p->prefix);
	PUT(o, "mm");
	export_u64(o, node);
}

static void put_memory_state(struct prod_walk *w, const struct prod_program *p, uint32_t node, uint64_t time, const char *alias)
{
	struct export_out *o = prod_out(w->set, PROD_PAJE);
	paje_begin(o, "10", time);
	put_manager(o, p, node);
	PUT(o, "\tMS\t");
	export_text(o, alias);
	export_char(o, '\n');
}

struct memory_event {
	const char *type;
	uint32_t node;
	uint64_t handle, info, size;
};

static void put_memory_event(struct prod_walk *w, const struct prod_program *p, uint64_t time, const struct memory_event *e)
{
	struct export_out *o = prod_out(w->set, PROD_PAJE);
	if (w->set->how->no_events)
		return;
	paje_begin(o, "22", time);
	export_text(o, e->type);
	export_char(o, '\t');
	put_manager(o, p, e->node);
	PUT(o, "\t0\t");
	put_hex_digits(o, e->handle, 1);
	export_char(o, '\t');
	export_u64(o, e->info);
	export_char(o, '\t');
	export_u64(o, e->size);
	export_char(o, '\t');
	put_manager(o, p, e->node);
	export_char(o, '\n');
}

/* ---- allocations ---- */

static void memory_happened(struct prod_walk *w, struct prod_lane *l, uint64_t time, uint32_t row, bool begins)
{
	static const char *const type[2][2] = {{"Al", "AlE"}, {"Fe", "FeE"}};
	const struct weft_tasks_memory *m = &l->t->tasks.memory[row];
	const struct prod_program *p = prod_program_of(w->set, l->t, m->process);
	if (!p || m->node >= p->n_nodes)
		return;
	const char *name = m->cached && !m->frees ? (begins ? "Alr" : "AlrE") : type[m->frees][!begins];
	put_memory_event(w, p, time,
	                 &(struct memory_event){.type = name,
	                                        .node = m->node,
	                                        .handle = m->handle,
	                                        .info = begins ? 0 : m->bytes,
	                                        .size = begins ? m->bytes : 0});
	put_memory_state(w, p, m->node, time, !begins ? "No" : m->frees ? "F" : m->cached ? "Ar" : "A");
}

/* ---- copies ---- */

static const char *arrow_of(const struct prod_lane *l, const struct weft_tasks_copy *c)
{
	static const char *const causes[][2] = {{"prefetch", "PF"},      {"idle fetch", "IF"}, {"task prefetch", "TF"},
	                                        {"idle prefetch", "IF"}, {"write back", "IF"}, {"write through", "PF"}};
	const char *cause = weft_tasks_text(&l->t->tasks, c->cause);
	for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
		if (!strcmp(cause, causes[i][0]))
			return causes[i][1];
	return "F";
}

/* The handle, its name, where it stands among others. */
static void put_what_is_copied(struct export_out *o, const struct prod_lane *l, const struct weft_tasks_copy *c)
{
	const struct weft_tasks *k = &l->t->tasks;
	uint32_t at = weft_tasks_data_at(k, c->process, c->handle, c->submit);
	const struct weft_tasks_data *d = at == WEFT_TASKS_NO_ONE ? NULL : &k->data[at];
	export_char(o, '\t');
	put_hex_digits(o, c->handle, 1);
	PUT(o, "\t\"");
	if (d && d->name)
		put_str(o, prod_string(l->t, d->name));
	else
		export_char(o, ' ');
	PUT(o, "\"");
	for (uint32_t i = 0; i < 2; i++) {
		export_char(o, '\t');
		export_i64(o, d && i < d->n_coordinates ? k->coordinate[d->coordinates + i] : 0);
	}
}

static void put_copy_arrow(struct prod_walk *w, const struct prod_lane *l, const struct prod_program *p, uint64_t time,
                           uint32_t row, bool begins)
{
	struct export_out *o = prod_out(w->set, PROD_PAJE);
	const struct weft_tasks_copy *c = &l->t->tasks.copy[row];
	paje_begin(o, begins ? "24" : "19", time);
	export_text(o, arrow_of(l, c));
	export_char(o, '\t');
	export_text(o, p->prefix);
	PUT(o, "p\t");
	export_u64(o, c->bytes);
	export_char(o, '\t');
	put_manager(o, p, begins ? c->from : c->to);
	PUT(o, "\tcom_");
	export_u64(o, (uint64_t)(l->t - w->set->trace));
	export_char(o, '_');
	export_u64(o, row);
	if (begins)
		put_what_is_copied(o, l, c);
	export_char(o, '\n');
}

static void change_bandwidth(struct prod_walk *w, const struct prod_program *p, uint64_t time, const struct weft_tasks_copy *c,
                             double sign)
{
	struct prod_node *node = w->node[p - w->set->program];
	double by = c->end > c->start ? sign * (double)c->bytes * 1e9 / 1048576 / (double)(c->end - c->start) : 0;
	struct prod_node *to = &node[c->to], *from = &node[c->from];
	to->in = to->in + by > 1e-6 ? to->in + by : 0;
	from->out = from->out + by > 1e-6 ? from->out + by : 0;
	paje_set(w, time, p->prefix, "mm", (int)c->to, "bwi_mm", to->in);
	paje_set(w, time, p->prefix, "mm", (int)c->from, "bwo_mm", from->out);
}

static void copy_happened(struct prod_walk *w, struct prod_lane *l, uint64_t time, const struct prod_happening *h)
{
	const struct weft_tasks_copy *c = &l->t->tasks.copy[h->row];
	const struct prod_program *p = prod_program_of(w->set, l->t, c->process);
	if (!p || c->from >= p->n_nodes || c->to >= p->n_nodes)
		return;
	struct prod_node *to = &w->node[p - w->set->program][c->to];
	if (h->what == PROD_COPY_SUBMIT) {
		put_memory_state(w, p, c->to, time, "CoA");
		return;
	}
	bool begins = h->what == PROD_COPY_START;
	to->copies += begins ? 1 : -1u;
	put_memory_event(w, p, time,
	                 &(struct memory_event){.type = begins ? "DCo" : "DCoE",
	                                        .node = c->to,
	                                        .handle = c->handle,
	                                        .info = c->from,
	                                        .size = begins ? c->bytes : 0});
	put_memory_state(w, p, c->to, time, to->copies ? "Co" : "No");
	if (w->set->how->no_bus)
		return;
	put_copy_arrow(w, l, p, time, h->row, begins);
	change_bandwidth(w, p, time, c, begins ? 1 : -1);
}

/* ---- states of handles, messages ---- */

static void fate_happened(struct prod_walk *w, struct prod_lane *l, uint64_t time, uint32_t row)
{
	static const char *const type[] = {
		[WEFT_TASKS_WONT_USE] = "WU", [WEFT_TASKS_INVALID] = "SI", [WEFT_TASKS_SHARED] = "SS", [WEFT_TASKS_OWNER] = "SO"};
	const struct weft_tasks_event *e = &l->t->tasks.event[row];
	const struct prod_program *p = prod_program_of(w->set, l->t, e->process);
	struct export_out *o = prod_out(w->set, PROD_PAJE);
	if (!p || !w->set->how->memory_states)
		return;
	for (uint32_t i = 0; i < p->n_nodes; i++) {
		if (e->fate != WEFT_TASKS_WONT_USE && e->node != i)
			continue;
		paje_begin(o, "9", time);
		export_text(o, type[e->fate]);
		export_char(o, '\t');
		put_manager(o, p, i);
		export_char(o, '\t');
		put_hex_digits(o, e->handle, 1);
		export_char(o, '\n');
	}
}

static void message_happened(struct prod_walk *w, struct prod_lane *l, uint64_t time, uint32_t row, bool begins)
{
	const struct weft_trace *t = l->t->trace;
	const struct weft_messages *m = &t->message;
	struct export_out *o = prod_out(w->set, PROD_PAJE);
	const struct prod_program *from = prod_program_of(w->set, l->t, t->thread[m->send_thread[row]].process);
	const struct prod_program *to = prod_program_of(w->set, l->t, t->thread[m->recv_thread[row]].process);
	if (!from || !to || w->set->how->no_bus)
		return;
	paje_begin(o, begins ? "23" : "19", time);
	PUT(o, "MPIL\tMPIroot\t");
	export_u64(o, m->size[row]);
	export_char(o, '\t');
	export_text(o, begins ? from->prefix : to->prefix);
	PUT(o, "mpict\tmpicom_");
	export_u64(o, row);
	if (begins) {
		export_char(o, '\t');
		export_i64(o, m->tag[row]);
		PUT(o, "\tPointToPoint\t0\t0\t\" \"\t0\t0");
	}
	export_char(o, '\n');
}

void prod_happened(struct prod_walk *w, struct prod_lane *l, const struct prod_happening *h)
{
	uint64_t time = prod_time(l->t, h->time);
	switch ((enum prod_what)h->what) {
	case PROD_REGISTERED:
	case PROD_UNREGISTERED:
		put_handle(w, l, time, h->what == PROD_REGISTERED ? "register" : "unregister", &l->t->tasks.data[h->row]);
		break;
	case PROD_MEMORY_BEGIN:
	case PROD_MEMORY_END:
		memory_happened(w, l, time, h->row, h->what == PROD_MEMORY_BEGIN);
		break;
	case PROD_FATE:
		fate_happened(w, l, time, h->row);
		break;
	case PROD_SENT:
	case PROD_RECEIVED:
		message_happened(w, l, time, h->row, h->what == PROD_SENT);
		break;
	default:
		copy_happened(w, l, time, h);
		break;
	}
}
