/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sites: functions whose beginning is ours. What is wanted of one is counted in `uses` and listed
 * in parts; a plan compares that with the stub that is there, and makes a new one when it differs;
 * applying plans is one packet, with one patch of all of them.
 *
 * A site belongs to its function for good, also when nothing is wanted of it any more: threads may
 * still be in its stub.
 */
#include "probe_priv.h"
#include "base/clock.h"
#include "base/vec.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { UNKNOWN_BYTES = 64, MOST_BYTES = 1 << 20 };

const char *site_no_exit(const char *symbol)
{
	static const struct {
		const char *symbol, *why;
	} rows[] = {
		{"setjmp", "it returns more than once"},
		{"_setjmp", "it returns more than once"},
		{"sigsetjmp", "it returns more than once"},
		{"__sigsetjmp", "it returns more than once"},
		{"vfork", "it returns more than once"},
		{"__vfork", "it returns more than once"},
		{"getcontext", "it returns more than once"},
		{"__getcontext", "it returns more than once"},
		{"clone", "it returns on another stack"},
		{"__clone", "it returns on another stack"},
		{"clone3", "it returns on another stack"},
		{"__clone3", "it returns on another stack"},
		{"dlsym", "it looks at who called it"},
		{"dlvsym", "it looks at who called it"},
		{"dlopen", "it looks at who called it"},
		{"dlmopen", "it looks at who called it"},
		{"_Unwind_Resume", "it does not return"},
		{"_Unwind_RaiseException", "it walks the stack"},
		{"_Unwind_ForcedUnwind", "it walks the stack"},
		{"_Unwind_Backtrace", "it walks the stack"},
		{"_Unwind_Resume_or_Rethrow", "it walks the stack"},
	};
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
		if (!strcmp(rows[k].symbol, symbol))
			return rows[k].why;
	return NULL;
}

/* ---- making one ---- */

static bool in_use(const struct probe_site *site)
{
	return site->uses[0] + site->uses[1] + site->uses[2] > 0;
}

static int free_site(struct probe_session *s)
{
	if (s->n_sites < LINK_SITES)
		return (int)s->n_sites;
	/* Those that were given up are the first to be used again. */
	for (uint32_t k = 0; k < LINK_SITES; k++)
		if (!s->site[k].patched && !in_use(&s->site[k]))
			return (int)k;
	return -ENOSPC;
}

/* The function's first bytes are those of its file: it is the library that we take it for. */
static bool is_of_file(struct probe_session *s, const struct probe_found *f, const uint8_t *bytes, uint64_t n)
{
	uint8_t file[64];
	n = n < sizeof file ? n : sizeof file;
	return probe_image_read(f->image, f->addr - f->bias, file, n) || !memcmp(bytes, file, n) ||
	       process_has(s, f->image, f->bias);
}

/* End of the loaded code that it lies in; 0: it is no code. */
static uint64_t code_end(const struct probe_found *f)
{
	uint64_t end = 0;
	return probe_image_executes(f->image, f->addr - f->bias, &end) ? end + f->bias : 0;
}

/*
 * How many of its bytes are its own, and how many may be read from there on; false: it is no code.
 */
static bool site_extent(const struct probe_found *f, uint64_t *size, uint64_t *room)
{
	uint64_t end = code_end(f);
	if (!end)
		return false;
	uint64_t left = end - f->addr;
	*size = f->size ? f->size : UNKNOWN_BYTES;
	*size = *size < left ? *size : left;
	*size = *size < MOST_BYTES ? *size : MOST_BYTES;
	*room = left - *size < 16 ? left : *size + 16;
	return true;
}

