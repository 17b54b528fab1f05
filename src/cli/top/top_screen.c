/* SPDX-License-Identifier: Apache-2.0 */
/* A sample for a person: tasks, workers, codelets, memory, shown values, what can be turned. Rates are since the sample before. */
#include "top.h"
#include <string.h>

static double rate_of(double now, double before, double seconds)
{
	return seconds > 0 && now > before ? (now - before) / seconds : 0;
}

static const struct pulse_value *same_in(const struct pulse_value *last, const char *list, const char *name)
{
	const struct pulse_value *all = pulse_get(last, list);
	for (const struct pulse_value *v = all ? all->first : NULL; v; v = v->next)
		if (!strcmp(pulse_text(v, "name", ""), name))
			return v;
	return NULL;
}

/* ---- history ---- */

static void screen_remember(struct top_history *h, double v)
{
	if (h->n == TOP_HISTORY)
		memmove(h->at, h->at + 1, --h->n * sizeof h->at[0]);
	h->at[h->n++] = v;
}

static void draw_history(const struct top_history *h, FILE *to)
{
	static const char *const bars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	double most = 0;
	for (unsigned i = 0; i < h->n; i++)
		most = h->at[i] > most ? h->at[i] : most;
	for (unsigned i = 0; i < h->n; i++)
		fputs(bars[most > 0 ? (unsigned)(h->at[i] / most * 7.0 + 0.5) : 0], to);
}

static void draw_bar(double share, unsigned width, FILE *to)
{
	unsigned full = (unsigned)((share < 0 ? 0 : share > 1 ? 1 : share) * width + 0.5);
	for (unsigned i = 0; i < width; i++)
		fputs(i < full ? "█" : "·", to);
}

/* ---- what can be turned: parameters, then knobs, those of workers once for each ---- */

struct item {
	const struct pulse_value *of;
	const struct pulse_value *value;
	int worker; /* -1: nobody's in particular */
	bool is_knob;
};

static bool item_at(const struct pulse_value *sample, unsigned which, struct item *out)
{
	const struct pulse_value *parameters = pulse_get(sample, "parameters"), *knobs = pulse_get(sample, "knobs");
	for (const struct pulse_value *p = parameters ? parameters->first : NULL; p; p = p->next) {
		*out = (struct item){p, pulse_get(p, "value"), -1, false};
		if (which-- == 0)
			return true;
	}
	for (const struct pulse_value *k = knobs ? knobs->first : NULL; k; k = k->next) {
		const struct pulse_value *values = pulse_get(k, "values"), *v = values ? values->first : pulse_get(k, "value");
		for (int worker = values ? 0 : -1; v; v = values ? v->next : NULL, worker++) {
			*out = (struct item){k, v, worker, true};
			if (which-- == 0)
				return true;
		}
	}
	return false;
}

unsigned top_screen_items(const struct pulse_value *sample)
{
	struct item i;
	unsigned n = 0;
	while (item_at(sample, n, &i))
		n++;
	return n;
}

static double step_of(const struct item *i)
{
	if (i->is_knob)
		return strstr(pulse_text(i->of, "type", ""), "int") ? 1 : 0.1;
	double range = pulse_number(i->of, "max", 0) - pulse_number(i->of, "min", 0);
	bool whole = strcmp(pulse_text(i->of, "type", ""), "float") != 0;
	return whole && range / 20 < 1 ? 1 : whole ? (double)(long)(range / 20) : range / 20;
}

bool top_screen_turn(const struct top_screen *s, int direction, char *command, size_t size)
{
	struct item i;
	if (!item_at(s->last, s->selected, &i) || !i.value || i.value->kind != PULSE_NUMBER)
		return false;
	double value = i.value->number + direction * step_of(&i);
	const char *name = pulse_text(i.of, "name", "");
	if (!i.is_knob)
		snprintf(command, size, "set %s %.12g", name, value);
	else if (i.worker < 0)
		snprintf(command, size, "knob %s %.12g", name, value);
	else
		snprintf(command, size, "knob %s %.12g %d", name, value, i.worker);
	return true;
}

