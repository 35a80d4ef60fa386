/** A script whose runs are all in memory ends by itself, as soon as nothing of its own is due. */
import { describe, expect, it } from "vitest";
import { Child } from "./support/child.js";

const runScript = (name: string) => new Child("first-script-process.ts", name as never).ended;

describe("a script that closes nothing", () => {
  it.each([
    ["done", ["Hello you"]],
    ["paused", ["PAUSED"]],
    ["sleeping", ["begun", "awake"]],
  ])("ends by itself: %s", async (name, lines) => {
    expect(await runScript(name)).toEqual({ signal: null, lines, complaints: "" });
  });
});
