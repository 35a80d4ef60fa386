/** What the migrations make, as text: a change of a released one would not reach the databases that have it. */
import { expect, it } from "vitest";
import { migrations } from "../src/schema/schema.js";
import { TestSchema } from "./support/stores.js";

const ofSchema = "n.nspname = $1";
const columns = `SELECT c.relname AS name, coalesce(array_to_string(c.reloptions, ', '), '') AS options,
    string_agg(concat_ws(' ', '  ' || a.attname, format_type(a.atttypid, a.atttypmod),
      CASE WHEN a.attcollation <> t.typcollation THEN 'COLLATE ' || l.collname END,
      CASE WHEN a.attnotnull THEN 'NOT NULL' END,
      CASE WHEN a.attidentity <> '' THEN 'IDENTITY' END,
      'DEFAULT ' || pg_get_expr(d.adbin, d.adrelid)), E'\\n' ORDER BY a.attnum) AS columns
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
  JOIN pg_type t ON t.oid = a.atttypid LEFT JOIN pg_collation l ON l.oid = a.attcollation
  LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
  WHERE ${ofSchema} AND c.relkind = 'r' AND NOT a.attisdropped GROUP BY 1, 2 ORDER BY c.relname COLLATE "C"`;
const indexes = `SELECT indexdef AS text FROM pg_indexes WHERE schemaname = $1 ORDER BY indexname COLLATE "C"`;
const sequences = `SELECT 'SEQUENCE ' || sequencename || ' INCREMENT ' || increment_by AS text FROM pg_sequences
  WHERE schemaname = $1 ORDER BY sequencename COLLATE "C"`;
const functions = `SELECT pg_get_functiondef(p.oid) AS text FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
  WHERE ${ofSchema} ORDER BY p.proname COLLATE "C"`;

it("is as it was released: change it by one more migration", async () => {
  await using schema = new TestSchema();
  await schema.open().tenants();

  const tables = await schema.query(columns, [schema.name]);
  const others = await Promise.all([indexes, sequences, functions].map((sql) => schema.query(sql, [schema.name])));
  const text = [
    `version ${migrations.length}`,
    ...tables.map(({ name, options, columns }) => [["TABLE", name, options].join(" ").trimEnd(), columns].join("\n")),
    ...others.map((rows) => rows.map(({ text }) => String(text).trimEnd()).join("\n")),
  ].join("\n\n");

  await expect(`${text.replaceAll(schema.name, "millrace")}\n`).toMatchFileSnapshot("golden/schema.txt");
});
