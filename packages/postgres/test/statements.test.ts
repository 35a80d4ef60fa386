/** PostgreSQL parses every statement of the store against its tables: a misspelt column is named here. */
/// <reference types="vite/client" />
import { expect, it } from "vitest";
import { statementsIn } from "../../../test-statements.js";
import { takeDue } from "../src/commit/due-statements.js";
import { TestSchema } from "./support/stores.js";

const modules = import.meta.glob(["../src/sql-store.ts", "../src/{commit,connection,tables}/*.ts"], {
  query: "?statements",
  eager: true,
});

it("each statement fits the tables", async () => {
  await using schema = new TestSchema();
  await schema.open({ listen: false }).tenants();
  const statements = new Map([...statementsIn(modules), ["takeDue", takeDue(32)]]);

  const wrong: string[] = [];
  for (const [name, text] of statements)
    await schema.query(`PREPARE statement AS ${text}`).catch((error: unknown) => wrong.push(`${name}: ${error}`));

  expect(wrong).toEqual([]);
  expect(statements.size).toBeGreaterThan(90);
});
