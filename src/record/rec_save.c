/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A snapshot of the stream into another trace, while recording goes on: what the flight recorder is for.
 *
 * First a list of all pages, then a copy of each, the youngest first: pages are used again from the oldest on, so what is lost
 * meanwhile is the old end of each thread, and there are no gaps. Pages begun since the list was made are left out.
 *
 * A page is copied word by word in the order of addresses. A record's head is stored after its payload, so a head that is seen
 * has its payload; what is copied after the last head is cut off. A page that is begun anew meanwhile changes its head before
 * its records (rec_page_begin): when the head is the same before and after, so was all between.
 */
#include "rec_priv.h"
#include "format/crc.h"
#include "base/replace.h"
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BATCH 64u

struct save_item { /* a page of the stream */
	uint64_t base;
	uint32_t page, thread, seq;
};

struct save { /* mapped: a handler may be on a small stack */
	char name[PATH_MAX];
	struct weft_replace file;
	struct save_item *item;
	uint32_t n_items, room;
	struct weft_page *page; /* BATCH of them */
	uint32_t n;
	struct weft_stream_head head; /* as it will be: with pages and sum */
};

/* Beside instrumented writers that cannot be atomic. In order: the loads are volatile, and this machine does not reorder loads. */
REC_RACY static void save_copy_words(uint64_t *to, const volatile uint64_t *from, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		to[i] = from[i];
		weft_fence_acquire();
	}
}

struct save_head { /* the first bytes of a weft_page */
	uint32_t magic;
	uint8_t type, flags;
	uint16_t zero;
	uint32_t thread, seq;
	uint64_t base;
	uint32_t used, crc;
};
_Static_assert(sizeof(struct save_head) == WEFT_PAGE_HEAD, "page head layout");

static struct save_head save_head_of(const struct weft_page *page)
{
	uint64_t word[WEFT_PAGE_HEAD / 8];
	struct save_head head;
	save_copy_words(word, (const uint64_t *)page, sizeof word / 8);
	memcpy(&head, word, sizeof head);
	return head;
}

/* False: it is another page now, or has no records. */
static bool save_copy_page(struct weft_page *to, const struct weft_page *from, const struct save_item *want)
{
	struct weft_page_walk w;
	struct weft_record r;
	save_copy_words((uint64_t *)to, (const uint64_t *)from, sizeof *to / 8);
	struct save_head after = save_head_of(from);
	if (to->thread != want->thread || to->seq != want->seq || after.thread != want->thread || after.seq != want->seq)
		return false;
	to->flags = 0;
	if (weft_page_begin(&w, to, false) != WEFT_PAGE_OPEN || !*w.at)
		return false;
	while (weft_page_next(&w, &r) == 1)
		;
	uint32_t used = (uint32_t)((const char *)w.at - (const char *)to);
	memset((char *)to + used, 0, WEFT_PAGE_BYTES - used);
	weft_page_seal(to, used);
	return true;
}

static int save_flush(struct save *o)
{
	const char *at = (const char *)o->page;
	size_t left = (size_t)o->n * WEFT_PAGE_BYTES;
	while (left) {
		ssize_t n = write(o->file.fd, at, left);
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0) {
			at += n;
			left -= (size_t)n;
		}
	}
	o->n = 0;
	return 0;
}

static bool save_older(const struct save_item *a, const struct save_item *b)
{
	return a->base < b->base;
}

/* Heap sort, the youngest first: in place, and without the allocations of qsort. O(n log n). */
static void save_sink(struct save_item *at, uint32_t i, uint32_t n)
{
	struct save_item it = at[i];
	for (uint32_t child; (child = 2 * i + 1) < n; i = child) {
		if (child + 1 < n && save_older(&at[child + 1], &at[child]))
			child++;
		if (!save_older(&at[child], &it))
			break;
		at[i] = at[child];
	}
	at[i] = it;
}

static void save_sort(struct save_item *at, uint32_t n)
{
	for (uint32_t i = n / 2; i-- > 0;)
		save_sink(at, i, n);
	while (n > 1) {
		struct save_item last = at[--n];
		at[n] = at[0];
		at[0] = last;
		save_sink(at, 0, n);
	}
}

/* The time first, then how long the file is: of a ring that still grows no page of before that time is overlooked. */
static int save_list(struct rec_stream *s, struct save *o)
{
	uint64_t now = rec.clock.ticks();
	o->room = rec_space_pages(&s->space);
	o->item = rec_mmap(o->room * sizeof *o->item);
	if (!o->item)
		return -ENOMEM;
	for (uint32_t i = 1; i < o->room; i++) {
		const struct weft_page *from = rec_space_mapped(&s->space, i);
		if (!from)
			continue;
		struct save_head p = save_head_of(from);
		/* One begun since, or just now: others of its thread, in between, may lie where we have been. */
		bool young = p.type == WEFT_PAGE_EVENTS && (p.base > now || !p.base);
		bool nobodys = p.type == WEFT_PAGE_EVENTS && !p.thread;
		if (p.magic == WEFT_PAGE_MAGIC && !young && !nobodys)
			o->item[o->n_items++] = (struct save_item){p.base, i, p.thread, p.seq};
	}
	save_sort(o->item, o->n_items);
	return 0;
}

