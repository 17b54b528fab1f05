/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The context, and what switches it: loading and unloading, the environment, start and stop.
 *
 *     WEFT_DIR          the trace's directory; set: recording begins when the library is loaded
 *     WEFT_MODE         keep (all; the default), ring (flight recorder: the last WEFT_SIZE bytes), full (stop at WEFT_SIZE bytes)
 *     WEFT_SIZE         bytes of each process in the modes ring and full, as "64M"; 64M and 1G without
 *     WEFT_OFF, WEFT_ON categories that are off, or on, whatever the program says: names or globs, with commas between
 *     WEFT_RUN_ID       32 hexadecimal digits, the same in all processes of a run
 *     WEFT_SAVE_SIGNAL  number of the signal at which the flight recorder is saved
 *     WEFT_WATCHED      name of the host on which `weft record` writes down forks and exits itself
 *     WEFT_RANKS        ranks that record, as "0-3,7"; all others have no stream
 *     WEFT_FIRST        REGION=N: recording ends in a process when it has made N calls of regions of that name, or glob
 *     WEFT_WHILE        a file's absolute path: recording is on while it exists
 *     WEFT_VERBOSE      not empty: one line on stderr at the end
 */
#include "rec_priv.h"
#include "base/clock.h"
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#define RING_BYTES (64ull << 20)
#define FULL_BYTES (1ull << 30)

struct recorder rec;
const uint32_t weft_off = 0;

/* ---- The environment ---- */

static int record_set_dir(const char *dir)
{
	size_t n = strlen(dir), cwd = 0;
	while (n > 1 && dir[n - 1] == '/')
		n--;
	if (dir[0] != '/') {
		if (!getcwd(rec.dir, sizeof rec.dir - 1))
			return -errno;
		cwd = strlen(rec.dir);
		rec.dir[cwd++] = '/';
	}
	if (cwd + n >= sizeof rec.dir) {
		rec.dir[0] = 0;
		return -ENAMETOOLONG;
	}
	memcpy(rec.dir + cwd, dir, n);
	rec.dir[cwd + n] = 0;
	return 0;
}

/* A process that records says once that a setting has no effect; one that does not is left in peace. */
static void record_warn_ignored(const char *variable, const char *expected)
{
	struct weft_buf line = {0};
	if (!rec.dir[0])
		return;
	weft_buf_printf(&line, "weft: %s is ignored: expected %s\n", variable, expected);
	if (!line.failed)
		(void)!write(STDERR_FILENO, line.at, line.n);
	weft_buf_fini(&line);
}

/* Who asks for a recording by hand mistypes the folder easily. */
static void record_warn_no_folder(void)
{
	struct weft_buf line = {0};
	weft_buf_printf(&line, "weft: nothing is recorded: WEFT_DIR is '%s', where no folder can be made\n", rec.dir);
	if (!line.failed)
		(void)!write(STDERR_FILENO, line.at, line.n);
	weft_buf_fini(&line);
}

static void record_read_mode(void)
{
	static const struct {
		const char *name;
		enum rec_mode mode;
		uint64_t bytes;
	} modes[] = {{"keep", REC_KEEP, 0},
	             {"ring", REC_RING, RING_BYTES},
	             {"full", REC_FULL, FULL_BYTES},
	             {"stop", REC_FULL, FULL_BYTES}};
	const char *mode = secure_getenv("WEFT_MODE"), *size = secure_getenv("WEFT_SIZE");
	bool known = !mode || !*mode;
	for (size_t i = 0; !known && i < sizeof modes / sizeof *modes; i++)
		if (strcmp(mode, modes[i].name) == 0) {
			rec.mode = modes[i].mode;
			rec.size_bytes = modes[i].bytes;
			known = true;
		}
	if (!known)
		record_warn_ignored("WEFT_MODE", "keep, ring or stop");
	uint64_t bytes = 0;
	if (!size || !*size)
		return;
	if (weft_parse_bytes(weft_str(size), &bytes) == 0 && bytes > 0)
		rec.size_bytes = bytes;
	else
		record_warn_ignored("WEFT_SIZE", "a size like 64M");
}

