/** Calls of the services over HTTP. */
import type { RunKey } from "millrace/runtime";
import { requestFailed } from "../errors.js";
import { objectKey } from "../names.js";

export interface Addresses {
  readonly ingress: string;
  readonly admin: string | null;
  readonly headers: { readonly [name: string]: string };
  readonly fetch: typeof globalThis.fetch;
}

interface Call {
  readonly service: string;
  readonly handler: string;
  readonly key: RunKey;
  readonly message?: unknown;
  readonly signal?: AbortSignal;
}

export class Ingress {
  readonly #addresses: Addresses;

  constructor(addresses: Addresses) {
    this.#addresses = addresses;
  }

  call<Answer>({ service, handler, key, message, signal }: Call): Promise<Answer> {
    const path = `/${service}/${encodeURIComponent(objectKey(key))}/${handler}`;
    return this.#post<Answer>(`${this.#addresses.ingress}${path}`, {
      what: `${handler} run "${key.runId}"`,
      message,
      signal,
    });
  }

  /** Resolves when an invocation has ended, with any outcome. */
  async attach(invocation: string, signal: AbortSignal): Promise<void> {
    const { fetch, headers, ingress } = this.#addresses;
    const response = await fetch(`${ingress}/restate/invocation/${invocation}/attach`, { headers, signal });
    await response.body?.cancel();
  }

  /** @throws {WorkflowError} `STORE_FAILED` */
  async query<Row>(sql: string): Promise<Row[]> {
    const { rows } = await this.#post<{ rows: Row[] }>(`${this.#addresses.admin}/query`, {
      what: "list runs",
      message: { query: sql },
    });
    return rows;
  }

  async #post<Answer>(
    url: string,
    { what, message, signal }: { what: string; message: unknown; signal?: AbortSignal | undefined },
  ): Promise<Answer> {
    const { fetch, headers } = this.#addresses;
    const hasBody = message !== undefined;
    let response: Response;
    let text: string;
    try {
      response = await fetch(url, {
        method: "POST",
        headers: { accept: "application/json", ...(hasBody && { "content-type": "application/json" }), ...headers },
        ...(hasBody && { body: JSON.stringify(message) }),
        ...(signal !== undefined && { signal }),
      });
      text = await response.text();
    } catch (cause) {
      if (signal?.aborted) throw signal.reason;
      throw requestFailed(what, { cause });
    }
    if (!response.ok) throw requestFailed(what, { status: response.status, text });
    return (text === "" ? null : JSON.parse(text)) as Answer;
  }
}
