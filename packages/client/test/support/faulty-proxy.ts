/** A proxy in front of a real server, which answers some requests in its own way. */
import { once } from "node:events";
import { request as ask, createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** `swallow`: the server does it, and its answer is lost. A number: refused with this status, and never seen by the server. */
export type Fault = "pass" | "swallow" | 429 | 503;

/** `times` counts the requests to the same method and path before this one. */
export type ChooseFault = (times: number) => Fault;

export class FaultyProxy implements AsyncDisposable {
  readonly #counts = new Map<string, number>();
  readonly #server = createServer((request, response) => this.#answer(request, response));
  readonly #to: () => string;
  readonly #faultOf: ChooseFault;
  /** How many requests were passed on with their answer lost, and how many were refused. */
  readonly done = { swallowed: 0, refused: 0 };

  constructor(to: () => string, faultOf: ChooseFault) {
    this.#to = to;
    this.#faultOf = faultOf;
  }

  async open(): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const [path = ""] = (request.url ?? "").split("?");
    const what = `${request.method} ${path}`;
    const times = this.#counts.get(what) ?? 0;
    this.#counts.set(what, times + 1);
    const fault = this.#faultOf(times);
    if (typeof fault === "number") {
      this.done.refused += 1;
      request.resume();
      return void response.writeHead(fault, { "retry-after": "0" }).end("<h1>later</h1>");
    }
    this.#forward(request, response, fault);
  }

  #forward(request: IncomingMessage, response: ServerResponse, fault: "pass" | "swallow"): void {
    const { method = "GET", headers } = request;
    const onward = ask(`${this.#to()}${request.url}`, { method, headers }, (answer) => {
      if (fault === "pass") {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
        answer.on("close", () => response.destroy());
        return;
      }
      this.done.swallowed += 1;
      answer.resume(); // the whole answer has come before it is lost
      answer.on("close", () => response.destroy());
    });
    onward.on("error", () => response.destroy());
    response.on("close", () => onward.destroy());
    request.pipe(onward);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
