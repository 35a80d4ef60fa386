/** Published packages have no sources: the condition that finds them, see CONTRIBUTING.md, is for this repository alone. */
export const hooks = {
  beforePacking(manifest) {
    for (const entry of Object.values(manifest.exports ?? {}))
      if (typeof entry === "object") delete entry["@millrace/source"];
    return manifest;
  },
};
