/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A filter's text becomes a tree: a lexer with one token of lookahead, recursive descent over it, and back again as text in
 * one canonical form. Everything that can be wrong without knowing a trace is found here, with the column where it stands.
 */
#include "filter_priv.h"
#include "base/str.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct filter_field_info filter_field_info[FILTER_FIELDS] = {
	[FIELD_TIME] = {"time", DOMAIN_TIME, HOW_TIME},
	[FIELD_THREAD] = {"thread", DOMAIN_NAME, HOW_ROW},
	[FIELD_PROCESS] = {"process", DOMAIN_NAME, HOW_ROW},
	[FIELD_RANK] = {"rank", DOMAIN_INTEGER, HOW_ROW},
	[FIELD_APP] = {"app", DOMAIN_NAME, HOW_ROW},
	[FIELD_HOST] = {"host", DOMAIN_NAME, HOW_ROW},
	[FIELD_NODE] = {"node", DOMAIN_NAME, HOW_ROW},
	[FIELD_CPU] = {"cpu", DOMAIN_INTEGER, HOW_ALONG},
	[FIELD_CLUSTER] = {"cluster", DOMAIN_INTEGER, HOW_ALONG},
	[FIELD_ITERATION] = {"iteration", DOMAIN_INTEGER, HOW_ALONG},
	[FIELD_PHASE] = {"phase", DOMAIN_ANY, HOW_PHASE},
	[FIELD_KIND] = {"kind", DOMAIN_KIND, HOW_KIND},
	[FIELD_NAME] = {"name", DOMAIN_NAME, HOW_DEF},
	[FIELD_REGION] = {"region", DOMAIN_NAME, HOW_DEF},
	[FIELD_TYPE] = {"type", DOMAIN_ANY, HOW_DEF},
	[FIELD_COUNTER] = {"counter", DOMAIN_NAME, HOW_DEF},
	[FIELD_ATTR] = {"attr", DOMAIN_NAME, HOW_DEF},
	[FIELD_STATE] = {"state", DOMAIN_ANY, HOW_DEF},
	[FIELD_CATEGORY] = {"category", DOMAIN_NAME, HOW_DEF},
	[FIELD_VALUE] = {"value", DOMAIN_ANY, HOW_VALUE},
	[FIELD_SIZE] = {"size", DOMAIN_BYTES, HOW_SIZE},
	[FIELD_DURATION] = {"duration", DOMAIN_NS, HOW_DURATION},
	[FIELD_TAG] = {"tag", DOMAIN_INTEGER, HOW_TAG},
	[FIELD_PEER] = {"peer", DOMAIN_INTEGER, HOW_PEER},
	[FIELD_COMM] = {"comm", DOMAIN_ANY, HOW_DEF},
};

const struct filter_group filter_groups[] = {
	{"region", {WEFT_EV_ENTER, WEFT_EV_LEAVE}},
	{"point", {WEFT_EV_POINT, WEFT_EV_POINT_F, WEFT_EV_POINT_S}},
	{"counter", {WEFT_EV_COUNTER, WEFT_EV_COUNTER_F, WEFT_EV_COUNTER_SET}},
	{"message", {WEFT_EV_SEND, WEFT_EV_RECV}},
	{"flow", {WEFT_EV_FLOW_OUT, WEFT_EV_FLOW_IN}},
	{"attr", {WEFT_EV_ATTR, WEFT_EV_ATTR_F, WEFT_EV_ATTR_S}},
	{"state", {WEFT_EV_STATE, WEFT_EV_STATE_END}},
	{NULL, {0}},
};

const char *const filter_compare_text[FILTER_COMPARES] = {
	[COMPARE_EQ] = "=", [COMPARE_NE] = "!=", [COMPARE_LT] = "<", [COMPARE_LE] = "<=", [COMPARE_GT] = ">", [COMPARE_GE] = ">=",
};

