import { describe, expect, it } from "vitest";
import { readSse, type SseFrame } from "./sse.js";

const said = [
  ": hello\r\n\r\n",
  "id: 1\ndata: one\n\n",
  "id:2\r\ndata:two\r\ndata: lines\r\n\r\n",
  "data:  a space of its own\rid: 3\r\r",
  "event: named\nretry: 10\nid\ndata\ndata\n\n",
  "id: 5\n\n",
  'id: 6\ndata: {"a":"b: c \u2028 ä🎉"}\n\n',
  "id: 7\ndata: cut off",
].join("");

const frames = [
  { id: "1", data: "one" },
  { id: "2", data: "two\nlines" },
  { id: "3", data: " a space of its own" },
  { id: "", event: "named", data: "\n" },
  { id: "6", data: '{"a":"b: c \u2028 ä🎉"}' },
];

const bytes = new TextEncoder().encode(said);

async function framesOf(pieces: readonly Uint8Array[]): Promise<SseFrame[]> {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
  const found: SseFrame[] = [];
  for await (const frame of readSse(body, { before: () => {}, after: () => {} })) found.push(frame);
  return found;
}

describe("readSse", () => {
  it("returns whole frames, with every kind of line end", async () => {
    expect(await framesOf([bytes])).toEqual(frames);
  });

  it("returns the same wherever the bytes are split, also within a letter", async () => {
    const splits = await Promise.all(
      Array.from(bytes, (_, at) => framesOf([bytes.slice(0, at), new Uint8Array(), bytes.slice(at)])),
    );

    expect(splits).toEqual(splits.map(() => frames));
  });

  it("returns the same byte by byte", async () => {
    expect(await framesOf(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(frames);
  });
});
