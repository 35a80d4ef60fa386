import { expect, it } from "vitest";
import type { Terminal } from "../output/terminal.js";
import { promptLines } from "./open-prompts.js";

const terminal = { paint: (_style: string, text: string) => text } as unknown as Terminal;

it("a question shows its details, a text of several lines as it was written", () => {
  const fields = { title: "Send it?", details: { to: "Ada", letter: "Dear Ada,\n  - one\n\n  - two", cents: 5 } };
  const prompt = { promptId: "r-1:2", type: "millrace.question", fields, step: "ask", answer: null };

  expect(promptLines(terminal, prompt)).toEqual([
    "? Send it?  of ask  r-1:2",
    "  to: Ada",
    "  letter:",
    "    Dear Ada,",
    "      - one",
    "",
    "      - two",
    "  cents: 5",
  ]);
});
