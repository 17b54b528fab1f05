## SPDX-License-Identifier: Apache-2.0
## needs: gcc gfortran
## tags: builds=release,debug,asan
## Programs that call Extrae's interface: what they tell is in the trace, by their numbers, and in Paraver's files.
$ gcc -O1 -rdynamic -I "$WEFT_SOURCE"/include "$WEFT_SOURCE"/tests/tools/extrae_calls.c -o calls && ./calls
no Extrae
$ weft record -q -o calls.weft -- ./calls
recording: 1
recording: 0
$ weft dump -f kind=point calls.weft | awk '{$1 = $2 = $3 = ""; print}' | tr -s ' '
 Phase = 1 "one"
 type 1000 = 1
 type 1000 = 0
 type 1000 = 2
 type 1000 = 0
 type 1000 = 3
 type 1000 = 0
 type 1000 = 9
 Phase = 2 "two"
 type 3000 = 5
 type 3000 = 6
 type 3000 = 5
 type 3000 = 0
 type 10 = 1
 type 11 = 2
 type 12 = 3
 type 1000 = 78

## The three of one call are of one instant; functions nest; a message has both ends.
$ weft dump -f 'kind=point and (name="type 10" or name="type 11" or name="type 12")' calls.weft | awk '{print $1}' | uniq | wc -l
1
$ weft stat --by region --csv calls.weft | awk -F, '/^(inner|outer)/ {print $1, $4}' | sort
inner 3
outer 1
$ weft info --json calls.weft | jq -c '[.messages, .dropped, .problems]'
[1,0,0]

## As Paraver has it: types are the program's numbers, several values of one instant stand in one line.
$ weft convert calls.weft -o calls.prv; grep -oE ':(10|11|12|1000|2000|3000):[0-9].*' calls.prv
:2000:1
:1000:1
:1000:0
:1000:2
:1000:0
:1000:3
:1000:0
:1000:9
:2000:2
:3000:5
:3000:6
:3000:5
:3000:0
:10:1:11:2:12:3
:1000:78
$ grep -A3 '2000    Phase' calls.pcf
0    2000    Phase
VALUES
1    one
2    two

## In Fortran arguments are references; the program is linked with the library, which does nothing where nothing records.
$ printf 'program p\n integer*4 :: t(2) = (/500, 501/), n = 2\n integer*8 :: v(2) = (/7, 8/)\n call extrae_init()\n call extrae_event(t(1), v(1))\n call extrae_nevent(n, t, v)\n call extrae_fini()\nend program\n' >calls.f90; gfortran calls.f90 -o fcalls -L"$WEFT_BUILD" -lweft-preload -Wl,-rpath,"$WEFT_BUILD" && ./fcalls && weft record -q -o fcalls.weft -- ./fcalls; weft dump -f kind=point fcalls.weft | awk '{print $4, $5, $6, $7}'
type 500 = 7
type 500 = 7
type 501 = 8

