import "./support/offline.js";
import { describe, expect, it } from "vitest";
import { runExample } from "../test/run-example.js";
import { asStep, prove } from "./support/prove.js";
import { createAgent } from "./switch-sessions.js";

describe("switch sessions", () => {
  it("loads the state of the session of each user", async () => {
    const { output } = await runExample("pipelines/switch-sessions.ts");

    expect(output.split("\n")).toEqual([
      "user_1: Your name is John.",
      "user_2: Your name is Jane.",
      "user_1: You are 30 years old.",
      "user_2: You are 25 years old.",
      "{ user_name: 'John', age: 30 }",
      'SESSION_FOREIGN: Session "user_1_session_1" belongs to another user than "user_2".',
      "",
    ]);
  });

  it("goes on after a crash at any tick", async () => {
    const { ticks, crashes } = await prove(asStep(createAgent), "What is my name?", {
      sessionState: { user_name: "Jane", age: 25 },
    });

    expect(crashes).toBeGreaterThanOrEqual(ticks - 1);
  });
});
