/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fence around the child: a filter of system calls that leaves it what arithmetic, memory and
 * its socket need. Everything else is a fault of the code that does it (SIGSYS, eval_child.c),
 * which is reported; the child then ends, since the interrupted code may have held locks or memory.
 * It may write to its standard output and error, since handlers written by hand do.
 *
 * It is set up twice, one filter on the other. What is loaded may run code of its own at once
 * (constructors of handlers written by hand, and of libraries that they need), so the first is
 * there before: beside the second's calls it lets files be opened to be read, and be mapped.
 *
 * Not under sanitizers, whose own code needs more; and where the kernel has no filters, limits of
 * resources are left.
 */
#include "eval_work.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#if defined __x86_64__
#define THIS_MACHINE AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define THIS_MACHINE AUDIT_ARCH_AARCH64
#endif

#if !defined THIS_MACHINE || defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
int eval_fence(bool loads)
{
	(void)loads;
	return -ENOSYS;
}
#else

enum { LOW_WORD = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0, MOST = 200 };

/*
 * Whatever their arguments. Sockets: there is the one that it has, and no call that makes another.
 */
static const int allowed[] =
	{
		SYS_sendto,         SYS_recvfrom,        SYS_exit,          SYS_exit_group,   SYS_rt_sigreturn,
		SYS_rt_sigprocmask, SYS_sigaltstack,     SYS_brk,           SYS_munmap,       SYS_mremap,
		SYS_madvise,        SYS_futex,           SYS_clock_gettime, SYS_gettimeofday, SYS_clock_getres,
		SYS_nanosleep,      SYS_clock_nanosleep, SYS_sched_yield,   SYS_getpid,       SYS_gettid,
		SYS_getrandom,      SYS_restart_syscall, SYS_sysinfo, /* qsort asks how much memory there is */
#ifdef SYS_time
		SYS_time,
#endif
};

/* During loading, too. The loader also makes calls that it does not need. */
static const int allowed_to_load[] = {
	SYS_read,     SYS_pread64, SYS_close, SYS_fstat,      SYS_newfstatat, SYS_lseek,        SYS_mmap,
	SYS_mprotect, SYS_getcwd,  SYS_uname, SYS_readlinkat, SYS_faccessat,  SYS_rt_sigaction, SYS_sched_getaffinity,
	SYS_prctl, /* of which only a further filter matters */
#ifdef SYS_readlink
	SYS_readlink,
#endif
#ifdef SYS_access
	SYS_access,
#endif
#ifdef SYS_stat
	SYS_stat,     SYS_lstat,
#endif
};

struct program {
	struct sock_filter at[MOST];
	unsigned short n;
};

static void add(struct program *p, struct sock_filter f)
{
	if (p->n < MOST)
		p->at[p->n++] = f;
}

static void load(struct program *p, size_t offset)
{
	add(p, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}

static void answer(struct program *p, uint32_t what)
{
	add(p, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, what));
}

static size_t argument(unsigned k)
{
	return offsetof(struct seccomp_data, args) + 8 * k + LOW_WORD;
}

/* When the call is this one: the following `n` instructions, else over them. */
static void only_for(struct program *p, int call, uint8_t n)
{
	add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, n));
}

/* A call with an argument that has none of the bits. */
static void allow_bits(struct program *p, int call, unsigned k, uint32_t none)
{
	only_for(p, call, 4);
	load(p, argument(k));
	add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, none, 1, 0));
	answer(p, SECCOMP_RET_ALLOW);
	answer(p, SECCOMP_RET_TRAP);
}

/* Private memory that is not executable. */
static void allow_mmap(struct program *p)
{
	only_for(p, SYS_mmap, 6);
	load(p, argument(2));
	add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 3, 0));
	load(p, argument(3));
	add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, MAP_ANONYMOUS, 0, 1));
	answer(p, SECCOMP_RET_ALLOW);
	answer(p, SECCOMP_RET_TRAP);
}

/*
 * Allowed on the standard streams only; or, with `result`, refused without a fault: stdio asks what
 * its streams are.
 */
static void allow_streams(struct program *p, int call, uint32_t result)
{
	only_for(p, call, 4);
	load(p, argument(0));
	add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, 2, 1, 0));
	answer(p, result);
	answer(p, SECCOMP_RET_TRAP);
}

static void allow_all(struct program *p, const int *call, size_t n)
{
	for (size_t k = 0; k < n; k++) {
		only_for(p, call[k], 1);
		answer(p, SECCOMP_RET_ALLOW);
	}
}

int eval_fence(bool loads)
{
	struct program p = {.n = 0};
	load(&p, offsetof(struct seccomp_data, arch));
	add(&p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, THIS_MACHINE, 1, 0));
	answer(&p, SECCOMP_RET_KILL_PROCESS);
	load(&p, offsetof(struct seccomp_data, nr));
	allow_all(&p, allowed, sizeof allowed / sizeof *allowed);
	if (loads) {
		allow_all(&p, allowed_to_load, sizeof allowed_to_load / sizeof *allowed_to_load);
		allow_bits(&p, SYS_openat, 2, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY));
	}
	allow_mmap(&p);
	allow_bits(&p, SYS_mprotect, 2, PROT_EXEC);
	allow_streams(&p, SYS_write, SECCOMP_RET_ALLOW);
	allow_streams(&p, SYS_writev, SECCOMP_RET_ALLOW);
	allow_streams(&p, SYS_fstat, SECCOMP_RET_ALLOW);
	allow_streams(&p, SYS_newfstatat, SECCOMP_RET_ALLOW);
	allow_streams(&p, SYS_ioctl, SECCOMP_RET_ERRNO | ENOTTY);
	answer(&p, SECCOMP_RET_TRAP);
	struct sock_fprog program = {.len = p.n, .filter = p.at};
	if (p.n == MOST || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0))
		return -errno;
	return 0;
}
#endif
