## SPDX-License-Identifier: Apache-2.0
## Each checker finds what it is there for, in a tree of its own, and has nothing to say when that is gone.
$ check() { name=$1; shift; "$WEFT_SOURCE/dev/check-$name" "$@"; }
$ mkdir -p src/base src/trace src/cli include/weft dev tests/unit fuzz
$ printf 'base\ntrace base\ncli trace base libweft\n' >dev/modules.txt
$ printf '/* SPDX-License-Identifier: Apache-2.0 */\n' | tee src/base/str.h src/base/str_priv.h src/trace/trace.h include/weft/record.h >src/base/str.c

## Include directions.
$ printf '#include "str.h"\n#include "str_priv.h"\n#include "weft/record.h"\n#include <stdio.h>\n' >>src/base/str.c
$ printf '#include "base/str.h"\n#include "../src/base/str_priv.h"\n' >tests/unit/test_str.c
$ check includes .
tests/unit/test_str.c:2: "../src/base/str_priv.h" climbs out of its folder
? 1
$ rm tests/unit/test_str.c; check includes .
$ printf '#include "trace/trace.h"\n#include "base/str.h"\n#include "no.h"\n' >>src/base/str.c; check includes .
src/base/str.c:6: "trace/trace.h" is not allowed: dev/modules.txt does not let 'base' use 'trace'
src/base/str.c:7: "base/str.h" is of its own folder: write the file name only
src/base/str.c:8: "no.h" is in no module and not installed
? 1
$ echo '#include "base/str_priv.h"' >src/trace/trace.h; echo '#include "base/str.h"' >include/weft/record.h; sed -i 6,8d src/base/str.c; check includes .
include/weft/record.h:1: "base/str.h" is no installed header
src/trace/trace.h:1: "base/str_priv.h" is private to its module
? 1
$ : >src/trace/trace.h; : >include/weft/record.h; mkdir src/other; echo >src/other/x.c; check includes .
src/other/x.c:1: module 'other' is not in dev/modules.txt
? 1
$ rm -r src/other; mkdir -p src/cli/low src/cli/high; printf 'base\ncli/low base\ncli/high cli/low\ncli base\n' >dev/modules.txt
$ echo >src/cli/low/low.h; printf '#include "low.h"\n#include "cli/high/high.h"\n#include "base/str.h"\n' >src/cli/low/low.c
$ printf '#include "cli/low/low.h"\n#include "cli/high/high.h"\n#include "base/str.h"\n' >src/cli/high/high.h; echo '#include "low.h"' >src/cli/x.c; check includes .
src/cli/high/high.h:2: "cli/high/high.h" is of its own folder: write the file name only
src/cli/high/high.h:3: "base/str.h" is not allowed: dev/modules.txt does not let 'cli/high' use 'base'
src/cli/low/low.c:2: "cli/high/high.h" is not allowed: dev/modules.txt does not let 'cli/low' use 'cli/high'
src/cli/x.c:1: "low.h" is in no module and not installed
src/trace/trace.h:1: module 'trace' is not in dev/modules.txt
? 1
$ mkdir src/cli/other; echo >src/cli/other/y.c; check includes . | grep other
src/cli/other/y.c:1: module 'cli/other' is not in dev/modules.txt
$ mkdir src/tool; echo '#include "cli/low/low.h"' >src/tool/z.c; printf 'base\ncli/low base\ncli base\ntool cli\n' >dev/modules.txt; check includes . | grep -c tool; sed -i 's/^tool cli/tool base/' dev/modules.txt; check includes . | grep tool; rm -r src/tool
0
src/tool/z.c:1: "cli/low/low.h" is not allowed: dev/modules.txt does not let 'tool' use 'cli/low'
$ rm -r src/cli/*; printf 'base trace\ntrace base\ncli trace base libweft\n' >dev/modules.txt; check includes .
dev/modules.txt:1: 'base' uses 'trace', which does not stand above it
? 1

## Licence lines.
$ check spdx . | sort
dev/modules.txt:1: has no SPDX line
include/weft/record.h:1: has no SPDX line
src/trace/trace.h:1: has no SPDX line
$ check spdx . >/dev/null
? 1
$ for f in include/weft/record.h src/trace/trace.h; do echo '/* SPDX-License-Identifier: Apache-2.0 */' >>$f; done; sed -i '1i # SPDX-License-Identifier: Apache-2.0' dev/modules.txt; echo x >README.md; check spdx .

