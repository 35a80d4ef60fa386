import { describe, expect, it } from "vitest";
import { resolveDriver, type SqliteDriverName } from "../src/connection/driver.js";
import { FileDatabase } from "../src/connection/file-database.js";
import { migrate } from "../src/schema/migrate.js";
import { applicationId } from "../src/schema/schema.js";
import { drivers, openRaw, openStore, rowsOf, temporaryFile } from "./files.js";
import { commitOne, creationOf } from "./runs.js";

const first = "CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO things (name) VALUES ('old')";
const second = "ALTER TABLE things ADD COLUMN size INTEGER; UPDATE things SET size = length(name)";

function migrated(path: string, driver: SqliteDriverName, migrations: readonly string[]): void {
  const database = new FileDatabase(path, resolveDriver(driver));
  try {
    migrate(database, migrations);
  } finally {
    database.close();
  }
}

const versionOf = (path: string, driver: SqliteDriverName): unknown =>
  rowsOf(openRaw(path, driver), "PRAGMA user_version")[0]?.["user_version"];

describe.for(drivers)("migrating a file, with %s", (driver) => {
  it("runs only the migrations that the file does not have", () => {
    const path = temporaryFile();
    migrated(path, driver, [first]);
    openRaw(path, driver).exec("INSERT INTO things (name) VALUES ('between')");

    migrated(path, driver, [first, second]);

    expect(rowsOf(openRaw(path, driver), "SELECT name, size FROM things")).toEqual([
      { name: "old", size: 3 },
      { name: "between", size: 7 },
    ]);
    expect(versionOf(path, driver)).toBe(2);
  });

  it("changes nothing when the file is current", () => {
    const path = temporaryFile();
    migrated(path, driver, [first]);

    migrated(path, driver, [first]);

    expect(rowsOf(openRaw(path, driver), "SELECT name FROM things")).toEqual([{ name: "old" }]);
  });

  it("leaves the old version whole when a migration fails half-way", () => {
    const path = temporaryFile();
    migrated(path, driver, [first]);
    const broken = "ALTER TABLE things ADD COLUMN size INTEGER; UPDATE nothing SET size = 1";

    expect(() => migrated(path, driver, [first, broken])).toThrow("nothing");

    expect(versionOf(path, driver)).toBe(1);
    expect(rowsOf(openRaw(path, driver), "SELECT * FROM things")).toEqual([{ id: 1, name: "old" }]);
  });

  it("makes the tables of a file that is marked but has none yet", async () => {
    const path = temporaryFile();
    openRaw(path, driver).exec(`PRAGMA application_id = ${applicationId}`);

    const store = openStore(path, { driver });

    expect(await commitOne(store, creationOf("run", null))).toBe("stored");
  });
});
