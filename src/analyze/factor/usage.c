/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums of metrics by stretches of time. Which metrics: a line of the views' language each, so that they mean here what they mean in
 * views: `useful` is decided in one place, and a trace of ours and a .prv are the same.
 */
#include "usage_priv.h"
#include "base/pool.h"
#include "metric/func/metric_schema.h"
#include "metric/text/text_view.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct use_row {
	const char *name, *text;
	bool counts;                              /* values that are counted, in place of time in which they are not 0 */
	enum { ALWAYS, WITH_ALL, WITH_ANY } when; /* which of its types of events must be there */
	bool regions;                             /* of traces of ours regions say it (usage_regions.c) */
} rows[WEFT_USAGES] = {
	[WEFT_USAGE_USEFUL] = {"useful", "m = state == Running", false, ALWAYS, false},
	[WEFT_USAGE_MPI] = {"mpi", "m = value(50000001 .. 50000005) != 0", false, WITH_ALL, true},
	[WEFT_USAGE_P2P] = {"point-to-point", "m = value(50000001 \"MPI Point-to-point\") != 0", false, WITH_ALL, true},
	[WEFT_USAGE_COLLECTIVE] = {"collective", "m = value(50000002 \"MPI Collective Comm\") != 0", false, WITH_ALL, true},
	[WEFT_USAGE_PARALLEL] = {"parallel", "m = value(60000001 \"Parallel (OMP)\") != 0", false, WITH_ALL, true},
	[WEFT_USAGE_PARALLEL_USEFUL] = {"useful in parallel",
                                        "p = value(60000001 \"Parallel (OMP)\") != 0\nm = state == Running where p", false,
                                        WITH_ALL, true},
	[WEFT_USAGE_OFFLOAD] = {"offload",
                                "m = value(63000000 \"CUDA library call\") != 0 or value(63500000 \"HIP library call\") != 0 or "
                                "value(64000000 \"Host OpenCL call\") != 0",
                                false, WITH_ANY, false},
	[WEFT_USAGE_INSTRUCTIONS] = {"instructions", "u = state == Running\nm = next_value(PAPI_TOT_INS) where u", true, WITH_ALL,
                                     false},
	[WEFT_USAGE_CYCLES] = {"cycles", "u = state == Running\nm = next_value(PAPI_TOT_CYC) where u", true, WITH_ALL, false},
};
const char *weft_usage_name(enum weft_usage_of of)
{
	return rows[of].name;
}

/* A metric summed for some rows. */
struct usage_work {
	const struct weft_usage *use;
	const struct weft_metric *metric;
	const uint32_t *row;
	double *sum;
	bool counts;
};

void usage_add(const struct weft_usage *u, double *sum, uint32_t *hint, double begin, double end, double value, bool is_count)
{
	const double ns = (double)u->space->unit_ns;
	while (*hint < u->n_bins && u->edge[*hint + 1] <= begin)
		++*hint;
	while (*hint && u->edge[*hint] > begin) /* one that began before the last, and ends behind it */
		--*hint;
	for (uint32_t b = *hint; b < u->n_bins && u->edge[b] < end; b++) {
		const double from = begin > u->edge[b] ? begin : u->edge[b], to = end < u->edge[b + 1] ? end : u->edge[b + 1];
		if (to > from)
			sum[b] += is_count ? value * (to - from) / (end - begin) : (to - from) * ns;
	}
}

static int add_row(void *arg, size_t i, unsigned worker)
{
	const struct usage_work *w = arg;
	const struct weft_usage *u = w->use;
	struct weft_row *row;
	struct weft_intervals *b = malloc(sizeof *b);
	uint32_t hint = 0;
	(void)worker;
	if (!b)
		return -ENOMEM;
	int rc = weft_row_open(&row, u->space, w->metric, w->row[i], u->edge[0], u->edge[u->n_bins]);
	while (!rc && (rc = weft_row_next(row, b)) > 0) {
		double begin = b->begin;
		for (uint32_t k = 0; k < b->n; begin = b->end[k++])
			if (b->value[k] != 0)
				usage_add(u, w->sum + i * u->n_bins, &hint, begin, b->end[k], b->value[k], w->counts);
		rc = 0;
	}
	weft_row_close(row);
	free(b);
	return rc;
}

