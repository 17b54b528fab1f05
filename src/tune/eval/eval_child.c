/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The child process: loads the compiled tunlet behind a fence, answers requests, and keeps faults
 * to the code that they happen in.
 *
 * A fault that the code itself finds (division by zero, a number that does not fit, an index, a
 * missing process) and one that the processor finds in a function that was left to the compiler
 * (SIGFPE, SIGILL of a trap) end that code by a jump; the store marks the iteration. SIGSEGV and
 * SIGBUS may have destroyed anything: the child says so and ends. It has no files, few rights to
 * grow, and dies with its parent. Limits and fence are there before anything is loaded: what is
 * loaded may run code at once.
 */
#include "eval_work.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
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
	int (*const *parts)(void);
	sigjmp_buf *jump; /* of the innermost code that runs */
	volatile sig_atomic_t fault;
	uint32_t code;
	volatile uint32_t *running; /* shared with the caller: code, while one runs */
	struct answer answer;
	struct weft_intern texts;
	const struct request *asked; /* for the objective; NULL: it is not being asked */
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
	child.answer.kind = WEFT_RESULT_FAULT;
	child.answer.what = code;
	child.answer.fault = fault;
	child.answer.iteration = child.store ? store_iteration(child.store) : -1;
	send_answer(NULL, &child.answer);
}

/*
 * Runs it; what is said of a fault names `code`. False after a fault, which is said unless it is
 * none.
 */
static bool run_guarded(uint32_t code, void (*function)(void))
{
	sigjmp_buf here, *outer = child.jump;
	const volatile uint32_t outer_code = child.code;
	bool ok = true;
	child.jump = &here;
	child.code = *child.running = code;
	child.fault = FAULT_NONE;
	/*
	 * Handlers leave the mask as it is (SA_NODEFER): it need not be kept, which would be a
	 * system call.
	 */
	if (sigsetjmp(here, 0) == 0) {
		function();
	} else {
		/* An objective that cannot say is no fault of an evaluation. */
		if (!child.asked && child.fault != FAULT_SPLIT)
			say_fault(child.code, (enum tune_fault)child.fault);
		ok = false;
	}
	child.jump = outer;
	child.code = outer_code;
	*child.running = outer ? outer_code : SPEC_NONE;
	return ok;
}

static bool run_code(void *ctx, uint32_t code)
{
	(void)ctx;
	return run_guarded(code, child.codes[code]);
}

static bool run_split(void *ctx, uint32_t attr, bool *other)
{
	(void)ctx;
	bool ok = run_guarded(child.s->attr.at[attr].value, child.codes[child.s->code.n + attr]);
	*other = !ok && child.fault == FAULT_SPLIT;
	return ok;
}

/* A fault here is said when the whole expression runs, which comes then. */
static int run_part(void *ctx, uint32_t part)
{
	sigjmp_buf here, *outer = child.jump;
	int counts = -1;
	(void)ctx;
	child.jump = &here;
	if (sigsetjmp(here, 0) == 0)
		counts = child.parts[part]();
	child.jump = outer;
	return counts;
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
	child.answer.kind = WEFT_RESULT_EVENT;
	child.answer.what = (uint32_t)event;
	child.answer.process = INT64_MIN;
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

static double host_assumed(int variable)
{
	for (uint32_t k = child.asked ? child.asked->n : 0; k > 0; k--)
		if (child.asked->value[k - 1].i == variable)
			return child.asked->value[k - 1].d;
	double carried = store_carried(child.store, (uint32_t)variable);
	if (carried != carried)
		host_fault(FAULT_UNKNOWN);
	return carried;
}

static const struct tune_host host = {host_by_id, host_nth,   host_count, host_fault,
                                      host_tune,  host_event, host_keep,  host_assumed};

/* -- signals -- */

static void on_signal(int sig)
{
	bool memory = sig == SIGSEGV || sig == SIGBUS;
	if (sig == SIGSYS) {
		/* The interrupted code may have held locks or memory. */
		say_fault(child.jump ? child.code : SPEC_NONE, FAULT_FENCE);
		_exit(5);
	}
	if (!memory && child.jump) {
		child.fault = FAULT_ARITHMETIC;
		siglongjmp(*child.jump, 1);
	}
	say_fault(child.jump ? child.code : SPEC_NONE, memory ? FAULT_MEMORY : FAULT_ARITHMETIC);
	_exit(5);
}

static void catch_faults(void)
{
	static const int signals[] = {SIGFPE, SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGSYS};
	static char stack[65536];
	stack_t alternative = {.ss_sp = stack, .ss_size = sizeof stack};
	struct sigaction sa = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK | SA_NODEFER};
	sigaltstack(&alternative, NULL);
	for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
		sigaction(signals[i], &sa, NULL);
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_DFL);
}

