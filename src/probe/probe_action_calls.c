/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of a function that one caller does not make any more. The caller's code is decoded; each
 * call that leads to the function (directly, through the PLT, or through a slot that holds its
 * address) is patched with a jump to a stub that sets what the function would return to 0, and goes
 * on. Undoing puts each instruction back.
 */
#include "probe_action.h"
#include "probe_priv.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Whether that call is one of f. */
static bool is_call_of(struct act *x, const struct probe_found *caller, const struct probe_site_call *c,
                       const struct probe_found *f)
{
	uint64_t slot = c->slot, target = c->target;
	if (!slot && target != f->addr) {
		uint8_t plt[16];
		if (probe_read(x->s, target, plt, sizeof plt) == 0)
			slot = probe_decode_plt(plt, sizeof plt, target);
	}
	if (!slot)
		return target == f->addr;
	const char *name = probe_image_slot(caller->image, slot - caller->bias);
	uint64_t now = 0;
	return (name && !strcmp(name, x->a->subject)) || (probe_read(x->s, slot, &now, 8) == 0 && now == f->addr);
}

static int patch_call(struct act *x, const struct probe_site_call *c, unsigned returns)
{
	struct probe_stub stub;
	struct probe_range map;
	uint64_t addr;
	uint8_t before[LINK_PATCH_BYTES];
	struct probe_way way = {.at = c->addr, .n = c->len, .boundary = 1, .prefixes = (uint8_t)(c->len - 5)};
	if (c->len < 5 || c->len > 6)
		return -ENOTSUP;
	int rc = probe_place_find(&x->s->place, (struct probe_jump){c->addr + c->len, 0, 0}, PROBE_STUB_BYTES, &addr, &map);
	rc = rc ? rc : probe_stub_write_call(c, returns, addr, &stub);
	rc = rc ? rc : probe_read(x->s, c->addr, before, c->len);
	if (rc)
		return rc;
	struct link_patch *more = realloc(x->a->patch, (x->a->n_patches + 1) * sizeof *more);
	if (!more)
		return -ENOMEM;
	x->a->patch = more;
	struct link_patch *p = &more[x->a->n_patches];
	probe_patch(&way, &stub, before, p);
	if (!c->tail)
		p->after[way.prefixes] = 0xe8;
	rc = site_send_stub(x->s, &stub, map, p);
	x->a->n_patches += rc == 0;
	return rc;
}

int action_undo_calls(struct act *x)
{
	int rc = 0;
	for (unsigned k = 0; k < x->a->n_patches; k++) {
		struct link_patch p = x->a->patch[k];
		memcpy(p.after, x->a->patch[k].before, sizeof p.after);
		memcpy(p.before, x->a->patch[k].after, sizeof p.before);
		p.lasts = 0;
		int one = site_send_patch(x->s, &p);
		rc = rc ? rc : one;
	}
	probe_action_free(x->a);
	return rc ? weft_err_sys(x->err, -rc, "cannot put back the calls of '%s'", x->a->subject) : 0;
}

int action_remove_calls(struct act *x, const struct probe_found *f, unsigned returns)
{
	struct probe_found caller;
	struct probe_calls all = {0};
	int rc = action_function(x, x->a->object, &caller);
	if (rc)
		return rc;
	uint8_t *bytes = malloc(caller.size + 1);
	rc = !bytes ? -ENOMEM : probe_read(x->s, caller.addr, bytes, caller.size);
	rc = rc ? rc : probe_decode_calls(bytes, caller.size, caller.addr, &all);
	for (size_t k = 0; rc == 0 && k < all.n; k++)
		if (is_call_of(x, &caller, &all.at[k], f))
			rc = patch_call(x, &all.at[k], returns);
	free(all.at);
	free(bytes);
	if (rc) {
		int undone = action_undo_calls(x);
		(void)undone; /* the first failure is the one to tell */
		return weft_err_sys(x->err, -rc, "cannot remove the calls of '%s' in '%s'", x->a->subject, x->a->object);
	}
	if (x->a->n_patches == 0)
		return weft_err_set(x->err, -ENOENT, "'%s' does not call '%s' (inlined, or through a pointer)", x->a->object,
		                    x->a->subject);
	return 0;
}
