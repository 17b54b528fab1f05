/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Data in parts over CPUs and devices: every filter with sizes that do not divide and with more parts than elements, nested; parts
 * with borders; the calls that switch between a whole and its parts; and a random walk of plans over devices that have too little memory
 * for all of it. Skipped without OpenCL.
 */
#include "data_boxes.h"
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

typedef void filter(void *, void *, struct starpu_data_filter *, unsigned, unsigned);

enum { SIZE = 4096 };
static unsigned home[SIZE], model[SIZE];
static unsigned nodes, workers;

static void fill_home(void)
{
	for (unsigned i = 0; i < SIZE; i++)
		home[i] = model[i] = i + 1;
}

static void submit_anywhere(struct starpu_codelet *cl, starpu_data_handle_t h, unsigned arg)
{
	submit_on(random_below(workers), cl, h, arg);
}

static void change(starpu_data_handle_t h, const struct box *b, unsigned *whole, unsigned add)
{
	submit_anywhere(&box_changes, h, add);
	model_change(b, whole, add);
}

static void look(starpu_data_handle_t h, const struct box *b, const unsigned *whole)
{
	submit_anywhere(&box_looks, h, model_hash(b, whole));
}

static void look_everywhere(starpu_data_handle_t h, const struct box *b)
{
	for (unsigned w = 0; w < workers; w++)
		submit_on(w, &box_looks, h, model_hash(b, model));
}

/* Part i of those into which dimension k is cut, with a border that neighbours share. */
static struct box part_of(const struct box *whole, unsigned k, unsigned i, unsigned parts, size_t border)
{
	struct box b = *whole;
	size_t inner = whole->n[k] - 2 * border, each = inner / parts, longer = inner % parts;
	b.n[k] = each + (i < longer) + 2 * border;
	b.offset += (each * i + (i < longer ? i : longer)) * whole->ld[k];
	return b;
}

/* ---- the ways to cut each kind of data ---- */

static const struct box wholes[] = {
	{.dims = 1, .n = {23}, .ld = {1}},
	{.dims = 2, .n = {7, 11}, .ld = {1, 9}},
	{.dims = 3, .n = {5, 7, 6}, .ld = {1, 6, 45}},
	{.dims = 4, .n = {5, 6, 5, 7}, .ld = {1, 5, 33, 180}},
};
struct way {
	filter *plain, *shadow;
};
static const struct way ways[][4] = {
	{{starpu_vector_filter_block, starpu_vector_filter_block_shadow}},
	{{starpu_matrix_filter_block, starpu_matrix_filter_block_shadow},
         {starpu_matrix_filter_vertical_block, starpu_matrix_filter_vertical_block_shadow}},
	{{starpu_block_filter_block, starpu_block_filter_block_shadow},
         {starpu_block_filter_vertical_block, starpu_block_filter_vertical_block_shadow},
         {starpu_block_filter_depth_block, starpu_block_filter_depth_block_shadow}},
	{{starpu_tensor_filter_block, starpu_tensor_filter_block_shadow},
         {starpu_tensor_filter_vertical_block, starpu_tensor_filter_vertical_block_shadow},
         {starpu_tensor_filter_depth_block, starpu_tensor_filter_depth_block_shadow},
         {starpu_tensor_filter_time_block, starpu_tensor_filter_time_block_shadow}},
};

static starpu_data_handle_t register_whole(const struct box *b, bool as_ndim)
{
	starpu_data_handle_t h;
	const size_t *n = b->n, *ld = b->ld, e = sizeof(unsigned);
	uintptr_t p = (uintptr_t)home;
	size_t nn[BOX_MOST], ldn[BOX_MOST];
	memcpy(nn, n, sizeof nn);
	memcpy(ldn, ld, sizeof ldn);
	fill_home();
	if (as_ndim)
		starpu_ndim_data_register(&h, STARPU_MAIN_RAM, p, ldn, nn, b->dims, e);
	else if (b->dims == 1)
		starpu_vector_data_register(&h, STARPU_MAIN_RAM, p, n[0], e);
	else if (b->dims == 2)
		starpu_matrix_data_register(&h, STARPU_MAIN_RAM, p, ld[1], n[0], n[1], e);
	else if (b->dims == 3)
		starpu_block_data_register(&h, STARPU_MAIN_RAM, p, ld[1], ld[2], n[0], n[1], n[2], e);
	else
		starpu_tensor_data_register(&h, STARPU_MAIN_RAM, p, ld[1], ld[2], ld[3], n[0], n[1], n[2], n[3], e);
	return h;
}

