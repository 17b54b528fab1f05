/* SPDX-License-Identifier: Apache-2.0 */
/* Options out of Extrae's settings, and its variables as a table. */
#include "record_extrae.h"
#include "link/link_counter.h"
#include "record_run.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RING_EVENT_BYTES = 24, RING_LEAST = 1 << 20 };

bool extrae_has_option(const struct record_extrae *e, const char *name)
{
	for (const struct weft_opt *o = e->known; o->kind; o++)
		if (o->name && !strcmp(o->name, name))
			return true;
	return false;
}

bool extrae_option(struct record_extrae *e, const char *name, const char *value)
{
	if (!extrae_has_option(e, name))
		return false;
	char *text = value ? weft_arena_printf(&e->arena, "--%s=%s", name, value) : weft_arena_printf(&e->arena, "--%s", name);
	if (!text || weft_vec_push(&e->option, text))
		e->no_memory = true;
	return true;
}

void extrae_remark(struct record_extrae *e, const char *fmt, ...)
{
	va_list ap;
	char text[500];
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	char *kept = weft_arena_strdup(&e->arena, text);
	if (!kept || weft_vec_push(&e->remark, kept))
		e->no_memory = true;
}

void extrae_runtime(struct record_extrae *e, const char *name, bool on, const char *where)
{
	if (record_names_runtime(name))
		extrae_option(e, on ? "on" : "off", name);
	else if (on)
		extrae_remark(e, "%s: this version of Weft does not record it", where);
}

void extrae_value(struct record_extrae *e, const char *where, const char *value, const char *option)
{
	if (*value && !extrae_option(e, option, value))
		extrae_remark(e, "%s: this version of Weft has no option --%s", where, option);
}

static bool is_counter(struct weft_str name)
{
	struct link_plans one;
	char text[LINK_COUNTER_NAME];
	int n = name.n < sizeof text ? snprintf(text, sizeof text, "%.*s", (int)name.n, name.at) : 0;
	return n > 0 && !strpbrk(text, "@/;,") && link_plans_read(text, &one, NULL) == 0;
}

/* Those that there are, of names with commas between; hexadecimal codes of native ones have no names here. */
void extrae_counters(struct record_extrae *e, const char *where, const char *value)
{
	struct weft_str rest = weft_str(value), part;
	unsigned n = 0;
	while (rest.n && weft_str_cut(&rest, ',', &part)) {
		part = weft_str_trim(part);
		if (part.n && (!is_counter(part) || n == LINK_COUNTERS_MOST))
			extrae_remark(e, "%s: %s '%.*s'", where, n == LINK_COUNTERS_MOST ? "no room for" : "there is no counter",
			              (int)part.n, part.at);
		else if (part.n)
			weft_buf_printf(&e->sets, "%s%.*s", n++ ? "," : e->sets.n ? "/" : "", (int)part.n, part.at);
	}
}

void extrae_counters_at(struct record_extrae *e, const char *category)
{
	weft_buf_printf(&e->at, "%s%s", e->at.n ? "+" : "", category);
}

void extrae_counters_of(struct record_extrae *e, const char *names)
{
	weft_buf_printf(&e->more, "%s%s", e->more.n ? "," : "", names);
}

static void end_counters(struct record_extrae *e)
{
	struct weft_buf *s = &e->sets;
	if (s->n && (e->at.n || e->turn.n))
		weft_buf_printf(s, "@%s%s%s", e->at.n ? e->at.at : "samples", e->turn.n ? ":" : "", e->turn.n ? e->turn.at : "");
	if (s->n && !s->failed)
		extrae_option(e, "counters", s->at);
	if (e->more.n) {
		weft_buf_puts(&e->more, "@1s");
		extrae_option(e, "counters", e->more.at);
	}
	e->no_memory |= s->failed || e->at.failed || e->more.failed || e->turn.failed;
	weft_buf_fini(s);
	weft_buf_fini(&e->at);
	weft_buf_fini(&e->turn);
	weft_buf_fini(&e->more);
}

void extrae_levels(struct record_extrae *e, const char *where, const char *value, const char *option)
{
	unsigned long level = 0;
	char most[24];
	for (const char *z = value; *z;) {
		char *end;
		unsigned long n = strtoul(z, &end, 10);
		level = n > level ? n : level;
		z = end > z ? end : z + 1;
	}
	snprintf(most, sizeof most, "%lu", level);
	if (level > e->callers)
		extrae_value(e, where, most, option);
	e->callers = level > e->callers ? level : e->callers;
}

void extrae_megabytes(struct record_extrae *e, const char *where, const char *value, const char *option)
{
	char text[40];
	uint64_t n;
	if (weft_parse_u64(weft_str_trim(weft_str(value)), &n) || !n || n > UINT64_MAX >> 20) {
		extrae_remark(e, "%s: '%s' is no number of megabytes", where, value);
		return;
	}
	snprintf(text, sizeof text, "%lluM", (unsigned long long)n);
	extrae_value(e, where, text, option);
}

