/** Mistakes that `millrace check` finds: in the graph, in options, and while a file is loaded. */
import type { Mistake } from "./mistake.js";

/** Two steps of a class; `more` stands below them. */
const steps = (first: string, second: string, more = ""): string => `
export class $ extends Workflow {
  @step(${first})
  write({ topic }: Ask) {
    return new Draft({ text: topic });
  }

  @step(${second})
  end({ text }: Draft) {
    return new StopEvent({ result: text });
  }
${more}}
`;
const draft = "{ on: Ask, emits: Draft }";
const last = "{ on: Draft, emits: StopEvent }";

/** A fan-out that is gathered. */
const fanOut = (emits: string, on: string): string => `
export class $ extends Workflow {
  @step({ on: Ask, emits: ${emits} })
  split(_ask: Ask) {
    return [new Item({ n: 1 }), new Item({ n: 2 })];
  }

  @step({ on: Item, emits: Done })
  work({ n }: Item) {
    return new Done({ n });
  }

  @step({ on: ${on}, emits: StopEvent })
  sum(all: readonly Done[]) {
    return new StopEvent({ result: all.length });
  }
}
`;
const built = (definition: string, options = ""): string => `
export const $flow = ${definition}
  .step("write", { on: Ask, emits: Draft }, ({ topic }) => new Draft({ text: topic }))
  .step("end", { on: Draft, emits: StopEvent }, ({ text }) => new StopEvent({ result: text }))
  .build(${options});
`;

