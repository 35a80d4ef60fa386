/** A value to be read and copied: a text, a table for a list of records, else a tree. */
import { type ReactNode, useState } from "react";
import type { Json, JsonObject } from "../api/json.types.js";
import { announce } from "./announce.js";
import { Button } from "./controls.js";
import { isRecord, short } from "./format.js";
import { JsonTree } from "./json-tree.js";

const MOST_ROWS = 200;
const MOST_COLUMNS = 12;

export function ValueView({ value }: { readonly value: Json }): ReactNode {
  if (typeof value === "string")
    return (
      <p className="text">
        <bdi>{value}</bdi>
      </p>
    );
  if (typeof value !== "object" || value === null) return <p className="text mono">{String(value)}</p>;
  return isTable(value) ? <Table rows={value} /> : <JsonTree value={value} empty="Empty." />;
}

function isTable(value: Json): value is readonly JsonObject[] {
  if (!Array.isArray(value) || value.length < 2 || !value.every(isRecord)) return false;
  const columns = columnsOf(value as readonly JsonObject[]).length;
  return columns > 0 && columns <= MOST_COLUMNS;
}

function columnsOf(rows: readonly JsonObject[]): readonly string[] {
  return [...new Set(rows.flatMap(Object.keys))];
}

function Table({ rows }: { readonly rows: readonly JsonObject[] }): ReactNode {
  const columns = columnsOf(rows);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached with the keyboard
    <section className="records" tabIndex={0} aria-label={`${rows.length} records`}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                <bdi>{column}</bdi>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, MOST_ROWS).map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: records have no other name
            <tr key={index}>
              {columns.map((column) => (
                <td key={column} title={short(row[column], 2000)}>
                  <bdi>{cellOf(row[column])}</bdi>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > MOST_ROWS && <p className="muted">{rows.length - MOST_ROWS} more. Copy has all.</p>}
    </section>
  );
}

function cellOf(value: Json | undefined): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : short(value, 80);
}

/** A button that copies the value, as text or JSON; nothing on pages where a browser does not allow it. */
export function CopyButton({ value, what }: { readonly value: Json; readonly what: string }): ReactNode {
  const [word, setWord] = useState("Copy");
  if (!isSecureContext) return null;
  const show = (outcome: string): void => {
    setWord(outcome);
    announce(`${outcome}: ${what}`);
  };
  const copy = (): Promise<void> =>
    navigator.clipboard.writeText(typeof value === "string" ? value : JSON.stringify(value, null, 2)).then(
      () => show("Copied"),
      () => show("Not allowed"),
    );
  return (
    <Button kind="ghost" isSmall aria-label={`${word} ${what}`} onClick={() => void copy()}>
      {word}
    </Button>
  );
}
