/** A host that places runs itself: it keeps commits in a store, and hands a run from one activation to the next. */
import { describe, expect, it, onTestFinished, vi } from "vitest";
import * as z from "zod";
import {
  type ActivatedRun,
  type ActivationStore,
  createActivations,
  type RoundNature,
} from "../../src/entries/engine.js";
import {
  type CommitResult,
  createRuntime,
  memoryStore,
  type RunCommit,
  type RunStore,
  recordsOf,
} from "../../src/entries/runtime.js";
import { defineWorkflow, event, HumanResponseEvent, StartEvent, StopEvent } from "../../src/index.js";

class Middle extends event("Middle", { text: z.string() }) {}
class Answer extends HumanResponseEvent.define("Answer", { by: z.string() }) {}

let called = 0;
const leaf = defineWorkflow("leaf")
  .step("leaf", { on: StartEvent, emits: StopEvent }, async (_start, ctx) => {
    await ctx.run("effect", () => {
      called++;
    });
    return new StopEvent({ result: "leaf" });
  })
  .build();

const flow = defineWorkflow("flow", { state: { count: z.number().default(0) }, children: { leaf } })
  .step("first", { on: StartEvent, emits: Middle }, async (start, ctx) => {
    await ctx.store.editState((state) => {
      state.count++;
    });
    return new Middle({ text: `${await ctx.runChild(leaf, {})} ${String(start.get("text"))}` });
  })
  .step("second", { on: Middle, emits: StopEvent, waits: [Answer] }, async ({ text }, ctx) => {
    const { by } = await ctx.waitForEvent(Answer);
    const { count } = await ctx.store.getState();
    return new StopEvent({ result: `${text}, answered by ${by}, count ${count}` });
  })
  .build();

const long = defineWorkflow("long")
  .step("work", { on: StartEvent, emits: StopEvent }, async (start, ctx) => {
    const key = start.get("text") === "short" ? "short" : "k".repeat(2_000);
    const call = ctx.run(key, () => new Promise((resolve) => setTimeout(resolve, 20)));
    const answer = await call.then(
      () => "done",
      (error: { code?: string }) => error.code,
    );
    return new StopEvent({ result: answer });
  })
  .build();

const counting = defineWorkflow("counting")
  .step("count", { on: StartEvent, emits: StopEvent }, async (_start, ctx) => {
    const value = await recordsOf(ctx).update<number>("counter", "one", (count = 0) => count + 1);
    return new StopEvent({ result: value });
  })
  .build();

const workflows = { flow, counting, long };
const key = { tenant: "", runId: "run" };

/** What a host keeps. Commits come in by `next`; `keep` is its answer to the last one. */
class Host {
  readonly store: RunStore;
  readonly natures: RoundNature[] = [];
  readonly #activations;
  #came: (commit: RunCommit) => void = () => {};
  #coming: RunCommit[] = [];
  #answer: ((result: CommitResult) => void) | null = null;

  constructor(options: { readonly maxTickLength?: number } = {}) {
    this.store = memoryStore();
    this.#activations = createActivations({ workflows, hash: (text) => this.store.hash(text), ...options });
  }

  /** Keeps a run that is to begin, as a runtime does it whose runs are elsewhere. */
  async begin(input: { readonly text: string }, workflow: keyof typeof workflows = "flow"): Promise<void> {
    const store = new Proxy(this.store, {
      get(target, name) {
        if (name === "runsElsewhere") return true;
        if (name === "claimDue") return async () => [];
        if (name === "claim") return async () => null;
        const member: unknown = target[name as keyof RunStore];
        return typeof member === "function" ? member.bind(target) : member;
      },
    });
    const runtime = createRuntime({ workflows, store });
    await runtime.run(workflow, input, { runId: key.runId }).accepted;
    await this.store.claim(key, { owner: "activation", nowMs: Date.now(), untilMs: Number.MAX_SAFE_INTEGER });
  }

  async open(): Promise<ActivatedRun | null> {
    const { store } = this;
    const run = await store.run(key);
    if (run === null) throw new Error("no run");
    const kept: ActivationStore = {
      snapshot: (...args) => store.snapshot(...args),
      ticks: (...args) => store.ticks(...args),
      blob: (hash) => store.blob(hash),
      record: (of) => store.record(of),
      commit: (commit, nature) => {
        this.natures.push(nature);
        return new Promise((resolve) => {
          this.#coming.push(commit);
          this.#answer = resolve;
          this.#came(commit);
        });
      },
    };
    this.#coming = [];
    return this.#activations.open({ store: kept, run, posts: await store.posts(key) });
  }

