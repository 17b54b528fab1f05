/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Making a program: readers put ranks, threads and operations in their order. The k-th operation that a rank makes on a communicator
 * belongs to that communicator's k-th; who is missing is known at the end.
 */
#include "program_priv.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FIRST_OPS = 1 << 16, MOST_PLACES = (1 << 24) - 1 };

/* ---- operations ---- */

static int temporary_file(void)
{
	const char *dir[] = {getenv("TMPDIR"), "/var/tmp", "/tmp"};
	for (unsigned i = 0; i < sizeof dir / sizeof dir[0]; i++) {
		int fd = dir[i] && dir[i][0] ? open(dir[i], O_TMPFILE | O_RDWR | O_CLOEXEC, 0600) : -1;
		if (fd >= 0)
			return fd;
	}
	return -1;
}

static int move_to_file(struct op_store *s, uint64_t bytes)
{
	int fd = temporary_file();
	if (fd < 0 || ftruncate(fd, (off_t)bytes)) {
		const int code = errno;
		if (fd >= 0)
			close(fd);
		return -code;
	}
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED) {
		close(fd);
		return -ENOMEM;
	}
	memcpy(at, s->at, s->n * sizeof *s->at);
	munmap(s->at, s->cap * sizeof *s->at);
	s->at = at;
	s->fd = fd;
	s->cap = bytes / sizeof *s->at;
	return 0;
}

int op_store_grow(struct op_store *s)
{
	const uint64_t cap = s->cap ? 2 * s->cap : FIRST_OPS, bytes = cap * sizeof *s->at;
	if (s->fd < 0 && s->at && bytes > s->limit)
		return move_to_file(s, bytes);
	if (s->fd >= 0 && ftruncate(s->fd, (off_t)bytes))
		return -errno;
	void *at = s->at ? mremap(s->at, s->cap * sizeof *s->at, bytes, MREMAP_MAYMOVE)
	                 : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED)
		return -ENOMEM;
	s->at = at;
	s->cap = cap;
	return 0;
}

void op_store_fini(struct op_store *s)
{
	if (s->at)
		munmap(s->at, s->cap * sizeof *s->at);
	if (s->fd >= 0)
		close(s->fd);
	s->at = NULL;
	s->fd = -1;
}

int weft_replay_build_op(struct weft_replay_builder *b, const struct weft_replay_op *op)
{
	return op_store_put(&b->ops, op);
}

uint64_t weft_replay_built_ops(const struct weft_replay_builder *b)
{
	return b->ops.n;
}

struct weft_replay_op *weft_replay_built_op(struct weft_replay_builder *b, uint64_t number)
{
	return &b->ops.at[number];
}

/* ---- the builder ---- */

int weft_replay_builder_new(struct weft_replay_builder **out, const char *name, uint64_t memory)
{
	struct weft_replay_builder *b = calloc(1, sizeof *b);
	*out = NULL;
	if (!b)
		return -ENOMEM;
	b->ops.fd = -1;
	b->ops.limit = memory ? memory : UINT64_MAX;
	b->p = calloc(1, sizeof *b->p);
	if (b->p)
		b->p->name = weft_arena_strdup(&b->p->arena, name);
	const uint32_t none = 0;
	if (!b->p || !b->p->name || weft_replay_build_comm(b, WEFT_NONE, &none, 0) != 0 ||
	    weft_replay_build_place(b, "", 0) != 0) {
		weft_replay_builder_free(b);
		return -ENOMEM;
	}
	*out = b;
	return 0;
}

void weft_replay_builder_free(struct weft_replay_builder *b)
{
	if (!b)
		return;
	op_store_fini(&b->ops);
	weft_replay_program_free(b->p);
	weft_intern_fini(&b->places);
	weft_map_fini(&b->comm_by_id);
	for (size_t i = 0; i < b->count.n; i++)
		free(b->count.at[i].gather.at);
	free(b->count.at);
	free(b);
}

struct weft_replay_program *weft_replay_built(struct weft_replay_builder *b)
{
	return b->p;
}

