/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts about the time stamp counter, and whether it can be trusted.
 *
 * On a machine of its own the kernel knows best: it compares the counters of all cpus, watches them against another clock, and takes
 * "tsc" off its list when they differ. In a virtual machine whose kernel reads the hypervisor's clock (kvm-clock, Hyper-V's page) it may
 * never have put it there. That clock is the counter and a line; when the hypervisor says that the line is the same on all virtual cpus,
 * so is the counter. Its word is checked: on up to CPUS_MOST cpus the counter is held against CLOCK_MONOTONIC. How both drift apart
 * later, the helper watches as everywhere.
 */
#include "rec_trust.h"
#include "rec_priv.h"
#include "base/clock.h"
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
#if defined __x86_64__
#include <cpuid.h>
#endif

#define CPUS_MOST 8u
#define TRIES 12
#define APART_NS 300u /* that counters differ by so much is not noise; messages between threads take as long */
#define WIDE_NS 2000u /* a reading less sure than that says nothing */

/* ---- the decision ---- */

static const struct {
	const char *stable, *other;
} hypervisors[REC_HYPERVISORS] = {
	[REC_HV_NONE] = {NULL, "the kernel does not trust the time stamp counter"},
	[REC_HV_KVM] = {"the time stamp counter is invariant, KVM calls its clock stable, and the cpus agree",
                        "the kernel does not use the time stamp counter, and KVM does not call its clock stable"},
	[REC_HV_HYPERV] = {"the time stamp counter is invariant, Hyper-V makes its reference time of it, and the cpus agree",
                           "the kernel does not use the time stamp counter, and Hyper-V does not make its reference time of it"},
	[REC_HV_XEN] = {NULL, "the kernel does not trust the time stamp counter, and Xen may emulate it"},
	[REC_HV_VMWARE] = {NULL, "the kernel does not trust the time stamp counter, and VMware does not say more of it"},
	[REC_HV_OTHER] = {NULL, "the kernel does not trust the time stamp counter, and nothing is known of this hypervisor's"},
};

bool rec_tsc_trusted(const struct rec_tsc_facts *f, const char **why)
{
	bool vouched = f->stable && f->hypervisor < REC_HYPERVISORS && hypervisors[f->hypervisor].stable;
	if (!f->there)
		*why = "this cpu has no time stamp counter that is known";
	else if (!f->invariant)
		*why = "the cpu's time stamp counter is not invariant";
	else if (!f->readable)
		*why = "the process may not read the time stamp counter";
	else if (f->listed)
		*why = "the time stamp counter is invariant, and the kernel trusts it";
	else if (!vouched)
		*why = f->hypervisor < REC_HYPERVISORS ? hypervisors[f->hypervisor].other : hypervisors[REC_HV_OTHER].other;
	else if (f->agree == REC_AGREE_UNKNOWN)
		*why = "the hypervisor calls its clock stable, but whether the cpus' counters agree could not be measured";
	else if (f->agree == REC_AGREE_NO)
		*why = "the hypervisor calls its clock stable, but the cpus' counters differ";
	else
		*why = hypervisors[f->hypervisor].stable;
	return f->there && f->invariant && f->readable && (f->listed || (vouched && f->agree == REC_AGREE_YES));
}

enum rec_agree rec_tsc_agree(const struct rec_reading *at, unsigned n)
{
	if (n < 2 || at[n - 1].ns <= at[0].ns || at[n - 1].ticks <= at[0].ticks)
		return REC_AGREE_UNKNOWN;
	double rate = (double)(at[n - 1].ticks - at[0].ticks) / (double)(at[n - 1].ns - at[0].ns);
	uint64_t ends = at[0].wide > at[n - 1].wide ? at[0].wide : at[n - 1].wide;
	enum rec_agree agree = REC_AGREE_YES;
	for (unsigned i = 0; i < n; i++) {
		double wide = (double)(at[i].wide + ends) / rate;
		double apart = ((double)(int64_t)(at[i].ticks - at[0].ticks)) / rate - (double)(int64_t)(at[i].ns - at[0].ns);
		apart = apart < 0 ? -apart : apart;
		if (apart > wide + APART_NS)
			return REC_AGREE_NO;
		if (wide > WIDE_NS)
			agree = REC_AGREE_UNKNOWN;
	}
	return agree;
}

/* ---- this machine ---- */

#if defined __x86_64__

static bool tsc_is_invariant(void)
{
	unsigned a, b, c, d;
	return __get_cpuid(0x80000007u, &a, &b, &c, &d) && (d & 1u << 8);
}

static bool tsc_is_readable(void)
{
	int mode = PR_TSC_ENABLE;
	return prctl(PR_GET_TSC, &mode, 0, 0, 0) != 0 || mode == PR_TSC_ENABLE;
}

