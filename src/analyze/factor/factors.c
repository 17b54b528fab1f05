/* SPDX-License-Identifier: Apache-2.0 */
/* The formulas, one function for each model; what no event speaks of stays NAN and makes NAN of what is made of it. */
#include "factors.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* clang-format off */
const struct weft_factor_info weft_factor_info[WEFT_FACTORS] = {
	[WEFT_FACTOR_PARALLEL] = {"Parallel efficiency", "parallel_efficiency", 0, false, "cores wait: see the factors below"},
	[WEFT_FACTOR_BALANCE] = {"Load balance", "load_balance", 1, false, "some compute longer than others"},
	[WEFT_FACTOR_COMMUNICATION] = {"Communication efficiency", "communication_efficiency", 1, false, "even the busiest one waits"},
	[WEFT_FACTOR_SERIALIZATION] = {"Serialization efficiency", "serialization_efficiency", 2, false, "waits for each other remain on an ideal network"},
	[WEFT_FACTOR_TRANSFER] = {"Transfer efficiency", "transfer_efficiency", 2, false, "the network takes time"},
	[WEFT_FACTOR_COMPUTATION] = {"Computation scalability", "computation_scalability", 0, false, "more time to compute than in the first run"},
	[WEFT_FACTOR_GLOBAL] = {"Global efficiency", "global_efficiency", 0, false, "parallel efficiency times computation scalability"},
	[WEFT_FACTOR_IPC_SCALABILITY] = {"IPC scalability", "ipc_scalability", 0, false, "fewer instructions a cycle than in the first run"},
	[WEFT_FACTOR_INSTRUCTION_SCALABILITY] = {"Instruction scalability", "instruction_scalability", 0, false, "more instructions than in the first run"},
	[WEFT_FACTOR_FREQUENCY_SCALABILITY] = {"Frequency scalability", "frequency_scalability", 0, false, "slower clocks than in the first run"},
	[WEFT_FACTOR_SPEEDUP] = {"Speedup", "speedup", 0, true, ""},
	[WEFT_FACTOR_IPC] = {"Average IPC", "average_ipc", 0, true, ""},
	[WEFT_FACTOR_FREQUENCY] = {"Average frequency (GHz)", "average_frequency_ghz", 0, true, ""},
	[WEFT_FACTOR_MPI_PARALLEL] = {"MPI parallel efficiency", "mpi_parallel_efficiency", 0, false, "processes wait in MPI"},
	[WEFT_FACTOR_MPI_BALANCE] = {"MPI load balance", "mpi_load_balance", 1, false, "some processes are longer outside of MPI than others"},
	[WEFT_FACTOR_MPI_COMMUNICATION] = {"MPI communication efficiency", "mpi_communication_efficiency", 1, false, "even the busiest process waits in MPI"},
	[WEFT_FACTOR_OPENMP_PARALLEL] = {"OpenMP parallel efficiency", "openmp_parallel_efficiency", 0, false, "threads wait inside of processes"},
	[WEFT_FACTOR_OPENMP_BALANCE] = {"OpenMP load balance", "openmp_load_balance", 1, false, "some threads compute longer than others"},
	[WEFT_FACTOR_OPENMP_COMMUNICATION] = {"OpenMP communication efficiency", "openmp_communication_efficiency", 1, false, "synchronisation, and what only one thread does"},
	[WEFT_FACTOR_ADD_PARALLEL] = {"Parallel efficiency (additive)", "additive_parallel_efficiency", 0, false, ""},
	[WEFT_FACTOR_ADD_PROCESS] = {"Process level efficiency", "additive_process_efficiency", 1, false, "lost by processes"},
	[WEFT_FACTOR_ADD_PROCESS_BALANCE] = {"Process level load balance", "additive_process_load_balance", 2, false, "some processes work longer than others"},
	[WEFT_FACTOR_ADD_PROCESS_COMMUNICATION] = {"Process level communication efficiency", "additive_process_communication", 2, false, "processes wait in MPI"},
	[WEFT_FACTOR_ADD_TRANSFER] = {"Process level transfer efficiency", "additive_process_transfer", 3, false, "the network takes time"},
	[WEFT_FACTOR_ADD_SERIALIZATION] = {"Process level serialization efficiency", "additive_process_serialization", 3, false, "processes wait for each other"},
	[WEFT_FACTOR_ADD_THREAD] = {"Thread level efficiency", "additive_thread_efficiency", 1, false, "lost by threads inside of processes"},
	[WEFT_FACTOR_ADD_OPENMP] = {"OpenMP region efficiency", "additive_openmp_efficiency", 2, false, "lost inside of parallel regions"},
	[WEFT_FACTOR_ADD_SERIAL] = {"Serial region efficiency", "additive_serial_efficiency", 2, false, "cores idle while one thread computes"},
	[WEFT_FACTOR_HOST_OFFLOAD] = {"Device offload efficiency", "device_offload_efficiency", 0, false, "the host waits for its devices"},
	[WEFT_FACTOR_DEVICE_PARALLEL] = {"Device parallel efficiency", "device_parallel_efficiency", 0, false, "devices do not compute"},
	[WEFT_FACTOR_DEVICE_BALANCE] = {"Device load balance", "device_load_balance", 1, false, "some devices compute longer than others"},
	[WEFT_FACTOR_DEVICE_COMMUNICATION] = {"Device communication efficiency", "device_communication_efficiency", 1, false, "copies are not hidden behind kernels"},
	[WEFT_FACTOR_DEVICE_ORCHESTRATION] = {"Device orchestration efficiency", "device_orchestration_efficiency", 1, false, "even the busiest device idles"},
	[WEFT_FACTOR_INSTRUCTION_BALANCE] = {"Balance of instructions", "instruction_balance", 0, false, "some have more work than others"},
	[WEFT_FACTOR_CYCLE_BALANCE] = {"Balance of cycles", "cycle_balance", 0, false, ""},
	[WEFT_FACTOR_IPC_BALANCE] = {"Balance of IPC", "ipc_balance", 0, false, "some are slower at the same work"},
	[WEFT_FACTOR_P2P_BALANCE] = {"Balance of point-to-point time", "p2p_balance", 0, false, ""},
	[WEFT_FACTOR_COLLECTIVE_BALANCE] = {"Balance of collective time", "collective_balance", 0, false, ""},
	[WEFT_FACTOR_MIPS] = {"MIPS", "mips", 0, true, ""},
};
/* clang-format on */
const char *const weft_scaling_names[] = {"auto", "strong", "weak", NULL};

