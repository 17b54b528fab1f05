/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The folder of a run, in which agents find its controller, and what both check of each other before either obeys.
 *
 *     FOLDER/            mode 700, the user's; where root observes another user's process: mode 711, root's
 *     FOLDER/socket-NET  the controller listens; NET: number of the network namespace, as hosts that share a file system are told apart
 *     FOLDER/secret-NET  mode 600: two tokens, one for each side to show
 *     FOLDER/unwatched-PID  a process that could not reach the controller in time, and runs on without it
 *
 * The environment of a run names the folder and nothing else: it opens nothing to whoever may not enter the folder, and nothing at
 * all when the folder is gone. Nobody but its owner and root is obeyed, so the same name in another user's hands does not count.
 */
#ifndef WEFT_LINK_LINK_FOLDER_H
#define WEFT_LINK_LINK_FOLDER_H

#include "base/err.h"
#include <stdbool.h>
#include <sys/types.h>

#define LINK_TOKEN_BYTES 32u
#define LINK_FILE_ROOM 64u

struct link_secret {
	unsigned char agent[LINK_TOKEN_BYTES];      /* which an agent shows the controller, in HELLO */
	unsigned char controller[LINK_TOKEN_BYTES]; /* and the controller the agent, before anything else */
};

enum link_file { LINK_FILE_SOCKET, LINK_FILE_SECRET, LINK_FILE_UNWATCHED };
/* Its name within a folder, for this process. */
void link_file_name(enum link_file file, char out[LINK_FILE_ROOM]);

/* Takes as long whatever differs. */
bool link_token_equal(const unsigned char *a, const unsigned char *b);
/* Who made the other end of a connected unix socket, as the kernel says: the process that called connect, or listen. */
int link_peer(int socket, pid_t *pid, uid_t *uid) WEFT_MUST_CHECK;

/*
 * A folder by its descriptor (O_PATH), when it is this user's or root's and nobody else can put anything into it; or a negative errno
 * value: -EPERM where it is another's.
 */
int link_folder_open(const char *path) WEFT_MUST_CHECK;
int link_secret_read(int folder, struct link_secret *out) WEFT_MUST_CHECK;
/*
 * For agents: connects to the folder's controller, which is of this user or root, in timeout_ms at most. The socket, or a negative
 * errno value; -EAGAIN: the controller takes nobody on just now, and finds a mark of that in the folder.
 */
int link_connect(const char *path, int timeout_ms, struct link_secret *secret) WEFT_MUST_CHECK;

#endif
