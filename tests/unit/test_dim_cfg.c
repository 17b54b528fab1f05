/* SPDX-License-Identifier: Apache-2.0 */
/* Dimemas' configurations: every kind of record, their older forms, and what is said of wrong ones. */
#include "replay/dimemas/dim_cfg.h"
#include "replay/program/program.h"
#include "harness.h"

#include <stdlib.h>
#include <string.h>

#define HEAD "#DIMEMAS_CONFIGURATION\n"
#define SITE "\"environment information\" {\"m\", 0, \"x86\", 4, 250, 2, 3};;\n"
#define NODES "\"multi node information\" {0, 4, \"n\", 2, 1.5, 1e-06, 2000, 3, 1, 0, 8e-06, 1, 2, 0.5};;\n"

static int parse(const char *text, struct weft_replay_machine *m, const char **notice, struct weft_err *err)
{
	memset(err, 0, sizeof *err);
	return weft_replay_cfg_parse(m, text, strlen(text), "m.cfg", notice, err);
}

TEST(every_record_has_its_place)
{
	struct weft_replay_machine m;
	struct weft_err err;
	REQUIRE(parse(HEAD
	              "/* a comment\n of two lines */\n// and one\n"
	              "\"wide area network information\" {\"w\", 1, 1, 4, 10.0, 5.0, 2};;\n" SITE NODES
	              "\"mapping information\" {\"t\", 3, [3] {0, 2, 1}};;\n\"configuration files\" {\"\", \"\", \"\", \"\"};;\n"
	              "\"modules information\" {60000019, 4, 2.5};;\n\"file system parameters\" {0.0, 0.0, 8.0, 0, 1.0};;\n"
	              "\"dedicated connection information\" {1, 0, 0, 100, [2] {5, 6}, 10, \"<\", \"&\", 5, \">\", [1] {1}, 0.001, 0.0};;\n"
	              "\"accelerator node information\" {1, 2, 1e-6, 2e-6, 8000, 1, 20};;\n",
	              &m, NULL, &err) == 0);
	CHECK_U64(m.n_nodes, 4);
	CHECK_U64(m.kind.n, 3); /* the node with accelerators is one of its own */
	CHECK_U64(m.kind.at[1].first, 1);
	CHECK_U64(m.kind.at[1].device.devices, 2);
	CHECK_U64(m.kind.at[2].n, 2);
	CHECK_NEAR(m.kind.at[0].inter_latency_ns, 8000, 1e-6);
	CHECK_NEAR(m.kind.at[0].intra.latency_ns, 1000, 1e-6);
	CHECK_NEAR(m.kind.at[0].ratio, 1.5, 0);
	CHECK(m.kind.at[0].links_in == 1 && m.kind.at[0].links_out == 2 && m.kind.at[0].intra.buses == 3);
	CHECK_NEAR(m.site.at[0].bytes_per_ns, 250 * 1048576 / 1e9, 1e-12);
	CHECK(m.site.at[0].buses == 2 && m.site.at[0].model == WEFT_REPLAY_LOGARITHMIC);
	CHECK(m.map.rule == WEFT_REPLAY_EXPLICIT && m.map.n == 3 && m.map.node[1] == 2);
	CHECK(m.module.n == 1 && m.module.at[0].ratio == 2.5);
	CHECK(m.connection.n == 1 && m.connection.at[0].n_tags == 2 && m.connection.at[0].first.compare == '<');
	CHECK_NEAR(m.connection.at[0].latency_ns, 1e6, 1e-6); /* seconds, as its documents say */
	weft_replay_machine_fini(&m);
}

TEST(older_forms_of_nodes_are_read)
{
	struct weft_replay_machine m;
	struct weft_err err;
	const char *notice = NULL;
	REQUIRE(parse(HEAD "\"environment information\" {\"\", 0, \"\", 2, 1, 0, 1};;\n"
	                   "\"node information\" {0, 7, \"\", 1, 1, 0, 0, 0, 1, 0, 1e-05, 1, 1, 0.0};;\n"
	                   "\"node information\" {0, 1, \"\", 3, 1, 1, 1e-06, 2e-06, 0.5, 100, 0.0};;\n",
	              &m, &notice, &err) == 0);
	CHECK(notice && strstr(notice, "oldest form"));
	CHECK_U64(m.kind.at[1].cpus, 3);
	CHECK_U64(m.kind.at[1].intra.buses, 3);
	CHECK_NEAR(m.kind.at[1].inter_latency_ns, 2000, 1e-6);
	CHECK_NEAR(m.kind.at[1].ratio, 0.5, 0);
	weft_replay_machine_fini(&m);
}

