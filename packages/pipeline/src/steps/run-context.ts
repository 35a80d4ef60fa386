/** What functions, evaluators, selectors, agents and tools share of a run. */

import {
  type EditOptions,
  type EditReads,
  editSession,
  keepChanges,
  type LiveSessionState,
  type RunContext,
  type SessionPatch,
  type SessionView,
  storableCopy,
} from "@millrace/executor";
import { type Context, WorkflowError } from "millrace";
import { attemptEnded, type OpenAttempt } from "../attempts/open-attempt.js";
import type { RunEvents } from "../attempts/run-events.js";
import type { PipelineIdentity } from "../data/step-function.types.js";
import { eventNames } from "../output/event-names.js";
import { rootState, type StateScope } from "../state/own-state.js";
import type { PipelineState, RunTreeState } from "../state/pipeline-state.types.js";

export interface RunContextSetup {
  /** Which session state it is. */
  readonly scope: StateScope;
  readonly live: LiveSessionState;
  readonly pipeline: PipelineIdentity;
  readonly events: RunEvents;
  /** Fields of the step, added to its events. */
  readonly about: Readonly<Record<string, unknown>>;
  readonly idempotencyKey: string;
  readonly iteration: number | null;
  readonly attempt: OpenAttempt;
  readonly dependencies: Readonly<Record<string, unknown>>;
}

/** Of one attempt of one step. */
export class StepRunContext implements RunContext {
  readonly runId: string;
  readonly sessionId: string;
  readonly userId: string | null;
  readonly pipelineId: string;
  readonly pipelineName: string;
  readonly dependencies: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly idempotencyKey: string;
  readonly iteration: number | null;
  readonly #ctx: Context<Record<string, unknown>>;
  #view: SessionView | null = null;
  readonly #setup: RunContextSetup;
  readonly #request: PipelineState["request"];

  constructor(
    ctx: Context<Record<string, unknown>>,
    { request }: Pick<PipelineState, "request">,
    setup: RunContextSetup,
  ) {
    const { pipeline } = setup;
    this.#request = request;
    this.runId = ctx.runId;
    this.sessionId = request.sessionId;
    this.userId = request.userId;
    this.pipelineId = pipeline.id;
    this.pipelineName = pipeline.name;
    this.dependencies = setup.dependencies;
    this.metadata = request.metadata;
    this.idempotencyKey = setup.idempotencyKey;
    this.iteration = setup.iteration;
    this.#ctx = ctx;
    this.#setup = setup;
  }

  get signal(): AbortSignal {
    return this.#setup.attempt.signal;
  }

  get sessionState(): Record<string, unknown> {
    return this.#session().state;
  }

  set sessionState(state: Record<string, unknown>) {
    this.#session().replace(state);
  }

  /** Made when it is first read: many steps never look. */
  #session(): SessionView {
    if (this.#view !== null) return this.#view;
    const view = this.#setup.live.view();
    this.#view = view;
    this.#setup.attempt.onEnd((error) => view.close(error));
    return view;
  }

  /** Bound, as `emit` is: both are mostly taken out of the context. */
  readonly editState: RunContext["editState"] = (edit, options) => {
    const assertAlive = (): void => this.#setup.attempt.assertAlive();
    // What the attempt has changed in place stays its own until its end: an edit that throws takes nothing of it away.
    return this.#ctx.store.editState(async (draft) => {
      assertAlive();
      const { result, changes, reads } = await editSession(this.#setup.live, edit, assertAlive);
      this.#keep(rootState(draft), changes, reads);
      return result;
    }, ownKey(options));
  };

  readonly snapshot: RunContext["snapshot"] = () => this.#setup.live.plain();

  readonly emit: RunContext["emit"] = (name, data = {}) => {
    const { events, about, attempt } = this.#setup;
    attempt.assertAlive();
    if (typeof name !== "string" || name === "") throw noEventName(name);
    if (typeof data !== "object" || data === null || Array.isArray(data)) throw noFields(name, data);
    if (name !== "CustomEvent" && eventNames.has(name)) throw nameTaken(name, about);
    // Whose event it is, it does not say itself.
    events.emit("custom", name, {
      ...storableCopy(`The event "${name}" was given`, data),
      ...events.base,
      ...about,
      event: name,
    });
  };

  /** Of one call in the attempt: what the call changes in place is its own. */
  ofCall(): StepRunContext {
    return new StepRunContext(this.#ctx, { request: this.#request }, this.#setup);
  }

  /** Called when the call has ended. Its unstored changes are stored with the next changes of the run. */
  close(): void {
    this.#view?.close(() => attemptEnded(String(this.#setup.about["stepName"] ?? "agent"), "the call has ended"));
  }

  /** Whether it may have changed the session state in place. */
  get isChanged(): boolean {
    return this.#view !== null;
  }

  /** What this attempt has changed in place goes into the state that is stored. */
  commitTo(draft: RunTreeState): void {
    if (this.#view !== null) this.#keep(draft, this.#view.take());
  }

  #keep(draft: RunTreeState, changes: readonly SessionPatch[], reads?: EditReads): void {
    const stored = changes.length > 0 ? this.#setup.scope.write(draft) : null;
    if (stored !== null) keepChanges(stored, changes, reads);
  }
}

/** Apart from the keys of the pipeline itself. */
function ownKey(options: EditOptions | undefined): EditOptions | undefined {
  return typeof options?.key === "string" ? { ...options, key: `own ${options.key}` } : options;
}

function noFields(name: string, data: unknown): WorkflowError {
  const given = Array.isArray(data) ? "a list" : data == null ? String(data) : `a ${typeof data}`;
  return new WorkflowError({
    code: "OPTION_INVALID",
    message: `The event "${name}" was given ${given} as its data, not an object.`,
    hint: `Pass its fields: \`emit("${name}", { value })\`.`,
    details: { event: name },
  });
}

function noEventName(name: unknown): WorkflowError {
  const given = name === "" ? "an empty name" : name === null ? "null" : typeof name;
  return new WorkflowError({
    code: "OPTION_INVALID",
    message: `An event was given ${given} as its name, not a text.`,
    hint: 'Name it: `emit("Progress", { percent: 50 })`.',
  });
}

/** Readers would mistake it for an event of the pipeline. */
function nameTaken(name: string, { stepName }: RunContextSetup["about"]): WorkflowError {
  return new WorkflowError({
    code: "OPTION_INVALID",
    message: `The step "${String(stepName)}" emits "${name}", which is an event of the pipeline itself.`,
    hint: "Rename your event, or call it CustomEvent.",
    details: { option: "name", reason: "taken", event: name, stepName },
  });
}
