/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of building: blocks into order, the axis to its zero, ends of messages and flows to each other, tables to their file,
 * and the trace opened from what was written. With an index folder the two files appear there under their names, columns first:
 * a pair that does not belong together is known by its heads and made again.
 */
#include "builder.h"
#include "base/pool.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void build_product_free(struct weft_builder *b, struct build_product *p)
{
	for (size_t i = 0; p->thread && i < b->thread.n; i++)
		free(p->thread[i].block.at);
	free(p->thread);
	free(p->base);
	spill_sort_fini(&p->message.sorted);
	spill_sort_fini(&p->flow.sorted);
	*p = (struct build_product){0};
}

/* Objects of one parent must stand together; says first and count of each parent's. */
static int group_objects(struct weft_builder *b, struct weft_err *err)
{
	for (size_t i = 0; i < b->thread.n; i++) {
		uint32_t up = b->thread.at[i].process;
		if (up >= b->process.n || (i && up < b->thread.at[i - 1].process))
			return weft_err_set(err, -EINVAL, "'%s': thread %zu is not beside the others of its process", b->path, i);
		struct weft_process *p = &b->process.at[up];
		if (!p->n_threads++)
			p->first_thread = (uint32_t)i;
		if (!b->thread.at[i].number)
			b->thread.at[i].number = p->n_threads;
	}
	for (size_t i = 0; i < b->process.n; i++) {
		uint32_t up = b->process.at[i].app;
		if (up >= b->app.n || (i && up < b->process.at[i - 1].app) ||
		    (b->process.at[i].node != WEFT_NONE && b->process.at[i].node >= b->node.n))
			return weft_err_set(err, -EINVAL, "'%s': process %zu is not beside the others of its application",
			                    b->path, i);
		if (!b->app.at[up].n_processes++)
			b->app.at[up].first_process = (uint32_t)i;
	}
	for (size_t i = 0; i < b->cpu.n; i++) {
		uint32_t up = b->cpu.at[i].node;
		if (up >= b->node.n || (i && up < b->cpu.at[i - 1].node))
			return weft_err_set(err, -EINVAL, "'%s': cpu %zu is not beside the others of its node", b->path, i);
		if (!b->node.at[up].n_cpus++)
			b->node.at[up].first_cpu = (uint32_t)i;
	}
	return 0;
}

static void ungroup(struct weft_builder *b)
{
	for (size_t i = 0; i < b->process.n; i++)
		b->process.at[i].n_threads = 0;
	for (size_t i = 0; i < b->app.n; i++)
		b->app.at[i].n_processes = 0;
	for (size_t i = 0; i < b->node.n; i++)
		b->node.at[i].n_cpus = 0;
}

