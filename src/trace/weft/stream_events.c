/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The second pass: stretches of at most 256 pages of one thread are decoded by as many workers as there are, each into a part
 * (a list of blocks); parts are given to the builder in order. The inner loop converts ticks, maps the record's number to the
 * builder's id, and appends; what is rare (messages, samples, threads' names) leaves it through a table by kind.
 */
#include "base/pool.h"
#include "base/str.h"
#include "stream.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BACK_LEAST_NS 100000u
#define STRETCH_PAGES 256u
#define SEGMENT_MOST (UINT64_C(1) << 52) /* ticks: two weeks; their product with a slope stays far from overflowing */

struct stretch {
	struct stream *s;
	struct stream_thread *t;
	uint32_t run, skip, n;   /* begins `skip` pages into the run; n pages in all */
	struct col_writer *part; /* what came of it */
};
/* How the inner loop takes a kind: the map of its ids, which is empty where it does not, and the number of payload words. */
struct fast_kind {
	const uint32_t *id;
	uint32_t n_ids, words;
};
/* The segment of the clock's line that ticks lie in, nearly always the same for a whole page. */
struct segment {
	uint64_t ticks, span; /* [ticks, ticks + span) */
	int64_t ns;
	uint64_t slope;
};
struct worker {
	struct col_encoder *enc;
	struct weft_page *room; /* STREAM_PIECE_PAGES */
	struct col_writer w;
	struct stretch *at;
	uint32_t hint, hint_began;
	uint64_t n_back; /* events that are earlier than the one before */
	struct segment segment;
	struct fast_kind fast[256];
};
struct events {
	struct weft_builder *b;
	struct stretch *stretch;
	size_t n;
	struct worker *worker;
	struct weft_progress *progress;
};

static uint64_t to_ns(const struct stream *s, uint64_t ticks, uint32_t *hint)
{
	int64_t ns = clock_ns(&s->clock.line, ticks, hint);
	return ns > 0 ? (uint64_t)ns : 0;
}

/* ---- what leaves the inner loop ---- */

static int events_room(struct worker *k)
{
	return col_full(&k->w) ? col_write_block(&k->w, k->enc) : 0;
}

static int take_half(struct worker *k, const struct weft_record *r, uint64_t ns, uint32_t id)
{
	struct col_end h = {.time = ns,
	                    .began = ns,
	                    .size = r->payload[1],
	                    .def = id,
	                    .peer = (int32_t)(uint32_t)r->payload[0],
	                    .tag = (int32_t)(uint32_t)(r->payload[0] >> 32),
	                    .is_out = r->kind == WEFT_EV_SEND};
	if (r->n > 2 && r->payload[2])
		h.began = to_ns(k->at->s, r->payload[2] < r->ticks ? r->ticks - r->payload[2] : 0, &k->hint_began);
	if (r->n > 3)
		h.key = r->payload[3];
	return col_put_end(&k->w, &h);
}

static int take_flow(struct worker *k, const struct weft_record *r, uint64_t ns, uint32_t id)
{
	struct col_end f =
		{.time = ns, .began = ns, .key = r->payload[0], .def = id, .is_out = r->kind == WEFT_EV_FLOW_OUT, .is_flow = 1};
	return col_put_end(&k->w, &f);
}

static int take_extra(struct worker *k, const struct weft_record *r, uint64_t ns, uint32_t id)
{
	return col_put_extra(&k->w, ns, weft_what(r->kind, id), r->payload, r->n);
}

static int take_string(struct worker *k, const struct weft_record *r, uint64_t ns, uint32_t id)
{
	int64_t string = r->payload[0] <= WEFT_ID_MAX ? stream_id(k->at->s, WEFT_CLASS_STRING, (uint32_t)r->payload[0]) : 0;
	return string < 0 ? (int)string : col_put(&k->w, ns, weft_what(r->kind, id), (uint64_t)string);
}

