## SPDX-License-Identifier: Apache-2.0
## The tunlets of pipeline and divide and conquer: what they decide upon events whose values are computed by hand (they stand there).
$ gold=$WEFT_SOURCE/tests/golden/tunlets; share=$WEFT_SOURCE/share/weft/tunlets
$ weft tunlet check $share/pipeline.tsl 2>&1 | sed 's,.*/,,'
pipeline.tsl: tunlet 'pipeline': 0 errors, 0 warnings, 18 notes (shown with --all)
$ weft tunlet check $share/divide.tsl 2>&1 | sed 's,.*/,,'
divide.tsl: tunlet 'divide': 0 errors, 0 warnings, 17 notes (shown with --all)

$ weft tunlet try $share/pipeline.tsl $gold/pipeline.events | sed 's/evaluated: .* slow/evaluated: slow/'
iteration 1: evaluated: slow=3 best=2 worst=0 o=2 b=7 iter.epoch=1 iter.stages=2 iter.servers=4 iter.window=64 iter.batch=1
iteration 1: SetVariableValue PipeReplicas1 = 3
iteration 1: SetVariableValue PipeReplicas2 = 1
iteration 1: SetVariableValue PipeBatch = 7
iteration 2: evaluated: slow=2 best=2 worst=0 o=0 b=7 iter.epoch=2 iter.stages=2 iter.servers=4 iter.window=64 iter.batch=7

$ weft tunlet try $share/divide.tsl $gold/divide.events
iteration 1: evaluated: W=2 L=2 Tc=120 tmax=90 T=122 o=8.5 next=2 iter.problem=1 iter.workers=2 iter.depth=1 iter.leaves=2
iteration 1: SetVariableValue DivideDepth = 2
iteration 2: evaluated: W=2 L=4 Tc=120 tmax=30 T=195 o=30 next=0 iter.problem=2 iter.workers=2 iter.depth=2 iter.leaves=4
iteration 2: SetVariableValue DivideDepth = 0

## What they read reduces on the way: of parts of a problem one sum and one maximum travel, not their events.
$ weft tunlet explain $share/divide.tsl | grep -E '^(Tc|tmax) ' | tr -s ' '
Tc at evaluation collectors of solver, analyzer sum over solver, from partial results 1 partial sum of each collector
tmax at evaluation collectors of solver, analyzer maximum over solver, from partial results 1 partial maximum of each collector
$ weft tunlet explain $share/pipeline.tsl | grep -E '^server.(gap|begun) ' | tr -s ' '
server.begun on StageStarts collectors of server count, event by event one value of each server
server.gap on StageStarts collectors of server sum, event by event one value of each server

## A condition may name its point: that is the value just computed, in the variable's type.
$ sed 's,cond: /# next != ,cond: /# DivideDepth != ,' $share/divide.tsl >named.tsl; weft tunlet try named.tsl $gold/divide.events 2>/dev/null | grep Set
iteration 1: SetVariableValue DivideDepth = 2
iteration 2: SetVariableValue DivideDepth = 0