## Their settings: rows are options of ours, or said to be none, with their line; $NAME$ is the variable. At the end there is the .prv.
$ printf '%s\n' '<?xml version="1.0"?>' '<trace enabled="yes" home="/opt" initial-mode="bursts" type="paraver">' ' <mpi enabled="yes"><counters enabled="yes"/></mpi>' ' <storage enabled="yes"><trace-prefix enabled="yes">$HOW$</trace-prefix><size enabled="no">5</size></storage>' ' <others enabled="yes"><finalize-on-signal enabled="yes" SIGUSR1="no"/></others>' ' <wonder enabled="yes"/>' ' <cuda enabled="no"/>' ' <merge enabled="yes" synchronization="default" max-memory="512">made.prv</merge>' '</trace>' >extrae.xml
$ HOW=set EXTRAE_CONFIG_FILE=extrae.xml weft record -- ./calls 2>&1 >/dev/null | grep -v -e ' events of ' -e sampl -e callers
weft record: warning: extrae.xml:6: <wonder>: unknown
weft record: wrote made.prv
$ ls -d set.weft made.prv made.pcf made.row
made.pcf
made.prv
made.row
set.weft
$ printf '%s\n' '<trace enabled="yes" initial-mode="bursts">' ' <mpi enabled="yes"/>' ' <burst enabled="yes" threshold="500u" mpi-statistics="yes" omp-statistics="yes" omp-summarization="yes"/>' '</trace>' >burst.xml; weft record --extrae burst.xml -o b.weft -- sh -c 'echo $WEFT_BURSTS' 2>&1 | grep -v -e ' events of ' -e 'no events' -e 'not recorded'
weft record: warning: burst.xml:3: omp-summarization of <burst>: no counterpart: threads have statistics of their own
500000
$ printf '%s\n' '<trace enabled="yes" initial-mode="bursts">' ' <bursts enabled="yes">' '  <threshold enabled="yes">2m</threshold>' '  <mpi-statistics enabled="no"/>' ' </bursts>' '</trace>' >burst.xml; weft record -q --extrae burst.xml -o b.weft -- sh -c 'echo $WEFT_BURSTS'; sed -i 's/"bursts">/"detail">/' burst.xml; weft record -q --extrae burst.xml -o b.weft -- sh -c 'echo ${WEFT_BURSTS-none}'
2000000
none
$ EXTRAE_ON=1 EXTRAE_DISABLE_MERGE=1 EXTRAE_INITIAL_MODE=bursts EXTRAE_BURST_THRESHOLD=1x weft record -q -- sh -c 'echo $WEFT_BURSTS'
10000000
$ printf '<other/>' >other.xml; weft record --extrae other.xml -- ./calls; echo $?
weft record: error: other.xml:1: expected <trace>, found <other>
2
$ printf '<trace enabled="no"/>' >no.xml; weft record --extrae no.xml -o no.weft -- sh -c 'exit 3'; echo $?; ls -d no.weft 2>/dev/null || true
weft record: warning: nothing is recorded: Extrae's settings are off
3
$ EXTRAE_ON=1 EXTRAE_PROGRAM_NAME=vars EXTRAE_DISABLE_MERGE=1 weft record -q -- ./calls >/dev/null; ls -d vars.weft
vars.weft
$ EXTRAE_ON=1 EXTRAE_PROGRAM_NAME=counted EXTRAE_DISABLE_MERGE=1 EXTRAE_COUNTERS=PAPI_TOT_INS,PAPI_NOPE EXTRAE_SAMPLING_PERIOD=2ms weft record -- ./calls 2>&1 >/dev/null | grep -e NOPE -e PERIOD
weft record: warning: EXTRAE_COUNTERS: there is no counter 'PAPI_NOPE'

## Their way: one of their names in LD_PRELOAD, no weft record. Who is not told to record does not.
$ ln -s "$WEFT_BUILD"/libweft-preload.so.0 libseqtrace.so; rm -r made.* set.weft; EXTRAE_CONFIG_FILE=no.xml LD_PRELOAD=$PWD/libseqtrace.so ./calls 2>/dev/null
recording: 0
recording: 0
$ HOW=again EXTRAE_CONFIG_FILE=extrae.xml LD_PRELOAD=$PWD/libseqtrace.so ./calls 2>/dev/null; weft dump -f kind=point again.weft | wc -l; grep -c ':1000:' made.prv
recording: 1
recording: 0
17
8

## By hand, for commands that others start; a key is a run.
$ env $(weft record --environment -o hand.weft) ./calls; weft dump -f kind=point hand.weft | wc -l
recording: 1
recording: 0
17
$ for key in one one two; do weft record --environment -o join.weft --join $key >env.$key || echo refused; done; ls join.weft | grep -c launcher
weft record: error: 'join.weft' is there already (--force replaces it)
refused
1
$ weft record --environment -- true; weft record --join x -- true; echo $?
weft record: error: --environment takes no command
Try 'weft record --help'.
weft record: error: --join needs --environment and --output
Try 'weft record --help'.
2
