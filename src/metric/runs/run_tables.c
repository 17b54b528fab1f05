/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of runtimes, a row each: which category they are of, their columns, and who counts. Counts are kept by a key (a region, a file, a
 * lock, a pair of ranks), and printed in the order of what is most.
 */
#include "run_tables.h"
#include "base/map.h"
#include "run_walk.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct count {
	uint64_t key, order; /* order: what rows are sorted by, the greatest first */
	char name[200];
	uint64_t calls, time, longest, sent, received, least, most, sized, sizes, errors;
	uint64_t waits, waited, longest_wait;
	uint64_t work, sync, schedule;
	uint64_t work_most, n_threads, here; /* of a thread; here: of the one that is being walked */
	uint32_t last_thread;
};
struct counting {
	const struct weft_trace *t;
	uint32_t category, own; /* own: a second category that counts, too */
	struct weft_map row_of;
	WEFT_VEC(struct count) row;
	uint64_t peak, entries;
	struct weft_map held; /* lock and thread, hashed -> when it was taken */
};

static struct count *row_of(struct counting *o, uint64_t key)
{
	uint64_t at;
	if (!weft_map_get(&o->row_of, key, &at)) {
		at = o->row.n;
		if (weft_map_put(&o->row_of, key, at) ||
		    weft_vec_push(&o->row, (struct count){.key = key, .least = UINT64_MAX, .last_thread = WEFT_NONE}))
			return NULL;
	}
	return &o->row.at[at];
}

static const struct weft_def_row *region(const struct counting *o, uint32_t id)
{
	return &o->t->def[WEFT_CLASS_REGION].at[id];
}

static void add_call(struct count *r, const struct run_call *c)
{
	uint64_t time = c->end - c->begin;
	r->calls++;
	r->time += time;
	r->longest = time > r->longest ? time : r->longest;
	r->sent += c->sent;
	r->received += c->received;
	r->sized += c->n_messages;
	r->sizes += c->sizes;
	r->most = c->most > r->most ? c->most : r->most;
	r->least = c->least < r->least ? c->least : r->least;
	r->errors += c->error > 0;
	r->order = r->time;
}

/* ---- mpi-profile ---- */

static int count_mpi(void *arg, const struct run_call *c, const struct run_call *above, uint32_t n_above)
{
	struct counting *o = arg;
	(void)above, (void)n_above;
	if (region(o, c->region)->category != o->category)
		return 0;
	struct count *r = row_of(o, c->region);
	if (!r)
		return -ENOMEM;
	snprintf(r->name, sizeof r->name, "%s", region(o, c->region)->name);
	add_call(r, c);
	if (c->has_bytes) { /* one-sided, files */
		bool reads = strstr(r->name, "_Get") || strstr(r->name, "ead");
		*(reads ? &r->received : &r->sent) += c->bytes;
		r->sized++;
		r->sizes += c->bytes;
		r->most = c->bytes > r->most ? c->bytes : r->most;
		r->least = c->bytes < r->least ? c->bytes : r->least;
	}
	return 0;
}

/* ---- openmp: by the functions that threads and tasks run ---- */

enum part { PART_WORK, PART_SYNC, PART_SCHEDULE, PART_BODY };

static enum part part_of(const struct weft_def_row *r)
{
	if (strstr(r->name, " [omp "))
		return PART_BODY;
	if (r->state == WEFT_STATE_SYNCHRONIZING || r->state == WEFT_STATE_WAITING || r->state == WEFT_STATE_IDLE)
		return PART_SYNC;
	return r->state == WEFT_STATE_SCHEDULING || r->state == WEFT_STATE_OVERHEAD ? PART_SCHEDULE : PART_WORK;
}

static void thread_done(struct count *r)
{
	r->work_most = r->here > r->work_most ? r->here : r->work_most;
	r->here = 0;
}

