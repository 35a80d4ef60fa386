/** Runs user code within an active span. */
import { context, type Span, type SpanOptions, SpanStatusCode, trace } from "@opentelemetry/api";
import { errorTypeOf } from "./error-type.js";
import { attributes } from "./names.js";
import type { Providers, ReportedError } from "./providers.js";
import { quietly } from "./quietly.js";

/** Starts a child of the active span; `undefined` without an SDK, or if the SDK throws. */
export function startedSpan(providers: Providers, name: string, options: SpanOptions): Span | undefined {
  return quietly(() => providers.tracer?.startSpan(name, options), undefined);
}

export interface InSpanOptions {
  readonly providers: Providers;
  /** What ends the span: the end of the work, with any outcome, or only its failure. @default "work" */
  readonly endsWith?: "work" | "failure";
}

/** Runs `work` within this span and returns its result. */
export function inSpan(span: Span, work: () => unknown, { providers, endsWith = "work" }: InSpanOptions): unknown {
  const end = (error?: unknown): void =>
    quietly(() => {
      if (error !== undefined) fail(providers, span, error);
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

export function fail(providers: Providers, span: Span, error: unknown): void {
  const type = errorTypeOf(error);
  const { message, stack } = shownOf(providers, error);
  span.setAttribute(attributes.errorType, type);
  span.setStatus({ code: SpanStatusCode.ERROR, message });
  const isError = error instanceof Error;
  span.recordException(isError ? { name: type, message, ...(stack !== undefined && { stack }) } : message);
}

/** The texts of the error after redaction. If the redactor throws, only the type of the error is reported. */
function shownOf({ redact }: Providers, error: unknown): ReportedError {
  const isError = error instanceof Error;
  const plain = {
    message: isError ? error.message : String(error),
    ...(isError && error.stack && { stack: error.stack }),
  };
  return redact === undefined ? plain : quietly(() => textsOf(redact(plain, error)), { message: "" });
}

function textsOf({ message, stack }: ReportedError): ReportedError {
  return { message: String(message), ...(stack !== undefined && { stack: String(stack) }) };
}
