/** Readers of one stream, each with a connection of its own. They count, and parse nothing: what is measured is the server. */
import { type IncomingMessage, request } from "node:http";

export interface Reading {
  readonly url: string;
  readonly readers: number;
  /** How many the run shows; the one that ends it comes on top. */
  readonly events: number;
}

/** Gives the seconds from the start of the events until the last reader has the last one. */
export async function readAll({ url, readers, events }: Reading): Promise<number> {
  const id = await start(url, events);
  const streams = await Promise.all(Array.from({ length: readers }, () => open(`${url}/events/${id}`)));
  const counts = streams.map(countBlocks);
  const startedAtMs = performance.now();
  await post(`${url}/events/${id}`, { event: { type: "Go", value: {} } });
  const found = await Promise.all(counts);
  const seconds = (performance.now() - startedAtMs) / 1000;
  if (found.some((count) => count < events)) throw new TypeError(`a reader has ${Math.min(...found)} events only`);
  return seconds;
}

async function start(url: string, events: number): Promise<string> {
  const response = await post(`${url}/workflows/show/run-nowait`, { start_event: { events } });
  return (JSON.parse(response) as { handler_id: string }).handler_id;
}

async function post(url: string, body: object): Promise<string> {
  const response = await open(url, JSON.stringify(body));
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) text += chunk;
  return text;
}

/** @param body Of a `POST`; without it it is a `GET`. */
function open(url: string, body?: string): Promise<IncomingMessage> {
  const options = body === undefined ? {} : { method: "POST", headers: { "content-type": "application/json" } };
  return new Promise((resolve, reject) => {
    // No connection is shared or used again: those of a reader stay open.
    request(url, { agent: false, ...options }, resolve)
      .on("error", reject)
      .end(body);
  });
}

/** Blocks of an event stream end with an empty line. */
async function countBlocks(stream: IncomingMessage): Promise<number> {
  let count = 0;
  let last = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    if (last === 10 && chunk[0] === 10) count++;
    for (let at = chunk.indexOf("\n\n"); at !== -1; at = chunk.indexOf("\n\n", at + 2)) count++;
    last = chunk.at(-1) ?? last;
  }
  return count;
}
