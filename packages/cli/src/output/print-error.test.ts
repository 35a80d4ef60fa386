import { expect, it } from "vitest";
import { errorText } from "./print-error.js";

const invalid = (issues: readonly { readonly path: string; readonly message: string }[]) => {
  const text = issues.map(({ path, message }) => (path && `${path}: `) + message).join("; ");
  const message = `Event "Parcel" is invalid: ${text}.`;
  return Object.assign(new Error(message), { code: "EVENT_INVALID", hint: "Pass the fields.", details: { issues } });
};

it("several problems of an event have a line each, and none is printed twice", () => {
  const error = invalid([
    { path: "parcel", message: "expected string" },
    { path: "", message: "too many" },
  ]);

  expect(errorText(error, false).split("\n")).toEqual([
    'EVENT_INVALID  Event "Parcel" is invalid:',
    "  parcel: expected string",
    "  (all): too many",
    "hint  Pass the fields.",
  ]);
});

it("one problem is in the message", () => {
  expect(errorText(invalid([{ path: "parcel", message: "expected string" }]), false).split("\n")).toEqual([
    'EVENT_INVALID  Event "Parcel" is invalid: parcel: expected string.',
    "hint  Pass the fields.",
  ]);
});
