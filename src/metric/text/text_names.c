/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What things are called in the text of views. A name is made of Paraver's by one rule (lower case,
 * everything that is no letter or digit an underscore), so that a function that is new has one
 * without doing; a table has those for which the rule makes none, or none that a person would look
 * for.
 */
#include "text_priv.h"
#include "trace/paraver/prv_counters.h"
#include "trace/paraver/prv_names.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

struct other_name {
	const char *paraver, *text;
};
static const struct other_name thread_names[] = {
	{"State As Is", "state"},
	{"State Record Dur.", "state_duration"},
	{"Last Evt Type", "event_type"},
	{"Last Evt Val", "value"},
	{"Last Evt Val w/o Bursts", "held_value"},
	{"Next Evt Type", "next_type"},
	{"Next Evt Val", "next_value"},
	{"Avg Next Evt Val", "rate"},
	{"Avg Last Evt Val", "last_rate"},
	{"Given Evt Val", "given_value"},
	{"In Evt Val", "in_value"},
	{"Not In Evt Val", "not_in_value"},
	{"In Evt Range", "in_value_range"},
	{"Int. Between Evt", "interval"},
	{"Comm Recv. Partner", "recv_partner"},
	{"Last Send Dur.", "send_duration"},
	{"Next Recv Dur.", "recv_duration"},
	{"Last Send Size", "send_size"},
	{"Number Of Sends", "sends"},
	{"Number Of Send Bytes", "sent_bytes"},
	{"Number Of Receives", "receives"},
	{"Number Of Receive Bytes", "received_bytes"},
	{"Application ID", "appl_id"},
	{"TaskID", "task_id"},
	{NULL, NULL},
};
static const struct other_name cpu_names[] = {
	{"Active Thd", "active"},
	{"Active Thd Sign", "any_active"},
	{"Active Thd Val", "active_values"},
	{"Active Thd Val Sign", "any_active_value"},
	{NULL, NULL},
};
static const struct other_name level_names[] = {
	{"Adding", "sum"},     {"AddingSign", "any"},   {"Maximum", "max"}, {"Minimum", "min"}, {"Changed value", "changed"},
	{"Thread i", "child"}, {"Add Tasks", "sum_of"}, {NULL, NULL},
};
static const struct other_name compose_names[] = {
	{"1-Sign", "is_zero"},
	{"Mod+1", "mod_plus_1"},
	{"Subs", "subtract"},
	{"Select Range", "select"},
	{"Select Range [)", "select_below"},
	{"Is In Range", "in_range"},
	{"Is In Range [)", "in_range_below"},
	{"Is Equal", "select_equal"},
	{"Is Equal (Sign)", "is_equal"},
	{"Stacked Val", "stacked"},
	{"In Stacked Val", "in_stacked"},
	{"Nesting level", "nesting"},
	{"arc tan", "atan"},
	{"log N", "log"},
	{NULL, NULL},
};
static const struct other_name derived_names[] = {
	{"substract", "subtract"},
	{"maximum", "max"},
	{"minimum", "min"},
	{"controlled: clear by", "clear_by"},
	{"controlled: maximum", "max_per"},
	{"controlled: add", "sum_per"},
	{"controlled: enumerate", "count_per"},
	{"controlled: average", "average_per"},
	{NULL, NULL},
};
static const struct other_name stat_names[] = {
	{"Average value", "average"},
	{"Average value != 0", "average_not_zero"},
	{"% Time", "time_share"},
	{"% Time Not Zero", "time_share_not_zero"},
	{"% Window Time", "window_time_share"},
	{"# Bursts", "bursts"},
	{"% # Bursts", "burst_share"},
	{"# Bursts != 0", "bursts_not_zero"},
	{"Average per Burst != 0", "average_per_burst_not_zero"},
	{NULL, NULL},
};
static const struct other_name *const other_names[WEFT_FUNC_KINDS] = {
	[WEFT_FUNC_THREAD] = thread_names,   [WEFT_FUNC_CPU] = cpu_names,         [WEFT_FUNC_LEVEL] = level_names,
	[WEFT_FUNC_COMPOSE] = compose_names, [WEFT_FUNC_DERIVED] = derived_names,
};

static const char *make_name(const struct other_name *others, const char *paraver, char *out)
{
	for (; others->paraver; others++)
		if (!strcmp(others->paraver, paraver))
			return others->text;
	size_t n = 0;
	for (const char *z = paraver; *z && n < TEXT_NAME - 1; z++) {
		if (isalnum((unsigned char)*z))
			out[n++] = (char)tolower((unsigned char)*z);
		else if (n && out[n - 1] != '_')
			out[n++] = '_';
	}
	while (n && out[n - 1] == '_')
		n--;
	out[n] = 0;
	return out;
}