static int take_cpu(struct worker *k, const struct weft_record *r, uint64_t ns, uint32_t id)
{
	const struct stream *s = k->at->s;
	uint32_t os = (uint32_t)r->payload[0];
	return col_put(&k->w, ns, weft_what(r->kind, id), os < s->n_cpu_of ? s->cpu_of[os] : WEFT_NONE);
}

static int take_state(struct worker *k, const struct weft_record *r, uint64_t ns, uint32_t id)
{
	uint64_t until = r->ticks + r->payload[0];
	uint64_t end = until >= r->ticks ? to_ns(k->at->s, until, &k->hint_began) : ns;
	return col_put(&k->w, ns, weft_what(r->kind, id), end - ns);
}

static struct stream_process *thread_process(struct stream *s, const struct stream_thread *t)
{
	for (size_t i = 0; i < s->process.n; i++)
		if (s->process.at[i].number == t->process)
			return &s->process.at[i];
	return s->own_process < s->process.n ? &s->process.at[s->own_process] : NULL;
}

static int take_exit(struct worker *k, const struct weft_record *r, uint64_t ns, uint32_t id)
{
	struct stream *s = k->at->s;
	struct stream_process *p = thread_process(s, k->at->t);
	pthread_mutex_lock(&s->lock);
	if (p) {
		if (p->end_ns == WEFT_NEVER || ns > p->end_ns)
			p->end_ns = ns;
		if ((int64_t)r->payload[0] >= 0)
			p->status = (int64_t)r->payload[0];
	}
	pthread_mutex_unlock(&s->lock);
	return col_put(&k->w, ns, weft_what(r->kind, id), r->payload[0]);
}

/* CPU_TIME, USER_TIME: what stands there is the process's. */
static int take_cpu_time(struct worker *k, const struct weft_record *r, uint64_t ns, uint32_t id)
{
	struct stream *s = k->at->s;
	struct stream_process *p = thread_process(s, k->at->t);
	pthread_mutex_lock(&s->lock);
	if (p && r->kind == WEFT_EV_CPU_TIME) {
		p->has_cpu = true;
		p->cpu_ns = r->payload[0];
	} else if (p) {
		p->has_user = true;
		p->user_ns = r->payload[0];
	}
	pthread_mutex_unlock(&s->lock);
	return col_put(&k->w, ns, weft_what(r->kind, id), r->payload[0]);
}

static int take_held(struct worker *k, const struct weft_record *r, uint64_t ns, uint32_t id)
{
	__atomic_fetch_add(&k->at->s->n_held, 1, __ATOMIC_RELAXED); /* only counted */
	return col_put(&k->w, ns, weft_what(r->kind, id), r->payload[0]);
}

/* A thread says its name (again). Not an event. */
static int take_thread(struct worker *k, const struct weft_record *r, uint64_t ns, uint32_t id)
{
	struct stream *s = k->at->s;
	struct stream_thread *t = k->at->t;
	const char *at;
	uint32_t n;
	(void)ns;
	(void)id;
	if (r->id != t->number || t->row == WEFT_NONE || !weft_record_bytes(r, 3, &at, &n))
		return 0;
	pthread_mutex_lock(&s->b->lock);
	struct weft_thread_row *row = &s->b->thread.at[t->row];
	int rc = 0;
	if (row->tid < 0)
		row->tid = (int64_t)r->payload[0];
	if (n && strnlen(at, n)) {
		const char *name = weft_arena_strndup(&s->b->arena, at, strnlen(at, n));
		row->name = name ? name : row->name;
		rc = name ? 0 : -ENOMEM;
	}
	pthread_mutex_unlock(&s->b->lock);
	return rc;
}

