## SPDX-License-Identifier: Apache-2.0
## weft view: the library, showing, converting, errors with their place.
$ weft view list | head -4
view                     shows
cpus                     which cpu each thread runs on, as the trace's events say it
efficiency               how well the processes of a program are used: share of time that each thread computes
flushing                 time that tracing itself took, when it wrote its buffers
$ weft view list --csv | grep ipc
ipc,"instructions a cycle while computing: average of each thread, and how long which"
$ weft view show ipc
about "instructions a cycle while computing: average of each thread, and how long which"
useful = state == Running
ipc "instructions a cycle" = rate(PAPI_TOT_INS) / rate(PAPI_TOT_CYC) where useful { colour not_null }
table "time by instructions a cycle" = time by ipc { scale 0.01..6 step 0.1 }
table "instructions a cycle" = average of ipc by useful { scale 1..1 step 1 }
$ weft view convert ipc -o -
about "instructions a cycle while computing: average of each thread, and how long which"

useful = in_state(Running)
ipc.1 = rate(PAPI_TOT_INS)
ipc.2 = rate(PAPI_TOT_CYC)
ipc.3 = ipc.1 / ipc.2
instructions_a_cycle "instructions a cycle" = ipc.3 * useful

table "time by instructions a cycle" = time by instructions_a_cycle {
	scale 0.01..6 step 0.1
}

table "instructions a cycle" = average of instructions_a_cycle by useful {
	scale 1..1 step 1
}
$ weft view convert ipc -o ipc.cfg && weft view show ipc.cfg >again && weft view convert ipc -o - | diff - again
$ grep -e window_name -e window_operation -e window_identifiers -e Statistic ipc.cfg
window_name useful
window_name ipc.1
window_name ipc.2
window_name ipc.3
window_operation divide
window_identifiers 2 3
window_name instructions a cycle
window_operation product
window_identifiers 4 1
Analyzer2D.Statistic: Time
Analyzer2D.Statistic: Average value
$ weft view convert ipc -o ipc.cfg
weft view: error: 'ipc.cfg' is there already (--force replaces it)
Try 'weft view --help'.
? 2
$ weft view convert ipc
weft view: error: say where to write, with -o OUT
Try 'weft view --help'.
? 2
$ weft view show ipcc
weft view: error: unknown view 'ipcc', did you mean 'ipc'? (see 'weft view list')
? 2
$ weft view shw ipc
weft view: error: unknown 'shw' (did you mean 'show'?)
Try 'weft view --help'.
? 2
$ weft view show
weft view: error: 'show' takes a VIEW
Try 'weft view --help'.
? 2
$ printf 'useful = state == Running\nipc = rate(PAPI_TOT_INS) / rat(PAPI_TOT_CYC) where useful\n' >wrong.view; weft view show wrong.view
weft view: error: wrong.view:2:28: unknown metric or function 'rat' (did you mean 'rate'?)
ipc = rate(PAPI_TOT_INS) / rat(PAPI_TOT_CYC) where useful
                           ^
? 2
$ mkdir mine; printf 'about "of my own"\na = state\n' >mine/my-view.view; WEFT_VIEWS=mine weft view list | head -2; WEFT_VIEWS=mine weft view show my-view
view                     shows
my-view                  of my own
about "of my own"
a = state
$ for v in mine:no-such mine/my-view.view; do WEFT_VIEWS=$v weft view list; done; WEFT_VIEWS=:mine: weft view list | head -n 2 | tail -n 1; WEFT_VIEWS=no-such weft completion words -- view show my
weft view: error: WEFT_VIEWS: 'no-such' is no folder
Try 'weft view --help'.
weft view: error: WEFT_VIEWS: 'mine/my-view.view' is no folder
Try 'weft view --help'.
my-view                  of my own
:files
$ weft view show "$WEFT_SOURCE/views/states.view"
# SPDX-License-Identifier: Apache-2.0
about "time in each state, by thread"
states = state
table "states" = window_time_share by states
## messages and events over a picture: in a text and in a .cfg
$ cp "$WEFT_SOURCE"/tests/golden/views/sample.* .; printf 'a = state { lines; flags }\n' >marks.view; weft view convert marks.view -o marks.cfg; grep -E 'comm_lines|flags' marks.cfg; weft view convert marks.cfg -o - | grep -E 'lines|flags'
window_comm_lines_enabled true
window_flags_enabled true
	lines
	flags
$ for v in marks.view marks.cfg; do weft timeline $v sample.prv -o marks.svg --force && grep -oE '>(message|event)<' marks.svg; done; weft timeline states sample.prv -o plain.svg && grep -cE '>(message|event)<' plain.svg
>message<
>event<
>message<
>event<
0
? 1
