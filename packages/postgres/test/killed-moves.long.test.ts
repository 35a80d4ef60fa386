import { killedMovesSuite } from "@millrace/conformance/moving";
import { Child } from "./child/process.js";
import { databaseUrl, TestSchema } from "./support/stores.js";

killedMovesSuite(() => {
  const schemas = { from: new TestSchema("_from"), to: new TestSchema("_to") };
  return {
    open: (place) => schemas[place].open(),
    mover: (how) => new Child("mover.ts", [databaseUrl, schemas.from.name, schemas.to.name, how]),
    [Symbol.asyncDispose]: async () => {
      for (const schema of Object.values(schemas)) await schema[Symbol.asyncDispose]();
    },
  };
});
