/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A random walk of plans over devices that have too little memory for all of it: matrices that are cut by rows, by columns, rows once
 * more, and with borders for reading, while another thread evicts and prefetches. Over NUMA nodes, too (which hwloc makes up); skipped where
 * main memory is all there is.
 */
#include "data_boxes.h"
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static unsigned nodes;

enum { MATRICES = 8, SIDE = 192, BY = 4, ACROSS = 3, BELOW = 2, BORDER = 2, PIECES = 1 + BY * (1 + BELOW) + ACROSS + BY };
static const struct box square = {.dims = 2, .n = {SIDE, SIDE}, .ld = {1, SIDE}};
struct piece {
	starpu_data_handle_t handle;
	struct box box;
	bool is_shared; /* with others: it may only be read */
};
static struct matrix {
	struct piece piece[PIECES];
	starpu_data_handle_t by_rows[BY], below[BY][BELOW], across[ACROSS], shared[BY];
	unsigned model[SIDE * SIDE];
} matrix[MATRICES];
static unsigned n_asked;
static atomic_bool ends;

static starpu_data_handle_t count_evictions(starpu_data_handle_t to_load, unsigned node, enum starpu_is_prefetch prefetch,
                                            void *data)
{
	(void)to_load, (void)node, (void)prefetch, (void)data;
	__atomic_add_fetch(&n_asked, 1, __ATOMIC_RELAXED);
	return STARPU_DATA_NO_VICTIM;
}

static struct piece *plan_pieces(struct piece *out, const struct piece *whole, unsigned k, unsigned parts, size_t border,
                                 starpu_data_handle_t *handle)
{
	static void (*const cuts[][2])(void *, void *, struct starpu_data_filter *, unsigned,
	                               unsigned) = {{starpu_matrix_filter_block, starpu_matrix_filter_block_shadow},
	                                            {starpu_matrix_filter_vertical_block,
	                                             starpu_matrix_filter_vertical_block_shadow}};
	struct starpu_data_filter f = {.filter_func = cuts[k][border > 0],
	                               .nchildren = parts,
	                               .filter_arg_ptr = (void *)(uintptr_t)border};
	starpu_data_partition_plan(whole->handle, &f, handle);
	for (unsigned i = 0; i < parts; i++)
		*out++ = (struct piece){handle[i], part_of(&whole->box, k, i, parts, border), border > 0};
	return out;
}

static void matrix_new(struct matrix *m, bool at_home)
{
	unsigned *value = at_home ? calloc(SIDE * SIDE, sizeof *value) : NULL;
	struct piece *p = m->piece;
	*p = (struct piece){.box = square};
	memset(m->model, 0, sizeof m->model);
	starpu_matrix_data_register(&p->handle, at_home ? STARPU_MAIN_RAM : -1, (uintptr_t)value, SIDE, SIDE, SIDE,
	                            sizeof(unsigned));
	if (!at_home) {
		CHECK(starpu_data_acquire(p->handle, STARPU_W) == 0);
		memset(starpu_data_get_local_ptr(p->handle), 0, sizeof m->model);
		starpu_data_release(p->handle);
	}
	starpu_data_set_user_data(p->handle, value);
	p = plan_pieces(p + 1, &m->piece[0], 1, BY, 0, m->by_rows);
	p = plan_pieces(p, &m->piece[0], 0, ACROSS, 0, m->across);
	p = plan_pieces(p, &m->piece[0], 1, BY, BORDER, m->shared);
	for (unsigned i = 0; i < BY; i++)
		p = plan_pieces(p, &m->piece[1 + i], 0, BELOW, 0, m->below[i]);
	CHECK(p == m->piece + PIECES);
}

static void matrix_free(struct matrix *m)
{
	starpu_data_handle_t whole = m->piece[0].handle;
	unsigned *value = starpu_data_get_user_data(whole);
	for (unsigned i = 0; i < BY; i++)
		starpu_data_partition_clean(m->by_rows[i], BELOW, m->below[i]);
	starpu_data_partition_clean(whole, BY, m->by_rows);
	starpu_data_partition_clean(whole, BY, m->shared);
	starpu_data_partition_clean(whole, ACROSS, m->across);
	CHECK(starpu_data_acquire(whole, STARPU_R) == 0);
	CHECK(!memcmp(starpu_data_get_local_ptr(whole), m->model, sizeof m->model));
	starpu_data_release(whole);
	starpu_data_unregister(whole);
	CHECK(!value || !memcmp(value, m->model, sizeof m->model));
	free(value);
}

