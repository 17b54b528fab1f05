/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names and aliases are numbered words; what a word stands for is looked up by number in three maps: types, containers, and values of a
 * type. Open states are a stack for each container and type of state.
 */
#include "paje_states.h"
#include "trace/paje/paje_line.h"
#include "base/map.h"
#include "base/vec.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MOST = 4096 };

struct value {
	uint32_t name, color;
};
struct container {
	uint32_t name, type; /* words */
	uint64_t parent;     /* index; its own where there is none */
};
struct open_state {
	struct value value;
	int64_t begin;
};
struct stack {
	uint32_t container, type;
	WEFT_VEC(struct open_state) open;
	int64_t last;
};
struct walk {
	struct text_lines *from;
	int (*each)(void *arg, const struct paje_state *s);
	void *arg;
	struct paje_defs defs;
	struct weft_intern word;
	struct weft_map type, value_of, container_of,
		stack_of; /* word -> name; type << 32 | word, word, container << 32 | type -> index */
	WEFT_VEC(struct value) value;
	WEFT_VEC(struct container) container;
	WEFT_VEC(struct stack) stack;
	int64_t end;
};

/* ---- times ---- */

bool paje_time_parse(struct weft_str text, int64_t *out)
{
	uint64_t ns;
	bool minus = text.n && *text.at == '-';
	double v;
	if (minus)
		text = weft_str_n(text.at + 1, text.n - 1);
	if (text.n && *text.at != '-' && paje_time(text, &ns) && ns <= INT64_MAX / 4) {
		*out = minus ? -(int64_t)ns : (int64_t)ns;
		return true;
	}
	if (weft_parse_double(text, &v) || !(v >= 0 && v < 2e9))
		return false;
	*out = (int64_t)((minus ? -v : v) * PAJE_UNIT);
	return true;
}

char *paje_time_text(char *out, int64_t time)
{
	uint64_t size = time < 0 ? -(uint64_t)time : (uint64_t)time;
	int n = snprintf(out, 32, "%s%llu.%09llu", time < 0 ? "-" : "", (unsigned long long)(size / PAJE_UNIT),
	                 (unsigned long long)(size % PAJE_UNIT));
	while (out[n - 1] == '0')
		out[--n] = '\0';
	if (out[n - 1] == '.')
		out[n - 1] = '\0';
	return out;
}

/* ---- definitions ---- */

static int out_of_memory(struct weft_err *err)
{
	return weft_err_set(err, -ENOMEM, "out of memory");
}

static int word_of(struct walk *w, struct weft_str text, uint32_t *out)
{
	return weft_intern_add(&w->word, text, out);
}

/* Under its alias and its name, where there is an alias. */
static int put_both(struct weft_map *m, uint64_t above, bool has_alias, uint32_t alias, uint32_t name, uint64_t what)
{
	int rc = weft_map_put(m, above | name, what);
	return rc || !has_alias ? rc : weft_map_put(m, above | alias, what);
}

/* "1.0 .5 0": shares of red, green, blue. */
static uint32_t read_color(struct weft_str text)
{
	uint32_t color = 0;
	if (!text.at)
		return UINT32_MAX;
	for (int i = 0; i < 3; i++) {
		struct weft_str part = weft_str_word(&text);
		char padded[24];
		double v;
		snprintf(padded, sizeof padded, "0%.*s", (int)(part.n < 20 ? part.n : 20), part.n ? part.at : "");
		if (!part.n || weft_parse_double(weft_str(padded), &v) || v > 1)
			return UINT32_MAX;
		color = color << 8 | (uint32_t)(v * 255 + 0.5);
	}
	return color;
}

/* A field of the line that our slots leave out. */
static struct weft_str color_field(const struct paje_line *l)
{
	for (unsigned i = 0; i < l->def->n; i++)
		if (!strcmp(l->def->field[i].name, "Color"))
			return l->slot[PAJE_IGNORED];
	return weft_str_n(NULL, 0);
}

