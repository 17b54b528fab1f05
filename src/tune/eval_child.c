/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The child process: loads the compiled tunlet, answers requests, and keeps faults to the code that they happen in.
 *
 * A fault that the code itself finds (division by zero, a number that does not fit, an index, a missing task) and one that the
 * processor finds in a function that was left to the compiler (SIGFPE, SIGILL of a trap) end that code by a jump; the store marks
 * the iteration. SIGSEGV and SIGBUS may have destroyed anything: the child says so and ends. It has no files, few rights to grow,
 * and dies with its parent.
 */
#include "eval_priv.h"
#include <dlfcn.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define MAPS_SHADOW 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MAPS_SHADOW 1
#endif
#endif

/* One context: signal handlers and the translation's calls have no argument for it. */
static struct {
	struct weft_spec *s;
	int socket;
	struct store *store;
	struct hand *hand; /* instead, of a tunlet written by hand */
	struct tune_globals *globals;
	void (*const *codes)(void);
	sigjmp_buf *jump; /* of the innermost code that runs */
	volatile sig_atomic_t fault;
	uint32_t code;
	struct answer answer;
	struct weft_intern texts;
} child;

static void send_answer(void *ctx, const struct answer *a)
{
	(void)ctx;
	size_t bytes = offsetof(struct answer, value) + a->n * sizeof a->value[0];
	while (send(child.socket, a, bytes, MSG_NOSIGNAL) < 0)
		if (errno != EINTR)
			_exit(3);
}

static void say_fault(uint32_t code, enum tune_fault fault)
{
	memset(&child.answer, 0, offsetof(struct answer, value));
	child.answer.kind = WEFT_SAID_FAULT;
	child.answer.what = code;
	child.answer.fault = fault;
	child.answer.iteration = child.store ? store_iteration(child.store) : -1;
	send_answer(NULL, &child.answer);
}

static bool run_code(void *ctx, uint32_t code)
{
	sigjmp_buf here, *outer = child.jump;
	uint32_t outer_code = child.code;
	bool ok = true;
	(void)ctx;
	child.jump = &here;
	child.code = code;
	if (sigsetjmp(here, 1) == 0) {
		child.codes[code]();
	} else {
		say_fault(child.code, (enum tune_fault)child.fault);
		ok = false;
	}
	child.jump = outer;
	child.code = outer_code;
	return ok;
}

/* -- what the code may ask -- */

static void host_fault(int kind)
{
	child.fault = kind;
	if (!child.jump)
		_exit(4);
	siglongjmp(*child.jump, 1);
}

static void *host_by_id(int actor, long long id, int make)
{
	enum tune_fault fault;
	void *at = store_by_id(child.store, actor, id, make, &fault);
	if (!at)
		host_fault(fault);
	return at;
}

static void *host_nth(int actor, long long number)
{
	enum tune_fault fault;
	void *at = store_nth(child.store, actor, number, &fault);
	if (!at)
		host_fault(fault);
	return at;
}

static long long host_count(int actor)
{
	return store_count(child.store, actor);
}

static void host_tune(int point)
{
	store_tune(child.store, (uint32_t)point);
}

static void host_event(int event, int add)
{
	memset(&child.answer, 0, offsetof(struct answer, value));
	child.answer.kind = WEFT_SAID_EVENT;
	child.answer.what = (uint32_t)event;
	child.answer.task = INT64_MIN;
	child.answer.add = add;
	child.answer.iteration = store_iteration(child.store);
	send_answer(NULL, &child.answer);
}

static const char *host_keep(const char *text)
{
	uint32_t id;
	if (!text || weft_intern_add(&child.texts, weft_str(text), &id))
		return "";
	return child.texts.name[id];
}

static const struct tune_host host = {host_by_id, host_nth, host_count, host_fault, host_tune, host_event, host_keep};

/* -- signals -- */

static void on_signal(int sig)
{
	bool memory = sig == SIGSEGV || sig == SIGBUS;
	if (!memory && child.jump) {
		child.fault = FAULT_ARITHMETIC;
		siglongjmp(*child.jump, 1);
	}
	say_fault(child.jump ? child.code : SPEC_NONE, memory ? FAULT_MEMORY : FAULT_ARITHMETIC);
	_exit(5);
}

