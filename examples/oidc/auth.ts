// Who asks, by an access token of an OpenID provider. `millrace` has no part in it: `auth` is any function.
import type { Authenticate, Right } from "@millrace/server";
import { createRemoteJWKSet, errors, jwtVerify } from "jose";

const rights: Record<string, Right> = { "runs:start": "start", "runs:read": "read", "runs:answer": "answer" };

/** Scopes of the token become rights, its claim `tenant` the tenant. */
export function oidcAuth({ issuer, audience }: { issuer: string; audience: string }): Authenticate {
  const keys = createRemoteJWKSet(new URL(`${issuer}/jwks`)); // read when first needed, and again for a new key
  return async (request) => {
    const token = /^bearer +(\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
    if (token === undefined) return null;
    try {
      const { payload } = await jwtVerify(token, keys, { issuer, audience, algorithms: ["RS256"] });
      const { tenant, sub, scope } = payload;
      if (typeof tenant !== "string" || tenant === "") return null; // "" would be the tenant of operators
      const may = String(scope ?? "")
        .split(" ")
        .flatMap((name) => rights[name] ?? []);
      return { tenant, may, ...(sub !== undefined && { client: sub }) };
    } catch (error) {
      if (error instanceof errors.JOSEError) return null; // forged, expired, or for somebody else
      throw error; // the provider cannot be reached: 500, and not 401
    }
  };
}