static int define(struct walk *w, const struct paje_line *l)
{
	uint32_t name, alias = 0, above = 0, type;
	uint64_t of;
	bool has_alias = l->slot[PAJE_ALIAS].at != NULL;
	if (word_of(w, l->slot[PAJE_NAME], &name) || word_of(w, l->slot[PAJE_TYPE], &type) ||
	    (has_alias && word_of(w, l->slot[PAJE_ALIAS], &alias)))
		return -ENOMEM;
	if (l->def->event == PAJE_CREATE) {
		struct container c = {name, weft_map_get(&w->type, type, &of) ? (uint32_t)of : type, w->container.n};
		uint32_t parent;
		if (l->slot[PAJE_CONTAINER].at && weft_intern_find(&w->word, l->slot[PAJE_CONTAINER], &parent))
			(void)weft_map_get(&w->container_of, parent, &c.parent);
		return weft_vec_push(&w->container, c) ||
		                       put_both(&w->container_of, 0, has_alias, alias, name, w->container.n - 1)
		               ? -ENOMEM
		               : 0;
	}
	if (l->def->event != PAJE_DEF_VALUE)
		return put_both(&w->type, 0, has_alias, alias, name, name);
	above = weft_map_get(&w->type, type, &of) ? (uint32_t)of : type;
	struct value v = {name, read_color(color_field(l))};
	return weft_vec_push(&w->value, v) ||
	                       put_both(&w->value_of, (uint64_t)above << 32, has_alias, alias, name, w->value.n - 1)
	               ? -ENOMEM
	               : 0;
}

/* ---- states ---- */

static int end_state(struct walk *w, struct stack *s, int64_t time)
{
	const struct open_state *o = &s->open.at[--s->open.n];
	const struct container *c = &w->container.at[s->container];
	struct paje_state done = {
		.value = w->word.name[o->value.name],
		.type = w->word.name[s->type],
		.container = w->word.name[c->name],
		.container_type = w->word.name[c->type],
		.value_id = o->value.name,
		.type_id = s->type,
		.container_id = s->container,
		.color = o->value.color,
		.depth = (unsigned)s->open.n,
		.begin = o->begin,
		.end = time,
	};
	return w->each(w->arg, &done);
}

static int end_all(struct walk *w, struct stack *s, int64_t time)
{
	int rc = 0;
	while (s->open.n && !rc)
		rc = end_state(w, s, time);
	return rc;
}

static int stack_for(struct walk *w, uint32_t container, uint32_t type, struct stack **out)
{
	uint64_t key = (uint64_t)container << 32 | type, at;
	if (!weft_map_get(&w->stack_of, key, &at)) {
		at = w->stack.n;
		struct stack s = {.container = container, .type = type, .last = INT64_MIN};
		if (weft_vec_push(&w->stack, s) || weft_map_put(&w->stack_of, key, at))
			return -ENOMEM;
	}
	*out = &w->stack.at[at];
	return 0;
}

static int value_for(struct walk *w, uint32_t type, struct weft_str text, struct value *out)
{
	uint32_t name;
	uint64_t at;
	if (word_of(w, text, &name))
		return -ENOMEM;
	*out = weft_map_get(&w->value_of, (uint64_t)type << 32 | name, &at) ? w->value.at[at] : (struct value){name, UINT32_MAX};
	return 0;
}

/* 1: it is not known. */
static int find_stack(struct walk *w, const struct paje_line *l, struct stack **out)
{
	uint32_t container, type;
	uint64_t c, t;
	if (!weft_intern_find(&w->word, l->slot[PAJE_CONTAINER], &container) || !weft_map_get(&w->container_of, container, &c) ||
	    !weft_intern_find(&w->word, l->slot[PAJE_TYPE], &type) || !weft_map_get(&w->type, type, &t))
		return 1;
	return stack_for(w, (uint32_t)c, (uint32_t)t, out);
}

static int change_state(struct walk *w, const struct paje_line *l, int64_t time, struct weft_err *err)
{
	struct stack *s;
	struct open_state o = {.begin = time};
	int rc = find_stack(w, l, &s);
	if (rc > 0)
		return text_lines_wrong(w->from, err, "no container '%.*s', or no type of state '%.*s', is known",
		                        (int)(l->slot[PAJE_CONTAINER].n < 60 ? l->slot[PAJE_CONTAINER].n : 60),
		                        l->slot[PAJE_CONTAINER].at, (int)(l->slot[PAJE_TYPE].n < 60 ? l->slot[PAJE_TYPE].n : 60),
		                        l->slot[PAJE_TYPE].at);
	if (rc)
		return out_of_memory(err);
	if (time < s->last)
		return text_lines_wrong(w->from, err, "the time goes back on '%s': starpu_paje_sort puts a trace in order",
		                        w->word.name[w->container.at[s->container].name]);
	s->last = time;
	if (l->def->event == PAJE_POP)
		return s->open.n ? end_state(w, s, time) : 0;
	if (l->def->event == PAJE_PUSH && s->open.n == DEPTH_MOST)
		return text_lines_wrong(w->from, err, "more than %d states in each other", DEPTH_MOST);
	if (l->def->event != PAJE_RESET && value_for(w, s->type, l->slot[PAJE_VALUE], &o.value))
		return out_of_memory(err);
	/* StarPU says a task's state twice, the second time with what it knows of the task. */
	if (l->def->event == PAJE_SET_STATE && s->open.n == 1 && s->open.at[0].begin == time &&
	    s->open.at[0].value.name == o.value.name)
		return 0;
	if (l->def->event != PAJE_PUSH)
		rc = end_all(w, s, time);
	if (rc || l->def->event == PAJE_RESET)
		return rc;
	return weft_vec_push(&s->open, o) ? out_of_memory(err) : 0;
}