/*
 * Descriptors of the child, beside the standard ones; OF_LOADER: what the loader opens, one after
 * the other.
 */
enum { OF_SOCKET = 3, OF_LIBRARY, OF_LOADER, DESCRIPTORS };

/*
 * Two are left; where the kernel cannot close all others at once, those that there may be are
 * closed one by one.
 */
static void keep_descriptors(int socket, int library)
{
	struct rlimit files = {DESCRIPTORS, DESCRIPTORS}, now = {.rlim_cur = 1024};
	int high = fcntl(socket, F_DUPFD_CLOEXEC, DESCRIPTORS);
	int high_library = library >= 0 ? fcntl(library, F_DUPFD_CLOEXEC, DESCRIPTORS) : -1;
	dup2(high, OF_SOCKET);
	if (high_library < 0 || dup2(high_library, OF_LIBRARY) < 0)
		close(OF_LIBRARY);
	child.socket = OF_SOCKET;
	if (syscall(SYS_close_range, OF_LOADER, ~0u, 0)) {
		getrlimit(RLIMIT_NOFILE, &now);
		for (rlim_t fd = OF_LOADER; fd < now.rlim_cur && fd < 1 << 20; fd++)
			close((int)fd);
	}
	setrlimit(RLIMIT_NOFILE, &files);
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
}

