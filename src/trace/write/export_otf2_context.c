/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples as OTF2 has them: a calling context is a function in its caller's context, and a sample names the one it was taken in. In an
 * archive with such contexts regions have to be some, too:
 *
 *     region ── region ── function ── function     what is open, then what the stack has inside of it
 *
 * The stack of a sample is whole. What lies in open regions begins, where one of them is called as a function of the stack is, with what that
 * one called; else it is all of the stack.
 */
#include "export_otf2_priv.h"
#include <errno.h>
#include <stdlib.h>

enum { FRAMES_MOST = 1000, SAMPLE_WALL = 4, SAMPLE_MORE_SHIFT = 4 };

/* The number of what the key stands for; a new one is n. */
static uint32_t number_of(struct otf2 *w, struct weft_map *m, uint64_t key, size_t n, bool *is_new)
{
	uint64_t number = n;
	*is_new = !weft_map_get(m, key, &number);
	if (*is_new && weft_map_put(m, key, number))
		export_fail(&w->failed, -ENOMEM);
	return (uint32_t)number;
}

static uint32_t context_of(struct otf2 *w, uint32_t parent, uint32_t region, uint32_t place)
{
	struct otf2_contexts *c = &w->contexts;
	uint32_t key[] = {parent, region, place},
		 depth = parent == OTF2_UNDEFINED_CALLING_CONTEXT ? 0 : c->context.at[parent].depth;
	bool is_new;
	uint32_t number = number_of(w, &c->children, weft_hash(key, sizeof key), c->context.n, &is_new);
	if (is_new && weft_vec_push(&c->context, (struct otf2_context){parent, region, place, depth + 1}))
		export_fail(&w->failed, -ENOMEM);
	return number < c->context.n ? number : parent;
}

static uint32_t function_of(struct otf2 *w, const struct weft_export_frame *f)
{
	uint32_t key[] = {otf2_string(w, f->function), *f->file ? otf2_string(w, f->file) : OTF2_UNDEFINED_STRING};
	struct otf2_contexts *c = &w->contexts;
	bool is_new;
	uint32_t number = number_of(w, &c->functions, weft_hash(key, sizeof key), c->function.n, &is_new);
	if (is_new && weft_vec_push(&c->function, (struct otf2_function){key[0], key[1]}))
		export_fail(&w->failed, -ENOMEM);
	return otf2_function_region(w, number);
}

static uint32_t place_of(struct otf2 *w, const struct weft_export_frame *f)
{
	struct otf2_contexts *c = &w->contexts;
	bool is_new;
	if (!*f->file)
		return OTF2_UNDEFINED_SOURCE_CODE_LOCATION;
	uint32_t key[] = {otf2_string(w, f->file), f->line};
	uint32_t number = number_of(w, &c->places, weft_hash(key, sizeof key), c->place.n, &is_new);
	if (is_new && weft_vec_push(&c->place, (struct otf2_place){key[0], key[1]}))
		export_fail(&w->failed, -ENOMEM);
	return number;
}

/* From the thread's last context to this one: how many levels were entered anew, and the one that went on. */
static uint32_t distance_to(struct otf2 *w, uint32_t context)
{
	const struct otf2_context *at = w->contexts.context.at;
	uint32_t a = w->contexts.now, b = context, entered = 0;
	while (a != b) {
		uint32_t a_depth = a == OTF2_UNDEFINED_CALLING_CONTEXT ? 0 : at[a].depth;
		uint32_t b_depth = b == OTF2_UNDEFINED_CALLING_CONTEXT ? 0 : at[b].depth;
		if (b_depth >= a_depth) {
			b = at[b].parent;
			entered++;
		}
		if (a_depth >= b_depth)
			a = at[a].parent;
	}
	w->contexts.now = context;
	return entered + 1;
}

static uint32_t context_below(const struct otf2 *w, size_t level)
{
	return level ? w->level.at[level - 1].context : OTF2_UNDEFINED_CALLING_CONTEXT;
}

void otf2_contexts_begin(struct otf2 *w)
{
	w->contexts.now = OTF2_UNDEFINED_CALLING_CONTEXT;
	w->contexts.period_ns = 0;
}

