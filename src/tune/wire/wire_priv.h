/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside the wire: a connection, and the two halves that it is made of: bytes in frames (wire.c)
 * and their sealing (wire_seal.c, or wire_seal_none.c where there is no libsodium).
 *
 *     frame      length (4) | body of `length` bytes: the messages, sealed: + SEAL_BYTES
 *     messages   n (4) | kind (2) | 0 (2) | payload, padded to 8    one after the other
 *
 * The handshake, before the first frame:
 *
 *     client                                     server
 *     magic, ephemeral key, proof       ->       knows the secret? else says nothing at all
 *                                       <-       ephemeral key, stream header, proof over both
 *     stream header, sealed empty frame ->       whoever only repeats an old greeting cannot make this frame
 *
 * A proof is a keyed hash of everything that was said so far, with the secret as key. Session keys
 * come from the ephemeral keys and the secret: an old secret does not open what was recorded.
 */
#ifndef WEFT_TUNE_WIRE_PRIV_H
#define WEFT_TUNE_WIRE_PRIV_H

#include "wire.h"

enum {
	WIRE_FRAME_AIM = 48 << 10, /* messages gather up to about here */
	WIRE_HEAD_BYTES = 8,       /* of a message */
	WIRE_SEAL_BYTES = 17,
	WIRE_FRAME_BYTES = WIRE_MESSAGE_BYTES + WIRE_HEAD_BYTES + 8,
	WIRE_ROOM_BYTES = 16 << 20,
	WIRE_HELLO_BYTES = 8 + 32 + 32,
	WIRE_REPLY_BYTES = 32 + 24 + 32,
	WIRE_CONFIRM_BYTES = 24 + 4 + WIRE_SEAL_BYTES,
};
#define WIRE_LIMIT_NS UINT64_C(5000000000)

struct wire_bytes {
	unsigned char *at;   /* owned */
	size_t from, n, cap; /* [from, n) is there */
};

enum wire_state { WIRE_CONNECTING, WIRE_WANTS_REPLY, WIRE_WANTS_HELLO, WIRE_WANTS_CONFIRM, WIRE_OPEN, WIRE_ENDED };

struct wire_seal;

struct weft_wire {
	int fd;
	enum wire_state state;
	struct wire_seal *seal;           /* owned; NULL: not sealed */
	struct wire_bytes in, out, batch; /* read; to be written; messages that gather for a frame */
	struct wire_bytes open;           /* the messages of the frame that is being handed out */
	size_t room;
	uint64_t until_ns; /* of the handshake */
	struct weft_wire_count count;
	struct weft_err why;
	char peer[WIRE_PEER_BYTES];
};

int wire_new(struct weft_wire **out, int fd, enum wire_state state, struct weft_err *err) WEFT_MUST_CHECK;
/* Reads what is there and goes on with the handshake. 0, or why it ended. */
int wire_drive(struct weft_wire *w) WEFT_MUST_CHECK;
int wire_write(struct weft_wire *w) WEFT_MUST_CHECK;
int wire_end(struct weft_wire *w, int code, const char *fmt, ...) WEFT_PRINTF(3, 4);
/* Room for n more bytes at the end. */
unsigned char *wire_bytes_more(struct wire_bytes *b, size_t n);
void wire_peer_name(int fd, bool other_side, char *out, size_t size);

/*
 * -- sealing: each returns 0, -ENOMEM, -EBADMSG (not what it must be), -ENOTSUP (this build has no
 * libsodium) --
 */
int wire_seal_new(struct wire_seal **out, const struct weft_secret *s) WEFT_MUST_CHECK;
void wire_seal_free(struct wire_seal *k);
/* The handshake: each step as it is sent and as it is received. */
int wire_seal_hello(struct wire_seal *k, unsigned char out[WIRE_HELLO_BYTES]) WEFT_MUST_CHECK;
int wire_seal_reply(struct wire_seal *k, const unsigned char hello[WIRE_HELLO_BYTES],
                    unsigned char out[WIRE_REPLY_BYTES]) WEFT_MUST_CHECK;
int wire_seal_confirm(struct wire_seal *k, const unsigned char reply[WIRE_REPLY_BYTES],
                      unsigned char out[WIRE_CONFIRM_BYTES]) WEFT_MUST_CHECK;
int wire_seal_confirmed(struct wire_seal *k, const unsigned char confirm[WIRE_CONFIRM_BYTES]) WEFT_MUST_CHECK;
/*
 * A frame's body: n bytes and WIRE_SEAL_BYTES more; and back. `length` is the frame's first four
 * bytes, which it vouches for.
 */
int wire_seal_close(struct wire_seal *k, unsigned char *out, const unsigned char *in, size_t n,
                    const unsigned char length[4]) WEFT_MUST_CHECK;
int wire_seal_open(struct wire_seal *k, unsigned char *out, const unsigned char *in, size_t n,
                   const unsigned char length[4]) WEFT_MUST_CHECK;
/* The sealing state of an open connection as bytes of this machine; and back. */
enum { WIRE_SEAL_STATE_BYTES = 2 * 52 };
void wire_seal_give(const struct wire_seal *k, unsigned char out[WIRE_SEAL_STATE_BYTES]);
int wire_seal_take(struct wire_seal **out, const unsigned char state[WIRE_SEAL_STATE_BYTES]) WEFT_MUST_CHECK;
extern const char wire_magic[8];

#endif
