/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Definitions: the registry behind weft_define_*, and the switches.
 *
 * All definitions, of all classes, share one array; the index of a definition is also that of its switch (rec.wiped->live).
 * An id counts in its class. Found again by a hash of class, category and name; categories hold a list of what is in them.
 * Arrays grow by segments that never move, the hash by a new table; under the lock. A fork may come in the middle of a change
 * by another thread: an entry is complete before it counts, so the worst that a child sees is a definition that is made twice.
 */
#include "rec_priv.h"
#include "base/map.h"
#include <errno.h>
#include <string.h>

#define SEGMENT_FIRST 1024u
#define NAME_MOST 3800u
#define LIST_MOST 480u /* words of one DEF_RANKS record */
#define ARENA_BYTES (64u << 10)
#define HASH_FIRST 4096u
#define SET_MOST 14u

static struct rec_def *def_at(uint32_t index)
{
	uint32_t n = index / SEGMENT_FIRST + 1;
	unsigned k = 31u - (unsigned)__builtin_clz(n);
	return &rec.defs.segment[k][index - SEGMENT_FIRST * ((1u << k) - 1)];
}

/* ---- Memory ---- */

static void *def_alloc(size_t bytes)
{
	bytes = (bytes + 7) & ~(size_t)7;
	if (bytes > ARENA_BYTES)
		return rec_mmap(bytes);
	if (bytes > (size_t)(rec.defs.arena_end - rec.defs.arena)) {
		char *fresh = rec_mmap(ARENA_BYTES);
		if (!fresh)
			return NULL;
		rec.defs.arena = fresh;
		rec.defs.arena_end = fresh + ARENA_BYTES;
	}
	char *at = rec.defs.arena;
	rec.defs.arena += bytes;
	return at;
}

static struct rec_def *def_next(uint32_t *index)
{
	uint32_t i = weft_load_u32(&rec.defs.n);
	unsigned k = 31u - (unsigned)__builtin_clz(i / SEGMENT_FIRST + 1);
	if (i >= rec.live_max || k >= REC_DEF_SEGMENTS)
		return NULL;
	if (!rec.defs.segment[k])
		rec.defs.segment[k] = rec_mmap(((size_t)SEGMENT_FIRST << k) * sizeof(struct rec_def));
	if (!rec.defs.segment[k])
		return NULL;
	*index = i;
	return def_at(i);
}

/* ---- Finding ---- */

static uint32_t def_hash(const struct rec_def *d)
{
	uint64_t h = weft_hash(d->name.at, d->name.n) ^ weft_hash_u64((uint64_t)d->category << 16 | d->class << 8 | d->kind) ^
	             weft_hash_u64(d->key + 1);
	return (uint32_t)(h ^ h >> 32);
}

static bool def_same(const struct rec_def *a, const struct rec_def *b)
{
	return a->hash == b->hash && a->class == b->class && a->kind == b->kind && a->category == b->category &&
	       a->key == b->key && a->name.n == b->name.n && memcmp(a->name.at, b->name.at, a->name.n) == 0;
}

static struct rec_def *def_find(const struct rec_def *want)
{
	if (!rec.defs.hash)
		return NULL;
	for (uint32_t i = want->hash & (rec.defs.hash_cells - 1);; i = (i + 1) & (rec.defs.hash_cells - 1)) {
		if (!rec.defs.hash[i])
			return NULL;
		struct rec_def *d = def_at(rec.defs.hash[i]);
		if (def_same(d, want))
			return d;
	}
}

static void def_hash_put(uint32_t *hash, uint32_t cells, uint32_t index)
{
	uint32_t i = def_at(index)->hash & (cells - 1);
	while (hash[i])
		i = (i + 1) & (cells - 1);
	hash[i] = index;
}

