/**
 * The way that a run took: its work items, what went into them, what their calls answered, and what came out.
 *
 * @module
 */
import type { ErrorRecord, WorkflowEvent } from "millrace";
import type { CompiledWorkflow, EventData, Send, StateChange, Tick, WorkItem } from "millrace/engine";
import { RunsOfTicks } from "../harness/runs-of-ticks.js";
import { describeValue } from "../proof/describe-value.js";

/** What a call of `ctx.run` has answered in the end. */
export type CallOutcome =
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
  /** The children that it has opened, by call. */
  readonly children: Map<string, PathRun>;
}

export interface PathRun {
  readonly workflow: string;
  readonly items: PathItem[];
}

export interface PathAnswer {
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
  /** Events from outside that answer no prompt. */
  readonly events: WorkflowEvent[] = [];
  readonly #byId: Map<string, PathRun> = new Map();
  readonly #items: Map<string, PathItem> = new Map();
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
    const made: PathItem = { step: item.step, input, calls: new Map(), output: null, children: new Map() };
    this.#items.set(key, made);
    this.run(runId).items.push(made);
    return made;
  }

  describe(value: unknown, { types }: Pick<CompiledWorkflow, "types">): string {
    return describeValue(value, types, this.#options.hidden);
  }

  #noteReceived(runId: string, { event, promptId }: Extract<Tick, { readonly type: "event.received" }>): void {
    const prompt = promptId === null ? undefined : this.runs.get(runId).state.prompts?.get(promptId);
    if (prompt === undefined) this.events.push(eventOf(event));
    else this.answers.push({ prompt: eventOf(prompt.event), answer: eventOf(event) });
  }

  #note(runId: string, item: PathItem, tick: Tick): void {
    const { state, compiled } = this.runs.get(runId);
    switch (tick.type) {
      case "effect.recorded": {
        const { value, sends = [], atMs, change } = tick;
        const edit = change === undefined ? null : { change, state: state.store };
        item.calls.set(tick.call, { kind: "value", value, sends, atMs, edit });
        return;
      }
      case "effect.failed":
        if (tick.retryAtMs === null) item.calls.set(tick.call, { kind: "error", error: tick.error });
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
        return;
      case "step.failed":
        if (tick.retryAtMs === null)
          item.output = `fails: ${tick.error.code ?? tick.error.name}: ${tick.error.message}`;
        return;
      default:
    }
  }
}

function inputOf({ input }: WorkItem): unknown {
  return input.kind === "event" ? input.event : input;
}

function eventOf(event: EventData): WorkflowEvent {
  return event as WorkflowEvent;
}
