## SPDX-License-Identifier: Apache-2.0
## dev/run-tests itself, in a tree of its own whose builds are made of shell scripts.
$ mkdir -p dev tests/cli tests/compat build/meson-info build-asan/meson-info build-tsan/meson-info
$ cp "$WEFT_SOURCE/dev/run-tests" "$WEFT_SOURCE/dev/run-transcript" dev/
$ cat >dev/build <<'END'
> #!/bin/sh
> # Where a build is, or else the build: it fails when there is a file called broken.
> case $1 in --path) shift; [ $1 = release ] && echo $(dirname $0)/../build || echo $(dirname $0)/../build-$1;; *) ! test -e broken;; esac
> END
$ chmod +x dev/build
$ program() { printf '#!/bin/sh\n%s\n' "$2" >$1; chmod +x $1; }
$ program good 'echo 1..2; echo "ok 1 - a"; echo "ok 2 - b # SKIP no c"'
$ program bad 'echo 1..1; echo "# wrong"; echo "not ok 1 - d"; exit 1'
$ program crash 'echo 1..1; echo "ok 1"; kill -SEGV $$'
$ program short 'echo 1..3; echo "ok 1"'
$ program planless 'echo "ok 1"'
$ program status 'echo 1..1; echo "ok 1"; exit 3'
$ program slow 'echo 1..1; sleep 60; echo "ok 1"'
$ test_json() { printf '{"name": "test_%s", "cmd": ["%s"], "suite": ["weft:unit"%s], "timeout": %s, "workdir": null}' $1 "$PWD/$1" "$2" "${3:-60}"; }
$ listing() { { printf '['; test_json "$1" "$2" "$3"; printf ']'; } >build${4:+-$4}/meson-info/intro-tests.json; }
$ counts() { dev/run-tests --build release "$@" 2>&1 | sed -E 's/, [0-9]+ checks in [0-9]+ builds?$//; s/ *[0-9.]+ s(,|$)/\1/; s,/tmp[^ ]*/work,HOME,g'; }

## What counts as passed, skipped and failed; the last line and the status.
$ listing good; counts
release build                            done
release test_good                        1 passed, 1 skipped
took
1 passed, 0 failed, 1 skipped
$ dev/run-tests --build release | tail -n 1
1 passed, 0 failed, 1 skipped
$ listing bad; counts
release build                            done
release test_bad                         1 FAILED
---- release test_bad: HOME/bad --tier full
1..1
# wrong
not ok 1 - d
----
took
0 passed, 1 failed
$ dev/run-tests --build release >/dev/null
? 1
$ program alone 'echo 1..1; echo "not ok 1"; kill -INT $$'
$ listing alone; (trap '' INT; counts | grep died)
# test_alone: died by SIGINT
$ listing crash; counts | tail -n 4
# test_crash: died by SIGSEGV
----
took
1 passed, 1 failed
$ listing short; counts | tail -n 4
# test_short: planned 3 tests, ran 1
----
took
1 passed, 1 failed
$ listing planless; counts | tail -n 4
# test_planless: printed no plan
----
took
1 passed, 1 failed
$ listing status; counts | tail -n 4
# test_status: exited with 3
----
took
1 passed, 1 failed
$ listing slow '' 0.6; counts | tail -n 4
# test_slow: planned 1 tests, ran 0; was stopped after
----
took
0 passed, 1 failed
$ listing gone; counts | tail -n 5 | grep -c 'No such file'
1
$ listing good; touch broken; counts; rm broken
release build                            1 FAILED
---- release build: HOME/dev/build --tests release
# the build exited with 1
----
release test_good                        1 passed, 1 skipped
took
1 passed, 1 failed, 1 skipped

## Tiers, builds and names.
$ listing good ', "weft:long"'; dev/run-tests --build release --tier long | tail -n 1; dev/run-tests --build release
1 passed, 0 failed, 1 skipped
release build[..]
dev/run-tests: there is nothing to run
? 2
$ listing good '' 60 asan; listing good '' 60 tsan; dev/run-tests --list --build asan,tsan
asan    test_good unit
$ listing good ', "weft:threads"' 60 tsan; dev/run-tests --list --build asan,tsan
asan    test_good unit
tsan    test_good threads unit
$ printf '## tags: full\n$ echo one\none\n' >tests/cli/say.t; printf '#!/bin/sh\n# tags: timeout=5\necho 1..1; echo ok 1 $WEFT_TIER\n' >tests/compat/other.sh; chmod +x tests/compat/other.sh
$ listing good; dev/run-tests --list
release test_good unit
release cli/say full
asan    test_good unit
tsan    test_good threads unit
release compat/other timeout=5
$ dev/run-tests --list --tier short --build release
release test_good unit
release compat/other timeout=5
$ listing good ', "weft:builds=asan,debug"'; listing good ', "weft:builds=debug"' 60 asan; dev/run-tests --list good
tsan    test_good threads unit
$ listing good; counts good cli/say oth*
release build                            done
release [..]
release [..]
release [..]
took
3 passed, 0 failed, 1 skipped
$ dev/run-tests --build release nonsense
release build[..]
dev/run-tests: no test is called nonsense
? 2

## --update writes transcripts; nothing is compared.
$ printf '$ echo two\none\n' >tests/cli/say.t; counts say | tail -n 1; dev/run-tests --build release --update say | tail -n 1; cat tests/cli/say.t
0 passed, 1 failed
1 passed, 0 failed
\$ echo two
two

