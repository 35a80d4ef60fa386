import { type RunSummary, WorkflowError } from "@millrace/client";
import { describe, expect, it } from "vitest";
import { letsThrough, noFilter, type RunFilter, selectionOf } from "./run-filter.js";

const base = {
  handlerId: "im-1",
  workflow: "import",
  startedAtMs: 1,
  updatedAtMs: 1,
  version: "1.5.0",
  labels: { env: "Dev" },
  queue: null,
  isSealed: false,
  lastEvent: -1,
  forkedFrom: null,
  ticks: null,
};
const error = new WorkflowError({ code: "STEP_FAILED", message: "Row 812 is wrong", hint: "", handlerId: "im-1" });
const failed: RunSummary = { ...base, status: "failed", endedAtMs: 1, error };
const running: RunSummary = { ...base, status: "running" };
const waiting: RunSummary = { ...base, status: "waiting", prompts: [], wakeAtMs: null };

describe("letsThrough", () => {
  const filters: readonly (readonly [Partial<RunFilter>, RunSummary, boolean])[] = [
    [{}, failed, true],
    [{ status: "failed" }, failed, true],
    [{ status: "completed" }, failed, false],
    [{ status: "running" }, running, true],
    [{ status: "running" }, waiting, false],
    [{ status: "waiting" }, waiting, true],
    [{ workflow: "import" }, failed, true],
    [{ workflow: "digest" }, failed, false],
    [{ search: "IM-" }, failed, true],
    [{ search: "m-1" }, failed, false],
    [{ search: "dev" }, failed, true],
    [{ search: " row 812 " }, failed, true],
    [{ search: "env" }, failed, false],
    [{ labels: { env: "Dev" } }, failed, true],
    [{ labels: { env: "dev" } }, failed, false],
    [{ version: "1.5.0" }, failed, true],
    [{ version: "1.5" }, failed, false],
    [{ input: { order: "A-7" } }, failed, true],
    [{ after: "1970-01-02" }, failed, false],
    [{ before: "1970-01-02" }, failed, true],
  ];

  it.each(filters)("with %j says of %j: %s", (filter, run, isThrough) => {
    expect(letsThrough({ ...noFilter, ...filter }, run, 10)).toBe(isThrough);
  });
});

describe("selectionOf", () => {
  it("selects the same on the server", () => {
    expect(
      selectionOf(
        {
          ...noFilter,
          status: "running",
          workflow: "import",
          search: " x ",
          labels: { env: "Dev" },
          version: "2",
          input: { order: "A-7" },
          after: "1s",
        },
        5_000,
      ),
    ).toEqual({
      status: "running",
      waiting: false,
      queued: false,
      workflow: "import",
      search: "x",
      labels: { env: "Dev" },
      version: "2",
      input: { order: "A-7" },
      createdAfter: 4_000,
    });
  });
});
