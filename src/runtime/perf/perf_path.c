/* SPDX-License-Identifier: Apache-2.0 */
/* StarPU's names for where model files lie; models/model_path.h has the rules. */
#include "perf.h"
#include "base/fs.h"
#include "models/model_path.h"
#include <stdlib.h>
#include <string.h>

void perf_host_name(char *at, size_t n)
{
	weft_model_host(at, n);
}

void perf_path_of_folder(char *at, size_t n, const char *kind)
{
	weft_model_folder_of(at, n, kind);
}

void perf_path_of_bus(char *at, size_t n)
{
	char folder[WEFT_MODEL_PATH], host[256];
	weft_model_host(host, sizeof host);
	weft_model_folder_of(folder, sizeof folder, "bus");
	snprintf(at, n, "%s/%s", folder, host);
}

bool perf_path_of_codelet(char *at, size_t n, const char *symbol)
{
	return weft_model_path(at, n, symbol, NULL);
}

bool perf_find_codelet(char *at, size_t n, const char *symbol)
{
	return weft_model_find(at, n, symbol, NULL);
}

/* -- StarPU's names -- */

void starpu_perfmodel_get_model_path(const char *symbol, char *path, size_t maxlen)
{
	/* Where it is, else where it would be: either way `path` says it. */
	(void)weft_model_find(path, maxlen, symbol, NULL);
}

void starpu_perfmodel_directory(FILE *output)
{
	char folder[WEFT_MODEL_PATH];
	for (unsigned i = 0; weft_model_folder(i, folder, sizeof folder); i++)
		fprintf(output, "directory: <%s/codelets/%d/>\n", folder, WEFT_MODEL_VERSION);
}

/* A folder that is not there is none; one that cannot be read is said. */
static int list_folder(const char *folder, FILE *output)
{
	char path[WEFT_MODEL_PATH + 32], **names;
	struct weft_err err = {0};
	snprintf(path, sizeof path, "%s/codelets/%d", folder, WEFT_MODEL_VERSION);
	if (!weft_is_dir(path))
		return 0;
	int n = weft_list_dir(path, &names, &err);
	if (n < 0) {
		perf_say("no performance models: %s", err.text);
		return -1;
	}
	fprintf(output, "codelet directory: <%s/>\n", path);
	for (int i = 0; i < n; i++)
		if (weft_model_is_name(names[i]))
			fprintf(output, "file: <%s>\n", names[i]);
	weft_list_free(names, n);
	return 1;
}

int starpu_perfmodel_list(FILE *output)
{
	char folder[WEFT_MODEL_PATH];
	int there = 0, bad = 0;
	for (unsigned i = 0; weft_model_folder(i, folder, sizeof folder); i++) {
		int rc = list_folder(folder, output);
		there += rc > 0;
		bad += rc < 0;
	}
	if (!there && !bad) {
		weft_model_folder_of(folder, sizeof folder, "codelets/45");
		perf_say("no performance models: there is no folder '%s'", folder);
	}
	return !there || bad;
}

void starpu_perfmodel_debugfilepath(struct starpu_perfmodel *model, struct starpu_perfmodel_arch *arch, char *path, size_t maxlen,
                                    unsigned nimpl)
{
	char folder[3000], host[256], name[512];
	perf_host_name(host, sizeof host);
	perf_path_of_folder(folder, sizeof folder, "debug");
	starpu_perfmodel_get_arch_name(arch, name, sizeof name, nimpl);
	snprintf(path, maxlen, "%s/%s.%s.%s.debug", folder, model->symbol ? model->symbol : "", host, name);
}
