/**
 * The snapshot of a run as plain JSON, version 1. Formats only grow: what a released version wrote stays readable.
 *
 * Left out is what follows from the rest: slots, how much is open in a fan-out, indexes of waits, the run's own timer.
 *
 * @module
 */
import type { Leftover } from "../engine/state.js";
import type { ErrorRecord } from "../errors/error-record.js";
import type { EncodedEvent } from "../event/event-codec.js";
import type { EncodedValue } from "../value/codec.js";

export const SNAPSHOT_FORMAT = "millrace/run";
export const SNAPSHOT_VERSION = 1;

export interface SnapshotV1 {
  readonly format: typeof SNAPSHOT_FORMAT;
  readonly version: 1;
  readonly workflow: string;
  readonly runId: string;
  readonly status: string;
  readonly outcome: EncodedOutcome | null;
  readonly ticks: number;
  readonly atMs: number;
  readonly startedAtMs: number;
  readonly timeoutMs: number | null;
  readonly deadlineMs: number | null;
  readonly activeMs: number;
  readonly nextId: number;
  readonly streamed: number;
  /** Left out by a child that shares that of its parent. */
  readonly store?: EncodedValue;
  /** Of the workflow's state. Left out when it is 1. */
  readonly stateVersion?: number;
  readonly items?: readonly EncodedItem[];
  readonly scopes?: readonly EncodedScope[];
  readonly joins?: readonly EncodedJoin[];
  readonly sets?: readonly (readonly [string, readonly EncodedEvent[]])[];
  readonly inbox?: readonly EncodedParcel[];
  /** Those that a step emitted. */
  readonly prompts?: readonly { readonly promptId: string; readonly event: EncodedEvent }[];
  readonly timers?: readonly EncodedTimer[];
  /** Collect steps that have had no batch yet, and what came to steps in vain: what `RUN_STUCK` says. */
  readonly unfired?: readonly string[];
  readonly leftovers?: readonly Leftover[];
  /** Snapshots of open children, by run id. */
  readonly children?: { readonly [runId: string]: SnapshotV1 };
}

export type EncodedOutcome =
  | { readonly status: "completed"; readonly event: EncodedEvent }
  | { readonly status: "failed"; readonly failure: EncodedFailure }
  | { readonly status: "cancelled"; readonly reason: EncodedValue }
  | {
      readonly status: "timedOut";
      readonly timeoutMs: number;
      readonly activeSteps: readonly string[];
      readonly deadlineMs?: number;
    };

export interface EncodedFailure {
  readonly stepName: string | null;
  readonly error: ErrorRecord;
  readonly attempts: number;
  readonly elapsedMs: number;
  readonly failedAtMs: number;
  readonly input: readonly EncodedEvent[];
  readonly shape?: "batch" | readonly string[];
}

export interface EncodedItem {
  readonly id: number;
  readonly step: string;
  readonly input: EncodedInput;
  readonly scope: number | null;
  readonly index: number;
  readonly recoveries: { readonly [handler: string]: number } | null;
  readonly status: "ready" | "delayed" | "failed";
  readonly attempt: number;
  readonly failures: number;
  readonly firstStartedAtMs: number;
  readonly lastError: ErrorRecord | null;
  readonly lastFailedAtMs: number;
  readonly memory?: readonly EncodedRecord[];
  /** The fan-out that it feeds. Null: it has fed one that was cancelled. */
  readonly fan?: number | null;
}

export type EncodedInput =
  | { readonly kind: "event"; readonly event: EncodedEvent }
  | { readonly kind: "batch"; readonly members: readonly EncodedEvent[] }
  | { readonly kind: "settled"; readonly members: readonly EncodedMember[] }
  | { readonly kind: "set"; readonly slots: readonly (readonly [string, EncodedEvent])[] };

export interface EncodedMember {
  readonly status: "ok" | "empty" | "failed";
  readonly index: number;
  readonly event?: EncodedEvent;
  readonly failure?: EncodedFailure;
}

export interface EncodedParcel {
  readonly event: EncodedEvent;
  readonly scope: number | null;
  readonly index: number;
  readonly recoveries: { readonly [handler: string]: number } | null;
  readonly step: string | null;
}

export interface EncodedScope {
  readonly id: number;
  readonly opener: string;
  readonly parent: number | null;
  readonly parentIndex: number;
  readonly collects: readonly string[];
  readonly size: number;
  /** Whether open work is counted by element. */
  readonly counted: boolean;
  readonly gathered?: readonly EncodedGathered[];
  readonly failures?: readonly (readonly [number, EncodedFailure])[];
  readonly joins?: readonly EncodedJoin[];
}

export interface EncodedGathered {
  readonly step: string;
  readonly fired: boolean;
  readonly arrivals: readonly EncodedArrival[];
}

export interface EncodedArrival {
  readonly index: number;
  /** Left out where it arose in that fan-out itself. */
  readonly path?: readonly number[];
  readonly event: EncodedEvent;
  readonly recoveries: { readonly [handler: string]: number } | null;
}

export interface EncodedJoin {
  readonly key: string;
  readonly step: string;
  readonly arrivals: readonly EncodedParcel[];
}

export type EncodedRecord =
  | {
      readonly kind: "wait";
      readonly call: string;
      readonly order: number;
      readonly accepts: readonly string[];
      readonly where: EncodedValue | null;
      readonly promptId: string | null;
      readonly prompt: EncodedEvent | null;
      readonly dueAtMs: number | null;
      readonly status: "open" | "resolved" | "timedOut";
      readonly event: EncodedEvent | null;
    }
  | { readonly kind: "sleep"; readonly call: string; readonly dueAtMs: number; readonly status: "open" | "done" }
  | {
      readonly kind: "child";
      readonly call: string;
      readonly name: string;
      readonly runId: string;
      readonly start: unknown;
      /** Its snapshot has no state: it is that of the run around it. */
      readonly sharesStore?: true;
      readonly timeoutMs?: number;
      readonly status: "open" | "completed" | "failed";
      readonly result: unknown;
      readonly error: ErrorRecord | null;
    }
  | { readonly kind: "send"; readonly call: string }
  | { readonly kind: "edit" | "run"; readonly call: string; readonly value: EncodedValue }
  | { readonly kind: "set"; readonly call: string; readonly events: readonly EncodedEvent[] | null }
  | { readonly kind: "yield"; readonly call: string; readonly digest: string };

export type EncodedTimer = { readonly dueAtMs: number; readonly order: number } & (
  | { readonly kind: "call"; readonly item: number; readonly call: string }
  | { readonly kind: "retry"; readonly item: number }
  | { readonly kind: "send"; readonly parcel: EncodedParcel }
  | { readonly kind: "deadline" }
);
