/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of stdio for single characters. A program makes millions of them, of which one in some thousands fills or empties the stream's buffer:
 * whether this one will is seen from the outside, and others go on at once, uncounted, unless each call of stdio is asked for. Compilers make
 * getc_unlocked() and its like of the same look, and a call of __uflow() or __overflow().
 */
#include "calls_wrap.h"

static inline bool has_more(const FILE *f)
{
	return f->_IO_read_ptr < f->_IO_read_end;
}
static inline bool has_room(const FILE *f)
{
	return f->_IO_write_ptr < f->_IO_write_end;
}

#define REAL(name) calls_link->calls.real[LINK_LIBC_##name]
/* `buffered`: nothing but the buffer is touched. */
#define CHARACTER(name, take, types, pass, stream, buffered) \
	static int wrap_##name take \
	{ \
		int(*real) types = (int(*) types)REAL(name); \
		FILE *file = (stream); \
		struct calls_late l; \
		if ((!calls_each_stdio && (buffered)) || calls_passes(CALLS_CALLER)) \
			return real pass; \
		calls_late_begin(&l, LINK_LIBC_##name); \
		int rc = real pass; \
		if (calls_late_lasted(&l)) { \
			l.file = file; \
			l.bytes = rc == EOF ? 0 : 1; \
			calls_late_told(&l, LINK_LIBC_##name); \
		} \
		return rc; \
	}
#define GETS(name) CHARACTER(name, (FILE * f), (FILE *), (f), f, has_more(file))
#define GETS_CHAR(name) CHARACTER(name, (void), (void), (), stdin, has_more(file))
#define PUTS(name) CHARACTER(name, (int c, FILE *f), (int, FILE *), (c, f), f, has_room(file))
#define PUTS_CHAR(name) CHARACTER(name, (int c), (int), (c), stdout, has_room(file))

GETS(fgetc)
GETS(getc)
GETS(fgetc_unlocked)
GETS(getc_unlocked)
GETS_CHAR(getchar)
GETS_CHAR(getchar_unlocked)
CHARACTER(__uflow, (FILE * f), (FILE *), (f), f, false)
PUTS(fputc)
PUTS(putc)
PUTS(fputc_unlocked)
PUTS(putc_unlocked)
PUTS_CHAR(putchar)
PUTS_CHAR(putchar_unlocked)
CHARACTER(__overflow, (FILE * f, int c), (FILE *, int), (f, c), f, false)

#define PUT(name) calls_put(slot, LINK_LIBC_##name, (void *)wrap_##name)
void calls_char_put(void **slot)
{
	PUT(fgetc);
	PUT(getc);
	PUT(fgetc_unlocked);
	PUT(getc_unlocked);
	PUT(getchar);
	PUT(getchar_unlocked);
	PUT(__uflow);
	PUT(fputc);
	PUT(putc);
	PUT(fputc_unlocked);
	PUT(putc_unlocked);
	PUT(putchar);
	PUT(putchar_unlocked);
	PUT(__overflow);
}
