/** Kills the process of an agent again and again, at random moments: on SQLite. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { killed } from "../../../../../test-kill.js";
import { type Mode, rounds } from "../../support/agent-flows.js";
import { countingModel } from "../../support/counting-model.js";
import { onStore, survive } from "../../support/survival.js";

const inFile = (mode: Mode) => onStore(mode, ({ log }) => `${log}.db`);

it("asks the model at most once more for each kill, and runs each tool under one key", async () => {
  const seen = await survive({ kills: 6, seed: 1, start: inFile("workflow") });

  expect(seen.result).toContain("I count 12. ");
  expect(seen.asked).toBeLessThanOrEqual(rounds + 1 + seen.killed);
  expect(seen.killed).toBeGreaterThan(2);
  expect(seen).toMatchObject({ tools: 2 * rounds, keys: 2 * rounds });
  expect(seen.executions).toBeLessThanOrEqual(2 * rounds + 2 * seen.killed);
});

it("does so for two agents in one step", async () => {
  const seen = await survive({ kills: 3, seed: 2, start: inFile("both") });

  expect(seen.asked).toBeLessThanOrEqual(2 * (rounds + 1 + seen.killed));
  expect(seen).toMatchObject({ tools: 4 * rounds, keys: 4 * rounds });
});

it("does so for a loop of the AI SDK whose model and tools are recorded", async () => {
  const seen = await survive({ kills: 4, seed: 3, start: inFile("own") });

  expect(seen.asked).toBeLessThanOrEqual(rounds + 1 + seen.killed);
  expect(seen).toMatchObject({ tools: 2 * rounds, keys: 2 * rounds });
});

/** What the pipeline gives: its session state, and the sum of its tokens. */
function outputIn(result: string) {
  const output = JSON.parse(result) as {
    readonly sessionState: { readonly calls: number };
    readonly metrics: {
      readonly steps: Readonly<Record<string, { readonly metrics: { readonly totalTokens: number } }>>;
    };
    readonly events: readonly { readonly event: string; readonly tool?: { readonly toolCallId: string } }[];
  };
  const tokens = Object.values(output.metrics.steps).map(({ metrics }) => metrics.totalTokens);
  return { calls: output.sessionState.calls, tokens: tokens.reduce((sum, one) => sum + one, 0), events: output.events };
}

it.each([
  { mode: "steps" as const, kills: 6, answers: 2 * (rounds + 1), atOnce: 1 },
  { mode: "parallel" as const, kills: 4, answers: 2 * (rounds + 1), atOnce: 2 },
  { mode: "team" as const, kills: 4, answers: 2 * (rounds + 1) + 2, atOnce: 2 },
])(
  "does so for agents in a pipeline, whose session state counts each tool once: $mode",
  async ({ mode, kills, answers, atOnce }) => {
    const seen = await survive({ kills, seed: kills, start: inFile(mode) });
    const { calls, tokens, events } = outputIn(seen.result);

    expect(seen.killed).toBeGreaterThan(2);
    expect(seen.asked).toBeLessThanOrEqual(answers + atOnce * seen.killed);
    expect(seen).toMatchObject({ tools: 4 * rounds, keys: 4 * rounds });
    expect(seen.executions).toBeLessThanOrEqual(4 * rounds + 2 * atOnce * seen.killed);
    expect(calls).toBe(4 * rounds);
    expect(tokens).toBe(15 * answers);
    const ended = events.flatMap(({ event, tool }) => (event === "ToolCallCompleted" ? (tool?.toolCallId ?? []) : []));
    expect(ended).toHaveLength(4 * rounds);
  },
);

it("is answered by another process: two questions of an agent in a nested pipeline, beside a branch that is done", async () => {
  const folder = mkdtempSync(join(tmpdir(), "agent-"));
  const database = join(folder, "runs.db");
  await using model = await countingModel();
  const start = (mode: string) => {
    const flags = ["--disable-warning=ExperimentalWarning", "--import"];
    const [source, worker] = ["source.mjs", "asking-process.ts"].map((name) =>
      join(import.meta.dirname, "../../support", name),
    ) as [string, string];
    return spawn(process.execPath, [...flags, source, worker, mode, database, model.url]);
  };
  const first = start("ask");
  let said = "";
  for await (const data of first.stdout) if ((said += String(data)).includes("\n")) break;
  await killed(first);
  const second = start("answer");
  let output = "";
  for await (const data of second.stdout) output += String(data);
  rmSync(folder, { recursive: true, force: true });

  expect(said.trim()).toBe("PAUSED 2");
  expect(JSON.parse(output.slice("RESULT ".length))).toMatchObject({
    status: "COMPLETED",
    sessionState: { left: expect.any(String) },
    answered: [{ decision: "confirm" }, { decision: "reject", feedback: "not that" }],
  });
  expect(output).not.toContain('"right":"');
  expect(model.asked).toBe(2);
});
