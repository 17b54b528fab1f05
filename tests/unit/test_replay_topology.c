/* SPDX-License-Identifier: Apache-2.0 */
/* Topologies: what there is of each kind, the ways through them (whole, without gaps, as short as they should be), and what is refused. */
#include "replay/machine/replay_topology.h"
#include "harness.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct weft_topology *made(const char *text)
{
	struct weft_topology *t;
	struct weft_err err = {0};
	if (weft_topology_make(&t, text, NULL, &err))
		printf("# %s\n", err.text);
	REQUIRE(err.code == 0);
	return t;
}

/* "node 0 > edge 0.0 > node 1": the vertices of a way, and whether each link begins where the one before it ended. */
static const char *way(const struct weft_topology *t, uint32_t from, uint32_t to)
{
	static char out[1000];
	struct weft_route r = {0};
	char name[100];
	uint32_t at = from;
	REQUIRE(weft_topology_route(t, from, to, &r) == 0);
	size_t n = (size_t)snprintf(out, sizeof out, "%s", weft_topology_vertex(t, from, name, sizeof name));
	for (size_t i = 0; i < r.link.n; i++) {
		const struct weft_topology_link *l = &t->link.at[r.link.at[i]];
		CHECK_U64(l->from, at);
		at = l->to;
		n += (size_t)snprintf(out + n, sizeof out - n, " > %s", weft_topology_vertex(t, at, name, sizeof name));
	}
	CHECK_U64(at, to);
	weft_route_fini(&r);
	return out;
}

/* All pairs: whole ways; the count of links of all of them together. */
static uint64_t all_ways(const struct weft_topology *t)
{
	struct weft_route r = {0};
	uint64_t sum = 0;
	for (uint32_t a = 0; a < t->n_nodes; a++)
		for (uint32_t b = 0; b < t->n_nodes; b++) {
			uint32_t at = a;
			REQUIRE(weft_topology_route(t, a, b, &r) == 0);
			for (size_t i = 0; i < r.link.n; i++) {
				REQUIRE(r.link.at[i] < t->link.n && t->link.at[r.link.at[i]].from == at);
				at = t->link.at[r.link.at[i]].to;
			}
			REQUIRE(at == b);
			sum += r.link.n;
		}
	weft_route_fini(&r);
	return sum;
}

TEST(fat_tree)
{
	struct weft_topology *t = made("fat-tree:k=4");
	CHECK_U64(t->n_nodes, 16);
	CHECK_U64(t->n_vertices, 16 + 8 + 8 + 4);
	CHECK_U64(t->link.n, 2 * (16 + 16 + 16));
	CHECK_STR(way(t, 0, 1), "node 0 > edge 0.0 > node 1");
	CHECK_STR(way(t, 0, 3), "node 0 > edge 0.0 > aggregation 0.1 > edge 0.1 > node 3");
	/* node 6: up by 6 mod 2 = 0, then by 6 / 2 mod 2 = 1 */
	CHECK_STR(way(t, 0, 6), "node 0 > edge 0.0 > aggregation 0.0 > core 1 > aggregation 1.0 > edge 1.1 > node 6");
	/* from each of 16: 1 with 2 links, 2 with 4, 12 with 6 */
	CHECK_U64(all_ways(t), 16 * (1 * 2 + 2 * 4 + 12 * 6));
	weft_topology_free(t);
}

TEST(torus)
{
	struct weft_topology *t = made("torus:5");
	CHECK_STR(way(t, 0, 2), "node 0 > router (0) > router (1) > router (2) > node 2");
	CHECK_STR(way(t, 0, 3), "node 0 > router (0) > router (4) > router (3) > node 3");
	weft_topology_free(t);
	t = made("torus:4x3,latency=10ns,bandwidth=2GB/s");
	CHECK_U64(t->n_nodes, 12);
	CHECK_STR(way(t, 0, 10),
	          "node 0 > router (0,0) > router (1,0) > router (2,0) > router (2,2) > node 10"); /* a tie goes up */
	/* rings of 4: 0 + 1 + 2 + 1 steps, of 3: 0 + 1 + 1; and two links at the ends of what is no way to itself */
	CHECK_U64(all_ways(t), 12 * (3 * 4 + 4 * 2) + 12 * 11 * 2);
	CHECK_NEAR(t->link.at[0].bytes_per_ns, 2, 0);
	CHECK_NEAR(t->link.at[0].latency_ns, 10, 0);
	weft_topology_free(t);
	t = made("torus:2x2x1");
	CHECK_STR(way(t, 3, 0), "node 3 > router (1,1,0) > router (0,1,0) > router (0,0,0) > node 0");
	weft_topology_free(t);
}

TEST(dragonfly)
{
	struct weft_topology *t = made("dragonfly:a=4,p=2,h=2");
	CHECK_U64(t->groups, 9);
	CHECK_U64(t->n_nodes, 72);
	CHECK_STR(way(t, 0, 1), "node 0 > router 0.0 > node 1");
	CHECK_STR(way(t, 0, 7), "node 0 > router 0.0 > router 0.3 > node 7");
	/* group 0 to 5: port 4, of router 2; there group 0 is port 3, of router 1 */
	CHECK_STR(way(t, 0, 40), "node 0 > router 0.0 > router 0.2 > router 5.1 > router 5.0 > node 40");
	(void)all_ways(t);
	weft_topology_free(t);
	t = made("dragonfly:a=4,p=2,h=2,g=3,taper=2");
	CHECK_U64(t->n_nodes, 24);
	CHECK_NEAR(t->link.at[t->link.n - 1].bytes_per_ns, -2, 0); /* half of the machine's */
	(void)all_ways(t);
	weft_topology_free(t);
}

