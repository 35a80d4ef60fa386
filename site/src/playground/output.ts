/** What a program prints, how it fails, and the tree of its steps. */
import { element } from "../dom.ts";
import type { Failure, FromWorker, Node } from "./messages.types.ts";

const MOST_LINES = 1_000;

export class Output {
  readonly status = element("span", { class: "status", role: "status" });
  readonly #lines = element("div", { class: "lines", role: "log", tabindex: "0", "aria-label": "Output" });
  readonly #tree = element("ul", { class: "tree", "aria-label": "Steps" });
  readonly element = element("div", { class: "results" }, [
    element("h2", { text: "Output" }),
    this.#lines,
    element("h2", { text: "Steps" }),
    this.#tree,
  ]);
  readonly #nodes = new Map<string, HTMLLIElement>();
  readonly #addressOf: (path: string) => string;
  hasFailed = false;

  /** @param addressOf The address of a page of the site. */
  constructor(addressOf: (path: string) => string) {
    this.#addressOf = addressOf;
  }

  clear(): void {
    this.#lines.replaceChildren();
    this.#tree.replaceChildren();
    this.#nodes.clear();
    this.status.textContent = "";
    this.hasFailed = false;
  }

  /** Returns `false` when there is more than anybody reads. */
  show(message: FromWorker): boolean {
    if (message.type === "printed") this.print(message.level, message.text);
    if (message.type === "failed") this.#fail(message.failure);
    if (message.type === "node") this.#grow(message.node);
    return this.#lines.childElementCount + this.#nodes.size < MOST_LINES;
  }

  print(level: "log" | "warn" | "error", text: string): void {
    this.#lines.append(element("pre", { class: level, text }));
  }

  #fail({ name, message, code, hint }: Failure): void {
    this.hasFailed = true;
    this.print("error", `${code ?? name}: ${message}`);
    if (hint !== null) this.print("error", `Hint: ${hint}`);
    // Codes of other libraries have no page here.
    if (code !== null && name === "WorkflowError")
      this.#lines.append(element("a", { href: this.#addressOf(`/errors/${code}.html`), text: `About ${code}` }));
  }

  #grow({ id, parent, title, status, detail }: Node): void {
    let item = this.#nodes.get(id);
    if (item === undefined) {
      item = element("li", {}, [element("span"), element("ul")]);
      this.#nodes.set(id, item);
      (this.#nodes.get(parent ?? "")?.lastElementChild ?? this.#tree).append(item);
    }
    item.dataset["status"] = status;
    item.firstElementChild?.replaceChildren(
      element("b", { text: title }),
      element("span", { text: ` ${[status, detail].filter(Boolean).join(" ")}` }),
    );
  }
}
