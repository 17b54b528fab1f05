/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cpus of the machine, each with its NUMA node, core and package, from sysfs; by the helper. (`weft record` has the whole
 * topology in its own stream, from hwloc, which has no place in other people's processes.)
 */
#include "rec_priv.h"
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define CPU_MOST 4096u
#define NODE_MOST 256u
#define SYS_CPU "/sys/devices/system/cpu/cpu"
#define SYS_NODE "/sys/devices/system/node/node"

/* The text of PREFIX NUMBER SUFFIX, in `text`; empty when there is no such file. */
static struct weft_str topology_read(const char *prefix, uint32_t number, const char *suffix, char *text, size_t room)
{
	char path[128], *at = stpcpy(path, prefix);
	at += weft_fmt_u64(at, number);
	strcpy(at, suffix);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return weft_str_n(text, 0);
	ssize_t n = read(fd, text, room);
	close(fd);
	return weft_str_trim(weft_str_n(text, n > 0 ? (size_t)n : 0));
}

static bool topology_number(const char *prefix, uint32_t number, const char *suffix, uint32_t *out)
{
	char text[64];
	uint64_t v;
	if (weft_parse_u64(topology_read(prefix, number, suffix, text, sizeof text), &v))
		return false;
	*out = (uint32_t)v;
	return true;
}

/* Marks the cpus of "0-3,8,10-11". */
static void topology_node(uint8_t *node_of, uint32_t node, struct weft_str list)
{
	struct weft_str part;
	while (list.n && weft_str_cut(&list, ',', &part)) {
		struct weft_str from = part;
		uint64_t a, b;
		weft_str_cut(&part, '-', &from);
		if (weft_parse_u64(from, &a))
			return;
		if (!part.at || weft_parse_u64(part, &b))
			b = a;
		for (uint64_t i = a; i <= b && i < CPU_MOST; i++)
			node_of[i] = (uint8_t)node;
	}
}

void rec_topology_write(struct rec_stream *s)
{
	static const char *const core_file = "/topology/core_id", *const package_file = "/topology/physical_package_id";
	char list[4096];
	uint8_t *node_of = rec_mmap(CPU_MOST);
	if (!node_of)
		return;
	for (uint32_t node = 0; node < NODE_MOST; node++)
		topology_node(node_of, node, topology_read(SYS_NODE, node, "/cpulist", list, sizeof list));
	for (uint32_t cpu = 0, missing = 0; cpu < CPU_MOST && missing < 64; cpu++) {
		uint32_t core, package;
		if (!topology_number(SYS_CPU, cpu, core_file, &core)) {
			missing++;
			continue;
		}
		/* Some machines have packages without numbers: -1. */
		if (!topology_number(SYS_CPU, cpu, package_file, &package))
			package = 0;
		uint64_t word[2] = {rec_pair(cpu, node_of[cpu]), rec_pair(core, package)};
		if (!rec_lock())
			break;
		rec_meta_put(s, WEFT_EV_CPU_AT, 0, 2, word, weft_str(NULL));
		rec_unlock();
	}
	rec_munmap(node_of, CPU_MOST);
}