## Tests run at once, but not the exclusive ones.
$ program good 'd=$(dirname $0); mkdir $d/lock || echo 1..0; echo 1..1; sleep 0.2; echo ok 1; rmdir $d/lock'
$ { printf '['; test_json good ', "weft:exclusive"'; printf ','; test_json good ', "weft:exclusive"'; printf ']'; } >build/meson-info/intro-tests.json
$ counts --jobs 2 good | grep -c 'test_good .*1 passed'
2

## What failed beside others, without a crash, is run once more, alone, at the end: only that counts, and it is said.
$ program good 'echo 1..1; echo "ok 1 - a"'
$ first_time() { echo "mkdir \$(dirname \$0)/seen 2>/dev/null && { $1; }; mkdir \$(dirname \$0)/again 2>/dev/null"; }
$ beside() { { printf '['; test_json $1 '' "${2:-60}"; printf ','; test_json good; printf ']'; } >build/meson-info/intro-tests.json; rm -rf seen again; counts --jobs 2 $1 good | grep -v test_good; }
$ program flaky "$(first_time 'echo 1..1; echo not ok 1 - first; exit 1'); echo 1..1; echo ok 1 - then"; beside flaky
release build                            done
release test_flaky                       1 FAILED, to be run alone
release test_flaky                       1 passed
---- release test_flaky passed when run alone; failed beside others: HOME/flaky --tier full
1..1
not ok 1 - first
----
flaky, passed only when run alone: release test_flaky
took
2 passed, 0 failed
$ program slow_once "$(first_time 'sleep 60'); echo 1..1; echo ok 1 - then"; beside slow_once 0.6 | tail -n 6
---- release test_slow_once passed when run alone; failed beside others: HOME/slow_once --tier full
# test_slow_once: printed no plan; was stopped after
----
flaky, passed only when run alone: release test_slow_once
took
2 passed, 0 failed
$ program wrong "$(first_time 'echo 1..1; echo not ok 1 - first; exit 1'); echo 1..1; echo not ok 1 - then; exit 1"; beside wrong
release build                            done
release test_wrong                       1 FAILED, to be run alone
release test_wrong                       1 FAILED
---- release test_wrong: HOME/wrong --tier full
1..1
not ok 1 - then
----
---- release test_wrong failed beside others, too: HOME/wrong --tier full
1..1
not ok 1 - first
----
took
1 passed, 1 failed

## Never again: what crashed, what has a sanitizer's report, what ended in the middle, and what ran alone anyway.
$ program dies "$(first_time 'echo 1..1; echo not ok 1 - first; kill -SEGV $$'); echo 1..1; echo ok 1"; beside dies | tail -n 3; ls -d again
----
took
1 passed, 2 failed
ls: cannot access 'again': No such file or directory
? 2
$ for report in '==7==ERROR: AddressSanitizer: heap-use-after-free' '==7==ERROR: LeakSanitizer: detected memory leaks' 'a.c:3:2: runtime error: shift' 'WARNING: ThreadSanitizer: data race' 'x: line 1: 77 Segmentation fault' '#   ? 139' '# a child was terminated by signal 11'; do program reports "$(first_time "echo 1..1; echo '$report'; echo not ok 1; exit 1"); echo 1..1; echo ok 1"; beside reports | tail -n 1; ls again 2>/dev/null; done; true
1 passed, 1 failed
1 passed, 1 failed
1 passed, 1 failed
1 passed, 1 failed
1 passed, 1 failed
1 passed, 1 failed
1 passed, 1 failed
$ program ends "$(first_time 'echo 1..2; echo ok 1; exit 0'); echo 1..1; echo ok 1"; beside ends | tail -n 1; ls again 2>/dev/null
2 passed, 1 failed
? 2
$ listing flaky; rm -rf seen; counts flaky | tail -n 1; rm -rf seen; { printf '['; test_json flaky ', "weft:exclusive"'; printf ','; test_json good; printf ']'; } >build/meson-info/intro-tests.json; counts flaky good | tail -n 1
0 passed, 1 failed
1 passed, 1 failed

## The sixth of them makes the run fail.
$ for n in 1 2 3 4 5 6; do program flaky$n "$(first_time 'echo 1..1; echo not ok 1 - a; exit 1' | sed "s/seen/seen$n/g"); echo 1..1; echo ok 1 - a"; done
$ several() { rm -rf seen? tests; { printf '['; for n; do test_json flaky$n; printf ','; done; test_json good; printf ']'; } >build/meson-info/intro-tests.json; counts --jobs 2 | tail -n 4 | sed "s/ release test_flaky[..0-9]*//g"; }
$ several 1 2 3 4 5 | tail -n 3; several 1 2 3 4 5 6
flaky, passed only when run alone:,,,,
took
6 passed, 0 failed
flaky, passed only when run alone:,,,,,
more than 5 of them are a failure
took
7 passed, 1 failed

## A case counts once, in however many builds it ran; it has failed when it failed in one, and is skipped when it is in all.
$ listing good; program good2 'echo 1..2; echo "not ok 1 - a"; echo "ok 2 - b"; exit 1'; listing good '' 60 asan
$ rm -rf tests; dev/run-tests --build release,asan | tail -n 2 | sed 's/took [0-9.]* s/took/'
took, 2 checks in 2 builds
1 passed, 0 failed
$ sed -i 's,/good",/good2",' build-asan/meson-info/intro-tests.json; dev/run-tests --build release,asan | tail -n 2 | sed 's/took [0-9.]* s/took/'
took, 3 checks in 2 builds
1 passed, 1 failed
