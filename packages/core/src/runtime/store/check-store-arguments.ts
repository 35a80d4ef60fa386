/**
 * Checks the arguments of every call of a store: each must have the type that the contract says.
 *
 * The compiler checks the same types, but not for values that come over HTTP or from plain JavaScript.
 *
 * @module
 */
import { WorkflowError } from "../../errors/workflow-error.js";
import type { RecordKey, RunKey, RunStore } from "./run-store.types.js";

type Check<Name extends keyof RunStore> =
  NonNullable<RunStore[Name]> extends (...args: infer Arguments) => unknown
    ? (door: Door, ...args: Arguments) => void
    : never;

const ofRun = (door: Door, key: RunKey): void => door.texts(key, ["tenant", "runId"]);
const ofRuns = (door: Door, keys: readonly RunKey[]): void => {
  for (const key of keys) ofRun(door, key);
};
const ofRecord = (door: Door, key: RecordKey): void => door.texts(key, ["tenant", "kind", "id"]);

const checks: { readonly [Name in keyof RunStore]?: Check<Name> } = {
  commit(door, commits) {
    for (const { key, create, posts = [] } of commits) {
      ofRun(door, key);
      for (const { idempotencyKey, text } of posts) door.texts({ key: idempotencyKey ?? "", text }, ["key", "text"]);
      if (create === undefined) continue;
      door.texts(create, ["workflow", "input", "code"]);
      door.numbers(create, ["createdAtMs", "startAtMs"]);
      door.labels(create.labels);
      if (create.queue === null) continue;
      door.texts(create.queue, ["name", "key"]);
      door.numbers(create.queue, ["priority"]);
    }
  },
  claim: ofRun,
  run: ofRun,
  snapshot: ofRun,
  ticks: ofRun,
  journals: ofRuns,
  events: ofRun,
  receipt: ofRun,
  received: ofRun,
  post(door, key, { idempotencyKey, text }) {
    ofRun(door, key);
    door.texts({ key: idempotencyKey ?? "", text }, ["key", "text"]);
  },
  delete: ofRuns,
  list(door, { tenant, workflow = "", queue = "", search = "", cursor = "", status = [], labels = {} }) {
    door.texts({ tenant, workflow, queue, search, cursor }, ["tenant", "workflow", "queue", "search", "cursor"]);
    door.each("status", status);
    door.labels(labels);
  },
  counts(door, { tenant, workflow = "", labels = {} }) {
    door.texts({ tenant, workflow }, ["tenant", "workflow"]);
    door.labels(labels);
  },
  record: ofRecord,
  records: (door, { tenant, kind, prefix = "", cursor = "" }) =>
    door.texts({ tenant, kind, prefix, cursor }, ["tenant", "kind", "prefix", "cursor"]),
  writeRecords(door, writes) {
    for (const write of writes) {
      ofRecord(door, write);
      door.numbers(write, ["expected"]);
    }
  },
};

/** @throws {WorkflowError} `OPTION_INVALID` naming all that is of another type. */
export function checkStoreArguments(name: string, args: readonly unknown[]): void {
  const check = checks[name as keyof RunStore] as ((door: Door, ...args: readonly unknown[]) => void) | undefined;
  if (check === undefined) return;
  const door = new Door();
  check(door, ...args);
  door.assertPassed();
}

class Door {
  #problems: string[] | null = null;

  texts<Given extends object>(given: Given, names: readonly (keyof Given & string)[]): void {
    for (const name of names) if (typeof given[name] !== "string") this.#refuse(name, given[name], "a string");
  }

  numbers<Given extends object>(given: Given, names: readonly (keyof Given & string)[]): void {
    for (const name of names) if (!Number.isSafeInteger(given[name])) this.#refuse(name, given[name], "a whole number");
  }

  each(name: string, values: unknown): void {
    if (!Array.isArray(values)) this.#refuse(name, values, "a list of strings");
    else for (const value of values) if (typeof value !== "string") this.#refuse(name, value, "a string");
  }

  labels(labels: unknown): void {
    if (typeof labels !== "object" || labels === null || Array.isArray(labels))
      return this.#refuse("labels", labels, "an object of strings");
    for (const [name, value] of Object.entries(labels))
      if (typeof value !== "string") this.#refuse(`labels.${name}`, value, "a string");
  }

  assertPassed(): void {
    if (this.#problems === null) return;
    throw new WorkflowError({
      code: "OPTION_INVALID",
      message: `The arguments of the store are invalid: ${this.#problems.join("; ")}.`,
      hint: "Check input from outside before you pass it on.",
      details: { problems: this.#problems },
    });
  }

  #refuse(name: string, value: unknown, expected: string): void {
    this.#problems ??= [];
    this.#problems.push(`\`${name}\` is ${nameOf(value)}; it must be ${expected}`);
  }
}

function nameOf(value: unknown): string {
  if (value === undefined) return "missing";
  if (Array.isArray(value)) return "a list";
  return typeof value === "number" || value === null ? String(value) : `of type ${typeof value}`;
}
