/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the pair of files to a weft_trace. Nothing in them is trusted: magic, version and pair must agree, every section must lie
 * in the file and have its checksum, and every row that names another must name one that exists. Then the small tables are
 * turned into rows with pointers; the large ones (blocks, messages, flows) are used where they are.
 */
#include "format/crc.h"
#include "base/pool.h"
#include "store.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MEMORY_WITHOUT_LIMIT (UINT64_C(1) << 30)

const uint16_t store_row_bytes[STORE_SECTIONS] = {
	[STORE_STRINGS] = 1,
	[STORE_SUMMARY] = sizeof(struct store_summary),
	[STORE_APPS] = sizeof(struct store_app),
	[STORE_PROCESSES] = sizeof(struct store_process),
	[STORE_THREADS] = sizeof(struct store_thread),
	[STORE_NODES] = sizeof(struct store_node),
	[STORE_CPUS] = sizeof(struct store_cpu),
	[STORE_DEFS] = sizeof(struct store_def),
	[STORE_LABELS] = sizeof(struct store_label),
	[STORE_MEMBERS] = 8,
	[STORE_NOTES] = sizeof(struct store_note),
	[STORE_PROBLEMS] = sizeof(struct store_problem),
	[STORE_STAMPS] = sizeof(struct store_stamp),
	[STORE_MODULES] = sizeof(struct store_module),
	[STORE_BLOCKS] = sizeof(struct col_block),
	[STORE_HALVES] = 4,
	[STORE_FLOW_ENDS] = 4,
	[STORE_MSG_SEND_THREAD] = 4,
	[STORE_MSG_RECV_THREAD] = 4,
	[STORE_MSG_COMM] = 4,
	[STORE_MSG_TAG] = 4,
	[STORE_MSG_SIZE] = 8,
	[STORE_MSG_SEND_BEGAN] = 8,
	[STORE_MSG_SEND_DONE] = 8,
	[STORE_MSG_RECV_BEGAN] = 8,
	[STORE_MSG_RECV_DONE] = 8,
	[STORE_FLOW_FROM_THREAD] = 4,
	[STORE_FLOW_TO_THREAD] = 4,
	[STORE_FLOW_FLOW] = 4,
	[STORE_FLOW_KEY] = 8,
	[STORE_FLOW_FROM_TIME] = 8,
	[STORE_FLOW_TO_TIME] = 8,
};

/* Of the kinds' codes, classes and sizes: an index made by a build that knew others is made again. */
uint64_t store_kinds_fingerprint(void)
{
	uint64_t h = STORE_VERSION;
	for (unsigned k = 0; k < 256; k++)
		if (weft_kind_info[k].name)
			h = weft_hash_u64(h ^ (uint64_t)k << 32 ^ (uint64_t)weft_kind_info[k].of << 16 ^
			                  (uint8_t)weft_kind_info[k].words);
	return h;
}

struct opening {
	struct weft_trace *t;
	struct weft_store *s;
	const struct store_summary *summary;
};

static uint64_t store_rows(const struct weft_store *s, enum store_section id)
{
	return s->head->section[id].rows;
}

static const void *store_at(const struct weft_store *s, enum store_section id)
{
	return s->tables + s->head->section[id].offset;
}

static int map_whole(int fd, const uint8_t **out, uint64_t *n)
{
	struct stat st;
	if (fstat(fd, &st))
		return -errno;
	if (st.st_size <= 0)
		return WEFT_E_DAMAGED;
	void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return -errno;
	*out = p;
	*n = (uint64_t)st.st_size;
	return 0;
}

void store_touch(struct weft_store *s, uint64_t bytes)
{
	/* Relaxed: a bound on memory, no order with anything. */
	if (weft_add_relaxed_u64(&s->touched, bytes) + bytes < s->memory / 4)
		return;
	weft_store_relaxed_u64(&s->touched, 0);
	madvise((void *)(uintptr_t)s->tables, s->tables_bytes, MADV_DONTNEED);
	if (s->columns.at)
		madvise((void *)(uintptr_t)s->columns.at, s->columns_mapped, MADV_DONTNEED);
}

