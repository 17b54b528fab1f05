/* SPDX-License-Identifier: Apache-2.0 */
/* A saved page from inside: tracks (server_export_track.c), tables of parts (server_export_part.c), the file (server_export.c). */
#ifndef WEFT_SERVER_EXPORT_PRIV_H
#define WEFT_SERVER_EXPORT_PRIV_H

#include "server/area/server_cells.h"
#include "server_export.h"

static inline struct server_trace *export_trace(const struct server_export_how *how)
{
	return &how->session->trace[how->trace];
}
/* Has who waits for it left? */
bool export_gone(const struct server_export_how *how);
/* How far it is, of 1000. */
void export_tell(const struct server_export_how *how, const char *what, uint64_t done);

/* Asks a route about the trace as a page would: the answer's body, in *a; the same codes. `args`: name, value, …, NULL. */
int export_ask(const struct server_export_how *how, const char *path, const char *const *args, struct server_answer *a,
               struct weft_err *err) WEFT_MUST_CHECK;

/* ---- tracks ---- */

struct export_track {
	struct server_look look;
	const char *view, *window, *level; /* view "": regions; window and level as they were asked for: "" is the view's own */
	bool nested;
	struct server_palette palette; /* of values, as they are in the rows */
	struct weft_buf bytes;         /* the rows */
	uint64_t intervals;
};
int export_track_init(struct export_track *t, const struct server_export_how *how, const char *view, const char *window,
                      const char *level, struct weft_err *err) WEFT_MUST_CHECK;
void export_track_fini(struct export_track *t);
/* The rows anew, with steps of so many ns. 0 or negative. */
int export_track_pack(struct export_track *t, const struct server_export_how *how, uint64_t step) WEFT_MUST_CHECK;
/* An object: what it is, where its rows are (from `at` on), what values are called. */
void export_track_put(struct weft_json *j, const struct export_track *t, uint64_t at);

/* ---- beside the tracks ---- */

enum { EXPORT_COUNTERS = 8 };
struct export_counter {
	char view[16]; /* of its values */
	uint64_t events;
};
/* Those that a page has without being asked for them. 0 or -ENOMEM. */
int export_counters_choose(const struct server_export_how *how, struct export_counter out[EXPORT_COUNTERS],
                           unsigned *n) WEFT_MUST_CHECK;
int export_counters_put(struct weft_json *j, const struct server_export_how *how, const struct export_track *track,
                        unsigned n_tracks) WEFT_MUST_CHECK;

/* How much of the page it takes, about. */
uint64_t export_packed(const void *at, size_t n);
/* Bytes of the page, seven bits each, the low ones first. */
void export_put_number(struct weft_buf *b, uint64_t v);
/* "arrows": where in `bytes` messages and flows are, in so much room; appends them. 0, -ENOMEM or -ECANCELED. */
int export_arrows_put(struct weft_json *j, const struct server_export_how *how, uint64_t room,
                      struct weft_buf *bytes) WEFT_MUST_CHECK;
/* "tasks", the same, of a trace that has some. */
int export_tasks_put(struct weft_json *j, const struct server_export_how *how, uint64_t room,
                     struct weft_buf *bytes) WEFT_MUST_CHECK;

/* ---- parts ---- */

/*
 * "parts": the range, its halves, their halves: as many levels as `room` bytes of JSON hold, one at least. 0 or -ENOMEM; what a route has no answer
 * for is left out.
 */
int export_parts_put(struct weft_json *j, FILE *to, const struct server_export_how *how, uint64_t room,
                     unsigned *n) WEFT_MUST_CHECK;

#endif
