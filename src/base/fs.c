/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files and folders. Walks over folders go by descriptors (openat), never by rebuilt paths, so that they stay inside the
 * tree that they began in even when somebody swaps a folder for a link meanwhile.
 */
#include "fs.h"
#include "str.h"
#include "vec.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* -- reading -- */

enum { WRITER_MS = 5000, WRITER_STEP_MS = 50 };

/* Whether somebody has the pipe open for writing, or has left something in it: what is there is looked at without being taken. */
static bool pipe_has_writer(int fd)
{
	int copy[2];
	if (pipe2(copy, O_CLOEXEC))
		return true;
	bool has = tee(fd, copy[1], 1, SPLICE_F_NONBLOCK) != 0;
	close(copy[0]);
	close(copy[1]);
	return has;
}

/* What a program was given under a number, whatever it is. */
static bool is_own_descriptor(const char *path)
{
	static const char *const names[] = {"/dev/stdin", "/dev/fd/*", "/proc/self/fd/*"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (weft_glob(names[i], path))
			return true;
	return false;
}

/* 0, or what is wrong with it as an input. */
static int input_type_errno(const struct stat *st, const char *path, bool pipes)
{
	if (S_ISREG(st->st_mode))
		return 0;
	if (S_ISDIR(st->st_mode))
		return EISDIR;
	return pipes && (S_ISFIFO(st->st_mode) || is_own_descriptor(path)) ? 0 : EINVAL;
}

/* A named pipe is opened without waiting; then somebody is to come. Who has come may be silent for as long as he likes. */
static int wait_for_writer(int fd)
{
	int flags = fcntl(fd, F_GETFL);
	for (unsigned i = 0; !pipe_has_writer(fd); i++) {
		struct pollfd at = {fd, POLLIN, 0};
		/* POLLHUP: he has been there, and is gone. */
		if (poll(&at, 1, WRITER_STEP_MS) > 0 && at.revents & (POLLIN | POLLHUP))
			break;
		if (i >= WRITER_MS / WRITER_STEP_MS)
			return ETIMEDOUT;
	}
	return flags < 0 || fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) ? errno : 0;
}

static int open_checked(const char *path, bool pipes, struct stat *st, struct weft_err *err)
{
	/* Looked at first, for opening a device can mean something to it; and then again, for it may be another file by now. */
	int fd = -1, e = stat(path, st) ? errno : input_type_errno(st, path, pipes);
	if (!e) {
		bool waits = !S_ISREG(st->st_mode), names_pipe = S_ISFIFO(st->st_mode) && !is_own_descriptor(path);
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (waits && !names_pipe ? 0 : O_NONBLOCK));
		e = fd < 0 || fstat(fd, st) ? errno : input_type_errno(st, path, waits);
		if (!e && names_pipe)
			e = wait_for_writer(fd);
	}
	if (!e)
		return fd;
	if (fd >= 0)
		close(fd);
	if (e == ETIMEDOUT)
		return weft_err_set(err, -e, "cannot read '%s': a pipe that nobody writes to", path);
	if (e == EINVAL)
		return weft_err_set(err, -e, "cannot read '%s': %s", path,
		                    pipes ? "neither a file nor a pipe" : "not a regular file");
	return weft_err_sys(err, e, "cannot open '%s'", path);
}

int weft_open_regular(const char *path, struct stat *st, struct weft_err *err)
{
	return open_checked(path, false, st, err);
}

int weft_open_input(const char *path, struct stat *st, struct weft_err *err)
{
	return open_checked(path, true, st, err);
}

int weft_map_file_open(struct weft_map_file *f, const char *path, struct weft_err *err)
{
	*f = (struct weft_map_file){0};
	struct stat st;
	int fd = weft_open_regular(path, &st, err);
	if (fd < 0)
		return fd;
	int rc = 0;
	if (st.st_size > 0) {
		void *at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (at == MAP_FAILED)
			rc = weft_err_sys(err, errno, "cannot map '%s'", path);
		else
			*f = (struct weft_map_file){at, (size_t)st.st_size};
	}
	close(fd);
	return rc;
}

