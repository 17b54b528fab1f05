/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `weft files use`, starpu_send_recv_data_use.py: how long data that came from another program lay there before a task used it, and how long
 * data had been ready when it was sent. Of comms.rec and tasks.rec:
 *
 *     receiver:  received ──── first task on that rank that has the handle begins
 *     sender:    last task on that rank that has the handle ends ──── sent
 */
#include "files_cli.h"
#include "base/log.h"
#include "render/draw/curves.h"
#include "taskfiles/rec_file.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct use { /* of a handle by a task */
	uint32_t rank, handle;
	double begin, end;
};
struct delays {
	WEFT_VEC(double) at; /* ms, when it was received or sent */
	WEFT_VEC(double) ms;
	uint64_t unused;
	const char *title, *y_name;
};
struct uses {
	struct weft_intern handle;
	WEFT_VEC(struct use) use;
	struct delays received, sent;
};

static int by_place(const void *a, const void *b)
{
	const struct use *x = a, *y = b;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->handle != y->handle)
		return x->handle < y->handle ? -1 : 1;
	return (x->begin > y->begin) - (x->begin < y->begin);
}

static int add_task(struct uses *u, const struct record *r, struct text_lines *t, struct weft_err *err)
{
	struct weft_str handles = record_get(r, "Handles"), rank = record_get(r, "MPIRank");
	struct use one = {.rank = 0};
	uint64_t number;
	if (!handles.n || !record_get(r, "EndTime").at)
		return 0;
	one.rank = rank.at && !weft_parse_u64(weft_str_trim(rank), &number) ? (uint32_t)number : 0;
	int rc = record_double(r, t, "StartTime", &one.begin, err);
	rc = rc ? rc : record_double(r, t, "EndTime", &one.end, err);
	while (!rc && handles.n)
		if (weft_intern_add(&u->handle, weft_str_word(&handles), &one.handle) || weft_vec_push(&u->use, one))
			rc = weft_err_set(err, -ENOMEM, "out of memory");
	return rc;
}

