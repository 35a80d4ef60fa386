/** Messages between the services, and from clients to them. */
import type { NewRunRecord, PostedMessage, StoredRun } from "millrace/runtime";

/**
 * Most characters of JSON in a tick, an input or a message to a run. The limit of Restate is 32 MiB per value; a character needs up to
 * three bytes there, and quotes are escaped once more.
 */
export const MAX_TEXT_LENGTH: number = 8 * 1024 * 1024;

/** Handlers that clients call. */
export type ClientHandler = "start" | "post" | "read" | "remove";

export interface StartMessage {
  readonly record: NewRunRecord;
}

/** `exists`: the id was taken, and nothing was started. */
export interface StartAnswer {
  readonly status: "stored" | "exists";
  readonly run: StoredRun;
}

/** Why a run is activated. */
export type Activate =
  | { readonly why: "post"; readonly position: number; readonly urgent: boolean }
  | { readonly why: "wake"; readonly atMs: number }
  | { readonly why: "rollover" };

export interface WhoMessage {
  readonly idempotencyKey: string | null;
}

/** What the inbox reads of a run. */
export interface WhoAnswer {
  readonly active: string | null;
  readonly run: StoredRun;
  /** Receipt of the request with the given key. */
  readonly receipt: string | null;
}

export type PostMessage = PostedMessage;

export interface AttachMessage {
  /** The invocation that gets the signals from now on. */
  readonly id: string;
}

/** A value, with the large values that it refers to: only the run has them. */
export interface ReadAnswer<Value> {
  readonly value: Value;
  readonly blobs: readonly { readonly hash: string; readonly text: string }[];
  /** With a read of the run: the invocation that works on it. */
  readonly active?: string | null;
}

/** The reads of a run, by name. */
export type ReadMessage =
  | { readonly what: "begun" }
  | { readonly what: "run" }
  | { readonly what: "snapshot"; readonly atOrBelow: number | null }
  | { readonly what: "ticks" | "events"; readonly after: number; readonly limit: number }
  | { readonly what: "receipt"; readonly of: number | string };

/** Name of a signal from the inbox to an invocation. The first has number 0. */
export const signalName = (number: number): string => `post-${number}`;
