/* SPDX-License-Identifier: Apache-2.0 */
/* See ask.h. */
#include "ask.h"
#include "tune/lang/expr.h"
#include <math.h>
#include <string.h>

bool ask_is_set(const char *z)
{
	return z && *z && strcmp(z, "0") != 0 && strcmp(z, "none") != 0;
}

static void add_classes(struct weft_buf *b, const char *list)
{
	struct weft_str rest = weft_str(list), part;
	while (ask_is_set(list) && weft_str_cut(&rest, ',', &part)) {
		part = weft_str_trim(part);
		if (part.n && b->n)
			weft_buf_putc(b, ',');
		weft_buf_add(b, part.at, part.n);
	}
}

/* Its name in the program, and its type in the words of the probes. */
static const char *name_of(const struct spec_variable *v)
{
	return v->path.z ? v->path.z : v->id.z;
}

static const char *type_of(enum spec_type t)
{
	return t == TYPE_STRING ? "string" : spec_type_name[t];
}

void ask_want(const struct weft_spec *s, uint32_t event, struct message_want *out, struct weft_buf *classes)
{
	static const uint8_t source[] = {MESSAGE_VARIABLE, MESSAGE_PARAMETER, MESSAGE_POINTED, MESSAGE_RESULT, MESSAGE_CONSTANT};
	const struct spec_event *e = &s->event.at[event];
	add_classes(classes, e->class.z);
	add_classes(classes, s->actor.at[e->actor_id].class.z);
	out->at_exit = e->at_exit;
	out->function = e->method.z;
	out->classes = classes->n && !classes->failed ? classes->at : "";
	out->n = 0;
	out->iteration = e->iteration_ref < e->ref.n ? e->iteration_ref + 1 : 0;
	for (size_t i = 0; i < e->ref.n && i < MESSAGE_VALUES; i++) {
		const struct spec_ref *r = &e->ref.at[i];
		const struct spec_variable *v = r->variable == SPEC_NONE ? NULL : &s->variable.at[r->variable];
		out->field[out->n++] = (struct message_field){v ? source[v->src] : MESSAGE_VARIABLE, v ? name_of(v) : r->id.z,
		                                              type_of(r->t)};
	}
}

bool ask_is_real(const struct weft_spec *s, const struct spec_point *p)
{
	if (p->variable != SPEC_NONE)
		return type_is_real(s->variable.at[p->variable].t);
	const struct expr *body = p->value == SPEC_NONE ? NULL : s->code.at[p->value].body;
	return body && body->kid[0] && type_is_real(body->kid[0]->type);
}

struct message_value ask_value(double number, bool real)
{
	if (real)
		return (struct message_value){.kind = MESSAGE_REAL, .d = number, .s = ""};
	return (struct message_value){.kind = MESSAGE_INT, .i = (int64_t)llround(number), .d = number, .s = ""};
}

static void ask_inserted(const struct spec_point *p, const char *text, struct message_act *out)
{
	if (text) {
		out->object = text;
		return;
	}
	/*
	 * Without a value the id is what is called, and the function of synchronisation says where.
	 */
	out->object = p->id.z;
	out->subject = out->sync;
	out->at_exit = out->sync_at_exit;
	out->sync = "";
}

void ask_act(const struct weft_spec *s, uint32_t point, const char *text, double number, struct message_act *out,
             char object[ASK_OBJECT_BYTES])
{
	const struct spec_point *p = &s->point.at[point];
	bool takes_number = p->k == KIND_SET_VARIABLE || p->k == KIND_ONE_TIME_CALL || p->k == KIND_CHANGE_PARAMETER;
	out->kind = (uint8_t)p->k;
	const struct spec_variable *v = p->variable == SPEC_NONE ? NULL : &s->variable.at[p->variable];
	out->subject = v && p->k == KIND_SET_VARIABLE ? name_of(v) : p->id.z;
	out->object = "";
	out->declared = v ? type_of(v->t) : "";
	out->sync = ask_is_set(p->sync.z) ? p->sync.z : "";
	out->sync_at_exit = p->syncplace.z && strcmp(p->syncplace.z, "exit") == 0;
	out->at_exit = p->place.z && strcmp(p->place.z, "exit") == 0;
	out->wants_old = p->wants_old;
	out->classes = ask_is_set(p->class.z) ? p->class.z : "";
	out->n = 0;
	if (p->k == KIND_INSERT_CALL)
		ask_inserted(p, text, out);
	else if (p->k == KIND_LOAD_LIBRARY)
		out->subject = text ? text : p->id.z;
	else if (text)
		out->object = text;
	if (p->k == KIND_CHANGE_PARAMETER) {
		snprintf(object, ASK_OBJECT_BYTES, "$%u", p->index);
		out->object = object;
	}
	if (!text && takes_number && p->value != SPEC_NONE)
		out->argument[out->n++] = ask_value(number, ask_is_real(s, p));
}
