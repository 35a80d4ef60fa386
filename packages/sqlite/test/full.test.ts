import { describe, expect, it } from "vitest";
import type { SqliteDatabase } from "../src/index.js";
import { drivers, openRaw, openStore, rowsOf, temporaryFile } from "./files.js";
import { commitOne, creationOf, keyOf, ticksOf } from "./runs.js";

const large = (tick: number) => ({
  key: keyOf("run"),
  owner: "ann",
  epoch: 1,
  ticks: { ...ticksOf(tick), text: JSON.stringify("x".repeat(20_000)) },
});

describe.for(drivers)("a full disk, with %s", (driver) => {
  it("loses nothing that was acknowledged, and goes on when there is room", async () => {
    const path = temporaryFile();
    const opened: SqliteDatabase[] = [];
    const open = (file: string): SqliteDatabase => {
      opened.push(openRaw(file, driver));
      return opened[0]!;
    };
    const store = openStore(path, { driver: { open } });
    await store.commit([creationOf("run", "ann")]);
    const [{ page_count: pages }] = rowsOf(opened[0]!, "PRAGMA page_count") as [{ page_count: number }];
    opened[0]!.exec(`PRAGMA max_page_count = ${pages + 20}`);

    const statuses: string[] = [];
    let tick = 1;
    for (; tick < 100 && !statuses.includes("STORE_FULL"); tick++) {
      statuses.push(await commitOne(store, large(tick)).catch((error) => error.code));
    }
    const refused = tick - 1;
    const whenFull = await store.run(keyOf("run"));
    const again = await commitOne(store, large(refused)).catch((error) => error.code);
    opened[0]!.exec("PRAGMA max_page_count = 1000000");
    const later = await commitOne(store, large(refused));

    expect(statuses.slice(0, -1)).toEqual(Array(refused - 1).fill("stored"));
    expect(refused).toBeGreaterThan(2);
    expect(whenFull?.ticks).toBe(refused - 1);
    expect(again).toBe("STORE_FULL");
    expect(later).toBe("stored");
    expect(await store.ticks(keyOf("run"), { after: 0, limit: 100 })).toHaveLength(refused);
    expect(rowsOf(openRaw(path, driver), "PRAGMA integrity_check")).toEqual([{ integrity_check: "ok" }]);
  });
});