static const char *const domain_wants[FILTER_DOMAINS] = {
	[DOMAIN_TIME] = "a time like 10ms or 25%", [DOMAIN_NS] = "a time like 10ms", [DOMAIN_BYTES] = "a size like 64K",
	[DOMAIN_INTEGER] = "a whole number",       [DOMAIN_NAME] = "a name",         [DOMAIN_ANY] = "a name or a number",
	[DOMAIN_KIND] = "a kind of event",
};

/* -- tokens -- */

enum token_kind { TOKEN_END, TOKEN_WORD, TOKEN_QUOTED, TOKEN_COMPARE, TOKEN_COMMA, TOKEN_OPEN, TOKEN_CLOSE };

struct parser {
	const char *at;  /* of the rest */
	unsigned column; /* of `at`, from 1, in characters */
	unsigned depth;
	struct weft_filter *filter;
	struct weft_err *err;
	/* the token that is next: */
	enum token_kind token;
	struct weft_str text; /* as written; of a quoted one what is between the quotes */
	unsigned token_column;
	enum filter_compare compare;
};

#define PARSE_ERROR(p, column, fmt, ...) \
	(weft_err_set((p)->err, WEFT_E_SYNTAX, "filter: column %u: " fmt, (column), __VA_ARGS__), \
	 (p)->err ? weft_one_line((p)->err->text) : (void)0, WEFT_E_SYNTAX)

static bool is_word(char c)
{
	return (unsigned char)c > ' ' && c != 0x7f && !strchr("(),=!<>\"", c);
}

/* A character further; a byte that is no valid UTF-8 counts as one. */
static void step(struct parser *p)
{
	unsigned n = weft_utf8_len(p->at, strnlen(p->at, 4));
	p->at += n ? n : 1;
	p->column++;
}

static int next_quoted(struct parser *p)
{
	step(p);
	p->token = TOKEN_QUOTED;
	p->text.at = p->at;
	while (*p->at && *p->at != '"') {
		if (*p->at == '\\' && p->at[1])
			step(p);
		step(p);
	}
	if (!*p->at)
		return PARSE_ERROR(p, p->token_column, "%s", "the quote is not closed");
	p->text.n = (size_t)(p->at - p->text.at);
	step(p);
	return 0;
}

static int next_compare(struct parser *p)
{
	static const enum filter_compare longest_first[] = {COMPARE_NE, COMPARE_LE, COMPARE_GE,
	                                                    COMPARE_EQ, COMPARE_LT, COMPARE_GT};
	for (unsigned i = 0; i < FILTER_COMPARES; i++) {
		const char *text = filter_compare_text[longest_first[i]];
		size_t n = strlen(text);
		if (strncmp(p->at, text, n) != 0)
			continue;
		p->token = TOKEN_COMPARE;
		p->compare = longest_first[i];
		p->text = weft_str_n(p->at, n);
		p->at += n;
		p->column += (unsigned)n;
		if (p->compare == COMPARE_EQ && *p->at == '=')
			return PARSE_ERROR(p, p->token_column, "%s", "unexpected '==' (write '=')");
		return 0;
	}
	return PARSE_ERROR(p, p->token_column, "unexpected '%c' (write 'not', or '!=')", *p->at);
}

static int next_word(struct parser *p)
{
	p->token = TOKEN_WORD;
	p->text.at = p->at;
	if (*p->at == '&' || *p->at == '|')
		return PARSE_ERROR(p, p->column, "unexpected '%c' (write '%s')", *p->at, *p->at == '&' ? "and" : "or");
	if (!is_word(*p->at))
		return PARSE_ERROR(p, p->column, "%s", "unexpected control character");
	while (is_word(*p->at))
		step(p);
	p->text.n = (size_t)(p->at - p->text.at);
	return 0;
}

static int next(struct parser *p)
{
	static const struct {
		char c;
		enum token_kind token;
	} marks[] = {{'(', TOKEN_OPEN}, {')', TOKEN_CLOSE}, {',', TOKEN_COMMA}};
	while (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r')
		step(p);
	p->token_column = p->column;
	p->text = weft_str_n(p->at, 1);
	if (!*p->at) {
		p->token = TOKEN_END;
		p->text.n = 0;
		return 0;
	}
	for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
		if (*p->at == marks[i].c) {
			p->token = marks[i].token;
			step(p);
			return 0;
		}
	}
	if (*p->at == '"')
		return next_quoted(p);
	return strchr("=!<>", *p->at) ? next_compare(p) : next_word(p);
}

