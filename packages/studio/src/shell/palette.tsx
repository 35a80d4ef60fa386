/** Goes to a run, a workflow or a page by a few letters of its name: Ctrl-K, or Cmd-K. */
import { type KeyboardEvent, type ReactNode, useEffect, useId, useState } from "react";
import { client } from "../api/client.js";
import { useRead } from "../api/use-read.js";
import { go, hrefOf } from "../route.js";
import { Dialog } from "../ui/dialog.js";
import { Icon, type IconName } from "../ui/icon.js";
import { useStudioConfig } from "./studio-config.js";

interface Entry {
  readonly key: string;
  readonly icon: IconName;
  readonly name: string;
  readonly what: string;
  readonly href: string;
}

const MOST_RUNS = 6;
const MOST = 12;
const TYPING_MS = 150;

/** Opens with the keys, wherever the focus is. */
export function Palette(): ReactNode {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent): void => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey)
        return;
      event.preventDefault();
      setOpen((before) => before || document.querySelector("dialog[open]") === null);
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  return isOpen && <PaletteDialog onClose={() => setOpen(false)} />;
}

function PaletteDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const [text, setText] = useState("");
  const [place, setPlace] = useState(0);
  const id = useId();
  const entries = useEntries(text.trim());
  const chosen = Math.min(place, entries.length - 1);
  const open = (entry: Entry | undefined): void => {
    if (entry === undefined) return;
    onClose();
    go(entry.href);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setPlace((chosen + step + entries.length) % Math.max(1, entries.length));
    else if (event.key === "Enter") open(entries[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Go to" onClose={onClose}>
      <div className="palette">
        <input
          type="text"
          role="combobox"
          aria-label="A run, a workflow or a page"
          aria-expanded={entries.length > 0}
          aria-controls={id}
          aria-activedescendant={entries.length > 0 ? `${id}-${chosen}` : undefined}
          placeholder="A run, a workflow or a page"
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setPlace(0);
          }}
          onKeyDown={onKeyDown}
        />
        <div role="listbox" id={id} aria-label="Found">
          {entries.map((entry, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys
            <div
              key={entry.key}
              id={`${id}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === chosen}
              onClick={() => open(entry)}
            >
              <Icon name={entry.icon} />
              <span className="cut">{entry.name}</span>
              <span className="muted">{entry.what}</span>
            </div>
          ))}
        </div>
        {entries.length === 0 && <p className="muted">Nothing has this name.</p>}
      </div>
    </Dialog>
  );
}

function useEntries(text: string): readonly Entry[] {
  const wanted = useLater(text);
  const { audit, queues, budgets } = useStudioConfig();
  const workflows = useRead("workflow names", (signal) => client.workflows({ signal }));
  const runs = useRead(wanted === "" ? null : `palette ${wanted}`, (signal) =>
    client.runs({ search: wanted, limit: MOST_RUNS, signal }),
  );
  const has = (name: string): boolean => name.toLowerCase().includes(text.toLowerCase());
  const pages: readonly Entry[] = [
    page("Runs", "runs", hrefOf("runs")),
    page("Inbox", "waiting", hrefOf("inbox")),
    page("Failures", "failed", hrefOf("failures")),
    page("Workflows", "flow", hrefOf("workflows")),
    page("Queues", "queued", hrefOf("queues")),
    ...(queues && budgets ? [page("Budgets", "effect", hrefOf("budgets"))] : []),
    page("Schedules", "clock", hrefOf("schedules")),
    page("Workers", "db", hrefOf("workers")),
    ...(audit ? [page("Audit", "person", hrefOf("audit"))] : []),
  ];
  const found = text === "" ? [] : (runs.value?.runs ?? []);
  return [
    ...found.map(({ handlerId, workflow, status }): Entry => {
      const what = `run of ${workflow}, ${status}`;
      return { key: `run ${handlerId}`, icon: "runs", name: handlerId, what, href: hrefOf("run", handlerId) };
    }),
    ...pages.filter(({ name }) => has(name)),
    ...(workflows.value ?? []).filter(has).map((name): Entry => {
      return { key: `workflow ${name}`, icon: "flow", name, what: "workflow", href: hrefOf("workflow", name) };
    }),
  ].slice(0, MOST);
}

function page(name: string, icon: IconName, href: string): Entry {
  return { key: `page ${name}`, icon, name, what: "page", href };
}

/** The text once nothing was typed for a moment. */
function useLater(text: string): string {
  const [later, setLater] = useState(text);
  useEffect(() => {
    const timer = window.setTimeout(() => setLater(text), TYPING_MS);
    return () => window.clearTimeout(timer);
  }, [text]);
  return later;
}
