import { describe, expect, it } from "vitest";
import { hrefOf, parseRoute, withOpen } from "./route.js";

describe("parseRoute", () => {
  it.each([
    ["", { page: "runs", query: "" }],
    ["#/", { page: "runs", query: "" }],
    ["#/runs", { page: "runs", query: "" }],
    ["#/runs/status%3Afailed%20A-7", { page: "runs", query: "status:failed A-7" }],
    ["#/workflow/a%2Fb", { page: "workflow", name: "a/b" }],
    ["#/run/dg-1", { page: "run", id: "dg-1", tick: null }],
    ["#/run/dg-1/17", { page: "run", id: "dg-1", tick: 17 }],
    ["#/run/dg-1/x", { page: "run", id: "dg-1", tick: null }],
    ["#/child/dg-1/dg-1%2F5/9", { page: "child", id: "dg-1", child: "dg-1/5", tick: 9 }],
    ["#/child/dg-1", { page: "unknown", address: "#/child/dg-1" }],
    ["#/compare/a/b", { page: "compare", a: "a", b: "b", others: [] }],
    ["#/compare/a/b/b/c%2Fd", { page: "compare", a: "a", b: "b", others: ["b", "c/d"] }],
    ["#/session/s-1", { page: "session", id: "s-1" }],
    ["#/run/dg-1/17?step=a%26b&shown=data", { page: "run", id: "dg-1", tick: 17 }],
    ["#/run/%zz", { page: "run", id: "%zz", tick: null }],
    ["#/run", { page: "unknown", address: "#/run" }],
    ["#/elsewhere", { page: "unknown", address: "#/elsewhere" }],
  ])("reads %j", (hash, route) => {
    expect(parseRoute(hash)).toEqual(route);
  });

  it("writes what of a page is open, in place of what was", () => {
    const open = { step: "a&b", tab: null };
    expect(withOpen("#/run/a/7?tab=log", open)).toBe("#/run/a/7?step=a%26b");
    expect(withOpen("#/run/a/7?tab=log", { step: null })).toBe("#/run/a/7");
  });

  it("reads what hrefOf writes, whatever the id", () => {
    const id = "a/b #?%ü";

    expect(parseRoute(hrefOf("run", id, 3))).toEqual({ page: "run", id, tick: 3 });
  });
});
