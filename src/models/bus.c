/* SPDX-License-Identifier: Apache-2.0 */
/* Bus files: texts of a matrix, of counts, of lists; the files together. */
#include "bus.h"
#include "base/fs.h"
#include "base/str.h"
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The next line that has something before a '#'; false at the end. */
static bool next_line(struct weft_str *rest, unsigned *line, struct weft_str *out)
{
	struct weft_str l;
	while (weft_str_cut(rest, '\n', &l)) {
		++*line;
		const char *comment = memchr(l.at, '#', l.n);
		*out = weft_str_trim(weft_str_n(l.at, comment ? (size_t)(comment - l.at) : l.n));
		if (out->n)
			return true;
	}
	return false;
}

static bool next_word(struct weft_str *rest, struct weft_str *out)
{
	*rest = weft_str_trim(*rest);
	size_t n = 0;
	while (n < rest->n && rest->at[n] != ' ' && rest->at[n] != '\t')
		n++;
	*out = weft_str_n(rest->at, n);
	*rest = weft_str_n(rest->at + n, rest->n - n);
	return n > 0;
}

static int expected(struct weft_err *err, const char *name, unsigned line, const char *what)
{
	return weft_err_set(err, WEFT_E_SYNTAX, "%s:%u: expected %s", name, line, what);
}

int weft_bus_matrix_parse(double (*m)[WEFT_BUS_NODES], uint32_t *n, const char *at, const char *name, struct weft_err *err)
{
	struct weft_str rest = weft_str(at), row, cell;
	unsigned line = 0;
	uint32_t rows = 0, columns = 0;
	while (next_line(&rest, &line, &row)) {
		uint32_t k = 0;
		if (rows == WEFT_BUS_NODES)
			return expected(err, name, line, "at most 64 rows");
		for (; next_word(&row, &cell); k++) {
			double v = NAN;
			if (k == WEFT_BUS_NODES ||
			    (!weft_str_eq(cell, "nan") && !weft_str_eq(cell, "-nan") && weft_parse_double(cell, &v)))
				return expected(err, name, line, "at most 64 numbers");
			if (v < 0 || isinf(v))
				return expected(err, name, line, "numbers from 0 on");
			m[rows][k] = v;
		}
		if (rows && k != columns)
			return expected(err, name, line, "as many numbers as in the first row");
		columns = k;
		rows++;
	}
	if (rows != columns)
		return expected(err, name, line, "as many rows as columns");
	*n = rows;
	return 0;
}

/* For printing numbers with points in any locale. */
static locale_t into_c_locale(locale_t *before)
{
	locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	*before = c ? uselocale(c) : (locale_t)0;
	return c;
}
static void out_of_c_locale(locale_t c, locale_t before)
{
	if (!c)
		return;
	uselocale(before);
	freelocale(c);
}

void weft_bus_matrix_print(const double (*m)[WEFT_BUS_NODES], uint32_t n, FILE *to)
{
	locale_t before, c = into_c_locale(&before);
	fprintf(to, "# ");
	for (uint32_t i = 0; i < n; i++)
		fprintf(to, "to %u\t\t", i);
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < n; k++)
			fprintf(to, "%s%e", k ? "\t" : "\n", m[i][k]);
	fprintf(to, "\n");
	out_of_c_locale(c, before);
}

static const char *const count_names[] = {"CPUs", "NUMA nodes", "CUDA devices", "OpenCL devices"};

int weft_bus_config_parse(struct weft_bus_config *c, const char *at, const char *name, struct weft_err *err)
{
	struct weft_str rest = weft_str(at), l;
	unsigned line = 0;
	struct weft_bus_config got = {{0}};
	for (int i = 0; i < WEFT_BUS_COUNTS; i++) {
		uint64_t v;
		if (!next_line(&rest, &line, &l) || weft_parse_u64(l, &v) || v > UINT32_MAX)
			return expected(err, name, line, "a number of things");
		got.count[i] = (uint32_t)v;
	}
	/* Kinds of devices that we do not have follow. */
	*c = got;
	return 0;
}

