/* SPDX-License-Identifier: Apache-2.0 */
/* The .pcf (states, colours, event types with their labels) and the .row (names of objects) that belong to a written .prv. */
#include "prv_out.h"
#include "trace/paraver/prv_counters.h"
#include <errno.h>
#include <stdlib.h>

/* -- .pcf: options, states -- */

static void put_number(struct export_out *out, uint64_t v, const char *then)
{
	export_u64(out, v);
	export_text(out, then);
}

/* A label is one line. */
static void put_label(struct export_out *out, const char *label)
{
	for (; *label; label++)
		export_char(out, (unsigned char)*label < ' ' ? ' ' : *label);
	export_char(out, '\n');
}

/* "KEY value" of the notes with this key, as a section. Whether there was one. */
static bool put_section(struct export_out *out, const struct weft_trace *t, const char *section, const char *key)
{
	bool any = false;
	for (uint32_t i = 0; i < t->n_notes; i++) {
		if (strcmp(t->note[i].key, key) != 0)
			continue;
		if (!any)
			put_label(out, section);
		any = true;
		put_label(out, t->note[i].text);
	}
	if (any)
		export_text(out, "\n");
	return any;
}

static void put_options(struct export_out *out, const struct prv_out *o)
{
	bool any = put_section(out, o->t, "DEFAULT_OPTIONS", PRV_NOTE_OPTION);
	any |= put_section(out, o->t, "DEFAULT_SEMANTIC", PRV_NOTE_SEMANTIC);
	if (any || o->from_prv)
		return;
	export_text(out, "DEFAULT_OPTIONS\nLEVEL THREAD\nUNITS NANOSEC\nLOOK_BACK 100\nSPEED 1\nFLAG_ICONS ENABLED\n"
	                 "NUM_OF_STATE_COLORS 1000\nYMAX_SCALE 37\n\nDEFAULT_SEMANTIC\nTHREAD_FUNC State As Is\n\n");
}

static bool has_state(const struct weft_trace *t, int64_t number)
{
	for (uint32_t i = 1; i < t->def[WEFT_CLASS_STATE].n; i++)
		if (t->def[WEFT_CLASS_STATE].at[i].code == number)
			return true;
	return false;
}

static void put_states(struct export_out *out, const struct prv_out *o)
{
	const struct weft_def_table *states = &o->t->def[WEFT_CLASS_STATE];
	char unnamed[PRV_NAME];
	bool any = false;
	for (uint32_t i = 1; i < states->n; i++) {
		const struct weft_def_row *s = &states->at[i];
		if (!strcmp(s->name, prv_unnamed_state((uint32_t)s->code, unnamed)))
			continue;
		if (!any)
			export_text(out, "STATES\n");
		any = true;
		put_number(out, (uint32_t)s->code, "    ");
		put_label(out, s->name);
	}
	if (o->derived && !any)
		export_text(out, "STATES\n");
	any |= o->derived;
	for (uint32_t i = 0; i < PRV_STATES && o->derived; i++) {
		if (has_state(o->t, i))
			continue;
		put_number(out, i, "    ");
		put_label(out, prv_states[i].name);
	}
	export_text(out, any ? "\n" : "");
	any = put_section(out, o->t, "STATES_COLOR", PRV_NOTE_COLOR);
	if (any || !o->derived)
		return;
	export_text(out, "STATES_COLOR\n");
	for (uint32_t i = 0; i < PRV_STATES; i++) {
		put_number(out, i, "    {");
		put_number(out, prv_states[i].red, ",");
		put_number(out, prv_states[i].green, ",");
		put_number(out, prv_states[i].blue, "}\n");
	}
	export_text(out, "\n");
}

/* -- .pcf: event types -- */

static void put_type(struct export_out *out, uint32_t gradient, uint32_t number, const char *label, uint32_t precision)
{
	export_text(out, "EVENT_TYPE\n");
	put_number(out, gradient, "    ");
	put_number(out, number, "    ");
	put_label(out, label);
	if (precision) {
		export_text(out, "PRECISION ");
		put_number(out, precision, "\n");
	}
}

