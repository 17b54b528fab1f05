/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events as lines. What is the same in many lines (a thread's label, a kind's name, the names of definitions) is made once,
 * ready to be copied; a line is then some copies and one or two numbers, in a large buffer. What a kind says behind its name
 * is one row of `tellers`; kinds without a row print their payload as the table of kinds describes it.
 *
 *        1234  1.1.1   enter         solve
 *        time  thread  kind          what
 */
#include "dump_print.h"
#include "base/arena.h"
#include "base/exit.h"
#include "base/str.h"
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER_BYTES = 1 << 20, LINE_ROOM = 512, WORDS_SHOWN = 512, KIND_WIDTH = 14 };

struct name {
	const char *at;
	size_t n;
};

struct dump_printer {
	const struct weft_trace *trace;
	FILE *to;
	bool json, delta;
	uint64_t before; /* time of the line before */
	char *at, *end;  /* free space */
	char *buffer;
	size_t room; /* of the buffer */
	unsigned time_width;
	struct name *thread;             /* padded; in JSON as a key and value */
	struct name kind[256];           /* likewise */
	struct name *def[WEFT_CLASSES];  /* names as printed; in JSON in quotes */
	struct name *unit[WEFT_CLASSES]; /* " ms", or nothing */
	struct weft_arena arena;
};

/* -- putting text -- */

static int write_error(void)
{
	return errno ? -errno : -EIO;
}

static int flush_buffer(struct dump_printer *p)
{
	size_t n = (size_t)(p->at - p->buffer);
	p->at = p->buffer;
	errno = 0;
	return n > 0 && fwrite(p->buffer, 1, n, p->to) != n ? write_error() : 0;
}

int dump_printer_flush(struct dump_printer *p)
{
	int rc = flush_buffer(p);
	errno = 0;
	return rc ? rc : fflush(p->to) ? write_error() : 0;
}

/* Makes room for n bytes; what has more than the whole buffer gets a larger one. */
static int make_room(struct dump_printer *p, size_t n)
{
	if ((size_t)(p->end - p->at) >= n)
		return 0;
	int rc = flush_buffer(p);
	if (rc || n <= p->room)
		return rc;
	char *larger = realloc(p->buffer, n);
	if (!larger)
		return -ENOMEM;
	p->buffer = p->at = larger;
	p->end = larger + n;
	p->room = n;
	return 0;
}

static inline void dump_put(struct dump_printer *p, const char *at, size_t n)
{
	memcpy(p->at, at, n);
	p->at += n;
}

#define PUT(p, literal) dump_put((p), "" literal, sizeof(literal) - 1)

static inline void put_name(struct dump_printer *p, struct name n)
{
	dump_put(p, n.at, n.n);
}

static inline void put_u64(struct dump_printer *p, uint64_t v)
{
	p->at += weft_fmt_u64(p->at, v);
}

static void put_i64(struct dump_printer *p, int64_t v)
{
	p->at += weft_fmt_i64(p->at, v);
}

static void put_hex(struct dump_printer *p, uint64_t v)
{
	p->at += snprintf(p->at, 20, "0x%llx", (unsigned long long)v);
}

static void put_double(struct dump_printer *p, uint64_t word)
{
	double v;
	memcpy(&v, &word, sizeof v);
	if (p->json && v - v != 0)
		PUT(p, "null");
	else
		p->at += weft_fmt_double(p->at, v);
}

/* Text from a trace, in quotes: no control characters in lines for people, valid JSON. Room for 6 bytes a byte is there. */
static void put_text(struct dump_printer *p, const char *z)
{
	*p->at++ = '"';
	for (size_t left = strlen(z); left > 0;) {
		unsigned char c = (unsigned char)*z;
		unsigned n = weft_utf8_len(z, left);
		if (c == '"' || c == '\\')
			*p->at++ = '\\';
		if (n > 1 || (c >= ' ' && c < 0x7f))
			dump_put(p, z, n);
		else if (!p->json)
			*p->at++ = '?';
		else
			p->at += snprintf(p->at, 7, "\\u%04x", n ? c : 0xfffdu);
		z += n ? n : 1;
		left -= n ? n : 1;
	}
	*p->at++ = '"';
}

static int text_room(struct dump_printer *p, const char *z)
{
	return make_room(p, 6 * strlen(z) + LINE_ROOM);
}

/* -- what is made once -- */