void weft_bus_config_print(const struct weft_bus_config *c, FILE *to)
{
	fprintf(to, "# Current configuration\n");
	for (int i = 0; i < WEFT_BUS_COUNTS; i++)
		fprintf(to, "%u # Number of %s\n", c->count[i], count_names[i]);
	/* StarPU 1.3 reads these too. */
	fprintf(to, "0 # Number of MIC devices\n0 # Number of MPI devices\n");
}

int weft_bus_affinity_parse(struct weft_bus_affinity *a, const char *at, const char *name, struct weft_err *err)
{
	struct weft_str rest = weft_str(at), l, w;
	unsigned line = 0;
	struct weft_bus_affinity got = {0};
	while (next_line(&rest, &line, &l)) {
		uint32_t n = 0;
		uint64_t v;
		if (got.n_devices == WEFT_BUS_NODES || !next_word(&l, &w) || weft_parse_u64(w, &v) || v != got.n_devices)
			return expected(err, name, line, "the number of the next device");
		for (; next_word(&l, &w); n++) {
			if (n == WEFT_BUS_NODES || weft_parse_u64(w, &v) || v >= WEFT_BUS_NODES)
				return expected(err, name, line, "NUMA nodes");
			got.near[got.n_devices][n] = (uint32_t)v;
		}
		if (got.n_devices++ && n != got.n_numa)
			return expected(err, name, line, "as many NUMA nodes as in the first row");
		got.n_numa = n;
	}
	*a = got;
	return 0;
}

void weft_bus_affinity_print(const struct weft_bus_affinity *a, FILE *to)
{
	fprintf(to, "# GPU\t");
	for (uint32_t k = 0; k < a->n_numa; k++)
		fprintf(to, "NUMA%u\t", k);
	for (uint32_t i = 0; i < a->n_devices; i++) {
		fprintf(to, "\n%u\t", i);
		for (uint32_t k = 0; k < a->n_numa; k++)
			fprintf(to, "%u\t", a->near[i][k]);
	}
	fprintf(to, "\n");
}

double weft_bus_predict_us(const struct weft_bus *b, uint32_t from, uint32_t to, uint64_t bytes)
{
	if (from == to || from >= b->n || to >= b->n)
		return 0;
	double speed = b->mb_per_s[from][to], latency = b->latency_us[from][to];
	return (latency > 0 ? latency : 0) + (speed > 0 ? (double)bytes / speed : 0);
}

/* -- the platform, for SimGrid -- */

static void print_ways(const struct weft_bus *b, uint32_t node, unsigned version, FILE *to)
{
	static const char *const unit[2][2] = {{"", ""}, {"Bps", "s"}};
	const char *const *u = unit[version == 4];
	for (int back = 0; back < 2; back++) {
		uint32_t i = back ? node : 0, k = back ? 0 : node;
		fprintf(to, "   <link id=\"%s%.0u-%s%.0u\" bandwidth=\"%f%s\" latency=\"%f%s\"/>\n", i ? "DEV" : "RAM", i,
		        k ? "DEV" : "RAM", k, b->mb_per_s[i][k] * 1e6, u[0], b->latency_us[i][k] / 1e6, u[1]);
		fprintf(to,
		        "   <route src=\"%s%.0u\" dst=\"%s%.0u\" symmetrical=\"NO\"><link_ctn id=\"%s%.0u-%s%.0u\"/></route>\n",
		        i ? "DEV" : "RAM", i, k ? "DEV" : "RAM", k, i ? "DEV" : "RAM", i, k ? "DEV" : "RAM", k);
	}
}

