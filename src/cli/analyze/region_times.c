/* SPDX-License-Identifier: Apache-2.0 */
/* One table of calls a run; equal names are one figure, since ids of regions differ from run to run. */
#include "region_times.h"
#include "metric/hist/call_table.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int compare_names(const void *a, const void *b)
{
	const struct region_time *x = a, *y = b;
	return strcmp(x->name, y->name);
}

/* Neighbours of one name become one. */
static void join_equal(struct region_times *r)
{
	size_t n = 0;
	for (size_t i = 0; i < r->at.n; i++) {
		if (n && !strcmp(r->at.at[n - 1].name, r->at.at[i].name)) {
			r->at.at[n - 1].self_ns += r->at.at[i].self_ns;
			r->at.at[n - 1].calls += r->at.at[i].calls;
			free(r->at.at[i].name);
		} else {
			r->at.at[n++] = r->at.at[i];
		}
	}
	r->at.n = n;
}

int region_times_of(struct region_times *r, const struct weft_space *s, uint64_t from, uint64_t to, const struct cli_common *c)
{
	const struct weft_trace *t = s->trace;
	const bool states = t->def[WEFT_CLASS_REGION].n <= 1;
	const struct weft_def_table *d = &t->def[states ? WEFT_CLASS_STATE : WEFT_CLASS_REGION];
	const struct weft_call_how how = {.by = WEFT_BY_REGION,
	                                  .from = from,
	                                  .to = to,
	                                  .states = states,
	                                  .threads = (unsigned)c->threads,
	                                  .memory = c->memory};
	struct weft_call_table table = {.row = NULL};
	struct weft_err err = {0};
	int rc = weft_call_table_compute(&table, s, &how, &err);
	for (size_t i = 0; i < table.n_rows && !rc; i++) {
		const struct weft_call_row *row = &table.row[i];
		struct region_time one = {row->region < d->n ? strdup(d->at[row->region].name) : strdup("?"), (double)row->self,
		                          row->calls};
		rc = one.name ? weft_vec_push(&r->at, one) : -ENOMEM;
		if (rc)
			free(one.name);
	}
	weft_call_table_fini(&table);
	if (rc)
		return err.code ? cli_fail(&err) : cli_fail_code(rc);
	if (r->at.n)
		qsort(r->at.at, r->at.n, sizeof *r->at.at, compare_names);
	join_equal(r);
	return CLI_OK;
}

void region_times_fini(struct region_times *r)
{
	for (size_t i = 0; i < r->at.n; i++)
		free(r->at.at[i].name);
	free(r->at.at);
	*r = (struct region_times){.at = {0}};
}

const struct region_time *region_times_find(const struct region_times *r, const char *name)
{
	const struct region_time key = {.name = (char *)(uintptr_t)name};
	return r->at.n ? bsearch(&key, r->at.at, r->at.n, sizeof *r->at.at, compare_names) : NULL;
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char **region_times_names(const struct region_times *const *run, uint32_t n, uint32_t *n_names)
{
	size_t most = 0, m = 0;
	for (uint32_t i = 0; i < n; i++)
		most += run[i]->at.n;
	const char **names = malloc((most + 1) * sizeof *names);
	*n_names = 0;
	if (!names)
		return NULL;
	for (uint32_t i = 0; i < n; i++)
		for (size_t k = 0; k < run[i]->at.n; k++)
			names[m++] = run[i]->at.at[k].name;
	qsort(names, m, sizeof *names, compare_texts);
	for (size_t i = 0; i < m; i++)
		if (!*n_names || strcmp(names[*n_names - 1], names[i]) != 0)
			names[(*n_names)++] = names[i];
	return names;
}
