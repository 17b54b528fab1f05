/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a fuzz target on the files that are named, and on those in the folders that are named, without a fuzzer: so a corpus is
 * a plain test in every build. One TAP test; the comment before a crash names the input. Each input lies in a buffer of just
 * its size, so that AddressSanitizer sees a read past its end, and has ten seconds.
 */
#include "fuzz.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECONDS_PER_INPUT 10

static unsigned n_inputs, n_unreadable;

static void complain(const char *path)
{
	printf("# cannot read %s: %s\n", path, strerror(errno));
	n_unreadable++;
}

static void replay_bytes(const uint8_t *at, size_t n)
{
	uint8_t *copy = malloc(n ? n : 1);
	if (!copy) {
		complain("an input");
		return;
	}
	memcpy(copy, at, n);
	alarm(SECONDS_PER_INPUT);
	/* An input of no bytes is given no readable byte either. */
	LLVMFuzzerTestOneInput(n ? copy : copy + 1, n);
	alarm(0);
	free(copy);
	n_inputs++;
}

static void replay_file(const char *path, size_t n)
{
	FILE *from = fopen(path, "re");
	uint8_t *at = malloc(n ? n : 1);
	if (from && at && fread(at, 1, n, from) == n) {
		printf("# %s\n", path);
		fflush(stdout);
		replay_bytes(at, n);
	} else {
		complain(path);
	}
	free(at);
	if (from)
		fclose(from);
}

static void replay_path(const char *path);

static void replay_folder(const char *path)
{
	struct dirent **entry;
	int n = scandir(path, &entry, NULL, alphasort);
	if (n < 0)
		complain(path);
	for (int i = 0; i < n; i++) {
		char below[4096];
		snprintf(below, sizeof below, "%s/%s", path, entry[i]->d_name);
		if (entry[i]->d_name[0] != '.')
			replay_path(below);
		free(entry[i]);
	}
	if (n >= 0)
		free(entry);
}

static void replay_path(const char *path)
{
	struct stat st;
	if (stat(path, &st))
		complain(path);
	else if (S_ISDIR(st.st_mode))
		replay_folder(path);
	else
		replay_file(path, (size_t)st.st_size);
}

int main(int argc, char **argv)
{
	printf("1..1\n");
	replay_bytes((const uint8_t *)"", 0);
	for (int i = 1; i < argc; i++)
		replay_path(argv[i]);
	/* The empty input alone is a corpus that somebody forgot. */
	int ok = !n_unreadable && n_inputs > 1;
	printf("%s 1 - %u inputs\n%d passed, %d failed\n", ok ? "ok" : "not ok", n_inputs, ok, !ok);
	return !ok;
}
