/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Event translation: two runs of a program may have numbered the same names differently (functions, lines of source). A
 * value that the reference calls something else becomes the reference's value of that name, or a new one that neither uses;
 * then views with those values show the same in both. The merged labels go beside the new trace.
 */
#include "base/arena.h"
#include "tool_priv.h"
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

struct type_change { /* an event type that has changes */
	uint64_t type;
	struct weft_map to; /* value -> new value */
};
struct translate {
	const char *in;
	struct pcf own, reference;
	WEFT_VEC(struct type_change) change;
	struct weft_map by_type;               /* type -> its place in change[] */
	WEFT_VEC(struct tool_label_type) type; /* the merged labels */
	WEFT_VEC(struct pcf_label *) values;   /* arrays of them. Owned */
	uint64_t *translated;                  /* by worker. Owned */
};

/* -- what changes -- */

static const struct pcf_type *find_type(const struct pcf *p, uint32_t number)
{
	for (size_t i = 0; i < p->type.n; i++)
		if (p->type.at[i].number == number)
			return &p->type.at[i];
	return NULL;
}

struct names {                   /* the values of one type in the reference, both ways */
	struct weft_intern text; /* id -> value in value[] */
	WEFT_VEC(int64_t) value;
	struct weft_map id; /* value -> id of its name */
	int64_t largest;    /* in either trace */
};

static int names_add(struct names *n, int64_t value, const char *text)
{
	uint32_t id;
	int rc = weft_intern_add(&n->text, weft_str(text), &id);
	if (!rc && id == n->value.n)
		rc = weft_vec_push(&n->value, value);
	if (!rc)
		rc = weft_map_put(&n->id, (uint64_t)value, id);
	if (value > n->largest)
		n->largest = value;
	return rc;
}

static void names_fini(struct names *n)
{
	weft_intern_fini(&n->text);
	weft_map_fini(&n->id);
	free(n->value.at);
}

/* The value that one of ours becomes. New names are added to the reference's, so that each is given once. */
static int settle_value(struct names *n, const struct pcf_label *l, int64_t *to)
{
	uint64_t named;
	uint32_t id;
	*to = l->value;
	if (weft_intern_find(&n->text, weft_str(l->text), &id)) {
		if (weft_map_get(&n->id, (uint64_t)l->value, &named) && named == id)
			return 0;
		*to = n->value.at[id];
		return 0;
	}
	if (weft_map_get(&n->id, (uint64_t)l->value, &named))
		*to = n->largest + 1;
	return names_add(n, *to, l->text);
}

static int change_value(struct translate *t, struct type_change **change, uint32_t type, int64_t from, int64_t to)
{
	if (!*change) {
		if (weft_vec_push(&t->change, (struct type_change){.type = type}) ||
		    weft_map_put(&t->by_type, type, t->change.n - 1))
			return -ENOMEM;
		*change = &t->change.at[t->change.n - 1];
	}
	return weft_map_put(&(*change)->to, (uint64_t)from, (uint64_t)to);
}

static int value_order(const void *a, const void *b)
{
	const struct pcf_label *x = a, *y = b;
	return x->value < y->value ? -1 : x->value > y->value;
}

static int merge_labels(struct translate *t, const struct pcf_type *type, const struct names *n, uint32_t precision)
{
	struct tool_label_type merged = {.type = type->number, .label = type->label, .precision = precision};
	struct pcf_label *label = calloc(n->id.n + 1, sizeof *label);
	size_t pos = 0;
	uint64_t value, id;
	if (!label || weft_vec_push(&t->values, label)) {
		free(label);
		return -ENOMEM;
	}
	while (weft_map_next(&n->id, &pos, &value, &id)) {
		const char *text = weft_arena_strdup(&t->own.arena, n->text.name[id]);
		if (!text)
			return -ENOMEM;
		label[merged.n_values++] = (struct pcf_label){(int64_t)value, text};
	}
	qsort(label, merged.n_values, sizeof *label, value_order);
	merged.value = label;
	return weft_vec_push(&t->type, merged);
}

