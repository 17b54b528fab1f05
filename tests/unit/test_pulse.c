/* SPDX-License-Identifier: Apache-2.0 */
/* The channel: samples at a rate, commands, clients that do not read, folders that are not ours, forks, ends. */
#include "harness.h"
#include "pulse/pulse.h"
#include "pulse/pulse_read.h"
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int turned; /* what the source was commanded */
static int looked; /* by the channel's thread: how often somebody began, less how often the last went */

static void watched(bool on)
{
	__atomic_add_fetch(&looked, on ? 1 : -1, __ATOMIC_SEQ_CST);
}

static void sample(struct weft_json *j)
{
	weft_json_key(j, "turned");
	weft_json_i64(j, __atomic_load_n(&turned, __ATOMIC_SEQ_CST));
	weft_json_key(j, "text");
	weft_json_string(j, "a \"b\"\n\t\\ \xc3\xa9");
}

static int command(char *line, struct weft_json *answer, struct weft_err *err)
{
	if (strncmp(line, "turn ", 5))
		return weft_err_set(err, -EINVAL, "unknown: %s", line);
	weft_json_key(answer, "was");
	weft_json_i64(answer, __atomic_load_n(&turned, __ATOMIC_SEQ_CST));
	__atomic_store_n(&turned, atoi(line + 5), __ATOMIC_SEQ_CST);
	return 0;
}

static const struct pulse_source source = {.kind = "test", .watched = watched, .sample = sample, .command = command};
static char folder[64];

static void begin(void)
{
	struct weft_err err = {0};
	strcpy(folder, "/tmp/weft-test-live-XXXXXX");
	REQUIRE(mkdtemp(folder) != NULL);
	setenv("WEFT_LIVE", folder, 1);
	__atomic_store_n(&turned, 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&looked, 0, __ATOMIC_SEQ_CST);
	REQUIRE(pulse_serve(&source, &err) == 0);
}

static void end(void)
{
	pulse_end();
	CHECK(rmdir(folder) == 0); /* nothing is left in it */
}

static int look(void)
{
	struct pulse_peer *peers;
	struct weft_err err = {0};
	int n = pulse_list(&peers, &err);
	REQUIRE(n == 1);
	CHECK_I64(peers[0].pid, getpid());
	CHECK_STR(peers[0].kind, "test");
	int fd = pulse_connect(&peers[0], &err);
	free(peers);
	return fd;
}

static void say(int fd, const char *line)
{
	CHECK(send(fd, line, strlen(line), MSG_NOSIGNAL) == (ssize_t)strlen(line));
}

/* The next line, as a tree of the arena. */
static const struct pulse_value *hear(int fd, struct weft_arena *arena)
{
	static char line[65536];
	struct weft_err err = {0};
	struct pulse_value *v;
	size_t n = 0;
	while (n < sizeof line && recv(fd, line + n, 1, 0) == 1 && line[n] != '\n')
		n++;
	REQUIRE(n > 0 && pulse_read(line, n, arena, &v, &err) == 0);
	return v;
}

static bool hear_done(int fd)
{
	struct weft_arena arena = {0};
	const struct pulse_value *v, *done;
	do
		v = hear(fd, &arena);
	while (!(done = pulse_get(v, "done")));
	bool is = done->truth;
	weft_arena_fini(&arena);
	return is;
}

static void wait_until(int *word, int value)
{
	while (__atomic_load_n(word, __ATOMIC_SEQ_CST) != value)
		poll(NULL, 0, 1);
}

