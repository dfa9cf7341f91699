#!/usr/bin/env python3
"""Compute the lambda of a decision again from its receipt, with nothing but Python's standard library.

Usage: recompute_lambda.py < receipt.json     a receipt body, or a list of bodies or payloads
Prints what is stated and what comes out; exits 3 where they differ by more than 0.000001. Lambda can hold, never lets pass.
"""
import json, sys
from fractions import Fraction as F
from math import exp, floor, log
WEIGHTS = {"integrity": 0.25, "privacy": 0.20, "sensitivity": 0.15, "consequence": 0.15,
           "transparency": 0.10, "coverage": 0.10, "budget": 0.05}
THREAT = {"block": F(60, 100), "hold": F(25, 100), "note": F(5, 100)}
VALUE = {"block": F(50, 100), "hold": F(20, 100), "note": F(3, 100)}
CLASS = {"PUBLIC": F(1), "INTERNAL": F(96, 100), "RESTRICTED": F(60, 100), "SECRET": F(40, 100)}
EFFECT = {"none": F(1), "read": F(1), "write": F(95, 100), "external": F(90, 100), "destructive": F(60, 100)}
ORIGIN = {"user": F(1), "system": F(1), "model": F(1), "tool": F(95, 100), "retrieved": F(92, 100)}


def axis(value):
    """Clamped to [0.01, 1], rounded half up to six decimals; exact, because the rounding of floats is not."""
    return F(floor(max(F(1, 100), min(F(1), value)) * 1_000_000 + F(1, 2)), 1_000_000)


def product(weights):
    left = F(1)
    for weight in weights:
        left *= 1 - weight
    return left


def axes_of(i):
    values = [VALUE[one["severity"]] for one in i["values"] for _ in range(min(8, one["values"]))]
    grave = max(F(0), (F(i["severity_milli"], 1000) - 5) / 5)
    hidden = (F(1, 2) * min(1, F(i["invisible"], 8)) + F(3, 10) * min(1, F(i["mixed_script_words"], 3))
              + F(1, 5) * min(1, F(i["decoded_children"], 4)))
    own = {"integrity": axis(product(THREAT[one["severity"]] for one in i["threats"])),
           "privacy": axis(product(sorted(values, reverse=True)[:8])),
           "sensitivity": axis(CLASS[i["sensitivity"]]),
           "consequence": axis(EFFECT[i["effect"]] * ORIGIN[i["origin"]] * (1 - F(3, 10) * grave)),
           "transparency": axis(1 - hidden)}
    charge = i.get("charge_micro", floor(250_000 * (1 - min(own.values())) + F(1, 2)))
    used = min(F(1), F(i["spent_micro"] + charge, i["budget_micro"])) if i["budget_micro"] else F(1)
    return {**own, "coverage": axis(F(i["completed"], i["planned"])), "budget": axis(1 - used * used / 2)}


def lambda_of(inputs):
    raw = exp(sum(WEIGHTS[name] * log(value) for name, value in axes_of(inputs).items()))
    return min(0.97, floor(raw * 1e6 + 0.5) / 1e6)


try:
    given = json.load(sys.stdin)
    payloads = [body.get("payload", body) for body in (given if isinstance(given, list) else [given])]
    results = [(payload["lambda"], lambda_of(payload["lambda_inputs"])) for payload in payloads]
except (ArithmeticError, AttributeError, KeyError, TypeError, ValueError):
    sys.exit("stdin is not a receipt with lambda and its inputs: recompute_lambda.py < receipt.json")
for stated, computed in results:
    print(f"stated {stated} computed {computed}")
sys.exit(3 if any(abs(round(stated * 1_000_000) - round(computed * 1_000_000)) > 1 for stated, computed in results) else 0)