static int settle_type(struct translate *t, const struct pcf_type *own, const struct pcf_type *reference)
{
	const struct pcf_group *a = &t->own.group.at[own->group], *b = &t->reference.group.at[reference->group];
	struct type_change *change = NULL;
	struct names n = {.largest = 0};
	int rc = 0;
	for (size_t i = 0; i < b->value.n && !rc; i++)
		rc = names_add(&n, b->value.at[i].value, b->value.at[i].text);
	for (size_t i = 0; i < a->value.n; i++)
		if (a->value.at[i].value > n.largest)
			n.largest = a->value.at[i].value;
	for (size_t i = 0; i < a->value.n && !rc; i++) {
		int64_t to;
		rc = settle_value(&n, &a->value.at[i], &to);
		if (!rc && to != a->value.at[i].value)
			rc = change_value(t, &change, own->number, a->value.at[i].value, to);
	}
	if (!rc)
		rc = merge_labels(t, own, &n, a->precision);
	names_fini(&n);
	return rc;
}

static int keep_type(struct translate *t, const struct pcf *p, const struct pcf_type *type)
{
	const struct pcf_group *g = &p->group.at[type->group];
	return weft_vec_push(&t->type,
	                     (struct tool_label_type){type->number, type->label, g->value.at, g->value.n, g->precision});
}

static int settle(struct translate *t)
{
	int rc = 0;
	for (size_t i = 0; i < t->own.type.n && !rc; i++) {
		const struct pcf_type *own = &t->own.type.at[i];
		if (find_type(&t->own, own->number) != own)
			continue;
		const struct pcf_type *reference = find_type(&t->reference, own->number);
		rc = reference ? settle_type(t, own, reference) : keep_type(t, &t->own, own);
	}
	for (size_t i = 0; i < t->reference.type.n && !rc; i++) {
		const struct pcf_type *reference = &t->reference.type.at[i];
		if (!find_type(&t->own, reference->number) && find_type(&t->reference, reference->number) == reference)
			rc = keep_type(t, &t->reference, reference);
	}
	return rc;
}

/* -- lines -- */

static const char *first_pair(const char *at, const char *end)
{
	for (unsigned colons = 0; at < end; at++)
		if (*at == ':' && ++colons == TOOL_EVENT_FIELDS + 1)
			return at + 1;
	return NULL;
}

static void translate_event(const struct translate *t, unsigned worker, const char *line, const char *end, struct tool_text *out)
{
	const char *at = first_pair(line, end);
	uint64_t place, to;
	if (!at) {
		tool_text_add(out, line, (size_t)(end - line));
		return;
	}
	tool_text_add(out, line, (size_t)(at - line) - 1);
	int64_t type, value;
	while (tool_pair(&at, end, &type, &value)) {
		if (weft_map_get(&t->by_type, (uint64_t)type, &place) &&
		    weft_map_get(&t->change.at[place].to, (uint64_t)value, &to)) {
			value = (int64_t)to;
			t->translated[worker]++;
		}
		tool_text_char(out, ':');
		tool_text_u64(out, (uint64_t)type);
		tool_text_char(out, ':');
		tool_text_i64(out, value);
	}
}

static int translate_block(void *arg, unsigned worker, const char *at, size_t n, struct tool_text *out)
{
	const struct translate *t = arg;
	const char *end = at + n;
	while (at < end) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		if (!stop)
			stop = end;
		if (t->change.n && stop - at > 1 && at[0] == '2' && at[1] == ':')
			translate_event(t, worker, at, stop, out);
		else
			tool_text_add(out, at, (size_t)(stop - at));
		if (stop > at)
			tool_text_char(out, '\n');
		at = stop + 1;
	}
	return 0;
}

/* -- the whole -- */

