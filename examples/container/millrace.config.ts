import { defineConfig } from "@millrace/cli";

export default defineConfig({
  workflows: "flows",
  store: process.env["DATABASE_URL"] ?? "runs.db",
});
