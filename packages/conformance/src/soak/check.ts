/** What must hold after a soak: read from the tables, from the notes of the processes, and through a fresh runtime. */
import { createRuntime, type HistoryEntry, type MeasureKind, type RunStore, type Runtime } from "millrace/runtime";
import { checkRows, type RunRow } from "./check-rows.js";
import { type NoteKinds, Notes, notesBy } from "./notes.js";
import { expectedResult, itemsOfRun, nudgeOf, type OrderResult, workflowsOf } from "./order.js";
import type { OtherKind } from "./other-kind.types.js";

export interface CheckReport {
  /** Empty: everything holds. */
  readonly problems: readonly string[];
  readonly completed: number;
  readonly ticks: number;
  readonly events: number;
  /** The highest epoch of a run: how often the unluckiest changed hands. */
  readonly epochs: number;
  readonly effects: number;
  /** Happened again, because the process died before the result was stored. */
  readonly effectsAgain: number;
  readonly receipts: number;
  readonly commits: number;
  /** Commits that a former owner tried. */
  readonly refusedCommits: number;
  readonly errors: readonly string[];
}

export interface CheckOptions {
  readonly store: RunStore;
  readonly rows: readonly RunRow[];
  readonly directory: string;
  readonly runs: number;
  readonly other: OtherKind | null;
}

interface Facts {
  /** By token. */
  readonly effects: Map<string, NoteKinds["effects"][]>;
  /** By run. */
  readonly receipts: Map<string, NoteKinds["receipts"][]>;
  /** Of all runs. */
  readonly tokens: Set<string>;
  /** Of each run that has completed: how many attempts its journal ends. */
  readonly ends: number[];
}

export async function checkAll({ store, rows, directory, runs: expected, other }: CheckOptions): Promise<CheckReport> {
  const notes = new Notes(directory);
  const problems: string[] = [];
  const commits = notes.all("commits");
  checkRows(rows, commits, problems);
  if (rows.length !== expected) problems.push(`${rows.length} runs are stored, not ${expected}`);
  const effects = notes.all("effects");
  const receipts = notes.all("receipts");
  const facts: Facts = {
    effects: notesBy(effects, ({ token }) => token),
    receipts: notesBy(receipts, ({ runId }) => runId),
    tokens: new Set(),
    ends: [],
  };
  await checkRuns(store, rows, { facts, problems, other });
  return {
    problems,
    completed: rows.filter(({ status }) => status === "completed").length,
    ticks: rows.reduce((sum, { ticks }) => sum + ticks, 0),
    events: rows.reduce((sum, { last_event }) => sum + last_event + 1, 0),
    epochs: Math.max(...rows.map(({ epoch }) => epoch)),
    effects: facts.tokens.size,
    effectsAgain: effects.length - facts.tokens.size,
    receipts: receipts.length,
    commits: commits.filter(({ status }) => status === "stored").length,
    refusedCommits: commits.filter(({ status }) => status === "fenced").length,
    errors: notes.all("errors").map(({ text }) => text),
  };
}

interface Findings {
  readonly facts: Facts;
  readonly problems: string[];
  readonly other: OtherKind | null;
}

async function checkRuns(store: RunStore, rows: readonly RunRow[], { problems, ...found }: Findings): Promise<void> {
  const nothing = { delay: async () => {}, effect: async () => "none" };
  const { other } = found;
  const workflows = { ...workflowsOf(nothing), ...(other === null ? {} : { other: other.workflow }) };
  const runtime = createRuntime({ workflows, store });
  try {
    const left = await runtime.start();
    if (left !== 0) problems.push(`${left} runs were still to be done`);
    await checkCounted(store, rows, problems);
    for (const row of rows) {
      const ofRun: string[] = [];
      if (row.status === "completed") await checkRun(runtime, row, { ...found, problems: ofRun });
      problems.push(...ofRun.map((problem) => `${row.run_id}: ${problem}`));
    }
    await checkAttempts(store, found.facts, problems);
  } finally {
    await runtime.stop({ drainMs: 0 });
  }
}

/** How often something has ended, as the store counts it. */
async function countedOf(store: RunStore, kind: MeasureKind): Promise<number> {
  const rows = await store.statistics?.({ tenant: "", kind, fromSlot: 0, toSlot: 1e9, slots: 1e9 });
  return rows?.reduce((sum, { count }) => sum + count, 0) ?? 0;
}

async function checkCounted(store: RunStore, rows: readonly RunRow[], problems: string[]): Promise<void> {
  const ended = rows.filter(({ status }) => status === "completed").length;
  const counted = await countedOf(store, "runs");
  if (counted !== ended) problems.push(`${counted} ends of runs are counted, and ${ended} runs have ended`);
}

