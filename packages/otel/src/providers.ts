/** The registered SDK. Checking for it must cost nothing while none is registered. */
import {
  createNoopMeter,
  type Meter,
  type MeterProvider,
  metrics,
  ProxyTracerProvider,
  type Tracer,
  type TracerProvider,
  trace,
} from "@opentelemetry/api";

const scope = "@millrace/otel";
const noopMeter = createNoopMeter().constructor;

/** The texts of an error as a span carries them. */
export interface ReportedError {
  readonly message: string;
  /** Absent if the span should have no stack. */
  readonly stack?: string;
}

/** Returns the texts of an error that may leave the process. */
export type Redact = (shown: ReportedError, error: unknown) => ReportedError;

export interface ProvidersSetup {
  readonly tracerProvider?: TracerProvider | undefined;
  readonly meterProvider?: MeterProvider | undefined;
  readonly redact?: Redact | undefined;
}

export class Providers {
  /** `undefined` if errors are sent unchanged. */
  readonly redact: Redact | undefined;
  readonly #tracerProvider: TracerProvider | undefined;
  readonly #meterProvider: MeterProvider | undefined;
  #tracer: Tracer | null = null;
  #meter: Meter | null = null;

  constructor({ tracerProvider, meterProvider, redact }: ProvidersSetup) {
    this.#tracerProvider = tracerProvider;
    this.#meterProvider = meterProvider;
    this.redact = redact;
  }

  /** Whether an SDK is registered. A registered SDK stays; only its absence is checked again. */
  get isActive(): boolean {
    return this.#tracer !== null || this.#meter !== null || this.tracer !== null || this.meter !== null;
  }

  /** `null` while no SDK is registered. */
  get tracer(): Tracer | null {
    if (this.#tracer === null) {
      const provider = this.#tracerProvider ?? trace.getTracerProvider();
      if (!isProxyOfNone(provider)) this.#tracer = provider.getTracer(scope);
    }
    return this.#tracer;
  }

  get meter(): Meter | null {
    if (this.#meter === null) {
      const meter = (this.#meterProvider ?? metrics.getMeterProvider()).getMeter(scope);
      if (meter.constructor !== noopMeter) this.#meter = meter;
    }
    return this.#meter;
  }
}

function isProxyOfNone(provider: TracerProvider): boolean {
  return provider instanceof ProxyTracerProvider && provider.getDelegateTracer(scope) === undefined;
}
