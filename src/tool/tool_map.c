/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tools by several threads: in rounds of a few blocks, each made into a text by whoever takes it; meanwhile the first takes the
 * last round's texts out, in their order. Where lines do know of those before them, the tool settles the texts of a round.
 *
 *     round k:    out(texts of k-1) | block | block | block …          two sets of texts, which take turns
 */
#include "base/pool.h"
#include "tool_priv.h"
#include <errno.h>
#include <stdlib.h>

enum { MOST_THREADS = 64 };

struct slot {
	struct text_block block;
	struct tool_text text;
};
struct round {
	const struct tool_map *m;
	struct slot *slot;  /* of this round; the block's memory and the text's are used again and again */
	struct slot *ready; /* of the last round */
	unsigned n;
	uint64_t first; /* block of slot 0 */
	bool stopped;   /* the tool wants nothing more */
	bool *ended;
	struct weft_err *err; /* by slot */
};

unsigned tool_map_threads(unsigned threads)
{
	unsigned n = threads ? threads : weft_pool_width();
	return n < MOST_THREADS ? n : MOST_THREADS;
}

static void take_out(const struct round *r)
{
	for (unsigned i = 0; i < r->n; i++) {
		tool_output_write(r->m->out, r->ready[i].text.at, r->ready[i].text.n);
		r->ready[i].text.n = 0;
	}
}

static int one_item(void *arg, size_t i, unsigned thread)
{
	struct round *r = arg;
	(void)thread;
	if (i == 0) {
		take_out(r);
		return r->m->out->failed;
	}
	struct slot *s = &r->slot[i - 1];
	int rc = text_input_block(r->m->in->text, r->first + i - 1, &s->block, &r->err[i - 1]);
	if (rc < 0)
		return rc;
	r->ended[i - 1] = rc == 0;
	if (rc == 0)
		return 0;
	rc = r->m->block(r->m->arg, (unsigned)i - 1, s->block.at, s->block.n, &s->text);
	return rc ? rc : s->text.failed ? -ENOMEM : 0;
}

/* Settles the round's blocks; *more becomes false where the text ends in this round. */
static int settle(struct round *r, bool *more)
{
	for (unsigned i = 0; i < r->n; i++) {
		struct slot *s = &r->slot[i];
		*more = *more && !r->ended[i] && !r->stopped;
		if (!*more)
			s->text.n = 0;
		if (!*more || !r->m->settle)
			continue;
		int rc = r->m->settle(r->m->arg, i, s->block.at, s->block.n, &s->text);
		if (rc < 0)
			return rc;
		r->stopped = rc > 0;
	}
	*more = *more && !r->stopped;
	return 0;
}

static int run_rounds(struct round *r, struct weft_err *err)
{
	bool more = true;
	while (more) {
		int rc = weft_parallel(r->m->threads, r->n + 1, one_item, r);
		for (unsigned i = 0; i < r->n && rc; i++)
			if (r->err[i].code)
				return weft_err_set(err, rc, "%s", r->err[i].text);
		if (rc && !r->m->out->failed)
			return weft_err_set(err, rc, "cannot read '%s': %s", r->m->in->path, weft_err_name(rc));
		if (rc)
			return 0; /* of writing: the output says so at its end */
		rc = settle(r, &more);
		if (rc)
			return weft_err_set(err, rc, "cannot read '%s': %s", r->m->in->path, weft_err_name(rc));
		struct slot *swap = r->ready;
		r->ready = r->slot;
		r->slot = swap;
		r->first += r->n;
	}
	take_out(r);
	return r->stopped ? 0 : tool_input_damage(r->m->in, err);
}

int tool_map_run(const struct tool_map *m, struct weft_err *err)
{
	unsigned n = tool_map_workers(m->threads);
	struct slot *slot = calloc(2 * (size_t)n, sizeof *slot);
	struct round r = {.m = m, .n = n, .slot = slot, .ready = slot ? slot + n : NULL};
	r.ended = calloc(n, sizeof *r.ended);
	r.err = calloc(n, sizeof *r.err);
	int rc = -ENOMEM;
	if (!slot || !r.ended || !r.err)
		weft_err_set(err, rc, "cannot read '%s': no memory", m->in->path);
	else
		rc = run_rounds(&r, err);
	for (unsigned i = 0; slot && i < 2 * n; i++) {
		text_block_fini(&slot[i].block);
		free(slot[i].text.at);
	}
	free(slot);
	free(r.ended);
	free(r.err);
	return rc;
}
