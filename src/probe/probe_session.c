/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The connection with one agent: packets there and back, memory, rings.
 *
 *     controller ── packet, tag 7 ──> agent's command thread ── answer, tag 7 ──> controller
 *     controller <── DONE of an action, with the tag of the packet that asked for it
 *     controller <── rings in shared memory, one a thread ── threads that hit a probe
 *
 * A caller waits for the answer to its packet; answers to packets that were given up are skipped by
 * their tags. An action may be done later than it is answered, when a thread comes to a place where
 * it can be done: DONE is kept until somebody waits for that tag, and meanwhile the caller may read
 * events, since rings would fill. Memory is read and written through the kernel where it lets us,
 * else by the agent.
 */
#include "probe_priv.h"
#include "base/vec.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { ANSWER_MS = 10000, DONE_MOST = 1024, SLICE_MS = 2 };

void session_forget(struct probe_session *s)
{
	for (size_t k = 0; k < s->modules.n; k++) {
		probe_image_close(s->modules.at[k].image);
		free(s->modules.at[k].path);
	}
	free(s->modules.at);
	probe_place_fini(&s->place);
	peer_close(s->peer);
}

static void session_free(struct probe_session *s)
{
	if (!s)
		return;
	if (s->rings)
		munmap(s->rings, (size_t)s->agent.ring_bytes * s->agent.n_rings);
	if (s->socket >= 0)
		close(s->socket);
	session_forget(s);
	for (size_t k = 0; k < s->parts.n; k++)
		free(s->parts.at[k].op);
	free(s->parts.at);
	free(s->done.at);
	free(s->site);
	free(s->tid);
	free(s->told);
	free(s->told_until);
	free(s->in);
	free(s->out);
	free(s);
}

static struct probe_session *session_new(void)
{
	struct probe_session *s = calloc(1, sizeof *s);
	if (!s)
		return NULL;
	s->socket = -1;
	s->in = calloc(1, sizeof *s->in);
	s->out = calloc(1, sizeof *s->out);
	s->site = calloc(LINK_SITES, sizeof *s->site);
	if (!s->in || !s->out || !s->site) {
		session_free(s);
		return NULL;
	}
	return s;
}

/*
 * What an agent says of itself is looked at as if anybody could have said it. Its program is what
 * the kernel says.
 */
static int read_hello(struct probe_session *s, const struct session_terms *terms, struct weft_err *err)
{
	uint32_t pos = 0;
	struct link_head *h = link_packet_next(s->in, &pos);
	const struct link_hello *hello = h && h->kind == LINK_HELLO ? link_payload_of(h, sizeof *hello) : NULL;
	pid_t pid;
	uid_t uid;
	if (!hello)
		return weft_err_set(err, -EPROTO, "what has connected is no agent");
	if (link_peer(s->socket, &pid, &uid) || uid != terms->uid)
		return weft_err_set(err, -EPERM, "what has connected belongs to another user");
	s->agent = *hello;
	s->agent.pid = (uint32_t)pid;
	int rc = peer_open(&s->peer, s->socket, pid, uid);
	rc = rc ? rc : peer_exe(s->peer, s->agent.exe, sizeof s->agent.exe);
	if (rc)
		return rc == -EPERM ? weft_err_set(err, rc, "process %d has another user's rights", (int)pid)
		                    : weft_err_sys(err, -rc, "cannot look at process %d", (int)pid);
	if (hello->version != LINK_VERSION)
		return weft_err_set(err, WEFT_E_VERSION, "the agent in '%s' is of another version", s->agent.exe);
	if (!link_token_equal(hello->token, terms->secret->agent))
		return weft_err_set(err, -EPERM, "the agent in '%s' does not know the run's secret", s->agent.exe);
	if (hello->ring_bytes < 4096 || hello->ring_bytes > 1u << 26 || hello->ring_bytes % 64 || hello->n_rings == 0 ||
	    hello->n_rings > 1u << 16)
		return weft_err_set(err, -EPROTO, "the agent in '%s' has no rings", s->agent.exe);
	return 0;
}

