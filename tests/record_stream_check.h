/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For tests of the recorder: a small reader of stream files, straight on the page walk of format.h and independent of src/trace,
 * that notices all that is wrong in one.
 */
#ifndef WEFT_TESTS_RECORD_STREAM_CHECK_H
#define WEFT_TESTS_RECORD_STREAM_CHECK_H

#include "format/crc.h"
#include "format/format.h"
#include "harness.h"
#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct stream_file {
	struct weft_stream_head head;
	uint8_t *at; /* the file */
	size_t bytes, disk_bytes;
	const struct weft_page **page; /* those that hold something, by thread (0: meta) and seq */
	uint32_t n_pages, n_open, n_sealed, copies;
	char path[1000];
	/* What is wrong. */
	uint32_t bad_pages, bad_records, gaps, twice, back;
};

static inline int stream_order(const void *x, const void *y)
{
	const struct weft_page *a = *(const struct weft_page *const *)x, *b = *(const struct weft_page *const *)y;
	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	return a->seq < b->seq ? -1 : a->seq > b->seq;
}

static inline void stream_free(struct stream_file *f)
{
	free(f->page);
	if (f->at)
		munmap(f->at, f->bytes);
	*f = (struct stream_file){0};
}

static inline void stream_sort(struct stream_file *f)
{
	for (size_t i = 1; i < f->bytes / WEFT_PAGE_BYTES; i++) {
		const struct weft_page *p = (const struct weft_page *)(f->at + i * WEFT_PAGE_BYTES);
		struct weft_page_walk w;
		enum weft_page_verdict v = weft_page_begin(&w, p, true);
		f->bad_pages += v == WEFT_PAGE_BAD;
		f->n_open += v == WEFT_PAGE_OPEN && p->word[0];
		f->n_sealed += v == WEFT_PAGE_GOOD;
		if (v == WEFT_PAGE_GOOD || (v == WEFT_PAGE_OPEN && p->word[0]))
			f->page[f->n_pages++] = p;
	}
	if (f->n_pages)
		qsort(f->page, f->n_pages, sizeof *f->page, stream_order);
	uint32_t kept = 0;
	for (uint32_t i = 0; i < f->n_pages; i++) {
		/* A copy of a finished page: the process was killed before the other was used again. */
		const struct weft_page *a = kept ? f->page[kept - 1] : NULL, *b = f->page[i];
		bool copy = a && a->thread == b->thread && a->seq == b->seq && a->base == b->base &&
		            memcmp(a->word, b->word, sizeof a->word) == 0;
		f->copies += copy;
		if (!copy)
			f->page[kept++] = f->page[i];
	}
	f->n_pages = kept;
	for (uint32_t i = 0; i < f->n_pages; i++) {
		const struct weft_page *p = f->page[i], *last = i && f->page[i - 1]->thread == p->thread ? f->page[i - 1] : NULL;
		bool ring = f->head.flags & WEFT_STREAM_RING && p->thread;
		f->twice += last && last->seq == p->seq;
		f->gaps += !ring && p->seq > (last ? last->seq + 1 : 0);
	}
}

