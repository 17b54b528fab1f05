/* SPDX-License-Identifier: Apache-2.0 */
/* What check.c and check_pages.c share. */
#ifndef WEFT_TRACE_CHECK_PRIV_H
#define WEFT_TRACE_CHECK_PRIV_H

#include "base/str.h"
#include "check.h"
#include "trace/weft/stream.h"

struct check {
	struct weft_check_report *r;
	pthread_mutex_t lock; /* r */
	unsigned threads;
	bool moving; /* what is read now is still written: what differs from one look to the next is no damage */
};
/* Adds a finding; its grade is the rule's. Thread-safe. */
int check_find(struct check *c, const char *rule, const char *file, uint64_t offset, uint64_t lost, const char *fmt, ...)
	WEFT_PRINTF(6, 7);
/* Every record of every page of a stream that was scanned and defined. */
int check_pages(struct check *c, struct stream *s) WEFT_MUST_CHECK;

#endif
