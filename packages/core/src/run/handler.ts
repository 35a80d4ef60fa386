/**
 * A started run, for its caller.
 *
 * @module
 */
import type { RunContext, Sendable } from "../context/context.types.js";
import type { Receipt } from "../engine/command.js";
import { matchesType } from "../engine/matching.js";
import { acceptedTypes, isExternal } from "../engine/routing.js";
import type { OpenPrompt, Outcome } from "../engine/state.js";
import { WorkflowError } from "../errors/workflow-error.js";
import type { EventClass, WorkflowEvent } from "../event/event.js";
import { eventFromFields } from "../event/event-codec.js";
import { isEvent, roleOf } from "../event/facts.js";
import type { StreamOptions } from "../stream/event-stream.js";
import type { RunStream } from "../stream/run-stream.js";
import { nearest } from "../value/nearest.js";
import { createDeferred, type Deferred } from "./deferred.js";
import type { HandlerSendOptions, PendingPrompt, RunOutcome, WorkflowHandler } from "./handler.types.js";
import { inspectRefused } from "./inspect-run.js";
import { outcomeError } from "./outcome.js";
import { CallerContext } from "./run-context.js";
import { resultOfStop } from "./run-result.js";
import { openStream } from "./run-stream.js";
import type { Runner } from "./runner.js";

export class RunHandler implements WorkflowHandler<unknown, unknown> {
  readonly #runner: Runner;
  #context: CallerContext | null;
  /** Made when somebody asks for it: a run that waits for days has a handler that nobody awaits. */
  #result: Deferred<unknown> | null = null;
  #settled: Settled | null = null;
  #accepted: Deferred<void> | null = null;
  #isStored: boolean;
  #awaited = false;
  /** Kept here: another handler may have gone on with the run. */
  #outcome: Outcome | null = null;
  #dropped: { readonly error: unknown } | null = null;
  #stopListening: (() => void) | null = null;

  constructor(runner: Runner, context: CallerContext | null) {
    this.#runner = runner;
    this.#context = context;
    this.#isStored = runner.host.ports.journal === null && runner.host.permits === null;
  }

  /** Nothing has to happen before the start is stored. @internal */
  get isStored(): boolean {
    return this.#isStored;
  }

  get [Symbol.toStringTag](): string {
    return "WorkflowHandler";
  }

  get runId(): string {
    return this.#runner.state.runId;
  }

  get context(): RunContext {
    this.#context ??= CallerContext.of(this.#runner);
    return this.#context;
  }

