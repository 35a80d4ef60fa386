/**
 * The world of a run that is played with one part of it live. It answers every other call from the recording, if it is the same call: of
 * the same key, made with the same.
 *
 * What a tool of a model is called with is known: its record is looked for by tool and arguments. Of another call it is not, so it counts
 * as the same while its step has the recorded input, and the live calls before it in the step have answered as recorded.
 *
 * @module
 */
import type { EffectCall, EffectOfAttempt, Telemetry, WorkflowEvent } from "millrace";
import { systemClock } from "millrace/engine";
import { pause } from "../harness/host-turn.js";
import type { Answer } from "../harness/responder.js";
import type { Paths, PlayedWorld } from "../replay/play-recording.js";
import { answerFrom, fieldsOf, matcherOf, RecordedWorld, type ReplayedCall } from "../replay/recorded-world.js";
import type { CallOutcome, PathAnswer, PathItem } from "../replay/run-path.js";
import { isModelCall, type ToolCall, toolCallsIn } from "./model-answers.js";
import { answerText, keyOf, nameOf, questionText, toolOf, unknownText, valueIn } from "./same-call.js";
import type { UnknownCall, WhatIfOptions } from "./what-if.types.js";

const LONGEST_PAUSE_MS = 60_000;

export interface WhatIfWorldOptions extends Paths {
  readonly runId: string;
  readonly isLive: (call: ReplayedCall) => boolean;
  readonly unknown: NonNullable<WhatIfOptions["unknown"]>;
}

/** Where the run was stopped. */
export interface Stop {
  /** `null`: at a question. */
  readonly call: UnknownCall | null;
  readonly item: PathItem | null;
  /** It is a decision that the recorded run did not make. */
  readonly isOther: boolean;
  readonly text: string;
}

interface Made {
  readonly item: PathItem;
  readonly record: PathItem | null;
  readonly call: ReplayedCall;
  readonly facts: EffectOfAttempt;
  readonly work: () => unknown;
  readonly given: EffectCall<never>;
}

interface ToolFinding extends Pick<Made, "item" | "record"> {
  readonly call: string;
  readonly tool: ToolCall;
}

type Found = { readonly outcome: CallOutcome } | Pick<UnknownCall, "why" | "input" | "recorded">;

export class WhatIfWorld implements PlayedWorld {
  readonly #options: WhatIfWorldOptions;
  readonly #records: RecordedWorld;
  readonly #answers: PathAnswer[];
  /** The time that the live calls of an item took, by their ids, in milliseconds. */
  readonly times: Map<PathItem, Map<string, number>> = new Map();
  /** Ids of the calls of an item that were not answered from the recording. */
  readonly #fresh: Map<PathItem, Set<string>> = new Map();
  /** Errors of the live calls that have failed in the end. */
  readonly failures: Map<string, string> = new Map();
  /** Virtual time of the last failure of live calls. */
  readonly #failedAtMs: Map<string, number> = new Map();
  /** The recorded place of each call of a tool; `null`: the recorded run did not make that call. */
  readonly #places: Map<PathItem, Map<string, string | null>> = new Map();
  #calling = 0;
  readonly stopped: Promise<void>;
  stop: Stop | null = null;
  #stopNow: () => void = () => {};

  constructor(options: WhatIfWorldOptions) {
    this.#options = options;
    this.#records = new RecordedWorld({ ...options, isLive: () => false });
    this.#answers = [...options.recorded.answers];
    this.stopped = new Promise((resolve) => {
      this.#stopNow = resolve;
    });
  }

  get isCalling(): boolean {
    return this.#calling > 0;
  }

  get telemetry(): Telemetry {
    return {
      ...this.#records.telemetry,
      callEffect: (facts, work, given) => this.#answerCall(facts, work, given as EffectCall<never>),
    };
  }

  match(item: PathItem, runId: string): PathItem | null {
    return this.#records.match(item, runId);
  }