/* With a container those in it end. */
static bool is_within(const struct walk *w, uint64_t container, uint64_t around)
{
	while (container != around && w->container.at[container].parent < container)
		container = w->container.at[container].parent;
	return container == around;
}

static int destroy(struct walk *w, const struct paje_line *l, int64_t time)
{
	uint32_t word;
	uint64_t container;
	if (!weft_intern_find(&w->word, l->slot[PAJE_NAME], &word) || !weft_map_get(&w->container_of, word, &container))
		return 0;
	for (size_t i = 0; i < w->stack.n; i++)
		if (is_within(w, w->stack.at[i].container, container)) {
			int rc = end_all(w, &w->stack.at[i], time > w->stack.at[i].last ? time : w->stack.at[i].last);
			if (rc)
				return rc;
		}
	return 0;
}

static int take(struct walk *w, const struct paje_line *l, struct weft_err *err)
{
	int64_t time = 0;
	enum paje_event e = l->def->event;
	if (l->slot[PAJE_TIME].at && !paje_time_parse(l->slot[PAJE_TIME], &time))
		return text_lines_wrong(w->from, err, "expected a time, found '%.*s'",
		                        (int)(l->slot[PAJE_TIME].n < 60 ? l->slot[PAJE_TIME].n : 60), l->slot[PAJE_TIME].at);
	if (l->slot[PAJE_TIME].at)
		w->end = time > w->end ? time : w->end;
	if (e <= PAJE_CREATE)
		return define(w, l) ? out_of_memory(err) : 0;
	if (e == PAJE_DESTROY)
		return destroy(w, l, time);
	return e >= PAJE_SET_STATE && e <= PAJE_RESET ? change_state(w, l, time, err) : 0;
}

static int take_line(struct walk *w, struct weft_str text, struct paje_line *l, struct weft_err *err)
{
	const char *why;
	text = weft_str_trim(text);
	if (!text.n || *text.at == '#')
		return 0;
	bool is_head = *text.at == '%';
	int rc = is_head ? paje_defs_line(&w->defs, text, &why) : paje_split(&w->defs, text, l, &why);
	if (rc < 0)
		return out_of_memory(err);
	if (rc)
		return text_lines_wrong(w->from, err, "%s", why);
	return is_head ? 0 : take(w, l, err);
}

int paje_states_read(struct text_lines *from, int (*each)(void *arg, const struct paje_state *s), void *arg, struct weft_err *err)
{
	struct walk w = {.from = from, .each = each, .arg = arg};
	struct paje_line *l = calloc(1, sizeof *l);
	struct weft_str text;
	int rc = l ? 0 : out_of_memory(err), more = 0;
	while (!rc && (more = text_lines_next(from, &text, err)) > 0)
		rc = take_line(&w, text, l, err);
	rc = rc ? rc : more;
	if (!rc && !w.defs.at.n)
		rc = weft_err_set(err, WEFT_E_SYNTAX, "%s: no Paje trace: it has no %%EventDef", text_lines_name(from));
	for (size_t i = 0; i < w.stack.n; i++) {
		if (!rc)
			rc = end_all(&w, &w.stack.at[i], w.end > w.stack.at[i].last ? w.end : w.stack.at[i].last);
		free(w.stack.at[i].open.at);
	}
	free(w.stack.at);
	free(w.value.at);
	free(w.container.at);
	weft_map_fini(&w.type);
	weft_map_fini(&w.value_of);
	weft_map_fini(&w.container_of);
	weft_map_fini(&w.stack_of);
	weft_intern_fini(&w.word);
	paje_defs_fini(&w.defs);
	free(l);
	return rc;
}
