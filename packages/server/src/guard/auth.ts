/**
 * Authentication. The server stores no users: a function of the application identifies the sender of a request.
 *
 * @module
 */
import { type DoneBy, WorkflowError } from "millrace";
import { refuseOptions } from "millrace/engine";
import { HttpError } from "../http/http-error.js";
import { type Rights, rightsProblem } from "./rights.js";

/** The sender of a request. */
export interface Identity {
  /** Tenant whose runs the sender may read and write. @default "" */
  readonly tenant?: string;
  /** Identifies the client for limits per client. */
  readonly client?: string;
  /**
   * The person or program that sends the request: stored with all that it does to a run, and shown to all who may read the run. At most
   * 255 bytes.
   *
   * @default `client`, if it fits
   */
  readonly user?: string;
  /**
   * What the sender may do, for all workflows or by workflow; anything else is 403 `FORBIDDEN`. `["read"]`: it may look
   * and change nothing. @default everything
   */
  readonly may?: Rights;
}

/** What a request carries through the server once its sender is known. */
export interface ServerEnv {
  Variables: { identity: Identity };
}

/** Identifies the sender of a request; `null` refuses the request with 401. */
export type Authenticate = (request: Request) => Identity | null | Promise<Identity | null>;

export interface BearerToken extends Identity {
  readonly token: string;
}

export interface BearerOptions {
  /** Accepted tokens; a text alone opens the tenant "". */
  readonly tokens: readonly (string | BearerToken)[];
}

/**
 * Accepts requests with `Authorization: Bearer <token>`.
 *
 * The time taken reveals nothing about the tokens: digests are compared, all of them, to the last byte.
 *
 * @throws {WorkflowError} `OPTION_INVALID` if there is no token, one is empty or contains a space, or one belongs to
 * two callers.
 * @example
 * createServer({ runtime, auth: bearerAuth({ tokens: [{ token: process.env.ACME_TOKEN, tenant: "acme", may: ["read"] }] }) });
 */
export function bearerAuth(options: BearerOptions): Authenticate {
  const known = [options?.tokens ?? []]
    .flat()
    .map((entry) => (typeof entry === "object" && entry !== null ? entry : { token: entry }));
  if (known.length === 0 || known.some(({ token }) => typeof token !== "string" || !/^\S+$/.test(token)))
    throw tokenMissing();
  refuseWrongIdentities(known);
  const identities = known.map(({ token: _token, ...identity }, index) => ({ client: `token ${index}`, ...identity }));
  let digests: Promise<readonly Uint8Array[]> | null = null;
  return async (request) => {
    const given = /^bearer +(\S+) *$/i.exec(request.headers.get("authorization") ?? "")?.[1];
    if (given === undefined) return null;
    digests ??= Promise.all(known.map(({ token }) => digestOf(token))); // not at creation: some platforms have no crypto before the first request
    const digest = await digestOf(given);
    let found = -1;
    for (const [index, other] of (await digests).entries()) if (isSame(digest, other)) found = index;
    return identities[found] ?? null;
  };
}

/** Else every request of that token would fail, or the order of the list would say what a token may do. */
function refuseWrongIdentities(known: readonly BearerToken[]): void {
  const problems = known.flatMap((entry, index) => {
    const other = known.findIndex(({ token }) => token === entry.token);
    const problem = rightsProblem(entry.may);
    return [
      ...(isTenant(entry) ? [] : [`token ${index} has a tenant that is not a string`]),
      ...(entry.user === undefined || isName(entry.user) ? [] : [`token ${index} has a \`user\` that is no name`]),
      ...(problem === null ? [] : [`token ${index} has a \`may\` with ${problem}`]),
      ...(isSameCaller(known[other] as BearerToken, entry)
        ? []
        : [`tokens ${other} and ${index} are equal, and belong to different callers`]),
    ];
  });
  refuseOptions("The tokens of `bearerAuth` are wrong", problems);
}

function isSameCaller(left: Identity, right: Identity): boolean {
  const isSameMay = JSON.stringify(left.may) === JSON.stringify(right.may);
  return isSameMay && (["tenant", "client", "user"] as const).every((field) => left[field] === right[field]);
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
    message: "`bearerAuth` has no token, or one that is empty or contains a space, which no request can send.",
    hint: "Pass at least one; check that the environment variable that it comes from is set.",
    details: { option: "tokens" },
  });
}

/** The sender when there is no `auth`: no tenant. */
const anybody: Identity = {};

/** Identifies the sender of a request. @throws {HttpError} `UNAUTHORIZED` */
export async function authenticate(auth: Authenticate | null, request: Request): Promise<Identity> {
  const identity = auth === null ? anybody : await auth(request);
  if (identity === null || typeof identity !== "object") throw unauthorized();
  assertTenant(identity);
  assertRights(identity);
  if (identity.user !== undefined && !isName(identity.user))
    throw new TypeError("`auth` returned a `user` that is not a text of 1 to 255 bytes of UTF-8.");
  return identity;
}

/** Who has sent a request, and through which door. */
export function doneBy({ user, client }: Identity, door: string): DoneBy {
  const known = user ?? client;
  return isName(known) ? { user: known, door } : { door };
}

/** As the runtime stores names: without U+0000 and half surrogate pairs. */
function isName(text: unknown): text is string {
  if (typeof text !== "string" || text === "" || /\0|[\uD800-\uDFFF]/u.test(text)) return false;
  return new TextEncoder().encode(text).length <= 255;
}

/**
 * Refuses a tenant that is not a text: tenants are part of every key, and any other value could reach the data of
 * others.
 */
function assertTenant(identity: Identity): void {
  if (!isTenant(identity)) throw new TypeError("`auth` returned a tenant that is not a string.");
}

function isTenant({ tenant = "" }: Identity): boolean {
  return typeof tenant === "string" && !tenant.includes("\0");
}

/** Refuses what is no right, such as a misspelt one, and the `readOnly` of other forms, which would allow everything. */
function assertRights(identity: Identity): void {
  const problem = rightsProblem(identity.may);
  if (problem !== null) throw new TypeError(`\`auth\` returned a \`may\` with ${problem}.`);
}

/**
 * Refuses callers of one tenant, for requests about the runs of all tenants.
 *
 * @param who Asks for it instead.
 * @throws {HttpError} `FORBIDDEN`
 */
export function assertNoTenant(tenant: string, who: string): void {
  if (tenant === "") return;
  throw new HttpError({
    status: 403,
    code: "FORBIDDEN",
    detail: "This is for callers that belong to no tenant.",
    hint: `Use credentials without a tenant for ${who}.`,
  });
}

function unauthorized(): HttpError {
  return new HttpError({
    status: 401,
    code: "UNAUTHORIZED",
    detail: "This needs credentials that are known here.",
    headers: { "www-authenticate": "Bearer" },
  });
}
