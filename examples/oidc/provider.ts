// An OpenID provider for this example. In your system it is Keycloak, Auth0, Entra or the like.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair } from "jose";
import { Provider } from "oidc-provider";

/** The API that the tokens are for. */
export const audience = "https://refunds.example";

const grants: Record<string, { readonly tenant: string; readonly scope: string }> = {
  shop: { tenant: "acme", scope: "runs:start runs:read" },
  support: { tenant: "acme", scope: "runs:read runs:answer" },
  other: { tenant: "globex", scope: "runs:read runs:answer" },
};

export async function startProvider() {
  const listener = createServer((request, response) => void answer(request, response)).listen(0, "127.0.0.1");
  await new Promise((resolve) => listener.once("listening", resolve));
  const issuer = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  const provider = new Provider(issuer, {
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: "RS256", use: "sig" }] },
    cookies: { keys: ["only for this example"] },
    clients: Object.keys(grants).map((client_id) => ({
      client_id,
      client_secret: `secret of ${client_id}`,
      token_endpoint_auth_method: "client_secret_post",
      grant_types: ["client_credentials"],
      redirect_uris: [],
      response_types: [],
      scope: grants[client_id]?.scope ?? "",
    })),
    scopes: ["runs:start", "runs:read", "runs:answer"],
    extraTokenClaims: (_context, { client }) => ({ tenant: grants[client?.clientId ?? ""]?.tenant }),
    ttl: { ClientCredentials: 60 },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => audience,
        getResourceServerInfo: () => ({
          scope: "runs:start runs:read runs:answer",
          accessTokenFormat: "jwt",
          accessTokenTTL: 60,
          jwt: { sign: { alg: "RS256" } },
        }),
      },
    },
  });
  const answer = provider.callback();
  return { issuer, close: () => listener.close() };
}

/** What a program does to get a token. */
export async function tokenOf(issuer: string, client: string): Promise<string> {
  const body = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: client,
    client_secret: `secret of ${client}`,
    scope: grants[client]?.scope ?? "",
  });
  const response = await fetch(`${issuer}/token`, { method: "POST", body });
  return ((await response.json()) as { access_token: string }).access_token;
}
