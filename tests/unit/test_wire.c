/* SPDX-License-Identifier: Apache-2.0 */
/* The wire: messages through sealed and plain connections, and every peer that must be refused. */
#include "harness.h"
#include "tune/wire/wire.h"
#include "tune/wire/wire_priv.h"
#include "base/clock.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECOND UINT64_C(1000000000)

struct station {
	struct weft_wire_listener *l;
	struct weft_secret secret;
	char line[400];
	unsigned lines;
};

static void hear(void *ctx, const char *line)
{
	struct station *s = ctx;
	s->lines++;
	snprintf(s->line, sizeof s->line, "%s", line);
	CHECK(!strchr(line, '\n'));
}

static void begin(struct station *s, uint64_t limit_ns, unsigned pending)
{
	struct weft_err err = {0};
	*s = (struct station){0};
	if (!weft_wire_can_seal())
		SKIP("this build is without libsodium");
	REQUIRE(weft_secret_new(&s->secret, &err) == 0);
	struct weft_wire_listen_how how = {.secret = s->secret,
	                                   .limit_ns = limit_ns,
	                                   .pending = pending,
	                                   .refused = hear,
	                                   .ctx = s};
	REQUIRE(weft_wire_listen(&s->l, &how, &err) == 0);
}

static void end(struct station *s)
{
	weft_wire_listener_free(s->l);
}

/* Accepts for a while, driving a client too where there is one; the wire, or NULL. */
static struct weft_wire *accept_one(struct station *s, struct weft_wire *client, uint64_t ns)
{
	struct weft_wire_message m;
	struct weft_wire *w = NULL;
	uint64_t until = weft_monotonic_ns() + ns;
	while (!w && weft_monotonic_ns() < until) {
		struct pollfd p[2] = {{.fd = weft_wire_listener_fd(s->l), .events = POLLIN},
		                      {.fd = client ? weft_wire_fd(client) : -1,
		                       .events = client ? weft_wire_events(client) : 0}};
		(void)poll(p, 2, 10);
		CHECK(weft_wire_accept(s->l, &w, NULL) >= 0);
		if (client && weft_wire_next(client, &m, NULL) < 0)
			break;
	}
	return w;
}

static void connect_both(struct station *s, struct weft_wire **client, struct weft_wire **server)
{
	struct weft_err err = {0};
	REQUIRE(weft_wire_connect(client, weft_wire_listener_address(s->l), &s->secret, 0, &err) == 0);
	*server = accept_one(s, *client, 60 * SECOND);
	REQUIRE(*server != NULL);
	CHECK(weft_wire_wait(*client, NULL, 60 * SECOND, &err) == 0);
	CHECK(weft_wire_ready(*client) && weft_wire_ready(*server));
}

/* A plain TCP connection to the station, as somebody without our code has it. */
static int stranger(struct station *s)
{
	const char *colon = strrchr(weft_wire_listener_address(s->l), ':');
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(colon + 1))};
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	REQUIRE(fd >= 0 && connect(fd, (struct sockaddr *)&a, sizeof a) == 0);
	return fd;
}

static void check_echo(struct weft_wire *from, struct weft_wire *to, unsigned n)
{
	static unsigned char text[70000];
	struct weft_wire_message m;
	size_t size[64];
	uint64_t seed[64];
	for (unsigned i = 0; i < n; i++) {
		seed[i] = test_random();
		size[i] = seed[i] % (i % 8 == 7 ? sizeof text : 200);
		for (size_t k = 0; k < size[i]; k++)
			text[k] = (unsigned char)(seed[i] >> k % 50);
		REQUIRE(weft_wire_send(from, (uint16_t)seed[i], text, size[i]) == 0);
	}
	CHECK(weft_wire_flush(from) >= 0);
	for (unsigned i = 0; i < n; i++) {
		struct weft_err err = {0};
		int rc = weft_wire_next(to, &m, &err);
		for (int tries = 0; rc == 0 && tries < 500; tries++) {
			struct pollfd p = {.fd = weft_wire_fd(to), .events = POLLIN};
			CHECK(weft_wire_flush(from) >= 0);
			(void)poll(&p, 1, 10);
			rc = weft_wire_next(to, &m, &err);
		}
		REQUIRE(rc == 1);
		CHECK_U64(m.kind, (uint16_t)seed[i]);
		CHECK_U64(m.n, size[i]);
		CHECK((uintptr_t)m.at % 8 == 0);
		bool same = true;
		for (size_t k = 0; k < m.n; k++)
			same &= ((const unsigned char *)m.at)[k] == (unsigned char)(seed[i] >> k % 50);
		CHECK(same);
	}
	CHECK_I64(weft_wire_next(to, &m, NULL), 0);
}

