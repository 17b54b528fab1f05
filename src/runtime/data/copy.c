/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies between nodes. starpu_interface_copy() and its sisters for more dimensions are one
 * function here: dimensions that lie densely in both places are merged first, the remaining ones
 * are copied row by row, or two dimensions at a time where the node can.
 */
#include "runtime/task/complain.h"
#include "data.h"
#include "runtime/iface/dense.h"
#include "copy.h"
#include "runtime/memory/memory.h"
#include "handle.h"
#include "runtime/core/life_detail.h"
#include <errno.h>
#include <string.h>

static bool is_ram(unsigned node)
{
	return node < STARPU_MAXNODES && (rt_nodes[node].kind == STARPU_CPU_RAM || rt_nodes[node].kind == STARPU_UNUSED);
}

/* NULL: no node's functions reach both. */
static const struct rt_node_ops *ops_between(unsigned from, unsigned to)
{
	uint32_t n = weft_load_u32(&rt_n_nodes);
	if (from >= n || to >= n)
		return NULL;
	if (is_ram(from))
		return rt_nodes[to].ops;
	return is_ram(to) || rt_nodes[from].kind == rt_nodes[to].kind ? rt_nodes[from].ops : NULL;
}

static int copy_row(const struct rt_place *from, const struct rt_place *to, size_t size, struct rt_async *async)
{
	if (is_ram(from->node) && is_ram(to->node)) {
		memcpy((char *)to->base + to->offset, (const char *)from->base + from->offset, size);
		return 0;
	}
	const struct rt_node_ops *ops = ops_between(from->node, to->node);
	return ops && ops->copy ? ops->copy(from, to, size, async) : -ENOSYS;
}

struct shape {
	size_t size; /* of a block of contiguous bytes */
	unsigned dims;
	size_t n[RT_MOST_DIMS], ld_from[RT_MOST_DIMS], ld_to[RT_MOST_DIMS];
};

/* Dimensions whose rows touch each other in both places become one. */
static void merge(struct shape *s)
{
	unsigned out = 0;
	for (unsigned i = 0; i < s->dims; i++) {
		size_t whole = out ? s->n[out - 1] * s->ld_from[out - 1] : s->size;
		size_t whole_to = out ? s->n[out - 1] * s->ld_to[out - 1] : s->size;
		if (s->n[i] == 1)
			continue;
		if (s->ld_from[i] == whole && s->ld_to[i] == whole_to) {
			if (out)
				s->n[out - 1] *= s->n[i];
			else
				s->size *= s->n[i];
			continue;
		}
		s->n[out] = s->n[i];
		s->ld_from[out] = s->ld_from[i];
		s->ld_to[out++] = s->ld_to[i];
	}
	s->dims = out;
}

static int copy_shape(struct rt_place from, struct rt_place to, const struct shape *s, unsigned dims, struct rt_async *async)
{
	if (!dims)
		return copy_row(&from, &to, s->size, async);
	const struct rt_node_ops *ops = ops_between(from.node, to.node);
	if (dims == 1 && ops && ops->copy2d)
		return ops->copy2d(&from, &to, s->size, s->n[0], s->ld_from[0], s->ld_to[0], async);
	int rc = 0;
	for (size_t i = 0; i < s->n[dims - 1] && (!rc || rc == -EAGAIN); i++) {
		int one = copy_shape(from, to, s, dims - 1, async);
		rc = one ? one : rc;
		from.offset += s->ld_from[dims - 1];
		to.offset += s->ld_to[dims - 1];
	}
	return rc;
}

static int copy_any(uintptr_t src, size_t src_offset, unsigned src_node, uintptr_t dst, size_t dst_offset, unsigned dst_node,
                    struct shape *s, void *async_data)
{
	for (unsigned i = 0; i < s->dims; i++)
		if (!s->n[i])
			return 0;
	if (!s->size)
		return 0;
	merge(s);
	return copy_shape((struct rt_place){src, src_offset, src_node}, (struct rt_place){dst, dst_offset, dst_node}, s, s->dims,
	                  async_data);
}

int starpu_interface_copy(uintptr_t src, size_t src_offset, unsigned src_node, uintptr_t dst, size_t dst_offset,
                          unsigned dst_node, size_t size, void *async_data)
{
	return copy_any(src, src_offset, src_node, dst, dst_offset, dst_node, &(struct shape){.size = size}, async_data);
}

