/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loading the agent into a process that runs: one of its threads is stopped and made to call
 * dlopen, then the agent's own begin, by code that needs nobody to come back from it
 * (probe_trampoline.c).
 *
 *     look    a thread that is at a safe point, by what /proc says; stopped and looked at again
 *     write   the code behind the end of a module's code, where nothing is; arguments and registers below its stack's red zone
 *     move    one PTRACE_SETREGS; from here on the thread comes back by itself, whatever becomes of us
 *     take    it waits for half a second: it gets its mask and registers from us, so that an interrupted system call goes on as without us
 *
 * The thread must not be in the middle of what dlopen needs: the allocator, or the dynamic linker.
 * So one is looked for that is in a system call that waits, or in code of the program itself; when
 * there is none, it runs on a little and is looked at again.
 */
#include "probe_priv.h"
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <time.h>
#include <unistd.h>

enum { STOP_MS = 1000, CALL_MS = 5000, LOOK_US = 500, POLL_US = 50, UNSEEN_POLLS = 4000, PATIENT_PASSES = 20, USER_CS = 0x33 };

/*
 * How long a thread waits for us to take it back, in five parts. Long enough for a controller that is put aside on a busy machine: who
 * comes too late must leave the code there, since a handler may still return into it.
 */
enum { WAIT_NS = 500000000 };

struct inject {
	pid_t pid, tid;
	struct probe_session s; /* its map and images only */
	struct user_regs_struct kept;
	const char *agent_path, *name;
	int timeout_ms;
	uint64_t dlopen, dlsym, errno_location;
	uint64_t code;              /* address of the trampoline */
	bool written;               /* by us: its bytes were 0 */
	uint64_t args;              /* address of ours */
	bool impatient;             /* any thread will do that can be stopped */
	bool suspended;             /* the process is, by SIGSTOP or a terminal */
	struct trampoline_args got; /* what the trampoline has said */
	int rc;
	struct weft_err *err;
};

/* ---- looking for a thread ---- */

/*
 * System calls in which a thread that waits holds no lock of libc. Those behind the gap begin anew
 * with all of their time.
 */
static bool waits_in(long number, bool impatient)
{
	static const int calls[] = {SYS_read,          SYS_poll,       SYS_ppoll,   SYS_select,          SYS_pselect6,
	                            SYS_accept,        SYS_accept4,    SYS_recvmsg, SYS_recvfrom,        SYS_nanosleep,
	                            SYS_wait4,         SYS_waitid,     SYS_pause,   SYS_clock_nanosleep, SYS_futex,
	                            SYS_rt_sigsuspend, SYS_sched_yield};
	static const int rude[] = {SYS_epoll_wait, SYS_epoll_pwait, SYS_epoll_pwait2, SYS_rt_sigtimedwait};
	for (size_t k = 0; k < sizeof calls / sizeof *calls; k++)
		if (calls[k] == number)
			return true;
	for (size_t k = 0; impatient && k < sizeof rude / sizeof *rude; k++)
		if (rude[k] == number)
			return true;
	return false;
}

/*
 * A handler of a signal, or a thread that is being made: on a small stack perhaps, above any code.
 */
static bool blocks_signals(const struct inject *x, pid_t tid)
{
	uint64_t mask = 0;
	(void)x;
	return ptrace(PTRACE_GETSIGMASK, tid, (void *)sizeof mask, &mask) == 0 && mask;
}

/* The kernel would forget that the thread is inside one when it sees it elsewhere. */
static bool in_restartable_sequence(const struct inject *x, uint64_t rip)
{
#ifdef PTRACE_GET_RSEQ_CONFIGURATION
	struct __ptrace_rseq_configuration c = {0};
	struct {
		uint32_t version, flags;
		uint64_t start, length, abort;
	} sequence;
	uint64_t at = 0;
	long n = ptrace(PTRACE_GET_RSEQ_CONFIGURATION, x->tid, (void *)sizeof c, &c);
	if (n <= 0 || !c.rseq_abi_pointer || process_read(&x->s, c.rseq_abi_pointer + 8, &at, sizeof at) || !at)
		return false;
	return process_read(&x->s, at, &sequence, sizeof sequence) == 0 && rip - sequence.start < sequence.length;
#else
	(void)x, (void)rip;
	return false;
#endif
}

