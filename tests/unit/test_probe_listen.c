/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who may connect to a controller, and whom an agent obeys: peers that are silent, many, another user's, without the secret, or that
 * become somebody else; libraries that another user could have written.
 */
#include "probe_program.h"
#include "base/clock.h"
#include "probe/probe_action.h"
#include "probe/probe_priv.h"
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/un.h>

enum { NOBODY = 65534, SILENT = 600 };

static char folder[PROBE_LISTEN_ROOM];

static struct probe_listener *listening(const struct probe_listen_how *how)
{
	struct probe_listener *l;
	struct weft_err err = {0};
	int rc = probe_listen(&l, how, &err);
	if (rc)
		printf("# %s\n", err.text);
	REQUIRE(rc == 0);
	snprintf(folder, sizeof folder, "%s", probe_listener_name(l));
	return l;
}

static void path_of(enum link_file file, char *out, size_t room)
{
	char name[LINK_FILE_ROOM];
	link_file_name(file, name);
	REQUIRE((size_t)snprintf(out, room, "%s/%s", folder, name) < room);
}

static int connect_raw(void)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	path_of(LINK_FILE_SOCKET, to.sun_path, sizeof to.sun_path);
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof to) == 0)
		return fd;
	close(fd);
	return -1;
}

/* As a good agent says it. */
static int say_hello(int fd, const unsigned char *token)
{
	static struct link_packet p;
	p.n = 0;
	p.full = false;
	struct link_hello *h = link_packet_add(&p, LINK_HELLO, 0, sizeof *h);
	*h = (struct link_hello){.version = LINK_VERSION, .ring_bytes = 65536, .n_rings = 2, .site_bytes = 64};
	strcpy(h->exe, "/bin/\033[31msomebody else");
	memcpy(h->token, token, sizeof h->token);
	int rings = memfd_create("rings", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	bool ok = rings >= 0 && ftruncate(rings, 131072) == 0 && fcntl(rings, F_ADD_SEALS, F_SEAL_SHRINK) == 0;
	int rc = ok ? link_packet_send(fd, &p, rings) : -errno;
	close(rings);
	return rc;
}

static bool is_closed(int fd)
{
	char byte;
	struct pollfd at = {fd, POLLIN, 0};
	return poll(&at, 1, 20000) == 1 && recv(fd, &byte, 1, 0) <= 0;
}

static unsigned entries(const char *path)
{
	int status;
	char *text = test_shell(&status, "ls -A '%s' 2>/dev/null | wc -l", path);
	unsigned n = (unsigned)atoi(text);
	free(text);
	return n;
}

/* ---- the folder ---- */

TEST(the_folder_is_ours_alone_and_gone_afterwards)
{
	struct stat st;
	char file[160];
	unsetenv("XDG_RUNTIME_DIR");
	struct probe_listener *l = listening(NULL);
	CHECK(strncmp(folder, "/tmp/weft-", 10) == 0);
	CHECK(stat(folder, &st) == 0 && st.st_uid == geteuid() && (st.st_mode & 07777) == 0700);
	path_of(LINK_FILE_SECRET, file, sizeof file);
	CHECK(stat(file, &st) == 0 && (st.st_mode & 07777) == 0600 && st.st_size == sizeof(struct link_secret));
	path_of(LINK_FILE_SOCKET, file, sizeof file);
	CHECK(stat(file, &st) == 0 && S_ISSOCK(st.st_mode) && (st.st_mode & 07777) == 0600);
	/* Nothing with a name that everybody can see and anybody can take. */
	int status;
	char *text = test_shell(&status, "grep -c '@weft-%d-' /proc/net/unix", (int)getpid());
	CHECK_STR(text, "0\n");
	free(text);
	probe_listener_free(l);
	CHECK(stat(folder, &st) && errno == ENOENT);
}

TEST(a_runtime_folder_is_used_where_it_is_safe)
{
	char own[64], planted[80];
	strcpy(own, "/tmp/weft-xdg-XXXXXX");
	REQUIRE(mkdtemp(own) != NULL);
	setenv("XDG_RUNTIME_DIR", own, 1);
	struct probe_listener *l = listening(NULL);
	CHECK(strncmp(folder, own, strlen(own)) == 0);
	probe_listener_free(l);
	CHECK_U64(entries(own), 0);
	/* Others may enter; a link; one that must do on other hosts, too. */
	REQUIRE(chmod(own, 0755) == 0);
	probe_listener_free(listening(NULL));
	CHECK(strncmp(folder, own, strlen(own)) != 0);
	REQUIRE(chmod(own, 0700) == 0);
	snprintf(planted, sizeof planted, "%s-link", own);
	REQUIRE(symlink(own, planted) == 0);
	setenv("XDG_RUNTIME_DIR", planted, 1);
	probe_listener_free(listening(NULL));
	CHECK(strncmp(folder, planted, strlen(planted)) != 0);
	unlink(planted);
	setenv("XDG_RUNTIME_DIR", own, 1);
	probe_listener_free(listening(&(struct probe_listen_how){.everywhere = true}));
	CHECK(strncmp(folder, "/tmp/weft-", 10) == 0 && strncmp(folder, own, strlen(own)) != 0);
	unsetenv("XDG_RUNTIME_DIR");
	rmdir(own);
}

/* The name that another host of the run has made: here somebody has put something there before us. */
static void leave_folder(char *path, size_t room, const char *place, const char *digits)
{
	static const char *const files[] = {"socket-1", "secret-1", "unwatched-77"};
	char file[2 * PROBE_LISTEN_ROOM];
	snprintf(path, room, "%s/weft-%s", place, digits);
	REQUIRE(mkdir(path, 0700) == 0);
	for (unsigned i = 0; i < 3; i++) {
		snprintf(file, sizeof file, "%s/%s", path, files[i]);
		int fd = open(file, O_WRONLY | O_CREAT, 0600);
		REQUIRE(fd >= 0);
		close(fd);
	}
}

TEST(folders_of_dead_controllers_are_swept)
{
	char place[PROBE_LISTEN_ROOM], dead[PROBE_LISTEN_ROOM + 40], held[PROBE_LISTEN_ROOM + 40], kept[PROBE_LISTEN_ROOM + 40],
		odd[PROBE_LISTEN_ROOM + 40];
	char target[PROBE_LISTEN_ROOM + 40], link[PROBE_LISTEN_ROOM + 40], file[PROBE_LISTEN_ROOM + 80];
	snprintf(place, sizeof place, "%s/run", test_dir());
	REQUIRE(mkdir(place, 0700) == 0);
	leave_folder(dead, sizeof dead, place, "00000000000000000000dead");
	leave_folder(held, sizeof held, place, "000000000000000000001ead");
	leave_folder(kept, sizeof kept, place, "000000000000000000002ead");
	leave_folder(odd, sizeof odd, place, "notours");
	snprintf(target, sizeof target, "%s/target", test_dir());
	REQUIRE(mkdir(target, 0700) == 0);
	snprintf(file, sizeof file, "%s/secret-1", target);
	close(open(file, O_WRONLY | O_CREAT, 0600));
	snprintf(link, sizeof link, "%s/weft-000000000000000000003ead", place);
	REQUIRE(symlink(target, link) == 0);
	/* In one that is kept, something of somebody; in its files' place a link. */
	char other[PROBE_LISTEN_ROOM + 80];
	snprintf(other, sizeof other, "%s/diary", kept);
	close(open(other, O_WRONLY | O_CREAT, 0600));
	int lock = open(held, O_RDONLY | O_DIRECTORY);
	REQUIRE(lock >= 0 && flock(lock, LOCK_SH) == 0);
	CHECK_U64(probe_sweep(place, 3600), 0);
	CHECK(access(dead, F_OK) == 0);
	CHECK_U64(probe_sweep(place, 0), 1);
	CHECK(access(dead, F_OK) != 0);
	CHECK(access(held, F_OK) == 0 && entries(held) == 3);
	CHECK(access(other, F_OK) == 0);
	CHECK(entries(odd) == 3);
	CHECK(access(file, F_OK) == 0);
	close(lock);
	CHECK_U64(probe_sweep(place, 0), 1);
	CHECK(access(held, F_OK) != 0);
}

TEST(a_live_controllers_folder_is_not_swept)
{
	char place[PROBE_LISTEN_ROOM];
	snprintf(place, sizeof place, "%s/run", test_dir());
	REQUIRE(mkdir(place, 0700) == 0 && setenv("XDG_RUNTIME_DIR", place, 1) == 0);
	struct probe_listener *l = listening(NULL);
	unsetenv("XDG_RUNTIME_DIR");
	REQUIRE(strncmp(folder, place, strlen(place)) == 0);
	CHECK_U64(probe_sweep(place, 0), 0);
	CHECK(access(folder, F_OK) == 0);
	CHECK(entries(folder) == 2);
	probe_listener_free(l);
	CHECK(access(folder, F_OK) != 0);
}

TEST(a_folder_that_was_planted_is_refused)
{
	struct probe_listener *l;
	struct weft_err err = {0};
	struct stat st;
	char there[64], planted[80];
	strcpy(there, "/tmp/weft-planted-XXXXXX");
	REQUIRE(mkdtemp(there) != NULL);
	snprintf(planted, sizeof planted, "%s-link", there);
	REQUIRE(symlink(there, planted) == 0);
	CHECK(probe_listen(&l, &(struct probe_listen_how){.folder = planted}, &err) < 0 && !l);
	CHECK(strstr(err.text, "cannot make the folder") != NULL);
	CHECK(lstat(planted, &st) == 0);
	unlink(planted);
	REQUIRE(chmod(there, 0755) == 0);
	CHECK_I64(probe_listen(&l, &(struct probe_listen_how){.folder = there}, &err), -EPERM);
	if (geteuid() == 0) {
		REQUIRE(chmod(there, 0700) == 0 && chown(there, NOBODY, NOBODY) == 0);
		CHECK_I64(probe_listen(&l, &(struct probe_listen_how){.folder = there}, &err), -EPERM);
	}
	CHECK_U64(entries(there), 0);
	REQUIRE(rmdir(there) == 0);
	/* Its own is made, and gone afterwards. */
	REQUIRE(probe_listen(&l, &(struct probe_listen_how){.folder = there}, &err) == 0);
	CHECK(stat(there, &st) == 0 && (st.st_mode & 07777) == 0700);
	probe_listener_free(l);
	CHECK(stat(there, &st) && errno == ENOENT);
	CHECK(probe_listen(&l, &(struct probe_listen_how){.folder = "@weft"}, &err) < 0);
}

/* ---- who connects ---- */

TEST(who_knows_the_secret_is_taken_on)
{
	struct probe_session *s;
	struct weft_err err = {0};
	struct link_secret secret;
	char self[4200] = "";
	struct probe_listener *l = listening(NULL);
	int fd = link_connect(folder, 1000, &secret);
	REQUIRE(fd >= 0 && say_hello(fd, secret.agent) == 0);
	REQUIRE(probe_accept(l, 20000, &s, &err) == 0);
	/* What it says of itself counts for nothing. */
	REQUIRE(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
	CHECK_STR(probe_hello(s)->exe, self);
	CHECK_I64(probe_pid(s), getpid());
	static struct link_packet p;
	uint32_t pos = 0;
	REQUIRE(link_packet_receive(fd, &p, 20000, NULL) == 1);
	struct link_head *h = link_packet_next(&p, &pos);
	REQUIRE(h && h->kind == LINK_HELLO && h->bytes == LINK_TOKEN_BYTES);
	CHECK(link_token_equal(link_payload(h), secret.controller));
	CHECK(!link_token_equal(secret.agent, secret.controller));
	probe_abandon(s);
	close(fd);
	/* Without it, or with what the controller shows, nobody is. */
	fd = connect_raw();
	REQUIRE(fd >= 0 && say_hello(fd, secret.controller) == 0);
	CHECK_I64(probe_accept(l, 20000, &s, &err), -EPERM);
	CHECK(strstr(err.text, "does not know the run's secret") != NULL);
	CHECK(is_closed(fd));
	close(fd);
	CHECK_U64(probe_refused(l)->unfit, 1);
	probe_listener_free(l);
}

/* Each of them cost two seconds, one after the other. */
TEST(silent_peers_hold_nobody_up)
{
	struct probe_session *s = NULL;
	struct weft_err err = {0};
	struct link_secret secret;
	struct rlimit most;
	int fd[SILENT];
	REQUIRE(getrlimit(RLIMIT_NOFILE, &most) == 0);
	most.rlim_cur = most.rlim_max < 4096 ? most.rlim_max : 4096;
	if (most.rlim_cur < 4096 || setrlimit(RLIMIT_NOFILE, &most))
		SKIP("not enough descriptors");
	struct probe_listener *l = listening(NULL);
	uint64_t before = weft_monotonic_ns();
	for (unsigned k = 0; k < SILENT; k++)
		while ((fd[k] = connect_raw()) < 0)
			CHECK_I64(probe_accept(l, 0, &s, &err), -ETIMEDOUT);
	int good = -EAGAIN;
	for (int k = 0; k < 50 && good < 0; k++) {
		CHECK_I64(probe_accept(l, 0, &s, &err), -ETIMEDOUT);
		good = link_connect(folder, 1000, &secret);
	}
	REQUIRE(good >= 0 && say_hello(good, secret.agent) == 0);
	CHECK_I64(probe_accept(l, 20000, &s, &err), 0);
	/* 1,200 s before. */
	CHECK(weft_monotonic_ns() - before < UINT64_C(30000000000));
	CHECK(probe_refused(l)->silent >= SILENT - 200);
	probe_abandon(s);
	for (unsigned k = 0; k < SILENT; k++)
		close(fd[k]);
	close(good);
	probe_listener_free(l);
}

/* Another user's, who has come past the folder: closed before anything of it is read. */
TEST(another_user_is_closed_at_once)
{
	struct probe_session *s;
	struct weft_err err = {0};
	struct link_secret secret;
	char file[160];
	int said[2], closed = 0;
	if (geteuid() != 0)
		SKIP("needs a second user");
	struct probe_listener *l = listening(NULL);
	int dir = link_folder_open(folder);
	REQUIRE(dir >= 0 && link_secret_read(dir, &secret) == 0);
	close(dir);
	path_of(LINK_FILE_SOCKET, file, sizeof file);
	REQUIRE(chmod(folder, 0711) == 0 && chmod(file, 0666) == 0 && pipe2(said, O_CLOEXEC) == 0);
	pid_t pid = fork();
	REQUIRE(pid >= 0);
	if (pid == 0) { /* which even knows the secret */
		int fd = setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY) ? -1 : connect_raw();
		int ok = fd >= 0 && say_hello(fd, secret.agent) == 0 && write(said[1], "c", 1) == 1 && is_closed(fd);
		_exit(ok ? 0 : 1);
	}
	CHECK(read(said[0], file, 1) == 1);
	CHECK_I64(probe_accept(l, 500, &s, &err), -ETIMEDOUT);
	waitpid(pid, &closed, 0);
	CHECK_I64(closed, 0);
	CHECK_U64(probe_refused(l)->foreign, 1);
	close(said[0]);
	close(said[1]);
	probe_listener_free(l);
}

/* Root's run takes on the processes of the user that it was asked for, and root's own no more. */
TEST(root_for_another_user_takes_on_that_user_only)
{
	struct probe_session *s;
	struct weft_err err = {0};
	struct link_secret secret;
	int status = 0, until[2];
	if (geteuid() != 0)
		SKIP("needs a second user");
	struct probe_listener *l = listening(&(struct probe_listen_how){.other = true, .uid = NOBODY});
	int own = link_connect(folder, 1000, &secret);
	CHECK_I64(own, -EPERM); /* a secret that another user owns is not root's to believe */
	own = connect_raw();
	REQUIRE(own >= 0 && pipe2(until, O_CLOEXEC) == 0);
	pid_t pid = fork();
	REQUIRE(pid >= 0);
	if (pid == 0) {
		char byte;
		close(until[1]);
		int fd = setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY)
		                 ? -1
		                 : link_connect(folder, 1000, &secret);
		_exit(fd >= 0 && say_hello(fd, secret.agent) == 0 && read(until[0], &byte, 1) == 0 ? 0 : 1);
	}
	close(until[0]);
	int rc = probe_accept(l, 20000, &s, &err);
	if (rc)
		printf("# %s\n", err.text);
	CHECK_I64(rc, 0);
	if (rc == 0)
		CHECK_I64(probe_pid(s), pid);
	CHECK(is_closed(own));
	CHECK_U64(probe_refused(l)->foreign, 1);
	close(until[1]);
	waitpid(pid, &status, 0);
	CHECK_I64(status, 0);
	if (rc == 0)
		probe_abandon(s);
	close(own);
	probe_listener_free(l);
}

