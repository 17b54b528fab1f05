/* SPDX-License-Identifier: Apache-2.0 */
/* The files of BSC's suite, in its columns and forms. Ids of clusters in them are numbers + 5. */
#include "cluster_run.h"
#include "tool/tool_insert.h"
#include "trace/paraver/prv_names.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_BEFORE = 7, LINE_MORE = 2 }; /* LINE_MORE: the suite counts lines from 3 */

/* ---- lines of a .prv ---- */

struct finding {
	const struct cluster_run *r;
	struct cluster_lines *l;
	size_t *next;      /* by thread: in `burst` */
	const size_t *end; /* by thread */
	uint32_t *burst;   /* by thread, then time */
	uint64_t unit;
};

static int on_state(void *arg, const struct weft_tool_state *s)
{
	struct finding *f = arg;
	const struct weft_bursts *b = &f->r->bursts;
	if (s->thread >= f->r->trace->n_threads)
		return 0;
	size_t *next = &f->next[s->thread];
	while (*next < f->end[s->thread] && b->begin[f->burst[*next]] < s->begin * f->unit)
		++*next;
	if (*next < f->end[s->thread] && b->begin[f->burst[*next]] == s->begin * f->unit) {
		f->l->line[f->burst[*next]] = s->line;
		f->l->cpu[f->burst[*next]] = s->cpu;
		++*next;
	}
	return 0;
}

static uint64_t unit_of(const struct weft_trace *t)
{
	const char *suffix = weft_trace_note(t, PRV_NOTE_UNIT);
	return !suffix || !strcmp(suffix, "_ns") ? 1 : !strcmp(suffix, "_ms") ? 1000000 : 1000;
}

int cluster_find_lines(const struct cluster_run *r, struct cluster_lines *l)
{
	const struct weft_bursts *b = &r->bursts;
	struct finding f = {.r = r, .l = l, .unit = unit_of(r->trace)};
	struct weft_err err = {0};
	size_t threads = r->trace->n_threads;
	*l = (struct cluster_lines){calloc(b->n + 1, sizeof *l->line), calloc(b->n + 1, sizeof *l->cpu)};
	size_t *first = calloc(threads + 2, sizeof *first), *next = calloc(threads + 1, sizeof *next);
	f.burst = malloc((b->n + 1) * sizeof *f.burst);
	int rc = l->line && l->cpu && first && next && f.burst ? 0 : weft_err_set(&err, -ENOMEM, "out of memory");
	if (!rc && !strcmp(r->trace->format, "prv")) {
		for (size_t i = 0; i < b->n; i++)
			first[b->thread[i] + 1]++;
		for (size_t t = 0; t < threads; t++) {
			first[t + 1] += first[t];
			next[t] = first[t];
		}
		for (size_t i = 0; i < b->n; i++) /* bursts of a thread stand in the order of time */
			f.burst[next[b->thread[i]]++] = (uint32_t)i;
		memcpy(next, first, threads * sizeof *next);
		f.next = next;
		f.end = first + 1;
		rc = weft_tool_states(r->how->path, PRV_STATE_RUNNING, on_state, &f, &err);
	}
	free(first);
	free(next);
	free(f.burst);
	return rc ? cli_fail(&err) : CLI_OK;
}

void cluster_lines_fini(struct cluster_lines *l)
{
	free(l->line);
	free(l->cpu);
	*l = (struct cluster_lines){NULL, NULL};
}

/* ---- DATA.csv ---- */

static bool is_whole(const struct weft_burst_metric *m)
{
	return !m->operation;
}

static void print_value(FILE *to, const struct weft_burst_metric *m, double v)
{
	fprintf(to, is_whole(m) ? "%.0f" : "%f", isfinite(v) ? v : 0);
}

static int finish(struct weft_out *out)
{
	struct weft_err err = {0};
	return weft_out_commit(out, &err) ? cli_fail(&err) : CLI_OK;
}

