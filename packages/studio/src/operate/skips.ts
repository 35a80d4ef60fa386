/** Why an occurrence was left out. */
export const whys = { overlap: "the run before had not ended", missed: "no process was there in time" } as const;
