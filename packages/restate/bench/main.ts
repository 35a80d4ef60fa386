/** Runs per second and latency against a handler written by hand, in turns on one server: `pnpm bench`. */
import { spawn } from "node:child_process";
import { connect } from "@millrace/restate";
import { freePort } from "../../../test-ports.js";
import { type Restate, startRestate } from "../test/support/restate.ts";
import { chain } from "./subject.ts";

const RUNS = 400;
const ROUNDS = 5;

interface Measured {
  readonly perSecond: number;
  readonly p50Ms: number;
}

async function measure(clients: number, runs: number, one: (id: string) => Promise<unknown>): Promise<Measured> {
  const tookMs: number[] = [];
  let next = 0;
  const begunAt = performance.now();
  const client = async (): Promise<void> => {
    while (next++ < runs) {
      const at = performance.now();
      const result = await one(crypto.randomUUID());
      if (result !== 4) throw new Error(`gave ${JSON.stringify(result)}`);
      tookMs.push(performance.now() - at);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  const perSecond = (runs / (performance.now() - begunAt)) * 1_000;
  tookMs.sort((a, b) => a - b);
  return { perSecond, p50Ms: tookMs[Math.floor(tookMs.length / 2)] ?? 0 };
}

async function byHand({ ingress }: Restate, id: string): Promise<unknown> {
  const response = await fetch(`${ingress}/hand/${id}/run`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"x":1}',
  });
  return response.json();
}

const median = (numbers: readonly number[]): number => [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? 0;

await using restate = await startRestate();
const port = await freePort();
const subject = new URL("subject.ts", import.meta.url).pathname;
const endpoint = spawn(process.execPath, [subject], {
  env: { ...process.env, PORT: String(port) },
  stdio: ["ignore", "inherit", "inherit", "ipc"],
});
await new Promise((resolve) => endpoint.once("message", resolve));
await restate.register(`http://127.0.0.1:${port}`);
const runtime = connect({ workflows: { chain }, ingress: restate.ingress });
const contenders = {
  hand: (id: string) => byHand(restate, id),
  millrace: async (runId: string) => await runtime.run("chain", { x: 1 }, { runId }),
};

for (const clients of [1, 20]) {
  const runs = clients === 1 ? RUNS / 4 : RUNS;
  for (const one of Object.values(contenders)) await measure(clients, runs, one); // warm
  const ratios: { readonly speed: number; readonly latency: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const hand = await measure(clients, runs, contenders.hand);
    const millrace = await measure(clients, runs, contenders.millrace);
    ratios.push({ speed: millrace.perSecond / hand.perSecond, latency: millrace.p50Ms / hand.p50Ms });
    const shown = [hand, millrace].map(({ perSecond, p50Ms }) => `${perSecond.toFixed(0)}/s, ${p50Ms.toFixed(1)} ms`);
    console.log(`${clients} clients: by hand ${shown[0]}; Millrace ${shown[1]}`);
  }
  const speed = median(ratios.map((ratio) => ratio.speed)).toFixed(2);
  const latency = median(ratios.map((ratio) => ratio.latency)).toFixed(2);
  console.log(`${clients} clients, medians: ${speed} of its runs per second, ${latency} of its latency`);
}
await runtime.stop();
endpoint.kill();