static void data_row(const struct cluster_run *r, const struct cluster_lines *l, size_t point, FILE *to)
{
	const struct weft_bursts *b = &r->bursts;
	const struct weft_control *c = &r->control;
	uint32_t i = r->points.burst[point];
	const struct weft_thread_row *thread = &r->trace->thread[b->thread[i]];
	const struct weft_process *process = &r->trace->process[thread->process];
	uint32_t task = thread->process - r->trace->app[process->app].first_process;
	fprintf(to, "%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, i, task,
	        thread->number - 1, b->begin[i], b->end[i], b->end[i] - b->begin[i], l->line[i] ? l->line[i] + LINE_MORE : 0);
	for (unsigned d = 0; d < c->n_metrics; d++) {
		fputc(',', to);
		print_value(to, &c->metric[d], r->points.raw[point * r->points.dims + d]);
	}
	for (unsigned d = 0; d < c->n_metrics; d++)
		fprintf(to, ", %f", r->points.at[point * r->points.dims + d]);
	for (unsigned k = 0; k < c->n_extra; k++) {
		fputc(',', to);
		print_value(to, &c->extra[k], weft_burst_value(b, &c->extra[k], i));
	}
	fprintf(to, ",%" PRIu32 "\n", r->label[point] + WEFT_BURST_NOISE);
}

int cluster_write_data(const struct cluster_run *r, const struct cluster_lines *l, const char *path)
{
	const struct weft_control *c = &r->control;
	struct weft_out out;
	struct weft_err err = {0};
	if (weft_out_open(&out, path, &err))
		return cli_fail(&err);
	fputs("# Instance,TaskId,ThreadId,Begin_Time,End_Time,Duration, Line", out.to);
	for (unsigned d = 0; d < c->n_metrics; d++)
		fprintf(out.to, ", d_%s", c->metric[d].name);
	for (unsigned d = 0; d < c->n_metrics; d++)
		fprintf(out.to, ", n_%s", c->metric[d].name);
	for (unsigned k = 0; k < c->n_extra; k++)
		fprintf(out.to, ", x_%s", c->extra[k].name);
	fputs(",ClusterID\n", out.to);
	for (size_t i = 0; i < r->points.n; i++)
		data_row(r, l, i, out.to);
	return finish(&out);
}

/* ---- clusters_info.csv ---- */

int cluster_write_info(const struct cluster_run *r, const char *path)
{
	struct weft_out out;
	struct weft_err err = {0};
	unsigned values = cluster_n_values(r);
	if (weft_out_open(&out, path, &err))
		return cli_fail(&err);
	fputs("Cluster Name,NOISE", out.to);
	for (uint32_t c = 1; c <= r->n_clusters; c++)
		fprintf(out.to, ",Cluster %" PRIu32, c);
	fputs("\nDensity", out.to);
	for (uint32_t c = 0; c <= r->n_clusters; c++)
		fprintf(out.to, ",%" PRIu64, r->cluster[c].bursts);
	fputs("\nTotal Duration", out.to);
	for (uint32_t c = 0; c <= r->n_clusters; c++)
		fprintf(out.to, ",%.0f", r->cluster[c].total_ns);
	fputs("\nAvg. Duration", out.to);
	for (uint32_t c = 0; c <= r->n_clusters; c++)
		fprintf(out.to, ",%.0f", r->cluster[c].bursts ? r->cluster[c].total_ns / (double)r->cluster[c].bursts : 0);
	fputs("\n% Total Duration", out.to);
	for (uint32_t c = 0; c <= r->n_clusters; c++)
		fprintf(out.to, ",%.5f", r->cluster[c].share);
	for (unsigned k = r->control.n_metrics; k < values; k++) {
		fprintf(out.to, "\n%s", cluster_value(r, k)->name);
		for (uint32_t c = 0; c <= r->n_clusters; c++)
			fprintf(out.to, ",%.0f", r->mean[c * (size_t)values + k]);
	}
	fputc('\n', out.to);
	return finish(&out);
}

