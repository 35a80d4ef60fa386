/** The server as a controller, over real HTTP, on both adapters. */
import { type CanActivate, type ExecutionContext, ForbiddenException } from "@nestjs/common";
import { describe, expect, it } from "vitest";
import { nestRequestOf } from "../src/index.js";
import { adapters } from "./support/adapters.js";
import { type Handler, openShop, post, refundOver } from "./support/http.js";
import { Mailer } from "./support/shop.js";

const kinds = Object.keys(adapters) as (keyof typeof adapters)[];

/** As those of Passport: it puts the user into the request. */
const guard: CanActivate = {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest();
    const user = /^Bearer (\w+)$/.exec(request.headers.authorization ?? "")?.[1];
    if (user === undefined) throw new ForbiddenException("who are you");
    request.user = { company: user };
    return true;
  },
};

describe.each(kinds)("on %s", (adapter) => {
  it("serves runs: a start, a stream, a prompt, an answer, a refusal", async () => {
    const { app, url } = await openShop({}, { adapter });
    const flows = `${url}/flows`;

    expect(await refundOver(flows)).toContain('"result":true');
    expect(app.get(Mailer).log).toEqual(["ready", "refunded A-17"]);

    const wrong = await post(`${flows}/workflows/refund/run`, { start_event: { order: 1 } });
    expect(wrong.status).toBe(400);
    expect(await wrong.json()).toMatchObject({ code: "EVENT_INVALID" });
    const elsewhere = { cookie: "session=1", origin: "https://evil.example" };
    expect((await post(`${flows}/workflows/greet/run`, {}, elsewhere)).status).toBe(403);
    const deep = `${'{"a":'.repeat(100)}1${"}".repeat(100)}`;
    expect((await post(`${flows}/workflows/greet/run`, `{"start_event":${deep}}`)).status).toBe(400);
    expect((await post(`${flows}/workflows/greet/run`, `"${"x".repeat(2_000_000)}"`)).status).toBe(413);
    expect((await fetch(`${flows}/nowhere`)).status).toBe(404);
    expect((await fetch(`${url}/flowsome`)).status).toBe(404);
    expect((await fetch(`${flows}/handlers/none/cancel`, { method: "POST" })).status).toBe(404); // without a body
  });

  it("is behind the global prefix, unless the application excludes the path", async () => {
    const inside = await openShop({}, { adapter, before: (app) => app.setGlobalPrefix("api/v1") });
    expect(await refundOver(`${inside.url}/api/v1/flows`)).toContain('"result":true');
    expect((await fetch(`${inside.url}/flows/health`)).status).toBe(404);

    const before = (app: (typeof inside)["app"]) => app.setGlobalPrefix("api", { exclude: ["flows", "flows/*path"] });
    const outside = await openShop({}, { adapter, before });
    expect(await refundOver(`${outside.url}/flows`)).toContain('"result":true');
  });

  it("asks guards first, and `auth` knows what they have found", async () => {
    const auth = (request: Request) => ({ tenant: nestRequestOf<{ user: { company: string } }>(request).user.company });
    const { url } = await openShop({ guards: [guard], server: { auth } }, { adapter });
    const flows = `${url}/flows`;

    expect((await fetch(`${flows}/handlers`)).status).toBe(403);
    expect(await refundOver(flows, { authorization: "Bearer acme" })).toContain('"result":true');
    const of = async (company: string) =>
      (await (await fetch(`${flows}/handlers`, { headers: { authorization: `Bearer ${company}` } })).json()) as {
        handlers: Handler[];
      };
    expect((await of("acme")).handlers).toHaveLength(1);
    expect((await of("other")).handlers).toEqual([]);
  });

  it("passes bodies to the server: as received with `rawBody`, else as JSON", async () => {
    const bodies: string[] = [];
    const auth = async (request: Request) => {
      bodies.push(await request.clone().text());
      return {};
    };
    const body = '{ "start_event": { "name": "Ada" } }';
    for (const rawBody of [true, false]) {
      const { url } = await openShop({ server: { auth } }, { adapter, rawBody });
      const answer = (await (await post(`${url}/flows/workflows/greet/run`, body)).json()) as Handler;
      expect(answer.result?.value.result).toBe("Hello, Ada!");
    }
    expect(bodies).toEqual([body, JSON.stringify(JSON.parse(body))]);
  });

  it("closes while streams are open", async () => {
    const { app, url } = await openShop({}, { adapter });
    const started = await post(`${url}/flows/workflows/refund/run`, { start_event: { order: "B" } });
    const { handler_id: id } = (await started.json()) as Handler;
    const stream = await fetch(`${url}/flows/events/${id}`);

    await app.close();

    expect(await stream.text()).not.toContain("StopEvent");
  });
});
