/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Notes of origin. Ours has the sum of all cuts so far; Paraver's cutter tells the last one only, so that the lines of several
 * add up: the newest stands first, the oldest names the original.
 */
#include "origin.h"
#include "trace/paraver/prv_header.h"
#include "trace/paraver/prv_names.h"
#include <errno.h>
#include <string.h>

static bool cut_number(struct weft_str *rest, uint64_t *out)
{
	struct weft_str part;
	return weft_str_cut(rest, ':', &part) && weft_parse_u64(weft_str_trim(part), out) == 0;
}

/* "PATH":offset:begin:end. The path may hold anything but a quote followed by a colon and numbers to the end. */
static bool parse_origin(struct weft_str text, uint64_t unit, struct weft_origin *o)
{
	struct weft_origin got = {.path = {NULL, 0}};
	if (text.n < 2 || text.at[0] != '"')
		return false;
	for (size_t i = text.n - 1; i > 0; i--) {
		struct weft_str rest = weft_str_n(text.at + i + 1, text.n - i - 1);
		if (text.at[i] != '"')
			continue;
		if (rest.n < 2 || rest.at[0] != ':')
			return false;
		rest = weft_str_n(rest.at + 1, rest.n - 1);
		if (!cut_number(&rest, &got.offset) || !cut_number(&rest, &got.begin) || !cut_number(&rest, &got.end))
			return false;
		if (got.offset > UINT64_MAX / unit || got.begin > UINT64_MAX / unit || got.end > UINT64_MAX / unit)
			return false;
		got.path = weft_str_n(text.at + 1, i - 1);
		*o = (struct weft_origin){got.path, got.offset * unit, got.begin * unit, got.end * unit};
		return true;
	}
	return false;
}

/* "#20261120101500:CUTTER:ORIGINAL:" and then the same, in the trace's unit. */
static bool parse_cutter(const char *line, uint64_t unit, struct weft_origin *o)
{
	static const char word[] = PRV_CUTTER;
	const char *at = *line == '#' ? line + 1 : "";
	while (*at >= '0' && *at <= '9')
		at++;
	return strncmp(at, word, sizeof word - 1) == 0 && parse_origin(weft_str_trim(weft_str(at + sizeof word - 1)), unit, o);
}

static uint64_t note_unit(const struct weft_trace *t)
{
	const char *unit = weft_trace_note(t, PRV_NOTE_UNIT);
	for (unsigned i = 0; unit && i < PRV_UNITS; i++)
		if (strcmp(unit, prv_unit_suffix[i]) == 0)
			return prv_unit_ns[i];
	return 1;
}

bool weft_trace_origin(const struct weft_trace *t, struct weft_origin *o)
{
	uint64_t unit = note_unit(t);
	bool found = false;
	for (uint32_t i = t->n_notes; i-- > 0;)
		if (strcmp(t->note[i].key, WEFT_NOTE_ORIGIN) == 0 && parse_origin(weft_str(t->note[i].text), 1, o))
			return true;
	for (uint32_t i = 0; i < t->n_notes; i++) {
		struct weft_origin one;
		if (strcmp(t->note[i].key, PRV_NOTE_COMMENT) != 0 || !parse_cutter(t->note[i].text, unit, &one))
			continue;
		uint64_t sum = one.offset + (found ? o->offset : 0);
		*o = one;
		o->offset = sum;
		found = true;
	}
	return found;
}

int weft_origin_note(struct weft_buf *out, const struct weft_trace *t, uint64_t from, uint64_t to, bool keep_times)
{
	struct weft_origin o = {.path = weft_str(t->path)};
	weft_trace_origin(t, &o);
	uint64_t last = to < t->end ? to : t->end;
	weft_buf_printf(out, "\"%.*s\":%llu:%llu:%llu", (int)o.path.n, o.path.at,
	                (unsigned long long)(o.offset + (keep_times ? 0 : from)), (unsigned long long)(o.offset + from),
	                (unsigned long long)(o.offset + last));
	return out->failed ? -ENOMEM : 0;
}