static struct starpu_data_filter filter_of(const struct box *b, bool as_ndim, unsigned k, unsigned parts, size_t border)
{
	const struct way *w = &ways[b->dims - 1][k];
	filter *func = as_ndim ? (border ? starpu_ndim_filter_block_shadow : starpu_ndim_filter_block)
	                       : (border ? w->shadow : w->plain);
	return (struct starpu_data_filter){.filter_func = func,
	                                   .nchildren = parts,
	                                   .filter_arg = as_ndim ? k : 0,
	                                   .filter_arg_ptr = (void *)(uintptr_t)border};
}

/* ---- two cuts, one below the other, by each of the functions that do both ---- */

static void map_vmap(starpu_data_handle_t h, unsigned n, ...)
{
	va_list pa;
	va_start(pa, n);
	starpu_data_vmap_filters(h, n, pa);
	va_end(pa);
}

static void map_by(unsigned how, starpu_data_handle_t h, struct starpu_data_filter *f)
{
	if (how == 0)
		starpu_data_map_filters(h, 2, &f[0], &f[1]);
	else if (how == 1)
		map_vmap(h, 2, &f[0], &f[1]);
	else if (how == 2)
		starpu_data_map_filters_array(h, 2, f);
	else
		starpu_data_map_filters_parray(h, 2, (struct starpu_data_filter *[]){&f[0], &f[1]});
}

static starpu_data_handle_t vget(starpu_data_handle_t h, unsigned depth, ...)
{
	va_list pa;
	va_start(pa, depth);
	starpu_data_handle_t found = starpu_data_vget_sub_data(h, depth, pa);
	va_end(pa);
	return found;
}

static void check_nested(const struct box *b, bool as_ndim, unsigned k, unsigned below, unsigned turn)
{
	const unsigned some[] = {1, 2, 3, (unsigned)b->n[k], (unsigned)b->n[k] + 2};
	const unsigned parts = some[turn % 5], under = some[turn / 5 % 4];
	starpu_data_handle_t h = register_whole(b, as_ndim);
	struct starpu_data_filter f[] = {filter_of(b, as_ndim, k, parts, 0), filter_of(b, as_ndim, below, under, 0)};
	map_by(turn % 4, h, f);
	for (unsigned i = 0; i < parts; i++)
		for (unsigned j = 0; j < under; j++) {
			struct box part = part_of(b, k, i, parts, 0);
			part = part_of(&part, below, j, under, 0);
			starpu_data_handle_t leaf = vget(h, 2, i, j);
			CHECK(leaf == starpu_data_get_child(starpu_data_get_sub_data(h, 1, i), j));
			CHECK(starpu_data_get_size(leaf) == box_elements(&part) * sizeof home[0]);
			change(leaf, &part, model, i + 10 * j);
			look(leaf, &part, model);
		}
	starpu_data_unpartition(h, turn % nodes);
	look_everywhere(h, b);
	starpu_data_unregister(h);
	CHECK(!memcmp(home, model, sizeof home));
}

static void check_all_nested(void)
{
	unsigned turn = 0;
	for (unsigned i = 0; i < sizeof wholes / sizeof wholes[0]; i++)
		for (unsigned k = 0; k < wholes[i].dims; k++)
			for (unsigned below = 0; below < wholes[i].dims; below++)
				for (unsigned n = 0; n < 5; n++, turn++)
					check_nested(&wholes[i], turn % 3 == 2, k, below, turn);
}

/* ---- borders ---- */

/* Cut at once: every worker reads the parts with what they share. Written is only the whole. */
static void check_border(const struct box *b, bool as_ndim, unsigned k, size_t border)
{
	starpu_data_handle_t h = register_whole(b, as_ndim);
	for (unsigned parts = 1; parts <= 4; parts++) {
		struct starpu_data_filter f = filter_of(b, as_ndim, k, parts, border);
		change(h, b, model, parts);
		starpu_data_partition(h, &f);
		for (unsigned i = 0; i < parts; i++) {
			struct box part = part_of(b, k, i, parts, border);
			look_everywhere(starpu_data_get_sub_data(h, 1, i), &part);
		}
		starpu_data_unpartition(h, STARPU_MAIN_RAM);
	}
	starpu_data_unregister(h);
	CHECK(!memcmp(home, model, sizeof home));
}