static int count_openmp(void *arg, const struct run_call *c, const struct run_call *above, uint32_t n_above)
{
	struct counting *o = arg;
	const struct weft_def_row *is = region(o, c->region);
	uint64_t self = c->end - c->begin - (c->inner < c->end - c->begin ? c->inner : c->end - c->begin);
	const struct run_call *body = is->category == o->category && part_of(is) == PART_BODY ? c : NULL;
	for (uint32_t i = 0; i < n_above && !body; i++)
		if (region(o, above[i].region)->category == o->category && part_of(region(o, above[i].region)) == PART_BODY)
			body = &above[i];
	if (!body)
		return 0;
	struct count *r = row_of(o, body->region);
	if (!r)
		return -ENOMEM;
	snprintf(r->name, sizeof r->name, "%s", region(o, body->region)->name);
	if (r->last_thread != c->thread) {
		thread_done(r);
		r->n_threads++;
		r->last_thread = c->thread;
	}
	if (body == c)
		add_call(r, c);
	enum part part = is->category == o->category ? part_of(is) : PART_WORK;
	if (part == PART_SYNC) {
		r->sync += self;
	} else if (part == PART_SCHEDULE) {
		r->schedule += self;
	} else {
		r->work += self;
		r->here += self;
	}
	return 0;
}

/* ---- locks ---- */

/* "omp critical x wait" is of the row "omp critical x". */
static int count_named_lock(struct counting *o, const struct run_call *c, const char *name)
{
	size_t n = strlen(name);
	bool wait = n > 5 && !strcmp(name + n - 5, " wait");
	uint64_t time = c->end - c->begin, key = weft_hash(name, wait ? n - 5 : n);
	struct count *r = row_of(o, key);
	if (!r)
		return -ENOMEM;
	snprintf(r->name, sizeof r->name, "%.*s", (int)(wait ? n - 5 : n), name);
	if (wait) {
		r->waits++;
		r->waited += time;
		r->longest_wait = time > r->longest_wait ? time : r->longest_wait;
	} else {
		r->calls++;
		r->time += time;
		r->longest = time > r->longest ? time : r->longest;
	}
	r->order = r->waited + 1;
	return 0;
}

static struct count *lock_row(struct counting *o, uint64_t lock, uint32_t thread)
{
	/* Addresses are of a process. */
	struct count *r = row_of(o, lock * 2654435761u ^ ((uint64_t)o->t->thread[thread].process << 48));
	if (r)
		snprintf(r->name, sizeof r->name, "lock 0x%" PRIx64, lock);
	return r;
}

static int count_lock(void *arg, const struct run_call *c, const struct run_call *above, uint32_t n_above)
{
	struct counting *o = arg;
	const struct weft_def_row *is = region(o, c->region);
	(void)above, (void)n_above;
	if (is->category == o->own && o->own && (!strncmp(is->name, "omp critical", 12) || !strncmp(is->name, "omp lock", 8)))
		return count_named_lock(o, c, is->name);
	if (is->category != o->category || !c->lock)
		return 0;
	struct count *r = lock_row(o, c->lock, c->thread);
	if (!r)
		return -ENOMEM;
	uint64_t time = c->end - c->begin;
	r->waits++;
	r->waited += time;
	r->longest_wait = time > r->longest_wait ? time : r->longest_wait;
	r->order = r->waited + 1;
	return 0;
}

/* Taken and released: how long it was held. */
static int count_holding(void *arg, uint32_t thread, uint64_t time, uint32_t type, int64_t value)
{
	struct counting *o = arg;
	const struct weft_def_row *is = &o->t->def[WEFT_CLASS_TYPE].at[type];
	uint64_t key = weft_hash_u64((uint64_t)value) ^ thread, since;
	if (is->category != o->category)
		return 0;
	if (!strcmp(is->name, "lock entries"))
		o->entries += (uint64_t)value;
	else if (!strcmp(is->name, "lock taken"))
		return weft_map_put(&o->held, key, time);
	if (strcmp(is->name, "lock released") != 0 || !weft_map_get(&o->held, key, &since))
		return 0;
	struct count *r = lock_row(o, (uint64_t)value, thread);
	if (!r)
		return -ENOMEM;
	weft_map_del(&o->held, key);
	r->calls++;
	r->time += time - since;
	r->longest = time - since > r->longest ? time - since : r->longest;
	r->order = r->waited + 1;
	return 0;
}

/* ---- io: by file ---- */

static int count_io(void *arg, const struct run_call *c, const struct run_call *above, uint32_t n_above)
{
	struct counting *o = arg;
	const struct weft_def_row *is = region(o, c->region);
	(void)above, (void)n_above;
	if (is->category != o->category)
		return 0;
	uint64_t process = o->t->thread[c->thread].process;
	uint64_t key = c->file ? c->file : UINT64_C(1) << 63 | process << 32 | (uint32_t)c->descriptor;
	struct count *r = row_of(o, key);
	if (!r)
		return -ENOMEM;
	if (c->file)
		snprintf(r->name, sizeof r->name, "%.190s", o->t->def[WEFT_CLASS_STRING].at[c->file].name);
	else if (c->descriptor >= 0)
		snprintf(r->name, sizeof r->name, "descriptor %" PRId64, c->descriptor);
	else
		snprintf(r->name, sizeof r->name, "(no file)");
	weft_one_line(r->name);
	add_call(r, c);
	bool writes = strstr(is->name, "write") || strstr(is->name, "send") || strstr(is->name, "put") ||
	              strstr(is->name, "print");
	if (c->has_bytes)
		*(writes ? &r->sent : &r->received) += c->bytes;
	return 0;
}

