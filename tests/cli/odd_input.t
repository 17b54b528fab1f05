## SPDX-License-Identifier: Apache-2.0
## What is no trace: each of nine commands says so in one line, with status 2, and leaves nothing behind.
$ mkdir empty.weft folder; touch folder/letter.txt empty.prv; echo 'hello, world' >text; head -c 10000 /dev/zero >zeros; printf '\177ELF' >program
$ all() { for c in info dump stat check index "cut --time 0..1 -o out.weft" "filter -f kind=* -o out.weft" "merge -o out.weft" "convert -o out.prv"; do weft $c "$1"; echo "status $?"; done 2>&1 | sed 's/^weft [a-z]*: //' | sort | uniq -c; ls | grep '^out'; true; }
$ all no/such.weft
      9 error: cannot open 'no/such.weft': no such file or directory
      9 status 2
$ all empty.weft
      9 error: cannot read 'empty.weft': no stream in this folder
      9 status 2
$ all folder
      9 error: cannot read 'folder': no stream in this folder
      9 status 2
$ all text
      9 error: cannot read 'text': no format that is known
      9 status 2
$ all zeros
      9 error: cannot read 'zeros': no format that is known
      9 status 2
$ all program
      9 error: cannot read 'program': no format that is known
      9 status 2
$ all empty.prv
      9 error: empty.prv: expected a line '#Paraver (…', found an empty file
      9 status 2
$ all ''
      9 error: cannot open '': no such file or directory
      9 status 2
$ weft info /dev/null; weft info - </dev/null
weft info: error: cannot read '/dev/null': neither a file nor a pipe
weft info: error: cannot read '/dev/stdin': an empty file
? 2
$ mkfifo pipe; for c in check index pack; do weft $c pipe; done
weft check: error: cannot open 'pipe': neither a file nor a folder
weft index: error: cannot open 'pipe': neither a file nor a folder
weft pack: error: cannot open 'pipe': neither a file nor a folder
? 2
$ echo text | weft info -; true | weft info -
weft info: error: cannot read '/dev/stdin': no format that is known
weft info: error: cannot read '/dev/stdin': an empty file
? 2
$ ln -s loop loop; weft info loop
weft info: error: cannot open 'loop': too many levels of symbolic links
? 2
$ weft pack text; weft pack folder
weft pack: error: cannot pack 'text': no stream of Weft
weft pack: error: cannot pack 'folder': no stream in this folder
? 2
$ ls
empty.prv
empty.weft
folder
loop
pipe
program
text
zeros
