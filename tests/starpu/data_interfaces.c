/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every interface: what a task finds in it, sizes, footprints as StarPU 1.3 computes them, packing, moving to a disk and back; and
 * one that the program defines.
 */
#include "data_check.h"
#include <unistd.h>

static char folder[] = "/tmp/starpu-interfaces-XXXXXX";
static unsigned disk;

/* Through a disk: what comes back must be what went. */
static void move_around(starpu_data_handle_t h)
{
	CHECK(starpu_data_fetch_on_node(h, disk, 0) == 0);
	CHECK(starpu_data_is_on_node(h, disk));
	CHECK(starpu_data_acquire_on_node(h, (int)disk, STARPU_RW) == 0);
	starpu_data_release_on_node(h, (int)disk);
	CHECK(starpu_data_is_on_node(h, disk) && !starpu_data_is_on_node(h, STARPU_MAIN_RAM));
}

/* Packed, changed, unpacked: the change is there. */
static void pack_around(starpu_data_handle_t h, size_t bytes)
{
	void *packed = NULL;
	starpu_ssize_t size = -1;
	CHECK(starpu_data_acquire(h, STARPU_RW) == 0);
	CHECK(starpu_data_pack(h, NULL, &size) == 0 && size == (starpu_ssize_t)bytes);
	CHECK(starpu_data_pack(h, &packed, &size) == 0 && size == (starpu_ssize_t)bytes);
	for (size_t i = 0; i < bytes; i++)
		((unsigned char *)packed)[i] ^= 0x55;
	CHECK(starpu_data_peek(h, packed, bytes) == 0);
	for (size_t i = 0; i < bytes; i++)
		((unsigned char *)packed)[i] ^= 0x55;
	CHECK(starpu_data_unpack(h, packed, bytes) == 0);
	starpu_data_release(h);
}

static void expect(starpu_data_handle_t h, const char *described, size_t size, uint32_t footprint)
{
	struct starpu_data_interface_ops *ops = starpu_data_get_interface_ops(h);
	void *interface = starpu_data_get_interface_on_node(h, STARPU_MAIN_RAM);
	char text[100];
	CHECK(ops->describe(interface, text, sizeof text) == (starpu_ssize_t)strlen(described));
	if (strcmp(text, described))
		fprintf(stderr, "described as %s, not %s\n", text, described);
	CHECK(!strcmp(text, described));
	CHECK(starpu_data_get_size(h) == size);
	CHECK(ops->footprint(h) == footprint);
	CHECK(!ops->compare || ops->compare(interface, interface));
}

/* -- dense: five dimensions at most, elements that know their place -- */

enum { MOST = 5 };
static void check_dense(unsigned dims, starpu_data_handle_t h, int *base, const size_t *n, const size_t *ld,
                        const char *described, uint32_t footprint)
{
	size_t elements = 1, at[MOST] = {0};
	for (unsigned k = 0; k < dims; k++)
		elements *= n[k];
	expect(h, described, elements * sizeof(int), footprint);
	for (size_t e = 0; e < elements; e++) {
		size_t rest = e, offset = 0;
		for (unsigned k = 0; k < dims; k++) {
			at[k] = rest % n[k];
			rest /= n[k];
			offset += at[k] * ld[k];
		}
		base[offset] = (int)e;
	}
	move_around(h);
	for (size_t i = 0; i < 5000; i++)
		base[i] = -1; /* it is on the disk now */
	pack_around(h, elements * sizeof(int));
	starpu_data_unregister(h);
	size_t touched = 0;
	for (size_t i = 0; i < 5000; i++)
		touched += base[i] != -1;
	CHECK(touched == elements);
	for (size_t e = 0; e < elements; e++) {
		size_t rest = e, offset = 0;
		for (unsigned k = 0; k < dims; k++) {
			offset += rest % n[k] * ld[k];
			rest /= n[k];
		}
		CHECK(base[offset] == (int)e);
	}
}

