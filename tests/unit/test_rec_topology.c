/* SPDX-License-Identifier: Apache-2.0 */
/* The cpus of the machine as libweft reads them from sysfs, beside what hwloc tells `weft record`. */
#include "record_child.h"
#include "record_stream_check.h"
#include <weft/record.h>

CHILD(defines)
{
	weft_enter(weft_define_region("region", WEFT_STATE_RUNNING, 0)); /* which starts the helper, and that writes the cpus */
	return 0;
}

struct cpus {
	uint64_t word[256][2];
	unsigned n;
};
static void keep_cpu(void *arg, uint32_t thread, const struct weft_record *r)
{
	struct cpus *c = arg;
	(void)thread;
	if (r->kind == WEFT_EV_CPU_AT && r->n >= 2 && c->n < 256)
		memcpy(c->word[c->n++], r->payload, sizeof *c->word);
}

static bool has_cpu(const struct cpus *c, const uint64_t *word)
{
	for (unsigned i = 0; i < c->n; i++)
		if (memcmp(c->word[i], word, sizeof c->word[i]) == 0)
			return true;
	return false;
}

TEST(sysfs_and_hwloc_say_the_same)
{
	int status;
	struct cpus ours = {.n = 0}, hwloc = {.n = 0};
	struct stream_file f;
	free(test_shell(&status, "TEST_CHILD=defines \"$WEFT_BUILD/weft\" record -q -o %s/t.weft -- /proc/%d/exe", test_dir(),
	                getpid()));
	REQUIRE(status == 0);
	for (unsigned i = 0; stream_load_in(&f, i, "%s/t.weft", test_dir()); i++) {
		stream_visit(&f, keep_cpu, strstr(f.path, "launcher") ? &hwloc : &ours);
		stream_free(&f);
	}
	CHECK(ours.n > 0);
	if (hwloc.n == 0)
		SKIP("this build is without hwloc");
	/* hwloc leaves out cpus that this process must not use. */
	CHECK(ours.n >= hwloc.n);
	for (unsigned i = 0; i < hwloc.n; i++)
		if (!CHECK(has_cpu(&ours, hwloc.word[i])))
			printf("# cpu %u: node %u, core %u, package %u by hwloc\n", (uint32_t)hwloc.word[i][0],
			       (uint32_t)(hwloc.word[i][0] >> 32), (uint32_t)hwloc.word[i][1],
			       (uint32_t)(hwloc.word[i][1] >> 32));
}
