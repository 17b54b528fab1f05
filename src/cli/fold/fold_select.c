/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A region of a trace of ours by its name; of a .prv a value of a type by its label (user functions first), or a cluster. Without a name the one
 * that takes most time of those that come three times at least.
 */
#include "fold_select.h"
#include "analyze/cluster/dbscan.h"
#include "analyze/cluster/labels.h"
#include "base/map.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GROUP_EPS 0.1 /* of the logarithm: durations that differ by a tenth are neighbours */
enum { GROUP_POINTS = 3 };
enum { USER_FUNCTION = 60000019, CLUSTER = 90000001, NOISE = 5, LEAST_INSTANCES = 3 };

/* "main [file, exe]" is called main, and so is "main (exe)". */
static bool label_is(const char *label, const char *name)
{
	size_t n = strlen(name);
	if (weft_glob(name, label))
		return true;
	return !strncmp(label, name, n) && label[n] == ' ' && (label[n + 1] == '[' || label[n + 1] == '(');
}

static const struct weft_def_row *type_row(const struct fold_run *r, uint32_t type)
{
	return &r->trace->def[WEFT_CLASS_TYPE].at[type];
}

/* Of user functions first, then of any type: one that has a value of that name. */
static uint32_t type_with(const struct fold_run *r, const char *name)
{
	const struct weft_def_table *types = &r->trace->def[WEFT_CLASS_TYPE];
	for (unsigned pass = 0; pass < 2; pass++)
		for (uint32_t i = 1; i < types->n; i++) {
			const struct weft_def_row *d = &types->at[i];
			bool user = d->code == USER_FUNCTION;
			if (user == (pass > 0) || !d->n_events)
				continue;
			for (uint32_t k = 0; k < d->n_labels; k++)
				if (d->label[k].value != 0 && label_is(d->label[k].text, name))
					return i;
		}
	return 0;
}

static const char *value_name(const struct fold_run *r, uint32_t type, int64_t value, char *room, size_t n)
{
	const char *label = type ? weft_value_label(type_row(r, type), value) : NULL;
	if (label)
		return label;
	snprintf(room, n, "%" PRIi64, value);
	return room;
}

/* Whether instances are told by values, not by regions; those of a list have values of no type. */
static bool by_value(const struct fold_run *r, uint32_t type)
{
	return type || r->how->list;
}

/* Keeps the bursts of one value (or region). */
static void keep(struct weft_bursts *b,
                 bool (*wanted)(const struct fold_run *r, uint32_t type, const struct weft_bursts *b, size_t i),
                 const struct fold_run *r, uint32_t type)
{
	size_t n = 0;
	for (size_t i = 0; i < b->n; i++)
		if (wanted(r, type, b, i)) {
			b->thread[n] = b->thread[i];
			b->begin[n] = b->begin[i];
			b->end[n] = b->end[i];
			b->region[n] = b->region[i];
			b->value[n++] = b->value[i];
		}
	b->n = n;
}

static bool is_region(const struct fold_run *r, uint32_t type, const struct weft_bursts *b, size_t i)
{
	char room[32];
	if (by_value(r, type))
		return label_is(value_name(r, type, b->value[i], room, sizeof room), r->region);
	return label_is(r->trace->def[WEFT_CLASS_REGION].at[b->region[i]].name, r->region);
}

static bool is_cluster(const struct fold_run *r, uint32_t type, const struct weft_bursts *b, size_t i)
{
	(void)type;
	return b->value[i] == (int64_t)r->how->cluster + NOISE;
}

/* What takes most time of what comes often enough; of a trace without such, what takes most. */
static int choose_name(struct fold_run *r, uint32_t type, const struct weft_bursts *b)
{
	struct weft_map time = {0}, count = {0};
	uint64_t best = 0, best_key = 0;
	bool often = false;
	int rc = 0;
	for (size_t i = 0; i < b->n && !rc; i++) {
		uint64_t key = by_value(r, type) ? (uint64_t)b->value[i] : b->region[i], t = 0, n = 0;
		weft_map_get(&time, key, &t);
		weft_map_get(&count, key, &n);
		rc = weft_map_put(&time, key, t + b->end[i] - b->begin[i]);
		rc = rc ? rc : weft_map_put(&count, key, n + 1);
	}
	for (size_t i = 0; i < b->n && !rc; i++) {
		uint64_t key = by_value(r, type) ? (uint64_t)b->value[i] : b->region[i], t = 0, n = 0;
		weft_map_get(&time, key, &t);
		weft_map_get(&count, key, &n);
		bool is_often = n >= LEAST_INSTANCES;
		if ((is_often && !often) || (is_often == often && t > best)) {
			best = t;
			best_key = key;
			often = is_often;
		}
	}
	char room[32];
	if (!rc && b->n)
		snprintf(r->region, sizeof r->region, "%s",
		         by_value(r, type) ? value_name(r, type, (int64_t)best_key, room, sizeof room)
		                           : r->trace->def[WEFT_CLASS_REGION].at[best_key].name);
	/* A name that is a pattern by chance must mean itself. */
	for (char *z = r->region; *z; z++)
		*z = *z == '*' ? '?' : *z;
	weft_map_fini(&time);
	weft_map_fini(&count);
	return rc ? cli_fail_code(rc) : CLI_OK;
}