/* Planned: whole and parts are read beside each other, and the whole is written again, without a word about it. */
static void check_planned_border(const struct box *b, unsigned k, size_t border)
{
	enum { PARTS = 3 };
	starpu_data_handle_t h = register_whole(b, false), part[PARTS];
	struct starpu_data_filter f = filter_of(b, false, k, PARTS, border);
	starpu_data_partition_plan(h, &f, part);
	for (unsigned round = 0; round < 3; round++) {
		change(h, b, model, round);
		if (round)
			starpu_data_partition_readonly_submit(h, PARTS, part);
		for (unsigned i = 0; i < PARTS; i++) {
			struct box piece = part_of(b, k, i, PARTS, border);
			look_everywhere(part[i], &piece);
			look(h, b, model);
		}
	}
	starpu_data_partition_clean(h, PARTS, part);
	starpu_data_unregister(h);
	CHECK(!memcmp(home, model, sizeof home));
}

static void check_borders(void)
{
	for (unsigned i = 0; i < sizeof wholes / sizeof wholes[0]; i++)
		for (unsigned k = 0; k < wholes[i].dims; k++)
			for (size_t border = 0; border <= 2; border++) {
				check_border(&wholes[i], false, k, border);
				check_border(&wholes[i], true, k, border);
				check_planned_border(&wholes[i], k, border);
			}
}

/* A ring: each element becomes the sum of those around it; the program brings the ends of the ring to both borders. */
static void sum_window(void *buffers[], void *arg)
{
	struct box from = box_of(buffers[0]), to = box_of(buffers[1]);
	unsigned *in = box_take(&from), *out = box_take(&to);
	size_t width = from.n[0] - to.n[0];
	(void)arg;
	for (size_t i = 0; i < to.n[0]; i++) {
		out[i] = 0;
		for (size_t d = 0; d <= width; d++)
			out[i] += in[i + d];
	}
	box_give(&from, in, false);
	box_give(&to, out, true);
}
static struct starpu_codelet sums = {.cpu_funcs = {sum_window},
                                     .opencl_funcs = {sum_window},
                                     .nbuffers = 2,
                                     .modes = {STARPU_R, STARPU_W}};

static void check_ring(unsigned parts, size_t border)
{
	enum { RING = 29, ROUNDS = 4 };
	unsigned in[RING + 4], out[RING], now[RING], then[RING];
	starpu_data_handle_t from, to;
	struct starpu_data_filter shared = filter_of(&wholes[0], false, 0, parts, border),
				  own = filter_of(&wholes[0], false, 0, parts, 0);
	starpu_vector_data_register(&from, STARPU_MAIN_RAM, (uintptr_t)in, RING + 2 * border, sizeof in[0]);
	starpu_vector_data_register(&to, STARPU_MAIN_RAM, (uintptr_t)out, RING, sizeof out[0]);
	for (unsigned i = 0; i < RING; i++)
		now[i] = i * i;
	for (unsigned round = 0; round < ROUNDS; round++) {
		CHECK(starpu_data_acquire(from, STARPU_W) == 0);
		for (unsigned i = 0; i < RING + 2 * border; i++)
			in[i] = now[(i + RING - border) % RING];
		starpu_data_release(from);
		starpu_data_partition(from, &shared);
		starpu_data_partition(to, &own);
		for (unsigned i = 0; i < parts; i++)
			CHECK(starpu_task_insert(&sums, STARPU_R, starpu_data_get_sub_data(from, 1, i), STARPU_W,
			                         starpu_data_get_sub_data(to, 1, i), STARPU_EXECUTE_ON_WORKER,
			                         (i + round) % workers, 0) == 0);
		starpu_data_unpartition(from, STARPU_MAIN_RAM);
		starpu_data_unpartition(to, STARPU_MAIN_RAM);
		memset(then, 0, sizeof then);
		for (unsigned i = 0; i < RING; i++)
			for (unsigned d = 0; d <= 2 * border; d++)
				then[i] += now[(i + RING - border + d) % RING];
		memcpy(now, then, sizeof now);
		CHECK(starpu_data_acquire(to, STARPU_R) == 0);
		CHECK(!memcmp(out, now, sizeof now));
		starpu_data_release(to);
	}
	starpu_data_unregister(from);
	starpu_data_unregister(to);
}

/* ---- each call that switches ---- */

enum { HALVES = 2 };
static const struct box line = {.dims = 1, .n = {21}, .ld = {1}};
struct planned {
	starpu_data_handle_t whole, half[HALVES], quarter[HALVES]; /* quarter: of the second half */
	struct box piece[HALVES], small[HALVES];
};

