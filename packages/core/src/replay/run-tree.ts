/**
 * A run and its children, rebuilt from their ticks without running any step: the base of loads and of history.
 *
 * The same `reduce` that ran them live. Of the commands only those count that other records follow from: children that begin and
 * end, events for readers, and answers to posts.
 *
 * @module
 */
import type { PendingPrompt } from "../authoring/handler.types.js";
import { compiledChild } from "../compile/child.js";
import type { CompiledWorkflow } from "../compile/compile.js";
import type { Definition } from "../engine/definition.js";
import { optionalModules } from "../engine/optional-modules.js";
import { collecting, gathering, joining } from "../engine/reduce/collect.js";
import { fanOutFeature } from "../engine/reduce/fan-out.js";
import { recover } from "../engine/reduce/items.js";
import { isCurrent } from "../engine/reduce/reduction.js";
import { reduce } from "../engine/reduce.js";
import { createRouting, type Routing } from "../engine/routing.js";
import {
  type ChildRecord,
  createRunState,
  type RunState,
  shareStore,
  unshareStore,
  type WorkItem,
} from "../engine/state.js";
import type { Command, Receipt, Tick } from "../engine/tick.js";
import { sameValue } from "../event/equal.js";
import type { WorkflowEvent } from "../event/event.js";
import { openPrompts } from "../run/caller/deliver-event.js";
import { assertFitsCode, encodeTree, presentStore, type RunMember, restoreStored } from "../run/snapshot-run.js";
import { type Around, encodingGathered } from "../snapshot/encode.js";
import type { Snapshot } from "../snapshot/snapshot-shape.js";
import { decodeTick, type EncodedTick } from "../snapshot/tick-codec.js";
import type { StreamedEvent } from "../stream/run-stream.js";

/**
 * Reduces the ticks in order and performs nothing. Changes the given state and returns it.
 *
 * @param routing Routing table at the first tick; each `definition.changed` brings the next one.
 */
export function replay(routing: Routing, state: RunState, ticks: Iterable<Tick>): RunState {
  let table = routing;
  for (const tick of ticks) {
    if (tick.type === "definition.changed") table = createStoredRouting(tick.definition);
    reduce(table, state, tick);
  }
  return state;
}

/**
 * Indexes a definition: where each event goes. Works for stored definitions, too, when the present code has no
 * `collect()`, `join()`, `many()` and `catchError()` any more.
 */
export function createStoredRouting(definition: Definition): Routing {
  optionalModules.collect = collecting;
  optionalModules.join = joining;
  optionalModules.gathered = gathering;
  optionalModules.snapshot = encodingGathered;
  optionalModules.fanOuts = fanOutFeature;
  optionalModules.recovery = recover;
  return createRouting(definition);
}

/** A tick as it is stored, and the child that it is about; `null` for the run itself. */
export interface StoredTick {
  readonly child: { readonly runId: string } | null;
  readonly json: EncodedTick;
}

/** A run of the tree, and the code that its ticks belong to. */
export interface Member extends RunMember {
  routing: Routing;
  stateVersion: number;
}

export interface StreamedAt extends StreamedEvent {
  readonly atMs: number;
}

/** A tick, read, and what came of it. */
export interface AppliedTick {
  readonly tick: Tick;
  readonly member: Member;
  /** The work item of the tick, as it was before it: an ended item has left the state. `null` if there is none. */
  readonly item: WorkItem | null;
  /** Whether the tick belongs to the attempt that counted at that time. */
  readonly isOfAttempt: boolean;
  /** Whether the tick came too late to count. */
  readonly isRefused: boolean;
  /** The user's state before it. */
  readonly before: unknown;
  readonly commands: readonly Command[];
}

export class RunTree {
  readonly root: Member;
  readonly members: Map<string, Member> = new Map();
  /** Events that the applied ticks showed to readers. */
  readonly streamed: StreamedAt[] = [];
  /** Receipts of posts, by position. */
  readonly receipts: Map<number, Receipt> = new Map();
  #code: HashedDefinition;

  /** A run before its first tick, which contains its store. */
  static begin(runId: string, compiled: CompiledWorkflow, code: HashedDefinition): RunTree {
    const state = createRunState({ runId, workflow: compiled.name, store: {} });
    return new RunTree([{ state, compiled, path: [], sharesWith: null }], code);
  }

