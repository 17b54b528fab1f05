## SPDX-License-Identifier: Apache-2.0
## needs: gcc
## tags: builds=release,debug timeout=180
## weft tune: programs under tunlets. Nothing of the program's own changes but what a tunlet decides.
$ gold=$WEFT_SOURCE/tests/golden/tunlets; gcc -O2 -g -o tune_steps $WEFT_SOURCE/tests/tools/tune_steps.c
$ ./tune_steps 5
chunk 1, called 0, inserted no, noted all, replaced no, scaled 1, wrong 0
? 3

## A variable is set when the third step was evaluated; output and status are the program's. (It goes on until that has happened.)
$ weft tune -q -t $gold/steps.tsl --report report.txt -- ./tune_steps 20 5000 chunk
chunk 7, called 0, inserted no, noted all, replaced no, scaled 1, wrong 0
? 3
$ grep -E '^Tunlet|^1 action|hits' report.txt | sed -E 's/[0-9]+ (iterations|hits)/N \1/'
Tunlet 'steps': N iterations evaluated, 0 not decided upon, 0 late events, 0 faults
1 action:
  events [..] N hits, 0 of them by traps; measured: [..] ns an entry, [..] ns an exit
$ grep -E 'SetVariableValue' report.txt
[..] s  iteration 2, p [..]: SetVariableValue chunk = 7, was 1; in force after [..], the action took [..]
$ steps() { grep -cE ' [0-9]+: T=.* ok=1 iter.number=[0-9]+ iter.ld=1.5 iter.us=5000' $1; }; at_least() { awk -v n=$1 '{print ($1 >= n ? "at least " n : $1)}'; }; steps report.txt | at_least 20
at least 20

## Every kind of action, some of them synchronised: what the program computes stays right.
$ weft tune -q -t $gold/actions.tsl --report report.txt -- ./tune_steps 40 5000 all
chunk 7, called 3, inserted yes, noted some, replaced yes, scaled 9, wrong 0
? 3
$ grep -oE '(iteration [0-9]+, p|[A-Z][A-Za-z]+ [a-z_]+ (=|in) [^;]*;)' report.txt | grep ';'
SetVariableValue chunk = 7, was 1;
ReplaceFunction pick = pick_other;
InsertFunctionCall step_begin = insert_me;
OnTimeFuncCall call_me = 3;
FuncParamChange scaled = 9, was 1;
LoadLibrary m = libm.so.6;
RemoveFuncCall note in main;

## A dry run decides the same, and changes nothing.
$ weft tune -q -n -t $gold/steps.tsl --report report.txt -- ./tune_steps 20 5000
chunk 1, called 0, inserted no, noted all, replaced no, scaled 1, wrong 0
? 3
$ grep -E 'SetVariableValue' report.txt; steps report.txt; grep -oE '^Tunlet.*|[0-9]+ hits' report.txt
[..] s  iteration 2, p [..]: SetVariableValue chunk = 7 (not done: a dry run)
20
Tunlet 'steps': 20 iterations evaluated, 0 not decided upon, 0 late events, 0 faults
40 hits

## A trace of it; a tunlet on that trace computes and decides the same, and so it does on what weft record --probe has seen.
$ weft tune -q -o run.weft -t $gold/steps.tsl --report report.txt -- ./tune_steps 20 5000 chunk
chunk 7, called 0, inserted no, noted all, replaced no, scaled 1, wrong 0
? 3
$ weft dump run.weft | awk '{print $4, $5, $6}' | grep -E 'steps.chunk|iteration = (2|19)' | sort
steps.StepBegins.iteration = 19
steps.StepBegins.iteration = 2
steps.chunk = 7
steps.chunk.decided = 7
steps.chunk.old = 1
steps.iteration = 19
steps.iteration = 2
$ weft check run.weft | head -n 1
run.weft: sound[..]
$ weft tune -q --replay run.weft -t $gold/steps.tsl --report replay.txt; values() { grep -oE ' [0-9]+: T=.*' "$1" | sed -E 's/T=([0-9]+[.][0-9])[0-9]*/T=\1/'; }; diff <(values report.txt) <(values replay.txt) && grep SetVariable replay.txt
[..] s  iteration 2, p [..]: SetVariableValue chunk = 7 (not done: a dry run)
$ weft record -q -o probes.weft --probe 'step_begin(;iteration,load)' --probe 'step_end(i,took)' -- ./tune_steps 20 5000
chunk 1, called 0, inserted no, noted all, replaced no, scaled 1, wrong 0
? 3
$ weft tune -q --replay probes.weft -t $gold/steps.tsl --report replay.txt; grep -E '^Tunlet|SetVariable' replay.txt
Tunlet 'steps': 20 iterations evaluated, 0 not decided upon, 0 late events, 0 faults
[..] s  iteration 2, p [..]: SetVariableValue chunk = 7 (not done: a dry run)

