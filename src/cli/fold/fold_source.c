/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the lines of the source took: as CSV; as "file:line: text", which editors and compilers' logs have, so that an editor goes from one to the next; as a
 * page with the source itself. Sources are read below one folder only: a trace says their names, and a page may be given to others.
 */
#include "base/fs.h"
#include "base/vec.h"
#include "fold_run.h"
#include "render/draw/svg.h"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { NAME = 1024, SOURCE_MOST = 8 << 20 };

struct fold_lines { /* owned, but of, and what lines point to */
	const struct fold_run *of;
	struct weft_fold_line *line; /* the one with most samples first */
	double *rates;
	size_t n;
	char (*file)[NAME]; /* by line */
	unsigned *number;
};

static void lines_fini(struct fold_lines *l)
{
	free(l->line);
	free(l->rates);
	free(l->file);
	free(l->number);
}

static int lines_make(struct fold_lines *l, const struct fold_run *r)
{
	*l = (struct fold_lines){.of = r};
	const double **slope = malloc((r->fold.n_counters + (size_t)1) * sizeof *slope);
	for (unsigned c = 0; slope && c < r->fold.n_counters; c++)
		slope[c] = r->curve[c].none ? NULL : r->curve[c].slope;
	int rc = slope ? weft_fold_lines(&r->fold, slope, r->fold.n_counters, r->how->steps, &l->line, &l->rates, &l->n)
	               : -ENOMEM;
	free(slope);
	l->file = rc ? NULL : calloc(l->n + 1, sizeof *l->file);
	l->number = rc ? NULL : calloc(l->n + 1, sizeof *l->number);
	if (!l->file || !l->number)
		return rc ? rc : -ENOMEM;
	for (size_t i = 0; i < l->n; i++)
		l->number[i] = fold_line_place(r, l->line[i].line, l->file[i], sizeof l->file[i]);
	return 0;
}

/* ---- CSV ---- */

static void quoted(struct weft_buf *to, const char *z)
{
	weft_buf_puts(to, "\"");
	for (; *z; z++)
		weft_buf_printf(to, *z == '"' ? "\"\"" : "%c", *z);
	weft_buf_puts(to, "\"");
}

/* file,line,function,samples,percent,place and a rate (counts per µs) for each counter. */
static void as_csv(const struct fold_lines *l, struct weft_buf *to)
{
	const struct fold_run *r = l->of;
	weft_buf_puts(to, "file,line,function,samples,percent,place");
	for (unsigned c = 0; c < r->fold.n_counters; c++)
		if (!r->curve[c].none)
			weft_buf_printf(to, ",%s/us", r->curve[c].name);
	weft_buf_puts(to, "\n");
	for (size_t i = 0; i < l->n; i++) {
		quoted(to, l->file[i]);
		weft_buf_printf(to, ",%u,", l->number[i]);
		quoted(to, fold_function_name(r, l->line[i].function));
		weft_buf_printf(to, ",%zu,%.2f,%.4f", l->line[i].samples, 100 * l->line[i].share, l->line[i].x);
		for (unsigned c = 0; c < r->fold.n_counters; c++)
			if (!r->curve[c].none)
				weft_buf_printf(to, ",%g", l->line[i].rate[c]);
		weft_buf_puts(to, "\n");
	}
}

/* ---- for an editor ---- */

static void as_text(const struct fold_lines *l, struct weft_buf *to)
{
	const struct fold_run *r = l->of;
	for (size_t i = 0; i < l->n; i++) {
		if (!l->file[i][0])
			continue;
		weft_buf_printf(to, "%s:%u: %.2f %% in %s, at %.2f of '%s'", l->file[i], l->number[i], 100 * l->line[i].share,
		                fold_function_name(r, l->line[i].function), l->line[i].x, r->region);
		for (unsigned c = 0; c < r->fold.n_counters; c++)
			if (!r->curve[c].none)
				weft_buf_printf(to, ", %s %g/us", r->curve[c].name, l->line[i].rate[c]);
		weft_buf_puts(to, "\n");
	}
}

/* ---- a page ---- */

/* Of a file below the folder: its text, to be freed; NULL: there is none. */
static char *find_source(const char *folder, const char *name)
{
	char root[PATH_MAX], path[PATH_MAX], real[PATH_MAX], *text = NULL;
	const char *base = strrchr(name, '/');
	struct weft_err err = {0};
	struct stat st;
	size_t n;
	if (!realpath(folder, root))
		return NULL;
	for (unsigned way = 0; way < 3 && !text; way++) { /* as it was called; below the folder; there, without its folders */
		int used = way == 0 ? snprintf(path, sizeof path, "%s", name)
		                    : snprintf(path, sizeof path, "%s/%s", root, way == 2 && base ? base + 1 : name);
		const size_t length = strlen(root);
		if (used < 0 || (size_t)used >= sizeof path || !realpath(path, real) || strncmp(real, root, length) != 0 ||
		    (real[length] != '/' && length > 1) || stat(real, &st) || !S_ISREG(st.st_mode) || st.st_size > SOURCE_MOST)
			continue;
		if (weft_read_file(real, &text, &n, &err))
			text = NULL;
	}
	return text;
}

