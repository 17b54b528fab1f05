/* SPDX-License-Identifier: Apache-2.0 */
/* Messages between two processes of one machine: many, in pieces, to one that does not read, and nonsense. */
#include "harness.h"
#include "tune/wire/channel.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void pair(struct channel *a, struct channel *b)
{
	int fd[2];
	struct weft_err err = {0};
	REQUIRE(channel_pair(fd, &err) == 0);
	channel_init(a, fd[0], CHANNEL_ALL);
	channel_init(b, fd[1], CHANNEL_ALL);
}

TEST(channel_keeps_what_nobody_reads)
{
	enum { MESSAGES = 20000 };
	struct channel a, b;
	struct message m = {.kind = MESSAGE_GONE}, *got = malloc(sizeof *got);
	unsigned n = 0;
	pair(&a, &b);
	for (uint64_t i = 0; i < MESSAGES; i++) {
		m.gone = (struct message_gone){.process = i,
		                               .why = "a text that makes it longer than the socket's buffer in all"};
		REQUIRE(channel_send(&a, &m) == 0);
	}
	CHECK(channel_pending(&a));
	for (unsigned round = 0; n < MESSAGES && round < 100000; round++) {
		CHECK_I64(channel_flush(&a), 0);
		CHECK_I64(channel_fill(&b), 0);
		int rc;
		while ((rc = channel_next(&b, got)) > 0) {
			REQUIRE(got->kind == MESSAGE_GONE);
			CHECK_U64(got->gone.process, n);
			n++;
		}
		REQUIRE(rc == 0);
	}
	CHECK_U64(n, MESSAGES);
	CHECK(!channel_pending(&a));
	channel_fini(&a);
	CHECK_I64(channel_fill(&b), -EPIPE);
	CHECK_I64(channel_next(&b, got), 0);
	channel_fini(&b);
	CHECK_I64(channel_send(&b, &m), 0);
	CHECK_I64(channel_flush(&b), -EPIPE);
	channel_fini(&b);
	free(got);
}

TEST(channel_refuses_nonsense)
{
	static const char too_long[] = {0, 0, 0, 1, MESSAGE_GONE}, no_kind[] = {0, 0, 0, 0, 99},
			  cut[] = {1, 0, 0, 0, MESSAGE_GONE, 7};
	static const struct {
		const char *at;
		size_t n;
	} rows[] = {{too_long, sizeof too_long}, {no_kind, sizeof no_kind}, {cut, sizeof cut}};
	struct message *got = malloc(sizeof *got);
	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct channel a, b;
		pair(&a, &b);
		CHECK_I64(write(a.fd, rows[i].at, rows[i].n), (int64_t)rows[i].n);
		CHECK_I64(channel_fill(&b), 0);
		CHECK_I64(channel_next(&b, got), WEFT_E_SYNTAX);
		channel_fini(&a);
		channel_fini(&b);
	}
	free(got);
}

/* Behind so much that it cannot leave at once; the one that has it with its own message, no other. */
TEST(channel_passes_a_descriptor_with_its_message)
{
	enum { BEFORE = 5000 };
	struct channel a, b;
	struct message m = {.kind = MESSAGE_GONE}, *got = malloc(sizeof *got);
	int pipes[2], rc = 0, fd = -1;
	char byte = 0;
	pair(&a, &b);
	REQUIRE(pipe(pipes) == 0);
	m.gone = (struct message_gone){.why = "a text that makes it longer than the socket's buffer in all"};
	for (int i = 0; i < BEFORE; i++)
		REQUIRE(channel_send(&a, &m) == 0);
	m = (struct message){.kind = MESSAGE_WAY, .way = {7}};
	REQUIRE(channel_send_fd(&a, &m, pipes[1]) == 0);
	CHECK_I64(channel_send_fd(&a, &m, pipes[1]), -EBUSY);
	int n = 0;
	for (unsigned round = 0; fd < 0 && round < 100000; round++) {
		CHECK_I64(channel_flush(&a), 0);
		CHECK_I64(channel_fill(&b), 0);
		while (fd < 0 && (rc = channel_next(&b, got)) > 0) {
			n++;
			if (got->kind == MESSAGE_WAY)
				fd = channel_take_fd(&b);
		}
		REQUIRE(rc >= 0);
	}
	CHECK_I64(n, BEFORE + 1);
	REQUIRE(fd >= 0);
	CHECK_I64(channel_take_fd(&b), -1);
	CHECK(write(fd, "x", 1) == 1 && read(pipes[0], &byte, 1) == 1 && byte == 'x');
	close(fd);
	CHECK_I64(read(pipes[0], &byte, 1), 0); /* ours was taken over, and closed */
	close(pipes[0]);
	channel_fini(&a);
	channel_fini(&b);
	free(got);
}
