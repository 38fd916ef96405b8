#!/usr/bin/env python3
"""Builds the documentation site, offline: docs.py PROGRAM OUTPUT-FOLDER

README.md is its front page, docs/*.md are its pages. The reference of the commands is what the program says to --help, that of the
interfaces is the public headers and what is public in the Python package, whose comments are their documentation. Every link between pages is followed; one that
leads nowhere is an error. A page that the contents below do not name stands at their end.
"""
import ast
import html
import re
import shutil
import subprocess
import sys
from pathlib import Path

import markdown

SOURCE = Path(__file__).resolve().parent.parent
FRONT = "README.md"
CONTENTS = {
    "Start": [FRONT, "docs/concepts.md", "docs/formats.md"],
    "Use": ["commands", "docs/graph500.md", "docs/bench.md", "docs/choosing.md", "docs/clusters.md", "docs/planning.md",
            "docs/results.md", "docs/applications.md"],
    "Embed": ["docs/library.md", "api-cpp", "api-c", "api-python"],
    "Inside": ["docs/performance.md", "docs/design.md", "docs/adding-a-preset.md", "docs/scale30.md", "CONTRIBUTING.md",
               "CHANGELOG.md"],
}

STYLE = """
:root { color-scheme: light dark; --ink: #1c1f24; --paper: #ffffff; --soft: #f3f4f6; --line: #d5d9e0; --accent: #b3400a; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e6ea; --paper: #14161a; --soft: #1f232a; --line: #3a404a; --accent: #ff9c62; } }
* { box-sizing: border-box; }
body { margin: 0; color: var(--ink); background: var(--paper); font: 16px/1.55 system-ui, sans-serif; }
.frame { display: grid; grid-template-columns: 14rem minmax(0, 52rem); gap: 2.5rem; max-width: 72rem; margin: 0 auto; padding: 1.5rem; }
nav { font-size: .93rem; } nav h2 { font-size: .8rem; margin: 1.2rem 0 .2rem; opacity: .7; } nav ul { margin: 0; padding: 0; list-style: none; }
nav a { display: block; padding: .15rem 0; text-decoration: none; } nav a[aria-current] { font-weight: 700; }
a { color: var(--accent); } h1, h2, h3 { line-height: 1.25; } h2 { border-bottom: 1px solid var(--line); padding-bottom: .2rem; }
pre { background: var(--soft); padding: .8rem 1rem; overflow-x: auto; border-radius: 4px; font-size: .86rem; line-height: 1.45; }
code { font-family: ui-monospace, monospace; font-size: .92em; } :not(pre) > code { background: var(--soft); padding: 0 .25em; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-size: .92rem; }
th, td { border: 1px solid var(--line); padding: .3rem .6rem; text-align: left; vertical-align: top; }
svg { max-width: 100%; height: auto; } .about { white-space: pre-line; }
@media (max-width: 50rem) { .frame { grid-template-columns: minmax(0, 1fr); gap: 1rem; padding: 1rem; } nav ul { columns: 2; } nav li { break-inside: avoid; } }
"""


def anchor(text, separator="-"):
    """As GitHub names headings, so that links work there and here."""
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", separator)


