/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions that stand in for those of the table that are alike: a region with what its kind says (link_libc_calls.def). Arguments
 * are words, as many as the function has. What the program handed over is looked at only when the call says that it is sound.
 */
#include "calls_wrap.h"
#include <aio.h>
#include <limits.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define KIND(kind) static inline __attribute__((always_inline, unused)) void kind
#define BEGIN(kind) KIND(begin_##kind)(struct calls_open * o, unsigned id, const calls_word *a)
#define END(kind) KIND(end_##kind)(struct calls_open * o, const calls_word *a, calls_word rc)
#define UNUSED_BEGIN (void)id, (void)a
#define UNUSED_END (void)a, (void)rc

BEGIN(PLAIN)
{
	(void)a;
	calls_enter_bare(o, calls_def.region[id]);
}
END(PLAIN)
{
	UNUSED_END;
	calls_leave_bare(o);
}

/* ---- descriptors ---- */

BEGIN(FD)
{
	uint32_t file = calls_file_of((int)a[0]);
	if (CALLS_LIKELY(file))
		calls_enter_file(o, calls_def.region[id], (int)a[0], file);
	else
		calls_enter(o, calls_def.region[id], calls_def.fd, (int)a[0]);
}
END(FD)
{
	(void)a;
	if (CALLS_UNLIKELY((int)rc == -1))
		calls_leave(o, calls_def.error, errno);
	else
		calls_leave_bare(o);
}

BEGIN(BYTES)
{
	begin_FD(o, id, a);
}
END(BYTES)
{
	(void)a;
	if (CALLS_LIKELY(rc >= 0))
		calls_leave(o, calls_def.bytes, rc);
	else
		calls_leave(o, calls_def.error, errno);
}

/* Of a path that the kernel has read. */
static void made(struct calls_open *o, calls_word rc, const char *path)
{
	int fd = (int)rc, error = errno;
	if (fd >= 0)
		calls_file_set(fd, path);
	uint32_t file = fd >= 0 ? calls_file_of(fd) : error == EFAULT || !path ? 0 : weft_define_string(path);
	errno = error;
	if (file)
		weft_attr_string(calls_def.file, file);
	if (fd >= 0)
		calls_leave(o, calls_def.fd, fd);
	else
		calls_leave(o, calls_def.error, error);
}

BEGIN(OPEN)
{
	begin_PLAIN(o, id, a);
}
END(OPEN)
{
	made(o, rc, (const char *)a[0]);
}
BEGIN(OPENAT)
{
	begin_PLAIN(o, id, a);
}
END(OPENAT)
{
	made(o, rc, (const char *)a[1]);
}
BEGIN(MADE)
{
	begin_PLAIN(o, id, a);
}
END(MADE)
{
	(void)a;
	made(o, rc, NULL);
}
BEGIN(DUP)
{
	begin_FD(o, id, a);
}
END(DUP)
{
	(void)a;
	if ((int)rc >= 0)
		calls_file_set((int)rc, NULL);
	if ((int)rc >= 0)
		calls_leave(o, calls_def.result, (int)rc);
	else
		calls_leave(o, calls_def.error, errno);
}
BEGIN(ACCEPT)
{
	begin_FD(o, id, a);
}
END(ACCEPT)
{
	end_DUP(o, a, rc);
}
/* Its number may be another thread's file as soon as it is closed: forgotten before. One that stays open is asked for again. */
BEGIN(CLOSE)
{
	begin_FD(o, id, a);
	calls_file_set((int)a[0], NULL);
}
END(CLOSE)
{
	end_FD(o, a, rc);
}
BEGIN(CLOSEFROM)
{
	begin_PLAIN(o, id, a);
}
END(CLOSEFROM)
{
	UNUSED_END;
	calls_file_forget();
	calls_leave_bare(o);
}
BEGIN(CLOSERANGE)
{
	begin_PLAIN(o, id, a);
}
END(CLOSERANGE)
{
	end_CLOSEFROM(o, a, rc);
}
BEGIN(NONE)
{
	begin_PLAIN(o, id, a);
}
END(NONE)
{
	end_PLAIN(o, a, rc);
}
BEGIN(WAIT)
{
	begin_PLAIN(o, id, a);
}
END(WAIT)
{
	(void)a;
	if ((int)rc >= 0)
		calls_leave(o, calls_def.result, (int)rc);
	else
		calls_leave(o, calls_def.error, errno);
}

