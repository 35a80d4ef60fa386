/** The tenant and the client whose quotas a request uses. */
import type { Context } from "hono";
import type { ServerEnv } from "../guard/auth.js";
import type { ResolvedOptions } from "../options.js";

/** What the quotas of a request are counted under; empty where neither its tenant nor its client is known. */
export type Caller = readonly Share[];

export interface Share {
  readonly of: "client" | "tenant";
  readonly key: string;
}

export interface SharedLimits {
  readonly perTenant: number;
  readonly perClient: number;
}

export function limitOf({ of }: Share, { perTenant, perClient }: SharedLimits): number {
  return of === "tenant" ? perTenant : perClient;
}

export function callerOf({ clientOf }: Pick<ResolvedOptions, "clientOf">, context: Context<ServerEnv>): Caller {
  const { tenant = "", client } = context.get("identity");
  const known = clientOf === null ? knownClient(context, tenant, client) : clientOf(context.req.raw);
  const caller: Share[] = known === null ? [] : [{ of: "client", key: `client ${known}` }];
  if (tenant !== "") caller.push({ of: "tenant", key: `tenant ${tenant}` });
  return caller;
}

/** The client that `auth` has named, or the address of the connection, which the adapter for Node provides. */
function knownClient({ env }: Context<ServerEnv>, tenant: string, client: string | undefined): string | null {
  const on = env as { readonly incoming?: { readonly socket?: { readonly remoteAddress?: string } } } | undefined;
  const who = client ?? on?.incoming?.socket?.remoteAddress;
  return who === undefined ? null : JSON.stringify([tenant, who]);
}