uint8_t *site_read_codes(struct probe_session *s, struct probe_found *f, size_t n)
{
	enum { AT_ONCE = 128 };
	WEFT_VEC(uint8_t) all = {0};
	struct iovec range[AT_ONCE];
	uint64_t size, room;
	size_t bytes = 0, done = 0;
	for (size_t k = 0; k < n; k++)
		bytes += site_extent(&f[k], &size, &room) ? room : 0;
	if (bytes == 0 || weft_vec_reserve(&all, bytes))
		return NULL;
	for (size_t k = 0, first = 0; k < n; first = k) {
		unsigned ranges = 0;
		for (bytes = 0; k < n && ranges < AT_ONCE; k++) {
			if (!site_extent(&f[k], &size, &room))
				continue;
			range[ranges++] = (struct iovec){(void *)f[k].addr, room};
			bytes += room;
		}
		ssize_t got = process_read_ranges(s, range, ranges, all.at + done, bytes);
		for (size_t at = 0; first < k; first++) {
			if (!site_extent(&f[first], &size, &room))
				continue;
			at += room;
			f[first].code = got >= (ssize_t)at ? all.at + done + at - room : NULL;
		}
		done += bytes;
	}
	return all.at;
}

/* Its own bytes, and what is behind them, in memory that is the caller's; or a reason. */
static int get_code(struct probe_session *s, const struct probe_found *f, uint8_t **bytes, uint64_t *size, uint64_t *room,
                    struct weft_err *err)
{
	if (!site_extent(f, size, room))
		return weft_err_set(err, -ENOTSUP, "'%s' is no code of '%s'", f->symbol, probe_image_path(f->image));
	*bytes = calloc(1, *room < SITE_FIRST_BYTES ? SITE_FIRST_BYTES : *room);
	if (!*bytes)
		return weft_err_set(err, -ENOMEM, "out of memory");
	int rc = 0;
	if (f->code)
		memcpy(*bytes, f->code, *room);
	else
		rc = probe_read(s, f->addr, *bytes, *room);
	if (rc == 0 && !is_of_file(s, f, *bytes, *size))
		rc = -ESTALE;
	if (rc == -EFAULT || rc == -ESTALE)
		return weft_err_set(err, -ESTALE, "'%s' is not there any more: its library was unloaded", f->symbol);
	return rc ? weft_err_sys(err, -rc, "cannot read the code of '%s'", f->symbol) : 0;
}

int site_read_ways(struct probe_session *s, const struct probe_found *f, struct probe_ways *ways, uint8_t first[SITE_FIRST_BYTES],
                   struct weft_err *err)
{
	uint64_t size, room;
	uint8_t *bytes = NULL;
	if (strstr(probe_image_path(f->image), "libweft-agent") && strcmp(f->symbol, LINK_TARGET))
		return weft_err_set(err, -EPERM, "'%s' belongs to the agent", f->symbol);
	int rc = get_code(s, f, &bytes, &size, &room, err);
	if (rc == 0) {
		memcpy(first, bytes, SITE_FIRST_BYTES);
		rc = probe_decode(bytes, size, room, f->addr, ways, err);
		if (rc == -ENOTSUP || rc == -EBUSY)
			weft_err_prefix(err, "cannot instrument '%s'", f->symbol);
	}
	free(bytes);
	return rc;
}

static void choose_way(struct probe_session *s, const struct probe_ways *ways, struct probe_site *site)
{
	struct probe_stub stub;
	for (unsigned k = 0; k < ways->n; k++) {
		const struct probe_way *w = &ways->at[k];
		uint64_t addr;
		struct probe_range map;
		site->way = *w;
		if (probe_place_find(&s->place, probe_way_jump(w), PROBE_STUB_BYTES, &addr, &map) == 0 &&
		    probe_stub_write(w, PROBE_STUB_COUNT | PROBE_STUB_LEAVE, &s->agent, 0, addr, &stub) == 0)
			return;
	}
}

/*
 * Whether the code of a site is what was left there. A library that was unloaded and loaded again
 * has its own: what was patched is not, any more. Something else at its address makes it a site of
 * nothing.
 */
