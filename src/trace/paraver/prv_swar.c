/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The portable kernel: numbers of one digit by a compare, longer ones eight digits at a time in a 64-bit word (SWAR). Any
 * line with something else than digits and colons goes to prv_line_slow as a whole, before anything of it was emitted.
 */
#include "prv_emit.h"
#include "trace/text/text_input.h"
#include <string.h>

enum { MOST_PAIRS = 32 };

static inline unsigned digit(char c)
{
	return (unsigned)(unsigned char)c - '0';
}

static inline uint64_t load8(const char *p)
{
	uint64_t w;
	memcpy(&w, p, sizeof w);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	w = __builtin_bswap64(w);
#endif
	return w;
}

/* How many digits the 8 characters begin with; *value is their number. */
static inline unsigned digits8(uint64_t w, uint64_t *value)
{
	uint64_t d = w ^ 0x3030303030303030u;
	uint64_t other = ((d & 0x7f7f7f7f7f7f7f7fu) + 0x7676767676767676u) | d;
	other &= 0x8080808080808080u;
	unsigned n = other ? (unsigned)__builtin_ctzll(other) / 8 : 8;
	if (!n) {
		*value = 0;
		return 0;
	}
	d <<= 64 - 8 * n; /* what follows falls out, zeros come in front */
	d = (d * 10) + (d >> 8);
	d = ((d & 0x000000ff000000ffu) * (100 + (1000000ull << 32)) +
	     ((d >> 16) & 0x000000ff000000ffu) * (1 + (10000ull << 32))) >>
	    32;
	*value = d;
	return n;
}

static const uint64_t power10[9] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

/* A number of up to 16 digits and the character behind it; NULL when it is longer. No digits are 0. */
static inline const char *number(const char *p, uint64_t *value)
{
	unsigned first = digit(p[0]);
	if (first < 10 && digit(p[1]) > 9) {
		*value = first;
		return p + 1;
	}
	uint64_t v, more;
	unsigned n = digits8(load8(p), &v);
	p += n;
	if (n == 8) {
		n = digits8(load8(p), &more);
		p += n;
		v = v * power10[n] + more;
		if (n == 8 && digit(*p) <= 9)
			return NULL;
	}
	*value = v;
	return p;
}

/* n numbers, each ended by a colon. NULL: not so. */
static inline const char *numbers(const char *p, uint64_t *value, int n)
{
	for (int i = 0; i < n; i++) {
		p = number(p, &value[i]);
		if (!p || *p != ':')
			return NULL;
		p++;
	}
	return p;
}

/* Behind a line's last number, which must have a digit: a field that is not there is another thing than an empty one. */
static inline bool ends_line(const char *p)
{
	return *p == '\n' && p[-1] != ':';
}

/* The row of a record whose objects are all in order, else WEFT_NONE. */
static inline uint32_t row_of(const struct prv_model *m, uint64_t *object)
{
	uint32_t row = prv_model_row(m, object[1], object[2], object[3]);
	return row != WEFT_NONE && prv_cpu_fits(m, row, &object[0]) ? row : WEFT_NONE;
}

/* Each returns where the next line begins, or NULL when the line is for prv_line_slow. */
static inline const char *state_fast(struct prv_chunk *c, const char *p)
{
	uint64_t object[4], time[2], state;
	p = numbers(p, object, 4);
	if (!p || !(p = numbers(p, time, 2)) || !(p = number(p, &state)) || !ends_line(p))
		return NULL;
	uint32_t row = row_of(c->model, object);
	if (row == WEFT_NONE || time[1] < time[0] || time[1] > c->model->most_time || state > UINT32_MAX)
		return NULL;
	prv_emit_state(c, row, (uint32_t)object[0], time[0], time[1], (uint32_t)state);
	return p + 1;
}

static inline const char *event_fast(struct prv_chunk *c, const char *p)
{
	uint64_t object[4], time, pair[2 * MOST_PAIRS];
	p = numbers(p, object, 4);
	if (!p || !(p = numbers(p, &time, 1)))
		return NULL;
	uint32_t n = 0;
	for (;; p++) {
		if (n == MOST_PAIRS || !(p = numbers(p, &pair[2 * n], 1)) || !(p = number(p, &pair[2 * n + 1])) ||
		    pair[2 * n] > UINT32_MAX)
			return NULL;
		n++;
		if (*p != ':')
			break;
	}
	uint32_t row = row_of(c->model, object);
	if (!ends_line(p) || row == WEFT_NONE || time > c->model->most_time)
		return NULL;
	prv_emit_events(c, row, (uint32_t)object[0], time, n, pair);
	return p + 1;
}

static inline const char *comm_fast(struct prv_chunk *c, const char *p)
{
	uint64_t f[14];
	p = numbers(p, f, 13);
	if (!p || !(p = number(p, &f[13])) || !ends_line(p))
		return NULL;
	struct prv_comm m = {
		.send_row = row_of(c->model, f),
		.recv_row = row_of(c->model, f + 6),
		.send_cpu = (uint32_t)f[0],
		.recv_cpu = (uint32_t)f[6],
		.time = {f[4], f[5], f[10], f[11]},
		.size = f[12],
		.tag = (int32_t)f[13],
	};
	if (m.send_row == WEFT_NONE || m.recv_row == WEFT_NONE || f[13] > INT32_MAX)
		return NULL;
	for (int i = 0; i < 4; i++)
		if (m.time[i] > c->model->most_time)
			return NULL;
	prv_emit_comm(c, &m);
	return p + 1;
}

const char *prv_swar_line(struct prv_chunk *c, const char *p, const char *end)
{
	const char *next = NULL;
	c->n_lines++;
	if (p[1] == ':') {
		if (*p == '2')
			next = event_fast(c, p + 2);
		else if (*p == '1')
			next = state_fast(c, p + 2);
		else if (*p == '3')
			next = comm_fast(c, p + 2);
	}
	if (next)
		return next;
	const char *stop = memchr(p, '\n', (size_t)(end - p));
	prv_line_slow(c, p, stop ? stop : end);
	return stop ? stop + 1 : end;
}

bool prv_swar_objects(const struct prv_model *m, const char *p, uint32_t *row, uint32_t *cpu)
{
	uint64_t object[4];
	if (!numbers(p, object, 4))
		return false;
	*row = row_of(m, object);
	*cpu = (uint32_t)object[0];
	return *row != WEFT_NONE;
}

void prv_parse_swar(struct prv_chunk *c)
{
	const char *p = c->at, *end = c->at + c->n;
	while (p < end && !c->failed)
		p = prv_swar_line(c, p, end);
}
