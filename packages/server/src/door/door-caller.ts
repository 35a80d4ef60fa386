import { doneBy, type Identity } from "../guard/auth.js";
import { assertMay, mayDo } from "../guard/rights.js";
import type { DoorCaller } from "./mounted-door.types.js";

export function doorCaller(
  identity: Identity,
  request: Pick<DoorCaller, "basePath" | "readBody" | "spendStart">,
): DoorCaller {
  const { tenant = "" } = identity;
  return {
    ...request,
    tenant,
    by: (door) => doneBy(identity, door),
    may: (right, workflow) => mayDo(identity, right, workflow),
    assertMay: (right, workflow) => assertMay(identity, { right, workflow }),
  };
}
