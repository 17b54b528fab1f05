## SPDX-License-Identifier: Apache-2.0
## needs: fish
## weft completion fish: what fish itself offers for a command line.
$ mkdir dir bin; printf '#!/bin/sh\n' >bin/weft-test-solver; chmod +x bin/*; PATH=$PWD/bin:$PATH; touch run.weft 'run two.prv'; weft completion fish >weft.fish && fish --no-execute weft.fish
$ offer() { HOME=$PWD fish --no-config -c 'source weft.fish; for line in $argv; echo "-- $line"; complete -C $line | string replace -r "\\t.*" ""; end; true' "$@"; }
$ offer 'weft tunl' 'weft stat --by th' 'weft stat --by=region,th' 'weft view ' 'weft view show ip' 'weft completion '
-- weft tunl
tunlet
-- weft stat --by th
thread
-- weft stat --by=region,th
--by=region,thread
-- weft view 
list
show
convert
-- weft view show ip
ipc
-- weft completion 
bash
zsh
fish
$ offer 'weft stat run' 'weft convert --output=run' 'weft convert -o run' 'weft record -o di' 'weft dump --count '
-- weft stat run
run two.prv
run.weft
-- weft convert --output=run
--output=run two.prv
--output=run.weft
-- weft convert -o run
run two.prv
run.weft
-- weft record -o di
dir/
-- weft dump --count 
$ offer 'weft record -- weft-test-so' 'weft help che' 'weft doctor zst' 'weft tunlet check nw'
-- weft record -- weft-test-so
weft-test-solver
-- weft help che
check
-- weft doctor zst
zstd
-- weft tunlet check nw
nworkers
$ offer 'weft stat "run two.prv" --sort p9'
-- weft stat "run two.prv" --sort p9
p99
