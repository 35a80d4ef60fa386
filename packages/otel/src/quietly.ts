/** Reports that change nothing of what they report. */
import { diag } from "@opentelemetry/api";

/**
 * What `report` gives; `otherwise` where it throws, as an SDK does when a processor or a sampler of others does. The error goes to
 * `diag` of OpenTelemetry.
 */
export function quietly<Value, Otherwise = Value>(report: () => Value, otherwise: Otherwise): Value | Otherwise {
  try {
    return report();
  } catch (error) {
    diag.error("Millrace could not report to OpenTelemetry.", error);
    return otherwise;
  }
}