void weft_map_file_close(struct weft_map_file *f)
{
	if (f->at)
		munmap((void *)(uintptr_t)f->at, f->n);
	*f = (struct weft_map_file){0};
}

void weft_map_file_drop(const struct weft_map_file *f, size_t from, size_t to)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	/* Only whole pages: neighbours of the range may still be in use. The file's end counts as a page's end. */
	from = (from + page - 1) & ~(page - 1);
	to = to >= f->n ? f->n : to & ~(page - 1);
	if (from < to)
		madvise((void *)(uintptr_t)(f->at + from), to - from, MADV_DONTNEED);
}

/* Sizes lie in /proc and do not exist for pipes: reads until the end. */
static int read_to_end(int fd, struct weft_buf *b)
{
	enum { STEP = 1 << 16 };
	for (;;) {
		if (b->cap - b->n <= STEP && weft_vec_reserve(b, b->n + STEP + 1))
			return -ENOMEM;
		ssize_t n = read(fd, b->at + b->n, b->cap - b->n - 1);
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n == 0)
			break;
		b->n += n > 0 ? (size_t)n : 0;
	}
	b->at[b->n] = '\0';
	return 0;
}

int weft_fd_high(int low)
{
	struct rlimit most;
	int from = getrlimit(RLIMIT_NOFILE, &most) == 0 && most.rlim_cur > 1024 ? 1000 : 200;
	int fd = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, from);
	if (fd < 0)
		return low;
	close(low);
	return fd;
}

int weft_write_all(int fd, const void *at, size_t n, uint64_t offset)
{
	for (const char *from = at; n;) {
		ssize_t done = pwrite(fd, from, n, (off_t)offset);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done < 0 ? -errno : -EIO;
		from += done;
		n -= (size_t)done;
		offset += (uint64_t)done;
	}
	return 0;
}

int weft_read_all(int fd, void *to, size_t n, uint64_t offset)
{
	for (char *at = to; n;) {
		ssize_t got = pread(fd, at, n, (off_t)offset);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? -errno : -EIO;
		at += got;
		n -= (size_t)got;
		offset += (uint64_t)got;
	}
	return 0;
}

static int read_whole(const char *path, bool pipes, char **at, size_t *n, struct weft_err *err)
{
	*at = NULL;
	*n = 0;
	struct stat st;
	struct weft_buf b = {0};
	int fd = open_checked(path, pipes, &st, err);
	if (fd < 0)
		return fd;
	int rc = 0;
	if (st.st_size > 0 && weft_vec_reserve(&b, (size_t)st.st_size + (1 << 16) + 2))
		rc = -ENOMEM;
	if (!rc)
		rc = read_to_end(fd, &b);
	close(fd);
	if (rc) {
		weft_buf_fini(&b);
		return weft_err_sys(err, -rc, "cannot read '%s'", path);
	}
	*at = b.at;
	*n = b.n;
	return 0;
}

int weft_read_file(const char *path, char **at, size_t *n, struct weft_err *err)
{
	return read_whole(path, false, at, n, err);
}

int weft_read_input(const char *path, char **at, size_t *n, struct weft_err *err)
{
	return read_whole(path, true, at, n, err);
}

/* -- outputs that appear whole -- */

/* A link that somebody else has put where we shall write (in a folder of theirs, or of all) is not ours to follow. */
static bool is_strange_link(const char *path)
{
	struct stat st;
	return lstat(path, &st) == 0 && S_ISLNK(st.st_mode) && st.st_uid != 0 && st.st_uid != geteuid();
}

/*
 * The descriptor to write to. A link is followed, as a shell's > does; a device or a pipe is written directly, for there is
 * nothing to replace; an old file must be writable and hands its mode on.
 */
