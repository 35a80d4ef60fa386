/** One answer of a model without a network, by `streamText` itself and by an agent whose calls are recorded. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate, setTimeout } from "node:timers/promises";
import { Agent } from "@millrace/agents";
import { sqliteStore } from "@millrace/sqlite";
import { isStepCount, streamText } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { PieceReader, PiecesEvent } from "millrace";
import { createRuntime, memoryStore } from "millrace/runtime";

/** Words of the answer, of seven letters each: 14 kB. */
export const tokens = 2_000;

type Stream = Awaited<ReturnType<MockLanguageModelV4["doStream"]>>["stream"];
type Part = Stream extends ReadableStream<infer Part> ? Part : never;

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: tokens, text: tokens, reasoning: undefined },
};

async function* answer(everyMs: number): AsyncGenerator<Part> {
  yield { type: "stream-start", warnings: [] };
  yield { type: "text-start", id: "1" };
  for (let count = 0; count < tokens; count++) {
    if (everyMs > 0) await setTimeout(everyMs);
    else if (count % 20 === 0) await setImmediate(); // a network brings several at once
    yield { type: "text-delta", id: "1", delta: `w${String(count).padStart(5, "0")} ` };
  }
  yield { type: "text-end", id: "1" };
  yield { type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage };
}

/** @param everyMs Time between two tokens. 0: as fast as they are read. */
export function speaker(everyMs = 0): MockLanguageModelV4 {
  return new MockLanguageModelV4({
    doStream: async () => ({ stream: ReadableStream.from(answer(everyMs)) as Stream }),
  });
}

/** What one answer has taken. */
export interface Taken {
  readonly firstMs: number;
  readonly allMs: number;
  readonly cpuMs: number;
}

export interface Answered extends Taken {
  readonly ticks: number;
  readonly text: string;
}

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

export async function bareAnswer(model: MockLanguageModelV4): Promise<Taken> {
  const [begin, cpu] = [performance.now(), cpuMs()];
  let firstMs = 0;
  for await (const part of streamText({ model, prompt: "go", stopWhen: isStepCount(1) }).stream)
    if (part.type === "text-delta" && firstMs === 0) firstMs = performance.now() - begin;
  return { firstMs, allMs: performance.now() - begin, cpuMs: cpuMs() - cpu };
}

/** Runs of the workflow of an agent, whose words one reader follows. */
export class AgentRuns implements AsyncDisposable {
  readonly #folder = mkdtempSync(join(tmpdir(), "tokens-"));
  readonly #file = join(this.#folder, "runs.db");
  readonly #runtime;

  constructor(where: "memory" | "sqlite", model: MockLanguageModelV4) {
    const { workflow } = new Agent({ name: "speaker", model });
    const store = where === "memory" ? memoryStore() : sqliteStore(this.#file);
    this.#runtime = createRuntime({ workflows: { speaker: workflow }, store });
  }

  async start(): Promise<this> {
    await this.#runtime.start();
    return this;
  }

  async answer(): Promise<Answered> {
    const [begin, cpu] = [performance.now(), cpuMs()];
    const run = this.#runtime.run("speaker", { input: "go" });
    const words = read(run.streamEvents(), begin);
    await run;
    const { firstMs, text } = await words;
    const [allMs, usedMs] = [performance.now() - begin, cpuMs() - cpu];
    const { ticks } = await run.summary();
    return { firstMs, allMs, cpuMs: usedMs, ticks, text };
  }

  /** Bytes of all values in the file. */
  stored(): number {
    using database = new DatabaseSync(this.#file, { readOnly: true });
    const tables = database.prepare("select name from sqlite_master where type = 'table'").all();
    return tables.reduce((sum, { name }) => sum + sizeOf(database, String(name)), 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#runtime.stop();
    rmSync(this.#folder, { recursive: true });
  }
}

function sizeOf(database: DatabaseSync, table: string): number {
  const columns = database.prepare(`pragma table_info("${table}")`).all();
  const sizes = columns.map(({ name }) => `coalesce(length("${String(name)}"), 0)`);
  return Number(database.prepare(`select sum(${sizes.join(" + ")}) as size from "${table}"`).get()?.["size"] ?? 0);
}

async function read(events: AsyncIterable<{ readonly event: unknown; readonly writer?: string }>, begin: number) {
  const reader = new PieceReader();
  let [firstMs, text] = [0, ""];
  for await (const { event, writer } of events) {
    if (!PiecesEvent.is(event)) continue;
    for (const piece of reader.take(event, writer)?.pieces ?? []) {
      if (typeof piece === "string" || piece["type"] !== "text") continue;
      if (firstMs === 0) firstMs = performance.now() - begin;
      text += piece["text"];
    }
  }
  return { firstMs, text };
}
