import { type } from "arktype";
import * as valibot from "valibot";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { event } from "./event.js";
import { eventJsonSchema } from "./event-codec.js";

const dates = { at: { format: "date-time" }, note: { type: "string" } };

describe("the JSON Schema of an event", () => {
  it.each([
    ["fields", event("Trip", { at: z.date(), note: z.string() })],
    ["an object", event("Trip", z.object({ at: z.date(), note: z.string() }))],
  ])("has a Date as a format without a type, beside what JSON Schema can express: %s", (_of, Trip) => {
    expect(eventJsonSchema(Trip)).toMatchObject({ type: "object", properties: dates, required: ["at", "note"] });
    expect(eventJsonSchema(Trip)["properties"]).not.toHaveProperty("at.type");
  });

  it("allows anything where its library describes nothing", () => {
    const Trip = event("Trip", { big: z.bigint(), note: type("string"), to: valibot.string() });

    expect(eventJsonSchema(Trip)).toEqual({
      type: "object",
      properties: { big: {}, note: { type: "string" }, to: {} },
      required: ["big", "note", "to"],
    });
  });
});
