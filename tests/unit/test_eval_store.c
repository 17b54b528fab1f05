/* SPDX-License-Identifier: Apache-2.0 */
/* Iterations in memory that runs out: nothing is kept of what could not be begun, and no event disappears without a word. */
#include "tune/derive/derive.h"
#include "harness.h"
#include "tune/eval/eval_work.h"
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

static const char text[] =
	"TUNLET\nid: t\nunit: ms\nMEASURE POINTS\nVARIABLES AND VALUES\n"
	"variable id: it\nsource: asVarValue\ntype: int\nactorId: w\nendvariable\n"
	"EVENTS\nevent\nid: B\nactorId: w\ncontroliter: begin\nutility: always\nmethod: b\nplace: entry\nATTRS\nid: it\nendevent\n"
	"event\nid: E\nactorId: w\ncontroliter: end\nutility: always\nmethod: b\nplace: exit\nATTRS\nid: it\nendevent\n"
	"ACTORS\nactor\nid: w\nmin: 1\nmax: 4\ncompletion: /# 1 #/\nexe: p\nATTRS\n"
	"id: c\ntype: int\ninic: /# c = 0; #/\nvalue: /# w[E.id].c = 1; #/\ndependency: E\nendactor\n"
	"ITERATION INFORMATION\n"
	"id: k\ntype: int\ninic: /# k = 0; #/\nvalue: /# iter.k = E.it; #/\ndependency: E\n"
	"id: l\ntype: int\ninic: /# l = 0; #/\ndepinic: k\nvalue: /# iter.l = iter.l + E.it; #/\ndependency: E\n"
	"MODEL PARAMETERS\nid: p\ntype: double\ninic: /# p = 0; #/\nvalue: /# p = iter.k; #/\ndependency: none\n"
	"PERFORMANCE FUNCTIONS\nTUNING POINTS\nENDTUNLET\n";

struct heard {
	unsigned evaluated, room;
};

static void hear(void *ctx, const struct answer *a)
{
	struct heard *h = ctx;
	h->evaluated += a->kind == WEFT_RESULT_EVALUATED;
	h->room += a->kind == WEFT_RESULT_FAULT && a->fault == FAULT_ROOM;
}

/* No code is needed to see what becomes of events. */
static bool run_nothing(void *ctx, uint32_t code)
{
	(void)ctx, (void)code;
	return true;
}

static void send(struct store *st, uint32_t event, int iteration)
{
	static struct request r;
	r.what = event;
	r.id = 7;
	r.time = 10 * iteration + event;
	r.n = 1;
	r.value[0].i = iteration;
	r.value[0].d = iteration;
	store_event(st, &r);
}

TEST(each_failed_allocation_is_said)
{
	static const unsigned sizes[] = {64, 64, 64, 64}, offsets[8] = {0};
	struct weft_spec *s;
	struct tune_globals globals = {.result = {.d = 1, .i = 1}};
	REQUIRE(weft_spec_new(&s, "t.tsl", text, sizeof text - 1, NULL) == 0 && weft_spec_count(s, WEFT_ERROR) == 0);
	unsigned failed_later = 0;
	TEST_EACH_ALLOCATION_FAILS {
		struct heard heard = {0};
		struct store_host host = {.answer = hear,
		                          .run = run_nothing,
		                          .ctx = &heard,
		                          .globals = &globals,
		                          .sizes = sizes,
		                          .offsets = offsets};
		struct store *st = NULL;
		int rc = setjmp(s->oom) ? -12 : store_new(&st, s, &host);
		if (rc) {
			CHECK(test_alloc_failed() && !st);
			continue;
		}
		bool failed_before = test_alloc_failed();
		store_process(st, 0, 7, true);
		for (int i = 1; i <= 3; i++) {
			send(st, 0, i);
			send(st, 1, i);
		}
		bool failed = !failed_before && test_alloc_failed();
		failed_later += failed;
		if (!CHECK_U64(heard.evaluated + (heard.room > 0), failed ? heard.evaluated + 1 : 3))
			printf("# %u evaluated\n", heard.evaluated);
		CHECK(failed || heard.evaluated == 3);
		store_free(st);
	}
	CHECK(failed_later > 4);
	weft_spec_free(s);
}
