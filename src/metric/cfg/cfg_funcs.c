/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The keys of a window that name functions:
 *
 *   window_selected_functions { 14, { {cpu, Active Thd}, …, {evt_type, =}, … } }
 *   window_compose_functions { 9, { {compose_thread, Sign}, …, {topcompose1, As Is}, {extratopcompose1, …} } }
 *   window_semantic_module topcompose1 Select Range { 2, { 1 10.0, 1 0.0 } }      parameters of one of them
 *   window_filter_module evt_type 2 50000001 50000002                            parameters of a filter's function
 */
#include "cfg_parts.h"
#include <errno.h>
#include <string.h>

const char *const cfg_level_names[] = {"workload", "appl", "task", "thread", "system", "node", "cpu", "ptask", NULL};
const char *const cfg_filter_names[] = {"from_obj", "to_obj",    "tag_msg",        "size_msg",        "bw_msg",
                                        "evt_type", "evt_value", "evt_type_label", "evt_value_label", NULL};

static int level_of(struct weft_str name)
{
	for (int i = 0; cfg_level_names[i]; i++)
		if (weft_str_eq(name, cfg_level_names[i]))
			return i == WEFT_LEVELS ? WEFT_APPL : i;
	return -1;
}

/* The function, or NULL with the error set in *rc. */
static const struct weft_func *find_func(struct cfg *c, enum weft_func_kind k, struct weft_str name, int *rc)
{
	const char *z = cfg_keep(c, name);
	if (!z) {
		*rc = -ENOMEM;
		return NULL;
	}
	/* Files of old versions have a name that new ones do not load: paramedir is told (weft_view.old_name). */
	const bool is_old = k == WEFT_FUNC_LEVEL && !strcmp(z, "Adding Sign");
	const struct weft_func *f = weft_func_find(k, is_old ? "AddingSign" : z);
	if (is_old)
		c->view->old_name = z;
	const char *known[128];
	unsigned n = 0;
	for (const struct weft_func *g; !f && n < 128 && (g = weft_func_at(k, n)); n++)
		known[n] = g->name;
	if (!f)
		*rc = cfg_unknown(c, k == WEFT_FUNC_COMPOSE ? "compose function" : "function", z, known, n);
	return f;
}

static enum weft_func_kind kind_of_level(int level)
{
	return level == WEFT_THREAD ? WEFT_FUNC_THREAD : level == WEFT_CPU ? WEFT_FUNC_CPU : WEFT_FUNC_LEVEL;
}

static int set_test(struct cfg *c, struct weft_window *w, int which, struct weft_str name)
{
	for (int k = 0; k < WEFT_TEST_KINDS; k++)
		if (weft_str_eq(name, weft_test_names[k])) {
			w->metric.filter.test[which].kind = (enum weft_test_kind)k;
			return 0;
		}
	const char *z = cfg_keep(c, name);
	return z ? cfg_unknown(c, "filter function", z, weft_test_names, WEFT_TEST_KINDS) : -ENOMEM;
}

static int set_selected(struct cfg *c, struct weft_window *w, struct weft_str key, struct weft_str name)
{
	int rc = 0, level = level_of(key);
	if (level >= 0) {
		if (w->derived && (level == WEFT_THREAD || level == WEFT_CPU))
			return 0;
		const struct weft_func *f = find_func(c, kind_of_level(level), name, &rc);
		if (f)
			w->metric.of_level[level] = (struct weft_call){.func = f};
		return rc;
	}
	for (int i = 0; i < WEFT_FILTERS; i++)
		if (weft_str_eq(key, cfg_filter_names[i]))
			return set_test(c, w, i, name);
	return 0;
}

static struct weft_str without_compose(struct weft_str key)
{
	return key.n > 8 && !memcmp(key.at, "compose_", 8) ? weft_str_n(key.at + 8, key.n - 8) : key;
}

