/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A memory cgroup for a child process, where we may make one (root; version 1 or 2). What a process has resident is then held by
 * the kernel, its page cache too: over the limit the cache goes, and if that is not enough the process. Builds with a sanitizer have
 * none, as what the sanitizer takes is not the reader's. In a folder that is memory itself there is nothing to hold.
 */
#ifndef WEFT_TESTS_MEMORY_GROUP_H
#define WEFT_TESTS_MEMORY_GROUP_H

#include "harness.h"
#include <linux/magic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

struct memory_group {
	char path[200]; /* "": there is none */
};

static inline bool group_write(const struct memory_group *g, const char *name, uint64_t value)
{
	char path[260];
	snprintf(path, sizeof path, "%s/%s", g->path, name);
	FILE *f = fopen(path, "w");
	bool ok = f && fprintf(f, "%llu", (unsigned long long)value) > 0;
	return f && fclose(f) == 0 && ok;
}

static inline bool group_folder_is_memory(void)
{
	struct statfs fs;
	return statfs(test_dir(), &fs) == 0 && fs.f_type == TMPFS_MAGIC;
}

static inline void memory_group_make(struct memory_group *g, uint64_t bytes)
{
	bool useless = test_build_is("asan") || test_build_is("tsan");
	if (group_folder_is_memory())
		SKIP("the tests' folder is memory itself");
	static const char *const parent[] = {"/sys/fs/cgroup/memory", "/sys/fs/cgroup"},
				 *const limit[] = {"memory.limit_in_bytes", "memory.max"};
	for (unsigned i = 0; i < 2 && !useless; i++) {
		snprintf(g->path, sizeof g->path, "%s/weft-test-%d", parent[i], (int)getpid());
		if (mkdir(g->path, 0777))
			continue;
		if (group_write(g, limit[i], bytes))
			return;
		rmdir(g->path);
	}
	g->path[0] = 0;
}

/* By the child; true when there is no group either. */
static inline bool memory_group_enter(const struct memory_group *g)
{
	return !g->path[0] || group_write(g, "cgroup.procs", (uint64_t)getpid());
}

/* When all its processes have ended. */
static inline void memory_group_remove(const struct memory_group *g)
{
	if (g->path[0])
		rmdir(g->path);
}

#endif
