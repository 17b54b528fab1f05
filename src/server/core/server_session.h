/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is open: traces, each read once, by a thread in the background; views bound to them, as they are asked for; all that the routes'
 * functions read.
 *
 *   session ─┬─ trace 0 ─┬─ weft_trace, weft_space     immutable once `ready`
 *            │           └─ views by name              bound when first asked for, the latest few dozen kept (counted references)
 *            └─ views that were typed in a page, "@1", "@2"…: texts
 */
#ifndef WEFT_SERVER_SESSION_H
#define WEFT_SERVER_SESSION_H

#include "base/atomic.h"
#include "base/progress.h"
#include "base/vec.h"
#include "metric/view/view.h"
#include "server_route.h"
#include "server_live.h"
#include <pthread.h>
#include <sys/stat.h>

enum { SERVER_TRACES_MOST = 64, SERVER_VIEWS_KEPT = 48, SERVER_TEXTS_MOST = 512 };

/* How the session comes by views of the library: given by who starts the server. */
struct server_library {
	/* Calls for each view; path NULL: of those that are part of the program. As cli_view_each. */
	int (*each)(int (*call)(void *arg, const char *name, const char *path), void *arg);
	int (*text)(const char *name, char **text, size_t *n, struct weft_err *err); /* malloc'd */
};

struct server_regions;
struct server_nests;
struct weft_symbols;
struct weft_replay_program;
enum server_state { SERVER_WAITING, SERVER_READING, SERVER_READY, SERVER_FAILED };
struct server_trace {
	uint32_t id;
	char *path;                   /* owned */
	const char *name;             /* its last part */
	struct weft_atomic_u32 state; /* enum server_state; what is below is set before it becomes READY or FAILED */
	struct weft_err err;          /* of FAILED */
	struct weft_trace *trace;
	struct weft_space space;
	struct server_regions *regions; /* owned; server_look.h */
	struct server_nests *nests;     /* owned; server_nest.h */
	struct weft_symbols *symbols;   /* owned; made when an address is first asked about; one thread at a time: */
	pthread_mutex_t symbols_lock;
	struct weft_replay_program *program; /* owned; made when replay is first asked for; it does not change. Both under: */
	bool no_program;                     /* the trace has nothing to replay */
	pthread_mutex_t program_lock;
	bool has_tasks, has_samples;
	bool live;                          /* it was of a program that runs still, when it was opened */
	struct stat seen;                   /* of the path, when it was opened */
	uint64_t opened_ns;                 /* how long that took */
	uint64_t bytes;                     /* of the file or folder */
	struct weft_progress_seen progress; /* of reading */
	struct server_tasks *tasks;         /* NULL until a page asks for them; under the session's tasks_lock */
};
/* The trace itself, not as metrics see it: regions, flows, threads by their own numbers. */
static inline const struct weft_trace *server_trace_own(const struct server_trace *t);

/*
 * Functions of the trace's addresses, which are looked up once for all: one request at a time. 0 or -ENOMEM. Give them back, also after a
 * failure (s NULL is fine).
 */
struct weft_symbols;
int server_symbols_take(struct server_trace *t, struct weft_symbols **s) WEFT_MUST_CHECK;
void server_symbols_give(struct server_trace *t, struct weft_symbols *s);

/* A view that is bound to a trace. Counted: server_view_get and server_view_drop. */
struct server_view {
	char *name; /* as it was asked for; owned */
	struct server_trace *trace;
	struct weft_view view;
	char *lack;     /* what of it the trace has none of: one line, or "" ; owned */
	unsigned users; /* under the session's lock */
	uint64_t used;  /* likewise: when last, as a count */
};

