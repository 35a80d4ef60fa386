import "./support/offline.js";
import { describe, expect, it } from "vitest";
import { runExample } from "../test/run-example.js";
import { bridge, createMedia } from "./media-input.js";
import { prove } from "./support/prove.js";

describe("media input", () => {
  it("gives the image to the agent and keeps it", async () => {
    const { output } = await runExample("pipelines/media-input.ts");

    expect(output.split("\n")).toEqual([
      "The web on The Golden Gate Bridge, from 1 file (image/jpeg): agents move from demos into products.",
      "image https://upload.wikimedia.org/wikipedia/commons/0/0c/GoldenGateBridge-001.jpg",
      "",
    ]);
  });

  it("goes on after a crash at any tick", async () => {
    const { ticks, crashes } = await prove(createMedia, "Please analyze this image and find related news", {
      images: [bridge],
    });

    expect(crashes).toBeGreaterThanOrEqual(ticks - 1);
  });
});
