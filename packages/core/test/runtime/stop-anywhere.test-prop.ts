/** A process that stops at any moment while somebody answers: a graceful stop is no end, and loses no answer. */

import { describe, expect, it } from "vitest";
import * as z from "zod";
import { isTried } from "../../../../test-share.js";
import { memoryStore, type RunHandle, type RunStore, type Runtime } from "../../src/entries/runtime.js";
import {
  defineWorkflow,
  HumanResponseEvent,
  InputRequiredEvent,
  type Receipt,
  StartEvent,
  StopEvent,
} from "../../src/index.js";
import { keptOpen, Machine, promptIds } from "../support/processes.js";

class Ask extends InputRequiredEvent.define("Ask", {}) {}
class Said extends HumanResponseEvent.define("Said", { text: z.string() }) {}

/** A run that asks, or its child, or a child of that. */
function asking(depth: number): ReturnType<typeof leaf> {
  let flow = leaf();
  for (let level = 0; level < depth; level++) flow = parentOf(flow);
  return flow;
}

function leaf() {
  return defineWorkflow("asks")
    .step("ask", { on: StartEvent, emits: StopEvent, waits: Said, streams: Ask }, async (_ev, ctx) => {
      const { text } = await ctx.waitForEvent(Said, { prompt: new Ask({}) });
      return new StopEvent({ result: await ctx.run("take", () => text) });
    })
    .build();
}

const busy = defineWorkflow("busy")
  .step("write", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
    for (let n = 0; !ctx.signal.aborted; n++) await ctx.store.set("n" as never, n as never);
    return new StopEvent();
  })
  .build();

function parentOf(child: ReturnType<typeof leaf>): ReturnType<typeof leaf> {
  return defineWorkflow("parent", { children: { child } } as never)
    .step("call", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
      return new StopEvent({ result: await ctx.runChild("child", {}) });
    })
    .build() as never;
}

/** Every call takes a turn of the host on its way to the store, and one on its way back. */
function distant(store: RunStore): RunStore {
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return new Proxy(store, {
    get(target, name) {
      const member = target[name as keyof RunStore];
      if (typeof member !== "function") return member;
      const method = (member as (...args: unknown[]) => unknown).bind(target);
      if (name === "hash" || name === "watch" || name === "close") return method;
      return async (...args: unknown[]) => {
        await turn();
        const answer = await method(...args);
        await turn();
        return answer;
      };
    },
  });
}

interface Moment {
  /** Turns of the host after the answer was given. */
  readonly turn: number;
  /** Microtasks of that turn. */
  readonly hop: number;
}

async function pass({ turn, hop }: Moment): Promise<void> {
  for (let passed = 0; passed < turn; passed++) await new Promise((resolve) => setImmediate(resolve));
  for (let passed = 0; passed < hop; passed++) await null;
}

/** What becomes of a promise, in as many turns of the host as anything here takes. */
async function fateOf(promise: PromiseLike<unknown>): Promise<unknown> {
  let fate: unknown = "pending";
  promise.then(
    (value) => {
      fate = { value };
    },
    (error: unknown) => {
      fate = { error };
    },
  );
  for (let turn = 0; turn < 150 && fate === "pending"; turn++) await pass({ turn: 1, hop: 0 });
  return fate;
}

interface Scene {
  /** Who asks: the run, its child, or a child of that. */
  readonly depth: number;
  readonly key: string | null;
  readonly how: "answer" | "event";
  /** Who answers: the process that has the run, or another one. */
  readonly from: "owner" | "other";
  readonly stops: "owner" | "both";
  /** Another run of the owner writes to the store all the time. */
  readonly isBusy: boolean;
  readonly idleReleaseMs: number;
}

function scenesOf(given: { readonly [Name in keyof Scene]: readonly Scene[Name][] }): Scene[] {
  return Object.entries(given).reduce<object[]>(
    (scenes, [name, values]) =>
      scenes.flatMap((scene) => values.map((value: unknown) => ({ ...scene, [name]: value }))),
    [{}],
  ) as Scene[];
}

function say(handle: RunHandle, { how, key }: Scene, promptId: string): Promise<Receipt> {
  const options = key === null ? {} : { key };
  return how === "answer"
    ? handle.answer(promptId, { text: "yes" }, options)
    : handle.sendEvent(new Said({ text: "yes" }), options);
}