TEST(samples_come_at_the_rate_asked_for)
{
	begin();
	struct weft_arena arena = {0};
	int fd = look();
	say(fd, "watch 500\n");
	CHECK(hear_done(fd));
	CHECK_I64(__atomic_load_n(&looked, __ATOMIC_SEQ_CST), 1);
	double last = -1;
	for (int i = 0; i < 20; i++) {
		const struct pulse_value *v = hear(fd, &arena);
		CHECK_I64((long long)pulse_number(v, "sample", -1), i);
		CHECK_STR(pulse_text(v, "text", ""), "a \"b\"\n\t\\ \xc3\xa9");
		CHECK(pulse_number(v, "time_s", -1) > last);
		last = pulse_number(v, "time_s", -1);
	}
	CHECK(last >= 19 * 0.001); /* nobody is faster than asked for, whoever is slower */
	say(fd, "watch 0\n");
	CHECK(hear_done(fd));
	CHECK_I64(__atomic_load_n(&looked, __ATOMIC_SEQ_CST), 0);
	close(fd);
	weft_arena_fini(&arena);
	end();
}

TEST(commands_are_answered_in_order)
{
	begin();
	int fd = look();
	say(fd, "turn 5\nnonsense\nwatch much\nwatch -1\nwatch 1e9\nturn 7\n");
	CHECK(hear_done(fd));
	CHECK(!hear_done(fd));
	CHECK(!hear_done(fd));
	CHECK(!hear_done(fd));
	CHECK(!hear_done(fd));
	CHECK(hear_done(fd));
	CHECK_I64(__atomic_load_n(&turned, __ATOMIC_SEQ_CST), 7);
	say(fd, "tu");
	say(fd, "rn 9\n"); /* in parts */
	CHECK(hear_done(fd));
	CHECK_I64(__atomic_load_n(&turned, __ATOMIC_SEQ_CST), 9);
	close(fd);
	end();
}

TEST(what_is_worth_a_look_is_seen_at_once_by_those_who_want_that)
{
	begin();
	struct weft_arena arena = {0};
	int fd = look(), other = look();
	say(fd, "watch 0.001 each\n"); /* the next one would be due in a thousand seconds */
	say(other, "watch 0.001\nturn 5\n");
	CHECK(hear_done(fd));
	CHECK(hear_done(other));
	const struct pulse_value *v = hear(other, &arena);
	while (!pulse_get(v, "done"))
		v = hear(other, &arena);
	CHECK_I64((long long)pulse_number(v, "was", -1), 0); /* what the source adds to an answer */
	CHECK_I64((long long)pulse_number(hear(fd, &arena), "sample", -1), 0);
	double last = 0;
	for (int i = 1; i < 5; i++) {
		pulse_poke();
		v = hear(fd, &arena);
		CHECK_I64((long long)pulse_number(v, "sample", -1), i);
		CHECK(pulse_number(v, "at_ns", 0) - last >= 1e6); /* not more often than anybody could ask for */
		last = pulse_number(v, "at_ns", 0);
	}
	pulse_end();
	v = hear(fd, &arena); /* the last of it */
	CHECK_I64((long long)pulse_number(v, "sample", -1), 5);
	CHECK_I64((long long)pulse_number(v, "turned", -1), 5);
	char byte;
	while (recv(other, &byte, 1, 0) == 1)
		CHECK(byte != '\0');
	close(fd);
	close(other);
	weft_arena_fini(&arena);
	end();
}

TEST(who_does_not_read_holds_nothing_up)
{
	begin();
	int deaf = look(), fd = look();
	say(deaf, "watch 1000\n");
	say(fd, "watch 200\n");
	CHECK(hear_done(fd));
	struct weft_arena arena = {0};
	for (int i = 0; i < 100; i++)
		hear(fd, &arena);
	weft_arena_fini(&arena);
	close(deaf);
	close(fd);
	wait_until(&looked, 0);
	end();
}

TEST(a_line_without_end_and_a_crowd_are_turned_away)
{
	begin();
	int fd[PULSE_CLIENTS + 1], refused;
	char byte, much[2 * PULSE_LINE];
	for (int i = 0; i < PULSE_CLIENTS; i++) {
		fd[i] = look();
		say(fd[i], "turn 1\n");
		CHECK(hear_done(fd[i]));
	}
	struct pulse_peer peer = {.pid = getpid(), .kind = "test"};
	struct weft_err err = {0};
	refused = pulse_connect(&peer, &err);
	CHECK(recv(refused, &byte, 1, 0) <= 0);
	close(refused);
	memset(much, 'x', sizeof much);
	CHECK(send(fd[0], much, sizeof much, MSG_NOSIGNAL) > 0);
	CHECK(recv(fd[0], &byte, 1, 0) <= 0);
	for (int i = 0; i < PULSE_CLIENTS; i++)
		close(fd[i]);
	end();
}

