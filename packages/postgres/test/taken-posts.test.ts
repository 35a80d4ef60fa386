import { takenPostsSuite } from "@millrace/conformance/posts";
import { onTestFinished } from "vitest";
import { TestSchema } from "./support/stores.js";

takenPostsSuite("postgresStore", async () => {
  const schema = new TestSchema();
  onTestFinished(() => schema[Symbol.asyncDispose]());
  return schema.open();
});
