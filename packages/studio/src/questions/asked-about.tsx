import type { PendingPrompt } from "@millrace/client";
import { type ReactNode, useState } from "react";
import type { Json } from "../api/json.types.js";
import { fieldsOf } from "../api/plain-json.js";
import { useRead } from "../api/use-read.js";
import { Button } from "../ui/controls.js";
import { isRecord } from "../ui/format.js";
import { JsonTree } from "../ui/json-tree.js";
import { Loading } from "../ui/states.js";
import { TextView } from "../ui/text-view.js";
import { ValueView } from "../ui/value-view.js";
import { readAsked } from "./read-item-input.js";

export interface AskedAboutProps {
  readonly runId: string;
  readonly prompt: PendingPrompt;
  /** Otherwise it is read when somebody asks for it. */
  readonly isOpen: boolean;
}

/** What the step that asks was given: the content of the step before it. */
export function AskedAbout({ isOpen, ...asked }: AskedAboutProps): ReactNode {
  const [isWanted, setWanted] = useState(isOpen);
  if (isWanted) return <About {...asked} isOpen={isOpen} />;
  return (
    <div>
      <Button kind="ghost" isSmall onClick={() => setWanted(true)}>
        What it is about
      </Button>
    </div>
  );
}

function About({ runId, prompt, isOpen }: AskedAboutProps): ReactNode {
  const { value, error } = useRead(`asked ${runId} ${prompt.promptId}`, (signal) => readAsked(runId, prompt, signal));
  if (error !== null) return <p className="hint">What was made before is no longer kept.</p>;
  if (value === null) return <Loading rows={2} />;
  const said = fieldsOf(prompt.event);
  const full = value.filter(({ datum }) => !isEmpty(datum.value));
  if (full.length > 0 && full.every(({ datum }) => isSaid(datum.value, said)))
    return isOpen ? null : <p className="hint">The question says all of it.</p>;
  return full.map(({ title, datum }, index) => (
    <details key={title} className="about" open={index === 0}>
      <summary>{index === 0 ? "What it is about" : title}</summary>
      <Content value={datum.value} />
    </details>
  ));
}

/** Whether each field of the value is one of the question. */
function isSaid(value: Json, said: Readonly<Record<string, unknown>>): boolean {
  if (!isRecord(value)) return false;
  return Object.entries(value).every(([name, field]) => JSON.stringify(said[name]) === JSON.stringify(field));
}

function isEmpty(value: Json): boolean {
  return value === null || value === "" || (typeof value === "object" && Object.keys(value).length === 0);
}

/** A text is read; what has texts in its fields shows each of them. */
export function Content({ value }: { readonly value: Json }): ReactNode {
  if (typeof value === "string") return <TextView text={value} />;
  if (!isOfTexts(value))
    return Array.isArray(value) ? <ValueView value={value} /> : <JsonTree value={value} empty="Empty." />;
  return Object.entries(value).map(([name, field]) => (
    <section key={name} className="part" aria-label={name}>
      <h4>{name}</h4>
      {typeof field === "string" ? <TextView text={field} /> : <p className="mono">{JSON.stringify(field)}</p>}
    </section>
  ));
}

/** A record without records in it. */
function isOfTexts(value: Json): value is { readonly [name: string]: Json } {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const fields = Object.values(value as { readonly [name: string]: Json });
  return (
    fields.length > 0 && fields.length <= 12 && fields.every((field) => typeof field !== "object" || field === null)
  );
}
