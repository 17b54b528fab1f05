/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packed streams. Packing reads 64 pages at a time and writes a frame for them; several frames are compressed at once. Unpacking
 * first lists the frames, then unpacks them side by side to where each belongs; the stream reader does the same into an unnamed
 * file (small ones: into memory), so that packed streams cost it one more pass and nothing else.
 */
#include "pack_frame.h"
#include "trace/store/index_files.h"
#include "format/crc.h"
#include "base/fs.h"
#include "base/pool.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <zstd.h>

#define FRAME_BYTES (WEFT_PACK_PAGES * WEFT_PAGE_BYTES)
#define BATCH 64u /* frames that are compressed before they are written in order */
#define IN_MEMORY (16u << 20)

struct frame {
	uint64_t offset; /* of its data in the packed file */
	uint64_t to;     /* where its pages begin */
	uint32_t raw_bytes, packed_bytes, crc;
};

bool pack_has_frames(const struct stream_bytes *b)
{
	struct weft_pack_frame room;
	const struct weft_pack_frame *f = stream_bytes_at(b, WEFT_PAGE_BYTES, sizeof room, &room);
	return f && f->magic == WEFT_PACK_MAGIC && f->raw_bytes <= FRAME_BYTES;
}

static uint64_t pack_padded(uint64_t n)
{
	return (n + 7) & ~7ull;
}

/* ---- unpacking ---- */

struct unpacking {
	const struct stream_bytes *from;
	WEFT_VEC(struct frame) frame;
	uint64_t bytes; /* of the unpacked file */
	uint64_t lost_at, lost;
	int fd; /* or memory */
	uint8_t *at;
	char **room;      /* by worker: packed and raw bytes */
	uint8_t *damaged; /* by frame */
};

/* Finds the frames; what is no frame is skipped in steps of 8 bytes up to the next one. */
static int list_frames(struct unpacking *u)
{
	uint64_t at = WEFT_PAGE_BYTES;
	u->bytes = WEFT_PAGE_BYTES;
	while (at + sizeof(struct weft_pack_frame) <= u->from->n) {
		struct weft_pack_frame room;
		const struct weft_pack_frame *f = stream_bytes_at(u->from, at, sizeof room, &room);
		bool good = f && f->magic == WEFT_PACK_MAGIC && f->raw_bytes > 0 && f->raw_bytes <= FRAME_BYTES &&
		            f->packed_bytes <= ZSTD_COMPRESSBOUND(FRAME_BYTES) &&
		            f->packed_bytes <= u->from->n - at - sizeof room;
		if (!good) {
			if (!f)
				return -EIO;
			u->lost_at = u->lost_at ? u->lost_at : at;
			u->lost += 8;
			at += 8;
			continue;
		}
		struct frame row = {at + sizeof room, u->bytes, f->raw_bytes, f->packed_bytes, f->crc};
		if (weft_vec_push(&u->frame, row))
			return -ENOMEM;
		u->bytes += f->raw_bytes;
		at += sizeof room + pack_padded(f->packed_bytes);
	}
	return 0;
}

static int unpack_one(void *arg, size_t i, unsigned worker)
{
	struct unpacking *u = arg;
	const struct frame *f = &u->frame.at[i];
	if (!u->room[worker] && !(u->room[worker] = malloc(ZSTD_COMPRESSBOUND(FRAME_BYTES) + FRAME_BYTES)))
		return -ENOMEM;
	char *raw = u->room[worker] + ZSTD_COMPRESSBOUND(FRAME_BYTES);
	const void *packed = stream_bytes_at(u->from, f->offset, f->packed_bytes, u->room[worker]);
	if (!packed || weft_crc32c(0, packed, f->packed_bytes) != f->crc ||
	    ZSTD_decompress(raw, FRAME_BYTES, packed, f->packed_bytes) != f->raw_bytes) {
		u->damaged[i] = 1;
		return 0;
	}
	if (u->at) {
		memcpy(u->at + f->to, raw, f->raw_bytes);
		return 0;
	}
	return weft_write_all(u->fd, raw, f->raw_bytes, f->to);
}

/* Everything but the header page; the target (fd or memory of u->bytes) is there. */
static int unpack_all(struct unpacking *u, unsigned threads)
{
	unsigned width = threads ? threads : weft_pool_width();
	u->room = calloc(width, sizeof *u->room);
	u->damaged = calloc(u->frame.n + 1, 1);
	int rc = u->room && u->damaged ? weft_parallel(width, u->frame.n, unpack_one, u) : -ENOMEM;
	for (unsigned i = 0; u->room && i < width; i++)
		free(u->room[i]);
	free(u->room);
	u->room = NULL;
	return rc;
}

