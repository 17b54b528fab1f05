## SPDX-License-Identifier: Apache-2.0
## needs: gcc
## tags: builds=release,debug timeout=180
## weft tune with collectors between a program and the analyzer. On other hosts: tune_hosts.sh.
$ gold=$WEFT_SOURCE/tests/golden/tunlets; gcc -O2 -g -o tune_steps $WEFT_SOURCE/tests/tools/tune_steps.c

## The same is evaluated and done with any number of them; a program that is run again counts its iterations anew.
$ for n in 0 1 3; do weft tune -q --collectors $n -t $gold/steps.tsl --report report.txt -- sh -c './tune_steps 20 20000; ./tune_steps 20 20000'; grep -cE ' [0-9]+: T=.* ok=1 iter.number=[0-9]+ iter.ld=1.5 iter.us=20000' report.txt; grep -c 'SetVariableValue chunk = 7, was 1' report.txt; done
chunk 7, called 0, inserted no, noted all, replaced no, scaled 1, wrong 0
chunk 7, called 0, inserted no, noted all, replaced no, scaled 1, wrong 0
40
2
chunk 7, called 0, inserted no, noted all, replaced no, scaled 1, wrong 0
chunk 7, called 0, inserted no, noted all, replaced no, scaled 1, wrong 0
40
2
chunk 7, called 0, inserted no, noted all, replaced no, scaled 1, wrong 0
chunk 7, called 0, inserted no, noted all, replaced no, scaled 1, wrong 0
40
2

## Where every event is wanted collectors only pass on, and that is said, once. What is only recorded they fold, too.
$ sed '/^MODEL PARAMETERS/a\  id: mean\n  type: double\n  metric: /# average of value("steps.StepBegins.iteration") #/' $gold/steps.tsl >metric.tsl
$ weft tune --collectors 2 -t metric.tsl -- ./tune_steps 5 1000 2>&1 >/dev/null | grep -cE "steps: collectors only pass its events on, as it has metrics$"
1
$ weft tune --collectors 2 -o passed.weft -t $gold/steps.tsl -- ./tune_steps 5 1000 2>&1 >/dev/null | grep -c 'only pass its events'
0
? 1
$ weft dump passed.weft | grep -c 'steps.StepBegins.iteration ='
5

## The report says what the model would have for what was measured.
$ weft tune --collectors 1 -t $gold/steps.tsl -- ./tune_steps 5 1000 2>&1 >/dev/null | grep -cE 'collectors: 1; for [0-9]+ events/s, 100 % of them needed above, and [0-9.]+ iterations/s the model has 0 in 0 levels'
1

## What cannot be is said before anything runs.
$ weft tune --collectors many -t $gold/steps.tsl -- ./tune_steps 1
weft tune: error: --collectors: expected 'auto' or a number below 32, found 'many'
? 2
$ weft tune --place nowhere -t $gold/steps.tsl -- ./tune_steps 1
weft tune: error: --place: expected NAME=COMMAND, found 'nowhere'
? 2
$ weft tune-collector
weft: error: --parent says whom to connect to
Try 'weft tune-collector --help'.
? 2
$ echo no-secret | weft tune-collector --parent 127.0.0.1:1 --secret-fd 0
weft: error: a secret has 64 hexadecimal digits
? 2
