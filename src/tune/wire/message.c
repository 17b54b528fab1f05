/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages as bytes. One table says of every kind which fields it has, where they are in its
 * struct, and how each is written; encoding and decoding are two walks over a row. A new field goes
 * to the end of its row, and is zero when an older side has sent it.
 */
#include "message.h"
#include <endian.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

enum field_kind {
	FIELD_END,
	FIELD_BOOL,
	FIELD_U8,
	FIELD_U32,
	FIELD_U64,
	FIELD_REAL,
	FIELD_TEXT,
	FIELD_VALUE,
	FIELD_VALUES,
	FIELD_FIELDS,
	FIELD_BYTES
};

struct field {
	uint8_t kind;
	uint16_t at;    /* in struct message */
	uint16_t count; /* VALUES, FIELDS, BYTES: where their number is */
};

enum { FIELDS_MOST = 16 };
#define AT(what, member) offsetof(struct message, what.member)
#define BOOL(what, member) \
	{ \
		FIELD_BOOL, AT(what, member), 0 \
	}
#define U8(what, member) \
	{ \
		FIELD_U8, AT(what, member), 0 \
	}
#define U32(what, member) \
	{ \
		FIELD_U32, AT(what, member), 0 \
	}
#define U64(what, member) \
	{ \
		FIELD_U64, AT(what, member), 0 \
	}
#define REAL(what, member) \
	{ \
		FIELD_REAL, AT(what, member), 0 \
	}
#define TEXT(what, member) \
	{ \
		FIELD_TEXT, AT(what, member), 0 \
	}
#define VALUE(what, member) \
	{ \
		FIELD_VALUE, AT(what, member), 0 \
	}
#define VALUES(what, member) \
	{ \
		FIELD_VALUES, AT(what, member), AT(what, n) \
	}
#define FIELDS(what, member) \
	{ \
		FIELD_FIELDS, AT(what, member), AT(what, n) \
	}

#define BYTES(what, member) \
	{ \
		FIELD_BYTES, AT(what, member), AT(what, n) \
	}