TEST(messages_arrive_as_they_were_sent)
{
	struct station s;
	struct weft_wire *c, *v;
	begin(&s, 0, 0);
	connect_both(&s, &c, &v);
	for (unsigned round = 0; round < 8; round++) {
		check_echo(c, v, 1 + (unsigned)(test_random() % 63));
		check_echo(v, c, 1 + (unsigned)(test_random() % 63));
	}
	CHECK_U64(weft_wire_counted(c).messages_out, weft_wire_counted(v).messages_in);
	CHECK_U64(weft_wire_counted(c).bytes_out, weft_wire_counted(v).bytes_in);
	CHECK_U64(weft_wire_refusals(s.l), 0);
	weft_wire_free(c);
	struct weft_wire_message m;
	struct weft_err err = {0};
	CHECK_I64(weft_wire_wait(v, &m, 60 * SECOND, &err), -ECONNRESET);
	CHECK(strstr(err.text, "ended"));
	CHECK_I64(weft_wire_send(v, 1, "x", 1), -ECONNRESET);
	weft_wire_free(v);
	end(&s);
}

TEST(a_socket_from_the_parent_needs_no_handshake)
{
	int fd[2];
	struct weft_wire *a, *b;
	REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, fd) == 0);
	REQUIRE(weft_wire_adopt(&a, fd[0], NULL) == 0 && weft_wire_adopt(&b, fd[1], NULL) == 0);
	CHECK(weft_wire_ready(a));
	CHECK_STR(weft_wire_peer(a), "this machine");
	check_echo(a, b, 50);
	check_echo(b, a, 50);
	weft_wire_free(a);
	weft_wire_free(b);
}

/* Its other side goes on writing while the connection passes from hand to hand, also in the middle of a frame. */
TEST(a_connection_that_is_handed_on_goes_on)
{
	struct station s;
	struct weft_wire *client, *server;
	struct weft_wire_message m;
	begin(&s, 0, 0);
	connect_both(&s, &client, &server);
	unsigned sent = 0, heard = 0, handed = 0;
	static char text[20000];
	for (int round = 0; round < 200; round++) {
		for (unsigned i = 0; i < 1 + (unsigned)round % 7; i++, sent++) {
			memset(text, 'a' + (int)(sent % 26), sizeof text);
			REQUIRE(weft_wire_send(client, (uint16_t)(sent % 100), text, 1 + sent * 37 % sizeof text) == 0);
		}
		int64_t left = weft_wire_flush(client);
		REQUIRE(left >= 0);
		for (; weft_wire_next(server, &m, NULL) > 0; heard++) {
			REQUIRE(m.kind == heard % 100 && m.n == 1 + heard * 37 % sizeof text);
			REQUIRE(((const char *)m.at)[m.n - 1] == 'a' + (int)(heard % 26));
		}
		struct weft_buf state = {0};
		int fd = weft_wire_give(server, &state);
		if (fd >= 0) {
			handed++;
			REQUIRE(weft_wire_take(&server, fd, state.at, state.n, NULL) == 0);
		}
		weft_buf_fini(&state);
	}
	while (heard < sent) {
		REQUIRE(weft_wire_flush(client) >= 0);
		int rc = weft_wire_next(server, &m, NULL);
		REQUIRE(rc >= 0);
		heard += rc > 0;
	}
	CHECK(handed > 20);
	check_echo(server, client, 3);
	check_echo(client, server, 3);
	/* With something that waits to be written it stays. */
	struct weft_buf state = {0};
	REQUIRE(weft_wire_send(server, 1, "x", 1) == 0);
	CHECK_I64(weft_wire_give(server, &state), -EAGAIN);
	weft_wire_free(client);
	weft_wire_free(server);
	end(&s);
}

