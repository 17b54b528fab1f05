/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `weft record --environment`: a trace for commands that others start (a launcher, a script, a preloaded library): it is made, and the
 * variables are printed that a process needs to record into it. Ranks that begin at the same time name their run by a key: the first makes
 * the trace, the others find it.
 */
#include "base/fs.h"
#include "base/map.h"
#include "base/str.h"
#include "record_run.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

extern char **environ;

void record_join_id(uint8_t run_id[16], const char *key)
{
	uint64_t h[2];
	h[0] = weft_hash(key, strlen(key));
	h[1] = weft_hash_u64(h[0] ^ 0x6a6f696eu);
	memcpy(run_id, h, sizeof h);
}

int record_join_lock(const char *output)
{
	const char *slash = strrchr(output, '/');
	char *folder = slash ? strndup(output, slash == output ? 1 : (size_t)(slash - output)) : strdup(".");
	int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	free(folder);
	if (fd >= 0 && flock(fd, LOCK_EX)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

char *record_join_find(const char *output, const uint8_t run_id[16])
{
	char **names, *found = NULL;
	int n = weft_list_dir(output, &names, NULL);
	for (int i = 0; i < n && !found; i++) {
		struct weft_stream_head head;
		char *path;
		if (!weft_glob("*-launcher.stream", names[i]) || asprintf(&path, "%s/%s", output, names[i]) < 0)
			continue;
		if (record_read_head(path, &head) && memcmp(head.run_id, run_id, sizeof head.run_id) == 0)
			found = realpath(output, NULL);
		free(path);
	}
	if (n >= 0)
		weft_list_free(names, n);
	return found;
}

bool record_print_environment(const char *merged)
{
	static const char *const others[] = {"LD_PRELOAD=", "OMP_TOOL_LIBRARIES=", "ASAN_OPTIONS="};
	for (char **v = environ; *v; v++) {
		bool wanted = strncmp(*v, "WEFT_", 5) == 0;
		for (unsigned i = 0; i < sizeof others / sizeof *others; i++)
			wanted = wanted || strncmp(*v, others[i], strlen(others[i])) == 0;
		if (wanted && !strchr(*v, '\n'))
			puts(*v);
	}
	if (merged)
		printf("WEFT_MERGED=%s\n", merged);
	return fflush(stdout) == 0;
}
