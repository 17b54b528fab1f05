/* SPDX-License-Identifier: Apache-2.0 */
#include "sample_run.h"

static struct sample_run run;

TEST(panels_area_of_one_kind_is_the_work_by_the_workers)
{
	run_init(&run, (const char *const[]){"CPU 0", "CPU 1", "CPU 2"}, 3);
	run_task(&run, 1, 1, 0, 700, NULL, 0);
	run_task(&run, 1, 1, 1, 300, NULL, 0);
	run_task(&run, 2, 1, 1, 500, NULL, 0);
	run_bounds(&run);
	CHECK_U64(run.p.area, 500);
	CHECK_U64(run.p.path, 700);
	run_fini(&run);
}

/* Tasks of one footprint are a type, those of another are not: 10 ns on the device would be 100 for the large ones. */
TEST(panels_types_go_by_footprint)
{
	run_init(&run, (const char *const[]){"CPU 0", "OpenCL 0"}, 2);
	run_task(&run, 1, 1, 0, 100, NULL, 0);
	run_task(&run, 1, 1, 1, 10, NULL, 0);
	run_task(&run, 1, 2, 0, 1000, NULL, 0);
	run_bounds(&run);
	CHECK_U64(run.p.type.n, 2);
	CHECK_U64(run.p.area, 1000); /* the large one stays on the CPU, both small ones go to the device */
	CHECK_U64(run.p.path, 1000);
	run_fini(&run);
}

/* a (CPU 400, device 100) then b (CPU 50): b has its own time, since its type is slower on the device. */
TEST(panels_path_takes_the_faster_kind)
{
	run_init(&run, (const char *const[]){"CPU 0", "OpenCL 0"}, 2);
	run_task(&run, 1, 1, 0, 400, NULL, 0);
	run_task(&run, 1, 1, 1, 100, NULL, 0);
	run_task(&run, 2, 1, 0, 50, (const uint32_t[]){0}, 1);
	run_task(&run, 2, 1, 1, 90, (const uint32_t[]){1}, 1);
	run_bounds(&run);
	CHECK_U64(run.p.path, 150); /* from either a: 100, then 50 */
	run_fini(&run);
}

/* What two kinds of workers need at least: the types that the device gains most on go there first. */
static double share_out(const struct panels *p, double all_on_cpu, double cpus, double devices)
{
	double cpu = all_on_cpu, device = 0;
	bool done[64] = {false};
	REQUIRE(p->type.n <= 64);
	for (;;) {
		double best = 0, on_cpu = 0, on_device = 0;
		size_t at = p->type.n;
		for (size_t i = 0; i < p->type.n; i++) {
			const struct panels_type *t = &p->type.at[i];
			double n = (double)(t->n[0] + t->n[1]), a = (double)t->ns[0] / (double)t->n[0],
			       b = (double)t->ns[1] / (double)t->n[1];
			if (!done[i] && a / b > best) {
				best = a / b;
				at = i;
				on_cpu = a * n;
				on_device = b * n;
			}
		}
		if (at == p->type.n)
			return cpu / cpus > device / devices ? cpu / cpus : device / devices;
		if ((device + on_device) / devices >= (cpu - on_cpu) / cpus) { /* a part x of it, so that both end at once */
			double x = (cpu / cpus - device / devices) / (on_device / devices + on_cpu / cpus);
			return x > 0 ? (cpu - x * on_cpu) / cpus : cpu / cpus;
		}
		done[at] = true;
		cpu -= on_cpu;
		device += on_device;
	}
}

TEST(panels_area_of_two_kinds_is_as_shared_out_by_gain)
{
	static const char *const names[] = {"CPU 0", "CPU 1", "CPU 2", "OpenCL 0"};
	for (unsigned round = 0; round < 30; round++) {
		run_init(&run, names, 4);
		for (unsigned i = 0; i < 200; i++) {
			unsigned region = i % 7 + 1;
			/* Each type was on both kinds. */
			run_task(&run, region, i % 3,
			         i < 21   ? 0
			         : i < 42 ? 3
			                  : test_random() % 4,
			         100 + test_random() % 10000, NULL, 0);
		}
		run_bounds(&run);
		double all = 0;
		for (size_t i = 0; i < run.p.type.n; i++) {
			const struct panels_type *t = &run.p.type.at[i];
			all += (double)t->ns[0] / (double)t->n[0] * (double)(t->n[0] + t->n[1]);
		}
		double want = share_out(&run.p, all, 3, 1);
		CHECK(run.p.area > want * 0.999999 - 1 && run.p.area < want * 1.000001 + 1);
		run_fini(&run);
	}
}

/* Whatever ran: no bound is above the time that it took, with more types than the linear program takes, too. */
TEST(panels_bounds_are_never_above_what_was_measured)
{
	static const char *const names[] = {"CPU 0", "CPU 1", "OpenCL 0", "OpenCL 1", "FPGA 0"};
	for (unsigned round = 0; round < 40; round++) {
		run_init(&run, names, 5);
		unsigned footprints = round % 2 ? 3 : 100;
		for (unsigned i = 0; i < 500; i++) {
			uint32_t before[RUN_BEFORE];
			unsigned n = i ? (unsigned)(test_random() % RUN_BEFORE) : 0;
			for (unsigned k = 0; k < n; k++)
				before[k] = (uint32_t)(test_random() % i);
			run_task(&run, 1 + (unsigned)(test_random() % 7), (uint32_t)(test_random() % footprints),
			         (unsigned)(test_random() % 5), 1 + test_random() % 100000, before, n);
		}
		run_bounds(&run);
		CHECK(run.p.area <= run.end + 1);
		CHECK(run.p.path <= run.end);
		CHECK(run.p.area > run.end / 20 && run.p.path > 0);
		run_fini(&run);
	}
}
