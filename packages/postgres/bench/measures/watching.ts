import type { RunStore } from "millrace/runtime";
import type pg from "pg";
import { filled, key, owner, text } from "../filled.ts";
import { compare, type Found, part, rateOf } from "../measure.ts";

const posts = 200;

/** Eight stores commit, groups of ten; eight others watch, or nobody does. */
export async function watching(url: string): Promise<Found[]> {
  const size = 8;
  const ours = await filled(url);
  const stores = Array.from({ length: size }, () => ours.open());
  const others = Array.from({ length: size }, () => ours.open());
  const ticks = new Int32Array(size);
  const create = (number: number) => ({
    key: key(number),
    owner,
    epoch: 1,
    create: {
      workflow: "flow",
      input: "{}",
      code: "code",
      createdAtMs: 1,
      startAtMs: 1,
      labels: {},
      forkedFrom: null,
      queue: null,
      lease: { owner, untilMs: 9e12 },
    },
  });
  for (const [worker, store] of stores.entries())
    await store.commit(Array.from({ length: 10 }, (_, index) => create(worker * 10 + index)));
  const commit = async (worker: number): Promise<number> => {
    const tick = (ticks[worker] = (ticks[worker] ?? 0) + 1);
    const group = Array.from({ length: 10 }, (_, index) => ({
      key: key(worker * 10 + index),
      owner,
      epoch: 1,
      ticks: { first: tick, last: tick, atMs: 1, text },
    }));
    await (stores[worker] as RunStore).commit(group);
    return 1;
  };
  let heard = 0;
  const reached = async (): Promise<number> => {
    const stops = others.map((store) => store.watch(() => void heard++));
    await new Promise((resolve) => setTimeout(resolve, 300));
    const rate = await rateOf(commit, size);
    for (const stop of stops) stop();
    return rate;
  };
  const found = await compare({ reached, base: () => rateOf(commit, size) }, 7);
  if (heard === 0) throw new TypeError("nobody heard anything");
  const wakes = await wakeUps(stores[0] as RunStore, others[0] as RunStore);
  const bare = await bareWakeUps(await ours.connect(), await ours.connect());
  await ours.close();
  const name = "a post until another store hears it, over a bare NOTIFY";
  const row = (share: number) => {
    const [reached, base] = [part(wakes, share), part(bare, share)];
    return { unit: "ms", reached, base, ratio: reached / base };
  };
  return [
    { name: "commits of 8 stores while 8 watch, over nobody", unit: "commits/s", ...found, budget: { atLeast: 0.9 } },
    { name: `${name}, p50`, ...row(0.5), budget: { atMost: 3 } },
    { name: `${name}, p99 (budget 50 ms)`, ...row(0.99) },
  ];
}

/** From the call of NOTIFY to the listener, a statement without a table. */
async function bareWakeUps(sender: pg.Client, listener: pg.Client): Promise<number[]> {
  const taken: number[] = [];
  await listener.query("LISTEN bench");
  for (let number = 0; number < posts; number++) {
    const heard = new Promise((resolve) => listener.once("notification", resolve));
    const startMs = performance.now();
    await sender.query("SELECT pg_notify('bench', 'run')");
    await heard;
    taken.push(performance.now() - startMs);
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
  return taken;
}

/** From the call of `post` to the call of the listener. */
async function wakeUps(poster: RunStore, watcher: RunStore): Promise<number[]> {
  const taken: number[] = [];
  let hear: (() => void) | null = null;
  const stop = watcher.watch((about) => about?.runId === "run-0" && hear?.());
  await new Promise((resolve) => setTimeout(resolve, 500));
  for (let number = 0; number < posts; number++) {
    const heard = new Promise<void>((resolve) => (hear = resolve));
    const startMs = performance.now();
    await poster.post(key(0), { idempotencyKey: null, atMs: 1, text: "1" });
    await heard;
    taken.push(performance.now() - startMs);
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
  stop();
  return taken;
}
