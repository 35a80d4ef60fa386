import type { EventClass, Log } from "millrace";
import { type OptionNames, unknownOptions } from "millrace/engine";
import type { RunStore } from "millrace/runtime";
import type { Authenticate } from "../auth.js";
import {
  authProblems,
  defaultLimits,
  limitProblems,
  originProblems,
  type ServerLimits,
  wrongOptions,
} from "../options.js";
import { consoleLog } from "../system.js";

/** Options of `createHandler`. */
export interface HandlerOptions {
  /** Where runs are kept between requests. The function does not close it. */
  readonly store: RunStore;
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

export interface ResolvedHandlerOptions extends Required<Omit<HandlerOptions, "auth" | "name" | "limits">> {
  readonly name: string;
  readonly auth: Authenticate | null;
  readonly limits: ServerLimits;
}

const known: OptionNames<HandlerOptions> = {
  store: true,
  name: true,
  auth: true,
  origins: true,
  additionalEvents: true,
  internalEvents: true,
  driveMs: true,
  limits: true,
  log: true,
};

/** @throws {WorkflowError} `OPTION_INVALID` naming every problem. */
export function resolveHandlerOptions(options: HandlerOptions, ownName: string): ResolvedHandlerOptions {
  const { store, name = ownName, auth = null, origins = [], driveMs = 55_000, log = consoleLog } = options;
  const { additionalEvents = [], internalEvents = false } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const problems = [
    ...unknownOptions(options, known),
    ...(typeof store?.claim === "function" ? [] : ["`store` is not a run store"]),
    ...(Number.isFinite(driveMs) && driveMs > 0 ? [] : [`\`driveMs\` is ${String(driveMs)}, not a number above 0`]),
    ...authProblems(options),
    ...originProblems("origins", origins),
    ...limitProblems(limits),
  ];
  if (problems.length > 0) throw wrongOptions("function", "HandlerOptions", problems);
  return { store, name, auth, origins, additionalEvents, internalEvents, driveMs, log, limits };
}
