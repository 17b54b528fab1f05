/* SPDX-License-Identifier: Apache-2.0 */
/*
 * StarPU-Top's functions: lists of shown values and of parameters, which only grow, the last previsions and messages, and a word that
 * says whether the program was started. One lock for all of it; hooks are called without. A parameter lies in the program, which reads
 * it when it likes: it is written whole.
 */
#include "live_runtime.h"
#include "pulse/pulse.h"
#include "runtime/task/complain.h"
#include "runtime/task/machine.h"
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <starpu.h>
#include <starpu_top.h>

enum { PREVISIONS = 64, MESSAGES = 16, MESSAGE = 160 };

struct shown {
	struct starpu_top_data data;
	double value;
	bool was_set;
};

static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct starpu_top_data *data, **data_end;
	struct starpu_top_param *param, **param_end;
	unsigned n_data, n_params;
	char *waiting; /* for whom the program waits: its name, or a message; NULL: it does not */
	bool has_ended;
	struct prevision {
		unsigned long id;
		int worker;
		unsigned long long start, end;
		char name[64];
	} prevision[PREVISIONS];
	char message[MESSAGES][MESSAGE];
	uint64_t n_previsions, n_messages;
} top = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

/* ---- what is shown ---- */

static struct starpu_top_data *add_data(const struct starpu_top_data *what)
{
	struct shown *s = calloc(1, sizeof *s);
	char *name = s ? strdup(what->name ? what->name : "unnamed") : NULL;
	if (!name) {
		free(s);
		return NULL;
	}
	s->data = *what;
	s->data.name = name;
	pthread_mutex_lock(&top.lock);
	s->data.id = top.n_data++;
	*(top.data_end ? top.data_end : &top.data) = &s->data;
	top.data_end = &s->data.next;
	pthread_mutex_unlock(&top.lock);
	return &s->data;
}

struct starpu_top_data *starpu_top_add_data_boolean(const char *data_name, int active)
{
	return add_data(&(struct starpu_top_data){.name = data_name,
	                                          .int_max_value = 1,
	                                          .double_max_value = 1,
	                                          .active = active,
	                                          .type = STARPU_TOP_DATA_BOOLEAN});
}

struct starpu_top_data *starpu_top_add_data_integer(const char *data_name, int minimum_value, int maximum_value, int active)
{
	return add_data(&(struct starpu_top_data){.name = data_name,
	                                          .int_min_value = minimum_value,
	                                          .int_max_value = maximum_value,
	                                          .double_min_value = minimum_value,
	                                          .double_max_value = maximum_value,
	                                          .active = active,
	                                          .type = STARPU_TOP_DATA_INTEGER});
}

struct starpu_top_data *starpu_top_add_data_float(const char *data_name, double minimum_value, double maximum_value, int active)
{
	return add_data(&(struct starpu_top_data){.name = data_name,
	                                          .double_min_value = minimum_value,
	                                          .double_max_value = maximum_value,
	                                          .active = active,
	                                          .type = STARPU_TOP_DATA_FLOAT});
}

void starpu_top_update_data_float(const struct starpu_top_data *data, double value)
{
	if (!data)
		return;
	struct shown *s = (struct shown *)(uintptr_t)data; /* its first member; ours */
	pthread_mutex_lock(&top.lock);
	s->value = value;
	s->was_set = true;
	pthread_mutex_unlock(&top.lock);
}

void starpu_top_update_data_integer(const struct starpu_top_data *data, int value)
{
	starpu_top_update_data_float(data, value);
}

void starpu_top_update_data_boolean(const struct starpu_top_data *data, int value)
{
	starpu_top_update_data_float(data, value != 0);
}

/* ---- what may be changed ---- */

static struct starpu_top_param *add_param(const struct starpu_top_param *what)
{
	struct starpu_top_param *p = malloc(sizeof *p);
	char *name = p ? strdup(what->name ? what->name : "unnamed") : NULL;
	if (!name) {
		free(p);
		return NULL;
	}
	*p = *what;
	p->name = name;
	pthread_mutex_lock(&top.lock);
	p->id = top.n_params++;
	*(top.param_end ? top.param_end : &top.param) = p;
	top.param_end = &p->next;
	pthread_mutex_unlock(&top.lock);
	return p;
}

struct starpu_top_param *starpu_top_register_parameter_boolean(const char *param_name, int *parameter_field,
                                                               void (*callback)(struct starpu_top_param *))
{
	return add_param(&(struct starpu_top_param){.name = param_name,
	                                            .type = STARPU_TOP_PARAM_BOOLEAN,
	                                            .value = parameter_field,
	                                            .callback = callback,
	                                            .int_max_value = 1,
	                                            .double_max_value = 1});
}

