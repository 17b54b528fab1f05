/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing the tables file: sections in the order of enum store_section, each a plain array of rows with its own checksum, then
 * the header, which is what makes the file valid. Texts go into one section and are named by their offsets in it.
 */
#include "format/crc.h"
#include "base/fs.h"
#include "store_write_priv.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUFFER_BYTES (1u << 20)

static void write_at(struct table_writer *w, const char *at, size_t n, uint64_t offset)
{
	if (!w->failed)
		w->failed = weft_write_all(w->fd, at, n, offset);
}

void store_flush(struct table_writer *w)
{
	write_at(w, w->buffer, w->n, w->at);
	w->at += w->n;
	w->n = 0;
}

static void put(struct table_writer *w, const void *rows, size_t bytes)
{
	const char *at = rows;
	while (bytes) {
		size_t part = BUFFER_BYTES - w->n < bytes ? BUFFER_BYTES - w->n : bytes;
		memcpy(w->buffer + w->n, at, part);
		w->n += part;
		at += part;
		bytes -= part;
		if (w->n == BUFFER_BYTES)
			store_flush(w);
	}
}

void store_begin_section(struct table_writer *w, enum store_section s)
{
	static const char zeros[8];
	put(w, zeros, (8 - (w->at + w->n) % 8) % 8);
	w->head.section[s] = (struct store_extent){.offset = w->at + w->n, .row_bytes = store_row_bytes[s]};
}

void store_put_rows(struct table_writer *w, enum store_section s, const void *row, uint64_t n)
{
	size_t bytes = (size_t)n * store_row_bytes[s];
	w->head.section[s].crc = weft_crc32c(w->head.section[s].crc, row, bytes);
	w->head.section[s].rows += n;
	put(w, row, bytes);
}

static void section(struct table_writer *w, enum store_section s, const void *rows, uint64_t n)
{
	store_begin_section(w, s);
	if (n)
		store_put_rows(w, s, rows, n);
}

/* The place of a text in the section of strings. Equal texts are kept once. */
static uint32_t text(struct table_writer *w, const char *z)
{
	if (!z || !*z)
		return 0;
	size_t len = strlen(z);
	uint64_t hash = weft_hash(z, len), at;
	if (weft_map_get(&w->known, hash, &at) && strcmp(w->strings.at + at, z) == 0)
		return (uint32_t)at;
	at = w->strings.n;
	if (at + len + 1 > UINT32_MAX || weft_vec_reserve(&w->strings, at + len + 1) || weft_map_put(&w->known, hash, at)) {
		w->no_memory = true;
		return 0;
	}
	memcpy(w->strings.at + at, z, len + 1);
	w->strings.n = at + len + 1;
	return (uint32_t)at;
}

static void write_objects(struct table_writer *w, const struct weft_builder *b)
{
	store_begin_section(w, STORE_APPS);
	for (size_t i = 0; i < b->app.n; i++) {
		const struct weft_app *a = &b->app.at[i];
		store_put_rows(w, STORE_APPS, &(struct store_app){text(w, a->name), a->first_process, a->n_processes, 0}, 1);
	}
	store_begin_section(w, STORE_PROCESSES);
	for (size_t i = 0; i < b->process.n; i++) {
		const struct weft_process *p = &b->process.at[i];
		struct store_process row = {.app = p->app,
		                            .node = p->node,
		                            .first_thread = p->first_thread,
		                            .n_threads = p->n_threads,
		                            .pid = p->pid,
		                            .parent_pid = p->parent_pid,
		                            .status = p->status,
		                            .begin = p->begin,
		                            .end = p->end,
		                            .rank = p->rank,
		                            .name = text(w, p->name),
		                            .command = text(w, p->command),
		                            .host = text(w, p->host),
		                            .cpu_ns = p->cpu_ns,
		                            .user_ns = p->user_ns,
		                            .has_cpu = p->has_cpu,
		                            .has_user = p->has_user};
		store_put_rows(w, STORE_PROCESSES, &row, 1);
	}
	store_begin_section(w, STORE_NODES);
	for (size_t i = 0; i < b->node.n; i++) {
		const struct weft_node *n = &b->node.at[i];
		store_put_rows(w, STORE_NODES, &(struct store_node){text(w, n->name), n->first_cpu, n->n_cpus, 0}, 1);
	}
	store_begin_section(w, STORE_CPUS);
	for (size_t i = 0; i < b->cpu.n; i++) {
		const struct weft_cpu *c = &b->cpu.at[i];
		store_put_rows(w, STORE_CPUS, &(struct store_cpu){c->node, c->os, c->numa, c->core, c->package, text(w, c->name)},
		               1);
	}
}

