/* SPDX-License-Identifier: Apache-2.0 */
/* Finding counters of energy in a powercap tree, and adding up what they count. */
#include "energy.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
	pthread_mutex_t lock;
	unsigned users, n;
	struct rt_energy_source source[RT_ENERGY_SOURCES];
	double joules;
} my = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* A file's line. False: it cannot be read. */
static bool line_of(const char *folder, const char *file, char *line, size_t size)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/%s", folder, file);
	FILE *f = fopen(path, "re");
	bool found = f && fgets(line, (int)size, f);
	if (f)
		fclose(f);
	if (found)
		line[strcspn(line, "\n")] = '\0';
	return found;
}

static uint64_t read_number(const struct rt_energy_source *s)
{
	char text[32];
	ssize_t n = pread(s->fd, text, sizeof text - 1, 0);
	if (n <= 0)
		return s->last;
	text[n] = '\0';
	return strtoull(text, NULL, 10);
}

static void add_zone(const char *folder)
{
	char path[4096], range[32];
	if (my.n == RT_ENERGY_SOURCES)
		return;
	snprintf(path, sizeof path, "%s/energy_uj", folder);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	struct rt_energy_source *s = &my.source[my.n++];
	*s = (struct rt_energy_source){.fd = fd, .read = read_number, .joules = 1e-6};
	if (line_of(folder, "max_energy_range_uj", range, sizeof range))
		s->range = strtoull(range, NULL, 10);
}

/*
 * "intel-rapl:0" is a package or the platform, "intel-rapl:0:2" a part of it. The zones of intel-rapl-mmio are the same ones once
 * more.
 */
static bool is_wanted(const char *entry, const char *name, const char *wanted)
{
	bool is_part = strchr(entry, ':') != strrchr(entry, ':');
	return !strncmp(entry, "intel-rapl:", 11) && !strncmp(name, wanted, strlen(wanted)) && is_part == !strcmp(wanted, "dram");
}

/* All zones of that name. */
static void add_zones(const char *root, const char *wanted)
{
	DIR *d = opendir(root);
	char folder[4000], name[64];
	for (struct dirent *e; d && (e = readdir(d));) {
		snprintf(folder, sizeof folder, "%s/%s", root, e->d_name);
		if (e->d_name[0] != '.' && line_of(folder, "name", name, sizeof name) && is_wanted(e->d_name, name, wanted))
			add_zone(folder);
	}
	if (d)
		closedir(d);
}

static void find_sources(void)
{
	const char *named = getenv("WEFT_POWERCAP"), *root = named && *named ? named : "/sys/class/powercap";
	add_zones(root, "package-");
	if (my.n)
		add_zones(root, "dram");
	else
		add_zones(root, "psys");
	if (!my.n && !(named && *named))
		my.n = rt_energy_of_perf(my.source, RT_ENERGY_SOURCES);
}

int rt_energy_open(struct weft_err *err)
{
	const char *root = getenv("WEFT_POWERCAP");
	int rc = 0;
	pthread_mutex_lock(&my.lock);
	if (!my.users) {
		find_sources();
		my.joules = 0;
		for (struct rt_energy_source *s = my.source; s < my.source + my.n; s++)
			s->last = s->read(s);
	}
	if (my.n)
		my.users++;
	else
		rc = weft_err_set(err, -ENODEV, "no counter of energy can be read: %s has none%s",
		                  root && *root ? root : "/sys/class/powercap", root && *root ? "" : ", and perf neither");
	pthread_mutex_unlock(&my.lock);
	return rc;
}

void rt_energy_close(void)
{
	pthread_mutex_lock(&my.lock);
	if (my.users && !--my.users)
		while (my.n)
			close(my.source[--my.n].fd);
	pthread_mutex_unlock(&my.lock);
}

double rt_energy_joules(void)
{
	pthread_mutex_lock(&my.lock);
	for (struct rt_energy_source *s = my.source; s < my.source + my.n; s++) {
		uint64_t now = s->read(s), before = s->last;
		s->last = now;
		if (now < before)
			now += s->range;
		my.joules += now > before ? (double)(now - before) * s->joules : 0;
	}
	double joules = my.joules;
	pthread_mutex_unlock(&my.lock);
	return joules;
}
