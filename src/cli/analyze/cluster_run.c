/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster_run.h"
#include "analyze/cluster/hdbscan.h"
#include "analyze/cluster/k_distance.h"
#include "analyze/cluster/labels.h"
#include "base/log.h"
#include "base/map.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { K_ASKED = 50000, MIN_POINTS = 10, BY_MOST = 16, TRIED_MOST = 10000 };

const char *cluster_method_name(enum cluster_method m)
{
	static const char *const names[] = {"DBSCAN", "HDBSCAN*", "aggregative refinement", "divisive refinement"};
	return names[m];
}

unsigned cluster_n_values(const struct cluster_run *r)
{
	return r->control.n_metrics + r->control.n_extra;
}

const struct weft_burst_metric *cluster_value(const struct cluster_run *r, unsigned i)
{
	return i < r->control.n_metrics ? &r->control.metric[i] : &r->control.extra[i - r->control.n_metrics];
}

static struct weft_cloud cloud_of(const struct cluster_run *r)
{
	return (struct weft_cloud){r->points.at, r->points.n, r->points.dims};
}

/* ---- what is asked ---- */

static int read_control(struct cluster_run *r)
{
	struct weft_err err = {0};
	char *text;
	size_t n;
	if (weft_read_input(r->how->control_path, &text, &n, &err))
		return cli_fail(&err);
	int rc = weft_control_parse(&r->control, r->how->control_path, text, n, &err);
	free(text);
	return rc ? cli_fail(&err) : CLI_OK;
}

/* "PAPI_TOT_INS,IPC": a comma in brackets is no end. */
static int take_by(struct cluster_run *r, const char *by)
{
	struct weft_control *c = &r->control;
	struct weft_err err = {0};
	struct weft_str rest = weft_str(by), part;
	c->metric = weft_arena_alloc(&c->arena, BY_MOST * sizeof *c->metric);
	c->counter = weft_arena_alloc(&c->arena, 2 * BY_MOST * sizeof *c->counter);
	while (c->metric && c->counter && weft_str_cut(&rest, ',', &part)) {
		char *text = weft_arena_strndup(&c->arena, part.at, part.n);
		if (c->n_metrics == BY_MOST)
			return cli_fail_text("more than %d metrics", BY_MOST);
		if (!text)
			return cli_fail_code(-ENOMEM);
		if (weft_burst_metric_parse(&c->metric[c->n_metrics], text, &c->arena, c->counter, &c->n_counters, &err))
			return cli_fail(&err);
		c->n_metrics++;
	}
	c->normalise = true;
	return c->metric && c->counter ? CLI_OK : cli_fail_code(-ENOMEM);
}

/* Instructions and how fast they went, where they are counted; else how long bursts are. */
static const char *usual(const struct weft_trace *t)
{
	static const char *const pairs[][2] = {{"PAPI_TOT_INS", "PAPI_TOT_CYC"},
	                                       {"42000050", "42000059"},
	                                       {"instructions", "cpu-cycles"}};
	static const char *const by[] = {"log(PAPI_TOT_INS),PAPI_TOT_INS/PAPI_TOT_CYC", "log(42000050),42000050/42000059",
	                                 "log(instructions),instructions/cpu-cycles"};
	for (unsigned i = 0; i < 3; i++) {
		struct weft_counters c;
		const char *missing;
		if (weft_counters_find(&c, t, pairs[i], 2, &missing))
			break;
		weft_counters_fini(&c);
		if (!missing)
			return by[i];
	}
	return "log(duration)";
}

/* Every counter of the trace describes clusters, too. */
static int add_all_counters(struct cluster_run *r)
{
	struct weft_control *c = &r->control;
	struct weft_counters all;
	if (weft_counters_all(&all, r->trace))
		return cli_fail_code(-ENOMEM);
	const char **counter = weft_arena_alloc(&c->arena, (c->n_counters + (size_t)all.n + 1) * sizeof *counter);
	struct weft_burst_metric *extra = weft_arena_alloc(&c->arena, (c->n_extra + (size_t)all.n + 1) * sizeof *extra);
	if (!counter || !extra) {
		weft_counters_fini(&all);
		return cli_fail_code(-ENOMEM);
	}
	if (c->n_counters)
		memcpy(counter, c->counter, c->n_counters * sizeof *counter);
	if (c->n_extra)
		memcpy(extra, c->extra, c->n_extra * sizeof *extra);
	for (uint32_t i = 0; i < all.n; i++) {
		extra[c->n_extra++] = (struct weft_burst_metric){.name = all.name[i],
		                                                 .a = (int32_t)c->n_counters,
		                                                 .factor = 1,
		                                                 .least = -INFINITY,
		                                                 .most = INFINITY};
		counter[c->n_counters++] = all.name[i];
	}
	c->counter = counter;
	c->extra = extra;
	weft_counters_fini(&all);
	return CLI_OK;
}

