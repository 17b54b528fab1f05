/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A window as paramedir writes it: for each row, in the order of the objects, a line for each of
 * its intervals from the window's
 * begin to the interval that reaches its end:  object TAB begin TAB duration TAB value.
 * Rows become text in parallel, a few at a time, and are written in order.
 */
#include "base/fs.h"
#include "base/pool.h"
#include "paraver_out.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { ROWS_AT_ONCE = 64 };

/* Labels of nodes and cpus are those of the object before: so the tool writes them. */
static void row_name(const struct weft_space *s, enum weft_level level, uint32_t row, struct weft_buf *out)
{
	const struct weft_trace *t = s->trace;
	char z[40];
	if (level == WEFT_THREAD) {
		weft_buf_puts(out, weft_thread_label(t, row, z));
	} else if (level == WEFT_TASK) {
		const struct weft_process *p = &t->process[row];
		weft_buf_printf(out, "%u.%u", p->app + 1, row - t->app[p->app].first_process + 1);
	} else if (level == WEFT_APPL) {
		weft_buf_printf(out, "%u", row + 1);
	} else if (level == WEFT_NODE || (level == WEFT_CPU && !row)) {
		weft_buf_printf(out, "%u", row);
	} else if (level == WEFT_CPU) {
		uint32_t node = t->cpu[row - 1].node;
		weft_buf_printf(out, "%u.%u", node + 1, row - 1 - t->node[node].first_cpu + 1);
	}
}

/* Two decimals, as printf does it; whole numbers, which most are, by hand. */
static void put_number(struct weft_buf *out, double v)
{
	if (v == floor(v) && fabs(v) < 1e15 && !(v == 0 && signbit(v))) {
		weft_buf_i64(out, (int64_t)v);
		weft_buf_add(out, ".00", 3);
	} else {
		char z[400];
		int n = snprintf(z, sizeof z, "%.2f", v);
		weft_buf_add(out, z, (size_t)n);
	}
}

struct rows {
	const struct weft_space *space;
	const struct weft_window *window;
	const struct weft_paraver_how *how;
	uint32_t first;
	struct weft_buf text[ROWS_AT_ONCE];
};

static void put_interval(const struct rows *r, struct weft_buf *out, const struct weft_buf *name, double begin, double end,
                         double value)
{
	if (!r->how->many_files) {
		weft_buf_add(out, name->at, name->n);
		weft_buf_putc(out, '\t');
	}
	enum weft_unit unit = r->window->metric.unit, own = r->space->unit;
	if (r->how->trace_units) {
		weft_buf_i64(out, (int64_t)begin);
		weft_buf_putc(out, '\t');
		weft_buf_i64(out, (int64_t)(end - begin));
	} else {
		put_number(out, weft_unit_convert(begin, own, unit));
		weft_buf_putc(out, '\t');
		put_number(out, weft_unit_convert(end - begin, own, unit));
	}
	weft_buf_putc(out, '\t');
	put_number(out, value);
	weft_buf_putc(out, '\n');
}

static int make_row(void *arg, size_t i, unsigned worker)
{
	struct rows *r = arg;
	struct weft_row *row;
	struct weft_buf name = {0}, *out = &r->text[i];
	struct weft_intervals *b = malloc(sizeof *b);
	uint32_t object = r->first + (uint32_t)i;
	(void)worker;
	int rc = b ? weft_row_open(&row, r->space, &r->window->metric, object, r->window->begin, r->window->end) : -ENOMEM;
	if (rc) {
		free(b);
		return rc;
	}
	row_name(r->space, r->window->metric.level, object, &name);
	while ((rc = weft_row_next(row, b)) > 0) {
		double begin = b->begin;
		for (uint32_t k = 0; k < b->n; k++) {
			put_interval(r, out, &name, begin, b->end[k], b->value[k]);
			begin = b->end[k];
		}
	}
	weft_row_close(row);
	free(b);
	if (name.failed || out->failed)
		rc = -ENOMEM;
	weft_buf_fini(&name);
	return rc;
}

static int write_text(const struct weft_buf *text, FILE *to, const char *path, struct weft_err *err)
{
	if (text->n && fwrite(text->at, 1, text->n, to) != text->n)
		return weft_err_sys(err, errno, "cannot write '%s'", path);
	return 0;
}

static int write_own_file(const struct rows *r, size_t i, const char *path, struct weft_err *err)
{
	struct weft_buf name = {0};
	struct weft_out out;
	weft_buf_printf(&name, "%s_%05u", path, r->first + (uint32_t)i + 1);
	int rc = name.failed ? -ENOMEM : weft_out_open(&out, name.at, err);
	if (!rc) {
		rc = write_text(&r->text[i], out.to, name.at, err);
		if (rc)
			weft_out_abandon(&out);
		else
			rc = weft_out_commit(&out, err);
	}
	weft_buf_fini(&name);
	return rc;
}

/* `to`: NULL where each row has its own file. */
static int put_rows(struct rows *r, FILE *to, const char *path, struct weft_err *err)
{
	uint32_t n = weft_level_size(r->space, r->window->metric.level);
	int rc = 0;
	for (; r->first < n && !rc; r->first += ROWS_AT_ONCE) {
		uint32_t now = n - r->first < ROWS_AT_ONCE ? n - r->first : ROWS_AT_ONCE;
		rc = weft_parallel(r->how->threads, now, make_row, r);
		for (uint32_t i = 0; i < now; i++) {
			if (!rc)
				rc = to ? write_text(&r->text[i], to, path, err) : write_own_file(r, i, path, err);
			r->text[i].n = 0;
		}
	}
	for (unsigned i = 0; i < ROWS_AT_ONCE; i++)
		weft_buf_fini(&r->text[i]);
	return rc;
}

int weft_paraver_rows_to(const struct weft_space *s, const struct weft_window *w, FILE *to, const struct weft_paraver_how *how,
                         struct weft_err *err)
{
	struct rows r = {.space = s, .window = w, .how = how};
	return put_rows(&r, to, "the rows", err);
}

int weft_paraver_rows(const struct weft_space *s, const struct weft_window *w, const char *path,
                      const struct weft_paraver_how *how, struct weft_err *err)
{
	struct rows r = {.space = s, .window = w, .how = how};
	struct weft_out out = {0};
	int rc = how->many_files ? 0 : weft_out_open(&out, path, err);
	if (rc)
		return rc;
	rc = put_rows(&r, how->many_files ? NULL : out.to, path, err);
	if (!rc && out.to)
		return weft_out_commit(&out, err);
	if (out.to)
		weft_out_abandon(&out);
	return rc ? weft_err_set(err, rc, "cannot compute '%s': %s", path, weft_err_name(rc)) : 0;
}