/*
 * In code of the executable, which never runs inside the allocator's or the loader's locks but from
 * constructors.
 */
static bool is_safe(struct inject *x, const struct user_regs_struct *r)
{
	if (r->cs != USER_CS || (!x->impatient && blocks_signals(x, x->tid)))
		return false;
	if ((int64_t)r->orig_rax >= 0)
		return waits_in((long)r->orig_rax, x->impatient);
	struct probe_module *exe = x->s.modules.n ? &x->s.modules.at[0] : NULL;
	uint64_t end;
	return exe && process_image(&x->s, exe) && r->rip > exe->bias &&
	       probe_image_executes(exe->image, r->rip - exe->bias, &end) && !in_restartable_sequence(x, r->rip);
}

/* 0: it is stopped at a safe point; -EAGAIN: not this time. */
static int stop_one(struct inject *x, pid_t tid)
{
	char state = tracee_proc_state(x->pid, tid);
	long call = tracee_call(x->pid, tid);
	x->suspended |= state == 'T';
	if (state == 't')
		tracee_detach(tid); /* of us, where it came to no stop before */
	if (!state || strchr("DTtZX", state) || call == TRACEE_IN_KERNEL || (call >= 0 && !waits_in(call, x->impatient)))
		return state == 't' ? -EPERM : -EAGAIN;
	int rc = tracee_seize(x->pid, tid);
	if (rc)
		return rc == -EPERM ? rc : -EAGAIN;
	x->tid = tid;
	rc = tracee_stop(x->pid, tid, STOP_MS);
	if (rc == TRACEE_TRAPPED && peer_check(x->s.peer) == 0 && ptrace(PTRACE_GETREGS, tid, NULL, &x->kept) == 0 &&
	    is_safe(x, &x->kept))
		return 0;
	x->suspended |= rc == TRACEE_SUSPENDED;
	tracee_detach(tid);
	return -EAGAIN;
}

/* One look at each thread. -EPERM: all of them are somebody else's. */
static int stop_some_thread(struct inject *x)
{
	char path[64];
	unsigned tried = 0, refused = 0;
	snprintf(path, sizeof path, "/proc/%d/task", (int)x->pid);
	DIR *d = opendir(path);
	if (!d)
		return -ESRCH;
	int rc = -EAGAIN;
	for (struct dirent *e; rc && (e = readdir(d));) {
		if (e->d_name[0] == '.')
			continue;
		rc = stop_one(x, (pid_t)atoi(e->d_name));
		tried++;
		refused += rc == -EPERM;
	}
	closedir(d);
	return rc && tried == refused ? -EPERM : rc ? -EAGAIN : 0;
}

/* ---- the place of the code ---- */

/*
 * Behind the end of an executable segment its last page is mapped, and nothing in it is ever run.
 */
