## SPDX-License-Identifier: Apache-2.0
## dev/check-format-doc: the specification follows the code.
$ mkdir -p src/format include/weft examples docs
$ for f in src/format/events.def src/format/format.h include/weft/states.h examples/read_stream.c docs/format.md; do cp "$WEFT_SOURCE/$f" $f; done
$ "$WEFT_SOURCE/dev/check-format-doc" .
$ sed -i 's/"the thread enters a region"/"in it goes"/' src/format/events.def; "$WEFT_SOURCE/dev/check-format-doc" .
docs/format.md:[..]: is not what the code says: run dev/check-format-doc --update
? 1
$ "$WEFT_SOURCE/dev/check-format-doc" --update .; "$WEFT_SOURCE/dev/check-format-doc" .; grep -c 'in it goes' docs/format.md
1
$ echo '/* more */' >>examples/read_stream.c; "$WEFT_SOURCE/dev/check-format-doc" .
docs/format.md:[..]: is not what the code says: run dev/check-format-doc --update
? 1
$ sed -i '/<!-- texts:/d' docs/format.md; "$WEFT_SOURCE/dev/check-format-doc" --update .
docs/format.md:1: has no part 'texts'
? 1