/* The kernel lists tsc among "tsc hpet acpi_pm" as long as it trusts it itself. */
static bool tsc_is_listed(void)
{
	char text[256];
	int fd = open("/sys/devices/system/clocksource/clocksource0/available_clocksource", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t n = read(fd, text, sizeof text - 1);
	close(fd);
	struct weft_str rest = weft_str_trim(weft_str_n(text, n > 0 ? (size_t)n : 0)), word;
	while (weft_str_cut(&rest, ' ', &word))
		if (weft_str_eq(word, "tsc"))
			return true;
	return false;
}

static const struct signature {
	char text[13];
	enum rec_hypervisor is;
	unsigned leaf; /* from its first: EAX says by `bit` that its clock is stable; 0: nothing does */
	unsigned bit;
} signatures[] = {
	{"KVMKVMKVM\0\0\0", REC_HV_KVM, 1, 24}, /* KVM_FEATURE_CLOCKSOURCE_STABLE_BIT */
	{"Microsoft Hv", REC_HV_HYPERV, 3, 9},  /* AccessPartitionReferenceTsc */
	{"XenVMMXenVMM", REC_HV_XEN, 0, 0},
	{"VMwareVMware", REC_HV_VMWARE, 0, 0},
};

/* Who plays another's part has its own leaves behind those of the other: the last that is known is the one below. */
static void look_at_hypervisor(struct rec_tsc_facts *f)
{
	unsigned a, b, c, d;
	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & 1u << 31))
		return;
	f->hypervisor = REC_HV_OTHER;
	for (unsigned base = 0x40000000u; base <= 0x40000100u; base += 0x100u) {
		__cpuid(base, a, b, c, d);
		unsigned text[3] = {b, c, d}, most = a;
		for (size_t i = 0; i < sizeof signatures / sizeof *signatures; i++) {
			const struct signature *s = &signatures[i];
			/* KVM of long ago says 0 for its last leaf, and means 1. */
			if (memcmp(text, s->text, sizeof text) || (most && most < base + s->leaf))
				continue;
			f->hypervisor = s->is;
			f->stable = false;
			if (s->leaf) {
				__cpuid(base + s->leaf, a, b, c, d);
				f->stable = a >> s->bit & 1;
			}
		}
	}
}

static struct rec_reading read_here(int cpu)
{
	struct rec_reading best = {.wide = UINT64_MAX};
	cpu_set_t one;
	CPU_ZERO(&one);
	CPU_SET((unsigned)cpu, &one);
	if (sched_setaffinity(0, sizeof one, &one))
		return best;
	for (int i = 0; i < TRIES; i++) {
		uint64_t before = __builtin_ia32_rdtsc(), ns = weft_monotonic_ns(), after = __builtin_ia32_rdtsc();
		if (after - before < best.wide)
			best = (struct rec_reading){before + (after - before) / 2, ns, after - before};
	}
	return best;
}

/* Evenly picked; the first once more at the end. */
static enum rec_agree measure(void)
{
	struct rec_reading at[CPUS_MOST + 1];
	cpu_set_t may;
	unsigned n = 0, seen = 0;
	int first = -1;
	if (sched_getaffinity(0, sizeof may, &may))
		return REC_AGREE_UNKNOWN;
	unsigned every = ((unsigned)CPU_COUNT(&may) + CPUS_MOST - 1) / CPUS_MOST;
	for (int i = 0; i < CPU_SETSIZE && n < CPUS_MOST; i++)
		if (CPU_ISSET((unsigned)i, &may) && seen++ % every == 0) {
			first = first < 0 ? i : first;
			at[n++] = read_here(i);
		}
	/* A line wants some length. */
	uint64_t from = weft_monotonic_ns();
	while (n && weft_monotonic_ns() - from < 200000)
		;
	if (n)
		at[n++] = read_here(first);
	(void)sched_setaffinity(0, sizeof may, &may);
	for (unsigned i = 0; i < n; i++)
		if (at[i].wide == UINT64_MAX)
			return REC_AGREE_UNKNOWN;
	return rec_tsc_agree(at, n);
}

void rec_tsc_look(struct rec_tsc_facts *out)
{
	*out = (struct rec_tsc_facts){.there = true, .invariant = tsc_is_invariant(), .readable = tsc_is_readable()};
	if (!out->invariant || !out->readable)
		return;
	out->listed = tsc_is_listed();
	if (out->listed)
		return;
	look_at_hypervisor(out);
	if (out->stable)
		out->agree = measure();
}

#else

void rec_tsc_look(struct rec_tsc_facts *out)
{
	*out = (struct rec_tsc_facts){.there = false};
}

#endif
