/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times of small programs, each by a formula that is worked out beside it: latency L on both ends, B bytes over the bandwidth, links,
 * buses, rendezvous, collective operations. The bandwidth is 1 byte a ns, so that B in ns is the number of bytes.
 */
#include "replay/dimemas/dim.h"
#include "replay/sim/replay.h"
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { L = 1000 };

static struct weft_replay_program *program_of(const char *text)
{
	struct weft_replay_program *p;
	struct weft_err err = {0};
	if (weft_replay_dim_parse(&p, text, strlen(text), "test.dim", 0, &err))
		printf("# %s\n", err.text);
	REQUIRE(err.code == 0);
	return p;
}

struct expected {
	const char *name, *program;
	void (*change)(struct weft_replay_machine *m);
	enum weft_replay_eager eager;
	double time_ns, end_ns[4];
};

static void half_duplex(struct weft_replay_machine *m)
{
	m->kind.at[0].links_in = 0;
}
static void no_links(struct weft_replay_machine *m)
{
	m->kind.at[0].links_in = m->kind.at[0].links_out = 0;
}
static void one_bus(struct weft_replay_machine *m)
{
	no_links(m);
	m->site.at[0].buses = 1;
}
static void twice_as_fast(struct weft_replay_machine *m)
{
	m->kind.at[0].ratio = 2;
}
static void one_node(struct weft_replay_machine *m)
{
	m->map.per_node = 4;
	m->kind.at[0].intra = (struct weft_replay_way){100, 10, 0, 0, 0};
}
static void one_cpu(struct weft_replay_machine *m)
{
	m->map.per_node = 4;
	m->kind.at[0].cpus = 1;
}
static void linear(struct weft_replay_machine *m)
{
	m->site.at[0].model = WEFT_REPLAY_LINEAR;
}
static void logarithmic(struct weft_replay_machine *m)
{
	m->site.at[0].model = WEFT_REPLAY_LOGARITHMIC;
}
static void log_one_bus(struct weft_replay_machine *m)
{
	logarithmic(m);
	m->site.at[0].buses = 1;
}
static void loggp(struct weft_replay_machine *m)
{
	m->network = WEFT_REPLAY_LOGGP;
	m->loggp.overhead_ns = 50;
	m->loggp.gap_ns = 400;
}

#define TWO "#DIMEMAS:\"t\":0:2(1,1),1,0,0\nd:1:1:2:0:1\n"
#define THREE "#DIMEMAS:\"t\":0:3(1,1,1),1,0,0\nd:1:1:3:0:1:2\n"
#define FOUR "#DIMEMAS:\"t\":0:4(1,1,1,1),1,0,0\nd:1:1:4:0:1:2:3\n"
#define LATE_SENDER TWO "1:0:0:0.000010\n2:0:0:1:-1:500:1:1:0\n1:1:0:0.000002\n3:1:0:0:-1:500:1:1:0\n"
#define LATE_RECEIVER TWO "1:0:0:0.000002\n2:0:0:1:-1:500:1:1:1\n1:0:0:0.000001\n1:1:0:0.000010\n3:1:0:0:-1:500:1:1:0\n"
#define EXCHANGE \
	TWO "1:0:0:0.000001\n3:0:0:1:-1:500:1:1:1\n2:0:0:1:-1:500:1:1:0\n3:0:0:1:-1:500:1:1:2\n" \
	    "1:1:0:0.000001\n3:1:0:0:-1:500:1:1:1\n2:1:0:0:-1:500:1:1:0\n3:1:0:0:-1:500:1:1:2\n"
#define FAN_IN \
	THREE "1:0:0:0.000001\n3:0:0:1:-1:5000:1:1:0\n3:0:0:2:-1:5000:1:1:0\n1:1:0:0.000001\n2:1:0:0:-1:5000:1:1:0\n" \
	      "1:2:0:0.000001\n2:2:0:0:-1:5000:1:1:0\n"
