"""Runs validators of one folder: each in a process and on a copy of the files of its own, some at once, each with limits of its processor time and its wall time.

What one writes, in its copy or above it, changes nothing for the others: their copies are made first, and claims and
verdicts are in files without names."""

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time


def run(job, plan, claim, verdict):
    """Runs one on a claim, has it write to a file, and says how it ended."""
    end = {"code": -1, "absent": False, "late": False, "error": "", "took": 0.0}
    began = time.monotonic()
    with tempfile.TemporaryFile() as given:
        given.write(claim)
        given.seek(0)
        try:
            process = subprocess.Popen(job["words"], stdin=given, stdout=verdict, stderr=subprocess.PIPE, cwd=job["copy"], start_new_session=True)
        except (FileNotFoundError, PermissionError):
            end["absent"] = True
            return end
        try:
            said = process.communicate(timeout=plan["seconds"])[1]
        except subprocess.TimeoutExpired:
            end["late"] = True
            stop(process)
            said = process.communicate()[1]
    stop(process)
    end["code"] = process.returncode
    end["error"] = said.decode("utf-8", "replace")[-plan["kept"]:]
    end["took"] = time.monotonic() - began
    return end


def stop(process):
    """Ends what is left of a validator: it would take time from the others."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass


def limit(seconds, grace):
    """Limits the processor time of each process that this one starts, and its own, of which it needs little."""
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds + grace)))
    except ValueError:
        pass  # a lower limit holds already


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        plan = json.load(f)
    with open(plan["claim"], "rb") as f:
        claim = f.read()
    os.remove(plan["claim"])
    os.remove(sys.argv[1])
    names = [name for name in os.listdir(".") if name != os.path.basename(__file__)]
    for job in plan["jobs"]:
        os.mkdir(job["copy"])
        for name in names:
            (shutil.copytree if os.path.isdir(name) else shutil.copy2)(name, os.path.join(job["copy"], name))
    limit(plan["cpu"], plan["grace"])
    ends = [None] * len(plan["jobs"])
    verdicts = [tempfile.TemporaryFile() for _ in ends]
    free = threading.Semaphore(plan["parallel"])

    def turn(i):
        with free:
            ends[i] = run(plan["jobs"][i], plan, claim, verdicts[i])

    turns = [threading.Thread(target=turn, args=(i,)) for i in range(len(ends))]
    for t in turns:
        t.start()
    for t in turns:
        t.join()
    for job, verdict in zip(plan["jobs"], verdicts):
        verdict.seek(0)
        with open(job["verdict"], "wb") as f:
            f.write(verdict.read(plan["longest"] + 1))
    with open(plan["ends"], "w", encoding="utf-8") as f:
        json.dump(ends, f)


main()