void weft_bus_platform_print(const struct weft_bus *b, const struct weft_bus_config *c, unsigned version, FILE *to)
{
	static const char *const names[2][2] = {{"power=\"2000000000\"", "power=\"1\""},
	                                        {"speed=\"2000000000f\"", "speed=\"1f\""}};
	const char *const *speed = names[version == 4];
	locale_t before, l = into_c_locale(&before);
	fprintf(to, "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM 'http://simgrid.gforge.inria.fr/simgrid%s/simgrid.dtd'>\n",
	        version == 4 ? "/simgrid" : "");
	fprintf(to, " <platform version=\"%u\">\n <AS  id=\"AS0\"  routing=\"Full\">\n   <host id=\"MAIN\" %s/>\n", version,
	        speed[1]);
	for (uint32_t i = 0; i < c->count[WEFT_BUS_CPU]; i++)
		fprintf(to, "   <host id=\"CPU%u\" %s/>\n", i, speed[0]);
	fprintf(to, "   <host id=\"RAM\" %s/>\n", speed[1]);
	uint32_t numa = c->count[WEFT_BUS_NUMA] ? c->count[WEFT_BUS_NUMA] : 1,
		 devices = c->count[WEFT_BUS_CUDA] + c->count[WEFT_BUS_OPENCL];
	for (uint32_t i = numa; i < b->n && i < numa + devices; i++) {
		fprintf(to, "   <host id=\"DEV%u\" %s/>\n", i, speed[0]);
		print_ways(b, i, version, to);
	}
	fprintf(to, " </AS>\n </platform>\n");
	out_of_c_locale(l, before);
}

/* -- the files -- */

static int read_part(const char *prefix, const char *suffix, char **at, char *path, struct weft_err *err)
{
	size_t n;
	if (snprintf(path, 4096, "%s.%s", prefix, suffix) >= 4096)
		return weft_err_sys(err, ENAMETOOLONG, "cannot read '%s.%s'", prefix, suffix);
	int rc = weft_read_file(path, at, &n, err);
	/* An empty file has no text at all. */
	return rc ? rc : *at ? 0 : weft_err_set(err, WEFT_E_SYNTAX, "%s: expected numbers", path);
}

int weft_bus_read(struct weft_bus *b, struct weft_bus_config *c, const char *prefix, struct weft_err *err)
{
	char path[4096], *at = NULL;
	uint32_t n = 0;
	int rc = read_part(prefix, "config", &at, path, err);
	rc = rc ? rc : weft_bus_config_parse(c, at, path, err);
	free(at);
	at = NULL;
	rc = rc ? rc : read_part(prefix, "bandwidth", &at, path, err);
	rc = rc ? rc : weft_bus_matrix_parse(b->mb_per_s, &b->n, at, path, err);
	free(at);
	at = NULL;
	rc = rc ? rc : read_part(prefix, "latency", &at, path, err);
	rc = rc ? rc : weft_bus_matrix_parse(b->latency_us, &n, at, path, err);
	free(at);
	if (!rc && n != b->n)
		rc = weft_err_set(err, WEFT_E_SYNTAX, "%s: expected %u rows, found %u", path, b->n, n);
	return rc;
}

enum part { BANDWIDTH, LATENCY, AFFINITY, CONFIG, PLATFORM, PLATFORM4, PARTS };
static const char *const suffixes[PARTS] = {"bandwidth", "latency", "affinity", "config", "platform.xml", "platform.v4.xml"};

static void print_part(const struct weft_bus_files *f, enum part p, FILE *to)
{
	if (p == BANDWIDTH)
		weft_bus_matrix_print(f->bus->mb_per_s, f->bus->n, to);
	else if (p == LATENCY)
		weft_bus_matrix_print(f->bus->latency_us, f->bus->n, to);
	else if (p == AFFINITY)
		weft_bus_affinity_print(f->affinity, to);
	else if (p == CONFIG)
		weft_bus_config_print(f->config, to);
	else
		weft_bus_platform_print(f->bus, f->config, p == PLATFORM4 ? 4 : 3, to);
}

int weft_bus_write(const struct weft_bus_files *f, const char *prefix, struct weft_err *err)
{
	char path[4096];
	snprintf(path, sizeof path, "%s", prefix);
	char *slash = strrchr(path, '/');
	if (slash)
		*slash = 0;
	int rc = slash && *path ? weft_make_dirs(path, err) : 0;
	for (int p = 0; p < PARTS && !rc; p++) {
		struct weft_out out;
		if (snprintf(path, sizeof path, "%s.%s", prefix, suffixes[p]) >= (int)sizeof path)
			return weft_err_sys(err, ENAMETOOLONG, "cannot write '%s.%s'", prefix, suffixes[p]);
		rc = weft_out_open(&out, path, err);
		if (rc)
			break;
		print_part(f, p, out.to);
		rc = weft_out_commit(&out, err);
	}
	return rc;
}
