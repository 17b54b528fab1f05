/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A watch's functions, each by a name that no other of them has: as it was asked for where there is
 * one; else in full, with what tells it from those that have the same full name (its file, its
 * symbol). Forms that the compiler has made of one function share its name.
 */
#include "probe_watch.h"
#include "probe/image/probe_image.h"
#include "link/link_proto.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Of one function in the source, whatever the compiler has made of it. Forms are local, also of
 * what is not.
 */
static bool same_function(const struct probe_found *a, const struct probe_found *b)
{
	size_t n = strcspn(a->symbol, ".@"), n_b = strcspn(b->symbol, ".@");
	return n == n_b && !memcmp(a->symbol, b->symbol, n) && a->image == b->image &&
	       (!a->file || !b->file || !strcmp(a->file, b->file)) &&
	       (a->addr == b->addr || a->clone != PROBE_WHOLE || b->clone != PROBE_WHOLE);
}

/* Some other function of the list has that name, too. */
static bool is_taken(const struct probe_watch *all, int n, int k)
{
	for (int i = 0; i < n; i++)
		if (i != k && !strcmp(all[i].function, all[k].function) && !same_function(&all[i].at, &all[k].at))
			return true;
	return false;
}

static void name_plainly(const char *asked, const struct probe_found *f, char *out)
{
	size_t n = strlen(asked);
	snprintf(out, PROBE_NAME_BYTES, "%s", asked);
	if (n > 2 && !strcmp(asked + n - 2, "()") && strncmp(f->symbol, "_Z", 2))
		out[n - 2] = '\0';
}

static void name_in_full(struct probe_watch *all, int n)
{
	char *was = calloc((size_t)n, 1);
	for (int k = 0; k < n; k++)
		probe_name_label(all[k].at.stands_for ? all[k].at.stands_for : all[k].at.symbol, all[k].function,
		                 sizeof all[k].function);
	/* All that share a name are told apart in the same way. */
	for (int k = 0; was && k < n; k++)
		was[k] = is_taken(all, n, k);
	for (int k = 0; was && k < n; k++) {
		const struct probe_found *f = &all[k].at;
		char label[PROBE_NAME_BYTES];
		if (!was[k] || !f->file)
			continue;
		memcpy(label, all[k].function, sizeof label);
		snprintf(all[k].function, sizeof all[k].function, "%.200s:%.300s", f->file, label);
	}
	for (int k = 0; was && k < n; k++)
		was[k] = is_taken(all, n, k);
	for (int k = 0; was && k < n; k++) {
		char label[PROBE_NAME_BYTES];
		if (!was[k])
			continue;
		memcpy(label, all[k].function, sizeof label);
		snprintf(all[k].function, sizeof all[k].function, "%.300s [%.200s]", label, all[k].at.symbol);
	}
	free(was);
}

int probe_watch_expand(struct probe_session *s, const struct probe_watch *w, struct probe_watch **out, struct weft_err *err)
{
	struct probe_found *found;
	bool several = false;
	*out = NULL;
	int n = probe_find_all(s, w->function, false, &found, err);
	if (n > (int)LINK_SITES)
		n = weft_err_set(err, -E2BIG, "'%s' stands for %d functions: %u are the most", w->function, n, LINK_SITES);
	if (n > 0 && !(*out = malloc((size_t)n * sizeof **out)))
		n = weft_err_set(err, -ENOMEM, "out of memory");
	for (int k = 0; k < n; k++) {
		(*out)[k] = *w;
		(*out)[k].is_one = true;
		(*out)[k].at = found[k];
		name_plainly(w->function, &found[k], (*out)[k].function);
		several |= !same_function(&found[k], &found[0]) || probe_name_is_pattern(w->function);
	}
	if (several)
		name_in_full(*out, n);
	free(found);
	return n;
}