  /** @throws {WorkflowError} What `Context.fromDict` throws for a snapshot that cannot be read. */
  static restore(snapshot: unknown, compiled: CompiledWorkflow, code: HashedDefinition): RunTree {
    return new RunTree(restoreStored(compiled, snapshot), code);
  }

  /** @param runs The root first, then its children as a snapshot had them. */
  private constructor([root, ...children]: readonly [RunMember, ...RunMember[]], code: HashedDefinition) {
    this.#code = code;
    this.root = this.#add(root);
    for (const child of children) this.#add(child);
  }

  /** Forgets streamed events and receipts, for readers of many ticks that need neither. */
  forgetOutcomes(): void {
    this.streamed.length = 0;
    this.receipts.clear();
  }

  /** States of all children, by run id. */
  descendants(): Map<string, RunState> {
    return new Map([...this.members.values()].slice(1).map(({ state }) => [state.runId, state]));
  }

  /** Returns the open prompts of the run and its children. */
  prompts(): PendingPrompt[] {
    return [...this.members.values()].flatMap(openPrompts);
  }

  /** Returns when the first timer of the run and its children is due; `null` if there is none. */
  wakeAt(): number | null {
    const times = [...this.members.values()].flatMap(({ state }) => state.timers?.first()?.dueAtMs ?? []);
    return times.length === 0 ? null : times.reduce((first, atMs) => Math.min(first, atMs));
  }

  /** The code that the run was live with last, and of the ticks that follow. */
  get code(): HashedDefinition {
    return this.#code;
  }

  set code(code: HashedDefinition) {
    this.#code = code;
    for (const member of this.members.values())
      member.stateVersion = nodeAt(code.graph, member.path)?.stateVersion ?? member.stateVersion;
  }

  /** Applies a tick. Returns `null` for a tick of a child that its parent was done with, which changes nothing. */
  apply(entry: StoredTick): AppliedTick | null {
    const member = this.members.get(entry.child?.runId ?? this.root.state.runId);
    if (member === undefined) return null;
    const { state } = member;
    const tick = decodeTick(entry.json, member.compiled);
    const before = state.store;
    const item = "item" in tick && tick.item !== null ? (state.items.get(tick.item) ?? null) : null;
    const wasCurrent = item !== null && "attempt" in tick && isCurrent(item, tick.attempt);
    const commands = this.reduce(member, tick);
    const isRefused = commands.some((command) => command.type === "note" && command.note.kind === "tick.refused");
    return { tick, member, item, isOfAttempt: wasCurrent && !isRefused, isRefused, before, commands };
  }

  reduce(member: Member, tick: Tick): readonly Command[] {
    if (tick.type === "definition.changed") member.routing = createStoredRouting(tick.definition);
    const ended = tick.type === "child.closed" && member.state.status === "running" ? childOf(member, tick) : null;
    const commands = reduce(member.routing, member.state, tick);
    for (const command of commands) this.#follow(member, command);
    if (ended !== null) this.members.delete(ended.runId);
    return commands;
  }

  /** The snapshot of the whole tree, with the state versions that its states have until they are migrated. */
  toDict(around: Pick<Around, "isStored"> = {}): Snapshot {
    const { compiled, state } = this.root;
    const children = this.descendants();
    const stateVersionOf = (runId: string): number => this.members.get(runId)?.stateVersion ?? 1;
    return encodeTree(compiled, { state, children }, { ...around, stateVersionOf });
  }

  /**
   * Ticks that record for every run of the tree that its code has changed; `null` if it has not.
   *
   * @throws {WorkflowError} Errors of `Context.fromDict` for everything that the code lacks.
   */
  upgradeTicks({ hash, graph }: HashedDefinition): Map<string, Tick[]> | null {
    // The check runs under the same code, too: stored texts may be damaged, or made by another program.
    for (const member of this.members.values()) assertFitsCode(member);
    const upgradeTicks = new Map([...this.members].map(([runId, member]) => [runId, changes(member, graph)]));
    const isOther = this.code.hash !== hash;
    // A schema can change without a trace in the compared code.
    return isOther || [...upgradeTicks.values()].some((ticks) => ticks.length > 0) ? upgradeTicks : null;
  }