#define TWO_PAIRS \
	FOUR "1:0:0:0.000001\n2:0:0:1:-1:5000:1:1:0\n1:1:0:0.000001\n3:1:0:0:-1:5000:1:1:0\n1:2:0:0.000001\n2:2:0:3:-1:5000:1:1:0\n" \
	     "1:3:0:0.000001\n3:3:0:2:-1:5000:1:1:0\n"
#define BARRIER \
	FOUR "1:0:0:0.000001\n10:0:0:0:1:0:0:0:0:1\n1:1:0:0.000002\n10:1:0:0:1:0:0:0:0:1\n1:2:0:0.000003\n10:2:0:0:1:0:0:0:0:1\n1:3:0:0.000004\n10:3:0:0:1:0:0:0:0:1\n"
#define REDUCE \
	THREE "1:0:0:0.000001\n10:0:0:10:1:0:0:500:500:3\n1:1:0:0.000001\n10:1:0:10:1:0:0:500:500:3\n1:2:0:0.000001\n10:2:0:10:1:0:0:500:500:3\n"

static const struct expected cases[] = {
	/* the sender pays L at 10 us, the receiver has paid: L + B behind it */
	{"late sender", LATE_SENDER, NULL, WEFT_REPLAY_EAGER_FLAGS, 10000 + L + 500, {10000 + L, 10000 + L + 500}},
	/* eager: it is long there when the receiver, which pays L, comes */
	{"late receiver, eager", LATE_RECEIVER, NULL, WEFT_REPLAY_EAGER_ALL, 10000 + L, {3000 + L, 10000 + L}},
	/* rendezvous: the sender waits until the receiver has paid, then goes on; the receiver waits for B more */
	{"late receiver, rendezvous",
         LATE_RECEIVER,
         NULL,
         WEFT_REPLAY_EAGER_FLAGS,
         10000 + L + 1000,
         {10000 + L + 1000, 10000 + L + 500}},
	/* a CPU twice as fast halves bursts alone */
	{"late sender, fast", LATE_SENDER, twice_as_fast, WEFT_REPLAY_EAGER_FLAGS, 5000 + L + 500, {5000 + L, 5000 + L + 500}},
	/* inside of a node: L 100, 10 bytes a ns */
	{"late sender, one node",
         LATE_SENDER,
         one_node,
         WEFT_REPLAY_EAGER_FLAGS,
         10000 + 100 + 50,
         {10000 + 100, 10000 + 100 + 50}},
	/* both directions at once; each end pays L to send and L to wait */
	{"exchange", EXCHANGE, NULL, WEFT_REPLAY_EAGER_FLAGS, 1000 + 2 * L, {1000 + 2 * L, 1000 + 2 * L}},
	/* one direction after the other: the second is there at 1000 + L + 2 B = 1000 + 2 L */
	{"exchange, half duplex", EXCHANGE, half_duplex, WEFT_REPLAY_EAGER_FLAGS, 1000 + 2 * L, {1000 + 2 * L, 1000 + 2 * L}},
	/* one link into the receiver: L + 2 B; without limits both come at once, and the second receive pays its L behind that */
	{"fan in", FAN_IN, NULL, WEFT_REPLAY_EAGER_FLAGS, 1000 + L + 2 * 5000, {1000 + L + 2 * 5000, 1000 + L, 1000 + L}},
	{"fan in, no links",
         FAN_IN,
         no_links,
         WEFT_REPLAY_EAGER_FLAGS,
         1000 + L + 5000 + L,
         {1000 + L + 5000 + L, 1000 + L, 1000 + L}},
	/* two pairs of their own share a bus */
	{"two pairs",
         TWO_PAIRS,
         NULL,
         WEFT_REPLAY_EAGER_FLAGS,
         1000 + L + 5000,
         {1000 + L, 1000 + L + 5000, 1000 + L, 1000 + L + 5000}},
	{"two pairs, one bus",
         TWO_PAIRS,
         one_bus,
         WEFT_REPLAY_EAGER_FLAGS,
         1000 + L + 10000,
         {1000 + L, 1000 + L + 5000, 1000 + L, 1000 + L + 10000}},
	/* two phases of L each; linear: of 3 L; logarithmic: of 2 L, with one bus of 3 L */
	{"barrier",
         BARRIER,
         NULL,
         WEFT_REPLAY_EAGER_FLAGS,
         4000 + 2 * L,
         {4000 + 2 * L, 4000 + 2 * L, 4000 + 2 * L, 4000 + 2 * L}},
	{"barrier, linear",
         BARRIER,
         linear,
         WEFT_REPLAY_EAGER_FLAGS,
         4000 + 6 * L,
         {4000 + 6 * L, 4000 + 6 * L, 4000 + 6 * L, 4000 + 6 * L}},
	{"barrier, logarithmic",
         BARRIER,
         logarithmic,
         WEFT_REPLAY_EAGER_FLAGS,
         4000 + 4 * L,
         {4000 + 4 * L, 4000 + 4 * L, 4000 + 4 * L, 4000 + 4 * L}},
	{"barrier, logarithmic, one bus",
         BARRIER,
         log_one_bus,
         WEFT_REPLAY_EAGER_FLAGS,
         4000 + 6 * L,
         {4000 + 6 * L, 4000 + 6 * L, 4000 + 6 * L, 4000 + 6 * L}},
	/* two transfers through the root's one link in; the others go on when they have paid */
	{"reduce", REDUCE, NULL, WEFT_REPLAY_EAGER_FLAGS, 1000 + L + 2 * 500, {1000 + L + 2 * 500, 1000 + L, 1000 + L}},
	{"reduce, one bus",
         REDUCE,
         one_bus,
         WEFT_REPLAY_EAGER_FLAGS,
         1000 + L + 2 * 500,
         {1000 + L + 2 * 500, 1000 + L, 1000 + L}},
	/* bursts of 1 to 4 us, one behind the other on one processor; the barrier asks the network of a machine of many nodes */
	{"one processor",
         BARRIER,
         one_cpu,
         WEFT_REPLAY_EAGER_FLAGS,
         10000 + 2 * L,
         {10000 + 2 * L, 10000 + 2 * L, 10000 + 2 * L, 10000 + 2 * L}},
	/* LogGP: o on both ends, L and B on the wire */
	{"late sender, LogGP",
         LATE_SENDER,
         loggp,
         WEFT_REPLAY_EAGER_FLAGS,
         10000 + 50 + 500 + L,
         {10000 + 50, 10000 + 50 + 500 + L}},
};

