/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Diagnoses: collected while a specification is read, sorted into the order of the text, printed
 * like a compiler's:
 *
 *     nworkers.tsl:306:13: warning: iteration attribute 'nw' is not declared; ... [implied]
 *       306 | value: /#n=iter.nw;#/
 *           |            ^~~~~~~
 *           | fix: ...
 */
#include "spec_model.h"
#include "base/json.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char *const severity_name[] = {"note", "warning", "error"};

void *spec_alloc(struct weft_spec *s, size_t bytes)
{
	void *at = weft_arena_alloc(&s->arena, bytes ? bytes : 1);
	if (!at)
		longjmp(s->oom, 1);
	return at;
}

static const char *spec_vprintf(struct weft_spec *s, const char *fmt, va_list args)
{
	char line[512];
	int n = vsnprintf(line, sizeof line, fmt, args);
	size_t keep = n < 0 ? 0 : (size_t)n < sizeof line ? (size_t)n : sizeof line - 1;
	char *at = spec_alloc(s, keep + 1);
	memcpy(at, line, keep);
	weft_one_line(at);
	return at;
}

const char *spec_printf(struct weft_spec *s, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	const char *z = spec_vprintf(s, fmt, args);
	va_end(args);
	return z;
}

void spec_place(const struct weft_spec *s, uint32_t at, uint32_t *line, uint32_t *col)
{
	uint32_t low = 0, high = s->n_lines;
	at = at < s->n ? at : s->n;
	while (low + 1 < high) {
		uint32_t middle = low + (high - low) / 2;
		if (s->line_at[middle] <= at)
			low = middle;
		else
			high = middle;
	}
	*line = low + 1;
	*col = at - s->line_at[low] + 1;
}

void spec_find_lines(struct weft_spec *s)
{
	uint32_t n = 1;
	for (uint32_t i = 0; i < s->n; i++)
		n += s->text[i] == '\n';
	s->line_at = spec_alloc(s, n * sizeof *s->line_at);
	s->line_at[0] = 0;
	s->n_lines = 1;
	for (uint32_t i = 0; i < s->n; i++)
		if (s->text[i] == '\n')
			s->line_at[s->n_lines++] = i + 1;
}

void spec_say(struct weft_spec *s, enum weft_severity severity, const char *rule, struct span where, const char *fix,
              const char *fmt, ...)
{
	va_list args;
	if (s->diag.n >= SPEC_DIAGS_MAX)
		return;
	for (size_t i = 0; i < s->diag.n; i++)
		if (s->diag.at[i].at == where.at && strcmp(s->diag.at[i].rule, rule) == 0)
			return;
	va_start(args, fmt);
	const char *text = spec_vprintf(s, fmt, args);
	va_end(args);
	struct weft_diag d = {.severity = severity, .at = where.at, .n = where.n, .rule = rule, .text = text, .fix = fix};
	spec_place(s, where.at, &d.line, &d.col);
	spec_push(s, &s->diag, d);
	s->count[severity]++;
}

static int diag_order(const void *a, const void *b)
{
	const struct weft_diag *x = a, *y = b;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	if (x->severity != y->severity)
		return x->severity > y->severity ? -1 : 1;
	return strcmp(x->rule, y->rule);
}

void spec_sort_diags(struct weft_spec *s)
{
	if (s->diag.n)
		qsort(s->diag.at, s->diag.n, sizeof *s->diag.at, diag_order);
}

struct bits spec_bits(struct weft_spec *s, size_t n)
{
	struct bits b = {.n = (uint32_t)(n / 64 + 1)};
	b.word = spec_alloc(s, b.n * sizeof *b.word);
	return b;
}

bool bits_or(struct bits *into, const struct bits *b)
{
	bool more = false;
	for (uint32_t i = 0; i < into->n && i < b->n; i++) {
		more |= (b->word[i] & ~into->word[i]) != 0;
		into->word[i] |= b->word[i];
	}
	return more;
}

bool bits_any(const struct bits *b)
{
	for (uint32_t i = 0; i < b->n; i++)
		if (b->word[i])
			return true;
	return false;
}

