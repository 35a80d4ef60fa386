import { describe, expect, it } from "vitest";
import { retryIf, retryPolicy, stop, wait } from "./retry-policy.js";

const nothing = undefined as never;

describe("a part of a retry policy that is none is refused where it is given", () => {
  it.each([
    ["no message", () => retryIf.message(nothing), "retryIf.message"],
    ["an empty message, which every error has", () => retryIf.message(""), "retryIf.message"],
    ["a number for a message", () => retryIf.message(503 as never), "retryIf.message"],
    ["no class", () => (retryIf.type as () => unknown)(), "retryIf.type"],
    ["a class that an import in a circle left undefined", () => retryIf.type(TypeError, nothing), "retryIf.type"],
    ["an arrow function for a class", () => retryIf.type((() => true) as never), "retryIf.type"],
    ["no class of a cause", () => (retryIf.cause as () => unknown)(), "retryIf.cause"],
    ["an undefined class of a cause", () => retryIf.cause(nothing), "retryIf.cause"],
    ["no test", () => retryIf.test(nothing), "retryIf.test"],
    ["no condition after `or`", () => retryIf.type(TypeError).or(nothing), "or"],
    ["no condition after `and`", () => retryIf.type(TypeError).and(nothing), "and"],
    ["an empty chain of waits", () => (wait.chain as () => unknown)(), "wait.chain"],
    ["an undefined wait in a chain", () => wait.chain(wait.fixed(1), nothing), "wait.chain"],
    ["a duration for a wait in a chain", () => wait.chain("1s" as never), "wait.chain"],
    ["no wait to add", () => wait.fixed(1).plus(nothing), "plus"],
    ["no stop after `or`", () => stop.never.or(nothing), "or"],
    ["no stop after `and`", () => stop.never.and(nothing), "and"],
    ["a class for `when`", () => retryPolicy({ when: TypeError as never }), "when"],
    ["a duration for `wait`", () => retryPolicy({ wait: "1s" as never }), "wait"],
    ["a number for `stop`", () => retryPolicy({ stop: 3 as never }), "stop"],
  ])("%s", (_, make, option) => {
    expect(make).toThrow(expect.objectContaining({ code: "OPTION_INVALID", details: { option } }));
    expect(make).toThrow(new RegExp(`^\`${option}\` of a retry policy got (nothing|undefined|null|""|[a-z]+)\\.$`));
  });
});
