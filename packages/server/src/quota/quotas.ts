import type { ServerLimits } from "../options.js";
import { Allowance } from "./allowance.js";
import { Slots } from "./slots.js";

/** Limits that callers share: streams, waiting requests, and starts. Each process counts its own. */
export interface Quotas {
  readonly streams: Slots;
  readonly waits: Slots;
  readonly starts: Allowance;
}

export function openQuotas(limits: ServerLimits): Quotas {
  return {
    streams: new Slots({
      what: "streams",
      code: "STREAMS_EXCEEDED",
      hint: "Close some, or share one.",
      all: limits.streams,
      perTenant: limits.streamsPerTenant,
      perClient: limits.streamsPerClient,
    }),
    waits: new Slots({
      what: "requests that wait",
      code: "WAITS_EXCEEDED",
      hint: "Ask without `wait`, start with `run-nowait`, or read a stream.",
      all: limits.waits,
      perTenant: limits.waitsPerTenant,
      perClient: limits.waitsPerClient,
    }),
    starts: new Allowance({
      perTenant: limits.startsPerMinutePerTenant,
      perClient: limits.startsPerMinutePerClient,
    }),
  };
}
