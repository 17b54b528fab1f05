/* SPDX-License-Identifier: Apache-2.0 */
/* All that the real Dimemas and prv2dim predicted and wrote, where their data is there: times to the last printed digit, programs byte for byte. */
#include "base/fs.h"
#include "replay/dimemas/dim.h"
#include "replay/dimemas/dim_cfg.h"
#include "replay/dimemas/dim_prv.h"
#include "replay/dimemas/prv2dim.h"
#include "harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[3000];

static bool find_data(void)
{
	const char *shared = getenv("SHARED"), *source = getenv("WEFT_SOURCE");
	char tried[3][3000];
	snprintf(tried[0], sizeof tried[0], "%s/data/replay", shared ? shared : "/nowhere");
	snprintf(tried[1], sizeof tried[1], "%s/../shared/data/replay", source ? source : "..");
	snprintf(tried[2], sizeof tried[2], "%s/../../shared/data/replay", source ? source : "..");
	for (unsigned i = 0; i < 3; i++)
		if (weft_is_dir(tried[i])) {
			snprintf(folder, sizeof folder, "%.2000s", tried[i]);
			return true;
		}
	return false;
}

static double seconds(double ns)
{
	return floor(ns + 0.5) / 1e9;
}

/* A line of an index: the figures that the real one printed, and ours. */
static void compare(const char *dim, const char *cfg, const char *eager, const char *time, const char *tasks)
{
	struct weft_replay_program *p;
	struct weft_replay_machine m;
	struct weft_replay_result r;
	struct weft_err err = {0};
	struct weft_replay_how how = {0};
	char got[64];
	if (strcmp(eager, "none") != 0) {
		char *unit;
		how.eager = WEFT_REPLAY_EAGER_BELOW;
		how.eager_bytes = strtoull(eager, &unit, 10);
		how.eager_bytes <<= *unit == 'k' ? 10 : 0;
	}
	REQUIRE(weft_replay_dim_read(&p, dim, 0, &err) == 0);
	REQUIRE(weft_replay_cfg_read(&m, cfg, NULL, &err) == 0);
	REQUIRE(weft_replay_run(p, &m, &how, &r, &err) == 0);
	if (strcmp(time, "10.000000000") == 0) { /* it stopped; ours says why it would */
		CHECK(r.n_small_nodes > 0 && r.n_stuck == 0);
	} else {
		snprintf(got, sizeof got, "%.9f", seconds(r.time_ns));
		CHECK_STR(got, time);
		const char *at = tasks;
		for (uint32_t i = 0; i < r.n_ranks; i++) {
			const struct weft_replay_rank_result *x = &r.rank[i];
			snprintf(got, sizeof got, "%.9f/%.9f", seconds(r.thread_computation_ns[p->rank[i].first_thread]),
			         seconds(x->latency_ns + x->receiving_ns + x->waiting_ns + x->collective_ns));
			if (!CHECK(strncmp(at, got, strlen(got)) == 0))
				printf("# %s on %s, task %u: %s\n", dim, cfg, i, got);
			at += strlen(got) + 1;
		}
	}
	weft_replay_result_fini(&r);
	weft_replay_machine_fini(&m);
	weft_replay_program_free(p);
}

static unsigned split(char *line, char **field, unsigned most)
{
	unsigned n = 0;
	for (char *at = line; at && n < most; n++) {
		field[n] = at;
		at = strchr(at, '\t');
		if (at)
			*at++ = 0;
	}
	return n;
}

TEST(real_traces_take_what_the_real_one_predicted)
{
	char path[4000], line[4000], dim[4000], cfg[4000], *f[10];
	if (!find_data())
		SKIP("no data of the real simulator");
	snprintf(path, sizeof path, "%s/index.tsv", folder);
	FILE *index = fopen(path, "r");
	REQUIRE(index);
	unsigned n = 0;
	while (fgets(line, sizeof line, index))
		if (split(line, f, 10) >= 9 && strcmp(f[1], "prv2dim") != 0 && strcmp(f[0], "trace") != 0) {
			snprintf(dim, sizeof dim, "%s/traces/%s.dim", folder, f[0]);
			snprintf(cfg, sizeof cfg, "%s/machines/%s.%s.cfg", folder, f[0], f[1]);
			compare(dim, cfg, f[2], f[5], f[6]);
			n++;
		}
	fclose(index);
	CHECK_U64(n, 30);
}

