/* SPDX-License-Identifier: Apache-2.0 */
#include "factor_kept.h"
#include "cli/common/left_out.h"
#include "factor_ideal.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>

struct kept_parts {
	struct factor_run run; /* a stretch for each that was kept, and for each gap */
	double *weight;        /* by stretch: for how many it stands; 0: a gap */
};

bool factor_has_gaps(const struct factor_run *r, const struct weft_trace *t)
{
	struct cli_left_out l;
	bool any = false;
	if (r->n != 1 || cli_left_out_read(&l, t))
		return false;
	for (size_t i = 0; i < l.n_gaps; i++)
		any = any || ((double)l.gap[i].from < r->edge[1] && (double)l.gap[i].to > r->edge[0]);
	cli_left_out_fini(&l);
	return any;
}

/* Ends a stretch at a time, unless it would have no length. */
static void end_part(struct kept_parts *p, double at, double last, double weight)
{
	at = at < last ? at : last;
	if (at <= p->run.edge[p->run.n])
		return;
	p->weight[p->run.n] = weight;
	p->run.edge[++p->run.n] = at;
}

/* What was kept up to a time: stretch by stretch, of its kind each. */
static void end_kept(struct kept_parts *p, const struct cli_left_out *l, size_t *next, double at, double last)
{
	double weight = *next ? cli_left_out_weight(l, l->kept[*next - 1].kind) : 1;
	for (; *next < l->n_kept && (double)l->kept[*next].at < at; ++*next) {
		end_part(p, (double)l->kept[*next].at, last, weight);
		weight = cli_left_out_weight(l, l->kept[*next].kind);
	}
	end_part(p, at, last, weight);
}

static int divide(struct kept_parts *p, const struct factor_run *r, const struct weft_trace *t)
{
	struct cli_left_out l;
	size_t next = 0;
	int rc = cli_left_out_read(&l, t);
	const size_t most = 2 * l.n_gaps + l.n_kept + 2;
	p->run = (struct factor_run){.path = r->path};
	p->run.edge = calloc(most, sizeof *p->run.edge);
	p->weight = calloc(most, sizeof *p->weight);
	if (!p->run.edge || !p->weight)
		rc = -ENOMEM;
	if (!rc)
		p->run.edge[0] = r->edge[0];
	for (size_t i = 0; i < l.n_gaps && !rc; i++) {
		end_kept(p, &l, &next, (double)l.gap[i].from, r->edge[1]);
		end_part(p, (double)l.gap[i].to, r->edge[1], 0);
	}
	if (!rc)
		end_kept(p, &l, &next, r->edge[1], r->edge[1]);
	cli_left_out_fini(&l);
	return rc ? cli_fail_code(rc) : CLI_OK;
}

/* One that is not divided would make the sum wrong: then there is none. */
static void add_ideal(struct factor_run *r, const struct kept_parts *p)
{
	double ns = 0;
	bool any = false;
	if (p->run.no_ideal[0])
		snprintf(r->no_ideal, sizeof r->no_ideal, "%s", p->run.no_ideal);
	for (uint32_t i = 0; i < p->run.n && !r->no_ideal[0]; i++)
		if (p->weight[i] > 0 && !isnan(p->run.f[i].ideal_runtime)) {
			ns += p->weight[i] * p->run.f[i].ideal_runtime;
			any = true;
		}
	if (any)
		weft_factors_set_ideal(&r->f[0], ns, r->f[0].useful_max < ns ? r->f[0].useful_max : ns);
}

int factor_kept(struct factor_run *r, const struct weft_trace *t, const struct weft_space *s, const struct factor_run_how *how)
{
	struct kept_parts p;
	int status = divide(&p, r, t);
	r->f = calloc(1, sizeof *r->f);
	if (!status && !r->f)
		status = cli_fail_code(-ENOMEM);
	if (!status)
		status = factor_measure(&p.run, s, how->common, p.weight, r->f);
	if (!status && how->ideal)
		status = factor_ideal(&p.run, t, true, p.weight, how->common);
	if (!status)
		add_ideal(r, &p);
	free(p.weight);
	factor_run_fini(&p.run);
	return status;
}
