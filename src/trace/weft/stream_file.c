/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of a stream, and its header. A packed stream is unpacked into an unnamed file (or memory, when small) first. */
#include "format/crc.h"
#include "base/fs.h"
#include "base/str.h"
#include "pack_frame.h"
#include "stream.h"
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void stream_bytes_close(struct stream_bytes *b)
{
	if (b->fd >= 0)
		close(b->fd);
	free(b->owned);
	*b = (struct stream_bytes){.fd = -1};
}

const void *stream_bytes_at(const struct stream_bytes *b, uint64_t offset, size_t n, void *room)
{
	if (offset > b->n || n > b->n - offset)
		return NULL;
	if (b->at)
		return b->at + offset;
	char *to = room;
	while (n) {
		ssize_t got = pread(b->fd, to, n, (off_t)offset);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return NULL;
		to += got;
		offset += (uint64_t)got;
		n -= (size_t)got;
	}
	return room;
}

int stream_bytes_open(struct stream_bytes *b, const char *path, struct weft_err *err)
{
	struct stat st;
	*b = (struct stream_bytes){.fd = weft_open_regular(path, &st, err)};
	if (b->fd < 0)
		return b->fd;
	b->n = b->stored = (uint64_t)st.st_size;
	return 0;
}

int stream_problem(struct stream *s, const char *rule, uint64_t offset, uint64_t lost, const char *fmt, ...)
{
	char text[300];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	weft_one_line(text);
	struct weft_problem p = {.file = s->name, .offset = offset, .lost_bytes = lost, .text = text};
	pthread_mutex_lock(&s->b->lock);
	int rc = builder_problem(s->b, &p, rule);
	pthread_mutex_unlock(&s->b->lock);
	return rc;
}

/* Takes what it can from the header; pages of a stream whose header is damaged are read all the same. */
static int read_head(struct stream *s, struct weft_err *err)
{
	struct weft_stream_head *h = &s->head;
	char room[sizeof *h];
	const void *at = stream_bytes_at(&s->bytes, 0, sizeof *h, room);
	if (at)
		memcpy(h, at, sizeof *h);
	s->head_good = at && memcmp(h->magic, WEFT_STREAM_MAGIC, 8) == 0 &&
	               h->crc == weft_crc32c(0, h, offsetof(struct weft_stream_head, crc));
	if (s->head_good && h->major != WEFT_FORMAT_MAJOR)
		return weft_err_set(err, WEFT_E_VERSION, "cannot read '%s': its format is version %u.%u, this build reads %u",
		                    s->name, h->major, h->minor, WEFT_FORMAT_MAJOR);
	if (s->head_good && h->page_bytes != WEFT_PAGE_BYTES)
		return weft_err_set(err, WEFT_E_VERSION, "cannot read '%s': its pages have %u bytes", s->name, h->page_bytes);
	if (!s->head_good) {
		memset(h, 0, sizeof *h);
		h->flags = pack_has_frames(&s->bytes) ? WEFT_STREAM_PACKED : 0;
	}
	return 0;
}

static int stream_start(struct stream *s, struct weft_err *err)
{
	int rc = read_head(s, err);
	if (!rc && (s->head.flags & WEFT_STREAM_PACKED))
		rc = pack_unpack_bytes(s, err);
	if (rc)
		return rc;
	if ((rc = stream_check_length(s)) != 0)
		return weft_err_set(err, rc, "cannot read '%s': %s", s->name, weft_err_name(rc));
	s->clock.ticks_per_ns = s->head.clock == WEFT_CLOCK_MONOTONIC ? 1 : s->head_good ? s->head.ticks_per_ns : 0;
	if (!(s->clock.ticks_per_ns > 0 && s->clock.ticks_per_ns < 1000))
		s->clock.ticks_per_ns = 0;
	s->clock.start_ticks = s->head.start_ticks;
	s->clock.start_monotonic = s->head.start_monotonic;
	s->clock.start_realtime = s->head.start_realtime;
	s->clock.offline = s->head.flags & WEFT_STREAM_OFFLINE;
	return 0;
}

static int stream_init(struct stream *s, struct weft_builder *b, const char *name, struct weft_err *err)
{
	*s = (struct stream){.b = b, .bytes = {.fd = -1}, .node = WEFT_NONE, .own_process = WEFT_NONE};
	int rc = pthread_mutex_init(&s->lock, NULL);
	s->name = weft_arena_strdup(&s->arena, name);
	return rc || !s->name ? weft_err_set(err, -ENOMEM, "cannot read '%s': out of memory", name) : 0;
}

int stream_open(struct stream *s, struct weft_builder *b, const char *path, const char *name, struct weft_err *err)
{
	int rc = stream_init(s, b, name, err);
	if (!rc)
		rc = stream_bytes_open(&s->bytes, path, err);
	return rc ? rc : stream_start(s, err);
}

int stream_open_bytes(struct stream *s, struct weft_builder *b, const void *at, size_t n, const char *name, struct weft_err *err)
{
	int rc = stream_init(s, b, name, err);
	s->bytes = (struct stream_bytes){.fd = -1, .at = at, .n = n, .stored = n};
	return rc ? rc : stream_start(s, err);
}

void stream_close(struct stream *s)
{
	stream_bytes_close(&s->bytes);
	for (size_t i = 0; i < s->process.n; i++)
		for (unsigned k = 0; k < sizeof s->process.at[i].text / sizeof *s->process.at[i].text; k++)
			weft_buf_fini(&s->process.at[i].text[k]);
	free(s->run.at);
	free(s->meta.at);
	free(s->thread.at);
	free(s->process.at);
	free(s->cpu.at);
	free(s->module.at);
	free(s->listed.at);
	for (unsigned c = 0; c < WEFT_CLASSES; c++)
		free(s->map[c].id.at);
	weft_map_fini(&s->undefined);
	clock_stream_fini(&s->clock);
	pthread_mutex_destroy(&s->lock);
	weft_arena_fini(&s->arena);
}
