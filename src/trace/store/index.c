/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The index as files. It is a cache: never trusted, and not fsynced, which would cost more than making it. What a power failure
 * may have left of it is found by its checksums: those of the tables at each opening, those of the blocks when they are first
 * used, and all of them once when the machine was started anew since the index was written.
 */
#include "index_files.h"
#include "base/clock.h"
#include "format/crc.h"
#include "base/fs.h"
#include "base/pool.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LEFT_OVER_NS (3600 * UINT64_C(1000000000)) /* temporaries older than this belong to nobody */
#define VERIFY_STEP 1024u                          /* blocks a worker takes at once */

/* ---- stamps ---- */

static int add_stamp(struct index_stamps *s, const char *dir, const char *name, bool must)
{
	char *path = NULL;
	struct index_stamp row = {.name = strdup(name)};
	struct stat st;
	int rc = row.name && (!dir || asprintf(&path, "%s/%s", dir, name) >= 0) ? 0 : -ENOMEM;
	if (!rc && stat(dir ? path : name, &st) == 0) {
		row.bytes = (uint64_t)st.st_size;
		row.mtime_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
		row.ctime_ns = (int64_t)st.st_ctim.tv_sec * 1000000000 + st.st_ctim.tv_nsec;
		row.inode = st.st_ino;
	} else if (!rc && must) {
		rc = -errno;
	}
	free(path);
	s->bytes += row.bytes;
	if (!rc)
		rc = weft_vec_push(&s->at, row);
	if (rc)
		free(row.name);
	return rc;
}

static bool ends_with(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);
	return n >= m && strcmp(name + n - m, end) == 0;
}

static int stamp_folder(struct index_stamps *s, const char *path, struct weft_err *err)
{
	char **names;
	int n = weft_list_dir(path, &names, err), rc = 0;
	if (n < 0)
		return n;
	for (int i = 0; !rc && i < n; i++)
		if (ends_with(names[i], ".stream") && names[i][0] != '.')
			rc = add_stamp(s, path, names[i], true);
	weft_list_free(names, n);
	return rc ? weft_err_sys(err, -rc, "cannot read '%s'", path) : 0;
}

/* A Paraver trace is also made of the .pcf and .row beside it, when they are there. */
static int stamp_file(struct index_stamps *s, const char *path)
{
	static const char *const prv[] = {".prv", ".prv.gz", ".prv.zst"};
	int rc = add_stamp(s, NULL, path, true);
	for (unsigned i = 0; !rc && i < sizeof prv / sizeof *prv; i++) {
		if (!ends_with(path, prv[i]))
			continue;
		static const char *const beside[] = {".pcf", ".row"};
		for (unsigned k = 0; !rc && k < 2; k++) {
			char *name;
			if (asprintf(&name, "%.*s%s", (int)(strlen(path) - strlen(prv[i])), path, beside[k]) < 0)
				return -ENOMEM;
			rc = add_stamp(s, NULL, name, false);
			free(name);
		}
	}
	for (size_t i = 0; !rc && i < s->at.n; i++) { /* names without the folder: it may be moved with its index */
		char *slash = strrchr(s->at.at[i].name, '/');
		if (slash)
			memmove(s->at.at[i].name, slash + 1, strlen(slash + 1) + 1);
	}
	return rc;
}

int index_stamps_take(struct index_stamps *s, const char *path, struct weft_err *err)
{
	*s = (struct index_stamps){0};
	int rc = weft_is_dir(path) ? stamp_folder(s, path, err) : stamp_file(s, path);
	return rc ? weft_err_sys(err, -rc, "cannot read '%s'", path) : 0;
}

void index_stamps_fini(struct index_stamps *s)
{
	for (size_t i = 0; i < s->at.n; i++)
		free(s->at.at[i].name);
	free(s->at.at);
	*s = (struct index_stamps){0};
}

/* ---- samples ---- */

enum { SAMPLES = 64, SAMPLE_BYTES = 4096, WHOLE_BYTES = 1 << 20 };

/*
 * Of a small file all bytes, of a large one the first, the last, and some at even distances between. In small pieces: a large buffer that
 * comes and goes has malloc keep more memory for good, which counts where memory is limited.
 */
static void sum_file(const char *path, uint64_t bytes, uint32_t *sum)
{
	char at[SAMPLE_BYTES];
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	bool whole = bytes <= WHOLE_BYTES;
	uint64_t step = whole ? SAMPLE_BYTES : (bytes - SAMPLE_BYTES) / (SAMPLES - 1);
	uint64_t pieces = whole ? (bytes + SAMPLE_BYTES - 1) / SAMPLE_BYTES : SAMPLES;
	*sum = 0;
	for (uint64_t i = 0; fd >= 0 && i < pieces; i++) {
		ssize_t n = pread(fd, at, sizeof at, (off_t)(!whole && i + 1 == pieces ? bytes - SAMPLE_BYTES : i * step));
		*sum = n > 0 ? weft_crc32c(*sum, at, (size_t)n) : *sum;
	}
	if (fd >= 0)
		close(fd);
}

