/** The class form, with events on the stream and a question, over SQLite. */
import { createServer } from "@millrace/server";
import { sqliteStore } from "@millrace/sqlite";
import { type Context, StartEvent, StopEvent, step, Workflow } from "millrace";
import { createRuntime } from "millrace/runtime";
import * as z from "zod";
import { Progress } from "./events";

class Flow extends Workflow {
  @step({ on: StartEvent, emits: StopEvent, streams: Progress })
  async work(_ev: StartEvent, ctx: Context) {
    ctx.writeEventToStream(new Progress({ percent: 50 }));
    await ctx.ask({ title: "Continue?", schema: { yes: z.boolean() } });
    return new StopEvent({ result: "done" });
  }
}

const workflows = { flow: new Flow() };
export type Workflows = typeof workflows;

async function openRuntime() {
  const runtime = createRuntime({ workflows, store: sqliteStore("runs.db") });
  await runtime.start();
  return runtime;
}

export const server = createServer({ runtime: openRuntime, basePath: "/api" });