static int out_open_fd(struct weft_out *o, const char *path)
{
	struct stat st;
	bool exists = stat(path, &st) == 0;
	if (exists && S_ISDIR(st.st_mode))
		return -EISDIR;
	if (is_strange_link(path))
		return -ELOOP;
	o->path = exists ? realpath(path, NULL) : strdup(path);
	if (!o->path)
		return -errno;
	if (exists && !S_ISREG(st.st_mode)) {
		int fd = open(o->path, O_WRONLY | O_CLOEXEC);
		return fd >= 0 ? fd : -errno;
	}
	if (exists && faccessat(AT_FDCWD, o->path, W_OK, AT_EACCESS))
		return -errno;
	int rc = weft_replace_open(&o->file, o->path, 0666);
	if (rc)
		return rc;
	if (exists && fchmod(o->file.fd, st.st_mode & 0777))
		return -errno;
	/* The stream has its own: closing it is how some file systems come to say that there is no room. */
	int fd = fcntl(o->file.fd, F_DUPFD_CLOEXEC, 0);
	return fd >= 0 ? fd : -errno;
}

int weft_out_open(struct weft_out *o, const char *path, struct weft_err *err)
{
	*o = (struct weft_out){0};
	if (strcmp(path, "-") == 0) {
		o->to = stdout;
		return 0;
	}
	int fd = out_open_fd(o, path);
	if (fd >= 0) {
		o->to = fdopen(fd, "w");
		if (o->to)
			return 0;
		int e = errno;
		close(fd);
		fd = -e;
	}
	weft_out_abandon(o);
	if (fd == -ELOOP)
		return weft_err_set(err, fd, "cannot write '%s': it is another user's link", path);
	return weft_err_sys(err, -fd, "cannot write '%s'", path);
}

void weft_out_abandon(struct weft_out *o)
{
	if (o->to && o->to != stdout)
		fclose(o->to);
	weft_replace_abandon(&o->file);
	free(o->path);
	*o = (struct weft_out){0};
}

/* Everything written, and closed. */
static int out_finish(struct weft_out *o)
{
	bool failed = ferror(o->to);
	if (fflush(o->to))
		return -errno;
	if (failed)
		return -EIO; /* an earlier write; its errno is long gone */
	FILE *to = o->to;
	o->to = NULL;
	if (to != stdout && fclose(to))
		return -errno;
	return 0;
}

int weft_out_commit(struct weft_out *o, struct weft_err *err)
{
	int rc = out_finish(o);
	if (!rc && o->file.fd > 0)
		rc = weft_replace_commit(&o->file, WEFT_REPLACE_SYNC);
	if (rc)
		weft_err_sys(err, -rc, "cannot write '%s'", o->path ? o->path : "standard output");
	weft_out_abandon(o);
	return rc;
}

/* -- folders -- */

