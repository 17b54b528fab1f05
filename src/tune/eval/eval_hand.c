/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tunlets written by hand (include/weft/tunlet.h), in the child process: the specification names
 * events, actors and points, a shared object has the handlers. What it asks is answered to the
 * caller as what translated tunlets decide.
 */
#include "eval_work.h"
#include "weft/tunlet.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct hand_task {
	char host[EVAL_HOST_MAX];
	WEFT_VEC(struct weft_tunlet_action) action;
};

struct hand {
	struct weft_tunlet_host host; /* first: handlers give it back to us */
	struct weft_spec *s;
	const struct weft_tunlet *code;
	void *self;
	struct store_host out;
	struct weft_tunlet_event *event;
	struct weft_tunlet_task *task;
	struct hand_task *more; /* of each task */
	size_t task_room, more_room;
	struct answer answer;
};

static struct hand *hand_of(const struct weft_tunlet_host *host)
{
	return (struct hand *)(uintptr_t)host;
}

static struct answer *begin_answer(struct hand *h, int kind, int64_t task)
{
	memset(&h->answer, 0, offsetof(struct answer, value));
	h->answer.kind = kind;
	h->answer.iteration = -1;
	h->answer.process = task;
	return &h->answer;
}

static uint32_t find_task(const struct hand *h, int64_t id)
{
	for (uint32_t i = h->host.n_tasks; i-- > 0;)
		if (h->task[i].id == id && h->task[i].alive)
			return i;
	return SPEC_NONE;
}

static int remember(struct hand *h, uint32_t i, const char *point, struct weft_tunlet_value value)
{
	/* A text belongs to the caller. */
	if (value.text && !(value.text = weft_arena_strdup(&h->s->arena, value.text)))
		return -ENOMEM;
	if (weft_vec_push(&h->more[i].action, (struct weft_tunlet_action){point, value}))
		return -ENOMEM;
	h->task[i].action = h->more[i].action.at;
	h->task[i].n_actions = (uint32_t)h->more[i].action.n;
	return 0;
}

static int hand_tune(const struct weft_tunlet_host *host, int64_t task, const char *point, struct weft_tunlet_value value)
{
	struct hand *h = hand_of(host);
	uint32_t p = spec_find_point(h->s, point);
	if (p == SPEC_NONE || (task != WEFT_TUNLET_ALL && find_task(h, task) == SPEC_NONE))
		return -ENOENT;
	for (uint32_t i = 0; i < h->host.n_tasks; i++)
		if (h->task[i].alive && (task == WEFT_TUNLET_ALL || h->task[i].id == task)) {
			int rc = remember(h, i, h->s->point.at[p].id.z, value);
			if (rc)
				return rc;
		}
	struct answer *a = begin_answer(h, WEFT_RESULT_TUNE, task);
	a->what = p;
	a->is_text = value.text != NULL;
	a->number = value.number;
	snprintf(a->text, sizeof a->text, "%s", value.text ? value.text : "");
	h->out.answer(h->out.ctx, a);
	return 0;
}

static int switch_event(const struct weft_tunlet_host *host, int64_t task, const char *event, bool add)
{
	struct hand *h = hand_of(host);
	uint32_t e = spec_find_event(h->s, event);
	if (e == SPEC_NONE || (task != WEFT_TUNLET_ALL && find_task(h, task) == SPEC_NONE))
		return -ENOENT;
	if (h->s->event.at[e].util == UTILITY_ALWAYS)
		return -EPERM;
	struct answer *a = begin_answer(h, WEFT_RESULT_EVENT, task);
	a->what = e;
	a->add = add;
	h->out.answer(h->out.ctx, a);
	return 0;
}

static int hand_add(const struct weft_tunlet_host *host, int64_t task, const char *event)
{
	return switch_event(host, task, event, true);
}

static int hand_remove(const struct weft_tunlet_host *host, int64_t task, const char *event)
{
	return switch_event(host, task, event, false);
}

/* A handler that failed is reported; it goes on. */
static void report(struct hand *h, int rc, const char *handler)
{
	if (rc >= 0)
		return;
	struct answer *a = begin_answer(h, WEFT_RESULT_HANDLER, WEFT_TUNLET_ALL);
	snprintf(a->text, sizeof a->text, "%s: %s", handler, weft_err_name(rc));
	h->out.answer(h->out.ctx, a);
}

