/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Disks as memory nodes: data that does not fit goes there and comes back.
 */
#ifndef __STARPU_DISK_H__
#define __STARPU_DISK_H__

#include <sys/types.h>
#include <starpu_config.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STARPU_DISK_SIZE_MIN (16 * 1024 * 1024)

struct starpu_disk_ops;

struct starpu_disk_ops {
	void *(*plug)(void *, starpu_ssize_t);
	void (*unplug)(void *);
	int (*bandwidth)(unsigned, void *);
	void *(*alloc)(void *, size_t);
	void (*free)(void *, void *, size_t);
	void *(*open)(void *, void *, size_t);
	void (*close)(void *, void *, size_t);
	int (*read)(void *, void *, void *, off_t, size_t);
	int (*write)(void *, void *, const void *, off_t, size_t);
	int (*full_read)(void *, void *, void **, size_t *, unsigned);
	int (*full_write)(void *, void *, void *, size_t);
	void *(*async_write)(void *, void *, void *, off_t, size_t);
	void *(*async_read)(void *, void *, void *, off_t, size_t);
	void *(*async_full_read)(void *, void *, void **, size_t *, unsigned);
	void *(*async_full_write)(void *, void *, void *, size_t);
	void *(*copy)(void *, void *, off_t, void *, void *, off_t, size_t);
	void (*wait_request)(void *);
	int (*test_request)(void *);
	void (*free_request)(void *);
};

extern struct starpu_disk_ops starpu_disk_stdio_ops;
extern struct starpu_disk_ops starpu_disk_hdf5_ops;
extern struct starpu_disk_ops starpu_disk_unistd_ops;
extern struct starpu_disk_ops starpu_disk_unistd_o_direct_ops;
extern struct starpu_disk_ops starpu_disk_leveldb_ops;
extern int starpu_disk_swap_node;
void starpu_disk_close(unsigned node, void *obj, size_t size);
void *starpu_disk_open(unsigned node, void *pos, size_t size);
int starpu_disk_register(struct starpu_disk_ops *func, void *parameter, starpu_ssize_t size);

#ifdef __cplusplus
}
#endif
#endif
