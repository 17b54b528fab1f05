/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Factors from sums that are made up, against what POP's formulas give by hand.
 * Two processes of two threads, 100 ns: useful 80, 40 | 60, 20; MPI of the first threads 10 | 30; in parallel regions 50 | 40, of which useful 45 | 30.
 */
#include "analyze/factor/factors.h"
#include "harness.h"
#include <math.h>

enum { THREADS = 4 };
struct sums {
	double at[WEFT_USAGES][THREADS], edge[2];
	uint32_t process[THREADS], node[THREADS];
	struct weft_trace trace;
	struct weft_space space;
	struct weft_usage use;
};

static void make_sums(struct sums *s)
{
	static const double useful[THREADS] = {80, 40, 60, 20}, mpi[THREADS] = {10, 0, 30, 0}, parallel[THREADS] = {50, 0, 40, 0},
			    inside[THREADS] = {45, 0, 30, 0}, instructions[THREADS] = {160, 40, 120, 40},
			    cycles[THREADS] = {80, 40, 60, 20};
	static const double *const from[WEFT_USAGES] = {[WEFT_USAGE_USEFUL] = useful,
	                                                [WEFT_USAGE_MPI] = mpi,
	                                                [WEFT_USAGE_PARALLEL] = parallel,
	                                                [WEFT_USAGE_PARALLEL_USEFUL] = inside,
	                                                [WEFT_USAGE_INSTRUCTIONS] = instructions,
	                                                [WEFT_USAGE_CYCLES] = cycles};
	*s = (struct sums){.edge = {0, 100}, .process = {0, 0, 1, 1}, .space = {.unit_ns = 1}};
	s->trace.n_threads = THREADS;
	s->space.trace = &s->trace;
	s->use = (struct weft_usage){.space = &s->space,
	                             .n_threads = THREADS,
	                             .n_processes = 2,
	                             .process_of = s->process,
	                             .node_of = s->node,
	                             .n_bins = 1,
	                             .edge = s->edge};
	for (unsigned of = 0; of < WEFT_USAGES; of++)
		for (unsigned t = 0; t < THREADS && from[of]; t++) {
			s->at[of][t] = from[of][t];
			s->use.sum[of] = s->at[of];
		}
}

#define NEAR(factor, want) CHECK_NEAR(f.value[WEFT_FACTOR_##factor], want, 1e-12)

TEST(multiplicative)
{
	struct sums s;
	struct weft_factors f;
	make_sums(&s);
	REQUIRE(weft_factors_compute(&f, &s.use, 0) == 0);
	NEAR(PARALLEL, 0.5);
	NEAR(BALANCE, 50.0 / 80);
	NEAR(COMMUNICATION, 0.8);
	NEAR(IPC, 360.0 / 200);
	NEAR(FREQUENCY, 1);
	NEAR(MIPS, 1800);
	NEAR(INSTRUCTION_BALANCE, 90.0 / 160);
	NEAR(IPC_BALANCE, (2 + 1 + 2 + 2) / 4.0 / 2);
	CHECK(isnan(f.value[WEFT_FACTOR_SERIALIZATION]) && isnan(f.value[WEFT_FACTOR_P2P_BALANCE]));
	weft_factors_set_ideal(&f, 90, 80);
	NEAR(SERIALIZATION, 80.0 / 90);
	NEAR(TRANSFER, 0.9);
}

TEST(processes_and_threads_apart)
{
	struct sums s;
	struct weft_factors f;
	make_sums(&s);
	REQUIRE(weft_factors_compute(&f, &s.use, 0) == 0);
	NEAR(MPI_BALANCE, 80.0 / 90);
	NEAR(MPI_COMMUNICATION, 0.9);
	NEAR(MPI_PARALLEL, 0.8);
	NEAR(OPENMP_PARALLEL, 0.5 / 0.8);
	NEAR(OPENMP_BALANCE, 50.0 / 80 / (80.0 / 90));
	NEAR(OPENMP_COMMUNICATION, 0.8 / 0.9);
}

