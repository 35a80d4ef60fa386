import { describe, expect, it } from "vitest";
import { historyText, historyWindow } from "./history-text.js";

const runs = [1, 2, 3].map((number) => ({ input: `question ${number}`, content: `answer ${number}` }));

describe("historyText", () => {
  it("writes input and response of each run, with a blank line between runs", () => {
    const text = historyText([
      { input: "Create content about AI in healthcare", content: "# AI in Healthcare" },
      { input: "Make it more family-focused", content: "# AI in Family Healthcare" },
    ]);

    expect(text).toBe(
      [
        "<workflow_history_context>",
        "[run-1]",
        "input: Create content about AI in healthcare",
        "response: # AI in Healthcare",
        "",
        "[run-2]",
        "input: Make it more family-focused",
        "response: # AI in Family Healthcare",
        "</workflow_history_context>",
      ].join("\n"),
    );
  });

  it("writes structured values as JSON and leaves out empty lines", () => {
    expect(historyText([{ input: { topic: "AI" }, content: "" }])).toBe(
      '<workflow_history_context>\n[run-1]\ninput: {\n  "topic": "AI"\n}\n</workflow_history_context>',
    );
  });

  it("numbers from the oldest run in the window", () => {
    expect(historyText(historyWindow(runs, 2))).toMatch(
      /\[run-1\]\ninput: question 2[\s\S]*\[run-2\]\ninput: question 3/,
    );
  });

  it("is nothing without runs", () => {
    expect(historyText([])).toBeUndefined();
  });
});

describe("historyWindow", () => {
  it.each([
    [undefined, [1, 2, 3]],
    [null, [1, 2, 3]],
    [2, [2, 3]],
    [9, [1, 2, 3]],
    [Number.POSITIVE_INFINITY, [1, 2, 3]],
    [0, []],
    [0.5, []],
    [-1, []],
    [Number.NaN, []],
  ])("takes of three runs, with a count of %s, %o", (count, numbers) => {
    expect(historyWindow(runs, count).map(({ input }) => input)).toEqual(numbers.map((number) => `question ${number}`));
  });
});