static int find_counters(struct cluster_run *r)
{
	const char *missing;
	int rc = weft_counters_find(&r->counters, r->trace, r->control.counter, r->control.n_counters, &missing);
	if (rc)
		return cli_fail_code(rc);
	if (missing)
		weft_log(WEFT_LOG_WARN, "'%s' has no counter '%s': bursts without it are left out", r->trace->path, missing);
	return CLI_OK;
}

/* Threads that have points, from 0 on: the others have no sequence. */
static int number_sequences(struct cluster_run *r)
{
	uint32_t *number = malloc((r->trace->n_threads + (size_t)1) * sizeof *number);
	if (!number)
		return -ENOMEM;
	memset(number, 0, r->trace->n_threads * sizeof *number);
	for (size_t i = 0; i < r->points.n; i++)
		number[r->sequence[i]] = 1;
	for (uint32_t t = 0; t < r->trace->n_threads; t++)
		number[t] = number[t] ? r->n_sequences++ : 0;
	for (size_t i = 0; i < r->points.n; i++)
		r->sequence[i] = number[r->sequence[i]];
	free(number);
	return 0;
}

/* What a list says ends where it ends: counted is what lies in between. */
static int find_bursts(struct cluster_run *r)
{
	struct weft_err err = {0};
	struct weft_burst_row *rows;
	struct weft_bursts_how how = {.filter = r->filter,
	                              .to = WEFT_NEVER,
	                              .counters = &r->counters,
	                              .own_threads = r->how->own_threads,
	                              .threads = (unsigned)r->common->threads};
	int status = cli_bursts_of(NULL, r->how->of, r->trace, &how, &rows);
	how.at_end_only = r->how->as_suite && how.of != WEFT_BURSTS_LISTED;
	if (!status && r->how->caller && !(how.caller = weft_counters_type(r->trace, r->how->caller)))
		weft_log(WEFT_LOG_WARN, "'%s' has no type '%s': callers are not known", r->trace->path, r->how->caller);
	if (!status && r->how->time && weft_time_range(r->how->time, r->trace->end, &how.from, &how.to, &err))
		status = cli_fail(&err);
	if (!status && weft_bursts_make(&r->bursts, r->trace, &how, &err))
		status = cli_fail(&err);
	free(rows);
	return status;
}

static int make_points(struct cluster_run *r)
{
	struct weft_burst_choice choice = {.metric = r->control.metric,
	                                   .n = r->control.n_metrics,
	                                   .normalise = r->control.normalise,
	                                   .least_ns = r->how->least_ns != WEFT_NEVER ? r->how->least_ns : r->control.least_ns};
	int rc = weft_burst_points_make(&r->points, &r->bursts, &choice);
	size_t n = r->points.n;
	r->label = calloc(n + 1, sizeof *r->label);
	r->duration = malloc((n + 1) * sizeof *r->duration);
	r->sequence = malloc((n + 1) * sizeof *r->sequence);
	if (rc || !r->label || !r->duration || !r->sequence)
		return cli_fail_code(-ENOMEM);
	for (size_t i = 0; i < n; i++) {
		uint32_t b = r->points.burst[i];
		r->duration[i] = (double)(r->bursts.end[b] - r->bursts.begin[b]);
		r->sequence[i] = r->bursts.thread[b];
	}
	return number_sequences(r) ? cli_fail_code(-ENOMEM) : CLI_OK;
}

/* ---- epsilon ---- */

