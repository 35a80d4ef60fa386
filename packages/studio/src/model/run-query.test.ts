import { expect, it } from "vitest";
import { noFilter } from "./run-filter.js";
import { queryOf, readQuery } from "./run-query.js";

const read = (text: string) => readQuery(text, Date.parse("2026-11-29T12:00:00Z"));

it.each([
  ["", {}],
  ["declined card", { search: "declined card" }],
  ["error:0a1b2c3d4e5f6071 after:2h", { failure: "0a1b2c3d4e5f6071", after: "2h" }],
  ['workflow:order step:"check out"', { workflow: "order", failedStep: "check out" }],
  ["Row 812: is wrong", { search: "Row 812: is wrong" }],
  ["status:failed workflow:refund after:2h", { status: "failed", workflow: "refund", after: "2h" }],
  [
    'label.team="Berlin Mitte" before:2026-11-20 A-7',
    { labels: { team: "Berlin Mitte" }, before: "2026-11-20", search: "A-7" },
  ],
  [
    'version:1.5.0 label.input.order=x input.order=A-733333 input.note="a b"',
    { version: "1.5.0", labels: { "input.order": "x" }, input: { order: "A-733333", note: "a b" } },
  ],
  // TriliumNext/Trilium#35: values with signs that a language of queries may use.
  [
    "input.a=999,1 input.b=-999.1 input.c=#$%##$% input.d=abc\\n",
    { input: { a: "999,1", b: "-999.1", c: "#$%##$%", d: "abc\\n" } },
  ],
] as const)("reads %j, and writes it again", (text, fields) => {
  const { filter, problem } = read(text);

  expect([filter, problem]).toEqual([{ ...noFilter, ...fields }, null]);
  expect(read(queryOf(filter)).filter).toEqual(filter);
});

it.each([
  ["status:odd", "A status is one of"],
  ["after:soon", "soon is neither"],
  ["workflow:", "has no value yet"],
  ["input.order=", "has no value yet"],
])("says what is wrong with %j", (text, problem) => {
  expect(read(text).problem).toContain(problem);
});
