/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interfaces of dense data: one implementation of every operation over a table with the places
 * of their sizes and addresses. On a node without the data a handle's interface has the same sizes
 * and no address.
 */
#include "base/str.h"
#include "runtime/task/complain.h"
#include "dense.h"
#include "runtime/memory/memory.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct layout {
	unsigned dims;
	char letter;
	size_t ptr, dev_handle, offset, elemsize;
	size_t allocsize; /* 0: has none */
	size_t n[RT_DENSE_FIXED], ld[RT_DENSE_FIXED];
};

#define AT(type, field) offsetof(struct starpu_##type##_interface, field)
#define ADDRESS(type) \
	.ptr = AT(type, ptr), .dev_handle = AT(type, dev_handle), .offset = AT(type, offset), .elemsize = AT(type, elemsize)

static const struct layout layouts[] = {
	[STARPU_VARIABLE_INTERFACE_ID] = {0, 'v', ADDRESS(variable)},
	[STARPU_VECTOR_INTERFACE_ID] = {1, 'V', ADDRESS(vector), .allocsize = AT(vector, allocsize), .n = {AT(vector, nx)}},
	[STARPU_MATRIX_INTERFACE_ID] = {2, 'M', ADDRESS(matrix), .allocsize = AT(matrix, allocsize),
                                        .n = {AT(matrix, nx), AT(matrix, ny)}, .ld = {0, AT(matrix, ld)}},
	[STARPU_BLOCK_INTERFACE_ID] = {3, 'B', ADDRESS(block), .n = {AT(block, nx), AT(block, ny), AT(block, nz)},
                                       .ld = {0, AT(block, ldy), AT(block, ldz)}},
	[STARPU_TENSOR_INTERFACE_ID] = {4, 'T', ADDRESS(tensor),
                                        .n = {AT(tensor, nx), AT(tensor, ny), AT(tensor, nz), AT(tensor, nt)},
                                        .ld = {0, AT(tensor, ldy), AT(tensor, ldz), AT(tensor, ldt)}},
	[STARPU_NDIM_INTERFACE_ID] = {0, 'N', ADDRESS(ndim), .allocsize = AT(ndim, allocsize)},
};

static size_t *size_at(void *interface, size_t offset)
{
	return (size_t *)(void *)((char *)interface + offset);
}

bool rt_dense_look(void *interface, struct rt_dense *d)
{
	enum starpu_data_interface_id id = ((struct starpu_variable_interface *)interface)->id;
	if ((unsigned)id >= sizeof layouts / sizeof layouts[0] || !layouts[id].letter)
		return false;
	const struct layout *l = &layouts[id];
	*d = (struct rt_dense){.dims = l->dims, .elemsize = *size_at(interface, l->elemsize)};
	d->ptr = size_at(interface, l->ptr);
	d->dev_handle = size_at(interface, l->dev_handle);
	d->offset = size_at(interface, l->offset);
	d->allocsize = l->allocsize ? size_at(interface, l->allocsize) : NULL;
	for (unsigned k = 0; k < l->dims; k++) {
		d->n[k] = size_at(interface, l->n[k]);
		d->ld[k] = k ? size_at(interface, l->ld[k]) : NULL;
	}
	if (id == STARPU_NDIM_INTERFACE_ID) {
		struct starpu_ndim_interface *nd = interface;
		d->dims = (unsigned)nd->ndim;
		d->nn = nd->nn;
		d->ldn = nd->ldn;
	}
	return true;
}

bool rt_dense_key(void *interface, size_t key[RT_DENSE_KEY])
{
	struct rt_dense d;
	memset(key, 0, RT_DENSE_KEY * sizeof *key);
	if (!rt_dense_look(interface, &d) || d.nn)
		return false;
	key[0] = d.elemsize;
	for (unsigned k = 0; k < d.dims; k++)
		key[1 + k] = *d.n[k];
	return true;
}

bool rt_dense_is(void *interface, const size_t key[RT_DENSE_KEY])
{
	const struct layout *l = &layouts[((struct starpu_variable_interface *)interface)->id];
	bool is = *size_at(interface, l->elemsize) == key[0];
	for (unsigned k = 0; k < l->dims; k++)
		is = is && *size_at(interface, l->n[k]) == key[1 + k];
	return is;
}

void rt_dense_set_elemsize(void *interface, size_t elemsize)
{
	*size_at(interface, layouts[((struct starpu_variable_interface *)interface)->id].elemsize) = elemsize;
}

size_t rt_dense_elements(const struct rt_dense *d)
{
	size_t n = 1;
	for (unsigned k = 0; k < d->dims; k++)
		n *= rt_dense_n(d, k);
	return n;
}

