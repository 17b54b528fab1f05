/* SPDX-License-Identifier: Apache-2.0 */
/* One remedy tried: the recorded lengths are copied, changed, played. Its gain is set against the run played without a change. */
#include "remedy.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t busy_of(struct weft_remedies *r, uint32_t thread)
{
	const struct weft_causal *c = r->c;
	uint64_t ns = 0;
	for (uint32_t i = c->thread[thread].first_node; i < c->thread[thread].first_node + c->thread[thread].n_nodes; i++)
		for (uint32_t k = c->node[i].first_part; k < c->node[i + 1].first_part; k++)
			if (weft_causal_computes(c, c->part[k].path)) {
				ns += c->part[k].ns;
				r->busy_ns[c->part[k].path] += c->part[k].ns;
			}
	return ns;
}

/* Threads that bear the work: those that do a tenth of what the busiest does. */
static void count_busy(struct weft_remedies *r)
{
	uint64_t most = 0;
	for (unsigned pass = 0; pass < 2; pass++) {
		memset(r->busy_ns, 0, (size_t)r->c->n_paths * sizeof *r->busy_ns);
		for (uint32_t t = 0; t < r->c->n_threads; t++) {
			uint64_t ns = busy_of(r, t);
			most = ns > most ? ns : most;
			r->n_busy += pass && ns > most / 10;
		}
	}
	r->n_busy = r->n_busy ? r->n_busy : 1;
}

int weft_remedies_init(struct weft_remedies *r, const struct weft_causal *c)
{
	struct weft_whatif_result base;
	*r = (struct weft_remedies){.c = c, .measured = c->end - c->begin};
	r->busy_ns = calloc((size_t)c->n_paths + 1, sizeof *r->busy_ns);
	int rc = r->busy_ns ? weft_whatif_init(&r->base, c) : -ENOMEM;
	if (!rc)
		rc = weft_whatif_run(&r->base, false, &base);
	if (rc) {
		weft_remedies_fini(r);
		return rc;
	}
	r->replayed = base.end ? base.end : 1;
	r->forced = base.forced;
	r->net = weft_whatif_network(c);
	count_busy(r);
	weft_whatif_result_fini(&base);
	return 0;
}

void weft_remedies_fini(struct weft_remedies *r)
{
	weft_whatif_fini(&r->base);
	free(r->busy_ns);
	*r = (struct weft_remedies){0};
}

/* ---- changes by kind: what was touched, or negative ---- */

static int64_t paths_of(const struct weft_remedies *r, const struct weft_remedy *m, bool **paths)
{
	uint32_t n = 1;
	*paths = NULL;
	if (!m->what[0])
		return 1;
	*paths = weft_whatif_paths(r->c, m->what, &n);
	return !*paths ? -ENOMEM : n ? (int64_t)n : -ENOENT;
}

static int64_t change_balance(const struct weft_remedies *r, const struct weft_remedy *m, struct weft_whatif *w)
{
	bool *paths;
	int64_t n = paths_of(r, m, &paths);
	int rc = n < 0 ? (int)n : weft_whatif_balance(w, paths);
	free(paths);
	return rc < 0 ? rc : n;
}

static int64_t change_faster(const struct weft_remedies *r, const struct weft_remedy *m, struct weft_whatif *w)
{
	bool *paths;
	int64_t n = paths_of(r, m, &paths);
	if (n > 0)
		weft_whatif_faster(w, paths, m->factor);
	free(paths);
	return n;
}

static int64_t change_overlap(const struct weft_remedies *r, const struct weft_remedy *m, struct weft_whatif *w)
{
	bool *paths;
	int64_t n = paths_of(r, m, &paths);
	if (n > 0)
		weft_whatif_overlap(w, paths);
	free(paths);
	return n;
}

static int64_t change_merge(const struct weft_remedies *r, const struct weft_remedy *m, struct weft_whatif *w)
{
	uint64_t n;
	(void)m;
	weft_whatif_merge(w, &r->net, &n);
	return (int64_t)n;
}

const char *weft_remedy_lock_name(const struct weft_causal *c, uint32_t lock, char *out, size_t room)
{
	if (c->lock[lock].name)
		snprintf(out, room, "lock 0x%llx", (unsigned long long)c->lock[lock].name);
	else
		snprintf(out, room, "%s", c->lock[lock].region == WEFT_CAUSAL_NONE ? "" : c->region[c->lock[lock].region].name);
	return out;
}

static int64_t change_unlock(const struct weft_remedies *r, const struct weft_remedy *m, struct weft_whatif *w)
{
	char name[200];
	int64_t n = 0;
	if (!m->what[0] || m->lock != WEFT_CAUSAL_NONE) {
		weft_whatif_unlock(w, m->lock);
		return 1;
	}
	for (uint32_t i = 0; i < r->c->n_locks; i++)
		if (weft_glob(m->what, weft_remedy_lock_name(r->c, i, name, sizeof name))) {
			weft_whatif_unlock(w, i);
			n++;
		}
	return n ? n : -ENOENT;
}