/* Room for one more of what stands at *at_pp. */
static int room(void *at_pp, size_t *cap, uint64_t n, size_t bytes)
{
	return n < *cap ? 0 : weft_vec_grow(at_pp, cap, n + 1, bytes);
}

int64_t weft_replay_build_rank(struct weft_replay_builder *b, const struct weft_replay_rank *r)
{
	struct weft_replay_program *p = b->p;
	if (room(&p->rank, &b->rank_cap, p->n_ranks, sizeof *p->rank))
		return -ENOMEM;
	p->rank[p->n_ranks] = *r;
	p->rank[p->n_ranks].first_thread = p->n_threads;
	p->rank[p->n_ranks].n_threads = 0;
	return p->n_ranks++;
}

static void end_thread(struct weft_replay_builder *b)
{
	struct weft_replay_program *p = b->p;
	if (p->n_threads)
		p->thread[p->n_threads - 1].n_ops = b->ops.n - p->thread[p->n_threads - 1].first_op;
}

int64_t weft_replay_build_thread(struct weft_replay_builder *b, const struct weft_replay_thread *t)
{
	struct weft_replay_program *p = b->p;
	if (room(&p->thread, &b->thread_cap, p->n_threads, sizeof *p->thread))
		return -ENOMEM;
	end_thread(b);
	struct weft_replay_thread *to = &p->thread[p->n_threads];
	*to = *t;
	to->rank = p->n_ranks - 1;
	to->first_op = b->ops.n;
	to->number = p->rank[to->rank].n_threads++;
	return p->n_threads++;
}

bool weft_replay_build_quiet(struct weft_replay_builder *b)
{
	struct weft_replay_program *p = b->p;
	const uint64_t first = p->thread[p->n_threads - 1].first_op;
	for (uint64_t i = first; i < b->ops.n; i++) {
		const unsigned kind = b->ops.at[i].kind;
		if (kind != WEFT_REPLAY_BURST && kind != WEFT_REPLAY_EVENT && kind != WEFT_REPLAY_NOP)
			return false;
	}
	b->ops.n = first;
	p->rank[p->thread[--p->n_threads].rank].n_threads--;
	return true;
}

int64_t weft_replay_build_place(struct weft_replay_builder *b, const char *name, size_t n)
{
	struct weft_replay_program *p = b->p;
	uint32_t id;
	if (weft_intern_find(&b->places, weft_str_n(name, n), &id))
		return id;
	if (p->n_places > MOST_PLACES)
		return 0;
	char *copy = weft_arena_strndup(&p->arena, name, n);
	if (!copy || weft_intern_add(&b->places, weft_str_n(name, n), &id) ||
	    room(&p->place, &b->place_cap, p->n_places, sizeof *p->place))
		return -ENOMEM;
	p->place[p->n_places++] = copy;
	return id;
}

int64_t weft_replay_build_comm(struct weft_replay_builder *b, uint32_t id, const uint32_t *members, uint32_t n)
{
	struct weft_replay_program *p = b->p;
	if (room(&p->comm, &b->comm_cap, p->n_comms, sizeof *p->comm) ||
	    weft_vec_push(&b->count, (struct comm_count){.rank = WEFT_NONE}))
		return -ENOMEM;
	while (p->n_members + n > b->member_cap)
		if (weft_vec_grow(&p->member, &b->member_cap, p->n_members + n, sizeof *p->member))
			return -ENOMEM;
	if (weft_map_put(&b->comm_by_id, id, p->n_comms))
		return -ENOMEM;
	p->comm[p->n_comms] = (struct weft_replay_comm){.id = id, .first = (uint32_t)p->n_members, .n = n};
	if (n)
		memcpy(p->member + p->n_members, members, n * sizeof *members);
	p->n_members += n;
	return p->n_comms++;
}

int64_t weft_replay_build_comm_find(const struct weft_replay_builder *b, uint32_t id)
{
	uint64_t found;
	return weft_map_get(&b->comm_by_id, id, &found) ? (int64_t)found : -ENOENT;
}

