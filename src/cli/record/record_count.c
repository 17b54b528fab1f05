/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What libweft has written, counted page by page without building an index: for the line at the end of `weft record`. Of a large
 * stream a part of the pages is looked at, spread evenly, and the rest is estimated from it.
 */
#include "base/fs.h"
#include "base/str.h"
#include "format/format.h"
#include "record_run.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGES_LOOKED_AT 16384u /* 64 MB: some 0.1 s */

static uint64_t count_page(const struct weft_page *p, uint32_t *threads)
{
	struct weft_page_walk w;
	struct weft_record r;
	uint64_t n = 0;
	enum weft_page_verdict v = weft_page_begin(&w, p, false);
	if (v == WEFT_PAGE_EMPTY || v == WEFT_PAGE_BAD || p->type != WEFT_PAGE_EVENTS)
		return 0;
	if (p->thread > *threads)
		*threads = p->thread;
	while (weft_page_next(&w, &r) > 0)
		n += r.kind < WEFT_EV_DEF_STRING;
	return n;
}

static bool is_head(const struct weft_stream_head *h)
{
	return memcmp(h->magic, WEFT_STREAM_MAGIC, sizeof h->magic) == 0 && h->page_bytes == WEFT_PAGE_BYTES;
}

bool record_read_head(const char *path, struct weft_stream_head *h)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool good = fd >= 0 && pread(fd, h, sizeof *h, 0) == (ssize_t)sizeof *h && is_head(h);
	if (fd >= 0)
		close(fd);
	return good;
}

/* By reads: a hole of a file in a full tmpfs that is mapped cannot be read, and would end us. */
static uint64_t count_pages(struct record_totals *t, int fd, uint64_t pages)
{
	_Alignas(8) unsigned char at[WEFT_PAGE_BYTES];
	uint64_t step = pages / PAGES_LOOKED_AT + 1, events = 0, looked = 0;
	uint32_t threads = 0;
	for (uint64_t i = 1; i < pages; i += step, looked++)
		if (pread(fd, at, sizeof at, (off_t)(i * sizeof at)) == (ssize_t)sizeof at)
			events += count_page((const struct weft_page *)(void *)at, &threads);
	t->threads += threads;
	t->estimated = t->estimated || step > 1;
	return step == 1 || !looked ? events : (uint64_t)((double)events * (double)(pages - 1) / (double)looked);
}

void record_count_stream(struct record_totals *t, const char *path)
{
	struct weft_stream_head h;
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0 && pread(fd, &h, sizeof h, 0) == (ssize_t)sizeof h && is_head(&h)) {
		t->events += count_pages(t, fd, (uint64_t)st.st_size / WEFT_PAGE_BYTES);
		if (t->ask_categories)
			record_note_categories(&t->categories, fd, (uint64_t)st.st_size / WEFT_PAGE_BYTES);
		t->streams++;
		t->bytes += (uint64_t)st.st_size;
		t->dropped += h.dropped;
		if (h.state == WEFT_STREAM_FULL)
			t->reason = h.reason ? (int)h.reason : t->reason;
		t->limit |= h.state == WEFT_STREAM_FULL && !h.reason;
	}
	close(fd);
}

int record_list_streams(const char *dir, const char *except, char ***paths)
{
	int kept = 0;
	int n = weft_list_dir(dir, paths, NULL);
	for (int i = 0; i < n; i++) {
		char *name = (*paths)[i], *path = NULL;
		size_t len = strlen(name);
		bool stream = len > 7 && strcmp(name + len - 7, ".stream") == 0 && (!except || strcmp(name, except) != 0);
		if (stream && asprintf(&path, "%s/%s", dir, name) < 0)
			path = NULL;
		free(name);
		if (path)
			(*paths)[kept++] = path;
	}
	return n < 0 ? n : kept;
}

unsigned record_count_missing(const char *dir, char *reason, size_t room)
{
	char **names;
	unsigned found = 0;
	int n = weft_list_dir(dir, &names, NULL);
	for (int i = 0; i < n; i++) {
		char *path;
		if (!weft_glob("*" WEFT_STREAM_MISSING, names[i]) || asprintf(&path, "%s/%s", dir, names[i]) < 0)
			continue;
		ssize_t length = readlink(path, reason, room - 1);
		reason[length > 0 ? length : 0] = '\0';
		found++;
		free(path);
	}
	if (n >= 0)
		weft_list_free(names, n);
	return found;
}

void record_list_into(struct record_stream *s, const char *dir, const char *own)
{
	char **paths;
	int n = record_list_streams(dir, own, &paths);
	for (int i = 0; i < n; i++) {
		struct weft_stream_head h;
		const char *name = strrchr(paths[i], '/') + 1;
		if (!record_read_head(paths[i], &h))
			continue;
		uint64_t word[2] = {h.pages, h.sum};
		struct weft_record r = {record_stream_ticks(s), WEFT_EV_STREAM, 0, 2, word};
		record_stream_meta(s, &r, name, strlen(name));
	}
	if (n >= 0)
		weft_list_free(paths, n);
}

unsigned record_signal_recorders(const char *dir, const char *host, int sig)
{
	char **paths;
	unsigned sent = 0;
	size_t host_bytes = strlen(host);
	int n = record_list_streams(dir, NULL, &paths);
	for (int i = 0; i < n; i++) {
		struct weft_stream_head h;
		const char *name = strrchr(paths[i], '/') + 1;
		if (strncmp(name, host, host_bytes) != 0 || name[host_bytes] != '-')
			continue;
		bool records = record_read_head(paths[i], &h) && h.state == WEFT_STREAM_OPEN && (pid_t)h.pid != getpid();
		sent += records && kill((pid_t)h.pid, sig) == 0;
	}
	if (n >= 0)
		weft_list_free(paths, n);
	return sent;
}
