/**
 * Ticks of a run and its children as the text of a batch, and back.
 *
 * A batch is a list. An entry is a tick of the run, `{ run, tick }` for one of a child, or `{ code }`: from here on the run has the
 * code of that hash. Numbers of ticks count the first two.
 *
 * @module
 */

import type { Tick } from "../engine/tick.js";
import { WorkflowError } from "../errors/workflow-error.js";
import { type EncodedTick, encodeTick } from "../snapshot/tick-codec.js";
import type { CompiledWorkflow } from "../workflow/compile.js";

export type JournalEntry =
  | { readonly kind: "tick"; readonly runId: string | null; readonly json: EncodedTick }
  | { readonly kind: "code"; readonly hash: string };

export function tickText(tick: Tick, compiled: CompiledWorkflow): string {
  const encoded = encodeTick(tick, compiled);
  try {
    return JSON.stringify(encoded);
  } catch (cause) {
    // Each value fits, and all of them together do not: engines hold some 500 million characters in one text.
    throw new WorkflowError({
      code: "VALUE_UNSERIALIZABLE",
      message: `${tick.type} is more than one text can hold, which cannot be stored.`,
      hint: "Return, send and write less at once, or keep large data elsewhere and its address in the run.",
      details: { path: tick.type },
      cause,
    });
  }
}

/** @param runId Of a child; null for the run itself. */
export function entryText(text: string, runId: string | null): string {
  return runId === null ? text : `{"run":${JSON.stringify(runId)},"tick":${text}}`;
}

export function codeText(hash: string): string {
  return JSON.stringify({ code: hash });
}

/** @throws {WorkflowError} `JOURNAL_CORRUPT` naming the run and the batch. */
export function readBatch(list: unknown, where: string): JournalEntry[] {
  if (!Array.isArray(list)) throw corrupt(where, "is no list of ticks");
  return list.map((entry: unknown, index) => {
    const fields = (entry ?? {}) as { readonly [name: string]: unknown };
    if (typeof fields["type"] === "string") return { kind: "tick", runId: null, json: entry as EncodedTick };
    if (typeof fields["code"] === "string") return { kind: "code", hash: fields["code"] };
    if (typeof fields["run"] === "string" && typeof fields["tick"] === "object")
      return { kind: "tick", runId: fields["run"], json: fields["tick"] as EncodedTick };
    throw corrupt(where, `has an entry ${index} that is no tick`);
  });
}

export function parseJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw corrupt(where, "is no JSON", cause);
  }
}

export function corrupt(where: string, what: string, cause?: unknown): WorkflowError {
  return new WorkflowError({
    code: "JOURNAL_CORRUPT",
    message: `What is stored of ${where} ${what}.`,
    hint: "The store was changed by something else: restore it from a backup, or delete the run with `runtime.delete(runId)`.",
    details: { where },
    ...(cause !== undefined && { cause }),
  });
}