static void unpacking_fini(struct unpacking *u)
{
	free(u->frame.at);
	free(u->damaged);
}

/* The header page as it was before packing. */
static bool plain_head(const struct stream_bytes *from, char page[WEFT_PAGE_BYTES])
{
	char room[WEFT_PAGE_BYTES];
	const void *at = stream_bytes_at(from, 0, WEFT_PAGE_BYTES, room);
	if (!at)
		return false;
	memcpy(page, at, WEFT_PAGE_BYTES);
	struct weft_stream_head h;
	memcpy(&h, page, sizeof h);
	h.flags &= ~(uint32_t)WEFT_STREAM_PACKED;
	h.crc = weft_crc32c(0, &h, offsetof(struct weft_stream_head, crc));
	memcpy(page, &h, sizeof h);
	return true;
}

static int report_damage(struct stream *s, const struct unpacking *u)
{
	int rc = u->lost ? stream_problem(s, "frame-missing", u->lost_at, u->lost, "no packed frame here; %llu bytes skipped",
	                                  (unsigned long long)u->lost)
	                 : 0;
	for (size_t i = 0; !rc && i < u->frame.n; i++)
		if (u->damaged[i])
			rc = stream_problem(s, "frame-damaged", u->frame.at[i].offset, u->frame.at[i].raw_bytes,
			                    "packed frame %zu is damaged; %u bytes lost", i, u->frame.at[i].raw_bytes);
	return rc;
}

int pack_unpack_bytes(struct stream *s, struct weft_err *err)
{
	struct unpacking u = {.from = &s->bytes, .fd = -1};
	int rc = list_frames(&u);
	if (!rc && u.bytes <= IN_MEMORY)
		rc = (u.at = calloc(1, u.bytes)) ? 0 : -ENOMEM;
	else if (!rc)
		rc = (u.fd = spill_file()) < 0 ? u.fd : ftruncate(u.fd, (off_t)u.bytes) ? -errno : 0;
	if (!rc)
		rc = unpack_all(&u, s->b->threads);
	if (!rc)
		rc = report_damage(s, &u);
	if (rc) {
		free(u.at);
		if (u.fd >= 0)
			close(u.fd);
		unpacking_fini(&u);
		return weft_err_set(err, rc, "cannot unpack '%s': %s", s->name, weft_err_name(rc));
	}
	uint64_t stored = s->bytes.stored;
	stream_bytes_close(&s->bytes);
	s->bytes = (struct stream_bytes){.fd = u.fd, .at = u.at, .owned = u.at, .n = u.bytes, .stored = stored};
	unpacking_fini(&u);
	return 0;
}

/* ---- files ---- */

bool pack_is_live(const struct stream_bytes *b, const struct weft_stream_head *h)
{
	char path[40], line[512], want[64];
	struct stat st;
	if (h->state == WEFT_STREAM_CLOSED || b->fd < 0 || fstat(b->fd, &st))
		return false;
	snprintf(path, sizeof path, "/proc/%u/maps", h->pid);
	snprintf(want, sizeof want, " %02x:%02x %llu ", major(st.st_dev), minor(st.st_dev), (unsigned long long)st.st_ino);
	FILE *f = fopen(path, "re");
	bool found = false;
	while (f && !found && fgets(line, sizeof line, f))
		found = strstr(line, want) != NULL;
	if (f)
		fclose(f);
	return found;
}

/* Opens the stream and reads its header; 1 when it is already as wanted. */
static int open_stream(const char *path, bool pack, struct stream_bytes *b, struct weft_stream_head *h, struct weft_err *err)
{
	int rc = stream_bytes_open(b, path, err);
	if (rc)
		return rc;
	char room[sizeof *h];
	const void *at = stream_bytes_at(b, 0, sizeof *h, room);
	if (!at || memcmp(at, WEFT_STREAM_MAGIC, 8) != 0)
		return weft_err_set(err, WEFT_E_SYNTAX, "cannot %s '%s': no stream of Weft", pack ? "pack" : "unpack", path);
	memcpy(h, at, sizeof *h);
	if (weft_crc32c(0, h, offsetof(struct weft_stream_head, crc)) != h->crc)
		return weft_err_set(err, WEFT_E_DAMAGED, "cannot %s '%s': its header is damaged", pack ? "pack" : "unpack", path);
	if (!(h->flags & WEFT_STREAM_PACKED) == !pack)
		return 1;
	if (pack_is_live(b, h))
		return weft_err_set(err, -EBUSY, "cannot pack '%s': process %u still records into it", path, h->pid);
	return 0;
}

