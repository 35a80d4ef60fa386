/**
 * The way that a run took: its work items, what went into them, what their calls answered, and what came out.
 *
 * @module
 */
import { type ErrorRecord, StepFailedEvent, type ValueType, type WorkflowEvent } from "millrace";
import type { CompiledWorkflow, EventData, Failure, Outcome, Send, StateChange, Tick, WorkItem } from "millrace/engine";
import { RunsOfTicks } from "../harness/runs-of-ticks.js";
import { describeValue } from "../proof/describe-value.js";

interface CallFacts {
  /** What readers see instead of the key; `null` without a label. */
  readonly label: string | null;
  /** How long its last attempt has run, in milliseconds. */
  readonly elapsedMs: number;
}

/** What a call of `ctx.run` has answered in the end. */
export type CallOutcome = CallFacts & Answered;

type Answered =
  | {
      readonly kind: "value";
      readonly value: unknown;
      readonly sends: readonly Send[];
      readonly atMs: number;
      /** The edit with which it ended, and the state after it; `null` for none. */
      readonly edit: { readonly change: StateChange; readonly state: unknown } | null;
    }
  | { readonly kind: "error"; readonly error: ErrorRecord };

export interface PathItem {
  readonly step: string;
  /** Its input, as text. */
  readonly input: string;
  readonly calls: Map<string, CallOutcome>;
  /** What it emitted or why it failed, as text; `null` while it is open. */
  output: string | null;
  /** Types of the events that it emitted, or why it failed; `null` while it is open. */
  emitted: string | null;
  /** The children that it has opened, by call. */
  readonly children: Map<string, PathRun>;
}

export interface PathRun {
  readonly workflow: string;
  readonly items: PathItem[];
}

export interface PathAnswer {
  readonly promptId: string;
  readonly atMs: number;
  readonly prompt: WorkflowEvent;
  readonly answer: WorkflowEvent;
}

export interface PathOptions {
  /** Fields that no text shows. */
  readonly hidden: ReadonlySet<string>;
}

export class RunPath {
  readonly runs: RunsOfTicks;
  readonly root: PathRun;
  readonly answers: PathAnswer[] = [];
  /** Prompts of waits, in their order. */
  readonly prompts: WorkflowEvent[] = [];
  readonly promptsById: Map<string, WorkflowEvent> = new Map();
  /** Events from outside that answer no prompt, and when they came. */
  readonly events: Map<WorkflowEvent, number> = new Map();
  readonly #byId: Map<string, PathRun> = new Map();
  readonly #items: Map<string, PathItem> = new Map();
  readonly #opened: Map<string, Extract<Tick, { readonly type: "effect.opened" }>> = new Map();
  readonly #options: PathOptions;

  constructor(compiled: CompiledWorkflow, runId: string, options: PathOptions) {
    this.runs = new RunsOfTicks(compiled, runId);
    this.root = { workflow: compiled.name, items: [] };
    this.#byId.set(runId, this.root);
    this.#options = options;
  }

  apply(runId: string, tick: Tick): void {
    const item = "item" in tick && tick.item !== null ? this.itemOf(runId, tick.item) : null;
    if (tick.type === "event.received") this.#noteReceived(runId, tick);
    this.runs.apply(runId, tick);
    if (item !== null) this.#note(runId, item, tick);
  }

  run(runId: string): PathRun {
    return this.#byId.get(runId) as PathRun;
  }

  /** The run that has opened this one, with the call; `null` for the root. */
  parentOf(runId: string): { readonly item: PathItem; readonly call: string } | null {
    const { opened } = this.runs.get(runId);
    const item = opened === null ? null : this.itemOf(opened.parentId, opened.item);
    return opened === null || item === null ? null : { item, call: opened.call };
  }

  /** Before the tick that ends the item. */
  itemOf(runId: string, id: number): PathItem | null {
    const key = `${id} ${runId}`;
    const known = this.#items.get(key);
    if (known !== undefined) return known;
    const { state, compiled } = this.runs.get(runId);
    const item = state.items.get(id);
    if (item === undefined) return null;
    const input = this.describe(inputOf(item), compiled);
    const made: PathItem = {
      step: item.step,
      input,
      calls: new Map(),
      output: null,
      emitted: null,
      children: new Map(),
    };
    this.#items.set(key, made);
    this.run(runId).items.push(made);
    return made;
  }

