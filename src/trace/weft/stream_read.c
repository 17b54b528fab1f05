/* SPDX-License-Identifier: Apache-2.0 */
/* Our own format, from the files of a folder (or one file) to the builder. Steps and files: see stream.h. */
#include "base/fs.h"
#include "base/pool.h"
#include "pack_frame.h"
#include "stream.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void stream_set_close(struct stream_set *set)
{
	for (size_t i = 0; i < set->at.n; i++) {
		stream_close(set->at.at[i]);
		free(set->at.at[i]);
	}
	free(set->at.at);
}

static int scan_one(void *arg, size_t i, unsigned worker)
{
	struct stream_set *set = arg;
	(void)worker;
	int rc = stream_scan(set->at.at[i], set->b->skim);
	return rc ? rc : stream_read_meta(set->at.at[i]);
}

/* How nodes' clocks were aligned, for who wants to say it. */
static int note_clocks(struct weft_builder *b, const struct clock_report *clocks)
{
	char text[64];
	snprintf(text, sizeof text, "%u %u", (unsigned)clocks->n_domains, (unsigned)clocks->n_synced);
	return weft_build_note(b, WEFT_NOTE_CLOCKS, text);
}

static const struct stream_instant *instant_of(const struct stream_together *t, const struct stream *s, uint32_t k)
{
	int32_t rank = s->own_process < s->process.n ? s->process.at[s->own_process].rank : -1;
	for (uint32_t i = 0; rank >= 0 && i < t->n_instants; i++)
		if (t->instant[i].rank == rank && t->instant[i].number == k)
			return &t->instant[i];
	return NULL;
}

/* The first stream that passed the instants and has the clock that the axis is made of: the others follow it. */
static const struct stream *leader_of(const struct stream_set *set, const struct stream_together *t)
{
	const char *domain = NULL;
	for (size_t i = 0; i < set->at.n; i++) {
		const struct stream *s = set->at.at[i];
		if (s->clock.offline)
			continue;
		domain = domain ? domain : s->clock.domain;
		if (strcmp(domain, s->clock.domain) == 0 && instant_of(t, s, 0))
			return s;
	}
	return NULL;
}

/* Instants of processes become ties of the streams that describe themselves as those. */
static int find_ties(const struct stream_set *set, const struct stream_together *t, struct clock_ties *out)
{
	enum { INSTANTS = 2 };
	const struct stream *leader = leader_of(set, t);
	struct clock_tie *at = calloc(INSTANTS * set->at.n + 1, sizeof *at);
	*out = (struct clock_ties){.at = at};
	for (uint32_t i = 0; at && leader && i < set->at.n; i++)
		for (uint32_t k = 0; k < INSTANTS; k++) {
			const struct stream_instant *from = instant_of(t, set->at.at[i], k), *to = instant_of(t, leader, k);
			if (from && to && from != to)
				at[out->n++] = (struct clock_tie){i, from->at, to->at};
		}
	return at ? 0 : -ENOMEM;
}

/* All streams are open: everything else. */
static int load_set(struct stream_set *set, const struct weft_open_how *how, struct weft_err *err)
{
	struct clock_ties ties = {0};
	struct weft_builder *b = set->b;
	uint32_t n = (uint32_t)set->at.n;
	struct clock_report clocks = {0};
	struct clock_stream **clock = malloc((n + 1) * sizeof *clock);
	struct weft_progress progress = {0};
	uint64_t bytes = 0;
	int rc = clock ? weft_parallel(b->threads, n, scan_one, set) : -ENOMEM;
	rc = rc ? rc : stream_set_check_list(set);
	for (uint32_t i = 0; !rc && i < n; i++) {
		struct stream *s = set->at.at[i];
		clock[i] = &s->clock;
		bytes += s->bytes.n;
		b->stream_bytes += s->bytes.stored;
		b->dropped += s->head.dropped;
		b->helper_cpu_ns += s->head.helper_cpu_ns;
		if (s->clock.offline)
			weft_build_keep_zero(b, s->head.end_ticks > b->end_at_least ? s->head.end_ticks : b->end_at_least);
		rc = stream_define(s);
	}
	if (!rc && set->together)
		rc = find_ties(set, set->together, &ties);
	if (!rc)
		rc = clock_align_tied(clock, n, &ties, &clocks);
	free((void *)(uintptr_t)ties.at);
	if (!rc && clocks.n_domains > 1)
		rc = note_clocks(b, &clocks);
	b->axis_is_realtime = clocks.axis_is_realtime;
	b->begin_realtime = clocks.realtime_at_0;
	if (!rc)
		rc = streams_make_objects(set->at.at, n, b);
	for (uint32_t i = 0; !rc && i < n; i++)
		rc = stream_tell_ring(set->at.at[i]);
	if (how && how->progress)
		weft_progress_begin(&progress, "indexing", bytes);
	if (!rc)
		rc = streams_read_events(set->at.at, n, b, how && how->progress ? &progress : NULL);
	if (how && how->progress)
		weft_progress_end(&progress);
	free(clock);
	return rc ? weft_err_set(err, rc, "cannot read '%s': %s", b->path, weft_err_name(rc)) : 0;
}