## Processes that run already: attach, tune, let go; the program runs on. (What an earlier command has said must be gone before one is waited for.)
$ until_said() { until grep -qE "$1" ${2:-said} 2>/dev/null; do sleep 0.05; done; }
$ rm -f said; ./tune_steps 10 5000 stop >out & pid=$!; weft tune -v -t $gold/steps.tsl --enters p=step_end --attach $pid --report report.txt >/dev/null 2>said & until_said 'iteration 1[0-9][0-9]:'; kill -INT $!; wait $!; echo "weft $?"; kill -0 $pid && touch stop && wait $pid; echo "program $?"; cat out; rm stop
weft 0
program 3
chunk [..], called 0, inserted no, noted all, replaced no, scaled 1, wrong 0
$ steps report.txt | at_least 20
at least 20
$ sed 's/cond: .*/cond: \/# iter.number > 20 #\//' $gold/steps.tsl >later.tsl; rm -f said; ./tune_steps 10 5000 stop >out & pid=$!; weft tune --undo -t later.tsl --attach $pid --report report.txt 2>said & until_said 'chunk = [0-9]*, was 1,'; kill -INT $!; wait $!; echo "weft $?"; touch stop; wait $pid; cat out; rm stop; grep -c 'chunk = [0-9]*, was 1; .*; undone' report.txt; grep -o 'is let go.*' said
weft 0
chunk 1, called 0, inserted no, noted all, replaced no, scaled 1, wrong 0
1
is let go: the run is over
$ weft tune -t $gold/steps.tsl --when-full never -- ./tune_steps 1 1
weft tune: error: --when-full: expected wait or drop, found 'never'
Try 'weft tune --help'.
? 2

$ weft tune -q -t $gold/steps.tsl --when-full wait --report report.txt -- ./tune_steps 20 5000 chunk; grep -c '^Tunlet.*, 0 faults' report.txt
chunk 7, called 0, inserted no, noted all, replaced no, scaled 1, wrong 0
1

$ weft tune -t $gold/steps.tsl --attach 999999999
weft tune: error: there is no process 999999999
? 2

## Processes that come and go: a shell is no actor, its children are; fork and exec make further ones.
$ weft tune -q -t $gold/steps.tsl --report report.txt -- sh -c './tune_steps 20 5000 chunk; ./tune_steps 20 5000 chunk; exit 9'; grep -c tune_steps' on' report.txt
chunk 7, called 0, inserted no, noted all, replaced no, scaled 1, wrong 0
chunk 7, called 0, inserted no, noted all, replaced no, scaled 1, wrong 0
2
$ weft tune -q -t $gold/steps.tsl --report report.txt -- ./tune_steps 20 5000 chunk exec; grep -c tune_steps' on' report.txt
chunk 7, called 0, inserted no, noted all, replaced no, scaled 1, wrong 0
2
$ weft tune -q -t $gold/steps.tsl --report report.txt -- ./tune_steps 20 5000 chunk fork | wc -l; grep -c tune_steps' on' report.txt
2
2

## Signals and statuses are the command's.
$ weft tune -q -t $gold/steps.tsl -- sh -c 'kill -TERM $$'
? 143
$ weft tune -q -t $gold/steps.tsl -- ./no-such
weft tune: error: cannot run './no-such': no such file or directory
? 127
$ weft tune -q -t $gold/steps.tsl -- sleep 20 & sleep 0.5; kill -TERM $!; wait $!
? 143

