/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The wire between controllers, collectors and the analyzer: a stream of messages (a kind and a
 * payload that is nothing to it) in both directions. Across a network it is TCP; both sides prove
 * that they know the run's secret before anything else is said, and all is encrypted, in order, and
 * never repeated (libsodium). A socket that a parent made for its child needs none of that:
 * weft_wire_adopt.
 *
 * Nothing here blocks but weft_wire_wait. Messages gather until weft_wire_flush or until there are
 * enough for a frame. A wire that ended stays ended: every call says so, and the text says why. Not
 * thread-safe for one wire; never prints.
 */
#ifndef WEFT_TUNE_WIRE_H
#define WEFT_TUNE_WIRE_H

#include "base/err.h"
#include "base/str.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	WIRE_SECRET_BYTES = 32,
	WIRE_MESSAGE_BYTES = 2 << 20, /* the most of one payload */
	WIRE_PEER_BYTES = 64,
};

/* Whether this build can seal (libsodium was there): without, only weft_wire_adopt works. */
bool weft_wire_can_seal(void);
const char *weft_wire_library(void); /* "libsodium 1.0.18", or "" */

/* -- the secret of a run: never an argument, never in the environment -- */

struct weft_secret {
	unsigned char byte[WIRE_SECRET_BYTES];
};
int weft_secret_new(struct weft_secret *out, struct weft_err *err) WEFT_MUST_CHECK;
/* A descriptor (close on exec) from which a child reads it; the caller's to close. */
int weft_secret_to_fd(const struct weft_secret *s, struct weft_err *err) WEFT_MUST_CHECK;
int weft_secret_from_fd(struct weft_secret *out, int fd, struct weft_err *err) WEFT_MUST_CHECK;
/*
 * A file that only its owner may read; an existing one is not replaced (-EEXIST). One that others
 * may read is refused (-EPERM).
 */
int weft_secret_to_file(const struct weft_secret *s, const char *path, struct weft_err *err) WEFT_MUST_CHECK;
int weft_secret_from_file(struct weft_secret *out, const char *path, struct weft_err *err) WEFT_MUST_CHECK;
void weft_secret_wipe(struct weft_secret *s);

/* -- wires -- */

struct weft_wire;
struct weft_wire_message {
	uint16_t kind;
	uint32_t n;
	const void *at; /* 8-byte aligned; valid until the next call on this wire */
};
struct weft_wire_count {
	uint64_t messages_in, messages_out, frames_in, frames_out, bytes_in, bytes_out; /* bytes as they travel */
};

/*
 * A connected stream socket between processes that trust each other: no handshake, nothing sealed.
 * Takes fd over (also on failure).
 */
int weft_wire_adopt(struct weft_wire **out, int fd, struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Begins to connect to "HOST:PORT" ("[ADDRESS]:PORT" for IPv6). The secret is copied. limit_ns: for
 * the handshake, 0: 5 s. What is sent before the handshake is over waits for its end.
 */
int weft_wire_connect(struct weft_wire **out, const char *address, const struct weft_secret *s, uint64_t limit_ns,
                      struct weft_err *err) WEFT_MUST_CHECK;
void weft_wire_free(struct weft_wire *w); /* unwritten bytes are lost */

int weft_wire_fd(const struct weft_wire *w);       /* for poll or epoll, */
short weft_wire_events(const struct weft_wire *w); /* with these: POLLIN, and POLLOUT while something waits to be written */
bool weft_wire_ready(const struct weft_wire *w);   /* the handshake is over */
const char *weft_wire_peer(const struct weft_wire *w);
struct weft_wire_count weft_wire_counted(const struct weft_wire *w);

/*
 * Adds a message. 0; -EAGAIN: too much is waiting for a peer that does not read (the message was
 * not taken; bounded by weft_wire_room); -EMSGSIZE; or why the wire ended.
 */
int weft_wire_send(struct weft_wire *w, uint16_t kind, const void *at, size_t n) WEFT_MUST_CHECK;
void weft_wire_room(struct weft_wire *w, size_t bytes); /* that may wait; at first 16 MiB */
/* Writes as much as goes now. The number of bytes that still wait, or why the wire ended. */
int64_t weft_wire_flush(struct weft_wire *w) WEFT_MUST_CHECK;
/* 1 and a message; 0: none now; or why the wire ended, with its text. Also drives the handshake. */
int weft_wire_next(struct weft_wire *w, struct weft_wire_message *out, struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Flushes, and waits until a message is there (1 from weft_wire_next, which it calls), or with
 * `out` NULL until the handshake is over and all is written. -ETIMEDOUT when that takes longer.
 */
int weft_wire_wait(struct weft_wire *w, struct weft_wire_message *out, uint64_t limit_ns, struct weft_err *err) WEFT_MUST_CHECK;

/*
 * Another process of this machine goes on with an open wire, whose other side notices nothing. The
 * descriptor, which is then the caller's to send; `state`, which holds keys, gets what has to go
 * with it; `w` is freed. -EAGAIN, and nothing is changed: messages wait to be written or to be
 * taken, or half a frame has been read that is long.
 */
int weft_wire_give(struct weft_wire *w, struct weft_buf *state) WEFT_MUST_CHECK;
int weft_wire_take(struct weft_wire **out, int fd, const void *state, size_t n, struct weft_err *err) WEFT_MUST_CHECK;

/* -- listening -- */

struct weft_wire_listener;
struct weft_wire_listen_how {
	const char *address;       /* "HOST:PORT", "HOST", NULL: 127.0.0.1 and any free port */
	struct weft_secret secret; /* copied */
	uint64_t limit_ns;         /* for a handshake; 0: 5 s */
	unsigned pending;          /* handshakes at once; 0: 64. One more ends the oldest */
	/*
	 * A peer that was refused: one line, e.g. "refused 10.0.0.7:40122: it knows another
	 * secret". May be NULL.
	 */
	void (*refused)(void *ctx, const char *line);
	void *ctx;
};
int weft_wire_listen(struct weft_wire_listener **out, const struct weft_wire_listen_how *how,
                     struct weft_err *err) WEFT_MUST_CHECK;
void weft_wire_listener_free(struct weft_wire_listener *l);
int weft_wire_listener_fd(const struct weft_wire_listener *l); /* readable when weft_wire_accept has something to do */
const char *weft_wire_listener_address(const struct weft_wire_listener *l); /* "127.0.0.1:40123": what peers connect to */
/*
 * 1 and a wire whose peer has proved itself, 0: none now, or a negative code. Drives and times the
 * handshakes.
 */
int weft_wire_accept(struct weft_wire_listener *l, struct weft_wire **out, struct weft_err *err) WEFT_MUST_CHECK;
/* The number of peers that were refused so far. */
uint64_t weft_wire_refusals(const struct weft_wire_listener *l);

#endif
