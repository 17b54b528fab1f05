/* SPDX-License-Identifier: Apache-2.0 */
/* Between libweft-preload and libweft-calls, which records calls of the C library: threads, files, memory, processes. */
#ifndef WEFT_LINK_LIBC_H
#define WEFT_LINK_LIBC_H

#include "link_calls.h"
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum link_libc_call {
#define LIBC_CALL(name, n, part, kind) LINK_LIBC_##name,
#include "link_libc_calls.def"
#undef LIBC_CALL
	LINK_LIBC_CALLS
};

/* What is asked for: bits, by the names that WEFT_RECORD has for them. */
enum link_libc_part {
	LINK_LIBC_THREADS = 1 << 0,
	LINK_LIBC_LOCKS = 1 << 1, /* each lock, not only those that are waited for */
	LINK_LIBC_IO = 1 << 2,
	LINK_LIBC_STDIO = 1 << 3, /* each call of stdio, not only those that last */
	LINK_LIBC_MEMORY = 1 << 4,
	LINK_LIBC_PROCESS = 1 << 5,
};

/*
 * When a process is worth it that makes no thread and was not asked for by name: that costs some 2 ms, and most processes of a shell or a build
 * live shorter. By the time that it has computed or, where it only waits, by its age; neither is looked at before it is young no more.
 */
enum { LINK_LIBC_YOUNG_MS = 50, LINK_LIBC_CPU_MS = 100, LINK_LIBC_OLD_MS = 1000 };

/*
 * Whether a mapped file is a runtime's, whose own threads, locks and files are none of the program's, or one of ours. What the runtimes do is
 * recorded as their calls. Here, since libweft-preload is built without sanitizers.
 */
static inline bool link_libc_runtime(const char *path)
{
	static const char *const runtimes[] = {
		"libweft",    "libmpi",    "libmpich", "libopen-pal", "libopen-rte", "mca_",      "libpmix",
		"libpmi.",    "libpmi2.",  "libprrte", "libevent",    "libuc",       "libfabric", "libpsm",
		"libibverbs", "librdmacm", "libgomp.", "libomp",      "libiomp5.",   "libhwloc.",
	};
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	for (size_t i = 0; i < sizeof runtimes / sizeof *runtimes; i++)
		if (strncmp(name, runtimes[i], strlen(runtimes[i])) == 0)
			return true;
	return false;
}

#define LINK_LIBC_LIBRARY "libweft-calls.so.0"
#define LINK_LIBC_BEGIN "weft_calls_begin"

/* What the begin is given: its first member. */
struct link_libc {
	struct link_calls calls;
	uint32_t parts; /* of enum link_libc_part */
	uint32_t early; /* asked for by name: from the begin of each process, and of each child */
};

#endif
