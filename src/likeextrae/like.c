/* SPDX-License-Identifier: Apache-2.0 */
/* The whole: objects, then each thread's events, then messages; and the definitions and labels, which are made when first used. */
#include "like_priv.h"
#include "trace/paraver/prv_names.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- definitions ---- */

struct labelling {
	struct like *l;
	uint32_t type;
};

static int add_label(void *arg, int64_t value, const char *label)
{
	struct labelling *w = arg;
	return weft_build_label(w->l->b, w->type, value, label);
}

/* What types are called that there may be many of. */
static const char *made_label(uint32_t number, char *room, size_t n)
{
	if (number >= 30000000 && number < 30000100)
		snprintf(room, n, number == 30000000 ? "Sampled functions" : "Sampled functions (depth %u)", number - 30000000);
	else if (number >= 30000100 && number < 30000200)
		snprintf(room, n, number == 30000100 ? "Sampled line functions (depth %u)" : "Sampled lines functions (depth %u)",
		         number - 30000100);
	else if (number > 70000000 && number <= 70000100)
		snprintf(room, n, "Caller at level %u", number - 70000000);
	else if (number > 80000000 && number <= 80000100)
		snprintf(room, n, "Caller line at level %u", number - 80000000);
	else
		snprintf(room, n, "type %u", number);
	return room;
}

int64_t extrae_type(struct like *l, uint32_t number, const char *label)
{
	char room[64];
	uint64_t at;
	if (weft_map_get(&l->type, number, &at))
		return (int64_t)at;
	const char *fixed = extrae_type_label(number);
	struct weft_def_row row = {.code = number};
	row.name = label ? label : fixed ? fixed : made_label(number, room, sizeof room);
	int64_t id = weft_build_def(l->b, WEFT_CLASS_TYPE, &row);
	struct labelling w = {l, (uint32_t)id};
	if (id < 0 || weft_map_put(&l->type, number, (uint64_t)id))
		return -ENOMEM;
	int rc = fixed ? extrae_each_value(number, add_label, &w) : 0;
	/* Functions and lines, whose labels come as they are used, have an end. */
	bool function = (number >= 60000018 && number <= 60000024) || (number >= 60000118 && number <= 60000124);
	function |= number == 60000100;
	function |= number >= 60012 && number <= 60019 && number != 60014 && number != 60017;
	if (!rc && function && number != 60000019 && number != 60000119 && number != 60000021 && number != 60000022)
		rc = weft_build_label(l->b, (uint32_t)id, 0, "End");
	return rc ? rc : id;
}

int64_t extrae_state(struct like *l, uint32_t number)
{
	number = number < PRV_STATES ? number : PRV_STATE_OTHERS;
	if (!l->state[number]) {
		int64_t id = weft_build_def(l->b, WEFT_CLASS_STATE,
		                            &(struct weft_def_row){.name = prv_states[number].name, .code = number});
		if (id < 0)
			return id;
		l->state[number] = (uint32_t)id;
	}
	return l->state[number];
}

/* ---- labels of functions, lines, texts: numbers from 1 on, one table for each kind of type ---- */

/* Types whose values are of one table: functions of callers and samples, lines of them, and each other type its own. */
static uint32_t table_of(uint32_t type)
{
	if (type >= 30000000 && type < 30000100)
		return 70000000;
	if (type >= 30000100 && type < 30000200)
		return 80000000;
	if (type == 60000023 || type == 60000024 || type == 60000123 || type == 60000124)
		return type - type % 100 + 18; /* one table of OpenMP's functions */
	if (type == 60000100)
		return 60000019;
	if (type == 60015 || type == 60016)
		return type + 3;
	return type > 70000000 && type <= 70000100 ? 70000000 : type > 80000000 && type <= 80000100 ? 80000000 : type;
}

/* The value of a label in its table, made when new; each type gets the label when it first uses it. */
static int64_t value_of(struct like *l, uint32_t type, const char *label)
{
	uint64_t value, known, table = weft_hash_u64(table_of(type)), key = weft_hash(label, strlen(label)) ^ table;
	int64_t id = extrae_type(l, type, NULL);
	if (id < 0)
		return id;
	if (!weft_map_get(&l->function, key, &value)) {
		value = 0;
		weft_map_get(&l->count, table, &value);
		value++;
		if (weft_map_put(&l->count, table, value) || weft_map_put(&l->function, key, value))
			return -ENOMEM;
	}
	uint64_t said = weft_hash_u64(key + type);
	if (weft_map_get(&l->function, said, &known))
		return (int64_t)value;
	if (weft_map_put(&l->function, said, value) || weft_build_label(l->b, (uint32_t)id, (int64_t)value, label))
		return -ENOMEM;
	return (int64_t)value;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash && slash[1] ? slash + 1 : path;
}

/* "name (file, executable)", as far as it is known. */
int64_t extrae_function_value(struct like *l, uint32_t type, uint32_t function)
{
	const struct weft_function *f = weft_symbols_function(l->symbols, function);
	char label[600];
	snprintf(label, sizeof label, *f->module ? "%.400s (%.150s)" : "%.400s", f->name, base_name(f->module));
	return value_of(l, type, label);
}

