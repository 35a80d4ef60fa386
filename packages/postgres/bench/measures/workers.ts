import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createRuntime } from "millrace/runtime";
import { filled } from "../filled.ts";
import { compare, type Found, rateOf } from "../measure.ts";
import { workOf } from "../work.ts";

const clients = 96;

/** Processes that work on what another one starts. */
export async function workers(url: string): Promise<Found[]> {
  const ours = await filled(url);
  const store = ours.open();
  const asker = createRuntime({
    workflows: { work: workOf(() => Promise.reject(new TypeError("no worker"))) },
    store,
    execute: false,
  });
  await asker.start();
  /** Runs per second of so many workers. */
  const rateWith = async (count: number, kind: "io" | "cpu"): Promise<number> => {
    const children = await Promise.all(Array.from({ length: count }, () => startWorker(url, ours.schema)));
    const ask = async (): Promise<number> => {
      await asker.run("work", { kind });
      return 1;
    };
    await rateOf(ask, clients, 1_000);
    const rate = await rateOf(ask, clients, 3_000);
    await Promise.all(children.map(stopWorker));
    return rate;
  };
  const io = await compare({ reached: () => rateWith(3, "io"), base: () => rateWith(1, "io") }, 3);
  const cpu = await compare({ reached: () => rateWith(2, "cpu"), base: () => rateWith(1, "cpu") }, 3);
  await asker.stop();
  await ours.close();
  return [
    { name: "three workers over one, steps that wait", unit: "runs/s", ...io, budget: { atLeast: 2.7 } },
    { name: "two workers over one, steps that compute", unit: "runs/s", ...cpu },
  ];
}

async function startWorker(url: string, schema: string): Promise<ChildProcess> {
  const child = fork(new URL("../worker.ts", import.meta.url), [url, schema]);
  await once(child, "message");
  return child;
}

async function stopWorker(child: ChildProcess): Promise<void> {
  child.disconnect();
  await once(child, "exit");
}
