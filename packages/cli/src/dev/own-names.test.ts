import { describe, expect, it } from "vitest";
import { onlyOwnNames } from "./own-names.js";

const statusOf = async (host: string, name: string): Promise<number> => {
  const fetch = onlyOwnNames(() => new Response("runs"), host);
  return (await fetch(new Request(`http://${name}:3000/handlers`))).status;
};

describe("an address of this computer", () => {
  it.each(["localhost", "127.0.0.1", "127.8.0.1", "[::1]", "studio.localhost"])("answers as %s", async (name) => {
    for (const host of ["127.0.0.1", "localhost", "::1"]) expect(await statusOf(host, name)).toBe(200);
  });

  it.each(["pages.example", "localhost.pages.example", "127.0.0.1.pages.example", "192.168.0.7", "0.0.0.0"])(
    "refuses %s, which leads to it",
    async (name) => {
      for (const host of ["127.0.0.1", "localhost", "::1"]) expect(await statusOf(host, name)).toBe(403);
    },
  );
});

it("answers on another address under every name", async () => {
  expect(await statusOf("0.0.0.0", "runs.example")).toBe(200);
  expect(await statusOf("192.168.0.7", "runs.example")).toBe(200);
});
