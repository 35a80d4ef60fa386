import type { EventClass, Log } from "millrace";
import { checkOptions, flag, type Rules, text, valueRule } from "millrace/engine";
import type { RunStore } from "millrace/runtime";
import type { Authenticate } from "../guard/auth.js";
import { once } from "../once.js";
import {
  authRule,
  defaultLimits,
  eventsRule,
  limitsRule,
  logRule,
  originsRule,
  type ServerLimits,
  withAuth,
} from "../options.js";
import { consoleLog } from "../system.js";

/** Options of `createHandler`. */
export interface HandlerOptions {
  /**
   * Where runs are kept between requests. The function does not close it. A function that returns one is called with the first request,
   * so that importing the module opens no store, as during `next build`; if it fails, the next request calls it again.
   */
  readonly store: RunStore | (() => RunStore | Promise<RunStore>);
  /** Durable name of the workflow, by which stored runs find it. @default the name of the workflow */
  readonly name?: string;
  /** Identifies the sender of a request. @default everybody may use the function */
  readonly auth?: Authenticate;
  /**
   * Other origins whose pages may write with cookies: `["https://app.example"]`. The function answers no `OPTIONS`; a
   * proxy in front of it does.
   *
   * @default none
   */
  readonly origins?: readonly string[];
  /** More events that callers may send to runs; see `createServer`. */
  readonly additionalEvents?: readonly EventClass[];
  /** Accepts every event from outside, past the steps that check or ask; see `createServer`. @default false */
  readonly internalEvents?: boolean;
  /** Milliseconds that a request drives a run. Work under way at the end starts over in the next request. @default 55000 */
  readonly driveMs?: number;
  readonly limits?: Partial<Pick<ServerLimits, "bodyBytes" | "bodyDepth" | "bodyTimeoutMs">>;
  /** Receives unexpected errors, whose text no response contains. @default the console */
  readonly log?: Log;
}

export interface ResolvedHandlerOptions extends Required<Omit<HandlerOptions, "store" | "auth" | "name" | "limits">> {
  readonly openStore: () => Promise<RunStore>;
  readonly name: string;
  readonly auth: Authenticate | null;
  readonly limits: ServerLimits;
}

const rules: Rules<HandlerOptions> = {
  store: (store) =>
    typeof store === "function" || typeof (store as Partial<RunStore>)?.claim === "function"
      ? []
      : ["`store` is not a run store"],
  driveMs: valueRule((ms) => Number.isFinite(ms) && (ms as number) > 0, "a number above 0"),
  auth: authRule,
  origins: originsRule,
  limits: limitsRule,
  name: text,
  additionalEvents: eventsRule,
  internalEvents: flag,
  log: logRule,
};

/** @throws {WorkflowError} `OPTION_INVALID` naming every problem. */
export function resolveHandlerOptions(options: HandlerOptions, ownName: string): ResolvedHandlerOptions {
  checkOptions("The options of the function are wrong", withAuth(options), { rules });
  const { store, name = ownName, auth = null, origins = [], driveMs = 55_000, log = consoleLog } = options;
  const { additionalEvents = [], internalEvents = false } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const openStore = once(typeof store === "function" ? store : () => store);
  return { openStore, name, auth, origins, additionalEvents, internalEvents, driveMs, log, limits };
}
