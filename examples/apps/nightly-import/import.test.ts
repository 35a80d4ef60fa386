import { proveResumable, runToEnd } from "@millrace/testing";
import { expect, it } from "vitest";
import { type Catalogue, nightlyImport } from "./flows.js";

/** Two pages, of which one row is bad. */
function catalogue(): Catalogue & { readonly stored: Map<string, string> } {
  const stored = new Map<string, string>();
  const pages = [
    [
      { sku: "A", price: 1 },
      { sku: "B", price: "free" },
    ],
    [{ sku: "C", price: 3 }],
  ];
  return {
    stored,
    page: async (number) => pages[number] ?? null,
    store: async ({ sku }, key) => void stored.set(key, sku),
  };
}

it("stores the good rows, and names the bad one with its reason", async () => {
  const supplier = catalogue();
  const NightlyImport = nightlyImport(supplier);

  const { result } = await runToEnd(new NightlyImport(), {});

  expect(result).toMatchObject({ stored: 2, bad: [expect.stringMatching(/^row 2: .*price/)] });
  expect([...supplier.stored.values()].sort()).toEqual(["A", "C"]);
});

it("tries a row again when the database is away", async () => {
  const supplier = catalogue();
  let failures = 2;
  const NightlyImport = nightlyImport({
    ...supplier,
    store: async (row, key) => {
      if (row.sku === "A" && failures-- > 0) throw new Error("the database is away");
      await supplier.store(row, key);
    },
  });

  const { result } = await runToEnd(new NightlyImport(), {});

  expect(result).toMatchObject({ stored: 2 });
});

it("survives a crash at every tick", async () => {
  const NightlyImport = nightlyImport(catalogue());

  await proveResumable(() => new NightlyImport(), {});
});
