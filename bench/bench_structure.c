/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clusters, autocorrelation and folding, against Debian's peers: R's dbscan (Rscript with r-cran-dbscan) and scikit-learn's DBSCAN on the same million points;
 * scipy's correlation by FFT, and FFTW's (python3-pyfftw), on the same ten million numbers. All use all processors, but for R's. The peers read the numbers from a file and print how long their call took, without
 * reading; where one is not installed it is said.
 */
#include "bench.h"
#include "analyze/cluster/dbscan.h"
#include "analyze/fold/fold_curve.h"
#include "analyze/phase/fourier.h"
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { POINTS = 1000000, MANY = 10000000, SAMPLES = 1000000, COUNTERS = 8, STEPS = 1000 };

static uint64_t seed = 88172645463325252u;
static double uniform(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (double)(seed >> 11) * 0x1p-53;
}

static double *room(size_t n)
{
	double *at = malloc(n * sizeof *at);
	if (!at)
		abort();
	return at;
}

/* Twenty blobs and a floor of five percent. */
static double *make_points(size_t n)
{
	double *at = room(2 * n);
	for (size_t i = 0; i < n; i++) {
		unsigned blob = (unsigned)(uniform() * 20);
		double r = 0.015 * sqrt(-2 * log(uniform() + 1e-300)), turn = 2 * M_PI * uniform();
		bool floor = uniform() < 0.05;
		at[2 * i] = floor ? uniform() : 0.1 + 0.2 * (blob % 5) + r * cos(turn);
		at[2 * i + 1] = floor ? uniform() : 0.1 + 0.25 * (blob / 5) + r * sin(turn);
	}
	return at;
}

static double *points, *series, *lags, *x, *y, *curve;
static uint32_t *label, *instance;
static char path[] = "/tmp/weft-bench-XXXXXX";

static void write_numbers(const double *at, size_t n)
{
	FILE *f = fopen(path, "w");
	if (!f || fwrite(at, sizeof *at, n, f) != n || fclose(f))
		abort();
}

/* A peer's own seconds, which it prints. */
static double peer(const char *format)
{
	char command[1024];
	double took = 0;
	snprintf(command, sizeof command, format, path);
	FILE *f = popen(command, "r");
	int got = f ? fscanf(f, "%lf", &took) : 0;
	if (f)
		pclose(f);
	return got == 1 ? took : bench_skip("not installed");
}

/* ---- clusters ---- */

struct cloud {
	size_t n;
	double eps;
};

static double dbscan(void *arg)
{
	const struct cloud *c = arg;
	struct weft_err err = {0};
	uint32_t clusters;
	points = points ? points : make_points(MANY);
	uint64_t from = bench_now_ns();
	if (weft_dbscan(&(struct weft_cloud){points, c->n, 2}, &(struct weft_dbscan_how){c->eps, 10, 0}, label, &clusters, &err))
		abort();
	bench_keep(clusters);
	return (double)(bench_now_ns() - from) / 1e9;
}

static double r_dbscan(void *arg)
{
	(void)arg;
	write_numbers(points, 2 * (size_t)POINTS);
	return peer(
		"Rscript -e 'suppressMessages(library(dbscan)); x <- matrix(readBin(\"%s\", \"double\", 2e6), ncol=2, byrow=TRUE);"
		"cat(system.time(dbscan(x, eps=0.002, minPts=10))[[3]], \"\\n\")' 2>/dev/null");
}

static double scikit_learn(void *arg)
{
	(void)arg;
	write_numbers(points, 2 * (size_t)POINTS);
	return peer(
		"/usr/bin/python3 -c 'import numpy, time; from sklearn.cluster import DBSCAN; x = numpy.fromfile(\"%s\").reshape(-1, 2);"
		"t = time.time(); DBSCAN(eps=0.002, min_samples=10, n_jobs=-1).fit(x); print(time.time() - t)' 2>/dev/null");
}

/* ---- autocorrelation ---- */

static double autocorrelation(void *arg)
{
	(void)arg;
	if (!series) {
		series = room(MANY);
		lags = room(MANY);
		for (size_t i = 0; i < MANY; i++)
			series[i] = sin((double)i * 0.001) + uniform();
	}
	uint64_t from = bench_now_ns();
	if (weft_autocorrelation(series, MANY, MANY / 2, 0, lags))
		abort();
	return (double)(bench_now_ns() - from) / 1e9;
}

