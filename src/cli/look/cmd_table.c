/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `weft table`: a view's table of traces, as text, CSV, JSON or a picture; and back to where in time some of its cells come from.
 *
 *   view ─ load ─> bind to a trace ─ what options change ─> compute ─> a page for each plane ─> printed
 *                                                               └───> --cell: windows, drawn along time or saved
 */
#include "base/log.h"
#include "base/visible.h"
#include "cli/common/cli.h"
#include "metric/runs/run_tables.h"
#include "metric/table/sheet_cells.h"
#include "metric/table/table_choose.h"
#include "metric/text/text_view.h"
#include "render/table_picture.h"
#include "render/view_timeline.h"
#include "table_scale.h"
#include "table_text.h"
#include "view_load.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum form { FORM_TEXT, FORM_CSV, FORM_JSON, FORM_PNG, FORM_SVG };

struct args {
	struct cli_common common;
	const char *output, *statistic, *time, *rows, *window, *table, *plane, *save;
	struct weft_opt_list cell;
	struct cli_table_scale scale;
	uint64_t width;
	bool force, timeline;
	/* what they mean */
	enum form form;
	const struct weft_stat *stat;
	const char *view, *trace;
};

static const struct weft_opt options[] = {
	{'o', "output", "OUT", WEFT_OPT_STRING, offsetof(struct args, output),
         "write OUT, a .txt, .csv, .json, .png or .svg file; '-' is stdout (default)"},
	{0, "force", NULL, WEFT_OPT_FLAG, offsetof(struct args, force), "replace OUT if it is there"},
	CLI_TABLE_OPTIONS,
	{0, "table", "NAME", WEFT_OPT_STRING, offsetof(struct args, table),
         "the table of VIEW with this name or number (default: the last)"},
	{0, "plane", "NAME", WEFT_OPT_STRING, offsetof(struct args, plane),
         "of a table of three dimensions only the plane with this label"},
	{0, "window", "NAME", WEFT_OPT_STRING, offsetof(struct args, window),
         "time by the values of the window with this name or number, and none of VIEW's tables"},
	{0, "statistic", "NAME", WEFT_OPT_STRING, offsetof(struct args, statistic),
         "what cells are, in place of what the view says: time, time_share, bursts, average, ... (see weft-views(7))"},
	{0, "min", "VALUE", WEFT_OPT_STRING, offsetof(struct args, scale.min),
         "the least value of the columns, in place of the view's"},
	{0, "max", "VALUE", WEFT_OPT_STRING, offsetof(struct args, scale.max), "their greatest value"},
	{0, "delta", "VALUE", WEFT_OPT_STRING, offsetof(struct args, scale.delta),
         "a column for each range of values as wide as this"},
	{0, "columns", "N", WEFT_OPT_U64, offsetof(struct args, scale.columns), "N columns of equal width"},
	{'t', "time", "A..B", WEFT_OPT_STRING, offsetof(struct args, time),
         "from A up to B: like 10ms..1.5s, 25%..50%, 2s.. or ..90% (default: all)"},
	{0, "rows", "ROWS", WEFT_OPT_STRING, offsetof(struct args, rows),
         "only rows with these names or numbers, separated by commas; * and ? match: 1.1.*"},
	{0, "cell", "ROW,COLUMN", WEFT_OPT_LIST, offsetof(struct args, cell),
         "with --timeline or --save: this cell, by its labels; * is all; may be repeated"},
	{0, "timeline", NULL, WEFT_OPT_FLAG, offsetof(struct args, timeline),
         "where in time the values of the cells occur: a picture in OUT, or a list"},
	{0, "save", "VIEW", WEFT_OPT_STRING, offsetof(struct args, save), "save that as a view, a .view or .cfg file"},
	{0, "width", "PIXELS", WEFT_OPT_U64, offsetof(struct args, width), "width of a picture (default: 1200)"},
	CLI_OWN_THREADS_OPTION,
	CLI_READ_OPTIONS,
	{0},
};

/* ---- what the options mean ---- */