/* A specification's functions must not see the caller's environment. */
static void forget_environment(void)
{
	extern char **environ;
	for (char **e = environ; e && *e; e++)
		explicit_bzero(*e, strlen(*e));
	environ = NULL;
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

static void answer_cost(const struct request *r)
{
	if (child.s->objective == SPEC_NONE || !child.codes[child.s->objective] || !store_evaluated(child.store))
		return;
	child.asked = r;
	child.globals->iter = child.globals->self = NULL;
	bool ok = run_code(NULL, child.s->objective);
	child.asked = NULL;
	memset(&child.answer, 0, offsetof(struct answer, value));
	child.answer.kind = ANSWER_COST;
	child.answer.number = child.globals->result.d;
	if (ok)
		send_answer(NULL, &child.answer);
}

/* Joins a fold that comes in pieces, one request each. */
static void gather_fold(const struct request *r)
{
	static struct weft_buf fold;
	weft_buf_add(&fold, (const char *)r->value, r->n <= BATCH_BYTES ? r->n : 0);
	if (r->begins)
		return;
	if (!fold.failed)
		store_fold(child.store, r->what, fold.at, fold.n);
	weft_buf_fini(&fold);
	fold = (struct weft_buf){0};
}

static void serve_event(const struct request *r)
{
	store_event(child.store, r);
}

static void serve_hand_event(const struct request *r)
{
	hand_event(child.hand, r);
}

/* The caller made it (pack_event in eval.c), and is trusted. */
static void serve_batch(const struct request *batch, void (*serve_one)(const struct request *r))
{
	static struct request r;
	const char *at = (const char *)batch->value, *end = at + batch->n;
	while (at < end) {
		const struct packed_event *e = (const struct packed_event *)(const void *)at;
		at += sizeof *e;
		r.kind = REQUEST_EVENT;
		r.what = e->event;
		r.folded = e->folded;
		r.child = e->child;
		r.id = e->id;
		r.time = e->time;
		r.n = e->n;
		for (uint32_t i = 0; i < e->n; i++) {
			const struct packed_value *v = (const struct packed_value *)(const void *)at;
			r.value[i].d = v->d;
			r.value[i].i = v->i;
			size_t n = v->text < EVAL_TEXT_MAX ? v->text : EVAL_TEXT_MAX;
			memcpy(r.value[i].s, v + 1, n);
			r.value[i].s[n < EVAL_TEXT_MAX ? n : EVAL_TEXT_MAX - 1] = '\0';
			at += sizeof *v + v->text;
		}
		serve_one(&r);
	}
}

/* In the middle of a request: asked, and waited for. */
static bool host_metric(void *ctx, uint32_t attr, double time, double *out)
{
	static struct request reply;
	(void)ctx;
	memset(&child.answer, 0, offsetof(struct answer, value));
	child.answer.kind = ANSWER_METRIC;
	child.answer.what = attr;
	child.answer.number = time;
	send_answer(NULL, &child.answer);
	ssize_t n;
	while ((n = recv(child.socket, &reply, sizeof reply, 0)) < 0 && errno == EINTR)
		;
	if (n < (ssize_t)offsetof(struct request, value) || reply.kind != REQUEST_METRIC)
		_exit(0);
	if (!reply.begins)
		say_fault(SPEC_NONE, FAULT_METRIC);
	else
		*out = reply.time;
	return reply.begins;
}

static void serve_store(const struct request *r)
{
	if (r->kind == REQUEST_PROCESS)
		store_process(child.store, r->what, r->id, r->begins);
	else if (r->kind == REQUEST_EVENT)
		store_event(child.store, r);
	else if (r->kind == REQUEST_BATCH)
		serve_batch(r, serve_event);
	else if (r->kind == REQUEST_LOST)
		store_lost(child.store, r);
	else if (r->kind == REQUEST_COST)
		answer_cost(r);
	else if (r->kind == REQUEST_FOLD)
		gather_fold(r);
	else if (r->kind == REQUEST_CHILD)
		store_child(child.store, r->what, r->begins);
}

static void serve_hand(const struct request *r)
{
	static void (*const serve_kind[])(struct hand * h, const struct request *q) = {hand_process, hand_event, hand_lost};
	if (r->kind == REQUEST_END)
		hand_end(child.hand);
	else if (r->kind == REQUEST_BATCH)
		serve_batch(r, serve_hand_event);
	else if (r->kind < REQUEST_END)
		serve_kind[r->kind](child.hand, r);
}

static void child_serve(void)
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
	int rc = hand_new(&child.hand, child.s, code, out);
	if (rc)
		fail_to_begin(weft_err_name(rc));
}

static void begin_store(void *library, struct store_host *out)
{
	child.globals = dlsym(library, "w_g");
	child.codes = dlsym(library, "w_codes");
	child.parts = dlsym(library, "w_parts");
	out->sizes = dlsym(library, "w_sizes");
	out->offsets = dlsym(library, "w_offsets");
	if (!child.globals || !child.codes || !child.parts || !out->sizes || !out->offsets)
		_exit(6);
	*child.globals = (struct tune_globals){.host = &host};
	out->globals = child.globals;
	if (setjmp(child.s->oom) || store_new(&child.store, child.s, out))
		fail_to_begin(weft_err_name(-ENOMEM));
}

/*
 * Behind the fence that loading needs; then the narrower one. Where the kernel has none, limits are
 * left.
 */
static void *child_load(const char *handlers)
{
	char path[32];
	snprintf(path, sizeof path, "/proc/self/fd/%d", OF_LIBRARY);
	(void)!eval_fence(true);
	void *library = dlopen(handlers ? handlers : path, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		fail_to_begin(dlerror());
	close(OF_LIBRARY);
	(void)!eval_fence(false);
	return library;
}

_Noreturn void eval_child(const struct eval_begin *b)
{
	struct store_host out = {.answer = send_answer,
	                         .run = run_code,
	                         .split = run_split,
	                         .part = run_part,
	                         .metric = host_metric};
	child.s = b->s;
	child.running = b->running;
	keep_descriptors(b->socket, b->handlers ? -1 : b->library);
	limit_itself(b->memory);
	catch_faults();
	if (!b->handlers)
		forget_environment();
	void *library = child_load(b->handlers);
	if (b->handlers)
		begin_hand(library, &out);
	else
		begin_store(library, &out);
	answer_kind(ANSWER_READY);
	child_serve();
	_exit(0);
}
