import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { sha256 } from "./sha256.js";

it("returns the same as Node for every length around the ends of blocks, and for odd texts", () => {
  const texts = Array.from({ length: 200 }, (_, length) => "a".repeat(length));
  texts.push("é€😀", "\0", "\ud800", "x".repeat(1_000_000));

  for (const text of texts) expect(sha256(text)).toBe(createHash("sha256").update(text).digest("hex"));
});