export const mistakesOfGraphs: readonly Mistake[] = [
  {
    name: "NoStop",
    code: steps(draft, "{ on: Draft«|, emits: StopEvent» }"),
    at: "class $",
    says: ["No step emits a stop event", "Add `StopEvent`", "to the `emits` of the last step"],
  },
  {
    name: "NoStart",
    code: steps("{ on: «Item|Ask», emits: Draft }", last),
    at: "class $",
    says: ["No step accepts a start event", "Add a step with `on: StartEvent`, or with your own start event"],
  },
  {
    name: "NobodyTakes",
    code: steps("{ on: Ask, emits: «[Draft, Item]|Draft» }", last),
    says: ['No step accepts Item, which step "write" emits', "Name it in the `on` or `waits` of a step"],
  },
  {
    name: "EmitsForgotten",
    code: steps("{ on: Ask«|, emits: Draft» }", last),
    at: "@step({ on: Draft,",
    says: ['No step emits Draft, which step "end" accepts', "add it to the `emits` of a step"],
  },
  {
    name: "WrongOn",
    code: steps(draft, "{ on: «Item|Draft», emits: StopEvent }"),
    says: ['No step emits Item, which step "end" accepts', "add it to the `emits` of a step"],
  },
  {
    name: "WaitsForNothing",
    code: steps(draft, "{ on: Draft, emits: StopEvent«, waits: Item|» }"),
    says: ['No step emits Item, which step "end" waits for', "make it an `ExternalEvent`"],
  },
  {
    name: "CollectWithoutMany",
    code: fanOut("«Item|many(Item)»", "collect(Done)"),
    at: "@step({ on: collect(Done)",
    says: ["collects Done, which arises outside of every fan-out", 'does "split"? Then `emits: many(Item)`'],
  },
  {
    name: "CollectOfUnknown",
    code: fanOut("many(Item)", 'collect(Done, { of: "«splt|split»" })'),
    says: ['collects the fan-out of "splt", and there is no such step', 'Did you mean "split"?'],
  },
  {
    name: "CollectOfPlainStep",
    code: fanOut("many(Item)", 'collect(Done, { of: "«work|split»" })'),
    says: ['collects the fan-out of "work", which does not fan out', 'name one of "split"'],
  },
  {
    name: "StopInMany",
    code: fanOut("«many(Item, StopEvent)|many(Item)»", "collect(Done)"),
    says: ["emits many(StopEvent), which ends the run", "List StopEvent beside many(…), not in it"],
  },
  {
    name: "ManyOfNothing",
    code: fanOut("«many()|many(Item)»", "collect(Done)"),
    says: ["emits many() of nothing", "Name the event classes of its elements: `many("],
  },
  {
    name: "CollectOption",
    code: fanOut("many(Item)", "collect(Done, { «limit|take»: 2 })"),
    says: ["`limit` is not an option", "Correct or remove them"],
  },
  {
    name: "StopInOn",
    code: steps(draft, "{ on: «StopEvent|Draft», emits: StopEvent }"),
    says: ["has StopEvent in `on`, which ends the run", "Only `emits` may name a stop event"],
  },
  {
    name: "StopInStreams",
    code: steps(draft, "{ on: Draft, emits: StopEvent«, streams: StopEvent|» }"),
    says: ["has StopEvent in `streams`, which ends the run", "Only `emits` may name a stop event"],
  },
  {
    name: "EventInstance",
    code: steps('{ on: Ask, emits: «new Draft({ text: "" })|Draft» }', last),
    says: ["has in `emits` something that is not an event class", "Name a class made with `event(type, shape)`"],
  },
  {
    name: "EventByName",
    code: steps(draft, "{ on: «'Draft'|Draft», emits: StopEvent }"),
    says: ["has in `on` something that is not an event class", "Name a class made with `event(type, shape)`"],
  },
  {
    name: "NothingInOn",
    code: steps(draft, "{ «|on: Draft, »emits: StopEvent }"),
    says: ["has nothing in `on`", "Name an event class"],
  },
  {
    name: "StepOption",
    code: steps("{ on: Ask, «emit|emits»: Draft }", last),
    says: ["`emit` is not an option (did you mean `emits`?)", "Correct or remove"],
  },
  {
    name: "NoWorkers",
    code: steps("{ on: Ask, emits: Draft, workers: «0|1» }", last),
    says: ["has `workers: 0`", "Pass an integer of at least 1"],
  },
  {
    name: "RetryNumber",
    code: steps("{ on: Ask, emits: Draft, retry: «3|retryPolicy({ stop: stop.afterAttempts(3) })» }", last),
    says: ["has a `retry` without `next`", "Use `retryPolicy({ … })`"],
  },
  {
    name: "TimeoutText",
    code: steps('{ on: Ask, emits: Draft, timeout: "«one minute|1m»" }', last),
    says: ['`timeout` is "one minute", which is not a duration', '"5m"'],
  },
  {
    name: "LimitUndefined",
    code: steps('{ on: Ask, emits: Draft«, limit: "model"|» }', last),
    says: ['has the limit "model", which the workflow does not define', "Add it to the workflow's `limits`"],
  },
  {
    name: "CheckUnknown",
    code: steps('{ on: Ask, emits: Draft, skipChecks: ["«deadend|deadEnd»"] }', last),
    says: ['skips the check "deadend", which does not exist', 'Did you mean "deadEnd"?'],
  },
  {
    name: "StepTwice",
    code: steps(draft, '{ on: Draft, emits: StopEvent«, name: "write"|» }'),
    at: "@step({ on: Ask",
    says: ['There are several steps "write"', "Use a different `name` for each"],
  },
  {
    name: "TypeTaken",
    code: `class Other extends event("«Draft|Other»", {}) {}
${steps("{ on: Ask, emits: [Draft, Other] }", "{ on: [Draft, Other], emits: StopEvent }").replace("{ text }: Draft", "_event: Draft | Other").replace("result: text", "result: 1")}`,
    at: "@step({ on: Ask",
    says: ['names a second event class with the type "Draft"', "Change the type of one of them"],
  },
  {
    name: "DeadEnd",
    code: steps(
      draft,
      last,
      `
  @step({ on: Ask, emits: Item })
  begin(_ask: Ask) {
    return new Item({ n: 1 });
  }

  @step({ on: Item, emits: «Item|[]» })
  again(_item: Item) {}
`,
    ),
    at: "@step({ on: Ask, emits: Item",
    says: ["never to a stop event", "`emits: []`"],
  },
  {
    name: "HandlerOfNothing",
    code: steps(
      draft,
      last,
      `
  @catchError({ steps: ["«wrte|write»"], emits: Draft })
  mend(_failed: StepFailedEvent) {
    return new Draft({ text: "" });
  }
`,
    ),
    says: ['"wrte", which is not a step', 'Did you mean "write"?'],
  },
  {
    name: "StepNamedRun",
    code: `
export class $ extends Workflow {
  @step({ on: Ask, emits: StopEvent«|, name: "run"» })
  «run|begin»(_ask: Ask) {
    return new StopEvent();
  }
}
`,
    at: "  run(",
    says: ['A step cannot be a method called "run"', "Rename the method and set `name`"],
  },
  {
    name: "StaticStep",
    code: `
export class $ extends Workflow {
  @step({ on: Ask, emits: StopEvent })
  «static |»begin(_ask: Ask) {
    return new StopEvent();
  }
}
`,
    at: "static begin(",
    says: ['"begin" cannot be a step', "Decorate a public instance method"],
  },
  {
    name: "StepUncalled",
    code: steps(draft, last, "\n  «@step|@step({ on: Draft, emits: [] })»\n  look(_draft: Draft) {}\n"),
    at: "  look(",
    says: ["`step` takes options", "Write `@step({ … })`"],
  },
  {
    name: "WorkflowOption",
    code: built('defineWorkflow("$")', '{ «timeot|timeout»: "1m" }'),
    at: ".build(",
    says: ["`timeot` is not an option (did you mean `timeout`?)"],
  },
  {
    name: "DefineOption",
    code: built('defineWorkflow("$", { «sate|state»: { count: z.number().default(0) } })'),
    says: ["`sate` is not an option (did you mean `state`?)"],
  },
  {
    name: "StateWithoutDefault",
    code: built('defineWorkflow("$", { state: { count: z.number()«|.default(0)» } })'),
    at: ".build(",
    says: ["count: Invalid input", "Add a default to every field of the state"],
  },
  {
    name: "StepForgotten",
    code: `
export const $flow = defineWorkflow("$")
  .step("write", { on: Ask, emits: Draft }, ({ topic }) => new Draft({ text: topic }))
«|  .step("end", { on: Draft, emits: StopEvent }, ({ text }) => new StopEvent({ result: text }))
»  .build();
`,
    at: '.step("write"',
    says: ['No step accepts Draft, which step "write" emits', "Name it in the `on` or `waits` of a step"],
  },
  {
    name: "BuildForgotten",
    code: `
export const $flow = defineWorkflow("$")
  .step("only", { on: Ask, emits: StopEvent }, ({ topic }) => new StopEvent({ result: topic }))«|
  .build()»;
`,
    at: "$flow",
    says: ["$flow is a definition, and no workflow yet", "Call `.build()` at its end"],
  },
  {
    name: "ImportMissing",
    code: `import { sep } from "«./helpers.js|node:path»";\n${steps(draft, last)}void sep;\n`,
    at: 'from "./helpers.js"',
    says: ["Cannot find module", "Correct the path of that import"],
  },
  {
    name: "SyntaxWrong",
    code: steps(draft, last).replace(
      "return new StopEvent({ result: text });",
      "return new StopEvent({ result: text «|}»);",
    ),
    says: ['Expected "}"', "Correct that line"],
  },
  {
    name: "ReservedField",
    code: `class Kinds extends event("Kinds", { «type|kind»: z.string() }) {}
${steps(draft, last)}`,
    says: ['has a field "type", a reserved name', "Rename the field"],
  },
  {
    name: "RetryOption",
    code: steps(
      "{ on: Ask, emits: Draft, retry: retryPolicy({ «maxAttempts: 3|stop: stop.afterAttempts(3)» }) }",
      last,
    ),
    says: ["`maxAttempts` is not an option", "leave them out"],
  },
];
