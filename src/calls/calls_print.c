/* SPDX-License-Identifier: Apache-2.0 */
/* printf(), scanf() and their like: what takes "..." goes on as what takes a va_list, which is what the C library does. */
#include "calls_wrap.h"
#include <stdarg.h>

typedef int print_3(void *, const char *, va_list);
typedef int print_2(const char *, va_list);
typedef int print_4(void *, int, const char *, va_list);
typedef int print_chk(int, const char *, va_list);
typedef int print_to(int, const char *, va_list);
typedef int print_to_chk(int, int, const char *, va_list);

#define REAL(type, name) ((type *)calls_link->calls.real[LINK_LIBC_##name])
#define PRINT(name, type, v_name, stream, take, last, pass) FORMATTED(name, type, v_name, stream, rc, take, last, pass)
#define FORMATTED(name, type, v_name, stream, moved, take, last, pass) \
	static int wrap_##name take \
	{ \
		va_list list; \
		struct calls_late l; \
		bool passes = calls_passes(CALLS_CALLER); \
		if (!passes) \
			calls_late_begin(&l, LINK_LIBC_##name); \
		va_start(list, last); \
		int rc = REAL(type, v_name) pass; \
		va_end(list); \
		if (!passes && calls_late_lasted(&l)) { \
			l.file = (stream); \
			l.bytes = (moved); \
			calls_late_told(&l, LINK_LIBC_##name); \
		} \
		return rc; \
	}

PRINT(printf, print_2, vprintf, stdout, (const char *format, ...), format, (format, list))
PRINT(fprintf, print_3, vfprintf, f, (FILE * f, const char *format, ...), format, (f, format, list))
PRINT(dprintf, print_to, vdprintf, NULL, (int fd, const char *format, ...), format, (fd, format, list))
PRINT(__printf_chk, print_chk, __vprintf_chk, stdout, (int flag, const char *format, ...), format, (flag, format, list))
PRINT(__fprintf_chk, print_4, __vfprintf_chk, f, (FILE * f, int flag, const char *format, ...), format, (f, flag, format, list))
PRINT(__dprintf_chk, print_to_chk, __vdprintf_chk, NULL, (int fd, int flag, const char *format, ...), format,
      (fd, flag, format, list))

/* How many bytes were read the result does not say. */
#define SCAN(prefix) \
	FORMATTED(prefix##scanf, print_2, prefix##vscanf, stdin, -1, (const char *format, ...), format, (format, list)) \
	FORMATTED(prefix##fscanf, print_3, prefix##vfscanf, f, -1, (FILE * f, const char *format, ...), format, (f, format, list))
SCAN()
SCAN(__isoc99_)
SCAN(__isoc23_)

#define PUT(name) calls_put(slot, LINK_LIBC_##name, (void *)wrap_##name)
void calls_print_put(void **slot)
{
	PUT(printf);
	PUT(fprintf);
	PUT(dprintf);
	PUT(__printf_chk);
	PUT(__fprintf_chk);
	PUT(__dprintf_chk);
	PUT(scanf);
	PUT(fscanf);
	PUT(__isoc99_scanf);
	PUT(__isoc99_fscanf);
	PUT(__isoc23_scanf);
	PUT(__isoc23_fscanf);
}
