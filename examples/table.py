#!/usr/bin/env python3
"""Runs the examples and writes their figures between the markers of a page. Called by `./dev examples`, for
docs/performance.md, and by `./dev drivers`, for docs/drivers.md.

Every example checks its result in both modes. If one is wrong, or the machine is too busy to measure anything, nothing
is written and the exit code is 1.
"""
import argparse
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys

EXAMPLES = pathlib.Path(__file__).resolve().parent
BEGIN, END = "<!-- examples:begin -->", "<!-- examples:end -->"

# In the order of the table. Programs say themselves what they do; jobs cannot.
ROWS = {
    "heat": None,
    "digits": ("a network of three layers reads 1,024 noisy digits, eight at a time", "numpy's forward pass"),
    "convolution": None,
    "bfs": None,
    "kmeans": None,
    "scan": None,
    "decode": None,
    "nbody": ("128 bodies that attract each other, 500 steps of leapfrog",
              "double precision by numpy, and the energy at the start"),
    "matmul": ("a thousand products of 16 × 16 matrices, a dispatch each", "numpy's products"),
}
JOB_TURNS, JOB_REPEATS = 5, 5


def run(command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def measure_program(name, programs, flags):
    """A program measures both modes by turns itself; its last line is for us."""
    return json.loads(run([programs / f"example_{name}", "--json", *flags]).splitlines()[-1])


def measure_job(name, programs, flags):
    """The same job in both modes by turns, each several times in one process."""
    times, result = {"plain": [], "auto": []}, None
    for turn in range(JOB_TURNS):
        for mode in sorted(times, reverse=turn % 2 == 0):
            result = json.loads(run([programs / "vyre", "run", EXAMPLES / name / "job.toml", "--json", "--mode", mode,
                                     "--repeat", JOB_REPEATS, *flags]))
            times[mode].append(result["run"]["median_ns"] / 1e6)
    does, checked_against = ROWS[name]
    logarithms = [math.log(plain / auto) for plain, auto in zip(times["plain"], times["auto"])]
    device = ", ".join(filter(None, [result["device"], result["configuration"]]))
    return {"example": name, "does": does, "checked_against": checked_against, "device": device,
            "dispatches": result["report"]["dispatches"], "plain_ms": statistics.median(times["plain"]),
            "auto_ms": statistics.median(times["auto"]),
            "speed_up_error": statistics.stdev(logarithms) / math.sqrt(JOB_TURNS)}


def measure(name, programs, flags=()):
    figures = (measure_program if ROWS[name] is None else measure_job)(name, programs, flags)
    print(f"{name:12} {figures['dispatches']:5} dispatches, plain {figures['plain_ms']:8.2f} ms, "
          f"auto {figures['auto_ms']:8.2f} ms  on {figures['device']}", flush=True)
    return figures


def milliseconds(value):
    return f"{value:.0f} ms" if value >= 100 else f"{value:.1f} ms"


def speed_up(figures):
    ratio = figures["plain_ms"] / figures["auto_ms"]
    return f"{ratio:.2f} ± {ratio * figures['speed_up_error']:.2f} ×"


def table(as_it_comes, run_inline):
    """Markdown. Where a software driver can run without threads of its own, its figures come in a second set."""
    columns = ["example", "what it does", "dispatches", "plain", "auto", "speed-up"]
    if run_inline:
        columns += ["inline: plain", "auto", "speed-up"]
    columns.append("checked against")
    lines = [columns, ["---"] * 2 + ["--:"] * (len(columns) - 3) + ["---"]]
    for name, figures in as_it_comes.items():
        cells = [f"[{name}](../examples/{name})", figures["does"], f"{figures['dispatches']:,}"]
        for each in [figures] + ([run_inline[name]] if run_inline else []):
            cells += [milliseconds(each["plain_ms"]), milliseconds(each["auto_ms"]), speed_up(each)]
        lines.append(cells + [figures["checked_against"]])
    device = next(iter(as_it_comes.values()))["device"]
    where = f"Medians on {device}, with {os.cpu_count()} cores; behind a speed-up stands the standard error of its rounds"
    if run_inline:
        where += "; inline, the driver runs work without threads of its own"
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines) + f"\n\n{where}.\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=pathlib.Path, default=EXAMPLES.parent / "build/release/bin")
    parser.add_argument("--page", type=pathlib.Path, default=EXAMPLES.parent / "docs/performance.md")
    parser.add_argument("--even-if-busy", action="store_true", help="write the table even if the machine has other work")
    parser.add_argument("only", nargs="*", choices=[[], *ROWS], help="print the figures of these, and write nothing")
    arguments = parser.parse_args()
    names = arguments.only or list(ROWS)
    for name in names:
        if ROWS[name] is not None:
            run([sys.executable, EXAMPLES / name / "make.py"])
    as_it_comes = {name: measure(name, arguments.programs) for name in names}
    can_run_inline = next(iter(as_it_comes.values()))["device"].endswith(", threaded")
    run_inline = {name: measure(name, arguments.programs, ["--inline"]) for name in names} if can_run_inline else {}
    text = table(as_it_comes, run_inline)
    print("\n" + text)
    if arguments.only:
        return
    if os.getloadavg()[0] > os.cpu_count() + 1 and not arguments.even_if_busy:
        sys.exit(f"the machine has other work (load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores), so that these figures "
                 "say little: nothing is written without --even-if-busy")
    before, found_begin, rest = arguments.page.read_text().partition(BEGIN)
    _, found_end, after = rest.partition(END)
    if not found_begin or not found_end:
        sys.exit(f"{arguments.page} has no {BEGIN} … {END}")
    arguments.page.write_text(f"{before}{BEGIN}\n{text}{END}{after}")


if __name__ == "__main__":
    main()