static inline bool stream_load(struct stream_file *f, const char *path)
{
	*f = (struct stream_file){0};
	snprintf(f->path, sizeof f->path, "%s", path);
	int fd = open(path, O_RDONLY);
	struct stat st;
	if (fd < 0)
		return false;
	if (fstat(fd, &st) == 0 && st.st_size >= (off_t)WEFT_PAGE_BYTES) {
		f->bytes = (size_t)st.st_size;
		f->disk_bytes = (size_t)st.st_blocks * 512;
		/* A private copy, for the file may still be written. */
		f->at = mmap(NULL, f->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		for (size_t n = 0; n < f->bytes;) {
			ssize_t got = read(fd, f->at + n, f->bytes - n);
			if (got <= 0)
				break;
			n += (size_t)got;
		}
		f->page = calloc(f->bytes / WEFT_PAGE_BYTES, sizeof *f->page);
	}
	close(fd);
	if (!f->page)
		return false;
	memcpy(&f->head, f->at, sizeof f->head);
	if (memcmp(f->head.magic, WEFT_STREAM_MAGIC, 8) ||
	    f->head.crc != weft_crc32c(0, &f->head, offsetof(struct weft_stream_head, crc)))
		return false;
	stream_sort(f);
	return true;
}

/* The i-th (from 0) stream of a folder, in no particular order. False: there is none, or it has no good header. */
__attribute__((format(printf, 3, 4), unused)) static bool stream_load_in(struct stream_file *f, unsigned i, const char *dir, ...)
{
	char folder[400], path[900] = "";
	va_list args;
	va_start(args, dir);
	vsnprintf(folder, sizeof folder, dir, args);
	va_end(args);
	DIR *d = opendir(folder);
	*f = (struct stream_file){0};
	if (!d)
		return false;
	for (struct dirent *e; (e = readdir(d)) != NULL;) {
		size_t n = strlen(e->d_name);
		if (n > 7 && strcmp(e->d_name + n - 7, ".stream") == 0 && i-- == 0) {
			snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
			break;
		}
	}
	closedir(d);
	return *path && stream_load(f, path);
}

__attribute__((format(printf, 1, 2), unused)) static unsigned stream_count_in(const char *dir, ...)
{
	char folder[400];
	unsigned n = 0;
	va_list args;
	va_start(args, dir);
	vsnprintf(folder, sizeof folder, dir, args);
	va_end(args);
	DIR *d = opendir(folder);
	if (!d)
		return 0;
	for (struct dirent *e; (e = readdir(d)) != NULL;) {
		size_t len = strlen(e->d_name);
		n += len > 7 && strcmp(e->d_name + len - 7, ".stream") == 0;
	}
	closedir(d);
	return n;
}

/* Every record, thread by thread in order; thread 0 are the meta pages. Counts what is wrong on the way. */
static inline void stream_visit(struct stream_file *f, void (*visit)(void *arg, uint32_t thread, const struct weft_record *r),
                                void *arg)
{
	uint64_t last = 0;
	f->bad_records = f->back = 0;
	for (uint32_t i = 0; i < f->n_pages; i++) {
		struct weft_page_walk w;
		struct weft_record r;
		int rc;
		if (!i || f->page[i]->thread != f->page[i - 1]->thread)
			last = 0;
		weft_page_begin(&w, f->page[i], false);
		while ((rc = weft_page_next(&w, &r)) == 1) {
			f->back += r.ticks < last;
			last = r.ticks;
			if (visit)
				visit(arg, f->page[i]->thread, &r);
		}
		f->bad_records += rc < 0;
	}
}

/* Whole and in order; `open`: pages of living or killed threads may be unsealed. Says what is wrong. */
static inline bool stream_is_good(struct stream_file *f)
{
	stream_visit(f, NULL, NULL);
	bool good = !f->bad_pages && !f->bad_records && !f->gaps && !f->twice && !f->back;
	if (!good)
		printf("# %s: %u bad pages, %u bad records, %u gaps, %u twice, %u back in time\n", f->path, f->bad_pages,
		       f->bad_records, f->gaps, f->twice, f->back);
	return good;
}

struct stream_counts {
	uint64_t of[256];
	uint64_t dropped; /* as DROPPED records say */
};
static inline void stream_count_one(void *arg, uint32_t thread, const struct weft_record *r)
{
	struct stream_counts *c = arg;
	(void)thread;
	c->of[r->kind]++;
	if (r->kind == WEFT_EV_DROPPED && r->n)
		c->dropped += r->payload[0];
}
static inline struct stream_counts stream_count(struct stream_file *f)
{
	struct stream_counts c = {{0}, 0};
	stream_visit(f, stream_count_one, &c);
	return c;
}

/* The n-th record of a kind (of all threads); payload borrows from f. */
struct stream_find {
	uint32_t kind, left, thread;
	bool found;
	struct weft_record r;
};
static inline void stream_find_one(void *arg, uint32_t thread, const struct weft_record *r)
{
	struct stream_find *f = arg;
	if (r->kind == f->kind && !f->found && f->left-- == 0) {
		f->found = true;
		f->r = *r;
		f->thread = thread;
	}
}
static inline struct stream_find stream_find(struct stream_file *f, uint32_t kind, uint32_t nth)
{
	struct stream_find found = {.kind = kind, .left = nth};
	stream_visit(f, stream_find_one, &found);
	return found;
}

/* The definition of `kind` with this name, whose bytes follow `words` words; its id, or 0. */
struct stream_named {
	uint32_t kind, words, id, times;
	const char *name;
	uint64_t word[4];
};
static inline void stream_named_one(void *arg, uint32_t thread, const struct weft_record *r)
{
	struct stream_named *f = arg;
	const char *at;
	uint32_t n;
	(void)thread;
	if (r->kind != f->kind || !weft_record_bytes(r, f->words, &at, &n) || n != strlen(f->name) || memcmp(at, f->name, n))
		return;
	f->id = r->id;
	f->times++;
	memcpy(f->word, r->payload, (f->words < 4 ? f->words : 4) * sizeof *f->word);
}
static inline struct stream_named stream_named(struct stream_file *f, uint32_t kind, uint32_t words, const char *name)
{
	struct stream_named found = {.kind = kind, .words = words, .name = name};
	stream_visit(f, stream_named_one, &found);
	return found;
}

#endif
