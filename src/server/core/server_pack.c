/* SPDX-License-Identifier: Apache-2.0 */
/* Packing of what is sent: see server_pack.h. */
#include "server_pack.h"
#include "server_guard.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

enum { PACK_LEAST = 1024, GZIP_WINDOW = 15 + 16 };

static bool by_zstd(const struct weft_buf *in, struct weft_buf *out)
{
	size_t room = ZSTD_compressBound(in->n);
	out->at = malloc(room + 1);
	if (!out->at)
		return false;
	out->cap = room + 1;
	out->n = ZSTD_compress(out->at, room, in->at, in->n, 1);
	return !ZSTD_isError(out->n);
}

static bool by_gzip(const struct weft_buf *in, struct weft_buf *out)
{
	z_stream z = {0};
	if (in->n > UINT_MAX / 2 || deflateInit2(&z, 1, Z_DEFLATED, GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return false;
	size_t room = deflateBound(&z, in->n);
	out->at = malloc(room + 1);
	z.next_in = (Bytef *)in->at;
	z.avail_in = (uInt)in->n;
	z.next_out = (Bytef *)out->at;
	z.avail_out = (uInt)room;
	bool done = out->at && deflate(&z, Z_FINISH) == Z_STREAM_END;
	out->cap = room + 1;
	out->n = z.total_out;
	deflateEnd(&z);
	return done;
}

static const struct {
	const char *name;
	bool (*pack)(const struct weft_buf *in, struct weft_buf *out);
} codings[] = {{"zstd", by_zstd}, {"gzip", by_gzip}};

const char *server_pack(struct weft_buf *body, const char *accept)
{
	if (body->n < PACK_LEAST)
		return NULL;
	for (unsigned i = 0; i < sizeof codings / sizeof *codings; i++) {
		struct weft_buf packed = {0};
		if (!server_accepts(accept, codings[i].name))
			continue;
		if (codings[i].pack(body, &packed) && packed.n < body->n) {
			weft_buf_fini(body);
			*body = packed;
			return codings[i].name;
		}
		weft_buf_fini(&packed);
	}
	return NULL;
}

void *server_unpack(const void *at, size_t n, size_t n_whole)
{
	z_stream z = {.next_in = (Bytef *)(uintptr_t)at, .avail_in = (uInt)n};
	char *whole = malloc(n_whole + 1);
	if (!whole || inflateInit2(&z, GZIP_WINDOW) != Z_OK) {
		free(whole);
		return NULL;
	}
	z.next_out = (Bytef *)whole;
	z.avail_out = (uInt)n_whole + 1;
	bool good = inflate(&z, Z_FINISH) == Z_STREAM_END && z.total_out == n_whole;
	inflateEnd(&z);
	if (!good) {
		free(whole);
		return NULL;
	}
	return whole;
}