static int def_hash_grow(void)
{
	uint32_t n = weft_load_u32(&rec.defs.n);
	if (rec.defs.hash && n < rec.defs.hash_cells / 2)
		return 0;
	uint32_t cells = rec.defs.hash ? rec.defs.hash_cells * 2 : HASH_FIRST, old_cells = rec.defs.hash_cells;
	uint32_t *fresh = rec_mmap(cells * sizeof *fresh), *old = rec.defs.hash;
	if (!fresh)
		return -ENOMEM;
	for (uint32_t i = 1; i < n; i++)
		def_hash_put(fresh, cells, i);
	/* First the table, then its size: with the old size a search in the new table at worst finds nothing. */
	__atomic_store_n(&rec.defs.hash, fresh, __ATOMIC_RELEASE);
	__atomic_store_n(&rec.defs.hash_cells, cells, __ATOMIC_RELEASE);
	rec_munmap(old, old_cells * sizeof *old);
	return 0;
}

/* ---- Switches ---- */

static uint32_t def_live(const struct rec_def *d)
{
	if (d->kind == WEFT_EV_DEF_VALUE || d->kind == WEFT_EV_DEF_STRING || !weft_load_u32(&rec.on))
		return 0;
	bool on = d->class == WEFT_CLASS_CATEGORY ? d->on : def_at(d->category)->on;
	return on ? d->id << 12 : 0;
}

void rec_define_live_all(void)
{
	uint32_t n = weft_load_u32(&rec.defs.n);
	for (uint32_t i = 1; i < n; i++)
		rec_live_store(i, def_live(def_at(i)));
}

/* ---- Writing ---- */

/* Members of communicators come in several records, each with the position of its first. */
static void def_write_list(struct rec_stream *s, const struct rec_def *d, unsigned kind, bool positions)
{
	uint64_t *word = s->list;
	for (uint32_t from = 0; from < d->n_list; from += LIST_MOST) {
		uint32_t left = d->n_list - from, n = left < LIST_MOST ? left : LIST_MOST;
		word[0] = from;
		for (uint32_t i = 0; i < n; i++)
			word[positions + i] = d->list[from + i];
		rec_meta_put(s, kind, d->id, positions + n, word, weft_str(NULL));
	}
}

static void def_write(struct rec_stream *s, const struct rec_def *d)
{
	if (d->kind == WEFT_EV_DEF_SET) {
		def_write_list(s, d, WEFT_EV_DEF_SET, false);
		return;
	}
	rec_meta_put(s, d->kind, d->id, d->n_words, d->word, d->name);
	if (d->kind == WEFT_EV_DEF_COMM)
		def_write_list(s, d, WEFT_EV_DEF_RANKS, true);
}

void rec_define_write_all(struct rec_stream *s)
{
	uint32_t n = weft_load_u32(&rec.defs.n);
	for (uint32_t i = 1; i < n; i++)
		def_write(s, def_at(i));
}

void rec_define_meter_all(void)
{
	uint32_t n = weft_load_u32(&rec.defs.n);
	for (uint32_t i = 1; i < n; i++) {
		const struct rec_def *d = def_at(i);
		if (d->class == WEFT_CLASS_REGION && d->counts)
			rec_meter_region(d->id, def_at(d->category)->name.at);
	}
}

/* ---- Making ---- */

static struct weft_str def_keep(const char *at, size_t n)
{
	char *kept = def_alloc(n + 1);
	if (!kept)
		return weft_str_n(NULL, 0);
	memcpy(kept, at, n);
	return weft_str_n(kept, n);
}