static void check_all_dense(void)
{
	static int base[5000];
	size_t n[] = {3, 4, 2, 5, 2}, ld[] = {1, 7, 40, 100, 600}, one[] = {1};
	starpu_data_handle_t h;
	uint32_t fp = 0;
	starpu_variable_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)base, sizeof(int));
	CHECK(starpu_variable_get_elemsize(h) == 4 && starpu_variable_get_local_ptr(h) == (uintptr_t)base);
	check_dense(1, h, base, one, ld, "v4", starpu_hash_crc32c_be(4, 0));
	starpu_vector_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)base, 3, sizeof(int));
	CHECK(starpu_vector_get_nx(h) == 3 && starpu_vector_get_elemsize(h) == 4 && starpu_vector_get_allocsize(h) == 12);
	check_dense(1, h, base, n, ld, "V3x4", starpu_hash_crc32c_be(3, 0));
	starpu_matrix_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)base, 7, 3, 4, sizeof(int));
	CHECK(starpu_matrix_get_nx(h) == 3 && starpu_matrix_get_ny(h) == 4 && starpu_matrix_get_local_ld(h) == 7);
	check_dense(2, h, base, n, ld, "M3x4x4", starpu_hash_crc32c_be(3, 4));
	starpu_block_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)base, 7, 40, 3, 4, 2, sizeof(int));
	CHECK(starpu_block_get_nz(h) == 2 && starpu_block_get_local_ldy(h) == 7 && starpu_block_get_local_ldz(h) == 40);
	for (unsigned k = 0; k < 3; k++)
		fp = starpu_hash_crc32c_be((uint32_t)n[k], fp);
	check_dense(3, h, base, n, ld, "B3x4x2x4", fp);
	starpu_tensor_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)base, 7, 40, 100, 3, 4, 2, 5, sizeof(int));
	CHECK(starpu_tensor_get_nt(h) == 5 && starpu_tensor_get_local_ldt(h) == 100);
	fp = starpu_hash_crc32c_be(5, fp);
	check_dense(4, h, base, n, ld, "T3x4x2x5x4", fp);
	starpu_ndim_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)base, ld, n, 5, sizeof(int));
	CHECK(starpu_ndim_get_ndim(h) == 5 && starpu_ndim_get_ni(h, 3) == 5 && starpu_ndim_get_local_ldi(h, 4) == 600);
	CHECK(starpu_ndim_get_nn(h)[0] == 3 && starpu_ndim_get_local_ldn(h)[1] == 7);
	fp = starpu_hash_crc32c_be(2, fp);
	check_dense(5, h, base, n, ld, "N3x4x2x5x2x4", fp);
}

/* -- in tasks, with memory of the runtime's -- */

static void fill_tensor(void *buffers[], void *arg)
{
	struct starpu_tensor_interface *t = buffers[0];
	int *p = (int *)STARPU_TENSOR_GET_PTR(t);
	(void)arg;
	for (size_t i = 0; i < t->nx; i++)
		for (size_t j = 0; j < t->ny; j++)
			for (size_t k = 0; k < t->nz; k++)
				for (size_t l = 0; l < t->nt; l++)
					p[i + j * t->ldy + k * t->ldz + l * t->ldt] = (int)(1000 * i + 100 * j + 10 * k + l);
}
static struct starpu_codelet fills_tensor = {.cpu_funcs = {fill_tensor}, .nbuffers = 1, .modes = {STARPU_W}};

static void check_allocated(void)
{
	starpu_data_handle_t h, nothing;
	starpu_tensor_data_register(&h, -1, 0, 0, 0, 0, 3, 4, 5, 6, sizeof(int));
	submit(&fills_tensor, h, NULL);
	move_around(h);
	CHECK(starpu_data_acquire(h, STARPU_R) == 0);
	struct starpu_tensor_interface *t = starpu_data_get_interface_on_node(h, STARPU_MAIN_RAM);
	int *p = (int *)t->ptr;
	CHECK(p[2 + 3 * t->ldy + 4 * t->ldz + 5 * t->ldt] == 2345);
	starpu_data_release(h);
	starpu_data_unregister(h);
	starpu_void_data_register(&nothing);
	expect(nothing, "0", 0, 0);
	CHECK(starpu_data_acquire(nothing, STARPU_RW) == 0);
	starpu_data_release(nothing);
	starpu_data_unregister(nothing);
}

/* -- sparse -- */

