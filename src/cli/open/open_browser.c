/* SPDX-License-Identifier: Apache-2.0 */
/* How the reader gets to the page: see open_browser.h. */
#include "open_browser.h"
#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool has(const char *variable)
{
	const char *value = getenv(variable);
	return value && *value;
}

static bool write_redirect(const char *address, char *file)
{
	const char *folder = has("XDG_RUNTIME_DIR") ? getenv("XDG_RUNTIME_DIR") : has("TMPDIR") ? getenv("TMPDIR") : "/tmp";
	if (snprintf(file, 4096, "%s/weft-open-XXXXXX.html", folder) >= 4096)
		return false;
	int fd = mkstemps(file, 5); /* mode 0600 */
	FILE *to = fd < 0 ? NULL : fdopen(fd, "w");
	if (!to) {
		if (fd >= 0)
			close(fd);
		*file = 0;
		return false;
	}
	fprintf(to, "<!DOCTYPE html><meta charset=utf-8><title>Weft</title><meta http-equiv=refresh content=\"0; url=%s\">\n",
	        address);
	return fclose(to) == 0;
}

bool open_browser(const char *address, char *file)
{
	*file = 0;
	if ((!has("DISPLAY") && !has("WAYLAND_DISPLAY")) || !write_redirect(address, file))
		return false;
	pid_t child = fork();
	if (child == 0) {
		/* A grandchild, so that nobody has to wait for the browser. */
		if (fork() != 0)
			_exit(0);
		int null = open("/dev/null", O_RDWR);
		dup2(null, 0);
		dup2(null, 1);
		dup2(null, 2);
		setsid();
		/* Of the server's, which a browser must not inherit. */
		sigset_t none;
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		signal(SIGPIPE, SIG_DFL);
		execlp("xdg-open", "xdg-open", file, (char *)NULL);
		_exit(127);
	}
	return child > 0 && waitpid(child, NULL, 0) == child;
}

bool open_ssh_line(char *out, unsigned room, uint16_t port)
{
	const char *connection = getenv("SSH_CONNECTION");
	char server[64] = "";
	const struct passwd *user = getpwuid(getuid());
	if (!connection || sscanf(connection, "%*63s %*15s %63s", server) != 1)
		return false;
	snprintf(out, room, "ssh -N -L %u:127.0.0.1:%u %s@%s", port, port, user ? user->pw_name : "USER", server);
	return true;
}
