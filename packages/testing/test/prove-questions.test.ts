/** Questions of `ctx.ask`, in scopes, beside each other and in a race, are asked and answered once, wherever a run is killed. */
import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import { createRuntime, memoryStore } from "millrace/runtime";
import { expect, it } from "vitest";
import * as z from "zod";
import { proveDurable, proveResumable } from "../src/index.js";

const schema = { n: z.number() };
const asking = () =>
  defineWorkflow("asking", { state: { edits: z.number().default(0) } })
    .step("ask", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
      const answers = ["a", "b"].map(async (name) => {
        const own = ctx.scope(name);
        await own.run("before", () => name);
        const { n } = await own.ask({ title: name, schema });
        await own.store.editState((state) => void (state.edits += n), { key: "edit" });
        return n;
      });
      const first = await ctx.race({
        late: () => ctx.ask({ title: "late", schema, timeout: "1h" }),
        time: () => ctx.sleep("1m"),
      });
      return new StopEvent({ result: [await Promise.all(answers), first.winner, await ctx.store.get("edits")] });
    })
    .build();

it("proveResumable", async () => {
  const proof = await proveResumable(
    asking,
    {},
    {
      answers: (event) => {
        const { title } = event.toJSON() as { readonly title: string };
        return title === "late" ? null : { n: title === "a" ? 1 : 2 };
      },
    },
  );

  expect(proof.crashes).toBeGreaterThan(5);
});

const one = defineWorkflow("one")
  .step("ask", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
    return new StopEvent({ result: await ctx.ask({ title: "How many?", schema }) });
  })
  .build();

it("proveDurable, with an answer before that does not fit", async () => {
  const log = { info() {}, error() {} };
  const proof = await proveDurable(() => {
    const store = memoryStore();
    return {
      open: (mortal) => createRuntime({ workflows: { one }, store: mortal(store), log }),
      run: async (runtime) => {
        const run = runtime.run("one", {}, { runId: "r" });
        await run.idle();
        const [prompt] = await run.prompts();
        if (prompt !== undefined) {
          await run.answer(prompt.promptId, { n: "3" }, { key: "wrong" }).catch(() => {});
          await run.answer(prompt.promptId, { n: 3 }, { key: "right" });
        }
        return run;
      },
    };
  });

  expect(proof.writes).toBeGreaterThan(2);
});
