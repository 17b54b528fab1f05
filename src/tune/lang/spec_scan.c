/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Items of a specification. Both lists of words are tables; a row that is a variant of another has
 * `same` set to what the grammar says, and is noted.
 *
 * How far a value goes:
 *     comment     from / * to * /, else to the next line that begins with an item
 *     code        from /# to #/, else likewise
 *     all others  to the end of the line, or to an end keyword that somebody joined to it
 */
#include "spec_scan.h"
#include <string.h>

static const struct {
	const char *z;
	enum keyword key;
	const char *same; /* the grammar's word, when this is a variant */
} keywords[] = {
	{"TUNLET", KEY_TUNLET, NULL},
	{"MEASURE POINTS", KEY_MEASURE, NULL},
	{"VARIABLES AND VALUES", KEY_VARIABLES, NULL},
	{"EVENTS", KEY_EVENTS, NULL},
	{"ACTORS", KEY_ACTORS, NULL},
	{"ITERATION INFORMATION", KEY_ITERATION, NULL},
	{"MODEL PARAMETERS", KEY_PARAMETERS, NULL},
	{"PERFORMANCE FUNCTIONS", KEY_FUNCTIONS, NULL},
	{"PERFORMANCE FUNCTION", KEY_FUNCTIONS, "PERFORMANCE FUNCTIONS"},
	{"TUNING POINTS", KEY_TUNING, NULL},
	{"ENDTUNLET", KEY_ENDTUNLET, NULL},
	{"ATTRS", KEY_ATTRS, NULL},
	{"variable", KEY_VARIABLE, NULL},
	{"event", KEY_EVENT, NULL},
	{"actor", KEY_ACTOR, NULL},
	{"func", KEY_FUNCTION, NULL},
	{"function", KEY_FUNCTION, "func"},
	{"point", KEY_POINT, NULL},
	{"endvariable", KEY_ENDVARIABLE, NULL},
	{"endevent", KEY_ENDEVENT, NULL},
	{"endactor", KEY_ENDACTOR, NULL},
	{"endfunc", KEY_ENDFUNCTION, NULL},
	{"endfunction", KEY_ENDFUNCTION, "endfunc"},
	{"endpoint", KEY_ENDPOINT, NULL},
};
enum { KEYWORDS = sizeof keywords / sizeof keywords[0] };

enum form { FORM_LINE, FORM_COMMENT, FORM_CODE };

static const struct {
	const char *z;
	enum label label;
	enum form form;
	const char *same;
} labels[] = {
	{"id", LABEL_ID, FORM_LINE, NULL},
	{"name", LABEL_ID, FORM_LINE, "id"},
	{"comment", LABEL_COMMENT, FORM_COMMENT, NULL},
	{"include", LABEL_INCLUDE, FORM_LINE, NULL},
	{"unit", LABEL_UNIT, FORM_LINE, NULL},
	{"path", LABEL_PATH, FORM_LINE, NULL},
	{"source", LABEL_SOURCE, FORM_LINE, NULL},
	{"type", LABEL_TYPE, FORM_LINE, NULL},
	{"actorId", LABEL_ACTOR_ID, FORM_LINE, NULL},
	{"actorld", LABEL_ACTOR_ID, FORM_LINE, "actorId"},
	{"controliter", LABEL_CONTROLITER, FORM_LINE, NULL},
	{"utility", LABEL_UTILITY, FORM_LINE, NULL},
	{"method", LABEL_METHOD, FORM_LINE, NULL},
	{"class", LABEL_CLASS, FORM_LINE, NULL},
	{"place", LABEL_PLACE, FORM_LINE, NULL},
	{"iteration", LABEL_ITERATION, FORM_LINE, NULL},
	{"min", LABEL_MIN, FORM_LINE, NULL},
	{"max", LABEL_MAX, FORM_LINE, NULL},
	{"completion", LABEL_COMPLETION, FORM_CODE, NULL},
	{"exe", LABEL_EXE, FORM_LINE, NULL},
	{"rank", LABEL_RANK, FORM_LINE, NULL},
	{"host", LABEL_HOST, FORM_LINE, NULL},
	{"enters", LABEL_ENTERS, FORM_LINE, NULL},
	{"inic", LABEL_INIC, FORM_CODE, NULL},
	{"init", LABEL_INIC, FORM_CODE, "inic"},
	{"depinic", LABEL_DEPINIC, FORM_LINE, NULL},
	{"value", LABEL_VALUE, FORM_CODE, NULL},
	{"cum", LABEL_CUM, FORM_LINE, NULL},
	{"cumm", LABEL_CUM, FORM_LINE, "cum"},
	{"dependency", LABEL_DEPENDENCY, FORM_LINE, NULL},
	{"def", LABEL_DEF, FORM_CODE, NULL},
	{"kind", LABEL_KIND, FORM_LINE, NULL},
	{"syncfunction", LABEL_SYNCFUNCTION, FORM_LINE, NULL},
	{"syncplace", LABEL_SYNCPLACE, FORM_LINE, NULL},
	{"cond", LABEL_COND, FORM_CODE, NULL},
	{"idx", LABEL_IDX, FORM_LINE, NULL},
	{"req", LABEL_REQ, FORM_LINE, NULL},
	{"priority", LABEL_PRIORITY, FORM_LINE, NULL},
	{"hold", LABEL_HOLD, FORM_LINE, NULL},
	{"lost", LABEL_LOST, FORM_LINE, NULL},
	{"weight", LABEL_WEIGHT, FORM_LINE, NULL},
	{"objective", LABEL_OBJECTIVE, FORM_CODE, NULL},
	{"metric", LABEL_METRIC, FORM_CODE, NULL},
	{"resource", LABEL_RESOURCE, FORM_LINE, NULL},
	{"sense", LABEL_SENSE, FORM_LINE, NULL},
};
enum { LABEL_ROWS = sizeof labels / sizeof labels[0] };

