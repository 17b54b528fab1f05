/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `table/efficiency`: how well the threads were used in a range. Of the useful times of the threads, in a window of length T:
 *
 *     parallel efficiency  average / T  =  load balance  average / greatest  ×  communication efficiency  greatest / T
 *
 * the totals of `weft table efficiency`. Processes of several threads have their own balance: of the averages of their threads.
 */
#include "metric/runs/run_tables.h"
#include "metric/table/table_choose.h"
#include "metric/text/text_view.h"
#include "server_table.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char text[] = "useful = state == Running\ntable \"efficiency\" = time by useful { scale 1..1 step 1 }\n";

struct useful {
	uint64_t n, n_zero;
	double sum, most;
};

static void add_useful(struct useful *u, double v)
{
	u->n++;
	u->n_zero += v <= 0;
	u->sum += v;
	u->most = v > u->most ? v : u->most;
}

static void put_factors(struct weft_json *j, const char *key, const struct useful *u, double window)
{
	double average = u->n ? u->sum / (double)u->n : NAN;
	weft_json_key(j, key);
	weft_json_object(j);
	server_put_u64(j, "n", u->n);
	server_put_u64(j, "without", u->n_zero);
	server_put_double(j, "parallel", average / window);
	server_put_double(j, "balance", average / u->most);
	server_put_double(j, "communication", u->most / window);
	weft_json_end(j);
}

/* [label, called, process, useful ns] of each thread; sums by thread and by process. */
static int put_threads(struct weft_json *j, const struct weft_result *res, const struct server_trace *t, struct useful *threads,
                       struct useful *processes)
{
	const struct weft_trace *seen = t->space.trace;
	double *sum = calloc((size_t)seen->n_processes + 1, sizeof *sum);
	uint64_t *n = calloc((size_t)seen->n_processes + 1, sizeof *n);
	double to_ns = weft_unit_convert(1, res->view->window[res->hist->control].metric.unit, WEFT_NS);
	int rc = sum && n ? 0 : -ENOMEM;
	weft_json_key(j, "rows");
	weft_json_array(j);
	for (uint32_t i = 0; i < res->n_rows && !rc; i++) {
		const struct weft_result_cell *c = weft_result_at(res, 0, i, 0);
		const struct weft_thread_row *row = &seen->thread[res->row[i]];
		double ns = c ? c->value * to_ns : 0;
		char label[40];
		add_useful(threads, ns);
		sum[row->process] += ns;
		n[row->process]++;
		weft_json_array(j);
		weft_json_string(j, weft_thread_label(seen, res->row[i], label));
		weft_json_string(j, row->name);
		weft_json_u64(j, row->process);
		weft_json_u64(j, (uint64_t)(ns + 0.5));
		weft_json_u64(j, res->row[i]);
		weft_json_end(j);
	}
	weft_json_end(j);
	for (uint32_t i = 0; i < seen->n_processes && !rc; i++)
		if (n[i])
			add_useful(processes, sum[i] / (double)n[i]);
	free(sum);
	free(n);
	return rc;
}

static int answer_factors(const struct table_range *at, const struct weft_result *res, struct server_answer *a)
{
	struct server_json out;
	struct useful threads = {.n = 0}, processes = {.n = 0};
	struct weft_json *j = server_json_begin(&out);
	weft_json_object(j);
	server_put_u64(j, "from", at->from);
	server_put_u64(j, "to", at->to);
	int rc = put_threads(j, res, at->trace, &threads, &processes);
	put_factors(j, "threads", &threads, (double)(at->to - at->from));
	put_factors(j, "processes", &processes, (double)(at->to - at->from));
	weft_json_end(j);
	int ended = server_json_end(&out, a);
	return rc ? rc : ended;
}

int table_answer_efficiency(const struct server_request *r, struct server_answer *a)
{
	struct table_range at;
	struct weft_view v = {.n_windows = 0};
	struct weft_view_lack lack;
	struct weft_hist *h;
	struct weft_result res;
	int rc = table_range(r, &at);
	if (!rc)
		rc = weft_view_parse(&v, text, sizeof text - 1, "efficiency", r->err);
	if (!rc)
		rc = weft_view_bind(&v, &at.trace->space, &lack, r->err);
	if (!rc)
		rc = weft_table_choose(&v, NULL, &h, r->err);
	if (!rc) {
		weft_table_limit(&v, h, &at.trace->space, at.from, at.to);
		rc = weft_hist_compute(&res, &v, h, &at.trace->space, server_session_threads(r->session));
		if (!rc)
			rc = answer_factors(&at, &res, a);
		weft_result_fini(&res);
	}
	weft_view_fini(&v);
	return rc ? weft_err_set(r->err, rc, "%s", weft_err_name(rc)) : 0;
}
