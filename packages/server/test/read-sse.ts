import type { StreamedEnvelope } from "../src/index.js";

export interface SseEvent {
  readonly id: number;
  readonly data: StreamedEnvelope;
}

/** The events of an SSE response, until it ends or breaks. */
export async function* readSse(response: Response): AsyncGenerator<SseEvent, void> {
  let rest = "";
  const utf8 = new TextDecoder();
  for await (const chunk of response.body as ReadableStream<Uint8Array>) {
    const frames = (rest + utf8.decode(chunk, { stream: true })).split("\n\n");
    rest = frames.pop() ?? "";
    for (const frame of frames) {
      const found = /^id: (\d+)\ndata: (.+)$/.exec(frame);
      if (found) yield { id: Number(found[1]), data: JSON.parse(found[2] as string) };
    }
  }
}
