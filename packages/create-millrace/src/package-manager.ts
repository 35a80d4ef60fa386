export interface PackageManager {
  readonly name: "npm" | "pnpm" | "yarn" | "bun";
  readonly install: string;
  /** In front of the name of a script. */
  readonly run: string;
}

const managers: readonly PackageManager[] = [
  { name: "npm", install: "npm install", run: "npm run" },
  { name: "pnpm", install: "pnpm install", run: "pnpm run" },
  { name: "yarn", install: "yarn", run: "yarn run" },
  { name: "bun", install: "bun install", run: "bun run" },
];

/** @param agent `npm_config_user_agent`, which all of them set: `pnpm/10.0.0 npm/? node/v24.0.0 linux x64`. */
export function packageManagerOf(agent: string | undefined): PackageManager {
  const name = agent?.split("/")[0];
  return managers.find((manager) => manager.name === name) ?? (managers[0] as PackageManager);
}