static bool at_keyword(const struct parser *p, const char *word)
{
	return p->token == TOKEN_WORD && weft_str_eq(p->text, word);
}

static int parse_unexpected(struct parser *p, const char *wanted)
{
	if (p->token == TOKEN_END)
		return PARSE_ERROR(p, p->token_column, "expected %s, found the end", wanted);
	return PARSE_ERROR(p, p->token_column, "expected %s, found '%.*s'", wanted, (int)p->text.n, p->text.at);
}

/* -- values -- */

static bool number_whole(struct filter_number *out, uint64_t v)
{
	out->whole = true;
	out->i = v > INT64_MAX ? INT64_MAX : (int64_t)v;
	out->f = (double)v;
	return true;
}

static bool number_signed(struct weft_str s, struct filter_number *out)
{
	if (weft_parse_i64(s, &out->i))
		return false;
	out->whole = true;
	out->f = (double)out->i;
	return true;
}

static bool number_ns(struct weft_str s, struct filter_number *out)
{
	uint64_t v;
	return !weft_parse_ns(s, &v) && number_whole(out, v);
}

static bool number_bytes(struct weft_str s, struct filter_number *out)
{
	uint64_t v;
	return !weft_parse_bytes(s, &v) && number_whole(out, v);
}

static bool number_time(struct weft_str s, struct filter_number *out)
{
	if (s.n == 0 || s.at[s.n - 1] != '%')
		return number_ns(s, out);
	out->percent = true;
	return !weft_parse_double(weft_str_n(s.at, s.n - 1), &out->share) && out->share >= 0 && out->share <= 100;
}

static bool number_any(struct weft_str s, struct filter_number *out)
{
	if (number_signed(s, out))
		return true;
	if (!weft_parse_double(s, &out->f))
		return true;
	return number_ns(s, out) || number_bytes(s, out);
}

bool filter_parse_number(enum filter_domain d, struct weft_str s, struct filter_number *out)
{
	static bool (*const parse[FILTER_DOMAINS])(struct weft_str, struct filter_number *) = {
		[DOMAIN_TIME] = number_time,      [DOMAIN_NS] = number_ns,   [DOMAIN_BYTES] = number_bytes,
		[DOMAIN_INTEGER] = number_signed, [DOMAIN_ANY] = number_any,
	};
	*out = (struct filter_number){0};
	return parse[d] && parse[d](s, out);
}

/* "A", "A..B", "A..", "..B": true when it is one of numbers. */
static bool value_numbers(enum filter_domain d, struct filter_value *v)
{
	struct weft_str low = weft_str(v->text), high = low;
	const char *dots = strstr(v->text, "..");
	v->has_low = v->has_high = true;
	if (dots) {
		low.n = (size_t)(dots - v->text);
		high = weft_str(dots + 2);
		v->has_low = low.n > 0;
		v->has_high = high.n > 0;
		if (!v->has_low && !v->has_high)
			return false;
	}
	return (!v->has_low || filter_parse_number(d, low, &v->low)) && (!v->has_high || filter_parse_number(d, high, &v->high));
}

/* Kinds by glob, in the table of kinds (those of events) and in the groups. */
static bool kind_is_known(const struct filter_value *v)
{
	for (const struct filter_group *g = filter_groups; g->name; g++)
		if (filter_text_matches(v, g->name))
			return true;
	for (unsigned k = 0; k < WEFT_EV_DEF_STRING; k++)
		if (weft_kind_info[k].name && filter_text_matches(v, weft_kind_info[k].name))
			return true;
	return false;
}