/* NAME beside the trace, or in its folder; malloc'd. */
static char *place_of(const char *path, const char *name)
{
	char *place;
	const char *slash = strrchr(path, '/');
	bool folder = weft_is_dir(path);
	size_t n = folder ? strlen(path) : slash ? (size_t)(slash - path) : 0;
	return asprintf(&place, "%.*s%s%s", (int)n, path, folder || slash ? "/" : "", name) < 0 ? NULL : place;
}

static int sum_stamp(const struct index_stamp *s, const char *path, uint32_t *sum)
{
	char *place = place_of(path, s->name);
	if (!place)
		return -ENOMEM;
	sum_file(place, s->bytes, sum);
	free(place);
	return 0;
}

int index_stamps_sum(struct index_stamps *s, const char *path)
{
	int rc = 0;
	for (size_t i = 0; i < s->at.n && !rc; i++) {
		rc = sum_stamp(&s->at.at[i], path, &s->at.at[i].sum);
		s->at.at[i].summed = true;
	}
	return rc;
}

/*
 * Whether a file of the same size and time of change has the same bytes, as far as can be told without reading it: the same inode
 * with the same ctime does; in one whose ctime is another something was done, and where the index can be made again it is. A copy,
 * and what cannot be indexed anew, is known by samples.
 */
static bool holds_the_same(const struct store_stamp *was, const struct index_stamp *now, const char *path, const char *dir)
{
	uint32_t sum;
	if (was->inode == now->inode && was->ctime_ns == now->ctime_ns)
		return true;
	if (now->summed)
		return now->sum == was->sum;
	if (was->inode == now->inode && access(dir, W_OK) == 0)
		return false;
	return sum_stamp(now, path, &sum) == 0 && sum == was->sum;
}

static bool stamps_agree(const struct weft_store *s, const struct index_stamps *now, const char *path, const char *dir)
{
	if (s->n_stamps != now->at.n)
		return false;
	for (uint32_t i = 0; i < s->n_stamps; i++) {
		const struct index_stamp *n = &now->at.at[i];
		const struct store_stamp *was = &s->stamp[i];
		if (was->name >= s->strings_bytes || strcmp(s->strings + was->name, n->name) != 0 || was->bytes != n->bytes ||
		    was->mtime_ns != n->mtime_ns || !holds_the_same(was, n, path, dir))
			return false;
	}
	return true;
}

/* ---- opening ---- */

char *index_dir_of(const char *path)
{
	char *dir;
	size_t n = strlen(path);
	while (n > 1 && path[n - 1] == '/')
		n--;
	return asprintf(&dir, weft_is_dir(path) ? "%.*s/index" : "%.*s.index", (int)n, path) < 0 ? NULL : dir;
}

