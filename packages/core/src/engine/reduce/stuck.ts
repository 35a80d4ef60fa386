/**
 * Finds out why a run can never end: what it would need, and which events led to nothing.
 *
 * @module
 */

import type { Routing } from "../routing.js";
import type { Failure, Leftover, RunState } from "../state.js";
import type { Work } from "./work.js";

/** Keeps the first event that led to nothing at a step, so that a run in an endless loop does not collect more. */
export function noteLeftover(state: RunState, leftover: Leftover): void {
  state.unused ??= { unfired: new Set(), leftovers: new Map() };
  const { leftovers } = state.unused;
  const known = leftovers.get(leftover.step);
  if (known === undefined || (known.kind === "nothing" && leftover.kind !== "nothing"))
    leftovers.set(leftover.step, leftover);
}

export function stuck({ state, routing }: Work): Failure {
  const unfired = [...(state.unused?.unfired ?? [])].filter(
    (step) => routing.steps.has(step) && (state.unused?.leftovers.get(step)?.kind ?? "nothing") === "nothing",
  );
  const leftovers = [...(state.unused?.leftovers.values() ?? [])];
  const silent = leftovers.flatMap(({ kind, step }) => (kind === "nothing" ? [step] : []));
  const missing = [
    ...[...(state.joins?.values() ?? [])].map(
      (join) => `the join "${join.step}" has ${[...join.arrivals.keys()].join(", ")} and not the rest`,
    ),
    ...leftovers.flatMap((leftover) => (leftover.kind === "nothing" ? [] : [describe(leftover, routing)])),
    ...unfired.map((step) => `the collect step "${step}" has had no batch: no fan-out led to it`),
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
  if (fanOut)
    return `step "${step}", which emits many(${fanOut.elements.join(", ")}), returned no element, and no step collects them`;
  return `step "${step}", which emits ${emits.join(", ") || "nothing now"}, returned nothing`;
}

function describe(leftover: Exclude<Leftover, { readonly kind: "nothing" }>, { steps }: Routing): string {
  const { step } = leftover;
  if (leftover.kind === "fanOut") {
    const elements = steps.get(step)?.fanOut?.elements.join(", ") ?? "";
    return `step "${step}", which emits many(${elements}), returned nothing: return [] for an empty fan-out`;
  }
  if (leftover.kind === "collect")
    return `${leftover.arrived} came to the collect step "${step}" outside of the fan-outs that it gathers`;
  const missing = leftover.missing.length > 0 ? `nothing for ${leftover.missing.join(", ")}` : "not the rest";
  return `the join "${step}" got ${leftover.arrived.join(", ")} and ${missing} before its fan-out closed`;
}
