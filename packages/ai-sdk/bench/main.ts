/**
 * What a durable chat costs beside `streamText` of the AI SDK, in turn and in one process, so that what else the
 * machine does meets all of them. Medians after a warm-up: `pnpm --filter @millrace/ai-sdk bench`.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sqliteStore } from "@millrace/sqlite";
import { memoryStore } from "millrace/runtime";
import { type Answering, bareChat, durableChat, measure, type Taken } from "./measure.ts";

const rounds = 13;
const warm = 3;

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((one, other) => one - other)[numbers.length >> 1] ?? Number.NaN;

/** Without a network, for the cost of a token; and with a token each 5 ms, for the time to the first. */
const ways = [
  { name: "cost of a token", tokens: 2_000, tokenMs: 0 },
  { name: "first token", tokens: 40, tokenMs: 5 },
];

for (const { name, ...speech } of ways) {
  const folder = mkdtempSync(join(tmpdir(), "millrace-bench-"));
  const chats = {
    streamText: bareChat(speech),
    "chat in memory": await durableChat(speech, memoryStore()),
    "chat on SQLite": await durableChat(speech, sqliteStore(join(folder, "runs.db"))),
  };
  const taken: { readonly [name: string]: Taken[] } = Object.fromEntries(Object.keys(chats).map((key) => [key, []]));
  for (let round = 0; round < rounds; round++)
    for (const [key, chat] of Object.entries(chats)) taken[key]?.push(await measure(chat));
  for (const chat of Object.values(chats)) await chat.stop();
  rmSync(folder, { recursive: true });
  const bare = (taken["streamText"] ?? []).slice(warm);
  for (const [key, all] of Object.entries(taken)) {
    const counted = all.slice(warm);
    const cpu = (1_000 * median(counted.map(({ cpuMs }) => cpuMs))) / speech.tokens;
    const ratio = median(counted.map(({ cpuMs }, round) => cpuMs / (bare[round]?.cpuMs ?? Number.NaN)));
    const first = median(counted.map(({ firstMs }) => firstMs));
    console.log(
      `${name}, ${key}: ${cpu.toFixed(0)} µs a token, ${ratio.toFixed(2)} ×, first after ${first.toFixed(1)} ms`,
    );
  }
}

/** Processor time of the 50th message of a chat by that of its 5th. */
async function growth(desk: Answering, chat: string): Promise<number> {
  const cpuMs: number[] = [];
  for (let count = 0; count < 53; count++) cpuMs.push((await measure(desk, chat)).cpuMs);
  const around = (message: number): number => median(cpuMs.slice(message - 3, message + 2));
  return around(50) / around(5);
}

const folder = mkdtempSync(join(tmpdir(), "millrace-bench-"));
const desk = await durableChat({ tokens: 100, tokenMs: 0 }, sqliteStore(join(folder, "runs.db")));
const grown: number[] = [];
for (let round = 0; round < rounds; round++) grown.push(await growth(desk, `long ${round}`));
await desk.stop();
rmSync(folder, { recursive: true });
console.log(`50th message of a chat over the 5th: ${median(grown.slice(warm)).toFixed(2)} ×`);
