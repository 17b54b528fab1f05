/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A page that is saved: one file with the pages' script and style, and of a trace what they ask for. No server, nothing loaded.
 *
 *   rows, names, legends            as the routes answer
 *   tables, summaries               of the whole range, its halves, their halves…: as deep as fits into a quarter of the limit
 *   arrows of messages and flows    in an eighth of what the script leaves of it, else the longest
 *   tasks                           chart, list, details, answers of routes, in this order: what fits into two fifths
 *   intervals of each track         exact where they fit, else those that are longer than a step of time, which doubles until they do
 */
#ifndef WEFT_SERVER_EXPORT_H
#define WEFT_SERVER_EXPORT_H

#include "server/core/server_session.h"

enum { SERVER_EXPORT_LEAST = 1 << 20, SERVER_EXPORT_MOST = 64 << 20 /* that a page may ask for */, SERVER_EXPORT_TRACKS = 32 };

struct server_export_how {
	struct server_session *session;
	uint32_t trace;          /* its number; it has been read */
	const char *title;       /* of the page */
	const char *state;       /* what it begins with: JSON as the page's own state; NULL: nothing said */
	const char *const *view; /* tracks beside the regions, and tables; "": regions once more, of another level */
	const char *const *window, *const *level; /* of each view; NULL, or NULL or "" for one: as the view has it */
	unsigned n_views;
	const struct server_arg *table; /* what else the table is asked for, by name */
	unsigned n_table;
	uint64_t from, to;                    /* ns; what is in it */
	uint64_t limit;                       /* bytes of the page, SERVER_EXPORT_LEAST at least */
	const struct server_request *request; /* who waits for it: -ECANCELED when that one has left; NULL: nobody may */
	struct weft_progress_seen *seen;      /* told how far it is, of 1000; NULL: nobody asks */
};
struct server_export_result {
	uint64_t step_ns; /* shorter intervals are merged; 1: none are */
	unsigned parts;   /* that tables are there for */
	uint64_t intervals;
};
/* Appends the page. 0; WEFT_E_LIMIT: it does not fit; or what a view or reading gave, with the line in err. */
int server_export_page(struct weft_buf *out, const struct server_export_how *how, struct server_export_result *result,
                       struct weft_err *err) WEFT_MUST_CHECK;

/*
 * Route share/page, as the session's `save_page`: trace, from, to, limit, title, state; views, windows, levels (lists, by commas); table_…: what the
 * table is asked for. One at a time: -EAGAIN.
 */
int server_export_answer(const struct server_request *r, struct server_answer *a) WEFT_MUST_CHECK;

#endif
