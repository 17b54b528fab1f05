/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading a .prv. The body goes through in rounds; in each, all workers together parse the next chunks of text and give what
 * the round before parsed to the threads' appenders, so that both keep all cores busy:
 *
 *     round r      parse chunk 0 … n of set A  ║  give set B's lanes, a thread a task
 *     between      set A's new numbers, messages and issues, in the order of the file
 *     round r+1    parse chunk 0 … n of set B  ║  give set A's lanes
 *
 * What comes out does not depend on the number of workers, nor on where chunks begin.
 */
#include "base/pool.h"
#include "base/progress.h"
#include "trace/store/builder.h"
#include "prv_load.h"
#include "prv_names.h"
#include "prv_tail.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LEAST_CHUNK_BYTES = 4 << 10, CHUNK_BYTES = 128 << 10, MOST_CHUNK_BYTES = 1 << 20, CHUNK_BYTES_A_THREAD = 2 << 10 };
enum { MOST_CHUNKS = 64, CHUNKS_A_WORKER = 4 };

struct slot { /* a chunk, used again and again */
	struct prv_chunk chunk;
	struct weft_err err;
	int got; /* of text_input_block */
	bool used;
	WEFT_VEC(uint32_t) id;  /* of the chunk's unknown numbers */
	uint64_t first_message; /* number of the chunk's first one */
};
struct set {
	struct slot *slot;      /* owned; n of them */
	WEFT_VEC(uint32_t) row; /* threads that have lanes in it */
};

struct body {
	struct prv_load *l;
	struct set set[2];
	struct text_block *text;        /* a worker's, so that it stays in its cache; owned */
	unsigned n_slots, workers, now; /* now: the set that is parsed into */
	size_t n_chunks;                /* of the round */
	struct prv_tail *tail;          /* by thread; owned */
	bool *listed;                   /* by thread: is in set.row. Owned */
	uint64_t next_block, n_messages, n_behind, n_comments, last_time;
	uint64_t shown;
	bool begun, ended;
	struct weft_progress progress;
};

/*
 * The text and the lanes of a chunk should stay in a core's cache; but with many threads, lanes should not be too short. With
 * little memory it is less than either.
 */
static size_t chunk_bytes(const struct prv_load *l)
{
	uint64_t fit = weft_open_memory(l->how) / 1024, n = (uint64_t)l->header.n_threads * CHUNK_BYTES_A_THREAD;
	n = n < CHUNK_BYTES ? CHUNK_BYTES : n > MOST_CHUNK_BYTES ? MOST_CHUNK_BYTES : n;
	n = n < fit ? n : fit;
	return n < LEAST_CHUNK_BYTES ? LEAST_CHUNK_BYTES : (size_t)n;
}

/* -- parts of a round, by any worker -- */

static int parse_slot(struct body *y, struct slot *s, uint64_t block, struct text_block *text)
{
	s->got = text_input_block(y->l->in, block, text, &s->err);
	s->used = s->got > 0;
	if (s->got <= 0)
		return s->got;
	int rc = prv_chunk_parse(&s->chunk, text->at, text->n, text->offset);
	return rc ? weft_err_set(&s->err, rc, "cannot read '%s': %s", y->l->path, weft_err_name(rc)) : 0;
}

static int give_thread(struct body *y, const struct set *from, uint32_t row)
{
	struct prv_tail *t = &y->tail[row];
	if (!t->to)
		t->to = weft_builder_appender(y->l->b, row);
	if (!t->to)
		return -ENOMEM;
	int rc = 0;
	for (unsigned i = 0; i < y->n_slots && !rc; i++) {
		const struct slot *s = &from->slot[i];
		if (s->used && s->chunk.lane[row].touched)
			rc = prv_tail_append(t, &s->chunk.lane[row], s->chunk.unknown.n ? s->id.at : NULL, s->first_message);
	}
	return rc;
}

/* Parts of a round: the threads of the set before, and the chunks. What there is less of takes longer, and goes first. */
static int do_part(void *arg, size_t i, unsigned worker)
{
	struct body *y = arg;
	const struct set *before = &y->set[!y->now];
	const size_t n = before->row.n, first = n < y->n_chunks ? n : y->n_chunks;
	bool threads_first = first == n, is_thread = threads_first == (i < first);
	i -= i < first ? 0 : first;
	if (is_thread)
		return give_thread(y, before, before->row.at[i]);
	return parse_slot(y, &y->set[y->now].slot[i], y->next_block + i, &y->text[worker]);
}

/* -- between rounds -- */

static int settle_numbers(struct body *y, struct slot *s)
{
	s->id.n = 0;
	for (size_t i = 0; i < s->chunk.unknown.n; i++) {
		uint32_t id;
		int rc = prv_load_number(y->l, &s->chunk.unknown.at[i], &id);
		if (!rc)
			rc = weft_vec_push(&s->id, id);
		if (rc)
			return rc;
	}
	return 0;
}