static struct weft_replay_result run(const struct weft_replay_program *p, void (*change)(struct weft_replay_machine *m),
                                     enum weft_replay_eager eager)
{
	struct weft_replay_machine m;
	struct weft_replay_result r;
	struct weft_err err = {0};
	const struct weft_replay_how how = {.eager = eager};
	REQUIRE(weft_replay_machine_plain(&m, L, 1) == 0);
	if (change)
		change(&m);
	if (weft_replay_run(p, &m, &how, &r, &err))
		printf("# %s\n", err.text);
	REQUIRE(err.code == 0);
	weft_replay_machine_fini(&m);
	return r;
}

TEST(times_are_those_of_the_formulas)
{
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct expected *c = &cases[i];
		struct weft_replay_program *p = program_of(c->program);
		struct weft_replay_result r = run(p, c->change, c->eager);
		if (!CHECK_NEAR(r.time_ns, c->time_ns, 0.001))
			printf("# %s\n", c->name);
		CHECK_U64(r.n_stuck, 0);
		for (uint32_t k = 0; k < r.n_ranks && k < 4; k++)
			if (!CHECK_NEAR(r.rank[k].end_ns, c->end_ns[k], 0.001))
				printf("# %s, rank %u\n", c->name, k);
		weft_replay_result_fini(&r);
		weft_replay_program_free(p);
	}
}

