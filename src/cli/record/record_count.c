/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What libweft has written, counted page by page without building an index: for the line at the end of `weft record`. Of a large
 * stream a part of the pages is looked at, spread evenly, and the rest is estimated from it.
 */
#include "base/fs.h"
#include "format/format.h"
#include "record_run.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

static bool read_head(const struct weft_map_file *f, struct weft_stream_head *h)
{
	if (f->n < sizeof *h)
		return false;
	memcpy(h, f->at, sizeof *h);
	return memcmp(h->magic, WEFT_STREAM_MAGIC, sizeof h->magic) == 0 && h->page_bytes == WEFT_PAGE_BYTES;
}

void record_count_stream(struct record_totals *t, const char *path)
{
	struct weft_map_file f;
	struct weft_stream_head h;
	uint32_t threads = 0;
	if (weft_map_file_open(&f, path, NULL))
		return;
	if (read_head(&f, &h)) {
		size_t pages = f.n / WEFT_PAGE_BYTES;
		size_t step = pages / PAGES_LOOKED_AT + 1;
		uint64_t events = 0, looked = 0;
		for (size_t i = 1; i < pages; i += step, looked++)
			events += count_page((const struct weft_page *)(f.at + i * WEFT_PAGE_BYTES), &threads);
		t->events += step == 1 ? events : (uint64_t)((double)events * (double)(pages - 1) / (double)looked);
		t->estimated = t->estimated || step > 1;
		t->streams++;
		t->threads += threads;
		t->bytes += f.n;
		t->dropped += h.dropped;
		if (h.state == WEFT_STREAM_FULL)
			t->reason = (int)h.reason;
	}
	weft_map_file_close(&f);
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

unsigned record_signal_recorders(const char *dir, const char *host, int sig)
{
	char **paths;
	unsigned sent = 0;
	size_t host_bytes = strlen(host);
	int n = record_list_streams(dir, NULL, &paths);
	for (int i = 0; i < n; i++) {
		struct weft_map_file f;
		struct weft_stream_head h;
		const char *name = strrchr(paths[i], '/') + 1;
		if (strncmp(name, host, host_bytes) != 0 || name[host_bytes] != '-' || weft_map_file_open(&f, paths[i], NULL))
			continue;
		bool records = read_head(&f, &h) && h.state == WEFT_STREAM_OPEN && (pid_t)h.pid != getpid();
		sent += records && kill((pid_t)h.pid, sig) == 0;
		weft_map_file_close(&f);
	}
	if (n >= 0)
		weft_list_free(paths, n);
	return sent;
}
