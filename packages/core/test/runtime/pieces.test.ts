/** What calls write over a runtime: at once for readers here, in few ticks for the store, and once for those who come later. */
import { describe, expect, it } from "vitest";
import { createRuntime, memoryStore, type RunHandle, type RunStore } from "../../src/entries/runtime.js";
import {
  type Context,
  defineWorkflow,
  type EffectCall,
  PieceReader,
  PiecesEvent,
  retryPolicy,
  StartEvent,
  StopEvent,
  type StreamedEvent,
  stop,
  wait,
} from "../../src/index.js";
import { gate } from "../support/runs.js";

const log = { info() {}, error() {} };
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const again = retryPolicy({ wait: wait.fixed(0), stop: stop.afterAttempts(3) });

function flowOf(work: (ctx: Context) => Promise<unknown>) {
  return defineWorkflow("writing")
    .step("work", { on: StartEvent, emits: StopEvent, retry: again }, async (_ev, ctx) => {
      return new StopEvent({ result: await work(ctx) });
    })
    .build();
}

function started(work: (ctx: Context) => Promise<unknown>, store: RunStore = memoryStore()) {
  const workflows = { writing: flowOf(work) };
  const runtime = createRuntime({ workflows, store, log });
  return { runtime, store, workflows, run: runtime.run("writing", {}, { runId: "r" }) as RunHandle };
}

/** The text of each call as a reader has it in the end, and how often it began. */
function readAll(items: readonly StreamedEvent[], reader = new PieceReader()) {
  const texts: Record<string, string> = {};
  let begun = 0;
  for (const { event, writer } of items) {
    const news = PiecesEvent.is(event) ? reader.take(event, writer) : null;
    if (news === null) continue;
    if (news.at === 0) begun++;
    texts[news.call] = (news.at === 0 ? "" : (texts[news.call] ?? "")) + news.pieces.join("");
  }
  return { texts, begun };
}

async function write(call: EffectCall, tokens: readonly string[], ms = 0): Promise<string> {
  for (const token of tokens) {
    call.write(token);
    if (ms > 0) await pause(ms);
  }
  return tokens.join("");
}

const words = (count: number): string[] => Array.from({ length: count }, (_, index) => `word${index} `);

