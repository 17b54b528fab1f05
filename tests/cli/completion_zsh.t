## SPDX-License-Identifier: Apache-2.0
## needs: zsh
## weft completion zsh: the file is found by compinit and loaded by its name; what it hands to zsh is printed in place of a menu.
$ mkdir site && weft completion zsh >site/_weft && zsh -n site/_weft
$ cat >ask <<'END'
> fpath=($PWD/site $fpath)
> autoload -U compinit && compinit -D -u
> print "weft is completed by $_comps[weft]"
> _describe() { print "describe ${@[1,-2]}"; print -rl -- "${(@P)@[-1]}" }
> _files() { print "files $@, typed: $PREFIX" }
> _command_names() { print "commands $@, typed: $PREFIX" }
> compset() { [[ $1 = -P && $PREFIX = $~2* ]] && PREFIX=${PREFIX#$~2} }
> ask() { words=(weft "$@"); CURRENT=$#words; PREFIX=${words[-1]}; print -r -- "-- $*"; _weft }
> END
$ cat ask - >first <<<'ask stat --by th' && zsh -f first
weft is completed by _weft
-- stat --by th
describe -V weft
thread
$ cat ask - >more <<'END' && zsh -f more
> ask stat --by=region,th
> ask view ''
> ask view show ipc
> ask convert --output=run
> ask record -o di
> ask record tr
> ask doctor zst
> ask dump --count ''
> ask stat 'a\ b' --sort p9
> END
weft is completed by _weft
-- stat --by=region,th
describe -V weft
--by=region,thread
-- view 
describe -V weft
list
show
convert
-- view show ipc
describe -V weft
ipc
files , typed: ipc
-- convert --output=run
files , typed: run
-- record -o di
files -/, typed: di
-- record tr
commands -e, typed: tr
files , typed: tr
-- doctor zst
describe -V weft
zstd:packed traces
-- dump --count 
-- stat a\ b --sort p9
describe -V weft
p99
## Sourced by hand.
$ zsh -f -c 'autoload -U compinit; compinit -D -u; source ./site/_weft; print $_comps[weft]'
_weft
