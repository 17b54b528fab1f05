/* SPDX-License-Identifier: Apache-2.0 */
/*
 * .pcf line by line: a line that is a keyword and nothing else chooses what the following lines mean, which is a row of a
 * table. Tabs are blanks, blank lines and lines with # are skipped, old sections that mean nothing any more too.
 */
#include "base/map.h"
#include "pcf.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct section {
	const char *keyword;
	int (*begin)(struct pcf *p);
	int (*line)(struct pcf *p, struct weft_str line); /* 0, -ENOMEM, or WEFT_E_SYNTAX: the line is a problem */
};

/* -- words of a line -- */

static bool next_u32(struct weft_str *rest, uint32_t *out)
{
	uint64_t v;
	if (weft_parse_u64(weft_str_word(rest), &v) || v > UINT32_MAX)
		return false;
	*out = (uint32_t)v;
	return true;
}

static const char *keep(struct pcf *p, struct weft_str s)
{
	char *text = weft_arena_strndup(&p->arena, s.at ? s.at : "", s.n);
	for (size_t i = 0; text && i < s.n; i++)
		text[i] = text[i] == '\t' ? ' ' : text[i] ? text[i] : '?'; /* a zero byte would end the text */
	if (text)
		weft_one_line(text);
	return text;
}

static struct pcf_group *last_group(struct pcf *p)
{
	return &p->group.at[p->group.n - 1];
}

/* -- sections -- */

static int option_add(struct pcf *p, struct weft_str line, bool semantic)
{
	struct weft_str key = weft_str_word(&line);
	struct pcf_option o = {keep(p, key), keep(p, line), semantic};
	return o.key && o.value ? weft_vec_push(&p->option, o) : -ENOMEM;
}

static int option_line(struct pcf *p, struct weft_str line)
{
	return option_add(p, line, false);
}

static int semantic_line(struct pcf *p, struct weft_str line)
{
	return option_add(p, line, true);
}

static int label_line(struct pcf *p, struct weft_str line, struct pcf_label *out)
{
	if (weft_parse_i64(weft_str_word(&line), &out->value))
		return WEFT_E_SYNTAX;
	out->text = keep(p, line);
	return out->text ? 0 : -ENOMEM;
}

static int state_line(struct pcf *p, struct weft_str line)
{
	struct pcf_label l;
	int rc = label_line(p, line, &l);
	if (!rc && (l.value < 0 || l.value > UINT32_MAX))
		rc = WEFT_E_SYNTAX;
	return rc ? rc : weft_vec_push(&p->state, l);
}

/* "3 {255,0,0}" */
static int color_line(struct pcf *p, struct weft_str line)
{
	struct pcf_color c;
	uint64_t part[3];
	if (!next_u32(&line, &c.index) || line.n < 2 || line.at[0] != '{' || line.at[line.n - 1] != '}')
		return WEFT_E_SYNTAX;
	struct weft_str rest = {line.at + 1, line.n - 2}, one;
	for (int i = 0; i < 3; i++)
		if (!weft_str_cut(&rest, ',', &one) || weft_parse_u64(weft_str_trim(one), &part[i]) || part[i] > 255)
			return WEFT_E_SYNTAX;
	if (rest.at)
		return WEFT_E_SYNTAX;
	c.red = (uint8_t)part[0];
	c.green = (uint8_t)part[1];
	c.blue = (uint8_t)part[2];
	return weft_vec_push(&p->color, c);
}

static int group_begin(struct pcf *p)
{
	return weft_vec_push(&p->group, (struct pcf_group){.precision = 0});
}

/* "PRECISION 3"; true when it is one. */
static bool precision_line(struct pcf *p, struct weft_str line, int *rc)
{
	uint32_t n;
	if (!weft_str_eq(weft_str_word(&line), "PRECISION"))
		return false;
	*rc = 0;
	if (next_u32(&line, &n) && !line.n && n <= PCF_MOST_PRECISION)
		last_group(p)->precision = n;
	else
		*rc = WEFT_E_SYNTAX;
	return true;
}

/* "9   50000001    MPI Point-to-point" */
static int type_line(struct pcf *p, struct weft_str line)
{
	struct pcf_type t = {.group = (uint32_t)p->group.n - 1, .line = p->line};
	int rc;
	if (precision_line(p, line, &rc))
		return rc;
	if (!next_u32(&line, &t.gradient) || !next_u32(&line, &t.number))
		return WEFT_E_SYNTAX;
	t.label = keep(p, line);
	return t.label ? weft_vec_push(&p->type, t) : -ENOMEM;
}