  /** Of a call of either run: whether it is what is tried out. */
  isLiveCall(item: PathItem, call: string): boolean {
    const [played, record] = [...this.#records.matches].find((pair) => pair.includes(item)) ?? [item, null];
    if (this.times.get(played)?.has(call)) return true;
    const outcomes = [item, played, record].flatMap((one) => one?.calls.get(call) ?? []);
    return outcomes.some(({ label }) => this.#options.isLive({ step: item.step, key: keyOf(call), label }));
  }

  /** As it was answered, if the question is the same. */
  answerTo(prompt: WorkflowEvent, promptId: string): Answer {
    const { recorded, played } = this.#options;
    const text = questionText(played, prompt);
    const isSame = (asked: WorkflowEvent | undefined): boolean =>
      asked?.type === prompt.type && questionText(recorded, asked) === text;
    const own = this.#answers.findIndex((one) => one.promptId === promptId && isSame(one.prompt));
    if (own < 0 && isSame(recorded.promptsById.get(promptId))) return null; // it was asked, and not answered
    const index = own < 0 ? this.#answers.findIndex((one) => isSame(one.prompt)) : own;
    if (index >= 0 && this.#options.isEarly((this.#answers[index] as PathAnswer).atMs)) return null;
    const [found] = index < 0 ? [] : this.#answers.splice(index, 1);
    if (found !== undefined) return fieldsOf(found.answer);
    const ofType = ({ type }: WorkflowEvent): boolean => type === prompt.type;
    const asked = recorded.prompts.filter(ofType).length;
    const answered = recorded.answers.filter((one) => ofType(one.prompt)).length;
    if (asked > answered && this.#answers.every((one) => !ofType(one.prompt))) return null;
    const isOther = answered === 0;
    const why = isOther ? "which the recorded run did not" : "in other words than in the recorded run";
    this.#halt({ call: null, item: null, isOther, text: `${prompt.type} is asked, ${why}.` });
    return null;
  }

  #answerCall(facts: EffectOfAttempt, work: () => unknown, given: EffectCall<never>): unknown {
    const { key, label = null, runId } = facts;
    if (this.stop !== null) return untilAborted(given);
    const { isLive, played } = this.#options;
    const item = played.itemOf(runId, facts.item) as PathItem;
    const record = this.match(item, runId);
    const call = { step: item.step, key, label };
    const made: Made = { item, record, call, facts, work, given };
    const before = record?.calls.get(facts.call)?.label ?? label;
    if (isLive(call) || isLive({ ...call, label: before })) return this.#makeLive(made, this.times);
    const found = this.#find(made);
    return "outcome" in found ? answerFrom(found.outcome, given) : this.#answerUnknown(made, found);
  }

  #find({ item, record, facts }: Made): Found {
    const tool = toolOf(item, facts.call);
    if (tool !== null) return this.#findTool({ item, record, call: facts.call, tool });
    const outcome = record?.calls.get(facts.call);
    const recorded = valueIn(outcome);
    if (record === null || outcome === undefined) return { why: "absent", input: undefined, recorded };
    if (record.input !== item.input) return { why: "input", input: undefined, recorded };
    if (this.#hasChanged(item, record)) return { why: "before", input: undefined, recorded };
    return { outcome };
  }

  #findTool({ item, record, call, tool }: ToolFinding): Found {
    const inRecord = (place: string | undefined): CallOutcome | undefined =>
      place === undefined ? undefined : record?.calls.get(`${place}${call.slice(tool.place.length)}`);
    const outcome = inRecord(record === null ? undefined : (this.#placeOf(item, record, tool) ?? undefined));
    if (outcome !== undefined) return { outcome };
    const alike = record === null ? [] : toolCallsIn(record).filter(({ name }) => name === tool.name);
    const isNew = alike.length === 0 || alike.some(({ digest }) => digest === tool.digest);
    return { why: isNew ? "absent" : "arguments", input: tool.input, recorded: valueIn(inRecord(alike[0]?.place)) };
  }

  /** Where the recorded run made the same call: at the same place, or else at the first that is not taken. */
  #placeOf(item: PathItem, record: PathItem, tool: ToolCall): string | null {
    const places = this.#places.get(item) ?? new Map<string, string | null>();
    this.#places.set(item, places);
    const known = places.get(tool.place);
    if (known !== undefined) return known;
    const taken = new Set(places.values());
    const free = toolCallsIn(record).filter(({ digest, place }) => digest === tool.digest && !taken.has(place));
    const found = (free.find(({ place }) => place === tool.place) ?? free[0])?.place ?? null;
    places.set(tool.place, found);
    return found;
  }

  #hasChanged(item: PathItem, record: PathItem): boolean {
    const ended = [...(this.#fresh.get(item) ?? [])].filter((id) => item.calls.has(id));
    return ended.some(
      (id) => answerText(this.#options.played, id, item) !== answerText(this.#options.recorded, id, record),
    );
  }

  async #makeLive({ item, facts, work, call, given }: Made, all: WhatIfWorld["times"]): Promise<unknown> {
    const times = all.get(item) ?? new Map<string, number>();
    all.set(item, times);
    this.#noteFresh(item, facts.call);
    const id = `${facts.runId} ${facts.item} ${facts.call}`;
    this.#calling++;
    await this.#pauseBefore(id);
    const beganMs = systemClock.now();
    try {
      const answer = await work();
      this.failures.delete(id);
      return answer;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#failedAtMs.set(id, this.#options.now());
      if (!given.signal.aborted)
        this.failures.set(id, `Call "${nameOf(call)}" of step "${call.step}" fails: ${message}`);
      throw error;
    } finally {
      this.#calling--;
      times.set(facts.call, (times.get(facts.call) ?? 0) + systemClock.now() - beganMs);
    }
  }

  /** A service that is busy is given the time that the policy of the call gives it, which is virtual. */
  async #pauseBefore(id: string): Promise<void> {
    const failedAtMs = this.#failedAtMs.get(id);
    if (failedAtMs !== undefined) await pause(Math.min(this.#options.now() - failedAtMs, LONGEST_PAUSE_MS));
  }

  #answerUnknown(made: Made, found: Pick<UnknownCall, "why" | "input" | "recorded">): unknown {
    const { unknown, runId } = this.#options;
    const call: UnknownCall = { runId, ...made.call, ...found };
    if (unknown === "live") return this.#makeLive(made, new Map());
    return unknown === "stop" ? this.#stopAt(made, call) : this.#judge(made, call, unknown);
  }

  async #judge(made: Made, call: UnknownCall, judge: Exclude<WhatIfWorldOptions["unknown"], string>): Promise<unknown> {
    this.#calling++;
    try {
      const judged = await judge(call);
      if (judged !== null) {
        this.#noteFresh(made.item, made.facts.call);
        return judged.answer;
      }
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return this.#stopAt(made, call, ` Nothing answers it: ${why}`);
    } finally {
      this.#calling--;
    }
    return this.#stopAt(made, call);
  }

  #noteFresh(item: PathItem, call: string): void {
    this.#fresh.set(item, (this.#fresh.get(item) ?? new Set()).add(call));
  }

  #stopAt({ item, given }: Made, call: UnknownCall, more = ""): Promise<never> {
    this.#halt({
      call,
      item,
      isOther: call.why === "absent" || call.why === "arguments",
      text: `${unknownText(call)}${more}`,
    });
    return untilAborted(given);
  }

  #halt(stop: Stop): void {
    this.stop ??= stop;
    this.#stopNow();
  }
}

/** The run is cancelled at once: nothing else happens at this call. */
function untilAborted({ signal }: EffectCall<never>): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/** `"model"` among the names is every model call. */
export function isLiveBy(live: NonNullable<WhatIfOptions["live"]>): (call: ReplayedCall) => boolean {
  if (typeof live === "function") return live;
  const isNamed = matcherOf(live);
  return live.includes("model") ? (call) => isNamed(call) || isModelCall(call) : isNamed;
}
