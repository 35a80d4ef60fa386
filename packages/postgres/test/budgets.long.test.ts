import { budgetSuite } from "@millrace/conformance/budgets";
import { onTestFinished } from "vitest";
import { casesOf } from "../../../test-share.js";
import { postgresStore } from "../src/index.js";
import { Child } from "./child/process.js";
import { databaseUrl, TestSchema } from "./support/stores.js";

budgetSuite(
  "postgresStore",
  () => {
    const schema = new TestSchema();
    onTestFinished(() => schema[Symbol.asyncDispose]());
    return {
      open: () => postgresStore({ connectionString: databaseUrl, schema: schema.name }),
      start: (url, runs) => new Child("spender.ts", [url, databaseUrl, schema.name, String(runs)]),
    };
  },
  { runs: casesOf(1_000), processes: 4, kills: 12 },
);