static void put_value(struct export_out *out, int64_t value, const char *label)
{
	export_i64(out, value);
	export_text(out, "    ");
	put_label(out, label);
}

static uint32_t gradient_of(const struct weft_map *gradients, uint32_t number)
{
	uint64_t g = 0;
	weft_map_get(gradients, number, &g);
	return (uint32_t)g;
}

/* "50000001 9" */
static int read_gradients(const struct weft_trace *t, struct weft_map *gradients)
{
	int rc = 0;
	for (uint32_t i = 0; i < t->n_notes && !rc; i++) {
		struct weft_str rest = weft_str(t->note[i].text), number;
		uint64_t type, gradient;
		if (strcmp(t->note[i].key, PRV_NOTE_GRADIENT) != 0)
			continue;
		if (weft_str_cut(&rest, ' ', &number) && !weft_parse_u64(number, &type) && !weft_parse_u64(rest, &gradient))
			rc = weft_map_put(gradients, type, gradient);
	}
	return rc;
}

/* Types that a .pcf gave names, whether used or not, and those that are used and not of a .prv. */
static void put_int_types(struct export_out *out, const struct prv_out *o, const struct weft_map *gradients)
{
	const struct weft_def_table *types = &o->t->def[WEFT_CLASS_TYPE];
	struct weft_buf z = {0};
	for (uint32_t i = 1; i < types->n; i++) {
		const struct weft_def_row *d = &types->at[i];
		uint32_t number = prv_type_number(d, i), precision = prv_unit_precision(d->unit);
		char unnamed[PRV_NAME];
		bool given = o->from_prv && d->code > 0;
		if (!given && !(o->used[WEFT_CLASS_TYPE][i] & PRV_AS_INT))
			continue;
		if (!strcmp(d->name, prv_unnamed_type(number, unnamed)) && !d->n_labels && !precision)
			continue;
		put_type(out, gradient_of(gradients, number), number, precision ? d->name : prv_with_unit(&z, d), precision);
		if (d->n_labels)
			export_text(out, "VALUES\n");
		for (uint32_t k = 0; k < d->n_labels; k++)
			put_value(out, d->label[k].value, d->label[k].text);
		export_text(out, "\n");
	}
	weft_buf_fini(&z);
}

/* Definitions of one class that were used in one way. */
static void put_defs(struct export_out *out, const struct prv_out *o, enum weft_class c, unsigned as, uint32_t range,
                     uint32_t gradient)
{
	const struct weft_def_table *defs = &o->t->def[c];
	struct weft_buf z = {0};
	for (uint32_t i = 1; i < defs->n; i++) {
		if (!(o->used[c][i] & as))
			continue;
		put_type(out, gradient, range == PRV_COUNTERS ? o->counter_number[i] : range + i, prv_with_unit(&z, &defs->at[i]),
		         as == PRV_AS_FLOAT ? PRV_FLOAT_PRECISION : 0);
		export_text(out, "\n");
	}
	weft_buf_fini(&z);
}

