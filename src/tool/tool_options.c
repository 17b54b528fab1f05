/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an XML file asks of the tools: a table of keys for each section, a function for each kind of value. A key that nobody
 * knows is a warning, as the foreign tool reads on; a value that cannot be read is an error.
 *
 *     <config> ─ <filter>, <cutter>, <software_counters> ─ <range>, <algorithm>
 */
#include "tool_priv.h"
#include "xml/xml.h"
#include <errno.h>
#include <stdlib.h>

struct reader {
	struct weft_tool_options *o;
	const char *name; /* of the file */
	struct weft_err *err;
	struct weft_tool_type_list events; /* of the old key, until it is known where they go */
	bool accumulate_events;
};
struct key {
	const char *name;
	int (*take)(struct reader *r, const struct weft_xml_node *n, void *at);
	size_t offset; /* in struct weft_tool_options */
};

static int wrong(const struct reader *r, const struct weft_xml_node *n, const char *expected)
{
	return weft_err_set(r->err, WEFT_E_SYNTAX, "%s:%u: <%s>: expected %s, found '%.60s'", r->name, n->line, n->name, expected,
	                    n->text);
}

static int no_memory(const struct reader *r)
{
	return weft_err_set(r->err, -ENOMEM, "cannot read '%s': no memory", r->name);
}

/* -- lists of types and tasks -- */

void weft_tool_types_free(struct weft_tool_type_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->at[i].value.at);
	free(l->at);
	*l = (struct weft_tool_type_list){0};
}

/* "3" or "3-7" */
static int range_parse(struct weft_str s, struct weft_tool_range *out)
{
	struct weft_str first;
	s = weft_str_trim(s);
	if (!weft_str_cut(&s, '-', &first) || weft_parse_u64(weft_str_trim(first), &out->first))
		return WEFT_E_SYNTAX;
	out->last = out->first;
	return s.at && (weft_parse_u64(weft_str_trim(s), &out->last) || out->last < out->first) ? WEFT_E_SYNTAX : 0;
}

static int values_parse(struct weft_tool_types *t, struct weft_str rest)
{
	struct weft_str part;
	int64_t v;
	while (weft_str_cut(&rest, ',', &part)) {
		part = weft_str_trim(part);
		if (!part.n)
			continue;
		if (weft_parse_i64(part, &v))
			return WEFT_E_SYNTAX;
		if (weft_vec_push(&t->value, v))
			return -ENOMEM;
	}
	return 0;
}

/* One of them, with its values. */
static int type_parse(struct weft_tool_type_list *l, struct weft_str rest)
{
	struct weft_str types;
	struct weft_tool_types t = {.value = {0}};
	if (!weft_str_cut(&rest, ':', &types) || range_parse(types, &t.type))
		return WEFT_E_SYNTAX;
	int rc = values_parse(&t, rest);
	if (!rc)
		rc = weft_vec_push(l, t);
	if (rc)
		free(t.value.at);
	return rc;
}

int weft_tool_types_parse(struct weft_tool_type_list *l, const char *text, size_t n)
{
	struct weft_str rest = weft_str_n(text, n), part;
	char separator = memchr(text, ':', n) || memchr(text, ';', n) ? ';' : ',';
	int rc = 0;
	while (!rc && weft_str_cut(&rest, separator, &part)) {
		part = weft_str_trim(part);
		rc = part.n ? type_parse(l, part) : 0;
	}
	return rc;
}

int weft_tool_tasks_parse(struct weft_tool_cut *cut, const char *text, size_t n)
{
	struct weft_str rest = weft_str_n(text, n), part;
	while (weft_str_cut(&rest, ',', &part)) {
		struct weft_tool_range range;
		if (!weft_str_trim(part).n)
			continue;
		if (range_parse(part, &range))
			return WEFT_E_SYNTAX;
		if (weft_vec_push(&cut->task, range))
			return -ENOMEM;
	}
	return 0;
}

static bool value_among(const struct weft_tool_types *t, int64_t value)
{
	for (size_t i = 0; i < t->value.n; i++)
		if (t->value.at[i] == value)
			return true;
	return t->value.n == 0;
}

bool tool_types_have(const struct weft_tool_type_list *l, uint64_t type, int64_t value, size_t *which)
{
	for (size_t i = 0; i < l->n; i++)
		if (type >= l->at[i].type.first && type <= l->at[i].type.last && value_among(&l->at[i], value)) {
			if (which)
				*which = i;
			return true;
		}
	return false;
}