/* Of one figure for each thread (or process): what factors ask of it. */
struct spread {
	double total, max;
	uint32_t n;
};

static void spread_add(struct spread *s, double v)
{
	s->total += v;
	s->max = s->n == 0 || v > s->max ? v : s->max;
	s->n++;
}

static double spread_average(const struct spread *s)
{
	return s->n ? s->total / s->n : NAN;
}

/* Average over greatest; NAN where there is none of it. */
static double spread_balance(const struct spread *s)
{
	return s->n && s->max > 0 ? spread_average(s) / s->max : NAN;
}

static double parts(double a, double b)
{
	return b > 0 ? a / b : NAN;
}

static struct spread spread_of(const struct weft_usage *u, enum weft_usage_of of, uint32_t bin)
{
	struct spread s = {0};
	for (uint32_t t = 0; t < u->n_threads && u->sum[of]; t++)
		spread_add(&s, weft_usage_at(u, of, t, bin));
	return s;
}

static void compute_plain(struct weft_factors *f, const struct weft_usage *u, uint32_t bin)
{
	double *v = f->value;
	const struct spread useful = spread_of(u, WEFT_USAGE_USEFUL, bin);
	f->useful_total = useful.total;
	f->useful_average = spread_average(&useful);
	f->useful_max = useful.n ? useful.max : NAN;
	v[WEFT_FACTOR_BALANCE] = spread_balance(&useful);
	v[WEFT_FACTOR_COMMUNICATION] = parts(f->useful_max, f->runtime);
	v[WEFT_FACTOR_PARALLEL] = parts(f->useful_average, f->runtime);
}

