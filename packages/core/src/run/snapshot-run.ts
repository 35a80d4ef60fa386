/**
 * Snapshots of runs with their children, and the runs that are restored from them.
 *
 * @module
 */

import type { ContextDict, FromDictOptions, SnapshotCodec, ToDictOptions } from "../authoring/run-context.types.js";
import { assertShareable, compiledChild } from "../compile/child.js";
import type { CompiledWorkflow } from "../compile/compile.js";
import { optionalModules } from "../engine/optional-modules.js";
import { fanOutFeature } from "../engine/reduce/elements.js";
import { gathering } from "../engine/reduce/gathered.js";
import type { ChildRecord, RunState } from "../engine/state.js";
import { WorkflowError } from "../errors/workflow-error.js";
import { decodeState } from "../snapshot/decode.js";
import { type Around, encodeState } from "../snapshot/encode.js";
import { encodingGathered } from "../snapshot/encode-gathered.js";
import { SNAPSHOT_FORMAT, SNAPSHOT_VERSION, type Snapshot, STORED_VERSION } from "../snapshot/format.js";
import { underWay } from "../snapshot/in-flight.js";
import { namedSteps } from "../snapshot/named-steps.js";
import { checkShape, invalidSnapshot } from "../snapshot/snapshot-errors.js";
import { readSnapshot, type SnapshotJson } from "../snapshot/snapshot-shape.js";
import { freezeState } from "../state/freeze-state.js";
import { copyJson } from "../value/guard.js";
import { isError } from "../value/kind.js";
import { checkOptions } from "../value/known-options.js";
import { assertFunction, assertOption } from "../value/option-value.js";
import { number, object, oneOf, text } from "../value/shape.js";
import type { LiveRunCore } from "./run.types.js";

/** The run of a context, and its children as the snapshot had them. */
export interface RestoredRun {
  readonly state: RunState;
  readonly children: ReadonlyMap<string, RunState> | null;
}

export function encodeRunner(run: LiveRunCore, options: ToDictOptions = {}): ContextDict {
  return encodeRun(run.host.compiled, { state: run.state, children: run.descendants }, options);
}

export function encodeRun(compiled: CompiledWorkflow, run: RestoredRun, options: ToDictOptions = {}): ContextDict {
  checkOptions("toDict", options);
  return seal(encodeTree(compiled, run, {}), options.codec);
}

/** With the work under way, for the journal of a runtime. */
export function encodeStored({ host, state, descendants }: LiveRunCore): Snapshot {
  return encodeTree(host.compiled, { state, children: descendants }, { underWay });
}

function encodeTree(compiled: CompiledWorkflow, run: RestoredRun, around: Omit<Around, "children">): Snapshot {
  const children = run.children === null ? null : encodeChildren(compiled, run, around);
  return encodeState(run.state, compiled, { ...around, children });
}

function encodeChildren(
  compiled: CompiledWorkflow,
  { state, children }: RestoredRun,
  { underWay = null }: Pick<Around, "underWay">,
): Record<string, Snapshot> {
  const encoded: Record<string, Snapshot> = {};
  for (const [, record] of openChildren(state)) {
    const child = children?.get(record.runId);
    if (!child) continue;
    const flow = compiledChild(compiled, record.name, record.runId);
    encoded[record.runId] = encodeTree(flow, { state: child, children }, { underWay, sharesStore: record.sharesStore });
  }
  return encoded;
}

export function* openChildren(state: RunState): Generator<readonly [item: number, record: ChildRecord], void> {
  for (const item of state.items.values()) {
    for (const record of item.calls?.values() ?? [])
      if (record.kind === "child" && record.status === "open") yield [item.id, record];
  }
}

function seal(snapshot: Snapshot, codec: SnapshotCodec | undefined): ContextDict {
  if (codec === undefined) return snapshot as never;
  assertCodec(codec);
  return {
    format: snapshot.format,
    version: snapshot.version,
    codec: codec.name,
    data: codec.encode(JSON.stringify(snapshot)),
  };
}

function assertCodec(codec: Partial<SnapshotCodec> | null): void {
  assertOption(codec?.name && codec.encode && codec.decode, "codec", "a codec");
}

export function restoreRun(compiled: CompiledWorkflow, dict: unknown, options: FromDictOptions = {}): RestoredRun {
  checkOptions("fromDict", options);
  const { codec, migrate } = options;
  if (codec !== undefined) assertCodec(codec);
  if (migrate !== undefined) assertFunction(migrate, "migrate");
  const opened = unseal(dict, { codec, freeze: migrate === undefined });
  const migrated =
    migrate === undefined ? opened : copyJson(migrate(opened as ContextDict), { ...migratedSnapshot, freeze: true });
  const children = new Map<string, RunState>();
  const state = decodeTree({ compiled, children, ids: new Set(), asStored: false }, migrated);
  return { state, children: children.size === 0 ? null : children };
}

/** Restores states as they were stored, for later ticks: they are neither migrated nor checked. The root comes first. */
export function restoreStored(compiled: CompiledWorkflow, dict: unknown): RunState[] {
  const children = new Map<string, RunState>();
  const state = decodeTree({ compiled, children, ids: new Set(), asStored: true }, dict);
  return [state, ...children.values()];
}

const anySnapshot = { path: "The snapshot", code: "SNAPSHOT_HOSTILE" } as const;
const migratedSnapshot = { path: "What `migrate` made of the snapshot", code: "SNAPSHOT_HOSTILE" } as const;

