/* SPDX-License-Identifier: Apache-2.0 */
/* Doctor: clocks. What an event's time costs, and whether the counters of different cpus agree. */
#include "base/clock.h"
#include "doctor.h"
#include "record/rec_trust.h"
#include <errno.h>
#include <linux/rseq.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { COST_LOOPS = 20000, SKEW_ROUNDS = 2000, SKEW_CPUS = 16 };

static void check_clock_source(struct doctor_report *r)
{
	char now[64], all[128];
	if (!doctor_read_line("/sys/devices/system/clocksource/clocksource0/current_clocksource", now, sizeof now)) {
		doctor_say(r, DOCTOR_PARTLY, "the kernel does not say which it uses");
		return;
	}
	if (!doctor_read_line("/sys/devices/system/clocksource/clocksource0/available_clocksource", all, sizeof all))
		all[0] = '\0';
	if (all[0] && all[strlen(all) - 1] == ' ')
		all[strlen(all) - 1] = '\0';
	doctor_say(r, DOCTOR_YES, "%s (of: %s)", now, all);
}

static double cost_of_gettime(void)
{
	struct timespec ts;
	uint64_t least = UINT64_MAX;
	for (int round = 0; round < 5; round++) {
		uint64_t begin = weft_monotonic_ns();
		for (int i = 0; i < COST_LOOPS; i++)
			clock_gettime(CLOCK_MONOTONIC, &ts);
		uint64_t took = weft_monotonic_ns() - begin;
		least = took < least ? took : least;
	}
	return (double)least / COST_LOOPS;
}

static void check_monotonic(struct doctor_report *r)
{
	double ns = cost_of_gettime();
	if (ns < 200)
		doctor_say(r, DOCTOR_YES, "%.1f ns a reading", ns);
	else
		doctor_say(r, DOCTOR_PARTLY,
		           "%.0f ns a reading: it is a system call here, and events recorded by it are expensive", ns);
}

#if defined __x86_64__

static double cost_of_tsc(void)
{
	uint64_t least = UINT64_MAX, sum = 0;
	for (int round = 0; round < 5; round++) {
		uint64_t begin = weft_monotonic_ns();
		for (int i = 0; i < COST_LOOPS; i++)
			sum += __builtin_ia32_rdtsc();
		uint64_t took = weft_monotonic_ns() - begin;
		least = took < least ? took : least;
	}
	return sum ? (double)least / COST_LOOPS : 0;
}

/* What the recorder does in this very place. */
static void check_tsc(struct doctor_report *r)
{
	struct rec_tsc_facts facts;
	const char *why;
	double ns = cost_of_tsc();
	rec_tsc_look(&facts);
	if (rec_tsc_trusted(&facts, &why))
		doctor_say(r, DOCTOR_YES, "used, %.1f ns a reading: %s", ns, why);
	else
		doctor_say(r, DOCTOR_NO, "CLOCK_MONOTONIC is used: %s (rdtsc would take %.1f ns)", why, ns);
}

/*
 * The other cpu's counter against ours: we ask, it answers with its counter. The difference to the middle of our two readings
 * is known to half of the round trip; the shortest of many round trips tells most.
 */
struct skew {
	_Alignas(64) _Atomic uint32_t asked;
	_Alignas(64) _Atomic uint32_t answered;
	_Atomic uint64_t answer;
	int cpu;
	atomic_bool pinned, failed;
};

static bool pin_to(int cpu)
{
	cpu_set_t set;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof set, &set) == 0;
}

static void *skew_answer(void *arg)
{
	struct skew *s = arg;
	atomic_store(&s->failed, !pin_to(s->cpu));
	atomic_store(&s->pinned, true);
	for (uint32_t i = 1; i <= SKEW_ROUNDS && !atomic_load(&s->failed); i++) {
		while (atomic_load_explicit(&s->asked, memory_order_acquire) != i)
			__builtin_ia32_pause();
		atomic_store_explicit(&s->answer, __builtin_ia32_rdtsc(), memory_order_relaxed);
		atomic_store_explicit(&s->answered, i, memory_order_release);
	}
	return NULL;
}

