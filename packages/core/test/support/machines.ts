/**
 * A host whose attempts run on other machines. It gives ticks their order and stores them; every machine reduces the stored ones on a
 * copy of its own, and does what the commands say of its own items. Nothing but JSON text goes between them.
 */

import { resolveStart } from "../../src/compile/child.js";
import { compileWorkflow } from "../../src/compile/compile.js";
import { reduce } from "../../src/engine/reduce.js";
import { acceptedTypes, isExternal } from "../../src/engine/routing.js";
import { createRunState, type RunState } from "../../src/engine/state.js";
import type { Command, Tick } from "../../src/engine/tick.js";
import { eventFromFields } from "../../src/event/event-codec.js";
import type { ResourceContainer } from "../../src/resource/resource.js";
import { Attempt } from "../../src/run/attempt/attempt.js";
import { createCell } from "../../src/run/attempt/attempt-store.js";
import {
  type AttemptCore,
  hostOf,
  type LiveRunCore,
  openResources,
  type WorkflowHost,
} from "../../src/run/live-run.js";
import { runOutcome } from "../../src/run/outcome.js";
import { initialStore } from "../../src/run/snapshot-run.js";
import { decodeTick, encodeTick } from "../../src/snapshot/tick-codec.js";
import type { StateStore } from "../../src/state/state-store.js";
import { type Ending, endingOf, JumpClock, useClock } from "./drive.js";
import type { Flow, MadeFlow } from "./flows.js";

interface Letter {
  readonly from: Machine | null;
  readonly number: number;
  readonly tick: string;
}

class Machine implements LiveRunCore {
  readonly host: WorkflowHost;
  readonly state: RunState;
  readonly parent = null;
  readonly descendants = null;
  readonly journal = {};
  readonly isEvicted = false;
  readonly #attempts = new Map<number, AttemptCore>();
  readonly #told = new Map<number, () => void>();
  readonly #post: (letter: Letter) => void;
  readonly #owns: (item: number) => boolean;
  #posted = 0;
  #cell: StateStore | null = null;
  #resources: ResourceContainer | null = null;

  constructor(made: MadeFlow, post: (letter: Letter) => void, owns: (item: number) => boolean) {
    const compiled = compileWorkflow(made.workflow);
    this.host = hostOf(compiled);
    this.state = createRunState({ runId: "run", workflow: compiled.name, store: initialStore(compiled) });
    this.#post = post;
    this.#owns = owns;
  }

  now(): number {
    return Math.max(this.state.atMs, this.host.ports.clock.now());
  }

  prepare(tick: Tick): void {
    encodeTick(tick, this.host.compiled);
  }

  submit(tick: Tick, told?: () => void): void {
    if (this.state.outcome !== null) return;
    const number = ++this.#posted;
    if (told !== undefined) this.#told.set(number, told);
    this.#post({ from: this, number, tick: JSON.stringify(encodeTick(tick, this.host.compiled)) });
  }

  commit(tick: Tick): Promise<void> {
    return new Promise((resolve) => this.submit(tick, resolve));
  }

  forget(item: number): void {
    this.#attempts.delete(item);
  }

  checkIdleAgain(): void {}

  store(): StateStore {
    this.#cell ??= createCell(this);
    return this.#cell;
  }

  hasStore(): StateStore | null {
    return this.#cell;
  }

  resources(): ResourceContainer {
    this.#resources ??= openResources("run", this.host.resources());
    return this.#resources;
  }

  /** A tick is stored. */
  apply({ from, number, tick }: Letter): void {
    const commands = reduce(this.host.routing, this.state, decodeTick(JSON.parse(tick), this.host.compiled));
    for (const command of commands) this.#perform(command);
    if (from !== this) return;
    this.#told.get(number)?.();
    this.#told.delete(number);
  }

  #perform(command: Command): void {
    switch (command.type) {
      case "attempt.start": {
        const item = this.state.items.get(command.item);
        if (item?.status !== "running" || !this.#owns(item.id)) return;
        const attempt = new Attempt(this, item);
        this.#attempts.set(item.id, attempt);
        return attempt.start();
      }
      case "attempt.end":
        this.#attempts.get(command.item)?.end(command.reason, true);
        return this.forget(command.item);
      case "call.settle":
        return this.#attempts.get(command.item)?.settle(command.call);
      case "generator.pull":
        return this.#attempts.get(command.item)?.pull();
      case "run.finish":
        for (const attempt of this.#attempts.values()) attempt.end("the run has ended", true);
        return this.#attempts.clear();
      default: // for readers, watchers and senders
    }
  }
}

/** Runs a flow to its end on so many machines: an item belongs to one of them. */
export async function runOnMachines(flow: Flow, count: number): Promise<Ending> {
  const made = flow.make();
  const clock = new JumpClock();
  useClock(made, clock);
  const stored: Letter[] = [];
  const post = (letter: Letter): void => void stored.push(letter);
  const machines = Array.from({ length: count }, (_, at) => new Machine(made, post, (item) => item % count === at));
  const [first] = machines as [Machine];
  const { host, state } = first;
  const send = (tick: Tick): void =>
    post({ from: null, number: 0, tick: JSON.stringify(encodeTick(tick, host.compiled)) });

  const event = resolveStart(host.compiled, flow.input ?? {});
  send({
    type: "run.started",
    atMs: clock.now(),
    event,
    timeoutMs: null,
    deadlineMs: null,
    lineage: null,
    labels: null,
  });
  let applied = 0;
  let quietTurns = 0;
  while (state.outcome === null) {
    await new Promise(setImmediate);
    quietTurns = applied === stored.length ? quietTurns + 1 : 0;
    while (applied < stored.length) {
      const letter = stored[applied++] as Letter;
      for (const machine of machines) machine.apply(letter);
    }
    if (quietTurns < 5) continue;
    quietTurns = 0;
    const next = nextMove(flow, first, clock);
    if (next === null) return { status: "waiting" };
    send(next);
  }
  const ended = runOutcome("run", state.outcome);
  return ended.status === "waiting" ? ended : endingOf(ended);
}

/** What the world does when nothing is left to do: it answers a prompt, lets time pass, or sends an event. */
function nextMove(flow: Flow, { host, state }: Machine, clock: JumpClock): Tick | null {
  const received = { type: "event.received", step: null, ticket: null } as const;
  for (const { promptId, event, wait } of state.prompts?.values() ?? []) {
    const fields = flow.answer?.(event as never) ?? null;
    const types = host.routing.external.flatMap((step) => acceptedTypes(step));
    const [type] = wait?.accepts ?? types.filter((name) => isExternal(host.routing.roles.get(name)));
    if (fields === null || type === undefined) continue;
    const answer = eventFromFields(host.compiled.registry.get(type) as never, fields);
    return { ...received, atMs: clock.now(), event: answer, promptId };
  }
  const dueAtMs = state.timers?.first()?.dueAtMs;
  if (dueAtMs !== undefined) {
    clock.jumpTo(dueAtMs);
    return { type: "time.passed", atMs: dueAtMs };
  }
  if (flow.send !== undefined) return { ...received, atMs: clock.now(), event: flow.send(), promptId: null };
  return null;
}