static void compute_counters(struct weft_factors *f, const struct weft_usage *u, uint32_t bin)
{
	double *v = f->value;
	struct spread ipc = {0};
	const struct spread instructions = spread_of(u, WEFT_USAGE_INSTRUCTIONS, bin),
			    cycles = spread_of(u, WEFT_USAGE_CYCLES, bin);
	for (uint32_t t = 0; t < u->n_threads && instructions.n && cycles.n; t++)
		if (weft_usage_at(u, WEFT_USAGE_CYCLES, t, bin) > 0)
			spread_add(&ipc, weft_usage_at(u, WEFT_USAGE_INSTRUCTIONS, t, bin) /
			                         weft_usage_at(u, WEFT_USAGE_CYCLES, t, bin));
	f->instructions = instructions.n ? instructions.total : NAN;
	f->cycles = cycles.n ? cycles.total : NAN;
	v[WEFT_FACTOR_IPC] = parts(f->instructions, f->cycles);
	v[WEFT_FACTOR_FREQUENCY] = parts(f->cycles, f->useful_total);
	v[WEFT_FACTOR_MIPS] = parts(f->instructions * 1000, f->useful_total);
	v[WEFT_FACTOR_INSTRUCTION_BALANCE] = spread_balance(&instructions);
	v[WEFT_FACTOR_CYCLE_BALANCE] = spread_balance(&cycles);
	v[WEFT_FACTOR_IPC_BALANCE] = spread_balance(&ipc);
}

static void compute_calls(struct weft_factors *f, const struct weft_usage *u, uint32_t bin)
{
	const struct spread p2p = spread_of(u, WEFT_USAGE_P2P, bin), collective = spread_of(u, WEFT_USAGE_COLLECTIVE, bin);
	f->value[WEFT_FACTOR_P2P_BALANCE] = spread_balance(&p2p);
	f->value[WEFT_FACTOR_COLLECTIVE_BALANCE] = spread_balance(&collective);
}

/* ---- accelerators ---- */

static void compute_devices(struct weft_factors *f, const struct weft_usage *u, uint32_t bin)
{
	double *v = f->value;
	struct spread kernel = {0}, busy = {0};
	const struct spread offload = spread_of(u, WEFT_USAGE_OFFLOAD, bin);
	f->n_devices = u->n_devices;
	for (uint32_t d = 0; d < u->n_devices; d++) {
		const size_t at = (size_t)d * u->n_bins + bin;
		spread_add(&kernel, u->kernel[at]);
		spread_add(&busy, u->kernel[at] + u->copy[at]);
	}
	if (offload.n)
		v[WEFT_FACTOR_HOST_OFFLOAD] = parts(f->useful_total, f->useful_total + offload.total);
	v[WEFT_FACTOR_DEVICE_BALANCE] = spread_balance(&kernel);
	v[WEFT_FACTOR_DEVICE_COMMUNICATION] = kernel.n ? parts(kernel.max, busy.max) : NAN;
	v[WEFT_FACTOR_DEVICE_ORCHESTRATION] = kernel.n ? parts(busy.max, f->runtime) : NAN;
	v[WEFT_FACTOR_DEVICE_PARALLEL] = kernel.n ? parts(spread_average(&kernel), f->runtime) : NAN;
}

/* ---- processes and their threads ---- */

struct process_use {             /* on the first thread, but for what the threads add */
	double outside;          /* of MPI */
	double parallel, serial; /* in parallel regions; useful outside of them */
	double parallel_useful;  /* of all threads, in their own process's regions */
	uint32_t n_threads;
};