static int64_t change_schedule(const struct weft_remedies *r, const struct weft_remedy *m, struct weft_whatif *w)
{
	uint64_t n;
	(void)r;
	int rc = weft_whatif_loops(w, &m->loop, &n);
	return rc ? rc : (int64_t)n;
}

static int64_t change_ideal(const struct weft_remedies *r, const struct weft_remedy *m, struct weft_whatif *w)
{
	(void)r, (void)m;
	weft_whatif_ideal(w);
	return 1;
}

static int64_t change_latency(const struct weft_remedies *r, const struct weft_remedy *m, struct weft_whatif *w)
{
	weft_whatif_net(w, &r->net, m->factor, 1);
	return 1;
}

static int64_t change_bandwidth(const struct weft_remedies *r, const struct weft_remedy *m, struct weft_whatif *w)
{
	weft_whatif_net(w, &r->net, 1, 1 / m->factor);
	return 1;
}

static int64_t change_threads(const struct weft_remedies *r, const struct weft_remedy *m, struct weft_whatif *w)
{
	(void)r;
	weft_whatif_share(w, 1 / m->factor);
	return 1;
}

static int64_t change_ranks(const struct weft_remedies *r, const struct weft_remedy *m, struct weft_whatif *w)
{
	double ranks = r->n_busy > 1 ? r->n_busy : 2, grows = log2(ranks * m->factor) / log2(ranks);
	weft_whatif_share(w, 1 / m->factor);
	weft_whatif_net(w, &(struct weft_whatif_net){.latency_ns = 0, .ns_per_byte = 1}, grows, 1);
	return 1;
}

static int64_t (*const change[WEFT_REMEDY_KINDS])(const struct weft_remedies *, const struct weft_remedy *,
                                                  struct weft_whatif *) = {
	[WEFT_REMEDY_BALANCE] = change_balance,     [WEFT_REMEDY_FASTER] = change_faster,
	[WEFT_REMEDY_OVERLAP] = change_overlap,     [WEFT_REMEDY_MERGE] = change_merge,
	[WEFT_REMEDY_UNLOCK] = change_unlock,       [WEFT_REMEDY_SCHEDULE] = change_schedule,
	[WEFT_REMEDY_IDEAL] = change_ideal,         [WEFT_REMEDY_LATENCY] = change_latency,
	[WEFT_REMEDY_BANDWIDTH] = change_bandwidth, [WEFT_REMEDY_THREADS] = change_threads,
	[WEFT_REMEDY_RANKS] = change_ranks,
};

/* ---- what it is called ---- */

static const char *const schedule_names[] = {"static", "dynamic", "guided"};

static void name_schedule(const struct weft_remedy *m, struct weft_remedy_answer *out)
{
	const char *name = schedule_names[m->loop.schedule];
	char chunk[32] = "", threads[32] = "", to[48] = "";
	if (m->loop.chunk)
		snprintf(chunk, sizeof chunk, ",%llu", (unsigned long long)m->loop.chunk);
	if (m->loop.n_threads) {
		snprintf(threads, sizeof threads, "%s,%u", m->loop.chunk ? "" : ",0", m->loop.n_threads);
		snprintf(to, sizeof to, " to %u threads", m->loop.n_threads);
	}
	snprintf(out->option, sizeof out->option, "--schedule %s%s%s", name, chunk, threads);
	snprintf(out->text, sizeof out->text, "loops handed out by schedule(%s%s)%s", name, chunk, to);
}

static void name_it(const struct weft_remedy *m, struct weft_remedy_answer *out)
{
	const char *option = weft_remedy_row[m->kind].option, *what = m->what;
	char *text = out->text;
	size_t n = sizeof out->text;
	snprintf(out->option, sizeof out->option, what[0] ? "%s '%s'" : "%s", option, what);
	switch (m->kind) {
	case WEFT_REMEDY_BALANCE:
		snprintf(text, n, what[0] ? "'%s' balanced in each phase" : "all work balanced in each phase%s", what);
		if (!what[0])
			snprintf(out->option, sizeof out->option, "--balance '*'");
		break;
	case WEFT_REMEDY_FASTER:
		snprintf(text, n, "'%s' %g times faster", what, m->factor);
		snprintf(out->option, sizeof out->option, "--faster '%s'=%g", what, m->factor);
		break;
	case WEFT_REMEDY_OVERLAP:
		snprintf(text, n, what[0] ? "messages of '%s' overlapped with work" : "messages overlapped with work%s", what);
		if (!what[0])
			snprintf(out->option, sizeof out->option, "--overlap '*'");
		break;
	case WEFT_REMEDY_MERGE:
		snprintf(text, n, "messages in a row merged");
		break;
	case WEFT_REMEDY_UNLOCK:
		snprintf(text, n, what[0] ? "'%s' removed" : "all locks removed%s", what);
		if (!what[0])
			snprintf(out->option, sizeof out->option, "--no-lock '*'");
		break;
	case WEFT_REMEDY_SCHEDULE:
		name_schedule(m, out);
		break;
	case WEFT_REMEDY_TASK_SIZE:
		snprintf(text, n, m->factor > 1 ? "tasks %g times as coarse" : "tasks divided by %g",
		         m->factor > 1 ? m->factor : 1 / m->factor);
		snprintf(out->option, sizeof out->option, "--task-size %g", m->factor);
		break;
	case WEFT_REMEDY_IDEAL:
		snprintf(text, n, "an ideal network");
		break;
	case WEFT_REMEDY_LATENCY:
		snprintf(text, n, "latency times %g", m->factor);
		snprintf(out->option, sizeof out->option, "--latency %g", m->factor);
		break;
	case WEFT_REMEDY_BANDWIDTH:
		snprintf(text, n, "bandwidth times %g", m->factor);
		snprintf(out->option, sizeof out->option, "--bandwidth %g", m->factor);
		break;
	default:
		snprintf(text, n, "%s times %g",
		         m->kind == WEFT_REMEDY_WORKERS   ? "workers"
		         : m->kind == WEFT_REMEDY_THREADS ? "threads of parallel regions"
		                                          : "ranks",
		         m->factor);
		snprintf(out->option, sizeof out->option, "%s x%g", option, m->factor);
	}
}