TEST(made_traces_take_what_the_real_one_predicted)
{
	char path[4000], line[4000], dim[4000], cfg[4000], *f[10];
	if (!find_data())
		SKIP("no data of the real simulator");
	snprintf(path, sizeof path, "%s/micro/index.tsv", folder);
	FILE *index = fopen(path, "r");
	REQUIRE(index);
	unsigned n = 0;
	while (fgets(line, sizeof line, index)) {
		line[strcspn(line, "\n")] = 0;
		if (split(line, f, 10) >= 7 && strcmp(f[5], "FAIL") != 0 && strcmp(f[0], "trace") != 0) {
			snprintf(dim, sizeof dim, "%s/micro/traces/%s.dim", folder, f[0]);
			snprintf(cfg, sizeof cfg, "%s/micro/machines/%s", folder, f[2]);
			compare(dim, cfg, f[3], f[5], f[6]);
			n++;
		}
	}
	fclose(index);
	CHECK_U64(n, 140);
}

static void translate(const char *prv, const char *dim, const char *name, bool no_init)
{
	const struct weft_prv2dim_how how = {.no_init = no_init};
	struct weft_prv2dim_count count;
	struct weft_err err = {0};
	char command[9000];
	if (!CHECK(weft_prv2dim(prv, test_path(name), &how, &count, &err) == 0))
		printf("# %s\n", err.text);
	snprintf(command, sizeof command, "cmp -s '%s' '%s'", test_path(name), dim);
	if (!CHECK(system(command) == 0))
		printf("# %s differs\n", name);
}

TEST(translations_are_those_of_prv2dim)
{
	static const char *const real[] = {"stencil4", "mw4", "hyb2x2"};
	static const char *const made[] = {"allgather_8",
	                                   "allreduce_2",
	                                   "alltoall_8",
	                                   "barrier_4",
	                                   "bcast_2",
	                                   "bcast_8",
	                                   "fan_in_100000",
	                                   "gather_4",
	                                   "p2p_late_recv_1000",
	                                   "p2p_late_recv_100000",
	                                   "p2p_late_sender_100000",
	                                   "reduce_4",
	                                   "reduce_8",
	                                   "scatter_2"};
	char prv[4000], dim[4000], name[100];
	if (!find_data())
		SKIP("no data of the real simulator");
	for (size_t i = 0; i < sizeof real / sizeof real[0] + sizeof made / sizeof made[0]; i++) {
		const bool is_real = i < 3;
		snprintf(name, sizeof name, "%s.dim", is_real ? real[i] : made[i - 3]);
		snprintf(dim, sizeof dim, "%s/%s/%s", folder, is_real ? "traces" : "micro/traces", name);
		snprintf(prv, sizeof prv, "%.*s.prv", (int)(strlen(dim) - 4), dim);
		translate(prv, dim, name, !is_real);
	}
}

/* Records of one kind, sorted, without the header. */
TEST(predicted_traces_have_the_same_records)
{
	static const struct {
		const char *trace, *machine;
		uint64_t eager;
	} rows[] = {{"stencil4", "ideal", 32 << 10},
	            {"stencil4", "lat8us_bw250", 32 << 10},
	            {"stencil4", "two_per_node", 32 << 10},
	            {"stencil4", "lat100us_bw10_bus1", 1 << 10},
	            {"mw4", "ideal", 32 << 10}};
	char path[4000], command[9000];
	if (!find_data())
		SKIP("no data of the real simulator");
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct weft_replay_program *p;
		struct weft_replay_machine m;
		struct weft_replay_result r;
		struct weft_replay_prv *w;
		struct weft_err err = {0};
		struct weft_replay_how how = {.eager = WEFT_REPLAY_EAGER_BELOW, .eager_bytes = rows[i].eager};
		snprintf(path, sizeof path, "%s/traces/%s.dim", folder, rows[i].trace);
		REQUIRE(weft_replay_dim_read(&p, path, 0, &err) == 0);
		snprintf(path, sizeof path, "%s/machines/%s.%s.cfg", folder, rows[i].trace, rows[i].machine);
		REQUIRE(weft_replay_cfg_read(&m, path, NULL, &err) == 0);
		REQUIRE(weft_replay_prv_new(&w, p, &m, 1 << 16, &err) == 0); /* little memory: rows go to a file */
		how.sink = weft_replay_prv_sink(w);
		REQUIRE(weft_replay_run(p, &m, &how, &r, &err) == 0);
		REQUIRE(weft_replay_prv_write(w, r.time_ns, test_path("out.prv"), NULL, &err) == 0);
		snprintf(
			command, sizeof command,
			"cd '%s' && grep -v '^#' out.prv | sort >ours; grep -v '^#' '%s/predicted/%s.%s.sim.prv' | sort | cmp -s - ours",
			test_dir(), folder, rows[i].trace, rows[i].machine);
		if (!CHECK(system(command) == 0))
			printf("# %s on %s differs\n", rows[i].trace, rows[i].machine);
		weft_replay_prv_free(w);
		weft_replay_result_fini(&r);
		weft_replay_machine_fini(&m);
		weft_replay_program_free(p);
	}
}
