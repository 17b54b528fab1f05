## SPDX-License-Identifier: Apache-2.0
## weft tunlet: published specifications and their corrected versions, checked and explained.
$ cp "$WEFT_SOURCE"/tests/golden/tunlets/*.tsl . && gold=$WEFT_SOURCE/tests/golden/tunlets

## As published: one parses with warnings, the other cannot run. Everything that is said of them, to the letter.
$ weft tunlet check --all nworkers.tsl >out; echo $?; diff out $gold/nworkers.check.txt && tail -1 out
0
nworkers.tsl: tunlet 'nworkers': 0 errors, 21 warnings, 28 notes
$ weft tunlet check --all loadbalance.tsl >out; echo $?; diff out $gold/loadbalance.check.txt && tail -1 out
2
loadbalance.tsl: tunlet 'nworkers': 13 errors, 48 warnings, 36 notes
$ weft tunlet check nworkers.tsl | grep -c ': note: '
0
? 1
$ weft tunlet check -q nworkers.tsl
$ weft tunlet check -q loadbalance.tsl | head -4
loadbalance.tsl:238:14: error: 'worker' needs an index: there may be 25 of it [no-index]
   238 |     value: /#worker.C=worker.cti/worker.numTaskRecv;#/
       |              ^~~~~~~~
       | fix: worker[…].C
$ weft tunlet check --json loadbalance.tsl | jq -c '[.tunlet, .errors, .warnings, .diagnoses[0].rule, (.diagnoses | length)]'
["nworkers",13,48,"file-name",61]

## Corrected: nothing to warn of.
$ for t in nworkers loadbalance itertime; do weft tunlet check "$WEFT_SOURCE/share/weft/tunlets/$t.tsl" | sed 's,.*/,,'; done
nworkers.tsl: tunlet 'nworkers': 0 errors, 0 warnings, 26 notes (shown with --all)
loadbalance.tsl: tunlet 'loadbalance': 0 errors, 0 warnings, 22 notes (shown with --all)
itertime.tsl: tunlet 'itertime': 0 errors, 0 warnings, 13 notes (shown with --all)
$ weft tunlet explain "$WEFT_SOURCE/share/weft/tunlets/loadbalance.tsl" | diff - $gold/loadbalance.explain.txt
$ weft tunlet explain "$WEFT_SOURCE/share/weft/tunlets/nworkers.tsl" | diff - $gold/nworkers.explain.txt
$ weft tunlet explain --json "$WEFT_SOURCE/share/weft/tunlets/loadbalance.tsl" | jq -c '.[] | select(.value == "sumMC") | [.when, .reduction, .partials]'
["at evaluation","sum",2]

$ weft tunlet explain loadbalance.tsl >/dev/null 2>&1; echo $?; mkdir empty; cd empty; weft tunlet explain nworkers | diff - $gold/nworkers.explain.txt
2
$ weft tunlet check itertime | sed 's,.*/,,'; cd ..
itertime.tsl: tunlet 'itertime': 0 errors, 0 warnings, 13 notes (shown with --all)

## A template is a specification.
$ weft tunlet new mine >mine.tsl && weft tunlet check mine.tsl
mine.tsl: tunlet 'mine': 0 errors, 0 warnings, 5 notes (shown with --all)

## Bad usage, unreadable files.
$ weft tunlet
weft tunlet: error: expected ACTION OPERAND...
Try 'weft tunlet --help'.
? 2
$ weft tunlet chek mine.tsl
weft tunlet: error: cannot 'chek' a tunlet (did you mean 'check'?)
Try 'weft tunlet --help'.
? 2
$ weft tunlet check no-such.tsl
weft tunlet: error: cannot open 'no-such.tsl': no such file or directory
? 2
$ printf 'TUNLET\n\tid: tab\n\tidd: x\nENDTUNLET\n' >tab.tsl; weft tunlet check tab.tsl
tab.tsl:3:2: error: no property is called 'idd' [unknown-property]
     3 |  idd: x
       |  ^~~
       | fix: did you mean 'id'?
tab.tsl: tunlet 'tab': 1 error, 0 warnings, 0 notes
? 2

## What lies beside the output under names that the compilers use is left alone, and a link at its place is replaced.
$ echo precious >kept; for name in out.so.c out.so.log out.so; do ln -s "$PWD/kept" $name; done; echo mine >out.c
$ CC=gcc weft tunlet compile -o out.so mine.tsl && CC=gcc weft tunlet compile -o out mine.tsl; echo $?; cat kept out.c; ls | grep '^out'; test -L out.so || head -c 4 out.so | tail -c 3; echo
0
precious
mine
out
out.c
out.so
out.so.c
out.so.log
ELF
$ ls -A | grep -c weft-tunlet
0
? 1
