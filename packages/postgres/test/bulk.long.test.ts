import { bulkSuite } from "@millrace/conformance/bulk";
import { onTestFinished } from "vitest";
import { casesOf } from "../../../test-share.js";
import { Child } from "./child/process.js";
import { databaseUrl, TestSchema } from "./support/stores.js";

bulkSuite(
  "postgresStore",
  () => {
    const schema = new TestSchema();
    onTestFinished(() => schema[Symbol.asyncDispose]());
    return { open: () => schema.open(), start: () => new Child("bulk-worker.ts", [databaseUrl, schema.name]) };
  },
  casesOf(10_000),
);