bool tool_types_name(const struct weft_tool_type_list *l, uint64_t type)
{
	for (size_t i = 0; i < l->n; i++)
		if (type >= l->at[i].type.first && type <= l->at[i].type.last)
			return true;
	return false;
}

/* -- kinds of values -- */

static int take_flag(struct reader *r, const struct weft_xml_node *n, void *at)
{
	static const struct {
		const char *text;
		bool is;
	} words[] = {{"0", false}, {"1", true}, {"", false}, {"false", false}, {"true", true}, {"no", false}, {"yes", true}};
	int64_t v;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!strcmp(n->text, words[i].text)) {
			*(bool *)at = words[i].is;
			return 0;
		}
	if (weft_parse_i64(weft_str(n->text), &v))
		return wrong(r, n, "0 or 1");
	*(bool *)at = v != 0;
	return 0;
}

static int take_count(struct reader *r, const struct weft_xml_node *n, void *at)
{
	return n->text[0] && weft_parse_u64(weft_str(n->text), at) ? wrong(r, n, "a number") : 0;
}

static int take_signed(struct reader *r, const struct weft_xml_node *n, void *at)
{
	return n->text[0] && weft_parse_i64(weft_str(n->text), at) ? wrong(r, n, "a number") : 0;
}

static int take_percent(struct reader *r, const struct weft_xml_node *n, void *at)
{
	double v = 0;
	if (n->text[0] && (weft_parse_double(weft_str(n->text), &v) || !(v >= 0 && v <= 1e6)))
		return wrong(r, n, "a percentage");
	*(double *)at = v;
	return 0;
}

static int take_megabytes(struct reader *r, const struct weft_xml_node *n, void *at)
{
	double v = 0;
	if (n->text[0] && (weft_parse_double(weft_str(n->text), &v) || !(v >= 0 && v < 1e12)))
		return wrong(r, n, "a size in megabytes");
	*(uint64_t *)at = (uint64_t)(v * 1000000);
	return 0;
}

static int take_keep(struct reader *r, const struct weft_xml_node *n, void *at)
{
	static const char *const words[] = {"0", "1", "2", "none", "boundary", "all"};
	for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
		if (!strcmp(n->text[0] ? n->text : "0", words[i])) {
			*(enum weft_tool_keep *)at = (enum weft_tool_keep)(i % 3);
			return 0;
		}
	return wrong(r, n, "0, 1 (boundary) or all");
}

static int take_tasks(struct reader *r, const struct weft_xml_node *n, void *at)
{
	int rc = weft_tool_tasks_parse(at, n->text, strlen(n->text));
	return rc == -ENOMEM ? no_memory(r) : rc ? wrong(r, n, "numbers of tasks like 1,3-5") : 0;
}

static int take_list(struct reader *r, const struct weft_xml_node *n, void *at)
{
	int rc = weft_tool_types_parse(at, n->text, strlen(n->text));
	return rc == -ENOMEM ? no_memory(r) : rc ? wrong(r, n, "event types like 50000001;50000002:1,2") : 0;
}

static int take_events(struct reader *r, const struct weft_xml_node *n, void *at)
{
	(void)at;
	return take_list(r, n, &r->events);
}

static int take_events_go(struct reader *r, const struct weft_xml_node *n, void *at)
{
	(void)at;
	return take_flag(r, n, &r->accumulate_events);
}

/* -- sections -- */

static int unknown(struct reader *r, const struct weft_xml_node *n, const struct key *keys)
{
	const char *known[32];
	size_t k = 0;
	while (k < 32 && keys[k].name) {
		known[k] = keys[k].name;
		k++;
	}
	const char *nearest = weft_nearest(n->name, known, k);
	if (r->o->warning.n >= WEFT_TOOL_WARNINGS)
		return 0;
	char *text = nearest ? weft_arena_printf(&r->o->arena, "%s:%u: unknown key <%.60s> in <%.60s> (did you mean <%s>?)",
	                                         r->name, n->line, n->name, n->parent->name, nearest)
	                     : weft_arena_printf(&r->o->arena, "%s:%u: unknown key <%.60s> in <%.60s>", r->name, n->line, n->name,
	                                         n->parent->name);
	if (!text || weft_vec_push(&r->o->warning, text))
		return no_memory(r);
	weft_one_line(text);
	return 0;
}

