/** Loops of the AI SDK whose calls are recorded. */
import { generateText, isStepCount, tool as sdkTool, streamText, ToolLoopAgent } from "ai";
import { Context, defineWorkflow, ExternalEvent, PieceReader, PiecesEvent, StartEvent, StopEvent } from "millrace";
import { expect, it } from "vitest";
import * as z from "zod";
import { recorded } from "../../src/index.js";
import { type Answering, answers, calls, says } from "../support/turns.js";

class Go extends ExternalEvent.define("Go", {}) {}

type Loop = (ctx: Context, model: ReturnType<typeof answers>, tools: ReturnType<typeof toolsOf>) => Promise<string>;

function toolsOf(made: string[]) {
  const look = sdkTool({
    description: "Looks.",
    inputSchema: z.object({ q: z.string() }),
    execute: ({ q }: { readonly q: string }) => {
      made.push(q);
      return `seen ${q}`;
    },
  });
  return { look };
}

/** Loops of all kinds; each waits at its end, so that it can be continued elsewhere. */
const loops: Record<string, Loop> = {
  generateText: async (ctx, model, tools) =>
    (await generateText({ ...recorded(ctx, { model, tools }), prompt: "go", stopWhen: isStepCount(5) })).text,
  streamText: async (ctx, model, tools) =>
    streamText({ ...recorded(ctx, { model, tools }), prompt: "go", stopWhen: isStepCount(5) }).text,
  ToolLoopAgent: async (ctx, model, tools) =>
    (await new ToolLoopAgent({ ...recorded(ctx, { model, tools }) }).generate({ prompt: "go" })).text,
};

function flowOf(loop: Loop, script: readonly Answering[]) {
  const made: string[] = [];
  const model = answers(...script);
  const flow = defineWorkflow("own")
    .step("ask", { on: StartEvent, emits: StopEvent, waits: Go }, async (_ev, ctx) => {
      const text = await loop(ctx, model, toolsOf(made));
      await ctx.waitForEvent(Go);
      return new StopEvent({ result: text });
    })
    .build();
  const asked = () => model.doStreamCalls.length + model.doGenerateCalls.length;
  return { flow, made, asked };
}

it.each(Object.entries(loops))("%s goes on with what is recorded", async (_name, loop) => {
  const script = [
    calls(["look", { q: "a" }, "x"], ["look", { q: "b" }, "x"]),
    calls(["look", { q: "c" }, "x"]),
    says("All seen."),
  ];
  const first = flowOf(loop, script);
  const run = first.flow.run();
  await run.idle();
  const dict = JSON.parse(JSON.stringify(run.context.toDict()));
  await run.cancel();

  const second = flowOf(loop, [says("never asked")]);
  const resumed = second.flow.resume(Context.fromDict(second.flow, dict));
  await resumed.sendEvent(new Go());

  expect(await resumed).toBe("All seen.");
  expect(first.made.toSorted()).toEqual(["a", "b", "c"]);
  expect([second.made, second.asked()]).toEqual([[], 0]);
});

it("records the failure of a tool, which the model was told", async () => {
  let runs = 0;
  const bad = sdkTool({
    description: "Fails.",
    inputSchema: z.object({}),
    execute: (): string => {
      runs++;
      throw new TypeError("no paper");
    },
  });
  const flowWith = (...script: readonly Answering[]) =>
    defineWorkflow("own")
      .step("ask", { on: StartEvent, emits: StopEvent, waits: Go }, async (_ev, ctx) => {
        const options = recorded(ctx, { model: answers(...script), tools: { bad } });
        const { text } = await generateText({ ...options, prompt: "go", stopWhen: isStepCount(5) });
        await ctx.waitForEvent(Go);
        return new StopEvent({ result: text });
      })
      .build();
  const run = flowWith(calls(["bad", {}, "x"]), says("Sorry.")).run();
  await run.idle();
  const dict = JSON.parse(JSON.stringify(run.context.toDict()));
  await run.cancel();

  const again = flowWith();
  const resumed = again.resume(Context.fromDict(again, dict));
  await resumed.sendEvent(new Go());

  expect(await resumed).toBe("Sorry.");
  expect(runs).toBe(1);
});

it("shows what the loop does, as agents do", async () => {
  const { flow } = flowOf(loops["streamText"] as Loop, [calls(["look", { q: "a" }, "x"]), says("All seen.")]);
  const run = flow.run();
  const shown = run.streamEvents().toArray();
  await run.idle();
  await run.sendEvent(new Go());
  await run;

  const reader = new PieceReader();
  const pieces = (await shown).flatMap(({ event, writer }) =>
    PiecesEvent.is(event) ? (reader.take(event, writer)?.pieces ?? []) : [],
  );
  expect(pieces.slice(0, 2)).toEqual([
    { type: "tool-call", toolCallId: "x", toolName: "look", input: { q: "a" } },
    { type: "tool-result", toolCallId: "x", output: "seen a" },
  ]);
  expect(
    pieces
      .slice(2)
      .map((piece) => (piece as { readonly text: string }).text)
      .join(""),
  ).toBe("All seen.");
});