static int kind_unknown(struct parser *p, const struct filter_value *v)
{
	const char *known[WEFT_EV_DEF_STRING + 16];
	size_t n = 0;
	for (const struct filter_group *g = filter_groups; g->name; g++)
		known[n++] = g->name;
	for (unsigned k = 0; k < WEFT_EV_DEF_STRING; k++)
		if (weft_kind_info[k].name)
			known[n++] = weft_kind_info[k].name;
	const char *nearest = weft_nearest(v->text, known, n);
	if (nearest)
		return PARSE_ERROR(p, v->column, "unknown kind '%s' (did you mean '%s'?)", v->text, nearest);
	return PARSE_ERROR(p, v->column, "unknown kind '%s'", v->text);
}

static bool range_is_backward(const struct filter_value *v)
{
	if (!v->has_low || !v->has_high || v->low.percent != v->high.percent)
		return false;
	if (v->low.percent)
		return v->low.share > v->high.share;
	return v->low.whole && v->high.whole ? v->low.i > v->high.i : v->low.f > v->high.f;
}

/* Without the backslashes of a quoted text. */
static char *value_text(struct parser *p, bool quoted)
{
	char *z = weft_arena_strndup(&p->filter->arena, p->text.at, p->text.n);
	if (!z || !quoted)
		return z;
	char *to = z;
	for (const char *from = z; *from; from++) {
		if (*from == '\\' && from[1])
			from++;
		*to++ = *from;
	}
	*to = '\0';
	return z;
}

static int parse_value(struct parser *p, struct filter_test *t, struct filter_value *v)
{
	enum filter_domain d = p->filter->fields[t->field].domain;
	if (p->token != TOKEN_WORD && p->token != TOKEN_QUOTED)
		return parse_unexpected(p, domain_wants[d]);
	*v = (struct filter_value){.quoted = p->token == TOKEN_QUOTED, .column = p->token_column};
	v->text = value_text(p, v->quoted);
	if (!v->text)
		return -ENOMEM;
	v->number = !v->quoted && value_numbers(d, v);
	if (!v->number && (d == DOMAIN_TIME || d == DOMAIN_NS || d == DOMAIN_BYTES || d == DOMAIN_INTEGER))
		return parse_unexpected(p, domain_wants[d]);
	if (d == DOMAIN_KIND && !kind_is_known(v))
		return kind_unknown(p, v);
	if (v->number && range_is_backward(v))
		return PARSE_ERROR(p, v->column, "the range '%s' ends before it begins", v->text);
	if (t->compare > COMPARE_NE && (!v->number || !v->has_low || !v->has_high || strstr(v->text, "..")))
		return PARSE_ERROR(p, v->column, "'%s' compares with one number, found '%s'", filter_compare_text[t->compare],
		                   v->text);
	return next(p);
}

static int parse_values(struct parser *p, struct filter_test *t)
{
	WEFT_VEC(struct filter_value) list = {0};
	int rc;
	for (;;) {
		struct filter_value v;
		rc = parse_value(p, t, &v);
		if (!rc && list.n == FILTER_VALUES_MAX)
			rc = PARSE_ERROR(p, v.column, "more than %d values", FILTER_VALUES_MAX);
		if (!rc)
			rc = weft_vec_push(&list, v);
		if (rc || p->token != TOKEN_COMMA)
			break;
		if (t->compare > COMPARE_NE) {
			rc = PARSE_ERROR(p, p->token_column, "a list goes with '=' and '!=', not with '%s'",
			                 filter_compare_text[t->compare]);
			break;
		}
		rc = next(p);
		if (rc)
			break;
	}
	if (!rc) {
		t->n_values = (uint32_t)list.n;
		t->value = weft_arena_alloc(&p->filter->arena, list.n * sizeof *t->value);
		rc = t->value ? 0 : -ENOMEM;
	}
	if (!rc)
		memcpy(t->value, list.at, list.n * sizeof *t->value);
	free(list.at);
	return rc;
}

/* -- tests and their combination -- */

