#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tags: builds=release,debug timeout=120
# Several users on one machine, and what a run leaves behind: who may attach to whom, whose processes a run takes on, and what becomes of a
# process that outlives its run with the run's environment. TAP. As root; else there is no second user.
set -u
build=${WEFT_BUILD:?} source=${WEFT_SOURCE:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck source=tests/tools/tap.sh
. "$source/tests/tools/tap.sh"
shown=("$work/talk")

command -v gcc >/dev/null || skip 'needs gcc'
command -v setpriv >/dev/null || skip 'needs setpriv'
[ "$(id -u)" = 0 ] || skip 'needs root, for a second user'
nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups) # words, and no function: $! is the process itself
unset XDG_RUNTIME_DIR
chmod 755 "$work"
gcc -O2 -g -o "$work/tune_steps" "$source/tests/tools/tune_steps.c" || exit 1
"${nobody[@]}" test -x "$build/weft" -a -r "$build/libweft-agent.so.0" || skip 'the build is not for other users to read'
steps=$source/tests/golden/tunlets/steps.tsl
# tune ARGUMENTS...: what it says is in talk.
tune() { timeout 60 "$build/weft" tune -t "$steps" --report "$work/report" "$@" >"$work/out" 2>"$work/talk"; }
folders() { find /tmp -maxdepth 1 -name 'weft-????????????????????????' -newer "$work/begun" | wc -l; }
touch "$work/begun"

echo 1..18
sleep 100 &
other=$!
is 'a process of another user is not attached to' \
	"$("${nobody[@]}" "$build/weft" tune -t "$steps" --attach $other 2>&1; echo "status $?")" \
	"weft tune: error: cannot attach to process $other: permission denied"$'\nstatus 2'
kill $other

cd "$work" || exit 1
"${nobody[@]}" "$work/tune_steps" 400 5000 >/dev/null &
other=$!
tune -v --attach $other
is 'root attaches to another user'"'"'s' "$? $(grep -cE "begins: tune_steps, pid $other " talk)" '0 1'
"${nobody[@]}" sleep 100 &
a=$!
sleep 100 &
b=$!
sleep 0.2
tune --attach $a --attach $b
two=$?
kill $a $b
is 'and to no two users at once' "$two $(grep -c 'belong to different users' talk)" '2 1'

# A program that takes another user runs as if nobody looked.
tune -v -- "${nobody[@]}" "$work/tune_steps" 3 1000
is 'a program that becomes another user runs on' "$? $(grep -c 'wrong 0' out)" '3 1'
is 'and is no part of the run of root' "$(grep -c 'begins: tune_steps' talk)" 0

# One that could keep capabilities meanwhile (libcap's function) has no thread of ours, which may not do the same: it would be ended.
mkdir "$work/caps"
{ echo 'int cap_set_proc(void *caps) { return caps != 0; }'; cat "$source/tests/tools/tune_steps.c"; } >"$work/caps.c"
gcc -O2 -w -rdynamic -I"$source/tests/tools" -o "$work/caps/tune_steps" "$work/caps.c" || exit 1
tune -v -- "$work/caps/tune_steps" 3 1000
is 'a program that keeps capabilities has no thread of ours' "$? $(grep -c 'wrong 0' out) $(grep -c 'begins: tune_steps' talk)" '3 1 0'

echo 'int main(void) { return 3; }' | gcc -static -x c -o "$work/static" - 2>/dev/null || cp /bin/false "$work/static"
tune -- "$work/static"
is 'a run without an agent says so' "$(grep -c 'nothing was tuned: no process of the command had the agent' talk)" 1

start=$SECONDS
tune --place 'there=sh -c "exit 3" ' -- "$work/tune_steps" 3 1000
is 'a place whose command ends is said' "$? $(grep place talk)" \
	"2 weft tune: error: --place 'there=sh -c \"exit 3\" ': the command has ended with status 3"
is 'at once' $((SECONDS - start < 8)) 1

