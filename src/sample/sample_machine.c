/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters that are no thread's: memory of the process; energy and network of the machine. Those of the machine are read by one process of a
 * run on each host: who binds an abstract socket of the run's name. When that process ends the kernel gives the name free, and another
 * one of the run goes on.
 */
#include "sample_priv.h"
#include "base/map.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { ZONES_MOST = 32, NET_TEXT = 16384 };

static struct zone {
	char file[256];
	weft_counter counter;
	uint64_t last, range;
	bool has;
} zones[ZONES_MOST];
static unsigned n_zones;
static uint64_t net_last[LINK_COUNTED_MOST];
static uint32_t net_has;
static int holds = -1; /* the socket */

static ssize_t read_text(const char *path, char *out, size_t room)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t n = 0;
	ssize_t got = -1;
	while (fd >= 0 && n + 1 < room && (got = read(fd, out + n, room - 1 - n)) > 0)
		n += (size_t)got;
	if (fd >= 0)
		(void)close(fd);
	out[n] = '\0';
	return n || got == 0 ? (ssize_t)n : -1;
}

/* ---- the process ---- */

/* Pages in use: the second number. */
bool sample_read_rss(uint64_t *out)
{
	char text[128];
	ssize_t n = read_text("/proc/self/statm", text, sizeof text), i = 0;
	uint64_t pages = 0;
	while (i < n && text[i] != ' ')
		i++;
	for (i++; i < n && text[i] >= '0' && text[i] <= '9'; i++)
		pages = pages * 10 + (uint64_t)(text[i] - '0');
	*out = pages * (uint64_t)sysconf(_SC_PAGESIZE);
	return pages > 0;
}

uint64_t sample_read_heap(unsigned what)
{
	struct mallinfo2 m = mallinfo2();
	const uint64_t value[] = {m.arena, m.hblkhd, m.uordblks, m.fordblks, m.uordblks + m.hblkhd};
	return value[what];
}

/* ---- energy ---- */

static bool read_number(const char *path, uint64_t *out)
{
	char text[64], *end = text;
	if (read_text(path, text, sizeof text) <= 0)
		return false;
	*out = strtoull(text, &end, 10);
	return end > text;
}

