import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** The nearest file of that name, in the folder or above it. */
export function nearest(folder: string, name: string): string | null {
  const path = join(folder, name);
  if (existsSync(path)) return path;
  const parent = dirname(folder);
  return parent === folder ? null : nearest(parent, name);
}