struct starpu_top_param *starpu_top_register_parameter_integer(const char *param_name, int *parameter_field, int minimum_value,
                                                               int maximum_value, void (*callback)(struct starpu_top_param *))
{
	return add_param(&(struct starpu_top_param){.name = param_name,
	                                            .type = STARPU_TOP_PARAM_INTEGER,
	                                            .value = parameter_field,
	                                            .callback = callback,
	                                            .int_min_value = minimum_value,
	                                            .int_max_value = maximum_value,
	                                            .double_min_value = minimum_value,
	                                            .double_max_value = maximum_value});
}

struct starpu_top_param *starpu_top_register_parameter_float(const char *param_name, double *parameter_field,
                                                             double minimum_value, double maximum_value,
                                                             void (*callback)(struct starpu_top_param *))
{
	return add_param(&(struct starpu_top_param){.name = param_name,
	                                            .type = STARPU_TOP_PARAM_FLOAT,
	                                            .value = parameter_field,
	                                            .callback = callback,
	                                            .double_min_value = minimum_value,
	                                            .double_max_value = maximum_value});
}

struct starpu_top_param *starpu_top_register_parameter_enum(const char *param_name, int *parameter_field, char **values,
                                                            int nb_values, void (*callback)(struct starpu_top_param *))
{
	return add_param(&(struct starpu_top_param){.name = param_name,
	                                            .type = STARPU_TOP_PARAM_ENUM,
	                                            .value = parameter_field,
	                                            .enum_values = values,
	                                            .nb_values = nb_values,
	                                            .callback = callback,
	                                            .int_max_value = nb_values - 1,
	                                            .double_max_value = nb_values - 1});
}

void starpu_top_update_parameter(const struct starpu_top_param *param)
{
	(void)param; /* the next sample reads it */
	pulse_poke();
}

static double param_value(const struct starpu_top_param *p)
{
	if (p->type != STARPU_TOP_PARAM_FLOAT)
		return __atomic_load_n((int *)p->value, __ATOMIC_RELAXED);
	double v;
	__atomic_load((double *)p->value, &v, __ATOMIC_RELAXED);
	return v;
}

/* A value as text: a number; for an enumeration also one of its words, for a boolean true and false. */
static int param_parse(const struct starpu_top_param *p, const char *text, double *value, struct weft_err *err)
{
	char *end;
	for (int i = 0; p->type == STARPU_TOP_PARAM_ENUM && i < p->nb_values; i++) {
		if (strcmp(p->enum_values[i], text) == 0) {
			*value = i;
			return 0;
		}
	}
	if (p->type == STARPU_TOP_PARAM_BOOLEAN && (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)) {
		*value = *text == 't';
		return 0;
	}
	*value = strtod(text, &end);
	if (end == text || *end || !(*value >= p->double_min_value && *value <= p->double_max_value))
		return weft_err_set(err, -EINVAL, "'%s' is from %g to %g, not '%s'", p->name, p->double_min_value,
		                    p->double_max_value, text);
	if (p->type != STARPU_TOP_PARAM_FLOAT && *value != (double)(int)*value)
		return weft_err_set(err, -EINVAL, "'%s' is a whole number, not '%s'", p->name, text);
	return 0;
}

int live_top_set(const char *name, const char *value, struct weft_err *err)
{
	pthread_mutex_lock(&top.lock);
	struct starpu_top_param *p = top.param;
	while (p && strcmp(p->name, name))
		p = p->next;
	pthread_mutex_unlock(&top.lock);
	if (!p)
		return weft_err_set(err, -ENOENT, "there is no parameter '%s'", name);
	double v;
	int whole, rc = param_parse(p, value, &v, err);
	if (rc)
		return rc;
	whole = p->type == STARPU_TOP_PARAM_FLOAT ? 0 : (int)v;
	if (p->type == STARPU_TOP_PARAM_FLOAT)
		__atomic_store((double *)p->value, &v, __ATOMIC_RELAXED);
	else
		__atomic_store_n((int *)p->value, whole, __ATOMIC_RELAXED);
	if (p->callback)
		p->callback(p);
	return 0;
}

/* ---- waiting ---- */

static void wait_for_start(const char *why)
{
	if (!pulse_is_served()) {
		rt_say("nobody can look at this program (WEFT_LIVE, or starpu_init has not been called): '%s' goes on", why);
		return;
	}
	rt_say("'%s' waits to be started: weft top --start %ld", why, (long)getpid());
	pthread_mutex_lock(&top.lock);
	char *mine = strdup(why);
	free(top.waiting);
	top.waiting = mine;
	while (mine && top.waiting == mine && !top.has_ended)
		pthread_cond_wait(&top.changed, &top.lock);
	pthread_mutex_unlock(&top.lock);
}

void starpu_top_init_and_wait(const char *server_name)
{
	wait_for_start(server_name ? server_name : program_invocation_short_name);
}