TEST(what_a_rank_waits_for_is_told_apart)
{
	struct weft_replay_program *p = program_of(LATE_RECEIVER);
	struct weft_replay_result r = run(p, NULL, WEFT_REPLAY_EAGER_FLAGS);
	CHECK_NEAR(r.rank[0].computation_ns, 3000, 0.001);
	CHECK_NEAR(r.rank[0].latency_ns, L, 0.001);
	CHECK_NEAR(r.rank[0].sending_ns, 8000, 0.001); /* from 3000 to 11000 */
	CHECK_NEAR(r.rank[1].receiving_ns, 500, 0.001);
	CHECK_U64(r.rank[0].bytes_sent, 500);
	CHECK_U64(r.rank[1].received, 1);
	CHECK_U64(r.rank[1].immediate, 0);
	weft_replay_result_fini(&r);
	weft_replay_program_free(p);
}

TEST(links_and_buses_are_waited_for_by_senders)
{
	struct weft_replay_program *p = program_of(FAN_IN);
	struct weft_replay_result r = run(p, NULL, WEFT_REPLAY_EAGER_FLAGS);
	CHECK_NEAR(r.rank[1].link_wait_ns + r.rank[2].link_wait_ns, 5000, 0.001);
	weft_replay_result_fini(&r);
	weft_replay_program_free(p);
	p = program_of(TWO_PAIRS);
	r = run(p, one_bus, WEFT_REPLAY_EAGER_FLAGS);
	CHECK_NEAR(r.rank[0].bus_wait_ns + r.rank[2].bus_wait_ns, 5000, 0.001);
	weft_replay_result_fini(&r);
	weft_replay_program_free(p);
}

TEST(a_circle_of_receives_is_found_and_explained)
{
	struct weft_replay_program *p = program_of(THREE
	                                           "1:0:0:0.000001\n20:0:0:50000001:2\n3:0:0:1:-1:8:7:1:0\n2:0:0:2:-1:8:7:1:0\n"
	                                           "1:1:0:0.000001\n3:1:0:2:-1:8:7:1:0\n2:1:0:0:-1:8:7:1:0\n"
	                                           "1:2:0:0.000001\n3:2:0:0:-1:8:7:1:0\n2:2:0:1:-1:8:7:1:0\n");
	struct weft_replay_result r = run(p, NULL, WEFT_REPLAY_EAGER_FLAGS);
	REQUIRE(r.n_stuck == 3 && r.n_cycle == 3);
	CHECK_U64(r.stuck[0].waits_for, 1);
	CHECK_U64(r.stuck[1].waits_for, 2);
	CHECK_U64(r.stuck[2].waits_for, 0);
	char text[2000] = "";
	FILE *to = fmemopen(text, sizeof text, "w");
	weft_replay_explain(p, &r, 10, to);
	fclose(to);
	CHECK(strstr(text, "rank 0 in MPI_Recv since 0.000002000 s waits for rank 1 to send (8 bytes, tag 7"));
	CHECK(strstr(text, "a circle: rank 0 waits for rank 1 waits for rank 2 waits for rank 0"));
	weft_replay_result_fini(&r);
	weft_replay_program_free(p);
}

TEST(who_is_missing_in_a_collective_operation_is_said)
{
	struct weft_replay_program *p = program_of(TWO "1:0:0:0.000001\n10:0:0:0:1:0:0:0:0:1\n1:1:0:0.000001\n");
	CHECK_U64(p->fault[WEFT_REPLAY_PARTIAL].count, 1);
	struct weft_replay_result r = run(p, NULL, WEFT_REPLAY_EAGER_FLAGS);
	REQUIRE(r.n_stuck == 1);
	CHECK_U64(r.stuck[0].waits_for, 1);
	CHECK_U64(r.stuck[0].missing, 1);
	weft_replay_result_fini(&r);
	weft_replay_program_free(p);
}

