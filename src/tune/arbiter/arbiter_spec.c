/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Registers a specification's declarations towards other tunlets, and its points, with the arbiter.
 * What two specifications call the same thing in the program is one target, whatever they call the
 * actor.
 */
#include "arbiter_spec.h"
#include "tune/lang/spec_model.h"
#include <errno.h>

static const char *target_of(struct weft_spec *s, const struct spec_point *p)
{
	static const char *const kind[KINDS] = {
		[KIND_SET_VARIABLE] = "variable", [KIND_REPLACE_FUNCTION] = "function",      [KIND_INSERT_CALL] = "call of",
		[KIND_REMOVE_CALL] = "function",  [KIND_ONE_TIME_CALL] = "one-time call of", [KIND_LOAD_LIBRARY] = "library",
	};
	if (p->k == KIND_CHANGE_PARAMETER)
		return spec_printf(s, "parameter %u of %s", p->index, p->id.z);
	return spec_printf(s, "%s %s", kind[p->k], p->id.z);
}

int weft_arbiter_add(struct weft_arbiter *a, struct weft_spec *s, unsigned *tunlet, unsigned *first_point)
{
	if (setjmp(s->oom))
		return -ENOMEM;
	struct weft_arbiter_party party = {.name = weft_spec_name(s), .priority = s->rank, .hold = s->held, .weight = s->share};
	int rc = weft_arbiter_tunlet(a, &party);
	if (rc < 0)
		return rc;
	*tunlet = (unsigned)rc;
	*first_point = 0;
	for (size_t k = 0; k < s->point.n; k++) {
		const struct spec_point *p = &s->point.at[k];
		struct weft_arbiter_what what = {.target = target_of(s, p), .resource = p->resource.z, .sense = p->uses};
		rc = weft_arbiter_point(a, *tunlet, &what);
		if (rc < 0)
			return rc;
		*first_point = k == 0 ? (unsigned)rc : *first_point;
	}
	return 0;
}