/* Memory that could become shorter than what is mapped would end us when we touch it. */
static int open_rings(struct probe_session *s, int memory, struct weft_err *err)
{
	size_t bytes = (size_t)s->agent.ring_bytes * s->agent.n_rings;
	struct stat st;
	int seals = memory < 0 ? -1 : fcntl(memory, F_GET_SEALS);
	if (seals < 0 || !(seals & F_SEAL_SHRINK) || fstat(memory, &st) || st.st_size < (off_t)bytes)
		return weft_err_set(err, -EPROTO, "the rings of the agent in '%s' are not what it says", s->agent.exe);
	s->tid = calloc(s->agent.n_rings, sizeof *s->tid);
	s->told = calloc(s->agent.n_rings, sizeof *s->told);
	s->told_until = calloc(s->agent.n_rings, sizeof *s->told_until);
	if (!s->tid || !s->told || !s->told_until)
		return weft_err_set(err, -ENOMEM, "out of memory");
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, memory, 0);
	if (at == MAP_FAILED)
		return weft_err_sys(err, errno, "cannot map the rings of '%s'", s->agent.exe);
	s->rings = at;
	return 0;
}

/* The agent obeys nobody who has not shown this. It is not answered. */
static int show_token(struct probe_session *s, const struct link_secret *secret, struct weft_err *err)
{
	session_begin_packet(s);
	void *to = link_packet_add(s->out, LINK_HELLO, s->tag, LINK_TOKEN_BYTES);
	int rc = to ? 0 : -EMSGSIZE;
	if (to)
		memcpy(to, secret->controller, LINK_TOKEN_BYTES);
	rc = rc ? rc : link_packet_send(s->socket, s->out, -1);
	return rc ? weft_err_sys(err, -rc, "cannot answer the agent in '%s'", s->agent.exe) : 0;
}

int session_begin(int socket, const struct session_terms *terms, struct probe_session **out, struct weft_err *err)
{
	*out = NULL;
	struct probe_session *s = session_new();
	int memory = -1;
	if (!s) {
		close(socket);
		return weft_err_set(err, -ENOMEM, "out of memory");
	}
	s->socket = socket;
	int rc = link_packet_receive(s->socket, s->in, 0, &memory) > 0
	                 ? read_hello(s, terms, err)
	                 : weft_err_set(err, -EPROTO, "a process has connected and said nothing");
	rc = rc ? rc : open_rings(s, memory, err);
	rc = rc ? rc : show_token(s, terms->secret, err);
	if (memory >= 0)
		close(memory);
	if (rc == 0) {
		rc = process_read_map(s);
		if (rc)
			weft_err_sys(err, -rc, "cannot read the memory map of '%s'", s->agent.exe);
	}
	if (rc) {
		session_free(s);
		return rc;
	}
	*out = s;
	return 0;
}

void session_begin_packet(struct probe_session *s)
{
	s->out->n = 0;
	s->out->full = false;
	s->tag++;
}

/* DONE of an action may come before the answer. */
static int keep_done(struct probe_session *s)
{
	uint32_t pos = 0;
	struct link_head *h = link_packet_next(s->in, &pos);
	if (!h || h->kind != LINK_DONE || h->bytes < sizeof(struct link_done))
		return 0;
	struct probe_done d = {h->tag, *(struct link_done *)link_payload(h)};
	/* More than were ever asked for: an agent out of its mind. */
	if (s->done.n == DONE_MOST)
		return -EPROTO;
	return weft_vec_push(&s->done, d) ? -ENOMEM : 1;
}

static bool is_answer(struct probe_session *s)
{
	uint32_t pos = 0;
	const struct link_head *h = link_packet_next(s->in, &pos);
	return !h || h->tag == s->tag;
}

int session_wait(struct probe_session *s, int timeout_ms)
{
	for (;;) {
		int rc = link_packet_receive(s->socket, s->in, timeout_ms, NULL);
		if (rc <= 0)
			return rc == 0 ? -EPIPE : rc;
		rc = keep_done(s);
		/* The answer to a question that was given up is none to this one. */
		if (rc < 0 || (rc == 0 && is_answer(s)))
			return rc;
		if (timeout_ms == 0)
			return -ETIMEDOUT;
	}
}

/*
 * The wait in slices, between which the caller may read events: rings fill while a thread is waited
 * for.
 */
static int wait_slice(struct probe_session *s, uint64_t until_ms)
{
	uint64_t now = probe_now_ms();
	if (s->meanwhile && !s->meanwhile(s->meanwhile_ctx) && !s->insists)
		return -ETIMEDOUT;
	int left = until_ms > now ? (int)(until_ms - now) : 0;
	int rc = link_packet_receive(s->socket, s->in, s->meanwhile && left > SLICE_MS ? SLICE_MS : left, NULL);
	return rc == 0 ? -EPIPE : rc == -ETIMEDOUT && probe_now_ms() < until_ms ? 0 : rc;
}

