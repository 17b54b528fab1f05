## SPDX-License-Identifier: Apache-2.0
## weft record: names of traces, statuses, signals, what is said, what libweft is told.

## A program that knows nothing of Weft.
$ weft record --watch none -- true
weft record: no events of libweft: recorded 1 process and 1 thread, their execs and exits, in [..]; next: weft info true.weft
weft record: not recorded: calls (no process called MPI or OpenMP, made a thread or lasted a second): ask for files by --on io, record functions with --probe NAME, or build the program with libweft (man weft_record)

$ weft record --watch none -- true
weft record: [..]; next: weft info true-2.weft
weft record: not recorded: calls (no process called MPI or OpenMP, made a thread or lasted a second): ask for files by --on io, record functions with --probe NAME, or build the program with libweft (man weft_record)

$ weft record -q true; ls -d *.weft
true-2.weft
true-3.weft
true.weft

$ ls true.weft | sed 's/[0-9]*-launcher/PID-launcher/; s/^.*-PID/HOST-PID/; s/topology-.*/topology-HOST.xml/'
topology-HOST.xml
HOST-PID-launcher.stream

## Its status is the command's.
$ weft record -q -- sh -c 'exit 7'
? 7

$ weft record -q -- sh -c 'kill -TERM $$'
? 143

$ weft record -q -- sh -c 'exit 0' one two; echo $?
0

## The trace says it as shells do, of a signal 128 and its number.
$ weft record --watch ptrace -q -o how.weft -- sh -c 'sh -c "exit 9"; sh -c "kill -KILL \$\$"; true' 2>/dev/null
$ weft info -q --list processes --csv how.weft | cut -d, -f14 | paste -sd ' '
status 0 9 137
$ weft dump -q how.weft -f 'kind=exit value=9,137' | awk '{print $3, $4}'
exit 9
exit 137
$ for w in none ptrace; do weft record -q --watch $w -o $w.weft -- sh -c '(exit 3) & wait $!; exit 3'; weft convert -q $w.weft --to csv -o - | grep -c '^exit.*,3,'; done
1
2

## What is said next can be pasted into a shell.
$ weft record --watch none -o "it's one.weft" -- true
weft record: no events of libweft: [..]; next: weft info 'it'\''s one.weft'
weft record: not recorded: [..]

$ weft record -q -- cat <<<'standard input' | tr a-z A-Z
STANDARD INPUT

## A command that cannot be run leaves nothing.
$ weft record -- no-such-program
weft record: error: cannot run 'no-such-program': no such file or directory
? 127

$ touch plain; weft record -- ./plain
weft record: error: cannot run './plain': permission denied
? 126

$ ls -d plain* *such* 2>/dev/null || true
plain

## -o: exact, and nothing is lost.
$ weft record -q -o mine.weft -- true
$ weft record -q -o mine.weft -- true
weft record: error: 'mine.weft' is there already (--force replaces it)
? 2

$ weft record -q --force -o mine.weft -- no-such-program
weft record: error: cannot run 'no-such-program': no such file or directory
? 127

$ ls mine.weft | wc -l; ls -d mine*
2
mine.weft

