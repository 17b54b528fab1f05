/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the C library, for the other files of libweft-preload. */
#ifndef WEFT_PRELOAD_LIBC_H
#define WEFT_PRELOAD_LIBC_H

#include "preload_calls.h"
#include <signal.h>

/* What the libraries behind us have under the name, in its default version. Async-signal-safe. */
PRELOAD_HIDDEN void *preload_libc_next(const char *name);
/* What any library has under the name; NULL: none. */
PRELOAD_HIDDEN void *preload_libc_has(const char *name);
/* The program itself, whose libraries would use it then. */
PRELOAD_HIDDEN bool preload_program_has(const char *name);
/* The program or a library of its is made with one, whose functions stand before ours. */
PRELOAD_HIDDEN bool preload_is_sanitized(void);
/* The caller makes a thread, which is the program's unless the caller is a runtime: what waits for nothing but its age is recorded from now on. Not in a signal handler. */
PRELOAD_HIDDEN void preload_libc_thread(const void *caller);

/* ---- the signal of samples (preload_signal.c) ---- */

/* The C library's, not ours. Async-signal-safe, like all of these. */
PRELOAD_HIDDEN int preload_signal_action(int number, const struct sigaction *action, struct sigaction *old);
/* The number is ours from now on, and nobody has set an action for it so far. */
PRELOAD_HIDDEN void preload_signal_keep(int number, bool (*is_ours)(const siginfo_t *));
PRELOAD_HIDDEN void preload_signal_child(void);
/* In our handler: it came from somebody else. All signals are blocked. */
PRELOAD_HIDDEN void preload_signal_foreign(int number, siginfo_t *info, void *context);
PRELOAD_HIDDEN int preload_sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *limit);
PRELOAD_HIDDEN int preload_sigwaitinfo(const sigset_t *set, siginfo_t *info);
PRELOAD_HIDDEN int preload_sigwait(const sigset_t *set, int *number);

#endif
