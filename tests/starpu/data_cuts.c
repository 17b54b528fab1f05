/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Data in parts over CPUs and devices: every filter with sizes that do not divide and with more parts than elements, nested; parts of
 * other kinds than the whole; parts with borders; the calls that switch between a whole and its parts. Over NUMA nodes, too (which hwloc
 * makes up); skipped where main memory is all there is.
 */
#include "data_boxes.h"

typedef void filter(void *, void *, struct starpu_data_filter *, unsigned, unsigned);

enum { SIZE = 4096 };
static unsigned home[SIZE], model[SIZE];
static unsigned nodes;

static void fill_home(void)
{
	for (unsigned i = 0; i < SIZE; i++)
		home[i] = model[i] = i + 1;
}

static void look_everywhere(starpu_data_handle_t h, const struct box *b)
{
	for (unsigned w = 0; w < workers; w++)
		submit_on(w, &box_looks, h, model_hash(b, model));
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

/* ---- parts of other kinds than the whole: one index of a dimension, one element, ranges of an ndim as fixed dimensions ---- */

enum other { PICKED, ELEMENT, RANGES };
struct conversion {
	enum other what;
	unsigned dims, k;
	bool as_ndim;
	filter *func;
	struct starpu_data_interface_ops *(*ops)(struct starpu_data_filter *, unsigned);
};
#define CONVERSION(what, dims, k, as_ndim, name, ops) \
	{ \
		what, dims, k, as_ndim, starpu_##name, starpu_##ops##_child_ops \
	}
static const struct conversion conversions[] = {
	CONVERSION(PICKED, 1, 0, false, vector_filter_pick_variable, vector_filter_pick_variable),
	CONVERSION(PICKED, 2, 1, false, matrix_filter_pick_vector_y, matrix_filter_pick_vector),
	CONVERSION(ELEMENT, 2, 0, false, matrix_filter_pick_variable, matrix_filter_pick_variable),
	CONVERSION(PICKED, 3, 1, false, block_filter_pick_matrix_y, block_filter_pick_matrix),
	CONVERSION(PICKED, 3, 2, false, block_filter_pick_matrix_z, block_filter_pick_matrix),
	CONVERSION(ELEMENT, 3, 0, false, block_filter_pick_variable, block_filter_pick_variable),
	CONVERSION(PICKED, 4, 1, false, tensor_filter_pick_block_y, tensor_filter_pick_block),
	CONVERSION(PICKED, 4, 2, false, tensor_filter_pick_block_z, tensor_filter_pick_block),
	CONVERSION(PICKED, 4, 3, false, tensor_filter_pick_block_t, tensor_filter_pick_block),
	CONVERSION(ELEMENT, 4, 0, false, tensor_filter_pick_variable, tensor_filter_pick_variable),
	CONVERSION(RANGES, 4, 2, true, ndim_filter_to_tensor, ndim_filter_to_tensor),
	CONVERSION(RANGES, 3, 0, true, ndim_filter_to_block, ndim_filter_to_block),
	CONVERSION(RANGES, 2, 1, true, ndim_filter_to_matrix, ndim_filter_to_matrix),
	CONVERSION(RANGES, 1, 0, true, ndim_filter_to_vector, ndim_filter_to_vector),
	CONVERSION(PICKED, 4, 3, true, ndim_filter_4d_pick_block, ndim_filter_pick_block),
	CONVERSION(PICKED, 3, 1, true, ndim_filter_3d_pick_matrix, ndim_filter_pick_matrix),
	CONVERSION(PICKED, 2, 1, true, ndim_filter_2d_pick_vector, ndim_filter_pick_vector),
	CONVERSION(PICKED, 1, 0, true, ndim_filter_1d_pick_variable, ndim_filter_pick_variable),
	CONVERSION(ELEMENT, 3, 0, true, ndim_filter_pick_variable, ndim_filter_pick_variable),
	{PICKED, 4, 0, true, starpu_ndim_filter_pick_ndim, NULL}, /* whose elements lie apart */
	{PICKED, 3, 2, true, starpu_ndim_filter_pick_ndim, NULL},
};

static struct box index_of(const struct box *whole, unsigned k, size_t at)
{
	struct box b = *whole;
	b.offset += at * whole->ld[k];
	b.dims--;
	for (unsigned i = k; i < b.dims; i++) {
		b.n[i] = whole->n[i + 1];
		b.ld[i] = whole->ld[i + 1];
	}
	return b;
}

static struct box piece_of(const struct box *whole, const struct conversion *c, unsigned i, unsigned parts, const uint32_t *at)
{
	struct box b = {.dims = 0, .offset = i};
	if (c->what == PICKED)
		return index_of(whole, c->k, 1 + i);
	if (c->what == RANGES)
		return part_of(whole, c->k, i, parts, 0);
	for (unsigned k = 0; k < whole->dims; k++)
		b.offset += at[k] * whole->ld[k];
	return b;
}

static void check_conversion(const struct conversion *c)
{
	const struct box *b = &wholes[c->dims - 1];
	uint32_t at[] = {1, 2, 3, 4};
	starpu_data_handle_t h = register_whole(b, c->as_ndim);
	struct starpu_data_filter f = {.filter_func = c->func,
	                               .nchildren = c->what == PICKED ? (unsigned)b->n[c->k] - 1 : 3,
	                               .get_child_ops = c->ops,
	                               .filter_arg = c->as_ndim ? c->k : 0,
	                               .filter_arg_ptr = c->what == ELEMENT  ? at
	                                                 : c->what == PICKED ? (void *)1
	                                                                     : NULL};
	starpu_data_partition(h, &f);
	for (unsigned i = 0; i < f.nchildren; i++) {
		struct box piece = piece_of(b, c, i, f.nchildren, at);
		starpu_data_handle_t part = starpu_data_get_sub_data(h, 1, i);
		for (unsigned w = 0; w < workers; w++) {
			submit_on(w, &box_changes, part, w);
			model_change(&piece, model, w);
			look(part, &piece, model);
		}
	}
	starpu_data_unpartition(h, STARPU_MAIN_RAM);
	starpu_data_unregister(h);
	CHECK(!memcmp(home, model, sizeof home));
}

static void check_conversions(void)
{
	for (unsigned i = 0; i < sizeof conversions / sizeof conversions[0]; i++)
		check_conversion(&conversions[i]);
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

int main(void)
{
	begin_with_devices();
	nodes = starpu_memory_nodes_get_count();
	check_all_nested();
	check_conversions();
	check_borders();
	for (unsigned parts = 1; parts <= 5; parts++)
		for (size_t border = 1; border <= 2; border++)
			check_ring(parts, border);
	for (unsigned node = 0; node < nodes; node++)
		check_switches(node);
	starpu_shutdown();
	return checks_failed();
}