$ before=$(ls mine.weft/*.stream); weft record -q --force -o mine.weft -- true; ls mine.weft | wc -l; test -f "$before" || echo replaced
2
replaced

## What is being recorded is not replaced: not while weft record runs, and not while a process that it left does.
$ mkfifo go ready; (weft record -q -o busy.weft -- sh -c 'echo >ready; read x <go'; echo ended $?) >first 2>&1 & read x <ready; weft record --force -o busy.weft -- true; weft convert -q --force mine.weft -o busy.weft; echo >go; wait; cat first; weft check -q busy.weft
weft record: error: 'busy.weft' is being recorded by another weft record
weft convert: error: 'busy.weft' is being recorded by another weft record
ended 0

$ mkdir papers && touch papers/thesis.tex && weft record -q --force -o papers -- true
weft record: error: 'papers' is there already, and holds more than a trace
? 2

$ weft record -o no/parent.weft -- true
weft record: error: cannot make 'no/parent.weft': no such file or directory
? 2

$ weft record -o plain -- true
weft record: error: [..]'plain'[..]
? 2

## Usage.
$ weft record
weft record: error: say which command to run
Try 'weft record --help'.
? 2

$ weft record --ring 1M --stop-at 1M -- true
weft record: error: --ring and --stop-at exclude each other
Try 'weft record --help'.
? 2

$ for o in '--stop-at 0' '--ring 0' '--stop-at 0K' '--off=' '--on='; do weft record -o odd $o -- true 2>&1 | head -n 1; done; ls -d odd*
weft record: error: option '--stop-at': expected a size greater than 0
weft record: error: option '--ring': expected a size greater than 0
weft record: error: option '--stop-at': expected a size greater than 0
weft record: error: option '--off': expected a category, found ''
weft record: error: option '--on': expected a category, found ''
ls: cannot access 'odd*': No such file or directory
? 2

$ weft record --save-on USR1 -- true
weft record: error: --save-on needs --ring SIZE
Try 'weft record --help'.
? 2

$ weft record --ring 1M --save-on KILL -- true
weft record: error: 'KILL' is no signal that a program can wait for
Try 'weft record --help'.
? 2

$ weft record --watch magic -o magic.weft -- true; ls -d magic*
weft record: error: no way of watching is called 'magic' (it can be: perf, ptrace, none)
ls: cannot access 'magic*': No such file or directory
? 2

## By hand: a folder that cannot be made is said, and the program runs.
$ echo file >file; for dir in no/such.weft file file/x.weft; do WEFT_DIR=$dir "$WEFT_BUILD/examples/hello" 2>&1 >/dev/null | sed "s,$PWD/,,"; done; echo $?
weft: nothing is recorded: WEFT_DIR is 'no/such.weft', where no folder can be made
weft: nothing is recorded: WEFT_DIR is 'file', where no folder can be made
weft: nothing is recorded: WEFT_DIR is 'file/x.weft', where no folder can be made
0

## What libweft is told.
$ weft record -q -o env.weft -- env | grep ^WEFT_ | grep -v -e _BUILD= -e _BUILD_ROOT= -e _SOURCE= -e _TIER= -e _BUILD_NAME= -e _SAMPLE= | sort | sed "s,$PWD,HERE,"
WEFT_CLOCKS=meet
WEFT_DIR=HERE/env.weft
WEFT_MODE=keep
WEFT_RECORD=mpi,extrae,openmp,threads,io,samples,counters
WEFT_RUN_ID=[..]
WEFT_WATCHED=[..]

$ weft record -q --ring 1M --save-on USR2 --off a --off 'b*' --on c -- env 2>/dev/null | grep -E '^WEFT_(MODE|SIZE|OFF|ON|SAVE)' | sort
WEFT_MODE=ring
WEFT_OFF=a,b*
WEFT_ON=c
WEFT_SAVE_SIGNAL=12
WEFT_SIZE=1048576

$ WEFT_OFF=outer WEFT_SIZE=7 weft record -q --stop-at 2M -- env | grep -E '^WEFT_(MODE|SIZE|OFF)' | sort
WEFT_MODE=stop
WEFT_SIZE=2097152

## Signals go to the command.
$ weft record -q -- sh -c 'trap "echo caught; exit 3" TERM; kill -TERM $PPID; sleep 10 & wait'
caught
? 3

$ weft record -q -- sh -c 'trap "echo caught; exit 4" INT; kill -INT $PPID; sleep 10 & wait'
caught
? 4

## Who cuts the streams off while they are written ends the recording, and no program.
$ weft record -q -o cut.weft -- sh -c 'truncate -s 0 cut.weft/*.stream; for i in 1 2 3 4 5 6 7 8 9; do sh -c :; done; exit 4'
? 4

## What the command leaves behind runs on.
$ weft record -o left.weft -- sh -c 'sleep 300 >/dev/null 2>&1 & echo $! >pid' 2>&1 | sed 's/, 1 process left running//; s/recorded [0-9]* process[es]* and [0-9]* threads*,/recorded some,/'
weft record: no events of libweft: recorded some, their execs and exits, in [..]; next: weft info left.weft
weft record: not recorded: [..]

$ kill "$(cat pid)" && echo runs
runs

## Killed itself, it harms neither the command nor the trace.
$ bash -c "weft record -q --off io -o killed.weft -- sh -c 'kill -KILL \$PPID; sleep 0.2; echo alive >after'; true" 2>/dev/null; while [ ! -s after ]; do sleep 0.05; done; cat after
alive

$ weft dump killed.weft | grep -c thread_begin
1
