/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file that encoded blocks are appended to. Writers copy into a buffer of 2 MiB under a lock; who fills it swaps in a spare
 * one and writes the full one outside of the lock, so that copying goes on meanwhile. Each write is a whole piece of 2 MiB at a
 * multiple of it, which file systems that keep large pages keep as one: cheaper to write, and one page fault to read.
 */
#include "columns_priv.h"
#include "base/fs.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OUT_BYTES (2u << 20)

int col_out_init(struct col_out *o, int fd)
{
	*o = (struct col_out){.fd = fd};
	int rc = pthread_mutex_init(&o->lock, NULL);
	if (rc)
		return -rc;
	o->buffer = malloc(OUT_BYTES);
	o->spare = malloc(OUT_BYTES);
	return o->buffer && o->spare ? 0 : -ENOMEM;
}

void col_out_fini(struct col_out *o)
{
	if (!o->buffer && !o->spare)
		return;
	pthread_mutex_destroy(&o->lock);
	free(o->buffer);
	free(o->spare);
	o->buffer = o->spare = NULL;
	if (o->fd >= 0)
		close(o->fd);
	o->fd = -1;
}

struct full {
	char *buffer; /* NULL: none */
	uint64_t at;
};

static void out_write(struct col_out *o, const struct full *f)
{
	int rc = weft_write_all(o->fd, f->buffer, OUT_BYTES, f->at);
	if (rc && !o->failed)
		o->failed = rc;
}

/* A free buffer in place of the full one, which is to be written; without a free one, and when one is to be already, it is now. */
static void out_swap(struct col_out *o, struct full *full)
{
	const struct full now = {o->buffer, o->at};
	char *fresh = full->buffer ? NULL : o->spare ? o->spare : malloc(OUT_BYTES);
	if (fresh) {
		*full = now;
		o->buffer = fresh;
		o->spare = NULL;
	} else {
		out_write(o, &now);
	}
	o->at += OUT_BYTES;
	o->n = 0;
}

static void out_put(struct col_out *o, const char *from, size_t n, struct full *full)
{
	for (size_t k; n; n -= k, from += k) {
		k = OUT_BYTES - o->n < n ? OUT_BYTES - o->n : n;
		memcpy(o->buffer + o->n, from, k);
		o->n += k;
		if (o->n == OUT_BYTES)
			out_swap(o, full);
	}
}

/* Called and left with the lock held, which is released meanwhile. */
static void out_write_outside(struct col_out *o, const struct full *full)
{
	pthread_mutex_unlock(&o->lock);
	int rc = weft_write_all(o->fd, full->buffer, OUT_BYTES, full->at);
	pthread_mutex_lock(&o->lock);
	if (rc && !o->failed)
		o->failed = rc;
	if (!o->spare)
		o->spare = full->buffer;
	else
		free(full->buffer);
}

int col_out_add(struct col_out *o, const void *at, size_t n, uint64_t *offset)
{
	static const char padding[8];
	struct full full = {NULL, 0};
	pthread_mutex_lock(&o->lock);
	*offset = o->at + o->n;
	out_put(o, at, n, &full);
	out_put(o, padding, -n % sizeof padding, &full);
	if (full.buffer)
		out_write_outside(o, &full);
	int rc = o->failed;
	pthread_mutex_unlock(&o->lock);
	return rc;
}

int col_out_finish(struct col_out *o, uint64_t *bytes)
{
	*bytes = o->at + o->n;
	int rc = weft_write_all(o->fd, o->buffer, o->n, o->at);
	o->at += o->n;
	o->n = 0;
	if (!rc && ftruncate(o->fd, (off_t)(*bytes + COL_SLACK)))
		rc = -errno;
	return o->failed ? o->failed : rc;
}
