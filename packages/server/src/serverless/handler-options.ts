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

export interface HandlerOptions {
  /** Where runs are between two requests. It stays open. */
  readonly store: RunStore;
  /** The durable name of the workflow: a stored run finds it by this. @default the name of the workflow */
  readonly name?: string;
  /** Who may ask. @default everybody */
  readonly auth?: Authenticate;
  /**
   * Origins besides the own one whose pages may send cookies with what changes something: `["https://app.example"]`. The function
   * answers no `OPTIONS`: whatever stands in front of it does.
   *
   * @default none
   */
  readonly origins?: readonly string[];
  /** Events that may be sent to a run besides those that come from outside by themselves: as of `createServer`. */
  readonly additionalEvents?: readonly EventClass[];
  /** Takes every event from outside, past the steps that check or ask: as of `createServer`. @default false */
  readonly internalEvents?: boolean;
  /** How long a request drives a run. What is under way then starts over in the next request. @default 55000 */
  readonly driveMs?: number;
  readonly limits?: Partial<Pick<ServerLimits, "bodyBytes" | "bodyDepth" | "bodyTimeoutMs">>;
  /** Where errors go whose text no answer shows. @default the console */
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

/** @throws {WorkflowError} `OPTION_INVALID` naming every option that is wrong. */
export function resolveHandlerOptions(options: HandlerOptions, ownName: string): ResolvedHandlerOptions {
  const { store, name = ownName, auth = null, origins = [], driveMs = 55_000, log = consoleLog } = options;
  const { additionalEvents = [], internalEvents = false } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const problems = [
    ...unknownOptions(options, known),
    ...(typeof store?.claim === "function" ? [] : ["`store` is no run store"]),
    ...(Number.isFinite(driveMs) && driveMs > 0 ? [] : [`\`driveMs\` is ${String(driveMs)}, not a number above 0`]),
    ...authProblems(options),
    ...originProblems("origins", origins),
    ...limitProblems(limits),
  ];
  if (problems.length > 0) throw wrongOptions("function", "HandlerOptions", problems);
  return { store, name, auth, origins, additionalEvents, internalEvents, driveMs, log, limits };
}
