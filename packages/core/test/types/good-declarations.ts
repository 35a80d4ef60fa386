// biome-ignore-all format: one case per line
// Good cases H01..: what exported functions make can be written into declarations (`declaration: true`, see tsconfig.legacy.json).
import * as z from "zod";
import { defineWorkflow, type EventOf, event, HumanResponseEvent, type StandardSchema, StartEvent, StopEvent, step, Workflow } from "../../src/index.js";

export class Joke extends event("Joke", { text: z.string() }) {}
// H01 classes of events that a function makes
export function eventsFor(text: string) {
  class Told extends event("Told", { text: z.string().default(text) }) {}
  class Heard extends HumanResponseEvent.define("Heard", { by: z.string() }) {
    get loud() { return this.by.toUpperCase(); }
  }
  return { Told, Heard };
}
export const made = eventsFor("a");
// H02 a base class of any schema
export function valued<Value>(schema: StandardSchema<unknown, Value>): EventOf<"Valued", { value: Value }> {
  return event("Valued", { value: schema }) as EventOf<"Valued", { value: Value }>;
}
export class Text extends valued(z.string()) {}
// H03 workflows that a function makes
export function flowFor(result: number) {
  return class extends Workflow.withState({ n: z.number().default(0) }) {
    go = step({ on: StartEvent, emits: StopEvent }, () => new StopEvent({ result }));
  };
}
export function builtFor(result: number) {
  return defineWorkflow("built").step("go", { on: StartEvent, emits: StopEvent }, () => new StopEvent({ result })).build();
}
