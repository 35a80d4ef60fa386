/** Links as they are on GitHub, turned into links of the site. */
import { posix } from "node:path";
import { addresses } from "../../scripts/addresses.mjs";
import { withOtherLinks } from "../../scripts/setup/links.mjs";
import { isFile, isFolder, pageOf, sourceOf } from "./files.ts";

export interface Linked {
  /** Source files and folders that pages lead to. */
  readonly sources: Set<string>;
  readonly images: Set<string>;
}

/** @param page Path of the document from the root of the repository. */
export function withLinksOfTheSite(text: string, page: string, linked: Linked): string {
  return withOtherLinks(text, (target: string) => resolved(target, page, linked));
}

function resolved(target: string, page: string, linked: Linked): string {
  const [path = "", anchor] = target.split("#");
  const file = posix.join(posix.dirname(page), decodeURIComponent(path)).replace(/\/$/, "");
  const to = addressOf(file, page, linked);
  return anchor === undefined ? to : `${to}#${anchor}`;
}

function addressOf(file: string, page: string, { sources, images }: Linked): string {
  const readme = `${file}/README.md`;
  if (/\.md$/.test(file) && isFile(file)) return `/${pageOf(file)}`;
  if (isFolder(file) && isFile(readme)) return `/${pageOf(readme)}`;
  if (/\.(png|svg|webp)$/.test(file) && isFile(file)) {
    images.add(file);
    return `/${file}`;
  }
  if (!isFile(file) && !isFolder(file)) throw new TypeError(`${page} links to ${file}, which does not exist`);
  if (addresses.repository !== null) return `${addresses.repository}/blob/main/${file}`;
  sources.add(file);
  return `/${sourceOf(file)}`;
}