struct server_session {
	const char *version; /* of Weft; borrowed */
	bool control;
	const char *first_view; /* that pages begin with: "@1" of a file that was named; borrowed, NULL: the pages' own */
	const struct server_library *library; /* borrowed; NULL: none */
	struct server_trace trace[SERVER_TRACES_MOST];
	uint32_t n_traces;
	uint64_t memory; /* for each trace; 0: as weft_open_memory says */
	unsigned threads;
	bool own_threads, rebuild;
	struct weft_atomic_u32 running; /* functions of routes that are at work */
	struct weft_atomic_bool ending;
	pthread_t reader;
	bool has_reader;
	char nonce[17];                              /* of this run, in ETags */
	struct server_live *live[SERVER_LIVES_MOST]; /* programs that run; set before the server begins, owned */
	unsigned n_lives;
	const char *page; /* what a page begins with: JSON of a file that was named, or NULL; borrowed */
	bool learn;       /* the traces of the tutorials are open */
	/* Makes a page that needs no server, for share/page: given by who starts the server, as saved pages ask its routes. NULL: none. */
	int (*save_page)(const struct server_request *r, struct server_answer *a);
	struct weft_atomic_bool is_saving;
	struct weft_progress_seen saving;                                   /* how far that is */
	struct weft_atomic_u64 saved_bytes, saved_step_ns, saved_intervals; /* of the last one */
	pthread_mutex_t tasks_lock;

	pthread_mutex_t lock; /* for what is below */
	WEFT_VEC(struct server_view *) view;
	uint64_t clock;
	struct {
		char *name, *text;
	} typed[SERVER_TEXTS_MOST]; /* "@1" and on: views from pages, or files of the command line */
	uint32_t n_typed;
};

int server_session_init(struct server_session *s) WEFT_MUST_CHECK; /* zeroed; then fini all the same */
int server_session_add(struct server_session *s, const char *path, struct weft_err *err) WEFT_MUST_CHECK; /* before it begins */
int server_session_begin(struct server_session *s, struct weft_err *err) WEFT_MUST_CHECK; /* begins to read traces */
void server_session_fini(struct server_session *s);
void server_views_fini(struct server_session *s); /* its part of that */
/* How many threads one function should use now, so that all together use the machine once. */
unsigned server_session_threads(const struct server_session *s);

/*
 * A view by name: of the library, or "@N". 0; -ENOENT or WEFT_E_SYNTAX with the line in err. A view that the trace has no events for
 * is one all the same: `lack` says so.
 */
int server_view_get(struct server_session *s, struct server_trace *t, const char *name, struct server_view **out,
                    struct weft_err *err) WEFT_MUST_CHECK;
void server_view_drop(struct server_session *s, struct server_view *v); /* NULL is fine */
/* Keeps a text as a view of the session: its name, "@3", into out (16 bytes). Not parsed. -ENOSPC when there are too many. */
int server_view_add(struct server_session *s, const char *title, const char *text, size_t n, char *out,
                    struct weft_err *err) WEFT_MUST_CHECK;
/* The text of "@N" or of a view of the library, never of a path; malloc'd. -ENOENT: there is none. */
int server_view_source(struct server_session *s, const char *name, char **text, size_t *n, struct weft_err *err) WEFT_MUST_CHECK;
/* The title of "@N", or the name itself; valid while the session is. */
const char *server_view_title(struct server_session *s, const char *name);
/* `view`, and of its windows the one that `window` names (by number from 1, or by name); the last without. Drop it. */
int server_arg_view(const struct server_request *r, struct server_trace *t, struct server_view **out,
                    const struct weft_window **window) WEFT_MUST_CHECK;

static inline const struct weft_trace *server_trace_own(const struct server_trace *t)
{
	return t->trace;
}
static inline uint64_t server_trace_end_ns(const struct server_trace *t)
{
	return t->trace->end;
}
/* Times of metrics, in the trace's units, from ns and back. */
static inline double server_units(const struct server_trace *t, uint64_t ns)
{
	return (double)ns / (double)t->space.unit_ns;
}
static inline uint64_t server_ns(const struct server_trace *t, double units)
{
	double ns = units * (double)t->space.unit_ns;
	return ns <= 0 ? 0 : (uint64_t)(ns + 0.5);
}
extern const char
	*const server_level_names[WEFT_LEVELS]; /* "workload", "application", "process", "thread", "system", "node", "cpu" */

#endif
