import type { DoneBy } from "millrace";
import type { NeededRight } from "../guard/rights.js";

/** The sender of an admitted request. */
export interface DoorCaller {
  /** `""` for a caller without a tenant. */
  readonly tenant: string;
  /** Who sends this request, through the door of this name: the option `by` of all that it starts, answers or changes. */
  by(door: string): DoneBy;
  /** Path of the door. */
  readonly basePath: string;
  /** @param right `any`: one right, whichever it is. */
  may(right: NeededRight, workflow: string): boolean;
  /** A door calls it before it reads or changes anything. @throws {HttpError} `FORBIDDEN` */
  assertMay(right: NeededRight, workflow: string): void;
  /** A door calls it before each run that it starts: it counts against the limits. @throws {HttpError} 429 `STARTS_EXCEEDED` */
  spendStart(): void;
  /** @throws {HttpError} `BODY_INVALID`, `BODY_NOT_JSON`, `BODY_TOO_LARGE`, `BODY_TIMEOUT` */
  readBody(): Promise<unknown>;
}

/** A protocol that `createServer` can serve beside its own routes. */
export interface MountedDoor {
  /** Paths beside that of the door which its protocol needs, such as those below `/.well-known`. @default none */
  readonly paths?: readonly DoorPath[];
  /** Answers an admitted request. What it throws becomes a response. */
  respond(request: Request, caller: DoorCaller): Promise<Response>;
}

/** A path of a door outside of its mount path. */
export interface DoorPath {
  readonly path: string;
  /** `true`: everybody may read it, also where `auth` is set. */
  readonly isOpen: boolean;
}