int starpu_interface_copy2d(uintptr_t src, size_t src_offset, unsigned src_node, uintptr_t dst, size_t dst_offset,
                            unsigned dst_node, size_t blocksize, size_t numblocks, size_t ld_src, size_t ld_dst, void *async_data)
{
	struct shape s = {.size = blocksize, .dims = 1, .n = {numblocks}, .ld_from = {ld_src}, .ld_to = {ld_dst}};
	return copy_any(src, src_offset, src_node, dst, dst_offset, dst_node, &s, async_data);
}

int starpu_interface_copy3d(uintptr_t src, size_t src_offset, unsigned src_node, uintptr_t dst, size_t dst_offset,
                            unsigned dst_node, size_t blocksize, size_t numblocks1, size_t ld1_src, size_t ld1_dst,
                            size_t numblocks2, size_t ld2_src, size_t ld2_dst, void *async_data)
{
	struct shape s = {.size = blocksize,
	                  .dims = 2,
	                  .n = {numblocks1, numblocks2},
	                  .ld_from = {ld1_src, ld2_src},
	                  .ld_to = {ld1_dst, ld2_dst}};
	return copy_any(src, src_offset, src_node, dst, dst_offset, dst_node, &s, async_data);
}

int starpu_interface_copy4d(uintptr_t src, size_t src_offset, unsigned src_node, uintptr_t dst, size_t dst_offset,
                            unsigned dst_node, size_t blocksize, size_t numblocks1, size_t ld1_src, size_t ld1_dst,
                            size_t numblocks2, size_t ld2_src, size_t ld2_dst, size_t numblocks3, size_t ld3_src, size_t ld3_dst,
                            void *async_data)
{
	struct shape s = {.size = blocksize,
	                  .dims = 3,
	                  .n = {numblocks1, numblocks2, numblocks3},
	                  .ld_from = {ld1_src, ld2_src, ld3_src},
	                  .ld_to = {ld1_dst, ld2_dst, ld3_dst}};
	return copy_any(src, src_offset, src_node, dst, dst_offset, dst_node, &s, async_data);
}

int starpu_interface_copynd(uintptr_t src, size_t src_offset, unsigned src_node, uintptr_t dst, size_t dst_offset,
                            unsigned dst_node, size_t elemsize, size_t ndim, size_t *nn, size_t *ldn_src, size_t *ldn_dst,
                            void *async_data)
{
	struct shape s = {.size = elemsize, .dims = (unsigned)ndim};
	if (ndim > RT_MOST_DIMS)
		return -EINVAL;
	for (size_t i = 0; i < ndim; i++) {
		s.n[i] = nn[i];
		s.ld_from[i] = ldn_src[i] * elemsize;
		s.ld_to[i] = ldn_dst[i] * elemsize;
	}
	return copy_any(src, src_offset, src_node, dst, dst_offset, dst_node, &s, async_data);
}

/* ---- whole interfaces ---- */

bool rt_can_copy(starpu_data_handle_t h, unsigned from, unsigned to)
{
	const struct starpu_data_copy_methods *m = h->ops->copy_methods;
	struct rt_replica *r = h->replica;
	if (m && m->can_copy && !m->can_copy(r[from].interface, from, r[to].interface, to, STARPU_MAIN_RAM))
		return false;
	if (is_ram(from) || is_ram(to))
		return true;
	return rt_nodes[from].kind == rt_nodes[to].kind && rt_nodes[from].ops->between;
}

static bool is_disk(unsigned node)
{
	return rt_nodes[node].kind == STARPU_DISK_RAM;
}

/*
 * Interfaces without copy methods are packed here and unpacked there; on a disk the packed form is
 * one object of its own size.
 */
static int copy_packed(starpu_data_handle_t src, unsigned from, starpu_data_handle_t dst, unsigned to)
{
	void *packed = NULL;
	starpu_ssize_t size = 0;
	if (!src->ops->pack_data || !dst->ops->unpack_data)
		return -ENOSYS;
	if (is_disk(from)) {
		size_t n = 0;
		int rc = rt_disk_read_whole(src, from, &packed, &n);
		return rc ? rc : dst->ops->unpack_data(dst, to, packed, n);
	}
	int rc = src->ops->pack_data(src, from, &packed, &size);
	if (!is_disk(to))
		return rc ? rc : dst->ops->unpack_data(dst, to, packed, (size_t)size); /* which frees it */
	rc = rc ? rc : rt_disk_write_whole(dst, to, packed, (size_t)size);
	starpu_free_flags(packed, (size_t)size, 0);
	return rc;
}