static struct name keep_printf(struct dump_printer *p, const char *fmt, ...) WEFT_PRINTF(2, 3);
static struct name keep_printf(struct dump_printer *p, const char *fmt, ...)
{
	char text[128];
	va_list args;
	va_start(args, fmt);
	int n = vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	if (n < 0 || n >= (int)sizeof text)
		n = (int)sizeof text - 1;
	return (struct name){weft_arena_strndup(&p->arena, text, (size_t)n), (size_t)n};
}

/* A name as lines show it, made with put_text in the (still empty) buffer. */
static int keep_name(struct dump_printer *p, const char *z, struct name *out)
{
	int rc = text_room(p, z);
	if (rc)
		return rc;
	p->at = p->buffer;
	if (p->json) {
		put_text(p, z);
	} else {
		dump_put(p, z, strlen(z) + 1);
		weft_one_line(p->buffer);
		p->at--;
	}
	out->n = (size_t)(p->at - p->buffer);
	out->at = weft_arena_strndup(&p->arena, p->buffer, out->n);
	p->at = p->buffer;
	return out->at ? 0 : -ENOMEM;
}

static int keep_defs(struct dump_printer *p, enum weft_class c)
{
	const struct weft_def_table *all = &p->trace->def[c];
	if (c == WEFT_CLASS_STRING || all->n == 0)
		return 0;
	p->def[c] = weft_arena_alloc(&p->arena, all->n * sizeof *p->def[c]);
	p->unit[c] = weft_arena_alloc(&p->arena, all->n * sizeof *p->unit[c]);
	if (!p->def[c] || !p->unit[c])
		return -ENOMEM;
	for (uint32_t i = 1; i < all->n; i++) {
		int rc = keep_name(p, all->at[i].name, &p->def[c][i]);
		if (!rc && all->at[i].unit && all->at[i].unit[0])
			rc = keep_name(p, all->at[i].unit, &p->unit[c][i]);
		if (rc)
			return rc;
	}
	return 0;
}

static int keep_threads(struct dump_printer *p)
{
	const struct weft_trace *t = p->trace;
	char label[48];
	int width = (int)strlen("thread");
	p->thread = weft_arena_alloc(&p->arena, (t->n_threads + 1) * sizeof *p->thread);
	if (!p->thread)
		return -ENOMEM;
	for (uint32_t i = 0; i < t->n_threads; i++) {
		int n = (int)strlen(weft_thread_label(t, i, label));
		width = n > width ? n : width;
	}
	for (uint32_t i = 0; i < t->n_threads; i++) {
		weft_thread_label(t, i, label);
		p->thread[i] = p->json ? keep_printf(p, ",\"thread\":\"%s\"", label) : keep_printf(p, "  %-*s  ", width, label);
		if (!p->thread[i].at)
			return -ENOMEM;
	}
	return 0;
}

static int keep_kinds(struct dump_printer *p)
{
	for (unsigned k = 0; k < 256; k++) {
		char number[24];
		const char *name = weft_kind_info[k].name;
		snprintf(number, sizeof number, "kind_%u", k);
		p->kind[k] = p->json ? keep_printf(p, ",\"kind\":\"%s\"", name ? name : number)
		                     : keep_printf(p, "%-*s", KIND_WIDTH, name ? name : number);
		if (!p->kind[k].at)
			return -ENOMEM;
	}
	return 0;
}

/* -- what lines say behind the kind -- */

static bool has_name(const struct dump_printer *p, enum weft_class c, uint64_t id)
{
	return id > 0 && id < p->trace->def[c].n;
}

static int tell_name(struct dump_printer *p, const struct weft_event *e)
{
	enum weft_class c = weft_kind_info[e->kind].of;
	if (c == WEFT_CLASS_NONE)
		return 0;
	size_t n = has_name(p, c, e->id) ? p->def[c][e->id].n : 0;
	int rc = make_room(p, n + LINE_ROOM);
	if (rc)
		return rc;
	if (p->json)
		PUT(p, ",\"name\":");
	if (has_name(p, c, e->id))
		put_name(p, p->def[c][e->id]);
	else if (p->json)
		PUT(p, "null");
	else if (e->id)
		*p->at++ = '#', put_u64(p, e->id);
	return 0;
}

/* " = " or the key of JSON. */
static int tell_name_is(struct dump_printer *p, const struct weft_event *e)
{
	int rc = tell_name(p, e);
	if (p->json)
		PUT(p, ",\"value\":");
	else
		PUT(p, " = ");
	return rc;
}