int live_top_start(struct weft_err *err)
{
	pthread_mutex_lock(&top.lock);
	bool waited = top.waiting;
	free(top.waiting);
	top.waiting = NULL;
	pthread_cond_broadcast(&top.changed);
	pthread_mutex_unlock(&top.lock);
	return waited ? 0 : weft_err_set(err, -EALREADY, "the program does not wait to be started");
}

void live_top_end(void)
{
	pthread_mutex_lock(&top.lock);
	top.has_ended = true;
	pthread_cond_broadcast(&top.changed);
	top.has_ended = false;
	free(top.waiting);
	top.waiting = NULL;
	pthread_mutex_unlock(&top.lock);
}

/* ---- previsions and messages ---- */

void starpu_top_task_prevision(struct starpu_task *task, int devid, unsigned long long start, unsigned long long end)
{
	const char *name = task ? starpu_task_get_name(task) : NULL;
	pthread_mutex_lock(&top.lock);
	struct prevision *p = &top.prevision[top.n_previsions++ % PREVISIONS];
	*p = (struct prevision){.id = task ? starpu_task_get_job_id(task) : 0, .worker = devid, .start = start, .end = end};
	snprintf(p->name, sizeof p->name, "%s", name ? name : "unnamed");
	pthread_mutex_unlock(&top.lock);
}

void starpu_top_debug_log(const char *message)
{
	pthread_mutex_lock(&top.lock);
	snprintf(top.message[top.n_messages++ % MESSAGES], MESSAGE, "%s", message ? message : "");
	pthread_mutex_unlock(&top.lock);
}

void starpu_top_debug_lock(const char *message)
{
	starpu_top_debug_log(message);
	wait_for_start(message ? message : "");
}

/* ---- a sample ---- */

static void sample_data(struct weft_json *j)
{
	weft_json_key(j, "data");
	weft_json_array(j);
	for (const struct starpu_top_data *d = top.data; d; d = d->next) {
		const struct shown *s = (const struct shown *)d;
		weft_json_object(j);
		live_add_text(j, "name", d->name);
		weft_json_key(j, "value");
		if (!s->was_set)
			weft_json_null(j);
		else if (d->type == STARPU_TOP_DATA_BOOLEAN)
			weft_json_bool(j, s->value != 0);
		else
			weft_json_double(j, s->value);
		live_add_number(j, "min", d->double_min_value);
		live_add_number(j, "max", d->double_max_value);
		weft_json_key(j, "active");
		weft_json_bool(j, d->active != 0);
		weft_json_end(j);
	}
	weft_json_end(j);
}

static void sample_param(struct weft_json *j, const struct starpu_top_param *p)
{
	static const char *const types[] = {"boolean", "integer", "float", "enum"};
	weft_json_object(j);
	live_add_text(j, "name", p->name);
	live_add_text(j, "type", types[p->type]);
	live_add_number(j, "value", param_value(p));
	live_add_number(j, "min", p->double_min_value);
	live_add_number(j, "max", p->double_max_value);
	if (p->type == STARPU_TOP_PARAM_ENUM) {
		weft_json_key(j, "words");
		weft_json_array(j);
		for (int i = 0; i < p->nb_values; i++)
			weft_json_string(j, p->enum_values[i]);
		weft_json_end(j);
	}
	weft_json_end(j);
}

static void sample_previsions(struct weft_json *j)
{
	uint64_t first = top.n_previsions > PREVISIONS ? top.n_previsions - PREVISIONS : 0;
	live_add_number(j, "now_us", starpu_timing_now());
	weft_json_key(j, "previsions");
	weft_json_array(j);
	for (uint64_t i = first; i < top.n_previsions; i++) {
		const struct prevision *p = &top.prevision[i % PREVISIONS];
		weft_json_object(j);
		live_add_count(j, "task", p->id);
		live_add_text(j, "name", p->name);
		weft_json_key(j, "worker");
		weft_json_i64(j, p->worker);
		live_add_count(j, "start_us", p->start);
		live_add_count(j, "end_us", p->end);
		weft_json_end(j);
	}
	weft_json_end(j);
}

static void sample_messages(struct weft_json *j)
{
	uint64_t first = top.n_messages > MESSAGES ? top.n_messages - MESSAGES : 0;
	live_add_count(j, "messages_before", first);
	weft_json_key(j, "messages");
	weft_json_array(j);
	for (uint64_t i = first; i < top.n_messages; i++)
		weft_json_string(j, top.message[i % MESSAGES]);
	weft_json_end(j);
}

void live_top_sample(struct weft_json *j)
{
	pthread_mutex_lock(&top.lock);
	live_add_text(j, "waits_for_start", top.waiting);
	sample_data(j);
	weft_json_key(j, "parameters");
	weft_json_array(j);
	for (const struct starpu_top_param *p = top.param; p; p = p->next)
		sample_param(j, p);
	weft_json_end(j);
	sample_previsions(j);
	sample_messages(j);
	pthread_mutex_unlock(&top.lock);
}
