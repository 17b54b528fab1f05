/* SPDX-License-Identifier: Apache-2.0 */
#include "annotate.h"
#include "analyze/burst/key_order.h"
#include "trace/paraver/prv_header.h"
#include "trace/paraver/prv_names.h"
#include "trace/write/export.h"
#include "trace/write/write.h"
#include "base/fs.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int cli_notes_sort(struct cli_notes *n)
{
	size_t count = n->note.n;
	uint64_t *key = malloc((count + 1) * sizeof *key);
	uint32_t *index = malloc((count + 1) * sizeof *index);
	struct cli_note *sorted = malloc((count + 1) * sizeof *sorted);
	int rc = key && index && sorted && count < UINT32_MAX ? 0 : -ENOMEM;
	uint64_t most = 0;
	for (size_t i = 0; i < count && !rc; i++) {
		key[i] = n->note.at[i].time;
		most = key[i] > most ? key[i] : most;
		index[i] = (uint32_t)i;
	}
	rc = rc ? rc : weft_key_order(key, index, count, weft_key_bits(most));
	for (size_t i = 0; i < count && !rc; i++)
		sorted[i] = n->note.at[index[i]];
	if (!rc) {
		free(n->note.at);
		n->note.at = sorted;
		n->note.cap = count + 1;
	} else {
		free(sorted);
	}
	free(key);
	free(index);
	return rc;
}

/* ---- .prv ---- */

static uint64_t unit_of(const struct weft_trace *t)
{
	const char *suffix = weft_trace_note(t, PRV_NOTE_UNIT);
	for (unsigned u = 0; suffix && u < PRV_UNITS; u++)
		if (!strcmp(prv_unit_suffix[u], suffix))
			return prv_unit_ns[u];
	return 1;
}

static int write_prv(const struct weft_trace *t, const char *path, const char *output, const struct cli_notes *n,
                     struct weft_err *err)
{
	struct weft_tool_insert how = {.n_events = n->note.n, .type = n->type, .n_types = n->n_types, .alone = n->alone};
	struct weft_tool_new_event *event = malloc((n->note.n + 1) * sizeof *event);
	uint64_t unit = unit_of(t);
	if (!event)
		return weft_err_set(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < n->note.n; i++) {
		const struct cli_note *x = &n->note.at[i];
		event[i] = (struct weft_tool_new_event){x->time / unit, x->thread, x->cpu, x->type, x->value};
	}
	how.event = event;
	int rc = weft_tool_insert(path, output, &how, err);
	free(event);
	return rc;
}

/* ---- .weft ---- */

struct extra {                  /* all owned */
	struct weft_trace seen; /* the trace, with more types */
	struct weft_def_row *row;
	struct weft_label *label;
	size_t *first, *next;
	uint64_t *time, *value;
	uint32_t *what;
};

static int extend_types(struct extra *x, const struct weft_trace *t, const struct cli_notes *n)
{
	const struct weft_def_table *old = &t->def[WEFT_CLASS_TYPE];
	size_t labels = 0;
	for (size_t i = 0; i < n->n_types; i++)
		labels += n->type[i].n_labels;
	uint32_t had = old->n ? old->n : 1;
	x->row = calloc(had + n->n_types, sizeof *x->row);
	x->label = calloc(labels + 1, sizeof *x->label);
	if (!x->row || !x->label)
		return -ENOMEM;
	if (old->n)
		memcpy(x->row, old->at, old->n * sizeof *x->row);
	else
		x->row[0] = (struct weft_def_row){.name = "", .unit = "", .file = ""};
	struct weft_label *at = x->label;
	for (size_t i = 0; i < n->n_types; i++) {
		const struct weft_tool_new_type *type = &n->type[i];
		x->row[had + i] = (struct weft_def_row){.name = type->text,
		                                        .unit = "",
		                                        .file = "",
		                                        .code = type->number,
		                                        .label = at,
		                                        .n_labels = (uint32_t)type->n_labels};
		for (size_t k = 0; k < type->n_labels; k++)
			*at++ = (struct weft_label){type->label[k].value, type->label[k].text};
	}
	x->seen = *t;
	x->seen.def[WEFT_CLASS_TYPE] = (struct weft_def_table){x->row, had + (uint32_t)n->n_types};
	return 0;
}

static int by_thread(struct extra *x, const struct weft_trace *t, const struct cli_notes *n)
{
	uint32_t had = x->seen.def[WEFT_CLASS_TYPE].n - (uint32_t)n->n_types;
	x->first = calloc(t->n_threads + (size_t)2, sizeof *x->first);
	x->next = calloc(t->n_threads + (size_t)1, sizeof *x->next);
	x->time = malloc((n->note.n + 1) * sizeof *x->time);
	x->value = malloc((n->note.n + 1) * sizeof *x->value);
	x->what = malloc((n->note.n + 1) * sizeof *x->what);
	if (!x->first || !x->next || !x->time || !x->value || !x->what)
		return -ENOMEM;
	for (size_t i = 0; i < n->note.n; i++)
		x->first[n->note.at[i].thread + 1]++;
	for (uint32_t k = 0; k < t->n_threads; k++) {
		x->first[k + 1] += x->first[k];
		x->next[k] = x->first[k];
	}
	for (size_t i = 0; i < n->note.n; i++) {
		const struct cli_note *note = &n->note.at[i];
		size_t to = x->next[note->thread]++;
		x->time[to] = note->time;
		x->value[to] = (uint64_t)note->value;
		x->what[to] = weft_what(WEFT_EV_POINT, had + note->type);
	}
	return 0;
}

static int write_weft(const struct cli_common *c, const struct weft_trace *t, const char *output, const struct cli_notes *n,
                      bool force, struct weft_err *err)
{
	struct extra x = {.row = NULL};
	int rc = extend_types(&x, t, n);
	rc = rc ? rc : by_thread(&x, t, n);
	if (rc) {
		weft_err_set(err, rc, "out of memory");
	} else {
		struct weft_write_extra extra = {x.first, x.time, x.value, x.what};
		struct weft_write_how how = {.to = WEFT_NEVER,
		                             .keep_times = true,
		                             .memory = c->memory,
		                             .progress = !c->quiet,
		                             .extra = &extra};
		const struct weft_trace *traces[] = {&x.seen};
		rc = weft_trace_write(traces, 1, output, &how, false, force, err);
	}
	free(x.row);
	free(x.label);
	free(x.first);
	free(x.next);
	free(x.time);
	free(x.value);
	free(x.what);
	return rc;
}

int cli_notes_write(const struct cli_common *c, const struct weft_trace *t, const char *path, const char *output,
                    const struct cli_notes *n, bool force)
{
	struct weft_err err = {0};
	const struct weft_exporter *e = weft_exporter_find(NULL, output);
	bool to_prv = e && e->write == weft_export_prv;
	if (to_prv && strcmp(t->format, "prv") != 0)
		return cli_fail_text("'%s' is no .prv: write it as OUT.weft, then convert that ('weft convert OUT.weft -o %s')",
		                     path, output);
	if (!force && access(output, F_OK) == 0)
		return cli_fail_text("'%s' is there already (--force replaces it)", output);
	int rc = to_prv ? write_prv(t, path, output, n, &err) : write_weft(c, t, output, n, force, &err);
	return rc ? cli_fail(&err) : CLI_OK;
}