/* ---- memory: by function ---- */

static int count_memory(void *arg, uint32_t thread, uint64_t time, uint32_t type, int64_t value)
{
	struct counting *o = arg;
	const struct weft_def_row *is = &o->t->def[WEFT_CLASS_TYPE].at[type];
	(void)thread, (void)time;
	if (is->category != o->category || !strcmp(is->name, "memory at"))
		return 0;
	struct count *r = row_of(o, type);
	if (!r)
		return -ENOMEM;
	uint64_t bytes = value > 0 ? (uint64_t)value : 0;
	snprintf(r->name, sizeof r->name, "%s", is->name);
	r->calls++;
	r->sent += bytes;
	r->most = bytes > r->most ? bytes : r->most;
	r->least = bytes < r->least ? bytes : r->least;
	r->order = r->calls;
	return 0;
}

/* With callers a call is a region around its points: those count. */
static bool has_points(const struct counting *o, const struct weft_def_row *region)
{
	const struct weft_def_table *types = &o->t->def[WEFT_CLASS_TYPE];
	for (uint32_t i = 1; i < types->n; i++)
		if (types->at[i].category == region->category && !strcmp(types->at[i].name, region->name))
			return true;
	return false;
}

static int count_memory_call(void *arg, const struct run_call *c, const struct run_call *above, uint32_t n_above)
{
	struct counting *o = arg;
	(void)above, (void)n_above;
	if (region(o, c->region)->category != o->category || has_points(o, region(o, c->region)))
		return 0;
	struct count *r = row_of(o, UINT64_C(1) << 32 | c->region);
	if (!r)
		return -ENOMEM;
	snprintf(r->name, sizeof r->name, "%s", region(o, c->region)->name);
	add_call(r, c);
	r->sent += c->bytes;
	r->order = r->calls;
	return 0;
}

static int count_in_use(void *arg, uint32_t thread, uint64_t time, uint32_t counter, int64_t value)
{
	struct counting *o = arg;
	const struct weft_def_row *is = &o->t->def[WEFT_CLASS_COUNTER].at[counter];
	(void)thread, (void)time;
	if (is->category == o->category && !strcmp(is->name, "memory in use") && value > 0 && (uint64_t)value > o->peak)
		o->peak = (uint64_t)value;
	return 0;
}

/* ---- columns ---- */

typedef struct weft_cell cell_fn(const struct count *r);

#define CELL(name, kind, member, expression) \
	static struct weft_cell cell_##name(const struct count *r) \
	{ \
		return (struct weft_cell){kind, {.member = expression}}; \
	}
CELL(name, WEFT_CELL_TEXT, text, r->name)
CELL(calls, WEFT_CELL_U64, u64, r->calls)
CELL(time, WEFT_CELL_NS, u64, r->time)
CELL(mean, r->calls ? WEFT_CELL_NS : WEFT_CELL_NONE, u64, r->calls ? r->time / r->calls : 0)
CELL(longest, WEFT_CELL_NS, u64, r->longest)
CELL(sent, WEFT_CELL_BYTES, u64, r->sent)
CELL(received, WEFT_CELL_BYTES, u64, r->received)
CELL(least, r->least != UINT64_MAX ? WEFT_CELL_BYTES : WEFT_CELL_NONE, u64, r->least)
CELL(most, r->least != UINT64_MAX ? WEFT_CELL_BYTES : WEFT_CELL_NONE, u64, r->most)
CELL(mean_bytes, r->sized ? WEFT_CELL_BYTES : WEFT_CELL_NONE, u64, r->sized ? r->sizes / r->sized : 0)
CELL(call_bytes, r->calls ? WEFT_CELL_BYTES : WEFT_CELL_NONE, u64, r->calls ? r->sent / r->calls : 0)
CELL(errors, WEFT_CELL_U64, u64, r->errors)
CELL(waits, WEFT_CELL_U64, u64, r->waits)
CELL(waited, WEFT_CELL_NS, u64, r->waited)
CELL(longest_wait, WEFT_CELL_NS, u64, r->longest_wait)
CELL(work, WEFT_CELL_NS, u64, r->work)
CELL(sync, WEFT_CELL_NS, u64, r->sync)
CELL(schedule, WEFT_CELL_NS, u64, r->schedule)
CELL(threads, WEFT_CELL_U64, u64, r->n_threads)
CELL(messages, WEFT_CELL_U64, u64, r->sized)