static void plan(struct planned *p)
{
	struct starpu_data_filter f = filter_of(&line, false, 0, HALVES, 0);
	p->whole = register_whole(&line, false);
	starpu_data_partition_plan(p->whole, &f, p->half);
	starpu_data_partition_plan(p->half[1], &f, p->quarter);
	for (unsigned i = 0; i < HALVES; i++)
		p->piece[i] = part_of(&line, 0, i, HALVES, 0);
	for (unsigned i = 0; i < HALVES; i++)
		p->small[i] = part_of(&p->piece[1], 0, i, HALVES, 0);
}

static void look_at_all(struct planned *p)
{
	look_everywhere(p->whole, &line);
	for (unsigned i = 0; i < HALVES; i++)
		look_everywhere(p->half[i], &p->piece[i]);
}

static void change_halves(struct planned *p, unsigned add)
{
	for (unsigned i = 0; i < HALVES; i++)
		change(p->half[i], &p->piece[i], model, add + i);
}

static void check_switches(unsigned node)
{
	struct planned p;
	plan(&p);
	CHECK(starpu_data_partition_get_nplans(p.whole) == 1 && starpu_data_partition_get_nplans(p.half[1]) == 1);
	change(p.whole, &line, model, 1);
	starpu_data_partition_readonly_submit_sequential_consistency(p.whole, HALVES, p.half, 1);
	look_at_all(&p);
	starpu_data_partition_readwrite_upgrade_submit(p.whole, HALVES, p.half);
	change_halves(&p, 2);
	starpu_data_partition_readonly_downgrade_submit(p.whole, HALVES, p.half);
	look_at_all(&p);
	starpu_data_partition_readwrite_upgrade_submit(p.whole, HALVES, p.half);
	change_halves(&p, 4);
	starpu_data_unpartition_readonly_submit(p.whole, HALVES, p.half, (int)node);
	look_at_all(&p);
	starpu_data_unpartition_submit_sequential_consistency(p.whole, HALVES, p.half, (int)node, 1);
	change(p.whole, &line, model, 6);
	/* Out of the order: then the program waits itself. */
	starpu_task_wait_for_all();
	starpu_data_partition_submit_sequential_consistency(p.whole, HALVES, p.half, 0);
	change_halves(&p, 7);
	starpu_task_wait_for_all();
	starpu_data_unpartition_submit_sequential_consistency(p.whole, HALVES, p.half, (int)node, 0);
	starpu_task_wait_for_all();
	look_everywhere(p.whole, &line);
	/* All below, down to the last. */
	for (unsigned i = 0; i < HALVES; i++)
		change(p.quarter[i], &p.small[i], model, 8 + i);
	change(p.half[0], &p.piece[0], model, 9);
	starpu_data_unpartition_submit_r(p.whole, (int)node);
	look_everywhere(p.whole, &line);
	/* Reading at both depths. */
	starpu_data_partition_readonly_submit(p.whole, HALVES, p.half);
	starpu_data_partition_readonly_submit(p.half[1], HALVES, p.quarter);
	look_at_all(&p);
	for (unsigned i = 0; i < HALVES; i++)
		look_everywhere(p.quarter[i], &p.small[i]);
	starpu_data_unpartition_submit(p.half[1], HALVES, p.quarter, (int)node);
	change(p.half[1], &p.piece[1], model, 11);
	starpu_data_partition_clean_node(p.half[1], HALVES, p.quarter, (int)node);
	starpu_data_partition_clean_node(p.whole, HALVES, p.half, (int)node);
	CHECK(starpu_data_partition_get_nplans(p.whole) == 0);
	look_everywhere(p.whole, &line);
	starpu_data_unregister(p.whole);
	CHECK(!memcmp(home, model, sizeof home));
}

/* ---- a random walk: matrices that are cut by rows, by columns, rows once more, and with borders for reading ---- */

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
	struct starpu_data_filter f = filter_of(&square, false, k, parts, border);
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
	workers = starpu_worker_get_count();
	nodes = starpu_memory_nodes_get_count();
	check_all_nested();
	check_borders();
	for (unsigned parts = 1; parts <= 5; parts++)
		for (size_t border = 1; border <= 2; border++)
			check_ring(parts, border);
	for (unsigned node = 0; node < nodes; node++)
		check_switches(node);
	walk(steps);
	starpu_shutdown();
	return failed;
}