static void check_sparse(void)
{
	double values[12], again[12];
	uint32_t columns[12], rows[] = {0, 2, 5, 6}, places[12];
	starpu_data_handle_t h;
	for (uint32_t i = 0; i < 12; i++) {
		again[i] = values[i] = i * 1.5;
		places[i] = columns[i] = i;
	}
	starpu_csr_data_register(&h, STARPU_MAIN_RAM, 6, 3, (uintptr_t)values, columns, rows, 0, sizeof(double));
	CHECK(starpu_csr_get_nnz(h) == 6 && starpu_csr_get_nrow(h) == 3 && starpu_csr_get_local_rowptr(h) == rows);
	expect(h, "C6x3x8", 6 * 12 + 4 * 4, starpu_hash_crc32c_be(6, 0));
	move_around(h);
	memset(values, 0, sizeof values);
	pack_around(h, 6 * 12 + 4 * 4);
	starpu_data_unregister(h);
	CHECK(!memcmp(values, again, 6 * sizeof *values) && rows[2] == 5 && columns[5] == 5);
	memcpy(values, again, sizeof values);
	starpu_bcsr_data_register(&h, STARPU_MAIN_RAM, 2, 1, (uintptr_t)values, columns, rows, 0, 2, 3, sizeof(double));
	CHECK(starpu_bcsr_get_r(h) == 2 && starpu_bcsr_get_c(h) == 3 && starpu_bcsr_get_local_nzval(h) == (uintptr_t)values);
	expect(h, "b2x1x2x3x8", 12 * 8 + 2 * 4 + 2 * 4,
	       starpu_hash_crc32c_be(2, starpu_hash_crc32c_be(3, starpu_hash_crc32c_be(2, 0))));
	move_around(h);
	memset(values, 0, sizeof values);
	starpu_data_unregister(h);
	CHECK(!memcmp(values, again, sizeof values));
	starpu_coo_data_register(&h, STARPU_MAIN_RAM, 20, 30, 12, columns, places, (uintptr_t)values, sizeof(double));
	expect(h, "M20x30x12x8", 20 * 30 * 8, starpu_hash_crc32c_be(600, 0));
	move_around(h);
	memset(values, 0, sizeof values);
	starpu_data_unregister(h);
	CHECK(!memcmp(values, again, sizeof values) && places[11] == 11);
}

/* -- of the program: complex numbers in two arrays; without any_to_any the second time -- */

struct complex_interface {
	enum starpu_data_interface_id id;
	double *real, *imaginary;
	size_t n;
};

static void complex_register(starpu_data_handle_t h, int home, void *interface)
{
	for (unsigned node = 0; node < STARPU_MAXNODES; node++) {
		struct complex_interface *c = starpu_data_get_interface_on_node(h, node);
		*c = *(struct complex_interface *)interface;
		if ((int)node != home)
			c->real = c->imaginary = NULL;
	}
}

static starpu_ssize_t complex_allocate(void *interface, unsigned node)
{
	struct complex_interface *c = interface;
	c->real = (double *)starpu_malloc_on_node(node, c->n * sizeof(double));
	c->imaginary = (double *)starpu_malloc_on_node(node, c->n * sizeof(double));
	return c->real && c->imaginary ? (starpu_ssize_t)(2 * c->n * sizeof(double)) : -ENOMEM;
}

static void complex_free(void *interface, unsigned node)
{
	struct complex_interface *c = interface;
	starpu_free_on_node(node, (uintptr_t)c->real, c->n * sizeof(double));
	starpu_free_on_node(node, (uintptr_t)c->imaginary, c->n * sizeof(double));
}

static int complex_copy(void *src, unsigned src_node, void *dst, unsigned dst_node, void *async)
{
	struct complex_interface *a = src, *b = dst;
	size_t size = a->n * sizeof(double);
	int one = starpu_interface_copy((uintptr_t)a->real, 0, src_node, (uintptr_t)b->real, 0, dst_node, size, async);
	int two = starpu_interface_copy((uintptr_t)a->imaginary, 0, src_node, (uintptr_t)b->imaginary, 0, dst_node, size, async);
	return one ? one : two;
}
static const struct starpu_data_copy_methods complex_methods = {.any_to_any = complex_copy}, no_methods;

static size_t complex_size(starpu_data_handle_t h)
{
	return 2 * sizeof(double) * ((struct complex_interface *)starpu_data_get_interface_on_node(h, STARPU_MAIN_RAM))->n;
}

static uint32_t complex_footprint(starpu_data_handle_t h)
{
	return starpu_hash_crc32c_be((uint32_t)complex_size(h), 0);
}

static void *complex_pointer(void *interface, unsigned node)
{
	(void)node;
	return ((struct complex_interface *)interface)->real;
}

static int complex_pack(starpu_data_handle_t h, unsigned node, void **ptr, starpu_ssize_t *count)
{
	struct complex_interface *c = starpu_data_get_interface_on_node(h, node);
	*count = (starpu_ssize_t)(2 * c->n * sizeof(double));
	if (!ptr)
		return 0;
	starpu_malloc_flags(ptr, (size_t)*count, 0);
	memcpy(*ptr, c->real, c->n * sizeof(double));
	memcpy((double *)*ptr + c->n, c->imaginary, c->n * sizeof(double));
	return 0;
}