static int find_room(struct inject *x, const struct probe_module *m, const struct trampoline_code *code)
{
	enum { HEADERS = 16, PAGE = 4096, ALIGN = 64 };
	Elf64_Ehdr head;
	Elf64_Phdr segment[HEADERS];
	uint8_t now[1024];
	uint64_t bias = 0;
	bool known = false;
	if (process_read(&x->s, m->from, &head, sizeof head) || memcmp(head.e_ident, ELFMAG, SELFMAG) || head.e_phnum > HEADERS ||
	    head.e_phentsize != sizeof *segment ||
	    process_read(&x->s, m->from + head.e_phoff, segment, head.e_phnum * sizeof *segment))
		return -ENOENT;
	for (unsigned k = 0; k < head.e_phnum; k++) {
		const Elf64_Phdr *p = &segment[k];
		if (p->p_type != PT_LOAD)
			continue;
		if (!known)
			bias = m->from - (p->p_vaddr & ~(PAGE - 1ull));
		known = true;
		uint64_t end = (bias + p->p_vaddr + p->p_memsz + ALIGN - 1) & ~(ALIGN - 1ull);
		uint64_t page_end = (bias + p->p_vaddr + p->p_memsz + PAGE - 1) & ~(PAGE - 1ull);
		if (!(p->p_flags & PF_X) || p->p_flags & PF_W || p->p_memsz != p->p_filesz)
			continue;
		for (uint64_t at = end; at + code->n <= page_end; at += ALIGN) {
			if (code->n > sizeof now || process_read(&x->s, at, now, code->n))
				break;
			bool same = !memcmp(now, code->bytes, code->n), empty = true;
			for (size_t i = 0; i < code->n; i++)
				empty &= now[i] == 0;
			if (same || empty) {
				x->code = at;
				x->written = empty;
				return 0;
			}
		}
	}
	return -ENOENT;
}

static int write_memory(const struct inject *x, uint64_t addr, const void *from, size_t n)
{
	return pwrite(x->s.peer->memory, from, n, (off_t)addr) == (ssize_t)n ? 0 : -EFAULT;
}

/*
 * The code is the same for every thread and every attach: who was killed in the middle leaves it,
 * and it is used again.
 */
static int place_code(struct inject *x)
{
	struct trampoline_code code = trampoline_code();
	int rc = -ENOENT;
	for (size_t k = 0; rc && k < x->s.modules.n; k++)
		rc = find_room(x, &x->s.modules.at[k], &code);
	if (rc == 0 && x->written)
		rc = write_memory(x, x->code, code.bytes, code.n);
	return rc;
}

static void remove_code(struct inject *x)
{
	static const uint8_t nothing[1024];
	struct trampoline_code code = trampoline_code();
	if (x->written && code.n <= sizeof nothing && write_memory(x, x->code, nothing, code.n) == 0)
		x->written = false;
}

/* ---- the call ---- */

enum { KERNEL_ERESTARTSYS = 512, KERNEL_ERESTARTNOINTR, KERNEL_ERESTARTNOHAND, KERNEL_ERESTART_RESTARTBLOCK = 516 };

/*
 * What the kernel would do with a system call that our stop has interrupted; the frame gets what it
 * would do without signals.
 */
static enum trampoline_restart restart_of(const struct user_regs_struct *r, struct trampoline_frame *f)
{
	static const struct {
		int error;
		enum trampoline_restart how;
	} kinds[] = {
		{KERNEL_ERESTARTSYS, TRAMPOLINE_BY_HANDLER},
		{KERNEL_ERESTARTNOINTR, TRAMPOLINE_ALWAYS},
		{KERNEL_ERESTARTNOHAND, TRAMPOLINE_NO_HANDLER},
		{KERNEL_ERESTART_RESTARTBLOCK, TRAMPOLINE_NO_HANDLER},
	};
	for (size_t k = 0; (int64_t)r->orig_rax >= 0 && k < sizeof kinds / sizeof *kinds; k++) {
		if ((int64_t)r->rax != -kinds[k].error)
			continue;
		f->rax = kinds[k].error == KERNEL_ERESTART_RESTARTBLOCK ? SYS_restart_syscall : r->orig_rax;
		f->rip = r->rip - 2;
		return kinds[k].how;
	}
	return TRAMPOLINE_NO_CALL;
}

/* All signals but those that faults make. */
static uint64_t other_signals(void)
{
	static const int faults[] = {SIGTRAP, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGSYS};
	uint64_t all = ~0ull;
	for (size_t k = 0; k < sizeof faults / sizeof *faults; k++)
		all &= ~(1ull << (faults[k] - 1));
	return all;
}

