/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tasks of a model took in a trace of the runtime. A task is a region whose attributes say its model, the footprint and size of
 * its data, its flops (category starpu_detail); attributes belong to the innermost open region, so a walk over each thread keeps the
 * open ones on a stack.
 */
#include "model_cli.h"
#include "base/log.h"
#include "trace/store/cursor.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct open_region {
	uint64_t begin;
	struct model_sample s;
	const char *model; /* of a task; else NULL */
};
struct walk {
	const struct weft_trace *trace;
	int (*each)(void *arg, const char *model, const struct model_sample *s);
	void *arg;
	WEFT_VEC(struct open_region) open;
};

static const char *name_in(const struct weft_def_table *t, uint64_t id)
{
	return id < t->n ? t->at[id].name : "";
}

static double as_double(uint64_t bits)
{
	double v;
	memcpy(&v, &bits, sizeof v);
	return v;
}

static void take_attribute(struct walk *w, uint32_t what, uint64_t value)
{
	const char *name = name_in(&w->trace->def[WEFT_CLASS_ATTR], weft_what_id(what));
	struct open_region *top = w->open.n ? &w->open.at[w->open.n - 1] : NULL;
	if (!top)
		return;
	if (!strcmp(name, "model") && weft_what_kind(what) == WEFT_EV_ATTR_S)
		top->model = name_in(&w->trace->def[WEFT_CLASS_STRING], value);
	else if (!strcmp(name, "footprint") && weft_what_kind(what) == WEFT_EV_ATTR)
		top->s.footprint = (uint32_t)value;
	else if (!strcmp(name, "size") && weft_what_kind(what) == WEFT_EV_ATTR)
		top->s.size = value;
	else if (!strcmp(name, "flops") && weft_what_kind(what) == WEFT_EV_ATTR_F)
		top->s.flops = as_double(value);
}

static int close_region(struct walk *w, uint64_t time)
{
	struct open_region r = w->open.at[--w->open.n];
	if (!r.model || time < r.begin)
		return 0;
	r.s.us = (double)(time - r.begin) / 1e3;
	return w->each(w->arg, r.model, &r.s);
}

static int walk_thread(struct walk *w, uint32_t thread)
{
	struct weft_cursor c;
	struct weft_block b;
	int rc = weft_cursor_begin(&c, w->trace, thread, 0, WEFT_NEVER);
	if (rc)
		return rc;
	w->open.n = 0;
	while (rc >= 0 && (rc = weft_cursor_next(&c, &b)) > 0)
		for (uint32_t i = 0; i < b.n && rc >= 0; i++) {
			unsigned kind = weft_what_kind(b.what[i]);
			if (kind == WEFT_EV_ENTER)
				rc = weft_vec_push(&w->open, (struct open_region){.begin = b.time[i]});
			else if (kind == WEFT_EV_LEAVE && w->open.n)
				rc = close_region(w, b.time[i]);
			else if (kind == WEFT_EV_ATTR || kind == WEFT_EV_ATTR_F || kind == WEFT_EV_ATTR_S)
				take_attribute(w, b.what[i], b.value[i]);
		}
	weft_cursor_end(&c);
	return rc < 0 ? rc : 0;
}

int model_each_sample(const struct model_args *a, int (*each)(void *arg, const char *model, const struct model_sample *s),
                      void *arg)
{
	struct weft_trace *t;
	struct walk w = {.each = each, .arg = arg};
	int status = cli_check_input(a->trace), rc = 0;
	status = status ? status : cli_open(&a->common, a->trace, &t, NULL);
	if (status)
		return status;
	w.trace = t;
	for (uint32_t i = 0; i < t->n_threads && !rc; i++)
		rc = walk_thread(&w, i);
	free(w.open.at);
	weft_trace_close(t);
	return rc ? cli_fail_code(rc) : CLI_OK;
}

struct chosen {
	const char *symbol;
	struct model_samples *out;
};

static int take_chosen(void *arg, const char *model, const struct model_sample *s)
{
	struct chosen *c = arg;
	return strcmp(model, c->symbol) ? 0 : weft_vec_push(&c->out->of, *s);
}

int model_samples(const struct model_args *a, const char *symbol, struct model_samples *out)
{
	*out = (struct model_samples){0};
	int status = model_each_sample(a, take_chosen, &(struct chosen){symbol, out});
	if (status || out->of.n)
		return status;
	weft_log(WEFT_LOG_ERROR,
	         "no task of '%s' says that it has the model '%s' (tasks say so when they are recorded with --on starpu_detail)",
	         a->trace, symbol);
	return CLI_USAGE;
}
