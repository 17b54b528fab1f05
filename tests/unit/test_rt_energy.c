/* SPDX-License-Identifier: Apache-2.0 */
/* A made-up powercap tree: packages and their memory are added, nothing is counted twice, and a counter that runs over goes on. */
#include "harness.h"
#include "runtime/meter/energy.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static void put(const char *zone, const char *file, const char *text)
{
	char path[4096];
	mkdir(test_path("powercap"), 0777);
	snprintf(path, sizeof path, "%s/%s", test_path("powercap"), zone);
	mkdir(path, 0777);
	snprintf(path, sizeof path, "%s/%s/%s", test_path("powercap"), zone, file);
	FILE *f = fopen(path, "w");
	REQUIRE(f);
	fprintf(f, "%s\n", text);
	fclose(f);
}

static void zone(const char *folder, const char *name, const char *uj)
{
	put(folder, "name", name);
	put(folder, "max_energy_range_uj", "100000000");
	put(folder, "energy_uj", uj);
}

static int is_joules(double wanted)
{
	double is = rt_energy_joules();
	return fabs(is - wanted) < 1e-9;
}

TEST(zones_are_added_once)
{
	struct weft_err err = {0};
	REQUIRE(test_dir());
	zone("intel-rapl:0", "package-0", "1000000");
	zone("intel-rapl:0:0", "core", "500000");
	zone("intel-rapl:0:1", "dram", "200000");
	zone("intel-rapl:1", "package-1", "99000000");
	zone("intel-rapl-mmio:0", "package-0", "1000000");
	zone("intel-rapl:2", "psys", "7");
	setenv("WEFT_POWERCAP", test_path("powercap"), 1);
	REQUIRE(rt_energy_open(&err) == 0);
	CHECK(is_joules(0));
	put("intel-rapl:0", "energy_uj", "3000000");
	CHECK(is_joules(2));
	put("intel-rapl:0:0", "energy_uj", "9500000");
	put("intel-rapl-mmio:0", "energy_uj", "3000000");
	put("intel-rapl:2", "energy_uj", "7000007");
	CHECK(is_joules(2));
	put("intel-rapl:0:1", "energy_uj", "700000");
	CHECK(is_joules(2.5));
	put("intel-rapl:1", "energy_uj", "4000000"); /* over 100 J, where it begins anew */
	CHECK(is_joules(7.5));
	rt_energy_close();
}

TEST(platform_counts_where_no_package_does)
{
	struct weft_err err = {0};
	REQUIRE(test_dir());
	zone("intel-rapl:0", "psys", "5");
	setenv("WEFT_POWERCAP", test_path("powercap"), 1);
	REQUIRE(rt_energy_open(&err) == 0);
	put("intel-rapl:0", "energy_uj", "1500005");
	CHECK(is_joules(1.5));
	REQUIRE(rt_energy_open(&err) == 0); /* counted */
	rt_energy_close();
	put("intel-rapl:0", "energy_uj", "2500005");
	CHECK(is_joules(2.5));
	rt_energy_close();
}

TEST(what_is_not_there_is_said)
{
	struct weft_err err = {0};
	REQUIRE(test_dir());
	setenv("WEFT_POWERCAP", "nowhere", 1);
	CHECK(rt_energy_open(&err) < 0);
	CHECK_STR(err.text, "no counter of energy can be read: nowhere has none");
}
