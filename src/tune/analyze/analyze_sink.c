/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The points that a run leaves in a trace: for each process its measured events, attributes first
 * ("tunlet.event.attribute", then "tunlet.event"), and actions at the instant when they were in
 * force ("tunlet.point", "tunlet.point.old"); for the analyzer and each tunlet the values of its
 * iterations and its decisions. The analyzer and collectors as processes of a tunlet are left out:
 * they are no part of the program. analyze_replay.c reads the events back.
 */
#include "analyze_priv.h"
#include <math.h>
#include <string.h>

enum { NAME_MAX_BYTES = 400 };

static uint64_t mono(const struct analyze *a, uint64_t time)
{
	return time - a->began + a->began_mono;
}

static void put(struct analyze *a, struct analyze_point p)
{
	if (a->how.sink.ctx)
		a->how.sink.point(a->how.sink.ctx, &p);
}

void sink_process(struct analyze *a, const struct message_process *m)
{
	if (a->how.sink.ctx)
		a->how.sink.process(a->how.sink.ctx, (uint32_t)a->process.n, m, mono(a, m->time));
}

void sink_event(struct analyze *a, const struct analyze_process *t, const struct message *m)
{
	const struct weft_spec *s = a->tunlet[m->event.event >> 16].s;
	const struct spec_event *e = &s->event.at[m->event.event & 0xffff];
	char name[NAME_MAX_BYTES];
	struct analyze_point p = {.time = mono(a, m->event.time), .thread = m->event.tid, .name = name};
	if (!a->how.sink.ctx || t->controller == ANALYZE_SELF)
		return;
	p.process = t->number;
	for (uint32_t i = 0; i < m->event.n && i < e->ref.n; i++) {
		snprintf(name, sizeof name, "%s.%s.%s", weft_spec_name(s), e->id.z, e->ref.at[i].id.z);
		p.value = m->event.value[i];
		put(a, p);
	}
	snprintf(name, sizeof name, "%s.%s", weft_spec_name(s), e->id.z);
	p.value = (struct message_value){.kind = MESSAGE_INT, .i = 1, .s = ""};
	put(a, p);
}

void sink_values(struct analyze *a, const struct analyze_tunlet *k, const struct weft_eval_result *w)
{
	char name[NAME_MAX_BYTES];
	struct analyze_point p = {.time = mono(a, analyze_now(a)), .thread = k->index, .name = name};
	if (!a->how.sink.ctx)
		return;
	for (uint32_t i = 0; i < w->n; i++) {
		const char *value = weft_eval_value_name(k->e, i);
		if (!value || isnan(w->value[i]))
			continue;
		snprintf(name, sizeof name, "%s.%s", weft_spec_name(k->s), value);
		p.value = (struct message_value){.kind = MESSAGE_REAL, .d = w->value[i], .s = ""};
		put(a, p);
	}
	snprintf(name, sizeof name, "%s.iteration", weft_spec_name(k->s));
	p.value = (struct message_value){.kind = MESSAGE_INT, .i = w->iteration, .s = ""};
	put(a, p);
}

static void point_name(const struct analyze *a, uint32_t tunlet, uint32_t point, const char *behind, char *out)
{
	const struct weft_spec *s = a->tunlet[tunlet].s;
	snprintf(out, NAME_MAX_BYTES, "%s.%s%s", weft_spec_name(s), s->point.at[point].id.z, behind);
}

void sink_decision(struct analyze *a, const struct analyze_decision *d)
{
	char name[NAME_MAX_BYTES];
	struct analyze_point p = {.time = mono(a, analyze_now(a)), .thread = d->tunlet, .name = name};
	point_name(a, d->tunlet, d->point, ".decided", name);
	p.value = (struct message_value){.kind = d->is_text ? MESSAGE_TEXT : MESSAGE_REAL,
	                                 .d = d->number,
	                                 .s = d->is_text ? d->text : ""};
	put(a, p);
}

void sink_action(struct analyze *a, const struct analyze_action *x)
{
	char name[NAME_MAX_BYTES];
	struct analyze_point p = {.time = mono(a, x->acted),
	                          .process = (uint32_t)x->process + 1,
	                          .thread = ANALYZE_TUNING,
	                          .name = name};
	if (x->rc || a->process.at[x->process]->controller == ANALYZE_SELF)
		return;
	point_name(a, x->tunlet, x->point, ".old", name);
	p.value = x->old;
	if (x->old.kind)
		put(a, p);
	point_name(a, x->tunlet, x->point, "", name);
	p.value = x->value;
	put(a, p);
}