bool weft_is_dir(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

int weft_make_dirs(const char *path, struct weft_err *err)
{
	char *p = strdup(path);
	if (!p)
		return weft_err_sys(err, ENOMEM, "cannot create '%s'", path);
	int rc = 0;
	for (char *at = p; !rc && *at;) {
		at += strspn(at, "/");
		at += strcspn(at, "/");
		char slash = *at;
		*at = '\0';
		int e = mkdir(p, 0777) ? errno : 0;
		if (e && !weft_is_dir(p))
			rc = weft_err_sys(err, e == EEXIST ? ENOTDIR : e, "cannot create '%s'", p);
		*at = slash;
	}
	free(p);
	return rc;
}

static bool is_dot(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* A folder in a folder, not through a link. NULL: errno. */
static DIR *open_dir_at(int folder, const char *name)
{
	int fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	DIR *d = fdopendir(fd);
	if (!d) {
		int e = errno;
		close(fd);
		errno = e;
	}
	return d;
}

/* 0 or -errno. Tries the file first: most names are, and unlink never follows. */
static int remove_at(int folder, const char *name)
{
	if (unlinkat(folder, name, 0) == 0 || errno == ENOENT)
		return 0;
	int unlink_errno = errno;
	DIR *d = open_dir_at(folder, name);
	if (!d)
		return errno == ENOTDIR || errno == ELOOP ? -unlink_errno : -errno;
	int rc = 0;
	struct dirent *entry;
	while (!rc && (entry = readdir(d)))
		if (!is_dot(entry->d_name))
			rc = remove_at(dirfd(d), entry->d_name);
	closedir(d);
	if (!rc && unlinkat(folder, name, AT_REMOVEDIR) && errno != ENOENT)
		rc = -errno;
	return rc;
}

int weft_remove_tree(const char *path, struct weft_err *err)
{
	/* Without its last slashes: "link/" would mean the folder behind the link. */
	size_t n = strlen(path);
	while (n > 1 && path[n - 1] == '/')
		n--;
	char *plain = strndup(path, n);
	int rc = plain ? remove_at(AT_FDCWD, plain) : -ENOMEM;
	free(plain);
	return rc ? weft_err_sys(err, -rc, "cannot remove '%s'", path) : 0;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void weft_list_free(char **names, int n)
{
	for (int i = 0; i < n; i++)
		free(names[i]);
	free(names);
}

int weft_list_dir(const char *path, char ***names, struct weft_err *err)
{
	WEFT_VEC(char *) v = {0};
	*names = NULL;
	DIR *d = opendir(path);
	if (!d)
		return weft_err_sys(err, errno, "cannot read '%s'", path);
	int rc = 0;
	struct dirent *entry;
	while (!rc && (errno = 0, entry = readdir(d))) {
		if (is_dot(entry->d_name))
			continue;
		char *name = strdup(entry->d_name);
		if (!name || weft_vec_push(&v, name)) {
			free(name);
			rc = -ENOMEM;
		}
	}
	if (!rc)
		rc = -errno;
	closedir(d);
	if (rc) {
		weft_list_free(v.at, (int)v.n);
		return weft_err_sys(err, -rc, "cannot read '%s'", path);
	}
	if (v.n > 0)
		qsort(v.at, v.n, sizeof *v.at, compare_names);
	*names = v.at;
	return (int)v.n;
}

static uint64_t bytes_at(int folder, const char *name)
{
	struct stat st;
	if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW))
		return 0;
	if (S_ISREG(st.st_mode))
		return (uint64_t)st.st_size;
	DIR *d = S_ISDIR(st.st_mode) ? open_dir_at(folder, name) : NULL;
	if (!d)
		return 0;
	uint64_t sum = 0;
	for (struct dirent *entry; (entry = readdir(d));)
		if (!is_dot(entry->d_name))
			sum += bytes_at(dirfd(d), entry->d_name);
	closedir(d);
	return sum;
}

uint64_t weft_dir_bytes(const char *path)
{
	return bytes_at(AT_FDCWD, path);
}

/* -- memory -- */

/* The value of a line "Name:   123 kB" of /proc/self/status, read without allocating: the answer is about memory. */
static uint64_t status_bytes(const char *name)
{
	char text[8192];
	int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	ssize_t n = read(fd, text, sizeof text);
	close(fd);
	struct weft_str rest = weft_str_n(text, n > 0 ? (size_t)n : 0), line;
	while (weft_str_cut(&rest, '\n', &line)) {
		struct weft_str key;
		uint64_t kib;
		weft_str_cut(&line, ':', &key);
		struct weft_str value = weft_str_trim(line), number;
		if (weft_str_eq(key, name) && weft_str_cut(&value, ' ', &number) && !weft_parse_u64(number, &kib))
			return kib * 1024;
	}
	return 0;
}

uint64_t weft_rss_bytes(void)
{
	return status_bytes("VmRSS");
}

uint64_t weft_rss_peak_bytes(void)
{
	return status_bytes("VmHWM");
}
