/** Code of others, with a span that is active in it. */
import { context, type Span, type SpanOptions, SpanStatusCode, trace } from "@opentelemetry/api";
import { errorTypeOf } from "./error-type.js";
import { attributes } from "./names.js";
import type { Providers } from "./providers.js";
import { quietly } from "./quietly.js";

/** A span below what is active; `undefined` where there is no SDK, or it cannot. */
export function startedSpan(providers: Providers, name: string, options: SpanOptions): Span | undefined {
  return quietly(() => providers.tracer?.startSpan(name, options), undefined);
}

export interface InSpanOptions {
  /** What ends the span. @default "work", however it ends */
  readonly endsWith?: "work" | "failure";
}

/** Runs `work` in this span. Gives what it gives. */
export function inSpan(span: Span, work: () => unknown, { endsWith = "work" }: InSpanOptions = {}): unknown {
  const end = (error?: unknown): void =>
    quietly(() => {
      if (error !== undefined) fail(span, error);
      if (error !== undefined || endsWith === "work") span.end();
    }, undefined);
  try {
    const value = context.with(trace.setSpan(context.active(), span), work);
    if (typeof (value as { then?: unknown } | null | undefined)?.then !== "function") {
      end();
      return value;
    }
    return (value as PromiseLike<unknown>).then(
      (result) => {
        end();
        return result;
      },
      (error: unknown) => {
        end(error ?? "nothing");
        throw error;
      },
    );
  } catch (error) {
    end(error ?? "nothing");
    throw error;
  }
}

export function fail(span: Span, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  span.setAttribute(attributes.errorType, errorTypeOf(error));
  span.setStatus({ code: SpanStatusCode.ERROR, message });
  span.recordException(error instanceof Error ? error : message);
}
