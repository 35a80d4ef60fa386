/** The reasons of every schema library, at every place that takes a schema. */
import { type } from "arktype";
import { Schema } from "effect";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import * as mini from "zod/mini";
import * as z3 from "zod3";
import { decodeEvent, EventRegistry } from "../src/event/event-codec.js";
import type { SchemaIssue, StandardSchema } from "../src/event/schema.js";
import {
  Context,
  defineWorkflow,
  event,
  HumanResponseEvent,
  StartEvent,
  StopEvent,
  type WorkflowError,
} from "../src/index.js";
import { rejection } from "./support/runs.js";

type Objects = StandardSchema<object, object>;

/** Issues as frozen instances with getters, whose paths hold objects. */
class Issue implements SchemaIssue {
  get message(): string {
    return "not a list of amounts";
  }

  get path(): NonNullable<SchemaIssue["path"]> {
    return Object.freeze([Object.freeze({ key: "lines" }), Object.freeze({ key: 1 }), { key: "amount" }]);
  }
}

const byHand: Objects = {
  "~standard": {
    version: 1,
    vendor: "by hand",
    validate: (value) => {
      const { lines } = (value ?? {}) as { lines?: readonly { amount: unknown }[] };
      const isFit = lines?.every(({ amount }) => typeof amount === "number") === true;
      return isFit ? { value: value as object } : { issues: Object.freeze([Object.freeze(new Issue())]) };
    },
  },
};

/** Each of `{ lines: { amount: number }[] }`. */
const libraries: readonly (readonly [name: string, schema: Objects, reason: RegExp])[] = [
  ["Zod 3", z3.object({ lines: z3.array(z3.object({ amount: z3.number() })) }), /^Expected number/],
  ["Zod 4", z.object({ lines: z.array(z.object({ amount: z.number() })) }), /expected number/],
  ["zod/mini", mini.object({ lines: mini.array(mini.object({ amount: mini.number() })) }), /Invalid input/],
  ["Valibot", v.object({ lines: v.array(v.object({ amount: v.number() })) }), /Expected number/],
  ["ArkType", type({ lines: type({ amount: "number" }).array() }), /must be a number/],
  [
    "Effect Schema",
    Schema.toStandardSchemaV1(
      Schema.Struct({ lines: Schema.Array(Schema.Struct({ amount: Schema.Number })) }),
    ) as never as Objects,
    /number/,
  ],
  ["a schema by hand", byHand, /^not a list of amounts$/],
];

const bill = (amount: unknown): object => ({ lines: [{ amount: 1 }, { amount }] });

/** Places that check a value: what each is given, and the path of the fault there. */
const doors: readonly (readonly [
  name: string,
  path: string,
  check: (schema: Objects, wrong: object, right: object) => Promise<unknown>,
])[] = [
  [
    "a field of an event",
    "bill.",
    async (schema, wrong) => {
      class Billed extends event("Billed", { bill: schema }) {}
      new Billed({ bill: wrong });
    },
  ],
  [
    "an event of one schema",
    "",
    async (schema, wrong) => {
      class Billed extends event("Billed", schema) {}
      new Billed(wrong);
    },
  ],
  [
    "a field of a stored event",
    "bill.",
    async (schema, wrong) => {
      class Billed extends event("Billed", { bill: checkedTwice(schema) }) {}
      decodeEvent({ type: "Billed", data: { bill: wrong } }, new EventRegistry([Billed]), "here");
    },
  ],
  [
    "the input of a run",
    "bill.",
    async (schema, wrong) => {
      class Begin extends StartEvent.define("Begin", { bill: schema }) {}
      const workflow = defineWorkflow("w")
        .step("s", { on: Begin, emits: StopEvent }, () => new StopEvent())
        .build();
      await workflow.run({ bill: wrong });
    },
  ],
  [
    "an answer",
    "bill.",
    async (schema, wrong, right) => {
      class Answer extends HumanResponseEvent.define("Answer", { bill: schema }) {}
      const workflow = defineWorkflow("w")
        .step("s", { on: StartEvent, emits: StopEvent, waits: Answer }, async (_ev, ctx) => {
          await ctx.waitForEvent(Answer);
          return new StopEvent();
        })
        .build();
      const handler = workflow.run();
      try {
        await handler.sendEvent(new Answer({ bill: wrong }));
      } finally {
        await handler.sendEvent(new Answer({ bill: right }));
        await handler;
      }
    },
  ],
  [
    "a field of the state",
    "bill.",
    async (schema, wrong) => {
      const state = { bill: withDefault(schema) as StandardSchema<object | undefined, object> };
      const workflow = defineWorkflow("w", { state })
        .step("s", { on: StartEvent, emits: StopEvent }, () => new StopEvent())
        .build();
      await new Context(workflow).store.set("bill", wrong);
    },
  ],
  [
    "a state of one schema",
    "",
    async (schema, wrong) => {
      const workflow = defineWorkflow("w", { state: withDefault(schema) as Objects })
        .step("s", { on: StartEvent, emits: StopEvent }, () => new StopEvent())
        .build();
      await new Context(workflow).store.setState(wrong as never);
    },
  ],
];

/** The schema, for a state that starts from nothing. */
function withDefault(schema: Objects): Objects {
  const { validate } = schema["~standard"];
  const isNothing = (value: unknown): boolean => Object.keys(value ?? {}).length === 0;
  return {
    "~standard": {
      ...schema["~standard"],
      version: 1,
      vendor: "with a default",
      validate: (value) => (isNothing(value) ? { value: { lines: [] } } : validate(value)),
    },
  };
}

/** Described as a Zod 4 schema: of others, a stored value that is refused may be their output (see `mayConvert`). */
function checkedTwice(schema: Objects): Objects {
  return { _zod: z.any()._zod, "~standard": schema["~standard"] } as never;
}

describe.each(libraries)("%s", (_name, schema, reason) => {
  it.each(doors)("keeps its reason and its path in %s", async (_door, above, check) => {
    const error = (await rejection(check(schema, bill("much"), bill(2)))) as WorkflowError;

    const { issues } = error.details as { issues: readonly { path: string; message: string }[] };
    expect(issues).toEqual([{ path: `${above}lines.1.amount`, message: expect.stringMatching(reason) }]);
    expect(error.message).toContain(issues[0]?.message);
  });

  it("lets what fits pass", () => {
    class Billed extends event("Billed", { bill: schema }) {}

    expect(new Billed({ bill: bill(2) }).toJSON()).toEqual({ bill: bill(2) });
  });
});
