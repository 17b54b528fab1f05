/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Disks that are folders: a file for each allocation. The three tables differ in how a file is
 * opened; transfers that the file system refuses without its cache are done with it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct folder {
	int flags;
	bool made; /* made by us, and removed at the end */
	char path[];
};
struct file {
	int fd;
	char *path; /* NULL: it is not ours to delete */
};

static void *plug(void *parameter, int flags)
{
	const char *path = parameter;
	struct folder *f = malloc(sizeof *f + strlen(path) + 1);
	if (!f)
		return NULL;
	f->flags = flags;
	strcpy(f->path, path);
	f->made = !mkdir(path, 0777);
	if (f->made || errno == EEXIST)
		return f;
	free(f);
	return NULL;
}

static void *plug_cached(void *parameter, starpu_ssize_t size)
{
	(void)size;
	return plug(parameter, 0);
}

static void *plug_direct(void *parameter, starpu_ssize_t size)
{
	(void)size;
	return plug(parameter, O_DIRECT);
}

static void unplug(void *base)
{
	struct folder *f = base;
	if (f->made)
		rmdir(f->path);
	free(f);
}

static struct file *file_new(int fd, char *path)
{
	struct file *o = fd >= 0 ? malloc(sizeof *o) : NULL;
	if (!o) {
		if (fd >= 0)
			close(fd);
		free(path);
		return NULL;
	}
	*o = (struct file){fd, path};
	return o;
}

static void *file_alloc(void *base, size_t size)
{
	struct folder *f = base;
	char *path = NULL;
	if (asprintf(&path, "%s/STARPU_DISK_XXXXXX", f->path) < 0)
		return NULL;
	int fd = mkostemp(path, O_CLOEXEC | f->flags);
	if (fd < 0 && f->flags)
		fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0 && ftruncate(fd, (off_t)size)) {
		close(fd);
		unlink(path);
		fd = -1;
	}
	return file_new(fd, path);
}

static void file_close(void *base, void *obj, size_t size)
{
	struct file *o = obj;
	(void)base, (void)size;
	close(o->fd);
	free(o->path);
	free(o);
}

static void file_free(void *base, void *obj, size_t size)
{
	unlink(((struct file *)obj)->path);
	file_close(base, obj, size);
}

static void *file_open(void *base, void *pos, size_t size)
{
	struct folder *f = base;
	char *path = NULL;
	(void)size;
	if (asprintf(&path, "%s/%s", f->path, (const char *)pos) < 0)
		return NULL;
	int fd = open(path, O_RDWR | O_CLOEXEC | f->flags);
	if (fd < 0 && f->flags)
		fd = open(path, O_RDWR | O_CLOEXEC);
	free(path);
	return file_new(fd, NULL);
}

/* The file system wants aligned addresses, which these are not: from now on through its cache. */
static bool use_cache(const struct file *o)
{
	int flags = fcntl(o->fd, F_GETFL);
	return errno == EINVAL && flags >= 0 && flags & O_DIRECT && !fcntl(o->fd, F_SETFL, flags & ~O_DIRECT);
}

static int file_read(void *base, void *obj, void *buf, off_t offset, size_t size)
{
	struct file *o = obj;
	size_t done = 0;
	(void)base;
	while (done < size) {
		ssize_t n = pread(o->fd, (char *)buf + done, size - done, offset + (off_t)done);
		if (n < 0 && (errno == EINTR || use_cache(o)))
			continue;
		if (n <= 0)
			return -1;
		done += (size_t)n;
	}
	return (int)done;
}

static int file_write(void *base, void *obj, const void *buf, off_t offset, size_t size)
{
	struct file *o = obj;
	size_t done = 0;
	(void)base;
	while (done < size) {
		ssize_t n = pwrite(o->fd, (const char *)buf + done, size - done, offset + (off_t)done);
		if (n < 0 && (errno == EINTR || use_cache(o)))
			continue;
		if (n <= 0)
			return -1;
		done += (size_t)n;
	}
	return 0;
}

static int file_full_read(void *base, void *obj, void **ptr, size_t *size, unsigned dst_node)
{
	struct stat st;
	(void)dst_node;
	if (fstat(((struct file *)obj)->fd, &st) || starpu_malloc_flags(ptr, (size_t)st.st_size, 0))
		return -1;
	*size = (size_t)st.st_size;
	return file_read(base, obj, *ptr, 0, *size) < 0 ? -1 : 0;
}

static int file_full_write(void *base, void *obj, void *ptr, size_t size)
{
	return ftruncate(((struct file *)obj)->fd, (off_t)size) ? -1 : file_write(base, obj, ptr, 0, size);
}

#define FOLDER(plug_) \
	{ \
		.plug = plug_, .unplug = unplug, .alloc = file_alloc, .free = file_free, .open = file_open, .close = file_close, \
		.read = file_read, .write = file_write, .full_read = file_full_read, .full_write = file_full_write, \
	}
struct starpu_disk_ops starpu_disk_stdio_ops = FOLDER(plug_cached);
struct starpu_disk_ops starpu_disk_unistd_ops = FOLDER(plug_cached);
struct starpu_disk_ops starpu_disk_unistd_o_direct_ops = FOLDER(plug_direct);