static void process_add(struct process_use *p, const struct weft_usage *u, uint32_t thread, uint32_t bin)
{
	const double useful = weft_usage_at(u, WEFT_USAGE_USEFUL, thread, bin),
		     inside = weft_usage_at(u, WEFT_USAGE_PARALLEL_USEFUL, thread, bin);
	p->n_threads++;
	if (weft_usage_is_first(u, thread)) {
		p->outside = weft_usage_length(u, bin) - weft_usage_at(u, WEFT_USAGE_MPI, thread, bin);
		p->parallel = weft_usage_at(u, WEFT_USAGE_PARALLEL, thread, bin);
		p->serial = useful - inside;
		p->parallel_useful += inside;
	} else {
		p->parallel_useful += useful;
	}
}

static void compute_hybrid(struct weft_factors *f, const struct process_use *process, uint32_t n)
{
	double *v = f->value;
	struct spread outside = {0};
	for (uint32_t p = 0; p < n; p++)
		if (process[p].n_threads)
			spread_add(&outside, process[p].outside);
	v[WEFT_FACTOR_MPI_BALANCE] = spread_balance(&outside);
	v[WEFT_FACTOR_MPI_COMMUNICATION] = parts(outside.max, f->runtime);
	v[WEFT_FACTOR_MPI_PARALLEL] = parts(spread_average(&outside), f->runtime);
	v[WEFT_FACTOR_OPENMP_PARALLEL] = parts(v[WEFT_FACTOR_PARALLEL], v[WEFT_FACTOR_MPI_PARALLEL]);
	v[WEFT_FACTOR_OPENMP_BALANCE] = parts(v[WEFT_FACTOR_BALANCE], v[WEFT_FACTOR_MPI_BALANCE]);
	v[WEFT_FACTOR_OPENMP_COMMUNICATION] = parts(v[WEFT_FACTOR_COMMUNICATION], v[WEFT_FACTOR_MPI_COMMUNICATION]);
}

/* Averages are over threads: a process counts as often as it has threads. */
static void compute_additive(struct weft_factors *f, const struct process_use *process, uint32_t n)
{
	double *v = f->value;
	double parallel = 0, serial = 0, serial_useful = 0, parallel_useful = 0, most = 0, threads = 0;
	for (uint32_t p = 0; p < n; p++) {
		const struct process_use *x = &process[p];
		threads += x->n_threads;
		parallel += x->n_threads * x->parallel;
		serial += x->n_threads * x->serial;
		serial_useful += x->serial;
		parallel_useful += x->parallel_useful;
		most = x->parallel + x->serial > most ? x->parallel + x->serial : most;
	}
	const double average = parts(parallel + serial, threads), lost = threads > 0 ? f->runtime : 0;
	v[WEFT_FACTOR_ADD_PROCESS] = parts(average, lost);
	v[WEFT_FACTOR_ADD_PROCESS_BALANCE] = 1 - parts(most - average, lost);
	v[WEFT_FACTOR_ADD_PROCESS_COMMUNICATION] = parts(most, lost);
	v[WEFT_FACTOR_ADD_OPENMP] = 1 - parts(parts(parallel - parallel_useful, threads), lost);
	v[WEFT_FACTOR_ADD_SERIAL] = 1 - parts(parts(serial - serial_useful, threads), lost);
	v[WEFT_FACTOR_ADD_THREAD] = v[WEFT_FACTOR_ADD_OPENMP] + v[WEFT_FACTOR_ADD_SERIAL] - 1;
	v[WEFT_FACTOR_ADD_PARALLEL] = v[WEFT_FACTOR_ADD_PROCESS] + v[WEFT_FACTOR_ADD_THREAD] - 1;
}

