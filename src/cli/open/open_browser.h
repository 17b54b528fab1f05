/* SPDX-License-Identifier: Apache-2.0 */
/* How the reader gets to the page: a browser that is started, or lines to copy. */
#ifndef WEFT_CLI_OPEN_BROWSER_H
#define WEFT_CLI_OPEN_BROWSER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Starts the user's browser with the address, by way of a small file that only the user can read, as other users see the arguments
 * of programs; false: there is none here. file: of that, to be removed when the server ends (4096 bytes); "" : none.
 */
bool open_browser(const char *address, char *file);
/* The command that makes the port of this machine, to which one is logged in by ssh, one of one's own; false: this is no ssh session. */
bool open_ssh_line(char *out, unsigned room, uint16_t port);

#endif
