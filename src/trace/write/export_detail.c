/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an event says, as a name and named values: the part of an export that is the same in every format. Events of one word and
 * of several are described by the letters of their row in events.def; here are only the names of their arguments.
 */
#include "export_priv.h"
#include "base/exit.h"
#include <stdio.h>

static const char *const arg_keys[64][4] = {
	[WEFT_EV_POINT] = {"value"},
	[WEFT_EV_POINT_F] = {"value"},
	[WEFT_EV_POINT_S] = {"value"},
	[WEFT_EV_COUNTER] = {"value"},
	[WEFT_EV_COUNTER_F] = {"value"},
	[WEFT_EV_FLOW_OUT] = {"key"},
	[WEFT_EV_FLOW_IN] = {"key"},
	[WEFT_EV_ATTR] = {"value"},
	[WEFT_EV_ATTR_F] = {"value"},
	[WEFT_EV_ATTR_S] = {"value"},
	[WEFT_EV_COLLECTIVE] = {"operation", "root", "sent", "received"},
	[WEFT_EV_DATA] = {"handle", "size"},
	[WEFT_EV_DEPENDENCY] = {"from", "to"},
	[WEFT_EV_DROPPED] = {"events"},
	[WEFT_EV_FORK] = {"pid"},
	[WEFT_EV_CLOCK_BACK] = {"ticks"},
	[WEFT_EV_CPU_TIME] = {"ns"},
	[WEFT_EV_USER_TIME] = {"ns"},
};

const char *export_def_name(const struct weft_trace *t, enum weft_class c, uint64_t id)
{
	const struct weft_def_table *d = &t->def[c];
	return id && id < d->n ? d->at[id].name : "?";
}

bool export_is_floating(unsigned kind)
{
	return kind == WEFT_EV_COUNTER_F || kind == WEFT_EV_POINT_F || kind == WEFT_EV_ATTR_F;
}

static void add_u64(struct export_detail *d, const char *key, enum export_value kind, uint64_t v)
{
	if (d->n < EXPORT_ARGS)
		d->arg[d->n++] = (struct export_arg){.key = key, .kind = kind, .u = v};
}

static void add_text(struct export_detail *d, const char *key, const char *text)
{
	if (d->n < EXPORT_ARGS)
		d->arg[d->n++] = (struct export_arg){.key = key, .kind = EXPORT_TEXT, .text = text};
}

static void add_i64(struct export_detail *d, const char *key, int64_t v)
{
	if (d->n < EXPORT_ARGS)
		d->arg[d->n++] = (struct export_arg){.key = key, .kind = EXPORT_I64, .i = v};
}

/* One payload word, by its letter in events.def. */
static void add_word(const struct weft_trace *t, struct export_detail *d, const char *const *keys, char letter, uint64_t word)
{
	const char *key = keys[d->n < 4 ? d->n : 3];
	double real;
	switch (letter) {
	case 'i':
		add_i64(d, key, (int64_t)word);
		break;
	case 'u':
		add_u64(d, key, EXPORT_U64, word);
		break;
	case 'd':
		memcpy(&real, &word, sizeof real);
		if (d->n < EXPORT_ARGS)
			d->arg[d->n++] = (struct export_arg){.key = key, .kind = EXPORT_DOUBLE, .d = real};
		break;
	case 's':
		add_text(d, key, word ? export_def_name(t, WEFT_CLASS_STRING, word) : "");
		break;
	case 'p':
		add_i64(d, key, (int32_t)(uint32_t)word);
		if (d->n < 4)
			add_i64(d, keys[d->n], (int32_t)(word >> 32));
		break;
	default:
		add_u64(d, key, EXPORT_HEX, word);
	}
}

static void describe_message(const struct weft_trace *t, const struct weft_event *e, struct export_detail *d)
{
	const struct weft_messages *m = &t->message;
	bool is_send = e->kind == WEFT_EV_SEND;
	uint32_t peer = is_send ? m->recv_thread[e->value] : m->send_thread[e->value];
	uint64_t began = is_send ? m->send_began[e->value] : m->recv_began[e->value];
	d->name = weft_kind_info[e->kind].name;
	add_text(d, "peer", peer == WEFT_NONE ? "?" : weft_thread_label(t, peer, d->label));
	add_i64(d, "tag", m->tag[e->value]);
	add_u64(d, "size", EXPORT_U64, m->size[e->value]);
	add_text(d, "comm", export_def_name(t, WEFT_CLASS_COMM, m->comm[e->value]));
	if (began != WEFT_NEVER && began != e->time)
		add_u64(d, "began_ns", EXPORT_U64, began);
}