static void dense_check(void *interface, struct rt_dense *d)
{
	if (!rt_dense_look(interface, d))
		rt_misuse("this is no interface of dense data");
}

static void look_at(starpu_data_handle_t h, struct rt_dense *d)
{
	dense_check(starpu_data_get_interface_on_node(h, STARPU_MAIN_RAM), d);
}

static size_t dense_bytes(const struct rt_dense *d)
{
	return rt_dense_elements(d) * d->elemsize;
}

static size_t alloc_bytes(const struct rt_dense *d)
{
	return d->allocsize ? *d->allocsize : dense_bytes(d);
}

static void set_ld(struct rt_dense *d, unsigned k, size_t ld)
{
	if (d->ldn)
		d->ldn[k] = ld;
	else if (k)
		*d->ld[k] = ld;
}

static void forget_address(struct rt_dense *d)
{
	*d->ptr = *d->dev_handle = 0;
	*d->offset = 0;
	for (unsigned k = 0; k < d->dims; k++)
		set_ld(d, k, 0);
}

/* An ndim has its sizes in arrays: each node its own. */
static void own_arrays(void *interface)
{
	struct starpu_ndim_interface *nd = interface;
	RT_EXPECT(nd->ndim <= RT_MOST_DIMS, "data of %zu dimensions: %d are the most", nd->ndim, (int)RT_MOST_DIMS);
	size_t size = (nd->ndim ? nd->ndim : 1) * sizeof *nd->nn;
	size_t *nn = malloc(size), *ldn = malloc(size);
	if (!nn || !ldn)
		rt_misuse("no memory for the sizes of data of %zu dimensions", nd->ndim);
	memcpy(nn, nd->nn, nd->ndim * sizeof *nn);
	memcpy(ldn, nd->ldn, nd->ndim * sizeof *ldn);
	nd->nn = nn;
	nd->ldn = ldn;
}

static void dense_register(starpu_data_handle_t h, int home, void *interface)
{
	size_t size = starpu_data_get_interface_ops(h)->interface_size;
	bool has_arrays = ((struct starpu_ndim_interface *)interface)->id == STARPU_NDIM_INTERFACE_ID;
	const void *away = NULL; /* of a node without the data: the same on all, but for arrays */
	for (unsigned node = 0; node < STARPU_MAXNODES; node++) {
		void *local = starpu_data_get_interface_on_node(h, node);
		bool is_home = (int)node == home;
		memcpy(local, away && !is_home ? away : interface, size);
		if (away && !is_home)
			continue;
		if (has_arrays)
			own_arrays(local);
		struct rt_dense d;
		dense_check(local, &d);
		if (!is_home) {
			forget_address(&d);
			away = has_arrays ? NULL : local;
		}
	}
}

static void ndim_unregister(starpu_data_handle_t h)
{
	for (unsigned node = 0; node < STARPU_MAXNODES; node++) {
		struct starpu_ndim_interface *nd = starpu_data_get_interface_on_node(h, node);
		free(nd->nn);
		free(nd->ldn);
		nd->nn = nd->ldn = NULL;
	}
}

/* As memory of ours is laid out. */
static void leave_no_gaps(struct rt_dense *d)
{
	size_t ld = 1;
	for (unsigned k = 0; k < d->dims; k++) {
		set_ld(d, k, ld);
		ld *= rt_dense_n(d, k);
	}
}

static starpu_ssize_t dense_allocate(void *interface, unsigned node)
{
	struct rt_dense d;
	dense_check(interface, &d);
	size_t size = alloc_bytes(&d);
	uintptr_t addr = starpu_malloc_on_node(node, size);
	if (!addr)
		return -ENOMEM;
	/*
	 * No address can be computed from an OpenCL buffer; a variable's is stored where programs
	 * expect it, too.
	 */
	*d.ptr = rt_nodes[node].kind == STARPU_OPENCL_RAM && d.dims ? 0 : addr;
	*d.dev_handle = addr;
	*d.offset = 0;
	leave_no_gaps(&d);
	return (starpu_ssize_t)size;
}

static void dense_free(void *interface, unsigned node)
{
	struct rt_dense d;
	dense_check(interface, &d);
	starpu_free_on_node(node, *d.dev_handle, alloc_bytes(&d));
	forget_address(&d);
}

/* The memory of `from`, which may have another shape of as many bytes. */
static void take_address(struct rt_dense *to, const struct rt_dense *from)
{
	*to->ptr = *from->ptr;
	*to->dev_handle = *from->dev_handle;
	*to->offset = *from->offset;
}

