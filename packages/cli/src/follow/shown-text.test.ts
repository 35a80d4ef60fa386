import { describe, expect, it } from "vitest";
import { readEvent, TextLines } from "./shown-text.js";

describe("an event of a stream", () => {
  it("is text where a model speaks, and a line where a step of a pipeline has ended or a tool is called", () => {
    const shown = (fields: object) => readEvent({ type: "pipeline.shown", ...fields });
    const pieces = (...list: object[]) => readEvent({ type: "millrace.pieces", pieces: list });

    expect(shown({ name: "RunContent", data: { content: "Mills " } })).toEqual({ text: "Mills " });
    expect(shown({ output: { function: "research", content: "notes" } })).toEqual({ line: "research: notes" });
    expect(shown({ name: "WorkflowStarted", data: {} })).toBe("nothing");
    expect(pieces({ type: "text", id: "0", text: "It " }, { type: "text", id: "0", text: "turns." })).toEqual({
      text: "It turns.",
    });
    expect(pieces({ type: "tool-call", toolName: "look", input: { q: "a" } })).toEqual({
      line: 'calls look {"q":"a"}',
    });
    expect(pieces({ type: "end", finishReason: "stop" })).toBe("nothing");
  });

  it("is nothing where it has a line of its own: ends, questions, attempts", () => {
    for (const type of ["StopEvent", "WorkflowFailedEvent", "millrace.question", "StepRestartedEvent"])
      expect([type, readEvent({ type })]).toEqual([type, "nothing"]);
  });

  it("of the user is an event, and so are pieces that no agent has written", () => {
    expect(readEvent({ type: "Joke", text: "a" })).toBeNull();
    expect(readEvent({ type: "millrace.pieces", pieces: ["a", "b"] })).toBeNull();
  });
});

it("prints lines as they become whole, and the rest at the end", () => {
  const printed: string[] = [];
  const lines = new TextLines((line) => printed.push(line));
  for (const piece of ["Mills ", "turn.\nRivers", " run."]) lines.push(piece);
  expect(printed).toEqual(["Mills turn."]);

  lines.flush();
  lines.flush();
  expect(printed).toEqual(["Mills turn.", "Rivers run."]);
});
