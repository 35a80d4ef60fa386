/** In which queue a run of a caller waits: the operator decides, for keys and priorities of one tenant count for all. */
import type { RuntimeRunOptions } from "millrace/runtime";
import { HttpError } from "../http/http-error.js";

/** What a caller asks for with a run or a schedule; `null` for what it leaves open. */
export interface QueueRequest {
  readonly request: Request;
  /** `""` for a caller without a tenant. */
  readonly tenant: string;
  readonly workflow: string;
  readonly queue: string | null;
  readonly queueKey: string | null;
  readonly priority: number | null;
}

/** Where the run waits, as `runtime.run` takes it; what is `null` counts as left out. */
export interface QueuePlace {
  readonly queue: string | null;
  readonly queueKey?: string | null;
  readonly priority?: number | null;
}

/**
 * Returns where the run waits: `null` for no queue. `false` refuses the request with 403.
 *
 * @example
 * queueOf: (asked) => asked; // callers choose: fine where they trust each other
 */
export type QueueOf = (request: QueueRequest) => QueuePlace | null | false | Promise<QueuePlace | null | false>;

/** The fields of a body that place the run in a queue. */
export interface QueueFields {
  readonly queue?: string | null | undefined;
  readonly queue_key?: string | null | undefined;
  readonly priority?: number | null | undefined;
}

interface Asking extends Pick<QueueRequest, "request" | "tenant" | "workflow"> {
  readonly body: QueueFields;
}

/** The options of `runtime.run` that place the run in a queue. */
export type QueueOptions = Pick<RuntimeRunOptions, "queue" | "queueKey" | "priority">;

/** @throws {HttpError} `FORBIDDEN` */
export async function placeOf(
  { queueOf }: { readonly queueOf: QueueOf | null },
  { body, ...caller }: Asking,
): Promise<QueueOptions> {
  const { queue = null, queue_key: queueKey = null, priority = null } = body;
  if (queueOf === null) {
    if (queue !== null || queueKey !== null || priority !== null) throw closed();
    return {};
  }
  const place = await queueOf({ ...caller, queue, queueKey, priority });
  if (place === null) return {};
  if (typeof place !== "object") throw closed();
  // No other option of a run is for it to say.
  const parts = Object.entries({ queue: place.queue, queueKey: place.queueKey, priority: place.priority });
  return Object.fromEntries(parts.filter(([, part]) => part !== null && part !== undefined));
}

function closed(): HttpError {
  return new HttpError({
    status: 403,
    code: "FORBIDDEN",
    detail: "The caller may not place the run in that queue.",
    hint: "Leave out `queue`, `queue_key` and `priority`. The option `queueOf` of the server decides which of them callers may set.",
  });
}