unsigned weft_spec_count(const struct weft_spec *s, enum weft_severity severity)
{
	return s->count[severity];
}

const struct weft_diag *weft_spec_diag(const struct weft_spec *s, unsigned i)
{
	return i < s->diag.n ? &s->diag.at[i] : NULL;
}

/* -- printing -- */

enum { SHOWN_BEFORE = 100, SHOWN_BEHIND = 160 };

static bool in_character(const struct weft_spec *s, uint32_t at)
{
	return at < s->n && (s->text[at] & 0xc0) == 0x80;
}

/*
 * The source line, with tabs as one blank and no control characters; then the marks below what is
 * meant. Of a long line, what is around that.
 */
static void print_source(const struct weft_spec *s, const struct weft_diag *d, FILE *to)
{
	uint32_t line = d->at - (d->col - 1), begin = d->col > SHOWN_BEFORE ? d->at - SHOWN_BEFORE : line, end = d->at;
	while (in_character(s, begin))
		begin++;
	while (end < s->n && s->text[end] != '\n' && end - d->at < SHOWN_BEHIND)
		end++;
	while (in_character(s, end))
		end++;
	bool more = end < s->n && s->text[end] != '\n';
	fprintf(to, "%6u | %s", d->line, begin > line ? "…" : "");
	for (uint32_t i = begin; i < end; i++)
		fputc((unsigned char)s->text[i] < 32 || s->text[i] == 127 ? ' ' : s->text[i], to);
	fprintf(to, "%s\n       | %s", more ? "…" : "", begin > line ? " " : "");
	for (uint32_t i = begin; i < d->at; i++)
		if ((s->text[i] & 0xc0) != 0x80)
			fputc(' ', to);
	fputc('^', to);
	for (uint32_t i = d->at + 1; i < d->at + d->n && i < end; i++)
		if ((s->text[i] & 0xc0) != 0x80)
			fputc('~', to);
	fputc('\n', to);
}

void weft_spec_report(const struct weft_spec *s, enum weft_severity least, FILE *to)
{
	for (size_t i = 0; i < s->diag.n; i++) {
		const struct weft_diag *d = &s->diag.at[i];
		if (d->severity < least)
			continue;
		fprintf(to, "%s:%u:%u: %s: %s [%s]\n", s->file, d->line, d->col, severity_name[d->severity], d->text, d->rule);
		print_source(s, d, to);
		if (d->fix)
			fprintf(to, "       | fix: %s\n", d->fix);
	}
}

void weft_spec_report_json(const struct weft_spec *s, enum weft_severity least, FILE *to)
{
	struct weft_json j;
	weft_json_init(&j, to, true);
	weft_json_object(&j);
	weft_json_key(&j, "file");
	weft_json_string(&j, s->file);
	weft_json_key(&j, "tunlet");
	weft_json_string(&j, weft_spec_name(s));
	for (int k = WEFT_ERROR; k >= WEFT_NOTE; k--) {
		static const char *const key[] = {"notes", "warnings", "errors"};
		weft_json_key(&j, key[k]);
		weft_json_u64(&j, s->count[k]);
	}
	weft_json_key(&j, "diagnoses");
	weft_json_array(&j);
	for (size_t i = 0; i < s->diag.n; i++) {
		const struct weft_diag *d = &s->diag.at[i];
		if (d->severity < least)
			continue;
		weft_json_object(&j);
		weft_json_key(&j, "severity");
		weft_json_string(&j, severity_name[d->severity]);
		weft_json_key(&j, "rule");
		weft_json_string(&j, d->rule);
		weft_json_key(&j, "line");
		weft_json_u64(&j, d->line);
		weft_json_key(&j, "column");
		weft_json_u64(&j, d->col);
		weft_json_key(&j, "bytes");
		weft_json_u64(&j, d->n);
		weft_json_key(&j, "text");
		weft_json_string(&j, d->text);
		weft_json_key(&j, "fix");
		weft_json_string(&j, d->fix);
		weft_json_end(&j);
	}
	weft_json_end(&j);
	weft_json_end(&j);
}
