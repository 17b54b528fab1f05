/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Control files of clustering, and models of counters: any bytes are read or refused with one line. What was read is used: its metrics on a few
 * bursts, its terms with values for every counter.
 */
#include "fuzz.h"

#include "analyze/cluster/cluster_control.h"
#include "analyze/fold/counter_model.h"

#include <math.h>
#include <string.h>

enum { BURSTS = 5 };

static void use_metrics(const struct weft_control *c)
{
	uint64_t begin[BURSTS] = {0, 10, 20, 30, 40}, end[BURSTS] = {5, 1000000, 21, 30, 90};
	struct weft_bursts b = {.n = BURSTS, .begin = begin, .end = end, .n_counters = c->n_counters};
	struct weft_burst_choice choice = {.metric = c->metric,
	                                   .n = c->n_metrics,
	                                   .least_ns = c->least_ns,
	                                   .normalise = c->normalise};
	struct weft_burst_points p;
	b.count = malloc((BURSTS * (size_t)c->n_counters + 1) * sizeof *b.count);
	FUZZ_REQUIRE(b.count != NULL);
	for (size_t i = 0; i < BURSTS * (size_t)c->n_counters; i++)
		b.count[i] = i % 7 == 6 ? NAN : (double)i * 3 - 4;
	FUZZ_REQUIRE(weft_burst_points_make(&p, &b, &choice) == 0);
	FUZZ_REQUIRE(p.n <= BURSTS && p.dims == c->n_metrics);
	weft_burst_points_fini(&p);
	free(b.count);
}

static double value_of(void *arg, const char *counter)
{
	(void)arg;
	return (double)strlen(counter) - 3;
}

int LLVMFuzzerTestOneInput(const uint8_t *at, size_t n)
{
	struct weft_control c;
	struct weft_counter_model m;
	struct weft_err err = {0};
	int rc = weft_control_parse(&c, "fuzz", (const char *)at, n, &err);
	FUZZ_REQUIRE(rc == err.code && !strchr(err.text, '\n') && (rc == 0) == (err.text[0] == '\0'));
	if (!rc) {
		FUZZ_REQUIRE(c.n_metrics > 0 && c.n_counters <= 2 * (c.n_metrics + c.n_extra));
		use_metrics(&c);
	}
	weft_control_fini(&c);
	err = (struct weft_err){0};
	rc = weft_counter_model_parse(&m, "fuzz", (const char *)at, n, &err);
	FUZZ_REQUIRE(rc == err.code && !strchr(err.text, '\n') && (rc == 0) == (err.text[0] == '\0'));
	for (unsigned i = 0; !rc && i < m.n_components; i++)
		(void)weft_counter_model_value(m.component[i].value, value_of, NULL);
	weft_counter_model_fini(&m);
	return 0;
}