static int choose_eps(struct cluster_run *r, double *eps, unsigned *n)
{
	struct weft_cloud cloud = cloud_of(r);
	double *distance;
	size_t n_distances;
	*n = 0;
	if (cloud.n <= r->min_points)
		return CLI_OK;
	int rc = weft_k_distances(&cloud, r->min_points > 1 ? r->min_points - 1 : 1, K_ASKED, (unsigned)r->common->threads,
	                          &distance, &n_distances);
	if (rc)
		return cli_fail_code(rc);
	*n = weft_epsilons(distance, n_distances, eps);
	free(distance);
	if (!*n) { /* all in one place, or nearly: any distance will do */
		eps[0] = 0.01;
		*n = 1;
	}
	return CLI_OK;
}

/* ---- methods ---- */

static int by_dbscan(struct cluster_run *r)
{
	struct weft_cloud cloud = cloud_of(r);
	struct weft_dbscan_how how = {r->eps, r->min_points, (unsigned)r->common->threads};
	struct weft_err err = {0};
	if (weft_dbscan(&cloud, &how, r->label, &r->n_clusters, &err))
		return cli_fail(&err);
	return CLI_OK;
}

static int by_hdbscan(struct cluster_run *r)
{
	struct weft_cloud cloud = cloud_of(r);
	struct weft_hdbscan_how how = {r->min_points, 0, (unsigned)r->common->threads};
	struct weft_err err = {0};
	return weft_hdbscan(&cloud, &how, r->label, &r->n_clusters, &err) ? cli_fail(&err) : CLI_OK;
}

static struct weft_refine_how refining(const struct cluster_run *r)
{
	return (struct weft_refine_how){.divisive = r->how->method == CLUSTER_DIVISIVE,
	                                .min_points = r->min_points,
	                                .threads = (unsigned)r->common->threads,
	                                .sequence = r->sequence,
	                                .n_sequences = r->n_sequences,
	                                .duration = r->duration,
	                                .on_step = r->how->on_step,
	                                .arg = r->how->arg};
}

static int by_refinement(struct cluster_run *r)
{
	struct weft_cloud cloud = cloud_of(r);
	struct weft_refine_how how = refining(r);
	struct weft_err err = {0};
	double eps[256];
	if (r->how->eps_most > 0) {
		how.n_eps = r->how->steps < 2 ? 2 : r->how->steps < 256 ? r->how->steps : 256;
		for (unsigned i = 0; i < how.n_eps; i++)
			eps[i] = r->how->eps_least + (r->how->eps_most - r->how->eps_least) * i / (how.n_eps - 1);
	} else {
		int status = choose_eps(r, eps, &how.n_eps);
		if (status)
			return status;
	}
	how.eps = eps;
	r->eps = how.n_eps ? eps[how.divisive ? 0 : how.n_eps - 1] : 0;
	int rc = weft_refine(&cloud, &how, r->label, &r->n_clusters, &r->global, &err);
	return rc ? rc < 0 ? cli_fail(&err) : rc : CLI_OK;
}

/* ---- a sample, and the others by their nearest ---- */

/* How often the nearest other point of the sample has another label: what a classified point may be wrong by. */
static int try_sample(struct cluster_run *r, const struct weft_cloud *sample, const uint32_t *label)
{
	unsigned dims = sample->dims;
	size_t each = sample->n > TRIED_MOST ? sample->n / TRIED_MOST : 1, held = 0, kept = 0;
	double *at = malloc((sample->n + 1) * 2 * dims * sizeof *at), *held_at = at + sample->n * dims;
	uint32_t *of = malloc((sample->n + 1) * 3 * sizeof *of), *want = of + sample->n, *got = want + sample->n;
	int rc = at && of ? 0 : -ENOMEM;
	/* Each second of those that are tried is held back, the others stand for the sample. */
	for (size_t i = 0; i < sample->n && !rc; i++) {
		bool hold = i % (2 * each) == 1 || (each == 1 && i % 10 == 1);
		double *to = hold ? held_at + held * dims : at + kept * dims;
		memcpy(to, sample->at + i * dims, dims * sizeof *at);
		if (hold)
			want[held++] = label[i];
		else
			of[kept++] = label[i];
	}
	struct weft_cloud known = {at, kept, dims}, asked = {held_at, held, dims};
	rc = rc ? rc : weft_labels_spread(&known, of, &asked, r->eps, (unsigned)r->common->threads, got);
	for (size_t i = 0; i < held && !rc; i++)
		r->wrong += got[i] != want[i];
	r->tried = held;
	free(at);
	free(of);
	return rc;
}

