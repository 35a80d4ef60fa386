import type { ChildRun, PendingPrompt, RunSummary } from "@millrace/client";
import { describe, expect, it } from "vitest";
import { attempt, msAt } from "../../test/support/ticks.js";
import { promptsOf } from "../api/run-facts.js";
import { childPlace, childSummary, isOf } from "./child-place.js";

const child = (runId: string, parentId: string, workflow: string): ChildRun => {
  const facts = { step: "call", item: 1, status: "running", startedAtMs: msAt(5) } as const;
  return { runId, parentId, workflow, ...facts };
};
const prompt = (runId: string) => ({ promptId: runId, runId }) as PendingPrompt;
const root = {
  handlerId: "r",
  workflow: "trip",
  status: "waiting",
  labels: { a: "b" },
  prompts: [prompt("r"), prompt("r/2/3"), prompt("r/20")],
} as unknown as RunSummary;
const children = [child("r/2", "r", "leg"), child("r/20", "r", "leg"), child("r/2/3", "r/2", "quote")];

describe("a child run", () => {
  it("has those around it above it, and no other with a like id", () => {
    const place = childPlace(root, children, "r/2/3");

    expect(place?.child.workflow).toBe("quote");
    expect(place?.above.map(({ runId }) => runId)).toEqual(["r/2"]);
    expect(place?.workflow).toBe("trip");
    expect(childPlace(root, children, "r/9")).toBeNull();
  });

  it("is distinguished from its neighbours by whole parts of ids", () => {
    expect(["r/2", "r/2/3", "r/20", "r"].filter((runId) => isOf("r/2")({ runId }))).toEqual(["r/2", "r/2/3"]);
  });

  it("is shown as a run, with what it and its own children ask", () => {
    const place = childPlace(root, children, "r/2");
    const record = place && childSummary(root, place, []);

    expect(record).toMatchObject({ handlerId: "r/2", workflow: "leg", startedAtMs: msAt(5), labels: {} });
    expect(record?.status).toBe("waiting");
    expect(record && promptsOf(record).map(({ runId }) => runId)).toEqual(["r/2/3"]);
  });

  it("waits when all that it has begun waits, and not while a child of its works", () => {
    const silent: RunSummary = { ...root, status: "running" };
    const place = childPlace(silent, children, "r/2");
    const waiting = attempt("call", 1, { runId: "r/2", status: "waiting", endedAtMs: null });
    const working = attempt("ask", 1, { runId: "r/2/3", status: "running", endedAtMs: null });
    const statusWith = (...attempts: Parameters<typeof childSummary>[2]) =>
      place && childSummary(silent, place, attempts).status;

    expect(statusWith(waiting)).toBe("waiting");
    expect(statusWith(waiting, working)).toBe("running");
    expect(statusWith()).toBe("running");
  });
});
