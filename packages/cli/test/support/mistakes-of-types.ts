/** Mistakes that the compiler finds. */
import type { Mistake } from "./mistake.js";

/** One step of a class that gets `Ask`. */
const method = (body: string, emits = "StopEvent"): string => `
export class $ extends Workflow {
  @step({ on: Ask, emits: ${emits} })
  ${body}
}
`;
/** The body of one step. */
const inside = (body: string): string => `
export const $flow = defineWorkflow("$", { state: { count: z.number().default(0) } })
  .step("only", { on: Ask, emits: StopEvent }, async ({ topic }, ctx) => {
    ${body}
    return new StopEvent({ result: topic });
  })
  .build();
`;
/** A program that uses a workflow. */
const outside = (body: string): string => `
class $ extends Workflow {
  @step({ on: Ask, emits: StopEvent })
  only({ topic }: Ask) {
    return new StopEvent({ result: topic });
  }
}
${body}
`;

export const mistakesOfTypes: readonly Mistake[] = [
  {
    name: "ArrayWithoutMany",
    code: `
export const $flow = defineWorkflow("$")
  .step("split", { on: Ask, emits: «Item|many(Item)» }, () => [new Item({ n: 1 })])
  .step("sum", { on: collect(Item), emits: StopEvent }, (all) => new StopEvent({ result: all.length }))
  .build();
`,
    says: ["The step returns an array of Item, where `emits` says one", "write many(Item)"],
  },
  {
    name: "OneWithMany",
    code: `
export const $flow = defineWorkflow("$")
  .step("split", { on: Ask, emits: many(Item) }, () => «new Item({ n: 1 })|[new Item({ n: 1 })]»)
  .step("sum", { on: collect(Item), emits: StopEvent }, (all) => new StopEvent({ result: all.length }))
  .build();
`,
    says: ["The step returns one Item, where `emits` says many(Item)", "return an array, or drop many()"],
  },
  {
    name: "EmitsNotListed",
    code: method(
      "only({ topic }: Ask) { return topic === '' ? new Draft({ text: topic }) : new StopEvent(); }\n  @step({ on: Draft, emits: StopEvent })\n  end(_draft: Draft) { return new StopEvent(); }",
      "«StopEvent|[Draft, StopEvent]»",
    ),
    says: ["The step returns Draft, which `emits` does not list"],
  },
  {
    name: "PlainObject",
    code: method(
      'only({ topic }: Ask) { return «{ type: "StopEvent", result: topic }|new StopEvent({ result: topic })»; }',
    ),
    at: "@step",
    says: ["A step returns an event or nothing"],
  },
  {
    name: "PlainText",
    code: method("only({ topic }: Ask) { return «topic|new StopEvent({ result: topic })»; }"),
    at: "@step",
    says: ["A step returns an event or nothing"],
  },
  {
    name: "OtherParameter",
    code: method("only(event: «Draft|Ask») { return new StopEvent({ result: event.type }); }"),
    at: "@step",
    says: ["The step gets Ask: its first parameter has to accept that"],
  },
  {
    name: "ElementNotList",
    code: `
export class $ extends Workflow {
  @step({ on: Ask, emits: many(Item) })
  split(_ask: Ask) { return [new Item({ n: 1 })]; }
  @step({ on: collect(Item), emits: StopEvent })
  sum(_all: «Item|readonly Item[]») { return new StopEvent(); }
}
`,
    at: "@step({ on: collect",
    says: ["The step gets an array of Item: its first parameter has to accept that"],
  },
  {
    name: "GeneratorNotAsync",
    code: `
export class $ extends Workflow {
  @step({ on: Ask, emits: many(Item) })
  «|async »*split(_ask: Ask) { yield new Item({ n: 1 }); }
  @step({ on: collect(Item), emits: StopEvent })
  sum(_all: readonly Item[]) { return new StopEvent(); }
}
`,
    at: "@step({ on: Ask",
    says: ["A step that yields is async", "write `async *`"],
  },
  {
    name: "WithoutNew",
    code: method("only({ topic }: Ask) { return «|new »StopEvent({ result: topic }); }"),
    says: ["is not callable", "Did you mean to include 'new'?"],
  },
  {
    name: "ResultNotInFields",
    code: method("only({ topic }: Ask) { return new StopEvent(«topic|{ result: topic }»); }"),
    says: ["Argument of type 'string' is not assignable", "{ readonly result:"],
  },
  {
    name: "FieldMissing",
    code: inside("void new Draft({«| text: topic» });"),
    says: ["Property 'text' is missing", "{ text: string; }"],
  },
  {
    name: "FieldMisspelled",
    code: inside("void new Draft({ «txt|text»: topic });"),
    says: ["'txt' does not exist", "Did you mean to write 'text'?"],
  },
  {
    name: "FieldOfOtherType",
    code: inside("void new Item({ n: «topic|topic.length» });"),
    says: ["Type 'string' is not assignable to type 'number'"],
  },
  {
    name: "FieldTypeAsText",
    code: `class Page extends event("Page", { url: «"string"|z.string()» }) {}\n${inside("void new Page({ url: topic });")}`,
    says: ["Type 'string' is not assignable to type 'StandardSchema"],
  },
  {
    name: "FieldOfEvent",
    code: `
export const $flow = defineWorkflow("$")
  .step("only", { on: Ask, emits: StopEvent }, (ask) => new StopEvent({ result: ask.«topc|topic» }))
  .build();
`,
    says: ["'topc' does not exist", "Did you mean 'topic'?"],
  },
  {
    name: "EventChanged",
    code: method(
      "only(ask: Ask) { «ask.topic = ask.topic.trim();|const topic = ask.topic.trim();»\n    return new StopEvent({ result: «ask.topic|topic» }); }",
    ),
    says: ["'topic'", "read-only"],
  },
  {
    name: "StatePath",
    code: inside('void (await ctx.store.get("«cuont|count»"));'),
    says: ['"cuont"', '"count"'],
  },
  {
    name: "StopSent",
    code: inside("«ctx.sendEvent(new StopEvent())|»;"),
    says: ["it cannot be sent", "return it from a step"],
  },
  {
    name: "StateSchemaAsType",
    code: `
const State = z.object({ count: z.number().default(0) });
export class $ extends Workflow.withState(State) {
  @step({ on: Ask, emits: StopEvent })
  async only(_ask: Ask, ctx: Context<«State|z.output<typeof State>»>) {
    return new StopEvent({ result: await ctx.store.get("count") });
  }
}
`,
    says: ["'State' refers to a value", "typeof State"],
  },
  {
    name: "ClassState",
    code: `
export class $ extends Workflow.withState({ count: z.number()«|.default(0)» }) {
  @step({ on: Ask, emits: StopEvent })
  only(_ask: Ask) { return new StopEvent(); }
}
`,
    says: ["Every state field needs a default"],
  },
  {
    name: "TwoNames",
    code: `
export const $flow = defineWorkflow("$")
  .step("write", { on: Ask, emits: Draft }, ({ topic }) => new Draft({ text: topic }))
  .step("«write|end»", { on: Draft, emits: StopEvent }, ({ text }) => new StopEvent({ result: text }))
  .build();
`,
    says: ["There is already a step named write"],
  },
  {
    name: "InputMissing",
    code: outside("export const result = new $().run(«|{ topic: 'rivers' }»);"),
    says: ["Expected 1-2 arguments, but got 0"],
  },
  {
    name: "InputMisspelled",
    code: outside("export const result = new $().run({ «topik|topic»: 'rivers' });"),
    says: ["'topik' does not exist", "Did you mean to write 'topic'?"],
  },
  {
    name: "ClassNotInstance",
    code: outside("export const result = «$|new $()».run({ topic: 'rivers' });"),
    says: ["'run' does not exist on type 'typeof $'"],
  },
  {
    name: "OutcomeNotChecked",
    code: outside(`const outcome = await new $().run({ topic: "rivers" }).idle();
export const result = «outcome.result|outcome.status === "completed" ? outcome.result : null»;`),
    says: ["'result' does not exist", '"waiting"'],
  },
];
