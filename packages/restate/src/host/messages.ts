/** What the services say to each other, and clients to them. */
import type { NewRunRecord, PostedMessage, StoredRun } from "millrace/runtime";

/**
 * Most characters of JSON in a tick, an input or a message to a run. Restate takes values of 32 MiB: characters have up to three bytes
 * there, and quotes are escaped once more.
 */
export const MAX_TEXT_LENGTH: number = 8 * 1024 * 1024;

/** Handlers that clients call. */
export type ClientHandler = "start" | "post" | "read" | "again" | "remove";

export interface StartMessage {
  readonly record: NewRunRecord;
}

/** `exists`: there was one, and nothing was begun. */
export interface StartAnswer {
  readonly status: "stored" | "exists";
  readonly run: StoredRun;
}

/** Why a run is activated. */
export type Activate =
  | { readonly why: "post"; readonly position: number }
  | { readonly why: "wake"; readonly atMs: number }
  | { readonly why: "rollover" }
  | { readonly why: "resume" | "retry" };

export interface WhoMessage {
  readonly idempotencyKey: string | null;
}

/** What the inbox has to know of a run. */
export interface WhoAnswer {
  readonly active: string | null;
  readonly run: StoredRun;
  /** Of a request with the key that was asked for. */
  readonly receipt: string | null;
}

export type PostMessage = PostedMessage;

export interface AttachMessage {
  /** The invocation that is told of posts from here on. */
  readonly id: string;
}

/** With the large values that it names, of which only the run itself knows. */
export interface ReadAnswer<Value> {
  readonly value: Value;
  readonly blobs: readonly { readonly hash: string; readonly text: string }[];
  /** Of a run that is read: the invocation that is at work on it. */
  readonly active?: string | null;
}

/** What is read of a run, by name. */
export type ReadMessage =
  | { readonly what: "begun" }
  | { readonly what: "run" }
  | { readonly what: "snapshot"; readonly atOrBelow: number | null }
  | { readonly what: "ticks" | "events"; readonly after: number; readonly limit: number }
  | { readonly what: "receipt"; readonly of: number | string };

/** The signal with which the inbox tells an invocation of posts: the first one that it sends has number 0. */
export const signalName = (number: number): string => `post-${number}`;