/*
 * The handle's own copies, which its functions find by their nodes; not a worker's buffer beside
 * them.
 */
static bool can_pack(starpu_data_handle_t h, const void *from, unsigned from_node, const void *to, unsigned to_node)
{
	return h->replica[from_node].interface == from && h->replica[to_node].interface == to;
}

int rt_copy_handle(starpu_data_handle_t src, starpu_data_handle_t dst, unsigned node)
{
	void *from = src->replica[node].interface, *to = dst->replica[node].interface;
	int rc = rt_copy_interface(dst, from, node, to, node, NULL);
	return rc == -ENOSYS ? copy_packed(src, node, dst, node) : rc;
}

int rt_copy_interface(starpu_data_handle_t h, void *from, unsigned from_node, void *to, unsigned to_node, struct rt_async *async)
{
	const struct starpu_data_copy_methods *m = h->ops->copy_methods;
	const struct rt_node_ops *ops = ops_between(from_node, to_node);
	int rc = -ENOSYS;
	if (!m && !h->ops->interface_size)
		return 0; /* void: there is nothing */
	if (rt_simulator && from_node != to_node) {
		rt_simulator->copy(from_node, to_node, rt_data_size(h));
		return 0;
	}
	if (m && is_ram(from_node) && is_ram(to_node) && m->ram_to_ram)
		return m->ram_to_ram(from, from_node, to, to_node);
	if (m && ops && ops->copy_interface)
		rc = ops->copy_interface(m, from, from_node, to, to_node, async);
	if (m && rc == -ENOSYS && m->any_to_any)
		rc = m->any_to_any(from, from_node, to, to_node, async);
	if (rc == -ENOSYS && ops && can_pack(h, from, from_node, to, to_node))
		rc = copy_packed(h, from_node, h, to_node);
	return rc;
}

/* ---- callbacks for an interface's own copy methods: begin and end of a transfer, and its size ---- */

void starpu_interface_start_driver_copy_async(unsigned src_node, unsigned dst_node, double *start)
{
	if (rt_traced_in_detail()) {
		weft_enter(rt_detail.interface_copying);
		weft_attr_int(rt_detail.from, src_node);
		weft_attr_int(rt_detail.to, dst_node);
	}
	*start = starpu_timing_now();
}

void starpu_interface_end_driver_copy_async(unsigned src_node, unsigned dst_node, double start)
{
	(void)src_node, (void)dst_node, (void)start;
	weft_leave(rt_detail.interface_copying);
}

void starpu_interface_start_driver_copy_async_devid(int src_dev, enum starpu_node_kind src_kind, int dst_dev,
                                                    enum starpu_node_kind dst_kind, double *start)
{
	starpu_interface_start_driver_copy_async(starpu_memory_devid_find_node(src_dev, src_kind),
	                                         starpu_memory_devid_find_node(dst_dev, dst_kind), start);
}

void starpu_interface_end_driver_copy_async_devid(int src_dev, enum starpu_node_kind src_kind, int dst_dev,
                                                  enum starpu_node_kind dst_kind, double start)
{
	starpu_interface_end_driver_copy_async(starpu_memory_devid_find_node(src_dev, src_kind),
	                                       starpu_memory_devid_find_node(dst_dev, dst_kind), start);
}

/* Within the two above, or within a copy by the runtime. */
void starpu_interface_data_copy(unsigned src_node, unsigned dst_node, size_t size)
{
	(void)src_node, (void)dst_node;
	if (rt_traced_in_detail())
		weft_attr_int(rt_detail.bytes, (int64_t)size);
}

/* Mapping memory of one node into another: no driver can. */
uintptr_t starpu_interface_map(uintptr_t src, size_t src_offset, unsigned src_node, unsigned dst_node, size_t size, int *ret)
{
	(void)src, (void)src_offset, (void)src_node, (void)dst_node, (void)size;
	*ret = -EIO;
	return 0;
}

int starpu_interface_unmap(uintptr_t src, size_t src_offset, unsigned src_node, uintptr_t dst, unsigned dst_node, size_t size)
{
	(void)src, (void)src_offset, (void)src_node, (void)dst, (void)dst_node, (void)size;
	return -EIO;
}

int starpu_interface_update_map(uintptr_t src, size_t src_offset, unsigned src_node, uintptr_t dst, size_t dst_offset,
                                unsigned dst_node, size_t size)
{
	(void)src, (void)src_offset, (void)src_node, (void)dst, (void)dst_offset, (void)dst_node, (void)size;
	return -EIO;
}
