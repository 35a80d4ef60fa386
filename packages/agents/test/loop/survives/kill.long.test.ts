/** Kills the process of an agent again and again, and counts what the model and the tools were asked. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { countingModel } from "../../support/counting-model.js";

const rounds = 12;

/** Runs until the worker says its result; kills it after a while that is another one each time. */
async function survive(mode: string, kills: number) {
  const folder = mkdtempSync(join(tmpdir(), "agent-"));
  const [database, log] = [join(folder, "runs.db"), join(folder, "log")];
  await using model = await countingModel();
  let output = "";
  let killed = 0;
  while (!output.includes("RESULT")) {
    const flags = [
      "--disable-warning=ExperimentalWarning",
      "--import",
      join(import.meta.dirname, "../../support/source.mjs"),
    ];
    const worker = join(import.meta.dirname, "../../support/agent-process.ts");
    const child = spawn(process.execPath, [...flags, worker, mode, database, model.url, log]);
    let complaints = "";
    child.stdout.on("data", (data: Buffer) => (output += data));
    child.stderr.on("data", (data: Buffer) => (complaints += data));
    const before = model.asked;
    const exit = once(child, "exit");
    if (killed < kills) {
      const reached = before + 2 + (killed % 3);
      while (child.exitCode === null && model.asked < reached) await new Promise((go) => setTimeout(go, 5));
      await new Promise((go) => setTimeout(go, (killed * 7) % 30));
      if (child.exitCode === null) killed++;
      child.kill("SIGKILL");
    }
    const [code] = await exit;
    if (code !== 0 && code !== null) throw new Error(complaints);
  }
  const lines = existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : [];
  const calls = new Set(lines.map((line) => line.split(" ")[0]));
  const keys = new Set(lines);
  rmSync(folder, { recursive: true, force: true });
  return { result: output, killed, asked: model.asked, tools: calls.size, keys: keys.size, executions: lines.length };
}

it("asks the model at most once more for each kill, and runs each tool under one key", async () => {
  const seen = await survive("workflow", 4);

  expect(seen.result).toContain("I count 12. ");
  expect(seen.killed).toBe(4);
  expect(seen.asked).toBeLessThanOrEqual(rounds + 1 + seen.killed);
  expect(seen).toMatchObject({ tools: 2 * rounds, keys: 2 * rounds });
  expect(seen.executions).toBeLessThanOrEqual(2 * rounds + 2 * seen.killed);
});

it("does so for two agents in one step", async () => {
  const seen = await survive("both", 3);

  expect(seen.asked).toBeLessThanOrEqual(2 * (rounds + 1 + seen.killed));
  expect(seen).toMatchObject({ tools: 4 * rounds, keys: 4 * rounds });
});

it("does so for a loop of the AI SDK whose model and tools are recorded", async () => {
  const seen = await survive("own", 4);

  expect(seen.asked).toBeLessThanOrEqual(rounds + 1 + seen.killed);
  expect(seen).toMatchObject({ tools: 2 * rounds, keys: 2 * rounds });
});

/** What the pipeline gives: its session state, and the sum of its tokens. */
function outputIn(result: string) {
  const output = JSON.parse(result.slice(result.indexOf("RESULT ") + 7).split("\n")[0] as string) as {
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
  { mode: "steps", kills: 6, answers: 2 * (rounds + 1), atOnce: 1 },
  { mode: "parallel", kills: 4, answers: 2 * (rounds + 1), atOnce: 2 },
  { mode: "team", kills: 4, answers: 2 * (rounds + 1) + 2, atOnce: 2 },
])(
  "does so for agents in a pipeline, whose session state counts each tool once: $mode",
  async ({ mode, kills, answers, atOnce }) => {
    const seen = await survive(mode, kills);
    const { calls, tokens, events } = outputIn(seen.result);

    expect(seen.killed).toBe(kills);
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
  first.kill("SIGKILL");
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
