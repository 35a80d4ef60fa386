/** `millrace queues`: what waits for a place, and what holds it up. */
import type { QueueLimitsShown, QueueState } from "@millrace/client/operate";
import { toMs } from "millrace/engine";
import { invalidOption } from "../output/cli-error.js";
import { agoText, durationText, tableText } from "../output/format.js";
import type { Terminal } from "../output/terminal.js";
import { wired } from "../output/wire-names.js";
import { openTarget, withTarget } from "../target/open-target.js";
import type { Target, TargetOptions } from "../target/target.types.js";

interface NameOptions extends TargetOptions {
  readonly name: string;
}

interface LimitOptions extends NameOptions {
  readonly concurrency?: string;
  readonly perKey?: string;
  readonly rate?: string;
}

export async function listQueues(
  terminal: Terminal,
  options: TargetOptions & { readonly name?: string },
): Promise<number> {
  const { name } = options;
  return withTarget(openTarget(terminal, options), async (target) => {
    if (name !== undefined) return show(terminal, known(await target.operator.queues.get(name), name), true);
    const queues = await target.operator.queues.list();
    if (terminal.isJson) {
      terminal.json({ queues: queues.map(recordOf) });
      return 0;
    }
    const rows = queues.map((queue) => cellsOf(queue, Date.now()));
    const heads = ["QUEUE", "", "WAITING", "OLDEST", "PLACES", "LIMITS", "WORKERS"];
    for (const line of tableText(rows.length === 0 ? [] : [heads, ...rows], terminal.columns)) terminal.line(line);
    if (queues.length === 0) terminal.note(`No living process names a queue in ${target.name}.`);
    return 0;
  });
}

type Change = (queues: Target["operator"]["queues"], name: string) => Promise<QueueState>;

const changing =
  (change: Change) =>
  (terminal: Terminal, options: NameOptions): Promise<number> =>
    withTarget(openTarget(terminal, options), async ({ operator: { queues } }) => {
      return show(terminal, await change(queues, options.name), false);
    });

export const pauseQueue = changing((queues, name) => queues.pause(name));
export const resumeQueue = changing((queues, name) => queues.resume(name));
export const resetQueue = changing((queues, name) => queues.reset(name));

export function limitQueue(terminal: Terminal, options: LimitOptions): Promise<number> {
  const limits = limitsOf(options);
  return changing((queues, name) => queues.limit(name, limits))(terminal, options);
}

/** @throws {CliError} `OPTION_INVALID` with all problems. */
export function limitsOf({ concurrency, perKey, rate }: Omit<LimitOptions, "name">): Partial<QueueLimitsShown> {
  const problems: string[] = [];
  const size = (option: string, text: string): number | null => {
    if (text === "none") return null;
    if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
    problems.push(`\`--${option}\` is ${JSON.stringify(text)}, neither a whole number from 1 nor \`none\``);
    return null;
  };
  const limits = {
    ...(concurrency !== undefined && { concurrency: size("concurrency", concurrency) }),
    ...(perKey !== undefined && { perKey: size("per-key", perKey) }),
    ...(rate !== undefined && { rate: rateOf(rate, problems) }),
  };
  if (Object.keys(limits).length === 0) problems.push("no limit is given");
  if (problems.length === 0) return limits;
  throw invalidOption(
    `The limits are wrong: ${problems.join("; ")}.`,
    "Pass --concurrency 8, --per-key 1, --rate 500/1m, or `none` for one of them.",
  );
}

function rateOf(text: string, problems: string[]): QueueLimitsShown["rate"] {
  if (text === "none") return null;
  const [, limit, per] = /^([1-9]\d{0,14})\/(\d+(?:\.\d+)?\s?(?:ms|s|m|h|d))$/.exec(text) ?? [];
  if (limit !== undefined && per !== undefined)
    return { limit: Number(limit), perMs: Math.ceil(toMs(per as "1m", "rate")) };
  problems.push(`\`--rate\` is ${JSON.stringify(text)}, which is not such as 500/1m`);
  return null;
}

function known(queue: QueueState | null, name: string): QueueState {
  if (queue !== null) return queue;
  throw invalidOption(`No living process names a queue "${name}".`, "`millrace queues` lists the queues.");
}

function show(terminal: Terminal, queue: QueueState, hasKeys: boolean): number {
  if (terminal.isJson) {
    terminal.json(recordOf(queue));
    return 0;
  }
  const nowMs = Date.now();
  const { name, paused, waiting, placed, workers, changedAtMs, changedBy, keys } = queue;
  const facts = [
    ["state", paused ? terminal.paint("yellow", "paused") : "open"],
    ["waiting", `${waiting}${oldestText(queue, nowMs)}`],
    ["places", String(placed)],
    ["limits", limitText(queue.limits)],
    ...(changedAtMs === null
      ? []
      : [["configured", queue.configured === null ? "nowhere" : limitText(queue.configured)]]),
    ...(changedAtMs === null ? [] : [["changed", `${agoText(changedAtMs, nowMs)}${byText(changedBy)}`]]),
    ["workers", workers === 0 ? terminal.paint("red", "none: nobody takes its runs") : String(workers)],
  ];
  terminal.line(terminal.paint("bold", name));
  for (const line of tableText(facts, terminal.columns)) terminal.line(line);
  const rows = keys.map((key) => [
    key.key === "" ? "(no key)" : key.key,
    `${key.waiting}${oldestText(key, nowMs)}`,
    String(key.placed),
  ]);
  if (!hasKeys || rows.length === 0) return 0;
  terminal.line();
  for (const line of tableText([["KEY", "WAITING", "PLACES"], ...rows], terminal.columns)) terminal.line(line);
  return 0;
}

function cellsOf(queue: QueueState, nowMs: number): string[] {
  const { name, paused, waiting, placed, oldestAtMs, workers, limits } = queue;
  const oldest = oldestAtMs === null ? "" : durationText(nowMs - oldestAtMs);
  return [name, paused ? "paused" : "", String(waiting), oldest, String(placed), limitText(limits), String(workers)];
}

function oldestText({ oldestAtMs }: Pick<QueueState, "oldestAtMs">, nowMs: number): string {
  return oldestAtMs === null ? "" : `, the oldest for ${durationText(nowMs - oldestAtMs)}`;
}

export function byText(by: QueueState["changedBy"]): string {
  if (by === null) return "";
  return ` by ${by.user ?? "somebody"} through ${by.door}`;
}

function limitText({ concurrency, perKey, rate }: QueueLimitsShown): string {
  const parts = [
    concurrency === null ? "" : `${concurrency} at once`,
    perKey === null ? "" : `${perKey} per key`,
    rate === null ? "" : `${rate.limit} in ${durationText(rate.perMs)}`,
  ];
  return parts.filter(Boolean).join(", ") || "none";
}

function recordOf({ limits, configured, keys, ...queue }: QueueState): object {
  const wire = ({ concurrency, perKey, rate }: QueueLimitsShown): object => ({
    concurrency,
    per_key: perKey,
    rate: rate && { limit: rate.limit, per_ms: rate.perMs },
  });
  return { ...wired(queue), limits: wire(limits), configured: configured && wire(configured), keys: keys.map(wired) };
}
