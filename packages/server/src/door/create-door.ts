/**
 * One protocol in front of a runtime, as a function from a request to a response. The rules are those of the server.
 *
 * ```
 * request ──► of which origin ──► who asks ──► the protocol ──► answer, also of errors
 * ```
 *
 * @module
 */
import type { Log } from "millrace";
import type { Rules } from "millrace/engine";
import { type Authenticate, authenticate } from "../guard/auth.js";
import { assertMayWrite } from "../guard/cross-origin.js";
import { answerError } from "../http/answer-error.js";
import { readBody } from "../http/read-body.js";
import { authRule, defaultLimits, limitsRule, logRule, originsRule, type ServerLimits } from "../options.js";
import { consoleLog } from "../system.js";
import { doorCaller } from "./door-caller.js";
import type { MountedDoor } from "./mounted-door.types.js";

/** Options of a door, with the meaning they have in `createServer` and `createHandler`. */
export interface DoorOptions {
  /** Identifies the sender of a request. @default everybody may use the door */
  readonly auth?: Authenticate | undefined;
  /** Other origins whose pages may write with cookies. A proxy in front answers `OPTIONS`. @default none */
  readonly origins?: readonly string[] | undefined;
  readonly limits?: Partial<Pick<ServerLimits, "bodyBytes" | "bodyDepth" | "bodyTimeoutMs">> | undefined;
  /** Receives unexpected errors, whose text no response contains. @default the console */
  readonly log?: Log | undefined;
}

/** Admits requests to a protocol. Never rejects. */
export type Door = (request: Request) => Promise<Response>;

/** Checks the options of a door, among those of its protocol. */
export const doorRules: Rules<DoorOptions> = { auth: authRule, origins: originsRule, limits: limitsRule, log: logRule };

/** Expects options that {@link doorRules} accept. */
export function createDoor(door: MountedDoor, basePath: string, options: DoorOptions): Door {
  const { auth = null, origins = [], log = consoleLog } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const respond = async (request: Request): Promise<Response> => {
    assertMayWrite(request, { cors: { origins, credentials: true }, isAskedInFront: true });
    const identity = await authenticate(auth, request);
    const asked = { basePath, readBody: () => readBody(request, limits), spendStart: () => {} };
    return door.respond(request, doorCaller(identity, asked));
  };
  return (request) => {
    const failed = { method: request.method, path: new URL(request.url).pathname };
    return respond(request).catch((error: unknown) => answerError(error, failed, log));
  };
}