/* The average work of a thread over the greatest. */
static struct weft_cell cell_balance(const struct count *r)
{
	double most = (double)r->work_most * (double)r->n_threads;
	return (struct weft_cell){most > 0 ? WEFT_CELL_PERCENT : WEFT_CELL_NONE,
	                          {.f64 = most > 0 ? 100 * (double)r->work / most : 0}};
}

struct run_column {
	struct weft_column column;
	cell_fn *cell;
};
enum { COLUMNS = WEFT_RUN_COLUMNS };

static const struct run_is {
	const char *name, *category, *also; /* also: another category that is enough */
	int (*on_call)(void *, const struct run_call *, const struct run_call *, uint32_t);
	int (*on_point)(void *, uint32_t, uint64_t, uint32_t, int64_t);
	int (*on_counter)(void *, uint32_t, uint64_t, uint32_t, int64_t);
	struct run_column column[COLUMNS];
} run_tables[] = {
	{"mpi-profile",
         "mpi",
         NULL,
         count_mpi,
         NULL,
         NULL,
         {{{"call", "call", WEFT_CELL_TEXT}, cell_name},
          {{"calls", "calls", WEFT_CELL_U64}, cell_calls},
          {{"time_ns", "time", WEFT_CELL_NS}, cell_time},
          {{"mean_ns", "mean", WEFT_CELL_NS}, cell_mean},
          {{"max_ns", "max", WEFT_CELL_NS}, cell_longest},
          {{"messages", "messages", WEFT_CELL_U64}, cell_messages},
          {{"sent_bytes", "sent", WEFT_CELL_BYTES}, cell_sent},
          {{"received_bytes", "received", WEFT_CELL_BYTES}, cell_received},
          {{"least_bytes", "smallest", WEFT_CELL_BYTES}, cell_least},
          {{"mean_bytes", "mean size", WEFT_CELL_BYTES}, cell_mean_bytes},
          {{"most_bytes", "largest", WEFT_CELL_BYTES}, cell_most}}},
	{"openmp",
         "openmp",
         NULL,
         count_openmp,
         NULL,
         NULL,
         {{{"function", "function", WEFT_CELL_TEXT}, cell_name},
          {{"entries", "entries", WEFT_CELL_U64}, cell_calls},
          {{"threads", "threads", WEFT_CELL_U64}, cell_threads},
          {{"time_ns", "time", WEFT_CELL_NS}, cell_time},
          {{"work_ns", "work", WEFT_CELL_NS}, cell_work},
          {{"sync_ns", "waiting", WEFT_CELL_NS}, cell_sync},
          {{"schedule_ns", "scheduling", WEFT_CELL_NS}, cell_schedule},
          {{"longest_ns", "max", WEFT_CELL_NS}, cell_longest},
          {{"balance_percent", "balance", WEFT_CELL_PERCENT}, cell_balance}}},
	{"locks",
         "threads",
         "openmp",
         count_lock,
         count_holding,
         NULL,
         {{{"lock", "lock", WEFT_CELL_TEXT}, cell_name},
          {{"waits", "waits", WEFT_CELL_U64}, cell_waits},
          {{"waited_ns", "waited", WEFT_CELL_NS}, cell_waited},
          {{"longest_wait_ns", "max wait", WEFT_CELL_NS}, cell_longest_wait},
          {{"held", "held", WEFT_CELL_U64}, cell_calls},
          {{"held_ns", "held for", WEFT_CELL_NS}, cell_time},
          {{"mean_held_ns", "mean", WEFT_CELL_NS}, cell_mean},
          {{"longest_held_ns", "max", WEFT_CELL_NS}, cell_longest}}},
	{"io",
         "io",
         NULL,
         count_io,
         NULL,
         NULL,
         {{{"file", "file", WEFT_CELL_TEXT}, cell_name},
          {{"calls", "calls", WEFT_CELL_U64}, cell_calls},
          {{"time_ns", "time", WEFT_CELL_NS}, cell_time},
          {{"mean_ns", "mean", WEFT_CELL_NS}, cell_mean},
          {{"max_ns", "max", WEFT_CELL_NS}, cell_longest},
          {{"read_bytes", "read", WEFT_CELL_BYTES}, cell_received},
          {{"written_bytes", "written", WEFT_CELL_BYTES}, cell_sent},
          {{"errors", "errors", WEFT_CELL_U64}, cell_errors}}},
	{"memory",
         "memory",
         NULL,
         count_memory_call,
         count_memory,
         count_in_use,
         {{{"function", "function", WEFT_CELL_TEXT}, cell_name},
          {{"calls", "calls", WEFT_CELL_U64}, cell_calls},
          {{"bytes", "bytes", WEFT_CELL_BYTES}, cell_sent},
          {{"mean_bytes", "mean", WEFT_CELL_BYTES}, cell_call_bytes},
          {{"least_bytes", "smallest", WEFT_CELL_BYTES}, cell_least},
          {{"most_bytes", "largest", WEFT_CELL_BYTES}, cell_most}}},
};
enum { RUN_TABLES = sizeof run_tables / sizeof *run_tables };