## Folders of the machine.
$ check paths .
$ p=/ro; echo "see ${p}ot/notes and x/root/y and (${p}ot/more)" >README.md; check paths . | sed "s,${p}ot,ROOT,g"
README.md:1:see ROOT/notes and xROOT/y and (ROOT/more)
$ check paths . >/dev/null
? 1
$ echo "lies in $PWD/README.md" >README.md; check paths . | sed "s,$PWD,HERE,"
README.md:1:lies in HERE/README.md
$ rm README.md

## Sizes and names.
$ check size .
$ { echo 'int f(void)'; echo '{'; for i in $(seq 87); do echo '	g();'; done; echo '}'; } >src/trace/f.c; check size .
$ { echo 'int f(void)'; echo '{'; for i in $(seq 88); do echo '	g();'; done; echo '}'; } >src/trace/f.c; check size .
src/trace/f.c:1: function 'f' has 91 lines, 90 is the most
? 1
$ seq 1001 | sed 's,.*,/* & */,' >src/trace/f.c; check size .
src/trace/f.c:1000: the file has 1001 lines, 1000 is the most
? 1
$ : >src/trace/f.c; : >src/cli/f.c; check size .
src/trace/f.c:1: another file is called so: src/cli/f.c
? 1
$ rm src/cli/f.c
$ for i in $(seq 38); do : >src/trace/g$i.c; done; check size .
$ : >src/trace/g39.h; check size .
src/trace:1: the folder has 41 sources, 40 is the most
? 1
$ rm src/trace/g*

## Format.
$ cp "$WEFT_SOURCE/.clang-format" .; echo 'int a(void);' >src/trace/f.c; check format .
$ echo 'int  b( void );' >>src/trace/f.c; check format . 2>&1 | grep -c 'src/trace/f.c:2:.*clang-formatted'
1
$ check format . 2>/dev/null
? 123
$ check format --fix .; cat src/trace/f.c; check format .
int a(void);
int b(void);

## Lists.
$ check lists .
src/base/str.c:1: no list names it: src/base/meson.build
src/trace/f.c:1: no list names it: src/trace/meson.build
? 1
$ echo "base_src = files('str.c')" >src/base/meson.build; echo "trace_src = files('f.c')" >src/trace/meson.build; check lists .
$ touch tests/unit/test_str.c tests/unit/test_f.c fuzz/fuzz_f.c; echo "base_tests = {'str': 'threads'}" >>src/base/meson.build; check lists .
fuzz/fuzz_f.c:1: no list names it: meson.build of its module
tests/unit/test_f.c:1: no list names it: meson.build of its module
fuzz/fuzz_f.c:1: has no corpus in fuzz/corpus/f
? 1
$ echo "trace_tests = {'f': ''}; trace_fuzz = ['f']" >>src/trace/meson.build; mkdir -p fuzz/corpus/f; : >fuzz/corpus/f/empty; check lists .

## READMEs name the sources of their folders; comments name files that exist.
$ mkdir -p r/src/a/b r/src/c; cp -r dev r/; for f in a/x.c a/x.h a/y_one.c a/b/z.c c/w.c; do echo "/* SPDX-License-Identifier: Apache-2.0 */" >r/src/$f; done
$ printf '`x`, `y_*`\n' >r/src/a/README.md; check readmes r
src/a/b/z.c:1: src/a/README.md does not name it
src/c/w.c:1: neither its folder nor one above has a README.md
? 1
$ printf '`x`, `y_*`, `b/z.c`\n' >r/src/a/README.md; echo '`w`' >r/src/c/README.md; printf '/* as\n * gone.c does, and x.c, and stdio.h */\n' >>r/src/c/w.c; check readmes r
src/c/w.c:3: 'gone.c' is not in the tree
? 1
$ rm -r r

