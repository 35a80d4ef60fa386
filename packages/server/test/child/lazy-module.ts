/** A module as a route of Next has it: a build imports it, and requests come later. */
import { sqliteStore } from "@millrace/sqlite";
import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import { createRuntime } from "millrace/runtime";
import { createHandler, createServer } from "../../src/index.js";

const greet = defineWorkflow("greet")
  .step("greet", { on: StartEvent, emits: StopEvent }, (ev) => new StopEvent({ result: `Hello ${ev.get("name")}` }))
  .build();

const file = (name: string): string => `${process.env["LAZY_RUNS"]}/${name}.db`;

export const app = createServer({
  basePath: "/api",
  runtime: async () => {
    const runtime = createRuntime({ workflows: { greet }, store: sqliteStore(file("server")) });
    await runtime.start();
    return runtime;
  },
});

export const handler = createHandler(greet, { store: () => sqliteStore(file("handler")) });