/* ---- who somebody becomes ---- */

static uint64_t word = 1;

/* A process that has connected and then does as it is told: 'u' takes another user, 'x' becomes another program, 'e' ends. */
static pid_t peer(struct probe_listener *l, int *tell, int *told, struct probe_session **s)
{
	struct weft_err err = {0};
	struct link_secret secret;
	int in[2], out[2];
	REQUIRE(pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0);
	pid_t pid = fork();
	REQUIRE(pid >= 0);
	if (pid == 0) {
		char c = 0;
		int fd = link_connect(folder, 1000, &secret);
		if (fd < 0 || say_hello(fd, secret.agent))
			_exit(1);
		fcntl(fd, F_SETFD, 0); /* so that the end of the socket says nothing */
		close(in[1]);
		while (read(in[0], &c, 1) == 1) {
			if (c == 'u' && setresuid(NOBODY, 0, 0))
				_exit(1);
			if (c == 'x') {
				dup2(in[0], 0);
				dup2(out[1], 1);
				execl("/bin/sh", "sh", "-c", "printf d; read line", (char *)NULL);
			}
			if (write(out[1], "d", 1) != 1)
				_exit(1);
		}
		_exit(0);
	}
	close(in[0]);
	close(out[1]);
	REQUIRE(probe_accept(l, 20000, s, &err) == 0);
	REQUIRE(probe_pid(*s) == pid);
	*tell = in[1];
	*told = out[0];
	return pid;
}

