/* SPDX-License-Identifier: Apache-2.0 */
/* The folders that the runtime reads, and behind them share/starpu/perfmodels/sampling. */
#include "simulate_machine.h"
#include "base/fs.h"
#include "models/bus.h"
#include "models/model_path.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Beside the program in a build folder, and as installed, alike. */
static bool shipped(char *at, size_t room)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	char *slash = n > 0 ? (self[n] = '\0', strrchr(self, '/')) : NULL;
	if (!slash)
		return false;
	*slash = '\0';
	return snprintf(at, room, "%s/../share/starpu/perfmodels/sampling", self) < (int)room && access(at, R_OK) == 0;
}

static bool folder_at(unsigned i, char *at, size_t room)
{
	unsigned n = 0;
	for (; weft_model_folder(n, at, room); n++)
		if (n == i)
			return true;
	return n == i && shipped(at, room);
}

static bool has_machine(const char *folder, const char *name)
{
	char path[PATH_MAX];
	return snprintf(path, sizeof path, "%s/bus/%s.config", folder, name) < (int)sizeof path && access(path, R_OK) == 0;
}

bool simulate_find_machine(const char *name, char *folder, size_t room)
{
	for (unsigned i = 0; *name && !strchr(name, '/') && folder_at(i, folder, room); i++)
		if (has_machine(folder, name))
			return true;
	return false;
}

static void first_line(const char *folder, const char *name, char *line, size_t room)
{
	char path[PATH_MAX], *text = NULL;
	size_t n;
	*line = '\0';
	if (snprintf(path, sizeof path, "%s/bus/%s.machine", folder, name) >= (int)sizeof path || access(path, R_OK) ||
	    weft_read_file(path, &text, &n, NULL) || !text)
		return;
	snprintf(line, room, "%.*s", (int)strcspn(text, "\n"), text);
	free(text);
}

static int tell(const char *folder, const char *name, int (*each)(void *arg, const struct simulate_machine *m), void *arg)
{
	char path[PATH_MAX], first[PATH_MAX], about[512], *text = NULL;
	struct weft_bus_config c;
	size_t n;
	/* One of the same name in a folder before this one is what is simulated. */
	if (!simulate_find_machine(name, first, sizeof first) || strcmp(first, folder) != 0 ||
	    snprintf(path, sizeof path, "%s/bus/%s.config", folder, name) >= (int)sizeof path ||
	    weft_read_file(path, &text, &n, NULL))
		return 0;
	int rc = text ? weft_bus_config_parse(&c, text, path, NULL) : -1;
	free(text);
	if (rc)
		return 0;
	first_line(folder, name, about, sizeof about);
	return each(arg, &(struct simulate_machine){name, folder, c.count[WEFT_BUS_CPU], c.count[WEFT_BUS_NUMA],
	                                            c.count[WEFT_BUS_CUDA], c.count[WEFT_BUS_OPENCL], about});
}

int simulate_each_machine(int (*each)(void *arg, const struct simulate_machine *m), void *arg)
{
	char folder[PATH_MAX], bus[PATH_MAX + 8];
	int rc = 0;
	for (unsigned i = 0; !rc && folder_at(i, folder, sizeof folder); i++) {
		char **name;
		snprintf(bus, sizeof bus, "%s/bus", folder);
		int n = access(bus, R_OK) ? 0 : weft_list_dir(bus, &name, NULL);
		for (int k = 0; k < n && !rc; k++) {
			char *dot = strrchr(name[k], '.');
			if (!dot || strcmp(dot, ".config") != 0)
				continue;
			*dot = '\0';
			rc = tell(folder, name[k], each, arg);
		}
		if (n > 0)
			weft_list_free(name, n);
	}
	return rc;
}
