import { describe, expect, it } from "vitest";
import { audio, emptyMedia, file, image, mergeMedia, toMediaSet, video } from "./media.js";

const url = "https://example.org/bridge.jpg";

describe("image, video, audio, file", () => {
  it("keeps what was given and makes an id", () => {
    const made = image({ url, mimeType: "image/jpeg", format: "jpg", name: "Bridge" });

    expect(made).toEqual({
      kind: "image",
      id: expect.stringMatching(/^image-[0-9a-f]{32}$/),
      url,
      mimeType: "image/jpeg",
      format: "jpg",
      name: "Bridge",
    });
    expect(JSON.parse(JSON.stringify(made))).toStrictEqual(made);
  });

  it("makes the same id for the same content, and another for another", () => {
    expect(image({ url }).id).toBe(image({ url, name: "again" }).id);
    expect(image({ url }).id).not.toBe(image({ url: `${url}?2` }).id);
    expect(file({ filepath: "a" }).id).not.toBe(file({ url: "file:a" }).id);
    expect(audio({ filepath: "a" }).id).not.toBe(video({ filepath: "a" }).id);
  });

  it("keeps an id that is given", () => {
    expect(video({ id: "intro", filepath: "intro.mp4" })).toEqual({
      kind: "video",
      id: "intro",
      filepath: "intro.mp4",
    });
  });

  it("turns bytes into base64, however many", () => {
    const bytes = new Uint8Array(20_001).map((_, index) => index % 256);

    const made = audio({ content: bytes });

    expect(made.content).toBe(Buffer.from(bytes).toString("base64"));
    expect(made.id).toBe(audio({ content: made.content as string }).id);
  });

  it("accepts base64 text of many megabytes", () => {
    const content = "QUJD".repeat(4_000_000);

    expect(image({ content }).content).toBe(content);
  });

  it("takes a file that only the provider knows", () => {
    expect(file({ id: "file-abc" })).toEqual({ kind: "file", id: "file-abc" });
  });

  it.each(["application/pdf", "text/x-anything", "application/json; charset=utf-8", "Application/MSWord"])(
    "takes a file of the type %s",
    (mimeType) => {
      expect(file({ filepath: "a", mimeType }).mimeType).toBe(mimeType);
    },
  );

  it.each([
    ["an image of nothing", () => image({}), "needs exactly one of `url`, `filepath` and `content`, and has none"],
    ["an image of two things", () => image({ url, filepath: "a" }), "and has `url` and `filepath`"],
    ["a video with an id alone", () => video({ id: "v" }), "has none"],
    ["a file of nothing", () => file({ name: "x" }), "needs at least one of `id`, `url`, `filepath` and `content`"],
    ["a relative url", () => image({ url: "bridge.jpg" }), "no absolute URL"],
    ["no bytes", () => audio({ content: new Uint8Array() }), "`content` is empty"],
    ["text that is no base64", () => image({ content: "hello world" }), "no base64"],
    ["content of another type", () => image({ content: 7 as never }), "Uint8Array or base64"],
    ["an empty path", () => image({ filepath: "" }), "`filepath` must be text"],
    ["a broken media type", () => image({ url, mimeType: "jpeg" }), "not a media type"],
    ["a program as a file", () => file({ filepath: "a", mimeType: "application/x-msdownload" }), "files are PDF"],
  ])("refuses %s", (_, make, message) => {
    expect(make).toThrow(
      expect.objectContaining({ code: "OPTION_INVALID", message: expect.stringContaining(message) }),
    );
  });

  it("names all problems at once", () => {
    const make = () => image({ url: "a", filepath: "b", mimeType: "c", format: "" });

    expect(make).toThrow(/exactly one[\s\S]*`format`[\s\S]*absolute URL[\s\S]*media type/);
  });
});

describe("toMediaSet", () => {
  it("copies the lists and makes media of fields", () => {
    const images = [image({ url })];

    const set = toMediaSet({ images, files: [{ filepath: "a.pdf" }] });
    images.push(image({ url: `${url}?2` }));

    expect(set).toEqual({ images: [image({ url })], videos: [], audio: [], files: [file({ filepath: "a.pdf" })] });
  });

  it("keeps one of equal items", () => {
    expect(toMediaSet({ images: [{ url }, { url }] }).images).toHaveLength(1);
  });

  it("takes media that were stored and read again", () => {
    const stored = JSON.parse(JSON.stringify(image({ url, name: "Bridge" })));

    expect(toMediaSet({ images: [stored] }).images).toEqual([image({ url, name: "Bridge" })]);
  });

  it("names every wrong item with its place", () => {
    const make = () =>
      toMediaSet({ images: [{ url }, {}], videos: [image({ url })], audio: [null as never], files: "x" as never });

    expect(make).toThrow(
      expect.objectContaining({
        code: "OPTION_INVALID",
        details: {
          problems: [
            expect.stringMatching(/^`images\[1\]`: .*has none/),
            '`videos[0]`: It is of the kind "image", not "video".',
            "`audio[0]`: It must be an object.",
            "`files` must be a list.",
          ],
        },
      }),
    );
  });
});

describe("mergeMedia", () => {
  const [a, b, c] = ["a", "b", "c"].map((id) => image({ id, filepath: id })) as [never, never, never];

  it("keeps the order and drops an echo of what came before", () => {
    const merged = mergeMedia({ ...emptyMedia, images: [a, b] }, { ...emptyMedia, images: [c, a] });

    expect(merged.images).toEqual([a, b, c]);
  });

  it("keeps all four kinds", () => {
    const first = toMediaSet({ images: [{ url }], videos: [{ url }] });
    const second = toMediaSet({ audio: [{ url }], files: [{ url }] });

    expect(mergeMedia(first, second)).toEqual({
      images: [image({ url })],
      videos: [video({ url })],
      audio: [audio({ url })],
      files: [file({ url })],
    });
  });

  it("changes neither set", () => {
    const first = { ...emptyMedia, images: [a] };
    const second = { ...emptyMedia, images: [b] };

    mergeMedia(first, second);

    expect([first.images, second.images]).toEqual([[a], [b]]);
  });
});