typedef int take_fn(struct worker *k, const struct weft_record *r, uint64_t ns, uint32_t id);
static take_fn *const take[256] = {
	[WEFT_EV_SEND] = take_half,
	[WEFT_EV_RECV] = take_half,
	[WEFT_EV_FLOW_OUT] = take_flow,
	[WEFT_EV_FLOW_IN] = take_flow,
	[WEFT_EV_POINT_S] = take_string,
	[WEFT_EV_ATTR_S] = take_string,
	[WEFT_EV_CPU] = take_cpu,
	[WEFT_EV_STATE] = take_state,
	[WEFT_EV_COLLECTIVE] = take_extra,
	[WEFT_EV_COUNTER_SET] = take_extra,
	[WEFT_EV_SAMPLE] = take_extra,
	[WEFT_EV_CALLSTACK] = take_extra,
	[WEFT_EV_DATA] = take_extra,
	[WEFT_EV_DEPENDENCY] = take_extra,
	[WEFT_EV_EXIT] = take_exit,
	[WEFT_EV_THREAD] = take_thread,
	[WEFT_EV_CLOCK_BACK] = take_held,
	[WEFT_EV_CPU_TIME] = take_cpu_time,
	[WEFT_EV_USER_TIME] = take_cpu_time,
};

/* ---- the inner loop ---- */

/* A record that the inner loop cannot take: with several words, unknown, too short, or of an undefined id. */
static int take_slow(struct worker *k, const struct weft_record *r)
{
	struct stream *s = k->at->s;
	const struct weft_kind_info *info = &weft_kind_info[r->kind];
	if (!info->name || (r->kind >= 64 && r->kind != WEFT_EV_THREAD)) {
		if (!info->name)
			__atomic_fetch_add(&s->n_unknown, 1, __ATOMIC_RELAXED); /* only counted */
		return 0;
	}
	if (r->n < (uint32_t)(info->words >= 0 ? info->words : -info->words - 1)) {
		__atomic_fetch_add(&s->n_odd, 1, __ATOMIC_RELAXED);
		return 0;
	}
	/* The id of a stack names nothing: it says what is known of it, and for how many periods a sample stands. */
	bool stack = r->kind == WEFT_EV_SAMPLE || r->kind == WEFT_EV_CALLSTACK,
	     named = info->of != WEFT_CLASS_NONE && r->kind != WEFT_EV_THREAD;
	int64_t id = named ? stream_id(s, info->of, r->id) : stack ? (int64_t)r->id : 0;
	if (id < 0)
		return (int)id;
	int rc = events_room(k);
	if (rc)
		return rc;
	uint64_t ns = to_ns(s, r->ticks, &k->hint);
	k->n_back += k->w.time.n && ns < k->w.time.at[k->w.time.n - 1];
	if (take[r->kind])
		return take[r->kind](k, r, ns, (uint32_t)id);
	return col_put(&k->w, ns, weft_what(r->kind, (uint32_t)id), info->words ? r->payload[0] : 0);
}

static void make_fast(struct fast_kind fast[256], const struct stream *s)
{
	memset(fast, 0, 256 * sizeof *fast);
	for (unsigned i = 0; i < 64; i++) {
		const struct weft_kind_info *info = &weft_kind_info[i];
		if (info->name && (info->words == 0 || info->words == 1) && !take[i] && i != WEFT_EV_DROPPED &&
		    info->of != WEFT_CLASS_NONE)
			fast[i] = (struct fast_kind){s->map[info->of].id.at, (uint32_t)s->map[info->of].id.n,
			                             (uint32_t)info->words};
	}
}

static void find_segment(struct segment *g, const struct clock_line *l, uint64_t ticks, uint32_t *hint)
{
	clock_ns(l, ticks, hint);
	const struct clock_knot *k = &l->knot.at[*hint];
	uint64_t end = *hint + 1 < l->knot.n ? k[1].ticks : UINT64_MAX;
	/* Before zero of the axis, and before the first knot, the slow way goes. */
	uint64_t span = ticks >= k->ticks && k->ns >= 0 ? end - k->ticks : 0;
	*g = (struct segment){k->ticks, span < SEGMENT_MOST ? span : SEGMENT_MOST, k->ns, k->slope};
}

