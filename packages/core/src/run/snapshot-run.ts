/**
 * Snapshots of runs with their children, and the runs that are restored from them.
 *
 * @module
 */

import type { ContextDict, FromDictOptions, SnapshotCodec, ToDictOptions } from "../authoring/store.types.js";
import { assertShareable, compiledChild } from "../compile/child.js";
import { type CompiledWorkflow, migrateState } from "../compile/compile.js";
import { optionalModules } from "../engine/optional-modules.js";
import { gathering } from "../engine/reduce/collect.js";
import { fanOutFeature } from "../engine/reduce/fan-out.js";
import type { ChildRecord, RunState } from "../engine/state.js";
import { WorkflowError } from "../errors/workflow-error.js";
import { decodeState } from "../snapshot/decode.js";
import { type Around, encodeState, encodingGathered } from "../snapshot/encode.js";
import { assertFits } from "../snapshot/fit.js";
import { checkShape, invalidSnapshot, SNAPSHOT_VERSION, STORED_VERSION } from "../snapshot/format.js";
import { readSnapshot, type Snapshot, versionIn } from "../snapshot/snapshot-shape.js";
import { copyJson } from "../value/guard.js";
import { isError } from "../value/kind.js";
import { assertFunction, assertOption, checkOptionNames } from "../value/options.js";
import { text } from "../value/shape.js";
import type { LiveRunCore } from "./live-run.js";

/** The run of a context, and its children as the snapshot had them. */
export interface RestoredRun {
  readonly state: RunState;
  readonly children: ReadonlyMap<string, RunState> | null;
}

export function encodeRunner(run: LiveRunCore, options: ToDictOptions = {}): ContextDict {
  return encodeRun(run.host.compiled, { state: run.state, children: run.descendants }, options);
}

export function encodeRun(compiled: CompiledWorkflow, run: RestoredRun, options: ToDictOptions = {}): ContextDict {
  checkOptionNames("toDict", options);
  return seal(encodeTree(compiled, run, {}), options.codec);
}

/** Encodes the run with its work under way, for the journal of a runtime. */
export function encodeStored({ host, state, descendants }: LiveRunCore): Snapshot {
  return encodeTree(host.compiled, { state, children: descendants }, { isStored: true });
}

/** The snapshot of a run with its open children. */
export function encodeTree(
  compiled: CompiledWorkflow,
  { state, children }: RestoredRun,
  around: Omit<Around, "children">,
): Snapshot {
  const encoded: Record<string, Snapshot> = {};
  for (const [, { runId, name, sharesStore }] of children === null ? [] : openChildren(state)) {
    const child = children?.get(runId);
    if (!child) continue;
    const flow = compiledChild(compiled, name, `Run "${state.runId}"`);
    encoded[runId] = encodeTree(flow, { state: child, children }, { ...around, sharesStore });
  }
  return encodeState(state, compiled, { ...around, children: encoded });
}

export function openChildren(state: RunState): readonly (readonly [item: number, record: ChildRecord])[] {
  const open: (readonly [number, ChildRecord])[] = [];
  for (const item of state.items.values()) {
    for (const record of item.calls?.values() ?? [])
      if (record.kind === "child" && record.status === "open") open.push([item.id, record]);
  }
  return open;
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
  checkOptionNames("fromDict", options);
  const { codec, migrate } = options;
  if (codec !== undefined) assertCodec(codec);
  if (migrate !== undefined) assertFunction(migrate, "migrate");
  const opened = unseal(dict, { codec, freeze: migrate === undefined });
  const migrated =
    migrate === undefined ? opened : copyJson(migrate(opened as ContextDict), { ...migratedSnapshot, freeze: true });
  return toPresentCode(decodeTree(compiled, migrated, false));
}

/**
 * Migrates the states of a run and its children, and checks that the code takes what they hold.
 *
 * @throws {WorkflowError} `SNAPSHOT_MISMATCH`, and what `migrateState` throws.
 */
export function toPresentCode(members: readonly VersionedMember[]): RestoredRun {
  for (const member of members) {
    assertFitsCode(member);
    member.state.store = presentStore(member);
  }
  const [root, ...others] = members.map(({ state }) => state) as [RunState, ...RunState[]];
  const children = new Map(others.map((state) => [state.runId, state]));
  return { state: root, children: children.size === 0 ? null : children };
}

export function assertFitsCode({ state, compiled, path }: RunMember): void {
  assertFits(compiled, state, path.length === 0 ? "snapshot" : `snapshot.children.${state.runId}`);
}

