/** The editor, in the colours of the page. */
import { javascript } from "@codemirror/lang-javascript";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { Prec } from "@codemirror/state";
import { keymap } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { basicSetup, EditorView } from "codemirror";

export interface Editor {
  text: string;
  destroy(): void;
}

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.operatorKeyword], color: "var(--code-keyword)" },
  { tag: [tags.string, tags.regexp, tags.special(tags.string)], color: "var(--code-string)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--code-number)" },
  { tag: [tags.comment], color: "var(--code-comment)" },
  { tag: [tags.typeName, tags.className], color: "var(--code-type)" },
]);

const look = EditorView.theme({
  "&": { height: "100%", backgroundColor: "var(--vp-code-block-bg)", color: "var(--vp-c-text-1)" },
  "&.cm-focused": { outline: "2px solid var(--vp-c-brand-1)" },
  ".cm-scroller": { fontFamily: "var(--vp-font-family-mono)", fontSize: "13px", lineHeight: "1.6" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--vp-c-text-2)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "transparent" },
  ".cm-cursor": { borderLeftColor: "var(--vp-c-text-1)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--vp-c-brand-soft)",
  },
});

/** @param onRun Called for Ctrl-Enter, or ⌘-Enter. */
export function openEditor(parent: HTMLElement, onRun: () => void): Editor {
  const run = () => {
    onRun();
    return true;
  };
  const view = new EditorView({
    parent,
    extensions: [
      Prec.highest(keymap.of([{ key: "Mod-Enter", run }])),
      basicSetup,
      javascript({ typescript: true }),
      syntaxHighlighting(colours),
      look,
      EditorView.contentAttributes.of({ "aria-label": "Program", tabindex: "0" }),
    ],
  });
  return {
    get text() {
      return view.state.doc.toString();
    },
    set text(text: string) {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
    },
    destroy: () => view.destroy(),
  };
}