static int parse_field(struct parser *p, struct filter_test *t)
{
	const struct weft_filter *f = p->filter;
	const char *known[FILTER_FIELDS_MOST];
	char typed[40];
	if (p->token != TOKEN_WORD)
		return parse_unexpected(p, "a test like region=solve");
	for (unsigned i = 0; i < f->n_fields; i++) {
		known[i] = f->fields[i].name;
		if (weft_str_eq(p->text, known[i])) {
			t->field = i;
			t->column = p->token_column;
			p->filter->uses[i] = true;
			return next(p);
		}
	}
	size_t n = p->text.n < sizeof typed ? p->text.n : sizeof typed - 1;
	memcpy(typed, p->text.at, n);
	typed[n] = '\0';
	const char *nearest = p->text.n < sizeof typed ? weft_nearest(typed, known, f->n_fields) : NULL;
	if (nearest)
		return PARSE_ERROR(p, p->token_column, "unknown field '%s' (did you mean '%s'?)", typed, nearest);
	return PARSE_ERROR(p, p->token_column, "unknown field '%.*s'", (int)p->text.n, p->text.at);
}

static int parse_test(struct parser *p, struct filter_node *node)
{
	struct filter_test *t = weft_arena_alloc(&p->filter->arena, sizeof *t);
	if (!t)
		return -ENOMEM;
	node->op = FILTER_TEST;
	node->test = t;
	int rc = parse_field(p, t);
	if (rc)
		return rc;
	if (p->token != TOKEN_COMPARE)
		return parse_unexpected(p, "one of = != < <= > >=");
	t->compare = p->compare;
	enum filter_domain d = p->filter->fields[t->field].domain;
	if (t->compare > COMPARE_NE && (d == DOMAIN_NAME || d == DOMAIN_KIND))
		return PARSE_ERROR(p, p->token_column, "'%s' is compared with '=' and '!=' only",
		                   p->filter->fields[t->field].name);
	rc = next(p);
	return rc ? rc : parse_values(p, t);
}

static int parse_list(struct parser *p, enum filter_op op, struct filter_node **out);

static int parse_factor(struct parser *p, struct filter_node **out)
{
	struct filter_node *node;
	int rc;
	if (p->depth == FILTER_DEPTH_MAX && (p->token == TOKEN_OPEN || at_keyword(p, "not")))
		return PARSE_ERROR(p, p->token_column, "more than %d brackets deep", FILTER_DEPTH_MAX);
	if (p->token == TOKEN_OPEN) {
		unsigned opened = p->token_column;
		p->depth++;
		rc = next(p);
		if (!rc)
			rc = parse_list(p, FILTER_OR, out);
		p->depth--;
		if (rc)
			return rc;
		if (p->token != TOKEN_CLOSE)
			return p->token == TOKEN_END ? PARSE_ERROR(p, opened, "%s", "the bracket is not closed")
			                             : parse_unexpected(p, "')'");
		return next(p);
	}
	node = weft_arena_alloc(&p->filter->arena, sizeof *node);
	if (!node)
		return -ENOMEM;
	*out = node;
	if (!at_keyword(p, "not"))
		return parse_test(p, node);
	node->op = FILTER_NOT;
	p->depth++;
	rc = next(p);
	if (!rc)
		rc = parse_factor(p, &node->child);
	p->depth--;
	return rc;
}

static bool begins_factor(const struct parser *p)
{
	return p->token == TOKEN_OPEN || p->token == TOKEN_QUOTED || (p->token == TOKEN_WORD && !at_keyword(p, "or"));
}

/*
 * One level of "or" or of "and": its parts, flattened where a part is itself of this kind, so that brackets that change
 * nothing leave no trace. A single part is returned as it is.
 */
static int parse_list(struct parser *p, enum filter_op op, struct filter_node **out)
{
	struct filter_node *list = weft_arena_alloc(&p->filter->arena, sizeof *list);
	if (!list)
		return -ENOMEM;
	struct filter_node **last = &list->child;
	list->op = op;
	for (;;) {
		struct filter_node *part = NULL;
		int rc = op == FILTER_OR ? parse_list(p, FILTER_AND, &part) : parse_factor(p, &part);
		if (rc)
			return rc;
		*last = part->op == op ? part->child : part;
		while (*last)
			last = &(*last)->next;
		bool word = at_keyword(p, op == FILTER_OR ? "or" : "and");
		if (!word && (op == FILTER_OR || !begins_factor(p)))
			break;
		rc = word ? next(p) : 0;
		if (rc)
			return rc;
	}
	*out = list->child->next ? list : list->child;
	return 0;
}

