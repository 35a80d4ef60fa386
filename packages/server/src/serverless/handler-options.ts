import type { Log } from "millrace";
import { type OptionNames, unknownOptions } from "millrace/engine";
import type { RunStore } from "millrace/runtime";
import type { Authenticate } from "../auth.js";
import { authProblems, defaultLimits, limitProblems, type ServerLimits, wrongOptions } from "../options.js";
import { consoleLog } from "../system.js";

export interface HandlerOptions {
  /** Where runs are between two requests. It stays open. */
  readonly store: RunStore;
  /** The durable name of the workflow: a stored run finds it by this. @default the name of the workflow */
  readonly name?: string;
  /** Who may ask. @default everybody */
  readonly auth?: Authenticate;
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
  driveMs: true,
  limits: true,
  log: true,
};

/** @throws {WorkflowError} `OPTION_INVALID` naming every option that is wrong. */
export function resolveHandlerOptions(options: HandlerOptions, ownName: string): ResolvedHandlerOptions {
  const { store, name = ownName, auth = null, driveMs = 55_000, log = consoleLog } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const problems = [
    ...unknownOptions(options, known),
    ...(typeof store?.claim === "function" ? [] : ["`store` is no run store"]),
    ...(Number.isFinite(driveMs) && driveMs > 0 ? [] : [`\`driveMs\` is ${String(driveMs)}, not a number above 0`]),
    ...authProblems(options),
    ...limitProblems(limits),
  ];
  if (problems.length > 0) throw wrongOptions("function", "HandlerOptions", problems);
  return { store, name, auth, driveMs, log, limits };
}
