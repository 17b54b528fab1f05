/* SPDX-License-Identifier: Apache-2.0 */
/* Lines one after the other, as they stand; a state and a communication stand in a file at their begin. */
#include "tool_insert.h"
#include "tool_priv.h"
#include "trace/paraver/prv_names.h"
#include <errno.h>
#include <stdlib.h>

struct place { /* what a thread is called in records */
	uint32_t app, task, thread, cpu;
};
struct inserting {
	struct tool_input in;
	struct tool_output out;
	const struct weft_tool_insert *how;
	struct place *place; /* by row; owned */
	size_t next;         /* event */
};

static int no_memory(const char *path, struct weft_err *err)
{
	return weft_err_set(err, -ENOMEM, "cannot read '%s': no memory", path);
}

static int find_places(struct inserting *s, struct weft_err *err)
{
	const struct prv_header *h = &s->in.head;
	s->place = calloc(h->n_threads + (size_t)1, sizeof *s->place);
	if (!s->place)
		return no_memory(s->in.path, err);
	for (uint64_t app = 1; app <= h->n_apps; app++)
		for (uint64_t task = 1; task <= h->app[app - 1].n_tasks; task++) {
			uint32_t row;
			for (uint64_t thread = 1; tool_head_thread(h, app, task, thread, &row); thread++)
				s->place[row] = (struct place){(uint32_t)app, (uint32_t)task, (uint32_t)thread, 0};
		}
	return 0;
}

static void write_event(struct inserting *s, const struct weft_tool_new_event *e)
{
	const struct place *p = &s->place[e->thread];
	int64_t v[] = {e->cpu ? e->cpu : p->cpu,     p->app,  p->task, p->thread, (int64_t)e->time,
	               s->how->type[e->type].number, e->value};
	tool_text_add(&s->out.text, "2:", 2);
	tool_text_fields(&s->out.text, v, 7, '\n');
	tool_output_step(&s->out);
}

static void write_upto(struct inserting *s, uint64_t time)
{
	for (; s->next < s->how->n_events && s->how->event[s->next].time <= time; s->next++)
		if (s->how->event[s->next].thread < s->in.head.n_threads)
			write_event(s, &s->how->event[s->next]);
}

/* Where and when a record is; false: it is none, or names no thread of the header. */
static bool record_at(const struct prv_header *h, struct weft_str line, int64_t v[TOOL_STATE_FIELDS], unsigned n, uint32_t *row)
{
	const char *at = line.at + 2;
	if (line.n < 3 || line.at[0] < '1' || line.at[0] > '3' || line.at[1] != ':')
		return false;
	return tool_numbers(&at, line.at + line.n, v, n) == n &&
	       tool_head_thread(h, (uint64_t)v[TOOL_APP], (uint64_t)v[TOOL_TASK], (uint64_t)v[TOOL_THREAD], row);
}

static int copy_lines(struct inserting *s, struct weft_err *err)
{
	struct weft_str line;
	int rc;
	while ((rc = tool_input_line(&s->in, &line, err)) > 0) {
		int64_t v[TOOL_STATE_FIELDS];
		uint32_t row;
		if (record_at(&s->in.head, line, v, TOOL_TIME + 1, &row)) {
			write_upto(s, (uint64_t)v[TOOL_TIME]);
			s->place[row].cpu = (uint32_t)v[TOOL_CPU];
		}
		if (s->how->alone)
			continue;
		tool_text_add(&s->out.text, line.at, line.n);
		tool_text_char(&s->out.text, '\n');
		tool_output_step(&s->out);
	}
	write_upto(s, UINT64_MAX);
	return rc ? rc : tool_input_damage(&s->in, err);
}

static int write_labels(const char *in, const char *out, const struct weft_tool_insert *how, struct weft_err *err)
{
	char *from = prv_beside(in, ".pcf"), *to = prv_beside(out, ".pcf"), *text = NULL;
	struct weft_buf b = {0};
	struct weft_err absent = {0};
	size_t n = 0;
	int rc = from && to ? 0 : no_memory(in, err);
	if (!rc && weft_read_file(from, &text, &n, &absent) && absent.code != -ENOENT) {
		*err = absent;
		rc = absent.code;
	}
	if (!rc && text)
		weft_buf_add(&b, text, n);
	for (size_t i = 0; i < how->n_types && !rc; i++) {
		const struct weft_tool_new_type *t = &how->type[i];
		weft_buf_printf(&b, "%sEVENT_TYPE\n%u\t%u\t%s\n%s", b.n ? "\n\n" : "", t->gradient, t->number, t->text,
		                t->n_labels ? "VALUES\n" : "");
		for (size_t k = 0; k < t->n_labels; k++)
			weft_buf_printf(&b, "%lld\t%s\n", (long long)t->label[k].value, t->label[k].text);
	}
	rc = rc ? rc : tool_output_whole(to, &b, err);
	weft_buf_fini(&b);
	free(text);
	free(from);
	free(to);
	return rc;
}

int weft_tool_insert(const char *in, const char *out, const struct weft_tool_insert *how, struct weft_err *err)
{
	struct inserting s = {.how = how};
	int rc = tool_input_open(&s.in, in, err);
	if (rc)
		return rc;
	rc = find_places(&s, err);
	rc = rc ? rc : tool_output_open(&s.out, out, err);
	if (!rc) {
		tool_text_add(&s.out.text, s.in.line.at, s.in.line.n);
		tool_text_char(&s.out.text, '\n');
		tool_text_add(&s.out.text, s.in.comms.at, s.in.comms.n);
		rc = copy_lines(&s, err);
		rc = tool_output_close(&s.out, rc, err);
	}
	rc = rc ? rc : tool_copy_beside(in, out, false, err);
	rc = rc ? rc : write_labels(in, out, how, err);
	free(s.place);
	tool_input_close(&s.in);
	return rc;
}

int weft_tool_states(const char *in, int64_t state, int (*on_state)(void *arg, const struct weft_tool_state *s), void *arg,
                     struct weft_err *err)
{
	struct tool_input input;
	struct weft_str line;
	int rc = tool_input_open(&input, in, err);
	if (rc)
		return rc;
	while ((rc = tool_input_line(&input, &line, err)) > 0) {
		int64_t v[TOOL_STATE_FIELDS];
		uint32_t row;
		if (!line.n || line.at[0] != '1' || !record_at(&input.head, line, v, TOOL_STATE_FIELDS, &row) ||
		    v[TOOL_STATE] != state)
			continue;
		struct weft_tool_state s = {(uint64_t)v[TOOL_TIME], (uint64_t)v[TOOL_END], row, (uint32_t)v[TOOL_CPU],
		                            input.lines};
		if ((rc = on_state(arg, &s)))
			break;
	}
	rc = rc ? rc : tool_input_damage(&input, err);
	tool_input_close(&input);
	return rc;
}
