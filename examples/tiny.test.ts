import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { runExample } from "./test/run-example.js";
import { createState, grader, quiz, Run, reduce, type State } from "./tiny.js";

const turn = () => new Promise((resolve) => setTimeout(resolve));
const copy = (state: State): State => JSON.parse(JSON.stringify(state));

/** Every state of a whole run, the one before the first tick included. */
async function statesOfRun() {
  const run = new Run(quiz);
  for (const event of [{ type: "Start" }, { type: "Answer", text: "yes" }, { type: "Answer", text: "no" }]) {
    run.send(event);
    await turn();
  }
  const replayed = createState();
  const states = [copy(replayed)];
  for (const tick of run.journal) {
    reduce(quiz, replayed, tick);
    states.push(copy(replayed));
  }
  return { run, states };
}

describe("tiny", () => {
  it("runs under plain node", async () => {
    const { output, errors } = await runExample("tiny.ts", { transform: "none" });

    expect(errors).toBe("");
    expect(output.split("\n").slice(1)).toEqual(["1 of 2", ""]);
  });

  it("reaches the same state when its journal is reduced again", async () => {
    const { run, states } = await statesOfRun();

    expect(states.at(-1)).toEqual(run.state);
    expect(run.state.result).toEqual({ value: "1 of 2" });
  });

  it("goes on from the state before any of its ticks", async () => {
    const { states } = await statesOfRun();

    const results = await Promise.all(states.slice(0, -1).map(finishFrom));

    expect(new Set(results)).toEqual(new Set(["1 of 2"]));
    expect(results.length).toBeGreaterThan(6);
  });

  it("does not repeat a durable call that has ended", async () => {
    const { run, states } = await statesOfRun();
    const ended = states.findIndex((_, ticks) => run.journal[ticks - 1]?.type === "call.ended");
    const calls = async (state: State): Promise<number> => {
      const before = grader.calls;
      await finishFrom(state);
      return grader.calls - before;
    };

    expect([await calls(states[ended - 1] as State), await calls(states[ended] as State)]).toEqual([2, 1]);
  });

  it("has an explanation that shows all of its code", () => {
    const page = readFileSync(new URL("../docs/tiny.md", import.meta.url), "utf8");
    const shown = [...page.matchAll(/```ts[^\n]*\n(.*?)```/gs)].map(([, code]) => code).join("\n");

    const lines = (text: string) =>
      text
        .split("\n")
        .map((line) => line.trimEnd())
        .filter((line) => line !== "" && !line.startsWith("// "));

    expect(lines(shown)).toEqual(lines(readFileSync(new URL("tiny.ts", import.meta.url), "utf8")));
  });
});

/** Sends what a killed run had not got yet, one event a turn: this engine keeps no event that nobody waits for. */
async function finishFrom(state: State): Promise<unknown> {
  const run = new Run(quiz, copy(state));
  await turn();
  const got = received(state);
  for (const event of [{ type: "Start" }, { type: "Answer", text: "yes" }, { type: "Answer", text: "no" }].slice(got)) {
    run.send(event);
    await turn();
  }
  return run.result;
}

/** 0 before the start, 1 in the first round, 2 once its answer is there, 3 at the end. */
function received({ nextId, items }: State): number {
  const [item] = Object.values(items);
  if (item === undefined) return nextId === 1 ? 0 : 3;
  return Number(item.event["round"] ?? 1) + Math.min(item.answers.length, 1);
}