describe("a call that writes", () => {
  it("shows each piece at once here, in few ticks, and its text once for who comes later", async () => {
    const tokens = words(300);
    const { run, store } = started((ctx) => ctx.run("answer", (call) => write(call, tokens, 1)));
    const live: string[] = [];
    for await (const { event } of run.streamEvents()) if (PiecesEvent.is(event)) live.push(event.pieces.join(""));
    const ticks = await store.ticks({ tenant: "", runId: "r" }, { after: 0, limit: 1_000 });
    const later = await run.streamEvents().toArray();

    expect(live.join("")).toBe(tokens.join(""));
    expect(live.length).toBeGreaterThan(200);
    expect(ticks.at(-1)?.last).toBeLessThan(20);
    expect(
      ticks
        .map(({ text }) => text)
        .join("")
        .split("word150 "),
    ).toHaveLength(2 + 1); // the result and the output
    expect(later.filter(({ event }) => PiecesEvent.is(event)).map(({ event }) => event)).toEqual([
      expect.objectContaining({ call: "run=answer", at: 0, pieces: [tokens.join("")], isAll: true }),
    ]);
    expect(await run).toBe(tokens.join(""));
  });

  it("is stored as far as it was shown, where its run is cancelled", async () => {
    const cancelled = gate();
    const { run } = started((ctx) =>
      ctx.run("answer", async (call) => {
        await write(call, words(30), 1);
        void run.cancel("stop").then(() => cancelled.open());
        await write(call, words(30), 1);
        await cancelled.promise;
      }),
    );
    const live = await run.streamEvents().toArray();
    const later = await run.streamEvents().toArray();

    expect(await run.outcome()).toMatchObject({ status: "cancelled" });
    expect(readAll(live).texts["run=answer"]).toContain(words(30).join(""));
    expect(readAll(later).texts).toEqual(readAll(live).texts);
  });

  it("gives a reader that comes in the middle, and one that comes back, each piece once", async () => {
    const half = gate();
    const [first, second] = [words(20), words(40).slice(20)];
    const { run } = started((ctx) =>
      ctx.run("answer", async (call) => {
        await write(call, first);
        await half.promise;
        await pause(80);
        return (await write(call, second, 1)) && "done";
      }),
    );
    await pause(100);
    const reader = new PieceReader();
    const seen: StreamedEvent[] = [];
    for await (const item of run.streamEvents()) {
      seen.push(item);
      if (PiecesEvent.is(item.event) && item.event.pieces.join("").includes("word19")) break;
    }
    const { texts } = readAll(seen, reader);
    half.open();
    const rest = run.streamEvents({ after: seen.at(-1)?.sequence as number }).toArray();
    const late = readAll(await rest, reader);

    expect(texts["run=answer"]).toBe(first.join(""));
    expect(late.texts["run=answer"]).toBe(second.join(""));
    expect(late.begun).toBe(0);
    expect(readAll(await run.streamEvents().toArray()).texts["run=answer"]).toBe([...first, ...second].join(""));
  });

  it("takes back its own words when it begins again, and no words of a call that is done", async () => {
    let tries = 0;
    const { run } = started(async (ctx) => {
      await ctx.run("done", (call) => write(call, ["kept"]));
      return ctx.run("again", async (call) => {
        await write(call, ["half "]);
        await pause(10);
        if (++tries < 3) throw new Error("breaks off");
        return write(call, ["whole"]);
      });
    });
    const items = await run.streamEvents().toArray();

    expect(readAll(items)).toEqual({ texts: { "run=done": "kept", "run=again": "half whole" }, begun: 4 });
    expect(await run).toBe("whole");
    const later = await run.streamEvents().toArray();
    expect(readAll(later).texts).toEqual({ "run=done": "kept", "run=again": "half whole" });
    expect(later.filter(({ event }) => PiecesEvent.is(event))).toHaveLength(2);
  });

  it("shows the pieces of several calls, each by itself, in scopes too", async () => {
    const { run } = started(async (ctx) => {
      const calls = ["a", "b"].map((name) =>
        ctx.scope(name).run("answer", (call) =>
          write(
            call,
            words(30).map((word) => `${name}${word}`),
            1,
          ),
        ),
      );
      return (await Promise.all(calls)).length;
    });
    const { texts } = readAll(await run.streamEvents().toArray());

    expect(texts).toEqual({
      "/@a/run=answer": words(30)
        .map((word) => `a${word}`)
        .join(""),
      "/@b/run=answer": words(30)
        .map((word) => `b${word}`)
        .join(""),
    });
  });

  it("joins texts whose other fields are equal, and keeps other pieces apart", async () => {
    const pieces = [
      { kind: "text", id: "1", text: "Hel" },
      { kind: "text", id: "1", text: "lo" },
      { kind: "call", name: "search" },
      { kind: "text", id: "2", text: "." },
      "!",
      "!",
      "",
      { kind: "text", id: "2", text: "" },
    ];
    const { run } = started((ctx) =>
      ctx.run("answer", (call) => {
        for (const piece of pieces) call.write(piece);
        return "Hello";
      }),
    );
    await run;
    const items = await run.streamEvents().toArray();

    expect(items.flatMap(({ event }) => (PiecesEvent.is(event) ? event.pieces : []))).toEqual([
      { kind: "text", id: "1", text: "Hello" },
      { kind: "call", name: "search" },
      { kind: "text", id: "2", text: "." },
      "!!",
    ]);
  });

  it("is read by another process: its first words at once, its text in the end", async () => {
    const half = gate();
    const { run, store, workflows } = started((ctx) =>
      ctx.run("answer", async (call) => {
        await write(call, ["first "]);
        await half.promise;
        return write(call, ["last"]);
      }),
    );
    await run.accepted;
    const web = createRuntime({ workflows, store, execute: false, log });
    const seen: string[] = [];
    for await (const { event } of web.handle("r").streamEvents()) {
      if (PiecesEvent.is(event)) seen.push(event.pieces.join(""));
      half.open();
    }

    expect(seen).toEqual(["first ", "last"]);
    expect(await run).toBe("last");
  });

  it("and whose process dies is written again by the next one, and read once", async () => {
    const store = memoryStore();
    const held = gate();
    let tries = 0;
    const work = (ctx: Context) =>
      ctx.run("answer", async (call) => {
        await write(call, words(10));
        if (tries++ === 0) await held.promise;
        return write(call, ["end"]);
      });
    const first = started(work, store);
    await expect.poll(async () => (await first.run.streamEvents().take(1).toArray()).length).toBe(1);
    await pause(120);
    await first.runtime.stop({ drainMs: 0 });
    const second = createRuntime({ workflows: { writing: flowOf(work) }, store, log });
    await second.start();
    const items = await second.handle("r").streamEvents().toArray();

    expect(readAll(items).texts).toEqual({ "run=answer": `${words(10).join("")}end` });
    const later = await second.handle("r").streamEvents().toArray();
    expect(later.filter(({ event }) => PiecesEvent.is(event))).toHaveLength(1);
    await second.stop({ drainMs: 0 });
  });

  it("of a child is read through its parent", async () => {
    const child = flowOf((ctx) => ctx.run("answer", (call) => write(call, words(20), 1)));
    const parent = defineWorkflow("parent", { children: { child } })
      .step("call", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        return new StopEvent({ result: await ctx.runChild(child, {}) });
      })
      .build();
    const runtime = createRuntime({ workflows: { parent }, store: memoryStore(), log });
    const run = runtime.run("parent", {});
    const items = await run.streamEvents().toArray();

    expect(items.filter(({ event }) => PiecesEvent.is(event)).length).toBeGreaterThan(10);
    expect(new Set(items.slice(0, -1).map(({ origin }) => origin))).toEqual(new Set(["child"]));
    expect(readAll(items).texts).toEqual({ "run=answer": words(20).join("") });
    expect((await run.streamEvents().toArray()).filter(({ event }) => PiecesEvent.is(event))).toHaveLength(1);
  });
});