static bool site_is_here(struct probe_session *s, uint32_t id)
{
	struct probe_site *site = &s->site[id];
	uint8_t bytes[LINK_PATCH_BYTES];
	if (!site->patched)
		return true;
	if (probe_read(s, site->way.at, bytes, site->way.n)) {
		s->site_addr[id] = 0;
		return false;
	}
	if (!memcmp(bytes, site->now, site->way.n))
		return true;
	if (!memcmp(bytes, site->original, site->way.n)) {
		memcpy(site->now, site->original, sizeof site->now);
		site->patched = false;
		site->exit_stub = 0;
		return true;
	}
	s->site_addr[id] = 0;
	return false;
}

int site_get(struct probe_session *s, const struct probe_found *f, struct weft_err *err)
{
	for (uint32_t k = 0; k < s->n_sites; k++)
		if (s->site_addr[k] == f->addr && (s->site[k].patched || in_use(&s->site[k])) && site_is_here(s, k))
			return (int)k;
	int id = free_site(s);
	if (id < 0)
		return weft_err_set(err, id, "more than %u functions are instrumented", LINK_SITES);
	struct probe_ways *ways = malloc(sizeof *ways);
	uint8_t first[SITE_FIRST_BYTES];
	int rc = ways ? site_read_ways(s, f, ways, first, err) : weft_err_set(err, -ENOMEM, "out of memory");
	if (rc == 0) {
		struct probe_site *site = &s->site[id];
		*site = (struct probe_site){.addr = f->addr, .symbol = f->symbol, .loops = ways->loops};
		site->text_end = probe_image_writes(f->image, f->addr - f->bias) ? 0 : code_end(f);
		s->site_addr[id] = f->addr;
		s->n_sites += (uint32_t)id == s->n_sites;
		choose_way(s, ways, site);
		memcpy(site->original, first + (site->way.at - f->addr), site->way.n);
		memcpy(site->now, site->original, sizeof site->now);
		if (rc == 0 && site->way.trap && stop_blocks(s)) {
			s->site_addr[id] = 0;
			rc = weft_err_set(
				err, -ENOTSUP,
				"'%s' could only be watched by a trap, and this program blocks SIGTRAP in some of its threads: "
				"that would end it",
				f->symbol);
		}
	}
	free(ways);
	return rc ? rc : id;
}

int site_get_entered(struct probe_session *s, const struct probe_found *f, struct weft_err *err)
{
	int id = site_get(s, f, err);
	if (id >= 0 && s->site[id].loops)
		return weft_err_set(
			err, -ENOTSUP,
			"cannot instrument '%s': a loop in it goes back to its first instruction, so that each turn would "
			"count as an entry",
			f->symbol);
	return id;
}

/* ---- planning ---- */

static bool wants_xmm(const struct probe_session *s, uint32_t id)
{
	for (size_t k = 0; k < s->parts.n; k++)
		for (unsigned i = 0; s->parts.at[k].site == id && i < s->parts.at[k].n; i++)
			if (link_op_is_vector(s->parts.at[k].op[i].op))
				return true;
	return false;
}

static int write_stub_at(struct probe_session *s, struct site_change *c, uint64_t addr)
{
	struct probe_site *site = &s->site[c->id];
	return site->is_other
	               ? probe_stub_write_other(&site->way, site->other, site->returns, addr, &c->stub, &site->original_entry)
	               : probe_stub_write(&site->way, c->kinds, &s->agent, c->id, addr, &c->stub);
}

/*
 * Twice: how long it is depends on nothing but what it does, and what is short finds a place
 * between others.
 */
static int write_stub(struct probe_session *s, struct site_change *c)
{
	const struct probe_way *w = &s->site[c->id].way;
	uint64_t addr;
	int rc = write_stub_at(s, c, w->at);
	rc = rc ? rc : probe_place_find(&s->place, probe_way_jump(w), c->stub.n, &addr, &c->map);
	rc = rc ? rc : write_stub_at(s, c, addr);
	return rc ? rc : probe_place_claim(&s->place, addr, c->stub.n, c->map);
}