/*
 * The records that need nothing but a time, an id and perhaps a word, up to one that needs more (1 and *r), the end (0), or
 * damage (negative). The columns' pointers are local, so that the compiler keeps them in registers. Whether a word follows is a
 * jump: where the next record begins is then foreseen, and not waited for.
 */
static int read_fast(struct worker *k, struct weft_page_walk *walk, struct weft_record *r)
{
	if (walk->bundle.left)
		return weft_page_next(walk, r);
	const struct fast_kind *fast = k->fast;
	uint64_t *time = k->w.time.at, *value = k->w.value.at;
	uint32_t *what = k->w.what.at;
	size_t n = k->w.time.n;
	const struct segment g = k->segment;
	const uint64_t *at = walk->at, *end = walk->end;
	const uint64_t base = walk->base - g.ticks;
	uint64_t last = n ? time[n - 1] : 0, unsorted = 0, h;
	while (at + 1 < end && (h = *at) != 0 && n < WEFT_BLOCK_EVENTS) {
		const struct fast_kind *f = &fast[weft_head_kind(h)];
		uint64_t since = base + weft_head_time(h);
		uint32_t id = weft_head_id(h);
		if (WEFT_UNLIKELY(weft_head_words(h) != f->words || id >= f->n_ids || since >= g.span))
			break;
		uint32_t known = f->id[id];
		if (WEFT_UNLIKELY(!known && id))
			break;
		uint64_t ns = (uint64_t)g.ns + (uint64_t)(((unsigned __int128)since * g.slope + CLOCK_HALF) >> CLOCK_SHIFT);
		unsorted += ns < last;
		last = ns;
		time[n] = ns;
		what[n] = weft_what(weft_head_kind(h), known);
		if (weft_head_words(h)) {
			value[n] = at[1];
			at += 2;
		} else {
			value[n] = 0;
			at++;
		}
		n++;
	}
	walk->at = at;
	k->w.time.n = k->w.what.n = k->w.value.n = n;
	k->w.unsorted |= unsorted != 0;
	k->n_back += unsorted;
	return weft_page_next(walk, r);
}

/* What comes next in a bundle, one of whose events was taken, as long as it needs nothing but an id and perhaps a word. */
static void read_bundle(struct worker *k, struct weft_page_walk *walk)
{
	size_t n = k->w.time.n;
	uint64_t ns = to_ns(k->at->s, walk->bundle.ticks, &k->hint);
	struct weft_page_walk ahead = *walk;
	struct weft_record r;
	if (n && k->w.time.at[n - 1] > ns)
		return;
	while (n < WEFT_BLOCK_EVENTS && ahead.bundle.left) {
		weft_page_unbundle(&ahead, &r);
		const struct fast_kind *f = &k->fast[r.kind];
		uint32_t known = r.id < f->n_ids ? f->id[r.id] : 0;
		if (r.n != f->words || !known)
			break;
		k->w.time.at[n] = ns;
		k->w.what.at[n] = weft_what(r.kind, known);
		k->w.value.at[n++] = r.n ? r.payload[0] : 0;
		*walk = ahead;
	}
	k->w.time.n = k->w.what.n = k->w.value.n = n;
}

static int read_records(struct worker *k, struct weft_page_walk *walk)
{
	struct weft_record r;
	for (;;) {
		int rc = read_fast(k, walk, &r);
		if (rc <= 0)
			return rc;
		rc = take_slow(k, &r);
		if (rc)
			return rc;
		if (walk->bundle.left)
			read_bundle(k, walk);
		else
			find_segment(&k->segment, &k->at->s->clock.line, r.ticks, &k->hint);
	}
}

/*
 * By how much time goes back in a page. The recorder holds times where a page begins, and looks no further; and a signal handler
 * that interrupts an event puts its own, earlier ones behind it, which takes it less than BACK_LEAST_NS.
 */