/* Under the lock. What `want` says, as it was made before or new now; NULL when memory or ids are out. Copies names and lists. */
static const struct rec_def *def_make(struct rec_def *want)
{
	uint32_t index;
	if (want->name.n > NAME_MOST)
		want->name.n = NAME_MOST;
	want->hash = def_hash(want);
	struct rec_def *d = def_find(want);
	if (d)
		return d;
	d = def_next(&index);
	if (!d || def_hash_grow() || (want->counts && rec.defs.ids[want->class] == WEFT_ID_MAX))
		return NULL;
	want->name = def_keep(want->name.at, want->name.n);
	if (!want->name.at)
		return NULL;
	if (want->n_list) {
		uint32_t *list = def_alloc(want->n_list * sizeof *list);
		if (!list)
			return NULL;
		want->list = memcpy(list, want->list, want->n_list * sizeof *list);
	}
	want->index = index;
	if (want->counts)
		want->id = ++rec.defs.ids[want->class];
	*d = *want;
	if (want->class == WEFT_CLASS_REGION && want->counts) {
		rec_meter_region(d->id, def_at(d->category)->name.at);
		rec_first_region(d->id, d->name.at);
	}
	weft_store_u32(&rec.defs.n, index + 1);
	def_hash_put(rec.defs.hash, rec.defs.hash_cells, index);
	rec_live_store(index, def_live(d));
	/* Asked once: in the child of a handler that forks here there is none any more, and the old one takes nothing. */
	struct rec_stream *s = rec_stream();
	if (s)
		def_write(s, d);
	return d;
}

/*
 * Strings that somebody wanted lately, by their hash, found without the lock: who records a text with each of its events asks for it
 * each time. A definition that counts neither changes nor moves.
 */
#define RECENT 512u
static struct weft_atomic_ptr recent[RECENT];

static struct weft_atomic_ptr *recent_of(struct weft_str s)
{
	return &recent[weft_hash(s.at, s.n) % RECENT];
}

static const struct rec_def *def_string_of(struct weft_str s)
{
	struct rec_def want = {.class = WEFT_CLASS_STRING, .kind = WEFT_EV_DEF_STRING, .counts = true, .name = s};
	return s.n ? def_make(&want) : NULL;
}

static uint32_t def_string(const char *text)
{
	const struct rec_def *d = def_string_of(weft_str(text));
	return d ? d->id : 0;
}

static uint32_t def_category(const char *name, bool on)
{
	struct rec_def want = {.class = WEFT_CLASS_CATEGORY,
	                       .kind = WEFT_EV_DEF_CATEGORY,
	                       .counts = true,
	                       .name = weft_str(name)};
	want.on = rec_category_wanted(name, on);
	const struct rec_def *d = def_make(&want);
	return d ? d->index : 0;
}

/* The definition behind a switch; NULL for WEFT_OFF and for what is none. */
static const struct rec_def *def_of(weft_def live)
{
	uintptr_t from = (uintptr_t)rec.wiped->live, at = (uintptr_t)live;
	uint64_t index = (at - from) / sizeof(uint32_t);
	return at >= from && index > 0 && index < weft_load_u32(&rec.defs.n) ? def_at((uint32_t)index) : NULL;
}

uint32_t rec_define_id(weft_def live)
{
	const struct rec_def *d = def_of(live);
	return d ? d->id : 0;
}

static weft_def def_switch(const struct rec_def *d)
{
	return d ? &rec.wiped->live[d->index] : WEFT_OFF;
}

/* Ready to define: takes the lock. False: nothing can be defined, here or at all. */
static bool def_begin(const void *name)
{
	if (!name || rec_init())
		return false;
	rec_check_process();
	return rec_lock();
}

static weft_def def_end(const struct rec_def *d)
{
	weft_def live = def_switch(d);
	rec_unlock();
	rec_helper_ensure();
	rec_exit_watch();
	return live;
}

/* What most kinds of definition share: name, and in the payload (category, unit string or flags). Under the lock. */
static const struct rec_def *def_plain(enum weft_class class, enum weft_kind kind, const char *name, uint32_t other,
                                       weft_category category)
{
	struct rec_def want = {.class = (uint8_t) class, .kind = (uint8_t)kind, .counts = true, .name = weft_str(name)};
	const struct rec_def *in = category ? def_of(category) : def_at(rec.defs.user);
	if (!in || in->class != WEFT_CLASS_CATEGORY)
		return NULL;
	want.category = in->index;
	want.word[0] = rec_pair(in->id, other);
	want.n_words = kind == WEFT_EV_DEF_TYPE || kind == WEFT_EV_DEF_COUNTER ? 2 : 1;
	return def_make(&want);
}

