import { journalsSuite, runStoreSuite } from "@millrace/conformance";
import type { RunStore } from "millrace/runtime";
import { afterAll } from "vitest";
import type { PostgresStoreOptions } from "../../src/index.js";
import { TestSchema } from "./stores.js";

/**
 * Declares the tests of the contract. They take turns with a few schemas: each one finds its own empty.
 *
 * @param wrap What the tests use instead of the store itself.
 */
export function conformance(
  name: string,
  options: PostgresStoreOptions,
  wrap: (store: RunStore) => RunStore = (store) => store,
): void {
  const all: TestSchema[] = [];
  const free: TestSchema[] = [];

  function take(): TestSchema {
    const schema = free.pop();
    if (schema !== undefined) return schema;
    const created = new TestSchema();
    all.push(created);
    return created;
  }

  afterAll(async () => {
    for (const schema of all) await schema[Symbol.asyncDispose]();
  });

  const open = async () => {
    const schema = take();
    return {
      store: wrap(schema.open(options)),
      reopen: async () => wrap(schema.open(options)),
      dispose: async () => {
        await schema.empty();
        free.push(schema);
      },
    };
  };
  runStoreSuite(`postgresStore with ${name}`, open);
  journalsSuite(`postgresStore with ${name}`, open);
}
