/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters over the channel: none is counted until somebody asks for it by name, and none any more when nobody looks. And iterations, as the
 * program says them: each begin and end is worth a look.
 */
#include "live_runtime.h"
#include "pulse/pulse.h"
#include "runtime/monitor/counter.h"
#include "runtime/monitor/monitor.h"
#include "base/clock.h"
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- counters ---- */

static void sample_codelet(struct counter_codelet *c, void *arg)
{
	struct weft_json *j = ((void **)arg)[0];
	unsigned at = *(const unsigned *)((void **)arg)[1];
	weft_json_object(j);
	live_add_text(j, "name", c->name);
	live_add_number(j, "value", counter_value(at, 0, c));
	weft_json_end(j);
}

static void sample_counter(struct weft_json *j, unsigned at)
{
	const struct monitor_item *i = &counter_items.item[at];
	weft_json_object(j);
	live_add_text(j, "name", i->name);
	live_add_text(j, "scope", monitor_scope_name(&counter_items, i->scope));
	if (i->scope == starpu_perf_counter_scope_global) {
		live_add_number(j, "value", counter_value(at, 0, NULL));
	} else if (i->scope == starpu_perf_counter_scope_per_worker) {
		weft_json_key(j, "values");
		weft_json_array(j);
		for (unsigned worker = 0; worker < rt_machine.n_workers; worker++)
			weft_json_double(j, counter_value(at, worker, NULL));
		weft_json_end(j);
	} else {
		weft_json_key(j, "codelets");
		weft_json_array(j);
		counter_each_codelet(sample_codelet, (void *[]){j, &at});
		weft_json_end(j);
	}
	weft_json_end(j);
}

void live_counters_sample(struct weft_json *j)
{
	monitor_lock();
	weft_json_key(j, "counters");
	weft_json_array(j);
	for (unsigned at = 0; at < counter_items.n && monitor_is_up(); at++)
		if (counter_is_looked_at(at))
			sample_counter(j, at);
	weft_json_end(j);
	monitor_unlock();
}

int live_count(const char *name, struct weft_err *err)
{
	unsigned at = 0;
	while (at < counter_items.n && strcmp(counter_items.item[at].name, name) != 0)
		at++;
	if (at == counter_items.n)
		return weft_err_set(err, -ENOENT, "there is no counter '%s'", name);
	monitor_lock();
	bool is_up = monitor_is_up();
	if (is_up)
		counter_look(at);
	monitor_unlock();
	return is_up ? 0 : weft_err_set(err, -ESHUTDOWN, "the runtime is about to end");
}

void live_counters_end(void)
{
	monitor_lock();
	if (monitor_is_up())
		counter_look_away();
	monitor_unlock();
}

/* ---- iterations ---- */

/*
 * Of the last begin and the last end: which iteration it was, when, and the counters at that instant, as JSON. The thread that says them makes the
 * text, so that what is submitted before the channel's thread looks is in none of it.
 */
struct instant {
	char *text; /* owned; NULL: there was none */
	size_t n;
};

static struct {
	pthread_mutex_t lock;
	unsigned long number; /* of the one that began last */
	uint64_t begun, ended;
	struct instant at[2]; /* of the end, of the begin */
} iterations = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct instant make_instant(unsigned long number)
{
	struct instant i = {.text = NULL};
	struct weft_json j;
	FILE *to = open_memstream(&i.text, &i.n);
	if (!to)
		return i;
	weft_json_init(&j, to, false);
	weft_json_object(&j);
	live_add_count(&j, "number", number);
	live_add_count(&j, "at_ns", weft_monotonic_ns());
	live_counters_sample(&j);
	weft_json_end(&j);
	fclose(to);
	while (i.text && i.n && i.text[i.n - 1] == '\n')
		i.n--;
	return i;
}

static void iteration_told(unsigned long number, bool begins)
{
	struct instant now = make_instant(number);
	pthread_mutex_lock(&iterations.lock);
	/* The end of one that began before anybody looked is none. */
	bool counts = begins || iterations.ended < iterations.begun;
	if (counts) {
		struct instant before = iterations.at[begins];
		iterations.at[begins] = now;
		now = before;
		*(begins ? &iterations.begun : &iterations.ended) += 1;
		iterations.number = begins ? number : iterations.number;
	}
	pthread_mutex_unlock(&iterations.lock);
	free(now.text);
	pulse_poke();
}

void live_iterations_watch(bool on)
{
	void (*told)(unsigned long number, bool begins) = iteration_told;
	void *watcher = NULL;
	if (on)
		memcpy(&watcher, &told, sizeof watcher);
	weft_store_ptr(&rt_iteration_watcher, watcher);
	/* Of looks before this one nothing is left open. */
	pthread_mutex_lock(&iterations.lock);
	iterations.ended = iterations.begun;
	pthread_mutex_unlock(&iterations.lock);
}

static void sample_instant(struct weft_json *j, const char *key, const struct instant *i)
{
	weft_json_key(j, key);
	if (i->text)
		weft_json_text(j, i->text, i->n);
	else
		weft_json_null(j);
}

void live_iterations_sample(struct weft_json *j)
{
	pthread_mutex_lock(&iterations.lock);
	weft_json_key(j, "iterations");
	weft_json_object(j);
	live_add_count(j, "number", iterations.number);
	live_add_count(j, "begun", iterations.begun);
	live_add_count(j, "ended", iterations.ended);
	sample_instant(j, "at_begin", &iterations.at[true]);
	sample_instant(j, "at_end", &iterations.at[false]);
	weft_json_end(j);
	pthread_mutex_unlock(&iterations.lock);
}