TEST(messages_without_their_other_end_stop_nobody)
{
	struct weft_replay_program *p = program_of(TWO
	                                           "1:0:0:0.000001\n2:0:0:1:-1:8:1:1:1\n1:1:0:0.000001\n3:1:0:0:-1:8:2:1:0\n");
	CHECK_U64(p->fault[WEFT_REPLAY_UNRECEIVED].count, 1);
	CHECK_U64(p->fault[WEFT_REPLAY_UNSENT].count, 1);
	struct weft_replay_result r = run(p, NULL, WEFT_REPLAY_EAGER_FLAGS);
	CHECK_U64(r.n_stuck, 0);
	CHECK_NEAR(r.time_ns, 1000 + L, 0.001);
	weft_replay_result_fini(&r);
	weft_replay_program_free(p);
}

TEST(modules_nest_by_type)
{
	/* outer: twice as fast; inner: 4 times; the inner's end leaves the outer's factor */
	struct weft_replay_program *p = program_of(
		"#DIMEMAS:\"t\":0:1(1),0,0,0\n1:0:0:0.000008\n20:0:0:7:1\n1:0:0:0.000008\n20:0:0:8:1\n"
		"1:0:0:0.000008\n20:0:0:8:0\n1:0:0:0.000008\n20:0:0:7:0\n1:0:0:0.000008\n");
	struct weft_replay_machine m;
	struct weft_replay_result r;
	REQUIRE(weft_replay_machine_ideal(&m) == 0);
	REQUIRE(!weft_vec_push(&m.module, (struct weft_replay_module){7, 1, 2}));
	REQUIRE(!weft_vec_push(&m.module, (struct weft_replay_module){8, 1, 4}));
	REQUIRE(weft_replay_run(p, &m, NULL, &r, NULL) == 0);
	CHECK_NEAR(r.time_ns, 8000 + 4000 + 2000 + 4000 + 8000, 0.001);
	weft_replay_result_fini(&r);
	weft_replay_machine_fini(&m);
	weft_replay_program_free(p);
}

TEST(a_copy_is_changed_alone)
{
	struct weft_replay_program *p = program_of(LATE_SENDER), *copy;
	REQUIRE(weft_replay_program_copy(&copy, p, false) == 0);
	CHECK_U64(weft_replay_program_scale(copy, NULL, 0, 0.5), 1);
	struct weft_replay_result a = run(p, NULL, WEFT_REPLAY_EAGER_FLAGS), b = run(copy, NULL, WEFT_REPLAY_EAGER_FLAGS);
	CHECK_NEAR(a.time_ns - b.time_ns, 5000, 0.001);
	weft_replay_result_fini(&a);
	weft_replay_result_fini(&b);
	weft_replay_program_free(copy);
	weft_replay_program_free(p);
}

TEST(a_machine_that_is_too_small_is_said)
{
	struct weft_replay_program *p = program_of(FAN_IN);
	struct weft_replay_machine m;
	struct weft_replay_result r;
	struct weft_err err = {0};
	REQUIRE(weft_replay_machine_plain(&m, L, 1) == 0);
	m.n_nodes = m.kind.at[0].n = m.site.at[0].n_nodes = 2;
	CHECK(weft_replay_run(p, &m, NULL, &r, &err) == -34);
	CHECK_STR(err.text, "3 ranks do not fit on the machine's 2 nodes");
	m.kind.at[0].inter_latency_ns = -1;
	err.code = 0;
	CHECK(weft_replay_run(p, &m, NULL, &r, &err) < 0);
	CHECK_STR(err.text, "node 0: a latency is negative, or longer than a human life");
	weft_replay_machine_fini(&m);
	weft_replay_program_free(p);
}

/* ---- flows ---- */

