/* SPDX-License-Identifier: Apache-2.0 */
/* A sample as named numbers with labels: what CSV and Prometheus have in common. One row a metric; docs/live.md lists them. */
#include "top.h"
#include <string.h>

/* Of each object of a list. */
static const struct row {
	const char *list;  /* the member of the sample */
	const char *key;   /* the number's within the object */
	const char *name;  /* the metric's */
	const char *label; /* its first label, with the object's member of that key as its value */
	const char *label_key;
	const char *second, *second_text; /* a label with a fixed value */
} rows[] = {
	{"workers", "tasks", "weft_worker_tasks_total", "worker", "name", NULL, NULL},
	{"workers", "executing_s", "weft_worker_seconds_total", "worker", "name", "state", "executing"},
	{"workers", "callback_s", "weft_worker_seconds_total", "worker", "name", "state", "callback"},
	{"workers", "sleeping_s", "weft_worker_seconds_total", "worker", "name", "state", "sleeping"},
	{"workers", "other_s", "weft_worker_seconds_total", "worker", "name", "state", "other"},
	{"codelets", "tasks", "weft_codelet_tasks_total", "codelet", "name", NULL, NULL},
	{"codelets", "time_s", "weft_codelet_seconds_total", "codelet", "name", NULL, NULL},
	{"nodes", "used_bytes", "weft_memory_used_bytes", "node", "name", NULL, NULL},
	{"nodes", "total_bytes", "weft_memory_total_bytes", "node", "name", NULL, NULL},
	{"links", "bytes", "weft_link_bytes_total", "link", "name", NULL, NULL},
	{"links", "transfers", "weft_link_transfers_total", "link", "name", NULL, NULL},
	{"links", "time_s", "weft_link_seconds_total", "link", "name", NULL, NULL},
	{"threads", "events", "weft_thread_events_total", "thread", "name", NULL, NULL},
	{"threads", "depth", "weft_thread_depth", "thread", "name", NULL, NULL},
	{"regions", "calls", "weft_region_calls_total", "region", "name", NULL, NULL},
	{"regions", "time_s", "weft_region_seconds_total", "region", "name", NULL, NULL},
	{"recorded_counters", "value", "weft_counter", "counter", "name", NULL, NULL},
	{"knobs", "value", "weft_knob", "knob", "name", NULL, NULL},
	{"data", "value", "weft_data", "name", "name", NULL, NULL},
	{"parameters", "value", "weft_parameter", "name", "name", NULL, NULL},
};

/* Of the program as a whole. */
static void flat_program(const struct pulse_value *sample, top_metric_fn emit, void *arg)
{
	static const char *const each[][3] = {{"tasks", "submitted", "weft_tasks_submitted"},
	                                      {"tasks", "ready", "weft_tasks_ready"},
	                                      {"tasks", "executed", "weft_tasks_executed_total"},
	                                      {"events", "recorded", "weft_events_total"},
	                                      {"events", "dropped", "weft_events_dropped_total"},
	                                      {"message_ends", "sent", "weft_messages_sent_total"},
	                                      {"message_ends", "received", "weft_messages_received_total"},
	                                      {"message_ends", "sent_bytes", "weft_messages_sent_bytes_total"},
	                                      {"message_ends", "received_bytes", "weft_messages_received_bytes_total"}};
	for (size_t i = 0; i < sizeof each / sizeof each[0]; i++) {
		const struct pulse_value *v = pulse_get(pulse_get(sample, each[i][0]), each[i][1]);
		if (v && v->kind == PULSE_NUMBER)
			emit(&(struct top_metric){.name = each[i][2], .number = v->number}, arg);
	}
}

static bool as_number(const struct pulse_value *v, double *number)
{
	*number = v && v->kind == PULSE_BOOL ? v->truth : v && v->kind == PULSE_NUMBER ? v->number : 0;
	return v && (v->kind == PULSE_BOOL || v->kind == PULSE_NUMBER);
}

