/**
 * Runs, attempts, effects and waits as spans.
 *
 * A run may move through many processes, and a span belongs to the process that ends it: the span of a run is created where the run ends,
 * with the time at which the run started. An attempt that is interrupted when a run leaves memory gets its span from the process that
 * resumes the run.
 *
 * @module
 */
import {
  type Attributes,
  type Context,
  context,
  isSpanContextValid,
  type Link,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  TraceFlags,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import type {
  AttemptCall,
  AttemptFacts,
  EffectOfAttempt,
  InspectionEvents,
  RunFacts,
  StartingRun,
  TraceContext,
} from "millrace";
import { spanIdOf, traceIdOf } from "millrace/engine";
import { fail, inSpan } from "./in-span.js";
import { attributes } from "./names.js";
import type { Providers } from "./providers.js";
import { quietly } from "./quietly.js";
import { hasRunIds, type Ids, withIds } from "./run-ids.js";
import { contextWith, headersOf, spanContextOf, stepContext } from "./trace-context.js";

/** A run in the memory of this process. */
interface LiveRun {
  /** Open attempts, by item and attempt. */
  readonly attempts: Map<string, Span>;
  readonly parent: SpanContext | null;
  /** When the run was resumed after its end. */
  readonly resumedAtMs: number | null;
}

export type AttemptStatus = "completed" | "failed" | "stopped" | "interrupted";

interface NewSpan {
  readonly tracer: Tracer;
  readonly name: string;
  readonly parent: SpanContext | null;
  /** `null` if the SDK generates the ids. */
  readonly ids: Ids | null;
  readonly startMs: number;
  readonly attributes: Attributes;
  readonly links?: Link[];
}

export class Spans {
  readonly #providers: Providers;
  readonly #runs: Map<string, LiveRun> = new Map();
  readonly #contexts: WeakMap<object, Context> = new WeakMap();
  /** Attempts in this process, by the id that all processes know. */
  readonly #byId: Map<string, Span> = new Map();
  /** Whether this SDK takes its ids from `runIds`; `null` before the first check. */
  #takesRunIds: boolean | null = null;

  constructor(providers: Providers) {
    this.#providers = providers;
  }

  /** The active span, if it belongs to the trace that the run was started with; otherwise that trace. */
  start({ workflow, runId, trace: given }: StartingRun): TraceContext | null {
    const { tracer } = this.#providers;
    if (tracer === null) return given;
    const active = trace.getSpanContext(context.active());
    const isActive = active !== undefined && isSpanContextValid(active);
    const remote = given === null ? null : spanContextOf(given);
    if (isActive && (remote === null || remote.traceId === active.traceId)) return headersOf(active);
    if (remote !== null) return given;
    const facts = { [attributes.workflow]: workflow, [attributes.runId]: runId };
    const options = { kind: SpanKind.PRODUCER, root: true, attributes: facts };
    const span = tracer.startSpan(`start ${workflow}`, options, ROOT_CONTEXT);
    span.end();
    return isSpanContextValid(span.spanContext()) ? headersOf(span.spanContext()) : null;
  }

  open(facts: RunFacts, isResumed: boolean): void {
    const isLater = facts.spanId !== spanIdOf(facts);
    this.#runs.set(runKey(facts), {
      attempts: new Map(),
      parent: this.#parentOf(facts),
      resumedAtMs: isResumed && isLater ? facts.atMs : null,
    });
  }

  /** The run has left this process and ends elsewhere. */
  forget(facts: RunFacts): void {
    const run = this.#runs.get(runKey(facts));
    this.#runs.delete(runKey(facts));
    for (const key of run?.attempts.keys() ?? []) this.#byId.delete(idOf(facts, key));
  }

  end(facts: RunFacts, { status, elapsedMs, error }: { status: string; elapsedMs: number; error?: unknown }): void {
    const run = this.#runs.get(runKey(facts));
    this.forget(facts);
    for (const span of run?.attempts.values() ?? []) {
      span.setAttribute(attributes.attemptStatus, "stopped" satisfies AttemptStatus);
      span.end(new Date(facts.atMs));
    }
    const { tracer } = this.#providers;
    if (tracer === null) return;
    const isLater = facts.spanId !== spanIdOf(facts);
    const first: SpanContext = { ...this.#remote(facts), spanId: spanIdOf(facts) };
    const span = this.#make({
      tracer,
      name: `run ${facts.workflow}`,
      parent: run?.parent ?? this.#parentOf(facts),
      ids: facts,
      startMs: run?.resumedAtMs ?? (isLater ? facts.atMs : facts.atMs - elapsedMs),
      attributes: { ...ofRun(facts), [attributes.runStatus]: status },
      links: isLater && this.#hasRunIds ? [linkTo(first, "ended before")] : [],
    });
    if (error !== undefined) fail(this.#providers, span, error);
    span.end(new Date(facts.atMs));
  }

  attempt(facts: InspectionEvents["step.started"]): void {
    const span = this.#attempt(facts, facts.atMs);
    if (span === null) return;
    this.#runs.get(runKey(facts))?.attempts.set(attemptKey(facts), span);
    this.#byId.set(facts.spanId, span);
  }

  endAttempt(facts: AttemptFacts, status: AttemptStatus, error?: unknown): void {
    const run = this.#runs.get(runKey(facts));
    const span = run?.attempts.get(attemptKey(facts));
    run?.attempts.delete(attemptKey(facts));
    this.#byId.delete(facts.spanId);
    span?.setAttribute(attributes.attemptStatus, status);
    if (span && error !== undefined) fail(this.#providers, span, error);
    span?.end(new Date(facts.atMs));
  }

  /** Reports an attempt that was active when its run left memory: no other process reports it. */
  interrupted(facts: InspectionEvents["step.interrupted"]): void {
    this.#byId.delete(facts.spanId);
    const span = this.#attempt(facts, facts.startedAtMs ?? facts.atMs);
    span?.setAttribute(attributes.attemptStatus, "interrupted" satisfies AttemptStatus);
    span?.end(new Date(facts.atMs));
  }

  answered(facts: InspectionEvents["step.answered"]): void {
    const { tracer } = this.#providers;
    if (tracer === null) return;
    const { kind, isTimeout, sinceMs, atMs } = facts;
    const parent = this.#byId.get(facts.spanId)?.spanContext() ?? this.#remote(facts);
    const span = this.#make({
      tracer,
      name: `wait ${kind}`,
      parent: this.#hasRunIds || this.#byId.has(facts.spanId) ? parent : this.#runParent(facts),
      ids: null,
      startMs: sinceMs ?? atMs,
      attributes: {
        ...ofStep(facts),
        [attributes.waitKind]: kind,
        ...(isTimeout && { [attributes.waitTimedOut]: true }),
      },
    });
    span.end(new Date(atMs));
  }

  callStep(call: AttemptCall, work: () => unknown): unknown {
    const { item, attempt, ctx } = call;
    const span = this.#byId.get(spanIdOf(call, item, attempt));
    if (span === undefined) return work();
    const own = stepContext(span, this.#providers);
    this.#contexts.set(ctx, own);
    const value = context.with(own, work);
    return isGenerator(value) ? generatorIn(own, value) : value;
  }

  callEffect({ ctx, key, label, callAttempt }: EffectOfAttempt, work: () => unknown): unknown {
    const facts = {
      [attributes.effect]: key,
      [attributes.effectAttempt]: callAttempt,
      ...(label !== undefined && { [attributes.effectLabel]: label }),
    };
    const start = () => this.#providers.tracer?.startSpan(`effect ${key}`, { attributes: facts }, this.contextOf(ctx));
    const span = quietly(start, undefined);
    return span === undefined ? work() : inSpan(span, work, { providers: this.#providers });
  }

  /** The active context, if it is within the attempt of this `ctx`; otherwise that of the attempt. */
  contextOf(ctx: object): Context {
    const active = context.active();
    const own = this.#contexts.get(ctx);
    if (own === undefined) return active;
    const isWithin = trace.getSpanContext(active)?.traceId === trace.getSpanContext(own)?.traceId;
    return isWithin ? active : own;
  }

  /** Checked with a span that is not sampled: an SDK generates ids before it asks its sampler. */
  get #hasRunIds(): boolean {
    const { tracer } = this.#providers;
    if (this.#takesRunIds === null && tracer !== null) {
      const unsampled: SpanContext = { traceId: traceIdOf(""), spanId: spanIdOf(""), traceFlags: TraceFlags.NONE };
      this.#takesRunIds = hasRunIds(() => tracer.startSpan("probe", {}, contextWith(unsampled)));
    }
    return this.#takesRunIds === true;
  }

  #attempt(facts: AttemptFacts, startMs: number): Span | null {
    const { tracer } = this.#providers;
    if (tracer === null) return null;
    const { item, attempt } = facts;
    const links = [];
    if (attempt > 1 && this.#hasRunIds) {
      const before = { ...this.#remote(facts), spanId: spanIdOf(facts, item, attempt - 1) };
      links.push(linkTo(before, "attempt before"));
    }
    const parent = this.#runParent(facts);
    return this.#make({
      tracer,
      name: `step ${facts.step}`,
      parent,
      ids: facts,
      startMs,
      attributes: ofStep(facts),
      links,
    });
  }

  #make({ tracer, name, parent, ids, startMs, attributes: facts, links = [] }: NewSpan): Span {
    const make = (): Span =>
      tracer.startSpan(name, { startTime: new Date(startMs), attributes: facts, links }, contextWith(parent));
    return ids === null ? make() : withIds(ids, make);
  }

  /** The parent of an attempt: the span of its run, if all processes know its id; otherwise the parent of the run. */
  #runParent(facts: AttemptFacts): SpanContext | null {
    if (this.#hasRunIds) return { ...this.#remote(facts), spanId: facts.parentSpanId as string };
    const run = this.#runs.get(runKey(facts));
    return run?.parent ?? (facts.trace === null ? null : spanContextOf(facts.trace));
  }

  /** The parent of a run: an attempt in this process, or the span of its start. */
  #parentOf(facts: RunFacts): SpanContext | null {
    const { parentSpanId, trace: given } = facts;
    if (parentSpanId === null) return null;
    const here = this.#byId.get(parentSpanId);
    if (here !== undefined) return here.spanContext();
    const root = given === null ? null : spanContextOf(given);
    return this.#hasRunIds || root === null ? { ...this.#remote(facts), spanId: parentSpanId } : root;
  }

  /** A remote span of the run's trace, with the trace's decision about sampling. */
  #remote({ traceId, spanId, trace: given }: RunFacts): SpanContext {
    const root = given === null ? null : spanContextOf(given);
    return { traceFlags: TraceFlags.SAMPLED, ...root, traceId, spanId, isRemote: true };
  }
}

