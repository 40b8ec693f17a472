"""Runs validators of one folder: each in a process of its own, some at once, each with a time limit."""

import json
import os
import signal
import subprocess
import sys
import threading
import time


def run(job, plan):
    """Runs one, and says how it ended."""
    end = {"code": -1, "absent": False, "late": False, "error": "", "took": 0.0}
    began = time.monotonic()
    with open(plan["claim"], "rb") as claim, open(job["verdict"], "wb") as verdict:
        try:
            process = subprocess.Popen(job["words"], stdin=claim, stdout=verdict, stderr=subprocess.PIPE, start_new_session=True)
        except (FileNotFoundError, PermissionError):
            end["absent"] = True
            return end
        try:
            said = process.communicate(timeout=plan["seconds"])[1]
        except subprocess.TimeoutExpired:
            end["late"] = True
            os.killpg(process.pid, signal.SIGKILL)
            said = process.communicate()[1]
    end["code"] = process.returncode
    end["error"] = said.decode("utf-8", "replace")[-plan["kept"]:]
    end["took"] = time.monotonic() - began
    return end


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        plan = json.load(f)
    ends = [None] * len(plan["jobs"])
    free = threading.Semaphore(plan["parallel"])

    def turn(i):
        with free:
            ends[i] = run(plan["jobs"][i], plan)

    turns = [threading.Thread(target=turn, args=(i,)) for i in range(len(ends))]
    for t in turns:
        t.start()
    for t in turns:
        t.join()
    with open(plan["ends"], "w", encoding="utf-8") as f:
        json.dump(ends, f)


main()
