/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes of sites as packets to the agent, and its answers. All changes of a call are one packet:
 * pages and stubs first, programs of probes next, patches of code at the end, so that no thread
 * finds a stub half written.
 */
#include "probe_priv.h"
#include "base/vec.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool put_program(struct probe_session *s, uint32_t id, unsigned when, uint64_t exit_stub)
{
	unsigned n = 0, flags = 0;
	for (size_t k = 0; k < s->parts.n; k++) {
		if (s->parts.at[k].site != id || s->parts.at[k].when != when)
			continue;
		n += s->parts.at[k].n;
		flags |= s->parts.at[k].flags;
	}
	struct link_site *to = link_packet_add(s->out, LINK_SITE, s->tag, (uint32_t)(sizeof *to + n * sizeof(struct link_op)));
	if (!to)
		return false;
	*to = (struct link_site){.id = id, .when = when, .n_ops = n, .flags = flags, .exit_stub = exit_stub};
	struct link_op *op = (void *)(to + 1);
	/* What changes something comes before what looks at it. */
	for (unsigned event = 0; event < 2; event++) {
		for (size_t k = 0; k < s->parts.n; k++) {
			const struct probe_part *p = &s->parts.at[k];
			if (p->site != id || p->when != when || p->n == 0 || (p->flags != 0) != event)
				continue;
			memcpy(op, p->op, p->n * sizeof *op);
			op += p->n;
		}
	}
	return true;
}

static bool put_map(struct probe_session *s, const struct site_change *c)
{
	if (!c->map.to)
		return true;
	struct link_range *map = link_packet_add(s->out, LINK_MAP, s->tag, sizeof *map);
	if (map)
		*map = (struct link_range){c->map.from, c->map.to - c->map.from};
	return map != NULL;
}

static int compare_stubs(const void *a, const void *b)
{
	const struct site_change *const *x = a, *const *y = b;
	return ((*x)->stub.addr > (*y)->stub.addr) - ((*x)->stub.addr < (*y)->stub.addr);
}

static uint64_t stub_end(const struct site_change *c)
{
	return c->stub.addr + c->stub.n;
}

/* Stubs from..to, in the order of their addresses, with the nothing that lies between them. */
static bool put_run(struct probe_session *s, const struct site_change *const *from, const struct site_change *const *to)
{
	uint64_t first = (*from)->stub.addr, n = stub_end(to[-1]) - first;
	struct link_range *code = link_packet_add(s->out, LINK_CODE, s->tag, (uint32_t)(sizeof *code + n));
	if (!code)
		return false;
	*code = (struct link_range){first, n};
	for (; from < to; from++)
		memcpy((uint8_t *)(code + 1) + ((*from)->stub.addr - first), (*from)->stub.bytes, (*from)->stub.n);
	return true;
}

/* A write to the process's memory costs the same for one stub and for those near it. */
static bool put_stubs(struct probe_session *s, const struct site_changes *c)
{
	enum { GAP = 256 };
	const struct site_change **at = malloc((c->n + 1) * sizeof *at);
	size_t n = 0, last;
	bool ok = at != NULL;
	for (size_t k = 0; ok && k < c->n; k++)
		if (c->at[k].stub_new)
			at[n++] = &c->at[k];
	if (n)
		qsort(at, n, sizeof *at, compare_stubs);
	for (size_t k = 0; ok && k < n; k = last) {
		for (last = k + 1; last < n; last++) {
			uint64_t end = stub_end(at[last - 1]), next = at[last]->stub.addr;
			if (next - end > GAP || !probe_place_is_gap(&s->place, end, next))
				break;
		}
		ok = put_run(s, at + k, at + last);
	}
	free(at);
	return ok;
}

static bool is_removal(const struct site_change *c)
{
	return c->patch_new && !c->stub_new;
}

static bool put_programs(struct probe_session *s, const struct site_change *c)
{
	uint64_t exit_stub = c->stub_new ? c->stub.exit_stub : c->patch_new ? 0 : s->site[c->id].exit_stub;
	return put_program(s, c->id, LINK_ENTRY, exit_stub) && put_program(s, c->id, LINK_EXIT, exit_stub);
}

/*
 * Many pages of code that are patched together, with few between them: the agent makes their first
 * write cheaper.
 */
static bool put_texts(struct probe_session *s, const struct site_changes *c)
{
	enum { PAGE = 4096, PAGES = 8, GAP = 64 };
	for (size_t k = 0, last; k < c->n; k = last) {
		uint64_t end = s->site[c->at[k].id].text_end, first = c->at[k].patch.addr / PAGE, page = first;
		unsigned pages = 1;
		for (last = k + 1; last < c->n && c->at[last].patch.lasts && c->at[last].patch.addr < end; last++) {
			uint64_t next = c->at[last].patch.addr / PAGE;
			if (next < page || next - page > GAP)
				break;
			pages += next != page;
			page = next;
		}
		if (pages < PAGES || !c->at[k].patch.lasts)
			continue;
		struct link_range *text = link_packet_add(s->out, LINK_TEXT, s->tag, sizeof *text);
		if (!text)
			return false;
		*text = (struct link_range){first * PAGE, (page - first + 1) * PAGE};
	}
	return true;
}

static bool put_changes(struct probe_session *s, const struct site_changes *c)
{
	bool ok = put_texts(s, c);
	for (size_t k = 0; k < c->n && ok; k++)
		ok = put_map(s, &c->at[k]);
	ok = ok && put_stubs(s, c);
	for (size_t k = 0; k < c->n && ok; k++)
		ok = is_removal(&c->at[k]) || put_programs(s, &c->at[k]);
	return ok;
}