  describe(value: unknown, { types }: Pick<CompiledWorkflow, "types">): string {
    return describeValue(value, [...types, failureType], this.#options.hidden);
  }

  get outcome(): Outcome | null {
    return this.#rootState.state.outcome;
  }

  /** How the run has ended, as text. What a cancel has cut off may have written more, or less. */
  describeEnd(): string {
    const { state, compiled } = this.#rootState;
    const { outcome, store } = state;
    const end = outcome?.status === "failed" ? { ...outcome, failure: factsOf(outcome.failure) } : outcome;
    return this.describe(outcome?.status === "cancelled" ? end : { outcome: end, state: store }, compiled);
  }

  get #rootState(): ReturnType<RunsOfTicks["get"]> {
    return [...this.runs.all.values()][0] as ReturnType<RunsOfTicks["get"]>;
  }

  #noteReceived(runId: string, { event, promptId, atMs }: Extract<Tick, { readonly type: "event.received" }>): void {
    const prompt = promptId === null ? undefined : this.runs.get(runId).state.prompts?.get(promptId);
    if (promptId === null || prompt === undefined) this.events.set(eventOf(event), atMs);
    else this.answers.push({ promptId, atMs, prompt: eventOf(prompt.event), answer: eventOf(event) });
  }

  #notePrompt(prompt: WorkflowEvent, promptId: string | undefined): void {
    this.prompts.push(prompt);
    if (promptId !== undefined) this.promptsById.set(promptId, prompt);
  }

  #factsOf(runId: string, tick: Extract<Tick, { readonly type: "effect.recorded" | "effect.failed" }>): CallFacts {
    const opened = this.#opened.get(`${runId} ${tick.item} ${tick.call}`);
    const elapsedMs = tick.elapsedMs ?? (opened === undefined ? 0 : tick.atMs - opened.atMs);
    return { label: tick.label ?? opened?.label ?? null, elapsedMs };
  }

  #note(runId: string, item: PathItem, tick: Tick): void {
    const { state, compiled } = this.runs.get(runId);
    switch (tick.type) {
      case "wait.opened":
        if (tick.prompt !== null) this.#notePrompt(eventOf(tick.prompt), [...(state.prompts?.keys() ?? [])].at(-1));
        return;
      case "effect.opened":
        this.#opened.set(`${runId} ${tick.item} ${tick.call}`, tick);
        return;
      case "effect.recorded": {
        const { value, sends = [], atMs, change } = tick;
        const edit = change === undefined ? null : { change, state: state.store };
        item.calls.set(tick.call, { ...this.#factsOf(runId, tick), kind: "value", value, sends, atMs, edit });
        return;
      }
      case "effect.failed":
        if (tick.retryAtMs === null)
          item.calls.set(tick.call, { ...this.#factsOf(runId, tick), kind: "error", error: tick.error });
        return;
      case "child.opened": {
        const record = state.items.get(tick.item)?.calls?.get(tick.call);
        if (record?.kind !== "child") return;
        const run: PathRun = { workflow: tick.name, items: [] };
        this.#byId.set(record.runId, run);
        item.children.set(tick.call, run);
        return;
      }
      case "step.completed":
        item.output = this.describe(tick.output, compiled);
        item.emitted = typesOf(tick.output);
        return;
      case "step.failed":
        if (tick.retryAtMs === null) {
          item.emitted = `fails: ${tick.error.code ?? tick.error.name}`;
          item.output = `${item.emitted}: ${tick.error.message}`;
        }
        return;
      default:
    }
  }
}

const failureType: ValueType = {
  name: "StepFailedEvent",
  is: (value) => StepFailedEvent.is(value),
  encode: (event: StepFailedEvent) => factsOf((event as never as { readonly failure: Failure }).failure),
  decode: (json) => json, // never asked
};

/** Without stacks and times, which differ with each run. */
function factsOf({ stepName, attempts, input, error }: Failure): object {
  return { stepName, attempts, input, error: errorFacts(error) };
}

/** The message of an error of Millrace may have ids and times. */
function errorFacts({ name, message, code, hint, details, cause, errors }: ErrorRecord): object {
  return {
    ...(hint === undefined ? { name, message, details } : {}),
    ...(code !== undefined && { code }),
    ...(cause !== undefined && { cause: errorFacts(cause) }),
    ...(errors !== undefined && { errors: errors.map(errorFacts) }),
  };
}

function typesOf(output: EventData | readonly EventData[] | null): string {
  const types = [output ?? []].flat().map((event) => eventOf(event as EventData).type);
  return types.join(", ") || "nothing";
}

function inputOf({ input }: WorkItem): unknown {
  return input.kind === "event" ? input.event : input;
}

function eventOf(event: EventData): WorkflowEvent {
  return event as WorkflowEvent;
}
