/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the time stamp counter is trusted: tables of what is known of machines, and of readings on their cpus. */
#include "harness.h"
#include "record/rec_trust.h"
#include <stdio.h>
#include <string.h>

TEST(which_machines_counter_is_trusted)
{
	static const struct {
		const char *machine;
		struct rec_tsc_facts facts;
		bool trusted;
		const char *why; /* a part of it */
	} row[] = {
		{"bare metal", {true, true, true, true, REC_HV_NONE, false, REC_AGREE_UNKNOWN}, true, "the kernel trusts it"},
		{"bare metal whose kernel has found it unstable",
	         {true, true, true, false, REC_HV_NONE, false, REC_AGREE_UNKNOWN},
	         false,
	         "the kernel does not trust"},
		/* What nobody vouches for is not measured, and would not help. */
		{"the same, and the cpus agree",
	         {true, true, true, false, REC_HV_NONE, true, REC_AGREE_YES},
	         false,
	         "the kernel does not trust"},
		{"no invariant counter",
	         {true, false, true, true, REC_HV_NONE, false, REC_AGREE_UNKNOWN},
	         false,
	         "is not invariant"},
		{"the same under KVM", {true, false, true, false, REC_HV_KVM, true, REC_AGREE_YES}, false, "is not invariant"},
		{"forbidden by prctl", {true, true, false, true, REC_HV_NONE, false, REC_AGREE_UNKNOWN}, false, "may not read"},
		{"KVM, the kernel lists it",
	         {true, true, true, true, REC_HV_KVM, true, REC_AGREE_UNKNOWN},
	         true,
	         "the kernel trusts it"},
		{"KVM, stable", {true, true, true, false, REC_HV_KVM, true, REC_AGREE_YES}, true, "KVM calls its clock stable"},
		{"KVM, not stable",
	         {true, true, true, false, REC_HV_KVM, false, REC_AGREE_YES},
	         false,
	         "KVM does not call its clock stable"},
		{"KVM, stable, cpus that disagree",
	         {true, true, true, false, REC_HV_KVM, true, REC_AGREE_NO},
	         false,
	         "counters differ"},
		{"KVM, stable, not measured",
	         {true, true, true, false, REC_HV_KVM, true, REC_AGREE_UNKNOWN},
	         false,
	         "could not be measured"},
		{"Hyper-V with its page", {true, true, true, false, REC_HV_HYPERV, true, REC_AGREE_YES}, true, "Hyper-V makes"},
		{"Hyper-V without", {true, true, true, false, REC_HV_HYPERV, false, REC_AGREE_YES}, false, "Hyper-V does not"},
		{"Hyper-V, cpus that disagree",
	         {true, true, true, false, REC_HV_HYPERV, true, REC_AGREE_NO},
	         false,
	         "counters differ"},
		{"Xen", {true, true, true, false, REC_HV_XEN, true, REC_AGREE_YES}, false, "Xen may emulate it"},
		{"VMware, the kernel lists it",
	         {true, true, true, true, REC_HV_VMWARE, false, REC_AGREE_UNKNOWN},
	         true,
	         "the kernel trusts it"},
		{"VMware, which it does not", {true, true, true, false, REC_HV_VMWARE, true, REC_AGREE_YES}, false, "VMware"},
		{"somebody's", {true, true, true, false, REC_HV_OTHER, true, REC_AGREE_YES}, false, "nothing is known"},
		{"a number that is no hypervisor's",
	         {true, true, true, false, REC_HYPERVISORS, true, REC_AGREE_YES},
	         false,
	         "nothing is known"},
		{"another kind of processor", {0}, false, "no time stamp counter"},
	};
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		const char *why = NULL;
		bool trusted = rec_tsc_trusted(&row[i].facts, &why);
		if (trusted != row[i].trusted || !why || !strstr(why, row[i].why))
			printf("# %s: %d, %s\n", row[i].machine, trusted, why ? why : "nothing");
		CHECK(trusted == row[i].trusted);
		REQUIRE(why != NULL);
		CHECK(strstr(why, row[i].why) != NULL);
	}
}

TEST(cpus_agree_as_far_as_can_be_seen)
{
	/* Two ticks a ns; the middle ones are of other cpus. */
	struct rec_reading same[] = {{1000, 500, 60}, {21000, 10500, 80}, {41040, 20500, 60}, {401000, 200500, 60}};
	struct rec_reading apart[] = {{1000, 500, 60}, {21000, 10500, 80}, {43000, 20500, 60}, {401000, 200500, 60}};
	struct rec_reading behind[] = {{1000000, 500, 60}, {5000, 10500, 80}, {1400000, 200500, 60}};
	struct rec_reading wide[] = {{1000, 500, 60}, {21000, 10500, 9000}, {401000, 200500, 60}};
	struct rec_reading stands[] = {{1000, 500, 60}, {21000, 10500, 80}, {1000, 500, 60}};
	CHECK_I64(rec_tsc_agree(same, 4), REC_AGREE_YES);
	CHECK_I64(rec_tsc_agree(apart, 4), REC_AGREE_NO);
	CHECK_I64(rec_tsc_agree(behind, 3), REC_AGREE_NO);
	CHECK_I64(rec_tsc_agree(wide, 3), REC_AGREE_UNKNOWN);
	CHECK_I64(rec_tsc_agree(stands, 3), REC_AGREE_UNKNOWN);
	CHECK_I64(rec_tsc_agree(same, 1), REC_AGREE_UNKNOWN);
	CHECK_I64(rec_tsc_agree(same, 0), REC_AGREE_UNKNOWN);
}

TEST(this_machine_is_looked_at)
{
	struct rec_tsc_facts f;
	const char *why = NULL;
	rec_tsc_look(&f);
	bool trusted = rec_tsc_trusted(&f, &why);
	REQUIRE(why != NULL);
	printf("# %s: %s\n", trusted ? "trusted" : "not trusted", why);
	CHECK(!trusted || f.invariant);
}