/* "extratopcompose2"? There may be any number of them. */
static bool is_extra(struct weft_str key, uint64_t *number)
{
	static const char word[] = "extratopcompose";
	const size_t n = sizeof word - 1;
	if (key.n <= n || memcmp(key.at, word, n) != 0)
		return false;
	if (weft_parse_u64(weft_str_n(key.at + n, key.n - n), number))
		*number = 0;
	return true;
}

/* Where a compose function of this name goes; NULL: there is no such place. */
static struct weft_call *compose_place(struct weft_window *w, struct weft_str key)
{
	int level = level_of(key);
	if (level >= 0)
		return &w->metric.compose[level];
	if (weft_str_eq(key, "topcompose1") || weft_str_eq(key, "topcompose") || weft_str_eq(key, "compose1"))
		return &w->metric.top[0];
	if (weft_str_eq(key, "topcompose2") || weft_str_eq(key, "compose2"))
		return &w->metric.top[1];
	return NULL;
}

static int set_compose(struct cfg *c, struct weft_window *w, struct weft_str key, struct weft_str name)
{
	int rc = 0;
	const struct weft_func *f = find_func(c, WEFT_FUNC_COMPOSE, name, &rc);
	uint64_t number;
	if (!f)
		return rc;
	key = without_compose(key);
	if (is_extra(key, &number))
		return weft_vec_push(&c->extra, (struct weft_call){.func = f});
	struct weft_call *call = compose_place(w, key);
	if (call)
		*call = (struct weft_call){.func = f};
	return 0;
}

/* { n, { {key, name}, … } }: names may hold braces and commas, as "[x,y]" does, but no "}". */
static int each_pair(struct cfg *c, struct weft_str value,
                     int (*set)(struct cfg *, struct weft_window *, struct weft_str, struct weft_str))
{
	struct weft_window *w = cfg_window(c);
	if (!w)
		return cfg_fail(c, "functions without a window");
	const char *open = memchr(value.at, '{', value.n);
	struct weft_str rest = open ? weft_str_n(open + 1, (size_t)(value.at + value.n - open - 1)) : (struct weft_str){NULL, 0};
	open = rest.n ? memchr(rest.at, '{', rest.n) : NULL;
	if (!open)
		return cfg_fail(c, "expected { n, { {level, function}, ... } }");
	rest = weft_str_n(open + 1, (size_t)(rest.at + rest.n - open - 1));
	while (rest.n && (open = memchr(rest.at, '{', rest.n))) {
		rest = weft_str_n(open + 1, (size_t)(rest.at + rest.n - open - 1));
		const char *close = rest.n ? memchr(rest.at, '}', rest.n) : NULL;
		const char *comma = rest.n ? memchr(rest.at, ',', rest.n) : NULL;
		if (!close || !comma || comma > close)
			return cfg_fail(c, "expected {level, function}");
		struct weft_str key = weft_str_trim(weft_str_n(rest.at, (size_t)(comma - rest.at)));
		struct weft_str name = weft_str_trim(weft_str_n(comma + 1, (size_t)(close - comma - 1)));
		int rc = set(c, w, key, name);
		if (rc)
			return rc;
		rest = weft_str_n(close + 1, (size_t)(rest.at + rest.n - close - 1));
	}
	return 0;
}

int cfg_selected_functions(struct cfg *c, struct weft_str value)
{
	return each_pair(c, value, set_selected);
}

int cfg_compose_functions(struct cfg *c, struct weft_str value)
{
	return each_pair(c, value, set_compose);
}

/* The calls that a module line may mean, in the order in which they are tried. */
static unsigned module_calls(struct cfg *c, struct weft_window *w, struct weft_str key, struct weft_call **call)
{
	unsigned n = 0;
	uint64_t number;
	int level = level_of(key);
	if (level >= 0)
		call[n++] = &w->metric.of_level[level];
	key = without_compose(key);
	if (is_extra(key, &number)) {
		if (number >= 1 && number <= c->extra.n)
			call[n++] = &c->extra.at[number - 1];
		return n;
	}
	struct weft_call *place = compose_place(w, key);
	if (place)
		call[n++] = place;
	return n;
}

