/* SPDX-License-Identifier: Apache-2.0 */
/* Reading .dim: what its records become, and what is said of wrong ones. */
#include "replay/dimemas/dim.h"
#include "harness.h"

#include <stdlib.h>
#include <string.h>

static int parse(const char *text, struct weft_replay_program **p, struct weft_err *err)
{
	memset(err, 0, sizeof *err);
	return weft_replay_dim_parse(p, text, strlen(text), "t.dim", 0, err);
}

TEST(records_become_operations)
{
	struct weft_replay_program *p;
	struct weft_err err;
	REQUIRE(parse("#DIMEMAS:\"t\":0:2(1,1),1,0,0\nd:1:1:2:0:1\n1:0:0:0.000001500\n2:0:0:1:-1:64:3:1:3\n0:0:0\n20:0:0:7:-9\n11:0:0:2.0\n"
	              "1:1:0:0.0\n3:1:0:0:-1:64:3:1:1\n10:1:0:7:1:1:0:5:6:1\n3:1:0:0:-1:64:3:1:2\n",
	              &p, &err) == 0);
	CHECK_U64(p->n_ranks, 2);
	CHECK_U64(p->n_ops, 9);
	CHECK_NEAR(p->op[0].ns, 1500, 0);
	CHECK(p->op[1].kind == WEFT_REPLAY_SEND && p->op[1].flags == (WEFT_REPLAY_SYNC_SEND | WEFT_REPLAY_IMMEDIATE));
	CHECK(p->op[2].kind == WEFT_REPLAY_NOP);
	CHECK(p->op[3].kind == WEFT_REPLAY_EVENT && p->op[3].what == 7 && p->op[3].value == -9);
	CHECK(p->op[4].kind == WEFT_REPLAY_DEVICE && p->op[4].ns == 2e9);
	CHECK(p->op[6].kind == WEFT_REPLAY_IRECV && p->op[8].kind == WEFT_REPLAY_WAIT && p->op[6].of == p->op[8].of);
	CHECK_U64(p->n_messages, 1);
	CHECK_U64(p->message[0].bytes, 64);
	CHECK(p->part[0].sent == 5 && p->part[0].received == 6 && p->part[0].is_root);
	CHECK_U64(p->gather[0].operation, WEFT_REPLAY_ALLGATHERV);
	weft_replay_program_free(p);
}

TEST(sends_and_receives_go_together_in_their_order_by_tag)
{
	struct weft_replay_program *p;
	struct weft_err err;
	REQUIRE(parse("#DIMEMAS:\"t\":0:2(1,1),1,0,0\nd:1:1:2:0:1\n1:0:0:0\n2:0:0:1:-1:1:5:1:0\n2:0:0:1:-1:2:6:1:0\n2:0:0:1:-1:3:5:1:0\n"
	              "1:1:0:0\n3:1:0:0:-1:9:6:1:0\n3:1:0:0:-1:9:5:1:0\n3:1:0:0:-1:9:5:1:0\n",
	              &p, &err) == 0);
	const uint64_t bytes[3] = {2, 1, 3};
	for (unsigned i = 0; i < 3; i++)
		CHECK_U64(p->message[p->op[5 + i].of].bytes, bytes[i]);
	weft_replay_program_free(p);
}

TEST(an_index_finds_threads_in_any_order)
{
	/* the header has 31 bytes, the first record 10, the second 11 */
	struct weft_replay_program *p;
	struct weft_err err;
	REQUIRE(parse("#DIMEMAS:\"t\":1,52:2(1,1),0,0,0\n1:1:0:0.5\n1:0:0:0.25\ns:0:41\ns:1:31\n", &p, &err) == 0);
	CHECK_U64(p->thread[0].n_ops, 1);
	CHECK_NEAR(p->op[p->thread[0].first_op].ns, 0.25e9, 0);
	CHECK_NEAR(p->op[p->thread[1].first_op].ns, 0.5e9, 0);
	weft_replay_program_free(p);
}

TEST(a_text_that_ends_in_the_middle_is_read_up_to_there)
{
	struct weft_replay_program *p;
	struct weft_err err;
	REQUIRE(parse("#DIMEMAS:\"t\":0:1(1),0,0,0\n1:0:0:0.5\n2:0:0:0:-1:1", &p, &err) == 0);
	CHECK_U64(p->fault[WEFT_REPLAY_TRUNCATED].count, 1);
	CHECK_U64(p->n_ops, 1);
	weft_replay_program_free(p);
}

TEST(what_is_wrong_is_said_with_its_line)
{
	static const struct {
		const char *text, *error;
	} rows[] = {
		{"", "'t.dim', line 1: this is no program for Dimemas, which begins with #DIMEMAS:\"name\":"},
		{"#DIMEMAS:\"t\":0:2(1),0,0,0\n", "'t.dim', line 1: the numbers of threads do not go with the number of tasks"},
		{"#DIMEMAS:\"t\":0:0(),0,0,0\n", "'t.dim', line 1: no number of tasks"},
		{"#DIMEMAS:\"t\":0:1(1),0,0,0\n1:0:0:x\n1:0:0:0\n", "'t.dim', line 2: a burst without its seconds"},
		{"#DIMEMAS:\"t\":0:1(1),0,0,0\n4:0:0:1\n1:0:0:0\n", "'t.dim', line 2: a record of an unknown kind"},
		{"#DIMEMAS:\"t\":0:1(1),0,0,0\n2:0:0:5:-1:1:1:1:0\n1:0:0:0\n",
	         "'t.dim', line 2: a send to no task of this program"},
		{"#DIMEMAS:\"t\":0:1(1),0,0,0\n10:0:0:0:9:0:0:0:0:1\n1:0:0:0\n",
	         "'t.dim', line 2: a collective operation of a communicator that is not defined"},
		{"#DIMEMAS:\"t\":0:1(1),0,0,0\n1:0:0:0\n1:3:0:0\n1:0:0:0\n",
	         "'t.dim', line 3: a record of no task or thread of this program"},
		{"#DIMEMAS:\"t\":0:2(1,1),0,0,0\n1:0:0:0\n1:1:0:0\n1:0:0:0\n",
	         "'t.dim', line 4: the records of a thread do not stand together"},
		{"#DIMEMAS:\"t\":0:1(1),1,0,0\nd:1:1:2:0\n",
	         "'t.dim', line 2: the members of the communicator are not as many tasks as it says"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct weft_replay_program *p;
		struct weft_err err;
		CHECK(parse(rows[i].text, &p, &err) < 0);
		CHECK_STR(err.text, rows[i].error);
	}
}
