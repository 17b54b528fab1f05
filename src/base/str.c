/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text: slices, growing buffers, and numbers in and out. Integers and scaled quantities ("1.5GiB") are computed in
 * integers only, so that what a person writes is what is meant; doubles take an exact short way where there is one and
 * else go to strtod under the C locale, since the host program may have set another.
 */
#include "str.h"
#include "vec.h"
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- slices -- */

struct weft_str weft_str(const char *z)
{
	return (struct weft_str){z, z ? strlen(z) : 0};
}

bool weft_str_eq(struct weft_str a, const char *z)
{
	return strlen(z) == a.n && (a.n == 0 || memcmp(a.at, z, a.n) == 0);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

struct weft_str weft_str_behind_mark(struct weft_str s)
{
	bool marked = s.n >= 3 && !memcmp(s.at, "\xef\xbb\xbf", 3);
	return marked ? weft_str_n(s.at + 3, s.n - 3) : s;
}

struct weft_str weft_str_trim(struct weft_str s)
{
	while (s.n > 0 && is_blank(s.at[0])) {
		s.at++;
		s.n--;
	}
	while (s.n > 0 && is_blank(s.at[s.n - 1]))
		s.n--;
	return s;
}

struct weft_str weft_str_word(struct weft_str *rest)
{
	*rest = weft_str_trim(*rest);
	size_t n = 0;
	while (n < rest->n && !is_blank(rest->at[n]))
		n++;
	struct weft_str word = weft_str_n(rest->at, n);
	*rest = weft_str_trim(weft_str_n(rest->at + n, rest->n - n));
	return word;
}

bool weft_str_cut(struct weft_str *rest, char sep, struct weft_str *part)
{
	if (!rest->at)
		return false;
	const char *hit = memchr(rest->at, sep, rest->n);
	*part = weft_str_n(rest->at, hit ? (size_t)(hit - rest->at) : rest->n);
	if (hit)
		*rest = weft_str_n(hit + 1, rest->n - part->n - 1);
	else
		*rest = weft_str_n(NULL, 0);
	return true;
}

void weft_one_line(char *z)
{
	char *to = z;
	for (size_t left = strlen(z); left;) {
		unsigned hazard = weft_text_hazard(z, left), n = hazard ? hazard : weft_utf8_len(z, left);
		n = n ? n : 1;
		if (hazard) {
			*to++ = '?';
		} else {
			memmove(to, z, n);
			to += n;
		}
		z += n;
		left -= n;
	}
	*to = '\0';
}

/* What may follow a first byte: RFC 3629's table, without surrogates, overlong forms and values above U+10FFFF. */
static const struct {
	uint8_t first_lo, first_hi; /* of the first byte */
	uint8_t n;                  /* bytes in all */
	uint8_t second_lo, second_hi;
} utf8_forms[] = {
	{0xc2, 0xdf, 2, 0x80, 0xbf}, {0xe0, 0xe0, 3, 0xa0, 0xbf}, {0xe1, 0xec, 3, 0x80, 0xbf}, {0xed, 0xed, 3, 0x80, 0x9f},
	{0xee, 0xef, 3, 0x80, 0xbf}, {0xf0, 0xf0, 4, 0x90, 0xbf}, {0xf1, 0xf3, 4, 0x80, 0xbf}, {0xf4, 0xf4, 4, 0x80, 0x8f},
};

unsigned weft_utf8_len(const char *at, size_t n)
{
	const uint8_t *b = (const uint8_t *)at;
	if (n == 0)
		return 0;
	if (b[0] < 0x80)
		return 1;
	for (size_t i = 0; i < sizeof utf8_forms / sizeof utf8_forms[0]; i++) {
		if (b[0] < utf8_forms[i].first_lo || b[0] > utf8_forms[i].first_hi)
			continue;
		if (n < utf8_forms[i].n || b[1] < utf8_forms[i].second_lo || b[1] > utf8_forms[i].second_hi)
			return 0;
		for (unsigned k = 2; k < utf8_forms[i].n; k++)
			if ((b[k] & 0xc0) != 0x80)
				return 0;
		return utf8_forms[i].n;
	}
	return 0;
}

/* Characters of two and three bytes that steer a terminal, or the direction in which text is read. */
static const struct {
	char first[4], last[4];
} text_hazards[] = {
	{"\xc2\x80", "\xc2\x9f"},         /* C1 controls: U+009B begins an escape sequence as ESC [ does */
	{"\xd8\x9c", "\xd8\x9c"},         /* the Arabic letter mark */
	{"\xe2\x80\x8e", "\xe2\x80\x8f"}, /* left-to-right and right-to-left marks */
	{"\xe2\x80\xa8", "\xe2\x80\xae"}, /* line and paragraph separators, embeddings and overrides */
	{"\xe2\x81\xa6", "\xe2\x81\xa9"}, /* isolates */
};

unsigned weft_text_hazard(const char *at, size_t n)
{
	unsigned char c = n ? (unsigned char)*at : 'a';
	if (c < 0x80)
		return c < ' ' || c == 0x7f;
	unsigned len = weft_utf8_len(at, n);
	if (!len) /* a C1 control to terminals that know no UTF-8 */
		return c < 0xa0;
	for (size_t i = 0; i < sizeof text_hazards / sizeof text_hazards[0]; i++)
		if (len == strlen(text_hazards[i].first) && memcmp(at, text_hazards[i].first, len) >= 0 &&
		    memcmp(at, text_hazards[i].last, len) <= 0)
			return len;
	return 0;
}

/* -- numbers in -- */

int weft_parse_u64(struct weft_str s, uint64_t *out)
{
	uint64_t v = 0;
	bool fits = true;
	if (s.n == 0)
		return WEFT_E_SYNTAX;
	for (size_t i = 0; i < s.n; i++) {
		if (!is_digit(s.at[i]))
			return WEFT_E_SYNTAX;
		fits = fits && !__builtin_mul_overflow(v, 10, &v) && !__builtin_add_overflow(v, (uint64_t)(s.at[i] - '0'), &v);
	}
	if (!fits)
		return -ERANGE;
	*out = v;
	return 0;
}

int weft_parse_i64(struct weft_str s, int64_t *out)
{
	bool negative = s.n > 0 && s.at[0] == '-';
	uint64_t magnitude;
	int rc = weft_parse_u64(negative ? weft_str_n(s.at + 1, s.n - 1) : s, &magnitude);
	if (rc)
		return rc;
	if (magnitude > (uint64_t)INT64_MAX + negative)
		return -ERANGE;
	*out = (int64_t)(negative ? 0 - magnitude : magnitude);
	return 0;
}

/* A decimal number, taken apart: digits x 10^exp10. */
struct decimal {
	uint64_t digits; /* as many leading ones as fit: 19 at least */
	int exp10;
	bool negative;
	bool full;  /* digits takes no more of them */
	bool exact; /* digits holds all but zeros */
};

enum { EXP10_LIMIT = 100000 };

/* Reads digits into d, those behind the point when `scale` is -1. Returns how many there were. */
static size_t decimal_digits(struct weft_str s, struct decimal *d, int scale)
{
	size_t i = 0;
	for (; i < s.n && is_digit(s.at[i]); i++) {
		uint64_t digit = (uint64_t)(s.at[i] - '0'), more;
		d->full = d->full || __builtin_mul_overflow(d->digits, 10, &more) || __builtin_add_overflow(more, digit, &more);
		if (d->full) {
			d->exact = d->exact && digit == 0;
			d->exp10 += scale + 1;
		} else {
			d->digits = more;
			d->exp10 += scale;
		}
	}
	return i;
}

static int decimal_exponent(struct weft_str s, struct decimal *d)
{
	bool negative = s.n > 0 && s.at[0] == '-';
	if (negative || (s.n > 0 && s.at[0] == '+'))
		s = weft_str_n(s.at + 1, s.n - 1);
	if (s.n == 0)
		return WEFT_E_SYNTAX;
	int e = 0;
	for (size_t i = 0; i < s.n; i++) {
		if (!is_digit(s.at[i]))
			return WEFT_E_SYNTAX;
		if (e < EXP10_LIMIT)
			e = e * 10 + (s.at[i] - '0');
	}
	d->exp10 += negative ? -e : e;
	return 0;
}

/* [-] digits [. digits] [e [+-] digits], with a digit on one side of the point at least. */
static int decimal_parse(struct weft_str s, struct decimal *d)
{
	*d = (struct decimal){.exact = true};
	d->negative = s.n > 0 && s.at[0] == '-';
	size_t i = d->negative, digits = 0;
	digits = decimal_digits(weft_str_n(s.at + i, s.n - i), d, 0);
	i += digits;
	if (i < s.n && s.at[i] == '.') {
		i++;
		size_t decimals = decimal_digits(weft_str_n(s.at + i, s.n - i), d, -1);
		i += decimals;
		digits += decimals;
	}
	if (digits == 0)
		return WEFT_E_SYNTAX;
	if (i == s.n)
		return 0;
	if (s.at[i] != 'e' && s.at[i] != 'E')
		return WEFT_E_SYNTAX;
	return decimal_exponent(weft_str_n(s.at + i + 1, s.n - i - 1), d);
}

/* The C locale is static in libc: asking for it allocates nothing. */
static double strtod_c(const char *z)
{
	locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	double v = c ? strtod_l(z, NULL, c) : strtod(z, NULL);
	if (c)
		freelocale(c);
	return v;
}

enum { DOUBLE_TEXT_LIMIT = 1024 }; /* 767 significant digits decide any rounding; more is no number of a person's */

/*
 * An integer below 2^53 times or over a power of ten up to 10^22 is one correctly rounded operation on two exact doubles
 * (Clinger, "How to read floating point numbers accurately", 1990); nearly all numbers in traces are of that kind.
 */
int weft_parse_double(struct weft_str s, double *out)
{
	static const double pow10[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
	                               1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
	struct decimal d;
	if (s.n >= DOUBLE_TEXT_LIMIT || decimal_parse(s, &d))
		return WEFT_E_SYNTAX;
	if (d.exact && d.digits < 1ull << 53 && d.exp10 >= -22 && d.exp10 <= 22) {
		double v = (double)d.digits;
		v = d.exp10 < 0 ? v / pow10[-d.exp10] : v * pow10[d.exp10];
		*out = d.negative ? -v : v;
		return 0;
	}
	char z[DOUBLE_TEXT_LIMIT];
	memcpy(z, s.at, s.n);
	z[s.n] = '\0';
	double v = strtod_c(z);
	if (isinf(v))
		return -ERANGE;
	*out = v;
	return 0;
}

struct unit {
	const char *name;
	uint64_t scale;
};

static const struct unit byte_units[] = {
	{"", 1},
	{"B", 1},
	{"k", 1ull << 10},
	{"K", 1ull << 10},
	{"KB", 1ull << 10},
	{"kB", 1ull << 10},
	{"KiB", 1ull << 10},
	{"M", 1ull << 20},
	{"MB", 1ull << 20},
	{"MiB", 1ull << 20},
	{"G", 1ull << 30},
	{"GB", 1ull << 30},
	{"GiB", 1ull << 30},
	{"T", 1ull << 40},
	{"TB", 1ull << 40},
	{"TiB", 1ull << 40},
	{"P", 1ull << 50},
	{"PB", 1ull << 50},
	{"PiB", 1ull << 50},
	{"E", 1ull << 60},
	{"EB", 1ull << 60},
	{"EiB", 1ull << 60},
	{NULL, 0},
};

static const struct unit time_units[] = {
	{"", 1},
	{"ns", 1},
	{"us", 1000},
	{"\xc2\xb5s", 1000}, /* the micro sign */
	{"\xce\xbcs", 1000}, /* the Greek letter, which looks the same */
	{"ms", 1000000},
	{"s", 1000000000},
	{"min", 60000000000},
	{"h", 3600000000000},
	{"d", 86400000000000},
	{NULL, 0},
};

static const struct unit *unit_find(const struct unit *units, struct weft_str name)
{
	for (; units->name; units++)
		if (weft_str_eq(name, units->name))
			return units;
	return NULL;
}

/* digits x 10^exp10 x scale, in 128 bits. `exact`: a rest below one is an error, else it is cut off. */
static int scale_exactly(const struct decimal *d, uint64_t scale, bool exact, uint64_t *out)
{
	unsigned __int128 v = (unsigned __int128)d->digits * scale;
	unsigned __int128 rest = 0;
	int e = d->exp10;
	if (!d->exact && e >= 0)
		return -ERANGE;
	for (; e < 0 && v > 0; e++) {
		rest |= v % 10;
		v /= 10;
	}
	if (exact && (rest || !d->exact))
		return WEFT_E_SYNTAX;
	for (; e > 0 && v > 0; e--) {
		if (v > UINT64_MAX)
			return -ERANGE;
		v *= 10;
	}
	if (v > UINT64_MAX)
		return -ERANGE;
	*out = (uint64_t)v;
	return 0;
}

/* digits [. digits] [blank] unit */
static int parse_quantity(struct weft_str s, const struct unit *units, bool exact, uint64_t *out)
{
	size_t n = 0;
	while (n < s.n && (is_digit(s.at[n]) || s.at[n] == '.'))
		n++;
	struct decimal d;
	if (decimal_parse(weft_str_n(s.at, n), &d))
		return WEFT_E_SYNTAX;
	size_t blank = n < s.n && s.at[n] == ' ' && n + 1 < s.n;
	const struct unit *unit = unit_find(units, weft_str_n(s.at + n + blank, s.n - n - blank));
	if (!unit)
		return WEFT_E_SYNTAX;
	return scale_exactly(&d, unit->scale, exact || unit->scale == 1, out);
}

int weft_parse_bytes(struct weft_str s, uint64_t *out)
{
	return parse_quantity(s, byte_units, false, out);
}

int weft_parse_ns(struct weft_str s, uint64_t *out)
{
	return parse_quantity(s, time_units, true, out);
}

/* -- numbers out -- */

static unsigned count_digits(uint64_t v)
{
	static const uint64_t least[] = {0,
	                                 10,
	                                 100,
	                                 1000,
	                                 10000,
	                                 100000,
	                                 1000000,
	                                 10000000,
	                                 100000000,
	                                 1000000000,
	                                 10000000000,
	                                 100000000000,
	                                 1000000000000,
	                                 10000000000000,
	                                 100000000000000,
	                                 1000000000000000,
	                                 10000000000000000,
	                                 100000000000000000,
	                                 1000000000000000000,
	                                 10000000000000000000u};
	/* log10(2) is 1233 / 4096, nearly: what that says is right or one too few. */
	unsigned few = (64 - (unsigned)__builtin_clzll(v | 1)) * 1233 >> 12;
	return few + (v >= least[few]);
}

/* Two digits a division, from the back, to where they stay: a copy of what was just written in other pieces would wait for it. */
unsigned weft_fmt_u64(char *at, uint64_t v)
{
	static const char pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
				    "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
				    "8081828384858687888990919293949596979899";
	unsigned n = v ? count_digits(v) : 1, from = n;
	while (v >= 100) {
		from -= 2;
		memcpy(at + from, pairs + v % 100 * 2, 2);
		v /= 100;
	}
	if (v >= 10)
		memcpy(at, pairs + v * 2, 2);
	else
		at[0] = (char)('0' + v);
	return n;
}

unsigned weft_fmt_i64(char *at, int64_t v)
{
	if (v >= 0)
		return weft_fmt_u64(at, (uint64_t)v);
	*at = '-';
	return 1 + weft_fmt_u64(at + 1, 0 - (uint64_t)v);
}

#define PLAIN_INTEGERS 1e15 /* below, %.15g shows all digits of an integer and no exponent */

/* The fewest digits that read back as v: 15 always survive text -> double -> text, 17 always the other way round. */
unsigned weft_fmt_double(char *at, double v)
{
	if (fabs(v) < PLAIN_INTEGERS && v == (double)(int64_t)v && !(v == 0 && signbit(v))) {
		unsigned n = weft_fmt_i64(at, (int64_t)v);
		at[n] = '\0';
		return n;
	}
	locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	locale_t old = c ? uselocale(c) : (locale_t)0;
	int n = 0;
	for (int digits = 15; digits <= 17; digits++) {
		n = snprintf(at, WEFT_FMT_DOUBLE, "%.*g", digits, v);
		if (isnan(v) || strtod(at, NULL) == v)
			break;
	}
	if (c) {
		uselocale(old);
		freelocale(c);
	}
	return (unsigned)n;
}

/* -- growing texts -- */

void weft_buf_fini(struct weft_buf *b)
{
	free(b->at);
	*b = (struct weft_buf){0};
}

/* Room for n more bytes and the terminator. */
static bool buf_room(struct weft_buf *b, size_t n)
{
	size_t need;
	if (b->failed)
		return false;
	if (__builtin_add_overflow(b->n + 1, n, &need) || weft_vec_reserve(b, need))
		b->failed = true;
	return !b->failed;
}

void weft_buf_add(struct weft_buf *b, const char *at, size_t n)
{
	if (n == 0 || !buf_room(b, n))
		return;
	memcpy(b->at + b->n, at, n);
	b->n += n;
	b->at[b->n] = '\0';
}

void weft_buf_puts(struct weft_buf *b, const char *z)
{
	weft_buf_add(b, z, strlen(z));
}

void weft_buf_putc(struct weft_buf *b, char c)
{
	weft_buf_add(b, &c, 1);
}

void weft_buf_printf(struct weft_buf *b, const char *fmt, ...)
{
	va_list args, again;
	va_start(args, fmt);
	va_copy(again, args);
	int n = vsnprintf(NULL, 0, fmt, args);
	if (n < 0)
		b->failed = true;
	else if (n > 0 && buf_room(b, (size_t)n)) {
		vsnprintf(b->at + b->n, (size_t)n + 1, fmt, again);
		b->n += (size_t)n;
	}
	va_end(again);
	va_end(args);
}

void weft_buf_shell(struct weft_buf *b, struct weft_str word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-";
	bool quote = word.n == 0;
	if (word.n && *word.at == '-')
		weft_buf_puts(b, "./");
	for (size_t i = 0; i < word.n && !quote; i++)
		quote = !memchr(plain, word.at[i], sizeof plain - 1);
	if (!quote) {
		weft_buf_add(b, word.at, word.n);
		return;
	}
	weft_buf_putc(b, '\'');
	for (size_t i = 0; i < word.n; i++) {
		if (word.at[i] == '\'')
			weft_buf_puts(b, "'\\''");
		else
			weft_buf_putc(b, word.at[i]);
	}
	weft_buf_putc(b, '\'');
}

void weft_buf_u64(struct weft_buf *b, uint64_t v)
{
	char digits[20];
	weft_buf_add(b, digits, weft_fmt_u64(digits, v));
}

void weft_buf_i64(struct weft_buf *b, int64_t v)
{
	char digits[20];
	weft_buf_add(b, digits, weft_fmt_i64(digits, v));
}