TEST(what_is_sent_before_the_handshake_waits_for_it)
{
	struct station s;
	struct weft_wire *c, *v;
	struct weft_wire_message m;
	unsigned char part[50000] = {0};
	begin(&s, 0, 0);
	REQUIRE(weft_wire_connect(&c, weft_wire_listener_address(s.l), &s.secret, 0, NULL) == 0);
	/* More than fits one frame. */
	for (unsigned i = 0; i < 60; i++)
		CHECK_I64(weft_wire_send(c, (uint16_t)i, part, sizeof part), 0);
	v = accept_one(&s, c, 60 * SECOND);
	REQUIRE(v != NULL);
	for (unsigned i = 0; i < 60; i++) {
		int rc = 0;
		for (int k = 0; k < 1000 && rc == 0; k++) {
			CHECK(weft_wire_flush(c) >= 0);
			rc = weft_wire_next(v, &m, NULL);
		}
		REQUIRE(rc == 1);
		CHECK_U64(m.kind, i);
		CHECK_U64(m.n, sizeof part);
	}
	weft_wire_free(c);
	weft_wire_free(v);
	end(&s);
}

TEST(who_only_writes_gets_through_the_handshake)
{
	struct station s;
	struct weft_wire *c, *v = NULL;
	begin(&s, 0, 0);
	REQUIRE(weft_wire_connect(&c, weft_wire_listener_address(s.l), &s.secret, 0, NULL) == 0);
	CHECK_I64(weft_wire_send(c, 1, "x", 1), 0);
	for (int i = 0; i < 2000 && !(v && weft_wire_ready(c)); i++) {
		CHECK(weft_wire_flush(c) >= 0);
		v = v ? v : accept_one(&s, NULL, 1000000);
	}
	REQUIRE(v != NULL && weft_wire_ready(c));
	weft_wire_free(c);
	weft_wire_free(v);
	end(&s);
}

TEST(a_peer_that_does_not_read_is_not_waited_for)
{
	int fd[2];
	struct weft_wire *a, *b;
	static unsigned char part[60000];
	REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, fd) == 0);
	REQUIRE(weft_wire_adopt(&a, fd[0], NULL) == 0 && weft_wire_adopt(&b, fd[1], NULL) == 0);
	weft_wire_room(a, 1 << 20);
	unsigned taken = 0;
	int rc = 0;
	while (rc == 0 && taken < 1000)
		taken += (rc = weft_wire_send(a, 1, part, sizeof part)) == 0;
	CHECK_I64(rc, -EAGAIN);
	CHECK(taken > 10 && taken < 100);
	/* When it reads, all that was taken arrives, and nothing else. */
	struct weft_wire_message m;
	unsigned got = 0;
	for (int idle = 0; idle < 3;) {
		CHECK(weft_wire_flush(a) >= 0);
		if (weft_wire_next(b, &m, NULL) == 1)
			got++, idle = 0;
		else
			idle++;
	}
	CHECK_U64(got, taken);
	CHECK_I64(weft_wire_send(a, 1, part, sizeof part), 0);
	CHECK_I64(weft_wire_send(a, 1, part, WIRE_MESSAGE_BYTES + 1), -EMSGSIZE);
	weft_wire_free(a);
	weft_wire_free(b);
}

/* -- who is refused -- */