static int by_sample(struct cluster_run *r)
{
	struct weft_cloud cloud = cloud_of(r), sample = {.dims = cloud.dims};
	struct weft_dbscan_how how = {r->eps, r->min_points, (unsigned)r->common->threads};
	struct weft_err err = {0};
	size_t most = r->how->sample;
	double *at = malloc((most + 1) * cloud.dims * sizeof *at);
	uint32_t *label = malloc((most + 1) * sizeof *label);
	int rc = at && label ? 0 : weft_err_set(&err, -ENOMEM, "out of memory");
	for (size_t k = 0; k < most && !rc; k++) { /* one of each of so many equal parts, anywhere in it */
		size_t begin = (size_t)((double)k * (double)cloud.n / (double)most);
		size_t end = (size_t)((double)(k + 1) * (double)cloud.n / (double)most);
		size_t i = begin + (size_t)(weft_hash_u64(k) % (end > begin ? end - begin : 1));
		memcpy(at + k * cloud.dims, cloud.at + i * cloud.dims, cloud.dims * sizeof *at);
		sample.n++;
	}
	sample.at = at;
	rc = rc ? rc : weft_dbscan(&sample, &how, label, &r->n_clusters, &err);
	rc = rc ? rc : weft_labels_spread(&sample, label, &cloud, r->eps, how.threads, r->label);
	rc = rc ? rc : try_sample(r, &sample, label);
	r->sampled = sample.n;
	free(at);
	free(label);
	return rc ? cli_fail(err.code ? &err : &(struct weft_err){.code = rc}) : CLI_OK;
}

/* Ids that a clustered trace has at the begins of its bursts. False: it has none. */
static int take_ids(struct cluster_run *r, uint32_t type)
{
	struct weft_bursts_how how = {.of = WEFT_BURSTS_TYPE,
	                              .type = type,
	                              .to = WEFT_NEVER,
	                              .threads = (unsigned)r->common->threads};
	struct weft_bursts b;
	struct weft_map at = {0};
	struct weft_err err = {0};
	if (weft_bursts_make(&b, r->trace, &how, &err))
		return cli_fail(&err);
	int rc = 0;
	for (size_t i = 0; i < b.n && !rc; i++)
		if (b.value[i] > WEFT_BURST_NOISE && b.value[i] < INT32_MAX)
			rc = weft_map_put(&at, weft_hash_u64(b.begin[i]) ^ b.thread[i], (uint64_t)b.value[i] - WEFT_BURST_NOISE);
	for (size_t i = 0; i < r->points.n && !rc; i++) {
		uint32_t k = r->points.burst[i];
		uint64_t id = 0;
		weft_map_get(&at, weft_hash_u64(r->bursts.begin[k]) ^ r->bursts.thread[k], &id);
		r->label[i] = (uint32_t)id;
		r->n_clusters = id > r->n_clusters ? (uint32_t)id : r->n_clusters;
	}
	weft_map_fini(&at);
	weft_bursts_fini(&b);
	return rc ? cli_fail_code(rc) : CLI_OK;
}

static int find_clusters(struct cluster_run *r)
{
	uint32_t ids = r->how->take_ids ? weft_counters_type(r->trace, "90000001") : 0;
	double eps[WEFT_EPSILONS];
	unsigned n;
	if (!r->points.n)
		return CLI_OK;
	if (ids)
		return take_ids(r, ids);
	if (r->how->method == CLUSTER_HDBSCAN)
		return by_hdbscan(r);
	if (r->how->method != CLUSTER_DBSCAN)
		return by_refinement(r);
	if (!(r->eps > 0)) {
		int status = choose_eps(r, eps, &n);
		if (status || !n)
			return status;
		r->eps = eps[0];
	}
	return r->how->sample && r->points.n > r->how->sample ? by_sample(r) : by_dbscan(r);
}

/* ---- what is known of them ---- */

