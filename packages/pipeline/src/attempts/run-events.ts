/**
 * The events of a run: shown to readers of its stream, and stored with the run if that is an option.
 *
 * Events of an attempt are shown at once, and stored with the next result of the run: a result and its events are one edit.
 *
 * @module
 */

import { isContentEvent, plainCopy } from "@millrace/executor";
import type { Context } from "millrace";
import type { PipelineIdentity } from "../data/step-function.types.js";
import type { StepOutput } from "../data/step-output.types.js";
import { type StoredEvent, saidBy, storedAbout, toStoredEvent } from "../data/stored-event.js";
import { PipelineStreamEvent } from "../plan/pipeline-events.js";
import type { EventTime } from "../state/event-clock.js";
import type { RecordedEvent, RunRequest } from "../state/pipeline-state.types.js";
import { factsOf } from "./event-facts.js";

/** Source of an event, which decides its readers. */
export type EventSource =
  /** The run: always shown. */
  | "run"
  /** Questions to people: shown even if a nested pipeline shows nothing else. */
  | "people"
  /** The end of the run: stored here, and shown by readers of the end of its stream. */
  | "end"
  /** Events of a step itself, and results of functions: always shown. */
  | "custom"
  /** Steps and groups of steps. */
  | "step"
  /** Agents and teams: what they say, piece by piece. */
  | "content"
  /** All other events of agents and teams. */
  | "executor";

export interface EventSetup {
  readonly ctx: Pick<Context<Record<string, unknown>>, "runId" | "writeEventToStream">;
  readonly request: RunRequest;
  readonly pipeline: PipelineIdentity;
  readonly storage: EventStorage;
  /** The time of a new event. */
  readonly time: () => EventTime;
  /** Emitted, and not stored yet. */
  readonly pending: RecordedEvent[];
  /** Whether events of executors are ignored. */
  readonly isMuted: () => boolean;
}

export interface EventStorage {
  readonly stores: boolean;
  readonly skips: ReadonlySet<string>;
}

type Data = Readonly<Record<string, unknown>>;

interface Emission {
  readonly isShown: boolean;
  /** What it is about. */
  readonly group?: StepOutput | undefined;
}

export class RunEvents {
  readonly #setup: EventSetup;
  #base: Data | null = null;
  readonly keeps: boolean;

  constructor(setup: EventSetup) {
    const { request, storage } = setup;
    this.#setup = setup;
    this.keeps = storage.stores || request.nesting?.storesEvents === true;
  }

  /** Fields of every event of the run. Created on first use: most steps only report their output. */
  get base(): Data {
    this.#base ??= baseOf(this.#setup);
    return this.#base;
  }

  /** Whether events of executors have readers. */
  get wantsExecutors(): boolean {
    return this.keeps || this.#setup.request.showsExecutors;
  }

  emit(source: EventSource, name: string, data: Data = {}): void {
    this.#emit(name, data, { isShown: this.#shows(source) });
  }

  /** Emits the event that a group is done, with this output. */
  emitGroup(name: string, data: Data, group: StepOutput): void {
    this.#emit(name, data, { isShown: this.#shows("step"), group });
  }