static void dense_cache(void *cached, void *interface, unsigned node)
{
	struct rt_dense to, from;
	(void)node;
	dense_check(cached, &to);
	dense_check(interface, &from);
	take_address(&to, &from);
	forget_address(&from);
}

static void dense_reuse(void *interface, const void *cached, unsigned node)
{
	struct rt_dense to, from;
	(void)node;
	dense_check(interface, &to);
	dense_check((void *)cached, &from);
	take_address(&to, &from);
	leave_no_gaps(&to);
}

struct strides {
	size_t n[RT_MOST_DIMS], ld[RT_MOST_DIMS];
};

static struct strides strides_of(const struct rt_dense *d)
{
	struct strides s;
	for (unsigned k = 0; k < d->dims; k++) {
		s.n[k] = rt_dense_n(d, k);
		s.ld[k] = rt_dense_ld(d, k);
	}
	return s;
}

/* In main memory by its address: programs that lend memory there need not set more. */
static struct rt_place place_of(const struct rt_dense *d, unsigned node)
{
	if (rt_nodes[node].kind == STARPU_CPU_RAM)
		return (struct rt_place){*d->ptr, 0, node};
	return (struct rt_place){*d->dev_handle, *d->offset, node};
}

static int dense_copy(void *src, unsigned src_node, void *dst, unsigned dst_node, void *async)
{
	struct rt_dense a, b;
	dense_check(src, &a);
	dense_check(dst, &b);
	struct strides from = strides_of(&a), to = strides_of(&b);
	struct rt_place at = place_of(&a, src_node), there = place_of(&b, dst_node);
	return starpu_interface_copynd(at.base, at.offset, src_node, there.base, there.offset, dst_node, a.elemsize, a.dims,
	                               from.n, from.ld, to.ld, async);
}

static const struct starpu_data_copy_methods dense_methods = {.any_to_any = dense_copy};

static void *dense_pointer(void *interface, unsigned node)
{
	struct rt_dense d;
	(void)node;
	dense_check(interface, &d);
	return (void *)*d.ptr;
}

/* From the first byte to behind the last, with what lies between the rows. */
static int dense_is_inside(void *interface, unsigned node, void *ptr)
{
	struct rt_dense d;
	(void)node;
	dense_check(interface, &d);
	size_t last = 0;
	for (unsigned k = 0; k < d.dims; k++)
		last += (rt_dense_n(&d, k) - 1) * rt_dense_ld(&d, k);
	return dense_bytes(&d) && (uintptr_t)ptr >= *d.ptr && (uintptr_t)ptr < *d.ptr + (last + 1) * d.elemsize;
}

static size_t dense_size(starpu_data_handle_t h)
{
	struct rt_dense d;
	look_at(h, &d);
	return dense_bytes(&d);
}

static size_t dense_alloc_size(starpu_data_handle_t h)
{
	struct rt_dense d;
	look_at(h, &d);
	return alloc_bytes(&d);
}

/*
 * As StarPU hashes them, so that models of the one serve the other: of a matrix, ny is the start
 * value.
 */
static uint32_t dense_footprint(starpu_data_handle_t h)
{
	struct rt_dense d;
	uint32_t hash = 0;
	look_at(h, &d);
	if (!d.dims && !d.nn)
		return starpu_hash_crc32c_be((uint32_t)d.elemsize, 0);
	if (d.dims == 2 && !d.nn)
		return starpu_hash_crc32c_be((uint32_t)*d.n[0], (uint32_t)*d.n[1]);
	for (unsigned k = 0; k < d.dims; k++)
		hash = starpu_hash_crc32c_be((uint32_t)rt_dense_n(&d, k), hash);
	return hash;
}

static uint32_t dense_alloc_footprint(starpu_data_handle_t h)
{
	return starpu_hash_crc32c_be((uint32_t)dense_alloc_size(h), 0);
}

static int dense_compare(void *x, void *y)
{
	struct rt_dense a, b;
	dense_check(x, &a);
	dense_check(y, &b);
	bool same = a.dims == b.dims && a.elemsize == b.elemsize;
	for (unsigned k = 0; k < a.dims && same; k++)
		same = rt_dense_n(&a, k) == rt_dense_n(&b, k);
	return same;
}

static int dense_alloc_compare(void *x, void *y)
{
	struct rt_dense a, b;
	dense_check(x, &a);
	dense_check(y, &b);
	return alloc_bytes(&a) == alloc_bytes(&b);
}

static void dense_display(starpu_data_handle_t h, FILE *f)
{
	struct rt_dense d;
	look_at(h, &d);
	if (!d.dims)
		fprintf(f, "%zu\t", d.elemsize);
	for (unsigned k = 0; k < d.dims; k++)
		fprintf(f, "%zu\t", rt_dense_n(&d, k));
}

