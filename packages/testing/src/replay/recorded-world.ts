/**
 * The world of a recorded run: it answers calls and prompts as it did then.
 *
 * A work item finds its record by its step and its input, and else takes the next unused one of its step, so that an input that
 * changes does not hide what its calls answered.
 *
 * @module
 */
import {
  AnswerEvent,
  type AttemptCall,
  type EffectCall,
  type EffectOfAttempt,
  HumanResponseEvent,
  type Telemetry,
  WorkflowError,
  type WorkflowEvent,
} from "millrace";
import { errorFrom, type StateChange } from "millrace/engine";
import type { Answer } from "../harness/responder.js";
import type { CallOutcome, PathAnswer, PathItem, PathRun, RunPath } from "./run-path.js";

/** A call of `ctx.run`, as code asks for it. */
export interface ReplayedCall {
  readonly step: string;
  readonly key: string;
  /** For a model call of an agent: provider and model. For a tool: its name. */
  readonly label: string | null;
}

/** Which calls are made: names are keys or labels. */
export function matcherOf(
  live: readonly string[] | ((call: ReplayedCall) => boolean),
): (call: ReplayedCall) => boolean {
  return typeof live === "function" ? live : ({ key, label }) => live.includes(label ?? key) || live.includes(key);
}

export interface RecordedWorldOptions {
  readonly recorded: RunPath;
  /** The run that is played. */
  readonly played: RunPath;
  readonly isLive: (call: ReplayedCall) => boolean;
  /** See `Paths`. */
  readonly isEarly: (atMs: number) => boolean;
}

export class RecordedWorld {
  readonly #options: RecordedWorldOptions;
  /** The record of each item that is played; `null` where there is none. */
  readonly matches: Map<PathItem, PathItem | null> = new Map();
  readonly #taken: Set<PathItem> = new Set();
  /** Calls that the record does not have, by item. */
  readonly unknown: Map<PathItem, string[]> = new Map();
  readonly asked: Map<PathItem, Set<string>> = new Map();
  readonly #answers: PathAnswer[];
  liveCalls = 0;
  recordedCalls = 0;

  constructor(options: RecordedWorldOptions) {
    this.#options = options;
    this.#answers = [...options.recorded.answers];
  }

  /** Answers whose question was not asked yet. */
  get unused(): readonly PathAnswer[] {
    return this.#answers;
  }

  get telemetry(): Telemetry {
    return {
      isActive: true,
      onStart: ({ trace }) => trace,
      onInspection: () => {},
      callStep: (call, work) => (this.#wasCancelled ? this.#callStep(call, work) : work()),
      callEffect: (call, work, given) => this.#answerCall(call, work, given as EffectCall<never>),
    };
  }

  /** The answer to this prompt, or to an equal one; to any of its type, if the recorded run did not ask what this one asks. */
  answerTo(prompt: WorkflowEvent, promptId: string): Answer {
    const { recorded, isEarly } = this.#options;
    const isEqual = (event: WorkflowEvent): boolean => JSON.stringify(event) === JSON.stringify(prompt);
    const ofType = this.#answers.filter((one) => one.prompt.type === prompt.type);
    const equal = ofType.filter((one) => isEqual(one.prompt));
    const own = equal.find((one) => one.promptId === promptId);
    const found = own ?? equal[0] ?? ofType[0];
    if (found === undefined || isEarly(found.atMs)) return null;
    const asked = recorded.promptsById.get(promptId);
    const wasOpen = asked !== undefined && isEqual(asked) ? own === undefined : equal.length === 0;
    if (wasOpen && recorded.prompts.some(isEqual)) return null; // it was asked, and not answered
    this.#answers.splice(this.#answers.indexOf(found), 1);
    return fieldsOf(found.answer);
  }

  /** The record of an item; `null` if there is none. */
  match(item: PathItem, runId: string): PathItem | null {
    const known = this.matches.get(item);
    if (known !== undefined) return known;
    const free = (this.#recordOf(runId)?.items ?? []).filter((one) => one.step === item.step && !this.#taken.has(one));
    const found = free.find((one) => one.input === item.input) ?? free[0] ?? null;
    if (found !== null) this.#taken.add(found);
    this.matches.set(item, found);
    return found;
  }

  #recordOf(runId: string): PathRun | undefined {
    const { played, recorded } = this.#options;
    const parent = played.parentOf(runId);
    if (parent === null) return recorded.root;
    const { opened } = played.runs.get(runId);
    return this.match(parent.item, opened?.parentId as string)?.children.get(parent.call);
  }

  /** A step that a cancel has cut off stays open, as it was. */
  async #callStep({ runId, item: id }: AttemptCall, work: () => unknown): Promise<unknown> {
    const item = this.#options.played.itemOf(runId, id) as PathItem;
    const output = await work();
    return this.#isCutOff(item, runId) ? never : output;
  }

