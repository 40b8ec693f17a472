"""Refuses a fix after which a changed Python file does not parse."""

import ast
import json
import sys
import warnings


def judge(claim):
    judged = 0
    for file in claim["files"] or []:
        if not file["path"].endswith(".py") or file["after"] is None:
            continue
        judged += 1
        try:
            ast.parse(file["after"])
        except (SyntaxError, ValueError) as error:
            line = getattr(error, "lineno", None) or 0
            why = getattr(error, "msg", None) or str(error)
            return {"valid": False, "confidence": 0.9, "path": file["path"], "line": line,
                    "reason": f"{file['path']} still does not parse: {why} (line {line})"}
    if judged == 0:
        return {"valid": True, "confidence": 0, "reason": "not judged: no Python file has changed"}
    return {"valid": True, "confidence": 0.6, "reason": "the changed Python files parse"}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    json.dump(judge(json.load(sys.stdin)), sys.stdout)