static void tell(int to, int from, char c)
{
	REQUIRE(write(to, &c, 1) == 1 && read(from, &c, 1) == 1);
}

TEST(a_process_that_becomes_another_is_not_touched)
{
	struct probe_session *s;
	uint64_t value = 0;
	int to, from;
	struct probe_listener *l = listening(NULL);
	pid_t pid = peer(l, &to, &from, &s);
	REQUIRE(s->peer != NULL);
	if (s->peer->memory < 0)
		SKIP("memory of other processes may not be read");
	CHECK(process_read(s, (uint64_t)&word, &value, sizeof value) == 0 && value == 1);
	CHECK_I64(process_read_map(s), 0);
	/* Another program in the same process, whose memory is another one: nothing of it is read or written. */
	tell(to, from, 'x');
	CHECK(process_read(s, (uint64_t)&word, &value, sizeof value) < 0);
	CHECK(pwrite(s->peer->memory, &value, sizeof value, (off_t)&word) <= 0);
	close(to);
	waitpid(pid, NULL, 0);
	/* Ended: whoever gets its number now is not looked at. */
	CHECK_I64(peer_check(s->peer), -ESRCH);
	CHECK(process_read_map(s) < 0);
	close(from);
	probe_abandon(s);
	probe_listener_free(l);
}

