import { describe, expect, it } from "vitest";
import { filterOf } from "./run-filter.js";

const nowMs = Date.parse("2026-11-29T12:00:00Z");
const filter = (where: string) => filterOf({ status: [], label: [], where }, nowMs);

describe("--where", () => {
  it("takes statuses, a workflow, labels, times and words", () => {
    expect(
      filter('status:failed status:timedOut workflow:refund label.team="Berlin Mitte" after:2h card declined'),
    ).toEqual({
      status: ["failed", "timedOut"],
      workflow: "refund",
      labels: { team: "Berlin Mitte" },
      createdAfter: nowMs - 7_200_000,
      search: "card declined",
    });
    expect(filter("before:2026-11-20")).toEqual({ createdBefore: Date.parse("2026-11-20") });
    expect(filter("")).toEqual({});
  });

  it("takes how a run has failed", () => {
    expect(filter("step:charge error:0a1b2c3d4e5f6071")).toEqual({ failedStep: "charge", failure: "0a1b2c3d4e5f6071" });
    expect(() => filter("step:")).toThrow("`step:` has no value");
  });

  it("takes values of the input, and a version", () => {
    expect(filter('input.order=A-733333 input.note="a b=c" version:1.5.0 label.input.order=x')).toEqual({
      input: { order: "A-733333", note: "a b=c" },
      version: "1.5.0",
      labels: { "input.order": "x" },
    });
    expect(() => filter("input.order= version: input.=7")).toThrow(
      "`input.order=` has no value; `version:` has no value",
    );
  });

  it("adds to the other options", () => {
    expect(
      filterOf({ status: ["failed"], label: ["team=berlin"], where: "status:cancelled label.user=ann" }, nowMs),
    ).toEqual({
      status: ["failed", "cancelled"],
      labels: { team: "berlin", user: "ann" },
    });
  });

  it("names all problems", () => {
    expect(() => filter("status:odd after:soon colour:red label.team=")).toThrow(
      /`status:odd` is none of .*; `soon` is neither a duration .*; `colour:` is unknown; `label.team=` has no value/,
    );
  });
});
