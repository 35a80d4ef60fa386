/**
 * Cost of a token, time to the first one, what an answer of 2,000 tokens leaves in a store, and whether later rounds take longer:
 * `pnpm --filter @millrace/agents bench`.
 */

import { AgentRuns, type Answered, bareAnswer, speaker, type Taken, tokens } from "./measure.ts";
import { agentGrowth, bareGrowth } from "./rounds.ts";

const rounds = 11;
const warm = 3;

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((one, other) => one - other)[numbers.length >> 1] ?? Number.NaN;

const of = (takens: readonly Taken[], field: keyof Taken): number =>
  median(takens.slice(warm).map((taken) => taken[field]));

await using memory = await new AgentRuns("memory", speaker()).start();
await using sqlite = await new AgentRuns("sqlite", speaker()).start();
const [bare, inMemory, onDisk]: [Taken[], Answered[], Answered[]] = [[], [], []];
let size = 0;
for (let round = 0; round < rounds; round++) {
  bare.push(await bareAnswer(speaker()));
  inMemory.push(await memory.answer());
  onDisk.push(await sqlite.answer());
  if (round === 0) size = sqlite.stored(); // each other answer says the same, and so stores less
}
const rows = { streamText: bare, "agent in memory": inMemory, "agent on SQLite": onDisk };
for (const [name, takens] of Object.entries(rows)) {
  const perToken = (of(takens, "cpuMs") / tokens) * 1000;
  const ratio = median(takens.slice(warm).map((taken, at) => taken.cpuMs / (bare[warm + at] as Taken).cpuMs));
  console.log(
    name.padEnd(16),
    `${perToken.toFixed(1)} µs a token, ${ratio.toFixed(2)} ×,`,
    `first token after ${of(takens, "firstMs").toFixed(1)} ms`,
  );
}
console.log(`an answer of 14 kB: ${size} bytes stored`);
await using slow = await new AgentRuns("sqlite", speaker(5)).start();
const [slowBare, slowRun] = [await bareAnswer(speaker(5)), await slow.answer()];
console.log(
  `at 5 ms a token: ${slowRun.ticks} ticks, CPU ${slowRun.cpuMs.toFixed(0)} ms over ${slowBare.cpuMs.toFixed(0)} ms`,
);
const [bareRounds, agentRounds]: [number[], number[]] = [[], []];
for (let round = 0; round < rounds + warm; round++) {
  bareRounds.push(await bareGrowth());
  agentRounds.push(await agentGrowth());
}
const [ofBare, ofAgent] = [bareRounds, agentRounds].map((found) => median(found.slice(warm)).toFixed(2));
console.log(`50th round over the 5th: ${ofAgent} ×, by streamText itself ${ofBare} ×`);