async function checkAttempts(store: RunStore, { ends }: Facts, problems: string[]): Promise<void> {
  const ended = ends.reduce((sum, count) => sum + count, 0);
  const counted = await countedOf(store, "attempts");
  if (counted !== ended) problems.push(`${counted} ends of attempts are counted, and ${ended} are in the journals`);
}

async function checkRun(runtime: Runtime, row: RunRow, findings: Findings): Promise<void> {
  const { problems, other } = findings;
  const history: HistoryEntry[] = [];
  for await (const entry of runtime.history(row.run_id)) history.push(entry);
  const n = Number(row.run_id.split("-")[1]);
  if (other !== null && row.run_id.startsWith("other")) {
    const checked = other.check(await runtime.handle(row.run_id), n);
    problems.push(...checked.problems);
    checkTokens(checked.tokens, findings);
  } else {
    await checkOrder(runtime, { row, n, history }, findings);
  }
  for (const position of row.unanswered)
    if (history.some(({ tick }) => tick.type === "event.received" && tick.ticket === -position))
      problems.push(`accepted the event of post ${position}, and answered its sender that it had ended`);
  findings.facts.ends.push(history.filter(({ tick }) => /^step\.(completed|failed)$/.test(tick.type)).length);
  if (history.at(-1)?.number !== row.ticks) problems.push(`the history ends at ${history.at(-1)?.number}`);
  const streamed = await runtime.handle(row.run_id).streamEvents().toArray();
  const sequences = streamed.map(({ sequence }) => sequence);
  expectSame([sequences, [...sequences.keys()]], "sequences of the stream", problems);
  expectSame([streamed.at(-1)?.event.type, "StopEvent"], "last event of the stream", problems);
}

async function checkOrder(
  runtime: Runtime,
  { row, n, history }: { readonly row: RunRow; readonly n: number; readonly history: readonly HistoryEntry[] },
  findings: Findings,
): Promise<void> {
  const { facts, problems } = findings;
  const { tokens, audit, ...counted } = await runtime.handle<OrderResult>(row.run_id);
  expectSame([counted, expectedResult(n)], "result", problems);
  const audited = { n: audit.n, visits: audit.visits, tokens: tokens.length };
  expectSame([audited, { n, visits: 1, tokens: itemsOfRun }], "audit and tokens", problems);
  const recorded = history.flatMap(({ tick }) => (tick.type === "effect.recorded" ? [String(tick.value)] : []));
  expectSame([[...recorded].sort(), [...tokens, audit.token].sort()], "recorded effects", problems);
  checkTokens(recorded, findings);
  checkEvents(history, { n, receipts: facts.receipts.get(row.run_id) ?? [] }, problems);
}

/** Each was made by one side effect only. */
function checkTokens(recorded: readonly string[], { facts, problems }: Findings): void {
  const keys = new Set<string>();
  for (const token of recorded) {
    if (facts.tokens.has(token)) problems.push(`the effect ${token} is recorded twice`);
    facts.tokens.add(token);
    const key = [...new Set(facts.effects.get(token)?.map((effect) => `${effect.runId} ${effect.key}`))];
    if (key.length !== 1) problems.push(`the effect ${token} happened with the keys ${key.join(", ") || "of nothing"}`);
    if (keys.has(String(key[0]))) problems.push(`the effect of the key ${key[0]} is recorded twice`);
    keys.add(String(key[0]));
  }
}

/** All that was acknowledged is there, and what had a key is there once. */
function checkEvents(
  history: readonly HistoryEntry[],
  { n, receipts }: { readonly n: number; readonly receipts: readonly NoteKinds["receipts"][] },
  problems: string[],
): void {
  const received = history.flatMap(({ tick }) => (tick.type === "event.received" ? [JSON.stringify(tick.event)] : []));
  for (const receipt of receipts.filter(({ event }) => !event.startsWith("nudge"))) {
    const times = received.filter((event) => event.includes(receipt.event)).length;
    if (times !== 1) problems.push(`the acknowledged event ${receipt.event} is there ${times} times`);
  }
  for (const round of [1, 2]) {
    const { value } = nudgeOf(n, round);
    const times = received.filter((event) => event.includes(`"value":${value}`)).length;
    if (times !== 1) problems.push(`nudge ${round} is there ${times} times`);
  }
}

function expectSame(both: readonly [actual: unknown, expected: unknown], what: string, problems: string[]): void {
  const [one, other] = both.map((value) => JSON.stringify(value));
  if (one !== other) problems.push(`${what}: ${one} is not ${other}`);
}
