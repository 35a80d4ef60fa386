import { describe, expect, it } from "vitest";
import { newRunId } from "../option-values.js";
import { describeError } from "./cli-error.js";
import { fieldsIn } from "./parse-json.js";

const answered = (of: object): Error => Object.assign(new Error("GET http://a/b was answered with 401: no"), of);

describe("an error of a server", () => {
  it("names the options of the command, not with those of a program", () => {
    const refused = describeError(answered({ code: "REQUEST_REFUSED", hint: "Pass `headers`.", status: 401 }));
    const page = describeError(answered({ code: "RESPONSE_INVALID", hint: "Check `baseUrl`.", status: 200 }));
    const silent = describeError(answered({ code: "REQUEST_TIMEOUT", hint: "Raise it.", url: "http://a/b" }));

    expect(refused).toMatchObject({
      message: expect.stringContaining("http://a/b"),
      hint: expect.stringContaining("--token"),
    });
    expect(page).toMatchObject({ message: "no", hint: expect.stringContaining("--url") });
    expect(silent).toMatchObject({ code: "SERVER_UNREACHABLE", message: "http://a does not answer." });
  });
});

describe("what is given", () => {
  it("are the fields of an object", () => {
    expect(fieldsIn({ a: 1 }, "`--input`")).toEqual({ a: 1 });
    expect(() => fieldsIn([], "`--input`")).toThrow("`--input` is a list, not an object.");
    expect(() => fieldsIn(null, "`--input`")).toThrow("`--input` is null, not an object.");
    expect(() => fieldsIn(5, "`--state`")).toThrow("`--state` is a number, not an object.");
  });

  it("is an id that a server takes", () => {
    expect([newRunId("a b"), newRunId("-a"), newRunId("😀")]).toEqual(["a b", "-a", "😀"]);
    for (const id of ["", ".", "..", "a\nb", "x".repeat(201)]) expect(() => newRunId(id)).toThrow(/^`--id` is /);
    expect(newRunId(undefined)).not.toBe(newRunId(undefined));
  });
});