static int find_type(struct fold_run *r, uint32_t *type)
{
	*type = 0;
	if (r->how->list)
		return CLI_OK;
	if (r->how->cluster) {
		*type = weft_counters_type(r->trace, "90000001");
		return *type ? CLI_OK
		             : cli_fail_text("'%s' has no clusters: make them with 'weft cluster %s -o OUT'", r->how->path,
		                             r->how->path);
	}
	if (r->how->type) {
		*type = weft_counters_type(r->trace, r->how->type);
		return *type ? CLI_OK : cli_fail_text("'%s' has no type '%s'", r->how->path, r->how->type);
	}
	bool has_regions = r->trace->def[WEFT_CLASS_REGION].n > 1;
	if (has_regions)
		return CLI_OK;
	*type = r->how->region ? type_with(r, r->how->region) : weft_counters_type(r->trace, "60000019");
	if (!*type && r->how->region)
		return cli_fail_text("'%s' has no type of events with a value '%s'", r->how->path, r->how->region);
	return *type ? CLI_OK
	             : cli_fail_text("'%s' has no regions: say with --type which events begin and end one", r->how->path);
}

static void shorten_name(struct fold_run *r)
{
	char *end = strstr(r->region, " [");
	end = end ? end : strstr(r->region, " (");
	if (end)
		*end = '\0';
}

/* ---- groups ---- */

static int sum_groups(struct fold_run *r, const struct weft_bursts *b, const uint32_t *label, uint32_t n)
{
	r->group = calloc(n + 1, sizeof *r->group);
	r->n_groups = r->group ? n : 0;
	for (size_t i = 0; r->group && i < b->n; i++)
		if (label[i]) {
			r->group[label[i] - 1].n++;
			r->group[label[i] - 1].total_ns += (double)(b->end[i] - b->begin[i]);
		}
	return r->group ? 0 : -ENOMEM;
}

/* Durations that hang together, each with one near it, are a group; numbered by their time. What stands alone is in none. */
static int split(struct fold_run *r, struct weft_bursts *b)
{
	double *at = malloc((b->n + 1) * 2 * sizeof *at), *weight = at + b->n + 1;
	uint32_t *label = malloc((b->n + 1) * sizeof *label), n = 0;
	struct weft_err err = {0};
	int rc = at && label ? 0 : -ENOMEM;
	for (size_t i = 0; i < b->n && !rc; i++) {
		weight[i] = (double)(b->end[i] - b->begin[i]);
		at[i] = log(weight[i] > 1 ? weight[i] : 1);
	}
	const struct weft_cloud cloud = {at, b->n, 1};
	const struct weft_dbscan_how how = {GROUP_EPS, GROUP_POINTS, (unsigned)r->common->threads};
	rc = rc ? rc : weft_dbscan(&cloud, &how, label, &n, &err);
	rc = rc ? rc : weft_labels_by_weight(label, b->n, weight, &n);
	rc = rc ? rc : sum_groups(r, b, label, n);
	size_t kept = 0;
	for (size_t i = 0; i < b->n && !rc; i++)
		if (label[i] == r->how->group) {
			b->thread[kept] = b->thread[i];
			b->begin[kept] = b->begin[i];
			b->end[kept] = b->end[i];
			b->region[kept] = b->region[i];
			b->value[kept++] = b->value[i];
		}
	free(at);
	free(label);
	if (rc)
		return err.code ? cli_fail(&err) : cli_fail_code(rc);
	b->n = kept;
	return kept ? CLI_OK
	            : cli_fail_text("'%s': the instances of '%s' are of %" PRIu32 " groups, and none is %" PRIu64, r->how->path,
	                            r->region, n, r->how->group);
}

static int find_instances(struct fold_run *r, struct weft_bursts *out, uint32_t type)
{
	struct weft_err err = {0};
	struct weft_burst_row *rows = NULL;
	char of[4200];
	struct weft_bursts_how how = {.of = type ? WEFT_BURSTS_TYPE : WEFT_BURSTS_REGIONS,
	                              .type = type,
	                              .filter = r->filter,
	                              .to = WEFT_NEVER,
	                              .own_threads = r->how->own_threads,
	                              .threads = (unsigned)r->common->threads};
	int status = CLI_OK;
	if (r->how->list) {
		snprintf(of, sizeof of, "csv=%s", r->how->list);
		status = cli_bursts_of(NULL, of, r->trace, &how, &rows);
	}
	if (!status && r->how->time && weft_time_range(r->how->time, r->trace->end, &how.from, &how.to, &err))
		status = cli_fail(&err);
	if (!status && weft_bursts_make(out, r->trace, &how, &err))
		status = cli_fail(&err);
	free(rows);
	return status;
}

int fold_select(struct fold_run *r, struct weft_bursts *out)
{
	uint32_t type;
	int status = find_type(r, &type);
	if (!status)
		status = find_instances(r, out, type);
	if (status)
		return status;
	if (r->how->cluster) {
		snprintf(r->region, sizeof r->region, "Cluster %" PRIu64, r->how->cluster);
		keep(out, is_cluster, r, type);
	} else {
		if (r->how->region)
			snprintf(r->region, sizeof r->region, "%s", r->how->region);
		else
			status = choose_name(r, type, out);
		keep(out, is_region, r, type);
		shorten_name(r);
	}
	if (!status && out->n && r->how->split)
		return split(r, out);
	if (!status && !out->n)
		return cli_fail_text("'%s' has no instance of '%s' here", r->how->path, r->region);
	return status;
}
