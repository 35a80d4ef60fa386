/** Converts inspection events to spans and metrics. */
import type { MeterProvider, TracerProvider } from "@opentelemetry/api";
import { type AttemptCall, type EffectOfAttempt, type Inspection, type RunFacts, WorkflowError } from "millrace";
import type { StartingRun, TraceContext } from "millrace";
import type { RuntimeObserver, RuntimeTelemetry } from "millrace/runtime";
import { agentSpans, registerAgentSpans } from "./agent-spans.js";
import { errorTypeOf } from "./error-type.js";
import { genAi, registerGenAi } from "./gen-ai.js";
import { Metrics } from "./metrics.js";
import { attributes } from "./names.js";
import { Providers, type Redact } from "./providers.js";
import { quietly } from "./quietly.js";
import { type AttemptStatus, Spans } from "./spans.js";
import { remember } from "./trace-headers.js";

export interface TelemetryOptions {
  /** @default the one that is registered, also later */
  readonly tracerProvider?: TracerProvider;
  /** @default the one that is registered, also later */
  readonly meterProvider?: MeterProvider;
  /**
   * Reports the calls of models and tools that agents make in steps, to the AI SDK of this process. `false` where another integration
   * of the AI SDK, such as `@ai-sdk/otel`, does. @default true
   */
  readonly genAi?: boolean;
  /**
   * Returns the message and the stack of an error for spans, for example without secrets and personal data. The type of the error stays. If
   * the redactor throws, or returns no texts, the message is empty.
   *
   * @default both are sent unchanged, with all that they quote
   * @example
   * telemetry({ redact: ({ message }) => ({ message: message.replaceAll(/\d{12,}/g, "…") }) }) // no stack
   */
  readonly redact?: Redact;
  /** Shortest time between two reads of the depths of queues from the store, in milliseconds. @default 30000 */
  readonly queueDepthEveryMs?: number;
}

/**
 * Spans and metrics of workflows, for `workflow.use(…)` and `createRuntime({ telemetry })`. It costs nothing while no SDK is registered; an
 * SDK that is registered later is found within a few steps.
 *
 * @throws {WorkflowError} `OPTION_INVALID`
 * @example
 * const runtime = createRuntime({ workflows, store, telemetry: telemetry() });
 */
export function telemetry(options: TelemetryOptions = {}): RuntimeTelemetry {
  const { queueDepthEveryMs = 30_000, redact } = options;
  if (redact !== undefined && typeof redact !== "function")
    throw new WorkflowError({
      code: "OPTION_INVALID",
      message: "`redact` must be a function.",
      hint: "Leave it out, or pass a function such as `({ message, stack }) => ({ message })`.",
      details: { option: "redact" },
    });
  if (!(queueDepthEveryMs >= 0))
    throw new WorkflowError({
      code: "OPTION_INVALID",
      message: `\`queueDepthEveryMs\` must be a number of milliseconds, at least 0; it is ${String(queueDepthEveryMs)}.`,
      hint: "Leave it out, or pass a number such as 30000.",
      details: { option: "queueDepthEveryMs" },
    });
  return new OtelTelemetry(options, queueDepthEveryMs);
}

/** Reads between two checks for an SDK. */
const LOOK_EVERY = 50;

class OtelTelemetry implements RuntimeTelemetry {
  readonly #providers: Providers;
  readonly #spans: Spans;
  readonly #metrics: Metrics;
  readonly #reportsModels: boolean;
  readonly runtime: RuntimeObserver;
  #isOn = false;
  /** Reads until the next check. */
  #wait = 0;