  #isCutOff(item: PathItem, runId: string): boolean {
    return this.#wasCancelled && this.match(item, runId)?.output === null;
  }

  get #wasCancelled(): boolean {
    return this.#options.recorded.outcome?.status === "cancelled";
  }

  #answerCall(facts: EffectOfAttempt, work: () => unknown, given: EffectCall<never>): unknown {
    const { runId, key, call, label = null } = facts;
    const item = this.#options.played.itemOf(runId, facts.item) as PathItem;
    const outcome = this.match(item, runId)?.calls.get(call);
    this.asked.set(item, (this.asked.get(item) ?? new Set()).add(call));
    if (this.#options.isLive({ step: item.step, key, label })) {
      this.liveCalls++;
      return work();
    }
    if (outcome !== undefined) {
      this.recordedCalls++;
      return answerFrom(outcome, given);
    }
    if (this.#isCutOff(item, runId)) return never;
    this.unknown.set(item, [...(this.unknown.get(item) ?? []), call]);
    throw new WorkflowError({
      code: "REPLAY_DIVERGED",
      message: `Step "${item.step}" calls "${key}", which the recorded run did not.`,
      hint: "See the error of `replayRun`.",
      details: { step: item.step, call },
    });
  }
}

const never: Promise<never> = new Promise(() => {});

/** Fields as `handler.answer` takes them. */
export function fieldsOf(answer: WorkflowEvent): Record<string, unknown> {
  const isOpen = AnswerEvent.is(answer) || HumanResponseEvent.is(answer);
  return isOpen ? { ...(answer as AnswerEvent).fields } : { ...answer };
}

/** Answers a call as it was answered, with what it sent and the edit that ended it. */
export function answerFrom(outcome: CallOutcome, given: EffectCall<never>): unknown {
  if (outcome.kind === "error") throw errorFrom(outcome.error); // as it was in the process that made the call
  const { value, sends, atMs, edit } = outcome;
  for (const { event, step, dueAtMs, toRun } of sends)
    given.sendEvent(event as never, {
      ...(step !== null && { step }),
      ...(dueAtMs !== null && { delay: Math.max(0, dueAtMs - atMs) }),
      ...(toRun && { scope: "run" }),
    });
  if (edit === null) return value;
  return (given as EffectCall<object>).finish((state) => {
    adopt(state as Record<string, unknown>, edit);
    return value as never;
  });
}

interface Edit {
  readonly change: StateChange;
  readonly state: unknown;
}

/** Returns the fields that the edit has changed the values that they had after it. */
function adopt(draft: Record<string, unknown>, { change, state }: Edit): void {
  const after = state as Record<string, unknown>;
  const paths = "whole" in change ? [[]] : change.patches.map(({ path }) => path);
  const isWhole = paths.some((path) => path.length === 0);
  const fields = isWhole ? [...Object.keys(draft), ...Object.keys(after)] : paths.map(([first]) => String(first));
  for (const field of new Set(fields)) {
    if (Object.hasOwn(after, field)) draft[field] = after[field];
    else delete draft[field];
  }
}