/* Arguments and registers, below the red zone. -EFAULT: its stack has no room. */
static int write_arguments(struct inject *x)
{
	static const struct {
		char symbol[24], errno_name[24];
	} names = {"weft_agent_attach", "__errno_location"};
	const struct user_regs_struct *r = &x->kept;
	size_t n_path = strlen(x->agent_path) + 1, n_name = strlen(x->name) + 1;
	struct trampoline_frame frame = {r->r15, r->r14, r->r13, r->r12, r->rbp, r->rbx, r->r11,    r->r10, r->r9,
	                                 r->r8,  r->rax, r->rcx, r->rdx, r->rsi, r->rdi, r->eflags, r->rip};
	uint64_t at = r->rsp - TRAMPOLINE_RED_ZONE - sizeof frame;
	uint64_t path = at - n_path, name = path - n_name, text = name - sizeof names;
	x->args = (text - sizeof(struct trampoline_args)) & ~63ull;
	struct trampoline_args args = {.dlopen = x->dlopen,
	                               .dlsym = x->dlsym,
	                               .errno_location = x->errno_location,
	                               .errno_name = text + sizeof names.symbol,
	                               .path = path,
	                               .symbol = text,
	                               .name = name,
	                               .frame = at,
	                               .restart = restart_of(r, &frame),
	                               .all = other_signals(),
	                               .wait_ns = WAIT_NS / 5,
	                               .mxcsr = 0x1f80};
	struct iovec here[] = {{&args, sizeof args},
	                       {(void *)&names, sizeof names},
	                       {(void *)x->name, n_name},
	                       {(void *)x->agent_path, n_path},
	                       {&frame, sizeof frame}};
	struct iovec there[] = {{(void *)x->args, sizeof args}, {(void *)text, at + sizeof frame - text}};
	ssize_t all = (ssize_t)(sizeof args + there[1].iov_len);
	return process_vm_writev(x->pid, here, sizeof here / sizeof *here, there, 2, 0) == all ? 0 : -EFAULT;
}

static bool is_in(const struct inject *x, size_t from, size_t to, uint64_t rip)
{
	return rip - x->code >= from && rip - x->code < to;
}

/*
 * It is stopped where it waits for us: it gets back what it had. Each of these may be the last
 * thing that we do.
 */
static int give_back(struct inject *x)
{
	if (ptrace(PTRACE_SETSIGMASK, x->tid, (void *)sizeof x->got.mask, &x->got.mask) ||
	    ptrace(PTRACE_SETREGS, x->tid, NULL, &x->kept))
		return -errno;
	tracee_detach(x->tid);
	remove_code(x);
	return 0;
}

/* 0: it is where it was, with us or without; 1: it is still on its way. */
static int take_back(struct inject *x)
{
	struct trampoline_code code = trampoline_code();
	struct user_regs_struct r;
	int rc = tracee_stop(x->pid, x->tid, STOP_MS);
	if (rc != TRACEE_TRAPPED)
		return rc < 0 ? rc : rc == TRACEE_SUSPENDED && ptrace(PTRACE_LISTEN, x->tid, NULL, NULL) ? -errno : 1;
	if (ptrace(PTRACE_GETREGS, x->tid, NULL, &r))
		return -errno;
	if (is_in(x, code.wait, code.wait_end, r.rip) && process_read(&x->s, x->args, &x->got, sizeof x->got) == 0)
		return give_back(x);
	bool on_its_way = is_in(x, 0, code.n, r.rip) || r.rsp - x->got.stack < TRAMPOLINE_STACK_BYTES;
	if (!on_its_way) {
		tracee_detach(x->tid); /* it has waited long enough */
		return 0;
	}
	return ptrace(PTRACE_CONT, x->tid, NULL, NULL) ? -errno : 1;
}

/*
 * A signal of the program's: where it comes before others are blocked, it finds the thread as if we
 * had never been there.
 */