static const struct {
	const char *name;
	uint16_t process; /* where the process is; 0: nowhere */
	struct field field[FIELDS_MOST + 1];
} rows[MESSAGE_KINDS] = {
	[MESSAGE_HELLO] = {"hello",
                           0,
                           {U32(hello, version), U32(hello, controller), U64(hello, time), TEXT(hello, host),
                            BOOL(hello, collector)}},
	[MESSAGE_PROCESS] = {"process",
                             AT(process, process),
                             {U64(process, process), U64(process, time), U32(process, pid), U32(process, parent),
                              U64(process, rank), U64(process, size), U8(process, how), TEXT(process, host), TEXT(process, exe)}},
	[MESSAGE_GONE] = {"gone", AT(gone, process), {U64(gone, process), U64(gone, time), TEXT(gone, why)}},
	[MESSAGE_NAMED] = {"named", AT(named, process), {U64(named, process), U64(named, id)}},
	[MESSAGE_INSERTED] = {"inserted",
                              AT(inserted, process),
                              {U64(inserted, process), U32(inserted, event), BOOL(inserted, on), BOOL(inserted, traps),
                               U32(inserted, rc), U64(inserted, took_ns), TEXT(inserted, text)}},
	[MESSAGE_EVENT] = {"event",
                           AT(event, process),
                           {U64(event, process), U64(event, time), U32(event, event), U32(event, tid), BOOL(event, incomplete),
                            VALUES(event, value), BOOL(event, folded)}},
	[MESSAGE_LOST] = {"lost",
                          AT(lost, process),
                          {U64(lost, process), U64(lost, time), U64(lost, count), U64(lost, since), BOOL(lost, again)}},
	[MESSAGE_ACTED] = {"acted",
                           AT(acted, process),
                           {U64(acted, process), U64(acted, time), U32(acted, action), U32(acted, tid), BOOL(acted, undo),
                            U32(acted, rc), VALUE(acted, old), VALUE(acted, value), U64(acted, took_ns), TEXT(acted, text)}},
	[MESSAGE_COST] = {"cost",
                          AT(cost, process),
                          {U64(cost, process), U64(cost, time), U64(cost, hits), U64(cost, traps), U64(cost, inserted),
                           U64(cost, acts), U64(cost, insert_ns), U64(cost, act_ns), U64(cost, cpu_ns),
                           U64(cost, controller_cpu_ns), U64(cost, controller_rss), U64(cost, prepare_ns), BOOL(cost, alive),
                           U64(cost, exits), REAL(cost, entry_ns), REAL(cost, exit_ns)}},
	[MESSAGE_CLOCK] = {"clock",
                           0,
                           {U64(clock, sent), U64(clock, received), U64(clock, answered), U64(clock, offset_ns),
                            REAL(clock, drift), U32(clock, controller)}},
	[MESSAGE_FOLDED] = {"folded", 0, {U64(folded, time), U32(folded, tunlet), BOOL(folded, more), BYTES(folded, bytes)}},
	[MESSAGE_HERE] = {"here", AT(here, process), {U64(here, process)}},
	[MESSAGE_LOAD] = {"load",
                          0,
                          {U64(load, time), U64(load, events), U64(load, cpu_ns), U32(load, collector), U32(load, of),
                           U32(load, processes), U32(load, leaves), U32(load, queued), TEXT(load, host), BOOL(load, gone),
                           U32(load, between), U64(load, delay_ns), BOOL(load, is_between)}},
	[MESSAGE_LEFT] = {"left", AT(left, process), {U64(left, process), U8(left, how)}},
	[MESSAGE_WAY] = {"way", 0, {U32(way, collector)}},
	[MESSAGE_MOVE] = {"move", AT(move, process), {U64(move, process)}},
	[MESSAGE_GO] = {"go", AT(go, process), {U64(go, process)}},
	[MESSAGE_LEAVE] = {"leave", 0, {{0}}},
	[MESSAGE_GROW] = {"grow", 0, {U32(grow, collector), U32(grow, n)}},
	[MESSAGE_LEVEL] = {"level", 0, {U32(level, n)}},
	[MESSAGE_HAND] = {"hand", 0, {BYTES(hand, bytes)}},
	[MESSAGE_SPEC] = {"spec",
                          0,
                          {U32(spec, tunlet), U64(spec, began), REAL(spec, per_unit), TEXT(spec, name), BOOL(spec, more),
                           BYTES(spec, bytes), BOOL(spec, passes)}},
	[MESSAGE_BIND] = {"bind", AT(bind, process), {U64(bind, process), U32(bind, tunlet), U32(bind, actor), U64(bind, id)}},
	[MESSAGE_CLOSE] = {"close", 0, {U32(close, tunlet), U8(close, how), U64(close, iteration)}},
	[MESSAGE_ABOVE] = {"above", 0, {TEXT(above, address)}},
	[MESSAGE_WANT] = {"want",
                          AT(want, process),
                          {U64(want, process), U32(want, event), BOOL(want, at_exit), TEXT(want, function), TEXT(want, classes),
                           FIELDS(want, field), U32(want, iteration)}},
	[MESSAGE_UNWANT] = {"unwant", AT(unwant, process), {U64(unwant, process), U32(unwant, event)}},
	[MESSAGE_READY] = {"ready", AT(ready, process), {U64(ready, process)}},
	[MESSAGE_ACT] = {"act",
                         AT(act, process),
                         {U64(act, process), U32(act, action), U8(act, kind), BOOL(act, at_exit), BOOL(act, wants_old),
                          BOOL(act, sync_at_exit), U32(act, timeout_ms), TEXT(act, subject), TEXT(act, object),
                          TEXT(act, classes), TEXT(act, declared), TEXT(act, sync), VALUES(act, argument)}},
	[MESSAGE_UNDO] = {"undo", AT(undo, process), {U64(undo, process), U32(undo, action)}},
	[MESSAGE_DETACH] = {"detach", AT(detach, process), {U64(detach, process), BOOL(detach, undo)}},
	[MESSAGE_END] = {"end", 0, {BOOL(end, undo)}},
	[MESSAGE_PING] = {"ping", 0, {U64(ping, sent)}},
};

const char *message_name(unsigned kind)
{
	return kind < MESSAGE_KINDS && rows[kind].name ? rows[kind].name : "?";
}