static void record_read_run_id(void)
{
	const char *text = secure_getenv("WEFT_RUN_ID");
	if (text && *text && (strlen(text) != 2 * sizeof rec.run_id || text[strspn(text, "0123456789abcdefABCDEF")])) {
		record_warn_ignored("WEFT_RUN_ID", "32 hexadecimal digits");
		return;
	}
	for (unsigned i = 0; text && i < 2 * sizeof rec.run_id && text[i]; i++) {
		char c = text[i];
		unsigned digit = c >= '0' && c <= '9'   ? c - '0'
		                 : c >= 'a' && c <= 'f' ? c - 'a' + 10
		                 : c >= 'A' && c <= 'F' ? c - 'A' + 10
		                                        : 0;
		rec.run_id[i / 2] |= (uint8_t)(digit << (i % 2 ? 0 : 4));
	}
}

static void record_read_names(const char *variable, char *out, size_t room)
{
	const char *text = secure_getenv(variable);
	if (text && strlen(text) >= room)
		record_warn_ignored(variable, "a shorter list of categories");
	else if (text)
		memcpy(out, text, strlen(text) + 1);
}

/* "0-3,7". Of text that is no such list all ranks record. */
static bool record_has_rank(const char *list, uint64_t rank)
{
	struct weft_str rest = weft_str(list), part, from;
	bool has = false;
	while (rest.n && weft_str_cut(&rest, ',', &part)) {
		uint64_t first, last;
		if (!weft_str_cut(&part, '-', &from) || weft_parse_u64(from, &first) || (part.n && weft_parse_u64(part, &last))) {
			record_warn_ignored("WEFT_RANKS", "ranks as 0-3,7");
			return true;
		}
		has |= rank >= first && rank <= (part.n ? last : first);
	}
	return has;
}

static void record_read_scope(void)
{
	const char *text = secure_getenv("WEFT_RANKS");
	if (text && *text && rec.rank >= 0 && !record_has_rank(text, (uint64_t)rec.rank))
		rec.dir[0] = 0;
	text = secure_getenv("WEFT_FIRST");
	if (text && *text && !rec_first_set(text))
		record_warn_ignored("WEFT_FIRST", "REGION=NUMBER");
	text = secure_getenv("WEFT_WHILE");
	if (text && *text == '/' && strlen(text) < sizeof rec.while_file)
		memcpy(rec.while_file, text, strlen(text) + 1);
	else if (text && *text)
		record_warn_ignored("WEFT_WHILE", "an absolute path");
}

bool rec_while(void)
{
	return !rec.while_file[0] || access(rec.while_file, F_OK) == 0;
}

static void record_read_environment(void)
{
	const char *text = secure_getenv("WEFT_DIR");
	uint64_t number;
	if (text && *text)
		weft_store_u32(&rec.reason, (uint32_t)-record_set_dir(text));
	record_read_mode();
	record_read_run_id();
	record_read_names("WEFT_OFF", rec.off, sizeof rec.off);
	record_read_names("WEFT_ON", rec.on_names, sizeof rec.on_names);
	char host[65] = "";
	text = secure_getenv("WEFT_WATCHED");
	rec.watched = text && gethostname(host, sizeof host - 1) == 0 && strcmp(text, host) == 0;
	text = secure_getenv("WEFT_VERBOSE");
	rec.verbose = text && *text;
	text = secure_getenv("WEFT_SAVE_SIGNAL");
	if (text && *text && weft_parse_u64(weft_str(text), &number) == 0 && number > 0 && number < NSIG)
		rec.save_signal = (int)number;
	else if (text && *text)
		record_warn_ignored("WEFT_SAVE_SIGNAL", "the number of a signal");
	rec_process_rank_from_environment();
	record_read_scope();
}

static bool record_listed(const char *list, const char *name)
{
	struct weft_str rest = weft_str(list), part;
	char glob[sizeof rec.off];
	while (*list && weft_str_cut(&rest, ',', &part)) {
		memcpy(glob, part.at, part.n);
		glob[part.n] = 0;
		if (weft_glob(glob, name))
			return true;
	}
	return false;
}

bool rec_category_wanted(const char *name, bool on)
{
	return record_listed(rec.on_names, name) || (on && !record_listed(rec.off, name));
}

/* ---- Begin and end ---- */

static void record_catch_signal(void)
{
	struct sigaction old, mine = {.sa_handler = rec_save_on_signal, .sa_flags = SA_RESTART};
	if (!rec.save_signal || sigaction(rec.save_signal, NULL, &old) || old.sa_handler != SIG_DFL)
		return;
	(void)sigaction(rec.save_signal, &mine, NULL);
}

