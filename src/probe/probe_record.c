/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events that the process records itself, by libweft: which definitions they are of is asked of the
 * agent, and a watch's programs say so.
 */
#include "probe_priv.h"
#include "probe_watch.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Answered by 0 or a reason in words. */
static int ask(struct probe_session *s, enum link_kind kind, const void *payload, uint32_t n, struct link_head **answer)
{
	session_begin_packet(s);
	void *to = link_packet_add(s->out, kind, s->tag, n);
	if (!to)
		return -EMSGSIZE;
	memcpy(to, payload, n);
	int rc = session_exchange(s);
	uint32_t pos = 0;
	*answer = rc ? NULL : link_packet_next(s->in, &pos);
	return rc ? rc : *answer && (*answer)->kind == kind ? (*answer)->rc : -EPROTO;
}

int probe_record(struct probe_session *s, const char *directory, struct weft_err *err)
{
	struct link_head *h = NULL;
	int rc = ask(s, LINK_RECORD, directory, (uint32_t)strlen(directory) + 1, &h);
	char text[400] = "";
	/* libweft has been mapped where nothing was. */
	if (rc == 0 && (rc = process_read_map(s)) == 0)
		return 0;
	if (h && h->bytes > 1)
		snprintf(text, sizeof text, "%.*s", (int)(h->bytes < sizeof text ? h->bytes : sizeof text),
		         (char *)link_payload(h));
	if (!*text)
		return weft_err_sys(err, -rc, "cannot record in process %d", (int)probe_pid(s));
	return weft_err_set(err, rc, "process %d %s", (int)probe_pid(s), text);
}

int probe_sample(struct probe_session *s, const char *settings, struct weft_err *err)
{
	struct link_head *h = NULL;
	int rc = ask(s, LINK_SAMPLE, settings, (uint32_t)strlen(settings) + 1, &h);
	if (rc == 0)
		rc = process_read_map(s);
	return rc ? weft_err_sys(err, -rc, "cannot take samples of process %d", (int)probe_pid(s)) : 0;
}

int probe_define(struct probe_session *s, enum link_definition what, const char *name, uint64_t *out, struct weft_err *err)
{
	struct {
		struct link_define d;
		char name[512];
	} q = {.d = {.what = what}};
	struct link_head *h = NULL;
	int n = snprintf(q.name, sizeof q.name, "%s", name);
	n = n < 0 ? 0 : n < (int)sizeof q.name ? n : (int)sizeof q.name - 1;
	*out = 0;
	int rc = ask(s, LINK_DEFINE, &q, (uint32_t)sizeof q.d + (uint32_t)n + 1, &h);
	if (rc == 0 && h->bytes >= sizeof *out)
		memcpy(out, link_payload(h), sizeof *out);
	if (rc == 0 && !*out)
		rc = -ENOSPC;
	return rc ? weft_err_sys(err, -rc, "cannot define '%s' in process %d", name, (int)probe_pid(s)) : 0;
}

/* ---- a watch ---- */

static int add_op(struct probe_bound *b, unsigned when, struct link_op op, struct weft_err *err)
{
	struct probe_program *p = &b->request.program[when];
	if (p->n == LINK_PROGRAM_OPS)
		return weft_err_set(err, -E2BIG, "too many attributes of '%s'", b->watch->function);
	b->op[when][p->n++] = op;
	p->op = b->op[when];
	return 0;
}

static enum link_value kind_of(struct probe_type t)
{
	if (t.kind == PROBE_TYPE_STRING)
		return LINK_VALUE_TEXT;
	return t.kind != PROBE_TYPE_FLOAT ? LINK_VALUE_INT : t.size == 4 ? LINK_VALUE_FLOAT : LINK_VALUE_DOUBLE;
}

/* Behind the instructions that fetch attribute k: it is a point "function.attribute". */
static int add_value(struct probe_session *s, struct probe_bound *b, unsigned k, struct weft_err *err)
{
	const struct probe_attribute *a = &b->watch->attribute[k];
	char name[sizeof b->watch->function + sizeof a->name + 2];
	uint64_t type;
	snprintf(name, sizeof name, "%s.%s", b->watch->function, a->name);
	int rc = probe_define(s, LINK_DEFINE_TYPE, name, &type, err);
	struct link_op op = {.op = LINK_OP_VALUE, .index = (uint8_t)kind_of(b->type[k]), .a = type};
	return rc ? rc : add_op(b, a->when, op, err);
}

static int add_event(struct probe_session *s, struct probe_bound *b, struct weft_err *err)
{
	bool region = b->request.kinds & PROBE_EXIT;
	uint64_t definition;
	int rc = probe_define(s, region ? LINK_DEFINE_REGION : LINK_DEFINE_TYPE, b->watch->function, &definition, err);
	struct link_op op = {.op = LINK_OP_EVENT, .index = region ? LINK_EVENT_ENTER : LINK_EVENT_POINT, .a = definition};
	rc = rc ? rc : add_op(b, LINK_ENTRY, op, err);
	op.index = LINK_EVENT_LEAVE;
	return rc || !region ? rc : add_op(b, LINK_EXIT, op, err);
}

int probe_watch_record(struct probe_session *s, struct probe_bound *b, bool values_only, struct weft_err *err)
{
	struct probe_bound fetched = *b;
	unsigned at[LINK_WHENS] = {0, 0};
	int rc = 0;
	b->request.recorded = true;
	for (unsigned when = 0; when < LINK_WHENS; when++)
		b->request.program[when].n = 0;
	if (!values_only)
		rc = add_event(s, b, err);
	for (unsigned k = 0; rc == 0 && k < b->watch->n; k++) {
		unsigned when = b->watch->attribute[k].when, end = at[when] + b->n_ops[k];
		for (; rc == 0 && at[when] < end; at[when]++) {
			struct link_op op = fetched.op[when][at[when]];
			op.put = 0;
			rc = add_op(b, when, op, err);
		}
		if (rc == 0 && b->n_ops[k])
			rc = add_value(s, b, k, err);
	}
	return rc;
}