static void write_threads(struct table_writer *w, const struct weft_builder *b, const struct build_product *p)
{
	uint64_t first = 0;
	store_begin_section(w, STORE_THREADS);
	for (size_t i = 0; i < b->thread.n; i++) {
		const struct weft_thread_row *t = &b->thread.at[i];
		struct store_thread row = {.process = t->process,
		                           .number = t->number,
		                           .name = text(w, t->name),
		                           .own = t->own,
		                           .tid = t->tid,
		                           .begin = t->begin,
		                           .end = t->end,
		                           .n_events = t->n_events,
		                           .dropped = t->dropped,
		                           .first_block = first,
		                           .n_blocks = p->thread[i].block.n};
		first += row.n_blocks;
		store_put_rows(w, STORE_THREADS, &row, 1);
	}
	store_begin_section(w, STORE_BLOCKS);
	for (size_t i = 0; i < b->thread.n; i++)
		store_put_rows(w, STORE_BLOCKS, p->thread[i].block.at, p->thread[i].block.n);
}

static int by_type_and_value(const void *x, const void *y)
{
	const struct build_label *a = x, *b = y;
	if (a->type != b->type)
		return a->type < b->type ? -1 : 1;
	if (a->value != b->value)
		return a->value < b->value ? -1 : 1;
	return a->order < b->order ? -1 : 1;
}

/* Labels in order; of several for one value the last that was given stays. */
static size_t sort_labels(struct weft_builder *b)
{
	size_t kept = 0;
	if (b->label.n)
		qsort(b->label.at, b->label.n, sizeof *b->label.at, by_type_and_value);
	for (size_t i = 0; i < b->label.n; i++) {
		const struct build_label *l = &b->label.at[i];
		if (kept && b->label.at[kept - 1].type == l->type && b->label.at[kept - 1].value == l->value)
			kept--;
		b->label.at[kept++] = *l;
	}
	return b->label.n = kept;
}

struct label_range {
	uint64_t first;
	uint32_t n;
};

/* Of each type. NULL: out of memory. */
static struct label_range *find_labels(struct weft_builder *b)
{
	size_t n = b->def[WEFT_CLASS_TYPE].row.n, n_labels = sort_labels(b), label = 0;
	struct label_range *of = calloc(n + 1, sizeof *of);
	for (size_t i = 0; of && i < n; i++) {
		uint32_t as = b->def[WEFT_CLASS_TYPE].row.at[i].same_labels_as;
		of[i].first = label;
		while (label < n_labels && b->label.at[label].type == i)
			label++;
		of[i].n = (uint32_t)(label - of[i].first);
		if (as)
			of[i] = of[as];
	}
	return of;
}

static int write_defs(struct table_writer *w, struct weft_builder *b)
{
	struct label_range *range = find_labels(b);
	uint64_t members = 0;
	if (!range)
		return -ENOMEM;
	store_begin_section(w, STORE_DEFS);
	for (unsigned c = 0; c < WEFT_CLASSES; c++)
		for (size_t i = 0; i < b->def[c].row.n; i++) {
			const struct weft_def_row *d = &b->def[c].row.at[i].row;
			struct store_def row = {.name = text(w, d->name),
			                        .unit = text(w, d->unit),
			                        .file = text(w, d->file),
			                        .line = d->line,
			                        .category = d->category,
			                        .state = d->state,
			                        .code = d->code,
			                        .key = d->key,
			                        .n_events = d->n_events,
			                        .first_member = members,
			                        .n_members = d->n_members};
			if (c == WEFT_CLASS_TYPE) {
				row.first_label = range[i].first;
				row.n_labels = range[i].n;
			}
			members += d->n_members;
			store_put_rows(w, STORE_DEFS, &row, 1);
		}
	store_begin_section(w, STORE_LABELS);
	for (size_t i = 0; i < b->label.n; i++)
		store_put_rows(w, STORE_LABELS, &(struct store_label){b->label.at[i].value, text(w, b->label.at[i].text), 0}, 1);
	store_begin_section(w, STORE_MEMBERS);
	for (unsigned c = 0; c < WEFT_CLASSES; c++)
		for (size_t i = 0; i < b->def[c].row.n; i++)
			store_put_rows(w, STORE_MEMBERS, b->def[c].row.at[i].row.member, b->def[c].row.at[i].row.n_members);
	free(range);
	return 0;
}