/* Opens a stream; one that cannot be read at all is a problem of the trace, and no reason to give up the others. */
static int add_stream(struct stream_set *set, const char *path, const char *name, bool alone, struct weft_err *err)
{
	struct weft_err why = {0};
	struct stream *s = malloc(sizeof *s);
	if (!s || weft_vec_reserve(&set->at, set->at.n + 1)) {
		free(s);
		return weft_err_set(err, -ENOMEM, "cannot read '%s': out of memory", path);
	}
	int rc = stream_open(s, set->b, path, name, &why);
	if (!rc && s->bytes.n < 2 * WEFT_PAGE_BYTES && !s->head_good)
		rc = weft_err_set(&why, WEFT_E_SYNTAX, "cannot read '%s': no stream of Weft", path);
	if (!rc) {
		set->b->live |= pack_is_live(&s->bytes, &s->head);
		set->at.at[set->at.n++] = s;
		return 0;
	}
	if (alone || rc == -ENOMEM) {
		weft_err_set(err, rc, "%s", why.text);
	} else {
		struct weft_problem p = {.file = name, .lost_bytes = s->bytes.stored, .text = why.text};
		rc = builder_problem(set->b, &p, "stream-unreadable");
	}
	stream_close(s);
	free(s);
	return rc;
}

static bool is_stream_name(const char *name)
{
	size_t n = strlen(name);
	return n > 7 && name[0] != '.' && strcmp(name + n - 7, ".stream") == 0;
}

static int add_folder(struct stream_set *set, const char *path, struct weft_err *err)
{
	char **names;
	int n = weft_list_dir(path, &names, err), rc = 0, streams = 0;
	if (n < 0)
		return n;
	for (int i = 0; !rc && i < n; i++) {
		char *file;
		if (!is_stream_name(names[i]))
			continue;
		streams++;
		if (asprintf(&file, "%s/%s", path, names[i]) < 0) {
			rc = weft_err_set(err, -ENOMEM, "out of memory");
			break;
		}
		rc = add_stream(set, file, names[i], false, err);
		free(file);
	}
	weft_list_free(names, n);
	if (rc)
		return rc;
	if (!streams)
		return weft_err_set(err, WEFT_E_SYNTAX, "cannot read '%s': no stream in this folder", path);
	if (!set->at.n)
		return weft_err_set(err, WEFT_E_SYNTAX, "cannot read '%s': %s", path,
		                    set->b->problem.n ? set->b->problem.at[0].p.text : "no stream can be read");
	return 0;
}

int stream_set_open(struct stream_set *set, struct weft_builder *b, const char *path, struct weft_err *err)
{
	*set = (struct stream_set){.b = b, .folder = weft_is_dir(path)};
	const char *slash = strrchr(path, '/');
	return set->folder ? add_folder(set, path, err) : add_stream(set, path, slash ? slash + 1 : path, true, err);
}

int stream_load(struct weft_builder *b, const char *path, const struct weft_open_how *how, struct weft_err *err)
{
	struct stream_set set;
	int rc = stream_set_open(&set, b, path, err);
	if (!rc)
		rc = load_set(&set, how, err);
	stream_set_close(&set);
	return rc;
}

int stream_load_together(struct weft_builder *b, const struct stream_together *t, const struct weft_open_how *how,
                         struct weft_err *err)
{
	struct stream_set set = {.b = b, .together = t};
	int rc = 0;
	for (uint32_t i = 0; i < t->n && !rc; i++) {
		rc = weft_is_dir(t->path[i]) ? add_folder(&set, t->path[i], err)
		                             : add_stream(&set, t->path[i], t->path[i], true, err);
	}
	if (!rc)
		rc = load_set(&set, how, err);
	stream_set_close(&set);
	return rc;
}

int stream_load_bytes(struct weft_builder *b, const void *at, size_t n, struct weft_err *err)
{
	struct stream_set set = {.b = b};
	struct stream *s = malloc(sizeof *s);
	if (!s || weft_vec_reserve(&set.at, 1)) {
		free(s);
		return weft_err_set(err, -ENOMEM, "out of memory");
	}
	set.at.at[set.at.n++] = s;
	int rc = stream_open_bytes(s, b, at, n, "memory", err);
	if (!rc && n < 2 * WEFT_PAGE_BYTES && !s->head_good)
		rc = weft_err_set(err, WEFT_E_SYNTAX, "no stream of Weft");
	if (!rc)
		rc = load_set(&set, NULL, err);
	stream_set_close(&set);
	return rc;
}