static int record_setup(void)
{
	rec_clock_choose(&rec.clock, &rec.clock_why);
	int rc = rec_wiped_init();
	if (rc == 0)
		rc = rec_thread_init();
	record_read_environment();
	if (rc == 0)
		rc = rec_define_init();
	if (rc)
		return rc;
	rec_fork_init();
	if (rec.dir[0]) {
		weft_store_u32(&rec.on, rec_while());
		rec_define_live_all();
		int no_stream = rec_stream_attach();
		if ((no_stream == -ENOENT || no_stream == -ENOTDIR) && !rec.verbose) /* who asked for it is told at the end */
			record_warn_no_folder();
		record_catch_signal();
	}
	return 0;
}

int rec_init(void)
{
	uint32_t state = weft_load_u32(&rec.init);
	if (WEFT_LIKELY(state == REC_READY))
		return 0;
	state = REC_NEW;
	if (weft_cas_u32(&rec.init, &state, REC_SETTING_UP)) {
		int saved = errno;
		state = record_setup() ? REC_UNUSABLE : REC_READY;
		weft_store_u32(&rec.init, state);
		errno = saved;
	}
	while ((state = weft_load_u32(&rec.init)) == REC_SETTING_UP)
		sched_yield();
	return state == REC_READY ? 0 : -ENOMEM;
}

__attribute__((constructor)) static void record_load(void)
{
	int saved = errno;
	struct rec_stream *s = rec_init() ? NULL : rec_stream();
	if (s)
		rec_modules_update(s);
	errno = saved;
}

static void record_say(struct rec_stream *s)
{
	struct weft_buf line = {0};
	char bytes[32];
	uint64_t dropped = rec_threads_dropped();
	weft_human_bytes(bytes, (uint64_t)rec_space_pages(&s->space) * WEFT_PAGE_BYTES);
	weft_buf_printf(&line, "weft: recorded %s into '%s', %llu events dropped", bytes, s->space.path,
	                (unsigned long long)dropped);
	if (rec_stream_is_full(s))
		weft_buf_printf(&line, ": %s", s->head->reason ? weft_err_name(-(int)s->head->reason) : "the limit was reached");
	weft_buf_putc(&line, '\n');
	if (!line.failed)
		(void)!write(STDERR_FILENO, line.at, line.n);
	weft_buf_fini(&line);
}

static void record_say_why_not(void)
{
	struct weft_buf line = {0};
	int reason = (int)weft_load_u32(&rec.reason);
	if (!reason)
		return;
	weft_buf_printf(&line, "weft: nothing recorded into '%s': %s\n", rec.dir, weft_err_name(-reason));
	if (!line.failed)
		(void)!write(STDERR_FILENO, line.at, line.n);
	weft_buf_fini(&line);
}

__attribute__((destructor)) static void record_unload(void)
{
	if (weft_load_u32(&rec.init) != REC_READY || !weft_load_u32(&rec.wiped->owner))
		return;
	struct rec_stream *s = rec_stream();
	/* A child of vfork that calls exit() ends itself, not the process whose memory it has. */
	if (s && s->pid != (uint32_t)getpid())
		return;
	if (s && weft_load_u32(&rec.on))
		rec_exit_tell();
	weft_store_u32(&rec.on, 0);
	if (rec_lock()) {
		rec_define_live_all();
		rec_unlock();
	}
	if (s)
		rec_stream_close(s);
	if (rec.verbose && s)
		record_say(s);
	else if (rec.verbose)
		record_say_why_not();
}

/* ---- Control ---- */

/* The trace's place, when none is known. That of a parent's file is none of ours. */
static int record_place(const char *path, bool is_file)
{
	int rc = 0;
	if (rec.one_file && rec.file_owner != rec.owner)
		rec.dir[0] = 0;
	if (rec.dir[0] || !path || !*path)
		return is_file && !rec.one_file ? -EEXIST : 0;
	rc = record_set_dir(path);
	rec.one_file = is_file;
	rec.file_owner = rec.owner;
	for (unsigned i = 0, zero = 1; i < sizeof rec.run_id && zero; i++) {
		zero = !rec.run_id[i];
		if (zero && i + 1 == sizeof rec.run_id)
			(void)!getrandom(rec.run_id, sizeof rec.run_id, GRND_NONBLOCK);
	}
	return rc;
}

static int record_open(const char *path, bool is_file)
{
	if (!rec_lock())
		return -EDEADLK;
	int rc = record_place(path, is_file);
	rec_unlock();
	rc = rc ? rc : rec_stream_attach();
	if (rc && is_file && rc != -EEXIST && rec_lock()) { /* another name may do */
		rec.dir[0] = 0;
		rec_unlock();
	}
	return rc;
}