/* ---- asynchronous: what has moved is known when it is asked for ---- */

CALLS_INLINE void enter_block(struct calls_open *o, unsigned id, calls_word block)
{
	const calls_word fd = ((const struct aiocb *)block)->aio_fildes;
	begin_FD(o, id, &fd);
}
BEGIN(AIO)
{
	enter_block(o, id, a[0]);
}
END(AIO)
{
	end_FD(o, a, rc);
}
BEGIN(AIO1)
{
	enter_block(o, id, a[1]);
}
END(AIO1)
{
	end_FD(o, a, rc);
}
BEGIN(AIOBYTES)
{
	enter_block(o, id, a[0]);
}
END(AIOBYTES)
{
	end_BYTES(o, a, rc);
}

/* ---- streams, which have descriptors ---- */

static void opened(struct calls_open *o, FILE *f, const char *path)
{
	int error = errno;
	if (f)
		made(o, fileno_unlocked(f), path);
	else
		calls_leave(o, calls_def.error, error);
	errno = error;
}
BEGIN(FOPEN)
{
	begin_PLAIN(o, id, a);
}
END(FOPEN)
{
	opened(o, (FILE *)rc, (const char *)a[0]);
}
BEGIN(FREOPEN)
{
	begin_PLAIN(o, id, a);
}
END(FREOPEN)
{
	opened(o, (FILE *)rc, (const char *)a[0]);
}
BEGIN(FCLOSE)
{
	const calls_word fd = fileno_unlocked((FILE *)a[0]);
	begin_FD(o, id, &fd);
	calls_file_set((int)fd, NULL);
}
END(FCLOSE)
{
	end_FD(o, a, rc);
}

/* ---- memory from the kernel ---- */

BEGIN(MAP)
{
	calls_enter(o, calls_def.region[id], calls_def.size, a[1]);
}
END(MAP)
{
	(void)a;
	calls_leave(o, calls_def.address, rc);
}
BEGIN(REMAP)
{
	calls_enter(o, calls_def.region[id], calls_def.size, a[2]);
}
END(REMAP)
{
	end_MAP(o, a, rc);
}
BEGIN(UNMAP)
{
	calls_enter(o, calls_def.region[id], calls_def.size, a[1]);
}
END(UNMAP)
{
	(void)rc;
	calls_leave(o, calls_def.address, a[0]);
}
BEGIN(BREAK)
{
	begin_PLAIN(o, id, a);
}
END(BREAK)
{
	end_MAP(o, a, rc);
}

/* ---- processes ---- */

uint32_t calls_text_at(calls_word at)
{
	char text[256];
	const struct iovec to = {text, sizeof text - 1}, from = {(void *)at, sizeof text - 1};
	ssize_t n = -1;
	if (at)
		n = syscall(SYS_process_vm_readv, syscall(SYS_getpid), &to, 1L, &from, 1L, 0L);
	for (size_t less = sizeof text / 2; n <= 0 && less && at; less /= 2) {
		const struct iovec part = {(void *)at, less};
		n = syscall(SYS_process_vm_readv, syscall(SYS_getpid), &to, 1L, &part, 1L, 0L);
	}
	text[n > 0 ? n : 0] = 0;
	return *text ? weft_define_string(text) : 0;
}

