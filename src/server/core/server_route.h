/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the pages ask for. A route is a row of its area's table; its function gets a request, and fills an answer:
 *
 *     GET /TOKEN/api/time/rows?trace=0&view=useful
 *          guard ─> route "time/rows" ─> a worker calls its function ─> compressed, with an ETag, to the client
 *
 * Functions run on the server's workers, several at a time; they read what is immutable (server_session.h), and keep nothing but what
 * the session has locks for. Times are whole nanoseconds from the trace's begin.
 */
#ifndef WEFT_SERVER_ROUTE_H
#define WEFT_SERVER_ROUTE_H

#include "base/json.h"
#include "base/str.h"
#include <stdint.h>
#include <stdio.h>

struct server_session;
struct server_trace;

struct server_arg { /* of the query, decoded */
	const char *name, *value;
};
/* One request. All of it is borrowed, until the answer is made. */
struct server_request {
	struct server_session *session;
	const struct server_arg *arg;
	unsigned n_args;
	const char *body; /* of a POST, terminated; never NULL */
	size_t n_body;
	struct weft_err *err;                         /* for the one line of a refusal; never NULL */
	bool (*gone)(const struct server_request *r); /* the client has left: what is made will not be seen. NULL: never */
	void *priv;                                   /* of whoever set `gone` */
};
struct server_answer {
	int status;           /* 200 unless the function says otherwise */
	const char *type;     /* of the content; "application/json" unless it does */
	const char *file;     /* NULL, or a name to save it under: plain ASCII, no quotes */
	struct weft_buf body; /* owned by the answer */
};

/* A stream of events to one client; begin makes *state, next is called every so often, end frees it. Never two at a time. */
struct server_stream {
	int (*begin)(const struct server_request *r, void **state); /* as an answer's function */
	/*
	 * Adds whole events (server_event) to `out`, or nothing; 0, 1: this was the last; negative: likewise, but out of memory.
	 * Not called while the client is slow to take what there is: each call tells how things are now.
	 */
	int (*next)(void *state, struct weft_buf *out);
	void (*end)(void *state);
	unsigned every_ms; /* at least 10 */
};

enum {
	SERVER_CHANGES = 1, /* POST only, and only where the server was started to control */
	SERVER_FIXED =
		2, /* the same address has the same answer while the server runs: it gets an ETag, and is kept by the browser */
	SERVER_STOPS = 4, /* it computes for nobody else: nothing of it is kept in the session */
};
struct server_route {
	const char *path; /* "time/cells" */
	unsigned flags;
	/*
	 * 0, or negative: -ENOMEM; -ENOENT: 404; -EAGAIN: 503, come back; anything else 400; each with the line in r->err. Where
	 * `stream` is set: NULL.
	 */
	int (*answer)(const struct server_request *r, struct server_answer *a);
	const struct server_stream *stream; /* of server-sent events */
};
/* Calls the route's function: what it computes is given up, -ECANCELED, when the client has left, if the route says that it may be. */
int server_route_answer(const struct server_route *route, const struct server_request *r,
                        struct server_answer *a) WEFT_MUST_CHECK;
/* The areas; ended by path NULL. */
extern const struct server_route server_session_routes[], server_time_routes[], server_table_routes[], server_task_routes[],
	server_live_routes[], server_compare_routes[], server_share_routes[], server_replay_routes[];
const struct server_route *server_route_find(const char *path); /* NULL: there is none */
/* What the function of a route says is done by whoever calls it: `status` and a body in case of an error. */
void server_answer_error(struct server_answer *a, int code, const struct weft_err *err);

/* ---- arguments: 0, or a negative code with one line that says what was expected ---- */

const char *server_arg(const struct server_request *r, const char *name); /* NULL: it is not given */
int server_arg_u64(const struct server_request *r, const char *name, uint64_t least, uint64_t most, uint64_t fallback,
                   uint64_t *out) WEFT_MUST_CHECK;
int server_arg_double(const struct server_request *r, const char *name, double fallback, double *out) WEFT_MUST_CHECK;
/* One of `known` (n of them), as its place; fallback when it is not given. */
int server_arg_choice(const struct server_request *r, const char *name, const char *const *known, unsigned n, unsigned fallback,
                      unsigned *out) WEFT_MUST_CHECK;
/* `trace`, a number (0 when it is not given), of one that has been read. -EAGAIN: it is still being read. */
int server_arg_trace(const struct server_request *r, struct server_trace **out) WEFT_MUST_CHECK;
/* `from` and `to`, ns; the whole trace when they are not given; to > from. */
int server_arg_range(const struct server_request *r, const struct server_trace *t, uint64_t *from, uint64_t *to) WEFT_MUST_CHECK;
/* A list like "0-63,70,12", in its order; each below `limit`, `most` in all. malloc'd; NULL and n 0 when it is not given. */
int server_arg_list(const struct server_request *r, const char *name, uint32_t limit, uint32_t most, uint32_t **out,
                    uint32_t *n) WEFT_MUST_CHECK;

/* ---- JSON ---- */

/*
 *     struct server_json j;
 *     struct weft_json *w = server_json_begin(&j);            never NULL
 *     weft_json_object(w); … weft_json_end(w);
 *     return server_json_end(&j, a);                          0 or -ENOMEM
 */
struct server_json {
	struct weft_json json;
	FILE *to;
	char *at;
	size_t n;
};
struct weft_json *server_json_begin(struct server_json *j);
int server_json_end(struct server_json *j, struct server_answer *a) WEFT_MUST_CHECK;
/* Adds the event `name` with JSON as its data (one line; may end in a newline) to a stream's text. */
void server_event(struct weft_buf *out, const char *name, const char *json, size_t n);
/* The same of what was written to j; 0 or -ENOMEM. */
int server_json_event(struct server_json *j, struct weft_buf *out, const char *name) WEFT_MUST_CHECK;
/* A key and its value. */
void server_put_u64(struct weft_json *j, const char *key, uint64_t v);
void server_put_double(struct weft_json *j, const char *key, double v);
void server_put_string(struct weft_json *j, const char *key, const char *z);
void server_put_colour(struct weft_json *j, const char *key, uint32_t colour); /* "#rrggbb" */
void server_put_bool(struct weft_json *j, const char *key, bool v);

#endif