static int add_task(struct hand *h, uint32_t actor, int64_t id, const char *host)
{
	uint32_t i = h->host.n_tasks;
	if ((i >= h->task_room && weft_vec_grow(&h->task, &h->task_room, i + 1, sizeof *h->task)) ||
	    (i >= h->more_room && weft_vec_grow(&h->more, &h->more_room, i + 1, sizeof *h->more)))
		return -ENOMEM;
	h->more[i] = (struct hand_task){0};
	snprintf(h->more[i].host, sizeof h->more[i].host, "%s", host);
	h->task[i] = (struct weft_tunlet_task){.id = id, .actor = h->s->actor.at[actor].id.z, .alive = 1};
	h->host.n_tasks++;
	h->host.task = h->task;
	/* Growing moved them. */
	for (uint32_t k = 0; k < h->host.n_tasks; k++)
		h->task[k].host = h->more[k].host;
	if (h->code->task_begins)
		report(h, h->code->task_begins(h->self, &h->host, &h->task[i]), "task_begins");
	return 0;
}

void hand_process(struct hand *h, const struct request *r)
{
	uint32_t i = find_task(h, r->id);
	if (r->begins && i == SPEC_NONE) {
		report(h, add_task(h, r->what, r->id, r->host), "task_begins");
	} else if (!r->begins && i != SPEC_NONE) {
		h->task[i].alive = 0;
		if (h->code->task_ends)
			report(h, h->code->task_ends(h->self, &h->host, &h->task[i]), "task_ends");
	}
}

void hand_event(struct hand *h, const struct request *r)
{
	struct weft_tunlet_value value[EVAL_VALUES_MAX] = {0};
	const struct spec_event *e = &h->s->event.at[r->what];
	if (find_task(h, r->id) == SPEC_NONE)
		report(h, add_task(h, e->actor_id, r->id, ""), "task_begins");
	for (uint32_t i = 0; i < r->n && i < e->ref.n; i++) {
		bool text = e->ref.at[i].t == TYPE_STRING;
		value[i] = (struct weft_tunlet_value){r->value[i].d, r->value[i].i, text ? r->value[i].s : NULL};
	}
	struct weft_tunlet_record record = {&h->event[r->what], r->id, r->time, value};
	if (h->code->event)
		report(h, h->code->event(h->self, &h->host, &record), "event");
}

void hand_lost(struct hand *h, const struct request *r)
{
	if (h->code->lost)
		report(h, h->code->lost(h->self, &h->host, r->id, r->count), "lost");
}

void hand_end(struct hand *h)
{
	if (h->code->end)
		h->code->end(h->self, &h->host);
}

static int describe_events(struct hand *h)
{
	struct weft_spec *s = h->s;
	h->event = calloc(s->event.n + 1, sizeof *h->event);
	for (size_t i = 0; h->event && i < s->event.n; i++) {
		const struct spec_event *e = &s->event.at[i];
		struct weft_tunlet_attribute *a = calloc(e->ref.n + 1, sizeof *a);
		if (!a)
			return -ENOMEM;
		for (size_t k = 0; k < e->ref.n; k++)
			a[k] = (struct weft_tunlet_attribute){e->ref.at[k].id.z, e->ref.at[k].t == TYPE_STRING
			                                                                 ? "string"
			                                                                 : spec_type_name[e->ref.at[k].t]};
		h->event[i] = (struct weft_tunlet_event){e->id.z, e->actor.z, e->method.z, e->at_exit, (uint32_t)e->ref.n, a};
	}
	return h->event ? 0 : -ENOMEM;
}

int hand_new(struct hand **out, struct weft_spec *s, const void *code, const struct store_host *host)
{
	struct hand *h = calloc(1, sizeof *h);
	if (!h)
		return -ENOMEM;
	h->s = s;
	h->code = code;
	h->out = *host;
	int rc = h->code->version != WEFT_TUNLET_VERSION ? -ENOTSUP : describe_events(h);
	if (rc) {
		for (size_t i = 0; h->event && i < s->event.n; i++)
			free((void *)(uintptr_t)h->event[i].attribute);
		free(h->event);
		free(h);
		return rc;
	}
	h->host = (struct weft_tunlet_host){.version = WEFT_TUNLET_VERSION,
	                                    .n_events = (uint32_t)s->event.n,
	                                    .event = h->event,
	                                    .tune = hand_tune,
	                                    .add_event = hand_add,
	                                    .rem_event = hand_remove};
	*out = h;
	if (h->code->begin)
		report(h, h->code->begin(&h->host, &h->self), "begin");
	return 0;
}