/* The first takes up what the second has. */
static void box_mix(void *buffers[], void *arg)
{
	struct box from = box_of(buffers[1]);
	unsigned *v = box_take(&from), hash = 0;
	(void)arg;
	for (size_t e = 0; e < box_elements(&from); e++)
		hash = box_hash_next(hash, v[box_at(&from, e)]);
	box_give(&from, v, false);
	box_change(buffers, (void *)(uintptr_t)hash);
}
static struct starpu_codelet mixes = {.cpu_funcs = {box_mix},
                                      .opencl_funcs = {box_mix},
                                      .nbuffers = 2,
                                      .modes = {STARPU_RW, STARPU_R},
                                      .name = "mix"};

static void walk_switch(struct matrix *m, unsigned what)
{
	starpu_data_handle_t whole = m->piece[0].handle;
	unsigned node = random_below(nodes);
	if (what == 0)
		starpu_data_partition_submit(whole, BY, m->by_rows);
	else if (what == 1)
		starpu_data_partition_readonly_submit(whole, ACROSS, m->across);
	else if (what == 2)
		starpu_data_unpartition_submit(whole, BY, m->by_rows, (int)node);
	else if (what == 3)
		starpu_data_unpartition_submit_r(whole, (int)node);
	else
		CHECK(starpu_data_prefetch_on_node_prio(m->piece[random_below(PIECES)].handle, node, 1, (int)random_below(3)) ==
		      0);
}

static void walk_on(unsigned step)
{
	struct matrix *m = &matrix[random_below(MATRICES)], *other = &matrix[random_below(MATRICES)];
	const struct piece *p = &m->piece[random_below(PIECES)], *q = &other->piece[random_below(PIECES)];
	walk_switch(m, random_below(30));
	if (p->is_shared || random_below(3) == 0) {
		look(p->handle, &p->box, m->model);
	} else if (m == other || random_below(2)) {
		change(p->handle, &p->box, m->model, step);
	} else {
		struct starpu_task *t = starpu_task_create();
		t->cl = &mixes;
		t->handles[0] = p->handle;
		t->handles[1] = q->handle;
		t->execute_on_a_specific_worker = 1;
		t->workerid = random_below(workers);
		CHECK(starpu_task_submit(t) == 0);
		model_change(&p->box, m->model, model_hash(&q->box, other->model));
	}
}

static void *disturb(void *seed)
{
	unsigned x = (unsigned)(uintptr_t)seed;
	while (!ends) {
		x = x * 1664525 + 1013904223;
		starpu_data_handle_t h = matrix[(x >> 12) % MATRICES].piece[(x >> 16) % PIECES].handle;
		unsigned node = (x >> 24) % nodes;
		if (x >> 28 < 10)
			starpu_data_evict_from_node(h, node);
		else
			CHECK(starpu_data_idle_prefetch_on_node(h, node, 1) == 0);
		usleep(x >> 26);
	}
	return NULL;
}

/* All of them are more than the last node has room for: whatever the walk's tasks met, somebody has to go now. */
static void overfill(void)
{
	for (unsigned i = 0; i < MATRICES; i++) {
		starpu_data_handle_t whole = matrix[i].piece[0].handle;
		CHECK(starpu_data_acquire_on_node(whole, (int)nodes - 1, STARPU_R) == 0);
		starpu_data_release_on_node(whole, (int)nodes - 1);
	}
}

static void walk(unsigned steps)
{
	pthread_t disturber;
	for (unsigned i = 0; i < MATRICES; i++)
		matrix_new(&matrix[i], i % 2);
	starpu_data_register_victim_selector(count_evictions, NULL, NULL);
	ends = false;
	CHECK(pthread_create(&disturber, NULL, disturb, (void *)1) == 0);
	for (unsigned step = 0; step < steps; step++) {
		walk_on(step);
		if (step % 32 == 0)
			starpu_task_wait_for_n_submitted(16);
	}
	ends = true;
	pthread_join(disturber, NULL);
	overfill();
	for (unsigned i = 0; i < MATRICES; i++)
		matrix_free(&matrix[i]);
	starpu_data_register_victim_selector(NULL, NULL, NULL);
	CHECK(n_asked > 0);
}

int main(int argc, char **argv)
{
	unsigned steps = argc > 1 ? (unsigned)atoi(argv[1]) : 600;
	random_state += argc > 2 ? (uint64_t)atoi(argv[2]) << 32 : 0;
	setenv("STARPU_LIMIT_OPENCL_MEM", "1", 0);
	begin_with_devices();
	nodes = starpu_memory_nodes_get_count();
	walk(steps);
	starpu_shutdown();
	return checks_failed();
}
