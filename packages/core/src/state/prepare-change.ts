/**
 * Prepares changes of a state: checks them against the schema and the limits.
 *
 * Paths into the state: `"user.tags.0"`, or the list of its keys, `["user", "tags", 0]`, in which a key may have dots.
 *
 * They lead through plain objects and arrays. A key is always an own key: `"items"` or `"get"` never means a method.
 *
 * @module
 */
import { invalidOption, WorkflowError } from "../errors/workflow-error.js";
import { freezeContainer, freezeState } from "../value/freeze.js";
import { formatValue, isForbiddenKey, isObject, isRecord } from "../value/kind.js";
import type { ValueType } from "../value/storable.js";
import { finishDraft } from "./finish-draft.js";
import { applyPatches, diffAt, diffState, type StateChange, type StatePatch } from "./patches.js";
import {
  invalid,
  type PreparedChange,
  refuseUnstorable,
  root,
  type StatePlace,
  type StateSchema,
  unstorable,
  type Weight,
} from "./state-schema.js";

const MAX_SEGMENTS = 1000;

/** Dotted text, or a list of keys. */
export type Path = string | readonly (string | number)[];

type Container = Record<string, unknown> | unknown[];

/**
 * The value at a path; `undefined` if there is none.
 *
 * @throws {WorkflowError} `OPTION_INVALID` when the path leads through a value without fields.
 */
export function readPath(state: unknown, path: Path): unknown {
  let value = state;
  const segments = parsePath(path);
  for (const [position, segment] of segments.entries()) {
    if (value === undefined || value === null) return undefined;
    if (!isContainer(value)) {
      const hint = "Read that value, or check its type first.";
      throw pathError(path, through(segments.slice(0, position), value), hint);
    }
    if (!Object.hasOwn(value, segment)) return undefined;
    if (Array.isArray(value) && !isIndex(segment)) return undefined; // "length"
    value = (value as Record<string, unknown>)[segment];
  }
  return value;
}

/** Where a path leads for writing. */
export interface Slot {
  /** The part of the path that is there, and one key more if anything is missing. */
  readonly path: readonly (string | number)[];
  readonly exists: boolean;
  readonly before: unknown;
  /** Value to write there, wrapped in the objects that are missing on the way. */
  readonly after: unknown;
}

/** @throws {WorkflowError} `OPTION_INVALID` when nothing can be written there. */
export function findSlot(state: unknown, path: Path, value: unknown): Slot {
  if (path.length === 0) throw pathError(path, "is empty", "Name a field, or replace the whole state with `setState`.");
  const segments = parsePath(path);
  const steps: (string | number)[] = [];
  let parent = state as Container;
  for (let position = 0; ; position++) {
    const segment = segments[position] as string;
    if (Array.isArray(parent) && !(isIndex(segment) && Number(segment) < parent.length)) {
      throw pathError(
        path,
        `leads to "${segment}" of the array at "${steps.join(".")}", which has ${parent.length} items`,
        "Name an index that exists; to add an item, use `editState` with `push`.",
      );
    }
    steps.push(Array.isArray(parent) ? Number(segment) : segment);
    const exists = Object.hasOwn(parent, segment);
    const before = exists ? (parent as Record<string, unknown>)[segment] : undefined;
    if (position === segments.length - 1 || before === undefined || before === null) {
      const after = segments.slice(position + 1).reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
      return { path: steps, exists, before, after };
    }
    if (!isContainer(before)) {
      throw pathError(path, through(steps, before), "Set that value first, to a plain object or an array.");
    }
    parent = before;
  }
}

function parsePath(path: Path): string[] {
  const segments = typeof path === "string" ? path.split(".") : keysIn(path);
  if (segments.length > MAX_SEGMENTS) {
    throw pathError(
      `${segments.join(".").slice(0, 40)}…`,
      `has ${segments.length} segments; the limit is ${MAX_SEGMENTS}`,
      "Shorten it.",
    );
  }
  const forbidden = segments.find(isForbiddenKey);
  if (forbidden !== undefined) throw pathError(path, `has the forbidden segment "${forbidden}"`, "Use another name.");
  return segments;
}

function keysIn(path: readonly (string | number)[]): string[] {
  const isKey = (key: unknown): boolean => typeof key === "string" || Number.isInteger(key);
  if (Array.isArray(path) && path.every(isKey)) return path.map(String);
  const hint = 'Write it as text, "user.name", or as a list of keys, ["user", "name"].';
  throw pathError(formatValue(path), "is neither a text nor a list of keys", hint);
}

function isContainer(value: unknown): value is Container {
  return Array.isArray(value) || isRecord(value);
}

function isIndex(segment: string): boolean {
  return /^(0|[1-9]\d*)$/.test(segment);
}

function nameOf(value: unknown): string {
  return typeof value === "object"
    ? `an instance of ${(value as object).constructor.name}`
    : `the ${typeof value} ${formatValue(value).slice(0, 40)}`;
}

function through(way: readonly unknown[], value: unknown): string {
  return `leads through "${way.join(".")}", which is ${nameOf(value)}`;
}

function pathError(path: Path, what: string, hint: string): WorkflowError {
  return invalidOption(
    `The state path ${typeof path === "string" ? `"${path}"` : JSON.stringify(path)} ${what}.`,
    hint,
    { option: "path", reason: "path", path },
  );
}

/** Rules that a state must pass. */
export interface StateRules {
  readonly schema: StateSchema | null;
  readonly types: readonly ValueType[];
}