bool extrae_time(const char *value, char *out, size_t room)
{
	static const struct {
		const char *unit, *own;
	} units[] = {{"n", "ns"}, {"ns", "ns"}, {"u", "us"}, {"us", "us"}, {"m", "ms"}, {"ms", "ms"}, {"", "ns"}, {"s", "s"}};
	size_t digits = strspn(value, "0123456789");
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (digits && digits < 20 && !strcmp(value + digits, units[i].unit)) {
			snprintf(out, room, "%.*s%s", (int)digits, value, units[i].own);
			return true;
		}
	return false;
}

void extrae_mode(struct record_extrae *e, const char *value)
{
	e->bursts = strncmp(value, "burst", 5) == 0;
}

void extrae_threshold(struct record_extrae *e, const char *where, const char *value)
{
	if (!extrae_time(value, e->threshold, sizeof e->threshold))
		extrae_remark(e, "%s: '%s' is no time", where, value);
}

bool extrae_yes(const char *text)
{
	return text && (!strcmp(text, "yes") || !strcmp(text, "1") || !strcmp(text, "true"));
}

void record_extrae_fini(struct record_extrae *e)
{
	free(e->option.at);
	free(e->remark.at);
	weft_arena_fini(&e->arena);
}

int extrae_end(struct record_extrae *e, struct weft_err *err)
{
	char size[32];
	if (e->circular) {
		uint64_t bytes = (e->buffer_events ? e->buffer_events : 500000) * RING_EVENT_BYTES;
		snprintf(size, sizeof size, "%llu", (unsigned long long)(bytes < RING_LEAST ? RING_LEAST : bytes));
		extrae_option(e, "ring", size);
	}
	end_counters(e);
	if (e->bursts)
		extrae_option(e, "bursts", *e->threshold ? e->threshold : EXTRAE_BURST);
	const char *prefix = e->prefix && *e->prefix ? e->prefix : "TRACE";
	const char *folder = e->folder && *e->folder ? e->folder : ".";
	char *name = !strcmp(folder, ".") ? weft_arena_printf(&e->arena, "%s.weft", prefix)
	                                  : weft_arena_printf(&e->arena, "%s/%s.weft", folder, prefix);
	if (!name)
		e->no_memory = true;
	else
		extrae_option(e, "output", name);
	extrae_option(e, "force", NULL);
	return e->no_memory ? weft_err_set(err, -ENOMEM, "no memory") : 0;
}

/* ---- variables ---- */

enum {
	V_DISABLE,
	V_ENABLE,
	V_OPTION,
	V_LEVELS,
	V_COUNTERS,
	V_COUNTERS_AT,
	V_COUNTERS_OF,
	V_SIZE_MB,
	V_PREFIX,
	V_FOLDER,
	V_CIRCULAR,
	V_EVENTS,
	V_NO_MERGE,
	V_MODE,
	V_THRESHOLD,
	V_NOTHING,
	V_LEFT
};
struct variable {
	const char *name; /* behind EXTRAE_ */
	int kind;
	const char *arg;
};
static const struct variable variables[] = {
	{"DISABLE_MPI", V_DISABLE, "mpi"},
	{"DISABLE_OMP", V_DISABLE, "openmp"},
	{"DISABLE_PTHREAD", V_DISABLE, "threads"},
	{"SAMPLING_PERIOD", V_OPTION, "sample-period"},
	{"MPI_CALLER", V_LEVELS, "callers"},
	{"COUNTERS", V_COUNTERS, NULL},
	{"FILE_SIZE", V_SIZE_MB, "stop-at"},
	{"PROGRAM_NAME", V_PREFIX, NULL},
	{"FINAL_DIR", V_FOLDER, NULL},
	{"DIR", V_NOTHING, NULL},
	{"CIRCULAR_BUFFER", V_CIRCULAR, NULL},
	{"BUFFER_SIZE", V_EVENTS, NULL},
	{"DISABLE_MERGE", V_NO_MERGE, NULL},
	{"ON", V_NOTHING, NULL},
	{"HOME", V_NOTHING, NULL},
	{"CONFIG_FILE", V_NOTHING, NULL},
	{"BUFFER_USE_HUGE_PAGES", V_NOTHING, NULL},
	{"GATHER_MPITS", V_NOTHING, NULL},
	{"MAX_MPI_HANDLES", V_NOTHING, NULL},
	{"OMP_LOCKS", V_NOTHING, NULL},
	{"OMP_TASKLOOP", V_NOTHING, NULL},
	{"OPENMP_HELPERS", V_NOTHING, NULL},
	{"GOMP_VERSION", V_NOTHING, NULL},
	{"SAMPLING_CALLER", V_NOTHING, NULL},
	{"SAMPLING_VARIABILITY", V_NOTHING, NULL},
	{"APPEND_PID", V_NOTHING, NULL},
	{"ENFORCE_FS_SYNC", V_NOTHING, NULL},
	{"SIGNAL_FLUSH_TERMINATE", V_NOTHING, NULL},
	{"USE_POSIX_CLOCK", V_NOTHING, NULL},
	{"SKIP_AUTO_LIBRARY_INITIALIZE", V_LEFT, "recording begins with the program"},
	{"TRACE_TYPE", V_LEFT, "the trace is Weft's own; weft convert writes others"},
	{"INITIAL_MODE", V_MODE, NULL},
	{"BURST_THRESHOLD", V_THRESHOLD, NULL},
	{"MINIMUM_TIME", V_LEFT, "a trace is kept however short"},
	{"CONTROL_FILE", V_OPTION, "while"},
	{"CONTROL_TIME", V_LEFT, "recording begins with the program"},
	{"CONTROL_GLOPS", V_LEFT, "recording begins with the program"},
	{"MPI_COUNTERS_ON", V_COUNTERS_AT, "mpi"},
	{"OMP_COUNTERS_ON", V_COUNTERS_AT, "openmp"},
	{"PTHREAD_COUNTERS_ON", V_COUNTERS_AT, "threads"},
	{"PTHREAD_LOCKS", V_ENABLE, "locks"},
	{"FUNCTIONS_COUNTERS_ON", V_COUNTERS_AT, "extrae+user"},
	{"MPI_STATISTICS", V_LEFT, "weft stat counts from the trace"},
	{"MPI_SIZE_UNIT", V_LEFT, "sizes are bytes"},
	{"COUNTERS_DOMAIN", V_LEFT, "counters count what the machine allows"},
	{"NETWORK_COUNTERS", V_COUNTERS_OF, EXTRAE_NETWORK},
	{"RUSAGE", V_COUNTERS_OF, EXTRAE_USAGE},
	{"MEMUSAGE", V_COUNTERS_OF, EXTRAE_MEMORY},
	{"UNCORE", V_LEFT, "they are not read"},
	{"FUNCTIONS", V_LEFT, "give names to --probe"},
	{"LABELS", V_LEFT, "labels stand in the trace"},
	{"SAMPLING_CLOCKTYPE", V_LEFT, "each thread is sampled by its own CPU clock"},
};

