/** The programs of `examples/apps`, each copied to an empty folder, installed, built and tested there. Chats are used in Chromium, too. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { filesBelow, rowOf } from "./setup.mjs";
import { matrix } from "./tools.mjs";

const apps = join(matrix, "..", "examples", "apps");
const chat = `node "${join(matrix, "src", "chats", "app.mjs")}"`;

/** What a person does with an app, beyond its own test: by its folder. */
const uses = {
  "chat-hono-vite": [`${chat} "/?chat=c1" node server.ts # used: killed twice, each answer paid once`],
  "chat-next": [
    "test ! -e chats.db", // the build opens no store
    `${chat} /chat/c1 node node_modules/next/dist/bin/next start # used: killed twice, each answer paid once`,
  ],
};

/** Builds that check types, too. */
const checksTypes = /^(tsc|next build)$/;

export function appRows() {
  const entries = readdirSync(apps, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return entries.map(({ name }) => {
    const files = filesBelow(join(apps, name));
    const { dependencies, devDependencies, ...project } = JSON.parse(files["package.json"]);
    const packages = Object.entries({ ...dependencies, ...devDependencies }).map(([one, range]) =>
      one === "millrace" || one.startsWith("@millrace/") ? one : `"${one}@${range}"`,
    );
    const commands = [
      `npm install --no-audit --no-fund ${packages.join(" ")}`,
      ...("build" in project.scripts ? ["npm run build"] : []),
      ...(checksTypes.test(project.scripts.build) ? [] : ["npx tsc"]),
      `npm test && echo "tested ${name}" # tested ${name}`,
      ...(uses[name] ?? []),
    ];
    return rowOf({ name: `app ${name}`, files: { ...files, "package.json": JSON.stringify(project) }, commands }, 24);
  });
}
