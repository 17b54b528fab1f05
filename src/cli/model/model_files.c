/* SPDX-License-Identifier: Apache-2.0 */
/* Finding and loading models. */
#include "model_cli.h"
#include "models/model_show.h"
#include "base/log.h"
#include "base/str.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void model_check_host(void)
{
	const char *said = getenv("STARPU_HOSTNAME");
	if (said && strchr(said, '/'))
		weft_log(WEFT_LOG_WARN, "STARPU_HOSTNAME is '%s': a name without '/' is expected; this machine's own is taken",
		         said);
}

const char *model_host(const struct model_args *a, char *room, size_t n)
{
	if (a->host)
		return a->host;
	weft_model_host(room, n);
	return room;
}

/* SYMBOL.HOST: a host has dots only when it is the one that is meant. */
static void split_name(const char *name, const char *host, struct model_file *f)
{
	size_t n = strlen(name), h = strlen(host);
	const char *dot = strrchr(name, '.');
	if (h && n > h + 1 && name[n - h - 1] == '.' && !strcmp(name + n - h, host))
		dot = name + n - h - 1;
	size_t symbol = dot ? (size_t)(dot - name) : n;
	snprintf(f->symbol, sizeof f->symbol, "%.*s", (int)(symbol < 255 ? symbol : 255), name);
	snprintf(f->host, sizeof f->host, "%s", dot ? dot + 1 : "");
}

static int by_text(const void *a, const void *b)
{
	const struct model_name *x = a, *y = b;
	return strcmp(x->name, y->name);
}

static int add_folder(struct model_names *n, const char *folder, const char *host)
{
	char path[WEFT_MODEL_PATH + 32], **names, tail[300];
	struct weft_err err = {0};
	size_t first = n->of.n;
	snprintf(path, sizeof path, "%s/codelets/%d", folder, WEFT_MODEL_VERSION);
	if (!weft_is_dir(path))
		return 0;
	int count = weft_list_dir(path, &names, &err), rc = count < 0 ? cli_fail(&err) : 0;
	if (count < 0)
		return rc;
	snprintf(tail, sizeof tail, "*.%s", host ? host : "");
	for (int i = 0; i < count && !rc; i++) {
		if (!weft_model_is_name(names[i]) || (host && !weft_glob(tail, names[i])))
			continue;
		struct model_name one = {strdup(path), strdup(names[i])};
		if (!one.folder || !one.name || weft_vec_push(&n->of, one)) {
			free(one.folder);
			free(one.name);
			rc = cli_fail_code(-ENOMEM);
		}
	}
	weft_list_free(names, count);
	if (n->of.n > first)
		qsort(n->of.at + first, n->of.n - first, sizeof *n->of.at, by_text);
	return rc;
}

int model_names(const char *host, struct model_names *n)
{
	char folder[WEFT_MODEL_PATH];
	int rc = 0;
	*n = (struct model_names){0};
	for (unsigned i = 0; !rc && weft_model_folder(i, folder, sizeof folder); i++)
		rc = add_folder(n, folder, host);
	return rc;
}

void model_names_fini(struct model_names *n)
{
	for (size_t i = 0; i < n->of.n; i++) {
		free(n->of.at[i].folder);
		free(n->of.at[i].name);
	}
	free(n->of.at);
}

static int open_path(const char *path, const char *host, struct model_file *f, struct weft_err *err)
{
	const char *slash = strrchr(path, '/');
	*f = (struct model_file){0};
	snprintf(f->path, sizeof f->path, "%s", path);
	split_name(slash ? slash + 1 : path, host, f);
	return weft_model_read(&f->m, path, err);
}

int model_open_name(const struct model_name *n, struct model_file *f)
{
	char path[2 * WEFT_MODEL_PATH], host[256];
	struct weft_err err = {0};
	weft_model_host(host, sizeof host);
	snprintf(path, sizeof path, "%s/%s", n->folder, n->name);
	if (!open_path(path, host, f, &err))
		return 0;
	weft_log(WEFT_LOG_WARN, "%s", err.text);
	return -1;
}

/* Whether one of the models there are was perhaps meant. */
static int no_model(const char *given, const char *host)
{
	struct model_names names;
	char folder[WEFT_MODEL_PATH];
	int rc = model_names(host, &names);
	const char **known = calloc(names.of.n + 1, sizeof *known);
	struct model_file *split = calloc(names.of.n + 1, sizeof *split);
	for (size_t i = 0; known && split && i < names.of.n; i++) {
		split_name(names.of.at[i].name, host, &split[i]);
		known[i] = split[i].symbol;
	}
	const char *near = known && split && !rc ? weft_nearest(given, known, names.of.n) : NULL;
	weft_model_folder_of(folder, sizeof folder, "codelets/45");
	if (near)
		weft_log(WEFT_LOG_ERROR, "there is no performance model '%s' of host '%s' (did you mean '%s'?)", given, host,
		         near);
	else
		weft_log(WEFT_LOG_ERROR, "there is no performance model '%s' of host '%s' in '%s'", given, host, folder);
	free(known);
	free(split);
	model_names_fini(&names);
	return CLI_USAGE;
}

int model_open(const struct model_args *a, const char *given, struct model_file *f)
{
	char path[WEFT_MODEL_PATH], here[256];
	struct weft_err err = {0};
	const char *host = model_host(a, here, sizeof here);
	*f = (struct model_file){0};
	if (strchr(given, '/') && access(given, F_OK) == 0)
		snprintf(path, sizeof path, "%s", given);
	else if (!weft_model_find(path, sizeof path, given, host)) {
		if (access(given, F_OK) != 0 || weft_is_dir(given))
			return no_model(given, host);
		snprintf(path, sizeof path, "%s", given);
	}
	return open_path(path, host, f, &err) ? cli_fail(&err) : CLI_OK;
}

void model_close(struct model_file *f)
{
	weft_model_fini(&f->m);
}

bool model_footprint(const struct model_args *a, uint32_t *room, const uint32_t **of)
{
	char *end = NULL;
	*of = NULL;
	if (!a->footprint)
		return true;
	const char *digits = a->footprint + (strncmp(a->footprint, "0x", 2) ? 0 : 2);
	unsigned long v = strtoul(digits, &end, 16);
	if (!*digits || *end || strlen(digits) > 8 || strchr("+- ", *digits)) {
		weft_log(WEFT_LOG_ERROR, "expected a footprint in hexadecimal, like a3d3725e, found '%s'", a->footprint);
		return false;
	}
	*room = (uint32_t)v;
	*of = room;
	return true;
}

bool model_is_chosen(const struct weft_model_comb *c, const struct model_args *a)
{
	char name[512];
	if (a->combination) {
		weft_model_impl_name(name, sizeof name, c->device, c->n_devices, 0, c->number);
		return !strncmp(name, a->combination, strlen(a->combination)) &&
		       !strncmp(name + strlen(a->combination), "_impl", 5);
	}
	return weft_model_asked_for(c, a->arch);
}

void model_place(char *at, size_t n, const struct weft_model_comb *c, uint32_t impl)
{
	weft_model_impl_name(at, n, c->device, c->n_devices, impl, 0);
	char *behind = strstr(at, " (Comb");
	if (behind)
		*behind = 0;
	if (c->n_devices == 1 && c->device[0].cores > 1) {
		char more[300];
		snprintf(more, sizeof more, "%s%d_cores%d_impl%u", weft_model_type_name(c->device[0].type), c->device[0].id,
		         c->device[0].cores, impl);
		snprintf(at, n, "%s", more);
	}
}