static bool ends_with(const char *z, const char *end)
{
	size_t n = strlen(z), k = strlen(end);
	return n >= k && !strcmp(z + n - k, end);
}

static void read_form(struct args *a)
{
	static const struct {
		const char *suffix;
		enum form form;
	} forms[] = {{".csv", FORM_CSV}, {".json", FORM_JSON}, {".png", FORM_PNG}, {".svg", FORM_SVG}};
	a->form = a->common.json ? FORM_JSON : a->common.csv ? FORM_CSV : FORM_TEXT;
	for (unsigned i = 0; a->output && i < 4; i++)
		if (ends_with(a->output, forms[i].suffix))
			a->form = forms[i].form;
}

static int read_statistic(struct args *a)
{
	char near[64];
	if (!a->statistic)
		return CLI_OK;
	a->stat = weft_stat_named(a->statistic, near);
	if (a->stat)
		return CLI_OK;
	return cli_usage(&weft_command_table, "option '--statistic': unknown statistic '%s'%s%s%s", a->statistic,
	                 *near ? " (did you mean '" : "", near, *near ? "'?)" : "");
}

static int table_check(struct args *a)
{
	bool cells = a->timeline || a->save;
	if (a->cell.n && !cells)
		return cli_usage(&weft_command_table, "option '--cell' wants --timeline or --save");
	if (cells && !a->cell.n)
		return cli_usage(&weft_command_table, "option '--%s' wants --cell ROW,COLUMN", a->timeline ? "timeline" : "save");
	if (a->table && a->window)
		return cli_usage(&weft_command_table, "options '--table' and '--window' exclude each other");
	if (a->width < WEFT_VIEW_WIDTH_LEAST || a->width > WEFT_VIEW_WIDTH_MOST)
		return cli_usage(&weft_command_table, "option '--width': expected %d to %d", WEFT_VIEW_WIDTH_LEAST,
		                 WEFT_VIEW_WIDTH_MOST);
	if (a->output && cli_check_ending(&weft_command_table, a->output, ".txt .csv .json .png .svg", NULL))
		return CLI_USAGE;
	if (a->save && cli_check_ending(&weft_command_table, a->save, ".view .cfg", NULL))
		return CLI_USAGE;
	const char *made[] = {a->output, a->save};
	for (unsigned i = 0; i < 2; i++)
		if (made[i] && strcmp(made[i], "-") != 0 && !a->force && access(made[i], F_OK) == 0)
			return cli_usage(&weft_command_table, "'%s' is there already (--force replaces it)", made[i]);
	int status = cli_table_scale_read(&a->scale);
	return status ? status : read_statistic(a);
}

/* ---- the table of a view ---- */

static int choose_table(const struct args *a, struct weft_view *v, struct weft_hist **out)
{
	struct weft_err err = {0};
	int64_t at;
	if (!a->window && a->table && !v->n_hists)
		return cli_usage(&weft_command_table, "option '--table': '%s' has no tables", a->view);
	if (!a->window)
		return weft_table_choose(v, a->table, out, &err)
		               ? cli_usage(&weft_command_table, "option '--table': %s", err.text)
		               : CLI_OK;
	if ((at = weft_window_choose(v, a->window, &err)) < 0)
		return cli_usage(&weft_command_table, "option '--window': %s", err.text);
	return weft_table_of_window(v, (uint32_t)at, out) ? cli_fail_code(-ENOMEM) : CLI_OK;
}

/* ---- ranges of time, rows ---- */

static int set_time(const struct args *a, struct weft_view *v, struct weft_hist *h, const struct weft_space *s)
{
	uint64_t from, to;
	struct weft_err err = {0};
	if (!a->time)
		return CLI_OK;
	if (weft_time_range(a->time, s->trace->end, &from, &to, &err))
		return cli_usage(&weft_command_table, "option '--time': %s", err.text);
	if (from > s->trace->end) {
		char end[32];
		return cli_usage(&weft_command_table, "option '--time': the trace ends at %s", weft_human_ns(end, s->trace->end));
	}
	weft_table_limit(v, h, s, from, to);
	return CLI_OK;
}

