/** Codes of what is written down: events, steps, options, resources. */
import { type Context, type Duration, event, StartEvent, StopEvent, step, Workflow } from "millrace";
import * as z from "zod";
import { type Provocations, thrown } from "./provoked.js";

class Joke extends event("Joke", { text: z.string() }) {}
class Pun extends Joke {}
class Critique extends event("Critique", { text: z.string() }) {}

class JokeFlow extends Workflow {
  static override readonly name = "jokes";

  @step({ on: StartEvent, emits: Joke })
  write() {
    return new Joke({ text: "…" });
  }

  @step({ on: Joke, emits: StopEvent })
  judge(ev: Joke) {
    return new StopEvent({ result: ev.text.length });
  }
}

class Client {}

export const declaring: Provocations = {
  EVENT_INVALID: [() => thrown(() => new Joke({ text: 7 as never }))],
  OPTION_INVALID: [
    () => thrown(() => new JokeFlow({ streamBuffer: 0 })),
    () => thrown(() => new JokeFlow({ timeout: "10 seconds" as Duration })),
  ],
  SCHEMA_ASYNC: [
    () =>
      thrown(() => {
        class Asked extends event("Joke", { text: z.string().refine(async () => true) }) {}
        new Asked({ text: "…" });
      }),
  ],
  STATE_SCHEMA_CONVERTS: [
    () => {
      class Counter extends Workflow.withState({ count: z.coerce.number().default(0) }) {
        @step({ on: StartEvent, emits: StopEvent })
        async count(_ev: StartEvent, ctx: Context<{ count: number }>) {
          await ctx.store.set("count", "7" as never);
          return new StopEvent();
        }
      }
      return thrown(() => new Counter().run());
    },
  ],
  VALUE_UNSERIALIZABLE: [() => inStep((ctx) => ctx.store.set("client", new Client()))],
  WORKFLOW_INVALID: [
    () =>
      thrown(() => {
        class Jokes extends Workflow {
          static override readonly name = "jokes";

          @step({ on: StartEvent, emits: [Critique, StopEvent] })
          write() {
            return new StopEvent();
          }

          @step({ on: Joke, emits: StopEvent })
          judge() {
            return new StopEvent();
          }
        }
        return new Jokes().run();
      }),
    () =>
      thrown(() => {
        class Placed extends Workflow {
          // @ts-expect-error [1241] -- the compiler says so, too
          @step({ on: StartEvent, emits: Joke })
          static write() {
            return new Joke({ text: "…" });
          }
        }
        new Placed();
      }),
    () =>
      thrown(() => {
        class Jokes extends Workflow {
          static override readonly name = "jokes";

          @step({ on: StartEvent, emits: Pun })
          write() {
            return new Pun({ text: "…" });
          }
        }
        new Jokes();
      }),
  ],
};

/** One step that does this, and what its run rejects with. */
function inStep(act: (ctx: Context) => unknown) {
  class One extends Workflow {
    @step({ on: StartEvent, emits: StopEvent })
    async one(_ev: StartEvent, ctx: Context) {
      await act(ctx);
      return new StopEvent();
    }
  }
  return thrown(() => new One().run());
}