describe("in memory", () => {
  it("readers have each piece", async () => {
    const flow = flowOf((ctx) => ctx.run("answer", (call) => write(call, words(5))));
    const handler = flow.run({});
    const items = await handler.streamEvents().toArray();

    expect(items.filter(({ event }) => PiecesEvent.is(event))).toHaveLength(5);
    expect(readAll(items).texts).toEqual({ "run=answer": words(5).join("") });
  });

  it("what comes after the call, or is neither text nor an object, is refused", async () => {
    const codes: unknown[] = [];
    const codeOf = (write: () => void): void => {
      try {
        write();
      } catch (error) {
        codes.push((error as { readonly code: string }).code);
      }
    };
    const flow = flowOf(async (ctx) => {
      let late: EffectCall | null = null;
      await ctx.run("answer", (call) => {
        late = call;
        for (const piece of [7, null, [], undefined, { run: () => 1 }]) codeOf(() => call.write(piece as never));
      });
      codeOf(() => (late as unknown as EffectCall).write("late"));
      return codes;
    });

    expect(await flow.run({})).toEqual([
      "OPTION_INVALID",
      "OPTION_INVALID",
      "OPTION_INVALID",
      "OPTION_INVALID",
      "VALUE_UNSERIALIZABLE",
      "ATTEMPT_ENDED",
    ]);
  });
});
