/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What values and objects are called. A window's values are of a kind: that of the outermost of its
 * functions that gives values another meaning. Functions are listed here by name; those that are
 * not keep the meaning (compose functions) or make plain numbers (all others).
 */
#include "paraver_out.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum kind {
	SAME, /* as below */
	PLAIN,
	STATE,
	EVENT_TYPE,
	EVENT_VALUE,
	APPL,
	TASK,
	THREAD,
	NODE,
	CPU,
	PARTNER,
	BYTES,
	BANDWIDTH,
	TIME,
};
struct kind_row {
	const char *name;
	enum kind kind;
};

static const struct kind_row thread_kinds[] = {
	{"State As Is", STATE},
	{"Useful", STATE},
	{"Given State", STATE},
	{"State Record Dur.", TIME},
	{"Last Evt Type", EVENT_TYPE},
	{"Next Evt Type", EVENT_TYPE},
	{"Last Evt Val", EVENT_VALUE},
	{"Last Evt Val w/o Bursts", EVENT_VALUE},
	{"Next Evt Val", EVENT_VALUE},
	{"Given Evt Val", EVENT_VALUE},
	{"Int. Between Evt", TIME},
	{"Event Bytes", BYTES},
	{"Event Sent Bytes", BYTES},
	{"Comm Size", BYTES},
	{"Comm Recv. Partner", PARTNER},
	{"Comm Partner", PARTNER},
	{"Last Send Dur.", TIME},
	{"Next Recv Dur.", TIME},
	{"Last Send Size", BYTES},
	{"Send Bytes in Transit", BYTES},
	{"Recv Bytes in Transit", BYTES},
	{"Recv Negative Bytes", BYTES},
	{"Send BandWidth", BANDWIDTH},
	{"Recv BandWidth", BANDWIDTH},
	{"Number Of Send Bytes", BYTES},
	{"Number Of Receive Bytes", BYTES},
	{"Application ID", APPL},
	{"TaskID", TASK},
	{"Thread ID", THREAD},
	{"Node ID", NODE},
	{"Cpu ID", CPU},
	{"In Appl ID", APPL},
	{"In Task ID", TASK},
	{"In Thread ID", THREAD},
	{"In Node ID", NODE},
	{"In Cpu ID", CPU},
	{NULL, PLAIN},
};
static const struct kind_row other_kinds[] = {
	{"Adding", PLAIN},
	{"AddingSign", PLAIN},
	{"Average", PLAIN},
	{"In Activity", PLAIN},
	{"Add Tasks", PLAIN},
	{"Active Thd Sign", PLAIN},
	{"Active Thd Val Sign", PLAIN},
	{"Sign", PLAIN},
	{"1-Sign", PLAIN},
	{"Is In Range", PLAIN},
	{"Is In Range [)", PLAIN},
	{"Is Equal (Sign)", PLAIN},
	{"Nesting level", PLAIN},
	{"LRU Depth", PLAIN},
	{"Enumerate", PLAIN},
	{"Divide by Burst Time", PLAIN},
	{"Burst Time", TIME},
	{"Begin Time", TIME},
	{"End Time", TIME},
	{NULL, SAME},
};
/*
 * What computes with values: what comes out is no state and no event any more, while bytes stay
 * bytes and times stay times.
 */
static const char *const arithmetic[] = {
	"Mod",   "Mod+1", "Div", "Prod", "Add",        "Subs",    "Complement", "Inverse Div", "Accumulate",
	"Delta", "sin",   "cos", "sqrt", "sqrt (abs)", "arc tan", "log N",      "exp",
};

static bool is_arithmetic(const struct weft_call *c)
{
	for (size_t i = 0; c->func && i < sizeof arithmetic / sizeof *arithmetic; i++)
		if (!strcmp(arithmetic[i], c->func->name))
			return true;
	return false;
}

