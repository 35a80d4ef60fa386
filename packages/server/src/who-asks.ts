/** What a request has to pass before anything else is looked at. */
import type { Authenticate, Identity } from "./auth.js";
import { HttpError } from "./http/http-error.js";

/** Everybody is somebody with no tenant, where nobody is asked. */
const anybody: Identity = {};

/** @throws {HttpError} `UNAUTHORIZED` */
export async function whoAsks(auth: Authenticate | null, request: Request): Promise<Identity> {
  const identity = auth === null ? anybody : await auth(request);
  if (identity === null || typeof identity !== "object") throw unauthorized();
  assertTenant(identity);
  return identity;
}

/** A tenant is part of every key: one that is no text would open what belongs to others. */
function assertTenant({ tenant = "" }: Identity): void {
  if (typeof tenant !== "string" || tenant.includes("\0")) throw new TypeError("`auth` gave a tenant that is no text.");
}

function unauthorized(): HttpError {
  return new HttpError({
    status: 401,
    code: "UNAUTHORIZED",
    detail: "This needs credentials that are known here.",
    headers: { "www-authenticate": "Bearer" },
  });
}