TEST(a_process_that_takes_other_rights_is_not_touched)
{
	struct probe_session *s;
	uint64_t value = 0;
	int to, from;
	uid_t uid;
	if (geteuid() != 0)
		SKIP("needs a second user");
	struct probe_listener *l = listening(NULL);
	pid_t pid = peer(l, &to, &from, &s);
	CHECK_I64(peer_check(s->peer), 0);
	CHECK_I64(probe_may_attach(pid, &uid, NULL), 0);
	CHECK_U64(uid, 0);
	tell(to, from, 'u');
	CHECK_I64(peer_check(s->peer), -EPERM);
	CHECK_I64(process_read_map(s), -EPERM);
	struct iovec range = {&word, sizeof word};
	CHECK_I64(process_read_ranges(s, &range, 1, &value, sizeof value), -EPERM);
	struct link_patch patch = {.addr = 4096, .n = 1};
	struct weft_err err = {0};
	CHECK_I64(site_exchange(s, &patch, 1, &err), -EPERM);
	/* Nor is a process of two users attached to. */
	CHECK_I64(probe_may_attach(pid, &uid, NULL), -EPERM);
	close(to);
	waitpid(pid, NULL, 0);
	close(from);
	probe_abandon(s);
	probe_listener_free(l);
}

/* ---- whom an agent obeys ---- */

