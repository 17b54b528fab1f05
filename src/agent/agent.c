/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The agent's begin and end. Loaded by LD_PRELOAD, it connects to the controller of the folder that
 * the environment names, before main, and lets the program begin when the controller has said so
 * (or is gone, or takes too long); without that name, or where the folder is gone or another user's
 * (link_folder.h), it does nothing at all. Injected into a running process, it is told the folder
 * by a call.
 *
 * Where the controller wants them, a child of fork() begins without patches and as a process of its
 * own; where libweft records, it keeps all of it, and no controller is needed. Children that were
 * made otherwise keep the code, count for themselves, and record nothing. exec brings a new agent
 * by the environment.
 */
#include "agent_priv.h"
#include <weft/record.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define CONNECT_MS 1000
#define WAIT_GO_NS 5000000000ll

struct agent agent = {.memory = -1, .socket = -1, .maps = -1, .wake = {-1, -1}};

struct link_clock agent_clock(void)
{
	struct timespec mono, real;
	clock_gettime(CLOCK_REALTIME, &real);
	clock_gettime(CLOCK_MONOTONIC, &mono);
	return (struct link_clock){__builtin_ia32_rdtsc(), (uint64_t)mono.tv_sec * 1000000000u + (uint64_t)mono.tv_nsec,
	                           (uint64_t)real.tv_sec * 1000000000u + (uint64_t)real.tv_nsec};
}

/* All signals but those that the agent itself makes are for the program's threads. */
static int start_thread(void)
{
	sigset_t most, old;
	sigfillset(&most);
	sigdelset(&most, SIGTRAP);
	sigdelset(&most, SIGSEGV);
	sigdelset(&most, SIGBUS);
	pthread_attr_t attr;
	pthread_t thread;
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, 256 * 1024);
	pthread_sigmask(SIG_SETMASK, &most, &old);
	int rc = pthread_create(&thread, &attr, agent_command_main, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	return -rc;
}

static void close_all(void)
{
	int *fds[] = {&agent.socket, &agent.wake[0], &agent.wake[1]};
	for (size_t k = 0; k < sizeof fds / sizeof *fds; k++) {
		if (*fds[k] >= 0)
			close(*fds[k]);
		*fds[k] = -1;
	}
}

/*
 * What a thread's events may take, where somebody says so: a power of two of KB, as what lies in a
 * page must not be another ring's.
 */
static uint32_t ring_bytes_wanted(void)
{
	const char *text = secure_getenv(LINK_ENVIRONMENT_RING);
	unsigned long long kilobytes = text ? strtoull(text, NULL, 10) : 0;
	uint32_t bytes = AGENT_RING_BYTES;
	while (text && bytes > AGENT_RING_LEAST && bytes / 1024 > kilobytes)
		bytes /= 2;
	return bytes;
}

int agent_begin(const char *path, bool attached)
{
	/* What a child has inherited from one that recorded is in nobody's books. */
	if (agent_patches())
		agent_patch_undo(false);
	agent.pid = (uint32_t)getpid();
	agent.ring_bytes = agent.rings ? agent.ring_bytes : ring_bytes_wanted();
	if (strlen(path) >= sizeof agent.path)
		return -ENAMETOOLONG;
	memmove(agent.path, path, strlen(path) + 1);
	for (uint32_t k = 0; k < LINK_SITES; k++)
		agent.site[k].id = k;
	weft_store_u32(&agent.go, 0);
	agent.known = false;
	agent.socket = link_connect(path, CONNECT_MS, &agent.secret);
	if (agent.socket < 0)
		return agent.socket;
	int rc = pipe2(agent.wake, O_CLOEXEC | O_NONBLOCK) ? -errno : 0;
	for (unsigned k = 0; k < 2; k++)
		agent.wake[k] = weft_fd_high(agent.wake[k]);
	if (rc == 0)
		rc = agent_patch_init();
	if (rc == 0)
		rc = agent_thread_init();
	if (rc == 0)
		rc = agent_signal_ensure(true);
	if (rc == 0)
		rc = agent_send_hello(attached);
	if (rc == 0)
		rc = start_thread();
	if (rc)
		close_all();
	return rc;
}

static void wait_go(void)
{
	struct timespec most = {WAIT_GO_NS / 1000000000, WAIT_GO_NS % 1000000000};
	while (weft_load_u32(&agent.go) == 0)
		if (syscall(SYS_futex, &agent.go, FUTEX_WAIT_PRIVATE, 0, &most, NULL, 0) && errno == ETIMEDOUT)
			break;
}

static void fork_child(void)
{
	if (agent_record_goes_on()) {
		agent_thread_forked();
		close_all();
		return;
	}
	if (agent.socket < 0)
		return;
	/* The code is ours alone now, and no other thread is in it. */
	agent_patch_init();
	agent_patch_undo(true);
	for (uint32_t k = 0; k < LINK_SITES; k++)
		for (int when = 0; when < LINK_WHENS; when++) {
			weft_store_ptr(&agent.site[k].program[when], NULL);
			weft_store_ptr(&agent.site[k].action[when], NULL);
		}
	agent_thread_forked();
	close_all();
	if (!weft_load_u32(&agent.alone))
		agent_begin(agent.path, false);
}

/* For a controller that has loaded the agent into this process. 0 or a negative errno value. */
WEFT_PUBLIC int weft_agent_attach(const char *path);
int weft_agent_attach(const char *path)
{
	return agent.socket >= 0 ? -EALREADY : agent_begin(path, true);
}

/*
 * Capabilities are a thread's own: a program that keeps some while it becomes another user (setpriv) keeps its first thread's. The C
 * library tells all threads to change their user, and ends a process in which one may not: ours. So there is none in such a program;
 * what it executes is watched.
 */
static bool keeps_capabilities(void)
{
	return geteuid() == 0 && (dlsym(RTLD_DEFAULT, "capng_apply") || dlsym(RTLD_DEFAULT, "cap_set_proc"));
}

__attribute__((constructor)) static void agent_construct(void)
{
	pthread_atfork(NULL, NULL, fork_child);
	const char *path = secure_getenv(LINK_ENVIRONMENT);
	int kept = errno;
	if (path && *path && !keeps_capabilities() && agent_begin(path, false) == 0)
		wait_go();
	/*
	 * What this program becomes, or makes by exec, is not to look for a controller that does
	 * not want it. Nobody else runs yet.
	 */
	if (weft_load_u32(&agent.alone))
		unsetenv(LINK_ENVIRONMENT);
	errno = kept;
}