  get accepted(): Promise<void> {
    if (this.#accepted === null) {
      this.#accepted = createDeferred();
      if (this.#isStored) this.#accepted.resolve();
    }
    return this.#accepted.promise;
  }

  // biome-ignore lint/suspicious/noThenProperty: a handler is a promise of the result
  then<Fulfilled = unknown, Rejected = never>(
    onFulfilled?: ((result: unknown) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((error: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    this.#awaited = true;
    return this.#promise().then(onFulfilled, onRejected);
  }

  catch<Rejected = never>(
    onRejected?: ((error: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<unknown> {
    return this.then(undefined, onRejected);
  }

  finally(onFinally?: (() => void) | null): Promise<unknown> {
    this.#awaited = true;
    return this.#promise().finally(onFinally);
  }

  sendEvent<Event extends WorkflowEvent>(
    sendable: Sendable<Event>,
    options: HandlerSendOptions = {},
  ): Promise<Receipt> {
    const event = sendable as WorkflowEvent;
    assertSendable(event);
    return sendAndTell(this.#runner, { event, step: options.step ?? null, promptId: null });
  }

  async answer(promptId: string, fields: Readonly<Record<string, unknown>> = {}): Promise<Receipt> {
    const found = findPrompt(this.#runner, promptId);
    if (found === null) return tellIfRefused(this.#runner, null, closed(this.#runner, promptId));
    const event = eventFromFields(answerClass(found.runner, found.prompt), fields);
    return sendAndTell(found.runner, { event, step: null, promptId });
  }

  streamEvents<Event extends WorkflowEvent = WorkflowEvent>(options?: StreamOptions): RunStream<Event> {
    return openStream(this.#runner).read(options) as RunStream<Event>;
  }

  /** Resolves when the run has stopped. */
  async cancel(reason?: unknown): Promise<void> {
    const runner = this.#runner;
    this.#awaited = true; // whoever cancels knows
    runner.submit({ type: "run.cancelled", atMs: runner.now(), reason: reason ?? null });
    if (runner.live) await this.#promise().catch(() => {});
  }

  async idle(): Promise<RunOutcome> {
    this.#awaited = true;
    await this.#runner.idle();
    if (this.#dropped !== null) throw this.#dropped.error;
    if (this.#outcome !== null) return this.#ended(this.#outcome);
    return { status: "waiting", prompts: promptsOf(this.#runner), wakeAtMs: wakeAt(this.#runner) };
  }

  /** @internal */
  onStored(): void {
    this.#isStored = true;
    this.#accepted?.resolve();
  }

  /** Cancels the run when the signal aborts. @internal */
  follow(signal: AbortSignal): void {
    const onAbort = (): void => {
      const { reason } = signal;
      void this.cancel(reason instanceof Error ? reason.message : reason);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    this.#stopListening = () => signal.removeEventListener("abort", onAbort);
    if (signal.aborted) queueMicrotask(onAbort);
  }

  /** @internal */
  onFinish(outcome: Outcome): void {
    this.#outcome = outcome;
    this.onStored();
    const failed = outcome.status !== "completed";
    const value = failed ? outcomeError(this.runId, outcome) : resultOfStop(outcome.event);
    this.#settle({ failed, value });
    if (failed) this.#tellIfUnheard(value);
  }

  /** @internal */
  onDrop(error: unknown): void {
    this.#dropped = { error };
    this.#accepted?.reject(error);
    this.#settle({ failed: true, value: error });
    this.#tellIfUnheard(error);
  }

  #promise(): Promise<unknown> {
    if (this.#result === null) {
      this.#result = createDeferred();
      if (this.#settled !== null) settle(this.#result, this.#settled);
    }
    return this.#result.promise;
  }

  #settle(settled: Settled): void {
    this.#settled = settled;
    if (this.#result !== null) settle(this.#result, settled);
    this.#stopListening?.();
    this.#runner.host.liveIds.delete(this.runId);
  }

  /** A failure that nobody awaits is not lost. */
  #tellIfUnheard(error: unknown): void {
    queueMicrotask(() => {
      const { log } = this.#runner.host.ports;
      if (!this.#awaited)
        log.error(
          `Run "${this.runId}" of "${this.#runner.state.workflow}" has ended without a result, and nobody awaits it.`,
          error,
        );
    });
  }

  #ended(outcome: Outcome): RunOutcome {
    switch (outcome.status) {
      case "completed":
        return { status: "completed", result: resultOfStop(outcome.event) };
      case "failed":
        return { status: "failed", error: outcomeError(this.runId, outcome) };
      case "cancelled":
        return { status: "cancelled", reason: outcome.reason };
      case "timedOut":
        return { status: "timedOut", timeoutMs: outcome.timeoutMs };
    }
  }
}

/** What the promise of the result comes to. */
interface Settled {
  readonly failed: boolean;
  readonly value: unknown;
}

function settle(deferred: Deferred<unknown>, { failed, value }: Settled): void {
  if (failed) deferred.reject(value);
  else deferred.resolve(value);
}

interface Sent {
  readonly event: WorkflowEvent;
  readonly step: string | null;
  readonly promptId: string | null;
}

async function sendAndTell(runner: Runner, sent: Sent): Promise<Receipt> {
  return tellIfRefused(runner, sent.event.type, await send(runner, sent));
}

function tellIfRefused(runner: Runner, eventType: string | null, receipt: Receipt): Receipt {
  if (receipt.status === "refused" && runner.host.inspector.active) inspectRefused(runner, eventType, receipt);
  return receipt;
}

/** To the run; what it has no use for, its children are asked in turn. */
async function send(runner: Runner, sent: Sent): Promise<Receipt> {
  if (!runner.live)
    return {
      status: "refused",
      code: "RUN_FINISHED",
      hint: `The run is ${runner.state.status}: start a new one, resume or retry it.`,
    };
  const receipt = runner.host.compiled.registry.has(sent.event)
    ? await submit(runner, sent)
    : unknownEvent(runner, sent.event);
  if (receipt.status === "accepted" || receipt.code !== "EVENT_NOT_ACCEPTED") return receipt;
  for (const child of runner.children?.values() ?? []) {
    const answer = await send(child, sent);
    if (answer.status === "accepted") return answer;
  }
  return receipt;
}

function submit(runner: Runner, sent: Sent): Promise<Receipt> {
  return new Promise((resolve) => {
    const ticket = runner.ticket(resolve);
    runner.submit({ type: "event.received", atMs: runner.now(), ...sent, ticket });
  });
}

function unknownEvent(runner: Runner, event: WorkflowEvent): Receipt {
  const { name, registry } = runner.host.compiled;
  const near = nearest(event.type, registry.types());
  const isTwin = registry.types().includes(event.type);
  const hint = isTwin
    ? "It is of another class of that type: use the workflow's own."
    : near === null
      ? ""
      : `Did you mean ${near}?`;
  return {
    status: "refused",
    code: "EVENT_NOT_ACCEPTED",
    hint: `No step of "${name}" names ${event.type}. ${hint}`.trim(),
  };
}

function assertSendable(event: WorkflowEvent): void {
  const role = isEvent(event) ? roleOf(event) : null;
  if (role !== null && role !== "stop" && role !== "terminal") return;
  throw new WorkflowError({
    code: "EVENT_NOT_SENDABLE",
    message: role === null ? "What was sent is no event." : `${event.type} ends a run and cannot be sent to one.`,
    hint:
      role === null
        ? "Send an instance of an event class."
        : "Use `handler.cancel()`, or send an event whose step returns the stop event.",
  });
}

function findPrompt(runner: Runner, promptId: string): { readonly runner: Runner; readonly prompt: OpenPrompt } | null {
  const prompt = runner.state.prompts?.get(promptId);
  if (prompt) return { runner, prompt };
  for (const child of runner.children?.values() ?? []) {
    const found = findPrompt(child, promptId);
    if (found !== null) return found;
  }
  return null;
}

function closed(runner: Runner, promptId: string): Receipt {
  if (!runner.live)
    return {
      status: "refused",
      code: "RUN_FINISHED",
      hint: `The run is ${runner.state.status}: start a new one, resume or retry it.`,
    };
  return {
    status: "refused",
    code: "PROMPT_CLOSED",
    hint: `Prompt ${promptId} is answered, timed out or gone: ask \`idle()\` which prompts are open.`,
  };
}

/** The event that an answer becomes: what the wait is for, or the one answer that the steps take. */
function answerClass({ host }: Runner, { wait, promptId }: OpenPrompt): EventClass {
  const { registry } = host.compiled;
  const answers = host.routing.external
    .flatMap((step) => acceptedTypes(step))
    .filter((type) => isExternal(host.routing.roles.get(type)));
  const types = wait === null ? [...new Set(answers)] : wait.accepts;
  const [type, ...others] = types;
  const found = type === undefined || (wait === null && others.length > 0) ? undefined : registry.get(type);
  if (found && (wait !== null || matchesType(types, found.type))) return found;
  throw new WorkflowError({
    code: "EVENT_NOT_ACCEPTED",
    message: `Prompt ${promptId} can be answered by ${types.join(", ") || "no event"}: fields alone do not say which.`,
    hint: "Send the event itself with `handler.sendEvent(event)`.",
    details: { promptId, types },
  });
}

function promptsOf(runner: Runner): PendingPrompt[] {
  const own = [...(runner.state.prompts?.values() ?? [])].map(({ promptId, event }) => ({
    promptId,
    event: event as WorkflowEvent,
    runId: runner.state.runId,
  }));
  return [...own, ...[...(runner.children?.values() ?? [])].flatMap(promptsOf)];
}

function wakeAt(runner: Runner): number | null {
  const times = [runner.state.timers?.first()?.dueAtMs ?? null, ...[...(runner.children?.values() ?? [])].map(wakeAt)];
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : Math.min(...known);
}