static int pass_on(struct inject *x, int sig)
{
	struct trampoline_code code = trampoline_code();
	struct user_regs_struct r;
	bool early = ptrace(PTRACE_GETREGS, x->tid, NULL, &r) == 0 && is_in(x, 0, code.masked, r.rip);
	if (early && ptrace(PTRACE_SETREGS, x->tid, NULL, &x->kept))
		return -errno;
	if (!early)
		return ptrace(PTRACE_CONT, x->tid, NULL, (void *)(uintptr_t)sig) ? -errno : 0;
	ptrace(PTRACE_DETACH, x->tid, NULL, (void *)(uintptr_t)sig);
	remove_code(x);
	return -EAGAIN;
}

/* 1: the thread runs, or is suspended, and has not finished. */
static int look_at_call(struct inject *x, unsigned poll)
{
	int sig;
	switch (tracee_state(x->pid, x->tid, &sig)) {
	case TRACEE_ENDED:
		return -ESRCH;
	case TRACEE_SIGNAL: {
		int rc = pass_on(x, sig);
		return rc ? rc : 1;
	}
	case TRACEE_SUSPENDED:
		return ptrace(PTRACE_LISTEN, x->tid, NULL, NULL) ? -errno : 1;
	case TRACEE_TRAPPED:
		return ptrace(PTRACE_CONT, x->tid, NULL, NULL) ? -errno : 1;
	case TRACEE_RUNS:
		break;
	}
	if (x->got.done != 1 && process_read(&x->s, x->args, &x->got, sizeof x->got))
		return -EFAULT;
	return x->got.done == 1 || poll % UNSEEN_POLLS == 0 ? take_back(x) : 1;
}

/* Makes the stopped thread do it. -EAGAIN: it is let go, and nothing has happened. */
static int call_agent(struct inject *x)
{
	struct user_regs_struct r = x->kept;
	int rc = place_code(x);
	if (rc == 0 && write_arguments(x)) {
		remove_code(x);
		rc = -EAGAIN;
	}
	if (rc) {
		tracee_detach(x->tid);
		return rc;
	}
	r.rip = x->code;
	r.rbx = r.rsp = x->args;
	r.eflags = 0x202;
	r.orig_rax = (unsigned long long)-1; /* no system call is to be begun again there */
	if (ptrace(PTRACE_SETREGS, x->tid, NULL, &r) || ptrace(PTRACE_CONT, x->tid, NULL, NULL))
		return -errno;
	rc = 1;
	uint64_t end = probe_now_ms() + CALL_MS;
	for (unsigned poll = 1; rc == 1 && probe_now_ms() < end; poll++) {
		probe_sleep_us(POLL_US);
		rc = look_at_call(x, poll);
	}
	return rc == 1 ? -ETIMEDOUT : rc; /* it comes back by itself later; what we trace ends with our thread */
}

/* ---- all of it ---- */

static uint64_t function_at(struct inject *x, const char *module, const char *name)
{
	for (size_t k = 0; k < x->s.modules.n; k++) {
		struct probe_module *m = &x->s.modules.at[k];
		struct probe_symbols all = {0};
		uint64_t addr = 0;
		if (!strstr(m->path, module) || !process_image(&x->s, m))
			continue;
		if (probe_image_find(m->image, name, false, &all) == 0 && all.n)
			addr = all.at[0].addr + m->bias;
		free(all.at);
		if (addr)
			return addr;
	}
	return 0;
}

/*
 * Where dlopen is in a library of its own, libc has others for itself, which find no names of all
 * the process.
 */
static int find_functions(struct inject *x)
{
	x->dlopen = function_at(x, "/libc.so", "dlopen");
	x->dlsym = x->dlopen ? function_at(x, "/libc.so", "dlsym") : 0;
	if (!x->dlsym) {
		x->dlopen = function_at(x, "/libc.so", "__libc_dlopen_mode");
		x->dlsym = function_at(x, "/libc.so", "__libc_dlsym");
		x->errno_location = function_at(x, "/libc.so", "__errno_location");
	}
	if (x->dlopen && x->dlsym)
		return 0;
	return weft_err_set(x->err, -ENOTSUP, "cannot attach: the process has no dynamic linker");
}

/*
 * One controller at a time: another one would take its code away from under our thread. The lock is on the process's memory, which only
 * those can open who may trace it.
 */