#define STEP_BYTES (1u << 20)

static uint32_t section_crc(struct weft_store *s, const struct store_extent *e)
{
	uint32_t crc = 0;
	for (uint64_t at = 0, bytes = e->rows * e->row_bytes, n; at < bytes; at += n) {
		n = bytes - at < STEP_BYTES ? bytes - at : STEP_BYTES;
		crc = weft_crc32c(crc, s->tables + e->offset + at, n);
		store_touch(s, n);
	}
	return crc;
}

static int check_section(void *arg, size_t i, unsigned worker)
{
	struct weft_store *s = arg;
	const struct store_extent *e = &s->head->section[i];
	(void)worker;
	return section_crc(s, e) == e->crc ? 0 : WEFT_E_DAMAGED;
}

static const char *check_sections(struct weft_store *s)
{
	for (unsigned i = 0; i < STORE_SECTIONS; i++) {
		const struct store_extent *e = &s->head->section[i];
		if (e->row_bytes != store_row_bytes[i] || e->offset % 8 || e->offset > s->tables_bytes ||
		    e->rows > (s->tables_bytes - e->offset) / e->row_bytes)
			return "a section lies outside of the file";
	}
	/* Side by side, where they are not read before a thread would have begun. */
	int rc = weft_parallel(s->tables_bytes > STEP_BYTES ? 0 : 1, STORE_SECTIONS, check_section, s);
	if (rc)
		return rc == -ENOMEM ? "memory" : "a section's checksum differs";
	s->strings = store_at(s, STORE_STRINGS);
	s->strings_bytes = store_rows(s, STORE_STRINGS);
	if (store_rows(s, STORE_SUMMARY) != 1 || s->strings_bytes == 0 || s->strings[s->strings_bytes - 1] || s->strings[0])
		return "no summary, or strings without an end";
	return NULL;
}

/* NULL, or what does not hold. */
static const char *check_heads(struct weft_store *s)
{
	const struct store_tables_head *h = s->head = (const void *)s->tables;
	if (s->tables_bytes < sizeof *h || memcmp(h->magic, STORE_TABLES_MAGIC, 8) != 0)
		return "not an index";
	struct store_tables_head copy = *h;
	copy.verified = 0;
	if (weft_crc32c(0, &copy, offsetof(struct store_tables_head, crc)) != h->crc)
		return "the header's checksum differs";
	if (h->version != STORE_VERSION || h->kinds != store_kinds_fingerprint())
		return "made by another version";
	const struct store_columns_head *c = (const void *)s->columns.at;
	if (s->columns.n < sizeof *c + COL_SLACK || memcmp(c->magic, STORE_COLUMNS_MAGIC, 8) != 0)
		return "the columns are no columns";
	if (memcmp(c->pair, h->pair, sizeof h->pair) != 0 || h->columns_bytes != s->columns.n - COL_SLACK)
		return "the columns are of another index";
	s->columns.n -= COL_SLACK;
	return check_sections(s);
}

static const char *store_text(const struct weft_store *s, uint32_t offset)
{
	return offset < s->strings_bytes ? s->strings + offset : "";
}

static void *make_rows(struct opening *o, uint64_t n, size_t bytes)
{
	return weft_arena_alloc(&o->s->arena, (size_t)n * bytes + 1);
}

static bool in_range(uint64_t first, uint64_t n, uint64_t of)
{
	return first <= of && n <= of - first;
}