static void refused_with(struct station *s, const char *why)
{
	for (int i = 0; i < 2000 && s->lines == 0; i++)
		CHECK(accept_one(s, NULL, 1000000) == NULL);
	CHECK_U64(weft_wire_refusals(s->l), 1);
	CHECK_U64(s->lines, 1);
	if (!CHECK(strstr(s->line, why) != NULL))
		printf("# %s\n", s->line);
	CHECK(strncmp(s->line, "refused 127.0.0.1:", 18) == 0);
}

TEST(garbage_is_refused_and_hears_nothing)
{
	static const char *const said[] = {"GET / HTTP/1.1\r\n\r\n", "w", "weftwir2",
	                                   "\377\377\377\377\377\377\377\377 and more"};
	for (size_t i = 0; i < sizeof said / sizeof said[0]; i++) {
		struct station s;
		char answer[8];
		begin(&s, 100000000, 0);
		int fd = stranger(&s);
		REQUIRE(write(fd, said[i], strlen(said[i])) == (ssize_t)strlen(said[i]));
		/* One letter of a greeting is none yet: time decides. */
		refused_with(&s, i == 1 ? "no handshake in time" : "no greeting");
		ssize_t n = recv(fd, answer, sizeof answer, MSG_DONTWAIT);
		CHECK(n == 0 || (n < 0 && errno == ECONNRESET));
		close(fd);
		end(&s);
	}
}

TEST(random_bytes_are_refused)
{
	for (int round = 0; round < 20; round++) {
		struct station s;
		unsigned char noise[400];
		begin(&s, 50000000, 0);
		int fd = stranger(&s);
		for (size_t i = 0; i < sizeof noise; i++)
			noise[i] = (unsigned char)test_random();
		/* Some begin as we do. */
		if (round % 2)
			memcpy(noise, wire_magic, sizeof wire_magic);
		REQUIRE(write(fd, noise, sizeof noise) == sizeof noise);
		refused_with(&s, round % 2 ? "another secret" : "no greeting");
		close(fd);
		end(&s);
	}
}

TEST(another_secret_is_refused_on_both_sides)
{
	struct station s;
	struct weft_secret other;
	struct weft_wire *c;
	struct weft_wire_message m;
	begin(&s, 0, 0);
	REQUIRE(weft_secret_new(&other, NULL) == 0);
	REQUIRE(weft_wire_connect(&c, weft_wire_listener_address(s.l), &other, 0, NULL) == 0);
	CHECK(accept_one(&s, c, SECOND / 20) == NULL);
	CHECK(strstr(s.line, "another secret"));
	CHECK(weft_wire_wait(c, &m, 60 * SECOND, NULL) < 0);
	weft_wire_free(c);
	end(&s);
	/* And a client does not talk to a server that does not know its secret. */
	begin(&s, 0, 0);
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t n = sizeof a;
	char address[64];
	unsigned char hello[WIRE_HELLO_BYTES], reply[WIRE_REPLY_BYTES];
	REQUIRE(bind(listener, (struct sockaddr *)&a, sizeof a) == 0 && listen(listener, 1) == 0);
	REQUIRE(getsockname(listener, (struct sockaddr *)&a, &n) == 0);
	snprintf(address, sizeof address, "127.0.0.1:%u", ntohs(a.sin_port));
	struct weft_err err = {0};
	REQUIRE(weft_wire_connect(&c, address, &s.secret, 0, NULL) == 0);
	int fd = accept(listener, NULL, NULL);
	for (int i = 0; i < 10; i++)
		CHECK_I64(weft_wire_next(c, &m, NULL), 0);
	CHECK_I64(recv(fd, hello, sizeof hello, MSG_WAITALL), sizeof hello);
	memset(reply, 7, sizeof reply);
	REQUIRE(write(fd, reply, sizeof reply) == sizeof reply);
	CHECK_I64(weft_wire_wait(c, &m, 60 * SECOND, &err), -EBADMSG);
	CHECK(strstr(err.text, "another secret"));
	weft_wire_free(c);
	close(fd);
	close(listener);
	end(&s);
}

/* A relay between a client and the station, which keeps what it carries. */
struct tape {
	unsigned char at[65536];
	size_t n;
};

