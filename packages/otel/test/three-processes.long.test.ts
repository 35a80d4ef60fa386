/** A run that lives in three processes, two of which are killed: its spans are one trace. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ScriptProcess } from "@millrace/conformance/processes";
import { describe, expect, it, onTestFinished } from "vitest";
import { type SeenSpan, traceProblems } from "./support/sdk.js";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const remote = "b7ad6b7169203331";
const script = fileURLToPath(new URL("child/traveller.ts", import.meta.url));

interface OfProcess extends SeenSpan {
  readonly pid: number;
}

/** Starts the run, kills its process, and the one that takes it up; a third one ends it. */
async function travel(): Promise<OfProcess[]> {
  const folder = mkdtempSync(join(tmpdir(), "millrace-otel-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [store, file] = [join(folder, "runs.db"), join(folder, "spans.jsonl")];
  const open = (role: string): ScriptProcess =>
    new ScriptProcess(
      script,
      [store, file, role, `00-${traceId}-${remote}-01`],
      ["--import", "@millrace/conformance/source"],
    );
  for (const role of ["starts", "resumes"]) {
    const process = open(role);
    expect(await process.line()).toBe("asked");
    await process.kill();
  }
  const last = open("ends");
  for (let line = ""; line !== "done"; ) line = await last.line();
  await last.kill();
  const text = readFileSync(file, "utf8").trim().split("\n");
  return text.map((line) => JSON.parse(line) as OfProcess);
}

describe("a run in three processes", () => {
  it("is one trace, below the span that it was started in", { timeout: 120_000 }, async () => {
    const spans = await travel();
    const named = (name: string): OfProcess[] => spans.filter((span) => span.name === name);
    const attempts = named("step approve").map(({ attributes }) => [
      attributes["millrace.step.attempt"],
      attributes["millrace.step.status"],
    ]);

    expect(traceProblems(spans, remote)).toEqual([]);
    expect(spans[0]?.traceId).toBe(traceId);
    expect(named("run trip")).toMatchObject([
      { parentSpanId: remote, attributes: { "millrace.run.status": "completed", "millrace.run.id": "trip-1" } },
    ]);
    expect(attempts).toEqual([
      [1, "interrupted"],
      [2, "interrupted"],
      [3, "completed"],
    ]);
    expect(named("effect pay")).toHaveLength(1);
    expect(named("run visa")).toHaveLength(1);
    expect(named("step book")).toHaveLength(4);
    expect(new Set(spans.map(({ pid }) => pid)).size).toBe(3);
  });

  it("links each attempt to the one before it, and knows how long it has waited", { timeout: 120_000 }, async () => {
    const spans = await travel();
    const named = (name: string): OfProcess[] => spans.filter((span) => span.name === name);
    const [first, second, third] = named("step approve");
    const [answer] = named("wait event");

    expect(second?.links).toEqual([{ spanId: first?.spanId, why: "attempt before" }]);
    expect(third?.links).toEqual([{ spanId: second?.spanId, why: "attempt before" }]);
    const [run] = named("run trip");
    expect(answer?.parentSpanId).toBe(third?.spanId);
    expect(answer?.startMs).toBeLessThan(second?.startMs ?? 0);
    expect(run?.startMs).toBeLessThanOrEqual(named("step split")[0]?.startMs ?? 0);
    expect(run?.endMs).toBeGreaterThanOrEqual(answer?.endMs ?? Number.POSITIVE_INFINITY);
    expect(named("step book").filter(({ hasFailed }) => hasFailed)).toMatchObject([
      { attributes: { "error.type": "TypeError", "millrace.step.status": "failed" } },
    ]);
  });
});
