/* SPDX-License-Identifier: Apache-2.0 */
/* The ways of a process's events: iterations that have begun go on by the old one; what a lost way had, nobody gets half of. */
#include "harness.h"
#include "tune/control/control_priv.h"
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS = 1, TUNLET = 2 };
#define PROCESS UINT64_C(77)

struct stage {
	struct control c;
	struct control_process t;
	struct channel above[2]; /* the other ends of ways 0 and 1 */
	struct point_want want;
	struct message *in;
};

static struct stage *begin(void)
{
	struct stage *st = calloc(1, sizeof *st);
	int pair[2];
	REQUIRE(st && (st->in = calloc(1, sizeof *st->in)));
	pthread_mutex_init(&st->c.up_lock, NULL);
	pthread_mutex_init(&st->c.processes_lock, NULL);
	pthread_cond_init(&st->c.let_go, NULL);
	for (unsigned i = 0; i < CONTROL_WAYS; i++) {
		if (i < 2) {
			REQUIRE(channel_pair(pair, NULL) == 0);
			channel_init(&st->above[i], pair[1], CHANNEL_ALL);
		}
		channel_init(&st->c.way[i], i < 2 ? pair[0] : -1, CHANNEL_ALL);
	}
	st->t = (struct control_process){.c = &st->c, .process = PROCESS};
	way_begin(&st->t.route);
	REQUIRE(weft_vec_push(&st->c.process, &st->t) == 0);
	st->want = (struct point_want){.event = TUNLET << 16, .n = FIELDS, .iteration = 1};
	return st;
}

static void finish(struct stage *st)
{
	for (unsigned i = 0; i < CONTROL_WAYS; i++)
		channel_fini(&st->c.way[i]);
	for (int i = 0; i < 2; i++)
		channel_fini(&st->above[i]);
	weft_buf_fini(&st->t.route.held);
	free(st->c.process.at);
	free(st->in);
	free(st);
}

static void event(struct stage *st, int64_t iteration)
{
	memset(st->in, 0, sizeof *st->in);
	st->in->kind = MESSAGE_EVENT;
	st->in->event = (struct message_event){.process = PROCESS, .event = st->want.event, .n = FIELDS};
	st->in->event.value[0] = (struct message_value){.kind = MESSAGE_INT, .i = iteration, .s = ""};
	way_event(&st->t, &st->want, st->in);
}

/* What has come by a way, as "left0 event4 lost": kinds, with the iteration of events and how a process has left. */
static void check_way(struct stage *st, unsigned way, const char *want)
{
	char got[300] = "";
	size_t n = 0;
	pthread_mutex_lock(&st->c.up_lock);
	CHECK_I64(way_flush(&st->c), 0);
	pthread_mutex_unlock(&st->c.up_lock);
	REQUIRE(channel_fill(&st->above[way]) == 0);
	while (channel_next(&st->above[way], st->in) > 0) {
		n += (size_t)snprintf(got + n, sizeof got - n, "%s%s", n ? " " : "", message_name(st->in->kind));
		if (st->in->kind == MESSAGE_EVENT)
			n += (size_t)snprintf(got + n, sizeof got - n, "%d", (int)st->in->event.value[0].i);
		if (st->in->kind == MESSAGE_LEFT)
			n += (size_t)snprintf(got + n, sizeof got - n, "%d", st->in->left.how);
	}
	CHECK_STR(got, want);
}

/* Iteration 3 goes by the first way, 4 and later by the second. */
static void move_after_3(struct stage *st)
{
	struct message move = {.kind = MESSAGE_MOVE, .move = {PROCESS}}, go = {.kind = MESSAGE_GO, .go = {PROCESS}};
	event(st, 3);
	CHECK(way_hear(&st->c, 1, &move));
	check_way(st, 0, "event3 left0");
	event(st, 4);
	check_way(st, 0, "left1");
	check_way(st, 1, "");
	CHECK(way_hear(&st->c, 0, &go));
	check_way(st, 1, "event4");
}

TEST(what_has_begun_goes_on_by_the_old_way)
{
	struct stage *st = begin();
	move_after_3(st);
	event(st, 3);
	event(st, 5);
	event(st, 4);
	check_way(st, 0, "event3");
	check_way(st, 1, "event5 event4");
	finish(st);
}

/* The rest of an iteration went to a collector that knew nothing of its begin: a sum of a part was evaluated. */
TEST(nothing_is_left_of_what_a_lost_way_had)
{
	struct stage *st = begin();
	move_after_3(st);
	event(st, 5);
	channel_fini(&st->above[1]);
	way_lost(&st->c, 1);
	check_way(st, 0, "here lost");
	event(st, 4);
	event(st, 3);
	event(st, 5);
	event(st, 6);
	check_way(st, 0, "event3 event6");
	channel_init(&st->above[1], -1, CHANNEL_ALL);
	finish(st);
}
