/* SPDX-License-Identifier: Apache-2.0 */
/* Files that a page has saved (.view in JSON): which traces they are of. Views of metrics have the same ending, and are texts of another kind. */
#ifndef WEFT_CLI_OPEN_PAGE_H
#define WEFT_CLI_OPEN_PAGE_H

#include "base/err.h"
#include "base/vec.h"
#include <stddef.h>

struct open_page {
	char *text;             /* NULL: the file is no page's. JSON, checked; malloc'd */
	WEFT_VEC(char *) trace; /* paths, relative ones from the file's folder; malloc'd */
};
/* 0 or negative with err; then fini all the same. */
int open_page_read(struct open_page *p, const char *path, struct weft_err *err) WEFT_MUST_CHECK;
void open_page_fini(struct open_page *p);

/* The traces of the tutorials, as paths. */
int open_page_learn(struct open_page *p, struct weft_err *err) WEFT_MUST_CHECK;

#endif
