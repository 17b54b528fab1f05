/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Protobuf's wire format, as far as one writes it: a message grows from the end of a small buffer to its front, because a length
 * stands before what it counts. So fields are said in the reverse of the order in which they are to stand.
 */
#ifndef WEFT_TRACE_EXPORT_PROTO_H
#define WEFT_TRACE_EXPORT_PROTO_H

#include "export_priv.h"

#define PROTO_BYTES (EXPORT_ROOM * 4u)
struct proto {
	char *at; /* the first byte; the message ends with the buffer */
	bool cut; /* something had no room, and is missing */
	char bytes[PROTO_BYTES];
};

static inline void proto_begin(struct proto *p)
{
	p->at = p->bytes + PROTO_BYTES;
	p->cut = false;
}
static inline size_t proto_size(const struct proto *p)
{
	return (size_t)(p->bytes + PROTO_BYTES - p->at);
}
static inline size_t proto_room(const struct proto *p)
{
	return (size_t)(p->at - p->bytes);
}

static inline unsigned proto_varint_size(uint64_t v)
{
	return (unsigned)(70 - __builtin_clzll(v | 1)) / 7;
}

/* Writes v in groups of 7 bits at `at`, which has room for proto_varint_size(v) bytes; returns their end. */
static inline char *proto_put_varint(char *at, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*at++ = (char)(v | 0x80);
	*at++ = (char)v;
	return at;
}

/* Room for a field: its tag is written, and what follows goes to the result; NULL when there is no room for all of it. */
static inline char *proto_field(struct proto *p, unsigned field, unsigned wire, size_t n)
{
	uint64_t tag = (uint64_t)field << 3 | wire;
	size_t whole = proto_varint_size(tag) + n;
	if (whole > proto_room(p)) {
		p->cut = true;
		return NULL;
	}
	p->at -= whole;
	return proto_put_varint(p->at, tag);
}

static inline void proto_u64(struct proto *p, unsigned field, uint64_t v)
{
	char *at = proto_field(p, field, 0, proto_varint_size(v));
	if (at)
		proto_put_varint(at, v);
}
static inline void proto_fixed(struct proto *p, unsigned field, uint64_t v)
{
	char *at = proto_field(p, field, 1, 8);
	if (at)
		memcpy(at, &v, 8); /* little-endian, as the machines that we run on */
}
static inline void proto_double(struct proto *p, unsigned field, double v)
{
	uint64_t bits;
	memcpy(&bits, &v, sizeof bits);
	proto_fixed(p, field, bits);
}
static inline void proto_bytes(struct proto *p, unsigned field, const char *from, size_t n)
{
	char *at = proto_field(p, field, 2, proto_varint_size(n) + n);
	if (at)
		memcpy(proto_put_varint(at, n), from, n);
}
static inline void proto_nested(struct proto *p, unsigned field, const struct proto *inner)
{
	proto_bytes(p, field, inner->at, proto_size(inner));
}

/* Cut to `most` bytes, between characters; what is no UTF-8 becomes '?', because protobuf strings must be UTF-8. */
static inline void proto_text(struct proto *p, unsigned field, const char *z, size_t most)
{
	size_t n = 0, left = strlen(z), bad = 0;
	while (n < left) {
		unsigned one = weft_utf8_len(z + n, left - n);
		bad += one == 0;
		if (n + (one ? one : 1) > most)
			break;
		n += one ? one : 1;
	}
	char *at = proto_field(p, field, 2, proto_varint_size(n) + n);
	if (!at)
		return;
	at = proto_put_varint(at, n);
	memcpy(at, z, n);
	for (size_t i = 0; i < n && bad;) {
		unsigned one = weft_utf8_len(at + i, n - i);
		if (one == 0)
			at[i] = '?';
		i += one ? one : 1;
	}
}

/* The message as a field of the file. */
static inline void proto_write(struct export_out *o, unsigned field, const struct proto *p)
{
	char *at = export_room(o, 16), *end = proto_put_varint(at, (uint64_t)field << 3 | 2);
	end = proto_put_varint(end, proto_size(p));
	o->n += (size_t)(end - at);
	export_bytes(o, p->at, proto_size(p));
}

#endif
