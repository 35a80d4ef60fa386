/** The tenant and the client whose quotas a request uses. */
import type { Context } from "hono";
import type { ServerEnv } from "../http/route.js";
import type { ResolvedOptions } from "../options.js";

export interface Caller {
  /** `""` for no tenant; the quotas of tenants then do not apply. */
  readonly tenant: string;
  /** `null` when unknown; the quotas of clients then do not apply. */
  readonly client: string | null;
}

/** What each quota of a caller is counted under. */
export interface Share {
  readonly key: string;
  readonly limit: number;
  /** Begins a message about it. */
  readonly who: string;
}

export interface SharedLimits {
  readonly perTenant: number;
  readonly perClient: number;
}

export function sharesOf({ tenant, client }: Caller, { perTenant, perClient }: SharedLimits): Share[] {
  return [
    ...(client === null ? [] : [{ key: `client ${client}`, limit: perClient, who: "You have" }]),
    ...(tenant === "" ? [] : [{ key: `tenant ${tenant}`, limit: perTenant, who: "Your tenant has" }]),
  ];
}

export function callerOf({ clientOf }: Pick<ResolvedOptions, "clientOf">, context: Context<ServerEnv>): Caller {
  const { tenant = "", client } = context.get("identity");
  if (clientOf !== null) return { tenant, client: clientOf(context.req.raw) };
  // On Node, the adapter provides the address of the connection.
  const env = context.env as
    | { readonly incoming?: { readonly socket?: { readonly remoteAddress?: string } } }
    | undefined;
  const who = client ?? env?.incoming?.socket?.remoteAddress;
  return { tenant, client: who === undefined ? null : JSON.stringify([tenant, who]) };
}