/** The store of a run as the present code takes it: migrated, or that of its owner, with which it is migrated. */
export function presentStore({ state, compiled, path, sharesWith, stateVersion }: VersionedMember): unknown {
  if (sharesWith === null) return migrateState(compiled, state.store, stateVersion);
  assertShareable({ parent: sharesWith, child: compiled, name: path.at(-1) as string }, "SNAPSHOT_MISMATCH");
  return state.store;
}

/** Restores states as they were stored, for later ticks: they are neither migrated nor checked against the code. */
export function restoreStored(compiled: CompiledWorkflow, dict: unknown): Members {
  return decodeTree(compiled, dict, true);
}

const anySnapshot = { path: "The snapshot", code: "SNAPSHOT_HOSTILE" } as const;
const migratedSnapshot = { path: "What `migrate` made of the snapshot", code: "SNAPSHOT_HOSTILE" } as const;

interface Unsealing {
  readonly codec: SnapshotCodec | undefined;
  /** `true` if the result is frozen. */
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

/** One run of a tree. */
export interface RunMember {
  readonly state: RunState;
  readonly compiled: CompiledWorkflow;
  /** Names of children, from the root. */
  readonly path: readonly string[];
  /** The workflow of its parent, whose store it shares; `null` for a run with its own store. */
  readonly sharesWith: CompiledWorkflow | null;
}

interface VersionedMember extends RunMember {
  /** Version of its own store. */
  readonly stateVersion: number;
}

/** The root comes first, and parents before their children. */
type Members = readonly [VersionedMember, ...VersionedMember[]];

function decodeTree(compiled: CompiledWorkflow, json: unknown, asStored: boolean): Members {
  const tree: Tree = { asStored, members: [], ids: new Set() };
  const root = decodeMember(tree, json, { compiled, path: [], sharesWith: null, owner: null, where: "snapshot" });
  return [root, ...tree.members.slice(1)];
}

interface Tree {
  readonly asStored: boolean;
  readonly members: VersionedMember[];
  /** Ids of the runs so far, open children among them. */
  readonly ids: Set<string>;
}

interface MemberContext extends Omit<RunMember, "state"> {
  /** Names its snapshot in errors. */
  readonly where: string;
  /** The run whose store it shares. */
  readonly owner: RunState | null;
}

function decodeMember(tree: Tree, json: unknown, { owner, where, ...place }: MemberContext): VersionedMember {
  const { ids, asStored } = tree;
  const { compiled } = place;
  checkFormat(json, asStored ? STORED_VERSION : SNAPSHOT_VERSION, where);
  const dict = readSnapshot(json, where);
  const isRoot = place.path.length === 0;
  // A child has its name in `static children`, a stored run that in the runtime: the name of a class may change with every build.
  if (isRoot && !asStored) checkName(compiled, dict);
  const state = decodeState(compiled, dict, { path: where, owner });
  // The present code may lack `many()` and `collect()`.
  optionalModules.fanOuts = fanOutFeature;
  optionalModules.gathered = gathering;
  optionalModules.snapshot = encodingGathered;
  const member = { ...place, state, stateVersion: dict.stateVersion ?? 1 };
  tree.members.push(member);
  if (isRoot) ids.add(state.runId);
  const records = openChildren(state).map(([, record]) => record);
  for (const { runId } of records) {
    if (ids.has(runId)) throw invalidSnapshot(`${where}.items`, `twice the parent of run "${runId}"`);
    ids.add(runId);
  }
  const nested = new Map(Object.entries(dict.children ?? {}));
  for (const { runId, name, sharesStore } of records) {
    if (!nested.has(runId)) continue;
    decodeMember(tree, nested.get(runId), {
      compiled: compiledChild(compiled, name, `${where}.children`),
      path: [...place.path, name],
      sharesWith: sharesStore ? compiled : null,
      owner: sharesStore ? state : null,
      where: `${where}.children.${runId}`,
    });
  }
  return member;
}

/** Checked before the rest: only of a known version is it known what it has. */
function checkFormat(dict: unknown, known: number, path: string): void {
  const version = versionIn(dict, path);
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

function checkName({ name }: CompiledWorkflow, { workflow }: Snapshot): void {
  if (workflow === name) return;
  throw new WorkflowError({
    code: "SNAPSHOT_MISMATCH",
    message: `The snapshot is of the workflow "${workflow}", not of "${name}".`,
    hint: "Load it with its own workflow; a renamed one keeps the old `name` in its options, or `migrate` renames it.",
    details: { reason: "workflow", workflow, expected: name },
  });
}

/** The initial state of a run. */
export function initialStore(compiled: CompiledWorkflow): unknown {
  return compiled.state?.initial() ?? empty;
}
const empty = /* @__PURE__ */ Object.freeze({});