static struct weft_replay_result run_on(const char *program, const char *topology)
{
	struct weft_replay_program *p = program_of(program);
	struct weft_replay_machine m;
	struct weft_replay_result r;
	struct weft_topology *t;
	struct weft_err err = {0};
	REQUIRE(weft_topology_make(&t, topology, NULL, &err) == 0);
	REQUIRE(weft_replay_machine_plain(&m, L, 1) == 0);
	weft_replay_machine_connect(&m, t);
	if (weft_replay_run(p, &m, NULL, &r, &err))
		printf("# %s\n", err.text);
	REQUIRE(err.code == 0);
	weft_replay_machine_fini(&m);
	weft_topology_free(t);
	weft_replay_program_free(p);
	return r;
}

#define ACROSS \
	FOUR "1:0:0:0.000001\n2:0:0:2:-1:5000:1:1:0\n1:1:0:0.000001\n2:1:0:3:-1:5000:1:1:0\n1:2:0:0.000001\n3:2:0:0:-1:5000:1:1:0\n" \
	     "1:3:0:0.000001\n3:3:0:1:-1:5000:1:1:0\n"
/* The second begins 5000 later, when the first has half of its way behind it. */
#define LATER \
	FOUR "1:0:0:0.000001\n2:0:0:2:-1:10000:1:1:0\n1:1:0:0.000006\n2:1:0:3:-1:5000:1:1:0\n1:2:0:0.000001\n3:2:0:0:-1:10000:1:1:0\n" \
	     "1:3:0:0.000001\n3:3:0:1:-1:5000:1:1:0\n"

TEST(flows_share_the_links_of_a_topology)
{
	static const struct {
		const char *name, *program, *topology;
		double end_ns[4];
	} rows[] = {
		/* both come by the one link of node 0, at half its bandwidth; the second receive pays its L behind that */
		{"fan in", FAN_IN, "fat-tree:k=4", {1000 + L + 10000 + L, 1000 + L, 1000 + L}},
		/* nothing is shared: B, and the latencies of 4 links (node, two between routers, node), or 3 */
		{"two pairs",
	         TWO_PAIRS,
	         "torus:4,latency=10ns",
	         {1000 + L, 1000 + L + 5000 + 30, 1000 + L, 1000 + L + 5000 + 30}},
		/* 0 to 2 and 1 to 3 both go from router 1 to router 2 */
		{"ring", ACROSS, "torus:4", {1000 + L, 1000 + L, 1000 + L + 10000, 1000 + L + 10000}},
		/* links of 2 bytes a ns: as fast as alone with 1 */
		{"fast ring", ACROSS, "torus:4,bandwidth=2GB/s", {1000 + L, 1000 + L, 1000 + L + 5000, 1000 + L + 5000}},
		/* 5000 of 10000 are left when the second comes: both have 5000 to go at half */
		{"later", LATER, "torus:4", {1000 + L, 6000 + L, 6000 + L + 10000, 6000 + L + 10000}},
		/* the two uppermost levels have a quarter: up from one edge to another by ways of their own */
		{"taper", ACROSS, "fat-tree:k=4,taper=4", {1000 + L, 1000 + L, 1000 + L + 20000, 1000 + L + 20000}},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct weft_replay_result r = run_on(rows[i].program, rows[i].topology);
		for (uint32_t k = 0; k < r.n_ranks; k++)
			if (!CHECK_NEAR(r.rank[k].end_ns, rows[i].end_ns[k], 0.001))
				printf("# %s, rank %u\n", rows[i].name, k);
		weft_replay_result_fini(&r);
	}
}

