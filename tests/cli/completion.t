## SPDX-License-Identifier: Apache-2.0
## weft completion bash: the script runs, and offers commands, options and their arguments.
$ weft completion bash >script && bash -n script && source ./script && complete -p weft
complete -o filenames -F _weft weft
$ offer() { COMP_WORDS=(weft "$@"); COMP_CWORD=$#; COMPREPLY=(); _weft; printf '%s\n' "${COMPREPLY[@]}"; }
$ offer '' | grep -x -e record -e stat -e completion -e help
help
record
stat
completion
$ offer st
stat
$ offer stat --
--by
--sort
--top
--time
--filter
--json
--csv
--own-threads
--memory
--threads
--quiet
--verbose
--help
$ offer stat --by ''
region
thread
process
state
all
$ offer stat -b th
thread
$ offer convert --to p
prv
paje
perfetto
$ offer info --list c
cpus
counters
categories
communicators
$ offer dump --count ''


$ touch run.weft; offer dump r
run.weft
$ offer help che
check
$ offer completion ''
bash
--help
$ weft completion fish
weft completion: error: completion is made for bash only, not for 'fish'
Try 'weft completion --help'.
? 2
$ weft completion
weft completion: error: expected bash
Try 'weft completion --help'.
? 2