static int type_order(const void *a, const void *b)
{
	const struct tool_label_type *x = a, *y = b;
	return x->type < y->type ? -1 : x->type > y->type;
}

/* The reference's names of states that we have none for join ours. */
static int merge_states(struct translate *t)
{
	for (size_t i = 0; i < t->reference.state.n; i++) {
		size_t k = 0;
		while (k < t->own.state.n && t->own.state.at[k].value != t->reference.state.at[i].value)
			k++;
		if (k == t->own.state.n && weft_vec_push(&t->own.state, t->reference.state.at[i]))
			return -ENOMEM;
	}
	return 0;
}

static int write_labels(struct translate *t, const char *out, struct weft_err *err)
{
	struct weft_buf text = {0};
	char *path = weft_tool_beside(out, ".pcf");
	int rc = path ? merge_states(t) : -ENOMEM;
	if (t->type.n)
		qsort(t->type.at, t->type.n, sizeof *t->type.at, type_order);
	if (!rc)
		tool_labels_write(&t->own, t->type.at, t->type.n, &text);
	if (!rc && text.failed)
		rc = -ENOMEM;
	rc = rc ? weft_err_set(err, rc, "cannot write the labels of '%s': %s", out, weft_err_name(rc))
	        : tool_output_whole(path, &text, err);
	weft_buf_fini(&text);
	free(path);
	return rc;
}

static int translate_file(struct translate *t, const char *out, unsigned threads, struct weft_err *err)
{
	struct tool_input input;
	struct tool_output output;
	int rc = tool_input_open(&input, t->in, err);
	if (rc)
		return rc;
	rc = tool_output_open(&output, out, err);
	if (!rc) {
		struct tool_map map = {.in = &input, .out = &output, .threads = threads, .block = translate_block, .arg = t};
		tool_head_write(&input, input.head.end, false, &output.text);
		tool_output_flush(&output);
		rc = tool_map_run(&map, err);
		if (!rc)
			rc = write_labels(t, out, err);
		if (!rc)
			rc = tool_copy_beside(t->in, out, false, err);
		rc = tool_output_close(&output, rc, err);
	}
	tool_input_close(&input);
	return rc;
}

/* A reference without labels would change nothing, and hide that its name is wrong. */
static int read_reference(struct translate *t, const char *prv, struct weft_err *err)
{
	char *path = weft_tool_beside(prv, ".pcf");
	int rc = path ? 0 : weft_err_set(err, -ENOMEM, "cannot read the labels of '%s': no memory", prv);
	if (!rc && access(path, R_OK) != 0)
		rc = weft_err_sys(err, errno, "cannot open '%s'", path);
	free(path);
	return rc ? rc : tool_pcf_read(&t->reference, prv, err);
}

int weft_tool_translate(const char *in, const char *out, const char *reference, unsigned threads, struct weft_tool_report *report,
                        struct weft_err *err)
{
	struct translate t = {.in = in};
	threads = tool_map_threads(threads);
	int rc = tool_pcf_read(&t.own, in, err);
	if (!rc)
		rc = read_reference(&t, reference, err);
	t.translated = calloc(tool_map_workers(threads), sizeof *t.translated);
	if (!rc && (!t.translated || settle(&t)))
		rc = weft_err_set(err, -ENOMEM, "cannot translate '%s': no memory", in);
	if (!rc)
		rc = translate_file(&t, out, threads, err);
	for (unsigned i = 0; !rc && report && i < tool_map_workers(threads); i++)
		report->translated += t.translated[i];
	for (size_t i = 0; i < t.change.n; i++)
		weft_map_fini(&t.change.at[i].to);
	for (size_t i = 0; i < t.values.n; i++)
		free(t.values.at[i]);
	free(t.translated);
	free(t.change.at);
	free(t.type.at);
	free(t.values.at);
	weft_map_fini(&t.by_type);
	pcf_fini(&t.own);
	pcf_fini(&t.reference);
	return rc;
}
