/* SPDX-License-Identifier: Apache-2.0 */
/* data.rec: a record a handle; papi.rec: one for each event counted over a task; comms.rec: a record a message between programs; number_events.data: how many of each kind. */
#include "products_priv.h"
#include "trace/store/cursor.h"

static void put_datum(struct export_out *o, const struct prod_trace *t, const struct prod_program *p,
                      const struct weft_tasks_data *d)
{
	const struct weft_tasks *k = &t->tasks;
	PUT(o, "Handle: ");
	put_hex_digits(o, d->handle, 1);
	PUT(o, "\nHomeNode: ");
	export_i64(o, d->home);
	if (p->rank >= 0) {
		PUT(o, "\nMPIRank: ");
		export_i64(o, p->rank);
	}
	if (d->name) {
		PUT(o, "\nName: ");
		put_str(o, prod_string(t, d->name));
	}
	PUT(o, "\nSize: ");
	export_u64(o, d->bytes);
	if (d->description) {
		PUT(o, "\nDescription: ");
		put_str(o, prod_string(t, d->description));
	}
	PUT(o, "\nParentHandle: ");
	put_hex_digits(o, d->parent, 1);
	if (d->n_coordinates) {
		PUT(o, "\nCoordinates:");
		for (uint32_t i = 0; i < d->n_coordinates; i++) {
			export_char(o, ' ');
			export_i64(o, k->coordinate[d->coordinates + i]);
		}
	}
	PUT(o, "\n\n");
}

/*
 * The datum of a message: what its thread has acquired and not released. Of several the only one of the message's size; 0: not known.
 */
static uint64_t handle_of(const struct prod_trace *t, uint32_t thread, uint64_t time, uint64_t bytes)
{
	const struct weft_tasks *k = &t->tasks;
	uint32_t low = 0, high = k->n_holds, n = 0, n_same = 0;
	uint64_t held = 0, same = 0;
	while (low < high) { /* the first of the thread */
		uint32_t mid = low + (high - low) / 2;
		if (k->hold[mid].thread < thread)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < k->n_holds && k->hold[low].thread == thread && k->hold[low].from <= time; low++) {
		const struct weft_tasks_hold *h = &k->hold[low];
		if (h->until < time)
			continue;
		uint32_t d = weft_tasks_data_at(k, h->process, h->handle, h->from);
		bool fits = d != WEFT_TASKS_NO_ONE && k->data[d].bytes == bytes;
		held = n++ && held != h->handle ? 0 : h->handle;
		same = fits ? (n_same++ && same != h->handle ? 0 : h->handle) : same;
	}
	return same ? same : n_same ? 0 : held;
}

static void put_field_time(struct export_out *o, const char *name, uint64_t time)
{
	export_text(o, name);
	put_ms9(o, time);
}

static void put_message(struct prod_set *s, const struct prod_trace *t, uint64_t i)
{
	const struct weft_messages *m = &t->trace->message;
	struct export_out *o = prod_out(s, PROD_COMMS);
	if (m->send_thread[i] == WEFT_NONE || m->recv_thread[i] == WEFT_NONE)
		return;
	const struct prod_program *from = prod_program_of(s, t, t->trace->thread[m->send_thread[i]].process);
	const struct prod_program *to = prod_program_of(s, t, t->trace->thread[m->recv_thread[i]].process);
	if (!from || !to)
		return;
	PUT(o, "Src: ");
	export_i64(o, from->rank);
	PUT(o, "\nDst: ");
	export_i64(o, to->rank);
	PUT(o, "\nTag: ");
	export_i64(o, m->tag[i]);
	put_field_time(o, "\nSendTime: ", prod_time(t, m->send_began[i]));
	put_field_time(o, "\nRecvTime: ", prod_time(t, m->recv_done[i]));
	PUT(o, "\nSendHandle: ");
	put_hex_digits(o, handle_of(t, m->send_thread[i], m->send_began[i], m->size[i]), 1);
	PUT(o, "\nRecvHandle: ");
	put_hex_digits(o, handle_of(t, m->recv_thread[i], m->recv_done[i], m->size[i]), 1);
	PUT(o, "\nSize: ");
	export_u64(o, m->size[i]);
	PUT(o, "\nPriority: 0\nType: PointToPoint\nSendNumaNodes: -1\nRecvNumaNodes: -1\n\n");
}

static void put_count(struct prod_set *s, const struct prod_trace *t, const struct weft_tasks_count *c)
{
	struct export_out *o = prod_out(s, PROD_PAPI);
	const struct weft_tasks_task *task = &t->tasks.task[c->task];
	PUT(o, "JobId: ");
	put_job(o, prod_program_of(s, t, task->process), task->number);
	PUT(o, "\nEvent: ");
	export_text(o, t->trace->def[WEFT_CLASS_ATTR].at[c->attr].name);
	PUT(o, "\nValue: ");
	export_i64(o, c->value);
	PUT(o, "\n\n");
}

void prod_data_write(struct prod_set *s)
{
	for (uint32_t i = 0; i < s->n_traces; i++) {
		const struct prod_trace *t = &s->trace[i];
		for (uint32_t k = 0; k < t->tasks.n_data; k++) {
			const struct prod_program *p = prod_program_of(s, t, t->tasks.data[k].process);
			if (p)
				put_datum(prod_out(s, PROD_DATA), t, p, &t->tasks.data[k]);
		}
		for (uint32_t k = 0; k < t->tasks.n_counts; k++)
			put_count(s, t, &t->tasks.count[k]);
		for (uint64_t k = 0; k < t->trace->message.n; k++)
			put_message(s, t, k);
	}
}

/*
 * Keys are ours: the number of the trace, the kind of record in the byte below, the number of its definition. The comments name them, so
 * that the names are known wherever the file goes.
 */
static void put_numbers(struct export_out *o, const struct weft_trace *t, uint64_t trace, bool names)
{
	static const struct {
		enum weft_class of;
		unsigned kind;
	} counted[] = {
		{WEFT_CLASS_REGION, WEFT_EV_ENTER}, {WEFT_CLASS_TYPE, WEFT_EV_POINT},    {WEFT_CLASS_COUNTER, WEFT_EV_COUNTER},
		{WEFT_CLASS_ATTR, WEFT_EV_ATTR},    {WEFT_CLASS_FLOW, WEFT_EV_FLOW_OUT},
	};
	for (size_t c = 0; c < sizeof counted / sizeof *counted; c++) {
		const struct weft_def_table *d = &t->def[counted[c].of];
		for (uint32_t i = 1; i < d->n; i++) {
			if (!d->at[i].n_events)
				continue;
			export_text(o, names ? "# " : "");
			export_hex(o, trace << 32 | weft_what(counted[c].kind, i));
			export_char(o, '\t');
			if (names)
				export_text(o, d->at[i].name);
			else
				export_u64(o, d->at[i].n_events);
			export_char(o, '\n');
		}
	}
}

void prod_numbers_write(struct prod_set *s)
{
	struct export_out *o = prod_out(s, PROD_NUMBERS);
	PUT(o, "# Use starpu_fxt_number_events_to_names.py to convert event keys to event names.\n");
	for (unsigned pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < s->n_traces; i++)
			put_numbers(o, s->trace[i].trace, i, pass == 0);
}
