/**
 * The elements of a fan-out, as a step returns or yields them: an array, or one after the other.
 *
 * @module
 */
import type { FanOutFeature } from "../optional-modules.js";
import type { Routing } from "../routing.js";
import type { EventData, WorkItem } from "../state.js";
import type { StepYielded } from "../tick.js";
import { FAN_OUT_BUFFER, fanOutOf, leaveFanOut, leaveScope, stopGenerator } from "./fan-out.js";
import { remember } from "./open-calls.js";
import { emit } from "./output.js";
import { currentItem, emitCommand, type Reduction } from "./reduction.js";
import { leftoversOf, noteLeftover } from "./stuck.js";

export const fanOutFeature: FanOutFeature = {
  fanOutOf,
  take,
  onStepYielded,
  leaveScope,
  leaveFanOut,
  canEndAlone,
  noneOf,
  missing,
};

function take(reduction: Reduction, item: WorkItem, events: readonly EventData[]): void {
  const scope = fanOutOf(reduction, item, false);
  const { recoveries, step } = item;
  const first = scope.size;
  scope.size += events.length;
  if (scope.size === 0 && isUngathered(reduction, item))
    noteLeftover(reduction.state, { kind: "nothing", step: item.step });
  for (let index = 0; index < events.length; index++) {
    emit(reduction, events[index] as EventData, { scope, index: first + index, recoveries, step });
    if (reduction.state.status !== "running") return;
  }
}

function isUngathered({ routing }: Reduction, { step }: WorkItem): boolean {
  return routing.steps.get(step)?.fanOut?.collects.length === 0;
}

function onStepYielded(reduction: Reduction, tick: StepYielded): void {
  const item = currentItem(reduction, tick);
  if (item === null) return;
  const scope = fanOutOf(reduction, item, true);
  scope.generator = item.id;
  remember(item, { kind: "yield", call: tick.call, digest: tick.digest });
  if (scope.closed) return stopGenerator(reduction, scope);
  emit(reduction, tick.event, { scope, index: scope.size++, recoveries: item.recoveries, step: item.step });
  if (reduction.state.status !== "running" || scope.closed) return;
  if ((scope.pending?.size ?? 0) < FAN_OUT_BUFFER) emitCommand(reduction, { type: "generator.pull", item: item.id });
  else scope.paused = true;
}

function canEndAlone({ steps }: Routing, { fanOut, scope }: WorkItem): boolean {
  for (let around = fanOut ?? scope; around !== null; around = around.parent) {
    for (const name of around.collects) {
      const trigger = steps.get(name)?.trigger;
      if (trigger?.kind === "collect" && (trigger.settle || trigger.rest === "cancel")) return true;
    }
  }
  return false;
}

function noneOf(step: string, elements: readonly string[]): string {
  return `step "${step}", which emits many(${elements.join(", ")}), returned no element, and no step collects them`;
}

function missing(reduction: Reduction): string[] {
  return leftoversOf(reduction, "fanOut").map(({ step }) => {
    const elements = reduction.routing.steps.get(step)?.fanOut?.elements.join(", ") ?? "";
    return `step "${step}", which emits many(${elements}), returned nothing: return [] for an empty fan-out`;
  });
}