int rec_define_init(void)
{
	weft_store_u32(&rec.defs.n, 1);
	rec.defs.segment[0] = rec_mmap(SEGMENT_FIRST * sizeof(struct rec_def));
	if (!rec.defs.segment[0])
		return -ENOMEM;
	rec.defs.user = def_category("user", true);
	return rec.defs.user ? 0 : -ENOMEM;
}

/* ---- The interface ---- */

weft_category weft_define_category(const char *name, int on)
{
	if (!def_begin(name))
		return WEFT_OFF;
	uint32_t index = def_category(name, on);
	return def_end(index ? def_at(index) : NULL);
}

weft_region weft_define_region_at(const char *name, enum weft_state_class state, weft_category category, const char *file,
                                  uint32_t line)
{
	if (!def_begin(name))
		return WEFT_OFF;
	struct rec_def want = {.class = WEFT_CLASS_REGION,
	                       .kind = WEFT_EV_DEF_REGION,
	                       .counts = true,
	                       .n_words = 2,
	                       .name = weft_str(name)};
	const struct rec_def *in = category ? def_of(category) : def_at(rec.defs.user), *d = NULL;
	if (in && in->class == WEFT_CLASS_CATEGORY) {
		want.category = in->index;
		want.word[0] = rec_pair(in->id, state);
		want.word[1] = rec_pair(def_string(file), line);
		d = def_make(&want);
	}
	return def_end(d);
}

weft_region weft_define_region(const char *name, enum weft_state_class state, weft_category category)
{
	return weft_define_region_at(name, state, category, NULL, 0);
}

weft_type weft_define_type(const char *name, const char *unit, weft_category category)
{
	return def_begin(name) ? def_end(def_plain(WEFT_CLASS_TYPE, WEFT_EV_DEF_TYPE, name, def_string(unit), category))
	                       : WEFT_OFF;
}

/* The code alone tells it from others: its name may change, and is no part of what it is found by. */
weft_type weft_define_coded_type(uint32_t code, const char *name, const char *unit, weft_category category)
{
	if (!name || !def_begin(name))
		return WEFT_OFF;
	struct rec_def want = {.class = WEFT_CLASS_TYPE,
	                       .kind = WEFT_EV_DEF_TYPE,
	                       .counts = true,
	                       .n_words = 2,
	                       .key = code,
	                       .name = weft_str("")};
	const struct rec_def *in = category ? def_of(category) : def_at(rec.defs.user), *d = NULL;
	if (in && in->class == WEFT_CLASS_CATEGORY) {
		want.category = in->index;
		want.word[0] = rec_pair(in->id, def_string(unit));
		want.word[1] = code;
		d = def_make(&want);
	}
	if (d) {
		struct rec_def named = {.class = WEFT_CLASS_TYPE, .kind = WEFT_EV_DEF_TYPE, .n_words = 2, .id = d->id};
		named.name = weft_str(name);
		named.key = code;
		named.category = d->index; /* so it is not found in place of the type */
		named.word[0] = d->word[0];
		named.word[1] = code;
		(void)def_make(&named);
	}
	return def_end(d);
}

weft_counter weft_define_counter(const char *name, const char *unit, weft_category category)
{
	return def_begin(name) ? def_end(def_plain(WEFT_CLASS_COUNTER, WEFT_EV_DEF_COUNTER, name, def_string(unit), category))
	                       : WEFT_OFF;
}

weft_attr weft_define_attr(const char *name, const char *unit, weft_category category)
{
	return def_begin(name) ? def_end(def_plain(WEFT_CLASS_ATTR, WEFT_EV_DEF_ATTR, name, def_string(unit), category))
	                       : WEFT_OFF;
}

weft_flow weft_define_flow(const char *name, weft_category category)
{
	return def_begin(name) ? def_end(def_plain(WEFT_CLASS_FLOW, WEFT_EV_DEF_FLOW, name, 0, category)) : WEFT_OFF;
}

