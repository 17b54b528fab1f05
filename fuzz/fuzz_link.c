/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A controller reads what an agent says: the first bytes fill its HELLO and rings, the rest are packets, each behind two bytes of length.
 * Whatever they are, the session begins or is refused with a reason, events have sizes that fit, and calls end.
 */
#include "fuzz.h"

#include "probe/probe_priv.h"
#include "probe/probe_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum { RING = 4096, RINGS = 2, HELLO = 64 };

/* Sealed memory of rings, filled again and again with the input. */
static int make_rings(const uint8_t *at, size_t n)
{
	int fd = memfd_create("rings", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	FUZZ_REQUIRE(fd >= 0 && ftruncate(fd, RING * RINGS) == 0 && fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK) == 0);
	n = n < RING * RINGS ? n : RING * RINGS;
	FUZZ_REQUIRE(pwrite(fd, at, n, 0) == (ssize_t)n);
	return fd;
}

static const struct link_secret secret = {.agent = {1, 2, 3}, .controller = {4, 5, 6}};

/* A good one, but for what the input changes in it. */
static void send_hello(int socket, const uint8_t *at, size_t n, int rings)
{
	static struct link_packet p;
	p.n = 0;
	p.full = false;
	struct link_hello *h = link_packet_add(&p, LINK_HELLO, 0, sizeof *h);
	*h = (struct link_hello){.version = LINK_VERSION,
	                         .token = {1, 2, 3},
	                         .ring_bytes = RING,
	                         .n_rings = RINGS,
	                         .site_bytes = 64};
	for (size_t k = 0; k + 1 < n && k < HELLO; k += 2)
		if (at[k])
			((uint8_t *)h)[at[k] % sizeof *h] ^= at[k + 1];
	FUZZ_REQUIRE(link_packet_send(socket, &p, rings) == 0);
}

static void send_packets(int socket, const uint8_t *at, size_t n)
{
	static struct link_packet p;
	for (int sent = 0; n >= 2 && sent < 60; sent++) {
		size_t want = (size_t)at[0] | (size_t)at[1] << 8;
		want = want < n - 2 ? want : n - 2;
		p.n = (uint32_t)want;
		p.full = false;
		memcpy(p.at, at + 2, want);
		if (want && link_packet_send(socket, &p, -1))
			return;
		at += 2 + want;
		n -= 2 + want;
	}
}

static void use(struct probe_session *s)
{
	struct probe_event e;
	for (int k = 0; k < 2000 && probe_next(s, &e); k++)
		FUZZ_REQUIRE(e.n <= 62 && e.when <= PROBE_LOST && (e.when != PROBE_LOST || (e.n == 0 && e.lost > 0)));
	(void)probe_dropped(s);
	struct link_status status;
	struct link_done done;
	uint64_t value;
	struct probe_request r = {.function = "LLVMFuzzerTestOneInput", .kinds = PROBE_COUNT};
	int rc[] = {probe_status(s, &status),          probe_go(s),
	            session_wait_done(s, 3, 0, &done), probe_insert(s, &r, 1),
	            probe_counted(s, &r, &value),      probe_remove(s, &r, 1)};
	for (size_t k = 0; k < sizeof rc / sizeof *rc; k++)
		FUZZ_REQUIRE(rc[k] <= 0 || k == 3);
}

int LLVMFuzzerTestOneInput(const uint8_t *at, size_t n)
{
	int pair[2];
	struct probe_session *s;
	struct weft_err err = {0};
	if (n < HELLO)
		return 0;
	FUZZ_REQUIRE(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0);
	size_t in_rings = (n - HELLO) / 2;
	int rings = make_rings(at + HELLO, in_rings);
	send_hello(pair[1], at, HELLO, rings);
	close(rings);
	send_packets(pair[1], at + HELLO + in_rings, n - HELLO - in_rings);
	shutdown(pair[1], SHUT_WR);
	int rc = session_begin(pair[0], &(struct session_terms){geteuid(), &secret}, &s, &err);
	FUZZ_REQUIRE(rc == 0 ? s != NULL : rc < 0 && !s && err.text[0]);
	if (rc == 0) {
		use(s);
		probe_abandon(s);
	}
	close(pair[1]);
	return 0;
}