  #follow(member: Member, command: Command): void {
    switch (command.type) {
      case "child.start": {
        const record = member.state.items.get(command.item)?.calls?.get(command.call) as ChildRecord;
        if (!this.members.has(record.runId)) this.#begin(member, record);
        return;
      }
      case "child.cancel": {
        const gone = this.members.get(command.runId);
        // Later results of its children have no receiver, as in a live run.
        if (gone && gone.sharesWith !== null) unshareStore(gone.state);
        this.members.delete(command.runId);
        return;
      }
      case "stream.publish":
        if (member === this.root)
          this.streamed.push({ ...command, event: command.event as WorkflowEvent, atMs: member.state.atMs });
        return;
      case "receipt.send":
        if (command.ticket < 0 && this.receipts.get(-command.ticket)?.status !== "accepted")
          this.receipts.set(-command.ticket, command.receipt);
        return;
      default:
        return;
    }
  }

  #begin({ compiled: parent, path, state: owner }: Member, { runId, name, sharesStore }: ChildRecord): void {
    const compiled = compiledChild(parent, name, `Run "${owner.runId}"`);
    // The first tick of the run contains the store.
    const state = createRunState({ runId, workflow: compiled.name, store: {} });
    if (sharesStore) shareStore(state, owner);
    this.#add({ state, compiled, path: [...path, name], sharesWith: sharesStore ? parent : null });
  }

  #add({ state, compiled, path, sharesWith }: RunMember): Member {
    const node = nodeAt(this.#code.graph, path);
    const routing = createStoredRouting(node?.definition ?? compiled.definition);
    const member = { state, compiled, path, sharesWith, routing, stateVersion: node?.stateVersion ?? 1 };
    this.members.set(state.runId, member);
    return member;
  }
}

function childOf(member: Member, { item, call }: { readonly item: number; readonly call: string }): ChildRecord | null {
  const record = member.state.items.get(item)?.calls?.get(call);
  return record?.kind === "child" ? record : null;
}

/** The workflow at the end of a path of child names. @throws {WorkflowError} `SNAPSHOT_MISMATCH` */
export function workflowAt(root: CompiledWorkflow, path: readonly string[], who: string): CompiledWorkflow {
  return path.reduce((compiled, name) => compiledChild(compiled, name, who), root);
}

// ---- the code that a run was live with: routing tables and state versions of its workflow and its children, as plain data
// It is stored once per deployment, under its hash. If the code differs from the hash of a run, the run gets a tick that
// records the change.

export interface DefinitionGraph {
  /** The first one is the workflow of the run. */
  readonly workflows: readonly CodeNode[];
}

export interface HashedDefinition {
  readonly hash: string;
  readonly graph: DefinitionGraph;
}

export interface CodeNode {
  readonly definition: Definition;
  readonly stateVersion: number;
  /** Place of each child in the list. */
  readonly children: { readonly [name: string]: number };
}

export function definitionGraph(compiled: CompiledWorkflow): DefinitionGraph {
  const places = new Map<CompiledWorkflow, number>();
  const workflows: { definition: Definition; stateVersion: number; children: Record<string, number> }[] = [];
  const place = (flow: CompiledWorkflow): number => {
    const known = places.get(flow);
    if (known !== undefined) return known;
    const at = workflows.length;
    places.set(flow, at);
    const children: Record<string, number> = {};
    workflows.push({ definition: flow.definition, stateVersion: flow.stateVersion.version, children });
    for (const name of flow.children.keys()) children[name] = place(compiledChild(flow, name, "It"));
    return at;
  };
  place(compiled);
  return { workflows };
}

/** The workflow at the end of a path of child names; `null` if that code had none. */
function nodeAt({ workflows }: DefinitionGraph, path: readonly string[]): CodeNode | null {
  let node = workflows[0] ?? null;
  for (const name of path) node = workflows[node?.children[name] ?? -1] ?? null;
  return node;
}

// ---- parts that a stored run needs to continue with the present code

function changes(member: Member, graph: DefinitionGraph): Tick[] {
  const ticks: Tick[] = [];
  const { state, compiled } = member;
  // A run that has not begun has no state of its own yet.
  const isUnset = state.ticks === 0 && member.sharesWith === null;
  const store = isUnset ? state.store : presentStore(member);
  const { definition } = nodeAt(graph, member.path) ?? compiled;
  if (!sameValue(definition, member.routing.definition))
    ticks.push({ type: "definition.changed", atMs: state.atMs, definition });
  if (!sameValue(store, state.store))
    ticks.push({
      type: "state.edited",
      atMs: state.atMs,
      item: null,
      attempt: 0,
      call: null,
      change: { whole: true, next: store },
      value: null,
    });
  return ticks;
}
