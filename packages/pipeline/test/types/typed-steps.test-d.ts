/** What functions in a list of steps know: the session state, the input, and the contents of the steps before them. */
import { expectTypeOf } from "vitest";
import * as z from "zod";
import {
  Condition,
  Loop,
  Parallel,
  Pipeline,
  Router,
  type RunContext,
  type SessionState,
  Step,
  type StepInput,
  stepOutput,
} from "../../src/index.js";

const title = new Step({ name: "title", executor: () => "Rivers" });
const count = new Step({ name: "count", executor: async () => 5 });
const streamed = new Step({
  name: "streamed",
  executor: async function* () {
    yield "text";
  },
});

const article = new Pipeline({
  name: "article",
  sessionState: { articles: 0, by: [], last: null },
  dependencies: { lookUp: (word: string) => word.length },
  metadata: { source: "web" },
  inputSchema: z.object({ topic: z.string() }),
  steps: [
    (input) => {
      expectTypeOf(input.input).toEqualTypeOf<{ topic: string }>();
      // Nothing is before it.
      expectTypeOf(input.getStepContent("title")).toBeUnknown();
    },
    new Parallel("write", title, count),
    streamed,
    (input, { sessionState, dependencies, metadata, editState }) => {
      expectTypeOf(input.getStepContent("title")).toEqualTypeOf<string | undefined>();
      expectTypeOf(input.getStepContent("count")).toEqualTypeOf<number | undefined>();
      expectTypeOf(input.getStepContent("write")).toEqualTypeOf<Readonly<Record<string, string>> | undefined>();
      expectTypeOf(input.getStepContent("streamed")).toBeUnknown();
      expectTypeOf(input.getStepContent("later")).toBeUnknown();
      expectTypeOf(sessionState.articles).toEqualTypeOf<number>();
      expectTypeOf(sessionState.by).toEqualTypeOf<unknown[]>();
      expectTypeOf(sessionState.last).toBeUnknown();
      expectTypeOf(sessionState["more"]).toBeUnknown();
      expectTypeOf(dependencies.lookUp("a")).toEqualTypeOf<number>();
      expectTypeOf(dependencies["other"]).toBeUnknown();
      expectTypeOf(metadata.source).toEqualTypeOf<string>();
      expectTypeOf(editState((state) => ++state.articles)).toEqualTypeOf<Promise<number>>();
    },
    new Step({ name: "later", executor: () => stepOutput({ content: 1 }) }),
    new Loop({ name: "loop", steps: [new Step({ name: "inside", executor: () => true }), (input) => input.input] }),
    new Condition({
      steps: [new Step({ name: "yes", executor: () => 1 })],
      elseSteps: [new Step({ name: "no", executor: () => "n" })],
    }),
    new Router({
      choices: [new Step({ name: "x", executor: () => [1] }), [new Step({ name: "y", executor: () => null })]],
    }),
    ({ getStepContent }) => {
      expectTypeOf(getStepContent("later")).toBeUnknown();
      expectTypeOf(getStepContent("inside")).toEqualTypeOf<boolean | undefined>();
      expectTypeOf(getStepContent("yes")).toEqualTypeOf<number | undefined>();
      expectTypeOf(getStepContent("no")).toEqualTypeOf<string | undefined>();
      expectTypeOf(getStepContent("x")).toEqualTypeOf<number[] | undefined>();
      expectTypeOf(getStepContent("y")).toEqualTypeOf<null | undefined>();
    },
  ],
});

interface Articles {
  articles: number;
  by: never[];
  last: null;
}
expectTypeOf(article).toExtend<Pipeline>();
expectTypeOf(article).toExtend<Pipeline<Articles, { topic: string }>>();
expectTypeOf(article.getSessionState).returns.resolves.toHaveProperty("articles").toEqualTypeOf<number>();
void article.run({ topic: "rivers" }, { sessionState: { articles: 1 } });
// @ts-expect-error [2322] -- the template says what a field is
void article.run({ topic: "rivers" }, { sessionState: { articles: "one" } });

// ---- without a template, and with declared types

interface Shop {
  sold: number;
}
interface Services {
  readonly price: (item: string) => number;
}

const open = new Pipeline({
  name: "open",
  steps: [
    title,
    (input, { sessionState }) => {
      expectTypeOf(sessionState).toEqualTypeOf<SessionState>();
      expectTypeOf(input.getStepContent("title")).toEqualTypeOf<string | undefined>();
    },
    (_input, { sessionState }: RunContext<Shop>) => ++sessionState.sold,
    new Step({
      name: "sell",
      executor: (_input, context: RunContext<Shop, Services>) => context.dependencies.price("a"),
    }),
    new Step({ name: "read", executor: (input: StepInput<{ title: string }>) => input.getStepContent("title") }),
    new Condition({ evaluator: (_input, { sessionState }: RunContext<Shop>) => sessionState.sold > 1, steps: [title] }),
    new Parallel({
      steps: [(_input, { sessionState }: RunContext<Shop>) => sessionState.sold, (input) => input.input],
    }),
  ],
});
expectTypeOf(open).toEqualTypeOf<Pipeline>();

const declared = new Pipeline<Shop>({
  name: "declared",
  reducers: { sold: (mine, theirs) => mine + theirs },
  steps: [title, (_input, { sessionState }) => ++sessionState.sold],
});
expectTypeOf(declared.getSessionState).returns.resolves.toHaveProperty("sold").toEqualTypeOf<number>();

const list: Step[] = [title, count];
new Pipeline({ name: "list", steps: list });
new Pipeline({ name: "spread", steps: [...list, new Pipeline({ name: "inner", steps: [title] })] });
expectTypeOf(new Step({ executor: () => 1 })).toExtend<Step>();