/* ---- filling ---- */

static int order_rows(const void *a, const void *b)
{
	const struct count *x = a, *y = b;
	return x->order != y->order ? (x->order > y->order ? -1 : 1) : strcmp(x->name, y->name);
}

static void begin_table(struct weft_run_table *out, const struct weft_column *column, unsigned n)
{
	memcpy(out->column, column, n * sizeof *column);
	weft_table_init(&out->table, out->column, n);
}

static int fill(struct counting *o, const struct run_is *is, struct weft_run_table *out)
{
	struct weft_column column[WEFT_RUN_COLUMNS];
	unsigned n = 0;
	int rc = 0;
	for (; n < COLUMNS && is->column[n].cell; n++)
		column[n] = is->column[n].column;
	begin_table(out, column, n);
	if (o->row.n)
		qsort(o->row.at, o->row.n, sizeof *o->row.at, order_rows);
	for (size_t i = 0; i < o->row.n && !rc; i++) {
		struct weft_cell cell[COLUMNS];
		for (unsigned k = 0; k < n; k++)
			cell[k] = is->column[k].cell(&o->row.at[i]);
		rc = weft_table_row(&out->table, cell);
	}
	out->peak_bytes = o->peak;
	out->lock_entries = o->entries;
	return rc;
}

/* ---- mpi-matrix ---- */

void weft_rank_label(const struct weft_trace *t, uint32_t process, char *out)
{
	const struct weft_process *p = &t->process[process];
	char *dot;
	if (p->rank >= 0)
		snprintf(out, WEFT_RANK_LABEL, "%d", p->rank);
	else if (!p->n_threads)
		snprintf(out, WEFT_RANK_LABEL, "%u.%u", p->app + 1, process - t->app[p->app].first_process + 1);
	else if ((dot = strrchr(weft_thread_label(t, p->first_thread, out), '.')))
		*dot = '\0';
}

static int count_pairs(struct counting *o, uint64_t from, uint64_t to)
{
	const struct weft_messages *m = &o->t->message;
	for (uint64_t i = 0; i < m->n; i++) {
		uint32_t sender = m->send_thread[i], receiver = m->recv_thread[i];
		if (sender == WEFT_NONE || receiver == WEFT_NONE || m->send_done[i] < from || m->send_done[i] > to)
			continue;
		struct count *r = row_of(o, (uint64_t)o->t->thread[sender].process << 32 | o->t->thread[receiver].process);
		if (!r)
			return -ENOMEM;
		r->calls++;
		r->sent += m->size[i];
		r->most = m->size[i] > r->most ? m->size[i] : r->most;
		r->order = UINT64_MAX - r->key; /* by sender, then by receiver */
	}
	if (o->row.n)
		qsort(o->row.at, o->row.n, sizeof *o->row.at, order_rows);
	return 0;
}