/* ---- gains ---- */

/* The share of the run that each thread, on the average, has less to do. */
static double work_saved(const struct weft_remedies *r, const struct weft_whatif *w)
{
	double saved = 0;
	for (uint32_t i = 0; i < r->c->n_nodes; i++)
		saved += (double)r->base.burst[i] - (double)w->burst[i];
	return saved / (double)r->n_busy / (double)r->replayed;
}

static void judge(const struct weft_remedies *r, struct weft_remedy_answer *a, double share, double saved)
{
	const struct weft_remedy_row *row = &weft_remedy_row[a->remedy.kind];
	double error = fabs((double)r->replayed - (double)r->measured) / (double)r->measured;
	double doubt = row->doubt * fabs(1 - share) + error;
	a->predicted = (uint64_t)(share * (double)r->measured);
	a->gain = 1 - share;
	a->low = a->gain - doubt;
	a->high = a->gain + doubt < 1 ? a->gain + doubt : 1;
	a->score = row->weight * a->gain;
	if (row->sort == WEFT_REMEDY_WORK || row->sort == WEFT_REMEDY_MORE)
		a->score = a->gain - saved;
}

static int try_tasks(const struct weft_remedies *r, const struct weft_remedy *m, struct weft_remedy_answer *out)
{
	struct weft_whatif_task_answer t;
	struct weft_whatif_tasks how = {.merge = 1};
	int rc = weft_whatif_play_tasks(r->c, &(struct weft_whatif_tasks){0, 1}, &t);
	uint32_t were = t.workers;
	if (rc || !t.n_tasks)
		return rc;
	if (m->kind != WEFT_REMEDY_TASK_SIZE)
		how.workers = (uint32_t)(m->factor * were + 0.5) ? (uint32_t)(m->factor * were + 0.5) : 1;
	else
		how.merge = m->factor;
	rc = weft_whatif_play_tasks(r->c, &how, &t);
	if (rc || !t.as_replayed)
		return rc;
	/* the stretch with tasks becomes longer or shorter, what is around it stays */
	double changed = (double)t.recorded * ((double)t.changed / (double)t.as_replayed);
	double share = 1 + (changed - (double)t.recorded) / (double)r->measured;
	double ideal = m->kind != WEFT_REMEDY_TASK_SIZE ? (1 - 1 / m->factor) * (double)t.recorded / (double)r->measured : 0;
	out->touched = t.n_tasks;
	judge(r, out, share, ideal > 0 ? ideal : 0);
	return 0;
}

int weft_remedy_try(const struct weft_remedies *r, const struct weft_remedy *m, struct weft_remedy_answer *out)
{
	struct weft_whatif w;
	struct weft_whatif_result result;
	*out = (struct weft_remedy_answer){.remedy = *m, .predicted = r->measured};
	name_it(m, out);
	/* where OpenMP's threads run tasks, these are what more of them would share */
	bool tasks = !change[m->kind] || (m->kind == WEFT_REMEDY_THREADS && !r->c->tasks.n && weft_whatif_has_tasks(r->c));
	if (tasks)
		return try_tasks(r, m, out);
	int rc = weft_whatif_copy(&w, &r->base);
	if (rc)
		return rc;
	int64_t n = change[m->kind](r, m, &w);
	if (n > 0 && !(rc = weft_whatif_run(&w, false, &result))) {
		out->touched = (uint64_t)n;
		out->forced = result.forced;
		judge(r, out, (double)result.end / (double)r->replayed, work_saved(r, &w));
		weft_whatif_result_fini(&result);
	}
	weft_whatif_fini(&w);
	return n < 0 ? (int)n : rc;
}
