import { describe, expect, it } from "vitest";
import * as z from "zod";
import { event } from "./event.js";
import { eventJsonSchema } from "./event-codec.js";
import { mayHoldMoments, withMoments } from "./moments.js";

const day = "2026-11-29";
const moment = "2026-11-29T14:30:00Z";
const date = new Date(day);
const range = z.object({ from: z.date(), to: z.date() });
const kinds = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("a"), at: z.date() }),
  z.object({ kind: z.literal("b"), at: z.string() }),
]);
const named = z.intersection(z.object({ at: z.date() }), z.object({ by: z.string() }));

const nested: readonly (readonly [name: string, schema: z.ZodType, fields: unknown, read: unknown])[] = [
  ["tuple", z.tuple([z.date(), z.date()]), [day, day], [date, date]],
  ["tuple with a rest", z.tuple([z.string()]).rest(z.date()), [day, day], [day, date]],
  ["list of tuples", z.array(z.tuple([z.string(), z.date()])), [["x", day]], [["x", date]]],
  ["tuple or date", z.union([z.tuple([z.date(), z.date()]), z.date()]), [day, day], [date, date]],
  ["union that may be null", kinds.nullable(), { kind: "a", at: day }, { kind: "a", at: date }],
  ["union in a union", z.union([z.date().nullable(), z.number()]), day, date],
  ["null beside a date", z.union([z.date().nullable(), z.number()]), null, null],
  ["union by the fields", z.union([range, z.object({ at: z.date() })]), { at: day }, { at: date }],
  [
    "union by an optional field",
    z.union([z.strictObject({ to: z.date().optional() }), z.strictObject({ at: z.date().optional() })]),
    { at: day },
    { at: date },
  ],
  [
    "union of which one has more fields",
    z.union([z.object({ at: z.date() }), z.object({ at: z.date(), by: z.string() })]),
    { at: day, by: "ann" },
    { at: date, by: "ann" },
  ],
  ["union of lists", z.union([z.array(range), z.array(z.date())]), [day], [date]],
  ["intersection", z.union([named, z.date()]), { at: day, by: day }, { at: date, by: day }],
  ["date or an intersection", z.union([named, z.date()]), day, date],
  ["date or a bigint", z.union([z.bigint(), z.date()]), day, date],
  ["date or an address", z.union([z.date(), z.email()]), day, date],
  ["date or words of a pattern", z.union([z.date(), z.string().regex(/^in \d+ days$/)]), day, date],
  ["text of a pattern", z.union([z.date(), z.string().regex(/^\d{4}-/)]), day, day],
  ["text of a pattern with classes of Unicode", z.union([z.date(), z.string().regex(/^[\p{N}-]+$/u)]), day, day],
  ["text of a pattern in any case", z.union([z.date(), z.string().regex(/^[a-z\d:-]+$/i)]), moment, moment],
];