static int save_pages(struct rec_stream *s, struct save *o)
{
	memset(o->page, 0, WEFT_PAGE_BYTES);
	struct weft_stream_head *h = (struct weft_stream_head *)o->page;
	save_copy_words((uint64_t *)h, (const uint64_t *)s->head, sizeof *h / 8);
	h->state = WEFT_STREAM_CLOSED;
	h->flags |= WEFT_STREAM_SNAPSHOT;
	h->crc = weft_crc32c(0, h, offsetof(struct weft_stream_head, crc));
	h->dropped = rec_threads_dropped();
	h->end_ticks = rec.clock.ticks();
	h->pages = h->sum = 0;
	o->head = *h;
	o->head.pages = o->n = 1;
	int rc = save_list(s, o);
	for (uint32_t i = 0; rc == 0 && i < o->n_items; i++) {
		if (save_copy_page(&o->page[o->n], rec_space_page(&s->space, o->item[i].page), &o->item[i])) {
			o->head.sum += weft_page_mark(&o->page[o->n], o->head.pages++);
			o->n++;
		}
		rc = o->n == BATCH ? save_flush(o) : 0;
	}
	rc = rc ? rc : save_flush(o);
	o->head.sum += weft_stream_sum_begin(&o->head);
	if (rc == 0 && pwrite(o->file.fd, &o->head, sizeof o->head, 0) != (ssize_t)sizeof o->head)
		rc = -EIO;
	return rc;
}

static int save_write(struct rec_stream *s, struct save *o)
{
	int rc = save_pages(s, o);
	if (rc == 0)
		return weft_replace_commit(&o->file, WEFT_REPLACE_SYNC);
	weft_replace_abandon(&o->file);
	return rc;
}

/* A folder whose name is ours, and so is known before, is not followed to where a link leads. */
static int save_begin(struct rec_stream *s, struct save *o, const char *dir)
{
	if (mkdir(dir, 0777) && errno != EEXIST)
		return -errno;
	int folder = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (dir == o->name ? O_NOFOLLOW : 0));
	if (folder < 0)
		return -errno;
	int rc = weft_replace_open_at(&o->file, folder, strrchr(s->space.path, '/') + 1, 0666);
	close(folder);
	return rc;
}

static int save_to(struct rec_stream *s, struct save *o, const char *dir)
{
	int rc = save_begin(s, o, dir);
	if (rc)
		return rc;
	o->page = rec_mmap(BATCH * sizeof *o->page);
	if (o->page)
		rc = save_write(s, o);
	else
		weft_replace_abandon(&o->file);
	rc = o->page ? rc : -ENOMEM;
	rec_munmap(o->item, o->room * sizeof *o->item);
	rec_munmap(o->page, BATCH * sizeof *o->page);
	return rc;
}

/* Beside the trace: run.weft gives run-save1.weft. All processes of a run that are told at once use the same name. */
static int save_name(char *out, size_t room)
{
	size_t n = strlen(rec.dir), suffix = 5;
	bool weft = n > suffix && strcmp(rec.dir + n - suffix, ".weft") == 0;
	if (n + 32 > room)
		return -ENAMETOOLONG;
	char *at = mempcpy(out, rec.dir, weft ? n - suffix : n);
	at = stpcpy(at, "-save");
	at += weft_fmt_u64(at, ++rec.saves);
	strcpy(at, weft ? ".weft" : "");
	return 0;
}

static int save_now(struct rec_stream *s, const char *dir)
{
	struct save *o = rec_mmap(sizeof *o);
	int rc = o ? -EDEADLK : -ENOMEM;
	if (o && rec_lock()) {
		struct rec_sample now = rec_clock_sample();
		rec_meta_clock(s, &now);
		rc = dir ? 0 : save_name(o->name, sizeof o->name);
		rec_unlock();
	}
	if (rc == 0)
		rc = save_to(s, o, dir ? dir : o->name);
	rec_munmap(o, sizeof *o);
	return rc;
}

int rec_save(struct rec_stream *s, const char *dir)
{
	rec_unseen_begin();
	int rc = save_now(s, dir);
	rec_unseen_end();
	return rc;
}

/* By the helper; in a child that has none, here and now. All of it is async-signal-safe. */
void rec_save_on_signal(int sig)
{
	int saved = errno;
	(void)sig;
	if (rec.wiped && weft_load_u32(&rec.wiped->owner)) {
		uint32_t helper = weft_load_u32(&rec.wiped->helper);
		struct rec_stream *s = rec_stream();
		if (helper == REC_HELPER_RUNNING || helper == REC_HELPER_STARTING) {
			weft_store_u32(&rec.wiped->save_asked, 1);
			rec_helper_wake();
		} else if (s && s->space.mode == REC_RING) {
			(void)rec_save(s, NULL);
		}
	}
	errno = saved;
}

bool rec_save_asked(void)
{
	return weft_load_u32(&rec.wiped->save_asked) && weft_swap_u32(&rec.wiped->save_asked, 0);
}

int weft_save(const char *directory)
{
	if (rec_init())
		return -ENOMEM;
	rec_check_process();
	struct rec_stream *s = rec_stream();
	if (!s)
		return -ENOENT;
	/* Of the other modes everything is in the stream already. */
	return s->space.mode == REC_RING ? rec_save(s, directory) : -EOPNOTSUPP;
}
