/**
 * Ticks of a run and its children as the text of a batch, and back.
 *
 * A batch is a list. An entry is a tick of the run (see `short-tick.ts`), `{ run, path, tick }` for one of a child, or `{ code, version }`: from here on the run
 * has the code of that hash, in a program of that version, if it has one. Numbers of ticks count the first two. The path names the workflow of the child for a
 * reader who begins in the middle.
 *
 * @module
 */

import { WorkflowError } from "../../errors/workflow-error.js";
import {
  type CompiledWorkflow,
  type EncodedTick,
  type EventData,
  encodeOutcome,
  encodeTick,
  type LiveRunCore,
  type Outcome,
  roleOf,
  type StepCompleted,
  type Tick,
  type WorkflowEvent,
} from "../../host.js";
import { shortTick, wholeTick } from "./short-tick.js";

const writeLess = "Return, send and write less at once, or keep large data elsewhere and its address in the run.";

export type JournalEntry =
  | { readonly kind: "tick"; readonly child: ChildPlace | null; readonly json: EncodedTick }
  | { readonly kind: "code"; readonly hash: string };

/** The child that a tick is about. */
export interface ChildPlace {
  readonly runId: string;
  /** Names of children, from the root. */
  readonly path: readonly string[];
}

export function tickText(tick: Tick, compiled: CompiledWorkflow): string {
  const short = shortTick(encodeTick(tick, compiled));
  try {
    return tick.type === "step.completed" && isResult(tick.output)
      ? endText(tick.output, short)
      : JSON.stringify(short);
  } catch (cause) {
    // Each value fits, but all together do not: engines hold about 500 million characters in one text.
    throw new WorkflowError({
      code: "VALUE_UNSERIALIZABLE",
      message: `${tick.type} is more than one text can hold, which cannot be stored.`,
      hint: writeLess,
      details: { path: tick.type },
      cause,
    });
  }
}

/** Texts of results that the summary of a run repeats: a result may be nearly all that the run stores. */
const results = new WeakMap<object, string>();

function isResult(output: StepCompleted["output"]): output is EventData {
  return output !== null && !Array.isArray(output) && roleOf(output as WorkflowEvent) === "stop";
}

function endText(result: EventData, short: object): string {
  const { output, ...rest } = short as { readonly output: unknown };
  const text = JSON.stringify(output);
  results.set(result, text);
  return `${JSON.stringify(rest).slice(0, -1)},"output":${text}}`;
}

/** How a run ended. The text of its result is that of the tick. */
export function outcomeText(outcome: Outcome, compiled: CompiledWorkflow): string {
  if (outcome.status !== "completed") return JSON.stringify(encodeOutcome(outcome, compiled));
  const text = results.get(outcome.event);
  results.delete(outcome.event); // it is asked once, and the event may live long
  return text === undefined
    ? JSON.stringify(encodeOutcome(outcome, compiled))
    : `{"status":"completed","event":${text}}`;
}

/** Error for a tick that is longer than the store of the run allows. */
export function tickTooLong({ type }: Tick, length: number, most: number): WorkflowError {
  return new WorkflowError({
    code: "VALUE_UNSERIALIZABLE",
    message: `${type} has ${length} characters of JSON; the store of this run accepts at most ${most} per tick.`,
    hint: writeLess,
    details: { path: type, length, most },
  });
}

/** @param child `null` for the run itself. */
export function entryText(text: string, child: ChildPlace | null): string {
  if (child === null) return text;
  return `{"run":${JSON.stringify(child.runId)},"path":${JSON.stringify(child.path)},"tick":${text}}`;
}

/** @param version Of the program; `null` if it has none. */
export function codeText(hash: string, version: string | null): string {
  return JSON.stringify({ code: hash, ...(version !== null && { version }) });
}

/** @throws {WorkflowError} `JOURNAL_CORRUPT` naming the run and the batch. */
export function readBatch(list: unknown, where: string): JournalEntry[] {
  if (!Array.isArray(list)) throw corrupt(where, "is not a list of ticks");
  return list.map((entry: unknown, index) => {
    const fields = (entry ?? {}) as { readonly [name: string]: unknown };
    if (typeof fields["type"] === "string") return { kind: "tick", child: null, json: wholeTick(fields) };
    if (typeof fields["code"] === "string") return { kind: "code", hash: fields["code"] };
    const { run, path, tick } = fields;
    if (typeof run === "string" && isPath(path) && typeof tick === "object") {
      const json = wholeTick((tick ?? {}) as { readonly [name: string]: unknown });
      return { kind: "tick", child: { runId: run, path }, json };
    }
    throw corrupt(where, `has an entry ${index} that is not a tick`);
  });
}

function isPath(path: unknown): path is readonly string[] {
  return Array.isArray(path) && path.length > 0 && path.every((name) => typeof name === "string");
}

export function parseJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw corrupt(where, "is not JSON", cause);
  }
}

export function corrupt(where: string, what: string, cause?: unknown): WorkflowError {
  return new WorkflowError({
    code: "JOURNAL_CORRUPT",
    message: `What is stored of ${where} ${what}.`,
    hint: "The store was changed by another program: restore it from a backup, or delete the run with `runtime.delete(runId)`.",
    details: { where },
    ...(cause !== undefined && { cause }),
  });
}

/** `null` for the root of the tree. */
export function placeOfChild(runner: LiveRunCore): ChildPlace | null {
  const path: string[] = [];
  for (let link = runner.parent; link !== null; link = link.run.parent) path.unshift(link.name);
  return path.length === 0 ? null : { runId: runner.state.runId, path };
}
