/* SPDX-License-Identifier: Apache-2.0 */
/* Instances, outliers, samples and stacks, of a .prv that is made here and of the real tool's example. */
#include "analyze/fold/folding.h"
#include "structure_maker.h"

/* Six instances of 1000, one of 2000; the third counter sample is missing in one; a stack in the middle of each. */
static struct weft_trace *make(void)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);
	unsigned now = 100;
	fputs("#Paraver (01/01/2026 at 00:00):20000_ns:1(1):1:1(1:1),0\n", f);
	for (unsigned i = 0; i < 7; i++) {
		unsigned length = i == 4 ? 2000 : 1000;
		fprintf(f, "2:1:1:1:1:%u:60000019:1:42000050:0\n", now);
		fprintf(f, "2:1:1:1:1:%u:42000050:300\n", now + length / 4);
		fprintf(f, "2:1:1:1:1:%u:30000000:%u:30000100:9:30000001:7:30000101:3\n", now + length / 2, 5 + i % 2);
		if (i != 2)
			fprintf(f, "2:1:1:1:1:%u:42000050:100\n", now + length / 2);
		fprintf(f, "2:1:1:1:1:%u:60000019:0:42000050:%u\n", now + length, i == 2 ? 200 : 100);
		now += length + 50;
	}
	fclose(f);
	struct weft_trace *t = maker_prv("f.prv", text, NULL);
	free(text);
	return t;
}

TEST(gathers)
{
	struct weft_trace *t = make();
	struct weft_counters c;
	struct weft_bursts b;
	struct weft_folding f;
	struct weft_err err = {0};
	REQUIRE(weft_counters_all(&c, t) == 0 && c.n == 1);
	struct weft_bursts_how find = {.of = WEFT_BURSTS_TYPE, .type = weft_counters_type(t, "60000019"), .to = WEFT_NEVER};
	REQUIRE(weft_bursts_make(&b, t, &find, &err) == 0);
	struct weft_fold_how how = {.counters = &c, .rule = {1.5, false}};
	REQUIRE(weft_folding_make(&f, t, &b, &how, &err) == 0);
	CHECK_U64(f.n, 7);
	CHECK_U64(f.stats.used, 6);
	CHECK(!f.instance[4].used);
	CHECK_NEAR(f.stats.middle, 1000, 0);
	CHECK_NEAR(f.stats.spread, 0, 0);
	CHECK_U64(f.counter[0].n, 13);
	CHECK_NEAR(f.counter[0].x[0], 0.25, 0);
	CHECK_NEAR(f.counter[0].y[0], 0.6, 1e-12);
	CHECK_NEAR(f.counter[0].mean_total, 500, 0);
	CHECK_NEAR(f.counter[0].rate, 500, 1e-9);
	CHECK_U64(f.n_stacks, 7);
	CHECK_NEAR(f.stack[0].x, 0.5, 0);
	CHECK_U64(f.stack[0].n, 2);
	CHECK_U64(f.frame[f.stack[0].first].function, 5);
	CHECK_U64(f.frame[f.stack[0].first].line, 9);
	CHECK_U64(f.frame[f.stack[0].first + 1].function, 7);
	struct weft_fold_taken taken;
	REQUIRE(weft_fold_take(&f, 0, &taken) == 0);
	CHECK_U64(taken.n, 11);
	for (size_t i = 1; i < taken.n; i++)
		CHECK(taken.x[i] >= taken.x[i - 1]);
	free(taken.x);
	weft_folding_fini(&f);
	how.rule.use_mean = true;
	REQUIRE(weft_folding_make(&f, t, &b, &how, &err) == 0);
	CHECK_NEAR(f.stats.middle, 8000.0 / 7, 1e-9);
	weft_folding_fini(&f);
	weft_bursts_fini(&b);
	weft_counters_fini(&c);
	weft_trace_close(t);
}

TEST(no_instances)
{
	struct weft_trace *t = make();
	struct weft_counters c;
	struct weft_bursts b = {0};
	struct weft_folding f;
	struct weft_err err = {0};
	REQUIRE(weft_counters_all(&c, t) == 0);
	struct weft_fold_how how = {.counters = &c, .rule = {1.5, false}};
	REQUIRE(weft_folding_make(&f, t, &b, &how, &err) == 0);
	CHECK_U64(f.n, 0);
	CHECK(isnan(f.counter[0].mean_total));
	weft_folding_fini(&f);
	weft_counters_fini(&c);
	weft_trace_close(t);
}

TEST(as_the_real_tool)
{
	const char *prv = maker_shared("folding/444.namd.prv.zst");
	if (!prv)
		SKIP("../shared is not here");
	struct weft_trace *t = maker_open(prv);
	static const char *const names[] = {"42000050"};
	const char *missing;
	struct weft_counters c;
	struct weft_bursts b;
	struct weft_folding f;
	struct weft_err err = {0};
	REQUIRE(weft_counters_find(&c, t, names, 1, &missing) == 0);
	struct weft_bursts_how find = {.of = WEFT_BURSTS_TYPE, .type = weft_counters_type(t, "60000019"), .to = WEFT_NEVER};
	REQUIRE(weft_bursts_make(&b, t, &find, &err) == 0);
	struct weft_fold_how how = {.counters = &c, .rule = {1.5, false}};
	REQUIRE(weft_folding_make(&f, t, &b, &how, &err) == 0);
	CHECK_U64(f.n, 38);
	CHECK_U64(f.stats.used, 26);
	CHECK_U64(f.stats.samples, 27815);
	CHECK_NEAR(f.stats.middle, 14647752076, 0);
	CHECK_NEAR(f.stats.spread / 1e6, 12.3154, 1e-4);
	CHECK_NEAR(f.stats.used_spread / 1e6, 10.5288, 1e-4);
	CHECK_NEAR(f.counter[0].total[11], 60210278763, 0);
	weft_folding_fini(&f);
	weft_bursts_fini(&b);
	weft_counters_fini(&c);
	weft_trace_close(t);
}