uint64_t message_process_of(const struct message *m)
{
	uint64_t process = 0;
	if (m->kind < MESSAGE_KINDS && rows[m->kind].process)
		memcpy(&process, (const char *)m + rows[m->kind].process, sizeof process);
	return process;
}

/* ---- encoding ---- */

static void message_put(struct weft_buf *b, uint64_t v, unsigned bytes)
{
	uint64_t at = htole64(v);
	weft_buf_add(b, (const char *)&at, bytes);
}

static void put_text(struct weft_buf *b, const char *z)
{
	size_t n = z ? strlen(z) : 0;
	message_put(b, n, 4);
	weft_buf_add(b, z ? z : "", n + 1);
}

static uint64_t real_bits(double d)
{
	uint64_t bits;
	memcpy(&bits, &d, sizeof bits);
	return bits;
}

static void put_value(struct weft_buf *b, const struct message_value *v)
{
	message_put(b, v->kind, 1);
	if (v->kind == MESSAGE_INT)
		message_put(b, (uint64_t)v->i, 8);
	else if (v->kind == MESSAGE_REAL)
		message_put(b, real_bits(v->d), 8);
	else if (v->kind == MESSAGE_TEXT)
		put_text(b, v->s);
}

static void put_field(struct weft_buf *b, const struct message *m, const struct field *f)
{
	const char *at = (const char *)m + f->at;
	uint32_t n = 0;
	if (f->count)
		memcpy(&n, (const char *)m + f->count, sizeof n);
	if (f->kind == FIELD_BYTES) {
		message_put(b, n, 4);
		if (n)
			weft_buf_add(b, *(const char *const *)(const void *)at, n);
		return;
	}
	n = n < MESSAGE_VALUES ? n : MESSAGE_VALUES;
	switch (f->kind) {
	case FIELD_BOOL:
		message_put(b, *(const bool *)at, 1);
		break;
	case FIELD_U8:
		message_put(b, *(const uint8_t *)at, 1);
		break;
	case FIELD_U32:
		message_put(b, *(const uint32_t *)(const void *)at, 4);
		break;
	case FIELD_U64:
	case FIELD_REAL:
		message_put(b, *(const uint64_t *)(const void *)at, 8);
		break;
	case FIELD_TEXT:
		put_text(b, *(const char *const *)(const void *)at);
		break;
	case FIELD_VALUE:
		put_value(b, (const void *)at);
		break;
	case FIELD_VALUES:
		message_put(b, n, 1);
		for (uint32_t i = 0; i < n; i++)
			put_value(b, (const struct message_value *)(const void *)at + i);
		break;
	default:
		message_put(b, n, 1);
		for (uint32_t i = 0; i < n; i++) {
			const struct message_field *e = (const struct message_field *)(const void *)at + i;
			message_put(b, e->source, 1);
			put_text(b, e->name);
			put_text(b, e->type);
		}
	}
}

int message_encode(const struct message *m, struct weft_buf *out)
{
	size_t before = out->n;
	for (const struct field *f = rows[m->kind].field; f->kind; f++)
		put_field(out, m, f);
	if (out->failed)
		return -ENOMEM;
	if (out->n - before <= MESSAGE_BYTES_MAX)
		return 0;
	out->n = before;
	out->at[before] = '\0';
	return -EMSGSIZE;
}

/* ---- decoding ---- */

struct reader {
	const unsigned char *at;
	size_t n;
	bool bad;
};

static inline uint64_t message_take(struct reader *r, unsigned bytes)
{
	uint64_t v = 0;
	if (r->n < bytes) {
		r->bad = true;
		r->n = 0;
		return 0;
	}
	memcpy(&v, r->at, bytes);
	r->at += bytes;
	r->n -= bytes;
	return le64toh(v);
}

/* A text ends with a zero byte, and has none before. */
static const char *take_text(struct reader *r)
{
	uint64_t n = message_take(r, 4);
	const char *z = (const char *)r->at;
	if (n >= r->n || z[n] != '\0' || memchr(z, '\0', n)) {
		r->bad = true;
		return "";
	}
	r->at += n + 1;
	r->n -= n + 1;
	return z;
}

