/* SPDX-License-Identifier: Apache-2.0 */
/* The index that a trace leaves beside itself: PATH/index/ of a folder, PATH.index/ of a file. */
#ifndef WEFT_TRACE_INDEX_PRIV_H
#define WEFT_TRACE_INDEX_PRIV_H

#include "builder.h"

struct index_stamp {
	char *name; /* owned; without the folder */
	uint64_t bytes;
	int64_t mtime_ns, ctime_ns;
	uint64_t inode;
	uint32_t sum; /* when it is summed: by index_stamps_sum */
	bool summed;
};
struct index_stamps {
	WEFT_VEC(struct index_stamp) at;
	uint64_t bytes; /* of all */
};
/* The files that a trace is read from, as they are now; those that may stand beside it and do not have 0 bytes. */
int index_stamps_take(struct index_stamps *s, const char *path, struct weft_err *err) WEFT_MUST_CHECK;
/* Adds the sums of samples of their bytes, for an index that is to be left. Files that are gone meanwhile have none. */
int index_stamps_sum(struct index_stamps *s, const char *path) WEFT_MUST_CHECK;
void index_stamps_fini(struct index_stamps *s);
char *index_dir_of(const char *path); /* malloc'd; NULL: out of memory */

/* Opens the index of `path`, when it is whole and of just these files. 0, or why not: WEFT_E_DAMAGED, -ENOENT, -ESTALE… */
int index_open(struct weft_trace **out, const char *path, const struct index_stamps *stamps, uint64_t memory,
               struct weft_err *err) WEFT_MUST_CHECK;
/* Every block of the columns against its checksum. */
int index_verify(const struct weft_trace *t, unsigned threads) WEFT_MUST_CHECK;
/* Prepares a folder for a new index, and removes what builders that died have left there. */
int index_dir_make(const char *dir) WEFT_MUST_CHECK;
/* Makes an index that was current for `before` current for the files as they are now. Nothing when there is none. */
int index_restamp(const char *path, const struct index_stamps *before) WEFT_MUST_CHECK;

#endif