static int take_number(const struct variable *v, const char *value, uint64_t *out, struct weft_err *err)
{
	return weft_parse_u64(weft_str(value), out)
	               ? weft_err_set(err, WEFT_E_SYNTAX, "EXTRAE_%s: expected a number, found '%s'", v->name, value)
	               : 0;
}

static int take_variable(struct record_extrae *e, const struct variable *v, const char *value, struct weft_err *err)
{
	char where[64];
	snprintf(where, sizeof where, "EXTRAE_%s", v->name);
	switch (v->kind) {
	case V_DISABLE:
		extrae_runtime(e, v->arg, !extrae_yes(value), where);
		return 0;
	case V_ENABLE:
		if (extrae_yes(value))
			extrae_runtime(e, v->arg, true, where);
		return 0;
	case V_OPTION:
		extrae_value(e, where, value, v->arg);
		return 0;
	case V_LEVELS:
		extrae_levels(e, where, value, v->arg);
		return 0;
	case V_COUNTERS_AT:
		if (extrae_yes(value))
			extrae_counters_at(e, v->arg);
		return 0;
	case V_COUNTERS_OF:
		if (extrae_yes(value))
			extrae_counters_of(e, v->arg);
		return 0;
	case V_COUNTERS:
		extrae_counters(e, where, value);
		return 0;
	case V_SIZE_MB:
		extrae_megabytes(e, where, value, v->arg);
		return 0;
	case V_PREFIX:
		e->prefix = value;
		return 0;
	case V_FOLDER:
		e->folder = value;
		return 0;
	case V_CIRCULAR:
		e->circular = extrae_yes(value);
		return 0;
	case V_EVENTS:
		return take_number(v, value, &e->buffer_events, err);
	case V_NO_MERGE:
		e->merged = extrae_yes(value) ? NULL : e->merged;
		return 0;
	case V_MODE:
		extrae_mode(e, value);
		return 0;
	case V_THRESHOLD:
		extrae_threshold(e, where, value);
		return 0;
	case V_LEFT:
		extrae_remark(e, "%s: no counterpart: %s", where, v->arg);
		return 0;
	default:
		return 0;
	}
}

int record_extrae_environment(struct record_extrae *e, struct weft_err *err)
{
	char name[64];
	e->off = !extrae_yes(getenv("EXTRAE_ON"));
	e->merged = "";
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
		snprintf(name, sizeof name, "EXTRAE_%s", variables[i].name);
		const char *value = getenv(name);
		if (value && *value && take_variable(e, &variables[i], value, err))
			return err->code;
	}
	return extrae_end(e, err);
}