static bool is_time(const struct weft_builder *b, uint64_t t)
{
	return t != WEFT_NEVER && (t != 0 || b->keep_zero);
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Begin and end of what has none yet: those of its events, and of its threads. */
static void complete_times(struct weft_builder *b, const struct build_product *p)
{
	for (size_t i = 0; i < b->process.n; i++) {
		struct weft_process *up = &b->process.at[i];
		uint64_t begin = WEFT_NEVER, end = 0;
		for (size_t k = up->first_thread; k < (size_t)up->first_thread + up->n_threads; k++) {
			struct weft_thread_row *t = &b->thread.at[k];
			const struct build_thread_blocks *blocks = &p->thread[k];
			uint64_t first = blocks->block.n ? blocks->block.at[0].first : WEFT_NEVER;
			uint64_t last = blocks->block.n ? blocks->block.at[blocks->block.n - 1].last : 0;
			if (!is_time(b, t->begin) || first < t->begin)
				t->begin = first;
			if (t->end == WEFT_NEVER || t->end < last)
				t->end = last;
			begin = least(begin, t->begin);
			end = most(end, t->end);
		}
		if (!is_time(b, up->begin) || begin < up->begin)
			up->begin = begin;
		if (up->end == WEFT_NEVER || up->end < end)
			up->end = end;
	}
}

static void shift_time(uint64_t *t, uint64_t shift)
{
	*t = *t == WEFT_NEVER || *t < shift ? 0 : *t - shift;
}

/* Moves the axis so that the first thing is at 0, and finds its end. */
static void set_axis(struct weft_builder *b, struct build_product *p)
{
	uint64_t begin = WEFT_NEVER, end = b->end_at_least;
	complete_times(b, p);
	for (size_t i = 0; i < b->process.n; i++) {
		begin = least(begin, b->process.at[i].begin);
		end = most(end, b->process.at[i].end);
	}
	for (uint64_t i = 0; !b->keep_zero && i < b->message.n; i++) {
		const struct weft_message_row *m = &((const struct build_message *)spill_rows_at(&b->message, i))->row;
		begin = least(begin, least(m->send_began, m->recv_began));
	}
	p->shift = b->keep_zero || begin == WEFT_NEVER ? 0 : begin;
	p->end = end > p->shift ? end - p->shift : 0;
	for (size_t i = 0; i < b->process.n; i++) {
		shift_time(&b->process.at[i].begin, p->shift);
		shift_time(&b->process.at[i].end, p->shift);
	}
	for (size_t i = 0; i < b->thread.n; i++) {
		struct weft_thread_row *t = &b->thread.at[i];
		shift_time(&t->begin, p->shift);
		shift_time(&t->end, p->shift);
		t->n_events = p->thread[i].n_events;
		t->dropped = most(t->dropped, p->thread[i].dropped);
		for (size_t k = 0; k < p->thread[i].block.n; k++) {
			p->thread[i].block.at[k].first -= p->shift;
			p->thread[i].block.at[k].last -= p->shift;
		}
	}
}

/* The columns under a name in `dir`, when they were not written there from the beginning. */
static int copy_columns(struct weft_builder *b, const char *dir, uint64_t bytes, struct weft_err *err)
{
	int from = b->out.fd;
	b->out.fd = -1;
	col_out_fini(&b->out);
	b->out = (struct col_out){.fd = -1};
	int rc = builder_set_dir(b, dir, err);
	loff_t in = 0, out = 0;
	for (uint64_t left = bytes + COL_SLACK; !rc && left;) {
		ssize_t n = copy_file_range(from, &in, b->out.fd, &out, left, 0);
		if (n < 0 && (errno == EXDEV || errno == EOPNOTSUPP || errno == EINVAL)) {
			char part[65536];
			n = pread(from, part, left < sizeof part ? left : sizeof part, in);
			n = n > 0 ? pwrite(b->out.fd, part, (size_t)n, out) : n;
			in += n > 0 ? n : 0;
			out += n > 0 ? n : 0;
		}
		if (n <= 0)
			rc = weft_err_sys(err, n < 0 ? errno : EIO, "cannot write '%s/%s'", dir, STORE_COLUMNS_NAME);
		else
			left -= (uint64_t)n;
	}
	close(from);
	return rc;
}

/* The two files of an index, which are finished side by side: dropping older columns takes as long as matching messages. */
struct finishing {
	struct weft_builder *b;
	struct build_product *p;
	const char *dir;
	int tables_fd;
	struct weft_err err[2];
};

static int finish_file(void *arg, size_t i, unsigned worker)
{
	struct finishing *f = arg;
	(void)worker;
	int rc;
	if (i == 1) {
		rc = f->dir ? weft_replace_commit(&f->b->columns, WEFT_REPLACE_EXCHANGE) : 0;
		return rc ? weft_err_sys(&f->err[i], -rc, "cannot make '%s/%s'", f->dir, STORE_COLUMNS_NAME) : 0;
	}
	rc = build_match(f->b, f->p);
	if (rc)
		return weft_err_set(&f->err[i], rc, "cannot index '%s': %s", f->b->path, weft_err_name(rc));
	rc = store_write_tables(f->b, f->p, f->tables_fd);
	return rc ? weft_err_sys(&f->err[i], -rc, "cannot write the tables of '%s'", f->b->path) : 0;
}

static int write_files(struct weft_builder *b, struct build_product *p, const char *dir, int *tables_fd, struct weft_err *err)
{
	struct weft_replace tables = {0};
	int rc = col_out_finish(&b->out, &p->columns_bytes);
	if (rc)
		return weft_err_sys(err, -rc, "cannot write the columns of '%s'", b->path);
	if (dir && !b->columns.fd && (rc = copy_columns(b, dir, p->columns_bytes, err)))
		return rc;
	if (dir)
		rc = index_file_begin(&tables, dir, STORE_TABLES_NAME);
	else
		*tables_fd = rc = spill_file();
	if (rc < 0)
		return weft_err_sys(err, -rc, "cannot write the tables of '%s'", b->path);
	struct finishing f = {.b = b, .p = p, .dir = dir, .tables_fd = dir ? tables.fd : *tables_fd};
	if ((rc = weft_parallel(dir ? b->threads : 1, 2, finish_file, &f)))
		weft_err_set(err, rc, "%s", f.err[f.err[0].code ? 0 : 1].text);
	if (!rc && dir && (rc = weft_replace_keep(&tables, WEFT_REPLACE_EXCHANGE, tables_fd)))
		weft_err_sys(err, -rc, "cannot make '%s/%s'", dir, STORE_TABLES_NAME);
	weft_replace_abandon(&tables);
	return rc;
}

/* Workers find problems in any order; a trace has them in the same one each time. */
static int by_place(const void *x, const void *y)
{
	const struct weft_problem *a = &((const struct build_problem *)x)->p, *b = &((const struct build_problem *)y)->p;
	int order = strcmp(a->file, b->file);
	if (order)
		return order;
	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return strcmp(a->text, b->text);
}

int weft_build_finish(struct weft_builder *b, const char *index_dir, struct weft_trace **out, struct weft_err *err)
{
	struct build_product p = {0};
	int tables_fd = -1;
	*out = NULL;
	ungroup(b);
	if (b->problem.n)
		qsort(b->problem.at, b->problem.n, sizeof *b->problem.at, by_place);
	int rc = group_objects(b, err);
	if (!rc)
		rc = builder_open_columns(b, err);
	if (rc)
		goto out;
	rc = build_order(b, &p);
	if (rc) {
		weft_err_set(err, rc, "cannot index '%s': %s", b->path, weft_err_name(rc));
		goto out;
	}
	set_axis(b, &p);
	rc = write_files(b, &p, index_dir, &tables_fd, err);
	if (!rc) {
		int columns_fd = b->out.fd;
		b->out.fd = -1;
		rc = store_open(out, tables_fd, columns_fd, b->path, b->memory, err);
		tables_fd = -1;
	}
out:
	if (tables_fd >= 0)
		close(tables_fd);
	build_product_free(b, &p);
	weft_builder_free(b);
	return rc;
}