static int fill_matrix(struct weft_run_table *out, const struct weft_trace *t, uint64_t from, uint64_t to)
{
	static const struct weft_column column[] = {
		{"from", "from", WEFT_CELL_TEXT},        {"to", "to", WEFT_CELL_TEXT},
		{"messages", "messages", WEFT_CELL_U64}, {"bytes", "bytes", WEFT_CELL_BYTES},
		{"mean_bytes", "mean", WEFT_CELL_BYTES}, {"most_bytes", "largest", WEFT_CELL_BYTES},
	};
	struct counting o = {.t = t};
	int rc = count_pairs(&o, from, to);
	begin_table(out, column, 6);
	for (size_t i = 0; i < o.row.n && !rc; i++) {
		const struct count *r = &o.row.at[i];
		char end[2][WEFT_RANK_LABEL];
		weft_rank_label(t, (uint32_t)(r->key >> 32), end[0]);
		weft_rank_label(t, (uint32_t)r->key, end[1]);
		struct weft_cell cell[] = {{WEFT_CELL_TEXT, {.text = end[0]}},
		                           {WEFT_CELL_TEXT, {.text = end[1]}},
		                           {WEFT_CELL_U64, {.u64 = r->calls}},
		                           {WEFT_CELL_BYTES, {.u64 = r->sent}},
		                           {WEFT_CELL_BYTES, {.u64 = r->sent / r->calls}},
		                           {WEFT_CELL_BYTES, {.u64 = r->most}}};
		rc = weft_table_row(&out->table, cell);
	}
	weft_map_fini(&o.row_of);
	free(o.row.at);
	return rc;
}

/* ---- by name ---- */

static bool has_category(const struct weft_trace *t, const char *name)
{
	uint32_t category = name ? run_category(t, name) : 0;
	static const enum weft_class classes[] = {WEFT_CLASS_REGION, WEFT_CLASS_TYPE};
	for (unsigned k = 0; category && k < 2; k++)
		for (uint32_t i = 1; i < t->def[classes[k]].n; i++)
			if (t->def[classes[k]].at[i].category == category)
				return true;
	return false;
}

bool weft_run_table_named(const char *name)
{
	bool named = !strcmp(name, "mpi-matrix");
	for (unsigned i = 0; i < RUN_TABLES && !named; i++)
		named = !strcmp(name, run_tables[i].name);
	return named;
}

bool weft_run_table_has(const struct weft_trace *t, const char *name)
{
	if (!strcmp(name, "mpi-matrix"))
		return has_category(t, "mpi");
	for (unsigned i = 0; i < RUN_TABLES; i++)
		if (!strcmp(name, run_tables[i].name))
			return has_category(t, run_tables[i].category) || has_category(t, run_tables[i].also);
	return false;
}

const char *weft_run_table_lacks(const struct weft_trace *t, const char *name)
{
	/* Types with numbers are a foreign format's, which views are for. */
	bool foreign = strcmp(t->format, "weft") != 0;
	for (uint32_t i = 1; i < t->def[WEFT_CLASS_TYPE].n; i++)
		foreign |= t->def[WEFT_CLASS_TYPE].at[i].code > 0;
	if (foreign)
		return NULL;
	const char *category = "mpi";
	for (unsigned i = 0; i < RUN_TABLES; i++)
		category = !strcmp(name, run_tables[i].name) ? run_tables[i].category : category;
	return category;
}

const char *weft_run_table_at(unsigned i)
{
	return i < RUN_TABLES ? run_tables[i].name : i == RUN_TABLES ? "mpi-matrix" : NULL;
}

int weft_run_table_make(struct weft_run_table *out, const struct weft_trace *t, const char *name,
                        const struct weft_run_table_how *how)
{
	unsigned i = 0;
	*out = (struct weft_run_table){.peak_bytes = 0};
	if (!strcmp(name, "mpi-matrix"))
		return fill_matrix(out, t, how->from, how->to);
	while (strcmp(name, run_tables[i].name) != 0)
		i++;
	const struct run_is *is = &run_tables[i];
	struct counting o = {.t = t, .category = run_category(t, is->category), .own = is->also ? run_category(t, is->also) : 0};
	struct run_walk w = {.t = t,
	                     .from = how->from,
	                     .to = how->to,
	                     .own_threads = how->own_threads,
	                     .on_call = is->on_call,
	                     .on_point = is->on_point,
	                     .on_counter = is->on_counter,
	                     .arg = &o};
	int rc = run_walk(&w);
	for (size_t k = 0; k < o.row.n; k++)
		thread_done(&o.row.at[k]);
	if (!rc)
		rc = fill(&o, is, out);
	weft_map_fini(&o.row_of);
	weft_map_fini(&o.held);
	free(o.row.at);
	return rc;
}

void weft_run_table_fini(struct weft_run_table *r)
{
	weft_table_fini(&r->table);
}
