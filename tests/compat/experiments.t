## SPDX-License-Identifier: Apache-2.0
## needs: mpirun
## tags: full timeout=300
## dev/experiments, in its shortest form: it runs, and leaves tables with a head and a row for each case.
$ "$WEFT_SOURCE/dev/experiments" --quick --build "$WEFT_BUILD" --out out actions forms steps >log && grep -c '^# .* took' log
3

$ for t in actions forms; do echo "$t: $(grep -c '^| [a-z].* |' out/$t.md) lines"; done; grep -cE '^\| [0-9]+ \| [a-z]+( \| [0-9.]+ \[[0-9.]+, [0-9.]+\]){6} \|$' out/steps.md
actions: 3 lines
forms: 3 lines
4

$ "$WEFT_SOURCE/dev/experiments" nothing 2>&1 | grep -o "invalid choice: 'nothing'"
invalid choice: 'nothing'
