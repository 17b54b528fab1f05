/* SPDX-License-Identifier: Apache-2.0 */
/* Files: mapped reading, outputs that appear whole or not at all, directories. */
#ifndef WEFT_BASE_FS_H
#define WEFT_BASE_FS_H

#include "err.h"
#include "replace.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct stat;
/*
 * Opens a regular file for reading: a descriptor, or negative, and err says that there is a folder, a pipe or a device instead. Never
 * waits for the other end of a pipe, and never begins what a device does not end. st: what was opened.
 */
int weft_open_regular(const char *path, struct stat *st, struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Likewise, or a pipe: for what somebody names on a command line. One with a name for which no writer comes within some seconds is an
 * error. A device only as what this process was given: "-", /dev/stdin and
 * the like.
 */
int weft_open_input(const char *path, struct stat *st, struct weft_err *err) WEFT_MUST_CHECK;

/* A file mapped for reading. An empty file has at == NULL and n == 0. Errors name the file. */
struct weft_map_file {
	const uint8_t *at;
	size_t n;
};
int weft_map_file_open(struct weft_map_file *f, const char *path, struct weft_err *err) WEFT_MUST_CHECK;
void weft_map_file_close(struct weft_map_file *f);
/* Tells the kernel that [from, to) will not be read again soon (keeps the resident set under a memory limit). */
void weft_map_file_drop(const struct weft_map_file *f, size_t from, size_t to);

int weft_read_file(const char *path, char **at, size_t *n,
                   struct weft_err *err) WEFT_MUST_CHECK; /* a regular one; malloc'd, terminated */
int weft_read_input(const char *path, char **at, size_t *n, struct weft_err *err) WEFT_MUST_CHECK; /* also from a pipe */

/* All n bytes at an offset, however often a call is interrupted. 0, or a negative code: -EIO when there is no room, or nothing more. */
int weft_write_all(int fd, const void *at, size_t n, uint64_t offset) WEFT_MUST_CHECK;
int weft_read_all(int fd, void *to, size_t n, uint64_t offset) WEFT_MUST_CHECK;

/*
 * For code within other programs: the same file under a descriptor of high number, out of the way of those that expect the lowest ones and of
 * shells, which put what they redirect under the numbers that their scripts say. `low` is closed; it is returned where there is no room.
 */
int weft_fd_high(int low);

/*
 * An output that appears under its name only when complete: written beside it (replace.h), then fsync and rename. "-" means
 * stdout, and so is a device or a pipe written directly. Until commit the old file is untouched; abandon removes what was
 * written. A link of one's own (or root's) stays one: the file behind it is replaced; another user's is an error. The mode is
 * the old file's, else as the umask says. For outputs that a user names; what Weft itself keeps beside a trace is for weft_replace,
 * which follows no links.
 */
struct weft_out {
	FILE *to;
	char *path;               /* owned */
	struct weft_replace file; /* zeroed: written directly */
};
int weft_out_open(struct weft_out *o, const char *path, struct weft_err *err) WEFT_MUST_CHECK;
int weft_out_commit(struct weft_out *o, struct weft_err *err) WEFT_MUST_CHECK; /* also frees; on failure abandons */
void weft_out_abandon(struct weft_out *o);

bool weft_is_dir(const char *path);
int weft_make_dirs(const char *path, struct weft_err *err) WEFT_MUST_CHECK;   /* like mkdir -p */
int weft_remove_tree(const char *path, struct weft_err *err) WEFT_MUST_CHECK; /* follows no links; absent is fine */
/* Names in a folder, sorted, without . and ..; each and the array malloc'd. Count or negative. */
int weft_list_dir(const char *path, char ***names, struct weft_err *err) WEFT_MUST_CHECK;
void weft_list_free(char **names, int n);
uint64_t weft_dir_bytes(const char *path); /* sum of st_size of the files below */

/* Memory of this process, from /proc/self/status, in bytes; 0 when unknown. */
uint64_t weft_rss_bytes(void);
uint64_t weft_rss_peak_bytes(void);

#endif