/* Begins the file that takes the place of `path`, which is `from`. */
static int replace_begin(struct weft_replace *r, const char *path, const struct stream_bytes *from, struct weft_err *err)
{
	struct stat st;
	int rc = fstat(from->fd, &st) ? -errno : weft_replace_open(r, path, st.st_mode & 0600);
	if (!rc && fchmod(r->fd, st.st_mode & 0777)) {
		rc = -errno;
		weft_replace_abandon(r);
	}
	return rc ? weft_err_sys(err, -rc, "cannot write beside '%s'", path) : 0;
}

static int replace_end(struct weft_replace *r, const char *path, int rc, struct weft_err *err)
{
	if (rc)
		weft_replace_abandon(r);
	else if ((rc = weft_replace_commit(r, WEFT_REPLACE_SYNC)))
		weft_err_sys(err, -rc, "cannot replace '%s'", path);
	return rc;
}

struct packing {
	const struct stream_bytes *from;
	uint64_t first, end; /* of this batch */
	int level;
	struct {
		char *at; /* header, data, padding */
		size_t n;
	} frame[BATCH];
};

static int pack_one(void *arg, size_t i, unsigned worker)
{
	struct packing *p = arg;
	(void)worker;
	uint64_t from = p->first + i * FRAME_BYTES;
	size_t raw_bytes = p->end - from < FRAME_BYTES ? (size_t)(p->end - from) : FRAME_BYTES;
	size_t room = sizeof(struct weft_pack_frame) + ZSTD_COMPRESSBOUND(FRAME_BYTES) + 8;
	char *raw = malloc(FRAME_BYTES);
	if (!p->frame[i].at)
		p->frame[i].at = malloc(room);
	char *to = p->frame[i].at;
	int rc = raw && to ? 0 : -ENOMEM;
	const void *at = rc ? NULL : stream_bytes_at(p->from, from, raw_bytes, raw);
	if (!rc && !at)
		rc = -EIO;
	if (!rc) {
		size_t n = ZSTD_compress(to + sizeof(struct weft_pack_frame), ZSTD_COMPRESSBOUND(FRAME_BYTES), at, raw_bytes,
		                         p->level);
		if (ZSTD_isError(n)) {
			rc = -ENOMEM;
		} else {
			struct weft_pack_frame f = {.magic = WEFT_PACK_MAGIC,
			                            .raw_bytes = (uint32_t)raw_bytes,
			                            .packed_bytes = (uint32_t)n};
			f.crc = weft_crc32c(0, to + sizeof f, n);
			memcpy(to, &f, sizeof f);
			memset(to + sizeof f + n, 0, pack_padded(n) - n);
			p->frame[i].n = sizeof f + pack_padded(n);
		}
	}
	free(raw);
	return rc;
}

static int pack_to(int fd, const struct stream_bytes *from, const struct weft_stream_head *head, int level, unsigned threads)
{
	char page[WEFT_PAGE_BYTES];
	const void *at = stream_bytes_at(from, 0, WEFT_PAGE_BYTES, page);
	if (!at)
		return -EIO;
	struct weft_stream_head h = *head;
	h.flags |= WEFT_STREAM_PACKED;
	h.crc = weft_crc32c(0, &h, offsetof(struct weft_stream_head, crc));
	memmove(page, at, WEFT_PAGE_BYTES);
	memcpy(page, &h, sizeof h);
	struct packing *p = calloc(1, sizeof *p);
	uint64_t to = WEFT_PAGE_BYTES;
	int rc = p ? weft_write_all(fd, page, sizeof page, 0) : -ENOMEM;
	for (uint64_t first = WEFT_PAGE_BYTES; !rc && first < from->n; first += (uint64_t)BATCH * FRAME_BYTES) {
		p->from = from;
		p->first = first;
		p->end = from->n;
		p->level = level;
		uint64_t left = (from->n - first + FRAME_BYTES - 1) / FRAME_BYTES, n = left < BATCH ? left : BATCH;
		rc = weft_parallel(threads, n, pack_one, p);
		for (uint64_t i = 0; !rc && i < n; i++) {
			rc = weft_write_all(fd, p->frame[i].at, p->frame[i].n, to);
			to += p->frame[i].n;
		}
	}
	for (unsigned i = 0; p && i < BATCH; i++)
		free(p->frame[i].at);
	free(p);
	return rc;
}