int site_plan(struct probe_session *s, uint32_t id, struct site_change *out, struct weft_err *err)
{
	struct probe_site *site = &s->site[id];
	unsigned kinds = (site->uses[0] ? PROBE_STUB_COUNT : 0) | (site->uses[1] ? PROBE_STUB_ENTER : 0) |
	                 (site->uses[2] ? PROBE_STUB_LEAVE : 0);
	*out = (struct site_change){.id = id, .kinds = kinds};
	if (kinds & (PROBE_STUB_ENTER | PROBE_STUB_LEAVE) && wants_xmm(s, id))
		out->kinds |= PROBE_STUB_XMM;
	bool wanted = kinds || site->is_other;
	if (wanted == site->patched && out->kinds == site->kinds && site->is_other == site->other_now && !site->is_other)
		return 0;
	if (!wanted) {
		out->patch_new = site->patched;
		out->patch = (struct link_patch){.addr = site->way.at, .n = site->way.n, .boundary = site->way.boundary};
		memcpy(out->patch.before, site->now, sizeof site->now);
		memcpy(out->patch.after, site->original, sizeof site->original);
		memcpy(out->patch.target, site->copy, sizeof site->copy);
		return 1;
	}
	int rc = write_stub(s, out);
	if (rc)
		return weft_err_set(err, rc, "cannot instrument '%s': no memory that a jump from there reaches is free",
		                    site->symbol);
	out->stub_new = out->patch_new = true;
	probe_patch(&site->way, &out->stub, site->now, &out->patch);
	return 1;
}

/* ---- applying ---- */

static int plan_all(struct probe_session *s, const uint32_t *id, unsigned n, struct site_changes *c, struct weft_err *err)
{
	if (weft_vec_reserve(c, n))
		return weft_err_set(err, -ENOMEM, "out of memory");
	for (c->n = 0; c->n < n; c->n++) {
		int rc = site_plan(s, id[c->n], &c->at[c->n], err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

int site_update(struct probe_session *s, const uint32_t *id, unsigned n, struct weft_err *err)
{
	struct site_changes c = {0};
	uint64_t began = weft_monotonic_ns();
	int rc = 0;
	for (int round = 0; round < 3; round++) {
		struct weft_err why = {0};
		rc = plan_all(s, id, n, &c, &why);
		rc = rc ? rc : site_apply(s, &c, &why);
		if (rc == 0)
			break;
		if ((rc != -EEXIST && rc != -ENOSPC) || round == 2) {
			if (err)
				*err = why;
			break;
		}
		/*
		 * The process has mapped something there: look again. Of our own pages we do not
		 * know which are ours.
		 */
		probe_place_forget(&s->place);
		if (process_read_map(s))
			break;
	}
	free(c.at);
	s->changing_ns += weft_monotonic_ns() - began;
	return rc;
}

uint64_t probe_changing_ns(const struct probe_session *s)
{
	return s->changing_ns;
}

/* ---- parts ---- */

int site_add_part(struct probe_session *s, struct probe_part part)
{
	struct link_op *copy = NULL;
	if (part.n) {
		copy = malloc(part.n * sizeof *copy);
		if (!copy)
			return -ENOMEM;
		memcpy(copy, part.op, part.n * sizeof *copy);
	}
	part.op = copy;
	if (weft_vec_push(&s->parts, part)) {
		free(copy);
		return -ENOMEM;
	}
	return 0;
}

void site_drop_parts(struct probe_session *s, uint32_t owner)
{
	size_t kept = 0;
	for (size_t k = 0; k < s->parts.n; k++) {
		if (s->parts.at[k].owner == owner)
			free(s->parts.at[k].op);
		else
			s->parts.at[kept++] = s->parts.at[k];
	}
	s->parts.n = kept;
}
