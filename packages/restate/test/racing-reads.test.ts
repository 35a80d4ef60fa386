/** Reads beside the invocation that changes what they read. */
import { EventEmitter, once } from "node:events";
import http2 from "node:http2";
import type { AddressInfo } from "node:net";
import { handlers, type ObjectContext, type ObjectSharedContext, object } from "@restatedev/restate-sdk/fetch";
import { createEndpointHandler } from "@restatedev/restate-sdk/node";
import { newStoredRun } from "millrace/engine";
import type { StoredSnapshot, TickBatch } from "millrace/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { write } from "../src/host/activate.js";
import type { ReadAnswer, ReadMessage } from "../src/host/messages.js";
import { readRun } from "../src/host/read-run.js";
import { type Change, type KeptCommit, KeptRun, type StateReader } from "../src/kept/kept-run.js";
import { type Restate, startRestate } from "./support/restate.js";

const key = { tenant: "", runId: "raced" };

/** One run after another under one id; everything that it keeps says of which of them it is. */
class Story {
  #run = 0;
  #tick = 0;
  #kept!: KeptRun;

  begin(): Change[] {
    this.#run++;
    this.#tick = 0;
    const record = { workflow: "flow", input: "", code: this.hash, labels: {}, forkedFrom: null, queue: null };
    const run = newStoredRun(key, { ...record, createdAtMs: this.#run, startAtMs: this.#run });
    this.#kept = new KeptRun({ run, active: null });
    return [this.#kept.setActive(null), ...this.#kept.apply({ blobs: [{ hash: this.hash, text: this.#name }] })];
  }

  /** Keeps a tick with a large value and an event. */
  tick(): Change[] {
    const [first, last] = [this.#tick + 1, this.#tick + 1];
    this.#tick = last;
    const text = `["${this.#name} ${this.hash}"]`;
    const events = [{ sequence: last, atMs: last, text }] as unknown as NonNullable<KeptCommit["events"]>;
    return this.#kept.apply({ ticks: { first, last, atMs: last, text } as TickBatch, events });
  }

  /** Keeps a snapshot instead of all ticks and snapshots before. */
  snapshot(): Change[] {
    const snapshot = { tick: this.#tick, text: `${this.#name} ${this.hash}` } as StoredSnapshot;
    return this.#kept.apply({ snapshot, prune: { ticks: this.#tick, snapshots: this.#tick } });
  }

  get hash(): string {
    return `hash of ${this.#name}`;
  }

  get #name(): string {
    return `run ${this.#run}.`;
  }
}

const snapshotOf = (run: number): object => ({
  value: { tick: expect.any(Number), text: `run ${run}. hash of run ${run}.` },
  blobs: [{ hash: `hash of run ${run}.`, text: `run ${run}.` }],
});

describe("a read on Restate whose state changes behind its list of keys", () => {
  let restate: Restate;
  let endpoint: http2.Http2Server;
  const steps = new EventEmitter();
  let changed: Promise<unknown>;

  /** Waits after the list of keys until the test has changed the state. */
  const paused = (ctx: ObjectSharedContext): StateReader => ({
    get: (name) => ctx.get(name),
    stateKeys: async () => {
      const keys = await ctx.stateKeys();
      steps.emit("listed");
      await changed;
      return keys;
    },
  });

  beforeAll(async () => {
    restate = await startRestate();
    const { exclusive, shared } = handlers.object;
    const service = object({
      name: "raced",
      handlers: {
        change: exclusive({ enableLazyState: true }, async (ctx: ObjectContext, changes: readonly Change[] | null) => {
          if (changes === null) ctx.clearAll();
          write(ctx, changes ?? []);
        }),
        read: shared({ enableLazyState: true }, (ctx: ObjectSharedContext, message: ReadMessage) =>
          readRun(paused(ctx), message),
        ),
      },
    });
    endpoint = http2.createServer(createEndpointHandler({ services: [service], logger: () => {} }) as never);
    await new Promise<void>((resolve) => endpoint.listen(0, "127.0.0.1", resolve));
    await restate.register(`http://127.0.0.1:${(endpoint.address() as AddressInfo).port}`);
  });
  afterAll(async () => {
    await restate?.[Symbol.asyncDispose]();
    endpoint?.close();
  });

  const call = async <Answer>(id: string, handler: string, message: unknown): Promise<Answer> => {
    const headers = { "content-type": "application/json" };
    const init = { method: "POST", headers, body: JSON.stringify(message), signal: AbortSignal.timeout(20_000) };
    const response = await fetch(`${restate.ingress}/raced/${id}/${handler}`, init);
    const text = await response.text();
    return (text === "" ? null : JSON.parse(text)) as Answer;
  };

  const ticks = { what: "ticks", after: 0, limit: 100 } as const;
  const events = { what: "events", after: 0, limit: 100 } as const;
  const snapshot = { what: "snapshot", atOrBelow: null } as const;
  const begun = (story: Story): Change[] => [...story.begin(), ...story.tick(), ...story.snapshot(), ...story.tick()];
  const further = (story: Story): Change[] => [...story.tick(), ...story.snapshot()];
  const gone = { value: [], blobs: [] };
  const trimmed = { value: [], blobs: [{ hash: "hash of run 1.", text: "run 1." }] }; // its code
  it.each<[string, ReadMessage, object, ((story: Story) => Change[]) | null, boolean]>([
    ["finds the new snapshot where the old one was replaced", snapshot, snapshotOf(1), further, false],
    ["finds no ticks where a snapshot has taken their place", ticks, trimmed, further, false],
    ["finds no snapshot where the run was removed", snapshot, { value: null, blobs: [] }, null, true],
    ["finds no events where the run was removed", events, gone, null, true],
    ["finds that of the new run where another one has its id", snapshot, snapshotOf(2), begun, true],
  ])("%s", async (name, message, expected, change, isRemoved) => {
    const [id, story] = [encodeURIComponent(name), new Story()];
    await call(id, "change", begun(story));
    const listed = once(steps, "listed");
    changed = once(steps, "changed");

    const reading = call<ReadAnswer<unknown>>(id, "read", message);
    await listed;
    await call(id, "change", isRemoved ? null : []);
    await call(id, "change", change?.(story) ?? []);
    steps.emit("changed");

    expect(await reading).toEqual(expected);
    expect(await restate.sql("SELECT id FROM sys_invocation WHERE status = 'backing-off'")).toEqual([]);
  });
});

/** As good as random, and the same every time. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** A state in which any number of changes comes before every read, one key at a time as Restate makes them, until there are no more. */
function racing(changes: Iterator<Change | null>, random: (below: number) => number): StateReader {
  const state = new Map<string, unknown>();
  const change = (): void => {
    for (let count = random(6); count > 0; count--) {
      const { value: next = undefined } = changes.next();
      if (next === null) state.clear();
      else if (next?.value === undefined) state.delete(next?.key ?? "");
      else state.set(next.key, structuredClone(next.value));
    }
  };
  return {
    async get<Value>(name: string): Promise<Value | null> {
      change();
      return (state.get(name) ?? null) as Value | null;
    },
    async stateKeys() {
      change();
      return [...state.keys()];
    },
  };
}

function* storyOf(random: (below: number) => number): Generator<Change | null> {
  const story = new Story();
  const deeds = [() => story.tick(), () => story.tick(), () => story.snapshot()];
  for (let run = 0; run < 3; run++) {
    yield* story.begin();
    for (let count = random(12); count > 0; count--) yield* (deeds[random(3)] as () => Change[])();
    yield null;
  }
  yield* story.begin();
  yield* story.tick();
}

describe("reads that race any program of ticks, snapshots, removals and new runs of one id", () => {
  it("always answer, with parts of one run and every large value that they name", async () => {
    for (let seed = 1; seed <= 1_500; seed++) {
      const random = randomFrom(seed);
      const state = racing(storyOf(random), random);
      const messages: readonly ReadMessage[] = [
        { what: "run" },
        { what: "snapshot", atOrBelow: null },
        { what: "snapshot", atOrBelow: 1 + random(5) },
        { what: "ticks", after: random(4), limit: 1 + random(5) },
        { what: "events", after: random(4), limit: 1 + random(5) },
      ];

      for (let count = 0; count < 8; count++) {
        const message = messages[random(messages.length)] as ReadMessage;
        const answer = await readRun(state, message);

        const runs = new Set(JSON.stringify(answer).match(/run \d+\./g));
        expect(runs.size, `seed ${seed}: ${JSON.stringify([message, answer])}`).toBeLessThanOrEqual(1);
        const named = JSON.stringify(answer.value).match(/hash of run \d+\./g) ?? [];
        const hashes = answer.blobs.map(({ hash }) => hash);
        if (message.what !== "run") expect(hashes).toEqual(expect.arrayContaining(named));
        const sequence = message.what === "ticks" ? (answer.value as TickBatch[]).map(({ first }) => first) : [];
        expect(sequence).toEqual(sequence.map((_, index) => (sequence[0] as number) + index));
      }
    }
  });
});