static bool is_computed(const struct weft_metric *m)
{
	bool computed = is_arithmetic(&m->top[0]) || is_arithmetic(&m->top[1]);
	for (uint32_t i = 0; i < m->n_extra && !computed; i++)
		computed = is_arithmetic(&m->extra[i]);
	for (enum weft_level l = m->level; !computed; l++) {
		computed = is_arithmetic(&m->compose[l]);
		if (l == weft_metric_base(m))
			break;
	}
	return computed;
}

/* What the kind is of values that were computed with. */
static enum kind kind_computed(enum kind k)
{
	return k == STATE || k == EVENT_TYPE || k == EVENT_VALUE ? PLAIN : k;
}

static enum kind kind_in(const struct kind_row *table, const struct weft_call *c)
{
	for (; table->name && c->func; table++)
		if (!strcmp(table->name, c->func->name))
			return table->kind;
	return table->name ? SAME : table->kind;
}

static enum kind kind_of(const struct weft_metric *m, const struct weft_metric **of, unsigned *most);
static enum kind kind_of_functions(const struct weft_metric *m, const struct weft_metric **of, unsigned *most);

static enum kind kind_of_parents(const struct weft_metric *m, const struct weft_metric **of, unsigned *most)
{
	enum kind k = kind_in(other_kinds, &m->operation);
	if (k != SAME)
		return k;
	for (int i = 0; i < 2 && *most; i++) {
		--*most;
		k = kind_of(m->parent[i], of, most);
		if (k != PLAIN)
			return k;
	}
	return PLAIN;
}

/*
 * The kind of the metric's values; *of: the single metric that they come from. most: how many
 * parents are looked at, of metrics that may have the same ones over and over.
 */
static enum kind kind_of(const struct weft_metric *m, const struct weft_metric **of, unsigned *most)
{
	enum kind k = kind_of_functions(m, of, most);
	return is_computed(m) ? kind_computed(k) : k;
}

static enum kind kind_of_functions(const struct weft_metric *m, const struct weft_metric **of, unsigned *most)
{
	*of = m;
	enum kind k = SAME;
	for (uint32_t i = m->n_extra; i-- > 0 && k == SAME;)
		k = kind_in(other_kinds, &m->extra[i]);
	for (int i = 0; i < 2 && k == SAME; i++)
		k = kind_in(other_kinds, &m->top[i]);
	enum weft_level base = weft_metric_base(m);
	for (enum weft_level l = m->level; k == SAME; l++) {
		k = kind_in(other_kinds, &m->compose[l]);
		if (l == base || k != SAME)
			break;
		k = kind_in(other_kinds, &m->of_level[l]);
	}
	if (k != SAME)
		return k;
	if (m->parent[0])
		return kind_of_parents(m, of, most);
	if (base == WEFT_CPU) {
		k = kind_in(other_kinds, &m->of_level[WEFT_CPU]);
		if (k == SAME)
			k = kind_in(other_kinds, &m->compose[WEFT_THREAD]);
		if (k != SAME)
			return k;
	}
	return kind_in(thread_kinds, &m->of_level[WEFT_THREAD]);
}

/* ---- objects ---- */

/* The name that the .row gives; a name that our reader made up is none. */
static bool has_names(const struct weft_trace *t, enum weft_level level)
{
	static const char *const word[WEFT_LEVELS] = {"WORKLOAD", "APPL", "TASK", "THREAD", "SYSTEM", "NODE", "CPU"};
	if (strcmp(t->format, "prv") != 0)
		return true;
	for (uint32_t i = 0; i < t->n_notes; i++)
		if (!strcmp(t->note[i].key, "prv.row") && !strcmp(t->note[i].text, word[level]))
			return true;
	return false;
}

