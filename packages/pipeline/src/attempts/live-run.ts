/** What a run has in memory, once for all of its steps in this process. */

import { LiveSessionState, type SessionPatch } from "@millrace/executor";
import { type Resource, resource } from "millrace";
import { EventClock } from "../state/event-clock.js";
import { ownState, type StateScope } from "../state/own-state.js";
import type { RecordedEvent, RunTreeState } from "../state/pipeline-state.types.js";
import { attemptEnded, type OpenAttempt } from "./open-attempt.js";

/** How long aborted agents and teams may take to report their usage. */
const STOP_MS = 1_000;
/** How long the run around a nested one may take to come back in another process. */
const PROVIDE_MS = 5_000;

type Dependencies = Readonly<Record<string, unknown>>;

interface LiveSession {
  readonly scope: StateScope;
  readonly state: LiveSessionState;
}

/** One for a run and all runs nested in it: they share the session state. */
export class LiveRun {
  readonly #sessions: Map<string, LiveSession> = new Map();
  /** At work, or over with something that is not stored yet. */
  readonly #attempts: Set<OpenAttempt> = new Set();
  /** Those of them that are over. */
  readonly #over: Set<OpenAttempt> = new Set();
  readonly #stopped: Set<string> = new Set();
  readonly #clock: EventClock = new EventClock();
  /** Runs whose stored events the clock follows. */
  readonly #clocked: Set<string> = new Set();
  #dependencies: Dependencies | null = null;
  #provided: () => void = () => {};
  readonly #whenProvided: Promise<void> = new Promise((resolve) => (this.#provided = resolve));
  /** As runs have ended, by their id: a last step that runs again ends the run as it has ended it before. */
  readonly ended: Map<string, RunTreeState> = new Map();
  /** Events of nested runs that have ended, until the step around them has stored them. */
  readonly eventsOfEnded: Map<string, readonly RecordedEvent[]> = new Map();

  /** Nested runs, by outermost run. */
  provide(dependencies: Dependencies): void {
    if (this.#dependencies === null) this.#provided();
    this.#dependencies = dependencies;
  }

  /** `null` before the first one. */
  get provided(): Dependencies | null {
    return this.#dependencies;
  }

  /** In a process that resumes a nested run, its parent may be loaded a moment later. */
  async dependencies(): Promise<Dependencies | null> {
    if (this.#dependencies === null) await within(PROVIDE_MS, this.#whenProvided);
    return this.#dependencies;
  }

  /** @param stored Events of the run, also of earlier processes. */
  clockOf(runId: string, stored: readonly RecordedEvent[]): EventClock {
    if (!this.#clocked.has(runId)) this.#clock.follow(stored);
    this.#clocked.add(runId);
    return this.#clock;
  }

  open(attempt: OpenAttempt): void {
    this.#attempts.add(attempt);
    attempt.onEnd(() => {
      if (this.#attempts.has(attempt)) this.#over.add(attempt);
    });
  }

  /** All that it has done is stored. */
  close(attempt: OpenAttempt): void {
    this.#forget(attempt);
    attempt.close();
  }

  /** Stops the run: no further attempt begins. */
  isStopped(runId: string): boolean {
    return this.#stopped.size > 0 && [...this.#stopped].some((stopped) => isInside(stopped, runId));
  }

  /** Ends the active attempts of the run and of its nested runs. Returns those that did not end by themselves. */
  async stop(runId: string): Promise<readonly OpenAttempt[]> {
    this.#stopped.add(runId);
    const open = this.#of(runId);
    const cut = open.filter((attempt) => !attempt.isStoring && !attempt.isOver);
    for (const attempt of cut) attempt.end(() => attemptEnded(attempt.node?.name ?? "agent", "its run has ended"));
    await settled(open.filter((attempt) => attempt.isStoring || attempt.work?.answersSignal === true));
    for (const attempt of open) if (!attempt.isStoring) attempt.work?.cutOff();
    for (const attempt of cut) attempt.isMuted = true;
    return cut;
  }

  /** Ends attempts that ask people about what was given up. Within an edit: they end after it. */
  withdraw(runId: string, isGivenUp: (attempt: OpenAttempt) => boolean): void {
    const waiting = this.#of(runId).filter((attempt) => attempt.work?.isWaiting === true && isGivenUp(attempt));
    const end = (attempt: OpenAttempt): void =>
      attempt.end(() => attemptEnded(attempt.node?.name ?? "agent", "the group that it is in was given up"));
    if (waiting.length > 0) queueMicrotask(() => waiting.forEach(end));
  }

  /** Waits up to 1 s for the usage of aborted attempts. */
  async settled(runId: string): Promise<void> {
    const over = this.#of(runId).filter(({ isOver, work }) => isOver && work?.answersSignal === true);
    await settled(over);
    for (const attempt of over) if (!attempt.isStoring) attempt.work?.cutOff();
  }

  /** Whether {@link storeOrphans} has something to store. */
  get hasOrphans(): boolean {
    return this.#over.size > 0;
  }

  /**
   * Within an edit: stores events and usage of ended attempts that could not store them.
   *
   * @param within Those of this run, and of runs nested in it. @default all
   */
  storeOrphans(root: RunTreeState, within?: string): void {
    for (const attempt of this.#over) {
      if (within !== undefined && !isInside(within, attempt.runId)) continue;
      attempt.notes.keepIn(ownState(root, attempt.runId));
      if (attempt.isSettled) this.#forget(attempt);
    }
  }

  /** Takes what ended attempts have changed in session states and could not store themselves. */
  changesLeft(): readonly { readonly scope: StateScope; readonly patches: readonly SessionPatch[] }[] {
    const left = [...this.#sessions.values()].map(({ scope, state }) => ({ scope, patches: state.takeLeft() }));
    return left.filter(({ patches }) => patches.length > 0);
  }

  /** One object for all that work on this state at the same time. */
  sessionOf(scope: StateScope, root: RunTreeState): LiveSessionState {
    const known = this.#sessions.get(scope.key);
    if (known) return known.state;
    const state = new LiveSessionState(scope.read(root) ?? {});
    this.#sessions.set(scope.key, { scope, state });
    return state;
  }

  /** The step around a nested run has its output. */
  forgetNested(runId: string): void {
    this.ended.delete(runId);
    this.eventsOfEnded.delete(runId);
  }

  /** Called when the group is done: the states of its branches are no longer used. @param scope Prefix of their keys. */
  forgetBranches(scope: string): void {
    for (const key of this.#sessions.keys()) if (key.startsWith(scope)) this.#sessions.delete(key);
  }

  #forget(attempt: OpenAttempt): void {
    this.#attempts.delete(attempt);
    this.#over.delete(attempt);
  }

  #of(runId: string): OpenAttempt[] {
    return [...this.#attempts].filter((attempt) => isInside(runId, attempt.runId));
  }
}

function settled(attempts: readonly OpenAttempt[]): Promise<unknown> {
  return within(STOP_MS, Promise.all(attempts.map((attempt) => attempt.settled)));
}

function isInside(outer: string, runId: string): boolean {
  return runId === outer || runId.startsWith(`${outer}/`);
}

export const liveResources: { readonly live: Resource<LiveRun> } = {
  live: resource("liveRun", () => new LiveRun(), { scope: "run" }),
};

/** What becomes of the promise, or nothing where that takes too long. */
export async function within(limitMs: number, promise: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLong = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs);
  });
  try {
    await Promise.race([promise, tooLong]);
  } finally {
    clearTimeout(timer);
  }
}
