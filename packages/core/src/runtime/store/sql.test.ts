import { describe, expect, it } from "vitest";
import { joinSql, plainSql, sql } from "./run-list.js";

const numbered = (number: number): string => `$${number}`;

describe("sql", () => {
  it("binds what is put in, and takes other parts as they are", () => {
    const label = sql`name = ${"a"} AND value = ${"'; DROP TABLE runs; --"}`;
    const statement = sql`SELECT ${plainSql("id")} FROM runs WHERE ${label} AND tenant = ${"t"} LIMIT ${5}`;

    const values = ["a", "'; DROP TABLE runs; --", "t", 5];
    expect(statement.render(numbered)).toEqual({
      text: "SELECT id FROM runs WHERE name = $1 AND value = $2 AND tenant = $3 LIMIT $4",
      values,
    });
    expect(statement.render(() => "?")).toEqual({
      text: "SELECT id FROM runs WHERE name = ? AND value = ? AND tenant = ? LIMIT ?",
      values,
    });
  });

  it("joins parts", () => {
    const joined = joinSql([sql`a = ${1}`, sql`b = ${null}`, plainSql("c")], " AND ");

    expect(sql`(${joined})`.render(numbered)).toEqual({ text: "(a = $1 AND b = $2 AND c)", values: [1, null] });
    expect(joinSql([], ", ").render(numbered)).toEqual({ text: "", values: [] });
  });
});
