/* SPDX-License-Identifier: Apache-2.0 */
/* What tests of src/analyze share: random numbers, clouds of points, a .prv from its text, data that may be beside the project. */
#ifndef WEFT_TESTS_STRUCTURE_MAKER_H
#define WEFT_TESTS_STRUCTURE_MAKER_H

#include "base/str.h"
#include "harness.h"
#include "trace/open.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline double maker_uniform(void)
{
	return (double)(test_random() >> 11) * 0x1p-53;
}

static inline double maker_normal(void)
{
	return sqrt(-2 * log(maker_uniform() + 1e-300)) * cos(2 * M_PI * maker_uniform());
}

/* n points around `blobs` centres that lie 1 apart, each blob with its spread; truth[i]: its blob, from 1. malloc'd. */
static inline double *maker_blobs(size_t n, unsigned dims, unsigned blobs, const double *spread, uint32_t *truth)
{
	double *at = malloc((n + 1) * dims * sizeof *at);
	REQUIRE(at);
	for (size_t i = 0; i < n; i++) {
		unsigned b = (unsigned)(test_random() % blobs);
		truth[i] = b + 1;
		for (unsigned d = 0; d < dims; d++)
			at[i * dims + d] = (d == 0 ? b % 4 : d == 1 ? b / 4 : 0) + spread[b] * maker_normal();
	}
	return at;
}

static inline struct weft_trace *maker_open(const char *path)
{
	struct weft_open_how how = {.no_index = true};
	struct weft_err err = {0};
	struct weft_trace *t = NULL;
	if (weft_trace_open(&t, path, &how, &err))
		fprintf(stderr, "# %s\n", err.text);
	REQUIRE(t != NULL);
	return t;
}

/* A .prv of this text, and a .pcf beside it when pcf is not NULL, in the test's folder. */
static inline struct weft_trace *maker_prv(const char *name, const char *text, const char *pcf)
{
	char file[64];
	FILE *f = fopen(test_path(name), "w");
	REQUIRE(f);
	fputs(text, f);
	REQUIRE(fclose(f) == 0);
	snprintf(file, sizeof file, "%.*s.pcf", (int)strcspn(name, "."), name);
	if (pcf) {
		f = fopen(test_path(file), "w");
		REQUIRE(f);
		fputs(pcf, f);
		REQUIRE(fclose(f) == 0);
	}
	return maker_open(test_path(name));
}

/* A file of the data that lies beside the project, or NULL; unpacked into the test's folder where its name ends with .zst. */
static inline const char *maker_shared(const char *name)
{
	static char path[4096];
	const char *beside = getenv("SHARED");
	if (beside)
		snprintf(path, sizeof path, "%s/data/structure/%s", beside, name);
	else
		snprintf(path, sizeof path, "%s", test_source("../shared/data/structure"));
	if (!beside)
		snprintf(path + strlen(path), sizeof path - strlen(path), "/%s", name);
	FILE *f = fopen(path, "r");
	if (!f)
		return NULL;
	fclose(f);
	size_t n = strlen(path);
	if (n > 4 && !strcmp(path + n - 4, ".zst")) {
		int status;
		char to[4096];
		const char *slash = strrchr(name, '/');
		snprintf(to, sizeof to, "%s", test_path(slash ? slash + 1 : name));
		to[strlen(to) - 4] = '\0';
		free(test_shell(&status, "zstd -dqfc '%s' >'%s'", path, to));
		if (status)
			return NULL;
		snprintf(path, sizeof path, "%s", to);
	}
	return path;
}

#endif