TEST(what_links_were_used_for_is_told)
{
	struct weft_replay_result r = run_on(ACROSS, "torus:4");
	REQUIRE(r.n_links == 7);                         /* two up, two down, 0-1, 1-2, 2-3 */
	CHECK_U64(r.link[0].link, 8 + 2);                /* onwards from router 1 */
	CHECK_NEAR(r.link[0].use, 10000. / 12000, 1e-9); /* of the 12 us that it took */
	CHECK_U64(r.link[0].most, 2);
	CHECK_U64(r.link[0].messages, 2);
	CHECK_NEAR(r.link[0].full_ns, 10000, 1e-6);
	CHECK_NEAR(r.link[1].use, 5000. / 12000, 1e-9);
	CHECK_NEAR(r.link[1].full_ns, 0, 1e-6);
	CHECK_NEAR(r.rank[0].link_wait_ns, 5000, 1e-6);
	weft_replay_result_fini(&r);
}

TEST(a_topology_has_its_limits)
{
	struct weft_replay_program *p = program_of(FAN_IN);
	struct weft_replay_machine m;
	struct weft_replay_result r;
	struct weft_topology *t;
	struct weft_err err = {0};
	REQUIRE(weft_topology_make(&t, "torus:2", NULL, &err) == 0);
	REQUIRE(weft_replay_machine_plain(&m, L, 1) == 0);
	weft_replay_machine_connect(&m, t);
	CHECK(weft_replay_run(p, &m, NULL, &r, &err) == -34);
	CHECK_STR(err.text, "3 ranks do not fit on the machine's 2 nodes");
	weft_topology_free(t);
	static const char apart[] = "node a b c\nswitch s\nlink a s\nlink b s\n";
	err.code = 0;
	REQUIRE(weft_topology_parse(&t, apart, sizeof apart - 1, "apart", &err) == 0);
	m.n_nodes = m.kind.at[0].n = m.site.at[0].n_nodes = 3;
	weft_replay_machine_connect(&m, t);
	CHECK(weft_replay_run(p, &m, NULL, &r, &err) < 0);
	CHECK_STR(err.text, "topology 'apart': no way from c to a");
	weft_topology_free(t);
	weft_replay_machine_fini(&m);
	weft_replay_program_free(p);
}

static void half_memory(struct weft_replay_machine *m)
{
	m->map.per_node = 4;
	m->memory_share = 0.5;
}
static void half_memory_one_cpu(struct weft_replay_machine *m)
{
	half_memory(m);
	m->kind.at[0].cpus = 1;
}
static void half_memory_two_nodes(struct weft_replay_machine *m)
{
	half_memory(m);
	m->map.per_node = 2;
}

/*
 * Bursts of 1 to 4 us, of which two can have the memory. 4 at half speed: the first ends at 2 us; 3 at 2/3: the second at 3.5; then each
 * has what it wants: 4.5 and 5.5 us.
 */
TEST(threads_share_the_memory_of_their_node)
{
	static const double waits[4] = {1000, 1500, 1500, 1500};
	struct weft_replay_program *p = program_of(BARRIER);
	struct weft_replay_result r = run(p, half_memory, WEFT_REPLAY_EAGER_FLAGS);
	CHECK_NEAR(r.time_ns, 5500 + 2 * L, 0.001);
	for (unsigned i = 0; i < 4; i++) {
		CHECK_NEAR(r.rank[i].memory_wait_ns, waits[i], 0.001);
		CHECK_NEAR(r.rank[i].computation_ns, 1000 * (i + 1) + waits[i], 0.001);
	}
	weft_replay_result_fini(&r);
	r = run(p, half_memory_one_cpu, WEFT_REPLAY_EAGER_FLAGS); /* they take turns: nobody is in another's way */
	CHECK_NEAR(r.time_ns, 10000 + 2 * L, 0.001);
	CHECK_NEAR(r.rank[3].memory_wait_ns, 0, 0.001);
	weft_replay_result_fini(&r);
	r = run(p, half_memory_two_nodes, WEFT_REPLAY_EAGER_FLAGS);
	CHECK_NEAR(r.time_ns, 4000 + 2 * L, 0.001);
	weft_replay_result_fini(&r);
	weft_replay_program_free(p);
}