static int set_rows(const struct args *a, struct weft_view *v, const struct weft_hist *h, const struct weft_space *s)
{
	struct weft_err err = {0};
	int rc = a->rows ? weft_window_keep_rows(v, &v->window[h->control], s, a->rows, &err) : 0;
	if (rc == -ENOMEM)
		return cli_fail(&err);
	return rc ? cli_usage(&weft_command_table, "option '--rows': %s", err.text) : CLI_OK;
}

/* ---- printing ---- */

static unsigned line_width(FILE *to)
{
	struct winsize size;
	if (!ioctl(fileno(to), TIOCGWINSZ, &size) && size.ws_col >= 40)
		return size.ws_col;
	return 120;
}

/* "us" of a metric of times, "" of what has no unit: what stands behind the number of a value. */
static void put_unit(const struct weft_result *r, FILE *to)
{
	const struct weft_window *w = &r->view->window[r->hist->control];
	struct weft_buf z = {0};
	weft_value_name(r->space, w, r->view, 0.5, false, &z);
	const char *blank = z.n && !z.failed && z.at[0] == '0' ? strchr(z.at, ' ') : NULL;
	if (blank && r->column.delta != 1)
		weft_print_visible(to, " in%s", blank);
	weft_buf_fini(&z);
}

static void put_title(const struct args *a, const struct weft_result *r, uint32_t plane, FILE *to)
{
	const struct weft_hist *h = r->hist;
	char from[32], until[32];
	weft_print_visible(to, "%s: %s", h->name, weft_stat_name(h->stat));
	if (h->data != h->control && !weft_stat_of_comms(h->stat))
		weft_print_visible(to, " of %s", r->view->window[h->data].metric.name);
	weft_print_visible(to, " by %s", weft_stat_of_comms(h->stat) ? "partner" : r->view->window[h->control].metric.name);
	if (!weft_stat_of_comms(h->stat))
		put_unit(r, to);
	if (h->extra != WEFT_NONE) {
		struct weft_buf z = {0};
		weft_plane_label(r, plane, &z);
		weft_print_visible(to, ", %s: %s", r->view->window[h->extra].metric.name, z.n && !z.failed ? z.at : "");
		weft_buf_fini(&z);
	}
	weft_print_visible(to, "; %s", a->trace);
	if (a->time)
		weft_print_visible(to, ", %s to %s", weft_human_ns(from, (uint64_t)(r->begin * (double)r->space->unit_ns)),
		                   weft_human_ns(until, (uint64_t)(r->end * (double)r->space->unit_ns)));
	weft_print_visible(to, "\n\n");
}

static int print_page(const struct args *a, const struct weft_sheet *p, struct weft_sheet_set *set)
{
	if (a->form == FORM_CSV)
		return weft_sheet_csv(p, set);
	if (a->form == FORM_JSON)
		return weft_sheet_json(p, set);
	if (set->begun)
		fputc('\n', set->to);
	set->begun = true;
	put_title(a, p->result, p->plane, set->to);
	return cli_sheet_text(p, line_width(set->to), set->to);
}

static int print_plane(const struct args *a, const struct weft_result *r, uint32_t plane, struct weft_sheet_set *set)
{
	struct weft_sheet p;
	int rc = weft_sheet_make(&p, r, a->trace, plane);
	if (!rc)
		rc = print_page(a, &p, set);
	weft_sheet_fini(&p);
	return rc ? cli_fail_code(rc) : CLI_OK;
}

static int print_result(const struct args *a, const struct weft_result *r, int64_t plane, struct weft_sheet_set *set)
{
	bool three = r->hist->extra != WEFT_NONE;
	int status = CLI_OK;
	for (uint32_t i = 0; i < r->depth.n && !status; i++)
		if (!three || (r->plane[i].any && (!a->plane || i == plane)))
			status = print_plane(a, r, i, set);
	return status;
}

