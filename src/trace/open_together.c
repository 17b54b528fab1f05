/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several recordings as one. Built once by what the streams say of their clocks; where nodes' clocks are left to the time of day, the
 * ends of the first and the last MPI_Barrier, which all ranks leave together, say more: the trace is built again with these as ties. Whose
 * barriers are not as many as the first rank's is left to the time of day.
 */
#include "open.h"
#include "trace/store/cursor.h"
#include "trace/weft/stream.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int build(struct weft_trace **out, const struct stream_together *t, bool skim, const struct weft_open_how *how,
                 struct weft_err *err)
{
	struct weft_builder *b;
	struct weft_open_how alone = how ? *how : (struct weft_open_how){0};
	alone.no_index = true;
	int rc = weft_builder_new(&b, t->path[0], "weft", &alone, err);
	if (rc)
		return rc;
	b->skim = skim;
	rc = stream_load_together(b, t, &alone, err);
	if (rc) {
		if (!err || !err->code)
			weft_err_set(err, rc, "cannot read '%s': %s", t->path[0], weft_err_name(rc));
		weft_builder_free(b);
		return rc;
	}
	return weft_build_finish(b, NULL, out, err);
}

/* Pages are skimmed first, as in open.c. */
static int build_it(struct weft_trace **out, const struct stream_together *t, const struct weft_open_how *how,
                    struct weft_err *err)
{
	struct weft_err why = {0};
	int rc = build(out, t, true, how, &why);
	if (rc == -EAGAIN) {
		why = (struct weft_err){0};
		rc = build(out, t, false, how, &why);
	}
	return rc ? weft_err_set(err, rc, "%s", why.text) : 0;
}

/* ---- barriers ---- */

struct barriers {
	WEFT_VEC(uint64_t) end; /* of one process, in order */
};

static bool is_leave_of(const void *arg, uint32_t what)
{
	return what == weft_what(WEFT_EV_LEAVE, *(const uint32_t *)arg);
}

static int find_barriers(const struct weft_trace *t, uint32_t process, uint32_t region, struct barriers *out)
{
	const struct weft_choice choice = {is_leave_of, &region};
	struct weft_block b;
	int rc = 0;
	for (uint32_t i = 0; i < t->process[process].n_threads && !rc; i++) {
		struct weft_cursor c;
		rc = weft_cursor_begin(&c, t, t->process[process].first_thread + i, 0, WEFT_NEVER);
		while (!rc && (rc = weft_cursor_next_of(&c, &choice, &b)) > 0) {
			rc = 0;
			for (uint32_t k = 0; k < b.n && !rc; k++)
				rc = weft_vec_push(&out->end, b.time[k]);
		}
		weft_cursor_end(&c);
		if (out->end.n)
			break; /* of a process that calls MPI from several threads, the first one's */
	}
	return rc;
}

static uint32_t barrier_region(const struct weft_trace *t)
{
	for (uint32_t i = 1; i < t->def[WEFT_CLASS_REGION].n; i++)
		if (!strcmp(t->def[WEFT_CLASS_REGION].at[i].name, "MPI_Barrier"))
			return i;
	return 0;
}

struct instants {
	WEFT_VEC(struct stream_instant) at;
};

/* The first barrier and the last one. */
static int add_instants(const struct weft_trace *t, uint32_t process, const struct barriers *b, struct instants *out)
{
	int rc = 0;
	for (uint32_t k = 0; k < 2 && k < b->end.n && !rc; k++)
		rc = weft_vec_push(&out->at,
		                   (struct stream_instant){.rank = t->process[process].rank,
		                                           .number = k,
		                                           .at = (int64_t)(t->begin_realtime + b->end.at[k ? b->end.n - 1 : 0])});
	return rc;
}

static int find_instants(const struct weft_trace *t, struct instants *out)
{
	uint32_t region = barrier_region(t);
	size_t n = 0;
	int rc = 0;
	for (uint32_t p = 0; p < t->n_processes && !rc && region; p++) {
		struct barriers b = {0};
		if (t->process[p].rank < 0)
			continue;
		rc = find_barriers(t, p, region, &b);
		n = n ? n : b.end.n;
		if (!rc && b.end.n == n)
			rc = add_instants(t, p, &b, out);
		free(b.end.at);
	}
	return rc;
}

static bool has_clocks_apart(const struct weft_trace *t)
{
	const char *text = weft_trace_note(t, WEFT_NOTE_CLOCKS);
	unsigned long clocks = 0, synced = 0;
	if (text) {
		char *end;
		clocks = strtoul(text, &end, 10);
		synced = strtoul(end, NULL, 10);
	}
	return clocks > synced + 1;
}

int weft_trace_open_together(struct weft_trace **out, const char *const *path, uint32_t n, const struct weft_open_how *how,
                             struct weft_err *err)
{
	struct stream_together t = {.path = path, .n = n};
	struct instants known = {0};
	*out = NULL;
	int rc = build_it(out, &t, how, err);
	if (rc || !has_clocks_apart(*out))
		return rc;
	rc = find_instants(*out, &known);
	if (rc)
		rc = weft_err_set(err, rc, "cannot read '%s': %s", path[0], weft_err_name(rc));
	if (!rc && known.at.n) {
		t.instant = known.at.at;
		t.n_instants = (uint32_t)known.at.n;
		weft_trace_close(*out);
		*out = NULL;
		rc = build_it(out, &t, how, err);
	}
	free(known.at.at);
	if (rc) {
		weft_trace_close(*out);
		*out = NULL;
	}
	return rc;
}