## Shell scripts.
$ printf '#!/bin/sh\necho "$HOME"\n' >dev/good; check shell .
$ printf '#!/bin/sh\necho $1\n' >dev/bad; check shell . | grep -c '\^--.*SC2086'
1
$ check shell . >/dev/null
? 123

## Man pages.
$ check man .
skipped: no man pages yet
? 77
$ mkdir -p docs/man; printf '.Dd $Mdocdate$\n.Dt WEFT-X 1\n.Os\n.Sh NAME\n.Nm weft-x\n.Nd does x\n.Sh OPTIONS\n.Fl -all , -a\n' >docs/man/weft-x.1
$ check man . >/dev/null
$ printf '.Bogus\n' >>docs/man/weft-x.1; check man .
mandoc: docs/man/weft-x.1:9:2: ERROR: skipping unknown macro: .Bogus
? 3

## A function of StarPU's interface that answers with a constant is not one that works.
$ mkdir -p api/src; for f in include tests docs src/models; do ln -s "$WEFT_SOURCE/$f" api/$f; done; cp -r "$WEFT_SOURCE/src/runtime" api/src
$ WEFT_SOURCE=api "$WEFT_SOURCE/dev/check-starpu-api" | grep -v ': [0-9]* work\|in no test$'
? 1
$ sed -i '/starpu_worker_sched_op_pending/d' api/src/runtime/api/states.tsv; WEFT_SOURCE=api "$WEFT_SOURCE/dev/check-starpu-api" | tail -n 2
src/runtime/sched/sched_relax.c: starpu_worker_sched_op_pending answers with a constant, and states.tsv does not say so
docs/starpu-api.md is not what dev/check-starpu-api --update makes
$ printf 'constant\tstarpu_worker_sched_op_pending\t0\n' >>api/src/runtime/api/states.tsv; WEFT_SOURCE=api "$WEFT_SOURCE/dev/check-starpu-api" | grep columns
states.tsv: starpu_worker_sched_op_pending: 'constant' is no state, or has not its columns

## The handbook's names: tests that are there and name them, nothing that is off, no counter forgotten.
$ mkdir -p book/docs book/tests book/src/runtime/api book/src/runtime/monitor; cd book; printf 'off\tstarpu_off\t\n' >src/runtime/api/states.tsv; echo '"starpu.task.c"' >src/runtime/monitor/counter_names.c; : >src/runtime/monitor/knob_names.c; echo 'starpu_on();' >tests/on.c; cd ..
$ page() { printf '| section | name | kind | state | test |\n|---|---|---|---|---|\n' >book/docs/handbook-coverage.md; printf '%s\n' '| 3.4 | `starpu.task.c` | counter | later | |' "$@" >>book/docs/handbook-coverage.md; check handbook book; }
$ page '| 3.1 | `starpu_on` | function | works | `tests/on.c` |'
$ page '| 3.1 | `starpu_of` | function | works | `tests/on.c` |' '| 3.1 | `starpu_on` | function | works | `tests/no.c` |' '| 3.1 | `starpu_off` | function | works | `tests/on.c` |' '| 3.1 | `starpu_on` | function | later | `tests/on.c` |' '| 3.1 | a | thing | works |'
docs/handbook-coverage.md:4: tests/on.c does not name 'starpu_of'
docs/handbook-coverage.md:5: 'starpu_on' has no test that is there
docs/handbook-coverage.md:6: 'starpu_off' is off
docs/handbook-coverage.md:7: 'starpu_on' has a test, and the state 'later'
docs/handbook-coverage.md:8: no row of section, name, kind, state, test
? 1
$ echo '"starpu.task.d"' >>book/src/runtime/monitor/counter_names.c; page
docs/handbook-coverage.md: counter 'starpu.task.d' is missing
? 1