static starpu_ssize_t dense_describe(void *interface, char *buf, size_t size)
{
	char text[1 + 21 * (RT_MOST_DIMS + 1)];
	size_t n = 0;
	struct rt_dense d;
	dense_check(interface, &d);
	text[n++] = layouts[((struct starpu_variable_interface *)interface)->id].letter;
	for (unsigned k = 0; k < d.dims; k++) {
		n += weft_fmt_u64(text + n, rt_dense_n(&d, k));
		text[n++] = 'x';
	}
	n += weft_fmt_u64(text + n, d.elemsize);
	if (size) {
		size_t fits = n < size ? n : size - 1;
		memcpy(buf, text, fits);
		buf[fits] = '\0';
	}
	return (starpu_ssize_t)n;
}

/* ---- packing: the elements in order, without gaps ---- */

enum direction { TO_PACKED, FROM_PACKED };

static int copy_packed(const struct rt_dense *d, unsigned node, void *packed, enum direction way)
{
	struct strides s = strides_of(d);
	struct rt_place at = place_of(d, node);
	size_t ld_packed[RT_MOST_DIMS], ld = 1;
	for (unsigned k = 0; k < d->dims; k++) {
		ld_packed[k] = ld;
		ld *= s.n[k];
	}
	if (way == TO_PACKED)
		return starpu_interface_copynd(at.base, at.offset, node, (uintptr_t)packed, 0, STARPU_MAIN_RAM, d->elemsize,
		                               d->dims, s.n, s.ld, ld_packed, NULL);
	return starpu_interface_copynd((uintptr_t)packed, 0, STARPU_MAIN_RAM, at.base, at.offset, node, d->elemsize, d->dims, s.n,
	                               ld_packed, s.ld, NULL);
}

static int dense_pack(starpu_data_handle_t h, unsigned node, void **ptr, starpu_ssize_t *count)
{
	struct rt_dense d;
	dense_check(starpu_data_get_interface_on_node(h, node), &d);
	*count = (starpu_ssize_t)dense_bytes(&d);
	if (!ptr)
		return 0;
	if (starpu_malloc_flags(ptr, dense_bytes(&d), 0))
		return -ENOMEM;
	return copy_packed(&d, node, *ptr, TO_PACKED);
}

static int dense_peek(starpu_data_handle_t h, unsigned node, void *ptr, size_t count)
{
	struct rt_dense d;
	dense_check(starpu_data_get_interface_on_node(h, node), &d);
	return count == dense_bytes(&d) ? copy_packed(&d, node, ptr, FROM_PACKED) : -EINVAL;
}

static int dense_unpack(starpu_data_handle_t h, unsigned node, void *ptr, size_t count)
{
	int rc = dense_peek(h, node, ptr, count);
	starpu_free_flags(ptr, count, 0);
	return rc;
}

/* ---- the tables ---- */

#define DENSE(type, TYPE) \
	.register_data_handle = dense_register, .allocate_data_on_node = dense_allocate, .free_data_on_node = dense_free, \
	.cache_data_on_node = dense_cache, .reuse_data_on_node = dense_reuse, .copy_methods = &dense_methods, \
	.to_pointer = dense_pointer, .pointer_is_inside = dense_is_inside, .get_size = dense_size, .footprint = dense_footprint, \
	.compare = dense_compare, .display = dense_display, .describe = dense_describe, \
	.interfaceid = STARPU_##TYPE##_INTERFACE_ID, .interface_size = sizeof(struct starpu_##type##_interface), \
	.pack_data = dense_pack, .peek_data = dense_peek, .unpack_data = dense_unpack, \
	.name = (char *)"STARPU_" #TYPE "_INTERFACE"
#define ALLOCATED \
	.get_alloc_size = dense_alloc_size, .alloc_footprint = dense_alloc_footprint, .alloc_compare = dense_alloc_compare

struct starpu_data_interface_ops starpu_interface_variable_ops = {DENSE(variable, VARIABLE)};
struct starpu_data_interface_ops starpu_interface_vector_ops = {DENSE(vector, VECTOR), ALLOCATED};
struct starpu_data_interface_ops starpu_interface_matrix_ops = {DENSE(matrix, MATRIX), ALLOCATED};
struct starpu_data_interface_ops starpu_interface_block_ops = {DENSE(block, BLOCK)};
struct starpu_data_interface_ops starpu_interface_tensor_ops = {DENSE(tensor, TENSOR)};
struct starpu_data_interface_ops starpu_interface_ndim_ops = {DENSE(ndim, NDIM), ALLOCATED,
                                                              .unregister_data_handle = ndim_unregister};