static void sum_clusters(struct cluster_run *r)
{
	unsigned n = cluster_n_values(r);
	double all = 0;
	for (size_t i = 0; i < r->points.n; i++) {
		struct cluster_of *c = &r->cluster[r->label[i]];
		c->bursts++;
		c->total_ns += r->duration[i];
		all += r->duration[i];
		for (unsigned k = 0; k < n; k++) {
			double v = weft_burst_value(&r->bursts, cluster_value(r, k), r->points.burst[i]);
			r->mean[r->label[i] * (size_t)n + k] += isfinite(v) ? v : 0;
		}
	}
	for (uint32_t c = 0; c <= r->n_clusters; c++) {
		r->cluster[c].share = all > 0 ? r->cluster[c].total_ns / all : 0;
		for (unsigned k = 0; k < n && r->cluster[c].bursts; k++)
			r->mean[c * (size_t)n + k] /= (double)r->cluster[c].bursts;
	}
}

static int describe(struct cluster_run *r)
{
	struct weft_refine_how how = refining(r);
	struct weft_sequence_score *score = NULL;
	double *share = NULL;
	int rc = weft_labels_by_weight(r->label, r->points.n, r->duration, &r->n_clusters);
	r->cluster = calloc(r->n_clusters + (size_t)1, sizeof *r->cluster);
	r->mean = calloc((r->n_clusters + (size_t)1) * cluster_n_values(r) + 1, sizeof *r->mean);
	if (rc || !r->cluster || !r->mean)
		return cli_fail_code(-ENOMEM);
	sum_clusters(r);
	rc = weft_refine_score(&how, r->label, r->points.n, r->n_clusters, &score, &share, &r->global, &r->alignment);
	for (uint32_t c = 0; c <= r->n_clusters && !rc; c++) {
		r->cluster[c].score = score[c].score;
		r->cluster[c].occurrences = score[c].occurrences;
	}
	free(score);
	free(share);
	return rc ? cli_fail_code(rc) : CLI_OK;
}

int cluster_step_describe(struct cluster_run *step, const struct cluster_run *r, double eps, const uint32_t *label,
                          uint32_t n_clusters)
{
	*step = *r;
	step->cluster = NULL;
	step->mean = NULL;
	step->alignment = (struct weft_alignment){0};
	step->eps = eps;
	step->n_clusters = n_clusters;
	step->label = malloc((r->points.n + 1) * sizeof *label);
	if (!step->label)
		return cli_fail_code(-ENOMEM);
	memcpy(step->label, label, r->points.n * sizeof *label);
	return describe(step);
}

void cluster_step_fini(struct cluster_run *step)
{
	weft_alignment_fini(&step->alignment);
	free(step->cluster);
	free(step->mean);
	free(step->label);
}

int64_t *cluster_ids(const struct cluster_run *r)
{
	int64_t *id = malloc((r->bursts.n + 1) * sizeof *id);
	for (size_t b = 0; id && b < r->bursts.n; b++)
		id[b] = r->points.fate[b];
	for (size_t i = 0; id && i < r->points.n; i++)
		id[r->points.burst[i]] = WEFT_BURST_NOISE + (int64_t)r->label[i];
	return id;
}

int cluster_run(struct cluster_run *r, const struct cli_common *common, const struct cluster_how *how)
{
	*r = (struct cluster_run){.common = common, .how = how};
	int status = how->control_path ? read_control(r) : CLI_OK;
	if (status)
		return status;
	status = cli_open(common, how->path, &r->trace, &r->filter);
	if (status)
		return status;
	if (!how->control_path)
		status = take_by(r, how->by ? how->by : usual(r->trace));
	if (!status && r->control.all_counters)
		status = add_all_counters(r);
	r->eps = how->eps > 0 ? how->eps : r->control.eps;
	r->min_points = how->min_points ? how->min_points : r->control.min_points ? r->control.min_points : MIN_POINTS;
	status = status ? status : find_counters(r);
	status = status ? status : find_bursts(r);
	status = status ? status : make_points(r);
	status = status ? status : find_clusters(r);
	return status ? status : describe(r);
}

void cluster_run_fini(struct cluster_run *r)
{
	weft_alignment_fini(&r->alignment);
	free(r->cluster);
	free(r->mean);
	free(r->label);
	free(r->duration);
	free(r->sequence);
	weft_burst_points_fini(&r->points);
	weft_bursts_fini(&r->bursts);
	weft_counters_fini(&r->counters);
	weft_control_fini(&r->control);
	weft_filter_free(r->filter);
	weft_trace_close(r->trace);
}
