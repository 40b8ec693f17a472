"""Judges fixes of {{.Error}}.

It reads a claim, which is a JSON object, from standard input, and writes a verdict, which is one too, to standard
output. Nothing else may be written there: write what you want to look at to standard error.

    caselsp fixcheck test {{.Name}}     runs it on good*.json, which must be valid, and bad*.json, which must not
    caselsp help fixcheck               says what a claim and a verdict hold
"""

import json
import re
import sys


def judge(claim):
    # What the failure is about. Without it there is nothing to judge: confidence 0 says so.
    found = re.search({{.Pattern}}, claim["error_message"])
    if not found:
        return {"valid": True, "confidence": 0, "reason": "not judged: the message names nothing"}
    name = found.group(1)

    # Does a changed line mention it? A text is null where the file was not there, or is not any longer.
    for file in claim["files"] or []:
        before = (file["before"] or "").splitlines()
        after = (file["after"] or "").splitlines()
        if any(name in line for line in set(before) ^ set(after)):
            return {"valid": True, "confidence": 0.6, "reason": f"{file['path']} has changed where it mentions {name}"}

    # Send a fix back only where it is certainly wrong: tests that run for nothing cost less than a good fix that is
    # refused. The reason is what the model is told.
    return {"valid": False, "confidence": 0.8, "path": claim.get("main", ""),
            "reason": f"the failure is about {name}, and no changed line mentions it"}


if __name__ == "__main__":
    json.dump(judge(json.load(sys.stdin)), sys.stdout)