static void note_back(struct worker *k, const struct weft_page *p)
{
	struct stream *s = k->at->s;
	struct weft_page_walk walk;
	struct weft_record r;
	uint64_t n = 0, most = 0, last = 0;
	if (weft_page_begin(&walk, p, false) == WEFT_PAGE_BAD)
		return;
	while (weft_page_next(&walk, &r) > 0) {
		uint64_t ns = to_ns(s, r.ticks, &k->hint_began), back = ns < last ? last - ns : 0;
		n += back >= BACK_LEAST_NS;
		most = back > most ? back : most;
		last = ns;
	}
	pthread_mutex_lock(&s->lock);
	s->n_back += n;
	s->most_back_ns = most > s->most_back_ns ? most : s->most_back_ns;
	pthread_mutex_unlock(&s->lock);
}

/* Said once, for all of them: a busy process uses its pages again and again. */
static int note_changed(struct stream *s)
{
	pthread_mutex_lock(&s->lock);
	s->n_changed++;
	pthread_mutex_unlock(&s->lock);
	return 0;
}

static bool is_open(enum weft_page_verdict v, const struct weft_page *p, uint32_t thread, uint32_t seq)
{
	return v == WEFT_PAGE_OPEN && p->type == WEFT_PAGE_EVENTS && p->thread == thread && p->seq == seq && p->word[0];
}

/* seq: what the run says; only where pages were skimmed it may not be so. */
static int read_page(struct worker *k, const struct weft_page *p, uint32_t page, uint32_t seq)
{
	struct stream *s = k->at->s;
	struct weft_page_walk walk;
	uint64_t offset = (uint64_t)page * WEFT_PAGE_BYTES;
	enum weft_page_verdict v = weft_page_begin(&walk, p, true);
	if (s->b->skim && !stream_page_continues(p, k->at->t->number, seq) && !is_open(v, p, k->at->t->number, seq))
		return -EAGAIN;
	if (v == WEFT_PAGE_BAD) {
		const struct page_fault *why = stream_page_fault(p);
		return stream_problem(s, why->rule, offset, WEFT_PAGE_BYTES, "page %u: %s; %u bytes skipped", page, why->text,
		                      WEFT_PAGE_BYTES);
	}
	if (v == WEFT_PAGE_EMPTY || p->thread != k->at->t->number)
		return note_changed(s);
	uint64_t n_back = k->n_back;
	int rc = read_records(k, &walk);
	if (k->n_back != n_back)
		note_back(k, p);
	if (rc != WEFT_E_DAMAGED)
		return rc;
	uint64_t at = (uint64_t)((const char *)walk.at - (const char *)p);
	return stream_problem(s, "record-torn", offset + at, WEFT_PAGE_BYTES - at,
	                      "page %u: no record at byte %llu; the rest is skipped", page, (unsigned long long)at);
}

static int read_piece(struct worker *k, uint32_t page, uint32_t seq, uint32_t n)
{
	struct stream *s = k->at->s;
	const struct weft_page *p = stream_bytes_at(&s->bytes, (uint64_t)page * WEFT_PAGE_BYTES, (size_t)n * WEFT_PAGE_BYTES,
	                                            k->room);
	if (!p && s->b->skim)
		return -EAGAIN;
	if (!p)
		return stream_problem(s, "page-unreadable", (uint64_t)page * WEFT_PAGE_BYTES, (uint64_t)n * WEFT_PAGE_BYTES,
		                      "pages %u to %u: cannot be read", page, page + n - 1);
	int rc = 0;
	for (uint32_t i = 0; !rc && i < n; i++)
		rc = read_page(k, p + i, page + i, seq + i);
	return rc;
}