TEST(ranks_are_mapped_as_it_says)
{
	static const struct {
		const char *how;
		uint32_t node[6];
	} rows[] = {{"FILL_NODES", {0, 0, 1, 1, 2, 2}},
	            {"3 TASKS_PER_NODE", {0, 0, 0, 1, 1, 1}},
	            {"INTERLEAVED", {0, 1, 2, 3, 0, 1}}};
	for (size_t i = 0; i < 3; i++) {
		char text[1000];
		uint32_t node[6];
		struct weft_replay_machine m;
		struct weft_err err;
		snprintf(text, sizeof text, HEAD SITE NODES "\"predefined mapping information\" {\"%s\"};;\n", rows[i].how);
		REQUIRE(parse(text, &m, NULL, &err) == 0);
		REQUIRE(weft_replay_map_ranks(&m, 6, node, &err) == 0);
		for (unsigned k = 0; k < 6; k++)
			CHECK_U64(node[k], rows[i].node[k]);
		weft_replay_machine_fini(&m);
	}
}

TEST(rules_of_collective_operations_are_read)
{
	struct weft_replay_machine m;
	struct weft_err err;
	REQUIRE(parse(HEAD SITE NODES, &m, NULL, &err) == 0);
	static const char rules[] =
		"# a comment\nMachine globalop: 0 11 0 MAX LOG 2MAX\nExternal globalop: MPI_Bcast LIN MIN CTE S+R\n8 CTE MEAN 0 MAX 0\n"
		"Machine policy: 0 RR\n";
	REQUIRE(weft_replay_collectives_parse(&m, rules, strlen(rules), "c", &err) == 0);
	const struct weft_replay_collective *c = &m.site.at[0].collective[WEFT_REPLAY_ALLREDUCE];
	CHECK(c->set && c->in.model == WEFT_REPLAY_ZERO && c->in.size == WEFT_REPLAY_SIZE_MAX &&
	      c->out.model == WEFT_REPLAY_LOGARITHMIC && c->out.size == WEFT_REPLAY_SIZE_TWO_MAX);
	CHECK(m.wan.collective[WEFT_REPLAY_BCAST].in.model == WEFT_REPLAY_LINEAR);
	CHECK(m.site.at[0].collective[WEFT_REPLAY_ALLTOALL].in.size == WEFT_REPLAY_SIZE_MEAN);
	CHECK(weft_replay_collectives_parse(&m, "0 CONST MAX 0 MAX 0\n", 20, "c", &err) < 0);
	CHECK_STR(err.text, "'c', line 1: unknown model 'CONST'");
	weft_replay_machine_fini(&m);
}

TEST(wrong_records_are_said_with_their_line)
{
	static const struct {
		const char *text, *error;
	} rows[] = {
		{"", "'m.cfg', line 1: no configuration for Dimemas, which begins with #DIMEMAS_CONFIGURATION"},
		{HEAD "\"weather information\" {1};;\n", "'m.cfg', line 2: unknown record 'weather information'"},
		{HEAD "\"modules information\" {1, 2};;\n", "'m.cfg', line 2: wrong number of fields"},
		{HEAD "\"modules information\" {1, 0, 2};;\n", "'m.cfg', line 2: a module of value 0, which means its end"},
		{HEAD "\"modules information\" {1, x, 2};;\n",
	         "'m.cfg', line 2: a field that is neither a text, nor a number, nor an array"},
		{HEAD SITE "\"multi node information\" {0, 4, \"n\", 2, -1, 0, 0, 0, 1, 0, 0, 1, 2, 0};;\n",
	         "'m.cfg', line 3: the speed of a node's processors is negative"},
		{HEAD SITE, "'m.cfg': the machine has no nodes"},
		{HEAD SITE "\"multi node information\" {0, 3, \"n\", 2, 1, 0, 0, 0, 1, 0, 0, 1, 2, 0};;\n",
	         "'m.cfg': machine 'm': it says that it has 4 nodes, but 3 are described"},
		{HEAD SITE "\"multi node information\" {0, 4, \"n\", 2, 1, 0, 0, 0, 1, 0, -5, 1, 2, 0};;\n",
	         "'m.cfg': node 0: a latency is negative, or longer than a human life"},
		{HEAD SITE NODES "\"predefined mapping information\" {\"AS YOU LIKE\"};;\n",
	         "'m.cfg', line 4: unknown mapping: known are \"FILL_NODES\", \"<n> TASKS_PER_NODE\", \"INTERLEAVED\""},
		{HEAD SITE NODES "\"mapping information\" {\"t\", 3, [3] {0, 2}};;\n",
	         "'m.cfg', line 4: an array of another length than it says"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct weft_replay_machine m;
		struct weft_err err;
		CHECK(parse(rows[i].text, &m, NULL, &err) < 0);
		CHECK_STR(err.text, rows[i].error);
	}
}
