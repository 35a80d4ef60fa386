/** Writes the pages of the site: the documents of the repository, the pages of `site/pages`, and the source files that they link to. */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { outsideOfCode } from "../../scripts/setup/links.mjs";
import { documents, isFolder, pageOf, pagesFolder, root, sourceOf } from "./files.ts";
import { type Linked, withLinksOfTheSite } from "./links.ts";

export function assemble(): void {
  rmSync(pagesFolder, { recursive: true, force: true });
  const linked: Linked = { sources: new Set(), images: new Set() };
  for (const path of documents()) write(pageOf(path), pageText(path, linked));
  for (const path of linked.sources) write(join("public", sourceOf(path)), sourceText(path));
  for (const path of linked.images) cpSync(join(root, path), made(join("public", path)));
  cpSync(join(import.meta.dirname, "..", "pages"), pagesFolder, { recursive: true });
  write("public/playground/programs.json", JSON.stringify(programs()));
  copyRunPage();
}

/** The studio over a run file, from the built package, at `/run/file.html`. */
function copyRunPage(): void {
  const built = join(root, "packages", "studio", "dist", "app");
  const filter = (from: string): boolean => from !== join(built, "index.html"); // needs a server
  cpSync(built, join(pagesFolder, "public", "run"), { recursive: true, filter });
}

function pageText(path: string, linked: Linked): string {
  const text = withLinksOfTheSite(readFileSync(join(root, path), "utf8"), path, linked);
  const page = outsideOfCode(text, (prose: string) => prose.replace(/^<!-- site: (\w+) -->$/gm, "<$1 />"));
  return path === "README.md" ? homePage(page) : page;
}

/** The README, with its title, its first sentence and its moving picture where a home page has them. */
function homePage(readme: string): string {
  const [, title, sentence, rest] = /^# (.+)\n\n(.+)\n([\s\S]*)$/.exec(readme) ?? [];
  const actions = [
    ["brand", "Tutorial", "/tutorial"],
    ["alt", "Playground", "/playground"],
    ["alt", "How it works", "/tiny"],
  ].map(([theme, text, link]) => ({ theme, text, link }));
  const [picture, alt, src] = /^!\[([^\]]*)\]\((\S+\.webp)\)\n\n/m.exec(readme) ?? [];
  if (picture === undefined) throw new TypeError("README.md has no moving picture");
  const hero = { name: title, tagline: sentence, actions, image: { src, alt } };
  const head = `layout: home\ntitle: ${title}\ntitleTemplate: false\nhero: ${JSON.stringify(hero)}`;
  return `---\n${head}\n---\n${rest?.replace(picture, "")}`;
}

/** As plain text: it costs nothing to build, and is what a repository would show. */
function sourceText(path: string): string {
  const full = join(root, path);
  if (!isFolder(path)) return readFileSync(full, "utf8");
  const names = readdirSync(full).filter((name) => name !== "node_modules");
  return `${names.sort().join("\n")}\n`;
}

/** The programs that the playground offers; the first is the one of the README of the package. */
function programs(): readonly { readonly name: string; readonly code: string }[] {
  const [, first = ""] =
    /`joke\.ts`:\n\n```ts\n([\s\S]*?)^```/m.exec(readFileSync(join(root, "packages", "core", "README.md"), "utf8")) ??
    [];
  if (first === "") throw new TypeError("packages/core/README.md has no block for joke.ts");
  const folder = join(import.meta.dirname, "..", "src", "playground", "programs");
  const others = readdirSync(folder)
    .sort()
    .map((file) => ({
      name: file.replace(/^\d+-(.*)\.ts$/, "$1").replaceAll("-", " "),
      code: readFileSync(join(folder, file), "utf8"),
    }));
  return [{ name: "two steps", code: first }, ...others];
}

function write(page: string, text: string): void {
  writeFileSync(made(page), text);
}

function made(page: string): string {
  const path = join(pagesFolder, page);
  mkdirSync(dirname(path), { recursive: true });
  return path;
}