/* Sums the last metric of `text` for n rows into *sum; leaves that NULL where the trace has not the events. */
static int measure_text(const struct weft_usage *u, const char *text, bool counts, int when, const uint32_t *row, uint32_t n,
                        double **sum, unsigned threads, struct weft_err *err)
{
	struct weft_view v = {0};
	struct weft_view_lack lack = {0};
	int rc = weft_view_parse(&v, text, strlen(text), "usage", err);
	if (!rc)
		rc = weft_view_bind(&v, u->space, &lack, err);
	if (!rc && (when == ALWAYS || (when == WITH_ALL ? !lack.missing : lack.found > 0))) {
		*sum = calloc((size_t)n * u->n_bins + 1, sizeof **sum);
		struct usage_work w = {u, &v.window[v.n_windows - 1].metric, row, *sum, counts};
		rc = *sum ? weft_parallel(threads, n, add_row, &w) : -ENOMEM;
	}
	weft_view_fini(&v);
	return rc && !err->code ? weft_err_set(err, rc, "%s", weft_err_name(rc)) : rc;
}

static int measure_one(struct weft_usage *u, enum weft_usage_of of, unsigned threads, struct weft_err *err)
{
	return measure_text(u, rows[of].text, rows[of].counts, rows[of].when, u->row, u->n_threads, &u->sum[of], threads, err);
}

static int measure_devices(struct weft_usage *u, unsigned threads, struct weft_err *err)
{
	static const char kernel[] = "m = state == Running", copy[] = "m = state == \"Memory transfer\"";
	if (!u->n_devices)
		return 0;
	int rc = measure_text(u, kernel, false, ALWAYS, u->device_row, u->n_devices, &u->kernel, threads, err);
	return rc ? rc : measure_text(u, copy, false, ALWAYS, u->device_row, u->n_devices, &u->copy, threads, err);
}

