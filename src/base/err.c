/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Errors as values: filling, prefixing and naming them. The texts of errno values are ours, so that they are lower
 * case, the same under every locale, and thread-safe; a value that the table lacks falls back to libc's text.
 */
#include "err.h"
#include "str.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_OUR_FAULT = 70, ERRNO_LIMIT = 4096 /* the kernel's */ };

static const struct {
	int code;
	const char *name;
} err_names[] = {
	{0, "no error"},
	{WEFT_E_SYNTAX, "syntax error"},
	{WEFT_E_DAMAGED, "damaged file"},
	{WEFT_E_VERSION, "unsupported version"},
	{WEFT_E_LIMIT, "limit reached"},
	{-EPERM, "operation not permitted"},
	{-ENOENT, "no such file or directory"},
	{-ESRCH, "no such process"},
	{-EINTR, "interrupted"},
	{-EIO, "input/output error"},
	{-ENXIO, "no such device or address"},
	{-E2BIG, "argument list too long"},
	{-ENOEXEC, "not an executable format"},
	{-EBADF, "bad file descriptor"},
	{-ECHILD, "no child processes"},
	{-EAGAIN, "resource temporarily unavailable"},
	{-ENOMEM, "out of memory"},
	{-EACCES, "permission denied"},
	{-EFAULT, "bad address"},
	{-EBUSY, "device or resource busy"},
	{-EEXIST, "file exists"},
	{-EXDEV, "on another file system"},
	{-ENODEV, "no such device"},
	{-ENOTDIR, "not a directory"},
	{-EISDIR, "is a directory"},
	{-EINVAL, "invalid argument"},
	{-ENFILE, "too many open files in the system"},
	{-EMFILE, "too many open files"},
	{-ENOTTY, "not a terminal"},
	{-ETXTBSY, "text file busy"},
	{-EFBIG, "file too large"},
	{-ENOSPC, "no space left on device"},
	{-ESPIPE, "cannot seek"},
	{-EROFS, "read-only file system"},
	{-EMLINK, "too many links"},
	{-EPIPE, "broken pipe"},
	{-EDOM, "outside the domain of the function"},
	{-ERANGE, "out of range"},
	{-EDEADLK, "would deadlock"},
	{-ENAMETOOLONG, "file name too long"},
	{-ENOSYS, "not implemented on this system"},
	{-ENOTEMPTY, "directory not empty"},
	{-ELOOP, "too many levels of symbolic links"},
	{-EOVERFLOW, "value too large"},
	{-EILSEQ, "invalid byte sequence"},
	{-EOPNOTSUPP, "not supported"},
	{-EADDRINUSE, "address already in use"},
	{-EADDRNOTAVAIL, "address not available"},
	{-ENETUNREACH, "network unreachable"},
	{-ECONNABORTED, "connection aborted"},
	{-ECONNRESET, "connection reset by peer"},
	{-ENOBUFS, "no buffer space available"},
	{-ENOTCONN, "not connected"},
	{-ETIMEDOUT, "timed out"},
	{-ECONNREFUSED, "connection refused"},
	{-EHOSTUNREACH, "no route to host"},
	{-EALREADY, "already in progress"},
	{-ESTALE, "stale file handle"},
	{-EDQUOT, "disk quota exceeded"},
	{-ECANCELED, "cancelled"},
	{-EOWNERDEAD, "the owner died"},
};

const char *weft_err_name(int code)
{
	for (size_t i = 0; i < sizeof err_names / sizeof err_names[0]; i++)
		if (err_names[i].code == code)
			return err_names[i].name;
	const char *name = code < 0 && code > -ERRNO_LIMIT ? strerrordesc_np(-code) : NULL;
	return name ? name : "unknown error";
}

/* A text that filled its buffer was cut: end it with "..." on a character's border. */
static void err_mark_cut(char *text, size_t size)
{
	size_t n = size - 4;
	while (n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80)
		n--;
	memcpy(text + n, "...", 4);
}

static void err_vset(struct weft_err *e, int code, const char *fmt, va_list args)
{
	e->code = code;
	int n = vsnprintf(e->text, sizeof e->text, fmt, args);
	if (n >= (int)sizeof e->text)
		err_mark_cut(e->text, sizeof e->text);
	weft_one_line(e->text);
}

int weft_err_set(struct weft_err *e, int code, const char *fmt, ...)
{
	if (!e || e->code)
		return code;
	va_list args;
	va_start(args, fmt);
	err_vset(e, code, fmt, args);
	va_end(args);
	return code;
}

int weft_err_sys(struct weft_err *e, int errno_value, const char *fmt, ...)
{
	int code = errno_value ? -errno_value : -EIO;
	if (!e || e->code)
		return code;
	va_list args;
	va_start(args, fmt);
	err_vset(e, code, fmt, args);
	va_end(args);
	size_t n = strlen(e->text);
	int more = snprintf(e->text + n, sizeof e->text - n, ": %s", weft_err_name(code));
	if (n + (size_t)more >= sizeof e->text)
		err_mark_cut(e->text, sizeof e->text);
	return code;
}

int weft_err_prefix(struct weft_err *e, const char *fmt, ...)
{
	if (!e || !e->code)
		return 0;
	struct weft_err old = *e;
	va_list args;
	va_start(args, fmt);
	err_vset(e, old.code, fmt, args);
	va_end(args);
	size_t n = strlen(e->text);
	int more = snprintf(e->text + n, sizeof e->text - n, ": %s", old.text);
	if (n + (size_t)more >= sizeof e->text)
		err_mark_cut(e->text, sizeof e->text);
	return e->code;
}

void weft_bug_at(const char *file, int line, const char *fmt, ...)
{
	char text[600];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	/* Results printed so far are worth having, but a handler of atexit must not run on a broken state. */
	fflush(stdout);
	dprintf(STDERR_FILENO,
	        "weft: internal error at %s:%d: %s\n"
	        "weft: this is a fault in weft; please report it with this text and the command line\n",
	        file, line, text);
	_exit(EXIT_OUR_FAULT);
}
