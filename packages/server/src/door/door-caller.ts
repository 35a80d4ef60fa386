import { answererOf, type Identity } from "../guard/auth.js";
import { assertMay } from "../guard/rights.js";
import type { DoorCaller } from "./mounted-door.types.js";

export function doorCaller(identity: Identity, request: Pick<DoorCaller, "basePath" | "readBody">): DoorCaller {
  const { tenant = "" } = identity;
  return {
    ...request,
    tenant,
    answerer: (door) => answererOf(identity, door),
    assertMay: (right, workflow) => assertMay(identity, { right, workflow }),
  };
}
