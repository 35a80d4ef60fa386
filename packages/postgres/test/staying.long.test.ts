import { stayingSuite } from "@millrace/conformance/staying";
import { onTestFinished } from "vitest";
import { Child } from "./child/process.js";
import { databaseUrl, TestSchema } from "./support/stores.js";

stayingSuite(
  "postgresStore",
  (name) => {
    const schema = new TestSchema();
    onTestFinished(() => schema[Symbol.asyncDispose]());
    return new Child("waiter.ts", [name, databaseUrl, schema.name]);
  },
  { holds: true },
);
