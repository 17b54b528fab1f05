/* SPDX-License-Identifier: Apache-2.0 */
/* What the files that write the tables share: store_write.c (sections, objects, definitions), store_links.c (messages, flows). */
#ifndef WEFT_TRACE_STORE_WRITE_PRIV_H
#define WEFT_TRACE_STORE_WRITE_PRIV_H

#include "builder.h"

struct table_writer {
	struct store_tables_head head;
	int fd;
	uint64_t at, memory;
	char *buffer; /* owned */
	size_t n;
	WEFT_VEC(char) strings;
	struct weft_map known; /* hash of a text -> its offset */
	bool no_memory;
	int failed;
};
void store_begin_section(struct table_writer *w, enum store_section s);
void store_put_rows(struct table_writer *w, enum store_section s, const void *rows, uint64_t n);
void store_flush(struct table_writer *w); /* then `at` is where the file goes on */

struct store_column {
	enum store_section section;
	uint32_t width, from; /* width and offset of the field in struct build_link */
	bool is_time;         /* moves with the axis */
};
#define STORE_FIELD(f) sizeof((struct build_link *)0)->f, offsetof(struct build_link, f)

struct store_links {
	struct spill_sort *sorted; /* struct build_link; all are taken out */
	const struct store_column *column;
	unsigned n_columns, threads;
	enum store_section map; /* from ends to links */
	uint64_t n_ends;        /* that have events */
	uint64_t shift;         /* of the axis */
	uint64_t n_backward;    /* out: how many arrived before they were sent */
};
int store_write_links(struct table_writer *w, struct store_links *links) WEFT_MUST_CHECK;

#endif
