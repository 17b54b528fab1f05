## SPDX-License-Identifier: Apache-2.0
## needs: gcc
## tags: builds=release,debug
## Several tunlets at once, on a recorded run, so that what they decide is the same each time: the conflict that the thesis names.
$ gcc -O2 -g -o prog $WEFT_SOURCE/tests/tools/tune_processes.c
$ spec() { sed "s|@name@|$1|; s|@header@|$2|; s|@point@|$3|; s|@value@|$4|; s|@cond@|$5|" $WEFT_SOURCE/tests/golden/tunlets/several.tsl.in >$1.tsl; }
$ replay() { weft tune --replay run.weft -t workers.tsl -t agents.tsl --report report.txt 2>&1 | grep -E "is not done:|would apply" | sed -E 's/^.* s  //'; }
$ weft record -q -o run.weft --probe 'begin(i, nworkers, ncollectors)' --probe end -- ./prog
8 workers, 1 collectors

## A collector is not added just when workers are removed; two iterations later it may be.
$ spec workers '' nworkers 5 'iter.n == 3'; spec agents '' ncollectors 2 'iter.n >= 3 \&\& iter.n <= 5'
$ replay
workers, iteration 4: would apply nworkers = 5
agents, iteration 4: SetVariableValue ncollectors = 2 is not done: another way with the same resource: 'workers' has just set 'variable nworkers' to 5, and has seen 0 of 2 iterations since
agents, iteration 5: SetVariableValue ncollectors = 2 is not done: another way with the same resource: 'workers' has just set 'variable nworkers' to 5, and has seen 1 of 2 iterations since
agents, iteration 6: would apply ncollectors = 2

## Nobody undoes what another one has just done, whatever its priority.
$ spec agents 'priority: 9' nworkers 9 'iter.n == 4'
$ replay
workers, iteration 4: would apply nworkers = 5
agents, iteration 5: SetVariableValue nworkers = 9 is not done: 'workers' has just set 'variable nworkers' to 5[..], and has seen 1 of 2 iterations since

## Under one objective their models decide: 100/8 + 8 and 8/1 + 3 are 31.5; 5 workers make it 33, 2 collectors 30.5.
$ spec workers 'objective: /# 100 / nworkers + nworkers #/' nworkers 5 'iter.n == 3'
$ spec agents 'weight: 1\nobjective: /# nworkers / ncollectors + 3 * ncollectors #/' ncollectors 2 'iter.n == 3'
$ replay
workers, iteration 4: SetVariableValue nworkers = 5 is not done: under the common objective it costs 33 with it, 31.5 without
agents, iteration 4: would apply ncollectors = 2

## A parameter of the analysis engine: what is measured so far.
$ grep -c 'seen=8 iter' report.txt
24
