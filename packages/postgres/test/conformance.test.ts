import { runStoreSuite } from "@millrace/conformance";
import { TestSchema } from "./support/stores.js";

for (const [name, options] of Object.entries({
  "prepared statements": {},
  "unnamed statements, no listening": { prepare: false, listen: false },
})) {
  runStoreSuite(`postgresStore with ${name}`, async () => {
    const schema = new TestSchema();
    return {
      store: schema.open(options),
      reopen: async () => schema.open(options),
      dispose: () => schema[Symbol.asyncDispose](),
    };
  });
}