static const char *open_places(struct opening *o)
{
	struct weft_trace *t = o->t;
	const struct store_node *node = store_at(o->s, STORE_NODES);
	const struct store_cpu *cpu = store_at(o->s, STORE_CPUS);
	t->n_nodes = (uint32_t)store_rows(o->s, STORE_NODES);
	t->n_cpus = (uint32_t)store_rows(o->s, STORE_CPUS);
	t->node = make_rows(o, t->n_nodes, sizeof *t->node);
	t->cpu = make_rows(o, t->n_cpus, sizeof *t->cpu);
	if (!t->node || !t->cpu)
		return "memory";
	for (uint32_t i = 0; i < t->n_nodes; i++) {
		if (!in_range(node[i].first_cpu, node[i].n_cpus, t->n_cpus))
			return "a node names cpus that are not there";
		t->node[i] = (struct weft_node){store_text(o->s, node[i].name), node[i].first_cpu, node[i].n_cpus};
	}
	for (uint32_t i = 0; i < t->n_cpus; i++) {
		if (cpu[i].node >= t->n_nodes)
			return "a cpu names a node that is not there";
		t->cpu[i] = (struct weft_cpu){cpu[i].node, cpu[i].os,      cpu[i].numa,
		                              cpu[i].core, cpu[i].package, store_text(o->s, cpu[i].name)};
	}
	return NULL;
}

static const char *open_processes(struct opening *o)
{
	struct weft_trace *t = o->t;
	const struct store_app *app = store_at(o->s, STORE_APPS);
	const struct store_process *p = store_at(o->s, STORE_PROCESSES);
	t->n_apps = (uint32_t)store_rows(o->s, STORE_APPS);
	t->n_processes = (uint32_t)store_rows(o->s, STORE_PROCESSES);
	t->app = make_rows(o, t->n_apps, sizeof *t->app);
	t->process = make_rows(o, t->n_processes, sizeof *t->process);
	if (!t->app || !t->process)
		return "memory";
	for (uint32_t i = 0; i < t->n_apps; i++) {
		if (!in_range(app[i].first_process, app[i].n_processes, t->n_processes))
			return "an application names processes that are not there";
		t->app[i] = (struct weft_app){store_text(o->s, app[i].name), app[i].first_process, app[i].n_processes};
	}
	for (uint32_t i = 0; i < t->n_processes; i++, p++) {
		if (p->app >= t->n_apps || (p->node != WEFT_NONE && p->node >= t->n_nodes) ||
		    !in_range(p->first_thread, p->n_threads, store_rows(o->s, STORE_THREADS)))
			return "a process names something that is not there";
		t->process[i] = (struct weft_process){.app = p->app,
		                                      .node = p->node,
		                                      .first_thread = p->first_thread,
		                                      .n_threads = p->n_threads,
		                                      .pid = p->pid,
		                                      .parent_pid = p->parent_pid,
		                                      .rank = p->rank,
		                                      .name = store_text(o->s, p->name),
		                                      .command = store_text(o->s, p->command),
		                                      .host = store_text(o->s, p->host),
		                                      .begin = p->begin,
		                                      .end = p->end,
		                                      .status = p->status,
		                                      .has_cpu = p->has_cpu != 0,
		                                      .has_user = p->has_user != 0,
		                                      .cpu_ns = p->cpu_ns,
		                                      .user_ns = p->user_ns};
	}
	return NULL;
}

static const char *open_threads(struct opening *o)
{
	struct weft_trace *t = o->t;
	const struct store_thread *row = o->s->thread = store_at(o->s, STORE_THREADS);
	t->n_threads = (uint32_t)store_rows(o->s, STORE_THREADS);
	t->thread = make_rows(o, t->n_threads, sizeof *t->thread);
	o->s->block = store_at(o->s, STORE_BLOCKS);
	o->s->n_blocks = store_rows(o->s, STORE_BLOCKS);
	o->s->seen = make_rows(o, o->s->n_blocks / 64 + 1, sizeof *o->s->seen);
	if (!t->thread || !o->s->seen)
		return "memory";
	for (uint32_t i = 0; i < t->n_threads; i++, row++) {
		if (row->process >= t->n_processes || !in_range(row->first_block, row->n_blocks, o->s->n_blocks))
			return "a thread names something that is not there";
		t->thread[i] = (struct weft_thread_row){.process = row->process,
		                                        .number = row->number,
		                                        .tid = row->tid,
		                                        .name = store_text(o->s, row->name),
		                                        .own = row->own == WEFT_THREAD_OF_WEFT,
		                                        .begin = row->begin,
		                                        .end = row->end,
		                                        .n_events = row->n_events,
		                                        .dropped = row->dropped};
		const struct col_block *b = o->s->block + row->first_block;
		for (uint64_t k = 0; k < row->n_blocks; k++)
			if (b[k].n == 0 || b[k].n > WEFT_BLOCK_EVENTS || b[k].last < b[k].first ||
			    (k && b[k].first < b[k - 1].last))
				return "the blocks of a thread are not in order";
	}
	return NULL;
}

