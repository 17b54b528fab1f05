/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The system's compiler, and its diagnosis of the translation: the first error, with its place in
 * the specification. The translation of trees compiles; what a compiler can complain of is a
 * performance function that was left to it.
 */
#include "gen_priv.h"
#include "base/fs.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int write_file(const char *path, const struct weft_buf *text, struct weft_err *err)
{
	struct weft_out o;
	int rc = weft_out_open(&o, path, err);
	if (rc)
		return rc;
	fwrite(text->at, 1, text->n, o.to);
	return weft_out_commit(&o, err);
}

/* Runs it with its talk in the file `log`; its exit status, or negative. */
static int run_compiler(const char *const *args, const char *log)
{
	posix_spawn_file_actions_t fa;
	struct weft_replace r;
	pid_t pid;
	int status, rc = weft_replace_open(&r, log, 0600);
	if (rc)
		return rc;
	if (posix_spawn_file_actions_init(&fa)) {
		weft_replace_abandon(&r);
		return -ENOMEM;
	}
	posix_spawn_file_actions_addopen(&fa, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&fa, r.fd, 1);
	posix_spawn_file_actions_adddup2(&fa, 1, 2);
	rc = posix_spawnp(&pid, args[0], &fa, NULL, (char *const *)(uintptr_t)args, environ);
	posix_spawn_file_actions_destroy(&fa);
	if (rc) {
		weft_replace_abandon(&r);
		return -rc;
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR) {
			rc = -errno;
			weft_replace_abandon(&r);
			return rc;
		}
	rc = weft_replace_commit(&r, WEFT_REPLACE_PLAIN);
	if (rc)
		return rc;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

/* "x.c:12:5: error: text" of the compiler, as an error with the place in the specification. */
static int explain_log(struct weft_spec *s, const struct tune_source *t, const char *log, struct weft_err *err)
{
	char *text;
	size_t n;
	if (weft_read_file(log, &text, &n, NULL))
		return weft_err_set(err, WEFT_E_SYNTAX, "'%s': the compiler failed and said nothing", s->file);
	char *found = strstr(text, " error: ");
	if (!found) {
		text[strcspn(text, "\n")] = '\0';
		int rc = weft_err_set(err, WEFT_E_SYNTAX, "'%s': the compiler failed: %s", s->file, text);
		free(text);
		return rc;
	}
	char *line = found;
	while (line > text && line[-1] != '\n')
		line--;
	unsigned gen_line = 0, gen_col = 0;
	char *colon = strchr(line, ':');
	if (colon)
		sscanf(colon, ":%u:%u:", &gen_line, &gen_col);
	uint32_t at = tune_origin_of(t, gen_line, gen_col), spec_line, spec_col;
	spec_place(s, at, &spec_line, &spec_col);
	found += strlen(" error: ");
	found[strcspn(found, "\n")] = '\0';
	int rc = weft_err_set(err, WEFT_E_SYNTAX, "%s:%u:%u: %s", s->file, spec_line, spec_col, found);
	free(text);
	return rc;
}

/* With the system's compiler. -ENOENT: there is none. */
static int compile_outside(struct weft_spec *s, const struct tune_source *t, const char *path, const char *compiler, bool opaque,
                           struct weft_err *err)
{
	char *source = NULL, *log = NULL;
	int rc = 0;
	if (asprintf(&source, "%s.c", path) < 0 || asprintf(&log, "%s.log", path) < 0) {
		rc = weft_err_set(err, -ENOMEM, "cannot compile '%s': out of memory", s->file);
		goto out;
	}
	rc = write_file(source, &t->text, err);
	if (rc)
		goto out;
	const char *args[] = {compiler,
	                      "-std=gnu17",
	                      "-shared",
	                      "-nostartfiles",
	                      "-Wl,--hash-style=both",
	                      "-fPIC",
	                      "-O1",
	                      "-w",
	                      "-fwrapv",
	                      "-o",
	                      path,
	                      source,
	                      "-lm",
	                      opaque ? "-fsanitize=float-cast-overflow,bounds,shift" : NULL,
	                      "-fsanitize-undefined-trap-on-error",
	                      NULL};
	int status = run_compiler(args, log);
	if (status < 0)
		rc = weft_err_sys(err, -status, "cannot run the compiler '%s'", args[0]);
	else if (status)
		rc = explain_log(s, t, log, err);
out:
	free(source);
	free(log);
	return rc;
}

/*
 * $CC where it is set. Else TinyCC for what is translated from trees, which checks all by itself:
 * the result is the same, a hundred times sooner. Functions that were left to the compiler have
 * their faults found by the system's one; without it they take TinyCC, too.
 */
static int compile(struct weft_spec *s, enum tune_part_of of, const char *path, struct weft_err *err)
{
	struct tune_source t;
	struct weft_err why = {0};
	const char *compiler = getenv("CC");
	bool opaque = false, asked = compiler && *compiler;
	int rc = tune_translate(s, of, &t);
	if (rc)
		return weft_err_set(err, rc, "cannot translate '%s': %s", s->file,
		                    rc == -EINVAL ? "it has errors" : weft_err_name(rc));
	for (size_t i = 0; i < s->code.n && of == TUNE_WHOLE; i++)
		opaque |= s->code.at[i].opaque;
	rc = asked || opaque ? -ENOSYS : tune_tcc(s, &t, path, NULL);
	if (rc)
		rc = compile_outside(s, &t, path, asked ? compiler : "cc", opaque, &why);
	if (rc == -ENOENT && !asked) {
		struct weft_err second = {0};
		rc = tune_tcc(s, &t, path, &second);
		why = rc && rc != -ENOSYS ? second : why;
	}
	if (rc && err)
		*err = why;
	tune_source_fini(&t);
	return rc;
}

/*
 * Into the folder, which is the caller's alone: files that compilers write beside their output
 * overwrite none there.
 */
static int compile_in(const char *folder, struct weft_spec *s, enum tune_part_of of, char *file, struct weft_err *err)
{
	snprintf(file, PATH_MAX, "%s/tunlet.so", folder);
	int rc = compile(s, of, file, err);
	if (rc)
		return rc;
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return weft_err_sys(err, errno, "cannot open the compiled tunlet");
	rc = tune_object_check(fd, s->file, err);
	close(fd);
	return rc;
}

int tune_compile(struct weft_spec *s, enum tune_part_of of, const char *path, struct weft_err *err)
{
	const char *slash = strrchr(path, '/');
	char folder[PATH_MAX - 16], file[PATH_MAX];
	int n = snprintf(folder, sizeof folder, "%.*s.weft-tunlet-XXXXXX", slash ? (int)(slash + 1 - path) : 0, path);
	if (n >= (int)sizeof folder)
		return weft_err_sys(err, ENAMETOOLONG, "cannot write '%s'", path);
	if (!mkdtemp(folder))
		return weft_err_sys(err, errno, "cannot write '%s'", path);
	int rc = compile_in(folder, s, of, file, err);
	if (!rc && rename(file, path))
		rc = weft_err_sys(err, errno, "cannot write '%s'", path);
	(void)!weft_remove_tree(folder, NULL);
	return rc;
}

int tune_library_make(struct tune_library *l, struct weft_spec *s, enum tune_part_of of, struct weft_err *err)
{
	const char *tmp = getenv("TMPDIR");
	char folder[64], file[PATH_MAX];
	l->fd = -1;
	snprintf(folder, sizeof folder, "%s/weft-tunlet-XXXXXX", tmp && strlen(tmp) < 40 ? tmp : "/tmp");
	if (!mkdtemp(folder))
		return weft_err_sys(err, errno, "cannot make a temporary folder");
	int rc = compile_in(folder, s, of, file, err);
	if (!rc && (l->fd = open(file, O_RDONLY | O_CLOEXEC)) < 0)
		rc = weft_err_sys(err, errno, "cannot open the compiled tunlet");
	(void)!weft_remove_tree(folder, NULL);
	snprintf(l->path, sizeof l->path, "/proc/self/fd/%d", l->fd);
	return rc;
}

void tune_library_close(struct tune_library *l)
{
	if (l->fd >= 0)
		close(l->fd);
	l->fd = -1;
}