/* The worker's scratch stays with it; what came of the stretch goes away with the part. */
static int hand_over(struct worker *k)
{
	struct col_writer *part = malloc(sizeof *part);
	if (!part)
		return -ENOMEM;
	*part = k->w;
	part->time.at = part->value.at = part->extra.at = NULL;
	part->what.at = NULL;
	part->time.n = part->what.n = part->value.n = part->extra.n = 0;
	part->time.cap = part->what.cap = part->value.cap = part->extra.cap = 0;
	struct col_writer fresh = {.out = k->w.out, .ends = k->w.ends};
	memcpy(fresh.end, k->w.end, sizeof fresh.end);
	memset(part->end, 0, sizeof part->end);
	fresh.time.at = k->w.time.at;
	fresh.time.cap = k->w.time.cap;
	fresh.what.at = k->w.what.at;
	fresh.what.cap = k->w.what.cap;
	fresh.value.at = k->w.value.at;
	fresh.value.cap = k->w.value.cap;
	fresh.extra.at = k->w.extra.at;
	fresh.extra.cap = k->w.extra.cap;
	k->w = fresh;
	k->at->part = part;
	return 0;
}

static int worker_begin(struct worker *k, struct weft_builder *b)
{
	if (k->room)
		return 0;
	col_writer_init(&k->w, &b->out, b->ends, 0);
	k->enc = col_encoder_new();
	k->room = malloc(STREAM_PIECE_PAGES * sizeof *k->room);
	return k->enc && k->room ? col_writer_reserve(&k->w, WEFT_BLOCK_EVENTS) : -ENOMEM;
}

static int read_stretch(void *arg, size_t i, unsigned worker)
{
	struct events *e = arg;
	struct worker *k = &e->worker[worker];
	struct stretch *st = &e->stretch[i];
	int rc = worker_begin(k, e->b);
	k->at = st;
	k->hint = k->hint_began = 0;
	k->w.serial = builder_serial(e->b);
	k->segment = (struct segment){0};
	make_fast(k->fast, st->s);
	uint32_t left = st->n, skip = st->skip;
	for (uint32_t r = st->run; !rc && left; r++) {
		const struct page_run *run = &st->s->run.at[r];
		while (!rc && left && skip < run->n) {
			uint32_t n = run->n - skip < left ? run->n - skip : left;
			n = n < STREAM_PIECE_PAGES ? n : STREAM_PIECE_PAGES;
			rc = read_piece(k, run->page + skip, run->seq + skip, n);
			skip += n;
			left -= n;
			weft_progress_step(e->progress, (uint64_t)n * WEFT_PAGE_BYTES);
		}
		skip = 0;
	}
	if (!rc)
		rc = col_write_block(&k->w, k->enc);
	if (!rc)
		rc = col_flush_ends(&k->w);
	return rc ? rc : hand_over(k);
}

/* ---- stretches ---- */

struct stretch_list {
	struct stretch *at;
	size_t n, cap;
};

static int cut_thread(struct stream *s, struct stream_thread *t, struct stretch_list *to)
{
	struct stretch st = {.s = s, .t = t, .run = t->first_run};
	for (uint32_t r = t->first_run; r < t->first_run + t->n_runs; r++) {
		uint32_t done = 0;
		while (done < s->run.at[r].n) {
			uint32_t n = s->run.at[r].n - done < STRETCH_PAGES - st.n ? s->run.at[r].n - done : STRETCH_PAGES - st.n;
			st.n += n;
			done += n;
			if (st.n < STRETCH_PAGES)
				continue;
			if (weft_vec_push(to, st))
				return -ENOMEM;
			st = (struct stretch){.s = s, .t = t, .run = r, .skip = done};
		}
	}
	return st.n ? weft_vec_push(to, st) : 0;
}

