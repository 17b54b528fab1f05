/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command thread: takes packets, does what they say, answers; and when the controller is gone,
 * takes everything out. A table says what each message does.
 */
#include "agent_priv.h"
#include <dlfcn.h>
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <weft/record.h>

static struct link_packet in, out;
static bool detached, failed; /* failed: an earlier message of this packet, so no code, program or patch may follow */
static int came = -1;         /* descriptor that came with this packet, or -1 */

static uint64_t *command_answer(const struct link_head *h, uint32_t bytes, int rc)
{
	uint32_t at = out.n;
	void *payload = link_packet_add(&out, h->kind, h->tag, bytes);
	failed |= rc < 0;
	if (payload)
		((struct link_head *)(void *)(out.at + at))->rc = rc;
	return payload;
}

static void do_go(struct link_head *h)
{
	const uint32_t *children = link_payload_of(h, sizeof *children);
	weft_store_u32(&agent.alone, children && *children == 0);
	weft_store_u32(&agent.go, 1);
	syscall(SYS_futex, &agent.go, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	command_answer(h, 0, 0);
}

static void do_map(struct link_head *h)
{
	const struct link_range *r = link_payload_of(h, sizeof *r);
	int rc = -EINVAL;
	if (r && r->n && !((r->addr | r->n) & 4095)) {
		void *want = (void *)r->addr;
		void *at = mmap(want, r->n, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
		rc = at == MAP_FAILED ? -errno : 0;
		if (rc == 0 && at != want) { /* a kernel that does not know the flag */
			munmap(at, r->n);
			rc = -EEXIST;
		}
	}
	command_answer(h, 0, rc);
}

static void do_code(struct link_head *h)
{
	const struct link_range *r = link_payload_of(h, sizeof *r);
	/* Where the pages could not be had, something of the program's lies. */
	int rc = failed ? -ECANCELED : r && r->n <= h->bytes - sizeof *r ? 0 : -EINVAL;
	command_answer(h, 0, rc ? rc : agent_memory_write(r->addr, r + 1, r->n));
}

static void do_text(struct link_head *h)
{
	const struct link_range *r = link_payload_of(h, sizeof *r);
	bool ok = r && !((r->addr | r->n) & 4095);
	if (ok)
		agent_patch_text(*r);
	command_answer(h, 0, ok ? 0 : -EINVAL);
}

static const uint32_t event_kind[LINK_EVENTS] = {
	[LINK_EVENT_ENTER] = WEFT_HEAD_ENTER,
	[LINK_EVENT_LEAVE] = WEFT_HEAD_LEAVE,
	[LINK_EVENT_POINT] = WEFT_HEAD_POINT,
};

static int program_read(const struct link_head *h, const struct link_site *s, struct agent_program *p)
{
	if (s->n_ops > LINK_PROGRAM_OPS || h->bytes < sizeof *s + s->n_ops * sizeof(struct link_op))
		return -EINVAL;
	memcpy(p->op, s + 1, s->n_ops * sizeof *p->op);
	p->n = s->n_ops;
	p->flags = s->flags;
	p->words = 2;
	p->event = NULL;
	p->event_kind = 0;
	uint32_t kept = 0, values = 0;
	for (uint32_t k = 0; k < s->n_ops; k++) {
		if (p->op[k].op == LINK_OP_EVENT) {
			if (p->op[k].index >= LINK_EVENTS || !p->op[k].a)
				return -EINVAL;
			p->event = (const volatile uint32_t *)p->op[k].a;
			p->event_kind = event_kind[p->op[k].index];
			continue;
		}
		values += p->op[k].op == LINK_OP_VALUE;
		p->op[kept++] = p->op[k];
	}
	p->n = kept;
	p->plain = kept == 0 && p->event_kind != WEFT_HEAD_POINT ? p->event : NULL;
	if (values > LINK_PROGRAM_VALUES)
		return -E2BIG;
	for (uint32_t k = 0; k < p->n; k++) {
		if (p->op[k].op >= LINK_OPS || (p->op[k].op == LINK_OP_TEXT && p->op[k].a > LINK_TEXT_BYTES))
			return -EINVAL;
		p->words += (p->op[k].put != 0) + (p->op[k].op == LINK_OP_TEXT ? 1 + (uint32_t)(p->op[k].a + 7) / 8 : 0);
	}
	return p->words <= LINK_REC_WORDS ? 0 : -E2BIG;
}

/*
 * Programs that were replaced may be running, and are never freed: a page for each change of a
 * site.
 */
static struct agent_program *program_new(void)
{
	struct agent_program *p = mmap(NULL, sizeof *p, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return p == MAP_FAILED ? NULL : p;
}

static void do_site(struct link_head *h)
{
	const struct link_site *s = link_payload_of(h, sizeof *s);
	int rc = failed ? -ECANCELED : s && s->id < LINK_SITES && s->when < LINK_WHENS ? 0 : -EINVAL;
	struct agent_program *p = NULL;
	if (rc == 0 && (s->n_ops || s->flags & (LINK_SITE_EVENT | LINK_SITE_RECORD))) {
		p = program_new();
		rc = p ? program_read(h, s, p) : -ENOMEM;
	}
	if (rc == 0) {
		weft_store_u64(&agent.site[s->id].exit_stub, s->exit_stub);
		weft_store_ptr(&agent.site[s->id].program[s->when], p);
	}
	command_answer(h, 0, rc);
}

static void do_patch(struct link_head *h)
{
	unsigned n = h->bytes / sizeof(struct link_patch);
	int rc[LINK_PACKET_BYTES / sizeof(struct link_patch)];
	if (failed) {
		command_answer(h, 0, -ECANCELED);
		return;
	}
	agent_patch(link_payload(h), n, rc, true);
	uint64_t *to = command_answer(h, n * 8, 0);
	for (unsigned k = 0; to && k < n; k++)
		to[k] = (uint64_t)(int64_t)rc[k];
}

static void do_count(struct link_head *h)
{
	const struct link_range *r = link_payload_of(h, sizeof *r);
	bool ok = r && r->addr <= LINK_SITES && r->n <= LINK_SITES - r->addr;
	uint64_t *to = command_answer(h, ok ? (uint32_t)r->n * 8 : 0, ok ? 0 : -EINVAL);
	for (uint64_t k = 0; ok && to && k < r->n; k++)
		to[k] = agent_count((uint32_t)(r->addr + k));
}

static void do_read(struct link_head *h)
{
	const struct link_range *r = link_payload_of(h, sizeof *r);
	uint32_t at = out.n;
	bool ok = r && r->n <= LINK_PACKET_BYTES / 2;
	void *to = command_answer(h, ok ? (uint32_t)r->n : 0, ok ? 0 : -EINVAL);
	if (ok && to && agent_memory_read(r->addr, to, r->n))
		((struct link_head *)(void *)(out.at + at))->rc = -EFAULT;
}

static void do_write(struct link_head *h)
{
	const struct link_range *r = link_payload_of(h, sizeof *r);
	uint32_t at = out.n;
	bool ok = r && r->n <= h->bytes - sizeof *r;
	void *to = command_answer(h, ok ? (uint32_t)r->n : 0, ok ? 0 : -EINVAL);
	if (ok && to && (agent_memory_read(r->addr, to, r->n) || agent_memory_write(r->addr, r + 1, r->n)))
		((struct link_head *)(void *)(out.at + at))->rc = -EFAULT;
}

static void do_call(struct link_head *h)
{
	const struct link_call *c = link_payload_of(h, sizeof *c);
	struct link_called result = {0};
	if (c)
		result.rax = agent_call(c->function, c->arg, c->xmm, &result.xmm0);
	result.ticks = __builtin_ia32_rdtsc();
	struct link_called *to = (void *)command_answer(h, sizeof *to, c ? 0 : -EINVAL);
	if (to)
		*to = result;
}

static void do_load(struct link_head *h)
{
	const char *name = link_payload(h), *text = "that is no name";
	bool ok = h->bytes && name[h->bytes - 1] == '\0';
	void *handle = ok ? agent_load(name, came, &text) : NULL;
	size_t n = handle ? 0 : strnlen(text, 400);
	uint64_t *to = command_answer(h, handle ? 8 : (uint32_t)n + 1, handle ? 0 : -ELIBACC);
	if (to && handle)
		*to = (uint64_t)handle;
	else if (to)
		memcpy(to, text, n);
}

static void do_unload(struct link_head *h)
{
	const uint64_t *handle = link_payload_of(h, sizeof *handle);
	command_answer(h, 0, handle && dlclose((void *)*handle) == 0 ? 0 : -EINVAL);
}

static void do_act(struct link_head *h)
{
	const struct link_site *s = link_payload_of(h, sizeof *s);
	struct agent_action *a = NULL;
	int rc = s && s->id < LINK_SITES && s->when < LINK_WHENS ? 0 : -EINVAL;
	for (unsigned k = 0; rc == 0 && k < AGENT_ACTIONS && !a; k++)
		if (weft_load_u32(&agent.action[k].state) == AGENT_ACTION_FREE)
			a = &agent.action[k];
	rc = rc ? rc : a ? program_read(h, s, &a->program) : -ENOBUFS;
	if (rc == 0) {
		a->tag = h->tag;
		weft_store_u32(&a->state, AGENT_ACTION_HANGS);
		if (__atomic_load_n(&agent.site[s->id].action[s->when].v, __ATOMIC_ACQUIRE)) {
			weft_store_u32(&a->state, AGENT_ACTION_FREE);
			rc = -EBUSY;
		} else {
			weft_store_ptr(&agent.site[s->id].action[s->when], a);
		}
	}
	command_answer(h, 0, rc);
}

static void do_cancel(struct link_head *h)
{
	const struct link_site *s = link_payload_of(h, sizeof *s);
	int rc = -EINVAL;
	if (s && s->id < LINK_SITES && s->when < LINK_WHENS) {
		struct agent_action *a = weft_swap_ptr(&agent.site[s->id].action[s->when], NULL);
		rc = a ? 0 : -ENOENT;
		if (a)
			weft_store_u32(&a->state, AGENT_ACTION_FREE);
	}
	command_answer(h, 0, rc);
}

static void command_release(void)
{
	weft_add_u32(&agent.released, 1);
	syscall(SYS_futex, &agent.released, FUTEX_WAKE_PRIVATE, 1 << 20, NULL, NULL, 0);
}

static void do_release(struct link_head *h)
{
	command_release();
	command_answer(h, 0, 0);
}

static void do_status(struct link_head *h)
{
	struct link_status *to = (void *)command_answer(h, sizeof *to, 0);
	if (!to)
		return;
	agent_status(to);
	to->clock = agent_clock();
	to->patches = agent_patches();
}

static void do_record(struct link_head *h)
{
	const char *path = link_payload(h);
	char why[400] = "";
	int rc = h->bytes && path[h->bytes - 1] == '\0' ? agent_record_open(path, why, sizeof why) : -EINVAL;
	size_t n = rc ? strlen(why) : 0;
	void *to = command_answer(h, (uint32_t)n + 1, rc);
	if (to)
		memcpy(to, why, n);
}

static void do_sample(struct link_head *h)
{
	const char *settings = link_payload(h);
	command_answer(h, 0, h->bytes && settings[h->bytes - 1] == '\0' ? agent_sample(settings) : -EINVAL);
}

static void do_define(struct link_head *h)
{
	const struct link_define *d = link_payload_of(h, sizeof *d + 1);
	bool ok = d && d->what < LINK_DEFINITIONS && ((char *)link_payload(h))[h->bytes - 1] == '\0';
	uint64_t *to = command_answer(h, sizeof *to, ok ? 0 : -EINVAL);
	if (ok && to)
		*to = agent_record_define(d->what, (const char *)(d + 1));
}

static void do_detach(struct link_head *h)
{
	agent_patch_undo(false);
	detached = true;
	command_answer(h, 0, 0);
}

static void (*const what[LINK_KINDS])(struct link_head *) = {
	[LINK_GO] = do_go,         [LINK_MAP] = do_map,         [LINK_CODE] = do_code,     [LINK_SITE] = do_site,
	[LINK_PATCH] = do_patch,   [LINK_COUNT] = do_count,     [LINK_READ] = do_read,     [LINK_WRITE] = do_write,
	[LINK_CALL] = do_call,     [LINK_LOAD] = do_load,       [LINK_UNLOAD] = do_unload, [LINK_ACT] = do_act,
	[LINK_CANCEL] = do_cancel, [LINK_RELEASE] = do_release, [LINK_STATUS] = do_status, [LINK_DETACH] = do_detach,
	[LINK_TEXT] = do_text,     [LINK_RECORD] = do_record,   [LINK_DEFINE] = do_define, [LINK_SAMPLE] = do_sample,
};

int agent_send_hello(bool attached)
{
	out.n = 0;
	out.full = false;
	struct link_hello *h = link_packet_add(&out, LINK_HELLO, 0, sizeof *h);
	char *fs;
	unsigned blocked = agent_traps_blocked();
	if (blocked)
		agent_signal_blocks(LINK_BLOCKS_THREADS);
	__asm__("mov %%fs:0, %0" : "=r"(fs));
	*h = (struct link_hello){
		.version = LINK_VERSION,
		.pid = agent.pid,
		.clock = agent_clock(),
		.self_offset = (char *)&agent_self - fs,
		.sites = (uint64_t)agent.site,
		.enter = (uint64_t)agent_enter,
		.leave = (uint64_t)agent_leave,
		.first = (uint64_t)agent_first,
		.unwind = (uint64_t)agent_unwind,
		.site_bytes = sizeof(struct agent_site),
		.count_offset = (uint32_t)(agent_distance + offsetof(struct agent_wiped, count)),
		.ring_bytes = agent.ring_bytes,
		.n_rings = agent.n_most,
		.traps_blocked = blocked,
		.attached = attached,
	};
	memcpy(h->token, agent.secret.agent, sizeof h->token);
	return link_packet_send(agent.socket, &out, agent.memory);
}

/* Actions that threads have run: each is answered by a packet of its own. */
static void tell_done(void)
{
	char drain[64];
	while (read(agent.wake[0], drain, sizeof drain) > 0)
		;
	for (unsigned k = 0; k < AGENT_ACTIONS; k++) {
		struct agent_action *a = &agent.action[k];
		if (weft_load_u32(&a->state) != AGENT_ACTION_DONE)
			continue;
		out.n = 0;
		struct link_done *d = link_packet_add(&out, LINK_DONE, a->tag, sizeof *d);
		*d = a->done;
		weft_store_u32(&a->state, AGENT_ACTION_FREE);
		if (link_packet_send(agent.socket, &out, -1))
			return;
	}
}

/* Whoever listens must know the run's secret before it is obeyed in anything. */
static bool command_meet(void)
{
	uint32_t pos = 0;
	struct link_head *h = link_packet_next(&in, &pos);
	const unsigned char *token = h && h->kind == LINK_HELLO ? link_payload_of(h, LINK_TOKEN_BYTES) : NULL;
	agent.known = token && link_token_equal(token, agent.secret.controller);
	explicit_bzero(&agent.secret, sizeof agent.secret);
	return agent.known;
}

static void command_obey(void)
{
	uint32_t pos = 0;
	out.n = 0;
	out.full = failed = false;
	for (struct link_head *h; (h = link_packet_next(&in, &pos));) {
		if (what[h->kind])
			what[h->kind](h);
		else
			command_answer(h, 0, -ENOSYS);
	}
}

static bool command_serve(void)
{
	struct pollfd wait[2] = {{.fd = agent.socket, .events = POLLIN}, {.fd = agent.wake[0], .events = POLLIN}};
	if (poll(wait, 2, -1) < 0)
		return errno == EINTR;
	if (wait[1].revents)
		tell_done();
	if (!wait[0].revents)
		return true;
	if (link_packet_receive(agent.socket, &in, -1, &came) <= 0)
		return false;
	if (!agent.known)
		return command_meet();
	came = weft_fd_high(came);
	command_obey();
	if (came >= 0)
		close(came);
	return link_packet_send(agent.socket, &out, -1) == 0 && !detached;
}

void *agent_command_main(void *arg)
{
	(void)arg;
	int me = agent.socket;
	detached = false;
	/* It is one of the program's threads, and should not be taken for one of its own. */
	prctl(PR_SET_NAME, "weft-agent");
	struct agent_thread *t = agent_first();
	if (t)
		t->ours = 1;
	while (command_serve())
		;
	if (!agent_record_goes_on())
		agent_patch_undo(false);
	command_release();
	if (agent.rings)
		weft_store_u32(&agent.rings->when_full, LINK_FULL_DROP);
	/* A child of fork has a socket of its own. */
	if (agent.socket == me) {
		agent.socket = -1;
		close(me);
	}
	weft_store_u32(&agent.go, 1);
	syscall(SYS_futex, &agent.go, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	return NULL;
}
