/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The builder's objects and definitions: apps, processes, threads, nodes, cpus, names. Small tables in memory; definitions are
 * found again by a hash of what makes them the same. Events are in build_events.c.
 */
#include "base/str.h"
#include "builder.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#define PROBLEMS_KEPT 1000u

int weft_builder_new(struct weft_builder **out, const char *path, const char *format, const struct weft_open_how *how,
                     struct weft_err *err)
{
	*out = NULL;
	struct weft_builder *b = calloc(1, sizeof *b);
	if (!b)
		return weft_err_set(err, -ENOMEM, "cannot read '%s': out of memory", path);
	b->out.fd = b->stream.fd = -1;
	b->threads = how ? how->threads : 0;
	b->memory = weft_open_memory(how);
	spill_rows_init(&b->message, sizeof(struct build_message), b->memory / 8);
	b->path = weft_arena_strdup(&b->arena, path);
	b->format = weft_arena_strdup(&b->arena, format);
	b->lock_made = pthread_mutex_init(&b->lock, NULL) == 0;
	bool logged = true;
	for (unsigned i = 0; i < COL_SIDES; i++)
		logged = spill_log_init(&b->ends[i], sizeof(struct col_end), b->memory / 16) == 0 && logged;
	int rc = b->path && b->format && b->lock_made && logged ? 0 : -ENOMEM;
	for (unsigned c = 0; !rc && c < WEFT_CLASSES; c++)
		rc = weft_vec_push(&b->def[c].row, (struct build_def){.row = {.name = "", .unit = "", .file = ""}});
	if (getrandom(b->pair, sizeof b->pair, GRND_NONBLOCK) != sizeof b->pair)
		b->pair[0] = (uintptr_t)b;
	if (rc) {
		weft_builder_free(b);
		return weft_err_set(err, rc, "cannot read '%s': out of memory", path);
	}
	*out = b;
	return 0;
}

static void appender_free(struct weft_appender *a)
{
	if (!a)
		return;
	for (size_t i = 0; i < a->part.n; i++) {
		col_writer_fini(a->part.at[i]);
		free(a->part.at[i]);
	}
	free(a->part.at);
	col_writer_fini(&a->own);
	free(a);
}

void weft_builder_free(struct weft_builder *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < b->appender.n; i++)
		appender_free(b->appender.at[i]);
	for (size_t i = 0; i < b->encoder.n; i++)
		col_encoder_free(b->encoder.at[i]);
	for (unsigned c = 0; c < WEFT_CLASSES; c++) {
		free(b->def[c].row.at);
		weft_map_fini(&b->def[c].by_hash);
	}
	for (unsigned i = 0; i < COL_SIDES; i++)
		spill_log_fini(&b->ends[i]);
	col_out_fini(&b->out);
	weft_replace_abandon(&b->columns);
	free(b->node.at);
	free(b->cpu.at);
	free(b->app.at);
	free(b->process.at);
	free(b->thread.at);
	free(b->appender.at);
	free(b->label.at);
	free(b->note.at);
	free(b->ring.at);
	free(b->module.at);
	free(b->problem.at);
	free(b->file.at);
	spill_rows_fini(&b->message);
	if (b->stream.fd >= 0)
		close(b->stream.fd);
	free(b->encoder.at);
	if (b->lock_made)
		pthread_mutex_destroy(&b->lock);
	weft_arena_fini(&b->arena);
	free(b);
}

/* A copy that lives with the builder; "" for NULL. NULL when memory is out. */
static const char *keep(struct weft_builder *b, const char *z)
{
	return z && *z ? weft_arena_strdup(&b->arena, z) : "";
}

int64_t weft_build_node(struct weft_builder *b, const char *name)
{
	struct weft_node row = {.name = keep(b, name)};
	if (!row.name || weft_vec_push(&b->node, row))
		return -ENOMEM;
	return (int64_t)b->node.n - 1;
}

int64_t weft_build_cpu(struct weft_builder *b, const struct weft_cpu *cpu)
{
	struct weft_cpu row = *cpu;
	row.name = keep(b, cpu->name);
	if (!row.name || weft_vec_push(&b->cpu, row))
		return -ENOMEM;
	return (int64_t)b->cpu.n - 1;
}

int64_t weft_build_app(struct weft_builder *b, const char *name)
{
	struct weft_app row = {.name = keep(b, name)};
	if (!row.name || weft_vec_push(&b->app, row))
		return -ENOMEM;
	return (int64_t)b->app.n - 1;
}

int64_t weft_build_process(struct weft_builder *b, const struct weft_process *p)
{
	struct weft_process row = *p;
	row.name = keep(b, p->name);
	row.command = keep(b, p->command);
	row.host = keep(b, p->host);
	if (!row.name || !row.command || !row.host || weft_vec_push(&b->process, row))
		return -ENOMEM;
	return (int64_t)b->process.n - 1;
}