/**
 * The change from one state to another.
 *
 * `next` is `before` with the patches applied, so a replay makes the same state, and unchanged parts are shared.
 *
 * @throws {WorkflowError} `VALUE_UNSERIALIZABLE`, `STATE_INVALID` or `STATE_SCHEMA_CONVERTS`.
 */
export function prepareChange(before: unknown, wanted: unknown, rules: StateRules): PreparedChange {
  if (!isRecord(wanted))
    throw invalid([{ message: "the state is not a plain object" }], "Pass an object with the fields of the state.");
  return checkedChange(before, changeTo(before, wanted, rules), rules);
}

/** Works like {@link prepareChange}, for changes written into a draft of the state. Ends the draft. */
export function prepareEdit(before: unknown, draft: object, rules: StateRules): PreparedChange {
  const { patches, next, fresh } = finishDraft(draft);
  if (patches === null) return checkedChange(before, wholeOf(next, rules), rules);
  if (fresh === null) return checkedChange(before, patchedBy(before, patches, rules), rules);
  const added = measure(before, patches, rules);
  for (const { value } of patches) freezeState(value);
  for (const container of fresh) freezeContainer(container);
  return checkedChange(before, { patches, next, added }, rules);
}

/** Works like {@link prepareChange}, for known patches. */
export function preparePatches(before: unknown, patches: readonly StatePatch[], rules: StateRules): PreparedChange {
  return checkedChange(before, patchedBy(before, patches, rules), rules);
}

/** Works like {@link prepareChange}, for one value. @throws {WorkflowError} `OPTION_INVALID` */
export function prepareWrite(
  before: unknown,
  { path, value }: { path: Path; value: unknown },
  rules: StateRules,
): PreparedChange {
  const slot = findSlot(before, path, value);
  const patches = slot.exists
    ? diffAt(slot.path, slot.before, slot.after)
    : [{ op: "add" as const, path: slot.path, value: slot.after }];
  const change = patchedBy(before, patches, rules);
  try {
    return checkedChange(before, change, rules);
  } catch (error) {
    const mayMeanDot = typeof path === "string" && path.includes(".") && !slot.exists;
    throw mayMeanDot && WorkflowError.is(error, "STATE_INVALID") ? withDotHint(error, path) : error;
  }
}

/** An id with a dot leads to a record that is missing. */
function withDotHint({ code, message, hint, details, cause }: WorkflowError, path: string): WorkflowError {
  const [first, ...rest] = path.split(".");
  const example = JSON.stringify([first, rest.join(".")]);
  return new WorkflowError({
    code,
    message,
    hint: `${hint} A dot in a path begins a field: if a key has one, write the path as a list, such as ${example}.`,
    details,
    cause,
  });
}

function checkedChange(before: unknown, change: PreparedChange, rules: StateRules): PreparedChange {
  const { next } = change;
  if (!rules.schema || next === before) return change;
  const checked = rules.schema.check(next, touchedBy(change, before));
  return checked === next ? change : changeTo(before, checked, rules);
}

/** Names of top-level fields. */
function touchedBy(change: PreparedChange, before: unknown): readonly string[] {
  if (!("patches" in change)) return Object.keys({ ...(before as object), ...(change.next as object) });
  const fields = change.patches.map(({ path }) => String(path[0]));
  return fields.length === 1 ? fields : [...new Set(fields)]; // most edits write one place
}

function changeTo(before: unknown, after: unknown, rules: StateRules): PreparedChange {
  const { patches } = diffState(before, after);
  return patches ? patchedBy(before, patches, rules) : wholeOf(after, rules);
}

function wholeOf(after: unknown, { types }: StateRules): PreparedChange {
  const added = refuseUnstorable(after, root, types);
  return { whole: true, next: freezeState(after), added };
}

function patchedBy(before: unknown, patches: readonly StatePatch[], rules: StateRules): PreparedChange {
  const added = measure(before, patches, rules);
  return { patches, next: applyPatches(before, patches), added };
}

/** @throws {WorkflowError} `VALUE_UNSERIALIZABLE` */
function measure(before: unknown, patches: readonly StatePatch[], { types }: StateRules): Weight {
  let items = 0;
  let characters = 0;
  let isRich = false;
  for (const { op, path, value } of patches) {
    const size = refuseUnstorable(value, placeIn(before, path), types);
    items += size.items + 3; // an entry of a Map is a pair with its two parts
    characters += size.characters + String(path.at(-1)).length;
    isRich ||= size.isRich && op !== "remove";
  }
  return { items, characters, isRich };
}

/** @throws {WorkflowError} `VALUE_UNSERIALIZABLE` where the path ends in a name that no record may have. */
function placeIn(state: unknown, path: readonly (string | number)[]): StatePlace {
  let above = 0;
  let container = state;
  for (const [index, step] of path.entries()) {
    const isMap = container instanceof Map;
    above += isMap ? 2 : 1;
    if (!isMap && isForbiddenKey(String(step)))
      throw unstorable({ path: "", what: "a forbidden key" }, path.slice(0, index + 1));
    container = isMap ? (container as Map<unknown, unknown>).get(step) : (container as never)?.[step];
  }
  return { path, above };
}

/** True for the one value of a change: both are frozen. */
export function isWritten(given: StateChange, value: unknown): boolean {
  return isObject(value) && "patches" in given && given.patches.length === 1 && given.patches[0]?.value === value;
}
