/** The navigation of the site is the list in docs/README.md: a page that is named there is in the sidebar. */
import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import type { DefaultTheme } from "vitepress";
import { filesBelow, isFile, pageOf, root } from "./files.ts";

type Item = DefaultTheme.SidebarItem;

const linkPattern = /\[((?:[^\]\\]|\\.)*)\]\(([^)#\s]+)[^)]*\)/g;

export function sidebar(): Item[] {
  const list = readFileSync(join(root, "docs", "README.md"), "utf8");
  const groups: Item[] = [{ text: "Begin", items: [] }];
  for (const line of list.split("\n")) {
    const top = /^- (?:\*\*(.+?)\*\*)?(.*)$/.exec(line);
    const links = [...line.matchAll(linkPattern)].map(([, , target = ""]) => posix.join("docs", target)).filter(isFile);
    if (top !== null && !/^\[/.test(top[1] ?? "")) groups.push({ text: top[1] ?? "", items: [] });
    const group = top !== null && /^\[/.test(top[1] ?? "") ? groups[0] : groups.at(-1);
    group?.items?.push(...links.map(itemOf));
  }
  return [...groups, { text: "API", items: [{ text: "Every export", link: "/api/" }] }].map(withParts);
}

/** Where a list stands for a folder of pages, they are all in the sidebar; error codes and decisions have one of their own. */
function withParts(group: Item): Item {
  if (group.text !== "Reference") return group;
  const listed = readFileSync(join(root, "docs", "reference", "README.md"), "utf8");
  const pages = [...listed.matchAll(linkPattern)].map(([, , target = ""]) => posix.join("docs", "reference", target));
  return {
    ...group,
    items: [...(group.items ?? []), ...pages.filter((page) => !page.endsWith("README.md")).map(itemOf)],
  };
}

export function folderSidebar(folder: string): Item[] {
  const pages = filesBelow(folder)
    .filter((path) => /\.md$/.test(path))
    .sort();
  const items = [
    ...pages.filter((path) => path.endsWith("README.md")),
    ...pages.filter((path) => !path.endsWith("README.md")),
  ];
  return [{ items: items.map(itemOf) }, { items: [{ text: "All documentation", link: "/docs" }] }];
}

function itemOf(path: string): Item {
  return {
    text: titleOf(path),
    link: `/${pageOf(path)
      .replace(/index\.md$/, "")
      .replace(/\.md$/, "")}`,
  };
}

export function titleOf(path: string): string {
  const heading = /^# (.+)$/m.exec(readFileSync(join(root, path), "utf8"))?.[1] ?? path;
  return heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/`/g, "");
}
