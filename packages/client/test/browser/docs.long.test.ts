/** The page at `/docs`, under its content security policy. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { createServer } from "@millrace/server";
import { createRuntime } from "millrace/runtime";
import { expect, it, onTestFinished } from "vitest";
import { workflows } from "../child/workflows.js";
import { openBrowser } from "../support/browser.js";

it("/docs shows every route, asks nobody else, and breaks no rule of its policy", async () => {
  const browser = await openBrowser();
  const runtime = createRuntime({ workflows });
  const http = serve({ port: 0, hostname: "127.0.0.1", fetch: createServer({ runtime, basePath: "/api" }).fetch });
  onTestFinished(async () => {
    await browser.close();
    http.close();
    await runtime.stop();
  });
  await once(http, "listening");
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const page = await browser.newPage();
  const faults: string[] = [];
  const asked: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  page.on("request", (request) => asked.push(request.url()));

  await page.goto(`${origin}/api/docs`);
  await page.click("#operations-Server-getHealth button", { timeout: 60_000 });
  await page.click("text=Try it out");
  await page.click("text=Execute");
  await page.waitForSelector("text=healthy");

  const { paths } = (await (await fetch(`${origin}/api/openapi.json`)).json()) as { paths: Record<string, object> };
  const operations = Object.values(paths).flatMap((methods) => Object.keys(methods));
  expect(operations.length).toBeGreaterThan(20);
  expect(await page.locator(".opblock").count()).toBe(operations.length);
  expect(faults).toEqual([]);
  expect(asked.filter((url) => !url.startsWith(`${origin}/api/`) && !url.startsWith("data:"))).toEqual([]);
}, 240_000);
