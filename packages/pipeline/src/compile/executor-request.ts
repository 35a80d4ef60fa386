import type { MediaSet } from "../data/media.types.js";
import type { ExecutorRequest } from "../nodes/executor.types.js";
import { mediaOf } from "./media-of.js";
import type { StepRunContext } from "./run-context.js";
import type { RunEvents } from "./run-events.js";

export interface Asking {
  readonly input: unknown;
  readonly media: MediaSet;
  readonly context: StepRunContext;
  readonly events: RunEvents;
  /** What the events of the executor say of the step. */
  readonly about: Readonly<Record<string, unknown>>;
}

/** What an executor is asked to do. It is asked to stream only when somebody wants to know. */
export function executorRequest({ input, media, context, events, about }: Asking): ExecutorRequest {
  const { sessionId, userId, sessionState, signal, idempotencyKey } = context;
  const stream = (event: { readonly event: string }): void => events.forward({ ...event }, about);
  return {
    input,
    ...mediaOf([media]),
    sessionId,
    userId,
    sessionState,
    runContext: context,
    ...(events.wantsExecutors && { stream }),
    signal,
    idempotencyKey,
  };
}
