/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tasks of a model took in a trace of the runtime: those that say that model, with the footprint and size of their data and their
 * flops (category starpu_detail).
 */
#include "model_cli.h"
#include "base/log.h"
#include "tasks/task_table.h"
#include <stdlib.h>
#include <string.h>

static int take_tasks(const struct weft_tasks *tasks, bool codelets,
                      int (*each)(void *arg, const char *model, const struct model_sample *s), void *arg)
{
	for (uint32_t i = 0; i < tasks->n; i++) {
		const struct weft_tasks_task *t = &tasks->task[i];
		const char *name = t->model ? weft_tasks_text(tasks, t->model) : codelets ? weft_tasks_codelet(tasks, t) : "";
		if (!*name || t->end == WEFT_NEVER || t->start == WEFT_NEVER)
			continue;
		int rc = each(arg, name,
		              &(struct model_sample){.footprint = t->footprint,
		                                     .size = t->bytes,
		                                     .us = (double)(t->end - t->start) / 1e3,
		                                     .flops = t->flops > 0 ? t->flops : 0});
		if (rc)
			return rc;
	}
	return 0;
}

int model_each_sample(const struct model_args *a, int (*each)(void *arg, const char *model, const struct model_sample *s),
                      void *arg)
{
	struct weft_trace *t;
	struct weft_tasks tasks;
	int status = cli_check_input(a->trace);
	status = status ? status : cli_open(&a->common, a->trace, &t, NULL);
	if (status)
		return status;
	int rc = weft_tasks_load(t, &tasks);
	if (!rc) {
		rc = take_tasks(&tasks, a->codelets, each, arg);
		weft_tasks_free(&tasks);
	}
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
