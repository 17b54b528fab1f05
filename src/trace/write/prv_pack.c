/* SPDX-License-Identifier: Apache-2.0 */
/* Packing what is written to a stream: gzip by ISA-L at its fastest level, or zstd. One row of a table for each. */
#include "prv_out.h"
#include <errno.h>
#include <isa-l/igzip_lib.h>
#include <stdio.h>
#include <stdlib.h>
#include <zstd.h>

enum { PACKED_BYTES = 256 << 10, ZSTD_LEVEL = 1, GZIP_LEVEL = 1 };

struct pack {
	const struct packer *packer;
	FILE *to;                  /* borrowed */
	uint8_t *out;              /* owned, PACKED_BYTES */
	uint8_t *level_buffer;     /* owned; gzip */
	struct isal_zstream *gzip; /* owned */
	ZSTD_CStream *zstd;        /* owned */
	int failed;
};

struct packer {
	const char *suffix;
	int (*begin)(struct pack *p);
	/* Packs n bytes; `last`: and ends the stream. */
	int (*put)(struct pack *p, const void *at, size_t n, bool last);
};

static int pack_out(struct pack *p, size_t n)
{
	return fwrite(p->out, 1, n, p->to) == n ? 0 : errno ? -errno : -EIO;
}

static int gzip_begin(struct pack *p)
{
	p->gzip = malloc(sizeof *p->gzip);
	p->level_buffer = malloc(ISAL_DEF_LVL1_DEFAULT);
	if (!p->gzip || !p->level_buffer)
		return -ENOMEM;
	isal_deflate_init(p->gzip);
	p->gzip->level = GZIP_LEVEL;
	p->gzip->level_buf = p->level_buffer;
	p->gzip->level_buf_size = ISAL_DEF_LVL1_DEFAULT;
	p->gzip->gzip_flag = IGZIP_GZIP;
	return 0;
}

static int gzip_put(struct pack *p, const void *at, size_t n, bool last)
{
	struct isal_zstream *z = p->gzip;
	const uint8_t *from = at;
	do {
		size_t part = n < PACKED_BYTES ? n : PACKED_BYTES;
		z->next_in = (uint8_t *)(uintptr_t)from;
		z->avail_in = (uint32_t)part;
		z->end_of_stream = last && part == n;
		do {
			z->next_out = p->out;
			z->avail_out = PACKED_BYTES;
			if (isal_deflate(z) != COMP_OK)
				return -EIO;
			int rc = pack_out(p, PACKED_BYTES - z->avail_out);
			if (rc)
				return rc;
		} while (z->end_of_stream ? z->internal_state.state != ZSTATE_END : z->avail_in || z->avail_out == 0);
		from += part;
		n -= part;
	} while (n);
	return 0;
}

static int zstd_begin(struct pack *p)
{
	p->zstd = ZSTD_createCStream();
	if (!p->zstd)
		return -ENOMEM;
	ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL);
	ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_checksumFlag, 1);
	return 0;
}

static int zstd_put(struct pack *p, const void *at, size_t n, bool last)
{
	ZSTD_inBuffer in = {at, n, 0};
	size_t left;
	do {
		ZSTD_outBuffer out = {p->out, PACKED_BYTES, 0};
		left = ZSTD_compressStream2(p->zstd, &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
		if (ZSTD_isError(left))
			return -EIO;
		int rc = pack_out(p, out.pos);
		if (rc)
			return rc;
	} while (last ? left != 0 : in.pos < in.size);
	return 0;
}

static const struct packer packers[] = {{".gz", gzip_begin, gzip_put}, {".zst", zstd_begin, zstd_put}};

static void pack_free(struct pack *p)
{
	free(p->gzip);
	free(p->level_buffer);
	ZSTD_freeCStream(p->zstd);
	free(p->out);
	free(p);
}

static ssize_t pack_write(void *cookie, const char *at, size_t n)
{
	struct pack *p = cookie;
	if (!p->failed)
		p->failed = p->packer->put(p, at, n, false);
	if (!p->failed)
		return (ssize_t)n;
	errno = -p->failed;
	return 0;
}

static int pack_close(void *cookie)
{
	struct pack *p = cookie;
	int rc = p->failed ? p->failed : p->packer->put(p, "", 0, true);
	pack_free(p);
	errno = -rc;
	return rc ? -1 : 0;
}

int prv_pack_open(FILE **out, FILE *to, const char *path)
{
	size_t n = strlen(path);
	*out = NULL;
	for (size_t i = 0; i < sizeof packers / sizeof *packers; i++) {
		size_t k = strlen(packers[i].suffix);
		if (n <= k || strcmp(path + n - k, packers[i].suffix) != 0)
			continue;
		struct pack *p = calloc(1, sizeof *p);
		if (!p)
			return -ENOMEM;
		*p = (struct pack){.packer = &packers[i], .to = to, .out = malloc(PACKED_BYTES)};
		int rc = p->out ? packers[i].begin(p) : -ENOMEM;
		*out = rc ? NULL : fopencookie(p, "w", (cookie_io_functions_t){.write = pack_write, .close = pack_close});
		if (!*out)
			pack_free(p);
		return *out ? 0 : rc ? rc : -ENOMEM;
	}
	return 0;
}
