## SPDX-License-Identifier: Apache-2.0
## tags: timeout=120
## weft tunlet try, compile and TG: tunlets are translated, compiled, and fed with events; the values are computed by hand.
$ gold=$WEFT_SOURCE/tests/golden/tunlets; share=$WEFT_SOURCE/share/weft/tunlets

## The number of workers: first all that there are, then 4 (what it is computed from stands in the events).
$ weft tunlet try $share/nworkers.tsl $gold/nworkers_shipped.events
iteration 1: evaluated: n=2 vi=3000 vm=1000 Vt=4000 Ct=12000 starts=45 tl=15 lambda=0 Nopt=10 gain=4.466666666666667 iter.StartedIteration=1 iter.tuplesize=100 iter.begin=0 iter.most=10 iter.nw=2 iter.iterCommTime=30
iteration 1: SetVariableValue NOptWorkers = 10
iteration 2: evaluated: n=2 vi=3000 vm=1000 Vt=4000 Ct=280 starts=18105 tl=25 lambda=0.03875 Nopt=4 gain=1.281437125748503 iter.StartedIteration=2 iter.tuplesize=100 iter.begin=9000 iter.most=10 iter.nw=2 iter.iterCommTime=205
iteration 2: SetVariableValue NOptWorkers = 4
iteration 2: late: WFinishesTask

## Factoring: means 2 and 4 of a task, so 3 and a deviation of 1. Of 40 tasks 40/(4/3*2) = 15, but no more than 40/(4*(1/2+1/4)) = 13; of 14 then
## 14/(7/3*2) = 3; of 8 and of 6, 1. When the last are sent, the first size comes back; then each wait of 182 asks for 30 at least.
$ weft tunlet try $share/loadbalance.tsl $gold/loadbalance.events | grep -v ' evaluated'
iteration 1: SetVariableValue globalSizeChunk = 13
iteration 2: SetVariableValue globalSizeChunk = 3
iteration 2: SetVariableValue globalSizeChunk = 1
iteration 2: SetVariableValue globalSizeChunk = 1
iteration 2: SetVariableValue globalSizeChunk = 13
iteration 2: SetVariableValue globalSizeChunk = 30
$ weft tunlet try $share/loadbalance.tsl $gold/loadbalance.events | grep -o 'MC=.*nrobatch=[0-9]*' | uniq
MC=3 sumMC=2 SC=1 x=[1.3333333333333333 2.3333333333333335 2.3333333333333335 2.3333333333333335 2.3333333333333335 2.3333333333333335 2.3333333333333335 2.3333333333333335 2.3333333333333335 2.3333333333333335] waits=0 chunks=2 h=0 slowest=4 rate=0.75 m=1 f=[13 3 1 1 0 0 0 0 0 0] nrobatch=4
MC=3 sumMC=2 SC=1 x=[1.3333333333333333 2.3333333333333335 2.3333333333333335 2.3333333333333335 2.3333333333333335 2.3333333333333335 2.3333333333333335 2.3333333333333335 2.3333333333333335 2.3333333333333335] waits=1092 chunks=8 h=182 slowest=4 rate=0.75 m=30 f=[30 0 0 0 0 0 0 0 0 0] nrobatch=1