class Site:
    def __init__(self, program, output):
        self.program, self.output = program, output
        self.pages = {}  # name -> title, body
        self.problems = []

    def add(self, name, title, body):
        self.pages[name] = (title, body)

    def page_of(self, file):
        return "index" if file == FRONT else Path(file).stem.lower()

    # Pages that somebody wrote.
    def add_markdown(self, file):
        text = (SOURCE / file).read_text()
        convert = markdown.Markdown(extensions=["tables", "fenced_code", "sane_lists", "toc"],
                                    extension_configs={"toc": {"slugify": anchor}})
        body = convert.convert(text)
        body = re.sub(r"<code>[^<]*</code>", lambda code: code[0].replace("\\|", "|"), body)
        body = body.replace("<table>", '<div class="wide"><table>').replace("</table>", "</table></div>")
        body = re.sub(r'<img alt="([^"]*)" src="([^"]+\.svg)" ?/?>', lambda image: self.picture(file, image), body)
        body = re.sub(r'href="([^"]+)"', lambda link: f'href="{self.target(file, html.unescape(link[1]))}"', body)
        title = re.search(r"^# (.*)$", text, re.M)[1]
        self.add(self.page_of(file), re.sub("`", "", title), body)

    def picture(self, file, image):
        drawing = (SOURCE / file).parent / image[2]
        if not drawing.exists():
            self.problems.append(f"{file}: there is no picture {image[2]}")
            return ""
        return f'<figure role="img" aria-label="{image[1]}">{drawing.read_text()}</figure>'

    def target(self, file, link):
        """Where a link of the repository leads on the site."""
        if re.match(r"[a-z]+:", link) or link.startswith("#"):
            return link
        path, hash_sign, heading = link.partition("#")
        wanted = ((SOURCE / file).parent / path).resolve()
        if not wanted.exists() or SOURCE not in wanted.parents:
            self.problems.append(f"{file}: {link} leads nowhere")
            return link
        inside = str(wanted.relative_to(SOURCE))
        if inside.endswith(".md"):
            return f"{self.page_of(inside)}.html{hash_sign}{heading}"
        copy = self.output / "files" / inside
        copy.parent.mkdir(parents=True, exist_ok=True)
        if wanted.is_dir():
            shutil.copytree(wanted, copy, dirs_exist_ok=True)
        else:
            shutil.copy(wanted, copy)
        return f"files/{inside}"

    # What the program says of itself.
    def help_of(self, *words):
        return subprocess.run([self.program, *words, "--help"], check=True, capture_output=True, text=True).stdout

    def add_commands(self):
        overview = self.help_of()
        commands = re.findall(r"^  ([a-z0-9]+) {2,}", overview.partition("Subcommands:")[2], re.M)
        body = "<h1>Commands</h1><p>What <code>--help</code> says, of the program and of each command.</p>"
        body += f"<pre>{html.escape(overview)}</pre>"
        for command in commands:
            body += f'<h2 id="{command}">brushfire {command}</h2><pre>{html.escape(self.help_of(command))}</pre>'
        self.add("commands", "Commands", body)
        if not commands:
            self.problems.append("the program names no commands")

    # Files whose comments are their documentation.
    def add_api(self, name, title, files, lead):
        if not files:
            return
        body = f"<h1>{title}</h1><p>{lead}</p><ul>"
        body += "".join(f'<li><a href="#{anchor(file.name)}"><code>{file.name}</code></a></li>' for file in files) + "</ul>"
        for file in files:
            about, code = outline(file) if file.suffix.startswith(".py") else opening(file)
            body += f'<h2 id="{anchor(file.name)}">{file.name}</h2><p class="about">{html.escape(about)}</p><pre>{html.escape(code)}</pre>'
        self.add(name, title, body)

    def write(self):
        for name, (title, body) in self.pages.items():
            page = f"""<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} – Brushfire</title><style>{STYLE}</style></head><body><div class="frame"><nav aria-label="Pages">{self.contents(name)}</nav>
<main>{body}</main></div></body></html>"""
            (self.output / f"{name}.html").write_text(page)

    def contents(self, current):
        parts = {part: [self.page_of(file) for file in files] for part, files in CONTENTS.items()}
        listed = {name for names in parts.values() for name in names}
        parts["More"] = [name for name in self.pages if name not in listed]
        text = ""
        for part, names in parts.items():
            if not set(names) & set(self.pages):
                continue
            text += f"<h2>{part}</h2><ul>"
            for name in names:
                if name in self.pages:
                    here = ' aria-current="page"' if name == current else ""
                    text += f'<li><a href="{name}.html"{here}>{self.pages[name][0]}</a></li>'
            text += "</ul>"
        return text

    def check(self):
        for name, (_, body) in self.pages.items():
            for page, heading in re.findall(r'href="(?:([\w.-]+)\.html)?(?:#([^"]*))?"', body):
                there = self.pages.get(page or name)
                if there is None:
                    self.problems.append(f"{name}: there is no page {page}")
                elif heading and f'id="{heading}"' not in there[1]:
                    self.problems.append(f"{name}: {page or name} has no heading #{heading}")


def opening(file):
    """The comment that a file begins with, and what is declared below its includes."""
    lines = file.read_text().splitlines()
    length = next((i for i, line in enumerate(lines) if not line.startswith(("//", "#!"))), len(lines))
    about = " ".join(line.removeprefix("//").strip() for line in lines[:length])
    rest = [line for line in lines[length:] if not line.startswith(("#pragma once", "#include"))]
    return about, re.sub(r"\n{3,}", "\n\n", "\n".join(rest)).strip()


def outline(file):
    """What is public in a Python module: signatures and docstrings."""
    module = ast.parse(file.read_text())

    def shortened(node):
        if isinstance(node, ast.ClassDef):
            node.body = [shortened(part) for part in node.body if is_public(part)] or [ast.Expr(ast.Constant(...))]
        elif isinstance(node, ast.FunctionDef):
            said = ast.get_docstring(node)
            node.body = [node.body[0] if said else ast.Expr(ast.Constant(...))]
        return node

    def is_public(node):
        named = isinstance(node, (ast.ClassDef, ast.FunctionDef)) and not node.name.startswith("_")
        docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        return named or docstring or isinstance(node, ast.AnnAssign)

    parts = [ast.unparse(shortened(node)) for node in module.body if is_public(node) and not isinstance(node, ast.Expr)]
    return ast.get_docstring(module) or "", "\n\n".join(parts)


def main():
    program, output = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    output.mkdir(parents=True, exist_ok=True)
    site = Site(program, output)
    pages = [f"docs/{page.name}" for page in sorted((SOURCE / "docs").glob("*.md"))]
    for file in [FRONT, "CONTRIBUTING.md", "CHANGELOG.md", *pages]:
        site.add_markdown(file)
    site.add_commands()
    headers = SOURCE / "include" / "brushfire"
    site.add_api("api-cpp", "C++ interface", sorted(headers.glob("*.hpp")), "The public headers, as they are installed.")
    site.add_api("api-c", "C interface", sorted(headers.glob("*.h")), "The public header, as it is installed.")
    package = SOURCE / "surface" / "python" / "brushfire"
    site.add_api("api-python", "Python interface", [package / "__init__.py"], "What <code>import brushfire</code> has.")
    site.check()
    site.write()
    if site.problems:
        sys.exit("\n".join(site.problems))
    print(f"{len(site.pages)} pages: {output}/index.html")


main()