TEST(a_child_of_fork_has_no_channel_and_takes_none_away)
{
	begin();
	int ends[2], lives[2], status;
	char byte = 0;
	REQUIRE(pipe(ends) == 0 && pipe(lives) == 0);
	pid_t child = fork();
	if (child == 0) {
		struct weft_err err = {0};
		bool wrong = pulse_is_served();
		pulse_end();
#ifndef __SANITIZE_THREAD__
		/* One of its own. (That sanitizer ends whoever makes a thread in such a child.) */
		wrong |= pulse_serve(&source, &err) != 0;
		wrong |= !pulse_is_served();
		pulse_end();
#endif
		(void)err;
		_exit(wrong);
	}
	CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
	close(look());
	child = fork(); /* one that lives on does not keep the parent's channel open */
	if (child == 0) {
		close(ends[1]);
		_exit(write(lives[1], &byte, 1) != 1 || read(ends[0], &byte, 1) < 0);
	}
	CHECK(read(lives[0], &byte, 1) == 1); /* it has come back from fork, which is when it lets go */
	struct pulse_peer peer = {.pid = getpid(), .kind = "test"}, *peers;
	struct weft_err err = {0};
	char name[160], hidden[160];
	snprintf(name, sizeof name, "%s/%d-test", folder, (int)getpid());
	snprintf(hidden, sizeof hidden, "%s/kept", folder);
	CHECK(link(name, hidden) == 0);
	pulse_end();
	CHECK(rename(hidden, name) == 0); /* as one that died without taking it away */
	CHECK(pulse_connect(&peer, &err) < 0);
	CHECK_I64(pulse_list(&peers, &err), 0); /* which takes it away */
	CHECK(access(name, F_OK) != 0);
	close(ends[1]);
	CHECK(waitpid(child, &status, 0) == child);
	close(ends[0]);
	close(lives[0]);
	close(lives[1]);
	CHECK(rmdir(folder) == 0);
}

TEST(a_folder_of_others_is_not_used)
{
	struct weft_err err = {0};
	char path[96];
	strcpy(folder, "/tmp/weft-test-live-XXXXXX");
	REQUIRE(mkdtemp(folder) != NULL);
	setenv("WEFT_LIVE", folder, 1);
	CHECK(chmod(folder, 0755) == 0);
	CHECK_I64(pulse_serve(&source, &err), -EPERM);
	CHECK(strstr(err.text, folder) != NULL);
	CHECK(chmod(folder, 0700) == 0);
	snprintf(path, sizeof path, "%s-link", folder);
	CHECK(symlink(folder, path) == 0);
	setenv("WEFT_LIVE", path, 1);
	err = (struct weft_err){0};
	CHECK(pulse_serve(&source, &err) < 0);
	setenv("WEFT_LIVE", "somewhere", 1);
	err = (struct weft_err){0};
	CHECK_I64(pulse_serve(&source, &err), -EINVAL);
	setenv("WEFT_LIVE", "off", 1);
	err = (struct weft_err){0};
	CHECK_I64(pulse_serve(&source, &err), -ENOTSUP);
	if (geteuid() == 0) { /* another user's, with the right mode */
		setenv("WEFT_LIVE", folder, 1);
		CHECK(chown(folder, 65534, 65534) == 0);
		err = (struct weft_err){0};
		CHECK_I64(pulse_serve(&source, &err), -EPERM);
	}
	CHECK(!pulse_is_served());
	unlink(path);
	rmdir(folder);
}
