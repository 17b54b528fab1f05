## SPDX-License-Identifier: Apache-2.0
## needs: gcc nm
## dev/install-packages, dev/check-exports and dev/check-options, against programs that stand in for the real ones.
$ export PATH="$PWD/bin:$PATH" LOG="$PWD/log"; mkdir bin dev
$ cp "$WEFT_SOURCE/dev/install-packages" dev/; printf '# comment\nbuild\tone\nbuild\ttwo\ntest\tthree\n' >dev/packages
$ stand_in() { printf '#!/bin/sh\n%s\n' "$2" >bin/$1; chmod +x bin/$1; }
$ stand_in dpkg-query 'shift 3; for p; do grep -qx "$p" installed && echo "installed $p"; done; true'
$ stand_in apt-get 'echo "apt-get $*" >>$LOG; ! test -e broken'
$ stand_in id 'cat uid'
$ stand_in sudo 'test -e sudoer && shift && "$@"'

## Nothing missing: nothing is run. Something missing: as root, through sudo, or said.
$ printf 'one\ntwo\nthree\n' >installed; dev/install-packages; dev/install-packages build; cat log
cat: log: No such file or directory
? 1
$ printf 'two\n' >installed; echo 0 >uid; dev/install-packages build 2>&1; cat log
weft: installing one
apt-get -q -y -o DPkg::Lock::Timeout=300 update
apt-get -q -y -o DPkg::Lock::Timeout=300 install --no-install-recommends one
$ echo 1000 >uid; : >sudoer; rm log; dev/install-packages build test 2>&1; tail -n 1 log
weft: installing one three
apt-get -q -y -o DPkg::Lock::Timeout=300 install --no-install-recommends one three
$ rm sudoer; dev/install-packages
weft: packages are missing; run: apt-get update && apt-get install -y --no-install-recommends one three
? 2
$ echo 0 >uid; : >broken; dev/install-packages
weft: installing one three
weft: could not install the packages; run: apt-get update && apt-get install -y --no-install-recommends one three
? 2

## Exports.
$ mkdir build; export WEFT_BUILD="$PWD/build" WEFT_SOURCE_WAS="$WEFT_SOURCE" WEFT_SOURCE="$PWD"
$ check() { name=$1; shift; "$WEFT_SOURCE_WAS/dev/check-$name" "$@"; }
$ check exports
skipped: no library is built
? 77
$ echo 'int a(void) { return 1; } int b; __attribute__((visibility("hidden"))) int c;' | gcc -shared -fPIC -x c -o build/libx.so -
$ check exports --update; cat tests/golden/exports/libx.txt; check exports
a
b
$ echo 'int a(void) { return 1; }' | gcc -shared -fPIC -x c -o build/libx.so -; check exports 2>&1 | tail -n 3
 a
-b
libx.so: exports differ from tests/golden/exports/libx.txt
$ check exports >/dev/null 2>&1
? 1

## Options.
$ check options
skipped: weft is not built
? 77
$ cat >build/weft <<'END'
> #!/bin/sh
> case $1 in
> --list-options) printf -- '- - version -\ndump o output FILE\ndump - json -\n';;
> --help) echo '  --version  say it';;
> dump) printf '  -o, --output FILE  write\n      --json-lines   other\n';;
> esac
> END
$ chmod +x build/weft; mkdir -p docs/man; check options
weft -: has no man page weft.1
weft dump: has no man page weft-dump.1
? 1
$ page() { printf '.Dd 2024-01-01\n.Dt %s 1\n.Os\n.Sh NAME\n.Nm x\n.Nd y\n.Sh OPTIONS\n%s\n' "$1" "$2" >docs/man/$1.1; }
$ page weft '.Fl -version'; page weft-dump '.Fl o , Fl -out , Fl -json'; check options
weft dump: --output is not in its page
weft dump: --json is not in its help
? 1
$ page weft-dump '.Fl o , Fl -output Ar FILE , Fl -json'; sed -i 's,--json-lines,--json,' build/weft; check options
