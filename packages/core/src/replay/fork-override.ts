/** What a fork gives to one call of `ctx.run` that has not ended yet. */
import { beginEffect } from "../engine/reduce/effects.js";
import type { EffectRecord, RunState, WorkItem } from "../engine/state.js";
import { placesOf } from "../run/attempt/call-places.js";
import { formatValue } from "../value/format-value.js";
import { copyJson } from "../value/guard.js";
import { isPlainObject } from "../value/kind.js";
import { wrongOption } from "../value/options.js";
import type { CallOverride } from "./fork.types.js";

/**
 * Changes the state of the fork before anything of it is stored.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for a call that has ended, or an item that is not at work; `VALUE_UNSERIALIZABLE`.
 */
export function overrideCall(state: RunState, given: CallOverride): void {
  const { item: id, call, value } = checked(given);
  const item = state.items.get(id);
  if (item === undefined || item.status === "failed")
    throw wrong(`names the item ${id}, which is not at work after that tick`);
  const override = copyJson(value, { path: "override.value", code: "VALUE_UNSERIALIZABLE", freeze: true }) as object;
  Object.assign(recordOf(item, call, state.atMs), { override });
}

function checked(given: CallOverride): CallOverride {
  if (typeof given !== "object" || given === null)
    throw wrong(`is ${formatValue(given)}; it must be \`{ item, call, value }\``);
  const { item, call, value } = given;
  if (!Number.isInteger(item)) throw wrong(`has \`item: ${formatValue(item)}\`; it must be the id of a work item`);
  if (typeof call !== "string" || placesOf(call).at(-1)?.kind !== "run")
    throw wrong(`has \`call: ${formatValue(call)}\`; it must be the id of a call of \`ctx.run\``);
  if (typeof value !== "object" || value === null || !isPlainObject(value))
    throw wrong(`has \`value: ${formatValue(value)}\`; it must be an object of plain JSON`);
  return given;
}

/** The record of a call that has begun, or a new one of a call whose first attempt is still to come. */
function recordOf(item: WorkItem, call: string, atMs: number): EffectRecord {
  const known = item.calls?.get(call);
  if (known === undefined) return Object.assign(beginEffect(item, { call }, atMs), { sinceMs: -1 });
  if (known.kind === "effect" && known.status !== "failed" && known.status !== "closed") return known;
  throw wrong(`names the call ${JSON.stringify(call)} of item ${item.id}, which had ended by that tick`);
}

function wrong(what: string): Error {
  return wrongOption(
    "override",
    what,
    "Take `item` and `call` from `runtime.attempts(runId)`, and a tick before its `startedTick`.",
  );
}
