/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of a Paje file. Its head defines each kind of line: a number, an event of the standard, names and types of fields in the
 * order in which they will stand; a line is the number and then the fields, divided by blanks, in quotes where they hold blanks.
 * Names of events and fields are tables; those of the format's first version stand beside today's.
 */
#include "paje_line.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const event_names[PAJE_OTHER] = {
	[PAJE_DEF_CONTAINER] = "PajeDefineContainerType",
	[PAJE_DEF_STATE] = "PajeDefineStateType",
	[PAJE_DEF_EVENT] = "PajeDefineEventType",
	[PAJE_DEF_VARIABLE] = "PajeDefineVariableType",
	[PAJE_DEF_LINK] = "PajeDefineLinkType",
	[PAJE_DEF_VALUE] = "PajeDefineEntityValue",
	[PAJE_CREATE] = "PajeCreateContainer",
	[PAJE_DESTROY] = "PajeDestroyContainer",
	[PAJE_SET_STATE] = "PajeSetState",
	[PAJE_PUSH] = "PajePushState",
	[PAJE_POP] = "PajePopState",
	[PAJE_RESET] = "PajeResetState",
	[PAJE_NEW_EVENT] = "PajeNewEvent",
	[PAJE_SET] = "PajeSetVariable",
	[PAJE_ADD] = "PajeAddVariable",
	[PAJE_SUB] = "PajeSubVariable",
	[PAJE_START_LINK] = "PajeStartLink",
	[PAJE_END_LINK] = "PajeEndLink",
};

static const struct {
	const char *name;
	enum paje_slot slot;
} field_names[] = {
	{"Time", PAJE_TIME},
	{"Alias", PAJE_ALIAS},
	{"Type", PAJE_TYPE},
	{"ContainerType", PAJE_TYPE},
	{"EntityType", PAJE_TYPE},
	{"Name", PAJE_NAME},
	{"NewName", PAJE_NAME},
	{"NewType", PAJE_NAME},
	{"NewContainer", PAJE_NAME},
	{"NewContainerType", PAJE_NAME},
	{"NewStateType", PAJE_NAME},
	{"NewEventType", PAJE_NAME},
	{"NewVariableType", PAJE_NAME},
	{"NewLinkType", PAJE_NAME},
	{"NewValue", PAJE_NAME},
	{"Container", PAJE_CONTAINER},
	{"Value", PAJE_VALUE},
	{"StartContainer", PAJE_START},
	{"SourceContainer", PAJE_START},
	{"EndContainer", PAJE_END},
	{"DestContainer", PAJE_END},
	{"Key", PAJE_KEY},
	{"Size", PAJE_SIZE},
	{"Tag", PAJE_TAG},
	{"Color", PAJE_IGNORED},
	{"StartContainerType", PAJE_IGNORED},
	{"EndContainerType", PAJE_IGNORED},
	{"SourceContainerType", PAJE_IGNORED},
	{"DestContainerType", PAJE_IGNORED},
};

/* Without which a line says nothing. */
static const uint32_t needed[PAJE_EVENTS] = {
	[PAJE_DEF_CONTAINER] = 1u << PAJE_NAME | 1u << PAJE_TYPE,
	[PAJE_DEF_STATE] = 1u << PAJE_NAME | 1u << PAJE_TYPE,
	[PAJE_DEF_EVENT] = 1u << PAJE_NAME | 1u << PAJE_TYPE,
	[PAJE_DEF_VARIABLE] = 1u << PAJE_NAME | 1u << PAJE_TYPE,
	[PAJE_DEF_LINK] = 1u << PAJE_NAME | 1u << PAJE_TYPE,
	[PAJE_DEF_VALUE] = 1u << PAJE_NAME | 1u << PAJE_TYPE,
	[PAJE_CREATE] = 1u << PAJE_TIME | 1u << PAJE_NAME | 1u << PAJE_TYPE,
	[PAJE_DESTROY] = 1u << PAJE_TIME | 1u << PAJE_NAME,
	[PAJE_SET_STATE] = 1u << PAJE_TIME | 1u << PAJE_TYPE | 1u << PAJE_CONTAINER | 1u << PAJE_VALUE,
	[PAJE_PUSH] = 1u << PAJE_TIME | 1u << PAJE_TYPE | 1u << PAJE_CONTAINER | 1u << PAJE_VALUE,
	[PAJE_POP] = 1u << PAJE_TIME | 1u << PAJE_TYPE | 1u << PAJE_CONTAINER,
	[PAJE_RESET] = 1u << PAJE_TIME | 1u << PAJE_TYPE | 1u << PAJE_CONTAINER,
	[PAJE_NEW_EVENT] = 1u << PAJE_TIME | 1u << PAJE_TYPE | 1u << PAJE_CONTAINER | 1u << PAJE_VALUE,
	[PAJE_SET] = 1u << PAJE_TIME | 1u << PAJE_TYPE | 1u << PAJE_CONTAINER | 1u << PAJE_VALUE,
	[PAJE_ADD] = 1u << PAJE_TIME | 1u << PAJE_TYPE | 1u << PAJE_CONTAINER | 1u << PAJE_VALUE,
	[PAJE_SUB] = 1u << PAJE_TIME | 1u << PAJE_TYPE | 1u << PAJE_CONTAINER | 1u << PAJE_VALUE,
	[PAJE_START_LINK] = 1u << PAJE_TIME | 1u << PAJE_TYPE | 1u << PAJE_START | 1u << PAJE_KEY,
	[PAJE_END_LINK] = 1u << PAJE_TIME | 1u << PAJE_TYPE | 1u << PAJE_END | 1u << PAJE_KEY,
};

