import { expect, it } from "vitest";
import { noFilter } from "./run-filter.js";
import { queryOf, readQuery } from "./run-query.js";

const read = (text: string) => readQuery(text, Date.parse("2026-11-29T12:00:00Z"));

it.each([
  ["", {}],
  ["declined card", { search: "declined card" }],
  ["error:0a1b2c3d4e5f6071 after:2h", { failure: "0a1b2c3d4e5f6071", after: "2h" }],
  ["Row 812: is wrong", { search: "Row 812: is wrong" }],
  ["status:failed workflow:refund after:2h", { status: "failed", workflow: "refund", after: "2h" }],
  [
    'label.team="Berlin Mitte" before:2026-11-20 A-7',
    { labels: { team: "Berlin Mitte" }, before: "2026-11-20", search: "A-7" },
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
])("says what is wrong with %j", (text, problem) => {
  expect(read(text).problem).toContain(problem);
});