static const char two_switches[] = "# two switches with two cables\n"
				   "switch left right\n"
				   "node a b c\n"
				   "link a left bandwidth=4GB/s latency=50ns\n"
				   "link b left\nlink c right\n"
				   "link left right latency=100ns\n"
				   "link left right latency=100ns\n";

TEST(file)
{
	struct weft_topology *t;
	struct weft_err err = {0};
	struct weft_route r = {0};
	REQUIRE(weft_topology_parse(&t, two_switches, sizeof two_switches - 1, "two", &err) == 0);
	CHECK_U64(t->n_nodes, 3);
	CHECK_STR(way(t, 0, 2), "a > left > right > c");
	CHECK_STR(way(t, 2, 1), "c > right > left > b");
	REQUIRE(weft_topology_route(t, 0, 2, &r) == 0);
	CHECK_NEAR(r.latency_ns, 150, 1e-9);
	CHECK_U64(r.link.at[1], 6); /* c has number 2: the first of the two cables */
	REQUIRE(weft_topology_route(t, 2, 1, &r) == 0);
	CHECK_U64(r.link.at[1], 9); /* b has number 1: the second one */
	weft_route_fini(&r);
	(void)all_ways(t);
	weft_topology_free(t);
}

/* Nodes pass nothing on: a and c are linked by b only. */
TEST(nodes_are_no_switches)
{
	static const char text[] = "node a b c\nlink a b\nlink b c\n";
	struct weft_topology *t;
	struct weft_err err = {0};
	struct weft_route r = {0};
	REQUIRE(weft_topology_parse(&t, text, sizeof text - 1, "chain", &err) == 0);
	CHECK_STR(way(t, 0, 1), "a > b");
	CHECK(weft_topology_route(t, 0, 2, &r) == -ENETUNREACH);
	weft_route_fini(&r);
	weft_topology_free(t);
}

TEST(what_is_wrong_is_said)
{
	static const struct {
		const char *text, *error;
	} words[] = {
		{"fat-tree:k=3", "topology 'fat-tree:k=3': k, the ports of a switch, is even (fat-tree:k=4)"},
		{"fat-tree", "topology 'fat-tree': not like fat-tree:k=4"},
		{"fat-tree:k=4000000", "topology 'fat-tree:k=4000000': it is too large (fat-tree:k=4)"},
		{"fat-tree:q=4", "topology 'fat-tree:q=4': 'q=4' is not one of its sizes"},
		{"fat-tree:k=4,bandwidth=fast",
	         "topology 'fat-tree:k=4,bandwidth=fast': 'bandwidth' wants a value like 10GB/s, not 'fast'"},
		{"torus:4x", "topology 'torus:4x': not like torus:4x4x2"},
		{"torus:0", "topology 'torus:0': not like torus:4x4x2"},
		{"torus:4096x4096", "topology 'torus:4096x4096': it is too large (torus:4x4x2)"},
		{"dragonfly:a=2,p=1",
	         "topology 'dragonfly:a=2,p=1': it needs a (routers of a group), p (nodes of a router) and h (links of a router to other groups) (dragonfly:a=4,p=2,h=2)"},
		{"dragonfly:a=2,p=1,h=1,g=4",
	         "topology 'dragonfly:a=2,p=1,h=1,g=4': there are more groups than a h + 1: some could not be reached (dragonfly:a=4,p=2,h=2)"},
		{"hypercube:4",
	         "unknown topology 'hypercube:4': fat-tree:k=4, torus:4x4x2, dragonfly:a=4,p=2,h=2, or a file (its name has a dot or a slash)"},
	};
	static const struct {
		const char *text, *error;
	} files[] = {
		{"", "'f': it has no node"},
		{"node a a\n", "'f', line 1: 'a' is there already"},
		{"node\n", "'f', line 1: a name is missing"},
		{"node a\nlink a\n", "'f', line 2: a link has two ends"},
		{"node a\nlink a b\n", "'f', line 2: no node or switch 'b'"},
		{"node a\nlink a a\n", "'f', line 2: a link from 'a' to itself"},
		{"node a b\nlink a b speed=2\n", "'f', line 2: a link has bandwidth=RATE and latency=TIME, not 'speed'"},
		{"node a b\n\nlink a b latency=x\n", "'f', line 3: 'latency' wants a value like 2us, not 'x'"},
		{"host a\n", "'f', line 1: not node, switch or link: 'host'"},
	};
	struct weft_topology *t;
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
		struct weft_err err = {0};
		CHECK(weft_topology_make(&t, words[i].text, NULL, &err) < 0 && !t);
		CHECK_STR(err.text, words[i].error);
	}
	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
		struct weft_err err = {0};
		CHECK(weft_topology_parse(&t, files[i].text, strlen(files[i].text), "f", &err) < 0 && !t);
		CHECK_STR(err.text, files[i].error);
	}
}