  constructor(options: TelemetryOptions, everyMs: number) {
    const { genAi: reportsModels = true } = options;
    this.#providers = new Providers(options);
    this.#spans = new Spans(this.#providers);
    this.#metrics = new Metrics(this.#providers, everyMs);
    this.#reportsModels = reportsModels;
    this.runtime = observerOf(this.#metrics);
  }

  get isActive(): boolean {
    if (this.#isOn) return true;
    // Read about ten times per step.
    if (this.#wait-- > 0) return false;
    this.#wait = LOOK_EVERY;
    if (!quietly(() => this.#providers.isActive, false)) return false;
    this.#isOn = true;
    if (this.#reportsModels) {
      registerGenAi(genAi({ providers: this.#providers, metrics: this.#metrics }));
      registerAgentSpans(agentSpans(this.#providers));
    }
    return true;
  }

  onStart(run: StartingRun): TraceContext | null {
    return quietly(() => this.#spans.start(run), run.trace);
  }

  callStep(call: AttemptCall, work: () => unknown): unknown {
    remember(call.ctx, this.#spans);
    return this.#spans.callStep(call, work);
  }

  callEffect(call: EffectOfAttempt, work: () => unknown): unknown {
    return this.#spans.callEffect(call, work);
  }

  onInspection(inspection: Inspection): void {
    quietly(() => this.#report(inspection), undefined);
  }

  #report({ name, payload }: Inspection): void {
    switch (name) {
      case "run.started":
        this.#metrics.count("millrace.run.started", { [attributes.workflow]: payload.workflow });
        return this.#spans.open(payload, false);
      case "run.resumed":
        this.#metrics.count("millrace.run.resumed", { [attributes.workflow]: payload.workflow });
        return this.#spans.open(payload, true);
      case "run.released":
        return this.#spans.forget(payload);
      case "run.completed":
      case "run.cancelled":
        return this.#ended(payload, { status: name.slice("run.".length), elapsedMs: payload.elapsedMs });
      case "run.failed": {
        const { error, elapsedMs } = payload;
        return this.#ended(payload, { status: "failed", elapsedMs, error: error ?? "nothing" });
      }
      case "run.timedOut": {
        const { elapsedMs, timeoutMs } = payload;
        const error = { code: "RUN_TIMED_OUT", toString: () => `The run had ${timeoutMs} ms.` };
        return this.#ended(payload, { status: "timedOut", elapsedMs, error });
      }
      default:
        return this.#onAttempt({ name, payload } as Inspection);
    }
  }

  #onAttempt({ name, payload }: Inspection): void {
    switch (name) {
      case "step.started":
        return this.#spans.attempt(payload);
      case "step.completed":
        return this.#attemptEnded(payload, "completed");
      case "step.failed":
        return this.#attemptEnded(payload, "failed", payload.error ?? "nothing");
      case "step.stopped":
        return this.#attemptEnded(payload, "stopped");
      case "step.interrupted":
        return this.#spans.interrupted(payload);
      case "step.retrying":
        return this.#metrics.count("millrace.step.retries", {
          [attributes.workflow]: payload.workflow,
          [attributes.step]: payload.step,
        });
      case "step.answered":
        return this.#spans.answered(payload);
      default:
    }
  }

  #ended(
    facts: RunFacts,
    end: { readonly status: string; readonly elapsedMs: number; readonly error?: unknown },
  ): void {
    const labels = { [attributes.workflow]: facts.workflow, [attributes.runStatus]: end.status };
    this.#metrics.count("millrace.run.ended", labels);
    this.#metrics.record("millrace.run.duration", end.elapsedMs / 1000, labels);
    this.#spans.end(facts, end);
  }

  #attemptEnded(facts: Ended, status: AttemptStatus, error?: unknown): void {
    this.#metrics.record("millrace.step.duration", facts.elapsedMs / 1000, {
      [attributes.workflow]: facts.workflow,
      [attributes.step]: facts.step,
      [attributes.attemptStatus]: status,
      ...(error !== undefined && { [attributes.errorType]: errorTypeOf(error) }),
    });
    this.#spans.endAttempt(facts, status, error);
  }
}

type Ended = Extract<Inspection, { readonly name: "step.completed" | "step.failed" | "step.stopped" }>["payload"];

function observerOf(metrics: Metrics): RuntimeObserver {
  return {
    onRuntime: (runtime) => metrics.watch(runtime),
    onCommit: ({ runs, textLength }) => {
      const startedMs = performance.now();
      return (isStored) => {
        const labels = { [attributes.stored]: isStored };
        metrics.record("millrace.store.commit.duration", (performance.now() - startedMs) / 1000, labels);
        metrics.record("millrace.store.commit.size", textLength, labels);
        metrics.record("millrace.store.commit.run.count", runs, labels);
      };
    },
    onClaim: ({ workflow, dueAtMs, claimedAtMs }) =>
      metrics.record("millrace.runtime.claim.lag", (claimedAtMs - dueAtMs) / 1000, { [attributes.workflow]: workflow }),
    onLeaseLost: ({ workflow }) => metrics.count("millrace.runtime.lease.lost", { [attributes.workflow]: workflow }),
  };
}