static int report_counts(struct stream *const *streams, uint32_t n)
{
	int rc = 0;
	for (uint32_t i = 0; !rc && i < n; i++) {
		struct stream *s = streams[i];
		char most[32];
		if (s->n_odd)
			rc = stream_problem(s, "record-short", 0, 0, "%llu records are shorter than their kinds say; left out",
			                    (unsigned long long)s->n_odd);
		if (!rc && s->n_changed)
			rc = stream_problem(
				s, "page-changed", 0, s->n_changed * WEFT_PAGE_BYTES,
				"%llu pages changed while they were read: it is being recorded; what they held is missing here",
				(unsigned long long)s->n_changed);
		if (!rc && s->undefined.n)
			rc = stream_problem(s, "id-undefined", 0, 0,
			                    "%zu definitions that events name are lost; their names are made up", s->undefined.n);
		if (!rc && s->clock.n_rejected)
			rc = stream_problem(s, "clock-rejected", 0, 0, "%llu samples of the clock cannot be true; left out",
			                    (unsigned long long)s->clock.n_rejected);
		if (!rc && s->n_held)
			rc = stream_problem(s, "clock-back", 0, 0,
			                    "the clock went back %llu times; times were held until it had caught up",
			                    (unsigned long long)s->n_held);
		if (!rc && s->n_back)
			rc = stream_problem(s, "time-back", 0, 0,
			                    "%llu events are earlier than the one before, by up to %s; they were put in order",
			                    (unsigned long long)s->n_back, weft_human_ns(most, s->most_back_ns));
		if (!rc && s->clock.guessed && s->run.n)
			rc = stream_problem(s, "clock-unknown", 0, 0,
			                    "nothing says how fast its clock is; a tick is taken for a nanosecond");
	}
	return rc;
}

/* What the events told of processes, and what closes them. */
static void complete_processes(struct stream *const *streams, uint32_t n, struct weft_builder *b)
{
	for (uint32_t i = 0; i < n; i++)
		for (size_t k = 0; k < streams[i]->process.n; k++) {
			const struct stream_process *p = &streams[i]->process.at[k];
			struct weft_process *row = weft_built_process(b, p->row);
			if (!row)
				continue;
			if (p->end_ns != WEFT_NEVER && (row->end == WEFT_NEVER || p->end_ns > row->end))
				row->end = p->end_ns;
			if (p->status >= 0)
				row->status = p->status;
			/* From outside all of it is seen, by the process itself what came before its end. */
			if (p->has_cpu && (!row->has_cpu || p->cpu_ns > row->cpu_ns)) {
				row->has_cpu = true;
				row->cpu_ns = p->cpu_ns;
				row->has_user = p->has_user;
				row->user_ns = p->user_ns < p->cpu_ns ? p->user_ns : p->cpu_ns;
			}
		}
}

int streams_read_events(struct stream *const *streams, uint32_t n, struct weft_builder *b, struct weft_progress *progress)
{
	struct stretch_list list = {0};
	unsigned width = b->threads ? b->threads : weft_pool_width();
	struct events e = {.b = b, .progress = progress, .worker = calloc(width, sizeof *e.worker)};
	int rc = e.worker ? builder_open_columns(b, NULL) : -ENOMEM;
	for (uint32_t i = 0; !rc && i < n; i++)
		for (size_t k = 0; !rc && k < streams[i]->thread.n; k++)
			rc = cut_thread(streams[i], &streams[i]->thread.at[k], &list);
	e.stretch = list.at;
	e.n = list.n;
	if (!rc)
		rc = weft_parallel(width, list.n, read_stretch, &e);
	for (size_t i = 0; i < list.n; i++) {
		struct stretch *st = &list.at[i];
		if (!st->part)
			continue;
		if (!rc && st->t->row != WEFT_NONE && !(rc = builder_add_part(b, st->t->row, st->part)))
			continue;
		col_writer_fini(st->part);
		free(st->part);
	}
	for (unsigned i = 0; e.worker && i < width; i++) {
		col_encoder_free(e.worker[i].enc);
		free(e.worker[i].room);
		col_writer_fini(&e.worker[i].w);
	}
	free(e.worker);
	free(list.at);
	if (!rc)
		complete_processes(streams, n, b);
	return rc ? rc : report_counts(streams, n);
}
