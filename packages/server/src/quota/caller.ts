/** Who shares a quota. */
import type { Context } from "hono";
import type { ServerEnv } from "../http/route.js";
import type { ResolvedOptions } from "../options.js";

export interface Caller {
  /** `""`: of none; then the quotas of tenants do not hold. */
  readonly tenant: string;
  /** Null: nobody knows; then the quotas of clients do not hold. */
  readonly client: string | null;
}

export function callerOf({ clientOf }: Pick<ResolvedOptions, "clientOf">, context: Context<ServerEnv>): Caller {
  const { tenant = "", client } = context.get("identity");
  if (clientOf !== null) return { tenant, client: clientOf(context.req.raw) };
  // Where Node serves, the adapter says who is connected.
  const env = context.env as
    | { readonly incoming?: { readonly socket?: { readonly remoteAddress?: string } } }
    | undefined;
  const who = client ?? env?.incoming?.socket?.remoteAddress;
  return { tenant, client: who === undefined ? null : JSON.stringify([tenant, who]) };
}