void paje_defs_fini(struct paje_defs *d)
{
	weft_arena_fini(&d->arena);
	weft_intern_fini(&d->number);
	free(d->at.at);
	*d = (struct paje_defs){0};
}

/* ---- the head ---- */

/* The next field: a word, or what stands between quotes. 1, 0 at the end, -1: the quotes are not closed. */
static inline int next_field(struct weft_str *rest, struct weft_str *out)
{
	const char *at = rest->at, *end = at + rest->n;
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	if (at == end)
		return 0;
	const char *from = at;
	if (*at == '"') {
		from++;
		at = memchr(from, '"', (size_t)(end - from));
		if (!at)
			return -1;
	} else {
		while (at < end && *at != ' ' && *at != '\t')
			at++;
	}
	*out = weft_str_n(from, (size_t)(at - from));
	at += at < end && *at == '"';
	*rest = weft_str_n(at, (size_t)(end - at));
	return 1;
}

static int begin_def(struct paje_defs *d, struct weft_str name, struct weft_str number, const char **why)
{
	uint32_t at;
	struct paje_def def = {.event = PAJE_OTHER};
	if (weft_intern_find(&d->number, number, &at)) {
		*why = "this number is defined already";
		return 1;
	}
	for (unsigned i = 0; i < PAJE_OTHER; i++)
		if (weft_str_eq(name, event_names[i]))
			def.event = i;
	if (weft_intern_add(&d->number, number, &at) || weft_vec_push(&d->at, def))
		return -ENOMEM;
	d->open = true;
	return 0;
}

static int add_field(struct paje_defs *d, struct weft_str name, const char **why)
{
	struct paje_def *def = &d->at.at[d->at.n - 1];
	if (def->n == PAJE_MOST_FIELDS) {
		*why = "too many fields";
		return 1;
	}
	struct paje_field *f = &def->field[def->n];
	*f = (struct paje_field){weft_arena_strndup(&d->arena, name.at, name.n), PAJE_EXTRA};
	if (!f->name)
		return -ENOMEM;
	for (size_t i = 0; i < sizeof field_names / sizeof *field_names; i++)
		if (strcmp(f->name, field_names[i].name) == 0)
			f->slot = (uint8_t)field_names[i].slot;
	def->has_size |= f->slot == PAJE_SIZE;
	def->n++;
	return 0;
}

int paje_defs_line(struct paje_defs *d, struct weft_str line, const char **why)
{
	struct weft_str rest = weft_str_n(line.at + 1, line.n - 1), word, next;
	*why = "expected 'EventDef NAME NUMBER', a field or 'EndEventDef'";
	if (next_field(&rest, &word) <= 0)
		return 0; /* an empty one */
	bool begins = weft_str_eq(word, "EventDef"), ends = weft_str_eq(word, "EndEventDef");
	if (ends) {
		d->open = false;
		return 0;
	}
	if (begins && next_field(&rest, &word) > 0 && next_field(&rest, &next) > 0)
		return begin_def(d, word, next, why);
	if (begins || !d->open)
		return 1;
	return add_field(d, word, why);
}

/* ---- lines ---- */

int paje_split(const struct paje_defs *d, struct weft_str text, struct paje_line *line, const char **why)
{
	struct weft_str rest = text, word;
	uint32_t at, have = 0;
	line->n_extra = 0;
	memset(line->slot, 0, sizeof line->slot);
	*why = "expected the number of an event";
	if (next_field(&rest, &word) <= 0 || !weft_intern_find(&d->number, word, &at))
		return 1;
	const struct paje_def *def = line->def = &d->at.at[at];
	for (unsigned i = 0; i < def->n; i++) {
		int got = next_field(&rest, &word);
		if (got <= 0) {
			*why = got ? "a quote is not closed" : "fewer fields than its event has";
			return 1;
		}
		if (def->field[i].slot == PAJE_EXTRA) {
			line->extra[line->n_extra].name = def->field[i].name;
			line->extra[line->n_extra++].text = word;
		} else {
			line->slot[def->field[i].slot] = word;
			have |= 1u << def->field[i].slot;
		}
	}
	*why = "its event has no field for something that it needs";
	return (have & needed[def->event]) != needed[def->event];
}

const char *paje_event_name(enum paje_event e)
{
	return e < PAJE_OTHER ? event_names[e] : "";
}

bool paje_time(struct weft_str text, uint64_t *ns)
{
	uint64_t whole = 0, part = 0, unit = 100000000;
	size_t i = 0;
	for (; i < text.n && i < 10 && text.at[i] >= '0' && text.at[i] <= '9'; i++)
		whole = 10 * whole + (uint64_t)(text.at[i] - '0');
	if (i && i < text.n && text.at[i] == '.')
		for (i++; i < text.n && unit && text.at[i] >= '0' && text.at[i] <= '9'; i++, unit /= 10)
			part += unit * (uint64_t)(text.at[i] - '0');
	if (i && i == text.n) {
		*ns = whole * 1000000000 + part;
		return true;
	}
	double s;
	if (weft_parse_double(text, &s) || !(s >= 0) || s > 9e9)
		return false;
	*ns = (uint64_t)(s * 1e9 + 0.5);
	return true;
}