static int order_keys(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

/* Types whose values are strings: with the strings that were used. */
static int put_text_types(struct export_out *out, const struct prv_out *o)
{
	WEFT_VEC(uint64_t) key = {0};
	size_t pos = 0;
	uint64_t k, v, before = 0;
	int rc = 0;
	while (!rc && weft_map_next(&o->text, &pos, &k, &v))
		rc = weft_vec_push(&key, k);
	if (key.n)
		qsort(key.at, key.n, sizeof *key.at, order_keys);
	for (size_t i = 0; i < key.n && !rc; i++) {
		enum weft_class c = (enum weft_class)(key.at[i] >> 56);
		uint32_t id = (uint32_t)(key.at[i] >> 32) & 0xffffff, string = (uint32_t)key.at[i];
		if (!i || key.at[i] >> 32 != before >> 32) {
			export_text(out, i ? "\n" : "");
			put_type(out, 0, (c == WEFT_CLASS_TYPE ? PRV_TYPES_TEXT : PRV_ATTRS_TEXT) + id,
			         export_def_name(o->t, c, id), 0);
			export_text(out, "VALUES\n");
		}
		before = key.at[i];
		put_value(out, string, export_def_name(o->t, WEFT_CLASS_STRING, string));
	}
	export_text(out, key.n ? "\n" : "");
	free(key.at);
	return rc;
}

/* A type for each category, its values the regions. */
static int put_region_types(struct export_out *out, const struct prv_out *o)
{
	const struct weft_def_table *regions = &o->t->def[WEFT_CLASS_REGION], *categories = &o->t->def[WEFT_CLASS_CATEGORY];
	WEFT_VEC(uint64_t) key = {0};
	int rc = 0;
	for (uint32_t i = 1; i < regions->n && !rc; i++)
		if (o->used[WEFT_CLASS_REGION][i])
			rc = weft_vec_push(&key, (uint64_t)regions->at[i].category << 32 | i);
	if (key.n)
		qsort(key.at, key.n, sizeof *key.at, order_keys);
	for (size_t i = 0; i < key.n && !rc; i++) {
		uint32_t category = (uint32_t)(key.at[i] >> 32), region = (uint32_t)key.at[i];
		if (!i || category != (uint32_t)(key.at[i - 1] >> 32)) {
			struct weft_buf z = {0};
			weft_buf_printf(&z, "Regions (%s)",
			                category && category < categories->n ? categories->at[category].name : "no category");
			export_text(out, i ? "\n" : "");
			put_type(out, 9, PRV_REGIONS + category, z.failed ? "Regions" : z.at, 0);
			weft_buf_fini(&z);
			export_text(out, "VALUES\n");
			put_value(out, 0, "End");
		}
		put_value(out, region, regions->at[region].name);
	}
	export_text(out, key.n ? "\n" : "");
	free(key.at);
	return rc;
}

int prv_out_pcf(struct prv_out *o, struct export_out *out)
{
	struct weft_map gradients = {0};
	put_options(out, o);
	put_states(out, o);
	int rc = read_gradients(o->t, &gradients);
	if (!rc)
		rc = put_region_types(out, o);
	if (!rc) {
		put_int_types(out, o, &gradients);
		put_defs(out, o, WEFT_CLASS_TYPE, PRV_AS_FLOAT, PRV_TYPES_FLOAT, 0);
		put_defs(out, o, WEFT_CLASS_COUNTER, PRV_AS_INT, PRV_COUNTERS, 7);
		put_defs(out, o, WEFT_CLASS_COUNTER, PRV_AS_FLOAT, PRV_COUNTERS_FLOAT, 7);
		put_defs(out, o, WEFT_CLASS_ATTR, PRV_AS_INT, PRV_ATTRS, 0);
		put_defs(out, o, WEFT_CLASS_ATTR, PRV_AS_FLOAT, PRV_ATTRS_FLOAT, 0);
		rc = put_text_types(out, o);
	}
	for (unsigned i = 0; i < PRV_OTHERS_END && !rc; i++)
		if (o->others[i]) {
			put_type(out, 0, prv_other_number[i], prv_other_names[i], 0);
			export_text(out, "\n");
		}
	weft_map_fini(&gradients);
	return rc;
}

/* -- .row -- */

static bool row_had(const struct weft_trace *t, const char *level)
{
	for (uint32_t i = 0; i < t->n_notes; i++)
		if (!strcmp(t->note[i].key, PRV_NOTE_ROW) && !strcmp(t->note[i].text, level))
			return true;
	return false;
}

static void put_level(struct export_out *out, const char *level, uint64_t n)
{
	export_text(out, "LEVEL ");
	export_text(out, level);
	export_text(out, " SIZE ");
	put_number(out, n, "\n");
}

static void put_cpus(struct export_out *out, const struct prv_out *o)
{
	const struct weft_trace *t = o->t;
	put_level(out, "CPU", o->node_first_cpu[t->n_nodes] - 1);
	for (uint32_t node = 0; node < t->n_nodes; node++) {
		uint32_t n = o->node_first_cpu[node + 1] - o->node_first_cpu[node];
		for (uint32_t i = 0; i < n; i++) {
			const struct weft_cpu *cpu = i < t->node[node].n_cpus ? &t->cpu[t->node[node].first_cpu + i] : NULL;
			if (o->from_prv || (cpu && cpu->name && *cpu->name)) {
				put_label(out, cpu && cpu->name ? cpu->name : "");
				continue;
			}
			put_number(out, cpu ? cpu->os : i, ".");
			put_label(out, t->node[node].name);
		}
	}
	export_text(out, "\n");
}

static void put_nodes(struct export_out *out, const struct prv_out *o)
{
	put_level(out, "NODE", o->t->n_nodes);
	for (uint32_t i = 0; i < o->t->n_nodes; i++)
		put_label(out, o->t->node[i].name);
	export_text(out, "\n");
}

static void put_apps(struct export_out *out, const struct prv_out *o)
{
	put_level(out, "APPL", o->t->n_apps);
	for (uint32_t i = 0; i < o->t->n_apps; i++)
		put_label(out, o->t->app[i].name);
	export_text(out, "\n");
}

static void put_tasks(struct export_out *out, const struct prv_out *o)
{
	put_level(out, "TASK", o->t->n_processes);
	for (uint32_t i = 0; i < o->t->n_processes; i++)
		put_label(out, o->t->process[i].name);
	export_text(out, "\n");
}

/* A process without threads has one in the header, and so here. */
static void put_threads(struct export_out *out, const struct prv_out *o)
{
	const struct weft_trace *t = o->t;
	uint64_t n = t->n_threads;
	for (uint32_t p = 0; p < t->n_processes; p++)
		n += !t->process[p].n_threads;
	put_level(out, "THREAD", n);
	for (uint32_t p = 0; p < t->n_processes; p++) {
		const struct weft_process *process = &t->process[p];
		if (!process->n_threads)
			export_text(out, "(no thread was recorded)\n");
		for (uint32_t i = process->first_thread; i < process->first_thread + process->n_threads; i++) {
			char z[40];
			if (!*t->thread[i].name && !o->from_prv)
				export_text(out, "THREAD ");
			put_label(out, *t->thread[i].name || o->from_prv ? t->thread[i].name : weft_thread_label(t, i, z));
		}
	}
	export_text(out, "\n");
}

/* Levels that have no objects of ours: their names are notes. */
static void put_noted(struct export_out *out, const struct prv_out *o, const char *level)
{
	const struct weft_trace *t = o->t;
	char key[PRV_NAME];
	uint64_t n = 0;
	snprintf(key, sizeof key, PRV_NOTE_ROW_NAME "%s", level);
	for (uint32_t i = 0; i < t->n_notes; i++)
		n += !strcmp(t->note[i].key, key);
	put_level(out, level, n);
	for (uint32_t i = 0; i < t->n_notes; i++)
		if (!strcmp(t->note[i].key, key))
			put_label(out, t->note[i].text);
	export_text(out, "\n");
}

void prv_out_row(const struct prv_out *o, struct export_out *out)
{
	static const struct {
		const char *level;
		void (*put)(struct export_out *out, const struct prv_out *o);
		bool always; /* also of traces that never had a .row */
	} levels[] = {
		{"WORKLOAD", NULL, false}, {"APPL", put_apps, false}, {"TASK", put_tasks, true},     {"CPU", put_cpus, true},
		{"SYSTEM", NULL, false},   {"NODE", put_nodes, true}, {"THREAD", put_threads, true},
	};
	for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
		if (o->from_prv ? !row_had(o->t, levels[i].level) : !levels[i].always)
			continue;
		if (levels[i].put)
			levels[i].put(out, o);
		else
			put_noted(out, o, levels[i].level);
	}
}
