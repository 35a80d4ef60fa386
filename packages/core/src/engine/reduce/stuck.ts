/**
 * Finds out why a run can never end: what it would need, and which events led to nothing.
 *
 * @module
 */

import { optionalModules } from "../optional-modules.js";
import type { Routing } from "../routing.js";
import type { Failure, Leftover, RunState } from "../state.js";
import type { Reduction } from "./reduction.js";

/** Keeps the first event that led to nothing at a step, so that a run in an endless loop does not collect more. */
export function noteLeftover(state: RunState, leftover: Leftover): void {
  state.unused ??= { unfired: new Set(), leftovers: new Map() };
  const { leftovers } = state.unused;
  const known = leftovers.get(leftover.step);
  if (known === undefined || (known.kind === "nothing" && leftover.kind !== "nothing"))
    leftovers.set(leftover.step, leftover);
}

export function stuck(reduction: Reduction): Failure {
  const { state, routing } = reduction;
  const silent = leftoversOf(reduction, "nothing").map(({ step }) => step);
  const missing = [
    ...(optionalModules.join?.missing(reduction) ?? []),
    ...(optionalModules.fanOuts?.missing(reduction) ?? []),
    ...(optionalModules.collect?.missing(reduction) ?? []),
    ...[...(state.sets?.entries() ?? [])].map(
      ([key, events]) => `collectEvents "${key}" has ${events.length} of its events`,
    ),
  ];
  const message = `Run "${state.runId}" of "${state.workflow}" can never end: no step is left to run, no StopEvent came, and nothing is waited for${
    missing.length > 0 ? `; ${missing.join("; ")}` : ""
  }${silent.map((step) => `; ${nothingOf(step, routing)}`).join("")}.`;
  return {
    stepName: null,
    error: {
      name: "WorkflowError",
      code: "RUN_STUCK",
      message,
      hint: "Return a StopEvent on every path, or wait for an event from outside.",
      details: { runId: state.runId, missing, ...(silent.length > 0 && { returnedNothing: silent }) },
    },
    attempts: 0,
    elapsedMs: state.atMs - state.startedAtMs,
    failedAtMs: state.atMs,
    input: [],
  };
}

function nothingOf(step: string, { steps }: Routing): string {
  const { emits, fanOut } = steps.get(step) ?? { emits: [], fanOut: null };
  const reason = fanOut && optionalModules.fanOuts?.noneOf(step, fanOut.elements);
  return reason ?? `step "${step}", which emits ${emits.join(", ") || "nothing now"}, returned nothing`;
}

export function leftoversOf<Kind extends Leftover["kind"]>(
  { state }: Reduction,
  kind: Kind,
): Extract<Leftover, { readonly kind: Kind }>[] {
  return [...(state.unused?.leftovers.values() ?? [])].filter((leftover) => leftover.kind === kind) as never;
}