/* A definition's labels and members; `n` rows of labels and members there are. */
static const char *open_def(struct opening *o, const struct store_def *d, struct weft_def_row *row,
                            const struct weft_label *label)
{
	if (!in_range(d->first_label, d->n_labels, store_rows(o->s, STORE_LABELS)) ||
	    !in_range(d->first_member, d->n_members, store_rows(o->s, STORE_MEMBERS)))
		return "a definition names labels that are not there";
	*row = (struct weft_def_row){.name = store_text(o->s, d->name),
	                             .unit = store_text(o->s, d->unit),
	                             .file = store_text(o->s, d->file),
	                             .line = d->line,
	                             .category = d->category < o->summary->n_defs[WEFT_CLASS_CATEGORY] ? d->category : 0,
	                             .state = d->state,
	                             .code = d->code,
	                             .key = d->key,
	                             .label = d->n_labels ? label + d->first_label : NULL,
	                             .n_labels = d->n_labels,
	                             .member = d->n_members ? (const uint64_t *)store_at(o->s, STORE_MEMBERS) + d->first_member
	                                                    : NULL,
	                             .n_members = d->n_members,
	                             .n_events = d->n_events};
	return NULL;
}

static const char *open_defs(struct opening *o)
{
	const struct store_def *d = store_at(o->s, STORE_DEFS);
	const struct store_label *from = store_at(o->s, STORE_LABELS);
	uint64_t n_labels = store_rows(o->s, STORE_LABELS), left = store_rows(o->s, STORE_DEFS);
	struct weft_label *label = make_rows(o, n_labels, sizeof *label);
	if (!label)
		return "memory";
	for (uint64_t i = 0; i < n_labels; i++)
		label[i] = (struct weft_label){from[i].value, store_text(o->s, from[i].text)};
	for (unsigned c = 0; c < WEFT_CLASSES; c++) {
		struct weft_def_table *table = &o->t->def[c];
		uint64_t n = o->summary->n_defs[c];
		if (n == 0 || n > left || n > UINT32_MAX)
			return "definitions are missing";
		left -= n;
		table->n = (uint32_t)n;
		table->at = make_rows(o, n, sizeof *table->at);
		if (!table->at)
			return "memory";
		for (uint64_t i = 0; i < n; i++, d++) {
			const char *bad = open_def(o, d, &table->at[i], label);
			if (bad)
				return bad;
		}
	}
	return NULL;
}

static const char *open_talk(struct opening *o)
{
	struct weft_trace *t = o->t;
	const struct store_note *note = store_at(o->s, STORE_NOTES);
	const struct store_problem *p = store_at(o->s, STORE_PROBLEMS);
	uint64_t n_problems = store_rows(o->s, STORE_PROBLEMS);
	t->n_notes = (uint32_t)store_rows(o->s, STORE_NOTES);
	t->note = make_rows(o, t->n_notes, sizeof *t->note);
	t->problem = make_rows(o, n_problems, sizeof *t->problem);
	if (!t->note || !t->problem)
		return "memory";
	for (uint32_t i = 0; i < t->n_notes; i++)
		t->note[i] = (struct weft_note){store_text(o->s, note[i].key), store_text(o->s, note[i].text)};
	for (uint64_t i = 0; i < n_problems; i++)
		t->problem[i] = (struct weft_problem){.file = store_text(o->s, p[i].file),
		                                      .offset = p[i].offset,
		                                      .line = p[i].line,
		                                      .lost_bytes = p[i].lost_bytes,
		                                      .text = store_text(o->s, p[i].text)};
	if (n_problems > o->summary->n_problems || (o->summary->n_problems > n_problems && n_problems < 1000))
		return "problems are missing";
	o->s->stamp = store_at(o->s, STORE_STAMPS);
	o->s->n_stamps = (uint32_t)store_rows(o->s, STORE_STAMPS);
	return NULL;
}

