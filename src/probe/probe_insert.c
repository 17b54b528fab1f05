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

/*
 * Once each, in the order of their addresses: the agent writes at once what lies near each other.
 */
static int add_id(const struct probe_session *s, struct ids *v, uint32_t id)
{
	size_t k = v->n;
	while (k > 0 && s->site[v->at[k - 1]].addr > s->site[id].addr)
		k--;
	if (k > 0 && v->at[k - 1] == id)
		return 0;
	if (weft_vec_reserve(v, v->n + 1))
		return -ENOMEM;
	memmove(v->at + k + 1, v->at + k, (v->n++ - k) * sizeof *v->at);
	v->at[k] = id;
	return 0;
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
		                       .flags = r->recorded ? LINK_SITE_RECORD : LINK_SITE_EVENT,
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

/* What requests' names mean. */
struct names {
	struct probe_found *at; /* owned */
	size_t n, cap;
	struct name {
		size_t first;
		int n; /* of the request's functions, from `first` on; or a reason */
	} * of;        /* owned; of each request */
	uint8_t *code; /* owned; of all of them */
};

static void names_free(struct names *v)
{
	free(v->at);
	free(v->of);
	free(v->code);
}

static void find_name(struct probe_session *s, struct probe_request *r, struct names *v, struct name *of)
{
	bool room = weft_vec_reserve(v, v->n + PROBE_CLONES) == 0;
	if (room && r->found) {
		v->at[v->n] = *r->found;
		*of = (struct name){v->n++, 1};
		return;
	}
	int n = room ? probe_find(s, r->function, false, v->at + v->n, &r->err) : weft_err_set(&r->err, -ENOMEM, "out of memory");
	*of = (struct name){v->n, n};
	v->n += n > 0 ? (size_t)n : 0;
}

/*
 * Its functions have sites, and those want it; nothing is told yet. -ESTALE: what was found is not
 * there any more.
 */
static int place_found(struct probe_session *s, struct probe_request *r, const struct probe_found *found, int n)
{
	r->n_sites = 0;
	r->traps = false;
	r->owner = ++s->owners;
	for (int k = 0; k < n; k++) {
		const char *why = r->kinds & PROBE_EXIT ? site_no_exit(found[k].symbol) : NULL;
		int id = why ? weft_err_set(&r->err, -ENOTSUP, "cannot watch the exit of '%s': %s", r->function, why)
		             : site_get_entered(s, &found[k], &r->err);
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
		if (n > 1)
			weft_err_set(&r->err, 0, "'%s' stands for %d functions", r->function, n);
		if (found[k].stands_for)
			weft_err_set(&r->err, 0, "'%s' is the variant '%s' here, which may stand for other functions, too",
			             r->function, found[k].symbol);
		else if (found[k].clone == PROBE_SPECIAL)
			weft_err_set(&r->err, 0, "the compiler has made a special form of '%s': parameters may be missing",
			             r->function);
		else if (found[k].clone == PROBE_PART)
			weft_err_set(&r->err, 0, "the beginning of '%s' was inlined: only its rest can be seen", r->function);
	}
	return n < 0 ? n : 0;
}

/* A library may have been unloaded, and loaded again elsewhere, since somebody looked. */
static int place_request(struct probe_session *s, struct probe_request *r, const struct names *v, const struct name *of)
{
	struct probe_found again[PROBE_CLONES];
	int rc = place_found(s, r, v->at + of->first, of->n);
	if (rc != -ESTALE || r->found || process_read_map(s))
		return rc;
	r->err = (struct weft_err){0};
	int n = probe_find(s, r->function, false, again, &r->err);
	return place_found(s, r, again, n);
}

static int note_sites(struct probe_session *s, struct probe_request *r, struct ids *ids)
{
	for (unsigned i = 0; i < r->n_sites; i++) {
		if (add_id(s, ids, r->site[i]) == 0)
			continue;
		take_back(s, r);
		return weft_err_set(&r->err, -ENOMEM, "out of memory");
	}
	return 0;
}

/*
 * All names are looked up, then all code is read, then it is looked at: each of these is a few
 * steps for all of them.
 */
static int place_all(struct probe_session *s, struct probe_request *r, unsigned n, struct ids *ids)
{
	struct names v = {.of = calloc(n + 1ul, sizeof *v.of)};
	int first = 0;
	for (unsigned k = 0; k < n && v.of; k++)
		find_name(s, &r[k], &v, &v.of[k]);
	v.code = v.of ? site_read_codes(s, v.at, v.n) : NULL;
	for (unsigned k = 0; k < n; k++) {
		int rc = v.of ? place_request(s, &r[k], &v, &v.of[k]) : weft_err_set(&r[k].err, -ENOMEM, "out of memory");
		r[k].rc = rc ? rc : note_sites(s, &r[k], ids);
		first = first ? first : r[k].rc;
	}
	names_free(&v);
	return first;
}

int probe_insert(struct probe_session *s, struct probe_request *r, unsigned n)
{
	struct ids ids = {0};
	unsigned exits = 0;
	struct weft_err err = {0};
	for (unsigned k = 0; k < n; k++) {
		exits |= r[k].kinds & PROBE_EXIT;
		r[k].err = (struct weft_err){0};
		r[k].n_sites = r[k].owner = 0;
		r[k].rc = 0;
	}
	int rc = exits ? site_hook_unwinders(s, &err) : 0;
	int first = rc ? rc : place_all(s, r, n, &ids);
	rc = rc ? rc : site_update(s, ids.at, (unsigned)ids.n, &err);
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
			rc = add_id(s, &ids, r[k].site[i]) ? -ENOMEM : rc;
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
