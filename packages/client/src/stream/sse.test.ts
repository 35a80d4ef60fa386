import { describe, expect, it } from "vitest";
import { frameParser } from "./sse.js";

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

describe("frameParser", () => {
  it("gives whole frames, with every kind of line end", () => {
    expect(frameParser()(said)).toEqual(frames);
  });

  it("gives the same wherever the text is split", () => {
    const splits = Array.from(said, (_, at) => {
      const take = frameParser();
      return [...take(said.slice(0, at)), ...take(""), ...take(said.slice(at))];
    });

    expect(splits).toEqual(splits.map(() => frames));
  });

  it("gives the same letter by letter", () => {
    const take = frameParser();

    expect(said.split("").flatMap((letter) => take(letter))).toEqual(frames);
  });
});
