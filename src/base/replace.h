/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file that is written beside its place, under a name that nobody can foresee, and then put there in one step:
 *
 *     weft_replace_open ── write to r.fd ──┬── weft_replace_commit    NAME is the new file
 *                                          └── weft_replace_abandon   NAME is what it was
 *
 * No link is ever followed, neither under the new name (it is made, never opened) nor under NAME (a link there is replaced, not what
 * it points to), and all steps go by the descriptor of the folder, so that swapping the folder for a link meanwhile leads nowhere.
 * Allocates nothing: the recorder uses it inside other people's programs. Errors are -errno.
 */
#ifndef WEFT_BASE_REPLACE_H
#define WEFT_BASE_REPLACE_H

#include "err.h"
#include <limits.h>
#include <sys/types.h>

enum { WEFT_REPLACE_TEMP = 32 };
/* What temporary names look like, for those who clean up behind processes that died. */
#define WEFT_REPLACE_GLOB ".weft-*.tmp"

struct weft_replace {
	int fd;     /* owned; for reading and writing */
	int folder; /* owned */
	char name[NAME_MAX + 1], temp[WEFT_REPLACE_TEMP];
};

enum weft_replace_how {
	WEFT_REPLACE_PLAIN = 0,
	WEFT_REPLACE_SYNC = 1, /* what was written, and the name, are on the disk before it returns */
	/*
	 * The old file changes places with the new one and is removed then. Where a file replaces another, ext4 begins to write all
	 * of it to the disk.
	 */
	WEFT_REPLACE_EXCHANGE = 2,
};

/* mode: as for open(2), so less what the umask takes. On failure there is nothing to abandon. */
int weft_replace_open(struct weft_replace *r, const char *path, mode_t mode) WEFT_MUST_CHECK;
int weft_replace_open_at(struct weft_replace *r, int folder, const char *name,
                         mode_t mode) WEFT_MUST_CHECK;                                /* folder: borrowed */
int weft_replace_commit(struct weft_replace *r, unsigned how) WEFT_MUST_CHECK;        /* closes; on failure abandons */
int weft_replace_keep(struct weft_replace *r, unsigned how, int *fd) WEFT_MUST_CHECK; /* likewise, but gives the open file */
/*
 * For who writes more files at once than may be open: closes both descriptors, and opens them again. path: as for weft_replace_open.
 */
void weft_replace_pause(struct weft_replace *r);
int weft_replace_resume(struct weft_replace *r, const char *path) WEFT_MUST_CHECK;
void weft_replace_abandon(struct weft_replace *r); /* closes; a zeroed struct is fine */

/* The folder that this is, not one that a link leads to: a descriptor for the *at calls, or -errno (-ENOTDIR: a link). */
int weft_open_folder(const char *path) WEFT_MUST_CHECK;

#endif
