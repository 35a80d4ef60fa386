/** What is told of runs is the same over every store. */
import { broken, order, readsSuite } from "@millrace/conformance/reads";
import { createRuntime, memoryStore, type RunStore, type Runtime } from "millrace/runtime";
import { afterAll, describe, onTestFinished } from "vitest";
import { sqliteStore } from "../../sqlite/src/index.js";
import { TestSchema } from "./support/stores.js";

const schema = new TestSchema();
afterAll(() => schema[Symbol.asyncDispose]());

describe.each<[name: string, openStore: () => RunStore]>([
  ["memory", () => memoryStore()],
  ["SQLite", () => sqliteStore(":memory:")],
  ["PostgreSQL", () => schema.open()],
])("over %s, a runtime", (_name, openStore) => {
  readsSuite({
    open: () => {
      const log = { info: () => {}, error: () => {} };
      const runtime = createRuntime({ workflows: { order, broken }, store: openStore(), log }) as unknown as Runtime;
      onTestFinished(() => runtime.stop({ drainMs: 0 }));
      return runtime;
    },
  });
});
