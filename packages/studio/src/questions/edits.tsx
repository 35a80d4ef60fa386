import type { ReactNode } from "react";
import type { JsonObject } from "../api/json.types.js";
import { ExactText } from "../ui/exact-text.js";
import { type LineEdit, lineEdits } from "./line-edits.js";

interface EditsProps {
  /** What was filled in. */
  readonly before: JsonObject;
  readonly after: JsonObject;
}

/** What a person has changed in the texts that were filled in. */
export function Edits({ before, after }: EditsProps): ReactNode {
  const changed = Object.entries(before).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string" && (after[entry[0]] ?? "") !== entry[1],
  );
  return changed.map(([name, text]) => (
    <details key={name} className="edits" open>
      <summary>Changes in {name}</summary>
      <pre>
        {lineEdits(text, String(after[name] ?? "")).map(({ kind, line }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have an order
          <span key={index} className={kind}>
            <span className="sign">{signs[kind]}</span>
            <ExactText text={line} />
            {"\n"}
          </span>
        ))}
      </pre>
    </details>
  ));
}

const signs: Readonly<Record<LineEdit["kind"], string>> = { same: "  ", added: "+ ", removed: "- " };
