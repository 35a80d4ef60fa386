/** Runs a flow to its end under virtual time, and records what a host would store. */
import {
  type Clock,
  compileWorkflow,
  type EncodedTick,
  encodeTick,
  type Journal,
  type RunState,
  setPorts,
  type Tick,
} from "../../src/entries/engine.js";
import { Context, type RunOutcome, type WorkflowHandler } from "../../src/index.js";
import type { CallerContext } from "../../src/run/caller/caller-context.js";
import type { Flow, MadeFlow } from "./flows.js";

/** Time that moves only by jumps, and only when a run has nothing else to do. */
export class JumpClock implements Clock {
  #nowMs: number;
  readonly #timers: Set<{ readonly atMs: number; readonly wake: () => void }> = new Set();

  constructor(startMs: number = Date.UTC(2030, 0, 1)) {
    this.#nowMs = startMs;
  }

  now(): number {
    return this.#nowMs;
  }

  setTimer(atMs: number, wake: () => void): () => void {
    const timer = { atMs, wake };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  jumpTo(atMs: number): void {
    this.#nowMs = Math.max(this.#nowMs, atMs);
    for (const timer of this.#timers) {
      if (timer.atMs > this.#nowMs) continue;
      this.#timers.delete(timer);
      timer.wake();
    }
  }
}

/** How a run ended, as plain data. */
export type Ending =
  | { readonly status: "completed"; readonly result: unknown }
  | { readonly status: "failed"; readonly message: string }
  | { readonly status: "cancelled" | "timedOut" | "waiting" };

export function silentPorts(clock: Clock, journal: Journal | null = null) {
  return { clock, journal, ids: { runId: () => "run" }, log: { info() {}, error() {} } };
}

export function useClock({ workflow, children = [] }: MadeFlow, clock: Clock, journal: Journal | null = null): void {
  for (const one of [workflow, ...children]) setPorts(one, silentPorts(clock, journal));
}

/** Does what the world would do (answers prompts, lets time pass, sends events) until the run has ended, or waits for nothing of that. */
export async function drive(flow: Flow, handler: WorkflowHandler, clock: JumpClock): Promise<Ending> {
  for (let turn = 0; turn < 200; turn++) {
    const outcome = await handler.idle();
    if (outcome.status !== "waiting") return endingOf(outcome);
    if (!(await act(flow, handler, { outcome, clock }))) return { status: "waiting" };
  }
  throw new Error(`${flow.name}: the run does not end.`);
}

interface Moment {
  readonly outcome: Extract<RunOutcome, { status: "waiting" }>;
  readonly clock: JumpClock;
}

async function act(flow: Flow, handler: WorkflowHandler, { outcome, clock }: Moment): Promise<boolean> {
  const { prompts, wakeAtMs } = outcome;
  for (const { promptId, event } of prompts) {
    const fields = flow.answer?.(event) ?? null;
    if (fields !== null && (await handler.answer(promptId, fields)).status === "accepted") return true;
  }
  if (wakeAtMs !== null) clock.jumpTo(wakeAtMs);
  else if (flow.send === undefined) return false;
  else return (await handler.sendEvent(flow.send() as never)).status === "accepted";
  return true;
}

export function endingOf(outcome: Exclude<RunOutcome, { status: "waiting" }>): Ending {
  if (outcome.status === "completed") return outcome;
  if (outcome.status === "failed") return { status: "failed", message: (outcome.error as Error).message };
  return { status: outcome.status };
}

/** One run of a flow, and what a journal saw of it. */
export interface Recording {
  readonly made: MadeFlow;
  readonly ending: Ending;
  /** Ticks of the run itself, live and as JSON text. */
  readonly ticks: readonly Tick[];
  readonly journal: readonly string[];
  /** The snapshot before each round of ticks, of the run or of a child, as JSON text. */
  readonly snapshots: readonly string[];
  readonly final: RunState;
}

export type Watch = (state: RunState, round: readonly Tick[]) => void;

/** @param watch Is shown the live state before each round. */
export async function record(flow: Flow, watch: Watch = () => {}): Promise<Recording> {
  const made = flow.make();
  const compiled = compileWorkflow(made.workflow);
  const clock = new JumpClock();
  const ticks: Tick[] = [];
  const journal: string[] = [];
  const snapshots: string[] = [];
  let handler: WorkflowHandler;
  useClock(made, clock, {
    append(runId, round) {
      snapshots.push(JSON.stringify(handler.context.toDict()));
      if (runId !== "run") return;
      watch(liveState(handler), round);
      ticks.push(...round);
      journal.push(...round.map((tick) => JSON.stringify(encodeTick(tick, compiled) satisfies EncodedTick)));
    },
  });
  handler = (made.workflow.run as (input: unknown) => WorkflowHandler)(flow.input ?? {});
  const ending = await drive(flow, handler, clock);
  return { made, ending, ticks, journal, snapshots, final: liveState(handler) };
}

export function liveState(handler: WorkflowHandler): RunState {
  return (handler.context as CallerContext).run.state;
}

/** Loads a snapshot in a new context, as another process would, and runs it to its end. */
export async function finish(flow: Flow, snapshot: string, made: MadeFlow = flow.make()): Promise<Ending> {
  const dict = JSON.parse(snapshot);
  const clock = new JumpClock(dict.atMs);
  useClock(made, clock);
  const context = Context.fromDict(made.workflow, dict);
  return drive(flow, made.workflow.resume(context), clock);
}