int64_t weft_replay_build_message(struct weft_replay_builder *b, const struct weft_replay_message *m)
{
	struct weft_replay_program *p = b->p;
	if (room(&p->message, &b->message_cap, p->n_messages, sizeof *p->message))
		return -ENOMEM;
	p->message[p->n_messages] = *m;
	return (int64_t)p->n_messages++;
}

/* The number of the k-th operation of a communicator, made when new. */
static int64_t find_gather(struct weft_replay_builder *b, uint32_t comm, unsigned operation, int32_t root, uint64_t k)
{
	struct weft_replay_program *p = b->p;
	struct comm_count *c = &b->count.at[comm];
	if (k < c->gather.n)
		return (int64_t)c->gather.at[k];
	if (room(&p->gather, &b->gather_cap, p->n_gathers, sizeof *p->gather) || weft_vec_push(&c->gather, p->n_gathers))
		return -ENOMEM;
	p->gather[p->n_gathers] = (struct weft_replay_gather){.comm = comm, .operation = (uint8_t)operation, .root = root};
	return (int64_t)p->n_gathers++;
}

int64_t weft_replay_build_part(struct weft_replay_builder *b, uint32_t comm, unsigned operation, int32_t root,
                               const struct weft_replay_part *part)
{
	struct weft_replay_program *p = b->p;
	struct comm_count *c = &b->count.at[comm];
	const uint32_t rank = p->n_ranks - 1;
	if (c->rank != rank) {
		c->rank = rank;
		c->k = 0;
	}
	const int64_t g = find_gather(b, comm, operation, root, c->k++);
	if (g < 0 || room(&p->part, &b->part_cap, p->n_parts, sizeof *p->part))
		return -ENOMEM;
	struct weft_replay_gather *gather = &p->gather[g];
	if (gather->operation != operation && !gather->mixed) {
		gather->mixed = true;
		weft_replay_build_fault(b, WEFT_REPLAY_MIXED, p->n_threads - 1, 0);
	}
	gather->n_parts++;
	p->part[p->n_parts] = *part;
	p->part[p->n_parts].gather = (uint32_t)g;
	return (int64_t)p->n_parts++;
}

void weft_replay_build_fault(struct weft_replay_builder *b, enum weft_replay_fault f, uint32_t thread, double at_ns)
{
	struct weft_replay_fault_row *row = &b->p->fault[f];
	if (row->count++ == 0) {
		row->thread = thread;
		row->at_ns = at_ns;
	}
}

static void count_missing(struct weft_replay_builder *b)
{
	struct weft_replay_program *p = b->p;
	for (uint64_t i = 0; i < p->n_messages; i++) {
		const struct weft_replay_message *m = &p->message[i];
		if (m->from == WEFT_NONE && m->to != WEFT_NONE)
			weft_replay_build_fault(b, WEFT_REPLAY_UNSENT, m->to, 0);
		else if (m->to == WEFT_NONE && m->from != WEFT_NONE)
			weft_replay_build_fault(b, WEFT_REPLAY_UNRECEIVED, m->from, 0);
	}
	for (uint64_t i = 0; i < p->n_gathers; i++)
		if (p->gather[i].n_parts < p->comm[p->gather[i].comm].n)
			weft_replay_build_fault(b, WEFT_REPLAY_PARTIAL, 0, 0);
}

int weft_replay_build_finish(struct weft_replay_builder *b, struct weft_replay_program **out, struct weft_err *err)
{
	struct weft_replay_program *p = b->p;
	*out = NULL;
	if (!p->n_threads) {
		int rc = weft_err_set(err, -ENODATA, "'%s' has no threads that could be replayed", p->name);
		weft_replay_builder_free(b);
		return rc;
	}
	end_thread(b);
	count_missing(b);
	p->op = b->ops.at;
	p->n_ops = b->ops.n;
	p->op_bytes = b->ops.cap * sizeof *p->op;
	if (b->ops.fd >= 0)
		close(b->ops.fd);
	b->ops = (struct op_store){.fd = -1};
	b->p = NULL;
	weft_replay_builder_free(b);
	*out = p;
	return 0;
}
