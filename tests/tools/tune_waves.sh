#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# For scripts about collectors that follow the load of tune_waves, behind tap.sh: `work` and `source` are their folders, `run` is the command under way.

# Waits until a line of the display says so, then lets the program go on.
when_said()
{
	for _ in $(seq 600); do
		grep -qE "$1" "${work:?}/talk" && break
		kill -0 "${run:?}" 2>/dev/null || break
		sleep 0.2
	done
	: >"$work/$2"
}

# Of a report: the line about the tunlet; its iterations.
whole()
{
	grep -oE "^Tunlet 'waves': .*" "$1"
}

iterations()
{
	sed -n "/^Tunlet 'waves'/,/^\$/p" "$1" | sed -nE 's/^ *[0-9.]+ s +([0-9]+: .*)$/\1/p' | sort -n
}

all_of()
{
	echo "Tunlet 'waves': $1 iterations evaluated, 0 not decided upon, 0 late events, 0 faults"
}

needs_collectors()
{
	"${build:?}/weft" tune --collectors 1 -q -t "${source:?}/tests/golden/tunlets/waves.tsl" -- true 2>"$work/talk" ||
		! grep -q sodium "$work/talk" || skip 'this build is without libsodium'
}

# The shipped tunlet, with collectors that take 1000 events a second each and $1 at most, so that the test needs no machine that is busy.
make_collectors()
{
	sed -E "s/capacity = 0.5 \/ each;/capacity = 1000 + 0 * each;/; s/iter.most = .* #/iter.most = $1; #/" \
		"$source/share/weft/tunlets/collectors.tsl" >"$work/collectors.tsl"
}

# The program, and each of four workers on another of the hosts of two_hosts.sh: `others`.
make_waves_elsewhere()
{
	mkdir "$work/real"
	gcc -O2 -g -o "$work/waves_master" "$source/tests/tools/tune_waves.c" && cp "$work/waves_master" "$work/real/waves_worker" || exit 1
	others=("${b:?}" "${more[@]}")
	cat >"$work/waves_worker" <<END
#!/bin/sh
case \$1 in
*0) exec ip netns exec ${others[0]} "$work/real/waves_worker" "\$@" ;;
*1) exec ip netns exec ${others[1]} "$work/real/waves_worker" "\$@" ;;
*2) exec ip netns exec ${others[2]} "$work/real/waves_worker" "\$@" ;;
*) exec ip netns exec ${others[3]} "$work/real/waves_worker" "\$@" ;;
esac
END
	chmod +x "$work/waves_worker"
}

# And all of them on this one.
make_waves_here()
{
	cp "$work/real/waves_worker" "$work/waves_worker.real" && mv "$work/waves_worker.real" "$work/waves_worker"
}
