/** The event whose fields a fork replaces: that of a work item which has not done anything yet. */

import type { CompiledWorkflow } from "../compile/compile.js";
import type { RunState, StepInput } from "../engine/state.js";
import { invalidOption } from "../errors/invalid-option.js";
import type { WorkflowEvent } from "../event/event.js";
import { invalid } from "../event/event-class.js";
import { encodeEvent, eventFromFields } from "../event/event-codec.js";
import { classOf, fieldsOf } from "../event/facts.js";
import { formatValue } from "../value/format-value.js";
import { wrongOption } from "../value/options.js";
import { nearest } from "../value/unknown-names.js";
import type { ForkEdits, PendingDelivery } from "./fork.types.js";
import { pendingDeliveries } from "./item-input.js";

export interface EventEdit {
  readonly event: NonNullable<ForkEdits["event"]>;
  readonly item: number | undefined;
  readonly compiled: CompiledWorkflow;
}

/**
 * Changes the state of the fork before anything of it is stored.
 *
 * @throws {WorkflowError} `OPTION_INVALID` where there is no such event, or more than one, `EVENT_INVALID` with all that is wrong,
 * `VALUE_UNSERIALIZABLE`.
 */
export function replaceEvent(state: RunState, { event: given, item: wanted, compiled }: EventEdit): void {
  const { item: id, step, event } = pick(pendingDeliveries(state), wanted);
  const fields: unknown = typeof given === "function" ? given(event, step) : given;
  const next = withFields(event, fields);
  encodeEvent(next, `${next.type} for step "${step}"`, compiled.types);
  (state.items.get(id) as { input: StepInput }).input = { kind: "event", event: next };
}

function pick(pending: readonly PendingDelivery[], item: number | undefined): PendingDelivery {
  if (item !== undefined) {
    const found = pending.find((one) => one.item === item);
    if (found !== undefined) return found;
    const what = `is ${formatValue(item)}, and no event is delivered to that item next`;
    throw wrongOption("item", what, `Take ${listed(pending)}, or an earlier tick.`);
  }
  const [only] = pending;
  if (only === undefined)
    throw wrongOption(
      "event",
      "is given, and no event is delivered next after that tick",
      "Take a tick after which a step is to get its event: the steps at work there have done something with theirs.",
    );
  if (pending.length === 1) return only;
  throw invalidOption(
    `After that tick ${pending.length} events are delivered next: ${listed(pending)}.`,
    "Say with `item` which one you mean.",
    {
      option: "event",
      reason: "ambiguous",
      items: pending.map(({ item: id, step, event: { type } }) => ({ item: id, step, type })),
    },
  );
}

/** Maximum number of items that an error names. */
const MOST = 10;

function listed(pending: readonly PendingDelivery[]): string {
  if (pending.length === 0) return "none";
  const names = pending.slice(0, MOST).map(({ item, step, event }) => `${item} (${event.type} for "${step}")`);
  return names.join(", ") + (pending.length > MOST ? ", …" : "");
}

/** Fields that are not given stay unchanged: no transform is applied twice. */
function withFields(event: WorkflowEvent, given: unknown): WorkflowEvent {
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw wrongOption("event", "is not an object of fields", "Pass the fields to replace.");
  const fields = fieldsOf(event);
  const next = eventFromFields(classOf(event), { ...fields, ...given });
  const known = fieldsOf(next);
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(known, name) && isGiven(given, name));
  if (unknown.length > 0)
    throw invalid(
      event.type,
      unknown.map((name) => ({ message: noField(name, Object.keys(fields)), path: [name] })),
    );
  const kept = Object.entries(fields).filter(([name]) => Object.hasOwn(next, name) && !Object.hasOwn(given, name));
  return Object.freeze(Object.assign(Object.create(Object.getPrototypeOf(next)), next, Object.fromEntries(kept)));
}

function isGiven(given: object, name: string): boolean {
  return (given as Readonly<Record<string, unknown>>)[name] !== undefined;
}

function noField(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  return near === null ? "there is no such field" : `there is no such field; \`${near}\`?`;
}
