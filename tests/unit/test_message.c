/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of a tuned run as bytes: there and back, cut off anywhere, damaged anywhere. */
#include "harness.h"
#include "tune/wire/message.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct message sample_event(void)
{
	struct message m = {.kind = MESSAGE_EVENT};
	m.event.process = UINT64_C(3) << 32 | 17;
	m.event.time = 1234567890123456789u;
	m.event.event = 65537;
	m.event.tid = 4711;
	m.event.incomplete = true;
	m.event.n = 4;
	m.event.value[0] = (struct message_value){.kind = MESSAGE_INT, .i = -5};
	m.event.value[1] = (struct message_value){.kind = MESSAGE_REAL, .d = 0.1};
	m.event.value[2] = (struct message_value){.kind = MESSAGE_TEXT, .s = "a text"};
	m.event.value[3] = (struct message_value){.kind = MESSAGE_ABSENT};
	return m;
}

static struct message sample_want(void)
{
	struct message m = {.kind = MESSAGE_WANT};
	m.want = (struct message_want){.process = 9,
	                               .event = 2,
	                               .at_exit = true,
	                               .function = "step",
	                               .classes = "Solver,Base",
	                               .n = 2};
	m.want.field[0] = (struct message_field){MESSAGE_PARAMETER, "n", "int"};
	m.want.field[1] = (struct message_field){MESSAGE_CONSTANT, "7", "double"};
	return m;
}

static void there_and_back(const struct message *m, struct weft_buf *b, struct message *out)
{
	b->n = 0;
	REQUIRE(message_encode(m, b) == 0);
	REQUIRE(message_decode(m->kind, b->at, b->n, out) == 0);
}

TEST(message_there_and_back)
{
	struct weft_buf b = {0};
	struct message m = sample_event(), *got = malloc(sizeof *got);
	there_and_back(&m, &b, got);
	CHECK_U64(got->event.process, m.event.process);
	CHECK_U64(message_process_of(got), m.event.process);
	CHECK_U64(got->event.time, m.event.time);
	CHECK_U64(got->event.event, 65537);
	CHECK(got->event.incomplete);
	CHECK_U64(got->event.n, 4);
	CHECK_I64(got->event.value[0].i, -5);
	CHECK(got->event.value[0].d == -5);
	CHECK(got->event.value[1].d == 0.1);
	CHECK_STR(got->event.value[2].s, "a text");
	CHECK_U64(got->event.value[3].kind, MESSAGE_ABSENT);
	m = sample_want();
	there_and_back(&m, &b, got);
	CHECK_STR(got->want.function, "step");
	CHECK_STR(got->want.classes, "Solver,Base");
	CHECK(got->want.at_exit && got->want.n == 2);
	CHECK_STR(got->want.field[1].name, "7");
	CHECK_STR(got->want.field[1].type, "double");
	m = (struct message){.kind = MESSAGE_ACTED};
	m.acted.rc = -ENOENT;
	m.acted.text = "no variable 'x'";
	m.acted.old = (struct message_value){.kind = MESSAGE_REAL, .d = 2.5};
	there_and_back(&m, &b, got);
	CHECK_I64(got->acted.rc, -ENOENT);
	CHECK(got->acted.old.d == 2.5);
	CHECK_STR(got->acted.text, "no variable 'x'");
	free(got);
	weft_buf_fini(&b);
}

/* What ends between two fields is an older side's; what ends in one is refused. Nothing is read behind the end (the sanitizers look). */
TEST(message_that_is_cut_off)
{
	struct weft_buf b = {0};
	struct message m = sample_want(), *got = malloc(sizeof *got);
	REQUIRE(message_encode(&m, &b) == 0);
	unsigned refused = 0;
	for (size_t n = 0; n < b.n; n++) {
		char *copy = malloc(n + !n);
		memcpy(copy, b.at, n);
		int rc = message_decode(m.kind, copy, n, got);
		CHECK(rc == 0 || rc == WEFT_E_SYNTAX);
		refused += rc != 0;
		CHECK(rc != 0 || (got->want.function && got->want.classes));
		free(copy);
	}
	CHECK(refused > b.n / 2 && refused < b.n);
	b.n = 0;
	m = (struct message){.kind = MESSAGE_GONE, .gone = {.why = "x"}};
	REQUIRE(message_encode(&m, &b) == 0);
	weft_buf_puts(&b, "of a later version");
	CHECK(message_decode(m.kind, b.at, b.n, got) == 0);
	CHECK_STR(got->gone.why, "x");
	free(got);
	weft_buf_fini(&b);
}

TEST(message_that_is_damaged)
{
	struct weft_buf b = {0};
	struct message m, *got = malloc(sizeof *got);
	for (unsigned round = 0; round < 20000; round++) {
		b.n = 0;
		m = round & 1 ? sample_event() : sample_want();
		REQUIRE(message_encode(&m, &b) == 0);
		char *copy = malloc(b.n);
		memcpy(copy, b.at, b.n);
		for (unsigned k = 0; k <= test_random() % 4; k++)
			copy[test_random() % b.n] = (char)test_random();
		if (message_decode((unsigned)(test_random() % (MESSAGE_KINDS + 2)), copy, b.n, got) == 0) {
			b.n = 0;
			CHECK(message_encode(got, &b) == 0); /* whatever it is, it is a message */
		}
		free(copy);
	}
	free(got);
	weft_buf_fini(&b);
}

TEST(message_that_is_too_long)
{
	struct weft_buf b = {0};
	char *text = malloc(MESSAGE_BYTES_MAX + 1);
	memset(text, 'x', MESSAGE_BYTES_MAX);
	text[MESSAGE_BYTES_MAX] = '\0';
	weft_buf_puts(&b, "before");
	struct message m = {.kind = MESSAGE_GONE, .gone = {.why = text}};
	CHECK_I64(message_encode(&m, &b), -EMSGSIZE);
	CHECK_STR(b.at, "before");
	CHECK_U64(b.n, 6);
	CHECK_STR(message_name(MESSAGE_GONE), "gone");
	CHECK_STR(message_name(MESSAGE_KINDS), "?");
	free(text);
	weft_buf_fini(&b);
}
