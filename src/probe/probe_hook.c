/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Patches that are no site's: those of calls that are removed, and of unwinders, which must not
 * come upon our stubs.
 */
#include "probe_priv.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int site_send_patch(struct probe_session *s, const struct link_patch *patch)
{
	session_begin_packet(s);
	struct link_patch *to = link_packet_add(s->out, LINK_PATCH, s->tag, sizeof *to);
	if (!to)
		return -EMSGSIZE;
	*to = *patch;
	int rc = site_exchange(s, patch, 1, NULL);
	struct link_head *h = rc ? NULL : site_patches_in(s->in);
	return !h ? (rc ? rc : -EPROTO) : h->rc ? h->rc : h->bytes < 8 ? -EPROTO : (int)*(int64_t *)link_payload(h);
}

int site_send_stub(struct probe_session *s, const struct probe_stub *stub, struct probe_range map, const struct link_patch *patch)
{
	session_begin_packet(s);
	struct link_range *pages = map.to ? link_packet_add(s->out, LINK_MAP, s->tag, sizeof *pages) : NULL;
	if (pages)
		*pages = (struct link_range){map.from, map.to - map.from};
	struct link_range *code = link_packet_add(s->out, LINK_CODE, s->tag, (uint32_t)(sizeof *code + stub->n));
	struct link_patch *to = link_packet_add(s->out, LINK_PATCH, s->tag, sizeof *to);
	if (!code || !to)
		return -EMSGSIZE;
	*code = (struct link_range){stub->addr, stub->n};
	memcpy(code + 1, stub->bytes, stub->n);
	*to = *patch;
	int rc = site_exchange(s, patch, 1, NULL);
	uint32_t pos = 0;
	for (struct link_head *h; rc == 0 && (h = link_packet_next(s->in, &pos));)
		rc = h->rc ? h->rc : h->kind == LINK_PATCH && h->bytes >= 8 ? (int)*(int64_t *)link_payload(h) : 0;
	return rc ? rc : probe_place_claim(&s->place, stub->addr, stub->n, map);
}

static int hook_once(struct probe_session *s, const struct probe_ways *ways, enum link_unwind what)
{
	struct site_change c = {0};
	int rc = 0;
	for (unsigned k = 0; rc == 0 && k < ways->n; k++) {
		const struct probe_way *w = &ways->at[k];
		uint64_t addr;
		uint8_t now[LINK_PATCH_BYTES];
		if (probe_place_find(&s->place, probe_way_jump(w), PROBE_STUB_BYTES, &addr, &c.map) ||
		    probe_stub_write(w, PROBE_STUB_UNWIND, &s->agent, what, addr, &c.stub))
			continue;
		rc = probe_read(s, w->at, now, w->n);
		probe_patch(w, &c.stub, now, &c.patch);
		c.patch.rank = LINK_RANK_LAST;
		break;
	}
	if (rc || c.patch.n == 0)
		return rc ? rc : -ENOSPC;
	return site_send_stub(s, &c.stub, c.map, &c.patch);
}

static int hook_one(struct probe_session *s, const struct probe_found *f, enum link_unwind what, struct weft_err *err)
{
	struct probe_ways *ways = malloc(sizeof *ways);
	uint8_t first[SITE_FIRST_BYTES];
	int rc = ways ? site_read_ways(s, f, ways, first, err) : -ENOMEM;
	for (unsigned round = 0; rc == 0; round++) {
		rc = hook_once(s, ways, what);
		if (rc != -EEXIST || round == 4)
			break;
		/* The process has mapped something there: look again, as for sites. */
		probe_place_forget(&s->place);
		rc = process_read_map(s);
	}
	free(ways);
	return rc;
}

/* All copies: programs may have one of their own beside the system's. */
int site_hook_unwinders(struct probe_session *s, struct weft_err *err)
{
	static const struct {
		const char *name;
		enum link_unwind what;
	} hooks[] = {{"_Unwind_RaiseException", LINK_UNWIND_BEGINS},
	             {"_Unwind_Resume", LINK_UNWIND_BEGINS},
	             {"_Unwind_Resume_or_Rethrow", LINK_UNWIND_BEGINS},
	             {"_Unwind_ForcedUnwind", LINK_UNWIND_FORCED},
	             {"__cxa_begin_catch", LINK_UNWIND_CAUGHT}};
	static const char library[] = "libgcc_s.so.1";
	if (s->hooked)
		return 0;
	/* Threads that are cancelled load it themselves, and would find it without our hooks. */
	uint64_t handle;
	int rc = session_ask(s, LINK_LOAD, library, sizeof library, &handle, sizeof handle);
	if (rc && rc != -ELIBACC)
		return weft_err_sys(err, -rc, "cannot prepare for exceptions");
	rc = process_read_map(s);
	for (size_t k = 0; rc == 0 && k < s->modules.n; k++) {
		struct probe_image *image = process_image(s, &s->modules.at[k]);
		uint64_t bias = s->modules.at[k].bias; /* copies: hook_one may read the map, and modules move */
		if (!image || strstr(s->modules.at[k].path, "libweft-agent"))
			continue;
		for (size_t i = 0; rc == 0 && i < sizeof hooks / sizeof *hooks; i++) {
			struct probe_symbols all = {0};
			rc = probe_image_find(image, hooks[i].name, false, &all);
			for (size_t j = 0; rc == 0 && j < all.n; j++) {
				struct probe_found f = {.image = image,
				                        .bias = bias,
				                        .addr = all.at[j].addr + bias,
				                        .size = all.at[j].size,
				                        .symbol = all.at[j].name};
				if (all.at[j].clone == PROBE_WHOLE)
					rc = hook_one(s, &f, hooks[i].what, err);
				/* Without it frames are watched again from the next hit on. */
				if (hooks[i].what == LINK_UNWIND_CAUGHT)
					rc = 0;
			}
			free(all.at);
		}
	}
	s->hooked = rc == 0;
	return rc ? weft_err_set(err, rc, "cannot prepare for exceptions: %s", weft_err_name(rc)) : 0;
}