static void flat_row(const struct row *r, const struct pulse_value *sample, top_metric_fn emit, void *arg)
{
	const struct pulse_value *list = pulse_get(sample, r->list);
	for (const struct pulse_value *v = list ? list->first : NULL; v; v = v->next) {
		struct top_metric m = {.name = r->name,
		                       .label = {r->label, r->second},
		                       .value = {pulse_text(v, r->label_key, ""), r->second_text}};
		if (as_number(pulse_get(v, r->key), &m.number))
			emit(&m, arg);
	}
}

/* A knob of workers has a value for each. */
static void flat_knobs(const struct pulse_value *knobs, top_metric_fn emit, void *arg)
{
	for (const struct pulse_value *k = knobs ? knobs->first : NULL; k; k = k->next) {
		const struct pulse_value *values = pulse_get(k, "values");
		unsigned worker = 0;
		for (const struct pulse_value *v = values ? values->first : NULL; v; v = v->next, worker++) {
			char number[16];
			snprintf(number, sizeof number, "%u", worker);
			struct top_metric m = {.name = "weft_knob",
			                       .label = {"knob", "worker"},
			                       .value = {pulse_text(k, "name", ""), number}};
			if (as_number(v, &m.number))
				emit(&m, arg);
		}
	}
}

void top_flat(const struct pulse_value *sample, top_metric_fn emit, void *arg)
{
	flat_program(sample, emit, arg);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		flat_row(&rows[i], sample, emit, arg);
	flat_knobs(pulse_get(sample, "knobs"), emit, arg);
}

/* ---- CSV ---- */

struct csv {
	FILE *to;
	double time_s;
};

static void put_quoted(FILE *to, const char *text, const char *escaped)
{
	for (; *text; text++) {
		if (*text == '\n') {
			fputs("\\n", to);
			continue;
		}
		if (strchr(escaped, *text))
			fputc(*escaped == '"' ? '"' : '\\', to);
		fputc(*text, to);
	}
}

static void emit_csv(const struct top_metric *m, void *arg)
{
	const struct csv *c = arg;
	fprintf(c->to, "%.6f,%s,\"", c->time_s, m->name);
	for (unsigned i = 0; i < 2 && m->label[i]; i++) {
		fprintf(c->to, "%s%s=", i ? " " : "", m->label[i]);
		put_quoted(c->to, m->value[i], "\"");
	}
	fprintf(c->to, "\",%.17g\n", m->number);
}

void top_flat_csv(const struct pulse_value *sample, FILE *to)
{
	struct csv c = {to, pulse_number(sample, "time_s", 0)};
	if (pulse_number(sample, "sample", 0) == 0)
		fputs("time_s,metric,labels,value\n", to);
	top_flat(sample, emit_csv, &c);
}

/* ---- Prometheus ---- */

struct prometheus {
	FILE *to;
	char last[64]; /* the metric that its type was said of */
};

static void emit_prometheus(const struct top_metric *m, void *arg)
{
	struct prometheus *p = arg;
	if (strcmp(p->last, m->name)) {
		size_t n = strlen(m->name);
		bool counts = n > 6 && strcmp(m->name + n - 6, "_total") == 0;
		fprintf(p->to, "# TYPE %s %s\n", m->name, counts ? "counter" : "gauge");
		snprintf(p->last, sizeof p->last, "%s", m->name);
	}
	fputs(m->name, p->to);
	for (unsigned i = 0; i < 2 && m->label[i]; i++) {
		fprintf(p->to, "%s%s=\"", i ? "," : "{", m->label[i]);
		put_quoted(p->to, m->value[i], "\\\"");
		fputc('"', p->to);
	}
	fprintf(p->to, "%s %.17g\n", m->label[0] ? "}" : "", m->number);
}

void top_flat_prometheus(const struct pulse_value *sample, FILE *to)
{
	struct prometheus p = {.to = to, .last = ""};
	top_flat(sample, emit_prometheus, &p);
}