## One of the parties is killed: the program runs on, unchanged, and nobody is left behind.
$ party() { pgrep -P "$1" -x "weft-$2"; }
$ for k in analyzer controller; do rm -f said; weft tune -t $gold/steps.tsl -- ./tune_steps 20 5000 stop 2>said & tune=$!; until_said 'chunk = 7, was'; kill -KILL $(party $tune $k); until_said 'has ended by a signal'; touch stop; wait $tune; echo "status $?"; rm stop; grep -o 'the [a-z]* has ended by a signal: the program runs on' said; done
chunk 7, called 0, inserted no, noted all, replaced no, scaled 1, wrong 0
status 3
the analyzer has ended by a signal: the program runs on
chunk 7, called 0, inserted no, noted all, replaced no, scaled 1, wrong 0
status 3
the controller has ended by a signal: the program runs on
$ rm -f said; weft tune -t $gold/steps.tsl -- sh -c 'echo $$ >pid; exec ./tune_steps 20 5000 stop >out' 2>said & tune=$!; until_said 'chunk = 7, was'; kids=$(pgrep -P $tune -x 'weft-.*'); kill -KILL $tune; wait $tune 2>/dev/null; for k in $kids; do while kill -0 $k 2>/dev/null; do sleep 0.05; done; done; touch stop; while kill -0 $(cat pid) 2>/dev/null; do sleep 0.05; done; cat out; rm stop
chunk 7, called 0, inserted no, noted all, replaced no, scaled 1, wrong 0

## Before a run: what can be done in a program, and why not.
$ weft tune check ./tune_steps $gold/actions.tsl
event 'StepBegins' of p: ok
event 'StepEnds' of p: ok
point 'chunk' of p: ok
point 'pick' of p: ok
point 'step_begin': ok
point 'call_me': ok
point 'note': ok
point 'scaled': ok
point 'm': ok
predicted intrusion: 5.00 ms at the start, 100 us for 2 probes, 35 ns for an event, 100 us for an action; 286 k events/s are 1 % of a processor
$ sed 's/step_end$/step_ende/; s/method: step_begin$/method: zzyzx/; s/id: load$/id: lod/; s/  id: chunk/  id: chnk/' $gold/steps.tsl >wrong.tsl; sed -i 's/IterB.load/StepBegins.lod/; s/StepBegins.load/StepBegins.lod/' wrong.tsl; weft tune check ./tune_steps wrong.tsl
event 'StepBegins' of p: cannot be measured: no function 'zzyzx' in this process: it is not there, or was inlined everywhere
event 'StepEnds' of p: cannot be measured: no function 'step_ende' in this process: did you mean 'step_end'?
point 'chnk' of p: cannot be tuned: no variable 'chnk' in this process: did you mean 'chunk'?
predicted intrusion: 5.00 ms at the start, 0 ns for 0 probes, 35 ns for an event, 100 us for an action; 286 k events/s are 1 % of a processor
? 1
$ weft tune check ./no-such $gold/steps.tsl
weft tune: error: cannot run './no-such'
? 2

## Wrong options and specifications: one line, status 2, and nothing is run.
$ weft tune -- ./tune_steps
weft tune: error: say which tunlet: --tunlet SPEC
Try 'weft tune --help'.
? 2
$ weft tune -t $gold/steps.tsl
weft tune: error: say which command to run
Try 'weft tune --help'.
? 2
$ weft tune -t $gold/steps.tsl --exe q=x -- ./tune_steps
weft tune: error: --exe: no tunlet has an actor 'q'
? 2
$ weft tune -t $gold/steps.tsl --rank p=many -- ./tune_steps
weft tune: error: --rank: 'many' says no ranks (like '0', '1-', '!= 0', '2-4')
? 2
$ weft tune -t $gold/faults.tsl -t no-such.tsl -- ./tune_steps
weft tune: error: cannot open 'no-such.tsl': no such file or directory
? 2
$ echo nonsense >bad.tsl; weft tune -t bad.tsl -- ./tune_steps 2>&1 | tail -n 1
weft tune: error: 'bad.tsl' has errors: it cannot run
$ weft tune --replay run.weft -t $gold/steps.tsl -- ./tune_steps
weft tune: error: --replay takes a trace alone: no command, no --attach, no --output
Try 'weft tune --help'.
? 2

