/** Reports that must not affect the reported code. */
import { diag } from "@opentelemetry/api";

/**
 * The result of `report`; `otherwise` if it throws, such as when a processor or a sampler of the user throws. The error is logged to `diag`
 * of OpenTelemetry.
 */
export function quietly<Value, Otherwise = Value>(report: () => Value, otherwise: Otherwise): Value | Otherwise {
  try {
    return report();
  } catch (error) {
    diag.error("Millrace could not report to OpenTelemetry.", error);
    return otherwise;
  }
}