  #emit(event: string, data: Data, emission: Emission): void {
    if (this.keeps) this.#store({ event, ...this.base, ...data }, emission);
    else if (emission.isShown) this.#show({ event, ...this.#unknown, ...data, ...this.#setup.time() }, emission.group);
  }

  /** Emits the events about the output of a step: the result of a function, and the end of the step. Within the edit that stores it. */
  emitOutput(output: StepOutput, isResult: boolean): void {
    const isShown = isResult && this.#emitOutput("StepOutput", output, false);
    // Those of a nested run reach the stream one by one.
    this.#emitOutput("StepCompleted", output, isShown && this.#unknown === null);
  }

  #emitOutput(name: "StepOutput" | "StepCompleted", output: StepOutput, again: boolean): boolean {
    const isShown = this.#shows(name === "StepOutput" ? "custom" : "step");
    if (!isShown && !this.keeps) return false;
    const time = this.#setup.time();
    const { createdAtMs } = time;
    if (isShown) this.#write(storedAbout(name, output, { createdAtMs, base: this.#unknown, again }));
    if (this.keeps) this.#keep({ event: name, ...this.base, ...saidBy(name, output), ...time });
    return isShown;
  }

  /** For readers alone: it is never kept. */
  show(source: EventSource, name: string, data: Data): void {
    if (this.#shows(source)) this.#show({ event: name, ...this.#unknown, ...data, ...this.#setup.time() });
  }

  /** Readers have seen it, but its process could not store it. @param next The event stored after it. */
  keepBefore(next: RecordedEvent | undefined, event: string, data: Data): void {
    if (!this.keeps || next === undefined || this.#isSkipped({ event })) return;
    const { createdAt, createdAtMs, eventIndex: index } = next;
    this.#setup.pending.push({ event, ...this.base, ...data, createdAt, createdAtMs, eventIndex: Number(index) - 0.5 });
  }

  /** An event of an agent, a team, or a run that a function has started: it keeps its own run id. */
  forward(event: RecordedEvent, about: Data): void {
    if (this.#setup.isMuted()) return;
    const isShown = this.#shows(isContentEvent(event) ? "content" : "executor");
    if (!isShown && !this.keeps) return;
    const { sessionId, pipelineRunId, pipelineId, pipelineName, nestedDepth } = this.base;
    const around = { sessionId, pipelineRunId, pipelineId, pipelineName, nestedDepth };
    const parentStepId = about["parentStepId"] ?? this.base["parentStepId"];
    const inside = parentStepId === undefined ? {} : { parentStepId };
    const copy = plainCopy(event) as RecordedEvent; // what is shown is frozen, and the executor may work on
    const own = { stepName: about["stepName"], stepIndex: about["stepIndex"], ...inside, ...copy };
    this.#store({ runId: this.base["runId"], ...own, ...around, stepId: about["stepId"] }, { isShown });
  }

  /** Events of a nested pipeline, which were shown by itself. */
  adopt(events: readonly RecordedEvent[]): void {
    if (this.keeps) this.#setup.pending.push(...events.filter((event) => !this.#isSkipped(event)));
  }

  #store(emitted: RecordedEvent, { isShown, group }: Emission): void {
    const event: RecordedEvent = { ...emitted, ...this.#setup.time() };
    if (isShown) this.#show(event, group);
    if (this.keeps) this.#keep(event);
  }

  #keep(event: RecordedEvent): void {
    if (!this.#isSkipped(event)) this.#setup.pending.push(withoutResults(event));
  }

  /** Readers have the fields of every event of the outermost run. */
  get #unknown(): Data | null {
    return this.#setup.request.nesting === null ? null : this.base;
  }

  #show(event: RecordedEvent, group?: StepOutput): void {
    this.#write(toStoredEvent(event, this.#unknown === null ? this.base : {}, group));
  }

  #write(stored: StoredEvent): void {
    this.#setup.ctx.writeEventToStream(new PipelineStreamEvent(stored) as never);
  }

  /** Of a nested pipeline, the one around it decides. */
  #isSkipped({ event }: RecordedEvent): boolean {
    const { storage, request } = this.#setup;
    return request.nesting === null && storage.skips.has(event);
  }

  #shows(source: EventSource): boolean {
    const { showsSteps, showsExecutors, nesting } = this.#setup.request;
    if (nesting !== null && !showsExecutors && source !== "people") return false;
    switch (source) {
      case "end":
        return false;
      case "run":
      case "people":
      case "custom":
        return true;
      case "step":
        return showsSteps;
      case "content":
        return showsExecutors;
      case "executor":
        return showsExecutors && showsSteps;
    }
  }
}

function baseOf({ ctx: { runId }, request: { nesting, sessionId }, pipeline }: EventSetup): Data {
  const facts = factsOf({ runId, pipeline, sessionId });
  if (nesting === null) return facts;
  const { rootRunId: pipelineRunId, depth: nestedDepth, parentStepId } = nesting;
  return { ...facts, pipelineRunId, nestedDepth, parentStepId };
}

const repeated = new Set([
  "stepResults",
  "stepResponse",
  "stepOutput",
  "allResults",
  "iterationResults",
  "stepExecutorRuns",
]);

/** The run has its outputs already: no event keeps them once more. */
export function withoutResults(event: RecordedEvent): RecordedEvent {
  const fields = Object.entries(event).filter(([key]) => !repeated.has(key));
  return Object.fromEntries(fields) as RecordedEvent;
}

/** The names on the left are in documents, those on the right on the wire. */
export function skippedNames(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.flatMap((name) => [name, name === "CustomEvent" ? name : name.replace(/Event$/, "")]));
}
