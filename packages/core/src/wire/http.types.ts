/**
 * Names of the HTTP API: its routes, its headers and the types of its Server-Sent Events. Types, so that they cost no client a byte:
 * server and client write them as they are, and the compiler refuses others.
 *
 * @module
 */

/** Method and path, with the parameters of the path in braces. */
export type Route =
  | "GET /handlers"
  | "GET /handlers/counts"
  | "GET /handlers/matching"
  | "POST /handlers/bulk"
  | "GET /handlers/{id}"
  | "POST /handlers/{id}/cancel"
  | "POST /handlers/{id}/resume"
  | "POST /handlers/{id}/retry"
  | "POST /handlers/{id}/fork"
  | "GET /handlers/{id}/history"
  | "GET /handlers/{id}/attempts"
  | "GET /handlers/{id}/at/{tick}"
  | "GET /handlers/{id}/snapshot"
  | "GET /handlers/{id}/position"
  | "GET /handlers/{id}/budget"
  | "GET /handlers/{id}/test"
  | "GET /handlers/{id}/prompts"
  | "POST /handlers/{id}/prompts/{promptId}"
  | "GET /events/{id}"
  | "POST /events/{id}"
  | "GET /results/{id}"
  | "GET /workflows"
  | "POST /workflows/{name}/run"
  | "POST /workflows/{name}/run-nowait"
  | "GET /workflows/{name}/schema"
  | "GET /workflows/{name}/events"
  | "GET /workflows/{name}/representation"
  | "GET /workflows/{name}/steps/{step}/source"
  | "GET /audit"
  | "GET /statistics"
  | "GET /statistics/failures"
  | "GET /statistics/histogram"
  | "GET /schedules"
  | "GET /schedules/{name}"
  | "PUT /schedules/{name}"
  | "DELETE /schedules/{name}"
  | "POST /schedules/{name}/pause"
  | "POST /schedules/{name}/resume"
  | "GET /schedules/{name}/next"
  | "POST /schedules/{name}/edit"
  | "POST /schedules/{name}/reset"
  | "POST /schedules/{name}/start"
  | "GET /queues"
  | "GET /queues/{name}"
  | "POST /queues/{name}/pause"
  | "POST /queues/{name}/resume"
  | "POST /queues/{name}/limit"
  | "POST /queues/{name}/reset"
  | "GET /workers"
  | "GET /budgets"
  | "GET /sessions"
  | "GET /sessions/{id}"
  | "GET /studio/config"
  | "GET /health"
  | "GET /metrics"
  | "POST /tick";

/** Path of a route. */
export type Path = PathOf<Route>;
type PathOf<Every extends Route> = Every extends `${string} ${infer One}` ? One : never;

/** The names of the parameters of a path. */
export type PathParam<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParam<Rest>
  : never;

/** Headers of requests that mean something here. */
export type HeaderName =
  /** A second request with the same key is the first one. */
  | "idempotency-key"
  /** Where a stream continues. */
  | "last-event-id";

/** Types of the Server-Sent Events of the list of runs, and of the end of a history. All others have none. */
export type SseType = "open" | "changed" | "gone" | "reset" | "end";