const char *spec_label_name(enum label l)
{
	for (unsigned i = 0; i < LABEL_ROWS; i++)
		if (labels[i].label == l)
			return labels[i].z;
	return "";
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static uint32_t word_end(const struct weft_spec *s, uint32_t at)
{
	while (at < s->n && is_word(s->text[at]))
		at++;
	return at;
}

/* Blanks, and comments that stand for themselves. */
static uint32_t skip_blank(const struct weft_spec *s, uint32_t at)
{
	for (;;) {
		while (at < s->n && is_blank(s->text[at]))
			at++;
		if (strncmp(s->text + at, "/*", 2) != 0)
			return at;
		const char *end = strstr(s->text + at + 2, "*/");
		if (!end)
			return at;
		at = (uint32_t)(end - s->text) + 2;
	}
}

/* The keyword at `at`, whole words, any blanks between them; its end to *end. The longest wins. */
static int find_keyword(const struct weft_spec *s, uint32_t at, uint32_t *end)
{
	int best = -1;
	for (unsigned i = 0; i < KEYWORDS; i++) {
		uint32_t p = at;
		const char *z = keywords[i].z;
		while (*z && p < s->n) {
			if (*z == ' ') {
				uint32_t from = p;
				while (p < s->n && (s->text[p] == ' ' || s->text[p] == '\t'))
					p++;
				if (p == from)
					break;
				z++;
			} else if (s->text[p] == *z) {
				p++, z++;
			} else {
				break;
			}
		}
		if (*z == '\0' && (p >= s->n || !is_word(s->text[p])) && (best < 0 || p > *end)) {
			best = (int)i;
			*end = p;
		}
	}
	return best;
}

/* The label at `at` with its colon; the place behind the colon to *end. */
static int find_label(const struct weft_spec *s, uint32_t at, uint32_t *end)
{
	uint32_t stop = word_end(s, at), p = stop;
	while (p < s->n && (s->text[p] == ' ' || s->text[p] == '\t'))
		p++;
	if (stop == at || p >= s->n || s->text[p] != ':' || s->text[p + 1] == ':')
		return -1;
	*end = p + 1;
	for (unsigned i = 0; i < LABEL_ROWS; i++)
		if (strlen(labels[i].z) == stop - at && strncmp(labels[i].z, s->text + at, stop - at) == 0)
			return (int)i;
	return -1;
}

/* The first line at or behind `at` (not the one that `at` is in) that begins with an item. */
static uint32_t next_item_line(const struct weft_spec *s, uint32_t at)
{
	uint32_t end;
	while (at < s->n) {
		const char *line = memchr(s->text + at, '\n', s->n - at);
		if (!line)
			return s->n;
		at = (uint32_t)(line - s->text) + 1;
		uint32_t p = at;
		while (p < s->n && (s->text[p] == ' ' || s->text[p] == '\t'))
			p++;
		if (find_label(s, p, &end) >= 0 || find_keyword(s, p, &end) >= 0)
			return p;
	}
	return s->n;
}

static struct span scan_trimmed(const struct weft_spec *s, uint32_t from, uint32_t to)
{
	while (from < to && is_blank(s->text[from]))
		from++;
	while (to > from && is_blank(s->text[to - 1]))
		to--;
	return (struct span){from, to - from};
}

/* Between two delimiters, or bare; *pos goes behind it. */
static struct span read_delimited(struct weft_spec *s, uint32_t *pos, const char *open, const char *close, bool *bare)
{
	uint32_t at = *pos;
	while (at < s->n && is_blank(s->text[at]))
		at++;
	if (strncmp(s->text + at, open, 2) == 0) {
		const char *end = strstr(s->text + at + 2, close);
		if (end) {
			*pos = (uint32_t)(end - s->text) + 2;
			return scan_trimmed(s, at + 2, *pos - 2);
		}
		spec_say(s, WEFT_ERROR, "unclosed", (struct span){at, 2}, spec_printf(s, "add '%s' where it ends", close),
		         "'%s' is not closed", open);
		*pos = next_item_line(s, at);
		return scan_trimmed(s, at + 2 < *pos ? at + 2 : *pos, *pos);
	}
	*bare = true;
	uint32_t end, from = *pos;
	bool is_item = find_label(s, at, &end) >= 0 || find_keyword(s, at, &end) >= 0;
	*pos = is_item ? at : next_item_line(s, at < s->n ? at : s->n);
	return is_item ? (struct span){from, 0} : scan_trimmed(s, from, *pos);
}

/* The rest of the line, without an end keyword that was joined to it. */
static struct span read_line(struct weft_spec *s, uint32_t *pos)
{
	const char *line = memchr(s->text + *pos, '\n', s->n - *pos);
	uint32_t end = line ? (uint32_t)(line - s->text) : s->n;
	struct span v = scan_trimmed(s, *pos, end);
	uint32_t last = v.at + v.n, stop;
	while (last > v.at && is_word(s->text[last - 1]))
		last--;
	bool ends = strncmp(s->text + last, "end", 3) == 0 || strncmp(s->text + last, "END", 3) == 0;
	if (last > v.at && ends && find_keyword(s, last, &stop) >= 0) {
		struct span joined = {last, v.at + v.n - last};
		spec_say(s, WEFT_WARNING, "joined-line", joined, "put it on a line of its own", "'%.*s' stands behind a value",
		         (int)joined.n, s->text + last);
		*pos = last;
		return scan_trimmed(s, v.at, last);
	}
	*pos = end;
	return v;
}

static struct item read_label(struct weft_spec *s, uint32_t at, int row, uint32_t *pos)
{
	struct item it = {.label = labels[row].label, .name = {at, word_end(s, at) - at}};
	if (labels[row].same)
		spec_say(s, WEFT_NOTE, "variant-label", it.name, NULL, "'%s' is taken as '%s'", labels[row].z, labels[row].same);
	if (labels[row].form == FORM_CODE)
		it.value = read_delimited(s, pos, "/#", "#/", &it.bare);
	else if (labels[row].form == FORM_COMMENT)
		it.value = read_delimited(s, pos, "/*", "*/", &it.bare);
	else
		it.value = read_line(s, pos);
	if (it.bare && labels[row].form == FORM_CODE)
		spec_say(s, WEFT_NOTE, "bare-code", it.value, NULL, "an expression without '/#' and '#/'");
	return it;
}

static struct item read_keyword(struct weft_spec *s, uint32_t at, int row, uint32_t *pos)
{
	struct item it = {.key = keywords[row].key, .name = {at, *pos - at}};
	if (keywords[row].same)
		spec_say(s, WEFT_NOTE, "variant-keyword", it.name, NULL, "'%s' is taken as '%s'", keywords[row].z,
		         keywords[row].same);
	/* ATTRS: as in chapter 5. */
	if (it.key == KEY_ATTRS && *pos < s->n && s->text[*pos] == ':') {
		spec_say(s, WEFT_NOTE, "variant-keyword", it.name, NULL, "'ATTRS:' is taken as 'ATTRS'");
		++*pos;
	}
	return it;
}

/* Reports text that is no item, and skips it. */
static uint32_t skip_junk(struct weft_spec *s, uint32_t at)
{
	const char *known[KEYWORDS + LABEL_ROWS];
	uint32_t stop = word_end(s, at), end = 0;
	struct span where = {at, stop > at ? stop - at : 1};
	bool label = stop > at && (find_label(s, at, &end), end > stop);
	for (unsigned i = 0; i < LABEL_ROWS; i++)
		known[i] = labels[i].z;
	for (unsigned i = 0; i < KEYWORDS; i++)
		known[LABEL_ROWS + i] = keywords[i].z;
	const char *word = spec_printf(s, "%.*s", (int)(where.n < 60 ? where.n : 60), s->text + at);
	const char *near = weft_nearest(word, known, label ? LABEL_ROWS : LABEL_ROWS + KEYWORDS);
	spec_say(s, WEFT_ERROR, label ? "unknown-property" : "syntax", where,
	         near ? spec_printf(s, "did you mean '%s'?", near) : NULL,
	         label ? "no property is called '%s'" : "expected a property or a keyword, found '%s'", word);
	return next_item_line(s, at);
}

struct item spec_next(struct weft_spec *s, uint32_t *pos)
{
	for (;;) {
		uint32_t at = skip_blank(s, *pos), end = at;
		if (at >= s->n)
			return (struct item){.end = true, .name = {s->n, 0}};
		int row = find_label(s, at, &end);
		*pos = end;
		if (row >= 0)
			return read_label(s, at, row, pos);
		row = find_keyword(s, at, &end);
		*pos = end;
		if (row >= 0)
			return read_keyword(s, at, row, pos);
		*pos = skip_junk(s, at);
	}
}