static void draw_items(const struct top_screen *s, const struct pulse_value *sample, FILE *to)
{
	struct item i;
	for (unsigned n = 0; item_at(sample, n, &i); n++) {
		char who[32] = "";
		if (!n)
			fputs("\n  to turn (↑ ↓ choose, + - turn)\n", to);
		if (i.worker >= 0)
			snprintf(who, sizeof who, "worker %d", i.worker);
		bool is_chosen = s->colors && n == s->selected;
		fprintf(to, "%s %-44.44s %-12s %g%s\n", is_chosen ? "\033[7m>" : " ", pulse_text(i.of, "name", ""), who,
		        i.value && i.value->kind == PULSE_NUMBER ? i.value->number : 0, is_chosen ? "\033[0m" : "");
	}
}

/* ---- parts of the screen ---- */

static void draw_workers(const struct pulse_value *sample, const struct pulse_value *last, double seconds, FILE *to)
{
	const struct pulse_value *workers = pulse_get(sample, "workers");
	fprintf(to, "\n  %-24s %-10s %-20s %8s %9s  %s\n", "worker", "is", "codelet", "tasks/s", "tasks", "executing");
	for (const struct pulse_value *w = workers ? workers->first : NULL; w; w = w->next) {
		const struct pulse_value *before = same_in(last, "workers", pulse_text(w, "name", ""));
		double share = rate_of(pulse_number(w, "executing_s", 0), pulse_number(before, "executing_s", 0), seconds);
		double tasks = rate_of(pulse_number(w, "tasks", 0), pulse_number(before, "tasks", 0), seconds);
		fprintf(to, "  %-24.24s %-10s %-20.20s %8.0f %9.0f  ", pulse_text(w, "name", ""), pulse_text(w, "state", ""),
		        pulse_text(w, "codelet", "-"), before ? tasks : 0, pulse_number(w, "tasks", 0));
		draw_bar(before ? share : 0, 20, to);
		fprintf(to, " %3.0f %%\n", before ? (share > 1 ? 1 : share) * 100 : 0);
	}
}

static void draw_codelets(const struct pulse_value *sample, FILE *to)
{
	const struct pulse_value *list = pulse_get(sample, "codelets");
	double all = 0;
	for (const struct pulse_value *c = list ? list->first : NULL; c; c = c->next)
		all += pulse_number(c, "time_s", 0);
	if (list && list->first)
		fprintf(to, "\n  %-32s %9s %12s %12s %7s\n", "codelet", "tasks", "time", "a task", "share");
	for (const struct pulse_value *c = list ? list->first : NULL; c; c = c->next) {
		double time = pulse_number(c, "time_s", 0), tasks = pulse_number(c, "tasks", 0);
		fprintf(to, "  %-32.32s %9.0f %10.3f s %9.1f us %5.1f %%\n", pulse_text(c, "name", ""), tasks, time,
		        tasks > 0 ? time / tasks * 1e6 : 0, all > 0 ? time / all * 100 : 0);
	}
}

static void draw_nodes(const struct pulse_value *sample, FILE *to)
{
	const struct pulse_value *list = pulse_get(sample, "nodes");
	for (const struct pulse_value *n = list ? list->first : NULL; n; n = n->next) {
		double total = pulse_number(n, "total_bytes", 0);
		fprintf(to, "%s  %-24s %9.1f MB", n == list->first ? "\n  memory\n" : "", pulse_text(n, "name", ""),
		        pulse_number(n, "used_bytes", 0) / 1e6);
		if (total > 0)
			fprintf(to, " of %.1f MB", total / 1e6);
		fputc('\n', to);
	}
}

/* Rates are since the sample before; how much goes over a link while it is busy is over all that was watched. */
static void draw_links(const struct pulse_value *sample, const struct pulse_value *last, double seconds, FILE *to)
{
	const struct pulse_value *list = pulse_get(sample, "links");
	if (list && list->first)
		fprintf(to, "\n  %-32s %12s %12s %10s  %s\n", "between memories", "MB", "MB/s", "transfers", "busy");
	for (const struct pulse_value *v = list ? list->first : NULL; v; v = v->next) {
		const struct pulse_value *before = same_in(last, "links", pulse_text(v, "name", ""));
		double bytes = pulse_number(v, "bytes", 0), rate = rate_of(bytes, pulse_number(before, "bytes", 0), seconds);
		double busy = rate_of(pulse_number(v, "time_s", 0), pulse_number(before, "time_s", 0), seconds);
		fprintf(to, "  %-32.32s %12.1f %12.1f %10.0f  %3.0f %%\n", pulse_text(v, "name", ""), bytes / 1e6,
		        before ? rate / 1e6 : 0, pulse_number(v, "transfers", 0), before ? busy * 100 : 0);
	}
}

