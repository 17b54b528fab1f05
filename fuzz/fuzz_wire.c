/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The wire, from the side of whoever listens: the first byte of the input says what the rest is.
 *
 *     0  what a stranger says to a listener       1  what a false server says to a client
 *     2  frames of a peer that is trusted         3  a true session, with the input laid over its bytes
 *     4  a message: its kind, then its fields     5  a fold of a tunlet
 *
 * Nothing but a true session may ever be opened, and messages that are handed out lie within their limits.
 */
#include "tune/derive/derive.h"
#include "fuzz.h"

#include "tune/eval/fold.h"
#include "tune/wire/message.h"
#include "tune/wire/wire_priv.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const struct weft_secret secret = {{1, 2, 3}};

static struct weft_wire *make(int fd, enum wire_state state, bool sealed)
{
	struct weft_wire *w;
	FUZZ_REQUIRE(wire_new(&w, fd, state, NULL) == 0);
	if (sealed)
		FUZZ_REQUIRE(wire_seal_new(&w->seal, &secret) == 0);
	w->until_ns = UINT64_MAX;
	return w;
}

/* What a wire makes of these bytes; how many messages. */
static unsigned read_all(struct weft_wire *w)
{
	struct weft_wire_message m;
	struct weft_err err = {0};
	unsigned n = 0;
	int rc;
	while ((rc = weft_wire_next(w, &m, &err)) == 1) {
		FUZZ_REQUIRE(m.n <= WIRE_MESSAGE_BYTES && ((uintptr_t)m.at & 7) == 0);
		unsigned char sum = 0;
		for (uint32_t i = 0; i < m.n; i++)
			sum ^= ((const unsigned char *)m.at)[i];
		__asm__ volatile("" : : "r"(sum));
		n++;
	}
	FUZZ_REQUIRE(rc == 0 || (err.code == rc && err.text[0] && !strchr(err.text, '\n')));
	return n;
}

static void hear(enum wire_state state, bool sealed, const uint8_t *at, size_t n)
{
	int fd[2];
	FUZZ_REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, fd) == 0);
	struct weft_wire *w = make(fd[0], state, sealed);
	FUZZ_REQUIRE(send(fd[1], at, n, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)n);
	unsigned messages = read_all(w);
	FUZZ_REQUIRE(!sealed || (messages == 0 && !weft_wire_ready(w)));
	weft_wire_free(w);
	close(fd[1]);
}

/* Both sides are true; what the client says is changed on the way. */
static void disturb(const uint8_t *at, size_t n)
{
	int near[2], far[2];
	unsigned char said[4096];
	size_t laid = 0;
	FUZZ_REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, near) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, far) == 0);
	struct weft_wire *c = make(near[0], WIRE_CONNECTING, true), *s = make(far[0], WIRE_WANTS_HELLO, true);
	bool changed = false;
	FUZZ_REQUIRE(weft_wire_send(c, 7, "what it says", 12) == 0);
	for (int round = 0; round < 6; round++) {
		(void)read_all(c);
		(void)!weft_wire_flush(c);
		ssize_t got = recv(near[1], said, sizeof said, MSG_DONTWAIT);
		for (ssize_t i = 0; i < got && laid < n; i++, laid++) {
			changed |= at[laid] != 0;
			said[i] ^= at[laid];
		}
		if (got > 0)
			(void)!send(far[1], said, (size_t)got, MSG_DONTWAIT | MSG_NOSIGNAL);
		unsigned messages = read_all(s);
		FUZZ_REQUIRE(!messages || !changed);
		got = recv(far[1], said, sizeof said, MSG_DONTWAIT);
		if (got > 0)
			(void)!send(near[1], said, (size_t)got, MSG_DONTWAIT | MSG_NOSIGNAL);
	}
	FUZZ_REQUIRE(changed || s->count.messages_in == 1);
	weft_wire_free(c);
	weft_wire_free(s);
	close(near[1]);
	close(far[1]);
}

/* What is understood can be said again, and means the same then. */
static void decode_message(const uint8_t *at, size_t n)
{
	static struct message m, again;
	struct weft_buf first = {0}, second = {0};
	if (n < 1 || message_decode(at[0], at + 1, n - 1, &m))
		return;
	FUZZ_REQUIRE(message_encode(&m, &first) == 0);
	FUZZ_REQUIRE(message_decode(at[0], first.at ? first.at : "", first.n, &again) == 0);
	FUZZ_REQUIRE(message_encode(&again, &second) == 0);
	FUZZ_REQUIRE(first.n == second.n && (first.n == 0 || memcmp(first.at, second.at, first.n) == 0));
	weft_buf_fini(&first);
	weft_buf_fini(&second);
}

static const char tunlet[] =
	"TUNLET\nid: f\nunit: ms\nMEASURE POINTS\nVARIABLES AND VALUES\n"
	"variable\nid: iteration\nsource: asVarValue\ntype: int\nactorId: w\nendvariable\nEVENTS\n"
	"event\nid: F\nactorId: w\ncontroliter: end\nutility: always\nmethod: w\nplace: exit\nATTRS\nid: iteration\nendevent\n"
	"ACTORS\nactor\nid: w\nmin: 1\nmax: 9\ncompletion: /# c > 0 #/\nexe: w\nATTRS\n"
	"id: c\ntype: double\ninic: /# c = 0; #/\nvalue: /# w[F.id].c += F.timestamp; #/\ndependency: F\nendactor\n"
	"ITERATION INFORMATION\nMODEL PARAMETERS\n"
	"id: C\ntype: double\ninic: /# C = 0; #/\nvalue: /# C = 0; for (int i = 0; i < count(w); i++) C += w[i].c; #/\n"
	"dependency: none\nid: L\ntype: double\ninic: /# L = 0; #/\nvalue: /# L = w[0].c; #/\ndependency: none\n"
	"PERFORMANCE FUNCTIONS\nTUNING POINTS\nENDTUNLET\n";

/* A fold that is understood joins with itself, and can be said again. */
static void decode_fold(const uint8_t *at, size_t n)
{
	static struct weft_spec *s; /* made once, kept until the end */
	struct fold f, sum;
	struct weft_buf b = {0};
	if (!s)
		FUZZ_REQUIRE(weft_spec_new(&s, "tunlet", tunlet, sizeof tunlet - 1, NULL) == 0 && s->n_parts == 1);
	if (fold_decode(s, at, n, &f))
		return;
	FUZZ_REQUIRE(fold_init(&sum, s, f.iteration, f.full) == 0);
	FUZZ_REQUIRE(fold_join(s, &sum, &f) == 0 && fold_join(s, &sum, &f) == 0);
	FUZZ_REQUIRE(fold_encode(&f, &b) == 0 && b.n == n);
	fold_fini(&f);
	fold_fini(&sum);
	weft_buf_fini(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *at, size_t n)
{
	if (n < 1 || n > 60000)
		return 0;
	bool sealed = weft_wire_can_seal();
	switch (at[0] % 6) {
	case 0:
		if (sealed)
			hear(WIRE_WANTS_HELLO, true, at + 1, n - 1);
		break;
	case 1:
		if (sealed)
			hear(WIRE_CONNECTING, true, at + 1, n - 1);
		break;
	case 2:
		hear(WIRE_OPEN, false, at + 1, n - 1);
		break;
	case 3:
		if (sealed)
			disturb(at + 1, n - 1);
		break;
	case 4:
		decode_message(at + 1, n - 1);
		break;
	default:
		decode_fold(at + 1, n - 1);
	}
	return 0;
}