static double scipy(void *arg)
{
	(void)arg;
	write_numbers(series, MANY);
	return peer(
		"/usr/bin/python3 -c 'import numpy, time; from scipy.fft import rfft, irfft, next_fast_len; x = numpy.fromfile(\"%s\");"
		"t = time.time(); x = x - x.mean(); n = next_fast_len(len(x) + len(x) // 2, True); f = rfft(x, n, workers=-1);"
		"irfft(abs(f) ** 2, n, workers=-1); print(time.time() - t)' 2>/dev/null");
}

/* Plans by estimate, made within the time; numpy only lends the memory. */
static double fftw(void *arg)
{
	(void)arg;
	write_numbers(series, MANY);
	return peer(
		"/usr/bin/python3 -c 'import numpy, time, os, pyfftw; x = numpy.fromfile(\"%s\"); m = len(x);"
		"n = pyfftw.next_fast_len(m + m // 2); a = pyfftw.zeros_aligned(n); f = pyfftw.empty_aligned(n // 2 + 1, \"complex128\");"
		"how = dict(threads=os.cpu_count(), flags=[\"FFTW_ESTIMATE\", \"FFTW_DESTROY_INPUT\"]); t = time.time();"
		"to = pyfftw.FFTW(a, f, **how); back = pyfftw.FFTW(f, a, direction=\"FFTW_BACKWARD\", **how);"
		"numpy.subtract(x, x.mean(), out=a[:m]); to.execute(); numpy.multiply(f, f.conj(), out=f); back.execute();"
		"print(time.time() - t)' 2>/dev/null");
}

/* ---- folding ---- */

static int ascending(const void *a, const void *b)
{
	double v = *(const double *)a, w = *(const double *)b;
	return v < w ? -1 : v > w;
}

static void make_samples(void)
{
	x = room(SAMPLES);
	y = room(SAMPLES);
	curve = room(3 * STEPS);
	for (size_t i = 0; i < SAMPLES; i++)
		x[i] = uniform();
	qsort(x, SAMPLES, sizeof *x, ascending);
	for (size_t i = 0; i < SAMPLES; i++) {
		instance[i] = (uint32_t)(uniform() * 1000);
		y[i] = x[i] * x[i] + 0.01 * uniform();
	}
}

static double fold(void *kriging)
{
	if (!x)
		make_samples();
	struct weft_fold_samples s = {x, y, instance, SAMPLES};
	uint64_t from = bench_now_ns();
	for (unsigned c = 0; c < COUNTERS; c++)
		if (kriging ? weft_fold_kriging(&s, 1e-4, STEPS, curve)
		            : weft_fold_monotone(&s, STEPS, curve, curve + STEPS, curve + 2 * STEPS))
			abort();
	return (double)(bench_now_ns() - from) / 1e9;
}

static struct cloud million = {POINTS, 0.002}, many = {MANY, 0.001};
static const struct bench_variant of_million[] = {{"ours", dbscan, &million},
                                                  {"r_dbscan", r_dbscan, NULL},
                                                  {"scikit_learn", scikit_learn, NULL},
                                                  {0}};
static const struct bench_variant of_many[] = {{"ours", dbscan, &many}, {0}};
static const struct bench_variant of_series[] = {{"ours", autocorrelation, NULL},
                                                 {"scipy", scipy, NULL},
                                                 {"fftw", fftw, NULL},
                                                 {0}};
static const struct bench_variant of_samples[] = {{"monotone", fold, NULL}, {"kriging", fold, &x}, {0}};
static const struct bench benches[] = {{"dbscan_1e6", "s", 3, of_million},
                                       {"dbscan_1e7", "s", 3, of_many},
                                       {"autocorrelation_1e7", "s", 7, of_series},
                                       {"fold_1e6_x8", "s", 7, of_samples},
                                       {0}};

int main(int argc, char **argv)
{
	int fd = mkstemp(path);
	if (fd < 0)
		abort();
	close(fd);
	label = malloc(MANY * sizeof *label);
	instance = malloc(SAMPLES * sizeof *instance);
	if (!label || !instance)
		abort();
	int status = bench_main(argc, argv, benches);
	unlink(path);
	return status;
}
