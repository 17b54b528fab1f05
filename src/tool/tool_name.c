/* SPDX-License-Identifier: Apache-2.0 */
/* How the files of a trace are called: those beside it, and what a tool makes of it when nobody says how. */
#include "tool_priv.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *const endings[] = {".prv", ".prv.gz", ".prv.zst"};

/* Length of a trace's name without its ending. */
static size_t stem(const char *prv)
{
	size_t n = strlen(prv);
	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
		size_t k = strlen(endings[i]);
		if (n >= k && !strcmp(prv + n - k, endings[i]))
			return n - k;
	}
	return n;
}

char *weft_tool_beside(const char *prv, const char *suffix)
{
	size_t n = stem(prv);
	char *z = malloc(n + strlen(suffix) + 1);
	if (z) {
		memcpy(z, prv, n);
		strcpy(z + n, suffix);
	}
	return z;
}

char *weft_tool_name(const char *in, const char *word)
{
	for (unsigned i = 1;; i++) {
		char *suffix = NULL, *part = NULL;
		if (asprintf(&suffix, ".%s%u.prv", word, i) < 0)
			return NULL;
		char *name = weft_tool_beside(in, suffix);
		free(suffix);
		if (!name)
			return NULL;
		part = weft_tool_part_name(name, 1);
		bool taken = !part || access(name, F_OK) == 0 || access(part, F_OK) == 0;
		bool failed = !part;
		free(part);
		if (!taken)
			return name;
		free(name);
		if (failed)
			return NULL;
	}
}

/* Length of a name without "-part7" at its end. */
static size_t without_part(const char *z, size_t n)
{
	size_t k = n;
	while (k > 0 && z[k - 1] >= '0' && z[k - 1] <= '9')
		k--;
	return k < n && k >= 5 && !memcmp(z + k - 5, "-part", 5) ? k - 5 : n;
}

char *weft_tool_part_name(const char *out, uint64_t part)
{
	char *z;
	size_t n = stem(out), k = without_part(out, n);
	return asprintf(&z, "%.*s-part%llu%s", (int)k, out, (unsigned long long)part, out + n) < 0 ? NULL : z;
}

void weft_tool_remove(const char *prv)
{
	static const char *const suffix[] = {".pcf", ".row"};
	unlink(prv);
	for (size_t i = 0; i < sizeof suffix / sizeof *suffix; i++) {
		char *z = weft_tool_beside(prv, suffix[i]);
		if (z)
			unlink(z);
		free(z);
	}
}
