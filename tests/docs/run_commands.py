#!/usr/bin/env python3
"""Runs every command that README.md and docs/*.md show: the lines that start with `$ ` in a block between ``` lines.

  run_commands.py SOURCE-FOLDER PROGRAM [PAGE...]

A page's commands run in a scratch folder of their own, one after the other, and must end with 0 and, where the page shows
what they print, print that (numbers aside). Pages are never written for this test; it adapts what they show:

  sizes     generated graphs above scale 10 are made at scale 10; there are at most two ranks; benches measure one root
            once, on one small graph where they name none, and papers at the smallest scale there is
  files     a graph that a command reads and nobody has made is made; what `cat FILE` shows is written to FILE
  GPUs      a command that says --device cuda may also end with 1 and say that there is no usable GPU
  ranks     commands of mpirun run where mpirun is, on however few cores
  the rest  of make only the target is looked up; compilers, cmake, ctest, git, sudo and editors are not run; of commands in the
            text (`brushfire ...`) only that the program knows them and their options

A comment that readers do not see, above a block, says what else is different:

  <!-- check: exit 4 -->           the last command ends with 4 and says on stderr what is shown
  <!-- check: options: REASON -->  only that the program knows the command and its options
  <!-- same as: FILE -->           the block shows this file of the repository
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

LARGEST_SCALE = 10
GRAPH_FILE = re.compile(r"[\w-]+\.(el|wel|txt|csv|tsv|mtx|gr|graph|sg|bfg)(\.gz|\.zst)?")
WRITES = {"-o", "--parents", "--levels", "--json", "--html", "--resume", "--trace"}
NOT_RUN = {"c++", "cmake", "ctest", "nvcc", "git", "sudo", "$EDITOR", "apptainer", "spack", "sbatch"}


IN_TEXT = re.compile(r"`(?:[^`]* )?(brushfire [a-z][a-z0-9]*[^`]*)`")


class Block:
    def __init__(self, page, line, marks):
        self.page, self.line, self.marks, self.lines = page, line, marks, []

    def commands(self):
        """Pairs of a command and the lines shown below it."""
        found = []
        for line in self.lines:
            if line.startswith("$ "):
                found.append((re.sub(r"\s+# .*$", "", line[2:]), []))
            elif found:
                found[-1][1].append(line)
        return found


def blocks_of(page):
    blocks, block, marks = [], None, []
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if line.startswith("```"):
            if block is None:
                block = Block(page, number, marks)
            else:
                blocks.append(block)
                block, marks = None, []
        elif block is not None:
            block.lines.append(line)
        elif line.startswith("<!--"):
            marks = marks + [line.removeprefix("<!--").removesuffix("-->").strip()]
        elif line.strip():
            marks = []
    if block is not None:
        raise ValueError(f"{page}:{block.line}: a block without an end")
    return blocks


def smaller(command):
    """The same command on small graphs."""
    limit = lambda match: match[1] + str(min(int(match[2]), LARGEST_SCALE))
    command = re.sub(r"\bbuild/bin/(examples/)?", "", command)
    command = re.sub(r"\b((?:kron|uniform|tail):)(\d+)", limit, command)
    command = re.sub(r"\b(graph500 )(\d+)", limit, command)
    command = re.sub(r"(--(?:roots|rounds|trials) )\d+", r"\g<1>1", command)
    command = re.sub(r"\bmpirun -n \d+", "mpirun -n 2", command)
    if re.search(r"\bbrushfire bench\b", command):
        command = command.replace("--quick", "kron:8 --quick")
        command = re.sub(r" --scale \d+", "", command)
        for option in ("--roots", "--rounds"):
            if option not in command:
                command += f" {option} 1"
        if "--paper" in command:
            command += " --scale 8"
    return command


def without_numbers(text):
    text = re.sub(r"[kMGT]?TEPS", "TEPS", text)
    return re.sub(r"\d+(\.\d+)?(e[+-]?\d+)?", "#", text).split()


class Runner:
    def __init__(self, source, program):
        self.source, self.program = source, program
        self.targets = set(re.findall(r"^([a-z-]+):", (source / "Makefile").read_text(), re.M))
        self.help = {}
        self.ran = self.looked_at = 0
        self.skipped = []
        self.problems = []

    def environment(self):
        path = f"{self.program.parent}:{self.program.parent / 'examples'}:{os.environ['PATH']}"
        ranks = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                 "OMPI_MCA_rmaps_base_oversubscribe": "1"}
        return {**os.environ, **ranks, "PATH": path}

    def options_of(self, command):
        if command not in self.help:
            told = subprocess.run([self.program, command, "--help"], capture_output=True, text=True)
            self.help[command] = set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", told.stdout)) if told.returncode == 0 else None
        return self.help[command]

    def problem(self, block, command, text):
        self.problems.append(f"{block.page.relative_to(self.source)}:{block.line}: {command}\n    {text}")

    def look_at(self, block, command):
        """The program has the command, and the command has its options."""
        self.looked_at += 1
        match = re.search(r"\bbrushfire ([a-z0-9]+)(.*)", command)
        if not match:
            return
        known = self.options_of(match[1])
        if known is None:
            return self.problem(block, command, f"there is no command {match[1]}")
        for option in re.findall(r"(?<=\s)--?[a-z][\w-]*", match[2]):
            if option not in known:
                self.problem(block, command, f"{match[1]} has no option {option}")

    def make_inputs(self, command, folder):
        words = command.split()
        for before, word in zip([""] + words, words):
            if GRAPH_FILE.fullmatch(word) and before not in WRITES and not (folder / word).exists():
                subprocess.run([self.program, "convert" if word.endswith(".bfg") else "generate", "kron:8", "-o", word, "-q"],
                               cwd=folder, check=True)

    def run(self, block, command, shown, folder):
        words = command.split()
        name = words[0]
        expected = next((int(mark.split()[-1]) for mark in block.marks if mark.startswith("check: exit")), 0)
        if name == "make":
            self.looked_at += 1
            if words[1] not in self.targets:
                self.problem(block, command, "the Makefile has no such target")
            return
        if name in NOT_RUN or name.startswith("build-"):
            self.looked_at += 1
            return
        if name == "cat":
            (folder / words[1]).write_text("\n".join(shown) + "\n")
            return
        self.look_at(block, command)
        if any(mark.startswith("check: options") for mark in block.marks):
            return
        if name == "mpirun" and shutil.which("mpirun") is None:
            return self.skipped.append(command)
        self.make_inputs(command, folder)
        self.ran += 1
        told = subprocess.run(["sh", "-c", smaller(command)], cwd=folder, env=self.environment(), capture_output=True,
                              text=True, timeout=300)
        if told.returncode != 0 and "--device cuda" in command and "no usable GPU" in told.stderr:
            return
        if told.returncode != expected:
            return self.problem(block, command, f"ended with {told.returncode}: {told.stderr.strip()[-500:]}")
        said = told.stderr if expected else told.stdout
        if shown and without_numbers("\n".join(shown)) != without_numbers(said):
            self.problem(block, command, f"printed something else: {said.strip()[:500]}")

    def look_at_text(self, page):
        text = re.sub(r"^```.*?^```", lambda block: "\n" * block[0].count("\n"), page.read_text(), flags=re.M | re.S)
        for match in IN_TEXT.finditer(text):
            self.look_at(Block(page, text.count("\n", 0, match.start()) + 1, []), match[1].replace("\n", " "))

    def check_page(self, page):
        self.look_at_text(page)
        with tempfile.TemporaryDirectory(prefix="brushfire-docs-") as folder:
            for block in blocks_of(page):
                for mark in block.marks:
                    if mark.startswith("same as:"):
                        file = self.source / mark.removeprefix("same as:").strip()
                        if file.read_text().rstrip("\n") != "\n".join(block.lines):
                            self.problem(block, mark, "the block and the file differ")
                for command, shown in block.commands():
                    try:
                        self.run(block, command, shown, Path(folder))
                    except subprocess.TimeoutExpired:
                        self.problem(block, command, "takes longer than five minutes")


def main():
    source, program = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    pages = [Path(page).resolve() for page in sys.argv[3:]]
    runner = Runner(source, program)
    for page in pages or [source / "README.md", source / "CONTRIBUTING.md", *sorted((source / "docs").glob("*.md"))]:
        runner.check_page(page)
    for command in runner.skipped:
        print(f"not run, there is no mpirun: {command}")
    print(f"{runner.ran} commands run, {runner.looked_at} looked at")
    if runner.problems:
        sys.exit("\n".join(runner.problems))
    if not runner.ran and not pages:
        sys.exit("no command was found")


main()
