import { describe, expect, it } from "vitest";
import { attempt, timeAt } from "../../test/support/ticks.js";
import type { ChildRun, Handler } from "../api/contract.types.js";
import { childPlace, childRecord, isOf } from "./child-place.js";

const child = (run_id: string, parent_id: string, workflow_name: string): ChildRun => {
  const facts = { step: "call", item: 1, status: "running", started_at: timeAt(5) } as const;
  return { run_id, parent_id, workflow_name, ...facts };
};
const prompt = (run_id: string) => ({ prompt_id: run_id, run_id }) as Handler["prompts"][number];
const root = {
  handler_id: "r",
  workflow_name: "trip",
  status: "running",
  waiting: false,
  labels: { a: "b" },
  prompts: [prompt("r"), prompt("r/2/3"), prompt("r/20")],
  children: [child("r/2", "r", "leg"), child("r/20", "r", "leg"), child("r/2/3", "r/2", "quote")],
} as unknown as Handler;

describe("a child run", () => {
  it("has those around it above it, and no other with a like id", () => {
    const place = childPlace(root, "r/2/3");

    expect(place?.child.workflow_name).toBe("quote");
    expect(place?.above.map(({ run_id }) => run_id)).toEqual(["r/2"]);
    expect(place?.workflow).toBe("trip");
    expect(childPlace(root, "r/9")).toBeNull();
  });

  it("is told from its neighbours by whole parts of ids", () => {
    expect(["r/2", "r/2/3", "r/20", "r"].filter((run_id) => isOf("r/2")({ run_id }))).toEqual(["r/2", "r/2/3"]);
  });

  it("is shown as a run, with what it and its own children ask", () => {
    const place = childPlace(root, "r/2");
    const record = place && childRecord(root, place, []);

    expect(record).toMatchObject({ handler_id: "r/2", workflow_name: "leg", started_at: timeAt(5), labels: {} });
    expect(record?.prompts.map(({ run_id }) => run_id)).toEqual(["r/2/3"]);
    expect(record?.waiting).toBe(true);
  });

  it("waits when all that it has begun waits, and not while a child of its works", () => {
    const place = childPlace({ ...root, prompts: [] }, "r/2");
    const waiting = attempt("call", 1, { run_id: "r/2", status: "waiting", ended_at: null });
    const working = attempt("ask", 1, { run_id: "r/2/3", status: "running", ended_at: null });
    const isWaiting = (...attempts: Parameters<typeof childRecord>[2]) =>
      place && childRecord({ ...root, prompts: [] }, place, attempts).waiting;

    expect(isWaiting(waiting)).toBe(true);
    expect(isWaiting(waiting, working)).toBe(false);
    expect(isWaiting()).toBe(false);
  });
});