static void carry(int from, int to, struct tape *t)
{
	unsigned char b[4096];
	ssize_t n;
	while ((n = recv(from, b, sizeof b, MSG_DONTWAIT)) > 0) {
		REQUIRE(t->n + (size_t)n <= sizeof t->at);
		memcpy(t->at + t->n, b, (size_t)n);
		t->n += (size_t)n;
		REQUIRE(send(to, b, (size_t)n, MSG_NOSIGNAL) == n);
	}
}

/* Client and server with a relay between them; the client's side of the tape, and both relayed sockets. */
struct relayed {
	struct weft_wire *client, *server;
	int near, far;
	struct tape up, down;
};

static void relay(struct station *s, struct relayed *r)
{
	int fd[2];
	memset(r, 0, sizeof *r);
	REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, fd) == 0);
	REQUIRE(wire_new(&r->client, fd[0], WIRE_CONNECTING, NULL) == 0);
	REQUIRE(wire_seal_new(&r->client->seal, &s->secret) == 0);
	r->client->until_ns = weft_monotonic_ns() + 60 * SECOND;
	r->near = fd[1];
	r->far = stranger(s);
	for (int i = 0; i < 1000 && !(r->server && weft_wire_ready(r->client)); i++) {
		struct weft_wire_message m;
		CHECK(weft_wire_next(r->client, &m, NULL) >= 0);
		carry(r->near, r->far, &r->up);
		if (!r->server)
			r->server = accept_one(s, NULL, 2000000);
		carry(r->far, r->near, &r->down);
	}
	REQUIRE(r->server != NULL);
}

static void relay_end(struct relayed *r)
{
	weft_wire_free(r->client);
	weft_wire_free(r->server);
	close(r->near);
	close(r->far);
}

TEST(a_replayed_session_is_refused)
{
	struct station s;
	struct relayed r;
	begin(&s, 0, 0);
	relay(&s, &r);
	CHECK(weft_wire_send(r.client, 5, "do it", 5) == 0);
	CHECK(weft_wire_flush(r.client) == 0);
	carry(r.near, r.far, &r.up);
	CHECK_U64(s.lines, 0);
	/* The whole session once more, from a stranger that has heard it. */
	int fd = stranger(&s);
	REQUIRE(write(fd, r.up.at, r.up.n) == (ssize_t)r.up.n);
	CHECK(accept_one(&s, NULL, SECOND / 20) == NULL);
	CHECK_U64(s.lines, 1);
	CHECK(strstr(s.line, "repeats"));
	close(fd);
	relay_end(&r);
	end(&s);
}

/* What happens to the frames that a relay carries. */
enum mischief { REPEAT, SWAP, FLIP, SHORTEN, OVERSIZE, LEAVE_OUT, MISCHIEFS };
static const char *const mischief_text[MISCHIEFS] = {"repeated", "repeated", "repeated", "frame", "is the most", "repeated"};

static void do_mischief(enum mischief how, struct tape *frames, size_t first)
{
	unsigned char *at = frames->at, copy[4096];
	size_t n = frames->n - first, half = 4 + (size_t)at[first] + 256u * at[first + 1];
	REQUIRE(half < n && n < sizeof copy);
	memcpy(copy, at + first, n);
	if (how == REPEAT)
		memcpy(at + frames->n, copy, n), frames->n += n;
	else if (how == SWAP)
		memcpy(at + first, copy + half, n - half), memcpy(at + first + n - half, copy, half);
	else if (how == FLIP)
		at[first + 4 + test_random() % (half - 4)] ^= (unsigned char)(1u << test_random() % 8);
	else if (how == SHORTEN)
		at[first]--;
	else if (how == OVERSIZE)
		at[first + 3] = 0x7f;
	else
		memcpy(at + first, copy + half, n - half), frames->n -= half;
}

