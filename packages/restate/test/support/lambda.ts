/** What AWS does around a Lambda function: one instance for each request at once, frozen between two requests, and 6 MB each way. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

const LIMIT_BYTES = 6 * 1024 * 1024;

interface Answer {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

export interface LambdaFunction extends AsyncDisposable {
  readonly uri: string;
  /** The handlers that it was asked for, such as `start`. */
  readonly handlers: readonly string[];
  /** How many instances there are. */
  readonly instances: number;
}

export async function startLambda(): Promise<LambdaFunction> {
  const all: ChildProcess[] = [];
  const frozen: ChildProcess[] = [];
  const handlers: string[] = [];

  const invoke = async (event: object): Promise<Answer> => {
    const instance = frozen.pop() ?? (await startInstance());
    if (!all.includes(instance)) all.push(instance);
    instance.kill("SIGCONT");
    instance.send(event);
    const [answer] = (await once(instance, "message")) as [Answer];
    instance.kill("SIGSTOP");
    frozen.push(instance);
    return answer;
  };
  const server = createServer(async (request, response) => {
    const rawPath = request.url ?? "/";
    handlers.push(rawPath.slice(rawPath.lastIndexOf("/") + 1));
    const body = (await buffer(request)).toString("base64");
    const answer =
      body.length > LIMIT_BYTES
        ? { statusCode: 413, headers: {}, body: "" }
        : await invoke({ version: "2.0", rawPath, headers: request.headers, body, isBase64Encoded: true });
    const isTooLarge = answer.body.length > LIMIT_BYTES;
    response.writeHead(isTooLarge ? 502 : answer.statusCode, answer.headers);
    response.end(isTooLarge ? "" : Buffer.from(answer.body, "base64"));
  });
  server.keepAliveTimeout = 0; // never: a request may be on its way when the server closes an idle connection
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    uri: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    handlers,
    get instances() {
      return all.length;
    },
    async [Symbol.asyncDispose]() {
      for (const instance of all) instance.kill("SIGKILL");
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function startInstance(): Promise<ChildProcess> {
  const child = (name: string): string => fileURLToPath(new URL(`../child/${name}`, import.meta.url));
  const instance = fork(child("lambda.ts"), { execArgv: ["--import", child("source.mjs")] });
  await once(instance, "message");
  return instance;
}