static int write_file(const char *path, const struct weft_buf *text)
{
	struct weft_err err = {0};
	struct weft_out out;
	if (text->failed)
		return cli_fail_code(-ENOMEM);
	if (weft_out_open(&out, path, &err))
		return cli_fail(&err);
	fwrite(text->at, 1, text->n, out.to);
	return weft_out_commit(&out, &err) ? cli_fail(&err) : CLI_OK;
}

static enum weft_picture_form picture_form(const struct args *a)
{
	return a->form == FORM_PNG ? WEFT_PICTURE_PNG : WEFT_PICTURE_SVG;
}

static int draw_table(const struct args *a, const struct weft_sheet *p)
{
	struct weft_buf picture = {0};
	struct weft_table_picture_how how = {.width = (unsigned)a->width,
	                                     .plane = p->plane,
	                                     .column = p->column,
	                                     .n_columns = p->n_columns};
	int rc = weft_table_picture(&picture, picture_form(a), p->result, &how);
	int status = rc ? cli_fail_code(rc) : write_file(a->output, &picture);
	weft_buf_fini(&picture);
	return status;
}

/* ---- cells along time ---- */

static int save_view(const struct args *a, const struct weft_view *v)
{
	struct weft_buf text = {0};
	if (ends_with(a->save, ".cfg"))
		weft_view_write(v, &text);
	else
		weft_view_print(v, &(struct weft_print_how){.plain = true}, &text);
	int status = write_file(a->save, &text);
	weft_buf_fini(&text);
	return status;
}

static int show_cells(const struct args *a, const struct weft_view *v, const struct weft_space *s, const struct weft_window *w)
{
	struct weft_buf picture = {0};
	struct weft_err err = {0};
	struct weft_out out;
	if (a->form == FORM_PNG || a->form == FORM_SVG) {
		struct weft_view_timeline_how how = {.space = s,
		                                     .view = v,
		                                     .window = w,
		                                     .width = (unsigned)a->width,
		                                     .from = w->begin,
		                                     .to = w->end,
		                                     .time_draw = WEFT_DRAWS,
		                                     .rows_draw = WEFT_DRAWS,
		                                     .color = WEFT_COLORS,
		                                     .threads = cli_open_how(&a->common).threads};
		int rc = weft_view_timeline_draw(&picture, picture_form(a), &how);
		int status = rc ? cli_fail_code(rc) : write_file(a->output, &picture);
		weft_buf_fini(&picture);
		return status;
	}
	enum weft_table_form form = a->form == FORM_CSV    ? WEFT_TABLE_CSV
	                            : a->form == FORM_JSON ? WEFT_TABLE_JSON
	                                                   : WEFT_TABLE_TEXT;
	if (weft_out_open(&out, a->output ? a->output : "-", &err))
		return cli_fail(&err);
	int rc = weft_cells_intervals(s, w, form, out.to);
	if (rc) {
		weft_out_abandon(&out);
		return cli_fail_code(rc);
	}
	return weft_out_commit(&out, &err) ? cli_fail(&err) : CLI_OK;
}

static int follow_cells(const struct args *a, struct weft_view *v, const struct weft_sheet *p)
{
	struct weft_window *w;
	struct weft_err err = {0};
	const struct weft_space *s = p->result->space;
	if (weft_cells_window(v, p, a->cell.at, a->cell.n, &w, &err))
		return cli_fail(&err);
	if (a->time) {
		w->begin_is_part = w->end_is_part = false;
		w->begin_time = w->begin;
		w->end_time = w->end;
	}
	int status = a->save ? save_view(a, v) : CLI_OK;
	return !status && a->timeline ? show_cells(a, v, s, w) : status;
}

/* ---- one trace ---- */

static int use_result(const struct args *a, struct weft_view *v, const struct weft_result *r, struct weft_sheet_set *set)
{
	struct weft_sheet p;
	bool picture = a->form == FORM_PNG || a->form == FORM_SVG;
	int64_t plane = weft_plane_choose(r, a->plane);
	if (plane < 0)
		return cli_usage(&weft_command_table, "option '--plane': the table has no plane '%s'", a->plane);
	if (!a->cell.n && !picture)
		return print_result(a, r, plane, set);
	int rc = weft_sheet_make(&p, r, a->trace, (uint32_t)plane);
	int status = rc ? cli_fail_code(rc) : a->cell.n ? follow_cells(a, v, &p) : draw_table(a, &p);
	weft_sheet_fini(&p);
	return status;
}

