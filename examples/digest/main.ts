/** What `npm start` runs. */
import { runCommand } from "./command.js";
import { UserError } from "./user-error.js";

// npm and pnpm change the folder; the paths are told from where the user stands.
process.chdir(process.env["INIT_CWD"] ?? process.cwd());
try {
  process.exitCode = await runCommand(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof UserError)) throw error;
  console.error(`✖ ${error.message}`);
  process.exitCode = 1;
}