static const char *open_modules(struct opening *o)
{
	struct weft_trace *t = o->t;
	const struct store_module *m = store_at(o->s, STORE_MODULES);
	t->n_modules = (uint32_t)store_rows(o->s, STORE_MODULES);
	t->module = make_rows(o, t->n_modules, sizeof *t->module);
	if (!t->module)
		return "memory";
	for (uint32_t i = 0; i < t->n_modules; i++) {
		if (m[i].process >= t->n_processes)
			return "a module names a process that is not there";
		t->module[i] = (struct weft_module){.process = m[i].process,
		                                    .first = m[i].first,
		                                    .end = m[i].end,
		                                    .offset = m[i].offset,
		                                    .path = store_text(o->s, m[i].path),
		                                    .build_id = store_text(o->s, m[i].build_id)};
	}
	return NULL;
}

/* Each value of a section is below `limit`, or is WEFT_NONE where that is allowed. */
static bool all_below(struct weft_store *s, enum store_section section, uint64_t limit, bool or_none)
{
	const uint32_t *v = store_at(s, section);
	bool ok = true;
	for (uint64_t from = 0, n = store_rows(s, section), to; from < n; from = to) {
		to = n - from < STEP_BYTES / 4 ? n : from + STEP_BYTES / 4;
		for (uint64_t i = from; i < to; i++)
			ok &= v[i] < limit || (or_none && v[i] == WEFT_NONE);
		store_touch(s, 4 * (to - from));
	}
	return ok;
}

static const char *links_are_sound(struct opening *o)
{
	struct weft_store *s = o->s;
	uint64_t threads = o->t->n_threads, comms = o->t->def[WEFT_CLASS_COMM].n, flows = o->t->def[WEFT_CLASS_FLOW].n;
	if (!all_below(s, STORE_MSG_SEND_THREAD, threads, true) || !all_below(s, STORE_MSG_RECV_THREAD, threads, true) ||
	    !all_below(s, STORE_MSG_COMM, comms, false) || !all_below(s, STORE_HALVES, o->t->message.n, false))
		return "a message names something that is not there";
	if (!all_below(s, STORE_FLOW_FROM_THREAD, threads, true) || !all_below(s, STORE_FLOW_TO_THREAD, threads, true) ||
	    !all_below(s, STORE_FLOW_FLOW, flows, false) || !all_below(s, STORE_FLOW_ENDS, o->t->flow.n, false))
		return "a flow names something that is not there";
	return NULL;
}

/* The columns, whose lengths agree; what they name is checked by links_are_sound. */
static const char *open_links(struct opening *o)
{
	const struct weft_store *s = o->s;
	struct weft_messages *m = &o->t->message;
	struct weft_flows *f = &o->t->flow;
	m->n = store_rows(s, STORE_MSG_COMM);
	f->n = store_rows(s, STORE_FLOW_FLOW);
	for (unsigned i = STORE_MSG_SEND_THREAD; i <= STORE_MSG_RECV_DONE; i++)
		if (store_rows(s, i) != m->n)
			return "columns of messages differ in length";
	for (unsigned i = STORE_FLOW_FROM_THREAD; i <= STORE_FLOW_TO_TIME; i++)
		if (store_rows(s, i) != f->n)
			return "columns of flows differ in length";
	m->send_thread = store_at(s, STORE_MSG_SEND_THREAD);
	m->recv_thread = store_at(s, STORE_MSG_RECV_THREAD);
	m->comm = store_at(s, STORE_MSG_COMM);
	m->tag = store_at(s, STORE_MSG_TAG);
	m->size = store_at(s, STORE_MSG_SIZE);
	m->send_began = store_at(s, STORE_MSG_SEND_BEGAN);
	m->send_done = store_at(s, STORE_MSG_SEND_DONE);
	m->recv_began = store_at(s, STORE_MSG_RECV_BEGAN);
	m->recv_done = store_at(s, STORE_MSG_RECV_DONE);
	f->from_thread = store_at(s, STORE_FLOW_FROM_THREAD);
	f->to_thread = store_at(s, STORE_FLOW_TO_THREAD);
	f->flow = store_at(s, STORE_FLOW_FLOW);
	f->key = store_at(s, STORE_FLOW_KEY);
	f->from_time = store_at(s, STORE_FLOW_FROM_TIME);
	f->to_time = store_at(s, STORE_FLOW_TO_TIME);
	o->s->half = store_at(s, STORE_HALVES);
	o->s->n_halves = store_rows(s, STORE_HALVES);
	o->s->flow_end = store_at(s, STORE_FLOW_ENDS);
	o->s->n_flow_ends = store_rows(s, STORE_FLOW_ENDS);
	return links_are_sound(o);
}

