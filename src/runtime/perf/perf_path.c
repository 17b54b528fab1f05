/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where model files lie. They are written below STARPU_PERF_MODEL_DIR, else $STARPU_HOME/.starpu/sampling (STARPU_HOME is the
 * user's home when it is not set), and read from there, then from the folders of STARPU_PERF_MODEL_PATH (between colons).
 *
 *     FOLDER/codelets/45/SYMBOL.HOST    FOLDER/bus/HOST.bandwidth …    FOLDER/debug    FOLDER/codelets/tmp
 */
#include "perf.h"
#include "base/fs.h"
#include "base/str.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void perf_host_name(char *at, size_t n)
{
	const char *forced = getenv("STARPU_HOSTNAME");
	if (forced && *forced) {
		snprintf(at, n, "%s", forced);
		return;
	}
	if (gethostname(at, n))
		snprintf(at, n, "localhost");
	at[n - 1] = 0;
	at[strcspn(at, ".")] = 0;
}

/* The folder that is written to. */
static void main_folder(char *at, size_t n)
{
	const char *folder = getenv("STARPU_PERF_MODEL_DIR");
	if (folder && *folder) {
		snprintf(at, n, "%s", folder);
		return;
	}
	const char *home = getenv("STARPU_HOME");
	home = home && *home ? home : getenv("HOME");
	snprintf(at, n, "%s/.starpu/sampling", home && *home ? home : "/tmp");
}

void perf_path_of_folder(char *at, size_t n, const char *kind)
{
	char folder[3000];
	main_folder(folder, sizeof folder);
	snprintf(at, n, "%s/%s", folder, kind);
}

void perf_path_of_bus(char *at, size_t n)
{
	char folder[3000], host[256];
	perf_host_name(host, sizeof host);
	perf_path_of_folder(folder, sizeof folder, "bus");
	snprintf(at, n, "%s/%s", folder, host);
}

static bool in_folder(char *at, size_t n, const char *folder, int folder_n, const char *symbol)
{
	char host[256];
	perf_host_name(host, sizeof host);
	int used = snprintf(at, n, "%.*s/codelets/%d/%s.%s", folder_n, folder, WEFT_MODEL_VERSION, symbol, host);
	return used > 0 && (size_t)used < n;
}

bool perf_path_of_codelet(char *at, size_t n, const char *symbol)
{
	char folder[3000];
	main_folder(folder, sizeof folder);
	return in_folder(at, n, folder, (int)strlen(folder), symbol);
}

bool perf_find_codelet(char *at, size_t n, const char *symbol)
{
	if (perf_path_of_codelet(at, n, symbol) && access(at, R_OK) == 0)
		return true;
	struct weft_str rest = weft_str(getenv("STARPU_PERF_MODEL_PATH")), folder;
	while (weft_str_cut(&rest, ':', &folder))
		if (folder.n && folder.n < 3000 && in_folder(at, n, folder.at, (int)folder.n, symbol) && access(at, R_OK) == 0)
			return true;
	return false;
}

/* -- StarPU's names -- */

void starpu_perfmodel_get_model_path(const char *symbol, char *path, size_t maxlen)
{
	if (!perf_find_codelet(path, maxlen, symbol))
		perf_path_of_codelet(path, maxlen, symbol);
}

void starpu_perfmodel_directory(FILE *output)
{
	char folder[4096];
	perf_path_of_folder(folder, sizeof folder, "codelets/45/");
	fprintf(output, "directory: <%s>\n", folder);
}

int starpu_perfmodel_list(FILE *output)
{
	char folder[4096], **names;
	struct weft_err err = {0};
	perf_path_of_folder(folder, sizeof folder, "codelets/45");
	int n = weft_list_dir(folder, &names, &err);
	if (n < 0) {
		fprintf(stderr, "starpu: no performance models: %s\n", err.text);
		return 1;
	}
	for (int i = 0; i < n; i++)
		fprintf(output, "file: <%s>\n", names[i]);
	weft_list_free(names, n);
	return 0;
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
