import { durableCallsSuite } from "@millrace/conformance/calls";
import { onTestFinished } from "vitest";
import { TestSchema } from "./support/stores.js";

durableCallsSuite("postgresStore", async () => {
  const schema = new TestSchema();
  onTestFinished(() => schema[Symbol.asyncDispose]());
  return schema.open();
});