static void catch_faults(void)
{
	static const int signals[] = {SIGFPE, SIGILL, SIGTRAP, SIGSEGV, SIGBUS};
	static char stack[65536];
	stack_t alternative = {.ss_sp = stack, .ss_size = sizeof stack};
	struct sigaction sa = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK | SA_NODEFER};
	sigaltstack(&alternative, NULL);
	for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
		sigaction(signals[i], &sa, NULL);
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_DFL);
}

static void limit_itself(uint64_t memory)
{
	struct rlimit none = {0, 0};
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setrlimit(RLIMIT_CORE, &none);
#ifndef MAPS_SHADOW
	struct rlimit all = {memory, memory};
	setrlimit(RLIMIT_DATA, &all);
#else
	(void)memory;
#endif
	for (int fd = 3; fd < 1024; fd++)
		if (fd != child.socket)
			close(fd);
	struct rlimit files = {(rlim_t)child.socket + 1, (rlim_t)child.socket + 1};
	setrlimit(RLIMIT_NOFILE, &files);
}

static void answer_kind(int kind)
{
	memset(&child.answer, 0, offsetof(struct answer, value));
	child.answer.kind = kind;
	send_answer(NULL, &child.answer);
}

static _Noreturn void fail_to_begin(const char *why)
{
	memset(&child.answer, 0, offsetof(struct answer, value));
	child.answer.kind = ANSWER_FAILED;
	snprintf(child.answer.text, sizeof child.answer.text, "%s", why ? why : "unknown");
	send_answer(NULL, &child.answer);
	_exit(6);
}

static void serve_store(const struct request *r)
{
	if (r->kind == REQUEST_TASK)
		store_task(child.store, r->what, r->id, r->begins);
	else if (r->kind == REQUEST_EVENT)
		store_event(child.store, r);
	else if (r->kind == REQUEST_LOST)
		store_lost(child.store, r->id, r->count);
}

static void serve_hand(const struct request *r)
{
	static void (*const serve_kind[])(struct hand * h, const struct request *q) = {hand_task, hand_event, hand_lost};
	if (r->kind == REQUEST_END)
		hand_end(child.hand);
	else
		serve_kind[r->kind](child.hand, r);
}

static void serve(void)
{
	static struct request r;
	for (;;) {
		ssize_t n = recv(child.socket, &r, sizeof r, 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < (ssize_t)offsetof(struct request, value))
			_exit(0);
		if (child.hand)
			serve_hand(&r);
		else
			serve_store(&r);
		answer_kind(ANSWER_DONE);
	}
}

/* Handlers run between no other code of ours; the fault of one ends the process. */
static void begin_hand(void *library, const struct store_host *out)
{
	const void *code = dlsym(library, "weft_tunlet");
	if (!code)
		fail_to_begin("it exports no 'weft_tunlet'");
	if (hand_new(&child.hand, child.s, code, out))
		_exit(7);
}

static void begin_store(void *library, struct store_host *out)
{
	child.globals = dlsym(library, "w_g");
	child.codes = dlsym(library, "w_codes");
	out->sizes = dlsym(library, "w_sizes");
	out->offsets = dlsym(library, "w_offsets");
	if (!child.globals || !child.codes || !out->sizes || !out->offsets)
		_exit(6);
	*child.globals = (struct tune_globals){.host = &host};
	out->globals = child.globals;
	if (setjmp(child.s->oom) || store_new(&child.store, child.s, out))
		_exit(7);
}

_Noreturn void eval_child(struct weft_spec *s, const char *path, bool by_hand, int socket, uint64_t memory)
{
	struct store_host out = {.answer = send_answer, .run = run_code};
	child.s = s;
	child.socket = socket;
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		fail_to_begin(dlerror());
	limit_itself(memory);
	catch_faults();
	if (by_hand)
		begin_hand(library, &out);
	else
		begin_store(library, &out);
	answer_kind(ANSWER_READY);
	serve();
	_exit(0);
}