/* "intel-rapl:0" is a package or the platform, "intel-rapl:0:2" a part of it, which is named behind it. */
static void add_zone(const char *root, const char *entry)
{
	char path[256], name[64] = "", whole[64] = "", called[160];
	const char *part = strchr(entry, ':') ? strchr(strchr(entry, ':') + 1, ':') : NULL;
	struct zone *z = &zones[n_zones];
	if (n_zones == ZONES_MOST || snprintf(path, sizeof path, "%.120s/%.64s/name", root, entry) >= (int)sizeof path ||
	    read_text(path, name, sizeof name) <= 0)
		return;
	name[strcspn(name, "\n")] = '\0';
	if (part) {
		snprintf(path, sizeof path, "%.120s/%.*s/name", root, (int)(part - entry), entry);
		(void)read_text(path, whole, sizeof whole);
		whole[strcspn(whole, "\n")] = '\0';
	}
	*z = (struct zone){.range = 0};
	snprintf(path, sizeof path, "%.120s/%.64s/max_energy_range_uj", root, entry);
	(void)read_number(path, &z->range);
	snprintf(z->file, sizeof z->file, "%.120s/%.64s/energy_uj", root, entry);
	if (!read_number(z->file, &z->last))
		return;
	snprintf(called, sizeof called, "energy %s%s%s", whole, *whole ? " " : "", name);
	z->counter = weft_define_counter(called, "uJ", sample_counts.category);
	n_zones++;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* The zones of intel-rapl-mmio are the same ones once more. */
static int is_zone(const struct dirent *e)
{
	return strchr(e->d_name, ':') && strncmp(e->d_name, "intel-rapl-mmio", 15) != 0;
}

static void find_zones(void)
{
	const char *named = secure_getenv("WEFT_POWERCAP"), *root = named && *named ? named : "/sys/class/powercap";
	struct dirent **entry = NULL;
	int n = scandir(root, &entry, is_zone, by_name);
	for (int i = 0; i < n; i++) {
		add_zone(root, entry[i]->d_name);
		free(entry[i]);
	}
	free(entry);
}

static void take_energy(struct weft_bundle *b)
{
	for (unsigned i = 0; i < n_zones; i++) {
		struct zone *z = &zones[i];
		uint64_t now;
		if (!read_number(z->file, &now))
			continue;
		/* Behind its range it begins anew. */
		uint64_t spent = now >= z->last ? now - z->last : now + z->range - z->last;
		if (z->has && (now >= z->last || z->range > z->last))
			weft_bundle_add(b, z->counter, WEFT_HEAD_COUNTER, spent);
		z->has = true;
		z->last = now;
	}
}

/* ---- network ---- */

/*
 *     Inter-|   Receive                                                |  Transmit
 *        lo: 4096      12    0    0    0     0          0         0     4096      12    0    0    0     0       0          0
 *
 * Bytes are the first number of either half, which has eight. All interfaces but the loopback, where none is named.
 */
static uint64_t net_sum(const char *text, const char *wanted, bool sent)
{
	uint64_t sum = 0;
	for (const char *line = text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		const char *name = line + strspn(line, " "), *colon = strchr(name, ':'), *end = strchr(name, '\n');
		if (!colon || (end && colon > end))
			continue;
		size_t n = (size_t)(colon - name);
		bool same = strlen(wanted) == n && !strncmp(name, wanted, n), loop = n == 2 && !strncmp(name, "lo", 2);
		if (*wanted ? !same : loop)
			continue;
		char *at = (char *)(uintptr_t)colon + 1;
		uint64_t value = strtoull(at, &at, 10);
		for (unsigned i = 0; sent && i < 8; i++)
			value = strtoull(at, &at, 10);
		sum += value;
	}
	return sum;
}

static void take_net(struct weft_bundle *b, unsigned plan)
{
	const struct link_plans *p = &sample_counts.plans;
	char text[NET_TEXT];
	if (read_text("/proc/self/net/dev", text, sizeof text) <= 0)
		return;
	for (unsigned i = 0; i < p->n_counted; i++) {
		const struct link_counted *c = &p->counted[i];
		if (c->plan != plan || c->of.source != LINK_COUNTER_NET)
			continue;
		uint64_t now = net_sum(text, c->part, c->of.type);
		if (net_has >> i & 1 && now >= net_last[i])
			weft_bundle_add(b, sample_counts.counter[i], WEFT_HEAD_COUNTER, now - net_last[i]);
		net_has |= (uint32_t)1 << i;
		net_last[i] = now;
	}
}

/* ---- who reads ---- */

static bool hold(void)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	const char *dir = secure_getenv("WEFT_DIR");
	if (holds >= 0)
		return true;
	if (!dir)
		return false;
	int n = snprintf(at.sun_path + 1, sizeof at.sun_path - 1, "weft-counters-%016llx",
	                 (unsigned long long)weft_hash(dir, strlen(dir)));
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return false;
	if (bind(fd, (struct sockaddr *)&at, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n))) {
		(void)close(fd);
		return false;
	}
	holds = fcntl(fd, F_DUPFD_CLOEXEC, 600); /* where programs seldom look for theirs */
	(void)close(fd);
	net_has = 0;
	for (unsigned i = 0; i < n_zones; i++)
		zones[i].has = false;
	return holds >= 0;
}

static bool plan_has(unsigned plan, enum link_counter_source source)
{
	const struct link_plans *p = &sample_counts.plans;
	for (unsigned i = 0; i < p->n_counted; i++)
		if (p->counted[i].plan == plan && p->counted[i].of.source == source)
			return true;
	return false;
}

void sample_machine_find(void)
{
	for (unsigned k = 0; k < sample_counts.plans.n && !n_zones; k++)
		if (plan_has(k, LINK_COUNTER_ENERGY))
			find_zones();
}

void sample_machine_take(struct weft_bundle *b, unsigned plan)
{
	bool energy = plan_has(plan, LINK_COUNTER_ENERGY), net = plan_has(plan, LINK_COUNTER_NET);
	if ((!energy && !net) || !hold())
		return;
	if (energy)
		take_energy(b);
	if (net)
		take_net(b, plan);
}

void sample_machine_child(void)
{
	if (holds >= 0)
		(void)close(holds);
	holds = -1;
}
