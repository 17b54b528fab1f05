/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of energy that perf has: one for each package, on the processors that the kernel names. */
#include "energy.h"
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PMU "/sys/bus/event_source/devices/power/"

static bool line_of(const char *path, char *line, size_t size)
{
	FILE *f = fopen(path, "re");
	bool found = f && fgets(line, (int)size, f);
	if (f)
		fclose(f);
	return found;
}

static uint64_t read_counter(const struct rt_energy_source *s)
{
	uint64_t count;
	return read(s->fd, &count, sizeof count) == sizeof count ? count : s->last;
}

/* On the processors of the mask, as "0,28": it counts for their packages. */
static unsigned add_event(const char *event, struct rt_energy_source *at, unsigned most)
{
	char path[256], text[256], mask[256], *end;
	unsigned n = 0;
	struct perf_event_attr attr = {.size = sizeof attr};
	if (!line_of(PMU "type", text, sizeof text) || !line_of(PMU "cpumask", mask, sizeof mask))
		return 0;
	attr.type = (uint32_t)strtoul(text, NULL, 10);
	snprintf(path, sizeof path, PMU "events/%s", event);
	if (!line_of(path, text, sizeof text) || sscanf(text, "event=%llx", &attr.config) != 1)
		return 0;
	snprintf(path, sizeof path, PMU "events/%s.scale", event);
	double joules = line_of(path, text, sizeof text) ? strtod(text, NULL) : 0;
	for (const char *cpu = mask; n < most && joules > 0; cpu = end + 1) {
		long number = strtol(cpu, &end, 10);
		if (end == cpu)
			break;
		int fd = (int)syscall(SYS_perf_event_open, &attr, -1, (int)number, -1, PERF_FLAG_FD_CLOEXEC);
		if (fd >= 0)
			at[n++] = (struct rt_energy_source){.fd = fd, .read = read_counter, .joules = joules};
		if (*end != ',')
			break;
	}
	return n;
}

unsigned rt_energy_of_perf(struct rt_energy_source *at, unsigned most)
{
	unsigned n = add_event("energy-pkg", at, most);
	if (n)
		return n + add_event("energy-ram", at + n, most - n);
	return add_event("energy-psys", at, most);
}