weft_flow weft_define_own_flow(const char *name, weft_category category)
{
	return def_begin(name) ? def_end(def_plain(WEFT_CLASS_FLOW, WEFT_EV_DEF_FLOW, name, WEFT_FLOW_OWN, category)) : WEFT_OFF;
}

void weft_define_value(weft_type type, int64_t value, const char *label)
{
	if (!type || !def_begin(label))
		return;
	const struct rec_def *of = def_of(type);
	if (of && of->class == WEFT_CLASS_TYPE) {
		struct rec_def want = {.class = WEFT_CLASS_TYPE,
		                       .kind = WEFT_EV_DEF_VALUE,
		                       .id = of->id,
		                       .n_words = 1,
		                       .name = weft_str(label)};
		want.word[0] = want.key = (uint64_t)value;
		want.category = of->index; /* tells values of different types apart; it has no switch of its own */
		(void)def_make(&want);
	}
	(void)def_end(NULL);
}

weft_set weft_define_set(const char *name, const weft_counter *counters, unsigned n_counters, weft_category category)
{
	uint32_t id[SET_MOST];
	if (n_counters > SET_MOST || (n_counters && !counters) || !def_begin(name))
		return WEFT_OFF;
	struct rec_def want = {.class = WEFT_CLASS_SET,
	                       .kind = WEFT_EV_DEF_SET,
	                       .counts = true,
	                       .name = weft_str(name),
	                       .list = id};
	const struct rec_def *in = category ? def_of(category) : def_at(rec.defs.user), *d = NULL;
	for (want.n_list = 0; want.n_list < n_counters; want.n_list++) {
		const struct rec_def *c = def_of(counters[want.n_list]);
		if (!c || c->class != WEFT_CLASS_COUNTER)
			break;
		id[want.n_list] = c->id;
	}
	if (in && in->class == WEFT_CLASS_CATEGORY && want.n_list == n_counters) {
		want.category = in->index;
		d = def_make(&want);
	}
	return def_end(d);
}

weft_comm weft_define_comm(const char *name, uint64_t key, const int *ranks, unsigned n_ranks)
{
	if (!def_begin(name))
		return WEFT_OFF;
	struct rec_def want = {.class = WEFT_CLASS_COMM,
	                       .kind = WEFT_EV_DEF_COMM,
	                       .counts = true,
	                       .n_words = 2,
	                       .name = weft_str(name),
	                       .key = key};
	want.list = (const uint32_t *)ranks;
	want.n_list = ranks ? n_ranks : 0;
	want.word[0] = ranks ? n_ranks : rec.n_ranks > 0 ? (uint32_t)rec.n_ranks : 0;
	want.word[1] = key;
	want.category = rec.defs.user;
	return def_end(def_make(&want));
}

uint32_t weft_define_string(const char *text)
{
	struct weft_str s = weft_str(text);
	struct weft_atomic_ptr *slot = recent_of(s);
	const struct rec_def *known = weft_load_ptr(slot);
	if (known && known->name.n == s.n && memcmp(known->name.at, s.at, s.n) == 0)
		return known->id;
	if (!def_begin(text))
		return 0;
	const struct rec_def *d = def_string_of(s);
	if (d)
		weft_store_ptr(slot, (void *)(uintptr_t)d);
	/* No helper for it: the agent asks where an event stands. */
	rec_unlock();
	return d ? d->id : 0;
}

void weft_switch(weft_category category, int on)
{
	if (!category || rec_init())
		return;
	rec_check_process();
	if (!rec_lock())
		return;
	const struct rec_def *d = def_of(category);
	bool change = d && d->class == WEFT_CLASS_CATEGORY && d->on != !!on;
	uint32_t id = d ? d->id : 0;
	if (change) {
		def_at(d->index)->on = !!on;
		rec_define_live_all();
	}
	rec_unlock();
	if (change && weft_load_u32(&rec.on))
		weft_record_slow((on ? WEFT_EV_ON : WEFT_EV_OFF) | id << 12, 0, NULL);
}
