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
import type { Command, Receipt } from "../engine/command.js";
import { isCurrent } from "../engine/reduce/reduction.js";
import { reduce } from "../engine/reduce.js";
import type { Routing } from "../engine/routing.js";
import {
  type ChildRecord,
  createRunState,
  type RunState,
  shareStore,
  unshareStore,
  type WorkItem,
} from "../engine/state.js";
import type { Tick } from "../engine/tick.js";
import type { WorkflowEvent } from "../event/event.js";
import { openPrompts } from "../run/caller/open-prompts.js";
import { encodeTree, type RunMember, restoreStored } from "../run/snapshot-run.js";
import type { Snapshot } from "../snapshot/format.js";
import { createStoredRouting } from "../snapshot/stored-routing.js";
import { decodeTick, type EncodedTick } from "../snapshot/tick-codec.js";
import type { StreamedEvent } from "../stream/streamed-event.js";
import { type HashedDefinition, nodeAt } from "./definition-graph.js";

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
  /** It is of an attempt that counted then, and of that item. */
  readonly isOfAttempt: boolean;
  /** It came too late to count. */
  readonly isRefused: boolean;
  /** The user's state before it. */
  readonly before: unknown;
  readonly commands: readonly Command[];
}

export class RunTree {
  readonly root: Member;
  readonly members: Map<string, Member> = new Map();
  /** What readers were shown by the ticks that were applied. */
  readonly streamed: StreamedAt[] = [];
  /** What became of posts, by position. */
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

  /** For who reads many ticks, and needs neither what they showed nor what became of posts. */
  forgetOutcomes(): void {
    this.streamed.length = 0;
    this.receipts.clear();
  }

  /** States of all children, by run id. */
  descendants(): Map<string, RunState> {
    return new Map([...this.members.values()].slice(1).map(({ state }) => [state.runId, state]));
  }

  /** What the run and its children ask. */
  prompts(): PendingPrompt[] {
    return [...this.members.values()].flatMap(({ state, routing, compiled }) =>
      openPrompts({ state, routing, registry: compiled.registry }),
    );
  }

  /** When the first timer of the run and its children is due; `null` if there is none. */
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

  /** Null: it is of a child that its parent was done with, and changes nothing. */
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
  toDict(): Snapshot {
    return this.#encode(false);
  }

  /** The same with the work under way, for a journal that continues it. */
  toStored(): Snapshot {
    return this.#encode(true);
  }

  #encode(isStored: boolean): Snapshot {
    const { compiled, state } = this.root;
    return encodeTree(
      compiled,
      { state, children: this.descendants() },
      { isStored, stateVersionOf: (runId) => this.members.get(runId)?.stateVersion ?? 1 },
    );
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
        // As in a live run: later results of its children have no receiver.
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
    // Its first tick contains the store.
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
