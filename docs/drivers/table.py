#!/usr/bin/env python3
"""Writes the tables of docs/drivers.md. Called by `./dev drivers`.

One row for each docs/drivers/*.json, which is what `vyre devices --report docs/drivers/NAME` writes. What choosing costs
comes from docs/drivers/regret/*.json (`bench_regret --json`), what a pipeline cache holds from
docs/drivers/pipeline_cache/*.json (`bench_pipeline_cache --json`).
"""

import json
import math
import pathlib
import statistics

FOLDER = pathlib.Path(__file__).resolve().parent
PAGE = FOLDER.parent / "drivers.md"
MODES = ("plain", "batched", "replay", "merged", "persistent", "chain", "bindless")


def size(count):
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if count < 1024 or unit == "GiB":
            return f"{count:.4g} {unit}"
        count /= 1024


def device_name(survey):
    device = survey["device"]
    return device["name"] + (f", {device['configuration']}" if device["configuration"] else "")


def markdown(head, rows):
    lines = [head, ["---"] + ["--:"] * (len(head) - 1)] + rows
    return "\n".join(f"| {' | '.join(str(cell) for cell in line)} |" for line in lines) + "\n"


def limits_table(surveys):
    rows = []
    for survey in surveys:
        limits, forms = survey["device"]["limits"], survey["device"]["forms"]
        rows.append([
            device_name(survey), survey["device"]["driver"], survey["device"]["api"], size(limits["memory_bytes"]),
            f"{limits['storage_alignment']}, {limits['uniform_alignment']}",
            f"{limits['max_storage_buffers']}, {limits['max_uniform_buffers']}", f"{limits['max_push_bytes']} B",
            f"{limits['max_workgroup_invocations']}, {size(limits['max_shared_bytes'])}", limits["subgroup_size"],
            f"{forms['max_iterations']:,}" if forms["max_iterations"] else "none",
            len(survey["device"]["spirv_capabilities"])])
    return markdown(["device", "driver", "interface", "memory", "alignment of storage, uniform views",
                     "storage, uniform buffers", "parameters", "invocations, shared memory of a workgroup", "subgroup",
                     "iterations of an invocation", "capabilities"], rows)


def checks_table(surveys):
    rows = [[device_name(survey), survey["checks"]["right"], survey["checks"]["wrong"], survey["checks"]["refused"],
             f"{survey['host']['processor']}, {survey['host']['cores']} cores", survey["vyre"]] for survey in surveys]
    return markdown(["device", "right", "wrong", "refused", "host", "vyre"], rows)


def timings_table(surveys, pattern, dispatches):
    modes = list(dict.fromkeys(timing["mode"] for survey in surveys for timing in survey["timings"]))
    rows = []
    for survey in surveys:
        row = [device_name(survey)]
        for mode in modes:
            found = [each for each in survey["timings"]
                     if (each["pattern"], each["dispatches"], each["mode"]) == (pattern, dispatches, mode)]
            if not found:
                row.append("")
                continue
            median = found[0]["median_ns"] / 1e3
            spread = max(found[0]["upper_quartile_ns"] / 1e3 - median, median - found[0]["lower_quartile_ns"] / 1e3)
            row.append(f"{median:,.0f} ± {spread:,.0f}")
        rows.append(row)
    return markdown(["device"] + modes, rows)


def with_error(ratios):
    """The geometric mean and its standard error."""
    logarithms = [math.log(each) for each in ratios]
    mean = math.exp(statistics.fmean(logarithms))
    return f"{mean:.3f} ± {mean * statistics.stdev(logarithms) / math.sqrt(len(ratios)):.3f}"


def regret_table(grids):
    rows = []
    for grid in grids:
        workloads = grid["workloads"]
        rows.append([
            grid["device"], len(workloads), with_error([each["regret"] for each in workloads]),
            with_error([each["itself"] for each in workloads]),
            with_error([each["cold_ns"] / min(each["modes_ns"].values()) for each in workloads]),
            *(with_error([each["modes_to_auto"][mode] for each in workloads]) for mode in MODES)])
    return markdown(["device", "workloads", "auto / best mode", "auto / auto", "first batch / best mode",
                     *(f"{mode} / auto" for mode in MODES)], rows)


def cache_table(caches):
    def cell(kernel, what):
        return f"{kernel[what]['median']:.1f} ± {kernel[what]['spread']:.1f}"

    rows = [[cache["device"], f"`{kernel['kernel']}`", cell(kernel, "cold_ms"), cell(kernel, "again_ms"),
             cell(kernel, "with_data_ms"), f"{kernel['bytes']}, {kernel['bytes_after']}"]
            for cache in caches for kernel in cache["kernels"]]
    return markdown(["device", "kernel", "empty cache", "again in the same process", "a new process with the data",
                     "bytes of the data, then"], rows)


def replace(name, text):
    """What stands between two markers of the page."""
    begin, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
    before, found_begin, rest = PAGE.read_text().partition(begin)
    _, found_end, after = rest.partition(end)
    if not found_begin or not found_end:
        raise SystemExit(f"{PAGE} has no {begin} … {end}")
    PAGE.write_text(f"{before}{begin}\n{text}{end}{after}")


def read_all(folder):
    return [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]


def main():
    surveys = read_all(FOLDER)
    replace("drivers", "\n".join([
        "### Limits\n", limits_table(surveys),
        "### Checks\n", "Six built-in kernels, each in every launch mode, compared bit for bit with the host.\n",
        checks_table(surveys),
        "### 1,000 independent tiny dispatches, µs a batch\n",
        "Median ± distance to the farther quartile; the modes ran by turns.\n",
        timings_table(surveys, "independent", 1000),
        "### 100 dependent tiny dispatches, µs a batch\n", timings_table(surveys, "steps", 100)]))
    replace("regret", regret_table([grid for grids in read_all(FOLDER / "regret") for grid in grids]))
    replace("pipeline-cache", cache_table(read_all(FOLDER / "pipeline_cache")))


if __name__ == "__main__":
    main()
