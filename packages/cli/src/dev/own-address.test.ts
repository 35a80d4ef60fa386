import { get } from "node:http";
import { hostname, networkInterfaces } from "node:os";
import { describe, expect, it, onTestFinished } from "vitest";
import { listen } from "./listen.js";
import { addressOf, isOwnAddress } from "./own-address.js";

/** A server at a host, and the status that a request has which is sent to it under a name. */
async function listeningAt(host: string, asksToken = false) {
  const server = await listen({ fetch: () => new Response("runs"), host, port: 0, isDefault: false, asksToken });
  onTestFinished(() => server.close());
  const statusFor = (name: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const headers = { host: `${name}:${server.port}` };
      get({ host: server.isOwn ? server.address : "127.0.0.1", port: server.port, headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).on("error", reject);
    });
  return { server, statusFor };
}

const spellings = [
  "127.0.0.1",
  "localhost",
  "LOCALHOST",
  "127.1",
  "0x7f000001",
  "2130706433",
  "::1",
  "0:0:0:0:0:0:0:1",
  "::ffff:127.0.0.1",
];
const hasIPv6 = Object.values(networkInterfaces()).some((list) => list?.some(({ family }) => family === "IPv6"));
const here = spellings.filter((one) => hasIPv6 || !one.includes(":"));

describe.each(here)("a server at %s", (host) => {
  it("answers this computer under its own names, and no other name that leads to it", async () => {
    const { server, statusFor } = await listeningAt(host);

    expect(server.isOwn).toBe(true);
    for (const name of ["localhost", "LOCALHOST", "127.0.0.1", "127.8.0.1", "127.1", "[::1]", "studio.localhost"])
      expect(await statusFor(name), name).toBe(200);
    for (const name of [
      "pages.example",
      "localhost.pages.example",
      "127.0.0.1.pages.example",
      "192.168.0.7",
      "0.0.0.0",
    ])
      expect(await statusFor(name), name).toBe(403);
  });
});

it("judges the name of the computer by the address that it means", async () => {
  const name = hostname();
  const address = await addressOf(name);
  const { server, statusFor } = await listeningAt(name);

  expect(server.isOwn).toBe(isOwnAddress(address));
  expect(await statusFor("pages.example")).toBe(server.isOwn ? 403 : 200);
});

it("answers on every address under every name, and says which addresses these are", async () => {
  const { server, statusFor } = await listeningAt("0.0.0.0");

  expect(server.isOwn).toBe(false);
  expect(await statusFor("runs.example")).toBe(200);
  expect(server.urls[0]).toBe(`http://localhost:${server.port}`);
  const others = Object.values(networkInterfaces()).flatMap((list = []) =>
    list.filter(({ internal, family }) => !internal && family === "IPv4").map(({ address }) => address),
  );
  expect(server.urls.slice(1)).toEqual(others.map((address) => `http://${address}:${server.port}`));
});

it("answers under every name where callers need a token", async () => {
  const { statusFor } = await listeningAt("127.0.0.1", true);

  expect(await statusFor("runs.example")).toBe(200);
});

it.each(["192.168.0.7", "10.0.0.1", "::", "0.0.0.0", "fe80::1", "::ffff:10.0.0.1", "runs.example", ""])(
  "%j is no address of this computer alone",
  (address) => {
    expect(isOwnAddress(address)).toBe(false);
  },
);