static void take_value(struct reader *r, struct message_value *v)
{
	*v = (struct message_value){.kind = (uint8_t)message_take(r, 1), .s = ""};
	if (v->kind == MESSAGE_INT) {
		v->i = (int64_t)message_take(r, 8);
		v->d = (double)v->i;
	} else if (v->kind == MESSAGE_REAL) {
		uint64_t bits = message_take(r, 8);
		memcpy(&v->d, &bits, sizeof bits);
		v->i = v->d > -9e18 && v->d < 9e18 ? (int64_t)v->d : 0;
	} else if (v->kind == MESSAGE_TEXT) {
		v->s = take_text(r);
	} else if (v->kind != MESSAGE_ABSENT) {
		r->bad = true;
	}
}

static void take_list(struct reader *r, struct message *out, const struct field *f)
{
	char *at = (char *)out + f->at;
	uint32_t n = (uint32_t)message_take(r, 1);
	if (n > MESSAGE_VALUES) {
		r->bad = true;
		return;
	}
	memcpy((char *)out + f->count, &n, sizeof n);
	for (uint32_t i = 0; i < n && !r->bad; i++) {
		struct message_field *e = (struct message_field *)(void *)at + i;
		if (f->kind == FIELD_VALUES) {
			take_value(r, (struct message_value *)(void *)at + i);
			continue;
		}
		e->source = (uint8_t)message_take(r, 1);
		e->name = take_text(r);
		e->type = take_text(r);
		r->bad |= e->source >= MESSAGE_SOURCES;
	}
}

static void take_bytes(struct reader *r, struct message *out, const struct field *f)
{
	uint32_t n = (uint32_t)message_take(r, 4);
	if (n > r->n) {
		r->bad = true;
		return;
	}
	memcpy((char *)out + f->at, &r->at, sizeof r->at);
	memcpy((char *)out + f->count, &n, sizeof n);
	r->at += n;
	r->n -= n;
}

static void take_field(struct reader *r, struct message *out, const struct field *f)
{
	char *at = (char *)out + f->at;
	switch (f->kind) {
	case FIELD_BOOL:
		*(bool *)at = message_take(r, 1) != 0;
		break;
	case FIELD_U8:
		*(uint8_t *)at = (uint8_t)message_take(r, 1);
		break;
	case FIELD_U32:
		*(uint32_t *)(void *)at = (uint32_t)message_take(r, 4);
		break;
	case FIELD_U64:
	case FIELD_REAL:
		*(uint64_t *)(void *)at = message_take(r, 8);
		break;
	case FIELD_TEXT:
		*(const char **)(void *)at = take_text(r);
		break;
	case FIELD_VALUE:
		take_value(r, (void *)at);
		break;
	case FIELD_BYTES:
		take_bytes(r, out, f);
		break;
	default:
		take_list(r, out, f);
	}
}

/*
 * Where the bytes end, as an older side may have it, fields keep the nothing that they begin with.
 */
static void empty_field(struct message *out, const struct field *f)
{
	char *at = (char *)out + f->at;
	if (f->kind == FIELD_TEXT)
		*(const char **)(void *)at = "";
	else if (f->kind == FIELD_VALUE)
		((struct message_value *)(void *)at)->s = "";
	else if (f->kind == FIELD_BYTES)
		*(const char **)(void *)at = "";
}

int message_decode(unsigned kind, const void *at, size_t n, struct message *out)
{
	struct reader r = {.at = at, .n = n};
	if (kind == MESSAGE_NONE || kind >= MESSAGE_KINDS)
		return WEFT_E_SYNTAX;
	/*
	 * Most messages are events: only as many of their values as there are, behind all else, are
	 * written and read.
	 */
	memset(out, 0, kind == MESSAGE_EVENT ? offsetof(struct message, event.value) : sizeof *out);
	out->kind = (enum message_kind)kind;
	for (const struct field *f = rows[kind].field; f->kind; f++)
		empty_field(out, f);
	for (const struct field *f = rows[kind].field; f->kind && r.n && !r.bad; f++)
		take_field(&r, out, f);
	return r.bad ? WEFT_E_SYNTAX : 0;
}