static int tell_unit(struct dump_printer *p, const struct weft_event *e)
{
	enum weft_class c = weft_kind_info[e->kind].of;
	if (!has_name(p, c, e->id) || p->unit[c][e->id].n == 0)
		return 0;
	int rc = make_room(p, p->unit[c][e->id].n + LINE_ROOM);
	if (rc)
		return rc;
	if (p->json)
		PUT(p, ",\"unit\":");
	else
		*p->at++ = ' ';
	put_name(p, p->unit[c][e->id]);
	return 0;
}

static int tell_label(struct dump_printer *p, const struct weft_event *e)
{
	if (weft_kind_info[e->kind].of != WEFT_CLASS_TYPE || !has_name(p, WEFT_CLASS_TYPE, e->id))
		return 0;
	const char *label = weft_value_label(&p->trace->def[WEFT_CLASS_TYPE].at[e->id], (int64_t)e->value);
	int rc = label ? text_room(p, label) : 0;
	if (rc || !label)
		return rc;
	if (p->json)
		PUT(p, ",\"label\":");
	else
		*p->at++ = ' ';
	put_text(p, label);
	return 0;
}

static int tell_signed(struct dump_printer *p, const struct weft_event *e)
{
	int rc = tell_name_is(p, e);
	put_i64(p, (int64_t)e->value);
	if (!rc)
		rc = tell_unit(p, e);
	return rc ? rc : tell_label(p, e);
}

static int tell_double(struct dump_printer *p, const struct weft_event *e)
{
	int rc = tell_name_is(p, e);
	put_double(p, e->value);
	return rc ? rc : tell_unit(p, e);
}

static int tell_string(struct dump_printer *p, const struct weft_event *e)
{
	const struct weft_def_table *all = &p->trace->def[WEFT_CLASS_STRING];
	const char *text = e->value < all->n ? all->at[e->value].name : "";
	int rc = tell_name_is(p, e);
	if (!rc)
		rc = text_room(p, text);
	if (!rc)
		put_text(p, text);
	return rc;
}

/* ` to 1.2.1`, or ` to ?` when the other end is missing. */
static void tell_other_end(struct dump_printer *p, const char *key, uint32_t thread)
{
	char label[48];
	const char *text = thread < p->trace->n_threads ? weft_thread_label(p->trace, thread, label) : NULL;
	if (p->json)
		p->at += text ? snprintf(p->at, 100, ",\"%s\":\"%s\"", key, text) : snprintf(p->at, 40, ",\"%s\":null", key);
	else
		p->at += snprintf(p->at, 100, " %s %s", key, text ? text : "?");
}

static int tell_message(struct dump_printer *p, const struct weft_event *e)
{
	const struct weft_messages *m = &p->trace->message;
	int rc = tell_name(p, e);
	if (rc || e->value >= m->n)
		return rc;
	bool out = e->kind == WEFT_EV_SEND;
	tell_other_end(p, out ? "to" : "from", out ? m->recv_thread[e->value] : m->send_thread[e->value]);
	p->at += snprintf(p->at, 150, p->json ? ",\"tag\":%d,\"size\":%llu,\"message\":%llu" : " tag %d size %llu message %llu",
	                  m->tag[e->value], (unsigned long long)m->size[e->value], (unsigned long long)e->value);
	return 0;
}

static int tell_flow(struct dump_printer *p, const struct weft_event *e)
{
	const struct weft_flows *f = &p->trace->flow;
	int rc = tell_name(p, e);
	if (rc || e->value >= f->n)
		return rc;
	bool out = e->kind == WEFT_EV_FLOW_OUT;
	p->at += snprintf(p->at, 60, p->json ? ",\"key\":\"0x%llx\"" : " key 0x%llx", (unsigned long long)f->key[e->value]);
	tell_other_end(p, out ? "to" : "from", out ? f->to_thread[e->value] : f->from_thread[e->value]);
	return 0;
}

static int tell_cpu(struct dump_printer *p, const struct weft_event *e)
{
	if (e->value >= p->trace->n_cpus) {
		if (p->json)
			PUT(p, ",\"value\":null");
		else
			PUT(p, "unknown");
		return 0;
	}
	const struct weft_cpu *c = &p->trace->cpu[e->value];
	const char *node = c->node < p->trace->n_nodes ? p->trace->node[c->node].name : "";
	int rc = text_room(p, node);
	if (rc)
		return rc;
	if (p->json)
		PUT(p, ",\"value\":");
	put_u64(p, c->os);
	if (p->json)
		PUT(p, ",\"node\":");
	else
		PUT(p, " of ");
	put_text(p, node);
	return 0;
}