static void draw_data(const struct pulse_value *sample, FILE *to)
{
	const struct pulse_value *list = pulse_get(sample, "data");
	for (const struct pulse_value *d = list ? list->first : NULL; d; d = d->next) {
		double value = pulse_number(d, "value", 0), min = pulse_number(d, "min", 0), max = pulse_number(d, "max", 0);
		const struct pulse_value *v = pulse_get(d, "value"), *active = pulse_get(d, "active");
		if (active && !active->truth)
			continue;
		fprintf(to, "%s  %-32.32s ", d == list->first ? "\n  the program's values\n" : "", pulse_text(d, "name", ""));
		if (v && v->kind == PULSE_BOOL)
			fprintf(to, "%s\n", v->truth ? "yes" : "no");
		else if (!v || v->kind != PULSE_NUMBER)
			fputs("-\n", to);
		else {
			draw_bar(max > min ? (value - min) / (max - min) : 0, 20, to);
			fprintf(to, " %g\n", value);
		}
	}
}

static void draw_head(struct top_screen *s, const struct pulse_value *sample, double seconds, FILE *to)
{
	const struct pulse_value *tasks = pulse_get(sample, "tasks"), *before = pulse_get(s->last, "tasks");
	const char *waits = pulse_text(sample, "waits_for_start", NULL);
	double executed = pulse_number(tasks, "executed", 0);
	double rate = before ? rate_of(executed, pulse_number(before, "executed", 0), seconds) : 0;
	screen_remember(&s->executed, rate);
	screen_remember(&s->ready, pulse_number(tasks, "ready", 0));
	fprintf(to, "%s (%.0f) runs for %.1f s: %.0f tasks submitted, %.0f ready, %.0f executed since somebody looks\n",
	        pulse_text(sample, "program", "?"), pulse_number(sample, "pid", 0), pulse_number(sample, "time_s", 0),
	        pulse_number(tasks, "submitted", 0), pulse_number(tasks, "ready", 0), executed);
	if (waits)
		fprintf(to, "'%s' waits to be started (s, or weft top --start)\n", waits);
	fprintf(to, "\n  executed a second %10.0f ", rate);
	draw_history(&s->executed, to);
	fprintf(to, "\n  ready             %10.0f ", pulse_number(tasks, "ready", 0));
	draw_history(&s->ready, to);
	fputc('\n', to);
}

/* ---- a program that merely records ---- */

static void draw_recorded_head(struct top_screen *s, const struct pulse_value *sample, double seconds, FILE *to)
{
	const struct pulse_value *events = pulse_get(sample, "events"), *before = pulse_get(s->last, "events");
	const struct pulse_value *ends = pulse_get(sample, "message_ends");
	double recorded = pulse_number(events, "recorded", 0);
	double rate = before ? rate_of(recorded, pulse_number(before, "recorded", 0), seconds) : 0;
	screen_remember(&s->executed, rate);
	fprintf(to, "%s (%.0f) records for %.1f s: %.0f events, %.0f dropped\n\n  events a second   %10.0f ",
	        pulse_text(sample, "program", "?"), pulse_number(sample, "pid", 0), pulse_number(sample, "time_s", 0), recorded,
	        pulse_number(events, "dropped", 0), rate);
	draw_history(&s->executed, to);
	if (pulse_number(ends, "sent", 0) + pulse_number(ends, "received", 0) > 0)
		fprintf(to, "\n  messages          %10.0f sent (%.1f MB), %.0f received (%.1f MB)", pulse_number(ends, "sent", 0),
		        pulse_number(ends, "sent_bytes", 0) / 1e6, pulse_number(ends, "received", 0),
		        pulse_number(ends, "received_bytes", 0) / 1e6);
	fputc('\n', to);
}

static void draw_threads(const struct pulse_value *sample, const struct pulse_value *last, double seconds, FILE *to)
{
	const struct pulse_value *list = pulse_get(sample, "threads");
	fprintf(to, "\n  %-24s %8s  %-32s %9s %10s\n", "thread", "id", "is in", "for", "events/s");
	for (const struct pulse_value *t = list ? list->first : NULL; t; t = t->next) {
		const struct pulse_value *before = same_in(last, "threads", pulse_text(t, "name", ""));
		double rate = rate_of(pulse_number(t, "events", 0), pulse_number(before, "events", 0), seconds);
		fprintf(to, "  %-24.24s %8.0f  %-32.32s %7.2f s %10.0f\n", pulse_text(t, "name", ""), pulse_number(t, "id", 0),
		        pulse_text(t, "region", "-"), pulse_number(t, "since_s", 0), before ? rate : 0);
	}
}