static void head_of_table(const struct fold_run *r, struct weft_buf *to)
{
	weft_buf_puts(to, "<table><tr><th>line</th><th>share</th>");
	for (unsigned c = 0; c < r->fold.n_counters; c++)
		if (!r->curve[c].none) {
			weft_buf_puts(to, "<th>");
			svg_escaped(to, r->curve[c].name, 0);
			weft_buf_puts(to, "/us</th>");
		}
	weft_buf_puts(to, "<th class=\"s\">source</th></tr>\n");
}

/* A line of a file: what it took, if anything did. */
static void put_line(const struct fold_lines *l, const char *file, unsigned number, const char *text, struct weft_buf *to)
{
	const struct fold_run *r = l->of;
	const struct weft_fold_line *most = NULL;
	double share = 0;
	for (size_t i = 0; i < l->n; i++) /* of several functions that were put there, the one with most samples has the rates */
		if (l->number[i] == number && !strcmp(l->file[i], file)) {
			share += l->line[i].share;
			most = most ? most : &l->line[i];
		}
	weft_buf_printf(to, "<tr><td>%u</td>", number);
	if (most)
		weft_buf_printf(to, "<td style=\"background:rgba(220,80,40,%.3f)\">%.2f %%</td>", share < 0.5 ? 2 * share : 1,
		                100 * share);
	else
		weft_buf_puts(to, "<td></td>");
	for (unsigned c = 0; c < r->fold.n_counters; c++)
		if (!r->curve[c].none && most)
			weft_buf_printf(to, "<td>%g</td>", most->rate[c]);
		else if (!r->curve[c].none)
			weft_buf_puts(to, "<td></td>");
	weft_buf_puts(to, "<td class=\"s\">");
	svg_escaped(to, text, 0);
	weft_buf_puts(to, "</td></tr>\n");
}

static int ascending(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
	return x < y ? -1 : x > y;
}

/* Where the source is not at hand: only the lines of which something is known. */
static int put_known(const struct fold_lines *l, const char *file, struct weft_buf *to)
{
	unsigned *number = malloc((l->n + 1) * sizeof *number);
	size_t n = 0;
	for (size_t i = 0; i < l->n && number; i++)
		if (!strcmp(l->file[i], file))
			number[n++] = l->number[i];
	if (!number)
		return -ENOMEM;
	if (n)
		qsort(number, n, sizeof *number, ascending);
	for (size_t i = 0; i < n; i++)
		if (!i || number[i] != number[i - 1])
			put_line(l, file, number[i], "", to);
	free(number);
	return 0;
}

static int put_file(const struct fold_lines *l, const char *file, const char *folder, struct weft_buf *to)
{
	char *text = find_source(folder, file);
	int rc = 0;
	weft_buf_puts(to, "<h2>");
	svg_escaped(to, file, 0);
	weft_buf_puts(to, text ? "</h2>\n" : "</h2>\n<p>The source is not below the folder.</p>\n");
	head_of_table(l->of, to);
	if (!text)
		rc = put_known(l, file, to);
	unsigned number = 1;
	for (char *at = text, *end; at && *at; at = end) {
		end = at + strcspn(at, "\n");
		if (*end)
			*end++ = '\0';
		put_line(l, file, number++, at, to);
	}
	weft_buf_puts(to, "</table>\n");
	free(text);
	return rc;
}

/* Files in the order of their lines with most samples. */
static int as_page(const struct fold_lines *l, const char *folder, struct weft_buf *to)
{
	int rc = 0;
	weft_buf_puts(to, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>");
	svg_escaped(to, l->of->region, 0);
	weft_buf_puts(
		to, "</title>\n<style>body{font:14px system-ui,sans-serif}table{border-collapse:collapse}td,th{padding:0 .6em;"
		    "text-align:right;font:12px monospace;white-space:pre}td.s,th.s{text-align:left}</style></head><body>\n<h1>");
	svg_escaped(to, l->of->region, 0);
	weft_buf_printf(to, "</h1>\n<p>%zu samples of %zu instances; rates where each line's samples are.</p>\n",
	                l->of->fold.stats.samples, l->of->fold.stats.used);
	for (size_t i = 0; i < l->n && !rc; i++) {
		bool first = l->file[i][0] != '\0';
		for (size_t k = 0; k < i && first; k++)
			first = strcmp(l->file[k], l->file[i]) != 0;
		if (first)
			rc = put_file(l, l->file[i], folder, to);
	}
	weft_buf_puts(to, "</body></html>\n");
	return rc;
}

/* ---- */

static bool ends_with(const char *path, const char *ending)
{
	const size_t n = strlen(path), m = strlen(ending);
	return n > m && !strcmp(path + n - m, ending);
}

int fold_write_lines(const struct fold_run *r, const char *path, const char *folder)
{
	struct fold_lines l;
	struct weft_buf text = {0};
	struct weft_out out;
	struct weft_err err = {0};
	int rc = lines_make(&l, r);
	if (!rc && ends_with(path, ".html"))
		rc = as_page(&l, folder ? folder : ".", &text);
	else if (!rc && ends_with(path, ".txt"))
		as_text(&l, &text);
	else if (!rc)
		as_csv(&l, &text);
	rc = rc ? rc : text.failed ? -ENOMEM : weft_out_open(&out, path, &err);
	if (!rc) {
		fwrite(text.at, 1, text.n, out.to);
		rc = weft_out_commit(&out, &err);
	}
	lines_fini(&l);
	weft_buf_fini(&text);
	return !rc ? CLI_OK : err.code ? cli_fail(&err) : cli_fail_code(rc);
}
