/**
 * The store as the runtime uses it: it checks arguments, and reports calls after its end.
 *
 * @module
 */

import { invalidOption, type WorkflowError } from "../../errors/workflow-error.js";
import { integer, list, mapOf, nullable, object, optional, type Problem, type Shape, text } from "../../value/shape.js";
import type { RunStore } from "./run-store.types.js";
import { runtimeStopped, wrapStore } from "./store-kit.js";

/**
 * The store as the runtime uses it. Arguments are checked for their types, and calls that fail because the runtime has closed the
 * store say so.
 */
export function guardedStore(store: RunStore, isClosed: () => boolean): RunStore {
  return wrapStore(store, (name, method) => {
    if (name === "hash" || name === "watch") return method;
    return async (...args: readonly unknown[]) => {
      if (isClosed()) throw runtimeStopped();
      checkStoreArguments(name, args);
      try {
        return await method(...args);
      } catch (error) {
        throw isClosed() && name !== "close" ? runtimeStopped() : error;
      }
    };
  });
}

// ---- checks of the arguments of every call: each must have the type that the contract says
// The compiler checks the same types, but not for values that come over HTTP or from plain JavaScript.

const maybeText = optional(text);
const labels = mapOf(text);
const run = object({ tenant: text, runId: text });
const record = { tenant: text, kind: text, id: text };
const post = object({ idempotencyKey: optional(nullable(text)), text });
const create = object({
  workflow: text,
  input: text,
  code: text,
  version: optional(nullable(text)),
  createdAtMs: integer,
  startAtMs: integer,
  labels,
  index: optional(mapOf(list(text))),
  queue: nullable(object({ name: text, key: text, priority: integer })),
});

const conditions = {
  tenant: text,
  workflow: maybeText,
  version: maybeText,
  queue: maybeText,
  failure: maybeText,
  failedStep: maybeText,
  status: optional(list(text)),
  labels: optional(labels),
  index: optional(labels),
};

/** The shape of each argument that the caller of a runtime has a part in. */
const shapes: { readonly [Name in keyof RunStore]?: readonly Shape[] } = {
  commit: [list(object({ key: run, create: optional(create), posts: optional(list(post)) }))],
  claim: [run],
  run: [run],
  snapshot: [run],
  ticks: [run],
  journals: [list(run)],
  events: [run],
  receipt: [run],
  received: [run],
  post: [run, post],
  delete: [list(run)],
  list: [object({ ...conditions, search: maybeText, cursor: maybeText })],
  line: [object({ queue: text, of: optional(run) })],
  counts: [object({ tenant: text, workflow: maybeText, labels: optional(labels) })],
  histogram: [object({ ...conditions, fromMs: integer, periodMs: integer, periods: integer })],
  statistics: [
    object({ tenant: text, workflows: optional(list(text)), fromSlot: integer, toSlot: integer, slots: integer }),
  ],
  deleteStatistics: [nullable(text), integer],
  record: [object(record)],
  records: [object({ tenant: text, kind: text, prefix: maybeText, cursor: maybeText })],
  writeRecords: [list(object({ ...record, expected: integer }))],
};

/** @throws {WorkflowError} `OPTION_INVALID` naming all that is of another type. */
function checkStoreArguments(name: string, args: readonly unknown[]): void {
  for (const [index, shape] of (shapes[name as keyof RunStore] ?? []).entries()) {
    const found = shape(args[index]);
    if (found !== null) throw invalid(found);
  }
}

function invalid(found: readonly Problem[]): WorkflowError {
  // Lists are made by the runtime: their indexes say nothing to its caller.
  const problems = found.map(({ path, what }) => `\`${path.replace(/^(\d+\.)+/, "")}\` ${what}`);
  return invalidOption(
    `The arguments of the store are invalid: ${problems.join("; ")}.`,
    "Validate input from outside before you pass it on.",
    { problems },
  );
}
