/** The parts of the Mermaid language that drawings use. Names of users are escaped, so that they cannot break out. */

/** Class of a node, which decides how it looks. */
export type Look =
  | "step"
  | "gather"
  | "handler"
  | "failed"
  | "open"
  | "event"
  | "start"
  | "stop"
  | "prompt"
  | "external"
  | "resource"
  | "outside";

interface Style {
  readonly before: string;
  readonly after: string;
  readonly css: string;
}

const styles: Readonly<Record<Look, Style>> = {
  step: { before: "[", after: "]", css: "fill:#e3f2fd,stroke:#1565c0,color:#0d2f52" },
  gather: { before: "{{", after: "}}", css: "fill:#e3f2fd,stroke:#1565c0,color:#0d2f52,stroke-width:2px" },
  handler: { before: "[[", after: "]]", css: "fill:#ffebee,stroke:#c62828,color:#4a0f0f" },
  failed: { before: "[", after: "]", css: "fill:#ffcdd2,stroke:#c62828,color:#4a0f0f,stroke-width:2px" },
  open: { before: "[", after: "]", css: "fill:#fff8e1,stroke:#c79100,color:#4a3500,stroke-dasharray:4 3" },
  event: { before: "([", after: "])", css: "fill:#f5f5f5,stroke:#757575,color:#212121" },
  start: { before: "([", after: "])", css: "fill:#e8f5e9,stroke:#2e7d32,color:#12330f,stroke-width:2px" },
  stop: { before: "([", after: "])", css: "fill:#ede7f6,stroke:#5e35b1,color:#27104f,stroke-width:2px" },
  prompt: { before: "[/", after: "/]", css: "fill:#fff8e1,stroke:#c79100,color:#4a3500" },
  external: { before: "[\\", after: "\\]", css: "fill:#fff8e1,stroke:#c79100,color:#4a3500" },
  resource: { before: "[(", after: ")]", css: "fill:#e0f2f1,stroke:#00695c,color:#00302b" },
  outside: { before: "((", after: "))", css: "fill:#ffffff,stroke:#757575,color:#212121" },
};

export interface DrawnNode {
  readonly id: string;
  /** One text per line. */
  readonly lines: readonly string[];
  readonly look: Look;
}

/** Collects the lines of one flowchart, and the classes it uses. */
export class Flowchart {
  readonly #lines: string[] = [];
  readonly #looks = new Set<Look>();
  readonly #ids = new Map<string, string>();
  readonly #taken = new Set<string>();
  readonly #maxLabelLength: number;

  constructor(maxLabelLength: number) {
    this.#maxLabelLength = maxLabelLength;
  }

  node({ id, lines, look }: DrawnNode): void {
    const { before, after } = styles[look];
    const label = lines.map((line) => this.#label(line)).join("<br/>");
    this.#looks.add(look);
    this.#lines.push(`${this.#cleanId(id)}${before}"${label}"${after}:::${look}`);
  }

  /** Frames what `draw` draws. */
  frame(id: string, label: string, draw: () => void): void {
    this.#lines.push(`subgraph ${this.#cleanId(id)}["${this.#label(label)}"]`);
    draw();
    this.#lines.push("end");
  }

  edge(
    from: string,
    to: string,
    { label, isDotted = false }: { readonly label?: string | undefined; readonly isDotted?: boolean } = {},
  ): void {
    const arrow = isDotted ? "-.->" : "-->";
    const middle = label === undefined ? arrow : `${arrow}|"${this.#label(label)}"|`;
    this.#lines.push(`${this.#cleanId(from)} ${middle} ${this.#cleanId(to)}`);
  }

  toText(title: string): string {
    const classes = [...this.#looks].map((look) => `classDef ${look} ${styles[look].css}`);
    const body = [...this.#lines, ...classes].map((line) => `  ${line}\n`).join("");
    // YAML reads JSON; in a title Mermaid replaces nothing.
    return `---\ntitle: ${JSON.stringify(title)}\n---\nflowchart TD\n${body}`;
  }

  #label(text: string): string {
    const letters = [...text];
    return escapeText(
      letters.length <= this.#maxLabelLength ? text : `${letters.slice(0, this.#maxLabelLength - 1).join("")}*`,
    );
  }

  /** Keeps only letters, digits and `_`; ids that would become equal get a number. */
  #cleanId(id: string): string {
    const known = this.#ids.get(id);
    if (known !== undefined) return known;
    const clean = id.replace(/[^A-Za-z0-9_]/g, "_");
    let free = clean;
    for (let count = 2; this.#taken.has(free); count++) free = `${clean}_${count}`;
    this.#ids.set(id, free);
    this.#taken.add(free);
    return free;
  }
}

/** Escapes by character code, in Mermaid's own syntax. */
function escapeText(text: string): string {
  return text.replace(/\s+/g, " ").replace(/["#&;<>`\\]/g, (letter) => `#${letter.charCodeAt(0)};`);
}