/* The first use on the rank, of those that begin at `time` or later; or (backwards) the last that ended by then. NULL: none. */
static const struct use *find_use(const struct uses *u, uint32_t rank, struct weft_str handle, double time, bool backwards)
{
	struct use key = {.rank = rank, .begin = time};
	size_t low = 0, high = u->use.n;
	const struct use *found = NULL;
	if (!weft_intern_find(&u->handle, handle, &key.handle))
		return NULL;
	if (backwards)
		key.begin = -INFINITY;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (by_place(&u->use.at[middle], &key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < u->use.n && u->use.at[low].rank == rank && u->use.at[low].handle == key.handle; low++) {
		const struct use *one = &u->use.at[low];
		if (!backwards)
			return one;
		if (one->begin > time)
			break;
		if (one->end <= time && (!found || one->end > found->end))
			found = one;
	}
	return found;
}

static int add_delay(struct delays *d, double at, const struct use *use, bool backwards)
{
	if (!use) {
		d->unused++;
		return 0;
	}
	return weft_vec_push(&d->at, at) || weft_vec_push(&d->ms, backwards ? at - use->end : use->begin - at) ? -ENOMEM : 0;
}

static int add_comm(struct uses *u, const struct record *r, struct text_lines *t, struct weft_err *err)
{
	uint64_t src, dst;
	double sent, received;
	struct weft_str from, to;
	int rc = record_u64(r, t, "Src", &src, err);
	rc = rc ? rc : record_u64(r, t, "Dst", &dst, err);
	rc = rc ? rc : record_double(r, t, "SendTime", &sent, err);
	rc = rc ? rc : record_double(r, t, "RecvTime", &received, err);
	rc = rc ? rc : record_text(r, t, "SendHandle", &from, err);
	rc = rc ? rc : record_text(r, t, "RecvHandle", &to, err);
	if (rc)
		return rc;
	rc = add_delay(&u->received, received, find_use(u, (uint32_t)dst, to, received, false), false);
	rc = rc ? rc : add_delay(&u->sent, sent, find_use(u, (uint32_t)src, from, sent, true), true);
	return rc ? weft_err_set(err, rc, "out of memory") : 0;
}

static int read_file(struct uses *u, const char *path,
                     int (*take)(struct uses *u, const struct record *r, struct text_lines *t, struct weft_err *err))
{
	struct text_lines *t;
	struct record r = {.line = 0};
	struct weft_err err = {0};
	int rc, status = files_open(&t, path);
	if (status)
		return status;
	while ((rc = record_next(&r, t, &err)) > 0 && !(rc = take(u, &r, t, &err)))
		;
	record_fini(&r);
	text_lines_close(t);
	return rc ? cli_fail(&err) : CLI_OK;
}

static int draw(void *arg, enum weft_picture_form form, struct weft_buf *out)
{
	const struct delays *d = arg;
	struct weft_curve curve = {.name = "a message",
	                           .small = d->ms.n > 500,
	                           .x = d->at.at,
	                           .y = d->ms.at,
	                           .n = (unsigned)d->ms.n};
	struct weft_curves_how how = {.title = d->title, .x_name = "time of the message (ms)", .y_name = d->y_name};
	return weft_curves_picture(out, form, &curve, 1, &how);
}

static struct weft_cell milliseconds(double sum, size_t n)
{
	return (struct weft_cell){WEFT_CELL_DOUBLE, {.f64 = n ? sum : NAN}};
}

static int print(const struct files_args *a, const struct uses *u)
{
	static const struct weft_column columns[] = {{"what", "what", WEFT_CELL_TEXT},
	                                             {"n", "messages", WEFT_CELL_U64},
	                                             {"unused", "without a task", WEFT_CELL_U64},
	                                             {"mean_ms", "mean ms", WEFT_CELL_DOUBLE},
	                                             {"min_ms", "min ms", WEFT_CELL_DOUBLE},
	                                             {"max_ms", "max ms", WEFT_CELL_DOUBLE}};
	const struct delays *both[] = {&u->received, &u->sent};
	struct weft_table t;
	int rc = 0;
	weft_table_init(&t, columns, 6);
	for (int i = 0; i < 2 && !rc; i++) {
		double sum = 0, least = INFINITY, most = -INFINITY;
		size_t n = both[i]->ms.n;
		for (size_t k = 0; k < n; k++) {
			sum += both[i]->ms.at[k];
			least = fmin(least, both[i]->ms.at[k]);
			most = fmax(most, both[i]->ms.at[k]);
		}
		rc = weft_table_row(&t, (struct weft_cell[]){{WEFT_CELL_TEXT, {.text = both[i]->title}},
		                                             {WEFT_CELL_U64, {.u64 = n}},
		                                             {WEFT_CELL_U64, {.u64 = both[i]->unused}},
		                                             milliseconds(n ? sum / (double)n : 0, n),
		                                             milliseconds(least, n),
		                                             milliseconds(most, n)});
	}
	if (!rc)
		return cli_table(&t, &a->common);
	weft_table_fini(&t);
	return cli_fail_code(rc);
}

/* No operand: files of this folder; one: a folder; two: the files, in either order of their kinds. */
static int find_files(char **operand, int n, char comms[4200], char tasks[4200])
{
	const char *folder = n == 1 ? operand[0] : ".";
	snprintf(comms, 4200, n == 2 ? "%.4096s" : "%.4096s/comms.rec", n == 2 ? operand[0] : folder);
	snprintf(tasks, 4200, n == 2 ? "%.4096s" : "%.4096s/tasks.rec", n == 2 ? operand[1] : folder);
	return n == 1 && !weft_is_dir(folder) ? cli_usage(&weft_command_files, "'use' takes a folder, or comms.rec and tasks.rec")
	                                      : CLI_OK;
}

int files_use(const struct files_args *a, char **operand, int n)
{
	struct uses u = {.received = {.title = "From reception to use", .y_name = "until a task used it (ms)"},
	                 .sent = {.title = "From use to sending", .y_name = "since a task had used it (ms)"}};
	char comms[4200], tasks[4200];
	int status = find_files(operand, n, comms, tasks);
	if (!status)
		status = read_file(&u, tasks, add_task);
	if (!status && u.use.n)
		qsort(u.use.at, u.use.n, sizeof *u.use.at, by_place);
	if (!status)
		status = read_file(&u, comms, add_comm);
	if (!status && a->foreign)
		status = files_picture(a, a->png ? "recv_use.png" : "recv_use.pdf", draw, &u.received);
	if (!status && a->foreign)
		status = files_picture(a, a->png ? "send_use.png" : "send_use.pdf", draw, &u.sent);
	if (!status && a->output)
		status = files_picture(a, a->output, draw, &u.received);
	if (!status && !a->foreign && !a->output)
		status = print(a, &u);
	weft_intern_fini(&u.handle);
	free(u.use.at);
	free(u.received.at.at);
	free(u.received.ms.at);
	free(u.sent.at.at);
	free(u.sent.ms.at);
	return status;
}
