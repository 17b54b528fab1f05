/* SPDX-License-Identifier: Apache-2.0 */
/* progress.c: silent where nobody looks, and on a terminal a bar that comes late, seldom, and goes. */
#include "harness.h"
#include "base/clock.h"
#include "base/pool.h"
#include "base/progress.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

/* stderr as `fd` while `work` runs, in a child: what was written can be read from the other side. */
static int run_with_stderr(int fd, const char *term, void (*work)(void))
{
	pid_t child = fork();
	if (child == 0) {
		dup2(fd, STDERR_FILENO);
		setenv("TERM", term, 1);
		work();
		_exit(0);
	}
	int status = -1;
	if (child > 0)
		waitpid(child, &status, 0);
	return status;
}

/* A terminal of our own: master and slave, raw, so that bytes arrive as they were written. */
static void open_terminal(int *master, int *slave)
{
	*master = posix_openpt(O_RDWR | O_NOCTTY);
	if (*master < 0 || grantpt(*master) || unlockpt(*master))
		SKIP("no pseudo-terminal here");
	*slave = open(ptsname(*master), O_RDWR | O_NOCTTY);
	if (*slave < 0)
		SKIP("no pseudo-terminal here");
	struct termios t;
	REQUIRE(tcgetattr(*slave, &t) == 0);
	cfmakeraw(&t);
	REQUIRE(tcsetattr(*slave, TCSANOW, &t) == 0);
	REQUIRE(fcntl(*master, F_SETFL, O_NONBLOCK) == 0);
}

/* What `work` says on a terminal of the kind `term`. */
static const char *shown(const char *term, void (*work)(void))
{
	static char text[16384];
	int master, slave;
	open_terminal(&master, &slave);
	CHECK_I64(run_with_stderr(slave, term, work), 0);
	size_t n = 0;
	for (ssize_t got; (got = read(master, text + n, sizeof text - 1 - n)) > 0;)
		n += (size_t)got;
	text[n] = '\0';
	close(slave);
	close(master);
	return text;
}

static unsigned count_of(const char *text, const char *what)
{
	unsigned n = 0;
	for (; (text = strstr(text, what)); text += strlen(what))
		n++;
	return n;
}

#define LONG_NS 500000000u /* what takes longer is shown */

/* At least 100 steps, as a busy machine may let none be in time. */
static void run_for(uint64_t total, uint64_t ns)
{
	struct weft_progress p;
	uint64_t from = weft_monotonic_ns(), done = 0, now = 0;
	weft_progress_begin(&p, "reading", total);
	for (unsigned i = 0; now < ns || i < 100; i++) {
		usleep(1000);
		now = weft_monotonic_ns() - from;
		uint64_t at = !total ? now / 1000000 : now < ns ? total * now / ns : total;
		weft_progress_step(&p, at - done);
		done = at;
	}
	weft_progress_end(&p);
}

static void work_long(void)
{
	run_for(1000, 900000000);
}

static void work_of_unknown_length(void)
{
	run_for(0, 750000000);
}

static void work_short(void)
{
	run_for(1000, 10000000);
}

TEST(progress_is_silent_without_a_terminal)
{
	int out[2];
	char c;
	REQUIRE(pipe(out) == 0);
	CHECK_I64(run_with_stderr(out[1], "xterm", work_long), 0);
	close(out[1]);
	CHECK_I64(read(out[0], &c, 1), 0);
	close(out[0]);
}

TEST(progress_is_silent_on_a_dumb_terminal)
{
	CHECK_STR(shown("dumb", work_long), "");
}

TEST(progress_of_short_work_is_never_shown)
{
	const char *text = "";
	/* A machine that stops for half a second makes it long. */
	for (int i = 0; i < 20; i++) {
		uint64_t from = weft_monotonic_ns();
		text = shown("xterm", work_short);
		if (weft_monotonic_ns() - from < LONG_NS)
			break;
	}
	CHECK_STR(text, "");
}

TEST(progress_is_drawn_and_wiped)
{
	static const char wipe[] = "\r\033[K";
	uint64_t from = weft_monotonic_ns();
	const char *text = shown("xterm", work_long);
	uint64_t rest_ns = weft_monotonic_ns() - from - LONG_NS;
	unsigned drawn = count_of(text, "reading");
	CHECK(drawn >= 1 && drawn <= 1 + rest_ns / 100000000); /* after 0.5 s, every 0.1 s */
	CHECK_U64(count_of(text, wipe), drawn + 1);
	CHECK(strncmp(text, "\r\033[Kreading  [", 14) == 0);
	CHECK(strstr(text, "] ") && strstr(text, " %") && strstr(text, " left"));
	REQUIRE(strlen(text) >= 4);
	CHECK_STR(text + strlen(text) - 4, wipe);
}

TEST(progress_of_unknown_length_counts)
{
	const char *text = shown("xterm", work_of_unknown_length);
	CHECK(count_of(text, "reading  ") >= 1);
	CHECK_U64(count_of(text, "%"), 0);
}

static int step_once(void *arg, size_t i, unsigned worker)
{
	(void)i, (void)worker;
	weft_progress_step(arg, 3);
	return 0;
}

TEST(progress_counts_from_many_threads)
{
	struct weft_progress p;
	weft_progress_begin(&p, "x", 0);
	CHECK_I64(weft_parallel(8, 10000, step_once, &p), 0);
	CHECK_U64(weft_load_u64(&p.done), 30000);
	weft_progress_end(&p);
}

TEST(progress_may_be_absent)
{
	weft_progress_step(NULL, 1);
}

/* What a thread begins is told to who asked for it, in place of the terminal; other threads' work is not. */
TEST(progress_is_told_elsewhere)
{
	struct weft_progress_seen seen = {0};
	struct weft_progress p, other;
	CHECK(weft_load_ptr(&seen.what) == NULL);
	weft_progress_tell(&seen);
	weft_progress_begin(&p, "reading", 100);
	weft_progress_step(&p, 30);
	weft_progress_step(&p, 12);
	CHECK_STR((const char *)weft_load_ptr(&seen.what), "reading");
	CHECK_U64(weft_load_u64(&seen.done), 42);
	CHECK_U64(weft_load_u64(&seen.total), 100);
	CHECK(!p.on);
	weft_progress_tell(NULL);
	weft_progress_begin(&other, "writing", 7);
	weft_progress_step(&other, 7);
	CHECK_U64(weft_load_u64(&seen.done), 42);
	weft_progress_end(&other);
	weft_progress_end(&p);
	CHECK(weft_load_ptr(&seen.what) == NULL);
}