int64_t weft_build_thread(struct weft_builder *b, const struct weft_thread_row *t)
{
	struct weft_thread_row row = *t;
	row.name = keep(b, t->name);
	pthread_mutex_lock(&b->lock); /* appenders of other threads may be asked for meanwhile */
	int rc = !row.name || weft_vec_reserve(&b->appender, b->thread.n + 1) || weft_vec_push(&b->thread, row) ? -ENOMEM : 0;
	if (!rc)
		b->appender.at[b->appender.n++] = NULL;
	pthread_mutex_unlock(&b->lock);
	return rc ? rc : (int64_t)b->thread.n - 1;
}

struct weft_process *weft_built_process(struct weft_builder *b, uint32_t process)
{
	return process < b->process.n ? &b->process.at[process] : NULL;
}

struct weft_thread_row *weft_built_thread(struct weft_builder *b, uint32_t thread)
{
	return thread < b->thread.n ? &b->thread.at[thread] : NULL;
}

/* ---- definitions ---- */

/* A type with a number is the one of that number; its name may be said later, or again. */
static bool def_coded(enum weft_class c, const struct weft_def_row *row)
{
	return c == WEFT_CLASS_TYPE && row->code;
}

static uint64_t def_hash(enum weft_class c, const struct weft_def_row *row)
{
	uint64_t h = def_coded(c, row) ? 0 : weft_hash(row->name, strlen(row->name));
	h = weft_hash_u64(h ^ row->category);
	h = weft_hash_u64(h ^ (uint64_t)row->code);
	return c == WEFT_CLASS_COMM ? weft_hash_u64(h ^ row->key) : h;
}

static bool def_same(enum weft_class c, const struct weft_def_row *a, const struct weft_def_row *b)
{
	return a->category == b->category && a->code == b->code && (c != WEFT_CLASS_COMM || a->key == b->key) &&
	       (def_coded(c, a) || strcmp(a->name, b->name) == 0);
}

static const uint64_t *keep_members(struct weft_builder *b, const struct weft_def_row *from)
{
	uint64_t *copy = weft_arena_alloc(&b->arena, from->n_members * sizeof *copy + 1);
	if (copy && from->n_members)
		memcpy(copy, from->member, from->n_members * sizeof *copy);
	return copy;
}

/* What `to` has not, and `from` has. */
static int def_fill(struct weft_builder *b, struct weft_def_row *to, const struct weft_def_row *from)
{
	if ((!to->unit || !*to->unit) && !(to->unit = keep(b, from->unit)))
		return -ENOMEM;
	if ((!to->file || !*to->file) && !(to->file = keep(b, from->file)))
		return -ENOMEM;
	if (!to->line)
		to->line = from->line;
	if (!to->state)
		to->state = from->state;
	if (!to->key)
		to->key = from->key;
	if (from->n_members > to->n_members) {
		to->member = keep_members(b, from);
		if (!to->member)
			return -ENOMEM;
		to->n_members = from->n_members;
	}
	return 0;
}

int64_t weft_build_def(struct weft_builder *b, enum weft_class c, const struct weft_def_row *row)
{
	struct weft_def_row want = *row;
	if (!want.name)
		want.name = "";
	uint64_t hash = def_hash(c, &want), first = 0;
	weft_map_get(&b->def[c].by_hash, hash, &first);
	for (uint64_t id = first; id; id = b->def[c].row.at[id].next) {
		struct build_def *d = &b->def[c].row.at[id];
		if (d->hash != hash || !def_same(c, &d->row, &want))
			continue;
		if (*want.name && strcmp(d->row.name, want.name) != 0 && !(d->row.name = keep(b, want.name)))
			return -ENOMEM;
		return def_fill(b, &d->row, row) ? -ENOMEM : (int64_t)id;
	}
	if (b->def[c].row.n > 0xffffff)
		return -E2BIG;
	struct build_def made = {.row = {.category = want.category, .code = want.code}, .hash = hash, .next = (uint32_t)first};
	made.row.name = def_coded(c, &want) && !*want.name ? weft_arena_printf(&b->arena, "type %lld", (long long)want.code)
	                                                   : keep(b, want.name);
	if (!made.row.name || def_fill(b, &made.row, row) || weft_vec_push(&b->def[c].row, made))
		return -ENOMEM;
	uint64_t id = b->def[c].row.n - 1;
	if (weft_map_put(&b->def[c].by_hash, hash, id)) {
		b->def[c].row.n--;
		return -ENOMEM;
	}
	return (int64_t)id;
}

