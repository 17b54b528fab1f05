/* SPDX-License-Identifier: Apache-2.0 */
/* Folders and names of model files; model_path.h has the rules. */
#include "model_path.h"
#include "base/str.h"
#include "model.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void weft_model_host(char *at, size_t n)
{
	const char *forced = getenv("STARPU_HOSTNAME");
	if (forced && *forced && !strchr(forced, '/')) {
		snprintf(at, n, "%s", forced);
		return;
	}
	if (gethostname(at, n))
		snprintf(at, n, "localhost");
	at[n - 1] = 0;
	at[strcspn(at, ".")] = 0;
}

static bool asked_folder(char *at, size_t n)
{
	const char *folder = getenv("STARPU_PERF_MODEL_DIR");
	return folder && *folder && (size_t)snprintf(at, n, "%s", folder) < n;
}

static bool home_folder(char *at, size_t n)
{
	const char *home = getenv("STARPU_HOME");
	home = home && *home ? home : getenv("HOME");
	return (size_t)snprintf(at, n, "%s/.starpu/sampling", home && *home ? home : "/tmp") < n;
}

/* All folders in order, doublets and all; false behind the last. `used`: whether this place says one. */
static bool folder_at(unsigned i, char *at, size_t n, bool *used)
{
	struct weft_str rest = weft_str(getenv("STARPU_PERF_MODEL_PATH")), part;
	if (i < 2) {
		*used = i ? home_folder(at, n) : asked_folder(at, n);
		return true;
	}
	for (i -= 2; weft_str_cut(&rest, ':', &part); i--)
		if (!i) {
			*used = part.n && (size_t)snprintf(at, n, "%.*s", (int)part.n, part.at) < n;
			return true;
		}
	return false;
}

static bool was_before(const char *folder, unsigned i)
{
	char other[WEFT_MODEL_PATH];
	for (unsigned k = 0; k < i; k++) {
		bool used = false;
		if (folder_at(k, other, sizeof other, &used) && used && !strcmp(other, folder))
			return true;
	}
	return false;
}

bool weft_model_folder(unsigned i, char *at, size_t n)
{
	bool used = false;
	for (unsigned k = 0; folder_at(k, at, n, &used); k++)
		if (used && !was_before(at, k) && !i--)
			return true;
	*at = 0;
	return false;
}

void weft_model_folder_of(char *at, size_t n, const char *kind)
{
	char folder[WEFT_MODEL_PATH - 300];
	if (!weft_model_folder(0, folder, sizeof folder))
		snprintf(folder, sizeof folder, "/tmp");
	snprintf(at, n, "%s/%s", folder, kind);
}

static bool file_in(char *at, size_t n, const char *folder, const char *symbol, const char *host)
{
	int used = snprintf(at, n, "%s/codelets/%d/%s%s%s", folder, WEFT_MODEL_VERSION, symbol, *host ? "." : "", host);
	return used > 0 && (size_t)used < n;
}

bool weft_model_path(char *at, size_t n, const char *symbol, const char *host)
{
	char folder[WEFT_MODEL_PATH - 300], here[256];
	weft_model_host(here, sizeof here);
	return weft_model_folder(0, folder, sizeof folder) && file_in(at, n, folder, symbol, host ? host : here);
}

bool weft_model_find(char *at, size_t n, const char *symbol, const char *host)
{
	char folder[WEFT_MODEL_PATH - 300], here[256];
	weft_model_host(here, sizeof here);
	for (int whole = 0; whole < 2; whole++)
		for (unsigned i = 0; weft_model_folder(i, folder, sizeof folder); i++)
			if (file_in(at, n, folder, symbol, whole ? "" : host ? host : here) && access(at, R_OK) == 0)
				return true;
	if (!weft_model_path(at, n, symbol, host))
		*at = 0;
	return false;
}

bool weft_model_is_name(const char *name)
{
	static const char aside[] = WEFT_MODEL_ASIDE;
	size_t n = strlen(name);
	return name[0] != '.' && (n < sizeof aside || strcmp(name + n - sizeof aside + 1, aside) != 0);
}
