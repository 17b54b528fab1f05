/* SPDX-License-Identifier: Apache-2.0 */
/* Packets of messages: in and out, descriptors along, and what is no message. */
#include "harness.h"
#include "link/link_proto.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static struct link_packet out, in;

static void sockets(int *pair)
{
	REQUIRE(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0);
	memset(&out, 0, sizeof out);
}

TEST(link_packet_carries_messages_and_a_descriptor)
{
	int pair[2], fd = -1, ends[2];
	sockets(pair);
	REQUIRE(pipe(ends) == 0);
	struct link_range *r = link_packet_add(&out, LINK_MAP, 7, sizeof *r);
	*r = (struct link_range){0x1000, 4096};
	memcpy(link_packet_add(&out, LINK_LOAD, 8, 5), "a.so", 5);
	CHECK_I64(link_packet_send(pair[0], &out, ends[1]), 0);
	CHECK_I64(link_packet_receive(pair[1], &in, 1000, &fd), 1);
	uint32_t pos = 0;
	struct link_head *h = link_packet_next(&in, &pos);
	REQUIRE(h);
	CHECK_U64(h->kind, LINK_MAP);
	CHECK_U64(h->tag, 7);
	CHECK_U64(((struct link_range *)link_payload(h))->n, 4096);
	CHECK(!link_payload_of(h, sizeof *r + 1));
	h = link_packet_next(&in, &pos);
	REQUIRE(h);
	CHECK_STR(link_payload(h), "a.so");
	CHECK(!link_packet_next(&in, &pos));
	REQUIRE(fd >= 0);
	CHECK_I64(write(fd, "x", 1), 1);
	char c = 0;
	CHECK_I64(read(ends[0], &c, 1), 1);
	CHECK_I64(c, 'x');
	close(fd);
	close(ends[0]);
	close(ends[1]);
	CHECK_I64(link_packet_receive(pair[1], &in, 1, NULL), -ETIMEDOUT);
	close(pair[0]);
	CHECK_I64(link_packet_receive(pair[1], &in, 1000, NULL), 0);
	close(pair[1]);
}

TEST(link_packet_that_is_full_is_not_sent)
{
	int pair[2];
	sockets(pair);
	CHECK(link_packet_add(&out, LINK_WRITE, 0, LINK_PACKET_BYTES - 100) != NULL);
	CHECK(link_packet_add(&out, LINK_WRITE, 0, 100) == NULL);
	CHECK(link_packet_add(&out, LINK_WRITE, 0, UINT32_MAX) == NULL);
	CHECK_I64(link_packet_send(pair[0], &out, -1), -EMSGSIZE);
	close(pair[0]);
	close(pair[1]);
}

TEST(link_packet_of_garbage_has_no_wrong_message)
{
	for (int round = 0; round < 20000; round++) {
		in.n = (uint32_t)(test_random() % 200);
		for (uint32_t i = 0; i < in.n; i++)
			in.at[i] = test_random() % 4 ? (unsigned char)(test_random() % 24) : (unsigned char)test_random();
		uint32_t pos = 0, before = 0;
		struct link_head *h;
		while ((h = link_packet_next(&in, &pos))) {
			REQUIRE(pos <= in.n && pos >= before + sizeof *h);
			REQUIRE((unsigned char *)(h + 1) + h->bytes <= in.at + in.n);
			before = pos;
		}
	}
}