const char *text_func_name(enum weft_func_kind k, const struct weft_func *f, char *out)
{
	return make_name(other_names[k], f->name, out);
}

const char *text_stat_name(const struct weft_stat *s, char *out)
{
	return make_name(stat_names, weft_stat_name(s), out);
}

/* "Max value" is max. */
const char *text_param_name(const struct weft_func *f, unsigned i, char *out)
{
	size_t n = 0;
	for (const char *z = f->param[i].name; *z && *z != ' ' && n < TEXT_NAME - 1; z++)
		out[n++] = (char)tolower((unsigned char)*z);
	out[n] = 0;
	return out;
}

/* ---- the other way ---- */

enum { KNOWN = 128 };
struct known {
	char name[KNOWN][TEXT_NAME];
	const char *at[KNOWN];
	unsigned n;
};

static void keep_known(struct known *k, const char *name)
{
	if (k->n == KNOWN)
		return;
	if (name != k->name[k->n])
		snprintf(k->name[k->n], TEXT_NAME, "%s", name);
	k->at[k->n] = k->name[k->n];
	k->n++;
}

char *text_typed(char *out, struct weft_str s)
{
	size_t n = s.n < TEXT_NAME ? s.n : TEXT_NAME - 1;
	if (n)
		memcpy(out, s.at, n);
	out[n] = 0;
	return out;
}

static void find_near(const struct known *k, struct weft_str name, char *near)
{
	char z[TEXT_NAME];
	text_typed(z, name);
	const char *found = weft_nearest(z, k->at, k->n);
	snprintf(near, TEXT_NAME, "%s", found ? found : "");
}

const struct weft_func *text_func_find(enum weft_func_kind k, struct weft_str name, char *near)
{
	struct known known = {.n = 0};
	const struct weft_func *f;
	char z[TEXT_NAME];
	for (unsigned i = 0; (f = weft_func_at(k, i)); i++) {
		const char *own = text_func_name(k, f, z);
		if (weft_str_eq(name, own) || weft_str_eq(name, f->name))
			return f;
		keep_known(&known, own);
	}
	find_near(&known, name, near);
	return NULL;
}

const struct weft_stat *text_stat_find(struct weft_str name, char *near)
{
	struct known known = {.n = 0};
	const struct weft_stat *s;
	char z[TEXT_NAME];
	for (unsigned i = 0; (s = weft_stat_at(i)); i++) {
		const char *own = text_stat_name(s, z);
		if (weft_str_eq(name, own) || weft_str_eq(name, weft_stat_name(s)))
			return s;
		keep_known(&known, own);
	}
	find_near(&known, name, near);
	return NULL;
}

const struct weft_stat *weft_stat_named(const char *name, char *near)
{
	return text_stat_find(weft_str(name), near);
}

bool weft_stat_known(unsigned i, char *name)
{
	const struct weft_stat *s = weft_stat_at(i);
	char made[TEXT_NAME];
	if (s)
		snprintf(name, TEXT_NAME, "%s", text_stat_name(s, made));
	return s != NULL;
}

bool weft_text_word_at(enum weft_func_kind k, unsigned i, struct weft_text_word *out)
{
	const struct weft_func *f = weft_func_at(k, i);
	*out = (struct weft_text_word){.paraver = f ? f->name : ""};
	if (!f)
		return false;
	char name[TEXT_NAME];
	snprintf(out->name, sizeof out->name, "%s", text_func_name(k, f, name));
	for (unsigned p = 0; p < WEFT_PARAMS; p++)
		if (f->param[p].name)
			snprintf(out->param[p], sizeof out->param[p], "%s", text_param_name(f, p, name));
	static const enum weft_text_args args[] =
		{[TEXT_TYPES] = WEFT_TEXT_TYPES, [TEXT_STATES] = WEFT_TEXT_STATES, [TEXT_NUMBERS] = WEFT_TEXT_NUMBERS};
	out->args = args[text_args_of(f)];
	return true;
}

bool weft_text_state_at(unsigned i, char *name)
{
	if (i >= PRV_STATES)
		return false;
	const char *plain = text_state_name(i);
	snprintf(name, TEXT_NAME, plain ? "%s" : "\"%s\"", prv_states[i].name);
	return true;
}

/* ---- what functions are ---- */