static void describe_stack(const struct export_sink *s, const struct weft_event *e, struct export_detail *d)
{
	const struct weft_trace *t = s->t;
	if (s->how->stack && s->how->stack(s->how->stack_arg, t, e, d->stack, sizeof d->stack)) {
		add_text(d, "stack", d->stack);
		return;
	}
	uint32_t n = 0;
	const uint64_t *address = weft_extra(t, e->thread, e->value, &n);
	size_t at = 0;
	d->stack[0] = 0;
	for (uint32_t i = 0; i < n; i++) {
		char one[24];
		size_t length = (size_t)snprintf(one, sizeof one, "%s0x%llx", i ? " " : "", (unsigned long long)address[i]);
		if (at + length + sizeof " ..." > sizeof d->stack) {
			memcpy(d->stack + at, " ...", sizeof " ...");
			break;
		}
		memcpy(d->stack + at, one, length + 1);
		at += length;
	}
	add_text(d, "stack", d->stack);
}

/* A category on or off, or recording as a whole. */
static void describe_switch(const struct weft_trace *t, const struct weft_event *e, struct export_detail *d)
{
	d->name = weft_kind_info[e->kind].name;
	if (e->id)
		add_text(d, "category", export_def_name(t, WEFT_CLASS_CATEGORY, e->id));
}

static void describe_cpu(const struct weft_trace *t, const struct weft_event *e, struct export_detail *d)
{
	bool known = e->value < t->n_cpus;
	add_i64(d, "cpu", known ? (int64_t)t->cpu[e->value].os : -1);
}

static void describe_exit(const struct weft_event *e, struct export_detail *d)
{
	int code = weft_exit_code((int64_t)e->value);
	if (code >= 0)
		add_i64(d, "status", code);
}

static void describe_words(const struct weft_trace *t, const struct weft_event *e, struct export_detail *d)
{
	const struct weft_kind_info *info = &weft_kind_info[e->kind];
	const char *const *keys = arg_keys[e->kind];
	if (info->words == 1) {
		add_word(t, d, keys, info->args[0], e->value);
		return;
	}
	uint32_t n = 0;
	const uint64_t *word = info->words == 0 ? NULL : weft_extra(t, e->thread, e->value, &n);
	for (uint32_t i = 0; i < n && info->args[i] && keys[d->n < 4 ? d->n : 3]; i++)
		add_word(t, d, keys, info->args[i], word[i]);
}

void export_number(struct export_out *o, const struct export_arg *a, const char *not_finite)
{
	switch (a->kind) {
	case EXPORT_I64:
		export_i64(o, a->i);
		break;
	case EXPORT_U64:
		export_u64(o, a->u);
		break;
	case EXPORT_HEX:
		export_hex(o, a->u);
		break;
	case EXPORT_DOUBLE:
		export_double(o, a->d, not_finite);
		break;
	case EXPORT_TEXT:
		break;
	}
}

void export_describe(const struct export_sink *s, const struct weft_event *e, struct export_detail *d)
{
	const struct weft_trace *t = s->t;
	const struct weft_kind_info *info = &weft_kind_info[e->kind];
	d->n = 0;
	d->name = info->of == WEFT_CLASS_NONE || e->id == 0 ? info->name : export_def_name(t, info->of, e->id);
	if (e->kind == WEFT_EV_SEND || e->kind == WEFT_EV_RECV)
		describe_message(t, e, d);
	else if (e->kind == WEFT_EV_SAMPLE || e->kind == WEFT_EV_CALLSTACK)
		describe_stack(s, e, d);
	else if (e->kind == WEFT_EV_CPU)
		describe_cpu(t, e, d);
	else if (e->kind == WEFT_EV_EXIT)
		describe_exit(e, d);
	else if (info->of == WEFT_CLASS_CATEGORY)
		describe_switch(t, e, d);
	else if (e->kind == WEFT_EV_FLOW_OUT || e->kind == WEFT_EV_FLOW_IN)
		add_u64(d, "key", EXPORT_HEX, t->flow.key[e->value]);
	else if (e->kind < 64 && info->name)
		describe_words(t, e, d);
	const char *label = e->kind == WEFT_EV_POINT && e->id < t->def[WEFT_CLASS_TYPE].n
	                            ? weft_value_label(&t->def[WEFT_CLASS_TYPE].at[e->id], (int64_t)e->value)
	                            : NULL;
	if (label)
		add_text(d, "label", label);
}