BEGIN(EXEC)
{
	calls_enter_command(o, id, a[0]);
}
END(EXEC)
{
	end_PLAIN(o, a, rc);
}
BEGIN(SPAWN)
{
	calls_enter_command(o, id, a[1]);
}
END(SPAWN)
{
	if ((int)rc == 0 && a[0])
		calls_leave(o, calls_def.pid, *(const pid_t *)a[0]);
	else
		calls_leave_bare(o);
}
BEGIN(NAMELESS)
{
	begin_PLAIN(o, id, a);
}
END(NAMELESS)
{
	end_PLAIN(o, a, rc);
}
BEGIN(PID)
{
	begin_PLAIN(o, id, a);
}
END(PID)
{
	(void)a;
	if ((int)rc > 0)
		calls_leave(o, calls_def.pid, (int)rc);
	else
		calls_leave_bare(o);
}
BEGIN(KILL)
{
	calls_enter(o, calls_def.region[id], calls_def.pid, (int)a[0]);
}
END(KILL)
{
	end_PLAIN(o, a, rc);
}
BEGIN(LAST)
{
	begin_PLAIN(o, id, a);
}
END(LAST)
{
	end_PLAIN(o, a, rc);
}

/* ---- streams: of these, what lasts ---- */

#define STREAMED(kind, stream, n_bytes) \
	KIND(stream_##kind)(struct calls_late * l, const calls_word *a, calls_word rc) \
	{ \
		(void)a, (void)rc; \
		l->file = (FILE *)(stream); \
		l->bytes = (n_bytes); \
	}
STREAMED(STREAM0, a[0], -1)
STREAMED(STREAM1, a[1], -1)
STREAMED(STREAM2, a[2], -1)
STREAMED(STREAM3, a[3], rc *a[1])
STREAMED(STREAM4, a[4], rc *a[2])
STREAMED(STREAM3TEXT, a[3], -1)
STREAMED(STREAM2LINE, a[2], rc)
STREAMED(STREAM3LINE, a[3], rc)
STREAMED(STREAMLESS, stdout, -1)
STREAMED(STREAMIN, stdin, -1)
STREAMED(PRINTED0, a[0], (int)rc)
STREAMED(PRINTED, NULL, (int)rc)

void calls_late_told(struct calls_late *l, unsigned id)
{
	struct weft_bundle b;
	int error = errno;
	int fd = l->file ? fileno_unlocked(l->file) : -1;
	uint32_t file = fd >= 0 ? calls_file_of(fd) : 0;
	if (l->began)
		calls_enter_ago(calls_def.region[id], l->began, l->at);
	calls_callers(l->ticks);
	weft_bundle_begin(&b);
	if (fd >= 0)
		weft_bundle_add(&b, calls_def.fd, WEFT_HEAD_ATTR, (uint64_t)fd);
	if (file)
		weft_bundle_add(&b, calls_def.file, WEFT_HEAD_ATTR_S, file);
	if (l->bytes >= 0)
		weft_bundle_add(&b, calls_def.bytes, WEFT_HEAD_ATTR, (uint64_t)l->bytes);
	if (calls_self.short_calls)
		weft_bundle_add(&b, calls_def.short_calls, WEFT_HEAD_ATTR, calls_self.short_calls);
	calls_self.short_calls = 0;
	weft_bundle_add(&b, calls_def.region[id], WEFT_HEAD_LEAVE, 0);
	weft_bundle_record(&b);
	errno = error;
}

#define TAKE_0 void
#define TAKE_1 calls_word a0
#define TAKE_2 TAKE_1, calls_word a1
#define TAKE_3 TAKE_2, calls_word a2
#define TAKE_4 TAKE_3, calls_word a3
#define TAKE_5 TAKE_4, calls_word a4
#define TAKE_6 TAKE_5, calls_word a5
#define LIST_0
#define LIST_1 a0
#define LIST_2 LIST_1, a1
#define LIST_3 LIST_2, a2
#define LIST_4 LIST_3, a3
#define LIST_5 LIST_4, a4
#define LIST_6 LIST_5, a5

#define WRAP(name, n, kind) \
	static calls_word wrap_##name(TAKE_##n) \
	{ \
		calls_word (*real)(TAKE_##n) = (calls_word(*)(TAKE_##n))calls_link->calls.real[LINK_LIBC_##name]; \
		if (calls_passes(CALLS_CALLER)) \
			return real(LIST_##n); \
		const calls_word a[(n) + 1] = {LIST_##n}; \
		CALLS_OPEN(o); \
		uint64_t began = calls_begin_ticks(); \
		begin_##kind(&o, LINK_LIBC_##name, a); \
		calls_word rc = real(LIST_##n); \
		calls_callers(began); \
		end_##kind(&o, a, rc); \
		return rc; \
	}
#define WRAP_STREAM(name, n, kind) \
	static calls_word wrap_##name(TAKE_##n) \
	{ \
		calls_word (*real)(TAKE_##n) = (calls_word(*)(TAKE_##n))calls_link->calls.real[LINK_LIBC_##name]; \
		if (calls_passes(CALLS_CALLER)) \
			return real(LIST_##n); \
		const calls_word a[(n) + 1] = {LIST_##n}; \
		struct calls_late l; \
		calls_late_begin(&l, LINK_LIBC_##name); \
		calls_word rc = real(LIST_##n); \
		if (calls_late_lasted(&l)) { \
			stream_##kind(&l, a, rc); \
			calls_late_told(&l, LINK_LIBC_##name); \
		} \
		return rc; \
	}

/* By what records it, and whether it has a wrapper of its own. */
#define WRAP_THREADS(name, n, kind) WRAP_UNLESS_##kind(name, n, kind)
#define WRAP_IO(name, n, kind) WRAP(name, n, kind)
#define WRAP_STDIO(name, n, kind) WRAP_STDIO_UNLESS_##kind(name, n, kind)
#define WRAP_MEMORY(name, n, kind) WRAP_UNLESS_##kind(name, n, kind)
#define WRAP_PROCESS(name, n, kind) WRAP_UNLESS_##kind(name, n, kind)
#define WRAP_UNLESS_OWN(name, n, kind)
#define WRAP_UNLESS_PLAIN WRAP
#define WRAP_UNLESS_MAP WRAP
#define WRAP_UNLESS_REMAP WRAP
#define WRAP_UNLESS_UNMAP WRAP
#define WRAP_UNLESS_BREAK WRAP
#define WRAP_UNLESS_EXEC WRAP
#define WRAP_UNLESS_SPAWN WRAP
#define WRAP_UNLESS_NAMELESS WRAP
#define WRAP_UNLESS_PID WRAP
#define WRAP_UNLESS_KILL WRAP
#define WRAP_UNLESS_LAST WRAP
#define WRAP_STDIO_UNLESS_OWN(name, n, kind)
#define WRAP_STDIO_UNLESS_STREAM0 WRAP_STREAM
#define WRAP_STDIO_UNLESS_STREAM1 WRAP_STREAM
#define WRAP_STDIO_UNLESS_STREAM2 WRAP_STREAM
#define WRAP_STDIO_UNLESS_STREAM3 WRAP_STREAM
#define WRAP_STDIO_UNLESS_STREAM4 WRAP_STREAM
#define WRAP_STDIO_UNLESS_STREAM3TEXT WRAP_STREAM
#define WRAP_STDIO_UNLESS_STREAM2LINE WRAP_STREAM
#define WRAP_STDIO_UNLESS_STREAM3LINE WRAP_STREAM
#define WRAP_STDIO_UNLESS_STREAMLESS WRAP_STREAM
#define WRAP_STDIO_UNLESS_STREAMIN WRAP_STREAM
#define WRAP_STDIO_UNLESS_PRINTED0 WRAP_STREAM
#define WRAP_STDIO_UNLESS_PRINTED WRAP_STREAM

#define LIBC_CALL(name, n, part, kind) WRAP_##part(name, n, kind)
#include "link/link_libc_calls.def"
#undef LIBC_CALL

/* The same again for the slots. */
#undef WRAP
#undef WRAP_STREAM
#define WRAP(name, n, kind) calls_put(slot, LINK_LIBC_##name, (void *)wrap_##name);
#define WRAP_STREAM WRAP
void calls_wrap_all(void **slot)
{
#define LIBC_CALL(name, n, part, kind) WRAP_##part(name, n, kind)
#include "link/link_libc_calls.def"
#undef LIBC_CALL
}