static int record_start(const char *path, bool is_file)
{
	int rc = rec_init();
	if (rc)
		return rc;
	rec_check_process();
	int saved = errno;
	bool begin = false;
	struct rec_stream *s = rec_stream();
	if (s && is_file && !rec.one_file)
		return -EEXIST;
	if (!s) {
		rc = record_open(path, is_file);
		s = rec_stream();
	}
	if (rc == 0 && rec_lock()) {
		begin = !weft_swap_u32(&rec.on, 1);
		if (begin) {
			rec_first_again();
			rec_define_live_all();
		}
		rec_unlock();
	}
	if (begin) {
		rec_modules_update(s);
		record_catch_signal();
		weft_record_slow(WEFT_EV_ON, 0, NULL);
	}
	rec_helper_ensure();
	errno = saved;
	return rc;
}

int weft_start(const char *directory)
{
	return record_start(directory, false);
}

int weft_start_file(const char *file)
{
	return record_start(file, true);
}

const char *weft_trace(void)
{
	struct rec_stream *s = rec_init() ? NULL : rec_stream();
	return !s ? NULL : rec.one_file ? s->space.path : rec.dir;
}

void weft_stop(void)
{
	if (rec_init())
		return;
	rec_check_process();
	if (!weft_load_u32(&rec.on))
		return;
	weft_record_slow(WEFT_EV_OFF, 0, NULL);
	if (rec_lock()) {
		weft_store_u32(&rec.on, 0);
		rec_define_live_all();
		rec_unlock();
	}
}

void weft_flush(void)
{
	if (rec_init() == 0 && rec_stream())
		rec_helper_wake();
}

void weft_get_status(struct weft_status *out)
{
	*out = (struct weft_status){.reason = ENOMEM};
	if (rec_init())
		return;
	rec_check_process();
	struct rec_stream *s = rec_stream();
	out->recording = s && weft_load_u32(&rec.on);
	out->reason = (int)weft_load_u32(&rec.reason);
	out->dropped = rec_threads_dropped();
	if (!s)
		return;
	out->bytes = (uint64_t)rec_space_pages(&s->space) * WEFT_PAGE_BYTES;
	out->helper_cpu_ns = __atomic_load_n(&s->head->helper_cpu_ns, __ATOMIC_RELAXED);
	if (rec_stream_is_full(s)) {
		uint32_t reason = __atomic_load_n(&s->head->reason, __ATOMIC_RELAXED);
		out->reason = reason ? (int)reason : ENOSPC;
		out->recording = 0;
	}
}

/* ---- Names ---- */

static void record_keep_name(char *out, size_t room, const char *name)
{
	size_t n = strnlen(name, room - 1);
	memcpy(out, name, n);
	out[n] = 0;
}

void weft_name_process(const char *name)
{
	if (!name || rec_init())
		return;
	rec_check_process();
	if (!rec_lock())
		return;
	record_keep_name(rec.process_name, sizeof rec.process_name, name);
	struct rec_stream *s = rec_stream();
	if (s)
		rec_process_name(s);
	rec_unlock();
}

void weft_name_node(const char *name)
{
	if (!name || rec_init())
		return;
	rec_check_process();
	if (!rec_lock())
		return;
	record_keep_name(rec.node_name, sizeof rec.node_name, name);
	struct rec_stream *s = rec_stream();
	if (s)
		rec_meta_text(s, WEFT_TEXT_NODE, weft_str(rec.node_name));
	rec_unlock();
}

void weft_set_rank(int rank, int n_ranks)
{
	if (rec_init())
		return;
	rec_check_process();
	if (!rec_lock())
		return;
	rec.rank = rank;
	rec.n_ranks = n_ranks;
	struct rec_stream *s = rec_stream();
	if (s)
		rec_process_name(s);
	rec_unlock();
}

void weft_sync(uint64_t key, uint64_t uncertainty_ns)
{
	/* First of all: the instant is what counts. */
	if (rec_init() == 0)
		weft_sync_at(key, uncertainty_ns, rec.clock.ticks());
}

void weft_sync_at(uint64_t key, uint64_t uncertainty_ns, uint64_t ticks)
{
	uint64_t word[3] = {ticks, key, uncertainty_ns};
	if (rec_init())
		return;
	rec_check_process();
	if (!weft_load_u32(&rec.on) || !rec_lock())
		return;
	struct rec_stream *s = rec_stream();
	if (s)
		rec_meta_put(s, WEFT_EV_SYNC, 0, 3, word, weft_str(NULL));
	rec_unlock();
}