static int table_compute(const struct args *a, struct weft_view *v, const struct weft_space *s, struct weft_sheet_set *set)
{
	struct weft_err err = {0};
	struct weft_hist *h = NULL;
	struct weft_result r;
	if (cli_view_bind(v, a->view, s, &err))
		return cli_fail(&err);
	cli_view_say_large(v, s, &a->common);
	int status = choose_table(a, v, &h);
	if (!status)
		status = set_time(a, v, h, s);
	if (!status)
		status = set_rows(a, v, h, s);
	if (status)
		return status;
	if (a->stat)
		h->stat = a->stat;
	status = cli_table_scale_set(&a->scale, h);
	if (status)
		return status;
	int rc = weft_hist_compute(&r, v, h, s, cli_open_how(&a->common).threads);
	status = rc ? cli_fail_code(rc) : use_result(a, v, &r, set);
	weft_result_fini(&r);
	return status;
}

static int run_trace(const struct args *a, struct weft_sheet_set *set)
{
	struct weft_trace *t;
	struct weft_space s;
	struct weft_view v;
	struct weft_err err = {0};
	if (weft_view_load(&v, a->view, &err)) {
		int failed = cli_view_fail(&v, &err);
		weft_view_fini(&v);
		return failed;
	}
	if (v.dropped && !v.n_hists) { /* its only table: no other is what was asked for */
		weft_err_set(&err, WEFT_E_SYNTAX, "%s", v.dropped);
		weft_view_fini(&v);
		return cli_fail(&err);
	}
	if (v.dropped)
		weft_log(WEFT_LOG_WARN, "%s", v.dropped);
	int status = cli_open(&a->common, a->trace, &t, NULL);
	if (!status) {
		status = cli_space_init(&s, t, &a->common) ? cli_fail_code(-ENOMEM) : table_compute(a, &v, &s, set);
		weft_space_fini(&s);
		weft_trace_close(t);
	}
	weft_view_fini(&v);
	return status;
}

static bool has_planes(const struct args *a)
{
	struct weft_view v;
	struct weft_err err = {0};
	bool planes = false;
	if (!weft_view_load(&v, a->view, &err))
		for (uint32_t i = 0; i < v.n_hists; i++)
			planes |= v.hist[i].extra != WEFT_NONE;
	weft_view_fini(&v);
	return planes;
}

static int run_traces(struct args *a, char **trace, int n)
{
	struct weft_err err = {0};
	struct weft_out out;
	struct weft_sheet_set set = {.long_form = n > 1 || has_planes(a)};
	bool own = a->cell.n || a->form == FORM_PNG || a->form == FORM_SVG; /* those open their outputs themselves */
	int status = CLI_OK;
	if (!own && weft_out_open(&out, a->output ? a->output : "-", &err))
		return cli_fail(&err);
	if (!own)
		set.to = out.to;
	weft_json_init(&set.json, set.to, true);
	if (!own && a->form == FORM_JSON)
		weft_json_array(&set.json);
	for (int i = 0; i < n && !status; i++) {
		a->trace = trace[i];
		status = run_trace(a, &set);
	}
	if (own)
		return status;
	if (!status && a->form == FORM_JSON)
		weft_json_end(&set.json);
	if (status) {
		weft_out_abandon(&out);
		return status;
	}
	return weft_out_commit(&out, &err) ? cli_fail(&err) : CLI_OK;
}