static int wait_for_turn(const struct inject *x, uint64_t end)
{
	while (flock(x->s.peer->memory, LOCK_EX | LOCK_NB)) {
		if (errno != EWOULDBLOCK)
			return 0; /* a kernel that has no such locks */
		if (probe_now_ms() >= end)
			return -EBUSY;
		probe_sleep_us(LOOK_US);
	}
	return 0;
}

static const char *why_no_thread(const struct inject *x, int rc)
{
	return rc == -EBUSY       ? "others are attaching to it all the time"
	       : rc == -EPERM     ? "it may not be traced, or somebody traces it already"
	       : rc == -ESRCH     ? "it has ended"
	       : x->suspended     ? "it is stopped (SIGSTOP); let it go on first"
	       : rc == -ENOENT    ? "no room for code in its modules"
	       : rc == -ETIMEDOUT ? "the thread that loads the agent does not come back"
	                          : "no thread of it comes to a safe point";
}

static int read_result(struct inject *x)
{
	const struct trampoline_args *a = &x->got;
	int rc = (int)(int64_t)a->result;
	if (a->done != 1)
		return 0; /* it has gone on before we saw that: whether the agent connects will tell */
	if ((int64_t)a->stack < 0 && (int64_t)a->stack > -4096)
		return weft_err_sys(x->err, (int)-(int64_t)a->stack, "cannot attach: the process has no memory for a stack");
	if (!a->handle)
		return weft_err_set(x->err, -ELIBACC, "cannot attach: the process cannot load '%s'", x->agent_path);
	if (!a->function)
		return weft_err_set(x->err, -ELIBBAD, "cannot attach: '%s' is no agent", x->agent_path);
	return rc ? weft_err_sys(x->err, -rc, "cannot attach: the agent cannot begin") : 0;
}

static int call_by_some_thread(struct inject *x, uint64_t end)
{
	for (unsigned pass = 0;; pass++) {
		x->impatient = pass >= PATIENT_PASSES;
		x->suspended = false;
		int rc = stop_some_thread(x);
		if (rc == 0)
			rc = call_agent(x);
		if (rc != -EAGAIN || probe_now_ms() >= end)
			return rc;
		probe_sleep_us(LOOK_US);
	}
}

static void inject_traced(void *ctx)
{
	struct inject *x = ctx;
	uint64_t end = probe_now_ms() + (uint64_t)x->timeout_ms;
	int rc = wait_for_turn(x, end);
	rc = rc ? rc : call_by_some_thread(x, end);
	(void)flock(x->s.peer->memory, LOCK_UN);
	x->rc = rc ? weft_err_set(x->err, rc, "cannot attach to process %d: %s", (int)x->pid, why_no_thread(x, rc))
	           : read_result(x);
}

int probe_inject(pid_t pid, const char *agent_path, const char *name, int timeout_ms, struct weft_err *err)
{
	struct inject x = {.pid = pid, .err = err, .agent_path = agent_path, .name = name, .timeout_ms = timeout_ms};
	struct tracer tracer = {.call = inject_traced, .ctx = &x};
	char link[64];
	x.s.agent.pid = (uint32_t)pid;
	snprintf(link, sizeof link, "/proc/%d/exe", (int)pid);
	ssize_t n = readlink(link, x.s.agent.exe, sizeof x.s.agent.exe - 1);
	int rc = n < 0 ? -errno : peer_of(&x.s.peer, pid);
	rc = rc ? rc : process_read_map(&x.s);
	if (rc) {
		session_forget(&x.s);
		return weft_err_sys(err, -rc, "cannot attach to process %d", (int)pid);
	}
	x.rc = find_functions(&x);
	if (x.rc == 0) {
		rc = tracer_start(&tracer);
		if (rc)
			x.rc = weft_err_sys(err, -rc, "cannot attach to process %d", (int)pid);
		else
			tracer_join(&tracer);
	}
	session_forget(&x.s);
	return x.rc;
}
