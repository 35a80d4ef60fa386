import { type ReactNode, useState } from "react";
import { Button } from "./controls.js";
import { ExactText } from "./exact-text.js";
import { isMarkdown, Markdown } from "./markdown.js";

/** A text that a person decides on: as Markdown where it is some, with a way to see it as it is. Line breaks stay. */
export function TextView({ text }: { readonly text: string }): ReactNode {
  const [isPlain, setPlain] = useState(false);
  const isRich = isMarkdown(text);
  return (
    <div className="textview">
      {isRich && !isPlain ? (
        <Markdown text={text} />
      ) : (
        <p className="asis">
          <ExactText text={text} />
        </p>
      )}
      {isRich && (
        <Button kind="ghost" isSmall onClick={() => setPlain(!isPlain)}>
          {isPlain ? "As Markdown" : "As written"}
        </Button>
      )}
    </div>
  );
}
