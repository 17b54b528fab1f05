/* SPDX-License-Identifier: Apache-2.0 */
/* Packing of what is sent; the files of the pages. */
#ifndef WEFT_SERVER_PACK_H
#define WEFT_SERVER_PACK_H

#include "base/str.h"

/* Packs the body where it pays and the client's Accept-Encoding allows; the coding's name, NULL: it stays as it is. */
const char *server_pack(struct weft_buf *body, const char *accept);
/* What gzip has packed, n_whole bytes; malloc'd, NULL: no memory, or it is not that. */
void *server_unpack(const void *at, size_t n, size_t n_whole);
/* A file of the pages ("pages.js") as text; malloc'd, NULL: no memory. */
char *server_file_text(const char *name);

#endif
