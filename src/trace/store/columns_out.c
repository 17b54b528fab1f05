/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file that encoded blocks are appended to. Writers copy into a buffer of 1 MiB under a lock; who fills it swaps in a spare
 * one and writes the full one outside of the lock, so that copying goes on meanwhile.
 */
#include "columns_priv.h"
#include "base/fs.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OUT_BYTES (1u << 20)

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

/* Swaps in a free buffer and writes the full one; called and left with the lock held, which is released meanwhile. */
static void out_swap(struct col_out *o)
{
	char *full = o->buffer;
	size_t n = o->n;
	uint64_t at = o->at;
	char *fresh = o->spare;
	o->spare = NULL;
	if (!fresh)
		fresh = malloc(OUT_BYTES); /* another worker is writing the spare one */
	if (fresh) {
		o->buffer = fresh;
		o->at += n;
		o->n = 0;
		pthread_mutex_unlock(&o->lock);
		int rc = weft_write_all(o->fd, full, n, at);
		pthread_mutex_lock(&o->lock);
		if (rc && !o->failed)
			o->failed = rc;
		if (!o->spare)
			o->spare = full;
		else
			free(full);
		return;
	}
	int rc = weft_write_all(o->fd, full, n, at);
	if (rc && !o->failed)
		o->failed = rc;
	o->at += n;
	o->n = 0;
}

/* Too large for the buffer: what is buffered goes first, then this, all under the lock (blocks of that size are rare). */
static int out_add_large(struct col_out *o, const void *at, size_t n, uint64_t *offset)
{
	int rc = weft_write_all(o->fd, o->buffer, o->n, o->at);
	o->at += o->n;
	o->n = 0;
	*offset = o->at;
	if (!rc)
		rc = weft_write_all(o->fd, at, n, o->at);
	o->at += (n + 7) & ~(size_t)7;
	if (rc && !o->failed)
		o->failed = rc;
	return o->failed;
}

int col_out_add(struct col_out *o, const void *at, size_t n, uint64_t *offset)
{
	size_t padded = (n + 7) & ~(size_t)7;
	int rc;
	pthread_mutex_lock(&o->lock);
	if (padded > OUT_BYTES) {
		rc = out_add_large(o, at, n, offset);
	} else {
		while (o->n + padded > OUT_BYTES)
			out_swap(o);
		*offset = o->at + o->n;
		memcpy(o->buffer + o->n, at, n);
		memset(o->buffer + o->n + n, 0, padded - n);
		o->n += padded;
		rc = o->failed;
	}
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
