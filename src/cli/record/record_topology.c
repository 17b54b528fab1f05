/* SPDX-License-Identifier: Apache-2.0 */
/* The machine as hwloc sees it: its own XML for whoever wants all of it, and a record for each cpu in the launcher's stream. */
#include "record_run.h"
#include "base/fs.h"
#include <errno.h>
#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>

/* The kernel's number, as libweft writes it: of a core in its package. */
static uint32_t number_above(hwloc_topology_t t, hwloc_obj_t pu, hwloc_obj_type_t type)
{
	hwloc_obj_t above = hwloc_get_ancestor_obj_by_type(t, type, pu);
	return above && above->os_index != HWLOC_UNKNOWN_INDEX ? above->os_index : 0;
}

/* The first memory node whose cpus include this one. */
static uint32_t numa_of(hwloc_topology_t t, hwloc_obj_t pu)
{
	for (hwloc_obj_t n = NULL; (n = hwloc_get_next_obj_by_type(t, HWLOC_OBJ_NUMANODE, n));)
		if (hwloc_bitmap_isset(n->cpuset, pu->os_index))
			return n->os_index;
	return 0;
}

static void write_cpus(struct record_stream *s, hwloc_topology_t t)
{
	uint64_t now = ((const struct weft_stream_head *)s->at)->start_ticks;
	for (hwloc_obj_t pu = NULL; (pu = hwloc_get_next_obj_by_type(t, HWLOC_OBJ_PU, pu));) {
		uint64_t word[] = {
			pu->os_index | (uint64_t)numa_of(t, pu) << 32,
			number_above(t, pu, HWLOC_OBJ_CORE) | (uint64_t)number_above(t, pu, HWLOC_OBJ_PACKAGE) << 32,
		};
		record_stream_meta(s, &(struct weft_record){now, WEFT_EV_CPU_AT, 0, 2, word}, NULL, 0);
	}
}

/*
 * hwloc's plugins are about devices that we do not ask for, and loading them costs more than all the rest: it is sent to look for
 * them where there are none. The command's environment stays as it is.
 */
static int load_without_plugins(hwloc_topology_t *t, const char *empty_dir)
{
	static const char variable[] = "HWLOC_PLUGINS_PATH";
	bool set = getenv(variable) != NULL;
	if (!set && setenv(variable, empty_dir, 1))
		return -errno;
	int rc = hwloc_topology_init(t) ? -ENOMEM : 0;
	if (rc == 0 && hwloc_topology_load(*t)) {
		hwloc_topology_destroy(*t);
		rc = -ENODEV;
	}
	if (!set)
		unsetenv(variable);
	return rc;
}

/* Not by the library, which would follow a link that somebody has put there. */
static int write_xml(hwloc_topology_t t, const char *path)
{
	struct weft_replace r;
	char *text;
	int n, rc = hwloc_topology_export_xmlbuffer(t, &text, &n, 0) ? -EIO : 0;
	if (rc)
		return rc;
	rc = weft_replace_open(&r, path, 0666);
	/* Its count has the zero byte at the end. */
	if (!rc && (rc = weft_write_all(r.fd, text, strlen(text), 0)))
		weft_replace_abandon(&r);
	else if (!rc)
		rc = weft_replace_commit(&r, WEFT_REPLACE_PLAIN);
	hwloc_free_xmlbuffer(t, text);
	return rc;
}

int record_topology(struct record_stream *s, const char *dir, const char *host)
{
	hwloc_topology_t t;
	char *path = NULL;
	int rc = load_without_plugins(&t, dir);
	if (rc)
		return rc;
	if (asprintf(&path, "%s/topology-%s.xml", dir, host) < 0)
		path = NULL;
	rc = path ? write_xml(t, path) : -ENOMEM;
	if (rc == 0)
		write_cpus(s, t);
	free(path);
	hwloc_topology_destroy(t);
	return rc;
}