int weft_factors_compute(struct weft_factors *f, const struct weft_usage *u, uint32_t bin)
{
	struct process_use *process = calloc((size_t)u->n_processes + 1, sizeof *process);
	*f = (struct weft_factors){.n_processes = u->n_processes,
	                           .n_threads = u->n_threads,
	                           .runtime = weft_usage_length(u, bin),
	                           .ideal_runtime = NAN,
	                           .ideal_useful_max = NAN};
	for (unsigned i = 0; i < WEFT_FACTORS; i++)
		f->value[i] = NAN;
	if (!process)
		return -ENOMEM;
	compute_plain(f, u, bin);
	compute_counters(f, u, bin);
	compute_calls(f, u, bin);
	compute_devices(f, u, bin);
	for (uint32_t t = 0; t < u->n_threads; t++)
		process_add(&process[u->process_of[t]], u, t, bin);
	if (u->sum[WEFT_USAGE_MPI])
		compute_hybrid(f, process, u->n_processes);
	if (u->sum[WEFT_USAGE_PARALLEL] || u->n_threads == u->n_processes) /* else nobody says what threads wait for */
		compute_additive(f, process, u->n_processes);
	for (unsigned i = 0; i < 2 && u->messages[i]; i++) {
		f->messages[i] = u->messages[i][bin];
		f->bytes[i] = u->bytes[i][bin];
	}
	free(process);
	return 0;
}

void weft_factors_set_ideal(struct weft_factors *f, double runtime, double useful_max)
{
	double *v = f->value;
	f->ideal_runtime = runtime;
	f->ideal_useful_max = useful_max;
	v[WEFT_FACTOR_SERIALIZATION] = parts(useful_max, runtime);
	v[WEFT_FACTOR_TRANSFER] = parts(v[WEFT_FACTOR_COMMUNICATION], v[WEFT_FACTOR_SERIALIZATION]);
	if (isnan(v[WEFT_FACTOR_ADD_PROCESS]))
		return;
	v[WEFT_FACTOR_ADD_TRANSFER] = parts(runtime, f->runtime);
	v[WEFT_FACTOR_ADD_SERIALIZATION] = v[WEFT_FACTOR_ADD_PROCESS_COMMUNICATION] + 1 - v[WEFT_FACTOR_ADD_TRANSFER];
}

/* ---- runs beside each other ---- */

static double size_of(const struct weft_factors *f, bool counted)
{
	return counted ? f->instructions : f->useful_total;
}

/* As the work grows with the threads (by more than 0.9 of them on average) or stays. */
static bool grows(const struct weft_factors *f, uint32_t n)
{
	double sum = 0;
	bool counted = true;
	for (uint32_t i = 0; i < n; i++)
		counted = counted && f[i].instructions > 0;
	for (uint32_t i = 1; i < n; i++)
		sum += size_of(&f[i], counted) / size_of(&f[0], counted) / ((double)f[i].n_threads / f[0].n_threads);
	return n > 1 && sum / (n - 1) > 0.9;
}

enum weft_scaling weft_factors_scale(struct weft_factors *f, uint32_t n, enum weft_scaling how)
{
	if (how == WEFT_SCALING_AUTO)
		how = grows(f, n) ? WEFT_SCALING_WEAK : WEFT_SCALING_STRONG;
	for (uint32_t i = 0; i < n; i++) {
		double *v = f[i].value;
		const double ranks = how == WEFT_SCALING_WEAK ? (double)f[i].n_threads / f[0].n_threads : 1;
		v[WEFT_FACTOR_COMPUTATION] = parts(f[0].useful_total * ranks, f[i].useful_total);
		v[WEFT_FACTOR_GLOBAL] = v[WEFT_FACTOR_PARALLEL] * v[WEFT_FACTOR_COMPUTATION];
		v[WEFT_FACTOR_INSTRUCTION_SCALABILITY] = parts(f[0].instructions * ranks, f[i].instructions);
		v[WEFT_FACTOR_IPC_SCALABILITY] = parts(v[WEFT_FACTOR_IPC], f[0].value[WEFT_FACTOR_IPC]);
		v[WEFT_FACTOR_FREQUENCY_SCALABILITY] = parts(v[WEFT_FACTOR_FREQUENCY], f[0].value[WEFT_FACTOR_FREQUENCY]);
		v[WEFT_FACTOR_SPEEDUP] = parts(f[0].runtime * ranks, f[i].runtime);
	}
	return how;
}