/* Does the name stand at the front of s, followed by blanks and "{"? */
static bool module_names(struct weft_str s, const char *name, struct weft_str *rest)
{
	size_t n = strlen(name);
	if (s.n <= n || memcmp(s.at, name, n) != 0)
		return false;
	*rest = weft_str_n(s.at + n, s.n - n);
	return cfg_take_char(rest, '{');
}

static int read_params(struct cfg *c, struct weft_call *call, struct weft_str s)
{
	uint32_t n, count;
	if (!cfg_take_count(&s, &n) || !cfg_take_char(&s, ',') || !cfg_take_char(&s, '{'))
		return cfg_fail(c, "expected { n, { count values... } }");
	for (uint32_t i = 0; i < n; i++) {
		struct weft_list l;
		cfg_take_char(&s, ',');
		if (!cfg_take_count(&s, &count))
			return cfg_fail(c, "expected the count of a parameter's values");
		int rc = cfg_take_list(c, &s, count, &l);
		if (rc)
			return rc;
		if (i < WEFT_PARAMS && call->func->param[i].name)
			call->param[i] = l;
	}
	return cfg_take_char(&s, '}') && cfg_take_char(&s, '}') ? 0 : cfg_fail(c, "the function's parameters have no end");
}

int cfg_semantic_module(struct cfg *c, struct weft_str value)
{
	struct weft_window *w = cfg_window(c);
	struct weft_call *call[3];
	if (!w)
		return cfg_fail(c, "a function's parameters without a window");
	struct weft_str key = cfg_take_token(&value), name = weft_str_trim(value), rest;
	unsigned n = module_calls(c, w, key, call);
	for (unsigned i = 0; i < n; i++)
		if (call[i]->func && module_names(name, call[i]->func->name, &rest))
			return read_params(c, call[i], rest);
	if (!memchr(name.at ? name.at : "", '{', name.n))
		return cfg_fail(c, "expected a function and { n, { count values... } }");
	return 0;
}

/* "text" "text"… */
static int read_labels(struct cfg *c, struct weft_str s, uint32_t n, struct weft_labels *out)
{
	if (n > s.n)
		return cfg_fail(c, "expected %u labels", n);
	*out = (struct weft_labels){weft_arena_alloc(&c->view->arena, ((size_t)n + 1) * sizeof(char *)), n, true};
	if (!out->at)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		if (!cfg_take_char(&s, '"'))
			return cfg_fail(c, "expected %u labels in quotes, found %u", n, i);
		const char *end = s.n ? memchr(s.at, '"', s.n) : NULL;
		if (!end)
			return cfg_fail(c, "a label has no end");
		if (!(out->at[i] = cfg_keep(c, weft_str_n(s.at, (size_t)(end - s.at)))))
			return -ENOMEM;
		s = weft_str_n(end + 1, (size_t)(s.at + s.n - end - 1));
	}
	return 0;
}

int cfg_filter_module(struct cfg *c, struct weft_str value)
{
	struct weft_window *w = cfg_window(c);
	if (!w)
		return cfg_fail(c, "a filter without a window");
	struct weft_str key = cfg_take_token(&value);
	uint32_t n;
	int which = 0;
	while (cfg_filter_names[which] && !weft_str_eq(key, cfg_filter_names[which]))
		which++;
	if (!cfg_filter_names[which]) {
		const char *z = cfg_keep(c, key);
		return z ? cfg_unknown(c, "filter", z, cfg_filter_names, (size_t)which) : -ENOMEM;
	}
	if (!cfg_take_count(&value, &n))
		return cfg_fail(c, "expected the count of the filter's values");
	if (which == WEFT_FILTERS)
		return read_labels(c, value, n, &w->type_label);
	if (which == WEFT_FILTERS + 1)
		return read_labels(c, value, n, &w->value_label);
	return cfg_take_list(c, &value, n, &w->metric.filter.test[which].list);
}
