# SPDX-License-Identifier: Apache-2.0
"""The pages as one script and one style: a browser asks for two files, not for ninety one after the other; saved pages have the same two in them.

Modules become functions that are called once, in the order in which they import each other; what they export is an object. Only the forms of
import and export that web/ uses are understood; anything else, and a circle of imports, ends the build.
"""
import re
import sys

BEGIN, SHELL = "export/source.js", "app.js"
STYLE, MODULE = r'<link rel="stylesheet" href="web/([^"]+)">\n', '<script type="module" src="web/app.js"></script>'
IMPORT = re.compile(r'^import\s+(?:(?P<default>\w+)|\*\s+as\s+(?P<all>\w+)|\{(?P<names>[^}]*)\})\s+from\s+"(?P<path>[^"]+)";[ \t]*$', re.M)
SIDE = re.compile(r'^import\s+"(?P<path>[^"]+)";[ \t]*$', re.M)
DECLARED = re.compile(r"^export\s+(?P<what>(?:async\s+)?function\*?|const|let|class)\s+(?P<name>\w+|\{[^}]*\}|\[[^\]]*\])", re.M)
LISTED = re.compile(r"^export\s+\{(?P<names>[^}]*)\};[ \t]*$", re.M)
DEFAULT = re.compile(r"^export\s+default\s+", re.M)
LEFT = re.compile(r"^(?:import\b|export\b).*$", re.M)


def fail(words):
    sys.exit(f"bundle.py: {words}")


def further_names(text, at):
    """Names behind the first of 'const a = 1, b = 2;', from behind the first name on."""
    depth, quote, names = 0, "", []
    while at < len(text):
        c = text[at]
        if quote:
            at += 1 if c == "\\" else 0
            quote = "" if c == quote else quote
        elif c in "\"'`":
            quote = c
        elif c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
        elif depth == 0 and c == ";":
            return names
        elif depth == 0 and c == ",":
            name = re.match(r",\s*(\w+)\s*=[^=>]", text[at:])
            if name:
                names.append(name[1])
        at += 1
    return names


def pairs(names):
    for part in filter(None, (n.strip() for n in names.split(","))):
        words = re.split(r"\s+as\s+", part)
        yield words[0], words[-1]


class Bundle:
    def __init__(self, web):
        self.web, self.number, self.parts, self.open = web, {}, [], []

    def add(self, name):
        """The module's number, after all that it imports."""
        if name in self.number:
            return self.number[name]
        if name in self.open:
            fail("modules import each other in a circle: " + " -> ".join([*self.open, name]))
        self.open.append(name)
        path = self.web / name
        if not path.is_file():
            fail(f"'{name}', which '{self.open[-2] if len(self.open) > 1 else ''}' imports, is not there")
        text = self.translate(name, path.read_text())
        self.open.pop()
        self.number[name] = len(self.parts)
        self.parts.append(f"/* {name} */\nM[{len(self.parts)}] = (() => {{\n{text}}})();\n")
        return self.number[name]

    def find(self, name, path):
        folder = (self.web / name).parent
        return (folder / path).resolve().relative_to(self.web.resolve()).as_posix()

    def translate(self, name, text):
        exported = []

        def imported(m):
            number = self.add(self.find(name, m["path"]))
            if m["default"]:
                return f"const {m['default']} = M[{number}].default;"
            if m["all"]:
                return f"const {m['all']} = M[{number}];"
            return "const { " + ", ".join(a if a == b else f"{a}: {b}" for a, b in pairs(m["names"])) + f" }} = M[{number}];"

        def declared(m):
            if m["name"][0] in "{[":
                fail(f"{name}: export of a pattern is not understood")
            exported.append((m["name"], m["name"]))
            if m["what"] in ("const", "let"):
                exported.extend((name, name) for name in further_names(m.string, m.end()))
            return f"{m['what']} {m['name']}"

        def listed(m):
            exported.extend((b, a) for a, b in pairs(m["names"]))
            return ""

        text = SIDE.sub(lambda m: f"M[{self.add(self.find(name, m['path']))}];", text)
        text = IMPORT.sub(imported, text)
        text = LISTED.sub(listed, text)
        text = DECLARED.sub(declared, text)
        if DEFAULT.search(text):
            text = DEFAULT.sub("const default_of_module = ", text, count=1)
            exported.append(("default", "default_of_module"))
        left = LEFT.search(re.sub(r"/\*.*?\*/", "", text, flags=re.S))
        if left:
            fail(f"{name}: not understood: {left.group(0)[:80]}")
        return text + "return { " + ", ".join(a if a == b else f"{a}: {b}" for a, b in exported) + " };\n"


def bundle(web):
    """Script, style, and the page that has these. A page with data in it (a saved one) opens these first."""
    made = Bundle(web)
    begin = made.add(BEGIN)
    first = len(made.parts)
    made.add(SHELL)
    script = '"use strict";\n(async () => {\nconst M = [];\n' + "".join(made.parts[:first]) + f"await M[{begin}].openPage();\n" + "".join(made.parts[first:]) + "})();\n"
    index = (web / "index.html").read_text()
    styles = re.findall(STYLE, index)
    style = "".join((web / name).read_text() for name in styles)
    if "</script" in script or "</style" in style:
        fail("a module has the end of an element in it")
    index = re.sub(STYLE, "", index)
    if index.count(MODULE) != 1:
        fail(f"index.html has not once {MODULE}")
    return script, style, index.replace(MODULE, '<link rel="stylesheet" href="web/pages.css">\n<script src="web/pages.js" defer></script>')