/* By the names that Extrae gives to streams of accelerators: CUDA-D1.S2-host. */
static bool is_device(const struct weft_space *s, uint32_t thread)
{
	static const char *const names[] = {"CUDA-", "HIP-", "OpenCL-", "ACC-"};
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		if (strncmp(s->trace->thread[thread].name, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

/* The threads that count, and their processes. */
static void choose_threads(struct weft_usage *u, const struct weft_space *s, uint32_t n_rows)
{
	uint32_t last = WEFT_NONE;
	for (uint32_t t = 0; t < n_rows; t++) {
		const uint32_t process = weft_level_up(s, WEFT_THREAD, t, WEFT_TASK);
		if (weft_space_is_bystander(s, t))
			continue;
		if (is_device(s, t)) {
			u->device_row[u->n_devices++] = t;
			continue;
		}
		u->n_processes += process != last;
		last = process;
		u->row[u->n_threads] = t;
		u->process_of[u->n_threads++] = u->n_processes - 1;
	}
}

/* ---- messages ---- */

/* The bin of a time; n_bins: outside of all. */
static uint32_t find_bin(const struct weft_usage *u, double at)
{
	uint32_t low = 0, high = u->n_bins;
	if (at < u->edge[0] || at >= u->edge[u->n_bins])
		return u->n_bins;
	while (high - low > 1) {
		const uint32_t middle = low + (high - low) / 2;
		if (u->edge[middle] <= at)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* The node of a thread of the trace, whose rows may be fewer. */
static uint32_t node_of(const struct weft_usage *u, uint32_t thread)
{
	const struct metric_schema *schema = u->space->schema;
	const uint32_t row = schema && thread != WEFT_NONE ? schema->row[thread] : thread;
	return row == WEFT_NONE ? WEFT_NONE : u->node_of[row];
}

static int count_messages(struct weft_usage *u)
{
	const struct weft_messages *m = &u->space->trace->message;
	const double unit = (double)u->space->unit_ns;
	for (unsigned i = 0; i < 2; i++) {
		u->messages[i] = calloc(u->n_bins, sizeof *u->messages[i]);
		u->bytes[i] = calloc(u->n_bins, sizeof *u->bytes[i]);
		if (!u->messages[i] || !u->bytes[i])
			return -ENOMEM;
	}
	for (uint64_t i = 0; i < m->n; i++) {
		const uint32_t from = m->send_thread[i], to = m->recv_thread[i],
			       bin = find_bin(u, (double)m->send_done[i] / unit);
		if (from == WEFT_NONE || to == WEFT_NONE || bin == u->n_bins)
			continue;
		const unsigned between = node_of(u, from) != node_of(u, to);
		u->messages[between][bin]++;
		u->bytes[between][bin] += m->size[i];
	}
	return 0;
}

int weft_usage_measure(struct weft_usage *u, const struct weft_space *s, const double *edge, uint32_t n_bins, unsigned threads,
                       struct weft_err *err)
{
	const uint32_t n_rows = weft_level_size(s, WEFT_THREAD);
	*u = (struct weft_usage){.space = s, .node_of = s->node_of, .n_bins = n_bins};
	u->row = malloc(((size_t)n_rows + 1) * sizeof *u->row);
	u->device_row = malloc(((size_t)n_rows + 1) * sizeof *u->device_row);
	u->process_of = malloc(((size_t)n_rows + 1) * sizeof *u->process_of);
	u->edge = malloc(((size_t)n_bins + 1) * sizeof *u->edge);
	int rc = u->row && u->device_row && u->process_of && u->edge ? 0
	                                                             : weft_err_set(err, -ENOMEM, "%s", weft_err_name(-ENOMEM));
	if (!rc)
		choose_threads(u, s, n_rows);
	if (!rc)
		memcpy(u->edge, edge, ((size_t)n_bins + 1) * sizeof *edge);
	for (unsigned of = 0; of < WEFT_USAGES && !rc; of++)
		if (!rows[of].regions || !s->schema)
			rc = measure_one(u, (enum weft_usage_of)of, threads, err);
	if (!rc && s->schema)
		rc = usage_of_regions(u, threads);
	rc = rc ? rc : measure_devices(u, threads, err);
	rc = rc ? rc : count_messages(u);
	return rc && !err->code ? weft_err_set(err, rc, "%s", weft_err_name(rc)) : rc;
}

/* n rows of bins; a NULL is left alone. */
static void merge_sums(double *sum, uint32_t n, uint32_t n_bins, const double *weight)
{
	for (uint32_t row = 0; row < n && sum; row++) {
		double all = 0;
		for (uint32_t b = 0; b < n_bins; b++)
			all += weight[b] * sum[(size_t)row * n_bins + b];
		sum[row] = all;
	}
}

static void merge_counts(uint64_t *count, uint32_t n_bins, const double *weight)
{
	double all = 0;
	for (uint32_t b = 0; b < n_bins; b++)
		all += weight[b] * (double)count[b];
	count[0] = (uint64_t)llround(all);
}

void weft_usage_merge(struct weft_usage *u, const double *weight)
{
	double length = 0;
	for (unsigned of = 0; of < WEFT_USAGES; of++)
		merge_sums(u->sum[of], u->n_threads, u->n_bins, weight);
	merge_sums(u->kernel, u->n_devices, u->n_bins, weight);
	merge_sums(u->copy, u->n_devices, u->n_bins, weight);
	for (unsigned i = 0; i < 2; i++) {
		merge_counts(u->messages[i], u->n_bins, weight);
		merge_counts(u->bytes[i], u->n_bins, weight);
	}
	for (uint32_t b = 0; b < u->n_bins; b++)
		length += weight[b] * (u->edge[b + 1] - u->edge[b]);
	u->edge[1] = u->edge[0] + length;
	u->n_bins = 1;
}

void weft_usage_fini(struct weft_usage *u)
{
	for (unsigned of = 0; of < WEFT_USAGES; of++)
		free(u->sum[of]);
	for (unsigned i = 0; i < 2; i++) {
		free(u->messages[i]);
		free(u->bytes[i]);
	}
	free(u->row);
	free(u->device_row);
	free(u->kernel);
	free(u->copy);
	free(u->process_of);
	free(u->edge);
	*u = (struct weft_usage){.n_threads = 0};
}

double weft_usage_length(const struct weft_usage *u, uint32_t bin)
{
	return (u->edge[bin + 1] - u->edge[bin]) * (double)u->space->unit_ns;
}

bool weft_usage_is_first(const struct weft_usage *u, uint32_t thread)
{
	return thread == 0 || u->process_of[thread] != u->process_of[thread - 1];
}