int weft_build_label(struct weft_builder *b, uint32_t type, int64_t value, const char *text)
{
	struct build_label row = {.value = value, .text = keep(b, text), .type = type, .order = (uint32_t)b->label.n};
	return row.text && !weft_vec_push(&b->label, row) ? 0 : -ENOMEM;
}

void weft_build_same_labels(struct weft_builder *b, uint32_t type, uint32_t as)
{
	b->def[WEFT_CLASS_TYPE].row.at[type].same_labels_as = as;
}

int64_t weft_build_string(struct weft_builder *b, const char *at, size_t n)
{
	char small[256], *z = small;
	if (n >= sizeof small && !(z = malloc(n + 1)))
		return -ENOMEM;
	memcpy(z, at, n);
	z[n] = 0;
	int64_t id = weft_build_def(b, WEFT_CLASS_STRING, &(struct weft_def_row){.name = z});
	if (z != small)
		free(z);
	return id;
}

int builder_set_ring(struct weft_builder *b, uint32_t process, const struct build_ring *ring)
{
	while (b->ring.n <= process)
		if (weft_vec_push(&b->ring, (struct build_ring){0}))
			return -ENOMEM;
	b->ring.at[process] = *ring;
	return 0;
}

int weft_build_note(struct weft_builder *b, const char *key, const char *text)
{
	struct weft_note row = {.key = keep(b, key), .text = keep(b, text)};
	return row.key && row.text && !weft_vec_push(&b->note, row) ? 0 : -ENOMEM;
}

int weft_build_module(struct weft_builder *b, const struct weft_module *m)
{
	struct weft_module row = *m;
	if (m->process >= b->process.n)
		return -EINVAL;
	row.path = keep(b, m->path);
	row.build_id = keep(b, m->build_id);
	return row.path && row.build_id && !weft_vec_push(&b->module, row) ? 0 : -ENOMEM;
}

int builder_problem(struct weft_builder *b, const struct weft_problem *p, const char *rule)
{
	b->n_problems++;
	if (b->problem.n >= PROBLEMS_KEPT)
		return 0;
	struct build_problem row = {.p = *p, .rule = rule};
	row.p.file = keep(b, p->file);
	row.p.text = keep(b, p->text);
	return row.p.file && row.p.text && !weft_vec_push(&b->problem, row) ? 0 : -ENOMEM;
}

int weft_build_problem(struct weft_builder *b, const struct weft_problem *p)
{
	return builder_problem(b, p, "input");
}

void weft_build_realtime(struct weft_builder *b, uint64_t ns_since_1970_at_time_0)
{
	b->begin_realtime = ns_since_1970_at_time_0;
}

void weft_build_keep_zero(struct weft_builder *b, uint64_t end)
{
	b->keep_zero = true;
	b->end_at_least = end;
}

int builder_add_file(struct weft_builder *b, const struct build_file *file)
{
	struct build_file row = *file;
	row.name = keep(b, file->name);
	return row.name && !weft_vec_push(&b->file, row) ? 0 : -ENOMEM;
}

/* ---- the columns file ---- */

static int columns_start(struct weft_builder *b, int fd)
{
	int rc = col_out_init(&b->out, fd);
	struct store_columns_head head = {.version = STORE_VERSION, .pair = {b->pair[0], b->pair[1]}};
	memcpy(head.magic, STORE_COLUMNS_MAGIC, 8);
	uint64_t offset;
	return rc ? rc : col_out_add(&b->out, &head, sizeof head, &offset);
}

int builder_open_columns(struct weft_builder *b, struct weft_err *err)
{
	if (b->out.fd >= 0)
		return 0;
	int fd = spill_file();
	if (fd < 0)
		return weft_err_sys(err, -fd, "cannot make a temporary file for '%s'", b->path);
	int rc = columns_start(b, fd);
	return rc ? weft_err_sys(err, -rc, "cannot write a temporary file for '%s'", b->path) : 0;
}

int index_file_begin(struct weft_replace *r, const char *index_dir, const char *name)
{
	int folder = weft_open_folder(index_dir);
	if (folder < 0)
		return folder;
	int rc = weft_replace_open_at(r, folder, name, 0666);
	close(folder);
	return rc;
}

int builder_set_dir(struct weft_builder *b, const char *index_dir, struct weft_err *err)
{
	if (b->out.fd >= 0)
		return 0;
	int rc = index_file_begin(&b->columns, index_dir, STORE_COLUMNS_NAME);
	int fd = rc ? -1 : fcntl(b->columns.fd, F_DUPFD_CLOEXEC, 0);
	if (!rc)
		rc = fd < 0 ? -errno : columns_start(b, fd);
	return rc ? weft_err_sys(err, -rc, "cannot write '%s/%s'", index_dir, STORE_COLUMNS_NAME) : 0;
}