void otf2_enter(struct otf2 *w, uint64_t time, size_t level)
{
	struct otf2_level *l = &w->level.at[level];
	if (!w->contexts.wanted) {
		otf2_check(w, OTF2_EvtWriter_Enter(w->events, NULL, time, l->region));
		return;
	}
	l->context = context_of(w, context_below(w, level), l->region, OTF2_UNDEFINED_SOURCE_CODE_LOCATION);
	uint32_t distance = distance_to(w, l->context);
	otf2_check(w, OTF2_EvtWriter_CallingContextEnter(w->events, NULL, time, l->context, distance));
}

void otf2_leave(struct otf2 *w, uint64_t time, const struct otf2_level *l)
{
	if (!w->contexts.wanted) {
		otf2_check(w, OTF2_EvtWriter_Leave(w->events, NULL, time, l->region));
		return;
	}
	otf2_check(w, OTF2_EvtWriter_CallingContextLeave(w->events, NULL, time, l->context));
	if (l->context < w->contexts.context.n)
		w->contexts.now = w->contexts.context.at[l->context].parent;
}

/* Compilers call what they make of a construct after the function that it stands in, or all alike. */
static bool is_function_of(const char *region, const char *function)
{
	static const char gcc[] = "._omp_fn.", clang[] = ".omp_outlined";
	const char *mark = strstr(region, " [omp ");
	if (!mark)
		return !strcmp(function, region);
	if (!strncmp(function, clang, sizeof clang - 1))
		return true;
	const char *number = memchr(region, '#', (size_t)(mark - region));
	size_t n = (size_t)((number ? number : mark) - region);
	return !strncmp(function, region, n) && !strncmp(function + n, gcc, sizeof gcc - 1);
}

/* How many of the frames lie in an open region, the innermost that is one of them. */
static uint32_t frames_inside(const struct otf2 *w, const struct weft_export_frame *frame, uint32_t n)
{
	const struct weft_def_table *regions = &w->sink.t->def[WEFT_CLASS_REGION];
	for (size_t level = w->level.n; level-- > 0;)
		for (uint32_t i = 0; i < n && !w->level.at[level].is_state; i++)
			if (is_function_of(regions->at[w->level.at[level].region + 1].name, frame[i].function))
				return i;
	return n;
}

static uint32_t generator_of(struct otf2 *w, bool is_wall)
{
	struct otf2_contexts *c = &w->contexts;
	for (uint32_t i = 0; i < c->generator.n; i++)
		if (c->generator.at[i].is_wall == is_wall && c->generator.at[i].period_ns == c->period_ns)
			return i;
	if (weft_vec_push(&c->generator, (struct otf2_generator){is_wall, c->period_ns}))
		export_fail(&w->failed, -ENOMEM);
	return (uint32_t)c->generator.n - 1;
}

void otf2_sample(struct otf2 *w, const struct weft_event *e)
{
	struct weft_export_frame frame[FRAMES_MOST];
	struct otf2_contexts *c = &w->contexts;
	if (!c->wanted)
		return;
	uint32_t n = w->sink.how->frames(w->sink.how->stack_arg, w->sink.t, e, frame, FRAMES_MOST);
	uint32_t context = context_below(w, w->level.n), generator = generator_of(w, (e->id & SAMPLE_WALL) != 0);
	for (uint32_t i = frames_inside(w, frame, n); i-- > 0;)
		context = context_of(w, context, function_of(w, &frame[i]), place_of(w, &frame[i]));
	if (!c->attributes)
		c->attributes = OTF2_AttributeList_New();
	if (!c->attributes || w->failed.failed) {
		export_fail(&w->failed, -ENOMEM);
		return;
	}
	otf2_check(w, OTF2_AttributeList_RemoveAllAttributes(c->attributes));
	if (e->id >> SAMPLE_MORE_SHIFT)
		otf2_check(w, OTF2_AttributeList_AddUint32(c->attributes, 0, 1 + (e->id >> SAMPLE_MORE_SHIFT)));
	uint32_t distance = distance_to(w, context);
	otf2_check(w, OTF2_EvtWriter_CallingContextSample(w->events, c->attributes, e->time, context, distance, generator));
}

void otf2_contexts_fini(struct otf2 *w)
{
	struct otf2_contexts *c = &w->contexts;
	if (c->attributes)
		(void)OTF2_AttributeList_Delete(c->attributes);
	weft_map_fini(&c->children);
	weft_map_fini(&c->functions);
	weft_map_fini(&c->places);
	free(c->context.at);
	free(c->function.at);
	free(c->place.at);
	free(c->generator.at);
}
