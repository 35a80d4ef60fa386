import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** What one call may cost, in dollars. */
export const MOST = 0.01;

/** Long enough that a kill meets calls at work. */
const LATENCY_MS = 60;

/** A service that is paid by the call, over HTTP. It counts what it is paid, and what each key has cost. */
export interface Provider extends AsyncDisposable {
  readonly url: string;
  /** All that it was paid for, calls with the same key included. */
  readonly paid: () => number;
  /** What it would be paid if a call with the same key were free. */
  readonly paidOnce: () => number;
  readonly calls: () => number;
}

export async function startProvider(): Promise<Provider> {
  const costs: number[] = [];
  const byKey = new Map<string, number>();
  const server = createServer((request, response) => {
    const key = decodeURIComponent(request.url ?? "");
    const cost = costOf(key);
    costs.push(cost);
    byKey.set(key, cost);
    setTimeout(() => response.end(JSON.stringify({ cost })), LATENCY_MS);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const sum = (all: Iterable<number>): number => [...all].reduce((total, cost) => total + cost, 0);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    paid: () => sum(costs),
    paidOnce: () => sum(byKey.values()),
    calls: () => costs.length,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** From 40 to 100 hundredths of `MOST`, the same for the same key. */
function costOf(key: string): number {
  let hash = 0;
  for (const character of key) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 1_000_003;
  return ((40 + (hash % 61)) * MOST) / 100;
}