int session_wait_done(struct probe_session *s, uint32_t tag, int timeout_ms, struct link_done *out)
{
	uint64_t until = probe_now_ms() + (uint64_t)(timeout_ms > 0 ? timeout_ms : 0);
	for (;;) {
		for (size_t k = 0; k < s->done.n; k++) {
			if (s->done.at[k].tag != tag)
				continue;
			*out = s->done.at[k].done;
			s->done.at[k] = s->done.at[--s->done.n];
			return 0;
		}
		int rc = wait_slice(s, until);
		if (rc > 0)
			rc = keep_done(s);
		if (rc < 0)
			return rc;
	}
}

void probe_meanwhile(struct probe_session *s, bool (*call)(void *ctx), void *ctx)
{
	s->meanwhile = call;
	s->meanwhile_ctx = ctx;
}

int session_exchange_with(struct probe_session *s, int fd)
{
	int rc = link_packet_send(s->socket, s->out, fd);
	return rc ? rc : session_wait(s, ANSWER_MS);
}

int session_exchange(struct probe_session *s)
{
	return session_exchange_with(s, -1);
}

int session_ask(struct probe_session *s, enum link_kind kind, const void *payload, uint32_t n, void *answer, uint32_t n_answer)
{
	session_begin_packet(s);
	void *to = link_packet_add(s->out, kind, s->tag, n);
	if (!to)
		return -EMSGSIZE;
	if (n)
		memcpy(to, payload, n);
	int rc = session_exchange(s);
	uint32_t pos = 0;
	struct link_head *h = rc ? NULL : link_packet_next(s->in, &pos);
	if (rc || !h || h->kind != kind)
		return rc ? rc : -EPROTO;
	if (h->rc < 0)
		return h->rc;
	if (n_answer && h->bytes < n_answer)
		return -EPROTO;
	if (n_answer)
		memcpy(answer, link_payload(h), n_answer);
	return 0;
}

int probe_go(struct probe_session *s)
{
	return session_ask(s, LINK_GO, &(uint32_t){1}, sizeof(uint32_t), NULL, 0);
}

int probe_go_alone(struct probe_session *s)
{
	return session_ask(s, LINK_GO, &(uint32_t){0}, sizeof(uint32_t), NULL, 0);
}

int probe_detach(struct probe_session *s)
{
	return session_ask(s, LINK_DETACH, NULL, 0, NULL, 0);
}

void probe_close(struct probe_session *s)
{
	if (!s)
		return;
	int rc = probe_detach(s);
	(void)rc; /* it may be gone */
	session_free(s);
}

void probe_abandon(struct probe_session *s)
{
	session_free(s);
}

pid_t probe_pid(const struct probe_session *s)
{
	return (pid_t)s->agent.pid;
}

int probe_socket(const struct probe_session *s)
{
	return s->socket;
}

const struct link_hello *probe_hello(const struct probe_session *s)
{
	return &s->agent;
}

int probe_status(struct probe_session *s, struct link_status *out)
{
	return session_ask(s, LINK_STATUS, NULL, 0, out, sizeof *out);
}

/* ---- memory: directly where the kernel lets us, else through the agent ---- */

int probe_read(struct probe_session *s, uint64_t addr, void *to, size_t n)
{
	int rc = process_read(s, addr, to, n);
	if (rc != -EPERM && rc != -ENOSYS)
		return rc;
	struct link_range r = {addr, n};
	return n > LINK_PACKET_BYTES / 2 ? -E2BIG : session_ask(s, LINK_READ, &r, sizeof r, to, (uint32_t)n);
}

int probe_write(struct probe_session *s, uint64_t addr, const void *from, size_t n)
{
	if (s->peer && s->peer->memory >= 0 && pwrite(s->peer->memory, from, n, (off_t)addr) == (ssize_t)n)
		return 0;
	char payload[sizeof(struct link_range) + 4096];
	if (n > 4096)
		return -E2BIG;
	memcpy(payload, &(struct link_range){addr, n}, sizeof(struct link_range));
	memcpy(payload + sizeof(struct link_range), from, n);
	return session_ask(s, LINK_WRITE, payload, (uint32_t)(sizeof(struct link_range) + n), NULL, 0);
}
