/** Searches the documentation that is in the package `millrace`. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import MiniSearch from "minisearch";
import { millraceFolder } from "./millrace-folder.js";

export interface Section {
  /** Path of the page in the documentation, such as `how-to/ask-a-person.md`. */
  readonly page: string;
  readonly heading: string;
  readonly text: string;
}

/** @throws {CliError} `PACKAGE_MISSING` where `millrace` is not installed. */
export class DocsIndex {
  /** Where the pages are. */
  readonly folder: string;
  readonly #sections: readonly Section[];
  readonly #index: MiniSearch;

  constructor(cwd: string) {
    this.folder = docsFolder(cwd);
    this.#sections = pagesIn(this.folder).flatMap((page) => sectionsOf(this.folder, page));
    this.#index = new MiniSearch({
      fields: ["heading", "page", "text"],
      searchOptions: { boost: { heading: 4, page: 3 }, prefix: true, fuzzy: 0.15 },
    });
    this.#index.addAll(this.#sections.map((section, id) => ({ id, ...section })));
  }

  /** The sections that fit best, the best first. */
  search(query: string, limit: number): readonly Section[] {
    const found = this.#index.search(query).slice(0, limit);
    return found.flatMap(({ id }) => this.#sections[id as number] ?? []);
  }
}

/** In the package, or in a checkout of the repository, where the package has no pages of its own. */
function docsFolder(cwd: string): string {
  const folder = millraceFolder(cwd);
  const inPackage = join(folder, "docs");
  return existsSync(join(inPackage, "README.md")) ? inPackage : join(folder, "..", "..", "docs");
}

function pagesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => name.split(sep).join("/"))
    .filter((name) => name.endsWith(".md") && !name.startsWith("decisions/"))
    .sort();
}

/** A page by its headings. */
function sectionsOf(folder: string, page: string): Section[] {
  const text = readFileSync(join(folder, page), "utf8");
  const title = /^# (.+)$/m.exec(text)?.[1] ?? page;
  return text.split(/^(?=##? )/m).flatMap((part) => {
    const [, heading = "", rest = ""] = /^##? (.+)\n([\s\S]*)$/.exec(part) ?? [];
    if (rest.trim() === "") return [];
    return [{ page, heading: heading === title ? title : `${title}: ${heading}`, text: rest.trim() }];
  });
}