/* ---- plots ---- */

uint32_t cluster_color(uint32_t id)
{
	if (id < PRV_STATES)
		return (uint32_t)prv_states[id].red << 16 | (uint32_t)prv_states[id].green << 8 | prv_states[id].blue;
	/* Behind the colours that have names: hues far from each other, in three lightnesses. */
	double hue = fmod(id * 0.618033988749895, 1) * 6, x = 1 - fabs(fmod(hue, 2) - 1);
	double light = 0.55 + 0.2 * (id % 3);
	double rgb[6][3] = {{1, x, 0}, {x, 1, 0}, {0, 1, x}, {0, x, 1}, {x, 0, 1}, {1, 0, x}};
	const double *c = rgb[(unsigned)hue % 6];
	return (uint32_t)(c[0] * light * 255) << 16 | (uint32_t)(c[1] * light * 255) << 8 | (uint32_t)(c[2] * light * 255);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash && slash[1] ? slash + 1 : path;
}

/* Column of DATA.csv, from 1; 0: no such metric. */
static unsigned column_of(const struct cluster_run *r, const char *metric, bool raw)
{
	const struct weft_control *c = &r->control;
	for (unsigned d = 0; d < c->n_metrics; d++)
		if (!strcmp(c->metric[d].name, metric))
			return COLUMNS_BEFORE + 1 + d + (raw ? 0 : c->n_metrics);
	for (unsigned k = 0; k < c->n_extra; k++)
		if (!strcmp(c->extra[k].name, metric))
			return COLUMNS_BEFORE + 1 + 2 * c->n_metrics + k;
	return 0;
}

static void print_range(FILE *to, char axis, const struct weft_control_axis *a)
{
	fprintf(to, "set %crange [", axis);
	if (!isnan(a->least))
		fprintf(to, "%g", a->least);
	fputc(':', to);
	if (!isnan(a->most))
		fprintf(to, "%g", a->most);
	fputs("]\n", to);
}

static void print_plot(const struct cluster_run *r, const struct weft_control_plot *p, unsigned axes, const unsigned column[3],
                       const char *data, FILE *to)
{
	static const char letter[] = "xyz";
	unsigned id_column = COLUMNS_BEFORE + 1 + 2 * r->control.n_metrics + r->control.n_extra;
	fprintf(to,
	        "set datafile separator \",\"\n\nset title \"Cluster Analysis Results of trace '%s'\\nDBSCAN (Eps=%g, MinPoints=%u)\"\n",
	        base_name(r->how->path), r->eps, r->min_points);
	for (unsigned a = 0; a < axes; a++)
		fprintf(to, "set %clabel \"%s\"\n", letter[a], p->axis[a].title ? p->axis[a].title : p->axis[a].metric);
	for (unsigned a = 0; a < axes; a++)
		print_range(to, letter[a], &p->axis[a]);
	fprintf(to, "\nset key right outside\n%s ", axes == 3 ? "splot" : "plot");
	for (uint32_t c = 0; c <= r->n_clusters; c++) {
		fprintf(to, "%s'%s' using %u:", c ? ",\\\n" : "", data, column[0]);
		if (axes == 3)
			fprintf(to, "%u:", column[1]);
		fprintf(to, "($%u == %u ? $%u : 1/0) w points ps 1.5 lt rgbcolor \"#%06x\" title \"", id_column,
		        c + WEFT_BURST_NOISE, column[axes - 1], cluster_color(c + WEFT_BURST_NOISE));
		if (c)
			fprintf(to, "Cluster %u\"", c);
		else
			fputs("Noise\"", to);
	}
	fputs("\npause -1 \"Press return to continue...\"\n", to);
}