static int settle_messages(struct body *y, struct slot *s)
{
	s->first_message = y->n_messages;
	for (size_t i = 0; i < s->chunk.message.n; i++) {
		int64_t number = weft_build_message_row(y->l->b, &s->chunk.message.at[i]);
		if (number < 0)
			return (int)number;
		if (number > UINT32_MAX)
			return -E2BIG;
	}
	y->n_messages += s->chunk.message.n;
	y->n_behind += s->chunk.n_behind;
	return 0;
}

static int settle_issues(struct body *y, const struct slot *s)
{
	const struct prv_chunk *c = &s->chunk;
	char text[PRV_ISSUE_TEXT];
	int rc = 0;
	for (uint64_t i = 0; i < c->n_issues && !rc; i++) {
		/* Beyond those that a chunk keeps they are only counted: the builder has had its fill by then. */
		const struct prv_issue *is = &c->issue.at[i < c->issue.n ? i : c->issue.n - 1];
		rc = prv_load_problem(y->l, y->l->path, y->l->n_lines + is->line, is->offset, is->bytes,
		                      prv_issue_text(is, text));
	}
	for (size_t i = 0; i < c->comment.n && y->n_comments < PRV_MOST_COMMENTS && !rc; i++, y->n_comments++) {
		struct weft_str line = weft_str_trim(weft_str_n(c->comment_text.at + c->comment.at[i].at, c->comment.at[i].n));
		rc = prv_load_note(y->l, PRV_NOTE_COMMENT, line);
	}
	y->l->n_lines += c->n_lines;
	if (c->last_time > y->last_time)
		y->last_time = c->last_time;
	return rc;
}

static int list_rows(struct body *y, struct set *set)
{
	for (unsigned i = 0; i < y->n_slots; i++) {
		const struct prv_chunk *c = &set->slot[i].chunk;
		for (size_t k = 0; set->slot[i].used && k < c->touched.n; k++) {
			uint32_t row = c->touched.at[k];
			if (!y->listed[row] && weft_vec_push(&set->row, row))
				return -ENOMEM;
			y->listed[row] = true;
		}
	}
	for (size_t i = 0; i < set->row.n; i++)
		y->listed[set->row.at[i]] = false;
	return 0;
}

/* The set before has been given; the one of now has been parsed. */
static int settle(struct body *y)
{
	struct set *now = &y->set[y->now], *before = &y->set[!y->now];
	int rc = 0;
	before->row.n = 0;
	for (unsigned i = 0; i < y->n_slots; i++) {
		prv_chunk_reset(&before->slot[i].chunk);
		before->slot[i].used = false;
	}
	for (unsigned i = 0; i < y->n_slots && !rc; i++) {
		struct slot *s = &now->slot[i];
		y->ended |= s->got == 0;
		if (!s->used)
			continue;
		rc = settle_numbers(y, s);
		if (!rc)
			rc = settle_messages(y, s);
		if (!rc)
			rc = settle_issues(y, s);
	}
	return rc ? rc : list_rows(y, now);
}

static int round_failed(const struct body *y, int rc)
{
	for (unsigned i = 0; i < y->n_slots; i++) {
		const struct weft_err *err = &y->set[y->now].slot[i].err;
		if (err->code && err->code != -ECANCELED)
			return weft_err_set(y->l->err, err->code, "%s", err->text);
	}
	return prv_load_fail(y->l, rc);
}

/* Puts what the round made in order, and says how many parts the next one has. */
static int64_t begin_round(void *arg)
{
	struct body *y = arg;
	if (y->begun) {
		y->next_block += y->n_chunks;
		int rc = settle(y);
		if (rc)
			return rc;
		y->now = !y->now;
		uint64_t read = text_input_bytes_read(y->l->in);
		weft_progress_step(y->l->how && y->l->how->progress ? &y->progress : NULL, read - y->shown);
		y->shown = read;
	}
	y->begun = true;
	y->n_chunks = y->ended ? 0 : y->n_slots;
	for (unsigned i = 0; i < y->n_slots; i++)
		y->set[y->now].slot[i].got = 0;
	return (int64_t)(y->set[!y->now].row.n + y->n_chunks);
}

static int run_rounds(struct body *y)
{
	int rc = weft_parallel_rounds(y->workers, begin_round, do_part, y);
	return rc ? round_failed(y, rc) : 0;
}

/* -- the whole body -- */

/* How many chunks a round has: enough for all workers, in an eighth of the memory. */
static unsigned count_slots(const struct body *y)
{
	uint64_t each = 4ull * chunk_bytes(y->l) + y->l->header.n_threads * (uint64_t)sizeof(struct prv_lane);
	uint64_t fit = weft_open_memory(y->l->how) / 8 / (2 * each), want = (uint64_t)y->workers * CHUNKS_A_WORKER;
	uint64_t n = want < fit ? want : fit;
	return n < 1 ? 1 : n > MOST_CHUNKS ? MOST_CHUNKS : (unsigned)n;
}

