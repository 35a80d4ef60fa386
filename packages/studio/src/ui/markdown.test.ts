import { expect, it } from "vitest";
import { blocksOf, isMarkdown } from "./markdown.js";

it("reads headings, lists, quotes and code, line by line", () => {
  const text =
    "# Dams\nFour of them\nstill turn.\n\n- one\n- two\n  more of two\n1. first\n> said\n```\n# code\n```\nend";
  expect(blocksOf(text)).toEqual([
    { kind: "heading", level: 1, text: "Dams" },
    { kind: "paragraph", text: "Four of them\nstill turn." },
    { kind: "list", isNumbered: false, items: ["one", "two\nmore of two"] },
    { kind: "list", isNumbered: true, items: ["first"] },
    { kind: "quote", text: "said" },
    { kind: "code", text: "# code" },
    { kind: "paragraph", text: "end" },
  ]);
});

it("does not end at a code block that is not closed", () => {
  expect(blocksOf("```\na\nb")).toEqual([{ kind: "code", text: "a\nb" }]);
  expect(blocksOf("")).toEqual([]);
});

it("takes plain texts as they are", () => {
  for (const plain of ["a text", "2 * 3 * 4", "a - b", "#tag", "1.5 l"]) expect(isMarkdown(plain), plain).toBe(false);
  for (const rich of ["# A", "- a", "1. a", "**a**", "`a`", "> a"]) expect(isMarkdown(rich), rich).toBe(true);
});

it("reads a long hostile text in a moment", () => {
  for (const hostile of ["*".repeat(50_000), "[".repeat(50_000), "`".repeat(50_000), "> ".repeat(50_000)]) {
    const startedAtMs = performance.now();
    isMarkdown(hostile);
    blocksOf(hostile);
    expect(performance.now() - startedAtMs).toBeLessThan(500);
  }
});
