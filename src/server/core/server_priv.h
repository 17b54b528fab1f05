/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside the server: requests on their way from a connection to a worker and back.
 *
 *   library's thread                                       workers
 *     headers, body ── guard ── file ──> reply
 *                        └──── route ── suspended ── queue ──> function ── reply made ── resumed ──> sent by the library's thread
 *                                                       ^
 *     streams: suspended while there is nothing to send; a clock puts those that are due on the queue
 *
 * A connection is touched by the library's thread alone, but while it is suspended: then by the worker that has its request.
 * Locks: queue.lock, clock.lock, stream.lock are each the innermost; none is held while another is taken, but clock.lock around stream.lock.
 */
#ifndef WEFT_SERVER_PRIV_H
#define WEFT_SERVER_PRIV_H

#include "server_guard.h"
#include "server.h"
#include <microhttpd.h>
#include <pthread.h>

enum {
	SERVER_BODY_MOST = 65536,
	SERVER_ARGS_MOST = 64,
	SERVER_QUEUE_MOST = 512,
	SERVER_CONNECTIONS_MOST = 1024,
	SERVER_HEADERS_MOST = 65536, /* bytes of memory that a connection may use */
	SERVER_IDLE_SECONDS = 60,
	SERVER_STREAM_BYTES = 1 << 20, /* a stream with so much unsent is not asked for more */
	SERVER_BEAT_MS = 15000,        /* a comment on a stream that is silent, so that a client that is gone is noticed */
};

/* ---- server_queue.c: work for a few threads ---- */

struct server_job {
	void (*run)(struct server_job *j);
	struct server_job *next;
};
struct server_queue {
	pthread_mutex_t lock;
	pthread_cond_t wake;
	struct server_job *first, **last;
	unsigned n;
	bool ending;
	pthread_t *thread; /* owned */
	unsigned n_threads;
};
int server_queue_init(struct server_queue *q, unsigned threads) WEFT_MUST_CHECK;
bool server_queue_put(struct server_queue *q, struct server_job *j); /* false: it is full */
void server_queue_fini(struct server_queue *q);                      /* runs what is in it to its end */

/* ---- server_reply.c: responses ---- */

/* An embedded file, packed by gzip. */
struct server_file {
	const char *name, *type;
	const unsigned char *at;
	uint32_t n, n_whole;
	const char *tag; /* of its content, in quotes */
};
extern const struct server_file server_files[]; /* by name; ended by name NULL */

struct server_reply {
	struct MHD_Response *response; /* NULL: there is no memory */
	unsigned status;
};
/* Of an answer, whose body it takes. tag NULL: not to be kept. */
struct server_reply server_reply_make(struct server_answer *a, const char *accept, const char *tag);
struct server_reply server_reply_file(const char *name, const char *accept, const char *tags);
struct server_reply server_reply_text(unsigned status, const char *words); /* {"error": words} */
struct server_reply server_reply_same(const char *tag);                    /* 304 */
void server_reply_headers(struct MHD_Response *r);                         /* what each has */

/* ---- server_stream.c: server-sent events ---- */

struct server_clock {
	pthread_mutex_t lock;
	pthread_cond_t wake;
	struct server_flow *first; /* all streams */
	pthread_t thread;
	bool started, ending;
	struct server_queue *queue;
};
int server_clock_init(struct server_clock *c, struct server_queue *q) WEFT_MUST_CHECK;
void server_clock_end(struct server_clock *c);  /* all streams end */
void server_clock_fini(struct server_clock *c); /* after the daemon */
/* A stream that has begun becomes a response; takes `state`, also on failure. */
struct server_reply server_stream_reply(struct server_clock *c, struct MHD_Connection *connection, int fd,
                                        const struct server_stream *kind, void *state);

/* ---- server_http.c ---- */

struct server_http {
	struct server_session *session;
	struct MHD_Daemon *daemon;
	struct server_guard guard;
	struct server_queue queue;
	struct server_clock clock;
	bool has_queue, has_clock;
};

#endif