static int take_keys(struct reader *r, const struct weft_xml_node *section, const struct key *keys)
{
	for (const struct weft_xml_node *n = section->child; n; n = n->next) {
		const struct key *k = keys;
		while (k->name && strcmp(k->name, n->name) != 0)
			k++;
		int rc = k->name ? k->take(r, n, (char *)r->o + k->offset) : unknown(r, n, keys);
		if (rc)
			return rc;
	}
	return 0;
}

#define AT(member) offsetof(struct weft_tool_options, member)

static const struct key state_keys[] = {{"min_state_time", take_count, AT(filter.min_state_time)}, {0}};

/* <states>Running,Waiting a message<min_state_time>1000</min_state_time></states> */
static int take_states(struct reader *r, const struct weft_xml_node *n, void *at)
{
	struct weft_tool_filter *f = &r->o->filter;
	struct weft_str rest = weft_str(n->text), part;
	(void)at;
	while (weft_str_cut(&rest, ',', &part)) {
		part = weft_str_trim(part);
		if (!part.n)
			continue;
		char *name = weft_arena_strndup(&r->o->arena, part.at, part.n);
		if (!name || weft_vec_push(&f->state, name))
			return no_memory(r);
	}
	f->some_states = f->state.n && strcmp(f->state.at[0], "All") != 0;
	return take_keys(r, n, state_keys);
}

static int take_value(struct reader *r, const struct weft_xml_node *n, void *at)
{
	struct weft_tool_filter *f = at;
	int64_t v;
	if (weft_parse_i64(weft_str(n->text), &v))
		return wrong(r, n, "a value");
	return weft_vec_push(&f->type.at[f->type.n - 1].value, v) ? no_memory(r) : 0;
}

static const struct key type_keys[] = {{"value", take_value, AT(filter)}, {0}};

static int take_type(struct reader *r, const struct weft_xml_node *n, void *at)
{
	struct weft_tool_filter *f = at;
	int rc = type_parse(&f->type, weft_str(n->text));
	if (rc)
		return rc == -ENOMEM ? no_memory(r)
		                     : wrong(r, n, "an event type like 50000001 or a range like 42000000-42999999");
	return take_keys(r, n, type_keys);
}

static const struct key types_keys[] = {{"type", take_type, AT(filter)}, {0}};

static int take_types(struct reader *r, const struct weft_xml_node *n, void *at)
{
	struct weft_tool_filter *f = at;
	const char *use = weft_xml_attribute(n, "use");
	f->types_discarded = use && !strcmp(use, "discard");
	return take_keys(r, n, types_keys);
}

static const struct key filter_keys[] = {
	{"discard_states", take_flag, AT(filter.discard_states)},
	{"discard_events", take_flag, AT(filter.discard_events)},
	{"discard_communications", take_flag, AT(filter.discard_comms)},
	{"states", take_states, AT(filter)},
	{"types", take_types, AT(filter)},
	{"comms", take_signed, AT(filter.min_bytes)},
	{0},
};
static const struct key cut_keys[] = {
	{"tasks", take_tasks, AT(cut)},
	{"max_trace_size", take_megabytes, AT(cut.max_bytes)},
	{"by_time", take_flag, AT(cut.by_time)},
	{"minimum_time", take_count, AT(cut.from)},
	{"maximum_time", take_count, AT(cut.to)},
	{"minimum_time_percentage", take_percent, AT(cut.from_percent)},
	{"maximum_time_percentage", take_percent, AT(cut.to_percent)},
	{"original_time", take_flag, AT(cut.original_time)},
	{"break_states", take_flag, AT(cut.break_states)},
	{"remove_first_states", take_flag, AT(cut.remove_first_states)},
	{"remove_last_states", take_flag, AT(cut.remove_last_states)},
	{"keep_events", take_keep, AT(cut.keep_events)},
	{0},
};
static const struct key range_keys[] = {
	{"by_intervals_vs_by_states", take_flag, AT(counters.by_intervals)},
	{"sampling_interval", take_count, AT(counters.interval)},
	{"minimum_burst_time", take_count, AT(counters.min_burst_time)},
	{"accum_events", take_list, AT(counters.accumulate)},
	{"count_events", take_list, AT(counters.count)},
	{"events", take_events, 0},
	{0},
};
static const struct key algorithm_keys[] = {
	{"count_events_vs_accumulate_values", take_events_go, 0},
	{"remove_states", take_flag, AT(counters.remove_states)},
	{"summarize_useful_states", take_flag, AT(counters.summarize)},
	{"global_counters", take_flag, AT(counters.global)},
	{"only_in_burst_counting", take_flag, AT(counters.only_in_burst)},
	{"keep_events", take_list, AT(counters.keep)},
	{0},
};

