import type { ReactNode } from "react";
import type { Json, JsonObject } from "../api/json.types.js";
import { isRecord, short } from "../ui/format.js";
import { Card } from "../ui/page.js";
import { Empty } from "../ui/states.js";
import { isSame } from "./model/first-difference.js";

/** The last states of both, field by field. */
export function StateTable({ a, b }: { readonly a: Json; readonly b: Json }): ReactNode {
  const [ofA, ofB] = [recordOf(a), recordOf(b)];
  const names = [...new Set([...Object.keys(ofA), ...Object.keys(ofB)])];
  return (
    <Card title="State at the end" className="part">
      {names.length === 0 ? (
        <Empty>Neither has a state.</Empty>
      ) : (
        <table className="diffgrid three">
          <thead className="sr">
            <tr>
              <th scope="col">Field</th>
              <th scope="col">A</th>
              <th scope="col">B</th>
            </tr>
          </thead>
          <tbody>
            {names.map((name) => (
              <tr key={name} className={isSame(ofA[name], ofB[name]) ? "" : "ne"}>
                <th scope="row" className="mono">
                  {name}
                </th>
                <Value value={ofA[name]} />
                <Value value={ofB[name]} />
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Card>
  );
}

function Value({ value }: { readonly value: Json | undefined }): ReactNode {
  return (
    <td>
      <code title={short(value, 2000)}>{short(value, 160)}</code>
    </td>
  );
}

function recordOf(value: Json): JsonObject {
  return isRecord(value) ? (value as JsonObject) : {};
}