describe("a Date in fields of JSON", () => {
  const schema = eventJsonSchema(
    class extends event("Trip", {
      at: z.date().nullable(),
      until: z.date().optional(),
      note: z.string(),
      days: z.array(z.object({ of: z.date() })),
    }) {},
  );

  it("is read where the schema asks for one", () => {
    const fields = { at: "2026-11-29T14:30:00Z", note: "2026-11-29", days: [{ of: "2026-11-30" }], more: "2026-11-29" };

    expect(withMoments(schema, fields)).toEqual({
      ...fields,
      at: new Date("2026-11-29T14:30:00Z"),
      days: [{ of: new Date("2026-11-30T00:00:00Z") }],
    });
    expect(mayHoldMoments(fields)).toBe(true);
  });

  it("is a day or a time with its distance to UTC, as zod has them", () => {
    const isRight = z.union([z.iso.date(), z.iso.datetime({ offset: true })]);
    const texts = [
      ...[
        "2026-11-29",
        "2028-02-29",
        "2026-02-29",
        "2026-02-30",
        "2026-13-01",
        "2026-1-1",
        "29.11.2026",
        "",
        "9999999-1",
      ],
      ...["2026-11-29T14:30:00Z", "2026-11-29T14:30:00.5Z", "2026-11-29T14:30:00+02:00", "2026-02-30T14:30:00Z"],
      ...["2026-11-29T14:30", "2026-11-29T25:00:00Z", "2026-11-29T", "14:30", "2026-11-29T14:61:00Z"],
    ];
    for (const at of texts) expect([at, withMoments(schema, { at }), { at }]).toEqual([at, read(at), { at }]);

    function read(at: string) {
      return { at: isRight.safeParse(at).success ? new Date(at) : at };
    }
  });

  it("stays as it is where it is none", () => {
    const fields = { at: null, until: "tomorrow", days: "2026-11-29", note: 7 };

    expect(withMoments(schema, fields)).toEqual(fields);
    expect(mayHoldMoments({ a: "tomorrow", "2026-11-29": 7 })).toBe(true);
    expect(mayHoldMoments({ a: "tomorrow" })).toBe(false);
  });

  it("stays a text where the schema takes one, and is read by the part of a union that it fits", () => {
    const day = "2026-11-29";
    const date = new Date(day);
    const either = eventJsonSchema(
      class extends event("Either", {
        text: z.union([z.date(), z.string()]),
        word: z.union([z.date(), z.literal("never")]),
        by: z.record(z.string(), z.date()),
        one: z.discriminatedUnion("kind", [
          z.object({ kind: z.literal("a"), at: z.date() }),
          z.object({ kind: z.literal("b"), at: z.string() }),
        ]),
      }) {},
    );
    const of = (kind: string) => ({ text: day, word: day, by: { x: day }, one: { kind, at: day } });

    expect(withMoments(either, of("a"))).toEqual({
      text: day,
      word: date,
      by: { x: date },
      one: { kind: "a", at: date },
    });
    expect(withMoments(either, of("b"))).toMatchObject({ one: { kind: "b", at: day } });
    expect(withMoments(either, of("c"))).toMatchObject({ one: { kind: "c", at: day } });
    const hostile = JSON.parse('{ "__proto__": { "at": "2026-11-29" }, "by": { "__proto__": "2026-11-29" } }');
    expect(Object.getPrototypeOf(withMoments(either, hostile))).toBe(Object.prototype);
  });

  // hey-api/hey-api#986, glideapps/quicktype#2880, lukeautry/tsoa#1712 and marcj/deepkit#71: dates in unions that may be null.
  it.each(nested)("is read in a %s", (_name, schema, fields, read) => {
    const json = eventJsonSchema(class extends event("Nested", { of: schema }) {});

    expect(withMoments(json, { of: fields })).toEqual({ of: read });
    expect(schema.safeParse(read).success).toBe(true);
  });

  // JohnWeisz/TypedJSON#128, weichx/cerialize#34: what is a Date already stays one.
  it("stays one that it is already", () => {
    const fields = { at: new Date(0), note: "", days: [{ of: new Date(1) }] };

    expect(withMoments(schema, fields)).toEqual(fields);
  });

  it("is read in a schema that refers to itself, however deep", () => {
    const node = z.object({
      at: z.date(),
      get next() {
        return node.nullable();
      },
    });
    const leaf: z.ZodType = z.lazy(() => z.union([z.date(), z.array(leaf)]));
    const schema = eventJsonSchema(class extends event("Tree", { "a/b": node, leaf }) {});
    const day = "2026-11-29";
    const date = new Date(day);

    expect(
      withMoments(schema, { "a/b": { at: day, next: { at: day, next: { at: day, next: null } } }, leaf: [day, [day]] }),
    ).toEqual({
      "a/b": { at: date, next: { at: date, next: { at: date, next: null } } },
      leaf: [date, [date]],
    });
  });

  it("stays as it is where a reference leads nowhere, or round in a circle", () => {
    const day = "2026-11-29";
    const schema = {
      properties: {
        gone: { $ref: "#/$defs/gone" },
        round: { $ref: "#/$defs/a" },
        all: { $ref: "#/$defs/all" },
        either: { anyOf: [{ $ref: "#/properties/either" }, { $ref: "#/$defs/date" }] },
      },
      $defs: {
        a: { $ref: "#/$defs/b" },
        b: { $ref: "#/$defs/a" },
        all: { allOf: [{ $ref: "#/$defs/all" }, { $ref: "#/$defs/all" }] },
        date: { format: "date-time" },
      },
    };

    expect(withMoments(schema, { gone: day, round: day, all: day, either: day })).toEqual({
      gone: day,
      round: day,
      all: day,
      either: new Date(day),
    });
  });
});
