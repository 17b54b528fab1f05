## SPDX-License-Identifier: Apache-2.0
## needs: gcc jq
## tags: builds=release,debug timeout=120
## Recording that is switched on and off while a program runs: by weft ctl, by a signal, by the time. A step is recorded, or it is not.
$ cat >steps.c <<'END'
> #include <weft/record.h>
> #include <stdio.h>
> #include <unistd.h>
> WEFT_REGION(step, "step", WEFT_STATE_RUNNING);
> int main(void) { for (int i = 0; i < 3000 && access("enough", 0); i++) { weft_enter(step); usleep(1000); weft_leave(step); if (i == 10) fclose(fopen("ready", "w")); } }
> END
$ cc steps.c -I"$WEFT_SOURCE/include" -L"$WEFT_BUILD" -lweft -Wl,-rpath,"$WEFT_BUILD" -o steps
$ cat >run <<'END'
> # run TRACE OPTION...: starts the program under weft record, and waits until it runs
> rm -f ready enough; t=$1; shift
> weft record -q --off samples,io,threads "$@" -o $t -- ./steps & echo $! >pid
> until [ -e ready ]; do sleep 0.02; done
> END
$ cat >switches <<'END'
> # How often recording was switched on and off, and whether steps were recorded.
> weft dump $1 | awk '$3 == "on" {n++} $3 == "off" {f++} $3 == "enter" && $4 == "step" {s++} END {print n + 0, f + 0, (s > 5)}'
> END
$ . ./run ctl.weft --paused; sleep 0.2; weft ctl ctl.weft start; sleep 0.4; weft ctl ctl.weft stop; sleep 0.2; touch enough; wait; sh switches ctl.weft; ls -A ctl.weft | grep tmp
1 1 1
? 1
$ . ./run never.weft --paused; sleep 0.1; touch enough; wait; sh switches never.weft
0 0 0
$ . ./run signal.weft --toggle-on USR2; sleep 0.2; kill -USR2 "$(cat pid)"; sleep 0.2; kill -USR2 "$(cat pid)"; sleep 0.2; touch enough; wait; sh switches signal.weft
1 1 1
$ . ./run time.weft --after 200ms --for 300ms; sleep 1; touch enough; wait; sh switches time.weft
1 1 1
$ weft info --json time.weft | jq -c '[.dropped, .problems]'
[0,0]
$ weft ctl time.weft start
weft ctl: error: 'time.weft' is not being recorded by weft record with --paused, --toggle-on, --after or --for
? 2
$ weft ctl none.weft start
weft ctl: error: cannot open 'none.weft': no such file or directory
? 2
$ weft ctl time.weft pause 2>&1 | head -1
weft ctl: error: expected start or stop, found 'pause'
$ weft record --paused --while x -- true 2>&1 | head -1
weft record: error: --paused, --toggle-on, --after and --for exclude --while
$ weft record --paused --after 1s -- true 2>&1 | head -1
weft record: error: --paused and --after exclude each other
$ weft record --toggle-on KILL -- true 2>&1 | head -1
weft record: error: 'KILL' is no signal that a program can wait for
$ . ./run first.weft --first "st*=7"; sleep 0.2; touch enough; wait; weft dump first.weft | awk '$4 == "step" {n[$3]++} $3 == "off" {off++} END {print n["enter"], n["leave"], off}'
7 7 1
$ weft record --first step -- true 2>&1 | head -1
weft record: error: option '--first': expected REGION=NUMBER, found 'step'
$ weft record --first step=0 -- true 2>&1 | head -1
weft record: error: option '--first': expected REGION=NUMBER, found 'step=0'
$ weft record --first step=1 --bursts 1ms -- true 2>&1 | head -1
weft record: error: --bursts and --first exclude each other
