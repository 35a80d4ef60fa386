import { describe, expect, it } from "vitest";
import type { Handler } from "../api/contract.types.js";
import { letsThrough, noFilter, queryOf, type RunFilter } from "./run-filter.js";

const run = (change: Partial<Handler> = {}): Handler => ({
  handler_id: "im-1",
  workflow_name: "import",
  run_id: "im-1",
  status: "failed",
  started_at: "2026-11-22T05:40:55.557Z",
  updated_at: "2026-11-22T05:40:55.557Z",
  completed_at: null,
  error: "Row 812 is wrong",
  error_code: "STEP_FAILED",
  result: null,
  waiting: false,
  prompts: [],
  wake_at: null,
  labels: { env: "Dev" },
  queue: null,
  sealed: false,
  last_sequence: -1,
  forked_from: null,
  ...change,
});

describe("letsThrough", () => {
  const filters: readonly (readonly [Partial<RunFilter>, Partial<Handler>, boolean])[] = [
    [{}, {}, true],
    [{ status: "failed" }, {}, true],
    [{ status: "completed" }, {}, false],
    [{ status: "running" }, { status: "running" }, true],
    [{ status: "running" }, { status: "running", waiting: true }, false],
    [{ status: "waiting" }, { status: "running", waiting: true }, true],
    [{ workflow: "import" }, {}, true],
    [{ workflow: "digest" }, {}, false],
    [{ search: "IM-" }, {}, true],
    [{ search: "m-1" }, {}, false],
    [{ search: "dev" }, {}, true],
    [{ search: " row 812 " }, {}, true],
    [{ search: "env" }, {}, false],
  ];

  it.each(filters)("with %j says of %j: %s", (filter, change, isThrough) => {
    expect(letsThrough({ ...noFilter, ...filter }, run(change))).toBe(isThrough);
  });
});

describe("queryOf", () => {
  it("asks the server for the same", () => {
    expect(queryOf({ status: "running", workflow: "import", search: " x " })).toEqual({
      status: "running",
      waiting: false,
      workflow_name: "import",
      q: "x",
    });
  });
});
