import { expectTypeOf, it } from "vitest";
import { type Resolved, type Resource, ResourceContainer, resource } from "./resource.js";

const database = resource("database", async () => ({ query: (sql: string) => sql.length }));

it("infers the value, without the promise", () => {
  expectTypeOf(database).toEqualTypeOf<Resource<{ query: (sql: string) => number }>>();
});

it("types what a factory is given, and its disposer", () => {
  resource("repository", ({ db }) => db.query("select 1"), {
    resources: { db: database },
    dispose: (value) => void expectTypeOf(value).toEqualTypeOf<number>(),
  });
});

it("types what a step gets", () => {
  expectTypeOf<Resolved<{ db: typeof database }>["db"]["query"]>().toEqualTypeOf<(sql: string) => number>();
  expectTypeOf(new ResourceContainer("call").resolve({ db: database })).toExtend<
    { readonly db: { query: (sql: string) => number } } | Promise<{ readonly db: { query: (sql: string) => number } }>
  >();
});

it("takes an override of the same type only", () => {
  database.override({ query: () => 0 });
  // @ts-expect-error [2322] -- the real one returns a number
  database.override({ query: () => "zero" });
});
