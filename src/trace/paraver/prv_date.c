/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The date in a .prv header. Tools write d/m/Y, Y/m/d or m/d/Y, the month as a number or in three English letters, then
 * perhaps " at ", then H:M, H:M:S or H:M:S.fraction, or no time at all. The year has four digits, which tells the forms
 * apart; d/m comes before m/d.
 */
#include "prv_header.h"
#include <string.h>

static bool take_number(struct weft_str *s, unsigned *out)
{
	size_t n = 0;
	unsigned v = 0;
	while (n < s->n && n < 9 && s->at[n] >= '0' && s->at[n] <= '9')
		v = v * 10 + (unsigned)(s->at[n++] - '0');
	s->at += n;
	s->n -= n;
	*out = v;
	return n > 0;
}

static bool take_char(struct weft_str *s, char c)
{
	if (!s->n || *s->at != c)
		return false;
	s->at++;
	s->n--;
	return true;
}

/* "Jan" as 101: more than any day, so that the forms can tell it from a number. */
enum { MONTH_NAME = 100 };

static bool take_month_name(struct weft_str *s, unsigned *out)
{
	static const char names[] = "janfebmaraprmayjunjulaugsepoctnovdec";
	char low[3];
	if (s->n < 3)
		return false;
	for (int i = 0; i < 3; i++)
		low[i] = (char)(s->at[i] | 0x20);
	for (unsigned m = 0; m < 12; m++)
		if (!memcmp(low, names + 3 * m, 3)) {
			*out = MONTH_NAME + m + 1;
			s->at += 3;
			s->n -= 3;
			return true;
		}
	return false;
}

static bool take_part(struct weft_str *s, unsigned *out)
{
	return take_number(s, out) || take_month_name(s, out);
}

static bool is_leap(unsigned y)
{
	return (y % 4 == 0 && y % 100 != 0) || y % 400 == 0;
}

static bool day_fits(unsigned y, unsigned m, unsigned d)
{
	static const unsigned char days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	if (y < 1970 || y > 2500 || m < 1 || m > 12 || d < 1)
		return false;
	return d <= days[m - 1] + (m == 2 && is_leap(y) ? 1u : 0u);
}

/* Days since 1970-01-01; the year is taken to begin in March, so that leap days end it. */
static uint64_t days_since_1970(unsigned y, unsigned m, unsigned d)
{
	uint64_t year = y - (m < 3), shifted = (m + 9) % 12;
	uint64_t day_of_year = (153 * shifted + 2) / 5 + d - 1;
	return year * 365 + year / 4 - year / 100 + year / 400 + day_of_year - 719468;
}

/* Which of three parts is what: year, month, day. */
static bool order_parts(const unsigned part[3], uint64_t *days)
{
	static const unsigned char forms[][3] = {{2, 1, 0}, {0, 1, 2}, {2, 0, 1}};
	for (unsigned i = 0; i < 3; i++) {
		unsigned y = part[forms[i][0]], m = part[forms[i][1]], d = part[forms[i][2]];
		if (m > MONTH_NAME)
			m -= MONTH_NAME;
		if (!day_fits(y, m, d))
			continue;
		*days = days_since_1970(y, m, d);
		return true;
	}
	return false;
}

/* "11:30", "11:30:05", "11:30:05.123"; nothing is midnight. */
static bool take_time(struct weft_str *s, uint64_t *ns)
{
	unsigned h = 0, m = 0, sec = 0;
	*ns = 0;
	if (!s->n)
		return true;
	if (!take_number(s, &h) || !take_char(s, ':') || !take_number(s, &m) || h > 23 || m > 59)
		return false;
	if (take_char(s, ':') && (!take_number(s, &sec) || sec > 60))
		return false;
	*ns = (((uint64_t)h * 60 + m) * 60 + sec) * 1000000000u;
	if (take_char(s, '.'))
		for (uint64_t unit = 100000000; s->n && *s->at >= '0' && *s->at <= '9'; unit /= 10, s->at++, s->n--)
			*ns += (uint64_t)(*s->at - '0') * unit;
	return s->n == 0;
}

bool prv_date_parse(struct weft_str date, uint64_t *ns)
{
	unsigned part[3];
	uint64_t days, time_ns;
	struct weft_str s = weft_str_trim(date);
	for (int i = 0; i < 3; i++)
		if ((i && !take_char(&s, '/')) || !take_part(&s, &part[i]))
			return false;
	if (!order_parts(part, &days))
		return false;
	s = weft_str_trim(s);
	if (s.n > 2 && !memcmp(s.at, "at", 2)) {
		s.at += 2;
		s.n -= 2;
		s = weft_str_trim(s);
	}
	if (!take_time(&s, &time_ns))
		return false;
	*ns = days * 86400000000000u + time_ns;
	return true;
}