static int pack_file(const char *path, int level, unsigned threads, struct weft_err *err)
{
	struct stream_bytes b = {.fd = -1};
	struct weft_stream_head h;
	struct weft_replace r = {0};
	int rc = open_stream(path, true, &b, &h, err);
	if (!rc && b.n < WEFT_PAGE_BYTES)
		rc = weft_err_set(err, WEFT_E_DAMAGED, "cannot pack '%s': it ends inside its first page", path);
	if (!rc) {
		rc = replace_begin(&r, path, &b, err);
		if (!rc && (rc = pack_to(r.fd, &b, &h, level ? level : 3, threads)))
			weft_err_sys(err, -rc, "cannot pack '%s'", path);
		rc = replace_end(&r, path, rc, err);
	}
	stream_bytes_close(&b);
	return rc;
}

static int unpack_file(const char *path, unsigned threads, struct weft_err *err)
{
	struct stream_bytes b = {.fd = -1};
	struct weft_stream_head h;
	struct weft_replace r = {0};
	char page[WEFT_PAGE_BYTES];
	int rc = open_stream(path, false, &b, &h, err);
	if (!rc) {
		struct unpacking u = {.from = &b};
		rc = replace_begin(&r, path, &b, err);
		u.fd = r.fd;
		if (!rc && ((rc = list_frames(&u)) || (rc = ftruncate(r.fd, (off_t)u.bytes) ? -errno : unpack_all(&u, threads))))
			weft_err_sys(err, -rc, "cannot unpack '%s'", path);
		for (size_t i = 0; !rc && i < u.frame.n; i++)
			if (u.damaged[i])
				rc = weft_err_set(err, WEFT_E_DAMAGED,
				                  "cannot unpack '%s': frame %zu is damaged (it can still be read as it is)",
				                  path, i);
		if (!rc && u.lost)
			rc = weft_err_set(err, WEFT_E_DAMAGED,
			                  "cannot unpack '%s': no frame at byte %llu (it can still be read as it is)", path,
			                  (unsigned long long)u.lost_at);
		if (!rc && (!plain_head(&b, page) || (rc = weft_write_all(r.fd, page, sizeof page, 0))))
			rc = weft_err_sys(err, EIO, "cannot unpack '%s'", path);
		rc = replace_end(&r, path, rc, err);
		unpacking_fini(&u);
	}
	stream_bytes_close(&b);
	return rc;
}

int weft_stream_pack(const char *stream_path, int level, struct weft_err *err)
{
	int rc = pack_file(stream_path, level, 0, err);
	return rc > 0 ? 0 : rc;
}

int weft_stream_unpack(const char *stream_path, struct weft_err *err)
{
	int rc = unpack_file(stream_path, 0, err);
	return rc > 0 ? 0 : rc;
}

/* All streams of a folder, one after the other: each uses all threads. Files that are no streams are left alone. */
static int change_all(const char *path, bool pack, int level, unsigned threads, struct weft_pack_totals *totals,
                      struct weft_err *err)
{
	struct index_stamps before, after = {0};
	*totals = (struct weft_pack_totals){0};
	int rc = index_stamps_take(&before, path, err);
	if (!rc)
		rc = index_stamps_sum(&before, path);
	totals->n_streams = before.at.n;
	totals->bytes_before = before.bytes;
	for (size_t i = 0; rc >= 0 && i < before.at.n; i++) {
		char *file;
		if (asprintf(&file, weft_is_dir(path) ? "%s/%s" : "%s", path, before.at.at[i].name) < 0) {
			rc = weft_err_set(err, -ENOMEM, "out of memory");
			break;
		}
		rc = pack ? pack_file(file, level, threads, err) : unpack_file(file, threads, err);
		totals->n_changed += rc == 0;
		free(file);
	}
	if (rc > 0)
		rc = 0;
	/* What has been done stays done: the index is told in either case. */
	if (totals->n_changed) {
		int told = index_restamp(path, &before);
		if (!rc && told)
			rc = weft_err_set(err, told, "cannot renew the index of '%s': %s", path, weft_err_name(told));
	}
	if (!index_stamps_take(&after, path, NULL))
		totals->bytes_after = after.bytes;
	index_stamps_fini(&before);
	index_stamps_fini(&after);
	return rc;
}

int weft_trace_pack(const char *path, int level, unsigned threads, struct weft_pack_totals *totals, struct weft_err *err)
{
	return change_all(path, true, level, threads, totals, err);
}

int weft_trace_unpack(const char *path, unsigned threads, struct weft_pack_totals *totals, struct weft_err *err)
{
	return change_all(path, false, 0, threads, totals, err);
}
