import type { PendingPrompt } from "@millrace/client";
import { describe, expect, it } from "vitest";
import { prefillOf, yesOf } from "./prefill.js";

function prompt(event: object, properties: object, required: readonly string[]): PendingPrompt {
  const answer = { type: "Decision", schema: { type: "object", properties, required } };
  const facts = { promptId: "p", runId: "r", step: "s", askedAtMs: 0, dueAtMs: null };
  return { ...facts, event: { type: "Ask", ...event }, answer } as never;
}

const text = { type: "string" };

describe("what is filled in", () => {
  it("is what the question has under the same name, if it fits", () => {
    const fields = { letter: text, euros: { type: "number" }, count: { type: "integer" }, tags: { type: "array" } };
    const said = { letter: "Dear", euros: 8.5, count: 2.5, tags: ["a"], other: 1 };
    expect(prefillOf(prompt(said, fields, []))).toEqual({ letter: "Dear", euros: 8.5, tags: ["a"] });
    expect(prefillOf(prompt({ letter: 5, euros: "x", tags: null }, fields, []))).toEqual({});
    expect(prefillOf(prompt({ size: "xl" }, { size: { enum: ["s", "m"] } }, []))).toEqual({});
  });

  it("is never a yes", () => {
    expect(prefillOf(prompt({ approved: true }, { approved: { type: "boolean" } }, ["approved"]))).toEqual({});
  });

  it("is in the details of a question of a step", () => {
    const asked = { type: "millrace.question", title: "?", details: { letter: "Dear" } };
    expect(prefillOf(prompt(asked, { letter: text, title: text }, []))).toEqual({ letter: "Dear" });
  });
});

describe("a plain yes", () => {
  const approved = { type: "boolean" };
  it("is one boolean, with what is filled in", () => {
    const fields = { approved, letter: text, note: text };
    expect(yesOf(prompt({ letter: "Dear" }, fields, ["approved", "letter"]))).toEqual({
      approved: true,
      letter: "Dear",
    });
    expect(yesOf(prompt({}, fields, ["approved", "letter"]))).toBeNull();
    expect(yesOf(prompt({}, { approved, sure: approved }, ["approved", "sure"]))).toBeNull();
    expect(yesOf(prompt({}, { letter: text }, ["letter"]))).toBeNull();
  });

  it("allows a tool and confirms a step, and is none of what a form asks", () => {
    const of = (kind: string) => prompt({ type: "pipeline.question", requirement: { kind } }, {}, []);
    expect(yesOf(of("confirmation"))).toEqual({ decision: { decision: "confirm" } });
    expect(yesOf(of("executor"))).toEqual({ approved: true, note: null });
    for (const kind of ["userInput", "route", "error"]) expect(yesOf(of(kind))).toBeNull();
  });
});