static const char *open_all(struct opening *o)
{
	static const char *(*const part[])(struct opening *) = {open_places, open_processes, open_threads, open_defs,
	                                                        open_talk,   open_modules,   open_links};
	const char *bad = check_heads(o->s);
	if (bad)
		return bad;
	for (unsigned i = STORE_APPS; i < STORE_SECTIONS; i++)
		if (i != STORE_BLOCKS && store_rows(o->s, i) >= UINT32_MAX)
			return "a table is too long";
	const struct store_summary *sum = o->summary = store_at(o->s, STORE_SUMMARY);
	struct weft_trace *t = o->t;
	t->format = store_text(o->s, sum->format);
	t->end = sum->end;
	t->begin_realtime = sum->begin_realtime;
	t->n_problems = sum->n_problems;
	t->n_events = sum->n_events;
	t->dropped = sum->dropped;
	t->stream_bytes = sum->stream_bytes;
	t->helper_cpu_ns = sum->helper_cpu_ns;
	t->backward_messages = sum->backward_messages;
	for (unsigned i = 0; !bad && i < sizeof part / sizeof *part; i++)
		bad = part[i](o);
	return bad;
}

int store_open(struct weft_trace **out, int tables_fd, int columns_fd, const char *path, uint64_t memory, struct weft_err *err)
{
	*out = NULL;
	struct weft_trace *t = calloc(1, sizeof *t);
	struct weft_store *s = calloc(1, sizeof *s);
	if (!t || !s) {
		free(t);
		free(s);
		close(tables_fd);
		close(columns_fd);
		return weft_err_set(err, -ENOMEM, "cannot open '%s': out of memory", path);
	}
	t->store = s;
	s->tables_fd = tables_fd;
	s->columns_fd = columns_fd;
	s->memory = memory ? memory : MEMORY_WITHOUT_LIMIT;
	t->path = weft_arena_strdup(&s->arena, path);
	int rc = map_whole(tables_fd, &s->tables, &s->tables_bytes);
	if (!rc)
		rc = map_whole(columns_fd, &s->columns.at, &s->columns_mapped);
	s->columns.n = s->columns_mapped;
	struct opening o = {.t = t, .s = s};
	const char *bad = rc == WEFT_E_DAMAGED ? "an empty file" : rc ? NULL : open_all(&o);
	if (!rc && bad)
		rc = strcmp(bad, "memory") == 0 ? -ENOMEM : WEFT_E_DAMAGED;
	if (!t->path)
		rc = -ENOMEM;
	if (rc) {
		weft_trace_close(t);
		return bad ? weft_err_set(err, rc, "index of '%s': %s", path, bad)
		           : weft_err_sys(err, -rc, "cannot open '%s'", path);
	}
	*out = t;
	return 0;
}

void weft_trace_close(struct weft_trace *t)
{
	if (!t)
		return;
	struct weft_store *s = t->store;
	if (s->tables)
		munmap((void *)(uintptr_t)s->tables, s->tables_bytes);
	if (s->columns.at)
		munmap((void *)(uintptr_t)s->columns.at, s->columns_mapped);
	close(s->tables_fd);
	close(s->columns_fd);
	weft_arena_fini(&s->arena);
	free(s);
	free(t);
}

uint64_t weft_open_memory(const struct weft_open_how *how)
{
	if (how && how->memory)
		return how->memory;
	return (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / 4;
}
