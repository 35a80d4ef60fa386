/** Responses that are streams of events. */
import { SSE_HEADERS } from "@a2a-js/sdk";
import { cleanJson } from "@millrace/server/door";
import { everyMs } from "../system.js";

const heartbeatMs = 15_000;

interface SseOptions<Item> {
  /** JSON of an item. */
  readonly json: (item: Item) => unknown;
  /** JSON of an error that ends the stream. */
  readonly error: (error: unknown) => unknown;
  /** Is aborted when the reader has left. */
  readonly left: AbortController;
}

/**
 * The items as a response, once there is the first one: an error before it is thrown, so that it becomes a response of its
 * own. A comment is sent in each silence of 15 seconds.
 */
export async function sseResponse<Item>(
  items: AsyncGenerator<Item, void, undefined>,
  { json, error: errorJson, left }: SseOptions<Item>,
): Promise<Response> {
  const first = await items.next();
  const encoder = new TextEncoder();
  let endBeat = (): void => {};
  const body = new ReadableStream<Uint8Array>({
    start(target) {
      endBeat = everyMs(heartbeatMs, () => target.enqueue(encoder.encode(":\n\n")));
      if (first.done !== true) target.enqueue(encoder.encode(`data: ${cleanJson(json(first.value))}\n\n`));
    },
    async pull(target) {
      let last: string | null = null;
      try {
        const { done, value } = first.done === true ? first : await items.next();
        if (done !== true) return target.enqueue(encoder.encode(`data: ${cleanJson(json(value))}\n\n`));
      } catch (error) {
        last = `event: error\ndata: ${cleanJson(errorJson(error))}\n\n`;
      }
      endBeat();
      if (left.signal.aborted) return; // the client has left
      if (last !== null) target.enqueue(encoder.encode(last));
      target.close();
    },
    cancel(reason) {
      endBeat();
      left.abort(reason);
    },
  });
  return new Response(body, { headers: SSE_HEADERS });
}
