/* SPDX-License-Identifier: Apache-2.0 */
/* starpu_fxt_options.dumped_codelets: what each task took, for a program that asks for it, from distrib.data as the command has made it. */
#include "fxt.h"
#include <errno.h>
#include <starpu_fxt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORKERS_MOST = 4096, NAME = 64 };
struct places {
	char name[WORKERS_MOST][NAME]; /* "cpu0_impl0" */
};

/* "CPU 3" is one of many cpu0; "OpenCL 1.0" is opencl1. */
static void place_name(char out[NAME], const char *worker)
{
	char kind[24] = "";
	unsigned device = 0;
	size_t n = strcspn(worker, " ");
	n = n < sizeof kind - 1 ? n : sizeof kind - 1;
	for (size_t i = 0; i < n; i++)
		kind[i] = (char)(worker[i] >= 'A' && worker[i] <= 'Z' ? worker[i] + 32 : worker[i]);
	if (strcmp(kind, "cpu") != 0 && sscanf(worker + strcspn(worker, " "), "%u", &device) != 1)
		device = 0;
	snprintf(out, NAME, "%s%u_impl0", kind, device);
}

static void read_places(struct places *p, const char *path)
{
	FILE *f = fopen(path, "r");
	char *line = NULL;
	size_t room = 0;
	while (f && getline(&line, &room, f) > 0) {
		unsigned worker;
		char name[NAME];
		if (sscanf(line, "name\t%u\t%63[^\n]", &worker, name) == 2 && worker < WORKERS_MOST)
			place_name(p->name[worker], name);
	}
	free(line);
	if (f)
		fclose(f);
}

/* codelet, [rank_]worker, bytes, footprint, ms */
static int read_task(char *line, const struct places *p, struct starpu_fxt_codelet_event *e)
{
	char *at[5], *rest = NULL;
	unsigned n = 0;
	for (char *word = strtok_r(line, "\t\n", &rest); word && n < 5; word = strtok_r(NULL, "\t\n", &rest))
		at[n++] = word;
	if (n != 5)
		return -EINVAL;
	memset(e, 0, sizeof *e);
	snprintf(e->symbol, sizeof e->symbol, "%s", at[0]);
	const char *number = strrchr(at[1], '_');
	e->workerid = atoi(number ? number + 1 : at[1]);
	if (e->workerid >= 0 && e->workerid < WORKERS_MOST)
		snprintf(e->perfmodel_archname, sizeof e->perfmodel_archname, "%s", p->name[e->workerid]);
	e->size = strtoull(at[2], NULL, 10);
	e->hash = (uint32_t)strtoul(at[3], NULL, 16);
	e->time = strtof(at[4], NULL);
	return 0;
}

int rt_fxt_codelets(const char *distribution, const char *activity, struct starpu_fxt_codelet_event **out, long *n)
{
	struct places *p = calloc(1, sizeof *p);
	FILE *f = p ? fopen(distribution, "r") : NULL;
	char *line = NULL;
	size_t room = 0, had = 0;
	int rc = !p ? -ENOMEM : f ? 0 : -errno;
	*out = NULL;
	*n = 0;
	if (!rc)
		read_places(p, activity);
	while (!rc && getline(&line, &room, f) > 0) {
		if ((size_t)*n == had) {
			had = had ? 2 * had : 64;
			struct starpu_fxt_codelet_event *more = realloc(*out, had * sizeof *more);
			rc = more ? 0 : -ENOMEM;
			*out = more ? more : *out;
		}
		if (!rc && !read_task(line, p, &(*out)[*n]))
			++*n;
	}
	free(line);
	free(p);
	if (f)
		fclose(f);
	return rc;
}