function ofRun({ workflow, runId }: RunFacts): Attributes {
  return { [attributes.workflow]: workflow, [attributes.runId]: runId };
}

function ofStep(facts: AttemptFacts): Attributes {
  const { step, item, attempt } = facts;
  return { ...ofRun(facts), [attributes.step]: step, [attributes.item]: item, [attributes.attempt]: attempt };
}

function linkTo(spanContext: SpanContext, why: string): Link {
  return { context: spanContext, attributes: { [attributes.link]: why } };
}

function runKey({ traceId, tenant, runId }: RunFacts): string {
  return JSON.stringify([traceId, tenant, runId]);
}

function attemptKey({ item, attempt }: AttemptFacts): string {
  return `${item} ${attempt}`;
}

function idOf(facts: RunFacts, key: string): string {
  const [item, attempt] = key.split(" ").map(Number);
  return spanIdOf(facts, item, attempt);
}

function isGenerator(value: unknown): value is AsyncGenerator {
  const generator = value as Partial<AsyncGenerator> | null | undefined;
  return typeof generator?.[Symbol.asyncIterator] === "function" && typeof generator.next === "function";
}

/** Runs a generator in `own`: otherwise its code would run in the context of the caller of `next`. */
function generatorIn(own: Context, generator: AsyncGenerator): AsyncGenerator {
  return new Proxy(generator, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return (...args: unknown[]) => context.with(own, () => member.apply(target, args));
    },
  });
}
