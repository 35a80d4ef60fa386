/** A page with a search field above a long list, which is read page by page. */
import { type ReactNode, useRef, useState } from "react";
import { useRead } from "../api/use-read.js";
import { Button } from "../ui/controls.js";
import { Icon } from "../ui/icon.js";
import { Page } from "../ui/page.js";
import { Empty, Read } from "../ui/states.js";
import { useChanges } from "./overview.js";

const PAGE = 100;

/** Part of a list, and where the next part begins; `null` at the end. */
export interface ListPart<Item> {
  readonly items: readonly Item[];
  readonly cursor: string | null;
}

/** What a request for a part takes. `cursor` is missing for the first. */
export interface PartOptions {
  readonly limit: number;
  readonly signal: AbortSignal;
  readonly cursor?: string;
}

export interface SearchedPageProps<Item> {
  readonly title: string;
  readonly placeholder: string;
  /** What a screen reader calls the search field. */
  readonly label: string;
  /** @param search Trimmed; `""` for everything. */
  readonly read: (search: string, options: PartOptions) => Promise<ListPart<Item>>;
  /** Text in place of an empty list. */
  readonly empty: (search: string) => string;
  /** @param onSearch Searches for a text that is clicked. */
  readonly children: (items: readonly Item[], onSearch: (text: string) => void) => ReactNode;
}

export function SearchedPage<Item>(props: SearchedPageProps<Item>): ReactNode {
  const { title, placeholder, label, read, empty, children } = props;
  const [text, setText] = useState("");
  const wanted = useRef(PAGE);
  const search = text.trim();
  const reading = useRead(search, (signal) => readParts((options) => read(search, options), wanted.current, signal));
  useChanges(reading.reload);
  const show = (other: string): void => {
    wanted.current = PAGE;
    setText(other);
  };
  return (
    <Page title={title}>
      <div className="tools">
        <div className="search">
          <Icon name="search" />
          <input
            type="search"
            placeholder={placeholder}
            aria-label={label}
            value={text}
            onChange={(event) => show(event.target.value)}
          />
        </div>
      </div>
      <div className="panel">
        <Read reading={reading}>
          {({ items, cursor }) => (
            <>
              {items.length === 0 ? <Empty>{empty(search)}</Empty> : children(items, show)}
              {cursor !== null && (
                <div className="tablefoot">
                  <span className="grow" />
                  <Button
                    isSmall
                    onClick={() => {
                      wanted.current = items.length + PAGE;
                      reading.reload();
                    }}
                  >
                    Load more
                  </Button>
                </div>
              )}
            </>
          )}
        </Read>
      </div>
    </Page>
  );
}

/** Reads part after part until there are as many items as wanted: a part of a search may be short, or empty. */
async function readParts<Item>(
  read: (options: PartOptions) => Promise<ListPart<Item>>,
  wanted: number,
  signal: AbortSignal,
): Promise<ListPart<Item>> {
  const items: Item[] = [];
  let cursor: string | null = null;
  do {
    const part: ListPart<Item> = await read({ limit: PAGE, signal, ...(cursor !== null && { cursor }) });
    items.push(...part.items);
    cursor = part.cursor;
  } while (cursor !== null && items.length < wanted);
  return { items, cursor };
}