static int tell_state(struct dump_printer *p, const struct weft_event *e)
{
	int rc = tell_name(p, e);
	if (p->json)
		PUT(p, ",\"duration\":");
	else
		PUT(p, " for ");
	put_u64(p, e->value);
	return rc;
}

/* id 0 is recording as a whole. */
static int tell_switch(struct dump_printer *p, const struct weft_event *e)
{
	if (e->id)
		return tell_name(p, e);
	if (p->json)
		PUT(p, ",\"name\":null");
	else
		PUT(p, "recording");
	return 0;
}

static int tell_number(struct dump_printer *p, const struct weft_event *e)
{
	if (p->json)
		PUT(p, ",\"value\":");
	put_i64(p, (int64_t)e->value);
	return 0;
}

/* As a shell says it; what the system told stays in the trace. */
static int tell_exit(struct dump_printer *p, const struct weft_event *e)
{
	int code = weft_exit_code((int64_t)e->value);
	if (p->json)
		PUT(p, ",\"value\":");
	if (code >= 0)
		put_i64(p, code);
	else if (p->json)
		PUT(p, "null");
	else
		PUT(p, "unknown");
	return 0;
}

/* One payload word as its letter says; the letters are those of events.def. */
static void put_word(struct dump_printer *p, char letter, uint64_t word)
{
	if (letter == 'x' && p->json)
		*p->at++ = '"';
	if (letter == 'x')
		put_hex(p, word);
	else if (letter == 'd')
		put_double(p, word);
	else if (letter == 'p' && p->json)
		p->at += snprintf(p->at, 40, "[%d,%d]", (int)(int32_t)word, (int)(int32_t)(word >> 32));
	else if (letter == 'p')
		p->at += snprintf(p->at, 40, "%d:%d", (int)(int32_t)word, (int)(int32_t)(word >> 32));
	else if (letter == 'i')
		put_i64(p, (int64_t)word);
	else
		put_u64(p, word);
	if (letter == 'x' && p->json)
		*p->at++ = '"';
}

/* The payload of a kind with several words, or of one that this build has no other text for. */
static int tell_words(struct dump_printer *p, const struct weft_event *e)
{
	const char *letter = weft_kind_info[e->kind].args ? weft_kind_info[e->kind].args : "";
	uint32_t n = 0;
	const uint64_t *word = weft_extra(p->trace, e->thread, e->value, &n);
	int rc = tell_name(p, e);
	if (rc)
		return rc;
	n = !word ? 0 : n < WORDS_SHOWN ? n : WORDS_SHOWN;
	rc = make_room(p, 48 * (size_t)n + LINE_ROOM);
	if (rc)
		return rc;
	if (p->json)
		PUT(p, ",\"words\":[");
	char as = 'u';
	for (uint32_t i = 0; i < n; i++) {
		if (*letter && *letter != '*')
			as = *letter++;
		if (p->json ? i > 0 : i > 0 || e->id)
			*p->at++ = p->json ? ',' : ' ';
		put_word(p, as, word[i]);
	}
	if (p->json)
		*p->at++ = ']';
	return 0;
}

/* The counters of a set by name, as far as its definition tells. */
static int tell_set(struct dump_printer *p, const struct weft_event *e)
{
	const struct weft_def_table *sets = &p->trace->def[WEFT_CLASS_SET];
	uint32_t n = 0;
	const uint64_t *word = weft_extra(p->trace, e->thread, e->value, &n);
	int rc = tell_name(p, e);
	if (p->json)
		PUT(p, ",\"values\":{");
	for (uint32_t i = 0; !rc && word && i < n && e->id < sets->n && i < sets->at[e->id].n_members; i++) {
		uint64_t id = sets->at[e->id].member[i];
		struct name counter = has_name(p, WEFT_CLASS_COUNTER, id) ? p->def[WEFT_CLASS_COUNTER][id]
		                                                          : (struct name){"\"?\"", 3};
		rc = make_room(p, counter.n + LINE_ROOM);
		if (rc)
			break;
		if (!p->json || i > 0)
			*p->at++ = p->json ? ',' : ' ';
		put_name(p, counter);
		*p->at++ = p->json ? ':' : '=';
		put_i64(p, (int64_t)word[i]);
	}
	if (p->json)
		*p->at++ = '}';
	return rc;
}