static int take_range(struct reader *r, const struct weft_xml_node *n, void *at)
{
	(void)at;
	return take_keys(r, n, range_keys);
}

static int take_algorithm(struct reader *r, const struct weft_xml_node *n, void *at)
{
	(void)at;
	return take_keys(r, n, algorithm_keys);
}

static const struct key counter_keys[] = {{"range", take_range, 0}, {"algorithm", take_algorithm, 0}, {0}};

static int take_filter(struct reader *r, const struct weft_xml_node *n, void *at)
{
	(void)at;
	r->o->has |= WEFT_TOOL_HAS_FILTER;
	return take_keys(r, n, filter_keys);
}

static int take_cutter(struct reader *r, const struct weft_xml_node *n, void *at)
{
	(void)at;
	r->o->has |= WEFT_TOOL_HAS_CUT;
	return take_keys(r, n, cut_keys);
}

static int take_counters(struct reader *r, const struct weft_xml_node *n, void *at)
{
	(void)at;
	r->o->has |= WEFT_TOOL_HAS_COUNTERS;
	return take_keys(r, n, counter_keys);
}

static const struct key sections[] = {{"filter", take_filter, 0},
                                      {"cutter", take_cutter, 0},
                                      {"software_counters", take_counters, 0},
                                      {0}};

/* The old key's types join those of the list that it chooses. */
static int place_events(struct reader *r)
{
	struct weft_tool_type_list *to = r->accumulate_events ? &r->o->counters.accumulate : &r->o->counters.count;
	for (; r->events.n; r->events.n--)
		if (weft_vec_push(to, r->events.at[r->events.n - 1]))
			return no_memory(r);
	return 0;
}

/* The cutter's range has no negative length. */
static int check_range(struct reader *r)
{
	const struct weft_tool_cut *c = &r->o->cut;
	if (!(r->o->has & WEFT_TOOL_HAS_CUT))
		return 0;
	if (c->by_time && c->from > c->to)
		return weft_err_set(r->err, WEFT_E_SYNTAX, "%s: <minimum_time> (%llu) is greater than <maximum_time> (%llu)",
		                    r->name, (unsigned long long)c->from, (unsigned long long)c->to);
	if (!c->by_time && c->from_percent > c->to_percent)
		return weft_err_set(r->err, WEFT_E_SYNTAX,
		                    "%s: <minimum_time_percentage> (%g) is greater than <maximum_time_percentage> (%g)", r->name,
		                    c->from_percent, c->to_percent);
	return 0;
}

int weft_tool_options_parse(struct weft_tool_options *o, const char *name, const char *text, size_t n, struct weft_err *err)
{
	struct reader r = {.o = o, .name = name, .err = err, .accumulate_events = true};
	struct weft_xml_node *root;
	*o = (struct weft_tool_options){.cut = {.to_percent = 100}};
	int rc = weft_xml_parse(&o->arena, name, text, n, &root, err);
	if (rc)
		return rc;
	if (strcmp(root->name, "config") != 0)
		return weft_err_set(err, WEFT_E_SYNTAX, "%s:%u: expected <config>, found <%.60s>", name, root->line, root->name);
	rc = take_keys(&r, root, sections);
	if (!rc)
		rc = check_range(&r);
	if (!rc)
		rc = place_events(&r);
	weft_tool_types_free(&r.events);
	return rc;
}

int weft_tool_options_read(struct weft_tool_options *o, const char *path, struct weft_err *err)
{
	char *text;
	size_t n;
	*o = (struct weft_tool_options){.has = 0};
	int rc = weft_read_input(path, &text, &n, err);
	if (rc)
		return rc;
	rc = weft_tool_options_parse(o, path, text, n, err);
	free(text);
	return rc;
}

void weft_tool_options_fini(struct weft_tool_options *o)
{
	free(o->filter.state.at);
	free(o->cut.task.at);
	free(o->warning.at);
	weft_tool_types_free(&o->filter.type);
	weft_tool_types_free(&o->counters.accumulate);
	weft_tool_types_free(&o->counters.count);
	weft_tool_types_free(&o->counters.keep);
	weft_arena_fini(&o->arena);
	*o = (struct weft_tool_options){.has = 0};
}