int64_t extrae_line_value(struct like *l, uint32_t type, const struct weft_frame *frame)
{
	const struct weft_function *f = weft_symbols_function(l->symbols, frame->function);
	const char *file = weft_symbols_text(l->symbols, frame->file);
	char label[600];
	if (*file)
		snprintf(label, sizeof label, "%u (%.300s, %.150s)", frame->line, base_name(file), base_name(f->module));
	else
		snprintf(label, sizeof label, "%.400s", f->name);
	return value_of(l, type, label);
}

int64_t extrae_text_value(struct like *l, uint32_t type, const char *text)
{
	return value_of(l, type, text);
}

/* ---- the whole ---- */

static int note_head(struct like *l)
{
	static const char *const options[] = {"LEVEL THREAD", "UNITS NANOSEC",      "LOOK_BACK 100",
	                                      "SPEED 1",      "FLAG_ICONS ENABLED", "NUM_OF_STATE_COLORS 1000",
	                                      "YMAX_SCALE 37"};
	char z[80];
	time_t s = (time_t)(l->from->begin_realtime / 1000000000u);
	struct tm tm = {.tm_mday = 1, .tm_year = 70};
	gmtime_r(&s, &tm);
	strftime(z, sizeof z, "%d/%m/%Y at %H:%M", &tm);
	int rc = weft_build_note(l->b, PRV_NOTE_DATE, z);
	rc = rc ? rc : weft_build_note(l->b, PRV_NOTE_UNIT, "_ns");
	rc = rc ? rc : weft_build_note(l->b, PRV_NOTE_MESSAGES, "physical");
	for (unsigned i = 0; i < sizeof options / sizeof *options && !rc; i++)
		rc = weft_build_note(l->b, PRV_NOTE_OPTION, options[i]);
	rc = rc ? rc : weft_build_note(l->b, PRV_NOTE_SEMANTIC, "THREAD_FUNC State As Is");
	for (uint32_t i = 0; i < PRV_STATES && !rc; i++) {
		snprintf(z, sizeof z, "%u {%u,%u,%u}", i, prv_states[i].red, prv_states[i].green, prv_states[i].blue);
		rc = weft_build_note(l->b, PRV_NOTE_COLOR, z);
		if (!rc && extrae_state(l, i) < 0)
			rc = -ENOMEM;
	}
	static const char *const rows[] = {"TASK", "CPU", "NODE", "THREAD"};
	for (unsigned i = 0; i < 4 && !rc; i++)
		rc = weft_build_note(l->b, PRV_NOTE_ROW, rows[i]);
	weft_build_realtime(l->b, l->from->begin_realtime);
	return rc;
}

static struct extrae_rule rule_of(const struct like *l, uint32_t region)
{
	const struct weft_trace *t = l->from;
	const struct weft_def_row *r = &t->def[WEFT_CLASS_REGION].at[region];
	const struct weft_def_table *categories = &t->def[WEFT_CLASS_CATEGORY];
	struct extrae_rule rule = extrae_rule_of(t, region);
	bool openmp = r->category && r->category < categories->n && !strcmp(categories->at[r->category].name, "openmp");
	if (!openmp || rule.kind == EXTRAE_BURSTS || !l->how->other_openmp)
		return rule;
	rule.kind = EXTRAE_NOTHING;
	extrae_openmp_rule(&rule, r->name);
	return rule;
}

static int make_rules(struct like *l)
{
	uint32_t n = l->from->def[WEFT_CLASS_REGION].n;
	l->rule = calloc((size_t)n + 1, sizeof *l->rule);
	if (!l->rule)
		return -ENOMEM;
	for (uint32_t i = 1; i < n; i++) {
		l->rule[i] = rule_of(l, i);
		l->bursts |= l->rule[i].kind == EXTRAE_BURSTS;
	}
	return 0;
}

static void like_fini(struct like *l)
{
	free(l->thread_of);
	free(l->task_of_rank);
	free(l->first_rank);
	free(l->task_of);
	free(l->comm_of);
	free(l->rule);
	free(l->send);
	weft_map_fini(&l->type);
	weft_map_fini(&l->function);
	weft_map_fini(&l->count);
	weft_map_fini(&l->counter);
	weft_map_fini(&l->task_at);
	free(l->task.at);
	free(l->depends.at);
}

int weft_extrae_make(struct weft_trace **out, const struct weft_trace *t, struct weft_symbols *s,
                     const struct weft_extrae_how *how, struct weft_err *err)
{
	struct like l = {.from = t, .symbols = s, .how = how, .to = t->end};
	if (how->percent > 0 && how->percent < 100)
		l.to = (uint64_t)((double)t->end * how->percent / 100);
	struct weft_open_how open = {.memory = how->memory, .no_index = true};
	*out = NULL;
	int rc = weft_builder_new(&l.b, t->path, "prv", &open, err);
	if (rc)
		return rc;
	rc = note_head(&l);
	rc = rc ? rc : make_rules(&l);
	rc = rc ? rc : extrae_objects(&l);
	rc = rc ? rc : extrae_tasks(&l);
	for (uint32_t i = 0; i < t->n_threads && !rc; i++)
		if (l.thread_of[i] != WEFT_NONE)
			rc = extrae_events(&l, i);
	rc = rc ? rc : extrae_messages(&l);
	rc = rc ? rc : extrae_dependencies(&l);
	like_fini(&l);
	if (rc) {
		weft_builder_free(l.b);
		return weft_err_set(err, rc, "cannot translate '%s': %s", t->path, weft_err_name(rc));
	}
	weft_build_keep_zero(l.b, l.to);
	return weft_build_finish(l.b, NULL, out, err);
}
