/** An endpoint of this process, and a client. */
import http2 from "node:http2";
import type { AddressInfo } from "node:net";
import type { ServiceDefinition } from "@restatedev/restate-sdk/fetch";
import { createEndpointHandler } from "@restatedev/restate-sdk/node";
import type { Runtime, Workflows } from "millrace/runtime";
import { connect, createRestateHost, type RestateHostOptions } from "../../src/index.js";
import type { Restate } from "./restate.js";

export interface Served<Flows extends Workflows> extends AsyncDisposable {
  readonly uri: string;
  readonly runtime: Runtime<Flows>;
}

export interface ServeOptions extends Omit<RestateHostOptions, "workflows"> {
  /** Each request is answered before the next one comes. @default false */
  readonly isRequestResponse?: boolean;
  readonly port?: number;
  readonly pollMs?: number;
  /** Served by the same endpoint. */
  readonly others?: readonly ServiceDefinition<string, unknown>[];
}

export async function serveHost<const Flows extends Workflows>(
  restate: Restate,
  workflows: Flows,
  { isRequestResponse = false, port, pollMs = 50, others = [], ...options }: ServeOptions = {},
): Promise<Served<Flows>> {
  const host = createRestateHost({ workflows, ...options });
  const services = [...host.services, ...others];
  const handler = createEndpointHandler({ services, bidirectional: !isRequestResponse, logger: () => {} });
  const server = http2.createServer(handler as never);
  const sessions = new Set<http2.ServerHttp2Session>();
  server.on("session", (session) => {
    sessions.add(session);
    session.once("close", () => sessions.delete(session));
  });
  await new Promise<void>((resolve) => server.listen(port ?? 0, "127.0.0.1", resolve));
  const uri = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await restate.register(uri);
  const { records } = options;
  const { ingress, admin } = restate;
  const runtime = connect({ workflows, ingress, admin, pollMs, ...(records !== undefined && { records }) });
  return {
    uri,
    runtime,
    async [Symbol.asyncDispose]() {
      await runtime.stop();
      for (const session of sessions) session.destroy();
      await new Promise((resolve) => server.close(resolve));
      await host.dispose();
    },
  };
}