static void write_talk(struct table_writer *w, const struct weft_builder *b)
{
	store_begin_section(w, STORE_NOTES);
	for (size_t i = 0; i < b->note.n; i++)
		store_put_rows(w, STORE_NOTES, &(struct store_note){text(w, b->note.at[i].key), text(w, b->note.at[i].text)}, 1);
	store_begin_section(w, STORE_PROBLEMS);
	for (size_t i = 0; i < b->problem.n; i++) {
		const struct weft_problem *p = &b->problem.at[i].p;
		struct store_problem row = {text(w, p->file), text(w, p->text), p->offset, p->line, p->lost_bytes};
		store_put_rows(w, STORE_PROBLEMS, &row, 1);
	}
	store_begin_section(w, STORE_STAMPS);
	for (size_t i = 0; i < b->file.n; i++) {
		const struct build_file *f = &b->file.at[i];
		struct store_stamp row = {text(w, f->name), f->sum, f->bytes, f->mtime_ns, f->ctime_ns, f->inode};
		store_put_rows(w, STORE_STAMPS, &row, 1);
	}
}

static int write_messages(struct table_writer *w, const struct weft_builder *b, struct build_product *p)
{
	static const struct store_column column[] = {{STORE_MSG_SEND_THREAD, STORE_FIELD(out_thread), false},
	                                             {STORE_MSG_RECV_THREAD, STORE_FIELD(in_thread), false},
	                                             {STORE_MSG_COMM, STORE_FIELD(def), false},
	                                             {STORE_MSG_TAG, STORE_FIELD(tag), false},
	                                             {STORE_MSG_SIZE, STORE_FIELD(size), false},
	                                             {STORE_MSG_SEND_BEGAN, STORE_FIELD(out_began), true},
	                                             {STORE_MSG_SEND_DONE, STORE_FIELD(out_time), true},
	                                             {STORE_MSG_RECV_BEGAN, STORE_FIELD(in_began), true},
	                                             {STORE_MSG_RECV_DONE, STORE_FIELD(in_time), true}};
	struct store_links links = {.sorted = &p->message.sorted,
	                            .column = column,
	                            .n_columns = sizeof column / sizeof *column,
	                            .map = STORE_HALVES,
	                            .n_ends = p->n_halves,
	                            .shift = p->shift,
	                            .threads = b->threads};
	int rc = store_write_links(w, &links);
	p->backward_messages = links.n_backward;
	return rc;
}

static int write_flows(struct table_writer *w, const struct weft_builder *b, struct build_product *p)
{
	static const struct store_column column[] = {{STORE_FLOW_FROM_THREAD, STORE_FIELD(out_thread), false},
	                                             {STORE_FLOW_TO_THREAD, STORE_FIELD(in_thread), false},
	                                             {STORE_FLOW_FLOW, STORE_FIELD(def), false},
	                                             {STORE_FLOW_KEY, STORE_FIELD(size), false},
	                                             {STORE_FLOW_FROM_TIME, STORE_FIELD(out_time), true},
	                                             {STORE_FLOW_TO_TIME, STORE_FIELD(in_time), true}};
	struct store_links links = {.sorted = &p->flow.sorted,
	                            .column = column,
	                            .n_columns = sizeof column / sizeof *column,
	                            .map = STORE_FLOW_ENDS,
	                            .n_ends = p->n_flow_ends,
	                            .shift = p->shift,
	                            .threads = b->threads};
	return store_write_links(w, &links);
}