static bool put_patches(struct probe_session *s, const struct site_changes *c)
{
	uint32_t n = 0;
	for (size_t k = 0; k < c->n; k++)
		n += c->at[k].patch_new;
	struct link_patch *to = link_packet_add(s->out, LINK_PATCH, s->tag, n * (uint32_t)sizeof *to);
	for (size_t k = 0; to && k < c->n; k++)
		if (c->at[k].patch_new)
			*to++ = c->at[k].patch;
	return to != NULL;
}

/* The answers: the first failure. Patches that went through are noted whatever became of others. */
static int read_answers(struct probe_session *s, struct site_changes *c)
{
	int rc = 0;
	uint32_t pos = 0;
	for (struct link_head *h; (h = link_packet_next(s->in, &pos));) {
		rc = rc ? rc : h->rc;
		const int64_t *each = link_payload(h);
		size_t n = h->bytes / 8;
		for (size_t k = 0, i = 0; h->kind == LINK_PATCH && h->rc == 0 && k < c->n && i < n; k++) {
			if (!c->at[k].patch_new)
				continue;
			struct probe_site *site = &s->site[c->at[k].id];
			int64_t one = each[i++];
			/* What is to be taken out may have gone with its library. */
			if (!c->at[k].patch.lasts && (one == -ESTALE || one == -EFAULT))
				one = 0;
			rc = rc ? rc : (int)one;
			if (one)
				continue;
			memcpy(site->now, c->at[k].patch.after, sizeof site->now);
			memcpy(site->copy, c->at[k].patch.target, sizeof site->copy);
			memcpy(site->copy, c->at[k].stub_new ? c->at[k].stub.copy : site->copy, sizeof site->copy);
			site->patched = c->at[k].patch.lasts;
			site->kinds = c->at[k].kinds;
			site->other_now = site->is_other;
			site->exit_stub = c->at[k].stub_new ? c->at[k].stub.exit_stub : 0;
		}
	}
	return rc;
}

static const char *what_failed(int rc)
{
	return rc == -ESTALE      ? "its code is not what it was: something else has changed it"
	       : rc == -EFAULT    ? "its code is not there any more"
	       : rc == -EEXIST    ? "the memory for its stub was taken meanwhile"
	       : rc == -EPIPE     ? "the process is gone"
	       : rc == -ETIMEDOUT ? "the process does not answer"
	                          : weft_err_name(rc);
}

struct link_head *site_patches_in(struct link_packet *packet)
{
	uint32_t pos = 0;
	struct link_head *h;
	while ((h = link_packet_next(packet, &pos)) && h->kind != LINK_PATCH)
		;
	return h;
}

int site_exchange(struct probe_session *s, const struct link_patch *p, unsigned n, struct weft_err *err)
{
	enum { ROUNDS = 50 };
	for (int round = 0; round < ROUNDS; round++) {
		struct stop *stopped;
		int rc = peer_check(s->peer); /* threads may be stopped by their numbers */
		if (rc == -EPERM)
			return weft_err_set(err, rc, "the process has another user's rights now");
		rc = stop_begin(s, p, n, &stopped, err);
		if (rc)
			return rc;
		struct link_head *h = site_patches_in(s->out);
		struct link_patch *sent = h ? link_payload(h) : NULL;
		for (unsigned k = 0; sent && k < n; k++)
			sent[k].entered = s->entered;
		rc = session_exchange(s);
		stop_end(stopped);
		h = rc ? NULL : site_patches_in(s->in);
		if (!h || h->rc || h->bytes < 8 || *(int64_t *)link_payload(h) != -EAGAIN)
			return rc;
		/* All else in the packet has been done. */
		session_begin_packet(s);
		sent = link_packet_add(s->out, LINK_PATCH, s->tag, n * (uint32_t)sizeof *sent);
		if (!sent)
			return -EMSGSIZE;
		memcpy(sent, p, n * sizeof *sent);
	}
	return weft_err_set(err, -EAGAIN, "threads of the process block SIGTRAP again and again");
}

static int exchange_changes(struct probe_session *s, const struct site_changes *c, struct weft_err *err)
{
	WEFT_VEC(struct link_patch) all = {0};
	int rc = 0;
	for (size_t k = 0; k < c->n && rc == 0; k++)
		if (c->at[k].patch_new && weft_vec_push(&all, c->at[k].patch))
			rc = weft_err_set(err, -ENOMEM, "out of memory");
	if (rc == 0)
		rc = all.n ? site_exchange(s, all.at, (unsigned)all.n, err) : session_exchange(s);
	free(all.at);
	return rc;
}

/*
 * A removed probe makes events until its code is as it was, so that each call that is counted has its
 * event; only that of a thread in the stub at that moment may be counted without one.
 */
static int drop_programs(struct probe_session *s, const struct site_changes *c)
{
	unsigned n = 0;
	session_begin_packet(s);
	for (size_t k = 0; k < c->n; k++)
		if (is_removal(&c->at[k]) && put_programs(s, &c->at[k]))
			n++;
	return n ? session_exchange(s) : 0;
}

int site_apply(struct probe_session *s, struct site_changes *c, struct weft_err *err)
{
	session_begin_packet(s);
	if (!put_changes(s, c) || !put_patches(s, c))
		return weft_err_set(err, -EMSGSIZE, "too many functions at once");
	int rc = exchange_changes(s, c, err), dropped = 0;
	rc = rc ? rc : read_answers(s, c);
	if (rc != -EPIPE && rc != -ETIMEDOUT)
		dropped = drop_programs(s, c);
	rc = rc ? rc : dropped;
	return rc ? weft_err_set(err, rc, "cannot instrument '%s': %s", c->n ? s->site[c->at[0].id].symbol : "", what_failed(rc))
	          : 0;
}