static int print_run_table(const struct args *a, const struct weft_trace *t, uint64_t from, uint64_t to)
{
	struct weft_run_table_how how = {.from = from, .to = to, .own_threads = a->common.own_threads};
	struct weft_run_table r;
	char z[32];
	int rc = weft_run_table_make(&r, t, a->view, &how);
	if (rc) {
		weft_run_table_fini(&r);
		return cli_fail_code(rc);
	}
	int status = cli_table(&r.table, &a->common);
	if (!status && r.peak_bytes && cli_form(&a->common) == WEFT_TABLE_TEXT)
		printf("\nAt most %s were in use.\n", weft_human_bytes(z, r.peak_bytes));
	if (!status && r.lock_entries && cli_form(&a->common) == WEFT_TABLE_TEXT)
		printf("\n%" PRIu64
		       " times locks were taken; only those that were waited for have rows, unless all were recorded.\n",
		       r.lock_entries);
	return status;
}

/*
 * A table of a runtime, where the trace has what it is made of: then *done. Else the view of that name is meant, as it is where the
 * options are those of views.
 */
static int try_run_table(const struct args *a, const char *path, bool *done)
{
	struct weft_trace *t;
	struct weft_err err = {0};
	struct stat is;
	uint64_t from = 0, to = WEFT_NEVER;
	*done = false;
	if (a->stat || a->cell.n || a->table || a->window || a->plane || a->rows || !weft_run_table_named(a->view) ||
	    stat(path, &is) || !(S_ISDIR(is.st_mode) || S_ISREG(is.st_mode)))
		return CLI_OK;
	int status = cli_open(&a->common, path, &t, NULL);
	if (status)
		return status;
	*done = weft_run_table_has(t, a->view);
	const char *lacks = *done ? NULL : weft_run_table_lacks(t, a->view);
	if (lacks) {
		*done = true;
		status = cli_fail_text("'%s' has nothing of the category '%s', of which the table '%s' is (weft record --on %s)",
		                       t->path, lacks, a->view, lacks);
	} else if (*done && a->output && strcmp(a->output, "-") != 0)
		status = cli_usage(&weft_command_table, "the table '%s' goes to stdout: say --csv or --json, and no -o", a->view);
	else if (*done && a->time && weft_time_range(a->time, t->end, &from, &to, &err))
		status = cli_fail(&err);
	else if (*done)
		status = print_run_table(a, t, from, to);
	weft_trace_close(t);
	return status;
}

static int table_run(int argc, char **argv)
{
	struct args a = {.width = 1200, .scale = {.columns = CLI_TABLE_COLUMNS_UNSAID}};
	int n;
	if (!cli_parse(&weft_command_table, &a, argc, argv, &n))
		return CLI_USAGE;
	cli_talk(&a.common, argv[0]);
	if (!cli_operands(&weft_command_table, argv, n, 2, -1))
		return CLI_USAGE;
	a.view = argv[1];
	read_form(&a);
	int status = table_check(&a);
	if (!status && n > 2 && (a.cell.n || a.form == FORM_PNG || a.form == FORM_SVG))
		status = cli_usage(&weft_command_table, "a picture, and cells, are of one trace; there are %d", n - 1);
	bool done = false;
	if (!status && n == 2)
		status = try_run_table(&a, argv[2], &done);
	return status || done ? status : run_traces(&a, argv + 2, n - 1);
}

const struct weft_command weft_command_table = {
	.name = "table",
	.operands = "VIEW TRACE...",
	.summary = "a view's table of a trace: profiles, histograms, who talks to whom",
	.about = "Computes the table of a view: a row for each thread (or process, ...), a column for\n"
		 "each value of a metric, in the cells a statistic. VIEW is a name of the library (see\n"
		 "'weft view list'), a view text or a .cfg of Paraver. With --cell it goes back from the\n"
		 "table to time: where the values of these cells occur.\n"
		 "Of a recorded program mpi-profile, mpi-matrix, openmp, locks, io and memory are\n"
		 "tables of their own: calls, times, bytes, waits (see weft-table(1)).\n"
		 "\n"
		 "Examples:\n"
		 "    weft table states run.prv\n"
		 "    weft table states run.prv --statistic bursts --time 25%..75% --csv\n"
		 "    weft table states run.prv -o states.svg\n"
		 "    weft table mpi-profile run.weft\n"
		 "    weft table states run.prv --cell '*,Running' --timeline -o running.svg",
	.options = options,
	.run = table_run,
};