static void write_summary(struct table_writer *w, const struct weft_builder *b, const struct build_product *p)
{
	struct store_summary s = {.format = text(w, b->format),
	                          .end = p->end,
	                          .begin_realtime = b->begin_realtime || b->axis_is_realtime ? b->begin_realtime + p->shift : 0,
	                          .n_problems = b->n_problems,
	                          .n_events = p->n_events,
	                          .dropped = b->dropped,
	                          .stream_bytes = b->stream_bytes,
	                          .helper_cpu_ns = b->helper_cpu_ns,
	                          .backward_messages = p->backward_messages};
	for (unsigned c = 0; c < WEFT_CLASSES; c++)
		s.n_defs[c] = b->def[c].row.n;
	section(w, STORE_SUMMARY, &s, 1);
}

void store_boot_id(uint8_t out[16])
{
	char z[64] = "";
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, z, sizeof z - 1) : 0;
	if (fd >= 0)
		close(fd);
	uint64_t id[2] = {weft_hash(z, n > 0 ? (size_t)n : 0), weft_hash("boot", 4)};
	memcpy(out, id, sizeof id);
}

/* Stably by process and address: in the order in which they were loaded where an address comes again. */
static int by_address(const void *x, const void *y)
{
	const struct weft_module *const *a = x, *const *b = y;
	if ((*a)->process != (*b)->process)
		return (*a)->process < (*b)->process ? -1 : 1;
	if ((*a)->first != (*b)->first)
		return (*a)->first < (*b)->first ? -1 : 1;
	return *a < *b ? -1 : *a > *b;
}

static int write_modules(struct table_writer *w, const struct weft_builder *b)
{
	const struct weft_module **order = calloc(b->module.n + 1, sizeof(const struct weft_module *));
	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < b->module.n; i++)
		order[i] = &b->module.at[i];
	qsort(order, b->module.n, sizeof *order, by_address);
	store_begin_section(w, STORE_MODULES);
	for (size_t i = 0; i < b->module.n; i++) {
		const struct weft_module *m = order[i];
		struct store_module row = {.process = m->process,
		                           .path = text(w, m->path),
		                           .build_id = text(w, m->build_id),
		                           .first = m->first,
		                           .end = m->end,
		                           .offset = m->offset};
		store_put_rows(w, STORE_MODULES, &row, 1);
	}
	free(order);
	return 0;
}

int store_write_tables(struct weft_builder *b, struct build_product *p, int fd)
{
	struct table_writer w = {.fd = fd, .at = sizeof w.head, .memory = b->memory, .buffer = malloc(BUFFER_BYTES)};
	int rc = w.buffer && !weft_vec_push(&w.strings, (char)0) ? 0 : -ENOMEM;
	if (!rc) {
		write_objects(&w, b);
		write_threads(&w, b, p);
		rc = write_defs(&w, b);
		write_talk(&w, b);
		if (!rc)
			rc = write_modules(&w, b);
		if (!rc)
			rc = write_messages(&w, b, p);
		if (!rc)
			rc = write_flows(&w, b, p);
		write_summary(&w, b, p);
		section(&w, STORE_STRINGS, w.strings.at, w.strings.n);
		store_flush(&w);
		memcpy(w.head.magic, STORE_TABLES_MAGIC, 8);
		w.head.version = STORE_VERSION;
		memcpy(w.head.pair, b->pair, sizeof b->pair);
		w.head.kinds = store_kinds_fingerprint();
		w.head.columns_bytes = p->columns_bytes;
		store_boot_id(w.head.boot_id);
		w.head.crc = weft_crc32c(0, &w.head, offsetof(struct store_tables_head, crc));
		rc = rc ? rc : w.no_memory ? -ENOMEM : w.failed;
	}
	if (!rc && pwrite(fd, &w.head, sizeof w.head, 0) != (ssize_t)sizeof w.head)
		rc = -EIO;
	free(w.buffer);
	free(w.strings.at);
	weft_map_fini(&w.known);
	return rc;
}