interface Unsealing {
  readonly codec: SnapshotCodec | undefined;
  /** `true`: the result is frozen. */
  readonly freeze: boolean;
}

function unseal(given: unknown, { codec, freeze }: Unsealing): unknown {
  const dict = copyJson(given, { ...anySnapshot, freeze });
  checkFormat(dict, SNAPSHOT_VERSION, "snapshot");
  const { codec: name, data } = dict as { readonly codec?: unknown; readonly data?: unknown };
  if (name === undefined) return dict;
  if (codec === undefined || codec.name !== name) {
    throw invalidSnapshot(
      "snapshot.codec",
      `"${String(name)}", and ${codec === undefined ? "no codec was given" : `the codec given is "${codec.name}"`}`,
    );
  }
  const sealed = checkShape(text, data, "snapshot.data");
  try {
    return copyJson(JSON.parse(codec.decode(sealed)), { ...anySnapshot, freeze });
  } catch (cause) {
    if (WorkflowError.is(cause, "SNAPSHOT_HOSTILE")) throw cause;
    throw invalidSnapshot(
      "snapshot.data",
      `nothing that the codec "${codec.name}" can read (${isError(cause) ? cause.message : String(cause)})`,
    );
  }
}

interface Tree {
  readonly compiled: CompiledWorkflow;
  readonly children: Map<string, RunState>;
  /** Ids of the runs so far, open children among them. */
  readonly ids: Set<string>;
  readonly asStored: boolean;
}

/** The place of a child. */
interface Inside {
  readonly parent: RunState;
  readonly record: ChildRecord;
  /** Names the snapshot of the child in errors. */
  readonly path: string;
}

function decodeTree(tree: Tree, json: unknown, inside: Inside | null = null): RunState {
  const { compiled, children, ids, asStored } = tree;
  const isChild = inside !== null;
  const owner = inside?.record.sharesStore === true ? inside.parent : null;
  const path = inside?.path ?? "snapshot";
  checkFormat(json, asStored ? STORED_VERSION : SNAPSHOT_VERSION, path);
  const dict = readSnapshot(json, { path, asStored });
  // A child has its name in `static children`, a stored run that in the runtime: the name of a class may change with every build.
  if (!isChild && !asStored) checkName(compiled, dict);
  if (!compiled.registry.newer) checkSteps(compiled, dict);
  const state = decodeState(compiled, dict, { path, asStored, owner });
  // The present code may lack `many()` and `collect()`.
  optionalModules.fanOuts = fanOutFeature;
  optionalModules.gathered = gathering;
  optionalModules.snapshot = encodingGathered;
  if (compiled.state !== null && owner === null && !asStored) {
    const checked = compiled.state.checkAll(state.store);
    if (checked !== state.store) state.store = freezeState(checked);
  }
  if (!isChild) ids.add(state.runId);
  for (const [, { runId }] of openChildren(state)) {
    if (ids.has(runId)) throw invalidSnapshot(`${path}.items`, `twice the parent of run "${runId}"`);
    ids.add(runId);
  }
  const nested = new Map(Object.entries(dict.children ?? {}));
  for (const [, record] of openChildren(state)) {
    const { runId, name, sharesStore } = record;
    if (!nested.has(runId)) continue;
    const flow = compiledChild(compiled, name, `${path}.children`);
    if (sharesStore) assertShareable(compiled, flow, name);
    const place = { parent: state, record, path: `${path}.children.${runId}` };
    children.set(runId, decodeTree({ ...tree, compiled: flow }, nested.get(runId), place));
  }
  return state;
}

const marks = object({ format: oneOf(SNAPSHOT_FORMAT), version: number });

/** Checked before the rest: only of a known version is it known what it has. */
function checkFormat(dict: unknown, known: Snapshot["version"], path: string): void {
  const { version } = checkShape(marks, dict, path);
  if (version === SNAPSHOT_VERSION || version === known) return;
  if (!Number.isInteger(version) || version < 1)
    throw invalidSnapshot(`${path}.version`, `${version}, no version there ever was`);
  throw new WorkflowError({
    code: "SNAPSHOT_NEWER",
    message: `The snapshot has version ${version}; this Millrace reads up to ${known}.`,
    hint: "While a deployment is under way, use a process with the newer code; otherwise upgrade millrace here.",
    details: { version, known },
  });
}

function checkName({ name }: CompiledWorkflow, { workflow }: SnapshotJson): void {
  if (workflow === name) return;
  throw new WorkflowError({
    code: "SNAPSHOT_FOREIGN",
    message: `The snapshot is of the workflow "${workflow}", not of "${name}".`,
    hint: "Load it with its own workflow; a renamed one keeps the old `name` in its options, or `migrate` renames it.",
    details: { workflow, expected: name },
  });
}

/** Checks that everything that the snapshot names exists, and reports all that is missing at once. */
function checkSteps({ name, steps, definition }: CompiledWorkflow, dict: SnapshotJson): void {
  const unknown = [...namedSteps(dict, steps.keys())].filter((step) => !steps.has(step));
  if (unknown.length === 0) return;
  throw new WorkflowError({
    code: "SNAPSHOT_MISMATCH",
    message: `The snapshot has work for ${unknown.map((step) => `"${step}"`).join(", ")}, and "${name}" has no such step: ${definition.steps.map((step) => step.name).join(", ")}.`,
    hint: "Keep the old step, or rename it in the snapshot with `migrate`.",
    details: { workflow: name, unknown },
  });
}