## Faults, an endless loop, processes that vanish, lost events, iterations that never end: reported, and nothing else happens.
$ weft tunlet try --limit 2s $gold/faults.tsl $gold/faults.events | sed 's,(.*/,(,'
iteration 1: evaluated: a=[7 1 2] n=0 r=0 iter.it=1 iter.what=0
iteration 2: fault: an index that is not in the array (faults.tsl:98:11)
iteration 2: incomplete: a fault in its evaluation
iteration 3: fault: division by zero (faults.tsl:103:11)
iteration 3: incomplete: a fault in its evaluation
iteration 4: fault: a number that does not fit its type, or is none (faults.tsl:103:11)
iteration 4: incomplete: a fault in its evaluation
iteration 5: fault: a number that does not fit its type, or is none (faults.tsl:103:11)
iteration 5: incomplete: a fault in its evaluation
iteration 6: fault: a process that is not in the iteration (faults.tsl:103:11)
iteration 6: incomplete: a fault in its evaluation
fault: no answer in time: an endless loop? (faults.tsl:103:11)
the tunlet's process was begun anew; open iterations are lost
iteration 8: evaluated: a=[7 1 2] n=0 r=11 iter.it=8 iter.what=0
iteration 8: SetVariableValue knob = 12
iteration 9: fault: a fault of memory (faults.tsl:103:11)
the tunlet's process was begun anew; open iterations are lost
iteration 10: fault: a fault of arithmetic (faults.tsl:103:11)
iteration 10: incomplete: a fault in its evaluation
iteration 11: add event Detail
iteration 11: evaluated: a=[7 1 2] n=0 r=0 iter.it=11 iter.what=9
iteration 12: fault: a fault of memory (faults.tsl:103:11)
the tunlet's process was begun anew; open iterations are lost
iteration 13: evaluated: a=[7 1 2] n=0 r=-inf iter.it=13 iter.what=11
iteration 13: fault: a number that does not fit its type, or is none (faults.tsl:132:11)
iteration 14: evaluated: a=[7 1 2] n=0 r=11 iter.it=14 iter.what=0
iteration 14: SetVariableValue knob = 12
iteration 20: incomplete: p 2 vanished before it was complete
iteration 20: late: End
iteration 21: incomplete: 12 events of process 1 were lost
iteration 21: late: End
iteration 22: incomplete: more than 2 of actor p, its max
iteration 22: late: End
iteration 30: incomplete: later iterations have begun, and it was still not complete

## As published: its warnings do not keep it from running.
$ weft tunlet try $gold/nworkers.tsl $gold/nworkers.events 2>&1 | sed 's,(.*/,(,' | head -3
iteration 1: fault: a process that is not in the iteration (nworkers.tsl:316:12)
iteration 1: incomplete: a fault in its evaluation
iteration 2: fault: a process that is not in the iteration (nworkers.tsl:316:12)
$ weft tunlet try -q $gold/loadbalance.tsl $gold/loadbalance.events 2>&1 | grep -c error:
13

## Handlers written by hand: a worker that is slow gets fewer tasks at a time; another is watched closely.
$ cat >hand.tsl <<'END'
> TUNLET
> id: hand
> MEASURE POINTS
> VARIABLES AND VALUES
> variable
> id: chunk
> source: asVarValue
> type: int
> actorId: worker
> endvariable
> EVENTS
> event
> id: Starts
> actorId: worker
> controliter: begin
> utility: always
> method: step
> place: entry
> endevent
> event
> id: Ends
> actorId: worker
> controliter: end
> utility: always
> method: step
> place: exit
> ATTRS
> id: chunk
> endevent
> event
> id: Detail
> actorId: worker
> controliter: no
> utility: addable
> method: detail
> place: entry
> endevent
> ACTORS
> actor
> id: worker
> min: 1
> max: 8
> completion: /# 1 #/
> exe: worker
> endactor
> TUNING POINTS
> point
> id: chunk
> kind: SetVariableValue
> value: /# 0 #/
> endpoint
> ENDTUNLET
> END
$ cat >hand.c <<'END'
> #include <weft/tunlet.h>
> #include <stdio.h>
> #include <string.h>
> static double began;
> static int begin(const struct weft_tunlet_host *host, void **self)
> {
>     (void)self;
>     return host->n_events == 3 && host->event[1].n_attributes == 1 ? host->tune(host, WEFT_TUNLET_ALL, "chunk", (struct weft_tunlet_value){.number = 8}) : -1;
> }
> static int task_begins(void *self, const struct weft_tunlet_host *host, const struct weft_tunlet_task *task)
> {
>     (void)self;
>     return strcmp(task->host, "slow") == 0 ? host->add_event(host, task->id, "Detail") : 0;
> }
> static int event(void *self, const struct weft_tunlet_host *host, const struct weft_tunlet_record *r)
> {
>     (void)self;
>     if (strcmp(r->event->name, "Starts") == 0)
>         began = r->time;
>     else if (r->time - began > 1000)
>         return *(volatile int *)8;
>     else if (r->time - began > 10)
>         return host->tune(host, r->task, "chunk", (struct weft_tunlet_value){.number = r->value[0].number / 2});
>     return r->time - began < 0 ? host->tune(host, 4711, "chunk", (struct weft_tunlet_value){0}) : 0;
> }
> static void end(void *self, const struct weft_tunlet_host *host)
> {
>     (void)self;
>     for (unsigned i = 0; i < host->n_tasks; i++)
>         if (host->task[i].n_actions)
>             host->rem_event(host, host->task[i].id, "Detail");
> }
> const struct weft_tunlet weft_tunlet = {WEFT_TUNLET_VERSION, begin, task_begins, NULL, event, NULL, end};
> END
$ cc -Wall -Wextra -shared -fPIC -I"$WEFT_SOURCE/include" -o hand.so hand.c
$ printf '%s\n' 'start worker 1 fast' 'start worker 2 slow' '0 Starts 1' '5 Ends 1 chunk=8' '10 Starts 2' '30 Ends 2 chunk=8' '20 Ends 1 chunk=1' '5 Ends 1' >hand.events
$ weft tunlet try --handlers ./hand.so hand.tsl hand.events
SetVariableValue chunk = 8
add event Detail in process 2
SetVariableValue chunk = 4 in process 2
handler event: no such file or directory
remove event Detail in process 2
$ printf '%s\n' 'start worker 2 slow' '0 Starts 2' '2000 Ends 2' '2001 Starts 2' >hand.events; weft tunlet try --handlers ./hand.so hand.tsl hand.events
SetVariableValue chunk = 8
add event Detail in process 2
fault: a fault of memory
SetVariableValue chunk = 8
the tunlet's process was begun anew; open iterations are lost
add event Detail in process 2
$ weft tunlet try --handlers ./hand.c hand.tsl hand.events
weft tunlet: error: cannot load the tunlet 'hand': ./hand.c: invalid ELF header
? 2

