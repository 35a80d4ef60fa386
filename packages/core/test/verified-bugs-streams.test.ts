/** Faults about streamed text that were reported for other runtimes, one test each: here they do not happen. */
import { expect, it } from "vitest";
import { createRuntime, memoryStore, type RunHandle } from "../src/entries/runtime.js";
import {
  type Context,
  defineWorkflow,
  PieceReader,
  PiecesEvent,
  retryPolicy,
  StartEvent,
  StopEvent,
  type StreamedEvent,
  stop,
  wait,
} from "../src/index.js";

const log = { info() {}, error() {} };
const key = { tenant: "", runId: "r" };
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function started(work: (ctx: Context) => Promise<unknown>) {
  const writing = defineWorkflow("writing")
    .step(
      "work",
      { on: StartEvent, emits: StopEvent, retry: retryPolicy({ wait: wait.fixed(0), stop: stop.afterAttempts(3) }) },
      async (_ev, ctx) => new StopEvent({ result: await work(ctx) }),
    )
    .build();
  const store = memoryStore();
  const runtime = createRuntime({ workflows: { writing }, store, log });
  return { store, run: runtime.run("writing", {}, { runId: "r" }) as RunHandle };
}

function textIn(items: readonly StreamedEvent[], reader = new PieceReader()): string {
  let text = "";
  for (const { event, writer } of items) {
    const news = PiecesEvent.is(event) ? reader.take(event, writer) : null;
    if (news !== null) text = (news.at === 0 ? "" : text) + news.pieces.join("");
  }
  return text;
}

// vercel/workflow #3387, dbos-transact-py #770: chunks of a step that is retried were appended again, and readers saw them twice.
it("words of a call that is tried again count once", async () => {
  let tries = 0;
  const { run } = started((ctx) =>
    ctx.run("answer", async (call) => {
      for (const word of ["a ", "b ", "c "]) call.write(word);
      await pause(60);
      if (++tries < 3) throw new Error("breaks off");
      call.write("d");
    }),
  );

  expect(textIn(await run.streamEvents().toArray())).toBe("a b c d");
  expect(textIn(await run.streamEvents().toArray())).toBe("a b c d");
  expect(tries).toBe(3);
});

// cloudflare/agents #1733, vercel/ai #14688: a stream that was replayed twice, or onto a kept half, showed its text twice.
it("a reader that continues, and is sent again what it has, has each word once", async () => {
  const { run } = started((ctx) =>
    ctx.run("answer", async (call) => {
      for (let word = 0; word < 60; word++) {
        call.write(`${word} `);
        await pause(3);
      }
    }),
  );
  const reader = new PieceReader();
  const half = await run.streamEvents().take(20).toArray();
  const text = textIn(half, reader);
  const again = textIn(await run.streamEvents().take(5).toArray(), reader);
  const rest = textIn(await run.streamEvents({ after: half[0]?.sequence as number }).toArray(), reader);
  const twice = textIn(await run.streamEvents().toArray(), reader);

  expect(text + again + rest).toBe(Array.from({ length: 60 }, (_, word) => `${word} `).join(""));
  expect(twice).toBe("");
});

// vercel/workflow #2058: chunks that were written one by one came in another order.
it("words come in the order in which they were written, here and from the store", async () => {
  const words = Array.from({ length: 200 }, (_, word) => `${word} `);
  const { run } = started((ctx) =>
    ctx.run("answer", async (call) => {
      for (const word of words) {
        call.write(word);
        if (word.endsWith("0 ")) await pause(7);
      }
    }),
  );

  expect(textIn(await run.streamEvents().toArray())).toBe(words.join(""));
  expect(textIn(await run.streamEvents().toArray())).toBe(words.join(""));
});

// stella #3969: 39,544 rows for seven paragraphs. flue #658, opencode #47223: rows of deltas stay for ever. vercel/eve #1441: each
// delta was stored with all that came before it.
it("an answer of 3,000 words leaves one event, and as many bytes as it has a few times", async () => {
  const words = Array.from({ length: 3_000 }, (_, word) => `word ${word} `);
  const { run, store } = started((ctx) =>
    ctx.run("answer", async (call) => {
      for (const [index, word] of words.entries()) {
        call.write(word);
        if (index % 50 === 0) await pause(2);
      }
      return { text: words.join("") };
    }),
  );
  await run;
  const events = await store.events(key, { after: -1, limit: 1_000 });
  const ticks = await store.ticks(key, { after: 0, limit: 1_000 });
  const bytes = [...events, ...ticks].reduce((sum, { text }) => sum + text.length, 0);

  expect(events).toHaveLength(1);
  expect(bytes / words.join("").length).toBeLessThan(3.5); // the record, the output of the step, and the event
  expect(textIn(await run.streamEvents().toArray())).toBe(words.join(""));
});

// hermes-mobile #842: a reply that was under way when its reader came back was shown twice, the first time cut off.
it("calls beside each other are told apart, and a cut one is completed", async () => {
  const { run } = started(async (ctx) => {
    const one = ctx.scope("one").run("answer", async (call) => {
      call.write("half ");
      await pause(120);
      call.write("whole");
    });
    const other = ctx.scope("other").run("answer", async (call) => {
      await pause(30);
      call.write("other");
    });
    await Promise.all([one, other]);
  });
  const reader = new PieceReader();
  const texts: Record<string, string> = {};
  const read = async (items: AsyncIterable<StreamedEvent>, count: number): Promise<number> => {
    let last = -1;
    for await (const { sequence, event, writer } of items) {
      last = sequence;
      const news = PiecesEvent.is(event) ? reader.take(event, writer) : null;
      if (news !== null) texts[news.call] = (news.at === 0 ? "" : (texts[news.call] ?? "")) + news.pieces.join("");
      if (--count === 0) break;
    }
    return last;
  };
  const last = await read(run.streamEvents(), 2);
  await run;
  await read(run.streamEvents({ after: last }), Number.POSITIVE_INFINITY);

  expect(texts).toEqual({ "/@one/run=answer": "half whole", "/@other/run=answer": "other" });
});
