/**
 * A port that a server keeps over its restarts.
 *
 * It lies below those that systems give to connections (from 32768 on, or from 49152 on): while the server is down, any connection
 * of any process could have one of them, and even one to the server that is down could have its own.
 */
import { createServer } from "node:net";

/** Each process has a few of its own, so that none takes that of a server which is just being restarted. */
const OWN = 20;
const first = 12_000 + (process.pid % 1_000) * OWN;
let next = 0;

export async function freePort(): Promise<number> {
  for (let count = 0; count < OWN; count++) {
    const port = first + (next++ % OWN);
    if (await isFree(port)) return port;
  }
  throw new TypeError(`the ports from ${first} on are taken`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  });
}