  async next(): Promise<RunCommit> {
    const commit = this.#coming.shift();
    return (
      commit ??
      new Promise<RunCommit>((resolve) => {
        this.#came = (came) => {
          this.#came = () => {};
          this.#coming.shift();
          resolve(came);
        };
      })
    );
  }

  /** Stores a commit, and says what became of it. */
  async keep({ release: _, ...commit }: RunCommit): Promise<void> {
    const run = await this.store.run(key);
    const [result] = await this.store.commit([{ ...commit, owner: "activation", epoch: run?.epoch ?? 0 }]);
    this.#answer?.(result as CommitResult);
  }

  /** Until the run is given back. */
  async untilReleased(): Promise<void> {
    for (;;) {
      const commit = await this.next();
      await this.keep(commit);
      if (commit.release === true) return;
    }
  }

  async post(by: string): Promise<void> {
    const text = JSON.stringify({ kind: "event", event: { type: "Answer", data: { by } }, step: null });
    await this.store.post(key, { idempotencyKey: null, atMs: Date.now(), text });
  }

  async result(): Promise<unknown> {
    const outcome = (await this.store.run(key))?.outcome ?? null;
    return outcome === null ? null : JSON.parse(outcome);
  }
}

const ended = expect.objectContaining({ status: "completed" });

describe("an activation", () => {
  it("runs until the run only waits, and the next one goes on with a post", async () => {
    const host = new Host();
    await host.begin({ text: "begins" });

    await host.open();
    await host.untilReleased();
    expect((await host.store.run(key))?.status).toBe("waiting");
    await host.post("us");
    await host.open();
    await host.untilReleased();

    expect(JSON.stringify(await host.result())).toContain("leaf begins, answered by us, count 1");
    expect(await host.store.posts(key)).toEqual([]);
    expect(host.natures.at(0)).toMatchObject({ follows: true, ends: false });
    expect(host.natures.some(({ ends }) => ends)).toBe(true);
  });

  it("comes to the same end where it is dropped after any of its commits", async () => {
    for (let dropAfter = 1; ; dropAfter++) {
      const host = new Host();
      await host.begin({ text: "dropped" });
      await host.post("us");
      called = 0;

      const run = await host.open();
      let isReleased = false;
      for (let kept = 0; kept < dropAfter && !isReleased; kept++) {
        const commit = await host.next();
        isReleased = commit.release === true;
        await host.keep(commit);
      }
      run?.drop();
      for (let opened = 0; opened < 5 && (await host.result()) === null; opened++) {
        await host.open();
        await host.untilReleased();
      }

      expect(await host.result()).toEqual(ended);
      expect(JSON.stringify(await host.result())).toContain("count");
      expect(called).toBeLessThanOrEqual(2);
      if (isReleased) break;
    }
  });

  it("updates a record again that somebody has changed, in a commit with the same ticks", async () => {
    const host = new Host();
    await host.begin({ text: "" }, "counting");
    await host.open();
    let commit = await host.next();
    for (; commit.records === undefined; commit = await host.next()) await host.keep(commit);

    await host.store.writeRecords([{ tenant: "", kind: "counter", id: "one", expected: 0, text: '{"json":10}' }]);
    await host.keep(commit);
    const again = await host.next();
    await host.keep(again);
    const [first, second] = host.natures.slice(-2);

    expect(second).toEqual(first);
    expect(second).toMatchObject({ follows: false, ends: true });
    expect(again).toMatchObject({ ticks: commit.ticks, release: true });
    expect(again.records).toMatchObject([{ expected: 1, text: '{"json":11}' }]);
  });

  it("refuses a tick that its host could not keep, where it is made", async () => {
    const host = new Host({ maxTickLength: 1_500 });
    await host.begin({ text: "x".repeat(1_000) });
    await host.post("us");
    await host.open();
    await host.untilReleased();
    expect(await host.result()).toEqual(ended);

    const small = new Host({ maxTickLength: 900 });
    await small.begin({ text: "x".repeat(1_000) });
    await small.open();
    await small.untilReleased();
    expect(JSON.stringify(await small.result())).toContain("the store of this run accepts at most 900 per tick");
  });

  it("refuses a call whose key no tick could hold, with its result, although it has not been noted as begun", async () => {
    const host = new Host({ maxTickLength: 1_500 });
    await host.begin({ text: "" }, "long");
    await host.open();
    await host.untilReleased();

    expect(JSON.stringify(await host.result())).toContain("VALUE_UNSERIALIZABLE");
  });

  it("says that the beginning of a call only follows, so that it is not kept alone", async () => {
    // A slow machine gives the host a turn later, and both beginnings one commit.
    const stands = vi.spyOn(Date, "now").mockReturnValue(Date.now());
    onTestFinished(() => stands.mockRestore());
    const host = new Host();
    await host.begin({ text: "short" }, "long");
    await host.open();
    await host.untilReleased();
    const opened = host.natures.filter(({ follows }) => follows);

    expect(JSON.stringify(await host.result())).toContain("done");
    expect(opened.length).toBeGreaterThan(1);
  });
});