void weft_object_label(const struct weft_space *s, enum weft_level level, uint32_t object, struct weft_buf *out)
{
	const struct weft_trace *t = s->trace;
	char label[40];
	const char *name = level == WEFT_APPL     ? t->app[object].name
	                   : level == WEFT_TASK   ? t->process[object].name
	                   : level == WEFT_THREAD ? t->thread[object].name
	                   : level == WEFT_NODE   ? t->node[object].name
	                   : level == WEFT_CPU    ? t->cpu[object].name
	                                          : NULL;
	if (name && *name && has_names(t, level)) {
		weft_buf_puts(out, name);
	} else if (level == WEFT_SYSTEM && t->n_nodes && !strcmp(t->format, "prv") && has_names(t, WEFT_NODE)) {
		weft_buf_puts(out, t->node[0].name); /* as the tool, whose list of nodes begins where that of systems would */
	} else if (level == WEFT_WORKLOAD || level == WEFT_SYSTEM) {
		weft_buf_puts(out, level == WEFT_WORKLOAD ? "WORKLOAD" : "SYSTEM");
	} else if (level == WEFT_THREAD) {
		weft_buf_printf(out, "THREAD %s", weft_thread_label(t, object, label));
	} else if (level == WEFT_TASK) {
		const struct weft_process *p = &t->process[object];
		weft_buf_printf(out, "TASK %u.%u", p->app + 1, object - t->app[p->app].first_process + 1);
	} else if (level == WEFT_CPU) {
		uint32_t node = t->cpu[object].node;
		weft_buf_printf(out, "CPU %u.%u", node + 1, object - t->node[node].first_cpu + 1);
	} else {
		weft_buf_printf(out, "%s %u", level == WEFT_APPL ? "APPL" : "NODE", object + 1);
	}
}

/* ---- values ---- */

void weft_grouped(double v, unsigned decimals, struct weft_buf *out)
{
	char z[400];
	int n = snprintf(z, sizeof z, "%.*f", (int)decimals, v);
	int whole = (int)strcspn(z, ".");
	for (int i = 0; i < n; i++) {
		weft_buf_putc(out, z[i]);
		int left = whole - 1 - i;
		if (left > 0 && left % 3 == 0 && z[i] >= '0' && z[i] <= '9')
			weft_buf_putc(out, ',');
	}
}

static void put_object(const struct weft_space *s, enum weft_level level, double v, struct weft_buf *out)
{
	static const char *const word[WEFT_LEVELS] = {"workload", "appl", "task", "thread", "system", "node", "cpu"};
	if (v >= 1 && v <= weft_level_size(s, level))
		weft_object_label(s, level, (uint32_t)v - 1, out);
	else /* the tool counts objects in 16 bits */
		weft_buf_printf(out, "Not valid %s: %u", word[level], (uint16_t)((int64_t)v - 1) + 1u);
}

static const struct weft_def_row *find_code(const struct weft_def_table *d, uint32_t code)
{
	for (uint32_t i = 1; i < d->n; i++)
		if ((uint32_t)d->at[i].code == code)
			return &d->at[i];
	return NULL;
}

static void put_state(const struct weft_space *s, double v, struct weft_buf *out)
{
	const struct weft_def_row *d = find_code(&s->trace->def[WEFT_CLASS_STATE], (uint32_t)v);
	if (d)
		weft_buf_puts(out, d->name);
	else
		weft_buf_printf(out, "Unknown state %.0f", v);
}

static void put_event_type(const struct weft_space *s, double v, struct weft_buf *out)
{
	const struct weft_def_row *d = find_code(&s->trace->def[WEFT_CLASS_TYPE], (uint32_t)v);
	if (d)
		weft_buf_puts(out, d->name);
	else
		weft_buf_printf(out, "type %.0f", v);
}

static bool is_unnamed(const struct weft_def_row *type)
{
	char z[40];
	snprintf(z, sizeof z, "type %u", (uint32_t)type->code);
	return !strcmp(z, type->name);
}

/*
 * The label that the first type, by number, has for this value; of those that the test lets through
 * (NULL: of all). *known: whether there is such a type that has a name.
 */
