import { type Log, WorkflowError } from "millrace";
import type { RunStore } from "millrace/runtime";
import type { Authenticate } from "../auth.js";
import { defaultLimits, type ServerLimits } from "../options.js";
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

/** @throws {WorkflowError} `OPTION_INVALID` */
export function resolveHandlerOptions(options: HandlerOptions, ownName: string): ResolvedHandlerOptions {
  const { store, name = ownName, auth = null, driveMs = 55_000, limits, log = consoleLog } = options;
  const isStore = typeof store?.claim === "function";
  if (isStore && Number.isFinite(driveMs) && driveMs > 0) {
    return { store, name, auth, driveMs, log, limits: { ...defaultLimits, ...limits } };
  }
  throw new WorkflowError({
    code: "OPTION_INVALID",
    message: isStore ? `\`driveMs\` is ${String(driveMs)}, not a number from 1.` : "`store` is no run store.",
    hint: "See `HandlerOptions` for what each may be.",
    details: { option: isStore ? "driveMs" : "store" },
  });
}