/* OpenMP 50 | 40, serial 35 | 30, weights of two threads each. */
TEST(additive_losses_add_up)
{
	struct sums s;
	struct weft_factors f;
	make_sums(&s);
	REQUIRE(weft_factors_compute(&f, &s.use, 0) == 0);
	NEAR(ADD_PROCESS, (45 + 32.5) / 100);
	NEAR(ADD_PROCESS_BALANCE, 1 - (85 - 77.5) / 100);
	NEAR(ADD_PROCESS_COMMUNICATION, 0.85);
	NEAR(ADD_OPENMP, 1 - (180 - 45 - 40 - 30 - 20) / 4.0 / 100);
	NEAR(ADD_SERIAL, 1 - (32.5 - 65 / 4.0) / 100);
	NEAR(ADD_PARALLEL, 0.5);
	NEAR(ADD_PROCESS, f.value[WEFT_FACTOR_ADD_PROCESS_BALANCE] + f.value[WEFT_FACTOR_ADD_PROCESS_COMMUNICATION] - 1);
	weft_factors_set_ideal(&f, 95, 80);
	NEAR(ADD_TRANSFER, 0.95);
	NEAR(ADD_PROCESS_COMMUNICATION, f.value[WEFT_FACTOR_ADD_TRANSFER] + f.value[WEFT_FACTOR_ADD_SERIALIZATION] - 1);
}

/* Two devices, 100 ns: kernels 60 and 20, copies 20 and 30; the host was in their calls for 50. */
TEST(devices)
{
	static double kernel[] = {60, 20}, copy[] = {20, 30}, offload[THREADS] = {50, 0, 0, 0};
	struct sums s;
	struct weft_factors f;
	make_sums(&s);
	s.use.n_devices = 2;
	s.use.kernel = kernel;
	s.use.copy = copy;
	s.use.sum[WEFT_USAGE_OFFLOAD] = offload;
	REQUIRE(weft_factors_compute(&f, &s.use, 0) == 0);
	NEAR(HOST_OFFLOAD, 200.0 / 250);
	NEAR(DEVICE_PARALLEL, 0.4);
	NEAR(DEVICE_BALANCE, 40.0 / 60);
	NEAR(DEVICE_COMMUNICATION, 60.0 / 80);
	NEAR(DEVICE_ORCHESTRATION, 0.8);
}

static void check_scaling(double instructions, enum weft_scaling want, double computation)
{
	struct weft_factors f[2];
	struct sums s;
	make_sums(&s);
	REQUIRE(weft_factors_compute(&f[0], &s.use, 0) == 0);
	f[1] = f[0];
	f[1].n_threads = 8;
	f[1].useful_total = 250;
	f[1].instructions = instructions;
	CHECK_I64(weft_factors_scale(f, 2, WEFT_SCALING_AUTO), want);
	CHECK_NEAR(f[1].value[WEFT_FACTOR_COMPUTATION], computation, 1e-12);
	CHECK_NEAR(f[0].value[WEFT_FACTOR_COMPUTATION], 1, 1e-12);
	CHECK_NEAR(f[1].value[WEFT_FACTOR_GLOBAL], computation * 0.5, 1e-12);
}

TEST(the_work_grows_or_stays)
{
	check_scaling(361, WEFT_SCALING_STRONG, 200.0 / 250);
	check_scaling(700, WEFT_SCALING_WEAK, 400.0 / 250);
}

TEST(nothing_at_all)
{
	struct sums s;
	struct weft_factors f;
	make_sums(&s);
	for (unsigned of = 0; of < WEFT_USAGES; of++)
		s.use.sum[of] = NULL;
	s.use.n_threads = s.use.n_processes = 0;
	REQUIRE(weft_factors_compute(&f, &s.use, 0) == 0);
	for (unsigned i = 0; i < WEFT_FACTORS; i++)
		CHECK(isnan(f.value[i]));
}