## The names of MATE: tunlets of the folder, or of $WEFT_TUNLETS.
$ ln -s "$(command -v weft)" MATE; WEFT_TUNLETS=$gold/steps.tsl ./MATE ./tune_steps 20 5000 chunk 2>/dev/null
chunk 7, called 0, inserted no, noted all, replaced no, scaled 1, wrong 0
? 3

## What a program says by libweft is measured without a probe in it: regions with attributes, points. The same from a recording of it.
$ gcc -O2 -I$WEFT_SOURCE/include -o tune_emits $WEFT_SOURCE/tests/tools/tune_emits.c -L$WEFT_BUILD -lweft -Wl,-rpath,$WEFT_BUILD; weft tune -q -t $gold/emits.tsl --report report.txt -- ./tune_emits 20 5000 chunk; grep -oE '^Tunlet.*evaluated|iteration 4.*was 1;' report.txt | sed 's/p [0-9]*/p/'
chunk 25
Tunlet 'emits': [..] iterations evaluated
iteration 4, p: SetVariableValue chunk = 25, was 1;
$ weft record -q -o emits.weft -- ./tune_emits 20 5000; weft tune -q -o tuned.weft -t $gold/emits.tsl -- ./tune_emits 20 5000 chunk; for t in emits tuned; do weft tune -q --replay $t.weft -t $gold/emits.tsl --report replay.txt; grep -oE '^Tunlet.*evaluated|iteration 4.*chunk = [0-9]+' replay.txt | sed 's/p [0-9]*/p/'; done
chunk 1
chunk 25
Tunlet 'emits': 20 iterations evaluated
iteration 4, p: SetVariableValue chunk = 25
Tunlet 'emits': [..] iterations evaluated
iteration 4, p: SetVariableValue chunk = 25

## Events are added and removed while the program runs.
$ weft tune -q -t $gold/adds.tsl --report report.txt -- ./tune_steps 20 5000 chunk
chunk [..], called 0, inserted no, noted all, replaced no, scaled 1, wrong 0
? 3
$ grep -oE " [0-9]+: T=.*" report.txt | sed -E 's/T=[0-9.]* .* n=([01]).*/\1/' | awk '{if ($1 + 0 <= 5) early += $2; if ($2 != last) turns++; last = $2; n += $2} END {print early, turns, (n >= 7 ? "at least 7" : n)}'
0 2 at least 7

## Handlers written by hand instead of expressions: the same tasks, events and actions.
$ cat >hand.c <<'END'
> #include <string.h>
> #include <weft/tunlet.h>
> static int event(void *self, const struct weft_tunlet_host *host, const struct weft_tunlet_record *r)
> {
> 	(void)self;
> 	if (strcmp(r->event->name, "StepBegins") == 0 && r->value[0].whole == 3 && r->value[1].number == 1.5)
> 		return host->tune(host, r->task, "chunk", (struct weft_tunlet_value){.number = 33});
> 	return 0;
> }
> const struct weft_tunlet weft_tunlet = {.version = WEFT_TUNLET_VERSION, .event = event};
> END
$ gcc -shared -fPIC -I$WEFT_SOURCE/include -o hand.so hand.c; weft tune -q -t $gold/steps.tsl --handlers steps=./hand.so --report report.txt -- ./tune_steps 20 5000 chunk; grep -c 'chunk = 33, was 1;' report.txt
chunk 33, called 0, inserted no, noted all, replaced no, scaled 1, wrong 0
1

## Two tunlets that want to change the same: what the first has just done, the second does not undo, and says so.
$ sed 's/^name: steps/name: other/; s/iter.number + 5/99/; s/iter.number == 2/iter.number == 3/' $gold/steps.tsl >other.tsl; weft tune -t $gold/steps.tsl -t other.tsl -- ./tune_steps 30 5000 chunk 2>said
chunk 7, called 0, inserted no, noted all, replaced no, scaled 1, wrong 0
? 3
$ grep -oE 'other, iteration 3: SetVariableValue chunk = 99 is not done: .*steps' said
other, iteration 3: SetVariableValue chunk = 99 is not done: [..]steps