# Names are what the kernel says, and steer no terminal.
cp tune_steps "$(printf 'tune\033[31msteps')"
tune -v --exe 'p=tune*steps' -- "./$(printf 'tune\033[31msteps')" 3 1000
is 'a name of a program is cleaned' "$(grep begins talk | grep -c $'\033') $(grep -c 'begins: tune?\[31msteps' talk)" '0 1'

# What outlives a run has its environment: a daemon, which runs a program when the run is over.
cat >daemon.sh <<'END'
exec </dev/null >/dev/null 2>&1
env >"$1/environment"
: >"$1/there"
until [ -e "$1/over" ]; do sleep 0.05; done
timeout 20 "$1/tune_steps" 2 1000 >"$1/survived"
echo "status $?" >"$1/status"
END
# shellcheck disable=SC2016
tune -v -- sh -c 'setsid sh daemon.sh "$0" & until [ -e "$0/there" ]; do sleep 0.05; done' "$work"
is 'a daemon that stays does not hold the run up' $? 0
folder=$(sed -n 's/^WEFT_AGENT_SOCKET=//p' environment)
is 'its environment names a folder of the run' "$(case $folder in /tmp/weft-*) echo yes ;; esac)" yes
is 'which is gone' "$([ -e "$folder" ] || echo gone)" gone
# Somebody else makes it again, and listens there: agents must not even connect.
cat >fake.c <<'END'
#include <stdio.h>
#include <string.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
int main(int argc, char **argv)
{
	struct sockaddr_un at = {AF_UNIX};
	snprintf(at.sun_path, sizeof at.sun_path, "%s", argv[1]);
	struct pollfd wait = {socket(AF_UNIX, SOCK_SEQPACKET, 0), POLLIN};
	if (bind(wait.fd, (struct sockaddr *)&at, sizeof at) || listen(wait.fd, 5))
		return 1;
	puts("listens");
	fflush(stdout);
	puts(poll(&wait, 1, argv[2][0] == 's' ? 60000 : 0) > 0 ? "somebody" : "nobody");
	return 0;
}
END
gcc -w -o fake fake.c || exit 1
net=$(stat -Lc %i /proc/self/ns/net)
"${nobody[@]}" mkdir "$folder" && "${nobody[@]}" chmod 755 "$folder" && head -c 64 /dev/zero | "${nobody[@]}" tee "$folder/secret-$net" >/dev/null
"${nobody[@]}" chmod 600 "$folder/secret-$net"
"${nobody[@]}" timeout 60 ./fake "$folder/socket-$net" s >heard &
fake=$!
for _ in $(seq 100); do grep -q listens heard && break; sleep 0.05; done
: >over
for _ in $(seq 400); do [ -e status ] && break; sleep 0.05; done
is 'what it runs then runs well' "$(cat status) $(grep -c 'wrong 0' survived)" 'status 3 1'
is 'and has talked to nobody' "$(kill -0 $fake && echo waits; cat heard)" $'waits\nlistens'
kill $fake
rm -rf "$folder"

# A file of that name is nothing either, nor a link to a folder of somebody's.
ln -s /tmp "$work/link"
WEFT_AGENT_SOCKET=$work/link LD_PRELOAD=$build/libweft-agent.so.0 ./tune_steps 2 1000 >out
is 'a link for a folder is not followed' "$? $(grep -c 'wrong 0' out)" '3 1'

# Killed, it leaves nothing that anybody obeys.
"$build/weft" tune -q -t "$steps" -- ./tune_steps 1000 5000 >"$work/out" 2>"$work/said" &
run=$!
disown
for _ in $(seq 100); do [ "$(folders)" != 0 ] && break; sleep 0.05; done
sleep 0.3
is 'nothing listens under a name that everybody sees' "$(grep -c "@weft-$run-" /proc/net/unix)" 0
child=$(pgrep -P $run tune_steps)
kill -KILL $run
kill "$child"
for _ in $(seq 100); do [ "$(folders)" = 0 ] && break; sleep 0.1; done
is 'a run that is killed removes its folder' "$(folders)" 0