static int value_line(struct pcf *p, struct weft_str line)
{
	struct pcf_label l;
	int rc;
	if (precision_line(p, line, &rc))
		return rc;
	rc = label_line(p, line, &l);
	return rc ? rc : weft_vec_push(&last_group(p)->value, l);
}

static int ignored_line(struct pcf *p, struct weft_str line)
{
	(void)p;
	(void)line;
	return 0;
}

static int unknown_line(struct pcf *p, struct weft_str line)
{
	(void)p;
	(void)line;
	return WEFT_E_SYNTAX;
}

static const struct section before_all = {"", NULL, unknown_line};
static const struct section values = {"VALUES", NULL, value_line};
static const struct section sections[] = {
	{"DEFAULT_OPTIONS", NULL, option_line}, {"DEFAULT_SEMANTIC", NULL, semantic_line}, {"STATES", NULL, state_line},
	{"STATES_COLOR", NULL, color_line},     {"EVENT_TYPE", group_begin, type_line},    {"GRADIENT_COLOR", NULL, ignored_line},
	{"GRADIENT_NAMES", NULL, ignored_line},
};

static const struct section *section_of(struct weft_str line, const struct section *now)
{
	for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
		if (weft_str_eq(line, sections[i].keyword))
			return &sections[i];
	bool in_group = now->line == type_line || now->line == value_line;
	return in_group && weft_str_eq(line, values.keyword) ? &values : NULL;
}

/* -- the whole -- */

static int keep_problem(struct pcf *p, struct pcf_problem row, char *text)
{
	if (!text)
		return -ENOMEM;
	weft_one_line(text);
	row.text = text;
	return weft_vec_push(&p->problem, row);
}

static int add_problem(struct pcf *p, const struct section *now, uint64_t line, uint64_t offset, struct weft_str text)
{
	if (p->n_problems++ >= PCF_MOST_PROBLEMS)
		return 0;
	int shown = text.n < 40 ? (int)text.n : 40;
	char *z = *now->keyword
	                  ? weft_arena_printf(&p->arena, "not understood in section %s: '%.*s'", now->keyword, shown, text.at)
	                  : weft_arena_printf(&p->arena, "not understood before the first section: '%.*s'", shown, text.at);
	return keep_problem(p, (struct pcf_problem){line, offset, text.n, NULL}, z);
}

/* Types that come twice are one problem, with the first of them: a file that was joined of two has hundreds. */
static int find_repeated(struct pcf *p)
{
	struct weft_map seen = {0};
	const struct pcf_type *again = NULL;
	uint64_t first = 0, at, n = 0;
	int rc = 0;
	for (size_t i = 0; i < p->type.n && !rc; i++) {
		const struct pcf_type *t = &p->type.at[i];
		if (!weft_map_get(&seen, t->number, &at)) {
			rc = weft_map_put(&seen, t->number, t->line);
		} else if (!n++) {
			again = t;
			first = at;
		}
	}
	weft_map_fini(&seen);
	if (rc || !n || p->n_problems++ >= PCF_MOST_PROBLEMS)
		return rc;
	char more[64] = "";
	if (n > 1)
		snprintf(more, sizeof more, " (%llu more such %s)", (unsigned long long)n - 1, n == 2 ? "line" : "lines");
	return keep_problem(p, (struct pcf_problem){.line = again->line},
	                    weft_arena_printf(&p->arena, "type %u is here and in line %llu: its last label holds%s",
	                                      again->number, (unsigned long long)first, more));
}

int pcf_parse(struct pcf *p, const char *text, size_t n)
{
	*p = (struct pcf){.n_problems = 0};
	const struct section *now = &before_all;
	struct weft_str rest = weft_str_behind_mark(weft_str_n(text, n)), raw;
	uint64_t number = 0;
	int rc = 0;
	while (!rc && n && weft_str_cut(&rest, '\n', &raw)) {
		p->line = (uint32_t)++number;
		struct weft_str line = weft_str_trim(raw);
		if (!line.n || *line.at == '#')
			continue;
		const struct section *next = section_of(line, now);
		if (next) {
			now = next;
			rc = now->begin ? now->begin(p) : 0;
			continue;
		}
		rc = now->line(p, line);
		if (rc == WEFT_E_SYNTAX)
			rc = add_problem(p, now, number, (uint64_t)(raw.at - text), line);
	}
	return rc ? rc : find_repeated(p);
}

void pcf_fini(struct pcf *p)
{
	for (size_t i = 0; i < p->group.n; i++)
		free(p->group.at[i].value.at);
	free(p->option.at);
	free(p->state.at);
	free(p->color.at);
	free(p->type.at);
	free(p->group.at);
	free(p->problem.at);
	weft_arena_fini(&p->arena);
	*p = (struct pcf){.n_problems = 0};
}