/** What there is to say against it; nothing is as it should be. */
async function stopAt(scene: Scene, moment: Moment, store: (inner: RunStore) => RunStore): Promise<string | null> {
  const machine = new Machine(store(memoryStore()));
  const flow = asking(scene.depth);
  const open = (): Runtime =>
    machine.open({ flow, busy }, { store: keptOpen(machine.store), idleReleaseMs: scene.idleReleaseMs }).runtime;
  const [owner, other] = [open(), open()];
  await other.start();
  if (scene.isBusy) await owner.run("busy", {}).accepted;
  const run = owner.run("flow", {}, { runId: "one" });
  const [promptId = ""] = await promptIds(run as RunHandle);
  const result = run.then(
    (value) => value,
    (error: { code: string }) => error.code,
  );
  const told = say((scene.from === "owner" ? run : other.handle("one")) as RunHandle, scene, promptId).then(
    (receipt) => receipt,
    (error: { code: string }) => ({ status: "rejected" as const, code: error.code }),
  );
  await pass(moment);
  await Promise.all((scene.stops === "both" ? [owner, other] : [owner]).map((one) => one.stop({ drainMs: 0 })));

  const heard = (await fateOf(told)) as "pending" | { readonly value: Awaited<typeof told> };
  if (heard === "pending") return "the answer is pending";
  const ended = await fateOf(result);
  if (ended === "pending") return "the result is pending";
  if (heard.value.status === "refused") return `the answer was refused: ${heard.value.code}`;
  const isRejected = heard.value.status === "rejected";
  if (isRejected && (heard.value.code !== "RUNTIME_STOPPED" || (scene.from === "other" && scene.stops === "owner")))
    return `the answer was rejected: ${heard.value.code}`;

  const next = open();
  await next.start();
  const handle = next.handle("one") as RunHandle;
  const again = scene.key !== null ? await fateOf(say(handle, scene, promptId)) : null;
  if (again !== null && (again as { value?: Receipt }).value?.status !== "accepted")
    return `the same key got ${JSON.stringify(again)}`;
  const after = JSON.stringify(await fateOf(handle));
  await next.stop({ drainMs: 0 });
  await other.stop({ drainMs: 0 });
  const isLost = isRejected && scene.key === null;
  const allowed = isLost ? ['"pending"', ...(scene.from === "other" ? [yes] : [])] : [yes];
  return allowed.includes(after) ? null : `the run came to ${after}`;
}

const yes = '{"value":"yes"}';

/**
 * Every third moment, another third by the number of settings that are not the first of theirs:
 * each moment still meets each value of any two settings. A share of them is another one in each scene.
 */
function shareOf(scenes: readonly Scene[], index: number, moments: readonly Moment[]): Moment[] {
  const [first] = scenes as [Scene];
  const others = Object.entries(scenes[index] as Scene).filter(([name, value]) => value !== first[name as keyof Scene]);
  const own = moments.filter((_, position) => (position + others.length) % 3 === 0);
  return own.filter((_, position) => isTried(position + index));
}

async function faults(
  scenes: readonly Scene[],
  moments: readonly Moment[],
  store: (inner: RunStore) => RunStore = (inner) => inner,
): Promise<string[]> {
  const found: string[] = [];
  for (const [index, scene] of scenes.entries())
    for (const moment of shareOf(scenes, index, moments)) {
      const fault = await stopAt(scene, moment, store);
      if (fault !== null) found.push(`${JSON.stringify({ ...scene, ...moment })}: ${fault}`);
    }
  return found;
}

const turns = Array.from({ length: 24 }, (_, turn) => ({ turn, hop: 0 }));
const hops = Array.from({ length: 40 }, (_, hop) => ({ turn: 0, hop }));

const all = {
  depth: [0, 1, 2],
  key: [null, "click"],
  how: ["answer", "event"],
  from: ["owner", "other"],
  stops: ["owner", "both"],
  isBusy: [false],
  idleReleaseMs: [10_000],
} as const;

describe("stopping while somebody answers", () => {
  it("loses no answer, in whichever microtask it comes", async () => {
    expect(await faults(scenesOf({ ...all, depth: [0, 2] }), hops)).toEqual([]);
  });

  it("loses no answer while another run is being stored", async () => {
    expect(await faults(scenesOf({ ...all, depth: [1], isBusy: [true] }), hops)).toEqual([]);
  });

  it("loses no answer, whatever of the store is under way", async () => {
    expect(await faults(scenesOf({ ...all, depth: [1], isBusy: [false, true] }), turns, distant)).toEqual([]);
  });

  it("loses no answer to a run that is out of memory", async () => {
    expect(await faults(scenesOf({ ...all, depth: [2], idleReleaseMs: [0] }), turns, distant)).toEqual([]);
  });
});