static int complex_unpack(starpu_data_handle_t h, unsigned node, void *ptr, size_t count)
{
	struct complex_interface *c = starpu_data_get_interface_on_node(h, node);
	memcpy(c->real, ptr, c->n * sizeof(double));
	memcpy(c->imaginary, (double *)ptr + c->n, c->n * sizeof(double));
	starpu_free_flags(ptr, count, 0);
	return 0;
}

static struct starpu_data_interface_ops complex_ops = {
	.register_data_handle = complex_register,
	.allocate_data_on_node = complex_allocate,
	.free_data_on_node = complex_free,
	.copy_methods = &complex_methods,
	.to_pointer = complex_pointer,
	.get_size = complex_size,
	.footprint = complex_footprint,
	.interfaceid = STARPU_UNKNOWN_INTERFACE_ID,
	.interface_size = sizeof(struct complex_interface),
	.pack_data = complex_pack,
	.unpack_data = complex_unpack,
	.name = (char *)"complex",
};

static void conjugate(void *buffers[], void *arg)
{
	struct complex_interface *c = buffers[0];
	(void)arg;
	for (size_t i = 0; i < c->n; i++)
		c->imaginary[i] = -c->imaginary[i];
}
static struct starpu_codelet conjugates = {.cpu_funcs = {conjugate}, .nbuffers = 1, .modes = {STARPU_RW}};

static void check_own(const struct starpu_data_copy_methods *methods)
{
	double real[100], imaginary[100];
	starpu_data_handle_t h;
	complex_ops.copy_methods = methods;
	for (int i = 0; i < 100; i++) {
		real[i] = i;
		imaginary[i] = 2 * i;
	}
	struct complex_interface c = {.real = real, .imaginary = imaginary, .n = 100};
	starpu_data_register(&h, STARPU_MAIN_RAM, &c, &complex_ops);
	CHECK(starpu_data_get_interface_id(h) >= STARPU_MAX_INTERFACE_ID);
	submit(&conjugates, h, NULL);
	move_around(h);
	memset(imaginary, 0, sizeof imaginary);
	submit(&conjugates, h, NULL);
	submit(&conjugates, h, NULL);
	starpu_data_unregister(h);
	for (int i = 0; i < 100; i++)
		CHECK(real[i] == i && imaginary[i] == -2 * i);
}

static void check_memory(void)
{
	void *p = NULL;
	CHECK(starpu_malloc(&p, 1 << 16) == 0 && p && (uintptr_t)p % 64 == 0 && starpu_free_noflag(p, 1 << 16) == 0);
	CHECK(starpu_malloc(&p, 1000) == 0 && p && (uintptr_t)p % 16 == 0);
	memset(p, 1, 1000);
	CHECK(starpu_memory_pin(p, 1000) == 0 && starpu_memory_unpin(p, 1000) == 0);
	CHECK(starpu_free_noflag(p, 1000) == 0);
	CHECK(starpu_memory_get_total(STARPU_MAIN_RAM) == -1 && starpu_memory_get_available(STARPU_MAIN_RAM) == -1);
	size_t used = starpu_memory_get_used(STARPU_MAIN_RAM);
	CHECK(starpu_malloc_flags(&p, 1000, STARPU_MALLOC_COUNT) == 0);
	CHECK(starpu_memory_get_used(STARPU_MAIN_RAM) == used + 1000);
	starpu_free_flags(p, 1000, STARPU_MALLOC_COUNT);
	CHECK(starpu_memory_get_used(STARPU_MAIN_RAM) == used);
	CHECK(starpu_memory_allocate(STARPU_MAIN_RAM, 10, 0) == 0);
	starpu_memory_wait_available(STARPU_MAIN_RAM, 10);
	starpu_memory_deallocate(STARPU_MAIN_RAM, 10);
	uintptr_t there = starpu_malloc_on_node(disk, 4096);
	char text[32] = "through the disk", back[32] = "";
	CHECK(there != 0);
	CHECK(starpu_interface_copy((uintptr_t)text, 0, STARPU_MAIN_RAM, there, 100, disk, 32, NULL) == 0);
	CHECK(starpu_interface_copy(there, 100, disk, (uintptr_t)back, 0, STARPU_MAIN_RAM, 32, NULL) == 0);
	CHECK(!strcmp(text, back));
	starpu_free_on_node(disk, there, 4096);
}

int main(void)
{
	if (!mkdtemp(folder))
		return 1;
	begin();
	disk = (unsigned)starpu_disk_register(&starpu_disk_unistd_ops, folder, -1);
	check_all_dense();
	check_allocated();
	check_sparse();
	check_own(&complex_methods);
	check_own(&no_methods);
	check_memory();
	starpu_shutdown();
	CHECK(rmdir(folder) == 0);
	return checks_failed();
}