## Mistakes in the events.
$ printf 'start worker 1\n\n# fine\n5 Nothing 1\n' >bad.events; weft tunlet try $share/nworkers.tsl bad.events
weft tunlet: error: bad.events:4: expected an event, found 'Nothing'
? 2
$ printf 'start nobody 1\n' >bad.events; weft tunlet try $share/nworkers.tsl bad.events
weft tunlet: error: bad.events:1: expected an actor, found 'nobody'
? 2
$ printf '1 WRepliesM 1 nbytes=many\n' >bad.events; weft tunlet try $share/nworkers.tsl bad.events
weft tunlet: error: bad.events:1: expected a number, found 'many'
? 2
$ weft tunlet try $share/nworkers.tsl
weft tunlet: error: 'try' takes 2 operands
Try 'weft tunlet --help'.
? 2

## Translations.
$ weft tunlet compile --xml $share/loadbalance.tsl | python3 -c 'import sys, xml.dom.minidom as x; x.parse(sys.stdin.buffer)' && weft tunlet compile --xml $share/loadbalance.tsl | grep -c '<attribute'
33
$ weft tunlet compile --xml $share/loadbalance.tsl | sed -n '/<order>/,/<.order>/p'
  <order>
    <value>P</value>
    <value>N</value>
    <value>Ct</value>
    <value>MC</value>
    <value>sumMC</value>
    <value>SC</value>
    <value>x</value>
    <value>waits</value>
    <value>chunks</value>
    <value>h</value>
    <value>slowest</value>
    <value>rate</value>
    <value>m</value>
    <value>f</value>
    <value>nrobatch</value>
  </order>
$ weft tunlet compile --c $share/nworkers.tsl | cc -std=gnu17 -fsyntax-only -xc - && weft tunlet compile --c -o nw.c $share/nworkers.tsl && head -1 nw.c
/* The tunlet 'nworkers', translated by Weft. */
$ weft tunlet compile $share/itertime.tsl && ls
bad.events
hand.c
hand.events
hand.so
hand.tsl
itertime.so
nw.c
$ ln -s "$(command -v weft)" TG && rm itertime.so && ./TG $share/itertime.tsl && ls itertime.so && ./TG
itertime.so
weft: error: expected a specification: TG SPEC
? 2
$ weft tunlet compile -q $gold/loadbalance.tsl -o no.so 2>&1 | tail -1; ls no.so 2>&1 | wc -l
       | fix: add ')' here
1
