/** A store for which this Node is too old says so. */
import { sqliteStore } from "@millrace/sqlite";

try {
  sqliteStore("runs.db");
} catch ({ code, message, hint }) {
  console.log(`${code} ${message} ${hint}`);
}
