/** Tells the studio that newer code cannot be loaded: what it shows is done by the version before. */
import type { ErrorDescription } from "../output/cli-error.js";

type Fetch = (request: Request) => Response | Promise<Response>;

/** Beside the API of the server. Only `dev` has it. */
const path = "/dev/newer-code";

export class NewerCode {
  #error: ErrorDescription | null = null;

  failed(error: ErrorDescription): void {
    this.#error = error;
  }

  /**
   * `fetch` with one more route.
   *
   * @param token That callers need; `null` for none.
   */
  around(fetch: Fetch, token: string | null): Fetch {
    return (request) => {
      if (request.method !== "GET" || new URL(request.url).pathname !== path) return fetch(request);
      if (token !== null && request.headers.get("authorization") !== `Bearer ${token}`)
        return new Response(null, { status: 401 });
      return Response.json({ error: this.#error }, { headers: { "cache-control": "no-store" } });
    };
  }
}