enum { REGIONS_SHOWN = 20 };

/* Into a list of those with the most time of their own, the first one with most. The count. */
static unsigned rank_region(const struct pulse_value **shown, unsigned n, const struct pulse_value *r)
{
	double time = pulse_number(r, "time_s", 0);
	unsigned at = n;
	if (n == REGIONS_SHOWN && pulse_number(shown[n - 1], "time_s", 0) >= time)
		return n;
	if (n == REGIONS_SHOWN)
		at = --n;
	for (; at > 0 && pulse_number(shown[at - 1], "time_s", 0) < time; at--)
		shown[at] = shown[at - 1];
	shown[at] = r;
	return n + 1;
}

static void draw_regions(const struct pulse_value *sample, FILE *to)
{
	const struct pulse_value *list = pulse_get(sample, "regions"), *shown[REGIONS_SHOWN];
	unsigned n = 0;
	double all = 0;
	for (const struct pulse_value *r = list ? list->first : NULL; r; r = r->next) {
		n = rank_region(shown, n, r);
		all += pulse_number(r, "time_s", 0);
	}
	if (n)
		fprintf(to, "\n  %-40s %10s %12s %12s %7s\n", "region", "calls", "own time", "a call", "share");
	for (unsigned i = 0; i < n; i++) {
		double time = pulse_number(shown[i], "time_s", 0), calls = pulse_number(shown[i], "calls", 0);
		fprintf(to, "  %-40.40s %10.0f %10.3f s %9.1f us %5.1f %%\n", pulse_text(shown[i], "name", ""), calls, time,
		        calls > 0 ? time / calls * 1e6 : 0, all > 0 ? time / all * 100 : 0);
	}
}

static void draw_counters(const struct pulse_value *sample, FILE *to)
{
	const struct pulse_value *list = pulse_get(sample, "recorded_counters");
	for (const struct pulse_value *c = list ? list->first : NULL; c; c = c->next)
		fprintf(to, "%s  %-40.40s %g\n", c == list->first ? "\n  counters\n" : "", pulse_text(c, "name", ""),
		        pulse_number(c, "value", 0));
}

static void draw_recorded(struct top_screen *s, const struct pulse_value *sample, double seconds, FILE *to)
{
	draw_recorded_head(s, sample, seconds, to);
	draw_threads(sample, s->last, seconds, to);
	draw_regions(sample, to);
	draw_counters(sample, to);
}

static void draw_tasks(struct top_screen *s, const struct pulse_value *sample, double seconds, FILE *to)
{
	draw_head(s, sample, seconds, to);
	draw_workers(sample, s->last, seconds, to);
	draw_codelets(sample, to);
	draw_nodes(sample, to);
	draw_links(sample, s->last, seconds, to);
	draw_data(sample, to);
	draw_items(s, sample, to);
}

/* ---- the whole ---- */

const struct pulse_value *top_screen_read(struct top_screen *s, const char *line, size_t n)
{
	struct weft_err err = {0};
	struct pulse_value *v;
	struct weft_arena *arena = &s->arena[s->turn];
	weft_arena_fini(arena);
	return pulse_read(line, n, arena, &v, &err) || v->kind != PULSE_OBJECT ? NULL : v;
}

void top_screen_draw(struct top_screen *s, const struct pulse_value *sample, FILE *to)
{
	double seconds = pulse_number(sample, "time_s", 0) - pulse_number(s->last, "time_s", 0);
	unsigned items = top_screen_items(sample);
	s->selected = s->selected < items ? s->selected : items ? items - 1 : 0;
	if (s->colors)
		fputs("\033[H\033[J", to);
	(pulse_get(sample, "threads") ? draw_recorded : draw_tasks)(s, sample, seconds, to);
	if (s->message[0])
		fprintf(to, "\n%s\n", s->message);
	if (!s->colors)
		fputc('\n', to);
	fflush(to);
}

void top_screen_fini(struct top_screen *s)
{
	weft_arena_fini(&s->arena[0]);
	weft_arena_fini(&s->arena[1]);
}