static int write_plot(const struct cluster_run *r, const struct weft_control_plot *p, const char *output)
{
	char ending[512], path[4096], data[4096];
	unsigned column[3] = {0}, axes = p->axis[2].metric ? 3 : 2;
	struct weft_out out;
	struct weft_err err = {0};
	for (unsigned a = 0; a < axes; a++)
		if (!(column[a] = column_of(r, p->axis[a].metric, p->raw)))
			return cli_fail_text("%s: a plot of '%s', which is no metric there", r->how->control_path,
			                     p->axis[a].metric);
	snprintf(ending, sizeof ending, ".%.120s.%.120s%s%.120s.gnuplot", p->axis[0].metric, p->axis[1].metric,
	         axes == 3 ? "." : "", axes == 3 ? p->axis[2].metric : "");
	for (char *z = ending; *z; z++)
		*z = *z == '/' || *z == ' ' ? '_' : *z;
	if (!cli_prefixed(path, sizeof path, output, ending) || !cli_prefixed(data, sizeof data, output, ".DATA.csv"))
		return cli_fail_text("'%s' is too long for a name", output);
	if (weft_out_open(&out, path, &err))
		return cli_fail(&err);
	print_plot(r, p, axes, column, base_name(data), out.to);
	return finish(&out);
}

int cluster_write_plots(const struct cluster_run *r, const char *output)
{
	const struct weft_control *c = &r->control;
	int status = CLI_OK;
	for (unsigned i = 0; i < c->n_plots && !status && !c->all_plots; i++)
		status = write_plot(r, &c->plot[i], output);
	for (unsigned x = 0; x < c->n_metrics && (c->all_plots || !c->n_plots); x++)
		for (unsigned y = x + 1; y < c->n_metrics && !status; y++) {
			struct weft_control_plot p = {.raw = true,
			                              .axis = {{c->metric[x].name, NULL, NAN, NAN},
			                                       {c->metric[y].name, NULL, NAN, NAN}}};
			status = write_plot(r, &p, output);
		}
	return status;
}

/* ---- sequences and scores ---- */

static char letter_of(uint32_t id)
{
	static const char letters[] = "XACDEFGHIKLMNPQRSTVWY"; /* amino acids, as programs of biologists know them; X is noise */
	return id < sizeof letters - 1 ? letters[id] : 'Y';
}

int cluster_write_sequences(const struct cluster_run *r, const char *path, bool fasta)
{
	const struct weft_alignment *a = &r->alignment;
	struct weft_out out;
	struct weft_err err = {0};
	if (weft_out_open(&out, path, &err))
		return cli_fail(&err);
	for (uint32_t i = 0; i < a->n; i++) {
		if (fasta)
			fprintf(out.to, ">%u\n", i);
		for (size_t c = 0; c < a->columns; c++) {
			uint32_t id = a->cell[i * a->columns + c];
			if (fasta)
				fputc(id == WEFT_SEQUENCE_GAP ? '-' : letter_of(id), out.to);
			else if (id == WEFT_SEQUENCE_GAP)
				fprintf(out.to, "%s-", c ? "," : "");
			else
				fprintf(out.to, "%s%u", c ? "," : "", id + WEFT_BURST_NOISE);
		}
		fputc('\n', out.to);
	}
	return finish(&out);
}

int cluster_write_scores(const struct cluster_run *r, const char *path)
{
	struct weft_out out;
	struct weft_err err = {0};
	if (weft_out_open(&out, path, &err))
		return cli_fail(&err);
	fputs("Cluster,Cluster Score,Occurrences,WeightedScore\n", out.to);
	for (uint32_t c = 0; c <= r->n_clusters; c++) {
		const struct cluster_of *k = &r->cluster[c];
		if (c)
			fprintf(out.to, "Cluster %u", c);
		else
			fputs("NOISE", out.to);
		fprintf(out.to, ",%f,%" PRIu64 ",%f\n", k->score, k->occurrences, k->score * k->share);
	}
	fprintf(out.to, "GLOBAL,%f\n", r->global);
	return finish(&out);
}