TEST(frames_that_were_changed_end_the_wire)
{
	for (int how = 0; how < MISCHIEFS; how++) {
		struct station s;
		struct relayed r;
		struct weft_wire_message m;
		struct weft_err err = {0};
		begin(&s, 0, 0);
		relay(&s, &r);
		struct tape kept = {.n = 0};
		for (int i = 0; i < 2; i++) {
			char text[100] = {0};
			CHECK(weft_wire_send(r.client, (uint16_t)i, text, (size_t)(20 + i * 30)) == 0);
			CHECK(weft_wire_flush(r.client) == 0);
			ssize_t n = recv(r.near, kept.at + kept.n, 4096, MSG_DONTWAIT);
			REQUIRE(n > 0);
			kept.n += (size_t)n;
		}
		do_mischief((enum mischief)how, &kept, 0);
		REQUIRE(send(r.far, kept.at, kept.n, MSG_NOSIGNAL) == (ssize_t)kept.n);
		int rc = 1, got = 0;
		while ((rc = weft_wire_wait(r.server, &m, 60 * SECOND, &err)) == 1)
			got++;
		CHECK(rc < 0 && rc != -ETIMEDOUT);
		CHECK_I64(got, how == REPEAT ? 2 : 0);
		if (!CHECK(strstr(err.text, mischief_text[how]) != NULL))
			printf("# %d: %s\n", how, err.text);
		CHECK_I64(weft_wire_next(r.server, &m, NULL), rc);
		relay_end(&r);
		end(&s);
	}
}

TEST(messages_in_a_frame_must_fill_it)
{
	static const unsigned char bad[][24] = {
		{4, 0, 0, 0, 1, 0, 0, 0},                                      /* shorter than a head */
		{8, 0, 0, 0, 8, 0, 0, 0, 1, 0, 0, 0},                          /* a payload that is not there */
		{16, 0, 0, 0, 9, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, /* one byte too long */
		{8, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0},                          /* a flag that is none */
		{8, 0, 0, 0, 255, 255, 255, 255, 1, 0, 0, 0},
		{0, 0, 0, 0},
	};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		int fd[2];
		struct weft_wire *w;
		struct weft_wire_message m;
		REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, fd) == 0);
		REQUIRE(weft_wire_adopt(&w, fd[0], NULL) == 0);
		REQUIRE(write(fd[1], bad[i], 4u + bad[i][0]) == 4 + bad[i][0]);
		CHECK(weft_wire_next(w, &m, NULL) < 0);
		CHECK(weft_wire_next(w, &m, NULL) < 0);
		weft_wire_free(w);
		close(fd[1]);
	}
}

TEST(slow_and_silent_peers_are_ended_and_others_get_in)
{
	struct station s;
	struct weft_wire *c, *v;
	int fd[6];
	begin(&s, 300000000, 4);
	for (int i = 0; i < 6; i++) {
		fd[i] = stranger(&s);
		/* Byte by byte: as slow as it likes, it has the same time. */
		REQUIRE(write(fd[i], wire_magic, (size_t)i) == i);
	}
	CHECK(accept_one(&s, NULL, 20000000) == NULL);
	CHECK_U64(weft_wire_refusals(s.l), 2);
	CHECK(strstr(s.line, "too many"));
	connect_both(&s, &c, &v);
	check_echo(c, v, 10);
	CHECK(accept_one(&s, NULL, 600000000) == NULL);
	CHECK_U64(weft_wire_refusals(s.l), 6);
	CHECK(strstr(s.line, "in time"));
	check_echo(v, c, 10);
	for (int i = 0; i < 6; i++)
		close(fd[i]);
	weft_wire_free(c);
	weft_wire_free(v);
	end(&s);
}

TEST(refusals_do_not_flood_the_log)
{
	struct station s;
	begin(&s, 0, 0);
	for (int i = 0; i < 200; i++) {
		int fd = stranger(&s);
		REQUIRE(write(fd, "nonsense", 8) == 8);
		close(fd);
		CHECK(accept_one(&s, NULL, 1000) == NULL);
	}
	CHECK(accept_one(&s, NULL, 100000000) == NULL);
	CHECK_U64(weft_wire_refusals(s.l), 200);
	CHECK(s.lines >= 20 && s.lines < 120);
	end(&s);
}

