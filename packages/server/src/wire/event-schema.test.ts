import { Pipeline } from "@millrace/pipeline";
import { type EventClass, StartEvent } from "millrace";
import { compileWorkflow } from "millrace/engine";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { anyEventJsonSchema, eventJsonSchema } from "./event-schema.js";

const address = z.object({ street: z.string() }).meta({ id: "Address" });
const folder = z.object({
  name: z.string(),
  get inner() {
    return z.array(folder);
  },
});
class Ship extends StartEvent.define("Ship", { "to/from~": z.object({ home: address, work: address }) }) {}
class Tidy extends StartEvent.define("Tidy", { folder }) {}

const file = new Pipeline({ name: "File", steps: [() => "filed"], inputSchema: folder });

describe("references in the schema of an event", () => {
  const ship = "#/properties/to~1from~0/$defs/Address";

  it("lead to a field's own definitions, and to the field itself", () => {
    expect(eventJsonSchema(Ship)).toMatchObject({
      properties: {
        "to/from~": { $defs: { Address: {} }, properties: { home: { $ref: ship }, work: { $ref: ship } } },
      },
    });
    expect(eventJsonSchema(Tidy)).toMatchObject({
      properties: { folder: { properties: { inner: { items: { $ref: "#/properties/folder" } } } } },
    });
  });

  it("lead there also from the input of a pipeline", () => {
    const [start] = compileWorkflow(file.workflow).startClasses;

    expect(eventJsonSchema(start as EventClass)).toMatchObject({
      properties: { input: { properties: { inner: { items: { $ref: "#/properties/input" } } } } },
    });
  });

  it("lead there also where there are several events", () => {
    const { anyOf } = anyEventJsonSchema([Tidy, Ship]) as { readonly anyOf: readonly object[] };

    expect(JSON.stringify(anyOf[0])).toContain('"$ref":"#/anyOf/0/properties/folder"');
    expect(JSON.stringify(anyOf[1])).toContain(`"$ref":"#/anyOf/1${ship.slice(1)}"`);
  });
});

describe("a date in the schema of an event", () => {
  class Trip extends StartEvent.define("Trip", { at: z.date(), until: z.date().optional(), day: z.iso.date() }) {}

  it("is a format without a type, because no text of JSON is one", () => {
    expect(eventJsonSchema(Trip)).toMatchObject({
      properties: { at: { format: "date-time" }, until: { format: "date-time" }, day: { type: "string" } },
      required: ["at", "day"],
    });
  });
});