static const char *value_label(const struct weft_space *s, const struct weft_test *of, double v, bool *known)
{
	const struct weft_def_table *d = &s->trace->def[WEFT_CLASS_TYPE];
	const char *best = NULL;
	uint32_t best_code = 0;
	*known = false;
	for (uint32_t i = 1; i < d->n; i++) {
		uint32_t code = (uint32_t)d->at[i].code;
		if (of && !weft_test_passes(of, code))
			continue;
		*known |= !is_unnamed(&d->at[i]);
		if (best && code >= best_code)
			continue;
		const char *label = weft_value_label(&d->at[i], (int64_t)v);
		if (label) {
			best = label;
			best_code = code;
		}
	}
	return best;
}

/* Types that nobody knows borrow the labels of all others. */
static void put_event_value(const struct weft_space *s, const struct weft_metric *m, double v, struct weft_buf *out)
{
	bool known, any;
	const char *label = value_label(s, &m->filter.test[WEFT_OF_TYPE], v, &known);
	if (!label && !known)
		label = value_label(s, NULL, v, &any);
	if (label)
		weft_buf_puts(out, label);
	else {
		weft_buf_puts(out, "value ");
		weft_grouped(v, v == floor(v) ? 0 : 2, out);
	}
}

static const char *const unit_words[WEFT_UNITS] = {"ns", "us", "ms", "s", "min", "hours", "days"};
static const char *const bandwidth_words[WEFT_UNITS] = {"GB/sec",    "MB/sec",     "KB/sec",   "bytes/sec",
                                                        "bytes/min", "bytes/hour", "bytes/day"};

static void put_value(const struct weft_space *s, const struct weft_metric *m, double v, struct weft_buf *out)
{
	const struct weft_metric *of;
	enum weft_level partner = weft_level_of_resources(m->level) ? WEFT_CPU : WEFT_THREAD;
	unsigned most = 4096;
	switch (kind_of(m, &of, &most)) {
	case STATE:
		put_state(s, v, out);
		break;
	case EVENT_TYPE:
		put_event_type(s, v, out);
		break;
	case EVENT_VALUE:
		put_event_value(s, of, v, out);
		break;
	case APPL:
		put_object(s, WEFT_APPL, v, out);
		break;
	case TASK:
		put_object(s, WEFT_TASK, v, out);
		break;
	case THREAD:
		put_object(s, WEFT_THREAD, v, out);
		break;
	case NODE:
		put_object(s, WEFT_NODE, v, out);
		break;
	case CPU:
		put_object(s, WEFT_CPU, v, out);
		break;
	case PARTNER:
		put_object(s, partner, v, out);
		break;
	case BYTES:
		weft_grouped(v, v == floor(v) ? 0 : 2, out);
		weft_buf_puts(out, " bytes");
		break;
	case BANDWIDTH:
		weft_grouped(v, 2, out);
		weft_buf_printf(out, " %s", bandwidth_words[m->unit]);
		break;
	case TIME:
		weft_grouped(v, 2, out);
		weft_buf_printf(out, " %s", unit_words[m->unit]);
		break;
	default:
		weft_grouped(v, v == floor(v) ? 0 : 2, out);
	}
}

/* Takes what stands in brackets out of [from, n). */
static void drop_brackets(struct weft_buf *b, size_t from)
{
	size_t to = from;
	int depth = 0;
	for (size_t i = from; i < b->n; i++) {
		depth += b->at[i] == '[';
		if (!depth)
			b->at[to++] = b->at[i];
		depth -= b->at[i] == ']' && depth;
	}
	if (to < b->n) {
		b->n = to;
		b->at[to] = 0;
	}
}

void weft_value_name(const struct weft_space *s, const struct weft_window *w, const struct weft_view *v, double value,
                     bool is_short, struct weft_buf *out)
{
	size_t from = out->n;
	(void)v;
	put_value(s, &w->metric, value, out);
	if (is_short)
		drop_brackets(out, from);
}
