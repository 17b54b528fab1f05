/* SPDX-License-Identifier: Apache-2.0 */
/* Variables of the environment that are lists, separated by colons. */
#ifndef WEFT_BASE_ENV_H
#define WEFT_BASE_ENV_H

/*
 * Sets it to first:second, or to the one of them that is not NULL or empty; both may be getenv()'s of the same variable. 0, or
 * negative: it is as it was. As setenv() is, for one thread.
 */
int weft_set_list(const char *variable, const char *first, const char *second);

#endif
