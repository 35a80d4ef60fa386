/** SQLite compiles every statement of the store against its tables: a misspelt column is named here. */
/// <reference types="vite/client" />
import { expect, it } from "vitest";
import { statementsIn } from "../../../test-statements.js";
import { openRaw, openStore, temporaryFile } from "./files.js";

const modules = import.meta.glob(["../src/sql-store.ts", "../src/{commit,tables}/*.ts"], {
  query: "?statements",
  eager: true,
});

it("each statement fits the tables", async () => {
  const path = temporaryFile();
  await openStore(path).close();
  const database = openRaw(path);
  const statements = statementsIn(modules);

  const wrong = Array.from(statements, ([name, text]) => {
    try {
      database.prepare(text);
      return [];
    } catch (error) {
      return [`${name}: ${error}`];
    }
  }).flat();

  // The only parts of other statements that begin like a whole one.
  const parts = [
    "tables/line.ts inKey: Error: incomplete input",
    "tables/queue-statements.ts heldByKey: Error: no such",
  ];
  expect(wrong).toEqual(parts.map((part) => expect.stringContaining(part)));
  expect(statements.size).toBeGreaterThan(90);
});
