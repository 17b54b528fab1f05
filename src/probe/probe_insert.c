/* SPDX-License-Identifier: Apache-2.0 */
/* Probes: requests become uses and parts of sites, and what that changes is told in one packet. */
#include "probe_priv.h"
#include "base/vec.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct ids {
	uint32_t *at;
	size_t n, cap;
};

static int add_id(struct ids *v, uint32_t id)
{
	for (size_t k = 0; k < v->n; k++)
		if (v->at[k] == id)
			return 0;
	return weft_vec_push(v, id);
}

static void count_uses(struct probe_session *s, const struct probe_request *r, uint32_t id, int by)
{
	for (unsigned k = 0; k < 3; k++)
		if (r->kinds >> k & 1)
			s->site[id].uses[k] += (unsigned)by;
}

static int add_parts(struct probe_session *s, const struct probe_request *r, uint32_t id)
{
	for (unsigned when = 0; when < LINK_WHENS; when++) {
		if (!(r->kinds & (when == LINK_ENTRY ? PROBE_ENTRY : PROBE_EXIT)))
			continue;
		struct probe_part p = {.site = id,
		                       .when = when,
		                       .flags = LINK_SITE_EVENT,
		                       .n = r->program[when].n,
		                       .op = (struct link_op *)r->program[when].op,
		                       .owner = r->owner};
		int rc = site_add_part(s, p);
		if (rc)
			return rc;
	}
	return 0;
}

static void take_back(struct probe_session *s, struct probe_request *r)
{
	for (unsigned k = 0; k < r->n_sites; k++)
		count_uses(s, r, r->site[k], -1);
	site_drop_parts(s, r->owner);
	r->n_sites = 0;
}

/* Its functions have sites, and those want it; nothing is told yet. -ESTALE: what was found is not there any more. */
static int place_once(struct probe_session *s, struct probe_request *r)
{
	struct probe_found found[PROBE_CLONES];
	r->n_sites = 0;
	r->traps = false;
	r->err = (struct weft_err){0};
	r->owner = ++s->owners;
	int n = probe_find(s, r->function, false, found, &r->err);
	for (int k = 0; k < n; k++) {
		const char *why = r->kinds & PROBE_EXIT ? site_no_exit(found[k].symbol) : NULL;
		int id = why ? weft_err_set(&r->err, -ENOTSUP, "cannot watch the exit of '%s': %s", r->function, why)
		             : site_get(s, &found[k], &r->err);
		if (id >= 0 && s->site[id].is_other)
			id = weft_err_set(&r->err, -EBUSY, "'%s' is replaced", r->function);
		if (id < 0) {
			take_back(s, r);
			return id;
		}
		r->site[r->n_sites++] = (uint32_t)id;
		r->traps |= s->site[id].way.trap;
		count_uses(s, r, (uint32_t)id, 1);
		if (add_parts(s, r, (uint32_t)id)) {
			take_back(s, r);
			return weft_err_set(&r->err, -ENOMEM, "out of memory");
		}
		if (found[k].clone == PROBE_SPECIAL)
			weft_err_set(&r->err, 0, "the compiler has made a special form of '%s': parameters may be missing",
			             r->function);
		else if (found[k].clone == PROBE_PART)
			weft_err_set(&r->err, 0, "the beginning of '%s' was inlined: only its rest can be seen", r->function);
	}
	return n < 0 ? n : 0;
}

/* A library may have been unloaded, and loaded again elsewhere, since somebody looked. */
static int place_request(struct probe_session *s, struct probe_request *r)
{
	int rc = place_once(s, r);
	return rc == -ESTALE && process_read_map(s) == 0 ? place_once(s, r) : rc;
}

int probe_insert(struct probe_session *s, struct probe_request *r, unsigned n)
{
	struct ids ids = {0};
	int first = 0;
	unsigned exits = 0;
	for (unsigned k = 0; k < n; k++)
		exits |= r[k].kinds & PROBE_EXIT;
	struct weft_err err = {0};
	s->code.n = 0;
	int rc = exits ? site_hook_unwinders(s, &err) : 0;
	for (unsigned k = 0; k < n; k++) {
		r[k].rc = rc ? rc : place_request(s, &r[k]);
		if (rc)
			r[k].err = err;
		first = first ? first : r[k].rc;
		for (unsigned i = 0; r[k].rc == 0 && i < r[k].n_sites; i++)
			if (add_id(&ids, r[k].site[i]))
				r[k].rc = first = -ENOMEM;
	}
	rc = rc ? 0 : site_update(s, ids.at, (unsigned)ids.n, &err);
	for (unsigned k = 0; rc && k < n; k++) {
		if (r[k].rc)
			continue;
		take_back(s, &r[k]);
		r[k].rc = first = rc;
		r[k].err = err;
	}
	free(ids.at);
	return first;
}

int probe_remove(struct probe_session *s, struct probe_request *r, unsigned n)
{
	struct ids ids = {0};
	int rc = 0;
	for (unsigned k = 0; k < n; k++) {
		for (unsigned i = 0; i < r[k].n_sites; i++)
			rc = add_id(&ids, r[k].site[i]) ? -ENOMEM : rc;
		take_back(s, &r[k]);
	}
	struct weft_err err = {0};
	rc = rc ? rc : site_update(s, ids.at, (unsigned)ids.n, &err);
	free(ids.at);
	return rc;
}

int probe_counted(struct probe_session *s, const struct probe_request *r, uint64_t *out)
{
	*out = 0;
	for (unsigned k = 0; k < r->n_sites; k++) {
		struct link_range one = {r->site[k], 1};
		uint64_t n = 0;
		int rc = session_ask(s, LINK_COUNT, &one, sizeof one, &n, sizeof n);
		if (rc)
			return rc;
		*out += n;
	}
	return 0;
}