/* Ticks by which `cpu` is ahead of this one, and how sure that is; false when it cannot be measured. */
static bool measure_skew(int cpu, int64_t *ahead, int64_t *sure)
{
	static struct skew s;
	pthread_t thread;
	memset(&s, 0, sizeof s);
	s.cpu = cpu;
	*sure = INT64_MAX;
	if (pthread_create(&thread, NULL, skew_answer, &s))
		return false;
	while (!atomic_load(&s.pinned))
		sched_yield();
	for (uint32_t i = 1; i <= SKEW_ROUNDS && !atomic_load(&s.failed); i++) {
		int64_t before = (int64_t)__builtin_ia32_rdtsc();
		atomic_store_explicit(&s.asked, i, memory_order_release);
		while (atomic_load_explicit(&s.answered, memory_order_acquire) != i)
			__builtin_ia32_pause();
		int64_t after = (int64_t)__builtin_ia32_rdtsc();
		if ((after - before + 1) / 2 < *sure) {
			*sure = (after - before + 1) / 2;
			*ahead = (int64_t)atomic_load(&s.answer) - before - (after - before) / 2;
		}
	}
	pthread_join(thread, NULL);
	return !atomic_load(&s.failed);
}

static double ticks_per_ns(void)
{
	uint64_t t0 = __builtin_ia32_rdtsc(), m0 = weft_monotonic_ns();
	while (weft_monotonic_ns() - m0 < 5000000)
		;
	return (double)(__builtin_ia32_rdtsc() - t0) / (double)(weft_monotonic_ns() - m0);
}

/* Up to SKEW_CPUS of the allowed cpus, evenly picked. */
static int pick_cpus(int *cpu)
{
	cpu_set_t set;
	int n = 0, seen = 0;
	if (sched_getaffinity(0, sizeof set, &set))
		return 0;
	int all = CPU_COUNT(&set), every = (all + SKEW_CPUS - 1) / SKEW_CPUS;
	for (int i = 0; i < CPU_SETSIZE && n < SKEW_CPUS; i++)
		if (CPU_ISSET(i, &set) && seen++ % every == 0)
			cpu[n++] = i;
	return n;
}

static void check_skew(struct doctor_report *r)
{
	int cpu[SKEW_CPUS], n = pick_cpus(cpu), worst_cpu = -1;
	int64_t worst = 0, widest = 0;
	double rate = ticks_per_ns();
	if (n < 2 || !pin_to(cpu[0])) {
		doctor_say(r, DOCTOR_YES, "only one cpu is allowed to this process");
		return;
	}
	for (int i = 1; i < n; i++) {
		int64_t ahead = 0, sure = 0;
		if (!measure_skew(cpu[i], &ahead, &sure)) {
			doctor_say(r, DOCTOR_PARTLY, "cannot be measured: no thread runs on cpu %d", cpu[i]);
			return;
		}
		int64_t skew = ahead < 0 ? -ahead : ahead;
		widest = sure > widest ? sure : widest;
		if (skew > sure && skew - sure > worst) {
			worst = skew - sure;
			worst_cpu = cpu[i];
		}
	}
	if (worst_cpu < 0)
		doctor_say(r, DOCTOR_YES, "none between %d cpus, within the %.0f ns that can be seen", n, (double)widest / rate);
	else
		doctor_say(r, DOCTOR_NO,
		           "cpu %d differs from cpu %d by at least %.0f ns: events of migrating threads can go back in time",
		           worst_cpu, cpu[0], (double)worst / rate);
}

#else

static void check_tsc(struct doctor_report *r)
{
	doctor_say(r, DOCTOR_NO, "this processor has none; CLOCK_MONOTONIC is used");
}

static void check_skew(struct doctor_report *r)
{
	doctor_say(r, DOCTOR_YES, "CLOCK_MONOTONIC is the same on all cpus");
}

#endif

/* glibc 2.35 and later registers the area; older ones have no such symbols. */
extern __attribute__((weak)) const ptrdiff_t __rseq_offset;
extern __attribute__((weak)) const unsigned int __rseq_size;

static void check_rseq(struct doctor_report *r)
{
	if (&__rseq_size == NULL || __rseq_size == 0) {
		doctor_say(r, DOCTOR_NO,
		           "the C library has not registered it; the cpu of a thread is asked for now and then instead");
		return;
	}
	const struct rseq *area = (const struct rseq *)((char *)__builtin_thread_pointer() + __rseq_offset);
	int seen = (int)*(const volatile uint32_t *)&area->cpu_id, now = sched_getcpu();
	if (seen < 0 || now < 0)
		doctor_say(r, DOCTOR_NO, "the kernel does not keep it up to date");
	else
		doctor_say(r, DOCTOR_YES, "a thread knows its cpu without a call, and each migration is seen");
}

const struct doctor_check doctor_clock_checks[] = {
	{"clock-source", "the kernel's own clock", check_clock_source},
	{"monotonic", "time without a system call", check_monotonic},
	{"tsc", "time of an event from the cpu", check_tsc},
	{"tsc-skew", "equal times on all cpus", check_skew},
	{"rseq", "where a thread runs", check_rseq},
	{0},
};