int filter_parse(struct weft_filter *f, const char *text, struct weft_err *err)
{
	struct parser p = {.at = text, .column = 1, .filter = f, .err = err};
	int rc = next(&p);
	if (!rc)
		rc = parse_list(&p, FILTER_OR, &f->root);
	if (!rc && p.token != TOKEN_END)
		rc = parse_unexpected(&p, "'and', 'or' or the end");
	return rc ? weft_err_set(err, rc, "filter: out of memory") : 0;
}

int weft_filter_new(struct weft_filter **out, const char *text, struct weft_err *err)
{
	*out = NULL;
	struct weft_filter *f = calloc(1, sizeof *f);
	if (!f)
		return weft_err_set(err, -ENOMEM, "filter: out of memory");
	f->fields = filter_field_info;
	f->n_fields = FILTER_FIELDS;
	int rc = filter_parse(f, text, err);
	if (rc) {
		weft_filter_free(f);
		return rc;
	}
	*out = f;
	return 0;
}

/* -- back to text -- */

static void print_value(const struct filter_value *v, struct weft_buf *out)
{
	if (!v->quoted) {
		weft_buf_puts(out, v->text);
		return;
	}
	weft_buf_putc(out, '"');
	for (const char *z = v->text; *z; z++) {
		if (*z == '"' || *z == '\\')
			weft_buf_putc(out, '\\');
		weft_buf_putc(out, *z);
	}
	weft_buf_putc(out, '"');
}

static void print_test(const struct weft_filter *f, const struct filter_test *t, struct weft_buf *out)
{
	weft_buf_puts(out, f->fields[t->field].name);
	weft_buf_puts(out, filter_compare_text[t->compare]);
	for (uint32_t i = 0; i < t->n_values; i++) {
		if (i > 0)
			weft_buf_putc(out, ',');
		print_value(&t->value[i], out);
	}
}

/* `inside`: what stands around it; a looser operation needs brackets there. */
static void print_node(const struct weft_filter *f, const struct filter_node *n, enum filter_op inside, struct weft_buf *out)
{
	bool brackets = n->op < inside;
	if (brackets)
		weft_buf_putc(out, '(');
	if (n->op == FILTER_TEST) {
		print_test(f, n->test, out);
	} else if (n->op == FILTER_NOT) {
		weft_buf_puts(out, "not ");
		print_node(f, n->child, FILTER_NOT, out);
	} else {
		for (const struct filter_node *c = n->child; c; c = c->next) {
			print_node(f, c, n->op, out);
			if (c->next)
				weft_buf_puts(out, n->op == FILTER_OR ? " or " : " and ");
		}
	}
	if (brackets)
		weft_buf_putc(out, ')');
}

int weft_filter_text(const struct weft_filter *f, struct weft_buf *out)
{
	print_node(f, f->root, FILTER_OR, out);
	return out->failed ? -ENOMEM : 0;
}

int weft_time_range(const char *text, uint64_t end, uint64_t *from, uint64_t *to, struct weft_err *err)
{
	struct filter_value v = {.text = text};
	if (!strstr(text, "..") || !value_numbers(DOMAIN_TIME, &v))
		return weft_err_set(err, WEFT_E_SYNTAX, "expected a range of time like 10ms..20ms or 25%%..50%%, found '%s'",
		                    text);
	*from = v.has_low ? filter_ns(&v.low, end) : 0;
	bool all = !v.has_high || (v.high.percent && v.high.share >= 100); /* what happens at the very end is not beyond it */
	*to = all ? WEFT_NEVER : filter_ns(&v.high, end);
	if (*from >= *to)
		return weft_err_set(err, WEFT_E_SYNTAX, "the range of time '%s' is empty", text);
	return 0;
}

uint64_t filter_ns(const struct filter_number *n, uint64_t end)
{
	return n->percent ? (uint64_t)llroundl((long double)end * (long double)n->share / 100) : (uint64_t)n->i;
}