static bool is_one_of(const char *name, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(name, *list))
			return true;
	return false;
}

enum text_args text_args_of(const struct weft_func *f)
{
	static const char *const events[] = {
		"Last Evt Type",    "Last Evt Val",     "Last Evt Val w/o Bursts",
		"Next Evt Type",    "Next Evt Val",     "Avg Next Evt Val",
		"Avg Last Evt Val", "Given Evt Val",    "In Evt Val",
		"Not In Evt Val",   "In Evt Range",     "Int. Between Evt",
		"Event Bytes",      "Event Sent Bytes", NULL,
	};
	static const char *const states[] = {"Given State", "In State", "Not In State", "State Record Dur.", NULL};
	return is_one_of(f->name, events) ? TEXT_TYPES : is_one_of(f->name, states) ? TEXT_STATES : TEXT_NUMBERS;
}

bool text_is_flag(const struct weft_func *f)
{
	static const char *const flags[] = {
		"Useful",       "State Sign",  "In State",       "Not In State",    "In Evt Val",          "Not In Evt Val",
		"In Evt Range", "AddingSign",  "In Activity",    "Active Thd Sign", "Active Thd Val Sign", "Sign",
		"1-Sign",       "Is In Range", "Is In Range [)", "Is Equal (Sign)", "different",           NULL,
	};
	return is_one_of(f->name, flags);
}

/*
 * Values that are names of something are shown in the colours of those; all others by how large
 * they are.
 */
enum weft_color text_color_of(const struct weft_window *w)
{
	static const char *const codes[] = {
		"State As Is",
		"Useful",
		"Given State",
		"In State",
		"Last Evt Type",
		"Last Evt Val",
		"Last Evt Val w/o Bursts",
		"Next Evt Type",
		"Given Evt Val",
		"In Evt Val",
		"Comm Partner",
		"Comm Recv. Partner",
		"Application ID",
		"TaskID",
		"Thread ID",
		"Node ID",
		"Cpu ID",
		NULL,
	};
	const struct weft_metric *m = &w->metric;
	if (w->derived || m->level != WEFT_THREAD || !is_one_of(m->of_level[WEFT_THREAD].func->name, codes))
		return WEFT_COLOR_NOT_NULL;
	return WEFT_COLOR_CODE;
}

/* ---- states and types ---- */

bool text_state_find(struct weft_str name, uint32_t *number)
{
	for (uint32_t i = 0; i < PRV_STATES; i++) {
		const char *z = prv_states[i].name;
		size_t n = strlen(z), k = 0;
		while (k < n && k < name.n &&
		       (tolower((unsigned char)z[k]) == tolower((unsigned char)name.at[k]) ||
		        (name.at[k] == '_' && !isalnum((unsigned char)z[k]))))
			k++;
		if (k == n && k == name.n) {
			*number = i;
			return true;
		}
	}
	return false;
}

const char *text_state_near(const char *name)
{
	const char *known[PRV_STATES];
	for (uint32_t i = 0; i < PRV_STATES; i++)
		known[i] = prv_states[i].name;
	return weft_nearest(name, known, PRV_STATES);
}

const char *text_state_name(double number)
{
	if (!(number >= 0 && number < PRV_STATES) || number != (uint32_t)number)
		return NULL;
	const char *name = prv_states[(uint32_t)number].name;
	for (const char *z = name; *z; z++)
		if (!isalpha((unsigned char)*z))
			return NULL;
	return name;
}

bool text_type_find(struct weft_str name, uint32_t *number)
{
	return prv_papi_number(name, number);
}

/* ---- words ---- */

const char *const text_levels[] = {"workload", "appl", "task", "thread", "system", "node", "cpu", NULL};
const char *const text_units[] = {"ns", "us", "ms", "s", "min", "hours", "days", NULL};
const char *const text_colors[] = {"code", "gradient", "not_null", "alternative", "punctual", "fused", NULL};
const char *const text_draws[] = {"last", "max",     "min_not_zero", "random", "random_not_zero", "average", "average_not_zero",
                                  "mode", "abs_max", "abs_min",      NULL};
const char *const text_sorts[] = {"average", "total", "maximum", "minimum", "stdev", "avg_max", "custom", NULL};
const char *const text_limits[] = {"trace", "window", "region", NULL};
const char *const text_fields[] = {"from", "to", "tag", "size", "bandwidth", "type", "value", NULL};

int text_word(const char *const *words, struct weft_str s)
{
	for (int i = 0; words[i]; i++)
		if (weft_str_eq(s, words[i]))
			return i;
	return -1;
}