static bool exists(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0;
}

/* A library that leaves a file where it is loaded. */
static void make_library(char *path, size_t room, const char *name, const char *mark)
{
	int status;
	snprintf(path, room, "%s/%s", test_dir(), name);
	free(test_shell(
		&status,
		"printf '#include <fcntl.h>\\n__attribute__((constructor)) static void run(void) { creat(MARK, 0600); }' | "
		"gcc -w -shared -fPIC -DMARK='\"%s\"' -x c -o %s - 2>&1",
		mark, path));
	REQUIRE(status == 0);
}

/* Somebody has taken the place of the controller, in the folder, and is the same user, but knows no secret. */
TEST(an_agent_obeys_nobody_without_the_secret)
{
	static struct link_packet p;
	struct link_secret secret;
	char target[4200], library[4200], mark[4200], file[160];
	int out[2], status = 0, in[2];
	program_needs_agent();
	program_compile("gcc -O2 -pie -fPIE", target, sizeof target);
	snprintf(mark, sizeof mark, "%s/mark", test_dir());
	make_library(library, sizeof library, "libevil.so", mark);
	struct probe_listener *l = listening(NULL);
	/* The socket is not the listener's any more. */
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	path_of(LINK_FILE_SOCKET, file, sizeof file);
	REQUIRE(unlink(file) == 0);
	REQUIRE((size_t)snprintf(at.sun_path, sizeof at.sun_path, "%s", file) < sizeof at.sun_path);
	int fake = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	REQUIRE(bind(fake, (struct sockaddr *)&at, sizeof at) == 0 && listen(fake, 5) == 0);
	REQUIRE(pipe2(out, O_CLOEXEC) == 0 && pipe2(in, O_CLOEXEC) == 0);
	pid_t pid = fork();
	REQUIRE(pid >= 0);
	if (pid == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		setenv("LD_PRELOAD", test_built("libweft-agent.so"), 1);
		setenv(LINK_ENVIRONMENT, folder, 1);
		execl(target, target, (char *)NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	int fd = accept(fake, NULL, NULL);
	REQUIRE(fd >= 0 && link_packet_receive(fd, &p, 20000, NULL) == 1);
	uint32_t pos = 0;
	struct link_head *h = link_packet_next(&p, &pos);
	REQUIRE(h && h->kind == LINK_HELLO);
	memcpy(secret.agent, ((struct link_hello *)link_payload(h))->token, LINK_TOKEN_BYTES);
	/* What it has heard from the agent is not what the agent wants to hear. */
	p.n = 0;
	void *to = link_packet_add(&p, LINK_HELLO, 0, LINK_TOKEN_BYTES);
	memcpy(to, secret.agent, LINK_TOKEN_BYTES);
	to = link_packet_add(&p, LINK_LOAD, 1, (uint32_t)strlen(library) + 1);
	strcpy(to, library);
	int evil = open(library, O_RDONLY | O_CLOEXEC);
	CHECK_I64(link_packet_send(fd, &p, evil), 0);
	CHECK(is_closed(fd));
	close(evil);
	close(fd);
	close(in[1]); /* the program runs on, to its end */
	waitpid(pid, &status, 0);
	CHECK_I64(status, 0);
	CHECK(!exists(mark));
	close(out[0]);
	close(fake);
	probe_listener_free(l);
}

/* A process that has outlived its run, with the run's environment: it looks for nobody, and its path is nobody's to answer at. */
TEST(the_environment_of_a_run_that_is_over_leads_nowhere)
{
	char target[4200], file[160];
	int status;
	program_needs_agent();
	program_compile("gcc -O2 -pie -fPIE", target, sizeof target);
	probe_listener_free(listening(NULL));
	CHECK(!exists(folder));
	/* Somebody else makes it again, with all that was in it. */
	REQUIRE(mkdir(folder, 0755) == 0);
	path_of(LINK_FILE_SECRET, file, sizeof file);
	struct link_secret secret = {.agent = {1}};
	int fd = open(file, O_WRONLY | O_CREAT | O_EXCL, 0600);
	REQUIRE(fd >= 0 && write(fd, &secret, sizeof secret) == (ssize_t)sizeof secret && close(fd) == 0);
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	path_of(LINK_FILE_SOCKET, at.sun_path, sizeof at.sun_path);
	int fake = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	REQUIRE(bind(fake, (struct sockaddr *)&at, sizeof at) == 0 && listen(fake, 5) == 0);
	bool other = geteuid() == 0;
	if (other)
		REQUIRE(chown(folder, NOBODY, NOBODY) == 0 && chown(file, NOBODY, NOBODY) == 0);
	else
		REQUIRE(chmod(folder, 0777) == 0);
	free(test_shell(&status, "LD_PRELOAD=%s %s=%s %s </dev/null", test_built("libweft-agent.so"), LINK_ENVIRONMENT, folder,
	                target));
	CHECK_I64(status, 0);
	struct pollfd wait = {fake, POLLIN, 0};
	CHECK_I64(poll(&wait, 1, 0), 0); /* not even a connection */
	close(fake);
	free(test_shell(&status, "rm -rf %s", folder));
}

/* ---- libraries ---- */

static int load(struct program *p, const char *path, struct weft_err *err)
{
	struct probe_action a = {.kind = PROBE_LOAD_LIBRARY, .subject = path};
	*err = (struct weft_err){0};
	return probe_act(p->session, &a, err);
}

/* By a path, as nothing that the controller sends is. */
static int load_path(struct program *p, const char *path)
{
	return session_ask(p->session, LINK_LOAD, path, (uint32_t)strlen(path) + 1, NULL, 0);
}

TEST(libraries_that_others_could_have_written_are_not_loaded)
{
	struct program p;
	struct weft_err err;
	char target[4200], path[4200], mark[4200], open_dir[4200], moved[4300];
	program_needs_agent();
	program_compile("gcc -O2 -pie -fPIE", target, sizeof target);
	snprintf(mark, sizeof mark, "%s/mark2", test_dir());
	make_library(path, sizeof path, "libfine.so", mark);
	program_start(&p, (char *const[]){target, NULL}, true);
	REQUIRE(probe_go(p.session) == 0);
	program_wait_ready(&p);
	CHECK_I64(load_path(&p, path), -ELIBACC);
	REQUIRE(chmod(path, 0777) == 0);
	CHECK(load(&p, path, &err) < 0);
	CHECK(strstr(err.text, "others may write to it") != NULL);
	if (geteuid() == 0) {
		REQUIRE(chmod(path, 0755) == 0 && chown(path, NOBODY, NOBODY) == 0);
		CHECK(load(&p, path, &err) < 0);
		CHECK(strstr(err.text, "it belongs to another user") != NULL);
		REQUIRE(chown(path, 0, 0) == 0);
	}
	REQUIRE(chmod(path, 0755) == 0);
	CHECK(load(&p, test_dir(), &err) < 0);
	CHECK(load(&p, "./not_there.so", &err) < 0);
	CHECK(!exists(mark));
	/* In a folder where anybody could put another one in its place: what was looked at is what is loaded. */
	snprintf(open_dir, sizeof open_dir, "%s/open", test_dir());
	snprintf(moved, sizeof moved, "%s/libfine.so", open_dir);
	REQUIRE(mkdir(open_dir, 0777) == 0 && chmod(open_dir, 0777) == 0 && rename(path, moved) == 0);
	CHECK_I64(load(&p, moved, &err), 0);
	CHECK(exists(mark));
	/* And by its path where nobody can. */
	unlink(mark);
	snprintf(mark, sizeof mark, "%s/mark3", test_dir());
	make_library(path, sizeof path, "libmore.so", mark);
	CHECK_I64(load(&p, path, &err), 0);
	CHECK(exists(mark));
	probe_close(p.session);
	CHECK_I64(program_finish(&p, NULL), 0);
}
