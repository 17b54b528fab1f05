/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collectors between the analyzer and its controllers: they get the tunlets and the processes'
 * actors, and are asked about iterations; their answers are folds, which are queued as events are.
 * In a run that is recorded they pass on every event, too.
 */
#include "analyze_priv.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE_BYTES = 48 << 10, FOLD_MOST = 64 << 20 };

/* Why collectors have every event of a tunlet passed on; NULL: they fold. */
static const char *why_not(const struct analyze *a, const struct analyze_tunlet *k)
{
	return a->how.tunlet[k->index].handlers ? "it has handlers written by hand"
	       : weft_spec_has_metrics(k->s)    ? "it has metrics"
	                                        : NULL;
}

bool fold_folds(const struct analyze *a, uint32_t tunlet)
{
	return !why_not(a, &a->tunlet[tunlet]);
}

static void say_passes(struct analyze *a, struct analyze_tunlet *k)
{
	if (!k->says_passes)
		show_line(a, true, "%s: collectors only pass its events on, as %s", weft_spec_name(k->s), why_not(a, k));
	k->says_passes = true;
}

static void say_spec(struct analyze *a, unsigned controller, const struct analyze_tunlet *k)
{
	struct message m = {.kind = MESSAGE_SPEC};
	for (size_t done = 0; done < k->s->n;) {
		size_t part = k->s->n - done < PIECE_BYTES ? k->s->n - done : PIECE_BYTES;
		m.spec = (struct message_spec){.tunlet = k->index,
		                               .began = a->began,
		                               .per_unit = k->per_unit,
		                               .name = k->s->file,
		                               .more = done + part < k->s->n,
		                               .bytes = k->s->text + done,
		                               .n = (uint32_t)part,
		                               .passes = a->how.sink.ctx != NULL};
		done += part;
		analyze_send(a, controller, &m);
	}
}

void fold_hello(struct analyze *a, unsigned controller, const struct message_hello *m)
{
	struct weft_err err = {0};
	if (!m->collector)
		return;
	process_flush(a);
	a->fold[controller].collector = true;
	for (unsigned i = 0; i < a->how.n_tunlets; i++) {
		if (!fold_folds(a, i)) {
			say_passes(a, &a->tunlet[i]);
			continue;
		}
		say_spec(a, controller, &a->tunlet[i]);
		int rc = weft_eval_child(a->tunlet[i].e, controller, true, &err);
		if (rc)
			analyze_fail(a, rc, &err);
	}
	/* One that was put between while the run goes on has processes already. */
	for (size_t i = 0; i < a->process.n; i++)
		for (uint32_t k = 0;
		     a->process.at[i]->alive && a->process.at[i]->controller == controller && k < a->how.n_tunlets; k++)
			fold_bind(a, a->process.at[i], k);
}

void fold_lose(struct analyze *a, unsigned controller)
{
	struct weft_err err = {0};
	process_flush(a);
	for (unsigned i = 0; a->fold[controller].collector && i < a->how.n_tunlets; i++) {
		int rc = fold_folds(a, i) ? weft_eval_child(a->tunlet[i].e, controller, false, &err) : 0;
		if (rc)
			analyze_fail(a, rc, &err);
	}
	a->fold[controller].collector = false;
	weft_buf_fini(&a->fold[controller].bytes);
}

void fold_bind(struct analyze *a, const struct analyze_process *t, uint32_t tunlet)
{
	struct message m = {.kind = MESSAGE_BIND};
	if (!a->fold[t->controller].collector || !fold_folds(a, tunlet) || t->binding[tunlet].actor < 0)
		return;
	m.bind = (struct message_bind){t->process, tunlet, (uint32_t)t->binding[tunlet].actor, t->id};
	analyze_send(a, t->controller, &m);
}

/*
 * Pieces become one message, which is queued behind the events that came before it by the same way,
 * and behind no others.
 */
void fold_heard(struct analyze *a, unsigned controller, const struct message_folded *m)
{
	struct weft_buf *b = &a->fold[controller].bytes;
	weft_buf_add(b, m->bytes, m->n);
	if (b->failed || b->n > FOLD_MOST) {
		a->fold[controller].over = true;
		return;
	}
	if (m->more)
		return;
	struct message *whole = calloc(1, sizeof *whole + b->n);
	if (!whole) {
		analyze_fail(a, -ENOMEM, NULL);
		return;
	}
	whole->kind = MESSAGE_FOLDED;
	whole->folded = *m;
	whole->folded.bytes = memcpy(whole + 1, b->at, b->n);
	whole->folded.n = (uint32_t)b->n;
	b->n = 0;
	if (order_put_owned(a, controller, a->fold[controller].last, whole))
		analyze_fail(a, -ENOMEM, NULL);
}

void fold_due(struct analyze *a, unsigned controller, const struct message_folded *m)
{
	struct weft_err err = {0};
	if (m->tunlet >= a->how.n_tunlets || !fold_folds(a, m->tunlet))
		return;
	/* The events before it come before it. */
	process_flush(a);
	a->folds++;
	int rc = weft_eval_fold(a->tunlet[m->tunlet].e, controller, m->bytes, m->n, &err);
	if (rc)
		analyze_fail(a, rc, &err);
}

static void note_ask(struct analyze_tunlet *k, const struct weft_eval_result *w)
{
	bool closed = w->kind == WEFT_RESULT_CLOSED;
	for (size_t i = 0; i < k->asks.n; i++)
		if (k->asks.at[i] == w->iteration || (closed && w->add))
			k->asks.at[i--] = k->asks.at[--k->asks.n];
	if (!closed && weft_vec_push(&k->asks, w->iteration))
		analyze_fail(k->a, -ENOMEM, NULL);
}

void fold_result(struct analyze_tunlet *k, const struct weft_eval_result *w)
{
	struct message m = {.kind = MESSAGE_CLOSE};
	bool closed = w->kind == WEFT_RESULT_CLOSED;
	enum message_closing how = closed ? (w->add ? MESSAGE_ANEW : MESSAGE_CLOSED) : w->add ? MESSAGE_ASK_ALL : MESSAGE_ASK;
	m.close = (struct message_close){k->index, (uint8_t)how, w->iteration};
	note_ask(k, w);
	for (unsigned i = 0; i < k->a->n_controllers; i++)
		if (k->a->fold[i].collector)
			analyze_send(k->a, i, &m);
}

/* Iterations elsewhere may lack what was lost, too. */
void fold_lost(struct analyze *a, unsigned controller, const struct message *m)
{
	for (unsigned i = 0; i < a->n_controllers; i++)
		if (i != controller && a->fold[i].collector)
			analyze_send(a, i, m);
}

void fold_here(struct analyze *a, unsigned controller, const struct message_here *m)
{
	struct analyze_process *t = process_find(a, m->process);
	if (t)
		t->controller = controller;
	hold_here(a, m->process, controller);
}

void fold_ended(struct analyze *a, unsigned controller)
{
	a->fold[controller].ended = true;
}

/* At the end of the run: all messages from below are handled, but collectors still answer. */
bool fold_all_ended(const struct analyze *a)
{
	for (unsigned i = 0; i < a->n_controllers; i++)
		if (a->controller[i].fd >= 0 && !a->fold[i].ended)
			return false;
	return true;
}

bool fold_waits(const struct analyze *a)
{
	for (unsigned i = 0; i < a->how.n_tunlets; i++)
		if (a->tunlet[i].asks.n)
			return true;
	return false;
}