TEST(who_hangs_up_is_forgotten)
{
	struct station s;
	begin(&s, 0, 0);
	int fd = stranger(&s);
	close(fd);
	refused_with(&s, "hung up");
	end(&s);
}

/* -- secrets -- */

TEST(a_secret_travels_by_descriptor_and_by_file)
{
	struct weft_secret a, b;
	struct weft_err err = {0};
	struct stat st;
	char path[300];
	REQUIRE(weft_secret_new(&a, &err) == 0);
	int fd = weft_secret_to_fd(&a, &err);
	REQUIRE(fd >= 0);
	CHECK(weft_secret_from_fd(&b, fd, &err) == 0);
	close(fd);
	CHECK(memcmp(&a, &b, sizeof a) == 0);
	snprintf(path, sizeof path, "%s/secret", test_dir());
	REQUIRE(weft_secret_to_file(&a, path, &err) == 0);
	REQUIRE(stat(path, &st) == 0);
	CHECK_U64(st.st_mode & 0777, 0600);
	weft_secret_wipe(&b);
	CHECK(weft_secret_from_file(&b, path, &err) == 0);
	CHECK(memcmp(&a, &b, sizeof a) == 0);
	CHECK_I64(weft_secret_to_file(&a, path, &err), -EEXIST);
	REQUIRE(weft_secret_new(&b, NULL) == 0);
	CHECK(memcmp(&a, &b, sizeof a) != 0);
}

TEST(a_secret_that_others_may_read_is_refused)
{
	static const struct {
		const char *text;
		int mode, rc;
	} files[] = {
		{"00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\n", 0640, -EPERM},
		{"00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\n", 0604, -EPERM},
		{"00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff", 0600, 0},
		{"00112233445566778899aabbccddeeff00112233445566778899aabbccddeef\n", 0600, WEFT_E_SYNTAX},
		{"00112233445566778899aabbccddeeff00112233445566778899aabbccddeefff\n", 0600, WEFT_E_SYNTAX},
		{"0011223344556677x899aabbccddeeff00112233445566778899aabbccddeeff\n", 0600, WEFT_E_SYNTAX},
		{"", 0600, WEFT_E_SYNTAX},
	};
	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
		struct weft_secret s;
		struct weft_err err = {0};
		char path[300];
		snprintf(path, sizeof path, "%s/secret%zu", test_dir(), i);
		int fd = open(path, O_WRONLY | O_CREAT, 0600);
		REQUIRE(fd >= 0 && write(fd, files[i].text, strlen(files[i].text)) == (ssize_t)strlen(files[i].text));
		REQUIRE(fchmod(fd, (mode_t)files[i].mode) == 0);
		close(fd);
		CHECK_I64(weft_secret_from_file(&s, path, &err), files[i].rc);
		CHECK((err.code != 0) == (files[i].rc != 0));
	}
}

TEST(bad_addresses_are_said)
{
	static const char *const bad[] = {"", ":80", "[::1", "nowhere.invalid:1", "127.0.0.1:123456", "127.0.0.1:"};
	struct weft_secret s = {{1}};
	struct weft_wire *w;
	if (!weft_wire_can_seal())
		SKIP("this build is without libsodium");
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct weft_err err = {0};
		CHECK(weft_wire_connect(&w, bad[i], &s, 0, &err) < 0);
		CHECK(err.text[0] != '\0');
	}
	/* Nobody listens there: said when it is known. */
	struct weft_err err = {0};
	struct weft_wire_message m;
	int rc = weft_wire_connect(&w, "127.0.0.1:1", &s, 0, &err);
	if (rc == 0) {
		rc = weft_wire_wait(w, &m, 60 * SECOND, &err);
		weft_wire_free(w);
	}
	CHECK_I64(rc, -ECONNREFUSED);
}