static int body_begin(struct body *y)
{
	const struct weft_open_how *how = y->l->how;
	y->workers = how && how->threads ? how->threads : weft_pool_width();
	y->n_slots = count_slots(y);
	y->tail = calloc(y->l->header.n_threads, sizeof *y->tail);
	y->listed = calloc(y->l->header.n_threads, sizeof *y->listed);
	y->text = calloc(y->workers, sizeof *y->text);
	if (!y->tail || !y->listed || !y->text)
		return -ENOMEM;
	for (int k = 0; k < 2; k++) {
		y->set[k].slot = calloc(y->n_slots, sizeof *y->set[k].slot);
		if (!y->set[k].slot)
			return -ENOMEM;
		for (unsigned i = 0; i < y->n_slots; i++)
			if (prv_chunk_init(&y->set[k].slot[i].chunk, &y->l->model))
				return -ENOMEM;
	}
	return 0;
}

static void body_end(struct body *y)
{
	for (int k = 0; k < 2; k++) {
		for (unsigned i = 0; y->set[k].slot && i < y->n_slots; i++) {
			struct slot *s = &y->set[k].slot[i];
			if (s->chunk.model)
				prv_chunk_fini(&s->chunk);
			free(s->id.at);
		}
		free(y->set[k].slot);
		free(y->set[k].row.at);
	}
	for (uint32_t i = 0; y->tail && i < y->l->header.n_threads; i++)
		prv_tail_fini(&y->tail[i]);
	for (unsigned i = 0; y->text && i < y->workers; i++)
		text_block_fini(&y->text[i]);
	free(y->text);
	free(y->tail);
	free(y->listed);
}

/* Where the file ends before its time: why that is known, and what there is of the trace. */
static int say_end(struct body *y, uint64_t end)
{
	char text[200], last[32], whole[32];
	const char *damage = text_input_damage(y->l->in);
	if (!damage && text_input_is_cut(y->l->in))
		damage = "the last line has no end, the file was cut off";
	if (!damage)
		return 0;
	snprintf(text, sizeof text, "%s; there are records up to %s of %s", damage, weft_human_ns(last, y->last_time),
	         weft_human_ns(whole, end));
	return prv_load_problem(y->l, y->l->path, y->l->n_lines, text_input_bytes(y->l->in), 0, text);
}

/* Every thread of a .prv lives from 0 to the end. */
static int finish_trace(struct body *y)
{
	const struct prv_header *h = &y->l->header;
	uint64_t end = h->end * prv_unit_ns[h->unit];
	if (y->last_time > end)
		end = y->last_time;
	int rc = 0;
	for (uint32_t i = 0; i < h->n_threads && !rc; i++) {
		if (y->tail[i].to)
			rc = prv_tail_flush(&y->tail[i]);
		weft_built_thread(y->l->b, i)->end = end;
	}
	for (uint32_t i = 0; i < h->n_tasks; i++)
		weft_built_process(y->l->b, i)->end = end;
	weft_build_keep_zero(y->l->b, end);
	if (!rc && 2 * y->n_behind > y->n_messages)
		rc = weft_build_note(y->l->b, PRV_NOTE_MESSAGES, "physical");
	return rc ? rc : say_end(y, end);
}

static int read_body(struct prv_load *l)
{
	struct body y = {.l = l};
	text_input_set_block(l->in, chunk_bytes(l));
	int rc = body_begin(&y);
	if (rc) {
		rc = prv_load_fail(l, rc);
	} else {
		weft_progress_begin(&y.progress, "reading", text_input_bytes(l->in));
		rc = run_rounds(&y);
		if (!rc && (rc = finish_trace(&y)))
			prv_load_fail(l, rc);
		weft_progress_end(&y.progress);
	}
	body_end(&y);
	return rc;
}

static int prv_load(struct weft_builder *b, const char *path, const struct weft_open_how *how, struct weft_err *err)
{
	struct prv_load l = {.b = b, .path = path, .how = how, .err = err};
	int rc = b->stream.fd >= 0 ? text_input_open_stream(&l.in, &b->stream, path, CHUNK_BYTES, err)
	                           : text_input_open(&l.in, path, CHUNK_BYTES, err);
	if (!rc)
		rc = prv_load_header(&l);
	if (!rc)
		rc = prv_load_names(&l);
	if (!rc)
		rc = prv_load_objects(&l);
	if (!rc)
		rc = prv_load_defs(&l);
	if (!rc)
		rc = prv_load_communicators(&l);
	if (!rc)
		rc = read_body(&l);
	row_fini(&l.row);
	pcf_fini(&l.pcf);
	prv_model_fini(&l.model);
	prv_header_fini(&l.header);
	text_input_close(l.in);
	return rc;
}

static bool prv_claims(const char *path, const char *first, size_t n)
{
	static const char *const ends[] = {".prv", ".prv.gz", ".prv.zst"};
	static const char *const begins[] = {"#Paraver", "new format"};
	size_t length = strlen(path);
	struct weft_str text = weft_str_behind_mark(weft_str_n(first, n));
	for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
		if (text.n >= strlen(begins[i]) && !memcmp(text.at, begins[i], strlen(begins[i])))
			return true;
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		if (length > strlen(ends[i]) && !strcmp(path + length - strlen(ends[i]), ends[i]))
			return true;
	return false;
}

const struct weft_reader weft_prv_reader = {"prv", prv_claims, prv_load, .once = true};