/* Through no link, and without waiting for who reads or writes a pipe. */
static int open_in(const char *dir, const char *name, int flags)
{
	int folder = weft_open_folder(dir);
	if (folder < 0)
		return folder;
	int fd = openat(folder, name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	int rc = fd < 0 ? -errno : fd;
	close(folder);
	return rc;
}

struct verifying {
	struct weft_store *s;
};

static int verify_blocks(void *arg, size_t i, unsigned worker)
{
	struct weft_store *s = ((struct verifying *)arg)->s;
	(void)worker;
	for (uint64_t b = i * VERIFY_STEP; b < (i + 1) * VERIFY_STEP && b < s->n_blocks; b++) {
		if (!col_block_intact(&s->columns, &s->block[b]))
			return WEFT_E_DAMAGED;
		store_touch(s, s->block[b].bytes);
	}
	return 0;
}

int index_verify(const struct weft_trace *t, unsigned threads)
{
	struct verifying v = {.s = t->store};
	return weft_parallel(threads, (v.s->n_blocks + VERIFY_STEP - 1) / VERIFY_STEP, verify_blocks, &v);
}

/* Once after each start of the machine: everything that was written before it must have reached the disk. */
static int verify_once(struct weft_trace *t, const char *dir)
{
	struct weft_store *s = t->store;
	uint8_t boot_id[16];
	store_boot_id(boot_id);
	if (s->head->verified == 1 || memcmp(boot_id, s->head->boot_id, sizeof boot_id) == 0)
		return 0;
	int rc = index_verify(t, 0);
	int fd = rc ? -1 : open_in(dir, STORE_TABLES_NAME, O_WRONLY);
	uint64_t verified = 1;
	if (fd >= 0) {
		if (pwrite(fd, &verified, sizeof verified, offsetof(struct store_tables_head, verified)) !=
		    (ssize_t)sizeof verified)
			verified = 0; /* then it is done again the next time */
		close(fd);
	}
	return rc;
}

int index_open(struct weft_trace **out, const char *path, const struct index_stamps *stamps, uint64_t memory,
               struct weft_err *err)
{
	*out = NULL;
	char *dir = index_dir_of(path);
	if (!dir)
		return -ENOMEM;
	int tables = open_in(dir, STORE_TABLES_NAME, O_RDONLY),
	    columns = tables < 0 ? -1 : open_in(dir, STORE_COLUMNS_NAME, O_RDONLY), rc;
	if (tables < 0 || columns < 0) {
		rc = tables < 0 ? tables : columns;
		if (tables >= 0)
			close(tables);
	} else {
		rc = store_open(out, tables, columns, path, memory, err);
	}
	if (!rc && !stamps_agree((*out)->store, stamps, path, dir))
		rc = -ESTALE;
	if (!rc)
		rc = verify_once(*out, dir);
	if (rc && *out) {
		weft_trace_close(*out);
		*out = NULL;
	}
	free(dir);
	return rc;
}

/* ---- making ---- */

int index_dir_make(const char *dir)
{
	char **names;
	if (mkdir(dir, 0777) && errno != EEXIST)
		return -errno;
	int folder = weft_open_folder(dir);
	if (folder < 0)
		return folder;
	close(folder);
	int n = weft_list_dir(dir, &names, NULL);
	for (int i = 0; i < n; i++) {
		char *path;
		struct stat st;
		bool ours = strncmp(names[i], STORE_TABLES_NAME ".", sizeof STORE_TABLES_NAME) == 0 ||
		            strncmp(names[i], STORE_COLUMNS_NAME ".", sizeof STORE_COLUMNS_NAME) == 0 ||
		            weft_glob(WEFT_REPLACE_GLOB, names[i]);
		if (!ours || asprintf(&path, "%s/%s", dir, names[i]) < 0)
			continue;
		if (stat(path, &st) == 0 && (uint64_t)st.st_mtim.tv_sec * 1000000000u + LEFT_OVER_NS < weft_realtime_ns())
			unlink(path);
		free(path);
	}
	if (n >= 0)
		weft_list_free(names, n);
	return n < 0 ? n : 0;
}

/* Gives the stamps in a copy of the tables new values, and the checksums that belong to them. */
static int patch_stamps(char *at, size_t n, const struct index_stamps *now)
{
	struct store_tables_head *h = (void *)at;
	struct store_extent *e = &h->section[STORE_STAMPS];
	if (n < sizeof *h || e->rows != now->at.n || e->offset > n || e->rows * sizeof(struct store_stamp) > n - e->offset)
		return WEFT_E_DAMAGED;
	struct store_stamp *row = (void *)(at + e->offset);
	for (size_t i = 0; i < e->rows; i++) {
		row[i].bytes = now->at.at[i].bytes;
		row[i].mtime_ns = now->at.at[i].mtime_ns;
		row[i].ctime_ns = now->at.at[i].ctime_ns;
		row[i].inode = now->at.at[i].inode;
		row[i].sum = now->at.at[i].sum;
	}
	e->crc = weft_crc32c(0, row, e->rows * sizeof *row);
	uint64_t verified = h->verified;
	h->verified = 0;
	h->crc = weft_crc32c(0, h, offsetof(struct store_tables_head, crc));
	h->verified = verified;
	return 0;
}

int index_restamp(const char *path, const struct index_stamps *before)
{
	struct weft_trace *t;
	struct index_stamps now = {0};
	struct weft_replace out;
	char *dir = index_dir_of(path), *tables = NULL, *at = NULL;
	size_t n;
	int rc = !dir || asprintf(&tables, "%s/" STORE_TABLES_NAME, dir) < 0 ? -ENOMEM : index_open(&t, path, before, 0, NULL);
	if (rc) {
		free(tables);
		free(dir);
		return rc == -ENOMEM ? rc : 0; /* no index that was current */
	}
	weft_trace_close(t);
	rc = index_stamps_take(&now, path, NULL);
	if (!rc)
		rc = index_stamps_sum(&now, path);
	if (!rc)
		rc = weft_read_file(tables, &at, &n, NULL);
	if (!rc)
		rc = patch_stamps(at, n, &now);
	if (!rc)
		rc = index_file_begin(&out, dir, STORE_TABLES_NAME);
	if (!rc && (rc = weft_write_all(out.fd, at, n, 0)))
		weft_replace_abandon(&out);
	else if (!rc)
		rc = weft_replace_commit(&out, WEFT_REPLACE_SYNC);
	free(at);
	free(tables);
	free(dir);
	index_stamps_fini(&now);
	return rc;
}
