/**
 * Who asks. The server knows no users: a function of yours says who a request is from.
 *
 * @module
 */
import { WorkflowError } from "millrace";

/** Who a request is from. */
export interface Identity {
  /** All it reads and writes are runs of this tenant. @default "" */
  readonly tenant?: string;
  /** Tells clients apart where they share limits. */
  readonly client?: string;
}

/** Null: the request is refused with 401. */
export type Authenticate = (request: Request) => Identity | null | Promise<Identity | null>;

export interface BearerToken extends Identity {
  readonly token: string;
}

export interface BearerOptions {
  /** Each alone, or with the tenant that it opens. */
  readonly tokens: readonly (string | BearerToken)[];
}

/**
 * Takes requests with `Authorization: Bearer <token>`.
 *
 * How long it takes says nothing about the tokens: digests are compared, all of them, to their last byte.
 *
 * @throws {WorkflowError} `OPTION_INVALID` when there is no token, or one is empty or has a space in it.
 * @example
 * createServer({ runtime, auth: bearerAuth({ tokens: [{ token: process.env.ACME_TOKEN, tenant: "acme" }] }) });
 */
export function bearerAuth({ tokens }: BearerOptions): Authenticate {
  const known = [tokens ?? []].flat().map((entry) => (typeof entry === "object" ? entry : { token: entry }));
  if (known.length === 0 || known.some(({ token }) => typeof token !== "string" || !/^\S+$/.test(token)))
    throw tokenMissing();
  const identities = known.map(({ token: _token, ...identity }, index) => ({ client: `token ${index}`, ...identity }));
  let digests: Promise<readonly Uint8Array[]> | null = null;
  return async (request) => {
    const given = /^bearer +(\S+) *$/i.exec(request.headers.get("authorization") ?? "")?.[1];
    if (given === undefined) return null;
    digests ??= Promise.all(known.map(({ token }) => digestOf(token))); // some platforms have no crypto before the first request
    const digest = await digestOf(given);
    let found = -1;
    for (const [index, other] of (await digests).entries()) if (isSame(digest, other)) found = index;
    return identities[found] ?? null;
  };
}

async function digestOf(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}

function isSame(left: Uint8Array, right: Uint8Array): boolean {
  let difference = left.length ^ right.length;
  for (const [index, byte] of left.entries()) difference |= byte ^ (right[index] as number);
  return difference === 0;
}

function tokenMissing(): WorkflowError {
  return new WorkflowError({
    code: "OPTION_INVALID",
    message: "`bearerAuth` has no token, or one that is empty or has a space in it: no request could carry that.",
    hint: "Give at least one; look whether the environment variable that it comes from is set.",
    details: { option: "tokens" },
  });
}