typedef int teller(struct dump_printer *p, const struct weft_event *e);
static teller *const tellers[64] = {
	[WEFT_EV_ENTER] = tell_name,       [WEFT_EV_LEAVE] = tell_name,        [WEFT_EV_POINT] = tell_signed,
	[WEFT_EV_POINT_F] = tell_double,   [WEFT_EV_POINT_S] = tell_string,    [WEFT_EV_COUNTER] = tell_signed,
	[WEFT_EV_COUNTER_F] = tell_double, [WEFT_EV_SEND] = tell_message,      [WEFT_EV_RECV] = tell_message,
	[WEFT_EV_FLOW_OUT] = tell_flow,    [WEFT_EV_FLOW_IN] = tell_flow,      [WEFT_EV_ATTR] = tell_signed,
	[WEFT_EV_ATTR_F] = tell_double,    [WEFT_EV_ATTR_S] = tell_string,     [WEFT_EV_STATE] = tell_state,
	[WEFT_EV_STATE_END] = tell_name,   [WEFT_EV_CPU] = tell_cpu,           [WEFT_EV_ON] = tell_switch,
	[WEFT_EV_OFF] = tell_switch,       [WEFT_EV_DROPPED] = tell_number,    [WEFT_EV_THREAD_BEGIN] = tell_name,
	[WEFT_EV_THREAD_END] = tell_name,  [WEFT_EV_FORK] = tell_number,       [WEFT_EV_EXEC] = tell_name,
	[WEFT_EV_EXIT] = tell_exit,        [WEFT_EV_CLOCK_BACK] = tell_number, [WEFT_EV_COUNTER_SET] = tell_set,
	[WEFT_EV_CPU_TIME] = tell_number,  [WEFT_EV_USER_TIME] = tell_number,
};

static void put_time(struct dump_printer *p, uint64_t time)
{
	if (p->json) {
		PUT(p, "{\"time\":");
		put_u64(p, time);
		return;
	}
	char digits[20];
	unsigned n = weft_fmt_u64(digits, time);
	for (unsigned i = n; i < p->time_width; i++)
		*p->at++ = ' ';
	dump_put(p, digits, n);
}

int dump_printer_event(struct dump_printer *p, const struct weft_event *e)
{
	int rc = make_room(p, LINE_ROOM);
	if (rc)
		return rc;
	put_time(p, p->delta ? e->time - p->before : e->time);
	p->before = e->time;
	put_name(p, p->thread[e->thread]);
	put_name(p, p->kind[e->kind & 255]);
	teller *tell = e->kind < 64 && tellers[e->kind] ? tellers[e->kind] : tell_words;
	rc = tell(p, e);
	while (!p->json && p->at > p->buffer && p->at[-1] == ' ')
		p->at--;
	if (!rc)
		rc = make_room(p, 2);
	if (rc)
		return rc;
	if (p->json)
		*p->at++ = '}';
	*p->at++ = '\n';
	return 0;
}

int dump_printer_new(struct dump_printer **out, const struct weft_trace *t, FILE *to, const struct dump_how *how)
{
	char digits[20];
	int rc = 0;
	struct dump_printer *p = *out = calloc(1, sizeof *p);
	if (!p)
		return -ENOMEM;
	*p = (struct dump_printer){.trace = t, .to = to, .json = how->json, .delta = how->delta};
	p->room = BUFFER_BYTES;
	p->buffer = p->at = malloc(BUFFER_BYTES);
	if (!p->buffer)
		rc = -ENOMEM;
	else
		p->end = p->buffer + BUFFER_BYTES;
	p->time_width = weft_fmt_u64(digits, t->end);
	if (!rc)
		rc = keep_threads(p);
	if (!rc)
		rc = keep_kinds(p);
	for (unsigned c = 1; c < WEFT_CLASSES && !rc; c++)
		rc = keep_defs(p, c);
	if (rc) {
		dump_printer_free(p);
		*out = NULL;
	}
	return rc;
}

void dump_printer_free(struct dump_printer *p)
{
	if (!p)
		return;
	weft_arena_fini(&p->arena);
	free(p->buffer);
	free(p);
}
