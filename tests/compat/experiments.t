## SPDX-License-Identifier: Apache-2.0
## needs: mpirun
## tags: full timeout=300
## dev/experiments, in its shortest form: it runs, and leaves tables with a head and a row for each case.
$ "$WEFT_SOURCE/dev/experiments" --quick --build "$WEFT_BUILD" --out out actions forms >log && grep -c '^# .* took' log
2

$ for t in actions forms; do echo "$t: $(grep -c '^| [a-z].* |' out/$t.md) lines"; done
actions: 3 lines
forms: 3 lines

$ "$WEFT_SOURCE/dev/experiments" nothing 2>&1 | grep -o "invalid choice: 'nothing'"
invalid choice: 'nothing'
